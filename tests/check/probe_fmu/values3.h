/* Values of FMI 3.0: references of arrays are those of their entries, one after the other. */

static double gains[2] = {1.0, 2.0}; /* nothing depends on them */

/* The scalars of FMI 2.0 behind references; their number, 0 if one is unknown. */
static size_t scalars(const fmi3ValueReference vr[], size_t n, fmi2ValueReference out[], size_t room) {
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        if (k + 2 > room) return 0;
        if (vr[i] == PAIR) out[k++] = X, out[k++] = V;
        else if (vr[i] == DER_PAIR) out[k++] = V, out[k++] = DER_V;
        else out[k++] = vr[i];
    }
    return k;
}

#define ROOM 4096

fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 out[], size_t values) {
    CHECK(c);
    Outer *m = c;
    fmi2ValueReference own[ROOM];
    if (n && (!vr || !out) && !IS(null_values_crash)) return S(refuse(m->of, "fmi3GetFloat64: a null pointer"));
    if (IS(null_vector_crashes)) (void)*(volatile const fmi3ValueReference *)vr;
    if (n == 1 && vr[0] == GAIN && values == 2) { memcpy(out, gains, sizeof gains); return fmi3OK; }
    for (size_t i = 0; n > 1 && i < n; i++) if (vr[i] == GAIN || vr[i] == INDICATOR) { /* one by one */
        for (size_t j = 0; j < n; j++) {
            size_t size = vr[j] == PAIR || vr[j] == DER_PAIR || vr[j] == GAIN ? 2 : 1;
            if (fmi3GetFloat64(c, vr + j, 1, out, size) != fmi3OK) return fmi3Error;
            out += size;
        }
        return fmi3OK;
    }
    if (n == 1 && vr[0] == INDICATOR) { out[0] = indicator(&m->of->now); return fmi3OK; }
    if (n == 1 && STATE(m) == instantiated && vr[0] < REALS) { out[0] = m->of->now.real[vr[0]]; return fmi3OK; }
    size_t k = scalars(vr, n, own, ROOM);
    if (k != values) return S(refuse(m->of, "fmi3GetFloat64: nValues is wrong"));
    if (m->between) { for (size_t i = 0; i < k; i++) out[i] = IS(update_get_wrong) ? NAN : value(&m->of->now, own[i]); return IS(update_get_refused) ? fmi3Error : fmi3OK; }
    if (IS(array_transposed) && n == 1 && vr[0] == PAIR) { out[0] = m->of->now.real[V], out[1] = m->of->now.real[X]; return fmi3OK; }
    return S(fmi2GetReal(m->of, own, k, out));
}

fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Float64 in[], size_t values) {
    CHECK(c);
    Outer *m = c;
    fmi2ValueReference own[ROOM];
    if (n && (!vr || !in)) return S(refuse(m->of, "fmi3SetFloat64: a null pointer"));
    if (n == 1 && vr[0] == GAIN && values == 2) {
        if (!(STATE(m) & (instantiated | initializing | at_event | stepping))) return S(refuse(m->of, "fmi3SetFloat64: not now"));
        if (!IS(array_not_set)) memcpy(gains, in, sizeof gains);
        return fmi3OK;
    }
    size_t k = scalars(vr, n, own, ROOM);
    if (k != values) return S(refuse(m->of, "fmi3SetFloat64: nValues is wrong"));
    if (m->between && IS(update_set_refused)) return fmi3Error;
    if (n == 1 && vr[0] == U && STATE(m) == instantiated) { m->of->now.real[U] = in[0]; return fmi3OK; } /* its initial is exact */
    return S(fmi2SetReal(m->of, own, k, in));
}

fmi3Status fmi3GetInt32(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Int32 out[], size_t values) {
    CHECK(c);
    fmi2ValueReference own[ROOM];
    if (n && (!vr || !out)) return S(refuse(OF(c), "fmi3GetInt32: a null pointer"));
    for (size_t i = 0; i < n && i < ROOM; i++) own[i] = vr[i] == COUNT ? 0 : 99;
    return n == values ? S(fmi2GetInteger(OF(c), own, n, out)) : S(refuse(OF(c), "fmi3GetInt32: nValues"));
}
fmi3Status fmi3SetInt32(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Int32 in[], size_t values) {
    CHECK(c);
    (void)vr, (void)in, (void)values;
    return n ? S(no_such(OF(c), "fmi3SetInt32: can not be set")) : fmi3OK;
}
fmi3Status fmi3GetInt64(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Int64 out[], size_t values) {
    CHECK(c);
    Outer *m = c;
    (void)values;
    for (size_t i = 0; i < n; i++) {
        if (vr[i] != MODE) return S(no_such(m->of, "fmi3GetInt64: no such variable"));
        out[i] = m->of->now.mode;
    }
    return fmi3OK;
}
fmi3Status fmi3SetInt64(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Int64 in[], size_t values) {
    CHECK(c);
    Outer *m = c;
    (void)values;
    for (size_t i = 0; i < n; i++) {
        if (vr[i] != MODE || !(STATE(m) & (instantiated | initializing))) return S(no_such(m->of, "fmi3SetInt64: can not be set"));
        m->of->now.mode = (int)in[i];
    }
    return fmi3OK;
}
fmi3Status fmi3GetBoolean(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Boolean out[], size_t values) {
    CHECK(c);
    Outer *m = c;
    (void)values;
    for (size_t i = 0; i < n; i++) {
        if (vr[i] != HIGH) return S(no_such(m->of, "fmi3GetBoolean: no such variable"));
        out[i] = m->of->now.high;
    }
    return fmi3OK;
}
fmi3Status fmi3SetBoolean(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Boolean in[], size_t values) {
    CHECK(c);
    (void)vr, (void)in, (void)values;
    return n ? S(no_such(OF(c), "fmi3SetBoolean: can not be set")) : fmi3OK;
}
fmi3Status fmi3GetString(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3String out[], size_t values) {
    CHECK(c);
    Outer *m = c;
    (void)values;
    for (size_t i = 0; i < n; i++) {
        if (vr[i] != LABEL) return S(no_such(m->of, "fmi3GetString: no such variable"));
        out[i] = IS(string_not_copied) && kept_label ? kept_label : m->of->now.label;
    }
    return fmi3OK;
}
fmi3Status fmi3SetString(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3String in[], size_t values) {
    CHECK(c);
    Outer *m = c;
    (void)values;
    for (size_t i = 0; i < n; i++) {
        if (vr[i] != LABEL) return S(no_such(m->of, "fmi3SetString: no such variable"));
        fmi2ValueReference zero = 0;
        if (fmi2SetString(m->of, &zero, 1, &in[i]) != fmi2OK) return fmi3Error;
    }
    return fmi3OK;
}

