"""Control-moment gyros against the same machine as bodies and joints, the textbook's equations, closed forms and balances."""

import numpy as np
import pytest

from spacefmu.dynamics.description import DescriptionError
from spacefmu.dynamics.system import evaluate
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.native.trace.fast import fast

from .crafts import GYRO, HUB, SECOND, craft

WITH_MASS = ("gimbal_damping = 0.01", "gimbal_damping = 0.01\nmass = 5.0\nmass_center = [0.008, 0.01, -0.006]")
# the same gyro: a gimbal of 2 kg and a rotor of 3 kg, whose centre is on the spin axis, 0.01 m from the place
WRITTEN_OUT = """
[bodies.gimbal]
mass = 2.0
mass_center = {gimbal_center}
inertia = {gimbal_inertia}
[joints.pivot]
parent = "hub"
child = "gimbal"
kind = "revolute"
place = [0.1, 0.2, 0.3]
axis = [0.6, 0.0, 0.8]
damping = 0.01
drive = "torque"
initial = {{ position = 0.4, rate = 0.3 }}
[bodies.rotor]
mass = 3.0
inertia = {rotor_inertia}
[joints.spin]
parent = "gimbal"
child = "rotor"
kind = "revolute"
place = [0.008, 0.0, -0.006]
axis = [0.8, 0.0, -0.6]
damping = 1e-4
drive = "torque"
initial = {{ rate = 200.0 }}
"""
S, T, G = np.array([0.8, 0.0, -0.6]), np.array([0.0, 1.0, 0.0]), np.array([0.6, 0.0, 0.8])


def along(spin, across, gimbal):
    return spin * np.outer(S, S) + across * np.outer(T, T) + gimbal * np.outer(G, G)


def spread(mass, place):
    return mass * (place @ place * np.eye(3) - np.outer(place, place))


def states(system, run):
    return {entry.name: run.x[:, i] for i, entry in enumerate(system.signals.states)}


def outputs(system, x, u, t=0.0):
    """Outputs by name at a state."""
    k = evaluate.constants(system, np.array(system.signals.starts("parameters")))
    y = evaluate.motion(system, t, x, u, k, np.array(system.signals.starts("discretes")))[1]
    return dict(zip((entry.name for entry in system.signals.outputs), y, strict=True))


def values(found, name, count=3):
    return np.array([found[f"{name}[{i + 1}]"] for i in range(count)])


def rates(system, u):
    x, _, p, d = evaluate.start(system)
    return evaluate.motion(system, 0.0, x, np.asarray(u, float), evaluate.constants(system, p), d)[0]


def test_the_same_gyro_as_bodies_and_joints():
    """A rotor of mass off the gimbal axis, with torques on both: the same motion to 1e-10 over 2 s at 200 rad/s, the same torque on the hub."""
    rotor = 0.01 * S
    center = (5.0 * np.array([0.008, 0.01, -0.006]) - 3.0 * rotor) / 2.0
    whole, middle = along(0.03, 0.02 + 0.06, 0.025 + 0.06), np.array([0.008, 0.01, -0.006])
    # parallel axes: what the gyro's keys say of both together, less the rotor where it is
    gimbal = whole - along(0.0, 0.06, 0.06) - spread(3.0, rotor - middle) - spread(2.0, center - middle)
    out = WRITTEN_OUT.format(
        gimbal_center=center.tolist(), gimbal_inertia=gimbal.tolist(), rotor_inertia=along(0.1, 0.06, 0.06).tolist()
    )
    piece, bodies = fast(craft(HUB, GYRO, a=WITH_MASS)), fast(craft(HUB, out))
    runs = [
        integrate(each, [0.0, 0.5, 2.0], u=np.array([0.7, -0.4]), rtol=1e-13, atol=1e-13) for each in (piece, bodies)
    ]
    found, expected = (states(each, run) for each, run in zip((piece, bodies), runs, strict=True))
    for name, other in (
        ("gyro.a.gimbal.angle", "pivot.angle"),
        ("gyro.a.gimbal.rate", "pivot.rate"),
        ("gyro.a.rotor.speed", "spin.rate"),
    ):
        assert found[name] == pytest.approx(expected[other], rel=1e-10)
    for name in (name for name in found if name.startswith(("hub.", "system."))):
        assert found[name] == pytest.approx(expected[name], rel=1e-10, abs=1e-10)
    assert rates(piece, [0.7, -0.4])[-2:] == pytest.approx(rates(bodies, [0.7, -0.4])[-2:], rel=1e-12)


