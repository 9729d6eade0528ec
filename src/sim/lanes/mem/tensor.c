// Copies of tensors: cp.async.bulk.tensor, cp.reduce.async.bulk.tensor and
// cp.async.bulk.prefetch.tensor. A box of a tensor in global memory (see tensor/box.h), at
// coordinates that may lie outside of it, and the same elements side by side in shared memory, in
// the order that the map's swizzle makes of them.
#include <stdlib.h>

#include "base/alloc.h"
#include "sim/decode/decode.h"
#include "sim/lanes/mem/access.h"
#include "sim/lanes/mem/mbarrier.h"
#include "sim/number/reduce.h"
#include "sim/tensor/box.h"
#include "sim/tensor/bulk.h"

enum { SHARED_ALIGN = 128, MASK_OPERAND = 3 };

// In instr->immediate: the rank, and
enum {
    RANK_MASK = 7,
    TO_GLOBAL = 8,
    MULTICAST = 16, // operand MASK_OPERAND + IM2COL says to which blocks
    REDUCES = 32,   // access->op is the operation
    PICKED = 128,   // four rows: .tile::gather4, .tile::scatter4
    IM2COL = 64,    // with offsets behind the coordinates in access->element, but for stores
};

struct copy {
    struct sim_warp *warp;
    const struct sim_instr *instr;
    unsigned lane;
    struct sim_tensor_map map;
    unsigned bytes; // of an element
    struct sim_tensor_box box;
    const struct sim_reduction *reduction; // NULL: a plain copy
};

// ---- The map ------------------------------------------------------------------------------

static bool raise_map(const struct copy *c, uint64_t address, const char *why) {
    sim_raise(c->warp, c->instr, SIM_FAULT_ILLEGAL_INSTRUCTION, c->lane, address,
              "the tensor map at 0x%llx %s", (unsigned long long)address, why);
    return false;
}

static bool read_map(struct copy *c, uint64_t address) {
    struct mem_request read = mem_request(c->warp, c->instr, SIM_TENSOR_MAP_ALIGN, EVENT_READ);
    _Alignas(64) uint64_t at[LANES] = {0};
    read.site = IR_NONE;
    read.mask = 1u << c->lane;
    for (uint64_t half = 0; half < SIM_TENSOR_MAP_BYTES; half += SIM_TENSOR_MAP_ALIGN) {
        at[c->lane] = address + half;
        if (!sim_mem_check_global(&read, at))
            return false;
    }
    sim_emit_lane_global(c->warp, c->instr, c->lane, address,
                         (struct event_access){.intent = EVENT_READ,
                                               .completion = c->instr->access->completion,
                                               .proxy = EVENT_TENSORMAP_PROXY,
                                               .width = SIM_TENSOR_MAP_BYTES});
    sim_tensor_map_read((const void *)(uintptr_t)address, &c->map);
    if (c->warp->block->worker->kernel->module->sim->config.arch < SIM_TENSOR_ATOMS_SINCE)
        c->map.atom = SIM_TENSOR_ATOM_16;
    if (!sim_tensor_map_is_good(&c->map))
        return raise_map(c, address, "is none, or has fields that do not go together");
    if (c->map.rank != (c->instr->immediate & RANK_MASK))
        return raise_map(c, address, "is of another rank than the instruction");
    if (c->map.is_im2col != ((c->instr->immediate & IM2COL) != 0))
        return raise_map(c, address,
                         c->map.is_im2col ? "is for im2col mode, the instruction for tile mode"
                                          : "is for tile mode, the instruction for im2col mode");
    return true;
}

// The type whose arithmetic a reduction uses.
static enum ptx_type type_of(unsigned type) {
    static const enum ptx_type types[SIM_TENSOR_TYPES] = {
        [SIM_TENSOR_U32] = PTX_U32, [SIM_TENSOR_S32] = PTX_S32,   [SIM_TENSOR_U64] = PTX_U64,
        [SIM_TENSOR_S64] = PTX_S64, [SIM_TENSOR_F16] = PTX_F16,   [SIM_TENSOR_F32] = PTX_F32,
        [SIM_TENSOR_F64] = PTX_F64, [SIM_TENSOR_BF16] = PTX_BF16, [SIM_TENSOR_F32_FTZ] = PTX_F32,
    };
    return types[type];
}

