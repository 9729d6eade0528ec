// See change.h.
#include "patch/change.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "patch/launches.h"

typedef unsigned long long number;

static uint32_t begin_of(const struct patch_text *source, size_t token) {
    return source->tokens.data[token].begin;
}

static uint32_t end_of(const struct patch_text *source, size_t token) {
    return source->tokens.data[token].end;
}

static bool is_empty(const struct patch_range *range) {
    return range->last < range->first;
}

bool patch_is_padding(const struct patch_change *change) {
    return change->kind == PATCH_PAD_ROWS || change->kind == PATCH_PAD_INDEX;
}

// ---- Declarations ---------------------------------------------------------------------------

// Whether "+ 1" can stand behind it: it has no operator that binds less.
static bool is_sum(const struct patch_text *source, const struct patch_range *range) {
    for (size_t at = range->first; at <= range->last; at++) {
        const struct patch_token *token = &source->tokens.data[at];
        const char c = source->text[token->begin];
        if (token->kind == PATCH_MARK && (token->end - token->begin > 1 || !strchr("+-*/%", c))) {
            if (c != '(')
                return false;
            at = patch_closing(source, at);
        }
    }
    return true;
}

// The value of an extent that is written as a number; 0: it is not.
static number literal(const struct patch_text *source, const struct patch_range *range) {
    const struct patch_token *token = &source->tokens.data[range->first];
    char *end;
    if (range->first != range->last || token->kind != PATCH_NUMBER)
        return 0;
    const number value = strtoull(source->text + token->begin, &end, 0);
    return end == source->text + token->end ? value : 0;
}

static void add_to_extent(const struct patch_text *source, const struct patch_range *range,
                          number more, patch_edits *edits) {
    const uint32_t begin = begin_of(source, range->first), end = end_of(source, range->last);
    const number value = literal(source, range);
    if (value) {
        patch_add(edits, begin, end, "%llu", value + more);
    } else if (is_sum(source, range)) {
        patch_insert(edits, end, " + %llu", more);
    } else {
        patch_insert(edits, begin, "(");
        patch_insert(edits, end, ") + %llu", more);
    }
}

// The extent of an array whose index is padded.
static void pad_extent(const struct patch_text *source, const struct patch_range *range,
                       const struct patch_change *change, patch_edits *edits) {
    const uint32_t begin = begin_of(source, range->first), end = end_of(source, range->last);
    const number value = literal(source, range);
    const int length = (int)(end - begin);
    const char *open = range->first == range->last ? "" : "(", *close = *open ? ")" : "";
    if (value)
        patch_add(edits, begin, end, "%llu",
                  value + (value + change->row - 1) / change->row * change->pad);
    else
        patch_add(edits, begin, end, "%s%.*s%s + (%s%.*s%s + %llu) / %llu * %llu", open, length,
                  source->text + begin, close, open, length, source->text + begin, close,
                  (number)change->row - 1, (number)change->row, (number)change->pad);
}

// Whether "* 33" can stand behind it.
static bool is_product(const struct patch_text *source, const struct patch_range *range) {
    for (size_t at = range->first; at <= range->last; at++) {
        if (patch_is(source, at, "("))
            at = patch_closing(source, at);
        else if (source->tokens.data[at].kind == PATCH_MARK && !patch_is(source, at, "*"))
            return false;
    }
    return true;
}

// The bytes that a launch gives to an array whose index is padded: as much more as it has.
static void pad_bytes(const struct patch_text *source, const struct patch_range *range,
                      const struct patch_change *change, patch_edits *edits) {
    const uint32_t begin = begin_of(source, range->first), end = end_of(source, range->last);
    const bool is_whole = is_product(source, range);
    const number value = literal(source, range);
    if (value) {
        const number more = value * change->pad;
        patch_add(edits, begin, end, "%llu", value + more / change->row + (more % change->row > 0));
        return;
    }
    if (!is_whole)
        patch_insert(edits, begin, "(");
    patch_insert(edits, end, "%s * %llu / %llu", is_whole ? "" : ")",
                 (number)(change->row + change->pad), (number)change->row);
}

