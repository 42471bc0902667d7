"""What the pages on descriptions and docs/glossary.md say of the environment, held to what it does."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.system.evaluate import motion, start
from tests.cli.command import ROOT

PAGES = (ROOT / "docs/descriptions.md", ROOT / "docs/environment.md", *(ROOT / "docs/descriptions").glob("*.md"))
PAGE = "".join(page.read_text("utf-8") for page in PAGES)
ORBIT = (ROOT / "examples/environment_perturbations.toml").read_text("utf-8")


def values(text: str) -> dict[str, float]:
    """Outputs and states at the start, by name."""
    system = load_text(text)
    x, u, k, d = start(system)
    y = motion(system, 0.0, x, u, k, d)[1]
    shown = dict(zip((entry.name for entry in system.signals.outputs), y, strict=True))
    return shown | dict(zip((entry.name for entry in system.signals.states), x, strict=True))


def test_every_output_of_the_environment_is_on_the_page():
    names = {quantity.name for quantity in load_text(ORBIT).signals.quantities("outputs")}
    wanted = [name for name in names if name.startswith(("system.orbit.", "system.jacobi")) or (name.startswith("hub.") and not name.startswith(("hub.inertial", "hub.orbital")))]  # fmt: skip
    assert len(wanted) >= 11
    missing = [name for name in wanted if f".{name.rpartition('.')[2]}" not in PAGE]
    assert missing == []
    assert "`ROOT.magnetic_field[1..3]`" in PAGE
    assert "`ROOT.earth_direction[1..3]`" in PAGE


def test_space_is_the_orbit_s_frame():
    """A body on a fixed joint to "space" turns with O: seen from N at the mean motion, from O at rest."""
    assert '`"space"` is the frame of `[environment]`: N, or with `frame = "orbit"` O' in PAGE
    carried = ORBIT + '\n[joints.held]\nkind = "fixed"\nparent = "space"\nchild = "hub"\nplace = [1.0, 0.0, 0.0]\n'
    system = load_text(carried)
    outputs = [quantity.name for quantity in system.signals.quantities("outputs")]
    assert "hub.inertial.angular_velocity" in outputs
    found = values(carried)
    mean_motion = np.sqrt(3.986004418e14 / 6.778e6**3)
    assert found["hub.inertial.angular_velocity[3]"] == pytest.approx(mean_motion, rel=1e-9)
    assert found["hub.angular_velocity[3]"] == pytest.approx(0.0, abs=1e-15)


def test_longitude_is_that_of_the_southern_pole():
    """Over the pole in the south field lines leave the planet: B points along the way out, twice as strong as at the equator."""
    assert "the magnetic pole in the southern hemisphere, where field lines leave the planet" in PAGE
    over = ORBIT.replace('inclination = "97 deg"', 'inclination = "90 deg", raan = "40 deg", mean_anomaly = "-80 deg"')
    assert over != ORBIT
    over = over.replace("[environment.magnetic]", '[environment.magnetic]\ntilt = "10 deg"\nlongitude = "40 deg"')
    found = values(over)  # hub axes are those of O: x outward
    field = np.array([found[f"hub.magnetic_field[{i}]"] for i in (1, 2, 3)])
    assert field / np.linalg.norm(field) == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)
    assert np.linalg.norm(field) == pytest.approx(2.0 * 2.98e-5 * (6378136.3 / 6.778e6) ** 3, rel=1e-5)


def test_limits_and_units_that_pages_state():
    assert "`eccentricity` from 0 to 0.95" in PAGE
    with pytest.raises(DescriptionError, match=r"environment\.orbit\.eccentricity is 0\.96"):
        load_text(ORBIT.replace('inclination = "97 deg"', "eccentricity = 0.96"))
    assert "Rates have no such form: they are rad/s" in (ROOT / "docs/glossary.md").read_text("utf-8")
    with pytest.raises(DescriptionError, match=r"bodies\.hub\.initial\.angular_velocity"):
        load_text(ORBIT.replace("mass = 12.0", 'mass = 12.0\ninitial = { angular_velocity = ["45 deg/s", 0, 0] }'))
