// Device memory that other processes have: what they see of it, and what they never see.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/memory/memory.h"
#include "sim/share.h"
#include "sim/sim.h"

enum { PAGE = 4096 };

static struct sim *device(enum sim_fill_kind fill, bool tracks) {
    const struct sim_config config = {
        .threads = 1, .fill = {.kind = fill}, .tracks_undefined = tracks};
    struct sim *sim = sim_create(&config);
    assert_non_null(sim);
    return sim;
}

static uint8_t *alloc(struct sim *sim, size_t bytes, enum sim_allocation_kind kind) {
    uint8_t *memory = sim_alloc(sim, bytes, kind);
    assert_non_null(memory);
    return memory;
}

static uint64_t number(const void *pointer) {
    return (uint64_t)(uintptr_t)pointer;
}

// What another process sees of the allocation; unmapped with `see_no_more`.
static uint8_t *see(struct sim *sim, const void *address, struct sim_share *share) {
    assert_int_equal(sim_share(sim, number(address), share), SIM_SHARED);
    const uint64_t offset = (share->address - share->begin) / PAGE * PAGE;
    const uint64_t within = (share->address - share->begin) % PAGE;
    uint8_t *view = mmap(NULL, within + share->bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                         share->file, (off_t)offset);
    assert_true(view != MAP_FAILED);
    return view + within;
}

static void see_no_more(uint8_t *view, const struct sim_share *share) {
    const uint64_t within = number(view) % PAGE;
    munmap(view - within, within + share->bytes);
}

static void test_seen(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 100, PAGE, 3 * PAGE + 5, 5 << 20};
    struct sim *sim = device(SIM_FILL_ZERO, false);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct sim_share share, again;
        uint8_t *memory = alloc(sim, sizes[i], SIM_DEVICE);
        for (size_t b = 0; b < sizes[i]; b += 97)
            memory[b] = (uint8_t)(b + i);
        uint8_t *view = see(sim, memory + sizes[i] / 2, &share);
        assert_true(share.address == number(memory) && share.bytes == sizes[i]);
        assert_int_equal(sim_share(sim, number(memory), &again), SIM_SHARED);
        assert_memory_equal(view, memory, sizes[i]);
        memory[sizes[i] - 1] = 77;
        assert_int_equal(view[sizes[i] - 1], 77);
        view[0] = 78;
        assert_int_equal(memory[0], 78);
        see_no_more(view, &share);
    }
    sim_destroy(sim);
}

// Allocations that share pages are whole, whichever comes first, and after any of them went.
static void test_neighbours(void **state) {
    (void)state;
    enum { COUNT = 12, BYTES = 1500 };
    struct sim *sim = device(SIM_FILL_PATTERN, false);
    uint8_t *memory[COUNT], *view[COUNT];
    struct sim_share share[COUNT];
    for (int i = 0; i < COUNT; i++)
        memset(memory[i] = alloc(sim, BYTES, SIM_DEVICE), i + 1, BYTES);
    for (int i = COUNT - 1; i >= 0; i -= 2)
        view[i] = see(sim, memory[i], &share[i]);
    for (int i = 0; i < COUNT; i += 3)
        assert_true(sim_free(sim, memory[i]));
    for (int i = 0; i < COUNT; i++)
        for (int b = 0; b < BYTES; b++)
            assert_int_equal(memory[i][b], i % 3 ? i + 1 : 0);
    for (int i = COUNT - 1; i >= 0; i -= 2) {
        assert_memory_equal(view[i], memory[i], BYTES);
        see_no_more(view[i], &share[i]);
    }
    sim_destroy(sim);
}

