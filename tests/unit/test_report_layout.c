// How reports look: pictures of accesses, limits, columns, quoted sources; and CSV.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/columns.h"
#include "report/page.h"
#include "report/report.h"
#include "report_profiles.h"

// ---- Pictures -----------------------------------------------------------------------------

static void test_picture_of_a_wide_load(void **state) {
    (void)state;
    // Eight lanes at a time, each on four banks; the second quarter is the worst.
    struct profile_site sites[] = {shared_load(10, 10, 2)};
    sites[0].instruction = "ld.shared.v4.f32";
    sites[0].width = sites[0].request.width = 16;
    sites[0].counts = (struct profile_counts){10, 50, 40};
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        sites[0].worst_offsets[lane] = 16 * lane;
    }
    sites[0].worst_offsets[9] = 16 * 9 + 112 + 128 * 4; // lane 9 beside nobody but lane 8
    struct profile_launch launch = launch_of(0, sites, 1);
    char *text = text_of(&launch, 1, NULL);
    assert_contains(
        text, "      worst    block (0, 0, 0), warp 0, lanes 8-15\n"
              "      bank       0        4        8       12       16       20       24       28\n"
              "      words      2 2 2 2  . . . .  1 1 1 1  1 1 1 1  1 1 1 1  1 1 1 1  1 1 1 1  1 "
              "1 1 1\n");
    assert_contains(text, "average  5 wavefronts a request, ideal 4\n");
    free(text);
}

// Numbers of two digits beside each other: four columns a bank.
static void test_picture_of_a_double(void **state) {
    (void)state;
    struct profile_site sites[] = {shared_load(10, 10, 16)};
    sites[0].instruction = "ld.shared.f64";
    sites[0].width = sites[0].request.width = 8;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        sites[0].worst_offsets[lane] = 128 * lane + 8;
    }
    struct profile_launch launch = launch_of(0, sites, 1);
    char *text = text_of(&launch, 1, NULL);
    assert_contains(
        text, "      worst    block (0, 0, 0), warp 0, lanes 0-15\n"
              "      bank       0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15\n"
              "      words      .   .  16  16   .   .   .   .   .   .   .   .   .   .   .   .\n"
              "      bank      16  17  18  19  20  21  22  23  24  25  26  27  28  29  30  31\n"
              "      words      .   .   .   .   .   .   .   .   .   .   .   .   .   .   .   .\n");
    free(text);
}

static void test_picture_of_an_atomic(void **state) {
    (void)state;
    struct profile_site sites[] = {shared_load(10, 10, 32)};
    sites[0].op = PROFILE_ATOMIC;
    sites[0].request.access = BANKRUN_ATOMIC;
    sites[0].instruction = "atom.shared.add.u32";
    memset(sites[0].worst_offsets, 0, sizeof sites[0].worst_offsets); // all on one word
    struct profile_launch launch = launch_of(0, sites, 1);
    char *text = text_of(&launch, 1, NULL);
    assert_contains(text, "    atom.shared.add.u32 on tile ");
    assert_contains(text, "      lanes     32 . . .  . . . .");
    free(text);
}

static void test_verbose_names_each_lane(void **state) {
    (void)state;
    struct profile_site sites[] = {shared_load(10, 10, 2)};
    sites[0].worst_mask = 0x80000003;
    struct profile_launch launch = launch_of(0, sites, 1);
    char *text = text_of(&launch, 1, &(struct report_options){.verbose = true});
    assert_contains(text, "worst    block (0, 0, 0), warp 0, lanes 0-1, 31\n");
    assert_contains(text,
                    "      lanes     0: word 0, b0       1: word 2, b2      31: word 62, b30\n");
    free(text);
}

// ---- Limits and layout --------------------------------------------------------------------

