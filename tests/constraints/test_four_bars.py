"""Four-bar linkages that fold flat twice in a turn, of rods with unequal masses, against their motion in one coordinate: antiparallelogram, kite, parallelogram.

As lengths a, b, c, g (crank, coupler, rocker, frame) with a + g = b + c and |g − a| = |b − c|, the knee is off the line of the crank's end and the far pivot by
± a g sin θ / d, d the distance of these two. Either sign is a smooth branch, and they meet at θ = 0 and π.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from spacefmu.dynamics.description import load_text
from spacefmu.fmu_src import api
from spacefmu.fmu_src.build import build_native
from tests.constraints.exchange_hosts import Exchanged, by_dop853
from tests.constraints.linkages import GRAVITY, UNIFORM, arctan2, close, hinge, rod, slope
from tests.session import once, session_folder

STOP, ANGLE, BUILT_AT = 10.0, 1.0, 10.0  # s, rad, rad/s


@dataclass(frozen=True)
class Linkage:
    lengths: tuple[float, float, float, float]
    masses: tuple[float, float, float]
    side: float

    def directions(self, angle):
        """Of coupler and rocker, by the crank's."""
        a, b, c, g = self.lengths
        square = a * a + g * g - 2.0 * a * g * np.cos(angle)
        along, across = (b * b - c * c + square) / 2.0, self.side * a * g * np.sin(angle)
        ex, ey = g - a * np.cos(angle), -a * np.sin(angle)
        x, y = (along * ex - across * ey) / square, (along * ey + across * ex) / square
        return np.array([arctan2(y, x), arctan2(y - ey, x - ex)])

    def rates(self, angle):
        return slope(self.directions, angle)

    def text(self) -> str:
        (a, b, c, g), (m_crank, m_coupler, m_rocker) = self.lengths, self.masses
        (knee, far), (knee_rate, far_rate) = self.directions(ANGLE), self.rates(ANGLE) * BUILT_AT
        text = rod("crank", a, m_crank) + hinge("pivot", "space", "crank", [0, 0, 0], ANGLE, BUILT_AT)
        text += rod("coupler", b, m_coupler)
        text += hinge("knee", "crank", "coupler", [a, 0, 0], knee - ANGLE, knee_rate - BUILT_AT)
        text += rod("rocker", c, m_rocker) + hinge("far", "space", "rocker", [g, 0, 0], far, far_rate)
        return UNIFORM + text + close("closure", "coupler.end", "rocker.end")

    def starts(self, rate: float) -> dict[str, float]:
        knee, far = self.rates(ANGLE) * rate
        return {"pivot.rate": rate, "knee.rate": knee - rate, "far.rate": far}

    def mass_and_potential(self, angle):
        (a, b, c, _), (m_crank, m_coupler, m_rocker) = self.lengths, self.masses
        (knee, far), (knee_rate, far_rate) = self.directions(angle), self.rates(angle)
        middle = a * np.exp(1j * angle) + 0.5 * b * np.exp(1j * knee) * knee_rate  # the coupler's speed, turned by 90°
        mass = (m_crank * a**2 + m_rocker * (c * far_rate) ** 2) / 3.0
        mass += m_coupler * (abs(middle) ** 2 + (b * knee_rate) ** 2 / 12.0)
        heights = 0.5 * a * np.sin(angle), a * np.sin(angle) + 0.5 * b * np.sin(knee), 0.5 * c * np.sin(far)
        return mass, GRAVITY * np.dot(self.masses, heights)

    def angle_after(self, rate: float) -> float:
        """½ m(θ) θ̇² + V(θ) is constant; the crank never rests."""
        mass, potential = self.mass_and_potential(ANGLE)
        energy = 0.5 * mass * rate**2 + potential

        def speed(_, angle):
            mass, potential = self.mass_and_potential(angle[0])
            return [np.sign(rate) * np.sqrt(2.0 * (energy - potential) / mass)]

        return float(solve_ivp(speed, (0.0, STOP), [ANGLE], "DOP853", rtol=1e-13, atol=1e-13).y[0, -1])


LINKAGES = {
    "antiparallelogram": Linkage((1.0, 2.0, 1.0, 2.0), (1.0, 1.0, 1.0), 1.0),
    "parallelogram": Linkage((1.0, 2.0, 1.0, 2.0), (0.6, 1.7, 2.3), -1.0),
    "kite": Linkage((1.0, 1.0, 2.0, 2.0), (1.0, 0.7, 1.3), -1.0),
    "folded kite": Linkage((1.0, 1.0, 2.0, 2.0), (1.0, 0.7, 1.3), 1.0),  # crank and coupler turn as one, the rocker lies on the frame
}  # fmt: skip
NAMES = ["kite", *(pytest.param(name, marks=pytest.mark.ci) for name in LINKAGES if name != "kite")]


@pytest.mark.parametrize("name", NAMES)
def test_it_folds_on_through_both_change_points(name):
    """16 to 32 of them in 10 s. Measured at most 73 tolerances."""
    linkage = LINKAGES[name]
    system = load_text(f'name = "FourBarOfRods"\n{linkage.text()}')
    for rate, step in ((-9.0, 0.1), (7.3, 1.0)):
        wanted = linkage.angle_after(rate)
        assert abs(wanted - ANGLE) > 2.0 * np.pi * 8.0  # so many turns, each with two change points
        for tolerance in (1e-4, 1e-8, 1e-12):
            values = linkage.starts(rate) | {"solver.tolerance": tolerance}
            found = api.simulate(system, stop=STOP, step=step, start_values=values)
            assert abs(found["pivot.angle"][-1] - wanted) < 1000.0 * tolerance


@pytest.mark.ci
@pytest.mark.parametrize("name", LINKAGES)
def test_it_folds_on_in_model_exchange(name):
    linkage = LINKAGES[name]
    system = load_text(f'name = "FourBarOfRods"\n{linkage.text()}')
    path = once(session_folder() / f"{name.replace(' ', '_')}.fmu", lambda path: build_native(system, path, ["host"]))
    for rate, tolerance in ((-9.0, 1e-4), (7.3, 1e-8)):
        run = Exchanged(path, path.with_suffix(""), linkage.starts(rate))
        by_dop853(run, STOP, tolerance, 0.1)
        error = abs(run.read("pivot.angle")[0] - linkage.angle_after(rate))
        run.close()
        assert error < 1000.0 * tolerance
