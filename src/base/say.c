#include "base/say.h"

#include "base/strbuf.h"
#include "base/utf8.h"

void say_text(FILE *out, const char *text) {
    struct strbuf clean = {0};
    utf8_clean(&clean, text);
    fwrite(strbuf_string(&clean), 1, clean.length, out);
    strbuf_free(&clean);
}

void say_list(FILE *out, const char *format, va_list arguments) {
    struct strbuf text = {0};
    strbuf_puts(&text, "bankrun: ");
    strbuf_vprintf(&text, format, arguments);
    strbuf_puts(&text, "\n");
    say_text(out, text.data);
    strbuf_free(&text);
}

void say(FILE *out, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say_list(out, format, arguments);
    va_end(arguments);
}
