// The constant block of a launch: immediates, parameters, special registers that stay as they are.
#include <assert.h>
#include <string.h>

#include "sim/decode/decode.h"
#include "sim/flow/special.h"

static uint64_t parameter_value(const struct sim_constant *constant, const uint8_t *parameters) {
    uint64_t value = 0;
    assert(constant->bytes && constant->bytes <= sizeof value);
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
        sim_broadcast(at, sreg_value(kernel, launch, workspace, constant->sreg), constant->width);
    }
}

uint8_t *sim_fill_constants(const struct sim_kernel *kernel, const struct sim_launch *launch,
                            const void *parameters, const void *workspace) {
    uint8_t *block = base_alloc_aligned(64, kernel->constant_bytes + 64);
    for (size_t i = 0; i < kernel->constants.length; i++) {
        const struct sim_constant *constant = &kernel->constants.data[i];
        uint8_t *at = block + constant->offset;
        assert(constant->offset + constant->width * LANES <= kernel->constant_bytes);
        switch (constant->kind) {
        case SIM_CONSTANT_VALUE:
            sim_broadcast(at, constant->value, constant->width);
            break;
        case SIM_CONSTANT_PARAMETER:
            sim_broadcast(at, parameter_value(constant, parameters), constant->width);
            break;
        case SIM_CONSTANT_ADDRESS:
            sim_broadcast(at, (uint64_t)(uintptr_t)parameters + constant->value, constant->width);
            break;
        case SIM_CONSTANT_SREG:
            fill_sreg(at, kernel, launch, workspace, constant);
            break;
        }
    }
    return block;
}
