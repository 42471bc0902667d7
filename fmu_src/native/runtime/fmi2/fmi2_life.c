/* FMI 2.0: an instance's life, from instantiation to the end (sections 2.1.4 to 2.1.6). */
#include <string.h>

#include "fmi2_calls.h"
#include "life.h"
#include "log.h"

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }

const char *fmi2GetVersion(void) { return fmi2Version; }

/* The host formats the message once more: its signs % and # are doubled so that they come out as they are. */
static void log_to(const Host *host, const char *instance, Status status, const char *category, const char *message) {
    char doubled[2 * MESSAGE_LENGTH], *to = doubled;
    for (const char *from = message; *from; from++) {
        if (*from == '%' || *from == '#') *to++ = *from;
        *to++ = *from;
    }
    *to = '\0';
    ((fmi2CallbackLogger)host->logger)(host->environment, instance, fmi2_status(status), category, doubled);
}

/* Before there is an instance: tells the host why there will be none. */
static fmi2Component no_instance(const fmi2CallbackFunctions *host, fmi2String name, const char *reason) {
    if (host->logger) host->logger(host->componentEnvironment, name, fmi2Error, "logStatusError", reason);
    return NULL;
}

fmi2Component fmi2Instantiate(fmi2String instanceName, fmi2Type fmuType, fmi2String fmuGUID,
                              fmi2String fmuResourceLocation, const fmi2CallbackFunctions *functions,
                              fmi2Boolean visible, fmi2Boolean loggingOn) {
    (void)fmuResourceLocation, (void)visible; /* nothing to read, nothing to show */
    if (!functions) return NULL;
    if (!instanceName || !*instanceName)
        return no_instance(functions, "", "fmi2Instantiate: instanceName is empty");
    if (fmuType != fmi2ModelExchange && fmuType != fmi2CoSimulation)
        return no_instance(functions, instanceName,
                           "fmi2Instantiate: fmuType is neither fmi2ModelExchange nor fmi2CoSimulation");
    if (!fmuGUID || strcmp(fmuGUID, model.guid))
        return no_instance(
            functions, instanceName,
            "fmi2Instantiate: the GUID differs from that of this binary; take binary and modelDescription.xml from the same FMU");
    Host host = {.allocate = functions->allocateMemory,
                 .release = functions->freeMemory,
                 .log = log_to,
                 .logger = (void (*)(void))functions->logger,
                 .environment = functions->componentEnvironment};
    Instance *instance =
        instance_create(&host, &fmi2_rules, instanceName, fmuType == fmi2ModelExchange ? EXCHANGE : COSIMULATION);
    if (!instance) return no_instance(functions, instanceName, "fmi2Instantiate: memory allocation failed");
    instance->logged = loggingOn ? LOG_ALL : 0;
    return instance;
}

void fmi2FreeInstance(fmi2Component c) {
    if (c) instance_destroy(c);
}

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean loggingOn, size_t nCategories,
                               const fmi2String categories[]) {
    return fmi2_status(set_logging(c, CALL(SET_DEBUG_LOGGING), loggingOn, nCategories, categories));
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean toleranceDefined, fmi2Real tolerance, fmi2Real startTime,
                               fmi2Boolean stopTimeDefined, fmi2Real stopTime) {
    return fmi2_status(setup_experiment(c, CALL(SETUP_EXPERIMENT), toleranceDefined ? &tolerance : NULL, startTime,
                                        stopTimeDefined ? &stopTime : NULL));
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
    return fmi2_status(enter_initialization(c, CALL(ENTER_INITIALIZATION)));
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
    return fmi2_status(exit_initialization(c, CALL(EXIT_INITIALIZATION)));
}

fmi2Status fmi2Terminate(fmi2Component c) { return fmi2_status(terminate_instance(c, CALL(TERMINATE))); }

fmi2Status fmi2Reset(fmi2Component c) { return fmi2_status(reset_instance(c, CALL(RESET))); }
