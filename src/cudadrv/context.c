#include "cudadrv/context.h"

#include "cuda/module/module.h"
#include "cuda/stream/capture.h"

// One thread's stack of contexts, the current one on top.
enum { MOST_NESTED = 64 };
static _Thread_local cu_context stack[MOST_NESTED];
static _Thread_local unsigned depth;

enum { CONTEXT_FLAGS = 0xff, API_VERSION = 3020 };

CUDART_API cu_result cuCtxGetCurrent(cu_context *context);
enum cuda_error cudaDeviceSynchronize(void);
enum cuda_error cudaDeviceSetLimit(enum cuda_limit limit, size_t value);
enum cuda_error cudaDeviceGetLimit(size_t *value, enum cuda_limit limit);
enum cuda_error cudaDeviceSetCacheConfig(int config);
enum cuda_error cudaDeviceGetCacheConfig(int *config);
enum cuda_error cudaDeviceSetSharedMemConfig(int config);
enum cuda_error cudaDeviceGetSharedMemConfig(int *config);
enum cuda_error cudaDeviceGetStreamPriorityRange(int *lowest, int *highest);

bool cudadrv_is_initialized(const struct cuda_state *state) {
    return state->driver.is_initialized || cuda_any_sim(state);
}

static cu_context new_context(struct cuda_state *state, struct cuda_device *device,
                              unsigned flags) {
    cu_context context = cuda_handle_new(state, CUDA_CONTEXT, sizeof *context);
    context->handle.device = device;
    context->flags = flags;
    context->id = ++state->driver.contexts_made;
    return context;
}

static cu_context primary(struct cuda_state *state, struct cuda_device *device) {
    cu_context context = device->primary;
    if (!context || !context->handle.is_live) {
        context = new_context(state, device, device->flags);
        context->is_primary = true;
        device->primary = context;
    }
    return context;
}

static cu_context find(struct cuda_state *state, const void *context) {
    return context ? cuda_handle_find(state, CUDA_CONTEXT, context) : NULL;
}

cu_context cudadrv_current(struct cuda_state *state) {
    if (depth && cuda_thread_has_chosen())
        stack[depth - 1] = primary(state, cuda_this_device(state));
    if (depth)
        return stack[depth - 1];
    return cuda_thread_save().uses_runtime ? primary(state, cuda_this_device(state)) : NULL;
}

// The runtime's calls go to the device of the context that is current now.
static void follow_stack(void) {
    if (depth)
        cuda_thread_use(stack[depth - 1]->handle.device->number);
}

bool cudadrv_begin_device(struct cudadrv_call *call) {
    call->thread = cuda_thread_save();
    call->error = cudaSuccess;
    struct cuda_state *state = cuda_state();
    pthread_mutex_lock(&state->lock);
    if (!cudadrv_is_initialized(state))
        call->error = (cu_result)CUDADRV_NOT_INITIALIZED;
    pthread_mutex_unlock(&state->lock);
    return call->error == cudaSuccess;
}

bool cudadrv_begin(struct cudadrv_call *call) {
    if (!cudadrv_begin_device(call))
        return false;
    struct cuda_state *state = cuda_state();
    pthread_mutex_lock(&state->lock);
    cu_context current = cudadrv_current(state);
    if (!current)
        call->error = (cu_result)CUDADRV_INVALID_CONTEXT;
    else if (!current->handle.is_live)
        call->error = cudaErrorContextIsDestroyed;
    pthread_mutex_unlock(&state->lock);
    return call->error == cudaSuccess;
}

// ---- The primary context ----------------------------------------------------------------------

static enum cuda_error retain(cu_context *context, cu_device device) {
    struct cuda_state *state = cuda_state();
    enum cuda_error error = cuda_enter_device(device);
    if (error == cudaSuccess && !context)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        *context = primary(state, state->current);
        state->current->retained++;
    }
    return cuda_leave(error);
}

CUDART_API cu_result cuDevicePrimaryCtxRetain(cu_context *context, cu_device device) {
    return CUDADRV_ASK(retain(context, device));
}

static void unload_modules(struct cuda_state *state, const void *context) {
    for (size_t i = state->modules.length; i > 0; i--) {
        struct cuda_module *module = state->modules.data[i - 1];
        if (module->is_loaded && module->context == context)
            cuda_module_free(state, module);
    }
}

