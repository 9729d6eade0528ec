// Sums of symbols as integers. See linear.h.
#include "prove/linear.h"

#include "prove/transfer.h"

enum { HUGE_BITS = 100 };
static const wide_int HUGE_NUMBER = (wide_int)1 << HUGE_BITS;

static wide_int least_of(unsigned bits, bool is_signed) {
    return is_signed ? -((wide_int)1 << (bits - 1)) : 0;
}

void linear_of_sum(const struct form *a, unsigned lane, struct linear *sum) {
    sum->base = range_signed(a->base[lane], a->bits);
    sum->count = 0;
    for (unsigned t = 0; t < a->count; t++) {
        const wide_int by = range_signed(a->terms[t].by[lane], a->bits);
        if (by)
            sum->terms[sum->count++] = (struct linear_term){a->terms[t].symbol, by};
    }
}

static unsigned bits_of(uint64_t number) {
    return number ? 64 - (unsigned)__builtin_clzll(number) : 0;
}

bool linear_is_huge(wide_int by, uint64_t high) {
    const wide_int size = by < 0 ? -by : by;
    const uint64_t top = (uint64_t)(size >> 64);
    return (top ? 64 + bits_of(top) : bits_of((uint64_t)size)) + bits_of(high) > HUGE_BITS;
}

struct range linear_range(const struct form_table *table, const struct linear *sum) {
    struct range range = {true, sum->base, sum->base};
    for (unsigned t = 0; t < sum->count; t++) {
        const wide_int by = sum->terms[t].by;
        uint64_t low, high;
        symbol_bounds(table, sum->terms[t].symbol, &low, &high);
        if (linear_is_huge(by, high))
            return (struct range){0};
        range.low += by * (wide_int)(by < 0 ? high : low);
        range.high += by * (wide_int)(by < 0 ? low : high);
    }
    return range;
}

// All that the sum can be lies between two neighbouring multiples of 2^bits, from the least number
// on: that multiple away it is the number.
bool linear_of(const struct form_table *table, const struct form *a, unsigned bits, bool is_signed,
               unsigned lane, struct linear *sum) {
    const wide_int least = least_of(bits, is_signed);
    if (a->bits < bits || (a->bits > bits && a->count))
        return false;
    linear_of_sum(a, lane, sum);
    const struct range range = linear_range(table, sum);
    if (!range.is_known)
        return false;
    const wide_int away = (range.low - least) >> bits; // rounded down
    if ((range.high - least) >> bits != away)
        return false;
    sum->base -= away * ((wide_int)1 << bits);
    return true;
}

bool linear_add(const struct linear *a, const struct linear *b, wide_int by, struct linear *sum) {
    unsigned i = 0, j = 0;
    sum->base = a->base + by * b->base;
    sum->count = 0;
    if (by > HUGE_NUMBER >> 40 || -by > HUGE_NUMBER >> 40)
        return false;
    while (i < a->count || j < b->count) {
        struct linear_term term;
        if (j == b->count || (i < a->count && a->terms[i].symbol < b->terms[j].symbol))
            term = a->terms[i++];
        else if (i == a->count || b->terms[j].symbol < a->terms[i].symbol) {
            term = (struct linear_term){b->terms[j].symbol, by * b->terms[j].by};
            j++;
        } else {
            term = (struct linear_term){a->terms[i].symbol, a->terms[i].by + by * b->terms[j].by};
            i++;
            j++;
        }
        if (!term.by)
            continue;
        if (sum->count == LINEAR_TERMS || term.by > HUGE_NUMBER || -term.by > HUGE_NUMBER)
            return false;
        sum->terms[sum->count++] = term;
    }
    return true;
}

// ---- Conditions -----------------------------------------------------------------------------

bool condition_is_followed(const struct form_table *table, uint32_t symbol) {
    const struct symbol *of = form_symbol_of(table, symbol);
    if (of->kind != SYMBOL_ROW || of->operand_count != 2)
        return false;
    const struct ir_value_row *row = ir_value_row(of->row);
    const enum ir_kind kind = row->operands[0];
    return (row->law == IR_LAW_LESS || row->law == IR_LAW_EQUAL) && row->result == IR_KIND_pred &&
           kind != IR_KIND_f32 && kind != IR_KIND_f64 && kind != IR_KIND_pred;
}

static enum ir_kind kind_of(const struct condition *condition) {
    return ir_value_row(condition->symbol->row)->operands[0];
}

static bool is_less(const struct condition *condition) {
    return ir_value_row(condition->symbol->row)->law == IR_LAW_LESS;
}

// Of operands as sums, which both are.
static unsigned sums_of(const struct condition *condition, const struct linear sides[2],
                        struct linear sums[2]) {
    if (is_less(condition)) {
        const bool holds = condition->holds; // a < b: b - a - 1; else a - b
        if (!linear_add(&sides[holds], &sides[!holds], -1, &sums[0]))
            return 0;
        sums[0].base -= holds;
        return 1;
    }
    if (!condition->holds || !linear_add(&sides[0], &sides[1], -1, &sums[0]) ||
        !linear_add(&sides[1], &sides[0], -1, &sums[1]))
        return 0;
    return 2;
}

// Where the other operand lies between these.
static struct range range_of_operand(const struct condition *condition, unsigned operand,
                                     const struct range *all, const struct range *other,
                                     struct range *except) {
    struct range range = *all;
    if (!is_less(condition)) {
        if (condition->holds)
            return *other;
        if (other->low == other->high)
            *except = *other;
        return (struct range){0};
    }
    if (condition->holds && operand == 0)
        range.high = other->high - 1;
    else if (condition->holds)
        range.low = other->low + 1;
    else if (operand == 0)
        range.low = other->low;
    else
        range.high = other->high;
    if (range.low > range.high) // it cannot be: what is known says so elsewhere
        return (struct range){0};
    return range;
}

void condition_look(const struct form_table *table, const struct condition *condition,
                    unsigned lane, struct condition_view *view) {
    const enum ir_kind kind = kind_of(condition);
    const unsigned bits = transfer_bits(kind);
    const bool is_signed = transfer_is_signed(kind);
    const wide_int least = least_of(bits, is_signed);
    const struct range all = {true, least, least + ((wide_int)1 << bits) - 1};
    struct linear sides[2];
    bool is_sum[2];
    for (unsigned i = 0; i < 2; i++)
        is_sum[i] =
            linear_of(table, condition->symbol->operands[i], bits, is_signed, lane, &sides[i]);
    view->count = is_sum[0] && is_sum[1] ? sums_of(condition, sides, view->sums) : 0;
    for (unsigned i = 0; i < 2; i++) {
        const struct range other = is_sum[!i] ? linear_range(table, &sides[!i]) : all;
        view->except[i] = (struct range){0};
        view->operands[i] = range_of_operand(condition, i, &all, &other, &view->except[i]);
    }
}
