// Profiles as files: written, read again, broken ones, and launches that are kept once.
#include "profile/as.h"
#include "profile_fake.h"

// ---- The saved form --------------------------------------------------------------------------

static struct profile *sample(void) {
    struct fake fake;
    make(&fake);
    struct event events[6] = {column_event(LOAD, 0, 128),   column_event(STORE, 0, 4),
                              column_event(INLINED, 0, 8),  column_event(NOWHERE, 0, 1),
                              column_event(MATRIX, 0, 128), column_event(ADD, 0, 12)};
    events[0].mask = 0xfff;
    events[0].block[2] = 2;
    struct profile *profile = profile_of(&fake, events, 6);
    struct profile_launch_result result = {.fault = "it \"broke\"\nhere"};
    struct profile_recorder *recorder = profile_record(&fake.info);
    profile_finish(recorder, profile, &result);
    return profile;
}

static void test_round_trip(void **state) {
    (void)state;
    struct profile *profile = sample();
    struct diag_list diags = {0};
    char *json = profile_to_json(profile);
    struct profile *back = read_text(json, &diags);
    assert_int_equal(diags.count, 0);
    assert_non_null(back);
    char *again = profile_to_json(back);
    assert_string_equal(json, again);
    assert_int_equal(back->arch, 90);
    assert_int_equal(back->program_count, 2);
    assert_string_equal(back->launches[1].fault, "it \"broke\"\nhere");
    assert_null(back->launches[0].fault);
    assert_int_equal(back->launches[1].index, 1);
    assert_int_equal(back->launches[0].barriers, 210);
    assert_int_equal(back->launches[0].site_count, profile->launches[0].site_count);
    for (size_t i = 0; i < back->launches[0].site_count; i++) {
        const struct profile_site *a = &profile->launches[0].sites[i];
        const struct profile_site *b = &back->launches[0].sites[i];
        assert_memory_equal(&a->counts, &b->counts, sizeof a->counts);
        assert_memory_equal(a->degrees, b->degrees, sizeof a->degrees);
        assert_memory_equal(a->worst_offsets, b->worst_offsets, sizeof a->worst_offsets);
        assert_int_equal(a->worst_mask, b->worst_mask);
        assert_int_equal(a->op, b->op);
        assert_true((a->why == NULL) == (b->why == NULL));
        assert_int_equal(a->cure, b->cure);
    }
    assert_memory_equal(profile->launches[0].totals, back->launches[0].totals,
                        sizeof back->launches[0].totals);
    free(json);
    free(again);
    profile_free(profile);
    profile_free(back);
}

static void expect_as(const struct profile *profile, const char *expected) {
    char *text = profile_as_text(profile);
    assert_string_equal(text, expected);
    free(text);
}

// Whose accesses are counted.
static void test_as(void **state) {
    (void)state;
    struct profile *profile = sample(), *other = sample(), *failed = sample();
    struct diag_list diags = {0};
    assert_null(profile_as_text(profile));
    profile_note_compiled(profile, "ptxas 13.0");
    profile_note_compiled(other, "ptxas 12.4");
    profile_note_written(failed, "nvdisasm was not found");
    profile->launches[0].sites[0].may_merge = true;
    char *json = profile_to_json(profile);
    struct profile *back = read_text(json, &diags);
    assert_non_null(back);
    expect_as(back, "accesses as compiled by ptxas 13.0 for sm_90");
    assert_true(back->launches[0].sites[0].may_merge);
    assert_false(back->launches[0].sites[1].may_merge);
    assert_true(profile_accesses_shared(back));
    expect_as(failed, "accesses as written in PTX: nvdisasm was not found");
    profile_append(profile, other); // of runs that are added up
    profile_append(profile, failed);
    expect_as(profile, "accesses as compiled by ptxas 13.0, ptxas 12.4 for sm_90; some as written "
                       "in PTX: nvdisasm was not found");
    free(json);
    profile_free(profile);
    profile_free(back);
}

static const char *after(const char *text, const char *needle) {
    const char *found = strstr(text, needle);
    assert_non_null(found);
    return found;
}

