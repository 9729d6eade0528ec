// Warp communication against the PTX ISA's pseudocode, on every target that this machine can run.
#include "sim_fake.h"

FAKE_SELECT(shfl)
FAKE_SELECT(vote)
FAKE_SELECT(vote_ballot)
FAKE_SELECT(match)
FAKE_SELECT(activemask)
FAKE_SELECT(redux)
FAKE_SELECT(elect)

enum { D = 0, A = 1, B = 2, C = 3, M = 4, P = 5, Q = 6 }; // register numbers

static struct ptx_instruction ptx;
static struct ir_instruction ir;
static struct sim_instr instrs[2];

static void prepare(enum ptx_modifier op, enum ptx_type type, bool sync, bool has_pair) {
    memset(&ptx, 0, sizeof ptx);
    memset(&ir, 0, sizeof ir);
    memset(instrs, 0, sizeof instrs);
    ir.ptx = &ptx;
    ptx.modifiers[PTX_GROUP_op] = (uint16_t)op;
    ptx.modifiers[PTX_GROUP_sync] = sync ? PTX_MOD_sync : 0;
    ptx.types[0] = (uint8_t)type;
    ptx.type_count = 1;
    ir.operands[0].pair = has_pair ? 1 : IR_NONE;
    for (unsigned i = 0; i < 5; i++)
        instrs->operand[i] = fake_ref(i);
    instrs->pair = fake_ref(P);
    fake.gather_members = fake.gather_adds = 0;
    fake.gather_waits = false;
}

static void set_all(unsigned reg, uint32_t value) {
    for (unsigned l = 0; l < LANES; l++)
        fake_32(reg)[l] = value;
}

static bool is_on(unsigned lane) {
    return fake.warp.mask >> lane & 1;
}

// ---- shfl -------------------------------------------------------------------------------------

// The ISA's pseudocode. False: out of range.
static bool source_lane(enum ptx_modifier op, int lane, uint32_t b, uint32_t c, int *source) {
    int bval = b & 31, cval = c & 31, segmask = c >> 8 & 31;
    int max_lane = (lane & segmask) | (cval & ~segmask), min_lane = lane & segmask, j;
    bool good;
    switch (op) {
    case PTX_MOD_up:
        j = lane - bval;
        good = j >= max_lane;
        break;
    case PTX_MOD_down:
        j = lane + bval;
        good = j <= max_lane;
        break;
    case PTX_MOD_bfly:
        j = lane ^ bval;
        good = j <= max_lane;
        break;
    default:
        j = min_lane | (bval & ~segmask);
        good = j <= max_lane;
        break;
    }
    *source = good ? j : lane;
    return good;
}

static void check_shuffle(unsigned target, enum ptx_modifier op, bool sync, bool in_place) {
    uint32_t mask = fake_random_mask(), before[LANES], old_d[LANES];
    fake_mask(mask);
    prepare(op, PTX_B32, sync, true);
    if (in_place)
        instrs->operand[0] = fake_ref(A);
    unsigned d = in_place ? A : D;
    static const uint32_t clamps[] = {0x1f, 0, 0x1c03, 0x1807, 0x100f, 0x1f00};
    uint32_t clamp = clamps[fake_random() % 6];
    for (unsigned l = 0; l < LANES; l++) {
        fake_32(D)[l] = 0xdddd0000 + l;
        before[l] = fake_32(A)[l] = fake_random();
        fake_32(B)[l] = fake_random() % 4 ? fake_random() % 32 : fake_random();
        fake_32(C)[l] = fake_random() % 4 ? clamp : fake_random();
        fake_32(M)[l] = mask;
        old_d[l] = in_place ? before[l] : fake_32(D)[l];
    }
    *fake_32(P) = 0xa5a5a5a5;
    assert_true(select_shfl[target](NULL, &ir, instrs));
    assert_true(fake_run(instrs));
    for (int l = 0; l < LANES; l++) {
        int source;
        bool good = source_lane(op, l, fake_32(B)[l], fake_32(C)[l], &source);
        uint32_t expected = is_on((unsigned)source) ? before[source] : before[l];
        assert_int_equal(fake_32(d)[l], is_on((unsigned)l) ? expected : old_d[l]);
        assert_int_equal(*fake_32(P) >> l & 1, is_on((unsigned)l) ? good : 0xa5a5a5a5u >> l & 1);
    }
}

