"""(a) Forward dynamics of a free hub with N hinged links: ours, live and folded, beside Pinocchio's and MuJoCo's."""

from __future__ import annotations

import inspect

import numpy as np

from spacefmu.fmu_src import api

from . import models
from .driver import FMU2Model, NotBuilt, Unit, build, rates_of
from .results import Results
from .timing import alternate

SIZES = (1, 4, 10, 30, 100, 300)
PIN, CPP, MUJOCO = "Pinocchio → CasADi → C", "Pinocchio `aba`, C++", "MuJoCo `mj_forward`"
LIVE, FOLDED, EXCHANGE = (
    "spacefmu, parameters live (`rates`)",
    "spacefmu, parameters folded (`rates`)",
    "spacefmu through model exchange",
)
# Of accelerations in the hinges, relative to the largest: it is the same craft. Recursions agree to 7e-14 with 300 links; MuJoCo, which
# factors the whole mass matrix, is off by its round-off, 8e-10 with 100 and 3e-8 with 300.
AGREE, AGREE_MUJOCO = 1e-11, 1e-6


def can_fold() -> bool:
    return "fold" in inspect.signature(api.build).parameters


def state(links: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(angles, rates, turning rate of the hub) at which all compute."""
    rng = np.random.default_rng(links)
    return 0.1 * rng.normal(size=links), 0.1 * rng.normal(size=links), np.array([0.01, 0.02, -0.01])


def ours(links: int, given) -> tuple[Unit, np.ndarray]:
    """(model-exchange instance at the state, its accelerations of the hinges)."""
    path, _ = build(models.chain(links), f"chain{links}")
    start = {f"hub.angular_velocity[{i + 1}]": w for i, w in enumerate(given[2])}
    for i in range(links):
        start |= {f"hinge{i}.angle": given[0][i], f"hinge{i}.rate": given[1][i]}
    unit = Unit(path, FMU2Model, start)
    unit.evaluations(1)
    rates = (
        unit.real(*(f"hinge{i}.acceleration" for i in range(links)))
        if "hinge0.acceleration" in unit.references
        else None
    )
    return unit, np.array(rates) if rates is not None else _by_name(unit, links)


def _by_name(unit: Unit, links: int) -> np.ndarray:
    """Accelerations as derivatives of the rates, by the model description."""
    variables = unit.description.modelVariables
    of = {v.derivative.name: v.valueReference for v in variables if v.derivative is not None}
    return np.array(unit.fmu.getReal([of[f"hinge{i}.rate"] for i in range(links)]))


def peers(results: Results):
    """Modules of the peers that are installed."""
    found = {}
    for name in ("pinocchio", "mujoco"):
        try:
            found[name] = __import__(f"bench.peers.{name}_peer", fromlist=["Chain"])
        except (ImportError, OSError) as error:
            results.missing[name] = str(error)
    return found


def run(results: Results, sizes=SIZES) -> None:
    modules, lines = peers(results), {}
    for links in sizes:
        given = state(links)
        contenders, accelerations = {}, {}
        try:
            unit, accelerations[EXCHANGE] = ours(links, given)
            contenders[EXCHANGE], contenders[LIVE] = unit.evaluations, rates_of(unit.path, unit.x).chunk(1)
            if can_fold():
                folded, _ = build(models.chain(links), f"chain{links}_folded", fold=True)
                contenders[FOLDED] = rates_of(folded, unit.x).chunk(1)
        except NotBuilt as error:
            results.row("a", f"chain of {links} links", None, note=str(error), key=f"live{links}")
            continue
        if "pinocchio" in modules:
            chain = modules["pinocchio"].Chain(links)
            accelerations[CPP] = chain.accelerations(*given)
            generated = chain.generated(*given)
            contenders[CPP], contenders[PIN] = chain.evaluations, generated.chunk(0)
            generated.chunk(0)(1)
            accelerations[PIN] = generated.results[0][6:].copy()
        if "mujoco" in modules:
            chain = modules["mujoco"].Chain(links)
            accelerations[MUJOCO] = chain.accelerations(*given)
            contenders[MUJOCO] = chain.evaluations
        _agree(accelerations)
        best = alternate(contenders)
        lines[links] = best
        for name, taken in best.items():
            results.point("cost against size", name, links, taken)
        _rows(results, links, best)
        unit.free()
    if {10, 300} <= set(lines):
        each = [lines[n][LIVE] / n for n in (10, 30, 100, 300) if n in lines]
        results.row(
            "a",
            "cost per link from 10 to 300 links, largest over smallest, parameters live",
            max(each) / min(each),
            key="flat",
        )
    names = [
        name for name in (PIN, LIVE, FOLDED, EXCHANGE, CPP, MUJOCO) if any(name in best for best in lines.values())
    ]
    results.tables["Forward dynamics, nanoseconds of CPU"] = (
        ["", *(f"N = {n}" for n in lines)],
        [[name, *(f"{lines[n][name]:,.0f}" if name in lines[n] else "–" for n in lines)] for name in names],
    )


def _rows(results: Results, links: int, best: dict[str, float]) -> None:
    peer = best.get(PIN)
    for name, key in ((FOLDED, "folded"), (LIVE, "live")):
        value = best[name] / peer if peer and name in best else None
        why = (
            ""
            if value is not None
            else "Pinocchio is not installed"
            if not peer
            else "no FMU with folded parameters can be built yet"
        )
        results.row("a", f"{name} over Pinocchio's generated code, N = {links}", value, note=why, key=f"{key}{links}")
    for name in (CPP, MUJOCO):
        if name in best:
            results.row("a", f"{name} over spacefmu through model exchange, N = {links}", best[name] / best[EXCHANGE])


def _agree(accelerations: dict[str, np.ndarray]) -> None:
    """Whoever computes something else is not on the same work."""
    reference = accelerations[EXCHANGE]
    for name, other in accelerations.items():
        gap = np.abs(other - reference).max() / np.abs(reference).max()
        if gap > (AGREE_MUJOCO if name == MUJOCO else AGREE):
            raise RuntimeError(f"{name} has other accelerations than {EXCHANGE}: {gap:.1e}")
