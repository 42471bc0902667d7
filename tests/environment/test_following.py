"""Every output quaternion is continuous, over several orbits and turns, in any frame."""

import numpy as np
import pytest
from fmpy import simulate_fmu

from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.native.trace.fast import fast
from spacefmu.fmu_src.python.instance import Instance
from tests.environment.craft import MU, A, craft, orbit
from tests.fmi.units import Unit, unpack
from tests.session import session_folder

PERIOD = 2.0 * np.pi * np.sqrt(A**3 / MU)
HUB = """
[bodies.hub]
mass = 400.0
inertia = [120.0, 100.0, 150.0]
[bodies.hub.initial]
angular_velocity = [2e-4, 9e-4, -5e-4]
orientation = [0.1, 0.4, -0.2]
"""
TILTED = {"eccentricity": 0.05, "inclination": 1.0, "raan": 0.7, "perigee": 0.4}
OBLATE = 'gravity = "central"\nj2 = true'
SPEED = np.sqrt(MU / A)


def beside_N(direction) -> str:
    """On a circular orbit from (A, 0, 0), in the direction that is given."""
    along = np.asarray(direction) / np.linalg.norm(direction)
    return '[environment]\nframe = "inertial"\ngravity = "central"\n' + HUB + f"position = [{A}, 0.0, 0.0]\nvelocity = {[float(v) for v in SPEED * along]}\n"  # fmt: skip


def on_orbit(drift=0.0, oblate=False, **elements) -> str:
    text = orbit(**elements) + HUB + f"velocity = [0.0, {drift}, 0.0]\n"
    return text.replace('gravity = "central"', OBLATE) if oblate else text


CRAFTS = {
    "equator beside N": (beside_N([0.0, 1.0, 0.0]), ["hub.orbital"]),
    "westward on the equator beside N": (beside_N([0.0, -1.0, 0.0]), ["hub.orbital"]),
    "polar beside N": (beside_N([0.0, 0.0, 1.0]), ["hub.orbital"]),
    "tilted beside N, oblate planet": (beside_N([0.0, 0.6, 0.8]).replace('gravity = "central"', OBLATE), ["hub.orbital"]),
    "equatorial orbit": (on_orbit(), ["hub.orbital", "hub.inertial"]),
    "tilted orbit": (on_orbit(**TILTED), ["hub.orbital", "hub.inertial"]),
    "oblate orbit": (on_orbit(oblate=True, **TILTED), ["hub.orbital", "hub.inertial"]),
    "retrograde oblate orbit": (on_orbit(oblate=True, inclination=np.pi), ["hub.orbital", "hub.inertial"]),
    "away from the orbit's origin": (on_orbit(drift=1500.0, **TILTED), ["hub.orbital", "hub.inertial"]),
}  # fmt: skip


QUICK = (
    "westward on the equator beside N",
    "tilted beside N, oblate planet",
    "tilted orbit",
    "oblate orbit",
    "away from the orbit's origin",
)


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in CRAFTS]
)
def test_quaternions_never_jump(name):
    """Neighbouring rows, a thirtieth of an orbit apart, are the same quaternion turned a little and not its opposite; over one and a half orbits."""
    text, shown = CRAFTS[name]
    system = fast(craft(text))
    found = integrate(system, np.linspace(0.0, 1.5 * PERIOD, 46), rtol=1e-6, atol=1e-6)
    for frame in shown:
        q = found.y[:, system.signals.where("outputs", f"{frame}.quaternion")]
        assert np.min(np.sum(q[1:] * q[:-1], axis=1)) > 0.9
    assert len(found.events) <= 2 * 5  # at most every 120° a frame


NAMES = [f"hub.{frame}.quaternion[{i}]" for frame in ("orbital", "inertial") for i in (1, 2, 3, 4)]
STEP, STEPS = PERIOD / 20.0, 70  # three and a half orbits


def turns_on(rows):
    """Both quaternions of each row are near those of the row before."""
    q = np.reshape(rows, (-1, 2, 4))
    return np.min(np.sum(q[1:] * q[:-1], axis=2)) > 0.85


@pytest.fixture(scope="module")
def oblate():
    """The FMU of the craft whose two frames are both followed."""
    return unpack(craft(CRAFTS["oblate orbit"][0]), session_folder() / "following")


def test_only_followed_frames_are_looked_at_in_passing(oblate):
    """They need no dense output; with a cable that can go slack, or a latch, indicators are again checked inside steps."""
    cable = '[bodies.end]\nmass = 1.0\ninertia = [1.0, 1.0, 1.0]\n[cables.line]\na = "hub"\nb = "end"\nlength = 1.0\nstiffness = 1.0\n'
    assert oblate.system.slow_indicators
    assert not craft(CRAFTS["oblate orbit"][0] + cable + 'kind = "elastic"\n').slow_indicators


def test_native_flavour_in_both_kinds_and_from_a_saved_state(oblate):
    unit = Unit(oblate).initialize()
    where, rows = unit.references(*NAMES), []
    for i in range(STEPS):
        if i == STEPS // 2:
            saved = unit.fmu.getFMUState()
        unit.fmu.doStep(i * STEP, STEP)
        rows.append(unit.fmu.getReal(where))
    assert turns_on(rows)
    assert np.min(np.array(rows)[:, 4]) < -0.5 < 0.5 < np.max(np.array(rows)[:, 4])  # it went round
    unit.fmu.setFMUState(saved)
    unit.fmu.doStep(STEPS // 2 * STEP, STEP)
    assert unit.fmu.getReal(where) == rows[STEPS // 2]
    unit.free()
    host = simulate_fmu(str(oblate.folder), fmi_type="ModelExchange", stop_time=STEPS * STEP, output_interval=STEP, relative_tolerance=1e-8, output=NAMES, record_events=False)  # fmt: skip
    exchanged = np.array([host[name] for name in NAMES]).T
    assert turns_on(exchanged)
    assert np.max(np.abs(exchanged[1 : STEPS + 1] - rows)) < 1e-2  # of FMPy at 1e-8 over 20,000 s; a sign would be 2


def test_python_flavour(oblate):
    """At a tolerance that is loose, since signs are looked at and not digits."""
    instance = Instance(craft(CRAFTS["oblate orbit"][0]), "")
    instance.set([oblate.variables["solver.tolerance"].reference], [1e-4], ("real",))
    where, rows = [oblate.variables[name].reference for name in NAMES], []
    instance.setup_experiment(0.0, None, None)
    instance.enter_initialization()
    instance.exit_initialization()
    for i in range(STEPS // 3):
        instance.step(i * STEP, STEP)
        rows.append(instance.get(where, ("real",)))
    assert turns_on(rows)
