// The 128 bytes of a tensor map, which programs pass on without looking into them: an encoding of
// our own. Copies of tensors in tile mode read it.
#ifndef BANKRUN_SIM_TENSOR_MAP_H
#define BANKRUN_SIM_TENSOR_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIM_TENSOR_RANK = 5, SIM_TENSOR_MAP_BYTES = 128, SIM_TENSOR_MAP_ALIGN = 64 };

// Numbers of CUtensorMapDataType, ...Swizzle and ...Interleave; tensormap.replace has its own.
enum sim_tensor_type {
    SIM_TENSOR_U8,
    SIM_TENSOR_U16,
    SIM_TENSOR_U32,
    SIM_TENSOR_S32,
    SIM_TENSOR_U64,
    SIM_TENSOR_S64,
    SIM_TENSOR_F16,
    SIM_TENSOR_F32,
    SIM_TENSOR_F64,
    SIM_TENSOR_BF16,
    SIM_TENSOR_F32_FTZ,
    SIM_TENSOR_TF32,
    SIM_TENSOR_TF32_FTZ,
    SIM_TENSOR_TYPES
};
enum sim_tensor_swizzle {
    SIM_TENSOR_SWIZZLE_NONE,
    SIM_TENSOR_SWIZZLE_32,
    SIM_TENSOR_SWIZZLE_64,
    SIM_TENSOR_SWIZZLE_128,
    SIM_TENSOR_SWIZZLES
};

struct sim_tensor_map {
    uint64_t mark; // SIM_TENSOR_MARK
    uint64_t address;
    uint64_t strides[SIM_TENSOR_RANK - 1]; // bytes, of the dimensions but the first
    uint32_t last[SIM_TENSOR_RANK];        // of each dimension: elements - 1
    uint16_t box[SIM_TENSOR_RANK];
    uint8_t steps[SIM_TENSOR_RANK]; // elementStrides
    uint8_t rank, type, swizzle;
    bool fills_nan;
    uint8_t rest[128 - 8 - 8 - 32 - 20 - 10 - 5 - 4];
};
_Static_assert(sizeof(struct sim_tensor_map) == SIM_TENSOR_MAP_BYTES, "no gaps");
#define SIM_TENSOR_MARK 0x70616d726f736e74ull

unsigned sim_tensor_type_bytes(unsigned type); // 0: no such type

// Whether the bytes are a map that copies can follow.
bool sim_tensor_map_is_good(const struct sim_tensor_map *map);

// Where the 16 bytes at this shared-memory offset go.
static inline uint32_t sim_tensor_swizzled(enum sim_tensor_swizzle swizzle, uint32_t offset) {
    switch (swizzle) {
    case SIM_TENSOR_SWIZZLE_32:
        return offset ^ (offset >> 3 & 0x10);
    case SIM_TENSOR_SWIZZLE_64:
        return offset ^ (offset >> 3 & 0x30);
    case SIM_TENSOR_SWIZZLE_128:
        return offset ^ (offset >> 3 & 0x70);
    default:
        return offset;
    }
}

// How many elements of a dimension a copy moves.
static inline uint32_t sim_tensor_count(const struct sim_tensor_map *map, unsigned dimension) {
    const uint32_t step = dimension ? map->steps[dimension] : 1;
    return (map->box[dimension] + step - 1) / step;
}

#endif
