"""Prescribed motion: a run's own orbit and attitude as tables move its appendage as the run did; position as an input; refusals."""

from datetime import UTC, datetime

import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.description.errors import DescriptionError
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.native.trace.fast import fast
from spacefmu.fmu_src.results.ccsds import write_aem, write_oem
from spacefmu.fmu_src.results.table import Result
from tests.environment.craft import HUB

EPOCH = datetime(2026, 3, 20, 12, tzinfo=UTC)
ARM = """
[bodies.arm]
mass = 15.0
mass_center = [1.0, 0.2, 0.0]
inertia = [0.5, 6.0, 6.0]
[joints.hinge]
parent = "hub"
child = "arm"
place = [0.5, 0.0, 0.1]
kind = "revolute"
axis = "z"
stiffness = 9.0
initial = { position = 0.1 }
"""
THRUSTER = '[thrusters.main]\nbody = "hub"\nplace = [0.0, 0.1, 0.05]\ndirection = [1.0, 0.3, 0.1]\n'
HELD = '[joints.mount]\nparent = "space"\nchild = "hub"\nkind = "fixed"\n'
ELEMENTS = 'semi_major_axis = 6.9e6\ninclination = "51 deg"\neccentricity = 0.02\n'
STOP = 40.0


def surroundings(orbit: str, frame="orbit", axes="equator") -> str:
    own = f'frame = "orbit"\n[environment.orbit]\n{orbit}' if frame == "orbit" else ""
    return (
        f'[environment]\ngravity = "central"\n{own}\n[environment.time]\nepoch = 2026-03-20T12:00:00Z\naxes = "{axes}"\n'
        "[environment.harmonics]\ndegree = 4\n"
    )


def made(*texts, folder=None):
    return load_text('name = "Test"\n' + "\n".join(texts), folder=folder)


def shown(system, run, name) -> np.ndarray:
    """Columns of an output or a state over a run."""
    for table, group in ((run.y, "outputs"), (run.x, "states")):
        names = [signal.name for signal in getattr(system.signals, group)]
        found = [i for i, each in enumerate(names) if each == name or each.startswith(f"{name}[")]
        if found:
            return table[:, found]
    raise KeyError(name)


@pytest.fixture(scope="module")
def flown(tmp_path_factory):
    """A free craft whose thruster burns while it tumbles, with its OEM and AEM."""
    folder = tmp_path_factory.mktemp("flown")
    spin = "[bodies.hub.initial]\nangular_velocity = [0.05, -0.02, 0.08]\n"
    system = fast(made(surroundings(ELEMENTS, axes="GCRF"), HUB, spin, ARM, THRUSTER))
    times = np.linspace(0.0, STOP, 401)
    run = integrate(system, times, u=lambda t: [20.0 * np.sin(0.3 * t)], rtol=1e-12, atol=1e-12)
    names, columns = [], []
    for quantity in ("position", "velocity", "quaternion"):
        values = shown(system, run, f"hub.inertial.{quantity}")
        names += [f"hub.inertial.{quantity}[{i + 1}]" for i in range(values.shape[1])]
        columns.append(values)
    result = Result(times, tuple(names), np.hstack(columns))
    write_oem(result, folder / "run.oem", "hub", EPOCH)
    write_aem(result, folder / "run.aem", "hub", EPOCH)
    return folder, system, run


def test_an_appendage_moves_as_in_the_run_that_was_written(flown):
    """The hub is held to O, which follows the run's OEM and AEM: no thruster, no free hub, the same hinge."""
    folder, system, run = flown
    held = fast(made(surroundings('file = "run.oem"\nfollow = true\nattitude = "run.aem"\n', axes="GCRF"), HUB, HELD, ARM, folder=folder))  # fmt: skip
    again = integrate(held, run.time[::40], rtol=1e-11, atol=1e-11)
    wanted, found = (shown(s, r, "hinge.angle") for s, r in ((system, run), (held, again)))
    assert np.ptp(wanted) > 0.1
    assert np.abs(found - wanted[::40]).max() < 2e-6
    for name in ("position", "quaternion"):
        apart = shown(held, again, f"hub.inertial.{name}") - shown(system, run, f"hub.inertial.{name}")[::40]
        assert np.abs(apart).max() < {"position": 1e-4, "quaternion": 1e-9}[name]
    turning = (
        shown(held, again, "hub.inertial.angular_velocity") - shown(system, run, "hub.inertial.angular_velocity")[::40]
    )
    assert np.abs(turning[1:-1]).max() < 1e-7


