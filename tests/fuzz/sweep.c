/* Every way in which a run can fail: a run is played once, and then again for each path of callers to a function that can fail (faults.c),
 * with a fault at its first, its middle and its last call along that path, and with faults from there on. FMI 3.0.
 *
 *     sweep KIND METHOD TOLERANCE STEP COUNT DERIVE TURNED FAULTS [REFERENCE VALUE]...
 *
 * KIND: step, event (co-simulation without and with event mode), between (with intermediate updates, which set an input), shown (the same, which
 * read a value), exchange (model exchange), often (the same with event mode at each step); with ! in front of it in a host that traps
 * floating-point exceptions, on a processor without AVX.
 * METHOD: of solver.method, from 1; 0: as it is. DERIVE: how many derivatives are asked for at a time. TURNED: the step from which on the first
 * switch is on; 0: none. FAULTS: 0: the run is played once, without them. REFERENCE
 * VALUE: of a real, before the start. Prints how many paths and runs there were. */
#define _GNU_SOURCE
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faults.h"
#include "fmi3Functions.h"
#include "instance.h"
#include "rows_seen.h"
#include "wide.h"

extern const char *const fuzz_guid;
extern const int fuzz_references, fuzz_states, fuzz_indicators, fuzz_sizes[], fuzz_method, fuzz_unknowns[], fuzz_knowns[], fuzz_first_input, fuzz_first_switch, fuzz_first_tunable;
extern const char fuzz_kinds[];

enum { ROOM = 1 << 14, MOST_PATHS = 1 << 13, LONGEST = 1 << 20, MOST_TRIES = 2000 };

static struct {
    const char *kind;
    int method, steps, derivatives, turned;
    double tolerance, h;
    char **values; /* reference and value of each, then NULL */
} of;
static double values[ROOM], seeds[ROOM], x[ROOM], rates[ROOM];
static long long told, runs;

static void listen(fmi3InstanceEnvironment e, fmi3Status status, fmi3String category, fmi3String message) {
    (void)e;
    if (!category || !message || strlen(message) > 4096) abort();
    if (getenv("SWEEP_TELLS")) fprintf(stderr, "%lld: %d %s\n", runs, (int)status, message);
    told++;
}

/* Work without end: at the n-th try of a run the counts are as if all that is allowed had been spent; so they are in any run after many. */
static struct {
    int tries, evaluations, at, count;
} spent;

static void tried(Simulation *s, double h, int accepted) {
    (void)h, (void)accepted;
    if (++spent.count > MOST_TRIES) s->tries = 2000000000;
    if (spent.count != spent.at) return;
    if (spent.tries) s->tries = spent.tries;
    if (spent.evaluations) s->e.evaluations += spent.evaluations;
}

static int is(const char *kind) { return !strcmp(of.kind, kind); }

static int exchanges(void) { return is("exchange") || is("often"); }

static int interrupts(void) { return is("between") || is("shown"); }

/* All values, each variable by itself: one that is refused leaves the others. */
static void look(fmi3Instance c) {
    for (fmi3ValueReference i = 0; i < (fmi3ValueReference)fuzz_references; i++) {
        size_t size = (size_t)fuzz_sizes[i];
        if (fuzz_kinds[i] == 'r') {
            if (fmi3GetFloat64(c, &i, 1, values, size) != fmi3OK) return;
            for (size_t k = 0; k < size; k++) if (!isfinite(values[k])) abort();
        }
    }
}

/* Outputs and rates along states and inputs, and back. */
static void derive(fmi3Instance c) {
    for (int u = 0, left = of.derivatives; fuzz_unknowns[u] >= 0; u++)
        for (int k = 0; fuzz_knowns[k] >= 0 && left > 0; k++, left--) {
            fmi3ValueReference unknown = (fmi3ValueReference)fuzz_unknowns[u], known = (fmi3ValueReference)fuzz_knowns[k];
            size_t n = (size_t)fuzz_sizes[unknown], m = (size_t)fuzz_sizes[known];
            if (fmi3GetDirectionalDerivative(c, &unknown, 1, &known, 1, seeds, m, values, n) > fmi3Warning) return;
            if (fmi3GetAdjointDerivative(c, &unknown, 1, &known, 1, seeds, n, values, m) > fmi3Warning) return;
        }
}

static void push(fmi3Instance c, int step) {
    fmi3ValueReference input = (fmi3ValueReference)fuzz_first_input;
    if (fuzz_first_input < 0) return;
    for (int i = 0; i < fuzz_sizes[input]; i++) values[i] = 0.1 * (step % 3);
    fmi3SetFloat64(c, &input, 1, values, (size_t)fuzz_sizes[input]);
}

