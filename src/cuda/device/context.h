// Contexts of the driver API. A device has one memory, whatever contexts it has: a context is a
// name that threads make current, and the owner of the modules that were loaded in it. Lock held,
// in all of them.
#ifndef BANKRUN_CUDA_DEVICE_CONTEXT_H
#define BANKRUN_CUDA_DEVICE_CONTEXT_H

#include "cuda/core/state.h"

struct cuda_context {
    struct cuda_handle handle;
    bool is_primary; // of handle.device
    unsigned flags;
    unsigned attached; // how often beyond the first, by cuCtxAttach
    unsigned long long id;
};

// The driver was initialized, or the runtime has used a device.
bool cuda_is_initialized(const struct cuda_state *state);
// The calling thread's; NULL: none.
struct cuda_context *cuda_context_current(struct cuda_state *state);
// Of a device; made where there is none.
struct cuda_context *cuda_context_primary(struct cuda_state *state, struct cuda_device *device);
// NULL: no live one.
struct cuda_context *cuda_context_find(struct cuda_state *state, const void *context);
// *meant is the context, or the current one for NULL. cudaErrorDeviceUninitialized: there is none.
enum cuda_error cuda_context_of(struct cuda_state *state, const void *context,
                                struct cuda_context **meant);

// The primary one of a device, kept alive until it is released as often as it was retained; a reset
// drops all that lies in the device's memory.
enum cuda_error cuda_context_retain(struct cuda_state *state, struct cuda_context **context,
                                    int device);
enum cuda_error cuda_context_release(struct cuda_state *state, int device);
enum cuda_error cuda_context_reset(struct cuda_state *state, int device);
enum cuda_error cuda_context_set_flags(struct cuda_state *state, int device, unsigned flags);
enum cuda_error cuda_context_state(struct cuda_state *state, int device, unsigned *flags,
                                   int *active);

enum cuda_error cuda_context_create(struct cuda_state *state, struct cuda_context **context,
                                    unsigned flags, int device);
enum cuda_error cuda_context_destroy(struct cuda_state *state, struct cuda_context *context);
enum cuda_error cuda_context_attach(struct cuda_state *state, struct cuda_context **context,
                                    unsigned flags);
enum cuda_error cuda_context_detach(struct cuda_state *state, struct cuda_context *context);

// The thread's stack of contexts.
enum cuda_error cuda_context_push(struct cuda_state *state, struct cuda_context *context);
enum cuda_error cuda_context_pop(struct cuda_state *state, struct cuda_context **context);
enum cuda_error cuda_context_set(struct cuda_state *state, struct cuda_context *context);

// What a context says of itself.
enum cuda_error cuda_context_device(struct cuda_state *state, int *device, const void *context);
enum cuda_error cuda_context_id(struct cuda_state *state, const void *context,
                                unsigned long long *id);
enum cuda_error cuda_context_flags(struct cuda_state *state, unsigned *flags);
enum cuda_error cuda_context_change_flags(struct cuda_state *state, unsigned flags);
enum cuda_error cuda_context_synchronize(struct cuda_state *state, const void *context);
// Contexts of a device share its memory, so access to one is access to all.
enum cuda_error cuda_context_enable_peer(struct cuda_state *state, const void *context,
                                         unsigned flags);
enum cuda_error cuda_context_disable_peer(struct cuda_state *state, const void *context);

#endif
