// What came into a profile behind a moment.
#include "profile_fake.h"

#include "base/alloc.h"
#include "profile/since.h"

static struct profile *empty(void) {
    char *argv[] = {"./tests"};
    return profile_create(90, argv, 1);
}

static void launch(struct profile *profile, uint32_t size) {
    struct fake fake;
    make(&fake);
    fake.info.grid[0] = size;
    struct profile_launch_result result = {.blocks_run = size};
    profile_finish(profile_record(&fake.info), profile, &result);
}

static void refuse(struct profile *profile, uint32_t block) {
    struct profile_refused refused = {.after = profile->launched,
                                      .repeats = 1,
                                      .kernel = base_strdup("k"),
                                      .symbol = base_strdup("k"),
                                      .grid = {1, 1, 1},
                                      .block = {block, 1, 1},
                                      .limit_count = 1};
    refused.limits = base_alloc(sizeof *refused.limits);
    refused.limits[0] = (struct profile_broken_limit){base_strdup("block_threads"), block, 1024,
                                                      base_strdup("too many"), NULL};
    profile_add_refused(profile, &refused);
}

static void find(struct profile *profile, const char *message) {
    struct profile_finding finding = {.check = PROFILE_CHECK_MEMORY,
                                      .kind = (char *)"leak",
                                      .message = (char *)message,
                                      .count = 1};
    profile_add_finding(profile, &finding);
}

// The same as a profile that began at the moment.
static void expect(const struct profile *profile, const struct profile_moment *moment,
                   struct profile *wanted) {
    struct profile *made = profile_since(profile, moment);
    char *text = profile_to_json(made), *wanted_text = profile_to_json(wanted);
    assert_string_equal(text, wanted_text);
    free(text);
    free(wanted_text);
    profile_free(made);
    profile_free(wanted);
}

static void test_launches(void **state) {
    (void)state;
    static const uint32_t sizes[] = {1, 2, 1, 1, 3, 2, 1, 4, 1, 1};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    struct profile *profile = empty();
    for (int i = 0; i < COUNT; i++)
        launch(profile, sizes[i]);
    for (int first = 0; first <= COUNT; first++) {
        struct profile_moment moment = {.launched = (uint64_t)first};
        struct profile *made = profile_since(profile, &moment);
        assert_int_equal(made->launched, COUNT - first);
        uint64_t repeats = 0;
        for (size_t i = 0; i < made->launch_count; i++) {
            uint64_t times = 0;
            for (int k = first; k < COUNT; k++)
                times += sizes[k] == made->launches[i].grid[0];
            assert_true(times > 0);
            assert_int_equal(made->launches[i].repeats, times);
            repeats += times;
        }
        assert_int_equal(repeats, COUNT - first);
        profile_free(made);
    }
    profile_free(profile);
}

static void test_all(void **state) {
    (void)state;
    struct profile *profile = empty(), *wanted = empty();
    launch(profile, 1);
    launch(wanted, 1);
    launch(profile, 1);
    launch(wanted, 1);
    struct profile_moment moment = {0};
    expect(profile, &moment, wanted);
    profile_free(profile);
}

static void test_what_went_wrong(void **state) {
    (void)state;
    struct profile *profile = empty(), *wanted = empty();
    launch(profile, 1);
    refuse(profile, 2000);
    refuse(profile, 3000);
    profile_add_gap(profile, PROFILE_GAP_UNSUPPORTED, "cudaOld");
    profile_add_gap(profile, PROFILE_GAP_UNSUPPORTED, "cudaBoth");
    find(profile, "old");
    find(profile, "both");
    struct profile_moment moment = profile_moment_of(profile);
    launch(profile, 2), launch(wanted, 2);
    refuse(profile, 3000), refuse(wanted, 3000);
    refuse(profile, 4000), refuse(wanted, 4000);
    profile_add_gap(profile, PROFILE_GAP_UNSUPPORTED, "cudaBoth");
    profile_add_gap(wanted, PROFILE_GAP_UNSUPPORTED, "cudaBoth");
    profile_add_gap(profile, PROFILE_GAP_UNSUPPORTED, "cudaNew");
    profile_add_gap(wanted, PROFILE_GAP_UNSUPPORTED, "cudaNew");
    find(profile, "both"), find(wanted, "both");
    find(profile, "new"), find(wanted, "new");
    wanted->refused[0].after = 0; // the first time was before
    expect(profile, &moment, wanted);
    profile_free_moment(&moment);
    moment = profile_moment_of(profile);
    expect(profile, &moment, empty());
    profile_free_moment(&moment);
    profile_free(profile);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launches),
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_what_went_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
