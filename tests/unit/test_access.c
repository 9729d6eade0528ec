// Loads and stores against a plain model, on every target that this machine can run.
#include "sim_fake.h"

FAKE_SELECT(ld)
FAKE_SELECT(ld_param)
FAKE_SELECT(st)
FAKE_SELECT(st_param)

enum { BASE = 0, DATA = 2, RESULT = 12 };

static struct ptx_instruction ptx;
static struct ir_instruction ir;
static struct sim_access access_;
static struct sim_instr instrs[2]; // handlers return the next one

// A fresh instruction with one memory operand whose base is register BASE.
static struct sim_instr *prepare(enum ptx_space space) {
    memset(&ptx, 0, sizeof ptx);
    memset(&ir, 0, sizeof ir);
    memset(instrs, 0, sizeof instrs);
    ir.ptx = &ptx;
    for (int i = 0; i < 6; i++)
        ir.operands[i].reg = ir.operands[i].pair = IR_NONE;
    access_ = (struct sim_access){.space = space,
                                  .base = fake_ref(BASE),
                                  .has_base = true,
                                  .bytes = 4,
                                  .count = 1,
                                  .site = IR_NONE};
    instrs[0].access = &access_;
    fake.event_count = 0;
    fake.fault = SIM_OK;
    return instrs;
}

static void fill_random(void *data, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        ((uint8_t *)data)[i] = (uint8_t)fake_random();
}

// ---- Address patterns -------------------------------------------------------------------------

enum pattern { LINEAR, UNIFORM, RANDOM, NEARLY_LINEAR, NEARLY_UNIFORM, PATTERNS };

static void make_offsets(uint64_t offset[LANES], unsigned width, uint64_t bytes, enum pattern p) {
    uint64_t pieces = bytes / width, start = fake_random() % (pieces - LANES + 1);
    for (unsigned l = 0; l < LANES; l++) {
        if (p == LINEAR || p == NEARLY_LINEAR)
            offset[l] = (start + l) * width;
        else if (p == UNIFORM || p == NEARLY_UNIFORM)
            offset[l] = start * width;
        else
            offset[l] = fake_random() % pieces * width;
    }
    if (p == NEARLY_LINEAR || p == NEARLY_UNIFORM)
        offset[fake_random() % LANES] = fake_random() % pieces * width;
}

// The memory that a lane's offset 0 lies in.
static uint8_t *lane_memory(enum ptx_space space, uint8_t *global, unsigned lane) {
    switch (space) {
    case PTX_SPACE_SHARED:
        return fake.shared;
    case PTX_SPACE_LOCAL:
        return fake.local + (LANES + lane) * FAKE_LOCAL;
    case PTX_SPACE_PARAM:
        return fake.param + lane * FAKE_PARAM;
    default:
        return global;
    }
}

static uint64_t space_bytes(enum ptx_space space) {
    return space == PTX_SPACE_LOCAL ? FAKE_LOCAL : space == PTX_SPACE_PARAM ? FAKE_PARAM : 4096;
}

// Which memory each lane of a generic access hits, and its address there.
static enum ptx_space mixed_space(unsigned kind) {
    static const enum ptx_space spaces[] = {PTX_SPACE_GLOBAL, PTX_SPACE_SHARED, PTX_SPACE_LOCAL};
    return kind == 3 ? spaces[fake_random() % 3] : spaces[kind];
}

static uint64_t generic_address(enum ptx_space space, const uint8_t *global, uint64_t offset) {
    return space == PTX_SPACE_SHARED  ? IR_SHARED_WINDOW + offset
           : space == PTX_SPACE_LOCAL ? IR_LOCAL_WINDOW + offset
                                      : (uint64_t)(uintptr_t)global + offset;
}

static uint8_t *global_memory(void) {
    uint8_t *memory = sim_alloc(NULL, 4096, SIM_DEVICE);
    assert_non_null(memory);
    return memory;
}

