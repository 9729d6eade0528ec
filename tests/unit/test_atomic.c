// Atomics: every operation and type on shared, global and generic addresses, lanes in order.
#include "sim_fake.h"

FAKE_SELECT(atom)
FAKE_SELECT(red)

enum { BASE = 0, RESULT = 2, OPERAND_B = 4, OPERAND_C = 6, CELLS = 64 };

static struct ptx_instruction ptx;
static struct ir_instruction ir;
static struct sim_access access_;
static struct sim_instr instrs[2];

static const struct operation {
    enum ptx_modifier op;
    enum ptx_type type;
    uint64_t old, b, c, expected;
} operations[] = {
    {PTX_MOD_add, PTX_U32, 0xfffffff0u, 0x20, 0, 0x10},
    {PTX_MOD_add, PTX_S32, 5, 0xfffffffau, 0, 0xffffffffu},
    {PTX_MOD_add, PTX_U64, 0xffffffffull, 1, 0, 0x100000000ull},
    {PTX_MOD_add, PTX_S64, 1, ~0ull, 0, 0},
    {PTX_MOD_and, PTX_B32, 0xff00ff00u, 0x0ff00ff0u, 0, 0x0f000f00u},
    {PTX_MOD_and, PTX_B64, ~0ull, 0x123456789ull, 0, 0x123456789ull},
    {PTX_MOD_or, PTX_B32, 0xf0, 0x0f, 0, 0xff},
    {PTX_MOD_or, PTX_B64, 1ull << 63, 1, 0, 0x8000000000000001ull},
    {PTX_MOD_xor, PTX_B32, 0xff, 0x0f, 0, 0xf0},
    {PTX_MOD_xor, PTX_B64, ~0ull, 1, 0, ~1ull},
    {PTX_MOD_exch, PTX_B32, 1, 2, 0, 2},
    {PTX_MOD_exch, PTX_F32, 1, 2, 0, 2},
    {PTX_MOD_exch, PTX_B64, 1, 0x200000000ull, 0, 0x200000000ull},
    {PTX_MOD_exch, PTX_F64, 1, 2, 0, 2},
    {PTX_MOD_min, PTX_U32, 0x80000000u, 1, 0, 1},
    {PTX_MOD_min, PTX_S32, 0x80000000u, 1, 0, 0x80000000u},
    {PTX_MOD_max, PTX_U32, 0x80000000u, 1, 0, 0x80000000u},
    {PTX_MOD_max, PTX_S32, 0x80000000u, 1, 0, 1},
    {PTX_MOD_min, PTX_U64, 1ull << 63, 1, 0, 1},
    {PTX_MOD_min, PTX_S64, 1ull << 63, 1, 0, 1ull << 63},
    {PTX_MOD_max, PTX_U64, 1ull << 63, 1, 0, 1ull << 63},
    {PTX_MOD_max, PTX_S64, 1ull << 63, 1, 0, 1},
    {PTX_MOD_inc, PTX_U32, 6, 7, 0, 7},
    {PTX_MOD_inc, PTX_U32, 7, 7, 0, 0},
    {PTX_MOD_inc, PTX_U32, 9, 7, 0, 0},
    {PTX_MOD_dec, PTX_U32, 7, 7, 0, 6},
    {PTX_MOD_dec, PTX_U32, 0, 7, 0, 7},
    {PTX_MOD_dec, PTX_U32, 8, 7, 0, 7},
    {PTX_MOD_cas, PTX_B32, 5, 5, 9, 9},
    {PTX_MOD_cas, PTX_B32, 5, 6, 9, 5},
    {PTX_MOD_cas, PTX_U32, 5, 5, 9, 9},
    {PTX_MOD_cas, PTX_B64, 5, 5, 1ull << 40, 1ull << 40},
    {PTX_MOD_cas, PTX_B64, 5 | 1ull << 40, 5, 9, 5 | 1ull << 40},
    {PTX_MOD_cas, PTX_S64, 5, 5, 9, 9},
    {PTX_MOD_cas, PTX_B16, 0xffff, 0xffff, 7, 7},
    {PTX_MOD_cas, PTX_B16, 0xfffe, 0xffff, 7, 0xfffe},
    {PTX_MOD_add, PTX_F32, 0x3f800000u, 0x40000000u, 0, 0x40400000u}, // 1 + 2
    {PTX_MOD_add, PTX_F32, 0x4b800000u, 0x3f800000u, 0, 0x4b800000u}, // 2^24 + 1: to even
    {PTX_MOD_add, PTX_F32, 0x7f800000u, 0xff800000u, 0, 0x7fffffffu}, // inf - inf
    {PTX_MOD_add, PTX_F64, 0x3ff0000000000000u, 0x3ff0000000000000u, 0, 0x4000000000000000u},
    {PTX_MOD_add, PTX_F64, 0x7ff0000000000000u, 0xfff0000000000000u, 0, 0xfff8000000000000u},
    {PTX_MOD_add, PTX_F64, 0x7ff8000000000001u, 0x3ff0000000000000u, 0, 0x7ff8000000000001u},
    {PTX_MOD_add, PTX_F64, 0x3ff0000000000000u, 0xfff8000000000001u, 0, 0xfff8000000000001u},
    {PTX_MOD_add, PTX_F16, 0x3c00, 0x3c00, 0, 0x4000},               // 1 + 1
    {PTX_MOD_add, PTX_F16, 0x6800, 0x3c00, 0, 0x6800},               // 2048 + 1: to even
    {PTX_MOD_add, PTX_F16, 0x6801, 0x3c00, 0, 0x6802},               // 2050 + 1: to even
    {PTX_MOD_add, PTX_F16, 0x7bff, 0x7bff, 0, 0x7c00},               // overflow
    {PTX_MOD_add, PTX_F16, 0x0001, 0x0001, 0, 0x0002},               // subnormals
    {PTX_MOD_add, PTX_F16, 0x03ff, 0x0001, 0, 0x0400},               // becomes normal
    {PTX_MOD_add, PTX_F16, 0x7c00, 0xfc00, 0, 0x7fff},               // inf - inf
    {PTX_MOD_add, PTX_F16X2, 0x3c000001, 0x40000001, 0, 0x42000002}, // 1 + 2, subnormals
    {PTX_MOD_add, PTX_BF16, 0x3f80, 0x4000, 0, 0x4040},              // 1 + 2
    {PTX_MOD_add, PTX_BF16, 0x4380, 0x3f80, 0, 0x4380},              // 256 + 1: to even
    {PTX_MOD_add, PTX_BF16X2, 0x3f804380, 0x40003f80, 0, 0x40404380},
};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

