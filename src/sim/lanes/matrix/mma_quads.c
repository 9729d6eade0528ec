// mma.m8n8k4 of halves: four products, each by two quads of lanes, q and q + 4.
//
// 9.0 has no unit for it: the code generator makes floats of the halves and adds by fused
// multiply-adds. For a float it adds the products from the first to the last, then C; for a half
// the first two, C, and the sum of the other two, and rounds. (Read off an H200.)
#include "ir/number/half.h"
#include "sim/lanes/matrix/mma.h"

enum { QUADS = 4, SIDE = 8, DEPTH = 4, MAX_ADDENDS = 8 };

struct quads {
    sim_ref a[2], b[2], c[MAX_ADDENDS], d[MAX_ADDENDS];
    bool a_by_column, b_by_row, c_is_half, d_is_half;
};

// The element of one of the four products that element e of a lane is. Of A and B: `line` is the
// row of A, the column of B.
struct element {
    unsigned product, line, depth;
};

static struct element factor_element(unsigned lane, unsigned e, bool along_lines) {
    const unsigned low = lane % 4, high = lane / 16 * 4;
    if (along_lines)
        return (struct element){lane % 16 / 4, e + high, low};
    return (struct element){lane % 16 / 4, low + high, e};
}

static void read_factor(const struct sim_warp *warp, const sim_ref *registers, bool along_lines,
                        float to[QUADS][SIDE][DEPTH]) {
    for (unsigned e = 0; e < DEPTH; e++) {
        const uint32_t *r = LANES_ALIGNED(const uint32_t, registers[e / 2]);
        for (unsigned l = 0; l < LANES; l++) {
            const struct element at = factor_element(l, e, along_lines);
            to[at.product][at.line][at.depth] = num_f32_of_f16((uint16_t)(r[l] >> e % 2 * 16));
        }
    }
}

// Row and column of element e of an accumulator.
static unsigned addend_row(unsigned lane, unsigned e, bool is_half) {
    return lane / 16 * 4 + (is_half ? lane % 4 : (lane & 1) + (e & 2));
}

static unsigned addend_column(unsigned lane, unsigned e, bool is_half) {
    return is_half ? e : (e & 4) + (lane & 2) + (e & 1);
}

static void read_addends(const struct sim_warp *warp, const struct quads *q,
                         float to[QUADS][SIDE][SIDE]) {
    for (unsigned e = 0; e < SIDE; e++) {
        const uint32_t *r = LANES_ALIGNED(const uint32_t, q->c[q->c_is_half ? e / 2 : e]);
        for (unsigned l = 0; l < LANES; l++)
            to[l % 16 / 4][addend_row(l, e, q->c_is_half)][addend_column(l, e, q->c_is_half)] =
                q->c_is_half ? num_f32_of_f16((uint16_t)(r[l] >> e % 2 * 16))
                             : num_f32_of_bits(r[l]);
    }
}

static void write_results(struct sim_warp *warp, const struct quads *q,
                          float from[QUADS][SIDE][SIDE]) {
    for (unsigned e = 0; e < SIDE; e++) {
        uint32_t *r = LANES_ALIGNED(uint32_t, q->d[q->d_is_half ? e / 2 : e]);
        for (unsigned l = 0; l < LANES; l++) {
            const float x =
                from[l % 16 / 4][addend_row(l, e, q->d_is_half)][addend_column(l, e, q->d_is_half)];
            const uint32_t half = num_f16_of_f32(x), shift = e % 2 * 16;
            if (q->d_is_half)
                r[l] = (e % 2 ? r[l] & 0xffff : 0) | half << shift;
            else
                r[l] = x != x ? 0x7fffffff : num_bits_of_f32(x);
        }
    }
}

static const struct sim_instr *multiply_quads(struct sim_warp *warp,
                                              const struct sim_instr *instr) {
    const struct quads *q = instr->extra;
    float a[QUADS][SIDE][DEPTH], b[QUADS][SIDE][DEPTH], c[QUADS][SIDE][SIDE];
    if (!mma_all_lanes(warp, instr))
        return NULL;
    read_factor(warp, q->a, q->a_by_column, a);
    read_factor(warp, q->b, q->b_by_row, b);
    read_addends(warp, q, c);
    for (unsigned i = 0; i < QUADS * SIDE * SIDE; i++) {
        const unsigned p = i / (SIDE * SIDE), row = i / SIDE % SIDE, column = i % SIDE;
        float product[DEPTH]; // exact
        for (unsigned k = 0; k < DEPTH; k++)
            product[k] = a[p][row][k] * b[p][column][k];
        const float first = 0 + product[0] + product[1], addend = c[p][row][column];
        c[p][row][column] = q->d_is_half ? first + addend + (0 + product[2] + product[3])
                                         : first + product[2] + product[3] + addend;
    }
    write_results(warp, q, c);
    return instr + 1;
}

static bool read_registers(struct sim_decoder *decoder, const struct ir_instruction *ir,
                           unsigned operand, unsigned count, sim_ref *registers) {
    const struct ir_fragment f = {.registers = (uint16_t)count, .bits = 32};
    return mma_registers(decoder, ir, &ir->operands[operand], &f, registers);
}

LANES_SELECT(mma_quads) {
    struct quads *q = sim_decoder_alloc(decoder, sizeof *q);
    q->a_by_column = lanes_modifier(ir, PTX_GROUP_layout) == PTX_MOD_col;
    q->b_by_row = lanes_modifier(ir, PTX_GROUP_layout2) == PTX_MOD_row;
    q->d_is_half = lanes_type(ir, 0) == PTX_F16;
    q->c_is_half = lanes_type(ir, 3) == PTX_F16;
    out->extra = q;
    out->run[0] = out->run[1] = multiply_quads;
    return (q->c_is_half || !q->d_is_half) &&
           read_registers(decoder, ir, 0, q->d_is_half ? 4 : 8, q->d) &&
           read_registers(decoder, ir, 1, 2, q->a) && read_registers(decoder, ir, 2, 2, q->b) &&
           read_registers(decoder, ir, 3, q->c_is_half ? 4 : 8, q->c);
}