#define NO_VALUES(kind) \
    fmi3Status fmi3Get##kind(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3##kind out[], size_t values) { CHECK(c); (void)vr, (void)out, (void)values; return n ? S(no_such(OF(c), "fmi3Get" #kind)) : fmi3OK; } \
    fmi3Status fmi3Set##kind(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3##kind in[], size_t values) { CHECK(c); (void)vr, (void)in, (void)values; return n ? S(no_such(OF(c), "fmi3Set" #kind)) : fmi3OK; }
NO_VALUES(Float32) NO_VALUES(Int8) NO_VALUES(UInt8) NO_VALUES(Int16) NO_VALUES(UInt16) NO_VALUES(UInt32) NO_VALUES(UInt64)

fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t n, size_t sizes[], fmi3Binary out[], size_t values) { (void)c, (void)vr, (void)sizes, (void)out, (void)values; return n ? fmi3Error : fmi3OK; }
fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const size_t sizes[], const fmi3Binary in[], size_t values) { (void)c, (void)vr, (void)sizes, (void)in, (void)values; return n ? fmi3Error : fmi3OK; }
fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Clock out[]) { (void)c, (void)vr, (void)out; return n ? fmi3Error : fmi3OK; }
fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Clock in[]) { (void)c, (void)vr, (void)in; return n ? fmi3Error : fmi3OK; }

fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state) { CHECK(c); return S(fmi2GetFMUstate(OF(c), state)); }
fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state) { CHECK(c); return S(fmi2SetFMUstate(OF(c), state)); }
fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state) { CHECK(c); return S(fmi2FreeFMUstate(OF(c), state)); }
fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size) { CHECK(c); return S(fmi2SerializedFMUstateSize(OF(c), state, size)); }
fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte out[], size_t size) { CHECK(c); return S(fmi2SerializeFMUstate(OF(c), state, (fmi2Byte *)out, size)); }
fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte in[], size_t size, fmi3FMUState *state) { CHECK(c); return S(fmi2DeSerializeFMUstate(OF(c), (const fmi2Byte *)in, size, state)); }

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference unknowns[], size_t nu, const fmi3ValueReference knowns[], size_t nk,
                                        const fmi3Float64 seed[], size_t ns, fmi3Float64 out[], size_t no) {
    CHECK(c);
    fmi2ValueReference u[ROOM], k[ROOM];
    if (!unknowns || !knowns || !seed || !out || scalars(unknowns, nu, u, ROOM) != no || scalars(knowns, nk, k, ROOM) != ns) return S(refuse(OF(c), "fmi3GetDirectionalDerivative: counts"));
    return S(fmi2GetDirectionalDerivative(OF(c), u, no, k, ns, seed, out));
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const fmi3ValueReference unknowns[], size_t nu, const fmi3ValueReference knowns[], size_t nk,
                                    const fmi3Float64 seed[], size_t ns, fmi3Float64 out[], size_t no) {
    CHECK(c);
    Outer *m = c;
    fmi2ValueReference u[ROOM], k[ROOM];
    if (!allowed(m->of, READABLE, "fmi3GetAdjointDerivative")) return fmi3Error;
    if (!unknowns || !knowns || !seed || !out || scalars(unknowns, nu, u, ROOM) != ns || scalars(knowns, nk, k, ROOM) != no) return S(refuse(m->of, "fmi3GetAdjointDerivative: counts"));
    for (size_t j = 0; j < no; j++) {
        out[j] = 0.0;
        for (size_t i = 0; i < ns; i++) out[j] += seed[i] * partial(&m->of->now, u[i], k[j]) * (IS(adjoint_wrong) ? 1.1 : 1.0);
    }
    if (IS(adjoint_wrong_in_steps) && STATE(m) == stepping) out[0] += 1.0;
    return fmi3OK;
}
