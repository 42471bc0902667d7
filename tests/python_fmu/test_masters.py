"""Known faults of pythonfmu's wrapper, one by one, in three masters, each in a process of its own.

| row | FMPy | libcosim | ecos |
|---|---|---|---|
| description | validation finds nothing; units, bounds, nominal | FMI Library's complaints; causality, variability | starts bit for bit |
| own code | two modules of one name, two versions of `dynamics` | the same | the same |
| whole state | saved, restored; serialized in test_traps.py | new execution (no verb for saving) | reset (no verb for saving) |
| exceptions | fmi2Discard, traceback, process lives on | the same: the execution stops | logged; ecos goes on without asking |
| state machine | all calls in test_traps.py | fixed parameter set late; checks steps itself | the same, and steps of no length |
| not supported | declared; answers in test_traps.py | not called, by FMI Library's own log | has no verb for them |
| results | the yardstick | to round-off | to round-off |

Neither libcosim nor ecos shows units, bounds or nominal values: `test_what_these_masters_have_no_verb_for`.
"""

import re
import subprocess
import zipfile
from importlib.util import find_spec
from pathlib import Path

import fmpy
import pytest
from fmpy.validation import validate_fmu

from tests.catalogue_fmus import ENTRIES, QUICK, fmu_file, matrix
from tests.compare import relative
from tests.python_fmu.masters import MASTERS, drive, job
from tests.python_fmu.units import BROKEN, GYRO

every_master = pytest.mark.parametrize("master", MASTERS)
OTHERS = [master for master in MASTERS if master != "FMPy"]
CAUSALITIES = ("input", "parameter", "output", "calculatedParameter", "local")  # of libcosim, in its order
VARIABILITIES = ("constant", "fixed", "tunable", "discrete", "continuous")


@pytest.fixture
def gyro(own_fmu):
    """gyro(old, new): the FMU file of the documentation's gyro with a change to its text."""
    return lambda *change: own_fmu(GYRO.replace(*change) if change else GYRO).parent / "Own.fmu"


# ---- description


@pytest.mark.parametrize("name", matrix())
def test_validation_finds_nothing(name):
    assert validate_fmu(str(fmu_file(name, "python"))) == []


@pytest.mark.parametrize("flavour", ["python", "native"])
@pytest.mark.parametrize("entries", [QUICK, pytest.param(ENTRIES, marks=pytest.mark.ci)], ids=["quick", "all"])
def test_fmi_library_complains_of_nothing_but_its_own_fault(entries, flavour):
    """It asks for a start of `time`, which FMI 2.0 forbids to independent variables (section 2.2.7).

    That is a fault of FMI Library before 2024, modelon-community/fmi-library issue 21; libcosim has such a one
    inside. libcosim says besides that it has no enumerations.
    """
    fmus = [fmu_file(name, flavour) for name in entries]
    outcome = drive("libcosim", *(job(fmu, steps=0) for fmu in fmus))
    assert outcome.code == 0, outcome.log
    grave = [line for line in outcome.log.splitlines() if re.search(r"\] \[(error|warning|fatal)\]", line)]
    rest = [line for line in grave if "Enumeration variable type not supported" not in line]
    assert len(rest) == 2 * len(fmus)  # each description is read twice
    assert all("Start attribute is required for this causality" in line for line in rest)
    blamed = [int(line) for line in re.findall(r"\[Line:([0-9]+)\] Detected during parsing", outcome.log)]
    assert blamed[::2] == [_line_of_time(fmu) for fmu in fmus]


def _line_of_time(fmu) -> int:
    """Of the element <Real unit="s"/>, the one after <ScalarVariable name="time">."""
    with zipfile.ZipFile(fmu) as archive:
        lines = archive.read("modelDescription.xml").decode().splitlines()
    return next(i for i, line in enumerate(lines, 2) if 'causality="independent"' in line)


def test_libcosim_reads_causality_and_variability(gyro):
    (found,) = drive("libcosim", job(gyro(), steps=1)).results[0]["kinds"]
    variables = fmpy.read_model_description(str(gyro())).modelVariables
    for v in (v for v in variables if v.type != "Enumeration" and v.causality != "independent"):
        reference, causality, variability = found[v.name]
        assert (reference, CAUSALITIES[causality], VARIABILITIES[variability]) == (v.valueReference, v.causality, v.variability)  # fmt: skip


@every_master
def test_starts_have_every_digit(gyro, master):
    """pythonfmu writes 16 digits: 1/3 would come back as another number."""
    (values,) = drive(master, job(gyro("0.001", repr(1.0 / 3.0)), steps=1)).results[0]["values"]
    assert values["bias"] == 1.0 / 3.0


# ---- own code


@every_master
def test_modules_of_one_name_keep_their_own_code(gyro, master):
    """Two FMUs with module and class of one name: a stock pythonfmu FMU would run the first one's code twice."""
    fmus = gyro(), gyro("now.filtered + now.bias", "-now.filtered")
    one, other = drive(master, job(*fmus, start={"rate": 1.0})).results[0]["values"]
    assert one["measured"] == pytest.approx(one["bias"] - other["measured"], abs=1e-15)
    assert one["measured"] > 0.9


