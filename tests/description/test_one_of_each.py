"""One of each piece of one's own, added as CONTRIBUTING tells (one_of_each.py), named in one description, on floats and as a compiled FMU."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("one_of_each.py")


@pytest.fixture(scope="module")
def found(tmp_path_factory) -> dict:
    """A process of its own: rows are there before tables are made of them, and no other test sees them."""
    folder = tmp_path_factory.mktemp("own")
    done = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "own.json").read_text())


def test_their_quantities_are_variables(found):
    own = ["track.angle", "square.torque", "spool.pull", "sensor.gyro.lag", "wind.sail.drag", "environment.trap.rate", "hub.trap_pull", "hub.speed"]  # fmt: skip
    assert set(own) <= set(found["variables"])
    assert found["shapes"] == 2
    assert found["finite"]


def test_their_equations_are_evaluated(found):
    """θ̈ = τ/(J + m r²) of the rolling joint; −w² x of the well; |v| of the hub."""
    assert found["rolling"] == pytest.approx(0.3 / (0.04 + 2.0 * 0.3**2), rel=1e-12)
    assert found["well"] == pytest.approx(-(0.2**2) * 3.0, rel=1e-12)
    assert found["speed"] == pytest.approx((0.5**2 + 0.2**2) ** 0.5, rel=1e-12)


def test_energy_balances_and_the_compiled_fmu_agrees(found):
    """Joint, coupling, cable, wind and field together over 2 s; measured 3e-16 and 7e-11."""
    assert found["lost energy"] < 1e-10
    assert found["compiled"] < 1e-8


@pytest.mark.parametrize(
    "case, sentences",
    {
        "a key of another kind": ["joints.track.pitch = 1.0 is not allowed: a rolling joint has no pitch; its own keys are axis, along, radius, stiffness, "],
        "no radius": ["joints.track.radius is missing: a rolling joint has one"],
        "no axis": ["couplings.square.axis_b is missing: a square_axes coupling has one"],
        "a node named as an output": [f"bodies.hub.nodes.{node} is '{node}', expected another name: it is one of the body's own signals" for node in ("speed", "trap_pull")],
        "a body named as a prefix": ["bodies.wind is 'wind', expected a name of its own, but it is a reserved name too"],
    }.items(),
)  # fmt: skip
def test_what_they_do_not_take_is_refused(found, case, sentences):
    assert len(found[case]) == len(sentences)
    assert all(text.startswith(sentence) for text, sentence in zip(found[case], sentences, strict=True)), found[case]
