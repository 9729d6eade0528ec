// Forms of registers: what an instruction makes of them. See forms.h.
#include "compile/forms.h"

#include <string.h>

enum { LAST_LANE = 31 };
static const struct form lanes = {.kind = FORM_LANES, .bits = FORM_ANY_BITS};

struct form form_of_source(const struct op_source *source, const struct form *forms) {
    return source->kind == SOURCE_REGISTER ? forms[source->reg] : source->form;
}

static struct form ramp(int64_t stride, unsigned zeros) {
    return (struct form){.kind = FORM_RAMP,
                         .zeros = (uint8_t)(zeros > 64 ? 64 : zeros),
                         .bits = FORM_ANY_BITS,
                         .stride = stride};
}

static bool is_uniform(struct form form) {
    return form.kind == FORM_RAMP && form.stride == 0;
}

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

// The low bits, of `width`, in which lanes may differ, where lane 0's value has zeros there; 64: no
// such bound.
static unsigned bits_of_lanes(struct form form, unsigned width) {
    if (form.stride == 0)
        return 0;
    if (form.stride < 0 || form.stride > INT32_MAX)
        return 64;
    const uint64_t most = (uint64_t)form.stride * LAST_LANE;
    const unsigned bits = 64 - (unsigned)__builtin_clzll(most);
    return bits <= form.zeros && bits < width ? bits : 64;
}

// ---- Laws -----------------------------------------------------------------------------------

unsigned forms_kind_bits(enum ir_kind kind) {
    switch (kind) {
    case IR_KIND_u64:
    case IR_KIND_s64:
        return 64;
    case IR_KIND_u32:
    case IR_KIND_s32:
        return 32;
    default:
        return 0; // narrow, floating-point, a predicate
    }
}

bool forms_kind_is_signed(enum ir_kind kind) {
    return kind == IR_KIND_s32 || kind == IR_KIND_s64;
}

static uint64_t run_row(const struct op *op, const uint64_t in[4]) {
    struct ir_lane lane = {0};
    memcpy(lane.in, in, 4 * sizeof *in);
    ir_value_run(op->meaning.value, op->meaning.immediate, &lane);
    return lane.out[0];
}

static int64_t extend(uint64_t value, unsigned bits) {
    return bits == 32 ? (int64_t)(int32_t)value : (int64_t)value;
}

// Sums: the coefficients are what the row itself says.
static struct form linear(const struct op *op, const struct form *in, unsigned bits) {
    const uint64_t zero[4] = {0};
    const uint64_t origin = run_row(op, zero);
    uint64_t stride = 0; // which may wrap
    unsigned zeros = origin ? (unsigned)__builtin_ctzll(origin) : 64;
    for (unsigned i = 0; i < op->source_count; i++) {
        uint64_t one[4] = {0};
        one[i] = 1;
        const int64_t factor = extend(run_row(op, one) - origin, bits);
        stride += (uint64_t)factor * (uint64_t)in[i].stride;
        zeros = least(zeros, in[i].zeros);
    }
    return ramp(extend(stride, bits), zeros);
}

static struct form product(const struct op *op, const struct form *in, unsigned bits) {
    const struct op_source *a = &op->sources[0], *b = &op->sources[1];
    const bool by_b = b->kind == SOURCE_CONSTANT, by_a = a->kind == SOURCE_CONSTANT;
    struct form result = ramp(0, 0);
    if (!by_a && !by_b && (!is_uniform(in[0]) || !is_uniform(in[1])))
        return lanes;
    if (by_a || by_b) {
        const uint64_t factor = by_b ? b->value : a->value;
        const enum ir_kind kind = ir_value_row(op->meaning.value)->operands[by_b ? 1 : 0];
        const int64_t times =
            forms_kind_is_signed(kind) ? extend(factor, forms_kind_bits(kind)) : (int64_t)factor;
        const struct form *other = by_b ? &in[0] : &in[1];
        result = ramp(extend((uint64_t)times * (uint64_t)other->stride, bits),
                      other->zeros + (factor ? (unsigned)__builtin_ctzll(factor) : 64));
    }
    if (op->source_count > 2) {
        result.stride = extend((uint64_t)result.stride + (uint64_t)in[2].stride, bits);
        result.zeros = (uint8_t)least(result.zeros, in[2].zeros);
    }
    return result;
}

