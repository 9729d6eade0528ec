// The table of allocations: what may be accessed, and the words about what may not.
#include "sim_fake.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mapping.h"
#include "sim/memory/pages.h"
#include "sim/memory/stand_in.h"

static struct sim_memory *memory(void) {
    return fake.worker.memory;
}

static uint64_t alloc(uint64_t bytes) {
    const struct sim_allocation *allocation = sim_memory_alloc(memory(), bytes, SIM_DEVICE);
    assert_non_null(allocation);
    return allocation->address;
}

static bool lookup(uint64_t address, uint64_t bytes) {
    struct sim_site_cache hit;
    return sim_memory_lookup(memory(), address, bytes, false, &hit);
}

static void test_alignment_and_guards(void **state) {
    (void)state;
    uint64_t last = 0;
    for (uint64_t bytes = 0; bytes < 2000; bytes += 77) {
        uint64_t address = alloc(bytes);
        assert_int_equal(address % 256, 0);
        assert_true(address != last);
        if (bytes) {
            assert_true(lookup(address, bytes));
            assert_true(lookup(address + bytes - 1, 1));
        }
        assert_false(lookup(address, bytes + 1));
        assert_false(lookup(address + bytes, 1));
        assert_false(lookup(address - 1, 1));
        assert_false(lookup(address - 1, 2));
        for (uint64_t past = 0; past < 256; past++)
            assert_null(sim_memory_find(memory(), address + bytes + past, false));
        last = address;
    }
}

// As on a GPU beyond 1 MiB, whatever lies between; what is behind the end belongs to nobody still.
static void test_large_are_aligned(void **state) {
    (void)state;
    static const enum sim_allocation_kind kinds[] = {SIM_DEVICE, SIM_MANAGED, SIM_HOST};
    static const uint64_t sizes[] = {(1 << 20) + 1, 3 << 19, 2 << 20, (2 << 20) + 1, 5 << 20};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            const struct sim_allocation *small = sim_memory_alloc(memory(), 100, kinds[k]);
            const struct sim_allocation *large = sim_memory_alloc(memory(), sizes[i], kinds[k]);
            assert_non_null(small);
            assert_non_null(large);
            const uint64_t end = large->address + sizes[i];
            assert_int_equal(large->address % (2 << 20), 0);
            assert_true(lookup(end - 1, 1));
            assert_false(lookup(end - 1, 2));
            for (uint64_t past = 0; past < SIM_MEMORY_GUARD; past++)
                assert_null(sim_memory_find(memory(), end + past, false));
        }
    assert_int_equal(alloc(100) % 512, 0);
    const uint64_t first = alloc(1 << 20), second = alloc(1 << 20);
    assert_true(second - first < 3 << 19); // of at most 1 MiB they stay close
}

// Addresses are taken twice at most by what lies between, and come back.
static void test_aligned_fill_the_device(void **state) {
    (void)state;
    enum { COUNT = 512, BYTES = 2 << 20, ROUNDS = 200 };
    static uint64_t taken[COUNT];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < COUNT; i++)
            taken[i] = alloc(BYTES - 512 * (uint64_t)(round % 3));
        for (int i = 0; i < COUNT; i++)
            assert_true(sim_memory_free(memory(), taken[i], false));
    }
    assert_int_equal(memory()->used_bytes, 0);
}

// With little address space there is memory, if not in such places.
static void test_alignment_is_no_need(void **state) {
    (void)state;
    struct sim_space *space = memory()->space;
    const uint64_t end = space->end;
    space->end = space->begin + (2 << 20);
    const struct sim_allocation *large = sim_memory_alloc(memory(), 3 << 19, SIM_DEVICE);
    assert_non_null(large);
    assert_int_not_equal(large->address % (2 << 20), 0);
    assert_null(sim_memory_alloc(memory(), 3 << 19, SIM_DEVICE));
    space->end = end;
}

