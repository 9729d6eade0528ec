// The report as data, without a text of it: verdicts, lines, tables, pictures.
#include "report_profiles.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/utf8.h"
#include "report/page.h"
#include "report/text.h"
#include "report/view.h"

static struct report_view *view_of(struct profile *profile, struct profile_launch *launches,
                                   size_t count, const struct report_options *options) {
    *profile = (struct profile){
        .arch = 90, .launches = launches, .launch_count = count, .launched = count};
    return report_view_create(profile, options);
}

static void assert_cell(const struct view_cell *cell, enum view_unit unit, uint64_t value,
                        uint64_t whole, enum report_style style) {
    assert_int_equal(cell->unit, unit);
    assert_int_equal(cell->value, value);
    assert_int_equal(cell->whole, whole);
    assert_int_equal(cell->style, style);
}

static void test_verdicts(void **state) {
    (void)state;
    struct profile_site shared[] = {shared_load(5, 10, 1)}, bad[] = {shared_load(5, 10, 3)},
                        global[] = {global_store(5, 10, 4)}, wide[] = {global_store(5, 10, 8)};
    struct profile_launch launches[] = {launch_of(0, NULL, 0), launch_of(1, global, 1),
                                        launch_of(2, wide, 1), launch_of(3, shared, 1),
                                        launch_of(4, bad, 1)};
    static const enum view_verdict wanted[] = {VIEW_NO_ACCESS, VIEW_ONLY_EFFICIENT,
                                               VIEW_ONLY_GLOBAL, VIEW_NO_CONFLICT, VIEW_CONFLICTS};
    struct profile profile;
    struct report_view *view = view_of(&profile, launches, 5, NULL);
    assert_int_equal(view->count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(view->launches[i].verdict, wanted[i]);
    assert_cell(&view->launches[4].excess, VIEW_PERCENT, 20, 30, STYLE_BAD);
    report_view_free(view);
    report_view_free(NULL);
}

static void test_lines(void **state) {
    (void)state;
    struct profile_site sites[] = {shared_load(10, 100, 2), shared_load(10, 100, 8),
                                   shared_load(20, 1, 1),   shared_load(30, 100, 32),
                                   global_store(40, 10, 8), global_store(50, 10, 4)};
    struct profile_launch launch = launch_of(0, sites, 6);
    sites[0].column = 4;
    sites[1].column = 9;
    sites[3].is_estimate = true;
    sites[3].file = "/here/deep/kernel.cu";
    struct profile profile;
    struct report_view *view =
        view_of(&profile, &launch, 1, &(struct report_options){.source_root = "/here"});
    const struct view_launch *shown = &view->launches[0];
    assert_true(shown->is_about);
    assert_int_equal(shown->conflicts.count, 2);
    const struct view_line *worst = &shown->conflicts.data[0], *second = worst + 1;
    assert_string_equal(worst->at.file, "deep/kernel.cu");
    assert_int_equal(worst->at.line, 30);
    assert_int_equal(worst->degree, 32);
    assert_int_equal(worst->excess, 3100);
    assert_int_equal(worst->style, STYLE_BAD);
    assert_true(worst->sites[0].cells[1].is_about);
    assert_null(worst->quote);
    assert_int_equal(second->count, 2);
    assert_ptr_equal(second->sites[0].site, &sites[1]); // most excess first
    assert_int_equal(second->sites[0].column, 9);
    assert_int_equal(second->degree, 8);
    assert_string_equal(second->sites[0].access, "ld.shared.f32 from tile");
    assert_cell(&second->sites[0].cells[3], VIEW_COUNT, 700, 0, STYLE_BAD);
    assert_cell(&second->sites[0].average, VIEW_RATIO, 800, 100, STYLE_PLAIN);
    assert_false(second->sites[0].is_uneven);
    assert_int_equal(shown->clean.count, 1);
    assert_null(shown->clean.data[0].sites[0].banks);
    assert_int_equal(shown->wasteful.count, 1);
    assert_cell(&shown->wasteful.data[0].sites[0].cells[3], VIEW_PERCENT, 40, 80, STYLE_WARN);
    assert_int_equal(shown->totals[SITE_SHARED].count, 1);
    assert_string_equal(shown->totals[SITE_GLOBAL].columns[1], "sectors");
    assert_string_equal(shown->rules[BANKRUN_MEASURED], "ld.shared.f32");
    assert_null(shown->rules[BANKRUN_UNKNOWN]);
    report_view_free(view);
}

static void test_banks(void **state) {
    (void)state;
    struct profile_site sites[] = {shared_load(10, 100, 4)};
    struct profile_launch launch = launch_of(0, sites, 1);
    struct profile profile;
    struct report_view *view = view_of(&profile, &launch, 1, NULL);
    const struct view_banks *banks = view->launches[0].conflicts.data[0].sites[0].banks;
    assert_non_null(banks);
    assert_int_equal(banks->map.lanes, UINT32_MAX);
    assert_int_equal(banks->map.most, 4);
    assert_int_equal(banks->map.count[4], 4);
    assert_int_equal(banks->map.meeting[4], 0x02020202); // lanes 1, 9, 17 and 25
    assert_int_equal(banks->map.count[5], 0);
    assert_int_equal(banks->of[9].word, 36);
    assert_int_equal(banks->of[9].bank, 4);
    report_view_free(view);
}

static void test_wavefronts(void **state) {
    (void)state;
    uint32_t offsets[32];
    struct bankrun_request request = {
        .access = BANKRUN_LOAD, .width = 4, .mask = 0xffff, .offsets = offsets};
    struct view_wavefronts picture;
    for (uint32_t lane = 0; lane < 32; lane++)
        offsets[lane] = lane / 2 * 64; // pairs share words; banks 0 and 16
    assert_true(view_wavefronts_of(90, &request, &picture));
    assert_int_equal(picture.banks, 32);
    assert_int_equal(picture.count, 4);
    uint32_t seen = 0;
    for (unsigned row = 0; row < 4; row++) {
        assert_int_equal(picture.waited[row], 1 | 1 << 16);
        seen |= picture.lanes[row][0] | picture.lanes[row][16];
        assert_int_equal(__builtin_popcount(picture.lanes[row][0]), 2);
    }
    assert_int_equal(seen, 0xffff);
    assert_false(view_wavefronts_of(1, &request, &picture)); // no such architecture
}

// Where 32 banks do not fit they stand in two rows, and nothing is cut.
static void test_narrow_wavefronts(void **state) {
    (void)state;
    uint32_t offsets[32];
    struct bankrun_request request = {
        .access = BANKRUN_LOAD, .width = 4, .mask = UINT32_MAX, .offsets = offsets};
    for (uint32_t lane = 0; lane < 32; lane++)
        offsets[lane] = lane * 8;
    for (size_t width = 72; width <= 100; width += 28) {
        struct report_page page;
        struct strbuf out = {0};
        report_page_begin(&page, &out, false, width, 0);
        text_wavefronts(&page, 90, &request);
        const char *text = strbuf_string(&out);
        assert_true(widest(text) <= width);
        assert_lacks(text, "...  ");
        assert_contains(text, width < 100 ? "\nbank 16 17 18 " : "bank 0  1  2 ");
        assert_contains(text, width < 100 ? "\n   2 24  . 25  . " : "\n  2 16  . 17  . ");
        strbuf_free(&out);
    }
}

static void test_quotes(void **state) {
    (void)state;
    char folder[] = "/tmp/test_view_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/kernel.cu", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("one\n\n  three  \nfour", file);
    fclose(file);
    struct profile_site sites[] = {shared_load(1, 10, 2), shared_load(2, 10, 2),
                                   shared_load(3, 10, 2), shared_load(4, 10, 2),
                                   shared_load(5, 10, 2)};
    static const char *const wanted[] = {"one", NULL, "three", "four", NULL};
    struct profile_launch launch = launch_of(0, sites, 5);
    struct profile profile;
    struct report_view *view =
        view_of(&profile, &launch, 1, &(struct report_options){.source_root = folder});
    for (size_t i = 0; i < 5; i++) {
        const char *quote = view->launches[0].conflicts.data[i].quote;
        if (wanted[i])
            assert_string_equal(quote, wanted[i]);
        else
            assert_null(quote);
    }
    report_view_free(view);
    remove(path);
    rmdir(folder);
}

static void test_kernels(void **state) {
    (void)state;
    struct profile_site slow[] = {shared_load(33, 100, 2)}, fast[] = {shared_load(33, 100, 1)};
    struct profile_launch launches[] = {launch_of(0, fast, 1), launch_of(1, slow, 1),
                                        launch_of(2, slow, 1)};
    launches[1].symbol = launches[2].symbol = "_Z4slowv";
    launches[1].kernel = launches[2].kernel = "slow()";
    struct profile profile;
    struct report_view *view = view_of(&profile, launches, 3, NULL);
    assert_int_equal(view->count, 2);
    assert_int_equal(view->launches[1].count, 2);
    assert_int_equal(view->launches[1].last_index, 2);
    assert_int_equal(view->kernels.count, 2);
    assert_string_equal(view->kernels.rows[0].label, "slow()");
    assert_cell(&view->kernels.rows[0].cells[0], VIEW_COUNT, 2, 0, STYLE_PLAIN);
    assert_cell(&view->kernels.rows[0].cells[3], VIEW_COUNT, 200, 0, STYLE_BAD);
    assert_cell(&view->all.cells[1], VIEW_COUNT, 500, 0, STYLE_PLAIN);
    report_view_free(view);
}

static void test_utf8(void **state) {
    (void)state;
    struct strbuf out = {0};
    utf8_repair(&out, "a\xc3\xa4\xff\xe2\x82\xed\xa0\x80\xef\xbf\xbd");
    assert_string_equal(strbuf_string(&out),
                        "a\xc3\xa4\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
                        "\xef\xbf\xbd\xef\xbf\xbd");
    strbuf_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts), cmocka_unit_test(test_lines),
        cmocka_unit_test(test_banks),    cmocka_unit_test(test_wavefronts),
        cmocka_unit_test(test_quotes),   cmocka_unit_test(test_narrow_wavefronts),
        cmocka_unit_test(test_kernels),  cmocka_unit_test(test_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
