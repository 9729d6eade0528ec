// What to do next: the commands to copy.
#include <string.h>

#include "report/lane_words.h"
#include "report/text.h"

enum { DEEPER = 4 };

// Behind the next piece of a command that stands on one line: a word with the blank behind it, or
// up to a comma in double quotes, where a shell takes a line's end away as well.
static const char *piece_end(const char *at, char *quote) {
    for (; *at; at++) {
        if (*quote ? *at == *quote : *at == '\'' || *at == '"')
            *quote = *quote ? 0 : *at;
        if ((*quote == '"' && *at == ',') || (!*quote && *at == ' '))
            return at + 1;
    }
    return at;
}

static bool has_room(const struct report_page *page, const char *command) {
    char quote = 0;
    for (const char *at = command, *end; *at; at = end) {
        end = piece_end(at, &quote);
        if ((size_t)(end - at) + DEEPER + 1 > page->width)
            return false;
    }
    return true;
}

static void put_line(struct report_page *page, struct strbuf *line) {
    report_put(page, STYLE_BOLD, strbuf_string(line));
    report_newline(page);
    line->length = 0;
}

// Over as many lines as it takes, so that a shell takes all of them at once. Nothing where a piece
// of it has no room on a line.
static void put_command(struct report_page *page, const char *what, const char *command) {
    struct strbuf line = {0};
    char quote = 0;
    if (!has_room(page, command))
        return;
    report_newline(page);
    report_put(page, STYLE_PLAIN, what);
    for (const char *at = command, *end; *at; at = end) {
        end = piece_end(at, &quote);
        if (page->column + line.length + (size_t)(end - at) + (*end != 0) > page->width) {
            strbuf_puts(&line, "\\");
            put_line(page, &line);
            report_to(page, DEEPER);
        }
        strbuf_append(&line, at, (size_t)(end - at));
    }
    put_line(page, &line);
    strbuf_free(&line);
}

// ---- The worst request, lane by lane --------------------------------------------------------

static const char *type_of(unsigned width) {
    return width == 1    ? "char"
           : width == 2  ? "short"
           : width == 4  ? "float"
           : width == 8  ? "double"
           : width == 16 ? "float4"
                         : NULL;
}

// Whether an index expression can say it.
static bool is_simple(const struct profile_site *site) {
    const enum bankrun_access access = site->request.access;
    return site->space == SITE_SHARED && site->worst_degree > 1 && site->is_modelled &&
           (access == BANKRUN_LOAD || access == BANKRUN_STORE) && type_of(site->width);
}

static const struct profile_site *worst_site(const struct profile *profile,
                                             const struct profile_launch **of) {
    const struct profile_site *worst = NULL;
    uint64_t most = 0;
    for (size_t l = 0; l < profile->launch_count; l++)
        for (size_t s = 0; s < profile->launches[l].site_count; s++) {
            const struct profile_launch *launch = &profile->launches[l];
            const struct profile_site *site = &launch->sites[s];
            if (is_simple(site) && profile_excess_of(&site->counts) * launch->repeats > most) {
                most = profile_excess_of(&site->counts) * launch->repeats;
                worst = site;
                *of = launch;
            }
        }
    return worst;
}

enum { EXPLAIN_ARCH = 90 }; // what bankrun explain takes where nothing is said

// The command that shows it.
static void put_explain(struct report_page *page, const struct profile *profile) {
    const struct profile_launch *launch = NULL;
    const struct profile_site *site = worst_site(profile, &launch);
    struct strbuf command = {0};
    if (!site)
        return;
    strbuf_puts(&command, "bankrun explain ");
    if (lane_words_put(&command, site)) {
        strbuf_printf(&command, " --shared '%s s[%llu]'", type_of(site->width),
                      (unsigned long long)(launch->shared_bytes / site->width));
        strbuf_puts(&command, site->request.access == BANKRUN_STORE ? " --store" : "");
        const unsigned arch = profile_launch_arch(profile->arch, launch);
        if (arch != EXPLAIN_ARCH)
            strbuf_printf(&command, " --arch sm_%u", arch);
        put_command(page, "To see the worst request, lane by lane: ", strbuf_string(&command));
    }
    strbuf_free(&command);
}

// ---- The source edited ----------------------------------------------------------------------

static bool has_cure(const struct profile *profile) {
    for (size_t l = 0; l < profile->launch_count; l++)
        for (size_t c = 0; c < profile->launches[l].cure_count; c++)
            if (profile->launches[l].cures[c].layout_count &&
                !profile->launches[l].cures[c].is_part)
                return true;
    return false;
}

// A shell takes it as it is.
static bool is_plain(const char *word) {
    return *word &&
           !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "_./=:,+-")];
}

// The command that edits the source, where the program is one.
static void put_fix(struct report_page *page, const struct profile *profile) {
    const char *source = profile->program_count ? profile->program[0] : "";
    const size_t length = strlen(source);
    struct strbuf command = {0};
    if (length < 4 || strcmp(source + length - 3, ".cu") != 0 || !has_cure(profile))
        return;
    strbuf_puts(&command, "bankrun fix");
    bool are_plain = true;
    for (size_t i = 0; i < profile->program_count; i++) {
        strbuf_printf(&command, " %s", profile->program[i]);
        are_plain &= is_plain(profile->program[i]);
    }
    if (are_plain)
        put_command(page,
                    "To have the source edited, and the edits tried: ", strbuf_string(&command));
    strbuf_free(&command);
}

static bool has_unknown_line(const struct profile *profile) {
    for (size_t l = 0; l < profile->launch_count; l++)
        for (size_t s = 0; s < profile->launches[l].site_count; s++) {
            const struct profile_site *site = &profile->launches[l].sites[s];
            if (!site->file && profile_excess_of(&site->counts))
                return true;
        }
    return false;
}

static void put_lines(struct report_page *page, const struct profile *profile) {
    if (!has_unknown_line(profile))
        return;
    report_newline(page);
    report_wrap(
        page, STYLE_WARN,
        "Of some accesses no line is known: build with nvcc -lineinfo, which puts lines into "
        "the PTX and leaves the code as it is.");
    report_newline(page);
}

void text_next(struct report_page *page, const struct profile *profile) {
    put_lines(page, profile);
    put_explain(page, profile);
    put_fix(page, profile);
}
