/* Null-space-free saddle solve: M = L'L, then rank-revealing QR of W = L'^-1 G'.
 *
 * With y = L z and a = L'^-1 f the system reads  y = a + W multipliers,  W' y = gamma.
 * W P = Q [R11 R12; 0 0] splits y: along Q1 it is given by gamma, across it is a's own part. */
#include "saddle.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "bounds.h"

void saddle_room(Saddle *s, Arena *arena, int n, int m) {
    int larger = n > m ? n : m;
    s->lower = arena_doubles(arena, (size_t)n * (n + 1) / 2);
    s->w = arena_doubles(arena, (size_t)n * m);
    s->w_scale = arena_doubles(arena, m);
    s->r_rows = arena_doubles(arena, (size_t)m * m);
    s->r_scale = arena_doubles(arena, m);
    s->order = arena_take(arena, m, sizeof(int));
    s->y = arena_doubles(arena, n);
    s->b = arena_doubles(arena, larger);
    s->v = arena_doubles(arena, m);
}

static double dot(const double *a, const double *b, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

static double *row_of(double *lower, int i) { return lower + i * (i + 1) / 2; }

/* M = L'L from the last row to the first: L_ii = sqrt(M_ii - sum_k>i L_ki^2),  L_ij = (M_ij - sum_k>i L_ki L_kj) / L_ii.
 * Speeds of bodies stand behind those of what carries them, so zeros between two branches of a tree stay zeros. */
static int cholesky(double *lower, const double *M, int n) {
    for (int i = 0; i < n; i++) memcpy(row_of(lower, i), M + i * n, (i + 1) * sizeof(double));
    for (int i = n - 1; i >= 0; i--) {
        double *row = row_of(lower, i), pivot = row[i];
        if (!(pivot > n * DBL_EPSILON * M[i * n + i])) return -1; /* neither is an infinite one, nor NaN */
        row[i] = 1.0 / sqrt(pivot);
        for (int j = 0; j < i; j++) row[j] *= row[i];
        for (int k = 0; k < i; k++) {
            if (row[k] == 0.0) continue;
            double *inner = row_of(lower, k);
            for (int j = 0; j <= k; j++) inner[j] -= row[k] * row[j];
        }
    }
    return 0;
}

/* v := L'^-1 v */
static void inward(double *lower, int n, double *v) {
    for (int i = n - 1; i >= 0; i--) {
        const double *row = row_of(lower, i);
        v[i] *= row[i];
        for (int j = 0; j < i; j++) v[j] -= row[j] * v[i];
    }
}

/* v := L^-1 v */
static void outward(double *lower, int n, double *v) {
    for (int i = 0; i < n; i++) {
        const double *row = row_of(lower, i);
        v[i] = (v[i] - dot(row, v, i)) * row[i];
    }
}

/* Householder reflector H = I - scale h h' with H v = (-sign(v0) |v|, 0, ..): h overwrites v below its head,
 * h_0 = 1 is implied, the head becomes the entry of R. length = |v|. */
static double reflector(double *v, int count, double length) {
    if (length == 0.0) return 0.0; /* unreached: rows that count have a length, unless its square underflows, near 1e-162 */
    double head = v[0] > 0.0 ? -length : length, pivot = v[0] - head, inverse = 1.0 / pivot;
    for (int i = 1; i < count; i++) v[i] *= inverse;
    v[0] = head;
    return -pivot / head;
}

/* v := H v */
static void reflect(const double *h, double scale, int count, double *v) {
    double along = scale * (v[0] + dot(h + 1, v + 1, count - 1));
    v[0] -= along;
    for (int i = 1; i < count; i++) v[i] -= along * h[i];
}

/* Columns k.. of W: the one of which elimination has left most goes to place k; gives that length, or NaN if one is not finite. */
static double choose_pivot(Saddle *s, int k) {
    int n = s->n, best = k;
    double largest = 0.0, total = 0.0;
    for (int j = k; j < s->m; j++) {
        double *rest = s->w + j * n + k, left = dot(rest, rest, n - k);
        if (left > largest) largest = left, best = j;
        total += left;
    }
    if (best != k) {
        double *a = s->w + k * n, *b = s->w + best * n, swap;
        for (int i = 0; i < n; i++) swap = a[i], a[i] = b[i], b[i] = swap;
        int other = s->order[k];
        s->order[k] = s->order[best], s->order[best] = other;
    }
    return total < HUGE_VAL ? sqrt(largest) : NAN;
}

/* W P = Q R with rank decision. */
static void eliminate(Saddle *s, double length) {
    int n = s->n, m = s->m, k = 0;
    const double smallest = RANK_TOLERANCE * length;
    while (k < n && k < m && length > smallest) {
        double *column = s->w + k * n + k;
        s->w_scale[k] = reflector(column, n - k, length);
        for (int j = k + 1; j < m; j++) reflect(column, s->w_scale[k], n - k, s->w + j * n + k);
        if (++k < n) length = choose_pivot(s, k);
    }
    s->rank = k;
}

/* Whether the rows that do not count are zeros: then R12 = 0, and they push on nothing. */
static int rest_is_zero(const Saddle *s) {
    for (int j = s->rank; j < s->m; j++)
        for (int i = 0; i < s->rank; i++)
            if (s->w[j * s->n + i] != 0.0) return 0;
    return 1;
}

/* [R11 R12]' = Z S, so that multipliers of least norm can be told from those that push on nothing. */
static void complete(Saddle *s) {
    int n = s->n, m = s->m, rank = s->rank;
    s->redundant = rank < m && !rest_is_zero(s);
    if (!s->redundant) return;
    for (int i = 0; i < rank; i++)
        for (int j = 0; j < m; j++) s->r_rows[i * m + j] = j < i ? 0.0 : s->w[j * n + i];
    for (int k = 0; k < rank; k++) {
        double *row = s->r_rows + k * m + k;
        s->r_scale[k] = reflector(row, m - k, sqrt(dot(row, row, m - k)));
        for (int j = k + 1; j < rank; j++) reflect(row, s->r_scale[k], m - k, s->r_rows + j * m + k);
    }
}

int saddle_whiten(Saddle *s, int n, int m, const double *M, const double *G) {
    if (cholesky(s->lower, M, n)) return -1;
    if (m) memcpy(s->w, G, (size_t)m * n * sizeof(double)); /* row j of G is column j of G' */
    for (int j = 0; j < m; j++) inward(s->lower, n, s->w + j * n);
    return 0;
}

int saddle_factor(Saddle *s, int n, int m, const double *M, const double *G) {
    return saddle_whiten(s, n, m, M, G) ? -1 : saddle_reveal(s, n, m);
}

void saddle_inward(Saddle *s, int n, double *v) { inward(s->lower, n, v); }

void saddle_outward(Saddle *s, int n, double *v) { outward(s->lower, n, v); }

void saddle_lift(Saddle *s, int n, double *v) {
    for (int j = 0; j < n; j++) { /* (L' v)_j = sum_i>=j L_ij v_i; nothing before j is read again */
        double sum = v[j] / row_of(s->lower, j)[j];
        for (int i = j + 1; i < n; i++) sum += row_of(s->lower, i)[j] * v[i];
        v[j] = sum;
    }
}

int saddle_reveal(Saddle *s, int n, int m) {
    s->n = n, s->m = m, s->rank = 0, s->planned = 0.0;
    for (int i = 0; i < n; i++)
        if (!(row_of(s->lower, i)[i] < HUGE_VAL)) return -1;
    for (int j = 0; j < m; j++) s->order[j] = j;
    double length = choose_pivot(s, 0);
    if (isnan(length)) return -1;
    eliminate(s, length);
    complete(s);
    return 0;
}

/* |R_kk| falls with k: the last pivot is the smallest. */
double saddle_weakest(const Saddle *s) {
    int last = s->rank - 1;
    if (s->planned > 0.0) return s->planned;
    return s->rank ? fabs(s->w[last * s->n + last] / s->w[0]) : 1.0;
}

void saddle_forget(Saddle *s, double tolerance) {
    int before = s->rank;
    while (s->rank && saddle_weakest(s) <= tolerance) s->rank--;
    if (s->rank < before) complete(s);
}

/* Least-norm multipliers of W multipliers = Q1 b:  [R11 R12] P' multipliers = b. */
static void least_multipliers(Saddle *s, const double *b, double *multipliers) {
    int n = s->n, m = s->m, rank = s->rank;
    double *v = s->v;
    if (!s->redundant) { /* back substitution with R11 */
        for (int i = rank; i < m; i++) v[i] = 0.0;
        for (int i = rank - 1; i >= 0; i--) {
            v[i] = b[i];
            for (int j = i + 1; j < rank; j++) v[i] -= s->w[j * n + i] * v[j];
            v[i] /= s->w[i * n + i];
        }
    } else { /* S' v = b, then Z v */
        memset(v, 0, m * sizeof(double));
        for (int i = 0; i < rank; i++) v[i] = (b[i] - dot(s->r_rows + i * m, v, i)) / s->r_rows[i * m + i];
        for (int k = rank - 1; k >= 0; k--) reflect(s->r_rows + k * m + k, s->r_scale[k], m - k, v + k);
    }
    for (int i = 0; i < m; i++) multipliers[s->order[i]] = v[i];
}

void saddle_solve(Saddle *s, const double *f, const double *gamma, double *z, double *multipliers) {
    memcpy(z, f, s->n * sizeof(double));
    inward(s->lower, s->n, z);
    saddle_solve_inward(s, z, gamma, z, multipliers);
}

void saddle_solve_inward(Saddle *s, const double *a, const double *gamma, double *z, double *multipliers) {
    int n = s->n, rank = s->rank;
    /* y = Q' a */
    double *y = s->y;
    memcpy(y, a, n * sizeof(double));
    for (int k = 0; k < rank; k++) reflect(s->w + k * n + k, s->w_scale[k], n - k, y + k);
    /* R11' c = gamma of the pivot rows; along Q1 y becomes c, and b = c - what it was */
    double *b = s->b;
    for (int i = 0; i < rank; i++) {
        double c = gamma[s->order[i]];
        for (int j = 0; j < i; j++) c -= s->w[i * n + j] * (b[j] + y[j]);
        b[i] = c / s->w[i * n + i] - y[i];
    }
    if (s->m) least_multipliers(s, b, multipliers);
    /* z = L^-1 Q y */
    for (int i = 0; i < rank; i++) y[i] += b[i];
    for (int k = rank - 1; k >= 0; k--) reflect(s->w + k * n + k, s->w_scale[k], n - k, y + k);
    outward(s->lower, n, y);
    memcpy(z, y, n * sizeof(double));
}

void saddle_unfelt(Saddle *s, double *v) {
    int m = s->m, rank = s->rank;
    if (rank == m) {
        memset(v, 0, m * sizeof(double));
        return;
    }
    double *w = s->v;
    for (int i = 0; i < m; i++) w[i] = v[s->order[i]];
    for (int k = 0; k < rank && s->redundant; k++) reflect(s->r_rows + k * m + k, s->r_scale[k], m - k, w + k);
    for (int k = 0; k < rank; k++) w[k] = 0.0;
    for (int k = rank - 1; k >= 0 && s->redundant; k--) reflect(s->r_rows + k * m + k, s->r_scale[k], m - k, w + k);
    for (int i = 0; i < m; i++) v[s->order[i]] = w[i];
}
