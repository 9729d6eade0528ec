// Pages of another process: what stays from launch to launch, and what the system says was written.
#define _GNU_SOURCE // MAP_ANONYMOUS
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "ranks/page_form.h"
#include "ranks/pages.h"
#include "ranks/watch.h"

enum { PAGES = 64, BYTES = PAGES * RANKS_PAGE };

static uint8_t *reserve(void) {
    uint8_t *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(at != MAP_FAILED);
    return at;
}

// ---- What was written ---------------------------------------------------------------------------

static struct ranks_run_list runs;

// A bit for each page that was not written.
static uint64_t look(struct ranks_watch *watch) {
    uint64_t bits = 0;
    runs.length = 0;
    ranks_watch_look(watch, 0, PAGES, &runs);
    for (size_t i = 0; i < runs.length; i++)
        for (uint64_t page = 0; page < runs.data[i].count; page++)
            bits |= UINT64_C(1) << (runs.data[i].first + page);
    return bits;
}

static void writes_are_seen(void **state) {
    uint8_t *memory = reserve();
    struct ranks_watch *watch = ranks_watch_create((uintptr_t)memory, PAGES);
    const int zero = open("/dev/zero", O_RDONLY);
    (void)state;
    if (!watch)
        skip();                   // an older system, or it is not allowed
    memset(memory, 1, BYTES / 2); // the other half has not been touched
    for (uint64_t page = 4; page < 60; page++)
        ranks_watch_want(watch, page);
    assert_int_equal(look(watch), 0); // nothing is known of the time before
    const uint64_t all = look(watch);
    assert_int_equal(all & 0xffffffff, 0xfffffff0);
    assert_int_equal(all & ~UINT64_C(0x0ffffffffffffff0), 0); // nobody wanted the others
    memory[6 * RANKS_PAGE + 77] = 2;
    memory[8 * RANKS_PAGE - 1] = 2;
    assert_int_equal(read(zero, memory + 9 * RANKS_PAGE, 1), 1);
    assert_int_equal(madvise(memory + 11 * RANKS_PAGE, RANKS_PAGE, MADV_DONTNEED), 0);
    assert_true(mmap(memory + 13 * RANKS_PAGE, RANKS_PAGE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED);
    memory[40 * RANKS_PAGE] = 3; // which was not there
    assert_int_equal(mprotect(memory, BYTES, PROT_READ), 0);
    const volatile uint8_t *read_only = memory;
    assert_int_equal(read_only[14 * RANKS_PAGE], 1);
    assert_int_equal(mprotect(memory, BYTES, PROT_READ | PROT_WRITE), 0);
    const uint64_t seen = look(watch), written = 1 << 6 | 1 << 7 | 1 << 9 | 1 << 11 | 1 << 13;
    assert_int_equal(seen & 0xffffffff, 0xfffffff0 & ~written);
    assert_int_equal(seen >> 40 & 1, 0);
    close(zero);
    ranks_watch_free(watch);
    memory[5 * RANKS_PAGE] = 4;
    munmap(memory, BYTES);
}

// What is written again and again is not watched each time, and is once it is left alone.
static void trouble_is_avoided(void **state) {
    uint8_t *memory = reserve();
    struct ranks_watch *watch = ranks_watch_create((uintptr_t)memory, PAGES);
    unsigned quiet = 0;
    (void)state;
    if (!watch)
        skip();
    memset(memory, 1, BYTES);
    for (unsigned again = 0; again < 40; again++) {
        ranks_watch_want(watch, 3);
        assert_int_equal(look(watch), 0);
        memory[3 * RANKS_PAGE]++;
    }
    for (unsigned again = 0; again < 80; again++) {
        ranks_watch_want(watch, 3);
        quiet += look(watch) == 1 << 3;
    }
    assert_in_range(quiet, 10, 79);
    ranks_watch_free(watch);
    munmap(memory, BYTES);
}

// ---- What stays ---------------------------------------------------------------------------------

static struct ranks_replica *replica;
static uint64_t base;

static void wake(void) {}

static void on_fault(int number, siginfo_t *info, void *context) {
    (void)context;
    if (!ranks_replica_fault(replica, (uint64_t)(uintptr_t)info->si_addr))
        signal(number, SIG_DFL);
}

static struct ranks_range everything(void) {
    return (struct ranks_range){base, BYTES, 1};
}

struct touch {
    uint64_t page;
    int value; // to write; -1: it reads
    int seen;
    int is_done; // atomic
};

static void *touch_it(void *context) {
    struct touch *touch = context;
    volatile uint8_t *at = (volatile uint8_t *)(uintptr_t)(base + touch->page * RANKS_PAGE);
    touch->seen = *at;
    if (touch->value >= 0)
        *at = (uint8_t)touch->value;
    __atomic_store_n(&touch->is_done, 1, __ATOMIC_RELEASE);
    return NULL;
}

// Pages that were asked for while a thread touched one; only the first so many are answered.
static unsigned touched(uint64_t page, int value, int expected, uint8_t content, unsigned most) {
    struct touch touch = {.page = page, .value = value};
    const struct ranks_range range = everything();
    unsigned asked = 0;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, touch_it, &touch), 0);
    for (unsigned looks = 0; looks < 5000 && !__atomic_load_n(&touch.is_done, __ATOMIC_ACQUIRE);
         looks++) {
        struct strbuf need = {0}, out = {0};
        ranks_replica_needs(replica, &range, 1, &need);
        struct ranks_reader in = ranks_read(need.data, need.length);
        for (; in.at < in.end; asked++) {
            uint8_t plain[RANKS_PAGE];
            memset(plain, content, sizeof plain);
            const uint64_t wanted = ranks_get_number(&in);
            ranks_get_number(&in);
            if (asked >= most)
                continue;
            ranks_put_number(&out, wanted);
            ranks_put_number(&out, RANKS_PAGE_PLAIN);
            ranks_put_number(&out, RANKS_PAGE);
            ranks_put(&out, plain, RANKS_PAGE);
        }
        struct ranks_reader pages = ranks_read(out.data, out.length);
        assert_true(!out.length || ranks_replica_put(replica, &pages));
        strbuf_free(&need);
        strbuf_free(&out);
        usleep(1000);
    }
    assert_true(__atomic_load_n(&touch.is_done, __ATOMIC_ACQUIRE)); // or nobody ever asked for it
    pthread_join(thread, NULL);
    assert_int_equal(touch.seen, expected);
    return asked;
}

