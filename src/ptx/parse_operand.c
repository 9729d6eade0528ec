// Operands, whatever instruction they belong to.
#include <string.h>

#include "ptx/facts.h"
#include "ptx/parser.h"

static bool is_name_start(char c) {
    return c == '%' || (ptx_is_name_byte(c) && !(c >= '0' && c <= '9'));
}

// `.x` behind a vector register, `.b0` behind an operand of a video instruction.
static bool parse_suffix(struct ptx_parser *parser, struct ptx_operand *operand) {
    static const char components[] = "xyzwrgba";
    if (parser->token.kind != PTX_TOKEN_DOT)
        return true;
    struct source_range range = parser->token.range;
    const char *word = ptx_text(parser, range) + 1;
    size_t length = range.end - range.begin - 1;
    const char *component = length == 1 ? strchr(components, *word) : NULL;
    if (component)
        operand->component = (unsigned char)components[(component - components) % 4];
    else if (word[0] == 'b' || word[0] == 'h')
        operand->selector = ptx_intern(parser, (struct source_range){range.begin + 1, range.end});
    else
        return ptx_error(parser, range, "'%.*s' is no component of a vector", (int)length + 1,
                         word - 1);
    ptx_next(parser);
    return true;
}

// `%tid.x`, `%laneid`: the name as the table has it, with its component.
static bool parse_special_register(struct ptx_parser *parser, struct ptx_operand *operand) {
    struct source_range name = parser->token.range, whole = name;
    const char *text = ptx_text(parser, name) + 1;
    size_t length = name.end - name.begin - 1;
    enum ptx_sreg sreg = (enum ptx_sreg)(uintptr_t)map_get(&parser->sregs, text, length);
    if (!sreg) {
        // A vector: the component belongs to the name.
        ptx_next(parser);
        if (parser->token.kind != PTX_TOKEN_DOT)
            return ptx_error(parser, name, "'%%%.*s' needs a component: .x, .y or .z", (int)length,
                             text);
        char spelled[32];
        whole = parser->token.range;
        size_t suffix = whole.end - whole.begin;
        if (length + suffix < sizeof spelled) {
            memcpy(spelled, text, length);
            memcpy(spelled + length, ptx_text(parser, whole), suffix);
            sreg = (enum ptx_sreg)(uintptr_t)map_get(&parser->sregs, spelled, length + suffix);
        }
        if (!sreg)
            return ptx_error(parser, (struct source_range){name.begin, whole.end},
                             "'%%%.*s' has the components .x, .y and .z", (int)length, text);
    }
    operand->kind = PTX_OPERAND_SREG;
    operand->sreg = sreg;
    ptx_next(parser);
    return true;
}

static bool is_special_register(const struct ptx_parser *parser) {
    struct source_range range = parser->token.range;
    const char *text = ptx_text(parser, range);
    size_t length = range.end - range.begin;
    if (*text != '%')
        return false;
    return map_get(&parser->sregs, text + 1, length - 1) ||
           map_get(&parser->sreg_vectors, text + 1, length - 1);
}

// Compilers write `ld.global.b32 {%r1}, [%rd1]`: loads, stores and moves take a vector of one
// where they take its element, and no others do.
static bool takes_vectors_of_one(const struct ptx_form *form, size_t operand) {
    const struct ptx_isa_row *row = ptx_isa_row(form->isa);
    return operand < form->rule_count && strchr("DS", form->rules[operand].letter) &&
           (row->access == PTX_ACCESS_LOAD || row->access == PTX_ACCESS_STORE ||
            row->facts & PTX_FACT_COPY);
}

void ptx_unwrap_vectors(const struct ptx_mnemonic *mnemonic, struct ptx_operand *operands,
                        size_t count) {
    for (size_t i = 0; i < count; i++) {
        bool is_taken = false;
        for (size_t f = 0; f < mnemonic->form_count; f++)
            is_taken |= takes_vectors_of_one(&mnemonic->forms[f], i);
        if (is_taken && operands[i].kind == PTX_OPERAND_VECTOR && operands[i].element_count == 1) {
            struct ptx_operand element = operands[i].elements[0];
            operands[i] = element;
        }
    }
}

