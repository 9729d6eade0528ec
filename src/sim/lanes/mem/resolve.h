// Makes lane code of memory operations: from a warp's registers to 32 checked addresses. Included
// by the files that are compiled once for each target.
#ifndef BANKRUN_SIM_LANES_MEM_RESOLVE_H
#define BANKRUN_SIM_LANES_MEM_RESOLVE_H

#include "event/journal.h"
#include "sim/lanes/mem/access.h"
#include "sim/lanes/vector.h"

// Which lane code an access takes. MEM_CELL is memory that each lane has for itself: local memory
// and the .param variables of calls.
enum mem_kind { MEM_SHARED, MEM_GLOBAL, MEM_CELL, MEM_GENERIC };

// What the check of all lanes found. Only a full warp is looked at for patterns.
enum mem_pattern {
    MEM_FAULT,
    MEM_LINEAR,  // lane n accesses the n-th piece behind lane 0's
    MEM_UNIFORM, // all lanes access the same piece
    MEM_SCATTERED,
};

struct mem_lanes {
    _Alignas(64) uint64_t address[LANES]; // host addresses; for MEM_SHARED not set
    _Alignas(64) uint32_t offset[LANES];  // MEM_SHARED only
};

// Lanes that are off take the first active lane's address, so that all can be checked and read.
LANES_INLINE void mem_fill_64(uint64_t a[LANES], const struct sim_warp *warp) {
    const uint64_t first = a[__builtin_ctz(warp->mask)];
    SIM_LANES
        a[l] = warp->lanes[l] ? a[l] : first;
}

LANES_INLINE void mem_fill_32(uint32_t a[LANES], const struct sim_warp *warp) {
    const uint32_t first = a[__builtin_ctz(warp->mask)];
    SIM_LANES
        a[l] = warp->lanes[l] ? a[l] : first;
}

LANES_INLINE void mem_addresses(const struct sim_warp *warp, const struct sim_access *access,
                                uint64_t a[LANES], bool full) {
    mem_raw(warp, access->has_base, access->base_is_32, access->base, access->offset, a);
    if (!full)
        mem_fill_64(a, warp);
}

LANES_INLINE enum event_pattern mem_event_pattern(enum mem_pattern pattern) {
    return pattern == MEM_LINEAR    ? EVENT_LINEAR
           : pattern == MEM_UNIFORM ? EVENT_UNIFORM
                                    : EVENT_ANY_PATTERN;
}

// What the observer knows about requests like this one; NULL: tell it. `first`: the first active
// lane's offset or address.
LANES_INLINE struct event_memo *mem_memo(const struct sim_warp *warp, uint32_t site,
                                         enum site_space space, uint64_t first) {
    const struct sim_block *block = warp->block;
    struct event_memo *memo =
        block->worker->memos ? block->worker->memos[site * SITE_SPACES + space] : NULL;
    return memo && event_memo_is_about(memo, first, warp->number) ? memo : NULL;
}

// Whether observers need not be told of a request of shared memory: it is known, or written down,
// or one and the other. Lanes that are off hold the first active lane's offset.
LANES_INLINE bool mem_known_lanes(const struct sim_warp *warp, uint32_t site, const uint32_t *o,
                                  bool full) {
    const uint32_t first = full ? o[0] : o[__builtin_ctz(warp->mask)];
    const struct sim_worker *worker = warp->block->worker;
    struct event_journal *journal = worker->journal;
    if (journal && !event_journal_takes_lanes(journal, warp->block->linear, site, warp->mask, first,
                                              o, warp->lanes, full))
        return false;
    if (!journal || worker->memos) {
        struct event_memo *memo = mem_memo(warp, site, SITE_SHARED, first);
        if (!memo || !event_memo_takes_lanes(memo, warp->mask, first, o, warp->lanes, full))
            return false;
    }
    if (journal)
        event_journal_write(journal, site, warp->index, first, journal->sites[site].number);
    return true;
}

// The same for global memory. No journal is kept of it.
LANES_INLINE bool mem_known_addresses(const struct sim_warp *warp, uint32_t site, const uint64_t *a,
                                      bool full) {
    const uint64_t first = full ? a[0] : a[__builtin_ctz(warp->mask)];
    if (warp->block->worker->journal)
        return false;
    struct event_memo *memo = mem_memo(warp, site, SITE_GLOBAL, first);
    return memo && event_memo_takes_addresses(memo, warp->mask, a, warp->lanes, full);
}

