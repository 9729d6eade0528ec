// What the rows of isa.def say about instructions. Whoever wants to know something of an
// instruction asks here; nobody else knows opcodes by name. isa.def's head comment explains each
// word of the two lists.
#ifndef BANKRUN_PTX_FACTS_H
#define BANKRUN_PTX_FACTS_H

#include "ptx/ptx.h"

// clang-format off
// How memory is accessed; the column `access`.
#define PTX_ACCESSES(X)                                                                            \
    X(NONE) X(LOAD) X(STORE) X(ATOMIC) X(REDUCTION) X(MATRIX_LOAD) X(MATRIX_STORE)                 \
    X(FRAGMENT_LOAD) X(FRAGMENT_STORE) X(ASYNC_STORE) X(ASYNC_REDUCTION) X(ASYNC_COPY)             \
    X(BULK_COPY) X(MBARRIER) X(TEXTURE) X(TEXTURE_GATHER) X(TEXTURE_QUERY) X(SURFACE_LOAD)         \
    X(SURFACE_STORE) X(SURFACE_REDUCTION) X(SURFACE_QUERY)

// What else holds; the column `facts`, any number of them.
#define PTX_FACTS(X)                                                                               \
    X(SPLITS) X(SYNCS) X(GATHERS) X(POLLS) X(UNIFORM) X(JUMPED) X(BREAKS) X(DIVIDES) X(PRODUCT)    \
    X(SUM) X(COPY) X(NEGATES) X(REFUSED)
// clang-format on

enum ptx_access {
#define X(name) PTX_ACCESS_##name,
    PTX_ACCESSES(X)
#undef X
};

enum ptx_fact_bit {
#define X(name) PTX_FACT_BIT_##name,
    PTX_FACTS(X)
#undef X
};

enum ptx_fact {
#define X(name) PTX_FACT_##name = 1 << PTX_FACT_BIT_##name,
    PTX_FACTS(X)
#undef X
};

struct ptx_isa_row {
    const char *opcode, *form, *modifiers, *operands, *select;
    enum ptx_access access;
    unsigned facts;
};
const struct ptx_isa_row *ptx_isa_row(enum ptx_isa isa);

// The first row of an opcode; PTX_ISA_NONE: there is no such opcode.
enum ptx_isa ptx_find_opcode(const char *text, size_t length);

static inline bool ptx_is(const struct ptx_instruction *instruction, enum ptx_fact fact) {
    return ptx_isa_row(instruction->isa)->facts & fact;
}

static inline enum ptx_access ptx_access_of(const struct ptx_instruction *instruction) {
    return ptx_isa_row(instruction->isa)->access;
}

// ---- Operands -----------------------------------------------------------------------------

// One element of an operand pattern.
struct ptx_operand_rule {
    char letter;        // `*`: anything
    bool has_pair;      // `d2`, `q2`
    bool has_any_width; // `~`: of registers
    uint8_t type;       // enum ptx_type, or one of
#define PTX_OPERAND_LAST_TYPE PTX_NO_TYPE
#define PTX_OPERAND_FIRST_TYPE (PTX_TYPE_COUNT + 0)
#define PTX_OPERAND_WIDE_TYPE (PTX_TYPE_COUNT + 1)
};

// Of the operand at this place; NULL: the row has none there.
const struct ptx_operand_rule *ptx_operand_rule(enum ptx_isa isa, unsigned position);

// What the operand is to the instruction: PTX_PRED, or the type as the row has it.
enum ptx_type ptx_operand_type(const struct ptx_instruction *instruction,
                               const struct ptx_operand_rule *rule);

#endif
