#include "profile/suppress.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "profile/where.h"

struct suppression {
    char *check, *kind, *where, *reason;
    unsigned line; // of the file
    bool is_used;
};

struct profile_suppressions {
    char *path;
    VEC(struct suppression) list;
};

// The next word of the line, which is cut behind it. NULL: there is none.
static char *take_word(char **line) {
    char *word = *line + strspn(*line, " \t\r");
    if (!*word)
        return NULL;
    char *end = word + strcspn(word, " \t\r");
    *line = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

static bool is_check(const char *pattern) {
    for (enum profile_check check = 0; check < PROFILE_CHECKS; check++)
        if (fnmatch(pattern, profile_check_text[check], 0) == 0)
            return true;
    return false;
}

static void read_line(struct profile_suppressions *all, char *line, unsigned number,
                      struct diag_list *diags) {
    char *words[3] = {take_word(&line)};
    if (!words[0] || words[0][0] == '#')
        return;
    for (int i = 1; i < 3; i++)
        words[i] = words[i - 1] ? take_word(&line) : NULL;
    char *reason = line + strspn(line, " \t\r");
    if (!words[2] || !*reason) {
        diag_error(diags, "%s:%u: expected CHECK KIND WHERE and a reason", all->path, number);
        return;
    }
    if (!is_check(words[0])) {
        diag_error(diags, "%s:%u: '%s' is no checker", all->path, number, words[0]);
        return;
    }
    vec_push(&all->list, ((struct suppression){.check = base_strdup(words[0]),
                                               .kind = base_strdup(words[1]),
                                               .where = base_strdup(words[2]),
                                               .reason = base_strdup(reason),
                                               .line = number}));
}

struct profile_suppressions *profile_read_suppressions(const char *path, struct diag_list *diags) {
    char *text, *rest;
    size_t length;
    const unsigned errors = diags->errors;
    if (!file_read_regular(path, &text, &length)) {
        diag_error(diags, "%s: %s", path, strerror(errno));
        return NULL;
    }
    struct profile_suppressions *all = base_alloc(sizeof *all);
    all->path = base_strdup(path);
    rest = text;
    for (unsigned number = 1; rest; number++) {
        char *line = strsep(&rest, "\n");
        read_line(all, line, number, diags);
    }
    free(text);
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

void profile_suppress(struct profile *profile, struct profile_suppressions *suppressions) {
    for (size_t i = 0; i < profile->launch_count; i++)
        suppress(&profile->launches[i].findings, suppressions);
    suppress(&profile->findings, suppressions);
}

char *profile_unused_suppression(const struct profile_suppressions *suppressions, size_t *at) {
    while (*at < suppressions->list.length) {
        const struct suppression *one = &suppressions->list.data[(*at)++];
        struct strbuf text = {0};
        if (one->is_used)
            continue;
        strbuf_printf(&text, "%s:%u: %s %s %s", suppressions->path, one->line, one->check,
                      one->kind, one->where);
        return strbuf_take(&text);
    }
    return NULL;
}
