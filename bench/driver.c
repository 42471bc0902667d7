/* Loops over the functions that are measured, so that nothing but calls is between two of them.
 * Each returns nanoseconds of CPU a call, over n calls; a call that fails ends the loop with -1. */
#include <stddef.h>
#include <time.h>

typedef int (*Vector)(void *, double *, size_t);
typedef int (*Step)(void *, double, double, int);
typedef int (*Values)(void *, const unsigned *, size_t, double *);
typedef int (*Generated)(const double **, double **, long long *, double *, int);
typedef void (*Forward)(const void *, void *);

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Model exchange: states in, derivatives out. The first state moves a little, lest an answer be kept: FMUs keep two. */
double loop_exchange(Vector set, Vector get, void *fmu, double *x, double *rates, size_t nx, long n)
{
    const double first = x[0], begin = now();
    for (long i = 0; i < n; i++) {
        x[0] = first + 1e-12 * (double)(i & 7);
        if (set(fmu, x, nx) > 1 || get(fmu, rates, nx) > 1) return -1.0;
    }
    return (now() - begin) / (double)n;
}

/* Generated code, ours or CasADi's: one pointer an argument. The first entry of arg[vary] moves a little. */
double loop_generated(Generated f, const double **arg, double **res, long long *iw, double *w, double *vary, long n)
{
    const double first = *vary, begin = now();
    for (long i = 0; i < n; i++) {
        *vary = first + 1e-12 * (double)(i & 1);
        if (f(arg, res, iw, w, 0)) return -1.0;
    }
    *vary = first;
    return (now() - begin) / (double)n;
}

/* mj_forward. */
double loop_forward(Forward forward, const void *model, void *data, long n)
{
    const double begin = now();
    for (long i = 0; i < n; i++) forward(model, data);
    return (now() - begin) / (double)n;
}

/* Communication steps of `size` from *time on, which moves with them. */
double loop_steps(Step step, void *fmu, double *time, double size, long n)
{
    const double begin = now(), start = *time;
    for (long i = 0; i < n; i++) {
        if (step(fmu, start + (double)i * size, size, 1) > 1) return -1.0;
    }
    *time = start + (double)n * size;
    return (now() - begin) / (double)n;
}

/* The same, with the CPU time of every step [ns] in `taken`. */
double loop_each(Step step, void *fmu, double *time, double size, double *taken, long n)
{
    const double start = *time;
    double before = now();
    for (long i = 0; i < n; i++) {
        if (step(fmu, start + (double)i * size, size, 1) > 1) return -1.0;
        const double after = now();
        taken[i] = after - before, before = after;
    }
    *time = start + (double)n * size;
    return 0.0;
}

/* fmi2GetReal or fmi2SetReal. */
double loop_values(Values function, void *fmu, const unsigned *references, size_t count, double *values, long n)
{
    const double begin = now();
    for (long i = 0; i < n; i++)
        if (function(fmu, references, count, values) > 1) return -1.0;
    return (now() - begin) / (double)n;
}

/* fmi3GetFloat64, which is told the number of values, too. */
double loop_values3(int (*function)(void *, const unsigned *, size_t, double *, size_t), void *fmu, const unsigned *references, size_t count, double *values, size_t size, long n)
{
    const double begin = now();
    for (long i = 0; i < n; i++)
        if (function(fmu, references, count, values, size) > 1) return -1.0;
    return (now() - begin) / (double)n;
}

/* A master for two units: b steps with what a showed, a with what b showed, every communication step. */
typedef struct {
    void *source, *target;
    Values get, set;
    const unsigned *from, *to;
    size_t count;
    const double *factors;
} Connection;

double loop_coupled(Step step_a, void *a, Step step_b, void *b, const Connection *connections, int many, double *time, double size, long n)
{
    double values[64];
    const double begin = now(), start = *time;
    for (long i = 0; i < n; i++) {
        for (const Connection *c = connections; c < connections + many; c++) {
            if (c->count > 64 || c->get(c->source, c->from, c->count, values) > 1) return -1.0;
            for (size_t j = 0; j < c->count; j++) values[j] *= c->factors[j];
            if (c->set(c->target, c->to, c->count, values) > 1) return -1.0;
        }
        const double t = start + (double)i * size;
        if (step_a(a, t, size, 1) > 1 || step_b(b, t, size, 1) > 1) return -1.0;
    }
    *time = start + (double)n * size;
    return (now() - begin) / (double)n;
}
