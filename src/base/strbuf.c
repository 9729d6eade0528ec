#include "base/strbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static void reserve(struct strbuf *buffer, size_t more) {
    size_t needed = buffer->length + more + 1;
    if (needed <= buffer->capacity)
        return;
    size_t capacity = buffer->capacity < 32 ? 64 : buffer->capacity * 2;
    buffer->capacity = capacity < needed ? needed : capacity;
    buffer->data = base_realloc(buffer->data, buffer->capacity);
}

void strbuf_append(struct strbuf *buffer, const char *text, size_t length) {
    reserve(buffer, length);
    if (length)
        memcpy(buffer->data + buffer->length, text, length);
    buffer->length += length;
    buffer->data[buffer->length] = '\0';
}

void strbuf_puts(struct strbuf *buffer, const char *text) {
    strbuf_append(buffer, text, strlen(text));
}

void strbuf_vprintf(struct strbuf *buffer, const char *format, va_list arguments) {
    va_list again;
    reserve(buffer, 31);
    size_t room = buffer->capacity - buffer->length;
    va_copy(again, arguments);
    int length = vsnprintf(buffer->data + buffer->length, room, format, again);
    va_end(again);
    if (length < 0) {
        buffer->data[buffer->length] = '\0';
        return;
    }
    if ((size_t)length >= room) {
        reserve(buffer, (size_t)length);
        vsnprintf(buffer->data + buffer->length, (size_t)length + 1, format, arguments);
    }
    buffer->length += (size_t)length;
}

void strbuf_printf(struct strbuf *buffer, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    strbuf_vprintf(buffer, format, arguments);
    va_end(arguments);
}

const char *strbuf_string(const struct strbuf *buffer) {
    return buffer->data ? buffer->data : "";
}

char *strbuf_take(struct strbuf *buffer) {
    char *text = buffer->data ? buffer->data : base_alloc(1);
    *buffer = (struct strbuf){0};
    return text;
}

void strbuf_free(struct strbuf *buffer) {
    free(buffer->data);
    *buffer = (struct strbuf){0};
}

void strbuf_set(struct strbuf *buffer, uint32_t set) {
    const char *separator = "";
    while (set != 0) {
        unsigned first = (unsigned)__builtin_ctz(set), last = first;
        while (last < 31 && set >> (last + 1) & 1)
            last++;
        strbuf_printf(buffer, "%s%u", separator, first);
        if (last > first)
            strbuf_printf(buffer, "-%u", last);
        separator = ", ";
        set &= last == 31 ? 0 : ~0u << (last + 1);
    }
}
