#include "calls.h"

#include <stddef.h>

enum { EXCHANGE = 1, COSIMULATION = 2, BOTH = 3 };

enum {
    RUNNING = MODE_EVENT | MODE_CONTINUOUS | MODE_STEP_COMPLETE,
    OVER = MODE_STEP_FAILED | MODE_TERMINATED | MODE_ERROR,
    READABLE = MODE_INITIALIZATION | RUNNING | OVER,
    ANY = MODE_INSTANTIATED | READABLE,
    SOLVING = MODE_INITIALIZATION | MODE_EVENT | MODE_CONTINUOUS | MODE_TERMINATED | MODE_ERROR,
    AT_REST = MODE_INSTANTIATED | MODE_INITIALIZATION | MODE_EVENT | MODE_STEP_COMPLETE,
    STEPPED = MODE_STEP_COMPLETE | MODE_STEP_FAILED | MODE_TERMINATED
};

static const struct {
    const char *name;
    int kinds;
    int modes;
} rules[] = {
    [SET_DEBUG_LOGGING] = {"fmi2SetDebugLogging", BOTH, ANY},
    [SETUP_EXPERIMENT] = {"fmi2SetupExperiment", BOTH, MODE_INSTANTIATED},
    [ENTER_INITIALIZATION] = {"fmi2EnterInitializationMode", BOTH, MODE_INSTANTIATED},
    [EXIT_INITIALIZATION] = {"fmi2ExitInitializationMode", BOTH, MODE_INITIALIZATION},
    [TERMINATE] = {"fmi2Terminate", BOTH, RUNNING | MODE_STEP_FAILED},
    [RESET] = {"fmi2Reset", BOTH, ANY},
    [GET_REAL] = {"fmi2GetReal", BOTH, READABLE},
    [GET_INTEGER] = {"fmi2GetInteger", BOTH, READABLE},
    [GET_BOOLEAN] = {"fmi2GetBoolean", BOTH, READABLE},
    [GET_STRING] = {"fmi2GetString", BOTH, READABLE},
    [SET_REAL] = {"fmi2SetReal", BOTH, AT_REST | MODE_CONTINUOUS},
    [SET_INTEGER] = {"fmi2SetInteger", BOTH, AT_REST},
    [SET_BOOLEAN] = {"fmi2SetBoolean", BOTH, AT_REST},
    [SET_STRING] = {"fmi2SetString", BOTH, AT_REST},
    [GET_STATE] = {"fmi2GetFMUstate", BOTH, ANY},
    [SET_STATE] = {"fmi2SetFMUstate", BOTH, ANY},
    [FREE_STATE] = {"fmi2FreeFMUstate", BOTH, ANY},
    [SERIALIZED_SIZE] = {"fmi2SerializedFMUstateSize", BOTH, ANY},
    [SERIALIZE] = {"fmi2SerializeFMUstate", BOTH, ANY},
    [DESERIALIZE] = {"fmi2DeSerializeFMUstate", BOTH, ANY},
    [DIRECTIONAL_DERIVATIVE] = {"fmi2GetDirectionalDerivative", BOTH, READABLE},
    [ENTER_EVENT] = {"fmi2EnterEventMode", EXCHANGE, MODE_EVENT | MODE_CONTINUOUS},
    [NEW_DISCRETE_STATES] = {"fmi2NewDiscreteStates", EXCHANGE, MODE_EVENT},
    [ENTER_CONTINUOUS] = {"fmi2EnterContinuousTimeMode", EXCHANGE, MODE_EVENT},
    [COMPLETED_STEP] = {"fmi2CompletedIntegratorStep", EXCHANGE, MODE_CONTINUOUS},
    [SET_TIME] = {"fmi2SetTime", EXCHANGE, MODE_EVENT | MODE_CONTINUOUS},
    [SET_CONTINUOUS_STATES] = {"fmi2SetContinuousStates", EXCHANGE, MODE_CONTINUOUS},
    [GET_DERIVATIVES] = {"fmi2GetDerivatives", EXCHANGE, SOLVING},
    [GET_INDICATORS] = {"fmi2GetEventIndicators", EXCHANGE, SOLVING},
    [GET_CONTINUOUS_STATES] = {"fmi2GetContinuousStates", EXCHANGE, SOLVING},
    [GET_NOMINALS] = {"fmi2GetNominalsOfContinuousStates", EXCHANGE, MODE_INSTANTIATED | SOLVING},
    [SET_INPUT_DERIVATIVES] = {"fmi2SetRealInputDerivatives", COSIMULATION,
                               MODE_INSTANTIATED | MODE_INITIALIZATION | MODE_STEP_COMPLETE},
    [GET_OUTPUT_DERIVATIVES] = {"fmi2GetRealOutputDerivatives", COSIMULATION, MODE_STEP_COMPLETE | OVER},
    [DO_STEP] = {"fmi2DoStep", COSIMULATION, MODE_STEP_COMPLETE},
    [CANCEL_STEP] = {"fmi2CancelStep", COSIMULATION, 0}, /* only while a step is pending: never */
    [GET_STATUS] = {"fmi2GetStatus", COSIMULATION, STEPPED},
    [GET_REAL_STATUS] = {"fmi2GetRealStatus", COSIMULATION, STEPPED},
    [GET_INTEGER_STATUS] = {"fmi2GetIntegerStatus", COSIMULATION, STEPPED},
    [GET_BOOLEAN_STATUS] = {"fmi2GetBooleanStatus", COSIMULATION, STEPPED},
    [GET_STRING_STATUS] = {"fmi2GetStringStatus", COSIMULATION, STEPPED},
};

static const struct {
    Mode mode;
    const char *name;
} modes[] = {
    {MODE_INSTANTIATED, "instantiated"},
    {MODE_INITIALIZATION, "initialization mode"},
    {MODE_EVENT, "event mode"},
    {MODE_CONTINUOUS, "continuous-time mode"},
    {MODE_STEP_COMPLETE, "step complete"},
    {MODE_STEP_FAILED, "step failed"},
    {MODE_TERMINATED, "terminated"},
    {MODE_ERROR, "error"},
};

const char *call_name(Call call) { return rules[call].name; }

int call_allowed(Call call, int exchange, Mode mode) {
    return (rules[call].kinds & (exchange ? EXCHANGE : COSIMULATION)) && (rules[call].modes & mode);
}

int modes_of(int exchange) {
    int others = exchange ? MODE_STEP_COMPLETE | MODE_STEP_FAILED : MODE_EVENT | MODE_CONTINUOUS;
    return ANY & ~others;
}

const char *mode_name(Mode mode) {
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (modes[i].mode == mode) return modes[i].name;
    return "unknown";
}
