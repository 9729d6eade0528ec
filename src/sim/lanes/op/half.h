// What lane code for half precision shares. One handler serves scalars and packed halves and most
// forms of an instruction: to compile one for each took longer than all other lane code.
//
// A register of packed halves is 64 of them in memory, and so is one of scalars, with a zero above
// each half.
#ifndef BANKRUN_SIM_LANES_OP_HALF_H
#define BANKRUN_SIM_LANES_OP_HALF_H

#include "ir/value.h"
#include "ir/value_half.h"
#include "sim/lanes/op/float.h"

// instr->immediate
enum {
    HALF_PACKED = IR_HALF_PACKED,
    HALF_BF16 = IR_HALF_BF16,
    HALF_FTZ = 32,
    HALF_SAT = 64,
    HALF_RELU = 128,
    HALF_OOB = 256, // zero where an operand stands for what lies out of bounds
    HALF_MINUS_PRODUCT = 512,
    HALF_MINUS_ADDEND = 1024,
};

enum { HALVES = 2 * LANES };

#define HALF_PACK(low, high) ((uint32_t)(low) | (uint32_t)(high) << 16)

// A loop over i, the halves of a register.
#define HALF_EACH(...)                                                                             \
    for (int first_ = 0; first_ < HALVES; first_ += LANES) {                                       \
        SIM_LANES {                                                                                \
            const int i = first_ + l;                                                              \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

static inline const uint16_t *half_operand(const struct sim_warp *warp,
                                           const struct sim_instr *instr, int operand) {
    return LANES_ALIGNED(const uint16_t, instr->operand[operand]);
}

#endif
