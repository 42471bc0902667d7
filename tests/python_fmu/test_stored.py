"""Model data as JSON: what comes back is what went in, bit for bit."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from spacefmu.dynamics.bodies.body import plain_node
from spacefmu.dynamics.spacecraft import spacecraft_system
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.fmu_src import catalogue
from spacefmu.fmu_src.python.stored import dumps, loads
from tests.catalogue_fmus import system_of


def _signals(system):
    """All signals but their descriptions, to which reading a file may add remarks; those are in the XML alone."""
    table = system.signals
    return [replace(signal, description="") for group in table.GROUPS for signal in getattr(table, group)]


@pytest.mark.parametrize("name", [path.stem for path in sorted(catalogue.FOLDER.glob("*.toml"))])
def test_every_catalogue_entry_survives(name):
    system = system_of(name)
    function, data = loads(dumps(*system.made_by))
    again = function(data)
    assert _signals(again) == _signals(system)
    assert dumps(function, data) == dumps(*system.made_by)
    x, u, k, d = start(system)
    for found, expected in zip(motion(again, 0.0, x, u, k, d), motion(system, 0.0, x, u, k, d), strict=True):
        assert found.tobytes() == expected.tobytes()


def test_arrays_keep_shape_and_bits():
    node = plain_node("tip", [0.1, 1.0 / 3.0, -1e-300], 0)
    _, again = loads(dumps(spacecraft_system, node))
    assert again.position.tobytes() == node.position.tobytes()
    assert again.shape.shape == (3, 0)


@dataclass(frozen=True)
class Foreign:
    value: float


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (Foreign(1.0), "Foreign is not at the top level of a module of spacefmu.dynamics"),
        ((1.0, {"a": object()}), r"the data\[1\]\['a'\] is of type object, which model data can't hold"),
        (np.array([object()]), "the data is of type ndarray, which model data can't hold"),
    ],
)
def test_what_is_no_model_data_is_refused(data, message):
    with pytest.raises(TypeError, match=message):
        dumps(spacecraft_system, data)


def test_a_text_may_name_dataclasses_only():
    text = dumps(spacecraft_system, 1.0).replace(
        '"data": 1.0', '"data": {"class": "system.evaluate:start", "fields": {}}'
    )
    with pytest.raises(TypeError, match=r"system\.evaluate:start is not a dataclass"):
        loads(text)
