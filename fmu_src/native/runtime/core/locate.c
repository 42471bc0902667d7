/* The same as dynamics/solver/location.py. */
#include "locate.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "bounded.h"
#include "bounds.h"
#include "change_points.h"
#include "error_norm.h"
#include "integrate.h"
#include "manifold.h"
#include "methods.h"
#include "step_length.h"

/* Shares of a step at which changes of sign are looked for; the last is its end. */
static const double looks[] = {0.25, 0.5, 0.75, 1.0};

/* side_i g_i: positive as long as indicator i has not changed its side. Zero is the side of the negative. */
static double margin_of(const Simulation *s, int i) {
    double value = s->side_before[i] * s->e.g[i];
    return value == 0.0 && s->side_before[i] < 0.0 ? DBL_MIN : value;
}

static double least(const double *margins) {
    double smallest = HUGE_VAL;
    for (int i = 0; i < model.ng; i++)
        if (margins[i] < smallest) smallest = margins[i];
    return smallest;
}

static int margins_at(Simulation *s, double t, const double *x, double *margins) {
    if (evaluate_motion(&s->e, (Point){t, x, inputs_at(s, t), s->d}, WANT_INDICATORS)) return -1;
    for (int i = 0; i < model.ng; i++) margins[i] = margin_of(s, i);
    return 0;
}

int remember_sides(Simulation *s) {
    if (model.ng == 0) return 0;
    double t = s->now->time;
    if (evaluate_motion(&s->e, (Point){t, s->x, inputs_at(s, t), s->d}, WANT_INDICATORS)) return -1;
    for (int i = 0; i < model.ng; i++) {
        s->side_before[i] = s->e.g[i] > 0.0 ? 1.0 : -1.0;
        s->margins[i] = margin_of(s, i);
    }
    return 0;
}

/* Margins on the dense output. */
static int margins_between(Simulation *s, double share, double *margins) {
    dense_at(s, s->x, share);
    return margins_at(s, s->now->time + share * s->whole, s->x_between, margins);
}

static int margin_between(Simulation *s, double share, double *margin) {
    if (margins_between(s, share, s->margins + 3 * model.ng)) return -1;
    *margin = least(s->margins + 3 * model.ng);
    return 0;
}

/* A true step of a length: by the cheapest pair that is believed to take it, else by the step's own. */
static int stepped(Simulation *s, double length) {
    int own = s->order, failed;
    double error;
    s->order = s->keeps_pair ? own : cheapest_order(s, length);
    failed = step_and_project(s, length, &error);
    if (!failed && error > 1.0 && s->order != own) {
        s->order = own, s->keeps_pair = 1;
        failed = step_and_project(s, length, &error);
    }
    s->order = own;
    return failed;
}

/* Is the motion from the end of the last true step to another length its tangent, to a share of the tolerance? */
static int is_straight(Simulation *s, double length) {
    double shift = length - s->met, *bend = s->x_between;
    if (!(s->met > 0.0)) return 0;
    for (int i = 0; i < model.nx; i++) bend[i] = 0.5 * shift * shift / s->met * (s->f_met[i] - s->f_start[i]);
    return error_norm(s, bend, s->x_met) <= STRAIGHT;
}

/* The margin after a length that the simulation will continue from: of a true step, or along the tangent at the end of one. A
 * step ahead is true in any case: its dense output is made of its stages. */
static int margin_after(Simulation *s, double length, double *margin) {
    double t = s->now->time + length;
    if (!s->ahead && is_straight(s, length)) {
        for (int i = 0; i < model.nx; i++) s->x_new[i] = s->x_met[i] + (length - s->met) * s->f_met[i];
        if (project_there(s, t, s->x_new)) return -1;
    } else {
        if (stepped(s, length) || rates_at(s, t, s->x_new, s->f_met)) return -1;
        memcpy(s->x_met, s->x_new, model.nx * sizeof(double));
        s->met = length;
    }
    if (margins_at(s, t, s->x_new, s->margins + 3 * model.ng)) return -1;
    *margin = least(s->margins + 3 * model.ng);
    return 0;
}

/* The margin is positive at `low` and not at `high`. */
typedef struct {
    double low, at_low, high, at_high;
} Bracket;

static double slope_of(Bracket b) { return (b.at_high - b.at_low) / (b.high - b.low); }

/* Narrows a bracket by secants that keep it, the value at an end that stays halved so that the other moves too (Illinois),
 * a bisection after PATIENCE steps that did not halve it, down to the resolution. */
static int narrow(Simulation *s, int (*margin)(Simulation *, double, double *), double resolution, Bracket *b) {
    double weigh_low = 1.0, weigh_high = 1.0;
    int last = 0, slow = 0;
    while (b->high - b->low > 2.0 * resolution) {
        double width = b->high - b->low, at_low = weigh_low * b->at_low, at_high = weigh_high * b->at_high, value;
        double trial = slow < PATIENCE ? b->high - at_high * width / (at_high - at_low) : b->low + 0.5 * width;
        trial = fmin(fmax(trial, b->low + resolution), b->high - resolution);
        if (margin(s, trial, &value)) return -1;
        if (value > 0.0) {
            b->low = trial, b->at_low = value, weigh_low = 1.0;
            if (last > 0) weigh_high *= 0.5;
        } else {
            b->high = trial, b->at_high = value, weigh_high = 1.0;
            if (last < 0) weigh_low *= 0.5;
        }
        last = value > 0.0 ? 1 : -1;
        slow = b->high - b->low <= 0.5 * width ? 0 : slow + 1;
    }
    return 0;
}