// Of the launch that conflicts and ran to its end, for an architecture with a machine.
static void test_cost(void **state) {
    (void)state;
    struct profile *profile = sample();
    char *json = profile_to_json(profile), *one = profile_launch_to_json(&profile->launches[0]);
    const char *cost = after(json, "\"cost\": {");
    after(cost, "\"bottleneck\": \"launch\"");
    after(cost, "\"machine\": \"H200\"");
    after(after(cost, "\"arrays\": ["), "\"array\": \"tile\"");
    after(after(cost, "\"lines\": ["), "\"line\": 33");
    assert_null(strstr(cost + 1, "\"cost\""));
    assert_null(strstr(one, "\"cost\""));
    free(json);
    free(one);
    profile->arch = 13;
    json = profile_to_json(profile);
    assert_null(strstr(json, "\"cost\""));
    free(json);
    profile_free(profile);
}

// A column of rows of 32 words: rows of 33 cure it, and so does a swizzle.
static void test_cures(void **state) {
    (void)state;
    struct fake fake;
    make(&fake);
    struct event events[2] = {column_event(LOAD, 0, 128), column_event(STORE, 0, 4)};
    struct profile *profile = profile_of(&fake, events, 2);
    struct diag_list diags = {0};
    char *json = profile_to_json(profile);
    struct profile *back = read_text(json, &diags);
    assert_non_null(back);
    const struct profile_launch *launch = &back->launches[0];
    assert_int_equal(launch->cure_count, 1);
    const struct profile_cure *cure = &launch->cures[0];
    assert_string_equal(cure->array, "tile");
    assert_false(cure->is_dynamic);
    assert_int_equal(cure->bytes, 4096);
    assert_int_equal(cure->element_bytes, 4);
    assert_int_equal(cure->requests, 2);
    assert_int_equal(cure->wavefronts, 33);
    assert_int_equal(cure->ideal, 2);
    assert_int_equal(cure->reason, PROFILE_SOME_LAYOUT);
    assert_int_equal(cure->line_count, 2);
    assert_string_equal(cure->lines[0].file, "transpose.cu");
    assert_int_equal(cure->lines[0].line, 31);
    assert_int_equal(cure->lines[1].line, 33);
    assert_true(cure->layout_count >= 3);
    const struct profile_layout *pad = &cure->layouts[0], *index = &cure->layouts[1];
    assert_int_equal(pad->kind, PROFILE_PAD);
    assert_int_equal(pad->row, 32);
    assert_int_equal(pad->pad, 1);
    assert_int_equal(pad->wavefronts, 2);
    assert_int_equal(pad->bytes, 4096 + 32 * 4);
    assert_false(pad->is_by_index);
    assert_true(index->is_by_index);
    assert_int_equal(index->row, 32);
    assert_int_equal(cure->layouts[2].kind, PROFILE_SWIZZLE);
    assert_int_equal(cure->layouts[2].bits, 5);
    assert_int_equal(cure->layouts[2].base, 0);
    assert_int_equal(cure->layouts[2].shift, 5);
    unsigned with_cure = 0;
    for (size_t i = 0; i < launch->site_count; i++)
        with_cure += launch->sites[i].cure == 1;
    assert_int_equal(with_cure, 1);
    free(json);
    profile_free(back);
    profile_free(profile);
}

// What a file does not say is not guessed from the instruction's name.
static void test_no_request(void **state) {
    (void)state;
    struct profile *profile = sample();
    struct diag_list diags = {0};
    struct profile_bank_map map;
    char *json = profile_to_json(profile);
    assert_true(profile_map_banks(90, &profile->launches[0].sites[0], &map));
    profile_free(profile);
    for (char *at = json; (at = strstr(at, "\"request\":")) != NULL;)
        memcpy(at, "\"reqwest\":", 10); // as bankrun 0.1.0 wrote it: no such key
    profile = read_text(json, &diags);
    assert_int_equal(diags.count, 0);
    for (size_t i = 0; i < profile->launches[0].site_count; i++) {
        const struct profile_site *site = &profile->launches[0].sites[i];
        assert_false(site->is_modelled);
        assert_int_equal(profile_certainty(90, site), BANKRUN_UNKNOWN);
        assert_false(profile_map_banks(90, site, &map));
    }
    free(json);
    profile_free(profile);
}

