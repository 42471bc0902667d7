/* Log, what is allowed when, and an instance from its beginning to its end. */

static double global_x;

static void say(Instance *m, fmi2Status status, const char *category, const char *text) {
    const fmi2CallbackFunctions *call = IS(keeps_callbacks_struct) ? m->given : &m->call;
    if (status == fmi2OK && !m->logging && !IS(logs_when_off)) return;
    if (IS(events_unlogged) && !strcmp(category, "logEvents")) return;
    call->logger(IS(environment_lost) ? NULL : call->componentEnvironment, IS(keeps_strings) ? m->given_name : IS(instance_name_lost) ? "Probe" : m->name, status,
                 IS(unknown_category) ? "somethingElse" : category, text);
}

static fmi2Status refuse(Instance *m, const char *text) {
    if (!IS(error_without_message)) say(m, fmi2Error, "logStatusError", text);
    m->now.state = in_error;
    return fmi2Error;
}

static int allowed(Instance *m, int states, const char *name) {
    if (!m) { if (IS(null_instance_crashes)) *(volatile int *)8 = 1; return 0; }
    if (IS(illegal_call_crashes) && !(m->now.state & states)) *(volatile int *)8 = 1;
    if (m->now.state & states || IS(illegal_taken)) return 1;
    refuse(m, name);
    return 0;
}

const char *fmi2GetTypesPlatform(void) { return IS(wrong_platform) ? "strange" : fmi2TypesPlatform; }
const char *fmi2GetVersion(void) { return IS(wrong_version) ? "1.0" : fmi2Version; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *call, fmi2Boolean visible, fmi2Boolean logging) {
    (void)visible;
    if (!call || !call->logger || !name || !guid) return NULL;
    int known = !strcmp(guid, GUID);
    if (IS(accepts_any_guid)) known = 1;
    if (IS(refuses_its_guid)) known = 0;
    if (!known) {
        if (!IS(silent_about_guid)) call->logger(call->componentEnvironment, name, fmi2Error, "logStatusError", "the GUID is not mine");
        return NULL;
    }
    if (IS(uri_not_decoded)) { /* takes the text behind file:// for a path */
        char path[4096];
        snprintf(path, sizeof path, "%s/table.txt", resources + strlen("file://"));
        FILE *f = fopen(path, "r");
        if (!f) {
            call->logger(call->componentEnvironment, name, fmi2Error, "logStatusError", "table.txt can not be opened");
            return NULL;
        }
        fclose(f);
    }
    if (IS(needs_stepfinished) && !call->stepFinished) *(volatile int *)8 = 1;
    if (IS(prints)) printf("hello from the FMU\n"), fflush(stdout);
    if (IS(writes_file)) { FILE *f = fopen("probe.log", "w"); if (f) fclose(f); }
    if (IS(rounding_changed)) fesetround(FE_UPWARD);
    if (IS(locale_changed)) { if (!setlocale(LC_ALL, "de_DE.UTF-8")) setlocale(LC_ALL, "C.UTF-8"); }
    Instance *m = call->allocateMemory && !IS(leaks_by_malloc) ? call->allocateMemory(1, sizeof *m) : calloc(1, sizeof *m);
    if (IS(leaks)) call->allocateMemory(1, 100000);
    if (IS(leaks_by_malloc)) { m->leaked = malloc(1000000); memset(m->leaked, 1, 1000000); }
    m->call = *call;
    m->given = call;
    m->given_name = name;
    snprintf(m->name, sizeof m->name, "%s", name);
    m->logging = logging;
    defaults(&m->now);
    m->now.is_cs = type == fmi2CoSimulation;
    if (IS(float_trap_left_on)) fedisableexcept(FE_ALL_EXCEPT), feenableexcept(FE_INVALID);
    return m;
}

void fmi2FreeInstance(fmi2Component c) {
    Instance *m = c;
    if (!m) { if (IS(free_null_crashes)) *(volatile int *)8 = 1; return; }
    if (IS(leaks_by_malloc)) { m->leaked = NULL; return; }
    if (m->call.freeMemory) m->call.freeMemory(m); else free(m);
}

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[]) {
    Instance *m = c;
    m->logging = on;
    for (size_t i = 0; i < n; i++)
        if (strcmp(categories[i], "logEvents") && strcmp(categories[i], "logStatusError")) return refuse(m, "unknown log category");
    if (IS(ignores_categories) && n) return refuse(m, "no categories here");
    return fmi2OK;
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start, fmi2Boolean has_stop, fmi2Real stop) {
    Instance *m = c;
    if (!allowed(m, instantiated, "fmi2SetupExperiment")) return fmi2Error;
    if (IS(needs_stop_time) && !has_stop) return refuse(m, "no stop time");
    m->now.tolerance = has_tolerance ? tolerance : 1e-6;
    m->now.start = m->now.real[TIME] = IS(ignores_start_time) ? 0.0 : start;
    m->now.stop = stop;
    m->now.stop_defined = has_stop;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
    Instance *m = c;
    if (!allowed(m, instantiated, "fmi2EnterInitializationMode")) return fmi2Error;
    m->now.state = initializing;
    m->now.real[SAMPLED] = m->now.real[X];
    m->now.high = m->now.real[X] > m->now.real[WALL];
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
    Instance *m = c;
    if (!allowed(m, initializing, "fmi2ExitInitializationMode")) return fmi2Error;
    if (IS(exact_start_changed)) m->now.real[V] *= 1.01;
    if (IS(exact_set_lost)) m->now.real[V] = 1.0;
    m->now.real[SAMPLED] = m->now.real[X];
    m->now.high = m->now.real[X] > m->now.real[WALL];
    m->now.count = 0;
    m->now.next = m->now.start + 0.1;
    m->now.state = m->now.is_cs ? stepping : at_event;
    say(m, fmi2OK, "logEvents", "initialized");
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c) {
    Instance *m = c;
    if (!allowed(m, at_event | continuous | stepping, "fmi2Terminate")) return fmi2Error;
    if (IS(crash_in_terminate)) *(volatile int *)8 = 1;
    m->now.state = terminated;
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component c) {
    Instance *m = c;
    if (!m) return fmi2Error;
    if (IS(reset_dead_after_error) && m->now.state == in_error) return refuse(m, "fmi2Reset");
    double k = m->now.real[K], x = m->now.real[X];
    int cs = m->now.is_cs;
    defaults(&m->now);
    m->now.is_cs = cs;
    if (IS(reset_forgets_parameter)) m->now.real[K] = k;
    if (IS(reset_forgets_state)) m->now.real[X] = x;
    return fmi2OK;
}
