// Constant expressions: C's operators over 64-bit integers, and arithmetic over floats.
#include <string.h>

#include "ptx/parser.h"

static bool parse_ternary(struct ptx_parser *parser, unsigned depth, struct ptx_constant *value);

static void set_integer(struct ptx_constant *constant, uint64_t bits, bool is_unsigned) {
    *constant = (struct ptx_constant){PTX_CONSTANT_INTEGER, is_unsigned, bits};
}

static double as_double(const struct ptx_constant *constant) {
    double value;
    float single;
    uint32_t bits = (uint32_t)constant->bits;
    memcpy(&value, &constant->bits, sizeof value);
    memcpy(&single, &bits, sizeof single);
    return constant->kind == PTX_CONSTANT_SINGLE ? (double)single : value;
}

static void set_double(struct ptx_constant *constant, double value) {
    *constant = (struct ptx_constant){.kind = PTX_CONSTANT_DOUBLE};
    memcpy(&constant->bits, &value, sizeof value);
}

static bool is_warp_size(const struct ptx_parser *parser) {
    struct source_range range = parser->token.range;
    return parser->token.kind == PTX_TOKEN_NAME && range.end - range.begin == 7 &&
           memcmp(ptx_text(parser, range), "WARP_SZ", 7) == 0;
}

bool ptx_at_constant(const struct ptx_parser *parser) {
    switch (parser->token.kind) {
    case PTX_TOKEN_INTEGER:
    case PTX_TOKEN_SINGLE:
    case PTX_TOKEN_DOUBLE:
        return true;
    case PTX_TOKEN_PUNCT:
        return strchr("+-~!(", parser->token.punct) && parser->token.punct;
    default:
        return is_warp_size(parser);
    }
}

static bool parse_parenthesis(struct ptx_parser *parser, unsigned depth,
                              struct ptx_constant *value);

static bool parse_primary(struct ptx_parser *parser, unsigned depth, struct ptx_constant *value) {
    const struct ptx_token token = parser->token;
    switch (token.kind) {
    case PTX_TOKEN_INTEGER:
        set_integer(value, token.value, token.is_unsigned);
        break;
    case PTX_TOKEN_SINGLE:
        *value = (struct ptx_constant){PTX_CONSTANT_SINGLE, false, token.value};
        break;
    case PTX_TOKEN_DOUBLE:
        *value = (struct ptx_constant){PTX_CONSTANT_DOUBLE, false, token.value};
        break;
    default:
        if (ptx_at_punct(parser, '('))
            return parse_parenthesis(parser, depth, value);
        if (!is_warp_size(parser))
            return ptx_expected(parser, "a constant");
        set_integer(value, 32, false);
    }
    ptx_next(parser);
    return true;
}

static bool apply_unary(struct ptx_parser *parser, int punct, struct source_range range,
                        struct ptx_constant *value) {
    if (value->kind == PTX_CONSTANT_INTEGER) {
        if (punct == '-')
            value->bits = 0 - value->bits;
        else if (punct == '~')
            value->bits = ~value->bits;
        else if (punct == '!')
            set_integer(value, !value->bits, false);
        return true;
    }
    if (punct == '-')
        value->bits ^= value->kind == PTX_CONSTANT_SINGLE ? (uint64_t)1 << 31 : (uint64_t)1 << 63;
    return punct == '-' || punct == '+' ||
           ptx_error(parser, range, "'%c' takes an integer, not a floating-point number", punct);
}

static bool parse_unary(struct ptx_parser *parser, unsigned depth, struct ptx_constant *value) {
    if (depth > PTX_MAX_CONSTANT_DEPTH)
        return ptx_error(parser, parser->token.range, "this constant is nested too deeply");
    int punct = parser->token.kind == PTX_TOKEN_PUNCT ? parser->token.punct : 0;
    struct source_range range = parser->token.range;
    if (punct != '-' && punct != '+' && punct != '~' && punct != '!')
        return parse_primary(parser, depth, value);
    ptx_next(parser);
    return parse_unary(parser, depth + 1, value) && apply_unary(parser, punct, range, value);
}

