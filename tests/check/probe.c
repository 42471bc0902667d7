/* An FMU written by hand, to try the checker on: a mass on a spring that bounces off a wall, sampled ten times a second.

     x' = v,   v' = -k x - c v + u,   y = x + max(u, 0)/2 (a kink, and u starts at it),   omega = sqrt(k)
     at x = wall: v becomes -0.8 v,  high becomes x > wall;      at t = start + n/10: sampled becomes x, count becomes n

   It follows FMI 2.0 in every point. Compiled with -DFAULT=name it has that one fault; faults.py lists them.
   With short_sighted it has none, but discards derivatives far ahead of the last completed step, as it may. */

#define _GNU_SOURCE
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fmi2Functions.h"

enum {
    clean, accepts_any_guid, refuses_its_guid, silent_about_guid, wrong_version, wrong_platform, crash_in_step, hang_in_step,
    crash_in_terminate, free_null_crashes, reset_forgets_parameter, reset_forgets_state, reset_dead_after_error, state_forgets_count,
    state_restore_fails, serialize_short, serialized_pointer, free_state_keeps_pointer, derivative_wrong, derivative_sign_of_input,
    hidden_dependency, shared_instances, thread_unsafe, wrong_reference_ok, wrong_reference_crashes, constant_settable, nan_hangs,
    nan_crashes, leaks, leaks_by_malloc, event_info_untouched, event_info_untouched_on_error, indicator_zero, indicator_tiny, event_lost_at_zero,
    sampled_early, output_jumps, chatter, drift_events, me_differs, ignores_tolerance_in_step, divides_by_zero, exact_start_changed,
    start_not_in_c, input_start_ignored, error_without_message, unknown_category, logs_when_off, ignores_categories, rounding_changed, locale_changed,
    prints, writes_file, steps_past_stop, endless_work, ignores_start_time, nominal_zero, states_changed_wrongly, state_changed_unsaid,
    keeps_callbacks_struct, keeps_strings, needs_stepfinished, uri_not_decoded, variable_step_refused, output_derivative_refused,
    status_wrong, get_is_stateful, order_of_gets, nan_output, outside_range, discrete_changes_between_events, forgets_setting, tunable_refused,
    null_vector_crashes, legal_call_refused, illegal_call_crashes, state_order_wrong, float_trap_left_on, cache_stale, not_deterministic, fatal_at_nan,
    discard_without_reason, derivatives_disagree, event_time_in_past, completed_step_untouched, needs_stop_time, string_not_copied,
    derivative_beside_kink, derivatives_discarded, short_sighted
};
#ifndef FAULT
#define FAULT clean
#endif
#ifndef GUID
#define GUID "{8c4e810f-3df3-4a00-8276-176fa3c9f001}"
#endif
#define IS(fault) (FAULT == fault)

enum { instantiated = 1, initializing = 2, at_event = 4, continuous = 8, stepping = 16, terminated = 32, in_error = 64 };
enum { TIME, X, V, DER_V, U, K, C, OMEGA, Y, SAMPLED, WALL, REALS };

typedef struct { /* everything that varies: saving, restoring and serializing are copies of it */
    double real[REALS], start, stop, next, tolerance, completed;
    int count, mode, high, bounced, state, stop_defined, is_cs;
    char label[64];
} Values;

typedef struct {
    Values now, early;
    fmi2CallbackFunctions call;
    const fmi2CallbackFunctions *given;
    char name[64];
    const char *given_name;
    int logging, in_trouble, gets, broken;
    void *leaked;
} Instance;

static double global_x;

static void say(Instance *m, fmi2Status status, const char *category, const char *text) {
    const fmi2CallbackFunctions *call = IS(keeps_callbacks_struct) ? m->given : &m->call;
    if (status == fmi2OK && !m->logging && !IS(logs_when_off)) return;
    call->logger(call->componentEnvironment, IS(keeps_strings) ? m->given_name : m->name, status,
                 IS(unknown_category) ? "somethingElse" : category, text);
}

