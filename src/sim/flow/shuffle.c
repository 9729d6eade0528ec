// See shuffle.h.
#include "sim/flow/shuffle.h"

#include <string.h>

#include "sim/flow/lost.h"

enum { MOST_PARTS = 4 }; // splits of a warp beyond which no more are made

static uint64_t mix(uint64_t value) {
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

uint32_t sim_shuffle_chance(struct sim_shuffle *shuffle, uint32_t below) {
    shuffle->state += 0x9e3779b97f4a7c15u;
    return (uint32_t)((mix(shuffle->state) >> 32) * below >> 32);
}

static bool has_common_factor(uint64_t a, uint64_t b) {
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a > 1;
}

// Steps of a length that has no factor in common with the number of clusters come to each once.
static void shuffle_blocks(struct sim_shuffle *shuffle, uint64_t clusters) {
    shuffle->start = mix(shuffle->seed + 1) % clusters;
    shuffle->step = clusters < UINT32_MAX ? mix(shuffle->seed + 2) % clusters | 1 : 1;
    while (has_common_factor(shuffle->step, clusters))
        shuffle->step += 2;
}

// Eight seeds that follow each other are of eight manners.
void sim_shuffle_begin(struct sim_shuffle *shuffle, uint64_t seed, uint64_t clusters,
                       bool keeps_block_order) {
    static const struct {
        uint32_t slice, parts;
        bool has_slow_warps, is_backwards;
    } manners[] = {
        {0, 0, false, true},    {3, 96, false, false},   {64, 16, true, false},
        {1024, 8, true, false}, {0, 0, false, false},    {16, 128, true, false},
        {2, 128, false, false}, {256, 64, false, false},
    };
    const size_t manner = seed % (sizeof manners / sizeof *manners);
    *shuffle = (struct sim_shuffle){.seed = seed,
                                    .state = mix(seed + 3),
                                    .slice = manners[manner].slice,
                                    .parts = manners[manner].parts,
                                    .has_slow_warps = manners[manner].has_slow_warps,
                                    .is_backwards = manners[manner].is_backwards,
                                    .keeps_block_order = keeps_block_order};
    shuffle_blocks(shuffle, clusters);
}

uint64_t sim_shuffle_cluster(const struct sim_shuffle *shuffle, uint64_t n, uint64_t clusters) {
    if (shuffle->keeps_block_order)
        return n;
    if (shuffle->is_backwards)
        return clusters - 1 - n;
    return (n * shuffle->step + shuffle->start) % clusters;
}

static bool is_slow(const struct sim_shuffle *shuffle, const struct sim_block_flow *flow,
                    uint32_t warp) {
    const uint64_t which = flow->block.linear * SIM_MAX_WARPS + warp;
    return shuffle->has_slow_warps && mix(shuffle->seed ^ mix(which)) % 4 == 0;
}

uint32_t sim_shuffle_warps(struct sim_shuffle *shuffle, const struct sim_block_flow *flow, bool all,
                           uint8_t order[SIM_MAX_WARPS]) {
    uint32_t count = 0;
    for (uint32_t w = flow->warp_count; w-- > 0;)
        if (all || !is_slow(shuffle, flow, w) || !sim_shuffle_chance(shuffle, 32))
            order[count++] = (uint8_t)w;
    for (uint32_t i = count; i > 1 && !shuffle->is_backwards; i--) {
        const uint32_t other = sim_shuffle_chance(shuffle, i);
        const uint8_t moved = order[i - 1];
        order[i - 1] = order[other];
        order[other] = moved;
    }
    return count;
}

bool sim_shuffle_leaves(struct sim_shuffle *shuffle) {
    return shuffle && shuffle->slice && !sim_shuffle_chance(shuffle, 4);
}

// Some lanes of the current split go their own way until something brings them together.
static void part_lanes(struct sim_shuffle *shuffle, struct sim_warp_flow *flow) {
    struct sim_split *split = &flow->splits[flow->current];
    const uint32_t apart = split->mask & (uint32_t)mix(shuffle->state);
    if (!apart || apart == split->mask || flow->split_count >= MOST_PARTS)
        return;
    flow->splits[flow->split_count] = *split;
    flow->splits[flow->split_count++].mask = apart;
    split->mask &= ~apart;
}

// Any of the splits that may go on does so next time.
static void pick_split(struct sim_shuffle *shuffle, struct sim_warp_flow *flow) {
    const uint32_t at = sim_shuffle_chance(shuffle, flow->split_count);
    const struct sim_split picked = flow->splits[at];
    memmove(&flow->splits[at], &flow->splits[at + 1],
            (flow->split_count - at - 1) * sizeof flow->splits[0]);
    flow->splits[flow->split_count - 1] = picked;
}

const struct sim_instr *sim_shuffle_execute(struct sim_warp *warp, const struct sim_instr *pc) {
    struct sim_shuffle *shuffle = warp->block->worker->shuffle;
    struct sim_warp_flow *flow = warp->flow;
    if (!shuffle->slice)
        return pc;
    flow->spin += flow->spin_before;
    flow->spin_before = 0;
    const bool is_guarded = warp->block->worker->lost;
    for (uint32_t left = 1 + sim_shuffle_chance(shuffle, shuffle->slice); pc && left; left--)
        pc = is_guarded ? sim_step_guarded(warp, pc) : pc->run[warp->is_full](warp, pc);
    if (!pc)
        return NULL;
    sim_account(warp, pc->ordinal);
    sim_save(warp, pc);
    flow->spin_before = flow->spin;
    if (sim_shuffle_chance(shuffle, 256) < shuffle->parts)
        part_lanes(shuffle, flow);
    // Lanes need not wait for those that left them at a branch, which may wait for them.
    if (!sim_shuffle_chance(shuffle, 64))
        sim_open_tokens(warp);
    pick_split(shuffle, flow);
    warp->stop = SIM_STOP_SLICE;
    return NULL;
}
