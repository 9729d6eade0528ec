#include "cudart/handles.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cudart/state.h"

void *cudart_handle_new(struct cudart_state *state, enum cudart_handle_kind kind, size_t bytes) {
    struct cudart_handles *handles = &state->handles;
    struct cudart_handle *handle = handles->dead[kind];
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

void *cudart_handle_find(struct cudart_state *state, enum cudart_handle_kind kind,
                         const void *address) {
    struct cudart_handle *handle =
        map_get(&state->handles.map, (const char *)&address, sizeof address);
    return handle && handle->kind == kind && handle->is_live ? handle : NULL;
}

void cudart_handle_kill(struct cudart_state *state, struct cudart_handle *handle) {
    handle->is_live = false;
    handle->next_dead = state->handles.dead[handle->kind];
    state->handles.dead[handle->kind] = handle;
}

void cudart_handles_drop(struct cudart_state *state, enum cudart_handle_kind kind) {
    for (struct cudart_handle *handle = state->handles.all[kind]; handle; handle = handle->next)
        if (handle->is_live && handle->device == state->current)
            cudart_handle_kill(state, handle);
}

void cudart_handles_free(struct cudart_state *state) {
    for (int kind = 0; kind < CUDART_HANDLE_KINDS; kind++)
        for (struct cudart_handle *handle = state->handles.all[kind], *next; handle;
             handle = next) {
            next = handle->next;
            free(handle);
        }
    map_free(&state->handles.map);
    state->handles = (struct cudart_handles){0};
}
