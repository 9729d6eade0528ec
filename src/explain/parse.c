// From text to the tree of an expression.
#include <stdarg.h>
#include <string.h>

#include "explain/internal.h"

// ---- The parser's tools -------------------------------------------------------------------

void explain_parser_init(struct explain_parser *parser, struct explain *explain,
                         const struct source *source, struct diag_list *diags) {
    *parser = (struct explain_parser){
        .explain = explain, .lexer = {.source = source, .diags = diags}, .diags = diags};
    explain_advance(parser);
}

void explain_advance(struct explain_parser *parser) {
    if (parser->has_failed)
        return;
    parser->token = explain_lex(&parser->lexer);
    if (parser->token.kind == EXPLAIN_TOKEN_BAD)
        parser->has_failed = true;
}

void *explain_fail(struct explain_parser *parser, struct source_range range, const char *format,
                   ...) {
    if (parser->has_failed)
        return NULL;
    parser->has_failed = true;
    va_list arguments;
    va_start(arguments, format);
    diag_vadd(parser->diags, DIAG_ERROR, parser->lexer.source, range, format, arguments);
    va_end(arguments);
    return NULL;
}

bool explain_accept(struct explain_parser *parser, int punct) {
    if (parser->has_failed || parser->token.kind != EXPLAIN_TOKEN_PUNCT ||
        parser->token.punct != punct)
        return false;
    explain_advance(parser);
    return true;
}

bool explain_expect(struct explain_parser *parser, int punct, const char *text) {
    if (explain_accept(parser, punct))
        return true;
    explain_fail(parser, parser->token.range, "expected %s", text);
    return false;
}

bool explain_token_is(const struct explain_parser *parser, const char *word) {
    const struct source_range *range = &parser->token.range;
    return parser->token.kind == EXPLAIN_TOKEN_NAME && !parser->has_failed &&
           range->end - range->begin == strlen(word) &&
           memcmp(parser->lexer.source->text + range->begin, word, strlen(word)) == 0;
}

const char *explain_token_text(struct explain_parser *parser) {
    const struct source_range *range = &parser->token.range;
    return arena_strndup(parser->explain->arena, parser->lexer.source->text + range->begin,
                         range->end - range->begin);
}

static const struct explain_node *finish(struct explain_parser *parser, struct explain_node *node,
                                         struct source_range mark) {
    const struct explain_node *below[] = {node->a, node->b, node->c};
    node->mark = mark;
    node->source = parser->lexer.source;
    node->depth = 1;
    for (size_t i = 0; i < 3; i++)
        if (below[i] && below[i]->depth >= node->depth)
            node->depth = below[i]->depth + 1;
    if (node->depth > EXPLAIN_MAX_DEPTH)
        return explain_fail(parser, mark, "the expression is nested more than %d deep",
                            EXPLAIN_MAX_DEPTH);
    return node;
}

static struct explain_node *make(struct explain_parser *parser, enum explain_op op, uint32_t begin,
                                 uint32_t end) {
    struct explain_node *node = ARENA_NEW(parser->explain->arena, struct explain_node);
    node->op = op;
    node->range = (struct source_range){begin, end};
    return node;
}

static bool enter(struct explain_parser *parser) {
    if (parser->depth >= EXPLAIN_MAX_DEPTH)
        explain_fail(parser, parser->token.range, "the expression is nested more than %d deep",
                     EXPLAIN_MAX_DEPTH);
    else if (!parser->has_failed)
        parser->depth++;
    return !parser->has_failed;
}

// ---- Names --------------------------------------------------------------------------------

static const struct {
    const char *name;
    enum explain_builtin first;
    bool has_members;
} builtins[] = {
    {"threadIdx", EXPLAIN_THREAD_IDX, true},
    {"blockIdx", EXPLAIN_BLOCK_IDX, true},
    {"blockDim", EXPLAIN_BLOCK_DIM, true},
    {"gridDim", EXPLAIN_GRID_DIM, true},
    {"tid", EXPLAIN_TID, false},
    {"laneid", EXPLAIN_LANE, false},
    {"warpid", EXPLAIN_WARP, false},
    {"warpSize", EXPLAIN_WARP_SIZE, false},
};

