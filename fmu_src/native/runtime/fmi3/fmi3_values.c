/* FMI 3.0: getting and setting variables (section 2.2.6), their derivatives (2.2.11), complete states (2.2.10), clocks. */
#include "derivatives.h"
#include "fmi3_calls.h"
#include "log.h"
#include "states.h"
#include "values.h"

enum { WHOLE = 1 << KIND_INTEGER, CHOICES = 1 << KIND_ENUMERATION };

static Chosen chosen(const fmi3ValueReference references[], size_t count) {
    return (Chosen){.references = references, .count = count};
}

static fmi3Status get(fmi3Instance c, const Call *call, unsigned kinds, Chosen which, Type type, void *values, size_t n) {
    return fmi3_status(get_values(c, call, kinds, which, (Values){.type = type, .wanted = values, .count = &n}));
}

static fmi3Status set(fmi3Instance c, const Call *call, unsigned kinds, Chosen which, Type type, const void *values, size_t n) {
    return fmi3_status(set_values(c, call, kinds, which, (Values){.type = type, .given = values, .count = &n}));
}

#define VALUE_REFERENCES const fmi3ValueReference valueReferences[], size_t nValueReferences

/* A type that variables of this FMU have. */
#define TYPE_OF_OURS(Name, CTYPE, NUMBER, KINDS, TYPE)                                                          \
    fmi3Status fmi3Get##Name(fmi3Instance c, VALUE_REFERENCES, CTYPE values[], size_t nValues) {                \
        return get(c, CALL(GET_##NUMBER), KINDS, chosen(valueReferences, nValueReferences), TYPE, values, nValues); \
    }                                                                                                           \
    fmi3Status fmi3Set##Name(fmi3Instance c, VALUE_REFERENCES, const CTYPE values[], size_t nValues) {          \
        return set(c, CALL(SET_##NUMBER), KINDS, chosen(valueReferences, nValueReferences), TYPE, values, nValues); \
    }

TYPE_OF_OURS(Float64, fmi3Float64, FLOAT64, REALS, TYPE_DOUBLE)
TYPE_OF_OURS(Int32, fmi3Int32, INT32, WHOLE, TYPE_INT)
TYPE_OF_OURS(Int64, fmi3Int64, INT64, CHOICES, TYPE_INT64)
TYPE_OF_OURS(Boolean, fmi3Boolean, BOOLEAN, BOOLEANS, TYPE_BOOL)

/* Types that no variable has: every reference is of another one. */
#define TYPE_OF_NONE(Name, CTYPE)                                                                                     \
    fmi3Status fmi3Get##Name(fmi3Instance c, VALUE_REFERENCES, CTYPE values[], size_t nValues) {                      \
        return get(c, CALL_NAMED(GET_OTHER, "fmi3Get" #Name), 0, chosen(valueReferences, nValueReferences), TYPE_INT, values, nValues); \
    }                                                                                                                 \
    fmi3Status fmi3Set##Name(fmi3Instance c, VALUE_REFERENCES, const CTYPE values[], size_t nValues) {                \
        return set(c, CALL_NAMED(SET_OTHER, "fmi3Set" #Name), 0, chosen(valueReferences, nValueReferences), TYPE_INT, values, nValues); \
    }

TYPE_OF_NONE(Float32, fmi3Float32)
TYPE_OF_NONE(Int8, fmi3Int8)
TYPE_OF_NONE(UInt8, fmi3UInt8)
TYPE_OF_NONE(Int16, fmi3Int16)
TYPE_OF_NONE(UInt16, fmi3UInt16)
TYPE_OF_NONE(UInt32, fmi3UInt32)
TYPE_OF_NONE(UInt64, fmi3UInt64)
TYPE_OF_NONE(String, fmi3String)

fmi3Status fmi3GetBinary(fmi3Instance c, VALUE_REFERENCES, size_t valueSizes[], fmi3Binary values[], size_t nValues) {
    (void)valueSizes;
    return get(c, CALL_NAMED(GET_OTHER, "fmi3GetBinary"), 0, chosen(valueReferences, nValueReferences), TYPE_INT, values, nValues);
}

fmi3Status fmi3SetBinary(fmi3Instance c, VALUE_REFERENCES, const size_t valueSizes[], const fmi3Binary values[], size_t nValues) {
    (void)valueSizes;
    return set(c, CALL_NAMED(SET_OTHER, "fmi3SetBinary"), 0, chosen(valueReferences, nValueReferences), TYPE_INT, values, nValues);
}

/* There are no clocks: a call that names none is served, any other is refused. */
static fmi3Status no_clocks(fmi3Instance c, const Call *call, size_t n) {
    Instance *instance = admit(c, call);
    if (!instance) return fmi3Error;
    return n ? fmi3_status(refuse(instance, STATUS_ERROR, "%s: this FMU has no clocks", call->name)) : fmi3OK;
}

fmi3Status fmi3GetClock(fmi3Instance c, VALUE_REFERENCES, fmi3Clock values[]) {
    (void)valueReferences, (void)values;
    return no_clocks(c, CALL_NAMED(NOT_OFFERED, "fmi3GetClock"), nValueReferences);
}

fmi3Status fmi3SetClock(fmi3Instance c, VALUE_REFERENCES, const fmi3Clock values[]) {
    (void)valueReferences, (void)values;
    return no_clocks(c, CALL_NAMED(NOT_OFFERED, "fmi3SetClock"), nValueReferences);
}

fmi3Status fmi3GetIntervalDecimal(fmi3Instance c, VALUE_REFERENCES, fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[]) {
    (void)valueReferences, (void)intervals, (void)qualifiers;
    return no_clocks(c, CALL_NAMED(NOT_OFFERED, "fmi3GetIntervalDecimal"), nValueReferences);
}

fmi3Status fmi3GetIntervalFraction(fmi3Instance c, VALUE_REFERENCES, fmi3UInt64 counters[], fmi3UInt64 resolutions[],
                                   fmi3IntervalQualifier qualifiers[]) {
    (void)valueReferences, (void)counters, (void)resolutions, (void)qualifiers;
    return no_clocks(c, CALL_NAMED(NOT_OFFERED, "fmi3GetIntervalFraction"), nValueReferences);
}

fmi3Status fmi3GetShiftDecimal(fmi3Instance c, VALUE_REFERENCES, fmi3Float64 shifts[]) {
    (void)valueReferences, (void)shifts;
    return no_clocks(c, CALL_NAMED(NOT_OFFERED, "fmi3GetShiftDecimal"), nValueReferences);
}

fmi3Status fmi3GetShiftFraction(fmi3Instance c, VALUE_REFERENCES, fmi3UInt64 counters[], fmi3UInt64 resolutions[]) {
    (void)valueReferences, (void)counters, (void)resolutions;
    return no_clocks(c, CALL_NAMED(NOT_OFFERED, "fmi3GetShiftFraction"), nValueReferences);
}

fmi3Status fmi3SetIntervalDecimal(fmi3Instance c, VALUE_REFERENCES, const fmi3Float64 intervals[]) {
    (void)valueReferences, (void)intervals;
    return no_clocks(c, CALL_NAMED(NOT_OFFERED, "fmi3SetIntervalDecimal"), nValueReferences);
}

fmi3Status fmi3SetIntervalFraction(fmi3Instance c, VALUE_REFERENCES, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]) {
    (void)valueReferences, (void)counters, (void)resolutions;
    return no_clocks(c, CALL_NAMED(NOT_OFFERED, "fmi3SetIntervalFraction"), nValueReferences);
}

fmi3Status fmi3SetShiftDecimal(fmi3Instance c, VALUE_REFERENCES, const fmi3Float64 shifts[]) {
    (void)valueReferences, (void)shifts;
    return no_clocks(c, CALL_NAMED(NOT_OFFERED, "fmi3SetShiftDecimal"), nValueReferences);
}

fmi3Status fmi3SetShiftFraction(fmi3Instance c, VALUE_REFERENCES, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]) {
    (void)valueReferences, (void)counters, (void)resolutions;
    return no_clocks(c, CALL_NAMED(NOT_OFFERED, "fmi3SetShiftFraction"), nValueReferences);
}

/* Dependencies are in the model description, by array: providesPerElementDependencies is false. */
static fmi3Status no_dependencies(fmi3Instance c, const Call *call) {
    Instance *instance = admit(c, call);
    if (!instance) return fmi3Error;
    return fmi3_status(refuse(instance, STATUS_ERROR, "%s: not offered, as providesPerElementDependencies is false; read modelDescription.xml", call->name));
}

fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, fmi3ValueReference valueReference, size_t *nDependencies) {
    (void)valueReference, (void)nDependencies;
    return no_dependencies(c, CALL_NAMED(NOT_OFFERED, "fmi3GetNumberOfVariableDependencies"));
}

fmi3Status fmi3GetVariableDependencies(fmi3Instance c, fmi3ValueReference dependent, size_t elementIndicesOfDependent[],
                                       fmi3ValueReference independents[], size_t elementIndicesOfIndependents[],
                                       fmi3DependencyKind dependencyKinds[], size_t nDependencies) {
    (void)dependent, (void)elementIndicesOfDependent, (void)independents, (void)elementIndicesOfIndependents;
    (void)dependencyKinds, (void)nDependencies;
    return no_dependencies(c, CALL_NAMED(NOT_OFFERED, "fmi3GetVariableDependencies"));
}

/* 0 if the host's counts are those of the variables, else the call is refused. */
static int miscounted(Instance *instance, const Call *call, Chosen seeded, size_t nSeed, Chosen sought, size_t nSensitivity) {
    if (unknown_references(instance, call, seeded) || unknown_references(instance, call, sought)) return 1;
    if (nSeed == length_of(seeded) && nSensitivity == length_of(sought)) return 0;
    refuse(instance, STATUS_ERROR, "%s: %zu seeds and %zu sensitivities, expected %zu and %zu", call->name, nSeed,
           nSensitivity, length_of(seeded), length_of(sought));
    return 1;
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference unknowns[], size_t nUnknowns,
                                        const fmi3ValueReference knowns[], size_t nKnowns, const fmi3Float64 seed[],
                                        size_t nSeed, fmi3Float64 sensitivity[], size_t nSensitivity) {
    const Call *call = CALL(DIRECTIONAL_DERIVATIVE);
    Instance *instance = admit(c, call);
    Chosen unknown = chosen(unknowns, nUnknowns), known = chosen(knowns, nKnowns);
    if (!instance || miscounted(instance, call, known, nSeed, unknown, nSensitivity)) return fmi3Error;
    return fmi3_status(directional_derivative(c, call, unknown, known, seed, sensitivity));
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const fmi3ValueReference unknowns[], size_t nUnknowns,
                                    const fmi3ValueReference knowns[], size_t nKnowns, const fmi3Float64 seed[],
                                    size_t nSeed, fmi3Float64 sensitivity[], size_t nSensitivity) {
    const Call *call = CALL(ADJOINT_DERIVATIVE);
    Instance *instance = admit(c, call);
    Chosen unknown = chosen(unknowns, nUnknowns), known = chosen(knowns, nKnowns);
    if (!instance || miscounted(instance, call, unknown, nSeed, known, nSensitivity)) return fmi3Error;
    return fmi3_status(adjoint_derivative(c, call, unknown, known, seed, sensitivity));
}

fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *FMUState) {
    return fmi3_status(save_state(c, CALL(GET_STATE), FMUState));
}

fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState FMUState) {
    return fmi3_status(restore_state(c, CALL(SET_STATE), FMUState));
}

fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *FMUState) {
    return fmi3_status(free_state(c, CALL(FREE_STATE), FMUState));
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState FMUState, size_t *size) {
    return fmi3_status(state_size(c, CALL(SERIALIZED_SIZE), FMUState, size));
}

fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState FMUState, fmi3Byte serializedState[], size_t size) {
    return fmi3_status(state_to_bytes(c, CALL(SERIALIZE), FMUState, serializedState, size));
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte serializedState[], size_t size, fmi3FMUState *FMUState) {
    return fmi3_status(state_of_bytes(c, CALL(DESERIALIZE), serializedState, size, FMUState));
}
