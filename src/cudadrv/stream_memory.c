// Streams that write words of memory and wait for them. What is queued is done at once, so a stream
// can only wait for what another thread of the program writes.
#define _GNU_SOURCE // usleep
#include <string.h>
#include <unistd.h>

#include "base/progress.h"
#include "cuda/memory/pointer.h"
#include "cuda/stream/stream.h"
#include "cudadrv/cudadrv.h"

enum operation_type { // CUstreamBatchMemOpType
    WAIT_32 = 1,
    WRITE_32,
    FLUSH_REMOTE_WRITES,
    WAIT_64,
    WRITE_64,
    BARRIER,
};

enum { GEQ, EQ, AND, NOR, WAIT_MODES, FLUSH = 1 << 30 }; // flags of waits
enum { MOST_OPERATIONS = 256 };

union operation { // CUstreamBatchMemOpParams
    enum operation_type type;
    struct {
        enum operation_type type;
        cu_pointer address;
        uint64_t value;
        unsigned flags;
        cu_pointer alias;
    } word;
    struct {
        enum operation_type type;
        unsigned flags;
    } other;
    uint64_t pad[6];
};

static unsigned bytes_of(enum operation_type type) {
    return type == WAIT_64 || type == WRITE_64 ? 8 : 4;
}

static enum cuda_error check(const struct cuda_state *state, const union operation *operation) {
    unsigned bytes = bytes_of(operation->type), flags = operation->word.flags;
    switch (operation->type) {
    case FLUSH_REMOTE_WRITES:
        return cudaErrorNotSupported; // as a device says that cannot flush them
    case BARRIER:
        return cudaSuccess;
    case WAIT_32:
    case WAIT_64:
        if ((flags & ~(unsigned)FLUSH) >= WAIT_MODES)
            return cudaErrorInvalidValue;
        if (flags & FLUSH)
            return cudaErrorNotSupported;
        break;
    case WRITE_32:
    case WRITE_64:
        if (flags) // one that lets writes be reordered left with the first version of the call
            return cudaErrorInvalidValue;
        break;
    default:
        return cudaErrorInvalidValue;
    }
    const void *at = cudadrv_host(operation->word.address);
    const struct sim_allocation *found = cuda_allocation(state, at);
    return found && found->kind != SIM_MANAGED && operation->word.address % bytes == 0 &&
                   cuda_range_is_good(state, at, bytes, false)
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

static uint64_t load(const union operation *operation) {
    const void *at = cudadrv_host(operation->word.address);
    return bytes_of(operation->type) == 8 ? __atomic_load_n((const uint64_t *)at, __ATOMIC_ACQUIRE)
                                          : __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE);
}

static void store(const union operation *operation) {
    void *at = cudadrv_host(operation->word.address);
    if (bytes_of(operation->type) == 8)
        __atomic_store_n((uint64_t *)at, operation->word.value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint32_t *)at, (uint32_t)operation->word.value, __ATOMIC_RELEASE);
}

// Orders are cyclic: "at least" is a difference that is not negative.
static bool is_fulfilled(const union operation *operation) {
    uint64_t found = load(operation), wanted = operation->word.value;
    bool is_wide = bytes_of(operation->type) == 8;
    uint64_t all = is_wide ? UINT64_MAX : UINT32_MAX;
    uint64_t sign = is_wide ? 1ull << 63 : 1ull << 31;
    wanted &= all;
    switch (operation->word.flags) {
    case GEQ:
        return !((found - wanted) & sign);
    case EQ:
        return found == wanted;
    case AND:
        return found & wanted;
    default:
        return (~(found | wanted) & all) != 0;
    }
}

// Other threads run meanwhile. Lock held, before and after.
static bool wait_for(struct cuda_state *state, const union operation *operation) {
    enum { PATIENCE_SECONDS = 10, NAP_MICROSECONDS = 200 };
    double end = progress_now() + PATIENCE_SECONDS;
    struct cuda_device *device = state->current;
    while (!is_fulfilled(operation)) {
        if (progress_now() > end)
            return false;
        pthread_mutex_unlock(&state->lock);
        usleep(NAP_MICROSECONDS);
        pthread_mutex_lock(&state->lock);
        state->current = device;
    }
    return true;
}

