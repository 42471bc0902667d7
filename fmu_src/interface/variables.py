"""The FMI variables of a System: one list, from which the XML, the C tables and the slave are generated.

Value references are positions in this list, unique across types.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from spacefmu.dynamics.solver import methods
from spacefmu.dynamics.system.contract import System
from spacefmu.dynamics.system.signals import Discrete, Parameter, Quantity


class Group(IntEnum):
    """The array of the runtime that holds the variable. The C runtime has the same numbers in model.h."""

    TIME = 0
    STATE = 1
    DERIVATIVE = 2
    INPUT = 3
    OUTPUT = 4
    DISCRETE = 5
    PARAMETER = 6
    SOLVER = 7
    INDICATOR = 8


@dataclass(frozen=True)
class Variable:
    """One ScalarVariable: the FMI attributes of a Signal, and the place of its value in the runtime."""

    reference: int
    signal: Quantity
    group: Group
    index: int  # in the group's array
    causality: str
    variability: str
    initial: str | None
    derivative_of: int | None = None  # reference of the state this is the derivative of

    @property
    def name(self) -> str:
        return self.signal.name

    @property
    def has_start(self) -> bool:
        """FMI 2.0, section 2.2.7: inputs, parameters and variables with exact or approximate initial values have a start."""
        return self.initial in ("exact", "approx") or self.causality == "input"


METHODS = tuple(method.name for method in methods.METHODS)

SOLVER_SIGNALS = (
    Parameter(
        "solver.method",
        "co-simulation solver: explicit = Runge-Kutta of order 8, 5 or 4, adaptive; rk4 = classical, fixed step; "
        "rodas5p = linearly implicit of order 5, adaptive, for stiff systems; real_time = order 4, fixed step, bounded work; "
        "real_time_stiff = linearly implicit of order 3, fixed step, bounded work; "
        "automatic = explicit, or rodas5p where the model is stiff",
        kind="enumeration",
        start=1.0,
        items=METHODS,
        min=1.0,
        max=float(len(METHODS)),
    ),
    Parameter(
        "solver.tolerance",
        "relative tolerance; 0 = the tolerance of the experiment, or the default of this model",
        start=0.0,
        min=0.0,
        max=0.1,
    ),
    Parameter(
        "solver.max_step",
        "largest internal step; 0 = no limit for adaptive solvers, the communication step for those of fixed step",
        "s",
        0.0,
        min=0.0,
    ),
)


def variables_of(system: System) -> tuple[Variable, ...]:
    """All variables of a System's FMU, in the order of the XML."""
    table = system.signals
    s: Any  # a quantity of the current group
    rows: list[tuple[Any, ...]] = [
        (Quantity("time", "simulation time", "s"), Group.TIME, 0, "independent", "continuous", None)
    ]
    for i, s in enumerate(table.states):
        rows.append((s, Group.STATE, i, "output" if s.output else "local", "continuous", _initial(s)))
    for i, s in table.derivative_signals():
        rows.append(
            (s, Group.DERIVATIVE, i, "output" if not s.name.startswith("der(") else "local", "continuous", "calculated")
        )
    for i, s in enumerate(table.inputs):
        rows.append((s, Group.INPUT, i, "input", _variability(s), None))
    for i, s in enumerate(table.outputs):
        rows.append((s, Group.OUTPUT, i, "output", _variability(s), "calculated"))
    for i, s in enumerate(table.discretes):
        rows.append((s, Group.DISCRETE, i, "output" if s.output else "local", "discrete", _initial(s)))
    for i, s in enumerate(table.parameters):
        settable = ("parameter", "tunable" if s.tunable else "fixed")
        rows.append((s, Group.PARAMETER, i, *(("local", "constant") if s.constant else settable), "exact"))
    for i, s in enumerate(SOLVER_SIGNALS):
        rows.append((s, Group.SOLVER, i, "parameter", "fixed", "exact"))

    by_name = {row[0].name: reference for reference, row in enumerate(rows)}
    derivative_of = {by_name[s.derivative]: by_name[s.name] for s in table.states}
    return tuple(Variable(*(reference, *row, derivative_of.get(reference))) for reference, row in enumerate(rows))


def _initial(state: Discrete) -> str:
    """FMI 2.0, section 2.2.7: exact only if the state begins at its start value."""
    return "calculated" if state.calculated else "approx" if state.approximate else "exact"


def _variability(signal: Quantity) -> str:
    return "discrete" if signal.sampled or signal.kind != "real" else "continuous"
