// Cures of the arrays that a program lays into one block of dynamic shared memory.
#include "profile_fake.h"

enum { DYNAMIC = 4224, MOST = 8 };

struct asked {
    struct fake fake;
    struct event events[MOST];
    size_t count;
};

static void begin(struct asked *asked) {
    memset(asked, 0, sizeof *asked);
    make(&asked->fake);
    asked->fake.info.dynamic_shared_bytes = 16384;
}

static void ask(struct asked *asked, uint32_t site, uint32_t base, uint32_t stride) {
    asked->events[asked->count++] = column_event(site, DYNAMIC + base, stride);
}

static struct profile *run(struct asked *asked) {
    return read_again(profile_of(&asked->fake, asked->events, asked->count));
}

static const struct profile_cure *cure_at(const struct profile *profile, uint32_t line,
                                          uint32_t column) {
    const struct profile_launch *launch = &profile->launches[0];
    for (size_t i = 0; i < launch->site_count; i++)
        if (launch->sites[i].line == line && launch->sites[i].column == column)
            return launch->sites[i].cure ? &launch->cures[launch->sites[i].cure - 1] : NULL;
    return NULL;
}

// Rows of 32 words and, behind a gap, rows of 16: each is searched alone.
static void test_two_arrays(void **state) {
    (void)state;
    struct asked asked;
    begin(&asked);
    ask(&asked, STORE, 0, 128);
    ask(&asked, STORE, 4, 128);
    ask(&asked, LOAD, 8192 + 64, 64);
    struct profile *profile = run(&asked);
    assert_int_equal(profile->launches[0].cure_count, 2);
    const struct profile_cure *first = cure_at(profile, 31, 5), *second = cure_at(profile, 33, 9);
    assert_true(first->is_part && second->is_part);
    assert_int_equal(first->offset, 0);
    assert_int_equal(first->bytes, 8192);
    assert_int_equal(first->requests, 2);
    assert_int_equal(first->layouts[0].row, 32);
    assert_int_equal(second->offset, 8192); // the roundest
    assert_int_equal(second->bytes, 8192);
    assert_int_equal(second->requests, 1);
    assert_int_equal(second->layouts[0].row, 16);
    const struct profile_site *site = &profile->launches[0].sites[0];
    assert_non_null(strstr(site->help, "block 0 asks of more[0...2047] (2 requests"));
    assert_non_null(strstr(site->help, "an array of its own in more"));
    profile_free(profile);
}

static void expect_one(struct asked *asked) {

    struct profile *profile = run(asked);
    assert_int_equal(profile->launches[0].cure_count, 1);
    assert_false(profile->launches[0].cures[0].is_part);
    assert_int_equal(profile->launches[0].cures[0].bytes, 16384);
    assert_int_equal(profile->launches[0].cures[0].offset, 0);
    assert_null(strstr(profile->launches[0].sites[0].help, "array of its own"));
    profile_free(profile);
}

// Both are one array where anything goes over the border: a third place, the same place elsewhere
// (in unrolled code), lanes of one request.
static void test_one_array(void **state) {
    (void)state;
    struct asked asked;
    begin(&asked);
    ask(&asked, STORE, 0, 128);
    ask(&asked, LOAD, 8192, 128);
    ask(&asked, INLINED, 3000, 256);
    expect_one(&asked);
    begin(&asked);
    ask(&asked, UNROLLED, 0, 128);
    ask(&asked, LOAD, 8192, 128);
    expect_one(&asked);
    begin(&asked);
    ask(&asked, STORE, 0, 128);
    ask(&asked, LOAD, 4, 512);
    expect_one(&asked);
    begin(&asked); // the places between another's, which never meet
    ask(&asked, STORE, 0, 256);
    ask(&asked, LOAD, 128, 256);
    expect_one(&asked);
}

// More requests than are kept: they might reach anywhere.
static void test_unknown_requests(void **state) {
    (void)state;
    enum { MANY = 600 };
    struct asked asked;
    struct event *events = calloc(MANY + 1, sizeof *events);
    begin(&asked);
    for (unsigned i = 0; i < MANY; i++)
        events[i] = column_event(STORE, DYNAMIC + i % 8 * 4, 128);
    events[MANY] = column_event(LOAD, DYNAMIC + 8192, 128);
    struct profile *profile = read_again(profile_of(&asked.fake, events, MANY + 1));
    assert_int_equal(profile->launches[0].cure_count, 1);
    assert_false(profile->launches[0].cures[0].is_part);
    profile_free(profile);
    free(events);
}

// What is declared is one array.
static void test_declared(void **state) {
    (void)state;
    struct asked asked;
    begin(&asked);
    asked.events[0] = column_event(STORE, 0, 64);
    asked.events[1] = column_event(LOAD, 2048, 64);
    asked.count = 2;
    struct profile *profile = run(&asked);
    assert_int_equal(profile->launches[0].cure_count, 1);
    assert_string_equal(profile->launches[0].cures[0].array, "tile");
    assert_false(profile->launches[0].cures[0].is_part);
    profile_free(profile);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_arrays),
        cmocka_unit_test(test_one_array),
        cmocka_unit_test(test_unknown_requests),
        cmocka_unit_test(test_declared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
