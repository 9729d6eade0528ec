#include "sim/num_video.h"

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

static uint32_t multiply_add(const struct video *v, int64_t a, int64_t b, uint32_t c) {
    // A product of two parts fits 65 bits; its low 64 are enough when it is signed, and when it is
    // not, what the sum carries out of them is kept.
    __extension__ typedef __int128 wide;
    const bool is_signed = v->a_signed || v->b_signed || v->negate_ab || v->negate_c;
    const uint32_t addend = v->negate_c ? ~c : c;
    wide sum = (wide)a * b;
    if (v->negate_ab)
        sum = ~sum;
    sum += is_signed ? (wide)(int32_t)addend : (wide)addend;
    sum += v->plus_one || v->negate_ab || v->negate_c;
    sum >>= v->scale;
    const wide most = is_signed ? INT32_MAX : UINT32_MAX, least = is_signed ? INT32_MIN : 0;
    if (v->sat)
        sum = sum < least ? least : sum > most ? most : sum;
    return (uint32_t)sum;
}

static uint32_t one(const struct video *v, uint32_t a, uint32_t b, uint32_t c) {
    const int64_t x = part_of(&v->a, 0, v->a_signed, a, 0);
    const int64_t y = part_of(&v->b, 0, v->b_signed, b, 0);
    if (v->operation == VIDEO_MAD)
        return multiply_add(v, x, y, c);
    int64_t result = compute(v, x, y);
    const int64_t z = extend(c, 32, v->d_signed);
    if (v->sat)
        result = clamp(result, v->bits, v->d_signed);
    switch (v->second) {
    case VIDEO_MERGE:
        return merge(c, (uint32_t)result, v->bits, (unsigned)__builtin_ctz(v->mask));
    case VIDEO_ACCUMULATE:
        return (uint32_t)(result + z);
    case VIDEO_LESSER:
        return (uint32_t)(result < z ? result : z);
    case VIDEO_GREATER:
        return (uint32_t)(result > z ? result : z);
    default:
        return (uint32_t)result;
    }
}

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
