// Video instructions: reads modifiers and the selectors of operands.
#include <string.h>

#include "ir/form.h"

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
    switch (ptx_modifier_of(ir->ptx, PTX_GROUP_op)) {
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
    return ir->ptx->types[n] == PTX_S32;
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

// A third operand goes with a second operation or with a part of d, and with nothing else.
static bool read_scalar(const struct ir_instruction *ir, struct video *v) {
    struct video_part d = {0};
    v->lanes = 1;
    v->wrap = ptx_modifier_of(ir->ptx, PTX_GROUP_mode) == PTX_MOD_wrap;
    if (!read_scalar_part(selector(ir, 1), &v->a) || !read_scalar_part(selector(ir, 2), &v->b) ||
        !read_scalar_part(selector(ir, 0), &d) || selector(ir, 3))
        return false;
    v->bits = d.bits;
    v->mask = (uint8_t)(1u << d.index[0]);
    if (selector(ir, 0)) {
        if (v->second != VIDEO_ALONE)
            return false;
        v->second = VIDEO_MERGE;
    }
    return (ir->operand_count == 4) == (v->second != VIDEO_ALONE);
}

static bool read_simd(const struct ir_instruction *ir, struct video *v, unsigned lanes) {
    const char kind = lanes == 4 ? 'b' : 'h';
    v->lanes = lanes;
    v->bits = v->a.bits = v->b.bits = (uint8_t)(32 / lanes);
    for (unsigned i = 0; i < lanes; i++) {
        v->a.index[i] = (uint8_t)i;
        v->b.index[i] = (uint8_t)(lanes + i);
    }
    for (unsigned n = 1; n < 3; n++)
        if (selector(ir, n) && selector(ir, n)[0] != kind)
            return false;
    return read_part(selector(ir, 1), lanes, 2 * lanes, &v->a) &&
           read_part(selector(ir, 2), lanes, 2 * lanes, &v->b) &&
           read_mask(selector(ir, 0), lanes, &v->mask) && !selector(ir, 3) &&
           !(v->sat && v->second != VIDEO_ALONE);
}

// The product is negated where exactly one factor is; not both it and c can be.
static bool read_mad(const struct ir_instruction *ir, struct video *v) {
    const enum ptx_modifier scale = ptx_modifier_of(ir->ptx, PTX_GROUP_variant2);
    v->lanes = 1;
    v->negate_ab = ir->operands[1].is_negated != ir->operands[2].is_negated;
    v->negate_c = ir->operands[3].is_negated;
    v->plus_one = PTX_HAS(ir->ptx, variant);
    v->scale = scale == PTX_MOD_shr7 ? 7 : scale == PTX_MOD_shr15 ? 15 : 0;
    const bool any_sign = ir->operands[1].is_negated || ir->operands[2].is_negated || v->negate_c;
    return read_scalar_part(selector(ir, 1), &v->a) && read_scalar_part(selector(ir, 2), &v->b) &&
           !selector(ir, 3) && !(v->negate_ab && v->negate_c) && !(v->plus_one && any_sign);
}

static enum video_operation comparison(const struct ir_instruction *ir) {
    switch (ptx_modifier_of(ir->ptx, PTX_GROUP_cmp)) {
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

struct shape {
    enum video_operation operation;
    unsigned lanes;
};

static struct shape shape_of(const struct ir_instruction *ir) {
    static const struct shape shapes[PTX_ISA_COUNT] = {
        [PTX_ISA_vadd_scalar] = {VIDEO_ADD, 1},
        [PTX_ISA_vsub_scalar] = {VIDEO_SUB, 1},
        [PTX_ISA_vabsdiff_scalar] = {VIDEO_ABSDIFF, 1},
        [PTX_ISA_vmin_scalar] = {VIDEO_MIN, 1},
        [PTX_ISA_vmax_scalar] = {VIDEO_MAX, 1},
        [PTX_ISA_vshl_scalar] = {VIDEO_SHL, 1},
        [PTX_ISA_vshr_scalar] = {VIDEO_SHR, 1},
        [PTX_ISA_vset_scalar] = {VIDEO_EQ, 1},
        [PTX_ISA_vmad_scalar] = {VIDEO_MAD, 1},
        [PTX_ISA_vadd2_simd] = {VIDEO_ADD, 2},
        [PTX_ISA_vsub2_simd] = {VIDEO_SUB, 2},
        [PTX_ISA_vavrg2_simd] = {VIDEO_AVERAGE, 2},
        [PTX_ISA_vabsdiff2_simd] = {VIDEO_ABSDIFF, 2},
        [PTX_ISA_vmin2_simd] = {VIDEO_MIN, 2},
        [PTX_ISA_vmax2_simd] = {VIDEO_MAX, 2},
        [PTX_ISA_vset2_simd] = {VIDEO_EQ, 2},
        [PTX_ISA_vadd4_simd] = {VIDEO_ADD, 4},
        [PTX_ISA_vsub4_simd] = {VIDEO_SUB, 4},
        [PTX_ISA_vavrg4_simd] = {VIDEO_AVERAGE, 4},
        [PTX_ISA_vabsdiff4_simd] = {VIDEO_ABSDIFF, 4},
        [PTX_ISA_vmin4_simd] = {VIDEO_MIN, 4},
        [PTX_ISA_vmax4_simd] = {VIDEO_MAX, 4},
        [PTX_ISA_vset4_simd] = {VIDEO_EQ, 4},
    };
    struct shape shape = shapes[ir->ptx->isa];
    if (is_set(shape.operation))
        shape.operation = comparison(ir);
    return shape;
}

static bool read(const struct ir_instruction *ir, struct video *out) {
    const struct shape shape = shape_of(ir);
    *out = read_types(ir, shape.operation);
    if (shape.operation == VIDEO_MAD)
        return read_mad(ir, out);
    return shape.lanes == 1 ? read_scalar(ir, out) : read_simd(ir, out, shape.lanes);
}

bool ir_read_video(const struct ir_function *function, const struct ir_instruction *ir,
                   struct ir_form *out) {
    (void)function;
    return ir->operand_count == 4 && read(ir, &out->video);
}

bool ir_read_video_alone(const struct ir_function *function, const struct ir_instruction *ir,
                         struct ir_form *out) {
    (void)function;
    return ir->operand_count == 3 && read(ir, &out->video);
}
