// Stream-ordered allocation. Pools are names with properties: every allocation is a plain one.
#include <stdint.h>
#include <string.h>

#include "cuda/checks/check.h"
#include "cuda/core/gap.h"
#include "cuda/core/handles.h"
#include "cuda/core/state.h"
#include "cuda/memory/calls.h"
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

static struct cuda_pool *find(struct cuda_state *state, cuda_pool pool) {
    return pool ? cuda_handle_find(state, CUDA_POOL, pool) : NULL;
}

struct cuda_pool *cuda_pool_of(struct cuda_state *state, const struct sim_allocation *allocation) {
    return allocation->owner ? find(state, allocation->owner) : NULL;
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

enum cuda_error cuda_pool_allocate(struct cuda_state *state, void **pointer, size_t bytes,
                                   cuda_pool asked, bool has_pool, cuda_stream stream) {
    enum cuda_error error = cuda_enter(state);
    struct cuda_pool *pool = NULL;
    if (error == cudaSuccess && !cuda_stream_is_good(state, stream))
        error = cudaErrorInvalidResourceHandle;
    struct cuda_capture *capture = NULL;
    if (error == cudaSuccess)
        error = cuda_capture_use(state, stream, &capture);
    if (error == cudaSuccess) {
        pool =
            has_pool ? find(state, asked) : current_pool(state, cuda_stream_device(state, stream));
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
        cuda_check_allocated_async(state, stream, *pointer, bytes);
    }
    return error;
}

enum cuda_error cuda_free_async(struct cuda_state *state, void *pointer, cuda_stream stream) {
    bool is_lost;
    enum cuda_error error = cuda_enter_queued(state, &is_lost);
    if (error == cudaSuccess && !cuda_stream_is_good(state, stream))
        error = cudaErrorInvalidResourceHandle;
    struct cuda_capture *capture = NULL;
    if (error == cudaSuccess)
        error = cuda_capture_use(state, stream, &capture);
    if (error == cudaSuccess && capture) {
        struct cuda_node_params params = {.type = CUDA_NODE_FREE, .u.freed = pointer};
        error = cuda_capture_node(state, stream, &params);
    } else if (error == cudaSuccess) {
        cuda_check_freed_async(state, stream, pointer);
        error = cuda_release(state, pointer, false);
    }
    return error;
}

enum cuda_error cuda_device_get_default_mem_pool(struct cuda_state *state, cuda_pool *pool,
                                                 int device) {
    enum cuda_error error = pool ? cuda_enter_device(state, device) : cuda_enter(state);
    if (error == cudaSuccess && !pool)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *pool = default_pool(state, state->current);
    return error;
}

enum cuda_error cuda_device_get_mem_pool(struct cuda_state *state, cuda_pool *pool, int device) {
    enum cuda_error error = pool ? cuda_enter_device(state, device) : cuda_enter(state);
    if (error == cudaSuccess && !pool)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *pool = current_pool(state, state->current);
    return error;
}

enum cuda_error cuda_device_set_mem_pool(struct cuda_state *state, int device, cuda_pool pool) {
    enum cuda_error error = cuda_enter_device(state, device);
    struct cuda_pool *known = error == cudaSuccess ? find(state, pool) : NULL;
    if (error == cudaSuccess && (!known || known->handle.device->number != (unsigned)device))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        known->handle.device->pool = known;
    return error;
}

enum cuda_error cuda_mem_pool_create(struct cuda_state *state, cuda_pool *pool,
                                     const struct cuda_pool_properties *properties) {
    enum { PINNED = 1 };
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && (!pool || !properties || properties->allocation_type != PINNED ||
                                 !properties->location.type))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && properties->location.type != LOCATION_DEVICE) {
        cuda_say_gap(state, PROFILE_GAP_UNSUPPORTED,
                     "cudaMemPoolCreate: pools of host memory are not supported");
        error = cudaErrorNotSupported;
    }
    if (error == cudaSuccess && properties->handle_types) {
        cuda_say_gap(state, PROFILE_GAP_UNSUPPORTED,
                     "cudaMemPoolCreate: pools that other processes share are not supported");
        error = cudaErrorNotSupported;
    }
    if (error == cudaSuccess && !cuda_is_device(state, properties->location.id))
        error = cudaErrorInvalidDevice;
    if (error == cudaSuccess)
        error = cuda_visit(state, &state->devices[properties->location.id]);
    if (error == cudaSuccess)
        *pool = new_pool(state, state->current);
    return error;
}

