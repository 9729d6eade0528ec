// What must hold for every request on every architecture, tried on a million random ones each:
// moving all offsets by a period changes nothing; neither does another order of the lanes for up
// to 32 bits; more lanes never cost fewer wavefronts; 1 <= ideal <= wavefronts.
// BANKRUN_ROUNDS sets another number; sanitizers and emulators make each round slow.
#include "bankrun/banks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { ROUNDS = 20000 };
#else
enum { ROUNDS = 1000000 };
#endif

struct trial {
    unsigned arch;
    struct bankrun_request request;
    uint32_t offsets[BANKRUN_LANES];
    struct bankrun_cost cost;
};

static uint32_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static void fail_with(const struct trial *trial, const char *what) {
    print_error("sm_%u, access %d, width %u, mask %08x: %s\n", trial->arch, trial->request.access,
                trial->request.width, trial->request.mask, what);
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
        print_error("%u ", trial->offsets[lane]);
    print_error("\n");
    fail();
}

static struct bankrun_cost count(const struct trial *trial, uint32_t mask,
                                 const uint32_t *offsets) {
    struct bankrun_request request = trial->request;
    struct bankrun_cost cost = {0};
    request.mask = mask;
    request.offsets = offsets;
    if (bankrun_count(trial->arch, &request, &cost) != BANKRUN_OK)
        fail_with(trial, "is refused");
    return cost;
}

// Random words, a stride, or few words; all lanes or some.
static void make(struct trial *trial, uint64_t *random) {
    uint32_t bits = next_random(random), width = 1u << bits % 5;
    uint32_t range = 1u << (1 + (bits >> 3) % 12), stride = next_random(random) % 70;
    trial->request = (struct bankrun_request){
        .access = bits >> 8 & 1 ? BANKRUN_STORE : BANKRUN_LOAD, .width = width};
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
        trial->offsets[lane] =
            width * ((bits >> 9 & 3) == 0 ? stride * lane : next_random(random) % range);
    uint32_t mask = next_random(random) << 8 ^ next_random(random);
    trial->request.mask = bits >> 11 & 1 ? UINT32_MAX : mask ? mask : 1;
    trial->cost = count(trial, trial->request.mask, trial->offsets);
}

static void check_bounds(const struct trial *trial) {
    const struct bankrun_cost *cost = &trial->cost;
    if (cost->ideal < 1 || cost->ideal > cost->wavefronts || cost->min > cost->wavefronts ||
        cost->wavefronts > cost->max || cost->degree < 1 || cost->phases < 1)
        fail_with(trial, "1 <= ideal <= wavefronts, min <= wavefronts <= max");
}

static void check_moved(const struct trial *trial, uint64_t *random) {
    uint32_t offsets[BANKRUN_LANES];
    uint32_t by = next_random(random) % 100 * bankrun_period(trial->arch, trial->request.width);
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
        offsets[lane] = trial->offsets[lane] + by;
    struct bankrun_cost cost = count(trial, trial->request.mask, offsets);
    if (memcmp(&cost, &trial->cost, sizeof cost) != 0)
        fail_with(trial, "moved by a period it costs something else");
}

// Lanes trade places; on 1.x within their half warp, and then the likely choice may change.
static void check_permuted(const struct trial *trial, uint64_t *random) {
    uint32_t offsets[BANKRUN_LANES], mask = 0;
    uint32_t by = next_random(random) % 16, turn = 1 + 2 * (next_random(random) % 8);
    unsigned size = bankrun_banks(trial->arch) == 16 ? 16 : 32;
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++) {
        unsigned to = (lane & ~(size - 1)) | ((lane * turn + by) & (size - 1));
        offsets[to] = trial->offsets[lane];
        mask |= (trial->request.mask >> lane & 1) << to;
    }
    struct bankrun_cost cost = count(trial, mask, offsets);
    if (cost.min != trial->cost.min || cost.max != trial->cost.max)
        fail_with(trial, "in another order it costs something else");
    if (cost.min == cost.max && cost.wavefronts != trial->cost.wavefronts)
        fail_with(trial, "in another order it costs something else");
}

static void check_fewer_lanes(const struct trial *trial, uint64_t *random) {
    uint32_t mask = trial->request.mask & (next_random(random) << 16 ^ next_random(random));
    if (mask == 0)
        return;
    struct bankrun_cost cost = count(trial, mask, trial->offsets);
    if (cost.min > trial->cost.min || (cost.min == cost.max && trial->cost.min == trial->cost.max &&
                                       cost.wavefronts > trial->cost.wavefronts))
        fail_with(trial, "fewer of its lanes cost more");
}

