// Tensor maps: their fields, and the 128 bytes that hold them, as the driver's encoder and
// tensormap.replace of devices of 9.0 write them and copies read them. Measured on an H100
// (truth/h100_tensor_layout.txt.gz).
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
// What a swizzle of 128 bytes keeps together; as tensormap.replace numbers it. Earlier devices keep
// 16 bytes together, whatever a map says.
enum { SIM_TENSOR_ATOMS_SINCE = 100 };
enum sim_tensor_atom {
    SIM_TENSOR_ATOM_16,
    SIM_TENSOR_ATOM_32,
    SIM_TENSOR_ATOM_32_FLIP, // which lines are flipped the ISA does not say: refused
    SIM_TENSOR_ATOM_64,
};
// Dimension 0 of an interleaved tensor counts slices of 16 or 32 bytes, whatever the type.
enum sim_tensor_interleave {
    SIM_TENSOR_INTERLEAVE_NONE,
    SIM_TENSOR_INTERLEAVE_16,
    SIM_TENSOR_INTERLEAVE_32,
    SIM_TENSOR_INTERLEAVES
};
enum { SIM_TENSOR_SPACES = SIM_TENSOR_RANK - 2 }; // most dimensions W, H, D of im2col mode

struct sim_tensor_map {
    uint64_t address;
    uint64_t strides[SIM_TENSOR_RANK - 1]; // bytes, of the dimensions but the first
    uint32_t last[SIM_TENSOR_RANK];        // of each dimension: elements - 1
    uint16_t box[SIM_TENSOR_RANK];         // im2col mode: the first alone, channelsPerPixel
    uint16_t pixels;                       // im2col mode: pixelsPerColumn
    int16_t lower[SIM_TENSOR_SPACES];      // corners of im2col mode, in the order W, H, D
    int16_t upper[SIM_TENSOR_SPACES];
    uint8_t steps[SIM_TENSOR_RANK]; // elementStrides
    uint8_t rank, type, swizzle, atom, interleave;
    uint8_t promotion; // CUtensorMapL2promotion, for nobody
    bool fills_nan, is_im2col;
};

// What tensormap.replace changes.
enum sim_tensor_field {
    SIM_TENSOR_ADDRESS,
    SIM_TENSOR_RANK_LESS_ONE,
    SIM_TENSOR_BOX,
    SIM_TENSOR_SIZE,
    SIM_TENSOR_STRIDE,
    SIM_TENSOR_STEP,
    SIM_TENSOR_ELEMENT, // a type as the instruction numbers them
    SIM_TENSOR_INTERLEAVE,
    SIM_TENSOR_SWIZZLE,
    SIM_TENSOR_ATOM,
    SIM_TENSOR_FILL,
};

unsigned sim_tensor_type_bytes(unsigned type); // 0: no such type

// Whether copies can follow the map.
bool sim_tensor_map_is_good(const struct sim_tensor_map *map);

// layout.c: from and to SIM_TENSOR_MAP_BYTES bytes. What is read need not be good. What is written
// must be.
void sim_tensor_map_read(const void *bytes, struct sim_tensor_map *map);
void sim_tensor_map_write(const struct sim_tensor_map *map, void *bytes);
// Changes one field as the hardware does: of too large a value the low bits are kept. `dimension` <
// SIM_TENSOR_RANK. False: there is no such value.
bool sim_tensor_map_replace(void *bytes, enum sim_tensor_field field, unsigned dimension,
                            uint64_t value);

// Where the 16 bytes at this shared-memory offset go.
static inline uint32_t sim_tensor_swizzled(const struct sim_tensor_map *map, uint32_t offset) {
    switch (map->swizzle) {
    case SIM_TENSOR_SWIZZLE_32:
        return offset ^ (offset >> 3 & 0x10);
    case SIM_TENSOR_SWIZZLE_64:
        return offset ^ (offset >> 3 & 0x30);
    case SIM_TENSOR_SWIZZLE_128:
        return offset ^ (map->atom == SIM_TENSOR_ATOM_64   ? offset >> 1 & 0x40
                         : map->atom == SIM_TENSOR_ATOM_32 ? offset >> 2 & 0x60
                                                           : offset >> 3 & 0x70);
    default:
        return offset;
    }
}

// What dimension 0 counts, in bytes.
static inline unsigned sim_tensor_unit(const struct sim_tensor_map *map) {
    return map->interleave ? 8u << map->interleave : sim_tensor_type_bytes(map->type);
}

// Elements strides: that of dimension 0 is for interleaved tensors alone.
static inline uint32_t sim_tensor_step(const struct sim_tensor_map *map, unsigned dimension) {
    return dimension || map->interleave ? map->steps[dimension] : 1;
}

// How many elements of a dimension a copy in tile mode moves: of an interleaved tensor one slice of
// the channels, whatever the box says (seen on an H200).
static inline uint32_t sim_tensor_count(const struct sim_tensor_map *map, unsigned dimension) {
    const uint32_t step = sim_tensor_step(map, dimension);
    const bool is_slice = map->interleave && dimension + 2 == map->rank;
    return is_slice ? 1 : (map->box[dimension] + step - 1) / step;
}

#endif
