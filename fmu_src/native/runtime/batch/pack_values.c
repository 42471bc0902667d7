/* What lanes show at the present: outputs, rates, and how costly their runs will be. */
#include <math.h>
#include <string.h>

#include "pack.h"

enum { LOOKS_AT_COST = 12 }; /* powers of df/dx */

/* By a lane's instance, which says why where it fails. */
static void ask_alone(Pack *pack, int lane, unsigned wanted) {
    Instance *instance = pack->lane[lane];
    if (!present_motion(instance, wanted)) return;
    pack->failed[lane] = -1, pack->joined[lane] = 0;
    strcpy(pack->reason[lane], instance->s.e.reason);
}

void pack_outputs(Pack *pack) {
    Mask good = {0};
    if (pack->shares) {
        const real *arg[] = {&pack->t, pack->x, pack->u, pack->k, pack->d, NULL, NULL, NULL};
        real *res[] = {pack->y};
        lane_model.outputs(arg, res, pack->w);
        good = finite(pack->y, model.ny);
    }
    for (int l = 0; l < pack->count; l++) {
        if (good[l] || pack->failed[l]) continue;
        ask_alone(pack, l, WANT_OUTPUTS);
        put_in(pack->y, l, own(pack, l)->e.y, model.ny);
    }
}

void pack_rates(Pack *pack, real *f) {
    Mask good = {0};
    if (pack->shares) {
        lane_rates(pack, pack->t, pack->x, f);
        good = finite(f, model.nx);
    }
    for (int l = 0; l < pack->count; l++) {
        if (good[l] || pack->failed[l]) continue;
        ask_alone(pack, l, WANT_RATES);
        put_in(f, l, own(pack, l)->e.x_dot, model.nx);
    }
}

/* Powers of df/dx on a fixed vector, by differences: the growth per power tends to the largest eigenvalue's size. */
real pack_cost(Pack *pack) {
    real growth = NUMBER(0.0), zero = NUMBER(0.0);
    if (!pack->shares) return growth;
    real *v = pack->x_next, *moved = pack->x_stage;
    lane_rates(pack, pack->t, pack->x, pack->f_end);
    for (int i = 0; i < model.nx; i++) v[i] = NUMBER(model.nominal_x[i] * (1.0 + 0.5 * (i % 3)));
    for (int pass = 0; pass < LOOKS_AT_COST; pass++) {
        real size = zero;
        for (int i = 0; i < model.nx; i++) moved[i] = pack->x[i] + 1e-7 * v[i];
        lane_rates(pack, pack->t, moved, pack->x_new);
        for (int i = 0; i < model.nx; i++) {
            v[i] = (pack->x_new[i] - pack->f_end[i]) * 1e7;
            real scaled = v[i] / model.nominal_x[i];
            size += scaled * scaled;
        }
        for (int l = 0; l < LANES; l++) {
            size[l] = sqrt(size[l]);
            if (pass) growth[l] += log(size[l]) / (LOOKS_AT_COST - 1);
        }
        size = choose((Mask)(size > 0.0), size, NUMBER(1.0));
        for (int i = 0; i < model.nx; i++) v[i] /= size;
    }
    return growth;
}
