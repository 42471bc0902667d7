"""SSP 2.0: FMI 3.0's arrays and types in connectors, connections and start values; the bits of SSP 1.0."""

import zipfile

import numpy as np
import pytest
from lxml import etree

from spacefmu.dynamics.description import DescriptionError
from spacefmu.fmu_src import api, cosim
from spacefmu.fmu_src.cosim.ssp import SSD, read_ssp, write_ssp
from spacefmu.fmu_src.cosim.ssp_xml import NAMES, invalid
from tests.catalogue_fmus import fmu_file
from tests.cli.command import in_this_process
from tests.cosim.test_ssp import UNITS, changed, slew_system
from tests.fmi3.units import fmu3_file

KINDS = {
    "2.0": dict.fromkeys(UNITS, fmu_file),
    "3.0": dict.fromkeys(UNITS, fmu3_file),
    "both": {"plant": fmu_file, "controller": fmu3_file},
}


@pytest.fixture(scope="module")
def system():
    return slew_system()


@pytest.fixture(scope="module")
def packed(system, tmp_path_factory):
    folder = tmp_path_factory.mktemp("ssp2")

    def made(kind):
        fmus = {unit: file(UNITS[unit]) for unit, file in KINDS[kind].items()}
        return write_ssp(folder / f"{kind}.ssp", system, fmus, "2.0")

    return {kind: made(kind) for kind in KINDS}


def root_of(path, member=SSD):
    with zipfile.ZipFile(path) as archive:
        return etree.fromstring(archive.read(member))


def connections(path):
    return [dict(each.attrib) for each in root_of(path).findall(".//ssd:Connection", NAMES)]


@pytest.mark.parametrize("kind", KINDS)
def test_the_results_are_those_of_the_system(kind, system, packed):
    one = cosim.cosimulate(system, {unit: fmu_file(model) for unit, model in UNITS.items()})
    other = api.cosimulate(packed[kind])
    assert other.names == one.names
    assert np.array_equal(other.values, one.values)
    assert np.abs(one["controller.torque"]).max() > 1.0


def test_every_file_states_and_keeps_the_version(packed):
    for path in packed.values():
        assert root_of(path).get("version") == "2.0"
        for unit in UNITS:
            values = root_of(path, f"resources/{unit}.ssv")
            assert values.get("version") == "2.0"
            assert invalid("ssv", values) == []


def test_arrays_stay_whole(packed):
    """One connector, one connection and one start value per array of FMI 3.0; SSP 1.0 has no place for them."""
    ends = [(each["startConnector"], each["endConnector"]) for each in connections(packed["3.0"])]
    assert ends == [("hub.quaternion", "quaternion"), ("hub.angular_velocity", "angular_velocity"), ("torque", "hub.torque")]  # fmt: skip
    (connector,) = root_of(packed["3.0"]).findall(".//ssd:Connector[@name='hub.quaternion']", NAMES)
    assert connector.find("ssc:Float64", NAMES).get("unit") == "1"
    assert [each.get("size") for each in connector.findall("ssc:Dimension", NAMES)] == ["4"]
    (rate,) = root_of(packed["3.0"], "resources/plant.ssv").findall(".//*[@name='hub.angular_velocity']")
    assert rate.find("ssv:Float64", NAMES).get("value") == "0.01 0.01 0.01"
    with zipfile.ZipFile(packed["3.0"]) as archive:
        assert not [name for name in archive.namelist() if name.endswith(".ssm")]


def test_elements_are_connected_by_indices(packed):
    """FMI 2.0 on one side has a connector per element."""
    torques = [each for each in connections(packed["both"]) if each["startConnector"] == "torque"]
    assert [each["startIndices"] for each in torques] == ["1", "2", "3"]
    assert [each["endConnector"] for each in torques] == [f"hub.torque[{i}]" for i in (1, 2, 3)]
    assert not any("endIndices" in each for each in torques)


