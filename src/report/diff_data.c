// What changed between two profiles, for other programs.
#include <inttypes.h>
#include <stdlib.h>

#include "profile/json.h"
#include "profile/json_make.h"
#include "profile/quotes.h"
#include "report/diff.h"

// ---- JSON ---------------------------------------------------------------------------------------

static void set_counts(json_t *object, enum site_space space, const struct profile_counts *counts) {
    set(object, "requests", number(counts->requests));
    set(object, profile_units_key(space), number(counts->units));
    set(object, profile_ideal_key(space), number(counts->ideal));
    set(object, "excess", number(profile_excess_of(counts)));
}

static json_t *row_of(const struct report_row *row) {
    if (!row)
        return json_null();
    json_t *object = json_object();
    set(object, "kernel", text(row->kernel));
    set(object, "file", text(row->file));
    set(object, "line", number(row->line));
    set(object, "text", text(row->text));
    set(object, "accesses", text(row->accesses));
    set(object, "estimate", json_boolean(row->is_estimate));
    set_counts(object, row->space, &row->counts);
    if (row->space == SITE_SHARED)
        set(object, "worst_degree", number(row->degree));
    return object;
}

static json_t *line_of(const struct diff_line *line) {
    json_t *object = json_object();
    set(object, "change", text(diff_change_text[line->change]));
    set(object, "space", text(profile_space_text[diff_row_of(line)->space]));
    set(object, "edited", json_boolean(line->is_edited));
    set(object, "old", row_of(line->old));
    set(object, "new", row_of(line->now));
    return object;
}

static json_t *sums_of(const struct diff_kernel *kernel, int side) {
    json_t *object = json_object();
    set(object, "launches", number(kernel->launches[side]));
    for (int space = 0; space < SITE_SPACES; space++) {
        json_t *counts = json_object();
        set_counts(counts, (enum site_space)space, &kernel->sums[side][space]);
        set(object, profile_space_text[space], counts);
    }
    return object;
}

static json_t *kernel_of(const struct diff_kernel *kernel, bool has_name) {
    json_t *object = json_object();
    if (has_name)
        set(object, "kernel", text(kernel->name));
    set(object, "old", sums_of(kernel, 0));
    set(object, "new", sums_of(kernel, 1));
    return object;
}

static json_t *counts_of(const struct diff *diff) {
    json_t *object = json_object();
    for (int change = 0; change < DIFF_CHANGES; change++)
        set(object, diff_change_text[change], number(diff->counts[change]));
    return object;
}

static json_t *side_of(const char *name, const struct profile *profile) {
    json_t *object = json_object();
    set(object, "name", text(name));
    set(object, "complete", json_boolean(!profile_has_failed(profile)));
    return object;
}

static json_t *finding_of(const struct diff *diff, const struct diff_finding *found) {
    const struct profile_finding *finding = found->finding;
    const struct profile *profile = found->change == DIFF_NEW ? diff->now : diff->old;
    json_t *object = json_object(), *places = json_array();
    set(object, "change", text(diff_change_text[found->change]));
    set(object, "kernel", text(found->kernel));
    set(object, "check", text(profile_check_text[finding->check]));
    set(object, "kind", text(finding->kind));
    set(object, "message", text(finding->message));
    set(object, "object", text(finding->object));
    set(object, "note", json_boolean(finding->is_note));
    set(object, "suppressed", text(finding->suppressed));
    for (size_t i = 0; i < finding->place_count; i++) {
        const struct profile_place *at = &finding->places[i];
        json_t *place = json_object();
        set(place, "role", text(at->role));
        set(place, "file", text(at->file));
        set(place, "line", number(at->line));
        set(place, "text", text(profile_quote_of(profile, at->file, at->line)));
        append(places, place);
    }
    set(object, "places", places);
    return object;
}

static void set_findings(json_t *root, const struct diff *diff) {
    if (!(diff->old->checks & diff->now->checks))
        return;
    json_t *findings = json_array();
    for (size_t i = 0; i < diff->finding_count; i++)
        append(findings, finding_of(diff, &diff->findings[i]));
    set(root, "findings", findings);
    set(root, "same_findings", number(diff->same_findings));
}

