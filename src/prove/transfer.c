// Rows of value.def on forms. See transfer.h.
#include "prove/transfer.h"

unsigned transfer_bits(enum ir_kind kind) {
    switch (kind) {
    case IR_KIND_u8:
    case IR_KIND_s8:
        return 8;
    case IR_KIND_u16:
    case IR_KIND_s16:
        return 16;
    case IR_KIND_u64:
    case IR_KIND_s64:
    case IR_KIND_f64:
    case IR_KIND_pred:
        return 64;
    default:
        return 32;
    }
}

bool transfer_is_signed(enum ir_kind kind) {
    return kind == IR_KIND_s8 || kind == IR_KIND_s16 || kind == IR_KIND_s32 || kind == IR_KIND_s64;
}

// ---- Numbers --------------------------------------------------------------------------------

uint64_t transfer_run(const struct transfer *transfer, const uint64_t in[FORM_OPERANDS]) {
    struct ir_lane lane = {0};
    for (unsigned i = 0; i < transfer->count; i++)
        lane.in[i] = in[i];
    ir_value_run(transfer->value, transfer->immediate, &lane);
    return lane.out[0];
}

bool transfer_is_known(const struct transfer *transfer, unsigned operand) {
    const struct form *a = transfer->in[operand];
    return form_is_concrete(a) && a->bits >= transfer_bits(transfer->row->operands[operand]);
}

bool transfer_is_constant(const struct transfer *transfer, unsigned operand, uint64_t *number) {
    if (!transfer_is_known(transfer, operand) || !form_is_same(transfer->in[operand]->base))
        return false;
    *number = transfer->in[operand]->base[0];
    return true;
}

static bool is_all_known(const struct transfer *transfer) {
    for (unsigned i = 0; i < transfer->count; i++)
        if (!transfer_is_known(transfer, i))
            return false;
    return true;
}

static const struct form *run_lanes(const struct transfer *transfer) {
    uint64_t out[FORM_LANES], in[FORM_OPERANDS];
    for (unsigned l = 0; l < FORM_LANES; l++) {
        for (unsigned i = 0; i < transfer->count; i++)
            in[i] = transfer->in[i]->base[l];
        out[l] = transfer_run(transfer, in);
    }
    return form_concrete(transfer->table, transfer_bits(transfer->row->result), out);
}

// ---- What stays unknown ---------------------------------------------------------------------

static bool is_whole(const struct transfer *transfer) {
    for (unsigned i = 0; i < transfer->count; i++)
        if (transfer->in[i]->bits < transfer_bits(transfer->row->operands[i]))
            return false;
    return true;
}

static void find_origin(const struct transfer *transfer, struct symbol *symbol) {
    symbol->origin = ORIGIN_OTHER;
    symbol->instruction = transfer->instruction;
    for (unsigned i = 0; i < transfer->count; i++)
        for (unsigned t = 0; t < transfer->in[i]->count; t++) {
            const struct symbol *of =
                form_symbol_of(transfer->table, transfer->in[i]->terms[t].symbol);
            if (symbol->origin == ORIGIN_OTHER || !of->is_uniform) {
                symbol->origin = of->origin;
                symbol->instruction = of->instruction;
            }
        }
}

const struct form *transfer_symbol(const struct transfer *transfer, const struct symbol *limits) {
    struct form_table *table = transfer->table;
    const unsigned bits = transfer_bits(transfer->row->result);
    uint32_t symbol;
    const bool is_float =
        transfer->row->result == IR_KIND_f32 || transfer->row->result == IR_KIND_f64;
    if (is_whole(transfer) && !is_float) {
        symbol = symbol_row(table, limits, transfer->value, transfer->immediate, transfer->in,
                            transfer->count);
    } else {
        struct symbol unknown = *limits;
        unknown.kind = SYMBOL_UNKNOWN;
        unknown.is_uniform = is_whole(transfer);
        for (unsigned i = 0; i < transfer->count; i++)
            unknown.is_uniform &= form_is_uniform(table, transfer->in[i]);
        find_origin(transfer, &unknown);
        symbol = symbol_add(table, &unknown);
    }
    return form_of_symbol(table, bits, symbol);
}

