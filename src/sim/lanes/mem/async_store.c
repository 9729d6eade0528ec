// st.async and red.async: stores and reductions in the shared memory of any block of the cluster
// that tell an mbarrier, there too, how many bytes have come. They are done at once, which the ISA
// allows.
#include "sim/lanes/mem/access.h"
#include "sim/lanes/mem/mbarrier.h"
#include "sim/number/reduce.h"

struct target {
    _Alignas(64) uint64_t memory[LANES]; // host addresses
    uint8_t *barrier[LANES];
    struct sim_block *home[LANES]; // of the barrier
};

// Addresses of shared::cluster become generic ones, which are looked up, told of and translated.
static bool to_generic(const struct mem_request *r, uint64_t *a) {
    const struct sim_access *access = r->instr->access;
    bool is_good = true;
    EACH_LANE(l, r->mask) {
        const uint64_t computed = access->base_is_32 ? (uint32_t)a[l] : a[l];
        if (access->space == PTX_SPACE_SHARED)
            a[l] = computed + IR_SHARED_WINDOW;
        if (ir_is_in_shared_window(a[l]))
            continue;
        sim_raise(r->warp, r->instr, SIM_FAULT_INVALID_SPACE, l, computed,
                  "an asynchronous store goes to shared memory, not to 0x%llx",
                  (unsigned long long)computed);
        is_good = false;
    }
    return is_good;
}

static bool find_targets(const struct mem_request *r, struct target *target) {
    const struct sim_access *access = r->instr->access;
    struct mem_request barrier = *r;
    barrier.width = 8;
    barrier.intent = EVENT_ATOMIC;
    _Alignas(64) uint64_t at[LANES];
    mem_raw(r->warp, access->has_base, access->base_is_32, access->base, access->offset,
            target->memory);
    mem_raw(r->warp, access->has_base2, access->base2_is_32, access->base2, access->offset2, at);
    if (!to_generic(r, target->memory) || !to_generic(&barrier, at))
        return false;
    bool is_good = true;
    EACH_LANE(l, r->mask) {
        target->barrier[l] =
            sim_mem_cluster(&barrier, at[l] - IR_SHARED_WINDOW, l, &target->home[l]);
        is_good &= target->barrier[l] != NULL;
    }
    return is_good && sim_mem_generic(r, target->memory);
}

static const struct sim_instr *store(struct sim_warp *warp, const struct sim_instr *instr) {
    const struct sim_access *access = instr->access;
    const unsigned width = access->bytes * access->count;
    const struct mem_request request = mem_request(warp, instr, width, EVENT_WRITE);
    struct target target;
    if (!warp->mask)
        return instr + 1;
    if (!find_targets(&request, &target))
        return NULL;
    EACH_LANE(l, warp->mask) {
        uint8_t *to = (uint8_t *)(uintptr_t)target.memory[l];
        for (unsigned e = 0; e < access->count; e++) {
            const uint8_t *from = sim_at(warp, access->element[e]);
            memcpy(to + e * access->bytes, from + l * access->element_bytes[e], access->bytes);
        }
        sim_mbarrier_complete(&request, l, target.home[l], target.barrier[l], width);
    }
    return instr + 1;
}

LANES_SELECT(st_async) {
    (void)decoder, (void)ir;
    const struct sim_access *access = out->access;
    for (unsigned e = 0; e < access->count; e++)
        if (access->element_bytes[e] < access->bytes)
            return false;
    out->run[0] = out->run[1] = store;
    return access->count <= 4;
}

// Operation and type are kept in the access.
static const struct sim_instr *reduce(struct sim_warp *warp, const struct sim_instr *instr) {
    const struct sim_access *access = instr->access;
    const struct sim_reduction *reduction =
        sim_reduction_find((enum ptx_modifier)access->op, (enum ptx_type)access->flags);
    const struct mem_request request = mem_request(warp, instr, access->bytes, EVENT_ATOMIC);
    struct target target;
    if (!warp->mask)
        return instr + 1;
    if (!find_targets(&request, &target))
        return NULL;
    const uint8_t *from = sim_at(warp, access->element[0]);
    EACH_LANE(l, warp->mask) {
        reduction->apply((void *)(uintptr_t)target.memory[l], from + l * access->element_bytes[0]);
        sim_mbarrier_complete(&request, l, target.home[l], target.barrier[l], access->bytes);
    }
    return instr + 1;
}

LANES_SELECT(red_async) {
    (void)decoder;
    struct sim_access *access = mem_own_access(out);
    access->op = lanes_modifier(ir, PTX_GROUP_op);
    access->flags = lanes_type(ir, 0);
    out->run[0] = out->run[1] = reduce;
    return access->count == 1 && access->element_bytes[0] >= access->bytes &&
           sim_reduction_find(lanes_modifier(ir, PTX_GROUP_op), lanes_type(ir, 0)) != NULL;
}
