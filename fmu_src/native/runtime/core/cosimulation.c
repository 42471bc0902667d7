#include "cosimulation.h"

#include <math.h>
#include <string.h>

#include "bounded.h"
#include "integrate.h"
#include "intermediate.h"
#include "log.h"
#include "methods.h"

/* NULL when the step is legal, else what is wrong with it. */
static const char *fault_of_step(const Simulation *s, double t, double h) {
    if (!isfinite(t) || !isfinite(h)) return "the communication point or the step is not finite";
    if (!(h > 0.0)) return "the step is not positive";
    if (fabs(t - s->now->time) > time_slack(s->now->time, h)) return "the communication point is not where the last step ended";
    if (t + h > s->now->stop_time + time_slack(s->now->time, h)) return "the step goes past the stop time";
    if (!(t + h > t)) return "the step is below the resolution of time";
    return NULL;
}

/* The host hears of an event where it is taken: how many there will be in a step is not known, and there is no room to keep them. */
static void on_event(Simulation *s, double t) { tell_event((Instance *)s, t, s->d, s->d_new); }

/* What a step has shown that a host should hear of once. */
static void tell_doubts(Instance *instance, int failed) {
    Simulation *s = &instance->s;
    Scalars *now = s->now;
    if (!failed && isfinite(s->missed) && now->misses_told == 0.0) {
        now->misses_told = 1.0;
        refuse(instance, STATUS_WARNING,
               "the sample at time %g lies between the communication points %g and %g, so it reads the inputs of the first; "
               "let communication steps end at the samples",
               s->missed, s->step_start, s->step_start + s->step_length);
    }
    if (s->late && now->lates == 0.0)
        refuse(instance, STATUS_WARNING,
               "more than %d events in the communication step from %g to %g: further events are handled when an internal step ends, at most "
               "%g s late; use shorter communication steps", BOUND_EVENTS, s->step_start, s->step_start + s->step_length, internal_step(s));
    now->lates += s->late;
    if (is_stiff(s) && now->stiffness_told == 0.0) {
        now->stiffness_told = 1.0;
        refuse(instance, STATUS_WARNING, "internal steps of %.1g s at time %g: the model may be stiff; try solver.method = automatic",
               mean_step(s), now->time);
    }
}

Status step_over(void *named, const Call *call, double t, double h) {
    Instance *instance = admit(named, call);
    if (!instance) return STATUS_ERROR;
    Simulation *s = &instance->s;
    Scalars *now = s->now;
    const char *fault = fault_of_step(s, t, h);
    if (fault)
        return refuse(instance, STATUS_ERROR, "%s: %s: a step of %g s from %.17g, while the instance is at %.17g and the stop time is %g",
                      call->name, fault, h, t, now->time, now->stop_time);

    int retried = !(instance->rules->modes[COSIMULATION] & MODE_STEP_FAILED); /* a step that fails leaves all as it was */
    if (retried) keep(instance, now->ahead_to > now->ahead_from || now->input_order != 0.0 ? SPAN_AHEAD : SPAN_STEP);
    /* the host's clock rules: the difference is round-off, and never adds up */
    now->time = now->input_time = t;
    now->clock.early = 0.0;
    if (now->inputs_used != 0.0) now->input_order = 0.0;
    s->on_event = instance->logged ? on_event : NULL;
    s->ends_at_events = instance->event_mode && instance->early_return;
    long before = work_so_far(s);
    tell_notices(instance);
    Quiet host;
    quiet_begin(&host);
    if (is_bounded(s)) quiet_flush();
    begin_between(instance, t, t + h, &host);
    int failed = make_ready(instance) || simulate_to(s, t + h);
    s->ask_inputs = NULL;
    move_inputs(s, now->time);
    quiet_end(&host);
    if (instance->between.broken) {
        bring_back(instance);
        return refuse(instance, STATUS_ERROR, "%s: a call in the intermediate update was refused, as logged before", call->name);
    }
    now->inputs_used = 1.0;
    note_work(s, before);
    tell_doubts(instance, failed);
    if (!failed) return STATUS_OK;
    refuse(instance, STATUS_DISCARD, "%s: %s; last successful time %.17g", call->name, s->e.reason, now->time);
    if (retried) bring_back(instance);
    else set_mode(instance, MODE_STEP_FAILED);
    return STATUS_DISCARD;
}

Status pass_step_event(void *named, const Call *call, EventPass *pass) {
    Instance *instance = admit(named, call);
    if (!instance) return STATUS_ERROR;
    if (!pass) return refuse(instance, STATUS_ERROR, "%s: the pointer to a result is NULL", call->name);
    Simulation *s = &instance->s;
    s->on_event = instance->logged ? on_event : NULL;
    memcpy(instance->dx, s->x, model.nx * sizeof(double));
    Quiet host;
    quiet_begin(&host);
    int failed = make_ready(instance) || settle_event(s);
    double next = failed ? 0.0 : next_event_time(s);
    quiet_end(&host);
    if (failed) return refuse(instance, STATUS_ERROR, "%s: %s", call->name, s->e.reason);
    if (memcmp(instance->dx, s->x, model.nx * sizeof(double))) s->now->moved = 1.0;
    *pass = (EventPass){0, s->now->moved != 0.0, 0, next};
    return STATUS_OK;
}

Status enter_step_mode(void *named, const Call *call) {
    Instance *instance = admit(named, call);
    if (!instance) return STATUS_ERROR;
    set_mode(instance, MODE_STEP_COMPLETE);
    return STATUS_OK;
}