static bool raise_place(const struct copy *c, unsigned dimension, const char *why) {
    sim_raise(c->warp, c->instr, SIM_FAULT_ILLEGAL_INSTRUCTION, c->lane, 0,
              "coordinate %u of the box is %lld: %s", dimension, (long long)c->box.first[dimension],
              why);
    return false;
}

// Measured on 9.0: the box begins at a multiple of 16 bytes of a row.
static bool check_first(const struct copy *c) {
    enum { UNIT = 16 };
    if (c->map.interleave || c->box.first[0] * c->bytes % UNIT == 0)
        return true;
    sim_raise(c->warp, c->instr, SIM_FAULT_ILLEGAL_INSTRUCTION, c->lane, 0,
              "the first coordinate of the box is %lld, elements of %u bytes: it may begin at "
              "multiples of 16 bytes only",
              (long long)c->box.first[0], c->bytes);
    return false;
}

// And what is stored does not begin before the tensor, nor can it go beyond its image.
static bool check_store(const struct copy *c, uint64_t address) {
    for (unsigned i = 0; i < c->map.rank; i++)
        if (c->box.first[i] < 0)
            return raise_place(c, i, "a store may not begin before the tensor");
    for (unsigned i = 0; c->box.picks_rows && i < SIM_TENSOR_PICKED; i++)
        if (c->box.rows[i] < 0)
            return raise_map(c, address, "has no rows before the first, where a store would go");
    for (unsigned i = 0; c->map.is_im2col && i < SIM_TENSOR_SPACES; i++)
        if (c->map.lower[i] < 0 || c->map.upper[i] > 0)
            return raise_map(c, address,
                             "has corners outside of the tensor, which a store may not");
    return true;
}

static bool begin_box(struct copy *c, uint64_t address) {
    const struct sim_access *access = c->instr->access;
    const bool is_picked = c->instr->immediate & PICKED;
    const unsigned coordinates = is_picked ? 1 + SIM_TENSOR_PICKED : c->map.rank;
    int32_t first[SIM_TENSOR_RANK] = {0};
    uint16_t offsets[SIM_TENSOR_SPACES] = {0};
    for (unsigned i = 0; i < access->count; i++) {
        const uint64_t value =
            sim_bulk_value(c->warp, access->element[i], access->element_bytes[i] == 8, c->lane);
        if (i < coordinates)
            first[i] = (int32_t)value;
        else
            offsets[i - coordinates] = (uint16_t)value;
    }
    if (is_picked)
        return sim_tensor_box_pick(&c->box, &c->map, first) ||
               raise_map(c, address,
                         "is for boxes of several rows, the instruction takes single ones");
    if (sim_tensor_box_begin(&c->box, &c->map, first, offsets))
        return true;
    sim_raise(c->warp, c->instr, SIM_FAULT_ILLEGAL_INSTRUCTION, c->lane, 0,
              "the box begins outside of the window that the corners of the tensor map set");
    return false;
}

static bool begin(struct copy *c, unsigned map_place) {
    const struct sim_access *access = c->instr->access;
    const uint64_t address = sim_bulk_address(c->warp, access, map_place, c->lane);
    if (!read_map(c, address))
        return false;
    c->bytes = sim_tensor_type_bytes(c->map.type);
    if (!begin_box(c, address) || !check_first(c) ||
        ((c->instr->immediate & TO_GLOBAL) && !check_store(c, address)))
        return false;
    if (!(c->instr->immediate & REDUCES))
        return true;
    const enum ptx_type type = type_of(c->map.type);
    c->reduction = type ? sim_reduction_find((enum ptx_modifier)access->op, type) : NULL;
    return c->reduction || raise_map(c, address, "is of a type that this reduction does not take");
}

// ---- Rows ---------------------------------------------------------------------------------

// Elements outside: zeros, or a NaN that tells that it is one of them; it is that of 16 bits,
// repeated.
static uint8_t *fill(const struct copy *c, uint8_t *to, uint32_t units) {
    static const uint16_t nan = 0x7ff7;
    const size_t bytes = (size_t)units * c->box.unit;
    memset(to, 0, bytes);
    for (size_t i = 0; c->map.fills_nan && i < bytes; i += sizeof nan)
        memcpy(to + i, &nan, sizeof nan);
    return to + bytes;
}

