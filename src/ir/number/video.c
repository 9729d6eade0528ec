#include "ir/number/video.h"

static int64_t extend(uint32_t value, unsigned bits, bool is_signed) {
    const unsigned unused = 32 - bits;
    const uint32_t high = value << unused;
    return is_signed ? (int64_t)((int32_t)high >> unused) : (int64_t)(high >> unused);
}

// The lane's part of {b, a}: a holds the lower ones.
static int64_t part_of(const struct video_part *part, unsigned lane, bool is_signed, uint32_t a,
                       uint32_t b) {
    const unsigned in_one = 32u / part->bits, index = part->index[lane];
    const uint32_t word = index < in_one ? a : b;
    return extend(word >> (index % in_one * part->bits), part->bits, is_signed);
}

static int64_t clamp(int64_t x, unsigned bits, bool is_signed) {
    const int64_t most = is_signed ? (INT64_C(1) << (bits - 1)) - 1 : (INT64_C(1) << bits) - 1;
    const int64_t least = is_signed ? -most - 1 : 0;
    return x < least ? least : x > most ? most : x;
}

static int64_t compute(const struct video *v, int64_t a, int64_t b) {
    const uint32_t amount = (uint32_t)b;
    const unsigned shift = v->wrap ? amount & 31 : amount > 32 ? 32 : amount;
    switch (v->operation) {
    case VIDEO_ADD:
        return a + b;
    case VIDEO_SUB:
        return a - b;
    case VIDEO_AVERAGE:
        return (a + b + (a + b >= 0)) >> 1;
    case VIDEO_ABSDIFF:
        return a > b ? a - b : b - a;
    case VIDEO_MIN:
        return a < b ? a : b;
    case VIDEO_MAX:
        return a > b ? a : b;
    case VIDEO_SHL:
        return (int64_t)((uint64_t)a << shift);
    case VIDEO_SHR:
        return a >> shift;
    case VIDEO_EQ:
        return a == b;
    case VIDEO_NE:
        return a != b;
    case VIDEO_LT:
        return a < b;
    case VIDEO_LE:
        return a <= b;
    case VIDEO_GT:
        return a > b;
    default:
        return a >= b;
    }
}

// Puts the low bits of a result at a part's place in c.
static uint32_t merge(uint32_t c, uint32_t result, unsigned bits, unsigned part) {
    const uint32_t place = (UINT32_MAX >> (32 - bits)) << (part * bits);
    return (c & ~place) | (result << (part * bits) & place);
}

// ---- Scalar instructions ------------------------------------------------------------------------
//
// 9.0 has no unit for them. What follows is what the driver's code generator makes of them out of
// ordinary instructions on 64 bits, read off an H200; here and there it is not what the PTX ISA
// says. See docs/accuracy.md.

// Factors of 32 bits and c are taken as signed numbers, whatever their types.
static uint32_t multiply_add(const struct video *v, int64_t a, int64_t b, uint32_t c) {
    const bool is_signed = v->a_signed || v->b_signed || v->negate_ab || v->negate_c;
    const uint64_t product = (uint64_t)((int64_t)(int32_t)a * (int32_t)b);
    uint64_t sum = (v->negate_ab ? ~product : product);
    sum += (uint64_t)(int64_t)(int32_t)(v->negate_c ? ~c : c);
    sum += v->plus_one || v->negate_ab || v->negate_c;
    sum = is_signed ? (uint64_t)((int64_t)sum >> v->scale) : sum >> v->scale;
    return (uint32_t)(v->sat ? clamp((int64_t)sum, 32, is_signed) : (int64_t)sum);
}

// Shifts are clamped to 32 bits, a left shift after it lost what is above 34 bits. Of a part what
// is too small becomes the largest number, too; of 32 unsigned bits what is too large wraps.
static int64_t saturate(const struct video *v, int64_t x) {
    const int64_t most = (INT64_C(1) << (v->bits - v->d_signed)) - 1;
    if (v->operation == VIDEO_SHL)
        x = (int64_t)((uint64_t)x << 30) >> 30;
    if (v->operation == VIDEO_SHL || v->operation == VIDEO_SHR)
        return clamp(x, 32, v->d_signed);
    if (v->bits < 32)
        return x < 0 || x > most ? most : x;
    return v->d_signed ? clamp(x, 32, true) : x < 0 ? 0 : x;
}

// Whether the minimum or maximum with c sees the result as a signed number of 32 bits.
static bool is_cut(const struct video *v) {
    switch (v->operation) {
    case VIDEO_ADD:
    case VIDEO_SUB:
        return true;
    case VIDEO_MIN:
        return v->a_signed || v->b_signed;
    case VIDEO_MAX:
        return v->a_signed && v->b_signed;
    case VIDEO_SHL:
        return v->sat && v->wrap;
    case VIDEO_SHR:
        return v->a_signed || (v->sat && v->wrap);
    default:
        return false;
    }
}

static bool is_greater(const struct video *v, int64_t x, uint32_t c) {
    x = is_cut(v) ? (int32_t)x : x;
    return v->d_signed ? x > (int32_t)c : (uint64_t)x > c;
}

static uint32_t one(const struct video *v, uint32_t a, uint32_t b, uint32_t c) {
    const int64_t x = part_of(&v->a, 0, v->a_signed, a, 0);
    const int64_t y = part_of(&v->b, 0, v->b_signed, b, 0);
    if (v->operation == VIDEO_MAD)
        return multiply_add(v, x, y, c);
    int64_t result = compute(v, x, y);
    if (v->sat)
        result = saturate(v, result);
    const uint32_t low = (uint32_t)result;
    switch (v->second) {
    case VIDEO_MERGE: { // the upper half is taken from the result's upper half
        const unsigned part = (unsigned)__builtin_ctz(v->mask);
        const bool is_upper = v->bits == 16 && part == 1;
        return merge(c, is_upper ? low >> 16 : low, v->bits, part);
    }
    case VIDEO_ACCUMULATE:
        return low + c;
    case VIDEO_LESSER:
        return is_greater(v, result, c) ? c : low;
    case VIDEO_GREATER:
        return is_greater(v, result, c) ? low : c;
    default:
        return low;
    }
}

// ---- All ----------------------------------------------------------------------------------------

uint32_t num_video(const struct video *v, uint32_t a, uint32_t b, uint32_t c) {
    if (v->lanes == 1)
        return one(v, a, b, c);
    uint32_t d = c;
    for (unsigned lane = 0; lane < v->lanes; lane++) {
        if (!(v->mask >> lane & 1))
            continue;
        int64_t result = compute(v, part_of(&v->a, lane, v->a_signed, a, b),
                                 part_of(&v->b, lane, v->b_signed, a, b));
        if (v->sat)
            result = clamp(result, v->bits, v->d_signed);
        d = v->second == VIDEO_ACCUMULATE ? d + (uint32_t)result
                                          : merge(d, (uint32_t)result, v->bits, lane);
    }
    return d;
}
