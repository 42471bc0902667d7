/* Batches of runs (runtime/batch) as programs call them, and as little memory and wrong values make them: no crash, no leak; a batch that can't be
 * made is NULL; what one run refuses, and whatever makes it leave the vector that it shares, leaves the others as they are. For small Systems of
 * tests/systems_small.py, and for Apart (models.py), whose parameters make runs leave. */
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
void batch_costs(Batch *batch, size_t first, size_t last, double *costs);

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

static int has(const char *name) {
    for (int i = 0; i < model.n_variables; i++)
        if (!strcmp(model.variables[i].name, name)) return i;
    return -1;
}

static unsigned named(const char *name) {
    if (has(name) < 0) fprintf(stderr, "lanes: no %s\n", name), exit(1);
    return (unsigned)has(name);
}

static const size_t all[RUNS] = {0, 1, 2, 3, 4}, other[RUNS] = {3, 1, 4, 0, 2};
static double points[POINTS];

static Batch *begun(double tolerance, double stop) {
    Batch *batch = batch_create(RUNS);
    if (batch) batch_begin(batch, 0.0, all, RUNS, tolerance, stop, NULL, 0, NULL);
    return batch;
}

enum { MOST = 256 };
static unsigned every[MOST];
static size_t n; /* of them */
static double kept[RUNS * POINTS * MOST];

static void list_variables(void) {
    for (int i = 0; i < model.n_variables && n < MOST; i++)
        if (model.variables[i].group != GROUP_INDICATOR && model.variables[i].group != GROUP_TIME) every[n++] = (unsigned)i;
}

