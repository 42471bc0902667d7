/* The game of calls (game.h) in FMI 3.0, also from within the intermediate update. */
#include "fuzz.h"

#include "fmi3Functions.h"

#define FMI(name) fmi3##name
#define OWN ask

extern const int fuzz_sizes[]; /* elements of each variable */

enum { ROOM = 4096 };

typedef struct {
    fmi3Instance c;
    int exchange, event_mode;
    double t;
    fmi3FMUState kept[MOST_KEPT];
    double kept_at[MOST_KEPT];
} Player;

static fmi3Status ask(Player *p);

#include "game.h"

static void listen(fmi3InstanceEnvironment e, fmi3Status status, fmi3String category, fmi3String message) {
    (void)e, (void)status;
    FUZZ_DEMAND(category && message && strlen(message) < 4096);
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

static fmi3Instance make(Player *p) {
    static const char *const tokens[] = {"{}", NULL}, *const names[] = {"", NULL};
    const char *token = fuzz_one_in(40) ? tokens[fuzz_below(2)] : fuzz_guid, *name = fuzz_one_in(40) ? names[fuzz_below(2)] : "fuzz";
    fmi3LogMessageCallback log = fuzz_one_in(9) ? NULL : listen;
    p->exchange = fuzz_one_in(3);
    if (p->exchange) return fmi3InstantiateModelExchange(name, token, NULL, false, fuzz_one_in(2), p, log);
    size_t required = fuzz_one_in(2) ? fuzz_choose(references) : 0;
    p->event_mode = fuzz_one_in(2);
    return fmi3InstantiateCoSimulation(name, token, NULL, false, fuzz_one_in(2), p->event_mode, fuzz_one_in(2), fuzz_one_in(20) ? NULL : references, required, p, log,
                                       fuzz_one_in(2) ? between : NULL);
}

static fmi3Status enter(Player *p, int has_tolerance, double tolerance, int has_stop, double stop) {
    return fmi3EnterInitializationMode(p->c, has_tolerance, tolerance, p->t, has_stop, stop);
}

static fmi3Status discrete(Player *p) {
    fmi3Boolean b[5];
    double next;
    if (fuzz_one_in(5)) fmi3EvaluateDiscreteStates(p->c);
    return fmi3UpdateDiscreteStates(p->c, b, b + 1, b + 2, b + 3, b + 4, fuzz_one_in(30) ? NULL : &next);
}

static fmi3Status settled(Player *p) { return p->exchange ? fmi3EnterContinuousTimeMode(p->c) : fmi3EnterStepMode(p->c); }

static fmi3Status set_method(Player *p, fmi3ValueReference reference, int method) { return fmi3SetInt64(p->c, &reference, 1, &(fmi3Int64){method}, 1); }

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
    finite(status, found, total);
    return status;
}

static fmi3Status set(Player *p) {
    size_t count = fuzz_choose(references), total = numbers(elements(references, count));
    fmi3Boolean truths[64] = {0};
    fmi3Int32 integers[MOST_VALUES];
    for (int i = 0; i < MOST_VALUES; i++) integers[i] = fuzz_below(8) - 1;
    switch (fuzz_below(14)) {
        case 0: return fmi3SetInt32(p->c, references, count, integers, total < MOST_VALUES ? total : MOST_VALUES);
        case 1: return fmi3SetInt64(p->c, references, count, (fmi3Int64 *)reals, total);
        case 2:
            if (fuzz_first_switch >= 0 && fuzz_one_in(2)) count = total = 1, references[0] = (unsigned)fuzz_first_switch; /* a legal one */
            return fmi3SetBoolean(p->c, references, count, truths, total < 64 ? total : 64);
        case 3: return fmi3SetFloat32(p->c, references, count, (fmi3Float32 *)reals, total);
        case 4: return fmi3SetUInt64(p->c, references, count, (fmi3UInt64 *)reals, total);
        case 5: return fmi3SetString(p->c, references, count, (fmi3String *)reals, total);
        case 6: return fmi3SetFloat64(p->c, references, count, NULL, total);
    }
    return fmi3SetFloat64(p->c, references, count, reals, total);
}

static fmi3Status derive(Player *p) {
    size_t unknowns = fuzz_choose(references), knowns = fuzz_choose(others);
    size_t of_unknowns = elements(references, unknowns), of_knowns = elements(others, knowns);
    int adjoint = fuzz_one_in(2);
    numbers(adjoint ? of_unknowns : of_knowns);
    fmi3Status status = adjoint ? fmi3GetAdjointDerivative(p->c, references, unknowns, others, knowns, reals, of_unknowns, found, of_knowns)
                                : fmi3GetDirectionalDerivative(p->c, references, unknowns, others, knowns, reals, of_knowns, found, of_unknowns);
    finite(status, found, adjoint ? of_knowns : of_unknowns);
    return status;
}

static fmi3Status step(Player *p) {
    double h = fuzz_length(), last = p->t;
    fmi3Boolean event, terminate, early;
    if (fuzz_one_in(40)) return fmi3DoStep(p->c, fuzz_number(), fuzz_number(), fmi3True, &event, &terminate, NULL, &last);
    fmi3Status status = fmi3DoStep(p->c, p->t, h, fmi3True, &event, &terminate, &early, &last);
    if (status == fmi3OK) p->t = last;
    return status;
}

static fmi3Status ask(Player *p) {
    size_t count = fuzz_choose(references), size;
    fmi3Int32 orders[MOST_VALUES] = {1, 1, 2, 1, 0, -1, 1, 1};
    switch (fuzz_below(9)) {
        case 0: return fmi3GetNumberOfVariableDependencies(p->c, references[0], &size);
        case 1: return fmi3EnterConfigurationMode(p->c);
        case 2: return fmi3ExitConfigurationMode(p->c);
        case 3: return fmi3GetClock(p->c, references, count, (fmi3Clock *)found);
        case 4: return fmi3ActivateModelPartition(p->c, 0, 0.0);
        case 5: return fmi3GetOutputDerivatives(p->c, references, count, orders, found, elements(references, count));
        case 6: return fmi3GetNumberOfEventIndicators(p->c, fuzz_one_in(9) ? NULL : &size);
        case 7: return fmi3GetNumberOfContinuousStates(p->c, fuzz_one_in(9) ? NULL : &size);
    }
    FUZZ_DEMAND(!strncmp(fmi3GetVersion(), "3.0", 3));
    return fmi3OK;
}
