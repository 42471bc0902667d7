/* Step control, event location, and the loop over steps and events of one communication step. */
#include "integrate.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "bounds.h"
#include "manifold.h"
#include "methods.h"

/* Shares of a step at which changes of sign are looked for; the last is its end. */
static const double looks[] = {0.25, 0.5, 0.75, 1.0};

/* Work that suits the communication step: at most TRY_LIMIT internal steps, and no more than FIRST_LOOK where the pace so
 * far says that those would not do. */
static int out_of_work(const Simulation *s) {
    double done = (s->now->time - s->step_start) / s->step_length;
    return s->tries > TRY_LIMIT || (s->tries > FIRST_LOOK && done * TRY_LIMIT < s->tries);
}

static int count_try(Simulation *s) {
    s->tries++;
    if (!out_of_work(s)) return 0;
    return fail(&s->e, "at time %.17g the communication step by %g has taken %ld internal steps, and needs too many more",
                s->now->time, s->step_length, s->tries - 1);
}

/* A step of length h onto the manifolds: x_new. */
static int step_and_project(Simulation *s, double h, double *error) {
    double t = s->now->time + h;
    *error = 0.0;
    if (count_try(s)) return -1;
    if (model.nx == 0) return 0;
    if (method_of(s)->step(s, h, error)) return -1;
    if (!all_finite(s->x_new, model.nx)) return fail(&s->e, "at time %.17g a step is not finite", s->now->time);
    return *error <= 1.0 ? project(&s->e, t, s->x_new, inputs_at(s, t), s->d) : 0;
}

/* min_i side_i g_i: positive as long as no indicator has changed its side. Zero is the side of the negative. */
static double margin(const Simulation *s) {
    double smallest = HUGE_VAL;
    for (int i = 0; i < model.ng; i++) {
        double value = s->side_before[i] * s->e.g[i];
        if (value == 0.0) value = s->side_before[i] > 0.0 ? 0.0 : DBL_MIN;
        if (value < smallest) smallest = value;
    }
    return smallest;
}

static int margin_at(Simulation *s, double t, const double *x, double *result) {
    if (evaluate_motion(&s->e, (Point){t, x, inputs_at(s, t), s->d}, WANT_INDICATORS)) return -1;
    *result = margin(s);
    return 0;
}

/* The margin after a true step of length h: unlike dense output exactly what the simulation will continue from. */
static int margin_after(Simulation *s, double h, double *result) {
    double error;
    if (step_and_project(s, h, &error)) return -1;
    return margin_at(s, s->now->time + h, s->x_new, result);
}

static int remember_sides(Simulation *s) {
    if (model.ng == 0) return 0;
    if (evaluate_motion(&s->e, (Point){s->now->time, s->x, inputs_at(s, s->now->time), s->d}, WANT_INDICATORS))
        return -1;
    for (int i = 0; i < model.ng; i++) s->side_before[i] = s->e.g[i] > 0.0 ? 1.0 : -1.0;
    return 0;
}

/* Root of the margin between low (before the event) and high (after it): secant steps that keep the bracket, the value at
 * an end that stays halved so that the other moves too (Illinois), a bisection after PATIENCE steps that did not halve it,
 * down to the resolution of time. Ends with x_new at `high`. */
static int close_in(Simulation *s, double low, double at_low, double high, double at_high, double *found) {
    double resolution = DBL_EPSILON * fabs(s->now->time + high);
    int last = 0, slow = 0;
    while (high - low > 2.0 * resolution) {
        double width = high - low, value;
        double trial = slow < PATIENCE ? high - at_high * width / (at_high - at_low) : low + 0.5 * width;
        trial = fmin(fmax(trial, low + resolution), high - resolution);
        if (margin_after(s, trial, &value)) return -1;
        if (value > 0.0) {
            low = trial, at_low = value;
            if (last > 0) at_high *= 0.5;
        } else {
            high = trial, at_high = value;
            if (last < 0) at_low *= 0.5;
        }
        last = value > 0.0 ? 1 : -1;
        slow = high - low <= 0.5 * width ? 0 : slow + 1;
    }
    *found = high;
    return margin_after(s, high, &at_high);
}

/* Looks for the first change of (g > 0) during the step of length *h that led to x_new. 1: *h and x_new are now
 * those right after it; 0: none; -1: failed. */
static int locate_event(Simulation *s, double *h) {
    double t = s->now->time, at_start, value;
    if (model.ng == 0) return 0;
    if (dense_prepare(s, *h) || margin_at(s, t, s->x, &at_start)) return -1;
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        int end = looks[i] == 1.0;
        double high = looks[i] * *h;
        if (!end) dense_at(s, looks[i]);
        if (margin_at(s, t + high, end ? s->x_new : s->x_between, &value)) return -1;
        if (value > 0.0) continue;
        if (margin_after(s, high, &value)) return -1;
        if (value <= 0.0) return close_in(s, 0.0, at_start, high, value, h) ? -1 : 1;
        /* grazed within the error of the dense output: no event here, but x_new has to be that of the whole step */
        if (margin_after(s, *h, &value)) return -1;
    }
    return 0;
}

