// Tensor maps. Which ones are good is the driver's rule, see the manual of cuTensorMapEncodeTiled,
// where an H200's driver keeps to it: it does not look at the alignment of the map itself, and lets
// 32-byte interleaved tensors have any swizzle.
#include "sim/tensor/map.h"

#include <string.h>

#include "cuda/core/error.h"
#include "cudadrv/cudadrv.h"

enum { DATA_TYPES = 16, SWIZZLES = 7, PROMOTIONS = 4, FILLS = 2 };

// What both ways to make a map are told.
struct tensor {
    void *map;
    unsigned type, rank;
    void *address;
    const uint64_t *sizes, *strides;
    const uint32_t *steps;
    unsigned interleave, swizzle, promotion, fill;
};

static bool is_float(unsigned type) {
    return type >= SIM_TENSOR_F16 && type < SIM_TENSOR_TYPES;
}

// What does not fit into a map's fields; sim_tensor_map_is_good looks at the rest.
static bool are_fields_good(const struct tensor *t) {
    for (unsigned i = 0; i < t->rank; i++)
        if (!t->sizes[i] || t->sizes[i] > 1ull << 32 || t->steps[i] > 8)
            return false;
    return true;
}

static bool is_good(const struct tensor *t) {
    return t->map && t->type < DATA_TYPES && t->rank >= 1 && t->rank <= SIM_TENSOR_RANK &&
           t->sizes && (t->strides || t->rank == 1) && t->steps &&
           t->interleave < SIM_TENSOR_INTERLEAVES && t->swizzle < SWIZZLES &&
           t->promotion < PROMOTIONS && t->fill < FILLS && (!t->fill || is_float(t->type)) &&
           are_fields_good(t);
}

// Numbers of CUtensorMapSwizzle behind those of 9.0: 128 bytes with larger atoms.
enum { SWIZZLE_ATOM_32 = SIM_TENSOR_SWIZZLES, SWIZZLE_ATOM_32_FLIP, SWIZZLE_ATOM_64 };

// Packed types and the swizzles that keep more than 16 bytes together are for devices of 10.0 and
// later: the driver says "invalid" for others.
static cu_result unknown(const struct tensor *t, const char *name, atomic_flag *was_said) {
    const bool is_old = t->type < SIM_TENSOR_TYPES && t->swizzle < SIM_TENSOR_SWIZZLES;
    if (!is_old && cuda_state()->device.arch < 100)
        return cudaErrorInvalidValue;
    if (t->type >= SIM_TENSOR_TYPES || t->swizzle == SWIZZLE_ATOM_32_FLIP)
        return cudadrv_unsupported(name, was_said);
    return cudaSuccess;
}

static struct sim_tensor_map begin_map(const struct tensor *t) {
    struct sim_tensor_map map = {.address = (uint64_t)(uintptr_t)t->address,
                                 .rank = (uint8_t)t->rank,
                                 .type = (uint8_t)t->type,
                                 .swizzle = (uint8_t)t->swizzle,
                                 .interleave = (uint8_t)t->interleave,
                                 .promotion = (uint8_t)t->promotion,
                                 .fills_nan = t->fill != 0};
    if (t->swizzle >= SIM_TENSOR_SWIZZLES) {
        map.swizzle = SIM_TENSOR_SWIZZLE_128;
        map.atom = t->swizzle == SWIZZLE_ATOM_32 ? SIM_TENSOR_ATOM_32 : SIM_TENSOR_ATOM_64;
    }
    for (unsigned i = 0; i < t->rank; i++) {
        map.last[i] = (uint32_t)(t->sizes[i] - 1);
        map.steps[i] = (uint8_t)t->steps[i];
        if (i > 0)
            map.strides[i - 1] = t->strides[i - 1];
    }
    return map;
}

static cu_result end_map(const struct tensor *t, const struct sim_tensor_map *map) {
    if (!sim_tensor_map_is_good(map))
        return cudaErrorInvalidValue;
    sim_tensor_map_write(map, t->map);
    return cudaSuccess;
}

CUDA_API cu_result cuTensorMapEncodeTiled(void *map, unsigned type, unsigned rank, void *address,
                                          const uint64_t *sizes, const uint64_t *strides,
                                          const uint32_t *box, const uint32_t *steps,
                                          unsigned interleave, unsigned swizzle, unsigned promotion,
                                          unsigned fill) {
    const struct tensor tensor = {map,   type,       rank,    address,   sizes, strides,
                                  steps, interleave, swizzle, promotion, fill};
    static atomic_flag was_said = ATOMIC_FLAG_INIT;
    if (!is_good(&tensor) || !box)
        return cudaErrorInvalidValue;
    const cu_result refused =
        unknown(&tensor, "cuTensorMapEncodeTiled with packed types or flipped swizzles", &was_said);
    if (refused)
        return refused;
    struct sim_tensor_map made = begin_map(&tensor);
    for (unsigned i = 0; i < rank; i++)
        made.box[i] = (uint16_t)(box[i] < UINT16_MAX ? box[i] : UINT16_MAX);
    return end_map(&tensor, &made);
}

// They fit into the fields.
static bool are_corners_good(unsigned rank, const int *lower, const int *upper) {
    if (rank < 3 || !lower || !upper)
        return false;
    for (unsigned i = 0; i < rank - 2; i++)
        if ((int16_t)lower[i] != lower[i] || (int16_t)upper[i] != upper[i])
            return false;
    return true;
}

CUDA_API cu_result cuTensorMapEncodeIm2col(void *map, unsigned type, unsigned rank, void *address,
                                           const uint64_t *sizes, const uint64_t *strides,
                                           const int *lower, const int *upper, uint32_t channels,
                                           uint32_t pixels, const uint32_t *steps,
                                           unsigned interleave, unsigned swizzle,
                                           unsigned promotion, unsigned fill) {
    const struct tensor tensor = {map,   type,       rank,    address,   sizes, strides,
                                  steps, interleave, swizzle, promotion, fill};
    static atomic_flag was_said = ATOMIC_FLAG_INIT;
    if (!is_good(&tensor) || !are_corners_good(rank, lower, upper) || channels > UINT16_MAX ||
        pixels > UINT16_MAX)
        return cudaErrorInvalidValue;
    const cu_result refused = unknown(
        &tensor, "cuTensorMapEncodeIm2col with packed types or flipped swizzles", &was_said);
    if (refused)
        return refused;
    struct sim_tensor_map made = begin_map(&tensor);
    made.is_im2col = true;
    made.box[0] = (uint16_t)channels;
    made.pixels = (uint16_t)pixels;
    for (unsigned i = 0; i < rank - 2; i++) {
        made.lower[i] = (int16_t)lower[i];
        made.upper[i] = (int16_t)upper[i];
    }
    return end_map(&tensor, &made);
}

CUDA_API cu_result cuTensorMapReplaceAddress(void *map, void *address) {
    struct sim_tensor_map made;
    if (!map)
        return cudaErrorInvalidValue;
    sim_tensor_map_read(map, &made);
    made.address = (uint64_t)(uintptr_t)address;
    if (!sim_tensor_map_is_good(&made))
        return cudaErrorInvalidValue;
    sim_tensor_map_replace(map, SIM_TENSOR_ADDRESS, 0, made.address);
    return cudaSuccess;
}