static struct form shift_left(const struct op *op, const struct form *in, unsigned bits) {
    const struct op_source *by = &op->sources[1];
    if (by->kind != SOURCE_CONSTANT)
        return is_uniform(in[0]) && is_uniform(in[1]) ? ramp(0, in[0].zeros) : lanes;
    if (by->value >= bits)
        return ramp(0, 64);
    return ramp(extend((uint64_t)in[0].stride << by->value, bits),
                in[0].zeros + (unsigned)by->value);
}

static struct form shift_right(const struct op *op, const struct form *in, unsigned bits) {
    const struct op_source *by = &op->sources[1];
    if (is_uniform(in[0]) && is_uniform(in[1]))
        return ramp(0, 0);
    const unsigned width = bits_of_lanes(in[0], bits);
    if (by->kind != SOURCE_CONSTANT || width == 64)
        return lanes;
    const unsigned zeros = by->value < in[0].zeros ? in[0].zeros - (unsigned)by->value : 0;
    if (by->value >= width)
        return ramp(0, in[0].zeros == 64 ? 64 : zeros);
    return in[0].stride & ((1ll << by->value) - 1) ? lanes : ramp(in[0].stride >> by->value, zeros);
}

// An exclusive or with a constant: its low bits exchange lanes.
static struct form exchange(struct form in, unsigned width, uint64_t constant) {
    const uint64_t low = (1ull << width) - 1, stride = (uint64_t)in.stride;
    const uint64_t rest = constant & ~low;
    if ((stride & (stride - 1)) || (constant & low) % stride)
        return lanes;
    struct form result =
        ramp(in.stride, rest ? least(in.zeros, (unsigned)__builtin_ctzll(rest)) : in.zeros);
    result.flip = (uint8_t)((constant & low) / stride);
    return result;
}

// Lanes differ in low bits only, where lane 0 has zeros.
static struct form bitwise(const struct op *op, const struct form *in, unsigned bits) {
    const enum ir_value value = op->meaning.value;
    if (op->source_count == 1 || op->source_count > 2 || in[0].kind != FORM_RAMP ||
        in[1].kind != FORM_RAMP)
        return lanes;
    const unsigned which = is_uniform(in[0]) ? 1 : 0;
    const unsigned width = bits_of_lanes(in[which], bits);
    const struct form *other = &in[1 - which];
    if (!is_uniform(*other) || width == 64)
        return lanes;
    const struct op_source *by = &op->sources[1 - which];
    if ((value == IR_VALUE_xor_32 || value == IR_VALUE_xor_64) && by->kind == SOURCE_CONSTANT &&
        !is_uniform(in[which]))
        return exchange(in[which], width, by->value);
    if (value == IR_VALUE_or_32 || value == IR_VALUE_or_64 || value == IR_VALUE_xor_32 ||
        value == IR_VALUE_xor_64)
        return other->zeros >= width ? ramp(in[which].stride, least(in[0].zeros, in[1].zeros))
                                     : lanes;
    if ((value != IR_VALUE_and_32 && value != IR_VALUE_and_64) || by->kind != SOURCE_CONSTANT)
        return lanes;
    const uint64_t low = (1ull << width) - 1;
    if ((by->value & low) == 0)
        return ramp(0, in[which].zeros == 64 ? 64 : least(64, (unsigned)in[which].zeros));
    // The bits below the distance of lanes are 0 anyway.
    const uint64_t kept = by->value | ((1ull << __builtin_ctzll((uint64_t)in[which].stride)) - 1);
    if ((kept & low) != low)
        return lanes;
    const uint64_t rest = in[which].zeros >= 64 ? 0 : by->value >> in[which].zeros;
    return ramp(in[which].stride, rest ? in[which].zeros : 64);
}

