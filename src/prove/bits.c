// Bitwise instructions, shifts to the right and bits that are routed, on forms.
//
// Where the terms of a form are multiples of 2^j its low j bits are those of its base: numbers.
// What lies above is told apart from them.
#include "prove/transfer.h"

#include <string.h>

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

// ---- Bits that may be 1 in the result -------------------------------------------------------

static uint64_t bitwise_ones(const struct transfer *transfer) {
    const unsigned bits = transfer_bits(transfer->row->result);
    uint64_t may[FORM_OPERANDS], ones = 0;
    for (unsigned i = 0; i < transfer->count; i++)
        may[i] = range_ones(transfer->table, transfer->in[i], bits);
    for (unsigned choice = 0; choice < 1u << transfer->count; choice++) {
        uint64_t in[FORM_OPERANDS] = {0}, possible = ~0ull;
        for (unsigned i = 0; i < transfer->count; i++)
            if (choice >> i & 1) {
                in[i] = ~0ull;
                possible &= may[i];
            }
        ones |= possible & transfer_run(transfer, in);
    }
    return ones & form_mask(bits);
}

static struct symbol limits_of_ones(uint64_t ones) {
    return (struct symbol){.high = ones, .zeros = ones ? (unsigned)__builtin_ctzll(ones) : 63};
}

// A row without an expression to call: one of two operands by number.
static const struct form *masked(const struct transfer *transfer, const struct form *a,
                                 uint64_t mask) {
    const unsigned bits = transfer_bits(transfer->row->result);
    const enum ir_value value = bits == 64 ? IR_VALUE_and_64 : IR_VALUE_and_32;
    const struct transfer and = {.table = transfer->table,
                                 .instruction = transfer->instruction,
                                 .value = value,
                                 .row = ir_value_row(value),
                                 .count = 2,
                                 .in = {a, form_constant(transfer->table, bits, mask)}};
    return transfer_row(&and);
}

// ---- Bitwise --------------------------------------------------------------------------------

static const struct form *symbol_of_ones(const struct transfer *transfer) {
    const struct symbol limits = limits_of_ones(bitwise_ones(transfer));
    return transfer_symbol(transfer, &limits);
}

// The low bits, where all operands are numbers.
static const struct form *low_part(const struct transfer *transfer, unsigned low) {
    uint64_t out[FORM_LANES], in[FORM_OPERANDS];
    for (unsigned l = 0; l < FORM_LANES; l++) {
        for (unsigned i = 0; i < transfer->count; i++)
            in[i] = transfer->in[i]->base[l];
        out[l] = transfer_run(transfer, in) & form_mask(low);
    }
    return form_concrete(transfer->table, transfer_bits(transfer->row->result), out);
}

// Above the low bits one operand is a sum with symbols, the others are numbers that are the same
// for all lanes: its bits are kept, dropped or set. NULL: some are kept and some are not.
static const struct form *kept_or_dropped(const struct transfer *transfer, unsigned low,
                                          unsigned symbolic) {
    struct form_table *table = transfer->table;
    const unsigned bits = transfer_bits(transfer->row->result);
    const uint64_t above = form_mask(bits) & ~form_mask(low);
    const struct form *high = form_without_low(table, transfer->in[symbolic], low);
    const uint64_t may = range_ones(table, high, bits) & above;
    uint64_t in[FORM_OPERANDS] = {0};
    for (unsigned i = 0; i < transfer->count; i++)
        in[i] = transfer->in[i]->base[0] & ~form_mask(low);
    in[symbolic] = 0;
    const uint64_t without = transfer_run(transfer, in) & above;
    in[symbolic] = ~0ull;
    const uint64_t with = transfer_run(transfer, in) & above;
    const uint64_t kept = with & ~without & may, flipped = without & ~with & may;
    if (flipped)
        return NULL;
    const struct form *rest = form_constant(table, bits, without);
    if (!kept)
        return rest;
    return kept == may ? form_add(table, form_cut(table, high, bits), rest) : NULL;
}

static bool is_same_above(const struct form *a, unsigned low) {
    for (unsigned l = 1; l < FORM_LANES; l++)
        if (a->base[l] >> low != a->base[0] >> low)
            return false;
    return true;
}

// The lowest place above which every operand is the same for all lanes, and below which its lanes
// are numbers where they differ.
static unsigned uniform_above(const struct transfer *transfer) {
    unsigned low = 0;
    for (unsigned i = 0; i < transfer->count; i++) {
        const struct form *a = transfer->in[i];
        if (form_is_uniform(transfer->table, a))
            continue;
        for (unsigned t = 0; t < a->count; t++)
            if (!form_symbol_of(transfer->table, a->terms[t].symbol)->is_uniform ||
                !form_is_same(a->terms[t].by))
                return 64;
        while (low < 64 && !is_same_above(a, low))
            low++;
    }
    for (unsigned i = 0; i < transfer->count; i++)
        if (!form_is_uniform(transfer->table, transfer->in[i]) &&
            form_term_zeros(transfer->table, transfer->in[i]) < low)
            return 64;
    return low;
}