// The device goes with the last user, and with it all that lay in its memory.
static enum cuda_error release(cu_device number, bool is_reset) {
    struct cuda_state *state = cuda_state();
    if (!cuda_is_device(state, number))
        return cuda_record(cudaErrorInvalidDevice);
    struct cuda_device *device = &state->devices[number];
    pthread_mutex_lock(&state->lock);
    state->current = device;
    enum cuda_error error = cudaSuccess;
    if (!is_reset && !device->retained)
        error = (enum cuda_error)CUDADRV_INVALID_CONTEXT;
    else if (!is_reset)
        device->retained--;
    bool is_last = !device->retained && !cuda_thread_save().uses_runtime;
    if (error == cudaSuccess && (is_reset || is_last)) {
        if (device->primary)
            unload_modules(state, device->primary);
        if (is_reset)
            cuda_drop_device(state);
        if (device->primary && device->primary->handle.is_live)
            cuda_handle_kill(state, &device->primary->handle);
    }
    return cuda_leave(error);
}

CUDART_API cu_result cuDevicePrimaryCtxRelease_v2(cu_device device) {
    return CUDADRV_ASK(release(device, false));
}
CUDADRV_OLD_NAME(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2)

CUDART_API cu_result cuDevicePrimaryCtxReset_v2(cu_device device) {
    return CUDADRV_ASK(release(device, true));
}
CUDADRV_OLD_NAME(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2)

CUDART_API cu_result cuDevicePrimaryCtxSetFlags_v2(cu_device device, unsigned flags) {
    struct cuda_state *state = cuda_state();
    if (!cuda_is_device(state, device))
        return cudaErrorInvalidDevice;
    if (flags & ~(unsigned)CONTEXT_FLAGS)
        return cudaErrorInvalidValue;
    state->devices[device].flags = flags;
    return cudaSuccess;
}
CUDADRV_OLD_NAME(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2)

CUDART_API cu_result cuDevicePrimaryCtxGetState(cu_device number, unsigned *flags, int *active) {
    struct cuda_state *state = cuda_state();
    if (!cuda_is_device(state, number))
        return cudaErrorInvalidDevice;
    if (!flags || !active)
        return cudaErrorInvalidValue;
    pthread_mutex_lock(&state->lock);
    const struct cuda_device *device = &state->devices[number];
    *flags = device->flags;
    *active = device->sim && (device->retained || cuda_thread_save().uses_runtime);
    pthread_mutex_unlock(&state->lock);
    return cudaSuccess;
}

// ---- Other contexts ---------------------------------------------------------------------------

static enum cuda_error create(cu_context *context, unsigned flags, cu_device device) {
    struct cuda_state *state = cuda_state();
    enum cuda_error error = cuda_enter_device(device);
    if (error == cudaSuccess && (!context || flags & ~(unsigned)CONTEXT_FLAGS))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && depth == MOST_NESTED)
        error = cudaErrorMemoryAllocation;
    if (error == cudaSuccess) {
        cudadrv_current(state); // what cudaSetDevice chose comes below
        stack[depth++] = *context = new_context(state, state->current, flags);
        follow_stack();
    }
    return cuda_leave(error);
}

CUDART_API cu_result cuCtxCreate_v2(cu_context *context, unsigned flags, cu_device device) {
    return CUDADRV_ASK(create(context, flags, device));
}
CUDADRV_OLD_NAME(cuCtxCreate, cuCtxCreate_v2)

CUDART_API cu_result cuCtxCreate_v3(cu_context *context, void *affinities, int count,
                                    unsigned flags, cu_device device) {
    if (affinities || count)
        return cudaErrorUnsupportedExecAffinity;
    return CUDADRV_ASK(create(context, flags, device));
}

struct context_parameters { // CUctxCreateParams
    void *affinities;
    int affinity_count;
    void *graphics;
};

CUDART_API cu_result cuCtxCreate_v4(cu_context *context,
                                    const struct context_parameters *parameters, unsigned flags,
                                    cu_device device) {
    if (parameters && (parameters->affinities || parameters->affinity_count))
        return cudaErrorUnsupportedExecAffinity;
    if (parameters && parameters->graphics)
        return cudaErrorNotSupported;
    return CUDADRV_ASK(create(context, flags, device));
}