static const struct explain_node *parse_builtin(struct explain_parser *parser, size_t row) {
    struct source_range range = parser->token.range;
    unsigned number = builtins[row].first;
    explain_advance(parser);
    if (builtins[row].has_members) {
        const char *members = "xyz";
        const char *at = NULL;
        if (!explain_accept(parser, '.') ||
            parser->token.range.end - parser->token.range.begin != 1)
            return explain_fail(parser, range, "%s has the members x, y and z", builtins[row].name);
        char letter = parser->lexer.source->text[parser->token.range.begin];
        at = letter ? strchr(members, letter) : NULL;
        if (!at)
            return explain_fail(parser, parser->token.range, "%s has the members x, y and z",
                                builtins[row].name);
        number += (unsigned)(at - members);
        range.end = parser->token.range.end;
        explain_advance(parser);
    }
    struct explain_node *node = make(parser, EXPLAIN_BUILTIN, range.begin, range.end);
    node->number = number;
    return finish(parser, node, range);
}

static const struct explain_node *parse_call(struct explain_parser *parser, size_t function,
                                             unsigned arguments, struct source_range range) {
    struct explain_node *node = make(parser, EXPLAIN_CALL, range.begin, range.end);
    node->number = function;
    explain_expect(parser, '(', "'('");
    node->a = explain_parse_expression(parser);
    if (arguments == 2) {
        explain_expect(parser, ',', "',' and a second argument");
        node->b = explain_parse_expression(parser);
    }
    node->range.end = parser->token.range.end;
    if (!explain_expect(parser, ')', "')'") || parser->has_failed)
        return NULL;
    return finish(parser, node, range);
}

static const struct explain_node *parse_name(struct explain_parser *parser) {
    static const struct {
        const char *name;
        unsigned arguments;
    } functions[] = {[EXPLAIN_MIN] = {"min", 2},
                     [EXPLAIN_MAX] = {"max", 2},
                     [EXPLAIN_ABS] = {"abs", 1},
                     [EXPLAIN_POPC] = {"__popc", 1},
                     [EXPLAIN_BREV] = {"__brev", 1}};
    const struct explain *explain = parser->explain;
    struct source_range range = parser->token.range;
    struct explain_node *node = NULL;
    for (size_t i = explain->lets.length; i-- > 0 && !node;) // the user's names come first
        if (explain_token_is(parser, explain->lets.data[i].name)) {
            node = make(parser, EXPLAIN_LET, range.begin, range.end);
            node->number = i;
        }
    for (size_t i = 0; i < explain->variables.length && !node; i++)
        if (explain_token_is(parser, explain->variables.data[i].name)) {
            node = make(parser, EXPLAIN_VARIABLE, range.begin, range.end);
            node->number = i;
        }
    if (node) {
        explain_advance(parser);
        return finish(parser, node, range);
    }
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (explain_token_is(parser, builtins[i].name))
            return parse_builtin(parser, i);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (explain_token_is(parser, functions[i].name)) {
            explain_advance(parser);
            return parse_call(parser, i, functions[i].arguments, range);
        }
    const char *name = explain_token_text(parser);
    explain_advance(parser);
    bool is_array = parser->token.kind == EXPLAIN_TOKEN_PUNCT && parser->token.punct == '[';
    if (is_array)
        return explain_fail(parser, range,
                            "no array '%s' is declared; declare it like --shared 'float %s[32]'",
                            name, name);
    return explain_fail(parser, range, "nothing is called '%s'; give it a value with --let %s=1",
                        name, name);
}

// ---- Expressions --------------------------------------------------------------------------

static const struct explain_node *parse_primary(struct explain_parser *parser) {
    struct explain_token token = parser->token;
    if (token.kind == EXPLAIN_TOKEN_NUMBER) {
        struct explain_node *node =
            make(parser, EXPLAIN_NUMBER, token.range.begin, token.range.end);
        node->number = token.number;
        node->type = token.type;
        explain_advance(parser);
        return finish(parser, node, token.range);
    }
    if (token.kind == EXPLAIN_TOKEN_NAME)
        return parse_name(parser);
    if (explain_accept(parser, '(')) {
        const struct explain_node *inner = explain_parse_expression(parser);
        if (!explain_expect(parser, ')', "')'") || !inner)
            return NULL;
        return inner;
    }
    if (token.kind == EXPLAIN_TOKEN_END)
        return explain_fail(parser, token.range, "the expression ends too early");
    return explain_fail(parser, token.range, "expected a number, a name or '('");
}

static const struct explain_node *parse_member(struct explain_parser *parser,
                                               const struct explain_node *of,
                                               struct source_range mark, bool through_pointer) {
    if (parser->token.kind != EXPLAIN_TOKEN_NAME)
        return explain_fail(parser, parser->token.range, "expected the name of a member");
    if (through_pointer) {
        struct explain_node *deref = make(parser, EXPLAIN_DEREF, of->range.begin, mark.end);
        deref->a = of;
        of = finish(parser, deref, mark);
        if (!of)
            return NULL;
    }
    struct explain_node *node =
        make(parser, EXPLAIN_MEMBER, of->range.begin, parser->token.range.end);
    struct source_range range = parser->token.range;
    node->a = of;
    node->name = explain_token_text(parser);
    explain_advance(parser);
    return finish(parser, node, range);
}

