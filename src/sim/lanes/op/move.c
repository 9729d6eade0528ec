// mov, and mov between a register and the parts of a vector.
#include "sim/decode/decode.h"
#include "sim/lanes/lanes.h"

LANES1(copy_32, u32, u32, a)
LANES1(copy_64, u64, u64, a)

enum { MAX_ELEMENTS = 8 };

// d = {e0, e1, ...}, the first lowest: `bits` bits of each.
#define PACK(name, D, count, bits)                                                                 \
    LANES_BODY(name) {                                                                             \
        LANES_OUT(D)                                                                               \
        const uint32_t *part[MAX_ELEMENTS];                                                        \
        for (int i = 0; i < count; i++)                                                            \
            part[i] = LANES_ALIGNED(const uint32_t, instr->elements[i]);                           \
        SIM_LANES                                                                                  \
        {                                                                                          \
            lane_##D r = 0;                                                                        \
            for (int i = 0; i < count; i++)                                                        \
                r |= (lane_##D)(part[i][l] & (UINT32_MAX >> (32 - bits))) << (i * bits);           \
            LANES_BLEND(D, r)                                                                      \
        }                                                                                          \
    }                                                                                              \
    LANES_PAIR(name)

// {e0, e1, ...} = a
#define UNPACK(name, A, count, bits)                                                               \
    LANES_BODY(name) {                                                                             \
        LANES_IN(A, pa, 1)                                                                         \
        const int32_t *on = warp->lanes;                                                           \
        uint32_t *part[MAX_ELEMENTS];                                                              \
        for (int i = 0; i < count; i++)                                                            \
            part[i] = LANES_ALIGNED(uint32_t, instr->elements[i]);                                 \
        SIM_LANES                                                                                  \
        {                                                                                          \
            const lane_##A a = pa[l];                                                              \
            for (int i = 0; i < count; i++) {                                                      \
                const uint32_t r = (uint32_t)(a >> (i * bits)) & (UINT32_MAX >> (32 - bits));      \
                part[i][l] = full || on[l] ? r : part[i][l];                                       \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    LANES_PAIR(name)

PACK(pack_2x8, u32, 2, 8)
PACK(pack_4x8, u32, 4, 8)
PACK(pack_2x16, u32, 2, 16)
PACK(pack_8x8, u64, 8, 8)
PACK(pack_4x16, u64, 4, 16)
PACK(pack_2x32, u64, 2, 32)
UNPACK(unpack_2x8, u32, 2, 8)
UNPACK(unpack_4x8, u32, 4, 8)
UNPACK(unpack_2x16, u32, 2, 16)
UNPACK(unpack_8x8, u64, 8, 8)
UNPACK(unpack_4x16, u64, 4, 16)
UNPACK(unpack_2x32, u64, 2, 32)

static const sim_handler *find_vector(unsigned bytes, unsigned count, bool pack) {
    static const struct {
        unsigned bytes, count;
        const sim_handler *pack, *unpack;
    } table[] = {
        {2, 2, pack_2x8, unpack_2x8},   {4, 2, pack_2x16, unpack_2x16},
        {4, 4, pack_4x8, unpack_4x8},   {8, 2, pack_2x32, unpack_2x32},
        {8, 4, pack_4x16, unpack_4x16}, {8, 8, pack_8x8, unpack_8x8},
    };
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].bytes == bytes && table[i].count == count)
            return pack ? table[i].pack : table[i].unpack;
    }
    return NULL;
}

// Registers of 128 bits are pairs: instr->elements holds two of each side.
LANES_BODY(copy_pair) {
    const int32_t *on = warp->lanes;
    const uint64_t *low = LANES_ALIGNED(const uint64_t, instr->elements[2]);
    const uint64_t *high = LANES_ALIGNED(const uint64_t, instr->elements[3]);
    uint64_t *to_low = LANES_ALIGNED(uint64_t, instr->elements[0]);
    uint64_t *to_high = LANES_ALIGNED(uint64_t, instr->elements[1]);
    LANES_EACH if (full || on[l]) {
        const uint64_t a = low[l], b = high[l]; // the sides may share registers
        to_low[l] = a;
        to_high[l] = b;
    }
}
LANES_PAIR(copy_pair)

static bool use_pair(struct sim_decoder *decoder, const struct ir_instruction *ir,
                     struct sim_instr *out) {
    sim_ref *refs = sim_decoder_alloc(decoder, 4 * sizeof *refs);
    for (unsigned i = 0; i < 4; i++) {
        const struct ir_operand *side = &ir->operands[i / 2];
        if (side->kind != IR_OPERAND_VECTOR || side->element_count != 2)
            return false;
        const struct ir_operand *element = &side->elements[i % 2];
        if (element->kind != IR_OPERAND_SINK && sim_decoder_operand_bytes(decoder, element) != 8)
            return false;
        refs[i] = sim_operand_ref(decoder, ir, element);
    }
    out->elements = refs;
    return lanes_use(out, copy_pair);
}

// mov.v2 and mov.v4 take elements apart before they write any: both sides may share registers.
// instr->elements holds the destinations and then the sources, instr->immediate how many.
#define COPY_VECTOR(name, D)                                                                       \
    LANES_BODY(name) {                                                                             \
        const int32_t *on = warp->lanes;                                                           \
        const unsigned count = (unsigned)instr->immediate;                                         \
        LANES_EACH if (full || on[l]) {                                                            \
            lane_##D value[4];                                                                     \
            for (unsigned i = 0; i < count; i++)                                                   \
                value[i] = LANES_ALIGNED(const lane_##D, instr->elements[count + i])[l];           \
            for (unsigned i = 0; i < count; i++)                                                   \
                LANES_ALIGNED(lane_##D, instr->elements[i])[l] = value[i];                         \
        }                                                                                          \
    }                                                                                              \
    LANES_PAIR(name)
COPY_VECTOR(copy_vector_32, u32)
COPY_VECTOR(copy_vector_64, u64)

LANES_SELECT(mov_vector) {
    const unsigned count = ir->operands[0].element_count;
    const unsigned bytes = ptx_type_bytes(lanes_type(ir, 0)) > 4 ? 8 : 4;
    if (ir->operands[1].element_count != count || count > 4)
        return false;
    sim_ref *refs = sim_decoder_alloc(decoder, 2 * count * sizeof *refs);
    for (unsigned i = 0; i < 2 * count; i++) {
        const struct ir_operand *element = &ir->operands[i / count].elements[i % count];
        if (element->kind == IR_OPERAND_REGISTER &&
            sim_decoder_operand_bytes(decoder, element) != bytes)
            return false;
        refs[i] = sim_operand_ref(decoder, ir, element);
    }
    out->elements = refs;
    out->immediate = count;
    return lanes_use(out, bytes == 8 ? copy_vector_64 : copy_vector_32);
}

LANES_SELECT(mov) {
    const unsigned bytes = ptx_type_bytes(lanes_type(ir, 0));
    const struct ir_operand *d = &ir->operands[0], *a = &ir->operands[1];
    const bool unpack = d->kind == IR_OPERAND_VECTOR, pack = a->kind == IR_OPERAND_VECTOR;
    if (bytes > 8)
        return use_pair(decoder, ir, out);
    if (pack && unpack)
        return false;
    if (pack || unpack)
        return lanes_use(out, find_vector(bytes, (pack ? a : d)->element_count, pack));
    return lanes_use(out, bytes == 8 ? copy_64 : copy_32);
}
