"""A function in a process of its own.

FMPy keeps one pointer to the logger of the run that last had one, and calls it for every FMU that logs later in the process, when
that run and its logger are long gone (fmpy/simulation.py, `addLoggerProxy`): a crash. What logs by FMPy's default logger runs here.
"""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor


def in_own_process(function, *arguments, **named):
    """What a function of a module gives, called in a fresh process."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments, **named).result()
