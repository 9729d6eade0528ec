// Half-precision arithmetic: add, sub, mul, fma of f16, bf16 and packed pairs, rounded once.
#include "sim/lanes/op/half.h"

#include "sim/lanes/op/contract.h"

// ---- Sums that keep what they lose --------------------------------------------------------
//
// A sum in a wider format may be rounded to that format and then to the narrow one, and the first
// rounding must not make a tie of what was none. Rounding to odd does not: when the sum is not
// exact, the last bit of the wide result is one.

static inline float f32_odd_sum(float a, float b) {
    const float s = a + b, t = s - a, error = (a - (s - t)) + (b - t);
    const uint32_t bits = f32_bits(s);
    const bool inexact = error < 0 || error > 0, outwards = (error < 0) == (s < 0);
    const uint32_t odd = outwards ? bits + 1 : bits - 1;
    return f32_from(inexact && !(bits & 1) ? odd : bits);
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

// ---- One operation on halves --------------------------------------------------------------

enum { FTZ = 1, SAT = 2, RELU = 4 };

LANES_INLINE float f16_operand(uint32_t h, int form) {
    return num_f32_of_f16((uint16_t)(form & FTZ ? f16_flush(h) : h));
}

LANES_INLINE uint32_t half_relu(uint32_t h, bool is_nan) {
    return h & 0x8000 && !is_nan ? 0 : h;
}

LANES_INLINE uint32_t f16_result(float x, int form) {
    const uint32_t h = num_f16_of_f32(form & SAT ? f32_saturate(x) : x);
    // Flushed is what is below 2^-14 after rounding to 11 bits: below 2^-14 - 2^-26 before it.
    const bool is_tiny = f32_from(f32_bits(x) & 0x7fffffff) < 0x1.ffep-15f;
    const uint32_t flushed = form & FTZ && is_tiny ? h & 0x8000 : h;
    return form & RELU ? half_relu(flushed, f16_is_nan(flushed)) : flushed;
}

LANES_INLINE uint32_t bf16_result(float x, int form) {
    const uint32_t h = num_bf16_of_f32(x);
    return form & RELU ? half_relu(h, bf16_is_nan(h)) : h;
}

// A float has enough bits (2 * 11 + 2) for sums of halves to be rounded twice, and the product of
// two f16 is exact. That of two bf16 is too, but may be below what a float can hold.
LANES_INLINE uint32_t f16_add(uint32_t a, uint32_t b, int form) {
    return f16_result(f16_operand(a, form) + f16_operand(b, form), form);
}
LANES_INLINE uint32_t f16_sub(uint32_t a, uint32_t b, int form) {
    return f16_result(f16_operand(a, form) - f16_operand(b, form), form);
}
LANES_INLINE uint32_t f16_mul(uint32_t a, uint32_t b, int form) {
    return f16_result(f16_operand(a, form) * f16_operand(b, form), form);
}
LANES_INLINE uint32_t f16_fma(uint32_t a, uint32_t b, uint32_t c, int form) {
    const float product = f16_operand(a, form) * f16_operand(b, form);
    return f16_result(f32_odd_sum(product, f16_operand(c, form)), form);
}

static inline float bf16_operand(uint32_t h) {
    return num_f32_of_bf16((uint16_t)h);
}
static inline uint32_t bf16_add(uint32_t a, uint32_t b) {
    return num_bf16_of_f32(bf16_operand(a) + bf16_operand(b));
}
static inline uint32_t bf16_sub(uint32_t a, uint32_t b) {
    return num_bf16_of_f32(bf16_operand(a) - bf16_operand(b));
}
static inline uint32_t bf16_mul(uint32_t a, uint32_t b) {
    return num_bf16_of_f32(f32_odd((double)bf16_operand(a) * (double)bf16_operand(b)));
}
LANES_INLINE uint32_t bf16_fma(uint32_t a, uint32_t b, uint32_t c, int form) {
    const double product = (double)bf16_operand(a) * (double)bf16_operand(b);
    return bf16_result(f32_odd(f64_odd_sum(product, (double)bf16_operand(c))), form);
}

// .oob: where one of a, b is the NaN that stands for what lies out of bounds, the result is zero.
// Which NaN that is was read off an H200; it has either sign and is the same for both types.
static inline bool is_out_of_bounds(uint32_t a, uint32_t b) {
    return (a & 0x7fff) == 0x7ff7 || (b & 0x7fff) == 0x7ff7;
}

LANES_INLINE uint32_t f16_fma_oob(uint32_t a, uint32_t b, uint32_t c, int form) {
    return is_out_of_bounds(a, b) ? 0 : f16_fma(a, b, c, form);
}
LANES_INLINE uint32_t bf16_fma_oob(uint32_t a, uint32_t b, uint32_t c, int form) {
    return is_out_of_bounds(a, b) ? 0 : bf16_fma(a, b, c, form);
}

// ---- Handlers -----------------------------------------------------------------------------

#define ADD_0(x, y) f16_add(x, y, 0)
#define ADD_1(x, y) f16_add(x, y, 1)
#define ADD_2(x, y) f16_add(x, y, 2)
#define ADD_3(x, y) f16_add(x, y, 3)
#define SUB_0(x, y) f16_sub(x, y, 0)
#define SUB_1(x, y) f16_sub(x, y, 1)
#define SUB_2(x, y) f16_sub(x, y, 2)
#define SUB_3(x, y) f16_sub(x, y, 3)
#define MUL_0(x, y) f16_mul(x, y, 0)
#define MUL_1(x, y) f16_mul(x, y, 1)
#define MUL_2(x, y) f16_mul(x, y, 2)
#define MUL_3(x, y) f16_mul(x, y, 3)
#define FMA_0(x, y, z) f16_fma(x, y, z, 0)
#define FMA_1(x, y, z) f16_fma(x, y, z, 1)
#define FMA_2(x, y, z) f16_fma(x, y, z, 2)
#define FMA_3(x, y, z) f16_fma(x, y, z, 3)
#define FMA_4(x, y, z) f16_fma(x, y, z, 4)
#define FMA_5(x, y, z) f16_fma(x, y, z, 5)
#define FMA_BF16(x, y, z) bf16_fma(x, y, z, 0)
#define FMA_BF16_RELU(x, y, z) bf16_fma(x, y, z, RELU)
#define OOB(x, y, z) f16_fma_oob(x, y, z, 0)
#define OOB_RELU(x, y, z) f16_fma_oob(x, y, z, RELU)
#define OOB_BF16(x, y, z) bf16_fma_oob(x, y, z, 0)
#define OOB_BF16_RELU(x, y, z) bf16_fma_oob(x, y, z, RELU)

HALF_LANES2(add_0, ADD_0)
HALF_LANES2(add_1, ADD_1)
HALF_LANES2(add_2, ADD_2)
HALF_LANES2(add_3, ADD_3)
HALF_LANES2(sub_0, SUB_0)
HALF_LANES2(sub_1, SUB_1)
HALF_LANES2(sub_2, SUB_2)
HALF_LANES2(sub_3, SUB_3)
HALF_LANES2(mul_0, MUL_0)
HALF_LANES2(mul_1, MUL_1)
HALF_LANES2(mul_2, MUL_2)
HALF_LANES2(mul_3, MUL_3)
HALF_LANES3(fma_0, FMA_0)
HALF_LANES3(fma_1, FMA_1)
HALF_LANES3(fma_2, FMA_2)
HALF_LANES3(fma_3, FMA_3)
HALF_LANES3(fma_4, FMA_4)
HALF_LANES3(fma_5, FMA_5)
HALF_LANES2(add_bf16, bf16_add)
HALF_LANES2(sub_bf16, bf16_sub)
HALF_LANES2(mul_bf16, bf16_mul)
HALF_LANES3(fma_bf16, FMA_BF16)
HALF_LANES3(fma_bf16_relu, FMA_BF16_RELU)
HALF_LANES3(oob, OOB)
HALF_LANES3(oob_relu, OOB_RELU)
HALF_LANES3(oob_bf16, OOB_BF16)
HALF_LANES3(oob_bf16_relu, OOB_BF16_RELU)

// Sums of a product and an addend that the IR contracted; a sign is a bit.
#define NEGATED(h) ((h) ^ 0x8000u)
#define CONTRACTED(form)                                                                           \
    HALF_LANES3(rest_##form, REST_##form)                                                          \
    HALF_LANES3(less_##form, LESS_##form)                                                          \
    HALF_LANES3(minus_##form, MINUS_##form)
#define REST_0(x, y, z) f16_fma(NEGATED(x), y, z, 0)
#define REST_1(x, y, z) f16_fma(NEGATED(x), y, z, 1)
#define REST_2(x, y, z) f16_fma(NEGATED(x), y, z, 2)
#define REST_3(x, y, z) f16_fma(NEGATED(x), y, z, 3)
#define REST_BF16(x, y, z) bf16_fma(NEGATED(x), y, z, 0)
#define LESS_0(x, y, z) f16_fma(x, y, NEGATED(z), 0)
#define LESS_1(x, y, z) f16_fma(x, y, NEGATED(z), 1)
#define LESS_2(x, y, z) f16_fma(x, y, NEGATED(z), 2)
#define LESS_3(x, y, z) f16_fma(x, y, NEGATED(z), 3)
#define LESS_BF16(x, y, z) bf16_fma(x, y, NEGATED(z), 0)
#define MINUS_0(x, y, z) f16_fma(NEGATED(x), y, NEGATED(z), 0)
#define MINUS_1(x, y, z) f16_fma(NEGATED(x), y, NEGATED(z), 1)
#define MINUS_2(x, y, z) f16_fma(NEGATED(x), y, NEGATED(z), 2)
#define MINUS_3(x, y, z) f16_fma(NEGATED(x), y, NEGATED(z), 3)
#define MINUS_BF16(x, y, z) bf16_fma(NEGATED(x), y, NEGATED(z), 0)
CONTRACTED(0)
CONTRACTED(1)
CONTRACTED(2)
CONTRACTED(3)
CONTRACTED(BF16)

static int form(const struct ir_instruction *ir) {
    return (PTX_HAS(ir->ptx, ftz) ? FTZ : 0) | (PTX_HAS(ir->ptx, sat) ? SAT : 0) |
           (PTX_HAS(ir->ptx, relu) ? RELU : 0);
}

// `f16` has a pair of f16 and one of f16x2 for each form; bf16 has no form but the plain one.
static bool use_form(struct sim_instr *out, const struct ir_instruction *ir,
                     const sim_handler *const f16[][2], int forms, const sim_handler *bf16,
                     const sim_handler *bf16x2) {
    const int wanted = form(ir);
    if (wanted >= forms)
        return false;
    switch (lanes_type(ir, 0)) {
    case PTX_F16:
        return lanes_use(out, f16[wanted][0]);
    case PTX_F16X2:
        return lanes_use(out, f16[wanted][1]);
    case PTX_BF16:
        return lanes_use(out, wanted ? NULL : bf16);
    case PTX_BF16X2:
        return lanes_use(out, wanted ? NULL : bf16x2);
    default:
        return false;
    }
}

static bool select_contracted(struct sim_instr *out, const struct ir_instruction *ir) {
#define FORMS(name)                                                                                \
    {                                                                                              \
        {name##_0, name##_0_x2}, {name##_1, name##_1_x2}, {name##_2, name##_2_x2}, {               \
            name##_3, name##_3_x2                                                                  \
        }                                                                                          \
    }
    static const sim_handler *const f16[][4][2] = {FORMS(fma), FORMS(rest), FORMS(less),
                                                   FORMS(minus)};
    static const sim_handler *const bf16[][2] = {{fma_bf16, fma_bf16_x2},
                                                 {rest_BF16, rest_BF16_x2},
                                                 {less_BF16, less_BF16_x2},
                                                 {minus_BF16, minus_BF16_x2}};
    const unsigned signs = contract_signs(ir);
    return use_form(out, ir, f16[signs], 4, bf16[signs][0], bf16[signs][1]);
}

LANES_SELECT(add_half) {
    if (ir->is_contracted)
        return select_contracted(out, ir);
    static const sim_handler *const f16[][2] = {
        {add_0, add_0_x2}, {add_1, add_1_x2}, {add_2, add_2_x2}, {add_3, add_3_x2}};
    return use_form(out, ir, f16, 4, add_bf16, add_bf16_x2);
}

LANES_SELECT(sub_half) {
    if (ir->is_contracted)
        return select_contracted(out, ir);
    static const sim_handler *const f16[][2] = {
        {sub_0, sub_0_x2}, {sub_1, sub_1_x2}, {sub_2, sub_2_x2}, {sub_3, sub_3_x2}};
    return use_form(out, ir, f16, 4, sub_bf16, sub_bf16_x2);
}

LANES_SELECT(mul_half) {
    static const sim_handler *const f16[][2] = {
        {mul_0, mul_0_x2}, {mul_1, mul_1_x2}, {mul_2, mul_2_x2}, {mul_3, mul_3_x2}};
    return use_form(out, ir, f16, 4, mul_bf16, mul_bf16_x2);
}

LANES_SELECT(fma_half) {
    static const sim_handler *const f16[][2] = {{fma_0, fma_0_x2}, {fma_1, fma_1_x2},
                                                {fma_2, fma_2_x2}, {fma_3, fma_3_x2},
                                                {fma_4, fma_4_x2}, {fma_5, fma_5_x2}};
    if (form(ir) == RELU && lanes_type(ir, 0) == PTX_BF16)
        return lanes_use(out, fma_bf16_relu);
    if (form(ir) == RELU && lanes_type(ir, 0) == PTX_BF16X2)
        return lanes_use(out, fma_bf16_relu_x2);
    return use_form(out, ir, f16, 6, fma_bf16, fma_bf16_x2);
}

LANES_SELECT(fma_half_oob) {
    const bool relu = PTX_HAS(ir->ptx, relu);
    switch (lanes_type(ir, 0)) {
    case PTX_F16:
        return lanes_use(out, relu ? oob_relu : oob);
    case PTX_F16X2:
        return lanes_use(out, relu ? oob_relu_x2 : oob_x2);
    case PTX_BF16:
        return lanes_use(out, relu ? oob_bf16_relu : oob_bf16);
    default:
        return lanes_use(out, relu ? oob_bf16_relu_x2 : oob_bf16_x2);
    }
}
