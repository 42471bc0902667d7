/* Event indicators as the host of a model exchange sees them: z, of which FMI asks that no restart finds it at zero.
 *
 * Every indicator g of the model has a side, +1 or -1, which the model's discrete states go with; it changes in event
 * mode alone. z = g + offset, and an event is due where side z <= 0. As a rule the offset is 0, so that events
 * are where g is zero. An indicator that has just changed its side has the offset side * band, until it has left the
 * band: what wavers around zero, or is there by the host's own error, makes one event and not thousands. */
#ifndef SPACEFMU_SIDES_H
#define SPACEFMU_SIDES_H

#include "simulation.h"

/* Functions evaluate the indicators at the present; -1: that failed. */

/* Sides by the signs alone, zero being negative: at the start, where no side is known. */
int take_sides(Simulation *s);

/* 1: an event is due, 0: none is. Indicators that have left the band have no offset any more. */
int event_is_due(Simulation *s);

/* At an event: every indicator that is due takes the other side. */
int change_sides(Simulation *s);

/* Around a pass of the event iteration: an indicator whose value the pass has changed is on the side of its sign. */
int note_indicators(Simulation *s);
int renew_sides(Simulation *s);

int indicators_for_host(Simulation *s, double *z);

#endif
