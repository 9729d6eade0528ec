// The 128 bytes of a tensor map: 32 words, of which copies look at the first 16. See tensor/map.h.
//
//   0, 1    the address
//   2       bit 0: im2col mode; 4-6: rank - 1; 7-10 and 16: the type; 11-12: interleave; 13-14:
//   swizzle; 15: NaN
//           fills; 17-18: promotion; 19-20: what a swizzle of 128 bytes keeps together, where
//           9.0 has nothing and looks at nothing (NVIDIA's CuTe DSL writes it there)
//   3 to 6  strides / 16, of whose bits 32 to 35 four each lie in word 7
//   8 to 12 sizes - 1
//   13      element strides - 1, three bits each; 24-31: the box's first size - 1, or channels - 1
//   14      the box's other sizes - 1, eight bits each; of im2col mode the lower corner in the low
//   half and the
//           upper one in the high half, 16 bits for all dimensions
//   15      pixels - 1
//   16, 18  the encoder's own: bytes of a box, alignment of the swizzle. Others leave anything here
#include <string.h>

#include "sim/tensor/map.h"

enum { WORDS = SIM_TENSOR_MAP_BYTES / 4, FIRST_STRIDE = 3, HIGH_STRIDES = 7, FIRST_SIZE = 8 };
enum { FLAGS = 2, STEPS = 13, BOX = 14, PIXELS = 15, BOX_BYTES = 16, ALIGNMENT = 18 };
enum { TF32_BIT = 16, ATOM_BIT = 19, LATE_SWIZZLE_BIT = 22 };

// Of each type the bits 7 to 10; those that are rounded to TF32 have bit 16, too.
static const uint8_t codes[SIM_TENSOR_TYPES] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8, 7, 8};

static uint32_t get(const uint32_t *words, unsigned word, unsigned bit, unsigned bits) {
    return words[word] >> bit & (UINT32_MAX >> (32 - bits));
}

static void put(uint32_t *words, unsigned word, unsigned bit, unsigned bits, uint64_t value) {
    const uint32_t mask = (UINT32_MAX >> (32 - bits)) << bit;
    words[word] = (words[word] & ~mask) | ((uint32_t)(value << bit) & mask);
}

static bool is_tf32(unsigned type) {
    return type == SIM_TENSOR_TF32 || type == SIM_TENSOR_TF32_FTZ;
}

static uint8_t read_type(const uint32_t *words) {
    const uint32_t code = get(words, FLAGS, 7, 4);
    const bool tf32 = get(words, FLAGS, TF32_BIT, 1) &&
                      (code == codes[SIM_TENSOR_TF32] || code == codes[SIM_TENSOR_TF32_FTZ]);
    for (unsigned type = 0; type < SIM_TENSOR_TYPES; type++)
        if (codes[type] == code && is_tf32(type) == tf32)
            return (uint8_t)type;
    return SIM_TENSOR_TYPES;
}

// Bits of each corner's number, for so many dimensions.
static unsigned corner_bits(unsigned rank) {
    return rank > 2 ? 16u / (rank - 2) : 16;
}

static int16_t with_sign(uint32_t value, unsigned bits) {
    return (int16_t)((int32_t)(value << (32 - bits)) >> (32 - bits));
}

static void read_box(const uint32_t *words, struct sim_tensor_map *map) {
    map->box[0] = (uint16_t)(get(words, STEPS, 24, 8) + 1);
    for (unsigned i = 1; i < SIM_TENSOR_RANK && !map->is_im2col; i++)
        map->box[i] = (uint16_t)(get(words, BOX, 8 * (i - 1), 8) + 1);
    const unsigned bits = corner_bits(map->rank);
    for (unsigned i = 0; map->is_im2col && i + 2 < map->rank && i < SIM_TENSOR_SPACES; i++) {
        map->lower[i] = with_sign(get(words, BOX, bits * i, bits), bits);
        map->upper[i] = with_sign(get(words, BOX, 16 + bits * i, bits), bits);
    }
    const uint32_t pixels = words[PIXELS];
    map->pixels = (uint16_t)(map->is_im2col && pixels < UINT16_MAX ? pixels + 1 : 0);
}

void sim_tensor_map_read(const void *bytes, struct sim_tensor_map *map) {
    uint32_t words[WORDS];
    memcpy(words, bytes, sizeof words);
    *map = (struct sim_tensor_map){.address = words[0] | (uint64_t)words[1] << 32,
                                   .is_im2col = get(words, FLAGS, 0, 1),
                                   .rank = (uint8_t)(get(words, FLAGS, 4, 3) + 1),
                                   .type = read_type(words),
                                   .interleave = (uint8_t)get(words, FLAGS, 11, 2),
                                   .swizzle = (uint8_t)get(words, FLAGS, 13, 2),
                                   .fills_nan = get(words, FLAGS, 15, 1),
                                   .promotion = (uint8_t)get(words, FLAGS, 17, 2),
                                   .atom = (uint8_t)get(words, FLAGS, ATOM_BIT, 2)};
    for (unsigned i = 0; i < SIM_TENSOR_RANK; i++) {
        map->last[i] = words[FIRST_SIZE + i];
        map->steps[i] = (uint8_t)(get(words, STEPS, 3 * i, 3) + 1);
    }
    for (unsigned i = 0; i < SIM_TENSOR_RANK - 1; i++)
        map->strides[i] =
            (words[FIRST_STRIDE + i] | (uint64_t)get(words, HIGH_STRIDES, 4 * i, 4) << 32) << 4;
    read_box(words, map);
}

static void put_stride(uint32_t *words, unsigned dimension, uint64_t bytes) {
    words[FIRST_STRIDE + dimension] = (uint32_t)(bytes >> 4);
    put(words, HIGH_STRIDES, 4 * dimension, 4, bytes >> 36);
}

