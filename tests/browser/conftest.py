"""One chromium for all tests of a worker."""

from __future__ import annotations

import pytest

from tests.browser.chromium import Browser


@pytest.fixture(scope="session")
def browser():
    with Browser() as opened:
        yield opened
