// Products of matrices of floating-point numbers as the matrix units of compute capability 9.0
// compute them. All products of an element of D and the element of C are added at once: exact
// products are cut towards zero to a multiple of 2^-25 of the largest power of two among them (the
// sum of the factors' exponents), summed exactly, and the sum is cut to a float or rounded to a
// half. Read off an H200, with not one bit different; see docs/accuracy.md.
#include "sim/mma.h"
#include "sim/num_half.h"

enum {
    NO_EXPONENT = -1000, // of zero: below all others, also in a product
    FRACTION = 10,       // bits behind the point of a factor
    KEPT = 25,           // bits behind the point of a summand
    MAX_DEPTH = 16,
};

#define NAN_F32 0x7fffffffu
#define NAN_F16 0x7fffu

// Factors as significand * 2^(exponent - FRACTION).
struct factors {
    int32_t significand[MMA_MAX_ELEMENTS], exponent[MMA_MAX_ELEMENTS];
    uint32_t special;                // bit r: row r holds an infinity or NaN
    uint32_t bits[MMA_MAX_ELEMENTS]; // as floats
};

static uint32_t float_of(uint32_t bits, enum ptx_type type) {
    switch (type) {
    case PTX_F16:
        return num_bits_of_f32(num_f32_of_f16((uint16_t)bits));
    case PTX_BF16:
        return bits << 16;
    case PTX_TF32:
        return bits & 0xffffe000u;
    case PTX_E5M2:
        return num_bits_of_f32(num_f32_of_f16((uint16_t)(bits << 8)));
    case PTX_E4M3: {
        const uint32_t sign = (bits & 0x80) << 24;
        if ((bits & 0x7f) == 0x7f)
            return NAN_F32;
        // A half with one exponent bit less, and 2^-8 of its bias.
        const float value = num_f32_of_f16((uint16_t)((bits & 0x7f) << 7)) * 256.0f;
        return num_bits_of_f32(value) | sign;
    }
    default:
        return bits;
    }
}

// The least exponent of a type: subnormal numbers have it.
static int least_exponent(enum ptx_type type) {
    return type == PTX_BF16 || type == PTX_TF32 ? -126 : -14;
}

static void read_factors(struct factors *f, const uint32_t *matrix, unsigned rows, unsigned depth,
                         enum ptx_type type) {
    const int least = least_exponent(type);
    f->special = 0;
    for (unsigned i = 0; i < rows * depth; i++) {
        const uint32_t bits = float_of(matrix[i], type), rest = bits & 0x7fffffff;
        const int exponent = (int)(rest >> 23) - 127;
        int32_t significand = (int32_t)((rest & 0x7fffff) | (rest >> 23 ? 0x800000 : 0));
        int shift = 23 - FRACTION;
        f->bits[i] = bits;
        f->exponent[i] = exponent < least ? least : exponent;
        shift += f->exponent[i] - (exponent < -126 ? -126 : exponent);
        significand = rest ? significand >> shift : 0; // no bit is lost: the type has none there
        f->significand[i] = bits >> 31 ? -significand : significand;
        if (!rest)
            f->exponent[i] = NO_EXPONENT;
        f->special |= (uint32_t)(rest >= 0x7f800000) << i / depth;
    }
}

// sum * 2^(exponent - KEPT)
struct sum {
    int64_t value;
    int exponent;
};