/* At some steps a parameter by a little. What is refused leaves an error, after which a run begins anew. */
static void change(fmi3Instance c, int step) {
    fmi3ValueReference tuned = (fmi3ValueReference)fuzz_first_tunable, turned = (fmi3ValueReference)fuzz_first_switch;
    fmi3Boolean on = fmi3True;
    if (of.turned && step >= of.turned && fuzz_first_switch >= 0) fmi3SetBoolean(c, &turned, 1, &on, 1);
    if (fuzz_first_tunable < 0 || step % 4 != 2) return;
    size_t size = (size_t)fuzz_sizes[tuned];
    if (fmi3GetFloat64(c, &tuned, 1, values, size) != fmi3OK) return;
    for (size_t k = 0; k < size; k++) values[k] *= 1.0 + 1e-9;
    fmi3SetFloat64(c, &tuned, 1, values, size);
}

static void between(fmi3InstanceEnvironment c, fmi3Float64 t, fmi3Boolean set, fmi3Boolean get, fmi3Boolean finished, fmi3Boolean can_return,
                    fmi3Boolean *early, fmi3Float64 *until) {
    static int count;
    fmi3Instance instance = *(fmi3Instance *)c;
    (void)finished;
    if (set) push(instance, count);
    if (set && fuzz_first_switch >= 0 && count % 20 == 19) { /* it may change at events only */
        fmi3ValueReference reference = (fmi3ValueReference)fuzz_first_switch;
        fmi3Boolean on = fmi3True;
        fmi3SetBoolean(instance, &reference, 1, &on, 1);
    }
    if (get) look(instance);
    *early = can_return && ++count % 7 == 0, *until = t + (count % 2 ? 0.3 * of.h : 0.0);
}

static fmi3Status update(fmi3Instance c) {
    fmi3Boolean again = fmi3True, other;
    double next;
    fmi3Status status = fmi3OK;
    for (int i = 0; again && i < 20; i++) {
        status = fmi3UpdateDiscreteStates(c, &again, &other, &other, &other, &other, &next);
        if (status > fmi3Warning) return status;
    }
    return status;
}

static fmi3Status settle(fmi3Instance c) {
    fmi3Status status = update(c);
    if (status > fmi3Warning) return status;
    return exchanges() ? fmi3EnterContinuousTimeMode(c) : fmi3EnterStepMode(c);
}

static fmi3Status begin(fmi3Instance c) {
    fmi3ValueReference method = (fmi3ValueReference)fuzz_method;
    fmi3Int64 chosen = of.method;
    fmi3Status status = fmi3OK;
    if (of.method) status = fmi3SetInt64(c, &method, 1, &chosen, 1);
    for (char **each = of.values; *each && status <= fmi3Warning; each += 2) {
        fmi3ValueReference reference = (fmi3ValueReference)atoi(each[0]);
        double value = atof(each[1]);
        status = fmi3SetFloat64(c, &reference, 1, &value, 1);
    }
    if (status <= fmi3Warning) status = fmi3EnterInitializationMode(c, of.tolerance > 0.0, of.tolerance, 0.0, fmi3False, 0.0);
    if (status <= fmi3Warning) look(c), derive(c), status = fmi3ExitInitializationMode(c);
    if (status <= fmi3Warning && (is("event") || exchanges())) status = settle(c);
    return status;
}

/* As in a state that somebody crafted: slopes of inputs, which 3.0 itself has none of, a gap all of whose rows are weak, or many tries
 * and no step. */
static void craft(Simulation *s) {
    if (runs % 3 == 1) s->now->choice.tries = 1e4, s->now->choice.steps = 0.0;
    if (runs % 2) s->now->input_order = 1.0;
    else if (runs % 4 && model.speeds && s->gap[GAP_COUNT] > 0.0) s->gap[GAP_COUNT] = s->gap[GAP_RANK];
}

static fmi3Status step(fmi3Instance c, double *t, int i) {
    fmi3Boolean event = fmi3False, terminate, early;
    double last = *t;
    push(c, i);
    if (!is("event")) change(c, i);
    if (i == 5) craft(&((Instance *)c)->s);
    fmi3Status status = fmi3DoStep(c, *t, of.h, fmi3True, &event, &terminate, &early, &last);
    if (status <= fmi3Warning) *t = last;
    if (status <= fmi3Warning && event && is("event") && (status = fmi3EnterEventMode(c)) <= fmi3Warning) change(c, i), status = settle(c);
    return status;
}

