// Inside the simulator: what lane code sees of a warp and of a decoded instruction.
//
// The files that hold lane code (op_*.c) are compiled once for each target machine (baseline,
// AVX2, AVX-512; NEON is baseline on Arm) with SIM_TARGET set, and one set is picked at start.
// SIM_NAME(x) gives each compilation its own names.
#ifndef BANKRUN_SIM_EXEC_H
#define BANKRUN_SIM_EXEC_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/ir.h"

#define SIM_PASTE2(a, b) a##_##b
#define SIM_PASTE(a, b) SIM_PASTE2(a, b)
#define SIM_NAME(x) SIM_PASTE(x, SIM_TARGET)

enum { LANES = WARP_LANES };
#define FULL_MASK 0xffffffffu

// A loop over the lanes of a mask, in order.
#define EACH_LANE(l, mask)                                                                         \
    for (uint32_t rest_ = (mask), l; rest_ && ((l = (uint32_t)__builtin_ctz(rest_)), true);        \
         rest_ &= rest_ - 1)

struct sim_warp;
struct sim_instr;

// Executes one instruction for the lanes of warp->mask and returns the next instruction, or NULL
// to leave the warp's loop (it waits, ended, or faulted; warp->stop says which).
typedef const struct sim_instr *(*sim_handler)(struct sim_warp *warp,
                                               const struct sim_instr *instr);

// A reference to a 32-lane value: byte offset into warp->base[ref & 3]. Registers of 32 bits and
// less are 32 x uint32_t (narrower values zero-extended: handlers must keep that), 64-bit ones
// 32 x uint64_t, predicates one uint32_t with bit n = lane n. All vectors are 64-byte aligned.
// Immediates and kernel parameters are broadcast vectors behind the constant base, so that lane
// code needs no special case for them. The destination `_` is a scratch register.
typedef uint32_t sim_ref;
enum {
    SIM_BASE_REGISTERS, // of the current call frame
    SIM_BASE_CONSTANTS, // immediates, parameters, laneid, grid sizes: fixed for a launch
    SIM_BASE_WARP,      // %tid, %warpid: fixed for a warp number
    SIM_BASE_BLOCK,     // %ctaid: fixed for a block
};

struct sim_instr {
    sim_handler run[2]; // [0]: some lanes are off, [1]: all 32 lanes are on
    union {
        const struct sim_access *access; // memory operations
        const sim_ref *elements;         // mov with a vector: its elements
        const struct sim_call *call;
        const void *extra;
        uint64_t value;
    };
    sim_ref operand[6];  // operands as written: destination first. A vector operand, or a memory
                         // operand, is described by `access` instead
    sim_ref pair;        // second destination of `d|p`
    uint32_t negate;     // bit n: operand n is a negated predicate
    uint32_t immediate;  // lop3's table, and what else a select function wants to keep
    uint32_t target;     // bra: index of the decoded instruction to go to
    uint32_t reconverge; // bra: index of the reconvergence point, IR_NONE: function exit
    uint32_t ir;         // index into ir_function.instructions, for messages
    uint32_t number;     // over all functions of the kernel, for observers
    uint32_t ordinal;    // written instructions before this one in the function, for counting
};

// What the per-type lane code needs besides refs. Select functions set run[0], run[1] and, where
// they want, immediate/extra; operands, pair and negate are already set by the decoder.
// Returning false means: this combination of types and modifiers does not exist or is not
// supported; the decoder reports the instruction by name.
struct sim_decoder;
typedef bool (*sim_select_function)(struct sim_decoder *decoder, const struct ir_instruction *ir,
                                    struct sim_instr *out);

// Memory owned by the kernel, zeroed, for `extra`.
void *sim_decoder_alloc(struct sim_decoder *decoder, size_t bytes);

// Lane width of a register operand: 4, 8, or 0 for predicates and what is no register. Loads,
// stores and cvt allow registers wider than their type; all others have the width of the type.
unsigned sim_decoder_operand_bytes(const struct sim_decoder *decoder,
                                   const struct ir_operand *operand);
// Bytes of a register operand's declared type: 1, 2, 4, 8, or 0 as above. A value that is narrower
// than its register is extended to this width.
unsigned sim_decoder_register_bytes(const struct sim_decoder *decoder,
                                    const struct ir_operand *operand);

enum sim_stop {
    SIM_RUNNING,
    SIM_STOP_BUDGET,  // ran long: look whether it may go on
    SIM_STOP_SPIN,    // ran long in a loop that may wait for other lanes
    SIM_STOP_LOOK,    // its warp ran long: look, then it goes on as if nothing had been
    SIM_STOP_SLICE,   // others go on first (sim/flow/shuffle.h)
    SIM_STOP_PARKED,  // the split reached its reconvergence point
    SIM_STOP_BARRIER, // waits at a block barrier
    SIM_STOP_SYNC,    // waits for other lanes of its warp
    SIM_STOP_EXIT,    // all lanes of the split ended
    SIM_STOP_FAULT,
};

struct sim_warp {
    uint8_t *base[4]; // see sim_ref
    uint32_t mask;    // lanes that execute now
    uint32_t is_full; // mask == FULL_MASK
    enum sim_stop stop;
    _Alignas(64) int32_t lanes[LANES]; // -1 where mask has the lane, else 0: for blending
    struct sim_block *block;
    uint64_t number; // event_warp_number()
    uint32_t index;  // in the block
    uint32_t carry;  // condition code CC.CF, one bit a lane
    bool is_heard;   // its synchronisation is: worker->hears_sync, where lane code looks first
    // the rest belongs to warp.c and is declared in sim/warp.h
    struct sim_warp_flow *flow;
};

static inline void *sim_at(const struct sim_warp *warp, sim_ref ref) {
    return warp->base[ref & 3] + (ref & ~(sim_ref)3);
}

static inline uint32_t sim_predicate(const struct sim_warp *warp, const struct sim_instr *instr,
                                     int operand) {
    uint32_t bits = *(const uint32_t *)sim_at(warp, instr->operand[operand]);
    return instr->negate >> operand & 1 ? ~bits : bits;
}

// The lanes for which the access is executed in front of which the decoder placed `instr`, with a
// copy of its guard as operand 0; immediate: it has one.
static inline uint32_t sim_lanes_behind(const struct sim_warp *warp,
                                        const struct sim_instr *instr) {
    return instr->immediate ? sim_predicate(warp, instr, 0) & warp->mask : warp->mask;
}

static inline void sim_set_predicate(struct sim_warp *warp, sim_ref ref, uint32_t bits) {
    uint32_t *p = sim_at(warp, ref);
    *p = (*p & ~warp->mask) | (bits & warp->mask);
}

// Tells vectorisers that lanes are independent: operands either are the same vector or do not
// overlap (the slot allocator sees to that).
#if defined(__clang__)
#define SIM_LANES _Pragma("clang loop vectorize(assume_safety)") for (int l = 0; l < LANES; l++)
#else
#define SIM_LANES _Pragma("GCC ivdep") for (int l = 0; l < LANES; l++)
#endif

#endif
