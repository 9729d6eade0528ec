// Bit counts, bit searches and bit fields.
#include "sim/lanes/lanes.h"

// Counts and searches are written with shifts and masks, which every vector unit has.
static inline uint32_t count_32(uint32_t x) {
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f;
    x += x >> 8;
    return (x + (x >> 16)) & 0x3f;
}

static inline uint32_t count_64(uint64_t x) {
    return count_32((uint32_t)x) + count_32((uint32_t)(x >> 32));
}

static inline uint32_t leading_zeros_32(uint32_t x) {
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    return count_32(~x);
}

static inline uint32_t leading_zeros_64(uint64_t x) {
    uint32_t high = (uint32_t)(x >> 32);
    return high ? leading_zeros_32(high) : 32 + leading_zeros_32((uint32_t)x);
}

static inline uint32_t reverse_32(uint32_t x) {
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    x = (x >> 8 & 0x00ff00ff) | (x & 0x00ff00ff) << 8;
    return x >> 16 | x << 16;
}

static inline uint64_t reverse_64(uint64_t x) {
    return (uint64_t)reverse_32((uint32_t)x) << 32 | reverse_32((uint32_t)(x >> 32));
}

LANES1(popc_b32, u32, u32, count_32(a))
LANES1(popc_b64, u32, u64, count_64(a))
LANES1(clz_b32, u32, u32, leading_zeros_32(a))
LANES1(clz_b64, u32, u64, leading_zeros_64(a))
LANES1(brev_b32, u32, u32, reverse_32(a))
LANES1(brev_b64, u64, u64, reverse_64(a))

// bfind looks for the highest bit that differs from the sign; 0xffffffff when there is none.
// With .shiftamt it gives how far left that bit has to move to be the highest.
static inline uint32_t find_32(uint32_t x) {
    return 31 - leading_zeros_32(x);
}
static inline uint32_t find_64(uint64_t x) {
    return 63 - leading_zeros_64(x);
}
static inline uint32_t find_shift_32(uint32_t x) {
    return x ? leading_zeros_32(x) : UINT32_MAX;
}
static inline uint32_t find_shift_64(uint64_t x) {
    return x ? leading_zeros_64(x) : UINT32_MAX;
}

LANES1(bfind_u32, u32, u32, find_32(a))
LANES1(bfind_s32, u32, s32, find_32((uint32_t)(a ^ a >> 31)))
LANES1(bfind_u64, u32, u64, find_64(a))
LANES1(bfind_s64, u32, s64, find_64((uint64_t)(a ^ a >> 63)))
LANES1(bfind_shift_u32, u32, u32, find_shift_32(a))
LANES1(bfind_shift_s32, u32, s32, find_shift_32((uint32_t)(a ^ a >> 31)))
LANES1(bfind_shift_u64, u32, u64, find_shift_64(a))
LANES1(bfind_shift_s64, u32, s64, find_shift_64((uint64_t)(a ^ a >> 63)))

// Positions and lengths of bfe and bfi are the low 8 bits of their operands, but the hardware
// looks at all 32 bits of them when the field is one of 64 bits.
static inline uint32_t low_mask_32(uint32_t length) {
    return length > 31 ? UINT32_MAX : (1u << (length & 31)) - 1;
}
static inline uint64_t low_mask_64(uint32_t length) {
    return length > 63 ? UINT64_MAX : ~(UINT64_MAX << (length & 63));
}

static inline uint32_t extract_u32(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t position = b & 0xff, length = c & 0xff;
    return position > 31 ? 0 : a >> (position & 31) & low_mask_32(length);
}

static inline uint64_t extract_u64(uint64_t a, uint32_t b, uint32_t c) {
    return b > 63 ? 0 : a >> (b & 63) & low_mask_64(c);
}

// The field's top bit, or the operand's where the field reaches beyond it, is replicated.
static inline uint32_t extract_s32(int32_t a, uint32_t b, uint32_t c) {
    uint32_t position = b & 0xff, length = c & 0xff;
    uint32_t start = position > 31 ? 31 : position;
    uint32_t end = position + length > 32 ? 32 : position + length; // bit behind the field
    uint32_t field = (uint32_t)a << ((32 - end) & 31);
    // After the shift the field's top bit is bit 31.
    uint32_t value = (uint32_t)((int32_t)field >> ((start + 32 - end) & 31));
    uint32_t sign = (uint32_t)(a >> 31);
    return length == 0 ? 0 : position > 31 ? sign : value;
}

static inline uint64_t extract_s64(int64_t a, uint64_t position, uint64_t length) {
    uint64_t start = position > 63 ? 63 : position;
    uint64_t end = position + length > 64 ? 64 : position + length;
    uint64_t field = (uint64_t)a << ((64 - end) & 63);
    uint64_t value = (uint64_t)((int64_t)field >> ((start + 64 - end) & 63));
    uint64_t sign = (uint64_t)(a >> 63);
    return length == 0 ? 0 : position > 63 ? sign : value;
}

LANES3(bfe_u32, u32, u32, u32, u32, extract_u32(a, b, c))
LANES3(bfe_s32, u32, s32, u32, u32, extract_s32(a, b, c))
LANES3(bfe_u64, u64, u64, u32, u32, extract_u64(a, b, c))
LANES3(bfe_s64, u64, s64, u32, u32, extract_s64(a, b, c))

