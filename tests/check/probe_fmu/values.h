/* Getting and setting values, and directional derivatives. */

#define READABLE (initializing | at_event | continuous | stepping | terminated | in_error)

static fmi2Status no_such(Instance *m, const char *text) {
    if (IS(wrong_reference_ok)) return fmi2OK;
    if (IS(wrong_reference_crashes)) *(volatile int *)8 = 1;
    return refuse(m, text);
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real out[]) {
    Instance *m = c;
    if (!allowed(m, READABLE, "fmi2GetReal")) return fmi2Error;
    if (IS(legal_call_refused) && m->now.state == terminated) return refuse(m, "fmi2GetReal");
    if (IS(null_vector_crashes)) (void)*(volatile const fmi2ValueReference *)vr;
    if (n && (!vr || !out) && !IS(null_values_crash)) return refuse(m, "fmi2GetReal: a null pointer");
    for (size_t i = 0; i < n; i++) {
        if (vr[i] >= REALS) return no_such(m, "fmi2GetReal: no such variable");
        if (IS(get_many_ignored) && i >= 64) break;
        out[i] = value(&m->now, vr[i]);
        if (IS(shared_instances) && vr[i] == Y) out[i] = global_x + output(&m->now) - m->now.real[X];
        if (IS(get_is_stateful) && vr[i] == Y) out[i] += 1e-3 * m->gets++;
        if (IS(order_of_gets) && vr[i] == Y && i == 0) out[i] += 1e-3;
        if (IS(cache_stale) && vr[i] == Y) { if (!m->gets++) m->early = m->now; out[i] = value(&m->early, Y); }
        if (IS(not_deterministic) && vr[i] == Y) { int here; out[i] += 1e-16 * (double)((size_t)&here & 0xffffff0) + 1e-9 * ((size_t)m & 0xffff0); }
        if (IS(outside_range) && vr[i] == Y) out[i] += 1e3;
    }
    return fmi2OK;
}

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Integer out[]) {
    Instance *m = c;
    if (!allowed(m, READABLE, "fmi2GetInteger")) return fmi2Error;
    if (n && (!vr || !out)) return refuse(m, "fmi2GetInteger: a null pointer");
    for (size_t i = 0; i < n; i++) {
        if (vr[i] > 1) return no_such(m, "fmi2GetInteger: no such variable");
        out[i] = vr[i] ? m->now.mode : m->now.count;
    }
    return fmi2OK;
}

fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Boolean out[]) {
    Instance *m = c;
    if (!allowed(m, READABLE, "fmi2GetBoolean")) return fmi2Error;
    if (n && (!vr || !out)) return refuse(m, "fmi2GetBoolean: a null pointer");
    for (size_t i = 0; i < n; i++) {
        if (vr[i] > 0) return no_such(m, "fmi2GetBoolean: no such variable");
        out[i] = m->now.high;
    }
    return fmi2OK;
}

static const char *kept_label;

fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2String out[]) {
    Instance *m = c;
    if (!allowed(m, READABLE, "fmi2GetString")) return fmi2Error;
    if (n && (!vr || !out)) return refuse(m, "fmi2GetString: a null pointer");
    for (size_t i = 0; i < n; i++) {
        if (vr[i] > 0) return no_such(m, "fmi2GetString: no such variable");
        out[i] = IS(string_not_copied) && kept_label ? kept_label : m->now.label;
    }
    return fmi2OK;
}

