// The report as a page for browsers: one file that holds all it needs.
#include <string.h>

#include "report/html.h"

// JSON inside of a script element: what could end it, or a line of it, is escaped. In JSON these
// bytes are in strings only.
static int put_data(const char *bytes, size_t length, void *out) {
    struct strbuf *page = out;
    for (size_t i = 0, from = 0; i <= length; i++) {
        if (i < length && bytes[i] != '<' && bytes[i] != '>' && bytes[i] != '&')
            continue;
        strbuf_append(page, bytes + from, i - from);
        from = i + 1;
        if (i < length)
            strbuf_printf(page, "\\u%04x", (unsigned)bytes[i]);
    }
    return 0;
}

// U+2028 and U+2029, which end lines of a script.
static void escape_separators(struct strbuf *data) {
    struct strbuf clean = {0};
    const char *at = strbuf_string(data), *found;
    while ((found = strstr(at, "\xe2\x80")) != NULL) {
        const bool is_end = found[2] == '\xa8' || found[2] == '\xa9';
        strbuf_append(&clean, at, (size_t)(found - at) + (is_end ? 0 : 2));
        if (is_end)
            strbuf_puts(&clean, found[2] == '\xa8' ? "\\u2028" : "\\u2029");
        at = found + (is_end ? 3 : 2);
    }
    strbuf_puts(&clean, at);
    strbuf_free(data);
    *data = clean;
}

void report_html(const struct profile *profile, const struct report_options *options,
                 struct strbuf *out) {
    struct report_view *view = report_view_create(profile, options);
    struct strbuf data = {0};
    bool has_sliders;
    json_t *root = html_data_of(view, options, &has_sliders);
    if (json_dump_callback(root, put_data, &data, JSON_COMPACT | JSON_SORT_KEYS) != 0)
        base_out_of_memory(0);
    json_decref(root);
    escape_separators(&data);
    strbuf_puts(out, report_page_parts[0]);
    // Allows WebAssembly, and no script that comes as text.
    strbuf_puts(out, has_sliders ? " 'wasm-unsafe-eval'" : "");
    strbuf_puts(out, report_page_parts[1]);
    strbuf_append(out, data.data, data.length);
    strbuf_puts(out, report_page_parts[2]);
    strbuf_puts(out, has_sliders ? report_page_module : "");
    strbuf_puts(out, report_page_parts[3]);
    strbuf_free(&data);
    report_view_free(view);
}
