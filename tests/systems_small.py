"""Small Systems with known solutions: together they use everything of the contract that an FMU has to serve."""

from __future__ import annotations

import numpy as np

from spacefmu.dynamics.algebra.scalar import both, where
from spacefmu.dynamics.system.contract import About, Projection, Staged, System
from spacefmu.dynamics.system.signals import Signal, SignalTable


def _plain(function):
    """A Staged without a solve, from a function of (t, x, u, k, d) alone."""
    return Staged(lambda t, x, u, k, d, z, multipliers, carry: function(t, x, u, k, d))


# Oscillator: x'' = u - w^2 x. Closed form; a quadrature, a tunable parameter, feedthrough, two laws.

OSCILLATOR = System(
    name="Oscillator",
    about=About(
        "a mass on a spring, driven by a force per mass", experiment={"stop": 10.0, "step": 0.1, "tolerance": 1e-9}
    ),
    signals=SignalTable(
        states=(
            Signal("position", "displacement", "m", 1.0, derivative="velocity"),
            Signal("velocity", "rate", "m/s", 0.0, derivative="acceleration", derivative_unit="m/s2"),
            Signal(
                "work",
                "work of the force per mass",
                "m2/s2",
                derivative="power",
                derivative_unit="m2/s3",
                quadrature=True,
            ),
        ),
        inputs=(Signal("force", "force per mass", "m/s2"), Signal("locked", "an idle switch", kind="boolean")),
        parameters=(
            Signal("frequency", "angular frequency", "rad/s", 2.0, tunable=True, max=1e4),
            Signal("mass", "kinetic energy is stated for this mass", "kg", 3.0),
        ),
        outputs=(
            Signal("energy", "kinetic and potential", "J"),
            Signal("sum", "feedthrough and time", "m"),
            Signal("right", "is it on the right", kind="boolean"),
        ),
    ),
    motion=_plain(
        lambda t, x, u, k, d: (
            np.array([x[1], u[0] - k[0] * x[0], u[0] * x[1]]),
            np.array([0.5 * k[1] * (x[1] ** 2 + k[0] * x[0] ** 2), x[0] + u[0] + t, where(x[0] > 0.0, 1.0, 0.0)]),
            np.zeros(0),
        )
    ),
    derive=lambda p: np.array([p[0] ** 2, p[1]]),
    constant_count=2,
    check=lambda p: np.array([p[0], p[1]]),
    laws=(
        "frequency must be positive",
        "mass must be positive, 100 % of it (law #2)",
    ),  # signs that hosts read as formats
)


# Ball: falls on a floor, bounces with restitution. Indicator, jump of the state, discrete state.


def _ball_motion(t, x, u, k, d):
    # the second indicator is idle: it must not disturb
    return np.array([x[1], -k[0]]), np.array([0.5 * x[1] ** 2 + k[0] * x[0]]), np.array([x[0], 2.0 + np.sin(t)])


def _ball_update(t, x, u, k, d, g, z, multipliers, carry):
    hit = both(g[0] <= 0.0, x[1] < 0.0)
    return np.array([where(hit, 1e-15, x[0]), where(hit, -k[1] * x[1], x[1])]), np.array([where(hit, d[0] + 1.0, d[0])])


BALL = System(
    name="Ball",
    about=About("falls and bounces", experiment={"stop": 2.0, "step": 0.1, "tolerance": 1e-10}),
    signals=SignalTable(
        states=(
            Signal("height", "above the floor", "m", 1.0, derivative="speed", reinit=True),
            Signal("speed", "upwards", "m/s", 0.0, derivative="der(speed)", derivative_unit="m/s2", reinit=True),
        ),
        parameters=(
            Signal("gravity", "downwards", "m/s2", 9.81),
            Signal("restitution", "of the floor", "1", 0.8, min=0.0, max=1.0),
        ),
        discretes=(Signal("bounces", "so far", kind="integer"),),
        outputs=(Signal("energy", "per mass", "m2/s2"),),
    ),
    motion=_plain(_ball_motion),
    indicator_count=2,
    update=Staged(_ball_update),
)


# Sampler: integrates its input at fixed instants. Time events, a discrete real state, no continuous states.


