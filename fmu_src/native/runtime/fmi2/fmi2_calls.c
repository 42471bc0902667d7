#include "fmi2_calls.h"

enum {
    RUNNING = MODE_EVENT | MODE_CONTINUOUS | MODE_STEP_COMPLETE,
    OVER = MODE_STEP_FAILED | MODE_TERMINATED | MODE_ERROR,
    READABLE = MODE_INITIALIZATION | RUNNING | OVER,
    ANY = MODE_INSTANTIATED | READABLE,
    SOLVING = MODE_INITIALIZATION | MODE_EVENT | MODE_CONTINUOUS | MODE_TERMINATED | MODE_ERROR,
    STARTING = MODE_INSTANTIATED | MODE_INITIALIZATION,
    AT_REST = STARTING | MODE_EVENT | MODE_STEP_COMPLETE,
    STEPPED = MODE_STEP_COMPLETE | MODE_STEP_FAILED | MODE_TERMINATED
};

const Call fmi2_calls[] = {
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
    [SET_INPUT_DERIVATIVES] = {"fmi2SetRealInputDerivatives", COSIMULATION, STARTING | MODE_STEP_COMPLETE},
    [GET_OUTPUT_DERIVATIVES] = {"fmi2GetRealOutputDerivatives", COSIMULATION, MODE_STEP_COMPLETE | OVER},
    [DO_STEP] = {"fmi2DoStep", COSIMULATION, MODE_STEP_COMPLETE},
    [CANCEL_STEP] = {"fmi2CancelStep", COSIMULATION, 0}, /* only while a step is pending: never */
    [GET_STATUS] = {"fmi2GetStatus", COSIMULATION, STEPPED},
    [GET_REAL_STATUS] = {"fmi2GetRealStatus", COSIMULATION, STEPPED},
    [GET_INTEGER_STATUS] = {"fmi2GetIntegerStatus", COSIMULATION, STEPPED},
    [GET_BOOLEAN_STATUS] = {"fmi2GetBooleanStatus", COSIMULATION, STEPPED},
    [GET_STRING_STATUS] = {"fmi2GetStringStatus", COSIMULATION, STEPPED},
};

static const Settable settable[] = {
    {GROUP_STATE, BOTH, STARTING, 0, 0},
    {GROUP_DISCRETE, BOTH, STARTING, 0, 0},
    {GROUP_INPUT, BOTH, AT_REST | MODE_CONTINUOUS, 0, MODE_CONTINUOUS},
    {GROUP_PARAMETER, BOTH, AT_REST, MODE_EVENT | MODE_STEP_COMPLETE, 0},
    {GROUP_SOLVER, BOTH, STARTING, 0, 0},
};

const Rules fmi2_rules = {
    .modes = {[COSIMULATION] = ANY & ~(MODE_EVENT | MODE_CONTINUOUS),
              [EXCHANGE] = ANY & ~(MODE_STEP_COMPLETE | MODE_STEP_FAILED)},
    .settable = settable,
    .n_settable = sizeof settable / sizeof *settable,
};