static enum cuda_error destroy(cu_context context) {
    struct cuda_state *state = cuda_state();
    pthread_mutex_lock(&state->lock);
    cu_context known = find(state, context);
    if (known && !known->is_primary) {
        if (depth && stack[depth - 1] == known)
            depth--;
        follow_stack();
        unload_modules(state, known);
        cuda_handle_kill(state, &known->handle);
    }
    return cuda_leave(!known              ? (enum cuda_error)CUDADRV_INVALID_CONTEXT
                      : known->is_primary ? cudaErrorInvalidValue
                                          : cudaSuccess);
}

CUDART_API cu_result cuCtxDestroy_v2(cu_context context) {
    return CUDADRV_ASK(destroy(context));
}
CUDADRV_OLD_NAME(cuCtxDestroy, cuCtxDestroy_v2)

// The oldest calls count users.
CUDART_API cu_result cuCtxAttach(cu_context *context, unsigned flags) {
    if (!context || flags)
        return cudaErrorInvalidValue;
    cu_result error = cuCtxGetCurrent(context);
    if (error == cudaSuccess && !*context)
        error = (cu_result)CUDADRV_INVALID_CONTEXT;
    if (error == cudaSuccess)
        (*context)->attached++;
    return error;
}

CUDART_API cu_result cuCtxDetach(cu_context context) {
    cu_context current = NULL;
    cu_result error = cuCtxGetCurrent(&current);
    if (error == cudaSuccess && (!context || current != context))
        error = (cu_result)CUDADRV_INVALID_CONTEXT;
    if (error != cudaSuccess)
        return error;
    if (!context->attached)
        return cuCtxDestroy_v2(context);
    context->attached--;
    return cudaSuccess;
}

// ---- Which one is current ---------------------------------------------------------------------

// A live context, or NULL where `takes_none`.
static cu_result check(cu_context context, bool takes_none) {
    struct cuda_state *state = cuda_state();
    pthread_mutex_lock(&state->lock);
    bool is_good = context ? find(state, context) != NULL : takes_none;
    bool is_ready = cudadrv_is_initialized(state);
    pthread_mutex_unlock(&state->lock);
    if (!is_ready)
        return (cu_result)CUDADRV_NOT_INITIALIZED;
    return is_good ? cudaSuccess : (cu_result)CUDADRV_INVALID_CONTEXT;
}

// What the runtime made current is on the stack after this.
static void settle(void) {
    struct cuda_state *state = cuda_state();
    pthread_mutex_lock(&state->lock);
    cu_context current = cudadrv_current(state);
    if (!depth && current)
        stack[depth++] = current;
    pthread_mutex_unlock(&state->lock);
}

CUDART_API cu_result cuCtxPushCurrent_v2(cu_context context) {
    cu_result error = check(context, false);
    if (error == cudaSuccess && depth == MOST_NESTED)
        error = cudaErrorMemoryAllocation;
    if (error == cudaSuccess) {
        settle();
        stack[depth++] = context;
        follow_stack();
    }
    return error;
}
CUDADRV_OLD_NAME(cuCtxPushCurrent, cuCtxPushCurrent_v2)

CUDART_API cu_result cuCtxPopCurrent_v2(cu_context *context) {
    cu_result error = check(NULL, true);
    if (error == cudaSuccess)
        settle();
    if (error == cudaSuccess && !depth)
        error = (cu_result)CUDADRV_INVALID_CONTEXT;
    if (error != cudaSuccess)
        return error;
    depth--;
    if (context)
        *context = stack[depth];
    follow_stack();
    return cudaSuccess;
}
CUDADRV_OLD_NAME(cuCtxPopCurrent, cuCtxPopCurrent_v2)

CUDART_API cu_result cuCtxSetCurrent(cu_context context) {
    cu_result error = check(context, true);
    if (error != cudaSuccess)
        return error;
    if (!context && depth)
        depth--;
    if (context && !depth)
        depth = 1;
    if (context)
        stack[depth - 1] = context;
    follow_stack();
    return cudaSuccess;
}

CUDART_API cu_result cuCtxGetCurrent(cu_context *context) {
    cu_result error = check(NULL, true);
    if (error == cudaSuccess && !context)
        error = cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return error;
    struct cuda_state *state = cuda_state();
    pthread_mutex_lock(&state->lock);
    *context = cudadrv_current(state);
    pthread_mutex_unlock(&state->lock);
    return cudaSuccess;
}

// ---- What a context says ----------------------------------------------------------------------

