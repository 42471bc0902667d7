/* FMI 2.0: co-simulation (section 4.2). */
#include "cosimulation.h"
#include "fmi2_calls.h"
#include "log.h"

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real currentCommunicationPoint, fmi2Real communicationStepSize,
                      fmi2Boolean noSetFMUStatePriorToCurrentPoint) {
    (void)noSetFMUStatePriorToCurrentPoint; /* nothing is kept of the past that could be thrown away */
    return fmi2_status(step_over(c, CALL(DO_STEP), currentCommunicationPoint, communicationStepSize));
}

fmi2Status fmi2CancelStep(fmi2Component c) {
    admit(c, CALL(CANCEL_STEP));
    return fmi2Error;
}

/* Status questions are about pending and discarded steps; all but two have no answer here. */
static fmi2Status no_status(fmi2Component c, const Call *call) {
    Instance *instance = admit(c, call);
    if (!instance) return fmi2Error;
    return fmi2_status(refuse(instance, STATUS_DISCARD, "%s: there is no such status: no step is ever pending", call->name));
}

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value) {
    (void)kind, (void)value;
    return no_status(c, CALL(GET_STATUS));
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
    if (kind != fmi2LastSuccessfulTime || !value) return no_status(c, CALL(GET_REAL_STATUS));
    Instance *instance = admit(c, CALL(GET_REAL_STATUS));
    if (!instance) return fmi2Error;
    *value = instance->s.now->time;
    return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value) {
    (void)kind, (void)value;
    return no_status(c, CALL(GET_INTEGER_STATUS));
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value) {
    if (kind != fmi2Terminated || !value) return no_status(c, CALL(GET_BOOLEAN_STATUS));
    Instance *instance = admit(c, CALL(GET_BOOLEAN_STATUS));
    if (!instance) return fmi2Error;
    *value = fmi2False; /* the model never asks to end the simulation */
    return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *value) {
    (void)kind, (void)value;
    return no_status(c, CALL(GET_STRING_STATUS));
}
