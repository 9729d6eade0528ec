// Texture and surface instructions: which registers are coordinates, levels, gradients, results.
#include <string.h>

#include "sim/decode/decode.h"
#include "sim/texture/access.h"

unsigned sim_shape_axes(enum sim_image_shape shape) {
    switch (shape) {
    case SIM_IMAGE_1D:
    case SIM_IMAGE_1D_LAYERED:
    case SIM_IMAGE_LINEAR:
        return 1;
    case SIM_IMAGE_2D:
    case SIM_IMAGE_2D_LAYERED:
        return 2;
    default:
        return 3;
    }
}

bool sim_shape_has_layers(enum sim_image_shape shape) {
    return shape == SIM_IMAGE_1D_LAYERED || shape == SIM_IMAGE_2D_LAYERED ||
           shape == SIM_IMAGE_CUBE_LAYERED;
}

static bool is_surface(enum ptx_access access) {
    return access == PTX_ACCESS_SURFACE_LOAD || access == PTX_ACCESS_SURFACE_STORE ||
           access == PTX_ACCESS_SURFACE_REDUCTION || access == PTX_ACCESS_SURFACE_QUERY;
}

bool sim_is_texture(const struct ir_instruction *ir) {
    const enum ptx_access access = ptx_access_of(ir->ptx);
    return is_surface(access) || access == PTX_ACCESS_TEXTURE ||
           access == PTX_ACCESS_TEXTURE_GATHER || access == PTX_ACCESS_TEXTURE_QUERY;
}

static enum sim_image_shape shape_of(const struct ir_instruction *ir) {
    switch (ptx_modifier_of(ir->ptx, PTX_GROUP_shape)) {
    case PTX_MOD_1d:
        return SIM_IMAGE_1D;
    case PTX_MOD_2d:
        return SIM_IMAGE_2D;
    case PTX_MOD_3d:
        return SIM_IMAGE_3D;
    case PTX_MOD_a1d:
        return SIM_IMAGE_1D_LAYERED;
    case PTX_MOD_a2d:
        return SIM_IMAGE_2D_LAYERED;
    case PTX_MOD_cube:
        return SIM_IMAGE_CUBE;
    default:
        return SIM_IMAGE_CUBE_LAYERED;
    }
}

// The refs of a vector's elements, or of a scalar. Returns how many there are, 0: too many.
static unsigned refs_of(struct sim_decoder *decoder, const struct ir_instruction *ir,
                        const struct ir_operand *operand, sim_ref *refs, unsigned limit) {
    bool is_vector = operand->kind == IR_OPERAND_VECTOR;
    unsigned count = is_vector ? operand->element_count : 1;
    if (count > limit)
        return 0;
    for (unsigned i = 0; i < count; i++)
        refs[i] = sim_operand_ref(decoder, ir, is_vector ? &operand->elements[i] : operand);
    return count;
}

// False: reported, or not supported.
static bool decode_object(struct sim_decoder *decoder, const struct ir_instruction *ir,
                          const struct ir_operand *address, struct sim_texture_access *out) {
    if (address->variable)
        sim_decode_error(decoder, ir,
                         "'%s' is a reference that the host binds: only texture and surface "
                         "objects are supported",
                         address->variable->name);
    if (address->reg == IR_NONE || address->value)
        return false;
    out->object = sim_register_ref(decoder, address->reg);
    return true;
}

static bool decode_address(struct sim_decoder *decoder, const struct ir_instruction *ir,
                           const struct ir_operand *address, struct sim_texture_access *out) {
    if (!decode_object(decoder, ir, address, out) || address->element_count != 1)
        return false; // a sampler of its own
    out->coordinate_count =
        refs_of(decoder, ir, &address->elements[0], out->coordinate, SIM_TEXTURE_COORDINATES);
    unsigned needed = sim_shape_axes(out->shape) + sim_shape_has_layers(out->shape);
    return out->coordinate_count >= needed;
}

