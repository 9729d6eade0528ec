// Tokens of index expressions and declarations.
#include <string.h>

#include "explain/internal.h"

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static char peek(const struct explain_lexer *lexer, uint32_t ahead) {
    size_t at = (size_t)lexer->at + ahead;
    return at < lexer->source->length ? lexer->source->text[at] : '\0';
}

static void skip_blanks(struct explain_lexer *lexer) {
    while (lexer->at < lexer->source->length && strchr(" \t\r\n", peek(lexer, 0)) && peek(lexer, 0))
        lexer->at++;
}

static struct explain_token bad(struct explain_lexer *lexer, uint32_t begin, const char *message) {
    struct explain_token token = {.kind = EXPLAIN_TOKEN_BAD, .range = {begin, lexer->at}};
    diag_add(lexer->diags, DIAG_ERROR, lexer->source, token.range, "%s", message);
    return token;
}

static int digit_value(char c) {
    if (is_digit(c))
        return c - '0';
    c = (char)(c | 32);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

// C's rule: the first of int, unsigned (not for decimals), long long, unsigned long long that fits.
static const struct explain_type *number_type(uint64_t value, bool is_decimal, bool is_unsigned,
                                              bool is_long) {
    if (!is_long && !is_unsigned && value <= INT32_MAX)
        return &explain_int;
    if (!is_long && (is_unsigned || !is_decimal) && value <= UINT32_MAX)
        return &explain_unsigned;
    if (!is_unsigned && value <= INT64_MAX)
        return &explain_long;
    return &explain_ulong;
}

static struct explain_token lex_number(struct explain_lexer *lexer) {
    uint32_t begin = lexer->at;
    int base = 10;
    if (peek(lexer, 0) == '0') {
        char letter = (char)(peek(lexer, 1) | 32);
        base = letter == 'x' ? 16 : letter == 'b' ? 2 : 8;
        lexer->at += base == 8 ? 0 : 2;
    }
    uint64_t value = 0;
    bool is_too_large = false, has_digits = false, is_wrong = false;
    for (; digit_value(peek(lexer, 0)) < 16 || peek(lexer, 0) == '\''; lexer->at++) {
        int digit = digit_value(peek(lexer, 0));
        if (peek(lexer, 0) == '\'')
            continue;
        if (base != 16 && digit > 9)
            break;
        is_wrong |= digit >= base;
        has_digits = true;
        is_too_large |= __builtin_mul_overflow(value, (uint64_t)base, &value) ||
                        __builtin_add_overflow(value, (uint64_t)digit, &value);
    }
    bool is_sweep = peek(lexer, 0) == '.' && peek(lexer, 1) == '.';
    if (base != 16 && !is_sweep &&
        (peek(lexer, 0) == '.' || (peek(lexer, 0) | 32) == 'e' || (peek(lexer, 0) | 32) == 'f')) {
        while (is_digit(peek(lexer, 0)) || is_name_start(peek(lexer, 0)) || peek(lexer, 0) == '.')
            lexer->at++;
        return bad(lexer, begin, "a floating-point number is no part of an index");
    }
    unsigned unsigneds = 0, longs = 0;
    for (;; lexer->at++) {
        if ((peek(lexer, 0) | 32) == 'u')
            unsigneds++;
        else if ((peek(lexer, 0) | 32) == 'l')
            longs++;
        else
            break;
    }
    if (is_name_start(peek(lexer, 0)) || is_digit(peek(lexer, 0)) || unsigneds > 1 || longs > 2 ||
        !has_digits || is_wrong) {
        while (is_name_start(peek(lexer, 0)) || is_digit(peek(lexer, 0)))
            lexer->at++;
        return bad(lexer, begin, "this is no number");
    }
    if (is_too_large)
        return bad(lexer, begin, "this number does not fit in 64 bits");
    const struct explain_type *type = number_type(value, base == 10, unsigneds, longs);
    return (struct explain_token){
        .kind = EXPLAIN_TOKEN_NUMBER, .range = {begin, lexer->at}, .number = value, .type = type};
}

// 'A', '\n': an int in C++ too, once it is computed with.
static struct explain_token lex_character(struct explain_lexer *lexer) {
    static const char escapes[] = "n\nt\tr\r0\0\\\\''";
    uint32_t begin = lexer->at++;
    char c = peek(lexer, 0);
    if (c == '\\') {
        lexer->at++;
        const char *at = NULL;
        for (size_t i = 0; i + 1 < sizeof escapes && !at; i += 2)
            if (escapes[i] == peek(lexer, 0))
                at = &escapes[i];
        c = at ? at[1] : '\0';
        if (!at)
            return bad(lexer, begin, "bankrun knows no such escape");
    }
    lexer->at += lexer->at < lexer->source->length;
    if (peek(lexer, 0) != '\'')
        return bad(lexer, begin, "a character in quotes does not end");
    lexer->at++;
    return (struct explain_token){.kind = EXPLAIN_TOKEN_NUMBER,
                                  .range = {begin, lexer->at},
                                  .number = (uint64_t)(int64_t)(signed char)c,
                                  .type = &explain_int};
}

static bool is_pair(char first, char second) {
    static const char pairs[][3] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "->", "++",
                                    "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", ".."};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i][0] == first && pairs[i][1] == second)
            return true;
    return false;
}

struct explain_token explain_lex(struct explain_lexer *lexer) {
    skip_blanks(lexer);
    uint32_t begin = lexer->at;
    char c = peek(lexer, 0);
    if (lexer->at >= lexer->source->length)
        return (struct explain_token){.kind = EXPLAIN_TOKEN_END, .range = {begin, begin}};
    if (is_digit(c))
        return lex_number(lexer);
    if (c == '\'')
        return lex_character(lexer);
    if (is_name_start(c)) {
        while (is_name_start(peek(lexer, 0)) || is_digit(peek(lexer, 0)))
            lexer->at++;
        return (struct explain_token){.kind = EXPLAIN_TOKEN_NAME, .range = {begin, lexer->at}};
    }
    lexer->at++;
    if (c == '\0' || !strchr("+-*/%<>=!&|^~?:()[]{}.,;", c)) {
        while (((unsigned char)peek(lexer, 0) & 0xc0) == 0x80) // the rest of a UTF-8 character
            lexer->at++;
        return bad(lexer, begin, "no expression has this character");
    }
    int punct = (unsigned char)c;
    if (is_pair(c, peek(lexer, 0)))
        punct = EXPLAIN_PUNCT2(punct, (unsigned char)lexer->source->text[lexer->at++]);
    return (struct explain_token){
        .kind = EXPLAIN_TOKEN_PUNCT, .punct = punct, .range = {begin, lexer->at}};
}
