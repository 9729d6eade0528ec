// The bank model against what follows from the rules: stride tables, invariances, bounds, limits.
// test_banks_truth.c holds it to the hardware.
#include "bankrun/banks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FULL 0xffffffffu

static const unsigned modern[] = {50, 52, 53, 60,  61,  62,  70,  72,  75,  80, 86,
                                  87, 89, 90, 100, 101, 103, 110, 120, 121, 0};

static struct bankrun_cost cost_of(unsigned arch, enum bankrun_access access, unsigned width,
                                   uint32_t mask, const uint32_t *offsets) {
    struct bankrun_request request = {access, width, 0, mask, offsets};
    struct bankrun_cost cost;
    assert_int_equal(bankrun_count(arch, &request, &cost), BANKRUN_OK);
    assert_true(cost.min <= cost.wavefronts && cost.wavefronts <= cost.max);
    assert_true(cost.ideal <= cost.max && cost.ideal > 0 && cost.degree > 0 && cost.phases > 0);
    return cost;
}

static const uint32_t *stride(unsigned bytes) {
    static uint32_t offsets[BANKRUN_LANES];
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
        offsets[lane] = lane * bytes;
    return offsets;
}

static unsigned gcd(unsigned a, unsigned b) {
    return b == 0 ? a : gcd(b, a % b);
}

// ---- A slow model to compare with ------------------------------------------------------------

static bool slow_pairs(const uint32_t *offsets, uint32_t mask, unsigned distance) {
    for (unsigned lane = 0; lane < 32; lane++)
        if ((mask >> lane & 1) && (mask >> (lane ^ distance) & 1) &&
            offsets[lane] != offsets[lane ^ distance])
            return false;
    return true;
}

// Most words (or lanes) of one bank among some lanes, by the definition.
static unsigned slow_degree(const uint32_t *offsets, uint32_t lanes, unsigned width, bool units) {
    unsigned most = 0;
    for (unsigned bank = 0; bank < 32; bank++) {
        uint32_t words[BANKRUN_LANES];
        unsigned count = 0;
        for (unsigned lane = 0; lane < BANKRUN_LANES; lane++) {
            for (unsigned k = 0; k < (width > 4 ? width / 4 : 1); k++) {
                uint32_t word = offsets[lane] / 4 + k;
                bool is_new = (lanes >> lane & 1) && word % 32 == bank;
                for (unsigned i = 0; i < count && units && is_new; i++)
                    is_new = words[i] != word;
                if (is_new)
                    words[count++] = word;
            }
        }
        most = count > most ? count : most;
    }
    return most;
}

static unsigned slow_sum(const uint32_t *offsets, uint32_t mask, unsigned width, unsigned lanes,
                         bool units) {
    unsigned sum = 0;
    for (unsigned first = 0; first < 32; first += lanes) {
        uint32_t group = lanes == 32 ? FULL : ((1u << lanes) - 1) << first;
        sum += slow_degree(offsets, mask & group, width, units);
    }
    return sum;
}

static uint32_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

// Random words of a small or large array, in random or ascending order, under random masks.
static uint32_t random_pattern(uint64_t *random, unsigned width, uint32_t offsets[BANKRUN_LANES]) {
    uint32_t range = 1u << (2 + next_random(random) % 12), shape = next_random(random) % 4;
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
        offsets[lane] = next_random(random) % range * width;
    for (unsigned lane = 1; lane < BANKRUN_LANES && shape == 1; lane++)
        offsets[lane] = offsets[lane - 1] + next_random(random) % 20 * width;
    for (unsigned lane = 0; lane < BANKRUN_LANES && shape == 2; lane++)
        offsets[lane] = offsets[lane & ~1u];
    uint32_t mask = next_random(random) % 2 ? FULL : next_random(random) ^ next_random(random) << 7;
    if (next_random(random) % 4 == 0)
        mask &= next_random(random) & next_random(random);
    return mask ? mask : 1;
}

