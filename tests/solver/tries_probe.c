/* Runs the C solver of a model and notes each try of a step, for tests/solver/test_steps.py. */
#include <math.h>

#include "instance.h"
#include "integrate.h"

static double *rows;
static int count, room;

static void note(Simulation *s, double h, int accepted) {
    if (count < room) rows[3 * count] = s->order, rows[3 * count + 1] = h, rows[3 * count + 2] = accepted;
    count++;
}

/* Tries of a run from the start values with inputs u, by equal communication steps; -1: it fails. x: where it ends. */
__attribute__((visibility("default"))) int tries_probe(double method, double tolerance, double stop, int steps, const double *u, double *x, double *into,
                                                       int fits) {
    Host host = {0};
    Instance *instance = instance_create(&host, 0, "probe", COSIMULATION);
    Simulation *s = &instance->s;
    rows = into, count = 0, room = fits;
    s->now->tolerance = tolerance;
    s->solver[SOLVER_METHOD] = method;
    for (int i = 0; i < model.nu; i++) s->u[i] = u[i];
    set_mode(instance, MODE_INITIALIZATION);
    int failed = make_ready(instance);
    set_mode(instance, MODE_STEP_COMPLETE);
    s->on_try = note, s->ends_by = HUGE_VAL;
    for (int i = 0; i < steps && !failed; i++) failed = simulate_to(s, stop * (i + 1) / steps);
    for (int i = 0; i < model.nx; i++) x[i] = s->x[i];
    instance_destroy(instance);
    return failed ? -1 : count;
}
