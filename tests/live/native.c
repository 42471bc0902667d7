/* The default experiment of an FMU through the functions of FMI 2.0, as any host calls them: the witness of what pages compute.
 * native TOLERANCE STEP STEPS COUNT < COUNT pairs (value reference, type: 0 real, 1 integer, 2 boolean); writes rows of doubles. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "fmi2Functions.h"
#include "model.h"

static void hear(fmi2ComponentEnvironment e, fmi2String name, fmi2Status status, fmi2String category, fmi2String text, ...) {
    (void)e, (void)name;
    if (status > fmi2Warning) fprintf(stderr, "%s: %s\n", category, text);
}

/* Values of one type, which follow each other. */
static void get(fmi2Component c, int type, const unsigned *references, int count, int *whole, double *values) {
    fmi2Status status = type == 0   ? fmi2GetReal(c, references, count, values)
                        : type == 1 ? fmi2GetInteger(c, references, count, whole)
                                    : fmi2GetBoolean(c, references, count, whole);
    if (status > fmi2Warning) exit(3);
    for (int i = 0; type && i < count; i++) values[i] = whole[i];
}

int main(int argc, char **argv) {
    if (argc != 5) return 2;
    double tolerance = atof(argv[1]), h = atof(argv[2]);
    int steps = atoi(argv[3]), count = atoi(argv[4]);
    unsigned *references = calloc(count, sizeof *references);
    int *types = calloc(count, sizeof *types);
    for (int i = 0; i < count; i++)
        if (scanf("%u %d", &references[i], &types[i]) != 2) return 2;
    fmi2CallbackFunctions host = {hear, calloc, free, NULL, NULL};
    fmi2Component c = fmi2Instantiate("native", fmi2CoSimulation, model.guid, "", &host, fmi2False, fmi2False);
    if (!c || fmi2SetupExperiment(c, fmi2True, tolerance, 0.0, fmi2False, 0.0) > fmi2Warning ||
        fmi2EnterInitializationMode(c) > fmi2Warning || fmi2ExitInitializationMode(c) > fmi2Warning)
        return 3;
    size_t length = (size_t)count * (steps + 1);
    double *rows = calloc(length, sizeof *rows), *row = rows;
    int *whole = calloc(count, sizeof *whole);
    clock_t began = clock();
    for (int i = 0; i <= steps; i++, row += count) {
        for (int k = 0, next; k < count; k = next) {
            for (next = k + 1; next < count && types[next] == types[k];) next++;
            get(c, types[k], references + k, next - k, whole, row + k);
        }
        if (i < steps && fmi2DoStep(c, i * h, h, fmi2True) > fmi2Warning) return 5;
    }
    fprintf(stderr, "seconds %.6f\n", (double)(clock() - began) / CLOCKS_PER_SEC);
    fmi2FreeInstance(c);
    return fwrite(rows, sizeof *rows, length, stdout) == length ? 0 : 4;
}
