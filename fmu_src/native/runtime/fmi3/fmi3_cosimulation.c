/* FMI 3.0: co-simulation (section 4.2). */
#include "cosimulation.h"
#include "derivatives.h"
#include "fmi3_calls.h"
#include "log.h"

fmi3Status fmi3EnterStepMode(fmi3Instance c) { return fmi3_status(enter_step_mode(c, CALL(ENTER_STEP_MODE))); }

/* A step ends early at an event if the host allows it, or where the host asks for it in an intermediate update; one at its end, as a sample that is due there, is told as well. */
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 currentCommunicationPoint, fmi3Float64 communicationStepSize,
                      fmi3Boolean noSetFMUStatePriorToCurrentPoint, fmi3Boolean *eventHandlingNeeded,
                      fmi3Boolean *terminateSimulation, fmi3Boolean *earlyReturn, fmi3Float64 *lastSuccessfulTime) {
    (void)noSetFMUStatePriorToCurrentPoint; /* nothing is kept of the past that could be thrown away */
    Instance *instance = c;
    if (!instance) return fmi3Error;
    if (!eventHandlingNeeded || !terminateSimulation || !earlyReturn || !lastSuccessfulTime)
        return fmi3_status(refuse(instance, STATUS_ERROR, "fmi3DoStep: the pointer to a result is NULL"));
    Status status = step_over(c, CALL(DO_STEP), currentCommunicationPoint, communicationStepSize);
    const Simulation *s = &instance->s;
    *eventHandlingNeeded = status == STATUS_OK && instance->event_mode && s->at_event;
    *terminateSimulation = fmi3False; /* the model never asks to end the simulation */
    *earlyReturn = status == STATUS_OK && s->now->time < currentCommunicationPoint + communicationStepSize;
    *lastSuccessfulTime = s->now->time;
    return fmi3_status(status);
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference valueReferences[], size_t nValueReferences,
                                    const fmi3Int32 orders[], fmi3Float64 values[], size_t nValues) {
    const Call *call = CALL(GET_OUTPUT_DERIVATIVES);
    Chosen outputs = {.references = valueReferences, .count = nValueReferences};
    Instance *instance = admit(c, call);
    if (!instance || unknown_references(instance, call, outputs)) return fmi3Error;
    if (nValues != length_of(outputs))
        return fmi3_status(refuse(instance, STATUS_ERROR, "%s: %zu values, expected %zu", call->name, nValues, length_of(outputs)));
    return fmi3_status(get_output_derivatives(c, call, outputs, orders, values));
}
