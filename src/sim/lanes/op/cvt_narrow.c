// cvt of pairs of 8-, 6- and 4-bit numbers, cvt.pack of integers, and stochastic rounding. The
// first source goes to the upper half of the destination.
#include "sim/decode/decode.h"
#include "sim/lanes/op/cvt.h"
#include "sim/lanes/op/float.h"
#include "ir/number/half.h"
#include "ir/number/narrow.h"

// In instr->extra.
struct narrow {
    const struct num_narrow *format;
    unsigned bits; // from one number of a pair to the other
    bool relu;
    sim_ref four[4]; // sources of a conversion of four
};

LANES_BODY(pack_narrow) {
    LANES_OUT(u32)
    LANES_IN(f32, pa, 1)
    LANES_IN(f32, pb, 2)
    const struct narrow *n = instr->extra;
    LANES_EACH if (full || on[l]) {
        const uint32_t low = num_narrow_of_f32(n->format, pb[l], n->relu);
        d[l] = low | num_narrow_of_f32(n->format, pa[l], n->relu) << n->bits;
    }
}
LANES_PAIR(pack_narrow)

LANES_BODY(narrow_half) {
    LANES_OUT(u32)
    LANES_IN(u32, pa, 1)
    const struct narrow *n = instr->extra;
    LANES_EACH if (full || on[l]) {
        const float high = num_f32_of_f16((uint16_t)(pa[l] >> 16));
        const float low = num_f32_of_f16((uint16_t)pa[l]);
        d[l] = num_narrow_of_f32(n->format, low, n->relu) |
               num_narrow_of_f32(n->format, high, n->relu) << n->bits;
    }
}
LANES_PAIR(narrow_half)

LANES_BODY(half_narrow) {
    LANES_OUT(u32)
    LANES_IN(u32, pa, 1)
    const struct narrow *n = instr->extra;
    LANES_EACH if (full || on[l]) d[l] = num_f16_of_narrow(n->format, pa[l], n->relu) |
                                         num_f16_of_narrow(n->format, pa[l] >> n->bits, n->relu)
                                             << 16;
}
LANES_PAIR(half_narrow)

static bool has_lanes_of_4(const struct sim_decoder *decoder, const struct ir_instruction *ir) {
    for (uint32_t i = 0; i < ir->operand_count; i++)
        if (sim_decoder_operand_bytes(decoder, &ir->operands[i]) == 8)
            return false;
    return true;
}

static struct narrow *keep_narrow(struct sim_decoder *decoder, const struct ir_instruction *ir,
                                  enum ptx_type type) {
    struct narrow *kept = sim_decoder_alloc(decoder, sizeof *kept);
    kept->format = num_narrow_format(type);
    kept->bits = type == PTX_E2M1X2 ? 4 : 8;
    kept->relu = PTX_HAS(ir->ptx, relu);
    return kept;
}

static bool use_narrow(struct sim_decoder *decoder, const struct ir_instruction *ir,
                       struct sim_instr *out, enum ptx_type type, const sim_handler *pair) {
    struct narrow *kept = keep_narrow(decoder, ir, type);
    out->extra = kept;
    return kept->format && has_lanes_of_4(decoder, ir) && lanes_use(out, pair);
}

LANES_SELECT(cvt_pack_narrow) {
    return use_narrow(decoder, ir, out, lanes_type(ir, 0), pack_narrow);
}

LANES_SELECT(cvt_narrow_half) {
    return use_narrow(decoder, ir, out, lanes_type(ir, 0), narrow_half);
}

LANES_SELECT(cvt_half_narrow) {
    return use_narrow(decoder, ir, out, lanes_type(ir, 1), half_narrow);
}

// ---- Scales -------------------------------------------------------------------------------

enum { SCALE_UP = 1, SCALE_FINITE = 2 };

EACH2(pack_scale, u32, f32, f32,
      num_scale_of_f32(b, imm &SCALE_UP, imm &SCALE_FINITE) |
          num_scale_of_f32(a, imm &SCALE_UP, imm &SCALE_FINITE) << 8)
EACH1(scale_brain, u32, u32,
      num_scale_of_f32(num_f32_of_bits(a << 16), imm &SCALE_UP, imm &SCALE_FINITE) |
          num_scale_of_f32(num_f32_of_bits(a & 0xffff0000), imm &SCALE_UP, imm &SCALE_FINITE) << 8)
EACH1(brain_scale, u32, u32, num_bf16_of_scale(a & 0xff) | num_bf16_of_scale(a >> 8 & 0xff) << 16)

static bool use_scale(struct sim_decoder *decoder, const struct ir_instruction *ir,
                      struct sim_instr *out, const sim_handler *pair) {
    out->immediate = (lanes_modifier(ir, PTX_GROUP_round) == PTX_MOD_rp ? SCALE_UP : 0) |
                     (PTX_HAS(ir->ptx, mode) ? SCALE_FINITE : 0);
    return has_lanes_of_4(decoder, ir) && lanes_use(out, pair);
}

