#include "change_points.h"

#include <math.h>
#include <string.h>

#include "bounds.h"
#include "manifold.h"
#include "methods.h"
#include "rows_seen.h"

void change_points_room(Simulation *s, Arena *arena) {
    int m = model.speeds ? model.motion.m : 0;
    s->u_before = arena_doubles(arena, (size_t)m * m);
    s->turned = arena_doubles(arena, (size_t)3 * m * m);
    gaps_room(s, arena);
    double **rows[] = {&s->outlook.weakness, &s->outlook.falls, &s->outlook.times, &s->outlook.turning};
    for (int i = 0; i < 4; i++) *rows[i] = arena_doubles(arena, m);
}

/* The owner of a row at the present. */
static const char *owner_of(Simulation *s, int i) {
    return see_here(s, s->now->time, s->x, s->rank_before) ? s->owner_before : owner_seen(&s->e, i);
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
            double v = loop_speed(s->x, j), a = loop_speed(s->f_start, j);
            if (s->row[j] != 0.0) speed += v * v, change += a * a;
        }
        most = fmax(most, sqrt(speed));
        o->weakness[i] = e->seen.s[i] / e->seen.s[0], o->turning[i] = sqrt(change) / fmax(sqrt(speed), TINY);
    }
    if (most == 0.0) return -1;
    double shift = SMALL_SHIFT / most;
    for (int i = 0; i < model.nx; i++) s->x_here[i] = s->x[i] + shift * s->f_start[i];
    if (see_here(s, t + shift, s->x_here, rank)) return -2;
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
        if (o->times[j] < BESIDE * length && !(o->falls[j] * length <= TRAVEL * GAP_BEGINS)) return 0;
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

int bound_step(Simulation *s, double *bound) {
    Evaluation *e = &s->e;
    Scalars *now = s->now;
    double here;
    *bound = HUGE_VAL;
    s->before_known = 0, s->near = 0;
    if (!model.speeds || is_bounded(s)) return 0; /* a step of bounded work goes up to a change point, and not through it */
    if (!(now->weak_most > 0.0)) {
        int starts = starts_in_gap(s);
        if (starts < 0) return -1;
        if (starts) now->weak_most = s->most, now->weak_last = s->least, now->weak_near = 1.0;
    }
    if (in_gap(s)) {
        *bound = s->gap[GAP_UNTIL];
        return 0;
    }
    if (model.loops_alone && now->weak_most > 0.0 && now->weak_last >= DIP * now->weak_most) return 0; /* else the weakest is that of all rows */
    if (see_before(s, now->time, s->x)) return -1;
    here = weakest_seen(e);
    if (!(now->weak_most > 0.0)) {
        double own = saddle_weakest(&e->motion.saddle); /* of the rates at the present, or close to it */
        now->weak_most = own * fmax(1.0, NEAR / fmax(here, GAP_BEGINS)), now->weak_last = own;
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
    if (sigma <= 1.1 * GAP_BEGINS && may_enter(s, i)) {
        if (enter_gap(s, clear_length(s, 2.0 * left))) return -1;
        *bound = s->gap[GAP_UNTIL];
        return 0;
    }
    if (sigma < LEAST_ENTRY && 0.5 * SLOW <= turned && turned < 1.0)
        return fail(e, "at time %.17g the linkage of %s comes to rest at a change point, where its couplings do not determine how it continues",
                    now->time, owner_of(s, i));
    if (sigma < LAST_ENTRY)
        return fail(e, "at time %.17g the linkage of %s passes change points too close to each other", now->time, owner_of(s, i));
    double ahead = 1.0 - GAP_BEGINS / sigma;
    *bound = now->time + left * (ahead > 0.1 ? fmin(APPROACH, ahead) : APPROACH);
    return 0;
}

int project_there(Simulation *s, double t, double *x) {
    return project_as(&s->e, t, x, inputs_at(s, t), s->d, in_gap(s) ? NOT_COUPLINGS : s->near ? TO_ROUND_OFF : TO_TOLERANCE);
}

static int refuse_branch(Simulation *s, double t) {
    return fail(&s->e, "at time %.17g the linkage of %s is at a change point, where its couplings lose rank and do not determine the "
                "branch of the motion", t, s->owner_before);
}

int on_one_branch(Simulation *s, double t_from, const double *x_from, double t_to, const double *x_to) {
    if (!s->before_known && see_before(s, t_from, x_from)) return -1;
    if (see_here(s, t_to, x_to, -1)) return -1;
    if (follows(s)) return 0;
    s->crossed = 1;
    return refuse_branch(s, t_from);
}

int keep_branch(Simulation *s, double t) {
    const Evaluation *e = &s->e;
    if (!model.speeds || in_gap(s)) return 0;
    s->least = e->solves ? e->weakness[0] : 1.0, s->most = fmax(e->solves ? e->weakness[1] : 0.0, s->now->weak_most);
    if (model.loops_alone && !s->near && s->least >= DIP * s->most && (!e->solves || e->ranks[0] == e->ranks[1])) return 0;
    if (on_one_branch(s, s->now->time, s->x, t, s->x_new)) return -1;
    if (s->near || !(weakest_seen(e) < NEAR)) return 0;
    return project_as(&s->e, t, s->x_new, inputs_at(s, t), s->d, TO_ROUND_OFF);
}

void note_step(Simulation *s) {
    if (model.speeds && !in_gap(s)) s->now->weak_most = s->most, s->now->weak_last = s->least;
}

int project_tightly(Simulation *s) {
    Evaluation *e = &s->e;
    double t = s->now->time, moved = 0.0, size = 0.0, round_off = 0.0;
    if (see_here(s, t, s->x, -1)) return -1;
    const char *owner = owner_seen(e, -1);
    memcpy(s->x_here, s->x, model.nx * sizeof(double));
    if (project_as(e, t, s->x, inputs_at(s, t), s->d, TO_ROUND_OFF)) return -1;
    for (int i = 0; i < model.motion.n; i++) {
        double before = loop_speed(s->x_here, i), change = loop_speed(s->x, i) - before;
        double fine = model.speeds[i] < 0 ? 0.0 : FINEST_EXCHANGED * model.nominal_x[model.speeds[i]]; /* of one that rests, as behind a lock */
        moved += change * change, size += before * before, round_off += fine * fine;
    }
    forget_points(e);
    s->f_end_known = 0;
    if (sqrt(moved) <= MOST_CORRECTED * sqrt(size) + sqrt(round_off)) return 0;
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
    return fail(&s->e, "at time %.17g an event falls on a change point of the linkage of %s, where its couplings do not determine how it continues",
                s->now->time, owner_seen(&s->e, -1));
}
