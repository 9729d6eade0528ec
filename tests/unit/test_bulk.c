// Large copies and fills by the host: what they leave is what small ones would, wherever they begin
// and end, also of memory that nobody has written yet.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_bits.h"
#include "sim/sim.h"

enum { MIB = 1 << 20, WRITTEN = 256 * MIB }; // so much is written as it is allocated (fresh.c)

static struct sim *device(enum sim_fill_kind kind) {
    const struct sim_config config = {
        .threads = 3, .device_bytes = 1ull << 30, .fill = {.kind = kind, .seed = 7}};
    struct sim *sim = sim_create(&config);
    if (kind == SIM_FILL_PATTERN)
        assert_non_null(sim_alloc(sim, WRITTEN, SIM_DEVICE)); // what follows is mapped
    return sim;
}

static void expect_all(const uint8_t *at, uint8_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        if (at[i] != value)
            fail_msg("byte %zu of %zu is %#x", i, bytes, at[i]);
}

static void test_edges(void **state) {
    (void)state;
    struct sim *sim = device(SIM_FILL_PATTERN);
    const size_t bytes = 24 * MIB + 777, from = 3 * MIB + 5, count = 12 * MIB + 3;
    uint8_t *at = sim_alloc(sim, bytes, SIM_DEVICE), *source = malloc(count);
    memset(source, 0xa5, count);
    sim_copy(sim, at + from, source, count);
    expect_all(at, SIM_FILL_BYTE, from);
    expect_all(at + from, 0xa5, count);
    expect_all(at + from + count, SIM_FILL_BYTE, bytes - from - count);
    sim_set(sim, at + from + MIB, count - MIB + 9 * MIB, 0, 1);
    expect_all(at, SIM_FILL_BYTE, from);
    expect_all(at + from, 0xa5, MIB);
    expect_all(at + from + MIB, 0, count + 8 * MIB);
    expect_all(at + from + count + 8 * MIB + MIB, SIM_FILL_BYTE, bytes - from - count - 9 * MIB);
    free(source);
    sim_destroy(sim);
}

// What is freed and allocated again holds what fresh memory does, and is written as it is told.
static void test_again(void **state) {
    (void)state;
    struct sim *sim = device(SIM_FILL_PATTERN);
    for (unsigned i = 0; i < 30; i++) {
        const size_t bytes = (size_t)(2 + i % 7) * 3 * MIB + i;
        uint8_t *at = sim_alloc(sim, bytes, SIM_DEVICE);
        assert_non_null(at);
        expect_all(at, SIM_FILL_BYTE, bytes);
        sim_set(sim, at, bytes / 4 * 4, i % 2 ? 0 : 0x01020304, 4);
        for (size_t b = 0; b + 4 <= bytes; b += 4)
            if (memcmp(at + b, i % 2 ? "\0\0\0" : "\4\3\2\1", 4) != 0)
                fail_msg("word at %zu", b);
        expect_all(at + bytes / 4 * 4, SIM_FILL_BYTE, bytes % 4);
        assert_true(sim_free(sim, at));
    }
    sim_destroy(sim);
}

// Random copies and fills, held against a copy of the memory that small ones have made.
static void run_at_random(enum sim_fill_kind kind) {
    struct sim *sim = device(kind);
    const size_t bytes = 40 * MIB + 100;
    uint8_t *at = sim_alloc(sim, bytes, SIM_DEVICE), *same = malloc(bytes), *host = malloc(bytes);
    memcpy(same, at, bytes);
    for (size_t i = 0; i < bytes; i++)
        host[i] = (uint8_t)(i * 31 + i / 999);
    for (unsigned i = 0; i < 60; i++) {
        const size_t to = random_bits() % bytes, from = random_bits() % bytes;
        const size_t room = bytes - (to > from ? to : from), most = i % 3 ? room : room % 999;
        const size_t count = most ? random_bits() % most : 0;
        const unsigned element = 1u << i % 3;
        switch (i % 4) {
        case 0: // within: they may overlap
            memmove(same + to, same + from, count);
            sim_copy(sim, at + to, at + from, count);
            break;
        case 1:
            memcpy(same + to, host + from, count);
            sim_copy(sim, at + to, host + from, count);
            break;
        default: {
            const uint32_t value = i % 4 == 2 ? 0 : 0x89abcdef;
            for (size_t b = 0; b + element <= count; b += element)
                memcpy(same + to + b, &value, element);
            sim_set(sim, at + to, count / element * element, value, element);
        }
        }
        assert_memory_equal(at, same, bytes);
    }
    free(host);
    free(same);
    sim_destroy(sim);
}

static void test_at_random(void **state) {
    (void)state;
    run_at_random(SIM_FILL_PATTERN);
    run_at_random(SIM_FILL_RANDOM);
    run_at_random(SIM_FILL_ZERO);
}

// The threads that fill memory are the first device's, which may go before the others.
static void test_devices(void **state) {
    (void)state;
    struct sim *first = device(SIM_FILL_PATTERN);
    const struct sim_config config = {
        .threads = 2, .device_bytes = 1ull << 30, .neighbour = first, .device = 1, .devices = 2};
    struct sim *second = sim_create(&config);
    sim_destroy(first);
    uint8_t *at = sim_alloc(second, 20 * MIB, SIM_DEVICE);
    expect_all(at, SIM_FILL_BYTE, 20 * MIB);
    sim_set(second, at, 20 * MIB, 3, 1);
    expect_all(at, 3, 20 * MIB);
    sim_destroy(second);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_again),
        cmocka_unit_test(test_at_random),
        cmocka_unit_test(test_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
