"""Other hosts of FMI 3.0: CasADi's importer (model exchange, with adjoints) and ecos (co-simulation).

Both count one value per value reference (CasADi 3.8.2, ecospy 0.7.2), which the FMU refuses for arrays: they take FMUs of scalars, such as those of
`build --fmi 3 --scalars`.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import casadi
import fmpy
import numpy as np
import pytest
from fmpy.fmi2 import FMU2Model

from spacefmu.dynamics.blocks.block import Block
from spacefmu.dynamics.system.signals import Signal
from tests.catalogue_fmus import close_fmu, fmu_file, matrix, open_fmu, system_of
from tests.fmi3.units import fmu3_file


class ForcedPendulum(Block):
    """φ̈ = −sin φ − c φ̇ + u, scalars alone."""

    inputs = (Signal("u", "torque", "1/s2"),)
    parameters = (Signal("damping", "c", "1/s", 0.3),)
    states = (
        Signal("angle", "φ", "rad", 0.4, derivative="rate"),
        Signal("rate", "φ̇", "rad/s", -0.2, derivative_unit="rad/s2"),
    )
    outputs = (Signal("height", "1 − cos φ", "1"),)

    def rates(self, now):
        return {"angle": now.rate, "rate": -np.sin(now.angle) - now.damping * now.rate + now.u}

    def results(self, now):
        return {"height": 1.0 - np.cos(now.angle)}


no_ecos = pytest.mark.skipif(sys.platform == "darwin", reason="ecospy has no wheels for macOS")
PENDULUM = ForcedPendulum().system()
ECOS = """
import json, sys
from ecospy import EcosSimulation, EcosSimulationStructure
structure = EcosSimulationStructure()
structure.add_model("unit", sys.argv[1])
structure.add_parameter_set("start", {"unit::u": 0.7, "unit::damping": 0.1})
rows = []
with structure, EcosSimulation(0.1, structure=structure) as simulation:
    simulation.init(parameter_set="start")
    for _ in range(20):
        simulation.step(1)
        rows.append([simulation.get_real(f"unit::{name}") for name in ("angle", "rate", "height")])
print(json.dumps(rows))
"""
TWO = """
import json, sys
from ecospy import EcosSimulation, EcosSimulationStructure
structure = EcosSimulationStructure()
old, new, step, *names = sys.argv[1:]
structure.add_model("old", old)
structure.add_model("new", new)
rows = []
with structure, EcosSimulation(float(step), structure=structure) as simulation:
    simulation.init()
    for _ in range(20):
        simulation.step(1)
        rows.append([[simulation.get_real(f"{unit}::{name}") for name in names] for unit in ("old", "new")])