// Floats that are loaded as tf32 are rounded to nearest even, with what came out of a measurement
// on 9.0 for NaN.
static void round_tf32(uint8_t *box, uint64_t bytes) {
    for (uint64_t at = 0; at < bytes; at += 4) {
        uint32_t bits;
        memcpy(&bits, box + at, 4);
        if ((bits & 0x7fffffff) > 0x7f800000)
            bits = 0x7fffe000;
        else
            bits = (bits + 0xfff + (bits >> 13 & 1)) & 0xffffe000;
        memcpy(box + at, &bits, 4);
    }
}

// The box as it stands in shared memory, without swizzle.
static bool gather_box(struct copy *c, uint8_t *to) {
    const struct mem_request read = mem_request(c->warp, c->instr, 1, EVENT_READ);
    bool continues = false;
    do {
        const struct sim_tensor_row row = sim_tensor_box_row(&c->box);
        const size_t bytes = (size_t)row.inside * c->box.unit;
        to = fill(c, to, row.before);
        if (bytes) {
            const uint8_t *from = sim_bulk_global(&read, c->lane, row.global, bytes);
            if (!from)
                return false;
            sim_emit_bulk_global(&read, c->lane, row.global, bytes, continues);
            continues = true;
            memcpy(to, from, bytes);
        }
        to = fill(c, to + bytes, row.after);
    } while (sim_tensor_box_next(&c->box));
    return true;
}

static void put_row(const struct copy *c, uint8_t *to, const uint8_t *from, size_t bytes) {
    if (!c->reduction) {
        memcpy(to, from, bytes);
        return;
    }
    for (size_t at = 0; at < bytes; at += c->bytes)
        c->reduction->apply(to + at, from + at);
}

// What a store writes of a row's bytes: whole pieces of 16, also where the tensor ends within one.
static size_t written(size_t bytes) {
    enum { PIECE = 16 };
    return (bytes + PIECE - 1) / PIECE * PIECE;
}

static bool scatter_box(struct copy *c, const uint8_t *from) {
    const enum event_intent intent = c->reduction ? EVENT_ATOMIC : EVENT_WRITE;
    const struct mem_request write = mem_request(c->warp, c->instr, 1, intent);
    bool continues = false;
    do {
        const struct sim_tensor_row row = sim_tensor_box_row(&c->box);
        const size_t bytes = written((size_t)row.inside * c->box.unit);
        from += (size_t)row.before * c->box.unit;
        if (bytes) {
            uint8_t *to = sim_bulk_global(&write, c->lane, row.global, bytes);
            if (!to)
                return false;
            sim_emit_bulk_global(&write, c->lane, row.global, bytes, continues);
            continues = true;
            put_row(c, to, from, bytes);
        }
        from += (size_t)(row.inside + row.after) * c->box.unit;
    } while (sim_tensor_box_next(&c->box));
    return true;
}

// ---- Shared memory ------------------------------------------------------------------------

// Where the n-th byte of the box lies, `first` being the place of the box. 16 bytes stay together.
static uint32_t place_of(const struct copy *c, uint32_t first, uint32_t n) {
    const uint32_t row = c->box.row_bytes;
    return sim_tensor_swizzled(&c->map, first + n / row * c->box.pitch + n % row);
}

// For observers. NULL: the box has no gaps.
static uint32_t *pieces_of(const struct copy *c, uint32_t first) {
    if (c->box.pitch == c->box.row_bytes)
        return NULL;
    uint32_t *pieces = base_alloc(c->box.bytes / EVENT_PIECE * sizeof *pieces);
    for (uint32_t n = 0; n < c->box.bytes; n += EVENT_PIECE)
        pieces[n / EVENT_PIECE] = place_of(c, first, n);
    return pieces;
}