// A result that is wider than an operand is its number's: that must not wrap between lanes.
static void check_range(struct op *op, const struct ir_value_row *row, const struct form *in) {
    const unsigned to = forms_kind_bits(row->result);
    for (unsigned i = 0; i < op->source_count; i++) {
        if (forms_kind_bits(row->operands[i]) >= to || in[i].stride == 0 || in[i].bits < 32)
            continue;
        op->checks_range = true;
    }
}

// As a number with a sign or without one, each operand is the same.
static bool has_small_operands(const struct op *op, const struct ir_value_row *row,
                               const struct form *in) {
    for (unsigned i = 0; i < op->source_count; i++)
        if (in[i].bits >= forms_kind_bits(row->operands[i]))
            return false;
    return true;
}

static unsigned most(unsigned a, unsigned b) {
    return a > b ? a : b;
}

static unsigned bound_of_shift(const struct op *op, unsigned bits, bool is_left) {
    const struct op_source *by = &op->sources[1];
    if (by->kind != SOURCE_CONSTANT || by->value >= 64)
        return bits ? FORM_ANY_BITS : 0;
    const unsigned amount = (unsigned)by->value;
    return !bits ? 0 : is_left ? bits + amount : amount >= bits ? 0 : bits - amount;
}

// How large results can be, where operands are known to be small.
static unsigned bound_of(const struct op *op, const struct ir_value_row *row,
                         const struct form *in) {
    const unsigned width = forms_kind_bits(row->result);
    const unsigned a = in[0].bits, b = op->source_count > 1 ? in[1].bits : 0;
    const enum ir_value value = op->meaning.value;
    unsigned bits = FORM_ANY_BITS;
    if (value == IR_VALUE_and_32 || value == IR_VALUE_and_64)
        return least(a, b);
    if (!has_small_operands(op, row, in))
        return FORM_ANY_BITS;
    switch (value) {
    case IR_VALUE_add_u32:
    case IR_VALUE_add_u64:
        bits = !a ? b : !b ? a : most(a, b) + 1;
        break;
    case IR_VALUE_or_32:
    case IR_VALUE_or_64:
    case IR_VALUE_xor_32:
    case IR_VALUE_xor_64:
        bits = most(a, b);
        break;
    case IR_VALUE_mul_lo_u32:
    case IR_VALUE_mul_lo_u64:
    case IR_VALUE_mul_wide_u32:
    case IR_VALUE_mul_wide_s32:
        bits = a && b ? a + b : 0;
        break;
    case IR_VALUE_shl_32:
    case IR_VALUE_shl_64:
    case IR_VALUE_shr_s32:
    case IR_VALUE_shr_u32:
    case IR_VALUE_shr_s64:
    case IR_VALUE_shr_u64:
        bits = bound_of_shift(op, a, row->law == IR_LAW_SHIFT_LEFT);
        break;
    default:
        bits = row->law == IR_LAW_COPY ? a : FORM_ANY_BITS;
        break;
    }
    return bits < width ? bits : FORM_ANY_BITS;
}

// Whether lanes that differ are exchanged alike in all operands; and how.
static bool find_flip(const struct op *op, const struct form *in, uint8_t *flip) {
    bool is_known = false;
    *flip = 0;
    for (unsigned i = 0; i < op->source_count; i++) {
        if (in[i].stride == 0)
            continue;
        if (is_known && in[i].flip != *flip)
            return false;
        *flip = in[i].flip;
        is_known = true;
    }
    return true;
}

