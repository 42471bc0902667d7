/* Co-simulation's way through time: step control, event location, the events themselves. */
#ifndef SPACEFMU_INTEGRATE_H
#define SPACEFMU_INTEGRATE_H

#include "simulation.h"

/* From the present to `end` through all events before it: 0, or -1 with the simulation at the last good point. */
/* Has the last communication step taken so many steps of an explicit method that an implicit one may do better? Their
 * mean length. */
int is_stiff(const Simulation *s);
double mean_step(const Simulation *s);

int simulate_to(Simulation *s, double end);

#endif