// `(expression)`, `(.s64) operand` or `(.u64) operand`
static bool parse_parenthesis(struct ptx_parser *parser, unsigned depth,
                              struct ptx_constant *value) {
    ptx_next(parser);
    bool is_signed = ptx_at_dot(parser, ".s64");
    if (is_signed || ptx_at_dot(parser, ".u64")) {
        struct source_range range = parser->token.range;
        ptx_next(parser);
        if (!ptx_expect_punct(parser, ')') || !parse_unary(parser, depth + 1, value))
            return false;
        if (value->kind != PTX_CONSTANT_INTEGER)
            return ptx_error(parser, range, "only integers can be cast");
        value->is_unsigned = !is_signed;
        return true;
    }
    return parse_ternary(parser, depth + 1, value) && ptx_expect_punct(parser, ')');
}

static unsigned precedence(int punct) {
    switch (punct) {
    case '*':
    case '/':
    case '%':
        return 10;
    case '+':
    case '-':
        return 9;
    case PTX_PUNCT2('<', '<'):
    case PTX_PUNCT2('>', '>'):
        return 8;
    case '<':
    case '>':
    case PTX_PUNCT2('<', '='):
    case PTX_PUNCT2('>', '='):
        return 7;
    case PTX_PUNCT2('=', '='):
    case PTX_PUNCT2('!', '='):
        return 6;
    case '&':
        return 5;
    case '^':
        return 4;
    case '|':
        return 3;
    case PTX_PUNCT2('&', '&'):
        return 2;
    case PTX_PUNCT2('|', '|'):
        return 1;
    default:
        return 0;
    }
}

static uint64_t shift_right(uint64_t value, uint64_t count, bool is_unsigned) {
    uint64_t sign = !is_unsigned && value >> 63 ? ~(uint64_t)0 : 0;
    if (count == 0)
        return value;
    return count > 63 ? sign : value >> count | (sign << (64 - count));
}

static bool divide(struct ptx_parser *parser, int punct, struct source_range range,
                   bool is_unsigned, uint64_t a, uint64_t b, uint64_t *result) {
    if (b == 0)
        return ptx_error(parser, range, "division by zero in a constant");
    if (is_unsigned)
        *result = punct == '/' ? a / b : a % b;
    else if (b == ~(uint64_t)0) // the most negative number divided by -1 overflows
        *result = punct == '/' ? 0 - a : 0;
    else
        *result = (uint64_t)(punct == '/' ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b);
    return true;
}

static bool is_less(uint64_t a, uint64_t b, bool is_unsigned) {
    return is_unsigned ? a < b : (int64_t)a < (int64_t)b;
}

static bool apply_integers(struct ptx_parser *parser, int punct, struct source_range range,
                           struct ptx_constant *left, const struct ptx_constant *right) {
    uint64_t a = left->bits, b = right->bits, result = 0;
    bool is_unsigned = left->is_unsigned || right->is_unsigned;
    bool is_truth = precedence(punct) == 7 || precedence(punct) == 6 || precedence(punct) <= 2;
    switch (punct) {
    case '*':
        result = a * b;
        break;
    case '+':
        result = a + b;
        break;
    case '-':
        result = a - b;
        break;
    case '&':
        result = a & b;
        break;
    case '^':
        result = a ^ b;
        break;
    case '|':
        result = a | b;
        break;
    case '<':
        result = is_less(a, b, is_unsigned);
        break;
    case '>':
        result = is_less(b, a, is_unsigned);
        break;
    case PTX_PUNCT2('<', '='):
        result = !is_less(b, a, is_unsigned);
        break;
    case PTX_PUNCT2('>', '='):
        result = !is_less(a, b, is_unsigned);
        break;
    case PTX_PUNCT2('=', '='):
        result = a == b;
        break;
    case PTX_PUNCT2('!', '='):
        result = a != b;
        break;
    case PTX_PUNCT2('&', '&'):
        result = a && b;
        break;
    case PTX_PUNCT2('|', '|'):
        result = a || b;
        break;
    case PTX_PUNCT2('<', '<'):
        result = b > 63 ? 0 : a << b;
        is_unsigned = left->is_unsigned;
        break;
    case PTX_PUNCT2('>', '>'):
        is_unsigned = left->is_unsigned;
        result = shift_right(a, b, is_unsigned);
        break;
    default:
        if (!divide(parser, punct, range, is_unsigned, a, b, &result))
            return false;
    }
    set_integer(left, result, is_unsigned && !is_truth);
    return true;
}

