// How many terminal columns a text takes, and cutting it to fit. Texts come from programs, paths
// and source files: they may be long, no valid UTF-8, or hold control characters.
#ifndef BANKRUN_REPORT_COLUMNS_H
#define BANKRUN_REPORT_COLUMNS_H

#include <stddef.h>

#include "base/strbuf.h"

// Appends `text` so that it is safe on a terminal: bytes that are no UTF-8, control characters and
// marks that reorder text become '?', a tab becomes spaces up to the next multiple of four.
void report_clean(struct strbuf *out, const char *text);

// Columns of a clean text: wide characters take two, combining marks none.
size_t report_columns(const char *text);

// Appends at most `columns` columns of a clean text; what is too much is left out in the middle,
// where "..." stands for it. Returns the columns that were written.
size_t report_elide(struct strbuf *out, const char *text, size_t columns);
// The bytes of its longest beginning of at most so many columns, but one character at least.
size_t report_prefix(const char *text, size_t columns);

#endif
