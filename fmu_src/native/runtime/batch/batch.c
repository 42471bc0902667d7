/* A batch: as many runs of the model as wanted, in packs. What a program that steps many runs calls; different packs may be stepped by different threads. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fmi2_calls.h"
#include "life.h"
#include "measures.h"
#include "values.h"

#ifdef _WIN32
#define SHARED __declspec(dllexport)
#else
#define SHARED __attribute__((visibility("default")))
#endif

enum { ALL_KINDS = REALS | INTEGERS | BOOLEANS };

typedef struct {
    size_t runs, packs, bytes;
    void *memory; /* of the packs */
    Pack *pack;
    Instance **instance; /* of each run, and */
    size_t *place;       /* its lane, counted through all packs; */
    size_t *order;       /* the run in each lane */
    char *reasons;       /* why each failed, REASON_LENGTH bytes; empty: it has not */
} Batch;

/* What steps of packs take and give; arrays have a row per run. */
typedef struct {
    size_t n_points;
    const double *points; /* communication points, the first is the present */
    size_t n_inputs, n_kept, n_measures;
    const unsigned *inputs, *kept; /* value references */
    const double *input_values;    /* n_inputs numbers; a row per point for all runs, or a row per run for all points: */
    int inputs_by_run;
    int keep_all;        /* values at every point, or at the last one alone */
    double *kept_values; /* (runs, points kept, n_kept); NULL: none */
    const Measure *measures; /* of the kept variables */
    double *numbers;         /* (runs, n_measures) */
} Steps;

/* Keeps what is said of a failure: the host's environment is the run's own place for it. */
static void keep_reason(const Host *host, const char *instance, Status status, const char *category, const char *message) {
    (void)instance, (void)category;
    if (status > STATUS_WARNING) {
        strncpy(host->environment, message, REASON_LENGTH - 1);
        ((char *)host->environment)[REASON_LENGTH - 1] = '\0';
    }
}

static __thread size_t taken; /* bytes, by `take` */

static void *take(size_t count, size_t size) {
    taken += count * size;
    return calloc(count, size);
}

SHARED int batch_lanes(void) { return LANES; }
SHARED int batch_shares(void) { return lane_model.serves; }
SHARED size_t batch_bytes(const Batch *batch) { return batch->bytes; }

SHARED void batch_free(Batch *batch) {
    if (!batch) return;
    for (size_t i = 0; batch->instance && i < batch->runs; i++)
        if (batch->instance[i]) instance_destroy(batch->instance[i]);
    free(batch->memory), free(batch->instance), free(batch->place), free(batch->order), free(batch->reasons), free(batch);
}

static void *counted(Batch *batch, size_t count, size_t size) {
    batch->bytes += count * size;
    return calloc(count, size);
}

static char *reason_of(const Batch *batch, size_t run) { return batch->reasons + run * REASON_LENGTH; }

/* Which run is in which lane: `order` has the runs, lane by lane. */
SHARED void batch_arrange(Batch *batch, const size_t *order) {
    for (size_t lane = 0; lane < batch->packs * LANES; lane++) {
        Pack *pack = batch->pack + lane / LANES;
        if (lane < batch->runs) {
            batch->place[order[lane]] = lane, batch->order[lane] = order[lane];
            pack->lane[lane % LANES] = batch->instance[order[lane]];
            pack->reason[lane % LANES] = reason_of(batch, order[lane]);
            pack->count = (int)(lane % LANES) + 1;
        } else {
            pack->lane[lane % LANES] = pack->lane[0];
        }
    }
    for (size_t i = 0; i < batch->packs; i++) pack_begin(batch->pack + i, batch->pack[i].lane[0]->s.now->time);
    for (size_t lane = 0; lane < batch->runs; lane++)
        if (*reason_of(batch, order[lane])) batch->pack[lane / LANES].failed[lane % LANES] = -1;
}

static size_t aligned(size_t bytes) { return (bytes + sizeof(real) - 1) / sizeof(real) * sizeof(real); }

