"""Prescribed motion as users run it: FMUs of both flavours and both versions, model exchange, and runs written as OEM and AEM and repeated from these."""

from pathlib import Path

import fmpy
import numpy as np
import pytest

import spacefmu
from spacefmu.fmu_src.results.table import Result
from tests.cli.command import ROOT

KEYS = ROOT / "examples" / "keys"


@pytest.mark.ci
def test_flavours_and_versions_agree(tmp_path):
    """examples/keys/prescribed.toml: the antenna swings alike in native and Python FMUs, FMI 2.0 and 3.0."""
    source = KEYS / "prescribed.toml"
    built = {
        "native": spacefmu.build(source, tmp_path / "native.fmu"),
        "python": spacefmu.build(source, tmp_path / "python.fmu", flavour="python"),
        "fmi3": spacefmu.build(source, tmp_path / "fmi3.fmu", fmi=3),
    }
    runs = {name: spacefmu.simulate(path, stop=120.0, step=10.0) for name, path in built.items()}
    native = runs.pop("native")
    assert np.ptp(native["hinge.angle"]) > 1e-5
    for run in runs.values():
        for name in ("hinge.angle", "hub.inertial.position", "hub.inertial.quaternion"):
            assert np.allclose(run[name], native[name], rtol=1e-9, atol=1e-9), name
    tight = spacefmu.simulate(built["native"], stop=120.0, step=10.0, start_values={"solver.tolerance": 1e-11})
    for version in ("native", "fmi3"):
        run = fmpy.simulate_fmu(str(built[version]), fmi_type="ModelExchange", stop_time=120.0, output_interval=10.0, relative_tolerance=1e-10, output=["hinge.angle"])  # fmt: skip
        found = np.interp(tight.time, run["time"], run["hinge.angle"])
        assert np.abs(found - tight["hinge.angle"]).max() < 1e-5 * np.abs(tight["hinge.angle"]).max(), version


@pytest.mark.ci
def test_a_written_run_is_flown_again(tmp_path):
    """simulate → run.oem and run.aem → a description that follows both: at the same places, turned alike."""
    run = spacefmu.simulate(KEYS / "prescribed.toml", stop=600.0, step=10.0)
    for ending in ("oem", "aem"):
        run.write(tmp_path / f"again.{ending}")
    text = (KEYS / "prescribed.toml").read_text("utf-8").replace("flown.", "again.")
    (tmp_path / "again.toml").write_text(text.replace('file = "moon.oem"', ""), encoding="utf-8")
    again = spacefmu.simulate(tmp_path / "again.toml", stop=600.0, step=10.0)
    assert np.abs(again["hub.inertial.position"] - run["hub.inertial.position"]).max() < 1e-5
    assert np.abs(again["hub.inertial.quaternion"] - run["hub.inertial.quaternion"]).max() < 1e-9
    assert np.abs(again["hinge.angle"] - run["hinge.angle"]).max() < 1e-6


def of(description: str, names=("hub.position[1]", "hub.position[2]", "hub.position[3]", "hub.velocity[1]", "hub.velocity[2]", "hub.velocity[3]")):  # fmt: skip
    origin = {"units": {"": {"model": "x.fmu", "description": {"x.toml": description}, "values": {}}}}
    return Result(np.arange(3.0), tuple(names), np.ones((3, len(names))), origin=origin)


DATED = "[environment.time]\nepoch = 2026-03-20T12:01:09.184\nscale = 'TT'\n"


def test_dates_and_axes_are_those_of_the_description(tmp_path):
    """12:01:09.184 TT is 12:00:00 UTC since 2017."""
    text = of(DATED).write(tmp_path / "run.oem").read_text("utf-8")
    assert "REF_FRAME = TEME" in text
    assert "\n2026-03-20T12:00:01.000000000 0.001 " in text
    assert "REF_FRAME = GCRF" in of(DATED + "axes = 'GCRF'\n").write(Path(tmp_path, "run.oem")).read_text("utf-8")


@pytest.mark.parametrize(
    "run, ending, sentence",
    [
        (of(""), "oem", "an OEM has dates: it needs a run of a description with a table environment.time"),
        (of(DATED + "planet = 'mars'\n"), "oem", "an OEM can only be written for orbits about the Earth; environment.time.planet is mars"),
        (of(DATED), "aem", "an AEM needs quaternion of a free body, which the run did not record"),
        (of(DATED, ["time_of_day"]), "oem", "an OEM needs position and velocity of a free body, which the run did not record"),
    ],
)  # fmt: skip
def test_refusals(tmp_path, run, ending, sentence):
    with pytest.raises(ValueError, match=sentence):
        run.write(tmp_path / f"run.{ending}")
    assert not (tmp_path / f"run.{ending}").exists()
