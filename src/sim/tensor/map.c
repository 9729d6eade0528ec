// See tensor/map.h. The limits are those of the driver's manual, where an H200's driver keeps to
// it.
#include "sim/tensor/map.h"

unsigned sim_tensor_type_bytes(unsigned type) {
    static const uint8_t bytes[SIM_TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return type < SIM_TENSOR_TYPES ? bytes[type] : 0;
}

// Slices of interleaved tensors stand side by side, however many bytes the pattern has.
static bool is_swizzle_good(const struct sim_tensor_map *map, uint32_t inner) {
    static const uint16_t most[SIM_TENSOR_SWIZZLES] = {UINT16_MAX, 32, 64, 128};
    const bool is_atom_good =
        map->atom == SIM_TENSOR_ATOM_16 ||
        (map->swizzle == SIM_TENSOR_SWIZZLE_128 &&
         (map->atom == SIM_TENSOR_ATOM_32 || map->atom == SIM_TENSOR_ATOM_64));
    return map->swizzle < SIM_TENSOR_SWIZZLES && is_atom_good &&
           (map->interleave || inner <= most[map->swizzle]);
}

static bool is_tensor_good(const struct sim_tensor_map *map) {
    const unsigned align = map->interleave == SIM_TENSOR_INTERLEAVE_32 ? 32 : 16;
    if (map->address % align)
        return false;
    for (unsigned i = 0; i < map->rank; i++) {
        if (map->steps[i] < 1 || map->steps[i] > 8)
            return false;
        if (i > 0 && (map->strides[i - 1] % align || map->strides[i - 1] >> 40))
            return false;
    }
    return true;
}

static bool is_box_good(const struct sim_tensor_map *map) {
    for (unsigned i = 0; i < map->rank; i++)
        if (map->box[i] < 1 || map->box[i] > 256)
            return false;
    return true;
}

// The box of im2col mode holds at least one pixel; the more dimensions, the fewer bits of a corner.
static bool is_column_good(const struct sim_tensor_map *map) {
    static const int32_t most[SIM_TENSOR_SPACES] = {32767, 127, 15};
    const unsigned spaces = map->rank - 2u, first = map->interleave ? 0 : 1;
    if (map->rank < 3 || map->box[0] < 1 || map->box[0] > 256 || map->pixels < 1 ||
        map->pixels > 1024)
        return false;
    for (unsigned i = 0; i < spaces; i++) {
        const int32_t low = map->lower[i], high = map->upper[i], limit = most[spaces - 1];
        const int64_t last = (int64_t)map->last[first + i] + high;
        if (low < -limit - 1 || low > limit || high < -limit - 1 || high > limit || low > last ||
            last >= INT32_MAX)
            return false;
    }
    return true;
}

bool sim_tensor_map_is_good(const struct sim_tensor_map *map) {
    const unsigned bytes = sim_tensor_type_bytes(map->type);
    if (!bytes || map->rank < 1 || map->rank > SIM_TENSOR_RANK ||
        map->interleave >= SIM_TENSOR_INTERLEAVES || (map->interleave && map->rank < 3))
        return false;
    const uint32_t inner = map->box[0] * bytes;
    return is_tensor_good(map) && (map->is_im2col ? is_column_good(map) : is_box_good(map)) &&
           inner % 16 == 0 && is_swizzle_good(map, inner);
}
