// Where something undefined decides what a kernel does.
#include "sim/emit.h"
#include "sim/shadow/shadow.h"

void sim_shadow_tell(struct sim_warp *warp, const struct sim_shadow *shadow,
                     enum event_undefined_use use, uint32_t mask, uint64_t origin) {
    const uint32_t from = (uint32_t)(origin >> SIM_ORIGIN_SHIFT);
    sim_emit_undefined(warp, (struct event_undefined){
                                 .use = use,
                                 .instruction = shadow->number,
                                 .mask = mask,
                                 .origin = from == SIM_ORIGIN_UNKNOWN ? EVENT_NONE : from,
                                 .address = origin & ((UINT64_C(1) << SIM_ORIGIN_ADDRESS_BITS) - 1),
                             });
}

void sim_shadow_use(struct sim_warp *warp, const struct sim_shadow *shadow,
                    enum event_undefined_use use, const struct sim_shadow_operand *operand,
                    uint32_t mask) {
    const uint32_t lanes = sim_shadow_lanes(warp, shadow, operand, mask);
    if (!lanes)
        return;
    const unsigned first = (unsigned)__builtin_ctz(lanes);
    sim_shadow_tell(warp, shadow, use, lanes, sim_shadow_origin_of(warp, shadow, operand, first));
    sim_shadow_clear(warp, shadow, operand, lanes);
}

void sim_shadow_use_access(struct sim_warp *warp, const struct sim_shadow *shadow,
                           bool has_effect) {
    if (has_effect && shadow->has_guard)
        sim_shadow_use(warp, shadow, EVENT_UNDEFINED_PREDICATE, &shadow->guard, warp->mask);
    if (shadow->base.may_be_undefined)
        sim_shadow_use(warp, shadow, EVENT_UNDEFINED_ADDRESS, &shadow->base,
                       sim_shadow_executed(warp, shadow));
}

// In front of a branch: of its predicate, or of its index.
const struct sim_instr *sim_shadow_run_decide(struct sim_warp *warp,
                                              const struct sim_instr *instr) {
    const struct sim_shadow *shadow = instr->extra;
    for (unsigned i = 0; i < shadow->source_count; i++)
        sim_shadow_use(warp, shadow, EVENT_UNDEFINED_BRANCH, &shadow->sources[i], warp->mask);
    return instr + 1;
}
