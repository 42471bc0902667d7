"""Names that no file can have, and tables whose matrices can't be solved."""

import numpy as np
import pytest

from spacefmu.dynamics.description import DescriptionError, load_text
from tests.cli.command import ROOT

TEXT = (ROOT / "fmu_src/catalogue/HingedPanel.toml").read_text("utf-8")


def test_a_name_is_short_enough_for_a_file():
    with pytest.raises(DescriptionError, match="expected a name of at most 100 letters"):
        load_text(TEXT.replace('name = "HingedPanel"', f'name = "{"n" * 300}"', 1))


def test_a_matrix_that_cant_be_solved_is_a_problem_of_the_description(monkeypatch):
    def damaged(*_):
        raise np.linalg.LinAlgError("Singular matrix")

    monkeypatch.setitem(
        __import__("spacefmu.dynamics.description.reader", fromlist=["BUILDERS"]).BUILDERS, "spacecraft", damaged
    )
    with pytest.raises(DescriptionError, match=r"can't be solved \(Singular matrix\): are its tables whole"):
        load_text(TEXT)
