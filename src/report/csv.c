// The sites of a profile as a table for spreadsheets and scripts.
#include <inttypes.h>
#include <string.h>

#include "report/report.h"

// Quoted only where it must be; a NULL text is an empty field.
static void put_field(struct strbuf *out, const char *text) {
    if (!text || !text[strcspn(text, "\",\r\n")]) {
        strbuf_puts(out, text ? text : "");
        return;
    }
    strbuf_puts(out, "\"");
    for (; *text; text++) {
        strbuf_append(out, text, 1);
        if (*text == '"')
            strbuf_puts(out, "\"");
    }
    strbuf_puts(out, "\"");
}

static void put_text(struct strbuf *out, const char *text) {
    put_field(out, text);
    strbuf_puts(out, ",");
}

static void put_count(struct strbuf *out, bool is_present, uint64_t count) {
    if (is_present)
        strbuf_printf(out, "%" PRIu64, count);
    strbuf_puts(out, ",");
}

static void put_site(struct strbuf *out, const struct profile_launch *launch,
                     const struct profile_site *site) {
    bool is_shared = site->space == SITE_SHARED;
    const struct profile_counts *counts = &site->counts;
    put_count(out, true, (uint64_t)launch->index + 1);
    put_text(out, launch->kernel ? launch->kernel : launch->symbol);
    put_text(out, site->file);
    put_count(out, site->line > 0, site->line);
    put_text(out, site->instruction);
    put_text(out, is_shared ? "shared" : "global");
    put_text(out, profile_op_text[site->op]);
    put_text(out, site->array);
    put_count(out, true, site->width);
    put_count(out, true, counts->requests);
    put_count(out, is_shared, counts->units);
    put_count(out, !is_shared, counts->units);
    put_count(out, true, counts->ideal);
    put_count(out, true, counts->units > counts->ideal ? counts->units - counts->ideal : 0);
    put_count(out, is_shared, site->worst_degree);
    put_text(out, site->is_estimate ? "estimate" : "exact");
    put_text(out, site->verdict);
    put_text(out, site->why);
    put_count(out, true, launch->repeats);
    if (site->column > 0)
        strbuf_printf(out, "%u", site->column);
    strbuf_puts(out, "\r\n");
}

void report_csv(const struct profile *profile, struct strbuf *out) {
    strbuf_puts(
        out,
        "launch,kernel,file,line,instruction,space,op,array,width,requests,"
        "wavefronts,sectors,ideal,excess,worst_degree,certainty,verdict,why,launches,column\r\n");
    for (size_t i = 0; i < profile->launch_count; i++)
        for (size_t s = 0; s < profile->launches[i].site_count; s++)
            put_site(out, &profile->launches[i], &profile->launches[i].sites[s]);
}
