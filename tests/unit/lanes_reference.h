// References for lane code: each computes an instruction's result bit by bit, with wider numbers,
// or with the host's rounding modes. Included by test_lanes.c alone.
#ifndef BANKRUN_TESTS_LANES_REFERENCE_H
#define BANKRUN_TESTS_LANES_REFERENCE_H

#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

// What an instruction is to give for these operands; bits above the type do not matter.
#define REF(name) static uint64_t name(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
#define UNUSED (void)a, (void)b, (void)c, (void)e

// ---- Integers -------------------------------------------------------------------------------

REF(add_64) {
    UNUSED;
    return a + b;
}

REF(sub_sat) {
    UNUSED;
    int64_t r = (int64_t)(int32_t)a - (int32_t)b;
    return (uint32_t)(r > INT32_MAX ? INT32_MAX : r < INT32_MIN ? INT32_MIN : r);
}

REF(add_pairs) {
    UNUSED;
    return ((a + b) & 0xffff) | ((a >> 16) + (b >> 16)) << 16;
}

REF(mul_hi_s64) {
    UNUSED;
    return (uint64_t)((int128)(int64_t)a * (int64_t)b >> 64);
}

REF(mad_wide_s32) {
    UNUSED;
    return (uint64_t)((int64_t)(int32_t)a * (int32_t)b) + c;
}

REF(mad_hi_u32) {
    UNUSED;
    return (uint32_t)(a * b >> 32) + (uint32_t)c;
}

REF(mul24_hi_s32) {
    UNUSED;
    int64_t x = (int64_t)(a << 40) >> 40, y = (int64_t)(b << 40) >> 40;
    return (uint32_t)(x * y >> 16);
}

REF(div_s32) {
    UNUSED;
    return b == 0 ? UINT32_MAX : (uint32_t)((int64_t)(int32_t)a / (int32_t)b);
}

REF(rem_u32) {
    UNUSED;
    return b == 0 ? UINT32_MAX : a % b;
}

REF(rem_s64) {
    UNUSED;
    return b == 0 ? UINT64_MAX : (uint64_t)((int128)(int64_t)a % (int64_t)b);
}

REF(div_s16) {
    UNUSED;
    return b == 0 ? UINT16_MAX : (uint64_t)((int16_t)a / (int16_t)b);
}

REF(count_ones) {
    UNUSED;
    unsigned n = 0;
    for (; a; a &= a - 1)
        n++;
    return n;
}

REF(leading_zeros) {
    UNUSED;
    unsigned n = 0;
    while (n < 64 && !(a >> (63 - n) & 1))
        n++;
    return n;
}

REF(reversed) {
    UNUSED;
    uint64_t r = 0;
    for (int i = 0; i < 32; i++)
        r |= (a >> i & 1) << (31 - i);
    return r;
}

REF(find_s32) {
    UNUSED;
    uint32_t x = (int32_t)a < 0 ? ~(uint32_t)a : (uint32_t)a;
    for (uint32_t i = 32; i-- > 0;) {
        if (x >> i & 1)
            return i;
    }
    return UINT32_MAX;
}

static uint64_t field(uint64_t a, uint64_t position, uint64_t length, unsigned width, bool sign) {
    const uint64_t top = width - 1;
    const uint64_t last = position + length - 1 < top ? position + length - 1 : top;
    const bool fill = sign && length && a >> (position > top ? top : last) & 1;
    uint64_t r = 0;
    for (uint64_t i = 0; i < width; i++) {
        const bool inside = i < length && position + i <= top;
        r |= (uint64_t)(inside ? a >> (position + i) & 1 : fill) << i;
    }
    return r;
}

REF(bfe_s32) {
    UNUSED;
    return field(a, b & 0xff, c & 0xff, 32, true);
}

REF(bfe_s64) {
    UNUSED;
    return field(a, b, c, 64, true);
}

REF(bfe_u64) {
    UNUSED;
    return field(a, b, c, 64, false);
}

REF(bfi_32) {
    UNUSED;
    const uint64_t position = c & 0xff, length = e & 0xff;
    for (uint64_t i = 0; i < length && position + i < 32; i++)
        b = (b & ~(UINT64_C(1) << (position + i))) | (a >> i & 1) << (position + i);
    return b;
}

REF(permuted) {
    UNUSED;
    const uint64_t all = b << 32 | a;
    uint64_t r = 0;
    for (int i = 0; i < 4; i++) {
        const uint64_t s = c >> (4 * i) & 15, byte = all >> (8 * (s & 7)) & 0xff;
        r |= (s & 8 ? (byte & 0x80 ? 0xff : 0) : byte) << (8 * i);
    }
    return r;
}

