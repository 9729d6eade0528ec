// Inside the simulator: what the files of memory operations share that is no lane code.
#ifndef BANKRUN_SIM_MEMORY_REQUEST_H
#define BANKRUN_SIM_MEMORY_REQUEST_H

#include "sim/access.h"
#include "sim/memory/memory.h"

enum mem_intent { MEM_READ, MEM_WRITE, MEM_ATOMIC };

// One warp's access while it is being checked.
struct mem_request {
    struct sim_warp *warp;
    const struct sim_instr *instr;
    uint32_t site;  // IR_NONE: not observed
    unsigned width; // bytes of a lane
    enum mem_intent intent;
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
// Generic addresses of which some lie in the shared or local window: checks them, tells the
// observer, and turns the addresses of the lanes of the mask into host addresses.
bool sim_mem_generic(const struct mem_request *request, uint64_t *addresses);

// A shared::cluster address (see sim/cluster.h): the host address of its bytes and the block that
// they belong to. NULL: the fault is raised. Tells nobody.
uint8_t *sim_mem_cluster(const struct mem_request *request, uint64_t address, unsigned lane,
                         struct sim_block **target);

void sim_mem_tell_shared(const struct mem_request *request, uint32_t mask, const uint32_t *offsets);
void sim_mem_tell_assumed(const struct mem_request *request, uint32_t mask,
                          const uint32_t *offsets);
void sim_mem_tell_global(const struct mem_request *request, uint32_t mask,
                         const uint64_t *addresses);

// Where the last hit of an access with this site is kept; NULL: nowhere.
static inline struct sim_site_cache *sim_mem_cache(const struct mem_request *request) {
    struct sim_worker *worker = request->warp->block->worker;
    if (request->site != IR_NONE)
        return &worker->cache[request->site];
    if (request->intent != MEM_READ)
        return NULL;
    return &worker->unsited[request->instr->ir % SIM_UNSITED_CACHES];
}

// A generic address that one lane of a library call passes: the host address of its byte, and how
// many bytes from there on may be read (or written). NULL: none.
uint8_t *sim_mem_span(struct sim_warp *warp, unsigned lane, uint64_t address, bool write,
                      uint64_t *bytes);

#endif
