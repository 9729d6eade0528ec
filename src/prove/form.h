// What the 32 lanes of a warp hold, where not all of it is known: a number for each lane, and
// unknown numbers that are the same for all lanes, or not, each multiplied by a number for each
// lane.
//
// A form of n bits says what a value is modulo 2^n. A register of 32 bits has forms of 32 bits or,
// where less is known of it, of fewer. Predicates are forms of 64 bits that are 0 or 1.
//
// Lane numbers, forms and symbols that are functions of others are interned: equal ones are the
// same pointer, or number, as long as the table lives.
#ifndef BANKRUN_PROVE_FORM_H
#define BANKRUN_PROVE_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "ir/value.h"

struct ir_function;

enum { FORM_LANES = 32, FORM_TERMS = 12, FORM_OPERANDS = 4, FORM_RECENT = 64 };

typedef const uint64_t *form_lanes; // 32 numbers

struct form_term {
    uint32_t symbol;
    form_lanes by;
};

struct form {
    form_lanes base;
    unsigned bits; // 1 to 64: base and factors are modulo 2^bits
    unsigned count;
    struct form_term terms[]; // by ascending symbols; no factor is 0 in all lanes
};

enum symbol_kind {
    SYMBOL_UNKNOWN, // of it nothing but its bounds is known
    SYMBOL_PRODUCT, // of two symbols, modulo 2^64
    SYMBOL_ROW,     // what a row of value.def computes of forms
};

// Where something unknown comes from, for those who read why there is no proof.
enum symbol_origin {
    ORIGIN_NONE,
    ORIGIN_WARP,      // which one of the block it is
    ORIGIN_BLOCK,     // the index of the block, or of the cluster
    ORIGIN_GRID,      // its size
    ORIGIN_PARAMETER, // of the kernel
    ORIGIN_VARIABLE,  // the address of a variable in global memory
    ORIGIN_LOAD,      // loaded from memory
    ORIGIN_LOOP,      // changes from round to round of a loop
    ORIGIN_PATH,      // depends on which way the kernel goes
    ORIGIN_CALL,      // of a function that is not followed
    ORIGIN_OTHER,     // computed in a way that is not followed
};

struct symbol {
    enum symbol_kind kind;
    bool is_uniform;    // the same for all lanes
    bool is_steady;     // UNKNOWN: known to be the same in all blocks; where that is asked alone
    unsigned zeros;     // low bits that are 0
    uint64_t low, high; // bounds, inclusive, wherever it occurs
    uint64_t now_low, now_high; // where the table's facts hold; see facts.h
    enum symbol_origin origin;
    uint32_t instruction;               // that made it; IR_NONE: none did
    const struct ir_function *function; // whose that is; NULL: whose was executed then
    // PRODUCT
    uint32_t factors[2];
    // ROW
    enum ir_value row;
    uint32_t immediate;
    unsigned operand_count;
    const struct form *operands[FORM_OPERANDS];
};

struct form_table {
    struct arena *arena;
    VEC(struct symbol) symbols;
    const struct ir_function *function; // that is executed, which makes symbols
    const struct fact *facts;           // that hold now: set by facts_enter alone
    struct form_slot *slots;            // of lane numbers, forms and symbols
    size_t slot_count, slot_room;
    form_lanes zero, one;
    form_lanes recent[FORM_RECENT]; // of those that are the same for all lanes, by low bits
};

void form_table_init(struct form_table *table);
void form_table_free(struct form_table *table);

static inline const struct symbol *form_symbol_of(const struct form_table *table, uint32_t symbol) {
    return &table->symbols.data[symbol];
}

static inline uint64_t form_mask(unsigned bits) {
    return bits >= 64 ? ~0ull : (1ull << bits) - 1;
}

// ---- Making ---------------------------------------------------------------------------------

form_lanes form_intern_lanes(struct form_table *table, const uint64_t numbers[FORM_LANES]);
form_lanes form_same_lanes(struct form_table *table, uint64_t number);

uint32_t symbol_unknown(struct form_table *table, bool is_uniform, uint64_t high,
                        enum symbol_origin origin, uint32_t instruction);
uint32_t symbol_add(struct form_table *table, const struct symbol *symbol);
uint32_t symbol_product(struct form_table *table, uint32_t a, uint32_t b);
// What a row computes of forms, of which it is known to lie from low to high and to have so many
// low zeros. Uniform where all operands are, else a function of the lanes. One of other limits is
// another symbol: these may hold on one way only.
uint32_t symbol_row(struct form_table *table, const struct symbol *limits, enum ir_value row,
                    uint32_t immediate, const struct form *const *operands, unsigned count);

const struct form *form_constant(struct form_table *table, unsigned bits, uint64_t number);
const struct form *form_concrete(struct form_table *table, unsigned bits,
                                 const uint64_t numbers[FORM_LANES]);
const struct form *form_of_symbol(struct form_table *table, unsigned bits, uint32_t symbol);

// NULL in what follows: there would be too many terms. Results have the fewest bits of the
// operands.
const struct form *form_add(struct form_table *table, const struct form *a, const struct form *b);
const struct form *form_subtract(struct form_table *table, const struct form *a,
                                 const struct form *b);
const struct form *form_scale(struct form_table *table, const struct form *a, form_lanes by);
const struct form *form_multiply(struct form_table *table, const struct form *a,
                                 const struct form *b);
// Lanes of the mask as in a, the others as in b.
const struct form *form_select(struct form_table *table, uint32_t mask, const struct form *a,
                               const struct form *b);
// Never NULL.
const struct form *form_cut(struct form_table *table, const struct form *a, unsigned bits);
// 1 - a, of a predicate.
const struct form *form_complement(struct form_table *table, const struct form *a);
// All lanes that are not in the mask as the first one that is.
const struct form *form_spread(struct form_table *table, const struct form *a, uint32_t mask);
// Lane n as lane from[n].
const struct form *form_gather(struct form_table *table, const struct form *a,
                               const uint8_t from[FORM_LANES]);
// The same number of bits more, as a number that is known to lie within them; see range.h.
const struct form *form_widen(struct form_table *table, const struct form *a, unsigned bits);
// The base without its low bits, and all terms.
const struct form *form_without_low(struct form_table *table, const struct form *a, unsigned low);
// Divided by 2^by, which divides all factors; the base is rounded down. `by` bits fewer.
const struct form *form_shift_down(struct form_table *table, const struct form *a, unsigned by);

// ---- Asking ---------------------------------------------------------------------------------

// Bounds where the table's facts hold.
void symbol_bounds(const struct form_table *table, uint32_t symbol, uint64_t *low, uint64_t *high);

static inline bool form_is_concrete(const struct form *a) {
    return a->count == 0;
}
bool form_is_same(form_lanes lanes);
// The same for all lanes.
bool form_is_uniform(const struct form_table *table, const struct form *a);
// Low bits of all terms that are 0, at most `bits`.
unsigned form_term_zeros(const struct form_table *table, const struct form *a);
// Low bits that are 0.
unsigned form_zeros(const struct form_table *table, const struct form *a);

// In words.
const char *origin_words(enum symbol_origin origin);
// Whose `instruction` is; of: NULL, or nobody made it: `other`.
static inline const struct ir_function *symbol_maker(const struct symbol *of,
                                                     const struct ir_function *other) {
    return of && of->function ? of->function : other;
}

#endif
