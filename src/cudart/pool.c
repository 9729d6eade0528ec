// Stream-ordered allocation. Pools are names with properties: every allocation is a plain one.
#include <stdint.h>
#include <string.h>

#include "cudart/handles.h"
#include "cudart/memory.h"
#include "cudart/pointer.h"
#include "cudart/state.h"
#include "cudart/stream.h"

enum {
    FIRST_ATTRIBUTE = 1,
    RELEASE_THRESHOLD = 4,
    RESERVED_NOW,
    RESERVED_MOST,
    USED_NOW,
    USED_MOST,
    LAST_ATTRIBUTE = USED_MOST,
};
#define RESERVE_UNIT ((uint64_t)32 << 20) // pools of a device grow by this much
enum { READ_WRITE = 3 };                  // cudaMemAccessFlagsProtReadWrite

struct cudart_pool {
    struct cudart_handle handle;
    uint64_t attributes[LAST_ATTRIBUTE + 1];
};

static struct cudart_pool *new_pool(struct cudart_state *state) {
    struct cudart_pool *pool = cudart_handle_new(state, CUDART_POOL, sizeof *pool);
    for (int i = FIRST_ATTRIBUTE; i < RELEASE_THRESHOLD; i++)
        pool->attributes[i] = 1; // the three kinds of reuse are allowed
    return pool;
}

static struct cudart_pool *default_pool(struct cudart_state *state) {
    if (!state->pool || !state->pool->handle.is_live)
        state->pool = new_pool(state);
    return state->pool;
}

static struct cudart_pool *find(cuda_pool pool) {
    return pool ? cudart_handle_find(cudart_state(), CUDART_POOL, pool) : NULL;
}

struct cudart_pool *cudart_pool_of(const struct sim_allocation *allocation) {
    return allocation->owner ? find(allocation->owner) : NULL;
}

void cudart_pool_count(struct cudart_pool *pool, int64_t bytes) {
    uint64_t *attributes = pool->attributes;
    attributes[USED_NOW] += (uint64_t)bytes;
    attributes[RESERVED_NOW] =
        (attributes[USED_NOW] + RESERVE_UNIT - 1) / RESERVE_UNIT * RESERVE_UNIT;
    for (int most = RESERVED_MOST; most <= USED_MOST; most += USED_MOST - RESERVED_MOST)
        if (attributes[most] < attributes[most - 1])
            attributes[most] = attributes[most - 1];
}

static enum cuda_error allocate(void **pointer, size_t bytes, cuda_pool asked, bool has_pool,
                                cuda_stream stream) {
    enum cuda_error error = cudart_enter();
    struct cudart_pool *pool = NULL;
    if (error == cudaSuccess) {
        pool = has_pool ? find(asked) : default_pool(cudart_state());
        error = pool ? cudaSuccess : cudaErrorInvalidValue;
    }
    if (error == cudaSuccess && !cudart_stream_is_good(cudart_state(), stream))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess)
        error = cudart_allocate(cudart_state(), pointer, bytes, SIM_DEVICE);
    if (error == cudaSuccess && bytes) {
        // The owner is the one field of an allocation that is ours.
        ((struct sim_allocation *)cudart_allocation(cudart_state(), *pointer))->owner = pool;
        cudart_pool_count(pool, (int64_t)bytes);
    }
    return cudart_leave(error);
}

CUDART_API enum cuda_error cudaMallocAsync(void **pointer, size_t bytes, cuda_stream stream) {
    return allocate(pointer, bytes, NULL, false, stream);
}
CUDART_PER_THREAD(cudaMallocAsync, _ptsz)

CUDART_API enum cuda_error cudaMallocFromPoolAsync(void **pointer, size_t bytes, cuda_pool pool,
                                                   cuda_stream stream) {
    return allocate(pointer, bytes, pool, true, stream);
}
CUDART_PER_THREAD(cudaMallocFromPoolAsync, _ptsz)

CUDART_API enum cuda_error cudaFreeAsync(void *pointer, cuda_stream stream) {
    bool is_lost;
    enum cuda_error error = cudart_enter_queued(&is_lost);
    if (error == cudaSuccess && !cudart_stream_is_good(cudart_state(), stream))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess)
        error = cudart_release(cudart_state(), pointer, false);
    return cudart_leave(error);
}
CUDART_PER_THREAD(cudaFreeAsync, _ptsz)

