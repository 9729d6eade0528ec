// Products of matrices of floating-point numbers as the matrix units of compute capability 9.0
// compute them. All products of an element of D and the element of C are added at once: exact
// products are cut towards zero to a multiple of 2^-25 of the largest power of two among them (the
// sum of the factors' exponents), summed exactly, and the sum is cut to a float or rounded to a
// half. wgmma with 8-bit factors keeps 13 bits in place of 25, also of a float result. Read off an
// H200, with not one bit different; see docs/accuracy.md.
#include "ir/number/half.h"
#include "sim/lanes/matrix/mma.h"

enum {
    NO_EXPONENT = -1000, // of zero: below all others, also in a product
    FRACTION = 10,       // bits behind the point of a factor
    KEPT = 25,           // bits behind the point of a summand
    LOST_BYTES = 12,     // of them, those that wgmma drops with 8-bit factors
    DROPPED_BYTES = 10,  // and those of a float's fraction
    MAX_DEPTH = 64,
    MAX_COLUMNS = 256,
    WIDE = 8, // columns at a time
};

#define NAN_F32 0x7fffffffu
#define NAN_F16 0x7fffu

// ---- Numbers ------------------------------------------------------------------------------

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

// Where a type's bits are: unused ones, fraction, exponent, sign.
struct layout {
    unsigned unused, fraction, exponent;
    int bias;
    uint32_t special; // the least size of what is infinite or not a number
};

static struct layout layout_of(enum ptx_type type) {
    switch (type) {
    case PTX_F16:
        return (struct layout){0, 10, 5, 15, 0x7c00};
    case PTX_BF16:
        return (struct layout){0, 7, 8, 127, 0x7f80};
    case PTX_TF32:
        return (struct layout){13, 10, 8, 127, 0x3fc00};
    case PTX_E4M3:
        return (struct layout){0, 3, 4, 7, 0x7f};
    default:
        return (struct layout){0, 2, 5, 15, 0x7c};
    }
}

// Factors as significand * 2^(exponent - FRACTION). False: none is infinite or not a number.
LANES_INLINE bool split_numbers(const uint32_t *bits, unsigned count, struct layout layout,
                                int16_t *significand, int16_t *exponent) {
    uint32_t special = 0;
    const uint32_t below = (1u << (layout.fraction + layout.exponent)) - 1;
    for (unsigned i = 0; i < count; i++) {
        const uint32_t x = bits[i] >> layout.unused, size = x & below;
        const int32_t e = (int32_t)(size >> layout.fraction);
        const int32_t fraction = (int32_t)(size & ((1u << layout.fraction) - 1));
        const int32_t whole = fraction | (e ? 1 << layout.fraction : 0);
        const int32_t scaled = whole << (FRACTION - layout.fraction);
        significand[i] = (int16_t)(x > below ? -scaled : scaled);
        exponent[i] = (int16_t)(size ? (e ? e : 1) - layout.bias : NO_EXPONENT);
        special |= size >= layout.special;
    }
    return special != 0;
}

void SIM_NAME(mma_prepare_float)(const struct mma_product *p, const uint32_t *b,
                                 struct mma_columns *columns) {
    const unsigned n = p->shape.n;
    const struct layout layout = layout_of(p->b_type);
    memset(columns->has_special, 0, n);
    if (!split_numbers(b, p->shape.k * n, layout, columns->value, columns->exponent))
        return;
    for (unsigned i = 0; i < p->shape.k * n; i++) {
        const uint32_t size = float_of(b[i], p->b_type) & 0x7fffffff;
        columns->has_special[i % n] |= size >= 0x7f800000;
    }
}

// ---- Sums ---------------------------------------------------------------------------------

// A row of A while it meets the columns of B.
struct row {
    int32_t significand[MAX_DEPTH], exponent[MAX_DEPTH];
    uint32_t raw[MAX_DEPTH]; // as floats; of a negated product with the sign turned
    unsigned pick[MAX_DEPTH];
    bool has_special;
};

// Vectors of WIDE columns: plain loops of eight are unrolled before the compiler looks for vectors.
// They are passed by address, since baseline x86 has no convention for vectors of 32 bytes.
typedef int32_t ints __attribute__((vector_size(WIDE * 4)));
typedef uint32_t sizes __attribute__((vector_size(WIDE * 4)));
typedef int16_t shorts __attribute__((vector_size(WIDE * 2)));