@every_master
def test_versions_of_dynamics_keep_their_own_code(two_versions, master):
    """−2 K q_v with K = 19 N m/rad, and twice that in the changed version."""
    start = {"quaternion[1]": 0.99**0.5, "quaternion[2]": 0.1}
    values = drive(master, job(*two_versions, steps=1, start=start)).results[0]["values"]
    assert [each["torque[1]"] for each in values] == pytest.approx([-3.8, -7.6], rel=1e-14)


# ---- whole state


@every_master
def test_the_same_once_more_gives_the_same_bits(master):
    """TetheredMasses over its slack → taut event at 8.6 s: from a saved state, in a new execution, after a reset."""
    (result,) = drive(master, job(fmu_file("TetheredMasses", "python"), steps=100, again=True)).results
    assert result["values"] == result["again"]
    assert result["values"][0]["tether.energy_lost"] > 0.0


# ---- exceptions


@every_master
def test_an_exception_harms_neither_master_nor_process(own_fmu, gyro, master):
    """The block raises at its first sample after 0.5 s. What comes after it in the same process runs as ever."""
    outcome = drive(master, job(own_fmu(BROKEN).parent / "Own.fmu"), job(gyro(), start={"rate": 1.0}))
    assert outcome.code == 0, outcome.log
    for words in ("Traceback", "ZeroDivisionError", "in sample", "1.0 / 0.0"):
        assert words in outcome.log
    broken, sound = outcome.results
    assert broken["values"][0]["time"] == pytest.approx(0.6)  # it stays where the last good step ended
    assert broken["done"] == (master == "ecos")  # which does not look at the status of fmi2DoStep
    assert sound["done"]
    assert sound["values"][0]["measured"] > 0.9


# ---- state machine


@every_master
def test_a_fixed_parameter_set_late_is_refused(gyro, master):
    outcome = drive(master, job(gyro(), late={"period": 0.3}))
    assert outcome.code == 0, outcome.log
    assert "period can't be set in state 'step complete'" in outcome.log
    (values,) = outcome.results[0]["values"]
    assert values["period"] == 0.2
    assert values["time"] == pytest.approx(1.0)  # no step after it


@pytest.mark.parametrize(("step", "sentence"), [(-0.1, "the step is not positive"), (0.0, "the step is not positive"), (float("nan"), "the communication point or the step is not finite")])  # fmt: skip
@pytest.mark.parametrize("master", ["FMPy", "ecos"])
def test_steps_of_no_length_are_refused(gyro, master, step, sentence):
    outcome = drive(master, job(gyro(), steps=1, step=step))
    assert sentence in outcome.log
    assert outcome.results[0]["values"][0]["time"] == 0.0


def test_libcosim_refuses_such_steps_by_itself(gyro):
    assert "Step size must be a positive" in drive("libcosim", job(gyro(), step=-0.1)).log


# ---- not supported


def test_libcosim_calls_nothing_that_is_not_supported(gyro):
    calls = set(re.findall(r"Calling (fmi2\w+)", drive("libcosim", job(gyro())).log))
    assert calls == {"fmi2SetupExperiment", "fmi2EnterInitializationMode", "fmi2ExitInitializationMode"}


def test_what_these_masters_have_no_verb_for():
    """By the functions they export and the fields they show: no saving, no derivatives, no units or bounds."""
    from libcosimpy.CosimSlave import CosimSlaveVariableDescription

    shown = {field for field, _ in CosimSlaveVariableDescription._fields_}
    assert shown == {"name", "reference", "type", "causality", "variability"}
    missing = re.compile("save|restore|serialize|fmu_?state|derivative|unit|nominal|_min|_max")
    for package, library, verb in (("libcosimpy", "libcosimc.so", "cosim_"), ("ecospy", "libecosc.so", "ecos_")):
        path = next(Path(find_spec(package).origin).parent.rglob(library))
        listing = subprocess.run(["nm", "-D", "--defined-only", str(path)], capture_output=True, text=True, check=True)
        verbs = {word for word in listing.stdout.split() if word.startswith(verb)}
        assert f"{verb}{'execution' if package == 'libcosimpy' else 'simulation'}_step" in verbs
        assert not [word for word in verbs if missing.search(word)]


# ---- results


@pytest.mark.parametrize(("name", "start"), [("HingedPanel", {"panel.mode[1].amplitude": 0.05, "hub.torque[1]": 1.0}), ("FourBar", {})])  # fmt: skip
def test_results_are_those_of_fmpy(name, start):
    work = job(fmu_file(name, "python"), steps=20, start=start)
    (expected,) = drive("FMPy", work).results[0]["values"]
    for master in OTHERS:
        (found,) = drive(master, work).results[0]["values"]
        assert found.keys() == expected.keys()
        for variable, value in expected.items():
            assert relative(found[variable], value, 1.0) < 1e-12, (
                variable
            )  # measured 2.3e-14 (FourBar, closing.force[1])