static fmi2Status refuse(Instance *m, const char *text) {
    if (!IS(error_without_message)) say(m, fmi2Error, "logStatusError", text);
    m->now.state = in_error;
    return fmi2Error;
}

static int allowed(Instance *m, int states, const char *name) {
    if (!m) return 0;
    if (IS(illegal_call_crashes) && !(m->now.state & states)) *(volatile int *)8 = 1;
    if (m->now.state & states) return 1;
    refuse(m, name);
    return 0;
}

static double damping(const Values *s) { return s->mode == 2 ? 2 * s->real[C] : s->real[C]; }

static void rates(const Values *s, double *dx) {
    const double *r = s->real;
    dx[0] = r[V];
    dx[1] = -r[K] * r[X] - damping(s) * r[V] + r[U];
    if (IS(me_differs) && !s->is_cs) dx[1] -= 0.05 * r[X];
}

static double indicator(const Values *s) {
    const double gap = IS(chatter) ? 0.0 : 1e-9;
    double z = s->real[X] - s->real[WALL] + (s->high ? gap : -gap);
    if (IS(indicator_zero) && s->bounced) return 0.0;
    return IS(indicator_tiny) ? 1e-9 * z : z;
}

static double output(const Values *s) { return s->real[X] + fmax(s->real[U], 0.0) / 2; }

static double value(Values *s, unsigned r) {
    double dx[2];
    rates(s, dx);
    switch (r) {
        case DER_V: return dx[1] + (IS(derivatives_disagree) ? 0.01 : 0.0);
        case OMEGA: return sqrt(s->real[K]);
        case Y:
            if (IS(hidden_dependency)) return output(s) + 0.01 * s->real[V];
            if (IS(nan_output) && s->real[TIME] > 0.2) return NAN;
            if (IS(output_jumps) && s->real[TIME] > 0.25) return output(s) + 0.3;
            if (IS(sampled_early) && s->real[TIME] >= s->next) return output(s) + 0.3;
            if (IS(divides_by_zero)) return output(s) + atan(1.0 / (volatile double){0.0}) * 1e-30;
            return output(s);
        case SAMPLED: return IS(discrete_changes_between_events) ? s->real[X] : s->real[SAMPLED];
        default: return s->real[r];
    }
}

static void defaults(Values *s) {
    static const double start[REALS] = {0, 0.2, 1.0, 0, 0, 4.0, 0.1, 0, 0, 0, 0.45};
    memset(s, 0, sizeof *s);
    memcpy(s->real, start, sizeof start);
    if (IS(start_not_in_c)) s->real[K] = 5.0;
    if (IS(input_start_ignored)) s->real[U] = 0.5;
    s->mode = 1;
    strcpy(s->label, "probe");
    s->state = instantiated;
}

static void sample(Values *s) {
    s->real[SAMPLED] = s->real[X];
    s->next = s->start + ++s->count * 0.1;
}

/* One pass of event handling; whether the states jumped. */
static int event(Values *s) {
    int high = indicator(s) > 0, jumped = 0;
    if (IS(event_lost_at_zero) && !high && fabs(indicator(s)) < 1e-6) s->high = high = 1; /* takes a host that lands early for one that bounced */
    if (s->real[TIME] >= s->next - 1e-12) sample(s);
    if (high && !s->high) {
        s->real[V] *= -0.8;
        s->bounced = 1;
        jumped = 1;
    }
    s->high = high;
    return jumped;
}

