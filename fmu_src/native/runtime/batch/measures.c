#include "measures.h"

#include <math.h>

static real root(real x) {
    real result;
    for (int l = 0; l < LANES; l++) result[l] = sqrt(x[l]);
    return result;
}

static real shown(const Measure *m, const real *values) {
    real first = m->factor * values[m->first] + m->offset, sum = first * first;
    if (m->count == 1) return first;
    for (int i = 1; i < m->count; i++) {
        real value = m->factor * values[m->first + i] + m->offset;
        sum += value * value;
    }
    return root(sum);
}

void measure(const Measure *m, double time, const real *values, Measured *now) {
    if (!(time >= m->after - 1e-9 * (m->after > 1.0 ? m->after : 1.0))) return;
    real x = shown(m, values), old = now->number, away = x - m->target;
    if (m->kind == LARGEST) x = choose((Mask)(x < 0.0), -x, x);
    int begins = now->points == 0.0;
    now->points++;
    switch (m->kind) { /* unreached: another kind; the cases are all of them */
        case MAX:
        case LARGEST: now->number = begins ? x : choose((Mask)(x > old), x, old); break;
        case MIN: now->number = begins ? x : choose((Mask)(x < old), x, old); break;
        case MEAN: now->number = begins ? x : old + x; break;
        case RMS: now->number = begins ? x * x : old + x * x; break;
        case FINAL: now->number = x; break;
        case SETTLING_TIME: {
            Mask outside = ~((Mask)(away <= m->band) & (Mask)(away >= -m->band));
            now->number = begins ? NUMBER(time) : choose(now->outside & ~outside, NUMBER(time), old);
            now->outside = outside;
        }
    }
}

real measured(const Measure *m, const Measured *so_far) {
    switch (m->kind) {
        case MEAN: return so_far->number / so_far->points;
        case RMS: return root(so_far->number / so_far->points);
        case SETTLING_TIME: return choose(so_far->outside, NUMBER(NAN), so_far->number);
        default: return so_far->number;
    }
}
