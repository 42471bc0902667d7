#include "loop_events.h"

#include <math.h>
#include <string.h>

#include "bounds.h"
#include "calls.h"
#include "change_points.h"
#include "manifold.h"
#include "methods.h"
#include "rows_seen.h"

/* In model exchange x_from, at the time ahead_from, is a state on the side of the change point where the motion is, and weak_last the weakness at
 * which an event is due. */

int loop_indicators(void) { return model.speeds ? 1 : 0; }

void exchange_from(Simulation *s) {
    if (!model.speeds) return;
    memcpy(s->x_from, s->x, model.nx * sizeof(double));
    s->now->ahead_from = s->now->ahead_to = s->now->time;
    s->e.solves = 0, s->before_known = 0;
}

/* Events are due where a change point is near, so that the host begins anew on the manifolds, and where the gap begins; after one that is
 * postponed, at half of the weakness. */
static double threshold_below(double weakness) {
    return weakness > 2.0 * NEAR ? NEAR : weakness > 2.0 * GAP_BEGINS ? GAP_BEGINS : 0.5 * weakness;
}

int loop_indicator(Simulation *s, double *z) {
    Scalars *now = s->now;
    *z = -1.0;
    if (in_gap(s)) return 0;
    if ((int)now->mode != MODE_CONTINUOUS) exchange_from(s); /* nothing is under way */
    s->crossed = 0;
    int behind = on_one_branch(s, now->ahead_from, s->x_from, now->time, s->x);
    if (behind && !s->crossed) return -1;
    const double *sizes = s->e.seen.s;
    double weakness = s->rank_before ? sizes[s->rank_before - 1] / sizes[0] : 1.0;
    *z = (behind ? -weakness : weakness) - now->weak_last;
    if (*z <= 0.0) return 0;
    memcpy(s->x_from, s->x, model.nx * sizeof(double));
    now->ahead_from = now->ahead_to = now->time, s->before_known = 0;
    now->weak_last = weakness > 2.0 * GAP_BEGINS ? fmax(now->weak_last, threshold_below(weakness)) : now->weak_last;
    return 0;
}

/* Whether a row of a coupling may be weaker, by the last solve of the motion: it tells the weakest of all rows. */
static int may_be_weaker(const Evaluation *e, double than) { return !model.loops_alone || saddle_weakest(&e->motion.saddle) < than; }

int settle_gap(Simulation *s) {
    double t = s->now->time;
    if (!in_gap(s)) return project(&s->e, t, s->x, s->u, s->d);
    if (t >= s->gap[GAP_UNTIL] - time_slack(t, 0.0)) return leave_gap(s);
    return project_as(&s->e, t, s->x, s->u, s->d, NOT_COUPLINGS);
}

int begin_gap(Simulation *s, double *next) {
    Scalars *now = s->now;
    double bound;
    if (!model.speeds) return 0;
    if (!in_gap(s) || !(now->weak_most > 0.0)) { /* a start's gap is that of the inputs as they are now */
        s->f_end_known = 0, now->weak_last = 0.0;
        if (begin_step(s)) return -1;
        if (!in_gap(s) && may_be_weaker(&s->e, 2.0 * NEAR) && (project_tightly(s) || begin_step(s))) return -1;
        if (bound_step(s, &bound)) return -1;
        double weakness = s->rank_before ? s->outlook.weakness[s->rank_before - 1] : 1.0;
        now->weak_last = threshold_below(weakness);
        if (!in_gap(s) && weakness <= 1.1 * GAP_BEGINS) *next = fmin(*next, bound);
    }
    if (in_gap(s)) *next = fmin(*next, s->gap[GAP_UNTIL]);
    return 0;
}

int rates_on_manifolds(Simulation *s) {
    Evaluation *e = &s->e;
    Point at = present(s);
    if (evaluate_motion(e, at, WANT_RATES)) return -1;
    if (!model.speeds || in_gap(s) || !may_be_weaker(e, NEAR)) return 0;
    /* a row of another size, such as that of a light gimbal, is not a change point: there, rates are those of the states as they were set */
    if (see_rows(e, at, -1)) return -1;
    if (weakest_seen(e) >= NEAR) return 0;
    memcpy(s->x_new, s->x, model.nx * sizeof(double));
    if (!project_as(e, at.t, s->x_new, s->u, s->d, TO_ROUND_OFF)) at.x = s->x_new;
    return evaluate_motion(e, at, WANT_RATES);
}

int exchanged_step(Simulation *s, int *due) {
    const Evaluation *e = &s->e;
    double z;
    if (!model.speeds) return 0;
    if (in_gap(s)) {
        if (s->now->time >= s->gap[GAP_UNTIL]) *due = 1;
        return 0;
    }
    double least = e->solves ? e->weakness[0] : 1.0, most = fmax(e->solves ? e->weakness[1] : 0.0, s->now->weak_most);
    if (!model.loops_alone || least < DIP * most || (e->solves && e->ranks[0] != e->ranks[1])) {
        if (on_one_branch(s, s->now->ahead_from, s->x_from, s->now->time, s->x) || loop_indicator(s, &z)) return -1;
        if (z <= 0.0) *due = 1;
    }
    s->now->weak_most = most;
    if (!*due) exchange_from(s);
    return 0;
}
