"""MuJoCo, another engine: a free hub with a chain of hinged links, by single evaluations and over a thousand seconds.

Both have the same conventions for a free body (quaternion scalar first; velocity in space axes, angular velocity in
body axes; the frame's origin), so states are compared as they are.
"""

import functools

import mujoco
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system import evaluate
from spacefmu.fmu_src.native.trace.traces import Traces
from tests.compare import relative

HUB = {"mass": 50.0, "center": (0.1, -0.05, 0.02), "inertia": (20.0, 15.0, 25.0, 1.0, -0.5, 0.8)}
LINK = {"mass": 10.0, "center": (0.5, 0.02, -0.03), "inertia": (0.4, 1.2, 1.3, 0.05, -0.02, 0.03)}  # xx yy zz xy xz yz
AXES = ("y", "z")  # of the hinges in turn
SIZE = 0.1  # of angles [rad] and rates in the long runs


def toml(links: int, stiffness: float) -> str:
    def body(name, data):
        inertia = ", ".join(
            f"{key} = {value}" for key, value in zip(("xx", "yy", "zz", "xy", "xz", "yz"), data["inertia"], strict=True)
        )
        return (
            f"[bodies.{name}]\nmass = {data['mass']}\nmass_center = {list(data['center'])}\ninertia = {{ {inertia} }}\n"
        )

    text = 'name = "Chain"\n' + body("hub", HUB) + "".join(body(f"link{i}", LINK) for i in range(links))
    for i in range(links):
        parent, place = ("hub", [0.6, 0.1, 0.0]) if i == 0 else (f"link{i - 1}", [1.0, 0.0, 0.0])
        text += f'[joints.hinge{i}]\nparent = "{parent}"\nchild = "link{i}"\nplace = {place}\nkind = "revolute"\n'
        text += f'axis = "{AXES[i % 2]}"\nstiffness = {stiffness}\n'
    return text


def mjcf(links: int, stiffness: float) -> str:
    def numbers(values):
        return " ".join(str(v) for v in values)

    def inertial(data):
        return f'<inertial pos="{numbers(data["center"])}" mass="{data["mass"]}" fullinertia="{numbers(data["inertia"])}"/>'

    inner = ""
    for i in reversed(range(links)):
        axis = {"y": "0 1 0", "z": "0 0 1"}[AXES[i % 2]]
        place = "0.6 0.1 0" if i == 0 else "1 0 0"
        inner = f'<body pos="{place}"><joint type="hinge" axis="{axis}" stiffness="{stiffness}"/>{inertial(LINK)}{inner}</body>'
    return (
        '<mujoco><compiler angle="radian" inertiafromgeom="false"/>'
        '<option gravity="0 0 0" integrator="RK4"><flag contact="disable" constraint="disable"/></option>'
        f"<worldbody><body><freejoint/>{inertial(HUB)}{inner}</body></worldbody></mujoco>"
    )


def state(links: int, seed: int, size: float):
    """q and v: hub pose, hinge angles; hub rates, hinge rates."""
    rng = np.random.default_rng(seed)
    quaternion = rng.normal(size=4)
    q = np.concatenate([rng.normal(size=3), quaternion / np.linalg.norm(quaternion), size * rng.normal(size=links)])
    return q, size * rng.normal(size=6 + links)


@pytest.mark.parametrize("links", [1, 4, 10, 30])
def test_accelerations(links):
    """qacc of mj_forward at five random states. Measured: 1e-12 relative (30 links)."""
    system = load_text(toml(links, 20.0))
    k = evaluate.constants(system, system.signals.starts("parameters"))
    model = mujoco.MjModel.from_xml_string(mjcf(links, 20.0))
    data = mujoco.MjData(model)
    for seed in range(5):
        q, v = state(links, seed, 1.0)
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_forward(model, data)
        x = np.concatenate([q, v, [0.0, 0.0]])
        found = evaluate.motion(system, 0.0, x, np.zeros(0), k, np.zeros(0))[0]
        assert relative(found[len(q) : len(q) + len(v)], data.qacc) < 1e-10


@functools.cache
def mujoco_run(links, step, stop):
    """(q, v) at the end of MuJoCo's own Runge–Kutta integration with a fixed step."""
    model = mujoco.MjModel.from_xml_string(mjcf(links, 20.0))
    model.opt.timestep = step
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = state(links, 3, SIZE)
    mujoco.mj_step(model, data, nstep=round(stop / step))
    return np.concatenate([data.qpos, data.qvel])


def ours(links, stop):
    """The same by SciPy's DOP853 on the System's rates (no events; the quaternion's norm drifts by 1e-15 in 100 s)."""
    system = load_text(toml(links, 20.0))
    rates, none = Traces(system).motion.results["rates"], np.zeros(0)
    k = evaluate.constants(system, system.signals.starts("parameters"))
    x = np.concatenate([*state(links, 3, SIZE), [0.0, 0.0]])
    run = solve_ivp(
        lambda t, x: np.asarray(rates(t, x, none, k, none, none, none, none)).ravel(),
        (0.0, stop), x, "DOP853", t_eval=[stop], rtol=1e-12, atol=1e-13,
    )  # fmt: skip
    return run.y[:-2, -1]


def difference(found, expected):
    """Largest difference of attitude, angles and rates (all of order 1), and of the place relative to the way gone."""
    sign = np.sign(found[3:7] @ expected[3:7])  # a quaternion and its negative are one attitude
    turned = np.concatenate([sign * found[3:7], found[7:]])
    return max(relative(turned, expected[3:], floor=1.0), relative(found[:3], expected[:3], floor=1.0))


@pytest.mark.slow
@pytest.mark.parametrize("links", [1, 4])
def test_thousand_seconds(links):
    """Hinge springs of 20 N m/rad, 1000 s: MuJoCo's run is converged (halving its step moves it less) and agrees with ours.

    Measured: halving MuJoCo's step moves its end by 9e-11 (1 link) and 8e-10 (4 links); ours differs from it by 7e-11 and 6e-10.
    """
    coarse, fine = (mujoco_run(links, step, 1000.0) for step in (1e-3, 5e-4))
    assert difference(coarse, fine) < 1e-8
    assert difference(ours(links, 1000.0), fine) < 1e-8