// WIDE sums, each value * 2^(exponent - KEPT).
struct sums {
    double value[WIDE];
    int32_t exponent[WIDE];
};

LANES_INLINE void load_shorts(const int16_t *from, ints *to) {
    shorts narrow;
    memcpy(&narrow, from, sizeof narrow);
    *to = __builtin_convertvector(narrow, ints);
}

// Adds size * 2^-shift, cut towards zero, with the sign of `sign`: 0 or -1.
LANES_INLINE void add_cut(ints *sum, const sizes *size, const ints *shift, const ints *sign) {
    const ints is_far = *shift > 31;
    const ints kept = (ints)(*size >> (sizes)(*shift & 31)) & ~is_far;
    *sum += (kept ^ *sign) - *sign;
}

LANES_INLINE void add_ints(double *value, const ints *sum) {
    for (unsigned w = 0; w < WIDE; w++)
        value[w] += (*sum)[w];
}

// C as summands: exponents and sizes, and the largest exponents with those of the products.
struct addends {
    ints exponent, sign, most;
    sizes size;
};

LANES_INLINE void read_addends(const uint32_t *c, int32_t least, struct addends *out) {
    sizes bits;
    memcpy(&bits, c, sizeof bits);
    const sizes rest = bits & 0x7fffffff;
    const ints field = (ints)(rest >> 23), is_normal = field > 0, is_zero = rest == 0;
    out->exponent = (field | (~is_normal & 1)) - 127;
    out->sign = (ints)bits >> 31;
    out->size = ((rest & 0x7fffff) | ((sizes)is_normal & 0x800000)) << (KEPT - 23);
    const ints is_small = out->exponent < least;
    out->size >>= (sizes)((least - out->exponent) & is_small) & 31;
    out->exponent = (out->exponent & ~is_small) | (is_small & least);
    out->most = (out->exponent & ~is_zero) | (is_zero & NO_EXPONENT);
}

// Products `begin` to `end`, which is at most 16 more (32 where bits are lost), and C.
LANES_INLINE void add_products(const struct row *row, unsigned begin, unsigned end,
                               const struct mma_columns *b, unsigned n, unsigned column,
                               const uint32_t *c, int32_t least, const int32_t lost,
                               struct sums *out) {
    struct addends addends;
    double value[WIDE] = {0};
    ints sum = {0}, exponent, significand;
    read_addends(c, least, &addends);
    ints most = addends.most;
    for (unsigned e = begin; e < end; e++) {
        load_shorts(b->exponent + row->pick[e] * n + column, &exponent);
        exponent += row->exponent[e];
        const ints is_more = exponent > most;
        most = (exponent & is_more) | (most & ~is_more);
    }
    most += lost;
    ints shift = most - addends.exponent;
    add_cut(&sum, &addends.size, &shift, &addends.sign);
    add_ints(value, &sum);
    for (unsigned half = begin; half < end; half += 8) { // the sum of 8 summands has 31 bits
        sum ^= sum;
        for (unsigned e = half; e < end && e < half + 8; e++) {
            const unsigned at = row->pick[e] * n + column;
            load_shorts(b->value + at, &significand);
            load_shorts(b->exponent + at, &exponent);
            const ints product = row->significand[e] * significand, sign = product >> 31;
            const sizes size = (sizes)((product ^ sign) - sign) << (KEPT - 2 * FRACTION);
            shift = most - (row->exponent[e] + exponent);
            add_cut(&sum, &size, &shift, &sign);
        }
        add_ints(value, &sum);
    }
    memcpy(out->value, value, sizeof value);
    memcpy(out->exponent, &most, sizeof most);
}

// 2^exponent
static inline double power(int32_t exponent) {
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double result;
    memcpy(&result, &bits, sizeof result);
    return result;
}

// Exact: a sum of no more than 37 bits; the exponent of a sum of zeros does not matter.
static inline double sum_value(const struct sums *s, unsigned w) {
    return s->value[w] * power((s->exponent[w] < -500 ? -500 : s->exponent[w]) - KEPT);
}

