// mma.sync, wmma.mma: D = A * B + C, all of them in the registers of a warp.
#include "sim/lanes/matrix/mma.h"
#include "sim/lanes/op/float.h"

struct plan {
    struct mma_product product;
    struct ir_fragment a, b, c, d;
    sim_ref ra[MMA_MAX_REGISTERS], rb[MMA_MAX_REGISTERS];
    sim_ref rc[MMA_MAX_REGISTERS], rd[MMA_MAX_REGISTERS];
    bool is_sparse;
    sim_ref metadata;
    unsigned selector;
};

// From rows of majors to rows of the matrix, and back, where the two differ.
static void transpose(const uint32_t *from, unsigned rows, unsigned columns, uint32_t *to) {
    for (unsigned r = 0; r < rows; r++)
        for (unsigned c = 0; c < columns; c++)
            to[c * rows + r] = from[r * columns + c];
}

LANES_INLINE const struct sim_instr *multiply(struct sim_warp *warp, const struct sim_instr *instr,
                                              mma_function *function) {
    const struct plan *plan = instr->extra;
    const struct mma_product *product = &plan->product;
    uint32_t a[MMA_MAX_ELEMENTS], b[MMA_MAX_ELEMENTS], c[MMA_MAX_ELEMENTS], d[MMA_MAX_ELEMENTS];
    uint32_t other[MMA_MAX_ELEMENTS];
    int16_t value[MMA_MAX_ELEMENTS], exponent[MMA_MAX_ELEMENTS];
    uint8_t special[MMA_MAX_COLUMNS];
    struct mma_columns columns = {.value = value, .exponent = exponent, .has_special = special};
    if (!mma_all_lanes(warp, instr))
        return NULL;
    mma_unpack(warp, &plan->a, plan->ra, a);
    mma_unpack(warp, &plan->b, plan->rb, other);
    transpose(other, plan->b.majors, plan->b.minors, b);
    mma_prepare(product, b, &columns);
    mma_unpack(warp, &plan->c, plan->rc, c);
    const bool is_turned = plan->c.major_is_column;
    if (is_turned)
        transpose(c, plan->c.majors, plan->c.minors, other);
    const struct mma_metadata metadata = {LANES_ALIGNED(const uint32_t, plan->metadata),
                                          plan->selector};
    if (plan->is_sparse)
        mma_product_sparse(product, function, metadata, a, &columns, c, d);
    else
        function(product, a, &columns, is_turned ? other : c, d);
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

static const struct sim_instr *multiply_bits(struct sim_warp *warp, const struct sim_instr *instr) {
    return multiply(warp, instr, SIM_NAME(mma_product_bits));
}

// ---- Double precision: one fused multiply-add after the other ------------------------------

static void read_doubles(const struct sim_warp *warp, const struct ir_fragment *f,
                         const sim_ref *registers, double *matrix) {
    for (unsigned e = 0; e < f->registers; e++) {
        const unsigned tile = e / f->per;
        const double *r = LANES_ALIGNED(const double, registers[e]);
        for (unsigned l = 0; l < LANES; l++)
            matrix[(ir_tile_major(f, tile) + l / 4) * f->minors + ir_tile_minor(f, tile) +
                   l % 4 * f->per + e % f->per] = r[l];
    }
}

static void write_doubles(const struct sim_warp *warp, const struct ir_fragment *f,
                          const sim_ref *registers, const double *matrix) {
    for (unsigned e = 0; e < f->registers; e++) {
        const unsigned tile = e / f->per;
        double *r = LANES_ALIGNED(double, registers[e]);
        for (unsigned l = 0; l < LANES; l++)
            r[l] = matrix[(ir_tile_major(f, tile) + l / 4) * f->minors + ir_tile_minor(f, tile) +
                          l % 4 * f->per + e % f->per];
    }
}

static const struct sim_instr *multiply_double(struct sim_warp *warp,
                                               const struct sim_instr *instr) {
    const struct plan *plan = instr->extra;
    const struct ir_matrix_shape shape = plan->product.shape;
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

// Which shapes a type of factors has with mma.
static bool has_shape(enum ptx_type type, struct ir_matrix_shape s) {
    if (type == PTX_F64)
        return s.n == 8 && (s.m == 8 ? s.k == 4 : s.m == 16 && s.k <= 16);
    const unsigned word = mma_bits(type) == 32 ? 4 : 128 / mma_bits(type); // in 16 bytes
    if (type == PTX_S8 || type == PTX_U8 || type == PTX_S4 || type == PTX_U4 || type == PTX_B1)
        return s.n == 8 && (s.m == 8 ? s.k == word : s.k == word || s.k == 2 * word);
    return s.m == 16 && s.n == 8 && (s.k == word || s.k == 2 * word);
}

static bool has_sparse_shape(enum ptx_type type, struct ir_matrix_shape s) {
    const unsigned bits = mma_bits(type), word = 128 / bits;
    if (type == PTX_E4M3 || type == PTX_E5M2)
        return s.k == 4 * word;
    return s.k == 2 * word || s.k == 4 * word;
}

// Three shapes for factors of 16 and 8 bits, one for all others.
static bool has_wmma_shape(enum ptx_type type, struct ir_matrix_shape s) {
    switch (type) {
    case PTX_TF32:
        return s.m == 16 && s.n == 16 && s.k == 8;
    case PTX_F64:
        return s.m == 8 && s.n == 8 && s.k == 4;
    case PTX_S4:
    case PTX_U4:
        return s.m == 8 && s.n == 8 && s.k == 32;
    case PTX_B1:
        return s.m == 8 && s.n == 8 && s.k == 4;
    default:
        return s.k == 16 && s.m * s.n == 256;
    }
}

// The layouts of 4-bit integers and bits are fixed.
static bool has_wmma_layout(const struct ir_instruction *ir, enum ptx_type type) {
    return mma_bits(type) != 4 || (lanes_modifier(ir, PTX_GROUP_layout) == PTX_MOD_row &&
                                   lanes_modifier(ir, PTX_GROUP_layout2) == PTX_MOD_col);
}

static bool has_types(const struct mma_product *p, bool is_wmma) {
    const bool has_half = p->c_type == PTX_F16 || p->d_type == PTX_F16;
    const bool is_byte = mma_bits(p->a_type) == 8,
               is_float = ptx_type_class(p->a_type) == PTX_CLASS_FLOAT;
    if (p->a_type != p->b_type &&
        (is_wmma || mma_bits(p->a_type) != mma_bits(p->b_type) || mma_bits(p->a_type) > 8))
        return false;
    if (has_half && !is_wmma && p->c_type != p->d_type)
        return false;
    return !has_half || p->a_type == PTX_F16 || (is_byte && is_float && !is_wmma);
}

static bool decode_registers(struct sim_decoder *decoder, const struct ir_instruction *ir,
                             struct plan *plan) {
    return mma_registers(decoder, ir, &ir->operands[0], &plan->d, plan->rd) &&
           mma_registers(decoder, ir, &ir->operands[1], &plan->a, plan->ra) &&
           mma_registers(decoder, ir, &ir->operands[2], &plan->b, plan->rb) &&
           mma_registers(decoder, ir, &ir->operands[3], &plan->c, plan->rc);
}

static bool select_product(struct sim_decoder *decoder, const struct ir_instruction *ir,
                           struct sim_instr *out, struct plan *plan, bool is_wmma) {
    struct mma_product *p = &plan->product;
    const unsigned bits = mma_bits(p->a_type);
    p->saturate = lanes_modifier(ir, PTX_GROUP_mode) == PTX_MOD_satfinite;
    p->is_and = lanes_modifier(ir, PTX_GROUP_bool) == PTX_MOD_and;
    p->depth = plan->is_sparse ? p->shape.k / 2 : p->shape.k;
    struct ir_matrix_shape stored = p->shape;
    stored.k = p->depth;
    plan->a = ir_fragment_of(stored, IR_MATRIX_A, p->a_type == PTX_F64 ? 64 : bits);
    plan->b = ir_fragment_of(p->shape, IR_MATRIX_B, p->a_type == PTX_F64 ? 64 : bits);
    plan->c = ir_fragment_of(p->shape, IR_MATRIX_C, mma_bits(p->c_type));
    plan->d = ir_fragment_of(p->shape, IR_MATRIX_C, mma_bits(p->d_type));
    if (is_wmma && p->a_type == PTX_F16)
        plan->a.registers = plan->b.registers = MMA_MAX_REGISTERS;
    if (!has_types(p, is_wmma) || !decode_registers(decoder, ir, plan))
        return false;
    out->extra = plan;
    const enum ptx_type_class class = ptx_type_class(p->a_type);
    out->run[0] = out->run[1] = p->a_type == PTX_F64       ? multiply_double
                                : p->a_type == PTX_B1      ? multiply_bits
                                : class == PTX_CLASS_FLOAT ? multiply_float
                                                           : multiply_int;
    return true;
}

// D, A, B, C as written. Many bits are counted in words of 32.
static struct plan *plan_of(struct sim_decoder *decoder, const struct ir_instruction *ir) {
    struct plan *plan = sim_decoder_alloc(decoder, sizeof *plan);
    plan->product = (struct mma_product){.shape = ir_matrix_shape_of(ir->ptx),
                                         .d_type = lanes_type(ir, 0),
                                         .a_type = lanes_type(ir, 1),
                                         .b_type = lanes_type(ir, 2),
                                         .c_type = lanes_type(ir, 3)};
    if (plan->product.a_type == PTX_B1)
        plan->product.shape.k /= 32;
    return plan;
}

LANES_SELECT(mma) {
    struct plan *plan = plan_of(decoder, ir);
    return has_shape(plan->product.a_type, plan->product.shape) &&
           select_product(decoder, ir, out, plan, false);
}

LANES_SELECT(mma_sparse) {
    struct plan *plan = plan_of(decoder, ir);
    const struct ir_operand *metadata = &ir->operands[4], *selector = &ir->operands[5];
    plan->is_sparse = true;
    if (!has_sparse_shape(plan->product.a_type, plan->product.shape) ||
        !select_product(decoder, ir, out, plan, false) ||
        !mma_has_selector(&plan->product, selector->value))
        return false;
    plan->metadata = sim_operand_ref(decoder, ir, metadata);
    plan->selector = (unsigned)selector->value;
    return true;
}

// With factors of type f16 only the types of D and C are written.
LANES_SELECT(wmma_mma) {
    struct plan *plan = plan_of(decoder, ir);
    struct mma_product *p = &plan->product;
    if (ir->ptx->type_count == 2) {
        p->c_type = p->a_type;
        p->a_type = p->b_type = PTX_F16;
    }
    p->in_fours = p->a_type == PTX_TF32;
    return has_wmma_shape(p->a_type, p->shape) && has_wmma_layout(ir, p->a_type) &&
           select_product(decoder, ir, out, plan, true);
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
    return true;
}
