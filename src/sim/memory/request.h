// Inside the simulator: what the files of memory operations share that is no lane code.
#ifndef BANKRUN_SIM_MEMORY_REQUEST_H
#define BANKRUN_SIM_MEMORY_REQUEST_H

#include "sim/access.h"
#include "sim/memory/memory.h"

// One warp's access while it is being checked.
struct mem_request {
    struct sim_warp *warp;
    const struct sim_instr *instr;
    uint32_t site;  // IR_NONE: not observed
    unsigned width; // bytes of a lane
    enum event_intent intent;
    uint32_t mask; // never 0
};

// The slow ways, taken when a quick check of all lanes at once said no. True: go on. False: the
// fault is raised, the handler returns NULL.

// Host addresses. Also accepts reads of the launch's parameter block.
bool sim_mem_check_global(const struct mem_request *request, const uint64_t *addresses);
// Offsets into memory of `bytes` bytes: the block's shared memory, a lane's local memory or its
// .param variables.
bool sim_mem_check_offsets(const struct mem_request *request, enum ptx_space space,
                           const uint64_t *offsets, uint64_t bytes);
// The same for one lane. `last`: the allocation that the lane before hit; zeroed: none.
bool sim_mem_check_host(const struct mem_request *request, uint64_t address, unsigned lane,
                        struct sim_site_cache *last);
// Whether a GPU would let a lane access global memory that is in no allocation; if so it is noted.
bool sim_mem_lets_pass(const struct mem_request *request, uint64_t address, uint64_t bytes,
                       unsigned lane);
bool sim_mem_check_offset(const struct mem_request *request, enum ptx_space space, uint64_t offset,
                          uint64_t bytes, unsigned lane);
extern const char *const sim_mem_intents[]; // in words, by event_intent

// Where the last hit of an access with this site is kept; NULL: nowhere.
static inline struct sim_site_cache *sim_mem_cache(const struct mem_request *request) {
    struct sim_worker *worker = request->warp->block->worker;
    if (request->site != IR_NONE)
        return &worker->cache[request->site];
    if (request->intent != EVENT_READ)
        return NULL;
    return &worker->unsited[request->instr->ir % SIM_UNSITED_CACHES];
}

#endif
