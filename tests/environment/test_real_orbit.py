"""Everything about a real orbit at once: both flavours of FMU, model exchange, both frames."""

import fmpy
import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.fmu_src import cosim
from spacefmu.fmu_src.build import build_native, build_python
from tests.environment.craft import HUB

AROUND = """
[environment.time]
epoch = 2026-03-20T12:00:00Z
[environment.harmonics]
degree = 8
[environment.third_bodies]
[environment.sun]
[environment.air]
model = "Harris-Priester"
[environment.magnetic]
model = "IGRF-14"
[surfaces.plate]
body = "hub"
place = [0.0, 0.5, 0.0]
normal = "y"
area = 2.0
both_sides = true
accommodation = 0.9
[dipoles.coil]
body = "hub"
residual = [1.0, 2.0, -1.0]
"""
FRAMES = {
    "orbit": 'frame = "orbit"\norbit = { semi_major_axis = 6.8e6, inclination = "51.6 deg" }\n',
    "inertial": "",
}
AT = "[bodies.hub.initial]\nposition = [4.6e6, 3.0e6, 4.0e6]\nvelocity = [-4.0e3, 6.0e3, 1.0e3]\n"


@pytest.mark.ci
@pytest.mark.parametrize("frame", FRAMES)
def test_flavours_and_model_exchange(tmp_path, frame):
    """Native and Python FMU in co-simulation, and CVode in model exchange, over 300 s."""
    at = AT if frame == "inertial" else ""
    system = load_text(f'name = "Real"\n[environment]\ngravity = "central"\n{FRAMES[frame]}{AROUND}{HUB}{at}')
    native = build_native(system, tmp_path / "native.fmu", ["host"])
    python = build_python(system, tmp_path / "python.fmu")
    a, b = (cosim.simulate(fmu, 300.0, 60.0, {"solver.tolerance": 1e-11}) for fmu in (native, python))
    names = [f"hub.{name}[{i}]" for name in ("position", "angular_velocity", "magnetic_field") for i in (1, 2, 3)]
    names += ["system.altitude", "system.environment_work"]
    for name in names:
        size = max(np.abs(a[name]).max(), 1e-9)
        assert np.abs(a[name] - b[name]).max() < 1e-9 * size
    exchanged = fmpy.simulate_fmu(str(native), fmi_type="ModelExchange", stop_time=300.0, output_interval=60.0, relative_tolerance=1e-10, output=names)  # fmt: skip
    for name in names[3:]:
        assert abs(exchanged[name][-1] - a[name][-1]) < 1e-6 * max(np.abs(a[name]).max(), 1e-9)


SECOND = AT.replace("hub", "other").replace("4.6e6", "4.7e6") + HUB.replace("hub", "other")
FELT = """
[bodies.{0}.nodes]
far = [1.0, 0.0, 0.0]
[sensors.here]
kind = "accelerometer"
at = "{0}"
[sensors.outward]
kind = "accelerometer"
at = "{0}.far"
"""


@pytest.mark.parametrize("body", ["hub", "other"])
def test_an_accelerometer_feels_no_field(body):
    """Two crafts that fall with harmonics, Sun and Moon: zero at a mass centre; a metre away only the gravity gradient, at most 2μ/r³ = 2.5e-6 m/s²."""
    fields = AROUND.partition("[environment.sun]")[0]
    text = f'name = "Felt"\n[environment]\ngravity = "central"\n{fields}{HUB}{AT}{SECOND}{FELT.format(body)}'
    system = load_text(text)
    y = motion(system, 0.0, *start(system))[1]
    here, outward = (
        y[system.signals.where("outputs", f"sensor.{name}.specific_force")] for name in ("here", "outward")
    )
    assert np.abs(here).max() < 1e-13  # round-off of 8 m/s²
    assert 1e-7 < np.abs(outward).max() < 3e-6
