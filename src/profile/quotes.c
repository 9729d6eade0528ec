#include "profile/quotes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

enum { MOST_BYTES = 400 }; // of a line: what is longer was made by a program

static int compare(const struct profile_quote *a, const struct profile_quote *b) {
    const int files = strcmp(a->file, b->file);
    return files ? files : (a->line > b->line) - (a->line < b->line);
}

static int compare_elements(const void *left, const void *right) {
    return compare(left, right);
}

static void free_quote(struct profile_quote *quote) {
    free(quote->file);
    free(quote->text);
}

void profile_push_quote(struct profile *profile, struct profile_quote quote) {
    if (profile->quote_count == profile->quote_capacity) {
        profile->quote_capacity = profile->quote_capacity ? 2 * profile->quote_capacity : 16;
        profile->quotes =
            base_realloc(profile->quotes, profile->quote_capacity * sizeof *profile->quotes);
    }
    profile->quotes[profile->quote_count++] = quote;
}

void profile_sort_quotes(struct profile *profile) {
    size_t kept = 0;
    if (profile->quote_count)
        qsort(profile->quotes, profile->quote_count, sizeof *profile->quotes, compare_elements);
    for (size_t i = 0; i < profile->quote_count; i++)
        if (kept && compare(&profile->quotes[kept - 1], &profile->quotes[i]) == 0)
            free_quote(&profile->quotes[i]);
        else
            profile->quotes[kept++] = profile->quotes[i];
    profile->quote_count = kept;
}

const char *profile_quote_of(const struct profile *profile, const char *file, uint32_t line) {
    const struct profile_quote key = {.file = (char *)file, .line = line};
    const struct profile_quote *found = NULL;
    if (file && profile->quote_count)
        found = bsearch(&key, profile->quotes, profile->quote_count, sizeof *profile->quotes,
                        compare_elements);
    return found ? found->text : NULL;
}

void profile_append_quotes(struct profile *profile, struct profile *from) {
    const size_t known = profile->quote_count;
    for (size_t i = 0; i < from->quote_count; i++) {
        struct profile_quote *quote = &from->quotes[i];
        const void *same =
            known ? bsearch(quote, profile->quotes, known, sizeof *quote, compare_elements) : NULL;
        if (same)
            free_quote(quote);
        else
            profile_push_quote(profile, *quote);
    }
    from->quote_count = 0;
    profile_sort_quotes(profile);
}

void profile_free_quotes(struct profile *profile) {
    for (size_t i = 0; i < profile->quote_count; i++)
        free_quote(&profile->quotes[i]);
    free(profile->quotes);
}

// ---- Out of the files ---------------------------------------------------------------------------

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static char *trimmed(const char *text) {
    size_t length = strcspn(text, "\n");
    for (; length > 0 && is_blank(*text); length--)
        text++;
    length = length < MOST_BYTES ? length : MOST_BYTES;
    while (length > 0 && is_blank(text[length - 1]))
        length--;
    return base_strndup(text, length);
}

// Gives the quotes [first, end) of one file, in ascending order, their texts.
static void read_texts(struct profile *profile, size_t first, size_t end, struct diag_list *diags) {
    char *text;
    size_t length;
    const char *path = profile->quotes[first].file;
    if (!file_read_regular(path, &text, &length)) {
        if (errno != ENOENT && errno != ENOTDIR)
            diag_add(diags, DIAG_NOTE, NULL, (struct source_range){0},
                     "%s: %s: the profile lacks its lines", path, strerror(errno));
        return;
    }
    const char *at = text;
    uint32_t line = 1;
    for (size_t i = first; i < end; i++) {
        while (at && line < profile->quotes[i].line) {
            at = strchr(at, '\n');
            at += at != NULL;
            line++;
        }
        if (at && !profile->quotes[i].text)
            profile->quotes[i].text = trimmed(at);
    }
    free(text);
}

static void drop_unread(struct profile *profile) {
    size_t kept = 0;
    for (size_t i = 0; i < profile->quote_count; i++)
        if (profile->quotes[i].text && *profile->quotes[i].text)
            profile->quotes[kept++] = profile->quotes[i];
        else
            free_quote(&profile->quotes[i]);
    profile->quote_count = kept;
}

static bool is_among(const struct profile *profile, size_t known, const char *file, uint32_t line) {
    const struct profile_quote key = {.file = (char *)file, .line = line};
    return known &&
           bsearch(&key, profile->quotes, known, sizeof *profile->quotes, compare_elements);
}

// Sites are sorted by file and line.
static void add_lines(struct profile *profile, const struct profile_launch *launch) {
    const struct profile_site *last = NULL;
    const size_t known = profile->quote_count;
    for (size_t s = 0; s < launch->site_count; s++) {
        const struct profile_site *site = &launch->sites[s];
        if (!site->file || !site->line || is_among(profile, known, site->file, site->line) ||
            (last && last->line == site->line && !strcmp(last->file, site->file)))
            continue;
        profile_push_quote(
            profile, (struct profile_quote){.file = base_strdup(site->file), .line = site->line});
        last = site;
    }
}

static void add_places(struct profile *profile, const struct profile_findings *findings) {
    const size_t known = profile->quote_count;
    for (size_t f = 0; f < findings->count; f++)
        for (size_t p = 0; p < findings->list[f].place_count; p++) {
            const struct profile_place *place = &findings->list[f].places[p];
            if (place->file && place->line && !is_among(profile, known, place->file, place->line))
                profile_push_quote(profile, (struct profile_quote){.file = base_strdup(place->file),
                                                                   .line = place->line});
        }
    if (profile->quote_count > known)
        profile_sort_quotes(profile);
}

void profile_quote_lines(struct profile *profile, struct diag_list *diags) {
    if (profile->quote_count)
        return;
    for (size_t i = 0; i < profile->launch_count; i++) {
        const size_t known = profile->quote_count;
        add_lines(profile, &profile->launches[i]);
        if (profile->quote_count > known)
            profile_sort_quotes(profile);
        add_places(profile, &profile->launches[i].findings);
    }
    add_places(profile, &profile->findings);
    for (size_t i = 0, end; i < profile->quote_count; i = end) {
        for (end = i + 1; end < profile->quote_count; end++)
            if (strcmp(profile->quotes[i].file, profile->quotes[end].file) != 0)
                break;
        read_texts(profile, i, end, diags);
    }
    drop_unread(profile);
}
