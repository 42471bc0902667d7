#include "planned.h"

#include <math.h>

#include "bounds.h"

enum { SEEN_LEAST, SEEN_MOST, SEEN_LEFT, SEEN_COUNT, SEEN };

double solve_planned(Evaluation *e, const Solve *solve, Stage *stage) {
    double seen[SEEN];
    if (!solve->planned) return -1.0;
    call(e, model.planned, (Arguments){{stage->M, stage->G, stage->f, stage->gamma}},
         (Results){{stage->z, stage->multipliers, seen}});
    double weakness = seen[SEEN_COUNT] > 0.0 ? sqrt(seen[SEEN_LEAST] / seen[SEEN_MOST]) : 1.0;
    if (!(weakness >= PLANNED_WEAK) || !all_finite(stage->z, solve->n) || !all_finite(stage->multipliers, solve->m)) return -1.0;
    stage->saddle.n = solve->n, stage->saddle.m = solve->m;
    stage->saddle.rank = (int)seen[SEEN_COUNT], stage->saddle.planned = weakness;
    return seen[SEEN_LEFT] > 0.0 ? sqrt(seen[SEEN_LEFT] / seen[SEEN_MOST]) : 0.0;
}