// *out is the context that is meant: NULL is the current one. Unlocked.
static enum cuda_error meant(cu_context context, cu_context *out) {
    struct cuda_state *state = cuda_state();
    pthread_mutex_lock(&state->lock);
    *out = context ? find(state, context) : cudadrv_current(state);
    pthread_mutex_unlock(&state->lock);
    return *out ? cudaSuccess : (enum cuda_error)CUDADRV_INVALID_CONTEXT;
}

CUDART_API cu_result cuCtxGetDevice_v2(cu_device *device, cu_context context) {
    cu_context known = NULL;
    if (!device)
        return cudaErrorInvalidValue;
    cu_result error = CUDADRV_ASK(meant(context, &known));
    if (error == cudaSuccess)
        *device = (cu_device)known->handle.device->number;
    return error;
}

CUDART_API cu_result cuCtxGetDevice(cu_device *device) {
    return cuCtxGetDevice_v2(device, NULL);
}

CUDART_API cu_result cuCtxGetFlags(unsigned *flags) {
    cu_context known = NULL;
    if (!flags)
        return cudaErrorInvalidValue;
    cu_result error = CUDADRV_ASK(meant(NULL, &known));
    if (error == cudaSuccess)
        *flags = known->flags;
    return error;
}

CUDART_API cu_result cuCtxSetFlags(unsigned flags) {
    cu_context known = NULL;
    if (flags & ~(unsigned)CONTEXT_FLAGS)
        return cudaErrorInvalidValue;
    cu_result error = CUDADRV_ASK(meant(NULL, &known));
    if (error == cudaSuccess)
        known->flags = flags;
    return error;
}

CUDART_API cu_result cuCtxGetId(cu_context context, unsigned long long *id) {
    cu_context known = NULL;
    if (!id)
        return cudaErrorInvalidValue;
    cu_result error = CUDADRV_ASK(meant(context, &known));
    if (error == cudaSuccess)
        *id = known->id;
    return error;
}

CUDART_API cu_result cuCtxGetApiVersion(cu_context context, unsigned *version) {
    cu_context known = NULL;
    if (!version)
        return cudaErrorInvalidValue;
    cu_result error = CUDADRV_ASK(meant(context, &known));
    if (error == cudaSuccess)
        *version = API_VERSION;
    return error;
}

CUDART_API cu_result cuCtxSynchronize(void) {
    return CUDADRV_RUN(cudaDeviceSynchronize());
}

static enum cuda_error synchronize(const struct cuda_device *device) {
    enum cuda_error error = cuda_enter_device((int)device->number);
    if (error == cudaSuccess)
        error = cuda_capture_forbids_waiting(cuda_state());
    return cuda_leave(error);
}

CUDART_API cu_result cuCtxSynchronize_v2(cu_context context) {
    cu_context known = NULL;
    cu_result error = CUDADRV_ASK(meant(context, &known));
    return error == cudaSuccess ? CUDADRV_ASK(synchronize(known->handle.device)) : error;
}

CUDART_API cu_result cuCtxSetLimit(enum cuda_limit limit, size_t value) {
    return CUDADRV_RUN(cudaDeviceSetLimit(limit, value));
}

CUDART_API cu_result cuCtxGetLimit(size_t *value, enum cuda_limit limit) {
    return CUDADRV_RUN(cudaDeviceGetLimit(value, limit));
}

CUDART_API cu_result cuCtxSetCacheConfig(int config) {
    return CUDADRV_RUN(cudaDeviceSetCacheConfig(config));
}

CUDART_API cu_result cuCtxGetCacheConfig(int *config) {
    return CUDADRV_RUN(cudaDeviceGetCacheConfig(config));
}

CUDART_API cu_result cuCtxSetSharedMemConfig(int config) {
    return CUDADRV_RUN(cudaDeviceSetSharedMemConfig(config));
}

CUDART_API cu_result cuCtxGetSharedMemConfig(int *config) {
    return CUDADRV_RUN(cudaDeviceGetSharedMemConfig(config));
}

CUDART_API cu_result cuCtxGetStreamPriorityRange(int *lowest, int *highest) {
    return CUDADRV_RUN(cudaDeviceGetStreamPriorityRange(lowest, highest));
}

CUDART_API cu_result cuCtxResetPersistingL2Cache(void) {
    return CUDADRV_RUN(cudaSuccess);
}
