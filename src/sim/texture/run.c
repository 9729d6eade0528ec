// Texture instructions: a fetch for each lane.
#include <inttypes.h>
#include <string.h>

#include "ir/number/half.h"
#include "sim/memory/request.h"
#include "sim/sim_internal.h"
#include "sim/texture/access.h"

static uint32_t word(const struct sim_warp *warp, sim_ref ref, unsigned lane) {
    return ((const uint32_t *)sim_at(warp, ref))[lane];
}

static float number(const struct sim_warp *warp, sim_ref ref, unsigned lane) {
    return num_f32_of_bits(word(warp, ref, lane));
}

// ---- Objects ------------------------------------------------------------------------------

static const char *const shape_names[] = {
    [SIM_IMAGE_1D] = "one dimension",
    [SIM_IMAGE_2D] = "two dimensions",
    [SIM_IMAGE_3D] = "three dimensions",
    [SIM_IMAGE_1D_LAYERED] = "layers of one dimension",
    [SIM_IMAGE_2D_LAYERED] = "layers of two dimensions",
    [SIM_IMAGE_CUBE] = "a cube",
    [SIM_IMAGE_CUBE_LAYERED] = "layers of cubes",
    [SIM_IMAGE_LINEAR] = "linear memory",
};

// Faces can be read as layers, the first layer as an image, and the first row as one of its own.
static bool fits(enum sim_image_shape wanted, enum sim_image_shape has) {
    switch (wanted) {
    case SIM_IMAGE_1D:
        return has == SIM_IMAGE_1D || has == SIM_IMAGE_LINEAR || has == SIM_IMAGE_1D_LAYERED ||
               has == SIM_IMAGE_2D;
    case SIM_IMAGE_2D:
        return has == SIM_IMAGE_2D || has == SIM_IMAGE_2D_LAYERED;
    case SIM_IMAGE_2D_LAYERED:
        return has == SIM_IMAGE_2D_LAYERED || has == SIM_IMAGE_CUBE ||
               has == SIM_IMAGE_CUBE_LAYERED;
    default:
        return wanted == has;
    }
}

static bool raise_object(struct sim_warp *warp, const struct sim_instr *instr, unsigned lane,
                         uint64_t number, const char *what, const char *more) {
    sim_raise(warp, instr, SIM_FAULT_ILLEGAL_ADDRESS, lane, number, "%s 0x%" PRIx64 "%s%s",
              ((const struct sim_texture_access *)instr->extra)->is_surface
                  ? "access to surface object"
                  : "fetch from texture object",
              number, what, more);
    return false;
}

static bool check_object(struct sim_warp *warp, const struct sim_instr *instr, unsigned lane,
                         enum sim_object_kind kind, uint64_t number,
                         const struct sim_object *object) {
    const struct sim_texture_access *access = instr->extra;
    struct sim_site_cache hit;
    if (!object)
        return raise_object(warp, instr, lane, number, ": there is no such object", "");
    if (!object->is_live)
        return raise_object(warp, instr, lane, number, ", which was destroyed", "");
    if (object->kind != kind)
        return raise_object(
            warp, instr, lane, number,
            kind == SIM_OBJECT_TEXTURE ? ", which is a surface" : ", which is a texture", "");
    if (!sim_is_query(access) && !fits(access->shape, object->image.shape))
        return raise_object(warp, instr, lane, number,
                            ", which has another shape: ", shape_names[object->image.shape]);
    if (object->image.shape == SIM_IMAGE_LINEAR && !access->is_integer && !sim_is_query(access))
        return raise_object(warp, instr, lane, number,
                            ": linear memory is read by integer coordinates only", "");
    if (!sim_memory_touch(warp->block->worker, object->image.address, object->image.bytes, false,
                          &hit))
        return raise_object(warp, instr, lane, number, ", whose memory was freed", "");
    if (access->has_gradient && object->sampler.anisotropy > 1)
        return raise_object(warp, instr, lane, number,
                            ": gradients with anisotropic filtering are not supported", "");
    return true;
}

const struct sim_object *sim_texture_object(struct sim_warp *warp, const struct sim_instr *instr,
                                            enum sim_object_kind kind, unsigned lane) {
    const struct sim_texture_access *access = instr->extra;
    uint64_t number = ((const uint64_t *)sim_at(warp, access->object))[lane];
    const struct sim_object *object = sim_object_find(warp->block->worker->sim->objects, number);
    return check_object(warp, instr, lane, kind, number, object) ? object : NULL;
}

// ---- Fetches ------------------------------------------------------------------------------

