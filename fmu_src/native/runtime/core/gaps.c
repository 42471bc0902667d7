#include "gaps.h"

#include <math.h>
#include <string.h>

#include "bounds.h"
#include "manifold.h"
#include "methods.h"
#include "rows_seen.h"

void gaps_room(Simulation *s, Arena *arena) {
    size_t n = model.speeds ? model.motion.n : 0, nx = n ? model.nx : 0;
    s->duals = arena_doubles(arena, n * model.motion.m);
    s->row = arena_doubles(arena, n);
    s->x_here = arena_doubles(arena, nx);
    s->x_on = arena_doubles(arena, nx);
    s->along = arena_doubles(arena, nx);
    s->x_nodes = arena_doubles(arena, NODES * nx);
}

int in_gap(const Simulation *s) { return model.speeds && s->gap[GAP_COUNT] > 0.0; }

/* Hosts of a model exchange drift off the manifolds, where redundant rows are independent by as much: rows are seen on them. */
int see_here(Simulation *s, double t, const double *x, int rank) {
    const double *u = inputs_at(s, t);
    if (s->now->exchange != 0.0) {
        memcpy(s->x_on, x, model.nx * sizeof(double));
        if (!project(&s->e, t, s->x_on, u, s->d)) x = s->x_on;
    }
    return see_rows(&s->e, (Point){t, x, u, s->d}, rank);
}

static void keep_duals(Simulation *s) {
    s->owner_before = owner_seen(&s->e, -1);
    for (int i = 0; i < s->e.seen.rank; i++) dual_seen(&s->e, i, s->duals + i * model.motion.n);
}

/* The rows at a point are those that later ones are compared with. */
int see_before(Simulation *s, double t, const double *x) {
    int m = model.motion.m;
    if (see_here(s, t, x, -1)) return -1;
    s->before_known = 1, s->rank_before = s->e.seen.rank;
    memcpy(s->u_before, s->e.seen.u, (size_t)m * m * sizeof(double));
    keep_duals(s);
    return 0;
}

