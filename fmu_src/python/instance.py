"""An FMU instance in Python: FMI's state machine around a Solver. The rules are those of the native flavour (interface/legal.py).

The state consists of numbers only: saving writes them, restoring reads them back bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from spacefmu.dynamics.bounds import BOUND_EVENTS
from spacefmu.dynamics.solver.clock import time_slack
from spacefmu.dynamics.solver.loop import Solver
from spacefmu.dynamics.solver.step_length import StepFailed
from spacefmu.dynamics.system.contract import System
from spacefmu.dynamics.system.evaluate import Refused, constants, motion_part
from spacefmu.dynamics.system.evaluate import start as initial_state

from ..interface.legal import COSIMULATION, FMI2, STARTING, InstanceMode, mode_names
from ..interface.variables import Group, Variable, variables_of
from . import saved
from .saved import Refusal

MISSED = (
    "the sample at time {:g} lies between the communication points {:g} and {:g}, so it reads the inputs of the first; "
    "let communication steps end at the samples"
)
LATE = (
    "more than {:d} events in the communication step from {:g} to {:g}: further events are handled when an internal step ends, "
    "at most {:g} s late; use shorter communication steps"
)


def _legal_constants(system: System, p) -> Any:
    """Constants of the parameters p; raises `Refused` with the law that they break."""
    try:
        return constants(system, p)
    except Refused as error:
        raise Refused(f"invalid parameters: {error}") from error


class Instance:
    """One simulated System behind FMI calls. `identity` distinguishes its saved states from those of other FMUs."""

    def __init__(self, system: System, identity: str):
        self.system, self.identity = system, identity
        self.variables = variables_of(system)
        self.mode, self.initialized, self.stop_time, self.tolerance = InstanceMode.INSTANTIATED, False, math.inf, 0.0
        table = system.signals
        self.x_given, self.d_given = np.array(table.starts("states")), np.array(table.starts("discretes"))
        self.p = np.array(table.starts("parameters"))
        self.settings = np.array([v.signal.start for v in self.variables if v.group == Group.SOLVER])
        self.k = None  # derived from p when it is needed
        self._untold = [v for v in self.variables if v.group == Group.OUTPUT and v.signal.notice]
        self._switches = [v for v in self.variables if v.group == Group.DISCRETE and v.signal.kind != "real"]
        self.notices: list[str] = []  # for the log; the writer removes them
        self._misses_told = False
        self.solver = Solver(system)
        self.solver.place(0.0, self.x_given.copy(), np.array(table.starts("inputs")), None, self.d_given.copy())

    # ---- life

    def admit(self, call: str) -> None:
        """Raises Refusal unless the call is allowed now."""
        if not FMI2.legal(call, COSIMULATION, self.mode):
            modes = FMI2.modes_of(call, COSIMULATION)
            legal = f"; legal in {mode_names(modes)}" if modes else ""
            raise Refusal(f"{call}: not allowed in co-simulation, instance is in state '{self.mode.words}'{legal}")

    def setup_experiment(self, start: float, stop: float | None, tolerance: float | None) -> None:
        self.admit("fmi2SetupExperiment")
        if not math.isfinite(start):
            raise Refusal(f"fmi2SetupExperiment: start time is {start:g}, expected a finite value")
        if stop is not None and not stop > start:
            raise Refusal(f"fmi2SetupExperiment: stop time is {stop:g}, expected a time after the start at {start:g}")
        if tolerance is not None and not 0.0 < tolerance < 1.0:
            raise Refusal(f"fmi2SetupExperiment: tolerance is {tolerance:g}, expected a value between 0 and 1")
        self.solver.t = start
        self.stop_time = math.inf if stop is None else stop
        self.tolerance = tolerance or 0.0

    def enter_initialization(self) -> None:
        self.admit("fmi2EnterInitializationMode")
        self.mode = InstanceMode.INITIALIZATION

    def exit_initialization(self) -> None:
        self.admit("fmi2ExitInitializationMode")
        self._make_ready()
        self.mode = InstanceMode.STEP_COMPLETE

    def terminate(self) -> None:
        self.admit("fmi2Terminate")
        self.mode = InstanceMode.TERMINATED

    def step(self, t: float, h: float) -> None:
        """fmi2DoStep. StepFailed leaves the instance at the last valid point, in the state 'step failed'."""
        self.admit("fmi2DoStep")
        solver = self.solver
        if fault := self._fault_of_step(t, h):
            raise Refusal(
                f"fmi2DoStep: {fault}: a step of {h:g} s from {t:.17g}, while the instance is at {solver.t:.17g} "
                f"and the stop time is {self.stop_time:g}"
            )
        self._make_ready()
        solver.t = t  # the host's time is used: the difference is round-off, and never accumulates
        solver.clock.early = 0.0
        try:
            self._take_notice()
            told = solver.lates > 0
            solver.advance(t + h, self.stop_time)
            self._take_notice_of_samples()
            if solver.late and not told:
                self.notices.append(LATE.format(BOUND_EVENTS, t, t + h, solver.control.equal_part(h)))
        except StepFailed:
            self.mode = InstanceMode.STEP_FAILED
            raise

    def _take_notice(self) -> None:
        """Adds notices of Boolean outputs that have become false."""
        for variable in list(self._untold):
            if self.get([variable.reference], ("boolean",)) == [0.0]:
                self._untold.remove(variable)
                self.notices.append(f"{variable.name} is false at time {self.solver.t:g}: {variable.signal.notice}")

    def _take_notice_of_samples(self) -> None:
        """The same of the first sample between two communication points."""
        if self.solver.missed and not self._misses_told:
            self._misses_told = True
            self.notices.append(MISSED.format(*self.solver.missed))

    def events(self) -> Iterator[str]:
        """The switches of the last step's events, one line of keys and values per discrete state that is not a real; only the time for an event that switched none."""
        for t, before, after in self.solver.taken:
            switched = [v for v in self._switches if before[v.index] != after[v.index]]
            yield from (f"time={t:.17g} variable={v.name} value={after[v.index]:.0f}" for v in switched)
            if not switched:
                yield f"time={t:.17g}"

    def _fault_of_step(self, t, h) -> str:
        if not (math.isfinite(t) and math.isfinite(h)):
            return "the communication point or the step is not finite"
        slack = time_slack(self.solver.t, h)
        faults = (
            (not h > 0.0, "the step is not positive"),
            (abs(t - self.solver.t) > slack, "the communication point is not where the last step ended"),
            (t + h > self.stop_time + slack, "the step goes past the stop time"),
            (not t + h > t, "the step is below the resolution of time"),
        )
        return next((sentence for wrong, sentence in faults if wrong), "")

    def _make_ready(self) -> None:
        """Constants and, in initialization mode, the initial state, of the values set so far."""
        solver, system = self.solver, self.system
        if self.k is None:
            self.k = _legal_constants(system, self.p)
            solver.retune(self.k)
        method, tolerance, max_step = self.settings.tolist()
        solver.configure(int(method), tolerance or self.tolerance or system.about.experiment["tolerance"], max_step)
        if self.mode == InstanceMode.INITIALIZATION and not self.initialized:
            x, u, k, d = initial_state(system, solver.t, self.x_given, solver.u, self.p, self.d_given)
            if not (np.isfinite(x).all() and np.isfinite(d).all()):
                raise Refused("the initial state is not finite; check start values and parameters")
            solver.place(solver.t, x, u, k, d)
            with np.errstate(all="ignore"):
                solver.settle_start()
            self.initialized = True

    # ---- values

    def get(self, references, kinds: tuple[str, ...]) -> list[float]:
        call = f"fmi2Get{kinds[0].capitalize()}"
        self.admit(call)
        wanted = [self._find(call, reference, kinds) for reference in references]
        self._make_ready()
        solver = self.solver
        values: dict[Group, list[float] | np.ndarray] = {
            Group.TIME: [solver.t],
            Group.STATE: solver.x,
            Group.INPUT: solver.u,
            Group.DISCRETE: solver.d,
            Group.PARAMETER: self.p,
            Group.SOLVER: self.settings,
        }
        if any(variable.group in (Group.DERIVATIVE, Group.OUTPUT) for variable in wanted):
            with np.errstate(all="ignore"):
                values[Group.DERIVATIVE], values[Group.OUTPUT], _ = solver.evaluate(
                    solver.t + solver.clock.early, solver.x
                )
        return [values[variable.group][variable.index] for variable in wanted]

    def set(self, references, values, kinds: tuple[str, ...]) -> None:
        """Atomic: values are written only if all of them are legal."""
        call = f"fmi2Set{kinds[0].capitalize()}"
        self.admit(call)
        wanted = [self._find(call, reference, kinds) for reference in references]
        for variable, value in zip(wanted, values, strict=True):
            self._inspect(call, variable, value)
        arrays = {
            Group.STATE: self.x_given.copy(),
            Group.DISCRETE: self.d_given.copy(),
            Group.INPUT: self.solver.u.copy(),
            Group.PARAMETER: self.p.copy(),
            Group.SOLVER: self.settings.copy(),
        }
        for variable, value in zip(wanted, values, strict=True):
            arrays[variable.group][variable.index] = float(value)
        retuned = any(variable.group == Group.PARAMETER for variable in wanted)
        booked = None
        if retuned and not self.mode & STARTING:
            booked = self._booked(arrays[Group.PARAMETER])
        before = {Group.INPUT: self.solver.u, Group.PARAMETER: self.p}
        if any(array.tobytes() != arrays[group].tobytes() for group, array in before.items()):
            self.solver.disturbed = True
        self.x_given, self.d_given = arrays[Group.STATE], arrays[Group.DISCRETE]
        self.solver.u, self.p, self.settings = arrays[Group.INPUT], arrays[Group.PARAMETER], arrays[Group.SOLVER]
        if retuned:
            self.k = None
        if booked is not None:
            self.solver.x = booked
        if self.mode & STARTING:
            self.initialized = False

    def _booked(self, p) -> np.ndarray:
        """The state, with the work corrected by the change of energy due to new parameters; raises if the parameters are invalid."""
        self._make_ready()
        solver, x = self.solver, self.solver.x.copy()
        rows = self.system.signals.booked()
        for sign, k in ((-1.0, solver.k), (1.0, _legal_constants(self.system, p))):
            if rows:
                with np.errstate(all="ignore"):
                    y = motion_part(1, self.system, solver.t, x, solver.u, k, solver.d)
                if not np.isfinite(y).all():
                    raise Refused("an output is not finite; check inputs and parameters")
            for work, kinetic, potential in rows:
                x[work] += sign * (y[kinetic] + y[potential])
        return x

    def _find(self, call: str, reference: int, kinds) -> Variable:
        if not 0 <= reference < len(self.variables):
            raise Refusal(f"{call}: value reference {reference} is unknown, expected 0 to {len(self.variables) - 1}")
        variable = self.variables[reference]
        if variable.signal.kind not in kinds:
            raise Refusal(f"{call}: {variable.name} is of type {variable.signal.kind}, not {' or '.join(kinds)}")
        return variable

    def _inspect(self, call: str, variable: Variable, value) -> None:
        """Everything about one value that can be wrong."""
        signal, name = variable.signal, variable.name
        if variable.variability == "constant":
            raise Refusal(f"{call}: {name} is a constant of this FMU; name it in [parameters] live and build again")
        if not FMI2.may_be_set(variable, COSIMULATION, self.mode):
            modes = FMI2.modes_to_set(variable, COSIMULATION)
            advice = f"set it in {mode_names(modes)}" if modes else "the FMU computes it"
            raise Refusal(f"{call}: {name} can't be set in state '{self.mode.words}'; {advice}")
        if not math.isfinite(value):
            raise Refusal(f"{call}: {name} = {value}, expected a finite number")
        low, high = (-math.inf if signal.min is None else signal.min), (math.inf if signal.max is None else signal.max)
        bounded = variable.group in (Group.PARAMETER, Group.SOLVER) or signal.kind == "enumeration"
        if bounded and not low <= value <= high:
            raise Refusal(f"{call}: {name} = {value:g}, expected a value from {low:g} to {high:g}")

    # ---- the whole state

    def save(self) -> bytes:
        return saved.save(self)

    def restore(self, state: bytes) -> None:
        saved.restore(self, state)
        self.k = None
