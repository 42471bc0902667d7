/* Steps that lanes take together: the pairs of `explicit` with one length for all, each lane's own error, accepted when all hold. The choice of pair and length
 * is that of step_length.c, by the worst of the lanes. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "bounds.h"
#include "pack.h"
#include "tableau.h"

static const double looks[] = {0.25, 0.5, 0.75, 1.0};

enum { MOST_TRIES = 400 }; /* steps of one communication step, before lanes whose errors reject them leave */

static const Method *own_method(const Pack *pack) { return methods[0].list + pack->order; }
static const Explicit *own_pair(const Pack *pack) { return own_method(pack)->runge_kutta; }

static int watches(void) { return model.ng > 0 && !model.slow_indicators; }
static int dense_work(const Explicit *pair) { return pair->dense_rows ? pair->stages - 1 - pair->steps : 0; }

/* result = base + h sum_j weights_j K_j; base may be NULL: zero. */
static void combine(const Pack *pack, const real *base, double h, const double *weights, int count, real *restrict result) {
    const real *stage[MOST_STAGES] = {NULL};
    double w[MOST_STAGES];
    int used = 0, nx = model.nx;
    for (int k = 0; k < count; k++)
        if (weights[k] != 0.0) stage[used] = pack->stages + k * nx, w[used++] = h * weights[k];
    int j = used % 4;
    for (int i = 0; i < nx; i++) {
        real sum = base ? base[i] : NUMBER(0.0);
        for (int m = 0; m < j; m++) sum += w[m] * stage[m][i];
        result[i] = sum;
    }
    for (; j < used; j += 4) {
        const real *a = stage[j], *b = stage[j + 1], *c = stage[j + 2], *e = stage[j + 3];
        double wa = w[j], wb = w[j + 1], wc = w[j + 2], we = w[j + 3];
        for (int i = 0; i < nx; i++) result[i] += (wa * a[i] + wb * b[i]) + (wc * c[i] + we * e[i]);
    }
}

static void run_stages(Pack *pack, double h, int first, int last) {
    const Explicit *pair = own_pair(pack);
    for (int i = first; i < last; i++) {
        combine(pack, pack->x, h, pair->a + i * pair->stages, i, pack->x_stage);
        lane_rates(pack, own_time(pack, pack->time + pair->c[i] * h), pack->x_stage, pack->stages + i * model.nx);
    }
}

/* x_new, and the error of each lane over its tolerance; see runge_kutta.c. */
static real run_step(Pack *pack, double h) {
    const Explicit *pair = own_pair(pack);
    memcpy(pack->stages, pack->f, model.nx * sizeof(real));
    run_stages(pack, h, 1, pair->steps);
    combine(pack, pack->x, h, pair->b, pair->steps, pack->x_new);
    combine(pack, NULL, h, pair->error, pair->steps, pack->x_stage);
    real error = lane_norm(pack, pack->x_stage, pack->x_new);
    if (pair->errors > 1) {
        combine(pack, NULL, h, pair->error + pair->steps, pair->steps, pack->x_stage);
        real third = lane_norm(pack, pack->x_stage, pack->x_new);
        for (int l = 0; l < LANES; l++) error[l] = error[l] == 0.0 ? 0.0 : error[l] / hypot(1.0, 0.1 * third[l] / error[l]);
    }
    return pack->order > 0 ? error * fmax(1.0, pack->step[0] / h) : error;
}

static void prepare_dense(Pack *pack, double h) {
    const Explicit *pair = own_pair(pack);
    int nx = model.nx;
    lane_rates(pack, own_time(pack, pack->time + h), pack->x_new, pack->f_end);
    for (int i = 0; i < nx; i++) {
        real move = pack->x_new[i] - pack->x[i];
        pack->dense[i] = move;
        pack->dense[nx + i] = h * pack->f[i] - move;
        pack->dense[2 * nx + i] = 2.0 * move - h * (pack->f_end[i] + pack->f[i]);
    }
    if (!pair->dense_rows) return;
    memcpy(pack->stages + pair->steps * nx, pack->f_end, nx * sizeof(real));
    run_stages(pack, h, pair->steps + 1, pair->stages);
    for (int row = 0; row < pair->dense_rows; row++)
        combine(pack, NULL, h, pair->dense + row * pair->stages, pair->stages, pack->dense + (3 + row) * nx);
}

static void dense_between(Pack *pack, const real *from, double share) {
    int rows = 3 + own_pair(pack)->dense_rows;
    for (int i = 0; i < model.nx; i++) pack->x_between[i] = NUMBER(0.0);
    for (int row = rows - 1; row >= 0; row--) {
        double factor = row % 2 ? 1.0 - share : share;
        for (int i = 0; i < model.nx; i++) pack->x_between[i] = (pack->x_between[i] + pack->dense[row * model.nx + i]) * factor;
    }
    for (int i = 0; i < model.nx; i++) pack->x_between[i] += from[i];
}

