// Stream-ordered allocation. Pools are names with properties: every allocation is a plain one.
#include <stdint.h>
#include <string.h>

#include "cuda/core/handles.h"
#include "cuda/core/state.h"
#include "cuda/memory/memory.h"
#include "cuda/memory/pointer.h"
#include "cuda/stream/capture.h"
#include "cuda/stream/stream.h"

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
enum { NO_ACCESS, READ, READ_WRITE = 3 }; // cudaMemAccessFlags
enum { LOCATION_DEVICE = 1 };

struct cuda_pool {
    struct cuda_handle handle; // its device's kernels may always touch what comes from it
    uint64_t attributes[LAST_ATTRIBUTE + 1];
    int access[SIM_DEVICES]; // of other devices
};

static struct cuda_pool *new_pool(struct cuda_state *state, struct cuda_device *device) {
    struct cuda_pool *pool = cuda_handle_new(state, CUDA_POOL, sizeof *pool);
    pool->handle.device = device;
    for (int i = FIRST_ATTRIBUTE; i < RELEASE_THRESHOLD; i++)
        pool->attributes[i] = 1; // the three kinds of reuse are allowed
    return pool;
}

static struct cuda_pool *default_pool(struct cuda_state *state, struct cuda_device *device) {
    if (!device->default_pool || !device->default_pool->handle.is_live)
        device->default_pool = new_pool(state, device);
    return device->default_pool;
}

static struct cuda_pool *current_pool(struct cuda_state *state, struct cuda_device *device) {
    if (!device->pool || !device->pool->handle.is_live)
        device->pool = default_pool(state, device);
    return device->pool;
}

// The devices that have this kind of access, a bit for each.
static uint32_t devices_with(const struct cuda_pool *pool, int access) {
    uint32_t devices = 1u << pool->handle.device->number;
    for (unsigned d = 0; d < SIM_DEVICES; d++)
        devices |= (uint32_t)((pool->access[d] & access) == access) << d;
    return devices;
}

static struct cuda_pool *find(cuda_pool pool) {
    return pool ? cuda_handle_find(cuda_state(), CUDA_POOL, pool) : NULL;
}

struct cuda_pool *cuda_pool_of(const struct sim_allocation *allocation) {
    return allocation->owner ? find(allocation->owner) : NULL;
}

void cuda_pool_count(struct cuda_pool *pool, int64_t bytes) {
    uint64_t *attributes = pool->attributes;
    attributes[USED_NOW] += (uint64_t)bytes;
    attributes[RESERVED_NOW] =
        (attributes[USED_NOW] + RESERVE_UNIT - 1) / RESERVE_UNIT * RESERVE_UNIT;
    for (int most = RESERVED_MOST; most <= USED_MOST; most += USED_MOST - RESERVED_MOST)
        if (attributes[most] < attributes[most - 1])
            attributes[most] = attributes[most - 1];
}

// In a capture it becomes a node.
static enum cuda_error allocate_node(struct cuda_state *state, void **pointer, size_t bytes,
                                     cuda_stream stream) {
    enum { PINNED = 1, LOCATION_DEVICE = 1 };
    struct cuda_node_params params = {.type = CUDA_NODE_ALLOCATE};
    params.u.allocate.bytes = bytes;
    params.u.allocate.pool.allocation_type = PINNED;
    params.u.allocate.pool.location.type = LOCATION_DEVICE;
    if (!pointer || !bytes)
        return cudaErrorInvalidValue;
    enum cuda_error error = cuda_capture_node(state, stream, &params);
    *pointer = params.u.allocate.address;
    return error;
}