static bool apply_binary(struct ptx_parser *parser, int punct, struct source_range range,
                         struct ptx_constant *left, const struct ptx_constant *right) {
    bool is_left_integer = left->kind == PTX_CONSTANT_INTEGER;
    bool is_right_integer = right->kind == PTX_CONSTANT_INTEGER;
    if (is_left_integer && is_right_integer)
        return apply_integers(parser, punct, range, left, right);
    if (is_left_integer || is_right_integer)
        return ptx_error(parser, range, "a constant mixes integers and floating-point numbers");
    double a = as_double(left), b = as_double(right);
    switch (punct) {
    case '+':
        set_double(left, a + b);
        return true;
    case '-':
        set_double(left, a - b);
        return true;
    case '*':
        set_double(left, a * b);
        return true;
    case '/':
        set_double(left, a / b);
        return true;
    case '<':
        set_integer(left, a < b, false);
        return true;
    case '>':
        set_integer(left, a > b, false);
        return true;
    case PTX_PUNCT2('<', '='):
        set_integer(left, a <= b, false);
        return true;
    case PTX_PUNCT2('>', '='):
        set_integer(left, a >= b, false);
        return true;
    case PTX_PUNCT2('=', '='):
        set_integer(left, a == b, false);
        return true;
    case PTX_PUNCT2('!', '='):
        set_integer(left, a != b, false);
        return true;
    default:
        return ptx_error(parser, range, "this operator takes integers only");
    }
}

// Operators that bind at least as tightly as `least`. Recursion is bounded by their 10 levels.
static bool parse_binary(struct ptx_parser *parser, unsigned depth, unsigned least,
                         struct ptx_constant *value) {
    if (!parse_unary(parser, depth, value))
        return false;
    for (;;) {
        int punct = parser->token.kind == PTX_TOKEN_PUNCT ? parser->token.punct : 0;
        unsigned level = precedence(punct);
        if (level == 0 || level < least)
            return true;
        struct source_range range = parser->token.range;
        struct ptx_constant right;
        ptx_next(parser);
        if (!parse_binary(parser, depth, level + 1, &right) ||
            !apply_binary(parser, punct, range, value, &right))
            return false;
    }
}

static bool parse_ternary(struct ptx_parser *parser, unsigned depth, struct ptx_constant *value) {
    if (depth > PTX_MAX_CONSTANT_DEPTH)
        return ptx_error(parser, parser->token.range, "this constant is nested too deeply");
    if (!parse_binary(parser, depth, 1, value))
        return false;
    if (!ptx_accept_punct(parser, '?'))
        return true;
    struct ptx_constant yes, no;
    bool is_true = value->bits != 0;
    if (!parse_ternary(parser, depth + 1, &yes) || !ptx_expect_punct(parser, ':') ||
        !parse_ternary(parser, depth + 1, &no))
        return false;
    *value = is_true ? yes : no;
    return true;
}

bool ptx_parse_constant(struct ptx_parser *parser, struct ptx_constant *constant) {
    return parse_ternary(parser, 0, constant);
}

bool ptx_parse_integer(struct ptx_parser *parser, const char *what, uint64_t *value) {
    struct ptx_constant constant;
    struct source_range range = parser->token.range;
    if (!ptx_at_constant(parser))
        return ptx_expected(parser, what);
    if (!ptx_parse_constant(parser, &constant))
        return false;
    range.end = parser->last_end;
    if (constant.kind != PTX_CONSTANT_INTEGER)
        return ptx_error(parser, range, "%s must be an integer", what);
    *value = constant.bits;
    return true;
}

bool ptx_parse_count(struct ptx_parser *parser, const char *what, uint64_t most, uint64_t *value) {
    struct source_range range = parser->token.range;
    if (!ptx_parse_integer(parser, what, value))
        return false;
    range.end = parser->last_end;
    if (*value > most)
        return ptx_error(parser, range, "%s must be between 0 and %llu", what,
                         (unsigned long long)most);
    return true;
}