static real error_of_dense(Pack *pack) {
    int last = 2 + own_pair(pack)->dense_rows;
    double q = (last / 2 + 1) / (last + 1.0), factor = pow(q, last / 2 + 1) * pow(1.0 - q, (last + 1) / 2);
    return factor * lane_norm(pack, pack->dense + last * model.nx, pack->x_new);
}

/* Step control: as in step_length.c. */
static double fitted(double h, double rest) { return h >= rest ? rest : h > 0.5 * rest ? 0.5 * rest : h; }

static double work_of(int order, double h, double time) {
    const Explicit *pair = methods[0].list[order].runge_kutta;
    return h > 0.0 ? (pair->steps + (watches() ? dense_work(pair) : 0)) * ceil(time / h) : HUGE_VAL;
}

static int order_of_least_work(const Pack *pack, double time, double *least) {
    int chosen = 0;
    *least = HUGE_VAL;
    for (int order = 0; order < methods[0].orders; order++) {
        double work = work_of(order, pack->step[order], time);
        if (work < *least) *least = work, chosen = order;
    }
    return chosen;
}

static double length_of_least_work(Pack *pack, double rest, double reach, double step_length) {
    const Explicit *high = methods[0].list[0].runge_kutta;
    double whole = pack->step[0], ahead = fitted(pack->within * whole, reach), least;
    pack->order = 0;
    order_of_least_work(pack, step_length, &least);
    double share = step_length / ahead, work = high->steps * share + dense_work(high) * (watches() ? share : fmin(share, 1.0));
    if (reach > rest && work < SAFETY * least) return ahead > rest ? ahead : fmin(whole, rest);
    pack->order = order_of_least_work(pack, rest, &least);
    return fitted(pack->step[pack->order], rest);
}

static double change_of_length(const Pack *pack, double error) {
    double factor = error > 0.0 ? SAFETY * pow(error, -1.0 / own_method(pack)->order) : GROW;
    return fmin(fmax(factor, SHRINK), GROW);
}

static void lengthen(Pack *pack, double h, double error, double worst, int rejected, double step_length) {
    double *own = &pack->step[pack->order], change = change_of_length(pack, error), within = change_of_length(pack, worst);
    double wanted = h * (rejected ? fmin(change, 1.0) : change), whole = worst > error ? pack->within * *own : *own;
    *own = h < whole ? fmax(wanted, *own) : wanted;
    if (worst > error && within < GROW) pack->within = within / change;
    int known = change < SETTLED || *own >= GROW * step_length;
    for (int order = 0; order < methods[0].orders; order++) {
        double *other = &pack->step[order];
        if (*other <= 0.0) *other = known ? *own : *other;
        else if (other != own) *other = fmax(*other, fmin(RECALL * *other, GROW * h));
    }
}

/* A step that all joined lanes hold, to x_new: its length; 0: no lane is left. */
static double shared_length(Pack *pack, double target, double far, double step_length) {
    double smallest = SHORTEST * DBL_EPSILON * fmax(fabs(pack->time), fabs(target));
    for (int rejected = 0; any(pack->joined);) {
        double rest = target - pack->time, h = length_of_least_work(pack, rest, far - pack->time, step_length);
        real errors = run_step(pack, h), worsts = errors;
        double error = largest(errors, pack->joined);
        pack->tries++;
        if (error <= 1.0 && !project_lanes(pack, own_time(pack, pack->time + h), pack->x_new)) continue; /* some left: the lengths are the others' */
        if (error <= 1.0 && h > rest) {
            prepare_dense(pack, h);
            worsts = error_of_dense(pack);
        }
        double worst = largest(worsts, pack->joined);
        worst = isnan(worst) || worst > error ? worst : error;
        if (worst <= 1.0) {
            lengthen(pack, h, error, worst, rejected, step_length);
            return h;
        }
        Mask refused = pack->joined & ~((Mask)(errors <= 1.0) & (Mask)(worsts <= 1.0));
        if (error <= 1.0 && !isnan(worst)) {
            double change = change_of_length(pack, error);
            pack->step[0] = h * change;
            pack->within = fmin(change_of_length(pack, worst), SAFETY) / change;
        } else {
            rejected = 1;
            h *= isfinite(error) && isfinite(worst) ? fmin(change_of_length(pack, error), SAFETY) : RETRY;
            pack->step[pack->order] = h;
        }
        if (!isfinite(worst) || h <= smallest || pack->tries > MOST_TRIES) leave(pack, refused);
    }
    return 0.0;
}

/* Margins of the indicators: positive as long as they have not changed sign; see locate.c. */
static void indicators_at(Pack *pack, real t, const real *x) {
    const real *arg[] = {&t, x, pack->u, pack->k, pack->d, NULL, NULL, NULL};
    real *res[] = {pack->g};
    lane_model.indicators(arg, res, pack->w);
}

static void margins_at(Pack *pack, double t, const real *x, real *margins) {
    indicators_at(pack, own_time(pack, t), x);
    for (int i = 0; i < model.ng; i++) {
        real value = pack->side[i] * pack->g[i];
        margins[i] = choose((Mask)(value == 0.0) & (Mask)(pack->side[i] < 0.0), NUMBER(DBL_MIN), value);
    }
}

