// What is said to cure conflicts beside layouts is a fact of the requests, and is not said where it
// is none.
#include "profile_fake.h"

#include "profile/hint_find.h"
#include "profile/hint_global.h"
#include "profile/hint_launch.h"

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

// ---- The launch's choice --------------------------------------------------------------------

// A kernel of a pointer, and a structure of two numbers, of which the second one is the stride.
static bool find_other(uint64_t is, const uint8_t degrees[32], struct profile_other *other) {
    const struct ptx_variable pointer = {.bytes = 8}, structure = {.bytes = 8};
    struct ir_variable formals[] = {{.ptx = &pointer, .is_formal = true},
                                    {.ptx = &pointer, .offset = 64},
                                    {.ptx = &structure, .is_formal = true, .offset = 8}};
    struct ir_variable *variables[] = {&formals[0], &formals[1], &formals[2]};
    const struct ir_function kernel = {
        .variables = variables, .variable_count = 3, .parameter_bytes = 16};
    uint8_t parameters[16] = {0};
    struct profile_choice choice = {.offset = 12, .bytes = 4};
    memcpy(parameters + 12, &(uint32_t){(uint32_t)is}, 4);
    memcpy(choice.degrees, degrees, sizeof choice.degrees);
    return hint_launch(&(struct hint_launch){&kernel, parameters, 0}, &choice, other);
}

static void test_launch_stride(void **state) {
    (void)state;
    struct profile_other other;
    uint8_t degrees[32];
    for (unsigned r = 0; r < 32; r++)
        degrees[r] = r ? (uint8_t)(1u << __builtin_ctz(r)) : 32;
    assert_true(find_other(32, degrees, &other));
    assert_int_equal(other.number, 2);
    assert_int_equal(other.byte, 4);
    assert_int_equal(other.is, 32);
    assert_int_equal(other.free, 33);
    assert_true(find_other(62, degrees, &other));
    assert_int_equal(other.free, 63);
    assert_false(find_other(33, degrees, &other)); // free already
    assert_false(find_other(0, degrees, &other));  // no stride
    assert_false(find_other((uint32_t)-32, degrees, &other));
    struct profile_choice width = {.is_width = true};
    memcpy(width.degrees, degrees, sizeof degrees);
    assert_true(hint_launch(&(struct hint_launch){.width = 16}, &width, &other));
    assert_int_equal(other.number, 0);
    assert_int_equal(other.is, 16);
    assert_int_equal(other.free, 17);
    assert_false(hint_launch(&(struct hint_launch){.width = 17}, &width, &other));
    for (unsigned r = 0; r < 32; r++)
        degrees[r] *= 2;
    assert_false(find_other(32, degrees, &other)); // none is free
    const struct profile_choice choice = {.bytes = 4};
    assert_false(hint_launch(&(struct hint_launch){0}, &choice, &other));
}

// ---- Global memory --------------------------------------------------------------------------

enum { BLOCKS = 1024, REQUESTS = 8192 };

// A launch with two sites: what is asked about, and one that wastes nothing.
static struct profile_launch launch_of(struct profile_site sites[2], enum profile_op op,
                                       unsigned width, uint64_t sectors, uint64_t ideal) {
    memset(sites, 0, 2 * sizeof *sites);
    sites[0] = (struct profile_site){.space = SITE_GLOBAL, .op = op, .width = width};
    sites[0].counts = (struct profile_counts){REQUESTS, REQUESTS * sectors, REQUESTS * ideal};
    sites[1] = (struct profile_site){.space = SITE_GLOBAL, .op = PROFILE_STORE, .width = 4};
    sites[1].counts = (struct profile_counts){REQUESTS, 4 * REQUESTS, 4 * REQUESTS};
    struct profile_launch launch = {.grid = {BLOCKS, 1, 1},
                                    .block = {256, 1, 1},
                                    .instructions = 16 * REQUESTS,
                                    .sites = sites,
                                    .site_count = 2};
    for (int s = 0; s < 2; s++) {
        struct profile_counts *total = &launch.totals[SITE_GLOBAL][sites[s].op];
        total->requests += sites[s].counts.requests;
        total->units += sites[s].counts.units;
        total->ideal += sites[s].counts.ideal;
    }
    return launch;
}

static void free_helps(struct profile_site sites[2]) {
    free(sites[0].help);
    assert_null(sites[1].help);
}

// Lanes `stride` bytes apart, downwards where that is negative.
static struct profile_shape shape_of(uint32_t mask, int stride) {
    uint32_t offsets[LANES];
    for (int l = 0; l < LANES; l++)
        offsets[l] = (uint32_t)(l * stride);
    return hint_global_shape(mask, offsets);
}

