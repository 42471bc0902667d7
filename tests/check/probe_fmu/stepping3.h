/* Events, steps and intermediate updates of FMI 3.0; what the FMU does not have. */

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *needed, fmi3Boolean *terminate, fmi3Boolean *nominals, fmi3Boolean *values, fmi3Boolean *defined, fmi3Float64 *next) {
    CHECK(c);
    fmi2EventInfo info;
    if (IS(event_info_untouched_on_error) && !(STATE((Outer *)c) & at_event)) return S(refuse(OF(c), "fmi3UpdateDiscreteStates"));
    fmi2Status status = fmi2NewDiscreteStates(OF(c), &info);
    *needed = info.newDiscreteStatesNeeded == 1, *terminate = info.terminateSimulation == 1;
    if (IS(event_info_untouched)) return S(status);
    *nominals = info.nominalsOfContinuousStatesChanged == 1;
    *values = info.valuesOfContinuousStatesChanged == 1;
    *defined = info.nextEventTimeDefined == 1, *next = info.nextEventTime;
    return S(status);
}

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) {
    CHECK(c);
    if (((Outer *)c)->of->now.is_cs) return S(refuse(OF(c), "fmi3EnterContinuousTimeMode"));
    return S(fmi2EnterContinuousTimeMode(OF(c)));
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean keep, fmi3Boolean *event_mode, fmi3Boolean *end) {
    CHECK(c);
    fmi2Boolean a = 0x5a, b = 0x5a;
    fmi2Status status = fmi2CompletedIntegratorStep(OF(c), keep, &a, &b);
    if (a != 0x5a) *event_mode = a;
    if (b != 0x5a) *end = b;
    return S(status);
}

fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 time) { CHECK(c); return S(fmi2SetTime(OF(c), time)); }
fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 x[], size_t nx) { CHECK(c); return S(fmi2SetContinuousStates(OF(c), x, nx)); }
fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 dx[], size_t nx) { CHECK(c); return S(fmi2GetDerivatives(OF(c), dx, nx)); }
fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 z[], size_t nz) { CHECK(c); return S(fmi2GetEventIndicators(OF(c), z, nz)); }
fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t nx) { CHECK(c); return S(fmi2GetContinuousStates(OF(c), x, nx)); }
fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t nx) { CHECK(c); return S(fmi2GetNominalsOfContinuousStates(OF(c), x, nx)); }
fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *n) { CHECK(c); *n = IS(count_wrong) ? 2 : 1; return fmi3OK; }
fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *n) { CHECK(c); *n = 2; return fmi3OK; }

fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Int32 order[], fmi3Float64 out[], size_t values) {
    CHECK(c);
    fmi2ValueReference own[ROOM];
    fmi2Integer orders[ROOM];
    if (!allowed(OF(c), stepping | at_event | terminated | in_error, "fmi3GetOutputDerivatives")) return fmi3Error;
    size_t k = scalars(vr, n, own, ROOM);
    if (k != values) return S(refuse(OF(c), "fmi3GetOutputDerivatives: nValues"));
    for (size_t i = 0; i < k; i++) orders[i] = order[0];
    return S(fmi2GetRealOutputDerivatives(OF(c), own, k, orders, out));
}

