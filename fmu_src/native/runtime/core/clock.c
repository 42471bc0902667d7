#include "clock.h"

#include <float.h>
#include <math.h>

#include "bounds.h"

double time_slack(double t, double h) { return SAME_SHARE * h + SAME_ULPS * DBL_EPSILON * fabs(t); }

void clock_begin(Clock *clock, double t, double h) {
    double counted = clock->doubt < 0.0 ? fabs(t) / h : CLOCK_ULPS;
    clock->doubt = fmax(clock->doubt, 0.0) + counted * DBL_EPSILON * fabs(t);
    clock->early = 0.0;
}

/* As far off as the last one, to whole steps: half a step before one point is half a step behind the other. */
static int fits(const Clock *clock, double event, double point, double h) {
    return fabs(remainder(point - event - clock->offset, h)) <= time_slack(point, h) + clock->doubt;
}

int clock_meets(const Clock *clock, double event, double point, double h) {
    double apart = fabs(point - event);
    return apart <= time_slack(point, h) || (apart <= 0.5 * h && fits(clock, event, point, h));
}

void clock_note(Clock *clock, double event, double point, double h) {
    if (!fits(clock, event, point, h)) return;
    clock->offset = point - event;
    clock->doubt = 0.0;
}