// Towards zero; what is too small becomes +0.
LANES_INLINE void f32_of_sums(const struct sums *s, uint32_t dropped, uint32_t *d) {
    for (unsigned w = 0; w < WIDE; w++) {
        const double value = sum_value(s, w), size = __builtin_fabs(value);
        const float nearest = (float)size;
        uint32_t bits = num_bits_of_f32(nearest);
        bits -= (double)nearest > size && size < 0x1p128;
        bits = bits < 0x7f800000 ? bits & ~dropped : bits;
        d[w] = bits ? bits | (value < 0 ? 0x80000000u : 0) : 0;
    }
}

// To nearest even; what is too small becomes +0, too.
LANES_INLINE void f16_of_sums(const struct sums *s, uint32_t *d) {
    for (unsigned w = 0; w < WIDE; w++) {
        const double value = sum_value(s, w), size = __builtin_fabs(value);
        uint64_t bits;
        memcpy(&bits, &size, sizeof bits);
        const int32_t exponent = (int32_t)(bits >> 52) - 1023;
        // Adding 1.5 * 2^52 times the last place leaves no bits behind that.
        const double round = 1.5 * power((exponent < -14 ? -14 : exponent) - 10 + 52);
        const float rounded = (float)(size + round - round);
        d[w] = rounded > 0 ? (uint32_t)num_f16_of_f32(rounded) | (value < 0 ? 0x8000 : 0) : 0;
    }
}

// ---- Infinities and NaN -------------------------------------------------------------------

// With one of them somewhere the sum is one of them, whatever the other summands are. False: there
// is none.
static bool add_specials(const struct mma_product *p, const struct row *row, unsigned begin,
                         unsigned end, const struct mma_columns *b, unsigned column, uint32_t c,
                         float *result) {
    const float addend = num_f32_of_bits(c);
    bool is_nan = addend != addend, is_positive = addend == __builtin_inff();
    bool is_negative = addend == -__builtin_inff();
    for (unsigned e = begin; e < end; e++) {
        const uint32_t raw = b->raw[row->pick[e] * p->shape.n + column];
        const float x = num_f32_of_bits(row->raw[e]);
        const float y = num_f32_of_bits(float_of(raw, p->b_type));
        if (__builtin_isfinite(x) && __builtin_isfinite(y))
            continue;
        const float product = x * y;
        is_nan |= product != product;
        is_positive |= product > 0;
        is_negative |= product < 0;
    }
    *result = is_nan || (is_positive && is_negative) ? num_f32_of_bits(NAN_F32)
              : is_positive                          ? __builtin_inff()
                                                     : -__builtin_inff();
    return is_nan || is_positive || is_negative;
}

static void replace_specials(const struct mma_product *p, const struct row *row, unsigned begin,
                             unsigned end, const struct mma_columns *b, unsigned column,
                             const uint32_t *c, bool is_half, uint32_t *d) {
    for (unsigned w = 0; w < WIDE; w++) {
        const bool is_finite = (c[w] & 0x7f800000) != 0x7f800000;
        float r;
        if (is_finite && !row->has_special && !b->has_special[column + w])
            continue;
        if (!add_specials(p, row, begin, end, b, column + w, c[w], &r))
            continue;
        if (is_half)
            d[w] = r != r ? NAN_F16 : r > 0 ? 0x7c00 : 0xfc00;
        else
            d[w] = r != r ? NAN_F32 : num_bits_of_f32(r);
    }
}

// ---- Products -----------------------------------------------------------------------------

static bool is_eight_bit(enum ptx_type type) {
    return type == PTX_E4M3 || type == PTX_E5M2;
}

