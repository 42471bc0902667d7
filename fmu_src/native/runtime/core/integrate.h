/* Co-simulation's way through time: step control, the events themselves. */
#ifndef SPACEFMU_INTEGRATE_H
#define SPACEFMU_INTEGRATE_H

#include "simulation.h"

/* A step of length h from the present onto the manifolds: x_new, and its error over the tolerance. */
int step_and_project(Simulation *s, double h, double *error);

/* Has the last communication step taken so many steps of an explicit method that an implicit one may do better? Their
 * mean length. */
int is_stiff(const Simulation *s);
double mean_step(const Simulation *s);

/* From the present to `end` through all events before it: 0, or -1 with the simulation at the last good point. */
int simulate_to(Simulation *s, double end);

/* All that is due at the present, where the host handles events; and when the next time event is, HUGE_VAL: never. */
int settle_event(Simulation *s);
double next_event_time(Simulation *s);

#endif
