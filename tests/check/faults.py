"""Every fault that is planted, and the rule that has to find it."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace

from spacefmu.fmu_src.interface.references import EXPERIMENT, FOLDER, MANIFEST, RESULT, TEXT, manifest
from tests.check.probe import LIBRARY, files, library, pack

# faults of behaviour: -DFAULT=… of probe_fmu/
BEHAVIOUR = {
    "accepts_any_guid": "wrong-guid", "refuses_its_guid": "refused", "silent_about_guid": "refusal-said",
    "wrong_version": "version", "wrong_platform": "version", "crash_in_step": "crash", "hang_in_step": "hang",
    "crash_in_terminate": "crash", "free_null_crashes": "free-null", "reset_forgets_parameter": "reset", "reset_forgets_state": "reset",
    "reset_dead_after_error": "reset-after-error", "state_forgets_count": "state-restore", "state_restore_fails": "state-after-error",
    "serialize_short": "state-fresh-process", "serialized_pointer": "state-fresh-process", "free_state_keeps_pointer": "state-free",
    "derivative_wrong": "directional-derivatives", "derivative_sign_of_input": "directional-derivatives",
    "derivative_beside_kink": "directional-derivatives", "derivatives_discarded": "refused", "hidden_dependency": "dependencies",
    "shared_instances": "two-instances", "thread_unsafe": "two-threads", "wrong_reference_ok": "wrong-reference",
    "wrong_reference_crashes": "wrong-reference", "constant_settable": "set-calculated", "nan_hangs": "not-numbers", "nan_crashes": "not-numbers",
    "leaks": "memory-leak", "leaks_by_malloc": "memory-growth", "event_info_untouched": "event-info",
    "event_info_untouched_on_error": "event-info-on-error", "indicator_zero": "indicator-zero", "indicator_tiny": "indicator-scale",
    "event_lost_at_zero": "event-at-zero", "sampled_early": "time-event-early", "output_jumps": "output-jumps", "chatter": "indicator-zero",
    "drift_events": "event-count", "me_differs": "kinds-agree", "ignores_tolerance_in_step": "kinds-agree", "divides_by_zero": "float-exceptions",
    "exact_start_changed": "exact-start", "start_not_in_c": "start-values", "input_start_ignored": "input-start",
    "error_without_message": "error-said", "unknown_category": "log-category", "logs_when_off": "log-off", "ignores_categories": "log-setting",
    "rounding_changed": "settings", "locale_changed": "settings", "float_trap_left_on": "settings", "prints": "prints", "writes_file": "files",
    "steps_past_stop": "stop-time", "endless_work": "work-bounded", "ignores_start_time": "start-time", "nominal_zero": "nominals",
    "states_changed_wrongly": "states-changed", "state_changed_unsaid": "states-changed", "keeps_callbacks_struct": "callbacks-copied",
    "keeps_strings": "callbacks-copied", "needs_stepfinished": "step-finished", "uri_not_decoded": "resource-location", "variable_step_refused": "variable-steps",
    "output_derivative_refused": "output-derivatives", "status_wrong": "status-functions", "get_is_stateful": "get-again",
    "order_of_gets": "get-again", "nan_output": "finite", "outside_range": "range", "discrete_changes_between_events": "discrete-between",
    "forgets_setting": "set-kept", "tunable_refused": "set-kept", "null_vector_crashes": "no-values", "legal_call_refused": "legal-calls",
    "illegal_call_crashes": "illegal-calls", "state_order_wrong": "states-agree", "cache_stale": "caching", "not_deterministic": "deterministic",
    "fatal_at_nan": "not-numbers", "discard_without_reason": "not-numbers", "derivatives_disagree": "states-agree",
    "input_slope_refused": "input-derivatives", "input_slope_ignored": "input-derivatives", "input_slope_negative": "input-derivatives",
    "output_derivative_zero": "output-derivatives", "output_derivative_double": "output-derivatives", "seeds_ignored": "directional-seeds",
    "first_known_alone": "directional-seeds", "derivative_stale": "states-agree", "state_forgets_late": "state-of-the-start",
    "get_many_ignored": "get-many", "completed_step_asks": "completed-step-effect", "completed_step_moves": "completed-step-effect",
    "environment_lost": "log-origin", "instance_name_lost": "log-origin", "last_time_wrong": "last-time", "leaks_by_step": "memory-steps",
    "leaks_by_step_allocated": "memory-steps",
    "event_time_in_past": "next-event", "completed_step_untouched": "completed-step", "needs_stop_time": "stop-optional", "string_not_copied": "strings-copied",
    "fatal_in_step": "fatal", "exact_set_lost": "exact-set", "step_of_host": "split-steps", "input_refused_at_event": "set-in-event-mode",
    "state_saved_once": "state-again", "deserialized_without_count": "state-serialize", "foreign_state_taken": "state-foreign",
    "states_rounded": "states-set", "events_endless": "event-iteration", "derivative_refused_in_steps": "directional-steps",
    "events_unlogged": "log-promised", "null_values_crash": "null-pointers", "null_instance_crashes": "null-component", "backward_steps_taken": "wrong-steps",
}  # fmt: skip

# what the XML promises with a fault
_NOT_NEEDED = ("<ModelExchange ", '<ModelExchange completedIntegratorStepNotNeeded="true" ')
PROMISED = {"completed_step_asks": _NOT_NEEDED, "completed_step_moves": _NOT_NEEDED}

# the rule under which a fault is looked for, where it is found under another
LOOKED_FOR = {
    "refuses_its_guid": "life", "crash_in_step": "life", "hang_in_step": "life", "crash_in_terminate": "life",
    "derivatives_discarded": "event-count", "fatal_in_step": "life",
}  # fmt: skip


def replaced(*pairs: str) -> Callable[[str], str]:
    """A change of the XML: each old text, which has to be there, by a new one."""

    def change(text: str) -> str:
        for old, new in zip(pairs[::2], pairs[1::2], strict=True):
            assert old in text, old
            text = text.replace(old, new, 1)
        return text

    return change


# faults of the XML: (old, new, …) → rule
XML = {
    "latin-1": (('encoding="UTF-8"', 'encoding="ISO-8859-1"'), "xml-encoding"),
    "not closed": (("</fmiModelDescription>", ""), "xml-well-formed"),
    "another root": (("<fmiModelDescription ", "<description ", "</fmiModelDescription>", "</description>"), "xml-well-formed"),
    "unknown attribute": (('modelName="Probe"', 'modelName="Probe" colour="red"'), "xml-schema"),
    "no model name": (('modelName="Probe"', ""), "xml-schema"),
    "an infinite start": (('<Real start="4" min="0.1"/>', '<Real start="INF" min="0.1"/>'), "xml-special-values"),
    "a start that is not a number": (('min="-100"', 'min="NaN"'), "xml-special-values"),
    "empty guid": (('guid="{8c4e810f-3df3-4a00-8276-176fa3c9f001}"', 'guid=""'), "guid"),
    "identifier with a dot": (('<ModelExchange modelIdentifier="Probe"', '<ModelExchange modelIdentifier="Pro.be"'), "model-identifier"),
    "serializes without saving": (('<CoSimulation modelIdentifier="Probe" canHandleVariableCommunicationStepSize="true" canGetAndSetFMUstate="true"', '<CoSimulation modelIdentifier="Probe" canHandleVariableCommunicationStepSize="true"'), "flags"),
    "a source that is not there": (('maxOutputDerivativeOrder="1"/>', 'maxOutputDerivativeOrder="1"><SourceFiles><File name="a.c"/></SourceFiles></CoSimulation>'), "source-files"),
    "category twice": (('<Category name="logEvents"/>', '<Category name="logEvents"/><Category name="logEvents"/>'), "log-categories"),
    "own category": (('<Category name="logEvents"/>', '<Category name="log_events"/>'), "log-names"),
    "stops before it starts": (('stopTime="2"', 'stopTime="-2"'), "experiment"),
    "tolerance zero": (('tolerance="1e-6"', 'tolerance="0"'), "experiment"),
    "date of another form": (("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.123+01:00"), "generation-date"),
    "unit twice": (('<Unit name="s">', '<Unit name="m"/><Unit name="s">'), "unit-names"),
    "factor zero": (('factor="1000"', 'factor="0"'), "unit-factors"),
    "type with a variable's name": (('<SimpleType name="Length">', '<SimpleType name="y"><Real/></SimpleType><SimpleType name="Length">'), "type-names"),
    "item twice": (('<Item name="heavy" value="2"/>', '<Item name="heavy" value="1"/>'), "enumerations"),
    "name twice": (('name="omega"', 'name="x"'), "variable-names"),
    "name with a blank": (('name="sampled"', 'name="sampled x"'), "structured-names"),
    "array out of order": (('name="k"', 'name="k[2]"', 'name="c"', 'name="k[1]"'), "array-order"),
    "continuous parameter": (('name="k" valueReference="5" description="stiffness" causality="parameter" variability="fixed"', 'name="k" valueReference="5" description="stiffness" causality="parameter" variability="continuous"'), "causality-variability"),
    "initial of an input": (('causality="input" variability="continuous"', 'causality="input" variability="continuous" initial="exact"'), "initial"),
    "calculated parameter that is exact": (('causality="calculatedParameter" variability="fixed"', 'causality="calculatedParameter" variability="fixed" initial="exact"'), "initial"),
    "continuous Boolean": (('name="high" valueReference="0" description="at the wall" causality="output" variability="discrete"', 'name="high" valueReference="0" description="at the wall" causality="output"'), "continuous-reals"),
    "input without start": (('<Real start="0"/>', "<Real/>"), "start-given"),
    "calculated with start": (('<Real derivative="3"/>', '<Real derivative="3" start="1"/>'), "start-absent"),
    "time as an Integer": (('causality="independent" variability="continuous"><Real unit="s"/>', 'causality="independent" variability="continuous"><Integer/>'), "independent"),
    "two times": (('causality="local" variability="continuous" initial="calculated"', 'causality="independent" variability="continuous"'), "independent"),
    "start out of range": (('<Real start="4" min="0.1"/>', '<Real start="4" min="5"/>'), "start-range"),
    "nominal zero": (('nominal="1"', 'nominal="0"'), "nominal"),
    "unknown type": (('declaredType="Length"', 'declaredType="Breadth"'), "declared-type"),
    "type of another kind": (('declaredType="Length"', 'declaredType="Mode"'), "declared-type"),
    "start that is not an item": (('declaredType="Mode" start="1"', 'declaredType="Mode" start="7"'), "enumeration-start"),
    "unknown unit": (('<Real unit="m/s" start="1"', '<Real unit="furlong" start="1"'), "unit-defined"),
    "display unit without unit": (('<Real start="0.1"/>', '<Real start="0.1" displayUnit="mm"/>'), "display-unit"),
    "two parameters in one place": (('name="c" valueReference="6"', 'name="c" valueReference="5"'), "aliases"),
    "without descriptions": (('description="force"', ""), "descriptions"),
    "index of no variable": (('<Unknown index="14" dependencies="2"/>', '<Unknown index="44" dependencies="2"/>'), "structure-indices"),
    "output not listed": (('<Unknown index="12" dependencies="1"/>', ""), "structure-outputs"),
    "derivative of nothing": (('<Real derivative="3"/>', "<Real/>"), "structure-derivatives"),
    "state that is an input": (('<Real derivative="3"/>', '<Real derivative="5"/>'), "state-causality"),
    "initial unknown missing": (('<Unknown index="8" dependencies="6"/>', ""), "structure-initial"),
    "initial unknowns out of order": (('<Unknown index="4" dependencies="2 3 5 6 7 13"/><Unknown index="8" dependencies="6"/>', '<Unknown index="8" dependencies="6"/><Unknown index="4" dependencies="2 3 5 6 7 13"/>'), "structure-initial-order"),
    "dependencies out of order": (('dependencies="2 3 5"/>', 'dependencies="3 2 5"/>'), "dependency-order"),
    "too few kinds": (('dependenciesKind="constant dependent"', 'dependenciesKind="constant"'), "dependency-kinds"),
    "depends on an output": (('<Unknown index="14" dependencies="2"/>', '<Unknown index="14" dependencies="9"/>'), "dependency-knowns"),
    "reinit of no state": (('<Real start="0"/>', '<Real start="0" reinit="true"/>'), "reinit"),
    "silent on dependencies": (('<Unknown index="14" dependencies="2"/>', '<Unknown index="14"/>'), "dependencies-said"),
    "another identifier than the library": (('<ModelExchange modelIdentifier="Probe"', '<ModelExchange modelIdentifier="Other"'), "binary-name"),
    "no kind": (('maxOutputDerivativeOrder="1"/>', 'maxOutputDerivativeOrder="1"/-->', "<ModelExchange", "<!--<ModelExchange"), "kind"),
    "a bomb of entities": (("<fmiModelDescription ", '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;&b;">]><fmiModelDescription '), "xml-entities"),
    "FMPy stumbles": (('<Unknown index="8" dependencies="6"/>', ""), "fmpy"),
}  # fmt: skip

# faults of XML and behaviour together: the promise is changed, the library is sound
PROMISES = {
    "jumps without reinit": (('derivative="2" reinit="true"', 'derivative="2" reinit="false"'), "reinit-said"),
    "memory functions that are not used": (('<CoSimulation modelIdentifier="Probe"', '<CoSimulation modelIdentifier="Probe" canNotUseMemoryManagementFunctions="true"'), "memory-functions"),
    "a kink as a constant factor": (('dependenciesKind="constant dependent"', 'dependenciesKind="constant fixed"'), "dependency-factors"),
    "another nominal value": (('derivative="2" reinit="true"', 'derivative="2" reinit="true" nominal="5"'), "nominals-agree"),
    "second derivatives": (('maxOutputDerivativeOrder="1"', 'maxOutputDerivativeOrder="2"'), "output-derivatives"),
    "initial dependency not said": (('<Unknown index="8" dependencies="6"/>', '<Unknown index="8" dependencies=""/>'), "initial-dependencies"),
    "another start value": (('<Real start="4" min="0.1"/>', '<Real start="3" min="0.1"/>'), "start-values"),
    "one indicator less": (('numberOfEventIndicators="1"', 'numberOfEventIndicators="0"'), "legal-calls"),
}  # fmt: skip


Content = Mapping[str, bytes]  # what the clean archive has, of either version


def _extra(name: str, data: bytes = b"", **fields):
    def make(path: Path, content: Content) -> Path:
        pack(path, content)
        member = zipfile.ZipInfo(name)
        member.compress_type = zipfile.ZIP_DEFLATED
        for key, value in fields.items():
            setattr(member, key, value)
        with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(member, data)
        return path

    return make


def _without(*names: str, **other: bytes):
    """Without what begins with one of the names."""
    return lambda path, content: pack(
        path, {name: data for name, data in content.items() if not name.startswith(names)} | other
    )


def _damaged(path: Path, content: Content) -> Path:
    pack(path, content)
    data = bytearray(path.read_bytes())
    data[60:80] = bytes(20)
    path.write_bytes(data)
    return path


def _patched(offset_of: bytes, at: int, form: str, value: int):
    """The clean archive with a number overwritten in every local or central header."""

    def make(path: Path, content: Content) -> Path:
        data = bytearray(pack(path, content).read_bytes())
        place = data.find(offset_of)
        while place >= 0:
            struct.pack_into(form, data, place + at, value)
            place = data.find(offset_of, place + 4)
        path.write_bytes(data)
        return path

    return make


def _streamed(path: Path, content: Content) -> Path:
    """As a pipe gets it: every file has bit 3 set, stored ones too."""
    with path.open("wb") as file, zipfile.ZipFile(SimpleNamespace(write=file.write, flush=file.flush), "w") as archive:  # type: ignore[call-overload]
        for name, data in content.items():
            archive.writestr(name, data)
    return path


def _library(*flags: str, name: str = "", data: bytes | None = None, change: tuple[bytes, bytes] = (b"", b"")):
    """Another library: compiled with flags, or these bytes, or with some bytes changed."""

    def make(path: Path, content: Content) -> Path:
        own = next(each for each in content if each.startswith("binaries/"))
        source = "probe.c" if own == LIBRARY else "probe3.c"
        made = library("clean", *flags, source=source) if data is None else data
        assert change[0] in made
        others = {each: value for each, value in content.items() if each != own}
        return pack(path, others | {name or own: made.replace(*change)})

    return make


def _for_macos(path: Path, content: Content) -> Path:
    """With a library of macOS 15, which nothing older loads."""

    header = (
        0xFEEDFACF,
        0x01000007,
        3,
        6,
        1,
        24,
        0,
        0,
    )  # 64 bits, x86_64, a library with one load command of 24 bytes:
    version = (0x32, 24, 1, 15 << 16, 15 << 16, 0)  # LC_BUILD_VERSION, macOS 15.0
    own = "darwin64" if LIBRARY in content else "x86_64-darwin"
    return pack(path, {**content, f"binaries/{own}/Probe.dylib": struct.pack("<14I", *header, *version)})


def _related(*rows: tuple[str, str, str, str], said: str = TEXT, **other: bytes):
    return _without(**{MANIFEST: manifest(rows).replace(TEXT, said).encode()}, **other)


def smoke(y: str):
    """The probe with a smoke test of one step, whose reference says what y is at its end."""
    test = b'stop = 0.02\nstep = 0.02\nbound = 0.01\nresult = "smoke_test.csv"\n[start]\nu = 0.0\n'
    row = (EXPERIMENT, "application/toml", "experiment/smoke-test", "")
    return _related(row, **{FOLDER + EXPERIMENT: test, FOLDER + RESULT: f"time,y\n0,0.2\n0.02,{y}\n".encode()})


_CENTRAL = b"PK\x01\x02"

# faults of the archive and of libraries that are never run: how to make it, rule
ARCHIVE = {
    "not a zip": (lambda path, _: path.write_bytes(b"MZ") and path, "zip"),
    "damaged": (_damaged, "zip"),
    "another extension": (lambda path, content: pack(path.with_suffix(".zip"), content), "zip-extension"),
    "out of the folder": (_extra("../evil.txt"), "zip-paths"),
    "absolute": (_extra("/etc/evil"), "zip-paths"),
    "drive": (_extra("C:/evil"), "zip-paths"),
    "backslash": (_extra("resources\\evil.txt"), "zip-paths"),
    "device": (_extra("resources/nul.txt"), "zip-names"),
    "umlaut": (_extra("resources/tür.txt"), "zip-names"),
    "twice": (_extra("resources/TABLE.txt"), "zip-duplicates"),
    "lzma": (_extra("resources/a.txt", b"a", compress_type=zipfile.ZIP_LZMA), "zip-compression"),
    "needs a newer zip": (_patched(_CENTRAL, 6, "<H", 45), "zip-version"),
    "encrypted": (_patched(_CENTRAL, 8, "<H", 1), "zip-version"),
    "link": (_extra("resources/link", b"/etc/passwd", create_system=3, external_attr=0o120777 << 16), "zip-links"),
    "bomb": (_extra("resources/zeros", bytes(64 << 20)), "zip-size"),
    "no description": (_without("modelDescription.xml"), "zip-description"),
    "written into a pipe": (_streamed, "zip-streamed"),
    "no implementation": (_without("binaries/", "sources/"), "zip-implementation"),
    "own folder": (_extra("mine/a.txt"), "zip-layout"),
    "manifest of another standard": (_related(said="something else"), "references-manifest"),
    "related file is not there": (_related(("../../resources/a.csv", "text/csv", "result", "")), "references-manifest"),
    "related file of no known role": (_related(("../../modelDescription.xml", "text/xml", "toy", "")), "references-manifest"),
    "manifest that is none": (_extra(MANIFEST, b"<a/>"), "references-manifest"),
    "documentation without entry": (_without("documentation/index.html", **{"documentation/a.html": b"a"}), "documentation-entry"),
    "unknown platform": (_library(name="binaries/amiga/Probe.so"), "binary-platform"),
    "library of another platform": (_library(name="binaries/win64/Probe.dll"), "binary-format"),
    "library that is none": (_library(data=b"no library"), "binary-format"),
    "function missing": (_library("-DWITHOUT_CANCEL"), "binary-exports"),
    "other names exported": (_library("-fvisibility=default", "-Dsay=exported_say", "-Dstatic="), "binary-symbols"),
    "needs a library": (_library("-Wl,--no-as-needed", "-lgcc_s"), "binary-dependencies"),
    "a source that is not listed": (lambda path, _: pack(path, files(xml=replaced('maxOutputDerivativeOrder="1"/>', 'maxOutputDerivativeOrder="1"><SourceFiles><File name="all.c"/></SourceFiles></CoSimulation>')) | {"sources/all.c": b'#include "a.c"', "sources/a.c": b"", "sources/b.c": b""}), "source-listed"),
    "a newer C library": (_library(change=(b"GLIBC_2.2.5\0", b"GLIBC_2.99\0\0")), "binary-glibc"),
    "a newer macOS": (_for_macos, "binary-macos"),
    "executable stack": (_library("-z", "execstack"), "binary-stack"),
    "no relro": (_library("-Wl,-z,norelro"), "binary-relro"),
    "absolute rpath": (_library("-Wl,-rpath,/home/me/lib"), "binary-rpath"),
}  # fmt: skip

# found where the library is loaded: files that it is compared with, or itself
CARRIED = {
    "another reference": (smoke("0.25"), "smoke-test"),
    "a function that is not there": (_library("-DWITHOUT_CANCEL"), "loads"),
}
