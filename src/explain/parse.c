// From text to the tree of an expression.
#include <stdarg.h>
#include <string.h>

#include "explain/internal.h"

// ---- The parser's tools -------------------------------------------------------------------

void explain_parser_init(struct explain_parser *parser, struct explain *explain,
                         const struct source *source, struct diag_list *diags) {
    *parser = (struct explain_parser){
        .explain = explain, .lexer = {.source = source, .diags = diags}, .diags = diags};
    parser->visible_lets = explain->lets.length;
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

static void add_below(struct explain_node *node, const struct explain_node *below) {
    if (!below)
        return;
    if (below->depth >= node->depth)
        node->depth = below->depth + 1;
    if (node->work <= EXPLAIN_MAX_WORK)
        node->work += below->work;
    node->is_per_thread |= below->is_per_thread;
}

const struct explain_node *explain_finish(struct explain_parser *parser, struct explain_node *node,
                                          struct source_range mark) {
    const struct explain_let_row *lets = parser->explain->lets.data;
    node->mark = mark;
    node->source = parser->lexer.source;
    node->depth = node->work = 1;
    add_below(node, node->a);
    add_below(node, node->b);
    add_below(node, node->c);
    for (size_t i = 0; i < node->argument_count; i++)
        add_below(node, node->arguments[i]);
    if (node->op == EXPLAIN_APPLY)
        add_below(node, lets[node->number].value);
    if (node->op == EXPLAIN_LET) // its value is there when it is read
        node->is_per_thread = lets[node->number].value->is_per_thread;
    if (node->op == EXPLAIN_BUILTIN)
        node->is_per_thread = node->number < EXPLAIN_BLOCK_IDX || node->number == EXPLAIN_TID ||
                              node->number == EXPLAIN_LANE || node->number == EXPLAIN_WARP;
    if (node->depth > EXPLAIN_MAX_DEPTH)
        return explain_fail(parser, mark, "the expression is nested more than %d deep",
                            EXPLAIN_MAX_DEPTH);
    if (node->work > EXPLAIN_MAX_WORK)
        return explain_fail(parser, mark, "with all that it calls this takes more than %d steps",
                            EXPLAIN_MAX_WORK);
    return node;
}

struct explain_node *explain_make(struct explain_parser *parser, enum explain_op op, uint32_t begin,
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

// ---- Expressions --------------------------------------------------------------------------

static const struct explain_node *parse_primary(struct explain_parser *parser) {
    struct explain_token token = parser->token;
    if (token.kind == EXPLAIN_TOKEN_NUMBER) {
        struct explain_node *node =
            explain_make(parser, EXPLAIN_NUMBER, token.range.begin, token.range.end);
        node->number = token.number;
        node->type = token.type;
        explain_advance(parser);
        return explain_finish(parser, node, token.range);
    }
    if (explain_starts_cast(parser))
        return explain_parse_named_cast(parser);
    if (token.kind == EXPLAIN_TOKEN_NAME)
        return explain_parse_name(parser);
    if (explain_accept(parser, '(')) {
        const struct explain_node *inner = explain_parse_expression(parser);
        return explain_expect(parser, ')', "')'") ? inner : NULL;
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
        struct explain_node *deref = explain_make(parser, EXPLAIN_DEREF, of->range.begin, mark.end);
        deref->a = of;
        of = explain_finish(parser, deref, mark);
        if (!of)
            return NULL;
    }
    struct explain_node *node =
        explain_make(parser, EXPLAIN_MEMBER, of->range.begin, parser->token.range.end);
    struct source_range range = parser->token.range;
    node->a = of;
    node->name = explain_token_text(parser);
    explain_advance(parser);
    return explain_finish(parser, node, range);
}

static const struct explain_node *parse_postfix(struct explain_parser *parser) {
    const struct explain_node *node = parse_primary(parser);
    while (node && !parser->has_failed) {
        struct source_range mark = parser->token.range;
        if (explain_accept(parser, '[')) {
            struct explain_node *index = explain_make(parser, EXPLAIN_INDEX, node->range.begin, 0);
            index->a = node;
            parser->indices++;
            index->b = explain_parse_expression(parser);
            parser->indices--;
            index->range.end = mark.end = parser->token.range.end;
            if (!explain_expect(parser, ']', "']'") || !index->b)
                return NULL;
            node = explain_finish(parser, index, mark);
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

static const struct explain_node *parse_sizeof(struct explain_parser *parser) {
    struct source_range range = parser->token.range;
    struct explain_node *node = explain_make(parser, EXPLAIN_SIZEOF, range.begin, range.end);
    explain_advance(parser);
    if (explain_type_follows(parser)) {
        explain_advance(parser);
        node->type = explain_parse_type_name(parser);
        node->range.end = parser->token.range.end;
        if (!explain_expect(parser, ')', "')'") || !node->type)
            return NULL;
    } else {
        node->a = explain_parse_unary(parser);
        if (!node->a)
            return NULL;
        node->range.end = node->a->range.end;
    }
    return explain_finish(parser, node, range);
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
    struct explain_node *node = explain_make(parser, op, range.begin, range.end);
    node->number = (uint64_t)punct;
    node->a = explain_parse_unary(parser);
    if (!node->a)
        return NULL;
    node->range.end = node->a->range.end;
    return explain_finish(parser, node, range);
}

const struct explain_node *explain_parse_unary(struct explain_parser *parser) {
    if (!enter(parser))
        return NULL;
    const struct explain_node *node =
        explain_type_follows(parser) ? explain_parse_cast(parser) : parse_prefix(parser);
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
    const struct explain_node *left = explain_parse_unary(parser);
    for (int bound; left && (bound = binding(&parser->token)) >= least && bound;) {
        struct source_range mark = parser->token.range;
        struct explain_node *node = explain_make(parser, EXPLAIN_BINARY, left->range.begin, 0);
        node->number = (uint64_t)parser->token.punct;
        explain_advance(parser);
        node->a = left;
        node->b = parse_binary(parser, bound + 1);
        if (!node->b)
            return NULL;
        node->range.end = node->b->range.end;
        left = explain_finish(parser, node, mark);
    }
    return parser->has_failed ? NULL : left;
}

const struct explain_node *explain_parse_expression(struct explain_parser *parser) {
    if (!enter(parser))
        return NULL;
    const struct explain_node *node = parse_binary(parser, 1);
    struct source_range mark = parser->token.range;
    if (node && explain_accept(parser, '?')) {
        struct explain_node *choice = explain_make(parser, EXPLAIN_CHOICE, node->range.begin, 0);
        choice->a = node;
        choice->b = explain_parse_expression(parser);
        if (explain_expect(parser, ':', "':'"))
            choice->c = explain_parse_expression(parser);
        if (choice->c)
            choice->range.end = choice->c->range.end;
        node = choice->b && choice->c ? explain_finish(parser, choice, mark) : NULL;
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
