/* FMI 2.0: an instance's life, from instantiation to the end (sections 2.1.4 to 2.1.6). */
#include <math.h>
#include <string.h>

#include "instance.h"
#include "sides.h"

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }

const char *fmi2GetVersion(void) { return fmi2Version; }

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
        return no_instance(functions, "", "fmi2Instantiate: the instance name is missing");
    if (fmuType != fmi2ModelExchange && fmuType != fmi2CoSimulation)
        return no_instance(functions, instanceName,
                           "fmi2Instantiate: the type is neither fmi2ModelExchange nor fmi2CoSimulation");
    if (!fmuGUID || strcmp(fmuGUID, model.guid))
        return no_instance(
            functions, instanceName,
            "fmi2Instantiate: the GUID is not that of this binary: it belongs to another model description");
    Instance *instance = instance_create(functions, instanceName, fmuType == fmi2ModelExchange);
    if (!instance) return no_instance(functions, instanceName, "fmi2Instantiate: the host gave no memory");
    instance->logged = loggingOn ? LOG_ALL : 0;
    return instance;
}

void fmi2FreeInstance(fmi2Component c) {
    if (c) instance_destroy(c);
}

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean loggingOn, size_t nCategories,
                               const fmi2String categories[]) {
    Instance *instance = admit(c, SET_DEBUG_LOGGING);
    if (!instance) return fmi2Error;
    if ((nCategories && !categories) || choose_categories(instance, loggingOn, nCategories, categories))
        return refuse(instance, fmi2Error,
                      "fmi2SetDebugLogging: unknown category, expected one of the model description's");
    return fmi2OK;
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean toleranceDefined, fmi2Real tolerance, fmi2Real startTime,
                               fmi2Boolean stopTimeDefined, fmi2Real stopTime) {
    Instance *instance = admit(c, SETUP_EXPERIMENT);
    if (!instance) return fmi2Error;
    if (!isfinite(startTime))
        return refuse(instance, fmi2Error, "fmi2SetupExperiment: start time is %g, expected a finite one", startTime);
    if (stopTimeDefined && !(stopTime > startTime))
        return refuse(instance, fmi2Error, "fmi2SetupExperiment: stop time is %g, expected one after the start at %g",
                      stopTime, startTime);
    if (toleranceDefined && !(tolerance > 0.0 && tolerance < 1.0))
        return refuse(instance, fmi2Error, "fmi2SetupExperiment: tolerance is %g, expected one between 0 and 1",
                      tolerance);
    Scalars *now = instance->s.now;
    now->time = now->input_time = startTime;
    now->stop_time = stopTimeDefined ? stopTime : HUGE_VAL;
    now->tolerance = toleranceDefined ? tolerance : 0.0;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
    Instance *instance = admit(c, ENTER_INITIALIZATION);
    if (!instance) return fmi2Error;
    set_mode(instance, MODE_INITIALIZATION);
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
    Instance *instance = admit(c, EXIT_INITIALIZATION);
    if (!instance) return fmi2Error;
    Simulation *s = &instance->s;
    int exchange = s->now->exchange != 0.0;
    Quiet host;
    quiet_begin(&host);
    int failed = make_ready(instance) || (exchange && take_sides(s));
    quiet_end(&host);
    if (failed) return refuse(instance, fmi2Error, "fmi2ExitInitializationMode: %s", s->e.reason);
    set_mode(instance, exchange ? MODE_EVENT : MODE_STEP_COMPLETE);
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c) {
    Instance *instance = admit(c, TERMINATE);
    if (!instance) return fmi2Error;
    const Scalars *now = instance->s.now;
    tell(instance, LOG_SOLVER,
         "steps=%.0f rejected=%.0f events=%.0f evaluations=%ld to_points=%.0f to_events=%.0f by_limit=%.0f by_tolerance=%.0f",
         now->steps, now->rejections, now->events, instance->s.e.evaluations, now->to_points, now->to_events,
         now->to_limits, now->steps - now->to_points - now->to_events - now->to_limits);
    set_mode(instance, MODE_TERMINATED);
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component c) {
    Instance *instance = admit(c, RESET);
    if (!instance) return fmi2Error;
    simulation_reset(&instance->s);
    set_mode(instance, MODE_INSTANTIATED);
    return fmi2OK;
}