static void test_sorted_keys(void **state) {
    (void)state;
    struct profile *profile = sample();
    char *json = profile_to_json(profile);
    assert_true(strstr(json, "\"arch\"") < strstr(json, "\"launches\""));
    assert_true(strstr(json, "\"launches\"") < strstr(json, "\"program\""));
    assert_true(strstr(json, "\"program\"") < strstr(json, "\"schema\""));
    free(json);
    profile_free(profile);
}

static void test_strange_bytes(void **state) {
    (void)state;
    char *argv[] = {"caf\xc3\xa9", "broken \xff\xc3", "\xed\xa0\x80"};
    struct profile *profile = profile_create(80, argv, 3);
    struct diag_list diags = {0};
    char *json = profile_to_json(profile);
    struct profile *back = read_text(json, &diags);
    assert_non_null(back);
    assert_string_equal(back->program[0], "caf\xc3\xa9");
    assert_string_equal(back->program[1], "broken \xef\xbf\xbd\xef\xbf\xbd");
    assert_string_equal(back->program[2], "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    free(json);
    profile_free(profile);
    profile_free(back);
}

// The text with the first `from` replaced.
static char *replaced(const char *text, const char *from, const char *to) {
    const char *at = strstr(text, from);
    assert_non_null(at);
    size_t size = strlen(text) + strlen(to) + 1;
    char *result = malloc(size);
    snprintf(result, size, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return result;
}

static void expect_error(const char *text, const char *want) {
    struct diag_list diags = {0};
    assert_null(read_text(text, &diags));
    assert_int_equal(diags.errors, 1);
    const char *message = strstr(diags.items[0].message, ": ");
    if (!message || !strstr(diags.items[0].message, want)) {
        print_error("expected \"%s\" in \"%s\"\n", want, diags.items[0].message);
        fail();
    }
    diag_free(&diags);
}

static void test_broken_files(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *want;
    } table[] = {
        {"{", "", "not JSON"},
        {"\"bankrun-profile/1\"", "\"bankrun-profile/2\"",
         "schema: \"bankrun-profile/2\" is not \"bankrun-profile/1\""},
        {"\"schema\"", "\"shema\"", "schema: is missing"},
        {"\"sm_90\"", "\"90\"", "arch: expected \"sm_\" and a number"},
        {"\"sm_90\"", "\"sm_9x\"", "arch: expected \"sm_\" and a number"},
        {"\"sm_90\"", "90", "arch: expected a string"},
        {"\"index\": 0", "\"index\": 3",
         "launches[0].repeated[0].first: the indices do not ascend"},
        {"\"first\": 0", "\"first\": 1",
         "launches[0].repeated[0].first: the indices do not ascend"},
        {"\"step\": 1", "\"step\": 0", "launches[0].repeated[0].first: the indices do not ascend"},
        {"\"repeats\": 1", "\"repeats\": 2", "launches[0].repeats: 2, but `repeated` lists 1"},
        {"\"./transpose\"", "7", "program: expected strings"},
        {"\"instructions\": 12345", "\"instructions\": -1",
         "launches[0].instructions: expected a whole number from 0 to"},
        {"\"instructions\": 12345", "\"instructions\": 1.5", "instructions: expected a whole"},
        {"\"blocks_run\": 105,", "", "launches[0].blocks_run: is missing"},
        {"\"grid\": [\n    7,", "\"grid\": [", "launches[0].grid: expected an array of 3 values"},
        {"\"line\": 31", "\"line\": 4294967296",
         "line: expected a whole number from 0 to 4294967295"},
        {"\"op\": \"store\"", "\"op\": \"stow\"",
         "op: expected one of \"load\", \"store\", \"atomic\""},
        {"\"space\": \"shared\"", "\"space\": \"local\"",
         "space: expected one of \"shared\", \"global\""},
        {"\"estimate\": false", "\"estimate\": 0", "estimate: expected true or false"},
        {"\"excess\": 0", "\"excess\": 1", "excess: is not wavefronts - ideal"},
        {"\"1\": 1", "\"1\": 2", "degrees: the sum 2 is not the number of requests 1"},
        {"\"1\": 1", "\"65\": 1", "\"65\" is no degree (1 to 64)"},
        {"\"1\": 1", "\"x\": 1", "\"x\" is no degree"},
        {"\"inlined_at\": []", "\"inlined_at\": [3]", "inlined_at[0]: expected an object"},
        {"\"requests\": 2", "\"requests\": 3", "totals.shared.load: is not the sum of the sites"},
        {"\"sites\": [", "\"sites\": [5,", "launches[0].sites[0]: expected an object"},
        {"\"access\": \"store\"", "\"access\": \"stare\"",
         "request.access: expected one of \"load\", \"store\", \"atomic\""},
        {"\"matrices\": 0", "\"matrices\": 1", "request: the width or the number of matrices"},
        {"\"scanned\": false,", "", "request.scanned: is missing"},
        {"\"by\": \"index\"", "\"by\": \"hand\"",
         "launches[0].cures[0].layouts[0].by: expected one of \"declaration\", \"index\""},
        {"\"reason\": null", "\"reason\": \"none\"",
         "launches[0].cures[0].reason: \"none\" is none that is known"},
        {"\"reason\": null", "\"reason\": \"no layout\"",
         "reason: is null where there are layouts, and only there"},
        {"\"cure\": 0", "\"cure\": 7", "cure: there is no such element of `cures`"},
        {"\n       null", "\n       12", "is not in the mask, expected null"},
    };
    struct profile *profile = sample();
    char *json = profile_to_json(profile);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char *broken = replaced(json, table[i].from, table[i].to);
        expect_error(broken, table[i].want);
        free(broken);
    }
    expect_error("", "not JSON");
    expect_error("[]", "expected a JSON object");
    expect_error("{\"schema\": 4}", "schema: expected a string");
    free(json);
    profile_free(profile);
    struct diag_list diags = {0};
    assert_null(profile_read("/nowhere/run.json", &diags));
    assert_string_equal(diags.items[0].message, "/nowhere/run.json: No such file or directory");
    diag_free(&diags);
}

