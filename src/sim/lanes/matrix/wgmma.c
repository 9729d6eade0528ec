// wgmma.mma_async: D = A * B + D by the four warps of a warpgroup, 16 of the 64 rows each. B is in
// shared memory, A there or in registers.
//
// The product is computed at once, which the ISA allows (it may be complete at any time before the
// wait that asks for it), so fences, commits and waits only tell observers (op/nop.c). The reads
// of shared memory belong to no site: they are free of conflicts in every layout that was measured,
// see docs/bank-rules.md. Observers that want them hear of pieces of 16 bytes, as the last warp's
// to come.
#include "sim/flow/warpgroup.h"
#include "sim/lanes/matrix/wgmma_tile.h"

enum {
    ROWS = 64,
    WARP_ROWS = 16,
    MAX_DEPTH = 64,
    MAX_B = MAX_DEPTH * MMA_MAX_COLUMNS,
    A_BYTES = 32, // of a row; what is there of it when it is sparse
    A_REGISTERS = 4,
    MAX_D_REGISTERS = 128,
};

struct wgmma {
    struct sim_access access;   // first: instr->access points to it
    struct mma_product product; // of one warp
    struct ir_fragment a, d;
    bool a_in_registers, a_is_transposed, b_is_transposed, is_sparse;
    bool scale_is_negated;
    sim_ref a_descriptor, b_descriptor, scale, metadata;
    unsigned selector;
    mma_function *function;
    sim_ref ra[A_REGISTERS], rd[MAX_D_REGISTERS];
};

// Everything of one product; too large for the stack of a thread.
struct work {
    uint32_t a[ROWS * MAX_DEPTH / 2], b[MAX_B];
    uint32_t c[WARP_ROWS * MMA_MAX_COLUMNS], d[WARP_ROWS * MMA_MAX_COLUMNS];
    int16_t value[MAX_B], exponent[MAX_B];
    uint8_t special[MMA_MAX_COLUMNS];
    struct mma_columns columns;
};

static struct work *work_of(struct sim_worker *worker) {
    if (!worker->scratch)
        worker->scratch = base_alloc_aligned(64, sizeof(struct work));
    return worker->scratch;
}

// All lanes of the warpgroup bring the same descriptor.
static uint64_t first_value(const struct sim_warp *warp, sim_ref ref) {
    return *LANES_ALIGNED(const uint64_t, ref);
}

static bool read_matrix(struct sim_warp *warp, const struct sim_instr *instr, uint64_t descriptor,
                        bool is_transposed, const struct wgmma_shape *shape, char name,
                        uint32_t *elements) {
    const struct wgmma_tile tile = SIM_NAME(wgmma_read_descriptor)(descriptor, is_transposed);
    uint32_t offset;
    if (SIM_NAME(wgmma_read_tile)(warp->block, &tile, shape, elements, &offset)) {
        SIM_NAME(wgmma_tell_tile)(warp, instr, &tile, shape);
        return true;
    }
    sim_raise(warp, instr, SIM_FAULT_ILLEGAL_ADDRESS, 0, offset,
              "matrix %c, which starts at shared address 0x%x: reads 16 bytes at 0x%x, but the "
              "block has %u bytes of shared memory",
              name, tile.start, offset, warp->block->shared_bytes);
    return false;
}

static bool read_matrices(struct sim_warp *warp, const struct sim_instr *instr,
                          const struct sim_warp *first, struct work *work) {
    const struct wgmma *w = instr->extra;
    const struct mma_product *p = &w->product;
    const unsigned bits = mma_bits(p->a_type), n = p->shape.n, k = p->shape.k;
    const struct wgmma_shape by_rows = {ROWS, p->depth, bits, p->depth, 1};
    const struct wgmma_shape a_by_columns = {p->depth, ROWS, bits, 1, p->depth};
    const struct wgmma_shape by_columns = {n, k, bits, 1, n};
    const struct wgmma_shape b_by_rows = {k, n, bits, n, 1};
    if (!w->a_in_registers &&
        !read_matrix(warp, instr, first_value(first, w->a_descriptor), w->a_is_transposed,
                     w->a_is_transposed ? &a_by_columns : &by_rows, 'A', work->a))
        return false;
    return read_matrix(warp, instr, first_value(first, w->b_descriptor), w->b_is_transposed,
                       w->b_is_transposed ? &b_by_rows : &by_columns, 'B', work->b);
}

