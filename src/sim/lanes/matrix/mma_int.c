// Products of matrices of 8-bit and 4-bit integers, and of bits: exact, then wrapped to 32 bits or
// clamped.
#include "sim/lanes/matrix/mma.h"

enum { WIDE = 8, MAX_DEPTH = 64 };

static int32_t value_of(uint32_t bits, enum ptx_type type) {
    switch (type) {
    case PTX_S8:
        return (int8_t)bits;
    case PTX_S4:
        return (int32_t)(bits << 28) >> 28;
    default:
        return (int32_t)bits;
    }
}

void SIM_NAME(mma_prepare_int)(const struct mma_product *p, const uint32_t *b,
                               struct mma_columns *columns) {
    for (unsigned i = 0; i < p->shape.k * p->shape.n; i++)
        columns->value[i] = (int16_t)value_of(b[i], p->b_type);
}

static uint32_t add_up(const struct mma_product *p, int32_t sum, uint32_t c) {
    const int64_t exact = (int64_t)sum + (int32_t)c;
    const int64_t clamped = exact > INT32_MAX ? INT32_MAX : exact < INT32_MIN ? INT32_MIN : exact;
    return (uint32_t)(p->saturate ? clamped : exact);
}

void SIM_NAME(mma_product_int)(const struct mma_product *p, const uint32_t *a,
                               const struct mma_columns *b, const uint32_t *c, uint32_t *d) {
    const unsigned n = p->shape.n, depth = p->depth;
    for (unsigned r = 0; r < p->shape.m; r++) {
        int32_t row[MAX_DEPTH];
        const uint8_t *pick = p->pick ? p->pick + r * depth : NULL;
        for (unsigned e = 0; e < depth; e++)
            row[e] = value_of(a[r * depth + e], p->a_type);
        for (unsigned j = 0; j < n; j += WIDE) {
            int32_t sum[WIDE] = {0}; // 64 products of 16 bits fit
            for (unsigned e = 0; e < depth; e++) {
                const int16_t *at = b->value + (pick ? pick[e] : e) * n + j;
                for (unsigned w = 0; w < WIDE; w++)
                    sum[w] += row[e] * at[w];
            }
            for (unsigned w = 0; w < WIDE; w++)
                d[r * n + j + w] = add_up(p, sum[w], c[r * n + j + w]);
        }
    }
}

void SIM_NAME(mma_product_bits)(const struct mma_product *p, const uint32_t *a,
                                const struct mma_columns *b, const uint32_t *c, uint32_t *d) {
    const unsigned n = p->shape.n, words = p->depth;
    for (unsigned i = 0; i < p->shape.m * n; i++) {
        uint32_t sum = c[i];
        for (unsigned w = 0; w < words; w++) {
            const uint32_t x = a[i / n * words + w], y = b->raw[w * n + i % n];
            sum += (uint32_t)__builtin_popcount(p->is_and ? x & y : x ^ y);
        }
        d[i] = sum;
    }
}
