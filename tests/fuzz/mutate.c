#include "mutate.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "ptx/ptx.h"

enum token_kind { TOKEN_WORD, TOKEN_NUMBER, TOKEN_DOT, TOKEN_PUNCT };

struct token {
    enum token_kind kind;
    size_t begin, end;
};

typedef VEC(struct token) token_list;

struct mutant {
    const char *text;
    size_t length;
    token_list tokens;
    const char *other;
    size_t other_length;
    uint64_t state;
    struct strbuf *out;
};

static uint64_t draw(struct mutant *m, uint64_t below) {
    m->state = m->state * 6364136223846793005u + 1442695040888963407u;
    return below ? (m->state >> 33) % below : 0;
}

// ---- Tokens -------------------------------------------------------------------------------

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

// `::` stands inside of modifiers.
static size_t name_end(const char *text, size_t length, size_t at) {
    while (at < length &&
           (is_name(text[at]) ||
            (text[at] == ':' && at + 2 < length && text[at + 1] == ':' && is_name(text[at + 2])) ||
            (text[at] == ':' && text[at - 1] == ':')))
        at++;
    return at;
}

static size_t comment_end(const char *text, size_t length, size_t at) {
    while (at < length && text[at] != '\n')
        at++;
    return at;
}

static token_list scan(const char *text, size_t length) {
    token_list tokens = {0};
    for (size_t at = 0; at < length;) {
        struct token token = {TOKEN_PUNCT, at, at + 1};
        if (isspace((unsigned char)text[at])) {
            at++;
            continue;
        }
        if (text[at] == '/' && at + 1 < length && text[at + 1] == '/') {
            at = comment_end(text, length, at);
            continue;
        }
        if (text[at] == '.' && at + 1 < length && is_name(text[at + 1]))
            token = (struct token){TOKEN_DOT, at, name_end(text, length, at + 1)};
        else if (is_name(text[at]))
            token = (struct token){isdigit((unsigned char)text[at]) ? TOKEN_NUMBER : TOKEN_WORD, at,
                                   name_end(text, length, at)};
        vec_push(&tokens, token);
        at = token.end;
    }
    return tokens;
}

static bool is_punct(const struct mutant *m, size_t token, const char *any) {
    return token < m->tokens.length && m->tokens.data[token].kind == TOKEN_PUNCT &&
           strchr(any, m->text[m->tokens.data[token].begin]);
}

// Any token of a kind; the number of tokens: there is none near.
static size_t draw_token(struct mutant *m, enum token_kind kind) {
    enum { TRIES = 64 };
    for (int i = 0; i < TRIES; i++) {
        const size_t at = (size_t)draw(m, m->tokens.length);
        if (m->tokens.data[at].kind == kind)
            return at;
    }
    return m->tokens.length;
}

// The statement that a token is in, its semicolon included.
static struct token statement_at(const struct mutant *m, size_t at) {
    size_t begin = at, end = at;
    while (begin > 0 && !is_punct(m, begin - 1, ";{}"))
        begin--;
    while (end + 1 < m->tokens.length && !is_punct(m, end, ";{}"))
        end++;
    return (struct token){TOKEN_PUNCT, m->tokens.data[begin].begin, m->tokens.data[end].end};
}

// ---- Edits: each writes the whole text anew -----------------------------------------------

static void replace(struct mutant *m, size_t begin, size_t end, const char *with, size_t length) {
    strbuf_append(m->out, m->text, begin);
    strbuf_append(m->out, with, length);
    strbuf_append(m->out, m->text + end, m->length - end);
}

static void replace_token(struct mutant *m, size_t at, const char *with) {
    const struct token *token = &m->tokens.data[at];
    replace(m, token->begin, token->end, with, strlen(with));
}

static const char *const numbers[] = {
    "0",
    "1",
    "2",
    "3",
    "4",
    "7",
    "8",
    "16",
    "31",
    "32",
    "33",
    "63",
    "64",
    "128",
    "255",
    "256",
    "1024",
    "4096",
    "65535",
    "65536",
    "16777216",
    "2147483640",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "0x8000000000000000",
    "9223372036854775807",
    "18446744073709551608",
    "18446744073709551615",
    "0f7FC00000",
    "0d7FF0000000000000",
};

static const char *draw_number(struct mutant *m) {
    return numbers[draw(m, sizeof numbers / sizeof *numbers)];
}

static void change_number(struct mutant *m) {
    const size_t at = draw_token(m, TOKEN_NUMBER);
    if (at < m->tokens.length)
        replace_token(m, at, draw_number(m));
}

// Before a `]`, or behind a name.
static void add_offset(struct mutant *m) {
    const size_t at = draw_token(m, draw(m, 4) ? TOKEN_PUNCT : TOKEN_WORD);
    if (at == m->tokens.length || (m->tokens.data[at].kind == TOKEN_PUNCT && !is_punct(m, at, "]")))
        return;
    const size_t place = is_punct(m, at, "]") ? m->tokens.data[at].begin : m->tokens.data[at].end;
    strbuf_append(m->out, m->text, place);
    strbuf_printf(m->out, "%c%s", draw(m, 2) ? '+' : '-', draw_number(m));
    strbuf_append(m->out, m->text + place, m->length - place);
}

// Another name of the text; mostly one that begins alike, as registers of one family do.
static void change_name(struct mutant *m) {
    const size_t at = draw_token(m, TOKEN_WORD), from = draw_token(m, TOKEN_WORD);
    if (at == m->tokens.length || from == m->tokens.length)
        return;
    const struct token *to = &m->tokens.data[at], *with = &m->tokens.data[from];
    if (draw(m, 8) && strncmp(m->text + to->begin, m->text + with->begin, 2) != 0)
        return;
    replace(m, to->begin, to->end, m->text + with->begin, with->end - with->begin);
}

