// Layouts move bytes without losing any, and the search finds what a search of everything finds.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fix/search.h"

enum { LANES = BANKRUN_LANES, ROWS = 32, PITCH = 128 };

static void test_places(void **context) {
    (void)context;
    const struct fix_layout pad = {.kind = FIX_PAD, .pitch = 128, .pad = 4};
    assert_int_equal(fix_place(&pad, 0), 0);
    assert_int_equal(fix_place(&pad, 127), 127);
    assert_int_equal(fix_place(&pad, 128), 132);
    assert_int_equal(fix_place(&pad, 3 * 128 + 5), 3 * 132 + 5);
    assert_int_equal(fix_bytes(&pad, 4096), 4096 + 32 * 4);
    assert_int_equal(fix_bytes(&pad, 4097), 4097 + 33 * 4);
    const struct fix_layout swizzle = {.kind = FIX_SWIZZLE, .bits = 5, .base = 2, .shift = 7};
    assert_int_equal(fix_place(&swizzle, 0), 0);
    assert_int_equal(fix_place(&swizzle, 128), 128 + 4);
    assert_int_equal(fix_place(&swizzle, 31 * 128 + 31 * 4 + 1), 31 * 128 + 1);
    assert_int_equal(fix_bytes(&swizzle, 4096), 4096);
    const struct fix_layout mirror = {.kind = FIX_MIRROR, .bits = 5, .base = 2, .shift = 7};
    assert_int_equal(fix_place(&mirror, 126), 126);
    assert_int_equal(fix_place(&mirror, 128), 128 + 124);
    assert_int_equal(fix_place(&mirror, 128 + 3 * 4 + 2), 128 + 28 * 4 + 2);
    assert_int_equal(fix_place(&mirror, 256 + 4), 256 + 4);
    assert_int_equal(fix_bytes(&mirror, 4096), 4096);
}

// Every layout: no two bytes of the array share a place, and none leaves it.
static void check_injective(const struct fix_layout *layout, uint64_t bytes) {
    const uint64_t room = fix_bytes(layout, bytes);
    uint8_t *is_taken = calloc(room, 1);
    for (uint64_t i = 0; i < bytes; i++) {
        const uint64_t place = fix_place(layout, i);
        assert_true(place < room);
        assert_false(is_taken[place]);
        is_taken[place] = 1;
    }
    free(is_taken);
}

static void test_no_byte_is_lost(void **context) {
    (void)context;
    for (uint32_t pitch = 12; pitch <= 260; pitch += 31)
        for (uint32_t pad = 1; pad <= 128; pad += 13)
            check_injective(&(struct fix_layout){.kind = FIX_PAD, .pitch = pitch, .pad = pad},
                            2048 + pitch);
    for (uint32_t bits = 1; bits <= 5; bits++)
        for (uint32_t base = 0; base <= 5; base++)
            for (uint32_t shift = base + bits; shift <= 12; shift++) {
                struct fix_layout layout = {
                    .kind = FIX_SWIZZLE, .bits = bits, .base = base, .shift = shift};
                check_injective(&layout, 4096);
                assert_int_equal(fix_fits(&layout, 4096 + 8), base + bits <= 3);
                layout.kind = FIX_MIRROR;
                check_injective(&layout, 4096);
                assert_int_equal(fix_fits(&layout, 4096 + 8), base + bits <= 3);
            }
}

static void test_wide_accesses_stay_whole(void **context) {
    (void)context;
    const struct fix_layout pad = {.kind = FIX_PAD, .pitch = 128, .pad = 4};
    assert_true(fix_keeps(&pad, 128, 4));
    assert_false(fix_keeps(&pad, 128, 8)); // byte 132 is no multiple of 8
    assert_true(fix_keeps(&pad, 256, 8));
    const struct fix_layout narrow = {.kind = FIX_PAD, .pitch = 8, .pad = 16};
    assert_false(fix_keeps(&narrow, 0, 16)); // the pad is in its midst
    const struct fix_layout swizzle = {.kind = FIX_SWIZZLE, .bits = 3, .base = 3, .shift = 7};
    assert_true(fix_keeps(&swizzle, 128, 8));
    assert_false(fix_keeps(&swizzle, 128, 16));
}

// ---- The search -----------------------------------------------------------------------------

static uint32_t offsets[2][LANES];