def test_a_free_craft_stays_at_the_table_but_for_what_the_table_has_beside_gravity(tmp_path):
    """An OEM of a fall in the same gravity: a free hub stays at O; with another gravity it leaves O by the difference, ½ Δg t²."""
    system = fast(made(surroundings(ELEMENTS), HUB))
    times = np.linspace(0.0, 600.0, 61)
    run = integrate(system, times, rtol=1e-12, atol=1e-12)
    columns = [shown(system, run, f"hub.inertial.{each}") for each in ("position", "velocity")]
    names = [f"hub.{each}[{i}]" for each in ("position", "velocity") for i in (1, 2, 3)]
    write_oem(Result(times, tuple(names), np.hstack(columns)), tmp_path / "fall.oem", "hub", EPOCH, frame="TEME")
    along = 'file = "fall.oem"\nfollow = true\n'
    same = fast(made(surroundings(along), HUB, folder=tmp_path))
    there = integrate(same, times[::20], rtol=1e-11, atol=1e-9)
    assert np.abs(shown(same, there, "hub.position")).max() < 2e-3
    apart = shown(same, there, "hub.inertial.position") - columns[0][::20]
    assert np.abs(apart).max() < 2e-3
    work = shown(same, there, "system.kinetic_energy") + shown(same, there, "system.potential_energy") - shown(same, there, "system.environment_work")  # fmt: skip
    assert np.abs(work - work[0]).max() < 1e-7
    stronger = fast(made(surroundings(along).replace('gravity = "central"', 'gravity = "central"\nmu = 3.98604e14'), HUB, folder=tmp_path))  # fmt: skip
    left = integrate(stronger, [0.0, 60.0], rtol=1e-11, atol=1e-9)
    R = np.linalg.norm(columns[0][0])
    assert shown(stronger, left, "hub.position")[-1, 0] == pytest.approx(0.5 * (3.986004415e14 - 3.98604e14) / R**2 * 3600.0, rel=0.02)  # fmt: skip


def test_position_as_an_input_has_the_fields_of_that_place():
    """The co-simulation owns position and velocity: same gravity gradient, Sun, field and ground track as a craft that is there."""
    field = '[environment.magnetic]\nmodel = "IGRF-14"\n[environment.sun]\n'
    place, velocity = [3.1e6, -5.2e6, 3.3e6], [4.1e3, 5.0e3, 4.0e3]
    owned = made(surroundings(ELEMENTS + "input = true\n"), field, HUB, ARM)
    at = f"[bodies.hub.initial]\nposition = {place}\nvelocity = {velocity}\n"
    there = made(surroundings("", frame="inertial"), field, HUB, at, ARM)
    names = [signal.name for signal in owned.signals.inputs]
    assert names == [f"environment.orbit.{each}[{i}]" for each in ("position", "velocity") for i in (1, 2, 3)]
    x, _, k, d = start(owned)
    rates, y = motion(owned, 0.0, x, np.array([*place, *velocity]), k, d)[:2]
    other, z = motion(there, 0.0, *start(there))[:2]
    same = ("hub.magnetic_field", "hub.sun_direction", "hub.sunlit", "system.latitude", "system.altitude", "system.beta_angle", "hub.orbital.quaternion")  # fmt: skip
    for name in same:
        found, wanted = y[owned.signals.where("outputs", name)], z[there.signals.where("outputs", name)]
        assert np.allclose(found, wanted, rtol=1e-12, atol=1e-13), name
    for name in ("hub.angular_velocity", "hinge.rate"):
        found, wanted = (v[s.signals.where("states", name)] for v, s in ((rates, owned), (other, there)))
        assert np.abs(wanted).max() > 1e-9
        assert np.allclose(found, wanted, rtol=1e-6, atol=1e-12), name
    starts = np.array(owned.signals.starts("inputs")[:3])
    assert np.linalg.norm(starts) == pytest.approx(6.9e6 * 0.98)


OEM = "CCSDS_OEM_VERS = 2.0\nREF_FRAME = GCRF\n"
AEM = "CCSDS_AEM_VERS = 2.0\nREF_FRAME_A = GCRF\nREF_FRAME_B = SC_BODY_1\nATTITUDE_TYPE = QUATERNION\n"