static void test_shapes(void **state) {
    (void)state;
    uint32_t offsets[LANES];
    assert_int_equal(shape_of(FULL, 64).inner, 64);
    assert_int_equal(shape_of(FULL, 64).group, LANES);
    assert_int_equal(shape_of(FULL, -64).inner, 64);
    assert_int_equal(shape_of(0xff00, 4096).inner, 4096);
    assert_int_equal(shape_of(1u << 7, 64).group, 0); // one lane
    assert_int_equal(shape_of(0, 64).group, 0);       // no request is in vain
    for (uint32_t l = 0; l < LANES; l++)
        offsets[l] = l % 4 * 4 + l / 4 * 512;
    const struct profile_shape groups = hint_global_shape(FULL, offsets);
    assert_int_equal(groups.group, 4);
    assert_int_equal(groups.inner, 4);
    assert_int_equal(groups.outer, 512);
    for (uint32_t l = 0; l < LANES; l++)
        offsets[l] = l * l * 64;
    assert_int_equal(hint_global_shape(FULL, offsets).group, 0);
}

static void test_uncoalesced(void **state) {
    (void)state;
    struct profile_site sites[2];
    struct profile_launch launch = launch_of(sites, PROFILE_LOAD, 4, 32, 4);
    sites[0].shape = shape_of(FULL, 4096);
    sites[0].shape.bytes = 4;
    hint_global(90, &launch);
    assert_int_equal(sites[0].hints.gains[PROFILE_HINT_UNCOALESCED], 28 * REQUESTS);
    assert_int_equal(sites[0].hints.excess, 36 * REQUESTS);
    assert_int_equal(sites[0].hints.stride, 4096);
    assert_non_null(strstr(sites[0].help, "lanes read places 4096 bytes apart: "));
    assert_non_null(strstr(sites[0].help, "\n78 % of the launch's sectors are in vain here"));
    free_helps(sites);

    launch = launch_of(sites, PROFILE_ATOMIC, 4, 31, 4); // no rule; no machine is known
    hint_global(13, &launch);
    assert_int_equal(sites[0].hints.stride, 0);
    assert_non_null(strstr(sites[0].help, "lanes update places that follow no rule: gather "));
    assert_null(strstr(sites[0].help, "as fast"));
    free_helps(sites);
}

static void assert_no_hint(struct profile_launch *launch, struct profile_site sites[2]) {
    hint_global(90, launch);
    assert_null(sites[0].help);
    assert_int_equal(sites[0].hints.gains[PROFILE_HINT_UNCOALESCED], 0);
    assert_null(sites[1].help);
}

// What wastes nothing, or so little that nobody would win by it.
static void test_coalesced(void **state) {
    (void)state;
    struct profile_site sites[2];
    struct profile_launch launch = launch_of(sites, PROFILE_LOAD, 4, 4, 4);
    assert_no_hint(&launch, sites);
    launch = launch_of(sites, PROFILE_LOAD, 4, 1, 1); // one element for all, or one lane
    assert_no_hint(&launch, sites);
    launch = launch_of(sites, PROFILE_LOAD, 4, 5, 4); // not aligned
    assert_no_hint(&launch, sites);
    launch = launch_of(sites, PROFILE_LOAD, 4, 2, 1); // the few lanes of a tail, not aligned
    assert_no_hint(&launch, sites);
    launch = launch_of(sites, PROFILE_LOAD, 1, 4, 1); // bytes of four: as much as words move
    assert_no_hint(&launch, sites);
    // A structure of which other accesses want the rest.
    launch = launch_of(sites, PROFILE_LOAD, 4, 16, 4);
    sites[0].shape = shape_of(FULL, 16);
    sites[0].shape.bytes = 16;
    assert_no_hint(&launch, sites);
}

// Once, or beside so much else that it does not matter.
static void test_costs_nothing(void **state) {
    (void)state;
    struct profile_site sites[2];
    struct profile_launch launch = launch_of(sites, PROFILE_LOAD, 4, 32, 4);
    sites[0].counts = (struct profile_counts){1, 32, 4};
    launch.totals[SITE_GLOBAL][PROFILE_LOAD] = sites[0].counts;
    launch.totals[SITE_GLOBAL][PROFILE_STORE] = (struct profile_counts){0};
    assert_no_hint(&launch, sites);
    launch = launch_of(sites, PROFILE_LOAD, 4, 32, 4);
    launch.totals[SITE_GLOBAL][PROFILE_STORE].units *= 100;
    launch.totals[SITE_GLOBAL][PROFILE_STORE].ideal *= 100;
    assert_no_hint(&launch, sites);
    launch = launch_of(sites, PROFILE_LOAD, 4, 32, 4);
    launch.instructions *= 1000; // which take all the time
    assert_no_hint(&launch, sites);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_subword_stores), cmocka_unit_test(test_one_element),
        cmocka_unit_test(test_interleaved),    cmocka_unit_test(test_structures),
        cmocka_unit_test(test_order),          cmocka_unit_test(test_random),
        cmocka_unit_test(test_launch_stride),  cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_uncoalesced),    cmocka_unit_test(test_coalesced),
        cmocka_unit_test(test_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
