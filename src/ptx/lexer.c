#ifndef _GNU_SOURCE
#define _GNU_SOURCE // strtod_l
#endif
#include "ptx/lexer.h"

#include <assert.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

void ptx_lexer_init(struct ptx_lexer *lexer, const struct source *source, struct diag_list *diags) {
    *lexer = (struct ptx_lexer){.source = source, .diags = diags, .end = (uint32_t)source->length};
    while (lexer->end > 0 && source->text[lexer->end - 1] == '\0')
        lexer->end--;
}

static char peek(const struct ptx_lexer *lexer, uint32_t ahead) {
    return lexer->end - lexer->at > ahead ? lexer->source->text[lexer->at + ahead] : '\0';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static void report(struct ptx_lexer *lexer, uint32_t begin, uint32_t end, const char *message) {
    diag_add(lexer->diags, DIAG_ERROR, lexer->source, (struct source_range){begin, end}, "%s",
             message);
}

static void skip_line(struct ptx_lexer *lexer) {
    const char *text = lexer->source->text;
    const char *newline = memchr(text + lexer->at, '\n', lexer->end - lexer->at);
    lexer->at = newline ? (uint32_t)(newline - text) : lexer->end;
}

static void skip_comment(struct ptx_lexer *lexer) {
    const char *text = lexer->source->text;
    uint32_t begin = lexer->at;
    lexer->at += 2;
    while (lexer->at < lexer->end) {
        const char *star = memchr(text + lexer->at, '*', lexer->end - lexer->at);
        if (!star)
            break;
        lexer->at = (uint32_t)(star - text) + 1;
        if (peek(lexer, 0) == '/') {
            lexer->at++;
            return;
        }
    }
    lexer->at = lexer->end;
    lexer->is_cut_off = true;
    report(lexer, begin, begin + 2, "this comment never ends: '*/' is missing");
}

// `# 12 "file.cu"` is what a C preprocessor leaves behind; other directives need one.
static void skip_hash_line(struct ptx_lexer *lexer) {
    uint32_t begin = lexer->at++;
    while (peek(lexer, 0) == ' ' || peek(lexer, 0) == '\t')
        lexer->at++;
    bool is_marker =
        is_digit(peek(lexer, 0)) ||
        (lexer->end - lexer->at >= 4 && memcmp(lexer->source->text + lexer->at, "line", 4) == 0);
    skip_line(lexer);
    if (!is_marker)
        report(lexer, begin, lexer->at, "run the C preprocessor first: bankrun reads plain PTX");
}

static void skip_blanks(struct ptx_lexer *lexer) {
    for (;;) {
        char c = peek(lexer, 0);
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v')
            lexer->at++;
        else if (c == '/' && peek(lexer, 1) == '/')
            skip_line(lexer);
        else if (c == '/' && peek(lexer, 1) == '*')
            skip_comment(lexer);
        else if (c == '#')
            skip_hash_line(lexer);
        else
            return;
    }
}

static int digit_value(char c) {
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

// Whatever is glued to a number belongs to it: `12ab` is one bad number, not two tokens.
static void finish_number(struct ptx_lexer *lexer, struct ptx_token *token, const char *error) {
    uint32_t good_end = lexer->at;
    while (ptx_is_name_byte(peek(lexer, 0)))
        lexer->at++;
    if (lexer->at != good_end && !error)
        error = "malformed number";
    token->range.end = lexer->at;
    if (error) {
        token->kind = PTX_TOKEN_BAD;
        report(lexer, token->range.begin, token->range.end, error);
    }
}

static void read_integer(struct ptx_lexer *lexer, struct ptx_token *token, int base) {
    const char *error = digit_value(peek(lexer, 0)) < base ? NULL : "malformed number";
    uint64_t value = 0;
    token->kind = PTX_TOKEN_INTEGER;
    for (int digit; (digit = digit_value(peek(lexer, 0))) < base; lexer->at++)
        if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit, &value))
            error = "this number does not fit 64 bits";
    if (peek(lexer, 0) == 'U' || peek(lexer, 0) == 'u') {
        token->is_unsigned = true;
        lexer->at++;
    }
    if (value > INT64_MAX)
        token->is_unsigned = true;
    token->value = value;
    finish_number(lexer, token, error);
}

