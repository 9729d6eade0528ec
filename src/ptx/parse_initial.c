// Initial values of .global and .const variables.
#include <string.h>

#include "ptx/parser.h"

struct initial {
    struct ptx_parser *parser;
    struct ptx_variable *variable;
    const struct ptx_shape *shape;
    unsigned bytes; // of an element
    VEC(uint8_t) data;
    VEC(struct ptx_fixup) fixups;
    unsigned mask_bytes; // bytes of an address given so far one by one: `0xFF(sym), 0xFF00(sym)`
};

struct address {
    const char *symbol;
    int64_t addend;
    bool is_generic;
    struct source_range range;
};

// How many elements a value of the given depth of braces covers; 0: any number.
static uint64_t span(const struct initial *initial, unsigned depth) {
    uint64_t elements = initial->variable->vector;
    for (unsigned i = depth; i < initial->shape->count; i++)
        elements *= initial->shape->dimensions[i];
    return elements;
}

static bool grow(struct initial *initial, uint64_t at) {
    struct ptx_parser *parser = initial->parser;
    uint64_t end = (at + 1) * initial->bytes;
    if (end <= initial->data.length)
        return true;
    uint64_t more = end - initial->data.length;
    if (parser->initial_bytes + more > PTX_MAX_INITIAL_BYTES)
        return ptx_error(parser, parser->token.range, "the initial values are too large");
    parser->initial_bytes += more;
    vec_reserve(&initial->data, (size_t)end);
    memset(initial->data.data + initial->data.length, 0, (size_t)more);
    initial->data.length = (size_t)end;
    return true;
}

static void store(struct initial *initial, uint64_t at, uint64_t bits) {
    for (unsigned i = 0; i < initial->bytes && i < 8; i++)
        initial->data.data[at * initial->bytes + i] = (uint8_t)(bits >> 8 * i);
}

static uint64_t convert(const struct initial *initial, const struct ptx_constant *constant) {
    enum ptx_type type = initial->variable->type;
    double wide;
    float narrow;
    uint32_t narrow_bits = (uint32_t)constant->bits;
    memcpy(&wide, &constant->bits, sizeof wide);
    memcpy(&narrow, &narrow_bits, sizeof narrow);
    if (constant->kind == PTX_CONSTANT_INTEGER) {
        if (type != PTX_F32 && type != PTX_F64)
            return constant->bits;
        wide = constant->is_unsigned ? (double)constant->bits : (double)(int64_t)constant->bits;
    } else if (constant->kind == PTX_CONSTANT_SINGLE) {
        if (type != PTX_F64)
            return constant->bits;
        wide = (double)narrow;
    }
    uint64_t bits;
    if (type == PTX_F32) {
        narrow = (float)wide;
        memcpy(&narrow_bits, &narrow, sizeof narrow);
        return narrow_bits;
    }
    memcpy(&bits, &wide, sizeof bits);
    return bits;
}

static bool parse_addend(struct ptx_parser *parser, struct address *address) {
    uint64_t value;
    bool is_plus = ptx_at_punct(parser, '+');
    if (!is_plus && !ptx_at_punct(parser, '-'))
        return true;
    if (is_plus)
        ptx_next(parser);
    if (!ptx_parse_integer(parser, "the offset", &value))
        return false;
    address->addend = (int64_t)((uint64_t)address->addend + value);
    return true;
}

// `sym`, `sym+4`, `generic(sym+4)`, `generic(sym)+4`
static bool parse_address(struct ptx_parser *parser, struct address *address) {
    *address = (struct address){.range = parser->token.range};
    if (!ptx_expect_name(parser, "a constant or a symbol", &address->symbol))
        return false;
    if (strcmp(address->symbol, "generic") == 0 && ptx_accept_punct(parser, '(')) {
        address->is_generic = true;
        if (!ptx_expect_name(parser, "a symbol", &address->symbol) ||
            !parse_addend(parser, address) || !ptx_expect_punct(parser, ')'))
            return false;
    }
    if (!parse_addend(parser, address))
        return false;
    address->range.end = parser->last_end;
    return true;
}

