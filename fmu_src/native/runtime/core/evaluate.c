#include "evaluate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bounds.h"
#include "manifold.h"
#include "planned.h"
#include "rows_seen.h"

static int larger(int a, int b) { return a > b ? a : b; }

static void stage_room(Stage *stage, Arena *arena, int n, int m, int carry) {
    stage->M = arena_doubles(arena, (size_t)n * n);
    stage->G = arena_doubles(arena, (size_t)m * n);
    stage->f = arena_doubles(arena, n);
    stage->gamma = arena_doubles(arena, m);
    stage->carry = arena_doubles(arena, carry);
    stage->z = arena_doubles(arena, n);
    stage->multipliers = arena_doubles(arena, m);
    saddle_room(&stage->saddle, arena, n, m);
}

/* The last point and the one before change places. */
static void change_places(Evaluation *e) {
    Evaluated last = {e->solved, e->known, e->t, e->x, e->u, e->d, e->x_dot, e->y, e->g, e->noticed, e->motion};
    const Evaluated *to = &e->before;
    e->solved = to->solved, e->known = to->known, e->t = to->t;
    e->x = to->x, e->u = to->u, e->d = to->d;
    e->x_dot = to->x_dot, e->y = to->y, e->g = to->g, e->noticed = to->noticed;
    e->motion = to->motion;
    e->before = last;
}

void forget_points(Evaluation *e) { e->solved = e->before.solved = 0; }

void evaluation_room(Evaluation *e, Arena *arena) {
    e->k = arena_doubles(arena, model.nk + model.n_hoisted);
    for (int i = 0; i < 2; i++) {
        Evaluated *point = &e->before;
        point->x = arena_doubles(arena, model.nx);
        point->u = arena_doubles(arena, model.nu);
        point->d = arena_doubles(arena, model.nd);
        point->x_dot = arena_doubles(arena, model.nx);
        point->y = arena_doubles(arena, model.ny);
        point->g = arena_doubles(arena, model.ng);
        point->noticed = arena_doubles(arena, model.n_notices);
        stage_room(&point->motion, arena, model.motion.n, model.motion.m, model.motion.carry);
        change_places(e);
    }
    e->x_new = arena_doubles(arena, model.nx);
    e->x_old = arena_doubles(arena, model.nx);
    e->d_new = arena_doubles(arena, model.nd);
    e->g_seen = arena_doubles(arena, model.ng);
    e->law = arena_doubles(arena, model.n_laws);

    Solve event = model.update_solve;
    for (int i = 0; i < model.n_projections; i++) {
        const Solve *solve = &model.projections[i].solve;
        event.n = larger(event.n, solve->n), event.m = larger(event.m, solve->m);
        event.carry = larger(event.carry, solve->carry);
    }
    stage_room(&e->change, arena, model.motion.n, model.motion.m, model.motion.carry);
    stage_room(&e->event, arena, event.n, event.m, event.carry);

    int n = model.motion.n, m = model.speeds ? model.motion.m : 0;
    e->seen.u = arena_doubles(arena, (size_t)m * m);
    e->seen.s = arena_doubles(arena, m);
    e->seen.scale = arena_doubles(arena, m);
    e->seen.wanted = arena_doubles(arena, m);
    e->seen.push = arena_doubles(arena, m ? n : 0);
    e->seen.weak = arena_doubles(arena, m ? (size_t)most_weak() * n : 0);

    e->w = arena_doubles(arena, model.sz_w);
}

void call(Evaluation *e, Expression expression, Arguments arguments, Results results) {
    expression(arguments.list, results.list, e->w);
}

int fail(Evaluation *e, const char *format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(e->reason, sizeof e->reason, format, values);
    va_end(values);
    return -1;
}

const char *name_of(Group group, int index) {
    for (int i = 0; i < model.n_variables; i++) /* unreached: the end; states, inputs and outputs are all variables */
        if (model.variables[i].group == group && model.variables[i].index == index) return model.variables[i].name;
    return "?";
}

/* v - v is zero where v is finite, and not a number elsewhere: bits in place of branches, which compilers take several at once. */
int first_not_finite(const double *values, int count) {
    unsigned long long any = 0;
    for (int i = 0; i < count; i++) {
        double zero = values[i] - values[i];
        unsigned long long bits;
        memcpy(&bits, &zero, sizeof bits);
        any |= bits;
    }
    for (int i = 0; any && i < count; i++) /* unreached: the end; `any` is set by a number that is not finite */
        if (!isfinite(values[i])) return i;
    return -1;
}