// Rows are read, and columns of `width` bytes.
static struct fix_problem transpose(struct fix_request requests[2], unsigned width) {
    for (uint32_t l = 0; l < LANES; l++) {
        offsets[0][l] = l * width % PITCH;
        offsets[1][l] = l * PITCH;
    }
    for (unsigned i = 0; i < 2; i++)
        requests[i] = (struct fix_request){
            .banks = {BANKRUN_LOAD, width, 0, UINT32_MAX, offsets[i]}, .count = 10, .site = i};
    return (struct fix_problem){.arch = 90,
                                .array = {.bytes = ROWS * PITCH,
                                          .element_bytes = 4,
                                          .rows = {{PITCH, 4, 0}},
                                          .row_count = 1},
                                .requests = requests,
                                .request_count = 2,
                                .site_count = 2};
}

static void test_transpose(void **context) {
    (void)context;
    struct fix_request requests[2];
    const struct fix_problem problem = transpose(requests, 4);
    fix_answers answers = {0};
    assert_true(fix_search(&problem, &answers));
    assert_int_equal(answers.length, 3);
    assert_int_equal(answers.data[0].layout.kind, FIX_AS_IS);
    assert_int_equal(answers.data[0].total.wavefronts, 10 + 320);
    assert_int_equal(answers.data[0].sites[1].degree, 32);
    const struct fix_answer *pad = &answers.data[1], *swizzle = &answers.data[2];
    assert_int_equal(pad->layout.kind, FIX_PAD);
    assert_int_equal(pad->layout.pad, 4);
    assert_int_equal(pad->bytes, ROWS * (PITCH + 4));
    assert_int_equal(pad->total.wavefronts, 20);
    assert_int_equal(swizzle->layout.kind, FIX_SWIZZLE);
    assert_int_equal(swizzle->bytes, ROWS * PITCH);
    assert_int_equal(swizzle->total.wavefronts, 20);
    fix_answers_free(&answers);
}

// The steps 1, 2, 4, 8 and 16 of a bitonic sort: of the lanes' words each second run of a step is
// left out, which no swizzle and no padding suits at every step.
static void test_steps(void **context) {
    (void)context;
    enum { STEPS = 5 };
    static uint32_t words[STEPS][LANES];
    struct fix_request requests[STEPS];
    for (unsigned s = 0; s < STEPS; s++) {
        for (unsigned t = 0; t < LANES; t++)
            words[s][t] = 4 * (2 * t - (t & ((1u << s) - 1)));
        requests[s] = (struct fix_request){
            .banks = {.access = BANKRUN_LOAD, .width = 4, .mask = UINT32_MAX, .offsets = words[s]},
            .count = 1,
            .site = 0};
    }
    struct fix_problem problem = {.arch = 90,
                                  .array = {.bytes = 256, .element_bytes = 4},
                                  .requests = requests,
                                  .request_count = STEPS,
                                  .site_count = 1};
    fix_answers answers = {0};
    fix_add_index_rows(&problem.array);
    assert_true(fix_search(&problem, &answers));
    assert_int_equal(answers.data[0].total.wavefronts, 2 * STEPS);
    assert_int_equal(answers.data[1].total.wavefronts, STEPS);
    assert_int_equal(answers.data[1].layout.kind, FIX_MIRROR);
    for (size_t i = 2; i < answers.length; i++)
        assert_true(answers.data[i].total.wavefronts > STEPS);
    fix_answers_free(&answers);
}

// A pad of one word would tear 16 bytes out of their alignment; four words do not.
static void test_wide_columns(void **context) {
    (void)context;
    struct fix_request requests[2];
    const struct fix_problem problem = transpose(requests, 16);
    fix_answers answers = {0};
    assert_true(fix_search(&problem, &answers));
    for (size_t i = 1; i < answers.length; i++) {
        const struct fix_layout *layout = &answers.data[i].layout;
        if (layout->kind == FIX_PAD)
            assert_int_equal(layout->pad % 16, 0);
        else
            assert_true(layout->base >= 4);
        assert_int_equal(answers.data[i].total.wavefronts, answers.data[i].total.ideal);
    }
    assert_int_equal(answers.length, 3);
    fix_answers_free(&answers);
}

static void test_nothing_helps(void **context) {
    (void)context;
    static const uint32_t zeros[LANES];
    struct fix_request request = {.banks = {BANKRUN_ATOMIC, 4, 0, UINT32_MAX, zeros}, .count = 1};
    struct fix_problem problem = {.arch = 90,
                                  .array = {.bytes = 4096, .element_bytes = 4},
                                  .requests = &request,
                                  .request_count = 1,
                                  .site_count = 1};
    fix_answers answers = {0};
    assert_true(fix_search(&problem, &answers));
    assert_int_equal(answers.length, 1);
    assert_int_equal(answers.data[0].total.wavefronts, 32);
    fix_answers_free(&answers);
}

