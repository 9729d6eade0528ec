// Atomics. The lanes of a warp take their turns in lane order. A block runs on one host thread, so
// shared memory needs no host atomics; global memory is shared with other blocks' threads.
#include "ir/number/half.h"
#include "sim/lanes/mem/resolve.h"

// ---- Operations: the new value from the old one and the operands b and c -------------------

static inline float flushed(float x) {
    return __builtin_fabsf(x) < 0x1p-126f ? __builtin_copysignf(0.0f, x) : x;
}

// Units of global memory flush subnormal operands and results to zero of the same sign; shared
// memory keeps them (PTX ISA, atom).
static inline uint32_t add_f32(uint32_t a, uint32_t b, bool is_shared) {
    float x = num_f32_of_bits(a), y = num_f32_of_bits(b), sum = x + y;
    if (!is_shared)
        sum = flushed(flushed(x) + flushed(y));
    return sum != sum ? 0x7fffffffu : num_bits_of_f32(sum);
}

// A NaN keeps its bits (measured on 9.0): of two the addend's. Code for shared memory makes a
// signalling one quiet, units of global memory do not.
static inline uint64_t add_f64(uint64_t a, uint64_t b, bool is_shared) {
    const uint64_t quiet = is_shared ? 1ull << 51 : 0;
    double x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    if (y != y)
        return b | quiet;
    if (x != x)
        return a | quiet;
    x += y;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return x != x ? 0xfff8000000000000u : bits;
}

static inline uint32_t add_f16x2(uint32_t a, uint32_t b) {
    return num_add_f16((uint16_t)a, (uint16_t)b) |
           (uint32_t)num_add_f16((uint16_t)(a >> 16), (uint16_t)(b >> 16)) << 16;
}

static inline uint32_t add_bf16x2(uint32_t a, uint32_t b) {
    return num_add_bf16((uint16_t)a, (uint16_t)b) |
           (uint32_t)num_add_bf16((uint16_t)(a >> 16), (uint16_t)(b >> 16)) << 16;
}

// ---- Turns of the lanes -------------------------------------------------------------------

struct turns {
    const struct sim_block *block;
    uint32_t mask;
    const uint64_t *address; // host addresses; name_alone: not set
    const uint32_t *offset;  // name_alone: of the block's own shared memory
    const void *b, *c;       // operands, 32 lanes each
    void *result;            // what the memory held: 32 lanes of 4 or 8 bytes
};

static bool is_shared_address(const struct sim_block *block, uint64_t address) {
    if (address - (uint64_t)(uintptr_t)block->shared < block->shared_bytes)
        return true;
    for (uint32_t rank = 0; sim_cluster_size(block->cluster) > 1 && rank < block->cluster->count;
         rank++) {
        const struct sim_block *other = &block->cluster->blocks[rank]->block;
        if (address - (uint64_t)(uintptr_t)other->shared < other->shared_bytes)
            return true;
    }
    return false;
}

// name_alone: nobody else can touch the memory. name_all: the same of a full warp. name_among:
// other threads may. name_together: the same when all lanes have one address: their turns become
// one change of the memory.
#define TURNS(name, type, lane_type, expression)                                                   \
    LANES_INLINE void name##_turn(uint8_t *at, uint8_t *result, const uint8_t *operand_b,          \
                                  const uint8_t *operand_c, unsigned l) {                          \
        const bool is_shared = true;                                                               \
        type *p = (type *)at;                                                                      \
        const type b = (type)((const lane_type *)operand_b)[l];                                    \
        const type c = (type)((const lane_type *)operand_c)[l];                                    \
        const type old = *p;                                                                       \
        (void)b, (void)c, (void)is_shared;                                                         \
        *p = (type)(expression);                                                                   \
        ((lane_type *)result)[l] = old;                                                            \
    }                                                                                              \
    static void name##_alone(struct turns *t) {                                                    \
        for (uint32_t rest = t->mask; rest; rest &= rest - 1) {                                    \
            const unsigned l = (unsigned)__builtin_ctz(rest);                                      \
            name##_turn(t->block->shared + t->offset[l], t->result, t->b, t->c, l);                \
        }                                                                                          \
    }                                                                                              \
    static void name##_all(struct turns *t) {                                                      \
        const uint8_t *b = t->b, *c = t->c;                                                        \
        const uint32_t *offset = t->offset;                                                        \
        uint8_t *result = t->result, *shared = t->block->shared;                                   \
        for (unsigned l = 0; l < LANES; l++)                                                       \
            name##_turn(shared + offset[l], result, b, c, l);                                      \
    }                                                                                              \
    static void name##_among(struct turns *t) {                                                    \
        lane_type *result = t->result;                                                             \
        for (uint32_t rest = t->mask; rest; rest &= rest - 1) {                                    \
            const unsigned l = (unsigned)__builtin_ctz(rest);                                      \
            const bool is_shared = is_shared_address(t->block, t->address[l]);                     \
            type *p = (type *)(uintptr_t)t->address[l];                                            \
            const type b = (type)((const lane_type *)t->b)[l];                                     \
            const type c = (type)((const lane_type *)t->c)[l];                                     \
            type old = __atomic_load_n(p, __ATOMIC_RELAXED), new;                                  \
            (void)b, (void)c, (void)is_shared;                                                     \
            do                                                                                     \
                new = (type)(expression);                                                          \
            while (!__atomic_compare_exchange_n(p, &old, new, true, __ATOMIC_SEQ_CST,              \
                                                __ATOMIC_RELAXED));                                \
            result[l] = old;                                                                       \
        }                                                                                          \
    }                                                                                              \
    static void name##_together(struct turns *t) {                                                 \
        lane_type *result = t->result;                                                             \
        const uint64_t address = t->address[__builtin_ctz(t->mask)];                               \
        const bool is_shared = is_shared_address(t->block, address);                               \
        type *p = (type *)(uintptr_t)address;                                                      \
        type first = __atomic_load_n(p, __ATOMIC_RELAXED), old;                                    \
        (void)is_shared;                                                                           \
        do {                                                                                       \
            old = first;                                                                           \
            for (uint32_t rest = t->mask; rest; rest &= rest - 1) {                                \
                const unsigned l = (unsigned)__builtin_ctz(rest);                                  \
                const type b = (type)((const lane_type *)t->b)[l];                                 \
                const type c = (type)((const lane_type *)t->c)[l];                                 \
                (void)b, (void)c;                                                                  \
                result[l] = old;                                                                   \
                old = (type)(expression);                                                          \
            }                                                                                      \
        } while (!__atomic_compare_exchange_n(p, &first, old, true, __ATOMIC_SEQ_CST,              \
                                              __ATOMIC_RELAXED));                                  \
    }

