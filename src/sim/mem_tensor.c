// Copies of tensors in tile mode: cp.async.bulk.tensor and cp.reduce.async.bulk.tensor. A box of a
// tensor in global memory, at coordinates that may lie outside of it, and the same elements side by
// side in shared memory, in the order that the map's swizzle makes of them.
#include <stdlib.h>

#include "base/alloc.h"
#include "sim/bulk.h"
#include "sim/mbarrier.h"
#include "sim/mem_lanes.h"
#include "sim/reduce.h"
#include "sim/tensor_map.h"

enum { SHARED_ALIGN = 128 };

// In instr->immediate: the rank, and
enum {
    RANK_MASK = 7,
    TO_GLOBAL = 8,
    MULTICAST = 16, // operand 3 says to which blocks
    REDUCES = 32,   // access->op is the operation
};

struct copy {
    struct sim_warp *warp;
    const struct sim_instr *instr;
    unsigned lane;
    struct sim_tensor_map map;
    unsigned bytes;                   // of an element
    uint32_t counts[SIM_TENSOR_RANK]; // elements of the box; 1 above the rank
    int32_t first[SIM_TENSOR_RANK];   // coordinates
    uint64_t box_bytes;
    uint32_t row_bytes, pitch; // in shared memory: with a swizzle a row begins every 32, 64 or 128
                               // bytes, whatever it holds
    const struct sim_reduction *reduction; // NULL: a plain copy
};

// ---- The map ------------------------------------------------------------------------------

static bool raise_map(const struct copy *c, uint64_t address, const char *why) {
    sim_raise(c->warp, c->instr, SIM_FAULT_ILLEGAL_INSTRUCTION, c->lane, address,
              "the tensor map at 0x%llx %s", (unsigned long long)address, why);
    return false;
}

