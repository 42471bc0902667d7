/* The norm of errors of error_norm.h, lane by lane. */
#include <math.h>

#include "bounds.h"
#include "pack.h"

static void sizes_of(const real *v, const real *from, real *sizes) {
    for (int k = 0; k < model.n_vectors; k++) sizes[k] = NUMBER(0.0);
    for (int i = 0; i < model.nx; i++) {
        real scaled = (from ? v[i] - from[i] : v[i]) / model.nominal_x[i];
        sizes[model.vector[i]] += scaled * scaled;
    }
    for (int k = 0; k < model.n_vectors; k++) {
        real root;
        for (int l = 0; l < LANES; l++) root[l] = sqrt(sizes[k][l]);
        sizes[k] = root;
    }
}

static real larger(real x, real y) { return choose((Mask)(x > y), x, y); }
static real smaller(real x, real y) { return choose((Mask)(x < y), x, y); }

void note_lanes(Pack *pack) {
    sizes_of(pack->x, pack->x_start, pack->size);
    for (int k = 0; k < model.n_vectors; k++) pack->moved[k] = larger(pack->moved[k], smaller(pack->size[k], NUMBER(1.0)));
}

/* Not a number where an error is not, or x_new is not finite. */
real lane_norm(Pack *pack, const real *v, const real *x_new) {
    real tolerance = pack->tolerance, least = smaller(FINEST / tolerance, NUMBER(1.0)), worst = NUMBER(0.0), blurred = NUMBER(0.0);
    sizes_of(x_new, pack->x_start, pack->size_new);
    sizes_of(v, NULL, pack->size_error);
    for (int k = 0; k < model.n_vectors; k++) {
        if (model.quadrature[k]) continue;
        real size = larger(pack->moved[k], least) + larger(pack->size[k], pack->size_new[k]);
        real ratio = pack->size_error[k] / (tolerance * size);
        worst = larger(worst, ratio);
        blurred += ratio - ratio;
    }
    return choose(finite(x_new, model.nx) & (Mask)(blurred == 0.0), worst, NUMBER(NAN));
}