def textbook(omega, inertia, gyros):
    """ω̇ (3,), γ̈ and Ω̇ of a rigid body with balanced gyros: Schaub and Junkins, Analytical Mechanics of Space Systems, section 4.6.

    gyros: (g_s, g_t, g_g at the angle, J_s, J_t, J_g of gimbal and rotor together, I_Ws of the rotor, γ̇, Ω, u_g, u_s).
    """
    n = len(gyros)
    A, b = np.zeros((3 + 2 * n, 3 + 2 * n)), np.zeros(3 + 2 * n)
    A[:3, :3] = inertia + sum(
        js * np.outer(s, s) + jt * np.outer(t, t) + jg * np.outer(g, g) for s, t, g, js, jt, jg, *_ in gyros
    )
    b[:3] = -np.cross(omega, A[:3, :3] @ omega)
    for i, (s, t, g, js, jt, jg, iws, rate, speed, u_g, u_s) in enumerate(gyros):
        ws, wt, wg = s @ omega, t @ omega, g @ omega
        c, w = 3 + 2 * i, 4 + 2 * i
        b[:3] -= s * (js * rate * wt - (jt - jg) * wt * rate)
        b[:3] -= t * ((js * ws + iws * speed) * rate - (jt + jg) * ws * rate + iws * speed * wg) - g * (
            iws * speed * wt
        )
        A[:3, c], A[:3, w] = jg * g, iws * s
        A[c, :3], A[c, c] = jg * g, jg
        b[c] = u_g + (js - jt) * ws * wt + iws * speed * wt
        A[w, :3], A[w, w] = iws * s, iws
        b[w] = u_s - iws * rate * wt
    return np.linalg.solve(A, b)


def test_equations_of_the_textbook():
    """Two balanced gyros of variable speed on a rigid body: accelerations to 1e-12."""
    changes = {"a": ("damping = 1e-4\ngimbal_damping = 0.01", ""), "b": ("mass_center = [0.02, -0.01, 0.05]", "")}
    found = rates(craft(HUB, GYRO, SECOND, **changes), [0.7, -0.4, -0.3, 0.9])
    omega, inertia = np.array([0.1, 0.2, 0.3]), np.array([[20.0, 0.3, -0.2], [0.3, 22.0, 0.4], [-0.2, 0.4, 25.0]])
    c, s = np.cos(0.4), np.sin(0.4)
    first = (c * S + s * T, c * T - s * S, G, 0.13, 0.08, 0.085, 0.1, 0.3, 200.0, 0.7, -0.4)
    x, y, z = np.eye(3)
    second = (x, -z, y, 0.10, 0.06, 0.06, 0.08, -0.2, -150.0, -0.3, 0.9)
    expected = textbook(omega, inertia, [first, second])
    names = [entry.name for entry in craft(HUB, GYRO, SECOND).signals.states]
    place = [names.index(f"hub.angular_velocity[{i}]") for i in (1, 2, 3)]
    place += [names.index(f"gyro.{n}.{word}") for n in "ab" for word in ("gimbal.rate", "rotor.speed")]
    assert found[place] == pytest.approx(expected, rel=1e-12)


