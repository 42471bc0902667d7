"""SSP: what we write is valid and runs the same; what others write is read; what is not supported is refused by name."""

import zipfile

import numpy as np
import pytest
from fmpy.ssp.simulation import simulate_ssp
from fmpy.ssp.ssd import read_ssd, read_ssv
from lxml import etree

from spacefmu.dynamics.description import DescriptionError
from spacefmu.fmu_src import api, cosim
from spacefmu.fmu_src.cosim.ssp import SSD, read_ssp, write_ssp
from spacefmu.fmu_src.cosim.ssp_xml import NAMES
from tests.catalogue_fmus import fmu_file
from tests.cosim.test_coupling import GOOD
from tests.own_process import in_own_process

UNITS = {"plant": "HingedPanel", "controller": "AttitudeController"}


def slew_system():
    start = {"plant": {"hub.angular_velocity": 0.01, "hub.mass": 410.0}, "controller": {"torque_limit": 5.0}}
    return cosim.CoupledSystem(
        name="Slew",
        description="a small slew",
        step=0.1,
        stop=2.0,
        units={unit: {"model": model, "start": start[unit]} for unit, model in UNITS.items()},
        connections=GOOD | {"plant.hub.torque": {"from": "controller.torque", "factor": -1.0}},
    )


@pytest.fixture(scope="module")
def system():
    return slew_system()


@pytest.fixture(scope="module")
def packed(system, tmp_path_factory):
    return write_ssp(tmp_path_factory.mktemp("ssp") / "slew.ssp", system, {u: fmu_file(m) for u, m in UNITS.items()})


