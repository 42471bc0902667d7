#include "step_length.h"

#include <float.h>
#include <math.h>

#include "bounds.h"
#include "error_norm.h"
#include "methods.h"

/* [hairer1993] section II.4: a step whose first-order error, judged by an Euler step, is a hundredth of the tolerance.
 */
static double first_length(Simulation *s) {
    double *f = s->f_start, *change = s->x_between, t = s->now->time;
    double size = error_norm(s, s->x, s->x), slope = error_norm(s, f, s->x);
    double h = size < SMALL_NORM || slope < SMALL_NORM ? BLIND_LENGTH : FIRST_SHARE * (size / slope);
    if (!(h > 0.0)) h = BLIND_LENGTH; /* the size of a state near overflow is not a number; it is never infinite, relative to itself */
    for (int i = 0; i < model.nx; i++) s->x_stage[i] = s->x[i] + h * f[i];
    if (rates_at(s, t + h, s->x_stage, change)) return h;
    for (int i = 0; i < model.nx; i++) change[i] = (change[i] - f[i]) / h;
    double largest = fmax(slope, error_norm(s, change, s->x));
    double second =
        largest <= NO_CURVATURE ? fmax(BLIND_LENGTH, 1e-3 * h) : pow(FIRST_SHARE / largest, 1.0 / order_of(s));
    return fmax(fmin(FIRST_GROWTH * h, second), SHORTEST * DBL_EPSILON * fmax(fabs(t), h));
}

/* A length without a sliver before a target that is a `rest` away. */
static double fitted(double h, double rest) { return h >= rest ? rest : h > 0.5 * rest ? 0.5 * rest : h; }

static double believed_length(const Simulation *s, int order) {
    double limit = s->solver[SOLVER_MAX_STEP], h = s->now->step[order];
    return limit > 0.0 ? fmin(h, limit) : h;
}

/* Indicators are watched on the dense output, so then it belongs to every step. */
static int watches(void) { return model.ng > 0 && !model.slow_indicators; }

/* Evaluations that the dense output adds to a step; its first stage is that of the next step, and is not counted. */
static int dense_work(const Explicit *pair) { return pair->dense_rows ? pair->stages - 1 - pair->steps : 0; }

/* Evaluations of a pair over some time, by steps of length h that end with it; h = 0: not tried yet. */
static double work_of(const Simulation *s, int order, double h, double time) {
    const Explicit *pair = pair_of(s, order);
    int evaluations = pair ? pair->steps + (watches() ? dense_work(pair) : 0) : 1;
    return h > 0.0 ? evaluations * ceil(time / h) : HUGE_VAL;
}

double work_of_try(const Simulation *s) { return work_of(s, s->order, 1.0, 1.0); }

/* The same by steps of order 8 that end wherever they do: those that pass the end of that time have a dense output. */
static double work_ahead(const Simulation *s, double h, double time) {
    const Explicit *pair = pair_of(s, 0);
    return pair->steps * time / h + dense_work(pair) * (watches() ? time / h : fmin(time / h, 1.0));
}

/* Pairs of lower order err by what they estimate, order 8 by far less: a linkage that passes change points keeps to it. */
static int usable_orders(const Simulation *s) { return s->now->weak_near != 0.0 ? 1 : orders_of(s); }

/* The order that takes the fewest evaluations over some time, and how many it takes. */
static int order_of_least_work(const Simulation *s, double time, double *least) {
    int chosen = 0;
    *least = HUGE_VAL;
    for (int order = 0; order < usable_orders(s); order++) {
        double work = work_of(s, order, believed_length(s, order), time);
        if (work < *least) *least = work, chosen = order;
    }
    return chosen;
}

/* Chooses the order that comes to a target, a `rest` away, by the fewest evaluations, and its length. Steps of order 8 may go
 * on as far as they `reach`, whatever targets are on the way: the dense output of each step that passes some then serves for
 * them. They do so if a communication step takes fewer evaluations that way. */
static double length_of_least_work(Simulation *s, double rest, double reach) {
    double free = believed_length(s, 0), ahead = fitted(s->now->within * free, reach), least;
    s->order = 0;
    order_of_least_work(s, s->step_length, &least);
    if (reach > rest && work_ahead(s, ahead, s->step_length) < SAFETY * least) return ahead > rest ? ahead : fmin(free, rest);
    s->order = order_of_least_work(s, rest, &least);
    return fitted(believed_length(s, s->order), rest);
}

double equal_part(const Simulation *s, double rest) {
    double limit = s->solver[SOLVER_MAX_STEP];
    return limit > 0.0 ? rest / ceil(rest / limit * (1.0 - SLIVER)) : rest;
}

/* Length to try towards a target, or beyond it up to `far`: equal parts of a fixed step, or the step control's. */
double length_towards(Simulation *s, double target, double far) {
    double rest = target - s->now->time;
    if (model.nx == 0) return rest;
    if (method_of(s)->order == 0.0) return equal_part(s, rest);
    if (!(s->now->step[0] > 0.0)) {
        double last = s->now->step[0] < 0.0 ? -s->now->step[0] : HUGE_VAL;
        s->now->step[0] = fmin(first_length(s), last);
    }
    return length_of_least_work(s, rest, far - s->now->time);
}

/* factor = safety * error^(-1/order), within bounds */
double change_of_length(const Simulation *s, double error) {
    double factor = error > 0.0 ? SAFETY * pow(error, -1.0 / order_of(s)) : GROW;
    return fmin(fmax(factor, SHRINK), GROW);
}

/* The lengths to try after success, with the error at the step's end and the worst of that and of its dense output. A step cut
 * short to meet a target says little: it never lowers its own. What other orders could take is no longer known: they are believed to
 * take more and more, until they are tried. After a start or an event they are not tried before order 8 has shown how far it goes: its
 * first lengths are guesses, mostly far too short, at which the pair of least work would win and stay. */
void lengthen(Simulation *s, double h, double error, double worst, int rejected) {
    double *own = &s->now->step[s->order], change = change_of_length(s, error), within = change_of_length(s, worst);
    double wanted = h * (rejected ? fmin(change, 1.0) : change);
    double whole = worst > error ? s->now->within * *own : *own;
    *own = h < whole ? fmax(wanted, *own) : wanted;
    if (worst > error && within < GROW) s->now->within = within / change;
    int known = change < SETTLED || *own >= GROW * s->step_length;
    for (int order = 0; order < orders_of(s); order++) {
        double *other = &s->now->step[order];
        if (*other <= 0.0) *other = known ? *own : *other;
        else if (other != own) *other = fmax(*other, fmin(RECALL * *other, GROW * h));
    }
}

void shorten_within(Simulation *s, double h, double error, double worst) {
    double change = change_of_length(s, error);
    s->now->step[0] = h * change;
    s->now->within = fmin(change_of_length(s, worst), SAFETY) / change;
}

int cheapest_order(const Simulation *s, double length) {
    int order = usable_orders(s) - 1;
    while (order > 0 && s->now->step[order] > 0.0 && s->now->step[order] < length) order--;
    return order;
}

void forget_lengths(Simulation *s) {
    for (int order = 0; order < N_ORDERS; order++) s->now->step[order] = -fabs(s->now->step[order]);
}
