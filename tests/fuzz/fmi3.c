/* Calls of FMI 3.0 in any order with any values, also from within the intermediate update: see fuzz.h. */
#include "fuzz.h"

#include "fmi3Functions.h"

extern const int fuzz_sizes[]; /* elements of each variable */

enum { ROOM = 4096 };

typedef struct {
    fmi3Instance c;
    int exchange, event_mode;
    double t;
    fmi3FMUState kept[MOST_KEPT];
    double kept_at[MOST_KEPT];
} Player;

static Player players[2];
static fmi3ValueReference references[MOST_VALUES], others[MOST_VALUES];
static fmi3Float64 reals[ROOM], found[ROOM];
static fmi3Int32 orders[MOST_VALUES];

static void listen(fmi3InstanceEnvironment e, fmi3Status status, fmi3String category, fmi3String message) {
    (void)e, (void)status;
    FUZZ_DEMAND(category && message && strlen(message) < 4096);
}

static size_t numbers(size_t count) {
    for (size_t i = 0; i < count; i++) reals[i] = fuzz_number();
    return count;
}

/* Elements of the chosen variables; sometimes a wrong number. */
static size_t elements(const fmi3ValueReference *chosen, size_t count) {
    size_t total = 0;
    for (size_t i = 0; i < count; i++) total += chosen[i] < (unsigned)fuzz_references ? (size_t)fuzz_sizes[chosen[i]] : 1;
    if (fuzz_one_in(15)) total += (size_t)fuzz_below(3) - 1;
    return total < ROOM ? total : ROOM;
}

static fmi3Status get(Player *p) {
    size_t count = fuzz_choose(references), total = elements(references, count);
    switch (fuzz_below(16)) {
        case 0: return fmi3GetInt32(p->c, references, count, (fmi3Int32 *)found, total);
        case 1: return fmi3GetInt64(p->c, references, count, (fmi3Int64 *)found, total);
        case 2: return fmi3GetBoolean(p->c, references, count, (fmi3Boolean *)found, total);
        case 3: return fmi3GetFloat32(p->c, references, count, (fmi3Float32 *)found, total);
        case 4: return fmi3GetInt8(p->c, references, count, (fmi3Int8 *)found, total);
        case 5: return fmi3GetUInt8(p->c, references, count, (fmi3UInt8 *)found, total);
        case 6: return fmi3GetInt16(p->c, references, count, (fmi3Int16 *)found, total);
        case 7: return fmi3GetUInt16(p->c, references, count, (fmi3UInt16 *)found, total);
        case 8: return fmi3GetUInt32(p->c, references, count, (fmi3UInt32 *)found, total);
        case 9: return fmi3GetUInt64(p->c, references, count, (fmi3UInt64 *)found, total);
        case 10: return fmi3GetString(p->c, references, count, (fmi3String *)found, total);
        case 11: return fmi3GetFloat64(p->c, references, count, NULL, total);
    }
    fmi3Status status = fmi3GetFloat64(p->c, references, count, found, total);
    for (size_t i = 0; i < total && status == fmi3OK; i++) FUZZ_DEMAND(isfinite(found[i]));
    return status;
}

static fmi3Status set(Player *p) {
    size_t count = fuzz_choose(references), total = numbers(elements(references, count));
    fmi3Boolean truths[64] = {0};
    switch (fuzz_below(14)) {
        case 0: return fmi3SetInt32(p->c, references, count, orders, total < MOST_VALUES ? total : MOST_VALUES);
        case 1: return fmi3SetInt64(p->c, references, count, (fmi3Int64 *)reals, total);
        case 2: return fmi3SetBoolean(p->c, references, count, truths, total < 64 ? total : 64);
        case 3: return fmi3SetFloat32(p->c, references, count, (fmi3Float32 *)reals, total);
        case 4: return fmi3SetUInt64(p->c, references, count, (fmi3UInt64 *)reals, total);
        case 5: return fmi3SetString(p->c, references, count, (fmi3String *)reals, total);
        case 6: return fmi3SetFloat64(p->c, references, count, NULL, total);
    }
    return fmi3SetFloat64(p->c, references, count, reals, total);
}

