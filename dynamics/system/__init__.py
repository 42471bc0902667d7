"""The System, the one contract between physics and FMU (`contract`): its quantities and pieces, and its evaluation on floats."""
