"""Slosh as pieces: balances while the tank drains, the frozen limit, frequencies of the handbook, and the same slosh written out as bodies and joints."""

import numpy as np
import pytest

from spacefmu.dynamics.algebra.dual import duals, rates_of
from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.spacecraft.motion import Dynamics
from spacefmu.dynamics.system import evaluate
from spacefmu.dynamics.system.reference import integrate
from spacefmu.dynamics.tree.composite import composite_equations
from spacefmu.fmu_src.native.trace.fast import fast

CRAFT = """
name = "Slosher"
[bodies.hub]
mass = 300.0
inertia = [60.0, 62.0, 55.0]
{hub}
[tanks.main]
body = "hub"
place = [0.1, 0.0, -0.3]
{shape}
outlet = "-z"
capacity = 400.0
propellant = {propellant}
{slosh}
"""
THRUSTER = """
[thrusters.main]
body = "hub"
place = [0.05, 0.0, -1.2]
direction = "z"
tank = "main"
isp = 300.0
"""
CYLINDER, SPHERE = 'kind = "cylinder"\nradius = 0.4\nlength = 1.0', 'kind = "sphere"\nradius = 0.45'
SLOSH = "slosh = {{ modes = {modes}, damping = {damping}, acceleration = 1.0, surface_tension = {tension}, position = [0.05, -0.02] }}"


def craft(
    shape=CYLINDER,
    propellant=240.0,
    modes=2,
    damping=0.01,
    tension=0.03,
    hub="initial = { angular_velocity = [0.2, 0.3, 0.1] }",
    more=THRUSTER,
    slosh=SLOSH,
):
    slosh = slosh.format(modes=modes, damping=damping, tension=tension)
    return load_text(CRAFT.format(shape=shape, propellant=propellant, slosh=slosh, hub=hub) + more)


@pytest.mark.parametrize(("shape", "propellant"), [(CYLINDER, 240.0), (SPHERE, 370.0), (SPHERE, 80.0)])
def test_balances_while_the_tank_drains(shape, propellant):
    """At any state: craft plus exhaust keep their momenta, and energies and losses add up, also where mass joins the slosh (a sphere at 370 kg)."""
    balanced(craft(shape, propellant))


def balanced(system):
    u = np.array([900.0])
    names = [entry.name for entry in system.signals.states]
    x, _, k, d = evaluate.start(system, u=u)
    states = system.signals.layouts["states"]
    noise = 0.1 * np.random.default_rng(3).normal(size=x.size)
    for part in ("coordinates", "speeds"):
        x[states[part]] += noise[states[part]]
    none = np.zeros(0)
    x_dot = evaluate.motion(system, 0.0, x, u, k, d)[0]
    y_dot = rates_of(system.motion.finish(0.0, duals(x, x_dot), u, k, d, none, none, none)[1])
    rate = {entry.name: y_dot[i] for i, entry in enumerate(system.signals.outputs)}
    own = dict(zip(names, x_dot, strict=True))
    for i in (1, 2, 3):
        assert abs(rate[f"propulsion.momentum[{i}]"]) < 1e-12 * 900.0
        assert abs(rate[f"propulsion.angular_momentum[{i}]"]) < 1e-12 * 900.0
    gained = rate["system.kinetic_energy"] + rate["system.potential_energy"] + own["system.dissipated_energy"]
    supplied = own["propulsion.supplied_energy"]
    assert gained + own["propulsion.exhaust_energy"] - supplied == pytest.approx(0.0, abs=1e-13 * supplied)
    assert own["system.dissipated_energy"] > 0.0


@pytest.mark.parametrize("shape", [CYLINDER, SPHERE])
def test_frozen_slosh_is_a_rigid_body(shape):
    """With slosh masses that hang still the mass matrix of all that moves with the hub is that of the tank without slosh, to round-off."""

    def rigid(system):
        craft = system.made_by[1]
        dynamics = Dynamics(craft, system.signals)
        x, u, k, d = evaluate.start(system)
        hanging = dynamics.split(x)[0].copy()
        hanging[7:] = 0.0
        x[system.signals.layouts["states"]["coordinates"]] = hanging
        bodies, _ = dynamics.placed(0.0, x, u, k, d)
        still = [np.zeros(6) for _ in bodies]
        return composite_equations(dynamics.tree, bodies, still)[0][:6, :6]

    sloshing, frozen = rigid(craft(shape)), rigid(craft(shape, slosh=""))
    assert sloshing == pytest.approx(frozen, rel=1e-14, abs=1e-12)


HELD = '[joints.held]\nparent = "space"\nchild = "hub"\nkind = "fixed"\n[environment]\ngravity = "uniform"\nacceleration = [0.0, 0.0, {g}]\n'