static uint64_t table_lookup(unsigned table, uint64_t a, uint64_t b, uint64_t c) {
    uint64_t r = 0;
    for (int i = 0; i < 32; i++) {
        const uint64_t at = (a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1);
        r |= (uint64_t)(table >> at & 1) << i;
    }
    return r;
}

REF(lop3_1e) {
    UNUSED;
    return table_lookup(0x1e, a, b, c);
}

REF(lop3_ca) {
    UNUSED;
    return table_lookup(0xca, a, b, c);
}

REF(shl_32) {
    UNUSED;
    return b > 31 ? 0 : a << b;
}

REF(shr_s64) {
    UNUSED;
    return (uint64_t)((int64_t)a >> (b > 63 ? 63 : b));
}

REF(funnel_left_wrap) {
    UNUSED;
    return (b << 32 | a) << (c & 31) >> 32;
}

REF(dot_bytes) {
    UNUSED;
    int64_t r = (int32_t)c;
    for (int i = 0; i < 4; i++)
        r += (int8_t)(a >> (8 * i)) * (int64_t)(uint8_t)(b >> (8 * i));
    return (uint64_t)r;
}

REF(add_with_carry) {
    UNUSED;
    const uint128 sum = ((uint128)b << 64 | a) + ((uint128)e << 64 | c);
    return (uint64_t)(sum >> 64);
}

// ---- Floating point -------------------------------------------------------------------------

static float f32_of(uint64_t bits) {
    uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, 4);
    return x;
}

static uint64_t of_f32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return isnan(x) ? 0x7fffffff : bits;
}

static double f64_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

static float flushed(float x) {
    return fpclassify(x) == FP_SUBNORMAL ? copysignf(0, x) : x;
}

enum { ADD, MUL, FMA, DIV, SQRT };

static float compute(int operation, int mode, float x, float y, float z) {
    volatile float a = x, b = y, c = z, r;
    fesetround(mode);
    switch (operation) {
    case ADD:
        r = a + b;
        break;
    case MUL:
        r = a * b;
        break;
    case FMA:
        r = fmaf(a, b, c);
        break;
    case DIV:
        r = a / b;
        break;
    default:
        r = sqrtf(a);
    }
    fesetround(FE_TONEAREST);
    return r;
}

#define F32(name, operation, mode)                                                                 \
    REF(name) {                                                                                    \
        UNUSED;                                                                                    \
        return of_f32(compute(operation, mode, f32_of(a), f32_of(b), f32_of(c)));                  \
    }
F32(add_rn, ADD, FE_TONEAREST)
F32(add_rm, ADD, FE_DOWNWARD)
F32(mul_rz, MUL, FE_TOWARDZERO)
F32(fma_rn, FMA, FE_TONEAREST)
F32(fma_rp, FMA, FE_UPWARD)
F32(div_rn, DIV, FE_TONEAREST)
F32(div_rz, DIV, FE_TOWARDZERO)
F32(sqrt_rn, SQRT, FE_TONEAREST)
F32(sqrt_rp, SQRT, FE_UPWARD)

REF(add_ftz_sat) {
    UNUSED;
    const float r = flushed(flushed(f32_of(a)) + flushed(f32_of(b)));
    return of_f32(isnan(r) || r <= 0 ? 0 : r > 1 ? 1 : r);
}

// The exact product is a double; what is tiny has to be seen before it is rounded to a float.
REF(mul_ftz) {
    UNUSED;
    const double exact = (double)flushed(f32_of(a)) * flushed(f32_of(b));
    const bool is_tiny = fabs(exact) < 0x1p-126 * (1 - 0x1p-25);
    return of_f32(is_tiny ? copysignf(0, (float)exact) : (float)exact);
}

REF(min_f32) {
    UNUSED;
    const float x = f32_of(a), y = f32_of(b);
    if (isnan(x) || isnan(y))
        return of_f32(isnan(x) ? y : x);
    if (x == y)
        return signbit(x) ? a : b;
    return x < y ? a : b;
}

REF(setp_ltu) {
    UNUSED;
    return !(f32_of(a) >= f32_of(b));
}

REF(max_f64) {
    UNUSED;
    const double x = f64_of(a), y = f64_of(b);
    const uint64_t quiet = UINT64_C(1) << 51;
    if (isnan(x) && isnan(y))
        return b | quiet;
    if (isnan(x) || isnan(y))
        return isnan(x) ? b : a;
    if (x == y)
        return signbit(x) ? b : a;
    return x > y ? a : b;
}

