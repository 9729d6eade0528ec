// What is said to cure conflicts beside layouts is a fact of the requests, and is not said where it
// is none.
#include "profile_fake.h"

#include "profile/hint_find.h"

enum { LANES = BANKRUN_LANES, MOST = 16 };

struct asked {
    uint32_t offsets[MOST][LANES];
    struct fix_request requests[MOST];
    size_t count;
};

static void ask_of(struct asked *asked, enum bankrun_access access, unsigned width, uint32_t first,
                   uint32_t stride) {
    const size_t n = asked->count++;
    for (uint32_t l = 0; l < LANES; l++)
        asked->offsets[n][l] = first + l * stride;
    asked->requests[n] = (struct fix_request){
        .banks = {access, width, 0, UINT32_MAX, asked->offsets[n]}, .count = 1};
}

static struct profile_hints hints_of(unsigned arch, const struct asked *asked) {
    const struct hint_array about = hint_look(asked->requests, asked->count);
    struct profile_hints hints = {0};
    hint_find(arch, asked->requests, asked->count, &about, &hints);
    return hints;
}

// Of 1.x: bytes of one word are stored one after the other.
static void test_subword_stores(void **state) {
    (void)state;
    struct asked asked = {0};
    ask_of(&asked, BANKRUN_STORE, 1, 0, 1);
    assert_int_equal(hints_of(13, &asked).gains[PROFILE_HINT_SUBWORD], 6);
    assert_int_equal(hints_of(90, &asked).excess, 0);
    asked.count = 0;
    ask_of(&asked, BANKRUN_STORE, 1, 0, 64); // a word each
    const struct profile_hints hints = hints_of(13, &asked);
    assert_true(hints.excess > 0);
    assert_int_equal(hints.gains[PROFILE_HINT_SUBWORD], 0);
}

static void test_one_element(void **state) {
    (void)state;
    struct asked asked = {0};
    ask_of(&asked, BANKRUN_ATOMIC, 4, 12, 0);
    struct profile_hints hints = hints_of(90, &asked);
    assert_int_equal(hints.excess, 31);
    assert_int_equal(hints.gains[PROFILE_HINT_ONE_ELEMENT], 31);
    asked.count = 0;
    ask_of(&asked, BANKRUN_ATOMIC, 4, 0, 128); // one bank, but an element each
    hints = hints_of(90, &asked);
    assert_int_equal(hints.excess, 31);
    assert_int_equal(hints.gains[PROFILE_HINT_ONE_ELEMENT], 0);
}

static void test_interleaved(void **state) {
    (void)state;
    struct asked asked = {0};
    for (uint32_t s = 1; s <= 8; s *= 2) {
        ask_of(&asked, BANKRUN_LOAD, 4, 0, 8 * s);
        ask_of(&asked, BANKRUN_LOAD, 4, 4 * s, 8 * s);
    }
    ask_of(&asked, BANKRUN_STORE, 4, 0, 4);
    struct profile_hints hints = hints_of(90, &asked);
    assert_int_equal(hints.excess, 2 * (1 + 3 + 7 + 15));
    assert_int_equal(hints.gains[PROFILE_HINT_INTERLEAVED], hints.excess);
    asked.count = 0; // two strides are rows and planes
    ask_of(&asked, BANKRUN_LOAD, 4, 0, 64);
    ask_of(&asked, BANKRUN_LOAD, 4, 0, 128);
    ask_of(&asked, BANKRUN_STORE, 4, 0, 4);
    assert_int_equal(hints_of(90, &asked).gains[PROFILE_HINT_INTERLEAVED], 0);
    asked.count = 0; // a scan: strides begin elsewhere
    for (uint32_t s = 1; s <= 8; s *= 2)
        ask_of(&asked, BANKRUN_LOAD, 4, 4 * (s - 1), 8 * s);
    ask_of(&asked, BANKRUN_STORE, 4, 0, 4);
    assert_int_equal(hints_of(90, &asked).gains[PROFILE_HINT_INTERLEAVED], 0);
}

