// Sums of symbols as integers, and what conditions say of them.
#ifndef BANKRUN_PROVE_LINEAR_H
#define BANKRUN_PROVE_LINEAR_H

#include "prove/range.h"

enum { LINEAR_TERMS = 2 * FORM_TERMS };

struct linear_term {
    uint32_t symbol;
    wide_int by;
};

struct linear {
    wide_int base;
    unsigned count;                         // of the terms; all others hold anything
    struct linear_term terms[LINEAR_TERMS]; // by ascending symbols; no factor is 0
};

// The number that the form's low `bits` are in one lane, signed or unsigned, as a sum of integers.
// False: the sum may wrap, so that it is none.
bool linear_of(const struct form_table *table, const struct form *a, unsigned bits, bool is_signed,
               unsigned lane, struct linear *sum);
// The sum of base and terms as it stands, whose value modulo 2^bits the form has.
void linear_of_sum(const struct form *a, unsigned lane, struct linear *sum);
// a + by * b. False: too many terms, or numbers too large.
bool linear_add(const struct linear *a, const struct linear *b, wide_int by, struct linear *sum);
// Whether a multiple of a number up to `high` is taken to be too large to count with.
bool linear_is_huge(wide_int by, uint64_t high);
// The number of the symbol's term; as many as there are: it has none.
static inline unsigned linear_term_of(const struct linear *sum, uint32_t symbol) {
    unsigned t = 0;
    while (t < sum->count && sum->terms[t].symbol != symbol)
        t++;
    return t;
}
// What the symbol is multiplied by; 0: it is in no term.
static inline wide_int linear_factor(const struct linear *sum, uint32_t symbol) {
    const unsigned t = linear_term_of(sum, symbol);
    return t < sum->count ? sum->terms[t].by : 0;
}
// Where the table's facts hold.
struct range linear_range(const struct form_table *table, const struct linear *sum);

// Of a condition: that is 0 or 1, as a row of value.def.
struct condition {
    const struct symbol *symbol; // SYMBOL_ROW of law LESS or EQUAL
    bool holds;
};

bool condition_is_followed(const struct form_table *table, uint32_t symbol);
// What a condition says in one lane where it is what it is.
struct condition_view {
    unsigned count;
    struct linear sums[2]; // that are not negative
    // What each operand's V(x) lies between, if the table knows so much of the other one. Not
    // known: nothing but that it is none of `except`, if that is known.
    struct range operands[2], except[2];
};
void condition_look(const struct form_table *table, const struct condition *condition,
                    unsigned lane, struct condition_view *view);

#endif
