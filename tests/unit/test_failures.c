// What went wrong in a run, as data: kept, saved, read again, merged, and told apart.
#include <signal.h>

#include "profile_fake.h"

static struct profile_refused refused_launch(uint32_t threads, const char *cure) {
    struct profile_refused refused = {.after = 1,
                                      .repeats = 1,
                                      .kernel = strdup("scale(float*)"),
                                      .symbol = strdup("_Z5scalePf"),
                                      .grid = {1, 1, 1},
                                      .block = {threads, 1, 1},
                                      .dynamic_bytes = UINT64_MAX, // the program's own number
                                      .error = strdup("cudaErrorInvalidConfiguration"),
                                      .limits = calloc(1, sizeof *refused.limits),
                                      .limit_count = 1};
    refused.limits[0] =
        (struct profile_broken_limit){.limit = strdup("block_threads"),
                                      .asked = threads,
                                      .most = 1024,
                                      .text = strdup("the block has too many threads"),
                                      .cure = cure ? strdup(cure) : NULL};
    return refused;
}

static struct profile *new_profile(void) {
    char *argv[] = {"./scale"};
    return profile_create(90, argv, 1);
}

static void launch(struct profile *profile, const struct profile_launch_result *result) {
    struct fake fake;
    make(&fake);
    profile_finish(profile_record(&fake.info), profile, result);
}

static const struct profile_fault wild_store = {.kind = "illegal_address",
                                                .message = "it broke",
                                                .file = "scale.cu",
                                                .line = 7,
                                                .column = 3,
                                                .function = "scale(float*)",
                                                .instruction = "st.global.f32",
                                                .has_address = true,
                                                .address = 0xffffffffffffff00,
                                                .has_thread = true,
                                                .block = {1, 2, 3},
                                                .thread = {33, 0, 0},
                                                .warp = 1,
                                                .lane = 1};

static struct profile *failed_profile(void) {
    struct profile *profile = new_profile();
    launch(profile, &(struct profile_launch_result){.fault = "it broke", .where = &wild_store});
    launch(profile,
           &(struct profile_launch_result){.cut = PROFILE_CUT_SIGNAL, .cut_signal = SIGTERM});
    launch(profile, &(struct profile_launch_result){.blocks_run = 105});
    struct profile_refused refused = refused_launch(1025, "scale<<<2, 1024>>>");
    profile_add_refused(profile, &refused);
    refused = refused_launch(1025, "scale<<<2, 1024>>>");
    profile_add_refused(profile, &refused);
    refused = refused_launch(2048, NULL);
    profile_add_refused(profile, &refused);
    profile_add_gap(profile, PROFILE_GAP_MODULE, "app.cubin");
    profile_add_gap(profile, PROFILE_GAP_UNSUPPORTED, "cudaFoo");
    profile_add_gap(profile, PROFILE_GAP_UNSUPPORTED, "cudaFoo");
    return profile;
}

static void expect_failures(const struct profile *profile, uint64_t faults, uint64_t cut_short,
                            uint64_t refused, uint64_t gaps) {
    const struct profile_failures sums = profile_failures(profile);
    assert_int_equal(sums.faults, faults);
    assert_int_equal(sums.cut_short, cut_short);
    assert_int_equal(sums.refused, refused);
    assert_int_equal(sums.gaps, gaps);
    assert_int_equal(profile_has_failed(profile), faults || cut_short || refused || gaps);
}

