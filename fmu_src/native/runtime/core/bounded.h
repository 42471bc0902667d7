/* Communication steps of bounded work, for hosts with a clock: solver.method = real_time and real_time_stiff. Internal steps are
 * equal, solver.max_step long or shorter. An event is seen where one ends. The first BOUND_EVENTS events of a communication step end a step at their
 * instant; those beyond are taken where a step ends, and counted as late. The same in dynamics/solver/loop.py. */
#ifndef SPACEFMU_BOUNDED_H
#define SPACEFMU_BOUNDED_H

#include "simulation.h"

/* May one more event of this communication step end a step at its instant? */
int may_split(const Simulation *s);

/* Has the time event `next` been passed, as there was no step left to end at it? */
int is_late(const Simulation *s, double next);

/* A time event at `next` is taken now. */
void count_split(Simulation *s, double next);

/* Length of the internal steps of the communication step. */
double internal_step(const Simulation *s);

/* Evaluations and directional derivatives since the start of the run; what the communication step since then took. */
long work_so_far(const Simulation *s);
void note_work(Simulation *s, long before);

#endif
