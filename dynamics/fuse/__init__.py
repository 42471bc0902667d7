"""Several Systems as one: what a master exchanges between FMUs is done inside the equations, without a coupling error.

    u_i = external inputs, and factor · (state, discrete state, output or derivative) of a unit j      (Wire)

The fused System has the states, parameters, discrete states and outputs of all units, named `unit.variable`, and those inputs
that nothing is connected to. Solves stand side by side: M = diag(M_1, M_2, …), G = diag(G_1, G_2, …).

Which output needs which inputs is read off the recorded equations (spacefmu.dynamics.system.recording), so values pass in an order in
which each is known before it is needed: `before` the solves, and `after` them for what accelerations and multipliers decide.
A unit with a solve of its own needs all its inputs before. What no order can bring about is an algebraic loop, and refused.

A sampled output shows its new value at the instant of a sample, before the event. Rates must not see it yet: the last stage of a
solver's step that ends there would. So each input that follows one is a discrete state too, renewed at events, and rates read that.
"""

from .system import fuse, fused_system
from .wires import Fused, Part, Wire

__all__ = ["Fused", "Part", "Wire", "fuse", "fused_system"]
