// What is proved of a launch's accesses to shared memory, beside what they cost: whether they stay
// in their arrays, and whether threads race there.
#include <string.h>

#include "report/text.h"

enum { INDENT = 2, DEEPER = 4 };

struct tally {
    size_t all, fits; // rows of shared memory of which it was asked
};

static struct tally tally_of(const struct profile_launch *launch) {
    struct tally tally = {0};
    for (size_t i = 0; i < launch->site_count; i++) {
        tally.all += launch->sites[i].fit != PROFILE_FIT_NONE;
        tally.fits += launch->sites[i].fit == PROFILE_FITS;
    }
    return tally;
}

static void put_misfits(struct report_page *page, const struct view_lines *lines) {
    for (size_t i = 0; i < lines->count; i++) {
        const struct view_line *line = &lines->data[i];
        const char *said = NULL;
        for (size_t s = 0; s < line->count; s++) {
            const struct profile_site *site = line->sites[s].site;
            struct strbuf text = {0};
            if (site->fit < PROFILE_CAN_MISFIT || (said && !strcmp(said, site->bounds)))
                continue;
            said = site->bounds;
            report_newline(page);
            report_to(page, INDENT);
            report_link(page, site->file);
            text_place(&text, line->at);
            report_wrap(page, STYLE_BOLD, strbuf_string(&text));
            report_unlink(page);
            strbuf_free(&text);
            strbuf_printf(&text, ": %s", site->bounds);
            report_wrap(page, site->fit == PROFILE_MISFITS ? STYLE_BAD : STYLE_WARN,
                        strbuf_string(&text));
            report_newline(page);
            strbuf_free(&text);
        }
        if (said)
            text_quote(page, INDENT, line->at.line, line->quote, NULL, 0);
    }
}

static void put_sentence(struct report_page *page, enum report_style style, const char *words,
                         const char *more) {
    report_to(page, INDENT);
    report_put(page, style, words);
    report_wrap(page, STYLE_PLAIN, more);
    report_newline(page);
}

static void put_races(struct report_page *page, const struct profile_launch *launch,
                      bool is_verbose) {
    const char *words = launch->races ? launch->races : "";
    if (launch->freedom == PROFILE_RACES) {
        report_newline(page);
        put_sentence(page, STYLE_BAD, "a race in every block, for every input: ", words);
    } else if (is_verbose && launch->freedom == PROFILE_RACE_FREE) {
        put_sentence(page, STYLE_GOOD,
                     "free of races: ", "proved of shared memory, for every block and input");
    } else if (is_verbose && launch->freedom == PROFILE_FREEDOM_UNKNOWN) {
        put_sentence(page, STYLE_WARN, "not proved free of races: ", words);
    }
}

static void put_tally(struct report_page *page, const struct profile_launch *launch) {
    const struct tally tally = tally_of(launch);
    char fits[REPORT_NUMBER], all[REPORT_NUMBER];
    struct strbuf text = {0};
    if (!tally.all)
        return;
    strbuf_printf(&text, "%s of %s accesses are proved to, aligned, for every block and input",
                  report_number(fits, tally.fits), report_number(all, tally.all));
    put_sentence(page, tally.fits == tally.all ? STYLE_GOOD : STYLE_WARN,
                 "stay in their arrays: ", strbuf_string(&text));
    strbuf_free(&text);
}

void text_safety(struct report_page *page, const struct view_launch *launch, bool is_verbose) {
    if (is_verbose)
        put_tally(page, launch->launch);
    put_races(page, launch->launch, is_verbose);
    put_misfits(page, &launch->conflicts);
    put_misfits(page, &launch->clean);
}
