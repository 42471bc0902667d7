"""A plant of ours coupled with a controller that somebody else's exporter made: pythonfmu's own, of a class that knows nothing of us."""

import numpy as np
from pythonfmu import FmuBuilder

from spacefmu.fmu_src import api, cosim

DAMPER = """
from pythonfmu import Fmi2Causality, Fmi2Slave, Real


class Damper(Fmi2Slave):
    def __init__(self, **keys):
        super().__init__(**keys)
        self.rate, self.torque, self.damping = 0.0, 0.0, 0.6
        self.register_variable(Real("rate", causality=Fmi2Causality.input))
        self.register_variable(Real("torque", causality=Fmi2Causality.output))
        self.register_variable(Real("damping", causality=Fmi2Causality.parameter, variability="tunable"))

    def do_step(self, time, step):
        self.torque = -self.damping * self.rate
        return True
"""
PLANT = """
name = "Plant"
[bodies.hub]
mass = 10.0
inertia = [2.0, 3.0, 4.0]
forces_at = ["frame"]
initial = { angular_velocity = [0.0, 0.0, 0.5] }
[experiment]
tolerance = 1e-11
"""


def test_it_damps_the_spin_of_our_plant(tmp_path):
    """ω_{n+1} = ω_n + h T_n / J, T_{n+1} = −D ω_n: its output is that of its last step, so it is a step late."""
    (tmp_path / "damper.py").write_text(DAMPER)
    (tmp_path / "plant.toml").write_text(PLANT)
    damper = FmuBuilder.build_FMU(str(tmp_path / "damper.py"), dest=str(tmp_path))
    system = cosim.CoupledSystem(
        name="Foreign",
        step=0.2,
        stop=10.0,
        units={"plant": {"model": "plant.toml"}, "damper": {"model": str(damper), "start": {"damping": 0.8}}},
        connections={"damper.rate": "plant.hub.angular_velocity[3]", "plant.hub.torque[3]": "damper.torque"},
    )
    fmus = {"plant": api.build(tmp_path / "plant.toml", tmp_path / "plant.fmu"), "damper": damper}
    run = cosim.cosimulate(system, fmus)
    rates, torque = [0.5], 0.0
    for _ in range(50):
        rates.append(rates[-1] + 0.2 * torque / 4.0)
        torque = -0.8 * rates[-2]
    assert np.abs(run["plant.hub.angular_velocity[3]"] - rates).max() < 1e-10
    assert abs(rates[-1]) < 0.1