static void test_long_lists_are_cut(void **state) {
    (void)state;
    enum { CLEAN = 12 };
    struct profile_site sites[CLEAN];
    for (uint32_t i = 0; i < CLEAN; i++) {
        sites[i] = shared_load(i + 1, 10 + i, 1);
    }
    struct profile_launch launch = launch_of(0, sites, CLEAN);
    char *text = text_of(&launch, 1, NULL);
    assert_contains(text, "kernel.cu:8 ");
    assert_lacks(text, "kernel.cu:9 ");
    assert_contains(text, "    ... and 4 more lines (--verbose shows all)\n");
    free(text);
    text = text_of(&launch, 1, &(struct report_options){.verbose = true});
    assert_contains(text, "kernel.cu:12 ");
    assert_lacks(text, "more lines");
    free(text);

    struct profile_site conflicts[22];
    for (uint32_t i = 0; i < 22; i++) {
        conflicts[i] = shared_load(i + 1, 10 + i, 2);
    }
    launch = launch_of(0, conflicts, 22);
    text = text_of(&launch, 1, NULL);
    assert_contains(text, "22 lines conflict");
    assert_contains(text,
                    "  ... and 2 more lines with 21 excess wavefronts (--verbose shows all)\n");
    free(text);
}

static void test_alike_lines_are_told_once(void **state) {
    (void)state;
    struct profile_site sites[] = {
        shared_load(11, 10, 2), shared_load(12, 10, 2), shared_load(13, 10, 2),
        shared_load(15, 10, 2), shared_load(20, 10, 2), shared_load(30, 9, 2),
        shared_load(40, 20, 1), shared_load(41, 20, 1), shared_load(50, 30, 1),
        shared_load(52, 30, 1), shared_load(54, 30, 1)};
    struct profile_launch launch = launch_of(0, sites, 11);
    sites[2].is_estimate = true; // of which more is to be said
    sites[4].file = "other.cu";
    char *text = text_of(&launch, 1, NULL);
    assert_contains(text, "6 lines conflict");
    assert_contains(text, "\n  kernel.cu:11: 2-way bank conflict\n");
    assert_lacks(text, "kernel.cu:12: ");
    assert_contains(text, "\n      alike    line 12: as much, in the same way\n");
    assert_contains(text, "\n  kernel.cu:13: 2-way bank conflict\n");
    assert_contains(text, "\n  kernel.cu:15: 2-way bank conflict\n");
    assert_contains(text, "\n  other.cu:20: 2-way bank conflict\n");
    assert_contains(text, "\n  kernel.cu:30: 2-way bank conflict\n");
    // A row of the table for one that is alike takes as much room as to say so.
    assert_contains(text, "    kernel.cu:41  ld.shared.f32 from tile ");
    assert_contains(text, "\n      alike    lines 52 and 54: each as much, in the same way\n");
    free(text);
    text = text_of(&launch, 1, &(struct report_options){.verbose = true});
    assert_contains(text, "\n  kernel.cu:12: 2-way bank conflict\n");
    assert_contains(text, "    kernel.cu:54  ld.shared.f32 from tile ");
    assert_lacks(text, "alike ");
    free(text);
}

static void test_many_launches_are_cut(void **state) {
    (void)state;
    enum { LAUNCHES = 30 };
    struct profile_site sites[LAUNCHES];
    struct profile_launch launches[LAUNCHES];
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        sites[i] = shared_load(7, i + 1, 2); // later launches have more excess
        launches[i] = launch_of(i, &sites[i], 1);
    }
    launches[2].fault = "it broke";
    char *text = text_of(launches, LAUNCHES, &(struct report_options){.by = REPORT_BY_LAUNCH});
    assert_lacks(text, "launch 1 of 30");
    assert_contains(text, "launch 3 of 30"); // a fault is never left out
    assert_lacks(text, "launch 6 of 30");
    assert_contains(text, "launch 7 of 30");
    assert_contains(text, "launch 30 of 30");
    assert_contains(text, "... and 5 more launches with less excess (--verbose shows all)\n");
    free(text);
    // As it fits: what they have in common, with the fault, and the worst line as its launch has
    // it.
    text = text_of(launches, LAUNCHES, NULL);
    assert_contains(text, "launch 3 of 30");
    assert_lacks(text, "launch 7 of 30");
    assert_contains(text, "29 launches (--by launch shows each)\n");
    assert_contains(text, "kernel.cu:7 in work   ");
    assert_contains(text, "--- launch 30\n");
    free(text);
}

