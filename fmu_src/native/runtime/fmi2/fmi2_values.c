/* FMI 2.0: getting and setting variables (section 2.1.7), their derivatives (2.1.9, 4.2.1), and complete states (2.1.8). */
#include "derivatives.h"
#include "fmi2_calls.h"
#include "states.h"
#include "values.h"

static Chosen chosen(const fmi2ValueReference references[], size_t count) {
    return (Chosen){.references = references, .count = count};
}

static fmi2Status get(fmi2Component c, const Call *call, unsigned kinds, Chosen which, Type type, void *values) {
    return fmi2_status(get_values(c, call, kinds, which, (Values){.type = type, .wanted = values}));
}

static fmi2Status set(fmi2Component c, const Call *call, unsigned kinds, Chosen which, Type type, const void *values) {
    return fmi2_status(set_values(c, call, kinds, which, (Values){.type = type, .given = values}));
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Real value[]) {
    return get(c, CALL(GET_REAL), REALS, chosen(vr, nvr), TYPE_DOUBLE, value);
}

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Integer value[]) {
    return get(c, CALL(GET_INTEGER), INTEGERS, chosen(vr, nvr), TYPE_INT, value);
}

fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Boolean value[]) {
    return get(c, CALL(GET_BOOLEAN), BOOLEANS, chosen(vr, nvr), TYPE_INT, value);
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Real value[]) {
    return set(c, CALL(SET_REAL), REALS, chosen(vr, nvr), TYPE_DOUBLE, value);
}

fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Integer value[]) {
    return set(c, CALL(SET_INTEGER), INTEGERS, chosen(vr, nvr), TYPE_INT, value);
}

fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Boolean value[]) {
    return set(c, CALL(SET_BOOLEAN), BOOLEANS, chosen(vr, nvr), TYPE_INT, value);
}

/* No model has string variables: every reference is of another type. */
fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2String value[]) {
    return get(c, CALL(GET_STRING), 0, chosen(vr, nvr), TYPE_INT, value);
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2String value[]) {
    return set(c, CALL(SET_STRING), 0, chosen(vr, nvr), TYPE_INT, value);
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference vUnknown_ref[], size_t nUnknown,
                                        const fmi2ValueReference vKnown_ref[], size_t nKnown, const fmi2Real dvKnown[],
                                        fmi2Real dvUnknown[]) {
    return fmi2_status(directional_derivative(c, CALL(DIRECTIONAL_DERIVATIVE), chosen(vUnknown_ref, nUnknown),
                                              chosen(vKnown_ref, nKnown), dvKnown, dvUnknown));
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                       const fmi2Integer order[], const fmi2Real value[]) {
    return fmi2_status(set_input_derivatives(c, CALL(SET_INPUT_DERIVATIVES), chosen(vr, nvr), order, value));
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                        const fmi2Integer order[], fmi2Real value[]) {
    return fmi2_status(get_output_derivatives(c, CALL(GET_OUTPUT_DERIVATIVES), chosen(vr, nvr), order, value));
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *FMUstate) {
    return fmi2_status(save_state(c, CALL(GET_STATE), FMUstate));
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate FMUstate) {
    return fmi2_status(restore_state(c, CALL(SET_STATE), FMUstate));
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *FMUstate) {
    return fmi2_status(free_state(c, CALL(FREE_STATE), FMUstate));
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate FMUstate, size_t *size) {
    return fmi2_status(state_size(c, CALL(SERIALIZED_SIZE), FMUstate, size));
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate FMUstate, fmi2Byte serializedState[], size_t size) {
    return fmi2_status(state_to_bytes(c, CALL(SERIALIZE), FMUstate, serializedState, size));
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte serializedState[], size_t size,
                                   fmi2FMUstate *FMUstate) {
    return fmi2_status(state_of_bytes(c, CALL(DESERIALIZE), serializedState, size, FMUstate));
}