@pytest.mark.parametrize(
    "orbit, content, sentence",
    [
        ("follow = true\n" + ELEMENTS, "", "environment.orbit.follow = true is not allowed without a file"),
        ('file = "x"\nfollow = true\n', "1 25544U\n", "environment.orbit.file x is not an OEM of CCSDS"),
        ('file = "x"\nfollow = true\n', OEM + "2026-03-20T13:00:00 1 2 3 4 5 6\n2026-03-20T13:01:00 1 2 3 4 5 6\n", "x covers 3600 to 3660 s after time 0, expected a table that begins at time 0"),
        ('file = "x"\nfollow = true\n', OEM + "2026-03-20T12:00:00 1 2 3 4 5 6\n2026-03-20T12:00:00 1 2 3 4 5 6\n", "x has states whose times do not increase"),
        ('file = "x"\nfollow = true\n', OEM + "2026-03-20T12:00:00 7000 0 0 0 7.5 0\n2026-03-20T12:01:00 7000 100 0 0 7.5 0\n", "x has velocities that differ by"),
        (ELEMENTS + 'attitude = "x"\n', OEM, "environment.orbit.attitude x is not an AEM of CCSDS"),
        (ELEMENTS + 'attitude = "x"\n', AEM.replace("QUATERNION", "EULER_ANGLE"), 'x has ATTITUDE_TYPE = "EULER_ANGLE", expected QUATERNION'),
        (ELEMENTS + 'attitude = "x"\n', AEM + "2026-03-20T12:00:00 0 0 0 2\n2026-03-20T12:01:00 0 0 0 1\n", "x has a quaternion of length 2, expected 1"),
        (ELEMENTS + 'attitude = "x"\n', AEM.replace("GCRF", "LVLH") + "2026-03-20T12:00:00 0 0 0 1\n2026-03-20T12:01:00 0 0 0 1\n", 'x has REF_FRAME_A = "LVLH", expected one of GCRF, ICRF, EME2000, TEME'),
        (ELEMENTS + 'input = true\nattitude = "x"\n', AEM, "environment.orbit.input = true is not allowed with follow or attitude"),
        ('file = "none"\nfollow = true\n', "", "environment.orbit.file none"),
    ],
)  # fmt: skip
def test_refusals(tmp_path, orbit, content, sentence):
    (tmp_path / "x").write_text(content)
    with pytest.raises(DescriptionError) as error:
        made(surroundings(orbit), HUB, folder=tmp_path)
    assert sentence in str(error.value)


@pytest.mark.parametrize("way", ["scalar first", "body to frame", "signs"])
def test_ways_to_write_an_attitude(tmp_path, way):
    """Quaternions scalar first, from the body, and with signs that jump are the same motion: a turn by 0.01 rad/s about z."""
    half = 0.005 * np.arange(0.0, 101.0, 10.0)
    rows = np.stack([0 * half, 0 * half, np.sin(half), np.cos(half)], axis=1)
    head = AEM
    if way == "scalar first":
        head, rows = AEM + "QUATERNION_TYPE = FIRST\n", np.roll(rows, 1, axis=1)
    if way == "body to frame":
        head, rows = AEM + "ATTITUDE_DIR = B2A\n", rows * [-1, -1, -1, 1]
    if way == "signs":
        rows[3::2] *= -1.0
    lines = [f"2026-03-20T12:{s // 60:02d}:{s % 60:02d} {' '.join(map(repr, map(float, row)))}" for s, row in zip(range(0, 101, 10), rows, strict=True)]  # fmt: skip
    (tmp_path / "x").write_text(head + "\n".join(lines))
    system = made(surroundings(ELEMENTS + 'attitude = "x"\n', axes="GCRF"), HUB, HELD, folder=tmp_path)
    y = motion(system, 25.0, *start(system))[1]
    names = system.signals
    assert np.allclose(y[names.where("outputs", "hub.inertial.quaternion")], [np.cos(0.125), 0.0, 0.0, np.sin(0.125)], atol=1e-9)  # fmt: skip
    assert np.allclose(y[names.where("outputs", "hub.inertial.angular_velocity")], [0.0, 0.0, 0.01], atol=1e-9)
