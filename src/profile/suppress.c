#include "profile/suppress.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "profile/where.h"

// What the first word says of bank conflicts. No pattern: findings and conflicts are accepted
// apart.
static const char conflict[] = "conflict";

struct suppression {
    char *check, *kind, *where, *reason;
    unsigned line; // of the file
    bool is_used;
};

struct profile_suppressions {
    char *path;
    VEC(struct suppression) list;
};

struct line { // of the source, as far as it is read
    const struct source *source;
    size_t at, end;
    struct diag_list *diags;
};

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(struct line *line) {
    while (line->at < line->end && is_blank(line->source->text[line->at]))
        line->at++;
}

// The next word; an empty range: there is none.
static struct source_range take_word(struct line *line) {
    skip_blanks(line);
    const size_t begin = line->at;
    while (line->at < line->end && !is_blank(line->source->text[line->at]))
        line->at++;
    return (struct source_range){(uint32_t)begin, (uint32_t)line->at};
}

static char *text_of(const struct line *line, struct source_range range) {
    return base_strndup(line->source->text + range.begin, range.end - range.begin);
}

static bool is_check(const char *pattern) {
    for (enum profile_check check = 0; check < PROFILE_CHECKS; check++)
        if (fnmatch(pattern, profile_check_text[check], 0) == 0)
            return true;
    return strcmp(pattern, conflict) == 0;
}

static bool is_op(const char *pattern) {
    for (int op = 0; op < PROFILE_OPS; op++)
        if (fnmatch(pattern, profile_op_text[op], 0) == 0)
            return true;
    return false;
}

static void complain(const struct line *line, struct source_range range, const char *what) {
    diag_add(line->diags, DIAG_ERROR, line->source, range, "%s", what);
}

static void check_words(const struct line *line, const struct suppression *one,
                        const struct source_range words[3]) {
    if (!is_check(one->check))
        diag_add(line->diags, DIAG_ERROR, line->source, words[0],
                 "'%s' is no checker, nor is it conflict", one->check);
    else if (strcmp(one->check, conflict) == 0 && !is_op(one->kind))
        diag_add(
            line->diags, DIAG_ERROR, line->source, words[1],
            "'%s' is no access: load, store, atomic, matrix_load, matrix_store, async_copy or *",
            one->kind);
}

static void read_line(struct profile_suppressions *all, struct line *line, unsigned number) {
    static const char *const missing[] = {
        "expected CHECK KIND WHERE and a reason: KIND is missing",
        "expected CHECK KIND WHERE and a reason: WHERE is missing",
        "expected CHECK KIND WHERE and a reason: the reason is missing",
    };
    struct source_range words[3];
    for (int i = 0; i < 3; i++) {
        words[i] = take_word(line);
        if (i == 0 && (words[0].begin == words[0].end || line->source->text[words[0].begin] == '#'))
            return;
        skip_blanks(line);
        if (line->at == line->end) {
            complain(line, words[i], missing[i]);
            return;
        }
    }
    size_t end = line->end;
    while (is_blank(line->source->text[end - 1]))
        end--;
    struct source_range reason = {(uint32_t)line->at, (uint32_t)end};
    vec_push(&all->list, ((struct suppression){.check = text_of(line, words[0]),
                                               .kind = text_of(line, words[1]),
                                               .where = text_of(line, words[2]),
                                               .reason = text_of(line, reason),
                                               .line = number}));
    check_words(line, &all->list.data[all->list.length - 1], words);
}

struct profile_suppressions *profile_read_suppressions(const struct source *source,
                                                       struct diag_list *diags) {
    const size_t errors = diags->errors;
    struct profile_suppressions *all = base_alloc(sizeof *all);
    all->path = base_strdup(source->name);
    unsigned number = 1;
    for (size_t at = 0; at < source->length; number++) {
        const char *newline = memchr(source->text + at, '\n', source->length - at);
        const size_t end = newline ? (size_t)(newline - source->text) : source->length;
        read_line(all, &(struct line){source, at, end, diags}, number);
        at = end + 1;
    }
    if (diags->errors == errors)
        return all;
    profile_free_suppressions(all);
    return NULL;
}