static enum cuda_error allocate(void **pointer, size_t bytes, cuda_pool asked, bool has_pool,
                                cuda_stream stream) {
    struct cuda_state *state = cuda_state();
    enum cuda_error error = cuda_enter();
    struct cuda_pool *pool = NULL;
    if (error == cudaSuccess && !cuda_stream_is_good(state, stream))
        error = cudaErrorInvalidResourceHandle;
    struct cuda_capture *capture = NULL;
    if (error == cudaSuccess)
        error = cuda_capture_use(state, stream, &capture);
    if (error == cudaSuccess) {
        pool = has_pool ? find(asked) : current_pool(state, cuda_stream_device(state, stream));
        error = pool ? cuda_visit(state, pool->handle.device) : cudaErrorInvalidValue;
    }
    if (error == cudaSuccess)
        error = capture ? allocate_node(state, pointer, bytes, stream)
                        : cuda_allocate(state, pointer, bytes, SIM_DEVICE);
    if (error == cudaSuccess && bytes && !capture) {
        // The owner is the one field of an allocation that is ours.
        ((struct sim_allocation *)cuda_allocation(state, *pointer))->owner = pool;
        sim_set_access(state->current->sim, *pointer, devices_with(pool, READ),
                       devices_with(pool, READ_WRITE));
        cuda_pool_count(pool, (int64_t)bytes);
    }
    return cuda_leave(error);
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
    enum cuda_error error = cuda_enter_queued(&is_lost);
    if (error == cudaSuccess && !cuda_stream_is_good(cuda_state(), stream))
        error = cudaErrorInvalidResourceHandle;
    struct cuda_capture *capture = NULL;
    if (error == cudaSuccess)
        error = cuda_capture_use(cuda_state(), stream, &capture);
    if (error == cudaSuccess && capture) {
        struct cuda_node_params params = {.type = CUDA_NODE_FREE, .u.freed = pointer};
        error = cuda_capture_node(cuda_state(), stream, &params);
    } else if (error == cudaSuccess) {
        error = cuda_release(cuda_state(), pointer, false);
    }
    return cuda_leave(error);
}
CUDART_PER_THREAD(cudaFreeAsync, _ptsz)

CUDART_API enum cuda_error cudaDeviceGetDefaultMemPool(cuda_pool *pool, int device) {
    enum cuda_error error = pool ? cuda_enter_device(device) : cuda_enter();
    if (error == cudaSuccess && !pool)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *pool = default_pool(cuda_state(), cuda_state()->current);
    return cuda_leave(error);
}

CUDART_API enum cuda_error cudaDeviceGetMemPool(cuda_pool *pool, int device) {
    enum cuda_error error = pool ? cuda_enter_device(device) : cuda_enter();
    if (error == cudaSuccess && !pool)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *pool = current_pool(cuda_state(), cuda_state()->current);
    return cuda_leave(error);
}

CUDART_API enum cuda_error cudaDeviceSetMemPool(int device, cuda_pool pool) {
    enum cuda_error error = cuda_enter_device(device);
    struct cuda_pool *known = error == cudaSuccess ? find(pool) : NULL;
    if (error == cudaSuccess && (!known || known->handle.device->number != (unsigned)device))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        known->handle.device->pool = known;
    return cuda_leave(error);
}

struct pool_properties { // cudaMemPoolProps
    int allocation_type, handle_types;
    struct cuda_location location;
    void *windows;
    size_t most_bytes;
    unsigned short usage;
    unsigned char reserved[54];
};

CUDART_API enum cuda_error cudaMemPoolCreate(cuda_pool *pool,
                                             const struct pool_properties *properties) {
    enum { PINNED = 1 };
    struct cuda_state *state = cuda_state();
    enum cuda_error error = cuda_enter();
    if (error == cudaSuccess && (!pool || !properties || properties->allocation_type != PINNED ||
                                 !properties->location.type))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && properties->location.type != LOCATION_DEVICE) {
        cuda_say("cudaMemPoolCreate: pools of host memory are not supported");
        error = cudaErrorNotSupported;
    }
    if (error == cudaSuccess && properties->handle_types) {
        cuda_say("cudaMemPoolCreate: pools that other processes share are not supported");
        error = cudaErrorNotSupported;
    }
    if (error == cudaSuccess && !cuda_is_device(state, properties->location.id))
        error = cudaErrorInvalidDevice;
    if (error == cudaSuccess)
        error = cuda_visit(state, &state->devices[properties->location.id]);
    if (error == cudaSuccess)
        *pool = new_pool(state, state->current);
    return cuda_leave(error);
}

