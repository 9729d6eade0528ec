// Memory of other processes, by handles: there is one for each allocation. What an H100 (driver
// 580) answers to calls that fail was measured; tests/programs/ipc.cu has it.
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuda/checks/check.h"
#include "cuda/core/gap.h"
#include "cuda/core/ipc.h"
#include "cuda/memory/calls.h"
#include "cuda/memory/pointer.h"
#include "sim/share.h"

enum { LAZY_ENABLE_PEER_ACCESS = 1 };

// Launches that run again begin with the memory that they found, and memory that is laid out as on
// a GPU has no edges at which another process's could begin.
static enum cuda_error refuse(struct cuda_state *state) {
    const char *option = state->config.schedule.runs ? "--schedule"
                         : state->config.lets_pass   ? "--on-fault continue"
                                                     : NULL;
    if (!option)
        return cudaSuccess;
    cuda_say_gap(state, PROFILE_GAP_UNSUPPORTED,
                 "%s: with %s memory cannot be shared with other processes", state->call, option);
    return cudaErrorNotSupported;
}

bool cuda_ipc_is_capable(const struct cuda_state *state, const struct sim_allocation *allocation) {
    uint64_t begin, bytes;
    sim_space_of(cuda_any_sim(state), &begin, &bytes);
    return allocation->kind == SIM_DEVICE && !allocation->owner &&
           allocation->address - begin < bytes;
}

// ---- Giving it --------------------------------------------------------------------------------

static enum cuda_error share(struct cuda_state *state, uint64_t address, struct sim_share *share) {
    const enum sim_share_result result = sim_share(state->current->sim, address, share);
    if (result == SIM_SHARED)
        return cudaSuccess;
    if (result == SIM_SHARE_REFUSED)
        return cudaErrorInvalidValue;
    cuda_say("%s: the memory cannot be shared with other processes: %s", state->call, share->why);
    return cudaErrorMemoryAllocation;
}

static enum cuda_error offer(struct cuda_state *state, const struct sim_share *share,
                             unsigned device, struct cuda_ipc_handle *handle) {
    struct stat status;
    if (fstat(share->file, &status) != 0)
        return cudaErrorOperatingSystem;
    const struct cuda_ipc_entry entry = {
        .kind = CUDA_IPC_MEMORY,
        .device = device,
        .address = share->address,
        .bytes = share->bytes,
        .begin = share->begin,
        .inode = status.st_ino,
        .file = share->file,
    };
    return cuda_ipc_offer(state, &entry, handle) ? cudaSuccess : cudaErrorMemoryAllocation;
}

enum cuda_error cuda_ipc_get_mem_handle(struct cuda_state *state, struct cuda_ipc_handle *handle,
                                        void *pointer) {
    enum cuda_error error = cuda_enter(state);
    if (error != cudaSuccess)
        return error;
    const struct sim_allocation *found = cuda_allocation(state, pointer);
    if (!handle || !found || !cuda_ipc_is_capable(state, found))
        return cudaErrorInvalidValue;
    const unsigned device = found->device;
    struct sim_share shared;
    error = refuse(state);
    if (error == cudaSuccess)
        error = share(state, found->address, &shared);
    return error == cudaSuccess ? offer(state, &shared, device, handle) : error;
}

// ---- Having it --------------------------------------------------------------------------------

// Goes on with the device that the memory is of, and comes back.
static enum cuda_error make_device(struct cuda_state *state, unsigned device) {
    struct cuda_device *caller = state->current;
    if (!cuda_is_device(state, (int)device)) {
        cuda_say("%s: the memory is of device %u, and this process has %u", state->call, device,
                 state->device_count);
        return cudaErrorInvalidDevice;
    }
    enum cuda_error error = cuda_visit(state, &state->devices[device]);
    state->current = caller;
    return error;
}

static enum cuda_error open_new(struct cuda_state *state, void **pointer,
                                const struct cuda_ipc_handle *handle) {
    struct cuda_ipc_entry entry;
    int file;
    enum cuda_error error = cuda_ipc_find(state, CUDA_IPC_MEMORY, handle, &entry, &file);
    if (error == cudaSuccess)
        error = make_device(state, entry.device);
    if (error == cudaSuccess && !cuda_ipc_open(state, cuda_ipc_origin_of(handle), &entry, file,
                                               1u << state->current->number, pointer)) {
        cuda_say("%s: the memory cannot be mapped: %s", state->call, strerror(errno));
        error = cudaErrorMemoryAllocation;
    }
    if (file >= 0)
        close(file);
    return error;
}

enum cuda_error cuda_ipc_open_mem_handle(struct cuda_state *state, void **pointer,
                                         const struct cuda_ipc_handle *handle, unsigned flags) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && (!pointer || flags != LAZY_ENABLE_PEER_ACCESS))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = refuse(state);
    if (error != cudaSuccess)
        return error;
    void *known = cuda_ipc_open_again(state, cuda_ipc_origin_of(handle));
    if (!known)
        return open_new(state, pointer, handle);
    *pointer = known;
    return cudaSuccess;
}

enum cuda_error cuda_ipc_close_mem_handle(struct cuda_state *state, void *pointer) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && cuda_ipc_is_opened(state, (uint64_t)(uintptr_t)pointer))
        cuda_check_waits_for_device(state, state->current); // as cudaFree does
    if (error == cudaSuccess && !cuda_ipc_close(state, (uint64_t)(uintptr_t)pointer))
        error = cudaErrorInvalidValue;
    return error;
}
