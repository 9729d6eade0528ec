// The row of a declaration is found in how lanes go about in an array, and nothing is taken for one
// that is none.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fix/rows.h"

enum { LANES = BANKRUN_LANES, MOST = 8 };

struct asked {
    uint32_t offsets[MOST][LANES];
    struct fix_request requests[MOST];
    struct fix_problem problem;
};

static void begin(struct asked *asked, uint64_t bytes, unsigned element) {
    memset(asked, 0, sizeof *asked);
    asked->problem = (struct fix_problem){.arch = 90,
                                          .array = {.bytes = bytes, .element_bytes = element},
                                          .requests = asked->requests,
                                          .site_count = 1};
}

// Row and column of each lane, in an array of rows of `row` bytes.
static void ask(struct asked *asked, unsigned row, unsigned width, unsigned (*r)(unsigned),
                unsigned (*c)(unsigned)) {
    const size_t n = asked->problem.request_count++;
    for (unsigned l = 0; l < LANES; l++)
        asked->offsets[n][l] = r(l) * row + c(l) * width;
    asked->requests[n] = (struct fix_request){
        .banks = {BANKRUN_LOAD, width, 0, UINT32_MAX, asked->offsets[n]}, .count = 1};
}

static unsigned lane(unsigned l) {
    return l;
}
static unsigned none(unsigned l) {
    return l * 0;
}
static unsigned twice(unsigned l) {
    return 2 * l;
}
static unsigned of16(unsigned l) {
    return l % 16;
}
static unsigned by16(unsigned l) {
    return l / 16;
}
static unsigned of8(unsigned l) {
    return l % 8;
}
static unsigned by8(unsigned l) {
    return l / 8;
}
static unsigned of10(unsigned l) {
    return (l + 6) % 10;
}
static unsigned by10(unsigned l) {
    return (l + 6) / 10;
}
static unsigned by4(unsigned l) {
    return l / 4;
}
static unsigned quarters(unsigned l) {
    return l % 4 * 16;
}
static unsigned scattered(unsigned l) {
    return l * l * 7 % 61;
}

static void test_columns(void **state) {
    (void)state;
    struct asked asked;
    begin(&asked, 4096, 4);
    ask(&asked, 128, 4, lane, none);
    assert_int_equal(fix_declared_row(&asked.problem), 128);
    ask(&asked, 128, 4, none, lane);
    assert_int_equal(fix_declared_row(&asked.problem), 128);
    ask(&asked, 132, 4, lane, none); // the diagonal
    assert_int_equal(fix_declared_row(&asked.problem), 128);
}

// Every second row is no row where other lanes step through all.
static void test_every_second_row(void **state) {
    (void)state;
    struct asked asked;
    begin(&asked, 8192, 4);
    ask(&asked, 128, 4, twice, none);
    ask(&asked, 128, 4, lane, none);
    assert_int_equal(fix_declared_row(&asked.problem), 128);
}

// Blocks of 16 columns: half a warp in each row, or in each column.
static void test_halves(void **state) {
    (void)state;
    struct asked asked;
    begin(&asked, 16 * 68, 4);
    ask(&asked, 68, 4, by16, of16);
    assert_int_equal(fix_declared_row(&asked.problem), 68);
    begin(&asked, 1024, 4);
    ask(&asked, 64, 4, of16, by16);
    ask(&asked, 64, 4, by16, of16); // which go on from row to row
    assert_int_equal(fix_declared_row(&asked.problem), 64);
}

// Blocks of 10 columns, of which a warp begins in the midst.
static void test_no_power_of_two(void **state) {
    (void)state;
    struct asked asked;
    begin(&asked, 480, 4);
    ask(&asked, 48, 4, by10, of10);
    assert_int_equal(fix_declared_row(&asked.problem), 48);
}

// ldmatrix: eight rows of 16 bytes, four matrices side by side; float4 by eighths of a warp.
static void test_wide(void **state) {
    (void)state;
    struct asked asked;
    begin(&asked, 2048, 16);
    ask(&asked, 128, 16, of8, by8);
    assert_int_equal(fix_declared_row(&asked.problem), 128);
    begin(&asked, 2048, 16);
    ask(&asked, 144, 16, by8, of8);
    assert_int_equal(fix_declared_row(&asked.problem), 144);
}

// Places in one row are strided, too: the larger stride is the row's.
static void test_strides_in_a_row(void **state) {
    (void)state;
    struct asked asked;
    begin(&asked, 2560, 4);
    ask(&asked, 320, 4, by4, quarters);
    assert_int_equal(fix_declared_row(&asked.problem), 320);
    fix_find_rows(&asked.problem);
    assert_int_equal(asked.problem.array.rows[0].pitch, 320);
    assert_int_equal(asked.problem.array.rows[0].operations, 0);
    for (unsigned i = 1; i < asked.problem.array.row_count; i++)
        assert_int_equal(asked.problem.array.rows[i].operations, FIX_PAD_OPERATIONS);
}

// A reduction with doubling strides has no rows, pairs have none, nor what follows no rule.
static void test_no_rows(void **state) {
    (void)state;
    struct asked asked;
    begin(&asked, 4096, 4);
    ask(&asked, 64, 4, lane, none);
    assert_int_equal(fix_declared_row(&asked.problem), 64); // it might be one ...
    for (unsigned s = 2; s <= 8; s *= 2)
        ask(&asked, 4 * s, 4, lane, none);
    assert_int_equal(fix_declared_row(&asked.problem), 0); // ... if others did not run over it
    begin(&asked, 4096, 4);
    ask(&asked, 8, 4, lane, none);
    assert_int_equal(fix_declared_row(&asked.problem), 0);
    begin(&asked, 4096, 4);
    ask(&asked, 4, 4, scattered, none);
    assert_int_equal(fix_declared_row(&asked.problem), 0);
    begin(&asked, 4096, 4);
    ask(&asked, 4, 4, none, none);
    assert_int_equal(fix_declared_row(&asked.problem), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns), cmocka_unit_test(test_every_second_row),
        cmocka_unit_test(test_halves),  cmocka_unit_test(test_no_power_of_two),
        cmocka_unit_test(test_wide),    cmocka_unit_test(test_strides_in_a_row),
        cmocka_unit_test(test_no_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
