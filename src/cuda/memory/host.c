// Host memory that the device may use: pinned, registered.
#include "base/mapping.h"
#include "cuda/checks/check.h"
#include "cuda/core/state.h"
#include "cuda/memory/calls.h"
#include "cuda/memory/memory.h"
#include "cuda/memory/pointer.h"
#include "cuda/stream/capture.h"

enum { ALLOC_FLAGS = 7, REGISTER_FLAGS = 15, MAPPED = 2 };

enum cuda_error cuda_host_allocate(struct cuda_state *state, void **pointer, size_t bytes,
                                   unsigned flags) {
    enum cuda_error error = cuda_enter_unsafe(state);
    if (error == cudaSuccess && flags & ~(unsigned)ALLOC_FLAGS)
        error = cudaErrorInvalidValue;
    return error == cudaSuccess ? cuda_allocate(state, pointer, bytes, SIM_HOST) : error;
}

enum cuda_error cuda_free_host(struct cuda_state *state, void *pointer) {
    enum cuda_error error = cuda_enter_unsafe(state);
    return error == cudaSuccess ? cuda_release(state, pointer, true) : error;
}

enum cuda_error cuda_host_register(struct cuda_state *state, void *pointer, size_t bytes,
                                   unsigned flags) {
    enum cuda_error error = cuda_enter_unsafe(state);
    if (error == cudaSuccess && (!pointer || !bytes || flags & ~(unsigned)REGISTER_FLAGS))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && !mapping_allows((uintptr_t)pointer, bytes, false))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && !sim_register_host(state->current->sim, pointer, bytes))
        error = cudaErrorHostMemoryAlreadyRegistered;
    return error;
}

enum cuda_error cuda_host_unregister(struct cuda_state *state, void *pointer) {
    enum cuda_error error = cuda_enter_unsafe(state);
    if (error == cudaSuccess && !pointer)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        cuda_check_waits_for_device(state, state->current);
    if (error == cudaSuccess && !sim_unregister_host(state->current->sim, pointer))
        error = cudaErrorHostMemoryNotRegistered;
    return error;
}

static bool is_host_memory(struct cuda_state *state, const void *pointer) {
    const struct sim_allocation *allocation = cuda_allocation(state, pointer);
    return allocation && allocation->kind == SIM_HOST;
}

// The device uses the host's addresses.
enum cuda_error cuda_host_get_device_pointer(struct cuda_state *state, void **device, void *host,
                                             unsigned flags) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && (!device || flags || !is_host_memory(state, host)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *device = host;
    return error;
}

// Everything is mapped, whatever was asked for: so says a device with unified addresses.
enum cuda_error cuda_host_get_flags(struct cuda_state *state, unsigned *flags, void *host) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && (!flags || !is_host_memory(state, host)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *flags = MAPPED;
    return error;
}
