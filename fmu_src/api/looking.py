"""Checks and reviews before anything is run: of FMUs, descriptions and finite-element files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from spacefmu.dynamics import description
from spacefmu.dynamics.system.contract import System

from .models import Source, load, only_look

if TYPE_CHECKING:
    from spacefmu.dynamics.modes.checks import Check, ReportedMode
    from spacefmu.dynamics.modes.neutral import ModalBody
    from spacefmu.dynamics.overview import Overview

    from ..archive.facts import Facts
    from ..check.check import Report


def check(
    fmu: Path | str,
    rules: Iterable[str] | None = None,
    static: bool = False,
    limit: float = 10.0,
    on_progress: Callable[[float], object] | None = None,
) -> Report:
    """Check an FMU (FMI 2.0 or 3.0), built by spacefmu or by another tool, in a separate process.

    `.failed(strict=False)`: whether the FMU violates the standard, or could not be checked; `.findings`: each with its `rule` and `text`;
    `.skipped`: rules that could not be checked, with the reason; `.defects`: faults of the check itself.
    rules: names of the rules to check; default: all. static: do not run the FMU, which is a program with your rights.
    limit [s]: time limit per call of the FMU. on_progress: called with the fraction of the rules that are done.
    """
    from ..check.check import check as run
    from ..check.rules import static_rules

    if not limit > 0.0:
        raise ValueError(f"limit is {limit:g} s; must be positive")
    wanted = None if rules is None else list(rules)
    if static:
        wanted = [name for name in static_rules() if wanted is None or name in wanted]
    return run(fmu, wanted, limit, on_progress)


def overview(source: Source) -> Overview:
    """Review a description before it is built: masses, tree, degrees of freedom, natural frequencies, signals, and `.warnings` of suspicious numbers.

    No code of it is run: a system with a unit in Python is refused, with the unit's name.
    """
    from spacefmu.dynamics.overview import overview as look

    from ..native.trace.jacobian import ExactDerivatives

    if not isinstance(source, System):
        only_look(source)
        source = load(source)
    system = source.unfolded or source  # folded constants do not change the spacecraft
    return look(system, ExactDerivatives(system))


def info(fmu: Path | str) -> Facts:
    """What is in an FMU of any tool: `.variables` with unit, start and causality, `.capabilities`, `.platforms`, `.experiment`."""
    from ..archive.facts import facts_of

    return facts_of(fmu)


@dataclass(frozen=True)
class FlexibleModes:
    """A flexible body from a file: its modes with frequencies [Hz], damping and shares of mass, and the usual checks of a model."""

    body: ModalBody
    modes: tuple[ReportedMode, ...]
    checks: tuple[Check, ...]


def modes(
    file: Path | str,
    units: str = "",
    root: Sequence[str] = (),
    geometry: Path | str | None = None,
    first: int = 0,
    up_to: float = 0.0,
    effective_mass: float = 0.0,
) -> dict[str, FlexibleModes]:
    """The modes of the flexible bodies in a file of a finite-element program, or in the files that a description names; by name of the body.

    units of the file: SI, mm-t-s, in-lbf-s, …; root: node(s) to clamp; geometry: a second file with the nodes. Modes to keep:
    a number of them, up to a frequency [Hz], or until they have a share of the mass. A description already states all of this.
    """
    from spacefmu.dynamics.description.file_body import body_table, file_bodies, wanted_of
    from spacefmu.dynamics.modes import checks as judged
    from spacefmu.dynamics.modes.load import load as read

    file = Path(file)
    chosen = {"first": first, "up_to": up_to, "effective_mass": effective_mass}
    kept = {key: value for key, value in chosen.items() if value}
    said = {"units": units, "root": list(root), "geometry": geometry and str(Path(geometry).resolve()), "modes": kept}
    said = {key: value for key, value in said.items() if value}
    if file.suffix == ".toml":
        if said:
            raise ValueError(
                f"{file} is a description, which states units, root and modes; leave out --units, --root and the like"
            )
        tables = file_bodies(file)
    else:
        tables = {file.stem: (body_table({"file": file.name, **said}), file.parent)}
    found = {}
    for name, (table, folder) in tables.items():
        assert table.file is not None
        try:
            body, _ = read(folder / table.file, wanted_of(table, folder))
        except ValueError as error:
            raise ValueError(f"{table.file} {error}") from None
        found[name] = FlexibleModes(body, tuple(judged.modes(body)), tuple(judged.checks(body)))
    return found


def schema(kind: str = "spacecraft") -> dict:
    """The JSON schema of one kind of description, with which editors complete and check; generated from the tables that check descriptions."""
    from spacefmu.dynamics.description.blocks import KINDS

    if kind not in KINDS:
        raise ValueError(f"kind is {kind!r}, expected one of {', '.join(KINDS)}")
    return description.json_schema(kind)