static struct form by_law(struct op *op, const struct ir_value_row *row, const struct form *in) {
    const unsigned bits = forms_kind_bits(row->result);
    bool all_uniform = true;
    for (unsigned i = 0; i < op->source_count; i++) {
        if (in[i].kind == FORM_NONE)
            return (struct form){.kind = FORM_NONE};
        all_uniform &= is_uniform(in[i]);
    }
    for (unsigned i = 0; i < op->source_count; i++)
        if (in[i].kind == FORM_LANES)
            return lanes;
    if (!bits)
        return all_uniform ? ramp(0, 0) : lanes;
    for (unsigned i = 0; i < op->source_count; i++)
        if (!forms_kind_bits(row->operands[i]))
            return all_uniform ? ramp(0, 0) : lanes;
    uint8_t flip;
    if (!find_flip(op, in, &flip))
        return lanes;
    struct form result;
    switch (row->law) {
    case IR_LAW_COPY:
        result = ramp(extend((uint64_t)in[0].stride, bits), in[0].zeros);
        break;
    case IR_LAW_LINEAR:
        result = linear(op, in, bits);
        break;
    case IR_LAW_PRODUCT:
        result = product(op, in, bits);
        break;
    case IR_LAW_SHIFT_LEFT:
        result = shift_left(op, in, bits);
        break;
    case IR_LAW_SHIFT_RIGHT:
        result = shift_right(op, in, bits);
        break;
    case IR_LAW_BITWISE:
        result = bitwise(op, in, bits);
        break;
    default:
        result = lanes;
    }
    if (result.kind == FORM_LANES && all_uniform)
        result = ramp(0, 0);
    if (result.kind == FORM_RAMP)
        check_range(op, row, in);
    result.flip = result.kind == FORM_RAMP && result.stride ? result.flip ^ flip : 0;
    if (!op->checks_range || !flip)
        return result;
    op->checks_range = false; // which is asked of lanes in order
    return lanes;
}

// ---- Instructions ---------------------------------------------------------------------------

static void step_value(struct op *op, struct form *forms) {
    const struct ir_value_row *row = ir_value_row(op->meaning.value);
    struct form in[4] = {0};
    for (unsigned i = 0; i < op->source_count; i++)
        in[i] = form_of_source(&op->sources[i], forms);
    op->checks_range = op->is_zero = false;
    const bool is_known = !op->meaning.swaps || row->result == IR_KIND_pred;
    struct form result = is_known ? by_law(op, row, in) : lanes;
    if (is_known && result.kind != FORM_NONE && op->source_count &&
        forms_kind_bits(row->result) >= 32)
        result.bits = (uint8_t)bound_of(op, row, in);
    if (result.kind != FORM_NONE && result.bits == 0) { // nothing but 0
        result = ramp(0, 64);
        result.bits = 0;
        op->is_zero = true;
    }
    if (op->guard != IR_NONE && result.kind == FORM_RAMP)
        result = lanes; // of some lanes
    if (op->guard != IR_NONE)
        op->checks_range = op->is_zero = false;
    if (op->to != IR_NONE)
        forms[op->to] = result;
    if (op->pair != IR_NONE)
        forms[op->pair] = result;
}

// A shared address is read where lanes' own values are the same.
static void step_load(struct op *op, struct form *forms) {
    const struct form base = form_of_source(&op->base, forms);
    const bool is_same = base.kind == FORM_RAMP && base.stride == 0 && op->guard == IR_NONE;
    for (unsigned e = 0; e < op->access->count; e++)
        if (op->targets[e] != IR_NONE)
            forms[op->targets[e]] = base.kind == FORM_NONE ? base : is_same ? ramp(0, 0) : lanes;
}

static void set_lanes(void *context, uint32_t reg, bool is_written) {
    struct form *forms = context;
    if (is_written)
        forms[reg] = lanes;
}

void forms_step(const struct plan *plan, struct op *op, struct form *forms) {
    if (op->kind == OP_VALUE)
        step_value(op, forms);
    else if (op->kind == OP_LOAD)
        step_load(op, forms);
    else if (op->kind == OP_ATOMIC || op->kind == OP_CALL || op->kind == OP_LEAVE)
        ir_visit_registers(&plan->function->instructions[op->ir], set_lanes, forms);
}
