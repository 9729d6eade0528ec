// From requests to events. See emit.h.
#include "sim/emit.h"

#include <string.h>

#include "sim/native.h"

void sim_listen(struct sim_worker *worker, const struct event_observer *observer) {
    worker->observer = observer;
    if (!observer)
        return;
    if (observer->worker_begin)
        worker->observer_state = observer->worker_begin(observer->context, worker->index);
    if (observer->memos)
        worker->memos = observer->memos(worker->observer_state);
    if (observer->journal)
        worker->journal = observer->journal(worker->observer_state);
    worker->hears_access = observer->access != NULL;
    worker->hears_unsited = observer->access && observer->wants_unsited;
    worker->hears_values = observer->access && observer->wants_values;
    worker->hears_copies = observer->copy != NULL;
    worker->hears_sync = observer->sync != NULL;
    worker->hears_trouble = observer->trouble != NULL;
    worker->hears_exchanges = observer->sync && !observer->spares_exchanges;
    worker->hears_phases = observer->sync && !observer->spares_even_phases;
}

_Static_assert(IR_NONE == EVENT_NONE, "one number for no site");

static void fill_place(const struct sim_warp *warp, const struct sim_instr *instr,
                       struct event_access *event) {
    const struct sim_block *block = warp->block;
    event->instruction = instr->number;
    event->block = block->index;
    event->block_number = block->linear;
    event->warp = warp->index;
}

// The lanes' elements side by side: as they lie in the register, or packed into `values`.
static const uint8_t *stored_values(const struct mem_request *r, uint8_t *values) {
    const struct sim_access *access = r->instr->access;
    if (access->count == 1 && access->element_bytes[0] == access->bytes)
        return sim_at(r->warp, access->element[0]);
    for (unsigned e = 0; e < access->count; e++) {
        const uint8_t *lanes = sim_at(r->warp, access->element[e]);
        for (unsigned l = 0; l < LANES; l++)
            memcpy(values + (size_t)l * r->width + e * access->bytes,
                   lanes + (size_t)l * access->element_bytes[e], access->bytes);
    }
    return values;
}

static void tell(const struct mem_request *r, const struct event_access *event) {
    struct sim_worker *worker = r->warp->block->worker;
    if (worker->native)
        sim_native_tell(worker, event->site);
    if (sim_is_heard(r))
        worker->observer->access(worker->observer_state, event);
    if (sim_is_copy_heard(r))
        worker->observer->copy(worker->observer_state, event);
    if (worker->native)
        sim_native_told(worker, event->site, event->space);
}

// Apart, since the values take a kilobyte of stack.
__attribute__((noinline)) static void tell_values(const struct mem_request *r,
                                                  struct event_access *event) {
    enum { MOST_STORED = 32 };
    uint8_t values[LANES * MOST_STORED];
    if (r->width <= MOST_STORED)
        event->values = stored_values(r, values);
    tell(r, event);
}

// Inlined, so that each kind of access fills its event once: it happens for every request.
__attribute__((always_inline)) static inline void emit(const struct mem_request *r,
                                                       struct event_access event) {
    if (!sim_is_heard(r) && !sim_is_copy_heard(r))
        return;
    event.site = r->site;
    event.intent = r->intent;
    event.order = r->instr->access->order;
    event.scope = r->instr->access->scope;
    event.completion = r->instr->access->completion;
    event.proxy = r->instr->access->proxy;
    event.width = r->width;
    fill_place(r->warp, r->instr, &event);
    if (r->warp->block->worker->hears_values && r->instr->access->is_store)
        tell_values(r, &event);
    else
        tell(r, &event);
}

void sim_emit_shared(const struct mem_request *r, uint32_t mask, const uint32_t *offsets,
                     enum event_pattern pattern, const struct sim_block *owner) {
    emit(r, (struct event_access){.space = SITE_SHARED,
                                  .mask = mask,
                                  .offsets = offsets,
                                  .pattern = pattern,
                                  .owner = owner->linear});
}

void sim_emit_global(const struct mem_request *r, uint32_t mask, const uint64_t *addresses,
                     enum event_pattern pattern) {
    emit(r, (struct event_access){
                .space = SITE_GLOBAL, .mask = mask, .addresses = addresses, .pattern = pattern});
}

void sim_emit_copy(const struct mem_request *r, const uint32_t *offsets, const uint64_t *addresses,
                   const uint32_t *source_bytes) {
    emit(r, (struct event_access){.space = SITE_SHARED,
                                  .mask = r->mask,
                                  .offsets = offsets,
                                  .addresses = addresses,
                                  .source_bytes = source_bytes,
                                  .owner = r->warp->block->linear});
}

