// Half-precision arithmetic: add, sub, mul, fma of f16, bf16 and packed pairs, rounded once.
#include "sim/lanes/op/half_vector.h"

// ---- Sums that keep what they lose --------------------------------------------------------
//
// A sum in a wider format may be rounded to that format and then to the narrow one, and the first
// rounding must not make a tie of what was none. Rounding to odd does not: when the sum is not
// exact, the last bit of the wide result is one.

LANES_INLINE vector_float f32_odd_sum(vector_float a, vector_float b) {
    const vector_float s = a + b, t = s - a, error = (a - (s - t)) + (b - t);
    const vector_int bits = (vector_int)s, inexact = (error < 0) | (error > 0);
    const vector_int outwards = ~((error < 0) ^ (s < 0));
    // One more or one less, where the last bit is zero.
    const vector_int step = (outwards | 1) & inexact & ((bits & 1) - 1);
    return (vector_float)(bits - step);
}

static inline double f64_odd_sum(double a, double b) {
    const double s = a + b, t = s - a, error = (a - (s - t)) + (b - t);
    const uint64_t bits = f64_bits(s);
    const bool inexact = error < 0 || error > 0, outwards = (error < 0) == (s < 0);
    const uint64_t odd = outwards ? bits + 1 : bits - 1;
    return f64_from(inexact && !(bits & 1) ? odd : bits);
}

static inline float f32_odd(double x) {
    const float r = (float)x;
    const double error = x - (double)r;
    const uint32_t bits = f32_bits(r);
    // An overflow to infinity is an error of infinity, and becomes the largest float, which is odd.
    const bool inexact = error < 0 || error > 0, outwards = (error < 0) == (x < 0);
    const uint32_t odd = outwards ? bits + 1 : bits - 1;
    return f32_from(inexact && !(bits & 1) ? odd : bits);
}

// ---- f16 ----------------------------------------------------------------------------------
//
// A float has enough bits (2 * 11 + 2) for sums of halves to be rounded twice, and the product of
// two f16 is exact. That of two bf16 is too, but may be below what a float can hold.

enum operation { ADD, SUB, MUL, FMA };

LANES_INLINE vector_float operand(vector_int h, uint32_t form) {
    return f16_widen(form & HALF_FTZ ? f16_flush_vector(h) : h);
}

LANES_INLINE vector_float compute(enum operation operation, vector_float x, vector_float y,
                                  vector_float z) {
    switch (operation) {
    case ADD:
        return x + y;
    case SUB:
        return x - y;
    case MUL:
        return x * y;
    default:
        return f32_odd_sum(x * y, z);
    }
}

LANES_INLINE vector_float saturate(vector_float x) {
    const vector_int positive = (vector_int)x & (x > 0);
    return (vector_float)vector_pick((vector_float)positive < 1, positive, vector_all(0x3f800000));
}

// Flushed is what is below 2^-14 after rounding to 11 bits: below 2^-14 - 2^-26 before it.
LANES_INLINE vector_float flush_tiny(vector_float x) {
    const vector_int magnitude = (vector_int)x & 0x7fffffff;
    const vector_int is_tiny = (vector_float)magnitude < 0x1.ffep-15f;
    return (vector_float)((vector_int)x & ~(magnitude & is_tiny));
}

LANES_INLINE vector_int result(vector_float x, uint32_t form) {
    const vector_float in_range = form & HALF_SAT ? saturate(x) : x;
    const vector_int h = f16_narrow(form & HALF_FTZ ? flush_tiny(in_range) : in_range);
    return form & HALF_RELU ? h & ((h & 0x8000) == 0) : h; // a NaN has no sign
}

// Where one of a, b is the NaN that stands for what lies out of bounds, the result is zero. Which
// NaN that is was read off an H200; it has either sign and is the same for both types.
#define IS_OUT_OF_BOUNDS(a, b) ((((a)&0x7fff) == 0x7ff7) | (((b)&0x7fff) == 0x7ff7))