/* Fourth-order Runge-Kutta over h from s to out. */
static void rk4(const Values *s, double h, Values *out) {
    double k1[2], k2[2], k3[2], k4[2];
    Values a = *s;
    rates(&a, k1);
    for (int i = 0; i < 2; i++) a.real[X + i] = s->real[X + i] + h / 2 * k1[i];
    rates(&a, k2);
    for (int i = 0; i < 2; i++) a.real[X + i] = s->real[X + i] + h / 2 * k2[i];
    rates(&a, k3);
    for (int i = 0; i < 2; i++) a.real[X + i] = s->real[X + i] + h * k3[i];
    rates(&a, k4);
    *out = *s;
    for (int i = 0; i < 2; i++) out->real[X + i] = s->real[X + i] + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    if (IS(ignores_tolerance_in_step)) for (int i = 0; i < 2; i++) out->real[X + i] = s->real[X + i] + h * k1[i]; /* Euler */
    out->real[TIME] = s->real[TIME] + h;
}

#define STEP (IS(ignores_tolerance_in_step) ? 0.05 : 1e-3)

static void advance(Values *s, double end) {
    for (long work = 0; s->real[TIME] < end && (work < 200000 || IS(endless_work)); work++) {
        if (s->real[TIME] >= s->next) event(s);
        double h = fmin(STEP, fmin(s->next, end) - s->real[TIME]), low = 0.0, high = h;
        Values to;
        rk4(s, h, &to);
        if ((indicator(&to) > 0) != (indicator(s) > 0)) { /* a bounce: halve until its instant is found */
            for (int i = 0; i < 60; i++) {
                double middle = (low + high) / 2;
                rk4(s, middle, &to);
                if ((indicator(&to) > 0) != (indicator(s) > 0)) high = middle; else low = middle;
            }
            rk4(s, high, &to);
            *s = to;
            event(s);
        } else {
            *s = to;
            if (fabs(end - s->real[TIME]) < 1e-12 * fmax(1.0, fabs(end))) s->real[TIME] = end;
            else if (fabs(s->next - s->real[TIME]) < 1e-12 * fmax(1.0, fabs(end))) s->real[TIME] = s->next;
        }
    }
}

const char *fmi2GetTypesPlatform(void) { return IS(wrong_platform) ? "strange" : fmi2TypesPlatform; }
const char *fmi2GetVersion(void) { return IS(wrong_version) ? "1.0" : fmi2Version; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *call, fmi2Boolean visible, fmi2Boolean logging) {
    (void)visible;
    if (!call || !call->logger || !name || !guid) return NULL;
    int known = !strcmp(guid, GUID);
    if (IS(accepts_any_guid)) known = 1;
    if (IS(refuses_its_guid)) known = 0;
    if (!known) {
        if (!IS(silent_about_guid)) call->logger(call->componentEnvironment, name, fmi2Error, "logStatusError", "the GUID is not mine");
        return NULL;
    }
    if (IS(uri_not_decoded)) { /* takes the text behind file:// for a path */
        char path[4096];
        snprintf(path, sizeof path, "%s/table.txt", resources + strlen("file://"));
        FILE *f = fopen(path, "r");
        if (!f) {
            call->logger(call->componentEnvironment, name, fmi2Error, "logStatusError", "table.txt can not be opened");
            return NULL;
        }
        fclose(f);
    }
    if (IS(needs_stepfinished) && !call->stepFinished) *(volatile int *)8 = 1;
    if (IS(prints)) printf("hello from the FMU\n"), fflush(stdout);
    if (IS(writes_file)) { FILE *f = fopen("probe.log", "w"); if (f) fclose(f); }
    if (IS(rounding_changed)) fesetround(FE_UPWARD);
    if (IS(locale_changed)) { if (!setlocale(LC_ALL, "de_DE.UTF-8")) setlocale(LC_ALL, "C.UTF-8"); }
    Instance *m = call->allocateMemory && !IS(leaks_by_malloc) ? call->allocateMemory(1, sizeof *m) : calloc(1, sizeof *m);
    if (IS(leaks)) call->allocateMemory(1, 100000);
    if (IS(leaks_by_malloc)) { m->leaked = malloc(1000000); memset(m->leaked, 1, 1000000); }
    m->call = *call;
    m->given = call;
    m->given_name = name;
    snprintf(m->name, sizeof m->name, "%s", name);
    m->logging = logging;
    defaults(&m->now);
    m->now.is_cs = type == fmi2CoSimulation;
    if (IS(float_trap_left_on)) fedisableexcept(FE_ALL_EXCEPT), feenableexcept(FE_INVALID);
    return m;
}

