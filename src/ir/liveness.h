// Which registers are live where: may be read on some way before they are set.
#ifndef BANKRUN_IR_LIVENESS_H
#define BANKRUN_IR_LIVENESS_H

#include "ir/ir.h"

// A bit set of registers for each block: set[block * words + register / 64].
struct ir_liveness {
    size_t words;
    uint64_t *in, *out; // where a block begins, and where it ends
};

struct ir_liveness ir_liveness_find(const struct ir_function *function);
void ir_liveness_free(struct ir_liveness *liveness);

static inline bool ir_is_live(const struct ir_liveness *liveness, const uint64_t *set,
                              uint32_t block, uint32_t reg) {
    return set[block * liveness->words + reg / 64] >> (reg % 64) & 1;
}

#endif