static bool prepare(unsigned target, bool is_red, enum ptx_space space, const struct operation *o) {
    memset(&ptx, 0, sizeof ptx);
    memset(&ir, 0, sizeof ir);
    memset(instrs, 0, sizeof instrs);
    ir.ptx = &ptx;
    ptx.modifiers[PTX_GROUP_op] = (uint16_t)o->op;
    ptx.types[0] = (uint8_t)o->type;
    ptx.type_count = 1;
    access_ = (struct sim_access){.space = space,
                                  .base = fake_ref(BASE),
                                  .has_base = true,
                                  .bytes = ptx_type_bytes(o->type),
                                  .count = 1,
                                  .site = FAKE_SITE};
    instrs->access = &access_;
    int b = is_red ? 1 : 2;
    instrs->operand[0] = fake_ref(RESULT);
    instrs->operand[b] = fake_ref(OPERAND_B);
    instrs->operand[b + 1] = fake_ref(OPERAND_C);
    fake.event_count = 0;
    return (is_red ? select_red : select_atom)[target](NULL, &ir, instrs);
}

static void put(unsigned reg, unsigned bytes, unsigned lane, uint64_t value) {
    if (bytes == 8)
        fake_64(reg)[lane] = value;
    else
        fake_32(reg)[lane] = (uint32_t)value;
}