static void test_shuffle(void **state) {
    (void)state;
    static const enum ptx_modifier ops[] = {PTX_MOD_up, PTX_MOD_down, PTX_MOD_bfly, PTX_MOD_idx};
    EACH_TARGET(t) {
        for (unsigned op = 0; op < 4; op++)
            for (int i = 0; i < 400; i++)
                check_shuffle(t, ops[op], i & 1, i & 2);
    }
}

static void test_shuffle_without_predicate(void **state) {
    (void)state;
    EACH_TARGET(t) {
        prepare(PTX_MOD_down, PTX_B32, true, false);
        fake_mask(FULL_MASK);
        for (unsigned l = 0; l < LANES; l++)
            fake_32(A)[l] = l * l;
        set_all(B, 1);
        set_all(C, 0x1f);
        set_all(M, FULL_MASK);
        *fake_32(P) = 0xa5a5a5a5;
        assert_true(select_shfl[t](NULL, &ir, instrs));
        assert_true(fake_run(instrs));
        assert_int_equal(fake_32(D)[4], 25);
        assert_int_equal(fake_32(D)[31], 961);
        assert_int_equal(*fake_32(P), 0xa5a5a5a5);
    }
}

// A lane names others that are elsewhere: the instruction waits, and runs with them.
static void test_gathering(void **state) {
    (void)state;
    EACH_TARGET(t) {
        prepare(PTX_MOD_bfly, PTX_B32, true, false);
        assert_true(select_shfl[t](NULL, &ir, instrs));
        for (unsigned l = 0; l < LANES; l++)
            fake_32(A)[l] = 100 + l;
        set_all(D, 0);
        set_all(B, 1);
        set_all(C, 0x1f);
        set_all(M, 0xff);
        fake_mask(0x0f);
        fake.gather_waits = true;
        assert_false(fake_run(instrs));
        assert_int_equal(fake.gather_members, 0xff);
        assert_int_equal(fake_32(D)[0], 0);
        fake.gather_waits = false;
        fake.gather_adds = 0xf0;
        assert_true(fake_run(instrs));
        for (unsigned l = 0; l < LANES; l++)
            assert_int_equal(fake_32(D)[l], l < 8 ? 100 + (l ^ 1) : 0);
        // The legacy form waits for nobody.
        prepare(PTX_MOD_bfly, PTX_B32, false, false);
        assert_true(select_shfl[t](NULL, &ir, instrs));
        fake_mask(0x0f);
        assert_true(fake_run(instrs));
        assert_int_equal(fake.gather_members, 0);
        assert_int_equal(fake.warp.mask, 0x0f);
    }
}

// A lane that does not name itself is a fault.
static void test_strangers(void **state) {
    (void)state;
    EACH_TARGET(t) {
        for (unsigned full = 0; full < 2; full++) {
            prepare(PTX_MOD_bfly, PTX_B32, true, false);
            assert_true(select_shfl[t](NULL, &ir, instrs));
            set_all(M, 0xffffff7f);
            set_all(D, 5);
            fake_mask(full ? FULL_MASK : 0x80);
            fake.fault = SIM_OK;
            assert_false(fake_run(instrs));
            assert_int_equal(fake.fault, SIM_FAULT_ILLEGAL_INSTRUCTION);
            assert_int_equal(fake.fault_lane, 7);
            assert_int_equal(fake_32(D)[0], 5);
        }
    }
}

// ---- Groups: lanes that name the same mask
// --------------------------------------------------------

// The lanes that lane l communicates with, for the member masks in M.
static uint32_t group_of(unsigned lane) {
    uint32_t group = 0;
    for (unsigned l = 0; l < LANES; l++)
        if (is_on(l) && fake_32(M)[l] == fake_32(M)[lane])
            group |= 1u << l;
    return group;
}

