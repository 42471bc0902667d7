"""What pythonfmu's wrapper (0.7.0) keeps from the slave: known limits of every Python FMU, stated instead of hidden."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limit:
    """rules: of `spacefmu check`, which find it."""

    text: str
    rules: tuple[str, ...] = ()


LIMITS = (
    Limit("The GUID given to fmi2Instantiate is not compared: the wrapper does not pass it on.", ("wrong-guid",)),
    Limit(
        "The folder's URI is taken as it stands: with escaped characters (blanks, umlauts) or without an authority (file:/…) nothing is found, "
        "and the process ends.",
        ("resource-location",),
    ),
    Limit(
        "NULL pointers (instance, arrays, states) are not refused: the wrapper reads through them.",
        ("null-pointers", "null-component"),
    ),
    Limit(
        "Only fmi2DoStep can answer anything but fmi2OK. Every other refused call answers fmi2OK, changes nothing, is logged, "
        "and puts the instance in its error state: values that can't be computed read as NaN, 0 or false, and the next "
        "fmi2DoStep answers fmi2Discard.",
        ("wrong-reference", "set-calculated", "state-foreign"),
    ),
    Limit(
        "A step refused for its arguments (negative, not finite, out of place) answers fmi2Discard, where the native flavour "
        "answers fmi2Error; fmi2Terminated is then true, and fmi2LastSuccessfulTime is where the step began."
    ),
    Limit(
        "fmi2GetStatus, fmi2CancelStep, fmi2SetRealInputDerivatives, fmi2GetRealOutputDerivatives and "
        "fmi2GetDirectionalDerivative answer fmi2Error; the model description says that they are not supported.",
        ("status-functions", "legal-calls"),
    ),
    Limit(
        "Messages pass only if logging is on, and categories must be named one by one: logAll does not stand for all of them. "
        "Errors are therefore written to stderr as well."
    ),
    Limit("fmi2FreeFMUstate leaves the pointer as it is.", ("state-free",)),
    Limit(
        "The callbacks and the instance's name are not copied: the host must keep what it gave to fmi2Instantiate.",
        ("callbacks-copied",),
    ),
    Limit(
        "The wrapper's libraries export more than FMI's functions, and need the C++ runtime of their system, glibc 2.32 on Linux.",
        ("binary-symbols", "binary-dependencies", "binary-glibc"),
    ),
    Limit(
        "A communication step that is far too long is refused after as many internal steps as by the native flavour: in Python "
        "they take minutes.",
        ("work-bounded",),
    ),
    Limit("There is no model exchange, and no library for macOS."),
    Limit(
        "Loading it needs Python in the process: a Python host has it; another one needs libpython preloaded "
        "(LD_PRELOAD=/path/to/libpython3.11.so.1.0 on Linux) and numpy in that Python."
    ),
    Limit(
        "On Linux the library stays loaded until the process ends: what it does when it is unloaded would break the heap."
    ),
)


def limits_page() -> str:
    """The page in the FMU's documentation."""
    lines = [
        "This FMU is Python: it needs Python 3.11 or newer with numpy on the host, and nothing else.",
        "Known limits:",
    ]
    return "\n\n".join([*lines, *(f"- {limit.text}" for limit in LIMITS)]) + "\n"
