/* A host that is not Python: loads an FMU's library as any simulator would, and drives it.
 *
 *     host LIBRARY GUID run UNTIL STEP REFERENCE...   values of real variables after co-simulation
 *     host LIBRARY GUID drift STEPS STEP REFERENCE    the same after STEPS steps of a master that multiplies, one that
 * adds host LIBRARY GUID threads COUNT REFERENCE...    COUNT instances from eight threads, and again one after the
 * other host LIBRARY GUID trap UNTIL STEP REFERENCE... as run, but floating-point exceptions end it
 *     host LIBRARY GUID cycles COUNT                  instances created, stepped, saved and freed; bytes left over
 *     host LIBRARY GUID sealed STEPS STEP REFERENCE METHOD REFERENCE...  after initialization with that integer set, the process may make no
 * system call but read, write and exit: steps, and allocations of the host's in them
 *
 * Numbers are printed as hexadecimal floats: every bit shows. Exit code 0, or 1 with a message. */
#define _GNU_SOURCE
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi2FunctionTypes.h"

#ifdef _WIN32
#include <windows.h>
static void *open_library(const char *path) { return (void *)LoadLibraryA(path); }
static void *symbol(void *library, const char *name) { return (void *)GetProcAddress((HMODULE)library, name); }
#else
#include <dlfcn.h>
#include <pthread.h>
#ifdef __linux__
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif
static void *open_library(const char *path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }
static void *symbol(void *library, const char *name) { return dlsym(library, name); }
#endif

static fmi2InstantiateTYPE *instantiate;
static fmi2FreeInstanceTYPE *free_instance;
static fmi2SetupExperimentTYPE *setup;
static fmi2EnterInitializationModeTYPE *enter;
static fmi2ExitInitializationModeTYPE *leave;
static fmi2DoStepTYPE *do_step;
static fmi2GetRealTYPE *get_real;
static fmi2SetIntegerTYPE *set_integer;
static fmi2GetFMUstateTYPE *get_state;
static fmi2SetFMUstateTYPE *set_state;
static fmi2FreeFMUstateTYPE *free_state;
static const char *guid;
static fmi2ValueReference method_reference;
static fmi2Integer method; /* 0: as it is */

static void fail(const char *what) {
    fprintf(stderr, "host: %s\n", what);
    exit(1);
}

static void check(fmi2Status status, const char *what) {
    if (status != fmi2OK) fail(what);
}

static void log_message(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category,
                        fmi2String message, ...) {
    (void)environment;
    fprintf(stderr, "%s: %s (status %d): %s\n", name, category, status, message);
}

/* Memory with its size in front, so that what is left over can be counted. Used from one thread at a time. */
static long long bytes_in_use, allocations;

static void *allocate(size_t count, size_t size) {
    size_t *block = calloc(1, count * size + 16);
    if (!block) return NULL;
    *block = count * size;
    bytes_in_use += (long long)*block;
    allocations++;
    return (char *)block + 16;
}

static void release(void *memory) {
    if (!memory) return;
    size_t *block = (size_t *)((char *)memory - 16);
    bytes_in_use -= (long long)*block;
    free(block);
}

static const fmi2CallbackFunctions counted = {log_message, allocate, release, NULL, NULL};
static const fmi2CallbackFunctions plain = {log_message, calloc, free, NULL, NULL};

static fmi2Component create(const fmi2CallbackFunctions *callbacks) {
    fmi2String resources = getenv("FMU_RESOURCES"); /* a URI; an FMU without resources needs none */
    fmi2Component c = instantiate("host", fmi2CoSimulation, guid, resources, callbacks, fmi2False, fmi2False);
    if (!c) fail("fmi2Instantiate gave nothing");
    if (method) check(set_integer(c, &method_reference, 1, &method), "fmi2SetInteger");
    check(setup(c, fmi2False, 0.0, 0.0, fmi2False, 0.0), "fmi2SetupExperiment");
    check(enter(c), "fmi2EnterInitializationMode");
    check(leave(c), "fmi2ExitInitializationMode");
    return c;
}

static void show(fmi2Component c, int count, char **references) {
    for (int i = 0; i < count; i++) {
        fmi2ValueReference reference = (fmi2ValueReference)atoi(references[i]);
        fmi2Real value;
        check(get_real(c, &reference, 1, &value), "fmi2GetReal");
        printf("%a\n", value);
    }
}

static void run(char **arguments, int count) {
    double until = atof(arguments[0]), step = atof(arguments[1]);
    fmi2Component c = create(&plain);
    long steps = (long)(until / step + 0.5);
    for (long i = 0; i < steps; i++) check(do_step(c, i * step, (i + 1) * step - i * step, fmi2True), "fmi2DoStep");
    show(c, count - 2, arguments + 2);
    free_instance(c);
}

static void drift(char **arguments) {
    long steps = atol(arguments[0]);
    double step = atof(arguments[1]), sum = 0.0;
    fmi2Component multiplies = create(&counted), adds = create(&counted);
    long long before = 0;
    for (long i = 0; i < steps; i++, sum += step) {
        if (i == 1000) before = bytes_in_use;
        check(do_step(multiplies, i * step, step, fmi2True), "fmi2DoStep");
        check(do_step(adds, sum, step, fmi2True), "fmi2DoStep");
    }
    if (bytes_in_use != before) fail("the memory in use changes with the steps");
    show(multiplies, 1, arguments + 2);
    show(adds, 1, arguments + 2);
    free_instance(multiplies);
    free_instance(adds);
}

