"""modelDescription.xml of a System that has one of everything, read back by FMPy and lxml."""

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from fmpy import read_model_description
from fmpy.validation import validate_fmu
from lxml import etree

from spacefmu.dynamics.system.signals import Signal
from spacefmu.fmu_src.interface.capabilities import NATIVE
from spacefmu.fmu_src.interface.description import model_description, model_identifier
from spacefmu.fmu_src.interface.variables import variables_of
from spacefmu.fmu_src.native.platforms.compile import runtime_sources
from spacefmu.fmu_src.native.trace.sparsity import dependencies
from tests.interface.systems import DEPENDENCIES, ONE_OF_EVERYTHING, SIGNALS

CO_SIMULATION_ONLY = replace(NATIVE, model_exchange=False, providesDirectionalDerivative=False)
VARIABLES = variables_of(ONE_OF_EVERYTHING)


def describe(system=ONE_OF_EVERYTHING, capabilities=NATIVE, dependencies=DEPENDENCIES):
    return model_description(system, variables_of(system), "{1234}", dependencies, capabilities, ["a.c", "b.c"])


def with_parameter(**changes):
    """The System with its first parameter changed."""
    first, *rest = SIGNALS.parameters
    return replace(ONE_OF_EVERYTHING, signals=SIGNALS.with_group("parameters", (replace(first, **changes), *rest)))


@pytest.fixture
def read(tmp_path):
    """A function that writes the text as an unpacked FMU and reads it with FMPy."""

    def reader(text):
        (tmp_path / "modelDescription.xml").write_text(text, "utf-8")
        assert validate_fmu(str(tmp_path)) == []
        return read_model_description(tmp_path, validate=True)

    return reader


@pytest.fixture(scope="module")
def tree():
    return etree.fromstring(describe().encode())


def unknowns(tree, tag):
    """Name → names it depends on, for one list of the model structure, in the order of the XML."""
    names = [variable.get("name") for variable in tree.find("ModelVariables")]
    return {
        names[int(unknown.get("index")) - 1]: {names[int(i) - 1] for i in unknown.get("dependencies").split()}
        for unknown in tree.find(f"ModelStructure/{tag}")
    }


@pytest.mark.parametrize("capabilities", [NATIVE, CO_SIMULATION_ONLY])
def test_schema_and_fmpy_find_nothing(read, capabilities):
    described = read(describe(capabilities=capabilities))
    assert (described.modelExchange is not None) == capabilities.model_exchange
    assert described.coSimulation.maxOutputDerivativeOrder == 1
    assert described.numberOfEventIndicators == 1


def test_both_interfaces_name_the_library_and_the_sources(tree):
    for interface in ("ModelExchange", "CoSimulation"):
        element = tree.find(interface)
        assert element.get("modelIdentifier") == "One_of_everything"
        assert [file.get("name") for file in element.findall("SourceFiles/File")] == ["a.c", "b.c"]


def test_a_system_without_states_inputs_and_outputs_is_legal(read):
    empty = replace(ONE_OF_EVERYTHING, signals=type(SIGNALS)(), indicator_count=0)
    nothing = SimpleNamespace(**dict.fromkeys(vars(DEPENDENCIES), ()))
    described = read(describe(empty, dependencies=nothing))
    assert [v.name for v in described.modelVariables] == [
        "time",
        "solver.method",
        "solver.tolerance",
        "solver.max_step",
    ]


def test_every_variable_reads_back_as_it_was_said(read):
    described = {v.name: v for v in read(describe()).modelVariables}
    assert list(described) == [v.name for v in VARIABLES]
    for variable in VARIABLES:
        found, signal = described[variable.name], variable.signal
        assert (found.valueReference, found.causality, found.variability) == (
            variable.reference,
            variable.causality,
            variable.variability,
        )
        assert found.type.lower() == signal.kind
        assert (found.unit or "") == (signal.unit if signal.kind == "real" else "")
        for bound in ("min", "max", "nominal"):
            text = getattr(found, bound)
            assert (None if text is None else float(text)) == getattr(signal, bound)
        if variable.has_start:
            value = {"true": 1.0, "false": 0.0}.get(found.start) if signal.kind == "boolean" else float(found.start)
            assert value == signal.start  # the same bits: 0.1 + 0.2 and 1e-300 are among them
        else:
            assert found.start is None