/* All that the steps can be asked for, with values of every group, kept at all points, at the last or nowhere. */
static void asked(void) {
    static double numbers[RUNS], costs[PACKS * LANES];
    const Measure largest = {.kind = MAX, .count = 1, .factor = 1.0};
    Batch *batch = begun(1e-8, HUGE_VAL);
    DEMAND(batch && batch_failed(batch) == 0);
    batch_costs(batch, 0, PACKS, costs);
    for (int i = 0; i < RUNS; i++) DEMAND(!isnan(costs[i]));
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
    Steps steps = {.n_points = POINTS, .points = points, .n_inputs = input != 0, .inputs = &input, .input_values = stiff, .inputs_by_run = 1,
                   .n_kept = n, .kept = every, .keep_all = 1, .kept_values = kept};
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

/* Values of runs that have not failed are finite at every point. */
static void finite_where_fine(const Batch *batch) {
    for (size_t run = 0; run < RUNS; run++)
        for (size_t i = 0; i < POINTS * n && !*batch_reason(batch, run); i++) DEMAND(isfinite(kept[run * POINTS * n + i]));
}

/* An input that moves while runs share steps. */
static void moved_inputs(void) {
    unsigned input = 0;
    double ramp[POINTS];
    for (int i = 0; i < model.n_variables; i++)
        if (model.variables[i].group == GROUP_INPUT && model.variables[i].kind == KIND_REAL) input = (unsigned)i;
    for (int i = 0; i < POINTS; i++) ramp[i] = 0.01 * i;
    Batch *batch = begun(1e-8, HUGE_VAL);
    Steps steps = {.n_points = POINTS, .points = points, .n_inputs = input != 0, .inputs = &input, .input_values = ramp,
                   .n_kept = n, .kept = every, .keep_all = 1, .kept_values = kept};
    DEMAND(!batch_steps(batch, 0, PACKS, &steps) && batch_failed(batch) == 0);
    finite_where_fine(batch);
    batch_free(batch);
}

/* A parameter that is changed as soon as a step can be shared, and later: as with runs that take all steps by themselves. */
static void tuned_between(const char *name) {
    static double alone[RUNS * POINTS * MOST];
    const unsigned tuned = named(name), limit = named("solver.max_step");
    double values[POINTS];
    const double limits[RUNS] = {10.0, 10.0, 10.0, 10.0, 10.0}; /* longer than any step, but a solver of one's own */
    for (int i = 0; i < POINTS; i++) values[i] = i == 0 ? 2.0 : i < 5 ? 3.0 : 2.5;
    for (int apart = 0; apart < 2; apart++) {
        Batch *batch = batch_create(RUNS);
        DEMAND(batch);
        batch_begin(batch, 0.0, all, RUNS, 1e-10, HUGE_VAL, &limit, (size_t)apart, limits);
        Steps steps = {.n_points = POINTS, .points = points, .n_inputs = 1, .inputs = &tuned, .input_values = values,
                       .n_kept = n, .kept = every, .keep_all = 1, .kept_values = apart ? alone : kept};
        DEMAND(!batch_steps(batch, 0, PACKS, &steps) && batch_failed(batch) == 0);
        batch_free(batch);
    }
    for (size_t i = 0; i < RUNS * POINTS * n; i++)
        DEMAND(every[i % n] == limit || fabs(kept[i] - alone[i]) < 1e-7);
}

/* ---- Apart: what makes runs leave */

typedef struct {
    const char *name;
    double value;
} Set;

enum { ALL_OF_THEM = RUNS };

/* Two parameters of one run or of all of them; the others do not fail. Gives how many failed. */
static size_t apart(Set first, Set second, int who, double tolerance, double stop) {
    const Set sets[] = {first, second};
    unsigned references[2];
    double values[2 * RUNS];
    for (int k = 0; k < 2; k++) {
        references[k] = named(sets[k].name);
        for (int i = 0; i < RUNS; i++)
            values[2 * i + k] = who == ALL_OF_THEM || i == who ? sets[k].value : model.start_p[model.variables[references[k]].index];
    }
    Batch *batch = batch_create(RUNS);
    DEMAND(batch);
    batch_begin(batch, 0.0, all, RUNS, tolerance, stop, references, 2, values);
    Steps steps = {.n_points = POINTS, .points = points, .n_kept = n, .kept = every, .keep_all = 1, .kept_values = kept};
    DEMAND(!batch_steps(batch, 0, PACKS, &steps));
    size_t failed = batch_failed(batch);
    for (int i = 0; i < RUNS; i++) DEMAND(who == ALL_OF_THEM || i == who || !*batch_reason(batch, (size_t)i));
    finite_where_fine(batch);
    batch_free(batch);
    return failed;
}

/* A value set at one communication point, while all share steps, and set again to the same at the others. */
static size_t set_between(const char *name, double before, double then) {
    const unsigned reference = named(name);
    double values[POINTS];
    for (int i = 0; i < POINTS; i++) values[i] = i < 4 ? before : then;
    Batch *batch = begun(1e-8, HUGE_VAL);
    Steps steps = {.n_points = POINTS, .points = points, .n_inputs = 1, .inputs = &reference, .input_values = values,
                   .n_kept = n, .kept = every, .keep_all = 1, .kept_values = kept};
    DEMAND(!batch_steps(batch, 0, PACKS, &steps));
    size_t failed = batch_failed(batch);
    finite_where_fine(batch);
    batch_free(batch);
    return failed;
}

static void ways_apart(void) {
    const Set none = {"tuned", 1.0};
    for (int who = 1; who <= ALL_OF_THEM; who += ALL_OF_THEM - 1) {
        size_t bad = who == ALL_OF_THEM ? RUNS : 1;
        DEMAND(apart(none, none, who, 1e-8, HUGE_VAL) == 0);
        DEMAND(apart((Set){"wall", 0.35}, none, who, 1e-8, HUGE_VAL) == bad);
        DEMAND(apart((Set){"seen", 0.35}, none, who, 1e-8, HUGE_VAL) == bad);
        DEMAND(apart((Set){"tuned", 1e200}, (Set){"share", 1.0}, who, 1e-8, HUGE_VAL) == bad);
        DEMAND(apart((Set){"stiff", 1e5}, none, who, 1e-8, HUGE_VAL) == 0);
        DEMAND(apart((Set){"pull", 0.1}, (Set){"share", 0.4}, who, 1e-8, HUGE_VAL) == 0); /* many passes, but enough of them */
        apart((Set){"pull", 0.1}, (Set){"share", 1e-3}, who, 1e-8, HUGE_VAL);
        apart((Set){"noise", 1e8}, none, who, 1e-8, HUGE_VAL);
        for (int i = 0; i < 60; i++) apart((Set){"gone", 0.103 + 0.011 * i}, none, who, 1e-8, HUGE_VAL);
        for (int i = 0; i < 7; i++) DEMAND(apart(none, none, who, 1e-4, points[POINTS - 1] + 0.02 * i) == 0);
    }
    DEMAND(set_between("restless", 0.0, 1.0) == RUNS);
    DEMAND(set_between("tuned", 1.0, 2.0) == 0);
    DEMAND(set_between("tuned", 1.0, 1e200) == RUNS);
}

int main(void) {
    for (int i = 0; i < POINTS; i++) points[i] = 0.1 * i;
    list_variables();
    if (has("wall") >= 0) ways_apart();
    if (has("frequency") >= 0) tuned_between("frequency");
    moved_inputs();
    asked(), little_memory(), wrong_values(), by_themselves();
    printf("demands %d\n", demands);
    return 0;
}
