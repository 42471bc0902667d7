#include "manifold.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "bounds.h"

/* Index of the largest |value|, of a NaN if there is one. */
static int largest(const double *values, int count) {
    int best = 0;
    for (int i = 0; i < count; i++)
        if (fabs(values[i]) > fabs(values[best]) || isnan(values[i])) best = i;
    return best;
}

/* max|gamma|: how far x is from the manifold. `worst` (or NULL): the row it stands in. */
static double residual(Evaluation *e, const Projection *projection, Point at, int *worst) {
    call(e, projection->residual, (Arguments){{&at.t, at.x, at.u, e->k, at.d}}, (Results){{e->event.gamma}});
    int row = largest(e->event.gamma, projection->solve.m);
    if (worst) *worst = row;
    return fabs(e->event.gamma[row]);
}

/* x <- finish(x, length z) while the residual is above the tolerance. A step that did no good is undone, and half of
 * it tried: far from the manifold Newton's step may be too long. Close to it, round-off has been reached.
 * Redundant rows are independent by as much as x is off the manifold: a whole step leaves such rows out, shorter ones do not. */
static int project_one(Evaluation *e, const Projection *projection, double t, double *x, const double *u,
                       const double *d, double tolerance) {
    Stage *stage = &e->event;
    const Solve *solve = &projection->solve;
    const double reached = ROUND_OFF_ALLOWANCE * projection->tolerance;
    double before = HUGE_VAL, length = 1.0;
    int worst = 0;
    memcpy(e->x_old, x, model.nx * sizeof(double));
    for (int pass = 0; pass <= NEWTON_LIMIT; pass++) {
        int row;
        double size = residual(e, projection, (Point){t, x, u, d}, &row);
        if (size <= tolerance) return 0;
        if (size < before) {
            memcpy(e->x_old, x, model.nx * sizeof(double));
            before = size, worst = row, length = fmin(1.0, 2.0 * length);
        } else if (before <= reached || length <= SHORTEST_STEP) {
            break;
        } else {
            memcpy(x, e->x_old, model.nx * sizeof(double));
            length *= 0.5;
        }
        assemble_stage(e, solve, stage, (Point){t, x, u, d}, NULL);
        if (solve_stage(e, solve, stage, t, length == 1.0 ? size : 0.0)) {
            memcpy(x, e->x_old, model.nx * sizeof(double));
            return -1;
        }
        for (int i = 0; i < solve->n; i++) stage->z[i] *= length;
        for (int i = 0; i < solve->m; i++) stage->multipliers[i] *= length;
        call(e, projection->finish, (Arguments){{&t, x, u, e->k, d, stage->z, stage->multipliers, stage->carry}},
             (Results){{e->x_new}});
        memcpy(x, e->x_new, model.nx * sizeof(double));
    }
    memcpy(x, e->x_old, model.nx * sizeof(double));
    if (before <= reached) return 0;
    if (projection->failure)
        return fail(e, "at time %.17g %s %s", t, projection->rows[worst], projection->failure);
    return fail(e, "at time %.17g %s: no state found that satisfies them; residual %.3g (relative to the system's size)%s%s", t,
                projection->name, before, projection->rows ? ", the largest in " : "", projection->rows ? projection->rows[worst] : "");
}

int project_as(Evaluation *e, double t, double *x, const double *u, const double *d, int how) {
    for (int i = 0; i < model.n_projections; i++) {
        const Projection *projection = &model.projections[i];
        int coupling = projection->coupling;
        if (coupling && how == NOT_COUPLINGS) continue;
        if (project_one(e, projection, t, x, u, d, coupling && how == TO_ROUND_OFF ? 0.0 : projection->tolerance)) return -1;
    }
    return 0;
}

int project(Evaluation *e, double t, double *x, const double *u, const double *d) {
    return project_as(e, t, x, u, d, TO_TOLERANCE);
}

double manifold_distance(Evaluation *e, Point at) {
    double distance = 0.0;
    for (int i = 0; i < model.n_projections; i++) {
        double size = residual(e, &model.projections[i], at, NULL);
        if (!(size <= distance)) distance = size;
    }
    return distance;
}

static int differ(const double *a, const double *b, int count) {
    for (int i = 0; i < count; i++)
        if (a[i] != b[i]) return 1;
    return 0;
}

/* One pass of update; says whether x or d changed. */
static int update_once(Evaluation *e, double t, double *x, const double *u, double *d, const double *side,
                       int *x_moved, int *d_moved) {
    Point at = {t, x, u, d};
    Stage *stage = &e->event;
    if (evaluate_motion(e, at, WANT_INDICATORS)) return -1;
    for (int i = 0; i < model.ng; i++) e->g_seen[i] = side && side[i] * e->g[i] <= 0.0 ? side[i] * DBL_MIN : e->g[i];
    assemble_stage(e, &model.update_solve, stage, at, e->g_seen);
    if (solve_stage(e, &model.update_solve, stage, t, 0.0)) return -1;
    call(e, model.update, (Arguments){{&t, x, u, e->k, d, e->g_seen, stage->z, stage->multipliers, stage->carry}},
         (Results){{e->x_new, e->d_new}});
    if (!all_finite(e->x_new, model.nx) || !all_finite(e->d_new, model.nd))
        return fail(e, "at time %.17g an event leads to values that are not finite; check inputs and parameters", t);
    *x_moved = differ(x, e->x_new, model.nx);
    *d_moved = differ(d, e->d_new, model.nd);
    memcpy(x, e->x_new, model.nx * sizeof(double));
    memcpy(d, e->d_new, model.nd * sizeof(double));
    return 0;
}

int settle_once(Evaluation *e, double t, double *x, const double *u, double *d, const double *side, int *changed) {
    int x_moved = 0, d_moved = 0;
    if (model.update && update_once(e, t, x, u, d, side, &x_moved, &d_moved)) return -1;
    if (x_moved && project(e, t, x, u, d)) return -1;
    *changed = x_moved || d_moved;
    return 0;
}

int still_changes(Evaluation *e, double t) {
    return fail(e, "at time %.17g the event iteration did not converge in %d passes: some conditions keep switching each other", t, model.update_limit);
}

int settle(Evaluation *e, double t, double *x, const double *u, double *d, int *changed) {
    int more = 0;
    *changed = 0;
    for (int pass = 0; pass < model.update_limit; pass++) {
        if (settle_once(e, t, x, u, d, NULL, &more)) return -1;
        if (!more) return 0;
        ++*changed;
    }
    return still_changes(e, t);
}

int initial_state(Evaluation *e, double t, double *x, const double *u, double *d) {
    int changed;
    call(e, model.initialize, (Arguments){{&t, x, u, e->k, d}}, (Results){{e->x_new, e->d_new}});
    if (!all_finite(e->x_new, model.nx) || !all_finite(e->d_new, model.nd))
        return fail(e, "the initial state is not finite; check start values and parameters");
    memcpy(x, e->x_new, model.nx * sizeof(double));
    memcpy(d, e->d_new, model.nd * sizeof(double));
    return project(e, t, x, u, d) || settle(e, t, x, u, d, &changed) ? -1 : 0;
}

double next_time_event(Evaluation *e, Point at) {
    double time = HUGE_VAL;
    if (model.next_time) call(e, model.next_time, (Arguments){{&at.t, at.x, at.u, e->k, at.d}}, (Results){{&time}});
    return time;
}