static void set_up(void) {
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    // The upper part is for what else is mapped meanwhile.
    enum { ROOM = 1 << 30 };
    uint8_t *memory = mmap(NULL, ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    munmap(memory, ROOM);
    base = (uintptr_t)memory;
    sigaction(SIGSEGV, &action, NULL);
    replica = ranks_replica_create(base, BYTES, wake);
    assert_non_null(replica);
}

static void clean_up(void) {
    ranks_replica_free(replica);
    signal(SIGSEGV, SIG_DFL);
}

static void unwritten_stays(void **state) {
    const struct ranks_run unwritten[] = {{0, 1}, {9, 4}};
    (void)state;
    set_up();
    ranks_replica_begin(replica, 7, 1, NULL, 0);
    assert_int_equal(touched(10, -1, 11, 11, 99), 1);
    assert_int_equal(touched(20, -1, 11, 11, 99), 1);
    assert_int_equal(touched(12, 50, 11, 11, 99), 1); // written here
    ranks_replica_end(replica);
    ranks_replica_begin(replica, 8, 2, unwritten, 2);
    assert_int_equal(touched(10, -1, 11, 22, 99), 0); // not asked for again
    assert_int_equal(touched(20, -1, 22, 22, 99), 1);
    assert_int_equal(touched(12, -1, 22, 22, 99), 1); // although it is said not to be written
    assert_int_equal(touched(11, -1, 22, 22, 99), 1); // was never there
    ranks_replica_end(replica);
    ranks_replica_begin(replica, 9, 3, unwritten, 2);
    assert_int_equal(touched(10, 60, 11, 33, 99), 0); // written, after it has stayed
    ranks_replica_end(replica);
    ranks_replica_begin(replica, 10, 4, NULL, 0);
    assert_int_equal(touched(10, -1, 44, 44, 99), 1);
    ranks_replica_end(replica);
    ranks_replica_begin(replica, 11, 6, unwritten, 2); // what was between is not known
    assert_int_equal(touched(10, -1, 66, 66, 99), 1);
    ranks_replica_end(replica);
    clean_up();
}

// What was asked for ahead, and did not come before the launch ended, is asked for again.
static void late_is_asked_again(void **state) {
    (void)state;
    set_up();
    ranks_replica_begin(replica, 7, 1, NULL, 0);
    assert_int_equal(touched(30, -1, 11, 11, 1), 1);
    assert_int_equal(touched(31, -1, 11, 11, 1), 2); // 32, too, and it does not come
    ranks_replica_end(replica);
    ranks_replica_begin(replica, 8, 2, NULL, 0);
    assert_int_equal(touched(32, -1, 22, 22, 1), 1);
    ranks_replica_end(replica);
    clean_up();
}

// ---- What comes back ----------------------------------------------------------------------------

enum { MERGERS = 4, AGAIN = 50, WORDS = 512 };
static struct ranks_home *home;
static struct ranks_merge how;

// Adds 1 to the first words of each page, and its own number to another one.
static void *merge_all(void *context) {
    const unsigned number = *(const unsigned *)context;
    for (unsigned again = 0; again < AGAIN; again++) {
        struct strbuf wrote = {0};
        for (uint64_t page = 0; page < PAGES; page++) {
            uint32_t words[WORDS];
            for (unsigned i = 0; i < WORDS; i++)
                words[i] = (uint32_t)(page + i) + 1;
            const uint64_t other = 4 * WORDS + 8 * number, value = number;
            ranks_put_number(&wrote, page);
            ranks_put_number(&wrote, 2);
            ranks_put_number(&wrote, sizeof words);
            ranks_put(&wrote, words, sizeof words);
            ranks_put_number(&wrote, other << 32 | sizeof value);
            ranks_put(&wrote, &value, sizeof value);
        }
        struct ranks_reader in = ranks_read(wrote.data, wrote.length);
        uint64_t address;
        assert_true(ranks_home_merge(home, &in, &how, &address));
        strbuf_free(&wrote);
    }
    return NULL;
}

static void start_home(uint32_t *memory, enum ranks_merge_op op) {
    const struct ranks_range range = {(uintptr_t)memory, BYTES, 1};
    for (unsigned page = 0; page < PAGES; page++)
        for (unsigned i = 0; i < WORDS; i++)
            memory[page * (RANKS_PAGE / 4) + i] = page + i;
    how = (struct ranks_merge){.op = op, .bytes = 4};
    assert_true(ranks_home_begin(home, &range, 1, NULL, 0));
}

// By several threads at once, while others still get what the launch began with.
static void many_merge(void **state) {
    uint32_t *memory = (uint32_t *)(void *)reserve();
    unsigned numbers[MERGERS];
    pthread_t threads[MERGERS];
    uint32_t then[RANKS_PAGE / 4];
    (void)state;
    home = ranks_home_create((uintptr_t)memory, BYTES);
    assert_non_null(home);
    for (unsigned undoes = 0; undoes < 2; undoes++) {
        memset(memory, 0, BYTES);
        start_home(memory, RANKS_ADD);
        for (unsigned t = 0; t < MERGERS; t++) {
            numbers[t] = t;
            assert_int_equal(pthread_create(&threads[t], NULL, merge_all, &numbers[t]), 0);
        }
        for (unsigned page = 0; page < PAGES; page++) {
            ranks_home_read(home, page, (uint8_t *)then);
            for (unsigned i = 0; i < WORDS; i++)
                assert_int_equal(then[i], page + i);
        }
        for (unsigned t = 0; t < MERGERS; t++)
            pthread_join(threads[t], NULL);
        ranks_home_end(home, undoes);
        for (unsigned page = 0; page < PAGES; page++) {
            const uint32_t *at = memory + page * (RANKS_PAGE / 4);
            for (unsigned i = 0; i < WORDS; i++)
                assert_int_equal(at[i], page + i + (undoes ? 0 : MERGERS * AGAIN));
        }
    }
    ranks_home_free(home);
    munmap(memory, BYTES);
}

// Two ranks that stored different bytes contradict each other, whoever comes first.
static void contradictions_are_found(void **state) {
    uint32_t *memory = (uint32_t *)(void *)reserve();
    (void)state;
    home = ranks_home_create((uintptr_t)memory, BYTES);
    assert_non_null(home);
    start_home(memory, RANKS_STORES);
    for (uint64_t value = 1; value < 3; value++) {
        struct strbuf wrote = {0};
        uint64_t address;
        ranks_put_number(&wrote, 5); // page
        ranks_put_number(&wrote, 1);
        ranks_put_number(&wrote, (uint64_t)4096 << 32 | sizeof value);
        ranks_put(&wrote, &value, sizeof value);
        struct ranks_reader in = ranks_read(wrote.data, wrote.length);
        assert_int_equal(ranks_home_merge(home, &in, &how, &address), value == 1);
        if (value == 2)
            assert_int_equal(address, (uintptr_t)memory + 5 * RANKS_PAGE + 4096);
        strbuf_free(&wrote);
    }
    ranks_home_end(home, true);
    assert_int_equal(memory[(5 * RANKS_PAGE + 4096) / 4], 0);
    ranks_home_free(home);
    munmap(memory, BYTES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_are_seen), cmocka_unit_test(trouble_is_avoided),
        cmocka_unit_test(unwritten_stays), cmocka_unit_test(late_is_asked_again),
        cmocka_unit_test(many_merge),      cmocka_unit_test(contradictions_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