// ---- Conversions ----------------------------------------------------------------------------

REF(s32_of_f32_rm) {
    UNUSED;
    const double x = floor(f32_of(a));
    if (isnan(x))
        return 0;
    return (uint32_t)(x >= 0x1p31 ? INT32_MAX : x < -0x1p31 ? INT32_MIN : (int32_t)x);
}

REF(u64_of_f64_rni) {
    UNUSED;
    const double x = rint(f64_of(a));
    if (isnan(x))
        return UINT64_C(1) << 63;
    return x >= 0x1p64 ? UINT64_MAX : x <= 0 ? 0 : (uint64_t)x;
}

REF(f32_of_u64_rp) {
    UNUSED;
    float r = (float)a;
    // One float further where that is below: compared as integers, of which 2^64 is the largest.
    if (r < 0x1p64f && (uint64_t)r < a)
        r = nextafterf(r, INFINITY);
    return of_f32(r);
}

REF(s16_of_s64_sat) {
    UNUSED;
    const int64_t x = (int64_t)a;
    return (uint16_t)(x > INT16_MAX ? INT16_MAX : x < INT16_MIN ? INT16_MIN : x);
}

REF(f32_of_f64_rz) {
    UNUSED;
    const double x = f64_of(a);
    if (isnan(x)) { // keeps the upper bits of the payload
        return (a >> 32 & 0x80000000) | 0x7fc00000 | (a >> 29 & 0x3fffff);
    }
    volatile double source = x;
    fesetround(FE_TOWARDZERO);
    volatile float r = (float)source;
    fesetround(FE_TONEAREST);
    return of_f32(r);
}

// Halves: numbers are multiples of 2^-24, and products of 2^-48, of which 128 bits hold any.
static int128 units_of_half(uint64_t h) {
    const int exponent = (int)(h >> 10 & 31);
    const int128 fraction = (h & 0x3ff) + (exponent ? 0x400 : 0);
    const int128 units = fraction << (exponent ? exponent - 1 : 0);
    return h & 0x8000 ? -units : units;
}

static uint64_t half_of_units(int128 units, bool negative_zero) {
    if (units == 0)
        return negative_zero ? 0x8000 : 0;
    const uint64_t sign = units < 0 ? 0x8000 : 0;
    uint128 rest = (uint128)(units < 0 ? -units : units); // of 2^-48
    int shift = 24;                                       // to multiples of 2^-24
    while (rest >> shift >> 11)
        shift++;
    uint128 kept = rest >> shift, lost = rest - (kept << shift), half = (uint128)1 << (shift - 1);
    kept += lost > half || (lost == half && (kept & 1));
    // A carry into the next power of two carries into the exponent, too.
    const uint64_t bits = (uint64_t)kept + ((uint64_t)(shift - 24) << 10);
    return sign | (bits > 0x7c00 ? 0x7c00 : bits);
}

static bool half_is_finite(uint64_t h) {
    return (h & 0x7c00) != 0x7c00;
}

REF(fma_f16) {
    UNUSED;
    if (!half_is_finite(a) || !half_is_finite(b) || !half_is_finite(c)) {
        const bool nan = (a & 0x7fff) > 0x7c00 || (b & 0x7fff) > 0x7c00 || (c & 0x7fff) > 0x7c00;
        const bool wild = !half_is_finite(a) || !half_is_finite(b);
        const bool zero = !(a & 0x7fff) || !(b & 0x7fff);
        const uint64_t sign = (a ^ b) & 0x8000;
        if (nan || (wild && zero) || (wild && !half_is_finite(c) && sign != (c & 0x8000)))
            return 0x7fff;
        return wild ? sign | 0x7c00 : c;
    }
    const int128 product = units_of_half(a) * units_of_half(b);
    const bool both_negative = (a ^ b) & c & 0x8000;
    const bool is_zero_sum = product == 0 && units_of_half(c) == 0;
    return half_of_units(product + units_of_half(c) * (1 << 24), is_zero_sum && both_negative);
}

REF(f16_of_f32_rn) {
    UNUSED;
    const float x = f32_of(a);
    if (isnan(x))
        return 0x7fff;
    if (fabsf(x) >= 65536)
        return (signbit(x) ? 0x8000 : 0) | 0x7c00;
    // Far below the least half nothing but the sign matters.
    const int128 units = fabsf(x) < 0x1p-27f ? 0 : (int128)ldexp(x, 52);
    return half_of_units(units / 16 | (units % 16 != 0), signbit(x)) | (signbit(x) ? 0x8000 : 0);
}

#endif
