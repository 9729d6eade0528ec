// What floating-point expressions of value.def and lane code share: bits, flushing, saturation,
// NaN.
//
// Single precision: a result that is NaN is 0x7fffffff, whatever the operands were. `ftz` flushes
// subnormal operands and results to zero and keeps the sign. `sat` clamps to [0, 1], NaN to +0.
#ifndef BANKRUN_IR_VALUE_FLOAT_H
#define BANKRUN_IR_VALUE_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

// Forms are constants, so that each becomes code of its own.
#define VALUE_INLINE static inline __attribute__((always_inline))

#define F32_NAN 0x7fffffffu

static inline uint32_t f32_bits(float x) {
    union {
        float value;
        uint32_t bits;
    } u = {.value = x};
    return u.bits;
}

static inline float f32_from(uint32_t bits) {
    union {
        uint32_t bits;
        float value;
    } u = {.bits = bits};
    return u.value;
}

static inline uint64_t f64_bits(double x) {
    union {
        double value;
        uint64_t bits;
    } u = {.value = x};
    return u.bits;
}

static inline double f64_from(uint64_t bits) {
    union {
        uint64_t bits;
        double value;
    } u = {.bits = bits};
    return u.value;
}

static inline float f32_flush(float x) {
    const uint32_t bits = f32_bits(x);
    return f32_from(bits & 0x7f800000 ? bits : bits & 0x80000000);
}

static inline float f32_canonical(float x) {
    return x == x ? x : f32_from(F32_NAN);
}

static inline float f32_saturate(float x) {
    const float low = x > 0 ? x : 0;
    return low < 1 ? low : 1;
}

// ---- Single precision ------------------------------------------------------------------------

// An operand of an instruction that flushes, or does not.
VALUE_INLINE float f32_operand(float x, bool ftz) {
    return ftz ? f32_flush(x) : x;
}

VALUE_INLINE float f32_result(float x, bool sat) {
    return sat ? f32_saturate(x) : f32_canonical(x);
}

// Arithmetic. The hardware flushes a result that is tiny after rounding to 24 bits with no limit of
// the exponent: a product just below 2^-126 is flushed although the nearest float is 2^-126. To see
// that, products are computed again with a factor of 2^32. A sum that is tiny is exact.
VALUE_INLINE float f32_flush_tiny(float x, bool is_tiny) {
    const uint32_t bits = f32_bits(x);
    return f32_from(is_tiny ? bits & 0x80000000 : bits);
}

static inline bool f32_is_tiny_scaled(float scaled) {
    return f32_from(f32_bits(scaled) & 0x7fffffff) < 0x1p-94f;
}

VALUE_INLINE float f32_add(float a, float b, bool ftz) {
    return f32_operand(f32_operand(a, ftz) + f32_operand(b, ftz), ftz);
}

VALUE_INLINE float f32_sub(float a, float b, bool ftz) {
    return f32_operand(f32_operand(a, ftz) - f32_operand(b, ftz), ftz);
}

VALUE_INLINE float f32_mul(float a, float b, bool ftz) {
    const float x = f32_operand(a, ftz), y = f32_operand(b, ftz);
    return ftz ? f32_flush_tiny(x * y, f32_is_tiny_scaled(x * 0x1p32f * y)) : x * y;
}

VALUE_INLINE float f32_fma(float a, float b, float c, bool ftz) {
    const float x = f32_operand(a, ftz), y = f32_operand(b, ftz), z = f32_operand(c, ftz);
    const float r = __builtin_fmaf(x, y, z);
    // Where the factor makes an operand overflow, the result is zero or far from tiny.
    const bool may_be_tiny = f32_from(f32_bits(r) & 0x7fffffff) <= 0x1p-126f;
    const float scaled = ftz ? __builtin_fmaf(x * 0x1p32f, y, z * 0x1p32f) : r;
    return ftz ? f32_flush_tiny(r, may_be_tiny & f32_is_tiny_scaled(scaled)) : r; // no jump
}

// A quotient of floats is never between the largest tiny number of 24 bits and 2^-126.
VALUE_INLINE float f32_div(float a, float b, bool ftz) {
    const float x = f32_operand(a, ftz), y = f32_operand(b, ftz);
    const float least = f32_from(f32_bits(y) & 0x7fffffff) * 0x1p-126f;
    return ftz ? f32_flush_tiny(x / y, f32_from(f32_bits(x) & 0x7fffffff) < least) : x / y;
}

// The next float towards zero, when `x` was rounded away from zero from `exact`.
static inline float f32_truncate(float x, double exact) {
    const float magnitude = f32_from(f32_bits(x) & 0x7fffffff);
    const bool away = (double)magnitude > (exact < 0 ? -exact : exact);
    return f32_from(f32_bits(x) - away);
}

