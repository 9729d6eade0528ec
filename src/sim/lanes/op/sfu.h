// The special function unit, which computes the approximate instructions. It is a table and a
// quadratic polynomial: leading bits of the operand pick a segment, the 17 bits X after them are
// the place in it, and the result is
//     value + slope * X + curvature * Q(X)
// in fixed point, cut to 24 bits. All this is exact here; what is lost is lost in Q and by the cut.
// The design follows Oberman and Siu, "A High-Performance Area-Efficient Multifunction
// Interpolator" (ARITH 2005); tables, units and special values were found by measuring an H200.
//
// No branches, so that loops over lanes become vectors. Subnormal operands count as zero and
// subnormal results are flushed, except where a function says otherwise; a NaN gives 0x7fffffff.
#ifndef BANKRUN_SIM_LANES_OP_SFU_H
#define BANKRUN_SIM_LANES_OP_SFU_H

#include "sim/lanes/op/float.h"
#include "sim/number/sfu_tables.h"

#define SFU_INF 0x7f800000u
#define SFU_SIGN 0x80000000u
#define SFU_FRACTION 0x007fffffu
#define SFU_ONE 0x3f800000u

// X * X / 2^19 from a folded array of partial products that lacks the columns below 2^19. Of X =
// H * 2^9 + L that leaves half of H * H, and of each bit of H its product with the bits of L that
// reach column 19.
static inline uint32_t sfu_square(uint32_t x) {
    const uint32_t h = x >> 9, l = x & 511;
    uint32_t q = h * h >> 1;
    for (unsigned a = 1; a < 8; a++)
        q += (0 - (h >> a & 1)) & l >> (9 - a);
    return q;
}

// The polynomial, counted in 2^-15 of a table's values: a slope has slope_unit of that, a curvature
// curvature_unit, and `extra` is what the hardware adds to round or to make up for cuts. No sum or
// product has more than 53 bits.
LANES_INLINE double sfu_interpolate(const struct sim_sfu_row *table, uint32_t segment, uint32_t x,
                                    double slope_unit, double curvature_unit, double extra) {
    const struct sim_sfu_row *row = table + segment;
    const double line = (double)row->slope * ((double)(int32_t)x * slope_unit);
    const double curve = (double)row->curvature * ((double)(int32_t)sfu_square(x) * curvature_unit);
    return (double)row->value * 0x1p15 + extra + line + curve;
}

// A number to 24 bits, towards zero.
static inline float sfu_cut(double x) {
    return (float)f64_from(f64_bits(x) & 0xffffffffe0000000);
}

// Where a condition holds, one value, else another: as arithmetic, since compilers would make
// branches of some conditions.
static inline uint32_t sfu_pick(bool condition, uint32_t then, uint32_t otherwise) {
    return otherwise ^ ((0 - (uint32_t)condition) & (then ^ otherwise));
}

static inline bool sfu_is_nan(uint32_t bits) {
    return (bits & ~SFU_SIGN) > SFU_INF;
}

// 1 / x for x in [1, 2), by the fraction of x: the bits of a float in (1/2, 1].
static inline uint32_t sfu_rcp_bits(uint32_t fraction) {
    const uint32_t x = fraction << 1 & 0x1ffff;
    return f32_bits(sfu_cut(sfu_interpolate(sim_sfu_rcp, fraction >> 16, x, 2, 4, 8092) * 0x1p-41));
}

static inline float sfu_rcp(float operand) {
    const uint32_t bits = f32_bits(operand), sign = bits & SFU_SIGN, magnitude = bits & ~SFU_SIGN;
    uint32_t r = sfu_rcp_bits(bits & SFU_FRACTION) + SFU_ONE - (magnitude & SFU_INF);
    r = sfu_pick(magnitude < 0x00800000, SFU_INF, r);
    r = sfu_pick(magnitude > 0x7e800000, 0, r); // less than 2^-126
    return f32_from(sfu_pick(sfu_is_nan(bits), F32_NAN, r | sign));
}

// Even powers of two have the first 64 segments of a table of roots, odd ones the others. Here
// and below, of the exponent only the last bit counts, which is 1 for even powers.
static inline uint32_t sfu_root_segment(uint32_t bits) {
    return (bits >> 17 & 127) ^ 64;
}

// The exponent's half, as it is added to the bits of a float.
static inline uint32_t sfu_root_exponent(uint32_t bits) {
    return (uint32_t)((int32_t)(bits - SFU_ONE) >> 24) << 23;
}

// 1 / sqrt(x) for x in [1, 4): the bits of a float in (1/2, 1]. Of 1 it is exact.
static inline uint32_t sfu_rsqrt_bits(uint32_t bits) {
    const double v =
        sfu_interpolate(sim_sfu_rsq, sfu_root_segment(bits), bits & 0x1ffff, 2, 8, 32766);
    return sfu_pick((bits & 0x00ffffff) == 0x00800000, SFU_ONE, f32_bits(sfu_cut(v * 0x1p-41)));
}

