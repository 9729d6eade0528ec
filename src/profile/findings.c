// What checkers found, as a profile keeps it.
#include "profile/finding.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "profile/recorder.h"

#define X(id, name) [PROFILE_CHECK_##id] = (name),
const char *const profile_check_text[PROFILE_CHECKS] = {PROFILE_CHECK_LIST(X)};
#undef X

static void copy_place(struct profile_place *kept, const struct profile_place *place) {
    *kept = *place;
    kept->role = base_strdup(place->role);
    kept->file = base_strdup(place->file);
    kept->function = base_strdup(place->function);
    kept->instruction = base_strdup(place->instruction);
}

void profile_push_finding(struct profile_findings *findings,
                          const struct profile_finding *finding) {
    findings->list = base_realloc(findings->list, (findings->count + 1) * sizeof *findings->list);
    struct profile_finding *kept = &findings->list[findings->count++];
    *kept = *finding;
    kept->kind = base_strdup(finding->kind);
    kept->message = base_strdup(finding->message);
    kept->object = base_strdup(finding->object);
    kept->help = base_strdup(finding->help);
    kept->suppressed = base_strdup(finding->suppressed);
    for (size_t i = 0; i < finding->place_count; i++)
        copy_place(&kept->places[i], &finding->places[i]);
}

void profile_free_finding(struct profile_finding *finding) {
    free(finding->kind);
    free(finding->message);
    free(finding->object);
    free(finding->help);
    free(finding->suppressed);
    for (size_t i = 0; i < finding->place_count; i++) {
        free(finding->places[i].role);
        free(finding->places[i].file);
        free(finding->places[i].function);
        free(finding->places[i].instruction);
    }
}

void profile_free_findings(struct profile_findings *findings) {
    for (size_t i = 0; i < findings->count; i++)
        profile_free_finding(&findings->list[i]);
    free(findings->list);
    *findings = (struct profile_findings){0};
}

static bool is_same_place(const struct profile_place *a, const struct profile_place *b) {
    return text_is_same(a->role, b->role) && text_is_same(a->file, b->file) && a->line == b->line &&
           a->column == b->column && text_is_same(a->function, b->function) &&
           text_is_same(a->instruction, b->instruction) && a->has_thread == b->has_thread &&
           memcmp(a->block, b->block, sizeof a->block) == 0 &&
           memcmp(a->thread, b->thread, sizeof a->thread) == 0;
}

// But for how often.
static bool is_same(const struct profile_finding *a, const struct profile_finding *b) {
    if (a->check != b->check || a->is_note != b->is_note || a->place_count != b->place_count ||
        !text_is_same(a->kind, b->kind) || !text_is_same(a->message, b->message) ||
        !text_is_same(a->object, b->object) || !text_is_same(a->help, b->help) ||
        !text_is_same(a->suppressed, b->suppressed))
        return false;
    for (size_t i = 0; i < a->place_count; i++)
        if (!is_same_place(&a->places[i], &b->places[i]))
            return false;
    return true;
}

bool profile_findings_are_same(const struct profile_findings *a, const struct profile_findings *b) {
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->list[i].count != b->list[i].count || !is_same(&a->list[i], &b->list[i]))
            return false;
    return true;
}

void profile_add_finding(struct profile *profile, const struct profile_finding *finding) {
    enum { LOOK_BACK = 256 };
    struct profile_findings *all = &profile->findings;
    for (size_t back = 1; back <= all->count && back <= LOOK_BACK; back++) {
        struct profile_finding *kept = &all->list[all->count - back];
        if (is_same(kept, finding)) {
            kept->count += finding->count;
            return;
        }
    }
    profile_push_finding(all, finding);
    if (profile->on_failure)
        profile->on_failure(profile);
}

static void count_in(const struct profile_findings *findings, uint64_t times,
                     struct profile_finding_counts *counts) {
    for (size_t i = 0; i < findings->count; i++) {
        const struct profile_finding *finding = &findings->list[i];
        *(finding->suppressed ? &counts->suppressed
          : finding->is_note  ? &counts->notes
                              : &counts->defects) += times;
    }
}

struct profile_finding_counts profile_count_findings(const struct profile *profile) {
    struct profile_finding_counts counts = {0};
    count_in(&profile->findings, 1, &counts);
    for (size_t i = 0; i < profile->launch_count; i++)
        count_in(&profile->launches[i].findings, profile->launches[i].repeats, &counts);
    return counts;
}

void profile_append_findings(struct profile *profile, struct profile *from) {
    for (size_t i = 0; i < from->findings.count; i++)
        profile_add_finding(profile, &from->findings.list[i]);
}
