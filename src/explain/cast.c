// Casts: (T)x, T(x), and those of C++ by name.
#include "explain/internal.h"

// Is this '(' the start of a cast, or of sizeof's type?
bool explain_type_follows(const struct explain_parser *parser) {
    if (parser->has_failed || parser->token.kind != EXPLAIN_TOKEN_PUNCT ||
        parser->token.punct != '(')
        return false;
    struct diag_list none = {0}; // what is wrong further on is told by who reads it
    struct explain_parser ahead = *parser;
    ahead.diags = ahead.lexer.diags = &none;
    explain_advance(&ahead);
    bool is_type = explain_starts_type(&ahead) && !explain_is_users_name(&ahead);
    diag_free(&none);
    return is_type;
}

// The type that a cast asks for; *is_reference: T&, as in (float4 &)s[i].
static const struct explain_type *parse_target(struct explain_parser *parser, bool *is_reference) {
    const struct explain_type *type = explain_parse_type_name(parser);
    *is_reference = type && explain_accept(parser, '&');
    return type;
}

// A reference is where the pointer points: *(T *)&x.
static const struct explain_node *make_cast(struct explain_parser *parser,
                                            const struct explain_type *type, bool is_reference,
                                            bool is_static, const struct explain_node *of,
                                            struct source_range range, struct source_range mark) {
    struct explain_node *cast = explain_make(parser, EXPLAIN_CAST, range.begin, range.end);
    cast->is_static = is_static;
    cast->type = type;
    cast->a = of;
    if (!is_reference)
        return explain_finish(parser, cast, mark);
    struct explain_node *address =
        explain_make(parser, EXPLAIN_ADDRESS, of->range.begin, of->range.end);
    address->a = of;
    cast->type = explain_pointer(parser->explain->arena, type);
    cast->a = explain_finish(parser, address, of->range);
    struct explain_node *deref = explain_make(parser, EXPLAIN_DEREF, range.begin, range.end);
    deref->a = cast->a ? explain_finish(parser, cast, mark) : NULL;
    return deref->a ? explain_finish(parser, deref, mark) : NULL;
}

const struct explain_node *explain_parse_cast(struct explain_parser *parser) {
    struct source_range range = parser->token.range, mark = range;
    bool is_reference;
    explain_advance(parser);
    const struct explain_type *type = parse_target(parser, &is_reference);
    mark.end = parser->token.range.end;
    if (!explain_expect(parser, ')', "')'") || !type)
        return NULL;
    const struct explain_node *of = explain_parse_unary(parser);
    if (!of)
        return NULL;
    range.end = of->range.end;
    return make_cast(parser, type, is_reference, false, of, range, mark);
}

static bool is_named_cast(const struct explain_parser *parser) {
    return explain_token_is(parser, "reinterpret_cast") ||
           explain_token_is(parser, "static_cast") || explain_token_is(parser, "const_cast");
}

bool explain_starts_cast(const struct explain_parser *parser) {
    return is_named_cast(parser) || (explain_starts_type(parser) && !explain_is_users_name(parser));
}

const struct explain_node *explain_parse_named_cast(struct explain_parser *parser) {
    struct source_range range = parser->token.range, mark = range;
    const struct explain_type *type;
    bool is_reference = false, is_named = is_named_cast(parser);
    const bool is_static = explain_token_is(parser, "static_cast");
    if (is_named) {
        explain_advance(parser);
        if (!explain_expect(parser, '<', "'<'"))
            return NULL;
        type = parse_target(parser, &is_reference);
        explain_expect(parser, '>', "'>'");
    } else { // int(x)
        type = explain_parse_type(parser);
        mark.end = parser->token.range.begin;
    }
    explain_expect(parser, '(', is_named ? "'('" : "'(' and a value of this type");
    const struct explain_node *of = explain_parse_expression(parser);
    range.end = parser->token.range.end;
    if (!explain_expect(parser, ')', "')'") || !of || !type)
        return NULL;
    return make_cast(parser, type, is_reference, is_static, of, range, is_named ? range : mark);
}