static inline float sfu_rsqrt(float operand) {
    const uint32_t bits = f32_bits(operand), sign = bits & SFU_SIGN, magnitude = bits & ~SFU_SIGN;
    uint32_t r = sfu_rsqrt_bits(bits) - sfu_root_exponent(magnitude);
    r = sfu_pick(magnitude == SFU_INF, 0, r);
    r = sfu_pick(sign != 0, F32_NAN, r);
    r = sfu_pick(magnitude < 0x00800000, SFU_INF | sign, r);
    return f32_from(sfu_pick(sfu_is_nan(bits), F32_NAN, r));
}

static inline float sfu_sqrt(float operand) {
    const uint32_t bits = f32_bits(operand), sign = bits & SFU_SIGN, magnitude = bits & ~SFU_SIGN;
    const double v =
        sfu_interpolate(sim_sfu_sqrt, sfu_root_segment(bits), bits & 0x1ffff, 1, 2, 32767);
    uint32_t r = f32_bits(sfu_cut(v * 0x1p-40)) + sfu_root_exponent(magnitude);
    r = sfu_pick(magnitude == SFU_INF, SFU_INF, r);
    r = sfu_pick(sign != 0, F32_NAN, r);
    r = sfu_pick(magnitude < 0x00800000, sign, r);
    return f32_from(sfu_pick(sfu_is_nan(bits), F32_NAN, r));
}

// The operand in fixed point, its fraction cut to 23 bits.
static inline float sfu_ex2(float operand) {
    const uint32_t bits = f32_bits(operand), magnitude = bits & ~SFU_SIGN;
    const uint32_t most = 0x43480000; // 200: far out of range
    const float in = f32_from((magnitude < most ? magnitude : most) | (bits & SFU_SIGN));
    const int32_t cut = (int32_t)(in * 0x1p23f);
    // A negative number's bits are inverted, and that less by a unit, unless it is an integer.
    const bool is_integer = (cut & (int32_t)SFU_FRACTION) == 0;
    const int32_t fixed = cut - (int32_t)(bits >> 31 & (uint32_t)!is_integer);
    const uint32_t fraction = (uint32_t)fixed & SFU_FRACTION;
    const double v = sfu_interpolate(sim_sfu_ex2, fraction >> 17, fraction & 0x1ffff, 4, 4, 24456);
    const int32_t exponent = fixed >> 23;
    uint32_t r = f32_bits(sfu_cut(v * 0x1p-40)) + ((uint32_t)exponent << 23);
    r = sfu_pick(exponent > 127, SFU_INF, r);
    r = sfu_pick(exponent < -126, 0, r);
    return f32_from(sfu_pick(sfu_is_nan(bits), F32_NAN, r));
}

// The exponent in front of the logarithm of the fraction, which is cut to 36 bits. Of a negative
// sum all bits are inverted, which is less than its magnitude by a unit.
static inline float sfu_lg2(float operand) {
    const uint32_t bits = f32_bits(operand), magnitude = bits & ~SFU_SIGN;
    const uint32_t fraction = bits & SFU_FRACTION;
    const double v = sfu_interpolate(sim_sfu_lg2, fraction >> 17, fraction & 0x1ffff, 8, 16, 6696);
    // Multiples of 1/4 cut to integers: rounding to nearest leaves none of the others halfway.
    const double cut = (v * 0x1p-5 - 0.375 + 0x1.8p52) - 0x1.8p52;
    const double sum = (double)((int32_t)(magnitude >> 23) - 127) * 0x1p36 + cut;
    const double inverted = sum < 0 ? sum + 1 : sum;
    uint32_t r = f32_bits(sfu_cut(inverted * 0x1p-36));
    r = sfu_pick(bits == SFU_ONE, 0, r);
    r = sfu_pick(bits == SFU_INF, SFU_INF, r);
    r = sfu_pick((bits & SFU_SIGN) != 0, F32_NAN, r);
    r = sfu_pick(magnitude < 0x00800000, SFU_INF | SFU_SIGN, r);
    return f32_from(sfu_pick(sfu_is_nan(bits), F32_NAN, r));
}

