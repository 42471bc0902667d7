/* A game of calls of FMI in any order with any values, the same of both versions: fmi2.c and fmi3.c have what differs, and include this. A call of
 * the version is FMI(name), by the name that it has in 3.0; and there are, each with what its version has of it:
 *
 *     make       an instance, or none        enter     sets the experiment up and enters initialization
 *     discrete   a pass of event mode        settled   leaves event mode
 *     get, set, derive, step                 set_method   of a variable that may be solver.method
 *     OWN        calls that the version has alone */

typedef FMI(Status) Call(Player *);

static Player players[2];
static FMI(ValueReference) references[MOST_VALUES], others[MOST_VALUES];
static FMI(Float64) reals[ROOM], found[ROOM];

static FMI(Instance) make(Player *p);
static FMI(Status) enter(Player *p, int has_tolerance, double tolerance, int has_stop, double stop), discrete(Player *p), settled(Player *p);
static FMI(Status) set_method(Player *p, FMI(ValueReference) reference, int method);
static Call get, set, derive, step;

static size_t numbers(size_t count) {
    for (size_t i = 0; i < count; i++) reals[i] = fuzz_number();
    return count;
}

static void finite(FMI(Status) status, const FMI(Float64) *values, size_t count) {
    for (size_t i = 0; i < count && status == FMI(OK); i++) FUZZ_DEMAND(isfinite(values[i]));
}

static FMI(Status) start(Player *p) {
    static const double stops[] = {0.5, 50.0, 1e9, -1.0}, tolerances[] = {1e-4, 1e-9, 0.0, 1e-16, 2.0};
    p->t = fuzz_one_in(20) ? fuzz_number() : 0.0;
    int has_tolerance = fuzz_one_in(2), has_stop = fuzz_one_in(2);
    double tolerance = tolerances[fuzz_below(5)], stop = stops[fuzz_below(4)];
    FMI(Status) status = enter(p, has_tolerance, tolerance, has_stop, stop);
    if (fuzz_below(10) < 9) status = FMI(ExitInitializationMode)(p->c);
    if ((p->exchange || p->event_mode) && fuzz_below(10) < 8) discrete(p), status = settled(p);
    return status;
}

static FMI(Status) choose_method(Player *p) {
    int method = fuzz_below(8);
    for (FMI(ValueReference) i = (FMI(ValueReference))fuzz_references; i-- > 0;)
        if (set_method(p, i, method) == FMI(OK)) break;
    return FMI(OK);
}

static FMI(Status) reset(Player *p) {
    FMI(Status) status = FMI(Reset)(p->c);
    if (fuzz_one_in(3)) choose_method(p);
    return fuzz_below(10) < 8 ? start(p) : status;
}

static FMI(Status) keep(Player *p) {
    int place = fuzz_below(MOST_KEPT);
    p->kept_at[place] = p->t;
    return FMI(GetFMUState)(p->c, fuzz_one_in(30) ? NULL : &p->kept[place]);
}

static FMI(Status) back(Player *p) {
    int place = fuzz_below(MOST_KEPT);
    Player *of = fuzz_one_in(8) ? &players[p == players] : p; /* the other one's, perhaps of the other FMI type */
    p->t = of->kept_at[place];
    return FMI(SetFMUState)(p->c, of->kept[place]);
}

static FMI(Status) forget(Player *p) { return FMI(FreeFMUState)(p->c, fuzz_one_in(30) ? NULL : &p->kept[fuzz_below(MOST_KEPT)]); }