// Cuts the active lanes into up to three groups that name themselves.
static void random_groups(void) {
    uint32_t active = fake_random_mask(), cut = fake_random() % 3 ? FULL_MASK : fake_random(),
             cut2 = fake_random() % 3 ? 0 : fake_random();
    fake_mask(active);
    for (unsigned l = 0; l < LANES; l++) {
        uint32_t mask = cut >> l & 1 ? cut : ~cut;
        mask &= cut2 >> l & 1 ? cut2 : ~cut2;
        fake_32(M)[l] = is_on(l) ? mask & active : 0x12345678;
    }
}

static void check_vote(unsigned target, enum ptx_modifier op) {
    prepare(op, PTX_PRED, true, false);
    random_groups();
    instrs->operand[2] = fake_ref(M);
    uint32_t bits = fake_random() % 3 ? fake_random() : fake_random() % 2 ? FULL_MASK : 0;
    *fake_32(A) = bits;
    instrs->negate = fake_random() % 2 ? 2 : 0;
    uint32_t holds = instrs->negate ? ~bits : bits;
    *fake_32(D) = 0x5a5a5a5a;
    assert_true(select_vote[target](NULL, &ir, instrs));
    assert_true(fake_run(instrs));
    for (unsigned l = 0; l < LANES; l++) {
        uint32_t group = group_of(l), yes = holds & group;
        bool expected = op == PTX_MOD_all   ? yes == group
                        : op == PTX_MOD_any ? yes != 0
                                            : yes == group || yes == 0;
        assert_int_equal(*fake_32(D) >> l & 1, is_on(l) ? expected : 0x5a5a5a5au >> l & 1);
    }
}

static void check_ballot(unsigned target) {
    prepare(PTX_MOD_ballot, PTX_B32, true, false);
    random_groups();
    instrs->operand[2] = fake_ref(M);
    *fake_32(A) = fake_random();
    set_all(D, 77);
    assert_true(select_vote_ballot[target](NULL, &ir, instrs));
    assert_true(fake_run(instrs));
    for (unsigned l = 0; l < LANES; l++)
        assert_int_equal(fake_32(D)[l], is_on(l) ? *fake_32(A) & group_of(l) : 77);
}

static void check_match(unsigned target, bool all, bool wide) {
    prepare(all ? PTX_MOD_all : PTX_MOD_any, wide ? PTX_B64 : PTX_B32, true, all);
    random_groups();
    instrs->operand[2] = fake_ref(M);
    unsigned kinds = 1 + fake_random() % 4;
    uint64_t value[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        value[l] = fake_random() % kinds;
        if (wide)
            fake_64(A)[l] = value[l] = value[l] << 32;
        else
            fake_32(A)[l] = (uint32_t)value[l];
    }
    set_all(D, 77);
    *fake_32(P) = 0;
    assert_true(select_match[target](NULL, &ir, instrs));
    assert_true(fake_run(instrs));
    for (unsigned l = 0; l < LANES; l++) {
        uint32_t group = group_of(l), equal = 0;
        for (unsigned o = 0; o < LANES; o++)
            if (group >> o & 1 && value[o] == value[l])
                equal |= 1u << o;
        bool matched = equal == group;
        uint32_t expected = all && !matched ? 0 : equal;
        assert_int_equal(fake_32(D)[l], is_on(l) ? expected : 77);
        if (all)
            assert_int_equal(*fake_32(P) >> l & 1, is_on(l) && matched);
    }
}

static void check_redux(unsigned target, enum ptx_modifier op, enum ptx_type type) {
    prepare(op, type, true, false);
    random_groups();
    instrs->operand[2] = fake_ref(M);
    for (unsigned l = 0; l < LANES; l++)
        fake_32(A)[l] = fake_random();
    set_all(D, 77);
    assert_true(select_redux[target](NULL, &ir, instrs));
    assert_true(fake_run(instrs));
    for (unsigned l = 0; l < LANES; l++) {
        uint32_t group = group_of(l), result = 0;
        bool first = true;
        for (unsigned o = 0; o < LANES; o++) {
            if (!(group >> o & 1))
                continue;
            uint32_t v = fake_32(A)[o], r = result;
            bool less = type == PTX_S32 ? (int32_t)v < (int32_t)r : v < r;
            result = first               ? v
                     : op == PTX_MOD_add ? r + v
                     : op == PTX_MOD_and ? r & v
                     : op == PTX_MOD_or  ? r | v
                     : op == PTX_MOD_xor ? r ^ v
                     : op == PTX_MOD_min ? (less ? v : r)
                                         : (less ? r : v);
            first = false;
        }
        assert_int_equal(fake_32(D)[l], is_on(l) ? result : 77);
    }
}

