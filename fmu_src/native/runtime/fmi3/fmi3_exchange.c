/* FMI 3.0: event mode (section 2.3.5), and model exchange (section 3.2). */
#include <math.h>

#include "cosimulation.h"
#include "exchange.h"
#include "fmi3_calls.h"
#include "log.h"
#include "loop_events.h"

fmi3Status fmi3EnterEventMode(fmi3Instance c) {
    Instance *instance = c;
    if (instance && kind_of(instance) == COSIMULATION && !instance->event_mode)
        return fmi3_status(refuse(instance, STATUS_ERROR, "fmi3EnterEventMode: not allowed, as the instance was made with eventModeUsed = false"));
    return fmi3_status(enter_event_mode(c, CALL(ENTER_EVENT)));
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *discreteStatesNeedUpdate,
                                    fmi3Boolean *terminateSimulation, fmi3Boolean *nominalsOfContinuousStatesChanged,
                                    fmi3Boolean *valuesOfContinuousStatesChanged, fmi3Boolean *nextEventTimeDefined,
                                    fmi3Float64 *nextEventTime) {
    int complete = discreteStatesNeedUpdate && terminateSimulation && nominalsOfContinuousStatesChanged &&
                   valuesOfContinuousStatesChanged && nextEventTimeDefined && nextEventTime;
    int exchange = c && kind_of(c) == EXCHANGE;
    EventPass pass = {0, 0, 0, HUGE_VAL}, *to = complete ? &pass : NULL;
    Status status = exchange ? pass_event(c, CALL(UPDATE_DISCRETE_STATES_EXCHANGE), to)
                             : pass_step_event(c, CALL(UPDATE_DISCRETE_STATES_STEPS), to);
    if (!complete) return fmi3_status(status);
    *discreteStatesNeedUpdate = pass.again;
    *terminateSimulation = status != STATUS_OK; /* for a host that goes on after an error: an end */
    *nominalsOfContinuousStatesChanged = pass.rescaled;
    *valuesOfContinuousStatesChanged = pass.moved;
    *nextEventTimeDefined = isfinite(pass.next);
    *nextEventTime = isfinite(pass.next) ? pass.next : 0.0;
    return fmi3_status(status);
}

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) {
    return fmi3_status(enter_continuous_mode(c, CALL(ENTER_CONTINUOUS)));
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                                       fmi3Boolean *enterEventMode, fmi3Boolean *terminateSimulation) {
    (void)noSetFMUStatePriorToCurrentPoint;
    int event = 0, complete = enterEventMode && terminateSimulation;
    Status status = complete_step(c, CALL(COMPLETED_STEP), complete ? &event : NULL);
    if (enterEventMode) *enterEventMode = event;
    if (terminateSimulation) *terminateSimulation = status != STATUS_OK;
    return fmi3_status(status);
}

fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 time) { return fmi3_status(set_present_time(c, CALL(SET_TIME), time)); }

fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 x[], size_t nx) {
    return fmi3_status(set_states(c, CALL(SET_CONTINUOUS_STATES), x, nx));
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 derivatives[], size_t nx) {
    return fmi3_status(get_rates(c, CALL(GET_DERIVATIVES), derivatives, nx));
}

fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 eventIndicators[], size_t ni) {
    return fmi3_status(get_indicators(c, CALL(GET_INDICATORS), eventIndicators, ni));
}

fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t nx) {
    return fmi3_status(get_states(c, CALL(GET_CONTINUOUS_STATES), x, nx));
}

fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 nominals[], size_t nx) {
    return fmi3_status(get_nominals(c, CALL(GET_NOMINALS), nominals, nx));
}

static fmi3Status count(fmi3Instance c, const Call *call, int value, size_t *to) {
    Instance *instance = admit(c, call);
    if (!instance) return fmi3Error;
    if (!to) return fmi3_status(refuse(instance, STATUS_ERROR, "%s: the pointer to a result is NULL", call->name));
    *to = (size_t)value;
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *nEventIndicators) {
    return count(c, CALL(NUMBER_OF_INDICATORS), model.ng + loop_indicators(), nEventIndicators);
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *nContinuousStates) {
    return count(c, CALL(NUMBER_OF_STATES), model.nx, nContinuousStates);
}
