// The bank model against truth/h200_more_patterns.csv.gz and truth/h200_async_copies.csv.gz:
// atomics of every type, asynchronous copies, generic addresses, shared memory of a cluster. Prints
// how many rows agree.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bankrun/banks.h"

enum check {
    EXACT,   // every counter is the likely value
    BETWEEN, // between the bounds: lanes that change nothing leave early
    COPY,    // an asynchronous copy, with its source: exact
    SKIP,    // no rule
};

static const struct kind {
    const char *name;
    enum bankrun_access access;
    unsigned width;
    enum check check;
    unsigned rows, counted; // what the files hold, so that no row is skipped silently
} kinds[] = {
    {"atom.shared.add.s32", BANKRUN_ATOMIC, 4, EXACT, 56, 56},
    {"atom.shared.min.s32", BANKRUN_ATOMIC, 4, EXACT, 56, 56},
    {"atom.shared.max.s32", BANKRUN_ATOMIC, 4, EXACT, 56, 56},
    {"atom.shared.min.u32", BANKRUN_ATOMIC, 4, EXACT, 56, 56},
    {"atom.shared.and.b32", BANKRUN_ATOMIC, 4, EXACT, 56, 56},
    {"atom.shared.or.b32", BANKRUN_ATOMIC, 4, EXACT, 56, 56},
    {"atom.shared.xor.b32", BANKRUN_ATOMIC, 4, EXACT, 56, 56},
    {"atom.shared.inc.u32", BANKRUN_ATOMIC, 4, EXACT, 56, 56},
    {"atom.shared.dec.u32", BANKRUN_ATOMIC, 4, EXACT, 56, 56},
    {"atom.shared.exch.b64", BANKRUN_ATOMIC, 8, EXACT, 56, 56},
    {"atom.shared.exch.b128", BANKRUN_ATOMIC, 16, EXACT, 56, 56},
    {"atom.shared.cas.b128", BANKRUN_ATOMIC_CAS, 16, EXACT, 56, 56},
    {"atom.shared.add.u64", BANKRUN_ATOMIC_LOOP, 8, EXACT, 56, 56},
    {"red.shared.add.u64", BANKRUN_ATOMIC_LOOP, 8, EXACT, 56, 56},
    {"atom.shared.xor.b64", BANKRUN_ATOMIC_LOOP, 8, EXACT, 56, 56},
    {"atom.shared.add.f64", BANKRUN_ATOMIC_LOOP, 8, EXACT, 56, 56},
    {"red.shared.add.f64", BANKRUN_ATOMIC_LOOP, 8, EXACT, 56, 56},
    {"atom.shared.and.b64", BANKRUN_ATOMIC_LOOP, 8, BETWEEN, 56, 56},
    {"atom.shared.or.b64", BANKRUN_ATOMIC_LOOP, 8, BETWEEN, 56, 56},
    {"atom.shared.min.u64", BANKRUN_ATOMIC_EARLY_LOOP, 8, BETWEEN, 56, 56},
    {"atom.shared.max.u64", BANKRUN_ATOMIC_EARLY_LOOP, 8, BETWEEN, 56, 56},
    {"atom.shared.min.s64", BANKRUN_ATOMIC_EARLY_LOOP, 8, BETWEEN, 56, 56},
    {"atom.shared.max.s64", BANKRUN_ATOMIC_EARLY_LOOP, 8, BETWEEN, 56, 56},
    {"red.shared.max.s64", BANKRUN_ATOMIC_EARLY_LOOP, 8, BETWEEN, 56, 56},
    {"atom.shared.add.f32", BANKRUN_ATOMIC_LOOP, 4, EXACT, 56, 56},
    {"red.shared.add.f32", BANKRUN_ATOMIC_LOOP, 4, EXACT, 56, 56},
    {"atom.shared.add.f16x2", BANKRUN_ATOMIC_LOOP, 4, EXACT, 56, 56},
    {"atom.shared.add.bf16x2", BANKRUN_ATOMIC_LOOP, 4, EXACT, 56, 56},
    {"atom.shared.add.f16", BANKRUN_ATOMIC_LOOP, 2, EXACT, 56, 56},
    {"atom.shared.add.bf16", BANKRUN_ATOMIC_LOOP, 2, EXACT, 56, 56},
    {"atom.shared.cas.b16", BANKRUN_ATOMIC_LOOP, 2, BETWEEN, 56, 56},
    {"st.u32", BANKRUN_STORE, 4, EXACT, 44, 44},
    {"st.v2.u32", BANKRUN_STORE, 8, EXACT, 44, 44},
    {"st.v4.u32", BANKRUN_STORE, 16, EXACT, 44, 44},
    {"atom.add.u32", BANKRUN_ATOMIC, 4, EXACT, 44, 44},
    {"atom.add.f32", BANKRUN_GENERIC_LOOP, 4, EXACT, 44, 44},
    {"atom.cas.b64", BANKRUN_ATOMIC_CAS, 8, EXACT, 44, 44},
    {"cp.async.ca.4", BANKRUN_ASYNC_COPY, 4, COPY, 926, 526},
    {"cp.async.ca.8", BANKRUN_ASYNC_COPY, 8, COPY, 926, 526},
    {"cp.async.ca.16", BANKRUN_ASYNC_COPY, 16, COPY, 1125, 643},
    {"cp.async.cg.16", BANKRUN_ASYNC_COPY, 16, SKIP, 132, 0},
    {"st.shared::cluster.u32 @mine", BANKRUN_STORE, 4, EXACT, 36, 36},
    {"st.shared::cluster.v2.u32 @mine", BANKRUN_STORE, 8, EXACT, 36, 36},
    {"st.shared::cluster.v4.u32 @mine", BANKRUN_STORE, 16, EXACT, 36, 36},
    {"atom.shared::cluster.add.u32 @mine", BANKRUN_ATOMIC, 4, EXACT, 36, 36},
    {"st.shared::cluster.u32 @other", BANKRUN_STORE, 4, SKIP, 36, 0},
    {"st.shared::cluster.v2.u32 @other", BANKRUN_STORE, 8, SKIP, 36, 0},
    {"st.shared::cluster.v4.u32 @other", BANKRUN_STORE, 16, SKIP, 36, 0},
    {"atom.shared::cluster.add.u32 @other", BANKRUN_ATOMIC, 4, SKIP, 36, 0},
    {"ld.u32", BANKRUN_GENERIC_LOAD, 4, EXACT, 44, 44},
    {"ld.u64", BANKRUN_GENERIC_LOAD, 8, EXACT, 44, 44},
    {"ld.v4.u32", BANKRUN_GENERIC_LOAD, 16, EXACT, 44, 44},
    {"atom.add.u64", BANKRUN_ATOMIC, 8, EXACT, 24, 8},
    {"atom.exch.b64", BANKRUN_ATOMIC, 8, EXACT, 24, 8},
    {"atom.cas.b32", BANKRUN_ATOMIC_CAS, 4, EXACT, 24, 8},
    {"atom.xor.b64", BANKRUN_GENERIC_LOOP, 8, EXACT, 24, 8},
    {"atom.add.f64", BANKRUN_GENERIC_LOOP, 8, EXACT, 24, 8},
    {"atom.min.u64", BANKRUN_GENERIC_EARLY_LOOP, 8, BETWEEN, 24, 8},
    {"atom.add.f16x2", BANKRUN_GENERIC_LOOP, 4, EXACT, 24, 8},
    {"atom.add.f16", BANKRUN_GENERIC_LOOP, 2, EXACT, 24, 8},
    {"red.add.f32", BANKRUN_GENERIC_LOOP, 4, EXACT, 24, 8},
    {"ld.shared.u64", BANKRUN_LOAD, 8, EXACT, 24, 24},
    {"ld.shared.v2.u32", BANKRUN_LOAD, 8, EXACT, 24, 24},
    {"ld.shared.v4.u32", BANKRUN_LOAD, 16, EXACT, 24, 24},
    {"ld.shared.v2.u64", BANKRUN_LOAD, 16, EXACT, 24, 24},
    {"ld.shared::cluster.u32 @mine", BANKRUN_LOAD, 4, EXACT, 36, 9},
    {"ld.shared::cluster.u64 @mine", BANKRUN_LOAD, 8, EXACT, 36, 9},
    {"ld.shared::cluster.v4.u32 @mine", BANKRUN_LOAD, 16, EXACT, 36, 9},
    {"ld.shared::cluster.u32 @other", BANKRUN_LOAD, 4, SKIP, 36, 0},
    {"ld.shared::cluster.u64 @other", BANKRUN_LOAD, 8, SKIP, 36, 0},
    {"ld.shared::cluster.v4.u32 @other", BANKRUN_LOAD, 16, SKIP, 36, 0},
    {"shfl.sync.idx.b32", BANKRUN_LOAD, 4, SKIP, 16, 4},
    {"shfl.sync.up.b32", BANKRUN_LOAD, 4, SKIP, 16, 4},
    {"shfl.sync.down.b32", BANKRUN_LOAD, 4, SKIP, 16, 4},
    {"shfl.sync.bfly.b32", BANKRUN_LOAD, 4, SKIP, 16, 4},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const struct kind *find(const char *name) {
    for (size_t i = 0; i < KINDS; i++)
        if (!strcmp(kinds[i].name, name))
            return &kinds[i];
    return NULL;
}

struct row {
    const struct kind *kind;
    uint32_t mask, offsets[BANKRUN_LANES];
    uint64_t sources[BANKRUN_LANES];
    double cycles, wavefronts; // < 0: not measured
};

// instruction,mask,offsets,global offsets (or nothing),cycles,wavefronts
static void read_row(char *line, struct row *row) {
    char *at = strchr(line, ',');
    assert_non_null(at);
    *at++ = '\0';
    row->kind = find(line);
    if (!row->kind)
        print_error("%s\n", line);
    assert_non_null(row->kind);
    row->mask = (uint32_t)strtoul(at, &at, 16);
    at++;
    for (size_t lane = 0; lane < BANKRUN_LANES; lane++)
        row->offsets[lane] = (uint32_t)strtoul(at, &at, 10);
    at++;
    for (size_t lane = 0; lane < BANKRUN_LANES && *at != ','; lane++)
        row->sources[lane] = strtoull(at, &at, 10);
    at++;
    row->cycles = *at == ',' ? -1 : strtod(at, &at);
    at++;
    row->wavefronts = *at < '0' ? -1 : strtod(at, NULL);
}

static struct bankrun_cost cost_of(const struct row *row) {
    struct bankrun_cost cost = {0};
    struct bankrun_request request = {row->kind->access, row->kind->width, 0, row->mask,
                                      row->offsets};
    assert_int_equal(bankrun_count(90, &request, &cost), BANKRUN_OK);
    if (row->kind->check == COPY) {
        struct bankrun_cost bounds = cost;
        struct bankrun_copy copy = {row->kind->width, row->mask, row->offsets, row->sources};
        assert_int_equal(bankrun_count_copy(90, &copy, &cost), BANKRUN_OK);
        assert_true(bounds.min <= cost.min && cost.max <= bounds.max);
        assert_int_equal(bounds.ideal, cost.ideal);
        assert_int_equal(cost.certainty, BANKRUN_MEASURED);
    }
    assert_true(cost.min <= cost.wavefronts && cost.wavefronts <= cost.max);
    assert_true(cost.ideal <= cost.wavefronts && cost.degree >= 1);
    return cost;
}

// With copies in flight that find their one line in the cache, the clock follows the data path.
static bool clock_agrees(const struct row *row, const struct bankrun_cost *cost) {
    uint64_t line = row->sources[__builtin_ctz(row->mask)] / 128;
    for (uint32_t rest = row->mask; rest != 0; rest &= rest - 1)
        if (row->sources[__builtin_ctz(rest)] / 128 != line)
            return true;
    double over = cost->wavefronts <= 2 ? 2.2 : 0.9, under = 1.0 + cost->wavefronts / 20.0;
    return row->cycles > cost->wavefronts - under && row->cycles < cost->wavefronts + over;
}

static bool agrees(const struct row *row, const struct bankrun_cost *cost) {
    if (row->kind->check == COPY && !clock_agrees(row, cost))
        return false;
    if (row->wavefronts < 0)
        return true;
    if (row->kind->check == BETWEEN)
        return row->wavefronts >= cost->min && row->wavefronts <= cost->max;
    return row->wavefronts == cost->wavefronts;
}

// Rows and counters of each kind; how many that have a rule there are, and how many agree.
struct tally {
    unsigned rows[KINDS], counted[KINDS], checked, agreed;
};

static void check_file(const char *name, struct tally *tally) {
    const char *root = getenv("BANKRUN_SOURCE");
    char command[4096], line[4096];
    snprintf(command, sizeof command, "zcat '%s/truth/%s'", root ? root : ".", name);
    FILE *file = popen(command, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "instruction,active_mask,byte_offsets,global_offsets,"
                              "cycles_per_instruction,wavefronts\n");
    while (fgets(line, sizeof line, file)) {
        struct row row = {0};
        read_row(line, &row);
        tally->rows[row.kind - kinds]++;
        tally->counted[row.kind - kinds] += row.wavefronts >= 0;
        if (row.kind->check == SKIP || (row.wavefronts < 0 && row.kind->check != COPY))
            continue;
        struct bankrun_cost cost = cost_of(&row);
        tally->checked++;
        if (agrees(&row, &cost))
            tally->agreed++;
        else if (tally->checked - tally->agreed <= 10)
            print_error("%s mask %08x: model %u (%u to %u), counter %g, clock %g\n", line, row.mask,
                        cost.wavefronts, cost.min, cost.max, row.wavefronts, row.cycles);
    }
    assert_int_equal(pclose(file), 0);
}

static void test_truth(void **state) {
    (void)state;
    struct tally tally = {0};
    check_file("h200_more_patterns.csv.gz", &tally);
    check_file("h200_async_copies.csv.gz", &tally);
    print_message("agree %u of %u\n", tally.agreed, tally.checked);
    assert_int_equal(tally.agreed, tally.checked);
    for (size_t i = 0; i < KINDS; i++) {
        assert_int_equal(tally.rows[i], kinds[i].rows);
        assert_int_equal(tally.counted[i], kinds[i].counted);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_truth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
