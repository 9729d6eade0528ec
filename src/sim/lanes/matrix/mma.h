// Inside the lane code of matrix instructions: fragments (ir/fragment.h) in the registers of a
// warp.
#ifndef BANKRUN_SIM_LANES_MATRIX_MMA_H
#define BANKRUN_SIM_LANES_MATRIX_MMA_H

#include <string.h>

#include "ir/fragment.h"
#include "sim/access.h"
#include "sim/decode/decode.h"
#include "sim/lanes/lanes.h"

enum { MMA_MAX_ELEMENTS = 1024, MMA_MAX_REGISTERS = IR_FRAGMENT_REGISTERS, MMA_MAX_COLUMNS = 256 };

// Elements of 32 bits and less: matrix[major * minors + minor].
LANES_INLINE void mma_unpack(const struct sim_warp *warp, const struct ir_fragment *f,
                             const sim_ref *registers, uint32_t *matrix) {
    const unsigned each = 32u / f->bits;
    const uint32_t mask = UINT32_MAX >> (32 - f->bits);
    for (unsigned tile = 0; tile < f->tiles; tile++) {
        const unsigned at = ir_tile_major(f, tile) * f->minors + ir_tile_minor(f, tile);
        for (unsigned i = 0; i < f->per; i++) {
            const unsigned e = tile * f->per + i;
            const uint32_t *r = LANES_ALIGNED(const uint32_t, registers[e / each]);
            const unsigned shift = e % each * f->bits;
            for (unsigned l = 0; l < LANES; l++)
                matrix[at + l / 4 * f->minors + l % 4 * f->per + i] = r[l] >> shift & mask;
        }
    }
}

LANES_INLINE void mma_pack(const struct sim_warp *warp, const struct ir_fragment *f,
                           const sim_ref *registers, const uint32_t *matrix) {
    const unsigned each = 32u / f->bits;
    for (unsigned r = 0; r < f->registers; r++) {
        uint32_t *d = LANES_ALIGNED(uint32_t, registers[r]);
        uint32_t words[LANES] = {0};
        for (unsigned i = 0; i < each; i++) {
            const unsigned e = r * each + i, tile = e / f->per % f->tiles;
            const uint32_t *from =
                matrix + ir_tile_major(f, tile) * f->minors + ir_tile_minor(f, tile) + e % f->per;
            for (unsigned l = 0; l < LANES; l++)
                words[l] |= from[l / 4 * f->minors + l % 4 * f->per] << i * f->bits;
        }
        for (unsigned l = 0; l < LANES; l++)
            d[l] = warp->lanes[l] ? words[l] : d[l];
    }
}

// The registers of a vector operand (or of a single register). False: not as many, or not as
// wide, as the fragment needs.
static inline bool mma_registers(struct sim_decoder *decoder, const struct ir_instruction *ir,
                                 const struct ir_operand *operand, const struct ir_fragment *f,
                                 sim_ref *registers) {
    const bool is_vector = operand->kind == IR_OPERAND_VECTOR;
    const struct ir_operand *elements = is_vector ? operand->elements : operand;
    if ((is_vector ? operand->element_count : 1) != f->registers)
        return false;
    for (unsigned r = 0; r < f->registers; r++) {
        if (elements[r].kind != IR_OPERAND_SINK &&
            sim_decoder_operand_bytes(decoder, &elements[r]) != (f->bits == 64 ? 8 : 4))
            return false;
        registers[r] = sim_operand_ref(decoder, ir, &elements[r]);
    }
    return true;
}

// Of an element of a factor in a register; where many elements are bits they come as words of 32.
static inline unsigned mma_bits(enum ptx_type type) {
    return type == PTX_S4 || type == PTX_U4 ? 4 : type == PTX_B1 ? 32 : 8 * ptx_type_bytes(type);
}

// All 32 lanes execute a matrix instruction together. False: the handler returns NULL.
static inline bool mma_all_lanes(struct sim_warp *warp, const struct sim_instr *instr) {
    if (warp->is_full)
        return true;
    if (!sim_gather(warp, instr, FULL_MASK))
        return false;
    if (warp->is_full)
        return true;
    sim_raise(warp, instr, SIM_FAULT_ILLEGAL_INSTRUCTION, (unsigned)__builtin_ctz(~warp->mask), 0,
              "a matrix instruction needs all lanes of the warp, but lanes 0x%08x have ended",
              ~warp->mask);
    return false;
}