LANES_SELECT(cvt_pack_scale) {
    return use_scale(decoder, ir, out, pack_scale);
}

LANES_SELECT(cvt_scale_brain) {
    return use_scale(decoder, ir, out, scale_brain);
}

LANES_SELECT(cvt_brain_scale) {
    return use_scale(decoder, ir, out, brain_scale);
}

// ---- Integers -----------------------------------------------------------------------------

// imm: bits of a part, and whether it is signed.
enum { PACK_BITS = 31, PACK_SIGNED = 32 };

static inline uint32_t clamped(int32_t x, uint32_t form) {
    const unsigned bits = form & PACK_BITS;
    const int32_t most = form & PACK_SIGNED ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
    const int32_t least = form & PACK_SIGNED ? -most - 1 : 0;
    return (uint32_t)(x < least ? least : x > most ? most : x) & ((1u << bits) - 1);
}

LANES2(pack_two, u32, s32, s32, clamped(b, imm) | clamped(a, imm) << 16)
LANES3(pack_more, u32, s32, s32, u32,
       clamped(b, imm) | clamped(a, imm) << (imm & PACK_BITS) | c << 2 * (imm & PACK_BITS))

LANES_SELECT(cvt_pack_int) {
    static const uint8_t bits[PTX_TYPE_COUNT] = {
        [PTX_U2] = 2, [PTX_S2] = 2, [PTX_U4] = 4,   [PTX_S4] = 4,
        [PTX_U8] = 8, [PTX_S8] = 8, [PTX_U16] = 16, [PTX_S16] = 16};
    const enum ptx_type type = lanes_type(ir, 0);
    const bool is_signed = ptx_type_class(type) == PTX_CLASS_SIGNED;
    out->immediate = bits[type] | (is_signed ? PACK_SIGNED : 0);
    return has_lanes_of_4(decoder, ir) && lanes_use(out, bits[type] == 16 ? pack_two : pack_more);
}

// ---- Stochastic rounding ------------------------------------------------------------------

enum { STOCHASTIC_RELU = 1, STOCHASTIC_FINITE = 2 };

// The 16 bits that bf16 does not keep are rounded up where the random ones carry out of them.
static inline uint32_t brain_random(float x, uint32_t random, uint32_t form) {
    const uint32_t bits = f32_bits(x), rest = bits & 0x7fffffff;
    const uint32_t most = form & STOCHASTIC_FINITE ? 0x7f7f : 0x7f80;
    const uint32_t sum = rest >= 0x7f800000 ? most : (rest + random) >> 16;
    const uint32_t magnitude = sum > most ? most : sum;
    const uint32_t r = bits >> 31 && form & STOCHASTIC_RELU ? 0 : magnitude | (bits >> 31) << 15;
    return rest > 0x7f800000 ? 0x7fff : r;
}

LANES3(pack_brain_random, u32, f32, f32, u32,
       brain_random(b, c & 0xffff, imm) | brain_random(a, c >> 16, imm) << 16)

// f16 loses 13 bits and takes as many random ones.
static inline uint32_t half_random(float x, uint32_t random, uint32_t form) {
    const uint32_t bits = f32_bits(x), rest = bits & 0x7fffffff;
    const uint32_t most = form & STOCHASTIC_FINITE ? 0x7bff : 0x7c00;
    if (rest > 0x7f800000)
        return 0x7fff;
    if (bits >> 31 && form & STOCHASTIC_RELU)
        return 0;
    const uint32_t code = rest > 0x47800000
                              ? most
                              : num_code_random(10, 15, num_f32_of_bits(rest), random & 0x1fff, 13);
    return (code > most ? most : code) | bits >> 31 << 15;
}

EACH3(pack_half_random, u32, f32, f32, u32,
      half_random(b, c, imm) | half_random(a, c >> 16, imm) << 16)

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
    struct narrow *kept = keep_narrow(decoder, ir, pair[lanes_type(ir, 0)]);
    out->extra = kept;
    for (unsigned i = 0; i < 4; i++) {
        if (sim_decoder_operand_bytes(decoder, &four->elements[i]) != 4)
            return false;
        kept->four[i] = sim_operand_ref(decoder, ir, &four->elements[i]);
    }
    return kept->format && sim_decoder_operand_bytes(decoder, &ir->operands[2]) == 4 &&
           lanes_use(out, pack_four_random);
}

LANES_SELECT(cvt_stochastic) {
    out->immediate = (PTX_HAS(ir->ptx, relu) ? STOCHASTIC_RELU : 0) |
                     (PTX_HAS(ir->ptx, mode) ? STOCHASTIC_FINITE : 0);
    return has_lanes_of_4(decoder, ir) &&
           lanes_use(out, lanes_type(ir, 0) == PTX_F16X2 ? pack_half_random : pack_brain_random);
}