// The same for a linear or uniform request of a full warp, which may be of global memory.
LANES_INLINE bool mem_known_by_memo(const struct sim_warp *warp, uint32_t site,
                                    enum site_space space, uint64_t first,
                                    enum mem_pattern pattern) {
    struct event_memo *memo = mem_memo(warp, site, space, first);
    return memo && event_memo_takes_pattern(memo, mem_event_pattern(pattern), first);
}

LANES_INLINE bool mem_known_by_journal(const struct sim_warp *warp, uint32_t site,
                                       enum site_space space, uint64_t first,
                                       enum mem_pattern pattern) {
    const struct sim_worker *worker = warp->block->worker;
    struct event_journal *journal = worker->journal;
    if (space != SITE_SHARED || !event_journal_takes(journal, warp->block->linear, site) ||
        (worker->memos && !mem_known_by_memo(warp, site, space, first, pattern)))
        return false;
    event_journal_write(journal, site, warp->index, (uint32_t)first, mem_event_pattern(pattern));
    return true;
}

LANES_INLINE bool mem_known(const struct sim_warp *warp, uint32_t site, enum site_space space,
                            uint64_t first, enum mem_pattern pattern) {
    return warp->block->worker->journal ? mem_known_by_journal(warp, site, space, first, pattern)
                                        : mem_known_by_memo(warp, site, space, first, pattern);
}

// ---- Shared memory ------------------------------------------------------------------------

// The exact check, for words about what is wrong. Takes the addresses in full length: a 64-bit
// base may hold anything. An own address may come with the block's rank, which is cut off where
// the rest is good.
LANES_INLINE bool mem_shared_slow(const struct mem_request *r, const struct sim_access *access,
                                  uint32_t o[LANES]) {
    const struct sim_block *block = r->warp->block;
    _Alignas(64) uint64_t a[LANES];
    mem_raw(r->warp, access->has_base, access->base_is_32, access->base, access->offset, a);
    if (access->base_is_32)
        SIM_LANES
            a[l] = (uint32_t)a[l];
    SIM_LANES {
        const uint64_t cut = a[l] & IR_CLUSTER_OFFSET;
        a[l] = sim_cluster_is_own(block, a[l]) && cut < block->shared_bytes ? cut : a[l];
        o[l] = sim_cluster_is_own(block, o[l]) ? o[l] & IR_CLUSTER_OFFSET : o[l];
    }
    return sim_mem_check_offsets(r, PTX_SPACE_SHARED, a, block->shared_bytes);
}

// Shared addresses are 32 bits long and wrap; the result is false when one is longer.
LANES_INLINE bool mem_shared_offsets(const struct sim_warp *warp, const struct sim_access *access,
                                     uint32_t o[LANES]) {
    if (!access->has_base) {
        const uint32_t offset = (uint32_t)access->offset;
        SIM_LANES
            o[l] = offset;
        return access->offset >> 32 == 0;
    }
    if (access->base_is_32) {
        const uint32_t *b = LANES_ALIGNED(const uint32_t, access->base);
        const uint32_t offset = (uint32_t)access->offset;
        SIM_LANES
            o[l] = b[l] + offset;
        return true;
    }
    const uint64_t *b = LANES_ALIGNED(const uint64_t, access->base);
    const uint64_t offset = access->offset;
    uint64_t high = 0;
    SIM_LANES {
        const uint64_t a = b[l] + offset;
        o[l] = (uint32_t)a;
        high |= warp->lanes[l] ? a >> 32 : 0;
    }
    return high == 0;
}

