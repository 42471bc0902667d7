"""What equations are written with: scalars of every kind (floats, symbols, dual numbers, recorded ones), attitude, Newton's method."""
