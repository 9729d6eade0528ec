// Loads. Each kind of memory has lane code for the common shapes (bytes of an element x elements)
// into registers of just that width, and one for any shape.
#include "sim/lanes/mem/quick.h"
#include "sim/lanes/permute.h"

// How an element becomes a register: 3 bits for each element in access->flags.
enum extend { ZERO_32, SIGN_16, SIGN_32, ZERO_64, SIGN_64, EXTEND_BITS = 3, EXTEND_MASK = 7 };

LANES_INLINE uint64_t zero_extended(const uint8_t *from, unsigned bytes) {
    switch (bytes) {
    case 1:
        return *from;
    case 2:
        return *(const uint16_t *)from;
    case 4:
        return *(const uint32_t *)from;
    default:
        return *(const uint64_t *)from;
    }
}

LANES_INLINE int64_t sign_extended(const uint8_t *from, unsigned bytes) {
    switch (bytes) {
    case 1:
        return *(const int8_t *)from;
    case 2:
        return *(const int16_t *)from;
    case 4:
        return *(const int32_t *)from;
    default:
        return *(const int64_t *)from;
    }
}

#define UNPACK(type, expression)                                                                   \
    {                                                                                              \
        type *d = LANES_ALIGNED(type, ref);                                                        \
        const int32_t *on = warp->lanes;                                                           \
        SIM_LANES {                                                                                \
            const uint8_t *p = from + (size_t)l * stride;                                          \
            const type v = (type)(expression);                                                     \
            d[l] = full || on[l] ? v : d[l];                                                       \
        }                                                                                          \
    }                                                                                              \
    break;

// One register from memory in which lanes are `stride` bytes apart.
LANES_INLINE void unpack(const struct sim_warp *warp, const uint8_t *from, unsigned stride,
                         unsigned bytes, enum extend extend, sim_ref ref, bool full) {
    switch (extend) {
    case ZERO_32:
        UNPACK(uint32_t, zero_extended(p, bytes))
    case SIGN_16:
        UNPACK(uint32_t, (uint16_t)sign_extended(p, bytes))
    case SIGN_32:
        UNPACK(uint32_t, sign_extended(p, bytes))
    case ZERO_64:
        UNPACK(uint64_t, zero_extended(p, bytes))
    case SIGN_64:
        UNPACK(uint64_t, sign_extended(p, bytes))
    default:
        break;
    }
}

static void unpack_any(const struct sim_warp *warp, const struct sim_access *access,
                       const uint8_t *from) {
    const unsigned bytes = access->bytes, stride = bytes * access->count;
    for (unsigned e = 0; e < access->count; e++) {
        const enum extend extend = access->flags >> (EXTEND_BITS * e) & EXTEND_MASK;
        const uint8_t *p = from + e * bytes;
        switch (bytes) {
        case 1:
            unpack(warp, p, stride, 1, extend, access->element[e], false);
            break;
        case 2:
            unpack(warp, p, stride, 2, extend, access->element[e], false);
            break;
        case 4:
            unpack(warp, p, stride, 4, extend, access->element[e], false);
            break;
        default:
            unpack(warp, p, stride, 8, extend, access->element[e], false);
            break;
        }
    }
}

LANES_INLINE void gather(const struct sim_warp *warp, const struct mem_lanes *lanes,
                         enum mem_kind kind, uint8_t *packed, unsigned width) {
    _Pragma("GCC unroll 8") for (unsigned l = 0; l < LANES; l++)
        memcpy(packed + (size_t)l * width, mem_lane(warp, lanes, kind, l), width);
}

static void gather_any(const struct sim_warp *warp, const struct mem_lanes *lanes, bool is_shared,
                       uint8_t *packed, unsigned width) {
    const enum mem_kind kind = is_shared ? MEM_SHARED : MEM_GLOBAL;
    for (unsigned l = 0; l < LANES; l++)
        memcpy(packed + (size_t)l * width, mem_lane(warp, lanes, kind, l), width);
}

// Words of shared memory that lie in one row of the banks, as those of a few rows of a small tile
// and of swaps do: a permutation of the row is quicker than 32 loads. False: they do not. (Lanes
// that are off hold the first active one's offset; behind the block's memory there is room for a
// row.)
LANES_INLINE bool load_row(const struct sim_warp *warp, const uint32_t offset[LANES], sim_ref ref,
                           bool full) {
    const uint32_t row = offset[0] & ~(SIM_BANK_ROW - 1u);
    _Alignas(64) int32_t from[LANES];
    uint32_t any = 0;
    SIM_LANES {
        from[l] = (int32_t)((offset[l] - row) / 4);
        any |= offset[l] - row;
    }
    if (any >= SIM_BANK_ROW)
        return false;
    lanes_permute(LANES_ALIGNED(uint32_t, ref),
                  (const uint32_t *)(const void *)(warp->block->shared + row), from, warp->lanes,
                  full);
    return true;
}

LANES_INLINE const struct sim_instr *finish(const struct sim_access *access,
                                            const struct sim_instr *instr) {
    if (__builtin_expect(access->flags & MEM_ORDERED, 0))
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return instr + 1;
}

