#include "intermediate.h"

#include <math.h>
#include <string.h>

#include "change_points.h"
#include "log.h"
#include "methods.h"
#include "rows_seen.h"

/* Where a host is told of an accepted step: within it by the dense output, and at its end. */
static const double shares[] = {0.25, 0.5, 0.75, 1.0};

/* Reals that change between events. */
static int changes_between(const Variable *variable) {
    const unsigned groups = 1u << GROUP_STATE | 1u << GROUP_DERIVATIVE | 1u << GROUP_INPUT | 1u << GROUP_OUTPUT;
    return groups & 1u << variable->group && variable->kind == KIND_REAL && !variable->discrete;
}

int require_between(Instance *instance, Chosen chosen) {
    Between *between = &instance->between;
    between->required = host_allocate(&instance->host, chosen.count * sizeof *chosen.references + 1);
    if (!between->required) return -1;
    for (size_t i = 0; i < chosen.count; i++) {
        Chosen one = {.references = chosen.references + i, .count = 1};
        int known = 0;
        for (const Variable *variable; (variable = next_of(&one)); known = 1) {
            if (!changes_between(variable)) return -1;
            if (variable->group == GROUP_INPUT) between->asks = 1;
            else between->shows = 1;
        }
        if (!known) return -1;
        between->required[between->n_required++] = chosen.references[i];
    }
    return 0;
}

int named_between(const Instance *instance, unsigned reference) {
    if (!(mode_of(instance) & (MODE_INPUTS | MODE_INTERMEDIATE))) return 1;
    for (size_t i = 0; i < instance->between.n_required; i++)
        if (instance->between.required[i] == reference) return 1;
    return 0;
}

/* Hands over to the host in a mode of its own, in its own floating-point environment. A call there that is refused breaks the step. */
static void hand_over(Instance *instance, Mode mode, Update *update) {
    Between *between = &instance->between;
    set_mode(instance, mode);
    quiet_end(between->quiet);
    instance->host.update(&instance->host, update);
    quiet_begin(between->quiet);
    between->broken = mode_of(instance) == MODE_ERROR;
    set_mode(instance, MODE_STEP_COMPLETE);
}

/* Inputs at a time of the solver: tentative, it may come back to earlier ones. */
static void ask_inputs(Simulation *s, double t) {
    Instance *instance = (Instance *)s;
    Between *between = &instance->between;
    t = fmin(fmax(t, between->told), between->end);
    if (between->broken || t == between->asked) return;
    Update update = {.time = t, .set = 1};
    between->asked = t;
    hand_over(instance, MODE_INPUTS, &update);
}

/* Tells of a point of an accepted step: 1 when the host wants to return there. */
static int tell_point(Simulation *s, double t, double *x) {
    Instance *instance = (Instance *)s;
    Between *between = &instance->between;
    double *start = s->x, before = s->now->time;
    if (between->asks) ask_inputs(s, t);
    s->x = x, s->now->time = t;
    Update update = {.time = t, .set = between->asks, .get = between->asks || between->shows, .finished = 1,
                     .can_return = instance->early_return};
    if (!between->broken) hand_over(instance, MODE_INTERMEDIATE, &update);
    s->x = start, s->now->time = before;
    between->told = t, between->asked = NAN;
    if (update.can_return && update.wants_return) s->ends_by = fmin(s->ends_by, fmax(update.return_time, t));
    return t >= s->ends_by;
}

/* Of the accepted step from the present to x_new at *reached; ends it where the host wants to return. */
static int tell_step(Simulation *s, double h, double *reached) {
    const Between *between = &((const Instance *)s)->between;
    double t = s->now->time, to = *reached;
    int dense = between->shows && model.nx && !in_gap(s);
    if (dense && dense_prepare(s, h)) return -1;
    for (size_t i = dense ? 0 : sizeof shares / sizeof *shares - 1; i < sizeof shares / sizeof *shares; i++) {
        double share_end = shares[i] == 1.0 ? to : t + shares[i] * h;
        double *x = s->x_new;
        *reached = fmin(share_end, s->ends_by); /* where the host wants to return before the next share, that comes first */
        if (*reached < to) { /* by a share of the dense output: else steps end where the host returns */
            dense_at(s, s->x, (*reached - t) / h);
            x = s->x_between;
            if (project_there(s, *reached, x)) return -1;
        }
        if (!tell_point(s, *reached, x)) continue;
        if (x != s->x_new) memcpy(s->x_new, x, model.nx * sizeof(double));
        s->f_end_known = 0;
        return 1;
    }
    if (between->asks) s->f_end_known = 0;
    return between->broken ? fail(&s->e, "a call in the intermediate update was refused, as logged before") : 0;
}

void begin_between(Instance *instance, double t, double end, Quiet *quiet) {
    Simulation *s = &instance->s;
    Between *between = &instance->between;
    between->told = t, between->end = end, between->asked = NAN, between->broken = 0, between->quiet = quiet;
    s->ends_by = end;
    s->tell_step = instance->host.update ? tell_step : NULL;
    s->ask_inputs = instance->host.update && between->asks ? ask_inputs : NULL;
}
