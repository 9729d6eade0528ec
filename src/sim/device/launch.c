// The device library: launches from kernels (dynamic parallelism), with their streams and events.
//
//   __cudaCDP2GetParameterBufferV2   b64 kernel, dim3 grid, dim3 block, b32 shared bytes
//                                    b64: where the parameters are written, 0: no memory left
//   __cudaCDP2LaunchDeviceV2         b64 buffer, b64 stream                     b32: error
//   __cudaCDP2StreamCreateWithFlags  b64 where the handle goes, b32 flags       b32: error
//   ...
//
// A launch is only noted. Those of a block run in the order in which it asked for them, one after
// the other, when the whole parent has ended: then streams and events have nothing left to order.
#include <inttypes.h>
#include <string.h>

#include "sim/device/calls.h"
#include "sim/flow/block.h"
#include "sim/flow/window.h"

enum { STREAM_TAIL = 3 }; // cudaStreamTailLaunch

void sim_device_launches_free(struct sim_device_launches *launches) {
    for (size_t i = 0; i < launches->children.length; i++)
        free(launches->children.data[i].parameters);
    vec_free(&launches->children);
    vec_free(&launches->wishes);
}

static const struct ir_function *kernel_at(const struct sim_warp *warp, uint64_t address) {
    const struct ir_module *module = warp->block->worker->kernel->ir->module;
    for (uint32_t i = 0; i < module->function_count; i++) {
        const struct ir_function *function = module->functions[i];
        if ((uint64_t)(uintptr_t)function == address && function->ptx->is_entry)
            return function;
    }
    return NULL;
}

static bool get_buffer(struct sim_warp *warp, const struct sim_instr *instr,
                       const void *const *arguments, void *result) {
    enum { KERNEL, GRID, BLOCK, SHARED };
    uint64_t *buffers = result;
    EACH_LANE(l, warp->mask) {
        const uint64_t address = ((const uint64_t *)arguments[KERNEL])[l];
        struct sim_child child = {.kernel = kernel_at(warp, address)};
        if (!child.kernel) {
            sim_raise(warp, instr, SIM_FAULT_ILLEGAL_ADDRESS, l, address,
                      "launch of 0x%" PRIx64 ", which is no kernel of this module", address);
            return false;
        }
        memcpy(child.grid, (const uint32_t *)arguments[GRID] + 3 * l, sizeof child.grid);
        memcpy(child.block, (const uint32_t *)arguments[BLOCK] + 3 * l, sizeof child.block);
        child.dynamic_shared_bytes = ((const uint32_t *)arguments[SHARED])[l];
        const struct sim_allocation *buffer = sim_memory_alloc(
            warp->block->worker->memory, child.kernel->parameter_bytes, SIM_INTERNAL);
        buffers[l] = buffer ? buffer->address : 0;
        struct sim_device_wish wish = {buffers[l], child};
        if (buffer)
            vec_push(&sim_block_of(warp)->launches.wishes, wish);
    }
    return true;
}

// The newest is the likeliest.
static struct sim_device_wish *find_wish(struct sim_device_launches *launches, uint64_t buffer) {
    for (size_t i = launches->wishes.length; i > 0; i--)
        if (launches->wishes.data[i - 1].buffer == buffer)
            return &launches->wishes.data[i - 1];
    return NULL;
}

static void note(struct sim_warp *warp, struct sim_child child, uint64_t stream) {
    struct sim_device_launches *launches = &sim_block_of(warp)->launches;
    child.is_tail = stream == STREAM_TAIL;
    child.parent = warp->block->linear;
    child.order = launches->children.length;
    vec_push(&launches->children, child);
}

static void note_launch(struct sim_warp *warp, const struct sim_instr *instr, unsigned lane,
                        struct sim_device_wish *wish, uint64_t stream) {
    struct sim_device_launches *launches = &sim_block_of(warp)->launches;
    struct sim_child child = wish->child;
    const unsigned bytes = child.kernel->parameter_bytes;
    child.parameters = base_alloc(bytes ? bytes : 1);
    if (bytes)
        memcpy(child.parameters, (const void *)(uintptr_t)wish->buffer, bytes);
    sim_mem_tell_span(warp, instr, lane, wish->buffer, bytes, EVENT_READ);
    note(warp, child, stream);
    sim_memory_free(warp->block->worker->memory, wish->buffer, false);
    *wish = launches->wishes.data[--launches->wishes.length];
}