def _sampler_update(t, x, u, k, d, g, z, multipliers, carry):
    due = t >= d[1] - 1e-9 * k[0]
    return x, np.array([where(due, d[0] + k[0] * u[0], d[0]), where(due, d[1] + k[0], d[1])])


SAMPLER = System(
    name="Sampler",
    about=About("adds period times input at every multiple of the period"),
    signals=SignalTable(
        inputs=(Signal("input", "is sampled", "m/s"),),
        parameters=(Signal("period", "of sampling", "s", 0.25, min=1e-6),),
        discretes=(Signal("total", "the sum", "m"), Signal("next", "time of the next sample", "s", output=False)),
        outputs=(Signal("total_and_input", "feedthrough", "m"),),
    ),
    motion=_plain(lambda t, x, u, k, d: (np.zeros(0), np.array([d[0] + u[0]]), np.zeros(0))),
    next_time=lambda t, x, u, k, d: d[1],
    update=Staged(_sampler_update),
)


# Pendulum in Cartesian coordinates: multipliers, a redundant row, an inactive row, projections, an assembled start.


def _pendulum_matrices(x, k):
    mass, zero = k[0], 0.0 * k[0]
    M = np.array([[mass, zero], [zero, mass]])
    row = [x[0], x[1]]
    return M, np.array([row, [2.0 * x[0], 2.0 * x[1]], [zero, zero]])


def _pendulum_assemble(t, x, u, k, d):
    M, G = _pendulum_matrices(x, k)
    centripetal = -(x[2] ** 2 + x[3] ** 2)
    return (
        M,
        G,
        np.array([u[0], -k[0] * k[2]]),
        np.array([centripetal, 2.0 * centripetal, 0.0]),
        np.array([centripetal]),
    )


def _pendulum_finish(t, x, u, k, d, z, multipliers, carry):
    energy = 0.5 * k[0] * (x[2] ** 2 + x[3] ** 2) + k[0] * k[2] * x[1]
    x_dot = np.array([x[2], x[3], z[0], z[1]])
    return x_dot, np.array([multipliers[0], multipliers[1], multipliers[2], energy, carry[0]]), np.zeros(0)


def _on_circle(t, x, u, k, d):
    M, G = _pendulum_matrices(x, k)
    off = 0.5 * (x[0] ** 2 + x[1] ** 2 - k[1] ** 2)
    return M, G, np.zeros(2), -np.array([off, 2.0 * off, 0.0]), np.zeros(0)


def _along_circle(t, x, u, k, d):
    M, G = _pendulum_matrices(x, k)
    off = x[0] * x[2] + x[1] * x[3]
    return M, G, np.zeros(2), -np.array([off, 2.0 * off, 0.0]), np.zeros(0)


PENDULUM = System(
    name="Pendulum",
    about=About(
        "a point mass on a massless rod, in Cartesian coordinates",
        experiment={"stop": 10.0, "step": 0.05, "tolerance": 1e-9},
    ),
    signals=SignalTable(
        states=(
            Signal("x", "sideways", "m", 0.6, derivative="vx"),
            Signal("y", "upwards", "m", -0.8, derivative="vy"),
            Signal("vx", "sideways", "m/s", 0.0, derivative="ax", derivative_unit="m/s2"),
            Signal("vy", "upwards", "m/s", 0.0, derivative="ay", derivative_unit="m/s2"),
        ),
        inputs=(Signal("force", "sideways", "N"),),
        parameters=(
            Signal("mass", "of the point", "kg", 2.0, tunable=True),
            Signal("length", "of the rod", "m", 1.0),
            Signal("gravity", "downwards", "m/s2", 9.81),
        ),
        outputs=(
            Signal("tension[1]", "of the rod, by its length: multiplier of row 1", "N/m"),
            Signal("tension[2]", "multiplier of the redundant row", "N/m"),
            Signal("tension[3]", "multiplier of the inactive row", "N/m"),
            Signal("energy", "kinetic and potential", "J"),
            Signal("centripetal", "minus speed squared", "m2/s2"),
        ),
    ),
    motion=Staged(_pendulum_finish, _pendulum_assemble, n=2, m=3, carry=1),
    check=lambda p: np.array([p[0], p[1]]),
    laws=("mass must be positive", "length must be positive"),
    projections=(
        Projection(
            "rod length", Staged(lambda t, x, u, k, d, z, *_: np.concatenate([x[:2] + z, x[2:]]), _on_circle, 2, 3)
        ),
        Projection(
            "rod rate", Staged(lambda t, x, u, k, d, z, *_: np.concatenate([x[:2], x[2:] + z]), _along_circle, 2, 3)
        ),
    ),
)


