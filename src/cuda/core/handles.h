// Handles that programs hold: streams, events, kernels, pools, arrays, graphs. A handle's memory is
// never given back while the process lives, so that a stale one is recognised and not followed.
#ifndef BANKRUN_CUDA_CORE_HANDLES_H
#define BANKRUN_CUDA_CORE_HANDLES_H

#include <stdbool.h>

#include "base/map.h"

struct cuda_device;
struct cuda_state;

enum cuda_handle_kind {
    CUDA_STREAM,
    CUDA_EVENT,
    CUDA_KERNEL,
    CUDA_POOL,
    CUDA_ARRAY,
    CUDA_MIPMAP,
    CUDA_CONTEXT, // this and the next: of the driver API
    CUDA_LINK,
    CUDA_PHYSICAL,
    CUDA_GRAPH,
    CUDA_NODE,
    CUDA_EXEC,
    CUDA_USER_OBJECT,
    CUDA_LIBRARY, // of a library that is computed on the CPU
    CUDA_HANDLE_KINDS
};

struct cuda_handle { // first member of what it stands for
    void *self;      // the handle's own address: its key in the map
    enum cuda_handle_kind kind;
    bool is_live;
    struct cuda_device *device; // that was current when it was made
    struct cuda_handle *next;   // of its kind
    struct cuda_handle *next_dead;
};

struct cuda_handles {
    struct map map; // handle's address -> struct cuda_handle
    struct cuda_handle *all[CUDA_HANDLE_KINDS], *dead[CUDA_HANDLE_KINDS];
};

// A dead one of the kind, zeroed behind the handle, or a new one. Lock held.
void *cuda_handle_new(struct cuda_state *state, enum cuda_handle_kind kind, size_t bytes);
// NULL: not a live handle of this kind. Lock held.
void *cuda_handle_find(struct cuda_state *state, enum cuda_handle_kind kind, const void *handle);
// Lock held.
void cuda_handle_kill(struct cuda_state *state, struct cuda_handle *handle);
// Kills all of a kind that belong to the current device. Lock held.
void cuda_handles_drop(struct cuda_state *state, enum cuda_handle_kind kind);
// Frees all handles of all kinds. Lock held.
void cuda_handles_free(struct cuda_state *state);

#endif