LANES_INLINE vector_int one_half(enum operation operation, vector_int a, vector_int b, vector_int c,
                                 uint32_t form) {
    const vector_float x = operand(form & HALF_MINUS_PRODUCT ? a ^ 0x8000 : a, form);
    const vector_float y = operand(b, form);
    const vector_float z = operand(form & HALF_MINUS_ADDEND ? c ^ 0x8000 : c, form);
    const vector_int r = result(compute(operation, x, y, z), form);
    return form & HALF_OOB ? r & ~IS_OUT_OF_BOUNDS(a, b) : r;
}

LANES_INLINE void run(struct sim_warp *warp, const struct sim_instr *instr,
                      enum operation operation, uint32_t form) {
    const vector_int *pa = LANES_ALIGNED(const vector_int, instr->operand[1]);
    const vector_int *pb = LANES_ALIGNED(const vector_int, instr->operand[2]);
    const vector_int *pc =
        LANES_ALIGNED(const vector_int, instr->operand[operation == FMA ? 3 : 1]);
    const vector_int *on = (const vector_int *)(const void *)warp->lanes;
    vector_int *d = LANES_ALIGNED(vector_int, instr->operand[0]);
    const bool is_packed = instr->immediate & HALF_PACKED;
    for (int i = 0; i < LANES / VECTOR_LANES; i++) {
        const vector_int a = pa[i], b = pb[i], c = pc[i];
        vector_int r = one_half(operation, a & 0xffff, b & 0xffff, c & 0xffff, form);
        if (is_packed) {
            const vector_int x = a >> 16 & 0xffff, y = b >> 16 & 0xffff, z = c >> 16 & 0xffff;
            r |= one_half(operation, x, y, z, form) << 16;
        }
        d[i] = vector_pick(on[i], r, d[i]);
    }
}

