// Declarations of variables, registers and parameters.
#include <string.h>

#include "ptx/parser.h"

static const struct {
    const char *word;
    enum ptx_space space;
} spaces[] = {
    {".reg", PTX_SPACE_REG},     {".param", PTX_SPACE_PARAM}, {".shared", PTX_SPACE_SHARED},
    {".local", PTX_SPACE_LOCAL}, {".const", PTX_SPACE_CONST}, {".global", PTX_SPACE_GLOBAL},
    {".tex", PTX_SPACE_TEX},
};

static enum ptx_space space_at(const struct ptx_parser *parser) {
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (ptx_at_dot(parser, spaces[i].word))
            return spaces[i].space;
    return PTX_SPACE_GENERIC;
}

bool ptx_at_space(const struct ptx_parser *parser) {
    return space_at(parser) != PTX_SPACE_GENERIC;
}

static bool parse_align(struct ptx_parser *parser, unsigned *align) {
    struct source_range range = parser->token.range;
    uint64_t value;
    if (!ptx_parse_count(parser, "the alignment", PTX_MAX_ALIGN, &value))
        return false;
    range.end = parser->last_end;
    if (value == 0 || (value & (value - 1)))
        return ptx_error(parser, range, "the alignment must be a power of two");
    *align = (unsigned)value;
    return true;
}

// `.attribute(.managed, .unified(19, 95))`; only `.managed` means something here.
static bool parse_attributes(struct ptx_parser *parser, bool *is_managed) {
    if (!ptx_expect_punct(parser, '('))
        return false;
    do {
        if (parser->token.kind != PTX_TOKEN_DOT)
            return ptx_expected(parser, "an attribute");
        bool is_unified = ptx_at_dot(parser, ".unified");
        *is_managed |= ptx_at_dot(parser, ".managed");
        ptx_next(parser);
        uint64_t ignored;
        if (is_unified &&
            !(ptx_expect_punct(parser, '(') && ptx_parse_integer(parser, "the uuid", &ignored) &&
              ptx_expect_punct(parser, ',') && ptx_parse_integer(parser, "the uuid", &ignored) &&
              ptx_expect_punct(parser, ')')))
            return false;
    } while (ptx_accept_punct(parser, ','));
    return ptx_expect_punct(parser, ')');
}

bool ptx_parse_attributes(struct ptx_parser *parser, bool *is_managed) {
    return !ptx_accept_dot(parser, ".attribute") || parse_attributes(parser, is_managed);
}

// `.ptr .global .align 16` says what a pointer parameter points to.
static bool parse_pointee(struct ptx_parser *parser) {
    unsigned ignored;
    if (ptx_at_space(parser) || ptx_at_dot(parser, ".generic"))
        ptx_next(parser);
    return !ptx_accept_dot(parser, ".align") || parse_align(parser, &ignored);
}

// What stands between the state space and the name.
static bool parse_properties(struct ptx_parser *parser, struct ptx_variable *variable) {
    while (parser->token.kind == PTX_TOKEN_DOT) {
        struct source_range range = parser->token.range;
        enum ptx_type type = (enum ptx_type)(uintptr_t)map_get(
            &parser->isa.types, ptx_text(parser, range) + 1, range.end - range.begin - 1);
        if (type) {
            if (variable->type)
                return ptx_error(parser, range, "a second type");
            variable->type = type;
            ptx_next(parser);
        } else if (ptx_accept_dot(parser, ".align")) {
            if (!parse_align(parser, &variable->align))
                return false;
        } else if (ptx_accept_dot(parser, ".ptr")) {
            if (!parse_pointee(parser))
                return false;
        } else if (ptx_at_dot(parser, ".attribute")) {
            if (!ptx_parse_attributes(parser, &variable->is_managed))
                return false;
        } else if (ptx_accept_dot(parser, ".v2")) {
            variable->vector = 2;
        } else if (ptx_accept_dot(parser, ".v4")) {
            variable->vector = 4;
        } else {
            return ptx_expected(parser, "a type");
        }
    }
    return variable->type || ptx_expected(parser, "a type");
}

static bool parse_family(struct ptx_parser *parser, struct ptx_variable *variable) {
    struct ptx_token count = parser->token;
    if (variable->space != PTX_SPACE_REG)
        return ptx_error(parser, variable->range, "only registers are declared as a family");
    if (count.kind != PTX_TOKEN_INTEGER)
        return ptx_expected(parser, "the number of registers");
    if (count.value == 0 || count.value > PTX_MAX_FAMILY)
        return ptx_error(parser, count.range, "a family has between 1 and %d registers",
                         PTX_MAX_FAMILY);
    variable->family = (uint32_t)count.value;
    ptx_next(parser);
    return ptx_expect_punct(parser, '>');
}

static bool parse_dimensions(struct ptx_parser *parser, struct ptx_variable *variable,
                             struct ptx_shape *shape) {
    struct source_range range = parser->token.range;
    variable->is_array = true;
    while (ptx_accept_punct(parser, '[')) {
        uint64_t size = 0;
        if (shape->count == PTX_MAX_DIMENSIONS)
            return ptx_error(parser, range, "an array has at most %d dimensions",
                             PTX_MAX_DIMENSIONS);
        if (ptx_at_punct(parser, ']') && shape->count == 0)
            shape->is_open = true;
        else if (!ptx_parse_count(parser, "the array size", PTX_MAX_VARIABLE_BYTES, &size))
            return false;
        shape->dimensions[shape->count++] = size;
        if (!ptx_expect_punct(parser, ']'))
            return false;
    }
    return true;
}

