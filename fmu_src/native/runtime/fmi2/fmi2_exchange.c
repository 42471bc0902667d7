/* FMI 2.0: model exchange (section 3.2). States change only in event mode. */
#include <math.h>
#include <string.h>

#include "change_points.h"
#include "instance.h"
#include "manifold.h"
#include "sides.h"

/* How far the host's integrator may drift from the manifolds before it is asked to enter event mode: as far as it told
 * its tolerance to be, and farther if it drifts as far in a few steps: it is looser than it told. */
#define LEAST_DRIFT_LIMIT 1e-10
#define MOST_DRIFT_LIMIT  1e-3
#define FEW_STEPS         10.0
#define LOOSER            10.0

/* Room for `count` values expected to be `expected` many? */
static int misfit(Instance *instance, Call call, const void *array, size_t count, int expected) {
    if (count == (size_t)expected && (array || !count)) return 0;
    refuse(instance, fmi2Error, "%s: %zu values at %s, expected %d", call_name(call), count,
           array ? "an array" : "NULL", expected);
    return 1;
}

static fmi2Status copy_out(Instance *instance, Call call, unsigned wanted, const double *values, double *to,
                           size_t count, int expected) {
    if (misfit(instance, call, to, count, expected)) return fmi2Error;
    Simulation *s = &instance->s;
    Quiet host;
    quiet_begin(&host);
    int failed = make_ready(instance) || (wanted && evaluate_motion(&s->e, present(s), wanted));
    quiet_end(&host);
    if (failed) return refuse(instance, fmi2Discard, "%s: %s", call_name(call), s->e.reason);
    if (count) memcpy(to, values, count * sizeof(double));
    return fmi2OK;
}

fmi2Status fmi2EnterEventMode(fmi2Component c) {
    Instance *instance = admit(c, ENTER_EVENT);
    if (!instance) return fmi2Error;
    set_mode(instance, MODE_EVENT);
    return fmi2OK;
}

/* One pass of the event iteration at the present. */
static int pass_event(Simulation *s, int *changed) {
    Scalars *now = s->now;
    Evaluation *e = &s->e;
    if (now->unsettled != 0.0 ? renew_sides(s) : change_sides(s)) return -1;
    if (project(e, now->time, s->x, s->u, s->d) || note_indicators(s)) return -1;
    if (settle_once(e, now->time, s->x, s->u, s->d, s->side, changed)) return -1;
    return *changed && now->passes + 1 > model.update_limit ? still_changes(e, now->time) : 0;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
    /* for a host that goes on after an error: no further pass, an end */
    if (info) *info = (fmi2EventInfo){.terminateSimulation = fmi2True};
    Instance *instance = admit(c, NEW_DISCRETE_STATES);
    if (!instance) return fmi2Error;
    if (!info) return refuse(instance, fmi2Error, "fmi2NewDiscreteStates: the event info is NULL");
    Simulation *s = &instance->s;
    Scalars *now = s->now;
    Evaluation *e = &s->e;
    int changed;
    memcpy(instance->dx, s->x, model.nx * sizeof(double));
    memcpy(s->d_new, s->d, model.nd * sizeof(double));
    Quiet host;
    quiet_begin(&host);
    int failed = make_ready(instance) || pass_event(s, &changed);
    double next = failed ? 0.0 : next_time_event(e, present(s));
    quiet_end(&host);
    if (failed) return refuse(instance, fmi2Error, "fmi2NewDiscreteStates: %s", e->reason);
    if (!changed && !(next > now->time))
        return refuse(instance, fmi2Error,
                      "fmi2NewDiscreteStates: the next time event is at %.17g, expected one after %.17g", next,
                      now->time);
    if (changed && now->passes++ == 0.0) now->events++;
    if (changed) tell_event(instance, now->time, s->d_new, s->d);
    if (memcmp(instance->dx, s->x, model.nx * sizeof(double))) now->moved = 1.0;
    now->unsettled = changed;
    info->newDiscreteStatesNeeded = changed ? fmi2True : fmi2False;
    info->terminateSimulation = fmi2False;
    info->nominalsOfContinuousStatesChanged = fmi2False;
    /* of the whole iteration so far: the standard's own example of a host looks at the last call alone */
    info->valuesOfContinuousStatesChanged = now->moved != 0.0 ? fmi2True : fmi2False;
    info->nextEventTimeDefined = isfinite(next) ? fmi2True : fmi2False;
    info->nextEventTime = isfinite(next) ? next : 0.0;
    return fmi2OK;
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
    Instance *instance = admit(c, ENTER_CONTINUOUS);
    if (!instance) return fmi2Error;
    if (instance->s.now->unsettled != 0.0)
        return refuse(instance, fmi2Error,
                      "fmi2EnterContinuousTimeMode: the event iteration is not at its end; "
                      "expected calls of fmi2NewDiscreteStates until it needs no other");
    Quiet host;
    quiet_begin(&host);
    int failed = hold_outputs(&instance->s);
    quiet_end(&host);
    if (failed)
        return refuse(instance, fmi2Error, "fmi2EnterContinuousTimeMode: %s", instance->s.e.reason);
    exchange_from(&instance->s);
    tell_notices(instance);
    set_mode(instance, MODE_CONTINUOUS);
    return fmi2OK;
}