LANES_INLINE enum mem_pattern mem_resolve_shared(const struct mem_request *r,
                                                 const struct sim_access *access,
                                                 struct mem_lanes *lanes, unsigned width,
                                                 bool full) {
    const struct sim_block *block = r->warp->block;
    uint32_t *o = lanes->offset;
    bool good = mem_shared_offsets(r->warp, access, o);
    if (!full)
        mem_fill_32(o, r->warp);
    enum mem_pattern pattern = MEM_SCATTERED;
    if (full && lanes_ramp_32(o, o[0], width)) {
        good = good && block->shared_bytes >= LANES * width &&
               o[0] <= block->shared_bytes - LANES * width && (o[0] & (width - 1)) == 0;
        pattern = MEM_LINEAR;
    } else if (full && lanes_ramp_32(o, o[0], 0)) {
        good = good && block->shared_bytes >= width && o[0] <= block->shared_bytes - width &&
               (o[0] & (width - 1)) == 0;
        pattern = MEM_UNIFORM;
    } else {
        uint32_t top = 0, bits = 0;
        SIM_LANES {
            top = o[l] > top ? o[l] : top;
            bits |= o[l];
        }
        good = good && block->shared_bytes >= width && top <= block->shared_bytes - width &&
               (bits & (width - 1)) == 0;
    }
    if (__builtin_expect(!good, 0) && !mem_shared_slow(r, access, o))
        return MEM_FAULT;
    if (sim_is_heard(r) &&
        !(pattern == MEM_SCATTERED ? mem_known_lanes(r->warp, r->site, o, full)
                                   : mem_known(r->warp, r->site, SITE_SHARED, o[0], pattern)))
        sim_emit_shared(r, r->mask, o, mem_event_pattern(pattern), block);
    return pattern;
}

// ---- Host addresses -----------------------------------------------------------------------

LANES_INLINE bool mem_in_cache(const struct mem_request *r, const struct sim_site_cache *cache,
                               uint64_t bytes, uint64_t top) {
    uint64_t generation =
        __atomic_load_n(&r->warp->block->worker->memory->generation, __ATOMIC_RELAXED);
    return cache->generation == generation && cache->bytes >= bytes && top <= cache->bytes - bytes;
}

LANES_INLINE enum mem_pattern mem_resolve_host(const struct mem_request *r, const uint64_t *a,
                                               unsigned width, bool full) {
    static const struct sim_site_cache none;
    const struct sim_site_cache *cache = sim_mem_cache(r);
    if (!cache)
        cache = &none;
    const uint64_t begin = cache->address;
    enum mem_pattern pattern = MEM_SCATTERED;
    bool good;
    if (full && lanes_ramp_64(a, a[0], width)) {
        good = (a[0] & (width - 1)) == 0 &&
               mem_in_cache(r, cache, (uint64_t)LANES * width, a[0] - begin);
        pattern = MEM_LINEAR;
    } else if (full && lanes_ramp_64(a, a[0], 0)) {
        good = (a[0] & (width - 1)) == 0 && mem_in_cache(r, cache, width, a[0] - begin);
        pattern = MEM_UNIFORM;
    } else {
        uint64_t top = 0, bits = 0;
        SIM_LANES {
            const uint64_t from = a[l] - begin;
            top = from > top ? from : top;
            bits |= a[l];
        }
        good = (bits & (width - 1)) == 0 && mem_in_cache(r, cache, width, top);
    }
    if (__builtin_expect(!good, 0) && !sim_mem_check_global(r, a))
        return MEM_FAULT;
    if (sim_is_heard(r) &&
        !(pattern == MEM_SCATTERED ? mem_known_addresses(r->warp, r->site, a, full)
                                   : mem_known(r->warp, r->site, SITE_GLOBAL, a[0], pattern)))
        sim_emit_global(r, r->mask, a, mem_event_pattern(pattern));
    return pattern;
}

LANES_INLINE enum mem_pattern mem_resolve_global(const struct mem_request *r,
                                                 const struct sim_access *access, uint64_t *a,
                                                 unsigned width, bool full) {
    mem_addresses(r->warp, access, a, full);
    return mem_resolve_host(r, a, width, full);
}

LANES_INLINE enum mem_pattern mem_resolve_cell(const struct mem_request *r,
                                               const struct sim_access *access, uint64_t *a,
                                               unsigned width, bool full) {
    mem_addresses(r->warp, access, a, full);
    const struct sim_block *block = r->warp->block;
    uint64_t data, stride, frame = 0;
    if (access->space == PTX_SPACE_LOCAL) {
        stride = block->local_bytes;
        data = (uint64_t)(uintptr_t)block->local + r->warp->index * (LANES * stride);
        if (!access->has_base)
            frame = sim_frame_local(r->warp);
    } else {
        const struct sim_frame_memory memory = sim_frame_parameters(r->warp);
        data = (uint64_t)(uintptr_t)memory.data;
        stride = memory.bytes;
    }
    uint64_t top = 0, bits = 0;
    SIM_LANES {
        a[l] += frame;
        top = a[l] > top ? a[l] : top;
        bits |= a[l];
    }
    const bool good = (bits & (width - 1)) == 0 && stride >= width && top <= stride - width;
    if (__builtin_expect(!good, 0) && !sim_mem_check_offsets(r, access->space, a, stride))
        return MEM_FAULT;
    SIM_LANES
        a[l] += data + (uint64_t)l * stride;
    return MEM_SCATTERED;
}

