// What holds on one way through a kernel: conditions of branches that were taken, and the bounds of
// symbols that follow from them.
//
// Facts are a list of which ways share what holds before they part; what is in it never changes.
// They speak of single lanes: a lane that is there has come by these branches. Symbols mean the
// same as long as a fact lasts: a loop's facts end with its round.
#ifndef BANKRUN_PROVE_FACTS_H
#define BANKRUN_PROVE_FACTS_H

#include "prove/linear.h"

struct fact {
    const struct fact *before; // NULL: it is the first
    unsigned depth;            // how many are before it
    // A condition, 0 or 1, that some lanes have come by. IR_NONE: none that is followed.
    uint32_t condition;
    bool holds;
    uint32_t lanes;
    // A symbol's bounds, and what they were before. IR_NONE: of none.
    uint32_t symbol;
    uint64_t low, high, before_low, before_high;
};

// The table's symbols have these bounds from now on.
void facts_enter(struct form_table *table, const struct fact *facts);
// What both ways have in common.
const struct fact *facts_common(const struct fact *a, const struct fact *b);

// On the way on which the 0-or-1 form is `value` in the open lanes. `may`: all lanes that go there,
// for which bounds shall hold. The table is left where it was.
const struct fact *facts_branch(struct form_table *table, const struct fact *before,
                                const struct form *guard, uint32_t open, uint32_t may, bool value);
// There is a condition that nothing is known of.
const struct fact *facts_open(struct form_table *table, const struct fact *before);
// A condition that the lanes fulfil, and what follows from it.
const struct fact *facts_add(struct form_table *table, const struct fact *before,
                             uint32_t condition, bool holds, uint32_t lanes, uint32_t may);

// Bounds of the sum in one lane, of which the facts hold; or those of what it is modulo 2^bits,
// some multiple of that away.
struct range facts_range(struct form_table *table, const struct fact *facts,
                         const struct linear *sum, unsigned bits, unsigned lane);

#endif
