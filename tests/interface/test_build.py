"""A whole FMU, built for this host: what is in it, and that it is what it says."""

import shutil
import subprocess
import zipfile

import pytest
from fmpy import read_model_description, simulate_fmu
from fmpy.validation import validate_fmu

from spacefmu.fmu_src.build import build_native
from spacefmu.fmu_src.interface.documentation import fmpy_example
from spacefmu.fmu_src.interface.variables import variables_of
from tests.interface.systems import ONE_OF_EVERYTHING


@pytest.fixture(scope="module")
def fmu(tmp_path_factory):
    return build_native(ONE_OF_EVERYTHING, tmp_path_factory.mktemp("build") / "One_of_everything.fmu", ["host"])


def test_validation_finds_nothing(fmu):
    assert validate_fmu(str(fmu)) == []


def test_everything_the_standard_knows_is_in_it(fmu):
    with zipfile.ZipFile(fmu) as archive:
        names = set(archive.namelist())
    library = [name for name in names if name.startswith("binaries/")]
    assert len(library) == 1
    assert library[0].rsplit("/", 1)[1].startswith("One_of_everything.")
    assert names >= {
        "modelDescription.xml",
        "model.png",
        "documentation/index.html",
        "documentation/licenses/license.txt",
        "sources/model.c",
        "sources/model.h",
        "sources/fmi2Functions.h",
    }


def test_the_same_system_gives_the_same_bytes(fmu, tmp_path, monkeypatch):
    monkeypatch.setenv("SPACEFMU_CACHE", "off")  # compiled again
    assert build_native(ONE_OF_EVERYTHING, tmp_path / "again.fmu", ["host"]).read_bytes() == fmu.read_bytes()


def test_listed_sources_compile_with_any_c99_compiler(fmu, tmp_path):
    """Nothing but the sources/ folder is needed; the guid in the C is the one in the XML."""
    with zipfile.ZipFile(fmu) as archive:
        archive.extractall(tmp_path)
    description = read_model_description(fmu)
    sources = [f"sources/{name}" for name in description.buildConfigurations[0].sourceFileSets[0].sourceFiles]
    compiler = shutil.which("cc")
    assert compiler, "this test needs a C compiler named cc"
    command = [compiler, "-std=c99", "-shared", "-fPIC", "-o", "a.so", *sources, "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert description.guid.encode() in (tmp_path / "a.so").read_bytes()


@pytest.mark.parametrize("interface", ["CoSimulation", "ModelExchange"])
def test_fmpy_runs_it_with_both_interfaces(fmu, interface):
    result = simulate_fmu(str(fmu), fmi_type=interface, output=["mass.position", "clock"])
    assert result["clock"][-1] == pytest.approx(3.0)


def test_the_example_in_the_documentation_runs(fmu, monkeypatch):
    monkeypatch.chdir(fmu.parent)
    shown = []
    monkeypatch.setattr("fmpy.plot_result", lambda result: shown.append(result))
    exec(fmpy_example(ONE_OF_EVERYTHING, variables_of(ONE_OF_EVERYTHING)), {})
    assert shown[0].dtype.names == ("time", "mass.position", "mass.velocity", "wheel.speed")


def test_an_unknown_platform_is_refused_before_any_work(tmp_path):
    with pytest.raises(
        ValueError, match="platform 'amiga' is unknown, expected one of linux64, win64, darwin64 or host"
    ):
        build_native(ONE_OF_EVERYTHING, tmp_path / "a.fmu", ["linux64", "amiga"])
    assert list(tmp_path.iterdir()) == []
