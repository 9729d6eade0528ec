// Comparisons of forms: 0 or 1 in lanes where the bounds decide, else a symbol that is the same for
// all lanes where that can be seen.
#include "prove/transfer.h"

static const struct symbol truth = {.high = 1};

// The decided lanes as numbers, the others as the symbol.
static const struct form *mixed(const struct transfer *transfer, uint32_t decided,
                                const uint64_t numbers[FORM_LANES], const struct form *open) {
    struct form_table *table = transfer->table;
    const struct form *known = form_concrete(table, 64, numbers);
    return form_select(table, decided, known, open);
}

static bool is_uniform_compare(const struct transfer *transfer) {
    for (unsigned i = 0; i < transfer->count; i++)
        if (!form_is_uniform(transfer->table, transfer->in[i]))
            return false;
    return true;
}

// ---- Equality -------------------------------------------------------------------------------

// -1: it may be 0 or not.
static int is_zero(const struct form_table *table, const struct form *difference, unsigned lane) {
    uint64_t factors = 0;
    unsigned zeros = difference->bits;
    for (unsigned t = 0; t < difference->count; t++) {
        const uint64_t by = difference->terms[t].by[lane];
        const unsigned z = form_symbol_of(table, difference->terms[t].symbol)->zeros;
        factors |= by;
        if (by && (unsigned)__builtin_ctzll(by) + z < zeros)
            zeros = (unsigned)__builtin_ctzll(by) + z;
    }
    if (factors == 0)
        return difference->base[lane] == 0;
    if (difference->base[lane] & form_mask(zeros))
        return 0;
    const struct range sum = range_of_sum(table, difference, lane);
    const wide_int span = (wide_int)1 << difference->bits;
    return sum.is_known && sum.high < span && sum.low > -span && (sum.low > 0 || sum.high < 0) ? 0
                                                                                               : -1;
}

const struct form *transfer_equal(const struct transfer *transfer) {
    struct form_table *table = transfer->table;
    const unsigned bits = transfer_bits(transfer->row->operands[0]);
    const struct form *a = form_cut(table, transfer->in[0], bits);
    const struct form *b = form_cut(table, transfer->in[1], bits);
    const struct form *difference = form_subtract(table, a, b);
    uint64_t numbers[FORM_LANES] = {0};
    uint32_t decided = 0;
    for (unsigned l = 0; difference && difference->bits == bits && l < FORM_LANES; l++) {
        const int zero = is_zero(table, difference, l);
        decided |= (uint32_t)(zero >= 0) << l;
        numbers[l] = zero > 0;
    }
    if (decided == UINT32_MAX)
        return form_concrete(table, 64, numbers);
    return mixed(transfer, decided, numbers, transfer_symbol(transfer, &truth));
}

// ---- Order ----------------------------------------------------------------------------------

// a - b as a number that cannot overflow. NULL: it may.
static const struct form *exact_difference(const struct transfer *transfer) {
    struct form_table *table = transfer->table;
    const enum ir_kind kind = transfer->row->operands[0];
    const unsigned bits = transfer_bits(kind);
    const struct form *sides[2];
    for (int i = 0; i < 2; i++) {
        const struct form *side = form_cut(table, transfer->in[i], bits);
        const bool is_number = form_is_concrete(side) && side->bits == bits;
        if (!is_number && !range_is_sum(table, side, bits, transfer_is_signed(kind)))
            return NULL;
        sides[i] =
            transfer_extend(table, transfer->instruction, side, bits, transfer_is_signed(kind), 64);
        if (sides[i]->bits < 64)
            return NULL;
    }
    if (bits == 64) // the difference of 64-bit numbers might not fit: half of them is enough
        for (int i = 0; i < 2; i++)
            for (unsigned l = 0; l < FORM_LANES; l++) {
                const struct range range = range_of_sum(table, sides[i], l);
                if (!range.is_known || range.high >> 62 || range.low < 0)
                    return NULL;
            }
    return form_subtract(table, sides[0], sides[1]);
}

// d[l] + u < 0, where u is the same for all lanes and a multiple of 2^zeros, holds for all lanes or
// for none: the limits of u are the same once they are rounded.
static bool has_one_threshold(const struct form_table *table, const struct form *difference,
                              uint32_t open) {
    const unsigned zeros = form_term_zeros(table, difference);
    int64_t limit = 0;
    bool is_first = true;
    for (unsigned t = 0; t < difference->count; t++)
        if (!form_symbol_of(table, difference->terms[t].symbol)->is_uniform)
            return false;
    for (unsigned l = 0; l < FORM_LANES; l++) {
        if (!(open >> l & 1))
            continue;
        for (unsigned t = 0; t < difference->count; t++)
            if (difference->terms[t].by[l] != difference->terms[t].by[__builtin_ctz(open)])
                return false;
        const int64_t own = (-(int64_t)difference->base[l] - 1) >> (zeros < 63 ? zeros : 63);
        if (!is_first && own != limit)
            return false;
        limit = own;
        is_first = false;
    }
    return true;
}

// A symbol for all open lanes: that of the first one of them.
static const struct form *one_for_all(const struct transfer *transfer, uint32_t open) {
    struct transfer first = *transfer;
    const uint32_t lane = open & -open;
    for (int i = 0; i < 2; i++)
        first.in[i] = form_spread(transfer->table, transfer->in[i], lane);
    return transfer_symbol(&first, &truth);
}

const struct form *transfer_less(const struct transfer *transfer) {
    struct form_table *table = transfer->table;
    const enum ir_kind kind = transfer->row->operands[0];
    const unsigned bits = transfer_bits(kind);
    const struct form *difference = exact_difference(transfer);
    uint64_t numbers[FORM_LANES] = {0};
    uint32_t decided = 0;
    for (unsigned l = 0; l < FORM_LANES; l++) {
        const struct range a =
            range_of_lane(table, transfer->in[0], bits, transfer_is_signed(kind), l);
        const struct range b =
            range_of_lane(table, transfer->in[1], bits, transfer_is_signed(kind), l);
        const struct range d = difference ? range_of_sum(table, difference, l) : (struct range){0};
        const bool is_less =
            (a.is_known && b.is_known && a.high < b.low) || (d.is_known && d.high < 0);
        const bool is_not =
            (a.is_known && b.is_known && a.low >= b.high) || (d.is_known && d.low >= 0);
        decided |= (uint32_t)(is_less || is_not) << l;
        numbers[l] = is_less;
    }
    if (decided == UINT32_MAX)
        return form_concrete(table, 64, numbers);
    const bool is_one = !is_uniform_compare(transfer) && difference &&
                        has_one_threshold(table, difference, ~decided);
    return mixed(transfer, decided, numbers,
                 is_one ? one_for_all(transfer, ~decided) : transfer_symbol(transfer, &truth));
}

// ---- Logic of 0 and 1 -----------------------------------------------------------------------

const struct form *transfer_combine(struct form_table *table, uint32_t immediate,
                                    const struct form *a, const struct form *b) {
    const struct form *both = form_multiply(table, a, b);
    const struct form *sum = form_add(table, a, b);
    if (!both || !sum)
        return NULL;
    switch (immediate & IR_COMPARE_BOOL) {
    case IR_COMPARE_AND:
        return both;
    case IR_COMPARE_OR:
        return form_subtract(table, sum, both);
    case IR_COMPARE_XOR:
        both = form_scale(table, both, form_same_lanes(table, 2));
        return both ? form_subtract(table, sum, both) : NULL;
    default:
        return a;
    }
}
