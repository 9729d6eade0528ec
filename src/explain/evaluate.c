// Evaluates a tree for a whole warp at once. Lanes are switched off where C does not evaluate:
// behind && and ||, and in the branch of ?: that is not taken.
#include <stdarg.h>
#include <string.h>

#include "explain/internal.h"

bool explain_complain(struct explain_scope *scope, const struct explain_node *node,
                      struct source_range range, const char *format, ...) {
    if (scope->has_failed)
        return false;
    scope->has_failed = true;
    va_list arguments;
    va_start(arguments, format);
    diag_vadd(scope->diags, DIAG_ERROR, node->source, range, format, arguments);
    va_end(arguments);
    return false;
}

static bool is_integer(const struct explain_value *value) {
    return value->type->kind == EXPLAIN_INTEGER && !value->is_place;
}

// Arrays become pointers to their first element, as everywhere in C but below & and sizeof.
static void decay(const struct explain_scope *scope, struct explain_value *value) {
    if (!value->is_place || value->type->kind != EXPLAIN_ARRAY)
        return;
    value->type = explain_pointer(scope->explain->arena, value->type->element);
    value->is_place = false;
}

static bool unknown_content(struct explain_scope *scope, const struct explain_node *node,
                            const struct explain_value *place) {
    const struct explain_variable *array = place->variable;
    if (array && array->type->kind == EXPLAIN_ARRAY && array->type->element == place->type)
        return explain_complain(scope, node, node->range,
                                "what shared memory holds is not known; say it with --let, like "
                                "'%s[]=3,1,4'",
                                array->name);
    return explain_complain(scope, node, node->range,
                            "what shared memory holds is not known; use --let for its value");
}

static bool evaluate_integer(struct explain_scope *scope, const struct explain_node *node,
                             uint32_t mask, struct explain_value *value) {
    if (!explain_evaluate(scope, node, mask, value))
        return false;
    if (is_integer(value))
        return true;
    if (value->is_place && value->type->kind != EXPLAIN_ARRAY)
        return unknown_content(scope, node, value);
    return explain_complain(scope, node, node->range, "expected an integer");
}

static void evaluate_builtin(const struct explain_scope *scope, const struct explain_node *node,
                             struct explain_value *value) {
    const struct explain_launch *launch = &scope->explain->launch;
    unsigned what = (unsigned)node->number, axis = what % 3;
    value->type = &explain_unsigned;
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++) {
        uint64_t thread = (uint64_t)scope->warp * BANKRUN_LANES + lane;
        const uint64_t index[3] = {thread % launch->block[0],
                                   thread / launch->block[0] % launch->block[1],
                                   thread / launch->block[0] / launch->block[1] % launch->block[2]};
        int64_t number = 0;
        if (what < EXPLAIN_BLOCK_IDX)
            number = (int64_t)index[axis];
        else if (what < EXPLAIN_BLOCK_DIM)
            number = launch->block_index[axis];
        else if (what < EXPLAIN_GRID_DIM)
            number = launch->block[axis];
        else if (what < EXPLAIN_TID)
            number = launch->grid[axis];
        else if (what == EXPLAIN_TID)
            number = (int64_t)thread;
        else if (what == EXPLAIN_LANE)
            number = lane;
        else if (what == EXPLAIN_WARP)
            number = scope->warp;
        else
            number = BANKRUN_LANES;
        value->lanes[lane] = number;
    }
    if (what >= EXPLAIN_TID)
        value->type = &explain_int;
}

// pointer + integer * size. `sign` is 1 or -1.
static bool move_pointer(struct explain_scope *scope, const struct explain_node *node,
                         uint32_t mask, struct explain_value *pointer,
                         const struct explain_value *by, int sign) {
    int64_t bytes = (int64_t)pointer->type->element->bytes;
    if (bytes == 0)
        return explain_complain(scope, node, node->mark, "a step over %s has no size",
                                pointer->type->element->name);
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        explain_wide count = by->type->is_unsigned ? (explain_wide)(uint64_t)by->lanes[lane]
                                                   : (explain_wide)by->lanes[lane];
        explain_wide place = pointer->lanes[lane] + sign * count * bytes;
        if (place > INT32_MAX || place < INT32_MIN) // nothing like an address in shared memory
            return explain_complain(scope, node, node->range,
                                    "lane %u of warp %u is %s2 GiB off the start of shared memory",
                                    lane, scope->warp, place < 0 ? "more than -" : "more than ");
        pointer->lanes[lane] = (int64_t)place;
    }
    return true;
}

