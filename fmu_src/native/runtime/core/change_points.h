/* Change points of linkages, as the solver passes them: it sees them come, crosses a short gap around them (rows_seen.h), and never
 * changes branch. The same as dynamics/solver/change_points.py. Functions that can fail return 0, or -1 with the reason in e.reason. */
#ifndef SPACEFMU_CHANGE_POINTS_H
#define SPACEFMU_CHANGE_POINTS_H

#include "gaps.h"

void change_points_room(Simulation *s, Arena *arena);

/* Of a step from the present, which has begun: the time that it may not pass. A gap may begin here; then it has begun anew. */
int bound_step(Simulation *s, double *bound);

/* Moves x onto the manifolds; close to a change point to round-off. In a gap those of couplings are left alone. */
int project_there(Simulation *s, double t, double *x);

/* Whether x_new, the end of a step to t, is on the branch of the present: -1 if it may have passed a change point. */
int keep_branch(Simulation *s, double t);

/* The same for any two states, each with the inputs of its time. */
int on_one_branch(Simulation *s, double t_from, const double *x_from, double t_to, const double *x_to);

/* After a step that meets the tolerance: what keep_branch has seen of it. */
void note_step(Simulation *s);

/* x onto the manifolds to round-off, near a change point: -1 if rates change by more than MOST_CORRECTED of them. */
int project_tightly(Simulation *s);

/* At the end of a gap: back on the manifolds, by next to nothing. */
int leave_gap(Simulation *s);

/* An event from x, d to x_new, d_new in a gap: -1 if it changes the motion or its rows, 0 if not, or outside of gaps. */
int event_in_gap(Simulation *s);

#endif