LANES_INLINE enum mem_pattern mem_resolve_generic(const struct mem_request *r,
                                                  const struct sim_access *access, uint64_t *a,
                                                  unsigned width, bool full) {
    mem_addresses(r->warp, access, a, full);
    uint64_t top = 0;
    SIM_LANES
        top = a[l] > top ? a[l] : top;
    if (__builtin_expect(top < IR_SHARED_WINDOW && !access->is_by_window, 1))
        return mem_resolve_host(r, a, width, full);
    if (!sim_mem_generic(r, a))
        return MEM_FAULT;
    if (!full)
        mem_fill_64(a, r->warp);
    return MEM_SCATTERED;
}

// Ways that are short, and those of full warps, are part of each handler; the others are compiled
// once in a file.
#define MEM_NOINLINE static __attribute__((noinline, unused))
#define MEM_RESOLVER(linkage, kind, suffix, ...)                                                   \
    linkage enum mem_pattern mem_resolve_##kind##_##suffix(                                        \
        struct sim_warp *warp, const struct sim_instr *instr, const struct sim_access *access,     \
        struct mem_lanes *lanes, unsigned width, enum event_intent intent) {                       \
        const struct mem_request r = mem_request(warp, instr, width, intent);                      \
        return __VA_ARGS__;                                                                        \
    }
#define MEM_RESOLVERS(linkage, suffix, full)                                                       \
    MEM_RESOLVER(linkage, generic, suffix,                                                         \
                 mem_resolve_generic(&r, access, lanes->address, width, full))                     \
    MEM_RESOLVER(MEM_NOINLINE, cell, suffix,                                                       \
                 mem_resolve_cell(&r, access, lanes->address, width, full))                        \
    MEM_RESOLVER(LANES_INLINE, shared, suffix, mem_resolve_shared(&r, access, lanes, width, full)) \
    MEM_RESOLVER(LANES_INLINE, global, suffix,                                                     \
                 mem_resolve_global(&r, access, lanes->address, width, full))
MEM_RESOLVERS(MEM_NOINLINE, some, false)
MEM_RESOLVERS(LANES_INLINE, all, true)