def test_derivatives_point_at_their_states_and_jumping_states_say_so(read, tree):
    described = {v.name: v for v in read(describe()).modelVariables}
    assert {name: v.derivative.name for name, v in described.items() if v.derivative} == {
        "mass.velocity": "mass.position",
        "mass.acceleration": "mass.velocity",
        "der(wheel.speed)": "wheel.speed",
        "power": "work",
    }
    assert tree.xpath("//ScalarVariable[Real/@reinit='true']/@name") == ["mass.velocity"]


def test_enumerations_have_items_and_units_have_display_units(tree):
    items = tree.findall("TypeDefinitions/SimpleType[@name='Types.mode']/Enumeration/Item")
    assert [(item.get("name"), item.get("value")) for item in items] == [("coarse", "1"), ("fine", "2")]
    assert tree.find(".//ScalarVariable[@name='mode']/Enumeration").get("declaredType") == "Types.mode"
    assert tree.find(".//ScalarVariable[@name='wheel.speed']/Real").get("displayUnit") == "rpm"
    rpm = tree.find("UnitDefinitions/Unit[@name='rad/s']/DisplayUnit[@name='rpm']")
    assert float(rpm.get("factor")) * (2 * 3.141592653589793 / 60) == pytest.approx(1.0, abs=1e-15)


def test_log_categories_are_those_of_the_runtime(tree):
    in_c = {name for text in runtime_sources().values() for name in re.findall(r'"(log[A-Z]\w+)"', text)}
    assert {category.get("name") for category in tree.find("LogCategories")} == in_c


def test_outputs_depend_on_what_the_equations_use(tree):
    assert unknowns(tree, "Outputs") == {
        "mass.position": {"mass.position"},  # a state is known, and shows itself
        "mass.velocity": {"mass.velocity"},
        "wheel.speed": {"wheel.speed"},
        "mass.acceleration": {"mass.position", "force[1]"},
        "power": {"mass.velocity", "force[1]"},
        "spring.force": {"mass.position"},
        "feedthrough": {"mass.position", "force[1]"},
        "stretched": {"mass.position"},
        "clock": {"time"},
        "constant": set(),
        "count": set(),  # a discrete state: no direct feedthrough
    }


def test_derivatives_are_in_the_order_of_the_states(tree):
    assert list(unknowns(tree, "Derivatives").items()) == [
        ("mass.velocity", {"mass.velocity"}),
        ("mass.acceleration", {"mass.position", "force[1]"}),
        ("der(wheel.speed)", {"wheel.speed", "force[2]"}),
        ("power", {"mass.velocity", "force[1]"}),
    ]


def test_initial_unknowns_depend_on_parameters_too(tree):
    found = unknowns(tree, "InitialUnknowns")
    assert found["mass.acceleration"] == {"mass.position", "force[1]", "stiffness", "mass.mass"}
    assert found["spring.force"] == {"mass.position", "stiffness"}
    assert "mass.position" not in found  # its start is exact
    indices = [int(u.get("index")) for u in tree.find("ModelStructure/InitialUnknowns")]
    assert indices == sorted(indices)


def test_dependencies_read_off_by_hand_are_those_of_the_symbols():
    assert vars(DEPENDENCIES) == vars(dependencies(ONE_OF_EVERYTHING))


def test_unknown_units_are_refused_all_at_once():
    outputs = tuple(Signal(name, "", "furlong") for name in ("race", "track"))
    with pytest.raises(ValueError, match=r"race: unit 'furlong'.*track: unit 'furlong'"):
        describe(replace(ONE_OF_EVERYTHING, signals=SIGNALS.with_group("outputs", outputs)))


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"start": -3.0}, r"mass.mass: start -3.0 is outside min 1e-09 … max None"),
        ({"nominal": 0.0}, r"mass.mass: nominal is 0.0, expected a positive number"),
    ],
)
def test_numbers_that_contradict_each_other_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        describe(with_parameter(**changes))


@pytest.mark.parametrize("name, identifier", [("Sat", "Sat"), ("My sat-2", "My_sat_2"), ("3U CubeSat", "_3U_CubeSat")])
def test_model_identifier_is_a_c_name(name, identifier):
    assert model_identifier(replace(ONE_OF_EVERYTHING, name=name)) == identifier
