#include "cuda/core/handles.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cuda/core/state.h"

void *cuda_handle_new(struct cuda_state *state, enum cuda_handle_kind kind, size_t bytes) {
    struct cuda_handles *handles = &state->handles;
    struct cuda_handle *handle = handles->dead[kind];
    if (handle) {
        handles->dead[kind] = handle->next_dead;
        memset(handle + 1, 0, bytes - sizeof *handle);
    } else {
        handle = base_alloc(bytes);
        handle->self = handle;
        handle->kind = kind;
        handle->next = handles->all[kind];
        handles->all[kind] = handle;
        map_put(&handles->map, (const char *)&handle->self, sizeof handle->self, handle);
    }
    handle->is_live = true;
    handle->device = state->current;
    return handle;
}

void *cuda_handle_find(struct cuda_state *state, enum cuda_handle_kind kind, const void *address) {
    struct cuda_handle *handle =
        map_get(&state->handles.map, (const char *)&address, sizeof address);
    return handle && handle->kind == kind && handle->is_live ? handle : NULL;
}

void cuda_handle_kill(struct cuda_state *state, struct cuda_handle *handle) {
    handle->is_live = false;
    handle->next_dead = state->handles.dead[handle->kind];
    state->handles.dead[handle->kind] = handle;
}

void cuda_handles_drop(struct cuda_state *state, enum cuda_handle_kind kind) {
    for (struct cuda_handle *handle = state->handles.all[kind]; handle; handle = handle->next)
        if (handle->is_live && handle->device == state->current)
            cuda_handle_kill(state, handle);
}

void cuda_handles_free(struct cuda_state *state) {
    for (int kind = 0; kind < CUDA_HANDLE_KINDS; kind++)
        for (struct cuda_handle *handle = state->handles.all[kind], *next; handle; handle = next) {
            next = handle->next;
            free(handle);
        }
    map_free(&state->handles.map);
    state->handles = (struct cuda_handles){0};
}
