#include "change_points.h"

#include <math.h>
#include <string.h>

#include "bounds.h"
#include "manifold.h"
#include "methods.h"
#include "rows_seen.h"

void change_points_room(Simulation *s, Arena *arena) {
    int n = model.speeds ? model.motion.n : 0, m = model.speeds ? model.motion.m : 0;
    s->u_before = arena_doubles(arena, (size_t)m * m);
    s->duals = arena_doubles(arena, (size_t)m * n);
    s->row = arena_doubles(arena, n);
    s->turned = arena_doubles(arena, (size_t)3 * m * m);
    s->x_here = arena_doubles(arena, n ? model.nx : 0);
    double **rows[] = {&s->outlook.weakness, &s->outlook.falls, &s->outlook.times, &s->outlook.turning};
    for (int i = 0; i < 4; i++) *rows[i] = arena_doubles(arena, m);
}

int in_gap(const Simulation *s) { return model.speeds && s->gap[GAP_COUNT] > 0.0; }

/* Hosts of a model exchange drift off the manifolds, where redundant rows are independent by as much. */
static int see(Simulation *s, double t, const double *x, int rank) {
    Point at = {t, x, inputs_at(s, t), s->d};
    RowsSeen *seen = &s->e.seen;
    if (see_rows(&s->e, at, rank)) return -1;
    if (rank >= 0 || s->now->exchange == 0.0) return 0;
    double least = BLUR * manifold_distance(&s->e, at);
    while (seen->rank && seen->s[seen->rank - 1] <= least * seen->s[0]) seen->rank--;
    return 0;
}

/* The rows at a point are those that later ones are compared with. */
static int see_before(Simulation *s, double t, const double *x) {
    int n = model.motion.n, m = model.motion.m;
    if (see(s, t, x, -1)) return -1;
    s->before_known = 1, s->rank_before = s->e.seen.rank, s->owner_before = owner_seen(&s->e, -1);
    memcpy(s->u_before, s->e.seen.u, (size_t)m * m * sizeof(double));
    for (int i = 0; i < s->rank_before; i++) dual_seen(&s->e, i, s->duals + i * n);
    return 0;
}

/* The owner of a row at the present. */
static const char *owner_of(Simulation *s, int i) {
    return see(s, s->now->time, s->x, s->rank_before) ? s->owner_before : owner_seen(&s->e, i);
}

static double dot(const double *a, const double *b, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

/* Is the symmetric part of A (n, n) larger than `least`, in every direction? Cholesky's factors exist if it is. */
static int larger_than(double *A, int n, double least) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) A[i * n + j] = 0.5 * (A[i * n + j] + A[j * n + i]) - (i == j ? least : 0.0);
    for (int j = 0; j < n; j++) {
        double pivot = A[j * n + j] - dot(A + j * n, A + j * n, j);
        if (!(pivot > 0.0)) return 0;
        A[j * n + j] = sqrt(pivot);
        for (int i = j + 1; i < n; i++) A[i * n + j] = (A[i * n + j] - dot(A + i * n, A + j * n, j)) / A[j * n + j];
    }
    return 1;
}

/* Are the rows seen last those of before, moved on? Where a singular value has changed its sign, U' U_before and V V_before turn apart. */
static int follows(Simulation *s) {
    Evaluation *e = &s->e;
    int n = model.motion.n, m = model.motion.m, rank = e->seen.rank;
    double *C = s->turned, *D = C + m * m, *A = D + m * m;
    if (rank != s->rank_before) return 0;
    for (int i = 0; i < rank; i++) {
        row_seen(e, i, s->row);
        for (int j = 0; j < rank; j++) {
            C[i * rank + j] = dot(e->seen.u + i * m, s->u_before + j * m, m);
            D[i * rank + j] = dot(s->row, s->duals + j * n, n);
        }
    }
    for (int i = 0; i < rank; i++)
        for (int j = 0; j < rank; j++) A[i * rank + j] = dot(C + i * rank, D + j * rank, rank);
    return larger_than(A, rank, CROSSED);
}

/* Of each row seen at the present, in s->outlook: its singular value relative to the largest, how fast that falls, the time until it is
 * zero, and the share of its speeds that a second changes. The row whose time is the least; -1: none falls, -2: failure. */
