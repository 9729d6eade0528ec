// Events of other processes. Whatever an event was recorded behind is done when the call that
// recorded it returns, in each process: who has the handle of one need not wait for it.
#include "cuda/core/ipc.h"
#include "cuda/stream/calls.h"
#include "cuda/stream/event.h"

enum cuda_error cuda_ipc_get_event_handle(struct cuda_state *state, struct cuda_ipc_handle *handle,
                                          cuda_event event) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && !handle)
        error = cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return error;
    const struct cuda_event *known = cuda_event_find(state, event);
    if (!known || !(known->flags & CUDA_EVENT_INTERPROCESS) || known->is_foreign)
        return cudaErrorInvalidResourceHandle;
    const struct cuda_ipc_entry entry = {
        .kind = CUDA_IPC_EVENT,
        .device = known->handle.device->number,
        .address = (uint64_t)(uintptr_t)known,
        .file = -1,
    };
    return cuda_ipc_offer(state, &entry, handle) ? cudaSuccess : cudaErrorMemoryAllocation;
}

enum cuda_error cuda_ipc_open_event_handle(struct cuda_state *state, cuda_event *event,
                                           const struct cuda_ipc_handle *handle) {
    struct cuda_ipc_entry entry;
    int file;
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && !event)
        error = cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return error;
    error = cuda_ipc_find(state, CUDA_IPC_EVENT, handle, &entry, &file);
    if (error == cudaErrorInvalidValue) // as an H100 says it (driver 580)
        return cudaErrorMapBufferObjectFailed;
    if (error == cudaSuccess && !cuda_is_device(state, (int)entry.device)) {
        cuda_say("%s: the event is of device %u, and this process has %u", state->call,
                 entry.device, state->device_count);
        error = cudaErrorInvalidDevice;
    }
    if (error != cudaSuccess)
        return error;
    *event = cuda_handle_new(state, CUDA_EVENT, sizeof **event);
    (*event)->flags = CUDA_EVENT_INTERPROCESS | CUDA_EVENT_DISABLE_TIMING;
    (*event)->handle.device = &state->devices[entry.device];
    (*event)->is_foreign = true;
    (*event)->is_recorded = true;
    return cudaSuccess;
}
