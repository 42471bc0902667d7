#include "states.h"

#include <stdint.h>
#include <string.h>

#include "log.h"
#include "saved.h"

#define MAGIC   0x31554d4665636170u /* "paceFMU1" */
#define VERSION 6u

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
    if (header.magic != MAGIC) return "these bytes are not a saved state of an FMU of spacefmu";
    if (header.version != VERSION) return "the state was saved by another version of spacefmu; save it again with this FMU";
    if (header.guid != hash(model.guid, strlen(model.guid))) return "the state belongs to an FMU with another GUID; use the FMU that saved it";
    if (header.bytes != block_bytes(instance)) return "the state has another size than those of this FMU";
    if (header.checksum != hash((const char *)bytes + sizeof header, header.bytes))
        return "the state is damaged: its checksum is wrong";
    double *saved = instance->before; /* a copy: the host's bytes need not be aligned */
    memcpy(saved, (const char *)bytes + sizeof header, header.bytes);
    if (((Scalars *)saved)->exchange != s->now->exchange)
        return "the state is of the other FMI type (co-simulation or model exchange)";
    int modes = instance->rules->modes[kind_of(instance)];
    if (kind_of(instance) == COSIMULATION && !instance->event_mode) modes &= ~MODE_EVENT;
    return inspect_block(s, saved, modes) ? s->e.reason : NULL;
}

Status save_state(void *named, const Call *call, void **state) {
    Instance *instance = admit(named, call);
    if (!instance) return STATUS_ERROR;
    if (!state) return refuse(instance, STATUS_ERROR, "%s: the pointer to the state is NULL", call->name);
    if (!*state) *state = host_allocate(&instance->host, state_bytes(instance));
    if (!*state) return refuse(instance, STATUS_ERROR, "%s: memory allocation failed", call->name);
    char *to = *state;
    Header header = {MAGIC, VERSION, block_bytes(instance), hash(model.guid, strlen(model.guid)),
                     hash(instance->s.now, block_bytes(instance))};
    memcpy(to, &header, sizeof header);
    memcpy(to + sizeof header, instance->s.now, block_bytes(instance));
    return STATUS_OK;
}

Status restore_state(void *named, const Call *call, const void *state) {
    Instance *instance = admit(named, call);
    if (!instance) return STATUS_ERROR;
    const char *fault = state ? fault_of_state(instance, state) : "the pointer to the state is NULL";
    if (fault) return refuse(instance, STATUS_ERROR, "%s: %s", call->name, fault);
    memcpy(instance->s.now, (const char *)state + sizeof(Header), block_bytes(instance));
    forget_work(&instance->s);
    return STATUS_OK;
}

Status free_state(void *named, const Call *call, void **state) {
    Instance *instance = admit(named, call);
    if (!instance) return STATUS_ERROR;
    if (!state || !*state) return STATUS_OK;
    host_free(&instance->host, *state);
    *state = NULL;
    return STATUS_OK;
}

Status state_size(void *named, const Call *call, const void *state, size_t *size) {
    Instance *instance = admit(named, call);
    if (!instance) return STATUS_ERROR;
    if (!state || !size) return refuse(instance, STATUS_ERROR, "%s: the pointer to the state, its size or its bytes is NULL", call->name);
    *size = state_bytes(instance);
    return STATUS_OK;
}

/* The instance if the call is allowed, its arguments are there and the bytes enough, else NULL. */
static Instance *admit_bytes(void *named, const Call *call, const void *from, const void *to, size_t size) {
    Instance *instance = admit(named, call);
    if (!instance) return NULL;
    size_t needed = state_bytes(instance);
    if (from && to && size >= needed) return instance;
    if (!from || !to) refuse(instance, STATUS_ERROR, "%s: the pointer to the state, its size or its bytes is NULL", call->name);
    else refuse(instance, STATUS_ERROR, "%s: %zu bytes, expected %zu", call->name, size, needed);
    return NULL;
}

Status state_to_bytes(void *named, const Call *call, const void *state, void *bytes, size_t size) {
    Instance *instance = admit_bytes(named, call, state, bytes, size);
    if (!instance) return STATUS_ERROR;
    memcpy(bytes, state, state_bytes(instance));
    return STATUS_OK;
}

Status state_of_bytes(void *named, const Call *call, const void *bytes, size_t size, void **state) {
    Instance *instance = admit_bytes(named, call, bytes, state, size);
    if (!instance) return STATUS_ERROR;
    const char *fault = fault_of_state(instance, bytes);
    if (fault) return refuse(instance, STATUS_ERROR, "%s: %s", call->name, fault);
    *state = host_allocate(&instance->host, state_bytes(instance));
    if (!*state) return refuse(instance, STATUS_ERROR, "%s: memory allocation failed", call->name);
    memcpy(*state, bytes, state_bytes(instance));
    return STATUS_OK;
}
