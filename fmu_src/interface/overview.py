"""The overview of a System (spacefmu.dynamics.overview) as lines of text, as data for programs, as a page of the documentation."""

from __future__ import annotations

from collections import defaultdict
from html import escape
from typing import Any

import numpy as np

from spacefmu.dynamics.overview import Overview
from spacefmu.dynamics.overview.mass import MassProperties


def text(found: Overview) -> str:
    """Plain lines: masses, tree, degrees of freedom, frequencies, signals, warnings."""
    parts = [f"{found.name}: {found.description}", ""]
    if found.whole is not None:
        parts += [
            "masses [kg], mass centres [m], inertia about them [kg m²] (principal moments), in each body's own axes"
        ]
        parts += [_mass_line(part) for part in found.bodies]
        parts += [f"{_mass_line(part)} (a cable, from the first body's frame)" for part in found.cables]
        parts += [_mass_line(found.whole)]
        parts += ["", "tree", *_drawn(found), ""]
        parts.append(_freedom(found))
        parts.append("")
    parts += [*_modes(found), ""]
    parts += [*_convergence(found), ""] if found.convergence else []
    parts += [f"{len(names)} {group}: {_few(names)}" for group, names in found.signals.items() if names]
    if found.warnings:
        parts += ["", *(f"warning: {sentence}" for sentence in found.warnings)]
    return "\n".join(parts)


def data(found: Overview) -> dict:
    """Everything, for JSON."""
    return {
        "name": found.name,
        "description": found.description,
        "bodies": [_mass_data(part) for part in found.bodies],
        "cables": [_mass_data(part) for part in found.cables],
        "whole": None if found.whole is None else _mass_data(found.whole),
        "tree": [vars(branch) for branch in found.tree],
        "degrees_of_freedom": found.freedom,
        "speeds": found.speeds,
        "beads": found.beads,
        "conditions": found.conditions,
        "redundant": list(found.redundant),
        "modes": None if found.modes is None else [vars(mode) for mode in found.modes],
        "no_modes": found.no_modes,
        "convergence": [vars(beam) for beam in found.convergence],
        "solver": found.solver,
        "signals": {group: list(names) for group, names in found.signals.items()},
        "warnings": list(found.warnings),
    }


def page(found: Overview) -> str:
    """An HTML page of the FMU's documentation."""
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(found.name)}: overview</title></head>\n'
        f"<body><h1>{escape(found.name)}: overview</h1>\n<pre>{escape(text(found))}</pre></body></html>\n"
    )


def _numbers(values: Any) -> str:
    return ", ".join(f"{value:.6g}" for value in np.asarray(values) + 0.0)


def _mass_line(part: MassProperties) -> str:
    moments = np.where(part.principal > 1e-12 * part.principal.max(), part.principal, 0.0)  # round-off of the others
    return f"  {part.name}: {part.mass:.6g} kg at ({_numbers(np.round(part.center, 9))}), {_numbers(moments)}"


def _mass_data(part: MassProperties) -> dict:
    return {
        "name": part.name,
        "mass": part.mass,
        "mass_center": part.center.tolist(),
        "inertia": part.inertia.tolist(),
        "principal_inertia": part.principal.tolist(),
    }


def _drawn(found: Overview) -> list[str]:
    """The tree with lines: body, joint, kind, modes."""
    lines, children = ["  space"], defaultdict(list)
    for i, branch in enumerate(found.tree):
        children[branch.parent].append(i)
    waiting = [(i, "") for i in reversed(children[-1])]  # the next to be drawn last, with its indentation
    while waiting:
        i, before = waiting.pop()
        branch = found.tree[i]
        last = i == children[branch.parent][-1]
        joint = branch.kind if branch.joint == branch.body else f"{branch.joint}: {branch.kind}"
        modes = f", {branch.modes} modes" if branch.modes else ""
        modes = f", {branch.segments} segments" if branch.segments else modes
        lines.append(f"  {before}{'└─ ' if last else '├─ '}{branch.body} ({joint}{modes})")
        waiting += [(child, before + ("   " if last else "│  ")) for child in reversed(children[i])]
    return lines


def _freedom(found: Overview) -> str:
    beads = f" and {3 * found.beads} of {found.beads} beads" if found.beads else ""
    words = (
        f"{found.freedom} degrees of freedom: {found.speeds} speeds of the tree{beads}, {found.conditions} conditions"
    )
    if found.redundant:
        extra = found.conditions - (found.speeds + 3 * found.beads - found.freedom)
        words += f", {extra} of them redundant ({', '.join(found.redundant)})"
    return words


def _modes(found: Overview) -> list[str]:
    if found.no_modes:
        return [f"no natural frequencies: {found.no_modes}"]
    if found.modes is None:
        return ["natural frequencies: spacefmu check gives them for the description"]
    if not found.modes:
        return ["no natural modes"]
    lines = ["modes of the system at rest at the start (frequency, damping ratio)"]
    lines += [f"  {mode.frequency:.5g} Hz, {mode.damping:+.4f}" for mode in found.modes]
    fastest = max(mode.frequency for mode in found.modes)
    lines.append(f"shortest time constant {1.0 / (2.0 * np.pi * fastest):.3g} s: solver.method = {found.solver} suits")
    return lines


def _convergence(found: Overview) -> list[str]:
    return [
        f"{each.beam} in {each.segments} segments: under a tip load that moves its tip by {each.bent:.2g} of its length, the tip is "
        f"{each.change:.1e} of the length from where {2 * each.segments} segments have it"
        for each in found.convergence
    ]


def _few(names: Any) -> str:
    return ", ".join(names[:6]) + (f" … {names[-1]}" if len(names) > 6 else "")