static void expect_details(const struct profile *profile) {
    const struct profile_launch *launches = profile->launches;
    assert_int_equal(launches[0].fault_count, 1);
    const struct profile_fault *fault = &launches[0].faults[0];
    assert_string_equal(fault->kind, "illegal_address");
    assert_string_equal(fault->instruction, "st.global.f32");
    assert_true(fault->has_address && fault->has_thread);
    assert_true(fault->address == 0xffffffffffffff00);
    assert_int_equal(fault->line, 7);
    assert_int_equal(fault->block[2], 3);
    assert_int_equal(fault->thread[0], 33);
    assert_int_equal(fault->lane, 1);
    assert_int_equal(launches[1].cut, PROFILE_CUT_SIGNAL);
    assert_int_equal(launches[1].cut_signal, SIGTERM);
    assert_string_equal(launches[1].fault, "cut short by signal 15 (SIGTERM)");
    assert_null(launches[2].fault);
    assert_int_equal(launches[2].cut, PROFILE_WHOLE);
    assert_int_equal(profile->refused_count, 2);
    assert_int_equal(profile->refused[0].repeats, 2);
    assert_int_equal(profile->refused[0].limits[0].asked, 1025);
    assert_string_equal(profile->refused[0].limits[0].cure, "scale<<<2, 1024>>>");
    assert_null(profile->refused[1].limits[0].cure);
    assert_int_equal(profile->gap_count, 2);
    assert_int_equal(profile->gaps[0].kind, PROFILE_GAP_MODULE);
    assert_string_equal(profile->gaps[1].text, "cudaFoo");
    assert_int_equal(profile->gaps[1].count, 2);
}

static void test_round_trip(void **state) {
    (void)state;
    struct profile *profile = failed_profile();
    struct diag_list diags = {0};
    expect_failures(profile, 1, 1, 3, 2);
    expect_details(profile);
    char *json = profile_to_json(profile);
    struct profile *back = read_text(json, &diags);
    assert_non_null(back);
    expect_failures(back, 1, 1, 3, 2);
    expect_details(back);
    char *again = profile_to_json(back);
    assert_string_equal(json, again);
    free(json);
    free(again);
    profile_free(profile);
    profile_free(back);
}

// The keys are of profiles in which something went wrong; without them nothing did.
static void test_clean(void **state) {
    (void)state;
    struct profile *profile = new_profile();
    struct diag_list diags = {0};
    launch(profile, &(struct profile_launch_result){.blocks_run = 105});
    expect_failures(profile, 0, 0, 0, 0);
    char *json = profile_to_json(profile);
    static const char *const keys[] = {"\"faults\"", "\"cut_short\"", "\"refused\"",
                                       "\"incomplete\""};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_null(strstr(json, keys[i]));
    struct profile *back = read_text(json, &diags);
    expect_failures(back, 0, 0, 0, 0);
    free(json);
    profile_free(profile);
    profile_free(back);
}

static void test_appended(void **state) {
    (void)state;
    struct profile *all = new_profile();
    struct profile *clean = new_profile();
    launch(clean, &(struct profile_launch_result){.blocks_run = 105});
    profile_append(all, clean);
    expect_failures(all, 0, 0, 0, 0);
    profile_append(all, failed_profile());
    profile_append(all, failed_profile());
    profile_add_gap(all, PROFILE_GAP_LOST, "./app left no profile");
    expect_failures(all, 2, 2, 6, 5);
    assert_int_equal(all->refused[0].after, 2); // one of its own process
    assert_int_equal(all->refused[2].after, 5);
    assert_true(all->gaps[2].has_process);
    assert_int_equal(all->gaps[2].process, 2);
    assert_false(all->gaps[4].has_process);
    struct diag_list diags = {0};
    char *json = profile_to_json(all);
    struct profile *back = read_text(json, &diags);
    assert_non_null(back);
    expect_failures(back, 2, 2, 6, 5);
    assert_int_equal(back->gaps[2].process, 2);
    free(json);
    profile_free(all);
    profile_free(back);
}

// What a program leaves out of its profile may have failed all the same.
static void test_forgotten(void **state) {
    (void)state;
    struct profile *profile = failed_profile();
    profile_forget_launches(profile);
    assert_int_equal(profile->launched, 0);
    expect_failures(profile, 0, 0, 3, 4);
    assert_int_equal(profile->refused[0].after, 0);
    assert_int_equal(profile->gaps[2].kind, PROFILE_GAP_FAULT);
    assert_string_equal(profile->gaps[2].text,
                        "transpose(float*, float const*, int): illegal_address at line 7 of "
                        "scale.cu");
    assert_string_equal(profile->gaps[3].text, "cut short by signal 15 (SIGTERM)");
    launch(profile, &(struct profile_launch_result){.blocks_run = 105});
    assert_int_equal(profile->launches[0].index, 0);
    profile_free(profile);
}