static bool evaluate_index(struct explain_scope *scope, const struct explain_node *node,
                           uint32_t mask, struct explain_value *value) {
    struct explain_value index;
    if (!explain_evaluate(scope, node->a, mask, value))
        return false;
    decay(scope, value);
    if (value->is_place || value->type->kind != EXPLAIN_POINTER)
        return explain_complain(scope, node, node->a->range, "this is no array");
    if (!evaluate_integer(scope, node->b, mask, &index) ||
        !move_pointer(scope, node, mask, value, &index, 1))
        return false;
    value->type = value->type->element;
    value->is_place = true;
    return true;
}

static bool evaluate_deref(struct explain_scope *scope, const struct explain_node *node,
                           uint32_t mask, struct explain_value *value) {
    if (!explain_evaluate(scope, node->a, mask, value))
        return false;
    decay(scope, value);
    if (value->is_place || value->type->kind != EXPLAIN_POINTER)
        return explain_complain(scope, node, node->a->range,
                                value->is_place && value->type->kind == EXPLAIN_POINTER
                                    ? "what shared memory holds is not known"
                                    : "this is no pointer into shared memory");
    if (value->type->element->kind == EXPLAIN_VOID)
        return explain_complain(scope, node, node->range, "nothing is of type void");
    value->type = value->type->element;
    value->is_place = true;
    return true;
}

static bool evaluate_member(struct explain_scope *scope, const struct explain_node *node,
                            uint32_t mask, struct explain_value *value) {
    if (!explain_evaluate(scope, node->a, mask, value))
        return false;
    if (!value->is_place || value->type->kind != EXPLAIN_STRUCT)
        return explain_complain(scope, node, node->mark, "this is no struct, it has no members");
    const struct explain_member *member =
        explain_member(value->type, node->name, strlen(node->name));
    if (!member)
        return explain_complain(scope, node, node->mark, "%s has no member '%s'", value->type->name,
                                node->name);
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
        value->lanes[lane] += (int64_t)member->offset;
    value->type = member->type;
    return true;
}

// (float4 *)s[i] casts an element where its address was meant.
static bool casts_element(struct explain_scope *scope, const struct explain_node *node) {
    const struct explain_type *type = node->type;
    return explain_complain(scope, node, node->range,
                            "this casts what shared memory holds, which is not known; an access of "
                            "another type is *(%s *)&...",
                            type->kind == EXPLAIN_POINTER ? type->element->name : type->name);
}

// static_cast makes of a pointer another one only where one of both is void *.
static bool keeps_element(const struct explain_type *to, const struct explain_type *from) {
    const bool has_names = to->name && from->name;
    return to == from || !to->bytes || !from->bytes || (has_names && !strcmp(to->name, from->name));
}

static bool evaluate_cast(struct explain_scope *scope, const struct explain_node *node,
                          uint32_t mask, struct explain_value *value) {
    if (!explain_evaluate(scope, node->a, mask, value))
        return false;
    decay(scope, value);
    if (value->is_place && node->type->kind != EXPLAIN_INTEGER && node->type->kind != EXPLAIN_VOID)
        return casts_element(scope, node);
    if (node->type->kind == EXPLAIN_POINTER) {
        if (value->type->kind != EXPLAIN_POINTER)
            return explain_complain(scope, node, node->range,
                                    "only a pointer into shared memory can become another one");
        if (node->is_static && !keeps_element(node->type->element, value->type->element))
            return explain_complain(scope, node, node->range,
                                    "static_cast makes no such pointer of this one: "
                                    "reinterpret_cast does");
        value->type = node->type;
        return true;
    }
    if (node->type->kind != EXPLAIN_INTEGER)
        return explain_complain(scope, node, node->mark,
                                "an index is computed with integers, "
                                "not with %s",
                                node->type->name);
    if (!is_integer(value))
        return explain_complain(scope, node, node->a->range,
                                value->is_place ? "what shared memory holds is not known"
                                                : "an address has no known number");
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        value->lanes[lane] = explain_convert(value->lanes[lane], node->type);
    }
    value->type = node->type;
    return true;
}