int all_finite(const double *values, int count) { return first_not_finite(values, count) < 0; }

int broken_law(Evaluation *e, const double *p) {
    if (!model.check) return -1;
    call(e, model.check, (Arguments){{p}}, (Results){{e->law}});
    for (int i = 0; i < model.n_laws; i++)
        if (!(e->law[i] > 0.0)) return i; /* NaN breaks a law, too */
    return -1;
}

int derive_constants(Evaluation *e, const double *p) {
    call(e, model.derive, (Arguments){{p}}, (Results){{e->k}});
    forget_points(e);
    e->derived = all_finite(e->k, model.nk);
    return e->derived ? 0 : fail(e, "constants that follow from the parameters are not finite; change the parameters that were set last");
}

void assemble_stage(Evaluation *e, const Solve *solve, Stage *stage, Point at, const double *g) {
    if (!solve->assemble) return;
    double *first = solve->factored ? stage->saddle.lower : stage->M;
    double *second = solve->factored ? stage->saddle.w : stage->G;
    call(e, solve->assemble, (Arguments){{&at.t, at.x, at.u, e->k, at.d, g}},
         (Results){{first, second, stage->f, stage->gamma, stage->carry}});
}

int refuse_matrix(Evaluation *e, double t) {
    return fail(e, "at time %.17g the mass matrix is not positive definite, or a matrix is not finite; check masses, inertias and states", t);
}

void stiffen_right(const Solve *solve, const double *G, const double *gamma, double *f) {
    int n = solve->n;
    for (int i = 0; i < solve->stiff; i++)
        for (int j = 0; j < n; j++) f[j] += solve->pull * gamma[i] * G[i * n + j];
}

void stiffen(const Solve *solve, Stage *stage) {
    int n = solve->n;
    for (int i = 0; i < solve->stiff; i++) {
        const double *row = stage->G + i * n;
        for (int j = 0; j < n; j++) {
            double part = solve->stiffness * row[j];
            if (part == 0.0) continue;
            for (int k = 0; k < n; k++) stage->M[j * n + k] += part * row[k];
        }
    }
    stiffen_right(solve, stage->G, stage->gamma, stage->f);
}

static int factor_stage(Evaluation *e, const Solve *solve, Stage *stage, double t) {
    Saddle *s = &stage->saddle;
    int n = solve->n, m = solve->m;
    stiffen(solve, stage);
    int failed = solve->factored ? saddle_reveal(s, n, m) : saddle_factor(s, n, m, stage->M, stage->G);
    return failed ? refuse_matrix(e, t) : 0;
}

static void solve_factored(const Solve *solve, Stage *stage) {
    (solve->factored ? saddle_solve_inward : saddle_solve)(&stage->saddle, stage->f, stage->gamma, stage->z,
                                                           stage->multipliers);
}

/* The weakness up to which rows may be redundant, at a distance from the manifold. */
static double blurred(double off) { return fmin(BLUR * off, DOUBTFUL); }

int solve_stage(Evaluation *e, const Solve *solve, Stage *stage, double t, double off) {
    if (!solve->assemble) return 0;
    double left = solve_planned(e, solve, stage);
    if (left >= 0.0 && left <= fmax(PLANNED_REDUNDANT, blurred(off))) return 0;
    if (factor_stage(e, solve, stage, t)) return -1;
    if (off > 0.0 && saddle_weakest(&stage->saddle) < DOUBTFUL) saddle_forget(&stage->saddle, blurred(off));
    solve_factored(solve, stage);
    return 0;
}

static int same_point(const Evaluation *e, Point at) {
    return e->solved && e->t == at.t && !memcmp(e->x, at.x, model.nx * sizeof(double)) &&
           !memcmp(e->u, at.u, model.nu * sizeof(double)) && !memcmp(e->d, at.d, model.nd * sizeof(double));
}

/* Keeps how weak the rows are, which the factorization tells by the way. */
static void note_weakness(Evaluation *e, const Saddle *saddle) {
    double weakness = saddle_weakest(saddle);
    if (!saddle->rank) return;
    if (!e->solves++) e->ranks[0] = e->ranks[1] = saddle->rank, e->weakness[0] = e->weakness[1] = weakness;
    if (saddle->rank < e->ranks[0]) e->ranks[0] = saddle->rank;
    if (saddle->rank > e->ranks[1]) e->ranks[1] = saddle->rank;
    e->weakness[0] = fmin(e->weakness[0], weakness), e->weakness[1] = fmax(e->weakness[1], weakness);
}

