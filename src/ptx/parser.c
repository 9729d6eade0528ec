// Tokens, errors and recovery, shared by all parts of the parser.
#include "ptx/parser.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

void ptx_next(struct ptx_parser *parser) {
    parser->last_end = parser->token.range.end;
    parser->token = ptx_lexer_next(&parser->lexer);
    assert(parser->token.range.begin >= parser->last_end);
}

bool ptx_error(struct ptx_parser *parser, struct source_range range, const char *format, ...) {
    if (parser->lexer.is_cut_off)
        return false; // the unfinished comment is the error; what follows from it is noise
    va_list arguments;
    va_start(arguments, format);
    diag_vadd(parser->diags, DIAG_ERROR, parser->source, range, format, arguments);
    va_end(arguments);
    return false;
}

bool ptx_expected(struct ptx_parser *parser, const char *what) {
    enum { LONGEST_SHOWN = 40 };
    const struct ptx_token *token = &parser->token;
    if (token->kind == PTX_TOKEN_BAD)
        return false;
    if (token->kind == PTX_TOKEN_END)
        return ptx_error(parser, token->range, "expected %s, found the end of the file", what);
    uint32_t length = token->range.end - token->range.begin;
    return ptx_error(parser, token->range, "expected %s, found '%.*s%s'", what,
                     (int)(length > LONGEST_SHOWN ? LONGEST_SHOWN : length),
                     ptx_text(parser, token->range), length > LONGEST_SHOWN ? "..." : "");
}

bool ptx_at_punct(const struct ptx_parser *parser, int punct) {
    return parser->token.kind == PTX_TOKEN_PUNCT && parser->token.punct == punct;
}

bool ptx_at_dot(const struct ptx_parser *parser, const char *word) {
    struct source_range range = parser->token.range;
    size_t length = strlen(word);
    return parser->token.kind == PTX_TOKEN_DOT && range.end - range.begin == length &&
           memcmp(ptx_text(parser, range), word, length) == 0;
}

bool ptx_accept_punct(struct ptx_parser *parser, int punct) {
    if (!ptx_at_punct(parser, punct))
        return false;
    ptx_next(parser);
    return true;
}

bool ptx_accept_dot(struct ptx_parser *parser, const char *word) {
    if (!ptx_at_dot(parser, word))
        return false;
    ptx_next(parser);
    return true;
}

bool ptx_expect_punct(struct ptx_parser *parser, int punct) {
    if (ptx_accept_punct(parser, punct))
        return true;
    char what[] = {'\'', (char)punct, '\'', '\0'};
    return ptx_expected(parser, what);
}

// A `;` forgotten at the end of a line is reported there, and the next line is read as usual.
bool ptx_end_statement(struct ptx_parser *parser) {
    uint32_t end = parser->last_end, begin = parser->token.range.begin;
    if (ptx_accept_punct(parser, ';'))
        return true;
    if (parser->token.kind == PTX_TOKEN_BAD || parser->token.kind == PTX_TOKEN_END ||
        !memchr(parser->source->text + end, '\n', begin - end))
        return ptx_expected(parser, "',' or ';'");
    ptx_error(parser, (struct source_range){end, end}, "';' is missing");
    return true;
}

bool ptx_expect_name(struct ptx_parser *parser, const char *what, const char **name) {
    if (parser->token.kind != PTX_TOKEN_NAME)
        return ptx_expected(parser, what);
    *name = ptx_intern(parser, parser->token.range);
    ptx_next(parser);
    return true;
}

const char *ptx_text(const struct ptx_parser *parser, struct source_range range) {
    assert(range.begin <= range.end && range.end <= parser->source->length);
    return parser->source->text + range.begin;
}

static const char *intern(struct ptx_parser *parser, const char *text, size_t length) {
    char *known = map_get(&parser->strings, text, length);
    if (!known) {
        known = arena_strndup(parser->arena, text, length);
        map_put(&parser->strings, known, length, known);
    }
    return known;
}

const char *ptx_intern(struct ptx_parser *parser, struct source_range range) {
    return intern(parser, ptx_text(parser, range), range.end - range.begin);
}

const char *ptx_intern_string(struct ptx_parser *parser) {
    struct source_range range = parser->token.range;
    assert(parser->token.kind == PTX_TOKEN_STRING && range.end - range.begin >= 2);
    return intern(parser, ptx_text(parser, range) + 1, range.end - range.begin - 2);
}

static const char *behind_token(const struct ptx_parser *parser, size_t *length) {
    const char *text = parser->source->text;
    uint32_t at = parser->lexer.at;
    while (at < parser->lexer.end &&
           (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n'))
        at++;
    *length = parser->lexer.end - at;
    return text + at;
}

char ptx_next_byte(const struct ptx_parser *parser) {
    size_t length;
    const char *text = behind_token(parser, &length);
    return length ? *text : '\0';
}

bool ptx_next_is(const struct ptx_parser *parser, const char *word) {
    size_t length, wanted = strlen(word);
    const char *text = behind_token(parser, &length);
    return length >= wanted && memcmp(text, word, wanted) == 0 &&
           (length == wanted || !ptx_is_name_byte(text[wanted]));
}

void ptx_skip_statement(struct ptx_parser *parser) {
    while (parser->token.kind != PTX_TOKEN_END && !ptx_at_punct(parser, '}')) {
        if (ptx_accept_punct(parser, ';'))
            return;
        if (ptx_at_punct(parser, '{'))
            ptx_skip_braces(parser);
        else
            ptx_next(parser);
    }
}

void ptx_skip_group(struct ptx_parser *parser, int open, int close) {
    unsigned depth = 1;
    while (parser->token.kind != PTX_TOKEN_END && !ptx_at_punct(parser, ';')) {
        if (ptx_at_punct(parser, open))
            depth++;
        bool is_last = ptx_at_punct(parser, close) && --depth == 0;
        ptx_next(parser);
        if (is_last)
            return;
    }
}

void ptx_skip_line(struct ptx_parser *parser) {
    while (parser->token.kind != PTX_TOKEN_END) {
        uint32_t end = parser->last_end, begin = parser->token.range.begin;
        if (memchr(parser->source->text + end, '\n', begin - end))
            return;
        ptx_next(parser);
    }
}

void ptx_skip_braces(struct ptx_parser *parser) {
    assert(ptx_at_punct(parser, '{'));
    unsigned depth = 0; // counted, not recursed: damaged text nests as it likes
    while (parser->token.kind != PTX_TOKEN_END) {
        if (ptx_at_punct(parser, '{'))
            depth++;
        bool is_last = ptx_at_punct(parser, '}') && --depth == 0;
        ptx_next(parser);
        if (is_last)
            return;
    }
}