void ptx_expand_vectors(struct ptx_parser *parser, const struct ptx_mnemonic *mnemonic,
                        struct ptx_operand *operands, size_t count) {
    const struct ptx_form *form = &mnemonic->forms[0];
    if (form->vector < 2 || form->vector > 4)
        return;
    for (size_t i = 0; i < count && i < form->rule_count; i++) {
        struct ptx_operand *operand = &operands[i];
        bool is_register = operand->kind == PTX_OPERAND_REGISTER && !operand->component;
        if (!is_register || !strchr("DS", form->rules[i].letter) ||
            ptx_register_elements(parser, operand->name, strlen(operand->name)) != form->vector)
            continue;
        struct ptx_operand whole = *operand;
        *operand = (struct ptx_operand){.kind = PTX_OPERAND_VECTOR, .range = whole.range};
        operand->elements = ARENA_ARRAY(parser->arena, struct ptx_operand, form->vector);
        operand->element_count = form->vector;
        for (unsigned e = 0; e < form->vector; e++) {
            operand->elements[e] = whole;
            operand->elements[e].component = (unsigned char)"xyzw"[e];
        }
    }
}

static bool parse_offset(struct ptx_parser *parser, struct ptx_operand *operand) {
    bool is_plus = ptx_at_punct(parser, '+');
    uint64_t value;
    if (!is_plus && !ptx_at_punct(parser, '-'))
        return true;
    if (is_plus)
        ptx_next(parser);
    if (!ptx_parse_integer(parser, "the offset", &value))
        return false;
    operand->offset = (int64_t)value;
    return true;
}

static bool parse_name(struct ptx_parser *parser, struct ptx_operand *operand) {
    struct source_range range = parser->token.range;
    const char *text = ptx_text(parser, range);
    size_t length = range.end - range.begin;
    if (length == 1 && *text == '_') {
        operand->kind = PTX_OPERAND_SINK;
        ptx_next(parser);
        return true;
    }
    if (is_special_register(parser))
        return parse_special_register(parser, operand);
    operand->name = ptx_intern(parser, range);
    ptx_next(parser);
    if (*text == '%' || ptx_register_elements(parser, text, length)) {
        operand->kind = PTX_OPERAND_REGISTER;
        return parse_suffix(parser, operand);
    }
    operand->kind = PTX_OPERAND_SYMBOL;
    if (ptx_at_punct(parser, '['))
        return ptx_error(parser, parser->token.range,
                         "an element is addressed as symbol+offset, in bytes");
    return parse_offset(parser, operand) && parse_suffix(parser, operand);
}

static bool parse_constant(struct ptx_parser *parser, struct ptx_operand *operand) {
    struct ptx_constant constant;
    if (!ptx_parse_constant(parser, &constant))
        return false;
    operand->integer = constant.bits;
    operand->is_single = constant.kind == PTX_CONSTANT_SINGLE;
    operand->kind = constant.kind == PTX_CONSTANT_INTEGER ? PTX_OPERAND_INTEGER : PTX_OPERAND_FLOAT;
    return parse_suffix(parser, operand);
}

// The elements of `{a, b}`, `(a, b)` or of an address, up to the closing character.
static bool parse_elements(struct ptx_parser *parser, int close, unsigned depth,
                           struct ptx_operand *operand) {
    VEC(struct ptx_operand) elements = {0};
    bool ok = true;
    if (!ptx_at_punct(parser, close)) {
        do {
            struct ptx_operand element;
            ok = ptx_parse_operand(parser, false, depth + 1, &element);
            if (ok && elements.length == PTX_MAX_VECTOR)
                ok = ptx_error(parser, element.range, "more than %d elements", PTX_MAX_VECTOR);
            if (ok)
                vec_push(&elements, element);
        } while (ok && ptx_accept_punct(parser, ','));
    }
    ok = ok && ptx_expect_punct(parser, close);
    if (!ok && close == '}')
        ptx_skip_group(parser, '{', '}'); // so that it does not end the function
    if (ok && elements.length) {
        size_t size = elements.length * sizeof *elements.data;
        operand->elements = memcpy(arena_alloc(parser->arena, size), elements.data, size);
        operand->element_count = elements.length;
    }
    vec_free(&elements);
    return ok;
}