// A wavefront never reads two words of a bank, and there are as many as were counted.
static void check_schedule(const struct trial *trial) {
    struct bankrun_request request = trial->request;
    uint8_t of[BANKRUN_LANES];
    request.offsets = trial->offsets;
    unsigned count = bankrun_schedule(trial->arch, &request, of);
    if (bankrun_banks(trial->arch) == 32 && count != trial->cost.wavefronts)
        fail_with(trial, "the schedule is of another length");
    unsigned row_bytes = bankrun_period(trial->arch, 1) == 256 ? 256 : 128;
    for (unsigned a = 0; a < BANKRUN_LANES; a++) {
        if ((of[a] == BANKRUN_NOT_SERVED) != !(request.mask >> a & 1))
            fail_with(trial, "the schedule leaves a lane out");
        for (unsigned b = 0; b < a; b++)
            if (of[a] == of[b] && of[a] != BANKRUN_NOT_SERVED &&
                bankrun_bank(trial->arch, trial->offsets[a]) ==
                    bankrun_bank(trial->arch, trial->offsets[b]) &&
                (bankrun_banks(trial->arch) == 16
                     ? trial->offsets[a] / 4 != trial->offsets[b] / 4
                     : trial->offsets[a] / row_bytes != trial->offsets[b] / row_bytes))
                fail_with(trial, "a wavefront serves two words of a bank");
    }
}

static unsigned rounds(void) {
    const char *text = getenv("BANKRUN_ROUNDS");
    return text ? (unsigned)strtoul(text, NULL, 10) : ROUNDS;
}

static void check_many(unsigned arch, uint64_t *random) {
    for (unsigned round = 0, total = rounds(); round < total; round++) {
        struct trial trial = {.arch = arch};
        make(&trial, random);
        check_bounds(&trial);
        unsigned which = round % 4;
        if (which == 0)
            check_moved(&trial, random);
        else if (which == 1 && trial.request.width <= 4)
            check_permuted(&trial, random);
        else if (which == 2 && trial.request.width <= 4)
            check_fewer_lanes(&trial, random);
        else if (round % 16 == 3)
            check_schedule(&trial);
    }
}

static void test_properties(void **state) {
    (void)state;
    uint64_t random = 11;
    for (const unsigned *arch = bankrun_architectures(); *arch; arch++) {
        check_many(*arch, &random);
        if (*arch / 10 == 3)
            check_many(*arch | BANKRUN_EIGHT_BYTE_BANKS, &random);
    }
}

// How many words the busiest bank has, by its definition.
static unsigned words_of_busiest_bank(const uint32_t *offsets) {
    unsigned words[BANKRUN_LANES] = {0}, most = 0;
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++) {
        bool is_first = true;
        for (unsigned before = 0; before < lane; before++)
            is_first &= offsets[before] / 4 != offsets[lane] / 4;
        const unsigned bank = offsets[lane] / 4 % BANKRUN_LANES;
        words[bank] += is_first;
        most = words[bank] > most ? words[bank] : most;
    }
    return most;
}

// Whole warps that want words of a window anywhere, as in a histogram: of one bank, of all of them,
// of rows next to each other and of far ones.
static void test_windows(void **state) {
    (void)state;
    uint64_t random = 3;
    for (unsigned round = 0, total = rounds() / 4; round < total; round++) {
        const uint32_t bits = next_random(&random), size = 1u << bits % 12;
        const uint32_t step = bits >> 4 & 1 ? 32 : 1;
        const uint32_t begin = bits >> 5 & 1 ? bits >> 6 & 7 : (bits >> 6) % 4096 / 256 * 256;
        struct trial trial = {.arch = 90,
                              .request = {.access = BANKRUN_LOAD, .width = 4, .mask = UINT32_MAX}};
        for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
            trial.offsets[lane] = 4 * (begin + next_random(&random) % size * step);
        const unsigned wanted = words_of_busiest_bank(trial.offsets);
        if (count(&trial, UINT32_MAX, trial.offsets).wavefronts != wanted)
            fail_with(&trial, "is not counted by its words");
    }
}

// The same answers with a memory of the last request.
static void test_again(void **state) {
    (void)state;
    uint64_t random = 5;
    struct bankrun_memory memory = {0};
    for (unsigned round = 0; round < 20000; round++) {
        struct trial trial = {.arch = round % 3 ? 90 : 20};
        make(&trial, &random);
        struct bankrun_request request = trial.request;
        request.offsets = trial.offsets;
        for (unsigned time = 0; time < 2; time++) {
            struct bankrun_cost cost = {0};
            assert_int_equal(bankrun_count_again(trial.arch, &request, &memory, &cost), BANKRUN_OK);
            assert_memory_equal(&cost, &trial.cost, sizeof cost);
        }
        request.mask = 0;
        struct bankrun_cost cost;
        assert_int_equal(bankrun_count_again(trial.arch, &request, &memory, &cost),
                         BANKRUN_EMPTY_MASK);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_properties),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
