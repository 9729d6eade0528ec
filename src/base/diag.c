#include "base/diag.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/say.h"
#include "base/utf8.h"

// Longest source line shown; of a longer one a window around the range is shown.
enum { SHOWN_COLUMNS = 100 };

static char *format_message(const char *format, va_list arguments) {
    va_list copy;
    va_copy(copy, arguments);
    int length = vsnprintf(NULL, 0, format, copy);
    va_end(copy);
    char *text = base_alloc(length < 0 ? 1 : (size_t)length + 1);
    if (length >= 0)
        vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

static void add(struct diag_list *list, struct diag diag, const char *format, va_list arguments) {
    if (diag.severity == DIAG_ERROR)
        list->errors++;
    if (list->errors > DIAG_MAX_ERRORS)
        return;
    diag.message = format_message(format, arguments);
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? list->capacity * 2 : 8;
        list->items = base_realloc(list->items, list->capacity * sizeof *list->items);
    }
    list->items[list->count++] = diag;
}

void diag_add(struct diag_list *list, enum diag_severity severity, const struct source *source,
              struct source_range range, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    diag_vadd(list, severity, source, range, format, arguments);
    va_end(arguments);
}

void diag_vadd(struct diag_list *list, enum diag_severity severity, const struct source *source,
               struct source_range range, const char *format, va_list arguments) {
    add(list, (struct diag){.severity = severity, .source = source, .range = range}, format,
        arguments);
}

void diag_add_piece(struct diag_list *list, const struct source *source, uint32_t lines_before,
                    struct source_range range, const char *format, ...) {
    struct diag diag = {.source = source, .range = range, .lines_before = lines_before};
    va_list arguments;
    va_start(arguments, format);
    add(list, diag, format, arguments);
    va_end(arguments);
}

void diag_error(struct diag_list *list, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add(list, (struct diag){.severity = DIAG_ERROR}, format, arguments);
    va_end(arguments);
}

void source_position(const struct source *source, size_t offset, uint32_t *line, uint32_t *column) {
    if (offset > source->length)
        offset = source->length;
    size_t start = 0;
    *line = 1;
    const char *newline;
    while (start < offset && (newline = memchr(source->text + start, '\n', offset - start))) {
        start = (size_t)(newline - source->text) + 1;
        ++*line;
    }
    *column = (uint32_t)(offset - start) + 1;
}

static size_t line_begin(const struct source *source, size_t at) {
    while (at > 0 && source->text[at - 1] != '\n')
        at--;
    return at;
}

static size_t line_end(const struct source *source, size_t at) {
    while (at < source->length && source->text[at] != '\n')
        at++;
    return at > 0 && source->text[at - 1] == '\r' ? at - 1 : at;
}

// A copy in which no byte but the last is 0. Caller frees.
static char *printable(const char *text, size_t length) {
    char *copy = base_strndup(text, length);
    for (size_t i = 0; i < length; i++)
        copy[i] = text[i] ? text[i] : '\1';
    return copy;
}

// Continuation bytes of UTF-8 take no column.
static bool takes_column(char byte) {
    return ((unsigned char)byte & 0xc0) != 0x80;
}

// Under the text, a column for each character: what stands at bytes [at, stop).
static void print_marks(const char *text, size_t at, size_t stop, FILE *out, bool color) {
    uint32_t code;
    size_t i = 0;
    for (; text[i] && i < at; i += utf8_decode(text + i, &code))
        fputc(text[i] == '\t' ? '\t' : ' ', out);
    fputs(color ? "\033[1;32m^" : "^", out);
    for (i += text[i] ? utf8_decode(text + i, &code) : 0; text[i] && i < stop;
         i += utf8_decode(text + i, &code))
        fputc('~', out);
    fputs(color ? "\033[0m\n" : "\n", out);
}

static void print_excerpt(const struct diag *diag, FILE *out, bool color) {
    const struct source *source = diag->source;
    size_t at = diag->range.begin > source->length ? source->length : diag->range.begin;
    size_t begin = line_begin(source, at), end = line_end(source, at);
    size_t stop = diag->range.end < end ? diag->range.end : end;
    if (end < begin)
        end = begin;
    // A window of at most SHOWN_COLUMNS that holds the range's start, "..." included.
    size_t first = begin, last = end;
    if (end - begin > SHOWN_COLUMNS) {
        size_t width = SHOWN_COLUMNS - 6;
        if (at - begin > width * 2 / 3)
            first = at - width / 3;
        if (end - first <= width)
            first = end - width;
        last = first + width < end ? first + width : end;
        while (first < at && !takes_column(source->text[first]))
            first++;
        while (last > at && last < end && !takes_column(source->text[last]))
            last--;
    }
    const char *head = first > begin ? "..." : "", *tail = last < end ? "..." : "";
    char *shown = printable(source->text + first, last - first);
    fputs(head, out);
    say_text(out, shown);
    fprintf(out, "%s\n%*s", tail, (int)strlen(head), "");
    print_marks(shown, at - first, stop > first ? stop - first : 0, out, color);
    free(shown);
}

static void print_one(const struct diag *diag, FILE *out, bool color) {
    static const char *const names[] = {"error", "warning", "note"};
    static const char *const colors[] = {"\033[1;31m", "\033[1;35m", "\033[1;36m"};
    if (diag->source) {
        uint32_t line, column;
        source_position(diag->source, diag->range.begin, &line, &column);
        line += diag->lines_before;
        fputs(color ? "\033[1m" : "", out);
        say_text(out, diag->source->name);
        fprintf(out, ":%u:%u:%s ", line, column, color ? "\033[0m" : "");
    } else {
        fputs("bankrun: ", out);
    }
    fprintf(out, "%s%s:%s ", color ? colors[diag->severity] : "", names[diag->severity],
            color ? "\033[0m" : "");
    say_text(out, diag->message);
    fputc('\n', out);
    if (diag->source)
        print_excerpt(diag, out, color);
}

void diag_print(const struct diag_list *list, FILE *out, bool color) {
    for (size_t i = 0; i < list->count; i++)
        print_one(&list->items[i], out, color);
    if (list->errors > DIAG_MAX_ERRORS)
        fprintf(out, "bankrun: %zu further errors not shown\n", list->errors - DIAG_MAX_ERRORS);
}

void diag_free(struct diag_list *list) {
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i].message);
    free(list->items);
    *list = (struct diag_list){0};
}