static int look_out(Simulation *s) {
    Evaluation *e = &s->e;
    Outlook *o = &s->outlook;
    int rank = e->seen.rank, first = -1;
    double t = s->now->time, most = 0.0;
    for (int i = 0; i < rank; i++) {
        double speed = 0.0, change = 0.0;
        row_seen(e, i, s->row);
        for (int j = 0; j < model.motion.n; j++) {
            double v = s->x[model.speeds[j]], a = s->f_start[model.speeds[j]];
            if (s->row[j] != 0.0) speed += v * v, change += a * a;
        }
        most = fmax(most, sqrt(speed));
        o->weakness[i] = e->seen.s[i] / e->seen.s[0], o->turning[i] = sqrt(change) / fmax(sqrt(speed), TINY);
    }
    if (most == 0.0) return -1;
    double shift = SMALL_SHIFT / most;
    for (int i = 0; i < model.nx; i++) s->x_here[i] = s->x[i] + shift * s->f_start[i];
    if (see(s, t + shift, s->x_here, rank)) return -2;
    for (int i = 0; i < rank; i++) {
        o->falls[i] = (o->weakness[i] - e->seen.s[i] / e->seen.s[0]) / shift;
        o->times[i] = o->falls[i] > 0.0 ? o->weakness[i] / fmax(o->falls[i], TINY) : HUGE_VAL;
        if (o->times[i] < HUGE_VAL && (first < 0 || o->times[i] < o->times[first])) first = i;
    }
    return first;
}

/* Whether a gap may begin for row i: short to what its motion turns by, to the time since the last one, and to how others fall that
 * reach zero beside it. */
static int may_enter(const Simulation *s, int i) {
    const Outlook *o = &s->outlook;
    double length = 2.0 * o->times[i], passed = s->gap[GAP_RANK] > 0.0 ? s->now->time - s->gap[GAP_UNTIL] : HUGE_VAL;
    for (int j = 0; j < s->rank_before; j++)
        if (o->times[j] < BESIDE * length && !(o->falls[j] * length <= TRAVEL * ENTRY)) return 0;
    return length * o->turning[i] < SLOW && (NODES - 1) * length <= passed;
}