/* Length to try towards a target: rk4's equal parts, or the step control's, without a sliver before the target. */
static double length_towards(Simulation *s, double target) {
    double rest = target - s->now->time, limit = s->solver[SOLVER_MAX_STEP];
    if (model.nx == 0) return rest;
    if (method_of(s)->order == 0.0) return limit > 0.0 ? rest / ceil(rest / limit * (1.0 - SLIVER)) : rest;
    if (!(s->now->step > 0.0)) s->now->step = first_length(s);
    double h = limit > 0.0 ? fmin(s->now->step, limit) : s->now->step;
    return h >= rest ? rest : h > 0.5 * rest ? 0.5 * rest : h;
}

/* factor = safety * error^(-1/order), within bounds */
static double change_of_length(const Simulation *s, double error) {
    double factor = error > 0.0 ? SAFETY * pow(error, -1.0 / order_of(s)) : GROW;
    return fmin(fmax(factor, SHRINK), GROW);
}

/* The length to try after success. A step cut short to meet a target says little: it never lowers it. */
static void lengthen(Simulation *s, double h, double error, int rejected) {
    double wanted = h * (rejected ? fmin(change_of_length(s, error), 1.0) : change_of_length(s, error));
    s->now->step = h < s->now->step ? fmax(wanted, s->now->step) : wanted;
}

/* Tries until a step holds the tolerance; then x_new is its end and the result its length, or 0 when it failed. */
static double successful_length(Simulation *s, double target) {
    int adaptive = method_of(s)->order > 0.0;
    double smallest = SHORTEST * DBL_EPSILON * fmax(fabs(s->now->time), fabs(target));
    double h = length_towards(s, target), error;
    for (int rejected = 0;; rejected = 1) {
        int failed = step_and_project(s, h, &error);
        if (!failed && error <= 1.0) {
            if (adaptive) lengthen(s, h, error, rejected);
            return h;
        }
        if (!adaptive || out_of_work(s)) return 0.0;
        s->now->rejections++;
        h *= failed || !isfinite(error) ? RETRY : fmin(change_of_length(s, error), SAFETY);
        s->now->step = h;
        if (h > smallest) continue;
        if (!failed) fail(&s->e, "at time %.17g no step holds the tolerance %.3g", s->now->time, tolerance_of(s));
        return 0.0;
    }
}

/* One step: 0, 1 when an event ended it, -1 when it failed. */
static int step_towards(Simulation *s, double target) {
    if (begin_step(s) || remember_sides(s)) return -1;
    double rest = target - s->now->time, h = successful_length(s, target), whole = h;
    if (h == 0.0) return -1;
    int event = locate_event(s, &h);
    if (event < 0) return -1;
    memcpy(s->x, s->x_new, model.nx * sizeof(double));
    s->now->time = h == rest ? target : s->now->time + h;
    s->now->steps++;
    if (h < whole) s->now->step = 0.0;
    return event;
}

/* Event iteration at the present. A time event that is due within the slack counts as due now. An iteration that
 * fails leaves the state as it was before the event. */
static int settle_now(Simulation *s, double slack) {
    const double *u = inputs_at(s, s->now->time);
    double next = next_time_event(&s->e, (Point){s->now->time, s->x, u, s->d});
    double instant = next <= s->now->time + slack ? fmax(next, s->now->time) : s->now->time;
    int changed;
    memcpy(s->x_new, s->x, model.nx * sizeof(double));
    memcpy(s->d_new, s->d, model.nd * sizeof(double));
    if (settle(&s->e, instant, s->x_new, u, s->d_new, &changed)) return -1;
    next = next_time_event(&s->e, (Point){instant, s->x_new, u, s->d_new});
    if (!(next > instant))
        return fail(&s->e, "at time %.17g the next time event is at %.17g, expected a later time", instant, next);
    memcpy(s->x, s->x_new, model.nx * sizeof(double));
    memcpy(s->d, s->d_new, model.nd * sizeof(double));
    if (changed) s->now->events++, s->now->step = 0.0;
    return 0;
}

/* Counts what ended a step of length h: an event, the communication point, or the longest step that is allowed. */
static void count_end(Simulation *s, double h, int event, int point, double slack) {
    double limit = s->solver[SOLVER_MAX_STEP];
    int limited = method_of(s)->order == 0.0 || (limit > 0.0 && h > limit - slack);
    if (event) s->now->to_events++;
    else if (point) s->now->to_points++;
    else if (limited) s->now->to_limits++;
}

int simulate_to(Simulation *s, double end) {
    double slack = time_slack(s, end - s->now->time);
    s->tries = 0, s->step_start = s->now->time, s->step_length = end - s->now->time;
    if (settle_now(s, slack)) return -1;
    while (s->now->time < end) {
        double t = s->now->time;
        double next = next_time_event(&s->e, (Point){t, s->x, inputs_at(s, t), s->d});
        int before_end = next < end - slack;
        int event = step_towards(s, before_end ? next : end);
        if (event < 0) return -1;
        event = event || (before_end && s->now->time == next);
        count_end(s, s->now->time - t, event, s->now->time == end, slack);
        if (event && settle_now(s, slack)) return -1;
    }
    return 0;
}

double mean_step(const Simulation *s) { return (s->now->time - s->step_start) / (double)s->tries; }

int is_stiff(const Simulation *s) {
    const Method *method = method_of(s);
    return s->tries > MANY_STEPS && method->runge_kutta && method->order > 0.0;
}
