// Finds shared arrays and their uses. See arrays.h.
#include "patch/arrays.h"

#include <string.h>

#include "patch/functions.h"

static const struct patch_token *token_at(const struct patch_text *source, size_t at) {
    return at < source->tokens.length ? &source->tokens.data[at] : NULL;
}

static bool is_name(const struct patch_text *source, size_t at) {
    const struct patch_token *token = token_at(source, at);
    return token && token->kind == PATCH_NAME;
}

static void object(struct patch_array *array, const struct patch_text *source, size_t at,
                   const char *problem) {
    if (array->problem)
        return;
    array->problem = problem;
    array->problem_text = source->number;
    array->problem_line = source->tokens.data[at].line;
}

// The brackets from token `at` on. Returns the token behind them.
static size_t read_brackets(const struct patch_text *source, size_t at, struct patch_range *inside,
                            unsigned *count) {
    for (*count = 0; patch_is(source, at, "[") && *count < PATCH_MOST_RANK; (*count)++) {
        const size_t close = patch_closing(source, at);
        if (close >= source->tokens.length)
            break;
        inside[*count] = (struct patch_range){at + 1, close - 1};
        at = close + 1;
    }
    return at;
}

// ---- Uses -----------------------------------------------------------------------------------

static bool has_name(const struct patch_text *source, const struct patch_use *use, unsigned rank) {
    for (unsigned i = 0; i < rank; i++)
        for (size_t at = use->indices[i].first; at <= use->indices[i].last; at++)
            if (is_name(source, at))
                return true;
    return false;
}

// Whether the & before the use takes an address, and does not join two numbers.
static bool is_address(const struct patch_text *source, size_t use) {
    static const char *const before[] = {"(", ",",  "=",  "[",  "{", ";", "return", "?",
                                         ":", "&&", "||", "!",  "+", "-", "*",      "/",
                                         "%", "<",  ">",  "==", ")", NULL};
    return use > 0 && patch_is(source, use - 1, "&") &&
           (use == 1 || patch_is_any(source, use - 2, before));
}

// *(float4 *)&s[i] and *reinterpret_cast<float4 *>(&s[i]): an access at one place, if nothing is
// added to the address. `amp`: the &, `end`: behind the use.
static bool is_cast_access(const struct patch_text *source, size_t amp, size_t end) {
    size_t open = amp;
    if (amp == 0)
        return false;
    if (patch_is(source, amp - 1, "(")) { // _cast<T>(&s[i])
        if (!patch_is(source, end, ")") || patch_is(source, end + 1, "["))
            return false;
        for (open = amp - 1; open > 0 && !patch_is(source, open, "reinterpret_cast"); open--)
            if (patch_is(source, open, ";") || patch_is(source, open, "{"))
                return false;
        return open > 0 && patch_is(source, open - 1, "*") && !patch_is(source, end + 1, "+");
    }
    if (!patch_is(source, amp - 1, ")") || patch_is(source, end, "[") ||
        patch_is(source, end, "+") || patch_is(source, end, ")"))
        return false;
    for (open = amp - 1; open > 0 && !patch_is(source, open, "("); open--)
        if (patch_is(source, open, ";"))
            return false;
    return open > 0 && patch_is(source, open - 1, "*");
}

// Functions that access one element at the address that they are given.
static bool is_of_one_element(const struct patch_text *source, size_t amp, size_t end) {
    const struct patch_token *callee = amp >= 2 ? token_at(source, amp - 2) : NULL;
    if (!callee || !patch_is(source, amp - 1, "(") || callee->kind != PATCH_NAME)
        return false;
    if (patch_is(source, end, ",") && !strncmp(source->text + callee->begin, "atomic", 6))
        return true;
    return patch_is(source, end, ",") && patch_is(source, amp - 2, "__pipeline_memcpy_async");
}