// The plain forms are most; the others look at each step what they are.
#define HANDLER(name, operation)                                                                   \
    static const struct sim_instr *name##_run(struct sim_warp *warp,                               \
                                              const struct sim_instr *instr) {                     \
        if (instr->immediate & ~HALF_PACKED)                                                       \
            run(warp, instr, operation, instr->immediate);                                         \
        else                                                                                       \
            run(warp, instr, operation, 0);                                                        \
        return instr + 1;                                                                          \
    }                                                                                              \
    static const sim_handler name[2] = {name##_run, name##_run};

HANDLER(add_f16, ADD)
HANDLER(sub_f16, SUB)
HANDLER(mul_f16, MUL)
HANDLER(fma_f16, FMA)

// ---- bf16 ---------------------------------------------------------------------------------

static inline float bf16_operand(uint32_t h) {
    return num_f32_of_bf16((uint16_t)h);
}
static inline uint32_t bf16_sum(uint32_t a, uint32_t b) {
    return num_bf16_of_f32(bf16_operand(a) + bf16_operand(b));
}
static inline uint32_t bf16_difference(uint32_t a, uint32_t b) {
    return num_bf16_of_f32(bf16_operand(a) - bf16_operand(b));
}
static inline uint32_t bf16_product(uint32_t a, uint32_t b) {
    return num_bf16_of_f32(f32_odd((double)bf16_operand(a) * (double)bf16_operand(b)));
}

#define BF16_LANES2(name, operation)                                                               \
    LANES2(name, u16, u16, u16, operation(a, b))                                                   \
    LANES2(name##x2, u32, u32, u32, HALF_PACK(operation(a, b), operation(a >> 16, b >> 16)))
BF16_LANES2(add_bf16, bf16_sum)
BF16_LANES2(sub_bf16, bf16_difference)
BF16_LANES2(mul_bf16, bf16_product)

// For fma a half is the upper part of a word, whose bits are those of a float then.
struct bf16_form {
    int32_t a_sign, c_sign; // to be inverted
    int32_t cut,
        out_of_bounds; // -1: what is negative, or stands for what is out of bounds, is zero
};

static inline struct bf16_form bf16_form_of(uint32_t immediate) {
    return (struct bf16_form){
        .a_sign = immediate & HALF_MINUS_PRODUCT ? INT32_MIN : 0,
        .c_sign = immediate & HALF_MINUS_ADDEND ? INT32_MIN : 0,
        .cut = immediate & HALF_RELU ? -1 : 0,
        .out_of_bounds = immediate & HALF_OOB ? -1 : 0,
    };
}

static inline uint32_t bf16_in_double(uint32_t a, uint32_t b, uint32_t c, struct bf16_form form) {
    const float x = f32_from(a ^ (uint32_t)form.a_sign), z = f32_from(c ^ (uint32_t)form.c_sign);
    const double sum = f64_odd_sum((double)x * (double)f32_from(b), (double)z);
    const uint32_t r = num_bf16_of_f32(f32_odd(sum));
    const bool is_cut = form.cut && r & 0x8000;
    const bool is_out = form.out_of_bounds && IS_OUT_OF_BOUNDS(a >> 16, b >> 16);
    return is_cut || is_out ? 0 : r;
}

static __attribute__((noinline)) void fma_bf16_in_double(struct sim_warp *warp,
                                                         const struct sim_instr *instr) {
    LANES_OUT(u32)
    LANES_IN(u32, pa, 1)
    LANES_IN(u32, pb, 2)
    LANES_IN(u32, pc, 3)
    const struct bf16_form form = bf16_form_of(imm);
    const uint32_t upper = imm & HALF_PACKED ? 0xffff0000 : 0;
    _Alignas(64) uint32_t r[LANES];
    SIM_LANES
        r[l] = bf16_in_double(pa[l] << 16, pb[l] << 16, pc[l] << 16, form);
    if (upper) {
        SIM_LANES
            r[l] |= bf16_in_double(pa[l] & upper, pb[l] & upper, pc[l] & upper, form) << 16;
    }
    SIM_LANES
        d[l] = on[l] ? r[l] : d[l];
}

// In floats, as f16 has it. Adds to *inexact the lanes whose product is so small or so large that a
// float may not hold it.
LANES_INLINE vector_int bf16_in_float(vector_int a, vector_int b, vector_int c,
                                      struct bf16_form form, vector_int *inexact) {
    const vector_float x = (vector_float)(a ^ form.a_sign), y = (vector_float)b, product = x * y;
    const vector_int magnitude = (vector_int)product & 0x7fffffff;
    const vector_int is_extreme = (magnitude < 0x00800000) | ((vector_float)magnitude > 0x1p126f);
    *inexact |= is_extreme & (x != 0) & (y != 0);
    const vector_float sum = f32_odd_sum(product, (vector_float)(c ^ form.c_sign));
    const vector_int bits = (vector_int)sum;
    const vector_int rounded = (bits + 0x7fff + (bits >> 16 & 1)) & ~0xffff;
    const vector_int r = vector_pick(sum == sum, rounded, vector_all(HALF_NAN << 16));
    const vector_int is_out = IS_OUT_OF_BOUNDS(a >> 16, b >> 16);
    return r & ~((r < 0) & form.cut) & ~(is_out & form.out_of_bounds);
}

LANES_INLINE void fma_bf16_lanes(struct sim_warp *warp, const struct sim_instr *instr,
                                 struct bf16_form form) {
    const vector_int *pa = LANES_ALIGNED(const vector_int, instr->operand[1]);
    const vector_int *pb = LANES_ALIGNED(const vector_int, instr->operand[2]);
    const vector_int *pc = LANES_ALIGNED(const vector_int, instr->operand[3]);
    const vector_int *on = (const vector_int *)(const void *)warp->lanes;
    vector_int *d = LANES_ALIGNED(vector_int, instr->operand[0]);
    const bool is_packed = instr->immediate & HALF_PACKED;
    enum { VECTORS = LANES / VECTOR_LANES };
    vector_int r[VECTORS], inexact = {0};
    for (int i = 0; i < VECTORS; i++) {
        const vector_int a = pa[i], b = pb[i], c = pc[i];
        vector_int odd = {0};
        r[i] = bf16_in_float(a << 16, b << 16, c << 16, form, &odd) >> 16 & 0xffff;
        if (is_packed)
            r[i] |= bf16_in_float(a & ~0xffff, b & ~0xffff, c & ~0xffff, form, &odd);
        inexact |= odd & on[i];
    }
    if (__builtin_expect(vector_any(inexact), 0)) {
        fma_bf16_in_double(warp, instr);
        return;
    }
    for (int i = 0; i < VECTORS; i++)
        d[i] = vector_pick(on[i], r[i], d[i]);
}

static const struct sim_instr *fma_bf16_run(struct sim_warp *warp, const struct sim_instr *instr) {
    if (instr->immediate & ~(uint32_t)(HALF_PACKED | HALF_BF16))
        fma_bf16_lanes(warp, instr, bf16_form_of(instr->immediate));
    else
        fma_bf16_lanes(warp, instr, bf16_form_of(0));
    return instr + 1;
}
static const sim_handler fma_bf16[2] = {fma_bf16_run, fma_bf16_run};

// ---- Selection ----------------------------------------------------------------------------

// bf16 has no form but the plain one, and .relu with fma.
static bool use_form(struct sim_instr *out, const struct ir_instruction *ir, uint32_t allowed,
                     const sim_handler *f16, const sim_handler *bf16, const sim_handler *bf16x2) {
    const uint32_t type = ir_half_of(lanes_type(ir, 0));
    const uint32_t form = (PTX_HAS(ir->ptx, ftz) ? HALF_FTZ : 0) |
                          (PTX_HAS(ir->ptx, sat) ? HALF_SAT : 0) |
                          (PTX_HAS(ir->ptx, relu) ? HALF_RELU : 0);
    if (form & ~(type & HALF_BF16 ? allowed & HALF_RELU : allowed))
        return false;
    out->immediate |= form | type;
    if (type & HALF_BF16)
        return lanes_use(out, type & HALF_PACKED ? bf16x2 : bf16);
    return lanes_use(out, f16);
}

static bool select_contracted(struct sim_instr *out, const struct ir_instruction *ir) {
    out->immediate = (ir->negates_product ? HALF_MINUS_PRODUCT : 0) |
                     (ir->negates_addend ? HALF_MINUS_ADDEND : 0);
    return use_form(out, ir, HALF_FTZ | HALF_SAT, fma_f16, fma_bf16, fma_bf16);
}

LANES_SELECT(add_half) {
    if (ir->is_contracted)
        return select_contracted(out, ir);
    return use_form(out, ir, HALF_FTZ | HALF_SAT, add_f16, add_bf16, add_bf16x2);
}

LANES_SELECT(sub_half) {
    if (ir->is_contracted)
        return select_contracted(out, ir);
    return use_form(out, ir, HALF_FTZ | HALF_SAT, sub_f16, sub_bf16, sub_bf16x2);
}

LANES_SELECT(mul_half) {
    return use_form(out, ir, HALF_FTZ | HALF_SAT, mul_f16, mul_bf16, mul_bf16x2);
}

// .sat and .relu exclude each other.
LANES_SELECT(fma_half) {
    const uint32_t allowed = PTX_HAS(ir->ptx, relu) ? HALF_FTZ | HALF_RELU : HALF_FTZ | HALF_SAT;
    return use_form(out, ir, allowed, fma_f16, fma_bf16, fma_bf16);
}

LANES_SELECT(fma_half_oob) {
    out->immediate = HALF_OOB;
    return use_form(out, ir, HALF_RELU, fma_f16, fma_bf16, fma_bf16);
}
