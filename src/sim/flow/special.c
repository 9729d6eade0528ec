#include "sim/flow/special.h"

#include "sim/flow/block.h"

void sim_broadcast(uint8_t *at, uint64_t value, unsigned width) {
    if (width == 8) {
        uint64_t *lanes = (uint64_t *)(void *)at;
        for (int l = 0; l < LANES; l++)
            lanes[l] = value;
    } else {
        uint32_t *lanes = (uint32_t *)(void *)at;
        for (int l = 0; l < LANES; l++)
            lanes[l] = (uint32_t)value;
    }
}

uint8_t *sim_fill_warp_vectors(const struct sim_launch *launch, uint32_t warps) {
    uint8_t *block = base_alloc_aligned(64, (size_t)warps * SIM_WARP_BYTES);
    for (uint32_t w = 0; w < warps; w++) {
        uint32_t *x = (uint32_t *)(void *)(block + (size_t)w * SIM_WARP_BYTES);
        uint32_t *y = x + LANES, *z = y + LANES, *index = z + LANES;
        for (uint32_t l = 0; l < LANES; l++) {
            uint32_t thread = w * LANES + l;
            x[l] = thread % launch->block[0];
            y[l] = thread / launch->block[0] % launch->block[1];
            z[l] = thread / launch->block[0] / launch->block[1];
            index[l] = w;
        }
    }
    return block;
}

// Most blocks differ from the one before in one index.
static void renew(uint8_t *at, uint32_t value) {
    const uint32_t *lanes = (const uint32_t *)(const void *)at;
    if (lanes[0] != value)
        sim_broadcast(at, value, 4);
}

void sim_fill_block_vectors(uint8_t *vectors, const uint32_t *index, uint64_t smid) {
    renew(vectors + SIM_BLOCK_CTAID_X, index[0]);
    renew(vectors + SIM_BLOCK_CTAID_Y, index[1]);
    renew(vectors + SIM_BLOCK_CTAID_Z, index[2]);
    renew(vectors + SIM_BLOCK_SMID, (uint32_t)smid);
}

void sim_fill_cluster_vectors(uint8_t *vectors, const uint32_t *cluster, const uint32_t *inside,
                              uint32_t rank) {
    for (unsigned axis = 0; axis < 3; axis++) {
        sim_broadcast(vectors + SIM_BLOCK_CLUSTER_X + axis * SIM_VECTOR_BYTES, cluster[axis], 4);
        sim_broadcast(vectors + SIM_BLOCK_INSIDE_X + axis * SIM_VECTOR_BYTES, inside[axis], 4);
    }
    sim_broadcast(vectors + SIM_BLOCK_RANK, rank, 4);
}

bool sim_is_changing_sreg(enum ptx_sreg sreg) {
    switch (sreg) {
    case PTX_SREG_clock:
    case PTX_SREG_clock_hi:
    case PTX_SREG_clock64:
    case PTX_SREG_globaltimer:
    case PTX_SREG_globaltimer_lo:
    case PTX_SREG_globaltimer_hi:
        return true;
    default:
        return false;
    }
}

// Clocks count the instructions of the block, so that programs that read them stay deterministic.
// The global timer goes on with them from where the launch before left it; a block of a few warps
// issues an instruction in about that time.
uint64_t sim_changing_sreg(const struct sim_warp *warp, enum ptx_sreg sreg) {
    const uint64_t clock = sim_block_instructions(sim_block_of(warp));
    const uint64_t timer = warp->block->worker->sim->timer + clock * SIM_NANOSECONDS;
    switch (sreg) {
    case PTX_SREG_clock_hi:
        return clock >> 32;
    case PTX_SREG_globaltimer:
    case PTX_SREG_globaltimer_lo:
        return timer;
    case PTX_SREG_globaltimer_hi:
        return timer >> 32;
    default:
        return clock;
    }
}