static void test_random_patterns(void **state) {
    (void)state;
    uint64_t random = 1;
    for (unsigned round = 0; round < 30000; round++) {
        unsigned width = 1u << round % 5, wide = width == 16 ? 2 : width == 8 ? 1 : 0;
        uint32_t offsets[BANKRUN_LANES];
        uint32_t mask = random_pattern(&random, width, offsets);
        unsigned lanes = 32u >> wide;
        struct bankrun_cost cost = cost_of(90, BANKRUN_STORE, width, mask, offsets);
        assert_int_equal(cost.wavefronts, slow_sum(offsets, mask, width, lanes, true));
        if (wide && (slow_pairs(offsets, mask, 1) || slow_pairs(offsets, mask, 2)))
            lanes *= 2;
        cost = cost_of(90, BANKRUN_LOAD, width, mask, offsets);
        assert_int_equal(cost.wavefronts, slow_sum(offsets, mask, width, lanes, true));
        assert_int_equal(cost.min, cost.max);
        if (width == 4) {
            cost = cost_of(90, BANKRUN_ATOMIC, 4, mask, offsets);
            assert_int_equal(cost.wavefronts, slow_sum(offsets, mask, 4, 32, false));
            cost = cost_of(90, BANKRUN_ATOMIC_CONSTANT, 4, mask, offsets);
            assert_int_equal(cost.wavefronts, slow_sum(offsets, mask, 4, 32, true));
        }
        if (width == 4 || width == 8) {
            cost = cost_of(90, BANKRUN_ATOMIC_CAS, width, mask, offsets);
            assert_int_equal(cost.wavefronts,
                             2 * slow_sum(offsets, mask, width, 32u >> wide, false));
        }
        uint32_t covered = 0;
        struct bankrun_request request = {BANKRUN_LOAD, width, 0, mask, offsets};
        for (unsigned n = 0; bankrun_phase_lanes(90, &request, n) != 0; n++) {
            assert_int_equal(covered & bankrun_phase_lanes(90, &request, n), 0);
            covered |= bankrun_phase_lanes(90, &request, n);
        }
        assert_int_equal(covered, mask);
    }
}

// The known mean for 32 random words is 3.53.
static void test_random_words_mean(void **state) {
    (void)state;
    uint64_t random = 7, sum = 0;
    enum { ROUNDS = 20000 };
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t offsets[BANKRUN_LANES];
        for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
            offsets[lane] = next_random(&random) % 100000 * 4;
        sum += cost_of(80, BANKRUN_LOAD, 4, FULL, offsets).wavefronts;
    }
    assert_in_range(sum, (uint64_t)(3.50 * ROUNDS), (uint64_t)(3.56 * ROUNDS));
}

// Moving every address by a period changes nothing, on any architecture.
static void test_period(void **state) {
    (void)state;
    uint64_t random = 3;
    for (const unsigned *arch = bankrun_architectures(); *arch; arch++) {
        for (unsigned round = 0; round < 400; round++) {
            unsigned width = 1u << round % 5;
            uint32_t offsets[BANKRUN_LANES], moved[BANKRUN_LANES];
            uint32_t mask = random_pattern(&random, width, offsets);
            uint32_t by = next_random(&random) % 50 * bankrun_period(*arch, width);
            for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
                moved[lane] = offsets[lane] + by;
            enum bankrun_access access = next_random(&random) % 2 ? BANKRUN_LOAD : BANKRUN_STORE;
            struct bankrun_cost a = cost_of(*arch, access, width, mask, offsets);
            struct bankrun_cost b = cost_of(*arch, access, width, mask, moved);
            assert_memory_equal(&a, &b, sizeof a);
            if (width == 4 || width == 8) {
                a = cost_of(*arch, BANKRUN_ATOMIC_LOOP, width, mask, offsets);
                b = cost_of(*arch, BANKRUN_ATOMIC_LOOP, width, mask, moved);
                assert_memory_equal(&a, &b, sizeof a);
            }
        }
    }
    assert_int_equal(bankrun_period(99, 4), 0);
}

// ---- What the rules say ----------------------------------------------------------------------

