// Fragments of matrices. See fragment.h.
#include "ir/fragment.h"

#include "ir/address.h"
#include "ptx/facts.h"

enum { LANES = 32, ROWS = 8, ROW_BYTES = 16, MATRICES = 4 };

struct ir_matrix_shape ir_matrix_shape_of(const struct ptx_instruction *ptx) {
    unsigned part[3] = {0}, n = 0;
    for (const char *at = ptx_modifier_text(ptx_modifier_of(ptx, PTX_GROUP_shape)); *at; at++) {
        if (*at >= '0' && *at <= '9')
            part[n - 1] = part[n - 1] * 10 + (unsigned)(*at - '0');
        else if (n++ == 3)
            break;
    }
    return (struct ir_matrix_shape){part[0], part[1], part[2]};
}

struct ir_fragment ir_fragment_of(struct ir_matrix_shape shape, enum ir_matrix matrix,
                                  unsigned bits) {
    const bool is_wide_c = matrix == IR_MATRIX_C && shape.m == 8 && shape.n == 32;
    struct ir_fragment f = {.bits = (uint16_t)bits};
    f.major_is_column = matrix == IR_MATRIX_B || is_wide_c;
    f.majors = (uint16_t)(f.major_is_column ? shape.n : shape.m);
    f.minors = (uint16_t)(matrix != IR_MATRIX_C ? shape.k : is_wide_c ? shape.m : shape.n);
    f.per = (uint16_t)(matrix == IR_MATRIX_C ? 2 : bits >= 32 ? 1 : 32 / bits);
    f.chunk = f.majors == 32 || (f.majors == 16 && matrix != IR_MATRIX_B) ? 16 : 8;
    f.tiles = (uint16_t)(f.majors / 8 * (f.minors / (4 * f.per)));
    f.registers = (uint16_t)(bits == 64 ? f.tiles * f.per : f.tiles * f.per * bits / 32);
    return f;
}

// ---- wmma.load and wmma.store ---------------------------------------------------------------

static bool has_shape(enum ir_matrix matrix, struct ir_matrix_shape s, enum ptx_type type) {
    const bool is_wide = s.k == 16 && s.m * s.n == 256;
    switch (type) {
    case PTX_F16:
        return is_wide;
    case PTX_BF16:
    case PTX_S8:
    case PTX_U8:
        return is_wide && matrix != IR_MATRIX_C;
    case PTX_F32:
        return matrix == IR_MATRIX_C && (is_wide || (s.m == 16 && s.n == 16 && s.k == 8));
    case PTX_S32:
        return (is_wide || (s.m == 8 && s.n == 8 && s.k >= 32)) && matrix == IR_MATRIX_C;
    case PTX_S4:
    case PTX_U4:
        return s.m == 8 && s.n == 8 && s.k == 32 && matrix != IR_MATRIX_C;
    case PTX_B1:
        return s.m == 8 && s.n == 8 && s.k == 128 && matrix != IR_MATRIX_C;
    case PTX_TF32:
        return matrix != IR_MATRIX_C && s.m == 16 && s.n == 16 && s.k == 8;
    case PTX_F64:
        return s.m == 8 && s.n == 8 && s.k == 4;
    default:
        return false;
    }
}

static unsigned elements_together(enum ptx_type type) {
    return type == PTX_B1 ? 32 : type == PTX_S4 || type == PTX_U4 ? 8 : 1;
}

bool ir_is_wmma_access(const struct ptx_instruction *ptx) {
    const enum ptx_access access = ptx_access_of(ptx);
    return access == PTX_ACCESS_FRAGMENT_LOAD || access == PTX_ACCESS_FRAGMENT_STORE;
}

