// Whole text reports of profiles that are built by hand.
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

static void test_conflict(void **state) {
    (void)state;
    struct profile_site sites[] = {shared_load(20, 1000, 1), shared_load(33, 500000, 32),
                                   global_store(33, 500000, 32)};
    struct profile_launch launch = launch_of(0, sites, 3);
    char *text = text_of(&launch, 1, NULL);
    assert_string_equal(
        text,
        // clang-format off
"bankrun: ./app 7 on sm_90\n"
"\n"
"--- work(float*) -----------------------------------------------------------------------------------\n"
"  grid 10, block 32 x 4, shared 4,096 bytes; 10 blocks, 12,345 instructions\n"
"\n"
"  1 line conflicts: 15,500,000 of 16,001,000 wavefronts are excess (97 %)\n"
"  Without them about 2.1 times as fast on an H200: shared memory is the bottleneck. (An estimate.)\n"
"\n"
"  kernel.cu:33: 32-way bank conflict\n"
"\n"
"                                                     requests   wavefronts        ideal       excess\n"
"    ld.shared.f32 from tile                           500,000   16,000,000      500,000   15,500,000\n"
"      why      lanes read words of one bank\n"
"      degree   32 in every request (observed)\n"
"      worst    block (0, 0, 0), warp 0, lanes 0-31\n"
"      bank       0        4        8       12       16       20       24       28\n"
"      words     32 . . .  . . . .  . . . .  . . . .  . . . .  . . . .  . . . .  . . . .\n"
"\n"
"  lines without conflicts                            requests   wavefronts        ideal       excess\n"
"    kernel.cu:20  ld.shared.f32 from tile               1,000        1,000        1,000            0\n"
"\n"
"  kernel.cu:33: st.global.f32: 32 sectors a request, ideal 4: 12 % efficient\n"
"\n"
"  shared memory                                      requests   wavefronts        ideal       excess\n"
"    loads                                             501,000   16,001,000      501,000   15,500,000\n"
"\n"
"  global memory                                      requests      sectors        ideal    efficient\n"
"    stores                                            500,000   16,000,000    2,000,000         12 %\n"
"\n"
"To see the worst request, lane by lane: bankrun explain 's[laneid * 32]' --shared 'float s[1024]'\n");
    // clang-format on
    free(text);
}

static void test_no_conflict(void **state) {
    (void)state;
    struct profile_site sites[] = {shared_load(20, 1000, 1)};
    struct profile_launch launch = launch_of(0, sites, 1);
    char *text = text_of(&launch, 1, NULL);
    assert_contains(text, "\n  no bank conflicts: 1,000 requests took 1,000 wavefronts\n");
    assert_contains(text, "kernel.cu:20  ld.shared.f32 from tile");
    assert_lacks(text, "all launches");
    free(text);
}

static void test_no_shared_memory(void **state) {
    (void)state;
    struct profile_site sites[] = {global_store(5, 100, 4)};
    struct profile_launch launch = launch_of(0, sites, 1);
    launch.shared_bytes = 0;
    char *text = text_of(&launch, 1, NULL);
    assert_contains(text, "\n  grid 10, block 32 x 4; 10 blocks, 12,345 instructions\n"
                          "\n  no shared-memory accesses; global memory is 100 % efficient\n");
    assert_lacks(text, "kernel.cu:5"); // nothing to win there
    assert_lacks(text, "sectors");
    free(text);
    text = text_of(&launch, 1, &(struct report_options){.verbose = true});
    assert_contains(text,
                    "    stores                                                100          400"
                    "          400        100 %\n");
    free(text);
    sites[0].counts.units = launch.totals[SITE_GLOBAL][PROFILE_STORE].units = 500;
    text = text_of(&launch, 1, NULL);
    assert_contains(text, "\n  no shared-memory accesses\n");
    assert_contains(text, "kernel.cu:5: st.global.f32: 5 sectors a request, ideal 4: 80 %");
    free(text);
    launch.site_count = 0;
    memset(launch.totals, 0, sizeof launch.totals);
    text = text_of(&launch, 1, NULL);
    assert_contains(text, "\n  no accesses to shared or global memory\n");
    free(text);
}