void fmi2FreeInstance(fmi2Component c) {
    Instance *m = c;
    if (!m) { if (IS(free_null_crashes)) *(volatile int *)8 = 1; return; }
    if (IS(leaks_by_malloc)) { m->leaked = NULL; return; }
    if (m->call.freeMemory) m->call.freeMemory(m); else free(m);
}

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[]) {
    Instance *m = c;
    m->logging = on;
    for (size_t i = 0; i < n; i++)
        if (strcmp(categories[i], "logEvents") && strcmp(categories[i], "logStatusError")) return refuse(m, "unknown log category");
    if (IS(ignores_categories) && n) return refuse(m, "no categories here");
    return fmi2OK;
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start, fmi2Boolean has_stop, fmi2Real stop) {
    Instance *m = c;
    if (!allowed(m, instantiated, "fmi2SetupExperiment")) return fmi2Error;
    if (IS(needs_stop_time) && !has_stop) return refuse(m, "no stop time");
    m->now.tolerance = has_tolerance ? tolerance : 1e-6;
    m->now.start = m->now.real[TIME] = IS(ignores_start_time) ? 0.0 : start;
    m->now.stop = stop;
    m->now.stop_defined = has_stop;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
    Instance *m = c;
    if (!allowed(m, instantiated, "fmi2EnterInitializationMode")) return fmi2Error;
    m->now.state = initializing;
    m->now.real[SAMPLED] = m->now.real[X];
    m->now.high = m->now.real[X] > m->now.real[WALL];
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
    Instance *m = c;
    if (!allowed(m, initializing, "fmi2ExitInitializationMode")) return fmi2Error;
    if (IS(exact_start_changed)) m->now.real[V] *= 1.01;
    m->now.real[SAMPLED] = m->now.real[X];
    m->now.high = m->now.real[X] > m->now.real[WALL];
    m->now.count = 0;
    m->now.next = m->now.start + 0.1;
    m->now.state = m->now.is_cs ? stepping : at_event;
    say(m, fmi2OK, "logEvents", "initialized");
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c) {
    Instance *m = c;
    if (!allowed(m, at_event | continuous | stepping, "fmi2Terminate")) return fmi2Error;
    if (IS(crash_in_terminate)) *(volatile int *)8 = 1;
    m->now.state = terminated;
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component c) {
    Instance *m = c;
    if (!m) return fmi2Error;
    if (IS(reset_dead_after_error) && m->now.state == in_error) return refuse(m, "fmi2Reset");
    double k = m->now.real[K], x = m->now.real[X];
    int cs = m->now.is_cs;
    defaults(&m->now);
    m->now.is_cs = cs;
    if (IS(reset_forgets_parameter)) m->now.real[K] = k;
    if (IS(reset_forgets_state)) m->now.real[X] = x;
    return fmi2OK;
}

#define READABLE (initializing | at_event | continuous | stepping | terminated | in_error)

