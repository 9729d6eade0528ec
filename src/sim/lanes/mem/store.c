// Stores. The same shapes as loads have. Which value stays when several lanes write one address is
// not specified; here it is what was measured on 9.0: 128 bytes of lanes are served together, and
// of them the lowest lane wins; the last group of lanes to be served wins over those before it.
#include "sim/lanes/mem/quick.h"

// The low `bytes` bytes of one register, for memory in which lanes are `stride` bytes apart.
#define PACK(type, lane_type)                                                                      \
    {                                                                                              \
        const lane_type *s = LANES_ALIGNED(const lane_type, ref);                                  \
        SIM_LANES                                                                                  \
            *(type *)(to + (size_t)l * stride) = (type)s[l];                                       \
    }                                                                                              \
    break;

LANES_INLINE void pack(const struct sim_warp *warp, uint8_t *to, unsigned stride, unsigned bytes,
                       unsigned held, sim_ref ref) {
    switch (bytes * 16 + held) {
    case 0x14:
        PACK(uint8_t, uint32_t)
    case 0x18:
        PACK(uint8_t, uint64_t)
    case 0x24:
        PACK(uint16_t, uint32_t)
    case 0x28:
        PACK(uint16_t, uint64_t)
    case 0x44:
        PACK(uint32_t, uint32_t)
    case 0x48:
        PACK(uint32_t, uint64_t)
    default:
        PACK(uint64_t, uint64_t)
    }
}

static void pack_any(const struct sim_warp *warp, const struct sim_access *access, uint8_t *to) {
    const unsigned bytes = access->bytes, stride = bytes * access->count;
    for (unsigned e = 0; e < access->count; e++)
        pack(warp, to + e * bytes, stride, bytes, access->element_bytes[e], access->element[e]);
}

LANES_INLINE unsigned group_of_lanes(unsigned width) {
    return width <= 4 ? LANES : 4 * LANES / width;
}

// The bits of each group of lanes in reverse.
LANES_INLINE uint32_t reversed(uint32_t mask, unsigned group) {
    mask = group > 1 ? (mask >> 1 & 0x55555555) | (mask & 0x55555555) << 1 : mask;
    mask = group > 2 ? (mask >> 2 & 0x33333333) | (mask & 0x33333333) << 2 : mask;
    mask = group > 4 ? (mask >> 4 & 0x0f0f0f0f) | (mask & 0x0f0f0f0f) << 4 : mask;
    mask = group > 8 ? (mask >> 8 & 0x00ff00ff) | (mask & 0x00ff00ff) << 8 : mask;
    return group > 16 ? mask >> 16 | mask << 16 : mask;
}

// Lanes are written from the one that loses to the one that wins.
LANES_INLINE void scatter(const struct sim_warp *warp, const struct mem_lanes *lanes,
                          enum mem_kind kind, const uint8_t *packed, unsigned width, bool full) {
    const unsigned group = group_of_lanes(width);
    if (full) {
        _Pragma("GCC unroll 8") for (unsigned i = 0; i < LANES; i++) {
            const unsigned l = i ^ (group - 1);
            memcpy(mem_lane(warp, lanes, kind, l), packed + (size_t)l * width, width);
        }
        return;
    }
    for (uint32_t rest = reversed(warp->mask, group); rest; rest &= rest - 1) {
        const unsigned l = (unsigned)__builtin_ctz(rest) ^ (group - 1);
        memcpy(mem_lane(warp, lanes, kind, l), packed + (size_t)l * width, width);
    }
}

static void scatter_any(const struct sim_warp *warp, const struct mem_lanes *lanes, bool is_shared,
                        const uint8_t *packed, unsigned width) {
    scatter(warp, lanes, is_shared ? MEM_SHARED : MEM_GLOBAL, packed, width, false);
}

