/* The norm of a step's error: relative to what moves. For each vector of states (hub.velocity; the amplitude of one mode)
 *
 *     size   = |(x - x_start) / nominal|            how far it is from where the run began
 *     moved  = the largest size so far, FINEST / tolerance <= moved <= 1
 *     |e|    = max over the vectors of  |e / nominal| / (tolerance (moved + size))
 *
 * Quadratures are left out. See dynamics/solver/error_norm.py for the reasons. */
#ifndef SPACEFMU_ERROR_NORM_H
#define SPACEFMU_ERROR_NORM_H

#include "simulation.h"

void error_norm_room(Simulation *s, Arena *arena);

/* The run begins at the present x. */
void begin_run(Simulation *s);

/* Before each step. */
void note_motion(Simulation *s);

/* Model exchange, at events: `moved` by state and rates x_dot, which tell how far the motion will go: at least |x_dot / nominal_rate|, and a
 * coordinate's as much as its speed's. True if one has more than doubled. The host's nominal values are ours times it; 0: not known yet. */
int expect_motion(Simulation *s, const double *x_dot);
double nominal_of(const Simulation *s, int i);

double error_norm(const Simulation *s, const double *v, const double *x_new);

#endif
