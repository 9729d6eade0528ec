// The pieces of a question, and the answer for one warp.
#include "explain/explain.h"

#include <string.h>

#include "explain/internal.h"

struct explain *explain_create(const struct explain_launch *launch, size_t combination) {
    struct arena *arena = arena_create();
    struct explain *explain = ARENA_NEW(arena, struct explain);
    *explain = (struct explain){
        .arena = arena, .launch = *launch, .combination = combination, .combinations = 1};
    return explain;
}

void explain_free(struct explain *explain) {
    if (!explain)
        return;
    vec_free(&explain->variables);
    vec_free(&explain->lets);
    vec_free(&explain->tags);
    arena_destroy(explain->arena);
}

uint64_t explain_shared_bytes(const struct explain *explain) {
    return explain->bytes;
}

// ---- Variables ----------------------------------------------------------------------------

static bool evaluate_lets(struct explain_scope *scope, struct explain_value *values) {
    const struct explain *explain = scope->explain;
    for (size_t i = 0; i < explain->lets.length; i++)
        if (explain->lets.data[i].kind == EXPLAIN_LET_NUMBER &&
            !explain_evaluate(scope, explain->lets.data[i].value, scope->mask, &values[i]))
            return false;
    return true;
}

bool explain_constant(const struct explain *explain, const struct explain_node *node,
                      int64_t *number, struct diag_list *diags) {
    struct explain_value value;
    struct explain_scope scope = {.explain = explain, .mask = 1, .diags = diags};
    if (node->is_per_thread)
        return explain_complain(&scope, node, node->range, "this differs from thread to thread");
    struct explain_value *lets =
        base_alloc((explain->lets.length + 1) * sizeof(struct explain_value));
    scope.lets = lets;
    bool is_fine = evaluate_lets(&scope, lets) && explain_evaluate(&scope, node, 1, &value);
    free(lets);
    if (!is_fine)
        return false;
    if (value.type->kind != EXPLAIN_INTEGER || value.is_place)
        return explain_complain(&scope, node, node->range, "expected an integer");
    *number = value.lanes[0];
    if (value.type->is_unsigned && *number < 0)
        return explain_complain(&scope, node, node->range, "this number is too large");
    return true;
}

size_t explain_combinations(const struct explain *explain) {
    return explain->combinations;
}

static const struct explain_let_row *sweep_row(const struct explain *explain, size_t sweep) {
    for (size_t i = 0; i < explain->lets.length; i++)
        if (explain->lets.data[i].kind == EXPLAIN_LET_NUMBER && explain->lets.data[i].count &&
            sweep-- == 0)
            return &explain->lets.data[i];
    return NULL;
}

size_t explain_sweeps(const struct explain *explain) {
    size_t count = 0;
    while (sweep_row(explain, count))
        count++;
    return count;
}

const char *explain_sweep_name(const struct explain *explain, size_t sweep) {
    return sweep_row(explain, sweep)->name;
}

int64_t explain_sweep_value(const struct explain *explain, size_t sweep) {
    return (int64_t)sweep_row(explain, sweep)->value->number;
}

// ---- The expression -----------------------------------------------------------------------

bool explain_expression(struct explain *explain, const struct source *source,
                        struct diag_list *diags) {
    explain->expression =
        explain_define_all(explain, diags) ? explain_parse_whole(explain, source, diags) : NULL;
    return explain->expression != NULL;
}

bool explain_condition(struct explain *explain, const struct source *source,
                       struct diag_list *diags) {
    explain->condition =
        explain_define_all(explain, diags) ? explain_parse_whole(explain, source, diags) : NULL;
    return explain->condition != NULL;
}

// Bytes that one instruction accesses of this type; 0: reported.
static unsigned width_of(struct explain_scope *scope, const struct explain_value *value) {
    const struct explain_node *node = scope->explain->expression;
    const struct explain_type *type = value->type;
    if (!value->is_place) {
        if (type->kind == EXPLAIN_POINTER)
            explain_complain(scope, node, node->range,
                             "this is an address and accesses nothing; write *(...) around it");
        else
            explain_complain(scope, node, node->range,
                             "this is a number and accesses nothing; write what is indexed with "
                             "it, like s[...]");
        return 0;
    }
    if (scope->explain->launch.width)
        return scope->explain->launch.width;
    if (type->kind == EXPLAIN_ARRAY) {
        explain_complain(scope, node, node->range, "this is still an array; index it once more");
        return 0;
    }
    if (type->kind == EXPLAIN_STRUCT &&
        !(type->is_vector && type->bytes == type->align && type->bytes <= 16)) {
        explain_complain(scope, node, node->range,
                         "a %s takes several accesses; choose a member, like .%s, or say how "
                         "wide one access is with --width",
                         type->name, type->members[0].name);
        return 0;
    }
    return (unsigned)type->bytes;
}

static bool apply_condition(struct explain_scope *scope, uint32_t *mask) {
    const struct explain_node *node = scope->explain->condition;
    struct explain_value value;
    if (!node)
        return true;
    if (!explain_evaluate(scope, node, *mask, &value))
        return false;
    if (value.type->kind != EXPLAIN_INTEGER || value.is_place)
        return explain_complain(scope, node, node->range, "expected an integer");
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
        if (value.lanes[lane] == 0)
            *mask &= ~(1u << lane);
    return true;
}

static uint32_t existing_lanes(const struct explain_launch *launch, uint32_t warp) {
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    uint64_t first = (uint64_t)warp * BANKRUN_LANES;
    if (first >= threads)
        return 0;
    return threads - first >= BANKRUN_LANES ? UINT32_MAX : (1u << (threads - first)) - 1;
}

static bool answer(struct explain_scope *scope, struct explain_request *request) {
    const struct explain *explain = scope->explain;
    struct explain_value value;
    uint32_t mask = scope->mask;
    if (!apply_condition(scope, &mask) ||
        !explain_evaluate(scope, explain->expression, mask, &value))
        return false;
    request->mask = mask;
    request->width = width_of(scope, &value);
    if (request->width == 0)
        return false;
    request->type = value.type->name;
    request->is_integer = value.type->kind == EXPLAIN_INTEGER;
    request->is_uniform = !explain->expression->is_per_thread;
    int64_t begin = explain->launch.base, end = (int64_t)explain->bytes;
    bool is_open = false;
    if (value.variable) {
        request->array = value.variable->name;
        request->array_bytes = value.variable->type->bytes;
        begin = (int64_t)value.variable->offset;
        end = begin + (int64_t)request->array_bytes;
        is_open = value.variable->is_unsized;
    }
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        int64_t at = value.lanes[lane];
        request->offsets[lane] = (uint32_t)at;
        request->places[lane] = at - begin;
        if (at < begin || (!is_open && at + (int64_t)request->width > end))
            request->outside |= 1u << lane;
    }
    return true;
}

bool explain_warp(const struct explain *explain, uint32_t warp, struct explain_request *request,
                  struct diag_list *diags) {
    struct explain_scope scope = {.explain = explain,
                                  .warp = warp,
                                  .mask = existing_lanes(&explain->launch, warp),
                                  .diags = diags};
    memset(request, 0, sizeof *request);
    if (scope.mask == 0)
        return true;
    struct explain_value *lets =
        base_alloc((explain->lets.length + 1) * sizeof(struct explain_value));
    scope.lets = lets;
    bool is_fine = evaluate_lets(&scope, lets) && answer(&scope, request);
    free(lets);
    return is_fine;
}
