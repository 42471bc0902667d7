"""Given paths: the inverse System keeps them, and its torques drive the forward System along them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from spacefmu.dynamics.algebra.rotation import quaternion_dcm
from spacefmu.dynamics.system.evaluate import motion, solved_motion, start
from spacefmu.fmu_src import api
from spacefmu.fmu_src.native.trace.fast import fast
from tests.cli.command import spacefmu
from tests.inverse.arms import LOOP, ON_LOOP, PLANAR, SPATIAL, at_start, output, run, with_inverse


def circle(system, radius=0.2, rate=0.3):
    """Formulas of a circle that starts at the gripper's place, in the plane of y and z, beginning at rest."""
    p = at_start(system, "forearm.gripper.position")
    turn = f"({rate}*time - {rate}*sin(time))" if rate < 0 else f"({rate}*(time - sin(time)))"
    return f"""
[inverse.paths.gripper]
node = "forearm.gripper"
formula = ["{p[0]:.17g} - 0.1*({radius}*sin{turn})", "{p[1]:.17g} + {radius}*sin{turn}", "{p[2]:.17g} + {radius}*(1 - cos{turn})"]
"""


def test_zero_momentum_holonomy_by_the_tree():
    """Joints round a loop turn the hub by −0.057937 rad and shift it: the tree's inverse problem and [liu1998]'s first-order equations agree."""
    still = {"angular_velocity = [0.0, 0.0, 0.02]": "angular_velocity = [0.0, 0.0, 0.0]"}
    system = with_inverse(
        PLANAR,
        LOOP,
        **still,
        **ON_LOOP,
    )
    found = run(system, 2.0 * np.pi)
    q = output(system, found, "hub.quaternion")[-1]
    assert 2.0 * np.arctan2(q[3], q[0]) == pytest.approx(-0.0579375, abs=2e-7)  # of the first-order equations
    moved = output(system, found, "hub.position")
    assert (moved[-1] - moved[0])[:2] == pytest.approx([-0.00716, 0.00348], abs=1e-5)
    assert np.max(np.abs(output(system, found, "system.momentum"))) < 1e-10
    assert np.max(np.abs(output(system, found, "system.angular_momentum"))) < 1e-10


@pytest.fixture(scope="module")
def following():
    plain = api.load(SPATIAL)
    return plain, with_inverse(SPATIAL, circle(plain), **{", rate = [0.05, 0.1]": "", ", rate = -0.1": ""})


def fused(forward, inverse, stop, torque_of):
    """The forward System fed with torques; its states over the run."""
    f, x0, u0, k, d = fast(forward), *start(forward)
    where = [forward.signals.where("inputs", name) for name in ("shoulder.torque", "elbow.torque")]
    where = np.concatenate([np.atleast_1d(w) for w in where])

    def rates(t, x):
        u = u0.copy()
        u[where] = torque_of(t)
        return motion(f, t, x, u, k, d)[0]

    return (
        f,
        solve_ivp(rates, (0.0, stop), x0, method="DOP853", rtol=1e-9, atol=1e-11, max_step=0.1).y[:, -1],
        (u0, k, d),
    )


@pytest.mark.parametrize("stop", [4.0, pytest.param(60.0, marks=pytest.mark.slow)])
def test_the_forward_system_follows(following, stop):
    """Both fused into one integration, up to 60 s: the gripper is where the path is, to 1e-7."""
    _, inverse = following
    forward = with_inverse(SPATIAL, "", **{", rate = [0.05, 0.1]": "", ", rate = -0.1": ""})
    both, ahead = fast(forward), fast(inverse)
    xf, uf, kf, df = start(forward)
    xi, ui, ki, di = start(inverse)
    drives = np.concatenate(
        [np.atleast_1d(forward.signals.where("inputs", n)) for n in ("shoulder.torque", "elbow.torque")]
    )
    torques = np.concatenate(
        [np.atleast_1d(inverse.signals.where("outputs", n)) for n in ("shoulder.torque", "elbow.torque")]
    )

    def rates(t, x):
        own, y, _ = motion(ahead, t, x[len(xf) :], ui, ki, di)
        u = uf.copy()
        u[drives] = y[torques]
        return np.concatenate([motion(both, t, x[: len(xf)], u, kf, df)[0], own])

    end = solve_ivp(rates, (0.0, stop), np.concatenate([xf, xi]), method="DOP853", rtol=1e-11, atol=1e-13).y[:, -1]
    y = motion(both, stop, end[: len(xf)], uf, kf, df)[1]
    wanted = motion(ahead, stop, end[len(xf) :], ui, ki, di)[1]
    here = y[forward.signals.where("outputs", "forearm.gripper.position")]
    there = wanted[inverse.signals.where("outputs", "forearm.gripper.position")]
    error = wanted[inverse.signals.where("outputs", "forearm.gripper.path.position_error")]
    assert np.max(np.abs(error)) < 1e-10
    assert np.max(np.abs(here - there)) < 1e-7


