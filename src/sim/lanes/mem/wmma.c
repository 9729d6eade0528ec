// wmma.load and wmma.store: a fragment from and to shared or global memory.
//
// What observers hear is what the instruction becomes on 7.5 and later: for 16-bit factors in
// shared memory an ldmatrix of up to four 8x8 matrices at a time; else one access for each piece of
// neighbours that a lane holds side by side in memory, or for each element where they are apart.
// Elements of 16 bits that are apart go as pairs of another lane's, which movmatrix turns (MOVM in
// the machine code of 9.0).
#include "sim/lanes/matrix/mma.h"
#include "sim/lanes/mem/access.h"

enum { ROWS = 8, ROW_BYTES = 16, MATRICES = 4, ELEMENTS = 16 };

struct wmma {
    struct sim_access access; // first: instr->access points to it
    struct mma_fragment fragment;
    sim_ref registers[MMA_MAX_REGISTERS];
    uint32_t stride; // where none is written: no gaps
    bool has_stride, is_row_major, is_matrix_load;
    uint8_t bytes;    // of an element; 4-bit integers and bits come in words of 32 bits
    uint8_t together; // so many in one of what `bytes` counts
};

// The fragment in memory: the ISA wants one address and one stride for all lanes.
struct place {
    const struct wmma *wmma;
    uint64_t base;
    uint32_t stride; // elements from one row (or column) to the next
};

static uint64_t address_of(const struct place *p, unsigned major, unsigned minor) {
    const bool is_column = p->wmma->fragment.major_is_column;
    const uint64_t row = is_column ? minor : major, column = is_column ? major : minor;
    const uint64_t index =
        p->wmma->is_row_major ? row * p->stride + column : column * p->stride + row;
    return p->base + index * p->wmma->bytes;
}

// A lane's neighbours lie side by side in memory.
static bool is_contiguous(const struct wmma *w) {
    return w->fragment.major_is_column != w->is_row_major;
}

static struct place place_of(const struct sim_warp *warp, const struct sim_instr *instr) {
    const struct wmma *w = (const struct wmma *)instr->access;
    const struct sim_access *access = &w->access;
    _Alignas(64) uint64_t base[LANES];
    mem_raw(warp, access->has_base, access->base_is_32, access->base, access->offset, base);
    struct place place = {w, base[0], w->stride};
    if (access->base_is_32)
        place.base = (uint32_t)place.base;
    if (w->has_stride)
        place.stride = *LANES_ALIGNED(const uint32_t, instr->operand[2]) / w->together;
    return place;
}

// Checks one access of each lane, tells observers, and makes host addresses of the lanes'.
static bool resolve(const struct mem_request *request, uint64_t *address) {
    struct sim_block *block = request->warp->block;
    _Alignas(64) uint32_t offset[LANES];
    switch (request->instr->access->space) {
    case PTX_SPACE_GENERIC:
        return sim_mem_generic(request, address);
    case PTX_SPACE_GLOBAL:
        if (!sim_mem_check_global(request, address))
            return false;
        sim_emit_global(request, request->mask, address, EVENT_ANY_PATTERN);
        return true;
    default:
        break;
    }
    if (!sim_mem_check_offsets(request, PTX_SPACE_SHARED, address, block->shared_bytes))
        return false;
    for (unsigned l = 0; l < LANES; l++) {
        offset[l] = (uint32_t)address[l];
        address[l] = (uint64_t)(uintptr_t)block->shared + offset[l];
    }
    sim_emit_shared(request, request->mask, offset, EVENT_ANY_PATTERN, block);
    return true;
}

static bool is_turned(const struct wmma *w) {
    return !is_contiguous(w) && w->bytes == 2 && w->fragment.per == 2;
}

// Host addresses of the element `i` of each lane in a tile (and of those behind it in memory).
static void tile_addresses(const struct place *place, unsigned tile, unsigned i,
                           uint64_t address[LANES]) {
    const struct mma_fragment *f = &place->wmma->fragment;
    for (unsigned l = 0; l < LANES; l++)
        address[l] = address_of(place, mma_tile_major(f, tile) + l / 4,
                                mma_tile_minor(f, tile) + l % 4 * f->per + i);
}

// The rows of up to four tiles, as ldmatrix wants them: lane 8k + r has row r of tile k.
static bool tell_matrices(struct sim_warp *warp, const struct sim_instr *instr,
                          const struct place *place) {
    const struct mma_fragment *f = &place->wmma->fragment;
    const bool contiguous = is_contiguous(place->wmma);
    for (unsigned first = 0; first < f->tiles; first += MATRICES) {
        const unsigned count = f->tiles - first < MATRICES ? f->tiles - first : MATRICES;
        _Alignas(64) uint64_t address[LANES];
        for (unsigned l = 0; l < LANES; l++) {
            const unsigned tile = first + l / ROWS % count, r = l % ROWS;
            address[l] = address_of(place, mma_tile_major(f, tile) + (contiguous ? r : 0),
                                    mma_tile_minor(f, tile) + (contiguous ? 0 : r));
        }
        const struct mem_request request = mem_request(warp, instr, ROW_BYTES, EVENT_READ);
        if (!resolve(&request, address))
            return false;
    }
    return true;
}

