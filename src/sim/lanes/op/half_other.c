// Half precision beyond arithmetic: neg, abs, min and max of f16, bf16 and packed pairs.
#include "sim/lanes/op/half.h"

// The largest bits, without the sign, of what is a number.
static inline int16_t infinity_of(const struct sim_instr *instr) {
    return instr->immediate & HALF_BF16 ? 0x7f80 : 0x7c00;
}

LANES_INLINE uint16_t flush(uint16_t h, bool ftz) {
    return ftz ? f16_flush(h) : h;
}

#define HALF_OUT                                                                                   \
    uint16_t *d = LANES_ALIGNED(uint16_t, instr->operand[0]);                                      \
    const uint16_t *on = (const uint16_t *)(const void *)warp->lanes;                              \
    const int16_t infinity = infinity_of(instr);

// ---- Signs: a NaN becomes the canonical one -----------------------------------------------

// A negative scalar has no sign in the zeros above it.
static inline const uint16_t *signs_of(const struct sim_instr *instr) {
#define SIGNS4(low, high) low, high, low, high, low, high, low, high
#define SIGNS16(low, high)                                                                         \
    SIGNS4(low, high), SIGNS4(low, high), SIGNS4(low, high), SIGNS4(low, high)
    static const _Alignas(64) uint16_t scalar[HALVES] = {SIGNS16(0x8000, 0), SIGNS16(0x8000, 0)};
    static const _Alignas(64)
        uint16_t packed[HALVES] = {SIGNS16(0x8000, 0x8000), SIGNS16(0x8000, 0x8000)};
    return instr->immediate & HALF_PACKED ? packed : scalar;
}

#define SIGN(name, ftz, ...)                                                                       \
    LANES_BODY(name) {                                                                             \
        HALF_OUT                                                                                   \
        const uint16_t *h = half_operand(warp, instr, 1), *signs = signs_of(instr);                \
        HALF_EACH({                                                                                \
            const uint16_t a = flush(h[i], ftz), sign = signs[i];                                  \
            const uint16_t r = (int16_t)(a & 0x7fff) > infinity ? HALF_NAN : (__VA_ARGS__);        \
            d[i] = full || on[i] ? r : d[i];                                                       \
        })                                                                                         \
    }                                                                                              \
    LANES_PAIR(name)

SIGN(neg_plain, false, a ^ (uint32_t)sign)
SIGN(neg_flush, true, a ^ (uint32_t)sign)
SIGN(abs_plain, false, a & ~(uint32_t)sign)
SIGN(abs_flush, true, a & ~(uint32_t)sign)

static bool select_form(struct sim_instr *out, const struct ir_instruction *ir,
                        const sim_handler *plain, const sim_handler *ftz) {
    out->immediate = half_type_form(lanes_type(ir, 0));
    if (!PTX_HAS(ir->ptx, ftz))
        return lanes_use(out, plain);
    return !(out->immediate & HALF_BF16) && lanes_use(out, ftz);
}

LANES_SELECT(neg_half) {
    return select_form(out, ir, neg_plain, neg_flush);
}

LANES_SELECT(abs_half) {
    return select_form(out, ir, abs_plain, abs_flush);
}

// ---- Minimum and maximum ------------------------------------------------------------------

enum { KEEP_NAN = 1, XOR_SIGN = 2, MAX = 4 };

// Orders halves as numbers, -0 before +0; the key of a key is the half.
static inline int16_t half_key(int16_t h) {
    return h ^ ((h >> 15) & 0x7fff);
}

LANES_INLINE uint16_t pick(uint16_t p, uint16_t q, int16_t infinity, int form) {
    const uint16_t sign = form & XOR_SIGN ? 0x8000 : 0;
    const int16_t x = (int16_t)(p & ~sign), y = (int16_t)(q & ~sign);
    const bool x_nan = (int16_t)(x & 0x7fff) > infinity;
    const bool y_nan = (int16_t)(y & 0x7fff) > infinity;
    // One NaN gives the other operand, or the canonical NaN.
    const int16_t first = half_key(form & KEEP_NAN || !x_nan ? x : y);
    const int16_t second = half_key(form & KEEP_NAN || !y_nan ? y : x);
    const int16_t less = first < second ? first : second;
    const int16_t more = first < second ? second : first;
    const uint16_t number = (uint16_t)half_key(form & MAX ? more : less);
    const bool is_nan = form & KEEP_NAN ? x_nan | y_nan : x_nan & y_nan;
    return is_nan ? HALF_NAN : number | ((uint32_t)(p ^ q) & sign);
}

#define PICK(name, form, ftz)                                                                      \
    LANES_BODY(name) {                                                                             \
        HALF_OUT                                                                                   \
        const uint16_t *pa = half_operand(warp, instr, 1), *pb = half_operand(warp, instr, 2);     \
        HALF_EACH({                                                                                \
            const uint16_t r = pick(flush(pa[i], ftz), flush(pb[i], ftz), infinity, form);         \
            d[i] = full || on[i] ? r : d[i];                                                       \
        })                                                                                         \
    }                                                                                              \
    LANES_PAIR(name)
#define PICKS(form)                                                                                \
    PICK(pick_##form, form, false)                                                                 \
    PICK(pick_##form##_flush, form, true)

PICKS(0)
PICKS(1)
PICKS(2)
PICKS(3)
PICKS(4)
PICKS(5)
PICKS(6)
PICKS(7)

static bool select_pick(struct sim_instr *out, const struct ir_instruction *ir, int max) {
#define ROW(form)                                                                                  \
    { pick_##form, pick_##form##_flush }
    static const sim_handler *const pairs[][2] = {ROW(0), ROW(1), ROW(2), ROW(3),
                                                  ROW(4), ROW(5), ROW(6), ROW(7)};
#undef ROW
    if (PTX_HAS(ir->ptx, variant) != PTX_HAS(ir->ptx, variant2)) // .xorsign and .abs go together
        return false;
    const int form =
        (PTX_HAS(ir->ptx, mode) ? KEEP_NAN : 0) | (PTX_HAS(ir->ptx, variant) ? XOR_SIGN : 0) | max;
    return select_form(out, ir, pairs[form][0], pairs[form][1]);
}

LANES_SELECT(min_half) {
    return select_pick(out, ir, 0);
}

LANES_SELECT(max_half) {
    return select_pick(out, ir, MAX);
}
