/* Calls of FMI 2.0 in any order with any values: see fuzz.h. */
#include "fuzz.h"

#include "fmi2Functions.h"

typedef struct {
    fmi2Component c;
    fmi2CallbackFunctions callbacks;
    fmi2Type type;
    double t;
    fmi2FMUstate kept[MOST_KEPT];
    double kept_at[MOST_KEPT];
} Player;

static Player players[2];
static fmi2ValueReference references[MOST_VALUES], others[MOST_VALUES];
static fmi2Real reals[4096];
static fmi2Integer integers[MOST_VALUES];

static void listen(fmi2ComponentEnvironment e, fmi2String name, fmi2Status status, fmi2String category, fmi2String message, ...) {
    (void)e, (void)status;
    FUZZ_DEMAND(name && category && message && strlen(message) < 4096);
}

/* A host with little memory. */
static void *allocate(size_t count, size_t size) {
    if (fuzz_one_in(50)) {
        fuzz.refused_memory++;
        return NULL;
    }
    return calloc(count, size);
}

static size_t numbers(size_t count) {
    for (size_t i = 0; i < count; i++) reals[i] = fuzz_number();
    return count;
}

static fmi2Status start(Player *p) {
    static const double stops[] = {0.5, 50.0, 1e9, -1.0}, tolerances[] = {1e-4, 1e-9, 0.0, 1e-16, 2.0};
    p->t = fuzz_one_in(20) ? fuzz_number() : 0.0;
    fmi2SetupExperiment(p->c, fuzz_one_in(2), tolerances[fuzz_below(5)], p->t, fuzz_one_in(2), stops[fuzz_below(4)]);
    fmi2Status status = fmi2EnterInitializationMode(p->c);
    if (fuzz_below(10) < 9) status = fmi2ExitInitializationMode(p->c);
    if (p->type == fmi2ModelExchange && fuzz_below(10) < 8) {
        fmi2EventInfo info;
        fmi2NewDiscreteStates(p->c, &info);
        status = fmi2EnterContinuousTimeMode(p->c);
    }
    return status;
}

static fmi2Status choose_method(Player *p) {
    for (integers[0] = fuzz_below(8), references[0] = (unsigned)fuzz_references; references[0]-- > 0;)
        if (fmi2SetInteger(p->c, references, 1, integers) == fmi2OK) return fmi2OK;
    return fmi2OK;
}

static fmi2Status reset(Player *p) {
    fmi2Status status = fmi2Reset(p->c);
    if (fuzz_one_in(3)) choose_method(p);
    return fuzz_below(10) < 8 ? start(p) : status;
}

static fmi2Status get(Player *p) {
    size_t count = fuzz_choose(references);
    switch (fuzz_below(6)) {
        case 0: return fmi2GetInteger(p->c, references, count, integers);
        case 1: return fmi2GetBoolean(p->c, references, count, integers);
        case 2: return fmi2GetString(p->c, references, count, (fmi2String *)reals);
        case 3: return fmi2GetReal(p->c, fuzz_one_in(2) ? NULL : references, count, NULL);
    }
    fmi2Status status = fmi2GetReal(p->c, references, count, reals);
    for (size_t i = 0; i < count && status == fmi2OK; i++) FUZZ_DEMAND(isfinite(reals[i]));
    return status;
}

static fmi2Status set(Player *p) {
    size_t count = numbers(fuzz_choose(references));
    fmi2String texts[MOST_VALUES] = {"a", "", "b"};
    for (size_t i = 0; i < count; i++) integers[i] = fuzz_below(12) - 2;
    switch (fuzz_below(10)) {
        case 0: return fmi2SetBoolean(p->c, references, count, integers);
        case 1: return fmi2SetInteger(p->c, references, count, integers);
        case 2: return fmi2SetString(p->c, references, count, texts);
        case 3: return fmi2SetReal(p->c, references, count, NULL);
    }
    return fmi2SetReal(p->c, references, count, reals);
}

static fmi2Status keep(Player *p) {
    int place = fuzz_below(MOST_KEPT);
    p->kept_at[place] = p->t;
    return fmi2GetFMUstate(p->c, fuzz_one_in(30) ? NULL : &p->kept[place]);
}

static fmi2Status back(Player *p) {
    int place = fuzz_below(MOST_KEPT);
    Player *of = fuzz_one_in(8) ? &players[p == players] : p; /* the other one's, perhaps of the other FMI type */
    p->t = of->kept_at[place];
    return fmi2SetFMUstate(p->c, of->kept[place]);
}

