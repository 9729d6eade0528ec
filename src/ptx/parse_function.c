// `.entry` and `.func`: names, parameters, performance directives.
#include <string.h>

#include "ptx/parser.h"

// `.maxntid 256, 1, 1`; dimensions that are not written are 1.
static bool parse_sizes(struct ptx_parser *parser, uint32_t *sizes, unsigned most) {
    ptx_next(parser);
    for (unsigned i = 0; i < most; i++)
        sizes[i] = i == 0 ? 0 : 1;
    for (unsigned i = 0; i < most; i++) {
        uint64_t value;
        if (i > 0 && !ptx_accept_punct(parser, ','))
            break;
        if (!ptx_parse_count(parser, "the size", UINT32_MAX, &value))
            return false;
        sizes[i] = (uint32_t)value;
    }
    return true;
}

static bool parse_directive(struct ptx_parser *parser, struct ptx_function *function) {
    static const char *const flags[] = {".blocksareclusters", ".abi_preserve_control"};
    static const char *const numbers[] = {".maxnctapersm", ".abi_preserve", ".local_maxnreg"};
    uint32_t ignored;
    if (ptx_at_dot(parser, ".maxntid"))
        return parse_sizes(parser, function->max_threads, 3);
    if (ptx_at_dot(parser, ".reqntid"))
        return parse_sizes(parser, function->required_threads, 3);
    if (ptx_at_dot(parser, ".reqnctapercluster"))
        return parse_sizes(parser, function->required_cluster, 3);
    if (ptx_at_dot(parser, ".minnctapersm"))
        return parse_sizes(parser, &function->min_blocks, 1);
    if (ptx_at_dot(parser, ".maxnreg"))
        return parse_sizes(parser, &function->max_registers, 1);
    if (ptx_at_dot(parser, ".pragma"))
        return ptx_parse_pragma(parser);
    if (ptx_at_dot(parser, ".maxclusterrank"))
        return parse_sizes(parser, &function->max_cluster_blocks, 1);
    if (ptx_accept_dot(parser, ".explicitcluster"))
        return function->needs_cluster = true;
    if (ptx_accept_dot(parser, ".noreturn"))
        return function->is_noreturn = true;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (ptx_at_dot(parser, numbers[i]))
            return parse_sizes(parser, &ignored, 1);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (ptx_accept_dot(parser, flags[i])) {
            bool has_number = parser->token.kind == PTX_TOKEN_INTEGER;
            if (has_number)
                ptx_next(parser);
            return true;
        }
    return ptx_expected(parser, function->has_body ? "an instruction" : "';' or '{'");
}

static bool parse_directives(struct ptx_parser *parser, struct ptx_function *function) {
    while (parser->token.kind == PTX_TOKEN_DOT)
        if (!parse_directive(parser, function))
            return false;
    return true;
}

// `(returns) name (parameters) directives`, all but the name optional.
bool ptx_parse_prototype(struct ptx_parser *parser, struct ptx_function *function) {
    bool ignored = false;
    if (!ptx_parse_attributes(parser, &ignored))
        return false;
    if (!function->is_entry && ptx_at_punct(parser, '(') &&
        !ptx_parse_parameters(parser, &function->returns, &function->return_count))
        return false;
    function->range = parser->token.range;
    if (!ptx_expect_name(parser, "the function's name", &function->name))
        return false;
    if (ptx_at_punct(parser, '(') &&
        !ptx_parse_parameters(parser, &function->parameters, &function->parameter_count))
        return false;
    return parse_directives(parser, function);
}

static void keep_statements(struct ptx_parser *parser, struct ptx_function *function) {
    size_t size = parser->statements.length * sizeof *parser->statements.data;
    function->statements = arena_alloc(parser->arena, size);
    if (size)
        memcpy(function->statements, parser->statements.data, size);
    function->statement_count = parser->statements.length;
}

static bool parse_function(struct ptx_parser *parser, struct ptx_function *function) {
    ptx_next(parser);
    if (!ptx_parse_prototype(parser, function))
        return false;
    function->has_body = ptx_at_punct(parser, '{');
    if (!function->has_body && !ptx_at_punct(parser, ';'))
        return ptx_expected(parser, "';' or '{'");
    bool ok = ptx_declare_function(parser, function);
    if (!function->has_body) {
        ptx_next(parser);
    } else {
        parser->statements.length = 0;
        ptx_begin_locations(parser);
        ptx_parse_body(parser, function);
        keep_statements(parser, function);
        ptx_end_locations(parser, function);
    }
    if (ok)
        vec_push(&parser->functions, *function);
    return true;
}

void ptx_parse_function(struct ptx_parser *parser, struct ptx_linkage linkage) {
    struct ptx_function function = {.is_entry = ptx_at_dot(parser, ".entry"),
                                    .is_extern = linkage.is_extern,
                                    .is_visible = linkage.is_visible,
                                    .is_weak = linkage.is_weak};
    ptx_scope_push(parser);
    bool ok = parse_function(parser, &function);
    ptx_scope_pop(parser);
    if (!ok)
        ptx_skip_item(parser);
}
