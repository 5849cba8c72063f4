"""The rules' functions, by family. Each looks at one view of the trace and yields faults."""