void profile_free_suppressions(struct profile_suppressions *suppressions) {
    if (!suppressions)
        return;
    for (size_t i = 0; i < suppressions->list.length; i++) {
        struct suppression *one = &suppressions->list.data[i];
        free(one->check);
        free(one->kind);
        free(one->where);
        free(one->reason);
    }
    vec_free(&suppressions->list);
    free(suppressions->path);
    free(suppressions);
}

static bool names_place(const struct suppression *one, const struct profile_finding *finding) {
    for (size_t i = 0; i < finding->place_count; i++) {
        const struct profile_place *place = &finding->places[i];
        if ((place->file && where_is_line(one->where, place->file, place->line)) ||
            (place->function && where_is_function(one->where, place->function)))
            return true;
    }
    return finding->place_count == 0 && strcmp(one->where, "*") == 0;
}

static void suppress(struct profile_findings *findings, struct profile_suppressions *all) {
    for (size_t f = 0; f < findings->count; f++)
        for (size_t i = 0; i < all->list.length; i++) {
            struct profile_finding *finding = &findings->list[f];
            struct suppression *one = &all->list.data[i];
            if (fnmatch(one->check, profile_check_text[finding->check], 0) != 0 ||
                fnmatch(one->kind, finding->kind, 0) != 0 || !names_place(one, finding))
                continue;
            one->is_used = true;
            if (!finding->suppressed)
                finding->suppressed = base_strdup(one->reason);
        }
}

static bool is_conflict(const struct suppression *one, const struct profile_launch *launch,
                        const struct profile_site *site) {
    const char *kernel = launch->kernel ? launch->kernel : launch->symbol;
    return site->space == SITE_SHARED && site->counts.units > site->counts.ideal &&
           strcmp(one->check, conflict) == 0 &&
           fnmatch(one->kind, profile_op_text[site->op], 0) == 0 &&
           where_is_site(one->where, kernel, site);
}

static void suppress_conflicts(struct profile_launch *launch, struct profile_suppressions *all) {
    for (size_t s = 0; s < launch->site_count; s++)
        for (size_t i = 0; i < all->list.length; i++) {
            struct profile_site *site = &launch->sites[s];
            struct suppression *one = &all->list.data[i];
            if (!is_conflict(one, launch, site))
                continue;
            one->is_used = true;
            if (!site->suppressed)
                site->suppressed = base_strdup(one->reason);
        }
}

// Whether the profile could have had what the line is about.
static bool is_asked(const struct suppression *one, const struct profile *profile) {
    bool is_asked = !profile->is_uncounted && strcmp(one->check, conflict) == 0;
    for (enum profile_check check = 0; check < PROFILE_CHECKS; check++)
        is_asked |= (profile->checks & profile_check_bit(check)) &&
                    fnmatch(one->check, profile_check_text[check], 0) == 0;
    return is_asked;
}

void profile_suppress(struct profile *profile, struct profile_suppressions *suppressions) {
    for (size_t i = 0; i < profile->launch_count; i++) {
        suppress(&profile->launches[i].findings, suppressions);
        suppress_conflicts(&profile->launches[i], suppressions);
    }
    suppress(&profile->findings, suppressions);
}

char *profile_unused_suppression(const struct profile_suppressions *suppressions,
                                 const struct profile *profile, size_t *at) {
    while (*at < suppressions->list.length) {
        const struct suppression *one = &suppressions->list.data[(*at)++];
        struct strbuf text = {0};
        if (one->is_used || !is_asked(one, profile))
            continue;
        strbuf_printf(&text, "%s:%u: %s %s %s", suppressions->path, one->line, one->check,
                      one->kind, one->where);
        return strbuf_take(&text);
    }
    return NULL;
}
