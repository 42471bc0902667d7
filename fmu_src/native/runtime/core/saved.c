#include "saved.h"

#include <float.h>
#include <limits.h>
#include <math.h>

#include "calls.h"
#include "instance.h"
#include "rows_seen.h"

#define MOST_COUNTED 9007199254740992.0 /* 2^53: up to it doubles count one by one */

typedef struct {
    const char *name;
    const double *place; /* in the simulation's own block; the block that is inspected has it at the same distance */
    size_t count;
    double low, high;
    int whole; /* whole numbers alone */
} Field;

static int inspect(Simulation *s, const char *name, double value, double low, double high, int whole) {
    if (value >= low && value <= high && (!whole || value == floor(value))) return 0; /* NaN is in no range */
    return fail(&s->e, "%s is %g in the saved state, expected %s from %g to %g", name, value,
                whole ? "a whole number" : "a number", low, high);
}

/* Values of variables: by their kind, and where a host can't set others, between their bounds. */
static int inspect_variables(Simulation *s, const double *block) {
    for (int i = 0; i < model.n_variables; i++) {
        const Variable *variable = &model.variables[i];
        Group group = variable->group;
        if (group == GROUP_TIME || group == GROUP_DERIVATIVE || group == GROUP_OUTPUT || group == GROUP_INDICATOR) continue;
        int bounded = group == GROUP_PARAMETER || group == GROUP_SOLVER || variable->kind == KIND_ENUMERATION;
        double low = bounded ? variable->min : -HUGE_VAL, high = bounded ? variable->max : HUGE_VAL;
        if (variable->kind == KIND_BOOLEAN) low = 0.0, high = 1.0;
        if (variable->kind == KIND_INTEGER) low = fmax(low, INT_MIN), high = fmin(high, INT_MAX);
        const double *places[] = {values_of(s, group), start_values_of(s, group)};
        for (int k = 0; k < 2; k++) {
            double value = block[places[k] - (const double *)s->now + variable->index];
            if (inspect(s, variable->name, value, low, high, variable->kind != KIND_REAL)) return -1;
        }
    }
    return 0;
}

/* What fits together: a mode of this FMI type, a running instance that was initialized, a step ahead around the present. */
static int inspect_relations(Simulation *s, const Scalars *saved, int modes) {
    const int before_start = MODE_INSTANTIATED | MODE_INITIALIZATION | MODE_ERROR;
    int mode = (int)saved->mode, is_ahead = saved->ahead_to > saved->ahead_from;
    if (!(mode & modes) || (mode & (mode - 1)))
        return fail(&s->e, "mode is %d in the saved state, which this instance does not have", mode);
    if (!(mode & before_start) && saved->initialized == 0.0)
        return fail(&s->e, "the state was saved in '%s' without being initialized", mode_name(mode));
    if (is_ahead && (!(saved->ahead_from <= saved->time) || !(saved->time <= saved->ahead_to)))
        return fail(&s->e, "the saved state's time %.17g is outside its step ahead, from %.17g to %.17g", saved->time,
                    saved->ahead_from, saved->ahead_to);
    return 0;
}

/* One row per field of the block, in any order; a field without one is a fault that tests/fmi/test_crafted_states.py finds. */
#define ANY     -DBL_MAX, DBL_MAX, 0
#define LENGTH  0.0, DBL_MAX, 0
#define COUNTED 0.0, MOST_COUNTED, 1
#define FLAG    0.0, 1.0, 1
#define SCALAR(name, ...) {#name, &now->name, 1, __VA_ARGS__}
#define ARRAY(name, count, ...) {#name, s->name, count, __VA_ARGS__}

