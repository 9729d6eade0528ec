// Surface instructions: loads, stores and reductions of bytes, and stores that convert.
#include <inttypes.h>
#include <string.h>

#include "ir/number/convert.h"
#include "sim/emit.h"
#include "sim/sim_internal.h"
#include "sim/texture/access.h"

// One lane's access. `at` is NULL for a place that does not exist and need not.
struct place {
    uint8_t *at;
    unsigned bytes;
};

static int64_t coordinate(const struct sim_warp *warp, const struct sim_texture_access *access,
                          unsigned n, unsigned lane) {
    return ((const int32_t *)sim_at(warp, access->coordinate[n]))[lane];
}

static int64_t into(int64_t x, int64_t last) {
    return x < 0 ? 0 : x > last ? last : x;
}

static bool raise_outside(struct sim_warp *warp, const struct sim_instr *instr, unsigned lane,
                          const int64_t at[3], const struct sim_object *surface) {
    const struct sim_image_level *level = &surface->image.level[0];
    sim_raise(warp, instr, SIM_FAULT_ILLEGAL_ADDRESS, lane, 0,
              "surface access at byte %" PRId64 " of row %" PRId64 ", slice %" PRId64
              ": the surface has rows of %" PRIu64 " bytes, %u rows, %u slices",
              at[0], at[1], at[2], level->row_bytes, level->height, level->depth);
    return false;
}

// False: a fault was raised.
static bool find_place(struct sim_warp *warp, const struct sim_instr *instr, unsigned lane,
                       const struct sim_object *surface, struct place *place) {
    const struct sim_texture_access *access = instr->extra;
    const struct sim_image_level *level = &surface->image.level[0];
    const unsigned texel = surface->image.channels * surface->image.channel_bytes;
    unsigned first = sim_shape_has_layers(access->shape), axes = sim_shape_axes(access->shape);
    int64_t at[3] = {coordinate(warp, access, first, lane), 0, 0};
    if (axes > 1)
        at[1] = coordinate(warp, access, first + 1, lane);
    if (axes > 2 || first)
        at[2] = coordinate(warp, access, first ? 0 : 2, lane);
    if (access->is_formatted)
        at[0] *= texel;
    unsigned grain = place->bytes < texel ? place->bytes : texel;
    if (at[0] % grain) {
        sim_raise(warp, instr, SIM_FAULT_MISALIGNED, lane, (uint64_t)at[0],
                  "misaligned surface access of %u bytes at byte %" PRId64
                  " of a row: no multiple of %u",
                  place->bytes, at[0], grain);
        return false;
    }
    const int64_t last[3] = {(int64_t)level->row_bytes - place->bytes, (int64_t)level->height - 1,
                             (int64_t)level->depth - 1};
    bool is_inside = true;
    for (int i = 0; i < 3; i++) {
        is_inside &= at[i] >= 0 && at[i] <= last[i];
        if (access->boundary == PTX_MOD_clamp && last[i] >= 0)
            at[i] = into(at[i], last[i]);
    }
    bool is_clamped = access->boundary == PTX_MOD_clamp && last[0] >= 0;
    place->at = NULL;
    if (!is_inside && !is_clamped)
        return access->boundary == PTX_MOD_zero || raise_outside(warp, instr, lane, at, surface);
    place->at = (uint8_t *)(uintptr_t)surface->image.address + level->offset +
                (uint64_t)at[2] * level->slice_bytes + (uint64_t)at[1] * level->row_bytes +
                (uint64_t)at[0];
    return true;
}

// ---- Values -------------------------------------------------------------------------------

static uint64_t value_of(const struct sim_warp *warp, const struct sim_texture_access *access,
                         unsigned n, unsigned lane) {
    const void *from = sim_at(warp, access->value[n]);
    return ptx_type_bytes(access->type) == 8 ? ((const uint64_t *)from)[lane]
                                             : ((const uint32_t *)from)[lane];
}

static void load(struct sim_warp *warp, const struct sim_texture_access *access, unsigned lane,
                 const struct place *place) {
    unsigned bytes = ptx_type_bytes(access->type);
    for (unsigned i = 0; i < access->value_count; i++) {
        uint64_t value = 0;
        if (place->at)
            memcpy(&value, place->at + (size_t)i * bytes, bytes);
        void *to = sim_at(warp, access->value[i]);
        if (bytes == 8)
            ((uint64_t *)to)[lane] = value;
        else
            ((uint32_t *)to)[lane] = (uint32_t)value;
    }
}

static void store(const struct sim_warp *warp, const struct sim_texture_access *access,
                  unsigned lane, const struct place *place) {
    unsigned bytes = ptx_type_bytes(access->type);
    for (unsigned i = 0; i < access->value_count; i++) {
        uint64_t value = value_of(warp, access, i, lane);
        memcpy(place->at + (size_t)i * bytes, &value, bytes);
    }
}

// Toward zero; a NaN keeps the upper part of its payload.
static uint32_t half_of(uint32_t bits) {
    uint32_t sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    if (rest >= 0x7f800000)
        return sign | 0x7c00 | (rest >> 13 & 0x3ff);
    static const struct num_conversion toward_zero = {
        .from = PTX_F32, .to = PTX_F16, .round = NUM_ZERO, .register_bytes = 2};
    return (uint32_t)num_convert(&toward_zero, bits);
}