static uint8_t *find_shared(const struct copy *c, uint64_t address, enum event_intent intent,
                            struct sim_block **block) {
    const struct mem_request request = mem_request(c->warp, c->instr, SHARED_ALIGN, intent);
    const uint64_t rows = c->box.bytes / c->box.row_bytes;
    const uint64_t bytes = (rows - 1) * c->box.pitch + c->box.row_bytes;
    uint8_t *at = sim_bulk_shared(&request, c->lane, address, bytes, block);
    if (at && (sim_is_heard(&request) || sim_is_copy_heard(&request))) {
        uint32_t *pieces = pieces_of(c, (uint32_t)(at - (*block)->shared));
        sim_emit_bulk_shared(&request, c->lane, address & IR_CLUSTER_OFFSET, c->box.bytes, *block,
                             pieces);
        free(pieces);
    }
    return at;
}

// Copies between the box and shared memory, 16 bytes at a time.
static bool move_swizzled(const struct copy *c, struct sim_block *block, uint8_t *at, uint8_t *box,
                          bool to_shared) {
    enum { CHUNK = 16 };
    const uint32_t first = (uint32_t)(at - block->shared);
    for (uint32_t offset = 0; offset < c->box.bytes; offset += CHUNK) {
        const uint32_t place = place_of(c, first, offset);
        if (place + CHUNK > block->shared_bytes) {
            sim_raise(c->warp, c->instr, SIM_FAULT_ILLEGAL_ADDRESS, c->lane, place,
                      "the swizzle leads to shared address 0x%x: the block has %u bytes of shared "
                      "memory",
                      place, block->shared_bytes);
            return false;
        }
        if (to_shared)
            memcpy(block->shared + place, box + offset, CHUNK);
        else
            memcpy(box + offset, block->shared + place, CHUNK);
    }
    return true;
}

static bool put_shared(const struct copy *c, uint64_t address, uint64_t barrier, uint8_t *box) {
    struct mem_request signal = mem_request(c->warp, c->instr, 8, EVENT_ATOMIC);
    struct sim_block *home, *block;
    uint8_t *word = sim_mem_cluster(&signal, barrier, c->lane, &home);
    uint8_t *at = word ? find_shared(c, address, EVENT_WRITE, &block) : NULL;
    if (!at || !move_swizzled(c, block, at, box, true))
        return false;
    sim_mbarrier_complete(&signal, c->lane, home, word, (uint32_t)c->box.bytes);
    return true;
}

// ---- Instructions -------------------------------------------------------------------------

static bool load_box(struct copy *c, uint8_t *box) {
    const struct sim_access *access = c->instr->access;
    const uint64_t to = sim_bulk_address(c->warp, access, 0, c->lane);
    const uint64_t barrier = sim_bulk_address(c->warp, access, 2, c->lane);
    if (!gather_box(c, box))
        return false;
    if (c->map.type == SIM_TENSOR_TF32 || c->map.type == SIM_TENSOR_TF32_FTZ)
        round_tf32(box, c->box.bytes);
    if (!(c->instr->immediate & MULTICAST))
        return put_shared(c, to, barrier, box);
    const unsigned place = MASK_OPERAND + ((c->instr->immediate & IM2COL) != 0);
    uint32_t blocks = (uint16_t)sim_bulk_value(c->warp, c->instr->operand[place], false, c->lane);
    for (; blocks; blocks &= blocks - 1) {
        const uint32_t tag = ir_cluster_tag((uint32_t)__builtin_ctz(blocks));
        if (!put_shared(c, (to & IR_CLUSTER_OFFSET) + tag, (barrier & IR_CLUSTER_OFFSET) + tag,
                        box))
            return false;
    }
    return true;
}

static bool store_box(struct copy *c, uint8_t *box) {
    struct sim_block *block;
    const uint64_t from = sim_bulk_address(c->warp, c->instr->access, 1, c->lane);
    uint8_t *at = find_shared(c, from, EVENT_READ, &block);
    return at && move_swizzled(c, block, at, box, false) && scatter_box(c, box);
}

