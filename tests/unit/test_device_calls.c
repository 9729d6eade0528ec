// The device library: printf, malloc, free, assert.
#include "sim_fake.h"

static struct sim_instr instr;
static _Alignas(64) uint64_t arguments_[SIM_DEVICE_MAX_ARGUMENTS][LANES];
static _Alignas(64) uint64_t result[LANES];

static bool call(const char *name) {
    const struct sim_device *device = sim_device_find(name);
    assert_non_null(device);
    const void *arguments[SIM_DEVICE_MAX_ARGUMENTS];
    for (unsigned i = 0; i < SIM_DEVICE_MAX_ARGUMENTS; i++)
        arguments[i] = arguments_[i];
    return device->call(&fake.warp, &instr, arguments, result);
}

// A string in constant memory.
static uint64_t text(const char *string) {
    struct sim_allocation *a =
        sim_memory_alloc(fake.worker.memory, strlen(string) + 1, SIM_VARIABLE);
    a->is_read_only = true;
    strcpy((char *)(uintptr_t)a->address, string);
    return a->address;
}

// ---- printf
// ---------------------------------------------------------------------------------------

// Packs arguments as the compiler does: bytes 4 or 8, each at a multiple of its size.
struct pack {
    uint8_t data[FAKE_LOCAL];
    unsigned length;
};

static void add(struct pack *pack, unsigned bytes, uint64_t value) {
    pack->length = (pack->length + bytes - 1) / bytes * bytes;
    memcpy(pack->data + pack->length, &value, bytes);
    pack->length += bytes;
}

static void add_double(struct pack *pack, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    add(pack, 8, bits);
}

// One lane prints; the arguments are in its local memory, as compiled code has them.
static void print(const char *format, const struct pack *pack) {
    unsigned lane = 3;
    fake_mask(1u << lane);
    memcpy(fake.local + (LANES + lane) * FAKE_LOCAL, pack->data, sizeof pack->data);
    for (unsigned l = 0; l < LANES; l++) {
        arguments_[0][l] = text(format);
        arguments_[1][l] = IR_LOCAL_WINDOW;
    }
    strbuf_free(&fake.flow.output);
    assert_true(call("vprintf"));
}

static void expect(const char *format, const struct pack *pack, int parsed, const char *expected) {
    print(format, pack);
    assert_string_equal(strbuf_string(&fake.flow.output), expected);
    assert_int_equal(((int32_t *)result)[3], parsed);
}

static void test_conversions(void **state) {
    (void)state;
    struct pack p = {.length = 0};
    expect("plain 100%%\n", &p, 0, "plain 100%\n");
    expect("", &p, 0, "");
    add(&p, 4, (uint32_t)-5);
    add(&p, 4, 7);
    expect("%d %i|", &p, 2, "-5 7|");
    expect("%u %x|", &p, 2, "4294967291 7|");
    expect("%+05d %-4d|", &p, 2, "-0005 7   |");
    expect("%hd %hhu|", &p, 2, "-5 7|");
    expect("%*d|", &p, 2, "7    |"); // width -5 of the first argument
    expect("%.*d|", &p, 2, "7|");
    expect("%#o %#X|", &p, 2, "037777777773 0X7|");
    p = (struct pack){.length = 0};
    add(&p, 4, 1);
    add(&p, 8, (uint64_t)-2);
    add(&p, 4, 'A');
    add_double(&p, 0.5);
    expect("%d %lld %c %f\n", &p, 4, "1 -2 A 0.500000\n");
    expect("%d %lx %c %8.3e|", &p, 4, "1 fffffffffffffffe A 5.000e-01|");
    expect("%d %lu %-3c %g|", &p, 4, "1 18446744073709551614 A   0.5|");
    expect("%d %p %c %a|", &p, 4, "1 0xfffffffffffffffe A 0x1p-1|");
    expect("%d %zu %c %.2F|", &p, 4, "1 18446744073709551614 A 0.50|");
    p = (struct pack){.length = 0};
    add(&p, 8, text("abc"));
    add(&p, 8, 0);
    expect("[%s] [%5s]", &p, 2, "[abc] [(null)]");
    expect("[%.2s] %p", &p, 2, "[ab] (nil)");
    expect("[%5s] [%-5.1s]", &p, 2, "[  abc] [(    ]");
}

static void test_not_a_conversion(void **state) {
    (void)state;
    struct pack p = {.length = 0};
    add(&p, 4, 9);
    expect("%y %d", &p, 1, "%y 9");
    expect("50%", &p, 0, "50%");
    expect("%-", &p, 0, "%-");
    expect("%5%|", &p, 0, "%|");
}

static void test_lanes_in_order(void **state) {
    (void)state;
    fake_mask(0x80000005);
    uint64_t format = text("%d;");
    for (unsigned l = 0; l < LANES; l++) {
        arguments_[0][l] = format;
        arguments_[1][l] = IR_LOCAL_WINDOW + 16;
        int32_t value = (int32_t)l * 10;
        memcpy(fake.local + (LANES + l) * FAKE_LOCAL + 16, &value, 4);
    }
    assert_true(call("vprintf"));
    assert_true(call("vprintf"));
    assert_string_equal(strbuf_string(&fake.flow.output), "0;20;310;0;20;310;");
}

