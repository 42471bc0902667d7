/* See dynamics/solver/stiffness.py, where what is measured and decided is explained. */
#include "stiffness.h"

#include <math.h>
#include <string.h>

#include "change_points.h"
#include "methods.h"
#include "rows_seen.h"

static void begin_window(Choice *choice) { choice->tries = choice->steps = choice->span = choice->work = 0.0; }

void begin_choice(Choice *choice) {
    memset(choice, 0, sizeof *choice);
    choice->patience = LOOK;
}

void note_try(Simulation *s, double work) { s->now->choice.tries += 1.0, s->now->choice.work += work; }

void note_span(Simulation *s, double h) {
    Choice *choice = &s->now->choice;
    choice->steps += 1.0, choice->span += h, choice->taken += choice->implicit;
}

static void wait_longer(Choice *choice) { choice->patience = fmin(2.0 * choice->patience, LONGEST_LOOK); }

/* Evaluations that an implicit step counts as. */
static double price(void) { return STAGES_WORK + COLUMN_WORK * model.nx; }

static double size_of(const double *v) {
    double sum = 0.0;
    for (int i = 0; i < model.nx; i++) sum += (v[i] / model.nominal_x[i]) * (v[i] / model.nominal_x[i]);
    return sqrt(sum);
}

/* Of J = df/dx:  (|J^n v| / |J^m v|)^(1 / (n - m)) by differences of the rates; 0: not known. */
static double spectral_radius(Simulation *s) {
    double *v = s->x_between, *x = s->x_stage, product = 1.0;
    for (int i = 0; i < model.nx; i++) v[i] = model.nominal_x[i] * (i % 2 ? -1.0 : 1.0) * (1.0 + i * 7 % 5);
    double size = size_of(v);
    for (int pass = 0; pass < RADIUS_PASSES; pass++) {
        for (int i = 0; i < model.nx; i++) x[i] = s->x[i] + RADIUS_SHIFT / size * v[i];
        if (rates_at(s, s->now->time, x, v)) return 0.0;
        for (int i = 0; i < model.nx; i++) v[i] = (v[i] - s->f_start[i]) / RADIUS_SHIFT;
        size = size_of(v);
        if (!(size > 0.0) || !isfinite(size)) return 0.0;
        if (pass >= RADIUS_PASSES - RADIUS_PASSES / 2) product *= pow(size, 1.0 / (RADIUS_PASSES / 2));
    }
    return product;
}

/* Length of an implicit step that takes a GAIN-th of the work of explicit ones; 0: none within the rest, or other things limit those. */
static double length_to_try(Choice *choice, double rest, double radius) {
    double pace = choice->work / choice->span, mean = choice->span / choice->steps;
    begin_window(choice);
    if (!(mean * radius >= STABILITY) || pace * rest < GAIN * price()) return 0.0;
    choice->pace = pace, choice->radius = radius, choice->length = mean;
    return GAIN * price() / pace;
}

/* Would explicit steps, limited by stability, take less work than the implicit ones since the last look? */
static int returns(Choice *choice, double radius) {
    double work = price() * choice->tries, span = choice->span;
    begin_window(choice);
    if (!(radius > 0.0) || work <= span * choice->pace * radius / choice->radius) {
        choice->patience = LOOK; /* they have paid */
        return 0;
    }
    choice->implicit = 0.0;
    wait_longer(choice);
    choice->length *= choice->radius / radius;
    return 1;
}

/* Of the method in force, which has just changed, only a length of its first pair is known. */
static void take_length(Simulation *s, double h) {
    memset(s->now->step, 0, sizeof s->now->step);
    s->now->step[0] = h, s->now->within = 1.0;
    s->first = 0;
}

static int is_due(const Choice *choice) {
    return choice->tries >= (choice->implicit != 0.0 ? LOOK : choice->patience) && choice->steps > 0.0;
}

void choose_by_work(Simulation *s, double rest) {
    Choice *choice = &s->now->choice;
    if (!is_automatic(s) || !is_due(choice) || in_gap(s) || s->now->weak_near != 0.0) return;
    double radius = spectral_radius(s), h, error = HUGE_VAL;
    if (choice->implicit != 0.0) {
        if (returns(choice, radius)) take_length(s, choice->length);
        return;
    }
    h = length_to_try(choice, rest, radius);
    if (h == 0.0) return;
    int first = s->first;
    choice->implicit = 1.0, s->first = 0;
    if (!rosenbrock_begin(s) && !rosenbrock_step(s, h, &error) && error <= 1.0) {
        take_length(s, h);
        return;
    }
    choice->implicit = 0.0, s->first = first;
    wait_longer(choice);
}
