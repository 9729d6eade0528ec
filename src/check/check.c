#include "check/check.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "check/checker.h"

static const struct check_checker *const checkers[] = {&check_race, &check_init, &check_array,
                                                       &check_sync};
enum { CHECKERS = sizeof checkers / sizeof *checkers };

struct check {
    void *states[CHECKERS]; // NULL: it is not wanted
};

static bool is_wanted(uint32_t checks, const struct check_checker *checker) {
    return checks & profile_check_bit(checker->check);
}

struct check *check_begin(uint32_t checks, const struct check_launch *launch) {
    struct check *check = NULL;
    for (int i = 0; i < CHECKERS; i++) {
        if (!is_wanted(checks, checkers[i]))
            continue;
        check = check ? check : base_alloc(sizeof *check);
        check->states[i] = checkers[i]->begin(launch);
    }
    return check;
}

unsigned check_observers(const struct check *check,
                         const struct event_observer *observers[CHECK_MOST_OBSERVERS]) {
    unsigned count = 0;
    for (int i = 0; check && i < CHECKERS; i++)
        if (check->states[i])
            observers[count++] = checkers[i]->observer(check->states[i]);
    return count;
}

static int compare_places(const struct profile_place *a, const struct profile_place *b) {
    int order = strcmp(a->file ? a->file : "", b->file ? b->file : "");
    if (order == 0)
        order = a->line != b->line ? (a->line < b->line ? -1 : 1) : 0;
    if (order == 0)
        order = a->column != b->column ? (a->column < b->column ? -1 : 1) : 0;
    return order;
}

// By place in the source, and by what is wrong there.
static int compare(const struct profile_finding *a, const struct profile_finding *b) {
    int order = a->check != b->check ? (a->check < b->check ? -1 : 1) : 0;
    for (size_t i = 0; order == 0 && i < PROFILE_PLACES; i++)
        order = compare_places(&a->places[i], &b->places[i]);
    if (order == 0)
        order = strcmp(a->kind, b->kind);
    return order ? order : strcmp(a->message, b->message);
}

static int compare_index(const uint32_t a[3], const uint32_t b[3]) {
    for (int i = 2; i >= 0; i--)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

static int by_place(const void *left, const void *right) {
    const struct profile_finding *a = left, *b = right;
    int order = compare(a, b);
    for (size_t i = 0; order == 0 && i < PROFILE_PLACES; i++) {
        order = compare_index(a->places[i].block, b->places[i].block);
        order = order ? order : compare_index(a->places[i].thread, b->places[i].thread);
    }
    return order ? order : strcmp(a->object ? a->object : "", b->object ? b->object : "");
}

// What reads too early reads what nobody has written yet: that is the race, and is said there.
static bool is_raced(const struct profile_findings *findings,
                     const struct profile_finding *finding) {
    if (finding->check != PROFILE_CHECK_INIT || !finding->place_count)
        return false;
    const struct profile_place *loads = &finding->places[finding->place_count - 1];
    for (size_t i = 0; i < findings->count; i++) {
        const struct profile_finding *other = &findings->list[i];
        for (size_t k = 0; other->check == PROFILE_CHECK_RACE && k < other->place_count; k++)
            if (loads->line && compare_places(&other->places[k], loads) == 0)
                return true;
    }
    return false;
}

// A line of the source may be several instructions: what is wrong with it is said once.
static void merge_lines(struct profile_findings *findings) {
    struct profile_findings merged = {0};
    for (size_t i = 0; i < findings->count; i++) {
        const struct profile_finding *next = &findings->list[i];
        if (is_raced(findings, next))
            continue;
        struct profile_finding *last = merged.count ? &merged.list[merged.count - 1] : NULL;
        if (last && next->places[0].line && compare(last, next) == 0)
            last->count += next->count;
        else
            profile_push_finding(&merged, next);
    }
    profile_free_findings(findings);
    *findings = merged;
}

struct profile_findings check_end(struct check *check) {
    struct profile_findings findings = {0};
    for (int i = 0; check && i < CHECKERS; i++)
        if (check->states[i])
            checkers[i]->end(check->states[i], &findings);
    if (findings.count)
        qsort(findings.list, findings.count, sizeof *findings.list, by_place);
    merge_lines(&findings);
    free(check);
    return findings;
}