static void test_no_launch(void **state) {
    (void)state;
    char *text = text_of(NULL, 0, NULL);
    assert_string_equal(text, "bankrun: ./app 7 on sm_90\nNo kernel was launched.\n");
    free(text);
}

static void test_alike_launches_fold(void **state) {
    (void)state;
    struct profile_site slow[] = {shared_load(33, 100, 2)}, fast[] = {shared_load(33, 100, 1)};
    struct profile_launch launches[] = {launch_of(0, slow, 1), launch_of(1, slow, 1),
                                        launch_of(2, slow, 1), launch_of(3, fast, 1),
                                        launch_of(4, slow, 1)};
    launches[4].block[0] = 64; // counts the same, but was launched otherwise
    char *text = text_of(launches, 5, &(struct report_options){.by = REPORT_BY_LAUNCH});
    assert_contains(text, " launches 1 to 3 of 5, alike\n");
    assert_contains(text, "1 line conflicts: 100 of 200 wavefronts are excess (50 %), in each "
                          "launch\n");
    assert_contains(text, " launch 4 of 5\n");
    assert_contains(text, " launch 5 of 5\n");
    // The summary counts every launch.
    assert_contains(text, "\n--- all launches ---");
    assert_contains(text,
                    "  work                                                      5          900"
                    "          500          400\n");
    free(text);
    // Of blocks of another size the first ones stand for it, but not for what does not conflict.
    text = text_of(launches, 5, NULL);
    assert_contains(text,
                    "  1 more launch, of other sizes, does the same: 100 of 200 wavefronts are "
                    "excess\n");
    assert_contains(text, " launch 4 of 5\n");
    assert_lacks(text, " launch 5 of 5\n");
    free(text);
}

static void test_alike_launches_fold_over_others(void **state) {
    (void)state;
    struct profile_site slow[] = {shared_load(33, 100, 2)}, fast[] = {shared_load(33, 100, 1)};
    struct profile_launch launches[] = {launch_of(0, slow, 1), launch_of(1, fast, 1),
                                        launch_of(2, slow, 1), launch_of(3, fast, 1),
                                        launch_of(4, slow, 1)};
    char *text = text_of(launches, 5, NULL);
    assert_contains(text, " launch 1 of 5, and 2 alike later\n");
    assert_contains(text, "1 line conflicts: 100 of 200 wavefronts are excess (50 %), in each "
                          "launch\n");
    assert_contains(text, " launch 2 of 5, and 1 alike later\n");
    assert_null(strstr(text, " launch 3 of 5"));
    free(text);
}

static void test_library_paths_are_short(void **state) {
    (void)state;
    struct profile_site site[] = {shared_load(33, 100, 2)};
    site[0].file = "/usr/local/cuda-13.0/include/cccl/cub/agent/agent_scan.cuh";
    struct profile_launch launch = launch_of(0, site, 1);
    char *text = text_of(&launch, 1, NULL);
    assert_contains(text, "\n  cub/agent/agent_scan.cuh:33: ");
    free(text);
}

static void test_summary_by_kernel(void **state) {
    (void)state;
    struct profile_site slow[] = {shared_load(33, 100, 2)}, fast[] = {shared_load(33, 100, 1)};
    struct profile_launch launches[] = {launch_of(0, fast, 1), launch_of(1, slow, 1)};
    launches[1].kernel = "slow(void)";
    launches[1].symbol = "_Z4slowv";
    char *text = text_of(launches, 2, NULL);
    const char *first = strstr(text, "\n  slow  "), *second = strstr(text, "\n  work ");
    assert_non_null(first);
    assert_non_null(second);
    assert_true(first < second); // most excess first
    assert_contains(second,
                    "\n  in all                                                    2          "
                    "300          200          100\n");
    free(text);
    // Two of one name are told apart by what they take.
    launches[1].kernel = "work(int)";
    text = text_of(launches, 2, NULL);
    assert_contains(text, "\n  work(int)  ");
    assert_contains(text, "\n  work(float*)  ");
    free(text);
}

