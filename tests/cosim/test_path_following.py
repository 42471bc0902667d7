"""Computed torque with the inertia of the configuration: the joints of PathFollowing, fed by an inverse problem's FMU."""

import numpy as np
import pytest

from spacefmu.fmu_src import api, catalogue, cosim
from tests.cosim.test_ssp_masters import packed


@pytest.fixture(scope="module")
def run():
    system, fmus, _ = packed("PathFollowing")
    return cosim.cosimulate(system, fmus)


@pytest.mark.slow
def test_each_joint_has_its_own_error(run):
    """The elbow starts 0.05 rad off: its error is 0.05 (1 + 2t) exp(−2t), the solution of ë + 4ė + 4e = 0, and the shoulder is left alone, within
    the hold of 10 ms and what moves on meanwhile."""
    expected = np.zeros((len(run.time), 3))
    expected[:, 2] = 0.05 * (1.0 + 2.0 * run.time) * np.exp(-2.0 * run.time)
    assert run["arm.error"][0] == pytest.approx(expected[0], abs=1e-12)
    assert np.max(np.abs(run["arm.error"] - expected)) < 0.01 * 0.05


@pytest.mark.slow
def test_momentum_is_that_of_the_inverse_problem(run):
    """Torques between bodies alone: both keep their momentum of zero. The base has moved as the elbow came back, which joints can't see:
    the gripper stays a centimetre off its circle."""
    for name in ("system.momentum", "system.angular_momentum"):
        plant, inverse = run[f"plant.{name}"], run[f"inverse.{name}"]
        assert np.max(np.abs(plant)) < 1e-9
        assert np.max(np.abs(inverse)) < 1e-9
    assert np.max(np.abs(run["inverse.forearm.gripper.path.position_error"])) < 1e-9
    off = run["plant.forearm.gripper.position"] - run["inverse.forearm.gripper.position"]
    assert np.max(np.abs(off[run.time > 10.0])) < 0.015


@pytest.mark.slow
def test_constant_inertias_let_the_joints_disturb_each_other(run):
    """The diagonal of the same inertia as constants, torques fed forward as before: errors of a joint reach the others."""
    system, fmus, _ = packed("PathFollowing")
    inertia = np.diag(run["inverse.inverse.inertia"][0].reshape(3, 3))
    arm = system.units["arm"].model_copy(
        update={"start": {f"inertia[{i + 1}]": float(v) for i, v in enumerate(inertia)}}
    )
    links = {k: v for k, v in system.connections.items() if not k.startswith("arm.configuration")}
    plain = system.model_copy(update={"units": system.units | {"arm": arm}, "connections": links})
    other = cosim.cosimulate(plain, fmus)
    assert np.max(np.abs(other["arm.error"][:, :2])) > 4.0 * np.max(np.abs(run["arm.error"][:, :2]))


@pytest.mark.slow
def test_one_fmu_of_all_three(run):
    """Sampled and held: the fused System has the same motion, 1e-9."""
    fused = api.cosimulate(catalogue.find("PathFollowing"), algorithm="monolithic", stop=5.0)
    for name in ("arm.error", "plant.forearm.gripper.position", "plant.hub.quaternion"):
        assert np.max(np.abs(fused[name] - run[name][: len(fused.time)])) < 1e-9
