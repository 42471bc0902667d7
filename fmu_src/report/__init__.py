"""The report of a run, or of two: one HTML page with the view, plots, balances, events, masses and the description."""
