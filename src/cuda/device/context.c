#include "cuda/device/context.h"

#include "cuda/checks/check.h"
#include "cuda/core/thread.h"
#include "cuda/device/calls.h"
#include "cuda/module/module.h"
#include "cuda/stream/capture.h"

// One thread's stack of contexts, the current one on top.
enum { MOST_NESTED = 64 };
static _Thread_local struct cuda_context *stack[MOST_NESTED];
static _Thread_local unsigned depth;

enum { CONTEXT_FLAGS = 0xff };

bool cuda_is_initialized(const struct cuda_state *state) {
    return state->driver.is_initialized || cuda_any_sim(state);
}

static struct cuda_context *new_context(struct cuda_state *state, struct cuda_device *device,
                                        unsigned flags) {
    struct cuda_context *context = cuda_handle_new(state, CUDA_CONTEXT, sizeof *context);
    context->handle.device = device;
    context->flags = flags;
    context->id = ++state->driver.contexts_made;
    return context;
}

struct cuda_context *cuda_context_primary(struct cuda_state *state, struct cuda_device *device) {
    struct cuda_context *context = device->primary;
    if (!context || !context->handle.is_live) {
        context = new_context(state, device, device->flags);
        context->is_primary = true;
        device->primary = context;
    }
    return context;
}

struct cuda_context *cuda_context_find(struct cuda_state *state, const void *context) {
    return context ? cuda_handle_find(state, CUDA_CONTEXT, context) : NULL;
}

struct cuda_context *cuda_context_current(struct cuda_state *state) {
    if (depth && cuda_thread_has_chosen())
        stack[depth - 1] = cuda_context_primary(state, cuda_this_device(state));
    if (depth)
        return stack[depth - 1];
    return cuda_thread_used_runtime() ? cuda_context_primary(state, cuda_this_device(state)) : NULL;
}

enum cuda_error cuda_context_of(struct cuda_state *state, const void *context,
                                struct cuda_context **meant) {
    *meant = context ? cuda_context_find(state, context) : cuda_context_current(state);
    return *meant ? cudaSuccess : cudaErrorDeviceUninitialized;
}

// Calls go to the device of the context that is current now.
static void follow_stack(void) {
    if (depth)
        cuda_thread_use(stack[depth - 1]->handle.device->number);
}

// ---- The primary context ----------------------------------------------------------------------

enum cuda_error cuda_context_retain(struct cuda_state *state, struct cuda_context **context,
                                    int device) {
    enum cuda_error error = cuda_enter_device(state, device);
    if (error == cudaSuccess && !context)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        *context = cuda_context_primary(state, state->current);
        state->current->retained++;
    }
    return error;
}

static void unload_modules(struct cuda_state *state, const void *context) {
    for (size_t i = state->modules.length; i > 0; i--) {
        struct cuda_module *module = state->modules.data[i - 1];
        if (module->is_loaded && module->context == context)
            cuda_module_free(state, module);
    }
}

static void drop_primary(struct cuda_state *state, bool is_reset) {
    struct cuda_context *context = state->current->primary;
    if (context)
        unload_modules(state, context);
    if (is_reset)
        cuda_drop_device(state);
    if (context && context->handle.is_live)
        cuda_handle_kill(state, &context->handle);
}

enum cuda_error cuda_context_release(struct cuda_state *state, int device) {
    if (!cuda_is_device(state, device))
        return cudaErrorInvalidDevice;
    state->current = &state->devices[device];
    if (!state->current->retained)
        return cudaErrorDeviceUninitialized;
    if (!--state->current->retained && !cuda_thread_used_runtime())
        drop_primary(state, false);
    return cudaSuccess;
}

enum cuda_error cuda_context_reset(struct cuda_state *state, int device) {
    if (!cuda_is_device(state, device))
        return cudaErrorInvalidDevice;
    state->current = &state->devices[device];
    drop_primary(state, true);
    return cudaSuccess;
}

enum cuda_error cuda_context_set_flags(struct cuda_state *state, int device, unsigned flags) {
    if (!cuda_is_device(state, device))
        return cudaErrorInvalidDevice;
    if (flags & ~(unsigned)CONTEXT_FLAGS)
        return cudaErrorInvalidValue;
    state->devices[device].flags = flags;
    return cudaSuccess;
}

enum cuda_error cuda_context_state(struct cuda_state *state, int number, unsigned *flags,
                                   int *active) {
    if (!cuda_is_device(state, number))
        return cudaErrorInvalidDevice;
    if (!flags || !active)
        return cudaErrorInvalidValue;
    const struct cuda_device *device = &state->devices[number];
    *flags = device->flags;
    *active = device->sim && (device->retained || cuda_thread_used_runtime());
    return cudaSuccess;
}

// ---- Other contexts ---------------------------------------------------------------------------

enum cuda_error cuda_context_create(struct cuda_state *state, struct cuda_context **context,
                                    unsigned flags, int device) {
    enum cuda_error error = cuda_enter_device(state, device);
    if (error == cudaSuccess && (!context || flags & ~(unsigned)CONTEXT_FLAGS))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && depth == MOST_NESTED)
        error = cudaErrorMemoryAllocation;
    if (error == cudaSuccess) {
        cuda_context_current(state); // what cudaSetDevice chose comes below
        stack[depth++] = *context = new_context(state, state->current, flags);
        follow_stack();
    }
    return error;
}