def test_fed_from_a_table_the_error_falls_with_its_order(following):
    """Torques at equal intervals, straight lines between them: halving the interval leaves a quarter of the error."""
    _, inverse = following
    forward = with_inverse(SPATIAL, "", **{", rate = [0.05, 0.1]": "", ", rate = -0.1": ""})
    stop, errors = 2.0, []
    exact = run(inverse, stop, 2)
    for points in (11, 21):
        sampled = run(inverse, stop, points)
        tau = np.column_stack([output(inverse, sampled, "shoulder.torque"), output(inverse, sampled, "elbow.torque")])
        f, end, (u, k, d) = fused(
            forward, inverse, stop, lambda t, s=sampled, tau=tau: [np.interp(t, s.time, column) for column in tau.T]
        )
        y = motion(f, stop, end, u, k, d)[1]
        there = output(inverse, exact, "forearm.gripper.position")[-1]
        errors.append(np.linalg.norm(y[forward.signals.where("outputs", "forearm.gripper.position")] - there))
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.25)


def test_torques_are_those_of_prescribed_motion():
    """Joint paths: the same motion prescribed by accelerations takes the same work; power of the drives balances the energy."""
    system = with_inverse(
        PLANAR,
        LOOP,
        **ON_LOOP,
    )
    found = run(system, 5.0, 6)
    energy = output(system, found, "system.kinetic_energy")
    work = output(system, found, "system.work")
    assert energy - work == pytest.approx(np.full(6, energy[0]), abs=1e-9)
    prescribed = with_inverse(
        PLANAR,
        "",
        **{
            'drive = "torque"                # input shoulder.torque': 'drive = "acceleration"',
            'drive = "torque"                # input elbow.torque': 'drive = "acceleration"',
            "position = 1.0, rate = 0.1": "position = 1.5, rate = 0.0",
            "position = -1.2, rate = -0.05": "position = 1.0, rate = 0.5",
        },
    )
    _, u, k, d = start(prescribed)
    x = start(system)[0]  # the same states: the hub takes up the momentum of the rates at the start
    u[prescribed.signals.where("inputs", "shoulder.angular_acceleration")] = -0.5
    rates, _, _ = motion(prescribed, 0.0, x, u, k, d)
    power = rates[prescribed.signals.where("states", "system.work")]
    y0 = motion(system, 0.0, *start(system))[1]
    tau = y0[[system.signals.where("outputs", n) for n in ("shoulder.torque", "elbow.torque")]]
    assert tau @ [0.0, 0.5] == pytest.approx(power, rel=1e-10)


