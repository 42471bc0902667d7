/* Linearly implicit steps for stiff systems ([hairer1996] section IV.7):
 *
 *     (1 / (h gamma) - J) U_i = f(t + alpha_i h, x + sum_j a_ij U_j) + sum_j c_ij / h U_j + gamma_i h f_t,
 *     x_new = x + sum_i b_i U_i,   J = df/dx and f_t = df/dt at the beginning, exact, by directional derivatives. */
#include <math.h>
#include <string.h>

#include "methods.h"

void rosenbrock_room(Simulation *s, Arena *arena) {
    size_t nx = model.nx;
    s->jacobian = arena_doubles(arena, nx * nx);
    s->matrix = arena_doubles(arena, nx * nx);
    s->time_slope = arena_doubles(arena, nx);
    s->du = arena_doubles(arena, model.nu);
    s->dy = arena_doubles(arena, model.ny);
    s->pivots = arena_take(arena, nx, sizeof(int));
}

/* The change of f alone: what outputs do is nothing to a step. */
static int slope_along(Simulation *s, Point at, double dt, const double *dx, double *slope) {
    if (evaluate_along(&s->e, at, dt, dx, s->du, slope, s->dy)) return -1;
    return all_finite(slope, model.nx) ? 0 : fail(&s->e, "at time %.17g a derivative of the rates is not finite", at.t);
}

/* Column j of J is the change of f along x_j; f_t takes the slope of the inputs along. */
int rosenbrock_begin(Simulation *s) {
    int nx = model.nx;
    double *dx = s->x_stage, *column = s->x_between, *du = s->du, t = s->now->time;
    Point at = {t, s->x, inputs_at(s, t), s->d};
    memset(dx, 0, nx * sizeof(double));
    memset(du, 0, model.nu * sizeof(double));
    for (int j = 0; j < nx; j++) {
        dx[j] = 1.0;
        if (slope_along(s, at, 0.0, dx, column)) return -1;
        dx[j] = 0.0;
        for (int i = 0; i < nx; i++) s->jacobian[i * nx + j] = column[i];
    }
    input_slopes(s, t, du);
    return slope_along(s, at, 1.0, dx, s->time_slope);
}

/* matrix = 1 / (h gamma) - J = P L U, with partial pivoting. */
static int factor(Simulation *s, double h_gamma) {
    int nx = model.nx;
    double *A = s->matrix;
    for (int i = 0; i < nx * nx; i++) A[i] = -s->jacobian[i];
    for (int i = 0; i < nx; i++) A[i * nx + i] += 1.0 / h_gamma;
    for (int k = 0; k < nx; k++) {
        int best = k;
        for (int i = k + 1; i < nx; i++)
            if (fabs(A[i * nx + k]) > fabs(A[best * nx + k])) best = i;
        s->pivots[k] = best;
        if (!(fabs(A[best * nx + k]) > 0.0))
            return fail(&s->e, "at time %.17g the matrix of an implicit step is singular", s->now->time);
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
static void solve(const Simulation *s, double *v) {
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
    int nx = model.nx, stages = table->stages;
    if (factor(s, h * table->gamma)) return -1;
    for (int i = 0; i < stages; i++) {
        double *U = s->stages + i * nx;
        memcpy(s->x_stage, s->x, nx * sizeof(double));
        add_stages(s, 1.0, table->a + i * stages, i, s->x_stage);
        if (rates_at(s, s->now->time + table->alpha[i] * h, s->x_stage, U)) return -1;
        add_stages(s, 1.0 / h, table->c + i * stages, i, U);
        for (int k = 0; k < nx; k++) U[k] += table->gammas[i] * h * s->time_slope[k];
        solve(s, U);
    }
    memcpy(s->x_new, s->x, nx * sizeof(double));
    add_stages(s, 1.0, table->b, stages, s->x_new);
    *error = error_norm(s, s->stages + (stages - 1) * nx, s->x_new); /* stiffly accurate: the last stage is the error */
    return 0;
}
