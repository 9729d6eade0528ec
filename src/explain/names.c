// Names in an expression: those of CUDA, of --let, and of shared memory.
#include <string.h>

#include "explain/internal.h"

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

static const struct {
    const char *name;
    unsigned arguments;
} functions[] = {[EXPLAIN_MIN] = {"min", 2},
                 [EXPLAIN_MAX] = {"max", 2},
                 [EXPLAIN_ABS] = {"abs", 1},
                 [EXPLAIN_POPC] = {"__popc", 1},
                 [EXPLAIN_BREV] = {"__brev", 1}};

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
    struct explain_node *node = explain_make(parser, EXPLAIN_BUILTIN, range.begin, range.end);
    node->number = number;
    return explain_finish(parser, node, range);
}

static const struct explain_node *parse_call(struct explain_parser *parser, size_t function,
                                             unsigned arguments, struct source_range range) {
    struct explain_node *node = explain_make(parser, EXPLAIN_CALL, range.begin, range.end);
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
    return explain_finish(parser, node, range);
}

// ---- What the user defined ----------------------------------------------------------------

// The index of the let that this name means, the latest; SIZE_MAX: it is none.
static size_t find_let(const struct explain_parser *parser) {
    for (size_t i = parser->visible_lets; i-- > 0;)
        if (explain_token_is(parser, parser->explain->lets.data[i].name))
            return i;
    return SIZE_MAX;
}

static size_t find_variable(const struct explain_parser *parser) {
    for (size_t i = 0; i < parser->explain->variables.length; i++)
        if (explain_token_is(parser, parser->explain->variables.data[i].name))
            return i;
    return SIZE_MAX;
}

static size_t find_parameter(const struct explain_parser *parser) {
    const struct explain_let_row *function = parser->function;
    for (size_t i = 0; function && i < function->parameter_count; i++)
        if (explain_token_is(parser, function->parameters[i]))
            return i;
    return SIZE_MAX;
}

static bool is_itself(const struct explain_parser *parser) {
    return parser->function && explain_token_is(parser, parser->function->name);
}

bool explain_is_users_name(const struct explain_parser *parser) {
    return find_let(parser) != SIZE_MAX || find_variable(parser) != SIZE_MAX ||
           find_parameter(parser) != SIZE_MAX || is_itself(parser);
}

static bool is_punct(const struct explain_parser *parser, int punct) {
    return parser->token.kind == EXPLAIN_TOKEN_PUNCT && parser->token.punct == punct;
}

// The name itself, like a number; one that can be called or indexed has a case of its own.
static const struct explain_node *parse_plain(struct explain_parser *parser, enum explain_op op,
                                              size_t number) {
    struct source_range range = parser->token.range;
    struct explain_node *node = explain_make(parser, op, range.begin, range.end);
    const char *name = explain_token_text(parser);
    node->number = number;
    explain_advance(parser);
    if (is_punct(parser, '('))
        return explain_fail(parser, range,
                            "'%s' is no function; one is defined like --let '%s(i)=i'", name, name);
    return explain_finish(parser, node, range);
}

static const struct explain_node *parse_value_of(struct explain_parser *parser, size_t let) {
    const char *name = parser->explain->lets.data[let].name;
    struct source_range range = parser->token.range;
    struct explain_node *node = explain_make(parser, EXPLAIN_VALUE_OF, range.begin, range.end);
    explain_advance(parser);
    if (!explain_accept(parser, '['))
        return explain_fail(parser, range, "'%s' is an array of values; index it, like %s[0]", name,
                            name);
    node->number = let;
    parser->indices++;
    node->a = explain_parse_expression(parser);
    parser->indices--;
    node->range.end = parser->token.range.end;
    if (!explain_expect(parser, ']', "']'") || !node->a)
        return NULL;
    return explain_finish(parser, node, node->a->range);
}

// "3 arguments", as a caller writes them.
static void *fail_arity(struct explain_parser *parser, struct source_range range,
                        const struct explain_let_row *row) {
    return explain_fail(parser, range, "'%s' takes %zu argument%s", row->name, row->parameter_count,
                        row->parameter_count == 1 ? "" : "s");
}

static const struct explain_node *parse_apply(struct explain_parser *parser, size_t let) {
    const struct explain_let_row row = parser->explain->lets.data[let];
    struct source_range range = parser->token.range;
    struct explain_node *node = explain_make(parser, EXPLAIN_APPLY, range.begin, range.end);
    node->number = let;
    node->arguments =
        ARENA_ARRAY(parser->explain->arena, const struct explain_node *, row.parameter_count + 1);
    explain_advance(parser);
    if (!explain_accept(parser, '('))
        return explain_fail(parser, range, "'%s' is a function; call it, like %s(%s)", row.name,
                            row.name, row.parameter_count ? row.parameters[0] : "");
    unsigned indices = parser->indices;
    for (bool goes_on = !is_punct(parser, ')'); goes_on; goes_on = explain_accept(parser, ',')) {
        const struct explain_node *argument = explain_parse_expression(parser);
        if (!argument)
            return NULL;
        if (node->argument_count == row.parameter_count)
            return fail_arity(parser, argument->range, &row);
        node->arguments[node->argument_count++] = argument;
    }
    parser->indices = indices;
    node->range.end = parser->token.range.end;
    if (!explain_expect(parser, ')', "')'"))
        return NULL;
    if (node->argument_count < row.parameter_count)
        return fail_arity(parser, node->range, &row);
    if (!explain_define(parser->explain, let, parser->depth, parser->diags)) {
        parser->has_failed = true;
        return NULL;
    }
    return explain_finish(parser, node, range);
}

static const struct explain_node *parse_users_name(struct explain_parser *parser) {
    size_t parameter = find_parameter(parser), let = find_let(parser);
    if (parameter != SIZE_MAX)
        return parse_plain(parser, EXPLAIN_PARAMETER, parameter);
    if (is_itself(parser))
        return explain_fail(parser, parser->token.range,
                            "'%s' calls itself; a function has only what was defined before it",
                            parser->function->name);
    if (let == SIZE_MAX)
        return parse_plain(parser, EXPLAIN_VARIABLE, find_variable(parser));
    switch (parser->explain->lets.data[let].kind) {
    case EXPLAIN_LET_VALUES:
        return parse_value_of(parser, let);
    case EXPLAIN_LET_FUNCTION:
        return parse_apply(parser, let);
    case EXPLAIN_LET_NUMBER:
        break;
    }
    return parse_plain(parser, EXPLAIN_LET, let);
}

// -------------------------------------------------------------------------------------------

const struct explain_node *explain_parse_name(struct explain_parser *parser) {
    struct source_range range = parser->token.range;
    if (explain_is_users_name(parser))
        return parse_users_name(parser);
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (explain_token_is(parser, builtins[i].name))
            return parse_builtin(parser, i);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (explain_token_is(parser, functions[i].name)) {
            explain_advance(parser);
            return parse_call(parser, i, functions[i].arguments, range);
        }
    return explain_unknown_name(parser, range);
}

const char *explain_cuda_name(size_t row, bool is_function) {
    if (is_function)
        return row < sizeof functions / sizeof *functions ? functions[row].name : NULL;
    return row < sizeof builtins / sizeof *builtins ? builtins[row].name : NULL;
}