static fmi2Status forget(Player *p) { return fmi2FreeFMUstate(p->c, fuzz_one_in(30) ? NULL : &p->kept[fuzz_below(MOST_KEPT)]); }

static void run(Player *p);

static fmi2Status spoil(Player *p) {
    fmi2FMUstate state = NULL, made = NULL;
    size_t size = 0;
    if (fmi2GetFMUstate(p->c, &state) != fmi2OK || fmi2SerializedFMUstateSize(p->c, state, &size) != fmi2OK) {
        fmi2FreeFMUstate(p->c, &state);
        return fmi2OK;
    }
    uint8_t *bytes = malloc(size);
    FUZZ_DEMAND(bytes);
    if (fmi2SerializeFMUstate(p->c, state, (fmi2Byte *)bytes, size) == fmi2OK) {
        size_t wrong = fuzz_spoil(bytes, size);
        fmi2Status status = fmi2DeSerializeFMUstate(p->c, (fmi2Byte *)bytes, wrong, &made);
        FUZZ_DEMAND(wrong == size || status != fmi2OK);
        if (status == fmi2OK && fmi2SetFMUstate(p->c, made) == fmi2OK) fuzz.accepted++, run(p);
        else if (fuzz_one_in(2)) fmi2SetFMUstate(p->c, state); /* out of the error state */
    }
    free(bytes);
    fmi2FreeFMUstate(p->c, &made);
    return fmi2FreeFMUstate(p->c, &state);
}

static fmi2Status derive(Player *p) {
    size_t unknowns = fuzz_choose(references), knowns = numbers(fuzz_choose(others));
    fmi2Real found[MOST_VALUES] = {0};
    fmi2Status status = fmi2GetDirectionalDerivative(p->c, references, unknowns, others, knowns, reals, found);
    for (size_t i = 0; i < unknowns && status == fmi2OK; i++) FUZZ_DEMAND(isfinite(found[i]));
    return status;
}

static fmi2Status step(Player *p) {
    static const double lengths[] = {0.01, 0.01, 0.1, 0.3, 1e-3, 1e-12, 3.0, 1e9};
    double h = lengths[fuzz_one_in(100) ? 7 : fuzz_below(7)];
    fmi2Status status = fuzz_one_in(20) ? fmi2DoStep(p->c, fuzz_number(), fuzz_number(), fmi2True) : fmi2DoStep(p->c, p->t, h, fmi2True);
    if (status == fmi2OK) p->t += h;
    return status;
}

static fmi2Status slopes(Player *p) {
    size_t count = numbers(fuzz_choose(references));
    for (size_t i = 0; i < count; i++) integers[i] = fuzz_below(8) - 1;
    if (fuzz_first_input >= 0 && fuzz_one_in(3)) count = 1, references[0] = (unsigned)fuzz_first_input; /* a legal one */
    fmi2Integer *orders = fuzz_one_in(20) ? NULL : integers;
    if (fuzz_one_in(2)) return fmi2GetRealOutputDerivatives(p->c, references, count, orders, reals);
    return fmi2SetRealInputDerivatives(p->c, references, count, orders, fuzz_one_in(20) ? NULL : reals);
}

static fmi2Status ask(Player *p) {
    fmi2StatusKind kind = (fmi2StatusKind)fuzz_below(5);
    fmi2Boolean truth;
    fmi2Status status;
    fmi2String text;
    switch (fuzz_below(7)) {
        case 0: return fmi2GetStatus(p->c, kind, &status);
        case 1: return fmi2GetRealStatus(p->c, kind, fuzz_one_in(5) ? NULL : reals);
        case 2: return fmi2GetIntegerStatus(p->c, kind, integers);
        case 3: return fmi2GetBooleanStatus(p->c, kind, fuzz_one_in(5) ? NULL : &truth);
        case 4: return fmi2GetStringStatus(p->c, kind, &text);
        case 5: return fmi2CancelStep(p->c);
    }
    FUZZ_DEMAND(!strcmp(fmi2GetVersion(), "2.0") && fmi2GetTypesPlatform());
    return fmi2OK;
}

static fmi2Status debug(Player *p) {
    fmi2String names[] = {"logAll", "logSolver", "logEvents", NULL, "nothing"};
    return fmi2SetDebugLogging(p->c, fuzz_one_in(2), (size_t)fuzz_below(3), fuzz_one_in(9) ? NULL : names + fuzz_below(4));
}

