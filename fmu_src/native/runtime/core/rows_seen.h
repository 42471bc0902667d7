/* The rows G of closed loops at a point, by their singular values; and the gap around a change point, where the weakest of
 * them vanish and are polynomials of time instead:  P v = b,  P v' = b' - P' v.  The same as dynamics/solver/rows_seen.py, which has the theory. */
#ifndef SPACEFMU_ROWS_SEEN_H
#define SPACEFMU_ROWS_SEEN_H

#include "evaluate.h"

/* Where a gap's numbers begin; behind the NODES times stand its rows, NODES x most_weak() x (n + 1): P, and b at the end of each. */
enum { GAP_UNTIL, GAP_RANK, GAP_COUNT, GAP_TIMES };

int most_weak(void);
size_t gap_length(void);

/* S G = U diag(s) V L of the point looked at last: in e->seen; V stands in e->change.saddle.w, L in e->change.saddle.lower.
 * rank: how many rows count; negative: as many as there are directions. */
int see_rows(Evaluation *e, Point at, int rank);

/* The smallest singular value relative to the largest. */
double weakest_seen(const Evaluation *e);

/* Row i of V L, and motion i of (V L)^-1, which that row feels by 1 and the others do not. */
void row_seen(Evaluation *e, int i, double *row);
void dual_seen(Evaluation *e, int i, double *dual);

/* The coupling that has the largest part in direction i, or in the weakest (-1). */
const char *owner_seen(const Evaluation *e, int i);

/* The speed of column j in x; 0: no row of a coupling moves it. */
static inline double loop_speed(const double *x, int j) { return model.speeds[j] < 0 ? 0.0 : x[model.speeds[j]]; }

/* How far P v is off b, of the parts that they are sums of: the largest of all rows. */
double gap_miss(const double *gap, double t, const double *x);

/* z, multipliers and carry of the motion in a gap. Those of other blocks (model.loops_alone) have to be in e->motion already. */
int solve_in_gap(Evaluation *e, Point at, const double *gap);

#endif