static bool evaluate_sizeof(struct explain_scope *scope, const struct explain_node *node,
                            struct explain_value *value) {
    const struct explain_type *type = node->type;
    if (!type) {
        struct explain_value of;
        if (!explain_evaluate(scope, node->a, 0, &of))
            return false;
        type = of.type;
    }
    if (type->bytes == 0)
        return explain_complain(scope, node, node->range, "this has no size");
    value->type = &explain_ulong;
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
        value->lanes[lane] = (int64_t)type->bytes;
    return true;
}

static bool evaluate_unary(struct explain_scope *scope, const struct explain_node *node,
                           uint32_t mask, struct explain_value *value) {
    struct explain_value a;
    if (!evaluate_integer(scope, node->a, mask, &a))
        return false;
    value->type = node->number == '!' ? &explain_int : explain_promoted(a.type);
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        int64_t number = a.lanes[lane];
        if (node->number == '-' && !value->type->is_unsigned &&
            number == (value->type->bytes == 8 ? INT64_MIN : INT32_MIN))
            return explain_complain(scope, node, node->mark,
                                    "a signed number that overflows in lane %u of warp %u", lane,
                                    scope->warp);
        number = node->number == '-'   ? (int64_t)(0 - (uint64_t)number)
                 : node->number == '~' ? ~number
                 : node->number == '!' ? number == 0
                                       : number;
        value->lanes[lane] = explain_convert(number, value->type);
    }
    return true;
}

static bool evaluate_logic(struct explain_scope *scope, const struct explain_node *node,
                           uint32_t mask, struct explain_value *value) {
    bool is_and = node->number == EXPLAIN_PUNCT2('&', '&');
    struct explain_value a;
    if (!evaluate_integer(scope, node->a, mask, &a))
        return false;
    uint32_t right = 0;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        value->lanes[lane] = a.lanes[lane] != 0;
        if ((a.lanes[lane] != 0) == is_and)
            right |= 1u << lane;
    }
    if (!evaluate_integer(scope, node->b, right, &a))
        return false;
    for (uint32_t rest = right; rest != 0; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        value->lanes[lane] = a.lanes[lane] != 0;
    }
    value->type = &explain_int;
    return true;
}

static int compare(int64_t a, int64_t b, bool is_unsigned) {
    if (is_unsigned)
        return ((uint64_t)a > (uint64_t)b) - ((uint64_t)a < (uint64_t)b);
    return (a > b) - (a < b);
}

// 1 where the comparison holds; -1: the operator is none.
static int holds(int op, int order) {
    switch (op) {
    case '<':
        return order < 0;
    case '>':
        return order > 0;
    case EXPLAIN_PUNCT2('<', '='):
        return order <= 0;
    case EXPLAIN_PUNCT2('>', '='):
        return order >= 0;
    case EXPLAIN_PUNCT2('=', '='):
        return order == 0;
    case EXPLAIN_PUNCT2('!', '='):
        return order != 0;
    default:
        return -1;
    }
}

static void convert_all(struct explain_value *value, const struct explain_type *type) {
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
        value->lanes[lane] = explain_convert(value->lanes[lane], type);
    value->type = type;
}

