"""What the commands do can be done from Python, under one set of names; names from before still answer."""

from __future__ import annotations

import contextlib
import inspect
import json
import warnings
from dataclasses import asdict
from pathlib import Path

import pytest

import spacefmu
from spacefmu.fmu_src import api
from spacefmu.fmu_src.api.renamed import GONE, renamed
from tests.catalogue_fmus import fmu_file
from tests.cli.command import ROOT, in_this_process

OLD = ("progress", "report", "say", "tell")


def functions() -> dict:
    return {name: each for name in api.__all__ if inspect.isfunction(each := getattr(api, name))}


def test_callbacks_have_one_pair_of_names():
    """on_message(words) and on_progress(fraction), in every public function; a sweep has its SweepState besides."""
    found: dict[str, set[str]] = {}
    for function in functions().values():
        for name, given in inspect.signature(function).parameters.items():
            assert name not in OLD, function.__name__
            if name.startswith("on_"):
                found.setdefault(name, set()).add(str(given.annotation).partition("[[")[2].partition("]")[0])
    assert found == {"on_message": {"str"}, "on_progress": {"float"}, "on_state": {"SweepState"}}


CALLS = {
    "build": ({"progress": "on_message"}, lambda path, **named: spacefmu.build("FourBar", path / "a.fmu", flavour="python", **named)),
    "pack": ({"report": "on_message"}, lambda path, **named: spacefmu.pack("nothing", **named)),
    "simulate": ({"progress": "on_progress", "report": "on_message"}, lambda path, **named: spacefmu.simulate(fmu_file("FourBar"), 0.02, **named)),
    "cosimulate": ({"progress": "on_progress", "report": "on_message"}, lambda path, **named: spacefmu.cosimulate("nothing", **named)),
    "look": ({"progress": "on_progress", "report": "on_message"}, lambda path, **named: spacefmu.look("nothing", **named)),
    "run": ({"progress": "on_progress", "report": "on_message"}, lambda path, **named: spacefmu.run("nothing", **named)),
    "report": ({"say": "on_message"}, lambda path, **named: spacefmu.report("nothing.csv", path / "a.html", **named)),
    "sweep": ({"report": "on_message", "tell": "on_state"}, lambda path, **named: spacefmu.sweep("nothing.toml", **named)),
    "repeat": ({"progress": "on_progress"}, lambda path, **named: spacefmu.repeat(path, 1, **named)),
}  # fmt: skip


def attempted(call, path, **named) -> bool:
    """Whether a call came to its end; most of them have nothing to work on."""
    with contextlib.suppress(ValueError, OSError):
        call(path, **named)
        return True
    return False


@pytest.mark.parametrize("name", CALLS)
def test_old_names_answer_with_a_warning(name, tmp_path):
    names, call = CALLS[name]
    for old, new in names.items():
        heard: list = []
        with pytest.warns(DeprecationWarning, match=f"spacefmu.{name}: {old} is called {new} now; {old} is removed in version {GONE}") as caught:  # fmt: skip
            done = attempted(call, tmp_path, **{old: heard.append})
        assert not done or heard or old == "report"  # which hears of builds alone
        assert caught[0].filename == __file__  # the line of the caller
        with pytest.raises(TypeError, match=f"{old} is the old name of {new}"):
            call(tmp_path, **{old: heard.append, new: heard.append})


def test_new_names_are_silent():
    heard: list = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        spacefmu.simulate(fmu_file("FourBar"), 0.02, on_progress=heard.append)
    assert heard[-1] == 1.0


def test_what_is_renamed_stays_a_function_of_its_own():
    def f(path: str, on_message: object = None) -> str:
        """Text."""
        return path

    own = renamed(progress="on_message")(f)
    assert (own.__doc__, own("a"), str(inspect.signature(own))) == ("Text.", "a", str(inspect.signature(f)))


def test_info_is_what_the_command_prints(capsys):
    path = fmu_file("FourBar")
    found = spacefmu.info(path)
    in_this_process(f"spacefmu info '{path}' --json")
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(asdict(found)))
    (mass,) = (variable for variable in found.variables if variable.name == "bar1.mass")
    assert (mass.unit, mass.causality) == ("kg", "parameter")
    assert found.kinds == ("co-simulation", "model exchange")


def test_check_of_an_fmu(tmp_path):
    heard: list[float] = []
    found = spacefmu.check(fmu_file("FourBar"), static=True, on_progress=heard.append)
    assert not found.failed(strict=True)
    assert len(found.checked) > 50
    assert heard == sorted(heard)
    one = spacefmu.check(fmu_file("FourBar"), rules=["log-names", "log-off"], static=True)
    assert one.checked == ["log-names"]
    (tmp_path / "no.fmu").write_bytes(b"no archive")
    assert spacefmu.check(tmp_path / "no.fmu", static=True).failed()
    with pytest.raises(ValueError, match="limit is 0 s; must be positive"):
        spacefmu.check(fmu_file("FourBar"), limit=0.0)
    with pytest.raises(ValueError, match="there is no rule 'no-rule'"):
        spacefmu.check(fmu_file("FourBar"), rules=["no-rule"])


def test_overview_of_a_description(tmp_path):
    for source in ("FourBar", spacefmu.load("FourBar")):
        found = spacefmu.overview(source)
        assert found.freedom == 7  # it floats free, and one of its own
        assert found.whole is not None
        assert found.whole.mass == pytest.approx(sum(body.mass for body in found.bodies))
    (tmp_path / "gain.py").write_text("raise SystemExit('was run')")
    with pytest.raises(ValueError, match=r"gain\.py, Python code, which this command does not run"):
        spacefmu.overview(tmp_path / "gain.py")


def test_modes_of_a_finite_element_file():
    found = spacefmu.modes(ROOT / "examples/panel_ccx.frd", units="mm-t-s", first=3)
    (own,) = found.values()
    assert [mode.number for mode in own.modes] == [1, 2, 3]
    assert [mode.frequency for mode in own.modes] == pytest.approx(own.body.frequencies)
    assert all(check.good is not False for check in own.checks)
    with pytest.raises(ValueError, match="units"):
        spacefmu.modes(ROOT / "examples/panel_ccx.frd", units="mm")
    with pytest.raises(ValueError, match="is a description, which states units"):
        spacefmu.modes("satellite.toml", units="SI")


def test_schema_of_a_kind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    in_this_process("spacefmu schema -o own.json")
    assert json.loads(Path("own.json").read_text()) == spacefmu.schema()
    assert "attitude_controller" in spacefmu.schema("attitude_controller")["title"]
    with pytest.raises(ValueError, match="kind is 'craft', expected one of"):
        spacefmu.schema("craft")