static double dot(const double *a, const double *b, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

/* c with c B = the unit row k, B (n, n) row-major, by elimination with pivoting; B is used up. */
static int solve_left(double *B, int n, int k, double *c) {
    for (int i = 0; i < n; i++) c[i] = i == k;
    for (int j = 0; j < n; j++) { /* columns of B are the equations */
        int best = j;
        for (int i = j + 1; i < n; i++)
            if (fabs(B[j * n + i]) > fabs(B[j * n + best])) best = i;
        if (B[j * n + best] == 0.0) return -1;
        for (int i = 0; i < n; i++) {
            double other = B[i * n + j];
            B[i * n + j] = B[i * n + best], B[i * n + best] = other;
        }
        double right = c[j];
        c[j] = c[best], c[best] = right;
        for (int i = j + 1; i < n; i++) {
            double factor = B[j * n + i] / B[j * n + j];
            for (int l = j; l < n; l++) B[l * n + i] -= factor * B[l * n + j];
            c[i] -= factor * c[j];
        }
    }
    for (int j = n - 1; j >= 0; j--) {
        for (int l = j + 1; l < n; l++) c[j] -= B[l * n + j] * c[l];
        c[j] /= B[j * n + j];
    }
    return 0;
}

/* Node i of the gap, from the rows seen last at (t, x): the rows that the weak duals of its beginning feel by 1, and the other duals not. */
static int note_node(Simulation *s, int i, double t, const double *x, int rank, int count) {
    Evaluation *e = &s->e;
    int n = model.motion.n;
    double *B = s->turned, *c = B + rank * rank;
    s->gap[GAP_TIMES + i] = t;
    for (int k = 0; k < count; k++) {
        double *node = s->gap + GAP_TIMES + NODES + ((size_t)i * most_weak() + k) * (n + 1);
        for (int p = 0; p < rank; p++) {
            row_seen(e, p, s->row);
            for (int q = 0; q < rank; q++) B[p * rank + q] = dot(s->row, s->duals + q * n, n);
        }
        if (solve_left(B, rank, rank - count + k, c))
            return fail(e, "at time %.17g the linkage of %s turns too fast at a change point; use a smaller tolerance", t, s->owner_before);
        memset(node, 0, (n + 1) * sizeof(double));
        for (int p = 0; p < rank; p++) {
            row_seen(e, p, s->row);
            for (int j = 0; j < n; j++) node[j] += c[p] * s->row[j];
        }
        for (int j = 0; j < n; j++) node[n] += node[j] * loop_speed(x, j);
    }
    return 0;
}

/* One step back from the present by a length, and onto the manifolds. */
static int step_back(Simulation *s, double length) {
    double error, t = s->now->time - length;
    s->f_end_known = 0;
    if (begin_step(s) || method_of(s)->step(s, -length, &error)) return -1;
    if (project_as(&s->e, t, s->x_new, inputs_at(s, t), s->d, TO_ROUND_OFF)) return -1;
    memcpy(s->x, s->x_new, model.nx * sizeof(double));
    s->now->time = t;
    return 0;
}

/* Of the rows seen last: how many are weak; -1: more than there is room for. */
static int count_weak(Simulation *s, double t) {
    Evaluation *e = &s->e;
    int count = 0;
    for (int i = 0; i < e->seen.rank; i++) count += e->seen.s[i] < WEAK * e->seen.s[0];
    if (count <= most_weak()) return count;
    return fail(e, "at time %.17g the linkage of %s is at a change point where it loses %d conditions; at most %d are supported", t,
                s->owner_before, count, most_weak());
}

int enter_gap(Simulation *s, double length) {
    Evaluation *e = &s->e;
    double t = s->now->time;
    if (see_here(s, t, s->x, s->rank_before)) return -1;
    int rank = e->seen.rank, count = count_weak(s, t), failed = 0;
    if (count < 0) return -1;
    memcpy(s->x_here, s->x, model.nx * sizeof(double));
    for (int i = 0; i < NODES && !failed; i++) {
        failed = i && step_back(s, length);
        failed = failed || (i && see_here(s, s->now->time, s->x, rank)) || note_node(s, i, s->now->time, s->x, rank, count);
    }
    memcpy(s->x, s->x_here, model.nx * sizeof(double));
    s->now->time = t;
    forget_points(e);
    s->f_end_known = 0;
    if (failed) return -1;
    s->gap[GAP_RANK] = rank, s->gap[GAP_COUNT] = count, s->gap[GAP_UNTIL] = t + length;
    return begin_step(s);
}

/* ---- starts at change points */

static const double around[NODES] = {1.0, -1.0, 2.0, -2.0, 3.0, -3.0}; /* instants of a start's gap, in lengths of it */

/* |v| of what stands in the places of speeds. */
static double speed_of(const double *x) {
    double sum = 0.0;
    for (int j = 0; j < model.motion.n; j++) sum += loop_speed(x, j) * loop_speed(x, j);
    return sqrt(sum);
}

/* x_new: the start led on along its rates, or by a step of the motion, for a time; on the manifolds. */
static int led_on(Simulation *s, double time, int by_step) {
    double error, t = s->now->time + time;
    if (by_step && method_of(s)->step(s, time, &error)) return -1;
    for (int i = 0; i < model.nx && !by_step; i++) s->x_new[i] = s->x[i] + time * s->along[i];
    return project_as(&s->e, t, s->x_new, inputs_at(s, t), s->d, TO_ROUND_OFF);
}

/* The length of the gap of a start at a change point, and in *rank how many rows there are beside it; 0: it is not at one. */
static double start_length(Simulation *s, int *rank) {
    Evaluation *e = &s->e;
    int rank_here = s->rank_before;
    double weak_here = weakest_seen(e), length = PROBE / speed_of(s->x);
    for (int i = 0; i < 2; i++) {
        if (led_on(s, length, 0) || see_here(s, s->now->time + length, s->x_new, -1)) return 0.0; /* a guard looks at the steps */
        *rank = e->seen.rank;
        if (*rank <= rank_here && weak_here >= AT_START * GAP_BEGINS) return 0.0;
        length *= GAP_BEGINS / weakest_seen(e);
    }
    return length;
}

/* A gap through the rows on both sides of the start: where it is led on to. */
static int gap_around(Simulation *s, double length, int rank, int by_step) {
    Evaluation *e = &s->e;
    double t = s->now->time;
    int count = 0;
    for (int i = 0; i < NODES; i++) {
        if (led_on(s, around[i] * length, by_step)) return -1;
        memcpy(s->x_nodes + (size_t)i * model.nx, s->x_new, model.nx * sizeof(double));
    }
    for (int i = 0; i < NODES; i++) {
        const double *x = s->x_nodes + (size_t)i * model.nx;
        if (see_here(s, t + around[i] * length, x, rank)) return -1;
        if (i == 0) {
            keep_duals(s);
            if ((count = count_weak(s, t)) < 0) return -1;
        }
        if (note_node(s, i, t + around[i] * length, x, rank, count)) return -1;
    }
    s->gap[GAP_RANK] = rank, s->gap[GAP_COUNT] = count, s->gap[GAP_UNTIL] = t + length;
    forget_points(e);
    s->f_end_known = 0;
    return begin_step(s);
}

/* The weakness of rows at the first node, as solves of the motion see them outside of gaps: where the gap ends. */
static int weakness_behind(Simulation *s, double length) {
    Evaluation *e = &s->e;
    double t = s->now->time + length, count = s->gap[GAP_COUNT];
    s->gap[GAP_COUNT] = 0.0;
    forget_points(e);
    int failed = evaluate_motion(e, (Point){t, s->x_nodes, inputs_at(s, t), s->d}, WANT_RATES);
    s->least = saddle_weakest(&e->motion.saddle), s->most = s->least * NEAR / GAP_BEGINS;
    s->gap[GAP_COUNT] = count;
    forget_points(e);
    return failed ? -1 : begin_step(s);
}

int starts_in_gap(Simulation *s) {
    Evaluation *e = &s->e;
    double t = s->now->time, speed = speed_of(s->x), length, shortest;
    int rank = 0;
    if (in_gap(s)) forget_points(e);
    memset(s->gap, 0, gap_length() * sizeof(double));
    s->order = 0, s->f_end_known = 0;
    if (!(speed > 0.0)) return 0;
    if (see_before(s, t, s->x) || begin_step(s)) return -1;
    memcpy(s->along, s->f_start, model.nx * sizeof(double));
    for (int j = 0; j < model.motion.n; j++)
        if (model.speeds[j] >= 0) s->along[model.speeds[j]] = 0.0;
    length = start_length(s, &rank), shortest = LEAST_ENTRY / GAP_BEGINS * length;
    if (length == 0.0) return 0;
    for (int pass = 0; pass < START_PASSES; pass++) {
        if (gap_around(s, length, rank, pass > 0)) return -1;
        double turning = speed_of(s->f_start);
        if (pass == 0) length = fmin(length, fmax(SLOW * speed / fmax(turning, TINY), shortest)); /* a slow one has a shorter gap */
        if (turning * length > MOST_TURNED * speed)
            return fail(e, "at time %.17g the linkage of %s is almost at rest at a change point, where its couplings do not determine how it continues; start it faster, or elsewhere", t,
                        s->owner_before);
    }
    if (gap_miss(s->gap, t, s->x) > OFF_BRANCH)
        return fail(e, "at time %.17g the linkage of %s starts at a change point with rates that fit none of its branches; change its initial rates", t, s->owner_before);
    return weakness_behind(s, length) ? -1 : 1;
}