static void test_large_is_free(void **state) {
    (void)state;
    uint64_t address = alloc(900u << 20);
    ((uint8_t *)(uintptr_t)address)[800u << 20] = 7;
    uint64_t free_bytes, total;
    sim_memory_info(NULL, &free_bytes, &total);
    assert_int_equal(total, 1 << 30);
    assert_int_equal(free_bytes, (1 << 30) - (900u << 20));
    assert_null(sim_alloc(NULL, 200 << 20, SIM_DEVICE));
    assert_non_null(sim_alloc(NULL, 200 << 20, SIM_HOST)); // the host's memory is not the device's
    assert_true(sim_free(NULL, (void *)(uintptr_t)address));
    assert_non_null(sim_alloc(NULL, 200 << 20, SIM_DEVICE));
    assert_null(sim_alloc(NULL, UINT64_MAX, SIM_DEVICE));
    assert_null(sim_alloc(NULL, UINT64_MAX - 600, SIM_HOST));
}

// Bytes of an allocation that are in memory.
static uint64_t resident(uint64_t address, uint64_t bytes) {
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), first = address / page * page;
    const uint64_t pages = (address + bytes - first + page - 1) / page;
    uint64_t *entries = calloc(pages, sizeof *entries), count = 0;
    const int map = open("/proc/self/pagemap", O_RDONLY);
    assert_int_equal(pread(map, entries, pages * 8, (off_t)(first / page * 8)), pages * 8);
    close(map);
    for (uint64_t i = 0; i < pages; i++)
        count += entries[i] >> 62 != 0;
    free(entries);
    return count * page;
}

// The first large allocations are written, those beyond are not, and all hold the same.
static void test_large_are_filled(void **state) {
    (void)state;
    const uint64_t bytes = (100u << 20) + 777;
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t address = alloc(bytes);
        const uint8_t *at = (const uint8_t *)(uintptr_t)address;
        const uint64_t held = resident(address, bytes);
        assert_true(i < 2 ? held >= bytes : held < bytes / 100);
        for (uint64_t offset = 0; offset < bytes; offset += 1021)
            assert_int_equal(at[offset], SIM_FILL_BYTE);
        assert_int_equal(at[bytes - 1], SIM_FILL_BYTE);
    }
}

static void test_freed_memory_is_zero(void **state) {
    (void)state;
    static const uint64_t sizes[] = {1, 300, 5000, 100000, 1 << 20};
    for (unsigned i = 0; i < 5; i++) {
        uint64_t address = alloc(sizes[i]);
        uint8_t *bytes = (uint8_t *)(uintptr_t)address;
        memset(bytes, 0xff, sizes[i]);
        assert_true(sim_free(NULL, bytes));
        for (uint64_t b = 0; b < sizes[i]; b++)
            assert_int_equal(bytes[b], 0);
    }
}

static void test_freeing(void **state) {
    (void)state;
    uint64_t a = alloc(100), b = alloc(100);
    uint64_t generation = memory()->generation;
    assert_false(sim_free(NULL, (void *)(uintptr_t)(a + 1)));
    assert_false(sim_free(NULL, NULL));
    assert_int_equal(memory()->generation, generation);
    assert_true(sim_free(NULL, (void *)(uintptr_t)a));
    assert_true(memory()->generation != generation);
    assert_false(sim_free(NULL, (void *)(uintptr_t)a));
    assert_false(lookup(a, 1));
    assert_true(lookup(b, 100));
    // Kernels and the host do not free each other's memory.
    assert_false(sim_memory_free(memory(), b, true));
    uint64_t heap = sim_memory_alloc(memory(), 10, SIM_DEVICE_HEAP)->address;
    assert_false(sim_memory_free(memory(), heap, false));
    assert_true(sim_memory_free(memory(), heap, true));
}

static void test_addresses_come_back_late(void **state) {
    (void)state;
    // 64 GiB are reserved: 100 times 800 MiB go once around.
    uint64_t first = alloc(800u << 20), keep = alloc(100), previous = first;
    assert_true(sim_free(NULL, (void *)(uintptr_t)first));
    bool came_back = false;
    for (int i = 0; i < 100; i++) {
        uint64_t address = alloc(800u << 20);
        assert_true(address + (800u << 20) + 256 <= keep || address >= keep + 100 + 256);
        assert_true(address != previous);
        came_back = came_back || address == first;
        previous = address;
        assert_true(sim_free(NULL, (void *)(uintptr_t)address));
    }
    assert_true(came_back);
    assert_true(lookup(keep, 100));
}