static void put_box(uint32_t *words, unsigned dimension, uint64_t size) {
    if (dimension == 0)
        put(words, STEPS, 24, 8, size - 1);
    else
        put(words, BOX, 8 * (dimension - 1), 8, size - 1);
}

static void write_columns(uint32_t *words, const struct sim_tensor_map *map) {
    const unsigned bits = corner_bits(map->rank);
    for (unsigned i = 0; i + 2 < map->rank; i++) {
        put(words, BOX, bits * i, bits, (uint16_t)map->lower[i]);
        put(words, BOX, 16 + bits * i, bits, (uint16_t)map->upper[i]);
    }
    words[PIXELS] = map->pixels - 1u;
    words[BOX_BYTES] = (uint32_t)map->box[0] * map->pixels * sim_tensor_type_bytes(map->type);
}

static void write_tile(uint32_t *words, const struct sim_tensor_map *map) {
    uint32_t bytes = sim_tensor_type_bytes(map->type);
    for (unsigned i = 0; i < map->rank; i++) {
        put_box(words, i, map->box[i]);
        bytes *= map->box[i] / map->steps[i];
    }
    words[BOX_BYTES] = bytes;
}

void sim_tensor_map_write(const struct sim_tensor_map *map, void *bytes) {
    static const uint16_t alignments[SIM_TENSOR_SWIZZLES] = {16, 256, 512, 1024};
    uint32_t words[WORDS] = {(uint32_t)map->address, (uint32_t)(map->address >> 32)};
    put(words, FLAGS, 0, 1, map->is_im2col);
    put(words, FLAGS, 4, 3, map->rank - 1u);
    put(words, FLAGS, 7, 4, codes[map->type]);
    put(words, FLAGS, 11, 2, map->interleave);
    put(words, FLAGS, 13, 2, map->swizzle);
    put(words, FLAGS, 15, 1, map->fills_nan);
    put(words, FLAGS, TF32_BIT, 1, is_tf32(map->type));
    put(words, FLAGS, 17, 2, map->promotion);
    put(words, FLAGS, ATOM_BIT, 2, map->atom);
    for (unsigned i = 0; i < map->rank; i++) {
        words[FIRST_SIZE + i] = map->last[i];
        put(words, STEPS, 3 * i, 3, map->steps[i] - 1u);
        if (i > 0)
            put_stride(words, i - 1, map->strides[i - 1]);
    }
    put(words, STEPS, 24, 8, map->box[0] - 1u);
    if (map->is_im2col)
        write_columns(words, map);
    else
        write_tile(words, map);
    words[ALIGNMENT] = alignments[map->swizzle];
    memcpy(bytes, words, sizeof words);
}

// ---- tensormap.replace ------------------------------------------------------------------------

// A type that is not rounded leaves that bit as it is.
static bool put_element(uint32_t *words, uint64_t value) {
    static const uint8_t types[] = {
        SIM_TENSOR_U8,   SIM_TENSOR_U16,  SIM_TENSOR_U32,      SIM_TENSOR_S32,     SIM_TENSOR_U64,
        SIM_TENSOR_S64,  SIM_TENSOR_F16,  SIM_TENSOR_F32,      SIM_TENSOR_F32_FTZ, SIM_TENSOR_F64,
        SIM_TENSOR_BF16, SIM_TENSOR_TF32, SIM_TENSOR_TF32_FTZ,
    };
    if (value >= sizeof types)
        return false;
    put(words, FLAGS, 7, 4, codes[types[value]]);
    words[FLAGS] |= (uint32_t)is_tf32(types[value]) << TF32_BIT;
    return true;
}

static bool put_field(uint32_t *words, enum sim_tensor_field field, unsigned dimension,
                      uint64_t value) {
    switch (field) {
    case SIM_TENSOR_ADDRESS:
        memcpy(words, &value, sizeof value);
        return true;
    case SIM_TENSOR_RANK_LESS_ONE:
        put(words, FLAGS, 4, 3, value);
        return true;
    case SIM_TENSOR_BOX:
        put_box(words, dimension, value);
        return true;
    case SIM_TENSOR_SIZE:
        words[FIRST_SIZE + dimension] = (uint32_t)(value - 1);
        return true;
    case SIM_TENSOR_STRIDE:
        if (dimension < SIM_TENSOR_RANK - 1)
            put_stride(words, dimension, value);
        return dimension < SIM_TENSOR_RANK - 1;
    case SIM_TENSOR_STEP:
        put(words, STEPS, 3 * dimension, 3, value - 1);
        return true;
    case SIM_TENSOR_ELEMENT:
        return put_element(words, value);
    case SIM_TENSOR_INTERLEAVE:
        put(words, FLAGS, 11, 2, value);
        return value < SIM_TENSOR_INTERLEAVES;
    case SIM_TENSOR_SWIZZLE:
        put(words, FLAGS, 13, 2, value);
        put(words, FLAGS, LATE_SWIZZLE_BIT, 1, 0);
        return value < SIM_TENSOR_SWIZZLES;
    case SIM_TENSOR_ATOM:
        put(words, FLAGS, ATOM_BIT, 2, value);
        return value <= SIM_TENSOR_ATOM_64 && value != SIM_TENSOR_ATOM_32_FLIP;
    default:
        put(words, FLAGS, 15, 1, value);
        return value < 2;
    }
}

bool sim_tensor_map_replace(void *bytes, enum sim_tensor_field field, unsigned dimension,
                            uint64_t value) {
    uint32_t words[WORDS];
    memcpy(words, bytes, sizeof words);
    if (!put_field(words, field, dimension, value))
        return false;
    memcpy(bytes, words, sizeof words);
    return true;
}