/* The true step right behind the event in a bracket of shares: 1 with *h and x_new; 0: grazed, within the error of the dense
 * output, and x_new is lost; -1: failed. The dense output's root and slope lead true steps to it; where they do not, those
 * have to find it by themselves. */
static int close_in(Simulation *s, Bracket bracket, double *h) {
    double whole = s->whole, resolution = DBL_EPSILON * fabs(s->now->time + whole), enough = LATE * tolerance_of(s) * whole;
    double top = bracket.high * whole, value, length_before = 0.0, value_before = 0.0;
    Bracket wide = {0.0, least(s->margins), top, 0.0};
    if (narrow(s, margin_between, COARSE, &bracket)) return -1;
    double slope = slope_of(bracket), length = (bracket.high - bracket.at_high / slope) * whole + resolution;
    slope /= whole;
    for (int i = 0, near = 0; i < 2 * PATIENCE && length > 0.0 && length <= whole; i++) {
        if (margin_after(s, length, &value)) return -1;
        if (i > 0 && !near && (value - value_before) * (length - length_before) < 0.0) /* it falls, as on its way to an event */
            slope = (value - value_before) / (length - length_before);
        double late = value / slope;
        *h = length;
        if (value > 0.0 && length < top) wide.low = length, wide.at_low = value;
        if (value <= 0.0 && (near || late <= 2.0 * resolution)) return 1;
        length_before = length, value_before = value;
        /* near it one more secant leaves round-off, of the indicator or of time: twice as far is behind it, or `enough` */
        length += near > 1 ? enough : near ? 2.0 * (resolution - late) : resolution - late;
        near += near > 0 || fabs(late) <= enough;
    }
    if (margin_after(s, top, &value)) return -1;
    if (value > 0.0) return 0;
    wide.at_high = value; /* and low where true steps were before it: right at the start margins may be round-off, of the last event */
    if (narrow(s, margin_after, resolution, &wide) || margin_after(s, wide.high, &value)) return -1;
    *h = wide.high;
    return 1;
}

/* Can no indicator have changed its side and come back? So if all stay away from zero farther than they move and bend. */
static int excluded(const Simulation *s) {
    const double *start = s->margins, *middle = start + model.ng, *end = middle + model.ng;
    for (int i = 0; i < model.ng; i++) {
        double low = fmin(fmin(start[i], middle[i]), end[i]), high = fmax(fmax(start[i], middle[i]), end[i]);
        if (!(low > CLEAR * (high - low + fabs(start[i] - 2.0 * middle[i] + end[i])))) return 0;
    }
    return 1;
}

/* The same within bounded work: an event is seen where a step ends, and closed in upon by so many true steps; one too many ends
 * the step where it is, late. */
static int locate_bounded(Simulation *s, double at_end, double *h) {
    if (at_end > 0.0) return 0;
    if (!may_split(s)) {
        s->late++;
        return 1;
    }
    s->splits++;
    Bracket b = {0.0, least(s->margins), *h, at_end};
    double resolution = DBL_EPSILON * fabs(s->now->time + *h), value = at_end;
    for (int i = 0; i < BOUND_TRIES && b.high - b.low > 2.0 * resolution; i++) {
        double to_root = b.high - b.at_high / slope_of(b) - b.low; /* after a try before it, twice as far is behind it */
        double trial = fmin(fmax(b.low + (value > 0.0 ? 2.0 : 1.0) * to_root, b.low + resolution), b.high - resolution);
        if (margin_after(s, trial, &value)) return -1;
        if (value > 0.0) b.low = trial, b.at_low = value;
        else b.high = trial, b.at_high = value;
    }
    *h = b.high;
    return margin_after(s, *h, &value) ? -1 : 1;
}

int locate_event(Simulation *s, double *h, int ahead) {
    if (model.ng == 0) return 0;
    double *middle = s->margins + model.ng, *end = middle + model.ng;
    s->whole = *h, s->ahead = s->keeps_pair = ahead, s->met = 0.0;
    if (margins_at(s, s->now->time + *h, s->x_new, end)) return -1;
    if (is_bounded(s)) return locate_bounded(s, least(end), h);
    if (model.slow_indicators && least(end) > 0.0) return 0;
    if ((!ahead && dense_prepare(s, *h)) || margins_between(s, 0.5, middle)) return -1;
    if (excluded(s)) return 0;
    Bracket bracket = {0.0, least(s->margins), 0.0, 0.0};
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        bracket.high = looks[i];
        if (looks[i] == 0.5) bracket.at_high = least(middle);
        else if (looks[i] == 1.0) bracket.at_high = least(end);
        else if (margin_between(s, looks[i], &bracket.at_high)) return -1;
        if (bracket.at_high <= 0.0) {
            int found = close_in(s, bracket, h);
            if (found) return found;
            double error;
            *h = s->whole;
            if (step_and_project(s, *h, &error)) return -1;
        } else {
            bracket.low = looks[i], bracket.at_low = bracket.at_high;
        }
    }
    return 0;
}