// A launch that was cut short is not one that counted the same by chance.
static void test_not_alike(void **state) {
    (void)state;
    struct profile *profile = new_profile();
    struct profile_fault other = wild_store;
    other.address = 64;
    launch(profile, &(struct profile_launch_result){.blocks_run = 3});
    launch(profile, &(struct profile_launch_result){.blocks_run = 3, .cut = PROFILE_CUT_EXIT});
    launch(profile, &(struct profile_launch_result){.blocks_run = 3, .cut = PROFILE_CUT_DEATH});
    launch(profile, &(struct profile_launch_result){.fault = "it broke", .where = &wild_store});
    launch(profile, &(struct profile_launch_result){.fault = "it broke", .where = &other});
    launch(profile, &(struct profile_launch_result){.fault = "it broke", .where = &other});
    assert_int_equal(profile->launch_count, 5);
    expect_failures(profile, 3, 2, 0, 0);
    profile_free(profile);
}

static void test_cut_texts(void **state) {
    (void)state;
    static const struct {
        enum profile_cut why;
        int signal;
        const char *text;
    } table[] = {
        {PROFILE_CUT_SIGNAL, SIGINT, "interrupted by signal 2 (SIGINT)"},
        {PROFILE_CUT_SIGNAL, 63, "cut short by signal 63"},
        {PROFILE_CUT_SIGNAL, 0, "cut short by a signal"},
        {PROFILE_CUT_DEATH, SIGKILL, "cut short by signal 9 (SIGKILL)"},
        {PROFILE_CUT_EXIT, 0, "cut short: the program ended in the midst of it"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char *text = profile_cut_text(table[i].why, table[i].signal);
        assert_string_equal(text, table[i].text);
        free(text);
    }
}

static void test_broken_files(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *want;
    } table[] = {
        {"\"by\": \"signal\"", "\"by\": \"magic\"",
         "launches[1].cut_short.by: expected one of \"signal\", \"instructions\""},
        {"\"fault\": \"cut short by signal 15 (SIGTERM)\"", "\"fault\": null",
         "launches[1].fault: is null, but the launch did not run to its end"},
        {"\"signal\": 15", "\"signal\": 65", "cut_short.signal: expected a whole number"},
        {"\"0xffffffffffffff00\"", "\"ff00\"",
         "launches[0].faults[0].address: expected a hexadecimal number"},
        {"\"lane\": 1", "\"lane\": 32", "faults[0].lane: expected a whole number from 0 to 31"},
        {"\"after\": 1", "\"after\": -1", "refused[0].after: expected a whole number"},
        {"\"most\": 1024", "\"most\": null", "refused[0].reasons[0].most: expected a whole"},
        {"\"kind\": \"module\"", "\"kind\": \"modul\"", "incomplete[0].kind: expected one of"},
        {"\"kind\": \"module\"", "\"process\": 0, \"kind\": \"module\"",
         "incomplete[0].process: there are 0 processes"},
    };
    struct profile *profile = failed_profile();
    char *json = profile_to_json(profile);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct diag_list diags = {0};
        char *at = strstr(json, table[i].from), *broken = malloc(strlen(json) + 128);
        assert_non_null(at);
        sprintf(broken, "%.*s%s%s", (int)(at - json), json, table[i].to,
                at + strlen(table[i].from));
        assert_null(read_text(broken, &diags));
        assert_int_equal(diags.errors, 1);
        if (!strstr(diags.items[0].message, table[i].want))
            fail_msg("expected \"%s\" in \"%s\"", table[i].want, diags.items[0].message);
        diag_free(&diags);
        free(broken);
    }
    free(json);
    profile_free(profile);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),   cmocka_unit_test(test_clean),
        cmocka_unit_test(test_appended),     cmocka_unit_test(test_forgotten),
        cmocka_unit_test(test_not_alike),    cmocka_unit_test(test_cut_texts),
        cmocka_unit_test(test_broken_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
