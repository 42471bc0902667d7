/* What a page in a browser calls: co-simulation by FMI 2.0's rules, every number a double, and the picture. WebAssembly exports it;
 * `told` is the page's own. Statuses are those of host.h. */
#include <math.h>
#include <stdlib.h>

#include "cosimulation.h"
#include "fmi2_calls.h"
#include "life.h"
#include "log.h"
#include "picture.h"
#include "states.h"
#include "values.h"

#define EXPORTED(name) __attribute__((export_name(#name)))

enum { ALL_KINDS = REALS | INTEGERS | BOOLEANS };

__attribute__((import_module("page"), import_name("told"))) void told(int status, const char *category, const char *message);

static void tell_page(const Host *host, const char *instance, Status status, const char *category, const char *message) {
    (void)host, (void)instance;
    told(status, category, message);
}

EXPORTED(room) void *room(size_t bytes) { return calloc(1, bytes); }

EXPORTED(release) void release(void *memory) { free(memory); }

/* NULL: there is no memory. */
EXPORTED(create) void *create(void) {
    Host host = {.log = tell_page, .logger = (void (*)(void))told};
    Instance *instance = instance_create(&host, &fmi2_rules, model.name, COSIMULATION);
    if (instance) instance->logged = LOG_EVENTS | LOG_SOLVER;
    return instance;
}

/* The experiment, before start values are set; stop: HUGE_VAL if it has no end. */
EXPORTED(set_up) Status set_up(void *c, double tolerance, double stop) {
    return setup_experiment(c, CALL(SETUP_EXPERIMENT), &tolerance, 0.0, isfinite(stop) ? &stop : NULL);
}

EXPORTED(initialize) Status initialize(void *c) {
    Status status = enter_initialization(c, CALL(ENTER_INITIALIZATION));
    return status == STATUS_OK ? exit_initialization(c, CALL(EXIT_INITIALIZATION)) : status;
}

EXPORTED(step) Status step(void *c, double t, double h) { return step_over(c, CALL(DO_STEP), t, h); }

EXPORTED(terminate) Status terminate(void *c) { return terminate_instance(c, CALL(TERMINATE)); }

EXPORTED(reset) Status reset(void *c) { return reset_instance(c, CALL(RESET)); }

EXPORTED(get) Status get(void *c, const unsigned *references, size_t count, double *values) {
    return get_values(c, CALL(GET_REAL), ALL_KINDS, (Chosen){.references = references, .count = count},
                      (Values){.type = TYPE_DOUBLE, .wanted = values});
}

EXPORTED(set) Status set(void *c, const unsigned *references, size_t count, const double *values) {
    return set_values(c, CALL(SET_REAL), ALL_KINDS, (Chosen){.references = references, .count = count},
                      (Values){.type = TYPE_DOUBLE, .given = values});
}

/* A saved state, to be given to `restore` and `forget`; NULL: there is no memory. */
EXPORTED(save) void *save(void *c) {
    void *state = NULL;
    return save_state(c, CALL(GET_STATE), &state) == STATUS_OK ? state : NULL;
}

EXPORTED(restore) Status restore(void *c, const void *state) { return restore_state(c, CALL(SET_STATE), state); }

EXPORTED(forget) Status forget(void *c, void *state) { return free_state(c, CALL(FREE_STATE), &state); }

/* coordinates: x, u, p of the picture, one after the other. */
EXPORTED(place) void place(double t, const double *coordinates, double *numbers) {
    if (!picture.place) return;
    const double *arg[] = {&t, coordinates, coordinates + picture.nx, coordinates + picture.nx + picture.nu};
    double *res[] = {numbers};
    picture.place(arg, res, picture.work);
}