// `[base+offset]`; tensors and textures have further coordinates behind a comma.
static bool parse_address(struct ptx_parser *parser, unsigned depth, struct ptx_operand *operand) {
    operand->kind = PTX_OPERAND_ADDRESS;
    ptx_next(parser);
    struct ptx_operand *base = ARENA_NEW(parser->arena, struct ptx_operand);
    operand->base = base;
    if (!ptx_parse_operand(parser, false, depth + 1, base))
        return false;
    if (base->kind != PTX_OPERAND_REGISTER && base->kind != PTX_OPERAND_SYMBOL &&
        base->kind != PTX_OPERAND_INTEGER)
        return ptx_error(parser, base->range,
                         "an address starts with a register, a symbol or an integer");
    if (base->is_negated || base->pair)
        return ptx_error(parser, base->range, "an address starts with a plain register");
    operand->offset = base->offset; // that of a symbol has been read with it
    base->offset = 0;
    if (base->kind == PTX_OPERAND_REGISTER && !parse_offset(parser, operand))
        return false;
    bool ok = ptx_accept_punct(parser, ',') ? parse_elements(parser, ']', depth, operand)
                                            : ptx_expect_punct(parser, ']');
    ptx_accept_dot(parser, ".unified"); // a promise about the address that nothing here needs
    return ok;
}

static bool parse_negated(struct ptx_parser *parser, unsigned depth, struct ptx_operand *operand) {
    bool is_minus = ptx_at_punct(parser, '-');
    ptx_next(parser);
    if (!ptx_parse_operand(parser, false, depth + 1, operand))
        return false;
    operand->is_negated = true;
    operand->is_minus = is_minus;
    return true;
}

static bool parse_one(struct ptx_parser *parser, bool is_call, unsigned depth,
                      struct ptx_operand *operand) {
    if (depth > PTX_MAX_OPERAND_DEPTH)
        return ptx_error(parser, parser->token.range, "this operand is nested too deeply");
    if (is_call && ptx_accept_punct(parser, '(')) {
        operand->kind = PTX_OPERAND_LIST;
        return parse_elements(parser, ')', depth, operand);
    }
    if (ptx_at_constant(parser)) {
        bool is_negation = (ptx_at_punct(parser, '!') || ptx_at_punct(parser, '-')) &&
                           is_name_start(ptx_next_byte(parser)) && !ptx_next_is(parser, "WARP_SZ");
        return is_negation ? parse_negated(parser, depth, operand)
                           : parse_constant(parser, operand);
    }
    if (parser->token.kind == PTX_TOKEN_NAME)
        return parse_name(parser, operand);
    if (ptx_at_punct(parser, '['))
        return parse_address(parser, depth, operand);
    if (ptx_accept_punct(parser, '{')) {
        operand->kind = PTX_OPERAND_VECTOR;
        return parse_elements(parser, '}', depth, operand);
    }
    return ptx_expected(parser, "an operand");
}

bool ptx_parse_operand(struct ptx_parser *parser, bool is_call, unsigned depth,
                       struct ptx_operand *operand) {
    *operand = (struct ptx_operand){.range = parser->token.range};
    if (!parse_one(parser, is_call, depth, operand))
        return false;
    if (ptx_at_punct(parser, '|') && !operand->is_negated &&
        (operand->kind == PTX_OPERAND_REGISTER || operand->kind == PTX_OPERAND_SINK ||
         operand->kind == PTX_OPERAND_VECTOR)) {
        ptx_next(parser);
        operand->pair = ARENA_NEW(parser->arena, struct ptx_operand);
        if (!ptx_parse_operand(parser, false, depth + 1, operand->pair))
            return false;
    }
    operand->range.end = parser->last_end;
    return true;
}