static bool launch(struct sim_warp *warp, const struct sim_instr *instr,
                   const void *const *arguments, void *result) {
    const uint64_t *buffers = arguments[0], *streams = arguments[1];
    uint32_t *errors = result;
    EACH_LANE(l, warp->mask) {
        struct sim_device_wish *wish = find_wish(&sim_block_of(warp)->launches, buffers[l]);
        if (!wish) {
            sim_raise(warp, instr, SIM_FAULT_ILLEGAL_INSTRUCTION, l, buffers[l],
                      "launch from a kernel with parameters that lie in no buffer that the block "
                      "asked for");
            return false;
        }
        note_launch(warp, instr, l, wish, streams[l]);
        errors[l] = 0;
    }
    return true;
}

// ---- Streams, events, the device ----------------------------------------------------------

static bool succeed(struct sim_warp *warp, const struct sim_instr *instr,
                    const void *const *arguments, void *result) {
    (void)warp;
    (void)instr;
    (void)arguments;
    memset(result, 0, LANES * sizeof(uint32_t));
    return true;
}

// Writes a value for each lane where its first argument points to.
static bool give(struct sim_warp *warp, const struct sim_instr *instr, const uint64_t *addresses,
                 uint64_t value, unsigned bytes) {
    EACH_LANE(l, warp->mask) {
        uint64_t span;
        uint8_t *to = sim_mem_span(warp, l, addresses[l], true, &span);
        if (!to || span < bytes) {
            sim_raise(warp, instr, SIM_FAULT_ILLEGAL_ADDRESS, l, addresses[l],
                      "0x%" PRIx64 " is no memory for a function's result", addresses[l]);
            return false;
        }
        memcpy(to, &value, bytes);
        sim_mem_tell_span(warp, instr, l, addresses[l], bytes, EVENT_WRITE);
    }
    return true;
}

// All handles are alike, as nothing is looked up by them.
static bool create(struct sim_warp *warp, const struct sim_instr *instr,
                   const void *const *arguments, void *result) {
    enum { HANDLE = 0x100 };
    return give(warp, instr, arguments[0], HANDLE, sizeof(uint64_t)) &&
           succeed(warp, instr, arguments, result);
}

static bool get_device(struct sim_warp *warp, const struct sim_instr *instr,
                       const void *const *arguments, void *result) {
    const struct sim_config *config = &warp->block->worker->sim->config;
    return give(warp, instr, arguments[0], config->device, sizeof(int)) &&
           succeed(warp, instr, arguments, result);
}

static bool get_device_count(struct sim_warp *warp, const struct sim_instr *instr,
                             const void *const *arguments, void *result) {
    const struct sim_config *config = &warp->block->worker->sim->config;
    return give(warp, instr, arguments[0], config->devices ? config->devices : 1, sizeof(int)) &&
           succeed(warp, instr, arguments, result);
}

// ---- Memory -------------------------------------------------------------------------------

// cudaMalloc and cudaFree of a kernel work on its heap, as malloc and free do.
static bool allocate(struct sim_warp *warp, const struct sim_instr *instr,
                     const void *const *arguments, void *result) {
    enum { NO_MEMORY = 2 }; // cudaErrorMemoryAllocation
    const uint64_t *bytes = arguments[1];
    const uint32_t lanes = warp->mask;
    uint32_t errors[LANES] = {0};
    bool good = true;
    for (uint32_t rest = lanes; rest && good; rest &= rest - 1) {
        const unsigned l = (unsigned)__builtin_ctz(rest);
        const struct sim_allocation *found =
            sim_memory_alloc(warp->block->worker->memory, bytes[l], SIM_DEVICE_HEAP);
        errors[l] = found ? 0 : NO_MEMORY;
        warp->mask = 1u << l;
        good = give(warp, instr, arguments[0], found ? found->address : 0, sizeof(uint64_t));
    }
    warp->mask = lanes;
    memcpy(result, errors, sizeof errors);
    return good;
}

static bool release(struct sim_warp *warp, const struct sim_instr *instr,
                    const void *const *arguments, void *result) {
    return sim_device_find("free")->call(warp, instr, arguments, NULL) &&
           succeed(warp, instr, arguments, result);
}

