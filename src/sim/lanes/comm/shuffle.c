// shfl: every lane takes the value of another one. A lane whose source is off, or out of range,
// keeps its own value.
#include "ir/shuffle.h"
#include "sim/lanes/comm/members.h"
#include "sim/lanes/permute.h"
#include "sim/lanes/vector.h"

// Which lane each lane reads, and (one bit a lane) whether it is in range.
LANES_INLINE uint32_t sources(const uint32_t *b, const uint32_t *c, enum ptx_modifier way,
                              int32_t from[LANES]) {
    _Alignas(64) int32_t in_range[LANES];
    SIM_LANES
        in_range[l] = ir_shuffle_source(way, l, b[l], c[l], &from[l]) ? -1 : 0;
    return lanes_signs(in_range);
}

// instr->immediate: what the instruction has beside d, a, b and c.
enum { HAS_MEMBERS = 1, HAS_PREDICATE = 2, NAMES_ALL = 4 };

LANES_INLINE const struct sim_instr *shuffle(struct sim_warp *warp, const struct sim_instr *instr,
                                             enum ptx_modifier way, bool full) {
    const bool is_sync = instr->immediate & HAS_MEMBERS;
    const bool is_complete = full && instr->immediate & NAMES_ALL && !warp->is_heard;
    if (is_sync && !is_complete && !comm_gather(warp, instr, 4))
        return NULL;
    uint32_t *d = LANES_ALIGNED(uint32_t, instr->operand[0]);
    const uint32_t *a = LANES_ALIGNED(const uint32_t, instr->operand[1]);
    const uint32_t *b = LANES_ALIGNED(const uint32_t, instr->operand[2]);
    const uint32_t *c = LANES_ALIGNED(const uint32_t, instr->operand[3]);
    _Alignas(64) int32_t from[LANES];
    const uint32_t in_range = sources(b, c, way, from);
    if (!full) // the source is on, or the lane reads itself
        SIM_LANES
            from[l] = warp->mask >> from[l] & 1 ? from[l] : l;
    lanes_permute(d, a, from, warp->lanes, full);
    if (instr->immediate & HAS_PREDICATE)
        sim_set_predicate(warp, instr->pair, in_range);
    return instr + 1;
}

#define SHUFFLE(name, way)                                                                         \
    static const struct sim_instr *name##_some(struct sim_warp *warp,                              \
                                               const struct sim_instr *instr) {                    \
        return shuffle(warp, instr, way, false);                                                   \
    }                                                                                              \
    static const struct sim_instr *name##_all(struct sim_warp *warp,                               \
                                              const struct sim_instr *instr) {                     \
        return shuffle(warp, instr, way, true);                                                    \
    }                                                                                              \
    static const sim_handler name[2] = {name##_some, name##_all};

SHUFFLE(up, PTX_MOD_up)
SHUFFLE(down, PTX_MOD_down)
SHUFFLE(butterfly, PTX_MOD_bfly)
SHUFFLE(indexed, PTX_MOD_idx)

LANES_SELECT(shfl) {
    out->immediate = PTX_HAS(ir->ptx, sync) ? HAS_MEMBERS : 0;
    if (ir->operands[4].kind == IR_OPERAND_IMMEDIATE && ir->operands[4].value == FULL_MASK)
        out->immediate |= NAMES_ALL;
    if (ir->operands[0].pair != IR_NONE)
        out->immediate |= HAS_PREDICATE;
    switch (lanes_modifier(ir, PTX_GROUP_op)) {
    case PTX_MOD_up:
        return lanes_use(out, up);
    case PTX_MOD_down:
        return lanes_use(out, down);
    case PTX_MOD_bfly:
        return lanes_use(out, butterfly);
    case PTX_MOD_idx:
        return lanes_use(out, indexed);
    default:
        return false;
    }
}
