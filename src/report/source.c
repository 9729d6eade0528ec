// Quoting source lines.
#include <string.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "profile/quotes.h"
#include "report/build.h"

// A path as the compiler wrote it, seen from the source root.
static char *resolve(const struct view_builder *builder, const char *file) {
    struct strbuf path = {0};
    if (file[0] != '/' && builder->source_root)
        strbuf_printf(&path, "%s/", builder->source_root);
    strbuf_puts(&path, file);
    return strbuf_take(&path);
}

static void find_lines(struct view_source *source) {
    size_t count = 1;
    for (const char *at = source->text; (at = strchr(at, '\n')) != NULL; at++)
        count++;
    source->lines = base_alloc(count * sizeof *source->lines);
    for (const char *at = source->text; at; at = at ? at + 1 : NULL) {
        source->lines[source->line_count++] = at;
        at = strchr(at, '\n');
    }
}

// Each file is read once.
static const struct view_source *source_of(struct view_builder *builder, const char *file) {
    for (size_t i = 0; i < builder->sources.length; i++)
        if (strcmp(builder->sources.data[i].name, file) == 0)
            return &builder->sources.data[i];
    struct view_source source = {.name = base_strdup(file)};
    char *path = resolve(builder, file);
    size_t length;
    if (file_read_regular(path, &source.text, &length))
        find_lines(&source);
    else
        source.text = NULL;
    free(path);
    vec_push(&builder->sources, source);
    return &builder->sources.data[builder->sources.length - 1];
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

// How many bytes of white space the quote leaves out in front.
static size_t quote_indent(struct view_builder *builder, const char *file, uint32_t line) {
    const struct view_source *source = file && line > 0 ? source_of(builder, file) : NULL;
    size_t indent = 0;
    if (source && line <= source->line_count)
        while (is_blank(source->lines[line - 1][indent]))
            indent++;
    return indent;
}

const char *view_source_line(struct view_builder *builder, const char *file, uint32_t line,
                             size_t *length) {
    const struct view_source *source = file && line > 0 ? source_of(builder, file) : NULL;
    if (!source || !source->text || line > source->line_count)
        return NULL;
    const char *found = source->lines[line - 1];
    *length = strcspn(found, "\r\n");
    return found;
}

const char *view_quote(struct view_builder *builder, const char *file, uint32_t line) {
    // The file may have changed since the profile was made.
    const char *kept = builder->profile ? profile_quote_of(builder->profile, file, line) : NULL;
    if (kept)
        return kept;
    const struct view_source *source = file && line > 0 ? source_of(builder, file) : NULL;
    if (!source || line > source->line_count)
        return NULL;
    const char *text = source->lines[line - 1];
    size_t length = strcspn(text, "\n");
    while (length > 0 && is_blank(text[0])) {
        text++;
        length--;
    }
    while (length > 0 && is_blank(text[length - 1]))
        length--;
    return length > 0 ? arena_strndup(builder->arena, text, length) : NULL;
}

size_t view_caret(struct view_builder *builder, const char *file, uint32_t line, uint32_t column,
                  const char *quote) {
    const size_t blanks = quote_indent(builder, file, line), at = column ? column - 1 : 0;
    return quote && column && at >= blanks && at - blanks < strlen(quote) ? at - blanks
                                                                          : VIEW_NO_CARET;
}

void view_free_sources(struct view_builder *builder) {
    for (size_t i = 0; i < builder->sources.length; i++) {
        free(builder->sources.data[i].name);
        free(builder->sources.data[i].text);
        free(builder->sources.data[i].lines);
    }
    vec_free(&builder->sources);
}
