"""Tools for equations: scalars of all kinds (floats, symbols, dual numbers, recorded ones), attitude, Newton's method."""
