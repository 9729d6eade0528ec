// The bank model where one pattern has several answers: both bank modes of 3.x, copies with their
// sources, generic addresses, loops that end early, the least time of wide loads.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "bankrun/banks.h"

#define FULL 0xffffffffu
#define EIGHT(arch) ((arch) | BANKRUN_EIGHT_BYTE_BANKS)

static struct bankrun_cost cost_of(unsigned arch, enum bankrun_access access, unsigned width,
                                   uint32_t mask, const uint32_t *offsets) {
    struct bankrun_request request = {access, width, 0, mask, offsets};
    struct bankrun_cost cost;
    assert_int_equal(bankrun_count(arch, &request, &cost), BANKRUN_OK);
    assert_true(cost.min <= cost.wavefronts && cost.wavefronts <= cost.max);
    return cost;
}

static const uint32_t *stride(unsigned bytes) {
    static uint32_t offsets[BANKRUN_LANES];
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
        offsets[lane] = lane * bytes;
    return offsets;
}

// ---- 3.x ---------------------------------------------------------------------------------------

// Worked by hand: bank = byte / 8 % 32, or byte / 4 % 32; a bank serves one row of 256 bytes.
static void test_strides_by_hand(void **state) {
    (void)state;
    static const struct {
        unsigned bytes, width, by_eight, by_four;
    } cases[] = {
        {1, 1, 1, 1},     {2, 2, 1, 1}, // 32 and 64 bytes of one row
        {4, 4, 1, 1},                   // two lanes to a word of 8 bytes
        {8, 4, 1, 1},                   // one row of 256 bytes
        {12, 4, 2, 1},                  // lane 22: byte 264, bank 1 as lane 1, but the next row
        {16, 4, 2, 2},    {32, 4, 4, 4},
        {128, 4, 16, 16},               // even lanes in one bank, each in a row of its own
        {132, 4, 1, 1},                 // a padded column
        {256, 4, 32, 32}, {8, 8, 1, 1}, // double[tid]: all of a row
        {16, 8, 2, 2},                  // double[2 * tid]: two rows
        {24, 8, 1, 2},                  // odd: 32 banks of 8 bytes, but 16 pairs of 4
        {256, 8, 32, 32},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t *offsets = stride(cases[i].bytes);
        assert_int_equal(cost_of(EIGHT(35), BANKRUN_LOAD, cases[i].width, FULL, offsets).wavefronts,
                         cases[i].by_eight);
        assert_int_equal(cost_of(35, BANKRUN_LOAD, cases[i].width, FULL, offsets).wavefronts,
                         cases[i].by_four);
    }
}

static unsigned of_two(unsigned arch, uint32_t a, uint32_t b) {
    uint32_t offsets[BANKRUN_LANES] = {a, b};
    return cost_of(arch, BANKRUN_LOAD, 4, 3, offsets).wavefronts;
}

static void test_pairs_of_words(void **state) {
    (void)state;
    assert_int_equal(of_two(EIGHT(30), 0, 4), 1);   // one word of 8 bytes
    assert_int_equal(of_two(EIGHT(30), 0, 128), 1); // banks 0 and 16
    assert_int_equal(of_two(30, 0, 128), 1);        // bank 0 twice, of one row
    assert_int_equal(of_two(EIGHT(30), 4, 256), 2); // bank 0, two rows
    assert_int_equal(of_two(30, 4, 256), 1);        // banks 1 and 0
    assert_int_equal(of_two(EIGHT(37), 128, 256), 1);
    assert_int_equal(of_two(37, 128, 256), 2);
}

static void test_mode(void **state) {
    (void)state;
    assert_int_equal(bankrun_bank_bytes(EIGHT(32)), 8);
    assert_int_equal(bankrun_bank_bytes(32), 4);
    assert_int_equal(bankrun_banks(EIGHT(32)), 32);
    assert_int_equal(bankrun_bank(EIGHT(32), 260), 0);
    assert_int_equal(bankrun_bank(EIGHT(32), 132), 16);
    assert_int_equal(bankrun_period(EIGHT(32), 4), 256);
    assert_ptr_equal(bankrun_limits_of(EIGHT(37)), bankrun_limits_of(37));
    assert_null(bankrun_limits_of(EIGHT(52)));
    assert_int_equal(bankrun_banks(EIGHT(20)), 0);
    struct bankrun_request request = {BANKRUN_LOAD, 4, 0, FULL, stride(4)};
    struct bankrun_cost cost;
    assert_int_equal(bankrun_count(EIGHT(90), &request, &cost), BANKRUN_BAD_ARCH);
    assert_int_equal(cost_of(EIGHT(35), BANKRUN_LOAD, 8, FULL, stride(8)).certainty,
                     BANKRUN_DOCUMENTED);
}

