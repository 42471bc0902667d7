#include "exchange.h"

#include <math.h>
#include <string.h>

#include "change_points.h"
#include "error_norm.h"
#include "log.h"
#include "loop_events.h"
#include "manifold.h"
#include "sides.h"

/* How far the host's integrator may drift from the manifolds before it is asked to enter event mode: as far as its tolerance.
 * If it drifts that far in fewer than RARE_STEPS, it is looser than it told: then the limit is what it drifts by in so many steps.
 * After each such event a multistep host starts again at order 1, which costs it more accuracy than the drift did. */
#define LEAST_DRIFT_LIMIT 1e-10
#define MOST_DRIFT_LIMIT  1e-3
#define RARE_STEPS        100.0
#define LOOSER            10.0

Status enter_event_mode(void *named, const Call *call) {
    Instance *instance = admit(named, call);
    if (!instance) return STATUS_ERROR;
    set_mode(instance, MODE_EVENT);
    return STATUS_OK;
}

/* One pass of the event iteration at the present. */
static int pass_present(Simulation *s, int *changed) {
    Scalars *now = s->now;
    Evaluation *e = &s->e;
    if (now->unsettled != 0.0 ? renew_sides(s) : change_sides(s)) return -1;
    if (settle_gap(s) || note_indicators(s)) return -1;
    memcpy(s->x_new, s->x, model.nx * sizeof(double));
    if (settle_once(e, now->time, s->x, s->u, s->d, s->side, changed)) return -1;
    if (*changed && event_in_gap(s)) return -1;
    return *changed && now->passes + 1 > model.update_limit ? still_changes(e, now->time) : 0;
}

Status pass_event(void *named, const Call *call, EventPass *pass) {
    Instance *instance = admit(named, call);
    if (!instance) return STATUS_ERROR;
    if (!pass) return refuse(instance, STATUS_ERROR, "%s: the pointer to a result is NULL", call->name);
    Simulation *s = &instance->s;
    Scalars *now = s->now;
    Evaluation *e = &s->e;
    int changed;
    memcpy(instance->dx, s->x, model.nx * sizeof(double));
    memcpy(s->d_new, s->d, model.nd * sizeof(double));
    Quiet host;
    quiet_begin(&host);
    int failed = make_ready(instance) || pass_present(s, &changed);
    double next = failed ? 0.0 : next_time_event(e, present(s));
    failed = failed || (!changed && begin_gap(s, &next));
    int known = !failed && !changed && model.nx && !evaluate_motion(e, present(s), WANT_RATES);
    int rescaled = known && expect_motion(s, e->x_dot);
    quiet_end(&host);
    if (failed) return refuse(instance, STATUS_ERROR, "%s: %s", call->name, e->reason);
    if (!changed && !(next > now->time))
        return refuse(instance, STATUS_ERROR, "%s: the next time event is at %.17g, expected one after %.17g",
                      call->name, next, now->time);
    if (changed && now->passes++ == 0.0) now->events++;
    if (changed) tell_event(instance, now->time, s->d_new, s->d);
    if (memcmp(instance->dx, s->x, model.nx * sizeof(double))) now->moved = 1.0;
    now->unsettled = changed;
    /* moved in the whole iteration so far: the standard's own example of a host looks at the last call alone */
    *pass = (EventPass){changed, now->moved != 0.0, rescaled, next};
    return STATUS_OK;
}

Status enter_continuous_mode(void *named, const Call *call) {
    Instance *instance = admit(named, call);
    if (!instance) return STATUS_ERROR;
    if (instance->s.now->unsettled != 0.0)
        return refuse(instance, STATUS_ERROR,
                      "%s: the event iteration has not ended; update the discrete states until no further update is needed",
                      call->name);
    Quiet host;
    quiet_begin(&host);
    int failed = hold_outputs(&instance->s);
    quiet_end(&host);
    if (failed) return refuse(instance, STATUS_ERROR, "%s: %s", call->name, instance->s.e.reason);
    exchange_from(&instance->s);
    tell_notices(instance);
    set_mode(instance, MODE_CONTINUOUS);
    return STATUS_OK;
}

static int drifted(Simulation *s) {
    Scalars *now = s->now;
    double told = fmax(LEAST_DRIFT_LIMIT, tolerance_of(s));
    if (now->drift_limit < told) now->drift_limit = told;
    now->steps_since++;
    double distance = manifold_distance(&s->e, present(s));
    if (!(distance > now->drift_limit)) return 0;
    if (now->steps_since <= RARE_STEPS) {
        double wanted = fmax(LOOSER * now->drift_limit, RARE_STEPS / now->steps_since * distance);
        now->drift_limit = fmin(wanted, MOST_DRIFT_LIMIT);
    }
    now->steps_since = 0;
    return 1;
}

