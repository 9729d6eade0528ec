// What a condition says of the symbols that it is made of.
#ifndef BANKRUN_PROVE_NARROW_H
#define BANKRUN_PROVE_NARROW_H

#include "prove/linear.h"

enum { NARROW_SYMBOLS = 2 * FORM_TERMS };

struct narrowed {
    uint32_t symbol;
    struct range range; // not known: in no lane the condition can be what it is
};

// Bounds of each of its symbols that hold in all of these lanes, where the table's facts hold and
// the condition is what it is; how many there are. Lanes in which that cannot be do not count.
unsigned narrow_symbols(const struct form_table *table, const struct condition *condition,
                        uint32_t lanes, struct narrowed symbols[NARROW_SYMBOLS]);

#endif
