#include "life.h"

#include <math.h>

#include "log.h"
#include "sides.h"

Status setup_experiment(void *named, const Call *call, const double *tolerance, double start, const double *stop) {
    Instance *instance = admit(named, call);
    if (!instance) return STATUS_ERROR;
    if (!isfinite(start))
        return refuse(instance, STATUS_ERROR, "%s: start time is %g, expected a finite value", call->name, start);
    if (stop && !(*stop > start))
        return refuse(instance, STATUS_ERROR, "%s: stop time is %g, expected a time after the start at %g", call->name,
                      *stop, start);
    if (tolerance && (!(*tolerance > 0.0) || !(*tolerance < 1.0)))
        return refuse(instance, STATUS_ERROR, "%s: tolerance is %g, expected a value between 0 and 1", call->name,
                      *tolerance);
    Scalars *now = instance->s.now;
    now->time = now->input_time = start;
    now->stop_time = stop ? *stop : HUGE_VAL;
    now->tolerance = tolerance ? *tolerance : 0.0;
    return STATUS_OK;
}

Status enter_initialization(void *named, const Call *call) {
    Instance *instance = admit(named, call);
    if (!instance) return STATUS_ERROR;
    set_mode(instance, MODE_INITIALIZATION);
    return STATUS_OK;
}

Status exit_initialization(void *named, const Call *call) {
    Instance *instance = admit(named, call);
    if (!instance) return STATUS_ERROR;
    Simulation *s = &instance->s;
    int exchange = kind_of(instance) == EXCHANGE;
    Quiet host;
    quiet_begin(&host);
    int failed = make_ready(instance) || (exchange && take_sides(s));
    quiet_end(&host);
    if (failed) return refuse(instance, STATUS_ERROR, "%s: %s", call->name, s->e.reason);
    set_mode(instance, exchange || instance->event_mode ? MODE_EVENT : MODE_STEP_COMPLETE);
    return STATUS_OK;
}

Status terminate_instance(void *named, const Call *call) {
    Instance *instance = admit(named, call);
    if (!instance) return STATUS_ERROR;
    tell_work(instance);
    set_mode(instance, MODE_TERMINATED);
    return STATUS_OK;
}

Status reset_instance(void *named, const Call *call) {
    Instance *instance = admit(named, call);
    if (!instance) return STATUS_ERROR;
    simulation_reset(&instance->s);
    set_mode(instance, MODE_INSTANTIATED);
    return STATUS_OK;
}

Status set_logging(void *named, const Call *call, int on, size_t count, const char *const categories[]) {
    Instance *instance = admit(named, call);
    if (!instance) return STATUS_ERROR;
    if (count && !categories) return refuse(instance, STATUS_ERROR, "%s: the array of categories is NULL", call->name);
    const size_t known = choose_categories(instance, on, count, categories);
    if (known < count)
        return refuse(instance, STATUS_ERROR, "%s: log category '%.99s' is unknown; modelDescription.xml lists the legal ones",
                      call->name, categories[known] ? categories[known] : "NULL");
    return STATUS_OK;
}
