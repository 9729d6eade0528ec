// What checkers found, as a table of its own behind that of the sites.
#include <inttypes.h>

#include "report/report.h"

static void put_number(struct strbuf *out, uint64_t number) {
    if (number)
        strbuf_printf(out, "%" PRIu64, number);
    strbuf_puts(out, ",");
}

static void put_at(struct strbuf *out, bool is_known, const uint32_t at[3]) {
    if (is_known)
        strbuf_printf(out, "\"%u,%u,%u\"", at[0], at[1], at[2]);
    strbuf_puts(out, ",");
}

static void put_place(struct strbuf *out, const struct profile_place *place) {
    report_csv_text(out, place->role);
    report_csv_text(out, place->file);
    put_number(out, place->line);
    put_number(out, place->column);
    report_csv_text(out, place->function);
    report_csv_text(out, place->instruction);
    put_at(out, place->has_thread, place->block);
    put_at(out, place->has_thread, place->thread);
}

// A row for each place, one for a finding without.
static void put_finding(struct strbuf *out, uint64_t number, const struct profile_launch *launch,
                        const struct profile_finding *finding) {
    static const struct profile_place nowhere;
    for (size_t i = 0; i == 0 || i < finding->place_count; i++) {
        put_number(out, number);
        put_number(out, launch ? (uint64_t)launch->index + 1 : 0);
        report_csv_text(out, !launch ? NULL : launch->kernel ? launch->kernel : launch->symbol);
        report_csv_text(out, profile_check_text[finding->check]);
        report_csv_text(out, finding->kind);
        report_csv_text(out, finding->is_note ? "note" : "defect");
        put_number(out, finding->count);
        report_csv_text(out, finding->object);
        put_place(out, finding->place_count ? &finding->places[i] : &nowhere);
        report_csv_text(out, finding->message);
        report_csv_text(out, finding->help);
        report_csv_field(out, finding->suppressed);
        strbuf_puts(out, "\r\n");
    }
}

void report_csv_findings(const struct profile *profile, struct strbuf *out) {
    uint64_t number = 0;
    if (!profile->checks)
        return;
    strbuf_puts(out, "\r\nfinding,launch,kernel,check,kind,severity,count,object,role,file,line,"
                     "column,function,instruction,block,thread,message,help,suppressed\r\n");
    for (size_t i = 0; i < profile->launch_count; i++)
        for (size_t f = 0; f < profile->launches[i].findings.count; f++)
            put_finding(out, ++number, &profile->launches[i],
                        &profile->launches[i].findings.list[f]);
    for (size_t f = 0; f < profile->findings.count; f++)
        put_finding(out, ++number, NULL, &profile->findings.list[f]);
}
