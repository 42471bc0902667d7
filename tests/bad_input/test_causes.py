"""Messages that name the cause: each is provoked as a person met it."""

from __future__ import annotations

import shlex
from dataclasses import replace

import numpy as np
import pytest

from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.system.evaluate import start
from spacefmu.fmu_src import api
from spacefmu.fmu_src.cosim.instability import running_away, swinging
from spacefmu.fmu_src.linearize.plots import bode
from tests.catalogue_fmus import fmu_file
from tests.cli.command import ROOT, in_this_process
from tests.modes.bodies import plate
from tests.modes.test_flex42 import flex_text, nodes_text

ORBIT = (ROOT / "examples/environment_orbit.toml").read_text("utf-8")
PERTURBED = (ROOT / "examples/environment_perturbations.toml").read_text("utf-8")


def changed(text: str, *pairs: tuple[str, str]) -> str:
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


def problems(text: str) -> list[str]:
    with pytest.raises(DescriptionError) as refused:
        load_text(text)
    return refused.value.problems


SPIN = """
name = "Spin"
[bodies.hub]
mass = 100.0
inertia = [10.0, 12.0, 14.0]
forces_at = ["frame"]
[bodies.hub.initial]
angular_velocity = [0.0, 0.0, 0.01]
"""


def test_bode_at_an_undamped_pole():
    """Nutation is undamped: its own frequency would be a point of the grid. The rest of the curve is drawn, and goes high."""
    model = api.linearize(load_text(SPIN), inputs=["hub.torque[1]"], outputs=["hub.rotation"])
    assert np.isinf(model.response([0.01])).all()  # the attitude's own: as a spinning body sees it, at exactly the spin
    curve = bode(model).axes[0].lines[0].get_ydata()
    assert np.isfinite(curve).all()
    assert curve.max() > 80.0  # dB; 132 measured


def test_air_that_has_no_finite_density():
    thin = changed(PERTURBED, ("scale_height = 5.8e4", "scale_height = 60.0"))
    (sentence,) = problems(thin)
    assert sentence.startswith(
        "environment.air.scale_height is 60.0, expected more than a 700th of the height, 400000 m"
    )
    assert sentence.endswith("; 60 km are 60000 m")


def test_an_orbit_without_its_planet():
    found = problems(changed(PERTURBED, ('gravity = "central"', 'gravity = "none"')))
    assert any(sentence.startswith('environment.air is given, but environment.gravity is "none"') for sentence in found)
    assert not any("Table(" in sentence for sentence in found)


def test_a_perigee_below_the_surface_is_the_eccentricity_s():
    (sentence,) = problems(changed(ORBIT, ("eccentricity = 0.0", "eccentricity = 0.5")))
    assert sentence.startswith("environment.orbit.eccentricity is 0.5, expected less than 0.07268")
    assert "km" not in sentence


@pytest.mark.parametrize(
    ("text", "name", "value", "law"),
    [
        (ORBIT, "environment.orbit.eccentricity", 0.5, "perigee"),
        (PERTURBED, "environment.air.scale_height", 60.0, "scale_height must be more than a 700th"),
    ],
    ids=["perigee", "air"],
)
def test_fmus_keep_the_same_laws(text, name, value, law):
    """`laws` are checked by FMUs of both flavours whenever parameters are set (tests/fmi, tests/python_fmu): positive is legal."""
    system = load_text(text)
    parameters = np.array(system.signals.starts("parameters"))
    (number,) = (i for i, sentence in enumerate(system.laws) if law in sentence)
    assert np.asarray(system.check(parameters), float)[number] > 0.0
    parameters[system.signals.where("parameters", name)] = value
    assert np.asarray(system.check(parameters), float)[number] < 0.0


