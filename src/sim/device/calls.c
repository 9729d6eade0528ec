// The device library: which functions there are, and all of them but printf.
#include "sim/device/calls.h"

#include <inttypes.h>
#include <string.h>

#include "sim/flow/block.h"
#include "sim/memory/request.h"

// ---- malloc, free -------------------------------------------------------------------------

// Unlike a real device's, the heap is as large as the device's free memory.
static bool device_malloc(struct sim_warp *warp, const struct sim_instr *instr,
                          const void *const *arguments, void *result) {
    (void)instr;
    const uint64_t *bytes = arguments[0];
    uint64_t *address = result;
    struct sim_memory *memory = warp->block->worker->memory;
    EACH_LANE(l, warp->mask) {
        const struct sim_allocation *allocation =
            sim_memory_alloc(memory, bytes[l], SIM_DEVICE_HEAP);
        address[l] = allocation ? allocation->address : 0;
    }
    return true;
}

static bool device_free(struct sim_warp *warp, const struct sim_instr *instr,
                        const void *const *arguments, void *result) {
    (void)result;
    const uint64_t *address = arguments[0];
    struct sim_memory *memory = warp->block->worker->memory;
    EACH_LANE(l, warp->mask) {
        if (!address[l] || sim_memory_free(memory, address[l], true))
            continue;
        char text[SIM_MEMORY_TEXT];
        const struct sim_allocation *found = sim_memory_find(memory, address[l], false);
        if (found && found->address == address[l])
            strcpy(text, "it does not come from the kernel's malloc");
        else if (found)
            strcpy(text, "it is not the start of an allocation");
        else
            sim_memory_describe(memory, address[l], 1, text);
        sim_raise(warp, instr, SIM_FAULT_ILLEGAL_ADDRESS, l, address[l],
                  "free of 0x%" PRIx64 ": %s", address[l], text);
        return false;
    }
    return true;
}

// ---- assert -------------------------------------------------------------------------------

static void thread_of(const struct sim_warp *warp, unsigned lane, uint32_t thread[3]) {
    const uint32_t *block = warp->block->worker->launch->block;
    uint32_t linear = warp->index * LANES + lane;
    thread[0] = linear % block[0];
    thread[1] = linear / block[0] % block[1];
    thread[2] = linear / block[0] / block[1];
}

// The text is what the CUDA runtime prints.
static bool device_assertfail(struct sim_warp *warp, const struct sim_instr *instr,
                              const void *const *arguments, void *result) {
    (void)result;
    enum { MESSAGE, FILE_NAME, LINE, FUNCTION };
    static const char *const names[] = {[MESSAGE] = "the text of assert",
                                        [FILE_NAME] = "the file name of assert",
                                        [FUNCTION] = "the function name of assert"};
    const unsigned l = (unsigned)__builtin_ctz(warp->mask);
    struct strbuf text[4] = {{0}};
    bool good = true;
    for (int i = MESSAGE; i <= FUNCTION && good; i++) {
        if (i != LINE)
            good = sim_device_string(warp, instr, l, ((const uint64_t *)arguments[i])[l],
                                     UINT64_MAX, names[i], &text[i]);
    }
    if (good) {
        uint32_t thread[3];
        thread_of(warp, l, thread);
        const uint32_t *block = warp->block->index;
        sim_raise(warp, instr, SIM_FAULT_ASSERT, l, 0,
                  "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.",
                  strbuf_string(&text[FILE_NAME]), ((const uint32_t *)arguments[LINE])[l],
                  strbuf_string(&text[FUNCTION]), block[0], block[1], block[2], thread[0],
                  thread[1], thread[2], strbuf_string(&text[MESSAGE]));
        sim_raise_too(warp, warp->mask);
    }
    for (int i = 0; i < 4; i++)
        strbuf_free(&text[i]);
    return false;
}

// ---- Graphs -------------------------------------------------------------------------------

static bool device_set_conditional(struct sim_warp *warp, const struct sim_instr *instr,
                                   const void *const *arguments, void *result) {
    (void)result;
    const uint64_t *handle = arguments[0];
    const uint32_t *value = arguments[1];
    const struct sim_launch *launch = warp->block->worker->launch;
    EACH_LANE(l, warp->mask) {
        if (launch->set_condition &&
            launch->set_condition(launch->condition_context, handle[l], value[l]))
            continue;
        sim_raise(warp, instr, SIM_FAULT_ILLEGAL_ADDRESS, l, handle[l],
                  "cudaGraphSetConditional: no graph has a condition of the handle 0x%" PRIx64,
                  handle[l]);
        return false;
    }
    return true;
}

// ---- The table ----------------------------------------------------------------------------

static const struct sim_device functions[] = {
    {"vprintf", 2, {8, 8}, 4, sim_device_vprintf, false},
    {"malloc", 1, {8}, 8, device_malloc, false},
    {"free", 1, {8}, 0, device_free, false},
    {"__assertfail", 5, {8, 8, 4, 8, 8}, 0, device_assertfail, false},
    {"cudaGraphSetConditional", 2, {8, 4}, 0, device_set_conditional, false},
};

bool sim_device_allocates(const struct sim_device *device) {
    return device->call == device_malloc || device->call == device_free;
}

const struct sim_device *sim_device_find(const char *name) {
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(functions[i].name, name) == 0)
            return &functions[i];
    }
    return sim_device_launch_find(name);
}
