/* The game of calls (game.h) in FMI 2.0. */
#include "fuzz.h"

#include "fmi2Functions.h"

#define FMI(name) fmi2##name
/* its names of what 3.0 calls otherwise */
#define fmi2Instance fmi2Component
#define fmi2Float64 fmi2Real
#define fmi2FMUState fmi2FMUstate
#define fmi2GetFMUState fmi2GetFMUstate
#define fmi2SetFMUState fmi2SetFMUstate
#define fmi2FreeFMUState fmi2FreeFMUstate
#define fmi2SerializedFMUStateSize fmi2SerializedFMUstateSize
#define fmi2SerializeFMUState fmi2SerializeFMUstate
#define fmi2DeserializeFMUState fmi2DeSerializeFMUstate
#define fmi2GetContinuousStateDerivatives fmi2GetDerivatives
#define OWN slopes, ask

enum { ROOM = 4096 };

typedef struct {
    fmi2Component c;
    fmi2CallbackFunctions callbacks;
    int exchange, event_mode; /* there is none in co-simulation */
    double t;
    fmi2FMUstate kept[MOST_KEPT];
    double kept_at[MOST_KEPT];
} Player;

static fmi2Status slopes(Player *p), ask(Player *p);

#include "game.h"

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

static fmi2Component make(Player *p) {
    static const char *const guids[] = {"{}", NULL}, *const names[] = {"", NULL};
    p->callbacks = (fmi2CallbackFunctions){fuzz_one_in(20) ? NULL : listen, allocate, free, NULL, NULL};
    if (fuzz_one_in(20)) p->callbacks.allocateMemory = fuzz_one_in(2) ? calloc : NULL, p->callbacks.freeMemory = fuzz_one_in(2) ? free : NULL;
    p->exchange = fuzz_one_in(3);
    fmi2Type type = fuzz_one_in(60) ? (fmi2Type)7 : p->exchange ? fmi2ModelExchange : fmi2CoSimulation;
    const char *guid = fuzz_one_in(40) ? guids[fuzz_below(2)] : fuzz_guid, *name = fuzz_one_in(40) ? names[fuzz_below(2)] : "fuzz";
    return fmi2Instantiate(name, type, guid, NULL, fuzz_one_in(40) ? NULL : &p->callbacks, fmi2False, fuzz_one_in(3));
}

static fmi2Status enter(Player *p, int has_tolerance, double tolerance, int has_stop, double stop) {
    fmi2SetupExperiment(p->c, has_tolerance, tolerance, p->t, has_stop, stop);
    return fmi2EnterInitializationMode(p->c);
}

static fmi2Status discrete(Player *p) {
    fmi2EventInfo info;
    return fmi2NewDiscreteStates(p->c, fuzz_one_in(30) ? NULL : &info);
}

static fmi2Status settled(Player *p) { return fmi2EnterContinuousTimeMode(p->c); }

static fmi2Status set_method(Player *p, fmi2ValueReference reference, int method) { return fmi2SetInteger(p->c, &reference, 1, &method); }

static fmi2Status get(Player *p) {
    size_t count = fuzz_choose(references);
    switch (fuzz_below(6)) {
        case 0: return fmi2GetInteger(p->c, references, count, integers);
        case 1: return fmi2GetBoolean(p->c, references, count, integers);
        case 2: return fmi2GetString(p->c, references, count, (fmi2String *)found);
        case 3: return fmi2GetReal(p->c, fuzz_one_in(2) ? NULL : references, count, NULL);
    }
    fmi2Status status = fmi2GetReal(p->c, references, count, found);
    finite(status, found, count);
    return status;
}

static fmi2Status set(Player *p) {
    size_t count = numbers(fuzz_choose(references));
    fmi2String texts[MOST_VALUES] = {"a", "", "b"};
    for (size_t i = 0; i < count; i++) integers[i] = fuzz_below(12) - 2;
    switch (fuzz_below(10)) {
        case 0:
            if (fuzz_first_switch >= 0 && fuzz_one_in(2)) count = 1, references[0] = (unsigned)fuzz_first_switch; /* a legal one */
            return fmi2SetBoolean(p->c, references, count, integers);
        case 1: return fmi2SetInteger(p->c, references, count, integers);
        case 2: return fmi2SetString(p->c, references, count, texts);
        case 3: return fmi2SetReal(p->c, references, count, NULL);
    }
    return fmi2SetReal(p->c, references, count, reals);
}

static fmi2Status derive(Player *p) {
    size_t unknowns = fuzz_choose(references), knowns = numbers(fuzz_choose(others));
    fmi2Status status = fmi2GetDirectionalDerivative(p->c, references, unknowns, others, knowns, reals, found);
    finite(status, found, unknowns);
    return status;
}

static fmi2Status step(Player *p) {
    double h = fuzz_length();
    fmi2Status status = fuzz_one_in(20) ? fmi2DoStep(p->c, fuzz_number(), fuzz_number(), fmi2True) : fmi2DoStep(p->c, p->t, h, fmi2True);
    if (status == fmi2OK) p->t += h;
    return status;
}

static fmi2Status slopes(Player *p) {
    size_t count = numbers(fuzz_choose(references));
    for (size_t i = 0; i < count; i++) integers[i] = fuzz_below(8) - 1;
    if (fuzz_first_input >= 0 && fuzz_one_in(3)) count = 1, references[0] = (unsigned)fuzz_first_input; /* a legal one */
    fmi2Integer *orders = fuzz_one_in(20) ? NULL : integers;
    if (fuzz_one_in(2)) return fmi2GetRealOutputDerivatives(p->c, references, count, orders, found);
    return fmi2SetRealInputDerivatives(p->c, references, count, orders, fuzz_one_in(20) ? NULL : reals);
}

static fmi2Status ask(Player *p) {
    fmi2StatusKind kind = (fmi2StatusKind)fuzz_below(5);
    fmi2Boolean truth;
    fmi2Status status;
    fmi2String text;
    switch (fuzz_below(7)) {
        case 0: return fmi2GetStatus(p->c, kind, &status);
        case 1: return fmi2GetRealStatus(p->c, kind, fuzz_one_in(5) ? NULL : found);
        case 2: return fmi2GetIntegerStatus(p->c, kind, integers);
        case 3: return fmi2GetBooleanStatus(p->c, kind, fuzz_one_in(5) ? NULL : &truth);
        case 4: return fmi2GetStringStatus(p->c, kind, &text);
        case 5: return fmi2CancelStep(p->c);
    }
    FUZZ_DEMAND(!strcmp(fmi2GetVersion(), "2.0") && fmi2GetTypesPlatform());
    return fmi2OK;
}
