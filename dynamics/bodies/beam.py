"""A uniform cantilever beam along a body axis: analytical modes and their integrals.

Euler–Bernoulli bending in two planes, torsion and axial motion, clamped at the origin, with an optional rigid
tip body. Frequencies from the transcendental equations below (roots to round-off), integrals by Gauss–Legendre
quadrature of the exact shapes, with the foreshortening that stiffens a spinning beam. A section is a lamina with the inertia
diag(I_y + I_z, I_y, I_z) that turns with the torsion; with the bending slopes it does not turn, as Euler–Bernoulli theory neglects this inertia. The tip body
turns with all of them. Textbook values: tests/papers/test_beam.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from .body import FlexibleBody, Node, Nodes
from .heated import BeamModeShape, Heated, heated_kinds, mixed, port, section_loads, static_shapes_of_sections
from .integrals import Integrals, integrals_of_points
from .properties import BESIDE, Beam
from .static_shapes import beside_modes

GRID = np.linspace(0.0, 1.0, 4001)
POINTS = 64  # Gauss–Legendre points along the beam: exact to round-off for the first dozen modes, more for more modes


def _roots(function, count: int, step: float) -> list[float]:
    """The first `count` positive roots: bracketed by a scan, halved down to neighbouring numbers."""
    roots: list[float] = []
    left = 1e-3
    value = function(left)
    while len(roots) < count:
        right = left + step
        next_value = function(right)
        if value * next_value < 0.0:
            low, high = left, right
            while low < (middle := 0.5 * (low + high)) < high:
                low, high = (middle, high) if value * function(middle) > 0.0 else (low, middle)
            roots.append(high)
        left, value = right, next_value
    return roots


def bending_roots(count: int, mass_ratio: float = 0.0, inertia_ratio: float = 0.0) -> list[float]:
    """β = kL of a cantilever with tip mass m and inertia J: M = m/(ρL), I = J/(ρL³).

    (1 + cos ch) + βM(cos sh − sin ch) − β³I(cos sh + sin ch) + β⁴MI(1 − cos ch) = 0, divided by ch β⁴ growth.
    With M = I = 0 the textbook 1.8751, 4.6941, 7.8548, …
    """

    def equation(beta):
        c, s, t, sech = np.cos(beta), np.sin(beta), np.tanh(beta), 1.0 / np.cosh(beta)
        m, i = beta * mass_ratio, beta**3 * inertia_ratio
        return ((sech + c) + m * (c * t - s) - i * (c * t + s) + m * i * (sech - c)) / ((1.0 + m) * (1.0 + i))

    return _roots(equation, count, 0.05)


def bending_shape(beta: float, inertia_ratio: float, s):
    """Shape w(s) and slope dw/ds (s = x/L) of the root β: w = A[cosh − cos] + B[sinh − sin], largest value 1."""
    w, slope = _unscaled_bending(beta, inertia_ratio, np.asarray(s, float))
    scale = _largest_bending(beta, inertia_ratio)
    return w / scale, slope / scale


@cache
def _largest_bending(beta: float, inertia_ratio: float) -> float:
    return _largest(_unscaled_bending(beta, inertia_ratio, GRID)[0])


def _unscaled_bending(beta: float, inertia_ratio: float, s):
    """The same without the scale.

    r = B/A follows from the tip moment, w''(1) = β⁴I w'(1). cosh and sinh are written as decaying exponentials,
    ½[(1+r)e^{βs} + (1−r)e^{−βs}] e^{−β}, with the tiny 1 + r free of cancellation: high modes keep their digits.
    """
    i = beta**3 * inertia_ratio
    fall_1, cos_1, sin_1 = np.exp(-beta), np.cos(beta), np.sin(beta)
    square = fall_1 * fall_1
    row_a = 0.5 * (1.0 + square) + fall_1 * cos_1 - i * (0.5 * (1.0 - square) + fall_1 * sin_1)
    row_b = 0.5 * (1.0 - square) + fall_1 * sin_1 - i * (0.5 * (1.0 + square) - fall_1 * cos_1)
    ratio = -row_a / row_b
    one_plus_ratio = (-square + fall_1 * (sin_1 - cos_1) - i * (square - fall_1 * (cos_1 + sin_1))) / row_b
    growing = 0.5 * one_plus_ratio * np.exp(beta * (s - 1.0))
    falling = 0.5 * (1.0 - ratio) * np.exp(-beta * (s + 1.0))
    cos, sin = fall_1 * np.cos(beta * s), fall_1 * np.sin(beta * s)
    return growing + falling - cos - ratio * sin, beta * (growing - falling + sin - ratio * cos)


def _largest(values):
    """The entry of largest size, with its sign; the tip's where it is the largest, as in a plain cantilever."""
    from_tip = values[::-1]
    return from_tip[np.argmax(np.abs(from_tip))]