static bool read_map(struct copy *c, uint64_t address) {
    struct mem_request read = mem_request(c->warp, c->instr, SIM_TENSOR_MAP_ALIGN, MEM_READ);
    _Alignas(64) uint64_t at[LANES] = {0};
    read.site = IR_NONE;
    read.mask = 1u << c->lane;
    for (uint64_t half = 0; half < SIM_TENSOR_MAP_BYTES; half += SIM_TENSOR_MAP_ALIGN) {
        at[c->lane] = address + half;
        if (!sim_mem_check_global(&read, at))
            return false;
    }
    memcpy(&c->map, (const void *)(uintptr_t)address, sizeof c->map);
    if (!sim_tensor_map_is_good(&c->map))
        return raise_map(c, address, "is none, or has fields that do not go together");
    if (c->map.rank != (c->instr->immediate & RANK_MASK))
        return raise_map(c, address, "is of another rank than the instruction");
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

// Measured on 9.0: the box begins at a multiple of 16 bytes of a row, and what is stored does not
// begin before the row.
static bool check_first(const struct copy *c) {
    enum { UNIT = 16 };
    const bool to_global = c->instr->immediate & TO_GLOBAL;
    if ((int64_t)c->first[0] * c->bytes % UNIT == 0 && (!to_global || c->first[0] >= 0))
        return true;
    sim_raise(c->warp, c->instr, SIM_FAULT_ILLEGAL_INSTRUCTION, c->lane, 0,
              "the first coordinate of the box is %d, elements of %u bytes: %s", c->first[0],
              c->bytes,
              to_global && c->first[0] < 0 ? "a store may not begin before the tensor"
                                           : "it may begin at multiples of 16 bytes only");
    return false;
}

static bool begin(struct copy *c, unsigned map_place) {
    const struct sim_access *access = c->instr->access;
    const uint64_t address = sim_bulk_address(c->warp, access, map_place, c->lane);
    if (!read_map(c, address))
        return false;
    c->bytes = sim_tensor_type_bytes(c->map.type);
    c->box_bytes = c->bytes;
    for (unsigned i = 0; i < SIM_TENSOR_RANK; i++) {
        c->counts[i] = i < c->map.rank ? sim_tensor_count(&c->map, i) : 1;
        c->first[i] = 0;
        if (i < c->map.rank)
            c->first[i] = (int32_t)sim_bulk_value(c->warp, access->element[i],
                                                  access->element_bytes[i] == 8, c->lane);
        c->box_bytes *= c->counts[i];
    }
    c->row_bytes = c->counts[0] * c->bytes;
    c->pitch = c->map.swizzle ? 16u << c->map.swizzle : c->row_bytes;
    if (!check_first(c))
        return false;
    if (!(c->instr->immediate & REDUCES))
        return true;
    const enum ptx_type type = type_of(c->map.type);
    c->reduction = type ? sim_reduction_find((enum ptx_modifier)access->op, type) : NULL;
    return c->reduction || raise_map(c, address, "is of a type that this reduction does not take");
}

// ---- Rows ---------------------------------------------------------------------------------

struct row {
    bool is_inside;          // of the tensor, in all dimensions but the first
    uint64_t global;         // of the first element inside
    uint32_t before, inside; // elements of the row before the tensor, and in it
};

static struct row find_row(const struct copy *c, const uint32_t place[SIM_TENSOR_RANK]) {
    struct row row = {.is_inside = true, .global = c->map.address};
    for (unsigned i = 1; i < c->map.rank; i++) {
        const int64_t at = c->first[i] + (int64_t)place[i] * c->map.steps[i];
        row.is_inside &= at >= 0 && at <= c->map.last[i];
        row.global += (uint64_t)at * c->map.strides[i - 1];
    }
    const int64_t begin = c->first[0], size = (int64_t)c->map.last[0] + 1;
    const int64_t end = begin + c->counts[0] < size ? begin + c->counts[0] : size;
    const int64_t from = begin > 0 ? begin : 0;
    row.is_inside &= from < end;
    row.before = row.is_inside ? (uint32_t)(from - begin) : 0;
    row.inside = row.is_inside ? (uint32_t)(end - from) : 0;
    row.global += (uint64_t)(row.is_inside ? from : 0) * c->bytes;
    return row;
}

// The next row of the box; false: there is none.
static bool next_row(const struct copy *c, uint32_t place[SIM_TENSOR_RANK]) {
    for (unsigned i = 1; i < SIM_TENSOR_RANK; i++) {
        if (++place[i] < c->counts[i])
            return true;
        place[i] = 0;
    }
    return false;
}

// Elements outside: zeros, or a NaN that tells that it is one of them; it is that of 16 bits,
// repeated.
static void fill(const struct copy *c, uint8_t *to, uint32_t count) {
    static const uint16_t nan = 0x7ff7;
    memset(to, 0, (size_t)count * c->bytes);
    for (size_t i = 0; c->map.fills_nan && i < (size_t)count * c->bytes; i += sizeof nan)
        memcpy(to + i, &nan, sizeof nan);
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
static bool gather_box(const struct copy *c, uint8_t *box) {
    const struct mem_request read = mem_request(c->warp, c->instr, 1, MEM_READ);
    uint32_t place[SIM_TENSOR_RANK] = {0};
    bool continues = false;
    do {
        const struct row row = find_row(c, place);
        const size_t bytes = (size_t)row.inside * c->bytes;
        uint8_t *to = box + (size_t)row.before * c->bytes;
        fill(c, box, row.is_inside ? row.before : c->counts[0]);
        if (row.is_inside) {
            const uint8_t *from = sim_bulk_global(&read, c->lane, row.global, bytes);
            if (!from)
                return false;
            sim_bulk_tell(&read, SITE_GLOBAL, row.global, bytes, continues);
            continues = true;
            memcpy(to, from, bytes);
            fill(c, to + bytes, c->counts[0] - row.before - row.inside);
        }
        box += (size_t)c->counts[0] * c->bytes;
    } while (next_row(c, place));
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

static bool scatter_box(const struct copy *c, const uint8_t *box) {
    const enum mem_intent intent = c->reduction ? MEM_ATOMIC : MEM_WRITE;
    const struct mem_request write = mem_request(c->warp, c->instr, 1, intent);
    uint32_t place[SIM_TENSOR_RANK] = {0};
    bool continues = false;
    do {
        const struct row row = find_row(c, place);
        const size_t bytes = (size_t)row.inside * c->bytes;
        uint8_t *to = row.is_inside ? sim_bulk_global(&write, c->lane, row.global, bytes) : NULL;
        if (row.is_inside && !to)
            return false;
        if (to) {
            sim_bulk_tell(&write, SITE_GLOBAL, row.global, bytes, continues);
            continues = true;
            put_row(c, to, box + (size_t)row.before * c->bytes, bytes);
        }
        box += (size_t)c->counts[0] * c->bytes;
    } while (next_row(c, place));
    return true;
}

// ---- Shared memory ------------------------------------------------------------------------

static uint8_t *find_shared(const struct copy *c, uint64_t address, enum mem_intent intent,
                            struct sim_block **block) {
    const struct mem_request request = mem_request(c->warp, c->instr, SHARED_ALIGN, intent);
    const uint64_t rows = c->box_bytes / c->row_bytes;
    const uint64_t bytes = (rows - 1) * c->pitch + c->row_bytes;
    uint8_t *at = sim_bulk_shared(&request, c->lane, address, bytes, block);
    if (at)
        sim_bulk_tell(&request, SITE_SHARED, address, c->box_bytes, false);
    return at;
}

// Copies between the box and shared memory, 16 bytes at a time.
static bool move_swizzled(const struct copy *c, struct sim_block *block, uint8_t *at, uint8_t *box,
                          bool to_shared) {
    enum { CHUNK = 16 };
    const uint32_t first = (uint32_t)(at - block->shared);
    for (uint32_t offset = 0; offset < c->box_bytes; offset += CHUNK) {
        const uint32_t at_row = offset / c->row_bytes * c->pitch + offset % c->row_bytes;
        const uint32_t place =
            sim_tensor_swizzled((enum sim_tensor_swizzle)c->map.swizzle, first + at_row);
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
    struct mem_request signal = mem_request(c->warp, c->instr, 8, MEM_ATOMIC);
    struct sim_block *block;
    uint8_t *word = sim_mem_cluster(&signal, barrier, c->lane, &block);
    uint8_t *at = word ? find_shared(c, address, MEM_WRITE, &block) : NULL;
    if (!at || !move_swizzled(c, block, at, box, true))
        return false;
    sim_mbarrier_complete(word, (uint32_t)c->box_bytes);
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
        round_tf32(box, c->box_bytes);
    if (!(c->instr->immediate & MULTICAST))
        return put_shared(c, to, barrier, box);
    uint32_t blocks = (uint16_t)sim_bulk_value(c->warp, c->instr->operand[3], false, c->lane);
    for (; blocks; blocks &= blocks - 1) {
        const uint32_t tag = sim_cluster_tag((uint32_t)__builtin_ctz(blocks));
        if (!put_shared(c, (to & SIM_CLUSTER_OFFSET) + tag, (barrier & SIM_CLUSTER_OFFSET) + tag,
                        box))
            return false;
    }
    return true;
}

static bool store_box(struct copy *c, uint8_t *box) {
    struct sim_block *block;
    const uint64_t from = sim_bulk_address(c->warp, c->instr->access, 1, c->lane);
    uint8_t *at = find_shared(c, from, MEM_READ, &block);
    return at && move_swizzled(c, block, at, box, false) && scatter_box(c, box);
}

static const struct sim_instr *copy_tensor(struct sim_warp *warp, const struct sim_instr *instr) {
    const bool to_global = instr->immediate & TO_GLOBAL;
    for (uint32_t rest = warp->mask; rest; rest &= rest - 1) {
        struct copy c = {.warp = warp, .instr = instr, .lane = (unsigned)__builtin_ctz(rest)};
        if (!begin(&c, to_global ? 0 : 1))
            return NULL;
        // A box that does not fit into shared memory is found before anything of it is kept.
        if (c.box_bytes > SIM_CLUSTER_OFFSET) {
            sim_raise(warp, instr, SIM_FAULT_ILLEGAL_ADDRESS, c.lane, 0,
                      "a box of %llu bytes does not fit into shared memory",
                      (unsigned long long)c.box_bytes);
            return NULL;
        }
        uint8_t *box = base_alloc(c.box_bytes);
        const bool is_done = to_global ? store_box(&c, box) : load_box(&c, box);
        free(box);
        if (!is_done)
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

static bool select_tensor(const struct ir_instruction *ir, struct sim_instr *out) {
    const bool is_multicast = lanes_modifier(ir, PTX_GROUP_scope) == PTX_MOD_multicast_cluster;
    out->immediate = rank_of(ir);
    if (lanes_modifier(ir, PTX_GROUP_space) == PTX_MOD_global)
        out->immediate |= TO_GLOBAL;
    if (is_multicast)
        out->immediate |= MULTICAST;
    out->run[0] = out->run[1] = copy_tensor;
    return out->access->count == rank_of(ir) && (!is_multicast || ir->operand_count > 3);
}

LANES_SELECT(tensor_copy) {
    (void)decoder;
    return select_tensor(ir, out);
}

LANES_SELECT(tensor_reduce) {
    (void)decoder;
    mem_own_access(out)->op = lanes_modifier(ir, PTX_GROUP_op);
    if (!select_tensor(ir, out))
        return false;
    out->immediate |= REDUCES;
    return true;
}