static inline uint32_t insert_32(uint32_t a, uint32_t b, uint32_t c, uint32_t e) {
    uint32_t position = c & 0xff, mask = low_mask_32(e & 0xff) << (position & 31);
    mask = position > 31 ? 0 : mask;
    return (b & ~mask) | (a << (position & 31) & mask);
}

static inline uint64_t insert_64(uint64_t a, uint64_t b, uint32_t c, uint32_t e) {
    const uint64_t mask = c > 63 ? 0 : low_mask_64(e) << (c & 63);
    return (b & ~mask) | (a << (c & 63) & mask);
}

LANES4(bfi_b32, u32, u32, u32, u32, u32, insert_32(a, b, c, e))
LANES4(bfi_b64, u64, u64, u64, u32, u32, insert_64(a, b, c, e))

// bmsk: `b` ones from bit `a` on.
static inline uint32_t mask_clamped(uint32_t a, uint32_t b) {
    return a > 31 ? 0 : low_mask_32(b) << (a & 31);
}

LANES2(bmsk_clamp, u32, u32, u32, mask_clamped(a, b))
LANES2(bmsk_wrap, u32, u32, u32, ((1u << (b & 31)) - 1) << (a & 31))

// szext: the low `b` bits, extended.
static inline uint32_t extend_s32(uint32_t a, uint32_t b) {
    return b == 0 ? 0 : b > 31 ? a : (uint32_t)((int32_t)(a << ((32 - b) & 31)) >> ((32 - b) & 31));
}

LANES2(szext_clamp_u32, u32, u32, u32, a &low_mask_32(b))
LANES2(szext_clamp_s32, u32, u32, u32, extend_s32(a, b))
LANES2(szext_wrap_u32, u32, u32, u32, a &((1u << (b & 31)) - 1))
LANES2(szext_wrap_s32, u32, u32, u32, extend_s32(a, b & 31))

// The c-th set bit of a at or above bit b (c > 0), or at or below it (c < 0).
static uint32_t find_nth_set(uint32_t a, uint32_t b, int32_t c) {
    if (c == INT32_MIN) // has no magnitude; this is what the hardware makes of it
        return 0;
    if (b > 31)
        return UINT32_MAX;
    if (c == 0)
        return a >> b & 1 ? b : UINT32_MAX;
    int step = c < 0 ? -1 : 1;
    uint32_t left = c < 0 ? 0u - (uint32_t)c : (uint32_t)c;
    for (int bit = (int)b; bit >= 0 && bit < 32; bit += step) {
        if (a >> bit & 1 && --left == 0)
            return (uint32_t)bit;
    }
    return UINT32_MAX;
}

EACH3(fns_b32, u32, u32, u32, s32, find_nth_set(a, b, c))

static lanes_table popc_table = {[PTX_B32] = popc_b32, [PTX_B64] = popc_b64};
static lanes_table clz_table = {[PTX_B32] = clz_b32, [PTX_B64] = clz_b64};
static lanes_table brev_table = {[PTX_B32] = brev_b32, [PTX_B64] = brev_b64};
static lanes_table bfind_table = {
    [PTX_U32] = bfind_u32, [PTX_S32] = bfind_s32, [PTX_U64] = bfind_u64, [PTX_S64] = bfind_s64};
static lanes_table bfind_shift_table = {[PTX_U32] = bfind_shift_u32,
                                        [PTX_S32] = bfind_shift_s32,
                                        [PTX_U64] = bfind_shift_u64,
                                        [PTX_S64] = bfind_shift_s64};
static lanes_table bfe_table = {
    [PTX_U32] = bfe_u32, [PTX_S32] = bfe_s32, [PTX_U64] = bfe_u64, [PTX_S64] = bfe_s64};
static lanes_table bfi_table = {[PTX_B32] = bfi_b32, [PTX_B64] = bfi_b64};
static lanes_table szext_clamp_table = {[PTX_U32] = szext_clamp_u32, [PTX_S32] = szext_clamp_s32};
static lanes_table szext_wrap_table = {[PTX_U32] = szext_wrap_u32, [PTX_S32] = szext_wrap_s32};

static bool wraps(const struct ir_instruction *ir) {
    return lanes_modifier(ir, PTX_GROUP_mode) == PTX_MOD_wrap;
}

LANES_SELECT(popc) {
    return lanes_by_type(out, ir, popc_table);
}

LANES_SELECT(clz) {
    return lanes_by_type(out, ir, clz_table);
}

LANES_SELECT(brev) {
    return lanes_by_type(out, ir, brev_table);
}

LANES_SELECT(bfind) {
    bool shift = lanes_modifier(ir, PTX_GROUP_mode) == PTX_MOD_shiftamt;
    return lanes_by_type(out, ir, shift ? bfind_shift_table : bfind_table);
}

LANES_SELECT(bfe) {
    return lanes_by_type(out, ir, bfe_table);
}

LANES_SELECT(bfi) {
    return lanes_by_type(out, ir, bfi_table);
}

LANES_SELECT(bmsk) {
    return lanes_use(out, wraps(ir) ? bmsk_wrap : bmsk_clamp);
}

LANES_SELECT(szext) {
    return lanes_by_type(out, ir, wraps(ir) ? szext_wrap_table : szext_clamp_table);
}

LANES_SELECT(fns) {
    return lanes_use(out, fns_b32);
}