int inspect_block(Simulation *s, const double *block, int modes) {
    const Scalars *now = s->now, *saved = (const Scalars *)block;
    const size_t nx = model.nx, nu = model.nu, nd = model.nd, ng = model.ng;
    const size_t looped = model.speeds ? 1 : 0;
    const size_t ahead = saved->ahead_to > saved->ahead_from ? nx : 0; /* without a step ahead no one reads the last one's rows */
    const Field fields[] = {
        SCALAR(mode, MODE_INSTANTIATED, MODE_ERROR, 1),
        SCALAR(exchange, FLAG),
        SCALAR(time, ANY),
        SCALAR(stop_time, -DBL_MAX, HUGE_VAL, 0),
        SCALAR(tolerance, 0.0, 1.0, 0),
        SCALAR(initialized, FLAG),
        {"step", now->step, N_ORDERS, ANY},
        SCALAR(within, 0.0, 1.0, 0),
        SCALAR(disturbed, FLAG),
        SCALAR(ahead_from, ANY),
        SCALAR(ahead_to, ANY),
        SCALAR(ahead_event, FLAG),
        SCALAR(input_order, 0.0, INPUT_ORDERS, 1),
        SCALAR(input_time, ANY),
        SCALAR(inputs_used, FLAG),
        SCALAR(steps, COUNTED),
        SCALAR(rejections, COUNTED),
        SCALAR(events, COUNTED),
        SCALAR(to_points, COUNTED),
        SCALAR(to_events, COUNTED),
        SCALAR(to_limits, COUNTED),
        SCALAR(clock.offset, ANY),
        SCALAR(clock.doubt, -1.0, DBL_MAX, 0),
        SCALAR(clock.early, LENGTH),
        SCALAR(choice.implicit, FLAG),
        SCALAR(choice.tries, COUNTED),
        SCALAR(choice.steps, COUNTED),
        SCALAR(choice.span, LENGTH),
        SCALAR(choice.work, LENGTH),
        SCALAR(choice.patience, LENGTH),
        SCALAR(choice.pace, LENGTH),
        SCALAR(choice.radius, LENGTH),
        SCALAR(choice.length, LENGTH),
        SCALAR(choice.taken, COUNTED),
        SCALAR(misses_told, FLAG),
        SCALAR(lates, COUNTED),
        SCALAR(weak_most, LENGTH),
        SCALAR(weak_last, LENGTH),
        SCALAR(weak_near, FLAG),
        SCALAR(stiffness_told, FLAG),
        SCALAR(drift_limit, 0.0, 1.0, 0),
        SCALAR(steps_since, COUNTED),
        SCALAR(passes, COUNTED),
        SCALAR(moved, FLAG),
        SCALAR(unsettled, FLAG),
        ARRAY(x, nx, ANY),
        ARRAY(u, nu, ANY),
        ARRAY(d, nd, ANY),
        ARRAY(p, model.np, ANY),
        ARRAY(solver, N_SOLVER, LENGTH),
        ARRAY(x_given, nx, ANY),
        ARRAY(d_given, nd, ANY),
        ARRAY(u_derivatives, INPUT_ORDERS * nu, ANY),
        ARRAY(side, ng, -1.0, 1.0, 1),
        ARRAY(offset, ng, ANY),
        ARRAY(g_noted, ng, ANY),
        ARRAY(y_held, s->sampled ? (size_t)model.ny : 0, ANY),
        ARRAY(notice_told, model.n_notices, FLAG),
        ARRAY(dense, MOST_DENSE_ROWS * ahead, ANY),
        ARRAY(x_from, ahead, ANY),
        ARRAY(x_to, ahead, ANY),
        ARRAY(x_start, nx, ANY),
        ARRAY(moved, model.n_vectors, 0.0, 1.0, 0),
        ARRAY(gap, gap_length(), ANY),
        {"gap's rank", s->gap + GAP_RANK, looped, 0.0, model.motion.m < model.motion.n ? model.motion.m : model.motion.n, 1},
        {"gap's weak rows", s->gap + GAP_COUNT, looped, 0.0, looped ? fmin(most_weak(), block[s->gap - (const double *)now + GAP_RANK]) : 0.0, 1},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const Field *field = &fields[i];
        const double *values = block + (field->place - (const double *)now);
        for (size_t k = 0; k < field->count; k++)
            if (inspect(s, field->name, values[k], field->low, field->high, field->whole)) return -1;
    }
    return inspect_variables(s, block) || inspect_relations(s, saved, modes) ? -1 : 0;
}
