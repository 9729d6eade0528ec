// Diagnostics: messages about byte ranges of a source text. Line, column and carets are only
// computed when a message is printed.
#ifndef BANKRUN_BASE_DIAG_H
#define BANKRUN_BASE_DIAG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// A text that ranges point into. Owned by the caller; must outlive the diagnostics.
struct source {
    const char *name; // shown to the user: a path, or "<launch>"
    const char *text;
    size_t length;
};

struct source_range {
    uint32_t begin, end; // byte offsets, end is one past the last byte
};

enum diag_severity { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };

struct diag {
    enum diag_severity severity;
    const struct source *source; // NULL: the message is about no text
    struct source_range range;
    uint32_t lines_before; // the source is a piece of a file that has so many lines before it
    char *message;
};

struct diag_list { // a zeroed struct is an empty list
    struct diag *items;
    size_t count, capacity;
    size_t errors;
};

// Past this many errors further ones are counted but not kept: nobody reads them.
enum { DIAG_MAX_ERRORS = 50 };

void diag_add(struct diag_list *list, enum diag_severity severity, const struct source *source,
              struct source_range range, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void diag_vadd(struct diag_list *list, enum diag_severity severity, const struct source *source,
               struct source_range range, const char *format, va_list arguments);

// The same for a text that is a piece of a file, with `lines_before` lines before it.
void diag_add_piece(struct diag_list *list, const struct source *source, uint32_t lines_before,
                    struct source_range range, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

// Shorthand for an error without a text.
void diag_error(struct diag_list *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// 1-based line and column (in bytes) of an offset.
void source_position(const struct source *source, size_t offset, uint32_t *line, uint32_t *column);

// "name:3:14: error: message", the source line, and "^~~~" under the range.
void diag_print(const struct diag_list *list, FILE *out, bool color);

void diag_free(struct diag_list *list);

#endif
