// Inside the simulator: the 64 bits of an mbarrier, which the ISA leaves open. Here: arrivals that
// are pending, arrivals that a phase expects, bytes that are under way, and the number of the
// phase.
#ifndef BANKRUN_SIM_LANES_MEM_MBARRIER_H
#define BANKRUN_SIM_LANES_MEM_MBARRIER_H

#include "ir/value_math.h"
#include "sim/emit.h"

enum {
    SIM_MBARRIER_COUNT = IR_MBARRIER_COUNT, // bits
    SIM_MBARRIER_COUNT_MASK = IR_MBARRIER_COUNT_MASK,
    SIM_MBARRIER_BYTES = 21,
    SIM_MBARRIER_PHASE = 3,
};

struct sim_mbarrier {
    uint32_t pending, expected;
    int32_t bytes;
    uint32_t phase;
};

static inline struct sim_mbarrier sim_mbarrier_unpack(uint64_t word) {
    const uint32_t bytes =
        (uint32_t)(word >> 2 * SIM_MBARRIER_COUNT) & ((1u << SIM_MBARRIER_BYTES) - 1);
    const unsigned unused = 32 - SIM_MBARRIER_BYTES;
    return (struct sim_mbarrier){(uint32_t)word & SIM_MBARRIER_COUNT_MASK,
                                 (uint32_t)(word >> SIM_MBARRIER_COUNT) & SIM_MBARRIER_COUNT_MASK,
                                 (int32_t)(bytes << unused) >> unused,
                                 (uint32_t)(word >> (64 - SIM_MBARRIER_PHASE))};
}

static inline uint64_t sim_mbarrier_pack(struct sim_mbarrier s) {
    const uint64_t bytes = (uint32_t)s.bytes & ((1u << SIM_MBARRIER_BYTES) - 1);
    return s.pending | (uint64_t)s.expected << SIM_MBARRIER_COUNT |
           bytes << 2 * SIM_MBARRIER_COUNT | (uint64_t)s.phase << (64 - SIM_MBARRIER_PHASE);
}

static inline void sim_mbarrier_finish_phase(struct sim_mbarrier *s) {
    if (s->pending || s->bytes)
        return;
    s->phase = (s->phase + 1) % (1u << SIM_MBARRIER_PHASE);
    s->pending = s->expected;
}

// Bytes of an asynchronous copy that a lane made have arrived, at a barrier of `owner`.
static inline void sim_mbarrier_complete(const struct mem_request *r, unsigned lane,
                                         const struct sim_block *owner, uint8_t *at,
                                         uint32_t bytes) {
    uint64_t *word = (uint64_t *)(void *)at;
    struct sim_mbarrier s = sim_mbarrier_unpack(*word);
    const uint32_t phase = s.phase;
    s.bytes -= (int32_t)bytes;
    sim_mbarrier_finish_phase(&s);
    *word = sim_mbarrier_pack(s);
    const uint32_t offset = (uint32_t)(at - owner->shared);
    sim_emit_lane_shared(r->warp, r->instr, lane, offset, owner,
                         (struct event_access){.intent = EVENT_ATOMIC,
                                               .order = EVENT_RELEASE,
                                               .scope = EVENT_CLUSTER,
                                               .width = sizeof *word});
    sim_emit_lanes(r->warp, r->instr, 1u << lane,
                   (struct event_sync){.kind = EVENT_MBARRIER_COMPLETE_TX,
                                       .order = EVENT_RELEASE,
                                       .scope = EVENT_CLUSTER,
                                       .owner = owner->linear,
                                       .offset = offset,
                                       .count = bytes,
                                       .phase = phase,
                                       .ends_phase = s.phase != phase});
}

#endif
