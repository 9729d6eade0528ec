// mma of narrow floats, from sm_120a on: .kind::f8f6f4, and with block scaling .kind::mxf8f6f4,
// .kind::mxf4 and .kind::mxf4nvf4. (PTX ISA, mma and block scaling.)
//
// D = sum over blocks of K (scale_A * scale_B * sum of products) + C. No such machine was measured:
// sums are exact, and rounded to nearest once, at the end. Which lanes hold scales was found out by
// others on an RTX 50: row m of A has its own in lane 4 * (m % 8) + 2 * thread-id + m / 8, column n
// of B in lane 4 * n + thread-id; block b of a row in byte (byte-id + b).
#include <math.h>

#include "ir/number/half.h"
#include "ir/number/narrow.h"
#include "sim/lanes/matrix/mma.h"

__extension__ typedef __int128 int128;

enum { MAX_BLOCKS = 4, SCALE_NAN = 0xff };

// A factor as significand * 2^exponent; `special` is 'n' for NaN, 'i' for infinity.
struct number {
    int32_t significand, exponent;
    char special;
};

struct scale_source {
    sim_ref data;
    unsigned byte, thread;
};

struct scaled_plan {
    struct ir_matrix_shape shape;
    struct ir_fragment a, b, c;
    sim_ref ra[MMA_MAX_REGISTERS], rb[MMA_MAX_REGISTERS];
    sim_ref rc[MMA_MAX_REGISTERS], rd[MMA_MAX_REGISTERS];
    const struct num_narrow *a_format, *b_format;
    unsigned a_shift, b_shift; // of an element in its container
    unsigned blocks;           // of K, each with its scales; 0: no scales
    bool has_fractions;        // scales are ue4m3, not ue8m0
    struct scale_source a_scale, b_scale;
    bool is_half; // C and D
};

static struct number narrow_number(const struct num_narrow *format, uint32_t bits) {
    const unsigned width = (unsigned)(format->fraction + format->exponent);
    const uint32_t rest = bits & ((1u << width) - 1), exponent = rest >> format->fraction;
    const bool is_negative = bits >> width & 1;
    if (format->has_nan && rest > format->largest) // e5m2 alone has infinities
        return (struct number){
            is_negative ? -1 : 1, 0,
            format->fraction == 2 && !(rest & ((1u << format->fraction) - 1)) ? 'i' : 'n'};
    const int32_t significand =
        (int32_t)(rest - (exponent << format->fraction) + (exponent ? 1u << format->fraction : 0));
    return (struct number){is_negative ? -significand : significand,
                           (int32_t)(exponent ? exponent : 1) - format->bias - format->fraction, 0};
}

// Scales have no sign.
static struct number scale_number(const struct scaled_plan *plan, uint32_t byte) {
    if (!plan->has_fractions)
        return (struct number){1, (int32_t)byte - 127, byte == SCALE_NAN ? 'n' : 0};
    return narrow_number(num_narrow_format(PTX_E4M3X2), byte & 0x7f);
}

static void read_scales(const struct sim_warp *warp, const struct scaled_plan *plan,
                        const struct scale_source *source, bool is_a,
                        struct number (*scale)[MAX_BLOCKS]) {
    const uint32_t *data = LANES_ALIGNED(const uint32_t, source->data);
    for (unsigned i = 0; i < (is_a ? plan->shape.m : plan->shape.n); i++) {
        const unsigned lane =
            is_a ? 4 * (i % 8) + 2 * source->thread + i / 8 : 4 * i + source->thread;
        for (unsigned b = 0; b < plan->blocks; b++)
            scale[i][b] = scale_number(plan, data[lane] >> 8 * (source->byte + b) & 0xff);
    }
}

// The exact sum of a block's products is `sum` * 2^-FINEST: two denormals of e5m2 give 2^-32, the
// others more.
enum { FINEST = 32 };

