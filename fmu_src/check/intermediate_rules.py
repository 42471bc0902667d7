"""Intermediate update in co-simulation (FMI 3.0): times, what may be read and set, early return on request."""

from __future__ import annotations

import math

import numpy as np

from .host import WARNING, CallRefused
from .rules import VIOLATION, NotPossible, rule
from .running import begin, cs_run, differs, few, grid, initialized, instance, outputs, runnable

_STEPS = 5


def _able(fmu, flag: str = "providesIntermediateUpdate"):
    if "CoSimulation" not in runnable(fmu) or not fmu.can("CoSimulation", flag):
        raise NotPossible(f"the FMU does not have {flag}")
    return [v for v in fmu.scalars if v.flag("intermediateUpdate")]


class _Watched:
    """A co-simulation whose intermediate updates are noted: (step, time, set requested, get allowed, finished, can return early)."""

    def __init__(self, fmu, required=(), each=None, event_mode=False, early=False):
        self.fmu, self.calls, self.step, self.each = fmu, [], 0, each
        references = list(dict.fromkeys(v.reference for v in required))
        self.it = instance(fmu, "CoSimulation", required=references, updated=self._updated, event_mode=event_mode, early=early)  # fmt: skip

    def _updated(self, *call):
        self.calls.append((self.step, *call))
        return self.each(self, *call) if self.each else None

    def run(self, steps: int = _STEPS) -> np.ndarray:
        """Outputs after each step."""
        size, rows = grid(self.fmu)[0], []
        with self.it as it:
            it.initialize(begin(self.fmu))
            if it.event_mode:
                it.settle()
            for self.step in range(steps):
                it.step(begin(self.fmu) + self.step * size, size)
                rows.append([float(v) for v in it.get(outputs(self.fmu))])
        return np.array(rows)


@rule(
    "intermediate-called",
    VIOLATION,
    "a host that provides the callback is called",
    fmi3=("4.4", "The FMU supports IntermediateUpdateMode and will call fmi3IntermediateUpdateCallback, if provided."),
)
def called(fmu):
    watched = _Watched(fmu, _able(fmu)[:20])
    watched.run()
    if not watched.calls:
        yield f"the callback is not called in {_STEPS} steps"


@rule(
    "intermediate-time",
    VIOLATION,
    "times of intermediate updates are within the step, and do not decrease below an accepted one",
    fmi3=(
        "4.2.2",
        "The FMU must not call the callback function fmi3IntermediateUpdateCallback with an intermediateUpdateTime that is smaller than the intermediateUpdateTime given in a previous call of fmi3IntermediateUpdateCallback with intermediateStepFinished = fmi3True.",
    ),
)
def times(fmu):
    watched, size = _Watched(fmu, _able(fmu)[:20]), grid(fmu)[0]
    watched.run()
    accepted = -math.inf
    for step, time, _, _, finished, _ in watched.calls:
        low, slack = begin(fmu) + step * size, 1e-9 * size
        if not low - slack <= time <= low + size + slack:
            yield f"in the step from {low:g} to {low + size:g} s an update is at {time:g} s"
            return
        if time < accepted - slack:
            yield f"an update is at {time:g} s, after an accepted one at {accepted:g} s"
            return
        accepted = max(accepted, time) if finished else accepted


@rule(
    "intermediate-get",
    VIOLATION,
    "requested variables can be read in intermediate update, and are finite",
    fmi3=("4.2.2", "If intermediateVariableGetAllowed = fmi3True, the importer may obtain intermediate output values by calling fmi3Get{VariableType} for variables with intermediateUpdate = true."),
)  # fmt: skip
def readable(fmu):
    asked, found = [v for v in _able(fmu) if v.causality == "output"][:20], []

    def look(watched, time, wanted, allowed, finished, early):
        if not allowed:
            return
        try:
            if not all(math.isfinite(float(value)) for value in watched.it.get(asked)):
                found.append(f"a value is not a finite number at {time:g} s")
        except CallRefused as error:
            found.append(f"at {time:g} s: {error}")

    if not asked:
        raise NotPossible("no output is for intermediate update")
    _Watched(fmu, asked, look).run()
    yield from found[:1]