def test_torque_of_a_held_gyro_in_closed_form():
    """On a body that is held to space, at the rate γ̇: torque on the host −γ̇ g×h, h = J Ω s(γ); the gimbal's drive gives none, nor the rotor's."""
    held = """
[joints.root]
parent = "space"
child = "hub"
kind = "fixed"
"""
    system = craft(HUB, GYRO, held, a=('rotor = "torque"', 'rotor = "held"\ndrive = "acceleration"'), b=("initial = { angular_velocity = [0.1, 0.2, 0.3], velocity = [1.0, 0.0, 0.0] }", ""),
        c=("damping = 1e-4\ngimbal_damping = 0.01", ""))  # fmt: skip
    x, *_ = evaluate.start(system)
    for angle, rate in ((0.0, 0.3), (0.7, -2.0), (4.0, 0.01)):
        names = [entry.name for entry in system.signals.states]
        x[names.index("gyro.a.gimbal.angle")], x[names.index("gyro.a.gimbal.rate")] = angle, rate
        found = outputs(system, x, np.zeros(1))
        h = 20.0 * (np.cos(angle) * S + np.sin(angle) * T)
        assert values(found, "gyro.a.momentum") == pytest.approx(h, rel=1e-14, abs=1e-13)
        assert values(found, "gyro.a.torque") == pytest.approx(-rate * np.cross(G, h), abs=1e-12)
        assert found["gyro.a.gimbal.drive_torque"] == pytest.approx(0.0, abs=1e-12)
        assert found["gyro.a.rotor.drive_torque"] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"a": WITH_MASS},
        {"a": ('rotor = "torque"\ndamping', 'rotor = "torque"\nimbalance = 2e-3\ndamping')},
        {
            "a": (
                'rotor = "torque"',
                'drive = "rate"\nservo_frequency = 2.0\nrate_limit = 0.5\nacceleration_limit = 1.5',
            )
        },
        {"a": ('rotor = "torque"', 'torque_limit = 0.5\nrate_limit = 1.0\nrotor = "torque"\nrotor_torque_limit = 0.2')},
    ],
    ids=["plain", "mass off the axes", "imbalance", "servo", "motors"],
)
def test_momentum_and_energy(more):
    """A free craft with driven gyros: momentum and angular momentum constant, energy = work − losses, to 1e-10 of their size."""
    system = fast(craft(HUB, GYRO, SECOND, **more))
    u = np.array([0.7, -0.4, -0.3, 0.9])[: len(system.signals.inputs)]
    run = integrate(system, [0.0, 1.0, 3.0], u=u, rtol=1e-13, atol=1e-13)
    first, *later = (
        outputs(system, x, u) | {e.name: v for e, v in zip(system.signals.states, x, strict=True)} for x in run.x
    )
    for found in later:
        for name in ("system.momentum", "system.angular_momentum"):
            before = values(first, name)
            assert values(found, name) == pytest.approx(before, abs=1e-10 * np.linalg.norm(before))
        balance = found["system.kinetic_energy"] - found["system.work"] + found["system.dissipated_energy"]
        assert balance == pytest.approx(first["system.kinetic_energy"], rel=1e-11)
        assert found["system.work"] != 0.0


def test_power_of_the_drives():
    """Input power = drive torque × rate of gimbal and rotor, whether the drive is a torque or keeps a speed."""
    for change in ('rotor = "torque"', 'rotor = "held"', 'drive = "acceleration"'):
        system = craft(HUB, GYRO, a=('rotor = "torque"', change))
        u = np.array([0.7, -0.4])[: len(system.signals.inputs)]
        x, *_ = evaluate.start(system)
        found = outputs(system, x, u)
        power = found["gyro.a.gimbal.drive_torque"] * 0.3 + found["gyro.a.rotor.drive_torque"] * 200.0
        names = [entry.name for entry in system.signals.states]
        assert rates(system, u)[names.index("system.work")] == pytest.approx(power, rel=1e-11)


def test_limits():
    """A rate command beyond the limits: the gimbal accelerates with the largest acceleration, then turns at the largest rate; torque is cut and fades."""
    servo = fast(
        craft(
            HUB,
            GYRO,
            a=('rotor = "torque"', 'drive = "rate"\nservo_frequency = 5.0\nrate_limit = 0.5\nacceleration_limit = 0.2'),
        )
    )
    names = [entry.name for entry in servo.signals.states]
    place = names.index("gyro.a.gimbal.rate")
    run = integrate(servo, [0.0, 0.5, 6.0], u=np.array([9.0]), rtol=1e-10, atol=1e-12)
    assert run.x[:, place] == pytest.approx([0.3, 0.3 + 0.5 * 0.2, 0.5], abs=1e-8)
    motor = craft(HUB, GYRO, a=('rotor = "torque"', "torque_limit = 0.5\nrate_limit = 0.5"))
    x, *_ = evaluate.start(motor)
    assert outputs(motor, x, np.array([9.0]))["gyro.a.gimbal.applied_torque"] == 0.5
    x[place] = 0.495
    assert outputs(motor, x, np.array([9.0]))["gyro.a.gimbal.applied_torque"] == pytest.approx(0.25)
    assert outputs(motor, x, np.array([-9.0]))["gyro.a.gimbal.applied_torque"] == -0.5


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("spin_axis = [0.8, 0.0, -0.6]", 'spin_axis = "x"', r"gyros.a.spin_axis is .* expected a direction at a right angle to gimbal_axis = \[0.6, 0.0, 0.8\]"),
        ("[0.03, 0.02, 0.025]", "[0.3, 0.02, 0.025]", "gyros.a.gimbal_inertia is .* expected moments of a real body: none larger than the sum of the other two"),
        ("transverse_inertia = 0.06", "transverse_inertia = 0.04", "gyros.a.transverse_inertia is 0.04, expected at least half of spin_inertia = 0.1"),
        ('rotor = "torque"', 'drive = "rate"', "gyros.a.servo_frequency is missing: a rate command goes through a servo"),
        ('rotor = "torque"', "acceleration_limit = 1.0", "gyros.a.acceleration_limit belongs to drive = 'rate' or 'acceleration', not to 'torque'"),
        ('rotor = "torque"', "speed_limit = 900.0", 'gyros.a.speed_limit belongs to rotor = "torque"'),
        ("spin_inertia = 0.1", "spin_inertia = 0.0", "gyros.a.spin_inertia is 0.0, expected"),
        ('body = "hub"', 'body = "hob"', "gyros.a.body names the body 'hob', which does not exist"),
    ],
)  # fmt: skip
def test_bad_input(old, new, sentence):
    with pytest.raises(DescriptionError, match=sentence):
        craft(HUB, GYRO, a=(old, new))


