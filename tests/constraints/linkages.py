"""Linkages that pass change points, each with a second way to its motion: a closed form, or relations between angles, whose rows never lose rank."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

GRAVITY = 9.81
BODY = """
[bodies.{name}]
mass = {mass}
mass_center = {center}
inertia = {inertia}
nodes = {nodes}
"""
HINGE = """
[joints.{name}]
parent = "{parent}"
child = "{child}"
kind = "revolute"
axis = {axis}
place = {place}
initial = {{ position = {angle}, rate = {rate} }}
"""
UNIFORM = f'[environment]\ngravity = "uniform"\nacceleration = [0.0, -{GRAVITY}, 0.0]\n'
NATURAL = 'formulation = "natural"\n'


def rod(name: str, length: float = 1.0, mass: float = 1.0) -> str:
    """Thin, along x."""
    inertia = mass * length**2 / 12.0
    center, nodes = [0.5 * length, 0.0, 0.0], f"{{ end = [{length}, 0.0, 0.0] }}"
    return BODY.format(name=name, mass=mass, center=center, inertia=[0.0, inertia, inertia], nodes=nodes)


def hinge(name: str, parent: str, child: str, place, angle: float, rate: float, axis='"z"') -> str:
    place = [float(p) for p in place]
    return HINGE.format(
        name=name, parent=parent, child=child, place=place, angle=float(angle), rate=float(rate), axis=axis
    )


def close(name: str, a: str, b: str, kind: str = "spherical", more: str = "") -> str:
    return f'\n[couplings.{name}]\nkind = "{kind}"\na = "{a}"\nb = "{b}"\n{more}'


def parallelograms(
    count: int,
    rate: float,
    angle: float = np.pi / 2,
    parent: str = "space",
    at=(0.0, 0.0, 0.0),
    name: str = "",
    related: bool = False,
) -> str:
    """`count` of them side by side on a parent, of thin rods of 1 m and 1 kg. related: by relations, so that all cranks turn alike and no top rod does."""
    text = ""
    for i in range(count + 1):
        crank, place = f"{name}crank{i}", np.add(at, [i, 0.0, 0.0])
        text += rod(crank) + hinge(f"{name}pivot{i}", parent, crank, place, angle, rate)
    for i in range(count):
        top, pivot, knee = f"{name}top{i}", f"{name}pivot{i}", f"{name}knee{i}"
        text += rod(top) + hinge(knee, f"{name}crank{i}", top, [1.0, 0.0, 0.0], -angle, -rate)
        if related:
            text += f"\n[relations.{name}level{i}]\nterms = {{ {pivot} = 1.0, {knee} = 1.0 }}\n"
            text += f"\n[relations.{name}alike{i}]\nterms = {{ {pivot} = 1.0, {name}pivot{i + 1} = -1.0 }}\n"
        else:
            text += close(f"{name}close{i}", f"{top}.end", f"{name}crank{i + 1}.end")
    return text


def swing(count: int, angle: float, rate: float, stop: float):
    """Angle and rate of the parallelograms' cranks at a time."""
    pull = ((count + 1) / 2.0 + count) / ((count + 1) / 3.0 + count) * GRAVITY
    found = solve_ivp(
        lambda t, y: [y[1], -pull * np.cos(y[0])], (0.0, stop), [angle, rate], "DOP853", rtol=1e-13, atol=1e-13
    )
    return found.y[:, -1]


def unequal(rate: float, angle: float = 1.0) -> str:
    """Frame 1.5 m, crank 1 m, coupler 2 m, rocker 1.5 m, all of 1 kg: 1 + 2 = 1.5 + 1.5, so all rods lie in one line once in a turn of the crank."""
    (knee, rocker), (knee_rate, rocker_rate) = _unequal_angles(angle), slope(_unequal_angles, angle) * rate
    text = rod("crank") + hinge("pivot", "space", "crank", [0, 0, 0], angle, rate)
    text += rod("coupler", 2.0) + hinge("knee", "crank", "coupler", [1, 0, 0], knee - angle, knee_rate - rate)
    text += rod("rocker", 1.5) + hinge("far", "space", "rocker", [1.5, 0, 0], rocker, rocker_rate)
    return text + close("closure", "coupler.end", "rocker.end")


