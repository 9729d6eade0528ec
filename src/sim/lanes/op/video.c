// Video instructions: reads modifiers and the selectors of operands.
#include <string.h>

#include "sim/lanes/lanes.h"
#include "sim/number/video.h"

LANES_BODY(video_pair) {
    LANES_OUT(u32)
    LANES_IN(u32, pa, 1)
    LANES_IN(u32, pb, 2)
    LANES_IN(u32, pc, 3)
    const struct video *v = instr->extra;
    LANES_EACH if (full || on[l]) d[l] = num_video(v, pa[l], pb[l], pc[l]);
}
LANES_PAIR(video_pair)

// ".b3210" or ".h10": `count` numbers of parts below `limit`, the highest first. NULL: all of it.
static bool read_part(const char *selector, unsigned count, unsigned limit,
                      struct video_part *part) {
    const unsigned digits = selector ? (unsigned)strlen(selector) - 1 : 0;
    if (!selector)
        return true;
    if (digits != count)
        return false;
    for (unsigned i = 0; i < digits; i++) {
        const unsigned index = (unsigned)(selector[digits - i] - '0');
        if (index >= limit)
            return false;
        part->index[i] = (uint8_t)index;
    }
    return true;
}

static unsigned part_bits(const char *selector) {
    return !selector ? 32 : selector[0] == 'b' ? 8 : 16;
}

// `a.b2` of a scalar instruction: one part of any width.
static bool read_scalar_part(const char *selector, struct video_part *part) {
    part->bits = (uint8_t)part_bits(selector);
    return read_part(selector, 1, 32 / part->bits, part);
}

// `d.b310`: falling numbers, each a bit of the mask.
static bool read_mask(const char *selector, unsigned lanes, uint8_t *mask) {
    *mask = (uint8_t)((1u << lanes) - 1);
    if (!selector)
        return true;
    if ((selector[0] == 'b') != (lanes == 4))
        return false;
    unsigned above = lanes;
    *mask = 0;
    for (const char *at = selector + 1; *at; at++) {
        const unsigned index = (unsigned)(*at - '0');
        if (index >= above)
            return false;
        *mask |= (uint8_t)(1u << index);
        above = index;
    }
    return *mask != 0;
}

static enum video_second second_of(const struct ir_instruction *ir) {
    switch (lanes_modifier(ir, PTX_GROUP_op)) {
    case PTX_MOD_add:
        return VIDEO_ACCUMULATE;
    case PTX_MOD_min:
        return VIDEO_LESSER;
    case PTX_MOD_max:
        return VIDEO_GREATER;
    default:
        return VIDEO_ALONE;
    }
}

static bool is_signed(const struct ir_instruction *ir, unsigned n) {
    return lanes_type(ir, n) == PTX_S32;
}

static const char *selector(const struct ir_instruction *ir, unsigned n) {
    return n < ir->ptx->operand_count ? ir->ptx->operands[n].selector : NULL;
}

static bool is_set(enum video_operation operation) {
    return operation >= VIDEO_EQ;
}

// Types are those of d, a and b. vset has none of d: for the minimum and maximum with c it is a's
// (on an H200; the PTX ISA has it unsigned).
static struct video read_types(const struct ir_instruction *ir, enum video_operation operation) {
    const unsigned first = is_set(operation) ? 0 : 1;
    return (struct video){.operation = operation,
                          .second = second_of(ir),
                          .a_signed = is_signed(ir, first),
                          .b_signed = is_signed(ir, first + 1),
                          .d_signed = is_signed(ir, 0),
                          .sat = PTX_HAS(ir->ptx, sat)};
}

static bool use_video(struct sim_decoder *decoder, struct sim_instr *out,
                      const struct video *video) {
    struct video *kept = sim_decoder_alloc(decoder, sizeof *kept);
    *kept = *video;
    out->extra = kept;
    return lanes_use(out, video_pair);
}

// A third operand goes with a second operation or with a part of d, and with nothing else.
static bool select_scalar(struct sim_decoder *decoder, const struct ir_instruction *ir,
                          struct sim_instr *out, enum video_operation operation) {
    struct video v = read_types(ir, operation);
    struct video_part d = {0};
    v.lanes = 1;
    v.wrap = lanes_modifier(ir, PTX_GROUP_mode) == PTX_MOD_wrap;
    if (!read_scalar_part(selector(ir, 1), &v.a) || !read_scalar_part(selector(ir, 2), &v.b) ||
        !read_scalar_part(selector(ir, 0), &d) || selector(ir, 3))
        return false;
    v.bits = d.bits;
    v.mask = (uint8_t)(1u << d.index[0]);
    if (selector(ir, 0)) {
        if (v.second != VIDEO_ALONE)
            return false;
        v.second = VIDEO_MERGE;
    }
    if ((ir->operand_count == 4) != (v.second != VIDEO_ALONE))
        return false;
    if (ir->operand_count == 3)
        out->operand[3] = out->operand[2]; // lane code reads three operands
    return use_video(decoder, out, &v);
}

