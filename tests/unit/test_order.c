// Other orders of warps and blocks: what is remembered of memory in between, and how they are asked
// for. What comes of them is tested by tests/check/order_*.cu.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "run/orders.h"
#include "sim/snapshot.h"

static uint64_t number_of(const void *address) {
    return (uint64_t)(uintptr_t)address;
}

static void test_what_was_written_is_put_back(void **state) {
    (void)state;
    struct sim *sim = sim_create(&(struct sim_config){.arch = 90, .threads = 1});
    uint8_t *small = sim_alloc(sim, 100, SIM_DEVICE), *next = sim_alloc(sim, 5000, SIM_DEVICE);
    memset(small, 1, 100);
    memset(next, 2, 5000);
    struct sim_snapshot *shot = sim_snapshot_take(sim);
    assert_int_equal(sim_snapshot_next_difference(shot, 0), 0);
    small[99] = next[4999] = 9;
    assert_int_equal(sim_snapshot_next_difference(shot, 0), number_of(&small[99]));
    assert_int_equal(sim_snapshot_next_difference(shot, number_of(&small[99])),
                     number_of(&next[4999]));
    uint8_t was[16];
    assert_int_equal(sim_snapshot_read(shot, number_of(&small[96]), 16, was), 4);
    assert_int_equal(was[3], 1);
    sim_snapshot_put_back(shot);
    assert_int_equal(sim_snapshot_next_difference(shot, 0), 0);
    assert_int_equal(small[99], 1);
    assert_int_equal(next[4999], 2);
    sim_snapshot_free(shot);
    sim_destroy(sim);
}

// Of 1 GB nobody has written more than two pages.
static void test_fresh_memory_is_fresh_again(void **state) {
    (void)state;
    struct sim *sim = sim_create(&(struct sim_config){.arch = 90, .threads = 1});
    uint8_t *large = sim_alloc(sim, 1u << 30, SIM_DEVICE);
    const uint8_t fresh = large[300 << 20];
    large[100 << 20] = (uint8_t)(fresh + 1);
    struct sim_snapshot *shot = sim_snapshot_take(sim);
    large[300 << 20] = (uint8_t)(fresh + 2);
    assert_int_equal(sim_snapshot_next_difference(shot, 0), number_of(&large[300 << 20]));
    assert_int_equal(large[300 << 20], (uint8_t)(fresh + 2));
    uint8_t was;
    assert_int_equal(sim_snapshot_read(shot, number_of(&large[300 << 20]), 1, &was), 1);
    assert_int_equal(was, fresh);
    sim_snapshot_put_back(shot);
    assert_int_equal(large[300 << 20], fresh);
    assert_int_equal(large[100 << 20], (uint8_t)(fresh + 1));
    sim_snapshot_free(shot);
    sim_destroy(sim);
}

static void test_allocations_that_come_and_go(void **state) {
    (void)state;
    struct sim *sim = sim_create(&(struct sim_config){.arch = 90, .threads = 1});
    void *first = sim_alloc(sim, 4096, SIM_DEVICE);
    struct sim_snapshot *shot = sim_snapshot_take(sim);
    void *second = sim_alloc(sim, 4096, SIM_DEVICE);
    assert_false(sim_snapshot_fits(shot));
    sim_free(sim, second);
    assert_true(sim_snapshot_fits(shot));
    sim_snapshot_put_back(shot);
    assert_ptr_equal(sim_alloc(sim, 4096, SIM_DEVICE), second);
    sim_free(sim, first);
    assert_false(sim_snapshot_fits(shot));
    sim_snapshot_free(shot);
    sim_destroy(sim);
}

static void test_host_memory(void **state) {
    (void)state;
    enum { BYTES = 8192 };
    struct sim *sim = sim_create(&(struct sim_config){.arch = 90, .threads = 1});
    uint8_t *host = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(host, MAP_FAILED);
    assert_true(sim_register_host(sim, host, BYTES));
    struct sim_snapshot *shot = sim_snapshot_take(sim);
    host[5000] = 1;
    assert_int_equal(sim_snapshot_next_difference(shot, 0), number_of(&host[5000]));
    sim_snapshot_put_back(shot);
    assert_int_equal(host[5000], 0);
    sim_snapshot_free(shot);
    munmap(host, BYTES);
    assert_null(sim_snapshot_take(sim));
    sim_destroy(sim);
}

static void test_what_is_asked_for(void **state) {
    (void)state;
    struct run_schedule schedule;
    assert_true(run_schedule_parse("17", &schedule));
    assert_int_equal(schedule.seed, 17);
    assert_int_equal(schedule.runs, RUN_ORDERS);
    assert_true(run_schedule_parse("0:3", &schedule));
    assert_int_equal(schedule.seed, 0);
    assert_int_equal(schedule.runs, 3);
    static const char *const wrong[] = {"",    ":",    "1:",   ":2",     "1:0",
                                        "1:x", "-1:2", "1:2:", "1:1001", "99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(run_schedule_parse(wrong[i], &schedule));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_was_written_is_put_back),
        cmocka_unit_test(test_fresh_memory_is_fresh_again),
        cmocka_unit_test(test_allocations_that_come_and_go),
        cmocka_unit_test(test_host_memory),
        cmocka_unit_test(test_what_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
