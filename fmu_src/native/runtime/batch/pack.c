#include "pack.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "bounds.h"
#include "clock.h"
#include "cosimulation.h"
#include "fmi2_calls.h"
#include "manifold.h"

enum { PASSES = 4 }; /* of a projection, before lanes that are still off leave */

static real *room(Arena *arena, size_t count) { return arena_take(arena, count, sizeof(real)); }

void pack_room(Pack *pack, Arena *arena) {
    size_t nx = model.nx, own = lane_model.serves ? nx : 0, vectors = lane_model.serves ? model.n_vectors : 0;
    int rows = 0;
    for (int i = 0; i < model.n_projections; i++) rows = model.projections[i].solve.m > rows ? model.projections[i].solve.m : rows;
    const struct {
        real **array;
        size_t length;
    } parts[] = {
        {&pack->x, nx},          {&pack->u, model.nu},     {&pack->d, model.nd},           {&pack->y, model.ny},
        {&pack->f, nx},          {&pack->x_before, own},   {&pack->x_new, own},            {&pack->x_next, own},
        {&pack->x_stage, own},   {&pack->x_between, own},  {&pack->f_end, own},            {&pack->x_start, own},
        {&pack->x_from, own},    {&pack->x_to, own},       {&pack->moved, vectors},        {&pack->moved_before, vectors},
        {&pack->size, vectors},  {&pack->size_new, vectors}, {&pack->size_error, vectors}, {&pack->gamma, rows},
        {&pack->d_before, own ? model.nd : 0}, {&pack->d_new, own ? model.nd : 0}, {&pack->d_next, own ? model.nd : 0},
        {&pack->k, own ? model.nk + model.n_hoisted : 0}, {&pack->stages, MOST_STAGES * own}, {&pack->dense, MOST_DENSE_ROWS * own},
        {&pack->g, own ? model.ng : 0}, {&pack->side, own ? model.ng : 0}, {&pack->margins, own ? 4 * model.ng : 0},
        {&pack->w, own ? model.sz_w : 0},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) *parts[i].array = room(arena, parts[i].length);
    arena->used = (arena->used + sizeof(real) - 1) / sizeof(real) * sizeof(real);
}

static void take_out(double *values, const real *vectors, int lane, int count) {
    for (int i = 0; i < count; i++) values[i] = vectors[i][lane];
}

/* What an instance has, into the vectors. */
static void gather(Pack *pack, int lane) {
    Simulation *s = own(pack, lane);
    put_in(pack->x, lane, s->x, model.nx);
    put_in(pack->u, lane, s->u, model.nu);
    put_in(pack->d, lane, s->d, model.nd);
    pack->t[lane] = s->now->time + s->now->clock.early;
    if (!pack->shares) return;
    put_in(pack->k, lane, s->e.k, model.nk + model.n_hoisted);
    put_in(pack->x_start, lane, s->x_start, model.nx);
    put_in(pack->moved, lane, s->moved, model.n_vectors);
    pack->tolerance[lane] = tolerance_of(s);
}

void pack_begin(Pack *pack, double time) {
    pack->shares = lane_model.serves;
    pack->joined = pack->failed = (Mask){0};
    pack->time = time, pack->base = NUMBER(0.0);
    pack->ahead_from = pack->ahead_to = pack->alone_until = 0.0;
    pack->f_known = 0;
    pack->evaluations = pack->alone = 0;
    for (int l = 0; l < LANES; l++) gather(pack, l);
}

void lane_begins(Pack *pack, int lane, double time, int fine) {
    pack->base[lane] = time;
    pack->joined[lane] = 0;
    pack->failed[lane] = fine ? 0 : -1;
    pack->ahead_from = pack->ahead_to = 0.0, pack->f_known = 0;
    gather(pack, lane);
}

void lane_rates(Pack *pack, real t, const real *x, real *f) {
    const real *arg[] = {&t, x, pack->u, pack->k, pack->d, NULL, NULL, NULL};
    real *res[] = {f};
    lane_model.rates(arg, res, pack->w);
    pack->evaluations++;
}

