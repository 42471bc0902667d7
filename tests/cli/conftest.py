"""FMUs that the tests of the command line share."""

import pytest

from fmu_src import api


@pytest.fixture(scope="session")
def four_bar(tmp_path_factory):
    """A small FMU, built once."""
    return api.build("FourBar", tmp_path_factory.mktemp("fmus") / "FourBar.fmu")