static void test_long_commands_are_cut(void **state) {
    (void)state;
    enum { WORDS = 300 };
    char *program[WORDS];
    for (size_t i = 0; i < WORDS; i++)
        program[i] = "profile.json";
    struct profile profile = {.arch = 90, .program = program, .program_count = WORDS};
    struct strbuf out = {0};
    report_text(&profile, NULL, &out);
    assert_contains(strbuf_string(&out), " ... and ");
    assert_contains(strbuf_string(&out), " more on sm_90\n");
    assert_true(out.length < 600 && widest(strbuf_string(&out)) <= 100);
    strbuf_free(&out);
    profile.program_count = 3; // each of them
    report_text(&profile, NULL, &out);
    assert_contains(strbuf_string(&out), "profile.json profile.json profile.json on sm_90\n");
    strbuf_free(&out);
}

static void test_width_holds(void **state) {
    (void)state;
    char name[700], umlauts[600];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    for (size_t i = 0; i < sizeof umlauts - 2; i += 2) {
        memcpy(umlauts + i, "\xc3\xa4", 3);
    }
    struct profile_frame frame = {name, 4000000000u, umlauts};
    struct profile_site sites[] = {shared_load(4000000000u, UINT64_MAX / 64, 32),
                                   shared_load(4000000001u, 5, 1), global_store(1, 10, 32)};
    for (size_t i = 0; i < 3; i++) {
        sites[i].file = umlauts;
        sites[i].instruction = name;
        sites[i].array = i < 2 ? umlauts : NULL;
    }
    sites[0].why = name;
    sites[0].verdict = umlauts;
    sites[0].inlined_at = &frame;
    sites[0].inlined_count = 1;
    struct profile_launch launches[] = {launch_of(0, sites, 3), launch_of(1, sites, 3)};
    launches[0].kernel = name;
    launches[1].kernel = launches[1].symbol = umlauts;
    launches[0].fault = umlauts;
    for (unsigned width = 60; width <= 140; width += 17) {
        char *text = text_of(launches, 2, &(struct report_options){.width = width});
        assert_true(widest(text) <= width);
        free(text);
    }
    char *text = text_of(launches, 2, NULL);
    assert_true(widest(text) <= 100);
    free(text);
}

static void test_lines_end_clean(void **state) {
    (void)state;
    struct profile_site sites[] = {shared_load(10, 10, 2), shared_load(11, 10, 1),
                                   global_store(12, 10, 32)};
    struct profile_launch launch = launch_of(0, sites, 3);
    char *text = text_of(&launch, 1, &(struct report_options){.verbose = true});
    assert_lacks(text, " \n");
    assert_lacks(text, "\t");
    assert_lacks(text, "\033");
    assert_lacks(text, "\n\n\n");
    free(text);
}

static void test_color(void **state) {
    (void)state;
    struct profile_site sites[] = {shared_load(10, 1000, 2), shared_load(20, 1, 2),
                                   shared_load(30, 10, 1)};
    struct profile_launch launch = launch_of(0, sites, 3);
    char *text = text_of(&launch, 1, &(struct report_options){.color = true});
    assert_contains(text, "\033[1;31m1,000\033[0m\n"); // most of the excess: red
    assert_contains(text, "\033[33m1\033[0m\n");       // a little: yellow
    assert_contains(text, "\033[32m0\033[0m\n");       // none: green
    free(text);
}

