#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const categories[] = {
    "logEvents", "logStatusWarning", "logStatusDiscard", "logStatusError", "logStatusFatal", "logSolver", "logAll",
};
enum { N_CATEGORIES = sizeof categories / sizeof *categories };

static void send(Instance *instance, Status status, unsigned category, const char *format, va_list values) {
    char message[MESSAGE_LENGTH];
    if (!instance->host.logger) return;
    vsnprintf(message, sizeof message, format, values);
    int index = 0;
    while (category >> (index + 1)) index++;
    instance->host.log(&instance->host, instance->name, status, categories[index], message);
}

Status refuse(Instance *instance, Status status, const char *format, ...) {
    const unsigned category[] = {LOG_EVENTS, LOG_WARNING, LOG_DISCARD, LOG_ERROR, LOG_FATAL};
    va_list values;
    va_start(values, format);
    if (!instance->rules->silent || instance->logged & (category[status] | LOG_ALL))
        send(instance, status, category[status], format, values);
    va_end(values);
    if (status == STATUS_ERROR) set_mode(instance, MODE_ERROR);
    return status;
}

void tell(Instance *instance, unsigned category, const char *format, ...) {
    if (!(instance->logged & (category | LOG_ALL))) return;
    va_list values;
    va_start(values, format);
    send(instance, STATUS_OK, category, format, values);
    va_end(values);
}

void tell_event(Instance *instance, double t, const double *before, const double *after) {
    int switched = 0;
    if (!(instance->logged & (LOG_EVENTS | LOG_ALL))) return;
    for (int i = 0; i < model.n_variables; i++) {
        const Variable *variable = &model.variables[i];
        int k = variable->index;
        if (variable->group != GROUP_DISCRETE || variable->kind == KIND_REAL || before[k] == after[k]) continue;
        tell(instance, LOG_EVENTS, "time=%.17g variable=%s value=%.0f", t, variable->name, after[k]);
        switched = 1;
    }
    if (!switched) tell(instance, LOG_EVENTS, "time=%.17g", t);
}

void tell_notices(Instance *instance) {
    Simulation *s = &instance->s;
    int untold = 0;
    for (int i = 0; i < model.n_notices; i++) untold |= s->notice_told[i] == 0.0;
    if (!untold) return;
    int failed = present_motion(instance, WANT_NOTICED); /* what comes next says why */
    for (int i = 0; i < model.n_notices && !failed; i++) {
        const Notice *notice = &model.notices[i];
        if (s->notice_told[i] != 0.0 || s->e.noticed[i] != 0.0) continue;
        s->notice_told[i] = 1.0;
        refuse(instance, STATUS_WARNING, "%s is false at time %g: %s", notice->name, s->now->time, notice->text);
    }
}

void tell_work(Instance *instance) {
    const Scalars *now = instance->s.now;
    tell(instance, LOG_SOLVER,
         "steps=%.0f rejected=%.0f events=%.0f evaluations=%ld to_points=%.0f to_events=%.0f by_limit=%.0f by_tolerance=%.0f "
         "late=%.0f most=%ld bound=%ld implicit=%.0f",
         now->steps, now->rejections, now->events, instance->s.e.evaluations, now->to_points, now->to_events,
         now->to_limits, now->steps - now->to_points - now->to_events - now->to_limits, now->lates, instance->s.most_work,
         instance->s.most_bound, now->choice.taken);
}

size_t choose_categories(Instance *instance, int on, size_t count, const char *const names[]) {
    unsigned chosen = count ? 0 : LOG_ALL;
    for (size_t i = 0; i < count; i++) {
        int k = 0;
        while (k < N_CATEGORIES && (!names[i] || strcmp(names[i], categories[k]))) k++;
        if (k == N_CATEGORIES) return i;
        chosen |= 1u << k;
    }
    if (on) instance->logged |= chosen;
    else instance->logged &= count ? ~chosen : 0;
    return count;
}