def test_the_base_may_be_given_too():
    """Hub held still by forces and torques while the gripper follows its path: then the arm is one on the ground."""
    plain = api.load(SPATIAL)
    inverse = (
        circle(plain)
        + """
[inverse.paths.place]
node = "hub"
formula = [0, 0, 0]
[inverse.paths.axes]
node = "hub"
follows = "attitude"
formula = [0, 0, 0]
[inverse]
actuators = ["hub", "shoulder", "elbow"]
"""
    )
    system = with_inverse(SPATIAL, inverse, **{", rate = [0.05, 0.1]": "", ", rate = -0.1": ""})
    found = run(system, 6.0, 7)
    assert np.max(np.abs(output(system, found, "hub.position"))) < 1e-10
    assert np.max(np.abs(output(system, found, "forearm.gripper.path.position_error"))) < 1e-10
    force = output(system, found, "hub.required_force")
    momentum = output(system, found, "system.momentum")
    assert np.max(np.abs(force)) > 1e-3
    assert np.max(np.abs(output(system, found, "hub.angular_velocity"))) < 1e-10
    # the hub's force is what changes the momentum: compared by a fine difference at one instant
    x, u, k, d = found.x[3], *start(system)[1:]
    rates = motion(system, found.time[3], x, u, k, d)[0]
    step = 1e-5
    ends = [motion(system, found.time[3], x + s * step * rates, u, k, d)[1] for s in (-1.0, 1.0)]
    at = system.signals.where("outputs", "system.momentum")
    assert (ends[1][at] - ends[0][at]) / (2 * step) == pytest.approx(force[3], abs=1e-6)
    assert momentum.shape == (7, 3)


def test_the_base_follows_an_attitude():
    """Rotation vector θ(t) of the hub given: its quaternion is (cos |θ|/2, sin |θ|/2 θ/|θ|), and torques and forces on it follow."""
    turn = np.array([0.3, -0.5, 0.2])
    inverse = f"""
[inverse.paths.place]
node = "hub"
formula = ["0.1*(1 - cos(time))", 0, 0]
[inverse.paths.axes]
node = "hub"
follows = "attitude"
formula = {[f"{part}*(1 - cos(time))" for part in turn]}
[inverse.paths.first]
joint = "shoulder[1]"
formula = [0.4]
[inverse.paths.second]
joint = "shoulder[2]"
formula = ["-0.9 + 0.2*(1 - cos(time))"]
[inverse.paths.elbow]
joint = "elbow"
formula = [1.1]
[inverse]
actuators = ["hub", "shoulder", "elbow"]
"""
    system = with_inverse(SPATIAL, inverse, **{", rate = [0.05, 0.1]": "", ", rate = -0.1": ""})
    found = run(system, 5.0, 6)
    for t, q in zip(found.time, output(system, found, "hub.quaternion"), strict=True):
        theta = turn * (1.0 - np.cos(t))
        angle = np.linalg.norm(theta)
        expected = [np.cos(angle / 2), *(np.sin(angle / 2) * theta / max(angle, 1e-300))]
        assert q == pytest.approx(expected, abs=1e-9)
    spin = output(system, found, "system.angular_momentum")
    center, p = output(system, found, "system.mass_center"), output(system, found, "system.momentum")
    x, u, k, d = found.x[2], *start(system)[1:]
    rates = motion(system, found.time[2], x, u, k, d)[0]
    step, ends = 1e-5, []
    for sign in (-1.0, 1.0):
        y = motion(system, found.time[2] + sign * step, x + sign * step * rates, u, k, d)[1]
        about = [
            y[system.signals.where("outputs", f"system.{n}")] for n in ("angular_momentum", "mass_center", "momentum")
        ]
        ends.append(about[0] + np.cross(about[1], about[2]))
    force, torque = (output(system, found, f"hub.required_{what}")[2] for what in ("force", "torque"))
    from_hub = output(system, found, "hub.position")[2]
    dcm = quaternion_dcm(output(system, found, "hub.quaternion")[2])
    change = (ends[1] - ends[0]) / (2.0 * step)
    assert spin.shape == center.shape == p.shape
    assert np.max(np.abs(torque)) > 0.1
    assert change == pytest.approx(dcm @ torque + np.cross(from_hub, dcm @ force), abs=1e-6)
    fed_forward(system, found)


