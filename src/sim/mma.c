// mma.sync, wmma.mma: D = A * B + C, all of them in the registers of a warp.
#include "sim/mma.h"
#include "sim/op_float64.h"

struct plan {
    struct mma_product product;
    struct mma_fragment a, b, c, d;
    sim_ref ra[MMA_MAX_REGISTERS], rb[MMA_MAX_REGISTERS];
    sim_ref rc[MMA_MAX_REGISTERS], rd[MMA_MAX_REGISTERS];
};

// From rows of majors to rows of the matrix, and back, where the two differ.
static void transpose(const uint32_t *from, unsigned rows, unsigned columns, uint32_t *to) {
    for (unsigned r = 0; r < rows; r++)
        for (unsigned c = 0; c < columns; c++)
            to[c * rows + r] = from[r * columns + c];
}

typedef void product_function(const struct mma_product *, const uint32_t *, const uint32_t *,
                              const uint32_t *, uint32_t *);

LANES_INLINE const struct sim_instr *multiply(struct sim_warp *warp, const struct sim_instr *instr,
                                              product_function *function) {
    const struct plan *plan = instr->extra;
    uint32_t a[MMA_MAX_ELEMENTS], b[MMA_MAX_ELEMENTS], c[MMA_MAX_ELEMENTS], d[MMA_MAX_ELEMENTS];
    uint32_t other[MMA_MAX_ELEMENTS];
    if (!mma_all_lanes(warp, instr))
        return NULL;
    mma_unpack(warp, &plan->a, plan->ra, a);
    mma_unpack(warp, &plan->b, plan->rb, b);
    mma_unpack(warp, &plan->c, plan->rc, c);
    const bool is_turned = plan->c.major_is_column;
    if (is_turned)
        transpose(c, plan->c.majors, plan->c.minors, other);
    function(&plan->product, a, b, is_turned ? other : c, d);
    if (is_turned)
        transpose(d, plan->d.minors, plan->d.majors, other);
    mma_pack(warp, &plan->d, plan->rd, is_turned ? other : d);
    return instr + 1;
}

static const struct sim_instr *multiply_float(struct sim_warp *warp,
                                              const struct sim_instr *instr) {
    return multiply(warp, instr, SIM_NAME(mma_product_float));
}

static const struct sim_instr *multiply_int(struct sim_warp *warp, const struct sim_instr *instr) {
    return multiply(warp, instr, SIM_NAME(mma_product_int));
}

// ---- Double precision: one fused multiply-add after the other ------------------------------

static void read_doubles(const struct sim_warp *warp, const struct mma_fragment *f,
                         const sim_ref *registers, double *matrix) {
    for (unsigned e = 0; e < f->registers; e++) {
        const unsigned tile = e / f->per;
        const double *r = LANES_ALIGNED(const double, registers[e]);
        for (unsigned l = 0; l < LANES; l++)
            matrix[(mma_tile_major(f, tile) + l / 4) * f->minors + mma_tile_minor(f, tile) +
                   l % 4 * f->per + e % f->per] = r[l];
    }
}

static void write_doubles(const struct sim_warp *warp, const struct mma_fragment *f,
                          const sim_ref *registers, const double *matrix) {
    for (unsigned e = 0; e < f->registers; e++) {
        const unsigned tile = e / f->per;
        double *r = LANES_ALIGNED(double, registers[e]);
        for (unsigned l = 0; l < LANES; l++)
            r[l] = matrix[(mma_tile_major(f, tile) + l / 4) * f->minors + mma_tile_minor(f, tile) +
                          l % 4 * f->per + e % f->per];
    }
}

static const struct sim_instr *multiply_double(struct sim_warp *warp,
                                               const struct sim_instr *instr) {
    const struct plan *plan = instr->extra;
    const struct mma_shape shape = plan->product.shape;
    double a[MMA_MAX_ELEMENTS], b[MMA_MAX_ELEMENTS], c[MMA_MAX_ELEMENTS];
    if (!mma_all_lanes(warp, instr))
        return NULL;
    read_doubles(warp, &plan->a, plan->ra, a);
    read_doubles(warp, &plan->b, plan->rb, b);
    read_doubles(warp, &plan->c, plan->rc, c);
    for (unsigned i = 0; i < shape.m * shape.n; i++)
        for (unsigned k = 0; k < shape.k; k++) {
            const double x = a[i / shape.n * shape.k + k], y = b[i % shape.n * shape.k + k];
            c[i] = f64_result3(__builtin_fma(x, y, c[i]), x, y, c[i]);
        }
    write_doubles(warp, &plan->d, plan->rd, c);
    return instr + 1;
}

// ---- Choosing -----------------------------------------------------------------------------

static unsigned bits_of(enum ptx_type type) {
    return 8 * ptx_type_bytes(type);
}

