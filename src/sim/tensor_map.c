// See tensor_map.h.
#include "sim/tensor_map.h"

unsigned sim_tensor_type_bytes(unsigned type) {
    static const uint8_t bytes[SIM_TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return type < SIM_TENSOR_TYPES ? bytes[type] : 0;
}

static bool is_swizzle_good(const struct sim_tensor_map *map, uint32_t inner) {
    static const uint16_t most[SIM_TENSOR_SWIZZLES] = {UINT16_MAX, 32, 64, 128};
    return map->swizzle < SIM_TENSOR_SWIZZLES && inner <= most[map->swizzle];
}

bool sim_tensor_map_is_good(const struct sim_tensor_map *map) {
    const unsigned bytes = sim_tensor_type_bytes(map->type);
    if (map->mark != SIM_TENSOR_MARK || !bytes || map->rank < 1 || map->rank > SIM_TENSOR_RANK ||
        map->address % 16)
        return false;
    for (unsigned i = 0; i < map->rank; i++) {
        if (map->box[i] < 1 || map->box[i] > 256 || map->steps[i] < 1 || map->steps[i] > 8)
            return false;
        if (i > 0 && (map->strides[i - 1] % 16 || map->strides[i - 1] >> 40))
            return false;
    }
    const uint32_t inner = map->box[0] * bytes;
    return inner % 16 == 0 && is_swizzle_good(map, inner);
}