def frequencies(g, tension, fill, slosh=SLOSH):
    """Of both modes [rad/s], from the linear equations of a tank on the ground."""
    text = HELD.format(g=-g) if g else HELD.split("[environment")[0]
    system = craft(propellant=400.0 * fill, damping=0.0, tension=tension, hub="", more=text, slosh=slosh)
    x, u, k, d = evaluate.start(system)
    x[system.signals.layouts["states"]["coordinates"]] = 0.0
    n = 4
    J = np.column_stack([(evaluate.motion(system, 0.0, x + h, u, k, d)[0] - evaluate.motion(system, 0.0, x - h, u, k, d)[0])[n : 2 * n] / 2e-6 for h in 1e-6 * np.eye(x.size)[:n]])  # fmt: skip
    return np.sqrt(np.sort(np.linalg.eigvalsh(-J)))[::2]


@pytest.mark.parametrize("fill", [0.1, 0.5, 0.9])
@pytest.mark.parametrize(("g", "tension"), [(9.81, 0.0), (0.0, 0.07), (0.02, 0.07)])
def test_frequencies_of_the_handbook(g, tension, fill):
    """SP-106: ω² = (g ξ/R + ξ³σ/(ρR³)) tanh(ξh/R), with and without felt acceleration, and both."""
    R, rho = 0.4, 400.0 / (np.pi * 0.4**2)
    expected = [
        np.sqrt((g * xi / R + xi**3 * tension / (rho * R**3)) * np.tanh(xi * fill / R))
        for xi in (1.841183781, 5.331442774)
    ]
    assert frequencies(g, tension, fill) == pytest.approx(expected, rel=1e-3)


PUSH = '[thrusters.side]\nbody = "hub"\nplace = [0.0, 0.0, 0.1]\ndirection = [1.0, 0.2, 2.0]\n'


def rest_of_a_tank(fixed) -> str:
    """A description that begins with the craft's hub, and the rest of the liquid as a rigid body of these integrals."""
    c = fixed.first / fixed.mass
    J = fixed.inertia - fixed.mass * (c @ c * np.eye(3) - np.outer(c, c))
    return f"""
name = "Written"
[bodies.hub]
mass = 300.0
inertia = [60.0, 62.0, 55.0]
initial = {{ angular_velocity = [0.2, 0.3, 0.1] }}
[bodies.rest]
mass = {float(fixed.mass)!r}
mass_center = {[float(v) for v in c]}
inertia = {[float(v) for v in np.diag(J)]}
[joints.weld]
parent = "hub"
child = "rest"
kind = "fixed"
place = [0.1, 0.0, -0.3]"""


def test_the_same_slosh_written_out_as_bodies_and_joints():
    """A point mass on a universal joint at the hinge, and the rest as a rigid body: the same motion of the hub, with large angles."""
    pieces = craft(modes=1, damping=0.0, tension=0.0, more=PUSH, slosh=SLOSH.replace("[0.05, -0.02]", "[0.0, 0.0]"))
    _, _, mass = (link.body for link in pieces.made_by[1].tree.links)
    x, u, k, d = evaluate.start(pieces)
    dynamics = Dynamics(pieces.made_by[1], pieces.signals)
    bodies, _ = dynamics.placed(0.0, x, u, k, d)
    fixed, bob = bodies[1].integrals, bodies[2].integrals
    rest, L = bob.first / bob.mass, 1.0 / mass.mode.bend.value(0.6)
    place = np.array([0.1, 0.0, -0.3])
    text = f"""{rest_of_a_tank(fixed)}
[bodies.bob]
mass = {float(bob.mass)!r}
mass_center = [0.0, 0.0, {float(-L)!r}]
inertia = [0.0, 0.0, 0.0]
[joints.hinge]
parent = "hub"
child = "bob"
kind = "universal"
axes = ["x", "y"]
place = {[float(v) for v in place + rest + [0.0, 0.0, L]]}
initial = {{ rate = [-0.2, -0.3] }}
""" + PUSH  # fmt: skip
    # the pendulum that does not turn with the hub's own rates would swing: both start with their masses at rest in the tank
    written = load_text(text.replace("rate = [-0.2, -0.3]", "rate = [0.0, 0.0]"))
    force = 400.0
    runs = []
    for system in (pieces, written):
        values = np.array(system.signals.starts("inputs"))
        values[system.signals.where("inputs", "thruster.side.force")] = force
        run = integrate(fast(system), [0.0, 1.0, 3.0], u=values)
        runs.append(
            np.column_stack(
                [
                    run.x[:, system.signals.where("states", f"hub.{name}")]
                    for name in ("velocity", "angular_velocity", "quaternion")
                ]
            )
        )
        if system is pieces:
            swing = np.abs(run.x[:, system.signals.where("states", "tank.main.slosh[1].position")]).max()
    assert swing > 0.2 * L
    assert runs[0] == pytest.approx(runs[1], abs=1e-9)