static int drifted(Simulation *s) {
    Scalars *now = s->now;
    double told = fmax(LEAST_DRIFT_LIMIT, tolerance_of(s));
    if (now->drift_limit < told) now->drift_limit = told;
    now->steps_since++;
    if (!(manifold_distance(&s->e, present(s)) > now->drift_limit)) return 0;
    if (now->steps_since <= FEW_STEPS) now->drift_limit = fmin(LOOSER * now->drift_limit, MOST_DRIFT_LIMIT);
    now->steps_since = 0;
    return 1;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean noSetFMUStatePriorToCurrentPoint,
                                       fmi2Boolean *enterEventMode, fmi2Boolean *terminateSimulation) {
    (void)noSetFMUStatePriorToCurrentPoint;
    if (enterEventMode) *enterEventMode = fmi2False;
    if (terminateSimulation) *terminateSimulation = fmi2True; /* for a host that goes on after an error */
    Instance *instance = admit(c, COMPLETED_STEP);
    if (!instance) return fmi2Error;
    if (!enterEventMode || !terminateSimulation)
        return refuse(instance, fmi2Error, "fmi2CompletedIntegratorStep: a result is NULL");
    Simulation *s = &instance->s;
    if (s->now->time > s->now->stop_time + time_slack(s->now->time, fabs(s->now->stop_time)))
        return refuse(instance, fmi2Error, "fmi2CompletedIntegratorStep: time %.17g is past the stop time %.17g",
                      s->now->time, s->now->stop_time);
    s->now->steps++;
    Quiet host;
    quiet_begin(&host);
    int due = make_ready(instance) ? -1 : event_is_due(s);
    if (due >= 0 && exchanged_step(s)) due = -1;
    int off = due < 0 ? 0 : drifted(s);
    quiet_end(&host);
    if (due < 0) return refuse(instance, fmi2Error, "fmi2CompletedIntegratorStep: %s", s->e.reason);
    *enterEventMode = due || off ? fmi2True : fmi2False;
    *terminateSimulation = fmi2False;
    return fmi2OK;
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) {
    Instance *instance = admit(c, SET_TIME);
    if (!instance) return fmi2Error;
    if (!isfinite(time)) return refuse(instance, fmi2Error, "fmi2SetTime: time is %g, expected a finite one", time);
    instance->s.now->time = time;
    return fmi2OK;
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t nx) {
    Instance *instance = admit(c, SET_CONTINUOUS_STATES);
    if (!instance || misfit(instance, SET_CONTINUOUS_STATES, x, nx, model.nx)) return fmi2Error;
    if (!all_finite(x, model.nx)) /* a host's solver may try too long a step: the standard lets it try a shorter one */
        return refuse(instance, fmi2Discard, "fmi2SetContinuousStates: a state is not finite");
    if (nx) memcpy(instance->s.x, x, nx * sizeof(double));
    return fmi2OK;
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real derivatives[], size_t nx) {
    Instance *instance = admit(c, GET_DERIVATIVES);
    return instance ? copy_out(instance, GET_DERIVATIVES, WANT_RATES, instance->s.e.x_dot, derivatives, nx, model.nx)
                    : fmi2Error;
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real eventIndicators[], size_t ni) {
    Instance *instance = admit(c, GET_INDICATORS);
    if (!instance || misfit(instance, GET_INDICATORS, eventIndicators, ni, model.ng)) return fmi2Error;
    Quiet host;
    quiet_begin(&host);
    int failed = make_ready(instance) || indicators_for_host(&instance->s, eventIndicators);
    quiet_end(&host);
    if (failed) return refuse(instance, fmi2Discard, "fmi2GetEventIndicators: %s", instance->s.e.reason);
    return fmi2OK;
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t nx) {
    Instance *instance = admit(c, GET_CONTINUOUS_STATES);
    return instance ? copy_out(instance, GET_CONTINUOUS_STATES, 0, instance->s.x, x, nx, model.nx) : fmi2Error;
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x_nominal[], size_t nx) {
    Instance *instance = admit(c, GET_NOMINALS);
    if (!instance || misfit(instance, GET_NOMINALS, x_nominal, nx, model.nx)) return fmi2Error;
    if (nx) memcpy(x_nominal, model.nominal_x, nx * sizeof(double));
    return fmi2OK;
}
