/* Model exchange. */

fmi2Status fmi2EnterEventMode(fmi2Component c) {
    Instance *m = c;
    if (!allowed(m, at_event | continuous, "fmi2EnterEventMode")) return fmi2Error;
    m->now.state = at_event;
    return fmi2OK;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
    Instance *m = c;
    if (!(m->now.state & at_event) && IS(event_info_untouched_on_error)) return refuse(m, "fmi2NewDiscreteStates");
    memset(info, 0, sizeof *info);
    if (IS(event_info_untouched)) memset(info, 0x5a, sizeof *info);
    if (!allowed(m, at_event, "fmi2NewDiscreteStates")) return fmi2Error;
    int jumped = event(&m->now);
    if (jumped) say(m, fmi2OK, "logEvents", "bounced");
    if (IS(event_info_untouched)) info->newDiscreteStatesNeeded = info->terminateSimulation = fmi2False;
    else {
        info->newDiscreteStatesNeeded = jumped || IS(events_endless);
        info->valuesOfContinuousStatesChanged = IS(states_changed_wrongly) ? fmi2True : IS(state_changed_unsaid) ? fmi2False : jumped;
        info->nextEventTimeDefined = isfinite(m->now.next);
        info->nextEventTime = IS(event_time_in_past) ? m->now.real[TIME] - 1.0 : m->now.next;
    }
    return fmi2OK;
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
    Instance *m = c;
    if (!allowed(m, at_event, "fmi2EnterContinuousTimeMode")) return fmi2Error;
    m->now.state = continuous;
    m->now.completed = m->now.real[TIME];
    m->now.bounced = IS(indicator_zero) && m->now.bounced;
    return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean keep, fmi2Boolean *event_mode, fmi2Boolean *end) {
    Instance *m = c;
    (void)keep;
    if (!allowed(m, continuous, "fmi2CompletedIntegratorStep")) return fmi2Error;
    m->now.bounced = 0;
    m->now.completed = m->now.real[TIME];
    if (IS(completed_step_untouched)) return fmi2OK;
    *event_mode = IS(drift_events) || IS(completed_step_asks);
    if (IS(completed_step_moves)) m->now.real[C] = 0.2;
    *end = fmi2False;
    return fmi2OK;
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) {
    Instance *m = c;
    if (!allowed(m, at_event | continuous, "fmi2SetTime")) return fmi2Error;
    m->now.real[TIME] = time;
    return fmi2OK;
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t nx) {
    Instance *m = c;
    if (!allowed(m, continuous, "fmi2SetContinuousStates")) return fmi2Error;
    if (nx != 2) return refuse(m, "fmi2SetContinuousStates: nx is not 2");
    memcpy(m->now.real + X, x, 2 * sizeof *x);
    if (IS(states_rounded)) m->now.real[X] = (float)m->now.real[X];
    return fmi2OK;
}

#define ME_READABLE (initializing | at_event | continuous | terminated | in_error)

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real dx[], size_t nx) {
    Instance *m = c;
    if (!allowed(m, ME_READABLE, "fmi2GetDerivatives")) return fmi2Error;
    if (nx != 2) return refuse(m, "fmi2GetDerivatives: nx is not 2");
    if (IS(derivatives_discarded) || (IS(short_sighted) && m->now.real[TIME] > m->now.completed + 0.02)) {
        say(m, fmi2Discard, "logStatusError", "fmi2GetDerivatives: out of sight");
        return fmi2Discard;
    }
    rates(&m->now, dx);
    return fmi2OK;
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real z[], size_t nz) {
    Instance *m = c;
    if (!allowed(m, ME_READABLE, "fmi2GetEventIndicators")) return fmi2Error;
    if (nz != 1) return refuse(m, "fmi2GetEventIndicators: nz is not 1");
    z[0] = indicator(&m->now);
    return fmi2OK;
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t nx) {
    Instance *m = c;
    if (!allowed(m, ME_READABLE, "fmi2GetContinuousStates")) return fmi2Error;
    if (nx != 2) return refuse(m, "fmi2GetContinuousStates: nx is not 2");
    for (int i = 0; i < 2; i++) x[i] = m->now.real[IS(state_order_wrong) ? V - i : X + i];
    return fmi2OK;
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x[], size_t nx) {
    if (!allowed(c, instantiated | ME_READABLE, "fmi2GetNominalsOfContinuousStates")) return fmi2Error;
    for (size_t i = 0; i < nx; i++) x[i] = IS(nominal_zero) ? 0.0 : 1.0;
    return fmi2OK;
}