static void test_registered_host(void **state) {
    (void)state;
    static uint8_t around[8192 + 4096], *mine = around + 4096;
    uint64_t address = (uint64_t)(uintptr_t)mine;
    assert_false(lookup(address, 1));
    assert_true(sim_register_host(NULL, mine, 4096));
    assert_false(sim_register_host(NULL, mine, 16));
    assert_false(sim_register_host(NULL, mine + 4095, 16));
    assert_false(sim_register_host(NULL, mine - 10, 11));
    assert_false(sim_register_host(NULL, mine, 0));
    assert_true(lookup(address, 4096));
    assert_int_equal(sim_find(NULL, address + 5, false)->kind, SIM_HOST);
    assert_false(sim_free(NULL, mine));
    assert_false(sim_unregister_host(NULL, mine + 1));
    assert_true(sim_unregister_host(NULL, mine));
    assert_false(sim_unregister_host(NULL, mine));
    assert_false(lookup(address, 1));
    void *device = sim_alloc(NULL, 64, SIM_DEVICE);
    assert_false(sim_unregister_host(NULL, device));
}

static void test_find_nearest(void **state) {
    (void)state;
    assert_null(sim_find(NULL, 12345, true));
    uint64_t a = alloc(256), b = alloc(256); // b = a + 512
    assert_int_equal(b, a + 512);
    assert_int_equal(sim_find(NULL, a + 255, false)->address, a);
    assert_null(sim_find(NULL, a + 256, false));
    assert_int_equal(sim_find(NULL, a + 256, true)->address, a);
    assert_int_equal(sim_find(NULL, b - 1, true)->address, b);
    assert_int_equal(sim_find(NULL, a - 1, true)->address, a);
    assert_int_equal(sim_find(NULL, b + 100000, true)->address, b);
}

static void expect_text(uint64_t address, uint64_t bytes, const char *format, uint64_t shown) {
    char text[SIM_MEMORY_TEXT], expected[SIM_MEMORY_TEXT];
    sim_memory_describe(memory(), address, bytes, text);
    snprintf(expected, sizeof expected, format, (unsigned long long)shown);
    assert_string_equal(text, expected);
}

static void test_describe(void **state) {
    (void)state;
    expect_text(0x123456, 4, "there are no allocations", 0);
    uint64_t a = alloc(4096);
    expect_text(a + 4104, 4, "8 bytes past the end of the 4096-byte allocation at 0x%llx", a);
    expect_text(a + 4096, 4, "right behind the end of the 4096-byte allocation at 0x%llx", a);
    expect_text(a + 4092, 8, "4 bytes of it lie past the end of the 4096-byte allocation at 0x%llx",
                a);
    expect_text(a - 16, 4, "16 bytes before the 4096-byte allocation at 0x%llx", a);
    expect_text(0, 4, "a null pointer", 0);
    expect_text(64, 4, "a null pointer with an offset", 0);
    expect_text(0x123456, 4, "far from every allocation", 0);
    struct sim_allocation *v = sim_memory_alloc(memory(), 64, SIM_VARIABLE);
    v->name = "table";
    v->is_read_only = true;
    expect_text(v->address + 64, 4,
                "right behind the end of the 64-byte variable `table` at 0x%llx", v->address);
    expect_text(v->address, 4, "inside the 64-byte variable `table` at 0x%llx, which is constant",
                v->address);
    assert_true(sim_free(NULL, (void *)(uintptr_t)a));
    expect_text(a + 40, 4, "inside an allocation of 4096 bytes at 0x%llx that was freed", a);
}

static void test_many(void **state) {
    (void)state;
    enum { COUNT = 5000 };
    static uint64_t address[COUNT];
    for (int i = 0; i < COUNT; i++)
        address[i] = alloc(1 + fake_random() % 1000);
    for (int i = 0; i < COUNT; i += 2)
        assert_true(sim_free(NULL, (void *)(uintptr_t)address[i]));
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(lookup(address[i], 1), i & 1);
}

