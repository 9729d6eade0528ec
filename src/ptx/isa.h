// Matching of mnemonics and operands against the rows of isa.def.
#ifndef BANKRUN_PTX_ISA_H
#define BANKRUN_PTX_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "ptx/facts.h"

enum {
    PTX_MAX_MNEMONIC_WORDS = 32, // modifiers and types of one instruction
    PTX_MAX_ROWS_OF_OPCODE = 32, // a test holds isa.def to this
    PTX_VECTOR_UNCHECKED = 0xff,
};

struct ptx_word { // of a mnemonic, without the dot
    const char *text;
    uint32_t length;
};

// One row of isa.def that accepts a mnemonic, and where its words went.
struct ptx_form {
    enum ptx_isa isa;
    uint16_t modifiers[PTX_GROUP_COUNT];
    uint8_t types[PTX_MAX_TYPES];
    uint8_t type_count;
    uint8_t vector;      // elements that a `D` or `S` takes: 0 a scalar, or PTX_VECTOR_UNCHECKED
    bool takes_anything; // operands are `*` from the start
    bool rest_is_free;   // a `*` behind the rules
    uint8_t rule_count, required;
    struct ptx_operand_rule rules[PTX_MAX_OPERANDS];
};

struct ptx_mnemonic { // what one spelling stands for
    const char *text;
    const struct ptx_form *forms; // in the order of isa.def
    size_t form_count;
};

struct ptx_isa_index {
    struct arena *arena;          // borrowed
    struct map opcodes;           // opcode -> first row
    uint16_t next[PTX_ISA_COUNT]; // further rows of the same opcode, 0: none
    struct map mnemonics;         // those met so far -> struct ptx_mnemonic
    struct map types, modifiers;
};

void ptx_isa_index_init(struct ptx_isa_index *index, struct arena *arena);
void ptx_isa_index_free(struct ptx_isa_index *index);

// First row of an opcode, PTX_ISA_NONE when there is none.
enum ptx_isa ptx_isa_find_opcode(const struct ptx_isa_index *index, const char *text,
                                 size_t length);

// All forms that accept the words; NULL when none does. Owned by the index's arena.
const struct ptx_mnemonic *ptx_isa_match(struct ptx_isa_index *index, enum ptx_isa first,
                                         const char *mnemonic, size_t length,
                                         const struct ptx_word *words, size_t count);

// Why no row accepts the words. Returns the index of the word to blame, or `count` for the whole
// mnemonic.
size_t ptx_isa_explain(const struct ptx_isa_index *index, enum ptx_isa first, const char *mnemonic,
                       const struct ptx_word *words, size_t count, struct strbuf *message);

// The opcode nearest in spelling, NULL when none is near.
const char *ptx_isa_suggest_opcode(const char *text, size_t length);

// Edit distance with transpositions, at most `limit` + 1.
unsigned ptx_edit_distance(const char *a, size_t a_length, const char *b, size_t b_length,
                           unsigned limit);

#endif
