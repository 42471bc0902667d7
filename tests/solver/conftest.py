"""Instances of small Systems' FMUs: the fixtures of tests/fmi/units.py."""

from tests.fmi.units import built, unit  # noqa: F401
