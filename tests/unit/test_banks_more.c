// The bank model against truth/h200_more_patterns.csv.gz: atomics of every type, asynchronous
// copies, generic addresses, shared memory of a cluster.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bankrun/banks.h"

enum check {
    EXACT,    // every counter is the likely value
    BETWEEN,  // between the bounds
    AT_MOST,  // below the upper bound: lanes that change nothing leave early
    PLUS_ONE, // a loop on a generic address has one more wavefront
    SKIP,     // not counted, or no rule
};

static const struct kind {
    const char *name;
    enum bankrun_access access;
    unsigned width;
    enum check check;
    unsigned rows;
} kinds[] = {
    {"atom.shared.add.s32", BANKRUN_ATOMIC, 4, EXACT, 56},
    {"atom.shared.min.s32", BANKRUN_ATOMIC, 4, EXACT, 56},
    {"atom.shared.max.s32", BANKRUN_ATOMIC, 4, EXACT, 56},
    {"atom.shared.min.u32", BANKRUN_ATOMIC, 4, EXACT, 56},
    {"atom.shared.and.b32", BANKRUN_ATOMIC, 4, EXACT, 56},
    {"atom.shared.or.b32", BANKRUN_ATOMIC, 4, EXACT, 56},
    {"atom.shared.xor.b32", BANKRUN_ATOMIC, 4, EXACT, 56},
    {"atom.shared.inc.u32", BANKRUN_ATOMIC, 4, EXACT, 56},
    {"atom.shared.dec.u32", BANKRUN_ATOMIC, 4, EXACT, 56},
    {"atom.shared.exch.b64", BANKRUN_ATOMIC, 8, EXACT, 56},
    {"atom.shared.exch.b128", BANKRUN_ATOMIC, 16, EXACT, 56},
    {"atom.shared.cas.b128", BANKRUN_ATOMIC_CAS, 16, EXACT, 56},
    {"atom.shared.add.u64", BANKRUN_ATOMIC_LOOP, 8, EXACT, 56},
    {"red.shared.add.u64", BANKRUN_ATOMIC_LOOP, 8, EXACT, 56},
    {"atom.shared.xor.b64", BANKRUN_ATOMIC_LOOP, 8, EXACT, 56},
    {"atom.shared.add.f64", BANKRUN_ATOMIC_LOOP, 8, EXACT, 56},
    {"red.shared.add.f64", BANKRUN_ATOMIC_LOOP, 8, EXACT, 56},
    {"atom.shared.and.b64", BANKRUN_ATOMIC_LOOP, 8, BETWEEN, 56},
    {"atom.shared.or.b64", BANKRUN_ATOMIC_LOOP, 8, BETWEEN, 56},
    {"atom.shared.min.u64", BANKRUN_ATOMIC_LOOP, 8, AT_MOST, 56},
    {"atom.shared.max.u64", BANKRUN_ATOMIC_LOOP, 8, AT_MOST, 56},
    {"atom.shared.min.s64", BANKRUN_ATOMIC_LOOP, 8, AT_MOST, 56},
    {"atom.shared.max.s64", BANKRUN_ATOMIC_LOOP, 8, AT_MOST, 56},
    {"red.shared.max.s64", BANKRUN_ATOMIC_LOOP, 8, AT_MOST, 56},
    {"atom.shared.add.f32", BANKRUN_ATOMIC_LOOP, 4, EXACT, 56},
    {"red.shared.add.f32", BANKRUN_ATOMIC_LOOP, 4, EXACT, 56},
    {"atom.shared.add.f16x2", BANKRUN_ATOMIC_LOOP, 4, EXACT, 56},
    {"atom.shared.add.bf16x2", BANKRUN_ATOMIC_LOOP, 4, EXACT, 56},
    {"atom.shared.add.f16", BANKRUN_ATOMIC_LOOP, 2, EXACT, 56},
    {"atom.shared.add.bf16", BANKRUN_ATOMIC_LOOP, 2, EXACT, 56},
    {"atom.shared.cas.b16", BANKRUN_ATOMIC_LOOP, 2, BETWEEN, 56},
    {"st.u32", BANKRUN_STORE, 4, EXACT, 44},
    {"st.v2.u32", BANKRUN_STORE, 8, EXACT, 44},
    {"st.v4.u32", BANKRUN_STORE, 16, EXACT, 44},
    {"atom.add.u32", BANKRUN_ATOMIC, 4, EXACT, 44},
    {"atom.add.f32", BANKRUN_ATOMIC_LOOP, 4, PLUS_ONE, 44},
    {"atom.cas.b64", BANKRUN_ATOMIC_CAS, 8, EXACT, 44},
    {"cp.async.ca.4", BANKRUN_ASYNC_COPY, 4, BETWEEN, 276},
    {"cp.async.ca.8", BANKRUN_ASYNC_COPY, 8, BETWEEN, 276},
    {"cp.async.ca.16", BANKRUN_ASYNC_COPY, 16, BETWEEN, 276},
    {"cp.async.cg.16", BANKRUN_ASYNC_COPY, 16, SKIP, 132},
    {"st.shared::cluster.u32 @mine", BANKRUN_STORE, 4, EXACT, 36},
    {"st.shared::cluster.v2.u32 @mine", BANKRUN_STORE, 8, EXACT, 36},
    {"st.shared::cluster.v4.u32 @mine", BANKRUN_STORE, 16, EXACT, 36},
    {"atom.shared::cluster.add.u32 @mine", BANKRUN_ATOMIC, 4, EXACT, 36},
    {"st.shared::cluster.u32 @other", BANKRUN_STORE, 4, SKIP, 36},
    {"st.shared::cluster.v2.u32 @other", BANKRUN_STORE, 8, SKIP, 36},
    {"st.shared::cluster.v4.u32 @other", BANKRUN_STORE, 16, SKIP, 36},
    {"atom.shared::cluster.add.u32 @other", BANKRUN_ATOMIC, 4, SKIP, 36},
    {"shfl.sync.idx.b32", BANKRUN_LOAD, 4, SKIP, 16},
    {"shfl.sync.up.b32", BANKRUN_LOAD, 4, SKIP, 16},
    {"shfl.sync.down.b32", BANKRUN_LOAD, 4, SKIP, 16},
    {"shfl.sync.bfly.b32", BANKRUN_LOAD, 4, SKIP, 16},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const struct kind *find(const char *name) {
    for (size_t i = 0; i < KINDS; i++)
        if (!strcmp(kinds[i].name, name))
            return &kinds[i];
    return NULL;
}

static bool agrees(enum check check, const struct bankrun_cost *cost, double counted) {
    switch (check) {
    case EXACT:
        return counted == cost->wavefronts;
    case BETWEEN:
        return counted >= cost->min && counted <= cost->max;
    case AT_MOST:
        return counted <= cost->max;
    case PLUS_ONE:
        return counted == cost->wavefronts + 1;
    case SKIP:
        break;
    }
    return true;
}

// instruction,mask,offsets,global offsets (or nothing),cycles,wavefronts
static void test_truth(void **state) {
    (void)state;
    const char *root = getenv("BANKRUN_SOURCE");
    char command[4096], line[4096];
    snprintf(command, sizeof command, "zcat '%s/truth/h200_more_patterns.csv.gz'",
             root ? root : ".");
    FILE *file = popen(command, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    unsigned rows[KINDS] = {0}, wrong = 0;
    while (fgets(line, sizeof line, file)) {
        char *at = strchr(line, ',');
        assert_non_null(at);
        *at++ = '\0';
        const struct kind *kind = find(line);
        assert_non_null(kind);
        rows[kind - kinds]++;
        uint32_t offsets[BANKRUN_LANES], mask = (uint32_t)strtoul(at, &at, 16);
        at++;
        for (size_t lane = 0; lane < BANKRUN_LANES; lane++)
            offsets[lane] = (uint32_t)strtoul(at, &at, 10);
        double counted = strtod(strrchr(at, ',') + 1, NULL);
        struct bankrun_request request = {kind->access, kind->width, 0, mask, offsets};
        struct bankrun_cost cost;
        assert_int_equal(bankrun_count(90, &request, &cost), BANKRUN_OK);
        assert_true(cost.min <= cost.wavefronts && cost.wavefronts <= cost.max);
        if (!agrees(kind->check, &cost, counted) && wrong++ < 10)
            print_error("%s mask %08x: model %u (%u to %u), counter %g\n", line, mask,
                        cost.wavefronts, cost.min, cost.max, counted);
    }
    assert_int_equal(pclose(file), 0);
    assert_int_equal(wrong, 0);
    for (size_t i = 0; i < KINDS; i++)
        assert_int_equal(rows[i], kinds[i].rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_truth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
