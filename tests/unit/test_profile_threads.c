// Launches of several host threads: the same profile, whichever thread was quicker.
#include "profile_fake.h"

// Launches as they came: the thread, and a size by which they differ.
struct came {
    uint32_t thread, size;
};

static char *json_of(const struct came *came, size_t count) {
    char *argv[] = {"./threads"};
    struct profile *profile = profile_create(90, argv, 1);
    for (size_t i = 0; i < count; i++) {
        struct fake fake;
        make(&fake);
        fake.info.thread = came[i].thread;
        fake.info.grid[0] = came[i].size;
        struct profile_launch_result result = {.blocks_run = came[i].size};
        profile_finish(profile_record(&fake.info), profile, &result);
    }
    profile_sort_threads(profile);
    char *json = profile_to_json(profile);
    profile_free(profile);
    return json;
}

#define JSON_OF(...)                                                                               \
    json_of((const struct came[]){__VA_ARGS__},                                                    \
            sizeof((const struct came[]){__VA_ARGS__}) / sizeof(struct came))

static void expect_same(char *a, char *b, bool are_same) {
    assert_int_equal(strcmp(a, b) == 0, are_same);
    free(a);
    free(b);
}

static void test_order_of_arrival(void **state) {
    (void)state;
    expect_same(JSON_OF({0, 1}, {1, 2}, {1, 3}, {2, 4}, {0, 1}),
                JSON_OF({0, 1}, {0, 1}, {2, 4}, {1, 2}, {1, 3}), true);
    // Numbers of threads are given as they come, too.
    expect_same(JSON_OF({1, 2}, {1, 3}, {2, 4}, {0, 1}), JSON_OF({1, 4}, {2, 2}, {0, 1}, {2, 3}),
                true);
    // Threads that are alike, and one that did more.
    expect_same(JSON_OF({1, 2}, {2, 2}, {3, 2}, {3, 3}), JSON_OF({1, 2}, {1, 3}, {2, 2}, {3, 2}),
                true);
}

static void test_order_that_counts(void **state) {
    (void)state;
    // Within a thread, and who the main one is.
    expect_same(JSON_OF({0, 1}, {1, 2}, {1, 3}), JSON_OF({0, 1}, {1, 3}, {1, 2}), false);
    expect_same(JSON_OF({0, 1}, {1, 2}), JSON_OF({0, 2}, {1, 1}), false);
    // One thread alone has no number, whichever it is.
    expect_same(JSON_OF({0, 1}, {0, 2}), JSON_OF({7, 1}, {7, 2}), true);
}

static void test_indices(void **state) {
    (void)state;
    char *json = JSON_OF({1, 5}, {0, 1}, {1, 5}, {0, 1}, {0, 2});
    struct diag_list diags = {0};
    struct profile *profile = profile_parse("it", json, strlen(json), &diags);
    assert_non_null(profile);
    assert_int_equal(profile->launched, 5);
    assert_int_equal(profile->launch_count, 3);
    static const uint32_t sizes[] = {1, 2, 5}, indices[] = {0, 2, 3}, threads[] = {0, 0, 1};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(profile->launches[i].grid[0], sizes[i]);
        assert_int_equal(profile->launches[i].index, indices[i]);
        assert_int_equal(profile->launches[i].thread, threads[i]);
    }
    assert_int_equal(profile->launches[2].repeats, 2);
    profile_free(profile);
    free(json);
}

// Threads that launch, and ask for blocks of `asked` threads that are refused; 0: they launch.
struct asked {
    uint32_t thread, asked;
};

static struct profile *asked_profile(const struct asked *asked, size_t count) {
    char *argv[] = {"./threads"};
    struct profile *profile = profile_create(90, argv, 1);
    for (size_t i = 0; i < count; i++) {
        struct fake fake;
        make(&fake);
        fake.info.thread = asked[i].thread;
        struct profile_launch_result result = {.blocks_run = 1};
        if (asked[i].asked == 0) {
            profile_finish(profile_record(&fake.info), profile, &result);
            continue;
        }
        struct profile_refused refused = {.after = profile_launched_by(profile, asked[i].thread),
                                          .thread = asked[i].thread,
                                          .repeats = 1,
                                          .kernel = strdup("k"),
                                          .symbol = strdup("k"),
                                          .block = {asked[i].asked, 1, 1},
                                          .limits = calloc(1, sizeof *refused.limits),
                                          .limit_count = 1};
        refused.limits->limit = strdup("block_threads");
        refused.limits->text = strdup("too many");
        profile_add_refused(profile, &refused);
    }
    profile_sort_threads(profile);
    return profile;
}

static void expect_refused(const struct asked *asked, size_t count) {
    struct profile *profile = asked_profile(asked, count);
    static const uint32_t sizes[] = {2000, 1500, 3000}, threads[] = {0, 1, 2};
    static const uint64_t after[] = {1, 3, 4}, repeats[] = {3, 1, 1};
    assert_int_equal(profile->launched, 4);
    assert_int_equal(profile->refused_count, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(profile->refused[i].block[0], sizes[i]);
        assert_int_equal(profile->refused[i].after, after[i]);
        assert_int_equal(profile->refused[i].repeats, repeats[i]);
        assert_int_equal(profile->refused[i].thread, threads[i]);
    }
    profile_free(profile);
}

static void test_refused(void **state) {
    (void)state;
    static const struct asked one[] = {{0, 0},    {0, 2000}, {1, 0},    {1, 1500}, {2, 0},
                                       {2, 3000}, {0, 0},    {0, 2000}, {1, 2000}};
    static const struct asked other[] = {{2, 0},    {2, 1500}, {2, 2000}, {0, 0}, {1, 0},
                                         {1, 3000}, {0, 2000}, {0, 2000}, {0, 0}};
    expect_refused(one, sizeof one / sizeof *one);
    expect_refused(other, sizeof other / sizeof *other);
    // A thread that launched nothing, and one thread alone.
    struct profile *profile = asked_profile((const struct asked[]){{7, 2000}, {0, 0}}, 2);
    assert_int_equal(profile->refused[0].after, 1);
    assert_int_equal(profile->refused[0].thread, 1);
    profile_free(profile);
    profile = asked_profile((const struct asked[]){{7, 0}, {7, 2000}}, 2);
    assert_int_equal(profile->refused[0].after, 1);
    assert_int_equal(profile->refused[0].thread, 0);
    profile_free(profile);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_of_arrival),
        cmocka_unit_test(test_order_that_counts),
        cmocka_unit_test(test_indices),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