/* By Euler's method, a legal host's way, or one call of a model exchange. */
static FMI(Status) integrate(Player *p) {
    FMI(Boolean) enter_event, terminate;
    size_t nx = (size_t)fuzz_states + fuzz_one_in(50), ng = (size_t)fuzz_indicators + fuzz_one_in(50);
    switch (fuzz_below(8)) {
        case 0: return FMI(SetTime)(p->c, p->t = fuzz_one_in(5) ? fuzz_number() : p->t + 0.01);
        case 1: return FMI(SetContinuousStates)(p->c, reals, numbers(nx));
        case 2:
            return FMI(CompletedIntegratorStep)(p->c, fuzz_one_in(2), fuzz_one_in(20) ? NULL : &enter_event, fuzz_one_in(20) ? NULL : &terminate);
        case 3: return FMI(GetContinuousStateDerivatives)(p->c, found, nx);
        case 4: return FMI(GetEventIndicators)(p->c, found, ng);
        case 5: return FMI(GetNominalsOfContinuousStates)(p->c, found, nx);
    }
    nx = (size_t)fuzz_states, ng = (size_t)fuzz_indicators;
    FMI(Status) status = FMI(GetContinuousStates)(p->c, reals, nx);
    if (status != FMI(OK) || FMI(GetContinuousStateDerivatives)(p->c, found, nx) != FMI(OK)) return status;
    for (size_t i = 0; i < nx; i++) reals[i] += 0.01 * found[i];
    FMI(SetTime)(p->c, p->t += 0.01);
    FMI(SetContinuousStates)(p->c, reals, nx);
    FMI(GetEventIndicators)(p->c, found, ng);
    return FMI(CompletedIntegratorStep)(p->c, 1, &enter_event, &terminate);
}

/* What was taken must serve. */
static void run(Player *p) {
    get(p);
    p->exchange ? integrate(p) : step(p);
    get(p);
}

static FMI(Status) spoil(Player *p) {
    FMI(FMUState) state = NULL, made = NULL;
    size_t size = 0;
    if (FMI(GetFMUState)(p->c, &state) != FMI(OK) || FMI(SerializedFMUStateSize)(p->c, state, &size) != FMI(OK)) {
        FMI(FreeFMUState)(p->c, &state);
        return FMI(OK);
    }
    FMI(Byte) *bytes = malloc(size);
    FUZZ_DEMAND(bytes);
    if (FMI(SerializeFMUState)(p->c, state, bytes, size) == FMI(OK)) {
        size_t wrong = fuzz_spoil((uint8_t *)bytes, size);
        FMI(Status) status = FMI(DeserializeFMUState)(p->c, bytes, wrong, &made);
        FUZZ_DEMAND(wrong == size || status != FMI(OK));
        if (status == FMI(OK) && FMI(SetFMUState)(p->c, made) == FMI(OK)) fuzz.accepted++, run(p);
        else if (fuzz_one_in(2)) FMI(SetFMUState)(p->c, state); /* out of the error state */
    }
    free(bytes);
    FMI(FreeFMUState)(p->c, &made);
    return FMI(FreeFMUState)(p->c, &state);
}

static FMI(Status) event(Player *p) {
    if (!p->exchange && !p->event_mode && !fuzz_one_in(10)) return FMI(OK);
    FMI(EnterEventMode)(p->c);
    FMI(Status) status = discrete(p);
    return fuzz_one_in(3) ? status : settled(p);
}

static FMI(Status) debug(Player *p) {
    const char *const names[] = {"logAll", "logSolver", "logEvents", NULL, "nothing"};
    return FMI(SetDebugLogging)(p->c, fuzz_one_in(2), (size_t)fuzz_below(3), fuzz_one_in(9) ? NULL : names + fuzz_below(4));
}

static FMI(Status) end(Player *p) { return fuzz_one_in(5) ? FMI(Terminate)(p->c) : FMI(OK); }

static Call *const calls[] = {start, start, reset, get, get, set, set, keep, back, forget, spoil, derive, step, step, step, step, debug, event, event,
                              integrate, integrate, integrate, end, choose_method, OWN};

static void fuzz_game(long long count, int states) {
    memset(players, 0, sizeof players);
    for (int i = 0; i < 2; i++) {
        players[i].c = make(&players[i]);
        if (players[i].c && !fuzz_one_in(4)) start(&players[i]);
    }
    for (long long i = 0; i < count && (!fuzz.bytes || fuzz.left); i++) {
        Player *p = &players[fuzz_below(2)];
        FMI(Status) status = states && fuzz_below(4) ? spoil(p) : calls[fuzz_below(sizeof calls / sizeof *calls)](p);
        FUZZ_DEMAND((int)status >= FMI(OK) && status <= FMI(Error));
        fuzz.calls++;
        if (status == FMI(Error) && fuzz_one_in(2)) reset(p);
    }
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < MOST_KEPT; k++) FMI(FreeFMUState)(players[i].c, &players[i].kept[k]);
        for (int k = 0; k < MOST_KEPT; k++) free(players[i].kept[k]); /* those of an instance that was never made are the host's own */
        FMI(FreeInstance)(players[i].c);
    }
}
