"""What the model description says of start values, and what initialization does with them (FMI 2.0, section 2.2.7)."""

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from spacefmu.dynamics.description import load
from spacefmu.dynamics.system import evaluate
from spacefmu.fmu_src.interface.description import model_description
from spacefmu.fmu_src.interface.variables import Group, variables_of
from spacefmu.fmu_src.native.trace.sparsity import dependencies
from tests.catalogue_fmus import ENTRIES, system_of

EXAMPLES = sorted(path.stem for path in Path("examples").glob("couplings_*.toml"))
SYSTEMS = [*ENTRIES, *EXAMPLES, "joints"]


def system(name: str):
    return system_of(name) if name in ENTRIES else load(Path("examples") / f"{name}.toml")


@pytest.mark.parametrize("name", SYSTEMS)
def test_exact_starts_are_kept(name):
    """From starts moved a little, where couplings no longer fit: exact states begin where they are told to.

    Quaternions are exact up to their norm, so unit ones are given; 1e-15 is the tolerance of their projection.
    """
    states, moved = moved_by_initialization(system(name))
    exact = np.array([state.initial == "exact" for state in states], bool)
    assert np.all(moved[exact] <= 2e-15)  # measured 0; quaternions 1.2e-16


@pytest.mark.parametrize("name", ["FourBar", "couplings_gear", "couplings_driven_rod", "couplings_knife_edge"])
def test_approximate_starts_do_move(name):
    """Closed loops and conditions on velocities: what is given does not fit, so something has to yield."""
    _, moved = moved_by_initialization(system(name))
    assert moved.max() > 1e-5


def moved_by_initialization(craft):
    """States as FMI variables, and by how much initialization moves each from starts 1e-3 beside the table's."""
    states = [variable for variable in variables_of(craft) if variable.group == Group.STATE]
    given = np.array([state.signal.start for state in states])
    free = np.array(["quaternion" not in state.name for state in states], bool)
    given += np.where(free, 1e-3 * np.random.default_rng(2).standard_normal(len(given)), 0.0)
    return states, np.abs(evaluate.start(craft, 0.0, given)[0] - given)


def test_what_may_move_is_an_initial_unknown():
    """FMI 2.0, section 2.2.8: outputs and continuous states that are not exact, with what they depend on."""
    craft = system("FourBar")
    variables = variables_of(craft)
    tree = ElementTree.fromstring(model_description(craft, variables, "{}", dependencies(craft)))
    unknowns = {variables[int(u.get("index")) - 1].name for u in tree.find("ModelStructure/InitialUnknowns")}
    states = {variable.name: variable.initial for variable in variables if variable.group == Group.STATE}
    assert set(states.values()) == {"approx"}
    assert states.keys() <= unknowns
