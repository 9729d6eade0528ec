// What --let defines: numbers, sweeps, arrays of numbers and functions.
#include <string.h>

#include "explain/internal.h"

enum { MAX_LETS = 256, MAX_PARAMETERS = 16, MAX_VALUES = 4096 };

// ---- Numbers and sweeps -------------------------------------------------------------------

static const struct explain_node *number_node(struct explain *explain, int64_t number) {
    struct explain_node *node = ARENA_NEW(explain->arena, struct explain_node);
    bool fits = number >= INT32_MIN && number <= INT32_MAX;
    *node = (struct explain_node){.op = EXPLAIN_NUMBER,
                                  .depth = 1,
                                  .number = (uint64_t)number,
                                  .type = fits ? &explain_int : &explain_long};
    return node;
}

// The value of this combination: combinations count like digits, the first sweep's the lowest.
static bool parse_sweep(struct explain_parser *parser, const struct explain_node *first_node,
                        struct explain_let_row *row) {
    struct explain *explain = parser->explain;
    int64_t first, last, step = 1;
    const struct explain_node *last_node = explain_parse_expression(parser), *step_node = NULL;
    if (last_node && explain_accept(parser, ','))
        step_node = explain_parse_expression(parser);
    if (parser->has_failed || !last_node ||
        !explain_constant(explain, first_node, &first, parser->diags) ||
        !explain_constant(explain, last_node, &last, parser->diags) ||
        (step_node && !explain_constant(explain, step_node, &step, parser->diags))) {
        parser->has_failed = true;
        return false;
    }
    explain_wide count = step ? ((explain_wide)last - first) / step + 1 : 0;
    bool goes_away = step == 0 || (last != first && (last > first) != (step > 0));
    if (goes_away)
        explain_fail(parser, step_node ? step_node->range : last_node->range,
                     "from %lld in steps of %lld one never gets to %lld", (long long)first,
                     (long long)step, (long long)last);
    else if (count > EXPLAIN_MAX_SWEEP || (size_t)count > EXPLAIN_MAX_SWEEP / explain->combinations)
        explain_fail(parser, last_node->range, "more than %d combinations", EXPLAIN_MAX_SWEEP);
    if (parser->has_failed)
        return false;
    row->count = (size_t)count;
    size_t at = explain->combination / explain->combinations % row->count;
    row->value = number_node(explain, first + (int64_t)at * step);
    explain->combinations *= row->count;
    return true;
}

static bool parse_number(struct explain_parser *parser, struct explain_let_row *row) {
    row->value = explain_parse_expression(parser);
    if (!row->value)
        return false;
    return !explain_accept(parser, EXPLAIN_PUNCT2('.', '.')) ||
           parse_sweep(parser, row->value, row);
}

// ---- Arrays: h[]=3,1,4 --------------------------------------------------------------------

static bool parse_value(struct explain_parser *parser, int64_t *number) {
    const struct explain_node *node = explain_parse_expression(parser);
    if (node && explain_constant(parser->explain, node, number, parser->diags))
        return true;
    parser->has_failed = true;
    return false;
}

// As in C, an array may have more elements than it is given numbers, and the rest is 0.
static bool parse_values(struct explain_parser *parser, struct explain_let_row *row, size_t count) {
    VEC(int64_t) values = {0};
    struct source_range range = parser->token.range;
    bool is_braced = explain_accept(parser, '{');
    do {
        int64_t number = 0;
        range.begin = parser->token.range.begin;
        if (!parse_value(parser, &number))
            break;
        range.end = parser->token.range.begin;
        vec_push(&values, number);
        if (values.length > MAX_VALUES || (count && values.length > count))
            explain_fail(parser, range, "more than %zu values", count ? count : MAX_VALUES);
    } while (explain_accept(parser, ','));
    if (is_braced && !parser->has_failed)
        explain_expect(parser, '}', "'}'");
    row->count = count ? count : values.length;
    row->values = ARENA_ARRAY(parser->explain->arena, int64_t, row->count + 1);
    row->type = &explain_int;
    for (size_t i = 0; i < values.length && !parser->has_failed; i++) {
        row->values[i] = values.data[i];
        if (explain_convert(values.data[i], &explain_int) != values.data[i])
            row->type = &explain_long;
    }
    vec_free(&values);
    return !parser->has_failed;
}

