// Bitwise logic on registers and on predicates, and lop3.
#include "sim/lanes/vector.h"

// 16-bit values have zeros above, and keep them; only `not` has to cut.
LANES2(and_32, u32, u32, u32, a &b)
LANES2(and_64, u64, u64, u64, a &b)
LANES2(or_32, u32, u32, u32, a | b)
LANES2(or_64, u64, u64, u64, a | b)
LANES2(xor_32, u32, u32, u32, a ^ b)
LANES2(xor_64, u64, u64, u64, a ^ b)
LANES1(not_16, u16, u32, ~a)
LANES1(not_32, u32, u32, ~a)
LANES1(not_64, u64, u64, ~a)
LANES1(cnot_16, u16, u16, a == 0)
LANES1(cnot_32, u32, u32, a == 0)
LANES1(cnot_64, u64, u64, a == 0)

static lanes_table and_table = {[PTX_B16] = and_32, [PTX_B32] = and_32, [PTX_B64] = and_64};
static lanes_table or_table = {[PTX_B16] = or_32, [PTX_B32] = or_32, [PTX_B64] = or_64};
static lanes_table xor_table = {[PTX_B16] = xor_32, [PTX_B32] = xor_32, [PTX_B64] = xor_64};
static lanes_table not_table = {[PTX_B16] = not_16, [PTX_B32] = not_32, [PTX_B64] = not_64};
static lanes_table cnot_table = {[PTX_B16] = cnot_16, [PTX_B32] = cnot_32, [PTX_B64] = cnot_64};

LANES_SELECT(and_bits) {
    return lanes_by_type(out, ir, and_table);
}

LANES_SELECT(or_bits) {
    return lanes_by_type(out, ir, or_table);
}

LANES_SELECT(xor_bits) {
    return lanes_by_type(out, ir, xor_table);
}

LANES_SELECT(not_bits) {
    return lanes_by_type(out, ir, not_table);
}

LANES_SELECT(cnot) {
    return lanes_by_type(out, ir, cnot_table);
}

// Predicates: all lanes are one word.
#define PREDICATE(name, expression)                                                                \
    LANES_BODY(name) {                                                                             \
        lanes_set_predicate(warp, instr->operand[0], expression, full);                            \
    }                                                                                              \
    LANES_PAIR(name)

PREDICATE(and_predicates, sim_predicate(warp, instr, 1) & sim_predicate(warp, instr, 2))
PREDICATE(or_predicates, sim_predicate(warp, instr, 1) | sim_predicate(warp, instr, 2))
PREDICATE(xor_predicates, sim_predicate(warp, instr, 1) ^ sim_predicate(warp, instr, 2))
PREDICATE(not_predicate, ~sim_predicate(warp, instr, 1))
PREDICATE(move_predicate, sim_predicate(warp, instr, 1))

LANES_SELECT(and_pred) {
    return lanes_use(out, and_predicates);
}

LANES_SELECT(or_pred) {
    return lanes_use(out, or_predicates);
}

LANES_SELECT(xor_pred) {
    return lanes_use(out, xor_predicates);
}

LANES_SELECT(not_pred) {
    return lanes_use(out, not_predicate);
}

LANES_SELECT(mov_pred) {
    return lanes_use(out, move_predicate);
}

// lop3: bit 4a + 2b + c of the table for bits a, b, c of the operands. The tables that compilers
// write most have their own handlers; any other is looked up by halving the table with c, b, a.
LANES3(lop3_80, u32, u32, u32, u32, a &b &c)
LANES3(lop3_fe, u32, u32, u32, u32, a | b | c)
LANES3(lop3_96, u32, u32, u32, u32, a ^ b ^ c)
LANES3(lop3_e8, u32, u32, u32, u32, (a & b) | ((a | b) & c))
LANES3(lop3_ca, u32, u32, u32, u32, (a & b) | (~a & c))
LANES3(lop3_b8, u32, u32, u32, u32, (b & c) | (a & ~b))
LANES3(lop3_f8, u32, u32, u32, u32, a | (b & c))
LANES3(lop3_ea, u32, u32, u32, u32, (a & b) | c)
LANES3(lop3_78, u32, u32, u32, u32, a ^ (b & c))
LANES3(lop3_6a, u32, u32, u32, u32, (a & b) ^ c)
LANES3(lop3_c8, u32, u32, u32, u32, (a | c) & b)
LANES3(lop3_e0, u32, u32, u32, u32, a &(b | c))
LANES3(lop3_a8, u32, u32, u32, u32, (a | b) & c)