static void check_elect(unsigned target) {
    prepare(PTX_MOD_NONE, PTX_NO_TYPE, true, true);
    random_groups();
    instrs->operand[1] = fake_ref(M);
    set_all(D, 77);
    *fake_32(P) = 0;
    assert_true(select_elect[target](NULL, &ir, instrs));
    assert_true(fake_run(instrs));
    for (unsigned l = 0; l < LANES; l++) {
        uint32_t leader = is_on(l) ? (uint32_t)__builtin_ctz(group_of(l)) : 77;
        assert_int_equal(fake_32(D)[l], leader);
        assert_int_equal(*fake_32(P) >> l & 1, is_on(l) && leader == l);
    }
}

static void test_groups(void **state) {
    (void)state;
    static const enum ptx_modifier bitwise[] = {PTX_MOD_and, PTX_MOD_or, PTX_MOD_xor};
    static const enum ptx_modifier integer[] = {PTX_MOD_add, PTX_MOD_min, PTX_MOD_max};
    EACH_TARGET(t) {
        for (int i = 0; i < 200; i++) {
            check_vote(t, PTX_MOD_all);
            check_vote(t, PTX_MOD_any);
            check_vote(t, PTX_MOD_uni);
            check_ballot(t);
            check_match(t, i & 1, i & 2);
            check_redux(t, bitwise[i % 3], PTX_B32);
            check_redux(t, integer[i % 3], i & 1 ? PTX_S32 : PTX_U32);
            check_elect(t);
        }
    }
}

// ---- Without members
// ------------------------------------------------------------------------------

static void test_legacy(void **state) {
    (void)state;
    EACH_TARGET(t) {
        fake_mask(0x00ff00f0);
        prepare(PTX_MOD_ballot, PTX_B32, false, false);
        set_all(D, 77);
        *fake_32(A) = 0x0f0f0f0f;
        assert_true(select_vote_ballot[t](NULL, &ir, instrs));
        assert_true(fake_run(instrs));
        assert_int_equal(fake_32(D)[4], 0x000f0000);
        assert_int_equal(fake_32(D)[0], 77);
        static const struct {
            enum ptx_modifier op;
            uint32_t bits;
            bool answer;
        } votes[] = {{PTX_MOD_all, 0x00ff00f0, true}, {PTX_MOD_all, 0x00ff00e0, false},
                     {PTX_MOD_any, 0x00000010, true}, {PTX_MOD_any, 0xff00ff0f, false},
                     {PTX_MOD_uni, 0xff00ff0f, true}, {PTX_MOD_uni, 0x00ff00f0, true},
                     {PTX_MOD_uni, 0x00000010, false}};
        for (unsigned i = 0; i < sizeof votes / sizeof votes[0]; i++) {
            prepare(votes[i].op, PTX_PRED, false, false);
            *fake_32(A) = votes[i].bits;
            *fake_32(D) = 0;
            assert_true(select_vote[t](NULL, &ir, instrs));
            assert_true(fake_run(instrs));
            assert_int_equal(*fake_32(D), votes[i].answer ? 0x00ff00f0 : 0);
        }
        prepare(PTX_MOD_NONE, PTX_B32, false, false);
        assert_true(select_activemask[t](NULL, &ir, instrs));
        set_all(D, 77);
        assert_true(fake_run(instrs));
        assert_int_equal(fake_32(D)[16], 0x00ff00f0);
        assert_int_equal(fake_32(D)[31], 77);
        assert_int_equal(fake.gather_members, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_shuffle, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_shuffle_without_predicate, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_gathering, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_strangers, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_groups, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_legacy, fake_setup, fake_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