def changed(packed, path, old, new, member=SSD):
    """A copy of the file with other words in it."""
    with zipfile.ZipFile(packed) as source, zipfile.ZipFile(path, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name == member:
                assert old.encode() in data
                data = data.replace(old.encode(), new.encode())
            target.writestr(name, data)
    return path


def test_written_and_read_again_it_is_the_same(system, packed, tmp_path):
    again, fmus = read_ssp(packed, tmp_path)
    assert (again.name, again.step, again.stop, again.algorithm) == ("Slew", 0.1, 2.0, "gauss_seidel")
    assert {unit: path.read_bytes() for unit, path in fmus.items()} == {
        unit: fmu_file(model).read_bytes() for unit, model in UNITS.items()
    }
    given = {"plant": fmu_file("HingedPanel"), "controller": fmu_file("AttitudeController")}
    one, other = cosim.cosimulate(system, given), cosim.cosimulate(again, fmus)
    assert one.names == other.names
    assert np.array_equal(one.values, other.values)
    assert np.abs(one["controller.torque"]).max() > 1.0
    assert np.array_equal(api.cosimulate(packed).values, one.values)


def test_fmus_of_one_base_name_stay_apart(system, packed, tmp_path):
    """Read from two folders of an SSP, and written from two folders: unit plant ran as unit controller before."""
    other = tmp_path / "other.ssp"
    with zipfile.ZipFile(packed) as source, zipfile.ZipFile(other, "w") as target:
        for name in source.namelist():
            data, moved = source.read(name), name
            for model in UNITS.values():
                moved = moved.replace(f"resources/{model}.fmu", f"resources/{model}/unit.fmu")
                data = data.replace(f"{model}.fmu".encode(), f"{model}/unit.fmu".encode()) if name == SSD else data
            target.writestr(moved, data)
    (tmp_path / "read").mkdir()
    fmus = read_ssp(other, tmp_path / "read")[1]
    expected = {unit: fmu_file(model).read_bytes() for unit, model in UNITS.items()}
    assert {unit: path.read_bytes() for unit, path in fmus.items()} == expected
    again = write_ssp(tmp_path / "again.ssp", system, fmus)
    (tmp_path / "again").mkdir()
    assert {u: path.read_bytes() for u, path in read_ssp(again, tmp_path / "again")[1].items()} == expected


def test_what_an_ssp_unpacks_is_limited(packed, tmp_path, monkeypatch):
    monkeypatch.setattr("spacefmu.fmu_src.cosim.ssp_reader.FILE", 1 << 10)
    with pytest.raises(DescriptionError, match=r"HingedPanel.fmu' is not unpacked: the limits are 1024 bytes per file"):
        read_ssp(packed, tmp_path)
    bomb = changed(packed, tmp_path / "bomb.ssp", "<ssd:System", "<!DOCTYPE a []><ssd:System")
    with pytest.raises(DescriptionError, match=r"SystemStructure.ssd defines entities"):
        read_ssp(bomb, tmp_path)


def test_fmpy_finds_it_valid_and_reads_the_same_start_values(packed):
    description = read_ssd(packed, validate=True)
    assert [element.name for element in description.system.elements] == ["plant", "controller"]
    assert "N.m" in [unit.name for unit in description.units]
    values = read_ssv(packed, "resources/plant.ssv")
    assert {p.name: float(p.value) for p in values.parameters} == {"hub.angular_velocity": 0.01, "hub.mass": 410.0}
    with zipfile.ZipFile(packed) as archive:
        mapping = archive.read("resources/plant.ssm").decode()
    assert all(f'target="hub.angular_velocity[{i}]"' in mapping for i in (1, 2, 3))


def test_the_same_system_gives_the_same_bytes(system, packed, tmp_path):
    fmus = {u: fmu_file(m) for u, m in UNITS.items()}
    assert write_ssp(tmp_path / "again.ssp", system, fmus).read_bytes() == packed.read_bytes()


def test_a_file_without_our_annotation_needs_a_step(packed, tmp_path):
    """As from another tool: only the step is missing; connections may be written from their end to their start."""
    foreign = changed(packed, tmp_path / "foreign.ssp", 'type="spacefmu.coupling"', 'type="somebody.else"')
    with pytest.raises(DescriptionError, match=r"no communication step.*--step"):
        read_ssp(foreign, tmp_path)
    system, _ = read_ssp(foreign, tmp_path, step=0.1)
    assert system.step == 0.1
    start = 'startElement="plant" startConnector="hub.quaternion[1]"'
    end = 'endElement="controller" endConnector="quaternion[1]"'
    flipped = f"{end.replace('end', 'start', 1).replace('end', 'start', 1)} {start.replace('start', 'end', 1).replace('start', 'end', 1)}"
    turned = changed(packed, tmp_path / "turned.ssp", f"{start} {end}", flipped)
    assert read_ssp(turned, tmp_path)[0].connections == read_ssp(packed, tmp_path)[0].connections


def test_omsimulator_s_importer_finds_what_it_asks_for(packed):
    """Model.cpp and System.cpp of OMSimulator (2940ef11): below the root System, units, enumerations and experiment alone ("wrong xml schema
    detected"); in the System a first annotation of its own with a master ("internal error" else). Names count with their prefixes."""
    with zipfile.ZipFile(packed) as archive:
        root = etree.fromstring(archive.read(SSD))
    shown = [f"{child.prefix}:{etree.QName(child).localname}" for child in root]
    assert set(shown) <= {"ssd:System", "ssd:Units", "ssd:Enumerations", "ssd:DefaultExperiment"}
    first = root.find("ssd:System/ssd:Annotations", NAMES)[0]
    assert first.get("type") == "org.openmodelica"
    way = []
    while len(first):
        first = first[0]
        way.append(f"{first.prefix}:{etree.QName(first).localname}")
    assert way == ["oms:Annotations", "oms:SimulationInformation", "oms:FixedStepMaster"]
    assert dict(first.attrib) == {"description": "oms-ma", "stepSize": "0.1", "relativeTolerance": "1e-09"}


def test_files_that_we_wrote_before_are_still_read(packed, tmp_path):
    """Their annotation is one of the root."""
    with zipfile.ZipFile(packed) as archive:
        root = etree.fromstring(archive.read(SSD))
        old = archive.read(SSD).decode()
    annotations = root.find("ssd:System/ssd:Annotations", NAMES)
    annotations.remove(annotations[0])
    annotations.getparent().remove(annotations)
    root.append(annotations)
    before = changed(packed, tmp_path / "before.ssp", old, etree.tostring(root).decode())
    assert read_ssp(before, tmp_path)[0].step == 0.1


REFUSED = {
    "nested": ("<ssd:Elements>", '<ssd:Elements><ssd:System name="inner"/>', "the nested system 'inner' is not supported"),
    "dictionary": ("<ssd:Elements>", '<ssd:Elements><ssd:SignalDictionaryReference name="bus" dictionary="d"/>', "the signal dictionary 'bus' is not supported"),
    "transformation": (
        '<ssc:LinearTransformation factor="-1.0"/>',
        '<ssc:BooleanMappingTransformation><ssc:MapEntry source="true" target="false"/></ssc:BooleanMappingTransformation>',
        "has a BooleanMappingTransformation, which is not supported",
    ),
    "offset": ('factor="-1.0"/>', 'factor="-1.0" offset="2.0"/>', "has an offset, 2, which is not supported"),
    "model exchange": ('implementation="CoSimulation"', 'implementation="ModelExchange"', "asks for ModelExchange; only CoSimulation is supported"),
    "not there": ("resources/HingedPanel.fmu", "resources/Hinged.fmu", "is 'resources/Hinged.fmu', which is not in the file"),
    "invalid": ('kind="input"', 'kind="inlet"', "SystemStructure.ssd is not valid: line"),
    "an outer connector": ('startElement="plant" startConnector="hub.quaternion[1]"', 'startConnector="q"', "the connector 'q' of the system itself"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_supported_is_named(case, packed, tmp_path):
    old, new, sentence = REFUSED[case]
    with pytest.raises(DescriptionError) as caught:
        read_ssp(changed(packed, tmp_path / "other.ssp", old, new), tmp_path)
    assert sentence in str(caught.value)


def test_no_ssp(tmp_path):
    (tmp_path / "text.ssp").write_text("text")
    with pytest.raises(DescriptionError, match="not an SSP file"):
        read_ssp(tmp_path / "text.ssp", tmp_path)
    with pytest.raises(DescriptionError, match="no such file"):
        read_ssp(tmp_path / "none.ssp", tmp_path)


def test_fmpy_runs_it(tmp_path):
    """FMPy's SSP master: connectors start at 0, values are exchanged after each step, so all are a step late, and bindings and
    factors are left out. What it must give is computed here, call by call, with the same FMUs."""
    plain = cosim.CoupledSystem(
        name="Slew", step=0.1, stop=1.0, units={u: {"model": m} for u, m in UNITS.items()}, connections=GOOD
    )
    fmus = {u: fmu_file(m) for u, m in UNITS.items()}
    path = write_ssp(tmp_path / "plain.ssp", plain, fmus)
    table = in_own_process(simulate_ssp, str(path), stop_time=0.95, step_size=0.1)
    inputs = {"plant": [f"hub.torque[{i}]" for i in (1, 2, 3)]}
    inputs["controller"] = [f"quaternion[{i}]" for i in (1, 2, 3, 4)] + [f"angular_velocity[{i}]" for i in (1, 2, 3)]
    with (
        cosim.fmu.Slave("plant", fmus["plant"]) as plant,
        cosim.fmu.Slave("controller", fmus["controller"]) as controller,
    ):
        slaves = {"plant": plant, "controller": controller}
        for slave in slaves.values():
            slave.call("setupExperiment", startTime=0.0)
            slave.call("enterInitializationMode")
            slave.call("exitInitializationMode")
        values = {unit: dict.fromkeys(names, 0.0) for unit, names in inputs.items()}
        time = 0.0
        for row in table:
            outputs = {}
            for name, slave in slaves.items():
                slave.set(values[name])
                slave.call("doStep", currentCommunicationPoint=time, communicationStepSize=0.1)
            outputs["torque"] = controller.get([f"torque[{i}]" for i in (1, 2, 3)])
            outputs["state"] = plant.get(
                [f"hub.quaternion[{i}]" for i in (1, 2, 3, 4)] + [f"hub.angular_velocity[{i}]" for i in (1, 2, 3)]
            )
            values["plant"] |= dict(zip(inputs["plant"], outputs["torque"], strict=True))
            values["controller"] |= dict(zip(inputs["controller"], outputs["state"], strict=True))
            assert [row[f"controller.torque[{i}]"] for i in (1, 2, 3)] == outputs["torque"].tolist()
            assert [row[f"plant.hub.quaternion[{i}]"] for i in (1, 2, 3, 4)] == outputs["state"][:4].tolist()
            time += 0.1
    assert len(table) == 10