static bool is_of_one_row(const struct patch_text *source, size_t amp, size_t end) {
    return amp >= 2 && patch_is(source, amp - 1, "(") &&
           patch_is(source, amp - 2, "__cvta_generic_to_shared") && patch_is(source, end, ")") &&
           !patch_is(source, end + 1, "+");
}

// "float tile[32];" in a scope within.
static bool is_declaration(const struct patch_text *source, size_t at) {
    static const char *const operators[] = {"return", "else",      "do", "case",
                                            "throw",  "co_return", NULL};
    static const char *const starts[] = {";", "{", "}", NULL};
    if (at == 0)
        return false;
    if (is_name(source, at - 1) && !token_at(source, at - 1)->is_directive)
        return !patch_is_any(source, at - 1, operators);
    return at >= 3 && (patch_is(source, at - 1, "*") || patch_is(source, at - 1, "&")) &&
           is_name(source, at - 2) && patch_is_any(source, at - 3, starts);
}

static void read_use(const struct patch_text *source, size_t at, struct patch_array *array) {
    static const char *const members[] = {".", "->", "::", NULL};
    struct patch_use use = {.at = at};
    unsigned count;
    if (at > 0 && patch_is_any(source, at - 1, members))
        return;
    const size_t end = read_brackets(source, at + 1, use.indices, &count);
    if (is_declaration(source, at))
        object(array, source, at, "its name is declared once more");
    else if (count == 0)
        object(array, source, at, "it is used as a whole, or as a pointer");
    else if (count < array->rank)
        object(array, source, at, "a row of it is used as a pointer");
    else if (is_address(source, at) && !is_of_one_element(source, at - 1, end) &&
             !is_cast_access(source, at - 1, end) &&
             !(is_of_one_row(source, at - 1, end) && has_name(source, &use, array->rank)))
        object(array, source, at,
               "the address of an element is taken, and where it goes is not "
               "known");
    else
        vec_push(&array->uses, use);
}

// In its scope, and in macros wherever they are.
static void find_uses(const struct patch_text *source, struct patch_array *array) {
    for (size_t at = 0; at < source->tokens.length; at++) {
        const struct patch_token *token = &source->tokens.data[at];
        const bool is_in_scope = at > array->statement_end && at < array->scope_end;
        if (token->kind != PATCH_NAME || !patch_is(source, at, array->name) ||
            (!is_in_scope && !token->is_directive))
            continue;
        if (token->is_directive)
            array->macro_line = token->line;
        read_use(source, at, array);
    }
}

// ---- Other texts ----------------------------------------------------------------------------

// The # of the line that token `at` is in.
static size_t start_of_line(const struct patch_text *source, size_t at) {
    const struct patch_token *tokens = source->tokens.data;
    while (at > 0 && (!patch_is(source, at, "#") ||
                      (tokens[at - 1].is_directive && tokens[at - 1].line == tokens[at].line)))
        at--;
    return at;
}

// Whether token `at` is in the definition of a macro, and no parameter of it.
static bool is_in_macro(const struct patch_text *source, size_t at) {
    const size_t start = start_of_line(source, at), open = start + 3;
    if (!patch_is(source, start + 1, "define"))
        return false;
    if (!patch_is(source, open, "(") ||
        source->tokens.data[open].begin != source->tokens.data[open - 1].end)
        return true;
    const struct patch_token *name = &source->tokens.data[at];
    for (size_t i = open + 1; i < source->tokens.length && !patch_is(source, i, ")"); i++) {
        const struct patch_token *token = &source->tokens.data[i];
        if (token->end - token->begin == name->end - name->begin &&
            !memcmp(source->text + token->begin, source->text + name->begin,
                    name->end - name->begin))
            return false;
    }
    return true;
}

