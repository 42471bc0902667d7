#include "error_norm.h"

#include <math.h>
#include <string.h>

#include "bounds.h"

void error_norm_room(Simulation *s, Arena *arena) {
    s->size = arena_doubles(arena, model.n_vectors);
    s->size_new = arena_doubles(arena, model.n_vectors);
    s->size_error = arena_doubles(arena, model.n_vectors);
}

/* |(v - from) / nominal| of each vector; from may be NULL: zero. */
static void sizes_of(const double *v, const double *from, const double *nominal, double *sizes) {
    for (int k = 0; k < model.n_vectors; k++) sizes[k] = 0.0;
    for (int i = 0; i < model.nx; i++) {
        double scaled = (from ? v[i] - from[i] : v[i]) / nominal[i];
        sizes[model.vector[i]] += scaled * scaled;
    }
    for (int k = 0; k < model.n_vectors; k++) sizes[k] = sqrt(sizes[k]);
}

void begin_run(Simulation *s) {
    if (model.nx == 0) return;
    memcpy(s->x_start, s->x, model.nx * sizeof(double));
    memset(s->moved, 0, model.n_vectors * sizeof(double));
}

void note_motion(Simulation *s) {
    sizes_of(s->x, s->x_start, model.nominal_x, s->size);
    for (int k = 0; k < model.n_vectors; k++) s->moved[k] = fmax(s->moved[k], fmin(s->size[k], 1.0));
}

/* The share of the farthest of the vectors that rows tie to the k-th, below which it follows their errors. */
static double of_tied(const double *far, int k, double tolerance) {
    double farthest = 0.0;
    if (model.tie[k] < 0) return 0.0;
    for (int i = 0; i < model.n_vectors; i++)
        if (model.tie[i] == model.tie[k]) farthest = fmax(farthest, far[i]);
    return fmax(TIED, TIED_FINEST / tolerance) * farthest;
}

/* The least share of a nominal value that a host is asked to take for one. Not every host tells its tolerance. */
static double least_share(const Simulation *s) {
    double told = s->now->tolerance > 0.0 ? s->now->tolerance : UNTOLD;
    return fmin(FINEST_EXCHANGED / told, 1.0);
}

int expect_motion(Simulation *s, const double *x_dot) {
    double least = least_share(s);
    int doubled = 0;
    memcpy(s->size_error, s->moved, model.n_vectors * sizeof(double));
    note_motion(s);
    sizes_of(x_dot, NULL, model.nominal_rate, s->size_new);
    for (int k = 0; k < model.n_vectors; k++) s->moved[k] = fmax(fmax(s->moved[k], least), fmin(s->size_new[k], 1.0));
    for (int k = 0; k < model.n_vectors; k++) {
        int speed = model.speed[k];
        if (speed >= 0) s->moved[k] = fmax(s->moved[k], s->moved[speed]);
        s->moved[k] = fmax(s->moved[k], fmin(of_tied(s->moved, k, tolerance_of(s)), 1.0));
        if (s->moved[k] > 2.0 * s->size_error[k]) doubled = 1;
    }
    return doubled;
}

double nominal_of(const Simulation *s, int i) {
    int k = model.vector[i];
    double share = model.tie[k] < 0 ? EXCHANGED_SHARE : 1.0; /* tied vectors are exact by others; their own motion may be round-off */
    return model.nominal_x[i] * (s->moved[k] > 0.0 ? fmax(share * s->moved[k], least_share(s)) : 1.0);
}

double error_norm(const Simulation *s, const double *v, const double *x_new) {
    double tolerance = tolerance_of(s), least = fmin(FINEST / tolerance, 1.0), worst = 0.0;
    sizes_of(x_new, s->x_start, model.nominal_x, s->size_new);
    sizes_of(v, NULL, model.nominal_x, s->size_error);
    for (int k = 0; k < model.n_vectors; k++) s->size_new[k] = fmax(s->moved[k], least) + fmax(s->size[k], s->size_new[k]);
    for (int k = 0; k < model.n_vectors; k++) {
        if (model.quadrature[k]) continue;
        double ratio = s->size_error[k] / (tolerance * (s->size_new[k] + of_tied(s->size_new, k, tolerance)));
        if (isnan(ratio)) return ratio;
        worst = fmax(worst, ratio);
    }
    return worst;
}
