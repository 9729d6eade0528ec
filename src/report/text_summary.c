// What a report says of all launches together: the lines and the kernels with most excess.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/demangle.h"
#include "report/columns.h"
#include "report/text.h"

// "gallery/scan.cu:33 in tile_scan<32>", or without what is too much of it; the line's number
// stays.
static void put_label(const struct report_page *page, const struct view_worst *worst,
                      struct strbuf *out) {
    const struct view_place at = worst->line->at;
    const char *slash = at.file ? strrchr(at.file, '/') : NULL;
    for (int less = 0; less < 3; less++) {
        strbuf_free(out);
        if (at.file)
            strbuf_printf(out, "%s:%u", less && slash ? slash + 1 : at.file, at.line);
        else
            strbuf_puts(out, worst->line->sites[0].access);
        if (worst->kernel && less < 2)
            strbuf_printf(out, " in %s", worst->kernel);
        if (report_columns(strbuf_string(out)) <= report_label_columns(page, 2))
            return;
    }
}

// One more than `most` is worth its own line where it costs just one.
static size_t shown_of(size_t count, size_t most, bool is_verbose) {
    return is_verbose || count <= most + 1 ? count : most;
}

void text_worst(struct report_page *page, const struct report_view *view, size_t most,
                bool is_verbose) {
    const size_t shown = shown_of(view->worst_count, most, is_verbose);
    struct strbuf label = {0};
    text_columns(page, 2, "line", view->kernels.columns);
    for (size_t i = 0; i < shown; i++) {
        put_label(page, &view->worst[i], &label);
        text_row(page, 2, strbuf_string(&label), view->worst[i].cells);
    }
    strbuf_free(&label);
    if (shown < view->worst_count)
        text_rest(page, 2, view->worst_count - shown, "line", "");
}

void text_worst_line(struct report_page *page, const struct report_view *view, bool is_verbose) {
    const struct view_worst *worst = &view->worst[0];
    const struct profile_launch *launch = worst->launch->launch;
    struct strbuf note = {0};
    strbuf_printf(&note, "launch %llu", (unsigned long long)launch->index + 1);
    report_newline(page);
    text_rule(page, launch->kernel ? launch->kernel : launch->symbol, strbuf_string(&note));
    text_conflict(page, worst->line, worst->launch, is_verbose, NULL);
    strbuf_free(&note);
}

char *text_name_in(const char *kernel, size_t columns) {
    struct strbuf name = {0};
    report_clean(&name, kernel);
    char *label = strbuf_take(&name);
    if (label && report_columns(label) > columns)
        base_drop_parameters(label);
    return label ? label : base_strdup("");
}

char *text_kernel_label(const char *kernel) {
    return text_name_in(kernel, 0);
}

// Of kernels that are told apart by their parameters alone these are said, as far as they fit.
static char *row_label(const struct report_page *page, const struct view_table *table, size_t n) {
    char *label = text_kernel_label(table->rows[n].label);
    for (size_t i = 0; i < table->count; i++) {
        char *other = i == n ? NULL : text_kernel_label(table->rows[i].label);
        const bool is_same = other && !strcmp(label, other);
        free(other);
        if (is_same) {
            free(label);
            return text_name_in(table->rows[n].label, report_label_columns(page, 2));
        }
    }
    return label;
}

void text_table(struct report_page *page, const struct view_table *table, size_t most,
                bool is_verbose) {
    const size_t shown = shown_of(table->count, most, is_verbose);
    text_columns(page, 2, table->label, table->columns);
    for (size_t i = 0; i < shown; i++) {
        char *label = row_label(page, table, i);
        text_row(page, 2, label, table->rows[i].cells);
        free(label);
    }
    if (shown < table->count)
        text_rest(page, 2, table->count - shown, table->label, "");
}

void text_kernels(struct report_page *page, const struct report_view *view, size_t most,
                  bool is_verbose) {
    text_table(page, &view->kernels, most, is_verbose);
    if (view->kernels.count > 1)
        text_row(page, 2, view->all.label, view->all.cells);
}
