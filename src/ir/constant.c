// Constant folding: what a register holds where that follows from numbers in the code.
#include "ir/uses.h"
#include "ir/value.h"

enum { PATIENCE = 16 }; // registers to look at for one answer

static bool fold(const struct ir_uses *uses, const struct ir_operand *operand, uint64_t *value,
                 unsigned *steps);

static bool fold_sources(const struct ir_uses *uses, const struct ir_instruction *set,
                         struct ir_lane *lane, unsigned *steps) {
    unsigned count = 0;
    for (uint32_t o = 1; o < set->operand_count; o++) {
        const struct ir_operand *operand = &set->operands[o];
        const bool is_vector = operand->kind == IR_OPERAND_VECTOR;
        const uint32_t elements = is_vector ? operand->element_count : 1;
        for (uint32_t e = 0; e < elements; e++)
            if (count == IR_VALUE_PARTS ||
                !fold(uses, is_vector ? &operand->elements[e] : operand, &lane->in[count++], steps))
                return false;
    }
    return true;
}

// What the instruction leaves in one of the registers that it sets. The same must follow whatever
// the carry bit is; what depends on the block's place in its cluster is no constant.
static bool evaluate(const struct ir_uses *uses, const struct ir_instruction *set,
                     const struct ir_lane *sources, uint32_t reg, uint64_t *value) {
    const struct ir_operand *d = &set->operands[0];
    struct ir_lane lane = *sources, other = *sources;
    other.carry = true;
    if (d->kind != IR_OPERAND_REGISTER ||
        ir_value_row(ir_meaning_of(uses->function, set).value)->sees_own ||
        !ir_evaluate(uses->function, set, &lane) || !ir_evaluate(uses->function, set, &other))
        return false;
    *value = d->reg == reg ? lane.out[0] : lane.second;
    return *value == (d->reg == reg ? other.out[0] : other.second);
}

static bool fold(const struct ir_uses *uses, const struct ir_operand *operand, uint64_t *value,
                 unsigned *steps) {
    if (operand->kind == IR_OPERAND_IMMEDIATE) {
        *value = operand->value;
        return true;
    }
    if (operand->kind != IR_OPERAND_REGISTER || ++*steps > PATIENCE)
        return false;
    const struct ir_instruction *set = ir_only_setter(uses, operand->reg);
    struct ir_lane sources = {0};
    return set && set->guard == IR_NONE && fold_sources(uses, set, &sources, steps) &&
           evaluate(uses, set, &sources, operand->reg, value);
}

bool ir_is_constant(const struct ir_uses *uses, const struct ir_operand *operand, uint64_t *value) {
    unsigned steps = 0;
    return fold(uses, operand, value, &steps);
}