@rule(
    "intermediate-end",
    VIOLATION,
    "an accepted value at the end of a step is the value after the step",
    fmi3=("4.2.2", "If intermediateStepFinished = fmi3True, intermediate output values inquired by the importer with fmi3Get{VariableType} correspond to accepted internal solver steps."),
)  # fmt: skip
def at_the_end(fmu):
    asked, size, seen = [v for v in _able(fmu) if v.causality == "output"][:20], grid(fmu)[0], {}

    def look(watched, time, wanted, allowed, finished, early):
        if allowed and finished and abs(time - begin(fmu) - (watched.step + 1) * size) <= 1e-9 * size:
            seen[watched.step] = [float(value) for value in watched.it.get(asked, do=False)]

    rows = _Watched(fmu, asked, look).run()
    columns = {(v.key, v.offset): j for j, v in enumerate(outputs(fmu))}
    for step, values in seen.items():
        for v, value in zip(asked, values, strict=True):
            after = rows[step, columns[v.key, v.offset]]
            if abs(value - after) > 1e-6 * max(1.0, abs(after)):
                yield f"{v.name} is {value:.8g} in the last update of a step, {after:.8g} after it"
                return


@rule(
    "intermediate-neutral",
    VIOLATION,
    "reading in intermediate update has no effect on the results",
    fmi3=("4.2.2", "If the importer does not provide a new value for any of the variables contained in the set it registered, the values set last remain."),
)  # fmt: skip
def neutral(fmu):
    asked = [v for v in _able(fmu) if v.causality == "output"][:20]
    steps = min(_STEPS, few(fmu))
    rows = _Watched(fmu, asked, lambda w, t, wanted, allowed, *_: w.it.get(asked, do=False) and None if allowed else None).run(steps)  # fmt: skip
    if name := differs(fmu, rows, cs_run(fmu)[:steps]):
        gap = np.abs(rows - cs_run(fmu)[:steps]).max()
        if gap > 100.0 * fmu.experiment("tolerance", 1e-6):
            yield f"{name} is another in a host with intermediate update"


@rule(
    "intermediate-set",
    VIOLATION,
    "inputs can be set in intermediate update, if the FMU requests them",
    fmi3=("4.2.2", "If intermediateVariableSetRequested = fmi3True, the importer may provide intermediate values for continuous input variables with intermediateUpdate = true by calling fmi3Set{VariableType}."),
)  # fmt: skip
def settable(fmu):
    asked, found = [v for v in _able(fmu) if v.causality == "input" and v.start is not None][:5], []

    def give(watched, time, wanted, allowed, finished, early):
        for v in asked if wanted else []:
            if watched.it.set(v, v.start, do=False) > WARNING:
                found.append(f"{v.name} can't be set at {time:g} s, although the FMU requested it")

    if not asked:
        raise NotPossible("no input is for intermediate update")
    _Watched(fmu, asked, give).run()
    yield from found[:1]


@rule(
    "intermediate-early",
    VIOLATION,
    "a step ends early when the host requests it and the FMU has offered it",
    fmi3=("4.4", "If true, the FMU is able to return early from fmi3DoStep if the importer returns earlyReturnRequested = fmi3True from the callback intermediateUpdate."),
)  # fmt: skip
def early_return(fmu):
    asked = _able(fmu, "canReturnEarlyAfterIntermediateUpdate")[:5]
    requested: list[float] = []

    def ask(watched, time, wanted, allowed, finished, early):
        if early and time < begin(fmu) + 0.9 * grid(fmu)[0] and not requested:
            requested.append(time)
            return time
        return None

    watched = _Watched(fmu, asked, ask, early=True)
    with watched.it as it:
        it.initialize(begin(fmu))
        size = grid(fmu)[0]
        if it.plain_step(begin(fmu), size) > WARNING or not requested:
            raise NotPossible("no update came early enough in the step")
        if it.info.early != 1 or not requested[0] - 1e-9 * size <= it.info.time < begin(fmu) + size:
            yield f"an early return was requested at {requested[0]:g} s, the step ended at {it.info.time:g} s"


@rule(
    "intermediate-flags",
    VIOLATION,
    "early return after an intermediate update needs intermediate update",
    fmi3=("4.4", "canReturnEarlyAfterIntermediateUpdate may only be true, if providesIntermediateUpdate is true."),
)
def flags(fmu):
    fmu.need("CoSimulation")
    if fmu.can("CoSimulation", "canReturnEarlyAfterIntermediateUpdate") and not fmu.can("CoSimulation", "providesIntermediateUpdate"):  # fmt: skip
        yield "canReturnEarlyAfterIntermediateUpdate is true, providesIntermediateUpdate is not"


@rule(
    "intermediate-optional",
    VIOLATION,
    "intermediate update is optional for the host",
    fmi3=("2.3.1", "Each of these pointers can be NULL to indicate missing support for the respective functionality."),
)
def optional(fmu):
    _able(fmu)
    with initialized(fmu, "CoSimulation") as it:
        if it.step(begin(fmu), grid(fmu)[0], do=False) > WARNING:
            yield "a step is refused where no callback is given"