Status complete_step(void *named, const Call *call, int *event) {
    Instance *instance = admit(named, call);
    if (!instance) return STATUS_ERROR;
    if (!event) return refuse(instance, STATUS_ERROR, "%s: the pointer to a result is NULL", call->name);
    Simulation *s = &instance->s;
    if (s->now->time > s->now->stop_time + time_slack(s->now->time, fabs(s->now->stop_time)))
        return refuse(instance, STATUS_ERROR, "%s: time %.17g is past the stop time %.17g; end the run there, or set a later stop time", call->name, s->now->time,
                      s->now->stop_time);
    s->now->steps++;
    Quiet host;
    quiet_begin(&host);
    int due = make_ready(instance) ? -1 : event_is_due(s);
    if (due >= 0 && exchanged_step(s, &due)) due = -1;
    int off = due < 0 || in_gap(s) ? 0 : drifted(s);
    quiet_end(&host);
    if (due < 0) return refuse(instance, STATUS_ERROR, "%s: %s", call->name, s->e.reason);
    *event = due || off;
    return STATUS_OK;
}

Status set_present_time(void *named, const Call *call, double time) {
    Instance *instance = admit(named, call);
    if (!instance) return STATUS_ERROR;
    if (!isfinite(time))
        return refuse(instance, STATUS_ERROR, "%s: time is %g, expected a finite value", call->name, time);
    instance->s.now->time = time;
    return STATUS_OK;
}

/* The instance if the call is allowed and there is room for the values expected, else NULL. */
static Instance *admit_array(void *named, const Call *call, const void *array, size_t count, int expected) {
    Instance *instance = admit(named, call);
    if (!instance || (count == (size_t)expected && (array || !count))) return instance;
    if (count == (size_t)expected) refuse(instance, STATUS_ERROR, "%s: the array of values is NULL", call->name);
    else refuse(instance, STATUS_ERROR, "%s: %zu values, expected %d", call->name, count, expected);
    return NULL;
}

Status set_states(void *named, const Call *call, const double *x, size_t count) {
    Instance *instance = admit_array(named, call, x, count, model.nx);
    if (!instance) return STATUS_ERROR;
    int bad = first_not_finite(x, model.nx);
    if (bad >= 0) /* a host's solver may try too long a step: the standard lets it try a shorter one */
        return refuse(instance, STATUS_DISCARD, "%s: the state %s is %g; try a shorter step", call->name, name_of(GROUP_STATE, bad), x[bad]);
    if (count) memcpy(instance->s.x, x, count * sizeof(double));
    return STATUS_OK;
}

Status get_states(void *named, const Call *call, double *x, size_t count) {
    Instance *instance = admit_array(named, call, x, count, model.nx);
    if (!instance) return STATUS_ERROR;
    if (present_motion(instance, 0)) return refuse(instance, STATUS_DISCARD, "%s: %s", call->name, instance->s.e.reason);
    if (count) memcpy(x, instance->s.x, count * sizeof(double));
    return STATUS_OK;
}

Status get_rates(void *named, const Call *call, double *x_dot, size_t count) {
    Instance *instance = admit_array(named, call, x_dot, count, model.nx);
    if (!instance) return STATUS_ERROR;
    Quiet host;
    quiet_begin(&host);
    int failed = make_ready(instance) || rates_on_manifolds(&instance->s);
    quiet_end(&host);
    if (failed) return refuse(instance, STATUS_DISCARD, "%s: %s", call->name, instance->s.e.reason);
    if (count) memcpy(x_dot, instance->s.e.x_dot, count * sizeof(double));
    return STATUS_OK;
}

Status get_indicators(void *named, const Call *call, double *z, size_t count) {
    Instance *instance = admit_array(named, call, z, count, model.ng + loop_indicators());
    if (!instance) return STATUS_ERROR;
    Quiet host;
    quiet_begin(&host);
    int failed = make_ready(instance) || indicators_for_host(&instance->s, z);
    if (!failed && loop_indicators()) failed = loop_indicator(&instance->s, z + model.ng);
    quiet_end(&host);
    return failed ? refuse(instance, STATUS_DISCARD, "%s: %s", call->name, instance->s.e.reason) : STATUS_OK;
}

Status get_nominals(void *named, const Call *call, double *nominal, size_t count) {
    Instance *instance = admit_array(named, call, nominal, count, model.nx);
    if (!instance) return STATUS_ERROR;
    for (int i = 0; i < model.nx; i++) nominal[i] = nominal_of(&instance->s, i);
    return STATUS_OK;
}
