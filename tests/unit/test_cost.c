// The cost model, in cases that can be followed by hand, and against what an H200 took.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cost/cost.h"
#include "source_path.h"

// A transpose of 4000 x 4000 floats, whose tile is read by columns.
static const struct cost_counts transpose = {.blocks = 15625,
                                             .threads = 1024,
                                             .shared_bytes = 4096,
                                             .instructions = 23e6,
                                             .barriers = 5e5,
                                             .shared_requests = 1e6,
                                             .shared_wavefronts = 16.5e6,
                                             .global_requests = 1e6,
                                             .global_loads = 5e5,
                                             .sectors = 4e6};

static double gain_of(const struct cost_counts *counts, double excess) {
    const struct cost_machine *machine = cost_machine_of(90);
    const struct cost_time now = cost_time_of(machine, counts);
    const struct cost_time then = cost_time_without(machine, counts, excess);
    return cost_gain(&now, &then);
}

static void test_machines(void **context) {
    (void)context;
    static const unsigned known[] = {70, 75, 80, 86, 89, 90, 100, 120};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct cost_machine *machine = cost_machine_of(known[i]);
        assert_non_null(machine);
        assert_int_equal(machine->arch, known[i]);
        assert_true(cost_time_of(machine, &transpose).all > 0);
    }
    assert_string_equal(cost_machine_of(90)->name, "H200");
    assert_null(cost_machine_of(13));
    assert_null(cost_machine_of(0));
}

static void test_conflicts_cost_where_shared_memory_is_busy(void **context) {
    (void)context;
    const struct cost_time time = cost_time_of(cost_machine_of(90), &transpose);
    assert_int_equal(time.bottleneck, COST_SHARED);
    for (int bound = 0; bound < COST_BOUNDS; bound++)
        assert_true(time.by[bound] <= time.all);
    assert_true(gain_of(&transpose, 15.5e6) > 1.3);
    assert_true(gain_of(&transpose, 7e6) < gain_of(&transpose, 15.5e6));
    assert_true(gain_of(&transpose, 1e9) >= gain_of(&transpose, 16.5e6)); // never below nothing
}

static void test_nothing_is_won(void **context) {
    (void)context;
    struct cost_counts counts = transpose;
    counts.sectors = 4e8; // each lane its own, again and again
    assert_int_equal(cost_time_of(cost_machine_of(90), &counts).bottleneck, COST_GLOBAL);
    assert_false(cost_is_worth(gain_of(&counts, 15.5e6)));
    counts = transpose;
    counts.instructions = 4e9;
    assert_int_equal(cost_time_of(cost_machine_of(90), &counts).bottleneck, COST_ISSUE);
    assert_false(cost_is_worth(gain_of(&counts, 15.5e6)));
    assert_true(gain_of(&transpose, 0) == 1);
}

static void test_small_launches(void **context) {
    (void)context;
    const struct cost_counts tiny = {.blocks = 1,
                                     .threads = 32,
                                     .shared_bytes = 4096,
                                     .instructions = 100,
                                     .shared_requests = 33,
                                     .shared_wavefronts = 64};
    const struct cost_time time = cost_time_of(cost_machine_of(90), &tiny);
    assert_int_equal(time.bottleneck, COST_LAUNCH);
    assert_false(cost_is_worth(gain_of(&tiny, 31)));
    // One block that does much is no faster for all the multiprocessors that do nothing.
    struct cost_counts alone = tiny, all = tiny;
    alone.shared_wavefronts = 1e6;
    all.blocks = 132;
    all.shared_wavefronts = 132e6;
    assert_float_equal(cost_time_of(cost_machine_of(90), &alone).by[COST_SHARED],
                       cost_time_of(cost_machine_of(90), &all).by[COST_SHARED], 1);
}

static void test_no_launch(void **context) {
    (void)context;
    const struct cost_counts nothing = {0};
    struct cost_counts large = transpose;
    large.shared_bytes = 1 << 20;
    assert_true(cost_time_of(cost_machine_of(90), &nothing).all == 0);
    assert_true(cost_time_of(cost_machine_of(90), &large).all == 0);
    assert_true(gain_of(&nothing, 0) == 1);
    assert_true(gain_of(&large, 1e6) == 1);
    const struct cost_counts idle = {.blocks = 1, .threads = 32};
    assert_int_equal(cost_time_of(cost_machine_of(90), &idle).bottleneck, COST_LAUNCH);
}

// ---- Against the machine -------------------------------------------------------------------

enum { FIELDS = 15, MOST_PAIRS = 256 };

struct pair {
    char set[16], name[96];
    double measured[2];  // microseconds, with conflicts and without
    double predicted[2]; // with conflicts, and with the ideal wavefronts instead
};

