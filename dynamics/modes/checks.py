"""The checks of a model before it is used: numbers, each with a verdict, and the table of modes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.rotation import skew
from ..bodies.equations import mass_matrix
from .load import damping_ratios
from .neutral import ModalBody
from .select import effective_masses


@dataclass(frozen=True)
class Check:
    """One line of the report; `good` is None if there is no criterion."""

    name: str
    value: str
    good: bool | None = None


@dataclass(frozen=True)
class ReportedMode:
    number: int
    frequency: float  # [Hz]
    damping: float
    shares: tuple[float, ...]  # of mass along x, y, z, of inertia about the root's x, y, z
    static: bool


def mass_properties(body: ModalBody) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass [kg], mass centre (3,) [m] from the frame's origin, inertia (3, 3) [kg m²] about the mass centre."""
    given = body.integrals
    center = given.first / given.mass
    return float(given.mass), center, given.inertia + given.mass * skew(center) @ skew(center)


def modes(body: ModalBody) -> list[ReportedMode]:
    shares, ratios, first_static = effective_masses(body), damping_ratios(body), body.count - body.residual
    return [
        ReportedMode(
            k + 1, float(body.frequencies[k]), float(ratios[k]), tuple(map(float, shares[k])), k >= first_static
        )
        for k in range(body.count)
    ]


def checks(body: ModalBody) -> list[Check]:
    """The report's lines, in the order in which an analyst reads them."""
    mass, center, inertia = mass_properties(body)
    principal = np.linalg.eigvalsh(inertia)
    real = principal[0] > -1e-6 * principal[2] and principal[0] + principal[1] >= principal[2] * (1.0 - 1e-6)
    rows = [
        Check("mass", f"{mass:.6g} kg", mass > 0.0),
        Check("mass centre from the root", _vector(center, "m")),
        Check("principal inertia about it", _vector(principal, "kg m²"), bool(real)),
        Check("inertia about the root", _vector(np.diag(body.integrals.inertia), "kg m²")),
    ]
    rows += [_stated(key, value, mass, np.diag(inertia)) for key, value in body.stated.items()]
    whole = mass_matrix(body.integrals, np.zeros(body.count))
    size = np.sqrt(np.maximum(np.diag(whole), 1e-300))
    lowest = float(np.linalg.eigvalsh(whole / np.outer(size, size))[0])
    rows.append(Check("least eigenvalue of the scaled mass matrix", f"{lowest:.2g}", lowest > -1e-9))
    total = effective_masses(body).sum(axis=0)
    rows.append(
        Check(
            "effective mass of all modes",
            "  ".join(f"{100 * share:.1f} %" for share in total),
            bool(np.all(total < 1.001)),
        )
    )
    if not body.distributed:
        first = 2.0 * np.pi * body.frequencies[0]
        rows.append(
            Check(
                "loads of spin on the modes",
                f"not known: the file has no displacements of its masses; at a rate ω the error is of the order (ω/Ω₁)², Ω₁ = {first:.4g} rad/s",
                False,
            )
        )
    if body.residual:
        frequency = body.frequencies[-body.residual :]
        rows.append(
            Check(
                "static shapes",
                f"{body.residual}, at {frequency.min():.4g} to {frequency.max():.4g} Hz, damping ratio {damping_ratios(body)[-1]:.3g}",
            )
        )
    return rows + [Check("note", note) for note in body.notes]


def _stated(key: str, value, mass: float, inertia) -> Check:
    """The file's own statements, compared with computed values."""
    if key == "grounding":
        return Check("rigid motion strains nothing: |K R| / |K||R|", f"{value:.2g}", value < 1e-5)
    if key == "orthogonality":
        return Check("coupling of modes before they were made orthogonal", f"{value:.2g}", value < 0.01)
    if key == "mass":
        return Check("mass that the program states", f"{value:.6g} kg", abs(value - mass) <= 1e-3 * mass)
    if key == "inertia":
        missed = np.abs(value - inertia).max() / max(inertia.max(), 1e-300)
        return Check(
            "inertia about the mass centre that the program states", _vector(value, "kg m²"), bool(missed <= 0.01)
        )
    return Check(key, f"{value:.3g}" if isinstance(value, float) else str(value))


def _vector(values, unit: str) -> str:
    return (
        ", ".join(f"{0.0 if abs(v) < 1e-12 * max(np.abs(values).max(), 1e-300) else v:.6g}" for v in values)
        + f" {unit}"
    )


def report(name: str, body: ModalBody) -> str:
    """The checks and the modes as text, for the documentation of an FMU."""
    axes = ("x", "y", "z", "about x", "about y", "about z")
    lines = [f"Body {name} comes from {body.source}: {len(body.names)} nodes, {body.count} modes."]
    lines += [f"{row.name}: {row.value}{' (look at this)' if row.good is False else ''}." for row in checks(body)]
    for mode in modes(body):
        felt = ", ".join(
            f"{axis} {100 * share:.1f} %" for axis, share in zip(axes, mode.shares, strict=True) if share >= 0.001
        )
        lines.append(
            f"Mode {mode.number}{' (static shape)' * mode.static}: {mode.frequency:.6g} Hz, damping ratio {mode.damping:.3g}; "
            f"share of mass and of inertia about the root: {felt or 'below 0.1 %'}."
        )
    return "\n\n".join(lines)
