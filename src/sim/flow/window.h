// Inside the simulator: addresses that may lie in the shared memory of any block of the cluster, or
// in the windows of the generic address space.
#ifndef BANKRUN_SIM_FLOW_WINDOW_H
#define BANKRUN_SIM_FLOW_WINDOW_H

#include "sim/flow/cluster.h"
#include "sim/memory/request.h"

// Generic addresses of which some lie in the shared or local window: checks them, tells the
// observer, and turns the addresses of the lanes of the mask into host addresses.
bool sim_mem_generic(const struct mem_request *request, uint64_t *addresses);

// A shared::cluster address (see sim/flow/cluster.h): the host address of its bytes and the block
// that they belong to. NULL: the fault is raised. Tells nobody.
uint8_t *sim_mem_cluster(const struct mem_request *request, uint64_t address, unsigned lane,
                         struct sim_block **target);

// A generic address that one lane of a library call passes: the host address of its byte, and how
// many bytes from there on may be read (or written). NULL: none.
uint8_t *sim_mem_span(struct sim_warp *warp, unsigned lane, uint64_t address, bool write,
                      uint64_t *bytes);
// Tells that the call accessed `bytes` of them; those of local memory concern nobody.
void sim_mem_tell_span(const struct sim_warp *warp, const struct sim_instr *instr, unsigned lane,
                       uint64_t address, unsigned bytes, enum event_intent intent);

#endif