static void test_strides(void **state) {
    (void)state;
    for (const unsigned *arch = modern; *arch; arch++) {
        for (unsigned s = 0; s <= 128; s++) {
            struct bankrun_cost cost = cost_of(*arch, BANKRUN_LOAD, 4, FULL, stride(4 * s));
            unsigned want = s == 0 ? 1 : gcd(s, 32);
            assert_int_equal(cost.wavefronts, want);
            assert_int_equal(cost.degree, want);
            assert_int_equal(cost.ideal, 1);
            assert_int_equal(cost.certainty, *arch == 90 ? BANKRUN_MEASURED : BANKRUN_DOCUMENTED);
            cost = cost_of(*arch, BANKRUN_ATOMIC, 4, FULL, stride(4 * s));
            assert_int_equal(cost.wavefronts, s == 0 ? 32 : want);
        }
        // 8 and 16 bytes: 16 and 8 units in a row, halves and quarters
        for (unsigned s = 1; s <= 64; s++) {
            struct bankrun_cost cost = cost_of(*arch, BANKRUN_LOAD, 8, FULL, stride(8 * s));
            assert_int_equal(cost.wavefronts, 2 * gcd(s, 16));
            assert_int_equal(cost.ideal, 2);
            cost = cost_of(*arch, BANKRUN_STORE, 16, FULL, stride(16 * s));
            assert_int_equal(cost.wavefronts, 4 * gcd(s, 8));
            assert_int_equal(cost.degree, gcd(s, 8));
            assert_int_equal(cost.ideal, 4);
        }
    }
}

static void test_narrow_words(void **state) {
    (void)state;
    assert_int_equal(cost_of(90, BANKRUN_LOAD, 1, FULL, stride(1)).wavefronts, 1);
    assert_int_equal(cost_of(90, BANKRUN_STORE, 2, FULL, stride(2)).wavefronts, 1);
    assert_int_equal(cost_of(90, BANKRUN_STORE, 1, FULL, stride(128)).wavefronts, 32);
}

static void test_pair_rule(void **state) {
    (void)state;
    uint32_t one[32], two[32], mixed[32], all[32];
    for (unsigned lane = 0; lane < 32; lane++) {
        one[lane] = lane / 2 * 16;
        two[lane] = (lane & ~2u) * 16;
        mixed[lane] = lane < 16 ? one[lane] : two[lane];
        all[lane] = 64;
    }
    // 16 distinct units one after the other: two full rows
    assert_int_equal(cost_of(90, BANKRUN_LOAD, 16, FULL, one).wavefronts, 2);
    assert_int_equal(cost_of(90, BANKRUN_LOAD, 16, FULL, one).ideal, 2);
    assert_int_equal(cost_of(90, BANKRUN_LOAD, 16, FULL, two).phases, 2);
    assert_int_equal(cost_of(90, BANKRUN_LOAD, 16, FULL, mixed).phases, 4);
    assert_int_equal(cost_of(90, BANKRUN_STORE, 16, FULL, one).phases, 4);
    // A broadcast is no conflict, at any width.
    for (unsigned width = 1; width <= 16; width *= 2) {
        struct bankrun_cost cost = cost_of(90, BANKRUN_LOAD, width, FULL, all);
        assert_int_equal(cost.wavefronts, width == 16 ? 2 : 1);
        assert_int_equal(cost.wavefronts, cost.ideal);
    }
    // Lanes that are off do not break pairs.
    assert_int_equal(cost_of(90, BANKRUN_LOAD, 8, 0x55555555u, stride(8)).phases, 1);
    assert_int_equal(cost_of(90, BANKRUN_LOAD, 8, 0x33333333u, stride(8)).phases, 1);
    assert_int_equal(cost_of(90, BANKRUN_LOAD, 8, 0x0f0f0f0fu, stride(8)).phases, 2);
    assert_int_equal(cost_of(70, BANKRUN_LOAD, 16, FULL, one).certainty, BANKRUN_ASSUMED);
}

static void test_masks(void **state) {
    (void)state;
    assert_int_equal(cost_of(90, BANKRUN_LOAD, 4, 0xffu, stride(128)).wavefronts, 8);
    assert_int_equal(cost_of(90, BANKRUN_LOAD, 4, 0x80000000u, stride(128)).wavefronts, 1);
    assert_int_equal(cost_of(90, BANKRUN_STORE, 16, 0xff00u, stride(16)).ideal, 1);
    assert_int_equal(cost_of(90, BANKRUN_STORE, 8, 0xffff0000u, stride(8)).phases, 1);
    // Offsets of lanes that are off may be anything.
    uint32_t odd[32] = {0, 3, 7, 4};
    assert_int_equal(cost_of(90, BANKRUN_LOAD, 4, 9, odd).wavefronts, 1);
}