// The sine of turns, which are cut to 25 bits behind the point. The second and fourth quarters of a
// turn are mirrored, the latter two negative. `quarter` is added to the operand.
LANES_INLINE float sfu_sine(float turns, uint32_t quarter, uint32_t sign) {
    const uint32_t magnitude = f32_bits(turns) & ~SFU_SIGN;
    const float in = f32_from(sfu_pick(magnitude < 0x4b000000, magnitude, 0)); // a whole number
    const float fraction = in - (float)(int32_t)in;
    const uint32_t fixed = (uint32_t)(int32_t)(fraction * 0x1p25f) + (quarter << 23);
    const uint32_t place = (fixed ^ (0 - (fixed >> 23 & 1))) & SFU_FRACTION;
    const double v = sfu_interpolate(sim_sfu_sin, place >> 17, place & 0x1ffff, 16, 16, 0);
    const uint32_t r = f32_bits(sfu_cut(v * 0x1p-41)) | (sign ^ (fixed << 7 & SFU_SIGN));
    return f32_from(sfu_pick(magnitude >= SFU_INF, F32_NAN, r));
}

static inline float sfu_sin(float turns) {
    return sfu_sine(turns, 0, f32_bits(turns) & SFU_SIGN);
}

static inline float sfu_cos(float turns) {
    return sfu_sine(turns, 1, 0);
}

// Segments are fewer and wider the smaller the operand. Below 2^-8 the result is the operand, also
// a subnormal one.
static inline float sfu_tanh(float operand) {
    // By exponent, from -8 on: the first segment, and the bits of the fraction that are left out.
    static const int32_t first[16] = {0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43};
    static const int32_t dropped[16] = {6, 6, 6, 5, 5, 4, 4, 4, 3, 2, 3};
    const uint32_t bits = f32_bits(operand), magnitude = bits & ~SFU_SIGN;
    const uint32_t from = magnitude > 0x3b800000 ? magnitude : 0x3b800000;
    const uint32_t in = from < 0x40ffffff ? from : 0x40ffffff;
    const uint32_t exponent = (in >> 23) - 119;
    const uint32_t fraction = (in & SFU_FRACTION) >> dropped[exponent];
    const uint32_t segment = (uint32_t)first[exponent] + (fraction >> 17);
    const double v = sfu_interpolate(sim_sfu_tanh, segment, fraction & 0x1ffff, 4, 8, 0);
    uint32_t r = f32_bits(sfu_cut(v * 0x1p-41));
    r = sfu_pick(magnitude < 0x3b800000, magnitude, r);
    r = sfu_pick(magnitude >= 0x41000000, SFU_ONE, r);
    return f32_from(sfu_pick(sfu_is_nan(bits), F32_NAN, r | (bits & SFU_SIGN)));
}

// Results in 16 bits are cut from those in 32; half precision has subnormal numbers.
static inline uint32_t sfu_cut_bf16(float x) {
    return f32_bits(x) >> 16;
}

static inline uint32_t sfu_cut_f16(float x) {
    const uint32_t bits = f32_bits(x), magnitude = bits & ~SFU_SIGN;
    const uint32_t normal = (magnitude >> 13) - (112u << 10);
    const float small = f32_from(magnitude < 0x38800000 ? magnitude : 0); // below 2^-14
    uint32_t r = magnitude < 0x38800000 ? (uint32_t)(int32_t)(small * 0x1p24f) : normal;
    r = sfu_pick(magnitude >= 0x47800000, 0x7c00, r); // from 2^16 on
    return sfu_pick(sfu_is_nan(bits), 0x7fff, r | bits >> 31 << 15);
}

// Upper words of doubles: a fraction of 20 bits. The lower words count for nothing.
#define SFU_WIDE_INF 0x7ff00000u

static inline uint32_t sfu_wide_bits(uint32_t float_bits) {
    return (float_bits >> 3) + ((1023u - 127) << 20);
}

static inline uint32_t sfu_rcp_wide(uint32_t upper) {
    const uint32_t sign = upper & SFU_SIGN, magnitude = upper & ~SFU_SIGN;
    const uint32_t exponent = magnitude & SFU_WIDE_INF;
    uint32_t r = sfu_wide_bits(sfu_rcp_bits(upper << 3 & SFU_FRACTION)) + (1023u << 20) - exponent;
    r = sfu_pick(magnitude < 0x00100000, SFU_WIDE_INF, r);
    r = sfu_pick(magnitude > 0x7fd00000, 0, r); // less than 2^-1022
    return sfu_pick(magnitude > SFU_WIDE_INF, F32_NAN, r | sign);
}

static inline uint32_t sfu_rsqrt_wide(uint32_t upper) {
    const uint32_t sign = upper & SFU_SIGN, magnitude = upper & ~SFU_SIGN;
    const uint32_t half = (uint32_t)((int32_t)(magnitude - (1023u << 20)) >> 21) << 20;
    uint32_t r = sfu_wide_bits(sfu_rsqrt_bits(upper << 3)) - half;
    r = sfu_pick(magnitude == SFU_WIDE_INF, 0, r);
    r = sfu_pick(sign != 0, F32_NAN, r);
    r = sfu_pick(magnitude < 0x00100000, SFU_WIDE_INF | sign, r);
    return sfu_pick(magnitude > SFU_WIDE_INF, F32_NAN, r);
}

#endif
