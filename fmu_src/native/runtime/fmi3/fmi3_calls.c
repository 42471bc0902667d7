#include "fmi3_calls.h"

enum {
    RUNNING = MODE_EVENT | MODE_CONTINUOUS | MODE_STEP_COMPLETE,
    OVER = MODE_TERMINATED | MODE_ERROR,
    COMPUTED = MODE_INITIALIZATION | RUNNING | OVER,
    ANY = MODE_INSTANTIATED | COMPUTED,
    SOLVING = MODE_INITIALIZATION | MODE_EVENT | MODE_CONTINUOUS | MODE_TERMINATED | MODE_ERROR,
    STARTING = MODE_INSTANTIATED | MODE_INITIALIZATION,
    AT_REST = STARTING | MODE_EVENT | MODE_STEP_COMPLETE,
    BETWEEN = MODE_INPUTS | MODE_INTERMEDIATE
};

const Call fmi3_calls[] = {
    [SET_DEBUG_LOGGING] = {"fmi3SetDebugLogging", BOTH, ANY},
    [ENTER_INITIALIZATION] = {"fmi3EnterInitializationMode", BOTH, MODE_INSTANTIATED},
    [EXIT_INITIALIZATION] = {"fmi3ExitInitializationMode", BOTH, MODE_INITIALIZATION},
    [ENTER_EVENT] = {"fmi3EnterEventMode", BOTH, MODE_CONTINUOUS | MODE_STEP_COMPLETE},
    [TERMINATE] = {"fmi3Terminate", BOTH, RUNNING},
    [RESET] = {"fmi3Reset", BOTH, ANY},
    [GET_FLOAT64] = {"fmi3GetFloat64", BOTH, ANY | MODE_INTERMEDIATE},
    [GET_INT32] = {"fmi3GetInt32", BOTH, ANY},
    [GET_INT64] = {"fmi3GetInt64", BOTH, ANY},
    [GET_BOOLEAN] = {"fmi3GetBoolean", BOTH, ANY},
    [GET_OTHER] = {"fmi3Get", BOTH, ANY},
    [SET_FLOAT64] = {"fmi3SetFloat64", BOTH, AT_REST | MODE_CONTINUOUS | BETWEEN},
    [SET_INT32] = {"fmi3SetInt32", BOTH, AT_REST},
    [SET_INT64] = {"fmi3SetInt64", BOTH, AT_REST},
    [SET_BOOLEAN] = {"fmi3SetBoolean", BOTH, AT_REST},
    [SET_OTHER] = {"fmi3Set", BOTH, AT_REST},
    [GET_STATE] = {"fmi3GetFMUState", BOTH, ANY},
    [SET_STATE] = {"fmi3SetFMUState", BOTH, ANY},
    [FREE_STATE] = {"fmi3FreeFMUState", BOTH, ANY},
    [SERIALIZED_SIZE] = {"fmi3SerializedFMUStateSize", BOTH, ANY},
    [SERIALIZE] = {"fmi3SerializeFMUState", BOTH, ANY},
    [DESERIALIZE] = {"fmi3DeserializeFMUState", BOTH, ANY},
    [DIRECTIONAL_DERIVATIVE] = {"fmi3GetDirectionalDerivative", BOTH, COMPUTED},
    [ADJOINT_DERIVATIVE] = {"fmi3GetAdjointDerivative", BOTH, COMPUTED},
    [NOT_OFFERED] = {"of configuration, clocks or dependencies", BOTH, ANY},
    [EVALUATE_DISCRETE_STATES] = {"fmi3EvaluateDiscreteStates", BOTH, MODE_EVENT},
    [UPDATE_DISCRETE_STATES_EXCHANGE] = {"fmi3UpdateDiscreteStates", EXCHANGE, MODE_EVENT},
    [UPDATE_DISCRETE_STATES_STEPS] = {"fmi3UpdateDiscreteStates", COSIMULATION, MODE_EVENT},
    [ENTER_CONTINUOUS] = {"fmi3EnterContinuousTimeMode", EXCHANGE, MODE_EVENT},
    [COMPLETED_STEP] = {"fmi3CompletedIntegratorStep", EXCHANGE, MODE_CONTINUOUS},
    [SET_TIME] = {"fmi3SetTime", EXCHANGE, MODE_EVENT | MODE_CONTINUOUS},
    [SET_CONTINUOUS_STATES] = {"fmi3SetContinuousStates", EXCHANGE, MODE_CONTINUOUS},
    [GET_DERIVATIVES] = {"fmi3GetContinuousStateDerivatives", EXCHANGE, SOLVING},
    [GET_INDICATORS] = {"fmi3GetEventIndicators", EXCHANGE, SOLVING},
    [GET_CONTINUOUS_STATES] = {"fmi3GetContinuousStates", EXCHANGE, SOLVING},
    [GET_NOMINALS] = {"fmi3GetNominalsOfContinuousStates", EXCHANGE, SOLVING},
    [NUMBER_OF_INDICATORS] = {"fmi3GetNumberOfEventIndicators", EXCHANGE, ANY},
    [NUMBER_OF_STATES] = {"fmi3GetNumberOfContinuousStates", EXCHANGE, ANY},
    [ENTER_STEP_MODE] = {"fmi3EnterStepMode", COSIMULATION, MODE_EVENT},
    [GET_OUTPUT_DERIVATIVES] = {"fmi3GetOutputDerivatives", COSIMULATION, MODE_STEP_COMPLETE | MODE_EVENT | OVER | MODE_INTERMEDIATE},
    [DO_STEP] = {"fmi3DoStep", COSIMULATION, MODE_STEP_COMPLETE},
    [ACTIVATE_PARTITION] = {"fmi3ActivateModelPartition", BOTH, 0}, /* of scheduled execution: never */
};

/* Step mode takes discrete inputs and tunable parameters too, whether the host handles events or not (section 4.2.1). */
static const Settable settable[] = {
    {GROUP_STATE, BOTH, STARTING, 0, 0},
    {GROUP_STATE, EXCHANGE, MODE_EVENT | MODE_CONTINUOUS, 0, 0},
    {GROUP_DISCRETE, BOTH, STARTING, 0, 0},
    {GROUP_INPUT, BOTH, AT_REST | MODE_CONTINUOUS | BETWEEN, 0, MODE_CONTINUOUS | BETWEEN},
    {GROUP_PARAMETER, BOTH, AT_REST, MODE_EVENT | MODE_STEP_COMPLETE, 0},
    {GROUP_SOLVER, BOTH, STARTING, 0, 0},
};

const Rules fmi3_rules = {
    .modes = {[COSIMULATION] = ANY & ~MODE_CONTINUOUS, [EXCHANGE] = ANY & ~MODE_STEP_COMPLETE},
    .settable = settable,
    .n_settable = sizeof settable / sizeof *settable,
    .silent = 1, /* FMI 3.0.2, section 2.3.1: loggingOn */
};