static void test_matrices(void **state) {
    (void)state;
    for (unsigned count = 1; count <= 4; count *= 2) {
        struct bankrun_request request = {BANKRUN_MATRIX_LOAD, 16, count, 0, stride(128)};
        struct bankrun_cost cost;
        assert_int_equal(bankrun_count(90, &request, &cost), BANKRUN_OK);
        assert_int_equal(cost.wavefronts, 8 * count); // rows of 128 bytes: 8 in one bank column
        assert_int_equal(cost.ideal, count);
        assert_int_equal(cost.degree, 8);
        assert_int_equal(bankrun_phase_lanes(90, &request, count - 1), 0xffu << 8 * (count - 1));
        assert_int_equal(bankrun_phase_lanes(90, &request, count), 0);
        request.offsets = stride(144); // padded rows
        assert_int_equal(bankrun_count(90, &request, &cost), BANKRUN_OK);
        assert_int_equal(cost.wavefronts, count);
        // Lanes beyond the matrices give no address.
        uint32_t offsets[32];
        memcpy(offsets, stride(144), sizeof offsets);
        for (unsigned lane = 8 * count; lane < 32; lane++)
            offsets[lane] = 1;
        request.offsets = offsets;
        assert_int_equal(bankrun_count(90, &request, &cost), BANKRUN_OK);
        assert_int_equal(cost.wavefronts, count);
    }
}

static void test_loops(void **state) {
    (void)state;
    // n lanes on n words of one bank: n (n + 5) / 2; n lanes on one word: 3 n.
    for (unsigned n = 1; n <= 32; n++) {
        uint32_t mask = n == 32 ? FULL : (1u << n) - 1;
        struct bankrun_cost cost = cost_of(90, BANKRUN_ATOMIC_LOOP, 4, mask, stride(128));
        assert_int_equal(cost.wavefronts, n * (n + 5) / 2);
        assert_int_equal(cost.ideal, 3);
        assert_int_equal(cost.degree, n);
        cost = cost_of(90, BANKRUN_ATOMIC_LOOP, 4, mask, stride(0));
        assert_int_equal(cost.wavefronts, 3 * n);
        assert_int_equal(cost.min, cost.max);
    }
    struct bankrun_cost cost = cost_of(90, BANKRUN_ATOMIC_LOOP, 8, FULL, stride(0));
    assert_int_equal(cost.min, 80);
    assert_int_equal(cost.max, 128);
    assert_int_equal(cost_of(90, BANKRUN_ATOMIC_LOOP, 2, FULL, stride(0)).max, 1 + 32 * 33);
    assert_int_equal(cost_of(86, BANKRUN_ATOMIC_LOOP, 4, FULL, stride(4)).certainty,
                     BANKRUN_ASSUMED);
}

static void test_async_copy(void **state) {
    (void)state;
    struct bankrun_cost cost = cost_of(90, BANKRUN_ASYNC_COPY, 16, FULL, stride(16));
    assert_int_equal(cost.certainty, BANKRUN_UNKNOWN);
    assert_int_equal(cost.min, 4);
    assert_int_equal(cost.max, 32);
    assert_int_equal(cost.wavefronts, 4);
}

static void expect_status(unsigned arch, enum bankrun_access access, unsigned width,
                          unsigned matrices, uint32_t mask, enum bankrun_status want) {
    struct bankrun_request request = {access, width, matrices, mask, stride(4)};
    struct bankrun_cost cost;
    assert_int_equal(bankrun_count(arch, &request, &cost), want);
}

