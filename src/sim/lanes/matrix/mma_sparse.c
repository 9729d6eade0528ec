// The metadata of a sparse A: which elements of a row are there.
//
// In memory order a row of A is made of groups of four, of which two are there; four bits name
// them, the first one's place in the lower two. Of tf32 each element counts as two of 16 bits, of
// 4-bit integers two make one. In a quad of lanes those hold the bits of rows l / 4 and l / 4 + 8
// that the selector names: with 16 and 32 bits an element each lane has 16 bits of either row, with
// fewer 32 bits of one. (PTX ISA, mma.sp; on an H200 any metadata, ordered or not, picks like
// that.)
#include "sim/lanes/matrix/mma.h"

enum { ROWS = 16, MAX_ODD_DEPTH = 8 };

static unsigned nibble_of(const struct mma_product *p, struct mma_metadata metadata, unsigned row,
                          unsigned n) {
    const unsigned high = row / 8, quad = row % 8 * 4, count = mma_nibbles(p);
    if (mma_bits(p->a_type) >= 16) {
        const unsigned lane = count == 4 ? metadata.selector : 2 * metadata.selector + n / 4;
        return metadata.lanes[quad + lane] >> (16 * high + 4 * (n % 4)) & 15;
    }
    const unsigned lane = count == 8 ? 2 * metadata.selector + high : high + 2 * (n / 8);
    return metadata.lanes[quad + lane] >> 4 * (n % 8) & 15;
}

uint32_t SIM_NAME(mma_read_metadata)(const struct mma_product *p, struct mma_metadata metadata,
                                     uint8_t *pick) {
    const bool is_half = p->a_type == PTX_TF32, is_pair = mma_bits(p->a_type) == 4;
    uint32_t odd = 0;
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned n = 0; n < mma_nibbles(p); n++) {
            const unsigned nibble = nibble_of(p, metadata, row, n);
            const unsigned first = nibble & 3, second = nibble >> 2;
            uint8_t *out = pick + row * p->depth;
            if (is_half) {
                out[n] = (uint8_t)(2 * n + second / 2);
                odd |= (uint32_t)(nibble != 4 && nibble != 14) << row;
            } else if (is_pair) {
                for (unsigned i = 0; i < 4; i++)
                    out[4 * n + i] = (uint8_t)(8 * n + (i < 2 ? first : second) * 2 + i % 2);
            } else {
                out[2 * n] = (uint8_t)(4 * n + first);
                out[2 * n + 1] = (uint8_t)(4 * n + second);
            }
        }
    return odd;
}

// B as a row of A meets it, put together of halves.
static void put_together(const struct mma_product *p, struct mma_metadata metadata, unsigned row,
                         const uint32_t *b, uint32_t *to) {
    const unsigned columns = p->shape.n;
    for (unsigned n = 0; n < p->depth; n++) {
        const unsigned nibble = nibble_of(p, metadata, row, n);
        const unsigned first = nibble & 3, second = nibble >> 2;
        const uint32_t *low = b + (2 * n + first / 2) * columns;
        const uint32_t *high = b + (2 * n + second / 2) * columns;
        for (unsigned j = 0; j < columns; j++)
            to[n * columns + j] =
                (low[j] >> first % 2 * 16 & 0xffff) | (high[j] >> second % 2 * 16 & 0xffff) << 16;
    }
}

void SIM_NAME(mma_product_odd)(const struct mma_product *p, struct mma_metadata metadata,
                               uint32_t rows, const uint32_t *a, const struct mma_columns *b,
                               const uint32_t *c, uint32_t *d) {
    enum { MOST = MAX_ODD_DEPTH * MMA_MAX_COLUMNS };
    uint32_t raw[MOST];
    int16_t value[MOST], exponent[MOST];
    uint8_t special[MMA_MAX_COLUMNS];
    struct mma_columns columns = {.value = value, .exponent = exponent, .has_special = special};
    struct mma_product one = *p;
    one.shape.m = 1;
    one.shape.k = p->depth;
    for (; rows; rows &= rows - 1) {
        const unsigned row = (unsigned)__builtin_ctz(rows);
        put_together(p, metadata, row, b->raw, raw);
        mma_prepare(&one, raw, &columns);
        SIM_NAME(mma_product_float)
        (&one, a + row * p->depth, &columns, c + row * p->shape.n, d + row * p->shape.n);
    }
}