// X(name, operation, PTX type, memory type, lane type, new value)
#define ATOMICS(X)                                                                                 \
    X(exch_32, exch, B32, uint32_t, uint32_t, b)                                                   \
    X(exch_64, exch, B64, uint64_t, uint64_t, b)                                                   \
    X(and_32, and, B32, uint32_t, uint32_t, old &b)                                                \
    X(and_64, and, B64, uint64_t, uint64_t, old &b)                                                \
    X(or_32, or, B32, uint32_t, uint32_t, old | b)                                                 \
    X(or_64, or, B64, uint64_t, uint64_t, old | b)                                                 \
    X(xor_32, xor, B32, uint32_t, uint32_t, old ^ b)                                               \
    X(xor_64, xor, B64, uint64_t, uint64_t, old ^ b)                                               \
    X(add_32, add, U32, uint32_t, uint32_t, old + b)                                               \
    X(add_64, add, U64, uint64_t, uint64_t, old + b)                                               \
    X(inc_u32, inc, U32, uint32_t, uint32_t, old >= b ? 0 : old + 1)                               \
    X(dec_u32, dec, U32, uint32_t, uint32_t, old == 0 || old > b ? b : old - 1)                    \
    X(min_u32, min, U32, uint32_t, uint32_t, old < b ? old : b)                                    \
    X(max_u32, max, U32, uint32_t, uint32_t, old > b ? old : b)                                    \
    X(min_s32, min, S32, uint32_t, uint32_t, (int32_t)old < (int32_t)b ? old : b)                  \
    X(max_s32, max, S32, uint32_t, uint32_t, (int32_t)old > (int32_t)b ? old : b)                  \
    X(min_u64, min, U64, uint64_t, uint64_t, old < b ? old : b)                                    \
    X(max_u64, max, U64, uint64_t, uint64_t, old > b ? old : b)                                    \
    X(min_s64, min, S64, uint64_t, uint64_t, (int64_t)old < (int64_t)b ? old : b)                  \
    X(max_s64, max, S64, uint64_t, uint64_t, (int64_t)old > (int64_t)b ? old : b)                  \
    X(add_float, add, F32, uint32_t, uint32_t, add_f32(old, b, is_shared))                         \
    X(add_double, add, F64, uint64_t, uint64_t, add_f64(old, b, is_shared))                        \
    X(add_half, add, F16, uint16_t, uint32_t, num_add_f16(old, b))                                 \
    X(add_half2, add, F16X2, uint32_t, uint32_t, add_f16x2(old, b))                                \
    X(add_brain, add, BF16, uint16_t, uint32_t, num_add_bf16(old, b))                              \
    X(add_brain2, add, BF16X2, uint32_t, uint32_t, add_bf16x2(old, b))                             \
    X(cas_16, cas, B16, uint16_t, uint32_t, old == b ? c : old)                                    \
    X(cas_32, cas, B32, uint32_t, uint32_t, old == b ? c : old)                                    \
    X(cas_64, cas, B64, uint64_t, uint64_t, old == b ? c : old)

#define X(name, op, type, memory, lane, expression) TURNS(name, memory, lane, expression)
ATOMICS(X)
#undef X