static void test_statuses(void **state) {
    (void)state;
    expect_status(91, BANKRUN_LOAD, 4, 0, FULL, BANKRUN_BAD_ARCH);
    expect_status(0, BANKRUN_LOAD, 4, 0, FULL, BANKRUN_BAD_ARCH);
    expect_status(90, BANKRUN_LOAD, 3, 0, FULL, BANKRUN_BAD_WIDTH);
    expect_status(90, BANKRUN_LOAD, 0, 0, FULL, BANKRUN_BAD_WIDTH);
    expect_status(90, BANKRUN_LOAD, 32, 0, FULL, BANKRUN_BAD_WIDTH);
    expect_status(90, BANKRUN_LOAD, 4, 1, FULL, BANKRUN_BAD_WIDTH);
    expect_status(90, BANKRUN_ATOMIC, 2, 0, FULL, BANKRUN_BAD_WIDTH);
    expect_status(90, BANKRUN_ATOMIC_CAS, 2, 0, FULL, BANKRUN_BAD_WIDTH);
    expect_status(90, BANKRUN_ATOMIC_LOOP, 1, 0, FULL, BANKRUN_BAD_WIDTH);
    expect_status(90, BANKRUN_ASYNC_COPY, 2, 0, FULL, BANKRUN_BAD_WIDTH);
    expect_status(90, BANKRUN_MATRIX_LOAD, 16, 3, FULL, BANKRUN_BAD_WIDTH);
    expect_status(90, BANKRUN_MATRIX_LOAD, 4, 1, FULL, BANKRUN_BAD_WIDTH);
    expect_status(90, (enum bankrun_access)77, 4, 0, FULL, BANKRUN_BAD_WIDTH);
    expect_status(90, BANKRUN_LOAD, 4, 0, 0, BANKRUN_EMPTY_MASK);
    expect_status(90, BANKRUN_LOAD, 8, 0, FULL, BANKRUN_MISALIGNED);
    expect_status(90, BANKRUN_LOAD, 8, 0, 0x5, BANKRUN_OK);
    expect_status(90, BANKRUN_MATRIX_LOAD, 16, 1, 0, BANKRUN_MISALIGNED);
    for (int status = BANKRUN_OK; status <= BANKRUN_NO_ACCESS; status++)
        assert_true(strlen(bankrun_status_text((enum bankrun_status)status)) > 0);
    struct bankrun_request bad = {BANKRUN_LOAD, 3, 0, FULL, stride(4)};
    assert_int_equal(bankrun_phase_lanes(90, &bad, 0), 0);
}

static void test_banks(void **state) {
    (void)state;
    assert_int_equal(bankrun_banks(90), 32);
    assert_int_equal(bankrun_banks(13), 16);
    assert_int_equal(bankrun_banks(14), 0);
    assert_int_equal(bankrun_bank(90, 132), 1);
    assert_int_equal(bankrun_bank(90, 131), 0);
    assert_int_equal(bankrun_bank(13, 68), 1);
    assert_int_equal(bankrun_bank_bytes(90), 4);
    assert_int_equal(bankrun_bank_bytes(1), 0);
}

// ---- Before 5.0 ------------------------------------------------------------------------------

static void test_family_2(void **state) {
    (void)state;
    for (unsigned s = 1; s <= 64; s++) // conflicts exactly for even strides
        assert_int_equal(cost_of(20, BANKRUN_LOAD, 4, FULL, stride(4 * s)).wavefronts, gcd(s, 32));
    assert_int_equal(cost_of(21, BANKRUN_LOAD, 1, FULL, stride(1)).wavefronts, 1);
    struct bankrun_cost cost = cost_of(20, BANKRUN_LOAD, 8, FULL, stride(8));
    assert_int_equal(cost.wavefronts, 2); // halves; double[tid] is free of conflicts
    assert_int_equal(cost.ideal, 2);
    assert_int_equal(cost.certainty, BANKRUN_DOCUMENTED);
    cost = cost_of(20, BANKRUN_LOAD, 16, FULL, stride(16));
    assert_int_equal(cost.wavefronts, 4);
    assert_int_equal(cost.min, cost.max);
    cost = cost_of(20, BANKRUN_LOAD, 16, FULL, stride(32));
    assert_true(cost.min == 6 && cost.max == 8); // the guide's "add one", and two of each quarter
    assert_int_equal(cost_of(20, BANKRUN_ATOMIC, 4, FULL, stride(4)).certainty, BANKRUN_UNKNOWN);
}

static void test_family_3(void **state) {
    (void)state;
    const unsigned strides[][2] = {{1, 1}, {2, 1}, {3, 1},  {4, 2},   {6, 2},
                                   {8, 4}, {9, 1}, {16, 8}, {32, 16}, {64, 32}};
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) // rows of 64 words
        assert_int_equal(cost_of(35, BANKRUN_LOAD, 4, FULL, stride(4 * strides[i][0])).wavefronts,
                         strides[i][1]);
    struct bankrun_cost cost = cost_of(30, BANKRUN_LOAD, 8, FULL, stride(8));
    assert_int_equal(cost.wavefronts, 1); // a whole row of 256 bytes at once
    // words i and i + 32: together inside an aligned row, apart across its edge
    uint32_t offsets[32] = {0, 128};
    assert_int_equal(cost_of(37, BANKRUN_LOAD, 4, 3, offsets).wavefronts, 1);
    offsets[0] = 256;
    assert_int_equal(cost_of(37, BANKRUN_LOAD, 4, 3, offsets).wavefronts, 2);
}