// An integer is cut to what the format holds, as a float is.
static uint32_t formatted(const struct sim_image *image, uint32_t value) {
    if (image->channel_bytes == 4)
        return value;
    if (image->kind == SIM_CHANNEL_FLOAT)
        return half_of(value);
    int64_t most = (1ll << (8 * image->channel_bytes - (image->kind == SIM_CHANNEL_SIGNED))) - 1;
    if (image->kind == SIM_CHANNEL_SIGNED)
        return (uint32_t)((int32_t)value < -most - 1 ? -most - 1
                          : (int32_t)value > most    ? most
                                                     : (int32_t)value);
    return value > most ? (uint32_t)most : value;
}

static void store_formatted(const struct sim_warp *warp, const struct sim_texture_access *access,
                            unsigned lane, const struct place *place,
                            const struct sim_image *image) {
    for (unsigned i = 0; i < image->channels; i++) {
        uint32_t value = i < access->value_count ? (uint32_t)value_of(warp, access, i, lane) : 0;
        value = formatted(image, value);
        memcpy(place->at + (size_t)i * image->channel_bytes, &value, image->channel_bytes);
    }
}

// ---- Reductions ---------------------------------------------------------------------------

static uint64_t reduced(const struct sim_texture_access *access, uint64_t old, uint64_t value) {
    unsigned shift = ptx_type_bytes(access->type) == 8 ? 0 : 32;
    int64_t a = (int64_t)(old << shift) >> shift, b = (int64_t)(value << shift) >> shift;
    bool is_signed = ptx_type_class(access->type) == PTX_CLASS_SIGNED;
    switch (access->op) {
    case PTX_MOD_add:
        return old + value;
    case PTX_MOD_and:
        return old & value;
    case PTX_MOD_or:
        return old | value;
    case PTX_MOD_min:
        return (is_signed ? a < b : old < value) ? old : value;
    default:
        return (is_signed ? a > b : old > value) ? old : value;
    }
}

static void reduce(const struct sim_warp *warp, const struct sim_texture_access *access,
                   unsigned lane, const struct place *place) {
    uint64_t value = value_of(warp, access, 0, lane);
    if (place->bytes == 8) {
        uint64_t *at = (uint64_t *)(void *)place->at, old = __atomic_load_n(at, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(at, &old, reduced(access, old, value), false,
                                            __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            ;
        return;
    }
    uint32_t *at = (uint32_t *)(void *)place->at, old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(at, &old, (uint32_t)reduced(access, old, value), false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        ;
}

// ---- All ----------------------------------------------------------------------------------

static bool run_lane(struct sim_warp *warp, const struct sim_instr *instr, unsigned lane,
                     struct place *place) {
    const struct sim_texture_access *access = instr->extra;
    const struct sim_object *surface = sim_texture_object(warp, instr, SIM_OBJECT_SURFACE, lane);
    if (!surface)
        return false;
    const struct sim_image *image = &surface->image;
    *place = (struct place){NULL, ptx_type_bytes(access->type) * access->value_count};
    if (access->is_formatted && access->access == PTX_ACCESS_SURFACE_STORE)
        place->bytes = image->channels * image->channel_bytes;
    if (!find_place(warp, instr, lane, surface, place))
        return false;
    if (access->access == PTX_ACCESS_SURFACE_LOAD)
        load(warp, access, lane, place);
    else if (!place->at)
        return true;
    else if (access->access == PTX_ACCESS_SURFACE_REDUCTION)
        reduce(warp, access, lane, place);
    else if (access->is_formatted)
        store_formatted(warp, access, lane, place, image);
    else
        store(warp, access, lane, place);
    return true;
}

// One event for all lanes whose surfaces have texels of the same size.
static void tell(const struct sim_warp *warp, const struct sim_instr *instr,
                 const struct place places[LANES]) {
    const enum ptx_access access = ((const struct sim_texture_access *)instr->extra)->access;
    const bool is_atomic = access == PTX_ACCESS_SURFACE_REDUCTION;
    uint64_t addresses[LANES] = {0};
    uint32_t rest = 0;
    EACH_LANE(l, warp->mask) {
        addresses[l] = (uint64_t)(uintptr_t)places[l].at;
        rest |= (uint32_t)(places[l].at != NULL) << l;
    }
    while (rest) {
        const unsigned width = places[__builtin_ctz(rest)].bytes;
        uint32_t mask = 0;
        EACH_LANE(l, rest) {
            mask |= (uint32_t)(places[l].bytes == width) << l;
        }
        sim_emit_unsited(warp, instr,
                         (struct event_access){.space = SITE_GLOBAL,
                                               .intent = is_atomic ? EVENT_ATOMIC
                                                         : access == PTX_ACCESS_SURFACE_STORE
                                                             ? EVENT_WRITE
                                                             : EVENT_READ,
                                               .order = is_atomic ? EVENT_RELAXED : EVENT_WEAK,
                                               .scope = EVENT_GPU,
                                               .proxy = EVENT_SURFACE_PROXY,
                                               .width = width,
                                               .mask = mask,
                                               .addresses = addresses});
        rest &= ~mask;
    }
}

const struct sim_instr *sim_run_surface(struct sim_warp *warp, const struct sim_instr *instr) {
    struct place places[LANES];
    EACH_LANE(l, warp->mask) {
        if (!run_lane(warp, instr, l, &places[l]))
            return NULL;
    }
    if (sim_hears_unsited(warp))
        tell(warp, instr, places);
    return instr + 1;
}