bool ir_wmma_of(const struct ir_instruction *instruction, struct ir_wmma *wmma) {
    const struct ptx_instruction *ptx = instruction->ptx;
    const enum ptx_modifier which = ptx_modifier_of(ptx, PTX_GROUP_variant);
    const enum ir_matrix matrix = which == PTX_MOD_a   ? IR_MATRIX_A
                                  : which == PTX_MOD_b ? IR_MATRIX_B
                                                       : IR_MATRIX_C;
    struct ir_matrix_shape shape = ir_matrix_shape_of(ptx);
    const enum ptx_type type = ptx->type_count ? (enum ptx_type)ptx->types[0] : PTX_NO_TYPE;
    const bool is_row_major = ptx_modifier_of(ptx, PTX_GROUP_layout) == PTX_MOD_row;
    const unsigned together = elements_together(type);
    if (!has_shape(matrix, shape, type) ||
        (together > 1 && is_row_major != (matrix == IR_MATRIX_A)))
        return false;
    *wmma = (struct ir_wmma){.is_row_major = is_row_major, .together = (uint8_t)together};
    wmma->bytes = (uint8_t)(together > 1 ? 4 : ptx_type_bytes(type));
    shape.k /= together;
    wmma->fragment = ir_fragment_of(shape, matrix, 8u * wmma->bytes);
    if (matrix != IR_MATRIX_C && type == PTX_F16)
        wmma->fragment.registers = IR_FRAGMENT_REGISTERS;
    const unsigned rows = matrix == IR_MATRIX_B ? shape.k : shape.m;
    const unsigned columns = matrix == IR_MATRIX_A ? shape.k : shape.n;
    wmma->stride = is_row_major ? columns : rows;
    wmma->is_matrix_load = matrix != IR_MATRIX_C && wmma->bytes == 2 &&
                           ir_access_space(instruction) == PTX_SPACE_SHARED;
    return true;
}

static void place(const struct ir_wmma *wmma, struct ir_wmma_access *access, unsigned lane,
                  unsigned major, unsigned minor) {
    const bool is_column = wmma->fragment.major_is_column;
    const unsigned row = is_column ? minor : major, column = is_column ? major : minor;
    access->line[lane] = (uint16_t)(wmma->is_row_major ? row : column);
    access->at[lane] = (uint16_t)(wmma->is_row_major ? column : row);
}

// The rows of up to four tiles, as ldmatrix wants them: lane 8k + r has row r of tile k.
static void place_matrices(const struct ir_wmma *wmma, unsigned first,
                           struct ir_wmma_access *access) {
    const struct ir_fragment *f = &wmma->fragment;
    const bool is_contiguous = ir_wmma_is_contiguous(wmma);
    const unsigned count = f->tiles - first < MATRICES ? f->tiles - first : MATRICES;
    access->width = ROW_BYTES;
    for (unsigned l = 0; l < LANES; l++) {
        const unsigned tile = first + l / ROWS % count, r = l % ROWS;
        place(wmma, access, l, ir_tile_major(f, tile) + (is_contiguous ? r : 0),
              ir_tile_minor(f, tile) + (is_contiguous ? 0 : r));
    }
}

// A tile of 16-bit elements that lie side by side along the major axis: lane l asks for those of
// rows 2 * (l % 4) and the next in column l / 4, which two other lanes hold.
static void place_pairs(const struct ir_wmma *wmma, unsigned tile, struct ir_wmma_access *access) {
    const struct ir_fragment *f = &wmma->fragment;
    access->width = 4;
    for (unsigned l = 0; l < LANES; l++)
        place(wmma, access, l, ir_tile_major(f, tile) + l % 4 * 2, ir_tile_minor(f, tile) + l / 4);
}

void ir_wmma_element(const struct ir_wmma *wmma, unsigned tile, unsigned i,
                     struct ir_wmma_access *access) {
    const struct ir_fragment *f = &wmma->fragment;
    access->width = wmma->bytes;
    for (unsigned l = 0; l < LANES; l++)
        place(wmma, access, l, ir_tile_major(f, tile) + l / 4,
              ir_tile_minor(f, tile) + l % 4 * f->per + i);
}

static unsigned pieces_of_tile(const struct ir_wmma *wmma) {
    return ir_wmma_is_turned(wmma) || ir_wmma_is_contiguous(wmma) ? 1 : wmma->fragment.per;
}

unsigned ir_wmma_access_count(const struct ir_wmma *wmma) {
    return wmma->is_matrix_load ? (wmma->fragment.tiles + MATRICES - 1u) / MATRICES
                                : wmma->fragment.tiles * pieces_of_tile(wmma);
}

void ir_wmma_access(const struct ir_wmma *wmma, unsigned n, struct ir_wmma_access *access) {
    const unsigned pieces = pieces_of_tile(wmma);
    if (wmma->is_matrix_load) {
        place_matrices(wmma, n * MATRICES, access);
    } else if (ir_wmma_is_turned(wmma)) {
        place_pairs(wmma, n, access);
    } else {
        ir_wmma_element(wmma, n / pieces, n % pieces, access);
        if (ir_wmma_is_contiguous(wmma))
            access->width *= wmma->fragment.per;
    }
}