// Products `begin` to `end` of one row and eight columns, and C: bits of floats or halves. Where C
// is of halves and D of floats, or the other way round, the unit has floats, which are converted.
static void eight_elements(const struct mma_product *p, const struct row *row, unsigned begin,
                           unsigned end, const struct mma_columns *b, unsigned column,
                           const uint32_t *c, uint32_t *d) {
    const bool is_half = p->d_type == PTX_F16, is_mixed = p->c_type != p->d_type;
    const bool is_short = p->is_warpgroup && is_eight_bit(p->a_type);
    const int32_t least = p->c_type == PTX_F16 && !is_mixed ? -14 : -126;
    uint32_t addend[WIDE];
    struct sums sums;
    for (unsigned w = 0; w < WIDE; w++)
        addend[w] = p->c_type == PTX_F16 ? num_bits_of_f32(num_f32_of_f16((uint16_t)c[w])) : c[w];
    if (is_short)
        add_products(row, begin, end, b, p->shape.n, column, addend, least, LOST_BYTES, &sums);
    else
        add_products(row, begin, end, b, p->shape.n, column, addend, least, 0, &sums);
    if (is_half && !is_mixed)
        f16_of_sums(&sums, d);
    else
        f32_of_sums(&sums, is_short ? (1u << DROPPED_BYTES) - 1 : 0, d);
    for (unsigned w = 0; w < WIDE && is_half && is_mixed; w++)
        d[w] = num_f16_of_f32(num_f32_of_bits(d[w]));
    replace_specials(p, row, begin, end, b, column, addend, is_half, d);
}

// mma of 9.0 has no unit for 8-bit factors: the code generator makes halves of them, adds up the
// even pairs of neighbours, then the odd ones, and adds C as an ordinary float or half.
static void eight_of_bytes(const struct mma_product *p, const struct row *row,
                           const struct mma_columns *b, unsigned column, const uint32_t *c,
                           uint32_t *d) {
    uint32_t sum[WIDE] = {0};
    eight_elements(p, row, 0, p->depth / 2, b, column, sum, sum);
    eight_elements(p, row, p->depth / 2, p->depth, b, column, sum, sum);
    for (unsigned w = 0; w < WIDE; w++) {
        if (p->d_type == PTX_F16) {
            d[w] = num_add_f16((uint16_t)sum[w], (uint16_t)c[w]);
            continue;
        }
        const float r = num_f32_of_bits(sum[w]) + num_f32_of_bits(c[w]);
        d[w] = r != r ? NAN_F32 : num_bits_of_f32(r);
    }
}

// Place in a row of the e-th product that is added: see eight_of_bytes().
static unsigned order_of(unsigned e, unsigned depth, bool in_pairs) {
    const unsigned half = depth / 2, i = e % half;
    return in_pairs ? i / 2 * 4 + e / half * 2 + i % 2 : e;
}

static void read_row(const struct mma_product *p, const uint32_t *a, unsigned r, bool in_pairs,
                     struct row *row) {
    const uint32_t turn = p->is_negated ? 0x80000000u : 0;
    int16_t significand[MAX_DEPTH], exponent[MAX_DEPTH];
    row->has_special =
        split_numbers(a + r * p->depth, p->depth, layout_of(p->a_type), significand, exponent);
    for (unsigned e = 0; e < p->depth; e++) {
        const unsigned at = order_of(e, p->depth, in_pairs);
        row->significand[e] = p->is_negated ? -significand[at] : significand[at];
        row->exponent[e] = exponent[at];
        row->pick[e] = p->pick ? p->pick[r * p->depth + at] : at;
        if (row->has_special)
            row->raw[e] = float_of(a[r * p->depth + at], p->a_type) ^ turn;
    }
    if (!row->has_special)
        for (unsigned e = 0; e < p->depth; e++)
            row->raw[e] = row->significand[e] < 0 ? 0xbf800000
                          : row->significand[e]   ? 0x3f800000
                                                  : 0;
}

void SIM_NAME(mma_product_float)(const struct mma_product *p, const uint32_t *a,
                                 const struct mma_columns *b, const uint32_t *c, uint32_t *d) {
    const bool in_pairs = !p->is_warpgroup && is_eight_bit(p->a_type);
    const unsigned n = p->shape.n, step = p->in_fours ? 4 : p->depth;
    struct row row;
    for (unsigned r = 0; r < p->shape.m; r++) {
        read_row(p, a, r, in_pairs, &row);
        for (unsigned j = 0; j < n; j += WIDE) {
            const uint32_t *from = c + r * n + j;
            if (in_pairs) {
                eight_of_bytes(p, &row, b, j, from, d + r * n + j);
                continue;
            }
            for (unsigned e = 0; e < p->depth; e += step, from = d + r * n + j)
                eight_elements(p, &row, e, e + step, b, j, from, d + r * n + j);
        }
    }
}
