/* Parts of the runtime by themselves, with numbers and tables that no model of the sweeps gives: each must answer as its header says. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adjoint.h"
#include "calls.h"
#include "elimination.h"
#include "saddle.h"

#define DEMAND(truth)                                                                    \
    do {                                                                                 \
        if (!(truth)) fprintf(stderr, "parts: %s, line %d\n", #truth, __LINE__), exit(1); \
        demands++;                                                                       \
    } while (0)

static int demands;

enum { MOST = 4 };

static struct {
    double room[4096];
    Saddle s;
    double z[MOST], multipliers[MOST];
} with;

static int factor(int n, int m, const double *M, const double *G) {
    Arena arena = {(char *)with.room, 0};
    saddle_room(&with.s, &arena, n, m);
    DEMAND(arena.used <= sizeof with.room);
    return saddle_factor(&with.s, n, m, M, G);
}

/* M z = f + G' multipliers, G z = gamma of two speeds, of which the closed forms are known. */
static void saddles(void) {
    const double M[] = {4.0, 0.0, 0.0, 2.0}, rows[] = {1.0, 0.0, 1.0, 1e-3, 2.0, 0.0}, f[] = {8.0, 6.0}, gamma[] = {0.5, 0.5, 1.0};
    DEMAND(!factor(2, 0, M, NULL) && with.s.rank == 0 && saddle_weakest(&with.s) == 1.0);
    saddle_solve(&with.s, f, NULL, with.z, NULL);
    DEMAND(with.z[0] == 2.0 && fabs(with.z[1] - 3.0) < 1e-15);
    DEMAND(!factor(2, 3, M, rows) && with.s.rank == 2 && with.s.redundant);
    saddle_solve(&with.s, f, gamma, with.z, with.multipliers);
    DEMAND(fabs(with.z[0] - 0.5) < 1e-12 && fabs(with.z[1]) < 1e-9);
    DEMAND(fabs(with.multipliers[2] - 2.0 * with.multipliers[0]) < 1e-9 * fabs(with.multipliers[2]));
    saddle_forget(&with.s, 0.0);
    DEMAND(with.s.rank == 2);
    saddle_forget(&with.s, 0.1); /* the weak one */
    DEMAND(with.s.rank == 1);
    saddle_forget(&with.s, 2.0); /* all */
    DEMAND(with.s.rank == 0);
    saddle_solve(&with.s, f, gamma, with.z, with.multipliers);
    DEMAND(with.z[0] == 2.0 && with.multipliers[0] == 0.0);
    const double bad[] = {INFINITY, -INFINITY, NAN, 0.0, -1.0, 5e-324};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const double M_bad[] = {bad[i], 0.0, 0.0, 2.0}, G_bad[] = {bad[i], 0.0};
        DEMAND(factor(2, 0, M_bad, NULL) == (bad[i] == 5e-324 ? 0 : -1)); /* however small a mass is */
        DEMAND(factor(2, 1, M, G_bad) == (isfinite(bad[i]) ? 0 : -1));
    }
}

/* {{a, b}, {c, d}} in place; a weak pivot is refused. */
static void eliminations(void) {
    static const int order[] = {0, 1}, begins[] = {0, 2, 4}, columns[] = {0, 1, 0, 1}, diagonals[] = {0, 3};
    Elimination plan = {.n = 2, .order = order, .begins = begins, .columns = columns, .diagonals = diagonals};
    double work[2], v[] = {5.0, 11.0};
    double well[] = {1.0, 2.0, 3.0, 4.0}, singular[] = {1.0, 2.0, 2.0, 4.0}, weak[] = {1e-12, 1.0, 1.0, 1.0}, not_a_number[] = {NAN, 1.0, 1.0, 1.0};
    DEMAND(!eliminate(&plan, well, work));
    substitute(&plan, well, v, work);
    DEMAND(fabs(v[0] - 1.0) < 1e-14 && fabs(v[1] - 2.0) < 1e-14);
    DEMAND(eliminate(&plan, singular, work) == -1 && eliminate(&plan, weak, work) == -1 && eliminate(&plan, not_a_number, work) == -1);
}

/* One row: parameters, or inputs, in co-simulation while stepping; each of its conditions by itself. */
static void rules(void) {
    const Settable settable[] = {{GROUP_PARAMETER, COSIMULATION, MODE_STEP_COMPLETE | MODE_EVENT, MODE_STEP_COMPLETE, 0},
                                 {GROUP_INPUT, COSIMULATION, MODE_STEP_COMPLETE | MODE_EVENT, 0, MODE_STEP_COMPLETE},
                                 {GROUP_STATE, EXCHANGE, MODE_INSTANTIATED | MODE_CONTINUOUS, 0, 0}};
    const Rules table = {.settable = settable, .n_settable = 3};
    static const struct {
        Group group;
        int tunable, discrete, calculated, kind, mode, may;
    } cases[] = {
        {GROUP_PARAMETER, 1, 0, 0, COSIMULATION, MODE_STEP_COMPLETE, 1}, {GROUP_PARAMETER, 0, 0, 0, COSIMULATION, MODE_STEP_COMPLETE, 0},
        {GROUP_PARAMETER, 0, 0, 0, COSIMULATION, MODE_EVENT, 1},         {GROUP_PARAMETER, 1, 0, 1, COSIMULATION, MODE_EVENT, 0},
        {GROUP_PARAMETER, 1, 0, 0, EXCHANGE, MODE_EVENT, 0},             {GROUP_PARAMETER, 1, 0, 0, COSIMULATION, MODE_TERMINATED, 0},
        {GROUP_INPUT, 0, 0, 0, COSIMULATION, MODE_STEP_COMPLETE, 1},     {GROUP_INPUT, 0, 1, 0, COSIMULATION, MODE_STEP_COMPLETE, 0},
        {GROUP_INPUT, 0, 1, 0, COSIMULATION, MODE_EVENT, 1},             {GROUP_OUTPUT, 0, 0, 0, COSIMULATION, MODE_EVENT, 0},
        {GROUP_STATE, 0, 0, 0, EXCHANGE, MODE_INSTANTIATED, 1},          {GROUP_STATE, 0, 0, 1, EXCHANGE, MODE_INSTANTIATED, 0},
        {GROUP_STATE, 0, 0, 1, EXCHANGE, MODE_CONTINUOUS, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Variable variable = {.group = cases[i].group, .tunable = cases[i].tunable, .discrete = cases[i].discrete, .calculated = cases[i].calculated};
        DEMAND(may_be_set(&table, &variable, cases[i].kind, (Mode)cases[i].mode) == cases[i].may);
    }
}

int main(void) {
    saddles(), eliminations(), rules();
    printf("demands %d\n", demands);
    return 0;
}
