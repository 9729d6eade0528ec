// Instructions that compute a value in each lane: ir/undefined.h says what comes of it.
#include "sim/shadow/shadow.h"

// Whether the result is more than a copy of the source, whose origin this is: a part of it may be
// undefined then without being the padding of a structure, or a field next to one that is set.
static bool is_computed(const struct sim_shadow *shadow, uint64_t origin) {
    const bool was = origin & SIM_ORIGIN_COMPUTED;
    const struct ir_value_row *row = ir_value_row(shadow->meaning.value);
    if (shadow->is_opaque)
        return true;
    switch (row->law) {
    case IR_LAW_COPY:
        return was || row->result != row->operands[0];
    case IR_LAW_CHOICE:
        return was;
    case IR_LAW_ROUTE: // cut out of one register, or put together of parts
        return shadow->result_count == 1 && shadow->ir->operands[1].kind != IR_OPERAND_VECTOR;
    case IR_LAW_BITWISE: // two registers: fields that are put together
        return was && (shadow->source_count == 1 || !shadow->sources[1].has_ref);
    case IR_LAW_ROUTE_PAIR:
        return false;
    default:
        return true;
    }
}

// The first source with undefined bits is what the result is said to come from.
static void run_lane(struct sim_warp *warp, const struct sim_shadow *shadow, unsigned lane) {
    struct ir_lane values = {0};
    struct ir_shadow bits = {0};
    uint64_t origin = 0;
    for (unsigned i = shadow->source_count; i-- > 0;) {
        const struct sim_shadow_operand *source = &shadow->sources[i];
        values.in[i] = sim_shadow_value(warp, source, lane);
        bits.in[i] = sim_shadow_bits(warp, shadow, source, lane);
        if (bits.in[i])
            origin = sim_shadow_origin_of(warp, shadow, source, lane);
    }
    const uint64_t before = origin;
    ir_undefined(shadow->code->ir, shadow->ir, &shadow->meaning, shadow->source_count, &values,
                 &bits);
    origin &= ~SIM_ORIGIN_COMPUTED;
    origin |= is_computed(shadow, before) ? SIM_ORIGIN_COMPUTED : 0;
    for (unsigned i = 0; i < shadow->result_count; i++)
        if (shadow->results[i].may_be_undefined)
            sim_shadow_set(warp, shadow, &shadow->results[i], lane, bits.out[i], origin);
    if (shadow->second.may_be_undefined)
        sim_shadow_set(warp, shadow, &shadow->second, lane, bits.second, origin);
}

__attribute__((noinline)) static void run_flagged(struct sim_warp *warp,
                                                  const struct sim_shadow *shadow) {
    const uint32_t mask = sim_shadow_executed(warp, shadow);
    uint32_t lanes = 0;
    for (unsigned i = 0; i < shadow->source_count; i++)
        lanes |= sim_shadow_lanes(warp, shadow, &shadow->sources[i], mask);
    if (!shadow->is_opaque && shadow->meaning.value == IR_VALUE_NONE)
        lanes = 0;      // what comes of it is not known: that counts as defined
    EACH_LANE(l, lanes) // a lane's results may lie where its sources do
        run_lane(warp, shadow, l);
    sim_shadow_clear_results(warp, shadow, mask & ~lanes);
    if (lanes)
        sim_shadow_settle_results(warp, shadow);
}

// Of more operands than an instruction has references.
const struct sim_instr *sim_shadow_run_parts(struct sim_warp *warp, const struct sim_instr *instr) {
    run_flagged(warp, instr->extra);
    return instr + 1;
}

const struct sim_instr *sim_shadow_run_value(struct sim_warp *warp, const struct sim_instr *instr) {
    const uint8_t *frame = warp->base[SIM_BASE_REGISTERS];
    const sim_ref *flag = instr->operand;
    if (__builtin_expect(
            frame[flag[0]] | frame[flag[1]] | frame[flag[2]] | frame[flag[3]] | frame[flag[4]], 0))
        run_flagged(warp, instr->extra);
    return instr + 1;
}