// What is not finite adds up apart: infinities as +-infinity, all else as NaN.
static double special_product(struct number a, struct number b) {
    const bool is_zero = (!a.special && !a.significand) || (!b.special && !b.significand);
    if (a.special == 'n' || b.special == 'n' || is_zero)
        return (double)NAN;
    return (a.significand < 0) != (b.significand < 0) ? -(double)INFINITY : (double)INFINITY;
}

// long double holds 64 bits: a block's sum, scaled, is rounded there at most.
static long double block_sum(const struct scaled_plan *plan, const uint32_t *a, const uint32_t *b,
                             unsigned first, unsigned count) {
    int128 sum = 0;
    double special = 0;
    for (unsigned k = first; k < first + count; k++) {
        const struct number x = narrow_number(plan->a_format, a[k] >> plan->a_shift),
                            y = narrow_number(plan->b_format, b[k] >> plan->b_shift);
        if (x.special || y.special)
            special += special_product(x, y);
        else
            sum += (int128)(x.significand * y.significand) *
                   ((int128)1 << (x.exponent + y.exponent + FINEST));
    }
    return special != 0 ? (long double)special : ldexpl((long double)sum, -FINEST);
}

static uint32_t element(const struct scaled_plan *plan, const uint32_t *a, const uint32_t *b,
                        const struct number *a_scale, const struct number *b_scale, uint32_t c) {
    long double sum =
        (long double)(plan->is_half ? num_f32_of_f16((uint16_t)c) : num_f32_of_bits(c));
    const unsigned blocks = plan->blocks ? plan->blocks : 1, each = plan->shape.k / blocks;
    for (unsigned i = 0; i < blocks; i++) {
        long double part = block_sum(plan, a, b, i * each, each);
        if (plan->blocks && (a_scale[i].special || b_scale[i].special))
            part = (long double)NAN;
        else if (plan->blocks)
            part = ldexpl(part * a_scale[i].significand * b_scale[i].significand,
                          a_scale[i].exponent + b_scale[i].exponent);
        sum += part;
    }
    const float r = (float)sum;
    if (plan->is_half)
        return r != r ? 0x7fff : num_f16_of_f32(r);
    return r != r ? 0x7fffffff : num_bits_of_f32(r);
}

static const struct sim_instr *multiply_scaled(struct sim_warp *warp,
                                               const struct sim_instr *instr) {
    const struct scaled_plan *plan = instr->extra;
    const struct ir_matrix_shape shape = plan->shape;
    uint32_t a[MMA_MAX_ELEMENTS], b[MMA_MAX_ELEMENTS], c[MMA_MAX_ELEMENTS];
    struct number a_scale[16][MAX_BLOCKS], b_scale[8][MAX_BLOCKS];
    if (!mma_all_lanes(warp, instr))
        return NULL;
    mma_unpack(warp, &plan->a, plan->ra, a);
    mma_unpack(warp, &plan->b, plan->rb, b); // by columns
    mma_unpack(warp, &plan->c, plan->rc, c);
    if (plan->blocks) {
        read_scales(warp, plan, &plan->a_scale, true, a_scale);
        read_scales(warp, plan, &plan->b_scale, false, b_scale);
    }
    for (unsigned i = 0; i < shape.m * shape.n; i++) {
        const unsigned row = i / shape.n, column = i % shape.n;
        c[i] = element(plan, a + row * shape.k, b + column * shape.k, a_scale[row], b_scale[column],
                       c[i]);
    }
    mma_pack(warp, &plan->c, plan->rd, c);
    return instr + 1;
}

// ---- Choosing -----------------------------------------------------------------------------

static enum ptx_type pair_of(enum ptx_type type) {
    switch (type) {
    case PTX_E4M3:
        return PTX_E4M3X2;
    case PTX_E5M2:
        return PTX_E5M2X2;
    case PTX_E3M2:
        return PTX_E3M2X2;
    case PTX_E2M3:
        return PTX_E2M3X2;
    default:
        return PTX_E2M1X2;
    }
}

