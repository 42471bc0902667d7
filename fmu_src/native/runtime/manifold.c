#include "manifold.h"

#include <math.h>
#include <string.h>

/* Newton's method on a manifold is quadratic: more passes than this mean that it does not converge. */
#define NEWTON_LIMIT 20
/* Round-off can keep a large system from its tolerance; this much above it still counts as reached. */
#define ROUND_OFF_ALLOWANCE 1e4

static double largest(const double *values, int count) {
    double result = 0.0;
    for (int i = 0; i < count; i++) result = fabs(values[i]) > result || isnan(values[i]) ? fabs(values[i]) : result;
    return result;
}

/* max|gamma|: how far x is from the manifold. */
static double residual(Evaluation *e, const Projection *projection, Point at) {
    assemble_stage(e, &projection->solve, &e->event, at, NULL);
    return largest(e->event.gamma, projection->solve.m);
}

/* x <- finish(x, z) while the residual is above the tolerance and decreases. */
static int project_one(Evaluation *e, const Projection *projection, double t, double *x, const double *u,
                       const double *d) {
    Stage *stage = &e->event;
    double size, before = HUGE_VAL;
    for (int pass = 0;; pass++) {
        size = residual(e, projection, (Point){t, x, u, d});
        if (size <= projection->tolerance) return 0;
        if (pass && !(size < before)) { /* the last pass did no good: undo it */
            memcpy(x, e->x_old, model.nx * sizeof(double));
            size = before;
            break;
        }
        if (pass == NEWTON_LIMIT || !isfinite(size)) break;
        before = size;
        if (solve_stage(e, &projection->solve, stage, t)) return -1;
        call(e, projection->finish, (Arguments){{&t, x, u, e->k, d, stage->z, stage->multipliers, stage->carry}},
             (Results){{e->x_new}});
        memcpy(e->x_old, x, model.nx * sizeof(double));
        memcpy(x, e->x_new, model.nx * sizeof(double));
    }
    if (size <= ROUND_OFF_ALLOWANCE * projection->tolerance) return 0;
    return fail(e, "at time %.17g projection '%s' stops at residual %.3g, tolerance %.3g", t, projection->name, size,
                projection->tolerance);
}

int project(Evaluation *e, double t, double *x, const double *u, const double *d) {
    for (int i = 0; i < model.n_projections; i++)
        if (project_one(e, &model.projections[i], t, x, u, d)) return -1;
    return 0;
}

double manifold_distance(Evaluation *e, Point at) {
    double distance = 0.0;
    for (int i = 0; i < model.n_projections; i++) {
        double size = residual(e, &model.projections[i], at);
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
static int update_once(Evaluation *e, double t, double *x, const double *u, double *d, int *x_moved, int *d_moved) {
    Point at = {t, x, u, d};
    Stage *stage = &e->event;
    if (evaluate_motion(e, at, WANT_INDICATORS)) return -1;
    assemble_stage(e, &model.update_solve, stage, at, e->g);
    if (solve_stage(e, &model.update_solve, stage, t)) return -1;
    call(e, model.update, (Arguments){{&t, x, u, e->k, d, e->g, stage->z, stage->multipliers, stage->carry}},
         (Results){{e->x_new, e->d_new}});
    if (!all_finite(e->x_new, model.nx) || !all_finite(e->d_new, model.nd))
        return fail(e, "at time %.17g the update at an event is not finite", t);
    *x_moved = differ(x, e->x_new, model.nx);
    *d_moved = differ(d, e->d_new, model.nd);
    memcpy(x, e->x_new, model.nx * sizeof(double));
    memcpy(d, e->d_new, model.nd * sizeof(double));
    return 0;
}

int settle(Evaluation *e, double t, double *x, const double *u, double *d, int *changed) {
    *changed = 0;
    if (!model.update) return 0;
    for (int pass = 0; pass < model.update_limit; pass++) {
        int x_moved = 0, d_moved = 0;
        if (update_once(e, t, x, u, d, &x_moved, &d_moved)) return -1;
        if (!x_moved && !d_moved) return 0;
        if (x_moved && project(e, t, x, u, d)) return -1;
        ++*changed;
    }
    return fail(e, "at time %.17g the event iteration still changes something after %d passes", t, model.update_limit);
}

int initial_state(Evaluation *e, double t, double *x, const double *u, double *d) {
    int changed;
    call(e, model.initialize, (Arguments){{&t, x, u, e->k, d}}, (Results){{e->x_new, e->d_new}});
    memcpy(x, e->x_new, model.nx * sizeof(double));
    memcpy(d, e->d_new, model.nd * sizeof(double));
    if (!all_finite(x, model.nx) || !all_finite(d, model.nd)) return fail(e, "the initial state is not finite");
    return project(e, t, x, u, d) || settle(e, t, x, u, d, &changed) ? -1 : 0;
}

double next_time_event(Evaluation *e, Point at) {
    double time = HUGE_VAL;
    if (model.next_time) call(e, model.next_time, (Arguments){{&at.t, at.x, at.u, e->k, at.d}}, (Results){{&time}});
    return time;
}