def test_a_burn_with_slosh_keeps_all_balances():
    """A sphere from 92 % down to a tenth, with slosh that is excited: momenta to 1e-10 of the engine's impulse, energy to 1e-11 of the supplied."""
    system = fast(craft(SPHERE, 370.0, modes=1, more=THRUSTER))
    run = integrate(system, np.linspace(0.0, 25.0, 6), u=np.array([40000.0]), rtol=1e-12, atol=1e-12)

    def found(group, values, name):
        return values[:, system.signals.where(group, name)]

    assert found("states", run.x, "tank.main.propellant")[-1] < 45.0
    for name in ("momentum", "angular_momentum"):
        size = 1e6 + np.abs(found("states", run.x, f"propulsion.exhaust_{name}")).max()
        assert np.ptp(found("outputs", run.y, f"propulsion.{name}"), axis=0).max() < 1e-10 * size
    stored = found("outputs", run.y, "system.kinetic_energy") + found("outputs", run.y, "system.potential_energy")
    stored = (
        stored
        + found("states", run.x, "propulsion.exhaust_energy")
        + found("states", run.x, "system.dissipated_energy")
    )
    supplied = found("states", run.x, "propulsion.supplied_energy")
    assert np.ptp(stored - supplied) < 1e-11 * supplied[-1]


@pytest.mark.parametrize(
    ("shape", "slosh", "sentence"),
    [
        ('kind = "ellipsoid"\nsemi_axes = [0.5, 0.4, 0.3]', SLOSH, "round about an outlet"),
        (CYLINDER, "slosh = {{ modes = 1 }}", "needs either damping or viscosity"),
        (SPHERE, "slosh = {{ viscosity = 1e-6, acceleration = 1.0 }}", "for cylinders only"),
        (CYLINDER, "slosh = {{ viscosity = 1e-6 }}", "the correlation of damping needs it"),
        (CYLINDER, "slosh = {{ modes = 7, damping = 0.01 }}", "tanks.main.slosh.modes"),
        (CYLINDER, 'slosh = {{ kind = "spring", damping = 0.01 }}', "slosh.acceleration is missing: the stiffness of springs"),
    ],
)  # fmt: skip
def test_wrong_slosh_is_refused_by_name(shape, slosh, sentence):
    with pytest.raises(DescriptionError, match=sentence):
        craft(shape, slosh=slosh)


def test_damping_as_printed():
    """Mikishev and Dorozhkin: in a deep cylinder ζ = 0.79 √(ν/√(gR³)); the slosh decays by it."""
    system = craft(
        propellant=390.0,
        modes=1,
        tension=0.0,
        hub="",
        more=HELD.format(g=-1.0),
        slosh="slosh = {{ viscosity = 1e-4, acceleration = 1.0, position = [0.01, 0.0] }}",
    )
    run = integrate(fast(system), np.linspace(0.0, 60.0, 1201))
    q = run.x[:, system.signals.where("states", "tank.main.slosh[1].position[1]")]
    peaks = q[1:-1][(q[1:-1] > q[:-2]) & (q[1:-1] > q[2:])]
    decrement = np.log(peaks[0] / peaks[-1]) / (len(peaks) - 1)
    assert decrement == pytest.approx(2.0 * np.pi * 0.79 * np.sqrt(1e-4 / np.sqrt(0.4**3)), rel=0.05)


def test_a_burn_is_felt_without_switching():
    """Linear equations about a burning state of a heavy craft: ω² = a/L + ω_c² with a = F/m, which no equation was told."""
    F, M = 5e7, 1e8
    text = CRAFT.format(
        shape=CYLINDER, propellant=200.0, slosh=SLOSH.format(modes=1, damping=0.0, tension=0.07), hub=""
    )
    text = text.replace("mass = 300.0", f"mass = {M}").replace("[60.0, 62.0, 55.0]", f"[{M}, {M}, {M}]")
    system = load_text(
        text + THRUSTER.replace("isp = 300.0", "exhaust_velocity = 1e9").replace("0.05, 0.0, -1.2", "0.0, 0.0, -1.2")
    )
    u = np.array([F])
    x, _, k, d = evaluate.start(system, u=u)
    names = [entry.name for entry in system.signals.states]
    q, v = (names.index(f"tank.main.slosh[1].{word}[1]") for word in ("position", "velocity"))
    x[[q, q + 1]] = 0.0
    up, down = (evaluate.motion(system, 0.0, x + h * np.eye(x.size)[q], u, k, d)[0][v] for h in (1e-4, -1e-4))
    xi, R, rho = 1.841183781, 0.4, 400.0 / (np.pi * 0.4**2)
    expected = (F / M * xi / R + xi**3 * 0.07 / (rho * R**3)) * np.tanh(xi * 0.5 / R)
    assert (down - up) / 2e-4 == pytest.approx(expected, rel=1e-3)


def test_fills_that_only_a_host_can_set():
    """Empty, full, and more than full, which is a full tank with more mass: rates are finite and no slosh mass is negative."""
    system = craft(SPHERE, 240.0, modes=1)
    names = [entry.name for entry in system.signals.outputs]
    for propellant in (-1e-7, 0.0, 400.0, 400.0 + 1e-7, 500.0):
        x = np.array(system.signals.starts("states"))
        x[system.signals.where("states", "tank.main.propellant")] = propellant
        x, u, k, d = evaluate.start(system, x=x)
        x_dot, y, _ = evaluate.motion(system, 0.0, x, u, k, d)
        assert np.all(np.isfinite(x_dot))
        assert y[names.index("tank.main.slosh[1].mass")] > 0.0
        assert y[names.index("tank.main.mass")] > -1e-2
