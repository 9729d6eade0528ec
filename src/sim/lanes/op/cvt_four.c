// cvt of four numbers to 8, 6 or 4 bits, rounded stochastically: it has five sources.
#include "ir/number/narrow.h"
#include "sim/decode/decode.h"
#include "sim/lanes/lanes.h"

// In instr->extra.
struct narrow {
    const struct num_narrow *format;
    unsigned bits; // from one number to the next
    bool relu;
    sim_ref four[4];
};

// The random bits of one of four numbers. Of 8 and 6 bits, the first two take the upper half, and
// the last two the lower one. Of 4 bits, the first two take the upper bytes of both halves, the
// last two the lower ones; which of two takes which half the manual leaves open: the machine code
// is two conversions of pairs, and pairs of f16 give the first the upper half.
static inline uint32_t random_of_four(uint32_t random, int i, unsigned bits) {
    if (bits == 8)
        return random >> (i < 2 ? 16 : 0) & 0xffff;
    return random >> ((i & 1 ? 0 : 16) + (i < 2 ? 8 : 0)) & 0xff;
}

// Four numbers of 8 and 6 bits, each in a byte, or of 4 bits.
LANES_BODY(pack_four_random) {
    LANES_OUT(u32)
    LANES_IN(u32, random, 2)
    const struct narrow *n = instr->extra;
    const float *part[4];
    for (int i = 0; i < 4; i++)
        part[i] = LANES_ALIGNED(const float, n->four[i]);
    LANES_EACH if (full || on[l]) {
        uint32_t r = 0;
        for (int i = 0; i < 4; i++) {
            const uint32_t bits = random_of_four(random[l], i, n->bits);
            r = r << n->bits | num_narrow_random(n->format, part[i][l], bits, 2 * n->bits, n->relu);
        }
        d[l] = r;
    }
}
LANES_PAIR(pack_four_random)

LANES_SELECT(cvt_stochastic_four) {
    static const enum ptx_type pair[PTX_TYPE_COUNT] = {[PTX_E4M3X4] = PTX_E4M3X2,
                                                       [PTX_E5M2X4] = PTX_E5M2X2,
                                                       [PTX_E2M3X4] = PTX_E2M3X2,
                                                       [PTX_E3M2X4] = PTX_E3M2X2,
                                                       [PTX_E2M1X4] = PTX_E2M1X2};
    const struct ir_operand *four = &ir->operands[1];
    if (four->kind != IR_OPERAND_VECTOR || four->element_count != 4)
        return false;
    struct narrow *kept = sim_decoder_alloc(decoder, sizeof *kept);
    const enum ptx_type type = pair[lanes_type(ir, 0)];
    kept->format = num_narrow_format(type);
    kept->bits = type == PTX_E2M1X2 ? 4 : 8;
    kept->relu = PTX_HAS(ir->ptx, relu);
    out->extra = kept;
    for (unsigned i = 0; i < 4; i++) {
        if (sim_decoder_operand_bytes(decoder, &four->elements[i]) != 4)
            return false;
        kept->four[i] = sim_operand_ref(decoder, ir, &four->elements[i]);
    }
    return kept->format && sim_decoder_operand_bytes(decoder, &ir->operands[2]) == 4 &&
           lanes_use(out, pack_four_random);
}
