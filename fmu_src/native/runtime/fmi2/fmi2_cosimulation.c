/* FMI 2.0: co-simulation (section 4.2). Steps are computed at once, none is ever pending. */
#include <math.h>
#include <string.h>

#include "instance.h"
#include "integrate.h"

/* NULL when the step is legal, else what is wrong with it. */
static const char *fault_of_step(const Simulation *s, double t, double h) {
    if (!isfinite(t) || !isfinite(h)) return "the times are not finite";
    if (!(h > 0.0)) return "the step is not positive";
    if (fabs(t - s->now->time) > time_slack(s->now->time, h)) return "the communication point is not where the last step ended";
    if (t + h > s->now->stop_time + time_slack(s->now->time, h)) return "the step goes past the stop time of fmi2SetupExperiment";
    if (!(t + h > t)) return "the step is below the resolution of time";
    return NULL;
}

/* The host hears of an event where it is taken: how many there will be in a step is not known, and there is no room to keep them. */
static void on_event(Simulation *s, double t) { tell_event((Instance *)s, t, s->d, s->d_new); }

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real currentCommunicationPoint, fmi2Real communicationStepSize,
                      fmi2Boolean noSetFMUStatePriorToCurrentPoint) {
    (void)noSetFMUStatePriorToCurrentPoint; /* nothing is kept of the past that could be thrown away */
    Instance *instance = admit(c, DO_STEP);
    if (!instance) return fmi2Error;
    Simulation *s = &instance->s;
    Scalars *now = s->now;
    const char *fault = fault_of_step(s, currentCommunicationPoint, communicationStepSize);
    if (fault)
        return refuse(instance, fmi2Error, "fmi2DoStep: %s: from %.17g by %g, instance is at %.17g, stop time %g",
                      fault, currentCommunicationPoint, communicationStepSize, now->time, now->stop_time);

    /* the host's clock rules: the difference is round-off, and never adds up */
    now->time = now->input_time = currentCommunicationPoint;
    now->clock.early = 0.0;
    if (now->inputs_used != 0.0) now->input_order = 0.0;
    s->on_event = instance->logged ? on_event : NULL;
    tell_notices(instance);
    Quiet host;
    quiet_begin(&host);
    int failed = make_ready(instance) || simulate_to(s, currentCommunicationPoint + communicationStepSize);
    move_inputs(s, now->time);
    quiet_end(&host);
    now->inputs_used = 1.0;
    if (!failed && isfinite(s->missed) && now->misses_told == 0.0) {
        now->misses_told = 1.0;
        refuse(instance, fmi2Warning,
               "the sample at time %g lies between the communication points %g and %g, and sees the inputs of the first; "
               "communication steps that end at the samples give it those of its own time",
               s->missed, s->step_start, s->step_start + s->step_length);
    }
    if (is_stiff(s) && now->stiffness_told == 0.0) {
        now->stiffness_told = 1.0;
        refuse(instance, fmi2Warning, "steps of %.1g s at time %g; solver.method = rodas5p may help", mean_step(s),
               now->time);
    }
    if (!failed) return fmi2OK;
    set_mode(instance, MODE_STEP_FAILED);
    return refuse(instance, fmi2Discard, "fmi2DoStep: %s; last successful time %.17g", s->e.reason, now->time);
}

fmi2Status fmi2CancelStep(fmi2Component c) {
    admit(c, CANCEL_STEP);
    return fmi2Error;
}

/* Status questions are about pending and discarded steps; all but two have no answer here. */
static fmi2Status no_status(fmi2Component c, Call call) {
    Instance *instance = admit(c, call);
    if (!instance) return fmi2Error;
    return refuse(instance, fmi2Discard, "%s: no such status, no step is ever pending", call_name(call));
}

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value) {
    (void)kind, (void)value;
    return no_status(c, GET_STATUS);
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
    if (kind != fmi2LastSuccessfulTime || !value) return no_status(c, GET_REAL_STATUS);
    Instance *instance = admit(c, GET_REAL_STATUS);
    if (!instance) return fmi2Error;
    *value = instance->s.now->time;
    return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value) {
    (void)kind, (void)value;
    return no_status(c, GET_INTEGER_STATUS);
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value) {
    if (kind != fmi2Terminated || !value) return no_status(c, GET_BOOLEAN_STATUS);
    Instance *instance = admit(c, GET_BOOLEAN_STATUS);
    if (!instance) return fmi2Error;
    *value = fmi2False; /* the model never asks to end the simulation */
    return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *value) {
    (void)kind, (void)value;
    return no_status(c, GET_STRING_STATUS);
}