void sim_emit_bulk_shared(const struct mem_request *r, unsigned lane, uint32_t offset,
                          uint64_t bytes, const struct sim_block *owner, const uint32_t *pieces) {
    uint32_t offsets[LANES] = {offset};
    offsets[lane] = offset;
    if (bytes)
        emit(r, (struct event_access){.space = SITE_SHARED,
                                      .mask = 1u << lane,
                                      .offsets = offsets,
                                      .bulk_bytes = bytes,
                                      .pieces = pieces,
                                      .owner = owner->linear});
}

void sim_emit_bulk_global(const struct mem_request *r, unsigned lane, uint64_t address,
                          uint64_t bytes, bool continues) {
    uint64_t addresses[LANES] = {address};
    addresses[lane] = address;
    if (bytes)
        emit(r, (struct event_access){.space = SITE_GLOBAL,
                                      .mask = 1u << lane,
                                      .addresses = addresses,
                                      .bulk_bytes = bytes,
                                      .bulk_continues = continues});
}

// ---- Accesses that no site makes ----------------------------------------------------------

void sim_emit_unsited(const struct sim_warp *warp, const struct sim_instr *instr,
                      struct event_access event) {
    const struct sim_worker *worker = warp->block->worker;
    event.site = EVENT_NONE;
    if (!sim_hears_unsited(warp))
        return;
    fill_place(warp, instr, &event);
    worker->observer->access(worker->observer_state, &event);
}

void sim_emit_lane_shared(const struct sim_warp *warp, const struct sim_instr *instr, unsigned lane,
                          uint32_t offset, const struct sim_block *owner,
                          struct event_access event) {
    uint32_t offsets[LANES] = {0};
    offsets[lane] = offset;
    event.space = SITE_SHARED;
    event.mask = 1u << lane;
    event.offsets = offsets;
    event.owner = owner->linear;
    sim_emit_unsited(warp, instr, event);
}

void sim_emit_lane_global(const struct sim_warp *warp, const struct sim_instr *instr, unsigned lane,
                          uint64_t address, struct event_access event) {
    uint64_t addresses[LANES] = {0};
    addresses[lane] = address;
    event.space = SITE_GLOBAL;
    event.mask = 1u << lane;
    event.addresses = addresses;
    sim_emit_unsited(warp, instr, event);
}

void sim_emit_undefined(const struct sim_warp *warp, struct event_undefined event) {
    const struct sim_block *block = warp->block;
    const struct sim_worker *worker = block->worker;
    event.block = block->index;
    event.block_number = block->linear;
    event.warp = warp->index;
    if (worker->observer && worker->observer->undefined)
        worker->observer->undefined(worker->observer_state, &event);
}

// ---- Synchronisation ----------------------------------------------------------------------

static void emit_sync(const struct sim_block *block, struct event_sync *event) {
    const struct sim_worker *worker = block->worker;
    event->block = block->index;
    event->block_number = block->linear;
    worker->observer->sync(worker->observer_state, event);
}

void sim_emit_lanes(const struct sim_warp *warp, const struct sim_instr *instr, uint32_t mask,
                    struct event_sync event) {
    if (!sim_hears_sync(warp->block) || !mask)
        return;
    event.instruction = instr->number;
    event.warp = warp->index;
    event.mask = mask;
    emit_sync(warp->block, &event);
}

void sim_emit_block(const struct sim_block *block, struct event_sync event) {
    event.instruction = EVENT_NONE;
    if (sim_hears_sync(block))
        emit_sync(block, &event);
}

void sim_emit_members(const struct sim_warp *warp, const struct sim_instr *instr,
                      enum event_kind kind, uint32_t lanes, const uint32_t named[LANES]) {
    if (!sim_hears_sync(warp->block))
        return;
    for (uint32_t rest = lanes; rest;) {
        const uint32_t members = named[__builtin_ctz(rest)];
        uint32_t group = 0;
        EACH_LANE(l, rest) {
            group |= (uint32_t)(named[l] == members) << l;
        }
        sim_emit_lanes(warp, instr, group, (struct event_sync){.kind = kind, .members = members});
        rest &= ~group;
    }
}

// ---- Trouble ------------------------------------------------------------------------------

void sim_emit_trouble(const struct sim_warp *warp, uint32_t instruction, uint32_t mask,
                      struct event_trouble event) {
    const struct sim_block *block = warp->block;
    const struct sim_worker *worker = block->worker;
    if (!worker->hears_trouble)
        return;
    event.instruction = instruction;
    event.block = block->index;
    event.block_number = block->linear;
    event.warp = warp->index;
    event.mask = mask;
    worker->observer->trouble(worker->observer_state, &event);
}