// ---- Double precision ------------------------------------------------------------------------

// A result that is NaN because operands are has the payload of one of them,
// made quiet; any other NaN is 0xfff8000000000000. Which operand that is was read off an H200: of
// a + b, a - b and a * b it is b, of fma b, then c, then a, of a / b it is a.

static inline double f64_quiet(double nan) {
    return f64_from(f64_bits(nan) | 0x0008000000000000);
}

// Each takes what the host computed, and the operands. x86 gives the right NaN unless two operands
// are NaN.
static inline double f64_result1(double r, double a) {
#ifdef __SSE2__
    (void)a;
    return r;
#else
    const double other = r == r ? r : f64_from(0xfff8000000000000);
    return a == a ? other : f64_quiet(a);
#endif
}

static inline double f64_result2(double r, double a, double b) {
    return b == b ? f64_result1(r, a) : f64_quiet(b);
}

static inline double f64_quotient(double r, double a, double b) {
#ifdef __SSE2__
    (void)a, (void)b;
    return r;
#else
    return f64_result2(r, b, a);
#endif
}

static inline double f64_result3(double r, double a, double b, double c) {
    const double rc = c == c ? f64_result1(r, a) : f64_quiet(c);
    return b == b ? rc : f64_quiet(b);
}

// ---- Signs, minimum and maximum --------------------------------------------------------------

static inline float f32_with_sign(float x, uint32_t flip, uint32_t keep) {
    return f32_canonical(f32_from((f32_bits(x) & keep) ^ flip));
}

static inline double f64_with_sign(double x, uint64_t flip, uint64_t keep) {
    return x == x ? f64_from((f64_bits(x) & keep) ^ flip) : f64_quiet(x);
}

#define SIGN32 0x80000000u
#define SIGN64 0x8000000000000000ull
// Of the bits without the sign.
#define MAGNITUDE(a) ((a) << 1 >> 1)
#define INF32 0x7f800000u
#define LEAST32 0x00800000u
#define INF64 0x7ff0000000000000ull
#define LEAST64 0x0010000000000000ull

// Equal numbers have equal bits but for the signs of zeros: the minimum of zeros has either sign
// bit, the maximum has both.
static inline uint32_t f32_less(float a, float b, bool max) {
    const uint32_t x = f32_bits(a), y = f32_bits(b);
    const uint32_t equal = max ? x & y : x | y, first = max ? y : x, second = max ? x : y;
    return a < b ? first : a > b ? second : equal;
}

static inline uint64_t f64_less(double a, double b, bool max) {
    const uint64_t x = f64_bits(a), y = f64_bits(b);
    const uint64_t equal = max ? x & y : x | y, first = max ? y : x, second = max ? x : y;
    return a < b ? first : a > b ? second : equal;
}

// How minimum and maximum treat operands.
enum { PICK_FTZ = 1, PICK_NAN = 2, PICK_XOR = 4 };

VALUE_INLINE float f32_pick(float a, float b, bool max, int form) {
    const float p = f32_operand(a, form & PICK_FTZ), q = f32_operand(b, form & PICK_FTZ);
    const uint32_t magnitude = form & PICK_XOR ? 0x7fffffff : UINT32_MAX;
    const float x = f32_from(f32_bits(p) & magnitude), y = f32_from(f32_bits(q) & magnitude);
    const uint32_t less = f32_less(x, y, max);
    const uint32_t one_nan = x == x ? f32_bits(x) : f32_bits(y); // one of them is a NaN
    uint32_t r = x == x && y == y ? less : form & PICK_NAN ? F32_NAN : one_nan;
    r = (r & 0x7fffffff) > 0x7f800000 ? F32_NAN : r;
    const uint32_t sign = (f32_bits(p) ^ f32_bits(q)) & ~magnitude;
    return f32_from(r | (r == F32_NAN ? 0 : sign));
}

VALUE_INLINE float f32_pick3(float a, float b, float c, bool max, int form) {
    return f32_pick(f32_pick(a, b, max, form), c, max, form);
}

VALUE_INLINE float f32_pick3_abs(float a, float b, float c, bool max, int form) {
    return f32_pick3(f32_from(f32_bits(a) & 0x7fffffff), f32_from(f32_bits(b) & 0x7fffffff),
                     f32_from(f32_bits(c) & 0x7fffffff), max, form);
}

static inline double f64_pick(double a, double b, bool max) {
    const double less = f64_from(f64_less(a, b, max));
    const double of_a = b != b ? a : less, of_b = b != b ? f64_quiet(b) : b; // no jumps
    return a != a ? of_b : of_a;
}

#endif
