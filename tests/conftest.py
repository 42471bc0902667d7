"""One folder a test session, in which its workers share the FMUs they build (tests/session.py).

Compiled libraries are kept from session to session in pytest's own cache folder (fmu_src/native/cache.py: by a digest of all
that they are made of), never in the cache of the person who runs the tests. `make clean` and a fresh checkout have none.
"""

import os
import shutil
import tempfile

import fmpy.logging
import lark

from tests.session import SESSION

# FMPy's proxy calls the logger of the run that last had one of its own, for every FMU that logs later in the process, also
# when that run is over and its logger is gone (a crash): here loggers stay alive.
_add_proxy, _loggers = fmpy.logging.addLoggerProxy, []


def _add_and_keep(callbacks):
    _loggers.append(callbacks)
    return _add_proxy(callbacks)


fmpy.logging.addLoggerProxy = _add_and_keep

# FMPy parses every name of every FMU that it validates, which takes it a second an FMU: most names recur.
_parse, _parsed = lark.Lark.parse, {}


def _parse_once(parser, name):
    known = parser.source_grammar, name
    if known not in _parsed:
        _parsed[known] = _parse(parser, name)  # raises for what is no name
    return _parsed[known]


lark.Lark.parse = _parse_once


def pytest_configure(config):
    """Workers and processes that tests start inherit the variable, so the first process alone makes the folder."""
    if SESSION not in os.environ:
        os.environ[SESSION] = tempfile.mkdtemp(prefix="spacefmu-test-")
        os.environ["SPACEFMU_CACHE"] = str(config.cache.mkdir("libraries"))
        config.add_cleanup(lambda: shutil.rmtree(os.environ.pop(SESSION), ignore_errors=True))