static struct sim_fetch fetch_of(const struct sim_warp *warp,
                                 const struct sim_texture_access *access, unsigned lane) {
    struct sim_fetch fetch = {
        .shape = access->shape,
        .is_integer = access->is_integer,
        .is_gather = access->access == PTX_ACCESS_TEXTURE_GATHER,
        .component = access->component,
        .has_gradient = access->has_gradient,
    };
    unsigned first = sim_shape_has_layers(access->shape), axes = sim_shape_axes(access->shape);
    if (first)
        fetch.layer = word(warp, access->coordinate[0], lane);
    for (unsigned i = 0; i < axes; i++) {
        if (access->is_integer)
            fetch.texel[i] = (int32_t)word(warp, access->coordinate[first + i], lane);
        else
            fetch.at[i] = number(warp, access->coordinate[first + i], lane);
        if (access->has_gradient) {
            fetch.dx[i] = number(warp, access->dx[i], lane);
            fetch.dy[i] = number(warp, access->dy[i], lane);
        }
        if (access->has_offset) // four bits and a sign
            fetch.offset[i] = (int32_t)(word(warp, access->offset[i], lane) << 28) >> 28;
    }
    if (access->has_level)
        fetch.level = access->is_integer ? (float)(int32_t)word(warp, access->level, lane)
                                         : number(warp, access->level, lane);
    return fetch;
}

static void put_results(struct sim_warp *warp, const struct sim_texture_access *access,
                        unsigned lane, const uint32_t results[SIM_TEXTURE_CHANNELS]) {
    uint32_t half[SIM_TEXTURE_CHANNELS];
    for (unsigned i = 0; i < SIM_TEXTURE_CHANNELS; i++)
        half[i] = num_f16_of_f32(num_f32_of_bits(results[i]));
    for (unsigned i = 0; i < access->value_count; i++) {
        uint32_t *to = sim_at(warp, access->value[i]);
        to[lane] = access->type == PTX_F16     ? half[i]
                   : access->type == PTX_F16X2 ? half[2 * i] | half[2 * i + 1] << 16
                                               : results[i];
    }
}

const struct sim_instr *sim_run_texture(struct sim_warp *warp, const struct sim_instr *instr) {
    const struct sim_texture_access *access = instr->extra;
    uint32_t results[LANES][SIM_TEXTURE_CHANNELS];
    // Results may replace coordinates, so they are written when all lanes have fetched.
    EACH_LANE(l, warp->mask) {
        const struct sim_object *texture = sim_texture_object(warp, instr, SIM_OBJECT_TEXTURE, l);
        if (!texture)
            return NULL;
        struct sim_fetch fetch = fetch_of(warp, access, l);
        sim_texture_fetch(texture, &fetch, results[l]);
    }
    EACH_LANE(l, warp->mask)
        put_results(warp, access, l, results[l]);
    if (access->has_predicate)
        sim_set_predicate(warp, access->predicate, FULL_MASK);
    return instr + 1;
}

// ---- Queries ------------------------------------------------------------------------------

// Of a surface. As an H200 answers: layers and the faces of cubes are a depth, but those of lines
// a height.
static uint32_t surface_size(const struct sim_image *image, enum ptx_modifier what) {
    const struct sim_image_level *level = &image->level[0];
    const bool has_lines = sim_shape_axes(image->shape) == 1;
    if (what == PTX_MOD_width)
        return level->width;
    if (what == PTX_MOD_height)
        return !has_lines ? level->height : image->shape == SIM_IMAGE_1D_LAYERED ? level->depth : 0;
    return has_lines || image->shape == SIM_IMAGE_2D ? 0 : level->depth;
}

// Of a texture. As an H200 answers: the same, but a line is one high, and of cubes only layers
// count.
static uint32_t texture_size(const struct sim_image *image, enum ptx_modifier what,
                             uint32_t number) {
    static const struct sim_image_level none = {.width = 0};
    const struct sim_image_level *level =
        number < image->level_count ? &image->level[number] : &none;
    enum sim_image_shape shape = image->shape;
    if (what == PTX_MOD_width)
        return level->width;
    if (what == PTX_MOD_height)
        return shape == SIM_IMAGE_LINEAR       ? 0
               : shape == SIM_IMAGE_1D_LAYERED ? level->depth
                                               : level->height;
    return shape == SIM_IMAGE_3D || shape == SIM_IMAGE_2D_LAYERED ? level->depth
           : shape == SIM_IMAGE_CUBE_LAYERED                      ? level->depth / 6
                                                                  : 0;
}

const struct sim_instr *sim_run_txq(struct sim_warp *warp, const struct sim_instr *instr) {
    const struct sim_texture_access *access = instr->extra;
    const enum sim_object_kind kind = access->is_surface ? SIM_OBJECT_SURFACE : SIM_OBJECT_TEXTURE;
    EACH_LANE(l, warp->mask) {
        const struct sim_object *object = sim_texture_object(warp, instr, kind, l);
        if (!object)
            return NULL;
        uint32_t level = access->has_level ? word(warp, access->level, l) : 0;
        uint32_t *to = sim_at(warp, access->value[0]);
        to[l] = kind == SIM_OBJECT_SURFACE ? surface_size(&object->image, access->op)
                                           : texture_size(&object->image, access->op, level);
    }
    return instr + 1;
}
