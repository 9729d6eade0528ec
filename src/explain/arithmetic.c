// Integers as in C: promotions, conversions, unsigned numbers that wrap. Where C leaves a result
// undefined, or a division has none, the lane is named.
#include "explain/internal.h"
#include "ir/value.h"

int64_t explain_convert(int64_t number, const struct explain_type *type) {
    if (type->kind != EXPLAIN_INTEGER || type->bytes == 8)
        return number;
    if (type->name[0] == 'b') // bool
        return number != 0;
    switch (type->bytes) {
    case 1:
        return type->is_unsigned ? (int64_t)(uint8_t)number : (int64_t)(int8_t)number;
    case 2:
        return type->is_unsigned ? (int64_t)(uint16_t)number : (int64_t)(int16_t)number;
    default:
        return type->is_unsigned ? (int64_t)(uint32_t)number : (int64_t)(int32_t)number;
    }
}

const struct explain_type *explain_promoted(const struct explain_type *type) {
    if (type->bytes < 4)
        return &explain_int;
    if (type->bytes == 4)
        return type->is_unsigned ? &explain_unsigned : &explain_int;
    return type->is_unsigned ? &explain_ulong : &explain_long;
}

const struct explain_type *explain_common(const struct explain_type *a,
                                          const struct explain_type *b) {
    a = explain_promoted(a);
    b = explain_promoted(b);
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? a : b;
    return a->is_unsigned ? a : b;
}

// ---- Results: what a GPU's instructions compute -------------------------------------------

// Rows of value.def for unsigned, int, unsigned long and long.
enum { ROWS = 4 };

struct operation {
    int op;
    enum ir_value rows[ROWS];
};

static int64_t run(const enum ir_value rows[ROWS], const struct explain_type *type, int64_t a,
                   int64_t b) {
    struct ir_lane lane = {.in = {(uint64_t)a, (uint64_t)b}};
    ir_value_run(rows[2 * (type->bytes == 8) + !type->is_unsigned], 0, &lane);
    return explain_convert((int64_t)lane.out[0], type);
}

#define OF_BITS(name)                                                                              \
    { IR_VALUE_##name##_32, IR_VALUE_##name##_32, IR_VALUE_##name##_64, IR_VALUE_##name##_64 }
#define OF_UNSIGNED(name)                                                                          \
    { IR_VALUE_##name##_u32, IR_VALUE_##name##_u32, IR_VALUE_##name##_u64, IR_VALUE_##name##_u64 }
#define OF_TYPE(name)                                                                              \
    { IR_VALUE_##name##_u32, IR_VALUE_##name##_s32, IR_VALUE_##name##_u64, IR_VALUE_##name##_s64 }

static int64_t result_of(int op, const struct explain_type *type, int64_t a, int64_t b) {
    static const struct operation operations[] = {
        {'+', OF_UNSIGNED(add)},
        {'-', OF_UNSIGNED(sub)},
        {'*', OF_UNSIGNED(mul_lo)},
        {'/', OF_TYPE(div)},
        {'%', OF_TYPE(rem)},
        {'&', OF_BITS(and)},
        {'|', OF_BITS(or)},
        {'^', OF_BITS(xor)},
        {EXPLAIN_PUNCT2('<', '<'), OF_BITS(shl)},
        {EXPLAIN_PUNCT2('>', '>'), OF_TYPE(shr)},
    };
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (operations[i].op == op)
            return run(operations[i].rows, type, a, b);
    return 0;
}

int64_t explain_call(enum explain_function function, const struct explain_type *type, int64_t a,
                     int64_t b) {
    static const enum ir_value rows[][ROWS] = {
        [EXPLAIN_MIN] = OF_TYPE(min),
        [EXPLAIN_MAX] = OF_TYPE(max),
        [EXPLAIN_ABS] = {IR_VALUE_copy_32, IR_VALUE_abs_s32, IR_VALUE_copy_64, IR_VALUE_abs_s64},
        [EXPLAIN_POPC] = {IR_VALUE_popc_b32, IR_VALUE_popc_b32},
        [EXPLAIN_BREV] = {IR_VALUE_brev_b32, IR_VALUE_brev_b32},
    };
    return run(rows[function], type, a, b);
}

// ---- What C leaves undefined --------------------------------------------------------------

// An operand's exact number: unsigned ones of 64 bits are kept as their bits.
static explain_wide exact_of(int64_t lane, const struct explain_type *type) {
    return type->is_unsigned ? (explain_wide)(uint64_t)lane : (explain_wide)lane;
}

static const char *shift_problem(const struct explain_type *type, explain_wide by) {
    if (by < 0)
        return "a shift by a negative number";
    return by >= (explain_wide)(8 * type->bytes) ? "a shift by all bits or more" : NULL;
}

// Signed operands. A remainder is undefined where the quotient is.
static bool overflows(int op, const struct explain_type *type, explain_wide a, explain_wide b) {
    const explain_wide exact = op == '+'                ? a + b
                               : op == '-'              ? a - b
                               : op == '*'              ? a * b
                               : op == '/' || op == '%' ? a / b
                                                        : 0;
    return (explain_wide)explain_convert((int64_t)(uint64_t)exact, type) != exact;
}

// Bits that a shift moves out of a signed number are lost, as C++ and every GPU have it.
static const char *problem_of(int op, const struct explain_type *type, explain_wide a,
                              explain_wide b) {
    if (op == EXPLAIN_PUNCT2('<', '<') || op == EXPLAIN_PUNCT2('>', '>'))
        return shift_problem(type, b);
    if ((op == '/' || op == '%') && b == 0)
        return "a division by zero";
    return !type->is_unsigned && overflows(op, type, a, b) ? "a signed number that overflows"
                                                           : NULL;
}

bool explain_calculate(struct explain_scope *scope, const struct explain_node *node, uint32_t mask,
                       const struct explain_value *a, const struct explain_value *b,
                       struct explain_value *value) {
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        const int op = (int)node->number;
        const char *problem = problem_of(op, value->type, exact_of(a->lanes[lane], a->type),
                                         exact_of(b->lanes[lane], b->type));
        if (problem)
            return explain_complain(scope, node, node->mark, "%s in lane %u of warp %u", problem,
                                    lane, scope->warp);
        value->lanes[lane] = result_of(op, value->type, a->lanes[lane], b->lanes[lane]);
    }
    return true;
}