static fmi2Status no_such(Instance *m, const char *text) {
    if (IS(wrong_reference_ok)) return fmi2OK;
    if (IS(wrong_reference_crashes)) *(volatile int *)8 = 1;
    return refuse(m, text);
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real out[]) {
    Instance *m = c;
    if (!allowed(m, READABLE, "fmi2GetReal")) return fmi2Error;
    if (IS(legal_call_refused) && m->now.state == terminated) return refuse(m, "fmi2GetReal");
    if (IS(null_vector_crashes)) (void)*(volatile const fmi2ValueReference *)vr;
    if (n && (!vr || !out)) return refuse(m, "fmi2GetReal: a null pointer");
    for (size_t i = 0; i < n; i++) {
        if (vr[i] >= REALS) return no_such(m, "fmi2GetReal: no such variable");
        out[i] = value(&m->now, vr[i]);
        if (IS(shared_instances) && vr[i] == Y) out[i] = global_x + output(&m->now) - m->now.real[X];
        if (IS(get_is_stateful) && vr[i] == Y) out[i] += 1e-3 * m->gets++;
        if (IS(order_of_gets) && vr[i] == Y && i == 0) out[i] += 1e-3;
        if (IS(cache_stale) && vr[i] == Y) { if (!m->gets++) m->early = m->now; out[i] = value(&m->early, Y); }
        if (IS(not_deterministic) && vr[i] == Y) { int here; out[i] += 1e-16 * (double)((size_t)&here & 0xffffff0) + 1e-9 * ((size_t)m & 0xffff0); }
        if (IS(outside_range) && vr[i] == Y) out[i] += 1e3;
    }
    return fmi2OK;
}

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Integer out[]) {
    Instance *m = c;
    if (!allowed(m, READABLE, "fmi2GetInteger")) return fmi2Error;
    if (n && (!vr || !out)) return refuse(m, "fmi2GetInteger: a null pointer");
    for (size_t i = 0; i < n; i++) {
        if (vr[i] > 1) return no_such(m, "fmi2GetInteger: no such variable");
        out[i] = vr[i] ? m->now.mode : m->now.count;
    }
    return fmi2OK;
}

fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Boolean out[]) {
    Instance *m = c;
    if (!allowed(m, READABLE, "fmi2GetBoolean")) return fmi2Error;
    if (n && (!vr || !out)) return refuse(m, "fmi2GetBoolean: a null pointer");
    for (size_t i = 0; i < n; i++) {
        if (vr[i] > 0) return no_such(m, "fmi2GetBoolean: no such variable");
        out[i] = m->now.high;
    }
    return fmi2OK;
}

static const char *kept_label;

fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2String out[]) {
    Instance *m = c;
    if (!allowed(m, READABLE, "fmi2GetString")) return fmi2Error;
    if (n && (!vr || !out)) return refuse(m, "fmi2GetString: a null pointer");
    for (size_t i = 0; i < n; i++) {
        if (vr[i] > 0) return no_such(m, "fmi2GetString: no such variable");
        out[i] = IS(string_not_copied) && kept_label ? kept_label : m->now.label;
    }
    return fmi2OK;
}

static int settable(Instance *m, unsigned r) { /* section 2.2.7: which variable in which state */
    switch (m->now.state) {
        case instantiated: return r == X || r == V || r == K || r == C || r == WALL;
        case initializing: return r == X || r == V || r == K || r == C || r == WALL || r == U;
        case continuous: return r == U || r == X || r == V;
        default: return r == U || (r == C && !IS(tunable_refused));
    }
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real in[]) {
    Instance *m = c;
    if (!allowed(m, instantiated | initializing | at_event | continuous | stepping, "fmi2SetReal")) return fmi2Error;
    for (size_t i = 0; i < n; i++) {
        if (vr[i] >= REALS) return no_such(m, "fmi2SetReal: no such variable");
        if (!settable(m, vr[i])) {
            if (IS(constant_settable)) continue;
            return refuse(m, "fmi2SetReal: this variable can not be set now");
        }
        if (!isfinite(in[i])) {
            if (IS(nan_crashes)) *(volatile int *)8 = 1;
            if (IS(nan_hangs)) for (volatile int i = 0;; i++) {}
            if (IS(fatal_at_nan)) { say(m, fmi2Fatal, "logStatusError", "lost"); return fmi2Fatal; }
            if (IS(discard_without_reason)) return fmi2Discard;
            say(m, fmi2Discard, "logStatusError", "fmi2SetReal: not a finite number");
            return fmi2Discard;
        }
        if (IS(forgets_setting) && vr[i] == C) continue;
        m->now.real[vr[i]] = in[i];
    }
    return fmi2OK;
}

fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer in[]) {
    Instance *m = c;
    if (!allowed(m, instantiated | initializing | at_event | stepping, "fmi2SetInteger")) return fmi2Error;
    for (size_t i = 0; i < n; i++) {
        if (vr[i] != 1 || !(m->now.state & (instantiated | initializing))) return no_such(m, "fmi2SetInteger: can not be set");
        m->now.mode = in[i];
    }
    return fmi2OK;
}

fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Boolean in[]) {
    (void)vr, (void)in;
    return n ? no_such(c, "fmi2SetBoolean: can not be set") : fmi2OK;
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2String in[]) {
    Instance *m = c;
    if (!allowed(m, instantiated | initializing | at_event | stepping, "fmi2SetString")) return fmi2Error;
    for (size_t i = 0; i < n; i++) {
        if (vr[i] || !(m->now.state & (instantiated | initializing)) || !in[i]) return no_such(m, "fmi2SetString: can not be set");
        snprintf(m->now.label, sizeof m->now.label, "%s", in[i]);
        kept_label = in[i];
    }
    return fmi2OK;
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) {
    Instance *m = c;
    if (!*state) *state = m->call.allocateMemory ? m->call.allocateMemory(1, sizeof(Values)) : calloc(1, sizeof(Values));
    memcpy(*state, &m->now, sizeof(Values));
    return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
    Instance *m = c;
    if (!state || IS(state_restore_fails)) return refuse(m, "fmi2SetFMUstate");
    int count = m->now.count;
    memcpy(&m->now, state, sizeof(Values));
    if (IS(state_forgets_count)) m->now.count = count;
    return fmi2OK;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) {
    Instance *m = c;
    if (!state || !*state) return fmi2OK;
    if (m->call.freeMemory) m->call.freeMemory(*state); else free(*state);
    if (!IS(free_state_keeps_pointer)) *state = NULL;
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size) {
    (void)c, (void)state;
    *size = sizeof(Values);
    return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte out[], size_t size) {
    if (size < sizeof(Values)) return refuse(c, "fmi2SerializeFMUstate: too small");
    memcpy(out, state, IS(serialize_short) ? 40 : sizeof(Values));
    if (IS(serialized_pointer)) memset(out, 0, sizeof(Values)), memcpy(out, &state, sizeof state);
    return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte in[], size_t size, fmi2FMUstate *state) {
    Instance *m = c;
    if (size < sizeof(Values)) return refuse(m, "fmi2DeSerializeFMUstate: too small");
    if (!*state) *state = m->call.allocateMemory ? m->call.allocateMemory(1, sizeof(Values)) : calloc(1, sizeof(Values));
    if (IS(serialized_pointer)) { void *old; memcpy(&old, in, sizeof old); memcpy(*state, old, sizeof(Values)); return fmi2OK; }
    memcpy(*state, in, sizeof(Values));
    return fmi2OK;
}

static double partial(const Values *s, unsigned unknown, unsigned known) {
    int init = s->state == initializing;
    switch (unknown) {
        case X: return known == X;
        case V: return known == V;
        case DER_V:
            if (known == X) return IS(derivative_wrong) ? -s->real[K] * 1.01 : -s->real[K];
            if (known == U) return IS(derivative_sign_of_input) ? -1.0 : 1.0;
            return known == V ? -damping(s) : !init ? 0.0 : known == K ? -s->real[X] : known == C ? -damping(s) / s->real[C] * s->real[V] : 0.0;
        case Y: return known == X ? 1.0 : known != U ? 0.0 : IS(derivative_beside_kink) ? 0.6 : s->real[U] > 0.0 ? 0.5 : 0.0;
        case OMEGA: return known == K ? 0.5 / sqrt(s->real[K]) : 0.0;
        case SAMPLED: return init && known == X;
        default: return 0.0;
    }
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t nu, const fmi2ValueReference known[],
                                        size_t nk, const fmi2Real dk[], fmi2Real du[]) {
    Instance *m = c;
    if (!allowed(m, READABLE, "fmi2GetDirectionalDerivative")) return fmi2Error;
    for (size_t i = 0; i < nu; i++) {
        if (unknown[i] >= REALS) return no_such(m, "fmi2GetDirectionalDerivative: no such variable");
        du[i] = 0.0;
        for (size_t j = 0; j < nk; j++) du[i] += partial(&m->now, unknown[i], known[j]) * dk[j];
    }
    return fmi2OK;
}

