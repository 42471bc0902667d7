#include "sides.h"

#include <math.h>
#include <string.h>

/* An indicator that has just changed its side is off zero by BAND; one that starts at zero, by START. Not by more: an indicator may
 * stay as small as that for the rest of the run, and would change its side late, or never. */
#define BAND  1e-6
#define START 1e-9

static int evaluate(Simulation *s) { return evaluate_motion(&s->e, present(s), WANT_INDICATORS); }

static void set_side(Simulation *s, int i, double side) { s->side[i] = side, s->offset[i] = side * BAND; }

static double sign_of(double g) { return g > 0.0 ? 1.0 : -1.0; }

/* side z: positive as long as the indicator has not passed */
static double ahead(const Simulation *s, int i) { return s->side[i] * (s->e.g[i] + s->offset[i]); }

static void leave_bands(Simulation *s) {
    for (int i = 0; i < model.ng; i++)
        if (s->side[i] * s->e.g[i] >= fabs(s->offset[i])) s->offset[i] = 0.0;
}

int take_sides(Simulation *s) {
    if (evaluate(s)) return -1;
    for (int i = 0; i < model.ng; i++) {
        s->side[i] = sign_of(s->e.g[i]);
        s->offset[i] = fabs(s->e.g[i]) < START ? s->side[i] * START : 0.0;
    }
    return 0;
}

int event_is_due(Simulation *s) {
    if (evaluate(s)) return -1;
    for (int i = 0; i < model.ng; i++)
        if (ahead(s, i) <= 0.0) return 1;
    leave_bands(s);
    return 0;
}

int change_sides(Simulation *s) {
    if (evaluate(s)) return -1;
    for (int i = 0; i < model.ng; i++)
        if (ahead(s, i) <= 0.0) set_side(s, i, -s->side[i]);
    return 0;
}

int note_indicators(Simulation *s) {
    if (evaluate(s)) return -1;
    memcpy(s->g_noted, s->e.g, model.ng * sizeof(double));
    return 0;
}

int renew_sides(Simulation *s) {
    if (evaluate(s)) return -1;
    for (int i = 0; i < model.ng; i++)
        if (s->e.g[i] != s->g_noted[i]) set_side(s, i, sign_of(s->e.g[i]));
    return 0;
}

int indicators_for_host(Simulation *s, double *z) {
    if (evaluate(s)) return -1;
    for (int i = 0; i < model.ng; i++) z[i] = s->e.g[i] + s->offset[i];
    return 0;
}