static void test_fault(void **state) {
    (void)state;
    struct profile_site sites[] = {shared_load(20, 1000, 1)};
    struct profile_launch launch = launch_of(0, sites, 1);
    launch.fault = "block (3, 0, 0), thread (5, 0, 0): kernel.cu:20: reads 4 bytes at 0x1000, 16 "
                   "bytes past the end of the nearest allocation";
    launch.blocks_run = 3;
    char *text = text_of(&launch, 1, NULL);
    assert_contains(text, "shared 4,096 bytes; 3 of 10 blocks, 12,345 instructions\n");
    assert_contains(text,
                    "\n  fault: block (3, 0, 0), thread (5, 0, 0): kernel.cu:20: reads 4 bytes at "
                    "0x1000, 16 bytes past the\n         end of the nearest allocation\n"
                    "  The counts are of what ran before it.\n");
    free(text);
}

static void test_fault_of_several_lines(void **state) {
    (void)state;
    struct profile_launch launch = launch_of(0, NULL, 0);
    launch.fault = "nothing can release them:\n  warp 0 waits at kernel.cu:3\n";
    char *text = text_of(&launch, 1, NULL);
    assert_contains(text, "  fault: nothing can release them:\n"
                          "           warp 0 waits at kernel.cu:3\n"
                          "  The counts");
    free(text);
}

static void test_lines_sort_by_excess(void **state) {
    (void)state;
    struct profile_site sites[] = {shared_load(10, 100, 2), shared_load(20, 100, 4),
                                   shared_load(30, 300, 2)};
    struct profile_launch launch = launch_of(0, sites, 3);
    char *text = text_of(&launch, 1, NULL);
    assert_contains(text, "3 lines conflict: 700 of 1,200 wavefronts");
    const char *a = strstr(text, "kernel.cu:20: 4-way"), *b = strstr(text, "kernel.cu:10: 2-way"),
               *c = strstr(text, "kernel.cu:30: 2-way");
    assert_non_null(a);
    assert_non_null(b);
    assert_non_null(c);
    assert_true(a < b && c < b);
    free(text);
}

// Sites of one line stand together, the one with most excess first; the line counts once.
static void test_sites_of_one_line(void **state) {
    (void)state;
    struct profile_site sites[] = {shared_load(10, 100, 2), shared_load(10, 100, 8),
                                   shared_load(10, 100, 1)};
    sites[0].instruction = "ld.shared.u32";
    sites[2].instruction = "st.shared.f32";
    sites[2].op = PROFILE_STORE;
    struct profile_launch launch = launch_of(0, sites, 3);
    char *text = text_of(&launch, 1, NULL);
    assert_contains(text, "1 line conflicts: 800 of 1,100");
    assert_contains(text, "kernel.cu:10: 8-way bank conflict\n");
    const char *a = strstr(text, "    ld.shared.f32 from tile "),
               *b = strstr(text, "    ld.shared.u32 from tile "),
               *c = strstr(text, "    st.shared.f32 to tile ");
    assert_non_null(a);
    assert_non_null(b);
    assert_non_null(c);
    assert_true(a < b && b < c);
    assert_lacks(text, "lines without conflicts");
    free(text);
}

// What only the column tells apart is shown with it, and nothing else is.
static void test_columns_of_one_line(void **state) {
    (void)state;
    struct profile_site sites[] = {shared_load(10, 100, 1), shared_load(10, 100, 8),
                                   shared_load(10, 100, 4), shared_load(11, 100, 1),
                                   shared_load(11, 100, 1), global_store(12, 10, 32),
                                   global_store(12, 10, 16)};
    static const uint32_t columns[] = {5, 12, 3, 4, 20, 9, 30};
    for (size_t i = 0; i < 7; i++)
        sites[i].column = columns[i];
    sites[2].instruction = "ld.shared.u32";
    struct profile_launch launch = launch_of(0, sites, 7);
    char *text = text_of(&launch, 1, NULL);
    assert_contains(text, "\n    ld.shared.f32 from tile, column 12  ");
    assert_contains(text, "\n    ld.shared.u32 from tile  ");
    assert_contains(text, "\n    ld.shared.f32 from tile, column 5  ");
    assert_contains(text, "\n    kernel.cu:11:4  ld.shared.f32 from tile  ");
    assert_contains(text, "\n    kernel.cu:11:20  ld.shared.f32 from tile  ");
    assert_contains(text, "kernel.cu:12:9: st.global.f32: 32 sectors a request");
    free(text);
}

