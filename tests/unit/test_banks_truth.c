// The bank model against the hardware measurements in truth/.
#include "bankrun/banks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// How the clock follows the wavefronts; docs/bank-rules.md has the floors.
enum clock_rule {
    CLOCK_EXACT, // rounds to the wavefronts, or to the floor
    CLOCK_STORE, // the same, but some lie up to a fifth below
    CLOCK_SWAP,  // up to a tenth below: passes of neighbouring instructions overlap
    CLOCK_NONE,  // not measured, or a loop whose instructions count too
};

struct kind {
    const char *name;
    enum bankrun_access access;
    unsigned width, matrices;
    unsigned rows, counted; // what the file holds, so that no row is skipped silently
    enum clock_rule clock;
};

static const struct kind kinds[] = {
    {"ld.shared.u8", BANKRUN_LOAD, 1, 0, 365, 73, CLOCK_STORE},
    {"ld.shared.u16", BANKRUN_LOAD, 2, 0, 365, 73, CLOCK_STORE},
    {"ld.shared.u32", BANKRUN_LOAD, 4, 0, 349, 70, CLOCK_STORE},
    {"ld.shared.u64", BANKRUN_LOAD, 8, 0, 389, 78, CLOCK_STORE},
    {"ld.shared.v2.u32", BANKRUN_LOAD, 8, 0, 389, 77, CLOCK_STORE},
    {"ld.shared.v4.u32", BANKRUN_LOAD, 16, 0, 778, 156, CLOCK_STORE},
    {"st.shared.u8", BANKRUN_STORE, 1, 0, 365, 73, CLOCK_STORE},
    {"st.shared.u16", BANKRUN_STORE, 2, 0, 365, 73, CLOCK_STORE},
    {"st.shared.u32", BANKRUN_STORE, 4, 0, 349, 70, CLOCK_STORE},
    {"st.shared.u64", BANKRUN_STORE, 8, 0, 389, 77, CLOCK_STORE},
    {"st.shared.v4.u32", BANKRUN_STORE, 16, 0, 389, 78, CLOCK_STORE},
    {"ldmatrix.x1", BANKRUN_MATRIX_LOAD, 16, 1, 305, 61, CLOCK_NONE},
    {"ldmatrix.x2", BANKRUN_MATRIX_LOAD, 16, 2, 305, 61, CLOCK_NONE},
    {"ldmatrix.x4", BANKRUN_MATRIX_LOAD, 16, 4, 305, 61, CLOCK_NONE},
    {"ldmatrix.x4.trans", BANKRUN_MATRIX_LOAD, 16, 4, 305, 61, CLOCK_NONE},
    {"stmatrix.x1", BANKRUN_MATRIX_STORE, 16, 1, 305, 61, CLOCK_STORE},
    {"stmatrix.x2", BANKRUN_MATRIX_STORE, 16, 2, 305, 61, CLOCK_STORE},
    {"stmatrix.x4", BANKRUN_MATRIX_STORE, 16, 4, 305, 61, CLOCK_STORE},
    {"atom.shared.add.u32", BANKRUN_ATOMIC, 4, 0, 349, 70, CLOCK_STORE},
    {"atom.shared.max.u32", BANKRUN_ATOMIC, 4, 0, 349, 70, CLOCK_STORE},
    {"atom.shared.exch.b32", BANKRUN_ATOMIC, 4, 0, 349, 70, CLOCK_STORE},
    {"red.shared.add.u32", BANKRUN_ATOMIC, 4, 0, 349, 70, CLOCK_STORE},
    {"atom.shared.add.u32(1)", BANKRUN_ATOMIC_CONSTANT, 4, 0, 349, 70, CLOCK_STORE},
    {"atom.shared.cas.b32", BANKRUN_ATOMIC_CAS, 4, 0, 349, 70, CLOCK_SWAP},
    {"atom.shared.cas.b64", BANKRUN_ATOMIC_CAS, 8, 0, 389, 77, CLOCK_SWAP},
    {"atom.shared.add.f32", BANKRUN_ATOMIC_LOOP, 4, 0, 349, 70, CLOCK_NONE},
    {"atom.shared.add.u64", BANKRUN_ATOMIC_LOOP, 8, 0, 389, 77, CLOCK_NONE},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

struct row {
    const struct kind *kind;
    uint32_t mask, offsets[BANKRUN_LANES];
    double cycles, wavefronts; // wavefronts < 0: not counted
};

// Fields: instruction,mask,32 offsets,cycles,wavefronts
static bool read_row(char *line, struct row *row) {
    char *at = strchr(line, ',');
    assert_non_null(at);
    *at++ = '\0';
    row->kind = NULL;
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].name, line) == 0)
            row->kind = &kinds[i];
    if (row->kind == NULL)
        return false;
    row->mask = (uint32_t)strtoul(at, &at, 16);
    at++;
    for (size_t lane = 0; lane < BANKRUN_LANES; lane++)
        row->offsets[lane] = (uint32_t)strtoul(at, &at, 10);
    row->cycles = strtod(at + 1, &at);
    row->wavefronts = at[1] >= '0' ? strtod(at + 1, NULL) : -1;
    return true;
}

