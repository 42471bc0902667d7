"""Which call of FMI is legal when, and which variable may be set when: one table for the C runtime and for Python FMUs.

native/c/legal_headers.py writes it for C, python/instance.py reads it. Source: the state machines of FMI 2.0.4 (sections 3.2.3 and 4.2.4)
and of FMI 3.0.2 (sections 2.3, 3.2 and 4.2). Proof: tests/fmi/test_calls.py and tests/fmi3/test_misuse.py call every function in every
state, by tables of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from .variables import Group, Variable


class InstanceMode(IntEnum):
    """States of an instance: bits, so that a set of them is a number. Steps are computed at once, so none is ever pending."""

    INSTANTIATED = 1
    INITIALIZATION = 2
    EVENT = 4
    CONTINUOUS = 8
    STEP_COMPLETE = 16
    STEP_FAILED = 32
    TERMINATED = 64
    ERROR = 128
    INPUTS = 256  # within a step, the host is asked for inputs,
    INTERMEDIATE = 512  # an accepted point is reported to it; neither is ever saved

    @property
    def words(self) -> str:
        """The name in messages."""
        return _WORDS.get(self, self.name.lower().replace("_", " "))


_WORDS = {
    InstanceMode.INITIALIZATION: "initialization mode",
    InstanceMode.EVENT: "event mode",
    InstanceMode.CONTINUOUS: "continuous-time mode",
    InstanceMode.INPUTS: "intermediate update, inputs only",
    InstanceMode.INTERMEDIATE: "intermediate update",
}
INSTANTIATED, INITIALIZATION, EVENT, CONTINUOUS, STEP_COMPLETE, STEP_FAILED, TERMINATED, ERROR, INPUTS, INTERMEDIATE = (
    InstanceMode
)


def mode_names(modes: int) -> str:
    """Of a set of states, all but that after an error, for messages: 'a', 'b' or 'c'."""
    names = [repr(mode.words) for mode in InstanceMode if mode & modes & ~ERROR]
    return " or ".join([*([", ".join(names[:-1])] if names[1:] else []), *names[-1:]])


# Kinds of instances, bits too.
COSIMULATION, EXCHANGE, BOTH = 1, 2, 3


@dataclass(frozen=True)
class Call:
    """A function of FMI: its number's name in C, its own name, the kinds of instances that have it, the states in which it is legal."""

    row: str
    name: str
    kinds: int
    modes: int


@dataclass(frozen=True)
class Settable:
    """When variables of a group may be set. In some states only tunable parameters, only continuous inputs."""

    group: Group
    kinds: int
    modes: int
    only_tunable_in: int = 0
    only_continuous_in: int = 0


@dataclass(frozen=True)
class Rules:
    """A version of FMI. modes: which an instance can be in, of co-simulation and of model exchange.

    silent: with a category of the log off, its errors are not logged either.
    """

    version: int
    modes: tuple[int, int]
    calls: tuple[Call, ...]
    settable: tuple[Settable, ...]
    silent: bool = False

    def legal(self, name: str, kind: int, mode: int) -> bool:
        """Whether the function may be called."""
        return any(call.name == name and call.kinds & kind and call.modes & mode for call in self.calls)

    def modes_of(self, name: str, kind: int) -> int:
        """The states in which the function may be called."""
        return next(
            (self.modes[kind - 1] & call.modes for call in self.calls if call.name == name and call.kinds & kind), 0
        )

    def modes_to_set(self, variable: Variable, kind: int) -> int:
        """The states in which the variable may be set."""
        return sum(
            mode for mode in InstanceMode if self.modes[kind - 1] & mode and self.may_be_set(variable, kind, mode)
        )

    def may_be_set(self, variable: Variable, kind: int, mode: int) -> bool:
        """As `may_be_set` of runtime/core/calls.c."""
        integrated = (
            variable.group == Group.STATE and not mode & STARTING
        )  # by the host, whether it has a start value or not
        if (variable.initial == "calculated" or variable.variability == "constant") and not integrated:
            return False
        for row in self.settable:
            if row.group == variable.group and row.kinds & kind and row.modes & mode:
                tuned = variable.variability == "tunable" or not row.only_tunable_in & mode
                return tuned and (variable.variability != "discrete" or not row.only_continuous_in & mode)
        return False