// Elements and bytes from the shape, once an open first dimension is known.
bool ptx_set_size(struct ptx_parser *parser, struct ptx_variable *variable,
                  const struct ptx_shape *shape) {
    uint64_t elements = 1, bytes;
    for (unsigned i = 0; i < shape->count; i++)
        if (__builtin_mul_overflow(elements, shape->dimensions[i], &elements))
            elements = UINT64_MAX;
    unsigned unit = ptx_type_bytes(variable->type) * variable->vector;
    if (__builtin_mul_overflow(elements, (uint64_t)unit, &bytes) || bytes > PTX_MAX_VARIABLE_BYTES)
        return ptx_error(parser, variable->range, "'%s' is too large", variable->name);
    variable->elements = elements;
    variable->bytes = bytes;
    return true;
}

static bool parse_declarator(struct ptx_parser *parser, struct ptx_variable *variable) {
    struct ptx_shape shape = {.count = 0};
    variable->range = parser->token.range;
    if (!ptx_expect_name(parser, "a name", &variable->name))
        return false;
    if (ptx_accept_punct(parser, '<') && !parse_family(parser, variable))
        return false;
    if (ptx_at_punct(parser, '[') && !parse_dimensions(parser, variable, &shape))
        return false;
    if (variable->is_array && variable->space == PTX_SPACE_REG)
        return ptx_error(parser, variable->range, "registers cannot form an array");
    if (ptx_at_punct(parser, '=')) {
        if (variable->space != PTX_SPACE_GLOBAL && variable->space != PTX_SPACE_CONST)
            return ptx_error(parser, parser->token.range,
                             "only .global and .const variables have initial values");
        ptx_next(parser);
        return ptx_parse_initial(parser, variable, &shape);
    }
    variable->is_unsized = shape.is_open;
    return ptx_set_size(parser, variable, &shape);
}

static bool check_unsized(struct ptx_parser *parser, const struct ptx_variable *variable) {
    return !variable->is_unsized || variable->is_extern || variable->space == PTX_SPACE_PARAM ||
           ptx_error(parser, variable->range, "'%s' needs a size: only .extern arrays go without",
                     variable->name);
}

bool ptx_parse_variables(struct ptx_parser *parser, struct ptx_linkage linkage,
                         void (*add)(struct ptx_parser *parser,
                                     const struct ptx_variable *variable)) {
    struct ptx_variable common = {.space = space_at(parser),
                                  .vector = 1,
                                  .is_extern = linkage.is_extern,
                                  .is_visible = linkage.is_visible,
                                  .is_weak = linkage.is_weak,
                                  .is_common = linkage.is_common};
    ptx_next(parser);
    if (!parse_properties(parser, &common))
        return false;
    do {
        struct ptx_variable variable = common;
        if (!parse_declarator(parser, &variable) || !check_unsized(parser, &variable))
            return false;
        if (ptx_declare_variable(parser, &variable))
            add(parser, &variable);
    } while (ptx_accept_punct(parser, ','));
    return ptx_end_statement(parser);
}

static bool parse_parameter(struct ptx_parser *parser, struct ptx_variable *parameter) {
    *parameter = (struct ptx_variable){.space = space_at(parser), .vector = 1};
    if (parameter->space != PTX_SPACE_PARAM && parameter->space != PTX_SPACE_REG)
        return ptx_expected(parser, ".param or .reg");
    ptx_next(parser);
    return parse_properties(parser, parameter) && parse_declarator(parser, parameter) &&
           ptx_declare_variable(parser, parameter);
}

static void skip_parameters(struct ptx_parser *parser) {
    while (parser->token.kind != PTX_TOKEN_END && !ptx_at_punct(parser, '{') &&
           !ptx_at_punct(parser, ';') && !ptx_at_punct(parser, '}'))
        ptx_next(parser);
}

bool ptx_parse_parameters(struct ptx_parser *parser, struct ptx_variable **list, size_t *count) {
    VEC(struct ptx_variable) parameters = {0};
    struct ptx_variable parameter;
    struct source_range range = parser->token.range;
    bool ok = ptx_expect_punct(parser, '(');
    if (ok && !ptx_at_punct(parser, ')')) {
        do {
            ok = parse_parameter(parser, &parameter);
            if (ok && parameters.length == PTX_MAX_PARAMETERS)
                ok = ptx_error(parser, range, "more than %d parameters", PTX_MAX_PARAMETERS);
            if (ok)
                vec_push(&parameters, parameter);
        } while (ok && ptx_accept_punct(parser, ','));
    }
    ok = ok && ptx_expect_punct(parser, ')');
    if (!ok)
        skip_parameters(parser);
    *count = parameters.length;
    *list = ARENA_ARRAY(parser->arena, struct ptx_variable, parameters.length);
    if (parameters.length)
        memcpy(*list, parameters.data, parameters.length * sizeof parameter);
    vec_free(&parameters);
    return ok;
}