// Which shapes a type of factors has. wmma knows three shapes for factors of 16 and 8 bits.
static bool has_shape(enum ptx_type type, struct mma_shape s, bool is_wmma) {
    if (is_wmma && s.k == 16 && bits_of(type) < 32)
        return s.m * s.n == 256;
    if (is_wmma)
        return type == PTX_TF32 ? s.m == 16 && s.n == 16 && s.k == 8
                                : type == PTX_F64 && s.m == 8 && s.n == 8 && s.k == 4;
    switch (type) {
    case PTX_F16:
    case PTX_BF16:
        return s.m == 16 && s.n == 8 && (s.k == 8 || s.k == 16);
    case PTX_TF32:
        return s.m == 16 && s.n == 8 && (s.k == 4 || s.k == 8);
    case PTX_E4M3:
    case PTX_E5M2:
        return s.m == 16 && s.n == 8 && s.k == 32;
    case PTX_F64:
        return s.n == 8 && (s.m == 8 ? s.k == 4 : s.m == 16 && s.k <= 16);
    default:
        return s.n == 8 && (s.m == 8 ? s.k == 16 : s.m == 16 && (s.k == 16 || s.k == 32));
    }
}

static bool select_product(struct sim_decoder *decoder, const struct ir_instruction *ir,
                           struct sim_instr *out, struct mma_product product, bool is_wmma) {
    const enum ptx_type type = product.a_type;
    product.shape = mma_shape_of(ir);
    product.saturate = lanes_modifier(ir, PTX_GROUP_mode) == PTX_MOD_satfinite;
    const bool is_same =
        type == product.b_type || (bits_of(type) == 8 && bits_of(product.b_type) == 8 && !is_wmma);
    const bool takes_half = type == PTX_F16;
    if (!is_same || !has_shape(type, product.shape, is_wmma) ||
        (!takes_half && (product.c_type == PTX_F16 || product.d_type == PTX_F16)))
        return false;
    struct plan *plan = sim_decoder_alloc(decoder, sizeof *plan);
    plan->product = product;
    plan->a = mma_fragment_of(product.shape, MMA_A, bits_of(type));
    plan->b = mma_fragment_of(product.shape, MMA_B, bits_of(product.b_type));
    plan->c = mma_fragment_of(product.shape, MMA_C, bits_of(product.c_type));
    plan->d = mma_fragment_of(product.shape, MMA_C, bits_of(product.d_type));
    if (is_wmma && type == PTX_F16)
        plan->a.registers = plan->b.registers = MMA_MAX_REGISTERS;
    if (!mma_registers(decoder, ir, &ir->operands[0], &plan->d, plan->rd) ||
        !mma_registers(decoder, ir, &ir->operands[1], &plan->a, plan->ra) ||
        !mma_registers(decoder, ir, &ir->operands[2], &plan->b, plan->rb) ||
        !mma_registers(decoder, ir, &ir->operands[3], &plan->c, plan->rc))
        return false;
    out->extra = plan;
    const enum ptx_type_class class = ptx_type_class(type);
    out->run[0] = out->run[1] = type == PTX_F64            ? multiply_double
                                : class == PTX_CLASS_FLOAT ? multiply_float
                                                           : multiply_int;
    return true;
}

LANES_SELECT(mma) {
    const struct mma_product product = {.d_type = lanes_type(ir, 0),
                                        .a_type = lanes_type(ir, 1),
                                        .b_type = lanes_type(ir, 2),
                                        .c_type = lanes_type(ir, 3)};
    return select_product(decoder, ir, out, product, false);
}

// With factors of type f16 only the types of D and C are written.
LANES_SELECT(wmma_mma) {
    struct mma_product product = {.d_type = lanes_type(ir, 0), .c_type = lanes_type(ir, 1)};
    product.a_type = product.b_type = PTX_F16;
    if (ir->ptx->type_count == 4) {
        product.a_type = lanes_type(ir, 1);
        product.b_type = lanes_type(ir, 2);
        product.c_type = lanes_type(ir, 3);
    }
    return select_product(decoder, ir, out, product, true);
}

// ---- movmatrix: each lane gets what it would hold of the transposed 8x8 matrix --------------

static const struct sim_instr *move_matrix(struct sim_warp *warp, const struct sim_instr *instr) {
    if (!mma_all_lanes(warp, instr))
        return NULL;
    const uint32_t *s = LANES_ALIGNED(const uint32_t, instr->operand[1]);
    uint32_t *d = LANES_ALIGNED(uint32_t, instr->operand[0]);
    uint16_t matrix[8][8];
    for (unsigned l = 0; l < LANES; l++) {
        matrix[l / 4][l % 4 * 2] = (uint16_t)s[l];
        matrix[l / 4][l % 4 * 2 + 1] = (uint16_t)(s[l] >> 16);
    }
    for (unsigned l = 0; l < LANES; l++)
        d[l] = matrix[l % 4 * 2][l / 4] | (uint32_t)matrix[l % 4 * 2 + 1][l / 4] << 16;
    return instr + 1;
}

LANES_SELECT(movmatrix) {
    out->run[0] = out->run[1] = move_matrix;
    return sim_decoder_operand_bytes(decoder, &ir->operands[1]) == 4 &&
           sim_decoder_operand_bytes(decoder, &ir->operands[0]) == 4;
}
