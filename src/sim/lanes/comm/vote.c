// vote, activemask, elect.
#include "sim/lanes/comm/members.h"

enum question { ALL, ANY, UNIFORM };

// In instr->immediate: the voters' predicate may be a constant.
enum { PREDICATE, ALWAYS_FALSE, ALWAYS_TRUE };

static uint32_t voters_predicate(const struct sim_warp *warp, const struct sim_instr *instr) {
    if (instr->immediate == PREDICATE)
        return sim_predicate(warp, instr, 1);
    return instr->immediate == ALWAYS_TRUE ? FULL_MASK : 0;
}

static uint32_t predicate_kind(const struct ir_instruction *ir) {
    const struct ir_operand *operand = &ir->operands[1];
    if (operand->kind != IR_OPERAND_IMMEDIATE)
        return PREDICATE;
    return (operand->value != 0) != operand->is_negated ? ALWAYS_TRUE : ALWAYS_FALSE;
}

// ---- vote.all, .any, .uni: `vote{.sync} p, q{, members}` -----------------------------------

LANES_INLINE const struct sim_instr *vote(struct sim_warp *warp, const struct sim_instr *instr,
                                          enum question question, bool sync) {
    if (sync && !comm_gather(warp, instr, 2))
        return NULL;
    const uint32_t *members = sync ? LANES_ALIGNED(const uint32_t, instr->operand[2]) : NULL;
    const uint32_t holds = voters_predicate(warp, instr);
    uint32_t answer = 0;
    for (struct comm_groups g = {0}; comm_next_group(warp, members, &g);) {
        const uint32_t yes = holds & g.lanes;
        const bool all = yes == g.lanes;
        if (question == ALL ? all : question == ANY ? yes != 0 : all || !yes)
            answer |= g.lanes;
    }
    sim_set_predicate(warp, instr->operand[0], answer);
    return instr + 1;
}

// ---- vote.ballot: `vote{.sync}.ballot d, q{, members}` -------------------------------------

LANES_INLINE const struct sim_instr *ballot(struct sim_warp *warp, const struct sim_instr *instr,
                                            bool sync) {
    if (sync && !comm_gather(warp, instr, 2))
        return NULL;
    const uint32_t *members = sync ? LANES_ALIGNED(const uint32_t, instr->operand[2]) : NULL;
    const uint32_t holds = voters_predicate(warp, instr);
    uint32_t *d = LANES_ALIGNED(uint32_t, instr->operand[0]);
    _Alignas(64) uint32_t result[LANES] = {0};
    for (struct comm_groups g = {0}; comm_next_group(warp, members, &g);) {
        const uint32_t yes = holds & g.lanes, group = g.lanes;
        SIM_LANES
            result[l] = group >> l & 1 ? yes : result[l];
    }
    SIM_LANES
        d[l] = warp->lanes[l] ? result[l] : d[l];
    return instr + 1;
}

#define COMM(name, call)                                                                           \
    static const struct sim_instr *name(struct sim_warp *warp, const struct sim_instr *instr) {    \
        return call;                                                                               \
    }

COMM(all_sync, vote(warp, instr, ALL, true))
COMM(any_sync, vote(warp, instr, ANY, true))
COMM(uniform_sync, vote(warp, instr, UNIFORM, true))
COMM(all_legacy, vote(warp, instr, ALL, false))
COMM(any_legacy, vote(warp, instr, ANY, false))
COMM(uniform_legacy, vote(warp, instr, UNIFORM, false))
COMM(ballot_sync, ballot(warp, instr, true))
COMM(ballot_legacy, ballot(warp, instr, false))

static bool use(struct sim_instr *out, sim_handler run) {
    out->run[0] = out->run[1] = run;
    return true;
}

LANES_SELECT(vote) {
    out->immediate = predicate_kind(ir);
    const bool sync = PTX_HAS(ir->ptx, sync);
    switch (lanes_modifier(ir, PTX_GROUP_op)) {
    case PTX_MOD_all:
        return use(out, sync ? all_sync : all_legacy);
    case PTX_MOD_any:
        return use(out, sync ? any_sync : any_legacy);
    case PTX_MOD_uni:
        return use(out, sync ? uniform_sync : uniform_legacy);
    default:
        return false;
    }
}

LANES_SELECT(vote_ballot) {
    out->immediate = predicate_kind(ir);
    return use(out, PTX_HAS(ir->ptx, sync) ? ballot_sync : ballot_legacy);
}

// ---- activemask, elect ---------------------------------------------------------------------

static const struct sim_instr *active_mask(struct sim_warp *warp, const struct sim_instr *instr) {
    uint32_t *d = LANES_ALIGNED(uint32_t, instr->operand[0]);
    const uint32_t mask = warp->mask;
    SIM_LANES
        d[l] = warp->lanes[l] ? mask : d[l];
    return instr + 1;
}

LANES_SELECT(activemask) {
    return use(out, active_mask);
}

// `elect.sync d|p, members`: the lowest lane of the members is the leader.
static const struct sim_instr *elect(struct sim_warp *warp, const struct sim_instr *instr) {
    if (!comm_gather(warp, instr, 1))
        return NULL;
    const uint32_t *members = LANES_ALIGNED(const uint32_t, instr->operand[1]);
    uint32_t *d = LANES_ALIGNED(uint32_t, instr->operand[0]);
    _Alignas(64) uint32_t leader[LANES] = {0};
    uint32_t leaders = 0;
    for (struct comm_groups g = {0}; comm_next_group(warp, members, &g);) {
        const uint32_t group = g.lanes, first = (uint32_t)__builtin_ctz(group);
        SIM_LANES
            leader[l] = group >> l & 1 ? first : leader[l];
        leaders |= 1u << first;
    }
    SIM_LANES
        d[l] = warp->lanes[l] ? leader[l] : d[l];
    if (instr->immediate)
        sim_set_predicate(warp, instr->pair, leaders);
    return instr + 1;
}

LANES_SELECT(elect) {
    out->immediate = ir->operands[0].pair != IR_NONE;
    return use(out, elect);
}
