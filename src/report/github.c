// Workflow commands, which GitHub Actions shows as annotations beside the lines of a change.
#include <string.h>

#include "base/utf8.h"
#include "report/notes.h"

// What ends a line or a property is written as %XX.
static void put_escaped(struct strbuf *out, const char *text, bool is_property) {
    struct strbuf clean = {0};
    utf8_clean(&clean, text);
    for (const char *at = strbuf_string(&clean); *at; at++)
        if (*at == '%' || *at == '\r' || *at == '\n' || (is_property && (*at == ':' || *at == ',')))
            strbuf_printf(out, "%%%02X", (unsigned char)*at);
        else
            strbuf_append(out, at, 1);
    strbuf_free(&clean);
}

static void put_property(struct strbuf *out, const char *separator, const char *name,
                         const char *value) {
    strbuf_printf(out, "%s%s=", separator, name);
    put_escaped(out, value, true);
}

static void put_note(struct strbuf *out, const struct report_note *note) {
    static const char *const levels[] = {
        [NOTE_ERROR] = "error", [NOTE_WARNING] = "warning", [NOTE_HINT] = "notice"};
    const char *separator = " ";
    strbuf_printf(out, "::%s", levels[note->level]);
    if (note->file && note->line) {
        put_property(out, separator, "file", note->file);
        strbuf_printf(out, ",line=%u", note->line);
        separator = ",";
    }
    put_property(out, separator, "title", note->title);
    strbuf_puts(out, "::");
    put_escaped(out, note->message, false);
    if (note->kernel) {
        strbuf_puts(out, "%0Ain ");
        put_escaped(out, note->kernel, false);
    }
    strbuf_puts(out, "\n");
}

void report_github(const struct profile *profile, const struct report_options *options,
                   struct strbuf *out) {
    struct arena *arena = arena_create();
    const struct report_notes notes = report_notes_of(arena, profile, options);
    for (size_t i = 0; i < notes.count; i++)
        if (!notes.data[i].suppressed)
            put_note(out, &notes.data[i]);
    arena_destroy(arena);
}
