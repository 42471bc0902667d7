"""One folder a test session, in which its workers share the FMUs they build (tests/session.py)."""

import os
import shutil
import tempfile

from tests.session import SESSION


def pytest_configure(config):
    """Workers and processes that tests start inherit the variable, so the first process alone makes the folder."""
    if SESSION not in os.environ:
        os.environ[SESSION] = tempfile.mkdtemp(prefix="spacefmu-test-")
        config.add_cleanup(lambda: shutil.rmtree(os.environ.pop(SESSION), ignore_errors=True))
