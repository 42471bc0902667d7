/* Communication steps. They are computed at once, none is ever pending. */
#ifndef SPACEFMU_COSIMULATION_H
#define SPACEFMU_COSIMULATION_H

#include "instance.h"

/* From the communication point t, where the instance is, over h; after STATUS_DISCARD it is at the last good point. */
Status step_over(void *named, const Call *call, double t, double h);

#endif
