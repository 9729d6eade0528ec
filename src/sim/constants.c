// Vectors that are filled before a kernel runs: constants of the launch, thread indices of each
// warp, the block's index.
#include <string.h>

#include "sim/decode.h"

static void broadcast(uint8_t *at, uint64_t value, unsigned width) {
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

static uint64_t parameter_value(const struct sim_constant *constant, const uint8_t *parameters) {
    uint64_t value = 0;
    memcpy(&value, parameters + constant->value, constant->bytes);
    unsigned unused = 64 - 8 * constant->bytes;
    if (constant->is_signed && unused)
        value = (uint64_t)((int64_t)(value << unused) >> unused);
    if (constant->held && constant->held < 8)
        value &= ~0ull >> (64 - 8 * constant->held);
    return value;
}

static uint32_t lane_mask(enum ptx_sreg sreg, unsigned lane) {
    uint32_t bit = 1u << lane;
    switch (sreg) {
    case PTX_SREG_lanemask_eq:
        return bit;
    case PTX_SREG_lanemask_lt:
        return bit - 1;
    case PTX_SREG_lanemask_le:
        return bit | (bit - 1);
    case PTX_SREG_lanemask_gt:
        return ~(bit | (bit - 1));
    case PTX_SREG_lanemask_ge:
        return ~(bit - 1);
    default:
        return lane; // laneid
    }
}

static uint32_t warps_of(const struct sim_launch *launch) {
    uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    return (threads + LANES - 1) / LANES;
}

static uint64_t sreg_value(const struct sim_kernel *kernel, const struct sim_launch *launch,
                           const void *workspace, enum ptx_sreg sreg) {
    uint64_t shared = kernel->layout->dynamic_offset + launch->dynamic_shared_bytes;
    switch (sreg) {
    case PTX_SREG_ntid_x:
    case PTX_SREG_ntid_y:
    case PTX_SREG_ntid_z:
        return launch->block[sreg - PTX_SREG_ntid_x];
    case PTX_SREG_nctaid_x:
    case PTX_SREG_nctaid_y:
    case PTX_SREG_nctaid_z:
        return launch->grid[sreg - PTX_SREG_nctaid_x];
    case PTX_SREG_nclusterid_x:
    case PTX_SREG_nclusterid_y:
    case PTX_SREG_nclusterid_z:
        return launch->grid[sreg - PTX_SREG_nclusterid_x] /
               launch->cluster[sreg - PTX_SREG_nclusterid_x];
    case PTX_SREG_nwarpid:
        return warps_of(launch);
    case PTX_SREG_nsmid:
        return kernel->module->sim->config.multiprocessors;
    case PTX_SREG_cluster_nctaid_x:
    case PTX_SREG_cluster_nctaid_y:
    case PTX_SREG_cluster_nctaid_z:
        return launch->cluster[sreg - PTX_SREG_cluster_nctaid_x];
    case PTX_SREG_cluster_nctarank:
        return launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
    case PTX_SREG_is_explicit_cluster:
        return launch->has_cluster ? FULL_MASK : 0;
    case PTX_SREG_dynamic_smem_size:
        return launch->dynamic_shared_bytes;
    case PTX_SREG_total_smem_size:
    case PTX_SREG_aggr_smem_size:
        return shared;
    // A cooperative launch's workspace: its address, as cooperative groups expect to find it.
    case PTX_SREG_envreg1:
        return (uint64_t)(uintptr_t)workspace >> 32;
    case PTX_SREG_envreg2:
        return (uint32_t)(uintptr_t)workspace;
    default:
        return 0;
    }
}

static void fill_sreg(uint8_t *at, const struct sim_kernel *kernel, const struct sim_launch *launch,
                      const void *workspace, const struct sim_constant *constant) {
    switch (constant->sreg) {
    case PTX_SREG_laneid:
    case PTX_SREG_lanemask_eq:
    case PTX_SREG_lanemask_lt:
    case PTX_SREG_lanemask_le:
    case PTX_SREG_lanemask_gt:
    case PTX_SREG_lanemask_ge:
        for (unsigned l = 0; l < LANES; l++)
            ((uint32_t *)(void *)at)[l] = lane_mask(constant->sreg, l);
        return;
    default:
        broadcast(at, sreg_value(kernel, launch, workspace, constant->sreg), constant->width);
    }
}

uint8_t *sim_fill_constants(const struct sim_kernel *kernel, const struct sim_launch *launch,
                            const void *parameters, const void *workspace) {
    uint8_t *block = base_alloc_aligned(64, kernel->constant_bytes + 64);
    for (size_t i = 0; i < kernel->constants.length; i++) {
        const struct sim_constant *constant = &kernel->constants.data[i];
        uint8_t *at = block + constant->offset;
        switch (constant->kind) {
        case SIM_CONSTANT_VALUE:
            broadcast(at, constant->value, constant->width);
            break;
        case SIM_CONSTANT_PARAMETER:
            broadcast(at, parameter_value(constant, parameters), constant->width);
            break;
        case SIM_CONSTANT_ADDRESS:
            broadcast(at, (uint64_t)(uintptr_t)parameters + constant->value, constant->width);
            break;
        case SIM_CONSTANT_SREG:
            fill_sreg(at, kernel, launch, workspace, constant);
            break;
        }
    }
    return block;
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

void sim_fill_block_vectors(uint8_t *vectors, const uint32_t *index, uint64_t smid) {
    broadcast(vectors + SIM_BLOCK_CTAID_X, index[0], 4);
    broadcast(vectors + SIM_BLOCK_CTAID_Y, index[1], 4);
    broadcast(vectors + SIM_BLOCK_CTAID_Z, index[2], 4);
    broadcast(vectors + SIM_BLOCK_SMID, smid, 4);
}

void sim_fill_cluster_vectors(uint8_t *vectors, const uint32_t *cluster, const uint32_t *inside,
                              uint32_t rank) {
    for (unsigned axis = 0; axis < 3; axis++) {
        broadcast(vectors + SIM_BLOCK_CLUSTER_X + axis * SIM_VECTOR_BYTES, cluster[axis], 4);
        broadcast(vectors + SIM_BLOCK_INSIDE_X + axis * SIM_VECTOR_BYTES, inside[axis], 4);
    }
    broadcast(vectors + SIM_BLOCK_RANK, rank, 4);
}
