"""The System, the one contract between physics and FMU (`contract`): quantities and pieces of which it is made, and what runs it on floats."""
