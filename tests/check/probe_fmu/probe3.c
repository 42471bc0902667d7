/* The same model as an FMU of FMI 3.0: a thin face on probe.c's functions, so that their faults are the faults of this one, too.

   Beside those: `pair`, an array (2) with x and v, `gain`, an array (2) of tunable parameters; event mode, early return at a bounce,
   intermediate update, adjoint derivatives. faults.py has the faults that only FMI 3.0 has. */

#define WITHIN_FMI3
#include "probe.c"
#include "fmi3Functions.h"

enum { PAIR = 30, DER_PAIR = 31, GAIN = 32, COUNT = 40, MODE = 41, HIGH = 50, LABEL = 60, BLOB = 61, INDICATOR = 70 };

typedef struct { /* an instance of FMI 3.0 around one of FMI 2.0 */
    Instance *of;
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
    fmi3IntermediateUpdateCallback update;
    fmi2CallbackFunctions call;
    int events, early, between, requests;
} Outer;

#define STATE(m) ((m)->of->now.state)

static void tell(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category, fmi2String message, ...) {
    Outer *m = environment;
    (void)name;
    if (IS(keeps_strings) && m->of && strcmp(m->of->given_name, m->of->name)) *(volatile int *)8 = 1; /* looks its name up where the host had it */
    if (m->log) m->log(IS(environment_lost) ? NULL : m->environment, (fmi3Status)status, category, message);
}

const char *fmi3GetVersion(void) { return IS(wrong_version) ? "2.0" : fmi3Version; }

static Outer *make(fmi3String name, fmi2Type kind, fmi3String token, fmi3String resources, fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log) {
    Outer *m = calloc(1, sizeof *m);
    m->environment = environment;
    m->log = logging || IS(logs_when_silent) ? log : NULL;
    m->call = (fmi2CallbackFunctions){tell, NULL, NULL, NULL, m};
    char uri[4096];
    snprintf(uri, sizeof uri, "file://%s", resources ? resources : "");
    if (IS(needs_resources) && (!resources || strstr(resources, " "))) { free(m); return NULL; }
    m->of = fmi2Instantiate(name, kind, token, uri, &m->call, fmi2False, logging);
    if (!m->of) { free(m); return NULL; }
    return m;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
                                          fmi3InstanceEnvironment environment, fmi3LogMessageCallback log) {
    (void)visible;
    return make(name, fmi2ModelExchange, token, resources, logging, environment, log);
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean events,
                                         fmi3Boolean early, const fmi3ValueReference required[], size_t n, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update) {
    (void)visible, (void)required, (void)n;
    Outer *m = make(name, fmi2CoSimulation, token, resources, logging, environment, log);
    if (m) m->events = events, m->early = early, m->update = IS(update_not_called) ? NULL : update;
    return m;
}

fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
                                               fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, fmi3ClockUpdateCallback clock,
                                               fmi3LockPreemptionCallback lock, fmi3UnlockPreemptionCallback unlock) {
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)environment, (void)log, (void)clock, (void)lock, (void)unlock;
    return NULL;
}

void fmi3FreeInstance(fmi3Instance c) {
    Outer *m = c;
    fmi2FreeInstance(m ? m->of : NULL);
    if (!IS(leaks_by_malloc)) free(m);
}

#define OF(c) ((c) ? ((Outer *)(c))->of : NULL)
#define CHECK(c) if (!(c)) { if (IS(null_instance_crashes)) *(volatile int *)8 = 1; return fmi3Error; }
#define S(x) ((fmi3Status)(x))

fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String categories[]) { CHECK(c); return S(fmi2SetDebugLogging(OF(c), on, n, categories)); }

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean has_tolerance, fmi3Float64 tolerance, fmi3Float64 start, fmi3Boolean has_stop, fmi3Float64 stop) {
    CHECK(c);
    if (fmi2SetupExperiment(OF(c), has_tolerance, tolerance, start, has_stop, stop) != fmi2OK) return fmi3Error;
    return S(fmi2EnterInitializationMode(OF(c)));
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance c) {
    CHECK(c);
    Outer *m = c;
    fmi3Status status = S(fmi2ExitInitializationMode(OF(c)));
    if (status == fmi3OK && m->events && !IS(no_event_mode_at_start)) STATE(m) = at_event;
    return status;
}

fmi3Status fmi3EnterEventMode(fmi3Instance c) {
    CHECK(c);
    Outer *m = c;
    if (!allowed(m->of, m->events ? stepping : continuous, "fmi3EnterEventMode")) return fmi3Error;
    STATE(m) = at_event;
    return fmi3OK;
}

fmi3Status fmi3EnterStepMode(fmi3Instance c) {
    CHECK(c);
    Outer *m = c;
    if (!allowed(m->of, m->events ? at_event : 0, "fmi3EnterStepMode")) return fmi3Error;
    STATE(m) = stepping;
    return fmi3OK;
}

fmi3Status fmi3Terminate(fmi3Instance c) { CHECK(c); return S(fmi2Terminate(OF(c))); }
fmi3Status fmi3Reset(fmi3Instance c) { CHECK(c); return S(fmi2Reset(OF(c))); }

#include "values3.h"
#include "stepping3.h"
