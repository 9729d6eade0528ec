// Tensor maps. Which ones are good is the driver's rule, see the manual of cuTensorMapEncodeTiled;
// the driver does not look at the alignment of the map itself.
#include "sim/tensor_map.h"

#include <string.h>

#include "cudadrv/cudadrv.h"
#include "cudart/error.h"

enum { DATA_TYPES = 16, INTERLEAVES = 3, SWIZZLES = 7, PROMOTIONS = 4, FILLS = 2 };

struct tiled {
    struct sim_tensor_map *map;
    unsigned type, rank;
    void *address;
    const uint64_t *sizes, *strides;
    const uint32_t *box, *steps;
    unsigned interleave, swizzle, promotion, fill;
};

static bool is_float(unsigned type) {
    return type >= SIM_TENSOR_F16 && type < SIM_TENSOR_TYPES;
}

static bool are_sizes_good(const struct tiled *t) {
    for (unsigned i = 0; i < t->rank; i++) {
        if (!t->sizes[i] || t->sizes[i] > 1ull << 32 || !t->box[i] || t->box[i] > 256 ||
            !t->steps[i] || t->steps[i] > 8)
            return false;
        if (i + 1 < t->rank && (t->strides[i] % 16 || t->strides[i] >> 40))
            return false;
    }
    return true;
}

static bool is_good(const struct tiled *t) {
    return t->map && t->type < DATA_TYPES && t->rank >= 1 && t->rank <= SIM_TENSOR_RANK &&
           (uintptr_t)t->address % 16 == 0 && t->sizes && (t->strides || t->rank == 1) && t->box &&
           t->steps && t->interleave < INTERLEAVES && t->swizzle < SWIZZLES &&
           t->promotion < PROMOTIONS && t->fill < FILLS && (!t->fill || is_float(t->type)) &&
           are_sizes_good(t);
}

// What the simulator does not follow is said and refused.
static bool is_known(const struct tiled *t) {
    return t->type < SIM_TENSOR_TYPES && t->interleave == 0 && t->swizzle < SIM_TENSOR_SWIZZLES;
}

static cu_result encode(const struct tiled *t) {
    static atomic_flag was_said = ATOMIC_FLAG_INIT;
    struct sim_tensor_map map = {.mark = SIM_TENSOR_MARK,
                                 .address = (uint64_t)(uintptr_t)t->address,
                                 .rank = (uint8_t)t->rank,
                                 .type = (uint8_t)t->type,
                                 .swizzle = (uint8_t)t->swizzle,
                                 .fills_nan = t->fill != 0};
    if (!is_good(t))
        return cudaErrorInvalidValue;
    if (!is_known(t))
        return cudadrv_unsupported(
            "cuTensorMapEncodeTiled with interleaved, packed or other swizzled layouts", &was_said);
    for (unsigned i = 0; i < t->rank; i++) {
        map.last[i] = (uint32_t)(t->sizes[i] - 1);
        map.box[i] = (uint16_t)t->box[i];
        map.steps[i] = (uint8_t)t->steps[i];
        if (i > 0)
            map.strides[i - 1] = t->strides[i - 1];
    }
    if (!sim_tensor_map_is_good(&map))
        return cudaErrorInvalidValue;
    memcpy(t->map, &map, sizeof map);
    return cudaSuccess;
}

CUDART_API cu_result cuTensorMapEncodeTiled(void *map, unsigned type, unsigned rank, void *address,
                                            const uint64_t *sizes, const uint64_t *strides,
                                            const uint32_t *box, const uint32_t *steps,
                                            unsigned interleave, unsigned swizzle,
                                            unsigned promotion, unsigned fill) {
    const struct tiled tiled = {map, type,  rank,       address, sizes,     strides,
                                box, steps, interleave, swizzle, promotion, fill};
    return encode(&tiled);
}

CUDART_API cu_result cuTensorMapReplaceAddress(void *map, void *address) {
    struct sim_tensor_map *tensor = map;
    if (!map || (uintptr_t)address % 16 || tensor->mark != SIM_TENSOR_MARK)
        return cudaErrorInvalidValue;
    tensor->address = (uint64_t)(uintptr_t)address;
    return cudaSuccess;
}
