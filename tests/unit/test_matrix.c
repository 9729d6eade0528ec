// Matrix loads and stores and asynchronous copies.
#include "sim_fake.h"

FAKE_SELECT(ldmatrix)
FAKE_SELECT(stmatrix)
FAKE_SELECT(cp_async)
FAKE_SELECT(async_group)

enum { BASE = 0, SOURCE = 1, DATA = 2, SIZE = 8 };

static struct ptx_instruction ptx;
static struct ir_instruction ir;
static struct sim_access access_;
static struct sim_instr instrs[2];

static void prepare(enum ptx_space space) {
    memset(&ptx, 0, sizeof ptx);
    memset(&ir, 0, sizeof ir);
    memset(instrs, 0, sizeof instrs);
    ir.ptx = &ptx;
    access_ = (struct sim_access){.space = space,
                                  .base = fake_ref(BASE),
                                  .has_base = true,
                                  .base2 = fake_ref(SOURCE),
                                  .has_base2 = true,
                                  .bytes = 2,
                                  .count = 1,
                                  .site = FAKE_SITE};
    for (unsigned e = 0; e < 4; e++)
        access_.element[e] = fake_ref(DATA + e);
    instrs->access = &access_;
    fake.event_count = 0;
    fake.fault = SIM_OK;
    fake_mask(FULL_MASK);
}

// ---- Matrices -----------------------------------------------------------------------------------

static void prepare_matrix(enum ptx_space space, unsigned count, bool is_transposed) {
    prepare(space);
    access_.count = count;
    ptx.modifiers[PTX_GROUP_count] = count == 4 ? PTX_MOD_x4 : count == 2 ? PTX_MOD_x2 : PTX_MOD_x1;
    ptx.modifiers[PTX_GROUP_trans] = is_transposed ? PTX_MOD_trans : 0;
}

// Rows in shared memory, 48 bytes apart and in an odd order; the other lanes' addresses are bad.
static unsigned row_offset(unsigned lane) {
    return (lane * 5 % 32) * 48;
}

static void set_rows(unsigned count, uint64_t window) {
    for (unsigned l = 0; l < LANES; l++)
        fake_64(BASE)[l] = l < 8 * count ? window + row_offset(l) : 0x7000000000000003u;
}

static uint16_t *element(unsigned matrix, unsigned row, unsigned column) {
    return (uint16_t *)(void *)(fake.shared + row_offset(8 * matrix + row) + 2 * column);
}

// What lane l holds of matrix k, from the ISA's figure: row l / 4, columns 2 * (l % 4) and next.
static uint16_t *held(unsigned k, unsigned l, unsigned half, bool is_transposed) {
    unsigned row = l / 4, column = l % 4 * 2 + half;
    return is_transposed ? element(k, column, row) : element(k, row, column);
}

static void check_matrix_event(unsigned count) {
    assert_int_equal(fake.event_count, 1);
    assert_int_equal(fake.events[0].event.space, SITE_SHARED);
    assert_int_equal(fake.events[0].event.mask, count == 4 ? FULL_MASK : (1u << 8 * count) - 1);
    for (unsigned l = 0; l < 8 * count; l++)
        assert_int_equal(fake.events[0].offsets[l], row_offset(l));
}

static void test_matrices(void **state) {
    (void)state;
    EACH_TARGET(t) {
        for (unsigned count = 1; count <= 4; count *= 2) {
            for (unsigned trans = 0; trans < 2; trans++) {
                bool generic = (count + trans) % 2;
                for (unsigned i = 0; i < FAKE_SHARED / 2; i++)
                    ((uint16_t *)(void *)fake.shared)[i] = (uint16_t)i;
                prepare_matrix(generic ? PTX_SPACE_GENERIC : PTX_SPACE_SHARED, count, trans);
                set_rows(count, generic ? IR_SHARED_WINDOW : 0);
                assert_true(select_ldmatrix[t](NULL, &ir, instrs));
                assert_true(fake_run(instrs));
                check_matrix_event(count);
                for (unsigned k = 0; k < count; k++)
                    for (unsigned l = 0; l < LANES; l++)
                        assert_int_equal(fake_32(DATA + k)[l],
                                         *held(k, l, 0, trans) | (uint32_t)*held(k, l, 1, trans)
                                                                     << 16);
                // Storing the same registers back gives the same memory.
                static uint8_t before[FAKE_SHARED];
                memcpy(before, fake.shared, sizeof before);
                for (unsigned l = 0; l < 8 * count; l++)
                    memset(fake.shared + row_offset(l), 0xee, 16);
                prepare_matrix(generic ? PTX_SPACE_GENERIC : PTX_SPACE_SHARED, count, trans);
                assert_true(select_stmatrix[t](NULL, &ir, instrs));
                assert_true(fake_run(instrs));
                check_matrix_event(count);
                assert_memory_equal(fake.shared, before, sizeof before);
            }
        }
    }
}

