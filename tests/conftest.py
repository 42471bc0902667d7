"""One folder a test session, in which its workers share the FMUs they build (tests/session.py).

Libraries are kept there too (fmu_src/native/cache.py), never in the cache of the person who runs the tests: each model is
compiled in every session, and once.
"""

import os
import shutil
import tempfile

from tests.session import SESSION


def pytest_configure(config):
    """Workers and processes that tests start inherit the variable, so the first process alone makes the folder."""
    if SESSION not in os.environ:
        os.environ[SESSION] = tempfile.mkdtemp(prefix="spacefmu-test-")
        os.environ["SPACEFMU_CACHE"] = os.path.join(os.environ[SESSION], "cache")
        config.add_cleanup(lambda: shutil.rmtree(os.environ.pop(SESSION), ignore_errors=True))
