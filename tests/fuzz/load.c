/* An FMI 2.0 FMU under load: many instances, many threads, many steps, and a soak of saving, restoring and resetting.
 *
 *     load INSTANCES THREADS STEPS_PER_THREAD STEPS SOAK STEP KEPT SPUN
 *
 * KEPT: reference of a real output that the motion keeps. SPUN: of a state that starts at 0.1. Prints a line of figures per part; a fault ends it with exit code 1. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi2Functions.h"

enum { MOST_THREADS = 64 };

extern const char *const fuzz_guid;

static long long bytes_in_use, allocations;

static void listen(fmi2ComponentEnvironment e, fmi2String name, fmi2Status status, fmi2String category, fmi2String message, ...) {
    (void)e, (void)name, (void)status, (void)category;
    fprintf(stderr, "load: %s\n", message);
}

/* Memory with its size in front. Threads allocate nothing. */
static void *allocate(size_t count, size_t size) {
    size_t *block = calloc(1, count * size + 16);
    if (!block) return NULL;
    *block = count * size, bytes_in_use += (long long)*block, allocations++;
    return (char *)block + 16;
}

static void release(void *memory) {
    if (!memory) return;
    size_t *block = (size_t *)((char *)memory - 16);
    bytes_in_use -= (long long)*block;
    free(block);
}

static void demand(int truth, const char *what) {
    if (truth) return;
    fprintf(stderr, "load: %s\n", what);
    exit(1);
}

static double length;
static fmi2ValueReference kept, spun;

static int start(fmi2Component c) {
    const fmi2Real rate = 0.1;
    return fmi2SetReal(c, &spun, 1, &rate) == fmi2OK && fmi2SetupExperiment(c, fmi2False, 0.0, 0.0, fmi2False, 0.0) == fmi2OK &&
           fmi2EnterInitializationMode(c) == fmi2OK && fmi2ExitInitializationMode(c) == fmi2OK;
}

static fmi2Component create(void) {
    static const fmi2CallbackFunctions host = {listen, allocate, release, NULL, NULL};
    fmi2Component c = fmi2Instantiate("load", fmi2CoSimulation, fuzz_guid, NULL, &host, fmi2False, fmi2False);
    demand(c && start(c), "an instance does not start");
    return c;
}

static void run(fmi2Component c, long first, long last) {
    for (long i = first; i < last; i++) demand(fmi2DoStep(c, i * length, length, fmi2True) == fmi2OK, "a step fails");
}

/* All states as bytes: equal motions have equal ones. */
static size_t state_of(fmi2Component c, fmi2FMUstate *state) {
    size_t size = 0;
    demand(fmi2GetFMUstate(c, state) == fmi2OK && fmi2SerializedFMUstateSize(c, *state, &size) == fmi2OK, "no state");
    return size;
}

static int same(fmi2Component a, fmi2Component b) {
    fmi2FMUstate of_a = NULL, of_b = NULL;
    size_t size = state_of(a, &of_a);
    int equal = state_of(b, &of_b) == size && !memcmp(of_a, of_b, size);
    fmi2FreeFMUstate(a, &of_a), fmi2FreeFMUstate(b, &of_b);
    return equal;
}

static void instances(long count) {
    fmi2Component *all = calloc((size_t)count, sizeof *all);
    long long before = bytes_in_use;
    for (long i = 0; i < count; i++) all[i] = create();
    long long each = (bytes_in_use - before) / count;
    for (long k = 0; k < 10; k++) for (long i = 0; i < count; i++) run(all[i], k, k + 1);
    for (long i = 1; i < count; i++) demand(same(all[0], all[i]), "instances differ");
    for (long i = 0; i < count; i++) fmi2FreeInstance(all[i]);
    free(all);
    demand(bytes_in_use == before, "memory is left over");
    printf("instances %ld, %.1f kB each, 10 interleaved steps each: all equal bit for bit, nothing left over\n", count, (double)each / 1e3);
}

static long thread_steps;

