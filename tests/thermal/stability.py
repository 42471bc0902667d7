"""One mode whose heating it changes by its own slope: descriptions, the equilibrium, and poles of runs.

A cantilever with one bending mode (along z) and one section; a plate of two nodes without radiation, whose difference obeys
τ ΔṪ + ΔT = ΔT∞ c with τ = ρch²/4k, ΔT∞ = aSh/2k; c = cos β(θ) the incidence at the section, turned by θ = ψη about y: c = s_x sin θ + s_z cos θ.
With η_s the deformed equilibrium and ε = −η_s c'(η_s)/c(η_s) this is τθ̇ + θ = 1 − ε η/η_s, linearized there.
"""

import numpy as np
from scipy.optimize import brentq

from spacefmu.dynamics.description import load_text
from spacefmu.fmu_src import cosim

OMEGA = 1.0  # [rad/s]
CONDUCTIVITY, THICKNESS, HEAT_CAPACITY, ABSORPTIVITY, EXPANSION, FLUX = 0.2, 0.01, 900.0, 0.9, 2e-5, 1361.0

PLANT = f"""
name = "OneMode"
[experiment]
tolerance = 1e-10
[bodies.boom]
thermal = {{ expansion = {EXPANSION}, thickness = {{ z = {THICKNESS} }}, static_shapes = false }}
[bodies.boom.beam]
length = 8.0
mass = 2.0
bending_z = 100.0
modes = {{ bending_z = 1 }}
stiffening = false
[joints.root]
parent = "space"
child = "boom"
kind = "fixed"
[environment]
sun = {{ direction = [-1.0, 0.0, 0.4] }}
"""

HEAT = f"""
kind = "thermal_model"
name = "TwoNodes"
shape = "plate"
nodes = 2
length = 8.0
width = 0.02
thickness = {THICKNESS}
density = 1000.0
specific_heat = {HEAT_CAPACITY}
conductivity = {CONDUCTIVITY}
absorptivity = {ABSORPTIVITY}
emissivity = 0.0
[experiment]
tolerance = 1e-10
"""

SYSTEM = """
kind = "system"
name = "Feedback"
step = 0.1
stop = 1.0
{units}
[connections]
"heat.sunlight" = "plant.boom.section.sunlight"
"plant.boom.temperature_difference_z" = "heat.temperature_difference_z"
"""


class Feedback:
    """The equilibrium for a Sun at `beta` [rad] from the normal, on the root's side (sign −1) or the tip's (+1), and an expansion."""

    def __init__(self, beta: float, sign: float = -1.0, expansion: float = EXPANSION, guess: float = 0.0):
        system = load_text(PLANT)
        body = system.made_by[1].tree.links[0].body
        self.sun = np.array([sign * np.sin(beta), 0.0, np.cos(beta)])
        self.expansion = expansion
        self.psi = body.thermal.sections[0].turn[1, 0]  # θ = ψη
        self.warm = ABSORPTIVITY * FLUX * THICKNESS / (2.0 * CONDUCTIVITY)
        self.per_kelvin = -expansion / THICKNESS * body.thermal.loads[0].shapes[0, 0]
        limit = np.pi / 2.0 / self.psi
        spots = np.linspace(0.0, 0.999 * limit, 4000)
        rest = [self.per_kelvin * self.warm * self.incidence(eta)[0] - eta for eta in spots]
        crossings = [i for i in range(len(rest) - 1) if rest[i] * rest[i + 1] < 0.0]
        i = min(crossings, key=lambda i: abs(spots[i] * self.psi - guess))
        self.eta = brentq(
            lambda eta: self.per_kelvin * self.warm * self.incidence(eta)[0] - eta, spots[i], spots[i + 1], xtol=1e-15
        )
        cosine, slope = self.incidence(self.eta)
        self.epsilon = -self.eta * slope / cosine
        self.difference = self.warm * cosine

    def incidence(self, eta):
        """c and dc/dη."""
        theta = self.psi * eta
        x, _, z = self.sun
        return x * np.sin(theta) + z * np.cos(theta), self.psi * (x * np.cos(theta) - z * np.sin(theta))

    def poles(self, zeta: float, tau: float) -> np.ndarray:
        """Roots of (s² + 2ζωs + ω²)(τs + 1) + εω²."""
        return np.roots(
            np.polyadd(np.polymul([1.0, 2.0 * zeta * OMEGA, OMEGA**2], [tau, 1.0]), [self.epsilon * OMEGA**2])
        )

    def critical_damping(self, omega_tau: float) -> float:
        """ζ with ε = 2ζ(ωτ + 2ζ + 1/(ωτ))."""
        b = omega_tau + 1.0 / omega_tau
        return (-b + np.sqrt(b * b + 4.0 * self.epsilon)) / 4.0

    def starts(self, zeta: float, tau: float, moved: float) -> dict[str, dict[str, float]]:
        """Parameters and a start at the equilibrium, the mode moved by a share of it."""
        density = 4.0 * CONDUCTIVITY * tau / (HEAT_CAPACITY * THICKNESS**2)
        sun = {f"environment.sun_direction[{i}]": value for i, value in enumerate(self.sun, 1)}
        plant = {"boom.mode[1].frequency": OMEGA / (2.0 * np.pi), "boom.mode[1].damping": zeta, "boom.thermal.expansion": self.expansion,
                 "boom.mode[1].amplitude": self.eta * (1.0 + moved), **sun}  # fmt: skip
        nodes = {
            "node_temperature[1,1]": 300.0 - self.difference / 2.0,
            "node_temperature[1,2]": 300.0 + self.difference / 2.0,
        }
        return {"plant": plant, "heat": {"density": density, **nodes}}


def poles_of_run(times, eta, order: int, stride: int) -> np.ndarray:
    """Poles of a sampled linear motion (Prony): η_n satisfies a linear recurrence, one pole being that of the constant."""
    samples, spacing = eta[::stride], stride * (times[1] - times[0])
    samples = samples - samples.mean()
    rows = np.array([samples[i : i + order + 1] for i in range(len(samples) - order)])
    recurrence = np.linalg.lstsq(rows[:, :order], -rows[:, order], rcond=None)[0]
    return np.log(np.roots([1.0, *recurrence[::-1]]).astype(complex)) / spacing


def slowest_pair(poles) -> complex:
    """The oscillating pole."""
    return max((pole for pole in poles if pole.imag > 0.1 * OMEGA), key=lambda pole: pole.real)


def run(master, feedback: Feedback, zeta: float, tau: float, step: float, periods: float = 8.0, moved: float = 3e-3):
    master.system = master.system.model_copy(update={"step": step, "stop": periods * 2.0 * np.pi / OMEGA})
    return master.run(feedback.starts(zeta, tau, moved), record=["plant.boom.mode[1].amplitude"])


def master_of(folder, fmus) -> cosim.Master:
    """Both FMUs in a master; fmus: unit → file."""
    units = "\n".join(f'[units.{unit}]\nmodel = "{fmus[unit]}"' for unit in ("heat", "plant"))
    path = folder / "feedback.toml"
    path.write_text(SYSTEM.format(units=units))
    return cosim.Master(cosim.read_system(path), fmus)