static void remember_sides(Pack *pack) {
    if (model.ng == 0) return;
    indicators_at(pack, own_time(pack, pack->time), pack->x);
    for (int i = 0; i < model.ng; i++) pack->side[i] = choose((Mask)(pack->g[i] > 0.0), NUMBER(1.0), NUMBER(-1.0));
    margins_at(pack, pack->time, pack->x, pack->margins);
}

static Mask crossed(const real *margins) {
    Mask found = {0};
    for (int i = 0; i < model.ng; i++) found |= ~(Mask)(margins[i] > 0.0);
    return found;
}

static Mask excluded(const Pack *pack) {
    const real *start = pack->margins, *middle = start + model.ng, *end = middle + model.ng;
    Mask clear = ~(Mask){0};
    for (int i = 0; i < model.ng; i++) {
        real low = start[i], high = start[i], bend = start[i] - 2.0 * middle[i] + end[i];
        low = choose((Mask)(middle[i] < low), middle[i], low), high = choose((Mask)(middle[i] > high), middle[i], high);
        low = choose((Mask)(end[i] < low), end[i], low), high = choose((Mask)(end[i] > high), end[i], high);
        bend = choose((Mask)(bend < 0.0), -bend, bend);
        clear &= (Mask)(low > CLEAR * (high - low + bend));
    }
    return clear;
}

/* Lanes in which an indicator changes sign in the step of length h; prepared: its dense output is there. */
static Mask with_event(Pack *pack, double h, int *prepared) {
    Mask none = {0};
    if (model.ng == 0) return none;
    real *middle = pack->margins + model.ng, *end = middle + model.ng, *other = end + model.ng;
    margins_at(pack, pack->time + h, pack->x_new, end);
    if (model.slow_indicators) return crossed(end) & pack->joined;
    if (!*prepared) prepare_dense(pack, h);
    *prepared = 1;
    dense_between(pack, pack->x, 0.5);
    margins_at(pack, pack->time + 0.5 * h, pack->x_between, middle);
    Mask doubtful = pack->joined & ~excluded(pack), found = (crossed(middle) | crossed(end)) & pack->joined;
    if (!any(doubtful)) return found;
    for (int i = 0; i < 4; i += 2) {
        dense_between(pack, pack->x, looks[i]);
        margins_at(pack, pack->time + looks[i] * h, pack->x_between, other);
        found |= crossed(other) & doubtful;
    }
    return found;
}

static int is_ahead(const Pack *pack) { return pack->ahead_to > pack->ahead_from; }

static void take(Pack *pack, real *to, const real *from) { memcpy(to, from, model.nx * sizeof(real)); (void)pack; }

/* Along the step ahead, to its end or to `end` if that is before. */
static void follow_ahead(Pack *pack, double end) {
    pack->order = 0;
    if (pack->ahead_to <= end) {
        double h = pack->ahead_to - pack->ahead_from;
        const real *move = pack->dense, *first = move + model.nx, *second = first + model.nx;
        for (int i = 0; i < model.nx; i++) pack->f[i] = (move[i] - first[i] - second[i]) / h;
        pack->f_known = 1;
        take(pack, pack->x, pack->x_to);
        pack->time = pack->ahead_to;
        pack->ahead_from = pack->ahead_to = 0.0;
        return;
    }
    dense_between(pack, pack->x_from, (end - pack->ahead_from) / (pack->ahead_to - pack->ahead_from));
    project_lanes(pack, own_time(pack, end), pack->x_between);
    take(pack, pack->x, pack->x_between);
    pack->time = end;
    pack->f_known = 0;
}

void travel(Pack *pack, double end, double far, double step_length) {
    pack->tries = 0;
    while (pack->time < end && any(pack->joined)) {
        if (is_ahead(pack)) {
            follow_ahead(pack, end);
            continue;
        }
        note_lanes(pack);
        if (!pack->f_known) lane_rates(pack, own_time(pack, pack->time), pack->x, pack->f);
        pack->f_known = 1;
        remember_sides(pack);
        double reach = pack->time < pack->alone_until ? end : fmax(end, far);
        double h = shared_length(pack, end, reach, step_length), rest = end - pack->time;
        if (h == 0.0) return;
        int prepared = h > rest;
        Mask events = with_event(pack, h, &prepared);
        if (any(events) && h > rest) { /* its time may not have come */
            pack->alone_until = pack->time + h;
            continue;
        }
        leave(pack, events);
        if (h > rest) {
            take(pack, pack->x_from, pack->x), take(pack, pack->x_to, pack->x_new);
            pack->ahead_from = pack->time, pack->ahead_to = h == reach - pack->time ? reach : pack->time + h;
            continue;
        }
        take(pack, pack->x, pack->x_new);
        if (prepared) take(pack, pack->f, pack->f_end);
        pack->f_known = prepared;
        pack->time = h == rest ? end : pack->time + h;
    }
}