CUDART_API enum cuda_error cudaMemPoolDestroy(cuda_pool pool) {
    enum cuda_error error = cuda_enter();
    struct cuda_pool *known = error == cudaSuccess ? find(pool) : NULL;
    if (error == cudaSuccess && (!known || known == known->handle.device->default_pool))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        cuda_handle_kill(cuda_state(), &known->handle);
    return cuda_leave(error);
}

static bool is_flag(int attribute) { // int, the others are 64 bits wide
    return attribute < RELEASE_THRESHOLD;
}

static enum cuda_error enter_with(cuda_pool pool, int attribute, const void *value,
                                  struct cuda_pool **known) {
    enum cuda_error error = cuda_enter();
    *known = error == cudaSuccess ? find(pool) : NULL;
    if (error == cudaSuccess &&
        (!*known || !value || attribute < FIRST_ATTRIBUTE || attribute > LAST_ATTRIBUTE))
        error = cudaErrorInvalidValue;
    return error;
}

CUDART_API enum cuda_error cudaMemPoolGetAttribute(cuda_pool pool, int attribute, void *value) {
    struct cuda_pool *known;
    enum cuda_error error = enter_with(pool, attribute, value, &known);
    if (error == cudaSuccess && is_flag(attribute))
        *(int *)value = (int)known->attributes[attribute];
    else if (error == cudaSuccess)
        *(uint64_t *)value = known->attributes[attribute];
    return cuda_leave(error);
}

CUDART_API enum cuda_error cudaMemPoolSetAttribute(cuda_pool pool, int attribute, void *value) {
    struct cuda_pool *known;
    enum cuda_error error = enter_with(pool, attribute, value, &known);
    if (error == cudaSuccess)
        known->attributes[attribute] =
            is_flag(attribute) ? (uint64_t) * (const int *)value : *(const uint64_t *)value;
    return cuda_leave(error);
}

static enum cuda_error look_at(cuda_pool pool) {
    enum cuda_error error = cuda_enter();
    if (error == cudaSuccess && !find(pool))
        error = cudaErrorInvalidValue;
    return cuda_leave(error);
}

CUDART_API enum cuda_error cudaMemPoolTrimTo(cuda_pool pool, size_t bytes) {
    (void)bytes;
    return look_at(pool);
}

static enum cuda_error set_access(struct cuda_pool *pool, const struct cuda_access *access) {
    if (access->location.type != LOCATION_DEVICE ||
        !cuda_is_device(cuda_state(), access->location.id))
        return cudaErrorInvalidDevice;
    if (access->flags != NO_ACCESS && access->flags != READ && access->flags != READ_WRITE)
        return cudaErrorInvalidValue;
    if (access->location.id == (int)pool->handle.device->number && access->flags != READ_WRITE)
        return cudaErrorInvalidDevice;
    pool->access[access->location.id] = access->flags;
    return cudaSuccess;
}

CUDART_API enum cuda_error cudaMemPoolSetAccess(cuda_pool pool, const struct cuda_access *access,
                                                size_t count) {
    enum cuda_error error = cuda_enter();
    struct cuda_pool *known = error == cudaSuccess ? find(pool) : NULL;
    if (error == cudaSuccess && (!known || !access))
        error = cudaErrorInvalidValue;
    for (size_t i = 0; error == cudaSuccess && i < count; i++)
        error = set_access(known, &access[i]);
    if (error == cudaSuccess)
        sim_set_owner_access(cuda_state()->current->sim, known, devices_with(known, READ),
                             devices_with(known, READ_WRITE));
    return cuda_leave(error);
}

CUDART_API enum cuda_error cudaMemPoolGetAccess(int *flags, cuda_pool pool,
                                                const struct cuda_location *location) {
    enum cuda_error error = cuda_enter();
    const struct cuda_pool *known = error == cudaSuccess ? find(pool) : NULL;
    if (error == cudaSuccess && (!known || !flags || !location))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess &&
        (location->type != LOCATION_DEVICE || !cuda_is_device(cuda_state(), location->id)))
        error = cudaErrorInvalidDevice;
    if (error == cudaSuccess)
        *flags = location->id == (int)known->handle.device->number ? READ_WRITE
                                                                   : known->access[location->id];
    return cuda_leave(error);
}
