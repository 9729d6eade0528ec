// Makes lane code of warp communication: which lanes take part.
#ifndef BANKRUN_SIM_LANES_COMM_MEMBERS_H
#define BANKRUN_SIM_LANES_COMM_MEMBERS_H

#include "sim/emit.h"
#include "sim/lanes/lanes.h"

// Whether all active lanes name just each other.
LANES_INLINE bool comm_is_whole(const struct sim_warp *warp, const uint32_t *members) {
    const uint32_t mask = warp->mask;
    uint32_t odd = 0;
    SIM_LANES
        odd |= warp->lanes[l] ? members[l] ^ mask : 0;
    return odd == 0;
}

// The lanes that the .sync forms name. Each lane brings its own mask (a block may be cut into
// tiles that communicate at the same instruction), so this waits for all that any lane names.
// False: the others are not there yet, or a lane does not name itself; the handler returns NULL.
static inline bool comm_gather(struct sim_warp *warp, const struct sim_instr *instr, int operand) {
    const uint32_t *members = LANES_ALIGNED(const uint32_t, instr->operand[operand]);
    uint32_t named = 0, strangers = 0;
    SIM_LANES {
        named |= warp->lanes[l] ? members[l] : 0;
        strangers |= warp->lanes[l] ? ~members[l] & 1u << l : 0;
    }
    if (strangers)
        return sim_raise_stranger(warp, instr, members, strangers);
    if (named & ~warp->mask && !sim_gather(warp, instr, named))
        return false;
    if (warp->is_heard && (warp->block->worker->hears_exchanges || !comm_is_whole(warp, members)))
        sim_emit_members(warp, instr, EVENT_WARP_EXCHANGE, warp->mask, members);
    return true;
}

// The lanes of `rest` that communicate with lane `first`: those that named the same mask.
LANES_INLINE uint32_t comm_group(const struct sim_warp *warp, const uint32_t *members,
                                 uint32_t rest, unsigned first) {
    const uint32_t named = members[first];
    uint32_t odd = 0;
    SIM_LANES
        odd |= warp->lanes[l] ? members[l] ^ named : 0;
    uint32_t group = named & rest;
    for (uint32_t others = odd ? group : 0; others; others &= others - 1) {
        const unsigned l = (unsigned)__builtin_ctz(others);
        if (members[l] != named)
            group &= ~(1u << l);
    }
    return group | 1u << first;
}

// Goes over the groups of the active lanes: true once for each, with g->lanes set. Starts with g =
// {0}. members NULL: all active lanes are one group.
struct comm_groups {
    uint32_t done, lanes;
};

static inline bool comm_next_group(const struct sim_warp *warp, const uint32_t *members,
                                   struct comm_groups *g) {
    const uint32_t rest = warp->mask & ~g->done;
    if (!rest)
        return false;
    if (!members)
        g->lanes = rest;
    else
        g->lanes = comm_group(warp, members, rest, (unsigned)__builtin_ctz(rest));
    g->done |= g->lanes;
    return true;
}

#endif
