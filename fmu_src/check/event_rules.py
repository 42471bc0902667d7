"""Events as other tools handle them: indicators, restarts, tolerances; and whether co-simulation and model exchange agree."""

from __future__ import annotations

import numpy as np

from .exchange import me_run, seen
from .rules import INTEROPERABILITY, VIOLATION, NotPossible, rule
from .running import begin, continuous, grid, instance, outputs, span, step_through

_LOOSE, _TIGHT, _TIGHTEST = 1e-4, 1e-7, 1e-10


@rule(
    "indicator-zero",
    VIOLATION,
    "no event indicator is zero at a restart",
    "3.2.2",
    "The FMU must guarantee that at an event restart z_j ≠ 0, for example, by shifting z_j with a small value.",
    fmi3=(
        "3.1.1",
        "The FMU must guarantee that after leaving EventMode \\mathbf{z}_j \\neq 0, for example, by shifting \\mathbf{z}_j with a small value.",
    ),
)
def indicator_zero(fmu):
    yield from seen(fmu, "indicator-zero")


@rule(
    "indicator-scale", INTEROPERABILITY, "event indicators are of the order of one: hosts compare them with tolerances"
)
def indicator_scale(fmu):
    yield from seen(fmu, "indicator-scale")


@rule(
    "discrete-between",
    VIOLATION,
    "discrete outputs change only at events",
    "2.2.7",
    "The value of the variable is constant between external and internal events (= time, state, step events defined implicitly in the FMU).",
    fmi3=("2.4.7.4", "Model Exchange: The value of the variable may change only in EventMode."),
)
def discrete_between(fmu):
    yield from seen(fmu, "discrete-between")


@rule("time-event-early", INTEROPERABILITY, "outputs do not change at a time event before event mode is entered")
def time_event_early(fmu):
    yield from seen(fmu, "time-event-early")


@rule(
    "output-jumps", INTEROPERABILITY, "continuous outputs jump only at events: integrators mistake jumps for stiffness"
)
def output_jumps(fmu):
    yield from seen(fmu, "output-jumps")


@rule("event-at-zero", INTEROPERABILITY, "an event is not lost when a host enters it just before the crossing")
def event_at_zero(fmu):
    late = me_run(fmu, 1e-7)
    if not late.state_events:
        raise NotPossible("there is no state event in the run")
    early = me_run(fmu, 1e-7, early=True)
    if not (late.complete and early.complete):
        if early.state_events > 20 * late.state_events + 50:
            yield f"{early.state_events} state events if each is entered just before the crossing, {late.state_events} if just after"
        return
    a, b = np.array(late.values), np.array(early.values)
    gap = np.abs(a - b).max(axis=0)
    wrong = np.where(gap > 1e-5, gap / span(a), 0.0)
    if len(wrong) and wrong.max() > 0.02:
        name = continuous(fmu)[int(wrong.argmax())].name
        yield f"{name} differs by {100 * wrong.max():.0f} % of its range between hosts that enter events just before or just after the crossing"


@rule("event-count", INTEROPERABILITY, "the number of events does not depend on the host's tolerance")
def event_count(fmu):
    loose, tight = me_run(fmu, _LOOSE), me_run(fmu, _TIGHT)
    for what in ("state_events", "step_events"):
        a, b = getattr(loose, what), getattr(tight, what)
        words = what.replace("_", " ")
        if a > 5 * b + 10 or b > 5 * a + 10:
            yield f"{a} {words} at the tolerance {_LOOSE:g}, {b} at {_TIGHT:g}"
        elif min(a, b) > 10 and a > 0.5 * loose.steps and b > 0.5 * tight.steps:
            yield f"{b} {words} in {tight.steps} steps: nearly every step is an event"


@rule("kinds-agree", INTEROPERABILITY, "model exchange and co-simulation give the same results")
def kinds_agree(fmu):
    """The difference between the kinds must decrease with the tolerance. For a small signal among large ones even a tight tolerance may be too loose."""
    fmu.need("CoSimulation")
    names = continuous(fmu)
    if not names or len(me_run(fmu, _TIGHT).values) < 2:
        raise NotPossible("there is nothing to compare")
    loose = _gap(fmu, _LOOSE, _TIGHT)
    for tolerance in (_TIGHT, _TIGHTEST):
        gap = _gap(fmu, tolerance, tolerance)
        worst = int(gap.argmax())
        if gap[worst] <= 1e-3 or (gap[worst] <= 1e-2 and gap.max() <= 0.5 * loose.max()):
            return
    much = f"{names[worst].name} differs by {100 * gap[worst]:.2g} % of its range"
    yield f"{much} at the tolerance {tolerance:g}" if gap[worst] > 1e-2 else f"{much}, at tight as at loose tolerance"


def _gap(fmu, of_steps: float, of_exchange: float) -> np.ndarray:
    """Largest difference of each continuous output between the kinds, run at these tolerances, in units of its range."""
    run = me_run(fmu, of_exchange)
    names = continuous(fmu)
    n = min(len(run.values), grid(fmu)[1])
    columns = [j for j, v in enumerate(outputs(fmu)) if v in names]
    with instance(fmu, "CoSimulation") as it:
        it.initialize(begin(fmu), None, of_steps)
        ours = step_through(fmu, it, n)[:, columns]
    m = min(len(ours), n)
    theirs = np.array(run.values[:m])
    gap = np.abs(ours[:m] - theirs).max(axis=0)
    nominal = np.array([v.number("nominal") or 1.0 for v in names])
    return np.where(gap > 1e-5 * nominal, gap / span(theirs), 0.0)