static void test_family_1(void **state) {
    (void)state;
    const struct {
        unsigned width, stride, each_half; // wavefronts of every half warp's request
    } table[] = {
        {1, 1, 4}, {1, 4, 1}, {2, 2, 2}, {4, 8, 2}, {4, 4, 1}, {4, 12, 1}, {4, 64, 16}, {4, 0, 1},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct bankrun_cost cost =
            cost_of(13, BANKRUN_LOAD, table[i].width, FULL, stride(table[i].stride));
        assert_int_equal(cost.wavefronts, 2 * table[i].each_half);
        assert_int_equal(cost.min, cost.max);
        assert_int_equal(cost.ideal, 2);
        assert_int_equal(cost.certainty, BANKRUN_DOCUMENTED);
    }
    for (unsigned s = 1; s <= 32; s++)
        assert_int_equal(cost_of(10, BANKRUN_LOAD, 4, FULL, stride(4 * s)).wavefronts,
                         2 * gcd(s, 16));
    // double[tid]: two requests of each half, two-way
    struct bankrun_cost cost = cost_of(13, BANKRUN_LOAD, 8, FULL, stride(8));
    assert_int_equal(cost.wavefronts, 8);
    assert_int_equal(cost.phases, 4);
    assert_int_equal(cost.degree, 2);
    // Words 0 (lanes 0-3), 16 (lane 4): broadcasting word 0 leaves one lane; broadcasting word 16
    // leaves four, then their own broadcast. Words 0 (0-3), 1 (4-7): the other one keeps three.
    uint32_t offsets[32] = {0, 0, 0, 0, 64};
    cost = cost_of(13, BANKRUN_LOAD, 4, 0x1f, offsets);
    assert_true(cost.min == 2 && cost.max == 2);
    uint32_t uneven[32] = {0, 0, 0, 4, 8, 8};
    cost = cost_of(13, BANKRUN_LOAD, 4, 0x3f, uneven);
    assert_true(cost.min == 2 && cost.max == 3 && cost.wavefronts == 2);
    struct bankrun_request request = {BANKRUN_LOAD, 8, 0, 0xffff0001u, stride(8)};
    assert_int_equal(bankrun_phase_lanes(13, &request, 0), 1);
    assert_int_equal(bankrun_phase_lanes(13, &request, 3), 0xffff0000u);
    assert_int_equal(bankrun_phase_lanes(13, &request, 4), 0);
}

// ---- Global memory, limits -------------------------------------------------------------------

static void expect_sectors(unsigned width, unsigned step, uint64_t base, uint32_t mask,
                           uint32_t want, uint32_t want_ideal) {
    uint64_t addresses[32];
    uint32_t sectors, ideal;
    for (unsigned lane = 0; lane < 32; lane++)
        addresses[lane] = base + lane * (uint64_t)step;
    bankrun_sectors(mask, width, addresses, &sectors, &ideal);
    assert_int_equal(sectors, want);
    assert_int_equal(ideal, want_ideal);
}

static void test_sectors(void **state) {
    (void)state;
    expect_sectors(4, 4, 0x7f0000000000u, FULL, 4, 4);
    expect_sectors(4, 4, 0x7f0000000004u, FULL, 5, 4); // shifted by a word
    expect_sectors(4, 128, 0, FULL, 32, 4);
    expect_sectors(4, 0, 64, FULL, 1, 1);
    expect_sectors(1, 1, 0, FULL, 1, 1);
    expect_sectors(16, 16, 0, FULL, 16, 16);
    expect_sectors(32, 32, 0, FULL, 32, 32);
    expect_sectors(8, 32, 0, 0x3, 2, 1);
    uint64_t mixed[32] = {96, 64, 32, 0, 4, 36, 68, 100}; // not ascending
    uint32_t sectors, ideal;
    bankrun_sectors(0xff, 4, mixed, &sectors, &ideal);
    assert_true(sectors == 4 && ideal == 1);
}