static void read_float_bits(struct ptx_lexer *lexer, struct ptx_token *token, unsigned digits) {
    unsigned count = 0;
    token->kind = digits == 8 ? PTX_TOKEN_SINGLE : PTX_TOKEN_DOUBLE;
    for (int digit; (digit = digit_value(peek(lexer, 0))) < 16; lexer->at++, count++)
        token->value = token->value << 4 | (uint64_t)digit;
    finish_number(lexer, token,
                  count == digits ? NULL
                  : digits == 8   ? "a 0f constant has 8 hexadecimal digits"
                                  : "a 0d constant has 16 hexadecimal digits");
}

// The length of a decimal floating-point constant, 0 when the digits are an integer.
static uint32_t decimal_float_length(const struct ptx_lexer *lexer) {
    uint32_t length = 0, fraction = 0;
    while (is_digit(peek(lexer, length)))
        length++;
    bool is_float = false;
    if (peek(lexer, length) == '.' && !(peek(lexer, length + 1) == '.')) {
        is_float = true;
        for (fraction = length + 1; is_digit(peek(lexer, fraction)); fraction++) {
        }
        length = fraction;
    }
    if (peek(lexer, length) == 'e' || peek(lexer, length) == 'E') {
        uint32_t exponent = length + 1;
        if (peek(lexer, exponent) == '+' || peek(lexer, exponent) == '-')
            exponent++;
        if (is_digit(peek(lexer, exponent))) {
            is_float = true;
            for (length = exponent; is_digit(peek(lexer, length)); length++) {
            }
        }
    }
    return is_float ? length : 0;
}

static void read_decimal_float(struct ptx_lexer *lexer, struct ptx_token *token, uint32_t length) {
    enum { LONGEST = 400 }; // more digits than any double needs to be told apart
    char text[LONGEST + 1];
    const char *error = length > LONGEST ? "this number is too long" : NULL;
    size_t copied = length > LONGEST ? LONGEST : length;
    memcpy(text, lexer->source->text + lexer->at, copied);
    text[copied] = '\0';
    // The host program may have set a locale whose decimal point is a comma.
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double value = c_locale ? strtod_l(text, NULL, c_locale) : strtod(text, NULL);
    if (c_locale)
        freelocale(c_locale);
    token->kind = PTX_TOKEN_DOUBLE;
    memcpy(&token->value, &value, sizeof value);
    lexer->at += length;
    finish_number(lexer, token, error);
}

static void read_number(struct ptx_lexer *lexer, struct ptx_token *token) {
    char second = peek(lexer, 1);
    if (peek(lexer, 0) == '0' && strchr("xXfFdDbB", second) && second) {
        lexer->at += 2;
        if (second == 'x' || second == 'X')
            read_integer(lexer, token, 16);
        else if (second == 'b' || second == 'B')
            read_integer(lexer, token, 2);
        else
            read_float_bits(lexer, token, second == 'f' || second == 'F' ? 8 : 16);
        return;
    }
    uint32_t length = decimal_float_length(lexer);
    if (length)
        read_decimal_float(lexer, token, length);
    else
        read_integer(lexer, token, peek(lexer, 0) == '0' && is_digit(second) ? 8 : 10);
}

