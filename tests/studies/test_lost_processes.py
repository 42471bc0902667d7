"""Processes of a sweep that end where none should: said in a sentence, and nothing that is done is lost."""

from types import SimpleNamespace

import pytest

from spacefmu.fmu_src.cosim.fmu import SimulationError
from spacefmu.fmu_src.studies import tasks


def test_a_worker_that_ends_while_it_starts_is_said(monkeypatch):
    def ended(**_):
        raise RuntimeError("Nanny failed to start.")

    monkeypatch.setattr(tasks, "LocalCluster", ended)
    with pytest.raises(SimulationError, match=r"ended while it started .* the same command goes on"), tasks.cluster():
        pass


@pytest.mark.parametrize("lost", [tasks.CancelledError, tasks.CommClosedError])
def test_a_scheduler_that_is_gone_is_said(monkeypatch, lost):
    def gone(*_):
        raise lost

    monkeypatch.setattr(tasks, "_work_off", gone)
    monkeypatch.setattr(tasks, "Workshop", lambda *_: None)
    client = SimpleNamespace(register_plugin=lambda *_, **__: None, cancel=gone, unregister_worker_plugin=gone)
    store = SimpleNamespace(missing=lambda: [None])
    with pytest.raises(SimulationError, match=r"scheduler no longer answers .* finished runs are kept"):
        tasks.run_missing(None, store, client)
