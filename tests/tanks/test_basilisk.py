"""Tanks and burns against Basilisk's numbers, after its corrections of July 2026 (github.com/AVSLab/basilisk, commit babdff7a6, ISC licence)."""

import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system import evaluate
from spacefmu.dynamics.system.reference import integrate
from spacefmu.dynamics.tanks.fill import Ellipsoid
from spacefmu.dynamics.tanks.tank import spread_of
from spacefmu.fmu_src.native.trace.fast import fast


def test_a_sphere_that_empties():
    """test_tank_models.py, FuelTankModelEmptying: a sphere of 5 m with 10 kg, full and half full, that loses 1 kg/s.

    Inertia about the tank's centre 100 and 50 kg m², mass centre 15/8 m below it, its rate −3/8 m/s and its acceleration −1/60 m/s²,
    rate of the axial inertia −12.5 kg m²/s. Its rate across the axis, −8.75, is not compared: a disc through the centre has R²/4, −6.25.
    """
    shape, capacity, mass, flow = Ellipsoid((5.0, 5.0, 5.0), (0.0, 0.0, -1.0)), 10.0, 5.0, -1.0
    full, half = shape.at(1.0), shape.at(0.5)
    assert spread_of(capacity * full.second) == pytest.approx(100.0 * np.eye(3), rel=1e-11)
    assert spread_of(capacity * half.second) == pytest.approx(50.0 * np.eye(3), rel=1e-14)
    center = capacity * half.first / mass
    rate = flow * (half.drawn - center) / mass
    acceleration = flow * (flow * half.rise / capacity - 2.0 * rate) / mass
    assert center[2] == pytest.approx(-15.0 / 8.0, rel=1e-15)
    assert rate[2] == pytest.approx(-3.0 / 8.0, rel=1e-15)
    assert acceleration[2] == pytest.approx(-1.0 / 60.0, rel=1e-13)
    assert flow * spread_of(half.layer)[2, 2] == pytest.approx(-12.5, rel=1e-15)


CRAFT = """
name = "Depletion"
[bodies.hub]
mass = 750.0
inertia = [900.0, 800.0, 600.0]
initial = {{ orientation = {quaternion}, angular_velocity = [0.001, -0.01, 0.03] }}
[tanks.main]
body = "hub"
kind = "table"
table = "{table}"
capacity = 40.0
propellant = 40.0
[thrusters.main]
body = "hub"
place = [1.0, 0.0, 0.0]
direction = "y"
tank = "main"
isp = 227.5
"""


def test_a_burn_off_axis_that_turns_a_satellite(tmp_path):
    """test_mass_depletion.py, ThrusterDynamicEffector: 0.9 N for 9.9 s, 1 m off the axis, from a sphere of constant volume.

    Modified Rodrigues parameters after 600 s, behind a turn of 8.8 rad: (0.14401781, −0.06416870, 0.30166087), met to 3e-5; flow 0.000403404216123 kg/s.
    Basilisk takes Runge-Kutta steps of 0.1 s, whose first stage at 9.9 s still burns: on for 0.1/6 s more. Gravity does not turn a body there.
    """
    spread, on = 0.4 * (46.0 / 2.0 / 3.2808399 / 12.0) ** 2, 9.9 + 0.1 / 6.0
    table = tmp_path / "ball.csv"
    table.write_text("".join(f"{f}, 0, 0, 0, {spread}, {spread}, {spread}, 0, 0, 0\n" for f in (0.0, 0.5, 1.0)))
    sigma = np.array([0.1, 0.2, -0.3])
    square = sigma @ sigma
    quaternion = [float(c) for c in np.array([1.0 - square, *(2.0 * sigma)]) / (1.0 + square)]
    system = fast(load_text(CRAFT.format(quaternion=quaternion, table=table)))
    x, _, _, d = evaluate.start(system)
    for t0, t1, force in ((0.0, on, 0.9), (on, 600.0, 0.0)):
        run = integrate(system, [t0, t1], u=np.array([force]), x=x, d=d, rtol=1e-10, atol=1e-10)
        x, d = run.x[-1], run.d[-1]
        if force:
            flow = run.y[-1, system.signals.where("outputs", "tank.main.flow")]
            assert flow == pytest.approx(0.000403404216123, rel=1e-6)
    q = x[system.signals.where("states", "hub.quaternion")]
    expected = [1.4401781243854264e-01, -6.4168702021364002e-02, 3.0166086824900967e-01]
    assert q[1:] / (1.0 + q[0]) == pytest.approx(expected, abs=5e-5)


SLOSHING = """
name = "Pendulum"
[bodies.hub]
mass = 300.0
mass_center = [0.02, -0.01, 0.05]
inertia = [90.0, 80.0, 60.0]
initial = { angular_velocity = [0.1, -0.05, 0.2] }
[tanks.main]
body = "hub"
place = [0.1, 0.2, 0.5]
kind = "sphere"
radius = 0.4
outlet = "-z"
capacity = 200.0
propellant = 100.0
slosh = { damping = 0.0 }
"""
# SphericalPendulum of Basilisk 2.12.1 (pip: bsk), Runge-Kutta steps of 0.005 s; with 0.01 s 8e-13 apart: time, modified Rodrigues parameters, angular velocity
SWUNG = (
    (5.0, (0.11700544184125929, -0.0864837019045199, 0.2541848926955065), (0.07361514719948878, -0.0765316541917811, 0.198550318043318)),
    (10.0, (0.2040595301401677, -0.22230490225255406, 0.5269271099005848), (0.03535036857298897, -0.05288186948243021, 0.17928106242563588)),
    (20.0, (-0.11929503631251454, 0.37522184230845773, -0.4671394463571896), (-0.04298250931839048, -0.07536298308722907, 0.20787870966494407)),
)  # fmt: skip


def test_a_pendulum_that_swings_high():
    """A free craft with a half-full sphere, no gravity; the mass swings to 120°. Our run at 1e-11 is 1e-12 from Basilisk's.

    There the hub has the tank's fixed part, too: 342.0306996671778 kg, mass centre (0.029830860143975832, 0.015806007877936557, 0.10489635949070775),
    inertia about it by rows (101.57193649799208, −0.6193441890704774, −1.317512627776985), (…, 90.1820986451375, −3.458470647914586), (…, 68.26171913976542).
    The pendulum: massInit 57.96930033282218, pendulumRadius 0.25638441917061694, d = place, D = 0, pHat_01 = −z, pHat_02 = y, pHat_03 = x.
    """
    system = fast(load_text(SLOSHING))
    y = evaluate.motion(system, 0.0, *evaluate.start(system))[1]
    for name, number in (("mass", 57.96930033282218), ("length", 0.25638441917061694)):
        assert y[system.signals.where("outputs", f"tank.main.slosh[1].{name}")] == pytest.approx(number, rel=1e-13)
    run = integrate(system, [0.0, *(time for time, _, _ in SWUNG)], rtol=1e-11, atol=1e-11)
    for x, (_, sigma, omega) in zip(run.x[1:], SWUNG, strict=True):
        q = x[system.signals.where("states", "hub.quaternion")]
        own = q[1:] / (1.0 + q[0])
        own = own if own @ own <= 1.0 else -own / (own @ own)
        assert own == pytest.approx(sigma, abs=1e-10)
        assert x[system.signals.where("states", "hub.angular_velocity")] == pytest.approx(omega, abs=1e-10)
    swing = run.x[2, system.signals.where("states", "tank.main.slosh[1].position")]
    assert 2.0 * np.arctan(np.linalg.norm(swing) / (2.0 * 0.25638441917061694)) > np.radians(110.0)
