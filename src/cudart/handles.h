// Handles that programs hold: streams, events, kernels, pools, arrays, graphs. A handle's memory is
// never given back while the process lives, so that a stale one is recognised and not followed.
#ifndef BANKRUN_CUDART_HANDLES_H
#define BANKRUN_CUDART_HANDLES_H

#include <stdbool.h>

#include "base/map.h"

struct cudart_device;
struct cudart_state;

enum cudart_handle_kind {
    CUDART_STREAM,
    CUDART_EVENT,
    CUDART_KERNEL,
    CUDART_POOL,
    CUDART_ARRAY,
    CUDART_MIPMAP,
    CUDART_CONTEXT, // this and the next: of the driver API
    CUDART_LINK,
    CUDART_PHYSICAL,
    CUDART_GRAPH,
    CUDART_NODE,
    CUDART_EXEC,
    CUDART_USER_OBJECT,
    CUDART_HANDLE_KINDS
};

struct cudart_handle { // first member of what it stands for
    void *self;        // the handle's own address: its key in the map
    enum cudart_handle_kind kind;
    bool is_live;
    struct cudart_device *device; // that was current when it was made
    struct cudart_handle *next;   // of its kind
    struct cudart_handle *next_dead;
};

struct cudart_handles {
    struct map map; // handle's address -> struct cudart_handle
    struct cudart_handle *all[CUDART_HANDLE_KINDS], *dead[CUDART_HANDLE_KINDS];
};

// A dead one of the kind, zeroed behind the handle, or a new one. Lock held.
void *cudart_handle_new(struct cudart_state *state, enum cudart_handle_kind kind, size_t bytes);
// NULL: not a live handle of this kind. Lock held.
void *cudart_handle_find(struct cudart_state *state, enum cudart_handle_kind kind,
                         const void *handle);
// Lock held.
void cudart_handle_kill(struct cudart_state *state, struct cudart_handle *handle);
// Kills all of a kind that belong to the current device. Lock held.
void cudart_handles_drop(struct cudart_state *state, enum cudart_handle_kind kind);
// Frees all handles of all kinds. Lock held.
void cudart_handles_free(struct cudart_state *state);

#endif
