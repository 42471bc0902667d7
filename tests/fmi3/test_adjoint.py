"""Adjoint derivatives: the transpose of the directional ones, in reverse mode, through the solve, in every mode that has them."""

from __future__ import annotations

import re
import zipfile

import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.fmi3 import FMU3Model, FMU3Slave

from tests.catalogue_fmus import matrix
from tests.fmi3.units import Unit3, fmu3_file
from tests.systems_small import BALL

ALL = matrix(quick=("FourBar", "TetheredMasses"))
LARGE = ("BoomHeat", "DeployableWing")  # their C is not flat: columns are added up


def roles(unit: Unit3, rates: bool) -> tuple[list[str], list[str]]:
    """Knowns and unknowns while the model runs: all states and inputs; all outputs, states among them, and derivatives."""
    smooth = [v for v in unit.description.modelVariables if v.type == "Float64" and v.variability == "continuous"]
    states = {v.derivative.name for v in smooth if v.derivative is not None}
    knowns = [v.name for v in smooth if v.name in states or v.causality == "input"]
    unknowns = [v.name for v in smooth if v.causality == "output" or (rates and v.derivative is not None)]
    return knowns, unknowns


def compared(unit: Unit3, knowns, unknowns, tolerance: float) -> None:
    """w·(J s) = (Jᵀ w)·s for random seeds s and weights w, to the size of the terms."""
    rng = np.random.default_rng(3)
    references = [[unit.reference(name) for name in names] for names in (unknowns, knowns)]
    n, m = (sum(unit.size(name) for name in names) for names in (knowns, unknowns))
    for _ in range(4):
        s, w = rng.normal(size=n), rng.normal(size=m)
        forward = np.array(unit.fmu.getDirectionalDerivative(*references, s.tolist(), m))
        backward = np.array(unit.fmu.getAdjointDerivative(*references, w.tolist(), n))
        assert w @ forward == pytest.approx(s @ backward, rel=0.0, abs=tolerance * (abs(w) @ abs(forward) + abs(s) @ abs(backward)))  # fmt: skip


@pytest.mark.parametrize("kind", [FMU3Slave, FMU3Model])
@pytest.mark.parametrize("name", ALL)
def test_transpose_of_all_directions(unit, name, kind):
    """At the start and, in co-simulation, at the next communication point; loops with redundant rows (FourBar) among them."""
    plant = unit(name, kind)
    plant.initialize()
    if kind is FMU3Model:
        plant.fmu.updateDiscreteStates()
        plant.fmu.enterContinuousTimeMode()
    knowns, unknowns = roles(plant, rates=True)
    if not knowns:
        pytest.skip("no known varies continuously")
    compared(plant, knowns, unknowns, 1e-12)
    if kind is FMU3Slave:
        plant.fmu.doStep(0.0, 0.01)
        compared(plant, knowns, unknowns, 1e-12)


@pytest.mark.parametrize("name", ["FourBar", "FlexibleSatellite"])
def test_at_initialization(unit, name):
    """By central differences through the assembly of the initial state: parameters and start values are the knowns."""
    plant = unit(name)
    plant.fmu.enterInitializationMode()
    knowns = ["hub.mass", "hub.force"] if name == "FlexibleSatellite" else ["bar2.mass", "hinge1.torque"]
    compared(plant, knowns, ["system.momentum", "system.kinetic_energy", "system.mass_center"], 1e-7)


@pytest.mark.parametrize("name", ALL)
def test_reverse_mode_is_in_the_sources(name):
    """One pass, not one per known, in all entries whose equations are flat."""
    with zipfile.ZipFile(fmu3_file(name)) as archive:
        model = archive.read("sources/model.c").decode()
    assert (".back = NULL" in model) == (name in LARGE)


def test_weights_that_overflow_are_refused(unit):
    """Found by tests/fuzz: columns that are added up to no number came back with fmi3OK."""
    ball = unit(BALL, FMU3Slave)
    ball.fmu.enterInitializationMode(startTime=0.0)
    unknowns, knowns = ([ball.reference(name) for name in names] for names in (["energy", "energy"], ["height"]))
    with pytest.raises(FMICallException):
        ball.fmu.getAdjointDerivative(unknowns, knowns, [1e308, 1e308], 1)
    assert re.fullmatch(
        r"fmi3GetAdjointDerivative: at time 0 the derivative of height is not finite; check inputs and parameters",
        ball.log[-1][2],
    )
