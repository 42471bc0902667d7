"""A solid antenna from CalculiX with a root flange, on a hub that slews: few modes against a hundred, linear and as FMUs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lsim

from spacefmu.dynamics.description import load
from spacefmu.fmu_src import api
from spacefmu.fmu_src.results import Result
from tests.compare import relative
from tests.modes.ccx import brick_mesh, deck, run

FOAM = (200.0, 0.3, 0.6e-9)  # E [MPa], ν, density [t/mm³]: soft, so that a hundred modes end at some kHz
CELLS, SIZE = (12, 3, 3), (1200.0, 180.0, 90.0)  # [mm]
DESCRIPTION = """
name = "Antenna"
[bodies.hub]
mass = 30.0
inertia = [3.0, 4.0, 4.0]
forces_at = ["frame"]
[bodies.antenna]
file = "free.sti"
units = "mm-t-s"
root = ROOT
modes = MODES
nodes = { tip = TIP }
damping = 0.01
[joints.flange]
parent = "hub"
child = "antenna"
place = [0.4, 0.0, 0.0]
kind = "fixed"
"""


@pytest.fixture(scope="module")
def antenna(tmp_path_factory):
    """Flange, boom and reflector cut out of a block of 20-node bricks; the flange's outer face is the root."""
    folder = tmp_path_factory.mktemp("antenna")
    nodes, elements = brick_mesh(CELLS, SIZE)
    cells = [(i, j, k) for k in range(CELLS[2]) for j in range(CELLS[1]) for i in range(CELLS[0])]
    kept = [e for e, (i, j, k) in zip(elements, cells, strict=True) if i in (0, CELLS[0] - 1) or (j, k) == (1, 1)]
    used = {node for element in kept for node in element}
    nodes = {node: place for node, place in nodes.items() if node in used}
    run(folder, "free", deck(nodes, kept, FOAM, step="*FREQUENCY, SOLVER=MATRIXSTORAGE", modes=3, kind="C3D20"))
    face = {axis_x: [n for n, place in nodes.items() if np.isclose(place[0], axis_x)] for axis_x in (0.0, SIZE[0])}
    return folder, face[0.0], face[SIZE[0]]


def description(antenna, modes):
    folder, root, tip = antenna
    file = folder / f"antenna{modes}.toml"
    file.write_text(DESCRIPTION.replace("ROOT", str(root)).replace("TIP", str(tip)).replace("MODES", str(modes)))
    return file


def linear_response(antenna, modes):
    """Attitude and tip after torques of ±1 N m about z for a second each, by the exact response of the linear model at rest."""
    model = api.linearize(load(description(antenna, modes)), inputs=["hub.torque[3]"], outputs=["hub.rotation[3]", "antenna.tip.displacement[2]"])  # fmt: skip
    time = np.linspace(0.0, 4.0, 2001)
    torque = np.where(time < 1.0, 1.0, np.where(time < 2.0, -1.0, 0.0))
    _, found, _ = lsim((model.A, model.B, model.C, model.D), torque, time, interp=False)
    return found


@pytest.mark.slow
def test_its_linear_model_answers_as_with_a_hundred_modes(antenna):
    """Twelve modes against a hundred, 4 s with torques of one second each way. Measured: attitude 4e-8, tip 8e-6 of the largest."""
    few, many = linear_response(antenna, 12), linear_response(antenna, 100)
    sizes = np.max(np.abs(many), axis=0)
    differences = np.max(np.abs(few - many), axis=0) / sizes
    assert np.all(sizes > 1e-3)
    assert np.all(differences < [1e-7, 2e-5])


def slewed(fmu):
    """4 s of the native FMU: torques of 6 N m about y and 10 N m about z for a second, then back; turned by 1.9 rad, bent by 78 mm."""
    shape = np.array([1.0, 1.0, -1.0, -1.0, 0.0, 0.0])
    torque = Result(np.array([0.0, 1.0, 1.001, 2.0, 2.001, 4.0]), ("hub.torque[2]", "hub.torque[3]"), np.outer(shape, [6.0, 10.0]))  # fmt: skip
    return api.simulate(fmu, stop=4.0, step=0.05, inputs=torque)


@pytest.mark.slow
def test_its_fmu_slews_as_with_a_hundred_modes(antenna, tmp_path):
    """The nonlinear equations, a large turn about two axes at once. Measured: quaternion 3e-8, tip 4e-6 of the largest deflection.

    The FMU grows with the square of its modes (tables of h⁴ and h⁵): measured 0.8 MB with 12 modes, 4.2 MB with 100.
    """
    fmus = {n: api.build(description(antenna, n), tmp_path / f"antenna{n}.fmu") for n in (12, 100)}
    assert fmus[100].stat().st_size < 6e6
    few, many = slewed(fmus[12]), slewed(fmus[100])
    assert np.min(np.abs(many["hub.quaternion"][:, 0])) < np.cos(0.5)  # turned by more than 1 rad
    assert np.max(np.abs(many["antenna.tip.displacement"])) > 0.05
    assert relative(few["hub.quaternion"], many["hub.quaternion"]) < 1e-7
    assert relative(few["antenna.tip.displacement"], many["antenna.tip.displacement"]) < 2e-5