static void packs_room(Batch *batch) {
    Pack layout;
    Arena arena = {NULL, 0};
    pack_room(&layout, &arena);
    size_t head = aligned(batch->packs * sizeof(Pack)), each = aligned(arena.used);
    batch->memory = counted(batch, head + batch->packs * each + sizeof(real), 1);
    if (!batch->memory) return;
    char *base = (char *)aligned((uintptr_t)batch->memory);
    batch->pack = (Pack *)base;
    for (size_t i = 0; i < batch->packs; i++) {
        arena = (Arena){base + head + i * each, 0};
        pack_room(&batch->pack[i], &arena);
    }
}

/* NULL: there is no memory. */
SHARED Batch *batch_create(size_t runs) {
    Batch *batch = calloc(1, sizeof(Batch));
    if (!batch) return NULL;
    batch->runs = runs, batch->packs = (runs + LANES - 1) / LANES;
    batch->instance = counted(batch, runs, sizeof(Instance *));
    batch->place = counted(batch, runs, sizeof(size_t));
    batch->order = counted(batch, runs, sizeof(size_t));
    batch->reasons = counted(batch, runs, REASON_LENGTH);
    packs_room(batch);
    int fine = batch->instance && batch->place && batch->order && batch->reasons && batch->memory;
    Host host = {.allocate = take, .release = free, .log = keep_reason, .logger = (void (*)(void))keep_reason};
    for (size_t i = 0; fine && i < runs; i++)
        host.environment = reason_of(batch, i), fine = (batch->instance[i] = instance_create(&host, &fmi2_rules, model.name, COSIMULATION)) != NULL;
    batch->bytes += taken, taken = 0;
    if (!fine) {
        batch_free(batch);
        return NULL;
    }
    for (size_t i = 0; i < runs; i++) batch->order[i] = i;
    batch_arrange(batch, batch->order);
    return batch;
}

static Pack *pack_of(Batch *batch, size_t run) { return batch->pack + batch->place[run] / LANES; }

static int set_all(Instance *instance, const unsigned *references, size_t count, const double *values) {
    return set_values(instance, CALL(SET_REAL), ALL_KINDS, (Chosen){.references = references, .count = count},
                      (Values){.type = TYPE_DOUBLE, .given = values}) > STATUS_WARNING;
}

static int initialized(Instance *instance, double tolerance, const double *stop, const unsigned *references, size_t count,
                       const double *values) {
    reset_instance(instance, CALL(RESET));
    const double *wanted = tolerance > 0.0 ? &tolerance : NULL;
    if (setup_experiment(instance, CALL(SETUP_EXPERIMENT), wanted, 0.0, stop) > STATUS_WARNING) return 0;
    if (count && set_all(instance, references, count, values)) return 0;
    enter_initialization(instance, CALL(ENTER_INITIALIZATION)); /* never refused: the instance has just been reset */
    return exit_initialization(instance, CALL(EXIT_INITIALIZATION)) <= STATUS_WARNING;
}

/* Runs begin, at their own time 0 and a time of the batch, each in the lane that it has: start values (a row per run that begins), initialization. stop: HUGE_VAL, if there is no end. */
SHARED void batch_begin(Batch *batch, double time, const size_t *runs, size_t n, double tolerance, double stop, const unsigned *references, size_t count,
                        const double *values) {
    for (size_t i = 0; i < n; i++) {
        Instance *instance = batch->instance[runs[i]];
        Pack *pack = pack_of(batch, runs[i]);
        int lane = (int)(batch->place[runs[i]] % LANES);
        *reason_of(batch, runs[i]) = '\0'; /* a refusal writes its own */
        int fine = initialized(instance, tolerance, isfinite(stop) ? &stop : NULL, references, count, count ? values + i * count : NULL);
        lane_begins(pack, lane, time, fine);
    }
}

/* Why a run has failed; empty: it has not. */
SHARED const char *batch_reason(const Batch *batch, size_t run) { return reason_of(batch, run); }

/* How many runs have failed. */
SHARED size_t batch_failed(const Batch *batch) {
    size_t count = 0;
    for (size_t i = 0; i < batch->runs; i++) count += *reason_of(batch, i) != '\0';
    return count;
}

SHARED void batch_work(const Batch *batch, size_t first, size_t last, double *evaluations, double *alone) {
    for (size_t i = first; i < last; i++) *evaluations += batch->pack[i].evaluations, *alone += batch->pack[i].alone;
}