static void test_matrix_faults(void **state) {
    (void)state;
    EACH_TARGET(t) {
        prepare_matrix(PTX_SPACE_SHARED, 2, false);
        set_rows(2, 0);
        fake_64(BASE)[9] = 8;
        assert_true(select_ldmatrix[t](NULL, &ir, instrs));
        assert_false(fake_run(instrs));
        assert_int_equal(fake.fault, SIM_FAULT_MISALIGNED);
        assert_int_equal(fake.fault_lane, 9);
        fake_64(BASE)[9] = FAKE_SHARED;
        assert_false(fake_run(instrs));
        assert_int_equal(fake.fault, SIM_FAULT_ILLEGAL_ADDRESS);
        assert_int_equal(fake.event_count, 0);
        // A generic address must be in shared memory.
        prepare_matrix(PTX_SPACE_GENERIC, 1, false);
        set_rows(1, IR_LOCAL_WINDOW);
        assert_true(select_ldmatrix[t](NULL, &ir, instrs));
        assert_false(fake_run(instrs));
        assert_int_equal(fake.fault, SIM_FAULT_INVALID_SPACE);
        // 32 bits hold no generic address: they are taken as a shared one.
        set_rows(1, 0);
        assert_true(fake_run(instrs));
        // Lanes that ended give no row address.
        set_rows(1, IR_SHARED_WINDOW);
        fake_mask(0xffffff00);
        fake.gather_adds = 0;
        assert_false(fake_run(instrs));
        assert_int_equal(fake.gather_members, FULL_MASK);
        assert_int_equal(fake.fault, SIM_FAULT_ILLEGAL_INSTRUCTION);
        fake_mask(0x00ffffff); // only lanes 0 to 7 are needed
        assert_true(fake_run(instrs));
    }
}

// ---- cp.async
// -------------------------------------------------------------------------------------

static uint8_t *source;

static void prepare_copy(unsigned bytes, bool is_cg) {
    prepare(PTX_SPACE_SHARED);
    access_.base_is_32 = true;
    ptx.modifiers[PTX_GROUP_cache] = is_cg ? PTX_MOD_cg : PTX_MOD_ca;
    ir.operand_count = 3;
    ir.operands[2] = (struct ir_operand){.kind = IR_OPERAND_IMMEDIATE, .value = bytes, .bytes = 4};
    instrs->operand[3] = fake_ref(SIZE);
    for (unsigned l = 0; l < LANES; l++) {
        fake_32(BASE)[l] = (LANES - 1 - l) * bytes;
        fake_64(SOURCE)[l] = (uint64_t)(uintptr_t)source + l * bytes;
    }
    memset(fake.shared, 0xee, sizeof fake.shared);
}

// The first read[l] bytes of each active lane's piece are copied, the others are zeros.
static void check_copy(unsigned bytes, const unsigned read[LANES]) {
    for (unsigned l = 0; l < LANES; l++) {
        for (unsigned b = 0; b < bytes; b++) {
            uint8_t expected = b < read[l] ? source[l * bytes + b] : 0;
            if (!(fake.warp.mask >> l & 1))
                expected = 0xee;
            assert_int_equal(fake.shared[(LANES - 1 - l) * bytes + b], expected);
        }
    }
    assert_int_equal(fake.event_count, 1);
    const struct fake_event *kept = &fake.events[0];
    assert_int_equal(kept->event.space, SITE_SHARED);
    assert_int_equal(kept->event.mask, fake.warp.mask);
    for (unsigned l = 0; l < LANES; l++) {
        assert_int_equal(kept->offsets[l], (LANES - 1 - l) * bytes);
        assert_int_equal(kept->addresses[l], fake_64(SOURCE)[l]);
    }
}

