// Whose accesses are counted, and what of them may be otherwise in the machine code.
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "profile/as.h"
#include "report/notes.h"
#include "report/report.h"

struct line { // of a source
    const char *file;
    uint32_t number;
};
typedef VEC(struct line) line_list;

static int by_place(const void *left, const void *right) {
    const struct line *a = left, *b = right;
    const int order = strcmp(a->file, b->file);
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

// Each once.
static void sort(line_list *lines) {
    size_t kept = 0;
    if (lines->length)
        qsort(lines->data, lines->length, sizeof *lines->data, by_place);
    for (size_t i = 0; i < lines->length; i++)
        if (!kept || by_place(&lines->data[kept - 1], &lines->data[i]) != 0)
            lines->data[kept++] = lines->data[i];
    lines->length = kept;
}

static void collect(const struct profile *profile, line_list *lines) {
    for (size_t l = 0; l < profile->launch_count; l++)
        for (size_t s = 0; s < profile->launches[l].site_count; s++) {
            const struct profile_site *site = &profile->launches[l].sites[s];
            const struct line line = {site->file, site->line};
            if (site->may_merge && line.file && line.number)
                vec_push(lines, line);
        }
    sort(lines);
}

// "scan.cu:33, 35 and 41, util.h:7 and 12 more"
static void put_lines(const line_list *lines, const struct report_options *options,
                      struct strbuf *out) {
    enum { MOST = 12 };
    const char *file = NULL;
    const size_t shown = lines->length <= MOST + 1 ? lines->length : MOST;
    for (size_t i = 0; i < shown; i++) {
        const struct line *line = &lines->data[i];
        strbuf_puts(out, i ? ", " : "");
        if (!file || strcmp(file, line->file) != 0)
            strbuf_printf(out, "%s:", report_note_file(options, line->file));
        strbuf_printf(out, "%u", line->number);
        file = line->file;
    }
    if (shown < lines->length)
        strbuf_printf(out, " and %zu more lines", lines->length - shown);
}

char *report_accesses(const struct profile *profile, const struct report_options *options) {
    struct strbuf out = {0};
    line_list lines = {0};
    char *as = profile_as_text(profile);
    if (as && profile_accesses_shared(profile)) {
        strbuf_puts(&out, as);
        collect(profile, &lines);
        if (profile->as_reason && lines.length) {
            strbuf_puts(&out, ". The code generator may merge those of ");
            put_lines(&lines, options, &out);
        }
    }
    vec_free(&lines);
    free(as);
    return out.data ? strbuf_take(&out) : NULL;
}