/* Heun's method, and event mode wherever an indicator changes sign. */
static fmi3Status exchange(fmi3Instance c, double *t, int i) {
    static double before[ROOM];
    fmi3Boolean enter = fmi3False, terminate;
    size_t nx = (size_t)fuzz_states, ng = (size_t)fuzz_indicators;
    push(c, i);
    fmi3Status status = fmi3GetContinuousStates(c, x, nx);
    if (status <= fmi3Warning) status = fmi3GetEventIndicators(c, before, ng);
    for (int half = 0; half < 2 && status <= fmi3Warning; half++) {
        status = fmi3GetContinuousStateDerivatives(c, half ? values : rates, nx);
        for (size_t k = 0; k < nx; k++) x[k] += half ? 0.5 * of.h * (values[k] - rates[k]) : of.h * rates[k];
        if (status <= fmi3Warning) status = fmi3SetTime(c, *t + of.h);
        if (status <= fmi3Warning) status = fmi3SetContinuousStates(c, x, nx);
    }
    *t += of.h;
    if (status <= fmi3Warning) status = fmi3GetEventIndicators(c, values, ng);
    int crossed = 0;
    for (size_t k = 0; k < ng; k++) crossed |= (values[k] > 0.0) != (before[k] > 0.0);
    if (status <= fmi3Warning) status = fmi3CompletedIntegratorStep(c, fmi3True, &enter, &terminate);
    if (status <= fmi3Warning) status = fmi3GetNominalsOfContinuousStates(c, values, nx);
    if (status <= fmi3Warning && (enter || crossed || is("often") || i % 5 == 4) && (status = fmi3EnterEventMode(c)) <= fmi3Warning)
        change(c, i), status = settle(c);
    return status;
}

static void store(fmi3Instance c) {
    static fmi3Byte bytes[LONGEST];
    fmi3FMUState state = NULL, again = NULL;
    size_t size = 0;
    if (fmi3GetFMUState(c, &state) == fmi3OK && fmi3SerializedFMUStateSize(c, state, &size) == fmi3OK && size <= LONGEST &&
        fmi3SerializeFMUState(c, state, bytes, size) == fmi3OK && fmi3DeserializeFMUState(c, bytes, size, &again) == fmi3OK)
        fmi3SetFMUState(c, again);
    fmi3FreeFMUState(c, &state), fmi3FreeFMUState(c, &again);
}

/* States that no motion has: at the origin, given up again by a host that tried it, and off the manifolds by a little, by much and beyond what
 * can be computed with, from where event mode leads back or fails. */
static void place(fmi3Instance c) {
    static const double shifts[] = {0.0, 1e-6, 1e-3, 0.3, 3e307};
    size_t nx = (size_t)fuzz_states;
    fmi3Boolean enter, terminate;
    for (int i = 0; i < 5; i++) {
        if (fmi3GetContinuousStates(c, x, nx) != fmi3OK) return;
        for (size_t k = 0; k < nx; k++) values[k] = i ? x[k] + shifts[i] * ((double)((k * 5 + 1) % 7) - (i == 4 ? 2.5 : 0.0)) : 0.0;
        if (fmi3SetContinuousStates(c, values, nx) != fmi3OK) return;
        fmi3GetContinuousStateDerivatives(c, rates, nx);
        if (i == 0) fmi3SetContinuousStates(c, x, nx), fmi3CompletedIntegratorStep(c, fmi3True, &enter, &terminate);
        else if (fmi3EnterEventMode(c) != fmi3OK || settle(c) > fmi3Warning) return;
    }
}