// Calls for each piece of each lane: element number, how many elements, host addresses.
typedef void copy_function(const struct wmma *, uint64_t element[ELEMENTS][LANES], unsigned e,
                           unsigned count, const uint64_t *address);

// A tile of 16-bit elements that lie side by side along the major axis: lane l asks for those of
// rows 2 * (l % 4) and the next in column l / 4, which two other lanes hold.
static bool turned_pieces(struct sim_warp *warp, const struct sim_instr *instr,
                          const struct place *place, enum event_intent intent, unsigned tile,
                          uint64_t element[ELEMENTS][LANES], copy_function *copy) {
    const struct mma_fragment *f = &place->wmma->fragment;
    const struct mem_request request = mem_request(warp, instr, 4, intent);
    _Alignas(64) uint64_t pair[LANES], address[LANES];
    for (unsigned l = 0; l < LANES; l++)
        pair[l] =
            address_of(place, mma_tile_major(f, tile) + l % 4 * 2, mma_tile_minor(f, tile) + l / 4);
    if (!resolve(&request, pair))
        return false;
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned l = 0; l < LANES; l++)
            address[l] = pair[(l % 4 * 2 + i) * 4 + l / 8] + l / 4 % 2 * 2;
        copy(place->wmma, element, tile * 2 + i, 1, address);
    }
    return true;
}

static bool each_piece(struct sim_warp *warp, const struct sim_instr *instr,
                       const struct place *place, enum event_intent intent,
                       uint64_t element[ELEMENTS][LANES], copy_function *copy) {
    const struct wmma *w = place->wmma;
    const unsigned per = w->fragment.per, step = is_contiguous(w) ? per : 1;
    for (unsigned tile = 0; tile < w->fragment.tiles; tile++) {
        if (is_turned(w)) {
            if (!turned_pieces(warp, instr, place, intent, tile, element, copy))
                return false;
            continue;
        }
        for (unsigned i = 0; i < per; i += step) {
            _Alignas(64) uint64_t address[LANES];
            const struct mem_request request = mem_request(warp, instr, step * w->bytes, intent);
            tile_addresses(place, tile, i, address);
            if (!resolve(&request, address))
                return false;
            copy(w, element, tile * per + i, step, address);
        }
    }
    return true;
}

static void read_piece(const struct wmma *w, uint64_t element[ELEMENTS][LANES], unsigned e,
                       unsigned count, const uint64_t *address) {
    for (unsigned i = 0; i < count; i++)
        for (unsigned l = 0; l < LANES; l++) {
            element[e + i][l] = 0;
            memcpy(&element[e + i][l],
                   (const uint8_t *)(uintptr_t)address[l] + (size_t)i * w->bytes, w->bytes);
        }
}

static void write_piece(const struct wmma *w, uint64_t element[ELEMENTS][LANES], unsigned e,
                        unsigned count, const uint64_t *address) {
    for (unsigned i = 0; i < count; i++)
        for (unsigned l = 0; l < LANES; l++)
            memcpy((uint8_t *)(uintptr_t)address[l] + (size_t)i * w->bytes, &element[e + i][l],
                   w->bytes);
}

// What was told as rows of 16 bytes is read element by element.
static void read_rows(const struct sim_warp *warp, const struct place *place,
                      uint64_t element[ELEMENTS][LANES]) {
    const struct mma_fragment *f = &place->wmma->fragment;
    for (unsigned e = 0; e < (unsigned)f->tiles * f->per; e++) {
        _Alignas(64) uint64_t address[LANES];
        tile_addresses(place, e / f->per, e % f->per, address);
        for (unsigned l = 0; l < LANES; l++)
            address[l] = (uint64_t)(uintptr_t)warp->block->shared + (uint32_t)address[l];
        read_piece(place->wmma, element, e, 1, address);
    }
}

static const struct sim_instr *load_fragment(struct sim_warp *warp, const struct sim_instr *instr) {
    if (!mma_all_lanes(warp, instr))
        return NULL;
    const struct place place = place_of(warp, instr);
    const struct wmma *w = place.wmma;
    const struct mma_fragment *f = &w->fragment;
    uint64_t element[ELEMENTS][LANES];
    if (w->is_matrix_load) {
        if (!tell_matrices(warp, instr, &place))
            return NULL;
        read_rows(warp, &place, element);
    } else if (!each_piece(warp, instr, &place, EVENT_READ, element, read_piece)) {
        return NULL;
    }
    const unsigned each = f->bits == 64 ? 1 : 32u / f->bits, count = (unsigned)f->tiles * f->per;
    for (unsigned r = 0; r < f->registers; r++) {
        uint64_t *wide = LANES_ALIGNED(uint64_t, w->registers[r]);
        uint32_t *narrow = LANES_ALIGNED(uint32_t, w->registers[r]);
        for (unsigned l = 0; l < LANES; l++) {
            uint64_t word = 0;
            for (unsigned i = 0; i < each; i++)
                word |= element[(r * each + i) % count][l] << i * f->bits % 64;
            if (f->bits == 64)
                wide[l] = word;
            else
                narrow[l] = (uint32_t)word;
        }
    }
    return instr + 1;
}