// How many elements "[4]" says; 0: "[]" leaves it open.
static size_t parse_count(struct explain_parser *parser) {
    struct source_range range = parser->token.range;
    int64_t count = 0;
    if (explain_accept(parser, ']'))
        return 0;
    if (!parse_value(parser, &count))
        return 0;
    if (count < 1 || count > MAX_VALUES)
        explain_fail(parser, range, "an array of values has 1 to %d of them", MAX_VALUES);
    explain_expect(parser, ']', "']'");
    return (size_t)count;
}

// ---- Functions: IDX(i)=i+i/32 -------------------------------------------------------------

static void parse_parameters(struct explain_parser *parser, struct explain_let_row *row) {
    row->parameters = ARENA_ARRAY(parser->explain->arena, const char *, MAX_PARAMETERS);
    if (explain_accept(parser, ')'))
        return;
    do {
        struct source_range range = parser->token.range;
        if (parser->token.kind != EXPLAIN_TOKEN_NAME) {
            explain_fail(parser, range, "expected the name of a parameter");
            return;
        }
        const char *name = explain_token_text(parser);
        for (size_t i = 0; i < row->parameter_count; i++)
            if (strcmp(row->parameters[i], name) == 0)
                explain_fail(parser, range, "two parameters are called '%s'", name);
        if (row->parameter_count == MAX_PARAMETERS)
            explain_fail(parser, range, "more than %d parameters", MAX_PARAMETERS);
        if (parser->has_failed)
            return;
        row->parameters[row->parameter_count++] = name;
        explain_advance(parser);
    } while (explain_accept(parser, ','));
    explain_expect(parser, ')', "')'");
}

bool explain_define(struct explain *explain, size_t index, unsigned depth,
                    struct diag_list *diags) {
    struct explain_let_row *row = &explain->lets.data[index];
    struct explain_parser parser;
    if (row->value)
        return true;
    explain_parser_init(&parser, explain, row->source, diags);
    parser.lexer.at = row->body;
    parser.depth = depth;
    parser.function = row;
    parser.visible_lets = index;
    explain_advance(&parser);
    const struct explain_node *value = explain_parse_expression(&parser);
    struct source_range rest = parser.token.range;
    if (explain_accept(&parser, EXPLAIN_PUNCT2('.', '.')))
        explain_fail(&parser, rest, "a function is no sweep; sweep a number that it uses");
    else if (!parser.has_failed && parser.token.kind != EXPLAIN_TOKEN_END)
        explain_fail(&parser, rest, "here the value should end");
    if (parser.has_failed)
        return false;
    explain->lets.data[index].value = value;
    return true;
}

bool explain_define_all(struct explain *explain, struct diag_list *diags) {
    for (size_t i = 0; i < explain->lets.length; i++)
        if (explain->lets.data[i].kind == EXPLAIN_LET_FUNCTION &&
            !explain_define(explain, i, 0, diags))
            return false;
    return true;
}

// -------------------------------------------------------------------------------------------

bool explain_let(struct explain *explain, const struct source *source, struct diag_list *diags) {
    struct explain_parser parser;
    struct explain_let_row row = {.source = source};
    size_t count = 0;
    explain_parser_init(&parser, explain, source, diags);
    if (parser.token.kind != EXPLAIN_TOKEN_NAME || parser.has_failed) {
        explain_fail(&parser, parser.token.range, "a variable is given like NAME=NUMBER");
        return false;
    }
    row.name = explain_token_text(&parser);
    if (explain->lets.length == MAX_LETS)
        explain_fail(&parser, parser.token.range, "more than %d variables", MAX_LETS);
    explain_advance(&parser);
    if (explain_accept(&parser, '(')) {
        row.kind = EXPLAIN_LET_FUNCTION;
        parse_parameters(&parser, &row);
    } else if (explain_accept(&parser, '[')) {
        row.kind = EXPLAIN_LET_VALUES;
        count = parse_count(&parser);
    }
    row.body = parser.token.range.end;
    if (!explain_expect(&parser, '=', "'=' and a value"))
        return false;
    if (row.kind == EXPLAIN_LET_FUNCTION && parser.token.kind == EXPLAIN_TOKEN_END)
        explain_fail(&parser, parser.token.range, "the expression ends too early");
    if (row.kind == EXPLAIN_LET_NUMBER
            ? !parse_number(&parser, &row)
            : row.kind == EXPLAIN_LET_VALUES && !parse_values(&parser, &row, count))
        return false;
    if (!parser.has_failed && row.kind != EXPLAIN_LET_FUNCTION &&
        parser.token.kind != EXPLAIN_TOKEN_END)
        explain_fail(&parser, parser.token.range, "here the value should end");
    if (!parser.has_failed)
        vec_push(&explain->lets, row);
    return !parser.has_failed;
}
