// Windows of eight words: what is found for shapes of lanes, and that loading and storing by them
// is what lanes do.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/native/native_internal.h"

enum { WORDS = 512, FIRST = 200, LOADS = NATIVE_WINDOW_LOADS, STORES = NATIVE_WINDOW_STORES };

struct row {
    const char *name;
    int (*word)(int lane); // from lane 0's, which is 0
    unsigned of_shared, of_global;
};

static int rows_of_16(int l) {
    return l % 16 + l / 16 * 64;
}
static int rows_of_8_falling(int l) {
    return l % 8 - l / 8 * 24;
}
static int exchanged(int l) {
    return (l ^ 5) - 5;
}
static int exchanged_far(int l) {
    return (l ^ 24) - 24;
}
static int threes(int l) {
    return l / 8 * 8 + l * 3 % 8;
}
static int turned(int l) {
    return l / 8 * 8 + (l + 3) % 8 - 3;
}
static int pairs(int l) {
    return l / 2;
}
static int one(int l) {
    (void)l;
    return 0;
}
static int halves_near(int l) {
    return l / 16 * 4;
}
static int halves_far(int l) {
    return l / 16 * 64;
}
static int fours_apart(int l) {
    return l / 4 * 4 + (l & 1);
}
static int every_other(int l) {
    return 2 * l;
}
static int anywhere(int l) {
    return l * 37 % 200;
}

static const struct row rows[] = {
    {"rows of 16", rows_of_16, LOADS | STORES, LOADS | STORES},
    {"rows of 8, falling", rows_of_8_falling, LOADS | STORES, LOADS | STORES},
    {"exchanged by 5", exchanged, LOADS | STORES, LOADS | STORES},
    {"exchanged by 24", exchanged_far, LOADS | STORES, LOADS | STORES},
    {"threes", threes, LOADS | STORES, LOADS | STORES},
    {"turned by 3", turned, LOADS | STORES, LOADS | STORES},
    {"pairs", pairs, LOADS, LOADS},
    {"fours", fours_apart, LOADS, LOADS},
    // All lanes span less than a window: of global memory what is behind them may be nobody's.
    {"one place", one, LOADS, 0},
    {"halves, near", halves_near, LOADS, 0},
    {"halves, far", halves_far, LOADS, LOADS},
    {"every other", every_other, 0, 0},
    {"anywhere", anywhere, 0, 0},
};

static void set_lanes(struct native_shape *shape, const struct row *row) {
    memset(shape, 0xee, sizeof *shape);
    for (int l = 0; l < LANES; l++)
        shape->lanes[l] = (uint32_t)(4 * row->word(l));
}

static void test_find(void **state) {
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct native_shape shape;
        set_lanes(&shape, &rows[r]);
        if (native_find_windows(&shape, true) != rows[r].of_shared)
            fail_msg("%s, shared", rows[r].name);
        set_lanes(&shape, &rows[r]);
        if (native_find_windows(&shape, false) != rows[r].of_global)
            fail_msg("%s, global", rows[r].name);
    }
}

static int64_t word_of_window(const struct native_shape *shape, int lane) {
    return FIRST + shape->windows[lane / NATIVE_WINDOW] / 4;
}

// As permutations by the shape do it.
static void access_by_windows(const struct row *row, const struct native_shape *shape,
                              unsigned good) {
    uint32_t memory[WORDS], stored[WORDS], expected[WORDS];
    for (uint32_t w = 0; w < WORDS; w++)
        memory[w] = stored[w] = expected[w] = 1000 + w;
    for (int l = 0; l < LANES; l++) {
        const int64_t own = FIRST + row->word(l), window = word_of_window(shape, l);
        if (memory[window + shape->words[l]] != memory[own])
            fail_msg("%s: lane %d does not get its word", row->name, l);
        const int first = l / NATIVE_WINDOW * NATIVE_WINDOW;
        expected[own] = (uint32_t)l;
        if (good & STORES)
            stored[window + l % NATIVE_WINDOW] = (uint32_t)first + shape->takers[l];
    }
    if (good & STORES && memcmp(stored, expected, sizeof stored) != 0)
        fail_msg("%s: what lanes store is elsewhere", row->name);
}

// Native code asks for windows where the processor permutes eight words.
static bool has_code(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

// As native code has it done: by windows as one by one.
static void access_by_code(const struct row *row, const struct native_shape *shape, unsigned good) {
    uint32_t memory[WORDS], stored[2][WORDS];
    _Alignas(32) uint32_t lanes[LANES], loaded[2][LANES];
    for (uint32_t w = 0; w < WORDS; w++)
        memory[w] = stored[0][w] = stored[1][w] = 1000 + w;
    for (uint32_t l = 0; l < LANES; l++)
        lanes[l] = l;
    for (unsigned by = 0; by < 2; by++) {
        const unsigned windows = by ? good : 0;
        sim_native_load_lanes((const uint8_t *)(memory + FIRST), shape->lanes,
                              (uint8_t *)loaded[by], NATIVE_ELEMENTS(4, 1), UINT32_MAX, windows);
        sim_native_store_lanes((uint8_t *)(stored[by] + FIRST), shape->lanes,
                               (const uint8_t *)lanes, NATIVE_ELEMENTS(4, 1), UINT32_MAX, windows);
    }
    for (int l = 0; l < LANES; l++)
        if (loaded[0][l] != memory[FIRST + row->word(l)] || loaded[1][l] != loaded[0][l])
            fail_msg("%s: lane %d loads another word", row->name, l);
    if (memcmp(stored[0], stored[1], sizeof stored[0]) != 0)
        fail_msg("%s: what lanes store by windows is elsewhere", row->name);
}

static void test_access_all(void **state) {
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct native_shape shape;
        set_lanes(&shape, &rows[r]);
        const unsigned good = native_find_windows(&shape, true);
        access_by_code(&rows[r], &shape, has_code() ? good : 0);
        if (good)
            access_by_windows(&rows[r], &shape, good);
    }
}

// Of global memory no window goes beyond what the lanes span.
static void test_stay_within(void **state) {
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct native_shape shape;
        int64_t low = 0, high = 0;
        set_lanes(&shape, &rows[r]);
        if (!native_find_windows(&shape, false))
            continue;
        for (int l = 0; l < LANES; l++) {
            const int64_t lane = (int32_t)shape.lanes[l];
            low = lane < low ? lane : low;
            high = lane > high ? lane : high;
        }
        for (int w = 0; w < LANES / NATIVE_WINDOW; w++) {
            assert_true(shape.windows[w] >= low);
            assert_true(shape.windows[w] + 4 * NATIVE_WINDOW <= high + 4);
        }
    }
}

// A byte beside a word's first one is in no word.
static void test_between_words(void **state) {
    struct native_shape shape;
    (void)state;
    set_lanes(&shape, &rows[0]);
    shape.lanes[9] += 2;
    assert_int_equal(native_find_windows(&shape, true), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_access_all),
        cmocka_unit_test(test_stay_within),
        cmocka_unit_test(test_between_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