/* Estimated cost of each run, by its start. */
SHARED void batch_costs(Batch *batch, size_t first, size_t last, double *costs) {
    for (size_t i = first; i < last; i++) {
        real cost = pack_cost(batch->pack + i);
        for (int l = 0; l < batch->pack[i].count; l++) costs[i * LANES + l] = cost[l];
    }
}

/* The values of variables of all lanes at the present. */
static void values_now(Pack *pack, const unsigned *references, size_t count, real *values) {
    int outputs = 0, rates = 0;
    for (size_t i = 0; i < count; i++) {
        Group group = model.variables[references[i]].group;
        outputs |= group == GROUP_OUTPUT, rates |= group == GROUP_DERIVATIVE;
    }
    Quiet host;
    quiet_begin(&host);
    if (outputs) pack_outputs(pack);
    if (rates) pack_rates(pack, pack->f), pack->f_known = 0;
    quiet_end(&host);
    for (size_t i = 0; i < count; i++) {
        const Variable *variable = &model.variables[references[i]];
        const real *vectors = variable->group == GROUP_STATE        ? pack->x
                              : variable->group == GROUP_INPUT      ? pack->u
                              : variable->group == GROUP_DISCRETE   ? pack->d
                              : variable->group == GROUP_OUTPUT     ? pack->y
                              : variable->group == GROUP_DERIVATIVE ? pack->f
                                                                    : NULL;
        if (vectors) values[i] = vectors[variable->index];
        for (int l = 0; !vectors && l < LANES; l++) values[i][l] = values_of(&pack->lane[l]->s, variable->group)[variable->index];
    }
}

static void set_inputs(Batch *batch, size_t number, const Steps *steps, size_t point) {
    Pack *pack = batch->pack + number;
    for (int l = 0; l < pack->count; l++) {
        size_t row = steps->inputs_by_run ? batch->order[number * LANES + l] : point;
        if (pack->failed[l]) continue;
        if (set_all(pack->lane[l], steps->inputs, steps->n_inputs, steps->input_values + row * steps->n_inputs)) pack->failed[l] = -1;
    }
}

static void keep_values(const Pack *pack, const size_t *order, const Steps *steps, const real *values, size_t point) {
    size_t kept = steps->keep_all ? steps->n_points : 1, row = steps->keep_all ? point : 0;
    if (!steps->kept_values || (!steps->keep_all && point + 1 < steps->n_points)) return;
    for (int l = 0; l < pack->count; l++) {
        double *to = steps->kept_values + (order[l] * kept + row) * steps->n_kept;
        for (size_t i = 0; i < steps->n_kept; i++) to[i] = values[i][l];
    }
}

/* Packs first .. last - 1 through all points: 0, or -1: there is no memory. */
SHARED int batch_steps(Batch *batch, size_t first, size_t last, const Steps *steps) {
    size_t n = steps->n_kept, m = steps->n_measures;
    char *memory = calloc(1, n * sizeof(real) + m * sizeof(Measured) + 2 * sizeof(real));
    if (!memory) return -1;
    real *values = (real *)(((uintptr_t)memory + sizeof(real) - 1) / sizeof(real) * sizeof(real));
    Measured *so_far = (Measured *)(values + n);
    for (size_t number = first; number < last; number++) {
        Pack *pack = batch->pack + number;
        memset((void *)so_far, 0, m * sizeof(Measured));
        for (size_t point = 0; point < steps->n_points; point++) {
            double t = steps->points[point];
            int wanted = m || (n && (steps->keep_all || point + 1 == steps->n_points));
            if (wanted) {
                values_now(pack, steps->kept, n, values);
                for (size_t i = 0; i < m; i++) measure(steps->measures + i, t, values, so_far + i);
                keep_values(pack, batch->order + number * LANES, steps, values, point);
            }
            if (point + 1 == steps->n_points) break;
            if (steps->n_inputs) set_inputs(batch, number, steps, point);
            pack_step(pack, t, steps->points[point + 1] - t);
        }
        for (size_t i = 0; i < m; i++) {
            real found = measured(steps->measures + i, so_far + i);
            for (int l = 0; l < pack->count; l++) steps->numbers[batch->order[number * LANES + l] * m + i] = found[l];
        }
    }
    free(memory);
    return 0;
}