static fmi3Status choose_method(Player *p) {
    fmi3Int64 method = fuzz_below(8);
    for (references[0] = (unsigned)fuzz_references; references[0]-- > 0;)
        if (fmi3SetInt64(p->c, references, 1, &method, 1) == fmi3OK) return fmi3OK;
    return fmi3OK;
}

static fmi3Status discrete(Player *p) {
    fmi3Boolean b[5];
    double next;
    return fmi3UpdateDiscreteStates(p->c, b, b + 1, b + 2, b + 3, b + 4, fuzz_one_in(30) ? NULL : &next);
}

static fmi3Status start(Player *p) {
    static const double stops[] = {0.5, 50.0, 1e9, -1.0}, tolerances[] = {1e-4, 1e-9, 0.0, 1e-16, 2.0};
    p->t = fuzz_one_in(20) ? fuzz_number() : 0.0;
    fmi3Status status = fmi3EnterInitializationMode(p->c, fuzz_one_in(2), tolerances[fuzz_below(5)], p->t, fuzz_one_in(2), stops[fuzz_below(4)]);
    if (fuzz_below(10) < 9) status = fmi3ExitInitializationMode(p->c);
    if ((p->exchange || p->event_mode) && fuzz_below(10) < 8)
        discrete(p), status = p->exchange ? fmi3EnterContinuousTimeMode(p->c) : fmi3EnterStepMode(p->c);
    return status;
}

static fmi3Status reset(Player *p) {
    fmi3Status status = fmi3Reset(p->c);
    if (fuzz_one_in(3)) choose_method(p);
    return fuzz_below(10) < 8 ? start(p) : status;
}

static fmi3Status keep(Player *p) {
    int place = fuzz_below(MOST_KEPT);
    p->kept_at[place] = p->t;
    return fmi3GetFMUState(p->c, fuzz_one_in(30) ? NULL : &p->kept[place]);
}

static fmi3Status back(Player *p) {
    int place = fuzz_below(MOST_KEPT);
    Player *of = fuzz_one_in(8) ? &players[p == players] : p;
    p->t = of->kept_at[place];
    return fmi3SetFMUState(p->c, of->kept[place]);
}

static fmi3Status forget(Player *p) { return fmi3FreeFMUState(p->c, fuzz_one_in(30) ? NULL : &p->kept[fuzz_below(MOST_KEPT)]); }

static void run(Player *p);

static fmi3Status spoil(Player *p) {
    fmi3FMUState state = NULL, made = NULL;
    size_t size = 0;
    if (fmi3GetFMUState(p->c, &state) != fmi3OK || fmi3SerializedFMUStateSize(p->c, state, &size) != fmi3OK) {
        fmi3FreeFMUState(p->c, &state);
        return fmi3OK;
    }
    uint8_t *bytes = malloc(size);
    FUZZ_DEMAND(bytes);
    if (fmi3SerializeFMUState(p->c, state, bytes, size) == fmi3OK) {
        size_t wrong = fuzz_spoil(bytes, size);
        fmi3Status status = fmi3DeserializeFMUState(p->c, bytes, wrong, &made);
        FUZZ_DEMAND(wrong == size || status != fmi3OK);
        if (status == fmi3OK && fmi3SetFMUState(p->c, made) == fmi3OK) fuzz.accepted++, run(p);
        else if (fuzz_one_in(2)) fmi3SetFMUState(p->c, state); /* out of the error state */
    }
    free(bytes);
    fmi3FreeFMUState(p->c, &made);
    return fmi3FreeFMUState(p->c, &state);
}

