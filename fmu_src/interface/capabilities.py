"""The capabilities of an FMU: the attributes of <ModelExchange> and <CoSimulation>."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Capabilities:
    """Capability flags of FMI 2.0, sections 3.3.1 and 4.3.1, spelled as there ("asynchronuously" included)."""

    model_exchange: bool  # in addition to co-simulation, which every FMU of spacefmu has
    canGetAndSetFMUstate: bool
    canSerializeFMUstate: bool
    providesDirectionalDerivative: bool
    canInterpolateInputs: bool
    maxOutputDerivativeOrder: int
    needsExecutionTool: bool
    canBeInstantiatedOnlyOncePerProcess: bool
    canNotUseMemoryManagementFunctions: bool
    canHandleVariableCommunicationStepSize: bool = True
    canRunAsynchronuously: bool = False
    completedIntegratorStepNotNeeded: bool = False

    def attributes(self, element: str) -> dict[str, bool | int]:
        """The flags of one element, "ModelExchange" or "CoSimulation"."""
        return {name: getattr(self, name) for name in _COMMON + _OWN[element]}


_COMMON = (
    "needsExecutionTool",
    "canBeInstantiatedOnlyOncePerProcess",
    "canNotUseMemoryManagementFunctions",
    "canGetAndSetFMUstate",
    "canSerializeFMUstate",
    "providesDirectionalDerivative",
)
_OWN = {
    "ModelExchange": ("completedIntegratorStepNotNeeded",),
    "CoSimulation": (
        "canHandleVariableCommunicationStepSize",
        "canInterpolateInputs",
        "maxOutputDerivativeOrder",
        "canRunAsynchronuously",
    ),
}

NATIVE = Capabilities(
    model_exchange=True,
    canGetAndSetFMUstate=True,
    canSerializeFMUstate=True,
    providesDirectionalDerivative=True,
    canInterpolateInputs=True,
    maxOutputDerivativeOrder=1,
    needsExecutionTool=False,
    canBeInstantiatedOnlyOncePerProcess=False,
    canNotUseMemoryManagementFunctions=False,
)
