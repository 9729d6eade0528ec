// Where memory lies: windows of the generic address space, and the tags by which blocks of a
// cluster name each other's shared memory.
#ifndef BANKRUN_IR_ADDRESS_H
#define BANKRUN_IR_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/ir.h"

// Generic addresses of a block's shared memory and of a thread's local memory lie in windows that
// no host address can fall into; any other generic address is a global one.
#define IR_SHARED_WINDOW 0x0000800000000000ull
#define IR_LOCAL_WINDOW 0x0000900000000000ull
#define IR_WINDOW_BYTES 0x0000100000000000ull

static inline bool ir_is_in_shared_window(uint64_t address) {
    return address - IR_SHARED_WINDOW < IR_WINDOW_BYTES;
}

static inline bool ir_is_in_local_window(uint64_t address) {
    return address - IR_LOCAL_WINDOW < IR_WINDOW_BYTES;
}

// A shared::cluster address holds the rank of its block, plus 1, above the byte's offset in the
// block's shared memory. 0 there is the own block: its shared::cta addresses are good as they are.
enum { IR_CLUSTER_SHIFT = 24 };
#define IR_CLUSTER_OFFSET ((1u << IR_CLUSTER_SHIFT) - 1)

static inline uint32_t ir_cluster_tag(uint32_t rank) {
    return (rank < 254 ? rank + 1 : 255) << IR_CLUSTER_SHIFT;
}

// `own`: the block's tag, 0 where it is alone in its cluster. An address without a rank gets it, so
// that the generic one means the same to other blocks.
static inline uint64_t ir_generic_of_shared(uint64_t shared, uint64_t own) {
    return (shared >> IR_CLUSTER_SHIFT ? shared : shared + own) + IR_SHARED_WINDOW;
}

static inline uint64_t ir_shared_of_generic(uint64_t generic, uint64_t own) {
    const uint64_t shared = generic - IR_SHARED_WINDOW;
    return shared - (shared >> IR_CLUSTER_SHIFT == own >> IR_CLUSTER_SHIFT ? own : 0);
}

// Whether a generic address lies in the block's own shared memory, with or without its rank; a
// block that is alone has rank 0.
static inline bool ir_is_own_shared(uint64_t generic, uint64_t own) {
    const uint64_t tag = (generic - IR_SHARED_WINDOW) & ~(uint64_t)IR_CLUSTER_OFFSET;
    return tag == 0 || tag == (own ? own : ir_cluster_tag(0));
}

// ---- Places (address.c) --------------------------------------------------------------------

// What is added to a place's offset when the program runs.
enum ir_base {
    IR_BASE_NONE,
    IR_BASE_REGISTER,
    IR_BASE_VARIABLE,   // the address of a global or const variable
    IR_BASE_PARAMETERS, // the address of the launch's parameters, a global one
    IR_BASE_FRAME,      // the local address at which the current frame begins
    IR_BASE_MISSING,    // nobody knows: the variable is declared elsewhere, or has no address
};

struct ir_place {
    enum ptx_space space; // how it is accessed; offsets in SHARED, LOCAL and PARAM space begin at
                          // the block's memory, at the frame, and at the parameters
    enum ir_base base;
    uint32_t reg;                       // REGISTER
    const struct ir_variable *variable; // VARIABLE, MISSING
    uint64_t offset;
};

// The address that a symbol stands for as a value. `layout`: of the kernel that is launched.
struct ir_place ir_symbol_place(const struct ir_function *function,
                                const struct ir_shared_layout *layout,
                                const struct ir_operand *symbol);

// What a memory operand [base + offset] of the instruction means.
struct ir_place ir_access_place(const struct ir_function *function,
                                const struct ir_shared_layout *layout,
                                const struct ir_instruction *instruction,
                                const struct ir_operand *address);

// The space of an instruction's accesses as it is written; GENERIC: none is.
enum ptx_space ir_access_space(const struct ir_instruction *instruction);

// A volatile access whose order other blocks can see: not one of a block's own memory.
bool ir_is_volatile(const struct ir_instruction *instruction);

// Accesses of shared::cluster take the way of generic ones, which knows other blocks: the window is
// added to their addresses.
bool ir_is_by_window(const struct ir_instruction *instruction);

#endif