static int settable(Instance *m, unsigned r) { /* section 2.2.7: which variable in which state */
    switch (m->now.state) {
        case instantiated: return r == X || r == V || r == K || r == C || r == WALL;
        case initializing: return r == X || r == V || r == K || r == C || r == WALL || r == U;
        case continuous: return r == U || r == X || r == V;
        default: return (r == U && !(IS(input_refused_at_event) && m->now.state == at_event)) || (r == C && !IS(tunable_refused));
    }
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real in[]) {
    Instance *m = c;
    if (!allowed(m, instantiated | initializing | at_event | continuous | stepping, "fmi2SetReal")) return fmi2Error;
    for (size_t i = 0; i < n; i++) {
        if (vr[i] >= REALS) return no_such(m, "fmi2SetReal: no such variable");
        if (!settable(m, vr[i])) {
            if (IS(constant_settable)) continue;
            return refuse(m, "fmi2SetReal: this variable can not be set now");
        }
        if (!isfinite(in[i])) {
            if (IS(nan_crashes)) *(volatile int *)8 = 1;
            if (IS(nan_hangs)) for (volatile int i = 0;; i++) {}
            if (IS(fatal_at_nan)) { say(m, fmi2Fatal, "logStatusError", "lost"); return fmi2Fatal; }
            if (IS(discard_without_reason)) return fmi2Discard;
            say(m, fmi2Discard, "logStatusError", "fmi2SetReal: not a finite number");
            return fmi2Discard;
        }
        if (IS(forgets_setting) && vr[i] == C) continue;
        m->now.real[vr[i]] = in[i];
    }
    return fmi2OK;
}

fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer in[]) {
    Instance *m = c;
    if (!allowed(m, instantiated | initializing | at_event | stepping, "fmi2SetInteger")) return fmi2Error;
    for (size_t i = 0; i < n; i++) {
        if (vr[i] != 1 || !(m->now.state & (instantiated | initializing))) return no_such(m, "fmi2SetInteger: can not be set");
        m->now.mode = in[i];
    }
    return fmi2OK;
}

fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Boolean in[]) {
    (void)vr, (void)in;
    return n ? no_such(c, "fmi2SetBoolean: can not be set") : fmi2OK;
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2String in[]) {
    Instance *m = c;
    if (!allowed(m, instantiated | initializing | at_event | stepping, "fmi2SetString")) return fmi2Error;
    for (size_t i = 0; i < n; i++) {
        if (vr[i] || !(m->now.state & (instantiated | initializing)) || !in[i]) return no_such(m, "fmi2SetString: can not be set");
        snprintf(m->now.label, sizeof m->now.label, "%s", in[i]);
        kept_label = in[i];
    }
    return fmi2OK;
}

static double partial(const Values *s, unsigned unknown, unsigned known) {
    int init = s->state == initializing;
    switch (unknown) {
        case X: return known == X;
        case V: return known == V;
        case DER_V:
            if (known == X) return IS(derivative_wrong) ? -s->real[K] * 1.01 : -s->real[K];
            if (known == U) return IS(derivative_sign_of_input) ? -1.0 : 1.0;
            return known == V ? -damping(s) : !init ? 0.0 : known == K ? -s->real[X] : known == C ? -damping(s) / s->real[C] * s->real[V] : 0.0;
        case Y: return known == X ? 1.0 : known != U ? 0.0 : IS(derivative_beside_kink) ? 0.6 : s->real[U] > 0.0 ? 0.5 : 0.0;
        case OMEGA: return known == K ? 0.5 / sqrt(s->real[K]) : 0.0;
        case SAMPLED: return init && known == X;
        default: return 0.0;
    }
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t nu, const fmi2ValueReference known[],
                                        size_t nk, const fmi2Real dk[], fmi2Real du[]) {
    Instance *m = c;
    if (!allowed(m, READABLE, "fmi2GetDirectionalDerivative")) return fmi2Error;
    if (IS(derivative_refused_in_steps) && m->now.state == stepping) return refuse(m, "fmi2GetDirectionalDerivative: not now");
    for (size_t i = 0; i < nu; i++) {
        if (unknown[i] >= REALS) return no_such(m, "fmi2GetDirectionalDerivative: no such variable");
        du[i] = 0.0;
        for (size_t j = 0; j < (IS(first_known_alone) && nk ? 1 : nk); j++) du[i] += partial(&m->now, unknown[i], known[j]) * (IS(seeds_ignored) ? 1.0 : dk[j]);
    }
    return fmi2OK;
}
