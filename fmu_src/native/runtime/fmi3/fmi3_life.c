/* FMI 3.0: an instance's life, from instantiation to the end (section 2.3). */
#include <string.h>

#include "fmi3_calls.h"
#include "intermediate.h"
#include "life.h"
#include "log.h"

const char *fmi3GetVersion(void) { return fmi3Version; }

/* #12# in a message stands for a variable: a sign # is doubled so that it comes out as it is. */
static void log_to(const Host *host, const char *instance, Status status, const char *category, const char *message) {
    char doubled[2 * MESSAGE_LENGTH], *to = doubled;
    (void)instance; /* the host knows it by its environment */
    for (const char *from = message; *from; from++) {
        if (*from == '#') *to++ = *from;
        *to++ = *from;
    }
    *to = '\0';
    ((fmi3LogMessageCallback)host->logger)(host->environment, fmi3_status(status), category, doubled);
}

/* Before there is an instance: tells the host why there will be none. */
static fmi3Instance no_instance(const Host *host, const char *reason) {
    if (host->logger) log_to(host, "", STATUS_ERROR, "logStatusError", reason);
    return NULL;
}

static Instance *instantiate(const Host *host, int kind, fmi3String name, fmi3String token, fmi3Boolean logging) {
    if (!name || !name[strspn(name, " \t\r\n")]) return no_instance(host, "fmi3Instantiate: instanceName is empty");
    if (!token || strcmp(token, model.guid))
        return no_instance(
            host, "fmi3Instantiate: the instantiation token differs from that of this binary; take binary and modelDescription.xml from the same FMU");
    Instance *instance = instance_create(host, &fmi3_rules, name, kind);
    if (!instance) return no_instance(host, "fmi3Instantiate: memory allocation failed");
    instance->logged = logging ? LOG_ALL : 0;
    return instance;
}

static Host host_of(fmi3InstanceEnvironment environment, fmi3LogMessageCallback logger) {
    return (Host){.log = log_to, .logger = (void (*)(void))logger, .environment = environment};
}

static void update_by(const Host *host, Update *update) {
    fmi3Boolean wanted = fmi3False;
    fmi3Float64 time = update->time;
    ((fmi3IntermediateUpdateCallback)host->updater)(host->environment, update->time, update->set, update->get, update->finished,
                                                    update->can_return, &wanted, &time);
    update->wants_return = wanted, update->return_time = time;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String instanceName, fmi3String instantiationToken,
                                          fmi3String resourcePath, fmi3Boolean visible, fmi3Boolean loggingOn,
                                          fmi3InstanceEnvironment instanceEnvironment,
                                          fmi3LogMessageCallback logMessage) {
    (void)resourcePath, (void)visible; /* nothing to read, nothing to show */
    Host host = host_of(instanceEnvironment, logMessage);
    return instantiate(&host, EXCHANGE, instanceName, instantiationToken, loggingOn);
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String instanceName, fmi3String instantiationToken,
                                         fmi3String resourcePath, fmi3Boolean visible, fmi3Boolean loggingOn,
                                         fmi3Boolean eventModeUsed, fmi3Boolean earlyReturnAllowed,
                                         const fmi3ValueReference requiredIntermediateVariables[],
                                         size_t nRequiredIntermediateVariables,
                                         fmi3InstanceEnvironment instanceEnvironment,
                                         fmi3LogMessageCallback logMessage,
                                         fmi3IntermediateUpdateCallback intermediateUpdate) {
    (void)resourcePath, (void)visible;
    Host host = host_of(instanceEnvironment, logMessage);
    Chosen required = {.references = requiredIntermediateVariables, .count = nRequiredIntermediateVariables};
    if (required.count && !required.references)
        return no_instance(&host, "fmi3InstantiateCoSimulation: the array of required intermediate variables is NULL");
    if (intermediateUpdate) host.update = update_by, host.updater = (void (*)(void))intermediateUpdate;
    Instance *instance = instantiate(&host, COSIMULATION, instanceName, instantiationToken, loggingOn);
    if (!instance) return NULL;
    instance->event_mode = eventModeUsed, instance->early_return = earlyReturnAllowed;
    if (!require_between(instance, required)) return instance;
    instance_destroy(instance);
    return no_instance(&host, "fmi3InstantiateCoSimulation: modelDescription.xml does not have intermediateUpdate = true for each required intermediate variable");
}