static enum cuda_error give_default(cuda_pool *pool, int device) {
    enum cuda_error error = cudart_enter();
    if (error == cudaSuccess && !pool)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && device != 0)
        error = cudaErrorInvalidDevice;
    if (error == cudaSuccess)
        *pool = default_pool(cudart_state());
    return cudart_leave(error);
}

CUDART_API enum cuda_error cudaDeviceGetDefaultMemPool(cuda_pool *pool, int device) {
    return give_default(pool, device);
}

CUDART_API enum cuda_error cudaDeviceGetMemPool(cuda_pool *pool, int device) {
    return give_default(pool, device);
}

// Which pool allocations come from makes no difference.
CUDART_API enum cuda_error cudaDeviceSetMemPool(int device, cuda_pool pool) {
    enum cuda_error error = cudart_enter();
    if (error == cudaSuccess && device != 0)
        error = cudaErrorInvalidDevice;
    if (error == cudaSuccess && !find(pool))
        error = cudaErrorInvalidValue;
    return cudart_leave(error);
}

CUDART_API enum cuda_error cudaMemPoolCreate(cuda_pool *pool, const void *properties) {
    enum cuda_error error = cudart_enter();
    if (error == cudaSuccess && (!pool || !properties))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *pool = new_pool(cudart_state());
    return cudart_leave(error);
}

CUDART_API enum cuda_error cudaMemPoolDestroy(cuda_pool pool) {
    enum cuda_error error = cudart_enter();
    struct cudart_pool *known = error == cudaSuccess ? find(pool) : NULL;
    if (error == cudaSuccess && (!known || known == cudart_state()->pool))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        cudart_handle_kill(cudart_state(), &known->handle);
    return cudart_leave(error);
}

static bool is_flag(int attribute) { // int, the others are 64 bits wide
    return attribute < RELEASE_THRESHOLD;
}

static enum cuda_error enter_with(cuda_pool pool, int attribute, const void *value,
                                  struct cudart_pool **known) {
    enum cuda_error error = cudart_enter();
    *known = error == cudaSuccess ? find(pool) : NULL;
    if (error == cudaSuccess &&
        (!*known || !value || attribute < FIRST_ATTRIBUTE || attribute > LAST_ATTRIBUTE))
        error = cudaErrorInvalidValue;
    return error;
}

CUDART_API enum cuda_error cudaMemPoolGetAttribute(cuda_pool pool, int attribute, void *value) {
    struct cudart_pool *known;
    enum cuda_error error = enter_with(pool, attribute, value, &known);
    if (error == cudaSuccess && is_flag(attribute))
        *(int *)value = (int)known->attributes[attribute];
    else if (error == cudaSuccess)
        *(uint64_t *)value = known->attributes[attribute];
    return cudart_leave(error);
}

CUDART_API enum cuda_error cudaMemPoolSetAttribute(cuda_pool pool, int attribute, void *value) {
    struct cudart_pool *known;
    enum cuda_error error = enter_with(pool, attribute, value, &known);
    if (error == cudaSuccess)
        known->attributes[attribute] =
            is_flag(attribute) ? (uint64_t) * (const int *)value : *(const uint64_t *)value;
    return cudart_leave(error);
}

static enum cuda_error look_at(cuda_pool pool) {
    enum cuda_error error = cudart_enter();
    if (error == cudaSuccess && !find(pool))
        error = cudaErrorInvalidValue;
    return cudart_leave(error);
}

CUDART_API enum cuda_error cudaMemPoolTrimTo(cuda_pool pool, size_t bytes) {
    (void)bytes;
    return look_at(pool);
}

CUDART_API enum cuda_error cudaMemPoolSetAccess(cuda_pool pool, const struct cuda_access *access,
                                                size_t count) {
    (void)access, (void)count;
    return look_at(pool);
}

CUDART_API enum cuda_error cudaMemPoolGetAccess(int *flags, cuda_pool pool,
                                                const struct cuda_location *location) {
    enum cuda_error error = look_at(pool);
    if (error != cudaSuccess)
        return error;
    if (!flags || !location)
        return cudart_record(cudaErrorInvalidValue);
    *flags = READ_WRITE;
    return cudaSuccess;
}