static const struct form *part_of_split(const struct transfer *part, unsigned low, bool is_above) {
    unsigned symbolic = 0, symbolics = 0;
    for (unsigned i = 0; i < part->count; i++)
        if (!form_is_concrete(part->in[i])) {
            symbolic = i;
            symbolics++;
        }
    if (symbolics == 0)
        return transfer_row(part);
    const struct form *kept =
        is_above && symbolics == 1 ? kept_or_dropped(part, low, symbolic) : NULL;
    return kept ? kept : symbol_of_ones(part);
}

// Below a place, a function of the lanes of few bits of the uniform operands; above it, uniform.
static const struct form *split(const struct transfer *transfer, unsigned low) {
    struct form_table *table = transfer->table;
    const unsigned bits = transfer_bits(transfer->row->result);
    struct transfer below = *transfer, above = *transfer;
    for (unsigned i = 0; i < transfer->count; i++) {
        const struct form *a = transfer->in[i];
        if (a->bits < bits)
            return NULL;
        if (form_is_uniform(table, a) && !form_is_concrete(a)) {
            below.in[i] = masked(transfer, a, form_mask(low));
            above.in[i] = masked(transfer, a, form_mask(bits) & ~form_mask(low));
        } else {
            below.in[i] = form_subtract(table, a, form_without_low(table, a, low));
            above.in[i] = form_without_low(table, a, low);
        }
        if (!below.in[i] || !above.in[i])
            return NULL;
    }
    // What operands of zeros give stands in both.
    uint64_t zeros[FORM_OPERANDS] = {0};
    if (transfer_run(transfer, zeros))
        return NULL;
    return form_add(table, part_of_split(&below, low, false), part_of_split(&above, low, true));
}

static const struct form *of_predicates(const struct transfer *transfer) {
    struct form_table *table = transfer->table;
    uint64_t in[FORM_OPERANDS] = {0}, at[4];
    for (unsigned n = 0; n < 4; n++) {
        in[0] = n & 1;
        in[1] = n >> 1;
        at[n] = transfer_run(transfer, in) & 1;
    }
    const struct form *a = transfer->in[0], *sum = form_constant(table, 64, at[0]);
    const struct form *part = form_scale(table, a, form_same_lanes(table, at[1] - at[0]));
    sum = part ? form_add(table, sum, part) : NULL;
    if (!sum || transfer->count == 1)
        return sum ? sum : symbol_of_ones(transfer);
    const struct form *b = transfer->in[1], *both = form_multiply(table, a, b);
    part = form_scale(table, b, form_same_lanes(table, at[2] - at[0]));
    sum = part ? form_add(table, sum, part) : NULL;
    part = both ? form_scale(table, both, form_same_lanes(table, at[3] - at[2] - at[1] + at[0]))
                : NULL;
    sum = sum && part ? form_add(table, sum, part) : NULL;
    const struct symbol limits = {.high = 1};
    return sum ? sum : transfer_symbol(transfer, &limits);
}

const struct form *transfer_bitwise(const struct transfer *transfer) {
    struct form_table *table = transfer->table;
    if (transfer->row->result == IR_KIND_pred)
        return of_predicates(transfer);
    const unsigned bits = transfer_bits(transfer->row->result);
    unsigned low = bits, symbolic = 0, symbolics = 0;
    bool are_same = true;
    for (unsigned i = 0; i < transfer->count; i++) {
        const struct form *a = transfer->in[i];
        low = least(low, least(a->bits, form_term_zeros(table, a)));
        if (form_is_concrete(a) && a->bits >= bits)
            continue;
        symbolic = i;
        symbolics++;
    }
    low = least(low, 63);
    for (unsigned i = 0; i < transfer->count; i++)
        are_same &= (symbolics == 1 && i == symbolic) || is_same_above(transfer->in[i], low);
    const struct form *result = NULL;
    if (symbolics == 1 && are_same)
        result = kept_or_dropped(transfer, low, symbolic);
    if (result)
        return form_add(table, low_part(transfer, low), result);
    const unsigned place = uniform_above(transfer);
    if (place > 0 && place <= 16)
        result = split(transfer, place);
    return result ? result : symbol_of_ones(transfer);
}

// ---- Shifts to the right --------------------------------------------------------------------

static struct symbol shifted_limits(const struct transfer *transfer, unsigned by) {
    const enum ir_kind kind = transfer->row->operands[0];
    const unsigned bits = transfer_bits(kind);
    struct symbol limits = {.high = form_mask(transfer_bits(transfer->row->result))};
    const struct range a =
        range_of(transfer->table, transfer->in[0], bits, transfer_is_signed(kind), UINT32_MAX);
    if (a.is_known && a.low >= 0)
        limits = (struct symbol){.low = (uint64_t)a.low >> by, .high = (uint64_t)a.high >> by};
    else if (!transfer_is_signed(kind))
        limits.high = form_mask(bits) >> by;
    const unsigned zeros = form_zeros(transfer->table, transfer->in[0]);
    limits.zeros = zeros > by && zeros < bits ? zeros - by : 0;
    return limits;
}

