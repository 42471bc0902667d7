/* Step control, and the loop over steps and events of one communication step. */
#include "integrate.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "bounded.h"
#include "bounds.h"
#include "change_points.h"
#include "locate.h"
#include "manifold.h"
#include "methods.h"
#include "rows_seen.h"
#include "step_length.h"
#include "stiffness.h"

/* Work that suits the communication step: at most TRY_LIMIT internal steps and EVALUATION_LIMIT evaluations, and no more than
 * FIRST_LOOK steps where the pace so far says that those would not do. */
static int out_of_work(const Simulation *s) {
    double done = (s->now->time - s->step_start) / s->step_length;
    if (s->tries > TRY_LIMIT || work_so_far(s) - s->work_before > EVALUATION_LIMIT) return 1;
    return s->tries > FIRST_LOOK && done * TRY_LIMIT < s->tries;
}

static int count_try(Simulation *s) {
    s->tries++;
    if (!out_of_work(s)) return 0;
    return fail(&s->e, "at time %.17g the communication step of %g s has taken %ld internal steps and needs too many more; use shorter communication steps",
                s->now->time, s->step_length, s->tries - 1);
}

int step_and_project(Simulation *s, double h, double *error) {
    double t = s->now->time + h;
    *error = 0.0;
    if (count_try(s)) return -1;
    s->e.solves = 0, s->crossed = 0;
    if (model.nx == 0) return 0;
    note_try(s, work_of_try(s));
    if (method_of(s)->step(s, h, error)) return -1;
    if (!all_finite(s->x_new, model.nx)) return fail(&s->e, "at time %.17g an internal step leads to states that are not finite; check inputs and parameters", s->now->time);
    if (*error > 1.0) return 0;
    return project_there(s, t, s->x_new) || keep_branch(s, t) ? -1 : 0;
}

/* Repeats until a step meets the tolerance; then x_new is its end and the result its length, or 0 when it failed. A step that
 * ends beyond the target serves by its dense output, which has to hold the tolerance as its end does. */
static double successful_length(Simulation *s, double target, double far) {
    int adaptive = method_of(s)->order > 0.0;
    double smallest = SHORTEST * DBL_EPSILON * fmax(fabs(s->now->time), fabs(target));
    for (int rejected = 0;;) {
        double h = length_towards(s, target, far), error, worst;
        int failed = step_and_project(s, h, &error);
        worst = error;
        if (!failed && error <= 1.0 && h > target - s->now->time) {
            failed = dense_prepare(s, h);
            if (!failed) worst = fmax(error, dense_error(s));
        }
        if (s->on_try) s->on_try(s, h, !failed && worst <= 1.0);
        if (!failed && worst <= 1.0) {
            note_step(s);
            if (adaptive) lengthen(s, h, error, worst, rejected);
            return h;
        }
        if (!adaptive || out_of_work(s)) return 0.0;
        s->now->rejections++;
        if (!failed && error <= 1.0) {
            shorten_within(s, h, error, worst);
            continue;
        }
        if (failed && s->crossed) { /* a change point ends the step, and says nothing of lengths elsewhere */
            far = s->now->time + RETRY * h, target = fmin(target, far);
            if (RETRY * h > smallest) continue;
            return 0.0;
        }
        rejected = 1;
        h *= failed || !isfinite(error) ? RETRY : fmin(change_of_length(s, error), SAFETY);
        s->now->step[s->order] = h;
        if (h > smallest) continue;
        if (!failed) fail(&s->e, "at time %.17g the step size fell below its minimum at tolerance %.3g; use a looser tolerance, or look for a singular configuration",
                          s->now->time, tolerance_of(s));
        return 0.0;
    }
}

/* Keeps the step to x_new at a time beyond the present communication step. */
static void keep_ahead(Simulation *s, double to, int event) {
    memcpy(s->x_from, s->x, model.nx * sizeof(double));
    memcpy(s->x_to, s->x_new, model.nx * sizeof(double));
    s->now->ahead_from = s->now->time, s->now->ahead_to = to, s->now->ahead_event = event;
}

