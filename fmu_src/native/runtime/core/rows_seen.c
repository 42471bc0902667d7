#include "rows_seen.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "bounds.h"

#define SWEEPS 60

int most_weak(void) { return model.motion.m < MOST_WEAK ? model.motion.m : MOST_WEAK; }

size_t gap_length(void) {
    return model.speeds ? GAP_TIMES + NODES + (size_t)NODES * most_weak() * (model.motion.n + 1) : 0;
}

static double dot(const double *a, const double *b, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

static void rotate(double *a, double *b, int count, double c, double s) {
    for (int i = 0; i < count; i++) {
        double x = a[i], y = b[i];
        a[i] = c * x - s * y, b[i] = s * x + c * y;
    }
}

/* One-sided Jacobi: columns of w (m of length n) are turned until they are orthogonal, u (m of length m) with them. */
static void orthogonalize(double *w, double *u, int n, int m) {
    for (int sweep = 0, turned = 1; sweep < SWEEPS && turned; sweep++) {
        turned = 0;
        for (int p = 0; p < m; p++)
            for (int q = p + 1; q < m; q++) {
                double *a = w + p * n, *b = w + q * n, aa = dot(a, a, n), bb = dot(b, b, n), ab = dot(a, b, n);
                if (!(fabs(ab) > DBL_EPSILON * sqrt(aa * bb))) continue;
                double zeta = (bb - aa) / (2.0 * ab), t = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
                double c = 1.0 / sqrt(1.0 + t * t);
                rotate(a, b, n, c, c * t);
                rotate(u + p * m, u + q * m, m, c, c * t);
                turned = 1;
            }
    }
}

static void swap(double *a, double *b, int count) {
    for (int i = 0; i < count; i++) {
        double other = a[i];
        a[i] = b[i], b[i] = other;
    }
}

/* Rows of one owner stay as they are to each other, its largest has length 1; rows of no length stay zero, those of no owner become so. */
static void scale_rows(Evaluation *e) {
    int n = model.motion.n, m = model.motion.m;
    double *w = e->change.saddle.w, *length = e->seen.s, *scale = e->seen.scale, most = 0.0;
    for (int i = 0; i < m; i++) {
        length[i] = model.row_owner[i] < 0 ? 0.0 : sqrt(dot(w + i * n, w + i * n, n));
        most = fmax(most, length[i]);
    }
    for (int i = 0; i < m; i++) {
        double largest = 0.0;
        for (int j = 0; j < m; j++)
            if (model.row_owner[j] == model.row_owner[i]) largest = fmax(largest, length[j]);
        scale[i] = largest > RANK_TOLERANCE * most ? 1.0 / largest : 0.0;
        for (int j = 0; j < n; j++) w[i * n + j] *= scale[i];
    }
}

int see_rows(Evaluation *e, Point at, int rank) {
    Stage *stage = &e->change;
    RowsSeen *seen = &e->seen;
    int n = model.motion.n, m = model.motion.m;
    double *w = stage->saddle.w, *u = seen->u, *s = seen->s;
    assemble_stage(e, &model.motion, stage, at, NULL);
    if (!model.motion.factored) {
        stiffen(&model.motion, stage);
        if (saddle_whiten(&stage->saddle, n, m, stage->M, stage->G)) return refuse_matrix(e, at.t);
        saddle_inward(&stage->saddle, n, stage->f);
    }
    if (!all_finite(w, n * m) || !all_finite(stage->saddle.lower, n * (n + 1) / 2)) return refuse_matrix(e, at.t);
    scale_rows(e);
    memset(u, 0, (size_t)m * m * sizeof(double));
    for (int i = 0; i < m; i++) u[i * m + i] = 1.0, stage->gamma[i] *= seen->scale[i];
    orthogonalize(w, u, n, m);
    for (int i = 0; i < m; i++) s[i] = sqrt(dot(w + i * n, w + i * n, n));
    for (int i = 0; i < m; i++) { /* the largest first */
        int best = i;
        for (int j = i + 1; j < m; j++)
            if (s[j] > s[best]) best = j;
        if (best == i) continue;
        swap(s + i, s + best, 1), swap(w + i * n, w + best * n, n), swap(u + i * m, u + best * m, m);
    }
    int count = 0;
    while (count < m && count < n && s[count] > RANK_TOLERANCE * s[0]) count++;
    seen->rank = rank < 0 ? count : rank;
    for (int i = 0; i < seen->rank; i++)
        for (int j = 0; j < n && s[i] > 0.0; j++) w[i * n + j] /= s[i];
    return 0;
}

double weakest_seen(const Evaluation *e) { return e->seen.rank ? e->seen.s[e->seen.rank - 1] / e->seen.s[0] : 1.0; }

void row_seen(Evaluation *e, int i, double *row) {
    int n = model.motion.n;
    memcpy(row, e->change.saddle.w + i * n, n * sizeof(double));
    saddle_lift(&e->change.saddle, n, row);
}

void dual_seen(Evaluation *e, int i, double *dual) {
    int n = model.motion.n;
    memcpy(dual, e->change.saddle.w + i * n, n * sizeof(double));
    saddle_outward(&e->change.saddle, n, dual);
}

const char *owner_seen(const Evaluation *e, int i) {
    int m = model.motion.m, best = 0;
    if (!e->seen.rank) return "a coupling";
    const double *u = e->seen.u + (i < 0 ? e->seen.rank - 1 : i) * m;
    for (int i = 1; i < m; i++)
        if (fabs(u[i]) > fabs(u[best])) best = i;
    return model.owners[model.row_owner[best]];
}

/* Lagrange's polynomials of the nodes and their rates, at a time. */
static void weigh(const double *times, double t, double *value, double *slope) {
    for (int i = 0; i < NODES; i++) {
        value[i] = 1.0, slope[i] = 0.0;
        for (int j = 0; j < NODES; j++) {
            if (j == i) continue;
            double part = 1.0 / (times[i] - times[j]);
            value[i] *= (t - times[j]) * part;
            for (int k = 0; k < NODES; k++)
                if (k != i && k != j) part *= (t - times[k]) / (times[i] - times[k]);
            slope[i] += part;
        }
    }
}

double gap_miss(const double *gap, double t, const double *x) {
    int n = model.motion.n;
    double value[NODES], slope[NODES], worst = 0.0;
    weigh(gap + GAP_TIMES, t, value, slope);
    for (int i = 0; i < (int)gap[GAP_COUNT]; i++) {
        double miss = 0.0, size = 0.0;
        for (int j = 0; j <= n; j++) {
            double p = 0.0;
            for (int k = 0; k < NODES; k++) p += value[k] * gap[GAP_TIMES + NODES + ((size_t)k * most_weak() + i) * (n + 1) + j];
            double part = j < n ? p * loop_speed(x, j) : -p;
            miss += part, size += fabs(part);
        }
        worst = fmax(worst, fabs(miss) / fmax(size, TINY));
    }
    return worst;
}

/* push += q (c - q a): what makes q y = c of y = a + push, q being orthogonal to what pushed before. */
static void add_push(const double *q, double c, const double *a, int n, double *push) {
    double part = c - dot(q, a, n);
    for (int j = 0; j < n; j++) push[j] += part * q[j];
}

/* With y = L z:  y = a + push, V_strong y = U' gamma / s,  P L^-1 y = b' - P' v. */
int solve_in_gap(Evaluation *e, Point at, const double *gap) {
    int n = model.motion.n, m = model.motion.m, rank = (int)gap[GAP_RANK], count = (int)gap[GAP_COUNT], strong = rank - count;
    if (see_rows(e, at, rank)) return -1;
    Stage *stage = &e->change, *motion = &e->motion;
    RowsSeen *seen = &e->seen;
    const double *w = stage->saddle.w, *s = seen->s, *a = stage->f, *nodes = gap + GAP_TIMES + NODES;
    double *push = seen->push, *weak = seen->weak, *wanted = seen->wanted, value[NODES], slope[NODES];
    if (strong && s[strong - 1] < STILL_STRONG * WEAK * s[0])
        return fail(e, "at time %.17g the linkage of %s passes two change points at once", at.t, owner_seen(e, strong - 1));
    memset(push, 0, n * sizeof(double));
    for (int i = 0; i < strong; i++) {
        wanted[i] = dot(seen->u + i * m, stage->gamma, m) / s[i];
        add_push(w + i * n, wanted[i], a, n, push);
    }
    weigh(gap + GAP_TIMES, at.t, value, slope);
    for (int i = 0; i < count; i++) {
        double *p = weak + i * n, c = 0.0;
        memset(p, 0, n * sizeof(double));
        for (int k = 0; k < NODES; k++) {
            const double *node = nodes + ((size_t)k * most_weak() + i) * (n + 1);
            c += slope[k] * node[n];
            for (int j = 0; j < n; j++) p[j] += value[k] * node[j], c -= slope[k] * node[j] * loop_speed(at.x, j);
        }
        saddle_inward(&stage->saddle, n, p);
        for (int k = 0; k < strong + i; k++) {
            const double *q = k < strong ? w + k * n : weak + (k - strong) * n;
            double along = dot(q, p, n);
            c -= along * wanted[k];
            for (int j = 0; j < n; j++) p[j] -= along * q[j];
        }
        double length = sqrt(dot(p, p, n));
        for (int j = 0; j < n; j++) p[j] /= length;
        wanted[strong + i] = c / length;
        add_push(p, c / length, a, n, push);
    }
    for (int j = 0; j < m; j++)
        if (model.row_owner[j] >= 0) motion->multipliers[j] = 0.0;
    for (int i = 0; i < rank; i++) { /* forces of rows that vanish have no bound: as large as where gaps begin */
        double part = dot(w + i * n, push, n) / fmax(s[i], GAP_BEGINS * s[0]);
        for (int j = 0; j < m; j++) motion->multipliers[j] += seen->scale[j] * seen->u[i * m + j] * part;
    }
    for (int j = 0; j < n; j++) push[j] += a[j];
    saddle_outward(&stage->saddle, n, push);
    for (int j = 0; j < n; j++)
        if (model.speeds[j] >= 0) motion->z[j] = push[j];
    memcpy(motion->carry, stage->carry, model.motion.carry * sizeof(double));
    return all_finite(motion->z, n) ? 0 : refuse_matrix(e, at.t);
}
