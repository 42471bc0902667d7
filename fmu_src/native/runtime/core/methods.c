#include "methods.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "error_norm.h"
#include "stiffness.h"
#include "tableau.h"

static const MethodSet *set_of(const Simulation *s) { return &methods[(int)s->solver[SOLVER_METHOD] - 1]; }

/* The method in force: that of solver.method, or where the model is stiff the one that replaces it. */
static const MethodSet *in_force(const Simulation *s) {
    const MethodSet *set = set_of(s);
    return set->stiff >= 0 && s->now->choice.implicit != 0.0 ? &methods[set->stiff] : set;
}

int is_bounded(const Simulation *s) { return set_of(s)->bounded; }

int is_automatic(const Simulation *s) { return set_of(s)->stiff >= 0; }

int may_be_implicit(const Simulation *s) { return is_automatic(s) || set_of(s)->list->rosenbrock; }

int orders_of(const Simulation *s) { return in_force(s)->orders; }

const Method *method_of(const Simulation *s) { return in_force(s)->list + s->order; }

const Explicit *pair_of(const Simulation *s, int order) { return in_force(s)->list[order].runge_kutta; }

int has_dense_output(const Simulation *s) {
    const Explicit *tableau = method_of(s)->runge_kutta;
    return tableau && tableau->dense_rows > 0;
}

double order_of(const Simulation *s) { return s->first ? method_of(s)->first_order : method_of(s)->order; }

void method_room(Simulation *s, Arena *arena) {
    s->f_start = arena_doubles(arena, model.nx);
    s->f_end = arena_doubles(arena, model.nx);
    s->stages = arena_doubles(arena, (size_t)MOST_STAGES * model.nx);
    s->x_stage = arena_doubles(arena, model.nx);
    s->x_new = arena_doubles(arena, model.nx);
    s->d_new = arena_doubles(arena, model.nd);
    s->x_between = arena_doubles(arena, model.nx);
    s->x_met = arena_doubles(arena, model.ng ? model.nx : 0);
    s->f_met = arena_doubles(arena, model.ng ? model.nx : 0);
    s->side_before = arena_doubles(arena, model.ng);
    s->margins = arena_doubles(arena, (size_t)4 * model.ng);
    error_norm_room(s, arena);
}

int rates_at(Simulation *s, double t, const double *x, double *f) {
    if (evaluate_motion(&s->e, (Point){t, x, inputs_at(s, t), s->d}, WANT_RATES)) return -1;
    memcpy(f, s->e.x_dot, model.nx * sizeof(double));
    return 0;
}

int begin_step(Simulation *s) {
    s->first = !(s->now->step[0] > 0.0);
    s->order = 0;
    if (model.nx == 0) return 0;
    note_motion(s);
    if (s->f_end_known) memcpy(s->f_start, s->f_end, model.nx * sizeof(double));
    else if (rates_at(s, s->now->time, s->x, s->f_start)) return -1;
    s->f_end_known = 0;
    const Method *method = method_of(s);
    return method->begin ? method->begin(s) : 0;
}

/* Rows of the interpolant ([hairer1993] section II.6): three make the cubic polynomial through x, f and x_new, f_new;
 * a Runge-Kutta method may have more. */
int dense_prepare(Simulation *s, double h) {
    int nx = model.nx;
    if (nx == 0) return 0;
    if (rates_at(s, s->now->time + h, s->x_new, s->f_end)) return -1;
    s->f_end_known = 1;
    for (int i = 0; i < nx; i++) {
        double move = s->x_new[i] - s->x[i];
        s->dense[i] = move;
        s->dense[nx + i] = h * s->f_start[i] - move;
        s->dense[2 * nx + i] = 2.0 * move - h * (s->f_end[i] + s->f_start[i]);
    }
    return method_of(s)->runge_kutta ? runge_kutta_dense(s, h) : 0;
}

/* x + q (F0 + (1 - q) (F1 + q (F2 + (1 - q) (F3 + ..)))) with q = share of the step */
void dense_at(Simulation *s, const double *from, double share) {
    const Explicit *tableau = method_of(s)->runge_kutta;
    int rows = 3 + (tableau ? tableau->dense_rows : 0);
    double *restrict sum = s->x_between;
    for (int i = 0; i < model.nx; i++) sum[i] = 0.0;
    for (int row = rows - 1; row >= 0; row--) {
        const double *added = s->dense + row * model.nx, factor = row % 2 ? 1.0 - share : share;
        for (int i = 0; i < model.nx; i++) sum[i] = (sum[i] + added[i]) * factor;
    }
    for (int i = 0; i < model.nx; i++) sum[i] = from[i] + sum[i];
}

/* Largest factor of a row within the step: q^a (1 - q)^b, in all row + 1 of them, is largest at q = a / (row + 1). */
static double largest_factor(int row) {
    double q = (row / 2 + 1) / (row + 1.0);
    return pow(q, row / 2 + 1) * pow(1.0 - q, (row + 1) / 2);
}

/* What the last row adds, mostly some seven times the error. A motion that has died out may end a long step well and run wild
 * within it. */
double dense_error(const Simulation *s) {
    int last = 2 + method_of(s)->runge_kutta->dense_rows;
    return largest_factor(last) * error_norm(s, s->dense + last * model.nx, s->x_new);
}

void dense_end(Simulation *s, double h) {
    const double *move = s->dense, *first = move + model.nx, *second = first + model.nx;
    for (int i = 0; i < model.nx; i++) s->f_end[i] = (move[i] - first[i] - second[i]) / h;
    s->f_end_known = 1;
}
