/* Batches of runs (runtime/batch) as programs call them, and as little memory and wrong values make them: no crash, no leak; a batch that can't be
 * made is NULL; what one run refuses leaves the others as they are. For the Oscillator and the Ball of tests/systems_small.py. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measures.h"
#include "model.h"

typedef struct Batch Batch;
typedef struct {
    size_t n_points;
    const double *points;
    size_t n_inputs, n_kept, n_measures;
    const unsigned *inputs, *kept;
    const double *input_values;
    int inputs_by_run, keep_all;
    double *kept_values;
    const Measure *measures;
    double *numbers;
} Steps;

Batch *batch_create(size_t runs);
void batch_free(Batch *batch);
void batch_arrange(Batch *batch, const size_t *order);
void batch_begin(Batch *batch, double time, const size_t *runs, size_t n, double tolerance, double stop, const unsigned *references, size_t count, const double *values);
const char *batch_reason(const Batch *batch, size_t run);
size_t batch_failed(const Batch *batch);
int batch_steps(Batch *batch, size_t first, size_t last, const Steps *steps);

enum { RUNS = 5, POINTS = 9, PACKS = (RUNS + LANES - 1) / LANES };

#define DEMAND(truth)                                                                     \
    do {                                                                                  \
        if (!(truth)) fprintf(stderr, "lanes: %s, line %d\n", #truth, __LINE__), exit(1); \
        demands++;                                                                        \
    } while (0)

static int demands;
static long allocations, refused; /* refused: the number of the one that is; 0: none */

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size) { return ++allocations == refused ? NULL : __real_calloc(count, size); }

static unsigned named(const char *name) {
    for (int i = 0; i < model.n_variables; i++)
        if (!strcmp(model.variables[i].name, name)) return (unsigned)i;
    fprintf(stderr, "lanes: no %s\n", name), exit(1);
}

static const size_t all[RUNS] = {0, 1, 2, 3, 4}, other[RUNS] = {3, 1, 4, 0, 2};
static double points[POINTS];

static Batch *begun(double tolerance, double stop) {
    Batch *batch = batch_create(RUNS);
    if (batch) batch_begin(batch, 0.0, all, RUNS, tolerance, stop, NULL, 0, NULL);
    return batch;
}

/* All that the steps can be asked for, with values of every group, kept at all points, at the last or nowhere. */
static void asked(void) {
    static double kept[RUNS * POINTS * 256], numbers[RUNS];
    unsigned every[256];
    size_t n = 0;
    for (int i = 0; i < model.n_variables && n < 256; i++)
        if (model.variables[i].group != GROUP_INDICATOR && model.variables[i].group != GROUP_TIME) every[n++] = (unsigned)i;
    const Measure largest = {.kind = MAX, .count = 1, .factor = 1.0};
    Batch *batch = begun(1e-8, HUGE_VAL);
    DEMAND(batch && batch_failed(batch) == 0);
    for (int form = 0; form < 8; form++) {
        const Measure *measures = form & 1 ? &largest : NULL;
        Steps steps = {.n_points = POINTS, .points = points, .n_kept = n, .kept = every, .keep_all = form & 2, .kept_values = form & 4 ? kept : NULL,
                       .n_measures = form & 1, .measures = measures, .numbers = numbers};
        DEMAND(!batch_steps(batch, 0, PACKS, &steps));
        for (size_t i = 0; i < n && form & 4; i++) DEMAND(isfinite(kept[i]));
        for (int i = 0; i < POINTS; i++) points[i] += 0.8;
    }
    Steps nothing = {.n_points = 1, .points = points};
    DEMAND(!batch_steps(batch, 0, PACKS, &nothing));
    nothing.n_points = 0;
    DEMAND(!batch_steps(batch, 0, PACKS, &nothing));
    refused = ++allocations + 1, allocations = refused - 1;
    DEMAND(batch_steps(batch, 0, PACKS, &nothing) == -1);
    refused = 0;
    batch_free(batch);
    batch_free(NULL);
    for (int i = 0; i < POINTS; i++) points[i] = 0.1 * i;
}

/* Every allocation fails once. */
static void little_memory(void) {
    for (long i = 1, made = 0; !made; i++) {
        allocations = 0, refused = i;
        Batch *batch = begun(0.0, 10.0);
        made = allocations < i;
        DEMAND(!batch == !made);
        batch_free(batch);
    }
    refused = 0;
}

/* Values that a run refuses before it starts, by its tolerance, and between its steps, with one row for all runs and one for each. */
static void wrong_values(void) {
    const double infinite = HUGE_VAL, stiff[RUNS] = {0.0, 0.0, 1e300, 0.0, 0.0};
    unsigned start = named(model.variables[1].name), input = 0;
    double values[RUNS];
    for (int i = 0; i < model.n_variables; i++)
        if (model.variables[i].group == GROUP_INPUT && model.variables[i].kind == KIND_REAL) input = (unsigned)i;
    Batch *batch = begun(1e-8, HUGE_VAL);
    for (int i = 0; i < RUNS; i++) values[i] = i == 1 ? infinite : 0.5;
    batch_begin(batch, 0.0, all, RUNS, 1e-8, HUGE_VAL, &start, 1, values);
    DEMAND(batch_failed(batch) == 1 && *batch_reason(batch, 1));
    batch_arrange(batch, other);
    DEMAND(batch_failed(batch) == 1 && *batch_reason(batch, 1));
    Steps steps = {.n_points = POINTS, .points = points, .n_inputs = input != 0, .inputs = &input, .input_values = stiff, .inputs_by_run = 1};
    DEMAND(!batch_steps(batch, 0, PACKS, &steps));
    DEMAND(batch_failed(batch) <= 2);
    const double none[POINTS] = {0.0, 0.0, NAN, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    steps.inputs_by_run = 0, steps.input_values = none;
    for (int i = 0; i < POINTS; i++) points[i] += 0.8;
    batch_steps(batch, 0, PACKS, &steps);
    DEMAND(!input || batch_failed(batch) == RUNS);
    batch_begin(batch, 0.0, all, RUNS, 7.0, HUGE_VAL, NULL, 0, NULL); /* a tolerance that is none */
    DEMAND(batch_failed(batch) == RUNS);
    batch_begin(batch, 0.0, all, RUNS, 1e-8, -1.0, NULL, 0, NULL); /* the end is before the start */
    DEMAND(batch_failed(batch) == RUNS);
    batch_free(batch);
    for (int i = 0; i < POINTS; i++) points[i] = 0.1 * i;
}

/* Runs with other solvers, and with starts at which nothing can be shared. */
static void by_themselves(void) {
    unsigned wanted[2] = {named("solver.method"), named("solver.max_step")};
    const double values[2 * RUNS] = {1, 0, 2, 0.01, 1, 0.01, 3, 0, 4, 0.05};
    Batch *batch = begun(1e-8, HUGE_VAL);
    batch_begin(batch, 0.0, all, RUNS, 1e-8, HUGE_VAL, wanted, 2, values);
    DEMAND(batch_failed(batch) == 0);
    Steps steps = {.n_points = POINTS, .points = points};
    DEMAND(!batch_steps(batch, 0, PACKS, &steps) && batch_failed(batch) == 0);
    batch_free(batch);
}

int main(void) {
    for (int i = 0; i < POINTS; i++) points[i] = 0.1 * i;
    asked(), little_memory(), wrong_values(), by_themselves();
    printf("demands %d\n", demands);
    return 0;
}