// By the definition: the most rows that any bank is asked for, over the lanes of a phase.
static unsigned slow_count(unsigned arch, unsigned width, uint32_t mask, const uint32_t *offsets) {
    unsigned row_bytes = bankrun_period(arch, 1) == 256 ? 256 : 128, sum = 0;
    unsigned size = width == 16 ? 8 : width == 8 && row_bytes == 128 ? 16 : 32;
    for (unsigned first = 0; first < BANKRUN_LANES; first += size) {
        unsigned most = 0;
        for (unsigned bank = 0; bank < 32; bank++) {
            uint64_t rows = 0; // of the first 64
            for (unsigned lane = first; lane < first + size; lane++)
                for (unsigned byte = 0; byte < width && mask >> lane & 1; byte++)
                    if (bankrun_bank(arch, offsets[lane] + byte) == bank)
                        rows |= 1ull << (offsets[lane] + byte) / row_bytes;
            unsigned count = (unsigned)__builtin_popcountll(rows);
            most = count > most ? count : most;
        }
        sum += most;
    }
    return sum;
}

static void test_random(void **state) {
    (void)state;
    const unsigned archs[] = {20, 35, EIGHT(35)};
    uint64_t random = 3;
    for (unsigned round = 0; round < 6000; round++) {
        unsigned arch = archs[round % 3], width = 1u << round / 3 % 5;
        uint32_t offsets[BANKRUN_LANES], bits[BANKRUN_LANES + 2];
        for (size_t i = 0; i < BANKRUN_LANES + 2; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            bits[i] = (uint32_t)(random >> 33);
        }
        for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
            offsets[lane] = (bits[lane] & ((64u << bits[32] % 8) - 1)) / width * width;
        uint32_t mask = bits[32] & 256 ? FULL : bits[33] | 1;
        assert_int_equal(cost_of(arch, BANKRUN_LOAD, width, mask, offsets).wavefronts,
                         slow_count(arch, width, mask, offsets));
    }
}

// ---- Copies ------------------------------------------------------------------------------------

static struct bankrun_cost copy_cost(unsigned width, uint32_t mask, const uint32_t *offsets,
                                     const uint64_t *sources) {
    struct bankrun_copy copy = {width, mask, offsets, sources};
    struct bankrun_cost cost;
    assert_int_equal(bankrun_count_copy(90, &copy, &cost), BANKRUN_OK);
    return cost;
}

static void test_copies(void **state) {
    (void)state;
    uint64_t sources[BANKRUN_LANES];
    for (unsigned width = 4; width <= 16; width *= 2) { // side by side, on both sides
        for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
            sources[lane] = 4096 + lane * width;
        struct bankrun_cost cost = copy_cost(width, FULL, stride(width), sources);
        assert_int_equal(cost.wavefronts, width / 4);
        assert_int_equal(cost.ideal, width / 4);
        assert_int_equal(cost.min, cost.max);
    }
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
        sources[lane] = 4096; // a broadcast is none
    assert_int_equal(copy_cost(4, FULL, stride(4), sources).wavefronts, 32);
    // Lane 0 and 1 come from one bank, 1 and 2 go to one: a chain of three. Lane 3 goes with lane
    // 0.
    uint64_t from[BANKRUN_LANES] = {0, 0, 4, 8};
    uint32_t to[BANKRUN_LANES] = {0, 4, 132, 8};
    assert_int_equal(copy_cost(4, 0xf, to, from).wavefronts, 3);
    assert_int_equal(copy_cost(4, 0xf, to, from).degree, 3);
    assert_int_equal(copy_cost(4, 0x9, to, from).wavefronts, 1);
    // Lines 0 and 5 have one tag bank, lines 0 and 1 two.
    uint64_t far[BANKRUN_LANES] = {0, 5 * 128 + 4, 128 + 8};
    struct bankrun_cost cost = copy_cost(4, 0x3, stride(4), far);
    assert_true(cost.wavefronts == 2 && cost.max == 2 && cost.min == 1);
    assert_int_equal(copy_cost(4, 0x5, stride(4), far).wavefronts, 1);
}

