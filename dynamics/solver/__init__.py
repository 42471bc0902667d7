"""Co-simulation's solver on floats, NumPy only: coefficients, steps, step lengths, event location, change points, and the loop over them.

The C runtime (fmu_src/native/runtime/core) takes the same steps; tables that both need are generated from here.
"""