#ifdef __linux__
/* fenv_t has the state of both units, the exceptions and what is done with numbers below 1e-308. */
static int same_environment(const fenv_t *a, const fenv_t *b) { return !memcmp(a, b, sizeof *a); }

static void sealed(char **arguments, int count) {
    long steps = atol(arguments[0]), late = 0;
    double step = atof(arguments[1]);
    char text[64];
    fenv_t before, after;
    method_reference = (fmi2ValueReference)atoi(arguments[2]), method = atoi(arguments[3]);
    fmi2Component c = create(&counted);
    check(do_step(c, 0.0, step, fmi2True), "fmi2DoStep");
    long long known = allocations;
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)) fail("the process can't be sealed");
    feraiseexcept(FE_INEXACT | FE_UNDERFLOW); /* the host's own, to be found again */
    fegetenv(&before);
    for (long i = 1; i < steps; i++) {
        late += do_step(c, i * step, (i + 1) * step - i * step, fmi2True) != fmi2OK;
        fegetenv(&after);
        late += !same_environment(&before, &after);
    }
    int failed = late || allocations != known;
    for (int i = 4; i < count; i++) {
        fmi2ValueReference reference = (fmi2ValueReference)atoi(arguments[i]);
        fmi2Real value;
        failed |= get_real(c, &reference, 1, &value) != fmi2OK;
        int length = snprintf(text, sizeof text, "%a\n", value);
        failed |= write(1, text, (size_t)length) != length;
    }
    syscall(SYS_exit, failed ? 3 : 0); /* exit_group is closed, too */
}
#endif

static void cycles(long count) {
    for (long i = 0; i < count; i++) {
        fmi2FMUstate state = NULL;
        fmi2Component c = create(&counted);
        check(get_state(c, &state), "fmi2GetFMUstate");
        check(do_step(c, 0.0, 0.01, fmi2True), "fmi2DoStep");
        check(set_state(c, state), "fmi2SetFMUstate");
        check(free_state(c, &state), "fmi2FreeFMUstate");
        free_instance(c);
    }
    printf("%lld\n", bytes_in_use);
}

#ifndef _WIN32
#define THREADS 8
#define STEPS   50

static fmi2Component *instances;
static int instance_count;

/* Each instance its own step length, so that no two do the same. */
static void step_one(int i) {
    double step = 0.01 + 1e-5 * i;
    for (int k = 0; k < STEPS; k++)
        check(do_step(instances[i], k * step, (k + 1) * step - k * step, fmi2True), "fmi2DoStep");
}

static void *work(void *first) {
    for (int i = (int)(size_t)first; i < instance_count; i += THREADS) step_one(i);
    return NULL;
}

static void threads(char **arguments, int count) {
    instance_count = atoi(arguments[0]);
    instances = calloc(instance_count, sizeof *instances);
    for (int parallel = 1; parallel >= 0; parallel--) {
        for (int i = 0; i < instance_count; i++) instances[i] = create(&plain);
        pthread_t running[THREADS];
        for (size_t k = 0; k < THREADS && parallel; k++) pthread_create(&running[k], NULL, work, (void *)k);
        for (size_t k = 0; k < THREADS && parallel; k++) pthread_join(running[k], NULL);
        for (int i = 0; i < instance_count && !parallel; i++) step_one(i);
        for (int i = 0; i < instance_count; i++) {
            show(instances[i], count - 1, arguments + 1);
            free_instance(instances[i]);
        }
    }
    free(instances);
}
#endif

int main(int argc, char **argv) {
    if (argc < 5) fail("expected: LIBRARY GUID run|drift|threads|cycles ARGUMENTS");
    void *library = open_library(argv[1]);
    if (!library) fail("the library can't be loaded");
    guid = argv[2];
    const struct {
        void *pointer;
        const char *name;
    } functions[] = {
        {&instantiate, "fmi2Instantiate"},
        {&free_instance, "fmi2FreeInstance"},
        {&setup, "fmi2SetupExperiment"},
        {&enter, "fmi2EnterInitializationMode"},
        {&leave, "fmi2ExitInitializationMode"},
        {&do_step, "fmi2DoStep"},
        {&get_real, "fmi2GetReal"},
        {&set_integer, "fmi2SetInteger"},
        {&get_state, "fmi2GetFMUstate"},
        {&set_state, "fmi2SetFMUstate"},
        {&free_state, "fmi2FreeFMUstate"},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = symbol(library, functions[i].name);
        if (!found) fail(functions[i].name);
        memcpy(functions[i].pointer, &found, sizeof found);
    }
    if (!strcmp(argv[3], "run")) run(argv + 4, argc - 4);
    else if (!strcmp(argv[3], "drift")) drift(argv + 4);
#ifdef __GLIBC__
    else if (!strcmp(argv[3], "trap")) {
        feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
        run(argv + 4, argc - 4);
    }
#endif
    else if (!strcmp(argv[3], "cycles")) cycles(atol(argv[4]));
#ifdef __linux__
    else if (!strcmp(argv[3], "sealed")) sealed(argv + 4, argc - 4);
#endif
#ifndef _WIN32
    else if (!strcmp(argv[3], "threads")) threads(argv + 4, argc - 4);
#endif
    else fail("unknown command");
    return 0;
}