/* model exchange */

fmi2Status fmi2EnterEventMode(fmi2Component c) {
    Instance *m = c;
    if (!allowed(m, at_event | continuous, "fmi2EnterEventMode")) return fmi2Error;
    m->now.state = at_event;
    return fmi2OK;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
    Instance *m = c;
    if (!(m->now.state & at_event) && IS(event_info_untouched_on_error)) return refuse(m, "fmi2NewDiscreteStates");
    memset(info, 0, sizeof *info);
    if (IS(event_info_untouched)) memset(info, 0x5a, sizeof *info);
    if (!allowed(m, at_event, "fmi2NewDiscreteStates")) return fmi2Error;
    int jumped = event(&m->now);
    if (jumped) say(m, fmi2OK, "logEvents", "bounced");
    if (IS(event_info_untouched)) info->newDiscreteStatesNeeded = info->terminateSimulation = fmi2False;
    else {
        info->newDiscreteStatesNeeded = jumped;
        info->valuesOfContinuousStatesChanged = IS(states_changed_wrongly) ? fmi2True : IS(state_changed_unsaid) ? fmi2False : jumped;
        info->nextEventTimeDefined = isfinite(m->now.next);
        info->nextEventTime = IS(event_time_in_past) ? m->now.real[TIME] - 1.0 : m->now.next;
    }
    return fmi2OK;
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
    Instance *m = c;
    if (!allowed(m, at_event, "fmi2EnterContinuousTimeMode")) return fmi2Error;
    m->now.state = continuous;
    m->now.completed = m->now.real[TIME];
    m->now.bounced = IS(indicator_zero) && m->now.bounced;
    return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean keep, fmi2Boolean *event_mode, fmi2Boolean *end) {
    Instance *m = c;
    (void)keep;
    if (!allowed(m, continuous, "fmi2CompletedIntegratorStep")) return fmi2Error;
    m->now.bounced = 0;
    m->now.completed = m->now.real[TIME];
    if (IS(completed_step_untouched)) return fmi2OK;
    *event_mode = IS(drift_events);
    *end = fmi2False;
    return fmi2OK;
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) {
    Instance *m = c;
    if (!allowed(m, at_event | continuous, "fmi2SetTime")) return fmi2Error;
    m->now.real[TIME] = time;
    return fmi2OK;
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t nx) {
    Instance *m = c;
    if (!allowed(m, continuous, "fmi2SetContinuousStates")) return fmi2Error;
    if (nx != 2) return refuse(m, "fmi2SetContinuousStates: nx is not 2");
    memcpy(m->now.real + X, x, 2 * sizeof *x);
    return fmi2OK;
}

