// Integers as in C: promotions, conversions, unsigned numbers that wrap. Where C leaves a result
// undefined, or a division has none, the lane is named.
#include "explain/internal.h"

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

// The result as the type holds it; *overflows: a signed one that does not fit.
static int64_t fit(explain_wide exact, const struct explain_type *type, bool *overflows) {
    int64_t number = explain_convert((int64_t)(uint64_t)exact, type);
    if (!type->is_unsigned && (explain_wide)number != exact)
        *overflows = true;
    return number;
}

// An operand's exact number: unsigned ones of 64 bits are kept as their bits.
static explain_wide exact_of(int64_t lane, const struct explain_type *type) {
    return type->is_unsigned ? (explain_wide)(uint64_t)lane : (explain_wide)lane;
}

static const char *shift_problem(const struct explain_type *type, explain_wide by) {
    if (by < 0)
        return "a shift by a negative number";
    return by >= (explain_wide)(8 * type->bytes) ? "a shift by all bits or more" : NULL;
}

// One lane. *problem: what is undefined.
static int64_t calculate(int op, const struct explain_type *type, explain_wide a, explain_wide b,
                         const char **problem) {
    bool overflows = false;
    int64_t result = 0;
    switch (op) {
    case '+':
        result = fit(a + b, type, &overflows);
        break;
    case '-':
        result = fit(a - b, type, &overflows);
        break;
    case '*': // 64 by 64 bits fit in 128 unless both are unsigned, where only low bits count
        result = type->is_unsigned ? explain_convert((int64_t)((uint64_t)a * (uint64_t)b), type)
                                   : fit(a * b, type, &overflows);
        break;
    case '/':
    case '%':
        if (b == 0) {
            *problem = "a division by zero";
            return 0;
        }
        result = fit(op == '/' ? a / b : a % b, type, &overflows);
        overflows |= !type->is_unsigned && b == -1 && fit(-a, type, &overflows) != -a;
        break;
    case '&':
        result = (int64_t)(a & b);
        break;
    case '|':
        result = (int64_t)(a | b);
        break;
    case '^':
        result = (int64_t)(a ^ b);
        break;
    case EXPLAIN_PUNCT2('<', '<'):
        *problem = shift_problem(type, b);
        if (!*problem) // bits that leave a signed number are lost, as C++ and every GPU have it
            result = explain_convert((int64_t)((uint64_t)a << (unsigned)b), type);
        break;
    case EXPLAIN_PUNCT2('>', '>'):
        *problem = shift_problem(type, b);
        if (!*problem)
            result = (int64_t)(a >> (unsigned)b);
        break;
    default:
        break;
    }
    if (overflows)
        *problem = "a signed number that overflows";
    return explain_convert(result, type);
}

bool explain_calculate(struct explain_scope *scope, const struct explain_node *node, uint32_t mask,
                       const struct explain_value *a, const struct explain_value *b,
                       struct explain_value *value) {
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        const char *problem = NULL;
        value->lanes[lane] =
            calculate((int)node->number, value->type, exact_of(a->lanes[lane], a->type),
                      exact_of(b->lanes[lane], b->type), &problem);
        if (problem)
            return explain_complain(scope, node, node->mark, "%s in lane %u of warp %u", problem,
                                    lane, scope->warp);
    }
    return true;
}
