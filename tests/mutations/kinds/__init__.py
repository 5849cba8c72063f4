"""The faults by family."""
