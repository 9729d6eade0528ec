// The sites of a profile as a table for spreadsheets and scripts.
#include <inttypes.h>
#include <string.h>

#include "report/report.h"

void report_csv_field(struct strbuf *out, const char *text) {
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

void report_csv_text(struct strbuf *out, const char *text) {
    report_csv_field(out, text);
    strbuf_puts(out, ",");
}

static void put_count(struct strbuf *out, bool is_present, uint64_t count) {
    if (is_present)
        strbuf_printf(out, "%" PRIu64, count);
    strbuf_puts(out, ",");
}

// How all rows of a table are written.
struct manner {
    const char *as; // "compiled": shared memory is counted as the machine code accesses it
    bool has_metrics;
};

// Ends the row: of NULL with empty columns.
static void put_end(struct strbuf *out, const struct manner *manner,
                    const struct profile_site *site) {
    uint64_t values[REPORT_METRICS] = {0};
    strbuf_printf(out, ",%s", manner->as);
    if (site)
        report_metrics_of_site(site, values);
    for (int i = 0; manner->has_metrics && i < REPORT_METRICS; i++) {
        strbuf_puts(out, ",");
        if (site)
            strbuf_printf(out, "%" PRIu64, values[i]);
    }
    strbuf_puts(out, "\r\n");
}

static void put_site(struct strbuf *out, const struct profile_launch *launch,
                     const struct profile_site *site, const struct manner *manner) {
    bool is_shared = site->space == SITE_SHARED;
    const struct profile_counts *counts = &site->counts;
    put_count(out, true, (uint64_t)launch->index + 1);
    report_csv_text(out, launch->kernel ? launch->kernel : launch->symbol);
    report_csv_text(out, site->file);
    put_count(out, site->line > 0, site->line);
    report_csv_text(out, site->instruction);
    report_csv_text(out, is_shared ? "shared" : "global");
    report_csv_text(out, profile_op_text[site->op]);
    report_csv_text(out, site->array);
    put_count(out, true, site->width);
    put_count(out, true, counts->requests);
    put_count(out, is_shared, counts->units);
    put_count(out, !is_shared, counts->units);
    put_count(out, true, counts->ideal);
    put_count(out, true, profile_excess_of(counts));
    put_count(out, is_shared, site->worst_degree);
    report_csv_text(out, site->is_estimate ? "estimate" : "exact");
    report_csv_text(out, site->verdict);
    report_csv_text(out, site->why);
    put_count(out, true, launch->repeats);
    put_count(out, site->column > 0, site->column);
    report_csv_field(out, launch->fault);
    put_end(out, manner, site);
}

// A row without an access: of a launch that made none, was refused, or that the profile lacks.
static void put_problem(struct strbuf *out, uint64_t launch, const char *kernel, uint64_t launches,
                        const char *problem, const struct manner *manner) {
    enum { COLUMNS_BETWEEN = 16 };
    put_count(out, launch > 0, launch);
    report_csv_text(out, kernel);
    for (int i = 0; i < COLUMNS_BETWEEN; i++)
        strbuf_puts(out, ",");
    put_count(out, launches > 0, launches);
    strbuf_puts(out, ",");
    report_csv_field(out, problem);
    put_end(out, manner, NULL);
}

static void put_refused(struct strbuf *out, const struct profile_refused *refused,
                        const struct manner *manner) {
    struct strbuf text = {0};
    strbuf_puts(&text, "refused");
    if (refused->error)
        strbuf_printf(&text, " with %s", refused->error);
    for (size_t i = 0; i < refused->limit_count; i++)
        strbuf_printf(&text, "%s%s", i ? "; " : ": ", refused->limits[i].text);
    put_problem(out, 0, refused->kernel, refused->repeats, strbuf_string(&text), manner);
    strbuf_free(&text);
}

static void put_gap(struct strbuf *out, const struct profile_gap *gap,
                    const struct manner *manner) {
    struct strbuf text = {0};
    strbuf_printf(&text, "incomplete: %s", gap->text);
    put_problem(out, 0, NULL, 0, strbuf_string(&text), manner);
    strbuf_free(&text);
}

void report_csv(const struct profile *profile, bool has_metrics, struct strbuf *out) {
    const struct manner manner = {profile->is_as_compiled ? "compiled" : "written", has_metrics};
    strbuf_puts(
        out, "launch,kernel,file,line,instruction,space,op,array,width,requests,"
             "wavefronts,sectors,ideal,excess,worst_degree,certainty,verdict,why,launches,column,"
             "problem,as");
    for (int i = 0; has_metrics && i < REPORT_METRICS; i++)
        strbuf_printf(out, ",%s", report_metric_names[i]);
    strbuf_puts(out, "\r\n");
    for (size_t i = 0; i < profile->launch_count; i++) {
        const struct profile_launch *launch = &profile->launches[i];
        for (size_t s = 0; s < launch->site_count; s++)
            put_site(out, launch, &launch->sites[s], &manner);
        if (launch->fault && !launch->site_count)
            put_problem(out, (uint64_t)launch->index + 1, launch->kernel, launch->repeats,
                        launch->fault, &manner);
    }
    for (size_t i = 0; i < profile->refused_count; i++)
        put_refused(out, &profile->refused[i], &manner);
    for (size_t i = 0; i < profile->gap_count; i++)
        put_gap(out, &profile->gaps[i], &manner);
    report_csv_findings(profile, out);
}
