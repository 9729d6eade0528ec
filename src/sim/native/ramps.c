// Registers that native code takes for scalars. See struct compiled_ramp.
#include "sim/flow/warp.h"
#include "sim/native/native_internal.h"

// By vectors, as products lane by lane take long: that of the lanes from n * WIDE on is the one
// before and a constant, and exchanged lanes are in the n ^ (flip / WIDE)-th.
enum { VECTOR = 16, WIDE32 = VECTOR / 4, WIDE64 = VECTOR / 8 };
typedef uint32_t vector32 __attribute__((vector_size(VECTOR)));
typedef uint64_t vector64 __attribute__((vector_size(VECTOR)));

static vector32 first32(const uint32_t lanes[LANES], const struct compiled_ramp *ramp) {
    const uint32_t stride = (uint32_t)ramp->stride, low = ramp->flip % WIDE32;
    return (vector32){low, low ^ 1, low ^ 2, low ^ 3} * stride + (lanes[0] - ramp->flip * stride);
}

static vector64 first64(const uint64_t lanes[LANES], const struct compiled_ramp *ramp) {
    const uint64_t stride = (uint64_t)ramp->stride, low = ramp->flip % WIDE64;
    return (vector64){low, low ^ 1} * stride + (lanes[0] - ramp->flip * stride);
}

static bool holds32(const uint32_t lanes[LANES], const struct compiled_ramp *ramp) {
    const vector32 *all = (const void *)lanes;
    vector32 value = first32(lanes, ramp), differ = {0};
    for (unsigned v = 0; v < LANES / WIDE32; v++, value += WIDE32 * (uint32_t)ramp->stride)
        differ |= all[v ^ (ramp->flip / WIDE32)] ^ value;
    return !(differ[0] | differ[1] | differ[2] | differ[3]);
}

static bool holds64(const uint64_t lanes[LANES], const struct compiled_ramp *ramp) {
    const vector64 *all = (const void *)lanes;
    vector64 value = first64(lanes, ramp), differ = {0};
    for (unsigned v = 0; v < LANES / WIDE64; v++, value += WIDE64 * (uint64_t)ramp->stride)
        differ |= all[v ^ (ramp->flip / WIDE64)] ^ value;
    return !(differ[0] | differ[1]);
}

static bool holds(const uint8_t *frame, const struct compiled_ramp *ramp) {
    const void *at = frame + ramp->place;
    const uint32_t *bits = at;
    return ramp->bytes == 8   ? holds64(at, ramp)
           : ramp->bytes == 4 ? holds32(at, ramp)
                              : *bits == 0 || *bits == EVENT_ALL_LANES;
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
    vector32 *all = (void *)lanes, value = first32(lanes, ramp);
    for (unsigned v = 0; v < LANES / WIDE32; v++, value += WIDE32 * (uint32_t)ramp->stride)
        all[v ^ (ramp->flip / WIDE32)] = value;
}

static void spread64(uint64_t lanes[LANES], const struct compiled_ramp *ramp) {
    vector64 *all = (void *)lanes, value = first64(lanes, ramp);
    for (unsigned v = 0; v < LANES / WIDE64; v++, value += WIDE64 * (uint64_t)ramp->stride)
        all[v ^ (ramp->flip / WIDE64)] = value;
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