/* Onto the manifolds: 0 if lanes left that did not come there. */
int project_lanes(Pack *pack, real t, real *x) {
    const real *arg[] = {&t, x, pack->u, pack->k, pack->d, NULL, NULL, NULL};
    Mask off = {0}, before = pack->joined;
    for (int i = 0; i < model.n_projections; i++) {
        for (int pass = 0; pass < PASSES; pass++) {
            real *res[] = {pack->gamma}, *moved[] = {pack->x_next}, bound = NUMBER(model.projections[i].tolerance);
            off = (Mask){0};
            lane_model.residuals[i](arg, res, pack->w);
            for (int j = 0; j < model.projections[i].solve.m; j++)
                off |= ~((Mask)(pack->gamma[j] <= bound) & (Mask)(pack->gamma[j] >= -bound));
            if (!any(off & pack->joined)) break;
            lane_model.finishes[i](arg, moved, pack->w);
            for (int j = 0; j < model.nx; j++) x[j] = choose(off, pack->x_next[j], x[j]);
        }
        real *res[] = {pack->gamma}, bound = NUMBER(ROUND_OFF_ALLOWANCE * model.projections[i].tolerance);
        if (!any(off & pack->joined)) continue;
        lane_model.residuals[i](arg, res, pack->w);
        for (int j = 0; j < model.projections[i].solve.m; j++)
            leave(pack, ~((Mask)(pack->gamma[j] <= bound) & (Mask)(pack->gamma[j] >= -bound)));
    }
    return !any(before & ~pack->joined);
}

void leave(Pack *pack, Mask lanes) { pack->joined &= ~lanes; }

static void times_of_events(Pack *pack, real t, const real *d, real *next) {
    const real *arg[] = {&t, pack->x, pack->u, pack->k, d};
    real *res[] = {next};
    *next = NUMBER(HUGE_VAL);
    if (lane_model.next_time) lane_model.next_time(arg, res, pack->w);
}

static Mask differ(const real *a, const real *b, int count) {
    Mask found = {0};
    for (int i = 0; i < count; i++) found |= (Mask)(a[i] != b[i]);
    return found;
}

/* Event iteration at the communication point of the batch's time t, as settle_now in integrate.c; lanes that jump, or whose lengths would be forgotten, leave.
 * next: times of the next events, before and after. */
static void settle_lanes(Pack *pack, double t, double h, Mask due, real *next) {
    Mask open = pack->joined, changed = {0};
    real instant = own_time(pack, t), event = *next;
    for (int l = 0; l < LANES; l++) {
        if (event[l] <= instant[l] + time_slack(instant[l], h)) due[l] = -1;
        if (due[l]) instant[l] = fmax(event[l], instant[l]);
    }
    memcpy(pack->d_new, pack->d, model.nd * sizeof(real));
    for (int pass = 0; lane_model.update && pass < model.update_limit && any(open); pass++) {
        const real *arg[] = {&instant, pack->x, pack->u, pack->k, pack->d_new, pack->g, NULL, NULL, NULL};
        real *seen[] = {pack->g}, *res[] = {pack->x_next, pack->d_next};
        if (model.ng) lane_model.indicators(arg, seen, pack->w);
        lane_model.update(arg, res, pack->w);
        leave(pack, differ(pack->x, pack->x_next, model.nx) | ~finite(pack->d_next, model.nd));
        open &= pack->joined & differ(pack->d_new, pack->d_next, model.nd);
        changed |= open;
        memcpy(pack->d_new, pack->d_next, model.nd * sizeof(real));
    }
    if (lane_model.update) leave(pack, open);
    times_of_events(pack, instant, pack->d_new, next);
    leave(pack, ~(Mask)(*next > instant) | (changed & ~due));
    for (int l = 0; l < LANES; l++)
        if (pack->joined[l] && due[l]) clock_note(&own(pack, l)->now->clock, event[l], t - pack->base[l], h);
    for (int i = 0; i < model.nd; i++) pack->d[i] = choose(pack->joined, pack->d_new[i], pack->d[i]);
    if (any(changed)) pack->f_known = 0;
}

/* Can this lane take part in shared steps? Its step control knows a length, its constants are those of its parameters, and it has the solver that
 * they have. */
static int can_join(const Simulation *s) {
    return s->now->step[0] > 0.0 && s->e.derived && s->solver[SOLVER_METHOD] == 1.0 && s->solver[SOLVER_MAX_STEP] == 0.0;
}

static void join(Pack *pack, int lane) {
    const Scalars *now = own(pack, lane)->now;
    int alone = !any(pack->joined);
    gather(pack, lane);
    for (int i = 0; i < N_ORDERS; i++) {
        double length = fmax(now->step[i], 0.0);
        if (alone || !(pack->step[i] > 0.0)) pack->step[i] = length;
        else if (length > 0.0) pack->step[i] = fmin(pack->step[i], length);
    }
    pack->within = alone ? now->within : fmin(pack->within, now->within);
    pack->joined[lane] = -1;
    pack->f_known = 0;
}