// Freed ranges around living ones, and larger allocations over many freed ones.
static void test_dead_neighbours(void **state) {
    (void)state;
    uint64_t a = alloc(100), b = alloc(100), c = alloc(100);
    assert_true(sim_free(NULL, (void *)(uintptr_t)b));
    assert_int_equal(sim_find(NULL, b + 40, true)->address, a);
    assert_int_equal(sim_find(NULL, c - 1, true)->address, c);
    // Host memory where a small registration was before.
    static uint8_t mine[4096];
    assert_true(sim_register_host(NULL, mine + 1000, 100));
    assert_true(sim_register_host(NULL, mine + 2000, 100));
    assert_true(sim_unregister_host(NULL, mine + 1000));
    assert_true(sim_unregister_host(NULL, mine + 2000));
    assert_true(sim_register_host(NULL, mine, 4096));
    for (unsigned i = 0; i < 4096; i += 8)
        assert_true(lookup((uint64_t)(uintptr_t)(mine + i), 8));
    assert_true(sim_unregister_host(NULL, mine));
    // Once around the reserved range with small ones, then with large ones over their places.
    static uint64_t small[200];
    for (int i = 0; i < 200; i++)
        small[i] = alloc(5000);
    for (int i = 0; i < 200; i++)
        assert_true(sim_free(NULL, (void *)(uintptr_t)small[i]));
    for (int i = 0; i < 200; i++) {
        uint64_t large = alloc(900u << 20);
        for (uint64_t at = 0; at < 900u << 20; at += 1 << 20)
            assert_true(lookup(large + at, 1 << 20));
        assert_true(lookup(a, 100) && lookup(c, 100));
        assert_true(sim_free(NULL, (void *)(uintptr_t)large));
    }
}

// ---- Readers while others allocate and free ------------------------------------------------

enum { READERS = 2, ROUNDS = 20000 };
static uint64_t steady[16];
static int failures, done;

