// Registers that native code takes for scalars. See struct compiled_ramp.
#include "sim/flow/warp.h"
#include "sim/native/native_internal.h"

// Where lanes have not been exchanged a vector is the one before and a constant.
enum { VECTOR = 16 };
typedef uint32_t vector32 __attribute__((vector_size(VECTOR)));
typedef uint64_t vector64 __attribute__((vector_size(VECTOR)));

static bool holds32(const uint32_t lanes[LANES], const struct compiled_ramp *ramp) {
    const uint32_t stride = (uint32_t)ramp->stride, first = lanes[0] - ramp->flip * stride;
    uint32_t differ = 0;
    for (uint32_t l = 0; l < LANES; l++)
        differ |= lanes[l] ^ (first + (l ^ ramp->flip) * stride);
    return !differ;
}

static bool holds32_in_order(const uint32_t lanes[LANES], uint32_t stride) {
    const vector32 *all = (const void *)lanes;
    vector32 value = {0, stride, 2 * stride, 3 * stride}, differ = {0};
    value += lanes[0];
    for (unsigned v = 0; v < LANES * sizeof *lanes / VECTOR; v++, value += 4 * stride)
        differ |= all[v] ^ value;
    return !(differ[0] | differ[1] | differ[2] | differ[3]);
}

static bool holds64(const uint64_t lanes[LANES], const struct compiled_ramp *ramp) {
    const uint64_t stride = (uint64_t)ramp->stride, first = lanes[0] - ramp->flip * stride;
    uint64_t differ = 0;
    for (uint64_t l = 0; l < LANES; l++)
        differ |= lanes[l] ^ (first + (l ^ ramp->flip) * stride);
    return !differ;
}

static bool holds64_in_order(const uint64_t lanes[LANES], uint64_t stride) {
    const vector64 *all = (const void *)lanes;
    vector64 value = {lanes[0], lanes[0] + stride}, differ = {0};
    for (unsigned v = 0; v < LANES * sizeof *lanes / VECTOR; v++, value += 2 * stride)
        differ |= all[v] ^ value;
    return !(differ[0] | differ[1]);
}

static bool holds(const uint8_t *frame, const struct compiled_ramp *ramp) {
    const void *at = frame + ramp->place;
    const uint32_t *bits = at;
    switch (ramp->bytes) {
    case 8:
        return ramp->flip ? holds64(at, ramp) : holds64_in_order(at, (uint64_t)ramp->stride);
    case 4:
        return ramp->flip ? holds32(at, ramp) : holds32_in_order(at, (uint32_t)ramp->stride);
    default:
        return *bits == 0 || *bits == EVENT_ALL_LANES;
    }
}

bool sim_native_holds(const struct sim_warp *warp, const struct sim_instr *at) {
    const struct sim_native *native = warp->block->worker->native->native;
    const struct compiled_way *entry = native->entry_at[at - native->code.instrs];
    const struct compiled_ramp *ramps = native->compiled.ramps + entry->ramp;
    for (uint32_t r = 0; r < entry->ramps; r++)
        if (!holds(warp->base[SIM_BASE_REGISTERS], &ramps[r]))
            return false;
    return true;
}

static void spread32(uint32_t lanes[LANES], const struct compiled_ramp *ramp) {
    const uint32_t stride = (uint32_t)ramp->stride, first = lanes[0] - ramp->flip * stride;
    for (uint32_t l = 1; l < LANES; l++)
        lanes[l] = first + (l ^ ramp->flip) * stride;
}

static void spread64(uint64_t lanes[LANES], const struct compiled_ramp *ramp) {
    const uint64_t stride = (uint64_t)ramp->stride, first = lanes[0] - ramp->flip * stride;
    for (uint64_t l = 1; l < LANES; l++)
        lanes[l] = first + (l ^ ramp->flip) * stride;
}

void sim_native_spread(const struct sim_warp *warp, uint32_t ramp, uint32_t ramps) {
    const struct compiled_ramp *all = warp->block->worker->native->native->compiled.ramps;
    for (uint32_t r = ramp; r < ramp + ramps; r++) {
        void *at = warp->base[SIM_BASE_REGISTERS] + all[r].place;
        if (all[r].bytes == 8)
            spread64(at, &all[r]);
        else
            spread32(at, &all[r]);
    }
}

void sim_native_leave(const struct sim_warp *warp, const struct sim_instr *at) {
    const struct sim_native *native = warp->block->worker->native->native;
    const struct compiled_way *left = at ? native->exit_at[at - native->code.instrs] : NULL;
    if (left)
        sim_native_spread(warp, left->ramp, left->ramps);
}
