/* Saving and restoring the complete state: a header and a copy of the block of everything that varies, its own serialization. */
#ifndef SPACEFMU_STATES_H
#define SPACEFMU_STATES_H

#include "instance.h"

/* Into *state, which is allocated if it is NULL. */
Status save_state(void *named, const Call *call, void **state);
Status restore_state(void *named, const Call *call, const void *state);
Status free_state(void *named, const Call *call, void **state);

Status state_size(void *named, const Call *call, const void *state, size_t *size);
Status state_to_bytes(void *named, const Call *call, const void *state, void *bytes, size_t size);
Status state_of_bytes(void *named, const Call *call, const void *bytes, size_t size, void **state);

#endif