static bool select_simd(struct sim_decoder *decoder, const struct ir_instruction *ir,
                        struct sim_instr *out, enum video_operation operation, unsigned lanes) {
    struct video v = read_types(ir, operation);
    const char kind = lanes == 4 ? 'b' : 'h';
    v.lanes = lanes;
    v.bits = v.a.bits = v.b.bits = (uint8_t)(32 / lanes);
    for (unsigned i = 0; i < lanes; i++) {
        v.a.index[i] = (uint8_t)i;
        v.b.index[i] = (uint8_t)(lanes + i);
    }
    for (unsigned n = 1; n < 3; n++)
        if (selector(ir, n) && selector(ir, n)[0] != kind)
            return false;
    if (!read_part(selector(ir, 1), lanes, 2 * lanes, &v.a) ||
        !read_part(selector(ir, 2), lanes, 2 * lanes, &v.b) ||
        !read_mask(selector(ir, 0), lanes, &v.mask) || selector(ir, 3))
        return false;
    if (v.sat && v.second != VIDEO_ALONE)
        return false;
    return use_video(decoder, out, &v);
}

static enum video_operation comparison(const struct ir_instruction *ir) {
    switch (lanes_modifier(ir, PTX_GROUP_cmp)) {
    case PTX_MOD_eq:
        return VIDEO_EQ;
    case PTX_MOD_ne:
        return VIDEO_NE;
    case PTX_MOD_lt:
        return VIDEO_LT;
    case PTX_MOD_le:
        return VIDEO_LE;
    case PTX_MOD_gt:
        return VIDEO_GT;
    default:
        return VIDEO_GE;
    }
}

#define SCALAR(name, operation)                                                                    \
    LANES_SELECT(name) {                                                                           \
        return select_scalar(decoder, ir, out, operation);                                         \
    }
#define SIMD(name, operation, lanes)                                                               \
    LANES_SELECT(name) {                                                                           \
        return select_simd(decoder, ir, out, operation, lanes);                                    \
    }

SCALAR(vadd, VIDEO_ADD)
SCALAR(vsub, VIDEO_SUB)
SCALAR(vabsdiff, VIDEO_ABSDIFF)
SCALAR(vmin, VIDEO_MIN)
SCALAR(vmax, VIDEO_MAX)
SCALAR(vshl, VIDEO_SHL)
SCALAR(vshr, VIDEO_SHR)
SCALAR(vset, comparison(ir))
SIMD(vadd2, VIDEO_ADD, 2)
SIMD(vsub2, VIDEO_SUB, 2)
SIMD(vavrg2, VIDEO_AVERAGE, 2)
SIMD(vabsdiff2, VIDEO_ABSDIFF, 2)
SIMD(vmin2, VIDEO_MIN, 2)
SIMD(vmax2, VIDEO_MAX, 2)
SIMD(vset2, comparison(ir), 2)
SIMD(vadd4, VIDEO_ADD, 4)
SIMD(vsub4, VIDEO_SUB, 4)
SIMD(vavrg4, VIDEO_AVERAGE, 4)
SIMD(vabsdiff4, VIDEO_ABSDIFF, 4)
SIMD(vmin4, VIDEO_MIN, 4)
SIMD(vmax4, VIDEO_MAX, 4)
SIMD(vset4, comparison(ir), 4)

// The product is negated where exactly one factor is; not both it and c can be.
LANES_SELECT(vmad) {
    struct video v = read_types(ir, VIDEO_MAD);
    v.lanes = 1;
    v.negate_ab = ir->operands[1].is_negated != ir->operands[2].is_negated;
    v.negate_c = ir->operands[3].is_negated;
    v.plus_one = PTX_HAS(ir->ptx, variant);
    v.scale = lanes_modifier(ir, PTX_GROUP_variant2) == PTX_MOD_shr7    ? 7
              : lanes_modifier(ir, PTX_GROUP_variant2) == PTX_MOD_shr15 ? 15
                                                                        : 0;
    const bool any_sign = ir->operands[1].is_negated || ir->operands[2].is_negated || v.negate_c;
    if (!read_scalar_part(selector(ir, 1), &v.a) || !read_scalar_part(selector(ir, 2), &v.b) ||
        selector(ir, 3) || (v.negate_ab && v.negate_c) || (v.plus_one && any_sign))
        return false;
    return use_video(decoder, out, &v);
}
