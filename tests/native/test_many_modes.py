"""Bodies with many modes: tables as data and loops (scalar.contract, contract_twice, spd_reduce), in C and in Python FMUs."""

import re
from ctypes import POINTER, c_double

import numpy as np
import pytest
from fmpy.fmi2 import FMU2Model

from spacefmu.dynamics.algebra import scalar
from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system.evaluate import constants, motion
from spacefmu.dynamics.system.recording import recorded
from spacefmu.fmu_src.build import build_native
from spacefmu.fmu_src.interface.variables import variables_of
from spacefmu.fmu_src.native.c.generator import expressions, generate
from spacefmu.fmu_src.native.trace import traces as trace
from spacefmu.fmu_src.native.trace.fast import fast
from spacefmu.fmu_src.native.trace.sparsity import dependencies
from spacefmu.fmu_src.native.trace.traces import Traces
from tests.catalogue_fmus import open_unpacked, unpack
from tests.large_crafts import ORBIT, many_modes

DOUBLES = POINTER(c_double)

CRAFTS = pytest.mark.parametrize("carried", [False, True], ids=["leaf", "carrying"])


def craft(folder, modes: int, carried: bool, more: str = ""):
    return load_text(many_modes(folder, modes, carried) + more, folder=folder)


def point(system, seed=1):
    rng = np.random.default_rng(seed)
    x = np.array(system.signals.starts("states")) + rng.uniform(-0.05, 0.05, system.nx)
    k = constants(system, np.array(system.signals.starts("parameters")) * rng.uniform(0.9, 1.1, system.np))
    return 0.3, x, rng.uniform(-1.0, 1.0, system.nu), k, np.array(system.signals.starts("discretes"))


def close(a, b, bar=1e-12):
    a, b = np.asarray(a), np.asarray(b)
    assert np.max(np.abs(a - b)) <= bar * np.max(np.abs(a)), np.max(np.abs(a - b)) / np.max(np.abs(a))


@CRAFTS
@pytest.mark.parametrize("more", ["", ORBIT], ids=["free", "orbit"])
def test_floats_symbols_and_recorded_equations_agree(tmp_path, carried, more):
    """24 modes in three directions, with masses as parameters: rates and outputs to 1e-12 of the largest."""
    system = craft(tmp_path, 24, carried, more)
    at = point(system)
    plain = motion(system, *at)
    for other in (fast(system), recorded(system)):
        for a, b in zip(plain[:2], motion(other, *at)[:2], strict=True):
            close(a, b)


@CRAFTS
@pytest.mark.parametrize("large", [10**6, 1], ids=["flat", "kinds"])
def test_tables_as_data_are_what_is_written_out(tmp_path, monkeypatch, carried, large):
    """Every generated function, derivatives included, and all dependencies, against C without loops; both also as one function per kind."""
    monkeypatch.setattr(trace, "LARGE", large)
    data = craft(tmp_path, 14, carried)
    found = {f.name(): f for f in expressions(Traces(data))}
    depends = dependencies(data)
    monkeypatch.setattr(scalar, "MANY", 10**6)
    flat = craft(tmp_path, 14, carried)
    rng = np.random.default_rng(4)
    given = {"p": np.array(flat.signals.starts("parameters"))}
    given["k"] = constants(flat, given["p"])
    for function in expressions(Traces(flat)):
        arguments = [given.get(a, rng.uniform(0.05, 0.15, function.size1_in(a))) for a in function.name_in()]
        for a, b in zip(function.call(arguments), found[function.name()].call(arguments), strict=True):
            a, b = np.array(a), np.array(b)
            assert np.max(np.abs(a - b), initial=0.0) <= 1e-12 * np.max(np.abs(a), initial=1.0), function.name()
    assert depends == dependencies(flat)


def test_text_grows_as_the_modes_and_data_as_their_square(tmp_path):
    """Twice the modes: twice the lines of equations; unrolled they were four times as many."""
    lines = []
    for modes in (14, 28):
        system = craft(tmp_path, modes, True)
        text = generate(system, variables_of(system), "")["model.c"]
        rates = re.search(r"^static void rates\(.*?^\}\n", text, re.MULTILINE | re.DOTALL).group()
        lines.append(rates.count("\n"))
    assert lines[1] < 2.1 * lines[0]


def test_a_few_modes_are_written_out(tmp_path):
    """For few modes loops are slower than unrolled C (bench/modes.py)."""
    system = craft(tmp_path, scalar.MANY - 1, False)
    text = generate(system, variables_of(system), "")["model.c"]
    assert "contract" not in text
    assert "reduce" not in text


@pytest.mark.parametrize("modes", [scalar.MANY, pytest.param(24, marks=pytest.mark.ci)])
def test_compiled_c_agrees_with_floats(tmp_path, modes):
    """Rates of the FMU in model exchange, and a directional derivative against central differences of floats; a body at a node of the panel."""
    system = craft(tmp_path, modes, True)
    fmu, references = open_unpacked(unpack(build_native, system), FMU2Model)
    fmu.setupExperiment(startTime=0.0)
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    fmu.newDiscreteStates()
    fmu.enterContinuousTimeMode()
    _, x, _, _, d = point(system)
    u, k = (np.array(system.signals.starts(group)) for group in ("inputs", "parameters"))
    fmu.setContinuousStates(x.ctypes.data_as(DOUBLES), system.nx)
    found = np.zeros(system.nx)
    fmu.getDerivatives(found.ctypes.data_as(DOUBLES), system.nx)
    close(motion(system, 0.0, x, u, k, d)[0], found)

    state, step = [s.name for s in system.signals.states].index("panel.mode[7].amplitude"), 1e-6
    moved = step * np.eye(system.nx)[state]
    expected = (motion(system, 0.0, x + moved, u, k, d)[1] - motion(system, 0.0, x - moved, u, k, d)[1]) / (2.0 * step)
    real = [i for i, s in enumerate(system.signals.outputs) if s.kind == "real"]
    outputs = [references[system.signals.outputs[i].name] for i in real]
    along = fmu.getDirectionalDerivative(outputs, [references["panel.mode[7].amplitude"]], [1.0])
    close(expected[real], along, 1e-6)
    fmu.terminate()
    fmu.freeInstance()