static enum cuda_error run(struct cuda_state *state, const union operation *operation) {
    if (operation->type == WRITE_32 || operation->type == WRITE_64)
        store(operation);
    if ((operation->type == WAIT_32 || operation->type == WAIT_64) && !wait_for(state, operation)) {
        cuda_say("a stream waits for a value at 0x%llx that nobody wrote within ten seconds; "
                 "bankrun does what a stream is told at once, and cannot put it off until the "
                 "program's later calls",
                 operation->word.address);
        return cudaErrorNotSupported;
    }
    return cudaSuccess;
}

static enum cuda_error run_all(cuda_stream stream, unsigned count,
                               const union operation *operations) {
    bool is_lost;
    struct cuda_state *state = cuda_state();
    enum cuda_error error = cuda_enter_queued(&is_lost);
    if (error == cudaSuccess && !cuda_stream_is_good(state, stream))
        error = cudaErrorInvalidResourceHandle;
    for (unsigned i = 0; i < count && error == cudaSuccess; i++)
        error = check(state, &operations[i]);
    for (unsigned i = 0; i < count && error == cudaSuccess && !is_lost; i++)
        error = run(state, &operations[i]);
    return cuda_leave(error);
}

static enum cuda_error run_word(cuda_stream stream, enum operation_type type, cu_pointer address,
                                uint64_t value, unsigned flags) {
    union operation operation;
    memset(&operation, 0, sizeof operation);
    operation.word.type = type;
    operation.word.address = address;
    operation.word.value = value;
    operation.word.flags = flags;
    return run_all(stream, 1, &operation);
}

CUDART_API cu_result cuStreamWaitValue32_v2(cuda_stream stream, cu_pointer address, uint32_t value,
                                            unsigned flags) {
    return CUDADRV_RUN(run_word(stream, WAIT_32, address, value, flags));
}
CUDADRV_OLD_NAME(cuStreamWaitValue32, cuStreamWaitValue32_v2)
CUDART_PER_THREAD(cuStreamWaitValue32_v2, _ptsz)
CUDADRV_OLD_NAME(cuStreamWaitValue32_ptsz, cuStreamWaitValue32_v2)

CUDART_API cu_result cuStreamWaitValue64_v2(cuda_stream stream, cu_pointer address, uint64_t value,
                                            unsigned flags) {
    return CUDADRV_RUN(run_word(stream, WAIT_64, address, value, flags));
}
CUDADRV_OLD_NAME(cuStreamWaitValue64, cuStreamWaitValue64_v2)
CUDART_PER_THREAD(cuStreamWaitValue64_v2, _ptsz)
CUDADRV_OLD_NAME(cuStreamWaitValue64_ptsz, cuStreamWaitValue64_v2)

CUDART_API cu_result cuStreamWriteValue32_v2(cuda_stream stream, cu_pointer address, uint32_t value,
                                             unsigned flags) {
    return CUDADRV_RUN(run_word(stream, WRITE_32, address, value, flags));
}
CUDADRV_OLD_NAME(cuStreamWriteValue32, cuStreamWriteValue32_v2)
CUDART_PER_THREAD(cuStreamWriteValue32_v2, _ptsz)
CUDADRV_OLD_NAME(cuStreamWriteValue32_ptsz, cuStreamWriteValue32_v2)

CUDART_API cu_result cuStreamWriteValue64_v2(cuda_stream stream, cu_pointer address, uint64_t value,
                                             unsigned flags) {
    return CUDADRV_RUN(run_word(stream, WRITE_64, address, value, flags));
}
CUDADRV_OLD_NAME(cuStreamWriteValue64, cuStreamWriteValue64_v2)
CUDART_PER_THREAD(cuStreamWriteValue64_v2, _ptsz)
CUDADRV_OLD_NAME(cuStreamWriteValue64_ptsz, cuStreamWriteValue64_v2)

CUDART_API cu_result cuStreamBatchMemOp_v2(cuda_stream stream, unsigned count,
                                           const union operation *operations, unsigned flags) {
    if ((!operations && count) || count > MOST_OPERATIONS || flags)
        return CUDADRV_RUN(cudaErrorInvalidValue);
    return CUDADRV_RUN(run_all(stream, count, operations));
}
CUDADRV_OLD_NAME(cuStreamBatchMemOp, cuStreamBatchMemOp_v2)
CUDART_PER_THREAD(cuStreamBatchMemOp_v2, _ptsz)
CUDADRV_OLD_NAME(cuStreamBatchMemOp_ptsz, cuStreamBatchMemOp_v2)