struct lop3_table {
    uint32_t low[4], change[4]; // by (a, b): the result for c = 0, and where c = 1 differs from it
};

static inline struct lop3_table lop3_unpack(uint32_t table) {
    struct lop3_table t;
    for (int i = 0; i < 4; i++) {
        t.low[i] = 0u - (table >> (2 * i) & 1);
        t.change[i] = t.low[i] ^ (0u - (table >> (2 * i + 1) & 1));
    }
    return t;
}

static inline uint32_t lop3_choose(uint32_t selector, uint32_t zero, uint32_t one) {
    return (selector & one) | (~selector & zero);
}

static inline uint32_t lop3_apply(const struct lop3_table *t, uint32_t a, uint32_t b, uint32_t c) {
    const uint32_t r0 = t->low[0] ^ (c & t->change[0]), r1 = t->low[1] ^ (c & t->change[1]);
    const uint32_t r2 = t->low[2] ^ (c & t->change[2]), r3 = t->low[3] ^ (c & t->change[3]);
    return lop3_choose(a, lop3_choose(b, r0, r1), lop3_choose(b, r2, r3));
}

LANES_BODY(lop3_any) {
    LANES_OUT(u32)
    LANES_IN(u32, pa, 1)
    LANES_IN(u32, pb, 2)
    LANES_IN(u32, pc, 3)
    const struct lop3_table table = lop3_unpack(imm);
    SIM_LANES
    { LANES_BLEND(u32, lop3_apply(&table, pa[l], pb[l], pc[l])) }
}
LANES_PAIR(lop3_any)

LANES_SELECT(lop3) {
    static const struct {
        uint8_t table;
        const sim_handler *pair;
    } known[] = {
        {0x80, lop3_80}, {0xfe, lop3_fe}, {0x96, lop3_96}, {0xe8, lop3_e8}, {0xca, lop3_ca},
        {0xb8, lop3_b8}, {0xf8, lop3_f8}, {0xea, lop3_ea}, {0x78, lop3_78}, {0x6a, lop3_6a},
        {0xc8, lop3_c8}, {0xe0, lop3_e0}, {0xa8, lop3_a8},
    };
    const uint64_t table = ir->operands[4].value;
    if (table > 0xff)
        return false;
    out->immediate = (uint32_t)table;
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].table == table)
            return lanes_use(out, known[i].pair);
    }
    return lanes_use(out, lop3_any);
}

// lop3 with a predicate: p = (d != 0) op q.
LANES_BODY(lop3_predicate) {
    LANES_OUT(u32)
    LANES_IN(u32, pa, 1)
    LANES_IN(u32, pb, 2)
    LANES_IN(u32, pc, 3)
    const struct lop3_table table = lop3_unpack(imm & 0xff);
    const uint32_t q = sim_predicate(warp, instr, 5);
    _Alignas(64) int32_t set[LANES];
    SIM_LANES
    {
        const uint32_t r = lop3_apply(&table, pa[l], pb[l], pc[l]);
        set[l] = r != 0 ? -1 : 0;
        LANES_BLEND(u32, r)
    }
    const uint32_t bits = lanes_signs(set);
    lanes_set_predicate(warp, instr->pair, imm >> 8 ? bits & q : bits | q, full);
}
LANES_PAIR(lop3_predicate)

LANES_SELECT(lop3_pred) {
    const uint64_t table = ir->operands[4].value;
    if (table > 0xff)
        return false;
    out->immediate = (uint32_t)table | (lanes_modifier(ir, PTX_GROUP_bool) == PTX_MOD_and) << 8;
    return lanes_use(out, lop3_predicate);
}