// One warp's rows.
static void multiply_rows(struct sim_warp *warp, const struct wgmma *w, unsigned quarter,
                          struct work *work) {
    const struct mma_product *p = &w->product;
    uint32_t *a = work->a + quarter * WARP_ROWS * p->depth;
    const bool adds = (*LANES_ALIGNED(const uint32_t, w->scale) & 1) != w->scale_is_negated;
    if (w->a_in_registers)
        mma_unpack(warp, &w->a, w->ra, a);
    if (adds)
        mma_unpack(warp, &w->d, w->rd, work->c);
    else
        memset(work->c, 0, WARP_ROWS * p->shape.n * sizeof work->c[0]);
    const struct mma_metadata metadata = {LANES_ALIGNED(const uint32_t, w->metadata), w->selector};
    if (w->is_sparse)
        mma_product_sparse(p, w->function, metadata, a, &work->columns, work->c, work->d);
    else
        w->function(p, a, &work->columns, work->c, work->d);
    mma_pack(warp, &w->d, w->rd, work->d);
}

static const struct sim_instr *multiply(struct sim_warp *warp, const struct sim_instr *instr) {
    const struct wgmma *w = instr->extra;
    struct sim_warp group[SIM_GROUP_WARPS];
    const struct sim_instr *next;
    struct work *work = work_of(warp->block->worker);
    if (!sim_warpgroup_arrive(warp, instr, group, &next))
        return next;
    if (!read_matrices(warp, instr, &group[0], work))
        return NULL;
    work->columns = (struct mma_columns){
        .value = work->value, .exponent = work->exponent, .has_special = work->special};
    mma_prepare(&w->product, work->b, &work->columns);
    for (unsigned i = 0; i < SIM_GROUP_WARPS; i++)
        multiply_rows(&group[i], w, i, work);
    sim_warpgroup_release(warp, instr);
    return instr + 1;
}

// ---- Choosing -----------------------------------------------------------------------------

static bool has_types(const struct mma_product *p, unsigned bytes) {
    const enum ptx_type type = p->a_type;
    const bool is_byte = mma_bits(type) == 8;
    if ((type != p->b_type && !(is_byte && mma_bits(p->b_type) == 8)) ||
        (p->d_type == PTX_F16 && (type == PTX_BF16 || type == PTX_TF32)))
        return false;
    return p->depth * mma_bits(type) == 8 * bytes;
}

// 1 or -1: false where it is neither.
static bool read_sign(const struct ir_operand *operand, bool *is_negated) {
    *is_negated ^= operand->value == UINT32_MAX;
    return operand->value == 1 || operand->value == UINT32_MAX;
}

static bool read_descriptor(struct sim_decoder *decoder, const struct ir_instruction *ir,
                            const struct ir_operand *operand, sim_ref *ref) {
    *ref = sim_operand_ref(decoder, ir, operand);
    return operand->kind == IR_OPERAND_REGISTER;
}

static bool read_metadata(struct sim_decoder *decoder, const struct ir_instruction *ir,
                          struct wgmma *w) {
    const struct ir_operand *metadata = &ir->operands[3], *selector = &ir->operands[4];
    w->metadata = sim_operand_ref(decoder, ir, metadata);
    w->selector = (unsigned)selector->value;
    return mma_has_selector(&w->product, selector->value);
}

