/* Communication steps. They are computed at once, none is ever pending. */
#ifndef SPACEFMU_COSIMULATION_H
#define SPACEFMU_COSIMULATION_H

#include "exchange.h"

/* From the communication point t, where the instance is, over h; after STATUS_DISCARD it is at the last good point. */
Status step_over(void *named, const Call *call, double t, double h);

/* Event mode between steps, for hosts that handle events: one pass settles all. */
Status pass_step_event(void *named, const Call *call, EventPass *pass);
Status enter_step_mode(void *named, const Call *call);

#endif
