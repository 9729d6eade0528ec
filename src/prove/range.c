// Bounds of forms. See range.h.
#include "prove/range.h"

static const wide_int FAR = (wide_int)1 << 100;

wide_int range_signed(uint64_t number, unsigned bits) {
    const unsigned unused = 64 - bits;
    return (int64_t)(number << unused) >> unused;
}

struct range range_of_sum(const struct form_table *table, const struct form *a, unsigned lane) {
    struct range sum = {true, range_signed(a->base[lane], a->bits),
                        range_signed(a->base[lane], a->bits)};
    for (unsigned t = 0; t < a->count; t++) {
        const wide_int by = range_signed(a->terms[t].by[lane], a->bits);
        uint64_t low, high;
        if (by == 0)
            continue;
        symbol_bounds(table, a->terms[t].symbol, &low, &high);
        const wide_int limit = FAR / (by < 0 ? -by : by);
        if ((wide_int)high > limit)
            return (struct range){0};
        sum.low += by * (wide_int)(by < 0 ? high : low);
        sum.high += by * (wide_int)(by < 0 ? low : high);
    }
    return sum;
}

static bool fits(const struct range *sum, unsigned bits, bool is_signed) {
    const wide_int span = (wide_int)1 << (is_signed ? bits - 1 : bits);
    return sum->is_known && sum->low >= (is_signed ? -span : 0) && sum->high < span;
}

struct range range_of_lane(const struct form_table *table, const struct form *a, unsigned bits,
                           bool is_signed, unsigned lane) {
    struct range sum = {0};
    if (a->bits < bits)
        return sum;
    if (form_is_concrete(a)) {
        const uint64_t number = a->base[lane] & form_mask(bits);
        sum = (struct range){true, number, number};
        if (is_signed)
            sum.low = sum.high = range_signed(number, bits);
        return sum;
    }
    if (a->bits > bits) // the sum is of more bits than are asked for
        return sum;
    sum = range_of_sum(table, a, lane);
    if (fits(&sum, bits, is_signed))
        return sum;
    // What is below zero in all its bounds lies as far below the top of unsigned numbers.
    const wide_int span = (wide_int)1 << bits;
    if (sum.is_known && !is_signed && sum.high < 0 && sum.low >= -span)
        return (struct range){true, sum.low + span, sum.high + span};
    return (struct range){0};
}

struct range range_of(const struct form_table *table, const struct form *a, unsigned bits,
                      bool is_signed, uint32_t mask) {
    struct range all = {0};
    for (; mask; mask &= mask - 1) {
        const struct range lane =
            range_of_lane(table, a, bits, is_signed, (unsigned)__builtin_ctz(mask));
        if (!lane.is_known)
            return lane;
        if (!all.is_known || lane.low < all.low)
            all.low = lane.low;
        if (!all.is_known || lane.high > all.high)
            all.high = lane.high;
        all.is_known = true;
    }
    return all;
}

bool range_is_sum(const struct form_table *table, const struct form *a, unsigned bits,
                  bool is_signed) {
    if (a->bits != bits)
        return false;
    for (unsigned l = 0; l < FORM_LANES; l++) {
        const struct range sum = range_of_sum(table, a, l);
        if (!fits(&sum, bits, is_signed))
            return false;
    }
    return true;
}

uint64_t range_ones(const struct form_table *table, const struct form *a, unsigned bits) {
    uint64_t ones = 0;
    if (form_is_concrete(a) && a->bits >= bits) {
        for (unsigned l = 0; l < FORM_LANES; l++)
            ones |= a->base[l];
        return ones & form_mask(bits);
    }
    const struct range range = range_of(table, a, bits, false, UINT32_MAX);
    const unsigned zeros = form_zeros(table, a);
    ones = form_mask(bits);
    if (range.is_known && range.high > 0)
        ones = ~0ull >> __builtin_clzll((uint64_t)range.high);
    else if (range.is_known)
        ones = 0;
    return zeros < 64 ? ones & ~form_mask(zeros) : 0;
}
