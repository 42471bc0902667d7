/* A host of FMI 3.0 that is not Python, for machines that this one only imitates (wine, qemu):
 *
 *     host3 LIBRARY TOKEN UNTIL STEP REFERENCE:SIZE...   values of float variables after co-simulation
 *
 * Half way a state is saved; the rest of the run is made twice from it, and has to give the same bits. Numbers are printed as hexadecimal
 * floats. Exit code 0, or 1 with a message. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi3FunctionTypes.h"

#ifdef _WIN32
#include <windows.h>
static void *open_library(const char *path) { return (void *)LoadLibraryA(path); }
static void *symbol(void *library, const char *name) { return (void *)GetProcAddress((HMODULE)library, name); }
#else
#include <dlfcn.h>
static void *open_library(const char *path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }
static void *symbol(void *library, const char *name) { return dlsym(library, name); }
#endif

#define MOST_VALUES 4096

static void fail(const char *what) {
    fprintf(stderr, "host3: %s\n", what);
    exit(1);
}

static void check(fmi3Status status, const char *what) {
    if (status != fmi3OK) fail(what);
}

static void log_message(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message) {
    (void)environment;
    fprintf(stderr, "%s (status %d): %s\n", category, status, message);
}

static void *library;
#define FUNCTION(name) ((name##TYPE *)symbol(library, #name))

static void advance(fmi3Instance instance, long from, long to, double step) {
    for (long i = from; i < to; i++) {
        fmi3Boolean event, terminate, early;
        fmi3Float64 reached;
        check(FUNCTION(fmi3DoStep)(instance, i * step, (i + 1) * step - i * step, fmi3True, &event, &terminate, &early, &reached),
              "fmi3DoStep");
        if (terminate || early) fail("a step ended early");
    }
}

static size_t read_all(fmi3Instance instance, char **references, int count, double *values) {
    size_t total = 0;
    for (int i = 0; i < count; i++) {
        fmi3ValueReference reference = (fmi3ValueReference)strtoul(references[i], NULL, 10);
        size_t size = strtoul(strchr(references[i], ':') + 1, NULL, 10);
        if (total + size > MOST_VALUES) fail("too many values");
        check(FUNCTION(fmi3GetFloat64)(instance, &reference, 1, values + total, size), "fmi3GetFloat64");
        total += size;
    }
    return total;
}

int main(int count, char **arguments) {
    static double first[MOST_VALUES], second[MOST_VALUES];
    if (count < 5) fail("arguments are missing");
    library = open_library(arguments[1]);
    if (!library) fail("the library can't be loaded");
    double until = atof(arguments[3]), step = atof(arguments[4]);
    long steps = (long)(until / step + 0.5), half = steps / 2;
    fmi3Instance instance = FUNCTION(fmi3InstantiateCoSimulation)("host", arguments[2], NULL, fmi3False, fmi3True, fmi3False, fmi3False,
                                                                  NULL, 0, NULL, log_message, NULL);
    if (!instance) fail("fmi3InstantiateCoSimulation gave nothing");
    check(FUNCTION(fmi3EnterInitializationMode)(instance, fmi3False, 0.0, 0.0, fmi3False, 0.0), "fmi3EnterInitializationMode");
    check(FUNCTION(fmi3ExitInitializationMode)(instance), "fmi3ExitInitializationMode");
    advance(instance, 0, half, step);
    fmi3FMUState state = NULL;
    check(FUNCTION(fmi3GetFMUState)(instance, &state), "fmi3GetFMUState");
    advance(instance, half, steps, step);
    size_t total = read_all(instance, arguments + 5, count - 5, first);
    check(FUNCTION(fmi3SetFMUState)(instance, state), "fmi3SetFMUState");
    check(FUNCTION(fmi3FreeFMUState)(instance, &state), "fmi3FreeFMUState");
    advance(instance, half, steps, step);
    if (read_all(instance, arguments + 5, count - 5, second) != total || memcmp(first, second, total * sizeof *first))
        fail("the rest of the run differs after fmi3SetFMUState");
    check(FUNCTION(fmi3Terminate)(instance), "fmi3Terminate");
    FUNCTION(fmi3FreeInstance)(instance);
    for (size_t i = 0; i < total; i++) printf("%a\n", first[i]);
    return 0;
}
