"""Model-exchange runs shared by several rules: a host with SciPy's integrator, and its observations."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from .cpu_timeout import CpuTimeout
from .host import DISCARD, POISON, CallRefused, EventInfo
from .rules import NotPossible
from .running import BUDGET, begin, continuous, grid, instance, outputs
from .subject import CheckedFmu
from .variables import XmlVariable


@dataclass
class Exchange:
    """A model-exchange run: observations by rule, and outputs at the points of the grid."""

    seen: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    values: list[list[float]] = field(default_factory=list)  # continuous Real outputs, one row per point
    state_events: int = 0
    step_events: int = 0
    time_events: int = 0
    steps: int = 0
    complete: bool = False
    final: list[float] = field(default_factory=list)
    said: list[tuple] = field(default_factory=list)

    def note(self, rule: str, text: str) -> None:
        if len(self.seen[rule]) < 5 and text not in self.seen[rule]:
            self.seen[rule].append(text)


def me_run(
    fmu: CheckedFmu,
    tolerance: float = 1e-7,
    early: bool = False,
    watchful: bool | None = None,
    completing: bool | None = None,
) -> Exchange:
    """Integrate over the grid; made once for each tolerance. early: state events are entered just before the crossing.

    watchful: record observations for all rules (default: only in the plain run). completing: call CompletedIntegratorStep
    (default: where it is needed).
    """
    known = fmu.__dict__.setdefault("_me_runs", {})
    key = tolerance, early, completing
    if key not in known:
        fmu.need("ModelExchange")
        watchful = key == (1e-7, False, None) if watchful is None else watchful
        if completing is None:
            completing = not fmu.can("ModelExchange", "completedIntegratorStepNotNeeded")
        known[key] = _Integration(fmu, tolerance, early, watchful, completing).run()
    return known[key]


def seen(fmu: CheckedFmu, name: str) -> list[str]:
    """What the plain run noted for a rule."""
    return me_run(fmu).seen[name]


class _Integration:
    """A host with SciPy's Dormand-Prince method of order 8, dense output for events and points."""

    def __init__(self, fmu, tolerance, early, watchful, completing):
        self.fmu, self.tolerance, self.early, self.watchful = fmu, tolerance, early, watchful
        self.completing = completing
        self.nx, self.nz = len(fmu.states), fmu.indicators
        self.reals = continuous(fmu)
        self.discrete = [v for v in outputs(fmu) if v.variability == "discrete"]
        self.owed = self.ended = False
        self.reached = -math.inf  # [s] the stretch's first point, which is not a trial
        self.discarded: CallRefused | None = None  # why the last trial was given up
        self.out = Exchange()
        self.largest_z = np.zeros(self.nz)
        self.scale = np.zeros(len(self.reals))

    def run(self) -> Exchange:
        step, count = grid(self.fmu)
        start = begin(self.fmu)
        points = [start + n * step for n in range(1, count + 1)]
        import scipy.integrate  # noqa: F401 — before the time is counted: 2 s of CPU

        cpu_timeout = CpuTimeout.own(BUDGET)
        with instance(self.fmu, "ModelExchange", logging=self.watchful) as self.it:
            self.it.initialize(start, None, self.tolerance)
            t, following = start, self._events(start, first=True)
            while points and not self.ended and not cpu_timeout.ended():
                t, following = self._segment(t, following, points, cpu_timeout)
            self.out.complete = not points
            self.out.final = self.it.vector("GetContinuousStates", self.nx)
            self.it.do("Terminate")
            self.out.said = list(self.it.said)
        if self.watchful:
            self._judge_scale()
        return self.out

    # --- one stretch without events

    def _segment(self, t: float, following: float, points: list[float], cpu_timeout: CpuTimeout) -> tuple[float, float]:
        """Integrate until an event or the last point; (time, time of the next time event)."""
        from scipy.integrate import DOP853

        it, out = self.it, self.out
        x = np.array(it.vector("GetContinuousStates", self.nx))
        nominal = np.array(it.vector("GetNominalsOfContinuousStates", self.nx)) if self.nx else np.zeros(0)
        end = min(points[-1], following)
        z, held = self._indicators(), it.get(self.discrete)
        if end <= t + 1e-13 * max(1.0, abs(t)):
            return self._enter(end, x, time_event=True)
        if self.nx == 0:
            return self._without_states(t, end, following, points, z)
        self.reached = t
        solver = DOP853(self._rates, t, x, end, rtol=self.tolerance, atol=self.tolerance * np.maximum(np.abs(nominal), 1e-12) * 0.01, max_step=max(end - t, 1e-300))  # fmt: skip
        while solver.status == "running" and not cpu_timeout.ended():
            message = solver.step()
            if solver.status == "failed":
                raise self.discarded or NotPossible(
                    f"model exchange can't be integrated from t = {solver.t:g} s on: {message}"
                )
            out.steps += 1
            dense = solver.dense_output()
            it.set_states(solver.t, solver.y)
            new = self._indicators()
            crossed = np.flatnonzero((z > 0) != (new > 0))
            at = solver.t
            if len(crossed):
                before, at = self._locate(dense, solver.t_old, solver.t, z)
                out.state_events += 1
            if self.watchful:
                self._watch(dense, solver.t_old, at, held, z)
            self._record(dense, points, at)
            if len(crossed) and self.early and not self.owed:
                self.owed = True  # the crossing itself follows immediately
                return self._enter(before, dense(before))
            self.owed = self.owed and not len(crossed)
            it.set_states(at, dense(at) if at != solver.t else solver.y)
            wants_event = self._completed()
            if len(crossed):
                return self._enter(at, dense(at))
            if wants_event:
                out.step_events += 1
                return self._enter(at, solver.y)
            z = new
        if solver.status == "running":
            points.clear() if not points else None
            return solver.t, following
        if solver.t >= following - 1e-13 * max(1.0, abs(following)):
            return self._enter(following, solver.y, time_event=True)
        return solver.t, following

    def _without_states(self, t, end, following, points, z):
        while points and points[0] <= end:
            self.it.do("SetTime", points[0])
            self.out.values.append([float(v) for v in self.it.get(self.reals)])
            t = points.pop(0)
            self._completed()
        if following <= end:
            return self._enter(following, (), time_event=True)
        return t, following

    def _rates(self, t, x):
        """x' (nx,); NaN where a trial step left the valid range (section 2.1.3: fmi2Discard), so that the integrator tries a shorter step."""
        if not np.isfinite(x).all():
            return np.full(self.nx, np.nan)
        try:
            self.it.set_states(t, x)
            rates = np.array(self.it.vector("GetDerivatives", self.nx))
        except CallRefused as refused:
            if refused.status != DISCARD or t == self.reached:
                raise
            self.discarded = refused
            return np.full(self.nx, np.nan)
        self.discarded = None
        return rates

    def _indicators(self) -> np.ndarray:
        z = np.array(self.it.vector("GetEventIndicators", self.nz)) if self.nz else np.zeros(0)
        self.largest_z = np.fmax(self.largest_z, np.abs(z))
        return z

    def _locate(self, dense, low, high, z) -> tuple[float, float]:
        """Instants just before and after the first crossing, to round-off."""
        for _ in range(60):
            middle = (low + high) / 2
            if middle in (low, high):
                break
            self.it.set_states(middle, dense(middle))
            if ((self._indicators() > 0) != (z > 0)).any():
                high = middle
            else:
                low = middle
        return low, high

    def _record(self, dense, points, at) -> None:
        while points and points[0] <= at + 1e-12 * max(1.0, abs(at)):
            point = points.pop(0)
            self.it.set_states(point, dense(point))
            self.out.values.append([float(v) for v in self.it.get(self.reals)])

    def _completed(self) -> bool:
        if not self.completing:
            return False
        enter, end = self.it.completed()
        if POISON in (enter, end):
            self.out.note("completed-step", "it left enterEventMode or terminateSimulation as they were")
            return False
        return bool(enter)

    # --- events

    def _enter(self, t, x, time_event=False) -> tuple[float, float]:
        self.it.set_states(t, x)
        if time_event:
            self.out.time_events += 1
            if self.watchful:
                self._watch_time_event(t, x)
        self.it.do("EnterEventMode")
        return t, self._events(t)

    def _events(self, t: float, first: bool = False) -> float:
        """Event iteration, with every rule on it checked; returns the time of the next time event (inf: none)."""
        it, out = self.it, self.out
        any_jump, any_said = False, False
        for _ in range(100):
            before = it.vector("GetContinuousStates", self.nx)
            info = EventInfo()
            it.accept("NewDiscreteStates", it.update(info))
            after = it.vector("GetContinuousStates", self.nx)
            unwritten = [name for name in EventInfo.FLAGS if getattr(info, name) == POISON]
            if unwritten:
                out.note("event-info", f"{', '.join(unwritten)} were left as they were")
            jumped = [v for v, a, b in zip(self.fmu.states, before, after, strict=True) if a != b]
            any_jump, any_said = any_jump or bool(jumped), any_said or info.valuesOfContinuousStatesChanged == 1
            if jumped and not any_said:
                out.note("states-changed", f"{jumped[0].name} changed at t = {t:g} s, but this was not said")
            for v in [] if first else jumped:
                if not v.flag("reinit"):
                    out.note("reinit-said", f"{v.name} jumped at t = {t:g} s, but has no reinit")
            if info.nextEventTimeDefined == 1 and not info.nextEventTime >= t - 1e-9 * max(1.0, abs(t)):
                out.note("next-event", f"at t = {t:g} s the next event was said to be at {info.nextEventTime:g} s")
            if info.newDiscreteStatesNeeded != 1 or info.terminateSimulation == 1:
                break
        else:
            out.note("event-iteration", f"at t = {t:g} s it was still requested after 100 iterations")
        # of the whole iteration: the standard's example of a host uses only the last call
        if not first and any_said and not any_jump:
            out.note("states-changed", f"at t = {t:g} s states were said to have changed, and have not")
        self.ended = info.terminateSimulation == 1
        it.do("EnterContinuousTimeMode")
        for i, z in enumerate(self._indicators()):
            if z == 0.0:
                out.note("indicator-zero", f"indicator {i + 1} is 0 after the event at t = {t:g} s")
        return max(t, info.nextEventTime) if info.nextEventTimeDefined == 1 else math.inf

    # --- observations between events

    def _at(self, t, x) -> np.ndarray:
        self.it.set_states(t, x)
        return np.array([float(v) for v in self.it.get(self.reals)])

    def _watch(self, dense, old, new, held, z) -> None:
        """Check that discrete outputs stay constant and continuous ones do not jump while no event is due."""
        times = np.linspace(old, new, 5)
        rows = np.array([self._at(t, dense(t)) for t in times[:-1]] + [self._at(new - (new - old) * 1e-9, dense(new - (new - old) * 1e-9))])  # fmt: skip
        now = self.it.get(self.discrete)
        for v, a, b in zip(self.discrete, held, now, strict=True):
            if a != b:
                self.out.note("discrete-between", f"{v.name} went from {a} to {b} at t = {new:g} s without an event")
        if not len(self.reals):
            return
        self.scale = np.fmax(self.scale, np.nanmax(np.abs(rows), axis=0))
        moves = np.abs(np.diff(rows, axis=0))
        total = moves.sum(axis=0)
        # a jump is most of what happens in the step, in one of its quarters
        for j in np.flatnonzero((moves.max(axis=0) > 0.7 * total) & (total > 1e-3 * self.scale) & (total > 1e-9)):
            k = int(moves[:, j].argmax())
            low, high, whole = times[k], times[k + 1] if k < 3 else new - (new - old) * 1e-9, moves[k, j]
            for _ in range(40):
                middle = (low + high) / 2
                left, centre, right = (self._at(t, dense(t))[j] for t in (low, middle, high))
                low, high = (low, middle) if abs(centre - left) > abs(right - centre) else (middle, high)
            jump = abs(self._at(high, dense(high))[j] - self._at(low, dense(low))[j])
            if jump > 0.5 * whole and not _goes_round(self.reals[j], jump):
                self.out.note(
                    "output-jumps", f"{self.reals[j].name} jumps by {whole:.2g} at t = {low:g} s without an event"
                )

    def _watch_time_event(self, t, x) -> None:
        """Check that at the time of a time event, before event mode is entered, outputs equal those just before."""
        before, now = self._at(t - 1e-9 * max(1.0, abs(t)), x), self._at(t, x)
        scale = np.fmax(self.scale, np.abs(before)) + 1e-9
        for v, a, b, s in zip(self.reals, before, now, scale, strict=True):
            if abs(a - b) > 1e-4 * s:
                self.out.note("time-event-early", f"{v.name} goes from {a:.6g} to {b:.6g} at t = {t:g} s, before the event is entered")  # fmt: skip
        self.it.set_states(t, x)

    def _judge_scale(self) -> None:
        for i, z in enumerate(self.largest_z):
            if 0.0 < z < 1e-6 or z > 1e8:
                self.out.note("indicator-scale", f"indicator {i + 1} is never larger than {z:.1g}" if z < 1 else f"indicator {i + 1} reaches {z:.1g}")  # fmt: skip


def _goes_round(v: XmlVariable, jump: float) -> bool:
    """Whether a jump is the wrap of an angle, or another cyclic quantity, from one end of its declared range to the other."""
    low, high = v.number("min"), v.number("max")
    return low is not None and high is not None and abs(jump - (high - low)) < 1e-3 * (high - low)
