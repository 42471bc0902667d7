/* What an instance tells its host: refusals, warnings, events, statistics. */
#ifndef SPACEFMU_LOG_H
#define SPACEFMU_LOG_H

#include "instance.h"

/* Categories, bits in this order; the names are in log.c and in the model description. */
enum { LOG_EVENTS = 1, LOG_WARNING = 2, LOG_DISCARD = 4, LOG_ERROR = 8, LOG_FATAL = 16, LOG_SOLVER = 32, LOG_ALL = 64 };

/* Logs the reason (as printf does), goes to the error mode if the status is STATUS_ERROR, and returns the status. */
Status refuse(Instance *instance, Status status, const char *format, ...);

/* An event or statistic, for a host that wants to hear of it. */
void tell(Instance *instance, unsigned category, const char *format, ...);

/* Tells of an event what it switched, a message a discrete state that is not a real; of one that switched none its time alone. */
void tell_event(Instance *instance, double t, const double *before, const double *after);

/* Warns of each Boolean output with a notice that is false at the present, if it has not yet. */
void tell_notices(Instance *instance);

/* Steps, events, evaluations so far. */
void tell_work(Instance *instance);

/* Sets the logged categories by name. Returns the number of known ones: if one is unknown, its place, and nothing is set. */
size_t choose_categories(Instance *instance, int on, size_t count, const char *const names[]);

#endif