static void *read_table(void *unused) {
    (void)unused;
    unsigned i = 0;
    while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
        struct sim_site_cache hit = {0};
        uint64_t address = steady[i++ % 16];
        bool good = sim_memory_lookup(memory(), address + 50, 8, false, &hit) &&
                    hit.address == address && hit.bytes == 100 &&
                    !sim_memory_lookup(memory(), address + 100, 1, false, &hit);
        if (!good)
            __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void test_readers_and_writers(void **state) {
    (void)state;
    static uint64_t churn[64];
    pthread_t threads[READERS];
    for (int i = 0; i < 16; i++) {
        steady[i] = alloc(100);
        alloc(10);
    }
    done = failures = 0;
    for (int i = 0; i < READERS; i++)
        pthread_create(&threads[i], NULL, read_table, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t *slot = &churn[fake_random() % 64];
        if (*slot)
            assert_true(sim_memory_free(memory(), *slot, true));
        *slot = sim_memory_alloc(memory(), 1 + fake_random() % 500, SIM_DEVICE_HEAP)->address;
    }
    __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < READERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(failures, 0);
}

// ---- Devices that share a space ---------------------------------------------------------------

static bool may(const struct sim_memory *device, uint64_t address, bool write) {
    struct sim_site_cache hit;
    return sim_memory_lookup(device, address, 8, write, &hit);
}

static void test_devices(void **state) {
    (void)state;
    struct sim_memory *first = memory(), *second = sim_memory_join(first, 1, 1 << 20);
    uint64_t own = sim_memory_alloc(first, 64, SIM_DEVICE)->address;
    uint64_t other = sim_memory_alloc(second, 64, SIM_DEVICE)->address;
    uint64_t host = sim_memory_alloc(second, 64, SIM_HOST)->address;
    uint64_t managed = sim_memory_alloc(second, 64, SIM_MANAGED)->address;
    assert_true(may(first, own, true) && may(second, other, true));
    assert_false(may(first, other, false) || may(second, own, false));
    assert_true(may(first, host, true) && may(first, managed, true));
    assert_int_equal(sim_memory_find(first, other, false)->device, 1);
    assert_int_equal(first->used_bytes, 64);
    assert_int_equal(second->used_bytes, 128);
    assert_null(sim_memory_alloc(second, 1 << 20, SIM_DEVICE)); // it is full, the first one is not
    char text[SIM_MEMORY_TEXT];
    sim_memory_describe(first, other, 8, text);
    assert_non_null(strstr(text, "of device 1, to which device 0 has no access"));

    // The fake simulator's memory is the first device's.
    sim_set_peer(NULL, 1, true);
    uint64_t later = sim_memory_alloc(first, 64, SIM_DEVICE)->address;
    assert_true(may(second, own, true) && may(second, later, true));
    assert_false(may(first, other, false));
    uint64_t generation = second->generation;
    sim_set_peer(NULL, 1, false);
    assert_true(second->generation > generation); // caches must not remember
    assert_false(may(second, own, false) || may(second, later, false));

    assert_true(sim_set_access(NULL, (void *)(uintptr_t)own, 3, 1));
    assert_false(sim_set_access(NULL, (void *)(uintptr_t)(own + 8), 3, 1));
    assert_true(may(second, own, false) && may(first, own, true));
    assert_false(may(second, own, true));
    sim_set_peer(NULL, 1, false); // does not concern what has its own access
    assert_true(may(second, own, false));

    sim_memory_adopt(second, later);
    assert_int_equal(sim_memory_find(first, later, false)->device, 1);
    assert_int_equal(second->used_bytes, 192);
    assert_true(sim_memory_free(first, managed, false)); // each frees what any of them allocated
    assert_int_equal(second->used_bytes, 128);
    sim_memory_destroy(second);
    assert_null(sim_memory_find(first, other, false));
    assert_null(sim_memory_find(first, host, false));
    assert_null(sim_memory_find(first, later, false));
    assert_true(may(first, own, true));
    assert_int_equal(first->used_bytes, 64);
}

static void test_device_goes_with_many(void **state) {
    (void)state;
    struct sim_memory *second = sim_memory_join(memory(), 5, 1 << 24);
    uint64_t kept[200];
    for (int i = 0; i < 200; i++) {
        kept[i] = alloc(32);
        assert_non_null(sim_memory_alloc(second, 32, SIM_DEVICE));
    }
    sim_memory_destroy(second);
    for (int i = 0; i < 200; i++)
        assert_true(lookup(kept[i], 32));
}

// ---- As on a GPU ----------------------------------------------------------------------------

static void test_pages_layout(void **state) {
    (void)state;
    static const struct {
        uint64_t bytes, takes;
    } rows[] = {{0, 512},    {1, 512},     {511, 512},       {512, 512},
                {513, 1024}, {4096, 4096}, {100000, 100352}, {1 << 20, 1 << 20}};
    sim_memory_use_pages(memory());
    uint64_t expected = alloc(1) + 512;
    assert_int_equal((expected - 512) % SIM_PAGE_BYTES, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(alloc(rows[i].bytes), expected);
        expected += rows[i].takes;
    }
    const uint64_t large = alloc((1 << 20) + 1), larger = alloc(5 << 20);
    assert_int_equal(large % SIM_PAGE_BYTES, 0);
    assert_int_equal(larger % SIM_PAGE_BYTES, 0);
    assert_int_equal(alloc(512), expected);
    const struct sim_allocation *host = sim_memory_alloc(memory(), 8, SIM_HOST);
    assert_true(host->address - expected > SIM_PAGE_BYTES || expected > host->address);
}

static bool passes(uint64_t address, uint64_t bytes) {
    return sim_pages_let_pass(memory(), address, bytes, true);
}

static void test_pages_boundaries(void **state) {
    (void)state;
    sim_memory_use_pages(memory());
    const uint64_t small = alloc(100), large = alloc(5 << 20), page = SIM_PAGE_BYTES;
    struct sim_allocation *fixed = sim_memory_alloc(memory(), 64, SIM_DEVICE);
    fixed->is_read_only = true;
    const uint64_t host = sim_memory_alloc(memory(), 64, SIM_HOST)->address;
    const uint64_t own = sim_memory_alloc(memory(), 64, SIM_INTERNAL)->address;
    const struct {
        uint64_t address, bytes;
        bool passes;
    } rows[] = {
        {small + 100, 4, true},
        {small + 96, 8, true},
        {small + page - 4, 4, true},
        {small + page - 4, 8, false},
        {small + page, 1, false},
        {small - 1, 1, false},
        {fixed->address, 4, false},
        {fixed->address + 64, 4, true},
        {large + (5 << 20), 16, true},
        {large + 3 * page - 1, 1, true},
        {large + 3 * page, 1, false},
        {large - 1, 1, false},
        {host + 64, 4, false},
        {own + 64, 4, false},
        {0, 4, false},
        {UINT64_MAX - 3, 4, false},
        {small + 100, UINT64_MAX, false},
        {small + 100, 0, false},
        {small + 1024, page - 1024, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(passes(rows[i].address, rows[i].bytes), rows[i].passes);
    assert_true(sim_pages_let_pass(memory(), fixed->address, 4, false));
}

static void test_pages_are_cleared(void **state) {
    (void)state;
    sim_memory_use_pages(memory());
    const uint64_t first = alloc(100), second = alloc(100);
    *(uint32_t *)(uintptr_t)(first + 200) = 5; // slack
    *(uint32_t *)(uintptr_t)second = 7;
    assert_true(sim_free(NULL, (void *)(uintptr_t)second));
    assert_true(passes(second, 4));
    assert_int_equal(*(uint32_t *)(uintptr_t)second, 7); // freed bytes stay
    assert_int_equal(alloc(512), second);
    assert_int_equal(*(uint32_t *)(uintptr_t)second, 0x7f7f7f7f);
    assert_true(sim_free(NULL, (void *)(uintptr_t)second));
    assert_true(sim_free(NULL, (void *)(uintptr_t)first));
    assert_false(passes(first + 200, 4)); // with the last allocation the page goes
    assert_int_equal(*(uint32_t *)(uintptr_t)(first + 200), 0);
    assert_true(alloc(100) != first); // not at once the same
}

static void test_pages_many(void **state) {
    (void)state;
    enum { MANY = 20000 };
    sim_memory_use_pages(memory());
    uint64_t *at = base_alloc(MANY * sizeof *at);
    for (int round = 0; round < 2; round++) {
        for (unsigned i = 0; i < MANY; i++) {
            at[i] = alloc(i * 37 % 5000);
            *(uint8_t *)(uintptr_t)at[i] = 1;
        }
        for (unsigned i = 0; i < MANY; i++)
            assert_true(sim_free(NULL, (void *)(uintptr_t)at[i]));
    }
    free(at);
}

// The default: not even the next byte.
static void test_no_pages(void **state) {
    (void)state;
    const uint64_t address = alloc(100);
    assert_false(passes(address + 100, 1));
}

// ---- Pages that stand in ------------------------------------------------------------------

static void test_stand_ins(void **state) {
    (void)state;
    struct sim_stand_ins *all = memory()->space->stand_ins;
    const size_t bytes = all->page_bytes;
    int *place = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(place, MAP_FAILED);
    const uint64_t page = (uint64_t)(uintptr_t)place;
    *place = 1;
    assert_int_equal(mprotect(place, bytes, PROT_READ), 0);
    // For two threads; what one may read is there.
    assert_int_equal(sim_stand_in_take(all, page, false), SIM_STAND_IN_THERE);
    assert_int_equal(sim_stand_in_take(all, page, false), SIM_STAND_IN_THERE);
    assert_int_equal(*place, 1);
    *place = 2;
    sim_stand_in_drop(all, page);
    assert_int_equal(*place, 2);
    sim_stand_in_drop(all, page);
    assert_int_equal(*place, 1); // the program's own page
    assert_false(mapping_allows(page, bytes, true));
    // Nothing is there, and there is nothing again.
    assert_int_equal(sim_stand_in_take(all, page, true), SIM_STAND_IN_MAPPED);
    munmap(place, bytes);
    assert_int_equal(sim_stand_in_take(all, page, true), SIM_STAND_IN_THERE);
    assert_int_equal(*place, 0);
    *place = 3;
    sim_stand_in_drop(all, page);
    assert_false(mapping_allows(page, bytes, false));
    assert_int_equal(all->count, 0);
    sim_stand_in_drop(all, page);
    // Not as many as one likes.
    for (uint64_t i = 0; i < SIM_STAND_INS; i++)
        all->items[i].page = i;
    all->count = SIM_STAND_INS;
    assert_int_equal(sim_stand_in_take(all, page, false), SIM_STAND_IN_NONE);
    all->count = 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_stand_ins, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_alignment_and_guards, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_large_are_aligned, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_aligned_fill_the_device, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_alignment_is_no_need, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_large_is_free, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_large_are_filled, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_freed_memory_is_zero, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_freeing, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_addresses_come_back_late, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_registered_host, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_find_nearest, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_pages_layout, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_pages_boundaries, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_pages_are_cleared, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_pages_many, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_no_pages, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_describe, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_many, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_dead_neighbours, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_readers_and_writers, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_devices, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_device_goes_with_many, fake_setup, fake_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