// Checks an access, tells the observer, and gives the lanes' addresses. warp->mask is not 0.
LANES_INLINE enum mem_pattern mem_resolve(struct sim_warp *warp, const struct sim_instr *instr,
                                          const struct sim_access *access, struct mem_lanes *lanes,
                                          enum mem_kind kind, unsigned width,
                                          enum event_intent intent, bool full) {
#define RESOLVE(kind)                                                                              \
    (full ? mem_resolve_##kind##_all(warp, instr, access, lanes, width, intent)                    \
          : mem_resolve_##kind##_some(warp, instr, access, lanes, width, intent))
    switch (kind) {
    case MEM_SHARED:
        return RESOLVE(shared);
    case MEM_GLOBAL:
        return RESOLVE(global);
    case MEM_CELL:
        return RESOLVE(cell);
    default:
        return RESOLVE(generic);
    }
#undef RESOLVE
}

LANES_INLINE uint8_t *mem_lane(const struct sim_warp *warp, const struct mem_lanes *lanes,
                               enum mem_kind kind, unsigned l) {
    return kind == MEM_SHARED ? warp->block->shared + lanes->offset[l]
                              : (uint8_t *)(uintptr_t)lanes->address[l];
}

// ---- Choosing -----------------------------------------------------------------------------

static inline bool mem_kind_of(const struct sim_access *access, enum mem_kind *kind) {
    switch (access->space) {
    case PTX_SPACE_SHARED:
        *kind = MEM_SHARED;
        return true;
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_CONST:
        *kind = MEM_GLOBAL;
        return true;
    case PTX_SPACE_LOCAL:
        *kind = MEM_CELL;
        return true;
    case PTX_SPACE_PARAM: // with a base: a host address inside the kernel's parameter block
        *kind = access->has_base ? MEM_GLOBAL : MEM_CELL;
        return true;
    case PTX_SPACE_GENERIC:
        *kind = MEM_GENERIC;
        return true;
    default:
        return false;
    }
}

// The shapes (bytes of an element x elements) that have lane code of their own when registers are
// just as wide; everything else takes MEM_ANY.
enum mem_shape {
    MEM_ANY,
    MEM_ONE_1,
    MEM_ONE_2,
    MEM_ONE_4,
    MEM_ONE_8,
    MEM_TWO_4,
    MEM_FOUR_4,
    MEM_TWO_8,
    MEM_SHAPES
};

static inline enum mem_shape mem_shape_of(const struct sim_access *access) {
    static const struct {
        unsigned bytes, count;
    } shapes[MEM_SHAPES] = {{0, 0}, {1, 1}, {2, 1}, {4, 1}, {8, 1}, {4, 2}, {4, 4}, {8, 2}};
    for (unsigned s = MEM_ONE_1; s < MEM_SHAPES; s++) {
        if (shapes[s].bytes == access->bytes && shapes[s].count == access->count)
            return (enum mem_shape)s;
    }
    return MEM_ANY;
}

// MEM_HANDLERS(body) makes the handlers of all kinds and shapes from
//   body(warp, instr, kind, bytes, count, full)   (bytes 0: any shape)
// and the function that picks a pair of them.
#define MEM_HANDLER(body, name, kind, bytes, count)                                                \
    static const struct sim_instr *name##_some(struct sim_warp *warp,                              \
                                               const struct sim_instr *instr) {                    \
        return body(warp, instr, kind, bytes, count, false);                                       \
    }                                                                                              \
    static __attribute__((noinline))                                                               \
    const struct sim_instr *name##_all(struct sim_warp *warp, const struct sim_instr *instr) {     \
        return body(warp, instr, kind, bytes, count, true);                                        \
    }                                                                                              \
    static const sim_handler name[2] = {name##_some, name##_all};

#define MEM_ALL_SHAPES(body, name, kind)                                                           \
    MEM_HANDLER(body, name##_any, kind, 0, 0)                                                      \
    MEM_HANDLER(body, name##_1, kind, 1, 1)                                                        \
    MEM_HANDLER(body, name##_2, kind, 2, 1)                                                        \
    MEM_HANDLER(body, name##_4, kind, 4, 1)                                                        \
    MEM_HANDLER(body, name##_8, kind, 8, 1)                                                        \
    MEM_HANDLER(body, name##_4x2, kind, 4, 2)                                                      \
    MEM_HANDLER(body, name##_4x4, kind, 4, 4)                                                      \
    MEM_HANDLER(body, name##_8x2, kind, 8, 2)

#define MEM_HANDLERS(body)                                                                         \
    MEM_ALL_SHAPES(body, shared, MEM_SHARED)                                                       \
    MEM_ALL_SHAPES(body, global, MEM_GLOBAL)                                                       \
    MEM_HANDLER(body, cell_any, MEM_CELL, 0, 0)                                                    \
    MEM_HANDLER(body, cell_4, MEM_CELL, 4, 1)                                                      \
    MEM_HANDLER(body, generic_any, MEM_GENERIC, 0, 0)                                              \
    MEM_HANDLER(body, generic_4, MEM_GENERIC, 4, 1)                                                \
    static bool use_handlers(struct sim_instr *out, enum mem_kind kind, enum mem_shape shape) {    \
        static const sim_handler *const table[][MEM_SHAPES] = {                                    \
            [MEM_SHARED] = {shared_any, shared_1, shared_2, shared_4, shared_8, shared_4x2,        \
                            shared_4x4, shared_8x2},                                               \
            [MEM_GLOBAL] = {global_any, global_1, global_2, global_4, global_8, global_4x2,        \
                            global_4x4, global_8x2},                                               \
            [MEM_CELL] = {[MEM_ANY] = cell_any, [MEM_ONE_4] = cell_4},                             \
            [MEM_GENERIC] = {[MEM_ANY] = generic_any, [MEM_ONE_4] = generic_4},                    \
        };                                                                                         \
        const sim_handler *pair = table[kind][shape];                                              \
        return lanes_use(out, pair ? pair : table[kind][MEM_ANY]);                                 \
    }

#endif
