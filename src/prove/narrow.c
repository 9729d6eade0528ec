// Bounds of symbols, from a condition that they fulfil. See narrow.h.
#include "prove/narrow.h"

#include "prove/transfer.h"

// ---- Sums without one of their terms ---------------------------------------------------------

struct parts {
    const struct linear *sum;
    wide_int low, high; // of the base and all terms but those that are too large to count with
    unsigned huge;      // how many of these there are
    bool is_huge[LINEAR_TERMS];
    wide_int lows[LINEAR_TERMS], highs[LINEAR_TERMS];
};

static void take_apart(const struct form_table *table, const struct linear *sum,
                       struct parts *parts) {
    parts->sum = sum;
    parts->low = parts->high = sum->base;
    parts->huge = 0;
    for (unsigned t = 0; t < sum->count; t++) {
        const wide_int by = sum->terms[t].by;
        uint64_t low, high;
        symbol_bounds(table, sum->terms[t].symbol, &low, &high);
        parts->is_huge[t] = linear_is_huge(by, high);
        parts->huge += parts->is_huge[t];
        parts->lows[t] = parts->is_huge[t] ? 0 : by * (wide_int)(by < 0 ? high : low);
        parts->highs[t] = parts->is_huge[t] ? 0 : by * (wide_int)(by < 0 ? low : high);
        parts->low += parts->lows[t];
        parts->high += parts->highs[t];
    }
}

static struct range rest_of(const struct parts *parts, unsigned without) {
    return (struct range){parts->huge == parts->is_huge[without], parts->low - parts->lows[without],
                          parts->high - parts->highs[without]};
}

// ---- One lane -------------------------------------------------------------------------------

struct lane {
    struct condition_view view;
    struct parts sums[2]; // of the view
    struct lane_operand {
        bool is_known;
        struct range value, except;
        struct linear sum; // modulo 2^bits
        struct parts own;  // of it
    } operands[2];
    unsigned bits;
};

static void look_at_lane(const struct form_table *table, const struct condition *condition,
                         unsigned lane, struct lane *at) {
    struct condition_view *view = &at->view;
    condition_look(table, condition, lane, view);
    at->bits = transfer_bits(ir_value_row(condition->symbol->row)->operands[0]);
    for (unsigned i = 0; i < view->count; i++)
        take_apart(table, &view->sums[i], &at->sums[i]);
    for (unsigned i = 0; i < 2; i++) {
        struct lane_operand *operand = &at->operands[i];
        const struct form *a = condition->symbol->operands[i];
        operand->value = view->operands[i];
        operand->except = view->except[i];
        operand->is_known =
            a->bits == at->bits && (operand->value.is_known || operand->except.is_known);
        if (!operand->is_known)
            continue;
        linear_of_sum(a, lane, &operand->sum);
        take_apart(table, &operand->sum, &operand->own);
    }
}

static struct range bounds_of(const struct form_table *table, uint32_t symbol) {
    uint64_t low, high;
    symbol_bounds(table, symbol, &low, &high);
    return (struct range){true, low, high};
}

