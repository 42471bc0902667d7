/* A host's loop over a co-simulation FMU, any tool's: inputs set, a step, values kept, point after point.
 *
 * It calls functions of FMI alone, in the order in which FMPy's loop does, so results are the same bit for bit; what is left out is Python
 * between two calls. No C library is needed, and nothing of an FMU but the addresses of its functions. */
#include <stddef.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

#ifdef _WIN32
#define SHARED __declspec(dllexport)
#else
#define SHARED __attribute__((visibility("default")))
#endif

enum { WARNING = 1, REFUSED_EARLY = -1, ENDS = -2 }; /* FMI's status up to which a call has done its work; ends that are not a status */

/* A getter or setter with the variables it serves; a row of values for each communication point. */
typedef struct {
    void (*function)(void);
    const unsigned *references;
    size_t n_references, n_values, row_bytes;
    char *rows;
} Access;

typedef struct {
    int fmi; /* 2 or 3 */
    void *instance;
    void (*do_step)(void);
    const double *points; /* communication points, the start first */
    size_t n_inputs, n_kept;
    const Access *inputs, *kept;
} Loop;

typedef int (*Access2)(void *, const unsigned *, size_t, void *);
typedef int (*Access3)(void *, const unsigned *, size_t, void *, size_t);
typedef int (*Step2)(void *, double, double, int);
typedef int (*Step3)(void *, double, double, _Bool, _Bool *, _Bool *, _Bool *, double *);

static int reach(const Loop *loop, const Access *access, size_t count, size_t row) {
    for (const Access *each = access; each < access + count; each++) {
        void *values = each->rows + row * each->row_bytes;
        int status = loop->fmi == 2
                         ? ((Access2)each->function)(loop->instance, each->references, each->n_references, values)
                         : ((Access3)each->function)(loop->instance, each->references, each->n_references, values, each->n_values);
        if (status > WARNING) return status;
    }
    return 0;
}

static int step(const Loop *loop, double t, double h, double *reached) {
    if (loop->fmi == 2) return ((Step2)loop->do_step)(loop->instance, t, h, 1);
    _Bool event, terminate, early;
    int status = ((Step3)loop->do_step)(loop->instance, t, h, 1, &event, &terminate, &early, reached);
    if (status > WARNING) return status;
    return early ? REFUSED_EARLY : terminate ? ENDS : 0;
}

/* From point `first` to point `last`. The point that was reached; *status is not 0 where a call ended the loop before: FMI's status of
 * it, or one of the ends above. A point at which the FMU ends the simulation is kept. */
SHARED size_t run_steps(const Loop *loop, size_t first, size_t last, int *status) {
    double reached;
    for (size_t i = first; i < last; i++) {
        double t = loop->points[i], h = loop->points[i + 1] - t;
        if ((*status = reach(loop, loop->inputs, loop->n_inputs, i)) > WARNING) return i;
        int stepped = step(loop, t, h, &reached);
        if (stepped > WARNING || stepped == REFUSED_EARLY) return *status = stepped, i;
        if ((*status = reach(loop, loop->kept, loop->n_kept, i + 1)) > WARNING) return i;
        if (stepped == ENDS) return *status = ENDS, i + 1;
    }
    *status = 0;
    return last;
}

/* The values at a point as they are now: FMI's status. */
SHARED int keep_values(const Loop *loop, size_t row) { return reach(loop, loop->kept, loop->n_kept, row); }

/* Doubles that one instruction takes on this machine: 8 with AVX-512, 4 with AVX2, else 2. */
SHARED int vector_length(void) {
#ifdef __x86_64__
    unsigned a, b, c, d, low;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 27)) return 2; /* OSXSAVE */
    __asm__("xgetbv" : "=a"(low), "=d"(d) : "c"(0));
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return 2;
    int wide = (b & 1u << 16) && (b & 1u << 17) && (b & 1u << 31) && (low & 0xe6) == 0xe6; /* AVX-512 F, DQ, VL */
    return wide ? 8 : (b & 1u << 5) && (low & 6) == 6 ? 4 : 2;
#else
    return 2;
#endif
}
