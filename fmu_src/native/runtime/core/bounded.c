#include "bounded.h"

#include <math.h>

#include "bounds.h"
#include "methods.h"
#include "step_length.h"

int may_split(const Simulation *s) { return !is_bounded(s) || s->splits < BOUND_EVENTS; }

int is_late(const Simulation *s, double next) { return is_bounded(s) && next < s->now->time; }

void count_split(Simulation *s, double next) {
    if (is_late(s, next)) s->late++;
    else s->splits++;
}

double internal_step(const Simulation *s) { return equal_part(s, s->step_length); }

long work_so_far(const Simulation *s) { return s->e.evaluations + s->e.directions; }

/* Of one communication step: its internal steps, and as many more as events may end; of each its stages, the indicators at its end and
 * the columns of its Jacobian; true steps towards events; event iterations before and after each; and what notices look at. */
static long work_bound(const Simulation *s) {
    const Method *method = method_of(s);
    const Elimination *plan = model.elimination;
    long step = model.ng > 0, begin = 0;
    if (method->runge_kutta) {
        step += method->runge_kutta->steps;
    } else {
        int stages = method->rosenbrock->stages;
        step += plan && plan->n_followers ? 2 * stages : stages;
        begin = 1 + (plan ? plan->n_colours : model.nx);
    }
    long events = model.ng || model.next_time ? BOUND_EVENTS : 0;
    long steps = lround(s->step_length / internal_step(s)) + events;
    long settles = model.update ? (steps + 1) * model.update_limit : 0;
    return steps * (begin + step) + (model.ng ? events * (BOUND_TRIES + 1) * step : 0) + settles + (model.n_notices > 0);
}

void note_work(Simulation *s, long before) {
    long work = work_so_far(s) - before;
    if (work > s->most_work) s->most_work = work;
    if (!is_bounded(s)) return;
    long bound = work_bound(s);
    if (bound > s->most_bound) s->most_bound = bound;
}