enum cuda_error cuda_context_destroy(struct cuda_state *state, struct cuda_context *context) {
    struct cuda_context *known = cuda_context_find(state, context);
    if (!known)
        return cudaErrorDeviceUninitialized;
    if (known->is_primary)
        return cudaErrorInvalidValue;
    if (depth && stack[depth - 1] == known)
        depth--;
    follow_stack();
    unload_modules(state, known);
    cuda_handle_kill(state, &known->handle);
    return cudaSuccess;
}

// The oldest calls count users.
enum cuda_error cuda_context_attach(struct cuda_state *state, struct cuda_context **context,
                                    unsigned flags) {
    if (!context || flags)
        return cudaErrorInvalidValue;
    enum cuda_error error = cuda_context_of(state, NULL, context);
    if (error == cudaSuccess)
        (*context)->attached++;
    return error;
}

enum cuda_error cuda_context_detach(struct cuda_state *state, struct cuda_context *context) {
    if (!context || cuda_context_current(state) != context)
        return cudaErrorDeviceUninitialized;
    if (!context->attached)
        return cuda_context_destroy(state, context);
    context->attached--;
    return cudaSuccess;
}

// ---- Which one is current ---------------------------------------------------------------------

// What the runtime made current is on the stack after this.
static void settle(struct cuda_state *state) {
    struct cuda_context *current = cuda_context_current(state);
    if (!depth && current)
        stack[depth++] = current;
}

enum cuda_error cuda_context_push(struct cuda_state *state, struct cuda_context *context) {
    if (!cuda_context_find(state, context))
        return cudaErrorDeviceUninitialized;
    if (depth == MOST_NESTED)
        return cudaErrorMemoryAllocation;
    settle(state);
    stack[depth++] = context;
    follow_stack();
    return cudaSuccess;
}

enum cuda_error cuda_context_pop(struct cuda_state *state, struct cuda_context **context) {
    settle(state);
    if (!depth)
        return cudaErrorDeviceUninitialized;
    depth--;
    if (context)
        *context = stack[depth];
    follow_stack();
    return cudaSuccess;
}

enum cuda_error cuda_context_set(struct cuda_state *state, struct cuda_context *context) {
    if (context && !cuda_context_find(state, context))
        return cudaErrorDeviceUninitialized;
    if (!context && depth)
        depth--;
    if (context && !depth)
        depth = 1;
    if (context)
        stack[depth - 1] = context;
    follow_stack();
    return cudaSuccess;
}

// ---- What a context says ----------------------------------------------------------------------

enum cuda_error cuda_context_device(struct cuda_state *state, int *device, const void *context) {
    struct cuda_context *known;
    if (!device)
        return cudaErrorInvalidValue;
    enum cuda_error error = cuda_context_of(state, context, &known);
    if (error == cudaSuccess)
        *device = (int)known->handle.device->number;
    return error;
}

enum cuda_error cuda_context_id(struct cuda_state *state, const void *context,
                                unsigned long long *id) {
    struct cuda_context *known;
    if (!id)
        return cudaErrorInvalidValue;
    enum cuda_error error = cuda_context_of(state, context, &known);
    if (error == cudaSuccess)
        *id = known->id;
    return error;
}

enum cuda_error cuda_context_flags(struct cuda_state *state, unsigned *flags) {
    struct cuda_context *known;
    if (!flags)
        return cudaErrorInvalidValue;
    enum cuda_error error = cuda_context_of(state, NULL, &known);
    if (error == cudaSuccess)
        *flags = known->flags;
    return error;
}

enum cuda_error cuda_context_change_flags(struct cuda_state *state, unsigned flags) {
    struct cuda_context *known;
    if (flags & ~(unsigned)CONTEXT_FLAGS)
        return cudaErrorInvalidValue;
    enum cuda_error error = cuda_context_of(state, NULL, &known);
    if (error == cudaSuccess)
        known->flags = flags;
    return error;
}

enum cuda_error cuda_context_synchronize(struct cuda_state *state, const void *context) {
    struct cuda_context *known;
    enum cuda_error error = cuda_context_of(state, context, &known);
    if (error == cudaSuccess)
        error = cuda_visit(state, known->handle.device);
    if (error == cudaSuccess)
        cuda_check_waits_for_device(state, state->current);
    return error == cudaSuccess ? cuda_capture_forbids_waiting(state) : error;
}

enum cuda_error cuda_context_enable_peer(struct cuda_state *state, const void *context,
                                         unsigned flags) {
    const struct cuda_context *peer = cuda_context_find(state, context);
    return peer ? cuda_device_enable_peer_access(state, (int)peer->handle.device->number, flags)
                : cudaErrorDeviceUninitialized;
}

enum cuda_error cuda_context_disable_peer(struct cuda_state *state, const void *context) {
    const struct cuda_context *peer = cuda_context_find(state, context);
    return peer ? cuda_device_disable_peer_access(state, (int)peer->handle.device->number)
                : cudaErrorDeviceUninitialized;
}