static void test_copy_statuses(void **state) {
    (void)state;
    uint64_t sources[BANKRUN_LANES] = {0, 2};
    struct bankrun_copy copy = {4, 1, stride(4), sources};
    struct bankrun_cost cost;
    assert_int_equal(bankrun_count_copy(86, &copy, &cost), BANKRUN_OK);
    assert_int_equal(cost.certainty, BANKRUN_ASSUMED);
    assert_int_equal(bankrun_count_copy(75, &copy, &cost), BANKRUN_NO_ACCESS);
    assert_int_equal(bankrun_count_copy(91, &copy, &cost), BANKRUN_BAD_ARCH);
    copy.mask = 3;
    assert_int_equal(bankrun_count_copy(90, &copy, &cost), BANKRUN_MISALIGNED);
    copy.mask = 0;
    assert_int_equal(bankrun_count_copy(90, &copy, &cost), BANKRUN_EMPTY_MASK);
    copy.width = 2;
    assert_int_equal(bankrun_count_copy(90, &copy, &cost), BANKRUN_BAD_WIDTH);
    assert_string_equal(bankrun_status_text(BANKRUN_NO_ACCESS),
                        "the architecture has no such instruction");
}

// ---- Generic addresses, loops, times -----------------------------------------------------------

static void test_generic(void **state) {
    (void)state;
    const uint32_t *one = stride(0);
    assert_int_equal(cost_of(90, BANKRUN_LOAD, 16, FULL, one).wavefronts, 2); // pairs agree
    assert_int_equal(cost_of(90, BANKRUN_GENERIC_LOAD, 16, FULL, one).wavefronts, 4);
    assert_int_equal(cost_of(90, BANKRUN_GENERIC_LOAD, 16, FULL, one).ideal, 4);
    assert_int_equal(cost_of(90, BANKRUN_GENERIC_LOAD, 4, FULL, stride(8)).wavefronts, 2);
    assert_int_equal(cost_of(13, BANKRUN_GENERIC_LOAD, 4, FULL, stride(4)).wavefronts, 2);
    assert_int_equal(cost_of(90, BANKRUN_GENERIC_LOOP, 4, FULL, stride(4)).wavefronts, 4);
    assert_int_equal(cost_of(90, BANKRUN_GENERIC_LOOP, 4, FULL, stride(4)).ideal, 4);
    assert_int_equal(cost_of(90, BANKRUN_GENERIC_LOOP, 8, FULL, stride(8)).wavefronts, 8);
    assert_int_equal(cost_of(90, BANKRUN_GENERIC_LOOP, 8, 0xffff, stride(8)).wavefronts, 4);
    assert_int_equal(cost_of(90, BANKRUN_GENERIC_LOOP, 2, FULL, stride(4)).wavefronts, 3);
}

static void test_early_loops(void **state) {
    (void)state;
    struct bankrun_cost cost = cost_of(90, BANKRUN_ATOMIC_EARLY_LOOP, 8, FULL, stride(0));
    assert_int_equal(cost.min, 1); // nothing to change: a load of one word
    assert_int_equal(cost.ideal, 2);
    assert_int_equal(cost.max, cost_of(90, BANKRUN_ATOMIC_LOOP, 8, FULL, stride(0)).max);
    cost = cost_of(90, BANKRUN_GENERIC_EARLY_LOOP, 8, FULL, stride(0));
    assert_int_equal(cost.min, 3);
    struct bankrun_request request = {BANKRUN_ATOMIC_EARLY_LOOP, 4, 0, FULL, stride(4)};
    assert_int_equal(bankrun_count(90, &request, &cost), BANKRUN_BAD_WIDTH);
}

// Measured: an unmerged wide load holds the path for both halves, even where one has no lane.
static void test_least_time(void **state) {
    (void)state;
    uint32_t offsets[BANKRUN_LANES] = {0};
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
        offsets[lane] = lane * 3 % 4 * 16;
    struct bankrun_request request = {BANKRUN_LOAD, 8, 0, 0xffff, offsets};
    struct bankrun_cost cost = cost_of(90, BANKRUN_LOAD, 8, 0xffff, offsets);
    assert_int_equal(cost.wavefronts, 1);
    assert_int_equal(bankrun_cycles(90, &request, &cost), 2);
    request.width = 16;
    cost = cost_of(90, BANKRUN_LOAD, 16, 0xffff, offsets);
    assert_int_equal(cost.wavefronts, 2);
    assert_int_equal(bankrun_cycles(90, &request, &cost), 4);
    request.mask = 1; // pairs agree
    cost = cost_of(90, BANKRUN_LOAD, 16, 1, offsets);
    assert_int_equal(bankrun_cycles(90, &request, &cost), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strides_by_hand),
        cmocka_unit_test(test_pairs_of_words),
        cmocka_unit_test(test_mode),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_copy_statuses),
        cmocka_unit_test(test_generic),
        cmocka_unit_test(test_early_loops),
        cmocka_unit_test(test_least_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