// ---- Launches that are alike -----------------------------------------------------------------

// One more launch of the profile: a column of the tile, `times` times.
static void launch_columns(struct profile *profile, struct fake *fake, uint32_t times) {
    struct profile_recorder *recorder = profile_record(&fake->info);
    const struct event_observer *observer = profile_observer(recorder);
    void *worker = observer->worker_begin(observer->context, 0);
    struct event event = column_event(LOAD, 0, 128);
    for (uint32_t i = 0; i < times; i++)
        send_to(worker, observer, &event);
    struct profile_launch_result result = {.blocks_run = 1, .instructions = 7};
    profile_finish(recorder, profile, &result);
}

static void expect_run(const struct profile_launch *launch, size_t n, uint32_t first,
                       uint32_t count, uint32_t step) {
    assert_true(n < launch->run_count);
    assert_int_equal(launch->runs[n].first, first);
    assert_int_equal(launch->runs[n].count, count);
    if (count > 1)
        assert_int_equal(launch->runs[n].step, step);
}

static void test_alike(void **state) {
    (void)state;
    struct fake fake;
    make(&fake);
    struct profile *profile = profile_create(90, NULL, 0);
    const uint32_t steps[] = {1, 2, 1, 2, 1, 2, 3, 1, 1, 1};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        launch_columns(profile, &fake, steps[i]);
    for (int again = 0; again < 2; again++) { // as made, and as read
        assert_int_equal(profile->launched, 10);
        assert_int_equal(profile->launch_count, 3);
        const struct profile_launch *launches = profile->launches;
        assert_int_equal(launches[0].repeats, 6);
        assert_int_equal(launches[0].run_count, 2);
        expect_run(&launches[0], 0, 0, 3, 2);
        expect_run(&launches[0], 1, 7, 3, 1);
        assert_int_equal(launches[1].repeats, 3);
        expect_run(&launches[1], 0, 1, 3, 2);
        assert_int_equal(launches[2].index, 6);
        assert_int_equal(launches[2].repeats, 1);
        assert_int_equal(profile_last_index(&launches[0]), 9);
        char *json = profile_to_json(profile);
        struct diag_list diags = {0};
        profile_free(profile);
        profile = read_text(json, &diags);
        assert_non_null(profile);
        free(json);
        diag_free(&diags);
    }
    profile_free(profile);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),   cmocka_unit_test(test_as),
        cmocka_unit_test(test_sorted_keys),  cmocka_unit_test(test_strange_bytes),
        cmocka_unit_test(test_broken_files), cmocka_unit_test(test_cures),
        cmocka_unit_test(test_alike),        cmocka_unit_test(test_no_request),
        cmocka_unit_test(test_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
