"""The static reader: executes a program abstractly and predicts its trace."""
