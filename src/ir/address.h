// Where memory lies: windows of the generic address space, and the tags by which blocks of a
// cluster name each other's shared memory.
#ifndef BANKRUN_IR_ADDRESS_H
#define BANKRUN_IR_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
