// Addresses of another block's shared memory: mapa and getctarank.
#include "sim/flow/cluster.h"
#include "sim/lanes/lanes.h"

// In instr->immediate: what the operands are.
enum { IS_GENERIC = 1, IS_64 = 2, RESULT_IS_64 = 4 };

static uint64_t operand_lane(const struct sim_warp *warp, const struct sim_instr *instr, bool is_64,
                             unsigned lane) {
    const void *value = sim_at(warp, instr->operand[1]);
    return is_64 ? ((const uint64_t *)value)[lane] : ((const uint32_t *)value)[lane];
}

static void set_lane(const struct sim_warp *warp, const struct sim_instr *instr, bool is_64,
                     unsigned lane, uint64_t value) {
    void *d = sim_at(warp, instr->operand[0]);
    if (is_64)
        ((uint64_t *)d)[lane] = value;
    else
        ((uint32_t *)d)[lane] = (uint32_t)value;
}

static const struct sim_instr *map_address(struct sim_warp *warp, const struct sim_instr *instr) {
    const uint32_t *rank = LANES_ALIGNED(const uint32_t, instr->operand[2]);
    const uint64_t window = instr->immediate & IS_GENERIC ? IR_SHARED_WINDOW : 0;
    EACH_LANE(l, warp->mask) {
        const uint64_t a = operand_lane(warp, instr, instr->immediate & IS_64, l) - window;
        set_lane(warp, instr, instr->immediate & RESULT_IS_64, l,
                 (a & IR_CLUSTER_OFFSET) + ir_cluster_tag(rank[l]) + window);
    }
    return instr + 1;
}

static const struct sim_instr *rank_of(struct sim_warp *warp, const struct sim_instr *instr) {
    const uint64_t window = instr->immediate & IS_GENERIC ? IR_SHARED_WINDOW : 0;
    EACH_LANE(l, warp->mask) {
        const uint64_t a = operand_lane(warp, instr, instr->immediate & IS_64, l) - window;
        const uint64_t rank =
            sim_cluster_is_own(warp->block, a) ? warp->block->rank : (a >> IR_CLUSTER_SHIFT) - 1;
        set_lane(warp, instr, instr->immediate & RESULT_IS_64, l, rank);
    }
    return instr + 1;
}

static bool select_address(struct sim_decoder *decoder, const struct ir_instruction *ir,
                           struct sim_instr *out, sim_handler run) {
    const unsigned result = sim_decoder_operand_bytes(decoder, &ir->operands[0]);
    const unsigned source = sim_decoder_operand_bytes(decoder, &ir->operands[1]);
    const bool is_generic = lanes_modifier(ir, PTX_GROUP_space) == 0;
    out->immediate = (is_generic ? IS_GENERIC : 0) | (source == 8 ? IS_64 : 0) |
                     (result == 8 ? RESULT_IS_64 : 0);
    out->run[0] = out->run[1] = run;
    // A generic address does not fit into 32 bits here.
    return !is_generic || source == 8;
}

LANES_SELECT(mapa) {
    return select_address(decoder, ir, out, map_address);
}

LANES_SELECT(getctarank) {
    return select_address(decoder, ir, out, rank_of);
}