static void read_string(struct ptx_lexer *lexer, struct ptx_token *token) {
    token->kind = PTX_TOKEN_STRING;
    lexer->at++;
    while (lexer->at < lexer->end && peek(lexer, 0) != '"' && peek(lexer, 0) != '\n') {
        const bool is_escaped = peek(lexer, 0) == '\\' && lexer->at + 1 < lexer->end &&
                                (peek(lexer, 1) == '"' || peek(lexer, 1) == '\\');
        lexer->at += 1 + is_escaped;
    }
    if (peek(lexer, 0) == '"') {
        token->range.end = ++lexer->at;
        return;
    }
    token->kind = PTX_TOKEN_BAD;
    token->range.end = lexer->at;
    report(lexer, token->range.begin, token->range.end, "this string never ends: '\"' is missing");
}

uint32_t ptx_lexer_modifiers(struct ptx_lexer *lexer) {
    const char *text = lexer->source->text;
    uint32_t at = lexer->at, end = lexer->end;
    while (at + 1 < end && text[at] == '.' && ptx_is_name_byte(text[at + 1])) {
        at++;
        while (at < end && (ptx_is_name_byte(text[at]) ||
                            (text[at] == ':' && at + 2 < end && text[at + 1] == ':' &&
                             ptx_is_name_byte(text[at + 2]) && ++at)))
            at++;
    }
    return lexer->at = at;
}

static void read_punct(struct ptx_lexer *lexer, struct ptx_token *token) {
    char first = peek(lexer, 0), second = peek(lexer, 1);
    token->kind = PTX_TOKEN_PUNCT;
    token->punct = first;
    lexer->at++;
    bool is_double =
        (first == second && strchr("<>&|=", first)) || (second == '=' && strchr("<>!", first));
    if (is_double) {
        token->punct = PTX_PUNCT2(first, second);
        lexer->at++;
    }
    token->range.end = lexer->at;
}

// A run of bytes that no token starts with is one error.
static void read_bad(struct ptx_lexer *lexer, struct ptx_token *token) {
    token->kind = PTX_TOKEN_BAD;
    unsigned char first = (unsigned char)peek(lexer, 0);
    while (lexer->at < lexer->end) {
        unsigned char c = (unsigned char)peek(lexer, 0);
        if ((c > ' ' && c < 0x7f && !strchr("\\`", c)) || c == '\n' || c == ' ' || c == '\t')
            break;
        lexer->at++;
    }
    if (lexer->at == token->range.begin)
        lexer->at++;
    token->range.end = lexer->at;
    diag_add(lexer->diags, DIAG_ERROR, lexer->source, token->range,
             first > ' ' && first < 0x7f ? "unexpected character '%c'" : "unexpected byte 0x%02x",
             first);
}

struct ptx_token ptx_lexer_next(struct ptx_lexer *lexer) {
    skip_blanks(lexer);
    struct ptx_token token = {.range = {lexer->at, lexer->at}};
    if (lexer->at >= lexer->end)
        return token;
    char c = peek(lexer, 0);
    if (is_digit(c)) {
        read_number(lexer, &token);
    } else if (ptx_is_name_byte(c) || (c == '%' && ptx_is_name_byte(peek(lexer, 1)))) {
        token.kind = PTX_TOKEN_NAME;
        do
            lexer->at++;
        while (ptx_is_name_byte(peek(lexer, 0)));
        token.range.end = lexer->at;
    } else if (c == '.' && ptx_is_name_byte(peek(lexer, 1))) {
        token.kind = PTX_TOKEN_DOT;
        do
            lexer->at++;
        while (ptx_is_name_byte(peek(lexer, 0)) ||
               (peek(lexer, 0) == ':' && peek(lexer, 1) == ':' &&
                ptx_is_name_byte(peek(lexer, 2)) && ++lexer->at));
        token.range.end = lexer->at;
    } else if (c == '"') {
        read_string(lexer, &token);
    } else if (c != '\0' && strchr("{}[]()<>,;:+-*/%&|^~!=?@.", c)) {
        read_punct(lexer, &token);
    } else {
        read_bad(lexer, &token);
    }
    assert(token.range.end > token.range.begin && token.range.end == lexer->at);
    return token;
}