static void test_misaligned(void **context) {
    (void)context;
    static const uint32_t odd[LANES] = {2};
    struct fix_request request = {.banks = {BANKRUN_LOAD, 4, 0, 1, odd}, .count = 1};
    struct fix_problem problem = {.arch = 90,
                                  .array = {.bytes = 4096, .element_bytes = 2},
                                  .requests = &request,
                                  .request_count = 1,
                                  .site_count = 1};
    fix_answers answers = {0};
    assert_false(fix_search(&problem, &answers));
    fix_answers_free(&answers);
}

// ---- Against a search of everything ---------------------------------------------------------

static uint32_t seed = 1;

static uint32_t random_below(uint32_t limit) {
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)seed * limit >> 32);
}

// Swizzles keep the widest access whole wherever it may be made, not only where this block makes
// it.
static uint32_t least_base(const struct fix_problem *problem) {
    uint32_t base = 2;
    for (size_t r = 0; r < problem->request_count; r++)
        while (1u << base < problem->requests[r].banks.width)
            base++;
    return base;
}

static uint64_t least_of_all(const struct fix_problem *problem) {
    struct fix_cost sites[4];
    uint64_t least = UINT64_MAX;
    struct fix_answer answer = {.sites = sites};
    for (uint32_t pad = 0; pad < 2 * PITCH; pad += problem->array.element_bytes) {
        const struct fix_layout layout = {
            .kind = pad ? FIX_PAD : FIX_AS_IS, .pitch = PITCH, .pad = pad};
        if (fix_try(problem, &layout, &answer) && answer.total.wavefronts < least)
            least = answer.total.wavefronts;
    }
    for (uint32_t bits = 1; bits <= 8; bits++)
        for (uint32_t base = least_base(problem); base <= 8; base++)
            for (uint32_t shift = base + bits; shift <= 12; shift++) {
                struct fix_layout layout = {
                    .kind = FIX_SWIZZLE, .bits = bits, .base = base, .shift = shift};
                if (fix_try(problem, &layout, &answer) && answer.total.wavefronts < least)
                    least = answer.total.wavefronts;
                layout.kind = FIX_MIRROR;
                if (fix_try(problem, &layout, &answer) && answer.total.wavefronts < least)
                    least = answer.total.wavefronts;
            }
    return least;
}

static void fill_random(struct fix_request *request, uint32_t lanes[LANES], unsigned site) {
    static const enum bankrun_access accesses[] = {BANKRUN_LOAD, BANKRUN_LOAD, BANKRUN_STORE,
                                                   BANKRUN_ATOMIC, BANKRUN_ATOMIC_LOOP};
    const unsigned width = 4u << random_below(3);
    const uint32_t row = random_below(ROWS), by_row = random_below(4), by_column = random_below(9);
    for (uint32_t l = 0; l < LANES; l++) {
        const uint32_t y = (row + l * by_row + l / 8 * random_below(2)) % ROWS;
        lanes[l] = (y * PITCH + l * by_column * 4 % PITCH) / width * width;
    }
    *request = (struct fix_request){
        .banks = {accesses[random_below(5)], width, 0,
                  random_below(4) ? UINT32_MAX : 1 | random_below(UINT32_MAX), lanes},
        .count = 1 + random_below(9),
        .site = site};
}

static void test_search_finds_the_least(void **context) {
    static const unsigned architectures[] = {90, 70, 13, 20, 35};
    (void)context;
    for (unsigned round = 0; round < 500; round++) {
        static uint32_t lanes[4][LANES];
        struct fix_request requests[4];
        for (unsigned i = 0; i < 4; i++)
            fill_random(&requests[i], lanes[i], i);
        const struct fix_problem problem = {.arch = architectures[round % 5],
                                            .array = {.bytes = ROWS * PITCH,
                                                      .element_bytes = 4,
                                                      .rows = {{PITCH, 4, 0}},
                                                      .row_count = 1},
                                            .requests = requests,
                                            .request_count = 1 + round % 4,
                                            .site_count = 4};
        fix_answers answers = {0};
        assert_true(fix_search(&problem, &answers));
        const struct fix_answer *best = &answers.data[answers.length > 1];
        assert_int_equal(best->total.wavefronts, least_of_all(&problem));
        for (size_t i = 1; i < answers.length; i++)
            for (size_t j = 0; j < answers.length; j++)
                assert_true(i == j ||
                            answers.data[i].total.wavefronts < answers.data[j].total.wavefronts ||
                            answers.data[i].bytes < answers.data[j].bytes ||
                            answers.data[i].operations < answers.data[j].operations);
        fix_answers_free(&answers);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_no_byte_is_lost),
        cmocka_unit_test(test_wide_accesses_stay_whole),
        cmocka_unit_test(test_transpose),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_wide_columns),
        cmocka_unit_test(test_nothing_helps),
        cmocka_unit_test(test_misaligned),
        cmocka_unit_test(test_search_finds_the_least),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
