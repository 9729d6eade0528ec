#include "toolchain/registers.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "toolchain/pieces.h"

enum { MOST = 255 }; // that an instruction can name

static bool is_performance(struct ptx_token token) {
    static const char *const directives[] = {".maxnreg", ".maxntid", ".reqntid", ".minnctapersm",
                                             ".maxnctapersm"};
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
        if (toolchain_token_is(token, directives[i]))
            return true;
    return false;
}

// Where the body of a kernel begins that is to be limited; NULL: it is not, or is none.
static const char *body_of(const struct piece *piece) {
    const char *at = piece->text, *end = piece->text + piece->length;
    bool is_kernel = false;
    while (at < end) {
        const struct ptx_token token = toolchain_token(&at);
        if (!token.length || token.text >= end || is_performance(token))
            return NULL;
        if (toolchain_token_is(token, "{"))
            return is_kernel ? token.text : NULL;
        is_kernel |= toolchain_token_is(token, ".entry");
    }
    return NULL;
}

char *toolchain_limit_registers(char *text, unsigned most) {
    struct strbuf limited = {0};
    struct piece piece;
    const char *copied = text;
    if (!most)
        return text;
    for (const char *at = text; toolchain_piece(&at, &piece);) {
        const char *body = piece.kind == PIECE_FUNCTION ? body_of(&piece) : NULL;
        if (!body)
            continue;
        strbuf_append(&limited, copied, (size_t)(body - copied));
        strbuf_printf(&limited, " .maxnreg %u ", most < MOST ? most : MOST);
        copied = body;
    }
    if (copied == text)
        return text;
    strbuf_puts(&limited, copied);
    free(text);
    return strbuf_take(&limited);
}

// 0: no number, or none that limits.
static unsigned limit_of(const char *digits) {
    const long number = strtol(digits, NULL, 10);
    return number > 0 ? number < MOST ? (unsigned)number : MOST : 0;
}

unsigned toolchain_registers_of(const char *option) {
    static const char name[] = "maxrregcount=";
    const char *word = option + strspn(option, "-");
    if (word == option || strncmp(word, name, sizeof name - 1) != 0)
        return 0;
    return limit_of(word + sizeof name - 1);
}

unsigned toolchain_registers_of_line(const char *line, size_t length) {
    char *copy = base_strndup(line, length), *rest;
    unsigned found = 0;
    for (const char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        const bool is_alone = strcmp(word + strspn(word, "-"), "maxrregcount") == 0;
        const char *number = is_alone && *word == '-' ? strtok_r(NULL, " ", &rest) : NULL;
        const unsigned limit = number ? limit_of(number) : toolchain_registers_of(word);
        found = limit ? limit : found;
    }
    free(copy);
    return found;
}