// A child of fork() does not write what the host has beside such memory.
static void test_host_memory_is_private(void **state) {
    (void)state;
    struct sim *sim = device(SIM_FILL_ZERO, false);
    struct sim_share share;
    uint8_t *before = alloc(sim, 10, SIM_HOST), *memory = alloc(sim, 10, SIM_DEVICE);
    uint8_t *behind = alloc(sim, 10, SIM_MANAGED), *second = alloc(sim, 10, SIM_DEVICE);
    assert_int_equal(sim_share(sim, number(memory), &share), SIM_SHARED);
    assert_int_equal(sim_share(sim, number(second), &share), SIM_SHARED);
    assert_true(sim_free(sim, second));
    const pid_t child = fork();
    if (!child) {
        before[0] = behind[0] = memory[0] = 1;
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(before[0], 0);
    assert_int_equal(behind[0], 0);
    assert_int_equal(memory[0], 1);
    sim_destroy(sim);
}

// Freed pages are nobody else's any more, and what is allocated there later is seen by nobody.
static void test_freed(void **state) {
    (void)state;
    struct sim *sim = device(SIM_FILL_ZERO, false);
    struct sim_share share;
    uint8_t *memory = alloc(sim, 8 * PAGE, SIM_DEVICE);
    memset(memory, 9, 8 * PAGE);
    uint8_t *view = see(sim, memory, &share);
    assert_true(sim_free(sim, memory));
    for (size_t b = 0; b < 8 * PAGE; b++)
        assert_int_equal(memory[b] | view[b], 0);
    memset(memory + PAGE, 3, PAGE);
    assert_int_equal(view[PAGE + 5], 0);
    view[2 * PAGE] = 5;
    assert_int_equal(memory[2 * PAGE], 0);
    see_no_more(view, &share);
    sim_destroy(sim);
}

// Pages that nobody touched yet, of which there is one file: what is written whole later stays.
static void test_untouched(void **state) {
    (void)state;
    const size_t bytes = 300 << 20;
    struct sim *sim = device(SIM_FILL_PATTERN, false);
    struct sim_share share;
    alloc(sim, bytes, SIM_DEVICE); // uses up what is written at once
    uint8_t *memory = alloc(sim, 16 << 20, SIM_DEVICE), fresh = memory[5 << 20];
    uint8_t *view = see(sim, memory, &share);
    assert_int_equal(view[5 << 20], fresh);
    sim_set(sim, memory, 16 << 20, 6, 1);
    assert_int_equal(view[5 << 20], 6);
    assert_int_equal(memory[(16 << 20) - 1], 6);
    see_no_more(view, &share);
    sim_destroy(sim);
}

static void test_refused(void **state) {
    (void)state;
    struct sim *sim = device(SIM_FILL_ZERO, false);
    struct sim_share share;
    static uint8_t own[64];
    assert_int_equal(sim_share(sim, 0, &share), SIM_SHARE_REFUSED);
    assert_int_equal(sim_share(sim, number(alloc(sim, 10, SIM_HOST)), &share), SIM_SHARE_REFUSED);
    assert_int_equal(sim_share(sim, number(alloc(sim, 10, SIM_MANAGED)), &share),
                     SIM_SHARE_REFUSED);
    assert_true(sim_register_shared(sim, own, sizeof own, 0));
    assert_int_equal(sim_share(sim, number(own), &share), SIM_SHARE_REFUSED);
    assert_true(sim_find(sim, number(own), false)->is_shared);
    assert_true(sim_unregister_device(sim, own));
    sim_destroy(sim);
}

// The system would end the process that writes too large a file.
static void test_limit(void **state) {
    (void)state;
    struct sim *sim = device(SIM_FILL_ZERO, false);
    struct sim_share share;
    uint8_t *memory = alloc(sim, 100, SIM_DEVICE), *large = alloc(sim, 9 << 20, SIM_DEVICE);
    memory[0] = 4;
    large[8 << 20] = 5;
    struct rlimit old, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    limit = (struct rlimit){1 << 20, old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(sim_share(sim, number(memory), &share), SIM_SHARED);
    assert_int_equal(sim_share(sim, number(large), &share), SIM_SHARE_FAILED);
    assert_non_null(strstr(share.why, "RLIMIT_FSIZE"));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(large[8 << 20], 5);
    assert_false(sim_find(sim, number(large), false)->is_shared);
    close(share.file);
    assert_int_equal(sim_share(sim, number(large), &share), SIM_SHARE_FAILED);
    assert_non_null(strstr(share.why, "closed the descriptor"));
    assert_int_equal(memory[0], 4);
    assert_true(sim_free(sim, memory));
    sim_destroy(sim);
}

// Where there may be no file for untouched memory either, it is written.
static void test_limit_of_untouched(void **state) {
    (void)state;
    struct sim *sim = device(SIM_FILL_PATTERN, false);
    struct rlimit old, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    limit = (struct rlimit){1 << 20, old.rlim_max};
    alloc(sim, 256 << 20, SIM_DEVICE); // uses up what is written at once
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const uint8_t *memory = alloc(sim, 16 << 20, SIM_DEVICE);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    for (size_t b = 0; b < 16 << 20; b += 4099)
        assert_int_equal(memory[b], SIM_FILL_BYTE);
    sim_destroy(sim);
}

// Kernels, and copies, may say of what others write that it is undefined: it counts as defined.
static void test_defined(void **state) {
    (void)state;
    struct sim *sim = device(SIM_FILL_ZERO, true);
    struct sim_share share;
    uint8_t *memory = alloc(sim, 700, SIM_DEVICE), *other = alloc(sim, 700, SIM_DEVICE);
    struct sim_undefined *undefined = &sim_memory_of(sim)->space->undefined;
    assert_true(sim_undefined_any(undefined, number(memory), 700));
    assert_int_equal(sim_share(sim, number(memory), &share), SIM_SHARED);
    assert_false(sim_undefined_any(undefined, number(memory), 700));
    sim_undefined_set(undefined, number(memory) + 8, 4, 0xff);
    sim_define_copy(sim, memory + 100, other, 600);
    sim_define(sim, memory, 700);
    assert_false(sim_undefined_any(undefined, number(memory), 700));
    sim_define_copy(sim, other, memory, 600);
    assert_false(sim_undefined_any(undefined, number(other), 600));
    assert_true(sim_undefined_any(undefined, number(other), 601));
    assert_true(sim_free(sim, memory));
    sim_destroy(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seen),
        cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_host_memory_is_private),
        cmocka_unit_test(test_freed),
        cmocka_unit_test(test_untouched),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_limit_of_untouched),
        cmocka_unit_test(test_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
