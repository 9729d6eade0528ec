// Who runs which clusters of a launch, and what ranks wrote on its way.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spread/deal.h"
#include "spread/wrote.h"

enum { RANKS = 3, CLUSTERS = 1000 };

// Who is done first takes more; `slow` takes nothing.
static void take_all(struct deal *deal, unsigned *by, unsigned slow) {
    double clocks[RANKS] = {0};
    for (;;) {
        unsigned rank = slow == 0;
        for (unsigned r = 0; r < RANKS; r++)
            if (r != slow && clocks[r] < clocks[rank])
                rank = r;
        uint64_t first;
        uint64_t count = deal_take(deal, rank, &first);
        if (!count)
            return;
        clocks[rank] += (double)count / deal->shares[rank].threads;
        assert_true(first + count <= CLUSTERS);
        while (count--) {
            assert_int_equal(by[first + count], 0); // nobody else has it
            by[first + count] = rank + 1;
        }
    }
}

static void each_runs_once(void **state) {
    struct deal_share shares[RANKS] = {{.threads = 2}, {.threads = 1}, {.threads = 1}};
    struct deal deal = {.ranks = RANKS, .shares = shares};
    (void)state;
    for (unsigned slow = 0; slow <= RANKS; slow++) {
        unsigned by[CLUSTERS] = {0};
        deal_begin(&deal, CLUSTERS);
        take_all(&deal, by, slow);
        for (unsigned i = 0; i < CLUSTERS; i++)
            assert_int_not_equal(by[i], 0);
        if (slow)
            assert_int_equal(by[0], 1); // the first block is rank 0's
        if (slow == RANKS) {            // nobody is slow: each has run its own part
            assert_int_equal(by[499], 1);
            assert_int_equal(by[500], 2);
            assert_int_equal(by[750], 3);
        }
    }
}

// A rank of half the speed: what it has taken when nothing is left for the others is little.
static void nobody_waits_long(void **state) {
    struct deal_share shares[RANKS] = {{.threads = 1}, {.threads = 1}, {.threads = 1}};
    struct deal deal = {.ranks = RANKS, .shares = shares};
    const double speeds[RANKS] = {1, 1, 0.5};
    double clocks[RANKS] = {0}, least = CLUSTERS, most = 0;
    (void)state;
    deal_begin(&deal, CLUSTERS);
    for (uint64_t first, count = 1; count;) {
        unsigned rank = 0;
        for (unsigned r = 1; r < RANKS; r++)
            if (clocks[r] < clocks[rank])
                rank = r;
        count = deal_take(&deal, rank, &first);
        clocks[rank] += (double)count / speeds[rank];
    }
    for (unsigned r = 0; r < RANKS; r++) {
        least = clocks[r] < least ? clocks[r] : least;
        most = clocks[r] > most ? clocks[r] : most;
    }
    assert_true(most - least < 0.03 * most);
}

static void fewer_than_ranks(void **state) {
    struct deal_share shares[RANKS] = {{0}};
    struct deal deal = {.ranks = RANKS, .shares = shares};
    uint64_t first = 7;
    (void)state;
    deal_begin(&deal, 1);
    assert_int_equal(deal_take(&deal, 1, &first), 1);
    assert_int_equal(first, 0);
    assert_int_equal(deal_take(&deal, 2, &first), 0);
    deal_begin(&deal, 0);
    assert_int_equal(deal_take(&deal, 0, &first), 0);
}

static void comes_back(void **state) {
    char text[1000];
    size_t packed_length, length = 0;
    (void)state;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i * i / 7);
    char *packed = spread_pack(text, sizeof text, &packed_length);
    char *plain = spread_unpack(packed, packed_length, &length);
    assert_int_equal(length, sizeof text);
    assert_memory_equal(plain, text, length);
    free(plain);
    for (size_t cut = 0; cut < packed_length; cut++)
        assert_null(spread_unpack(packed, cut, &length));
    memset(packed, 255, sizeof(uint64_t));
    assert_null(spread_unpack(packed, packed_length, &length));
    free(packed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_runs_once),
        cmocka_unit_test(nobody_waits_long),
        cmocka_unit_test(fewer_than_ranks),
        cmocka_unit_test(comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