static const struct sim_instr *copy_tensor(struct sim_warp *warp, const struct sim_instr *instr) {
    const bool to_global = instr->immediate & TO_GLOBAL;
    EACH_LANE(l, warp->mask) {
        struct copy c = {.warp = warp, .instr = instr, .lane = l};
        if (!begin(&c, to_global ? 0 : 1))
            return NULL;
        // A box that does not fit into shared memory is found before anything of it is kept.
        if (c.box.bytes > IR_CLUSTER_OFFSET) {
            sim_raise(warp, instr, SIM_FAULT_ILLEGAL_ADDRESS, c.lane, 0,
                      "a box of %llu bytes does not fit into shared memory",
                      (unsigned long long)c.box.bytes);
            return NULL;
        }
        uint8_t *box = base_alloc(c.box.bytes);
        const bool is_done = to_global ? store_box(&c, box) : load_box(&c, box);
        free(box);
        if (!is_done)
            return NULL;
    }
    return instr + 1;
}

// What a copy would read is not looked at, but the map and the coordinates are.
static const struct sim_instr *prefetch_tensor(struct sim_warp *warp,
                                               const struct sim_instr *instr) {
    EACH_LANE(l, warp->mask) {
        struct copy c = {.warp = warp, .instr = instr, .lane = l};
        if (!begin(&c, 0))
            return NULL;
    }
    return instr + 1;
}

static unsigned rank_of(const struct ir_instruction *ir) {
    switch (lanes_modifier(ir, PTX_GROUP_shape)) {
    case PTX_MOD_1d:
        return 1;
    case PTX_MOD_2d:
        return 2;
    case PTX_MOD_3d:
        return 3;
    case PTX_MOD_4d:
        return 4;
    default:
        return 5;
    }
}

// The offsets of im2col mode, behind the coordinates.
static void add_offsets(struct sim_decoder *decoder, const struct ir_instruction *ir,
                        struct sim_access *access, unsigned operand) {
    const unsigned rank = access->count;
    const struct ir_operand *offsets = &ir->operands[operand];
    if (offsets->kind != IR_OPERAND_VECTOR || offsets->element_count + 2 != rank) {
        sim_decode_error(decoder, ir, "im2col mode takes as many offsets as dimensions, less two");
        return;
    }
    for (unsigned i = 0; i < rank - 2; i++) {
        access->element[rank + i] = sim_operand_ref(decoder, ir, &offsets->elements[i]);
        access->element_bytes[rank + i] = 4;
    }
    access->count = 2 * rank - 2;
}

static bool select_tensor(struct sim_decoder *decoder, const struct ir_instruction *ir,
                          struct sim_instr *out) {
    const enum ptx_modifier mode = lanes_modifier(ir, PTX_GROUP_layout);
    const bool is_multicast = lanes_modifier(ir, PTX_GROUP_scope) == PTX_MOD_multicast_cluster;
    const bool is_prefetch = lanes_modifier(ir, PTX_GROUP_op) == PTX_MOD_prefetch;
    const bool has_offsets = mode == PTX_MOD_im2col;
    unsigned coordinates = rank_of(ir);
    out->immediate = rank_of(ir);
    if (lanes_modifier(ir, PTX_GROUP_space) == PTX_MOD_global && !is_prefetch)
        out->immediate |= TO_GLOBAL;
    if (is_multicast)
        out->immediate |= MULTICAST;
    if (has_offsets || mode == PTX_MOD_im2col_no_offs)
        out->immediate |= IM2COL;
    if (mode == PTX_MOD_tile_gather4 || mode == PTX_MOD_tile_scatter4) {
        out->immediate |= PICKED;
        coordinates = rank_of(ir) == 2 ? 1 + SIM_TENSOR_PICKED : 0;
    }
    out->run[0] = out->run[1] = is_prefetch ? prefetch_tensor : copy_tensor;
    if (out->access->count != coordinates)
        return false;
    if (has_offsets)
        add_offsets(decoder, ir, mem_own_access(out), is_prefetch ? 1 : MASK_OPERAND);
    return !is_multicast || ir->operand_count > MASK_OPERAND + (has_offsets ? 1 : 0);
}

LANES_SELECT(tensor_copy) {
    return select_tensor(decoder, ir, out);
}

LANES_SELECT(tensor_prefetch) {
    return select_tensor(decoder, ir, out);
}

LANES_SELECT(tensor_reduce) {
    mem_own_access(out)->op = lanes_modifier(ir, PTX_GROUP_op);
    if (!select_tensor(decoder, ir, out))
        return false;
    out->immediate |= REDUCES;
    return true;
}
