// The table of one target machine's lane code, and the handlers that the decoder places itself.
#include "sim/decode/decode.h"
#include "sim/flow/block.h"
#include "sim/flow/special.h"

#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)

static bool SIM_NAME(sim_select_refuse)(struct sim_decoder *decoder,
                                        const struct ir_instruction *ir, struct sim_instr *out) {
    (void)decoder;
    (void)ir;
    (void)out;
    return false;
}

#define ISA(opcode, form, modifiers, operands, select, ...)                                        \
    bool SIM_NAME(sim_select_##select)(struct sim_decoder *, const struct ir_instruction *,        \
                                       struct sim_instr *);
#define FLOW(opcode, form, modifiers, operands, select, ...)                                       \
    bool sim_select_##select(struct sim_decoder *, const struct ir_instruction *,                  \
                             struct sim_instr *);
#include "ptx/isa.def"
#undef ISA

bool SIM_NAME(sim_shadow_quick)(const struct sim_shadow *, bool, struct sim_instr *);

// ---- Guards -------------------------------------------------------------------------------

// Executes the next instruction for the lanes whose predicate holds.
static const struct sim_instr *run_guard(struct sim_warp *warp, const struct sim_instr *instr) {
    uint32_t mask = warp->mask;
    uint32_t on = mask & sim_predicate(warp, instr, 0);
    if (!on)
        return instr + 2;
    const struct sim_instr *inner = instr + 1;
    if (on == mask)
        return inner->run[warp->is_full](warp, inner);
    sim_set_mask(warp, on);
    const struct sim_instr *next = inner->run[0](warp, inner);
    if (next)
        sim_set_mask(warp, mask);
    return next;
}

// ---- Copies of constants ------------------------------------------------------------------

#define COPY(name, type)                                                                           \
    static const struct sim_instr *name##_some(struct sim_warp *warp,                              \
                                               const struct sim_instr *instr) {                    \
        const type *a = sim_at(warp, instr->operand[1]);                                           \
        type *d = sim_at(warp, instr->operand[0]);                                                 \
        SIM_LANES                                                                                  \
            d[l] = warp->lanes[l] ? a[l] : d[l];                                                   \
        return instr + 1;                                                                          \
    }                                                                                              \
    static const struct sim_instr *name##_all(struct sim_warp *warp,                               \
                                              const struct sim_instr *instr) {                     \
        const type *a = sim_at(warp, instr->operand[1]);                                           \
        type *d = sim_at(warp, instr->operand[0]);                                                 \
        SIM_LANES                                                                                  \
            d[l] = a[l];                                                                           \
        return instr + 1;                                                                          \
    }
COPY(copy32, uint32_t)
COPY(copy64, uint64_t)

static const struct sim_instr *run_store_sreg(struct sim_warp *warp,
                                              const struct sim_instr *instr) {
    sim_account(warp, instr->ordinal);
    warp->flow->run_start = instr->ordinal;
    uint64_t value = sim_changing_sreg(warp, (enum ptx_sreg)instr->immediate);
    uint32_t *narrow = sim_at(warp, instr->operand[0]);
    uint64_t *wide = sim_at(warp, instr->operand[0]);
    for (int l = 0; l < LANES; l++) {
        if (instr->value == 8)
            wide[l] = value;
        else
            narrow[l] = (uint32_t)value;
    }
    return instr + 1;
}

const struct sim_target *SIM_NAME(sim_target)(void) {
    static const struct sim_target target = {
        .name = TEXT(SIM_TARGET),
        .select =
            {
#define ISA(opcode, form, modifiers, operands, select, ...)                                        \
    [PTX_ISA_##opcode##_##form] = SIM_NAME(sim_select_##select),
#define FLOW(opcode, form, modifiers, operands, select, ...)                                       \
    [PTX_ISA_##opcode##_##form] = sim_select_##select,
#include "ptx/isa.def"
#undef ISA
            },
        .guard = run_guard,
        .copy32 = {copy32_some, copy32_all},
        .copy64 = {copy64_some, copy64_all},
        .store_sreg = run_store_sreg,
        .shadow_quick = SIM_NAME(sim_shadow_quick),
    };
    return &target;
}
