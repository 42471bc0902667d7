/* Linearly implicit steps for stiff systems ([hairer1996] section IV.7):
 *
 *     (1 / (h gamma) - J) U_i = f(t + alpha_i h, x + sum_j a_ij U_j) + sum_j c_ij / h U_j + gamma_i h f_t,
 *     x_new = x + sum_i b_i U_i,   J = df/dx and f_t = df/dt at the beginning, exact, by directional derivatives. */
#include <math.h>
#include <string.h>

#include "error_norm.h"
#include "methods.h"

static int entries(void) {
    const Elimination *plan = model.elimination;
    return plan ? plan->begins[plan->n] : model.nx * model.nx;
}

void rosenbrock_room(Simulation *s, Arena *arena) {
    size_t nx = model.nx;
    s->jacobian = arena_doubles(arena, entries());
    s->matrix = arena_doubles(arena, entries());
    s->time_slope = arena_doubles(arena, nx);
    s->du = arena_doubles(arena, model.nu);
    s->dy = arena_doubles(arena, model.ny);
    s->pivots = arena_take(arena, nx, sizeof(int));
}

/* The change of f alone: what outputs do is nothing to a step. */
static int slope_along(Simulation *s, double dt, const double *dx, double *slope) {
    double t = s->now->time;
    Point at = {t, s->x, inputs_at(s, t), s->d};
    if (evaluate_along(&s->e, at, dt, dx, s->du, slope, s->dy)) return -1;
    return all_finite(slope, model.nx) ? 0 : fail(&s->e, "at time %.17g a partial derivative of the rates is not finite; check inputs and parameters", t);
}

/* Column j of J is the change of f along x_j. */
static int full_jacobian(Simulation *s, double *dx, double *column) {
    int nx = model.nx;
    for (int j = 0; j < nx; j++) {
        dx[j] = 1.0;
        if (slope_along(s, 0.0, dx, column)) return -1;
        dx[j] = 0.0;
        for (int i = 0; i < nx; i++) s->jacobian[i * nx + j] = column[i];
    }
    return 0;
}

/* Columns of one colour reach different rows: the change of f along all of them has their entries side by side. */
static int sparse_jacobian(Simulation *s, const Elimination *plan, double *dx, double *slope) {
    memset(s->jacobian, 0, entries() * sizeof(double));
    for (int colour = 0; colour < plan->n_colours; colour++) {
        int first = plan->colours[colour], end = plan->colours[colour + 1];
        for (int j = first; j < end; j++) dx[plan->order[plan->seeds[j]]] = 1.0;
        if (slope_along(s, 0.0, dx, slope)) return -1;
        for (int j = first; j < end; j++) dx[plan->order[plan->seeds[j]]] = 0.0;
        for (int e = plan->reached[first]; e < plan->reached[end]; e++)
            s->jacobian[plan->entries[e]] = slope[plan->states[e]];
    }
    return 0;
}

/* J as a function of its own. */
static int written_jacobian(Simulation *s) {
    double t = s->now->time;
    Point at = {t, s->x, inputs_at(s, t), s->d};
    if (evaluate_motion(&s->e, at, 0)) return -1;
    const Stage *stage = &s->e.motion;
    call(&s->e, model.jacobian, (Arguments){{&t, at.x, at.u, s->e.k, at.d, stage->z, stage->multipliers, stage->carry}},
         (Results){{s->jacobian}});
    return all_finite(s->jacobian, entries()) ? 0 : fail(&s->e, "at time %.17g a partial derivative of the rates is not finite; check inputs and parameters", t);
}

static int find_jacobian(Simulation *s, double *dx, double *slope) {
    if (model.jacobian) return written_jacobian(s);
    return model.elimination ? sparse_jacobian(s, model.elimination, dx, slope) : full_jacobian(s, dx, slope);
}

/* f_t takes the slope of the inputs along. */
int rosenbrock_begin(Simulation *s) {
    double *dx = s->x_stage, *slope = s->x_between;
    memset(dx, 0, model.nx * sizeof(double));
    memset(s->du, 0, model.nu * sizeof(double));
    if (find_jacobian(s, dx, slope)) return -1;
    input_slopes(s, s->now->time, s->du);
    if (slope_along(s, 1.0, dx, s->time_slope)) return -1;
    memset(s->du, 0, model.nu * sizeof(double));
    return 0;
}

static int refuse_singular(Simulation *s) {
    return fail(&s->e, "at time %.17g the matrix of an implicit step is singular; try another solver.method", s->now->time);
}

/* matrix = 1 / (h gamma) - J = L U of the states that others depend on. Rows are not exchanged: where that would be needed, a
 * shorter step is tried, to which the diagonal is more. */