print(json.dumps(rows))
"""
ALL = matrix()


def test_casadi_imports_it_with_adjoints(tmp_path):
    """Rates, their Jacobian and a reverse sweep by fmi3GetAdjointDerivative, against the closed form."""
    folder = fmpy.extract(str(fmu3_file(PENDULUM)), str(tmp_path))
    dae = casadi.DaeBuilder("unit", str(folder))
    assert dae.x() == ["angle", "rate"]
    rates = dae.create("rates", ["x", "u"], ["ode"])
    x, u, w = np.array([0.9, 0.5]), np.array([0.2]), np.array([2.0, -3.0])
    expected = [x[1], -np.sin(x[0]) - 0.3 * x[1] + u[0]]
    np.testing.assert_allclose(np.array(rates(x, u)).ravel(), expected, rtol=1e-14)
    jacobian = np.array([[0.0, 1.0], [-np.cos(x[0]), -0.3]])
    by_x, by_u = rates.reverse(1)(x, u, np.zeros(2), w)
    np.testing.assert_allclose(np.array(by_x).ravel(), w @ jacobian, rtol=1e-13)
    np.testing.assert_allclose(np.array(by_u).ravel(), w @ [0.0, 1.0], rtol=1e-13)


def in_ecos(script: str, *arguments) -> list:
    """The rows that a script prints, in a process of its own."""
    ended = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        env=os.environ | {"LD_LIBRARY_PATH": str(Path(sysconfig.get_path("data")) / "lib")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-2000:]
    return json.loads(next(line for line in ended.stdout.splitlines() if line.startswith("[[")))


def real_outputs(file: Path) -> list[str]:
    variables = fmpy.read_model_description(str(file)).modelVariables
    return [v.name for v in variables if v.causality == "output" and v.type in ("Real", "Float64") and not v.shape]


@no_ecos
@pytest.mark.parametrize("name", ALL)
def test_ecos_steps_scalars_of_every_entry(name):
    """All real outputs, the same bits as those of FMI 2.0, which ecos steps beside it."""
    old, new = fmu_file(name), fmu3_file(name, scalars=True)
    names = real_outputs(new)
    assert names == real_outputs(old)
    rows = np.array(in_ecos(TWO, old, new, system_of(name).about.experiment["step"], *names))
    np.testing.assert_array_equal(rows[:, 1], rows[:, 0])
    assert len(names) > 3
    assert np.isfinite(rows).all()


@no_ecos
def test_ecos_steps_an_fmu_with_arrays():
    """It may: the scalars beside the arrays have the bits of FMI 2.0."""
    old, new = fmu_file("FourBar"), fmu3_file("FourBar")
    names = [name for name in real_outputs(new) if "[" not in name]
    rows = np.array(in_ecos(TWO, old, new, 0.05, *names))
    np.testing.assert_array_equal(rows[:, 1], rows[:, 0])
    assert {"hinge1.angle", "system.kinetic_energy"} <= set(names)


@pytest.mark.parametrize("name", matrix(quick=("FourBar",)))  # fmt: skip
def test_casadi_has_rates_and_adjoints_of_scalars_of_every_entry(name, tmp_path):
    """At the start: rates with the bits of FMI 2.0, and w·(J s) = (Jᵀ w)·s."""
    unit, _ = open_fmu(name, FMU2Model)
    unit.setupExperiment()
    unit.enterInitializationMode()
    unit.exitInitializationMode()
    count = fmpy.read_model_description(str(fmu_file(name))).numberOfContinuousStates
    x, expected = (np.zeros(count) for _ in range(2))
    for get, values in ((unit.getContinuousStates, x), (unit.getDerivatives, expected)):
        get(values.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), count)
    close_fmu(unit)
    dae = casadi.DaeBuilder("unit", str(fmpy.extract(str(fmu3_file(name, scalars=True)), str(tmp_path))))
    rates, u = dae.create("rates", ["x", "u"], ["ode"]), np.array(dae.start(dae.u()) if dae.u() else [])
    np.testing.assert_array_equal(np.array(rates(x, u)).ravel(), expected)
    rng = np.random.default_rng(5)
    s, su, w = rng.normal(size=count), rng.normal(size=len(u)), rng.normal(size=count)
    forward = np.array(rates.forward(1)(x, u, expected, s, su)).ravel()
    by_x, by_u = (np.array(each).ravel() for each in rates.reverse(1)(x, u, expected, w))
    size = np.abs(w) @ np.abs(forward) + np.abs(s) @ np.abs(by_x)
    assert abs(w @ forward - s @ by_x - su @ by_u) <= 1e-12 * size


def test_casadi_refuses_arrays(tmp_path):
    dae = casadi.DaeBuilder("unit", str(fmpy.extract(str(fmu3_file("FourBar")), str(tmp_path))))
    with pytest.raises(RuntimeError, match="get_in failed"):
        dae.create("rates", ["x", "u"], ["ode"])


@no_ecos
def test_ecos_steps_it():
    """As FMPy does with the same inputs, within the tolerance."""
    rows = in_ecos(ECOS, fmu3_file(PENDULUM))
    own = fmpy.simulate_fmu(
        str(fmu3_file(PENDULUM)), fmi_type="CoSimulation", start_values={"u": 0.7, "damping": 0.1}, stop_time=2.0, output_interval=0.1,
        output=["angle", "rate", "height"], relative_tolerance=PENDULUM.about.experiment["tolerance"], set_stop_time=False,
    )  # fmt: skip
    expected = np.array([list(row)[1:] for row in own.tolist()])[1:]
    np.testing.assert_allclose(rows, expected, rtol=1e-7)