# Latch: two masses that lock together when they meet: a jump found by a solve of its own (momentum is kept).


def _latch_motion(t, x, u, k, d):
    return (
        np.array([x[2], x[3], where(d[0] > 0.5, 0.0, u[0]), 0.0 * x[0]]),
        np.array([k[0] * x[2] + k[1] * x[3]]),
        np.array([x[1] - x[0] + d[0]]),
    )


def _latch_assemble(t, x, u, k, d, g):
    meets = both(g[0] <= 0.0, d[0] < 0.5)
    M = np.array([[k[0], 0.0], [0.0, k[1]]])
    active = where(meets, 1.0, 0.0)
    return M, np.array([[-active, active]]), np.array([k[0] * x[2], k[1] * x[3]]), np.zeros(1), np.array([active])


def _latch_finish(t, x, u, k, d, g, z, multipliers, carry):
    meets = carry[0] > 0.5
    return np.array([x[0], x[1], where(meets, z[0], x[2]), where(meets, z[1], x[3])]), np.array(
        [where(meets, 1.0, d[0])]
    )


LATCH = System(
    name="Latch",
    about=About("two masses on a line that lock when they meet"),
    signals=SignalTable(
        states=(
            Signal("a", "left mass", "m", 0.0, derivative="va"),
            Signal("b", "right mass", "m", 1.0, derivative="vb"),
            Signal("va", "left", "m/s", 2.0, derivative="der(va)", derivative_unit="m/s2", reinit=True),
            Signal("vb", "right", "m/s", 0.0, derivative="der(vb)", derivative_unit="m/s2", reinit=True),
        ),
        inputs=(Signal("push", "acceleration of the left mass while free", "m/s2"),),
        parameters=(Signal("ma", "left mass", "kg", 1.0), Signal("mb", "right mass", "kg", 3.0)),
        discretes=(Signal("locked", "have they met", kind="boolean"),),
        outputs=(Signal("momentum", "of both", "kg.m/s"),),
    ),
    motion=_plain(_latch_motion),
    indicator_count=1,
    update=Staged(_latch_finish, _latch_assemble, n=2, m=1, carry=1),
)


# Relaxation: x' = -rate (x - cos t - u), stiff and driven by time: x - u = (rate^2 cos t + rate sin t) / (rate^2 + 1).

RELAXATION = System(
    name="Relaxation",
    about=About("follows a cosine, the closer the larger the rate"),
    signals=SignalTable(
        states=(Signal("value", "follows", "1", 1.0, derivative="der(value)", derivative_unit="1/s"),),
        inputs=(Signal("offset", "of what is followed", "1"),),
        parameters=(Signal("rate", "of relaxation", "1/s", 10.0, min=0.0),),
    ),
    motion=_plain(lambda t, x, u, k, d: (np.array([-k[0] * (x[0] - np.cos(t) - u[0])]), np.zeros(0), np.zeros(0))),
)


# Two clocks that break the contract's rules for events: a runtime must notice, and not hang.


def _clock(name, description, update, next_time=None):
    signals = SignalTable(
        states=(Signal("clock", "time", "s", derivative="der(clock)"),), discretes=(Signal("count", "of updates"),)
    )
    motion = Staged(lambda t, x, *_: (np.array([1.0]), np.zeros(0), np.array([x[0] - 0.5])))
    return System(
        name, About(description), signals, motion, indicator_count=1, update=Staged(update), next_time=next_time
    )


RESTLESS = _clock(
    "Restless",
    "from 0.5 s on every update changes something",
    lambda t, x, u, k, d, g, *_: (np.array([x[0]]), np.array([where(g[0] > 0.0, d[0] + 1.0, d[0])])),
)
STUCK = _clock(
    "Stuck",
    "from 0.25 s on the next time event is always now",
    lambda t, x, u, k, d, *_: (x, d),
    lambda t, x, u, k, d: where(t < 0.25, 0.25, t),
)

ALL = (OSCILLATOR, BALL, SAMPLER, PENDULUM, LATCH, RELAXATION)
