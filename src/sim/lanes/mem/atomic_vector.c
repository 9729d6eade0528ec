// Atomics on vectors, each element of which changes on its own, and on 128 bits. The lanes of a
// warp take their turns in lane order.
#include "ir/number/half.h"
#include "sim/decode/decode.h"
#include "sim/lanes/mem/resolve.h"

enum { MAX_ELEMENTS = 8 };

// What instr->access points to: the destination's elements lie in access.element.
struct vector_access {
    struct sim_access access;
    sim_ref d[MAX_ELEMENTS], b[MAX_ELEMENTS], c[2];
    bool has_result;
    uint32_t (*change)(uint32_t old, uint32_t b); // of one element
};

static const struct vector_access *vector_of(const struct sim_instr *instr) {
    return (const struct vector_access *)(const void *)instr->access;
}

// ---- Elements -----------------------------------------------------------------------------

static inline float flushed(float x) {
    return __builtin_fabsf(x) < 0x1p-126f ? __builtin_copysignf(0.0f, x) : x;
}

// As the scalar red does in global memory (lanes/mem/atomic.c).
static uint32_t add_f32(uint32_t a, uint32_t b) {
    const float sum = flushed(flushed(num_f32_of_bits(a)) + flushed(num_f32_of_bits(b)));
    return sum != sum ? 0x7fffffffu : num_bits_of_f32(sum);
}

static uint32_t add_f16(uint32_t a, uint32_t b) {
    return num_add_f16((uint16_t)a, (uint16_t)b);
}
static uint32_t add_bf16(uint32_t a, uint32_t b) {
    return num_add_bf16((uint16_t)a, (uint16_t)b);
}

// -0 is less than +0; of a number and a NaN the number.
static inline uint32_t pick(uint32_t a, uint32_t b, uint32_t infinity, bool max) {
    const int32_t x = a & 0x8000 ? -1 - (int32_t)(a & 0x7fff) : (int32_t)a;
    const int32_t y = b & 0x8000 ? -1 - (int32_t)(b & 0x7fff) : (int32_t)b;
    const bool a_nan = (a & 0x7fff) > infinity, b_nan = (b & 0x7fff) > infinity;
    if (a_nan || b_nan)
        return a_nan && b_nan ? 0x7fff : a_nan ? b : a;
    return (max ? x > y : x < y) ? a : b;
}
static uint32_t min_f16(uint32_t a, uint32_t b) {
    return pick(a, b, 0x7c00, false);
}
static uint32_t max_f16(uint32_t a, uint32_t b) {
    return pick(a, b, 0x7c00, true);
}
static uint32_t min_bf16(uint32_t a, uint32_t b) {
    return pick(a, b, 0x7f80, false);
}
static uint32_t max_bf16(uint32_t a, uint32_t b) {
    return pick(a, b, 0x7f80, true);
}

#define PACKED(name)                                                                               \
    static uint32_t name##_x2(uint32_t a, uint32_t b) {                                            \
        return name(a & 0xffff, b & 0xffff) | name(a >> 16, b >> 16) << 16;                        \
    }
PACKED(add_f16)
PACKED(add_bf16)
PACKED(min_f16)
PACKED(min_bf16)
PACKED(max_f16)
PACKED(max_bf16)

static uint32_t change_16(uint16_t *p, uint32_t b, uint32_t (*change)(uint32_t, uint32_t)) {
    uint16_t old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(p, &old, (uint16_t)change(old, b), true, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED))
        ;
    return old;
}

static uint32_t change_32(uint32_t *p, uint32_t b, uint32_t (*change)(uint32_t, uint32_t)) {
    uint32_t old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(p, &old, change(old, b), true, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED))
        ;
    return old;
}

static void change_lane(const struct sim_warp *warp, const struct vector_access *v, uint8_t *at,
                        unsigned lane) {
    const unsigned bytes = v->access.bytes;
    for (unsigned e = 0; e < v->access.count; e++) {
        const uint32_t b = ((const uint32_t *)sim_at(warp, v->b[e]))[lane];
        void *p = at + e * bytes;
        const uint32_t old = bytes == 2 ? change_16(p, b, v->change) : change_32(p, b, v->change);
        if (v->has_result)
            ((uint32_t *)sim_at(warp, v->d[e]))[lane] = old;
    }
}

// ---- 128 bits -----------------------------------------------------------------------------

struct pair {
    uint64_t low, high;
};

// Like __atomic_compare_exchange_n: *old becomes what the memory holds.
static bool exchange_pair(struct pair *p, struct pair *old, struct pair new) {
#if defined(__x86_64__)
    bool is_same;
    __asm__ volatile("lock cmpxchg16b %1"
                     : "=@ccz"(is_same), "+m"(*p), "+a"(old->low), "+d"(old->high)
                     : "b"(new.low), "c"(new.high)
                     : "memory");
    return is_same;
#else
    __extension__ typedef unsigned __int128 wide;
    const wide expected = (wide)old->high << 64 | old->low,
               wanted = (wide) new.high << 64 | new.low;
    const wide found = __sync_val_compare_and_swap((wide *)p, expected, wanted);
    *old = (struct pair){(uint64_t)found, (uint64_t)(found >> 64)};
    return found == expected;
#endif
}

