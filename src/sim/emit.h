// Inside the simulator: the one place where observers are told what happens (event/event.h).
#ifndef BANKRUN_SIM_EMIT_H
#define BANKRUN_SIM_EMIT_H

#include "event/event.h"
#include "sim/memory/request.h"

// The worker's part in a launch that is observed. NULL: nobody listens.
void sim_listen(struct sim_worker *worker, const struct event_observer *observer);

static inline bool sim_is_heard(const struct mem_request *r) {
    const struct sim_worker *worker = r->warp->block->worker;
    return worker->hears_access && (r->site != IR_NONE || worker->hears_unsited);
}

static inline bool sim_is_copy_heard(const struct mem_request *r) {
    return r->warp->block->worker->hears_copies && r->site != IR_NONE &&
           r->instr->access->completion != EVENT_AT_ONCE;
}

// A request for offsets into the shared memory of `owner`, or for addresses of global memory.
void sim_emit_shared(const struct mem_request *request, uint32_t mask, const uint32_t *offsets,
                     enum event_pattern pattern, const struct sim_block *owner);
void sim_emit_global(const struct mem_request *request, uint32_t mask, const uint64_t *addresses,
                     enum event_pattern pattern);
// cp.async, whose lanes read that many bytes each.
void sim_emit_copy(const struct mem_request *request, const uint32_t *offsets,
                   const uint64_t *addresses, const uint32_t *source_bytes);
// What lane `lane` copies in bulk. `pieces`: see event.h; NULL: no gaps. `continues`: a further
// piece of the copy that was told of last.
void sim_emit_bulk_shared(const struct mem_request *request, unsigned lane, uint32_t offset,
                          uint64_t bytes, const struct sim_block *owner, const uint32_t *pieces);
void sim_emit_bulk_global(const struct mem_request *request, unsigned lane, uint64_t address,
                          uint64_t bytes, bool continues);

// ---- Accesses that no site makes: told to observers that want them ------------------------

static inline bool sim_hears_unsited(const struct sim_warp *warp) {
    return warp->block->worker->hears_unsited;
}

// All but where it comes from is the caller's.
void sim_emit_unsited(const struct sim_warp *warp, const struct sim_instr *instr,
                      struct event_access event);
// One lane's; space, mask and place are set here.
void sim_emit_lane_shared(const struct sim_warp *warp, const struct sim_instr *instr, unsigned lane,
                          uint32_t offset, const struct sim_block *owner,
                          struct event_access event);
void sim_emit_lane_global(const struct sim_warp *warp, const struct sim_instr *instr, unsigned lane,
                          uint64_t address, struct event_access event);

// A use of something undefined; where it is told from is set here.
void sim_emit_undefined(const struct sim_warp *warp, struct event_undefined event);

// ---- Synchronisation ----------------------------------------------------------------------

static inline bool sim_hears_sync(const struct sim_block *block) {
    return block->worker->hears_sync;
}

// What the lanes of `mask` do with this instruction; the kind and its fields are the caller's.
// Does nothing where nobody listens, as the next ones.
void sim_emit_lanes(const struct sim_warp *warp, const struct sim_instr *instr, uint32_t mask,
                    struct event_sync event);
// What happens to a block or its cluster.
void sim_emit_block(const struct sim_block *block, struct event_sync event);
// Lanes that have come together: one event for each mask that they name.
void sim_emit_members(const struct sim_warp *warp, const struct sim_instr *instr,
                      enum event_kind kind, uint32_t lanes, const uint32_t named[LANES]);

// ---- Trouble ------------------------------------------------------------------------------

// What the lanes of `mask` met at an instruction, by its number. Does nothing where nobody listens.
void sim_emit_trouble(const struct sim_warp *warp, uint32_t instruction, uint32_t mask,
                      struct event_trouble event);

#endif