// bytes 0: any shape.
LANES_INLINE const struct sim_instr *store(struct sim_warp *warp, const struct sim_instr *instr,
                                           enum mem_kind kind, unsigned bytes, unsigned count,
                                           bool full) {
    enum { MAX_WIDTH = 32 };
    if (!full && !warp->mask)
        return instr + 1;
    const struct sim_access *access = instr->access;
    const unsigned width = bytes ? bytes * count : access->bytes * access->count;
    struct mem_lanes lanes;
    const enum mem_pattern pattern =
        mem_resolve(warp, instr, access, &lanes, kind, width, EVENT_WRITE, full);
    if (__builtin_expect(pattern == MEM_FAULT, 0))
        return NULL;
    if (__builtin_expect(access->flags & MEM_ORDERED, 0))
        __atomic_thread_fence(__ATOMIC_RELEASE);
    const bool is_direct = bytes && pattern == MEM_LINEAR;
    _Alignas(64) uint8_t packed[(size_t)LANES * MAX_WIDTH];
    uint8_t *to = is_direct ? mem_lane(warp, &lanes, kind, 0) : packed;
    if (!bytes)
        pack_any(warp, access, to);
    for (unsigned e = 0; bytes && e < count; e++)
        pack(warp, to + e * bytes, width, bytes, bytes == 8 ? 8 : 4, access->element[e]);
    if (is_direct)
        return instr + 1;
    if (bytes && pattern == MEM_UNIFORM)
        memcpy(mem_lane(warp, &lanes, kind, 0),
               packed + (size_t)(LANES - group_of_lanes(width)) * width, width);
    else if (bytes)
        scatter(warp, &lanes, kind, packed, width, full);
    else
        scatter_any(warp, &lanes, kind == MEM_SHARED, packed, width);
    return instr + 1;
}

MEM_HANDLERS(store)

LANES_INLINE const struct sim_instr *quick_store(struct sim_warp *warp,
                                                 const struct sim_instr *instr, enum mem_kind kind,
                                                 unsigned bytes, unsigned count, sim_handler slow,
                                                 bool is_journaled) {
    const struct sim_access *access = instr->access;
    enum mem_pattern pattern;
    uint8_t *to = mem_quick(warp, access, kind, bytes * count, &pattern, is_journaled);
    if (__builtin_expect(!to, 0))
        return slow(warp, instr);
    const unsigned width = bytes * count, held = bytes == 8 ? 8 : 4;
    if (pattern == MEM_LINEAR) {
        for (unsigned e = 0; e < count; e++)
            pack(warp, to + e * bytes, width, bytes, held, access->element[e]);
        return instr + 1;
    }
    const unsigned winner = LANES - group_of_lanes(width);
    for (unsigned e = 0; e < count; e++) {
        const uint8_t *value = sim_at(warp, access->element[e]);
        memcpy(to + e * bytes, value + (size_t)winner * held, bytes);
    }
    return instr + 1;
}

MEM_QUICK_HANDLERS(quick_store)

static bool select_store(const struct ir_instruction *ir, struct sim_instr *out) {
    struct sim_access *access = mem_own_access(out);
    enum mem_kind kind;
    if (!mem_kind_of(access, &kind) || access->space == PTX_SPACE_CONST || access->bytes > 8 ||
        access->count > 8 || access->bytes * access->count > 32)
        return false;
    bool is_natural = true;
    access->flags = mem_order_flags(ir);
    access->is_store = true;
    for (unsigned e = 0; e < access->count; e++) {
        if (access->element_bytes[e] < access->bytes)
            return false;
        is_natural = is_natural && access->element_bytes[e] == (access->bytes == 8 ? 8 : 4);
    }
    const enum mem_shape shape = is_natural ? mem_shape_of(access) : MEM_ANY;
    if (!use_handlers(out, kind, shape))
        return false;
    use_quick(out, kind, shape);
    return true;
}

LANES_SELECT(st) {
    (void)decoder;
    return select_store(ir, out);
}

LANES_SELECT(st_param) {
    (void)decoder;
    return select_store(ir, out);
}
