"""The trace: what a training program does, as events on objects. Plain frozen data shared by every reader."""
