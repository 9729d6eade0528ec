// How many rounds a loop can have, and what holds at the beginning of each: from conditions that
// every round which goes on has come by.
//
// Let R be the number of rounds before this one, and x = x0 + k R one side of such a condition,
// whose other side does not change. It holds of rounds 0 to R - 1, so that of the last of them
// x0 + k (R - 1) lies within its limits; and as long as a step from within them does not wrap, x is
// that sum as an integer.
#include "prove/walk.h"

struct round_condition {
    const struct walk_rounds *rounds;
    struct condition condition;
    uint32_t lanes; // that come back by it
};

// What does not change while the loop runs.
static bool is_fixed(const struct form_table *table, const struct form *a, uint32_t first,
                     uint32_t rounds) {
    for (unsigned t = 0; t < a->count; t++) {
        const struct symbol *of = form_symbol_of(table, a->terms[t].symbol);
        const bool is_given = of->kind == SYMBOL_UNKNOWN &&
                              (of->origin == ORIGIN_PARAMETER || of->origin == ORIGIN_WARP ||
                               of->origin == ORIGIN_BLOCK || of->origin == ORIGIN_GRID);
        if (a->terms[t].symbol >= first && a->terms[t].symbol != rounds && !is_given)
            return false;
    }
    return true;
}

static const struct form_term *round_term(const struct form *a, uint32_t rounds) {
    for (unsigned t = 0; t < a->count; t++)
        if (a->terms[t].symbol == rounds)
            return &a->terms[t];
    return NULL;
}

// ---- How many -------------------------------------------------------------------------------