static int is_ahead(const Simulation *s) { return s->now->ahead_to > s->now->ahead_from; }

static void forget_ahead(Simulation *s) { s->now->ahead_from = s->now->ahead_to = 0.0; }

/* One step: 0, 1 when an event ended it, -1 when it failed. One that ends beyond the target is kept as the step ahead. */
static int step_towards(Simulation *s, double target, double far) {
    if (model.nx == 0 && model.ng == 0) { /* nothing moves and nothing is watched */
        if (count_try(s) || (s->tell_step && s->tell_step(s, target - s->now->time, &target) < 0)) return -1;
        s->now->steps++, s->now->time = target;
        return 0;
    }
    double bound;
    if (begin_step(s) || bound_step(s, &bound) || remember_sides(s)) return -1;
    target = fmin(target, bound), far = fmin(far, bound);
    choose_by_work(s, target - s->now->time);
    if (!has_dense_output(s)) far = fmin(far, target);
    double t = s->now->time, h = successful_length(s, target, far), whole = h;
    if (h == 0.0) return -1;
    s->f_end_known = 0;
    int event = locate_event(s, &h, whole > target - t);
    if (event < 0) return -1;
    s->now->steps++;
    note_span(s, h);
    if (h > target - t) {
        if (h < whole && dense_prepare(s, h)) return -1;
        keep_ahead(s, h == far - t ? far : t + h, event);
        return 0;
    }
    double reached = h == target - t ? target : t + h, there = reached;
    if (s->tell_step && s->tell_step(s, h, &reached) < 0) return -1;
    if (reached < there) event = 0; /* the host returns before it */
    memcpy(s->x, s->x_new, model.nx * sizeof(double));
    s->now->time = reached;
    if (event) s->f_end_known = 0, forget_lengths(s);
    return event;
}

/* Event iteration at the present. due: it is a communication point that the next time event belongs to, so that it counts as due
 * now. An iteration that fails leaves the state as it was before the event. */
static int settle_now(Simulation *s, int due) {
    const double t = s->now->time, h = s->step_length, *u = inputs_at(s, t);
    double next = next_time_event(&s->e, (Point){t, s->x, u, s->d}), event = next;
    if (next <= t + time_slack(t, h)) due = 1;
    double instant = due ? fmax(next, t) : t;
    int changed;
    memcpy(s->x_new, s->x, model.nx * sizeof(double));
    memcpy(s->d_new, s->d, model.nd * sizeof(double));
    if (settle(&s->e, instant, s->x_new, u, s->d_new, &changed)) return -1;
    next = next_time_event(&s->e, (Point){instant, s->x_new, u, s->d_new});
    if (!(next > instant))
        return fail(&s->e, "at time %.17g the next time event is at %.17g, expected a later time", instant, next);
    if (changed && event_in_gap(s)) return -1;
    if (due && t == s->step_start) clock_note(&s->now->clock, event, t, h);
    if (changed && s->on_event) s->on_event(s, instant);
    int jumped = model.nx && memcmp(s->x, s->x_new, model.nx * sizeof(double));
    if (changed && (jumped || !due)) forget_lengths(s);
    memcpy(s->x, s->x_new, model.nx * sizeof(double));
    memcpy(s->d, s->d_new, model.nd * sizeof(double));
    if (changed) s->now->events++, s->f_end_known = 0;
    if (changed && !in_gap(s)) s->now->weak_most = s->now->weak_last = s->now->weak_near = 0.0;
    return 0;
}

static double next_event(Simulation *s) {
    return next_time_event(&s->e, (Point){s->now->time, s->x, inputs_at(s, s->now->time), s->d});
}