def _unequal_angles(angle):
    """Directions of coupler and rocker by the crank's, any analytic argument. The height of the knee above the line of crank's end and far pivot is
    signed by sin(θ/2), so that it goes smoothly through zero at θ = 0."""
    a, b, c, g = 1.0, 2.0, 1.5, 1.5
    square = a * a + g * g - 2.0 * a * g * np.cos(angle)
    along = (b * b - c * c + square) / 2.0
    across = (
        np.sqrt(a * g) * np.sin(angle / 2.0) * np.sqrt((b + c) ** 2 - square)
    )  # ((b + c)² − d²)(d² − (b − c)²) = 16 area²
    ex, ey = g - a * np.cos(angle), -a * np.sin(angle)
    x, y = (along * ex - across * ey) / square, (along * ey + across * ex) / square  # from the crank's end to the knee
    return np.array([arctan2(y, x), arctan2(y + a * np.sin(angle), x + a * np.cos(angle) - g)])


def arctan2(y, x):
    """Of numbers with a small imaginary part, which carries a slope."""
    return (
        np.arctan2(y.real, x.real) + 1j * (y.imag * x.real - x.imag * y.real) / (x.real**2 + y.real**2)
        if np.iscomplexobj(x)
        else np.arctan2(y, x)
    )


def slope(function, at, small=1e-30):
    return np.asarray(function(at + 1j * small)).imag / small


def unequal_angle(rate: float, stop: float, angle: float = 1.0) -> float:
    """Of the crank, which never rests, at a time: ½ m(θ) θ̇² + V(θ) is constant."""

    def mass_and_potential(theta):
        (knee, rocker), (knee_rate, rocker_rate) = _unequal_angles(theta), slope(_unequal_angles, theta)
        center = [
            np.cos(theta) + np.cos(knee) * knee_rate,
            np.sin(theta) + np.sin(knee) * knee_rate,
        ]  # speed of the coupler's middle
        mass = 1.0 / 3.0 + np.dot(center, center) + knee_rate**2 / 3.0 + 0.75 * rocker_rate**2
        return mass, GRAVITY * (1.5 * np.sin(theta) + np.sin(knee) + 0.75 * np.sin(rocker))

    mass, potential = mass_and_potential(angle)
    energy = 0.5 * mass * rate**2 + potential

    def speed(_, theta):
        mass, potential = mass_and_potential(theta[0])
        return [np.sign(rate) * np.sqrt(2.0 * (energy - potential) / mass)]

    return float(solve_ivp(speed, (0.0, stop), [angle], "DOP853", rtol=1e-13, atol=1e-13).y[0, -1])


SECTORS = np.radians(
    [70.0, 100.0, 110.0, 80.0]
)  # opposite ones make 180°: four panels about a vertex fold flat, as Miura's do


def vertex(angle: float, rate: float, mode: int, parent: str = "space", related: bool = False) -> str:
    """Three panels hinged in a ring to a fourth, the parent, along creases through one vertex; flat, all creases lie in one plane and two ways to fold meet.

    There tan(ρ₁/2) = c tan(ρ₂/2), ρ₃ = ∓ρ₁, ρ₄ = ±ρ₂, as the product of the four rotations shows; angle, rate: of ρ₂. related: by these conditions in the place of the fourth hinge.
    """
    a, b = SECTORS[:2]
    sign, ratio = [
        (-1.0, np.sin((a - b) / 2.0) / np.sin((a + b) / 2.0)),
        (1.0, -np.cos((a - b) / 2.0) / np.cos((a + b) / 2.0)),
    ][mode]
    first = 2.0 * np.arctan(ratio * np.tan(angle / 2.0))
    first_rate = ratio * rate * np.cos(first / 2.0) ** 2 / np.cos(angle / 2.0) ** 2
    creases, text = np.concatenate([[0.0], np.cumsum(SECTORS)]), ""
    folds = [(first, first_rate), (angle, rate), (sign * first, sign * first_rate)]
    for i, (fold, speed) in enumerate(folds):
        middle = 0.5 * (creases[i] + creases[i + 1])
        center = [0.5 * np.cos(middle), 0.5 * np.sin(middle), 0.0]
        text += BODY.format(
            name=f"panel{i}", mass=1.0 + i, center=[float(c) for c in center], inertia=[0.02, 0.03, 0.05], nodes="{}"
        )
        axis = [float(np.cos(creases[i])), float(np.sin(creases[i])), 0.0]
        text += hinge(f"crease{i}", f"panel{i - 1}" if i else parent, f"panel{i}", [0, 0, 0], fold, speed, axis)
    last = [float(np.cos(creases[3])), float(np.sin(creases[3])), 0.0]
    if not related:
        return text + close("ring", parent, "panel2", "revolute", f"axis = {last}\n")
    text += f"\n[relations.opposite]\nterms = {{ crease0 = {sign}, crease2 = -1.0 }}\n"
    return (
        text
        + f'\n[conditions.beside]\nposition = "sin(crease0.angle/2)*cos(crease1.angle/2) - ({ratio})*cos(crease0.angle/2)*sin(crease1.angle/2)"\n'
    )
