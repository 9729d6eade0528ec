// What an instruction computes in one lane: rows of value.def, which row an instruction takes, and
// the scalar evaluator that expands them.
#ifndef BANKRUN_IR_VALUE_H
#define BANKRUN_IR_VALUE_H

#include "ir/form.h"

// Rows of value.def. IR_VALUE_FIRST_<isa>: the first row of an instruction form.
#define FORM(isa) IR_VALUE_FIRST_##isa, IR_VALUE_BEFORE_##isa = IR_VALUE_FIRST_##isa - 1,
#define EVERY_ROW(name, ...) IR_VALUE_##name,
enum ir_value {
    IR_VALUE_NONE,
#include "ir/value.def"
    IR_VALUE_COUNT
};

// What holds of a row's result, modulo 2^w where it has w bits. V(x) is the number that an operand
// holds, signed or unsigned as its kind says.
#define IR_LAWS(X)                                                                                 \
    X(OPAQUE)       /* nothing but that it depends on the operands alone */                        \
    X(COPY)         /* V(a) */                                                                     \
    X(LINEAR)       /* a constant and the operands with constant coefficients */                   \
    X(PRODUCT)      /* V(a) * V(b), and V(c) where there is a c */                                 \
    X(PRODUCT_HIGH) /* V(a) * V(b) / 2^w rounded down, and V(c) where there is a c */              \
    X(QUOTIENT)     /* V(a) / V(b) rounded to zero, where V(b) is not 0 */                         \
    X(REMAINDER)    /* V(a) - V(a) / V(b) * V(b), where V(b) is not 0 */                           \
    X(SHIFT_LEFT)   /* V(a) * 2^b */                                                               \
    X(SHIFT_RIGHT)  /* V(a) / 2^b rounded down */                                                  \
    X(BITWISE)      /* bit n depends on the bits n of the operands alone */                        \
    X(ROUTE)        /* each bit is 0 or one of a's bits; which, the other operands say */          \
    X(ROUTE_PAIR)   /* each bit is 0 or one of a's or b's bits; which, the others say */           \
    X(MINIMUM)      /* the operand with the lesser V */                                            \
    X(MAXIMUM)      /* the operand with the greater V */                                           \
    X(CHOICE)       /* a or b; which of them, c says */                                            \
    X(EQUAL)        /* 1 where a = b, else 0 */                                                    \
    X(LESS)         /* 1 where V(a) < V(b), else 0 */
#define X(name) IR_LAW_##name,
enum ir_law { IR_LAWS(X) IR_LAW_COUNT };
#undef X

enum ir_kind { // of ir/value_kinds.h; PRED is one bit
    IR_KIND_none,
    IR_KIND_u8,
    IR_KIND_s8,
    IR_KIND_u16,
    IR_KIND_s16,
    IR_KIND_u32,
    IR_KIND_s32,
    IR_KIND_u64,
    IR_KIND_s64,
    IR_KIND_f32,
    IR_KIND_f64,
    IR_KIND_pred,
};

enum { IR_VALUE_PARTS = 8 }; // the most operands or results of a row, which are parts

struct ir_value_row {
    const char *name;
    enum ir_law law;
    enum ir_kind result, operands[4]; // of a PACK or UNPACK: of the whole, of COPY_PARTS of a part
    bool is_formed;                   // the expression sees a form
    bool sees_own;                    // the expression sees the tag of the block
};
const struct ir_value_row *ir_value_row(enum ir_value value);

// Bits of ir_meaning.immediate, which the rows' shapes tell apart. lop3's table is in the low bits.
enum {
    IR_COMPARE_NOT = 1, // the complement
    IR_COMPARE_AND = 2, // combined with a predicate, the source behind a and b
    IR_COMPARE_OR = 4,
    IR_COMPARE_XOR = 6,
    IR_COMPARE_BOOL = 6,   // mask of these
    IR_COMPARE_PACKED = 8, // of the high halves, too
    IR_HALF_PACKED = 8,    // both halves of a register
    IR_HALF_BF16 = 16,
    IR_CARRY_READ = 1,
    IR_CARRY_WRITTEN = 2,
    IR_LOP3_AND = 0x100, // the tested result is combined by `and`, else by `or`
};

struct ir_meaning {
    enum ir_value value; // IR_VALUE_NONE: value.def has no row for it
    bool swaps;          // the first two sources change places
    uint32_t immediate;  // the row's imm, or the bits above
    struct ir_form form; // where the row's BY read one
};

// `function`: the instruction's, for the widths of registers.
struct ir_meaning ir_meaning_of(const struct ir_function *function,
                                const struct ir_instruction *instruction);

// Whether its result depends on the condition code's bit, which is in no register: operands that
// are the same in all lanes do not make it so.
bool ir_reads_carry(const struct ptx_instruction *ptx);

// What `set` writes where the comparison holds, for each of packed halves; 0: such a type has
// nothing to write.
uint32_t ir_true_of(const struct ptx_instruction *set);

// IR_HALF_PACKED and IR_HALF_BF16 of a type.
uint32_t ir_half_of(enum ptx_type type);

// ---- The evaluator (evaluate.c) ------------------------------------------------------------

// One lane. Narrow values have zeros above, predicates are 0 or 1.
struct ir_lane {
    uint64_t in[IR_VALUE_PARTS];  // sources in the order written, elements of a vector one by one
    uint64_t out[IR_VALUE_PARTS]; // destination, or its elements
    bool second;                  // what a second destination `d|p` gets
    bool carry;                   // the condition code's bit, read and written
    const struct ir_form *form;   // what rows see that are formed
    uint64_t own;                 // the block's tag among the addresses of its cluster
};

// One row by itself: no complement, no negated predicates.
void ir_value_run(enum ir_value value, uint32_t immediate, struct ir_lane *lane);

// The instruction as a whole. False: value.def has no row for it.
bool ir_evaluate(const struct ir_function *function, const struct ir_instruction *instruction,
                 struct ir_lane *lane);

#endif
