#include "base/utf8.h"

size_t utf8_decode(const char *text, uint32_t *code) {
    const unsigned char *byte = (const unsigned char *)text;
    size_t length = byte[0] < 0x80 ? 1 : byte[0] < 0xe0 ? 2 : byte[0] < 0xf0 ? 3 : 4;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t value = length == 1 ? byte[0] : byte[0] & (0x7fu >> length);
    bool valid = byte[0] < 0x80 || (byte[0] >= 0xc2 && byte[0] <= 0xf4);
    for (size_t i = 1; valid && i < length; i++) {
        valid = (byte[i] & 0xc0) == 0x80; // a NUL ends the text and fails here too
        value = value << 6 | (byte[i] & 0x3f);
    }
    if (!valid || value < least[length] || value > 0x10ffff ||
        (value >= 0xd800 && value <= 0xdfff)) {
        *code = 0xfffd;
        return 1;
    }
    *code = value;
    return length;
}

bool utf8_is_unsafe(uint32_t code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xfffd || code == 0x200e ||
           code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

void utf8_clean(struct strbuf *out, const char *text) {
    while (*text) {
        uint32_t code;
        size_t length = utf8_decode(text, &code);
        bool is_kept = code == '\n' || code == '\t' || !utf8_is_unsafe(code);
        strbuf_append(out, is_kept ? text : "?", is_kept ? length : 1);
        text += length;
    }
}

void utf8_repair(struct strbuf *out, const char *text) {
    while (*text) {
        uint32_t code;
        size_t length = utf8_decode(text, &code);
        if (length == 1 && code == 0xfffd)
            strbuf_puts(out, "\xef\xbf\xbd");
        else
            strbuf_append(out, text, length);
        text += length;
    }
}