static struct bankrun_request request_of(const struct row *row) {
    return (struct bankrun_request){row->kind->access, row->kind->width, row->kind->matrices,
                                    row->mask, row->offsets};
}

static bool counter_agrees(const struct row *row, const struct bankrun_cost *cost) {
    double want = cost->wavefronts;
    struct bankrun_request request = request_of(row);
    switch (row->kind->access) {
    case BANKRUN_ATOMIC_CONSTANT: { // 2 of the 128 copies were plain adds
        struct bankrun_cost plain;
        request.access = BANKRUN_ATOMIC;
        assert_int_equal(bankrun_count(90, &request, &plain), BANKRUN_OK);
        want = (126.0 * cost->wavefronts + 2.0 * plain.wavefronts) / 128;
        return row->wavefronts > want - 0.001 && row->wavefronts < want + 0.001;
    }
    case BANKRUN_ATOMIC_LOOP: // lane 0 added 0, which is where the bounds differ
        return row->wavefronts >= cost->min && row->wavefronts <= cost->max;
    default: // a mean that may miss a few of the copies
        return row->wavefronts > want * 0.98 && row->wavefronts < want + 0.001;
    }
}

static bool clock_agrees(const struct row *row, const struct bankrun_cost *cost) {
    struct bankrun_request request = request_of(row);
    double want = bankrun_cycles(90, &request, cost);
    double over = 0.5 + want / 50, under = over;
    if (row->kind->clock == CLOCK_STORE) {
        under = 0.5 + want / 5;
        over = 0.6 + want / 10;
    }
    if (row->kind->clock == CLOCK_SWAP)
        under = 0.5 + want / 9;
    return row->kind->clock == CLOCK_NONE ||
           (row->cycles > want - under && row->cycles < want + over);
}

static void test_truth(void **state) {
    (void)state;
    const char *root = getenv("BANKRUN_SOURCE");
    char command[4096], line[4096];
    snprintf(command, sizeof command, "zcat '%s/truth/h200_patterns.csv.gz'", root ? root : ".");
    FILE *file = popen(command, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line,
                        "instruction,active_mask,byte_offsets,cycles_per_instruction,wavefronts\n");
    unsigned rows[KINDS] = {0}, counted[KINDS] = {0}, wrong = 0, loops_below = 0, all = 0;
    while (fgets(line, sizeof line, file)) {
        struct row row;
        struct bankrun_cost cost;
        assert_true(read_row(line, &row));
        struct bankrun_request request = request_of(&row);
        assert_int_equal(bankrun_count(90, &request, &cost), BANKRUN_OK);
        assert_int_equal(cost.certainty, BANKRUN_MEASURED);
        assert_true(cost.wavefronts >= cost.ideal && cost.min >= cost.ideal);
        size_t kind = (size_t)(row.kind - kinds);
        all++;
        rows[kind]++;
        counted[kind] += row.wavefronts >= 0;
        bool agrees = clock_agrees(&row, &cost);
        if (row.wavefronts >= 0)
            agrees &= counter_agrees(&row, &cost);
        if (row.kind->access == BANKRUN_ATOMIC_LOOP && row.wavefronts >= 0)
            loops_below += row.wavefronts != cost.wavefronts;
        if (!agrees && wrong++ < 10)
            print_error("%s mask %08x: model %u, counter %g, clock %g\n", line, row.mask,
                        cost.wavefronts, row.wavefronts, row.cycles);
    }
    assert_int_equal(pclose(file), 0);
    print_message("agree %u of %u\n", all - wrong, all);
    assert_int_equal(wrong, 0);
    assert_int_equal(all, 9848);
    assert_int_equal(loops_below, 8);
    for (size_t kind = 0; kind < KINDS; kind++) {
        assert_int_equal(rows[kind], kinds[kind].rows);
        assert_int_equal(counted[kind], kinds[kind].counted);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