def test_natural_coordinates():
    """Balanced gyros have the tree's accelerations there, with their drives; an unbalanced one is refused by name."""
    natural = ('name = "Gyros"', 'name = "Gyros"\nformulation = "natural"')
    for drive in ("", 'drive = "rate"\nservo_frequency = 2.0\n'):
        more = {"b": ("gimbal_damping = 0.01", f"gimbal_damping = 0.01\n{drive}")}
        u = np.array([0.7, -0.4, -0.3, 0.9])
        tree, other = craft(HUB, GYRO, SECOND, **more), craft(HUB, GYRO, SECOND, a=natural, **more)
        found, expected = (
            {entry.name: rate for entry, rate in zip(each.signals.states, rates(each, u), strict=True)}
            for each in (other, tree)
        )
        for name in (
            "gyro.a.gimbal.rate",
            "gyro.b.gimbal.rate",
            "gyro.a.rotor.speed",
            "gyro.b.rotor.speed",
            "system.work",
        ):
            assert found[name] == pytest.approx(expected[name], rel=1e-10)
        shown = [outputs(each, evaluate.start(each)[0], u) for each in (other, tree)]
        assert values(shown[0], "gyro.a.torque") == pytest.approx(values(shown[1], "gyro.a.torque"), rel=1e-10)
    with pytest.raises(DescriptionError, match=r"gyro\.a\.rotor is an unbalanced wheel"):
        craft(HUB, GYRO, a=natural, b=('rotor = "torque"', 'rotor = "torque"\nimbalance = 1e-4'))


def test_parameters_that_are_changed_act_as_if_they_had_been_written():
    """Rates with another rotor, gimbal, damping and host, set as parameters, are those of the craft that has them in its description."""
    written = craft(HUB, GYRO, SECOND, a=("spin_inertia = 0.1\n", "spin_inertia = 0.12\n"), b=("gimbal_damping = 0.01", "gimbal_damping = 0.02"),
        c=("[0.03, 0.02, 0.025]", "[0.04, 0.03, 0.02]"), d=("mass = 100.0", "mass = 90.0"))  # fmt: skip
    changed = craft(HUB, GYRO, SECOND)
    p = np.array(changed.signals.starts("parameters"))
    names = [entry.name for entry in changed.signals.parameters]
    given = {"gyro.a.rotor.spin_inertia": 0.12, "gyro.a.gimbal.damping": 0.02, "hub.mass": 90.0}
    given |= {f"gyro.a.gimbal.inertia[{i + 1}]": value for i, value in enumerate((0.04, 0.03, 0.02))}
    for name, value in given.items():
        p[names.index(name)] = value
    x, u, k, d = evaluate.start(changed, p=p)
    u[:] = 0.1
    found = evaluate.motion(changed, 0.0, x, u, k, d)[0]
    assert found == pytest.approx(rates(written, u), rel=1e-13, abs=1e-13)
    assert np.abs(found - rates(changed, u)).max() > 1e-3