/* Along the step ahead, to its end or to `end` if that is before: 1 when it ended in an event. */
static int follow_ahead(Simulation *s, double end) {
    Scalars *now = s->now;
    if (now->ahead_to <= end) {
        dense_end(s, now->ahead_to - now->ahead_from);
        memcpy(s->x, s->x_to, model.nx * sizeof(double));
        now->time = now->ahead_to;
        forget_ahead(s);
        return now->ahead_event != 0.0;
    }
    s->order = 0;
    dense_at(s, s->x_from, (end - now->ahead_from) / (now->ahead_to - now->ahead_from));
    if (project_there(s, end, s->x_between)) { /* then by a step that ends there */
        forget_ahead(s);
        return 0;
    }
    memcpy(s->x, s->x_between, model.nx * sizeof(double));
    now->time = end;
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
    Scalars *now = s->now;
    Clock *clock = &now->clock;
    double length = end - now->time, slack = time_slack(now->time, length);
    s->order = 0;
    int undisturbed = now->disturbed == 0.0 && now->input_order == 0.0 && !s->tell_step, calm = undisturbed && has_dense_output(s);
    double farthest = calm ? fmin(now->time + OVERRUN * length, now->stop_time) : end;
    s->f_end_known = 0;
    s->at_event = 0;
    s->splits = s->late = 0, s->work_before = work_so_far(s);
    s->tries = 0, s->step_start = now->time, s->step_length = length, s->missed = HUGE_VAL;
    clock_begin(clock, now->time, length);
    double next = next_event(s);
    int due = next <= now->time || clock_meets(clock, next, now->time, length);
    if (!calm || due) forget_ahead(s);
    now->disturbed = now->input_order > 0.0;
    if (!is_ahead(s) && (due || !undisturbed)) {
        if (settle_now(s, due)) return -1;
        next = next_event(s);
    }
    while (now->time < end) {
        int event, in_time;
        if (is_ahead(s)) {
            event = follow_ahead(s, end);
            in_time = event && now->time == next;
        } else {
            double t = now->time;
            int at_end = clock_meets(clock, next, end, length), before_end = next < end && !at_end && may_split(s);
            double target = before_end ? next : end;
            event = step_towards(s, target, before_end || at_end ? target : fmax(end, fmin(next, farthest)));
            if (event < 0) return -1;
            in_time = (before_end && now->time == next) || is_late(s, next);
            if (is_ahead(s)) {
                if (now->ahead_to == next) now->ahead_event = 1.0;
                count_end(s, now->ahead_to - t, now->ahead_event != 0.0, now->ahead_to == farthest, slack);
            } else {
                count_end(s, now->time - t, event || in_time, now->time == end, slack);
            }
        }
        end = fmin(end, s->ends_by);
        if (in_gap(s) && now->time >= s->gap[GAP_UNTIL] && leave_gap(s)) return -1;
        if (in_time && clock_meets(clock, next, end, length)) continue; /* it waits for the inputs of that point */
        if (in_time) count_split(s, next);
        if (in_time && model.samples && !s->ends_at_events) s->missed = fmin(s->missed, next);
        if ((event || in_time) && s->ends_at_events) { /* the host takes it, in event mode */
            s->at_event = 1;
            return 0;
        }
        if (event || in_time) {
            if (settle_now(s, 0)) return -1;
            next = next_event(s);
        }
    }
    if (clock_meets(clock, next, end, length)) clock->early = fmax(next - end, 0.0), s->at_event = 1;
    return 0;
}

int settle_event(Simulation *s) {
    double t = s->now->time, next = next_event(s);
    s->f_end_known = 0, s->step_start = t;
    forget_ahead(s);
    if (settle_now(s, next <= t || clock_meets(&s->now->clock, next, t, s->step_length))) return -1;
    s->now->clock.early = 0.0;
    return 0;
}

double next_event_time(Simulation *s) { return next_event(s); }

double mean_step(const Simulation *s) { return (s->now->time - s->step_start) / (double)s->tries; }

int is_stiff(const Simulation *s) {
    const Method *method = method_of(s);
    return s->tries > MANY_STEPS && !is_automatic(s) && method->runge_kutta && method->order > 0.0;
}
