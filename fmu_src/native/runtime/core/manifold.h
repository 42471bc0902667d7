/* Where a state may be, and how it gets there: start values, projections, events. */
#ifndef SPACEFMU_MANIFOLD_H
#define SPACEFMU_MANIFOLD_H

#include "evaluate.h"

/* Moves x onto every projection's manifold; onto those of couplings to round-off, or not at all. */
enum { TO_TOLERANCE, TO_ROUND_OFF, NOT_COUPLINGS };
int project_as(Evaluation *e, double t, double *x, const double *u, const double *d, int how);
int project(Evaluation *e, double t, double *x, const double *u, const double *d);

/* The largest residual of any projection at a point. */
double manifold_distance(Evaluation *e, Point at);

/* One pass of the event iteration: update x and d, and project. `changed`: something did change.
 * `side` (ng) or NULL: indicators count as being on these sides of zero, by the smallest number where they are not. */
int settle_once(Evaluation *e, double t, double *x, const double *u, double *d, const double *side, int *changed);

/* What an iteration that does not end is told. */
int still_changes(Evaluation *e, double t);

/* Event iteration: update x and d until nothing changes. `changed` counts the passes that changed something. */
int settle(Evaluation *e, double t, double *x, const double *u, double *d, int *changed);

/* From given start values to an initial state: initialize, project, settle. */
int initial_state(Evaluation *e, double t, double *x, const double *u, double *d);

/* Time of the next time event, HUGE_VAL: none. */
double next_time_event(Evaluation *e, Point at);

#endif