static fmi3Status derive(Player *p) {
    size_t unknowns = fuzz_choose(references), knowns = fuzz_choose(others);
    size_t of_unknowns = elements(references, unknowns), of_knowns = elements(others, knowns);
    fmi3Status status;
    if (fuzz_one_in(2)) {
        numbers(of_knowns);
        status = fmi3GetDirectionalDerivative(p->c, references, unknowns, others, knowns, reals, of_knowns, found, of_unknowns);
    } else {
        numbers(of_unknowns);
        status = fmi3GetAdjointDerivative(p->c, references, unknowns, others, knowns, reals, of_unknowns, found, of_knowns);
        of_unknowns = of_knowns;
    }
    for (size_t i = 0; i < of_unknowns && status == fmi3OK; i++) FUZZ_DEMAND(isfinite(found[i]));
    return status;
}

/* Inputs, outputs and illegal calls in the middle of a step. */
static void between(fmi3InstanceEnvironment environment, fmi3Float64 t, fmi3Boolean set_requested, fmi3Boolean get_allowed, fmi3Boolean finished,
                    fmi3Boolean can_return, fmi3Boolean *requested, fmi3Float64 *time) {
    Player *p = environment;
    (void)finished;
    if (set_requested && fuzz_one_in(3)) set(p);
    if (get_allowed && fuzz_one_in(3)) get(p);
    if (fuzz_one_in(200)) reset(p);
    if (fuzz_one_in(200)) fmi3DoStep(p->c, t, 0.01, fmi3True, NULL, NULL, NULL, NULL);
    *requested = can_return && fuzz_one_in(10), *time = fuzz_one_in(5) ? fuzz_number() : t;
}

static fmi3Status step(Player *p) {
    static const double lengths[] = {0.01, 0.01, 0.1, 0.3, 1e-3, 1e-12, 3.0, 1e9};
    double h = lengths[fuzz_one_in(100) ? 7 : fuzz_below(7)], last = p->t;
    fmi3Boolean event, terminate, early;
    if (fuzz_one_in(40)) return fmi3DoStep(p->c, fuzz_number(), fuzz_number(), fmi3True, &event, &terminate, NULL, &last);
    fmi3Status status = fmi3DoStep(p->c, p->t, h, fmi3True, &event, &terminate, &early, &last);
    if (status == fmi3OK) p->t = last;
    return status;
}

static fmi3Status event(Player *p) {
    if (!p->exchange && !p->event_mode && !fuzz_one_in(10)) return fmi3OK;
    fmi3EnterEventMode(p->c);
    if (fuzz_one_in(5)) fmi3EvaluateDiscreteStates(p->c);
    fmi3Status status = discrete(p);
    if (fuzz_one_in(3)) return status;
    return p->exchange ? fmi3EnterContinuousTimeMode(p->c) : fmi3EnterStepMode(p->c);
}

static fmi3Status integrate(Player *p) {
    fmi3Boolean enter, terminate;
    size_t nx = (size_t)fuzz_states + fuzz_one_in(50), ng = (size_t)fuzz_indicators + fuzz_one_in(50), count;
    switch (fuzz_below(10)) {
        case 0: return fmi3SetTime(p->c, p->t = fuzz_one_in(5) ? fuzz_number() : p->t + 0.01);
        case 1: return fmi3SetContinuousStates(p->c, reals, numbers(nx));
        case 2: return fmi3CompletedIntegratorStep(p->c, fuzz_one_in(2), &enter, fuzz_one_in(30) ? NULL : &terminate);
        case 3: return fmi3GetContinuousStateDerivatives(p->c, found, nx);
        case 4: return fmi3GetEventIndicators(p->c, found, ng);
        case 5: return fmi3GetNominalsOfContinuousStates(p->c, found, nx);
        case 6: return fmi3GetNumberOfEventIndicators(p->c, fuzz_one_in(9) ? NULL : &count);
        case 7: return fmi3GetNumberOfContinuousStates(p->c, fuzz_one_in(9) ? NULL : &count);
    }
    fmi3Status status = fmi3GetContinuousStates(p->c, reals, (size_t)fuzz_states);
    if (status != fmi3OK || fmi3GetContinuousStateDerivatives(p->c, found, (size_t)fuzz_states) != fmi3OK) return status;
    for (int i = 0; i < fuzz_states; i++) reals[i] += 0.01 * found[i];
    fmi3SetTime(p->c, p->t += 0.01);
    fmi3SetContinuousStates(p->c, reals, (size_t)fuzz_states);
    fmi3GetEventIndicators(p->c, found, (size_t)fuzz_indicators);
    return fmi3CompletedIntegratorStep(p->c, fmi3True, &enter, &terminate);
}

