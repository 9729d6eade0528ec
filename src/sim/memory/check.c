// The slow ways of memory accesses: lane by lane, exact, with words for what is wrong.
#include <inttypes.h>
#include <stddef.h>

#include "sim/memory/pages.h"
#include "sim/memory/request.h"

const char *const sim_mem_intents[] = {
    [EVENT_READ] = "read",
    [EVENT_WRITE] = "write",
    [EVENT_ATOMIC] = "atomic access",
};

static bool check_alignment(const struct mem_request *r, uint64_t address, const char *where,
                            unsigned lane) {
    if ((address & (r->width - 1)) == 0)
        return true;
    sim_raise(r->warp, r->instr, SIM_FAULT_MISALIGNED, lane, address,
              "misaligned %s of %u bytes at %s0x%" PRIx64 ": the address is no multiple of %u",
              sim_mem_intents[r->intent], r->width, where, address, r->width);
    return false;
}

// ---- Global -------------------------------------------------------------------------------

// The parameter block is the launch's, not an allocation.
static bool is_in_parameters(const struct mem_request *r, uint64_t address) {
    const struct sim_worker *worker = r->warp->block->worker;
    if (r->intent != EVENT_READ || !worker->launch || !worker->kernel)
        return false;
    uint64_t begin = (uint64_t)(uintptr_t)worker->launch->parameters;
    uint64_t bytes = sim_kernel_function(worker->kernel)->parameter_bytes;
    return begin && r->width <= bytes && address - begin <= bytes - r->width;
}

bool sim_mem_lets_pass(const struct mem_request *r, uint64_t address, uint64_t bytes,
                       unsigned lane) {
    struct sim_memory *memory = r->warp->block->worker->memory;
    const enum ptx_space space = r->instr->access->space;
    if (!memory->space->pages || space == PTX_SPACE_CONST || space == PTX_SPACE_PARAM ||
        !sim_pages_let_pass(memory, address, bytes, r->intent != EVENT_READ))
        return false;
    if (sim_count_passed(r->warp, r->instr)) {
        char text[SIM_MEMORY_TEXT];
        sim_memory_describe(memory, address, bytes, text);
        sim_describe_passed(r->warp, r->instr, lane, address,
                            "%s of %" PRIu64 " bytes at 0x%" PRIx64 ": %s",
                            sim_mem_intents[r->intent], bytes, address, text);
    }
    return true;
}

// A compiler may have merged loads into one that reads more than they did, past an array's end,
// too, where that is no fault: no allocation ends between the bytes of an aligned access. It says
// so.
static bool touches_used(const struct mem_request *r, uint64_t address,
                         struct sim_site_cache *last) {
    const uint32_t used = r->instr->access->used_bytes;
    if (!used || r->intent != EVENT_READ)
        return false;
    const unsigned first = (unsigned)__builtin_ctz(used), end = 32 - (unsigned)__builtin_clz(used);
    return end <= r->width &&
           sim_memory_touch(r->warp->block->worker, address + first, end - first, false, last);
}

bool sim_mem_check_host(const struct mem_request *r, uint64_t address, unsigned lane,
                        struct sim_site_cache *last) {
    if (!check_alignment(r, address, "", lane))
        return false;
    if (last->bytes >= r->width && address - last->address <= last->bytes - r->width)
        return true;
    struct sim_worker *worker = r->warp->block->worker;
    if (sim_memory_touch(worker, address, r->width, r->intent != EVENT_READ, last) ||
        touches_used(r, address, last) || is_in_parameters(r, address) ||
        sim_mem_lets_pass(r, address, r->width, lane))
        return true;
    char text[SIM_MEMORY_TEXT];
    sim_memory_describe(worker->memory, address, r->width, text);
    sim_raise(r->warp, r->instr, SIM_FAULT_ILLEGAL_ADDRESS, lane, address,
              "%s of %u bytes at 0x%" PRIx64 ": %s", sim_mem_intents[r->intent], r->width, address,
              text);
    return false;
}

bool sim_mem_check_global(const struct mem_request *r, const uint64_t *addresses) {
    struct sim_site_cache last = {0};
    bool is_good = true;
    EACH_LANE(l, r->mask) {
        is_good &= sim_mem_check_host(r, addresses[l], l, &last);
    }
    struct sim_site_cache *cache = sim_mem_cache(r);
    if (cache && last.generation && is_good)
        *cache = last;
    return is_good;
}

// ---- Shared, local, .param ----------------------------------------------------------------

static const char *space_prefix(enum ptx_space space) {
    return space == PTX_SPACE_SHARED  ? "shared address "
           : space == PTX_SPACE_LOCAL ? "local address "
                                      : "parameter address ";
}

static bool raise_bounds(const struct mem_request *r, enum ptx_space space, uint64_t offset,
                         uint64_t bytes, unsigned lane) {
    const char *owner = space == PTX_SPACE_SHARED  ? "the block has"
                        : space == PTX_SPACE_LOCAL ? "the thread has"
                                                   : "the function has";
    const char *kind = space == PTX_SPACE_SHARED  ? "shared memory"
                       : space == PTX_SPACE_LOCAL ? "local memory"
                                                  : "parameters";
    sim_raise(r->warp, r->instr, SIM_FAULT_ILLEGAL_ADDRESS, lane, offset,
              "%s of %u bytes at %s0x%" PRIx64 ": %s %" PRIu64 " bytes of %s",
              sim_mem_intents[r->intent], r->width, space_prefix(space), offset, owner, bytes,
              kind);
    return false;
}

bool sim_mem_check_offset(const struct mem_request *r, enum ptx_space space, uint64_t offset,
                          uint64_t bytes, unsigned lane) {
    if (!check_alignment(r, offset, space_prefix(space), lane))
        return false;
    if (bytes >= r->width && offset <= bytes - r->width)
        return true;
    return raise_bounds(r, space, offset, bytes, lane);
}

bool sim_mem_check_offsets(const struct mem_request *r, enum ptx_space space,
                           const uint64_t *offsets, uint64_t bytes) {
    bool is_good = true;
    EACH_LANE(l, r->mask) {
        is_good &= sim_mem_check_offset(r, space, offsets[l], bytes, l);
    }
    return is_good;
}