// Behind the address: a level or two gradients, then offsets in texels.
static bool decode_rest(struct sim_decoder *decoder, const struct ir_instruction *ir,
                        struct sim_texture_access *out) {
    enum ptx_modifier mode = ptx_modifier_of(ir->ptx, PTX_GROUP_mode);
    unsigned axes = sim_shape_axes(out->shape);
    uint32_t next = 2;
    out->has_level = mode == PTX_MOD_level;
    out->has_gradient = mode == PTX_MOD_grad;
    if (next + out->has_level + 2 * out->has_gradient > ir->operand_count)
        return false;
    sim_ref refs[SIM_TEXTURE_COORDINATES];
    if (out->has_level)
        out->level = sim_operand_ref(decoder, ir, &ir->operands[next++]);
    for (int i = 0; out->has_gradient && i < 2; i++) {
        if (refs_of(decoder, ir, &ir->operands[next++], refs, SIM_TEXTURE_COORDINATES) < axes)
            return false;
        memcpy(i ? out->dy : out->dx, refs, axes * sizeof *refs);
    }
    if (next == ir->operand_count)
        return true;
    // A vector of offsets; what follows, or a scalar, is a value to compare depths with.
    const struct ir_operand *offsets = &ir->operands[next];
    if (next + 1 != ir->operand_count || offsets->kind != IR_OPERAND_VECTOR ||
        refs_of(decoder, ir, offsets, refs, SIM_TEXTURE_COORDINATES) < axes)
        return false;
    out->has_offset = true;
    memcpy(out->offset, refs, axes * sizeof *refs);
    return true;
}

static unsigned component_of(const struct ir_instruction *ir) {
    switch (ptx_modifier_of(ir->ptx, PTX_GROUP_op)) {
    case PTX_MOD_g:
        return 1;
    case PTX_MOD_b:
        return 2;
    case PTX_MOD_a:
        return 3;
    default:
        return 0;
    }
}

static bool values_fit(const struct ir_instruction *ir, const struct sim_texture_access *access) {
    enum ptx_modifier vec = ptx_modifier_of(ir->ptx, PTX_GROUP_vec);
    unsigned wanted = vec == PTX_MOD_v4 ? 4 : vec == PTX_MOD_v2 ? 2 : 1;
    return access->value_count == wanted && !(wanted == 4 && access->type == PTX_B64);
}

static bool decode_query(struct sim_decoder *decoder, const struct ir_instruction *ir,
                         struct sim_texture_access *out) {
    out->value_count = refs_of(decoder, ir, &ir->operands[0], out->value, 1);
    out->has_level = ir->operand_count > 2;
    if (out->has_level)
        out->level = sim_operand_ref(decoder, ir, &ir->operands[2]);
    return decode_object(decoder, ir, &ir->operands[1], out) && out->value_count == 1;
}

const struct sim_texture_access *sim_decode_texture(struct sim_decoder *decoder,
                                                    const struct ir_instruction *ir) {
    struct sim_texture_access *out = ARENA_NEW(decoder->kernel->arena, struct sim_texture_access);
    out->access = ptx_access_of(ir->ptx);
    out->is_surface = is_surface(out->access);
    out->shape = shape_of(ir);
    out->type = (enum ptx_type)ir->ptx->types[0];
    out->is_formatted = ptx_modifier_of(ir->ptx, PTX_GROUP_variant) == PTX_MOD_p;
    out->boundary = ptx_modifier_of(ir->ptx, PTX_GROUP_clamp);
    out->op = ptx_modifier_of(ir->ptx, PTX_GROUP_op);
    if (sim_is_query(out))
        return decode_query(decoder, ir, out) ? out : NULL;
    bool is_store = out->is_surface && out->access != PTX_ACCESS_SURFACE_LOAD;
    const struct ir_operand *values = &ir->operands[is_store];
    if (!decode_address(decoder, ir, &ir->operands[!is_store], out))
        return NULL;
    out->value_count = refs_of(decoder, ir, values, out->value, SIM_TEXTURE_CHANNELS);
    if (!values_fit(ir, out) || (!out->is_surface && !decode_rest(decoder, ir, out)))
        return NULL;
    out->has_predicate = values->pair != IR_NONE;
    if (out->has_predicate)
        out->predicate = sim_register_ref(decoder, values->pair);
    if (!out->is_surface) {
        out->is_integer = ir->ptx->types[1] == PTX_S32;
        out->component = component_of(ir);
    }
    return out;
}
