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
    assert_true(site->knows_array_offset); // read from a saved profile
    assert_int_equal(site->array_offset, DYNAMIC);
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

// Two elements of 8 bytes in rows of four, in an array that lies 64 bytes behind the start of
// shared memory; lane 1 asks for the first of the second row.
static bool place(struct profile_layout layout, uint32_t second, uint32_t *found) {
    const struct profile_cure cure = {.element_bytes = 8, .offset = 32, .bytes = 512};
    const uint32_t offsets[32] = {96, second}; // other lanes take no part
    uint32_t cured[32] = {7, 7, 7};
    const bool is_cured = profile_cured_offsets(&cure, &layout, 64, 3, 8, offsets, cured);
    assert_int_equal(cured[2], 7);
    assert_true(!is_cured || cured[0] == 96);
    *found = cured[1];
    return is_cured;
}

static void test_cured_offsets(void **state) {
    (void)state;
    const struct profile_layout pad = {.kind = PROFILE_PAD, .row = 4, .pad = 1},
                                swizzle = {.kind = PROFILE_SWIZZLE, .bits = 2, .shift = 2},
                                mirror = {.kind = PROFILE_MIRROR, .bits = 2, .shift = 2};
    uint32_t found;
    assert_true(place(pad, 96 + 32, &found));
    assert_int_equal(found, 96 + 40);
    assert_true(place(swizzle, 96 + 32, &found));
    assert_int_equal(found, 96 + 40);
    assert_true(place(mirror, 96 + 32, &found));
    assert_int_equal(found, 96 + 56);
    assert_true(place(pad, 96 + 512 - 8, &found));
    assert_int_equal(found, 96 + 512 - 8 + 15 * 8);
    // Outside of what the cure is about, and half outside.
    assert_false(place(pad, 96 + 512, &found));
    assert_false(place(pad, 88, &found));
    assert_false(place(pad, 96 + 508, &found));
    // What no search finds, but a file may say.
    assert_false(place((struct profile_layout){.kind = PROFILE_PAD, .pad = 1}, 96, &found));
    assert_false(place((struct profile_layout){.kind = PROFILE_SWIZZLE, .bits = 31, .shift = 31},
                       96, &found));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_arrays),       cmocka_unit_test(test_one_array),
        cmocka_unit_test(test_unknown_requests), cmocka_unit_test(test_declared),
        cmocka_unit_test(test_cured_offsets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