static void change_modifier(struct mutant *m) {
    const size_t at = draw_token(m, TOKEN_DOT), from = draw_token(m, TOKEN_DOT);
    if (at == m->tokens.length)
        return;
    char word[64] = ".";
    const uint64_t way = draw(m, 4);
    if (way == 0)
        snprintf(word, sizeof word, ".%s",
                 ptx_type_text((enum ptx_type)(1 + draw(m, PTX_TYPE_COUNT - 1))));
    else if (way == 1)
        snprintf(word, sizeof word, ".%s",
                 ptx_modifier_text((enum ptx_modifier)(1 + draw(m, PTX_MOD_COUNT - 1))));
    else if (from < m->tokens.length)
        snprintf(word, sizeof word, "%.*s",
                 (int)(m->tokens.data[from].end - m->tokens.data[from].begin),
                 m->text + m->tokens.data[from].begin);
    const struct token *token = &m->tokens.data[at];
    const bool is_added = draw(m, 8) == 0;
    replace(m, is_added ? token->end : token->begin, token->end, word, strlen(word));
}

static void drop_token(struct mutant *m) {
    const size_t at = draw_token(m, draw(m, 2) ? TOKEN_DOT : TOKEN_PUNCT);
    if (at < m->tokens.length)
        replace_token(m, at, "");
}

// Two names or numbers that stand near each other.
static void swap_operands(struct mutant *m) {
    enum { REACH = 8 };
    const size_t at = draw_token(m, draw(m, 4) ? TOKEN_WORD : TOKEN_NUMBER);
    const size_t by = at + 1 + (size_t)draw(m, REACH);
    if (by >= m->tokens.length || m->tokens.data[by].kind > TOKEN_NUMBER)
        return;
    const struct token *a = &m->tokens.data[at], *b = &m->tokens.data[by];
    strbuf_append(m->out, m->text, a->begin);
    strbuf_append(m->out, m->text + b->begin, b->end - b->begin);
    strbuf_append(m->out, m->text + a->end, b->begin - a->end);
    strbuf_append(m->out, m->text + a->begin, a->end - a->begin);
    strbuf_append(m->out, m->text + b->end, m->length - b->end);
}

static void add_guard(struct mutant *m) {
    const size_t at = (size_t)draw(m, m->tokens.length), p = draw_token(m, TOKEN_WORD);
    const struct token statement = statement_at(m, at);
    if (p == m->tokens.length)
        return;
    const struct token *name = &m->tokens.data[p];
    strbuf_append(m->out, m->text, statement.begin);
    strbuf_printf(m->out, "@%s%.*s ", draw(m, 2) ? "!" : "", (int)(name->end - name->begin),
                  m->text + name->begin);
    strbuf_append(m->out, m->text + statement.begin, m->length - statement.begin);
}

static void drop_statement(struct mutant *m) {
    const struct token statement = statement_at(m, (size_t)draw(m, m->tokens.length));
    replace(m, statement.begin, statement.end, "", 0);
}

// One statement stands in another place, too.
static void repeat_statement(struct mutant *m) {
    const struct token what = statement_at(m, (size_t)draw(m, m->tokens.length));
    const struct token place = statement_at(m, (size_t)draw(m, m->tokens.length));
    replace(m, place.end, place.end, m->text + what.begin, what.end - what.begin);
}

static void take_statement(struct mutant *m) {
    struct mutant other = {.text = m->other, .length = m->other_length, .state = m->state};
    other.tokens = scan(other.text, other.length);
    if (other.tokens.length) {
        const struct token what = statement_at(&other, (size_t)draw(&other, other.tokens.length));
        const struct token place = statement_at(m, (size_t)draw(m, m->tokens.length));
        replace(m, place.end, place.end, other.text + what.begin, what.end - what.begin);
    }
    vec_free(&other.tokens);
}

static void edit(struct mutant *m) {
    static void (*const edits[])(struct mutant *) = {
        change_number, change_number, add_offset,      change_name,      change_name,
        change_name,   swap_operands, change_modifier, change_modifier,  change_modifier,
        drop_token,    add_guard,     drop_statement,  repeat_statement, take_statement,
    };
    enum { EDITS = sizeof edits / sizeof *edits };
    const uint64_t count = EDITS - !m->other_length;
    m->tokens = scan(m->text, m->length);
    if (m->tokens.length)
        edits[draw(m, count)](m);
    if (!m->out->length) // there was nothing to do
        strbuf_append(m->out, m->text, m->length);
    vec_free(&m->tokens);
}

void mutate_ptx(const char *text, size_t length, const char *other, size_t other_length,
                uint64_t seed, struct strbuf *out) {
    enum { MOST_EDITS = 4 };
    struct mutant m = {.text = text,
                       .length = length,
                       .other = other,
                       .other_length = other ? other_length : 0,
                       .state = seed * 0x9e3779b97f4a7c15u + 1};
    const uint64_t edits = 1 + draw(&m, 1 + draw(&m, MOST_EDITS)); // mostly one
    struct strbuf before = {0};
    for (uint64_t i = 0; i < edits; i++) {
        struct strbuf after = {0};
        m.out = &after;
        edit(&m);
        strbuf_free(&before);
        before = after;
        m.text = strbuf_string(&before);
        m.length = before.length;
    }
    strbuf_append(out, m.text, m.length);
    strbuf_free(&before);
}