fmi3Instance fmi3InstantiateScheduledExecution(fmi3String instanceName, fmi3String instantiationToken,
                                               fmi3String resourcePath, fmi3Boolean visible, fmi3Boolean loggingOn,
                                               fmi3InstanceEnvironment instanceEnvironment,
                                               fmi3LogMessageCallback logMessage, fmi3ClockUpdateCallback clockUpdate,
                                               fmi3LockPreemptionCallback lockPreemption,
                                               fmi3UnlockPreemptionCallback unlockPreemption) {
    (void)instanceName, (void)instantiationToken, (void)resourcePath, (void)visible, (void)loggingOn;
    (void)clockUpdate, (void)lockPreemption, (void)unlockPreemption;
    Host host = host_of(instanceEnvironment, logMessage);
    return no_instance(&host, "fmi3InstantiateScheduledExecution: this FMU has only co-simulation and model exchange");
}

void fmi3FreeInstance(fmi3Instance c) {
    if (!c) return;
    if (mode_of(c) & (MODE_INPUTS | MODE_INTERMEDIATE)) /* the step that asks goes on in it */
        refuse(c, STATUS_ERROR, "fmi3FreeInstance: not allowed in an intermediate update");
    else instance_destroy(c);
}

fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean loggingOn, size_t nCategories,
                               const fmi3String categories[]) {
    return fmi3_status(set_logging(c, CALL(SET_DEBUG_LOGGING), loggingOn, nCategories, categories));
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean toleranceDefined, fmi3Float64 tolerance,
                                       fmi3Float64 startTime, fmi3Boolean stopTimeDefined, fmi3Float64 stopTime) {
    const Call *call = CALL(ENTER_INITIALIZATION);
    Status status = setup_experiment(c, call, toleranceDefined ? &tolerance : NULL, startTime,
                                     stopTimeDefined ? &stopTime : NULL);
    return fmi3_status(status == STATUS_OK ? enter_initialization(c, call) : status);
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance c) {
    return fmi3_status(exit_initialization(c, CALL(EXIT_INITIALIZATION)));
}

fmi3Status fmi3Terminate(fmi3Instance c) { return fmi3_status(terminate_instance(c, CALL(TERMINATE))); }

fmi3Status fmi3Reset(fmi3Instance c) { return fmi3_status(reset_instance(c, CALL(RESET))); }

/* What this FMU does not offer, as its model description says. */
static fmi3Status not_offered(fmi3Instance c, const Call *call, const char *why) {
    Instance *instance = admit(c, call);
    return instance ? fmi3_status(refuse(instance, STATUS_ERROR, "%s: %s", call->name, why)) : fmi3Error;
}

fmi3Status fmi3EnterConfigurationMode(fmi3Instance c) {
    return not_offered(c, CALL_NAMED(NOT_OFFERED, "fmi3EnterConfigurationMode"), "there are no structural parameters");
}

fmi3Status fmi3ExitConfigurationMode(fmi3Instance c) {
    return not_offered(c, CALL_NAMED(NOT_OFFERED, "fmi3ExitConfigurationMode"), "there are no structural parameters");
}

fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c) {
    return admit(c, CALL(EVALUATE_DISCRETE_STATES)) ? fmi3OK : fmi3Error; /* providesEvaluateDiscreteStates is false: nothing to do */
}

fmi3Status fmi3ActivateModelPartition(fmi3Instance c, fmi3ValueReference clockReference, fmi3Float64 activationTime) {
    (void)clockReference, (void)activationTime;
    return not_offered(c, CALL(ACTIVATE_PARTITION), "there are no model partitions");
}
