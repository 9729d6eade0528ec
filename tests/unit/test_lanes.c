// Lane code: instructions on random and boundary operands, against references that compute the
// same in another way, bit by bit or with wider numbers. Every target machine that this processor
// can be, all lanes on and some lanes off.
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "sim/sim_internal.h"

__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

enum { THREADS = 256, BLOCKS = 8, ROWS = THREADS * BLOCKS };

typedef uint64_t (*reference)(uint64_t a, uint64_t b, uint64_t c, uint64_t e);

// `kinds`: destination, then sources: h 16, w 32, d 64 bits, s a shift amount, f and g floats of
// 32 and 64 bits, x a half; the destination's q is a predicate.
struct form {
    const char *text, *kinds;
    reference expected;
};

static unsigned bits_of(char kind) {
    return strchr("hx", kind) ? 16 : strchr("dg", kind) ? 64 : 32;
}

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
    return half_of_units(product + (units_of_half(c) << 24), is_zero_sum && both_negative);
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

// ---- All forms --------------------------------------------------------------------------------

static const struct form forms[] = {
    {"add.u64 %d, %a, %b", "ddd", add_64},
    {"add.s16 %d, %a, %b", "hhh", add_64},
    {"sub.sat.s32 %d, %a, %b", "www", sub_sat},
    {"add.u16x2 %d, %a, %b", "www", add_pairs},
    {"mul.hi.s64 %d, %a, %b", "ddd", mul_hi_s64},
    {"mad.wide.s32 %d, %a, %b, %c", "dwwd", mad_wide_s32},
    {"mad.hi.u32 %d, %a, %b, %c", "wwww", mad_hi_u32},
    {"mul24.hi.s32 %d, %a, %b", "www", mul24_hi_s32},
    {"div.s32 %d, %a, %b", "www", div_s32},
    {"rem.u32 %d, %a, %b", "www", rem_u32},
    {"rem.s64 %d, %a, %b", "ddd", rem_s64},
    {"div.s16 %d, %a, %b", "hhh", div_s16},
    {"popc.b64 %d, %a", "wd", count_ones},
    {"clz.b64 %d, %a", "wd", leading_zeros},
    {"brev.b32 %d, %a", "ww", reversed},
    {"bfind.s32 %d, %a", "ww", find_s32},
    {"bfe.s32 %d, %a, %b, %c", "wwss", bfe_s32},
    {"bfe.s64 %d, %a, %b, %c", "ddss", bfe_s64},
    {"bfe.u64 %d, %a, %b, %c", "ddss", bfe_u64},
    {"bfi.b32 %d, %a, %b, %c, %e", "wwwss", bfi_32},
    {"prmt.b32 %d, %a, %b, %c", "wwww", permuted},
    {"lop3.b32 %d, %a, %b, %c, 0x1e", "wwww", lop3_1e},
    {"lop3.b32 %d, %a, %b, %c, 0xca", "wwww", lop3_ca},
    {"shl.b32 %d, %a, %b", "wws", shl_32},
    {"shr.s64 %d, %a, %b", "dds", shr_s64},
    {"shf.l.wrap.b32 %d, %a, %b, %c", "wwws", funnel_left_wrap},
    {"dp4a.s32.u32 %d, %a, %b, %c", "wwww", dot_bytes},
    {"add.cc.u64 %t, %a, %c; addc.u64 %d, %b, %e", "ddddd", add_with_carry},
    {"add.f32 %d, %a, %b", "fff", add_rn},
    {"add.rm.f32 %d, %a, %b", "fff", add_rm},
    {"add.ftz.sat.f32 %d, %a, %b", "fff", add_ftz_sat},
    {"mul.rz.f32 %d, %a, %b", "fff", mul_rz},
    {"mul.ftz.f32 %d, %a, %b", "fff", mul_ftz},
    {"fma.rn.f32 %d, %a, %b, %c", "ffff", fma_rn},
    {"fma.rp.f32 %d, %a, %b, %c", "ffff", fma_rp},
    {"div.rn.f32 %d, %a, %b", "fff", div_rn},
    {"div.rz.f32 %d, %a, %b", "fff", div_rz},
    {"sqrt.rn.f32 %d, %a", "ff", sqrt_rn},
    {"sqrt.rp.f32 %d, %a", "ff", sqrt_rp},
    {"min.f32 %d, %a, %b", "fff", min_f32},
    {"max.f64 %d, %a, %b", "ggg", max_f64},
    {"setp.ltu.f32 %d, %a, %b", "qff", setp_ltu},
    {"cvt.rmi.s32.f32 %d, %a", "wf", s32_of_f32_rm},
    {"cvt.rni.u64.f64 %d, %a", "dg", u64_of_f64_rni},
    {"cvt.rp.f32.u64 %d, %a", "fd", f32_of_u64_rp},
    {"cvt.sat.s16.s64 %d, %a", "hd", s16_of_s64_sat},
    {"cvt.rz.f32.f64 %d, %a", "fg", f32_of_f64_rz},
    {"fma.rn.f16 %d, %a, %b, %c", "xxxx", fma_f16},
    {"cvt.rn.f16.f32 %d, %a", "xf", f16_of_f32_rn},
};

