// Half precision beyond arithmetic: neg, abs, min, max, ex2, tanh of f16, bf16 and packed pairs.
#include "sim/lanes/op/half.h"
#include "sim/lanes/op/sfu.h"

// ---- Signs: a NaN becomes the canonical one -----------------------------------------------

static inline uint32_t neg_f16(uint32_t h) {
    return f16_is_nan(h) ? HALF_NAN : h ^ 0x8000;
}
static inline uint32_t neg_f16_ftz(uint32_t h) {
    return neg_f16(f16_flush(h));
}
static inline uint32_t neg_bf16(uint32_t h) {
    return bf16_is_nan(h) ? HALF_NAN : h ^ 0x8000;
}
static inline uint32_t abs_f16(uint32_t h) {
    return f16_is_nan(h) ? HALF_NAN : h & 0x7fff;
}
static inline uint32_t abs_f16_ftz(uint32_t h) {
    return abs_f16(f16_flush(h));
}
static inline uint32_t abs_bf16(uint32_t h) {
    return bf16_is_nan(h) ? HALF_NAN : h & 0x7fff;
}

HALF_LANES1(neg_f16_plain, neg_f16)
HALF_LANES1(neg_f16_flush, neg_f16_ftz)
HALF_LANES1(neg_bf16_plain, neg_bf16)
HALF_LANES1(abs_f16_plain, abs_f16)
HALF_LANES1(abs_f16_flush, abs_f16_ftz)
HALF_LANES1(abs_bf16_plain, abs_bf16)

static bool use(struct sim_instr *out, const struct ir_instruction *ir,
                const sim_handler *const f16[2], const sim_handler *const bf16[2]) {
    switch (lanes_type(ir, 0)) {
    case PTX_F16:
        return f16 && lanes_use(out, f16[0]);
    case PTX_F16X2:
        return f16 && lanes_use(out, f16[1]);
    case PTX_BF16:
        return bf16 && lanes_use(out, bf16[0]);
    case PTX_BF16X2:
        return bf16 && lanes_use(out, bf16[1]);
    default:
        return false;
    }
}

#define BOTH(name) ((const sim_handler *const[2]){name, name##_x2})

LANES_SELECT(neg_half) {
    if (PTX_HAS(ir->ptx, ftz))
        return use(out, ir, BOTH(neg_f16_flush), NULL);
    return use(out, ir, BOTH(neg_f16_plain), BOTH(neg_bf16_plain));
}

LANES_SELECT(abs_half) {
    if (PTX_HAS(ir->ptx, ftz))
        return use(out, ir, BOTH(abs_f16_flush), NULL);
    return use(out, ir, BOTH(abs_f16_plain), BOTH(abs_bf16_plain));
}

// ---- Minimum and maximum ------------------------------------------------------------------

enum { FTZ = 1, KEEP_NAN = 2, XOR_SIGN = 4, MAX = 8, BF16 = 16 };

// Orders halves as numbers, -0 before +0.
static inline int32_t half_key(uint32_t h) {
    const int32_t magnitude = (int32_t)(h & 0x7fff);
    return h & 0x8000 ? -1 - magnitude : magnitude;
}

LANES_INLINE uint32_t half_pick(uint32_t a, uint32_t b, int form) {
    const uint32_t infinity = form & BF16 ? 0x7f80 : 0x7c00;
    const uint32_t p = form & FTZ ? f16_flush(a) : a, q = form & FTZ ? f16_flush(b) : b;
    const uint32_t keep = form & XOR_SIGN ? 0x7fff : 0xffff;
    const uint32_t x = p & keep, y = q & keep;
    const bool x_nan = (x & 0x7fff) > infinity, y_nan = (y & 0x7fff) > infinity;
    const bool first = form & MAX ? half_key(x) > half_key(y) : half_key(x) < half_key(y);
    const uint32_t number = first ? x : y;
    const uint32_t one_nan = form & KEEP_NAN ? HALF_NAN : x_nan ? y : x;
    const uint32_t r = x_nan || y_nan ? one_nan : number;
    const bool is_nan = (r & 0x7fff) > infinity;
    return is_nan ? HALF_NAN : r | ((p ^ q) & 0xffff & ~keep);
}