#define ME_READABLE (initializing | at_event | continuous | terminated | in_error)

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real dx[], size_t nx) {
    Instance *m = c;
    if (!allowed(m, ME_READABLE, "fmi2GetDerivatives")) return fmi2Error;
    if (nx != 2) return refuse(m, "fmi2GetDerivatives: nx is not 2");
    if (IS(derivatives_discarded) || (IS(short_sighted) && m->now.real[TIME] > m->now.completed + 0.02)) {
        say(m, fmi2Discard, "logStatusError", "fmi2GetDerivatives: out of sight");
        return fmi2Discard;
    }
    rates(&m->now, dx);
    return fmi2OK;
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real z[], size_t nz) {
    Instance *m = c;
    if (!allowed(m, ME_READABLE, "fmi2GetEventIndicators")) return fmi2Error;
    if (nz != 1) return refuse(m, "fmi2GetEventIndicators: nz is not 1");
    z[0] = indicator(&m->now);
    return fmi2OK;
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t nx) {
    Instance *m = c;
    if (!allowed(m, ME_READABLE, "fmi2GetContinuousStates")) return fmi2Error;
    if (nx != 2) return refuse(m, "fmi2GetContinuousStates: nx is not 2");
    for (int i = 0; i < 2; i++) x[i] = m->now.real[IS(state_order_wrong) ? V - i : X + i];
    return fmi2OK;
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x[], size_t nx) {
    if (!allowed(c, instantiated | ME_READABLE, "fmi2GetNominalsOfContinuousStates")) return fmi2Error;
    for (size_t i = 0; i < nx; i++) x[i] = IS(nominal_zero) ? 0.0 : 1.0;
    return fmi2OK;
}

/* co-simulation */

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer order[], const fmi2Real in[]) {
    (void)vr, (void)n, (void)order, (void)in;
    return refuse(c, "fmi2SetRealInputDerivatives: not interpolated");
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer order[], fmi2Real out[]) {
    Instance *m = c;
    double dx[2];
    rates(&m->now, dx);
    if (IS(output_derivative_refused)) return refuse(m, "fmi2GetRealOutputDerivatives");
    for (size_t i = 0; i < n; i++) {
        if (order[i] != 1) return refuse(m, "fmi2GetRealOutputDerivatives: order is not 1");
        out[i] = vr[i] == X || vr[i] == Y ? dx[0] : vr[i] == V ? dx[1] : 0.0;
    }
    return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean keep) {
    Instance *m = c;
    (void)keep;
    if (!allowed(m, stepping, "fmi2DoStep")) return fmi2Error;
    if (!(h > 0) || fabs(t - m->now.real[TIME]) > 1e-9 * fmax(1.0, fabs(t))) return refuse(m, "fmi2DoStep: not where I am");
    if (m->now.stop_defined && t + h > m->now.stop * (1 + 1e-12) + 1e-9 && !IS(steps_past_stop)) return refuse(m, "fmi2DoStep: past the stop time");
    if (IS(crash_in_step)) *(volatile int *)8 = 1;
    if (IS(hang_in_step)) for (volatile int i = 0;; i++) {}
    if (IS(variable_step_refused)) { static double usual; if (usual && fabs(h - usual) > 1e-9) return refuse(m, "fmi2DoStep: another step"); usual = h; }
    if (h > 1e4 && !IS(endless_work)) return refuse(m, "fmi2DoStep: too long a step");
    if (IS(thread_unsafe)) { /* works in a place that all instances share */
        static Values here;
        here = m->now;
        usleep(200);
        advance(&here, t + h);
        m->now = here;
    } else
        advance(&m->now, t + h);
    global_x = m->now.real[X];
    return fmi2OK;
}

#ifndef WITHOUT_CANCEL
fmi2Status fmi2CancelStep(fmi2Component c) { return refuse(c, "fmi2CancelStep: nothing to cancel"); }
#endif

#define STATUS(name, type) \
    fmi2Status name(fmi2Component c, const fmi2StatusKind kind, type *out) { \
        (void)kind, (void)out; \
        say(c, fmi2Discard, "logStatusError", #name ": not known"); \
        return IS(status_wrong) ? fmi2Fatal : fmi2Discard; \
    }
STATUS(fmi2GetStatus, fmi2Status)
STATUS(fmi2GetIntegerStatus, fmi2Integer)
STATUS(fmi2GetBooleanStatus, fmi2Boolean)
STATUS(fmi2GetStringStatus, fmi2String)

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *out) {
    if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
    *out = ((Instance *)c)->now.real[TIME];
    return fmi2OK;
}