enum cuda_error cuda_mem_pool_destroy(struct cuda_state *state, cuda_pool pool) {
    enum cuda_error error = cuda_enter(state);
    struct cuda_pool *known = error == cudaSuccess ? find(state, pool) : NULL;
    if (error == cudaSuccess && (!known || known == known->handle.device->default_pool))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        cuda_handle_kill(state, &known->handle);
    return error;
}

static bool is_flag(int attribute) { // int, the others are 64 bits wide
    return attribute < RELEASE_THRESHOLD;
}

static enum cuda_error enter_with(struct cuda_state *state, cuda_pool pool, int attribute,
                                  const void *value, struct cuda_pool **known) {
    enum cuda_error error = cuda_enter(state);
    *known = error == cudaSuccess ? find(state, pool) : NULL;
    if (error == cudaSuccess &&
        (!*known || !value || attribute < FIRST_ATTRIBUTE || attribute > LAST_ATTRIBUTE))
        error = cudaErrorInvalidValue;
    return error;
}

enum cuda_error cuda_mem_pool_get_attribute(struct cuda_state *state, cuda_pool pool, int attribute,
                                            void *value) {
    struct cuda_pool *known;
    enum cuda_error error = enter_with(state, pool, attribute, value, &known);
    if (error == cudaSuccess && is_flag(attribute))
        *(int *)value = (int)known->attributes[attribute];
    else if (error == cudaSuccess)
        *(uint64_t *)value = known->attributes[attribute];
    return error;
}

enum cuda_error cuda_mem_pool_set_attribute(struct cuda_state *state, cuda_pool pool, int attribute,
                                            void *value) {
    struct cuda_pool *known;
    enum cuda_error error = enter_with(state, pool, attribute, value, &known);
    if (error == cudaSuccess)
        known->attributes[attribute] =
            is_flag(attribute) ? (uint64_t) * (const int *)value : *(const uint64_t *)value;
    return error;
}

enum cuda_error cuda_pool_look_at(struct cuda_state *state, cuda_pool pool) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && !find(state, pool))
        error = cudaErrorInvalidValue;
    return error;
}

static enum cuda_error set_access(struct cuda_state *state, struct cuda_pool *pool,
                                  const struct cuda_access *access) {
    if (access->location.type != LOCATION_DEVICE || !cuda_is_device(state, access->location.id))
        return cudaErrorInvalidDevice;
    if (access->flags != NO_ACCESS && access->flags != READ && access->flags != READ_WRITE)
        return cudaErrorInvalidValue;
    if (access->location.id == (int)pool->handle.device->number && access->flags != READ_WRITE)
        return cudaErrorInvalidDevice;
    pool->access[access->location.id] = access->flags;
    return cudaSuccess;
}

enum cuda_error cuda_mem_pool_set_access(struct cuda_state *state, cuda_pool pool,
                                         const struct cuda_access *access, size_t count) {
    enum cuda_error error = cuda_enter(state);
    struct cuda_pool *known = error == cudaSuccess ? find(state, pool) : NULL;
    if (error == cudaSuccess && (!known || !access))
        error = cudaErrorInvalidValue;
    for (size_t i = 0; error == cudaSuccess && i < count; i++)
        error = set_access(state, known, &access[i]);
    if (error == cudaSuccess)
        sim_set_owner_access(state->current->sim, known, devices_with(known, READ),
                             devices_with(known, READ_WRITE));
    return error;
}

enum cuda_error cuda_mem_pool_get_access(struct cuda_state *state, int *flags, cuda_pool pool,
                                         const struct cuda_location *location) {
    enum cuda_error error = cuda_enter(state);
    const struct cuda_pool *known = error == cudaSuccess ? find(state, pool) : NULL;
    if (error == cudaSuccess && (!known || !flags || !location))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess &&
        (location->type != LOCATION_DEVICE || !cuda_is_device(state, location->id)))
        error = cudaErrorInvalidDevice;
    if (error == cudaSuccess)
        *flags = location->id == (int)known->handle.device->number ? READ_WRITE
                                                                   : known->access[location->id];
    return error;
}
