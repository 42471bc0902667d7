/* Model exchange: the host integrates. States change only in event mode. */
#ifndef SPACEFMU_EXCHANGE_H
#define SPACEFMU_EXCHANGE_H

#include "instance.h"

Status enter_event_mode(void *named, const Call *call);

/* One pass of the event iteration. again: another is needed; moved: a state has, in any of the passes so far; rescaled: nominal
 * values have changed; next: the time of the next time event, HUGE_VAL if there is none. */
typedef struct {
    int again, moved, rescaled;
    double next;
} EventPass;
Status pass_event(void *named, const Call *call, EventPass *pass);

Status enter_continuous_mode(void *named, const Call *call);

/* After each step of the host's: whether it has to enter event mode. */
Status complete_step(void *named, const Call *call, int *event);

Status set_present_time(void *named, const Call *call, double time);

/* Arrays as long as the model's own, or the call is refused. */
Status set_states(void *named, const Call *call, const double *x, size_t count);
Status get_states(void *named, const Call *call, double *x, size_t count);
Status get_rates(void *named, const Call *call, double *x_dot, size_t count);
Status get_indicators(void *named, const Call *call, double *z, size_t count);
Status get_nominals(void *named, const Call *call, double *nominal, size_t count);

#endif
