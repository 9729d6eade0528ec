// Function bodies: scopes, labels, declarations and directives between the instructions.
#include <stdlib.h>
#include <string.h>

#include "ptx/parser.h"

struct ptx_statement *ptx_add_statement(struct ptx_parser *parser, enum ptx_statement_kind kind,
                                        struct source_range range) {
    struct ptx_statement statement = {.kind = kind, .range = range};
    vec_push(&parser->statements, statement);
    return &parser->statements.data[parser->statements.length - 1];
}

static void add_variable(struct ptx_parser *parser, const struct ptx_variable *variable) {
    struct ptx_variable *kept = ARENA_NEW(parser->arena, struct ptx_variable);
    *kept = *variable;
    ptx_add_statement(parser, PTX_STATEMENT_VARIABLE, variable->range)->variable = kept;
}

// `.branchtargets a, b;` and `.calltargets f, g;`
static bool parse_targets(struct ptx_parser *parser, enum ptx_statement_kind kind,
                          const char *label, struct source_range range) {
    VEC(struct ptx_operand) targets = {0};
    bool ok = true;
    ptx_next(parser);
    do {
        struct ptx_operand target = {.kind = PTX_OPERAND_SYMBOL, .range = parser->token.range};
        ok = ptx_expect_name(parser, "a label", &target.name);
        if (ok)
            vec_push(&targets, target);
    } while (ok && ptx_accept_punct(parser, ','));
    ok = ok && ptx_end_statement(parser);
    if (ok) {
        size_t size = targets.length * sizeof *targets.data;
        range.end = parser->last_end;
        struct ptx_statement *statement = ptx_add_statement(parser, kind, range);
        statement->name = label;
        statement->operands = memcpy(arena_alloc(parser->arena, size), targets.data, size);
        statement->operand_count = targets.length;
    }
    vec_free(&targets);
    return ok;
}

static bool parse_call_prototype(struct ptx_parser *parser, const char *label,
                                 struct source_range range) {
    struct ptx_function *function = ARENA_NEW(parser->arena, struct ptx_function);
    ptx_next(parser);
    ptx_scope_push(parser);
    bool ok = ptx_parse_prototype(parser, function) && ptx_end_statement(parser);
    ptx_scope_pop(parser);
    if (!ok)
        return false;
    range.end = parser->last_end;
    struct ptx_statement *statement =
        ptx_add_statement(parser, PTX_STATEMENT_CALL_PROTOTYPE, range);
    statement->name = label;
    statement->function = function;
    return true;
}

static bool parse_label(struct ptx_parser *parser) {
    struct source_range range = parser->token.range;
    const char *name = ptx_intern(parser, range);
    ptx_next(parser);
    ptx_next(parser); // the colon, which the caller has seen
    ptx_declare_label(parser, name, range);
    if (ptx_at_dot(parser, ".branchtargets"))
        return parse_targets(parser, PTX_STATEMENT_BRANCH_TARGETS, name, range);
    if (ptx_at_dot(parser, ".calltargets"))
        return parse_targets(parser, PTX_STATEMENT_CALL_TARGETS, name, range);
    if (ptx_at_dot(parser, ".callprototype"))
        return parse_call_prototype(parser, name, range);
    ptx_add_statement(parser, PTX_STATEMENT_LABEL, range)->name = name;
    return true;
}

// Of all that a pragma may say one thing has a meaning here: which bytes of the load behind it are
// used. A compiler that merges loads may have it read more than the program does, past the end of
// an array, too.
static void read_pragma(struct ptx_parser *parser) {
    static const char begin[] = "\"used_bytes_mask ";
    const struct source_range range = parser->token.range;
    const char *text = ptx_text(parser, range);
    char *end;
    if (range.end - range.begin < sizeof begin || strncmp(text, begin, sizeof begin - 1) != 0)
        return;
    const unsigned long long mask = strtoull(text + sizeof begin - 1, &end, 0);
    parser->used_bytes = *end == '"' && mask <= UINT32_MAX ? (uint32_t)mask : 0;
}

bool ptx_parse_pragma(struct ptx_parser *parser) {
    ptx_next(parser);
    do {
        if (parser->token.kind != PTX_TOKEN_STRING)
            return ptx_expected(parser, "a string");
        read_pragma(parser);
        ptx_next(parser);
    } while (ptx_accept_punct(parser, ','));
    return ptx_end_statement(parser);
}

static bool parse_directive(struct ptx_parser *parser) {
    if (ptx_at_dot(parser, ".loc") || ptx_at_dot(parser, ".file")) {
        if (!(ptx_at_dot(parser, ".loc") ? ptx_parse_loc(parser) : ptx_parse_file(parser)))
            ptx_skip_line(parser);
        return true;
    }
    if (ptx_at_dot(parser, ".pragma"))
        return ptx_parse_pragma(parser);
    struct ptx_linkage linkage = {.is_extern = ptx_accept_dot(parser, ".extern")};
    if (ptx_at_space(parser))
        return ptx_parse_variables(parser, linkage, add_variable);
    struct source_range range = parser->token.range;
    if (parser->token.kind != PTX_TOKEN_DOT)
        return ptx_expected(parser, "a declaration");
    return ptx_error(parser, range, "'%.*s' cannot stand in a function body",
                     (int)(range.end - range.begin), ptx_text(parser, range));
}

static bool parse_statement(struct ptx_parser *parser) {
    const struct ptx_token *token = &parser->token;
    if (token->kind == PTX_TOKEN_DOT)
        return parse_directive(parser);
    if (token->kind == PTX_TOKEN_NAME && ptx_next_byte(parser) == ':')
        return parse_label(parser);
    if (token->kind == PTX_TOKEN_NAME || ptx_at_punct(parser, '@'))
        return ptx_parse_instruction(parser);
    return ptx_expected(parser, "an instruction");
}

static bool open_scope(struct ptx_parser *parser) {
    struct source_range range = parser->token.range;
    if (parser->scopes.length > PTX_MAX_SCOPES)
        return ptx_error(parser, range, "more than %d nested '{'", PTX_MAX_SCOPES);
    ptx_next(parser);
    ptx_scope_push(parser);
    ptx_add_statement(parser, PTX_STATEMENT_BLOCK_BEGIN, range);
    return true;
}

void ptx_parse_body(struct ptx_parser *parser, struct ptx_function *function) {
    size_t outer = parser->scopes.length;
    ptx_next(parser); // `{`
    for (;;) {
        struct source_range range = parser->token.range;
        if (parser->token.kind == PTX_TOKEN_END) {
            ptx_error(parser, function->range, "the body of '%s' never ends: '}' is missing",
                      function->name);
            break;
        }
        if (ptx_accept_punct(parser, '}')) {
            if (parser->scopes.length == outer)
                break;
            ptx_scope_pop(parser);
            ptx_add_statement(parser, PTX_STATEMENT_BLOCK_END, range);
        } else if (ptx_at_punct(parser, '{')) {
            if (!open_scope(parser))
                ptx_skip_braces(parser);
        } else if (!ptx_accept_punct(parser, ';') && !parse_statement(parser)) {
            ptx_skip_statement(parser);
        }
    }
    while (parser->scopes.length > outer)
        ptx_scope_pop(parser);
}