static void add_fixup(struct initial *initial, uint64_t offset, unsigned bytes,
                      const struct address *address) {
    struct ptx_fixup fixup = {.offset = offset,
                              .symbol = address->symbol,
                              .addend = address->addend,
                              .is_generic = address->is_generic,
                              .bytes = bytes,
                              .range = address->range};
    vec_push(&initial->fixups, fixup);
}

static bool parse_symbol(struct initial *initial, uint64_t at) {
    struct address address;
    if (!parse_address(initial->parser, &address))
        return false;
    if (initial->bytes != 4 && initial->bytes != 8)
        return ptx_error(initial->parser, address.range,
                         "an address needs an element of 4 or 8 bytes");
    if (!grow(initial, at))
        return false;
    add_fixup(initial, at * initial->bytes, initial->bytes, &address);
    return true;
}

// `0xFF00(sym)` is one byte of an address. All eight must follow each other: then they are the
// address itself.
static bool parse_masked(struct initial *initial, uint64_t at) {
    struct ptx_parser *parser = initial->parser;
    struct source_range range = parser->token.range;
    uint64_t mask = parser->token.value;
    struct address address;
    ptx_next(parser);
    ptx_next(parser); // the parenthesis, which the caller has seen
    if (!parse_address(parser, &address) || !ptx_expect_punct(parser, ')'))
        return false;
    range.end = address.range.end = parser->last_end;
    address.range.begin = range.begin;
    if (initial->bytes != 1 || mask != (uint64_t)0xff << 8 * initial->mask_bytes)
        return ptx_error(parser, range,
                         "the bytes of an address must be given in order, from 0xFF(symbol) on");
    if (!grow(initial, at))
        return false;
    if (initial->mask_bytes == 0) {
        add_fixup(initial, at, 8, &address);
    } else {
        struct ptx_fixup *fixup = &initial->fixups.data[initial->fixups.length - 1];
        if (fixup->symbol != address.symbol || fixup->addend != address.addend ||
            fixup->is_generic != address.is_generic || fixup->offset + initial->mask_bytes != at)
            return ptx_error(parser, range, "the bytes before belong to another address");
        fixup->range.end = range.end;
    }
    initial->mask_bytes = (initial->mask_bytes + 1) % 8;
    return true;
}

static bool parse_value(struct initial *initial, uint64_t at) {
    struct ptx_parser *parser = initial->parser;
    struct source_range range = parser->token.range;
    bool is_masked = parser->token.kind == PTX_TOKEN_INTEGER && ptx_next_byte(parser) == '(';
    if (is_masked)
        return parse_masked(initial, at);
    if (initial->mask_bytes)
        return ptx_error(parser, range, "the address before lacks some of its bytes");
    if (!ptx_at_constant(parser))
        return parse_symbol(initial, at);
    struct ptx_constant constant;
    if (!ptx_parse_constant(parser, &constant) || !grow(initial, at))
        return false;
    enum ptx_type type = initial->variable->type;
    unsigned float_bytes = constant.kind == PTX_CONSTANT_SINGLE ? 4 : 8;
    if (constant.kind != PTX_CONSTANT_INTEGER && type != PTX_F32 && type != PTX_F64 &&
        initial->bytes != float_bytes)
        return ptx_error(parser, range, "a floating-point number is no value of a .%s",
                         ptx_type_text(type));
    store(initial, at, convert(initial, &constant));
    return true;
}

static bool parse_braces(struct initial *initial, unsigned depth, uint64_t first, uint64_t *end);

// One value or `{ ... }` at element *at of what starts at `first`.
static bool parse_item(struct initial *initial, unsigned depth, uint64_t first, uint64_t limit,
                       uint64_t *at) {
    struct ptx_parser *parser = initial->parser;
    struct source_range range = parser->token.range;
    if (!ptx_at_punct(parser, '{')) {
        if (*at >= limit)
            return ptx_error(parser, range, "more initial values than elements");
        return parse_value(initial, (*at)++);
    }
    if (depth >= initial->shape->count)
        return ptx_error(parser, range, "more braces than dimensions");
    uint64_t inner = span(initial, depth + 1);
    if (inner)
        *at = first + (*at - first + inner - 1) / inner * inner;
    if (*at >= limit || inner == 0)
        return ptx_error(parser, range, "more initial values than elements");
    return parse_braces(initial, depth + 1, *at, at);
}