static uint64_t get(unsigned reg, unsigned bytes, unsigned lane) {
    return bytes == 8 ? fake_64(reg)[lane] : fake_32(reg)[lane];
}

// Each active lane on a cell of its own, then all of them on one.
static void check(unsigned target, enum ptx_space space, bool is_red, const struct operation *o,
                  uint8_t *memory, uint64_t address) {
    unsigned bytes = ptx_type_bytes(o->type), lane_bytes = bytes == 8 ? 8 : 4;
    if (!prepare(target, is_red, space, o)) {
        // red has no exch and no cas
        assert_true(is_red);
        return;
    }
    fake_mask(fake_random_mask());
    memset(memory, 0, CELLS * 8);
    for (unsigned l = 0; l < LANES; l++) {
        memcpy(memory + l * 8, &o->old, bytes);
        fake_64(BASE)[l] = fake.warp.mask >> l & 1 ? address + l * 8 : 0x13;
        put(OPERAND_B, lane_bytes, l, o->b);
        put(OPERAND_C, lane_bytes, l, o->c);
        put(RESULT, lane_bytes, l, 77);
    }
    assert_true(fake_run(instrs));
    assert_int_equal(fake.event_count, 1);
    assert_int_equal(fake.events[0].event.mask, fake.warp.mask);
    for (unsigned l = 0; l < LANES; l++) {
        bool on = fake.warp.mask >> l & 1;
        uint64_t now = 0;
        memcpy(&now, memory + l * 8, 8);
        assert_int_equal(now, on ? o->expected : o->old);
        assert_int_equal(get(RESULT, lane_bytes, l), on && !is_red ? o->old : 77);
    }
}

static void test_operations(void **state) {
    (void)state;
    uint8_t *global = sim_alloc(NULL, CELLS * 8, SIM_DEVICE);
    uint64_t address = (uint64_t)(uintptr_t)global;
    EACH_TARGET(t) {
        for (unsigned i = 0; i < OPERATIONS; i++) {
            for (unsigned red = 0; red < 2; red++) {
                const struct operation *o = &operations[i];
                check(t, PTX_SPACE_SHARED, red, o, fake.shared + 512, 512);
                check(t, PTX_SPACE_GLOBAL, red, o, global, address);
                check(t, PTX_SPACE_GENERIC, red, o, global, address);
                check(t, PTX_SPACE_GENERIC, red, o, fake.shared + 64, IR_SHARED_WINDOW + 64);
            }
        }
    }
}

// All lanes on one address take their turns in lane order, and each sees what the one before left.
static void test_turns(void **state) {
    (void)state;
    uint32_t *global = sim_alloc(NULL, 64, SIM_DEVICE);
    const struct operation add = {.op = PTX_MOD_add, .type = PTX_U32};
    const struct operation exch = {.op = PTX_MOD_exch, .type = PTX_B32};
    EACH_TARGET(t) {
        for (int space = 0; space < 3; space++) {
            enum ptx_space spaces[] = {PTX_SPACE_SHARED, PTX_SPACE_GLOBAL, PTX_SPACE_GENERIC};
            uint32_t *cell = space == 0 ? (uint32_t *)(void *)fake.shared : global;
            fake_mask(0xff00fff0u);
            assert_true(prepare(t, false, spaces[space], &add));
            for (unsigned l = 0; l < LANES; l++) {
                fake_64(BASE)[l] = space == 0 ? 0 : (uint64_t)(uintptr_t)global;
                fake_32(OPERAND_B)[l] = l;
            }
            cell[0] = 1000;
            assert_true(fake_run(instrs));
            uint32_t sum = 1000;
            for (unsigned l = 0; l < LANES; l++) {
                if (!(fake.warp.mask >> l & 1))
                    continue;
                assert_int_equal(fake_32(RESULT)[l], sum);
                sum += l;
            }
            assert_int_equal(cell[0], sum);
            assert_true(prepare(t, false, spaces[space], &exch));
            assert_true(fake_run(instrs));
            assert_int_equal(cell[0], 31);
            assert_int_equal(fake_32(RESULT)[5], 4);
            assert_int_equal(fake_32(RESULT)[24], 15);
        }
    }
}

