"""What pythonfmu's wrapper (0.7.0) keeps from the slave: known limits of every Python FMU, stated instead of hidden."""

from __future__ import annotations

LIMITS = (
    "The GUID given to fmi2Instantiate is not compared: the wrapper does not pass it on.",
    "NULL pointers (instance, arrays, states) are not refused: the wrapper reads through them.",
    "Only fmi2DoStep can answer anything but fmi2OK. Every other refused call answers fmi2OK, changes nothing, is logged, "
    "and puts the instance in its error state: values that can't be computed read as NaN, 0 or false, and the next "
    "fmi2DoStep answers fmi2Discard.",
    "A step refused for its arguments (negative, not finite, out of place) answers fmi2Discard, where the native flavour "
    "answers fmi2Error; fmi2Terminated is then true, and fmi2LastSuccessfulTime is where the step began.",
    "fmi2GetStatus, fmi2CancelStep, fmi2SetRealInputDerivatives, fmi2GetRealOutputDerivatives and "
    "fmi2GetDirectionalDerivative answer fmi2Error; the model description says that they are not supported.",
    "Messages pass only if logging is on, and categories must be named one by one: logAll does not stand for all of them. "
    "Errors are therefore written to stderr as well.",
    "fmi2FreeFMUstate leaves the pointer as it is.",
    "There is no model exchange, and no library for macOS.",
    "Loading it needs Python in the process: a Python host has it; another one needs libpython preloaded "
    "(LD_PRELOAD=/path/to/libpython3.11.so.1.0 on Linux) and numpy in that Python.",
    "On Linux the library stays loaded until the process ends: what it does when it is unloaded would break the heap.",
)


def limits_page() -> str:
    """The page in the FMU's documentation."""
    lines = [
        "This FMU is Python: it needs Python 3.11 or newer with numpy on the host, and nothing else.",
        "Known limits:",
    ]
    return "\n\n".join([*lines, *(f"- {limit}" for limit in LIMITS)]) + "\n"