static wide_int divided_down(wide_int a, wide_int b) { // b > 0
    if (b == 1)
        return a;
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

static void narrow(struct range *range, wide_int low, wide_int high) {
    range->low = low > range->low ? low : range->low;
    range->high = high < range->high ? high : range->high;
}

// What follows for the symbol from a sum that is not negative.
static void narrow_by_sum(const struct parts *sum, uint32_t symbol, struct range *range) {
    const unsigned term = linear_term_of(sum->sum, symbol);
    if (term == sum->sum->count)
        return;
    const struct range rest = rest_of(sum, term);
    const wide_int by = sum->sum->terms[term].by;
    if (!rest.is_known)
        return;
    if (by > 0) // by * s >= -rest
        narrow(range, -divided_down(rest.high, by), range->high);
    else
        narrow(range, range->low, divided_down(rest.high, -by));
}

// The symbol, plus what lies within `rest`, is in [low, high] modulo 2^bits.
static void narrow_modulo(struct range *range, wide_int low, wide_int high, unsigned bits) {
    const wide_int span = (wide_int)1 << bits;
    struct range all = {0};
    if (high - low >= span || range->high - range->low >= 2 * span)
        return;
    for (wide_int away = (range->low - high) >> bits; // rounded down
         low + away * span <= range->high; away++) {
        struct range piece = *range;
        narrow(&piece, low + away * span, high + away * span);
        if (piece.low > piece.high)
            continue;
        if (!all.is_known)
            all = piece;
        all.high = piece.high > all.high ? piece.high : all.high;
    }
    if (all.is_known)
        *range = all;
}

// The operand is the symbol, or its negative, and others.
static void narrow_by_operand(const struct lane_operand *operand, unsigned bits, uint32_t symbol,
                              struct range *range) {
    if (!operand->is_known)
        return;
    const unsigned term = linear_term_of(&operand->sum, symbol);
    if (term == operand->sum.count)
        return;
    const struct range rest = rest_of(&operand->own, term), value = operand->value;
    const wide_int by = operand->sum.terms[term].by;
    if ((by != 1 && by != -1) || !rest.is_known)
        return;
    if (operand->except.is_known) { // an end that it cannot be
        const wide_int mask = ((wide_int)1 << bits) - 1,
                       gone = by * (operand->except.low - rest.low);
        if (rest.low != rest.high)
            return;
        range->low += ((range->low - gone) & mask) == 0 && range->low < range->high;
        range->high -= ((range->high - gone) & mask) == 0 && range->low < range->high;
    } else if (by > 0) {
        narrow_modulo(range, value.low - rest.high, value.high - rest.low, bits);
    } else {
        narrow_modulo(range, rest.low - value.high, rest.high - value.low, bits);
    }
}

static struct range narrowed_in_lane(const struct form_table *table, const struct lane *lane,
                                     uint32_t symbol) {
    struct range range = bounds_of(table, symbol);
    for (unsigned i = 0; i < lane->view.count; i++)
        narrow_by_sum(&lane->sums[i], symbol, &range);
    for (unsigned i = 0; i < 2; i++)
        narrow_by_operand(&lane->operands[i], lane->bits, symbol, &range);
    return range;
}

// ---- All lanes ------------------------------------------------------------------------------

static bool are_alike(const struct condition *condition) {
    for (unsigned i = 0; i < 2; i++) {
        const struct form *a = condition->symbol->operands[i];
        bool is_same = form_is_same(a->base);
        for (unsigned t = 0; t < a->count; t++)
            is_same &= form_is_same(a->terms[t].by);
        if (!is_same)
            return false;
    }
    return true;
}

static unsigned list_symbols(const struct condition *condition,
                             struct narrowed symbols[NARROW_SYMBOLS]) {
    unsigned count = 0;
    for (unsigned i = 0; i < 2; i++) {
        const struct form *a = condition->symbol->operands[i];
        for (unsigned t = 0; t < a->count; t++) {
            bool is_new = true;
            for (unsigned n = 0; n < count; n++)
                is_new &= symbols[n].symbol != a->terms[t].symbol;
            if (is_new)
                symbols[count++] = (struct narrowed){.symbol = a->terms[t].symbol};
        }
    }
    return count;
}

unsigned narrow_symbols(const struct form_table *table, const struct condition *condition,
                        uint32_t lanes, struct narrowed symbols[NARROW_SYMBOLS]) {
    const unsigned count = list_symbols(condition, symbols);
    struct lane lane;
    if (are_alike(condition))
        lanes &= -lanes;
    for (; lanes && count; lanes &= lanes - 1) {
        look_at_lane(table, condition, (unsigned)__builtin_ctz(lanes), &lane);
        for (unsigned n = 0; n < count; n++) {
            const struct range range = narrowed_in_lane(table, &lane, symbols[n].symbol);
            struct range *all = &symbols[n].range;
            if (range.low > range.high) // this lane does not come here
                continue;
            if (!all->is_known)
                *all = range;
            all->low = range.low < all->low ? range.low : all->low;
            all->high = range.high > all->high ? range.high : all->high;
        }
    }
    return count;
}
