/* Directional derivatives of the motion, through its solve. */
#include <string.h>

#include "evaluate.h"

/* result += sign * A v, or with A' when `transposed`; A (rows, columns) row-major. */
static void add_product(double *result, double sign, const double *A, int rows, int columns, int transposed,
                        const double *v) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            double a = sign * A[i * columns + j];
            if (transposed) result[j] += a * v[i];
            else result[i] += a * v[j];
        }
}

/* The derivative of the solve:  M dz - G' dmultipliers = df - dM z + dG' multipliers,  G dz = dgamma - dG z.
 * Redundant rows: multipliers of least norm lie in the range of G, multipliers = G s, so their change has a
 * part dG s outside of it as well. */
static void solve_along(Evaluation *e, Point at, double dt, const double *dx, const double *du) {
    Stage *stage = &e->motion, *change = &e->change;
    int n = model.motion.n, m = model.motion.m;
    call(e, model.motion_along, (Arguments){{&at.t, at.x, at.u, e->k, at.d, &dt, dx, du}},
         (Results){{change->M, change->G, change->f, change->gamma, change->carry}});
    add_product(change->f, -1.0, change->M, n, n, 0, stage->z);
    add_product(change->f, 1.0, change->G, m, n, 1, stage->multipliers);
    add_product(change->gamma, -1.0, change->G, m, n, 0, stage->z);
    stiffen_right(&model.motion, stage->G, change->gamma, change->f);
    saddle_solve(&stage->saddle, change->f, change->gamma, change->z, change->multipliers);
    if (stage->saddle.rank == m) return;

    double *s = change->f, *unused = change->gamma, *outside = change->saddle.v;
    memset(s, 0, n * sizeof(double));
    saddle_solve(&stage->saddle, s, stage->multipliers, s, unused);
    memset(outside, 0, m * sizeof(double));
    add_product(outside, 1.0, change->G, m, n, 0, s);
    saddle_unfelt(&stage->saddle, outside);
    for (int i = 0; i < m; i++) change->multipliers[i] += outside[i];
}

int evaluate_along(Evaluation *e, Point at, double dt, const double *dx, const double *du, double *dx_dot, double *dy) {
    if (evaluate_motion(e, at, 0)) return -1;
    e->directions++;
    if (model.motion_along) {
        if (motion_factors(e, at)) return -1;
        solve_along(e, at, dt, dx, du);
    }
    const Stage *stage = &e->motion, *change = &e->change;
    call(e, model.along,
         (Arguments){{&at.t, at.x, at.u, e->k, at.d, stage->z, stage->multipliers, stage->carry, &dt, dx, du, change->z,
                      change->multipliers, change->carry}},
         (Results){{dx_dot, dy}});
    return 0;
}