// Splits a line of CSV where it stands; quotes only around whole fields.
static size_t split(char *line, char *fields[FIELDS]) {
    size_t count = 0;
    for (char *at = line; count < FIELDS; at++) {
        const bool is_quoted = *at == '"';
        fields[count++] = at += is_quoted;
        at += strcspn(at, is_quoted ? "\"" : ",\r\n");
        if (is_quoted)
            *at++ = 0;
        if (*at != ',') {
            *at = 0;
            break;
        }
        *at = 0;
    }
    return count;
}

static void add_row(struct pair *pair, char *fields[FIELDS]) {
    double n[FIELDS];
    for (int i = 3; i < FIELDS; i++)
        n[i] = strtod(fields[i], NULL);
    const bool is_cured = !strcmp(fields[2], "cured");
    pair->measured[is_cured] += n[3];
    if (is_cured)
        return;
    const struct cost_counts counts = {.blocks = n[4],
                                       .threads = (unsigned)n[5],
                                       .shared_bytes = (unsigned)n[6],
                                       .instructions = n[7],
                                       .barriers = n[8],
                                       .shared_requests = n[9],
                                       .shared_wavefronts = n[10],
                                       .global_requests = n[12],
                                       .global_loads = n[13],
                                       .sectors = n[14]};
    const struct cost_machine *machine = cost_machine_of(90);
    pair->predicted[0] += cost_time_of(machine, &counts).all / 1e3;
    pair->predicted[1] += cost_time_without(machine, &counts, n[10] - n[11]).all / 1e3;
}

static size_t read_pairs(struct pair pairs[MOST_PAIRS]) {
    char *path = source_path("truth/h200_cost.csv"), line[512], *fields[FIELDS];
    FILE *file = fopen(path, "r");
    size_t count = 0;
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file)) {
        assert_int_equal(split(line, fields), FIELDS);
        if (count == 0 || strcmp(pairs[count - 1].name, fields[1]) != 0) {
            assert_true(count < MOST_PAIRS);
            snprintf(pairs[count].set, sizeof pairs[count].set, "%s", fields[0]);
            snprintf(pairs[count++].name, sizeof pairs->name, "%s", fields[1]);
        }
        add_row(&pairs[count - 1], fields);
    }
    fclose(file);
    free(path);
    return count;
}

struct score {
    unsigned pairs, near, times_near;
};

static bool is_near(double predicted, double measured) {
    return fabs(log(predicted / measured)) <= log(1.2);
}

// "" is any set.
static struct score score_of(const struct pair *pairs, size_t count, const char *set) {
    struct score score = {0};
    for (size_t i = 0; i < count; i++) {
        const struct pair *pair = &pairs[i];
        if (set[0] && strcmp(pair->set, set) != 0)
            continue;
        score.pairs++;
        score.near +=
            is_near(pair->predicted[0] / pair->predicted[1], pair->measured[0] / pair->measured[1]);
        score.times_near += is_near(pair->predicted[0], pair->measured[0]);
    }
    printf("%-9s %3u pairs; within 20 %%: %u gains (%.0f %%), %u times (%.0f %%)\n",
           set[0] ? set : "all", score.pairs, score.near, 100.0 * score.near / score.pairs,
           score.times_near, 100.0 * score.times_near / score.pairs);
    return score;
}

static double part(struct score score) {
    return (double)score.near / score.pairs;
}

// What the model reaches today, and must not fall below: docs/cost.md.
static void test_h200(void **context) {
    (void)context;
    static struct pair pairs[MOST_PAIRS];
    const size_t count = read_pairs(pairs);
    if (getenv("BANKRUN_COST_TABLE"))
        for (size_t i = 0; i < count; i++)
            printf("%-8s %-50s %8.1f us of %8.1f  %5.2f times of %5.2f%s\n", pairs[i].set,
                   pairs[i].name, pairs[i].predicted[0], pairs[i].measured[0],
                   pairs[i].predicted[0] / pairs[i].predicted[1],
                   pairs[i].measured[0] / pairs[i].measured[1],
                   is_near(pairs[i].predicted[0] / pairs[i].predicted[1],
                           pairs[i].measured[0] / pairs[i].measured[1])
                       ? ""
                       : "  *");
    assert_true(count >= 100);
    assert_true(part(score_of(pairs, count, "fitted")) >= 0.85);
    assert_true(part(score_of(pairs, count, "held-out")) >= 0.70);
    assert_true(part(score_of(pairs, count, "gallery")) >= 0.85);
    assert_true(part(score_of(pairs, count, "")) >= 0.80);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machines),
        cmocka_unit_test(test_conflicts_cost_where_shared_memory_is_busy),
        cmocka_unit_test(test_nothing_is_won),
        cmocka_unit_test(test_small_launches),
        cmocka_unit_test(test_no_launch),
        cmocka_unit_test(test_h200),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
