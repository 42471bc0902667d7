/* Explicit Runge-Kutta steps:  K_i = f(t + c_i h, x + h sum_j a_ij K_j),  x_new = x + h sum_i b_i K_i. */
#include <math.h>
#include <string.h>

#include "error_norm.h"
#include "methods.h"
#include "wide.h"

/* result = base + h sum_j w_j stage_j of n numbers each; base may be NULL: zero. Four stages a pass, so that the sum is read and
 * written less often, those beyond a multiple of four first. */
WITHIN void sum_stages(const double *const *stage, const double *w, int count, const double *base, double h, int n,
                       double *restrict result) {
    const double *a = stage[0], *b = stage[1], *c = stage[2];
    int j = count % 4;
    if (j == 0) for (int i = 0; i < n; i++) result[i] = 0.0;
    if (j == 1) for (int i = 0; i < n; i++) result[i] = 0.0 + w[0] * a[i];
    if (j == 2) for (int i = 0; i < n; i++) result[i] = 0.0 + w[0] * a[i] + w[1] * b[i];
    if (j == 3) for (int i = 0; i < n; i++) result[i] = 0.0 + w[0] * a[i] + w[1] * b[i] + w[2] * c[i];
    for (; j < count; j += 4) {
        const double *d = stage[j + 3], wa = w[j], wb = w[j + 1], wc = w[j + 2], wd = w[j + 3];
        a = stage[j], b = stage[j + 1], c = stage[j + 2];
        for (int i = 0; i < n; i++) result[i] = result[i] + wa * a[i] + wb * b[i] + wc * c[i] + wd * d[i];
    }
    if (base) for (int i = 0; i < n; i++) result[i] = base[i] + h * result[i];
    else for (int i = 0; i < n; i++) result[i] = h * result[i];
}

#ifdef WIDE
WIDE static void sum_stages_wide(const double *const *stage, const double *w, int count, const double *base, double h, int n,
                                 double *restrict result) {
    sum_stages(stage, w, count, base, h, n, result);
}
#else
#define sum_stages_wide sum_stages
#endif

/* result = base + h sum_j weights_j K_j, over `count` stages. */
static void combine(const Simulation *s, const double *base, double h, const double *weights, int count, double *result) {
    const double *stage[MOST_STAGES] = {NULL};
    double w[MOST_STAGES];
    int used = 0;
    for (int k = 0; k < count; k++)
        if (weights[k] != 0.0) stage[used] = s->stages + k * model.nx, w[used++] = weights[k];
    if (wide_here) sum_stages_wide(stage, w, used, base, h, model.nx, result);
    else sum_stages(stage, w, used, base, h, model.nx, result);
}

/* K_first .. K_(last - 1) */
static int run_stages(Simulation *s, const Explicit *tableau, double h, int first, int last) {
    for (int i = first; i < last; i++) {
        combine(s, s->x, h, tableau->a + i * tableau->stages, i, s->x_stage);
        if (rates_at(s, s->now->time + tableau->c[i] * h, s->x_stage, s->stages + i * model.nx)) return -1;
    }
    return 0;
}

/* Two estimates e5, e3 of order 5 and 3 make one of order 8:  e5 / sqrt(1 + 0.01 (e3/e5)^2)  ([hairer1993] section
 * II.10). It takes errors for falling alike from order to order in all states. A motion that starts at a few states and
 * spreads, as along a chain of beads, is not so: a first step that e5 rightly rejects would pass. So e5 judges it. */
static double error_of(Simulation *s, const Explicit *tableau, double h) {
    if (!tableau->errors) return 0.0;
    combine(s, NULL, h, tableau->error, tableau->steps, s->x_stage);
    double e5 = error_norm(s, s->x_stage, s->x_new);
    if (s->first || tableau->errors == 1) return e5;
    combine(s, NULL, h, tableau->error + tableau->steps, tableau->steps, s->x_stage);
    double e3 = error_norm(s, s->x_stage, s->x_new);
    return e5 == 0.0 ? 0.0 : e5 / hypot(1.0, 0.1 * e3 / e5);
}

int runge_kutta_step(Simulation *s, double h, double *error) {
    const Explicit *tableau = method_of(s)->runge_kutta;
    memcpy(s->stages, s->f_start, model.nx * sizeof(double));
    if (run_stages(s, tableau, h, 1, tableau->steps)) return -1;
    combine(s, s->x, h, tableau->b, tableau->steps, s->x_new);
    *error = error_of(s, tableau, h);
    if (s->order > 0) *error *= fmax(1.0, s->now->step[0] / h); /* its share of what order 8 would err by in its longer step */
    return 0;
}

/* The dense output's own stages and rows; the first of its stages is f(t + h, x_new). */
int runge_kutta_dense(Simulation *s, double h) {
    const Explicit *tableau = method_of(s)->runge_kutta;
    int nx = model.nx;
    if (!tableau->dense_rows) return 0;
    memcpy(s->stages + tableau->steps * nx, s->f_end, nx * sizeof(double));
    if (run_stages(s, tableau, h, tableau->steps + 1, tableau->stages)) return -1;
    for (int row = 0; row < tableau->dense_rows; row++)
        combine(s, NULL, h, tableau->dense + row * tableau->stages, tableau->stages, s->dense + (3 + row) * nx);
    return 0;
}
