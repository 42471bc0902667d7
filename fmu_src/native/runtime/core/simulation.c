#include "simulation.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "bounds.h"
#include "change_points.h"
#include "methods.h"
#include "rows_seen.h"
#include "stiffness.h"

static int is_sampled(const Variable *variable) {
    return variable->group == GROUP_OUTPUT && variable->kind == KIND_REAL && variable->discrete;
}

static int sampled_outputs(void) {
    for (int i = 0; i < model.n_variables; i++)
        if (is_sampled(&model.variables[i])) return 1;
    return 0;
}

int hold_outputs(Simulation *s) {
    if (!s->sampled) return 0;
    if (evaluate_motion(&s->e, present(s), WANT_OUTPUTS)) return -1;
    memcpy(s->y_held, s->e.y, model.ny * sizeof(double));
    return 0;
}

double output_of(const Simulation *s, const Variable *variable, int between_events) {
    return (between_events && is_sampled(variable) ? s->y_held : s->e.y)[variable->index];
}

void simulation_room(Simulation *s, Arena *arena) {
    s->sampled = sampled_outputs();
    const struct {
        double **array;
        size_t length;
    } parts[] = {
        {&s->x, model.nx},       {&s->u, model.nu}, /* SPAN_STEP */
        {&s->d, model.nd},       {&s->moved, model.n_vectors},
        {&s->gap, gap_length()},
        {&s->dense, (size_t)MOST_DENSE_ROWS * model.nx}, /* SPAN_AHEAD */
        {&s->x_from, model.nx},  {&s->x_to, model.nx},
        {&s->u_derivatives, (size_t)INPUT_ORDERS * model.nu},
        {&s->p, model.np},       {&s->solver, N_SOLVER},
        {&s->x_given, model.nx}, {&s->d_given, model.nd},
        {&s->side, model.ng},    {&s->offset, model.ng},
        {&s->g_noted, model.ng}, {&s->y_held, s->sampled ? model.ny : 0},
        {&s->x_start, model.nx}, {&s->notice_told, model.n_notices},
    };
    const size_t count = sizeof parts / sizeof *parts, scalars = sizeof(Scalars) / sizeof(double);

    s->block_length = scalars;
    for (size_t i = 0; i < count; i++) {
        s->block_length += parts[i].length;
        if (parts[i].array == &s->gap) s->spans[SPAN_STEP] = s->block_length;
        if (parts[i].array == &s->u_derivatives) s->spans[SPAN_AHEAD] = s->block_length;
    }
    s->spans[SPAN_ALL] = s->block_length;
    double *block = arena_doubles(arena, s->block_length);
    s->now = (Scalars *)block;
    if (block) block += scalars;
    for (size_t i = 0; i < count; i++) {
        *parts[i].array = block;
        if (block) block += parts[i].length;
    }
    s->u_at = arena_doubles(arena, model.nu);
    evaluation_room(&s->e, arena);
    s->e.gap = model.speeds ? s->gap : NULL;
    change_points_room(s, arena);
    method_room(s, arena);
}

static void copy(double *to, const double *from, int count) {
    if (count) memcpy(to, from, count * sizeof(double));
}

void simulation_reset(Simulation *s) {
    double mode = s->now->mode, exchange = s->now->exchange;
    memset(s->now, 0, s->block_length * sizeof(double));
    s->now->mode = mode;
    s->now->exchange = exchange;
    s->now->stop_time = HUGE_VAL;
    s->now->disturbed = 1.0;
    s->now->within = 1.0;
    s->now->clock.doubt = -1.0;
    begin_choice(&s->now->choice);
    copy(s->x_given, model.start_x, model.nx);
    copy(s->d_given, model.start_d, model.nd);
    copy(s->x, model.start_x, model.nx);
    copy(s->d, model.start_d, model.nd);
    copy(s->u, model.start_u, model.nu);
    copy(s->p, model.start_p, model.np);
    s->solver[SOLVER_METHOD] = 1.0;
    forget_work(s);
    s->e.evaluations = s->e.directions = s->most_work = s->most_bound = 0;
}

void forget_work(Simulation *s) {
    s->order = s->first = s->f_end_known = s->before_known = 0;
    s->tries = 0;
    s->e.derived = 0;
    forget_points(&s->e);
}

/* u^(k)(t) = sum_j u^(k+j) (t - input_time)^j / j! */
static double input_polynomial(const Simulation *s, int i, int k, double t) {
    double after = t - s->now->input_time, sum = 0.0;
    for (int order = (int)s->now->input_order; order >= k; order--) { /* Horner: factor after / (order - k + 1) */
        double coefficient = order ? s->u_derivatives[(order - 1) * model.nu + i] : s->u[i];
        sum = sum * after / (order - k + 1) + coefficient;
    }
    return sum;
}

const double *inputs_at(Simulation *s, double t) {
    if (s->ask_inputs) s->ask_inputs(s, t);
    if (s->now->input_order == 0.0) return s->u;
    for (int i = 0; i < model.nu; i++) s->u_at[i] = input_polynomial(s, i, 0, t);
    return s->u_at;
}

void input_slopes(const Simulation *s, double t, double *du) {
    for (int i = 0; i < model.nu; i++) du[i] = s->now->input_order > 0.0 ? input_polynomial(s, i, 1, t) : 0.0;
}

/* In place: the new derivative of order k needs the old ones of order k and above only. */
void move_inputs(Simulation *s, double t) {
    int orders = (int)s->now->input_order;
    for (int i = 0; i < model.nu && orders; i++) {
        s->u[i] = input_polynomial(s, i, 0, t);
        for (int k = 1; k <= orders; k++) s->u_derivatives[(k - 1) * model.nu + i] = input_polynomial(s, i, k, t);
    }
    s->now->input_time = t;
}

Point present(const Simulation *s) { return (Point){s->now->time + s->now->clock.early, s->x, s->u, s->d}; }

double tolerance_of(const Simulation *s) {
    if (s->solver[SOLVER_TOLERANCE] > 0.0) return s->solver[SOLVER_TOLERANCE];
    return s->now->tolerance > 0.0 ? s->now->tolerance : model.default_tolerance;
}
