"""Units against their definitions in the SI brochure (9th edition, tables 2 to 4)."""

import re

import pytest

from spacefmu.fmu_src.interface.units import display_unit, exponents


@pytest.mark.parametrize(
    "unit, expected",
    [
        ("1", {}),
        ("kg", {"kg": 1}),
        ("rad/s", {"s": -1, "rad": 1}),
        ("m/s2", {"m": 1, "s": -2}),
        ("N", {"kg": 1, "m": 1, "s": -2}),
        ("N.m", {"kg": 1, "m": 2, "s": -2}),
        ("N.m/rad", {"kg": 1, "m": 2, "s": -2, "rad": -1}),
        ("N.m.s", {"kg": 1, "m": 2, "s": -1}),
        ("kg.m2", {"kg": 1, "m": 2}),
        ("m3/s2", {"m": 3, "s": -2}),
        ("J/(kg.K)", {"m": 2, "s": -2, "K": -1}),
        ("W", {"kg": 1, "m": 2, "s": -3}),
        ("T", {"kg": 1, "s": -2, "A": -1}),
        ("V", {"kg": 1, "m": 2, "s": -3, "A": -1}),
        ("Pa", {"kg": 1, "m": -1, "s": -2}),
        ("1/s", {"s": -1}),
    ],
)
def test_exponents_of_the_base_units(unit, expected):
    assert exponents(unit) == expected


@pytest.mark.parametrize("unit", ["furlong", "N m", "m^2", "rad/s/s", "m/(s", "kg..m", "m/s.kg", "2m", " "])
def test_what_is_no_unit_is_refused_by_name(unit):
    with pytest.raises(ValueError, match=re.escape(repr(unit))):
        exponents(unit)


@pytest.mark.parametrize(
    "name, unit, expected",
    [
        ("sadm.angle", "rad", "deg"),
        ("hub.angular_velocity[2]", "rad/s", "deg/s"),
        ("wheel.x.speed", "rad/s", "rpm"),
        ("der(sadm.rate)", "rad/s2", "deg/s2"),
        ("panel.temperature[3]", "K", "degC"),
        ("panel.temperature_difference", "K", None),  # 1 K of difference is not -272.15 °C
        ("hub.mass", "kg", None),
        ("panel.taut", "", None),
    ],
)
def test_display_units(name, unit, expected):
    assert display_unit(name, unit) == expected