static void test_printf_addresses(void **state) {
    (void)state;
    fake_mask(1);
    // Format and arguments in shared and global memory.
    strcpy((char *)fake.shared + 64, "%d\n");
    uint32_t *buffer = sim_alloc(NULL, 4, SIM_DEVICE);
    *buffer = 12;
    arguments_[0][0] = IR_SHARED_WINDOW + 64;
    arguments_[1][0] = (uint64_t)(uintptr_t)buffer;
    assert_true(call("vprintf"));
    assert_string_equal(strbuf_string(&fake.flow.output), "12\n");
    arguments_[0][0] = 0;
    assert_true(call("vprintf"));
    assert_int_equal(((int32_t *)result)[0], -1);
    // A format that does not end, one that is nowhere, and too few arguments.
    memset(fake.shared + FAKE_SHARED - 8, 'x', 8);
    arguments_[0][0] = IR_SHARED_WINDOW + FAKE_SHARED - 8;
    assert_false(call("vprintf"));
    assert_int_equal(fake.fault, SIM_FAULT_ILLEGAL_ADDRESS);
    arguments_[0][0] = 0x1000;
    assert_false(call("vprintf"));
    assert_non_null(strstr(fake.message, "the format of printf is at 0x1000: "));
    arguments_[0][0] = text("%d %d");
    assert_false(call("vprintf"));
    assert_non_null(strstr(fake.message, "no argument 2"));
    arguments_[0][0] = text("%s");
    uint64_t *pointer = sim_alloc(NULL, 8, SIM_DEVICE);
    *pointer = 0x2000;
    arguments_[1][0] = (uint64_t)(uintptr_t)pointer;
    assert_false(call("vprintf"));
}

// ---- malloc, free
// ---------------------------------------------------------------------------------

static void test_heap(void **state) {
    (void)state;
    fake_mask(0xf0);
    for (unsigned l = 0; l < LANES; l++) {
        arguments_[0][l] = l == 7 ? 1ull << 40 : l * 8;
        result[l] = 77;
    }
    assert_true(call("malloc"));
    assert_int_equal(result[0], 77);
    assert_int_equal(result[7], 0); // does not fit
    for (unsigned l = 4; l < 7; l++) {
        const struct sim_allocation *a = sim_find(NULL, result[l], false);
        assert_int_equal(a->kind, SIM_DEVICE_HEAP);
        assert_int_equal(a->bytes, l * 8);
        assert_false(sim_free(NULL, (void *)(uintptr_t)result[l]));
    }
    memcpy(arguments_[0], result, sizeof result);
    assert_true(call("free")); // with a null pointer among them
    assert_null(sim_find(NULL, result[4], false));
    assert_false(call("free"));
    assert_int_equal(fake.fault_lane, 4);
    assert_non_null(strstr(fake.message, "that was freed"));
    fake_mask(1);
    uint64_t device = (uint64_t)(uintptr_t)sim_alloc(NULL, 8, SIM_DEVICE);
    arguments_[0][0] = device;
    assert_false(call("free"));
    assert_non_null(strstr(fake.message, "does not come from the kernel's malloc"));
    arguments_[0][0] = device + 4;
    assert_false(call("free"));
    assert_non_null(strstr(fake.message, "not the start of an allocation"));
}

// ---- assert
// ---------------------------------------------------------------------------------------

static void test_assert(void **state) {
    (void)state;
    fake_mask(0xff000000);
    fake.flow.block.index[1] = 2;
    for (unsigned l = 0; l < LANES; l++) {
        arguments_[0][l] = text("i < n");
        arguments_[1][l] = text("dir/file.cu");
        ((uint32_t *)(void *)arguments_[2])[l] = 42;
        arguments_[3][l] = text("void k(int)");
        arguments_[4][l] = 1;
    }
    assert_false(call("__assertfail"));
    assert_int_equal(fake.fault, SIM_FAULT_ASSERT);
    assert_int_equal(fake.fault_lane, 24);
    // Warp 1, lane 24 is thread 56 of blocks of 8 x 4 x 2.
    assert_string_equal(fake.message, "dir/file.cu:42: void k(int): block: [5,2,0], thread: "
                                      "[0,3,1] Assertion `i < n` failed.");
    arguments_[1][24] = 0;
    assert_false(call("__assertfail"));
    assert_int_equal(fake.fault, SIM_FAULT_ILLEGAL_ADDRESS);
}

static void test_unknown(void **state) {
    (void)state;
    assert_null(sim_device_find("cudaLaunchDevice"));
    assert_null(sim_device_find(""));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_conversions, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_not_a_conversion, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_lanes_in_order, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_printf_addresses, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_heap, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_assert, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_unknown, fake_setup, fake_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
