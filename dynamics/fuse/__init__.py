"""Several Systems as one: connections are part of the equations instead of an exchange by a master, so there is no coupling error.

    u_i = external inputs, and factor · (state, discrete state, output or derivative) of a unit j      (Wire)

The fused System has the states, parameters, discrete states and outputs of all units, named `unit.variable`, and the unconnected inputs.
Solves are combined block by block: M = diag(M_1, M_2, …), G = diag(G_1, G_2, …).

The dependencies of outputs on inputs are read from the recorded equations (spacefmu.dynamics.system.recording), so values pass in an order
in which each is known before it is needed: `before` the solves, and `after` them for values that depend on accelerations and multipliers.
A unit with its own solve needs all its inputs before it. If no such order exists, there is an algebraic loop, which is refused.

A sampled output shows its new value at the instant of a sample, before the event. Rates must not see it yet, as the last stage of a
solver's step that ends there would. So each input that follows one is also a discrete state, updated at events, and rates read that.
"""

from .system import fuse, fused_system
from .wires import Fused, Part, Wire

__all__ = ["Fused", "Part", "Wire", "fuse", "fused_system"]
