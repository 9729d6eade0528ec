// UTF-8 that may be broken: texts of programs, paths and source files are bytes.
#ifndef BANKRUN_BASE_UTF8_H
#define BANKRUN_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

// Decodes one code point and returns its length in bytes; 1 and *code = 0xfffd when the bytes are
// no shortest-form UTF-8. `text` is not at its NUL.
size_t utf8_decode(const char *text, uint32_t *code);

// Whether a terminal might act on it: control characters, marks that reorder text, and U+FFFD,
// which also stands for bytes that are no UTF-8.
bool utf8_is_unsafe(uint32_t code);

// Appends a text of our own with words of programs, paths and source files in it, as a terminal may
// get it: what is unsafe becomes '?', but for '\n' and '\t'.
void utf8_clean(struct strbuf *out, const char *text);

// Appends the text; bytes that are no UTF-8 become U+FFFD.
void utf8_repair(struct strbuf *out, const char *text);

#endif