// By the definition: which sectors, and which bytes.
static void slow_sectors(uint32_t mask, unsigned width, const uint64_t *addresses,
                         uint32_t *sectors, uint32_t *ideal) {
    static uint8_t bytes[1 << 15];
    memset(bytes, 0, sizeof bytes);
    uint32_t count = 0;
    *sectors = 0;
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned i = 0; i < width && (mask >> lane & 1); i++)
            bytes[addresses[lane] + i] = 1;
    for (size_t first = 0; first < sizeof bytes; first += 32) {
        bool is_touched = false;
        for (size_t i = first; i < first + 32; i++) {
            is_touched |= bytes[i];
            count += bytes[i];
        }
        *sectors += is_touched;
    }
    *ideal = (count + 31) / 32;
}

static void test_random_sectors(void **state) {
    (void)state;
    uint64_t random = 11;
    for (unsigned round = 0; round < 3000; round++) {
        unsigned width = 1u << round % 6, step = round % 7 ? width : 1; // now and then misaligned
        uint32_t range = 1u << next_random(&random) % 9, mask = next_random(&random) << 1 | 1;
        uint64_t addresses[32];
        for (unsigned lane = 0; lane < 32; lane++)
            addresses[lane] = (uint64_t)(next_random(&random) % range) * step;
        uint32_t sectors, ideal, want_sectors, want_ideal;
        bankrun_sectors(mask, width, addresses, &sectors, &ideal);
        slow_sectors(mask, width, addresses, &want_sectors, &want_ideal);
        assert_int_equal(sectors, want_sectors);
        assert_int_equal(ideal, want_ideal);
    }
}

static void test_limits(void **state) {
    (void)state;
    unsigned last = 0;
    for (const unsigned *arch = bankrun_architectures(); *arch; arch++) {
        assert_true(*arch > last);
        last = *arch;
        const struct bankrun_limits *limits = bankrun_limits_of(*arch);
        assert_non_null(limits);
        assert_int_equal(limits->arch, *arch);
        assert_true(limits->shared_block_bytes + limits->shared_reserved <= limits->shared_bytes);
        assert_int_equal(bankrun_occupancy(limits, 32, 0, 0), limits->blocks);
        assert_true(bankrun_banks(*arch) > 0);
    }
    for (size_t i = 0; modern[i]; i++)
        assert_non_null(bankrun_limits_of(modern[i]));
    assert_int_equal(last, 121);
    assert_null(bankrun_limits_of(93));
    const struct bankrun_limits *h200 = bankrun_limits_of(90);
    assert_int_equal(bankrun_occupancy(h200, 1024, 32, 0), 2);
    assert_int_equal(bankrun_occupancy(h200, 1024, 33, 0), 1);
    assert_int_equal(bankrun_occupancy(h200, 256, 255, 0), 1);
    assert_int_equal(bankrun_occupancy(h200, 128, 0, 227 * 1024), 1);
    assert_int_equal(bankrun_occupancy(h200, 128, 0, 113 * 1024), 2);
    assert_int_equal(bankrun_occupancy(h200, 128, 0, 113 * 1024 + 1), 1);
    assert_int_equal(bankrun_occupancy(h200, 128, 0, 227 * 1024 + 1), 0);
    assert_int_equal(bankrun_occupancy(h200, 1025, 0, 0), 0);
    assert_int_equal(bankrun_occupancy(h200, 0, 0, 0), 0);
    assert_int_equal(bankrun_occupancy(bankrun_limits_of(13), 256, 16, 0), 4);
    assert_int_equal(bankrun_occupancy(bankrun_limits_of(75), 512, 0, 33 * 1024), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_patterns),
        cmocka_unit_test(test_period),
        cmocka_unit_test(test_random_words_mean),
        cmocka_unit_test(test_strides),
        cmocka_unit_test(test_narrow_words),
        cmocka_unit_test(test_pair_rule),
        cmocka_unit_test(test_masks),
        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_async_copy),
        cmocka_unit_test(test_statuses),
        cmocka_unit_test(test_banks),
        cmocka_unit_test(test_family_2),
        cmocka_unit_test(test_family_3),
        cmocka_unit_test(test_family_1),
        cmocka_unit_test(test_sectors),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_random_sectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