enum { FORMS = sizeof forms / sizeof *forms, OPERANDS = 4 };

// ---- Running them -----------------------------------------------------------------------------

static uint64_t state = 88172645463325252u;

static uint64_t random_bits(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static uint64_t boundary(char kind) {
    static const uint32_t singles[] = {0,          0x80000000, 1,          0x807fffff, 0x00800000,
                                       0x3f800000, 0xbf7fffff, 0x7f7fffff, 0x7f800000, 0xff800000,
                                       0x7fc00000, 0xff812345, 0x4f000000, 0xcf000000, 0x5f800000,
                                       0x3effffff, 0x40200000, 0x477fefff, 0x33000000, 0x33000001};
    static const uint16_t halves[] = {0,      0x8000, 1,      0x83ff, 0x0400, 0x3c00,
                                      0xbbff, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0xfd23};
    const uint64_t pick = random_bits();
    switch (kind) {
    case 'f':
        return singles[pick % (sizeof singles / sizeof *singles)];
    case 'g':
        return (uint64_t)singles[pick % (sizeof singles / sizeof *singles)] << 32 | (pick >> 60);
    case 'x':
        return halves[pick % (sizeof halves / sizeof *halves)];
    case 's':
        return pick % 5 == 0 ? pick >> 32 : pick % 67;
    default:
        return (pick & 1 ? UINT64_MAX : 0) + (uint64_t)(int64_t)((int)(pick >> 8 & 3) - 1) +
               ((pick & 2) ? UINT64_C(1) << (bits_of(kind) - 1) : 0);
    }
}

static uint64_t operand(char kind) {
    const uint64_t bits = random_bits() % 3 == 0 ? boundary(kind) : random_bits();
    // Half of the floats are numbers of ordinary size.
    if (kind == 'f' && random_bits() & 1)
        return (bits & 0x807fffff) | ((bits >> 32 & 31) + 112) << 23;
    if (kind == 'g' && random_bits() & 1)
        return (bits & 0x800fffffffffffff) | ((bits >> 52 & 127) + 960) << 52;
    const unsigned width = bits_of(kind);
    return width == 64 ? bits : bits & ((UINT64_C(1) << width) - 1);
}

static void append_kernel(struct strbuf *text, int n) {
    const struct form *f = &forms[n];
    const bool predicate = f->kinds[0] == 'q';
    const unsigned width = predicate ? 32 : bits_of(f->kinds[0]);
    strbuf_printf(text,
                  ".visible .entry k%d(.param .u64 in, .param .u64 out)\n{\n"
                  ".reg .pred %%on%s; .reg .b32 %%i, %%n, %%m; .reg .b64 %%in, %%out, %%at, %%r;\n"
                  "mov.u32 %%i, %%tid.x; mov.u32 %%n, %%ctaid.x; mad.lo.u32 %%i, %%n, %d, %%i;\n"
                  "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out];\n"
                  "mul.wide.u32 %%at, %%i, 32; add.u64 %%in, %%in, %%at;\n"
                  "mul.wide.u32 %%at, %%i, 16; add.u64 %%out, %%out, %%at;\n",
                  n, predicate ? ", %d" : "", THREADS);
    if (!predicate)
        strbuf_printf(text, ".reg .b%u %%d, %%t;\n", width);
    for (int s = 0; f->kinds[1 + s]; s++) {
        const unsigned bits = bits_of(f->kinds[1 + s]);
        strbuf_printf(text, ".reg .b%u %%%c; ld.global.u%u %%%c, [%%in+%d];\n", bits, "abce"[s],
                      bits, "abce"[s], 8 * s);
    }
    // Once for all lanes, once for those with bit 1 of their number set; the others keep 0x55.
    for (int masked = 0; masked < 2; masked++) {
        if (predicate)
            strbuf_printf(text, "setp.ne.u32 %%d, 0, 0;\n");
        else
            strbuf_printf(text, "mov.b%u %%d, 0x55;\n", width);
        if (masked)
            strbuf_printf(text, "and.b32 %%m, %%i, 2; setp.eq.u32 %%on, %%m, 0;\n@%%on bra END;\n");
        strbuf_printf(text, "%s;\n", f->text);
        if (masked)
            strbuf_printf(text, "END:\n");
        if (predicate)
            strbuf_printf(text, "selp.u64 %%r, 1, 0, %%d;\n");
        else
            strbuf_printf(text, width == 64 ? "mov.b64 %%r, %%d;\n" : "cvt.u64.u%u %%r, %%d;\n",
                          width);
        strbuf_printf(text, "st.global.u64 [%%out+%d], %%r;\n", 8 * masked);
    }
    strbuf_printf(text, "ret;\n}\n");
}

struct world {
    struct strbuf text;
    struct source source;
    struct diag_list diags;
    struct ptx_module *ptx;
    struct ir_module *ir;
};

static int set_up(void **context) {
    struct world *world = calloc(1, sizeof *world);
    strbuf_printf(&world->text, ".version 8.0\n.target sm_90\n.address_size 64\n");
    for (int n = 0; n < FORMS; n++)
        append_kernel(&world->text, n);
    world->source = (struct source){"forms.ptx", world->text.data, world->text.length};
    world->ptx = ptx_parse(&world->source, &world->diags);
    world->ir = world->diags.errors ? NULL : ir_build(world->ptx, &world->diags);
    diag_print(&world->diags, stderr, false);
    *context = world;
    return world->ir ? 0 : -1;
}

static int tear_down(void **context) {
    struct world *world = *context;
    ir_free(world->ir);
    ptx_module_free(world->ptx);
    diag_free(&world->diags);
    strbuf_free(&world->text);
    free(world);
    return 0;
}

static void check_form(int n, const uint64_t *in, const uint64_t *out) {
    const struct form *f = &forms[n];
    const bool predicate = f->kinds[0] == 'q';
    const unsigned width = bits_of(f->kinds[0]);
    const uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    for (int row = 0; row < ROWS; row++) {
        const uint64_t *o = in + (size_t)OPERANDS * (size_t)row;
        const uint64_t expected = f->expected(o[0], o[1], o[2], o[3]) & mask;
        const uint64_t kept = row & 2 ? expected : predicate ? 0 : 0x55;
        const uint64_t all = out[2 * row], some = out[2 * row + 1];
        if (all != expected || some != kept)
            fail_msg("%s of %llx %llx %llx %llx: expected %llx, got %llx; masked %llx, got %llx",
                     f->text, (unsigned long long)o[0], (unsigned long long)o[1],
                     (unsigned long long)o[2], (unsigned long long)o[3],
                     (unsigned long long)expected, (unsigned long long)all,
                     (unsigned long long)kept, (unsigned long long)some);
    }
}

static void run_target(const struct world *world, const struct sim_target *target) {
    const struct sim_config config = {.arch = 90, .threads = 1};
    struct sim *sim = sim_create(&config);
    sim->target = target;
    struct diag_list diags = {0};
    struct sim_module *module = sim_module_load(sim, world->ir, &diags);
    assert_non_null(module);
    uint64_t *in = sim_alloc(sim, ROWS * OPERANDS * sizeof *in, SIM_DEVICE);
    uint64_t *out = sim_alloc(sim, ROWS * 2 * sizeof *out, SIM_DEVICE);
    for (int n = 0; n < FORMS; n++) {
        char name[16];
        snprintf(name, sizeof name, "k%d", n);
        struct sim_kernel *kernel = sim_module_kernel(module, name, &diags);
        diag_print(&diags, stderr, false);
        assert_non_null(kernel);
        memset(in, 0, ROWS * OPERANDS * sizeof *in);
        for (int row = 0; row < ROWS; row++) {
            for (int s = 0; forms[n].kinds[1 + s]; s++)
                in[OPERANDS * row + s] = operand(forms[n].kinds[1 + s]);
        }
        const uint64_t parameters[] = {(uint64_t)(uintptr_t)in, (uint64_t)(uintptr_t)out};
        const struct sim_launch launch = {.grid = {BLOCKS, 1, 1},
                                          .block = {THREADS, 1, 1},
                                          .cluster = {1, 1, 1},
                                          .parameters = parameters};
        struct sim_result result = {0};
        sim_launch(kernel, &launch, &result);
        assert_int_equal(result.fault, SIM_OK);
        sim_result_free(&result);
        check_form(n, in, out);
    }
    sim_free(sim, in);
    sim_free(sim, out);
    sim_module_unload(module);
    sim_destroy(sim);
}

static void test_base(void **context) {
    run_target(*context, sim_target_base());
}

#if defined(__x86_64__)
static void test_avx2(void **context) {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        skip();
    run_target(*context, sim_target_avx2());
}

static void test_avx512(void **context) {
    if (!__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512vl"))
        skip();
    run_target(*context, sim_target_avx512());
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base),
#if defined(__x86_64__)
        cmocka_unit_test(test_avx2),
        cmocka_unit_test(test_avx512),
#endif
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