const struct form *transfer_shift_right(const struct transfer *transfer) {
    struct form_table *table = transfer->table;
    const enum ir_kind kind = transfer->row->operands[0];
    const unsigned bits = transfer_bits(kind);
    const struct form *a = form_cut(table, transfer->in[0], bits);
    uint64_t by;
    if (!transfer_is_constant(transfer, 1, &by) || by >= bits) {
        struct symbol limits = shifted_limits(transfer, 0); // by any amount: it may become 0
        limits.low = limits.zeros = 0;
        return transfer_symbol(transfer, &limits);
    }
    const struct symbol limits = shifted_limits(transfer, (unsigned)by);
    const unsigned zeros = form_term_zeros(table, a);
    const bool is_number = range_is_sum(table, a, bits, transfer_is_signed(kind));
    const struct form *exact = is_number ? form_widen(table, a, 64) : a;
    const struct form *shifted =
        exact->bits > by ? form_shift_down(table, exact, (unsigned)by) : NULL;
    if (shifted && is_number) // of a signed number, the bits that came in at the top are its sign
        return form_cut(table, form_widen(table, shifted, 64), bits);
    if (shifted && !form_is_uniform(table, a))
        return shifted;
    // The low bits have no carries: they go, and the rest is the same for all lanes.
    struct transfer above = *transfer;
    if (zeros < by && is_same_above(a, zeros) && a->bits == bits)
        above.in[0] = form_without_low(table, a, zeros);
    return transfer_symbol(&above, &limits);
}

// ---- Routes ---------------------------------------------------------------------------------

// All operands but the first are constants: where do its bits go? False: they are not.
static bool find_route(const struct transfer *transfer, uint64_t in[FORM_OPERANDS],
                       uint64_t to[64]) {
    const unsigned bits = transfer_bits(transfer->row->operands[0]);
    for (unsigned i = 1; i < transfer->count; i++)
        if (!transfer_is_constant(transfer, i, &in[i]))
            return false;
    for (unsigned n = 0; n < 64; n++) {
        in[0] = 1ull << n;
        to[n] = n < bits ? transfer_run(transfer, in) : 0;
    }
    in[0] = 0;
    return transfer_run(transfer, in) == 0;
}

// Of bits `first` to `first + count - 1` a number: a shift and a mask.
static const struct form *field(const struct transfer *transfer, unsigned first, unsigned count) {
    struct form_table *table = transfer->table;
    const unsigned from = transfer_bits(transfer->row->operands[0]);
    const enum ir_value value = from == 64 ? IR_VALUE_shr_u64 : IR_VALUE_shr_u32;
    const struct transfer shift = {.table = table,
                                   .instruction = transfer->instruction,
                                   .value = value,
                                   .row = ir_value_row(value),
                                   .count = 2,
                                   .in = {transfer->in[0], form_constant(table, 32, first)}};
    const struct form *shifted = first ? transfer_row(&shift) : transfer->in[0];
    const unsigned bits = transfer_bits(transfer->row->result);
    if (bits < from)
        shifted = form_cut(table, shifted, bits);
    else if (bits > from)
        shifted = transfer_extend(table, transfer->instruction, shifted, from, false, bits);
    return masked(transfer, shifted, form_mask(count));
}

const struct form *transfer_route(const struct transfer *transfer) {
    const unsigned bits = transfer_bits(transfer->row->result);
    uint64_t in[FORM_OPERANDS] = {0}, to[64], ones = 0;
    struct symbol limits = {.high = form_mask(bits)};
    if (transfer_bits(transfer->row->operands[0]) < 32 || bits < 32 ||
        !find_route(transfer, in, to))
        return transfer_symbol(transfer, &limits);
    unsigned first = 0, count = 0;
    while (first < 64 && !to[first])
        first++;
    while (first + count < 64 && to[first + count] == 1ull << count)
        count++;
    bool is_field = count > 0;
    for (unsigned n = first + count; n < 64; n++)
        is_field &= !to[n];
    if (is_field)
        return field(transfer, first, count);
    const uint64_t may =
        range_ones(transfer->table, transfer->in[0], transfer_bits(transfer->row->operands[0]));
    for (unsigned n = 0; n < 64; n++)
        ones |= may >> n & 1 ? to[n] : 0;
    if (!(may & ~form_mask(form_term_zeros(transfer->table, transfer->in[0])))) {
        uint64_t out[FORM_LANES];
        for (unsigned l = 0; l < FORM_LANES; l++) {
            in[0] = transfer->in[0]->base[l];
            out[l] = transfer_run(transfer, in);
        }
        return form_concrete(transfer->table, bits, out);
    }
    limits = limits_of_ones(ones);
    return transfer_symbol(transfer, &limits);
}
