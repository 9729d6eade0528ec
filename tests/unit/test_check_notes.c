// Notes of checkers: the same for any number of workers and any order.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check/notes.h"

static const char kind_a[] = "kind-a", kind_b[] = "kind-b";

static struct check_note note(const char *kind, uint32_t instruction, uint64_t block,
                              uint32_t thread) {
    return (struct check_note){.kind = kind,
                               .count = 1,
                               .at = {{.role = "writes",
                                       .instruction = instruction,
                                       .has_thread = true,
                                       .thread = thread,
                                       .block = block}},
                               .at_count = 1};
}

static void repeats_are_counted_and_the_first_is_kept(void **state) {
    (void)state;
    struct check_notes notes = {0};
    const struct check_note later = note(kind_a, 7, 3, 1), first = note(kind_a, 7, 0, 40);
    check_note(&notes, &later);
    check_note(&notes, &first);
    check_note(&notes, &later);
    assert_int_equal(notes.list.length, 1);
    assert_int_equal(notes.list.data[0].count, 3);
    assert_int_equal(notes.list.data[0].at[0].block, 0);
    assert_int_equal(notes.list.data[0].at[0].thread, 40);
    check_free_notes(&notes);
}

static void others_stay_apart(void **state) {
    (void)state;
    struct check_notes notes = {0};
    struct check_note tagged = note(kind_a, 7, 0, 0);
    tagged.tag = 5;
    const struct check_note all[] = {note(kind_a, 7, 0, 0), note(kind_b, 7, 0, 0),
                                     note(kind_a, 8, 0, 0), tagged};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        check_note(&notes, &all[i]);
    assert_int_equal(notes.list.length, 4);
    check_free_notes(&notes);
}

// Many notes, dealt out to workers in different ways, come to the same.
static void workers_do_not_matter(void **state) {
    (void)state;
    enum { NOTES = 1000, KINDS = 300, MOST_WORKERS = 3 };
    struct check_notes reference = {0};
    for (uint32_t i = 0; i < NOTES; i++) {
        const struct check_note one = note(kind_a, i * 7 % KINDS, i % 13, i % 32);
        check_note(&reference, &one);
    }
    struct check_notes workers[MOST_WORKERS] = {0}, all = {0};
    for (uint32_t i = NOTES; i-- > 0;) {
        const struct check_note one = note(kind_a, i * 7 % KINDS, i % 13, i % 32);
        check_note(&workers[i % MOST_WORKERS], &one);
    }
    for (int i = 0; i < MOST_WORKERS; i++)
        check_merge_notes(&all, &workers[i]);
    assert_int_equal(all.list.length, reference.list.length);
    for (size_t i = 0; i < reference.list.length; i++) {
        const struct check_note *kept = &reference.list.data[i];
        size_t at = 0;
        while (all.list.data[at].at[0].instruction != kept->at[0].instruction)
            at++;
        assert_int_equal(all.list.data[at].count, kept->count);
        assert_int_equal(all.list.data[at].at[0].block, kept->at[0].block);
        assert_int_equal(all.list.data[at].at[0].thread, kept->at[0].thread);
    }
    check_free_notes(&all);
    check_free_notes(&reference);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeats_are_counted_and_the_first_is_kept),
        cmocka_unit_test(others_stay_apart),
        cmocka_unit_test(workers_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