static const struct explain_node *parse_postfix(struct explain_parser *parser) {
    const struct explain_node *node = parse_primary(parser);
    while (node && !parser->has_failed) {
        struct source_range mark = parser->token.range;
        if (explain_accept(parser, '[')) {
            struct explain_node *index = make(parser, EXPLAIN_INDEX, node->range.begin, 0);
            index->a = node;
            index->b = explain_parse_expression(parser);
            index->range.end = mark.end = parser->token.range.end;
            if (!explain_expect(parser, ']', "']'") || !index->b)
                return NULL;
            node = finish(parser, index, mark);
        } else if (explain_accept(parser, '.')) {
            node = parse_member(parser, node, mark, false);
        } else if (explain_accept(parser, EXPLAIN_PUNCT2('-', '>'))) {
            node = parse_member(parser, node, mark, true);
        } else if (explain_accept(parser, EXPLAIN_PUNCT2('+', '+')) ||
                   explain_accept(parser, EXPLAIN_PUNCT2('-', '-'))) {
            return explain_fail(parser, mark, "an index expression changes nothing");
        } else {
            break;
        }
    }
    return parser->has_failed ? NULL : node;
}

// Is this '(' the start of a cast, or of sizeof's type?
static bool type_follows(const struct explain_parser *parser) {
    if (parser->has_failed || parser->token.kind != EXPLAIN_TOKEN_PUNCT ||
        parser->token.punct != '(')
        return false;
    struct diag_list none = {0};
    struct explain_parser ahead = *parser;
    ahead.diags = ahead.lexer.diags = &none;
    explain_advance(&ahead);
    bool is_type = explain_starts_type(&ahead);
    diag_free(&none);
    return is_type;
}

static const struct explain_node *parse_unary(struct explain_parser *parser);

static const struct explain_node *parse_sizeof(struct explain_parser *parser) {
    struct source_range range = parser->token.range;
    struct explain_node *node = make(parser, EXPLAIN_SIZEOF, range.begin, range.end);
    explain_advance(parser);
    if (type_follows(parser)) {
        explain_advance(parser);
        node->type = explain_parse_type(parser);
        node->range.end = parser->token.range.end;
        if (!explain_expect(parser, ')', "')'") || !node->type)
            return NULL;
    } else {
        node->a = parse_unary(parser);
        if (!node->a)
            return NULL;
        node->range.end = node->a->range.end;
    }
    return finish(parser, node, range);
}

static const struct explain_node *parse_prefix(struct explain_parser *parser) {
    struct source_range range = parser->token.range;
    enum explain_op op;
    int punct = parser->token.kind == EXPLAIN_TOKEN_PUNCT ? parser->token.punct : 0;
    if (punct == '*')
        op = EXPLAIN_DEREF;
    else if (punct == '&')
        op = EXPLAIN_ADDRESS;
    else if (punct == '-' || punct == '+' || punct == '!' || punct == '~')
        op = EXPLAIN_UNARY;
    else if (punct == EXPLAIN_PUNCT2('+', '+') || punct == EXPLAIN_PUNCT2('-', '-'))
        return explain_fail(parser, range, "an index expression changes nothing");
    else if (explain_token_is(parser, "sizeof"))
        return parse_sizeof(parser);
    else
        return parse_postfix(parser);
    explain_advance(parser);
    struct explain_node *node = make(parser, op, range.begin, range.end);
    node->number = (uint64_t)punct;
    node->a = parse_unary(parser);
    if (!node->a)
        return NULL;
    node->range.end = node->a->range.end;
    return finish(parser, node, range);
}

static const struct explain_node *parse_cast(struct explain_parser *parser,
                                             struct source_range open) {
    struct explain_node *node = make(parser, EXPLAIN_CAST, open.begin, open.end);
    node->type = explain_parse_type(parser);
    struct source_range range = {open.begin, parser->token.range.end};
    if (!explain_expect(parser, ')', "')'") || !node->type)
        return NULL;
    node->a = parse_unary(parser);
    if (!node->a)
        return NULL;
    node->range.end = node->a->range.end;
    return finish(parser, node, range);
}

