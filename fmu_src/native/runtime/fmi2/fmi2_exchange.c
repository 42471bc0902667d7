/* FMI 2.0: model exchange (section 3.2). */
#include <math.h>

#include "exchange.h"
#include "fmi2_calls.h"

static fmi2Boolean as_boolean(int flag) { return flag ? fmi2True : fmi2False; }

fmi2Status fmi2EnterEventMode(fmi2Component c) { return fmi2_status(enter_event_mode(c, CALL(ENTER_EVENT))); }

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
    EventPass pass;
    Status status = pass_event(c, CALL(NEW_DISCRETE_STATES), info ? &pass : NULL);
    if (info) *info = (fmi2EventInfo){.terminateSimulation = fmi2True}; /* for a host that goes on after an error: no further pass, an end */
    if (status != STATUS_OK) return fmi2_status(status);
    info->newDiscreteStatesNeeded = as_boolean(pass.again);
    info->terminateSimulation = fmi2False;
    info->nominalsOfContinuousStatesChanged = as_boolean(pass.rescaled);
    info->valuesOfContinuousStatesChanged = as_boolean(pass.moved);
    info->nextEventTimeDefined = as_boolean(isfinite(pass.next));
    info->nextEventTime = isfinite(pass.next) ? pass.next : 0.0;
    return fmi2OK;
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
    return fmi2_status(enter_continuous_mode(c, CALL(ENTER_CONTINUOUS)));
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean noSetFMUStatePriorToCurrentPoint,
                                       fmi2Boolean *enterEventMode, fmi2Boolean *terminateSimulation) {
    (void)noSetFMUStatePriorToCurrentPoint;
    int event = 0, complete = enterEventMode && terminateSimulation;
    Status status = complete_step(c, CALL(COMPLETED_STEP), complete ? &event : NULL);
    if (enterEventMode) *enterEventMode = as_boolean(event);
    /* for a host that goes on after an error: an end */
    if (terminateSimulation) *terminateSimulation = as_boolean(status != STATUS_OK);
    return fmi2_status(status);
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) { return fmi2_status(set_present_time(c, CALL(SET_TIME), time)); }

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t nx) {
    return fmi2_status(set_states(c, CALL(SET_CONTINUOUS_STATES), x, nx));
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real derivatives[], size_t nx) {
    return fmi2_status(get_rates(c, CALL(GET_DERIVATIVES), derivatives, nx));
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real eventIndicators[], size_t ni) {
    return fmi2_status(get_indicators(c, CALL(GET_INDICATORS), eventIndicators, ni));
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t nx) {
    return fmi2_status(get_states(c, CALL(GET_CONTINUOUS_STATES), x, nx));
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x_nominal[], size_t nx) {
    return fmi2_status(get_nominals(c, CALL(GET_NOMINALS), x_nominal, nx));
}
