"""Every key of every description says what it means: editors and the reference show it."""

from __future__ import annotations

import typing

import pytest

from spacefmu.dynamics.description.blocks import KINDS, table_of
from spacefmu.fmu_src.cosim import CoupledSystem


def tables_in(annotation, found: dict) -> dict:
    """All table classes inside an annotation, by name."""
    if hasattr(annotation, "model_fields"):
        if annotation.__name__ in found:
            return found
        found[annotation.__name__] = annotation
        for field in annotation.model_fields.values():
            tables_in(field.annotation, found)
    for part in typing.get_args(annotation):
        tables_in(part, found)
    return found


TABLES: dict = {}
for _description in (*map(table_of, KINDS), CoupledSystem):
    tables_in(_description, TABLES)


@pytest.mark.parametrize("name", TABLES)
def test_every_key_has_a_meaning(name):
    assert [key for key, field in TABLES[name].model_fields.items() if not field.description] == []