def rod_roots(count: int, tip_ratio: float = 0.0) -> list[float]:
    """β of torsion or axial motion with a tip inertia: cos β = β R sin β; R = 0: (n − ½)π."""
    return _roots(lambda b: (np.cos(b) - b * tip_ratio * np.sin(b)) / (1.0 + b * tip_ratio), count, 0.05)


def beam_body(
    name: str,
    beam: Beam,
    modes: dict[str, int],
    damping: float,
    stations: dict[str, float],
    axes=None,
    stiffening: bool = True,
    heated: Heated | None = None,
) -> FlexibleBody:
    """A FlexibleBody of the first modes of each kind: modes = {"bending_y": 2, "torsion": 1, …}.

    `stations` names nodes by x/L; `axes` (3, 3) has the beam's x, y, z in body axes as columns (default: the same).
    Modes are ordered by frequency; the largest value of a shape is 1 (m/m, or rad for torsion): at the tip, if there is no tip body.
    `stiffening`: with the second-order displacement that stiffens a spinning beam.
    `heated`: with temperatures of its sections, and behind the modes their static shapes.
    """
    length = beam.length
    axes = np.eye(3) if axes is None else np.asarray(axes, float)
    bounds = np.array([0.0, 1.0]) if heated is None else heated.bounds
    points = _Points.of(beam, max(POINTS, 6 * max(modes.values(), default=0)), bounds)
    table = sorted(
        (row for kind, count in modes.items() for row in _modes_of(kind, count, beam)), key=lambda row: row.frequency
    )
    if heated is not None and heated.static_shapes:
        table += _static_shapes(table, heated_kinds(heated, modes), beam, bounds, points)
    second = _foreshortening(table, points.s, length, axes, bounds) if stiffening else None
    integrals = _orthogonal(points.integrals(table, axes, second))

    def node_at_station(node: str, station: float) -> Node:
        shapes = [row.at(np.array([station])) for row in table]
        return Node(
            node,
            axes[:, 0] * station * length,
            np.array([axes @ shape[0][0] for shape in shapes]).reshape(-1, 3).T,
            np.array([axes @ shape[1][0] for shape in shapes]).reshape(-1, 3).T,
            _foreshortening(table, [station], length, axes, bounds)[:, :, 0] if stiffening else None,
        )

    def node_at(position) -> Node | None:
        x, *across = axes.T @ position / length
        on_axis = np.hypot(*across) <= BESIDE and -BESIDE <= x <= 1.0 + BESIDE
        return node_at_station("place", float(np.clip(x, 0.0, 1.0))) if on_axis else None

    def near(points):
        stations = np.clip(points @ axes[:, 0] / length, 0.0, 1.0)
        shapes = np.array([row.at(stations) for row in table]).reshape(-1, 2, len(points), 3) @ axes.T
        return np.outer(length * stations, axes[:, 0]), shapes[:, 0], shapes[:, 1]

    nodes = {node: node_at_station(node, station) for node, station in stations.items()}
    anywhere = Nodes(nodes, node_at, f"on its axis, from the root to {length:g} m", near)
    body = FlexibleBody(
        name, integrals, np.array([row.frequency for row in table]), np.full(len(table), damping), anywhere
    )
    body = replace(body, stiffening=stiffening)
    if heated is None:
        return body
    kinds = heated_kinds(heated, modes)
    loads = np.split(section_loads(table, kinds, beam, bounds), len(kinds), axis=1)
    by_axis = {kind.removeprefix("bending_").removeprefix("axial"): F for kind, F in zip(kinds, loads, strict=True)}
    sections = [node_at_station(f"section[{i}]", middle) for i, middle in enumerate(heated.middles, 1)]
    return replace(body, thermal=port(body, heated, by_axis, sections, axes))


@dataclass(frozen=True)
class _Points:
    """Gauss–Legendre points along the beam, and the tip body as the last: s = x/L, masses [kg], inertias (…, 3, 3) in beam axes."""

    s: np.ndarray
    mass: np.ndarray
    inertia: np.ndarray
    length: float

    @classmethod
    def of(cls, beam: Beam, count: int, bounds) -> _Points:
        s, weights = _quadrature(count, bounds)
        section = np.diag([beam.polar_inertia, *beam.section_inertia])
        inertia = np.append(np.multiply.outer(weights * beam.length, section), [np.diag(beam.tip_inertia)], axis=0)
        mass = np.append(weights * beam.line_density * beam.length, beam.tip_mass)
        return cls(np.append(s, 1.0), mass, inertia, beam.length)

    def integrals(self, table, axes, second=None) -> Integrals:
        at = [row.at(self.s) for row in table]
        phi = np.array([phi for phi, _ in at]).reshape(-1, len(self.s), 3) @ axes.T
        psi = np.array([psi for _, psi in at]).reshape(-1, len(self.s), 3)
        psi[:, :-1, 1:] = 0.0  # sections turn with the torsion only, the tip body with the slopes too
        rho = np.outer(self.s * self.length, axes[:, 0])
        return integrals_of_points(rho, self.mass, phi, axes @ self.inertia @ axes.T, psi @ axes.T, second)


