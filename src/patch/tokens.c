// Cuts a CUDA source into tokens. See tokens.h.
#include "patch/tokens.h"

#include <ctype.h>
#include <string.h>

struct scan {
    struct patch_text *source;
    const char *at, *end;
    uint32_t line;
    bool is_directive, is_line_start;
};

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static void move(struct scan *scan, const char *to) {
    for (; scan->at < to; scan->at++)
        scan->line += *scan->at == '\n';
}

static const char *find(const struct scan *scan, const char *from, const char *what) {
    const size_t length = strlen(what);
    for (const char *at = from; at + length <= scan->end; at++)
        if (!memcmp(at, what, length))
            return at + length;
    return scan->end;
}

// Behind the blanks and comments here. A line's end ends a directive, if no backslash stands
// before it.
static void skip_blanks(struct scan *scan) {
    while (scan->at < scan->end) {
        const char *at = scan->at;
        if (*at == '\n') {
            scan->is_directive = false;
            scan->is_line_start = true;
            move(scan, at + 1);
        } else if (at[0] == '\\' && (at[1] == '\n' || (at[1] == '\r' && at[2] == '\n'))) {
            move(scan, at + (at[1] == '\n' ? 2 : 3));
        } else if (isspace((unsigned char)*at)) {
            move(scan, at + 1);
        } else if (at[0] == '/' && at[1] == '*') {
            move(scan, find(scan, at + 2, "*/"));
        } else if (at[0] == '/' && at[1] == '/') {
            const char *last = memchr(at, '\n', (size_t)(scan->end - at));
            move(scan, last ? last : scan->end);
        } else {
            return;
        }
    }
}

// Behind the quoted literal that begins here; at the end of the line where it is not closed.
static const char *quoted_end(const struct scan *scan, const char *at) {
    const char quote = *at++;
    for (; at < scan->end && *at != quote && *at != '\n'; at++)
        at += at[0] == '\\' && at + 1 < scan->end;
    return at < scan->end && *at == quote ? at + 1 : at;
}

// R"x( ... )x"
static const char *raw_end(const struct scan *scan, const char *quote) {
    enum { MOST = 16 };
    char close[MOST + 3] = ")";
    const char *open = memchr(quote, '(', (size_t)(scan->end - quote));
    if (!open || open - quote - 1 > MOST)
        return quoted_end(scan, quote);
    memcpy(close + 1, quote + 1, (size_t)(open - quote - 1));
    close[open - quote] = '"';
    close[open - quote + 1] = 0;
    return find(scan, open, close);
}

static const char *number_end(const char *at) {
    for (; is_word(*at) || *at == '.' || (*at == '\'' && is_word(at[1])); at++)
        if (strchr("eEpP", *at) && (at[1] == '+' || at[1] == '-'))
            at++;
    return at;
}

static const char *mark_end(const char *at) {
    static const char *const marks[] = {"<<=", ">>=", "...", "->", "::", "++", "--",
                                        "+=",  "-=",  "*=",  "/=", "%=", "&=", "|=",
                                        "^=",  "==",  "!=",  "<=", ">=", "&&", "||"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (!strncmp(at, marks[i], strlen(marks[i])))
            return at + strlen(marks[i]);
    return at + 1;
}

static const char *word_end(const char *at) {
    while (is_word(*at))
        at++;
    return at;
}

static const char *token_end(const struct scan *scan, enum patch_kind *kind) {
    const char *at = scan->at, *end;
    *kind = PATCH_LITERAL;
    if (*at == '"' || *at == '\'')
        return quoted_end(scan, at);
    *kind = PATCH_NUMBER;
    if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1])))
        return number_end(at);
    *kind = PATCH_NAME;
    if (!is_word(*at)) {
        *kind = PATCH_MARK;
        return mark_end(at);
    }
    end = word_end(at);
    if (*end != '"' || end - at > 3)
        return end;
    *kind = PATCH_LITERAL; // with a prefix, as L"", u8R""
    return end[-1] == 'R' ? raw_end(scan, end) : quoted_end(scan, end);
}

void patch_tokenize(struct patch_text *source, const char *text, size_t length) {
    struct scan scan = {source, text, text + length, 1, false, true};
    *source = (struct patch_text){.text = text, .length = length};
    for (skip_blanks(&scan); scan.at < scan.end; skip_blanks(&scan)) {
        struct patch_token token = {.line = scan.line};
        const char *end = token_end(&scan, &token.kind);
        scan.is_directive |= scan.is_line_start && *scan.at == '#';
        scan.is_line_start = false;
        token.is_directive = scan.is_directive;
        token.begin = (uint32_t)(scan.at - text);
        token.end = (uint32_t)(end - text);
        vec_push(&source->tokens, token);
        move(&scan, end);
    }
}

void patch_text_free(struct patch_text *source) {
    vec_free(&source->tokens);
}

bool patch_is(const struct patch_text *source, size_t at, const char *word) {
    if (at >= source->tokens.length)
        return false;
    const struct patch_token *token = &source->tokens.data[at];
    const size_t length = token->end - token->begin;
    return strlen(word) == length && !memcmp(source->text + token->begin, word, length);
}

bool patch_is_any(const struct patch_text *source, size_t at, const char *const *words) {
    for (; *words; words++)
        if (patch_is(source, at, *words))
            return true;
    return false;
}

size_t patch_closing(const struct patch_text *source, size_t at) {
    size_t depth = 0;
    for (; at < source->tokens.length; at++) {
        const struct patch_token *token = &source->tokens.data[at];
        const char c = source->text[token->begin];
        if (token->kind != PATCH_MARK)
            continue;
        depth += c == '(' || c == '[' || c == '{';
        if (c == ')' || c == ']' || c == '}') {
            if (depth <= 1)
                return depth == 1 ? at : source->tokens.length;
            depth--;
        }
    }
    return at;
}
