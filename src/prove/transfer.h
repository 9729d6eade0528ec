// What a row of value.def makes of forms: its law says how, the row itself is run on numbers.
#ifndef BANKRUN_PROVE_TRANSFER_H
#define BANKRUN_PROVE_TRANSFER_H

#include "prove/range.h"

struct transfer {
    struct form_table *table;
    uint32_t instruction; // that is executed, for the origin of what becomes unknown
    enum ir_value value;
    const struct ir_value_row *row;
    uint32_t immediate;
    unsigned count; // of operands
    // As the registers hold them: 32 or 64 bits, a predicate 64. Lanes that are off hold what some
    // lane does that is on.
    const struct form *in[FORM_OPERANDS];
};

// The result as a register holds it. Rows of several results, and those that see a form or a carry,
// are not for this.
const struct form *transfer_row(const struct transfer *transfer);

// How many bits of a register an operand or result of this kind is; a predicate is 64.
unsigned transfer_bits(enum ir_kind kind);
bool transfer_is_signed(enum ir_kind kind);

// ---- Pieces of it ---------------------------------------------------------------------------

// The row with numbers.
uint64_t transfer_run(const struct transfer *transfer, const uint64_t in[FORM_OPERANDS]);
// All bits that the row reads of this operand are numbers.
bool transfer_is_known(const struct transfer *transfer, unsigned operand);
// A number that is the same for all lanes.
bool transfer_is_constant(const struct transfer *transfer, unsigned operand, uint64_t *number);
// A symbol for what the row computes, or for anything in the limits where not even its operands are
// known whole.
const struct form *transfer_symbol(const struct transfer *transfer, const struct symbol *limits);
// The operand's V(x), of `bits`.
const struct form *transfer_operand(const struct transfer *transfer, unsigned operand,
                                    unsigned bits);
// The number that the low `from` bits are, as one of `to` bits.
const struct form *transfer_extend(struct form_table *table, uint32_t instruction,
                                   const struct form *a, unsigned from, bool is_signed,
                                   unsigned to);
// The form behind `chosen` (0 or 1): a where that is 1, else b.
const struct form *transfer_choose(const struct transfer *transfer, const struct form *chosen,
                                   const struct form *a, const struct form *b);

// bits.c
const struct form *transfer_bitwise(const struct transfer *transfer);
const struct form *transfer_route(const struct transfer *transfer);
const struct form *transfer_shift_right(const struct transfer *transfer);
// compare.c: 0 or 1.
const struct form *transfer_equal(const struct transfer *transfer);
const struct form *transfer_less(const struct transfer *transfer);
// a combined with b as IR_COMPARE_BOOL says.
const struct form *transfer_combine(struct form_table *table, uint32_t immediate,
                                    const struct form *a, const struct form *b);

#endif
