"""The functions that a library has to export, by version of FMI and kind of FMU."""

from __future__ import annotations

_COMMON = [
    "fmi2GetTypesPlatform", "fmi2GetVersion", "fmi2SetDebugLogging", "fmi2Instantiate", "fmi2FreeInstance",
    "fmi2SetupExperiment", "fmi2EnterInitializationMode", "fmi2ExitInitializationMode", "fmi2Terminate",
    "fmi2Reset", "fmi2GetReal", "fmi2GetInteger", "fmi2GetBoolean", "fmi2GetString", "fmi2SetReal",
    "fmi2SetInteger", "fmi2SetBoolean", "fmi2SetString", "fmi2GetFMUstate", "fmi2SetFMUstate", "fmi2FreeFMUstate",
    "fmi2SerializedFMUstateSize", "fmi2SerializeFMUstate", "fmi2DeSerializeFMUstate",
    "fmi2GetDirectionalDerivative",
]  # fmt: skip
_OF_KIND = {
    "ModelExchange": [
        "fmi2EnterEventMode", "fmi2NewDiscreteStates", "fmi2EnterContinuousTimeMode", "fmi2CompletedIntegratorStep",
        "fmi2SetTime", "fmi2SetContinuousStates", "fmi2GetDerivatives", "fmi2GetEventIndicators",
        "fmi2GetContinuousStates", "fmi2GetNominalsOfContinuousStates",
    ],
    "CoSimulation": [
        "fmi2SetRealInputDerivatives", "fmi2GetRealOutputDerivatives", "fmi2DoStep", "fmi2CancelStep",
        "fmi2GetStatus", "fmi2GetRealStatus", "fmi2GetIntegerStatus", "fmi2GetBooleanStatus", "fmi2GetStringStatus",
    ],
}  # fmt: skip
# FMI 3.0.2, fmi3Functions.h: all of them, whatever the kind
TYPES_3 = (
    "Float32", "Float64", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64", "Boolean", "String", "Binary", "Clock",
)  # fmt: skip
INSTANTIATE_3 = ("InstantiateModelExchange", "InstantiateCoSimulation", "InstantiateScheduledExecution")
_ALL_3 = [
    "GetVersion", "SetDebugLogging", *INSTANTIATE_3, "FreeInstance", "EnterInitializationMode", "ExitInitializationMode", "EnterEventMode",
    "Terminate", "Reset", *(f"{do}{kind}" for do in ("Get", "Set") for kind in TYPES_3), "GetNumberOfVariableDependencies",
    "GetVariableDependencies", "GetFMUState", "SetFMUState", "FreeFMUState", "SerializedFMUStateSize", "SerializeFMUState",
    "DeserializeFMUState", "GetDirectionalDerivative", "GetAdjointDerivative", "EnterConfigurationMode", "ExitConfigurationMode",
    *(f"{do}{what}{form}" for do, what in (("Get", "Interval"), ("Get", "Shift"), ("Set", "Interval"), ("Set", "Shift")) for form in ("Decimal", "Fraction")),
    "EvaluateDiscreteStates", "UpdateDiscreteStates", "EnterContinuousTimeMode", "CompletedIntegratorStep", "SetTime", "SetContinuousStates",
    "GetContinuousStateDerivatives", "GetEventIndicators", "GetContinuousStates", "GetNominalsOfContinuousStates", "GetNumberOfEventIndicators",
    "GetNumberOfContinuousStates", "EnterStepMode", "GetOutputDerivatives", "DoStep", "ActivateModelPartition",
]  # fmt: skip


def functions(version: int, *kinds: str) -> list[str]:
    """Names of the functions that a library for these kinds exports."""
    if version == 3:
        return [f"fmi3{name}" for name in _ALL_3]
    return [*_COMMON, *(name for kind in kinds for name in _OF_KIND[kind])]