def fed_forward(system, found):
    """What the paths take, put into the inputs of the same names of the plain spacecraft, gives the same accelerations: same axes, same points. Found: 1.7e-14, of up to 3."""
    plain = with_inverse(SPATIAL, "", **{", rate = [0.05, 0.1]": "", ", rate = -0.1": ""})
    assert [s.name for s in plain.signals.states] == [s.name for s in system.signals.states]
    _, u, k, d = start(plain)
    forces = {"hub.force": "hub.required_force", "hub.torque": "hub.required_torque"}
    forces |= {name: name for name in ("shoulder.torque[1]", "shoulder.torque[2]", "elbow.torque")}
    for n, t in enumerate(found.time):
        for given, taken in forces.items():
            u[plain.signals.where("inputs", given)] = output(system, found, taken)[n]
        wanted = motion(system, t, found.x[n], *start(system)[1:])[0]
        assert motion(plain, t, found.x[n], u, k, d)[0] == pytest.approx(wanted, abs=1e-11)
    assert np.abs(output(system, found, "hub.quaternion")[-1, 1:]).max() > 0.1  # axes that differ


def test_the_start_keeps_any_momentum():
    """A hub that turns already: rates of the joints follow the path, the base's change by what keeps momentum and angular momentum."""
    plain, loop = (
        api.load(PLANAR),
        LOOP.replace("1 + 0.5*cos(time)", "1.0 + 0.1*sin(time)").replace("1 + 0.5*sin(time)", "-1.2"),
    )
    system = with_inverse(PLANAR, loop)
    found = run(system, 3.0, 4)
    for name in ("system.momentum", "system.angular_momentum"):
        assert output(system, found, name) == pytest.approx(np.tile(at_start(plain, name), (4, 1)), abs=1e-10)
    assert np.max(np.abs(at_start(plain, "system.angular_momentum"))) > 0.1


@pytest.mark.slow
def test_the_command_s_table_drives_the_forward_fmu(tmp_path):
    """`spacefmu inverse … -o joints.csv`, then the forward FMU fed from that file, which is straight between its instants: with half the
    interval a quarter of the error is left at the end of the path."""
    plain = with_inverse(SPATIAL, "", **{", rate = [0.05, 0.1]": "", ", rate = -0.1": ""})
    (tmp_path / "arm.toml").write_bytes(next(iter(dict(plain.about.described_by).values())))
    at = at_start(plain, "forearm.gripper.position")
    end = at + [-0.1, 0.1, 0.05]
    rows = [f"{t},{','.join(f'{value:.17g}' for value in place)}" for t, place in ((0.0, at), (4.0, end))]
    (tmp_path / "path.csv").write_text("\n".join(["time,x,y,z", *rows]))
    errors = []
    for step in ("0.4", "0.2"):
        options = ("--path", "path.csv", "--node", "forearm.gripper", "--step", step, "-o", "joints.csv")
        done = spacefmu("inverse", "arm.toml", *options, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        table = api.read_table(tmp_path / "joints.csv")
        drives = table.chosen([name for name in table.names if ".torque" in name])
        run = api.simulate(tmp_path / "arm.toml", stop=4.0, step=0.02, inputs=drives)
        errors.append(np.linalg.norm(run["forearm.gripper.position"][-1] - end))
    assert errors[0] < 0.05
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.25)


def test_the_solve_is_square_and_met(following):
    """As many rows as speeds, and their right side is met."""
    _, inverse = following
    point = (0.7, *start(inverse))
    t, x, u, k, d = point
    *_, z, _, _ = solved_motion(inverse, t, x, u, k, d)
    _, G, _, gamma, _ = inverse.motion.assemble(t, x, u, k, d)
    assert G.shape[0] == G.shape[1]
    assert G @ z == pytest.approx(gamma, abs=1e-12)


def test_an_orbit_round_an_oblate_planet_begins_as_ever():
    """The origin of O has states of its own, which start on the orbit of the parameters: an inverse problem starts them as well."""
    orbit = """
[environment]
gravity = "central"
frame = "orbit"
j2 = true
orbit = { semi_major_axis = 7e6, inclination = 0.9 }
"""
    system = with_inverse(PLANAR, LOOP + orbit, **ON_LOOP)
    x, _, _, _ = start(system)
    velocity = x[system.signals.where("states", "environment.orbit.velocity")]
    assert np.linalg.norm(velocity) == pytest.approx(np.sqrt(3.986004418e14 / 7e6), rel=1e-12)