/* Tells the host of an accepted instant; whether it asks for an early return. */
static int between(Outer *m, double time) {
    fmi3Boolean requested = fmi3False;
    fmi3Float64 when = 0.0;
    double *x = &m->of->now.real[X], kept = *x;
    if (!m->update) return 0;
    if (IS(update_disturbs)) m->of->now.real[V] *= 0.99;
    m->between = 1;
    if (IS(update_end_wrong)) *x += 0.001;
    m->update(m->environment, IS(update_time_wrong) ? time + 10.0 : time, fmi3True, fmi3True, fmi3True, m->early, &requested, &when);
    m->between = 0;
    if (IS(update_end_wrong)) *x = kept;
    return requested && m->early && !IS(update_never_early);
}

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean keep, fmi3Boolean *event_needed, fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *last) {
    CHECK(c);
    Outer *m = c;
    Values *now = &m->of->now;
    double end = t + h;
    if (IS(update_demanded) && !m->update) return S(refuse(m->of, "fmi3DoStep: no callback"));
    if (IS(step_answers_untouched)) { fmi3Boolean a, b, d; event_needed = &a, terminate = &b, early = &d; }
    *event_needed = IS(event_unasked) && t > 0.5, *terminate = fmi3False, *early = fmi3False, *last = t;
    int returned = 0;
    if (h < 1e3 && now->state == stepping && h > 0.0) for (int part = 1; part < 4 && !returned; part++) { /* quarters, with a look in between */
        double middle = t + h * part / 4;
        if (!m->update || fabs(now->real[TIME] - (t + h * (part - 1) / 4)) > 1e-9 * fmax(1.0, fabs(t))) break;
        double stop = now->stop;
        if (fmi2DoStep(m->of, now->real[TIME], middle - now->real[TIME], keep) != fmi2OK) return fmi3Error;
        now->stop = stop;
        returned = between(m, middle);
    }
    if (returned) { *early = fmi3True; *last = now->real[TIME]; return fmi3OK; }
    if ((m->early && m->events) || IS(early_unasked)) { /* ends where it bounces */
        now->bounced = 0;
        Values before = *now;
        fmi2Status status = fmi2DoStep(m->of, now->real[TIME], end - now->real[TIME], keep);
        if (status != fmi2OK) return S(status);
        if (now->bounced) {
            double low = 0.0, up = end - before.real[TIME];
            for (int i = 0; i < 40; i++) {
                double at = (low + up) / 2;
                Values tried = before;
                advance(&tried, before.real[TIME] + at);
                if (tried.bounced) up = at; else low = at;
            }
            *now = before;
            advance(now, before.real[TIME] + up);
            *early = fmi3True;
            *event_needed = m->events;
            *last = IS(early_time_wrong) ? end + h : IS(event_stuck) ? t : now->real[TIME];
            if (IS(event_stuck)) *now = before;
            return fmi3OK;
        }
    } else {
        fmi2Status status = fmi2DoStep(m->of, now->real[TIME], end - now->real[TIME], keep);
        if (status != fmi2OK) return S(status);
    }
    if (IS(event_mode_differs) && m->events) now->real[V] *= 0.99;
    between(m, end);
    *last = IS(last_time_wrong) ? 0.0 : now->real[TIME];
    return fmi3OK;
}

#define NOT_THERE_BUT(fault, answer, name, ...) fmi3Status name(__VA_ARGS__) { CHECK(c); if (IS(fault)) { answer; return fmi3OK; } return S(refuse(OF(c), #name ": not there")); }
#define NOT_THERE(name, ...) fmi3Status name(__VA_ARGS__) { CHECK(c); return S(refuse(OF(c), #name ": not there")); }
NOT_THERE_BUT(element_depends_more, *n = 1, fmi3GetNumberOfVariableDependencies, fmi3Instance c, fmi3ValueReference vr, size_t *n)
NOT_THERE_BUT(element_depends_more, (a[0] = d[0] = 0, b[0] = WALL, e[0] = fmi3Dependent), fmi3GetVariableDependencies, fmi3Instance c, fmi3ValueReference vr, size_t a[], fmi3ValueReference b[], size_t d[], fmi3DependencyKind e[], size_t n)
NOT_THERE(fmi3EnterConfigurationMode, fmi3Instance c)
NOT_THERE(fmi3ExitConfigurationMode, fmi3Instance c)
NOT_THERE(fmi3GetIntervalDecimal, fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 a[], fmi3IntervalQualifier q[])
NOT_THERE(fmi3GetIntervalFraction, fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3UInt64 a[], fmi3UInt64 b[], fmi3IntervalQualifier q[])
NOT_THERE(fmi3GetShiftDecimal, fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 a[])
NOT_THERE(fmi3GetShiftFraction, fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3UInt64 a[], fmi3UInt64 b[])
NOT_THERE(fmi3SetIntervalDecimal, fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Float64 a[])
NOT_THERE(fmi3SetIntervalFraction, fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3UInt64 a[], const fmi3UInt64 b[])
NOT_THERE(fmi3SetShiftDecimal, fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Float64 a[])
NOT_THERE(fmi3SetShiftFraction, fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3UInt64 a[], const fmi3UInt64 b[])
NOT_THERE(fmi3EvaluateDiscreteStates, fmi3Instance c)
#ifndef WITHOUT_CANCEL
NOT_THERE(fmi3ActivateModelPartition, fmi3Instance c, fmi3ValueReference vr, fmi3Float64 t)
#endif