static void test_hostile_names(void **state) {
    (void)state;
    struct profile_site sites[] = {shared_load(10, 10, 2)};
    sites[0].array = "a\033[2Jb\xff\xc3"
                     "c\xe2\x80\xae"
                     "d\n";
    struct profile_launch launch = launch_of(0, sites, 1);
    launch.kernel = "k\r\x01(\xf0\x9f\x92\xa5)";
    char *text = text_of(&launch, 1, NULL);
    assert_contains(text, "ld.shared.f32 from a?[2Jb??c?d? ");
    assert_contains(text, "--- k?"
                          "?(\xf0\x9f\x92\xa5) ---");
    free(text);
}

// ---- Sources ------------------------------------------------------------------------------

static void test_quotes_the_source(void **state) {
    (void)state;
    char folder[] = "/tmp/test_report_XXXXXX";
    assert_non_null(mkdtemp(folder));
    char path[64];
    snprintf(path, sizeof path, "%s/kernel.cu", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("first\n\t  sum += tile[x]\t[y];  // \xc3\xbc \r\n\nlast", file);
    fclose(file);
    struct profile_site sites[] = {shared_load(2, 10, 4), shared_load(3, 10, 3),
                                   shared_load(4, 10, 2), shared_load(5, 9, 2),
                                   global_store(1, 10, 32)};
    struct profile_launch launch = launch_of(0, sites, 5);
    struct report_options options = {.source_root = folder};
    char *text = text_of(&launch, 1, &options);
    assert_contains(text, "  kernel.cu:2: 4-way bank conflict\n"
                          "       2 | sum += tile[x]  [y];  // \xc3\xbc\n\n");
    assert_contains(text, "  kernel.cu:3: 3-way bank conflict\n\n"); // blank: not quoted
    assert_contains(text, "  kernel.cu:4: 2-way bank conflict\n       4 | last\n\n");
    assert_contains(text, "  kernel.cu:5: 2-way bank conflict\n\n"); // past the end
    assert_contains(text, "12 % efficient\n       1 | first\n");
    free(text);
    // A path below the root is shown from there.
    for (size_t i = 0; i < 5; i++) {
        sites[i].file = path;
    }
    text = text_of(&launch, 1, &options);
    assert_contains(text, "\n  kernel.cu:2: 4-way bank conflict\n       2 | sum");
    free(text);
    remove(path);
    remove(folder);
}

// ---- Small parts --------------------------------------------------------------------------

static void test_numbers(void **state) {
    (void)state;
    char buffer[REPORT_NUMBER];
    assert_string_equal(report_number(buffer, 0), "0");
    assert_string_equal(report_number(buffer, 999), "999");
    assert_string_equal(report_number(buffer, 1000), "1,000");
    assert_string_equal(report_number(buffer, UINT64_MAX), "18,446,744,073,709,551,615");
    assert_string_equal(report_percent(buffer, 0, 10), "0 %");
    assert_string_equal(report_percent(buffer, 1, 1000), "<1 %");
    assert_string_equal(report_percent(buffer, 999, 1000), ">99 %");
    assert_string_equal(report_percent(buffer, 10, 10), "100 %");
    assert_string_equal(report_percent(buffer, 1, 8), "12 %");
    assert_string_equal(report_ratio(buffer, 64, 2), "32");
    assert_string_equal(report_ratio(buffer, 7, 2), "3.50");
    assert_string_equal(report_ratio(buffer, 7, 0), "-");
}

static void check_elided(const char *text, size_t columns, const char *expected) {
    struct strbuf out = {0};
    size_t used = report_elide(&out, text, columns);
    assert_string_equal(strbuf_string(&out), expected);
    assert_int_equal(used, report_columns(expected));
    assert_true(used <= columns);
    strbuf_free(&out);
}

static void test_elide(void **state) {
    (void)state;
    check_elided("abcdefghij", 10, "abcdefghij");
    check_elided("abcdefghijk", 10, "abcd...ijk");
    check_elided("abcdefghijk", 9, "abc...ijk");
    check_elided("abcdefghijk", 5, "abcde");
    check_elided("abc", 0, "");
    check_elided("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 8,
                 "\xc3\xa4\xc3\xa4\xc3\xa4...\xc3\xa4\xc3\xa4");
    // A wide character is never cut in two.
    check_elided("\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad", 9,
                 "\xe4\xb8\xad...\xe4\xb8\xad");
}

static void test_clean(void **state) {
    (void)state;
    static const struct {
        const char *text, *clean;
    } cases[] = {
        {"plain", "plain"},
        {"a\tb", "a   b"},
        {"\t|", "    |"},
        {"\xed\xa0\x80", "???"},                 // half a surrogate pair
        {"\xc0\x80", "??"},                      // not the shortest form
        {"\xf4\x90\x80\x80", "????"},            // past the last code point
        {"\xe2\x82", "??"},                      // cut off
        {"\xc2\x85", "?"},                       // a control character of two bytes
        {"e\xcc\x81", "e\xcc\x81"},              // a combining accent
        {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"} // four bytes
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct strbuf out = {0};
        report_clean(&out, cases[i].text);
        assert_string_equal(strbuf_string(&out), cases[i].clean);
        strbuf_free(&out);
    }
    assert_int_equal(report_columns("e\xcc\x81"), 1);
    assert_int_equal(report_columns("\xe4\xb8\xad"), 2);
}

// ---- CSV ----------------------------------------------------------------------------------

static void test_csv(void **state) {
    (void)state;
    struct profile_site sites[] = {shared_load(33, 500000, 32), global_store(34, 10, 32)};
    sites[0].why = "words \"0\", 32";
    sites[0].column = 12;
    sites[1].file = NULL;
    sites[1].line = 0;
    struct profile_launch launch = launch_of(0, sites, 2);
    struct profile profile = {.arch = 90, .launches = &launch, .launch_count = 1};
    struct strbuf out = {0};
    report_csv(&profile, false, &out);
    assert_string_equal(
        strbuf_string(&out),
        "launch,kernel,file,line,instruction,space,op,array,width,requests,wavefronts,sectors,"
        "ideal,excess,worst_degree,certainty,verdict,why,launches,column,problem,as\r\n"
        "1,work(float*),kernel.cu,33,ld.shared.f32,shared,load,tile,4,500000,16000000,,500000,"
        "15500000,32,exact,observed,\"words \"\"0\"\", 32\",1,12,,written\r\n"
        "1,work(float*),,,st.global.f32,global,store,,4,10,,320,40,280,,exact,observed,,1,,,"
        "written\r\n");
    strbuf_free(&out);
}

static struct profile_broken_limit broken_limit = {
    .limit = "dynamic_shared",
    .asked = 204800,
    .most = 49152,
    .text = "too much",
    .cure = "cudaFuncSetAttribute(work, cudaFuncAttributeMaxDynamicSharedMemorySize, 204800);"};

static struct profile_refused refused_launch(void) {
    return (struct profile_refused){.after = 1,
                                    .repeats = 1200,
                                    .kernel = "work(\x1b[31mfloat*)",
                                    .symbol = "work",
                                    .grid = {0, 70000, 1},
                                    .block = {1, 1, 3},
                                    .dynamic_bytes = 204800,
                                    .error = "cudaErrorInvalidValue",
                                    .limits = &broken_limit,
                                    .limit_count = 1};
}

// What did not run has rows of its own: sums over a table never pass it over.
static void test_csv_of_failures(void **state) {
    (void)state;
    struct profile_launch launches[] = {launch_of(0, NULL, 0), launch_of(1, NULL, 0)};
    struct profile_refused refused = refused_launch();
    struct profile_gap gap = {PROFILE_GAP_LOST, "app, \"x\"", 2, false, 0};
    launches[1].fault = "it broke";
    struct profile profile = {.arch = 90,
                              .is_as_compiled = true,
                              .launches = launches,
                              .launch_count = 2,
                              .refused = &refused,
                              .refused_count = 1,
                              .gaps = &gap,
                              .gap_count = 1};
    struct strbuf out = {0};
    report_csv(&profile, false, &out);
    const char *rows = strchr(strbuf_string(&out), '\n') + 1;
    assert_string_equal(rows, "2,work(float*),,,,,,,,,,,,,,,,,1,,it broke,compiled\r\n"
                              ",work(\x1b[31mfloat*),,,,,,,,,,,,,,,,,1200,,refused with "
                              "cudaErrorInvalidValue: too much,compiled\r\n"
                              ",,,,,,,,,,,,,,,,,,,,\"incomplete: app, \"\"x\"\"\",compiled\r\n");
    strbuf_free(&out);
}

static void test_failures(void **state) {
    (void)state;
    struct profile_launch launch = launch_of(0, NULL, 0);
    struct profile_refused refused = refused_launch();
    struct profile_gap gaps[] = {{PROFILE_GAP_UNSUPPORTED, "cudaFoo is not supported", 3, true, 0},
                                 {PROFILE_GAP_LOST, "./app left no profile", 1, false, 0}};
    char *program[] = {"./other"};
    struct profile_process process = {program, 1, 1};
    struct profile profile = {.arch = 90,
                              .launches = &launch,
                              .launch_count = 1,
                              .launched = 1,
                              .refused = &refused,
                              .refused_count = 1,
                              .gaps = gaps,
                              .gap_count = 2,
                              .processes = &process,
                              .process_count = 1};
    launch.cut = PROFILE_CUT_SIGNAL;
    launch.fault = "interrupted by signal 2 (SIGINT)";
    struct strbuf out = {0};
    report_text(&profile, NULL, &out);
    const char *text = strbuf_string(&out);
    assert_contains(text, "\n  interrupted by signal 2 (SIGINT)\n  The counts are of what ran");
    assert_contains(text, " launch 1 of 1, 1,200 refused\n");
    assert_contains(text, "--- refused launches ---");
    assert_contains(text, "[31mfloat*): after launch 1, 1,200 times\n"
                          "    grid 0 x 70,000, block 1 x 1 x 3, dynamic shared 204,800 bytes; "
                          "cudaErrorInvalidValue\n"
                          "      too much\n"
                          "      cure: cudaFuncSetAttribute(work, "
                          "cudaFuncAttributeMaxDynamicSharedMemorySize, 204800);\n");
    assert_null(strchr(text, '\x1b'));
    assert_contains(text, "  call: cudaFoo is not supported (3 times), in ./other\n"
                          "  lost: ./app left no profile\n");
    strbuf_free(&out);
    report_metrics(&profile, &out);
    assert_contains(strbuf_string(&out), "  end: interrupted by signal 2 (SIGINT)\n");
    assert_contains(strbuf_string(&out), "\n1200 refused: work(");
    assert_contains(strbuf_string(&out), "  missing: cudaFoo is not supported\n");
    assert_null(strchr(strbuf_string(&out), '\x1b'));
    strbuf_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_picture_of_a_wide_load),
        cmocka_unit_test(test_picture_of_a_double),
        cmocka_unit_test(test_picture_of_an_atomic),
        cmocka_unit_test(test_verbose_names_each_lane),
        cmocka_unit_test(test_long_lists_are_cut),
        cmocka_unit_test(test_alike_lines_are_told_once),
        cmocka_unit_test(test_many_launches_are_cut),
        cmocka_unit_test(test_long_commands_are_cut),
        cmocka_unit_test(test_width_holds),
        cmocka_unit_test(test_lines_end_clean),
        cmocka_unit_test(test_color),
        cmocka_unit_test(test_hostile_names),
        cmocka_unit_test(test_quotes_the_source),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_elide),
        cmocka_unit_test(test_clean),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_csv_of_failures),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