static struct pair read_pair(const struct sim_warp *warp, const sim_ref *refs, unsigned lane) {
    return (struct pair){((const uint64_t *)sim_at(warp, refs[0]))[lane],
                         ((const uint64_t *)sim_at(warp, refs[1]))[lane]};
}

static void exchange_lane(const struct sim_warp *warp, const struct vector_access *v, uint8_t *at,
                          unsigned lane, bool compares) {
    struct pair *p = (struct pair *)(void *)at;
    const struct pair b = read_pair(warp, v->b, lane);
    struct pair old = compares ? b : (struct pair){0, 0};
    if (compares)
        exchange_pair(p, &old, read_pair(warp, v->c, lane));
    else
        while (!exchange_pair(p, &old, b))
            ;
    ((uint64_t *)sim_at(warp, v->d[0]))[lane] = old.low;
    ((uint64_t *)sim_at(warp, v->d[1]))[lane] = old.high;
}

// ---- Handlers -----------------------------------------------------------------------------

// In instr->immediate.
enum { EXCHANGES = 1, COMPARES = 2 };

static const struct sim_instr *atomic(struct sim_warp *warp, const struct sim_instr *instr) {
    if (!warp->mask)
        return instr + 1;
    const struct vector_access *v = vector_of(instr);
    const unsigned width = v->access.bytes * v->access.count;
    struct mem_lanes lanes;
    enum mem_kind kind = MEM_GENERIC;
    mem_kind_of(&v->access, &kind);
    if (mem_resolve(warp, instr, &v->access, &lanes, kind, width, EVENT_ATOMIC, false) == MEM_FAULT)
        return NULL;
    EACH_LANE(l, warp->mask) {
        uint8_t *at = mem_lane(warp, &lanes, kind, l);
        if (instr->immediate)
            exchange_lane(warp, v, at, l, instr->immediate & COMPARES);
        else
            change_lane(warp, v, at, l);
    }
    return instr + 1;
}

// ---- Choosing -----------------------------------------------------------------------------

static bool read_elements(struct sim_decoder *decoder, const struct ir_instruction *ir,
                          unsigned position, unsigned count, unsigned bytes, sim_ref *out) {
    const struct ir_operand *operand = &ir->operands[position];
    if (operand->kind != IR_OPERAND_VECTOR || operand->element_count != count)
        return false;
    for (unsigned e = 0; e < count; e++) {
        const struct ir_operand *element = &operand->elements[e];
        if (element->kind != IR_OPERAND_SINK &&
            sim_decoder_operand_bytes(decoder, element) != bytes)
            return false;
        out[e] = sim_operand_ref(decoder, ir, element);
    }
    return true;
}

static struct vector_access *new_access(struct sim_decoder *decoder, struct sim_instr *out) {
    struct vector_access *v = sim_decoder_alloc(decoder, sizeof *v);
    v->access = *out->access;
    out->access = &v->access;
    out->run[0] = out->run[1] = atomic;
    return v;
}

typedef uint32_t (*change_function)(uint32_t, uint32_t);

static change_function change_of(enum ptx_modifier op, enum ptx_type type) {
    static const struct {
        enum ptx_type type;
        change_function add, min, max;
    } table[] = {{PTX_F32, add_f32, NULL, NULL},
                 {PTX_F16, add_f16, min_f16, max_f16},
                 {PTX_BF16, add_bf16, min_bf16, max_bf16},
                 {PTX_F16X2, add_f16_x2, min_f16_x2, max_f16_x2},
                 {PTX_BF16X2, add_bf16_x2, min_bf16_x2, max_bf16_x2}};
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].type == type)
            return op == PTX_MOD_add   ? table[i].add
                   : op == PTX_MOD_min ? table[i].min
                                       : table[i].max;
    return NULL;
}

static bool select_vector(struct sim_decoder *decoder, const struct ir_instruction *ir,
                          struct sim_instr *out, bool has_result) {
    const enum ptx_type type = lanes_type(ir, 0);
    const unsigned bytes = ptx_type_bytes(type), b = has_result ? 2 : 1;
    const unsigned count = ir->operands[b].element_count;
    struct vector_access *v = new_access(decoder, out);
    v->change = change_of(lanes_modifier(ir, PTX_GROUP_op), type);
    v->has_result = has_result;
    v->access.count = count;
    if (!v->change || bytes * count > 16 || PTX_HAS(ir->ptx, noftz) == (type == PTX_F32))
        return false;
    return (!has_result || read_elements(decoder, ir, 0, count, 4, v->d)) &&
           read_elements(decoder, ir, b, count, 4, v->b);
}

LANES_SELECT(atom_vector) {
    return select_vector(decoder, ir, out, true);
}

LANES_SELECT(red_vector) {
    return select_vector(decoder, ir, out, false);
}

LANES_SELECT(atom_wide) {
    const bool compares = lanes_modifier(ir, PTX_GROUP_op) == PTX_MOD_cas;
    struct vector_access *v = new_access(decoder, out);
    out->immediate = EXCHANGES | (compares ? COMPARES : 0);
    v->access.bytes = 8;
    v->access.count = 2;
    return read_elements(decoder, ir, 0, 2, 8, v->d) && read_elements(decoder, ir, 2, 2, 8, v->b) &&
           (!compares || read_elements(decoder, ir, 3, 2, 8, v->c));
}
