// A code quality report, which GitLab shows beside the lines of a merge request.
#define XXH_INLINE_ALL
#include <string.h>
#include <xxhash.h>

#include "base/map.h"
#include "base/utf8.h"
#include "profile/json_make.h"
#include "report/notes.h"

struct seen {
    struct arena *arena;
    struct map counts; // of notes, by what tells them from others
};

// What tells a note from others, also where lines have moved, and which of those that are alike it
// is.
static char *fingerprint_of(struct seen *seen, const struct report_note *note) {
    char *words = arena_printf(
        seen->arena, "%s\n%s\n%s\n%s\n%s", note->rule, note->file, note->kernel ? note->kernel : "",
        note->text ? note->text : note->message, note->row ? note->row->accesses : "");
    const uintptr_t number = (uintptr_t)map_get_string(&seen->counts, words);
    map_put(&seen->counts, words, strlen(words), (void *)(number + 1));
    const XXH128_hash_t hash = XXH3_128bits_withSeed(words, strlen(words), number);
    return arena_printf(seen->arena, "%016llx%016llx", (unsigned long long)hash.high64,
                        (unsigned long long)hash.low64);
}

static json_t *location_of(const struct report_note *note) {
    json_t *location = json_object(), *lines = json_object();
    set(location, "path", text(note->file));
    set(lines, "begin", number(note->line));
    set(location, "lines", lines);
    return location;
}

static json_t *description_of(const struct report_note *note) {
    struct strbuf words = {0};
    strbuf_printf(&words, "%s: %s", note->title, note->message);
    if (note->kernel)
        strbuf_printf(&words, " (in %s)", note->kernel);
    json_t *description = text(strbuf_string(&words));
    strbuf_free(&words);
    return description;
}

static json_t *issue_of(const struct report_note *note, const char *fingerprint) {
    static const char *const severities[] = {
        [NOTE_ERROR] = "critical", [NOTE_WARNING] = "major", [NOTE_HINT] = "info"};
    json_t *issue = json_object();
    set(issue, "check_name", text(note->rule));
    set(issue, "description", description_of(note));
    set(issue, "fingerprint", text(fingerprint));
    set(issue, "location", location_of(note));
    set(issue, "severity", text(severities[note->level]));
    return issue;
}

// Only what has a line: GitLab takes nothing else. The rest is in the report for test runners.
void report_gitlab(const struct profile *profile, const struct report_options *options,
                   struct strbuf *out) {
    struct seen seen = {.arena = arena_create()};
    const struct report_notes notes = report_notes_of(seen.arena, profile, options);
    json_t *issues = json_array();
    for (size_t i = 0; i < notes.count; i++) {
        const struct report_note *note = &notes.data[i];
        if (!note->suppressed && note->file && note->line)
            append(issues, issue_of(note, fingerprint_of(&seen, note)));
    }
    profile_put_json(out, issues, JSON_SORT_KEYS | JSON_INDENT(1));
    map_free(&seen.counts);
    arena_destroy(seen.arena);
}