static struct symbol no_limits(const struct transfer *transfer) {
    return (struct symbol){.high = transfer->row->result == IR_KIND_pred
                                       ? 1
                                       : form_mask(transfer_bits(transfer->row->result))};
}

static const struct form *unknown(const struct transfer *transfer) {
    const struct symbol limits = no_limits(transfer);
    return transfer_symbol(transfer, &limits);
}

// ---- Numbers of other widths ----------------------------------------------------------------

static enum ir_value extension(unsigned from, bool is_signed, unsigned to) {
    switch (from) {
    case 8:
        return to == 64 ? (is_signed ? IR_VALUE_sign_8_in_64 : IR_VALUE_low_8_in_64)
                        : (is_signed ? IR_VALUE_sign_8 : IR_VALUE_low_8);
    case 16:
        return to == 64 ? (is_signed ? IR_VALUE_sign_16_in_64 : IR_VALUE_low_16_in_64)
                        : (is_signed ? IR_VALUE_sign_16 : IR_VALUE_low_16);
    default:
        return is_signed ? IR_VALUE_sign_32_in_64 : IR_VALUE_low_32_in_64;
    }
}

static const struct form *extend_number(struct form_table *table, const struct form *a,
                                        unsigned from, bool is_signed, unsigned to) {
    uint64_t out[FORM_LANES];
    for (int l = 0; l < FORM_LANES; l++) {
        out[l] = a->base[l] & form_mask(from);
        if (is_signed)
            out[l] = (uint64_t)((int64_t)(out[l] << (64 - from)) >> (64 - from));
    }
    return form_concrete(table, to, out);
}

// A row says what it is of what cannot be told in a sum.
static const struct form *extend_by_row(struct form_table *table, uint32_t instruction,
                                        const struct form *a, unsigned from, bool is_signed,
                                        unsigned to) {
    const enum ir_value value = extension(from, is_signed, to);
    const struct transfer row = {.table = table,
                                 .instruction = instruction,
                                 .value = value,
                                 .row = ir_value_row(value),
                                 .count = 1,
                                 .in = {a}};
    const unsigned zeros = form_zeros(table, form_cut(table, a, from));
    const struct symbol limits = {.zeros = zeros < 63 ? zeros : 63,
                                  .high = is_signed ? form_mask(transfer_bits(row.row->result))
                                                    : form_mask(from)};
    return form_cut(table, transfer_symbol(&row, &limits), to);
}

const struct form *transfer_extend(struct form_table *table, uint32_t instruction,
                                   const struct form *a, unsigned from, bool is_signed,
                                   unsigned to) {
    if (from >= to)
        return form_cut(table, a, to);
    if (form_is_concrete(a) && a->bits >= from)
        return extend_number(table, a, from, is_signed, to);
    const struct form *cut = form_cut(table, a, from);
    if (range_is_sum(table, cut, from, is_signed))
        return form_widen(table, cut, to);
    if (a->bits < from)
        return cut;
    if (form_is_uniform(table, cut) || from <= 8)
        return extend_by_row(table, instruction, cut, from, is_signed, to);
    return cut; // nothing is known of the bits above
}

const struct form *transfer_operand(const struct transfer *transfer, unsigned operand,
                                    unsigned bits) {
    const enum ir_kind kind = transfer->row->operands[operand];
    return transfer_extend(transfer->table, transfer->instruction, transfer->in[operand],
                           transfer_bits(kind), transfer_is_signed(kind), bits);
}

// ---- Sums and products ----------------------------------------------------------------------

static const struct form *linear(const struct transfer *transfer) {
    struct form_table *table = transfer->table;
    const unsigned bits = transfer_bits(transfer->row->result);
    uint64_t in[FORM_OPERANDS] = {0};
    const uint64_t constant = transfer_run(transfer, in);
    const struct form *sum = form_constant(table, bits, constant);
    for (unsigned i = 0; i < transfer->count && sum; i++) {
        in[i] = 1;
        const uint64_t factor = transfer_run(transfer, in) - constant;
        in[i] = 0;
        const struct form *scaled =
            form_scale(table, transfer_operand(transfer, i, bits), form_same_lanes(table, factor));
        sum = scaled ? form_add(table, sum, scaled) : NULL;
    }
    return sum ? sum : unknown(transfer);
}

