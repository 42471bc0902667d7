/* FMI 2.0: saving and restoring the complete state (section 2.1.8).
 *
 * A saved state is a header and a copy of the block of everything that varies. It is its own serialization. */
#include <stdint.h>
#include <string.h>

#include "calls.h"
#include "instance.h"
#include "saved.h"

#define MAGIC   0x31554d4665636170u /* "paceFMU1" */
#define VERSION 3u

typedef struct {
    uint64_t magic, version, bytes, guid, checksum;
} Header;

/* FNV-1a, 64 bits */
static uint64_t hash(const void *data, size_t bytes) {
    uint64_t value = 0xcbf29ce484222325u;
    for (size_t i = 0; i < bytes; i++) value = (value ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
    return value;
}

static size_t block_bytes(const Instance *instance) { return instance->s.block_length * sizeof(double); }

static size_t state_bytes(const Instance *instance) { return sizeof(Header) + block_bytes(instance); }

/* NULL when the bytes are a state of this FMU, else what is wrong with them. */
static const char *fault_of_state(Instance *instance, const void *bytes) {
    Simulation *s = &instance->s;
    Header header;
    memcpy(&header, bytes, sizeof header);
    if (header.magic != MAGIC) return "these bytes are not a saved state";
    if (header.version != VERSION) return "the state was saved by another version";
    if (header.guid != hash(model.guid, strlen(model.guid))) return "the state belongs to an FMU with another GUID";
    if (header.bytes != block_bytes(instance)) return "the state has another size";
    if (header.checksum != hash((const char *)bytes + sizeof header, header.bytes))
        return "the state is damaged: its checksum does not fit";
    double *saved = instance->before; /* a copy: the host's bytes need not be aligned */
    memcpy(saved, (const char *)bytes + sizeof header, header.bytes);
    if (((Scalars *)saved)->exchange != s->now->exchange)
        return "the state is of the other FMI type (co-simulation or model exchange)";
    return inspect_block(s, saved, modes_of(s->now->exchange != 0.0)) ? s->e.reason : NULL;
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *FMUstate) {
    Instance *instance = admit(c, GET_STATE);
    if (!instance) return fmi2Error;
    if (!FMUstate) return refuse(instance, fmi2Error, "fmi2GetFMUstate: the state is NULL");
    if (!*FMUstate) *FMUstate = host_allocate(&instance->host, state_bytes(instance));
    if (!*FMUstate) return refuse(instance, fmi2Error, "fmi2GetFMUstate: the host gave no memory");
    char *to = *FMUstate;
    Header header = {MAGIC, VERSION, block_bytes(instance), hash(model.guid, strlen(model.guid)),
                     hash(instance->s.now, block_bytes(instance))};
    memcpy(to, &header, sizeof header);
    memcpy(to + sizeof header, instance->s.now, block_bytes(instance));
    return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate FMUstate) {
    Instance *instance = admit(c, SET_STATE);
    if (!instance) return fmi2Error;
    const char *fault = FMUstate ? fault_of_state(instance, FMUstate) : "the state is NULL";
    if (fault) return refuse(instance, fmi2Error, "fmi2SetFMUstate: %s", fault);
    memcpy(instance->s.now, (const char *)FMUstate + sizeof(Header), block_bytes(instance));
    forget_work(&instance->s);
    return fmi2OK;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *FMUstate) {
    Instance *instance = admit(c, FREE_STATE);
    if (!instance) return fmi2Error;
    if (!FMUstate || !*FMUstate) return fmi2OK;
    host_free(&instance->host, *FMUstate);
    *FMUstate = NULL;
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate FMUstate, size_t *size) {
    Instance *instance = admit(c, SERIALIZED_SIZE);
    if (!instance) return fmi2Error;
    if (!FMUstate || !size) return refuse(instance, fmi2Error, "fmi2SerializedFMUstateSize: an argument is NULL");
    *size = state_bytes(instance);
    return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate FMUstate, fmi2Byte serializedState[], size_t size) {
    Instance *instance = admit(c, SERIALIZE);
    if (!instance) return fmi2Error;
    if (!FMUstate || !serializedState) return refuse(instance, fmi2Error, "fmi2SerializeFMUstate: an argument is NULL");
    if (size < state_bytes(instance))
        return refuse(instance, fmi2Error, "fmi2SerializeFMUstate: %zu bytes, expected %zu", size,
                      state_bytes(instance));
    memcpy(serializedState, FMUstate, state_bytes(instance));
    return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte serializedState[], size_t size,
                                   fmi2FMUstate *FMUstate) {
    Instance *instance = admit(c, DESERIALIZE);
    if (!instance) return fmi2Error;
    if (!serializedState || !FMUstate)
        return refuse(instance, fmi2Error, "fmi2DeSerializeFMUstate: an argument is NULL");
    if (size < state_bytes(instance))
        return refuse(instance, fmi2Error, "fmi2DeSerializeFMUstate: %zu bytes, expected %zu", size,
                      state_bytes(instance));
    const char *fault = fault_of_state(instance, serializedState);
    if (fault) return refuse(instance, fmi2Error, "fmi2DeSerializeFMUstate: %s", fault);
    *FMUstate = host_allocate(&instance->host, state_bytes(instance));
    if (!*FMUstate) return refuse(instance, fmi2Error, "fmi2DeSerializeFMUstate: the host gave no memory");
    memcpy(*FMUstate, serializedState, state_bytes(instance));
    return fmi2OK;
}