STARTING = INSTANTIATED | INITIALIZATION
AT_REST = STARTING | EVENT | STEP_COMPLETE
RUNNING = EVENT | CONTINUOUS | STEP_COMPLETE
SOLVING = INITIALIZATION | EVENT | CONTINUOUS | TERMINATED | ERROR

# ---- FMI 2.0

READABLE = INITIALIZATION | RUNNING | STEP_FAILED | TERMINATED | ERROR
ANY = INSTANTIATED | READABLE
OVER = STEP_FAILED | TERMINATED | ERROR
STEPPED = STEP_COMPLETE | STEP_FAILED | TERMINATED

FMI2 = Rules(
    version=2,
    modes=(ANY & ~(EVENT | CONTINUOUS), ANY & ~(STEP_COMPLETE | STEP_FAILED)),
    calls=(
        Call("SET_DEBUG_LOGGING", "fmi2SetDebugLogging", BOTH, ANY),
        Call("SETUP_EXPERIMENT", "fmi2SetupExperiment", BOTH, INSTANTIATED),
        Call("ENTER_INITIALIZATION", "fmi2EnterInitializationMode", BOTH, INSTANTIATED),
        Call("EXIT_INITIALIZATION", "fmi2ExitInitializationMode", BOTH, INITIALIZATION),
        Call("TERMINATE", "fmi2Terminate", BOTH, RUNNING | STEP_FAILED),
        Call("RESET", "fmi2Reset", BOTH, ANY),
        Call("GET_REAL", "fmi2GetReal", BOTH, READABLE),
        Call("GET_INTEGER", "fmi2GetInteger", BOTH, READABLE),
        Call("GET_BOOLEAN", "fmi2GetBoolean", BOTH, READABLE),
        Call("GET_STRING", "fmi2GetString", BOTH, READABLE),
        Call("SET_REAL", "fmi2SetReal", BOTH, AT_REST | CONTINUOUS),
        Call("SET_INTEGER", "fmi2SetInteger", BOTH, AT_REST),
        Call("SET_BOOLEAN", "fmi2SetBoolean", BOTH, AT_REST),
        Call("SET_STRING", "fmi2SetString", BOTH, AT_REST),
        Call("GET_STATE", "fmi2GetFMUstate", BOTH, ANY),
        Call("SET_STATE", "fmi2SetFMUstate", BOTH, ANY),
        Call("FREE_STATE", "fmi2FreeFMUstate", BOTH, ANY),
        Call("SERIALIZED_SIZE", "fmi2SerializedFMUstateSize", BOTH, ANY),
        Call("SERIALIZE", "fmi2SerializeFMUstate", BOTH, ANY),
        Call("DESERIALIZE", "fmi2DeSerializeFMUstate", BOTH, ANY),
        Call("DIRECTIONAL_DERIVATIVE", "fmi2GetDirectionalDerivative", BOTH, READABLE),
        Call("ENTER_EVENT", "fmi2EnterEventMode", EXCHANGE, EVENT | CONTINUOUS),
        Call("NEW_DISCRETE_STATES", "fmi2NewDiscreteStates", EXCHANGE, EVENT),
        Call("ENTER_CONTINUOUS", "fmi2EnterContinuousTimeMode", EXCHANGE, EVENT),
        Call("COMPLETED_STEP", "fmi2CompletedIntegratorStep", EXCHANGE, CONTINUOUS),
        Call("SET_TIME", "fmi2SetTime", EXCHANGE, EVENT | CONTINUOUS),
        Call("SET_CONTINUOUS_STATES", "fmi2SetContinuousStates", EXCHANGE, CONTINUOUS),
        Call("GET_DERIVATIVES", "fmi2GetDerivatives", EXCHANGE, SOLVING),
        Call("GET_INDICATORS", "fmi2GetEventIndicators", EXCHANGE, SOLVING),
        Call("GET_CONTINUOUS_STATES", "fmi2GetContinuousStates", EXCHANGE, SOLVING),
        Call("GET_NOMINALS", "fmi2GetNominalsOfContinuousStates", EXCHANGE, INSTANTIATED | SOLVING),
        Call("SET_INPUT_DERIVATIVES", "fmi2SetRealInputDerivatives", COSIMULATION, STARTING | STEP_COMPLETE),
        Call("GET_OUTPUT_DERIVATIVES", "fmi2GetRealOutputDerivatives", COSIMULATION, STEP_COMPLETE | OVER),
        Call("DO_STEP", "fmi2DoStep", COSIMULATION, STEP_COMPLETE),
        Call("CANCEL_STEP", "fmi2CancelStep", COSIMULATION, 0),  # only while a step is pending: never
        Call("GET_STATUS", "fmi2GetStatus", COSIMULATION, STEPPED),
        Call("GET_REAL_STATUS", "fmi2GetRealStatus", COSIMULATION, STEPPED),
        Call("GET_INTEGER_STATUS", "fmi2GetIntegerStatus", COSIMULATION, STEPPED),
        Call("GET_BOOLEAN_STATUS", "fmi2GetBooleanStatus", COSIMULATION, STEPPED),
        Call("GET_STRING_STATUS", "fmi2GetStringStatus", COSIMULATION, STEPPED),
    ),
    settable=(
        Settable(Group.STATE, BOTH, STARTING),
        Settable(Group.DISCRETE, BOTH, STARTING),
        Settable(Group.INPUT, BOTH, AT_REST | CONTINUOUS, only_continuous_in=CONTINUOUS),
        Settable(Group.PARAMETER, BOTH, AT_REST, only_tunable_in=EVENT | STEP_COMPLETE),
        Settable(Group.SOLVER, BOTH, STARTING),
    ),
)

