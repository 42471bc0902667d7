"""(b) modes of a flexible panel, (c) loops and cables against trees: what more of it costs."""

from __future__ import annotations

from spacefmu.dynamics.description import load_text

from . import models
from .before import built_before, entry_before
from .driver import FMU2Model, NotBuilt, Unit, build
from .results import Results
from .timing import alternate

MODES = (5, 10, 20, 40, 80)
LIMIT = 600.0  # [s] that a build may take
PAIRS = {  # what is compared with the same bodies without it
    "FourBar": "loop", "TetheredPair": "cable", "TetheredMasses": "cable",
}  # fmt: skip


def _opened(text: str, name: str) -> Unit:
    path, _ = build(text, name, LIMIT)
    return Unit(path, FMU2Model)


def _against_before(results: Results, work: str, what: str, text, unit: Unit, key: str) -> None:
    """A row: an evaluation over that of the FMU which the code of commit c30f815 makes of text()."""
    what = f"{what}, relative to commit c30f815"
    try:
        before = Unit(built_before(text(), key), FMU2Model)
    except NotBuilt as error:
        results.row(work, what, None, note=f"before: {error}", key=key)
        return
    best = alternate({"now": unit.evaluations, "before": before.evaluations})
    results.row(work, what, best["now"] / best["before"], key=key)
    before.free()


def modes(results: Results, sizes=MODES) -> None:
    units = {}
    for count in sizes:
        try:
            units[count] = _opened(models.modes(count), f"modes{count}")
        except NotBuilt as error:
            results.row("b", f"{count} modes", None, note=str(error), key=f"doubling{count}")
    best = alternate({str(n): unit.evaluations for n, unit in units.items()})
    if 20 in units:
        _against_before(results, "b", "20 modes, evaluation", lambda: models.modes(20), units[20], key="modes20")
    for count, unit in units.items():
        results.point("flexible panel", "evaluation", count, best[str(count)])
        if count // 2 in units and count > 10:
            results.row(
                "b",
                f"{count} modes over {count // 2}",
                best[str(count)] / best[str(count // 2)],
                key=f"doubling{count}",
            )
        unit.free()
    results.tables["Modes of a flexible panel, nanoseconds of an evaluation"] = (
        [f"{n} modes" for n in units],
        [[f"{best[str(n)]:,.0f}" for n in units]],
    )


def loops(results: Results) -> None:
    units = {}
    for name in PAIRS:
        text = models.entry(name)
        units[name] = _opened(text, name)
        units[f"{name}, tree"] = _opened(without_conditions(text), f"{name}Tree")
    for name in ("FourBar", "SpaceStation"):
        units.setdefault(name, _opened(models.entry(name), name))
        units[f"{name}, natural"] = _opened('formulation = "natural"\n' + models.entry(name), f"{name}Natural")
    best = alternate({name: unit.evaluations for name, unit in units.items()})
    for name, kind in PAIRS.items():
        results.row("c", f"{name} over its tree without the {kind}", best[name] / best[f"{name}, tree"])
    for name in ("FourBar", "SpaceStation"):
        ratio = best[f"{name}, natural"] / best[name]
        results.row("c", f"{name} in natural coordinates over joint coordinates", ratio, key=f"natural_{name}")
    _against_before(
        results, "c", "FourBar, evaluation", lambda: entry_before("FourBar"), units["FourBar"], key="four_bar"
    )
    for unit in units.values():
        unit.free()


def planned(results: Results, sizes=(5, 20)) -> None:
    """Many loops on one hub: the solve that is planned when the C is written against the rank-revealing one, which is full."""
    for count in sizes:
        text = models.loops(count)
        built = {
            "planned": build(text, f"loops{count}", LIMIT)[0],
            "full": build(text, f"loops{count}_full", LIMIT, before="from {package}.native.trace import saddle_plan; saddle_plan.WORTH = 0.0")[0],
        }  # fmt: skip
        units = {name: Unit(path, FMU2Model) for name, path in built.items()}
        best = alternate({name: unit.evaluations for name, unit in units.items()})
        what = f"{count} loops, planned solve over the rank-revealing one, evaluation"
        results.row("c", what, best["planned"] / best["full"], key=f"planned{count}")
        for unit in units.values():
            unit.free()


def without_conditions(text: str) -> str:
    """A description without its couplings and cables: TOML tables from a header on to the next."""
    kept, keep = [], True
    for line in text.splitlines():
        if line.startswith("["):
            keep = not line.startswith(("[couplings.", "[cables."))
        if keep:
            kept.append(line)
    tree = "\n".join(kept)
    load_text(tree)
    return tree


def sharing(results: Results, sizes=(10, 30)) -> None:
    """C with one function per kind against flat C, where a System is on either side of the limit."""
    for links in sizes:
        built = {
            "shared": build(models.chain(links), f"chain{links}_shared", LIMIT, shared_from=1),
            "flat": build(models.chain(links), f"chain{links}_flat", LIMIT, shared_from=10**6),
        }
        units = {name: Unit(path, FMU2Model) for name, (path, _) in built.items()}
        best = alternate({name: unit.evaluations for name, unit in units.items()})
        results.row(
            "f",
            f"chain of {links} links, C with shared functions over flat C, evaluation",
            best["shared"] / best["flat"],
        )
        for unit in units.values():
            unit.free()