LANES_INLINE struct sum add_products(const int32_t *sa, const int32_t *ea, const int32_t *sb,
                                     const int32_t *eb, float c, const unsigned depth) {
    const uint32_t bits = num_bits_of_f32(c), rest = bits & 0x7fffffff;
    const int c_exponent = !rest ? NO_EXPONENT : rest >> 23 ? (int)(rest >> 23) - 127 : -126;
    int32_t product[MAX_DEPTH], exponent[MAX_DEPTH];
    int most = c_exponent;
    for (unsigned k = 0; k < depth; k++) {
        product[k] = sa[k] * sb[k];
        exponent[k] = ea[k] + eb[k];
    }
    for (unsigned k = 0; k < depth; k++)
        most = exponent[k] > most ? exponent[k] : most;
    int64_t value = 0;
    for (unsigned k = 0; k < depth; k++) {
        const int shift = most - exponent[k] > 31 ? 31 : most - exponent[k];
        const uint32_t size = (uint32_t)(product[k] < 0 ? -product[k] : product[k])
                              << (KEPT - 2 * FRACTION);
        const int32_t cut = (int32_t)(size >> shift);
        value += product[k] < 0 ? -cut : cut;
    }
    const int shift = most - c_exponent > 31 ? 31 : most - c_exponent;
    const uint32_t size = ((rest & 0x7fffff) | (rest >> 23 ? 0x800000 : 0)) << (KEPT - 23);
    const int64_t cut = size >> shift;
    value += bits >> 31 ? -cut : cut;
    return (struct sum){value, most};
}

static struct sum add_depth(const int32_t *sa, const int32_t *ea, const int32_t *sb,
                            const int32_t *eb, float c, unsigned depth) {
    switch (depth) {
    case 4:
        return add_products(sa, ea, sb, eb, c, 4);
    case 8:
        return add_products(sa, ea, sb, eb, c, 8);
    default:
        return add_products(sa, ea, sb, eb, c, 16);
    }
}

// Towards zero.
static uint32_t f32_of_sum(struct sum s) {
    if (!s.value)
        return 0;
    const uint32_t sign = s.value < 0 ? 0x80000000u : 0;
    const uint64_t size = (uint64_t)(s.value < 0 ? -s.value : s.value);
    int exponent = 63 - __builtin_clzll(size) + s.exponent - KEPT;
    if (exponent > 127)
        return sign | 0x7f800000;
    const bool is_subnormal = exponent < -126;
    exponent = is_subnormal ? -126 : exponent;
    const int drop = exponent - 23 - (s.exponent - KEPT);
    const uint64_t kept = drop > 63 ? 0 : drop >= 0 ? size >> drop : size << -drop;
    const uint32_t normal = (uint32_t)(exponent + 127) << 23 | ((uint32_t)kept & 0x7fffff);
    return sign | (is_subnormal ? (uint32_t)kept : normal);
}

// To nearest even.
static uint32_t f16_of_sum(struct sum s) {
    if (!s.value)
        return 0;
    const uint32_t sign = s.value < 0 ? 0x8000 : 0;
    const uint64_t size = (uint64_t)(s.value < 0 ? -s.value : s.value);
    int exponent = 63 - __builtin_clzll(size) + s.exponent - KEPT;
    exponent = exponent < -14 ? -14 : exponent;
    const int drop = exponent - 10 - (s.exponent - KEPT);
    uint64_t kept = drop > 62 ? 0 : drop > 0 ? size >> drop : size << -drop;
    if (drop > 0 && drop <= 62) {
        const uint64_t rest = size & ((1ull << drop) - 1), half = 1ull << (drop - 1);
        kept += rest > half || (rest == half && (kept & 1));
    }
    if (kept >= 2048) {
        kept >>= 1;
        exponent++;
    }
    if (exponent > 15)
        return sign | 0x7c00;
    return sign | (uint32_t)(kept < 1024 ? kept : (kept - 1024) | (uint64_t)(exponent + 15) << 10);
}

// With an infinity or NaN somewhere the sum is one of them, whatever the other summands are.
static float add_specials(const uint32_t *a, const uint32_t *b, float c, unsigned depth) {
    bool is_nan = c != c, is_positive = c == __builtin_inff();
    bool is_negative = c == -__builtin_inff();
    for (unsigned k = 0; k < depth; k++) {
        const float x = num_f32_of_bits(a[k]), y = num_f32_of_bits(b[k]);
        if (__builtin_isfinite(x) && __builtin_isfinite(y))
            continue;
        const float product = x * y;
        is_nan |= product != product;
        is_positive |= product > 0;
        is_negative |= product < 0;
    }
    if (is_nan || (is_positive && is_negative))
        return num_f32_of_bits(NAN_F32);
    return is_positive ? __builtin_inff() : -__builtin_inff();
}