static void test_mixed_degrees(void **state) {
    (void)state;
    struct profile_site sites[] = {shared_load(10, 1000, 4)};
    sites[0].degrees[4] = 100;
    sites[0].degrees[2] = 300;
    sites[0].degrees[1] = 600;
    sites[0].counts.units = 1600;
    struct profile_launch launch = launch_of(0, sites, 1);
    char *text = text_of(&launch, 1, NULL);
    assert_contains(text, "      degree   4 in 100, 2 in 300, 1 in 600 (observed)\n"
                          "      average  1.60 wavefronts a request, ideal 1\n");
    free(text);
}

static void test_estimates_are_marked(void **state) {
    (void)state;
    struct profile_site sites[] = {shared_load(10, 1000, 4)};
    sites[0].is_estimate = true;
    struct profile_launch launch = launch_of(0, sites, 1);
    char *text = text_of(&launch, 1, NULL);
    assert_contains(text, "~3,000 of ~4,000 wavefronts are excess");
    assert_contains(text, "1,000       ~4,000        1,000       ~3,000\n");
    assert_contains(text,
                    "note     ~ marks an estimate: the cost of this access is not known exactly\n");
    free(text);
}

static void test_inlining(void **state) {
    (void)state;
    struct profile_frame frames[] = {{"helper.cuh", 7, "load(float const*)"},
                                     {"main.cu", 70, NULL}};
    struct profile_site sites[] = {shared_load(10, 1000, 4)};
    sites[0].inlined_at = frames;
    sites[0].inlined_count = 2;
    sites[0].function = "sum(int)";
    struct profile_launch launch = launch_of(0, sites, 1);
    char *text = text_of(&launch, 1, NULL);
    assert_contains(text, "      inlined  sum(int) at helper.cuh:7 in load(float const*)\n"
                          "               at main.cu:70\n");
    free(text);
}

static void test_unknown_line_and_array(void **state) {
    (void)state;
    struct profile_site sites[] = {shared_load(0, 1000, 4), shared_load(0, 1000, 2)};
    sites[0].file = sites[1].file = NULL;
    sites[0].array = NULL;
    struct profile_launch launch = launch_of(0, sites, 2);
    char *text = text_of(&launch, 1, NULL);
    assert_contains(text, "2 lines conflict");
    assert_contains(text, "  no known line: 4-way bank conflict\n");
    assert_contains(text, "build with nvcc -lineinfo");
    assert_contains(text, "    ld.shared.f32      ");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conflict),
        cmocka_unit_test(test_no_conflict),
        cmocka_unit_test(test_no_shared_memory),
        cmocka_unit_test(test_no_launch),
        cmocka_unit_test(test_alike_launches_fold),
        cmocka_unit_test(test_alike_launches_fold_over_others),
        cmocka_unit_test(test_library_paths_are_short),
        cmocka_unit_test(test_summary_by_kernel),
        cmocka_unit_test(test_fault),
        cmocka_unit_test(test_fault_of_several_lines),
        cmocka_unit_test(test_lines_sort_by_excess),
        cmocka_unit_test(test_sites_of_one_line),
        cmocka_unit_test(test_columns_of_one_line),
        cmocka_unit_test(test_mixed_degrees),
        cmocka_unit_test(test_estimates_are_marked),
        cmocka_unit_test(test_inlining),
        cmocka_unit_test(test_unknown_line_and_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
