/* The norm of a step's error: relative to what moves. For each vector of states (hub.velocity; the amplitude of one mode)
 *
 *     size   = |(x - x_start) / nominal|            how far it is from where the run began
 *     moved  = the largest size so far, FINEST / tolerance <= moved <= 1
 *     |e|    = max over the vectors of  |e / nominal| / (tolerance (moved + size))
 *
 * Quadratures are left out. See dynamics/error_norm.py for the reasons. */
#ifndef SPACEFMU_ERROR_NORM_H
#define SPACEFMU_ERROR_NORM_H

#include "simulation.h"

void error_norm_room(Simulation *s, Arena *arena);

/* The run begins at the present x. */
void begin_run(Simulation *s);

/* Before each step. */
void note_motion(Simulation *s);

double error_norm(const Simulation *s, const double *v, const double *x_new);

#endif