static const struct form *product(const struct transfer *transfer) {
    struct form_table *table = transfer->table;
    const unsigned bits = transfer_bits(transfer->row->result);
    const struct form *result = form_multiply(table, transfer_operand(transfer, 0, bits),
                                              transfer_operand(transfer, 1, bits));
    if (result && transfer->count > 2)
        result = form_add(table, result, transfer_operand(transfer, 2, bits));
    return result ? result : unknown(transfer);
}

// 2^b, where b is not known.
static const struct form *power(const struct transfer *transfer) {
    struct form_table *table = transfer->table;
    const unsigned bits = transfer_bits(transfer->row->result);
    struct transfer one = *transfer;
    one.in[0] = form_constant(table, bits, 1);
    const struct range by = range_of(table, transfer->in[1], 32, false, UINT32_MAX);
    struct symbol limits = no_limits(transfer);
    if (by.is_known && by.high < bits) {
        limits.zeros = (unsigned)by.low;
        limits.low = 1ull << (unsigned)by.low;
        limits.high = 1ull << (unsigned)by.high;
    }
    return transfer_symbol(&one, &limits);
}

static const struct form *shift_left(const struct transfer *transfer) {
    struct form_table *table = transfer->table;
    const unsigned bits = transfer_bits(transfer->row->result);
    const struct form *a = form_cut(table, transfer->in[0], bits), *result;
    if (transfer_is_known(transfer, 1)) {
        uint64_t factors[FORM_LANES];
        for (int l = 0; l < FORM_LANES; l++)
            factors[l] = transfer->in[1]->base[l] < bits ? 1ull << transfer->in[1]->base[l] : 0;
        result = form_scale(table, a, form_intern_lanes(table, factors));
    } else {
        result = form_multiply(table, a, power(transfer));
    }
    return result ? result : unknown(transfer);
}

// By a power of two of what is not negative: a shift, or the bits below.
static const struct form *divided(const struct transfer *transfer) {
    struct form_table *table = transfer->table;
    const enum ir_kind kind = transfer->row->operands[0];
    const unsigned bits = transfer_bits(kind);
    const bool is_remainder = transfer->row->law == IR_LAW_REMAINDER;
    struct symbol limits = no_limits(transfer);
    uint64_t by;
    const struct range a = range_of(table, transfer->in[0], bits, transfer_is_signed(kind), ~0u);
    if (!transfer_is_constant(transfer, 1, &by) || !by || !a.is_known || a.low < 0 || bits < 32 ||
        (transfer_is_signed(kind) && by >> (bits - 1)))
        return unknown(transfer);
    limits.high = is_remainder ? by - 1 : (uint64_t)a.high / by;
    if (by & (by - 1))
        return transfer_symbol(transfer, &limits);
    const enum ir_value value = is_remainder ? (bits == 64 ? IR_VALUE_and_64 : IR_VALUE_and_32)
                                             : (bits == 64 ? IR_VALUE_shr_u64 : IR_VALUE_shr_u32);
    const uint64_t number = is_remainder ? by - 1 : (uint64_t)__builtin_ctzll(by);
    const struct transfer simple = {
        .table = table,
        .instruction = transfer->instruction,
        .value = value,
        .row = ir_value_row(value),
        .count = 2,
        .in = {transfer->in[0], form_constant(table, is_remainder ? bits : 32, number)}};
    return transfer_row(&simple);
}

// ---- Choices --------------------------------------------------------------------------------

const struct form *transfer_choose(const struct transfer *transfer, const struct form *chosen,
                                   const struct form *a, const struct form *b) {
    struct form_table *table = transfer->table;
    if (a == b)
        return a;
    if (form_is_concrete(chosen)) {
        uint32_t mask = 0;
        for (int l = 0; l < FORM_LANES; l++)
            mask |= (uint32_t)(chosen->base[l] & 1) << l;
        return form_select(table, mask, a, b);
    }
    const struct form *difference = form_subtract(table, a, b);
    const struct form *part = difference ? form_multiply(table, chosen, difference) : NULL;
    return part ? form_add(table, b, part) : NULL;
}

