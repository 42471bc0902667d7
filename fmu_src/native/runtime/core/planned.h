/* The solve of a motion with rows as it was planned when the C was written (native/trace/saddle_plan.py), and whether its numbers hold.
 *
 * The plan eliminates M z = f + G' multipliers, G z = gamma in a fixed order, without zeros. model.planned tells of it what is asked here:
 * seen: the least pivot of a row that counts and the largest mobility along one; the largest pivot of a row that is left out; how many count.
 * A pivot is the square of what is left of a row. */
#ifndef SPACEFMU_PLANNED_H
#define SPACEFMU_PLANNED_H

#include "evaluate.h"

/* Solves what is assembled: z, multipliers, rank and weakness. Gives how much is left of the weakest row that counts no longer, relative to the
 * strongest; negative where the solve does not hold: no plan, a row that counts is weak, or something is not finite. */
double solve_planned(Evaluation *e, const Solve *solve, Stage *stage);

#endif