#define FORM(form)                                                                                 \
    LANES_INLINE uint32_t pick_##form(uint32_t a, uint32_t b) {                                    \
        return half_pick(a, b, form);                                                              \
    }                                                                                              \
    HALF_LANES2(half_##form, pick_##form)
#define FORMS4(a, b, c, d) FORM(a) FORM(b) FORM(c) FORM(d)

FORMS4(0, 1, 2, 3)
FORMS4(4, 5, 6, 7)
FORMS4(8, 9, 10, 11)
FORMS4(12, 13, 14, 15)
FORMS4(16, 18, 20, 22)
FORMS4(24, 26, 28, 30)

static bool select_pick(struct sim_instr *out, const struct ir_instruction *ir, int max) {
#define ROW(n) [n] = { half_##n, half_##n##_x2 }
    static const sim_handler *const pairs[32][2] = {
        ROW(0),  ROW(1),  ROW(2),  ROW(3),  ROW(4),  ROW(5),  ROW(6),  ROW(7),
        ROW(8),  ROW(9),  ROW(10), ROW(11), ROW(12), ROW(13), ROW(14), ROW(15),
        ROW(16), ROW(18), ROW(20), ROW(22), ROW(24), ROW(26), ROW(28), ROW(30)};
#undef ROW
    const enum ptx_type type = lanes_type(ir, 0);
    const bool bf16 = type == PTX_BF16 || type == PTX_BF16X2;
    const bool packed = type == PTX_F16X2 || type == PTX_BF16X2;
    if (PTX_HAS(ir->ptx, variant) != PTX_HAS(ir->ptx, variant2)) // .xorsign and .abs go together
        return false;
    const int form = (PTX_HAS(ir->ptx, ftz) ? FTZ : 0) | (PTX_HAS(ir->ptx, mode) ? KEEP_NAN : 0) |
                     (PTX_HAS(ir->ptx, variant) ? XOR_SIGN : 0) | (bf16 ? BF16 : 0) | max;
    return lanes_use(out, pairs[form][packed]);
}

LANES_SELECT(min_half) {
    return select_pick(out, ir, 0);
}

LANES_SELECT(max_half) {
    return select_pick(out, ir, MAX);
}

// ---- Approximations -----------------------------------------------------------------------

static inline uint32_t ex2_f16(uint32_t h) {
    return sfu_cut_f16(sfu_ex2(num_f32_of_f16((uint16_t)h)));
}
static inline uint32_t ex2_f16_ftz(uint32_t h) {
    return f16_flush(ex2_f16(f16_flush(h)));
}
static inline uint32_t ex2_bf16_ftz(uint32_t h) {
    return sfu_cut_bf16(sfu_ex2(num_f32_of_bf16((uint16_t)h)));
}
static inline uint32_t tanh_f16(uint32_t h) {
    return sfu_cut_f16(sfu_tanh(num_f32_of_f16((uint16_t)h)));
}
static inline uint32_t tanh_bf16(uint32_t h) {
    return sfu_cut_bf16(sfu_tanh(num_f32_of_bf16((uint16_t)h)));
}

HALF_LANES1(ex2_f16_plain, ex2_f16)
HALF_LANES1(ex2_f16_flush, ex2_f16_ftz)
HALF_LANES1(ex2_bf16_flush, ex2_bf16_ftz)
HALF_LANES1(tanh_f16_plain, tanh_f16)
HALF_LANES1(tanh_bf16_plain, tanh_bf16)

// bf16 exists with .ftz only.
LANES_SELECT(ex2_half) {
    if (PTX_HAS(ir->ptx, ftz))
        return use(out, ir, BOTH(ex2_f16_flush), BOTH(ex2_bf16_flush));
    return use(out, ir, BOTH(ex2_f16_plain), NULL);
}

LANES_SELECT(tanh_half) {
    return use(out, ir, BOTH(tanh_f16_plain), BOTH(tanh_bf16_plain));
}