static unsigned block_count(const struct ir_instruction *ir) {
    switch (lanes_modifier(ir, PTX_GROUP_count)) {
    case PTX_MOD_scale_vec_1X:
        return 1;
    case PTX_MOD_scale_vec_2X:
        return 2;
    case PTX_MOD_scale_vec_4X:
        return 4;
    default: // what the kind has
        return lanes_modifier(ir, PTX_GROUP_mode) == PTX_MOD_kind_mxf4 ? 2 : 1;
    }
}

// Operands data, {byte-id, thread-id} from `first` on. The bytes of a row must lie in a register.
static bool decode_scale(struct sim_decoder *decoder, const struct ir_instruction *ir,
                         unsigned first, unsigned blocks, unsigned threads,
                         struct scale_source *source) {
    const struct ir_operand *data = &ir->operands[first], *id = &ir->operands[first + 1];
    if (data->kind == IR_OPERAND_VECTOR && data->element_count == 1)
        data = data->elements;
    if (id->kind != IR_OPERAND_VECTOR || id->element_count != 2 ||
        id->elements[0].kind != IR_OPERAND_IMMEDIATE ||
        id->elements[1].kind != IR_OPERAND_IMMEDIATE ||
        sim_decoder_operand_bytes(decoder, data) != 4)
        return false;
    source->data = sim_operand_ref(decoder, ir, data);
    source->byte = (unsigned)id->elements[0].value;
    source->thread = (unsigned)id->elements[1].value;
    return source->byte % blocks == 0 && source->byte < 4 && source->thread < threads;
}

static bool decode_factors(struct sim_decoder *decoder, const struct ir_instruction *ir,
                           struct scaled_plan *plan, unsigned bits) {
    plan->a = ir_fragment_of(plan->shape, IR_MATRIX_A, bits);
    plan->b = ir_fragment_of(plan->shape, IR_MATRIX_B, bits);
    plan->c = ir_fragment_of(plan->shape, IR_MATRIX_C, plan->is_half ? 16 : 32);
    return mma_registers(decoder, ir, &ir->operands[0], &plan->c, plan->rd) &&
           mma_registers(decoder, ir, &ir->operands[1], &plan->a, plan->ra) &&
           mma_registers(decoder, ir, &ir->operands[2], &plan->b, plan->rb) &&
           mma_registers(decoder, ir, &ir->operands[3], &plan->c, plan->rc);
}

LANES_SELECT(mma_scaled) {
    struct scaled_plan *plan = sim_decoder_alloc(decoder, sizeof *plan);
    const enum ptx_modifier kind = lanes_modifier(ir, PTX_GROUP_mode);
    const bool is_packed = kind == PTX_MOD_kind_mxf4 || kind == PTX_MOD_kind_mxf4nvf4;
    const enum ptx_type a = lanes_type(ir, 1), b = lanes_type(ir, 2);
    *plan = (struct scaled_plan){.shape = ir_matrix_shape_of(ir->ptx),
                                 .a_format = num_narrow_format(pair_of(a)),
                                 .b_format = num_narrow_format(pair_of(b)),
                                 .a_shift = a == PTX_E2M1 && !is_packed ? 2 : 0,
                                 .b_shift = b == PTX_E2M1 && !is_packed ? 2 : 0,
                                 .is_half = lanes_type(ir, 0) == PTX_F16};
    if (lanes_type(ir, 0) != lanes_type(ir, 3) ||
        !decode_factors(decoder, ir, plan, is_packed ? 4 : 8))
        return false;
    if (PTX_HAS(ir->ptx, variant)) {
        plan->blocks = block_count(ir);
        plan->has_fractions = lanes_type(ir, 4) == PTX_UE4M3;
        if (!decode_scale(decoder, ir, 4, plan->blocks, 2, &plan->a_scale) ||
            !decode_scale(decoder, ir, 6, plan->blocks, 4, &plan->b_scale))
            return false;
    }
    out->extra = plan;
    out->run[0] = out->run[1] = multiply_scaled;
    return true;
}