// D's element in the type of D.
static uint32_t element(const struct factors *a, const struct factors *b, unsigned row,
                        unsigned column, unsigned depth, uint32_t c, enum ptx_type type) {
    const unsigned i = row * depth, j = column * depth;
    const float addend = num_f32_of_bits(c);
    if ((a->special >> row | b->special >> column) & 1 || !__builtin_isfinite(addend)) {
        bool is_special = !__builtin_isfinite(addend);
        for (unsigned k = 0; k < depth; k++)
            is_special |= (a->bits[i + k] & 0x7f800000) == 0x7f800000 ||
                          (b->bits[j + k] & 0x7f800000) == 0x7f800000;
        if (is_special) {
            const float r = add_specials(a->bits + i, b->bits + j, addend, depth);
            if (type == PTX_F16)
                return r != r ? NAN_F16 : r > 0 ? 0x7c00 : 0xfc00;
            return r != r ? NAN_F32 : num_bits_of_f32(r);
        }
    }
    const struct sum sum = add_depth(a->significand + i, a->exponent + i, b->significand + j,
                                     b->exponent + j, addend, depth);
    return type == PTX_F16 ? f16_of_sum(sum) : f32_of_sum(sum);
}

static bool is_eight_bit(enum ptx_type type) {
    return type == PTX_E4M3 || type == PTX_E5M2;
}

// Every second pair of neighbours along the depth: the first, third, .. or the second, fourth, ..
static void every_second_pair(const uint32_t *matrix, unsigned rows, unsigned depth, unsigned first,
                              uint32_t *out) {
    for (unsigned r = 0; r < rows; r++)
        for (unsigned k = 0; k < depth / 2; k++)
            out[r * depth / 2 + k] = matrix[r * depth + k / 2 * 4 + first * 2 + k % 2];
}

// 9.0 has no unit for 8-bit factors behind mma: the code generator makes halves of them, adds up
// the even pairs of neighbours, then the odd ones, and adds C as an ordinary float.
static void product_of_bytes(const struct mma_product *p, const uint32_t *a, const uint32_t *b,
                             const uint32_t *c, uint32_t *d) {
    const unsigned m = p->shape.m, n = p->shape.n, depth = p->shape.k;
    uint32_t half_a[MMA_MAX_ELEMENTS], half_b[MMA_MAX_ELEMENTS], sum[MMA_MAX_ELEMENTS] = {0};
    struct factors fa, fb;
    for (unsigned first = 0; first < 2; first++) {
        every_second_pair(a, m, depth, first, half_a);
        every_second_pair(b, n, depth, first, half_b);
        read_factors(&fa, half_a, m, depth / 2, p->a_type);
        read_factors(&fb, half_b, n, depth / 2, p->b_type);
        for (unsigned i = 0; i < m * n; i++)
            sum[i] = element(&fa, &fb, i / n, i % n, depth / 2, sum[i], PTX_F32);
    }
    for (unsigned i = 0; i < m * n; i++) {
        const float r = num_f32_of_bits(sum[i]) + num_f32_of_bits(c[i]);
        d[i] = r != r ? NAN_F32 : num_bits_of_f32(r);
    }
}

void SIM_NAME(mma_product_float)(const struct mma_product *p, const uint32_t *a, const uint32_t *b,
                                 const uint32_t *c, uint32_t *d) {
    if (is_eight_bit(p->a_type)) {
        product_of_bytes(p, a, b, c, d);
        return;
    }
    const unsigned m = p->shape.m, n = p->shape.n, depth = p->shape.k;
    struct factors fa, fb;
    read_factors(&fa, a, m, depth, p->a_type);
    read_factors(&fb, b, n, depth, p->b_type);
    for (unsigned i = 0; i < m * n; i++)
        d[i] = element(&fa, &fb, i / n, i % n, depth, float_of(c[i], p->c_type), p->d_type);
}
