// See bulk.h.
#include "sim/tensor/bulk.h"

#include <inttypes.h>

static const char *verb(const struct mem_request *r) {
    return r->intent == EVENT_READ ? "read" : r->intent == EVENT_WRITE ? "write" : "reduction";
}

uint8_t *sim_bulk_shared(const struct mem_request *r, unsigned lane, uint64_t address,
                         uint64_t bytes, struct sim_block **target) {
    uint8_t *at = sim_mem_cluster(r, address, lane, target);
    if (!at)
        return NULL;
    if (bytes <= (*target)->shared_bytes - (uint64_t)(at - (*target)->shared))
        return at;
    sim_raise(r->warp, r->instr, SIM_FAULT_ILLEGAL_ADDRESS, lane, address,
              "bulk %s of %" PRIu64 " bytes at shared address 0x%" PRIx64
              ": the block has %u bytes of shared memory",
              verb(r), bytes, address, (*target)->shared_bytes);
    return NULL;
}

uint8_t *sim_bulk_global(const struct mem_request *r, unsigned lane, uint64_t address,
                         uint64_t bytes) {
    struct sim_worker *worker = r->warp->block->worker;
    struct sim_site_cache hit;
    if (address & (r->width - 1)) {
        sim_raise(r->warp, r->instr, SIM_FAULT_MISALIGNED, lane, address,
                  "misaligned bulk %s at 0x%" PRIx64 ": the address is no multiple of %u", verb(r),
                  address, r->width);
        return NULL;
    }
    if (sim_memory_touch(worker, address, bytes, r->intent != EVENT_READ, &hit) ||
        sim_mem_lets_pass(r, address, bytes, lane))
        return (uint8_t *)(uintptr_t)address;
    char text[SIM_MEMORY_TEXT];
    sim_memory_describe(worker->memory, address, bytes, text);
    sim_raise(r->warp, r->instr, SIM_FAULT_ILLEGAL_ADDRESS, lane, address,
              "bulk %s of %" PRIu64 " bytes at 0x%" PRIx64 ": %s", verb(r), bytes, address, text);
    return NULL;
}
