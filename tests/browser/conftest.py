"""One chromium for all tests of a worker, and one page that many look at."""

from __future__ import annotations

import pytest

from spacefmu.fmu_src import api
from tests.browser.chromium import Browser


@pytest.fixture(scope="session")
def browser():
    with Browser() as opened:
        yield opened


@pytest.fixture(scope="session")
def hinged_page():
    from tests.browser.test_pages import hinged_run

    return api.look(hinged_run()).page()
