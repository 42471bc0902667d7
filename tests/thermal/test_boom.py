"""The boom of ThermalFlutter, whole: its poles about the deformed equilibrium by the fused System, by finite elements and own rings, and by its two FMUs."""

import numpy as np
import pytest
from scipy.linalg import eigh

from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.dynamics.system.recording import recorded
from spacefmu.fmu_src import api, catalogue, cosim
from tests.catalogue_fmus import fmu_file
from tests.thermal.stability import poles_of_run

# ThermalBoom.toml and BoomHeat.toml
L, EI, TIP, ALPHA, DIAMETER, SECTIONS, ZETA, STATIC = 8.0, 90.95, 2.0, 1.69e-5, 0.02, 4, 0.001, 0.5
LINE, SUN, FLUX = 0.5286 / 8.0, np.array([-0.9, 0.436, 0.0]) / np.hypot(0.9, 0.436), 1361.0
RADIUS, WALL, DENSITY, HEAT, CONDUCTIVITY, ABSORPTIVITY, EMISSIVITY, NODES = (
    0.01,
    0.00015,
    7010.0,
    502.0,
    16.6,
    0.5,
    0.13,
    12,
)
SIGMA = 5.670374419e-8
ELEMENTS = 40


class FiniteElements:
    """Hermite elements and a ring of nodes a section, written from the equations alone; y = (w, ẇ, T)."""

    def __init__(self):
        h, n = L / ELEMENTS, 2 * (ELEMENTS + 1)
        k = (
            EI
            / h**3
            * np.array(
                [
                    [12, 6 * h, -12, 6 * h],
                    [6 * h, 4 * h * h, -6 * h, 2 * h * h],
                    [-12, -6 * h, 12, -6 * h],
                    [6 * h, 2 * h * h, -6 * h, 4 * h * h],
                ]
            )
        )
        m = (
            LINE
            * h
            / 420.0
            * np.array(
                [
                    [156, 22 * h, 54, -13 * h],
                    [22 * h, 4 * h * h, 13 * h, -3 * h * h],
                    [54, 13 * h, 156, -22 * h],
                    [-13 * h, -3 * h * h, -22 * h, 4 * h * h],
                ]
            )
        )
        K, M = np.zeros((n, n)), np.zeros((n, n))
        for e in range(ELEMENTS):
            at = slice(2 * e, 2 * e + 4)
            K[at, at] += k
            M[at, at] += m
        M[-2, -2] += TIP
        self.K, self.M = K[2:, 2:], M[2:, 2:]
        square, shapes = eigh(self.K, self.M)
        ratios = np.where(np.arange(len(square)) < 2, ZETA, STATIC)
        self.D = self.M @ shapes @ np.diag(2.0 * ratios * np.sqrt(square)) @ shapes.T @ self.M
        self.size = n - 2
        turns = np.arange(1, n, 2)
        self.bounds = turns[np.arange(SECTIONS + 1) * ELEMENTS // SECTIONS] - 2  # −1: the clamped root
        self.middles = turns[(2 * np.arange(SECTIONS) + 1) * ELEMENTS // (2 * SECTIONS)] - 2

    def forces(self, T):
        phi = 2.0 * np.pi * np.arange(NODES) / NODES
        difference = 4.0 / NODES * T @ np.cos(phi)
        moment = -EI * ALPHA / DIAMETER * difference
        f = np.zeros(self.size)
        for i in range(SECTIONS):
            f[self.bounds[i + 1]] += moment[i]
            if i:
                f[self.bounds[i]] -= moment[i]
        return f

    def heating(self, w, T):
        phi = 2.0 * np.pi * np.arange(NODES) / NODES
        arc = RADIUS * 2.0 * np.pi / NODES
        turn = w[self.middles]
        across = -np.sin(turn) * SUN[0] + np.cos(turn) * SUN[1]
        light = ABSORPTIVITY * FLUX * np.maximum(np.outer(across, np.cos(phi)), 0.0) - EMISSIVITY * SIGMA * (
            T**4 - 3.0**4
        )
        around = CONDUCTIVITY * WALL / arc**2 * (np.roll(T, 1, axis=1) - 2.0 * T + np.roll(T, -1, axis=1))
        return (light + around) / (DENSITY * HEAT * WALL)

    def rates(self, y):
        w, v, T = y[: self.size], y[self.size : 2 * self.size], y[2 * self.size :].reshape(SECTIONS, NODES)
        return np.concatenate(
            [v, np.linalg.solve(self.M, self.forces(T) - self.K @ w - self.D @ v), self.heating(w, T).ravel()]
        )


def equilibrium(rates, y, moving, steps):
    """Newton on the rates of the `moving` entries; slopes by central differences. (y, slopes)."""
    for _ in range(12):
        columns = [(rates(y + s) - rates(y - s))[moving] / (2.0 * np.abs(s).max()) for s in np.diag(steps)[moving]]
        A = np.array(columns).T
        change = np.linalg.solve(A, rates(y)[moving])
        y = np.array(y)
        y[moving] -= change
        if np.abs(change).max() < 1e-9:
            return y, A
    raise AssertionError("no equilibrium")


def flutter(A) -> complex:
    """The pole of the first bending mode."""
    return min((pole for pole in np.linalg.eigvals(A) if pole.imag > 0.1), key=abs)


@pytest.fixture(scope="module")
def fused():
    """The fused System at rest: (System, x, pole)."""
    system = recorded(api.load(catalogue.SYSTEMS / "ThermalFlutter.toml"))
    x, u, k, d = start(system)
    names = [entry.name for entry in system.signals.states]
    x = np.array([300.0 if "node_temperature" in name else value for name, value in zip(names, x, strict=True)])
    moving = np.array([i for i, name in enumerate(names) if "system." not in name])
    steps = np.array([1e-2 if "node_temperature" in name else 1e-5 for name in names])
    x, A = equilibrium(lambda x: motion(system, 0.0, x, u, k, d)[0], x, moving, steps)
    return system, x, flutter(A)


def test_poles_about_the_deformed_equilibrium(fused):
    """Modes with static shapes against finite elements: bent by 0.3 m, the same temperatures, frequency and growth."""
    system, x, pole = fused
    own = FiniteElements()
    begin = np.concatenate([np.zeros(2 * own.size), np.full(SECTIONS * NODES, 300.0)])
    steps = np.concatenate([np.full(2 * own.size, 1e-6), np.full(SECTIONS * NODES, 1e-2)])
    y, A = equilibrium(own.rates, begin, np.arange(len(begin)), steps)
    expected = flutter(A)
    assert y[own.size - 2] == pytest.approx(-0.3, abs=0.02)
    warm = x[[i for i, entry in enumerate(system.signals.states) if "node_temperature" in entry.name]]
    assert np.abs(warm - y[2 * own.size :]).max() < 1e-3
    assert pole.imag == pytest.approx(expected.imag, rel=1e-5)  # measured 8e-7
    assert pole.real == pytest.approx(expected.real, rel=1e-4)  # measured 1.2e-6
    assert pole.real > 0.0


def test_two_fmus_grow_as_the_poles_say(fused):
    """Runs of the two FMUs from near the equilibrium: the fitted pole tends to that of the fused System with the communication step."""
    system, x, pole = fused
    starts = {"heat": {}, "plant": {}}
    for entry, value in zip(system.signals.states, x, strict=True):
        unit, _, name = entry.name.partition(".")
        if "system." not in name:
            starts[unit][name] = value
    starts["plant"]["boom.mode[1].amplitude"] += 1e-3
    coupled = cosim.read_system(catalogue.SYSTEMS / "ThermalFlutter.toml")
    found = []
    with cosim.Master(coupled, {"heat": fmu_file("BoomHeat"), "plant": fmu_file("ThermalBoom")}) as master:
        for step in (0.2, 0.1, 0.05):
            master.system = coupled.model_copy(update={"step": step, "stop": 120.0})
            result = master.run(starts, record=["plant.boom.tip.displacement"])
            poles = poles_of_run(result.time, result["plant.boom.tip.displacement[2]"], 6, round(2.0 / step))
            found.append(min((p for p in poles if p.imag > 0.2), key=lambda p: abs(p - pole)))
    tended = found[0] / 3.0 - 2.0 * found[1] + 8.0 / 3.0 * found[2]
    assert tended.imag == pytest.approx(pole.imag, rel=1e-5)  # measured 7e-8
    assert tended.real == pytest.approx(pole.real, rel=1e-3)  # measured 9e-6