static void test_copies(void **state) {
    (void)state;
    source = sim_alloc(NULL, 512, SIM_DEVICE);
    for (unsigned i = 0; i < 512; i++)
        source[i] = (uint8_t)(i * 7 + 1);
    EACH_TARGET(t) {
        for (unsigned bytes = 4; bytes <= 16; bytes *= 2) {
            unsigned read[LANES];
            prepare_copy(bytes, bytes == 16);
            fake_mask(bytes == 8 ? 0xff00ff01 : FULL_MASK);
            assert_true(select_cp_async[t](NULL, &ir, instrs));
            assert_true(fake_run(instrs));
            for (unsigned l = 0; l < LANES; l++)
                read[l] = bytes;
            check_copy(bytes, read);
            // A source size of each lane; lanes that read nothing may name any address.
            prepare_copy(bytes, false);
            ir.operand_count = 4;
            ir.operands[3].kind = IR_OPERAND_REGISTER;
            fake.operand_bytes = 4;
            for (unsigned l = 0; l < LANES; l++) {
                read[l] = l % (bytes + 1);
                fake_32(SIZE)[l] = read[l];
                if (!read[l])
                    fake_64(SOURCE)[l] = 0;
            }
            assert_true(select_cp_async[t](NULL, &ir, instrs));
            assert_true(fake_run(instrs));
            check_copy(bytes, read);
            // A predicate that tells to ignore the source.
            prepare_copy(bytes, false);
            ir.operand_count = 4;
            ir.operands[3].kind = IR_OPERAND_REGISTER;
            fake.operand_bytes = 0;
            *fake_32(SIZE) = 0x0000fff0;
            for (unsigned l = 0; l < LANES; l++)
                read[l] = 0xfff0u >> l & 1 ? 0 : bytes;
            assert_true(select_cp_async[t](NULL, &ir, instrs));
            assert_true(fake_run(instrs));
            check_copy(bytes, read);
            // A cache policy is neither.
            prepare_copy(bytes, false);
            ptx.modifiers[PTX_GROUP_hint] = PTX_MOD_L2_cache_hint;
            ir.operand_count = 4;
            ir.operands[3].kind = IR_OPERAND_REGISTER;
            fake.operand_bytes = 8;
            assert_true(select_cp_async[t](NULL, &ir, instrs));
            assert_true(fake_run(instrs));
            assert_int_equal(fake.shared[0], source[31 * bytes]);
        }
        assert_true(select_async_group[t](NULL, &ir, instrs));
        assert_true(fake_run(instrs));
    }
}

static void test_copy_faults(void **state) {
    (void)state;
    source = sim_alloc(NULL, 512, SIM_DEVICE);
    EACH_TARGET(t) {
        prepare_copy(8, true); // .cg copies 16 bytes only
        assert_false(select_cp_async[t](NULL, &ir, instrs));
        prepare_copy(12, false);
        assert_false(select_cp_async[t](NULL, &ir, instrs));
        prepare_copy(16, false);
        assert_true(select_cp_async[t](NULL, &ir, instrs));
        access_.offset = 8;
        assert_false(fake_run(instrs));
        assert_int_equal(fake.fault, SIM_FAULT_MISALIGNED);
        access_.offset = 0;
        access_.offset2 = 16;
        assert_false(fake_run(instrs));
        assert_int_equal(fake.fault, SIM_FAULT_ILLEGAL_ADDRESS);
        assert_int_equal(fake.fault_lane, 31);
        assert_int_equal(fake.event_count, 0);
        assert_int_equal(strncmp(fake.message, "read of 16 bytes at 0x", 22), 0);
        access_.offset2 = 0;
        access_.offset = FAKE_SHARED;
        assert_false(fake_run(instrs));
        assert_int_equal(strncmp(fake.message, "write of 16 bytes at shared", 27), 0);
        // A source that ends inside an allocation and starts before one.
        prepare_copy(4, false);
        ir.operand_count = 4;
        ir.operands[3].kind = IR_OPERAND_REGISTER;
        fake.operand_bytes = 4;
        fake_mask(1);
        fake_32(SIZE)[0] = 2;
        fake_64(SOURCE)[0] = (uint64_t)(uintptr_t)source + 512;
        assert_true(select_cp_async[t](NULL, &ir, instrs));
        assert_false(fake_run(instrs));
        assert_int_equal(fake.fault, SIM_FAULT_ILLEGAL_ADDRESS);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_matrices, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_matrix_faults, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_copies, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_copy_faults, fake_setup, fake_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