static const struct shape {
    unsigned bytes, count;
} shapes[] = {{1, 1}, {2, 1}, {4, 1}, {8, 1}, {1, 2}, {1, 4}, {2, 2},
              {2, 4}, {4, 2}, {4, 4}, {8, 2}, {4, 8}, {8, 4}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static const enum ptx_space spaces[] = {PTX_SPACE_SHARED, PTX_SPACE_GLOBAL, PTX_SPACE_LOCAL,
                                        PTX_SPACE_GENERIC};

// Puts a random access of the shape into access_ and the base register, and gives each lane's
// host address.
static void random_access(enum ptx_space space, struct shape shape, uint8_t *global,
                          uint8_t *place[LANES], enum ptx_space hit[LANES]) {
    unsigned width = shape.bytes * shape.count;
    uint64_t offset[LANES];
    enum ptx_space smallest = space == PTX_SPACE_GENERIC ? PTX_SPACE_LOCAL : space;
    if (space_bytes(smallest) / width < LANES) {
        for (unsigned l = 0; l < LANES; l++)
            offset[l] = fake_random() % (space_bytes(smallest) / width) * width;
    } else {
        make_offsets(offset, width, space_bytes(smallest), fake_random() % PATTERNS);
    }
    access_.site = FAKE_SITE;
    access_.bytes = shape.bytes;
    access_.count = shape.count;
    access_.base_is_32 = space == PTX_SPACE_SHARED && fake_random() % 2;
    int64_t added = (int64_t)(fake_random() % 3) * 64 - 64;
    access_.offset = (uint64_t)added;
    unsigned kind = fake_random() % 4;
    for (unsigned l = 0; l < LANES; l++) {
        hit[l] = space == PTX_SPACE_GENERIC ? mixed_space(kind) : space;
        place[l] = lane_memory(hit[l], global, l) + offset[l];
        uint64_t base = offset[l];
        if (space == PTX_SPACE_GLOBAL)
            base = (uint64_t)(uintptr_t)place[l];
        if (space == PTX_SPACE_GENERIC)
            base = generic_address(hit[l], global, offset[l]);
        if (access_.base_is_32)
            fake_32(BASE)[l] = (uint32_t)(base - (uint64_t)added);
        else
            fake_64(BASE)[l] = base - (uint64_t)added;
    }
}

// Lanes that are off may hold any address.
static void spoil_inactive_bases(void) {
    for (unsigned l = 0; l < LANES; l++) {
        if (fake.warp.mask >> l & 1)
            continue;
        if (access_.base_is_32)
            fake_32(BASE)[l] = 0xfffffff1u;
        else
            fake_64(BASE)[l] = 0x123456789abcdef1u;
    }
}

static void check_events(uint8_t *const place[LANES], const enum ptx_space hit[LANES]) {
    uint32_t mask[2] = {0, 0};
    for (unsigned l = 0; l < LANES; l++) {
        if (hit[l] != PTX_SPACE_LOCAL && hit[l] != PTX_SPACE_PARAM && fake.warp.mask >> l & 1)
            mask[hit[l] == PTX_SPACE_SHARED ? SITE_SHARED : SITE_GLOBAL] |= 1u << l;
    }
    assert_int_equal(fake.event_count, (mask[0] != 0) + (mask[1] != 0));
    for (unsigned i = 0; i < fake.event_count; i++) {
        const struct fake_event *kept = &fake.events[i];
        assert_int_equal(kept->event.site, FAKE_SITE);
        assert_int_equal(kept->event.warp, 1);
        assert_int_equal(kept->event.block[0], 5);
        assert_int_equal(kept->event.mask, mask[kept->event.space]);
        for (unsigned l = 0; l < LANES; l++) {
            if (!(kept->event.mask >> l & 1))
                continue;
            if (kept->event.space == SITE_SHARED)
                assert_ptr_equal(fake.shared + kept->offsets[l], place[l]);
            else
                assert_int_equal(kept->addresses[l], (uint64_t)(uintptr_t)place[l]);
        }
    }
}

// ---- Loads ------------------------------------------------------------------------------------

static uint64_t extended(const uint8_t *from, unsigned bytes, bool is_signed, unsigned held) {
    uint64_t value = 0;
    memcpy(&value, from, bytes);
    if (is_signed && bytes < 8 && value >> (8 * bytes - 1) & 1)
        value |= ~0ull << 8 * bytes;
    return held < 8 ? value & ((1ull << 8 * held) - 1) : value;
}

static void check_load(unsigned target, enum ptx_space space, struct shape shape, uint8_t *global) {
    struct sim_instr *instr = prepare(space);
    uint8_t *place[LANES];
    enum ptx_space hit[LANES];
    random_access(space, shape, global, place, hit);
    access_.is_signed = fake_random() % 2;
    // A register that holds more than the element's bytes is extended: 2, 4 or 8 bytes.
    unsigned held = 2;
    while (held < shape.bytes || (held < 8 && fake_random() % 2))
        held *= 2;
    unsigned lane_bytes = held == 8 ? 8 : 4;
    fake.register_bytes = held;
    for (unsigned e = 0; e < shape.count; e++) {
        access_.element[e] = fake_ref(DATA + e);
        access_.element_bytes[e] = lane_bytes;
    }
    fill_random(fake_64(DATA), 8 * FAKE_VECTOR);
    static uint8_t before[8 * FAKE_VECTOR];
    memcpy(before, fake_64(DATA), sizeof before);
    fake_mask(fake_random_mask());
    spoil_inactive_bases();
    assert_true(select_ld[target](NULL, &ir, instr));
    assert_true(fake_run(instr));
    for (unsigned e = 0; e < shape.count; e++) {
        for (unsigned l = 0; l < LANES; l++) {
            const uint8_t *old = before + e * FAKE_VECTOR + (size_t)l * lane_bytes;
            uint64_t expected = extended(old, lane_bytes, false, 8);
            if (fake.warp.mask >> l & 1)
                expected =
                    extended(place[l] + e * shape.bytes, shape.bytes, access_.is_signed, held);
            uint64_t got = lane_bytes == 8 ? fake_64(DATA + e)[l] : fake_32(DATA + e)[l];
            if (got != expected)
                fail_msg("target %u space %d %ux%u signed %d held %u lane %u: %llx, not %llx",
                         target, space, shape.bytes, shape.count, access_.is_signed, held, l,
                         (unsigned long long)got, (unsigned long long)expected);
        }
    }
    check_events(place, hit);
}

static void test_loads(void **state) {
    (void)state;
    uint8_t *global = global_memory();
    fill_random(global, 4096);
    fill_random(fake.shared, sizeof fake.shared);
    fill_random(fake.local, sizeof fake.local);
    EACH_TARGET(t) {
        for (unsigned s = 0; s < 4; s++)
            for (unsigned shape = 0; shape < SHAPES; shape++)
                for (int i = 0; i < 60; i++)
                    check_load(t, spaces[s], shapes[shape], global);
    }
}

// ---- Stores -----------------------------------------------------------------------------------

static void check_store(unsigned target, enum ptx_space space, struct shape shape,
                        uint8_t *global) {
    struct sim_instr *instr = prepare(space);
    uint8_t *place[LANES];
    enum ptx_space hit[LANES];
    random_access(space, shape, global, place, hit);
    unsigned lane_bytes = shape.bytes == 8 || fake_random() % 2 ? 8 : 4;
    for (unsigned e = 0; e < shape.count; e++) {
        access_.element[e] = fake_ref(DATA + e);
        access_.element_bytes[e] = lane_bytes;
    }
    fill_random(fake_64(DATA), 8 * FAKE_VECTOR);
    fake_mask(fake_random_mask());
    spoil_inactive_bases();
    static uint8_t expected_global[4096], expected_shared[FAKE_SHARED];
    static uint8_t expected_local[sizeof fake.local];
    uint8_t *model[] = {[PTX_SPACE_GLOBAL] = expected_global,
                        [PTX_SPACE_SHARED] = expected_shared,
                        [PTX_SPACE_LOCAL] = expected_local};
    memcpy(expected_global, global, 4096);
    memcpy(expected_shared, fake.shared, sizeof fake.shared);
    memcpy(expected_local, fake.local, sizeof fake.local);
    // Of lanes that write one address the lowest of 128 bytes of lanes wins, the last such group.
    unsigned width = shape.bytes * shape.count, group = width < 4 ? 32 : 128 / width;
    for (unsigned i = 0; i < LANES; i++) {
        unsigned l = i / group * group + (group - 1 - i % group);
        const uint8_t *origin = hit[l] == PTX_SPACE_GLOBAL   ? global
                                : hit[l] == PTX_SPACE_SHARED ? fake.shared
                                                             : fake.local;
        for (unsigned e = 0; fake.warp.mask >> l & 1 && e < shape.count; e++)
            memcpy(model[hit[l]] + (place[l] - origin) + e * shape.bytes,
                   (uint8_t *)fake_64(DATA + e) + (size_t)l * lane_bytes, shape.bytes);
    }
    assert_true(select_st[target](NULL, &ir, instr));
    assert_true(fake_run(instr));
    assert_memory_equal(global, expected_global, 4096);
    assert_memory_equal(fake.shared, expected_shared, sizeof fake.shared);
    assert_memory_equal(fake.local, expected_local, sizeof fake.local);
    check_events(place, hit);
}

static void test_stores(void **state) {
    (void)state;
    uint8_t *global = global_memory();
    EACH_TARGET(t) {
        for (unsigned s = 0; s < 4; s++)
            for (unsigned shape = 0; shape < SHAPES; shape++)
                for (int i = 0; i < 40; i++)
                    check_store(t, spaces[s], shapes[shape], global);
    }
}

// ---- Parameters, frames, const
// -------------------------------------------------------------------

static void test_frames(void **state) {
    (void)state;
    EACH_TARGET(t) {
        fake_mask(FULL_MASK);
        // st.param and ld.param of a call: no base, an offset in each lane's variables.
        struct sim_instr *instr = prepare(PTX_SPACE_PARAM);
        access_.has_base = false;
        access_.offset = 8;
        access_.element[0] = fake_ref(DATA);
        access_.element_bytes[0] = 4;
        for (unsigned l = 0; l < LANES; l++)
            fake_32(DATA)[l] = 100 + l;
        assert_true(select_st_param[t](NULL, &ir, instr));
        assert_true(fake_run(instr));
        assert_int_equal(*(uint32_t *)(void *)(fake.param + 7 * FAKE_PARAM + 8), 107);
        access_.element[0] = fake_ref(RESULT);
        assert_true(select_ld_param[t](NULL, &ir, instr));
        assert_true(fake_run(instr));
        assert_memory_equal(fake_32(RESULT), fake_32(DATA), 128);
        access_.offset = FAKE_PARAM - 3;
        assert_false(fake_run(instr));
        assert_int_equal(fake.fault, SIM_FAULT_MISALIGNED);
        access_.offset = FAKE_PARAM;
        assert_false(fake_run(instr));
        assert_string_equal(fake.message, "read of 4 bytes at parameter address 0x40: the function "
                                          "has 64 bytes of parameters");
        // A local variable by name lies in the frame.
        instr = prepare(PTX_SPACE_LOCAL);
        access_.has_base = false;
        access_.offset = 4;
        access_.element[0] = fake_ref(DATA);
        access_.element_bytes[0] = 4;
        fake.local_base = 32;
        assert_true(select_st[t](NULL, &ir, instr));
        assert_true(fake_run(instr));
        assert_int_equal(*(uint32_t *)(void *)(fake.local + (LANES + 3) * FAKE_LOCAL + 36), 103);
    }
}

static void test_kernel_parameters(void **state) {
    (void)state;
    static uint32_t parameters[FAKE_PARAM / 4] = {5, 6, 7};
    fake.launch.parameters = parameters;
    fake.worker.kernel = (const struct sim_kernel *)(const void *)&fake;
    EACH_TARGET(t) {
        struct sim_instr *instr = prepare(PTX_SPACE_PARAM);
        access_.element[0] = fake_ref(RESULT);
        access_.element_bytes[0] = 4;
        for (unsigned l = 0; l < LANES; l++)
            fake_64(BASE)[l] = (uint64_t)(uintptr_t)&parameters[l % 3];
        assert_true(select_ld_param[t](NULL, &ir, instr));
        assert_true(fake_run(instr));
        assert_int_equal(fake_32(RESULT)[4], 6);
        fake_64(BASE)[31] = (uint64_t)(uintptr_t)(parameters + FAKE_PARAM / 4);
        assert_false(fake_run(instr));
        assert_int_equal(fake.fault_lane, 31);
        fake_64(BASE)[31] -= 4;
        assert_true(fake_run(instr));
        access_.space = PTX_SPACE_GENERIC; // may be read, may not be written
        assert_true(select_ld[t](NULL, &ir, instr));
        assert_true(fake_run(instr));
        assert_true(select_st[t](NULL, &ir, instr));
        assert_false(fake_run(instr));
    }
}

static void test_const_memory(void **state) {
    (void)state;
    struct sim_allocation *table = sim_memory_alloc(fake.worker.memory, 256, SIM_VARIABLE);
    table->name = "coefficients";
    table->is_read_only = true;
    uint32_t *data = (uint32_t *)(uintptr_t)table->address;
    data[9] = 99;
    EACH_TARGET(t) {
        struct sim_instr *instr = prepare(PTX_SPACE_CONST);
        access_.element[0] = fake_ref(RESULT);
        access_.element_bytes[0] = 4;
        access_.offset = 36;
        for (unsigned l = 0; l < LANES; l++)
            fake_64(BASE)[l] = table->address;
        assert_true(select_ld[t](NULL, &ir, instr));
        assert_true(fake_run(instr));
        assert_true(fake_run(instr));
        assert_int_equal(fake_32(RESULT)[17], 99);
        assert_int_equal(fake.event_count, 0);
        assert_false(select_st[t](NULL, &ir, instr));
        access_.space = PTX_SPACE_GLOBAL;
        assert_true(select_st[t](NULL, &ir, instr));
        assert_false(fake_run(instr));
        char expected[256];
        snprintf(expected, sizeof expected,
                 "write of 4 bytes at 0x%llx: inside the 256-byte variable `coefficients` at "
                 "0x%llx, which is constant",
                 (unsigned long long)table->address + 36, (unsigned long long)table->address);
        assert_string_equal(fake.message, expected);
    }
}

// ---- Faults
// ---------------------------------------------------------------------------------------

static void expect_fault(struct sim_instr *instr, enum sim_fault fault, unsigned lane,
                         const char *message) {
    fake.fault = SIM_OK;
    fake.event_count = 0;
    assert_false(fake_run(instr));
    assert_int_equal(fake.fault, fault);
    assert_int_equal(fake.fault_lane, lane);
    assert_int_equal(fake.event_count, 0);
    if (message)
        assert_string_equal(fake.message, message);
}

static void test_shared_faults(void **state) {
    (void)state;
    EACH_TARGET(t) {
        fake_mask(FULL_MASK);
        struct sim_instr *instr = prepare(PTX_SPACE_SHARED);
        access_.base_is_32 = true;
        access_.site = FAKE_SITE;
        access_.element[0] = fake_ref(RESULT);
        access_.element_bytes[0] = 4;
        assert_true(select_ld[t](NULL, &ir, instr));
        for (unsigned l = 0; l < LANES; l++)
            fake_32(BASE)[l] = FAKE_SHARED - 128 + 4 * l;
        assert_true(fake_run(instr)); // the very last words
        access_.offset = 4;
        expect_fault(instr, SIM_FAULT_ILLEGAL_ADDRESS, 31,
                     "read of 4 bytes at shared address 0x1000: the block has 4096 bytes of "
                     "shared memory");
        access_.offset = (uint64_t)-2;
        expect_fault(instr, SIM_FAULT_MISALIGNED, 0,
                     "misaligned read of 4 bytes at shared address 0xf7e: the address is no "
                     "multiple of 4");
        access_.offset = 0;
        fake_32(BASE)[5] = 0xfffffffcu;
        expect_fault(instr, SIM_FAULT_ILLEGAL_ADDRESS, 5, NULL);
        fake_mask(~(1u << 5));
        assert_true(fake_run(instr));
        access_.base_is_32 = false;
        for (unsigned l = 0; l < LANES; l++)
            fake_64(BASE)[l] = l == 9 ? 0x100000000ull : 0;
        expect_fault(instr, SIM_FAULT_ILLEGAL_ADDRESS, 9, NULL);
        fake.flow.block.shared_bytes = 0;
        expect_fault(instr, SIM_FAULT_ILLEGAL_ADDRESS, 0, NULL);
        fake.flow.block.shared_bytes = FAKE_SHARED;
    }
}

static void test_global_faults(void **state) {
    (void)state;
    uint8_t *global = sim_alloc(NULL, 128, SIM_DEVICE);
    uint64_t start = (uint64_t)(uintptr_t)global;
    EACH_TARGET(t) {
        fake_mask(FULL_MASK);
        struct sim_instr *instr = prepare(PTX_SPACE_GLOBAL);
        access_.site = FAKE_SITE;
        access_.element[0] = fake_ref(RESULT);
        access_.element_bytes[0] = 4;
        assert_true(select_ld[t](NULL, &ir, instr));
        for (unsigned l = 0; l < LANES; l++)
            fake_64(BASE)[l] = start + 4 * l;
        for (int again = 0; again < 2; again++) { // with and without the cache
            assert_true(fake_run(instr));
            access_.offset = 4;
            expect_fault(instr, SIM_FAULT_ILLEGAL_ADDRESS, 31, NULL);
            access_.offset = (uint64_t)-4;
            expect_fault(instr, SIM_FAULT_ILLEGAL_ADDRESS, 0, NULL);
            access_.offset = 2;
            expect_fault(instr, SIM_FAULT_MISALIGNED, 0, NULL);
            access_.offset = 0;
        }
        fake_64(BASE)[7] = 0;
        expect_fault(instr, SIM_FAULT_ILLEGAL_ADDRESS, 7, "read of 4 bytes at 0x0: a null pointer");
        fake_64(BASE)[7] = start;
        fake_64(BASE)[3] = start - 2; // wraps into the allocation's size when computed carelessly
        expect_fault(instr, SIM_FAULT_MISALIGNED, 3, NULL);
        fake_64(BASE)[3] = start - 4;
        expect_fault(instr, SIM_FAULT_ILLEGAL_ADDRESS, 3, NULL);
    }
}

static void test_freed_under_the_cache(void **state) {
    (void)state;
    EACH_TARGET(t) {
        uint64_t start = (uint64_t)(uintptr_t)sim_alloc(NULL, 128, SIM_DEVICE);
        struct sim_instr *instr = prepare(PTX_SPACE_GLOBAL);
        access_.site = FAKE_SITE;
        access_.element[0] = fake_ref(RESULT);
        access_.element_bytes[0] = 4;
        assert_true(select_ld[t](NULL, &ir, instr));
        for (unsigned l = 0; l < LANES; l++)
            fake_64(BASE)[l] = start + 4 * l;
        assert_true(fake_run(instr));
        assert_true(fake_run(instr));
        assert_true(sim_free(NULL, (void *)(uintptr_t)start));
        expect_fault(instr, SIM_FAULT_ILLEGAL_ADDRESS, 0, NULL);
        assert_non_null(strstr(fake.message, "that was freed"));
    }
}

static void test_many_allocations_at_once(void **state) {
    (void)state;
    EACH_TARGET(t) {
        struct sim_instr *instr = prepare(PTX_SPACE_GLOBAL);
        access_.element[0] = fake_ref(RESULT);
        access_.element_bytes[0] = 4;
        access_.site = FAKE_SITE;
        for (uint32_t l = 0; l < LANES; l++) {
            uint32_t *one = sim_alloc(NULL, 4, SIM_DEVICE);
            *one = 1000 + l;
            fake_64(BASE)[l] = (uint64_t)(uintptr_t)one;
        }
        assert_true(select_ld[t](NULL, &ir, instr));
        assert_true(fake_run(instr));
        for (unsigned l = 0; l < LANES; l++)
            assert_int_equal(fake_32(RESULT)[l], 1000 + l);
        access_.offset = 4;
        expect_fault(instr, SIM_FAULT_ILLEGAL_ADDRESS, 0, NULL);
    }
}

static void test_refused_shapes(void **state) {
    (void)state;
    struct sim_instr *instr = prepare(PTX_SPACE_GLOBAL);
    access_.bytes = 16; // b128 needs registers that there are not
    access_.element_bytes[0] = 8;
    assert_false(select_ld[0](NULL, &ir, instr));
    assert_false(select_st[0](NULL, &ir, instr));
    access_.bytes = 8; // wider than the register
    access_.element_bytes[0] = 4;
    assert_false(select_ld[0](NULL, &ir, instr));
    assert_false(select_st[0](NULL, &ir, instr));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_loads, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_stores, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_frames, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_kernel_parameters, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_const_memory, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_shared_faults, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_global_faults, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_freed_under_the_cache, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_many_allocations_at_once, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_refused_shapes, fake_setup, fake_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