/* A lane's own communication step, by its instance. */
static void step_alone(Pack *pack, int lane, double t, double h) {
    pack->alone++;
    Status status = step_over(pack->lane[lane], CALL(DO_STEP), t, h);
    if (status > STATUS_WARNING) pack->failed[lane] = -1;
    else *pack->reason[lane] = '\0'; /* what was said of a step that was tried again */
    gather(pack, lane);
}

/* Back to where the communication step began, with the lengths that it had. */
static void put_back(Pack *pack, int lane) {
    Simulation *s = own(pack, lane);
    Scalars *now = s->now;
    take_out(s->x, pack->x_before, lane, model.nx);
    take_out(s->d, pack->d_before, lane, model.nd);
    take_out(s->moved, pack->moved_before, lane, model.n_vectors);
    for (int i = 0; i < N_ORDERS; i++) now->step[i] = pack->step[i];
    now->within = pack->within, now->clock = pack->clock_before[lane], now->disturbed = pack->disturbed_before[lane];
    now->ahead_from = now->ahead_to = 0.0;
}

static void hand_over(Pack *pack, int lane, double end, double next, double h) {
    Simulation *s = own(pack, lane);
    Scalars *now = s->now;
    take_out(s->x, pack->x, lane, model.nx);
    take_out(s->d, pack->d, lane, model.nd);
    take_out(s->moved, pack->moved, lane, model.n_vectors);
    now->time = end;
    now->disturbed = 0.0;
    if (clock_meets(&now->clock, next, end, h)) now->clock.early = fmax(next - end, 0.0);
    pack->t[lane] = end + now->clock.early;
}

/* Values that were set since the last step: constants, inputs and states of those lanes anew. */
static int take_new_values(Pack *pack) {
    int calm = 1;
    for (int l = 0; l < pack->count; l++) {
        Simulation *s = own(pack, l);
        if (pack->failed[l] || (s->now->disturbed == 0.0 && s->e.derived)) continue;
        calm = 0;
        if (make_ready(pack->lane[l])) pack->joined[l] = 0; /* its own step says why */
        gather(pack, l);
    }
    return calm;
}

static void share_step(Pack *pack, double t, double h) {
    double end = t + h;
    int calm = take_new_values(pack);
    if (!calm) pack->ahead_from = pack->ahead_to = 0.0, pack->f_known = 0;
    if (!(pack->ahead_to > pack->ahead_from))
        for (int l = 0; l < pack->count; l++)
            if (!pack->joined[l] && !pack->failed[l] && can_join(own(pack, l))) join(pack, l);
    Mask began = pack->joined, due = {0};
    real next = NUMBER(HUGE_VAL), here = own_time(pack, t);
    pack->time = t;
    if (any(began)) {
        memcpy(pack->x_before, pack->x, model.nx * sizeof(real));
        memcpy(pack->d_before, pack->d, model.nd * sizeof(real));
        memcpy(pack->moved_before, pack->moved, model.n_vectors * sizeof(real));
        times_of_events(pack, here, pack->d, &next);
        for (int l = 0; l < pack->count; l++) {
            Scalars *now = own(pack, l)->now;
            pack->clock_before[l] = now->clock, pack->disturbed_before[l] = now->disturbed;
            if (!began[l]) continue;
            clock_begin(&now->clock, here[l], h);
            if (next[l] <= here[l] || clock_meets(&now->clock, next[l], here[l], h)) due[l] = -1;
        }
        if (any(due & began)) pack->ahead_from = pack->ahead_to = 0.0;
        if (any(due & began) || !calm) settle_lanes(pack, t, h, due, &next);
        double far = t + OVERRUN * h;
        for (int l = 0; l < pack->count; l++) {
            if (!pack->joined[l]) continue;
            int at_end = clock_meets(&own(pack, l)->now->clock, next[l], here[l] + h, h);
            if (next[l] < here[l] + h && !at_end) pack->joined[l] = 0;
            far = fmin(far, at_end ? end : pack->base[l] + fmin(next[l], own(pack, l)->now->stop_time));
        }
        travel(pack, end, calm ? far : end, h);
    }
    for (int l = 0; l < pack->count; l++) {
        if (pack->failed[l]) continue;
        if (pack->joined[l]) hand_over(pack, l, here[l] + h, next[l], h);
        else {
            if (began[l]) put_back(pack, l);
            step_alone(pack, l, here[l], h);
        }
    }
}

void pack_step(Pack *pack, double t, double h) {
    Quiet host;
    quiet_begin(&host);
    if (pack->shares) share_step(pack, t, h);
    else
        for (int l = 0; l < pack->count; l++)
            if (!pack->failed[l]) step_alone(pack, l, t - pack->base[l], h);
    pack->time = t + h;
    for (int l = pack->count; l < LANES; l++) gather(pack, l);
    quiet_end(&host);
}
