"""Linear models of any System: reduced to independent coordinates, trimmed, and their modes. NumPy and SciPy; derivatives are passed in."""