@cache
def _gauss(count: int):
    """Gauss' points and weights on (−1, 1); cached, because they need an eigenvalue problem and pictures use hundreds of nodes."""
    return np.polynomial.legendre.leggauss(count)


def _quadrature(count: int, bounds):
    """Points and weights on (bounds[0], bounds[-1]), about `count` of them, none across a bound: static shapes have kinks there."""
    parts = len(bounds) - 1
    points, weights = _gauss(count if parts == 1 else count // parts + 12)
    half, middle = 0.5 * np.diff(bounds), 0.5 * (bounds[1:] + bounds[:-1])
    return np.add.outer(middle, np.zeros_like(points)).ravel() + np.outer(half, points).ravel(), np.outer(
        half, weights
    ).ravel()


def _static_shapes(table, kinds, beam: Beam, bounds, points: _Points) -> list[BeamModeShape]:
    """Appends static shapes of the sections to the modes of the table: without their components along the modes, orthogonal to these and to each other."""
    modes = len(table)
    shapes = [*table, *static_shapes_of_sections(kinds, beam.length, bounds)]
    mass = points.integrals(shapes, np.eye(3)).modal_mass
    stiffness = np.zeros_like(mass)
    stiffness[:modes, :modes] = np.diag(
        np.diag(mass)[:modes] * (2.0 * np.pi * np.array([row.frequency for row in table])) ** 2
    )
    stiffness[:, modes:] = section_loads(shapes, kinds, beam, bounds)
    stiffness[modes:, :modes] = stiffness[:modes, modes:].T
    square, mixtures = beside_modes(stiffness, mass, modes)
    return mixed(shapes, mixtures, square, GRID)


def _foreshortening(table, stations, length: float, axes, bounds=(0.0, 1.0)):
    """H_μk(s) = −x ∫₀ˢ (v'_μ v'_k + w'_μ w'_k) dx, (N, N, stations, 3) [1/m]: the axis of a bent beam keeps its length.

    A bending slope is the turn about the other axis, so the sum of products is that of the turns across the beam.
    """
    rules = [
        _quadrature(POINTS, np.array([bounds[0], *(b for b in bounds[1:] if b < station), station]))
        for station in stations
    ]
    ends = np.cumsum([len(points) for points, _ in rules])[:-1]
    slopes = np.array([row.at(np.concatenate([points for points, _ in rules]))[1][:, 1:] for row in table])
    parts = np.split(slopes.reshape(len(table), -1, 2), ends, axis=1)
    drawn = [
        np.einsum("mqi,q,nqi->mn", psi, length * weights, psi, optimize=True)
        for psi, (_, weights) in zip(parts, rules, strict=True)
    ]
    return np.einsum("pmn,i->mnpi", -np.array(drawn), axes[:, 0])


def _orthogonal(integrals: Integrals) -> Integrals:
    """Analytical modes are orthogonal; off-diagonal quadrature errors (≈1e-16) are set to zero."""
    return replace(integrals, modal_mass=np.diag(np.diag(integrals.modal_mass)))


def _modes_of(kind: str, count: int, beam: Beam):
    """(frequency [Hz], s → (φ, ψ)) of the first modes of one kind."""
    length, density = beam.length, beam.line_density
    mass = density * length
    if kind in ("bending_y", "bending_z"):
        sideways, about, sign = (1, 2, 1.0) if kind == "bending_y" else (2, 1, -1.0)
        stiffness = beam.bending_y if kind == "bending_y" else beam.bending_z
        m, i = beam.tip_mass / mass, beam.tip_inertia[about] / (mass * length**2)
        scale = np.sqrt(stiffness / (density * length**4)) / (2.0 * np.pi)

        def shape(beta):
            def at(s):
                w, slope = bending_shape(beta, i, s)
                phi, psi = np.zeros((len(w), 3)), np.zeros((len(w), 3))
                phi[:, sideways], psi[:, about] = w, sign * slope / length
                return phi, psi

            return at

        return [BeamModeShape(beta**2 * scale, shape(beta)) for beta in bending_roots(count, m, i)]
    if kind == "torsion":
        tip = beam.tip_inertia[0] / (beam.polar_inertia * length)
        scale = np.sqrt(beam.torsion / (beam.polar_inertia * length**2)) / (2.0 * np.pi)
    else:  # axial
        tip = beam.tip_mass / mass
        scale = np.sqrt(beam.axial / (density * length**2)) / (2.0 * np.pi)

    def rod_shape(beta):
        largest = _largest(np.sin(beta * GRID))

        def at(s):
            moved = np.zeros((len(s), 3))
            moved[:, 0] = np.sin(beta * np.asarray(s)) / largest
            still = np.zeros_like(moved)
            return (still, moved) if kind == "torsion" else (moved, still)

        return at

    return [BeamModeShape(beta * scale, rod_shape(beta)) for beta in rod_roots(count, tip)]
