// Products of matrices of 8-bit integers: exact, then wrapped to 32 bits or clamped.
#include "sim/mma.h"

static int32_t value_of(uint32_t bits, enum ptx_type type) {
    return type == PTX_S8 ? (int8_t)bits : (uint8_t)bits;
}

void SIM_NAME(mma_product_int)(const struct mma_product *p, const uint32_t *a, const uint32_t *b,
                               const uint32_t *c, uint32_t *d) {
    const unsigned m = p->shape.m, n = p->shape.n, depth = p->shape.k;
    int32_t va[MMA_MAX_ELEMENTS], vb[MMA_MAX_ELEMENTS];
    for (unsigned i = 0; i < m * depth; i++)
        va[i] = value_of(a[i], p->a_type);
    for (unsigned i = 0; i < n * depth; i++)
        vb[i] = value_of(b[i], p->b_type);
    for (unsigned i = 0; i < m * n; i++) {
        const int32_t *row = va + i / n * depth, *column = vb + i % n * depth;
        int32_t sum = 0; // 32 products of 16 bits fit
        for (unsigned k = 0; k < depth; k++)
            sum += row[k] * column[k];
        const int64_t exact = (int64_t)sum + (int32_t)c[i];
        const int64_t clamped = exact > INT32_MAX   ? INT32_MAX
                                : exact < INT32_MIN ? INT32_MIN
                                                    : exact;
        d[i] = (uint32_t)(p->saturate ? clamped : exact);
    }
}
