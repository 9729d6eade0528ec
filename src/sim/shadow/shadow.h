// Inside the simulator: which bits of registers nothing has defined, where launches track that.
//
// The decoder puts an instruction in front of each whose result may be undefined, of each that uses
// such a value to decide something, and of each that reads or writes memory. Where all flags are 0
// most do nothing. Which registers may be undefined at all is known when a kernel is decoded
// (decode/undefined.c): most addresses and counters are not.
#ifndef BANKRUN_SIM_SHADOW_SHADOW_H
#define BANKRUN_SIM_SHADOW_SHADOW_H

#include "ir/undefined.h"
#include "sim/flow/warp.h"
#include "sim/shadow_frame.h"

// An operand of the instruction. Without a reference it is a number.
struct sim_shadow_operand {
    sim_ref ref;
    bool has_ref, may_be_undefined, is_negated;
    uint8_t bytes; // of a lane: 4 or 8, 0: a predicate
    uint8_t held;  // of the register as declared
    uint64_t value;
};

// What the shadow instruction keeps of the one behind it.
struct sim_shadow {
    const struct sim_code *code;
    const struct ir_instruction *ir;
    struct ir_meaning meaning;
    struct sim_shadow_operand *sources, *results;
    unsigned source_count, result_count;
    struct sim_shadow_operand second; // of a second destination, if it may be undefined
    struct sim_shadow_operand guard;  // if has_guard
    bool has_guard, is_opaque;        // opaque: no row, and the results depend on all sources
    uint32_t number;                  // of the instruction
    const struct sim_access *access;
    struct sim_shadow_operand base;   // of the address, if it may be undefined
    const struct sim_instr *moved[3]; // the instruction itself, on shadows and on what says where
                                      // they were loaded
};

// An origin: the instruction that loaded, above the generic address that it loaded from, and
// whether the value is no mere copy of what lay there.
enum { SIM_ORIGIN_ADDRESS_BITS = 48, SIM_ORIGIN_SHIFT = 49, SIM_ORIGIN_UNKNOWN = 0x7fff };
#define SIM_ORIGIN_COMPUTED (UINT64_C(1) << SIM_ORIGIN_ADDRESS_BITS)

static inline uint64_t sim_shadow_made_origin(const struct sim_shadow *shadow, uint64_t address) {
    const uint64_t number =
        shadow->number < SIM_ORIGIN_UNKNOWN ? shadow->number : SIM_ORIGIN_UNKNOWN;
    return number << SIM_ORIGIN_SHIFT | (address & ((UINT64_C(1) << SIM_ORIGIN_ADDRESS_BITS) - 1));
}

// ---- Registers (registers.c) --------------------------------------------------------------

uint64_t sim_shadow_bits(const struct sim_warp *warp, const struct sim_shadow *shadow,
                         const struct sim_shadow_operand *operand, unsigned lane);
// Lanes of the mask for which the register has undefined bits.
uint32_t sim_shadow_lanes(const struct sim_warp *warp, const struct sim_shadow *shadow,
                          const struct sim_shadow_operand *operand, uint32_t mask);
uint64_t sim_shadow_origin_of(const struct sim_warp *warp, const struct sim_shadow *shadow,
                              const struct sim_shadow_operand *operand, unsigned lane);
void sim_shadow_set(struct sim_warp *warp, const struct sim_shadow *shadow,
                    const struct sim_shadow_operand *operand, unsigned lane, uint64_t bits,
                    uint64_t origin);
// The lanes' bits are defined.
void sim_shadow_clear(struct sim_warp *warp, const struct sim_shadow *shadow,
                      const struct sim_shadow_operand *operand, uint32_t mask);
// The flag becomes what the bits say.
void sim_shadow_settle(struct sim_warp *warp, const struct sim_shadow *shadow,
                       const struct sim_shadow_operand *operand);
// The same for all results.
void sim_shadow_clear_results(struct sim_warp *warp, const struct sim_shadow *shadow,
                              uint32_t mask);
void sim_shadow_settle_results(struct sim_warp *warp, const struct sim_shadow *shadow);
uint64_t sim_shadow_value(const struct sim_warp *warp, const struct sim_shadow_operand *operand,
                          unsigned lane);
// The lanes for which the instruction behind is executed.
uint32_t sim_shadow_executed(const struct sim_warp *warp, const struct sim_shadow *shadow);

// ---- Uses (use.c) -------------------------------------------------------------------------

// Tells of lanes that use something undefined: where that came from for the first of them.
void sim_shadow_tell(struct sim_warp *warp, const struct sim_shadow *shadow,
                     enum event_undefined_use use, uint32_t mask, uint64_t origin);
// If lanes of the mask have undefined bits there: tells, and they count as defined from now on.
void sim_shadow_use(struct sim_warp *warp, const struct sim_shadow *shadow,
                    enum event_undefined_use use, const struct sim_shadow_operand *operand,
                    uint32_t mask);
// The guard and the address of an access.
void sim_shadow_use_access(struct sim_warp *warp, const struct sim_shadow *shadow, bool has_effect);

// ---- Handlers -----------------------------------------------------------------------------

#define SIM_SHADOW_HANDLERS(X)                                                                     \
    X(value)                                                                                       \
    X(parts) X(decide) X(load) X(store) X(atomic) X(copy) X(written) X(shuffle) X(matrix) X(product)
#define X(name)                                                                                    \
    const struct sim_instr *sim_shadow_run_##name(struct sim_warp *warp,                           \
                                                  const struct sim_instr *instr);
SIM_SHADOW_HANDLERS(X)
#undef X

#endif
