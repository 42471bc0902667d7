"""Small models that together meet all parts of the runtime: those that the sweeps are played with (sweeps.py)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from spacefmu.dynamics.algebra.scalar import both, where
from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.fuse import Fused, Part, fuse
from spacefmu.dynamics.system.contract import About, Projection, Staged, System
from spacefmu.dynamics.system.signals import Signal, SignalTable
from tests.constraints.linkages import UNIFORM, parallelograms
from tests.systems_small import BALL, PENDULUM


def _watch(t, x, u, k, d):
    return np.zeros(0), np.array([k[0] * d[0], where(d[0] < 1.5, 1.0, 0.0), 0.0]), np.array([0.13 * (d[0] + 1.0) - t])


def _watched(t, x, u, k, d, g, z, multipliers, carry):
    return x, np.array([where(g[0] <= 0.0, d[0] + 1.0, d[0]), where(g[0] <= 0.0, 3.0 - d[1], d[1])])


# No state, but an indicator: nothing moves, and something is watched. With `scale` below 0 its next time event never comes to pass.
WATCH = System(
    name="Watch",
    about=About("counts every 0.13 s"),
    signals=SignalTable(
        parameters=(Signal("scale", "its square is shown per count", "1", 1.0),),
        discretes=(
            Signal("count", "so far", kind="integer"),
            Signal("side", "even or odd", kind="enumeration", start=1, items=("even", "odd")),
        ),
        outputs=(
            Signal("shown", "the count", "1"),
            Signal("few", "so far", kind="boolean", notice="more than one was counted"),
            Signal("none", "never so", kind="boolean", notice="nothing is none"),
        ),
    ),
    motion=Staged(lambda t, x, u, k, d, z, multipliers, carry: _watch(t, x, u, k, d)),
    derive=lambda p: np.array([p[0] ** 2, p[0]]),
    constant_count=2,
    indicator_count=1,
    next_time=lambda t, x, u, k, d: where(k[1] < 0.0, t, 1e9 + 0.0 * t),
    update=Staged(_watched),
)


def _kicked(t, x, u, k, d, *_):
    due = both(t >= 0.1 - 1e-9, d[0] < 0.5)
    return np.array([where(due, 1.05 * value, value) for value in x]), np.array([where(due, 1.0, d[0])])


# A pendulum that an event takes off its circle, and a projection leads back to it.
KICKED = System(
    name="Kicked",
    about=About("a pendulum, longer for an instant"),
    signals=SignalTable(
        states=PENDULUM.signals.states,
        inputs=PENDULUM.signals.inputs,
        parameters=PENDULUM.signals.parameters,
        discretes=(Signal("kicks", "so far", kind="integer"),),
        outputs=PENDULUM.signals.outputs,
    ),
    motion=PENDULUM.motion,
    check=PENDULUM.check,
    laws=PENDULUM.laws,
    projections=PENDULUM.projections,
    next_time=lambda t, x, u, k, d: where(d[0] < 0.5, 0.1, 1e9),
    update=Staged(_kicked),
)


def _of_states(name: str, count: int, rates: Callable, indicators: Callable | None = None, **more) -> System:
    """x1, x2, …, from 0 on."""
    states = tuple(Signal(f"x{i}", "a state", "1", derivative=f"der(x{i})") for i in range(1, count + 1))
    watched = indicators or (lambda t, x: np.zeros(0))
    motion = Staged(lambda t, x, *_: (rates(t, x), np.zeros(0), watched(t, x)))
    return System(
        name,
        About("for its equations alone"),
        SignalTable(states=states),
        motion,
        indicator_count=int(indicators is not None),
        **more,
    )


# Its indicator has waves and its rate jumps, at other places as they are set: secants lead nowhere.
WAVY = System(
    name="Wavy",
    about=About("runs into an indicator that has waves"),
    signals=SignalTable(
        states=(Signal("x", "a state", "1", derivative="der(x)"),),
        parameters=tuple(Signal(name, f"parameter {name}", "1", value) for name, value in zip("abcsf", (0.5, 0.0, 1.0, 0.5, 3.0), strict=True)),
    ),
    motion=Staged(lambda t, x, u, k, d, *_: (np.array([where(x[0] < k[3], 1.0, k[4])]), np.zeros(0), np.array([k[0] - x[0] + k[1] * np.sin(k[2] * x[0])]))),
    indicator_count=1,
)  # fmt: skip


# Its indicator says when, and not how soon; its rate jumps there too.
JUMPY = _of_states("Jumpy", 1, lambda t, x: np.array([where(x[0] < 0.5, 1.0, 3.0)]), lambda t, x: np.array([where(x[0] < 0.5, 1.0, -1.0)]))  # fmt: skip
# x'' = cos t: at its height it touches what is watched, by less than a loose step errs
GRAZE = _of_states("Graze", 2, lambda t, x: np.array([x[1], np.cos(t)]), lambda t, x: np.array([2.0 + 1e-7 - x[0]]))
SLOW = replace(BALL, name="Slow", slow_indicators=True)
RESTING = fuse(Fused("AtFloor", (Part("ball", None, {"height": 0.0}),), (), {"stop": 1.0, "step": 0.1, "tolerance": 1e-8}), {"ball": BALL})  # fmt: skip


def _changing(t, x, *_):
    """ẋ = −r(t) (x − cos t) with r between 1 and 8100 /s, every π s, beside a vibration of 20 rad/s."""
    rate = np.exp(9.0 * np.cos(t) ** 2)
    return np.array([-rate * (x[0] - np.cos(t)), x[2], -400.0 * x[1]]), np.zeros(0), np.zeros(0)


# Stiff for a while, every now and then.
CHANGING = System(
    name="Changing",
    about=About("stiff for a while, every now and then"),
    signals=SignalTable(
        states=(
            Signal("value", "follows", "1", 0.5, derivative="der(value)"),
            Signal("place", "of a mass on a spring", "m", 1.0, derivative="der(place)"),
            Signal("speed", "of it", "m/s", 0.0, derivative="der(speed)"),
        ),
    ),
    motion=Staged(_changing),
)
# Its matrix of an implicit step overflows while it is factored.
STEEP = _of_states("Steep", 3, lambda t, x: 1.5e308 * np.array([[1, 1, 1], [1, -1, -1], [1, -1, -1]]) @ x)


def _onto(t, x, u, k, d):
    """x2 = x1 and √(1 + x1) = 1."""
    root = np.sqrt(1.0 + x[0])
    rows = np.array([[-1.0, 1.0], [0.5 / root, 0.0]])
    return np.eye(2), rows, np.zeros(2), np.array([x[0] - x[1], 1.0 - root]), np.zeros(0)


# The second of its rows is not a number where its first state is below -1.
TORN = _of_states("Torn", 2, lambda t, x: 0.0 * x, projections=(Projection("place", Staged(lambda t, x, u, k, d, z, *_: x + z, _onto, 2, 2)),))  # fmt: skip


def chain(carries: bool) -> System:
    """Heat along 16 places, of which the last may be carried off by one that nothing depends on; its Jacobian is found by directions, for it has a solve."""
    n = 16
    states = tuple(Signal(f"x{i}", "heat", "1", float(i == 1), derivative=f"der(x{i})") for i in range(1, n + 1))

    def rates(t, x, u, k, d, z, *_):
        moving = x[: n - carries]
        left, right = np.concatenate([[0.0], moving[:-1]]), np.concatenate([moving[1:], [0.0]])
        flow = left - 2.0 * moving + right
        return np.concatenate([flow, moving[-1:]] if carries else [flow]), np.zeros(0), np.zeros(0)

    def assemble(t, x, u, k, d):
        return np.eye(1), np.eye(1), np.zeros(1), np.zeros(1), np.zeros(0)

    return System(f"Chain{int(carries)}", About("heat along a chain"), SignalTable(states=states), Staged(rates, assemble, n=1, m=1))  # fmt: skip


def linkage(name: str, count: int, rate: float, angle: float, more: str = "") -> Callable[[], System]:
    return lambda: load_text(f'name = "{name}"\n{more}' + UNIFORM + parallelograms(count, rate, angle))


def beside(name: str, unit: System, **starts: float) -> System:
    """A parallelogram before its change point, 25 ms away, and a pendulum whose rows are its own, and another unit."""
    units = {"rod": PENDULUM, "bars": linkage("Bars", 1, -2.0, 0.05)(), "unit": unit}
    parts = (Part("rod", None), Part("bars", None), Part("unit", None, starts))
    return fuse(Fused(name, parts, (), {"stop": 1.0, "step": 0.1, "tolerance": 1e-8}), units)


def pair() -> System:
    """Two parallelograms."""
    text = parallelograms(1, -25.0, 0.5, name="a") + parallelograms(1, -1.0, 0.02, name="b", at=(0.0, 0.0, 1.0))
    return load_text('name = "Pair"\n' + UNIFORM + text)


def locking() -> System:
    """A parallelogram with a joint that can be locked."""
    bars = parallelograms(1, -2.0, 0.05).replace('child = "crank0"', 'child = "crank0"\nlock = true', 1)
    return load_text(f'name = "Locking"\n{UNIFORM}{bars}')


def opened() -> System:
    """A parallelogram that is opened after 12 ms."""
    bars = parallelograms(1, -2.0, 0.5).replace(
        'kind = "spherical"\n', 'kind = "spherical"\nrelease = { time = 0.012 }\n'
    )
    return load_text(f'name = "Opened"\n{UNIFORM}{bars}')


def _held_together(t, x, u, k, d):
    """Four pairs of masses, the second pushed: each pair keeps its relative speed, as long as they are held."""
    G = np.kron(np.eye(4), [[1.0, -1.0]])
    return np.diag([1.0, 2.0] * 4), where(u[0] > 0.5, 0.0, 1.0) * G, np.tile([0.0, 3.0], 4), np.zeros(4), np.zeros(0)


# Its solve is planned, and a switch lets all of its rows go.
HELD = System(
    name="Held",
    about=About("pairs of masses"),
    signals=SignalTable(
        states=tuple(Signal(f"v{i}", "a speed", "m/s", derivative=f"der(v{i})") for i in range(1, 9)),
        inputs=(Signal("free", "whether they are let go", kind="boolean"),),
    ),
    motion=Staged(lambda t, x, u, k, d, z, *_: (z, np.zeros(0), np.zeros(0)), _held_together, n=8, m=4),
)


# Of its masses one stays a parameter; the others are numbers.
FOLDED = """
name = "Folded"
[bodies.hub]
mass = 12.0
inertia = [2.0, 3.0, 4.0]
forces_at = ["frame"]
[parameters]
live = ["hub.mass"]
"""


def _apart_rates(t, x, u, k, d):
    """x0 goes on by 1 a second, and by what the parameters bring: roots that end, a noise that no step resolves, a stiffness; x1 stays 1."""
    wall, gone, noise, stiff, pull, _, seen, _ = k
    spike = np.sqrt((t - gone) ** 2 - 0.004**2)
    noisy = where(x[0] > 0.25, noise * np.sin(1e17 * t), 0.0)
    rate = 1.0 + 1e-30 * (np.sqrt(wall - x[0]) + spike) + noisy - stiff * (x[0] - np.sin(3.0 * t))
    return np.array([rate, pull * (1.0 + x[0])]), np.array([np.sqrt(seen - x[0])]), np.array([2.0 + np.sin(t)])


def _apart_to_one(t, x, u, k, d):
    return np.eye(1), np.eye(1), np.zeros(1), np.array([1.0 - x[1]]), np.zeros(0)


def _apart_update(t, x, u, k, d, g, z, multipliers, carry):
    return x, np.array([where(u[0] > 0.5, d[0] + 1.0, d[0])])


# What makes runs leave the vectors that they share, by a parameter each; without them nothing does (lanes.c).
APART = System(
    name="Apart",
    about=About("runs that do not go together"),
    signals=SignalTable(
        states=(
            Signal("x", "on its way", "1", derivative="der(x)"),
            Signal("y", "led back to 1", "1", 1.0, derivative="der(y)"),
        ),
        inputs=(Signal("restless", "above 0.5 events do not settle", "1"),),
        parameters=(
            Signal("wall", "beyond it x has no rate", "1", 1e9),
            Signal("gone", "at this time x has no rate", "s", -1e9),
            Signal("noise", "of the rate, above 0.25", "1/s"),
            Signal("stiff", "how fast x is led to a sine", "1/s"),
            Signal("pull", "on y", "1/s"),
            Signal("share", "of the way back that a projection goes at a time", "1", 1.0),
            Signal("seen", "beyond it there is no output", "1", 1e9),
            Signal("tuned", "its square is a constant", "1", 1.0, tunable=True),
        ),
        discretes=(Signal("events", "so far", kind="integer"),),
        outputs=(Signal("root", "of what is left", "1"),),
    ),
    motion=Staged(lambda t, x, u, k, d, *_: _apart_rates(t, x, u, k, d)),
    derive=lambda p: np.array([*p[:7], p[7] ** 2]),
    constant_count=8,
    indicator_count=1,
    update=Staged(_apart_update),
    projections=(
        Projection("y is 1", Staged(lambda t, x, u, k, *_: np.array([x[0], x[1] + k[5] * (1.0 - x[1])]), _apart_to_one, 1, 1)),
    ),
)  # fmt: skip