static void *work(void *c) {
    run(c, 0, thread_steps);
    return NULL;
}

static void threads(int count) {
    pthread_t running[MOST_THREADS];
    fmi2Component own[MOST_THREADS], alone = create();
    demand(count <= MOST_THREADS, "too many threads");
    for (int i = 0; i < count; i++) own[i] = create();
    for (int i = 0; i < count; i++) demand(!pthread_create(&running[i], NULL, work, own[i]), "no thread");
    for (int i = 0; i < count; i++) pthread_join(running[i], NULL);
    run(alone, 0, thread_steps);
    for (int i = 0; i < count; i++) demand(same(alone, own[i]), "a thread's motion differs"), fmi2FreeInstance(own[i]);
    fmi2FreeInstance(alone);
    printf("threads %d x %ld steps: the bits of one thread\n", count, thread_steps);
}

static double value_of(fmi2Component c, fmi2ValueReference reference) {
    fmi2Real value;
    demand(fmi2GetReal(c, &reference, 1, &value) == fmi2OK, "a value is refused");
    return value;
}

static void long_run(long steps) {
    fmi2Component c = create();
    run(c, 0, 1);
    double first = value_of(c, kept), worst = 0.0;
    long long before = allocations;
    for (long i = 1; i < steps; i++) {
        run(c, i, i + 1);
        if (i % 1000 == 0) worst = fmax(worst, fabs(value_of(c, kept) - first));
    }
    demand(allocations == before, "steps allocate");
    demand(value_of(c, 0) == (steps - 1) * length + length, "time is off");
    printf("steps %ld of %g s: time exact, no allocation, invariant %.6g kept to %.1e of it\n", steps, length, first, worst / fabs(first));
    fmi2FreeInstance(c);
}

static void soak(long rounds) {
    unsigned long long dice = 88172645463325252ull;
    long long before = bytes_in_use, counts[4] = {0};
    fmi2Component c = create();
    fmi2FMUstate state = NULL;
    long at = 0, saved = -1;
    for (long i = 0; i < rounds; i++) {
        dice ^= dice << 13, dice ^= dice >> 7, dice ^= dice << 17;
        int what = dice % 16 < 10 ? 0 : dice % 16 < 12 ? 1 : dice % 16 < 15 ? 2 : 3;
        counts[what]++;
        if (what == 0) run(c, at, at + 1), at++;
        else if (what == 1) demand(fmi2GetFMUstate(c, &state) == fmi2OK, "no state"), saved = at;
        else if (what == 2 && saved >= 0) demand(fmi2SetFMUstate(c, state) == fmi2OK, "a state is refused"), at = saved;
        else if (what == 3) {
            demand(fmi2Reset(c) == fmi2OK && start(c), "no start after a reset");
            at = 0;
        }
    }
    fmi2Component fresh = create();
    run(fresh, 0, at);
    demand(value_of(c, 0) == value_of(fresh, 0) && fabs(value_of(c, kept) - value_of(fresh, kept)) <= 1e-6 * fabs(value_of(fresh, kept)),
           "the soaked instance is elsewhere");
    fmi2FreeFMUstate(c, &state);
    fmi2FreeInstance(c), fmi2FreeInstance(fresh);
    demand(bytes_in_use == before, "memory is left over");
    printf("soak %ld rounds: %lld steps, %lld saved, %lld restored, %lld resets; nothing left over\n", rounds, counts[0], counts[1], counts[2], counts[3]);
}

int main(int count, char **arguments) {
    demand(count == 9, "expected INSTANCES THREADS STEPS_PER_THREAD STEPS SOAK STEP KEPT SPUN");
    length = atof(arguments[6]), kept = (fmi2ValueReference)atol(arguments[7]), spun = (fmi2ValueReference)atol(arguments[8]), thread_steps = atol(arguments[3]);
    instances(atol(arguments[1]));
    threads(atoi(arguments[2]));
    long_run(atol(arguments[4]));
    soak(atol(arguments[5]));
    return 0;
}