static bool evaluate_integers(struct explain_scope *scope, const struct explain_node *node,
                              uint32_t mask, struct explain_value *a, struct explain_value *b,
                              struct explain_value *value) {
    int op = (int)node->number;
    bool is_shift = op == EXPLAIN_PUNCT2('<', '<') || op == EXPLAIN_PUNCT2('>', '>');
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++) // none of these has a number yet
        if (!(mask >> lane & 1))
            a->lanes[lane] = b->lanes[lane] = 0;
    const struct explain_type *type =
        is_shift ? explain_promoted(a->type) : explain_common(a->type, b->type);
    convert_all(a, type);
    convert_all(b, is_shift ? explain_promoted(b->type) : type);
    value->type = type;
    if (holds(op, 0) < 0)
        return explain_calculate(scope, node, mask, a, b, value);
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
        value->lanes[lane] = holds(op, compare(a->lanes[lane], b->lanes[lane], type->is_unsigned));
    value->type = &explain_int;
    return true;
}

static bool evaluate_binary(struct explain_scope *scope, const struct explain_node *node,
                            uint32_t mask, struct explain_value *value) {
    if (node->number == EXPLAIN_PUNCT2('&', '&') || node->number == EXPLAIN_PUNCT2('|', '|'))
        return evaluate_logic(scope, node, mask, value);
    struct explain_value a, b;
    if (!explain_evaluate(scope, node->a, mask, &a) || !explain_evaluate(scope, node->b, mask, &b))
        return false;
    decay(scope, &a);
    decay(scope, &b);
    bool pointer_a = !a.is_place && a.type->kind == EXPLAIN_POINTER;
    bool pointer_b = !b.is_place && b.type->kind == EXPLAIN_POINTER;
    if (pointer_a && is_integer(&b) && (node->number == '+' || node->number == '-')) {
        *value = a;
        return move_pointer(scope, node, mask, value, &b, node->number == '+' ? 1 : -1);
    }
    if (pointer_b && is_integer(&a) && node->number == '+') {
        *value = b;
        return move_pointer(scope, node, mask, value, &a, 1);
    }
    if (pointer_a || pointer_b)
        return explain_complain(scope, node, node->mark, "addresses are not computed with so");
    if (!is_integer(&a) || !is_integer(&b)) {
        const struct explain_node *which = is_integer(&a) ? node->b : node->a;
        return unknown_content(scope, which, is_integer(&a) ? &b : &a);
    }
    return evaluate_integers(scope, node, mask, &a, &b, value);
}

static bool evaluate_choice(struct explain_scope *scope, const struct explain_node *node,
                            uint32_t mask, struct explain_value *value) {
    struct explain_value condition, other;
    if (!evaluate_integer(scope, node->a, mask, &condition))
        return false;
    uint32_t yes = 0;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
        if (condition.lanes[__builtin_ctz(rest)] != 0)
            yes |= rest & -rest;
    if (!explain_evaluate(scope, node->b, yes, value) ||
        !explain_evaluate(scope, node->c, mask & ~yes, &other))
        return false;
    bool are_integers = is_integer(value) && is_integer(&other);
    if (!are_integers) {
        if (value->type != other.type)
            decay(scope, value), decay(scope, &other);
        bool is_alike =
            value->is_place == other.is_place &&
            (value->type == other.type ||
             (value->type->kind == EXPLAIN_POINTER && other.type->kind == EXPLAIN_POINTER &&
              value->type->element->bytes == other.type->element->bytes));
        if (!is_alike)
            return explain_complain(scope, node, node->mark,
                                    "the two sides of ':' are of different types");
    }
    const struct explain_type *type =
        are_integers ? explain_common(value->type, other.type) : value->type;
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
        if (!(yes >> lane & 1))
            value->lanes[lane] = mask >> lane & 1 ? other.lanes[lane] : 0;
    if (are_integers)
        convert_all(value, type);
    if (value->variable != other.variable)
        value->variable = NULL;
    return true;
}

static bool evaluate_call(struct explain_scope *scope, const struct explain_node *node,
                          uint32_t mask, struct explain_value *value) {
    enum explain_function function = (enum explain_function)node->number;
    struct explain_value a, b;
    if (!evaluate_integer(scope, node->a, mask, &a))
        return false;
    b = a;
    if (node->b && !evaluate_integer(scope, node->b, mask, &b))
        return false;
    value->type = function == EXPLAIN_BREV   ? &explain_unsigned
                  : function == EXPLAIN_POPC ? &explain_int
                                             : explain_common(a.type, b.type);
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        value->lanes[lane] =
            explain_call(function, value->type, explain_convert(a.lanes[lane], value->type),
                         explain_convert(b.lanes[lane], value->type));
    }
    return true;
}

