// The quick way of loads and stores: all lanes are on, side by side or at one address, where the
// check takes a comparison or two, and the observer knows the request already. Whatever does not
// fit takes the long way, which looks again and tells the observer.
#ifndef BANKRUN_SIM_LANES_MEM_QUICK_H
#define BANKRUN_SIM_LANES_MEM_QUICK_H

#include "sim/lanes/mem/resolve.h"

// Accesses that have a quick way at all; the decoder asks.
static inline bool mem_has_quick(const struct sim_access *access, enum mem_kind kind) {
    return access->has_base && !(access->flags & MEM_ORDERED) &&
           ((kind == MEM_SHARED && access->base_is_32) ||
            (kind == MEM_GLOBAL && !access->base_is_32 && access->site != IR_NONE));
}

LANES_INLINE bool mem_quick_told(const struct sim_warp *warp, uint32_t site, enum site_space space,
                                 uint64_t first, enum mem_pattern pattern, bool is_journaled) {
    const struct sim_worker *worker = warp->block->worker;
    const bool is_kept = is_journaled || worker->memos;
    if (__builtin_expect(!is_kept || site == IR_NONE, 0))
        return !worker->hears_access || site == IR_NONE;
    return is_journaled ? mem_known_by_journal(warp, site, space, first, pattern)
                        : mem_known_by_memo(warp, site, space, first, pattern);
}

// Where lane 0's piece is; NULL: take the long way.
LANES_INLINE uint8_t *mem_quick_shared(const struct sim_warp *warp, const struct sim_access *access,
                                       unsigned width, enum mem_pattern *pattern,
                                       bool is_journaled) {
    const uint32_t *b = LANES_ALIGNED(const uint32_t, access->base);
    const struct sim_block *block = warp->block;
    const uint32_t distance = b[LANES - 1] - b[0];
    uint32_t span;
    if (distance == (LANES - 1) * width && lanes_ramp_32(b, b[0], width)) {
        *pattern = MEM_LINEAR;
        span = LANES * width;
    } else if (distance == 0 && lanes_ramp_32(b, b[0], 0)) {
        *pattern = MEM_UNIFORM;
        span = width;
    } else {
        return NULL;
    }
    const uint32_t first = b[0] + (uint32_t)access->offset;
    if (span > block->shared_bytes || first > block->shared_bytes - span || (first & (width - 1)))
        return NULL;
    if (!mem_quick_told(warp, access->site, SITE_SHARED, first, *pattern, is_journaled))
        return NULL;
    return block->shared + first;
}

LANES_INLINE uint8_t *mem_quick_global(const struct sim_warp *warp, const struct sim_access *access,
                                       unsigned width, enum mem_pattern *pattern,
                                       bool is_journaled) {
    const uint64_t *b = LANES_ALIGNED(const uint64_t, access->base);
    const struct sim_worker *worker = warp->block->worker;
    const struct sim_site_cache *cache = &worker->cache[access->site];
    const uint64_t distance = b[LANES - 1] - b[0];
    uint64_t span;
    if (distance == (LANES - 1) * width && lanes_ramp_64(b, b[0], width)) {
        *pattern = MEM_LINEAR;
        span = LANES * width;
    } else if (distance == 0 && lanes_ramp_64(b, b[0], 0)) {
        *pattern = MEM_UNIFORM;
        span = width;
    } else {
        return NULL;
    }
    const uint64_t first = b[0] + access->offset;
    const uint64_t generation = __atomic_load_n(&worker->memory->generation, __ATOMIC_RELAXED);
    if (cache->generation != generation || cache->bytes < span ||
        first - cache->address > cache->bytes - span || (first & (width - 1)))
        return NULL;
    if (!mem_quick_told(warp, access->site, SITE_GLOBAL, first, *pattern, is_journaled))
        return NULL;
    return (uint8_t *)(uintptr_t)first;
}

LANES_INLINE uint8_t *mem_quick(const struct sim_warp *warp, const struct sim_access *access,
                                enum mem_kind kind, unsigned width, enum mem_pattern *pattern,
                                bool is_journaled) {
    return kind == MEM_SHARED ? mem_quick_shared(warp, access, width, pattern, is_journaled)
                              : mem_quick_global(warp, access, width, pattern, is_journaled);
}

// ---- Handlers -----------------------------------------------------------------------------

// MEM_QUICK_HANDLERS(body) makes handlers of full warps beside those of MEM_HANDLERS, from
//   body(warp, instr, kind, bytes, count, slow, is_journaled)
// (slow: the handler that goes the long way) and the function that puts them in their place. Where
// the observer has a journal, another handler takes over: what writes there would cost the quick
// way registers that it would have to save.
#define MEM_QUICK(body, name, kind, bytes, count)                                                  \
    static __attribute__((noinline)) const struct sim_instr *name##_journaled(                     \
        struct sim_warp *warp, const struct sim_instr *instr) {                                    \
        return body(warp, instr, kind, bytes, count, name##_all, true);                            \
    }                                                                                              \
    static const struct sim_instr *name##_quick(struct sim_warp *warp,                             \
                                                const struct sim_instr *instr) {                   \
        if (__builtin_expect(warp->block->worker->journal != NULL, 0))                             \
            return name##_journaled(warp, instr);                                                  \
        return body(warp, instr, kind, bytes, count, name##_all, false);                           \
    }

#define MEM_QUICK_SHAPES(body, name, kind)                                                         \
    MEM_QUICK(body, name##_1, kind, 1, 1)                                                          \
    MEM_QUICK(body, name##_2, kind, 2, 1)                                                          \
    MEM_QUICK(body, name##_4, kind, 4, 1)                                                          \
    MEM_QUICK(body, name##_8, kind, 8, 1)                                                          \
    MEM_QUICK(body, name##_4x2, kind, 4, 2)                                                        \
    MEM_QUICK(body, name##_4x4, kind, 4, 4)                                                        \
    MEM_QUICK(body, name##_8x2, kind, 8, 2)

#define MEM_QUICK_TABLE(name)                                                                      \
    {                                                                                              \
        NULL, name##_1_quick, name##_2_quick, name##_4_quick, name##_8_quick, name##_4x2_quick,    \
            name##_4x4_quick, name##_8x2_quick                                                     \
    }

#define MEM_QUICK_HANDLERS(body)                                                                   \
    MEM_QUICK_SHAPES(body, shared, MEM_SHARED)                                                     \
    MEM_QUICK_SHAPES(body, global, MEM_GLOBAL)                                                     \
    static void use_quick(struct sim_instr *out, enum mem_kind kind, enum mem_shape shape) {       \
        static const sim_handler shared[MEM_SHAPES] = MEM_QUICK_TABLE(shared);                     \
        static const sim_handler global[MEM_SHAPES] = MEM_QUICK_TABLE(global);                     \
        if (shape != MEM_ANY && mem_has_quick(out->access, kind))                                  \
            out->run[1] = (kind == MEM_SHARED ? shared : global)[shape];                           \
    }

#endif