// scale-d, then the scales of floats and, with 16-bit factors, which matrices are transposed.
static bool read_scales(struct sim_decoder *decoder, const struct ir_instruction *ir,
                        struct wgmma *w, unsigned first) {
    const struct ir_operand *scale = &ir->operands[first];
    const bool is_half = mma_bits(w->product.a_type) == 16;
    const bool is_float = ptx_type_class(w->product.a_type) == PTX_CLASS_FLOAT;
    const unsigned transposed = !is_half ? 0 : w->a_in_registers ? 1 : 2;
    if (ir->operand_count != first + 1 + (is_float ? 2 : 0) + transposed ||
        (scale->kind == IR_OPERAND_REGISTER && sim_decoder_operand_bytes(decoder, scale) != 0))
        return false;
    w->scale = sim_operand_ref(decoder, ir, scale);
    w->scale_is_negated = scale->is_negated;
    if (is_float && (!read_sign(&ir->operands[first + 1], &w->product.is_negated) ||
                     !read_sign(&ir->operands[first + 2], &w->product.is_negated)))
        return false;
    for (unsigned i = 0; i < transposed; i++) {
        const struct ir_operand *operand = &ir->operands[first + 3 + i];
        *(i + 1 == transposed ? &w->b_is_transposed : &w->a_is_transposed) = operand->value == 1;
        if (operand->value > 1)
            return false;
    }
    return true;
}

static struct mma_product product_of(const struct ir_instruction *ir, bool is_sparse) {
    struct mma_product p = {.shape = ir_matrix_shape_of(ir->ptx),
                            .c_type = lanes_type(ir, 0),
                            .d_type = lanes_type(ir, 0),
                            .a_type = lanes_type(ir, 1),
                            .b_type = lanes_type(ir, 2),
                            .saturate = lanes_modifier(ir, PTX_GROUP_mode) == PTX_MOD_satfinite,
                            .is_and = true,
                            .is_warpgroup = true};
    p.shape.m = WARP_ROWS;
    if (p.a_type == PTX_B1)
        p.shape.k /= 32;
    p.depth = is_sparse ? p.shape.k / 2 : p.shape.k;
    return p;
}

LANES_SELECT(wgmma) {
    struct wgmma *w = sim_decoder_alloc(decoder, sizeof *w);
    w->access = (struct sim_access){
        .site = IR_NONE, .completion = EVENT_BY_WGMMA_GROUP, .proxy = EVENT_ASYNC_PROXY};
    w->is_sparse = lanes_modifier(ir, PTX_GROUP_variant) == PTX_MOD_sp;
    w->product = product_of(ir, w->is_sparse);
    w->a_in_registers = ir->operands[1].kind == IR_OPERAND_VECTOR;
    const struct mma_product *p = &w->product;
    struct ir_matrix_shape stored = p->shape;
    stored.k = p->depth;
    w->a = ir_fragment_of(stored, IR_MATRIX_A, mma_bits(p->a_type));
    w->d = ir_fragment_of(p->shape, IR_MATRIX_C, mma_bits(p->d_type));
    const enum ptx_type_class class = ptx_type_class(p->a_type);
    w->function = p->a_type == PTX_B1        ? SIM_NAME(mma_product_bits)
                  : class == PTX_CLASS_FLOAT ? SIM_NAME(mma_product_float)
                                             : SIM_NAME(mma_product_int);
    out->extra = w;
    out->run[0] = out->run[1] = multiply;
    return has_types(p, A_BYTES) && mma_registers(decoder, ir, &ir->operands[0], &w->d, w->rd) &&
           (w->a_in_registers ? mma_registers(decoder, ir, &ir->operands[1], &w->a, w->ra)
                              : read_descriptor(decoder, ir, &ir->operands[1], &w->a_descriptor)) &&
           read_descriptor(decoder, ir, &ir->operands[2], &w->b_descriptor) &&
           (!w->is_sparse || read_metadata(decoder, ir, w)) &&
           read_scales(decoder, ir, w, w->is_sparse ? 5 : 3);
}