static bool evaluate_value_of(struct explain_scope *scope, const struct explain_node *node,
                              uint32_t mask, struct explain_value *value) {
    const struct explain_let_row *row = &scope->explain->lets.data[node->number];
    struct explain_value index;
    if (!evaluate_integer(scope, node->a, mask, &index))
        return false;
    value->type = row->type;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        int64_t at = index.lanes[lane];
        if ((uint64_t)at >= row->count) // of unsigned numbers beyond all signed ones, too
            return explain_complain(scope, node, node->mark,
                                    "lane %u of warp %u takes %s[%lld], and %s has %zu value%s",
                                    lane, scope->warp, row->name, (long long)at, row->name,
                                    row->count, row->count == 1 ? "" : "s");
        value->lanes[lane] = row->values[at];
    }
    return true;
}

// Arguments are evaluated once, as a function's are; they may be places and pointers.
static bool evaluate_apply(struct explain_scope *scope, const struct explain_node *node,
                           uint32_t mask, struct explain_value *value) {
    struct explain_value *arguments =
        base_alloc((node->argument_count + 1) * sizeof(struct explain_value));
    struct explain_scope inner = *scope;
    bool is_fine = true;
    for (size_t i = 0; i < node->argument_count && is_fine; i++)
        is_fine = explain_evaluate(scope, node->arguments[i], mask, &arguments[i]);
    inner.parameters = arguments;
    is_fine = is_fine &&
              explain_evaluate(&inner, scope->explain->lets.data[node->number].value, mask, value);
    scope->has_failed |= inner.has_failed;
    free(arguments);
    return is_fine;
}

bool explain_evaluate(struct explain_scope *scope, const struct explain_node *node, uint32_t mask,
                      struct explain_value *value) {
    memset(value, 0, sizeof *value);
    switch (node->op) {
    case EXPLAIN_NUMBER:
        value->type = node->type;
        for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
            value->lanes[lane] = (int64_t)node->number;
        return true;
    case EXPLAIN_BUILTIN:
        evaluate_builtin(scope, node, value);
        return true;
    case EXPLAIN_LET:
        *value = scope->lets[node->number];
        return true;
    case EXPLAIN_VARIABLE:
        value->variable = &scope->explain->variables.data[node->number];
        value->type = value->variable->type;
        value->is_place = true;
        for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
            value->lanes[lane] = (int64_t)value->variable->offset;
        return true;
    case EXPLAIN_MEMBER:
        return evaluate_member(scope, node, mask, value);
    case EXPLAIN_INDEX:
        return evaluate_index(scope, node, mask, value);
    case EXPLAIN_DEREF:
        return evaluate_deref(scope, node, mask, value);
    case EXPLAIN_ADDRESS:
        if (!explain_evaluate(scope, node->a, mask, value))
            return false;
        if (!value->is_place)
            return explain_complain(scope, node, node->a->range, "this has no address");
        value->type = explain_pointer(scope->explain->arena, value->type);
        value->is_place = false;
        return true;
    case EXPLAIN_CAST:
        return evaluate_cast(scope, node, mask, value);
    case EXPLAIN_SIZEOF:
        return evaluate_sizeof(scope, node, value);
    case EXPLAIN_UNARY:
        return evaluate_unary(scope, node, mask, value);
    case EXPLAIN_BINARY:
        return evaluate_binary(scope, node, mask, value);
    case EXPLAIN_CHOICE:
        return evaluate_choice(scope, node, mask, value);
    case EXPLAIN_CALL:
        return evaluate_call(scope, node, mask, value);
    case EXPLAIN_VALUE_OF:
        return evaluate_value_of(scope, node, mask, value);
    case EXPLAIN_APPLY:
        return evaluate_apply(scope, node, mask, value);
    case EXPLAIN_PARAMETER:
        *value = scope->parameters[node->number];
        return true;
    }
    return false;
}
