/* Change points of linkages in model exchange, where hosts take the steps. One more indicator, behind those of the model, becomes negative
 * where a gap is to begin (change_points.h): a state event. In event mode the gap begins, and its end is a time event. Functions that can
 * fail return 0, or -1 with the reason in e.reason. */
#ifndef SPACEFMU_LOOP_EVENTS_H
#define SPACEFMU_LOOP_EVENTS_H

#include "simulation.h"

/* 1 for models with loops, else 0. */
int loop_indicators(void);

/* Weakness of the rows, negative behind a change point, less the one at which an event is due. */
int loop_indicator(Simulation *s, double *z);

/* In event mode, before anything else: x on the manifolds; a gap may end here. */
int settle_gap(Simulation *s);

/* At the end of the event iteration: a gap may begin here. `next`: the time of the next event becomes at most that of the gap's end. */
int begin_gap(Simulation *s, double *next);

/* x_dot of the present for the host: near a change point of the nearest point on the manifolds, since what is off them is amplified there. */
int rates_on_manifolds(Simulation *s);

/* After a step of the host: -1 if it may have passed a change point; `due`: an event is. */
int exchanged_step(Simulation *s, int *due);

/* The present is where later rows are compared with. */
void exchange_from(Simulation *s);

#endif