// NULL: all launches give that much more; else why not, and nothing was added.
static const char *pad_launches(const struct patch_text *source, const struct patch_array *array,
                                const struct patch_change *change, patch_edits *edits) {
    patch_ranges bytes = {0};
    const char *problem = patch_find_bytes(source, array, &bytes);
    for (size_t i = 0; i < bytes.length && !problem; i++)
        pad_bytes(source, &bytes.data[i], change, edits);
    vec_free(&bytes);
    return problem;
}

// ---- Index expressions ----------------------------------------------------------------------

// Whether it may stand twice: it changes nothing and calls nothing.
static bool is_pure(const struct patch_text *source, const struct patch_range *range) {
    static const char *const marks[] = {
        "++", "--", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
    for (size_t at = range->first; at <= range->last; at++) {
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
            if (patch_is(source, at, marks[i]))
                return false;
        if (at > range->first && patch_is(source, at, "(") &&
            source->tokens.data[at - 1].kind == PATCH_NAME)
            return false;
    }
    return true;
}

static const char *const parameters[PATCH_MOST_RANK][PATCH_MOST_RANK] = {
    {"i"}, {"y", "x"}, {"z", "y", "x"}, {"w", "z", "y", "x"}};

// "((z * 8 + y) * 32 + x)"
static void put_flat(struct strbuf *out, const struct patch_array *array,
                     const struct patch_shape *shape) {
    const char *const *names = parameters[array->rank - 1];
    for (unsigned i = 1; i < array->rank; i++)
        strbuf_puts(out, "(");
    strbuf_puts(out, names[0]);
    for (unsigned i = 1; i < array->rank; i++)
        strbuf_printf(out, " * %llu + %s)", (number)shape->extents[i], names[i]);
}

void patch_put_index(struct strbuf *out, const struct patch_change *change, const char *last,
                     const char *flat) {
    if (change->kind == PATCH_PAD_INDEX) {
        strbuf_printf(out, "%s + %s / %llu", last, flat, (number)change->row);
        if (change->pad > 1)
            strbuf_printf(out, " * %llu", (number)change->pad);
        return;
    }
    if (change->kind == PATCH_MIRROR) {
        strbuf_printf(out, "%s ^ (%s >> %u & 1) * %llu", last, flat, change->shift,
                      (((number)1 << change->bits) - 1) << change->base);
        return;
    }
    strbuf_printf(out, "%s ^ (%s >> %u & %llu)", last, flat, change->shift,
                  ((number)1 << change->bits) - 1);
    if (change->base)
        strbuf_printf(out, " << %u", change->base);
}

// The blanks at the start of the line that the byte is in.
static int indent_of(const struct patch_text *source, uint32_t at, const char **blanks) {
    uint32_t start = at;
    while (start > 0 && source->text[start - 1] != '\n')
        start--;
    *blanks = source->text + start;
    return (int)strspn(*blanks, " \t");
}

// Where an element lies, as a function behind the declaration.
static void add_helper(const struct patch_text *source, const struct patch_array *array,
                       const struct patch_shape *shape, const struct patch_change *change,
                       patch_edits *edits) {
    const char *const *names = parameters[array->rank - 1], *blanks;
    const uint32_t at = end_of(source, array->statement_end);
    const int indent = indent_of(source, at, &blanks);
    struct strbuf list = {0}, place = {0}, flat = {0};
    for (unsigned i = 0; i < array->rank; i++)
        strbuf_printf(&list, "%sunsigned %s", i ? ", " : "", names[i]);
    put_flat(&flat, array, shape);
    patch_put_index(&place, change, names[array->rank - 1], strbuf_string(&flat));
    if (array->is_at_file_scope)
        patch_insert(edits, at,
                     "\nstatic __device__ __forceinline__ unsigned %s_at(%s) { return %s; }",
                     array->name, strbuf_string(&list), strbuf_string(&place));
    else
        patch_insert(edits, at, "\n%.*sconst auto %s_at = [](%s) { return %s; };", indent, blanks,
                     array->name, strbuf_string(&list), strbuf_string(&place));
    strbuf_free(&list);
    strbuf_free(&place);
    strbuf_free(&flat);
}

static void change_use(const struct patch_text *source, const struct patch_array *array,
                       const struct patch_use *use, patch_edits *edits) {
    const struct patch_range *last = &use->indices[array->rank - 1];
    patch_insert(edits, begin_of(source, last->first), "%s_at(", array->name);
    for (unsigned i = 0; i + 1 < array->rank; i++) {
        const uint32_t begin = begin_of(source, use->indices[i].first);
        patch_insert(edits, begin_of(source, last->first), "%.*s, ",
                     (int)(end_of(source, use->indices[i].last) - begin), source->text + begin);
    }
    patch_insert(edits, end_of(source, last->last), ")");
}

static bool is_named(const struct patch_text *source, const char *name) {
    for (size_t at = 0; at < source->tokens.length; at++)
        if (patch_is(source, at, name))
            return true;
    return false;
}

static bool names_itself(const struct patch_text *source, const struct patch_array *array,
                         const struct patch_range *range) {
    for (size_t at = range->first; at <= range->last; at++)
        if (patch_is(source, at, array->name))
            return true;
    return false;
}

// Why no index expression can be changed. NULL: all can.
static const char *index_problem(const struct patch_text *source, const struct patch_array *array) {
    struct strbuf helper = {0};
    strbuf_printf(&helper, "%s_at", array->name);
    const bool is_taken = is_named(source, helper.data);
    strbuf_free(&helper);
    if (is_taken)
        return "the name that the new index would need is taken";
    if (array->macro_line)
        return "a macro names it";
    for (size_t u = 0; u < array->uses.length; u++)
        for (unsigned i = 0; i < array->rank; i++) {
            const struct patch_range *index = &array->uses.data[u].indices[i];
            if (is_empty(index))
                return "an index of it is empty";
            if (i + 1 < array->rank &&
                (!is_pure(source, index) || names_itself(source, array, index)))
                return "an index of it cannot be written twice";
        }
    return NULL;
}

static bool is_power_of_two(uint64_t n) {
    return n && (n & (n - 1)) == 0;
}

// Whether the swizzle changes the last index alone, and keeps it within its row.
static bool stays_in_row(const struct patch_array *array, const struct patch_shape *shape,
                         const struct patch_change *change) {
    const uint64_t row = shape->extents[array->rank - 1];
    return array->rank == 1 ||
           (is_power_of_two(row) && (uint64_t)1 << (change->base + change->bits) <= row);
}

// ---- All of it ------------------------------------------------------------------------------

static const char *why_not(const struct patch_text *source, const struct patch_array *array,
                           const struct patch_shape *shape, const struct patch_change *change) {
    const struct patch_range *last = &array->extents[array->rank - 1];
    if (array->problem)
        return array->problem;
    if (change->kind == PATCH_PAD_ROWS) {
        if (array->rank < 2)
            return "it is declared without rows";
        return change->row == shape->extents[array->rank - 1] && !is_empty(last)
                   ? NULL
                   : "its rows are not those that are declared";
    }
    if (change->kind == PATCH_PAD_INDEX && array->rank > 1)
        return "it is declared with rows of another length";
    if (!patch_is_padding(change) && !stays_in_row(array, shape, change))
        return "the swizzle would leave its rows";
    return index_problem(source, array);
}

const char *patch_make(const struct patch_text *source, const struct patch_array *array,
                       const struct patch_shape *shape, const struct patch_change *change,
                       patch_edits *edits) {
    const struct patch_range *last = &array->extents[array->rank - 1];
    const char *problem = why_not(source, array, shape, change);
    if (problem)
        return problem;
    if (patch_is_padding(change) && array->is_dynamic)
        problem = pad_launches(source, array, change, edits);
    if (problem)
        return problem;
    if (change->kind == PATCH_PAD_ROWS) {
        add_to_extent(source, last, change->pad, edits);
        return NULL;
    }
    if (change->kind == PATCH_PAD_INDEX && !array->is_dynamic)
        pad_extent(source, last, change, edits);
    add_helper(source, array, shape, change, edits);
    for (size_t i = 0; i < array->uses.length; i++)
        change_use(source, array, &array->uses.data[i], edits);
    return NULL;
}