static const struct sim_instr *store_fragment(struct sim_warp *warp,
                                              const struct sim_instr *instr) {
    if (!mma_all_lanes(warp, instr))
        return NULL;
    const struct place place = place_of(warp, instr);
    const struct wmma *w = place.wmma;
    const struct mma_fragment *f = &w->fragment;
    const unsigned each = f->bits == 64 ? 1 : 32u / f->bits;
    uint64_t element[ELEMENTS][LANES];
    for (unsigned e = 0; e < (unsigned)f->tiles * f->per; e++) {
        const uint64_t *wide = LANES_ALIGNED(const uint64_t, w->registers[e / each]);
        const uint32_t *narrow = LANES_ALIGNED(const uint32_t, w->registers[e / each]);
        for (unsigned l = 0; l < LANES; l++)
            element[e][l] = f->bits == 64 ? wide[l] : narrow[l] >> e % each * f->bits;
    }
    return each_piece(warp, instr, &place, EVENT_WRITE, element, write_piece) ? instr + 1 : NULL;
}

// ---- Choosing -----------------------------------------------------------------------------

static bool fits(enum mma_matrix matrix, struct mma_shape s, enum ptx_type type) {
    const bool is_wide = s.k == 16 && s.m * s.n == 256;
    switch (type) {
    case PTX_F16:
        return is_wide;
    case PTX_BF16:
    case PTX_S8:
    case PTX_U8:
        return is_wide && matrix != MMA_C;
    case PTX_F32:
        return matrix == MMA_C && (is_wide || (s.m == 16 && s.n == 16 && s.k == 8));
    case PTX_S32:
        return (is_wide || (s.m == 8 && s.n == 8 && s.k >= 32)) && matrix == MMA_C;
    case PTX_S4:
    case PTX_U4:
        return s.m == 8 && s.n == 8 && s.k == 32 && matrix != MMA_C;
    case PTX_B1:
        return s.m == 8 && s.n == 8 && s.k == 128 && matrix != MMA_C;
    case PTX_TF32:
        return matrix != MMA_C && s.m == 16 && s.n == 16 && s.k == 8;
    case PTX_F64:
        return s.m == 8 && s.n == 8 && s.k == 4;
    default:
        return false;
    }
}

static unsigned elements_together(enum ptx_type type) {
    return type == PTX_B1 ? 32 : type == PTX_S4 || type == PTX_U4 ? 8 : 1;
}

static bool select_fragment(struct sim_decoder *decoder, const struct ir_instruction *ir,
                            struct sim_instr *out, unsigned data, sim_handler run) {
    const enum ptx_modifier which = lanes_modifier(ir, PTX_GROUP_variant);
    const enum mma_matrix matrix = which == PTX_MOD_a ? MMA_A : which == PTX_MOD_b ? MMA_B : MMA_C;
    struct mma_shape shape = mma_shape_of(ir);
    const enum ptx_type type = lanes_type(ir, 0);
    const bool is_row_major = lanes_modifier(ir, PTX_GROUP_layout) == PTX_MOD_row;
    const unsigned together = elements_together(type);
    if (!fits(matrix, shape, type) || (together > 1 && is_row_major != (matrix == MMA_A)))
        return false;
    struct wmma *w = sim_decoder_alloc(decoder, sizeof *w);
    w->access = *out->access;
    w->together = (uint8_t)together;
    w->bytes = (uint8_t)(together > 1 ? 4 : ptx_type_bytes(type));
    shape.k /= together;
    w->fragment = mma_fragment_of(shape, matrix, 8u * w->bytes);
    if (matrix != MMA_C && type == PTX_F16)
        w->fragment.registers = MMA_MAX_REGISTERS;
    w->is_row_major = is_row_major;
    w->has_stride = ir->operand_count > 2;
    const unsigned rows = matrix == MMA_B ? shape.k : shape.m;
    const unsigned columns = matrix == MMA_A ? shape.k : shape.n;
    w->stride = w->is_row_major ? columns : rows;
    w->is_matrix_load = matrix != MMA_C && w->bytes == 2 && out->access->space == PTX_SPACE_SHARED;
    if (!mma_registers(decoder, ir, &ir->operands[data], &w->fragment, w->registers))
        return false;
    out->access = &w->access;
    out->run[0] = out->run[1] = run;
    return true;
}

LANES_SELECT(wmma_load) {
    return select_fragment(decoder, ir, out, 0, load_fragment);
}

LANES_SELECT(wmma_store) {
    return select_fragment(decoder, ir, out, 1, store_fragment);
}
