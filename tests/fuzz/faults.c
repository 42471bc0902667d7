/* Faults, injected: evaluations, projections, solves, starts and allocations fail, and numbers are not finite. What fails is a linker's wrap
 * away (--wrap), so that the C that is tested is the C that is shipped. Two ways:
 *
 *     FUZZ_FAULTS   of a million calls fail, as a model's do far from what it was made for
 *     fault_plan()  one call fails: the n-th along one path of callers (sweep.c goes through all of them)
 *
 * A function that can fail in two ways does so by turns, from plan to plan. */
#include "faults.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "adjoint.h"
#include "elimination.h"
#include "evaluate.h"
#include "instance.h"
#include "manifold.h"
#include "methods.h"
#include "planned.h"
#include "rows_seen.h"

enum { PATHS = 1 << 15 };

static struct {
    uint64_t path[PATHS];
    long calls[PATHS];
} seen;
static uint64_t planned;
static long planned_call, injected;
static int turn;

void fault_plan(uint64_t path, long call) {
    turn = !turn;
    for (int i = 0; i < PATHS; i++) seen.calls[i] = 0;
    planned = path, planned_call = call, injected = 0;
}

long faults_injected(void) { return injected; }

int fault_paths(uint64_t *paths, long *calls, int most) {
    int count = 0;
    for (int i = 0; i < PATHS && count < most; i++)
        if (seen.path[i]) paths[count] = seen.path[i], calls[count] = seen.calls[i], count++;
    return count;
}

#ifdef SWEPT /* programs with frame pointers, and nothing inlined */
#pragma clang diagnostic ignored "-Wframe-address"

/* The call along its path: how often it has come, and whether it is the one that fails. */
static int fails_here(uint64_t path) {
    uint64_t place = path % PATHS;
    while (seen.path[place] && seen.path[place] != path) place = (place + 1) % PATHS;
    seen.path[place] = path, seen.calls[place]++;
    int here = path == planned && (planned_call < 0 ? seen.calls[place] >= -planned_call : seen.calls[place] == planned_call);
    injected += here;
    return here;
}

#define MIX(path, level) ((path) * 0x100000001b3u ^ (uint64_t)(uintptr_t)__builtin_return_address(level))
#define FAULT() (fails_here(MIX(MIX(MIX(MIX(MIX(0xcbf29ce484222325u, 0), 1), 2), 3), 4) | 1u))
#else
static int by_chance(void) {
    static long share = -1;
    static uint64_t seed = 88172645463325252u;
    if (share < 0) share = getenv("FUZZ_FAULTS") ? atol(getenv("FUZZ_FAULTS")) : 0;
    if (!share) return 0;
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (long)(seed % 1000000) < share;
}

#define FAULT() by_chance()
#endif

#define WRAPPED(NAME, DECLARED, PASSED, E)  \
    int __real_##NAME DECLARED;             \
    int __wrap_##NAME DECLARED;             \
    int __wrap_##NAME DECLARED { return FAULT() && fail(E, "a fault was injected") ? -1 : __real_##NAME PASSED; }

WRAPPED(evaluate_motion, (Evaluation * e, Point at, unsigned wanted), (e, at, wanted), e)
WRAPPED(evaluate_along, (Evaluation * e, Point at, double dt, const double *dx, const double *du, double *dx_dot, double *dy),
        (e, at, dt, dx, du, dx_dot, dy), e)
WRAPPED(project_as, (Evaluation * e, double t, double *x, const double *u, const double *d, int how), (e, t, x, u, d, how), e)
WRAPPED(make_ready, (Instance * instance), (instance), &instance->s.e)
WRAPPED(settle_once, (Evaluation * e, double t, double *x, const double *u, double *d, const double *side, int *changed),
        (e, t, x, u, d, side, changed), e)
WRAPPED(rates_at, (Simulation * s, double t, const double *x, double *f), (s, t, x, f), &s->e)
WRAPPED(dense_prepare, (Simulation * s, double h), (s, h), &s->e)
WRAPPED(begin_step, (Simulation * s), (s), &s->e)
WRAPPED(see_rows, (Evaluation * e, Point at, int rank), (e, at, rank), e)
WRAPPED(motion_factors, (Evaluation * e, Point at), (e, at), e)
WRAPPED(derive_constants, (Evaluation * e, const double *p), (e, p), e)

int __real_all_finite(const double *values, int count);
int __wrap_all_finite(const double *values, int count);
int __wrap_all_finite(const double *values, int count) { return FAULT() ? 0 : __real_all_finite(values, count); }

int __real_eliminate(const Elimination *plan, double *values, double *room);
int __wrap_eliminate(const Elimination *plan, double *values, double *room);
int __wrap_eliminate(const Elimination *plan, double *values, double *room) { return FAULT() ? -1 : __real_eliminate(plan, values, room); }

WRAPPED(solve_stage, (Evaluation * e, const Solve *solve, Stage *stage, double t, double off), (e, solve, stage, t, off), e)

/* Not to be factored, or a row fewer than there are. */
static int with_a_row_less(Saddle *s) {
    saddle_forget(s, saddle_weakest(s));
    return 0;
}

int __real_saddle_reveal(Saddle *s, int n, int m);
int __wrap_saddle_reveal(Saddle *s, int n, int m);
int __wrap_saddle_reveal(Saddle *s, int n, int m) {
    int fault = FAULT();
    if (fault && turn) return -1;
    return __real_saddle_reveal(s, n, m) ? -1 : fault ? with_a_row_less(s) : 0;
}

int __real_saddle_factor(Saddle *s, int n, int m, const double *M, const double *G);
int __wrap_saddle_factor(Saddle *s, int n, int m, const double *M, const double *G);
int __wrap_saddle_factor(Saddle *s, int n, int m, const double *M, const double *G) {
    int fault = FAULT();
    if (fault && turn) return -1;
    return __real_saddle_factor(s, n, m, M, G) ? -1 : fault ? with_a_row_less(s) : 0;
}

/* A plan that does not hold, or leaves a row out that counts. */
double __real_solve_planned(Evaluation *e, const Solve *solve, Stage *stage);
double __wrap_solve_planned(Evaluation *e, const Solve *solve, Stage *stage);
double __wrap_solve_planned(Evaluation *e, const Solve *solve, Stage *stage) {
    double left = __real_solve_planned(e, solve, stage);
    return FAULT() ? (turn ? -1.0 : fmax(left, 0.5)) : left;
}

/* Room for no weak row, once the rooms have their sizes. */
int fault_made;
int __real_most_weak(void);
int __wrap_most_weak(void);
int __wrap_most_weak(void) { return fault_made && FAULT() ? 0 : __real_most_weak(); }

/* A row that has turned across all that it is compared with. */
void __real_row_seen(Evaluation *e, int i, double *row);
void __wrap_row_seen(Evaluation *e, int i, double *row);
void __wrap_row_seen(Evaluation *e, int i, double *row) {
    __real_row_seen(e, i, row);
    for (int j = 0, turned = FAULT(); turned && j < model.motion.n; j++) row[j] = 0.0;
}

int __real_saddle_whiten(Saddle *s, int n, int m, const double *M, const double *G);
int __wrap_saddle_whiten(Saddle *s, int n, int m, const double *M, const double *G);
int __wrap_saddle_whiten(Saddle *s, int n, int m, const double *M, const double *G) {
    return FAULT() ? -1 : __real_saddle_whiten(s, n, m, M, G);
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size) { return FAULT() ? NULL : __real_calloc(count, size); }
