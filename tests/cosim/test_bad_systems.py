"""What is wrong with a system is said before the run, and pacing changes nothing: on every system of the catalogue."""

import numpy as np
import pytest

from spacefmu.dynamics.description import DescriptionError
from spacefmu.fmu_src import cosim
from spacefmu.fmu_src.archive.description import read_description
from spacefmu.fmu_src.cosim.coupling import connected
from spacefmu.fmu_src.cosim.real_time import RealTimeClock
from spacefmu.fmu_src.cosim.system import checked
from tests.cosim.test_ssp_masters import EACH, packed

pytestmark = pytest.mark.slow


def faults(system, descriptions):
    """(connections with a fault planted into the system's own, the sentence that names it)."""
    own = {target: {"from": link.source, "factor": link.factor} for target, link in system.connections.items()}
    target, link = next(iter(own.items()))
    unit, _, name = target.partition(".")
    one = ".".join(connected(system, descriptions)[0].output)  # a scalar
    yield {**own, f"{target}x": link}, f"'{name}x' is not a variable of {unit}"
    yield {**own, target: f"{link['from']}x"}, "is not a variable of"
    yield {**own, f"nobody.{name}": link}, f"'nobody.{name}': [units] has no 'nobody'"
    parameter = next(
        v.name for v in descriptions[unit].modelVariables if v.causality == "parameter" and v.type == "Real"
    )
    yield {**own, f"{unit}.{parameter}": {"from": one, "factor": 2.0}}, "which an output can't drive"
    output = next(v.name for v in descriptions[unit].modelVariables if v.causality == "output" and v.type == "Real")
    yield (
        {**own, f"{unit}.{output}": {"from": one, "factor": 2.0}},
        f"{unit}.{output} is an output: it is not an input",
    )


@pytest.mark.parametrize("name", EACH)
def test_planted_faults_are_named(name):
    system, fmus, _ = packed(name)
    descriptions = {unit: read_description(path) for unit, path in fmus.items()}
    assert connected(system, descriptions)
    for connections, sentence in faults(system, descriptions):
        data = system.model_dump(by_alias=True) | {"kind": "system", "connections": connections}
        with pytest.raises(DescriptionError) as caught:
            connected(checked(data, name), descriptions)
        assert any(sentence in problem for problem in caught.value.problems), caught.value.problems


@pytest.mark.parametrize("name", EACH)
def test_pacing_changes_nothing(name):
    """Ten steps as fast as they go and paced: the same bits; all steps are counted."""
    system, fmus, _ = packed(name)
    short = system.model_copy(update={"stop": 10 * system.step})
    paced, hasty = RealTimeClock(max(1.0, 5.0 * system.step)), RealTimeClock(1e12)
    free, *others = (cosim.cosimulate(short, fmus, clock=clock) for clock in (None, paced, hasty))
    assert all(np.array_equal(free.values, other.values) for other in others)
    assert paced.numbers()["steps"] == hasty.numbers()["steps"] == 10
    assert hasty.numbers()["overruns"] == 10