def test_fmi_3_needs_ssp_2(system, tmp_path):
    fmus = {unit: fmu3_file(model) for unit, model in UNITS.items()}
    with pytest.raises(ValueError, match=r"unit plant is an FMI 3\.0 FMU, which SSP 1\.0 does not support"):
        write_ssp(tmp_path / "slew.ssp", system, fmus)
    with pytest.raises(ValueError, match=r"SSP version '3\.0' is unknown; write 1\.0 or 2\.0"):
        write_ssp(tmp_path / "slew.ssp", system, fmus, "3.0")
    assert not (tmp_path / "slew.ssp").exists()


RATE = '<ssv:Float64 value="0.01 0.01 0.01"/>'
REFUSED = {
    "too few values": ("resources/plant.ssv", RATE, '<ssv:Float64 value="0.01 0.01"/>', "'hub.angular_velocity' has 2 values, but 3 elements"),
    "a wrong size": ("resources/plant.ssv", 'size="3"', 'size="18446744073709551615"', "has 3 values, but 18446744073709551615 elements"),
    "words": ("resources/plant.ssv", RATE, '<ssv:Int32 value="1 2 3.5"/>', "plant.ssv is not valid: line"),
    "a list without a size": ("resources/plant.ssv", '<ssv:Float64 value="410.0"/>', '<ssv:Float64 value="410 1"/>', "'hub.mass' is '410 1', which is not of type Float64"),
    "scheduled": (SSD, 'implementation="CoSimulation"', 'implementation="ScheduledExecution"', "asks for ScheduledExecution; only CoSimulation is supported"),
    "no source": (SSD, 'source="resources/HingedPanel.fmu"', "", "the component 'plant' is '', which is not supported"),
    "an index too many": (SSD, 'endConnector="quaternion"', 'endConnector="quaternion" endIndices="5"', "'quaternion[5]' is not a variable of controller"),
    "an element of all": (SSD, 'endConnector="quaternion"', 'endConnector="quaternion" endIndices="2"', "has 4 elements, but controller.quaternion[2] has 1"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_wrong_is_named(case, packed, tmp_path):
    member, old, new, sentence = REFUSED[case]
    with pytest.raises(DescriptionError) as caught:
        api.cosimulate(changed(packed["3.0"], tmp_path / "other.ssp", old, new, member))
    assert sentence in str(caught.value)


def test_indices_of_files_of_others_are_read(packed, tmp_path):
    """In either direction, as connectors say."""
    start = 'startElement="controller" startConnector="torque" startIndices="2" endElement="plant" endConnector="hub.torque[2]"'
    turned = 'startElement="plant" startConnector="hub.torque[2]" endElement="controller" endConnector="torque" endIndices="2"'
    foreign = changed(packed["both"], tmp_path / "turned.ssp", start, turned)
    assert read_ssp(foreign, tmp_path)[0].connections == read_ssp(packed["both"], tmp_path)[0].connections


def test_the_command_builds_for_the_platforms_and_versions_that_are_asked_for(tmp_path, monkeypatch, capfd):
    asked = []

    def build(system, path, on_message=None, **options):
        asked.append(options)
        path.write_bytes((fmu3_file if options["fmi"] == 3 else fmu_file)(system.name).read_bytes())
        return path

    monkeypatch.setattr("spacefmu.fmu_src.api.systems.build", build)
    monkeypatch.chdir(tmp_path)
    units = "\n".join(f'[units.{unit}]\nmodel = "{model}"' for unit, model in UNITS.items())
    (tmp_path / "slew.toml").write_text(
        f'kind = "system"\nname = "Slew"\nstep = 0.1\nstop = 1.0\n{units}\n[connections]\n'
    )
    in_this_process("spacefmu system pack slew.toml --ssp 2 --fmi 3 --platform linux64,win64")
    assert asked == [{"platforms": ("linux64", "win64"), "fmi": 3}] * 2
    assert root_of(tmp_path / "Slew.ssp").get("version") == "2.0"
    in_this_process("spacefmu system pack slew.toml")
    assert asked[2:] == [{"platforms": ("host",), "fmi": 2}] * 2
    assert root_of(tmp_path / "Slew.ssp").get("version") == "1.0"
    capfd.readouterr()
    in_this_process("spacefmu system pack slew.toml --fmi 3", code=2)
    assert "SSP 1.0 does not support FMI 3.0" in capfd.readouterr().err
