/* States that are saved, restored and serialized. */

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) {
    Instance *m = c;
    if (IS(state_saved_once) && *state) return fmi2OK;
    if (!*state) *state = m->call.allocateMemory ? m->call.allocateMemory(1, sizeof(Values)) : calloc(1, sizeof(Values));
    memcpy(*state, &m->now, sizeof(Values));
    return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
    Instance *m = c;
    if (!state || IS(state_restore_fails)) return refuse(m, "fmi2SetFMUstate");
    int count = m->now.count;
    memcpy(&m->now, state, sizeof(Values));
    if (IS(state_forgets_count) || (IS(state_forgets_late) && count > 10)) m->now.count = count;
    return fmi2OK;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) {
    Instance *m = c;
    if (!state || !*state) return fmi2OK;
    if (m->call.freeMemory) m->call.freeMemory(*state); else free(*state);
    if (!IS(free_state_keeps_pointer)) *state = NULL;
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size) {
    (void)c, (void)state;
    *size = sizeof(Values);
    return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte out[], size_t size) {
    if (size < sizeof(Values)) return refuse(c, "fmi2SerializeFMUstate: too small");
    memcpy(out, state, IS(serialize_short) ? 40 : sizeof(Values));
    if (IS(serialized_pointer)) memset(out, 0, sizeof(Values)), memcpy(out, &state, sizeof state);
    return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte in[], size_t size, fmi2FMUstate *state) {
    Instance *m = c;
    if (size < sizeof(Values) && !IS(foreign_state_taken)) return refuse(m, "fmi2DeSerializeFMUstate: too small");
    if (!*state) *state = m->call.allocateMemory ? m->call.allocateMemory(1, sizeof(Values)) : calloc(1, sizeof(Values));
    if (IS(serialized_pointer)) { void *old; memcpy(&old, in, sizeof old); memcpy(*state, old, sizeof(Values)); return fmi2OK; }
    memcpy(*state, in, size < sizeof(Values) ? size : sizeof(Values));
    if (IS(deserialized_without_count)) ((Values *)*state)->count = 0;
    return fmi2OK;
}