static bool copy(struct sim_warp *warp, const struct sim_instr *instr, const void *const *arguments,
                 void *result) {
    const uint64_t *to = arguments[0], *from = arguments[1], *bytes = arguments[2],
                   *streams = arguments[4];
    EACH_LANE(l, warp->mask) {
        note(warp, (struct sim_child){.to = to[l], .from = from[l], .bytes = bytes[l]}, streams[l]);
    }
    return succeed(warp, instr, arguments, result);
}

static bool fill(struct sim_warp *warp, const struct sim_instr *instr, const void *const *arguments,
                 void *result) {
    const uint64_t *to = arguments[0], *bytes = arguments[2], *streams = arguments[3];
    const uint32_t *values = arguments[1];
    EACH_LANE(l, warp->mask) {
        const struct sim_child child = {
            .to = to[l], .bytes = bytes[l], .value = (uint8_t)values[l]};
        note(warp, child, streams[l]);
    }
    return succeed(warp, instr, arguments, result);
}

// The texts of those errors that functions here return.
static bool error_string(struct sim_warp *warp, const struct sim_instr *instr,
                         const void *const *arguments, void *result) {
    static const char *const texts[] = {"no error", "invalid argument", "out of memory"};
    (void)instr;
    const uint32_t *errors = arguments[0];
    uint64_t *addresses = result;
    EACH_LANE(l, warp->mask) {
        const char *text = errors[l] < 3 ? texts[errors[l]] : "unrecognized error code";
        const struct sim_allocation *copied =
            sim_memory_alloc(warp->block->worker->memory, strlen(text) + 1, SIM_INTERNAL);
        addresses[l] = copied ? copied->address : 0;
        if (copied)
            memcpy((void *)(uintptr_t)copied->address, text, strlen(text) + 1);
    }
    return true;
}

// ---- The table ----------------------------------------------------------------------------

static const struct sim_device functions[] = {
    {"__cudaCDP2GetParameterBufferV2", 4, {8, 12, 12, 4}, 8, get_buffer, true},
    {"__cudaCDP2LaunchDeviceV2", 2, {8, 8}, 4, launch, true},
    {"__cudaCDP2LaunchDeviceV2_ptsz", 2, {8, 8}, 4, launch, true},
    {"__cudaCDP2GetLastError", 0, {0}, 4, succeed, false},
    {"__cudaCDP2PeekAtLastError", 0, {0}, 4, succeed, false},
    {"__cudaCDP2StreamCreateWithFlags", 2, {8, 4}, 4, create, false},
    {"__cudaCDP2StreamDestroy", 1, {8}, 4, succeed, false},
    {"__cudaCDP2StreamWaitEvent", 3, {8, 8, 4}, 4, succeed, false},
    {"__cudaCDP2StreamWaitEvent_ptsz", 3, {8, 8, 4}, 4, succeed, false},
    {"__cudaCDP2EventCreateWithFlags", 2, {8, 4}, 4, create, false},
    {"__cudaCDP2EventRecord", 2, {8, 8}, 4, succeed, false},
    {"__cudaCDP2EventRecord_ptsz", 2, {8, 8}, 4, succeed, false},
    {"__cudaCDP2EventRecordWithFlags", 3, {8, 8, 4}, 4, succeed, false},
    {"__cudaCDP2EventRecordWithFlags_ptsz", 3, {8, 8, 4}, 4, succeed, false},
    {"__cudaCDP2EventDestroy", 1, {8}, 4, succeed, false},
    {"__cudaCDP2Malloc", 2, {8, 8}, 4, allocate, false},
    {"__cudaCDP2Free", 1, {8}, 4, release, false},
    {"__cudaCDP2MemcpyAsync", 5, {8, 8, 8, 4, 8}, 4, copy, true},
    {"__cudaCDP2MemcpyAsync_ptsz", 5, {8, 8, 8, 4, 8}, 4, copy, true},
    {"__cudaCDP2MemsetAsync", 4, {8, 4, 8, 8}, 4, fill, true},
    {"__cudaCDP2MemsetAsync_ptsz", 4, {8, 4, 8, 8}, 4, fill, true},
    {"__cudaCDP2GetErrorString", 1, {4}, 8, error_string, false},
    {"__cudaCDP2GetDevice", 1, {8}, 4, get_device, false},
    {"__cudaCDP2GetDeviceCount", 1, {8}, 4, get_device_count, false},
};

const struct sim_device *sim_device_launch_find(const char *name) {
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(functions[i].name, name) == 0)
            return &functions[i];
    }
    return NULL;
}