// ---- Products -----------------------------------------------------------------------------

// D = A * B + C of numbers of a type, as bits. A has shape.m rows of `depth` elements, one row
// after the other; B has shape.k rows of shape.n; C and D have shape.m rows of shape.n.
struct mma_product {
    struct ir_matrix_shape shape;
    unsigned depth; // products of an element of D: shape.k, or half of it where A is sparse
    enum ptx_type a_type, b_type, c_type, d_type;
    bool saturate;
    bool is_negated;   // A * -B
    bool is_warpgroup; // what wgmma computes, not mma
    bool in_fours;     // four products and C at once, then the next four: wmma of tf32
    bool is_and;       // of bits; else exclusive or
    // Sparse: which row of B each element of A meets. NULL: all in their order.
    const uint8_t *pick;
};

// B, prepared for one or several products with it: by rows, as B itself.
struct mma_columns {
    const uint32_t *raw;
    int16_t *value;       // significands of floats, or integers
    int16_t *exponent;    // of floats
    uint8_t *has_special; // by column: it holds an infinity or NaN
};

void SIM_NAME(mma_prepare_float)(const struct mma_product *product, const uint32_t *b,
                                 struct mma_columns *columns);
void SIM_NAME(mma_prepare_int)(const struct mma_product *product, const uint32_t *b,
                               struct mma_columns *columns);

// `columns` points to room for as many elements as B has.
static inline void mma_prepare(const struct mma_product *product, const uint32_t *b,
                               struct mma_columns *columns) {
    columns->raw = b;
    if (ptx_type_class(product->b_type) == PTX_CLASS_FLOAT)
        SIM_NAME(mma_prepare_float)(product, b, columns);
    else if (product->b_type != PTX_B1)
        SIM_NAME(mma_prepare_int)(product, b, columns);
}

typedef void mma_function(const struct mma_product *, const uint32_t *, const struct mma_columns *,
                          const uint32_t *, uint32_t *);
void SIM_NAME(mma_product_float)(const struct mma_product *product, const uint32_t *a,
                                 const struct mma_columns *b, const uint32_t *c, uint32_t *d);
void SIM_NAME(mma_product_int)(const struct mma_product *product, const uint32_t *a,
                               const struct mma_columns *b, const uint32_t *c, uint32_t *d);
void SIM_NAME(mma_product_bits)(const struct mma_product *product, const uint32_t *a,
                                const struct mma_columns *b, const uint32_t *c, uint32_t *d);

// ---- Sparse A -----------------------------------------------------------------------------

enum { MMA_MAX_PICKS = 16 * 64 };

// Metadata has 4 bits for two elements out of four, for one out of two of tf32, and for two pairs
// out of four of 4-bit integers: so many for a row of A.
static inline unsigned mma_nibbles(const struct mma_product *p) {
    return p->depth * (p->a_type == PTX_TF32 ? 2 : 1) / (mma_bits(p->a_type) == 4 ? 4 : 2);
}

static inline bool mma_has_selector(const struct mma_product *p, uint64_t selector) {
    return selector < 16 / mma_nibbles(p);
}

// Metadata as 32 lanes hold it, and which of them count.
struct mma_metadata {
    const uint32_t *lanes;
    unsigned selector;
};

// Fills 16 rows of `depth` picks. Returns a bit for each odd row: there the halves of an element of
// tf32 come from different places, which the ISA leaves undefined.
uint32_t SIM_NAME(mma_read_metadata)(const struct mma_product *product,
                                     struct mma_metadata metadata, uint8_t *pick);
// D's odd rows.
void SIM_NAME(mma_product_odd)(const struct mma_product *product, struct mma_metadata metadata,
                               uint32_t rows, const uint32_t *a, const struct mma_columns *b,
                               const uint32_t *c, uint32_t *d);

// 16 rows with a sparse A.
static inline void mma_product_sparse(const struct mma_product *dense, mma_function *function,
                                      struct mma_metadata metadata, const uint32_t *a,
                                      const struct mma_columns *b, const uint32_t *c, uint32_t *d) {
    uint8_t pick[MMA_MAX_PICKS];
    struct mma_product product = *dense;
    const uint32_t odd = SIM_NAME(mma_read_metadata)(&product, metadata, pick);
    product.pick = pick;
    function(&product, a, b, c, d);
    if (odd)
        SIM_NAME(mma_product_odd)(dense, metadata, odd, a, b, c, d);
}

#endif
