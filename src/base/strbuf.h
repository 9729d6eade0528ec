// String builder. A zeroed struct is an empty string.
#ifndef BANKRUN_BASE_STRBUF_H
#define BANKRUN_BASE_STRBUF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf {
    char *data; // NUL-terminated once anything was appended, NULL before
    size_t length, capacity;
};

void strbuf_append(struct strbuf *buffer, const char *text, size_t length);
void strbuf_puts(struct strbuf *buffer, const char *text);
void strbuf_printf(struct strbuf *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void strbuf_vprintf(struct strbuf *buffer, const char *format, va_list arguments);
// The numbers of a set, bit n = n: "0-7, 16, 18-19".
void strbuf_set(struct strbuf *buffer, uint32_t set);
const char *strbuf_string(const struct strbuf *buffer); // "" when empty; owned by the buffer
char *strbuf_take(struct strbuf *buffer);               // caller frees; the buffer is empty again
void strbuf_free(struct strbuf *buffer);

#endif