def test_linearize_sets_what_an_fmu_takes_in_its_own_type(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    fmu = shlex.quote(str(fmu_file("DeployableFourBar")))
    in_this_process(f"spacefmu linearize {fmu} --set latch.closed=1", code=2)
    assert "latch.closed can't be set: it is calculated by DeployableFourBar.fmu" in capfd.readouterr().err
    in_this_process(f"spacefmu linearize {fmu} --set latch.close=0 --set hub.mass=300", code=0)  # a Boolean, a Real


OUTSIDE = """
name = "Slewer"
[bodies.hub]
mass = 50.0
inertia = [5.0, 5.0, 5.0]
[bodies.panel]
file = "panel.txt"
geometry = "nodes.txt"
units = "SI"
mass = 3.0
mass_center = [0.0, 0.0, 0.0]
inertia = [1.0, 1.0, 1.0]
[joints.mount]
kind = "fixed"
parent = "hub"
child = "panel"
"""


def test_an_indefinite_mass_matrix_is_not_a_bent_body(tmp_path):
    """Modes that take along three times the momentum that their modal mass allows, undeformed; least eigenvalue -1.9."""
    body = plate()
    (tmp_path / "nodes.txt").write_text(nodes_text(body))
    body = replace(body, integrals=replace(body.integrals, s1=3.0 * body.integrals.s1))
    (tmp_path / "panel.txt").write_text(flex_text(body))
    with pytest.raises(DescriptionError) as refused:
        load_text(OUTSIDE, "sat.toml", tmp_path)
    (sentence,) = refused.value.problems
    assert sentence.startswith("bodies.panel: its mass matrix is indefinite before it is bent (eigenvalue -")
    assert "COUPMASS" in sentence


SLEW = """
kind = "system"
name = "Slew"
step = 0.1
stop = 20.0
[units.plant]
model = "{plant}"
start = {{ "hub.angular_velocity" = 0.01 }}
[units.controller]
model = "{controller}"
start = {{ damping = {gain}, torque_limit = 1e300 }}
[connections]
"controller.quaternion" = "plant.hub.quaternion"
"controller.angular_velocity" = "plant.hub.angular_velocity"
"plant.hub.torque" = {{ from = "controller.torque", factor = {sign} }}
"""


SWINGS = "the coupling is unstable at ", "a communication step of 0.1 s delays"
BURSTS = "the units drive each other without bound at ", "check the signs of gains"


@pytest.mark.parametrize("gain, sign, words", [(4e3, 1.0, SWINGS), (1e5, 1.0, SWINGS), (4e3, -1.0, BURSTS)])
def test_a_coupling_that_blows_up_is_not_called_stiff(tmp_path, gain, sign, words):
    text = SLEW.format(plant=fmu_file("HingedPanel"), controller=fmu_file("AttitudeController"), gain=gain, sign=sign)
    (tmp_path / "slew.toml").write_text(text)
    with pytest.raises(RuntimeError) as failed:
        api.cosimulate(tmp_path / "slew.toml")
    assert f"Slew: {words[0]}" in str(failed.value)
    assert words[1] in str(failed.value)
    assert "solver.method" not in str(failed.value)
    assert failed.value.so_far.remarks == ()
    assert len(failed.value.so_far.time) >= 3


def test_what_swings_farther_at_every_exchange():
    n = np.arange(12.0)
    growing, falling, rising, noise = (-1.3) ** n, (-0.9) ** n, 2.0**n, np.random.default_rng(1).normal(size=12)
    assert swinging(list(np.column_stack([falling, rising, noise, growing]))) == 3
    assert swinging(list(np.column_stack([falling, rising, noise]))) is None
    assert swinging([np.array([1.0]), np.array([-50.0]), np.array([3000.0])]) == 0  # a step that is far too long
    assert swinging([np.array([1.0]), np.array([-50.0])]) is None
    bursting = 3.0**n
    assert swinging(list(np.column_stack([falling, bursting]))) is None
    assert running_away(list(np.column_stack([falling, rising, noise, bursting]))) == 3
    assert running_away(list(np.column_stack([falling, noise, growing]))) is None


def test_a_result_without_the_orbit_s_states_is_drawn_on_its_elements():
    """A run with `-v hub.quaternion` of an orbit with J2 has no states of the orbit: at rest there was no plane (a NumPy warning)."""
    system = load_text(ORBIT)
    picture = system.about.picture()
    entries = picture.coordinates
    x, u, p = (np.array(entries.starts(group)) for group in ("states", "inputs", "parameters"))
    placed = picture.place(0.0, x, u, p)
    truth = start(system)[0][system.signals.where("states", "environment.orbit.position")]
    assert placed.origin == pytest.approx(truth, rel=1e-14)
