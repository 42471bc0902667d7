#include "step_length.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "bounds.h"
#include "methods.h"

/* [hairer1993] section II.4: a step whose first-order error, judged by an Euler step, is a hundredth of the tolerance.
 */
static double first_length(Simulation *s) {
    double *f = s->f_start, *change = s->x_between, t = s->now->time;
    double size = error_norm(s, s->x, s->x), slope = error_norm(s, f, s->x);
    double h = size < SMALL_NORM || slope < SMALL_NORM ? BLIND_LENGTH : FIRST_SHARE * (size / slope);
    if (!(h > 0.0) || !isfinite(h)) h = BLIND_LENGTH;
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

/* Chooses the order that comes to a target, a `rest` away, by the fewest evaluations, and its length. A step of order 8 may
 * go on to `far`: its dense output, which takes some more stages, then serves for all targets on the way. */
static double length_of_least_work(Simulation *s, double rest, double far) {
    double length = fitted(believed_length(s, 0), far), least = HUGE_VAL;
    int chosen = 0;
    s->order = 0;
    if (length > fmax(rest, SPAN * s->step_length)) least = method_of(s)->runge_kutta->stages * rest / length;
    for (int order = 0; order < orders_of(s); order++) {
        double h = fitted(believed_length(s, order), rest), work = ceil(rest / h);
        if (!(h > 0.0)) continue; /* not tried yet */
        s->order = order;
        if (method_of(s)->runge_kutta) work *= method_of(s)->runge_kutta->steps;
        if (work < least) least = work, length = h, chosen = order;
    }
    s->order = chosen;
    return length;
}

/* Length to try towards a target, or beyond it up to `far`: rk4's equal parts, or the step control's. */
double length_towards(Simulation *s, double target, double far) {
    double rest = target - s->now->time, limit = s->solver[SOLVER_MAX_STEP];
    if (model.nx == 0) return rest;
    if (method_of(s)->order == 0.0) return limit > 0.0 ? rest / ceil(rest / limit * (1.0 - SLIVER)) : rest;
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

/* The lengths to try after success. A step cut short to meet a target says little: it never lowers its own. What other
 * orders could take is no longer known: they are believed to take more and more, until they are tried. */
void lengthen(Simulation *s, double h, double error, int rejected) {
    double *own = &s->now->step[s->order];
    double wanted = h * (rejected ? fmin(change_of_length(s, error), 1.0) : change_of_length(s, error));
    *own = h < *own ? fmax(wanted, *own) : wanted;
    for (int order = 0; order < orders_of(s); order++) {
        double *other = &s->now->step[order];
        if (*other == 0.0) *other = *own;
        else if (other != own) *other = fmax(*other, fmin(RECALL * *other, GROW * h));
    }
}

int cheapest_order(const Simulation *s, double length) {
    int order = orders_of(s) - 1;
    while (order > 0 && !(s->now->step[order] >= length)) order--;
    return order;
}

void forget_lengths(Simulation *s) {
    double last = fabs(s->now->step[0]);
    memset(s->now->step, 0, sizeof s->now->step);
    s->now->step[0] = -last;
}
