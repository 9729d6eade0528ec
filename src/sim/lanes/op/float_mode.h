// The host's rounding mode, set around a loop over the lanes.
#ifndef BANKRUN_SIM_LANES_OP_FLOAT_MODE_H
#define BANKRUN_SIM_LANES_OP_FLOAT_MODE_H

#include <fenv.h>

#include "sim/lanes/lanes.h"

// Both end with a barrier for the compiler: operands are loaded and results are stored while the
// mode is set, and so are the operations between.
#ifdef __SSE2__
enum {
    MODE_MASK = 0x6000,
    MODE_NEAREST = 0,
    MODE_DOWN = 0x2000,
    MODE_UP = 0x4000,
    MODE_ZERO = 0x6000
};

LANES_INLINE uint32_t mode_set(uint32_t mode) {
    const uint32_t old = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr((old & ~(uint32_t)MODE_MASK) | mode);
    __asm__ volatile("" ::: "memory");
    return old;
}

LANES_INLINE void mode_restore(uint32_t old) {
    __asm__ volatile("" ::: "memory");
    __builtin_ia32_ldmxcsr(old);
}
#else
enum {
    MODE_NEAREST = FE_TONEAREST,
    MODE_DOWN = FE_DOWNWARD,
    MODE_UP = FE_UPWARD,
    MODE_ZERO = FE_TOWARDZERO
};

LANES_INLINE uint32_t mode_set(uint32_t mode) {
    const int old = fegetround();
    fesetround((int)mode);
    __asm__ volatile("" ::: "memory");
    return (uint32_t)old;
}

LANES_INLINE void mode_restore(uint32_t old) {
    __asm__ volatile("" ::: "memory");
    fesetround((int)old);
}
#endif

// What .rn, .rz, .rm and .rp ask for; to nearest when none is written.
static inline uint32_t mode_of(const struct ir_instruction *ir) {
    switch (lanes_modifier(ir, PTX_GROUP_round)) {
    case PTX_MOD_rz:
        return MODE_ZERO;
    case PTX_MOD_rm:
        return MODE_DOWN;
    case PTX_MOD_rp:
        return MODE_UP;
    default:
        return MODE_NEAREST;
    }
}

#endif
