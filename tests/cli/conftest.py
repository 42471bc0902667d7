"""FMUs that the tests of the command line share."""

import pytest

from tests.catalogue_fmus import fmu_file


@pytest.fixture(scope="session")
def four_bar():
    """A small FMU."""
    return fmu_file("FourBar")
