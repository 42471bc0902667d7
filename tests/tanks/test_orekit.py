"""An apogee burn on an orbit against Orekit's numbers: testRoughBehaviour of its ConstantThrustManeuverTest (github.com/CS-SI/Orekit)."""

import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system import evaluate
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.native.trace.fast import fast

MU = 3.9860047e14
CRAFT = """
name = "Transfer"
[environment]
gravity = "central"
mu = {mu}
[bodies.hub]
mass = 1500.0
inertia = [1e4, 1e4, 1e4]
[bodies.hub.initial]
position = {position}
velocity = {velocity}
[tanks.main]
body = "hub"
kind = "point"
capacity = 1000.0
propellant = 1000.0
[thrusters.main]
body = "hub"
place = [0.0, 0.0, 0.0]
direction = {direction}
tank = "main"
isp = 318.0
"""


def start():
    """Position and velocity of a = 24396159 m, e = 0.72831215, i = 7 deg, ω = 180 deg, Ω = 261 deg at perigee."""
    a, e, i, perigee, node = 24396159.0, 0.72831215, *np.radians([7.0, 180.0, 261.0])
    turn = np.array([[np.cos(node), -np.sin(node), 0.0], [np.sin(node), np.cos(node), 0.0], [0.0, 0.0, 1.0]])
    turn = turn @ np.array([[1.0, 0.0, 0.0], [0.0, np.cos(i), -np.sin(i)], [0.0, np.sin(i), np.cos(i)]])
    along, across = (
        np.array([np.cos(perigee), np.sin(perigee), 0.0]),
        np.array([-np.sin(perigee), np.cos(perigee), 0.0]),
    )
    return turn @ along * a * (1.0 - e), turn @ across * np.sqrt(MU / a * (1.0 + e) / (1.0 - e))


def test_apogee_burn_as_in_orekit():
    """420 N for 3653.99 s from 17134.08 s after perigee on, along right ascension 351 and declination −7.4978 degrees; 3800 s after its start:

    mass 2007.8824544261233 kg, inclination 2.6872 degrees (to 1e-4), semi-major axis 28970 km (to 1 km).
    """
    alpha, delta = np.radians([351.0, -7.4978])
    direction = [np.cos(alpha) * np.cos(delta), np.sin(alpha) * np.cos(delta), np.sin(delta)]
    r, v = start()
    text = CRAFT.format(
        mu=MU, position=r.tolist(), velocity=v.tolist(), direction=[float(component) for component in direction]
    )
    system = fast(load_text(text))
    names = [entry.name for entry in system.signals.states]
    x, _, _, d = evaluate.start(system)
    begin, burn = 4 * 3600.0 + 45 * 60.0 + 34.08, 3653.99
    for t0, t1, force in ((0.0, begin, 0.0), (begin, begin + burn, 420.0), (begin + burn, begin + 3800.0, 0.0)):
        run = integrate(system, [t0, t1], u=np.array([force]), x=x, d=d, rtol=1e-11, atol=1e-9)
        x, d = run.x[-1], run.d[-1]
    place = names.index("hub.position[1]"), names.index("hub.velocity[1]")
    r, v = (x[i : i + 3] for i in place)
    h = np.cross(r, v)
    assert 1500.0 + x[names.index("tank.main.propellant")] == pytest.approx(2007.8824544261233, rel=1e-12)
    assert np.degrees(np.arccos(h[2] / np.linalg.norm(h))) == pytest.approx(2.6872, abs=1e-4)
    assert 1e-3 / (2.0 / np.linalg.norm(r) - v @ v / MU) == pytest.approx(28970.0, abs=1.0)