static void test_structures(void **state) {
    (void)state;
    struct asked asked = {0};
    for (uint32_t member = 0; member < 4; member++)
        ask_of(&asked, BANKRUN_LOAD, 4, 4 * member, 16);
    struct profile_hints hints = hints_of(90, &asked);
    assert_int_equal(hints.excess, 4 * 3);
    assert_int_equal(hints.stride, 16);
    assert_int_equal(hints.gains[PROFILE_HINT_STRUCTURES], hints.excess);
    ask_of(&asked, BANKRUN_STORE, 4, 0, 4); // a matrix: lanes go along its rows, too
    hints = hints_of(90, &asked);
    assert_int_equal(hints.stride, 0);
    assert_int_equal(hints.gains[PROFILE_HINT_STRUCTURES], 0);
    asked.count = 4;
    ask_of(&asked, BANKRUN_STORE, 16, 0, 16); // a vector, which must stay in one piece
    assert_int_equal(hints_of(90, &asked).gains[PROFILE_HINT_STRUCTURES], 0);
    asked.count = 1; // one member: nothing lies beside it
    assert_int_equal(hints_of(90, &asked).gains[PROFILE_HINT_STRUCTURES], 0);
}

// 16 bytes a lane, quarter by quarter: lanes 0, 4, 8, ... have the first places.
static void test_order(void **state) {
    (void)state;
    struct asked asked = {0};
    ask_of(&asked, BANKRUN_LOAD, 16, 0, 0);
    for (uint32_t l = 0; l < LANES; l++)
        asked.offsets[0][l] = (l % 8 * 4 + l / 8) * 16;
    struct profile_hints hints = hints_of(90, &asked);
    assert_true(hints.excess > 0);
    assert_int_equal(hints.gains[PROFILE_HINT_ORDER], hints.excess);
    asked.count = 0;
    ask_of(&asked, BANKRUN_LOAD, 16, 0, 128); // in any order one bank after the other
    hints = hints_of(90, &asked);
    assert_true(hints.excess > 0);
    assert_int_equal(hints.gains[PROFILE_HINT_ORDER], 0);
    asked.count = 0;
    ask_of(&asked, BANKRUN_LOAD, 4, 0, 128); // all lanes at once
    assert_int_equal(hints_of(90, &asked).gains[PROFILE_HINT_ORDER], 0);
}

// That an index is loaded is what the proof says; without it nothing is.
static struct profile *run(const char *why) {
    struct fake fake;
    struct event event = {.site = LOAD, .mask = FULL};
    struct profile_proof proofs[SITES] = {0};
    make(&fake);
    for (uint32_t l = 0; l < LANES; l++)
        event.offsets[l] = l * l * 7 % 61 * 32;
    proofs[LOAD].why = why;
    struct profile_recorder *recorder = profile_record(&fake.info);
    const struct event_observer *observer = profile_observer(recorder);
    send_to(observer->worker_begin(observer->context, 0), observer, &event);
    struct profile *profile = profile_create(90, NULL, 0);
    profile_finish(recorder, profile,
                   &(struct profile_launch_result){.blocks_run = 1, .proofs = proofs});
    return read_again(profile);
}

static void test_random(void **state) {
    (void)state;
    struct profile *profile = run(PROFILE_LOADED);
    const struct profile_site *site = only_site(profile);
    assert_true(site->hints.excess > 0);
    assert_int_equal(site->hints.gains[PROFILE_HINT_RANDOM], site->hints.excess);
    assert_non_null(strstr(site->help, "the index is loaded from memory"));
    profile_free(profile);
    profile = run("too many cases");
    site = only_site(profile);
    assert_int_equal(site->hints.gains[PROFILE_HINT_RANDOM], 0);
    assert_null(strstr(site->help, "loaded from memory"));
    profile_free(profile);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_subword_stores), cmocka_unit_test(test_one_element),
        cmocka_unit_test(test_interleaved),    cmocka_unit_test(test_structures),
        cmocka_unit_test(test_order),          cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