// reinterpret_cast<T>(x), static_cast<T>(x)
static const struct explain_node *parse_named_cast(struct explain_parser *parser) {
    struct source_range range = parser->token.range;
    struct explain_node *node = make(parser, EXPLAIN_CAST, range.begin, range.end);
    explain_advance(parser);
    if (!explain_expect(parser, '<', "'<'"))
        return NULL;
    node->type = explain_parse_type(parser);
    if (!explain_expect(parser, '>', "'>'") || !explain_expect(parser, '(', "'('"))
        return NULL;
    node->a = explain_parse_expression(parser);
    node->range.end = parser->token.range.end;
    if (!explain_expect(parser, ')', "')'") || !node->a || !node->type)
        return NULL;
    return finish(parser, node, range);
}

static const struct explain_node *parse_unary(struct explain_parser *parser) {
    if (!enter(parser))
        return NULL;
    const struct explain_node *node;
    struct source_range open = parser->token.range;
    if (type_follows(parser)) {
        explain_advance(parser);
        node = parse_cast(parser, open);
    } else if (explain_token_is(parser, "reinterpret_cast") ||
               explain_token_is(parser, "static_cast")) {
        node = parse_named_cast(parser);
    } else {
        node = parse_prefix(parser);
    }
    parser->depth--;
    return parser->has_failed ? NULL : node;
}

// How strongly an mark binds; 0: it is none.
static int binding(const struct explain_token *token) {
    static const struct {
        int punct, binding;
    } table[] = {
        {'*', 10},
        {'/', 10},
        {'%', 10},
        {'+', 9},
        {'-', 9},
        {EXPLAIN_PUNCT2('<', '<'), 8},
        {EXPLAIN_PUNCT2('>', '>'), 8},
        {'<', 7},
        {'>', 7},
        {EXPLAIN_PUNCT2('<', '='), 7},
        {EXPLAIN_PUNCT2('>', '='), 7},
        {EXPLAIN_PUNCT2('=', '='), 6},
        {EXPLAIN_PUNCT2('!', '='), 6},
        {'&', 5},
        {'^', 4},
        {'|', 3},
        {EXPLAIN_PUNCT2('&', '&'), 2},
        {EXPLAIN_PUNCT2('|', '|'), 1},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (token->kind == EXPLAIN_TOKEN_PUNCT && token->punct == table[i].punct)
            return table[i].binding;
    return 0;
}

static const struct explain_node *parse_binary(struct explain_parser *parser, int least) {
    const struct explain_node *left = parse_unary(parser);
    for (int bound; left && (bound = binding(&parser->token)) >= least && bound;) {
        struct source_range mark = parser->token.range;
        struct explain_node *node = make(parser, EXPLAIN_BINARY, left->range.begin, 0);
        node->number = (uint64_t)parser->token.punct;
        explain_advance(parser);
        node->a = left;
        node->b = parse_binary(parser, bound + 1);
        if (!node->b)
            return NULL;
        node->range.end = node->b->range.end;
        left = finish(parser, node, mark);
    }
    return parser->has_failed ? NULL : left;
}

const struct explain_node *explain_parse_expression(struct explain_parser *parser) {
    if (!enter(parser))
        return NULL;
    const struct explain_node *node = parse_binary(parser, 1);
    struct source_range mark = parser->token.range;
    if (node && explain_accept(parser, '?')) {
        struct explain_node *choice = make(parser, EXPLAIN_CHOICE, node->range.begin, 0);
        choice->a = node;
        choice->b = explain_parse_expression(parser);
        if (explain_expect(parser, ':', "':'"))
            choice->c = explain_parse_expression(parser);
        if (choice->c)
            choice->range.end = choice->c->range.end;
        node = choice->b && choice->c ? finish(parser, choice, mark) : NULL;
    }
    parser->depth--;
    return parser->has_failed ? NULL : node;
}

const struct explain_node *explain_parse_whole(struct explain *explain, const struct source *source,
                                               struct diag_list *diags) {
    struct explain_parser parser;
    explain_parser_init(&parser, explain, source, diags);
    const struct explain_node *node = explain_parse_expression(&parser);
    explain_accept(&parser, ';'); // as it was copied
    int punct = parser.token.kind == EXPLAIN_TOKEN_PUNCT ? parser.token.punct : 0;
    if (node && (punct == '=' || (punct > 255 && (punct & 255) == '=')))
        return explain_fail(&parser, parser.token.range,
                            "write only the access; --store makes it a store");
    if (node && parser.token.kind != EXPLAIN_TOKEN_END)
        return explain_fail(&parser, parser.token.range, "here the expression should end");
    return parser.has_failed ? NULL : node;
}