static const struct row {
    uint16_t op, type, bytes, lane_bytes;
    void (*alone)(struct turns *);
    void (*all)(struct turns *);
    void (*among)(struct turns *);
    void (*together)(struct turns *);
} rows[] = {
#define X(name, op, type, memory, lane, expression)                                                \
    {PTX_MOD_##op, PTX_##type, sizeof(memory), sizeof(lane),                                       \
     name##_alone, name##_all, name##_among,   name##_together},
    ATOMICS(X)
#undef X
};

// ---- Handlers -----------------------------------------------------------------------------

// In instr->immediate: the number of the operand b (`atom d, [a], b, c`; `red [a], b`), and
// whether there is a destination. The row is in access->op.
enum { OPERAND_MASK = 15, HAS_RESULT = 16 };

static void take_results(const struct sim_warp *warp, unsigned bytes, const uint64_t *from,
                         void *to) {
    const uint32_t *from_32 = (const uint32_t *)from;
    uint32_t *to_32 = to;
    uint64_t *to_64 = to;
    if (bytes == 4)
        SIM_LANES
            to_32[l] = warp->lanes[l] ? from_32[l] : to_32[l];
    else
        SIM_LANES
            to_64[l] = warp->lanes[l] ? from[l] : to_64[l];
}

LANES_INLINE const struct sim_instr *atomic(struct sim_warp *warp, const struct sim_instr *instr,
                                            enum mem_kind kind, bool full) {
    if (!full && !warp->mask)
        return instr + 1;
    const struct row *row = &rows[instr->access->op];
    struct mem_lanes lanes;
    if (mem_resolve(warp, instr, instr->access, &lanes, kind, row->bytes, EVENT_ATOMIC, full) ==
        MEM_FAULT)
        return NULL;
    const unsigned n = instr->immediate & OPERAND_MASK;
    struct turns turns;
    turns.block = warp->block;
    turns.mask = warp->mask;
    turns.address = lanes.address;
    turns.offset = lanes.offset;
    turns.b = sim_at(warp, instr->operand[n]);
    turns.c = sim_at(warp, instr->operand[n + 1]);
    _Alignas(64) uint64_t aside[LANES];
    const bool has_result = instr->immediate & HAS_RESULT;
    void *to = has_result ? sim_at(warp, instr->operand[0]) : aside;
    turns.result = to;
    if (kind == MEM_SHARED) {
        (full ? row->all : row->alone)(&turns);
    } else if (lanes_ramp_64(lanes.address, lanes.address[0],
                             0)) { // lanes that are off hold an active one's address
        turns.result = aside;      // which may take turns again, with all operands
        row->together(&turns);
        if (has_result)
            take_results(warp, row->lane_bytes, aside, to);
    } else {
        row->among(&turns);
    }
    return instr + 1;
}

static const struct sim_instr *atomic_shared(struct sim_warp *warp, const struct sim_instr *instr) {
    return atomic(warp, instr, MEM_SHARED, false);
}

static const struct sim_instr *atomic_shared_all(struct sim_warp *warp,
                                                 const struct sim_instr *instr) {
    return atomic(warp, instr, MEM_SHARED, true);
}

static const struct sim_instr *atomic_global(struct sim_warp *warp, const struct sim_instr *instr) {
    return atomic(warp, instr, MEM_GLOBAL, false);
}

static const struct sim_instr *atomic_generic(struct sim_warp *warp,
                                              const struct sim_instr *instr) {
    return atomic(warp, instr, MEM_GENERIC, false);
}

// The type under which a row stands: operations that do not care for the sign have one row.
static enum ptx_type row_type(enum ptx_modifier op, enum ptx_type type) {
    const bool is_bitwise = op == PTX_MOD_exch || op == PTX_MOD_cas;
    switch (type) {
    case PTX_U32:
    case PTX_S32:
    case PTX_F32:
        if (is_bitwise)
            return PTX_B32;
        return op == PTX_MOD_add && type == PTX_S32 ? PTX_U32 : type;
    case PTX_U64:
    case PTX_S64:
    case PTX_F64:
        if (is_bitwise)
            return PTX_B64;
        return op == PTX_MOD_add && type == PTX_S64 ? PTX_U64 : type;
    default:
        return type;
    }
}

static bool select_atomic(const struct ir_instruction *ir, struct sim_instr *out,
                          uint32_t immediate) {
    const enum ptx_modifier op = lanes_modifier(ir, PTX_GROUP_op);
    const enum ptx_type type = row_type(op, lanes_type(ir, 0));
    uint32_t row = 0;
    while (row < sizeof rows / sizeof rows[0] && (rows[row].op != op || rows[row].type != type))
        row++;
    if (row == sizeof rows / sizeof rows[0])
        return false;
    mem_own_access(out)->op = row;
    out->immediate = immediate;
    switch (out->access->space) {
    case PTX_SPACE_SHARED:
        out->run[0] = atomic_shared;
        out->run[1] = atomic_shared_all;
        return true;
    case PTX_SPACE_GLOBAL:
        out->run[0] = out->run[1] = atomic_global;
        return true;
    case PTX_SPACE_GENERIC:
        out->run[0] = out->run[1] = atomic_generic;
        return true;
    default:
        return false;
    }
}

LANES_SELECT(atom) {
    return select_atomic(ir, out, 2 | HAS_RESULT);
}

LANES_SELECT(red) {
    return select_atomic(ir, out, 1);
}
