"""Smallest singular values against LAPACK, on floats and on symbols."""

from __future__ import annotations

import re

import casadi
import numpy as np
import pytest

from spacefmu.dynamics.algebra.symbol import symbols, to_column
from spacefmu.dynamics.inverse.singular import smallest_singular_value
from spacefmu.dynamics.natural.first_order_craft import FirstOrder
from spacefmu.dynamics.natural.system import natural_system
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.fmu_src import api
from spacefmu.fmu_src.cosim.fmu import SimulationError
from tests.inverse.arms import SPATIAL, at_start, with_inverse


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (3, 3), (6, 6), (3, 7), (6, 7), (9, 4)])
def test_random_matrices(shape):
    rng = np.random.default_rng(sum(shape))
    for _ in range(20):
        A = rng.normal(size=shape)
        values = np.linalg.svd(A, compute_uv=False)
        assert smallest_singular_value(A) == pytest.approx(values[-1], abs=1e-13 * values[0])


def test_singular_and_diagonal_ones():
    A = np.random.default_rng(0).normal(size=(5, 5))
    A[:, 4] = A[:, :4] @ [1.0, -2.0, 0.5, 0.3]
    assert smallest_singular_value(A) < 1e-14
    assert smallest_singular_value(np.diag([3.0, 2.0, 5.0])) == 2.0
    assert smallest_singular_value(np.zeros((3, 3))) == 0.0


def test_on_symbols():
    entries, column = symbols("a", 16)
    found = casadi.Function("f", [column], [to_column([smallest_singular_value(entries.reshape(4, 4))])])
    A = np.random.default_rng(8).normal(size=(4, 4))
    assert float(found(A.ravel())) == pytest.approx(np.linalg.svd(A, compute_uv=False)[-1], rel=1e-12)


GRIPPER = '[inverse.paths.gripper]\nnode = "forearm.gripper"\n'


def at_rest(pitch, elbow):
    """The arm at these angles, its inverse problem and in natural coordinates."""
    changes = {
        "[0.4, -0.9], rate = [0.05, 0.1]": f"[0.4, {pitch}]",
        "position = 1.1, rate = -0.1": f"position = {elbow}",
    }
    return with_inverse(SPATIAL, GRIPPER, **changes), natural_system(with_inverse(SPATIAL, "", **changes).made_by[1])


@pytest.mark.parametrize(("pitch", "elbow"), [(-0.9, 1.1), (-0.9, 0.0), (1e-3, 2e-3)])
def test_the_measure_is_that_of_base_and_arm_together(pitch, elbow):
    """The least singular value of the gripper's velocities that unit rates of the joints give without momentum, by the first-order form in
    natural coordinates. Stretched out, an arm on the ground is singular; this one is not, as its base gives way (-0.9, 0)."""
    system, natural = at_rest(pitch, elbow)
    form, (x, *_) = FirstOrder.of(natural), start(natural)
    rates = ("shoulder.rate[1]", "shoulder.rate[2]", "elbow.rate")
    rows = form.node_rows(x, "forearm", "gripper")
    J = np.column_stack([rows @ form.rates(x, {r: float(r == one) for r in rates}) for one in rates])
    expected = np.linalg.svd(J, compute_uv=False)[-1]
    assert at_start(system, "inverse.singular_value") == pytest.approx(expected, rel=1e-8)
    assert (expected < 0.01) == (pitch == 1e-3)


def test_a_singular_configuration_is_reported():
    """Arm and mass centre of the hub in one line: nothing moves the gripper along it."""
    system, _ = at_rest(0.0, 0.0)
    assert abs(at_start(system, "inverse.singular_value")) < 1e-12


def test_the_inertia_is_what_the_drives_feel():
    """At rest, torques τ on the joints of the forward System give accelerations a with `inverse.inertia` a = τ."""
    changes = {", rate = [0.05, 0.1]": "", ", rate = -0.1": ""}
    inertia = at_start(with_inverse(SPATIAL, GRIPPER, **changes), "inverse.inertia").reshape(3, 3)
    forward = with_inverse(SPATIAL, "", **changes)
    x, u, k, d = start(forward)
    torque = np.array([0.3, -0.7, 0.4])
    u[[forward.signals.where("inputs", n) for n in ("shoulder.torque[1]", "shoulder.torque[2]", "elbow.torque")]] = (
        torque
    )
    rates = motion(forward, 0.0, x, u, k, d)[0]
    a = rates[[forward.signals.where("states", n) for n in ("shoulder.rate[1]", "shoulder.rate[2]", "elbow.rate")]]
    assert inertia @ a == pytest.approx(torque, abs=1e-12)
    assert inertia == pytest.approx(inertia.T, abs=1e-12)


@pytest.mark.parametrize("flavour", ["native", "python"])
def test_a_path_into_a_singularity_ends_there_by_name(flavour, tmp_path, capfd):
    """The gripper is pulled straight out until the arm is stretched. Before, it went on to 10⁶ rad/s, and a sentence about the tolerance."""
    start_at = at_start(with_inverse(SPATIAL, ""), "forearm.gripper.position")
    x, y, z = (float(each) for each in start_at)
    pulled = with_inverse(SPATIAL, f'{GRIPPER}formula = ["{x} + 0.3*time", {y}, {z}]\n')
    fmu = api.build(pulled, tmp_path / "pulled.fmu", flavour=flavour)
    said, found = "", None
    try:
        found = api.simulate(
            fmu, stop=5.0, step=0.1
        )  # pythonfmu's wrapper has no error to return: the run ends there, and stderr says why
    except SimulationError as error:
        said, found = str(error), error.so_far
    assert re.search(
        r"at time 1\.08.* is not finite: the path reaches a singular config", said + capfd.readouterr().err
    )
    assert found.time[-1] < 1.2
    assert np.abs(found["shoulder.rate"]).max() < 1e5
