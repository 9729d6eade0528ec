// Types as they are written, and declarations of shared memory.
#include <string.h>

#include "explain/internal.h"

enum { MAX_MEMBERS = 256, MAX_DIMENSIONS = 16, MAX_VARIABLES = 256 };

static bool accept_word(struct explain_parser *parser, const char *word) {
    if (!explain_token_is(parser, word))
        return false;
    explain_advance(parser);
    return true;
}

static bool is_qualifier(const struct explain_parser *parser) {
    static const char *const words[] = {"const",        "volatile", "static",    "__shared__",
                                        "__restrict__", "extern",   "__align__", "alignas"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (explain_token_is(parser, words[i]))
            return true;
    return false;
}

static const struct explain_type *find_tag(struct explain_parser *parser) {
    for (size_t i = 0; i < parser->explain->tags.length; i++)
        if (explain_token_is(parser, parser->explain->tags.data[i]->name))
            return parser->explain->tags.data[i];
    return NULL;
}

bool explain_starts_type(const struct explain_parser *parser) {
    static const char *const words[] = {"unsigned", "signed", "int",    "char",
                                        "short",    "long",   "struct", "union"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (explain_token_is(parser, words[i]))
            return true;
    if (is_qualifier(parser))
        return true;
    if (parser->has_failed || parser->token.kind != EXPLAIN_TOKEN_NAME)
        return false;
    struct explain_parser copy = *parser;
    const char *name = parser->lexer.source->text + parser->token.range.begin;
    return find_tag(&copy) ||
           explain_named_type(parser->explain->arena, name,
                              parser->token.range.end - parser->token.range.begin);
}

// A constant of a declaration, 1 to EXPLAIN_MAX_BYTES. 0: reported.
static uint64_t parse_size(struct explain_parser *parser, const char *what) {
    const struct explain_node *node = explain_parse_expression(parser);
    int64_t number = 0;
    if (!node)
        return 0;
    if (!explain_constant(parser->explain, node, &number, parser->diags)) {
        parser->has_failed = true;
        return 0;
    }
    if (number < 1 || number > (int64_t)EXPLAIN_MAX_BYTES) {
        explain_fail(parser, node->range, "%s of %lld is not from 1 to %llu", what,
                     (long long)number, EXPLAIN_MAX_BYTES);
        return 0;
    }
    return (uint64_t)number;
}

// Takes any qualifiers; sets what alignment and linkage they say.
static void parse_qualifiers(struct explain_parser *parser, uint64_t *align, bool *is_extern) {
    while (is_qualifier(parser)) {
        struct source_range range = parser->token.range;
        if (explain_token_is(parser, "__align__") || explain_token_is(parser, "alignas")) {
            explain_advance(parser);
            explain_expect(parser, '(', "'('");
            uint64_t bytes = parse_size(parser, "an alignment");
            range.end = parser->token.range.end;
            explain_expect(parser, ')', "')'");
            if (!parser->has_failed && (bytes & (bytes - 1)))
                explain_fail(parser, range, "an alignment is a power of two");
            *align = bytes > *align ? bytes : *align;
        } else {
            *is_extern |= explain_token_is(parser, "extern");
            explain_advance(parser);
        }
        if (parser->has_failed)
            return;
    }
}

// The array that the dimensions which follow make of a type.
static const struct explain_type *parse_dimensions(struct explain_parser *parser,
                                                   const struct explain_type *type,
                                                   struct source_range range, bool *is_unsized) {
    uint64_t counts[MAX_DIMENSIONS];
    size_t dimensions = 0;
    *is_unsized = false;
    while (explain_accept(parser, '[')) {
        if (dimensions == MAX_DIMENSIONS)
            return explain_fail(parser, range, "more than %d dimensions", MAX_DIMENSIONS);
        if (dimensions == 0 && explain_accept(parser, ']')) {
            *is_unsized = true;
            counts[dimensions++] = 0;
            continue;
        }
        counts[dimensions++] = parse_size(parser, "a dimension");
        range.end = parser->token.range.end;
        if (!explain_expect(parser, ']', "']'"))
            return NULL;
    }
    if (type->kind == EXPLAIN_VOID)
        return explain_fail(parser, range, "nothing is of type void");
    for (size_t i = dimensions; i-- > 0 && type;)
        type = explain_array(parser->explain->arena, type, counts[i]);
    if (!type)
        return explain_fail(parser, range, "this is larger than any shared memory");
    return type;
}

// What a declarator makes of a type: '*', a name (left in *name) and dimensions.
static const struct explain_type *parse_declarator(struct explain_parser *parser,
                                                   const struct explain_type *type,
                                                   const char **name, bool *is_unsized) {
    while (explain_accept(parser, '*')) {
        type = explain_pointer(parser->explain->arena, type);
        while (accept_word(parser, "const") || accept_word(parser, "__restrict__"))
            continue;
    }
    struct source_range range = parser->token.range;
    if (parser->token.kind != EXPLAIN_TOKEN_NAME)
        return explain_fail(parser, range, "expected a name");
    *name = explain_token_text(parser);
    explain_advance(parser);
    return parse_dimensions(parser, type, range, is_unsized);
}

static const struct explain_type *parse_struct(struct explain_parser *parser, uint64_t align) {
    struct explain_member *members =
        ARENA_ARRAY(parser->explain->arena, struct explain_member, MAX_MEMBERS);
    size_t count = 0;
    struct source_range range = parser->token.range;
    bool is_union = explain_token_is(parser, "union"), is_extern = false;
    explain_advance(parser);
    parse_qualifiers(parser, &align, &is_extern); // struct alignas(16) {...}
    const struct explain_type *known = find_tag(parser);
    const char *tag = parser->token.kind == EXPLAIN_TOKEN_NAME ? explain_token_text(parser) : NULL;
    if (tag)
        explain_advance(parser);
    bool is_open = explain_accept(parser, '{');
    if (!is_open && known)
        return known;
    if (!is_open)
        return explain_fail(parser, parser->token.range, "expected '{' and the members");
    while (!explain_accept(parser, '}')) {
        const struct explain_type *base = explain_parse_type(parser);
        do {
            const char *name;
            bool is_unsized;
            const struct explain_type *type =
                base ? parse_declarator(parser, base, &name, &is_unsized) : NULL;
            if (type && is_unsized)
                explain_fail(parser, parser->token.range, "a member needs a size");
            if (type && count == MAX_MEMBERS)
                explain_fail(parser, range, "more than %d members", MAX_MEMBERS);
            if (!type || parser->has_failed)
                return NULL;
            members[count++] = (struct explain_member){.name = name, .type = type};
        } while (explain_accept(parser, ','));
        if (!explain_expect(parser, ';', "';'"))
            return NULL;
    }
    const struct explain_type *made =
        explain_struct(parser->explain->arena, members, count, align, is_union);
    if (!made || made->bytes == 0)
        return explain_fail(parser, range, "a struct of %s size", made ? "no" : "this");
    if (tag) {
        struct explain_type *named = ARENA_NEW(parser->explain->arena, struct explain_type);
        *named = *made;
        named->name = tag;
        vec_push(&parser->explain->tags, named);
        return named;
    }
    return made;
}

static const struct explain_type *parse_words(struct explain_parser *parser) {
    struct explain_words words = {0};
    struct source_range range = parser->token.range;
    bool has_any = false;
    for (;; has_any = true) {
        uint32_t end = parser->token.range.end;
        if (accept_word(parser, "unsigned"))
            words.is_unsigned++;
        else if (accept_word(parser, "signed"))
            words.is_signed++;
        else if (accept_word(parser, "long"))
            words.is_long++;
        else if (accept_word(parser, "short"))
            words.is_short++;
        else if (accept_word(parser, "int"))
            words.is_int++;
        else if (accept_word(parser, "char"))
            words.is_char++;
        else if (!accept_word(parser, "const") && !accept_word(parser, "volatile"))
            break;
        range.end = end;
    }
    if (!has_any)
        return NULL;
    const struct explain_type *type = explain_scalar(&words);
    return type ? type : explain_fail(parser, range, "these words make no type");
}

// With the alignment that its qualifiers ask for.
static const struct explain_type *parse_base(struct explain_parser *parser, uint64_t *align,
                                             bool *is_extern) {
    parse_qualifiers(parser, align, is_extern);
    const struct explain_type *type;
    if (explain_token_is(parser, "struct") || explain_token_is(parser, "union")) {
        type = parse_struct(parser, 0);
    } else {
        type = parse_words(parser);
        if (!type && !parser->has_failed && parser->token.kind == EXPLAIN_TOKEN_NAME) {
            type = find_tag(parser);
            if (!type)
                type = explain_named_type(parser->explain->arena,
                                          parser->lexer.source->text + parser->token.range.begin,
                                          parser->token.range.end - parser->token.range.begin);
            if (!type)
                return explain_unknown_type(parser);
            explain_advance(parser);
        }
    }
    if (!type)
        return explain_fail(parser, parser->token.range, "expected a type");
    parse_qualifiers(parser, align, is_extern);
    return parser->has_failed ? NULL : type;
}

const struct explain_type *explain_parse_type(struct explain_parser *parser) {
    uint64_t align = 0;
    bool is_extern = false;
    if (parser->depth >= EXPLAIN_MAX_DEPTH)
        return explain_fail(parser, parser->token.range, "types are nested more than %d deep",
                            EXPLAIN_MAX_DEPTH);
    parser->depth++;
    const struct explain_type *type = parse_base(parser, &align, &is_extern);
    parser->depth--;
    while (type && explain_accept(parser, '*')) {
        type = explain_pointer(parser->explain->arena, type);
        parse_qualifiers(parser, &align, &is_extern);
    }
    return parser->has_failed ? NULL : type;
}

const struct explain_type *explain_parse_type_name(struct explain_parser *parser) {
    const struct explain_type *type = explain_parse_type(parser);
    struct source_range range = parser->token.range;
    bool is_unsized = false;
    if (!type || parser->token.kind != EXPLAIN_TOKEN_PUNCT)
        return type;
    if (explain_accept(parser, '(')) {
        if (!explain_expect(parser, '*', "'*'") || !explain_expect(parser, ')', "')'"))
            return NULL;
        type = parse_dimensions(parser, type, range, &is_unsized);
        return type ? explain_pointer(parser->explain->arena, type) : NULL;
    }
    return parser->token.punct == '[' ? parse_dimensions(parser, type, range, &is_unsized) : type;
}

static bool add_variable(struct explain_parser *parser, const char *name,
                         const struct explain_type *type, uint64_t align, bool is_unsized,
                         struct source_range range) {
    struct explain *explain = parser->explain;
    for (size_t i = 0; i < explain->variables.length; i++)
        if (strcmp(explain->variables.data[i].name, name) == 0) {
            explain_fail(parser, range, "'%s' is declared twice", name);
            return false;
        }
    align = align > type->align ? align : type->align;
    uint64_t offset = (explain->bytes + align - 1) & ~(align - 1);
    if (offset + type->bytes > EXPLAIN_MAX_BYTES || explain->variables.length == MAX_VARIABLES) {
        explain_fail(parser, range, "this is more than any shared memory holds");
        return false;
    }
    explain->bytes = offset + type->bytes;
    vec_push(&explain->variables, (struct explain_variable){name, type, offset, is_unsized});
    return true;
}

static bool parse_declaration(struct explain_parser *parser) {
    uint64_t align = 0;
    bool is_extern = false;
    size_t tags = parser->explain->tags.length;
    const struct explain_type *base = parse_base(parser, &align, &is_extern);
    bool is_only_tag = parser->explain->tags.length > tags &&
                       (parser->token.kind == EXPLAIN_TOKEN_END ||
                        (parser->token.kind == EXPLAIN_TOKEN_PUNCT && parser->token.punct == ';'));
    if (!base || is_only_tag)
        return base != NULL;
    do {
        const char *name;
        bool is_unsized;
        struct source_range range = parser->token.range;
        const struct explain_type *type = parse_declarator(parser, base, &name, &is_unsized);
        if (!type || !add_variable(parser, name, type, align, is_unsized, range))
            return false;
    } while (explain_accept(parser, ','));
    return true;
}

bool explain_declare(struct explain *explain, const struct source *source,
                     struct diag_list *diags) {
    struct explain_parser parser;
    if (explain->variables.length == 0)
        explain->bytes = explain->launch.base;
    explain_parser_init(&parser, explain, source, diags);
    while (!parser.has_failed && parser.token.kind != EXPLAIN_TOKEN_END) {
        if (explain_accept(&parser, ';'))
            continue;
        if (parse_declaration(&parser) && parser.token.kind != EXPLAIN_TOKEN_END)
            explain_expect(&parser, ';', "';' or ','");
    }
    return !parser.has_failed;
}