/* The length of a gap, at least: no row is close to zero at its end. */
static double clear_length(const Simulation *s, double length) {
    for (int again = 1; again;) {
        double next = HUGE_VAL;
        for (int j = 0; j < s->rank_before; j++) {
            double time = s->outlook.times[j];
            if (length / CLEAR_OF_ZERO < time && time < CLEAR_OF_ZERO * length) next = fmin(next, time);
        }
        again = next < HUGE_VAL;
        if (again) length = 2.0 * next;
    }
    return length;
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
            return fail(e, "at time %.17g the linkage of %s turns too fast at a change point", t, s->owner_before);
        memset(node, 0, (n + 1) * sizeof(double));
        for (int p = 0; p < rank; p++) {
            row_seen(e, p, s->row);
            for (int j = 0; j < n; j++) node[j] += c[p] * s->row[j];
        }
        for (int j = 0; j < n; j++) node[n] += node[j] * x[model.speeds[j]];
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

/* A gap of a length from the present: its rows here and at instants before, a length apart. */
static int enter_gap(Simulation *s, double length) {
    Evaluation *e = &s->e;
    double t = s->now->time;
    if (see(s, t, s->x, s->rank_before)) return -1;
    int rank = e->seen.rank, count = 0, failed = 0;
    for (int i = 0; i < rank; i++) count += e->seen.s[i] < WEAK * e->seen.s[0];
    if (count > most_weak())
        return fail(e, "at time %.17g the linkage of %s is at a change point at which it loses %d conditions, expected at most %d", t,
                    s->owner_before, count, most_weak());
    memcpy(s->x_here, s->x, model.nx * sizeof(double));
    for (int i = 0; i < NODES && !failed; i++) {
        failed = i && step_back(s, length);
        failed = failed || (i && see(s, s->now->time, s->x, rank)) || note_node(s, i, s->now->time, s->x, rank, count);
    }
    memcpy(s->x, s->x_here, model.nx * sizeof(double));
    s->now->time = t;
    forget_points(e);
    s->f_end_known = 0;
    if (failed) return -1;
    s->gap[GAP_RANK] = rank, s->gap[GAP_COUNT] = count, s->gap[GAP_UNTIL] = t + length;
    return begin_step(s);
}

int bound_step(Simulation *s, double *bound) {
    Evaluation *e = &s->e;
    Scalars *now = s->now;
    double here;
    *bound = HUGE_VAL;
    s->before_known = 0, s->near = 0;
    if (!model.speeds) return 0;
    if (in_gap(s)) {
        *bound = s->gap[GAP_UNTIL];
        return 0;
    }
    if (now->weak_most > 0.0 && now->weak_last >= DIP * now->weak_most) return 0;
    if (see_before(s, now->time, s->x)) return -1;
    here = weakest_seen(e);
    if (!(now->weak_most > 0.0)) {
        double own = saddle_weakest(&e->motion.saddle); /* of the rates at the present, or close to it */
        now->weak_most = own * fmax(1.0, NEAR / fmax(here, ENTRY)), now->weak_last = own;
    }
    s->near = here < NEAR;
    if (s->near) now->weak_near = 1.0;
    int i = look_out(s);
    if (i < 0) return i == -1 ? 0 : -1;
    double left = s->outlook.times[i], sigma = s->outlook.weakness[i], turned = left * s->outlook.turning[i];
    if (sigma > NEAR) {
        *bound = now->time + left * (1.0 - APPROACH * NEAR / sigma);
        return 0;
    }
    if (sigma <= 1.1 * ENTRY && may_enter(s, i)) {
        if (enter_gap(s, clear_length(s, 2.0 * left))) return -1;
        *bound = s->gap[GAP_UNTIL];
        return 0;
    }
    if (sigma < LEAST_ENTRY && 0.5 * SLOW <= turned && turned < 1.0)
        return fail(e, "at time %.17g the linkage of %s comes to rest at a change point, where its couplings do not tell how it goes on",
                    now->time, owner_of(s, i));
    if (sigma < LAST_ENTRY)
        return fail(e, "at time %.17g the linkage of %s passes change points too close to each other", now->time, owner_of(s, i));
    double ahead = 1.0 - ENTRY / sigma;
    *bound = now->time + left * (ahead > 0.1 ? fmin(APPROACH, ahead) : APPROACH);
    return 0;
}

int project_there(Simulation *s, double t, double *x) {
    return project_as(&s->e, t, x, inputs_at(s, t), s->d, in_gap(s) ? NOT_COUPLINGS : s->near ? TO_ROUND_OFF : TO_TOLERANCE);
}

static int refuse_branch(Simulation *s, double t) {
    return fail(&s->e, "at time %.17g the linkage of %s is at a change point, where its couplings lose rank and do not tell which branch of "
                "the motion is its own", t, s->owner_before);
}

int on_one_branch(Simulation *s, double t_from, const double *x_from, double t_to, const double *x_to) {
    if (!s->before_known && see_before(s, t_from, x_from)) return -1;
    if (see(s, t_to, x_to, -1)) return -1;
    if (follows(s)) return 0;
    s->crossed = 1;
    return refuse_branch(s, t_from);
}

int keep_branch(Simulation *s, double t) {
    const Evaluation *e = &s->e;
    if (!model.speeds || in_gap(s)) return 0;
    s->least = e->solves ? e->weakness[0] : 1.0, s->most = fmax(e->solves ? e->weakness[1] : 0.0, s->now->weak_most);
    if (!s->near && s->least >= DIP * s->most && (!e->solves || e->ranks[0] == e->ranks[1])) return 0;
    if (on_one_branch(s, s->now->time, s->x, t, s->x_new)) return -1;
    if (s->near || !(weakest_seen(e) < NEAR)) return 0;
    return project_as(&s->e, t, s->x_new, inputs_at(s, t), s->d, TO_ROUND_OFF);
}

void note_step(Simulation *s) {
    if (model.speeds && !in_gap(s)) s->now->weak_most = s->most, s->now->weak_last = s->least;
}

int project_tightly(Simulation *s) {
    Evaluation *e = &s->e;
    double t = s->now->time, moved = 0.0, size = 0.0;
    if (see(s, t, s->x, -1)) return -1;
    const char *owner = owner_seen(e, -1);
    memcpy(s->x_here, s->x, model.nx * sizeof(double));
    if (project_as(e, t, s->x, inputs_at(s, t), s->d, TO_ROUND_OFF)) return -1;
    for (int i = 0; i < model.motion.n; i++) {
        double before = s->x_here[model.speeds[i]], change = s->x[model.speeds[i]] - before;
        moved += change * change, size += before * before;
    }
    forget_points(e);
    s->f_end_known = 0;
    if (sqrt(moved) <= MOST_CORRECTED * sqrt(size)) return 0;
    return fail(e, "at time %.17g the linkage of %s has left its branch at a change point; a smaller tolerance may help", t, owner);
}

int leave_gap(Simulation *s) {
    s->gap[GAP_COUNT] = 0.0;
    return project_tightly(s);
}

/* A number that tells the rows at the present from those of other discrete states, bit by bit. */
static int rows_mark(Simulation *s, const double *d, double *mark) {
    if (see_rows(&s->e, (Point){s->now->time, s->x, inputs_at(s, s->now->time), d}, (int)s->gap[GAP_RANK])) return -1;
    *mark = 0.0;
    for (int i = 0; i < model.motion.m; i++) *mark += (i + 1.0) * (s->e.seen.s[i] + s->e.seen.scale[i]);
    return 0;
}

int event_in_gap(Simulation *s) {
    double before, after;
    if (!in_gap(s)) return 0;
    if (rows_mark(s, s->d, &before) || rows_mark(s, s->d_new, &after)) return -1;
    if (before == after && !memcmp(s->x, s->x_new, model.nx * sizeof(double))) return 0;
    return fail(&s->e, "at time %.17g an event falls on a change point of the linkage of %s, where its couplings do not tell how it goes on",
                s->now->time, owner_seen(&s->e, -1));
}