static wide_int quotient(wide_int a, wide_int b) { // b > 0, rounded down
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

// Of x in one lane: x0, and k.
struct course {
    struct range start;
    wide_int step;
};

static struct course course_of(const struct form_table *table, const struct form *a,
                               uint32_t rounds, unsigned bits, bool is_signed, unsigned lane) {
    struct course course = {0};
    struct linear sum, start = {0};
    if (a->bits != bits)
        return course;
    linear_of_sum(a, lane, &sum);
    start.base = sum.base;
    for (unsigned t = 0; t < sum.count; t++)
        if (sum.terms[t].symbol == rounds)
            course.step = sum.terms[t].by;
        else
            start.terms[start.count++] = sum.terms[t];
    course.start = linear_range(table, &start);
    const wide_int least = is_signed ? -((wide_int)1 << (bits - 1)) : 0, span = (wide_int)1 << bits;
    // The same multiple of 2^bits away from what the number is.
    const wide_int away = quotient(course.start.low - least, span);
    if (course.start.is_known && quotient(course.start.high - least, span) == away) {
        course.start.low -= away * span;
        course.start.high -= away * span;
    } else {
        course.start.is_known = false;
    }
    return course;
}

// A side that is not to be `except`, which it comes to step by step. -1: not known.
static wide_int rounds_until(const struct course *course, const struct range *except) {
    const wide_int by = course->step < 0 ? -course->step : course->step;
    const wide_int low =
        course->step > 0 ? except->low - course->start.high : course->start.low - except->high;
    const wide_int high =
        course->step > 0 ? except->high - course->start.low : course->start.high - except->low;
    if (low < 0 || (by != 1 && (low != high || low % by)))
        return -1;
    return high / by;
}

static struct range other_side(const struct form_table *table, const struct condition *condition,
                               unsigned side, unsigned bits, bool is_signed, unsigned lane) {
    struct linear sum;
    if (!linear_of(table, condition->symbol->operands[!side], bits, is_signed, lane, &sum))
        return (struct range){0};
    return linear_range(table, &sum);
}

// Equality has no sign: the way to the other number may be one of signed numbers, or of others.
static wide_int rounds_until_equal(const struct form_table *table,
                                   const struct condition *condition, unsigned side,
                                   uint32_t rounds, unsigned lane) {
    const unsigned bits = transfer_bits(ir_value_row(condition->symbol->row)->operands[0]);
    wide_int least = -1;
    for (unsigned is_signed = 0; is_signed < 2 && !condition->holds; is_signed++) {
        const struct course course =
            course_of(table, condition->symbol->operands[side], rounds, bits, is_signed, lane);
        const struct range other = other_side(table, condition, side, bits, is_signed, lane);
        if (!course.start.is_known || !course.step || !other.is_known)
            continue;
        const wide_int most = rounds_until(&course, &other);
        if (most >= 0 && (least < 0 || most < least))
            least = most;
    }
    return least;
}

// The most that R can be in a lane, if the condition says. -1: it does not.
static wide_int most_rounds(const struct form_table *table, const struct condition *condition,
                            unsigned side, uint32_t rounds, unsigned lane) {
    const struct ir_value_row *row = ir_value_row(condition->symbol->row);
    const unsigned bits = transfer_bits(row->operands[0]);
    const bool is_signed = transfer_is_signed(row->operands[0]);
    const struct course course =
        course_of(table, condition->symbol->operands[side], rounds, bits, is_signed, lane);
    const wide_int least = is_signed ? -((wide_int)1 << (bits - 1)) : 0,
                   most = least + ((wide_int)1 << bits) - 1;
    struct condition_view view;
    condition_look(table, condition, lane, &view);
    const struct range limits = view.operands[side];
    if (row->law == IR_LAW_EQUAL)
        return rounds_until_equal(table, condition, side, rounds, lane);
    if (!course.start.is_known || !course.step || !limits.is_known)
        return -1;
    wide_int last;
    if (course.step > 0 && limits.high + course.step <= most)
        last = quotient(limits.high - course.start.low, course.step);
    else if (course.step < 0 && limits.low + course.step >= least)
        last = quotient(course.start.high - limits.low, -course.step);
    else
        return -1;
    return last < -1 ? 0 : last + 1;
}

static void bound_rounds(struct form_table *table, const struct round_condition *by,
                         unsigned side) {
    const uint32_t rounds = by->rounds->symbol;
    struct symbol *of = &table->symbols.data[rounds];
    wide_int most = 0;
    if (by->rounds->back->may & ~by->lanes)
        return;
    for (uint32_t left = by->rounds->back->may; left; left &= left - 1) {
        const wide_int lane =
            most_rounds(table, &by->condition, side, rounds, (unsigned)__builtin_ctz(left));
        if (lane < 0)
            return;
        most = lane > most ? lane : most;
    }
    if (most < (wide_int)of->high)
        of->high = of->now_high = (uint64_t)most;
}

// ---- What holds in each ---------------------------------------------------------------------

static bool is_known_fact(const struct fact *facts, uint32_t condition, bool holds, unsigned lane) {
    for (; facts; facts = facts->before)
        if (facts->condition == condition && facts->holds == holds && (facts->lanes >> lane & 1))
            return true;
    return false;
}

// The row of these operands is `holds` on the way of the facts.
static bool is_true_in(struct form_table *table, const struct fact *facts, uint32_t symbol,
                       bool holds, unsigned lane) {
    const struct symbol row = *form_symbol_of(table, symbol);
    const struct condition condition = {&row, holds};
    struct condition_view view;
    if (is_known_fact(facts, symbol, holds, lane))
        return true;
    if (ir_value_row(row.row)->law != IR_LAW_LESS)
        return false;
    condition_look(table, &condition, lane, &view);
    if (view.count != 1)
        return false;
    const struct range range = facts_range(table, facts, &view.sums[0], 64, lane);
    return range.is_known && range.low >= 0;
}

static uint32_t same_row(struct form_table *table, const struct symbol *row, enum ir_value value,
                         const struct form *const operands[2]) {
    static const struct symbol truth = {.high = 1};
    return symbol_row(table, &truth, value, row->immediate, operands, 2);
}

// The condition as it was a round ago, and as it is before the first one.
static void shift_condition(struct form_table *table, const struct round_condition *by,
                            unsigned side, uint32_t *shifted, uint32_t *first) {
    const struct symbol row = *by->condition.symbol;
    const struct form *a = row.operands[side];
    const struct form_term *term = round_term(a, by->rounds->symbol);
    const struct form *step = form_concrete(table, a->bits, term->by);
    const struct form *before = form_subtract(table, a, step);
    const struct form *of_rounds =
        form_scale(table, form_of_symbol(table, a->bits, by->rounds->symbol), term->by);
    const struct form *operands[2] = {row.operands[0], row.operands[1]};
    operands[side] = before;
    *shifted = same_row(table, &row, row.row, operands);
    operands[side] = form_subtract(table, before, of_rounds);
    *first = same_row(table, &row, row.row, operands);
}

static const struct fact *hold_at_header(struct form_table *table, const struct fact *facts,
                                         const struct round_condition *by, unsigned side) {
    const struct state *entry = by->rounds->entry, *back = by->rounds->back;
    uint32_t shifted, first, lanes = 0;
    shift_condition(table, by, side, &shifted, &first);
    for (uint32_t left = entry->may; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        if ((back->may & ~by->lanes) >> lane & 1)
            continue;
        lanes |= (uint32_t)is_true_in(table, entry->facts, first, by->condition.holds, lane)
                 << lane;
    }
    return lanes ? facts_add(table, facts, shifted, by->condition.holds, lanes, entry->may) : facts;
}

// ---- All conditions -------------------------------------------------------------------------

enum { MOST_ROUND_CONDITIONS = 8 };

const struct fact *walk_rounds_facts(struct walker *walker, const struct walk_rounds *rounds) {
    struct form_table *table = &walker->table;
    struct round_condition found[MOST_ROUND_CONDITIONS];
    unsigned sides[MOST_ROUND_CONDITIONS], count = 0;
    const struct fact *facts = rounds->entry->facts, *now = table->facts;
    const struct fact *outer = facts_common(facts, rounds->back->facts);
    struct symbol rows[MOST_ROUND_CONDITIONS];
    for (const struct fact *at = rounds->back->facts; at != outer; at = at->before) {
        if (at->condition == IR_NONE || count == MOST_ROUND_CONDITIONS)
            continue;
        const struct symbol *row = form_symbol_of(table, at->condition);
        const bool is_in[2] = {round_term(row->operands[0], rounds->symbol) != NULL,
                               round_term(row->operands[1], rounds->symbol) != NULL};
        if (is_in[0] == is_in[1] ||
            !is_fixed(table, row->operands[0], rounds->first, rounds->symbol) ||
            !is_fixed(table, row->operands[1], rounds->first, rounds->symbol))
            continue;
        rows[count] = *row;
        sides[count] = is_in[1];
        found[count] = (struct round_condition){rounds, {NULL, at->holds}, at->lanes};
        count++;
    }
    facts_enter(table, facts);
    for (unsigned i = 0; i < count; i++) {
        found[i].condition.symbol = &rows[i];
        bound_rounds(table, &found[i], sides[i]);
    }
    for (unsigned i = 0; i < count; i++)
        if (ir_value_row(rows[i].row)->law == IR_LAW_LESS)
            facts = hold_at_header(table, facts, &found[i], sides[i]);
    facts_enter(table, now);
    return facts;
}