static fmi3Status ask(Player *p) {
    fmi3String names[] = {"logAll", "logSolver", "logEvents", NULL, "nothing"};
    size_t count = fuzz_choose(references), dependencies;
    switch (fuzz_below(8)) {
        case 0: return fmi3GetNumberOfVariableDependencies(p->c, references[0], &dependencies);
        case 1: return fmi3EnterConfigurationMode(p->c);
        case 2: return fmi3ExitConfigurationMode(p->c);
        case 3: return fmi3GetClock(p->c, references, count, (fmi3Clock *)found);
        case 4: return fmi3SetDebugLogging(p->c, fuzz_one_in(2), (size_t)fuzz_below(3), names + fuzz_below(4));
        case 5: return fmi3ActivateModelPartition(p->c, 0, 0.0);
        case 6: return fmi3GetOutputDerivatives(p->c, references, count, orders, found, elements(references, count));
    }
    FUZZ_DEMAND(!strncmp(fmi3GetVersion(), "3.0", 3));
    return fmi3OK;
}

/* What was taken must serve. */
static void run(Player *p) {
    get(p);
    p->exchange ? integrate(p) : step(p);
    get(p);
}

static fmi3Status end(Player *p) { return fuzz_one_in(5) ? fmi3Terminate(p->c) : fmi3OK; }

static fmi3Status (*const calls[])(Player *) = {start, start, reset, get, get, set, set, keep, back, forget, spoil, derive, step, step, step,
                                                step, ask, event, event, integrate, integrate, integrate, end, choose_method};

static fmi3Instance make(Player *p) {
    const char *token = fuzz_one_in(40) ? "{}" : fuzz_guid, *name = fuzz_one_in(40) ? "" : "fuzz";
    fmi3LogMessageCallback log = fuzz_one_in(9) ? NULL : listen;
    p->exchange = fuzz_one_in(3);
    if (p->exchange) return fmi3InstantiateModelExchange(name, token, NULL, false, fuzz_one_in(2), p, log);
    size_t required = fuzz_one_in(2) ? fuzz_choose(references) : 0;
    p->event_mode = fuzz_one_in(2);
    return fmi3InstantiateCoSimulation(name, token, NULL, false, fuzz_one_in(2), p->event_mode, fuzz_one_in(2), fuzz_one_in(20) ? NULL : references, required, p, log,
                                       fuzz_one_in(2) ? between : NULL);
}

static void fuzz_game(long long count, int states) {
    memset(players, 0, sizeof players);
    for (int i = 0; i < 2; i++) {
        players[i].c = make(&players[i]);
        if (players[i].c && !fuzz_one_in(4)) start(&players[i]);
    }
    for (long long i = 0; i < count && (!fuzz.bytes || fuzz.left); i++) {
        Player *p = &players[fuzz_below(2)];
        for (int k = 0; k < MOST_VALUES; k++) orders[k] = fuzz_below(8) - 1;
        fmi3Status status = states && fuzz_below(4) ? spoil(p) : calls[fuzz_below(sizeof calls / sizeof *calls)](p);
        FUZZ_DEMAND((int)status >= fmi3OK && status <= fmi3Error);
        fuzz.calls++;
        if (status == fmi3Error && fuzz_one_in(2)) reset(p);
    }
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < MOST_KEPT; k++) fmi3FreeFMUState(players[i].c, &players[i].kept[k]);
        fmi3FreeInstance(players[i].c);
    }
}
