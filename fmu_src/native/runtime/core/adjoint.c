#include "adjoint.h"

#include <string.h>

/* The solve backwards. Forwards (evaluate.c):  M dz - G' dl = df - dM z + dG' l,  G dz = dgamma - dG z.
 * Of weights bz, bl of dz, dl it makes weights s, r of the right-hand sides:  M s + G' r = bz,  -G s = bl;  so
 *     wM = -s z',  wG = l s' - r z',  wf = s,  wgamma = r.
 * Redundant rows: dl has the part U dG a as well, with G a = l and U the projector onto what no multiplier can be; it adds (U bl) a' to wG. */
static void weigh_assembled(Evaluation *e) {
    Stage *stage = &e->motion, *change = &e->change;
    const int n = model.motion.n, m = model.motion.m;
    const double *z = stage->z, *l = stage->multipliers, *s = change->z;
    double *r = change->multipliers, *outside = change->saddle.v;
    memcpy(outside, change->gamma, m * sizeof(double)); /* bl */
    for (int i = 0; i < m; i++) change->gamma[i] = -change->gamma[i];
    stiffen_right(&model.motion, stage->G, change->gamma, change->f);
    saddle_solve(&stage->saddle, change->f, change->gamma, change->z, r);
    for (int i = 0; i < m; i++) r[i] = -r[i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) change->M[i * n + j] = -s[i] * z[j];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) change->G[i * n + j] = l[i] * s[j] - r[i] * z[j];
    if (stage->saddle.rank == m) return;

    double *a = change->f;
    memset(a, 0, n * sizeof(double));
    saddle_solve(&stage->saddle, a, l, a, change->gamma);
    saddle_unfelt(&stage->saddle, outside);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) change->G[i * n + j] += outside[i] * a[j];
}

int evaluate_back(Evaluation *e, Point at, const double *wx_dot, const double *wy, double *bx, double *bu, double *work) {
    if (evaluate_motion(e, at, 0)) return -1;
    const Stage *stage = &e->motion, *change = &e->change;
    call(e, model.back,
         (Arguments){{&at.t, at.x, at.u, e->k, at.d, stage->z, stage->multipliers, stage->carry, wx_dot, wy}},
         (Results){{bx, bu, change->f, change->gamma, change->carry}});
    if (!model.motion_back) return 0;
    if (motion_factors(e, at)) return -1;
    weigh_assembled(e);
    call(e, model.motion_back,
         (Arguments){{&at.t, at.x, at.u, e->k, at.d, change->M, change->G, change->z, change->multipliers, change->carry}},
         (Results){{work, work + model.nx}});
    for (int i = 0; i < model.nx; i++) bx[i] += work[i];
    for (int i = 0; i < model.nu; i++) bu[i] += work[model.nx + i];
    return 0;
}