static fmi2Status event(Player *p) {
    fmi2EventInfo info;
    fmi2EnterEventMode(p->c);
    fmi2Status status = fmi2NewDiscreteStates(p->c, fuzz_one_in(30) ? NULL : &info);
    return fuzz_one_in(2) ? fmi2EnterContinuousTimeMode(p->c) : status;
}

static fmi2Status integrate(Player *p) {
    fmi2Boolean enter, terminate;
    size_t nx = (size_t)fuzz_states + fuzz_one_in(50), ng = (size_t)fuzz_indicators + fuzz_one_in(50);
    switch (fuzz_below(8)) {
        case 0: return fmi2SetTime(p->c, p->t = fuzz_one_in(5) ? fuzz_number() : p->t + 0.01);
        case 1: return fmi2SetContinuousStates(p->c, reals, numbers(nx));
        case 2: return fmi2CompletedIntegratorStep(p->c, fuzz_one_in(2), fuzz_one_in(20) ? NULL : &enter, fuzz_one_in(20) ? NULL : &terminate);
        case 3: return fmi2GetDerivatives(p->c, reals, nx);
        case 4: return fmi2GetEventIndicators(p->c, reals, ng);
        case 5: return fmi2GetNominalsOfContinuousStates(p->c, reals, nx);
    }
    /* Euler's method, a legal host's way */
    fmi2Status status = fmi2GetContinuousStates(p->c, reals, (size_t)fuzz_states);
    if (status != fmi2OK || fmi2GetDerivatives(p->c, reals + 1024, (size_t)fuzz_states) != fmi2OK) return status;
    for (int i = 0; i < fuzz_states; i++) reals[i] += 0.01 * reals[1024 + i];
    fmi2SetTime(p->c, p->t += 0.01);
    fmi2SetContinuousStates(p->c, reals, (size_t)fuzz_states);
    fmi2GetEventIndicators(p->c, reals, (size_t)fuzz_indicators);
    return fmi2CompletedIntegratorStep(p->c, fmi2True, &enter, &terminate);
}

/* What was taken must serve. */
static void run(Player *p) {
    get(p);
    p->type == fmi2ModelExchange ? integrate(p) : step(p);
    get(p);
}

static fmi2Status end(Player *p) { return fuzz_one_in(5) ? fmi2Terminate(p->c) : fmi2OK; }

static fmi2Status (*const calls[])(Player *) = {start, start, reset, get, get, set, set, keep, back, forget, spoil, derive, step, step, step,
                                                step, slopes, ask, debug, event, integrate, integrate, integrate, end, choose_method};

static fmi2Component make(Player *p) {
    static const char *const guids[] = {"{}", NULL}, *const names[] = {"", NULL};
    p->callbacks = (fmi2CallbackFunctions){fuzz_one_in(20) ? NULL : listen, allocate, free, NULL, NULL};
    if (fuzz_one_in(20)) p->callbacks.allocateMemory = fuzz_one_in(2) ? calloc : NULL, p->callbacks.freeMemory = fuzz_one_in(2) ? free : NULL;
    p->type = fuzz_one_in(3) ? fmi2ModelExchange : fmi2CoSimulation;
    const char *guid = fuzz_one_in(40) ? guids[fuzz_below(2)] : fuzz_guid, *name = fuzz_one_in(40) ? names[fuzz_below(2)] : "fuzz";
    return fmi2Instantiate(name, fuzz_one_in(60) ? (fmi2Type)7 : p->type, guid, NULL, fuzz_one_in(40) ? NULL : &p->callbacks, fmi2False, fuzz_one_in(3));
}

static void fuzz_game(long long count, int states) {
    memset(players, 0, sizeof players);
    for (int i = 0; i < 2; i++) {
        players[i].c = make(&players[i]);
        if (players[i].c && !fuzz_one_in(4)) start(&players[i]);
    }
    for (long long i = 0; i < count && (!fuzz.bytes || fuzz.left); i++) {
        Player *p = &players[fuzz_below(2)];
        fmi2Status status = states && fuzz_below(4) ? spoil(p) : calls[fuzz_below(sizeof calls / sizeof *calls)](p);
        FUZZ_DEMAND((int)status >= fmi2OK && status <= fmi2Error);
        fuzz.calls++;
        if (status == fmi2Error && fuzz_one_in(2)) reset(p);
    }
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < MOST_KEPT; k++) fmi2FreeFMUstate(players[i].c, &players[i].kept[k]);
        for (int k = 0; k < MOST_KEPT; k++) free(players[i].kept[k]); /* those of an instance that was never made are the host's own */
        fmi2FreeInstance(players[i].c);
    }
}