/* Gradients of what is large; a variable set to what it is, or refused; arguments that are missing, one at a time. */
static void misuse(fmi3Instance c) {
    for (int u = 0; fuzz_unknowns[u] >= 0 && runs < 10; u++) {
        fmi3ValueReference unknown = (fmi3ValueReference)fuzz_unknowns[u], known = (fmi3ValueReference)fuzz_knowns[0];
        size_t n = (size_t)fuzz_sizes[unknown], m = fuzz_knowns[0] < 0 ? 0 : (size_t)fuzz_sizes[known];
        for (size_t k = 0; k < n; k++) rates[k] = 1.7e308;
        if (m) fmi3GetAdjointDerivative(c, &unknown, 1, &known, 1, rates, n, values, m);
    }
    fmi3ValueReference any = (fmi3ValueReference)(runs % fuzz_references);
    if (fuzz_kinds[any] == 'r' && fmi3GetFloat64(c, &any, 1, values, (size_t)fuzz_sizes[any]) == fmi3OK)
        fmi3SetFloat64(c, &any, 1, values, (size_t)fuzz_sizes[any]);
    static fmi3Byte bytes[LONGEST];
    fmi3FMUState state = NULL, made = NULL;
    size_t size = 0;
    if (fmi3GetFMUState(c, &state) == fmi3OK && fmi3SerializedFMUStateSize(c, state, &size) == fmi3OK && size <= LONGEST) {
        const fmi3String categories[] = {NULL, "none"};
        switch (runs % 11) {
            case 0: fmi3SerializedFMUStateSize(c, state, NULL); break;
            case 1: fmi3SerializedFMUStateSize(c, NULL, &size); break;
            case 2: fmi3SerializeFMUState(c, state, NULL, size); break;
            case 3: fmi3SerializeFMUState(c, NULL, bytes, size); break;
            case 4: fmi3SerializeFMUState(c, state, bytes, size - 1); break;
            case 5: fmi3DeserializeFMUState(c, NULL, size, &made); break;
            case 6: fmi3DeserializeFMUState(c, bytes, size, NULL); break;
            case 7: fmi3SetFMUState(c, NULL); break;
            case 8: fmi3SetDebugLogging(c, fmi3True, 1, NULL); break;
            case 9: fmi3SetDebugLogging(c, fmi3True, 1, categories); break;
            case 10: fmi3SetDebugLogging(c, fmi3True, 1, categories + 1); break;
        }
    }
    fmi3FreeFMUState(c, &made), fmi3FreeFMUState(c, &state);
}

/* A failed step is tried once more, as hosts do; a failed instance begins anew, once. */
static void run(void) {
    static fmi3Instance c;
    const int wanted = is("shown") ? fuzz_unknowns[0] : is("between") ? fuzz_first_input : -1;
    const fmi3ValueReference required = (fmi3ValueReference)wanted;
    runs++, fault_made = 0;
    c = exchanges() ? fmi3InstantiateModelExchange("sweep", fuzz_guid, NULL, fmi3False, fmi3True, NULL, listen)
                    : fmi3InstantiateCoSimulation("sweep", fuzz_guid, NULL, fmi3False, fmi3True, is("event"), interrupts(), &required, wanted >= 0, &c,
                                                  listen, interrupts() ? between : NULL);
    fault_made = c != NULL;
    if (!c) return;
    ((Instance *)c)->s.on_try = tried, spent.count = 0;
    fmi3Status status = begin(c);
    double t = 0.0;
    for (int i = 0, resets = 0; i < of.steps; i++) {
        if (status == fmi3Error) {
            if (resets++ || fmi3Reset(c) != fmi3OK) break;
            t = 0.0, status = begin(c);
            continue;
        }
        status = exchanges() ? exchange(c, &t, i) : step(c, &t, i);
        if (status > fmi3Error) abort();
        look(c);
        if (i % 4 == 1) derive(c);
        if (i % 4 == 3) store(c);
    }
    if (exchanges() && runs < 20) place(c);
    if (runs % 3 == 0) fmi3Terminate(c);
    misuse(c);
    fmi3FreeInstance(c);
}

int main(int count, char **arguments) {
    static uint64_t paths[MOST_PATHS];
    static long calls[MOST_PATHS];
    if (count < 9 || count % 2 == 0) return 2;
    int trapped = arguments[1][0] == '!';
    of.kind = arguments[1] + trapped, of.method = atoi(arguments[2]), of.tolerance = atof(arguments[3]), of.h = atof(arguments[4]), of.steps = atoi(arguments[5]);
    of.derivatives = atoi(arguments[6]), of.turned = atoi(arguments[7]), of.values = arguments + 9;
    int faults = atoi(arguments[8]);
    for (int i = 0; i < ROOM; i++) seeds[i] = 0.3 + 0.1 * (i % 7);
    if (trapped) feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW), wide_here = 0;
    for (int i = 1; i < 10 && faults; i += 4) {
        spent.at = i, spent.tries = 2000000000, spent.evaluations = 0, run();
        spent.tries = 0, spent.evaluations = 1000000000, run();
    }
    spent.at = 0;
    fault_plan(0, 0);
    run();
    int n = faults ? fault_paths(paths, calls, MOST_PATHS) : 0;
    long injected = 0;
    for (int i = 0; i < n; i++) {
        long at[] = {1, calls[i] / 2, calls[i], -1, -(calls[i] / 2)};
        for (int k = 0; k < 5; k++) {
            if (!at[k] || (k && at[k] == at[k - 1]) || (k == 2 && at[2] == 1)) continue;
            fault_plan(paths[i], at[k]);
            run();
            injected += faults_injected() > 0;
        }
    }
    printf("paths %d runs %lld injected %ld messages %lld\n", n, runs, injected, told);
    return 0;
}