static int factor_sparse(Simulation *s, const Elimination *plan, double h_gamma) {
    for (int e = 0; e < entries(); e++) s->matrix[e] = -s->jacobian[e];
    for (int i = 0; i < plan->n; i++) s->matrix[plan->diagonals[i]] += 1.0 / h_gamma;
    return eliminate(plan, s->matrix, s->x_between) ? refuse_singular(s) : 0;
}

/* v := matrix^-1 v. What nothing depends on follows from the others:  U = h gamma (v + its change along them). */
static int solve_sparse(Simulation *s, const Elimination *plan, double h_gamma, double *v) {
    double *dx = s->x_stage, *slope = s->x_between;
    substitute(plan, s->matrix, v, slope);
    if (!plan->n_followers) return 0;
    memcpy(dx, v, model.nx * sizeof(double));
    for (int i = 0; i < plan->n_followers; i++) dx[plan->followers[i]] = 0.0;
    if (slope_along(s, 0.0, dx, slope)) return -1;
    for (int i = 0; i < plan->n_followers; i++) {
        int q = plan->followers[i];
        v[q] = h_gamma * (v[q] + slope[q]);
    }
    return 0;
}

/* matrix = 1 / (h gamma) - J = P L U, with partial pivoting. */
static int factor_full(Simulation *s, double h_gamma) {
    int nx = model.nx;
    double *A = s->matrix;
    for (int i = 0; i < nx * nx; i++) A[i] = -s->jacobian[i];
    for (int i = 0; i < nx; i++) A[i * nx + i] += 1.0 / h_gamma;
    for (int k = 0; k < nx; k++) {
        int best = k;
        for (int i = k + 1; i < nx; i++)
            if (fabs(A[i * nx + k]) > fabs(A[best * nx + k])) best = i;
        s->pivots[k] = best;
        if (!(fabs(A[best * nx + k]) > 0.0)) return refuse_singular(s);
        for (int j = 0; j < nx && best != k; j++) {
            double swap = A[k * nx + j];
            A[k * nx + j] = A[best * nx + j], A[best * nx + j] = swap;
        }
        for (int i = k + 1; i < nx; i++) {
            double multiple = A[i * nx + k] /= A[k * nx + k];
            for (int j = k + 1; multiple != 0.0 && j < nx; j++) A[i * nx + j] -= multiple * A[k * nx + j];
        }
    }
    return 0;
}

/* v := matrix^-1 v */
static void solve_full(const Simulation *s, double *v) {
    int nx = model.nx;
    const double *A = s->matrix;
    for (int k = 0; k < nx; k++) {
        double swap = v[s->pivots[k]];
        v[s->pivots[k]] = v[k], v[k] = swap;
    }
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < i; j++) v[i] -= A[i * nx + j] * v[j];
    for (int i = nx - 1; i >= 0; i--) {
        for (int j = i + 1; j < nx; j++) v[i] -= A[i * nx + j] * v[j];
        v[i] /= A[i * nx + i];
    }
}

/* result += factor sum_j weights_j U_j */
static void add_stages(const Simulation *s, double factor, const double *weights, int count, double *result) {
    for (int j = 0; j < count; j++)
        for (int i = 0; i < model.nx && weights[j] != 0.0; i++)
            result[i] += factor * weights[j] * s->stages[j * model.nx + i];
}

int rosenbrock_step(Simulation *s, double h, double *error) {
    const Rosenbrock *table = method_of(s)->rosenbrock;
    const Elimination *plan = model.elimination;
    int nx = model.nx, stages = table->stages;
    double h_gamma = h * table->gamma;
    if (plan ? factor_sparse(s, plan, h_gamma) : factor_full(s, h_gamma)) return -1;
    for (int i = 0; i < stages; i++) {
        double *U = s->stages + i * nx;
        memcpy(s->x_stage, s->x, nx * sizeof(double));
        add_stages(s, 1.0, table->a + i * stages, i, s->x_stage);
        if (rates_at(s, s->now->time + table->alpha[i] * h, s->x_stage, U)) return -1;
        add_stages(s, 1.0 / h, table->c + i * stages, i, U);
        for (int k = 0; k < nx; k++) U[k] += table->gammas[i] * h * s->time_slope[k];
        if (!plan) solve_full(s, U);
        else if (solve_sparse(s, plan, h_gamma, U)) return -1;
    }
    memcpy(s->x_new, s->x, nx * sizeof(double));
    add_stages(s, 1.0, table->b, stages, s->x_new);
    if (method_of(s)->order > 0.0)
        *error = error_norm(s, s->stages + (stages - 1) * nx, s->x_new); /* stiffly accurate: the last stage is the error */
    return 0;
}