# ---- FMI 3.0: without "step failed", with calls between steps

COMPUTED = INITIALIZATION | RUNNING | TERMINATED | ERROR
ANY_OF_3 = INSTANTIATED | COMPUTED
BETWEEN = INPUTS | INTERMEDIATE

FMI3 = Rules(
    version=3,
    modes=(ANY_OF_3 & ~CONTINUOUS, ANY_OF_3 & ~STEP_COMPLETE),
    calls=(
        Call("SET_DEBUG_LOGGING", "fmi3SetDebugLogging", BOTH, ANY_OF_3),
        Call("ENTER_INITIALIZATION", "fmi3EnterInitializationMode", BOTH, INSTANTIATED),
        Call("EXIT_INITIALIZATION", "fmi3ExitInitializationMode", BOTH, INITIALIZATION),
        Call("ENTER_EVENT", "fmi3EnterEventMode", BOTH, CONTINUOUS | STEP_COMPLETE),
        Call("TERMINATE", "fmi3Terminate", BOTH, RUNNING),
        Call("RESET", "fmi3Reset", BOTH, ANY_OF_3),
        Call("GET_FLOAT64", "fmi3GetFloat64", BOTH, ANY_OF_3 | INTERMEDIATE),
        Call("GET_INT32", "fmi3GetInt32", BOTH, ANY_OF_3),
        Call("GET_INT64", "fmi3GetInt64", BOTH, ANY_OF_3),
        Call("GET_BOOLEAN", "fmi3GetBoolean", BOTH, ANY_OF_3),
        Call("GET_OTHER", "fmi3Get", BOTH, ANY_OF_3),
        Call("SET_FLOAT64", "fmi3SetFloat64", BOTH, AT_REST | CONTINUOUS | BETWEEN),
        Call("SET_INT32", "fmi3SetInt32", BOTH, AT_REST),
        Call("SET_INT64", "fmi3SetInt64", BOTH, AT_REST),
        Call("SET_BOOLEAN", "fmi3SetBoolean", BOTH, AT_REST),
        Call("SET_OTHER", "fmi3Set", BOTH, AT_REST),
        Call("GET_STATE", "fmi3GetFMUState", BOTH, ANY_OF_3),
        Call("SET_STATE", "fmi3SetFMUState", BOTH, ANY_OF_3),
        Call("FREE_STATE", "fmi3FreeFMUState", BOTH, ANY_OF_3),
        Call("SERIALIZED_SIZE", "fmi3SerializedFMUStateSize", BOTH, ANY_OF_3),
        Call("SERIALIZE", "fmi3SerializeFMUState", BOTH, ANY_OF_3),
        Call("DESERIALIZE", "fmi3DeserializeFMUState", BOTH, ANY_OF_3),
        Call("DIRECTIONAL_DERIVATIVE", "fmi3GetDirectionalDerivative", BOTH, COMPUTED),
        Call("ADJOINT_DERIVATIVE", "fmi3GetAdjointDerivative", BOTH, COMPUTED),
        Call("NOT_OFFERED", "of configuration, clocks or dependencies", BOTH, ANY_OF_3),
        Call("EVALUATE_DISCRETE_STATES", "fmi3EvaluateDiscreteStates", BOTH, EVENT),
        Call("UPDATE_DISCRETE_STATES_EXCHANGE", "fmi3UpdateDiscreteStates", EXCHANGE, EVENT),
        Call("UPDATE_DISCRETE_STATES_STEPS", "fmi3UpdateDiscreteStates", COSIMULATION, EVENT),
        Call("ENTER_CONTINUOUS", "fmi3EnterContinuousTimeMode", EXCHANGE, EVENT),
        Call("COMPLETED_STEP", "fmi3CompletedIntegratorStep", EXCHANGE, CONTINUOUS),
        Call("SET_TIME", "fmi3SetTime", EXCHANGE, EVENT | CONTINUOUS),
        Call("SET_CONTINUOUS_STATES", "fmi3SetContinuousStates", EXCHANGE, CONTINUOUS),
        Call("GET_DERIVATIVES", "fmi3GetContinuousStateDerivatives", EXCHANGE, SOLVING),
        Call("GET_INDICATORS", "fmi3GetEventIndicators", EXCHANGE, SOLVING),
        Call("GET_CONTINUOUS_STATES", "fmi3GetContinuousStates", EXCHANGE, SOLVING),
        Call("GET_NOMINALS", "fmi3GetNominalsOfContinuousStates", EXCHANGE, SOLVING),
        Call("NUMBER_OF_INDICATORS", "fmi3GetNumberOfEventIndicators", EXCHANGE, ANY_OF_3),
        Call("NUMBER_OF_STATES", "fmi3GetNumberOfContinuousStates", EXCHANGE, ANY_OF_3),
        Call("ENTER_STEP_MODE", "fmi3EnterStepMode", COSIMULATION, EVENT),
        Call(
            "GET_OUTPUT_DERIVATIVES",
            "fmi3GetOutputDerivatives",
            COSIMULATION,
            STEP_COMPLETE | EVENT | TERMINATED | ERROR | INTERMEDIATE,
        ),
        Call("DO_STEP", "fmi3DoStep", COSIMULATION, STEP_COMPLETE),
        Call("ACTIVATE_PARTITION", "fmi3ActivateModelPartition", BOTH, 0),  # of scheduled execution: never
    ),
    # Step mode takes discrete inputs and tunable parameters too, whether the host handles events or not (section 4.2.1).
    settable=(
        Settable(Group.STATE, BOTH, STARTING),
        Settable(Group.STATE, EXCHANGE, EVENT | CONTINUOUS),
        Settable(Group.DISCRETE, BOTH, STARTING),
        Settable(Group.INPUT, BOTH, AT_REST | CONTINUOUS | BETWEEN, only_continuous_in=CONTINUOUS | BETWEEN),
        Settable(Group.PARAMETER, BOTH, AT_REST, only_tunable_in=EVENT | STEP_COMPLETE),
        Settable(Group.SOLVER, BOTH, STARTING),
    ),
    silent=True,  # section 2.3.1: loggingOn
)