static const struct form *choice(const struct transfer *transfer) {
    const unsigned bits = transfer_bits(transfer->row->result);
    const struct form *result = NULL;
    if (transfer->row->operands[2] == IR_KIND_pred)
        result = transfer_choose(transfer, transfer->in[2], transfer_operand(transfer, 0, bits),
                                 transfer_operand(transfer, 1, bits));
    return result ? result : unknown(transfer);
}

static enum ir_value less_of(enum ir_kind kind) {
    switch (kind) {
    case IR_KIND_u16:
        return IR_VALUE_lt_u16;
    case IR_KIND_s16:
        return IR_VALUE_lt_s16;
    case IR_KIND_s32:
        return IR_VALUE_lt_s32;
    case IR_KIND_u64:
        return IR_VALUE_lt_u64;
    case IR_KIND_s64:
        return IR_VALUE_lt_s64;
    default:
        return IR_VALUE_lt_u32;
    }
}

static const struct form *least_or_most(const struct transfer *transfer) {
    struct form_table *table = transfer->table;
    const enum ir_kind kind = transfer->row->operands[0];
    const unsigned bits = transfer_bits(kind);
    const bool is_most = transfer->row->law == IR_LAW_MAXIMUM;
    struct symbol limits = no_limits(transfer);
    struct transfer less = *transfer;
    less.value = less_of(kind);
    less.row = ir_value_row(less.value);
    less.immediate = 0;
    const struct form *is_less = transfer_less(&less);
    const struct form *result =
        form_is_concrete(is_less)
            ? transfer_choose(transfer, is_less, transfer_operand(transfer, is_most, bits),
                              transfer_operand(transfer, !is_most, bits))
            : NULL;
    if (result)
        return result;
    // Neither is negative: the result lies between the bounds of both.
    const struct range a = range_of(table, transfer->in[0], bits, transfer_is_signed(kind), ~0u);
    const struct range b = range_of(table, transfer->in[1], bits, transfer_is_signed(kind), ~0u);
    const bool knows_a = a.is_known && a.low >= 0, knows_b = b.is_known && b.low >= 0;
    const bool takes_any = transfer_is_signed(kind) ? knows_a && knows_b : true;
    if (!is_most && takes_any && (knows_a || knows_b))
        limits.high = (uint64_t)(!knows_b || (knows_a && a.high < b.high) ? a.high : b.high);
    if (is_most && knows_a && knows_b)
        limits.high = (uint64_t)(a.high > b.high ? a.high : b.high);
    return transfer_symbol(transfer, &limits);
}

// ---- All laws -------------------------------------------------------------------------------

static const struct form *by_law(const struct transfer *transfer) {
    switch (transfer->row->law) {
    case IR_LAW_COPY:
        return transfer_operand(transfer, 0, transfer_bits(transfer->row->result));
    case IR_LAW_LINEAR:
        return linear(transfer);
    case IR_LAW_PRODUCT:
        return product(transfer);
    case IR_LAW_QUOTIENT:
    case IR_LAW_REMAINDER:
        return divided(transfer);
    case IR_LAW_SHIFT_LEFT:
        return shift_left(transfer);
    case IR_LAW_SHIFT_RIGHT:
        return transfer_shift_right(transfer);
    case IR_LAW_BITWISE:
        return transfer_bitwise(transfer);
    case IR_LAW_ROUTE:
    case IR_LAW_ROUTE_PAIR:
        return transfer_route(transfer);
    case IR_LAW_MINIMUM:
    case IR_LAW_MAXIMUM:
        return least_or_most(transfer);
    case IR_LAW_CHOICE:
        return choice(transfer);
    case IR_LAW_EQUAL:
        return transfer_equal(transfer);
    case IR_LAW_LESS:
        return transfer_less(transfer);
    default:
        return unknown(transfer);
    }
}

const struct form *transfer_row(const struct transfer *transfer) {
    const struct form *result = is_all_known(transfer) ? run_lanes(transfer) : by_law(transfer);
    // Narrow results have zeros above.
    const unsigned bits = transfer_bits(transfer->row->result);
    if (bits < 32)
        result = transfer_extend(transfer->table, transfer->instruction, result, bits, false, 32);
    return result;
}