// The units of global memory flush subnormal floats, shared memory keeps them.
static void test_subnormal_floats(void **state) {
    (void)state;
    uint32_t *global = sim_alloc(NULL, 256, SIM_DEVICE);
    const struct operation add = {.op = PTX_MOD_add, .type = PTX_F32};
    EACH_TARGET(t) {
        for (int space = 0; space < 3; space++) {
            enum ptx_space spaces[] = {PTX_SPACE_SHARED, PTX_SPACE_GLOBAL, PTX_SPACE_GENERIC};
            fake_mask(FULL_MASK);
            assert_true(prepare(t, false, spaces[space], &add));
            memset(fake.shared, 0, 256);
            memset(global, 0, 256);
            for (unsigned l = 0; l < LANES; l++) {
                fake_64(BASE)[l] = (space == 0 ? 0 : (uint64_t)(uintptr_t)global) + 4 * l;
                if (space == 2 && l >= 16) // half of the lanes in shared memory
                    fake_64(BASE)[l] = IR_SHARED_WINDOW + 4 * l;
                fake_32(OPERAND_B)[l] = l % 2 ? 0x80000123u : 0x00000123u;
            }
            assert_true(fake_run(instrs));
            const uint32_t *shared = (const uint32_t *)(const void *)fake.shared;
            for (unsigned l = 0; l < LANES; l++) {
                bool in_shared = space == 0 || (space == 2 && l >= 16);
                uint32_t kept = l % 2 ? 0x80000123u : 0x00000123u;
                assert_int_equal(in_shared ? shared[l] : global[l], in_shared ? kept : 0);
            }
        }
    }
}

static void test_refused(void **state) {
    (void)state;
    const struct operation wrong[] = {
        {.op = PTX_MOD_cas, .type = PTX_B128}, {.op = PTX_MOD_exch, .type = PTX_B128},
        {.op = PTX_MOD_add, .type = PTX_B32},  {.op = PTX_MOD_inc, .type = PTX_S32},
        {.op = PTX_MOD_and, .type = PTX_U32},  {.op = PTX_MOD_max, .type = PTX_F32},
    };
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(prepare(0, false, PTX_SPACE_GLOBAL, &wrong[i]));
    assert_false(prepare(0, false, PTX_SPACE_LOCAL, &operations[0]));
}

static void test_faults(void **state) {
    (void)state;
    const struct operation add = {.op = PTX_MOD_add, .type = PTX_U32};
    EACH_TARGET(t) {
        fake_mask(1u << 7);
        assert_true(prepare(t, false, PTX_SPACE_GENERIC, &add));
        fake_64(BASE)[7] = IR_LOCAL_WINDOW + 8;
        assert_false(fake_run(instrs));
        assert_int_equal(fake.fault, SIM_FAULT_INVALID_SPACE);
        fake_64(BASE)[7] = IR_SHARED_WINDOW + FAKE_SHARED;
        assert_false(fake_run(instrs));
        assert_int_equal(fake.fault, SIM_FAULT_ILLEGAL_ADDRESS);
        assert_string_equal(fake.message, "atomic access of 4 bytes at shared address 0x1000: the "
                                          "block has 4096 bytes of shared memory");
        fake_64(BASE)[7] = IR_SHARED_WINDOW + 6;
        assert_false(fake_run(instrs));
        assert_int_equal(fake.fault, SIM_FAULT_MISALIGNED);
        assert_int_equal(fake.fault_lane, 7);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_operations, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_turns, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_subnormal_floats, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_refused, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_faults, fake_setup, fake_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