// `{ ... }` that starts at element `first` and covers the array from dimension `depth` on.
static bool parse_braces(struct initial *initial, unsigned depth, uint64_t first, uint64_t *end) {
    struct ptx_parser *parser = initial->parser;
    bool is_open = depth == 0 && initial->shape->is_open, ok = true;
    uint64_t limit = is_open ? UINT64_MAX : first + span(initial, depth), at = first;
    ptx_next(parser); // `{`
    while (ok && !ptx_at_punct(parser, '}')) {
        ok = parse_item(initial, depth, first, limit, &at);
        if (!ok || !ptx_accept_punct(parser, ','))
            break;
    }
    if (ok && initial->mask_bytes)
        ok = ptx_error(parser, parser->token.range, "the last address lacks some of its bytes");
    ok = ok && ptx_expect_punct(parser, '}');
    if (!ok)
        ptx_skip_group(parser, '{', '}');
    *end = is_open ? at : limit;
    return ok;
}

static bool parse_all(struct initial *initial, struct ptx_shape *shape) {
    struct ptx_variable *variable = initial->variable;
    uint64_t end = 1;
    if (!ptx_at_punct(initial->parser, '{')) {
        if (shape->count)
            return ptx_expected(initial->parser, "'{'");
        if (!parse_value(initial, 0))
            return false;
    } else if (!parse_braces(initial, 0, 0, &end)) {
        return false;
    }
    if (shape->is_open) {
        uint64_t inner = span(initial, 1);
        shape->dimensions[0] = inner ? (end + inner - 1) / inner : 0;
    }
    return ptx_set_size(initial->parser, variable, shape);
}

static void keep(struct initial *initial) {
    struct ptx_variable *variable = initial->variable;
    struct arena *arena = initial->parser->arena;
    uint8_t *bytes = arena_alloc(arena, (size_t)variable->bytes);
    memcpy(bytes, initial->data.data, initial->data.length);
    variable->initial = bytes;
    if (initial->fixups.length) {
        size_t size = initial->fixups.length * sizeof *initial->fixups.data;
        variable->fixups = memcpy(arena_alloc(arena, size), initial->fixups.data, size);
        variable->fixup_count = initial->fixups.length;
    }
}

bool ptx_parse_initial(struct ptx_parser *parser, struct ptx_variable *variable,
                       struct ptx_shape *shape) {
    struct initial initial = {.parser = parser,
                              .variable = variable,
                              .shape = shape,
                              .bytes = ptx_type_bytes(variable->type)};
    if (ptx_type_class(variable->type) == PTX_CLASS_OPAQUE && ptx_at_punct(parser, '{')) {
        ptx_skip_braces(parser); // sampler properties
        return ptx_set_size(parser, variable, shape);
    }
    if (initial.bytes == 0)
        return ptx_error(parser, variable->range, "predicates have no initial value");
    struct ptx_shape known = *shape;
    bool ok =
        (shape->is_open || ptx_set_size(parser, variable, &known)) && parse_all(&initial, shape);
    if (ok && variable->bytes > PTX_MAX_INITIAL_BYTES)
        ok = ptx_error(parser, variable->range, "'%s' is too large for an initial value",
                       variable->name);
    if (ok && initial.data.length) {
        parser->initial_bytes += variable->bytes - initial.data.length; // the zeros behind
        ok = parser->initial_bytes <= PTX_MAX_INITIAL_BYTES ||
             ptx_error(parser, variable->range, "the initial values are too large");
        if (ok)
            keep(&initial);
    }
    vec_free(&initial.data);
    vec_free(&initial.fixups);
    return ok;
}