// bytes 0: any shape.
LANES_INLINE const struct sim_instr *load(struct sim_warp *warp, const struct sim_instr *instr,
                                          enum mem_kind kind, unsigned bytes, unsigned count,
                                          bool full) {
    enum { MAX_WIDTH = 32 };
    if (!full && !warp->mask)
        return instr + 1;
    const struct sim_access *access = instr->access;
    const unsigned width = bytes ? bytes * count : access->bytes * access->count;
    struct mem_lanes lanes;
    const enum mem_pattern pattern =
        mem_resolve(warp, instr, access, &lanes, kind, width, EVENT_READ, full);
    if (__builtin_expect(pattern == MEM_FAULT, 0))
        return NULL;
    _Alignas(64) uint8_t packed[(size_t)LANES * MAX_WIDTH];
    const uint8_t *from = packed;
    if (bytes && pattern == MEM_UNIFORM) {
        from = mem_lane(warp, &lanes, kind, 0);
        for (unsigned e = 0; e < count; e++)
            unpack(warp, from + e * bytes, 0, bytes, bytes == 8 ? ZERO_64 : ZERO_32,
                   access->element[e], full);
        return finish(access, instr);
    }
    if (LANES_PERMUTE_IS_QUICK && kind == MEM_SHARED && bytes == 4 && count == 1 &&
        pattern == MEM_SCATTERED && load_row(warp, lanes.offset, access->element[0], full))
        return finish(access, instr);
    if (pattern == MEM_LINEAR)
        from = mem_lane(warp, &lanes, kind, 0);
    else if (bytes)
        gather(warp, &lanes, kind, packed, width);
    else
        gather_any(warp, &lanes, kind == MEM_SHARED, packed, width);
    if (!bytes)
        unpack_any(warp, access, from);
    for (unsigned e = 0; bytes && e < count; e++)
        unpack(warp, from + e * bytes, width, bytes, bytes == 8 ? ZERO_64 : ZERO_32,
               access->element[e], full);
    return finish(access, instr);
}

MEM_HANDLERS(load)

LANES_INLINE const struct sim_instr *quick_load(struct sim_warp *warp,
                                                const struct sim_instr *instr, enum mem_kind kind,
                                                unsigned bytes, unsigned count, sim_handler slow,
                                                bool is_journaled) {
    const struct sim_access *access = instr->access;
    enum mem_pattern pattern;
    const uint8_t *from = mem_quick(warp, access, kind, bytes * count, &pattern, is_journaled);
    if (__builtin_expect(!from, 0))
        return slow(warp, instr);
    const enum extend extend = bytes == 8 ? ZERO_64 : ZERO_32;
    for (unsigned e = 0; e < count; e++) {
        const uint8_t *p = from + e * bytes;
        if (pattern == MEM_UNIFORM)
            unpack(warp, p, 0, bytes, extend, access->element[e], true);
        else
            unpack(warp, p, bytes * count, bytes, extend, access->element[e], true);
    }
    return instr + 1;
}

MEM_QUICK_HANDLERS(quick_load)

static enum extend extend_of(const struct sim_decoder *decoder, const struct sim_access *access,
                             const struct ir_operand *operand, unsigned e) {
    if (access->element_bytes[e] == 8)
        return access->is_signed && access->bytes < 8 ? SIGN_64 : ZERO_64;
    const unsigned held = sim_decoder_register_bytes(decoder, operand);
    if (!access->is_signed || access->bytes >= 4 || (held && held <= access->bytes))
        return ZERO_32;
    return held == 2 ? SIGN_16 : SIGN_32;
}

static bool select_load(const struct sim_decoder *decoder, const struct ir_instruction *ir,
                        struct sim_instr *out) {
    struct sim_access *access = mem_own_access(out);
    enum mem_kind kind;
    if (!mem_kind_of(access, &kind) || access->bytes > 8 || access->count > 8 ||
        access->bytes * access->count > 32)
        return false;
    const struct ir_operand *operand = &ir->operands[0];
    bool is_natural = true;
    access->flags = mem_order_flags(ir);
    for (unsigned e = 0; e < access->count; e++) {
        if (access->element_bytes[e] < access->bytes)
            return false;
        const bool is_vector = operand->kind == IR_OPERAND_VECTOR;
        const enum extend extend =
            extend_of(decoder, access, is_vector ? &operand->elements[e] : operand, e);
        access->flags |= (uint32_t)extend << (EXTEND_BITS * e);
        is_natural = is_natural && extend == (access->bytes == 8 ? ZERO_64 : ZERO_32);
    }
    const enum mem_shape shape = is_natural ? mem_shape_of(access) : MEM_ANY;
    if (!use_handlers(out, kind, shape))
        return false;
    use_quick(out, kind, shape);
    return true;
}

LANES_SELECT(ld) {
    return select_load(decoder, ir, out);
}

LANES_SELECT(ld_param) {
    return select_load(decoder, ir, out);
}