static int factor_motion(Evaluation *e, Point at) { return factor_stage(e, &model.motion, &e->motion, at.t); }

static void forget_doubtful(Evaluation *e, Point at) {
    Saddle *s = &e->motion.saddle;
    if (saddle_weakest(s) < DOUBTFUL) saddle_forget(s, blurred(manifold_distance(e, at)));
}

static int in_any_gap(const Evaluation *e) { return e->gap && e->gap[GAP_COUNT] > 0.0; }

static int solve_motion(Evaluation *e, Point at) {
    if (same_point(e, at)) return 0;
    change_places(e);
    if (same_point(e, at)) {
        if (model.motion.assemble && !in_any_gap(e)) note_weakness(e, &e->motion.saddle);
        return 0;
    }
    e->solved = 0, e->known = 0;
    e->evaluations++;
    e->t = at.t;
    memcpy(e->x, at.x, model.nx * sizeof(double));
    memcpy(e->u, at.u, model.nu * sizeof(double));
    memcpy(e->d, at.d, model.nd * sizeof(double));
    e->solved = 1;
    if (!model.motion.assemble) return 0;
    Stage *stage = &e->motion;
    int gap = in_any_gap(e);
    if (gap && model.loops_alone) {
        e->solved = !solve_in_gap(e, at, e->gap);
        return e->solved ? 0 : -1;
    }
    assemble_stage(e, &model.motion, stage, at, NULL);
    double left = solve_planned(e, &model.motion, stage);
    int planned = left >= 0.0 && (left <= PLANNED_REDUNDANT || left <= blurred(manifold_distance(e, at)));
    e->solved = planned || !factor_motion(e, at);
    if (!e->solved) return -1;
    note_weakness(e, &stage->saddle);
    if (!planned) forget_doubtful(e, at), solve_factored(&model.motion, stage);
    if (gap) e->solved = !solve_in_gap(e, at, e->gap);
    return e->solved ? 0 : -1;
}

int motion_factors(Evaluation *e, Point at) {
    if (!(e->motion.saddle.planned > 0.0)) return 0;
    if (factor_motion(e, at)) return -1;
    forget_doubtful(e, at);
    return 0;
}

static int refuse_rate(Evaluation *e, double t, int index) {
    return fail(e, "at time %.17g the derivative of %s is not finite%s", t, name_of(GROUP_STATE, index), model.without_rates);
}

static int refuse_output(Evaluation *e, double t, int index) {
    return fail(e, "at time %.17g the output %s is not finite; check inputs and parameters", t, name_of(GROUP_OUTPUT, index));
}

static int refuse_noticed(Evaluation *e, double t, int index) {
    return fail(e, "at time %.17g the output %s is not finite; check inputs and parameters", t, model.notices[index].name);
}

static int refuse_indicator(Evaluation *e, double t, int index) {
    return fail(e, "at time %.17g event indicator %d is not finite; check inputs and parameters", t, index + 1);
}

int evaluate_motion(Evaluation *e, Point at, unsigned wanted) {
    if (solve_motion(e, at)) return -1;
    const struct {
        unsigned what;
        Expression expression;
        double *result;
        int count;
        int (*refuse)(Evaluation *e, double t, int index);
    } parts[] = {
        {WANT_RATES, model.rates, e->x_dot, model.nx, refuse_rate},
        {WANT_OUTPUTS, model.outputs, e->y, model.ny, refuse_output},
        {WANT_INDICATORS, model.indicators, e->g, model.ng, refuse_indicator},
        {WANT_NOTICED, model.noticed, e->noticed, model.n_notices, refuse_noticed},
    };
    const Stage *stage = &e->motion;
    Arguments arguments = {{&at.t, at.x, at.u, e->k, at.d, stage->z, stage->multipliers, stage->carry}};
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!(wanted & ~e->known & parts[i].what) || !parts[i].expression) continue;
        call(e, parts[i].expression, arguments, (Results){{parts[i].result}});
        int bad = first_not_finite(parts[i].result, parts[i].count);
        if (bad >= 0) return parts[i].refuse(e, at.t, bad);
        e->known |= parts[i].what;
    }
    return 0;
}
