// wmma.load and wmma.store: a fragment from and to shared or global memory. Observers hear of the
// accesses that ir/fragment.h says they become.
#include "sim/lanes/matrix/mma.h"
#include "sim/lanes/mem/access.h"

enum { ELEMENTS = 16 };

struct wmma {
    struct sim_access access; // first: instr->access points to it
    struct ir_wmma about;
    sim_ref registers[MMA_MAX_REGISTERS];
    bool has_stride;
};

// The matrix in memory: the ISA wants one address and one stride for all lanes.
struct place {
    const struct ir_wmma *wmma;
    uint64_t base;
    uint32_t stride; // elements from one row (or column) to the next
};

static void addresses_of(const struct place *p, const struct ir_wmma_access *access,
                         uint64_t address[LANES]) {
    for (unsigned l = 0; l < LANES; l++)
        address[l] =
            p->base + ((uint64_t)access->line[l] * p->stride + access->at[l]) * p->wmma->bytes;
}

static struct place place_of(const struct sim_warp *warp, const struct sim_instr *instr) {
    const struct wmma *w = (const struct wmma *)instr->access;
    const struct sim_access *access = &w->access;
    _Alignas(64) uint64_t base[LANES];
    mem_raw(warp, access->has_base, access->base_is_32, access->base, access->offset, base);
    struct place place = {&w->about, base[0], w->about.stride};
    if (access->base_is_32)
        place.base = (uint32_t)place.base;
    if (w->has_stride)
        place.stride = *LANES_ALIGNED(const uint32_t, instr->operand[2]) / w->about.together;
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

// Checks the n-th access and tells of it. Makes host addresses.
static bool access_memory(struct sim_warp *warp, const struct sim_instr *instr,
                          const struct place *place, enum event_intent intent, unsigned n,
                          uint64_t address[LANES]) {
    struct ir_wmma_access access;
    ir_wmma_access(place->wmma, n, &access);
    const struct mem_request request = mem_request(warp, instr, access.width, intent);
    addresses_of(place, &access, address);
    return resolve(&request, address);
}

// Calls for each piece of each lane: element number, how many elements, host addresses.
typedef void copy_function(const struct ir_wmma *, uint64_t element[ELEMENTS][LANES], unsigned e,
                           unsigned count, const uint64_t *address);

// Of pairs of which each lane holds one element of two other lanes'.
static void copy_turned(const struct ir_wmma *wmma, const uint64_t pair[LANES], unsigned tile,
                        uint64_t element[ELEMENTS][LANES], copy_function *copy) {
    _Alignas(64) uint64_t address[LANES];
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned l = 0; l < LANES; l++)
            address[l] = pair[(l % 4 * 2 + i) * 4 + l / 8] + l / 4 % 2 * 2;
        copy(wmma, element, tile * 2 + i, 1, address);
    }
}

static bool each_piece(struct sim_warp *warp, const struct sim_instr *instr,
                       const struct place *place, enum event_intent intent,
                       uint64_t element[ELEMENTS][LANES], copy_function *copy) {
    const struct ir_wmma *w = place->wmma;
    const unsigned step = ir_wmma_is_contiguous(w) ? w->fragment.per : 1;
    const unsigned count = ir_wmma_access_count(w);
    for (unsigned n = 0; n < count; n++) {
        _Alignas(64) uint64_t address[LANES];
        if (!access_memory(warp, instr, place, intent, n, address))
            return false;
        if (ir_wmma_is_turned(w))
            copy_turned(w, address, n, element, copy);
        else
            copy(w, element, n * step, step, address);
    }
    return true;
}

static void read_piece(const struct ir_wmma *w, uint64_t element[ELEMENTS][LANES], unsigned e,
                       unsigned count, const uint64_t *address) {
    for (unsigned i = 0; i < count; i++)
        for (unsigned l = 0; l < LANES; l++) {
            element[e + i][l] = 0;
            memcpy(&element[e + i][l],
                   (const uint8_t *)(uintptr_t)address[l] + (size_t)i * w->bytes, w->bytes);
        }
}

static void write_piece(const struct ir_wmma *w, uint64_t element[ELEMENTS][LANES], unsigned e,
                        unsigned count, const uint64_t *address) {
    for (unsigned i = 0; i < count; i++)
        for (unsigned l = 0; l < LANES; l++)
            memcpy((uint8_t *)(uintptr_t)address[l] + (size_t)i * w->bytes, &element[e + i][l],
                   w->bytes);
}

// Accesses that are told as rows of 16 bytes; read is element by element.
static bool read_rows(struct sim_warp *warp, const struct sim_instr *instr,
                      const struct place *place, uint64_t element[ELEMENTS][LANES]) {
    const struct ir_fragment *f = &place->wmma->fragment;
    _Alignas(64) uint64_t address[LANES];
    const unsigned count = ir_wmma_access_count(place->wmma);
    for (unsigned n = 0; n < count; n++)
        if (!access_memory(warp, instr, place, EVENT_READ, n, address))
            return false;
    for (unsigned e = 0; e < (unsigned)f->tiles * f->per; e++) {
        struct ir_wmma_access access;
        ir_wmma_element(place->wmma, e / f->per, e % f->per, &access);
        addresses_of(place, &access, address);
        for (unsigned l = 0; l < LANES; l++)
            address[l] = (uint64_t)(uintptr_t)warp->block->shared + (uint32_t)address[l];
        read_piece(place->wmma, element, e, 1, address);
    }
    return true;
}

static const struct sim_instr *load_fragment(struct sim_warp *warp, const struct sim_instr *instr) {
    if (!mma_all_lanes(warp, instr))
        return NULL;
    const struct place place = place_of(warp, instr);
    const struct wmma *w = (const struct wmma *)instr->access;
    const struct ir_fragment *f = &w->about.fragment;
    uint64_t element[ELEMENTS][LANES];
    const bool is_read = w->about.is_matrix_load
                             ? read_rows(warp, instr, &place, element)
                             : each_piece(warp, instr, &place, EVENT_READ, element, read_piece);
    if (!is_read)
        return NULL;
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
    const struct wmma *w = (const struct wmma *)instr->access;
    const struct ir_fragment *f = &w->about.fragment;
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

static bool select_fragment(struct sim_decoder *decoder, const struct ir_instruction *ir,
                            struct sim_instr *out, unsigned data, sim_handler run) {
    struct wmma *w = sim_decoder_alloc(decoder, sizeof *w);
    w->access = *out->access;
    w->has_stride = ir->operand_count > 2;
    if (!ir_wmma_of(ir, &w->about) ||
        !mma_registers(decoder, ir, &ir->operands[data], &w->about.fragment, w->registers))
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