void patch_find_elsewhere(const struct patch_text *other, struct patch_array *array) {
    struct patch_array seen = {.name = array->name, .rank = array->rank};
    for (size_t at = 0; at < other->tokens.length; at++) {
        const struct patch_token *token = &other->tokens.data[at];
        if (token->kind != PATCH_NAME || !patch_is(other, at, array->name))
            continue;
        if (token->is_directive && is_in_macro(other, at)) {
            array->macro_line = token->line;
            read_use(other, at, &seen);
        } else if (!token->is_directive && array->is_at_file_scope) {
            object(&seen, other, at, "it is declared for all of a file, and another names it, too");
        }
    }
    if (!array->problem && seen.problem) {
        array->problem = seen.problem;
        array->problem_text = seen.problem_text;
        array->problem_line = seen.problem_line;
    }
    vec_free(&seen.uses); // they are no places of the array's own text
}

// ---- Declarations ---------------------------------------------------------------------------

// The } of the block that token `at` is in; the number of tokens: it is in none.
static size_t end_of_scope(const struct patch_text *source, size_t at) {
    size_t depth = 0;
    for (; at < source->tokens.length; at++) {
        if (source->tokens.data[at].is_directive)
            continue;
        depth += patch_is(source, at, "{");
        if (patch_is(source, at, "}") && depth-- == 0)
            return at;
    }
    return at;
}

static size_t start_of_statement(const struct patch_text *source, size_t at) {
    static const char *const ends[] = {";", "{", "}", NULL};
    while (at > 0 && !patch_is_any(source, at - 1, ends) &&
           !source->tokens.data[at - 1].is_directive)
        at--;
    return at;
}

static void add_array(const struct patch_text *source, size_t name_at, struct patch_range statement,
                      bool is_dynamic, patch_arrays *arrays) {
    const struct patch_token *name = &source->tokens.data[name_at];
    struct patch_array array = {
        .name = base_strndup(source->text + name->begin, name->end - name->begin),
        .text = source->number,
        .line = name->line,
        .at = name_at,
        .statement_begin = statement.first,
        .statement_end = statement.last,
        .is_dynamic = is_dynamic};
    const size_t end = read_brackets(source, name_at + 1, array.extents, &array.rank);
    array.scope_end = end_of_scope(source, statement.last);
    array.is_at_file_scope = patch_body_of(source, name_at) == source->tokens.length;
    if (patch_is(source, end, "["))
        object(&array, source, name_at, "it has more than four indices");
    find_uses(source, &array);
    vec_push(arrays, array);
}

// What the statement declares: each name before a [ that is in no other brackets.
static void read_declaration(const struct patch_text *source, size_t at, patch_arrays *arrays) {
    const size_t start = start_of_statement(source, at);
    bool is_dynamic = false;
    size_t end = at;
    for (; end < source->tokens.length && !patch_is(source, end, ";"); end++) {
        if (patch_is(source, end, "{")) // a struct without a name: its members are not arrays here
            return;
        if (patch_is(source, end, "(") || patch_is(source, end, "["))
            end = patch_closing(source, end);
    }
    if (end >= source->tokens.length)
        return;
    for (size_t i = start; i < at; i++)
        is_dynamic |= patch_is(source, i, "extern");
    for (size_t i = start; i < end; i++) {
        if (patch_is(source, i, "(") || patch_is(source, i, "["))
            i = patch_closing(source, i);
        else if (is_name(source, i) && patch_is(source, i + 1, "["))
            add_array(source, i, (struct patch_range){start, end}, is_dynamic, arrays);
    }
}

void patch_find_arrays(const struct patch_text *source, patch_arrays *arrays) {
    for (size_t at = 0; at < source->tokens.length; at++)
        if (patch_is(source, at, "__shared__") && !source->tokens.data[at].is_directive)
            read_declaration(source, at, arrays);
}

void patch_arrays_free(patch_arrays *arrays) {
    for (size_t i = 0; i < arrays->length; i++) {
        free(arrays->data[i].name);
        vec_free(&arrays->data[i].uses);
    }
    vec_free(arrays);
}
