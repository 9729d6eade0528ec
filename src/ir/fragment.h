// Matrix fragments: which elements of a matrix the registers of each lane hold, and the accesses
// that wmma.load and wmma.store are.
//
// A matrix is cut into tiles of 8 x (4 * per) elements. Of a tile, lane l holds row l / 4, and of
// it `per` neighbours from column (l % 4) * per on: as many as fill a register of 32 bits, two of
// an accumulator. Rows and columns here are those of A and of accumulators; of B, and of the
// accumulator of m8n32k16, they change places. So there is a major and a minor direction.
// (PTX ISA, mma; the fragments of wmma, which the ISA leaves open, were read off an H200.)
#ifndef BANKRUN_IR_FRAGMENT_H
#define BANKRUN_IR_FRAGMENT_H

#include "ir/ir.h"

struct ir_matrix_shape {
    unsigned m, n, k;
};

// As the instruction's modifier names it.
struct ir_matrix_shape ir_matrix_shape_of(const struct ptx_instruction *ptx);

enum { IR_FRAGMENT_REGISTERS = 8 }; // of a lane, at most

enum ir_matrix { IR_MATRIX_A, IR_MATRIX_B, IR_MATRIX_C };

struct ir_fragment {
    uint16_t bits; // of an element in a register; 64: a register of 64 bits
    uint16_t per;  // neighbours
    uint16_t majors, minors;
    uint16_t chunk; // tiles come in groups of so many majors, within them one minor by the other
    uint16_t tiles;
    uint16_t registers; // may be more than the tiles fill: they hold copies of the first ones
    bool major_is_column;
};

struct ir_fragment ir_fragment_of(struct ir_matrix_shape shape, enum ir_matrix matrix,
                                  unsigned bits);

// The lane-independent part of a tile's place: lane l's first element is l / 4 majors and
// l % 4 * per minors further.
static inline unsigned ir_tile_major(const struct ir_fragment *f, unsigned tile) {
    const unsigned high = f->chunk / 8u, across = f->minors / (4u * f->per);
    return tile / (high * across) * f->chunk + tile % high * 8;
}

static inline unsigned ir_tile_minor(const struct ir_fragment *f, unsigned tile) {
    const unsigned high = f->chunk / 8u, across = f->minors / (4u * f->per);
    return tile % (high * across) / high * (4u * f->per);
}

// ---- wmma.load and wmma.store ---------------------------------------------------------------

// Lanes make one access after the other, as the instruction becomes on 7.5 and later (seen in the
// machine code, and counted on an H200): for 16-bit factors in shared memory an ldmatrix of up to
// four 8x8 matrices at a time; else one access for each piece of neighbours that a lane holds side
// by side in memory, or for each element where they are apart. Elements of 16 bits that are apart
// go as pairs of another lane's, which movmatrix turns.
struct ir_wmma {
    struct ir_fragment fragment;
    uint32_t stride; // where none is written: no gaps
    bool is_row_major, is_matrix_load;
    uint8_t bytes;    // of an element; 4-bit integers and bits come in words of 32 bits
    uint8_t together; // so many in one of what `bytes` counts
};

// Is it a wmma.load or wmma.store?
bool ir_is_wmma_access(const struct ptx_instruction *ptx);
// False: there is no such instruction. A stride that is written counts elements of the matrix:
// divide it by `together`.
bool ir_wmma_of(const struct ir_instruction *instruction, struct ir_wmma *wmma);

// A lane's neighbours lie side by side in memory.
static inline bool ir_wmma_is_contiguous(const struct ir_wmma *wmma) {
    return wmma->fragment.major_is_column != wmma->is_row_major;
}

static inline bool ir_wmma_is_turned(const struct ir_wmma *wmma) {
    return !ir_wmma_is_contiguous(wmma) && wmma->bytes == 2 && wmma->fragment.per == 2;
}

// Where the lanes access: lane l's first byte is (line[l] * stride + at[l]) * bytes behind the
// matrix's first one.
struct ir_wmma_access {
    unsigned width; // bytes of a lane
    uint16_t line[32], at[32];
};

unsigned ir_wmma_access_count(const struct ir_wmma *wmma);
void ir_wmma_access(const struct ir_wmma *wmma, unsigned n, struct ir_wmma_access *access);
// Of one element: number `i` of the lane's in a tile.
void ir_wmma_element(const struct ir_wmma *wmma, unsigned tile, unsigned i,
                     struct ir_wmma_access *access);

#endif
