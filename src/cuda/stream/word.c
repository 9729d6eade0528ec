// Streams that write words of memory and wait for them. What is queued is done at once, so a stream
// can only wait for what another thread of the program writes.
#define _GNU_SOURCE // usleep
#include <string.h>
#include <unistd.h>

#include "base/progress.h"
#include "cuda/checks/check.h"
#include "cuda/core/gap.h"
#include "cuda/memory/pointer.h"
#include "cuda/stream/stream.h"
#include "cuda/stream/word.h"

enum { GEQ, EQ, AND, NOR, WAIT_MODES, FLUSH = 1 << 30 }; // flags of waits

static unsigned bytes_of(enum cuda_word_type type) {
    return type == CUDA_WAIT_64 || type == CUDA_WRITE_64 ? 8 : 4;
}

static enum cuda_error check(const struct cuda_state *state,
                             const union cuda_word_operation *operation) {
    unsigned bytes = bytes_of(operation->type), flags = operation->word.flags;
    switch (operation->type) {
    case CUDA_FLUSH_REMOTE_WRITES:
        return cudaErrorNotSupported; // as a device says that cannot flush them
    case CUDA_BARRIER:
        return cudaSuccess;
    case CUDA_WAIT_32:
    case CUDA_WAIT_64:
        if ((flags & ~(unsigned)FLUSH) >= WAIT_MODES)
            return cudaErrorInvalidValue;
        if (flags & FLUSH)
            return cudaErrorNotSupported;
        break;
    case CUDA_WRITE_32:
    case CUDA_WRITE_64:
        if (flags) // one that lets writes be reordered left with the first version of the call
            return cudaErrorInvalidValue;
        break;
    default:
        return cudaErrorInvalidValue;
    }
    const void *at = (void *)(uintptr_t)operation->word.address;
    const struct sim_allocation *found = cuda_allocation(state, at);
    return found && found->kind != SIM_MANAGED && operation->word.address % bytes == 0 &&
                   cuda_range_is_good(state, at, bytes, false)
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

static uint64_t load(const union cuda_word_operation *operation) {
    const void *at = (void *)(uintptr_t)operation->word.address;
    return bytes_of(operation->type) == 8 ? __atomic_load_n((const uint64_t *)at, __ATOMIC_ACQUIRE)
                                          : __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE);
}

static void store(struct sim *sim, const union cuda_word_operation *operation) {
    void *at = (void *)(uintptr_t)operation->word.address;
    sim_define(sim, at, bytes_of(operation->type));
    if (bytes_of(operation->type) == 8)
        __atomic_store_n((uint64_t *)at, operation->word.value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint32_t *)at, (uint32_t)operation->word.value, __ATOMIC_RELEASE);
}

// Orders are cyclic: "at least" is a difference that is not negative.
static bool is_fulfilled(const union cuda_word_operation *operation) {
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

static void nap(void *unused) {
    enum { NAP_MICROSECONDS = 200 };
    (void)unused;
    usleep(NAP_MICROSECONDS);
}

// Other threads run meanwhile, and may free the word.
static enum cuda_error wait_for(struct cuda_state *state,
                                const union cuda_word_operation *operation) {
    enum { PATIENCE_SECONDS = 10 };
    const double end = progress_now() + PATIENCE_SECONDS;
    enum cuda_error error = cudaSuccess;
    while (error == cudaSuccess && !is_fulfilled(operation)) {
        if (progress_now() > end) {
            cuda_say_gap(
                state, PROFILE_GAP_UNSUPPORTED,
                "a stream waits for a value at 0x%llx that nobody wrote within ten seconds; "
                "bankrun does what a stream is told at once, and cannot put it off until the "
                "program's later calls",
                (unsigned long long)operation->word.address);
            return cudaErrorNotSupported;
        }
        cuda_call_host(state, nap, NULL);
        error = check(state, operation);
    }
    return error;
}

static enum cuda_error run(struct cuda_state *state, const union cuda_word_operation *operation) {
    enum cuda_error error = check(state, operation); // again: an earlier one may have waited
    if (error != cudaSuccess)
        return error;
    if (operation->type == CUDA_WAIT_32 || operation->type == CUDA_WAIT_64)
        return wait_for(state, operation);
    if (operation->type == CUDA_WRITE_32 || operation->type == CUDA_WRITE_64)
        store(cuda_any_sim(state), operation);
    return cudaSuccess;
}

enum cuda_error cuda_stream_run_words(struct cuda_state *state, cuda_stream stream, unsigned count,
                                      const union cuda_word_operation *operations) {
    bool is_lost;
    enum cuda_error error = cuda_enter_queued(state, &is_lost);
    if (error == cudaSuccess && !cuda_stream_is_good(state, stream))
        error = cudaErrorInvalidResourceHandle;
    for (unsigned i = 0; i < count && error == cudaSuccess; i++)
        error = check(state, &operations[i]);
    cuda_check_waits_for_all(state); // the words may order anything
    for (unsigned i = 0; i < count && error == cudaSuccess && !is_lost; i++)
        error = run(state, &operations[i]);
    return error;
}