static json_t *root_of(const struct diff *diff, const struct diff_names *names) {
    json_t *root = json_object(), *lines = json_array(), *kernels = json_array();
    char arch[16];
    snprintf(arch, sizeof arch, "sm_%u", diff->now->arch);
    set(root, "schema", text("bankrun-diff/1"));
    set(root, "bankrun", text(BANKRUN_VERSION));
    set(root, "arch", text(arch));
    set(root, "old", side_of(names->old, diff->old));
    set(root, "new", side_of(names->now, diff->now));
    set(root, "counts", counts_of(diff));
    for (size_t i = 0; i < diff->count && diff->lines[i].change != DIFF_SAME; i++)
        append(lines, line_of(&diff->lines[i]));
    set(root, "lines", lines);
    for (size_t i = 0; i < diff->kernel_count; i++)
        append(kernels, kernel_of(&diff->kernels[i], true));
    set(root, "kernels", kernels);
    set(root, "all", kernel_of(&diff->all, false));
    set_findings(root, diff);
    return root;
}

void diff_json(const struct diff *diff, const struct diff_names *names, struct strbuf *out) {
    profile_put_json(out, root_of(diff, names), JSON_SORT_KEYS | JSON_INDENT(1));
}

// ---- CSV ----------------------------------------------------------------------------------------

static void put_number(struct strbuf *out, bool is_there, uint64_t number) {
    if (is_there)
        strbuf_printf(out, "%" PRIu64, number);
    strbuf_puts(out, ",");
}

static void put_row(struct strbuf *out, const struct report_row *row) {
    static const struct report_row nowhere;
    const bool is_there = row != NULL;
    row = row ? row : &nowhere;
    report_csv_text(out, row->file);
    put_number(out, row->line > 0, row->line);
    put_number(out, is_there, row->counts.requests);
    put_number(out, is_there, row->counts.units);
    put_number(out, is_there, row->counts.ideal);
    put_number(out, is_there, diff_excess(row));
    put_number(out, is_there && row->space == SITE_SHARED, row->degree);
}

// As the report's own table of findings, behind an empty line.
static void put_findings(struct strbuf *out, const struct diff *diff) {
    if (!(diff->old->checks & diff->now->checks))
        return;
    strbuf_puts(out,
                "\r\nchange,kernel,check,kind,severity,object,file,line,message,suppressed\r\n");
    for (size_t i = 0; i < diff->finding_count; i++) {
        const struct profile_finding *finding = diff->findings[i].finding;
        static const struct profile_place nowhere;
        const struct profile_place *place = finding->place_count ? &finding->places[0] : &nowhere;
        report_csv_text(out, diff_change_text[diff->findings[i].change]);
        report_csv_text(out, diff->findings[i].kernel);
        report_csv_text(out, profile_check_text[finding->check]);
        report_csv_text(out, finding->kind);
        report_csv_text(out, finding->is_note ? "note" : "defect");
        report_csv_text(out, finding->object);
        report_csv_text(out, place->file);
        put_number(out, place->line > 0, place->line);
        report_csv_text(out, finding->message);
        report_csv_field(out, finding->suppressed);
        strbuf_puts(out, "\r\n");
    }
}

void diff_csv(const struct diff *diff, struct strbuf *out) {
    strbuf_puts(out, "change,kernel,space,accesses,edited,"
                     "old_file,old_line,old_requests,old_units,old_ideal,old_excess,old_degree,"
                     "file,line,requests,units,ideal,excess,degree,text\r\n");
    for (size_t i = 0; i < diff->count && diff->lines[i].change != DIFF_SAME; i++) {
        const struct diff_line *line = &diff->lines[i];
        const struct report_row *row = diff_row_of(line);
        report_csv_text(out, diff_change_text[line->change]);
        report_csv_text(out, row->kernel);
        report_csv_text(out, profile_space_text[row->space]);
        report_csv_text(out, row->accesses);
        report_csv_text(out, line->is_edited ? "yes" : "no");
        put_row(out, line->old);
        put_row(out, line->now);
        report_csv_field(out, row->text);
        strbuf_puts(out, "\r\n");
    }
    put_findings(out, diff);
}
