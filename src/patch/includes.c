// See includes.h.
#include "patch/includes.h"

static const struct patch_token *token_at(const struct patch_text *source, size_t at) {
    return at < source->tokens.length ? &source->tokens.data[at] : NULL;
}

// Whether the # line that token `at` begins is of that kind.
static bool is_line_of(const struct patch_text *source, size_t at, const char *word) {
    const struct patch_token *token = token_at(source, at);
    return token && token->is_directive && patch_is(source, at, "#") &&
           patch_is(source, at + 1, word);
}

static char *copy(const struct patch_text *source, size_t at) {
    const struct patch_token *token = &source->tokens.data[at];
    return base_strndup(source->text + token->begin, token->end - token->begin);
}

// ---- Includes -------------------------------------------------------------------------------

// namespace a {, namespace a::b {, extern "C" {
static bool opens_namespace(const struct patch_text *source, size_t brace) {
    const struct patch_token *before = brace ? token_at(source, brace - 1) : NULL;
    if (before && before->kind == PATCH_LITERAL)
        return brace >= 2 && patch_is(source, brace - 2, "extern");
    size_t at = brace;
    while (at > 0 && !patch_is(source, at - 1, "namespace") &&
           (source->tokens.data[at - 1].kind == PATCH_NAME || patch_is(source, at - 1, "::")))
        at--;
    return at > 0 && patch_is(source, at - 1, "namespace");
}

typedef VEC(bool) brace_list; // those that are open: whether they are of a namespace

static void pass_brace(const struct patch_text *source, size_t at, brace_list *open) {
    if (patch_is(source, at, "{"))
        vec_push(open, opens_namespace(source, at));
    else if (patch_is(source, at, "}") && open->length)
        open->length--;
}

static bool is_within(const brace_list *open) {
    for (size_t i = 0; i < open->length; i++)
        if (!open->data[i])
            return true;
    return false;
}

// `at`: the word include.
static void add_include(const struct patch_text *source, size_t at, const brace_list *open,
                        patch_includes *includes) {
    const struct patch_token *what = token_at(source, at + 1);
    struct patch_include include = {
        .at = at, .line = source->tokens.data[at].line, .is_inside = is_within(open)};
    if (!what || patch_is(source, at + 1, "<"))
        return;
    if (what->kind == PATCH_LITERAL && what->end - what->begin >= 2)
        include.name = base_strndup(source->text + what->begin + 1, what->end - what->begin - 2);
    vec_push(includes, include);
}

void patch_find_includes(const struct patch_text *source, patch_includes *includes) {
    brace_list open = {0};
    for (size_t at = 0; at < source->tokens.length; at++)
        if (is_line_of(source, at, "include"))
            add_include(source, at + 1, &open, includes);
        else if (!source->tokens.data[at].is_directive)
            pass_brace(source, at, &open);
    vec_free(&open);
}

void patch_includes_free(patch_includes *includes) {
    for (size_t i = 0; i < includes->length; i++)
        free(includes->data[i].name);
    vec_free(includes);
}

// ---- Guards ---------------------------------------------------------------------------------

// The token that names the macro of #ifndef X or #if !defined(X) at the start; 0: there is none.
static size_t guard_at(const struct patch_text *source) {
    size_t at = 0;
    if (is_line_of(source, 0, "ifndef"))
        at = 2;
    else if (is_line_of(source, 0, "if") && patch_is(source, 2, "!") &&
             patch_is(source, 3, "defined"))
        at = patch_is(source, 4, "(") ? 5 : 4;
    const struct patch_token *token = at ? token_at(source, at) : NULL;
    return token && token->kind == PATCH_NAME ? at : 0;
}

// Whether the #if at the start ends where the text does, and has no #else.
static bool is_all_in_it(const struct patch_text *source) {
    size_t depth = 0;
    for (size_t at = 0; at < source->tokens.length; at++) {
        if (is_line_of(source, at, "if") || is_line_of(source, at, "ifdef") ||
            is_line_of(source, at, "ifndef"))
            depth++;
        if (depth == 1 && (is_line_of(source, at, "else") || is_line_of(source, at, "elif")))
            return false;
        if (is_line_of(source, at, "endif") && --depth == 0)
            return at + 2 == source->tokens.length;
    }
    return false;
}

bool patch_is_guarded(const struct patch_text *source, char **macro) {
    const size_t at = guard_at(source);
    *macro = NULL;
    for (size_t i = 0; i < source->tokens.length; i++)
        if (is_line_of(source, i, "pragma") && patch_is(source, i + 2, "once"))
            return true;
    if (!at || !is_all_in_it(source))
        return false;
    *macro = copy(source, at);
    for (size_t i = at + 1; i < source->tokens.length; i++)
        if (is_line_of(source, i, "define") && patch_is(source, i + 2, *macro))
            return true;
    free(*macro);
    *macro = NULL;
    return false;
}

bool patch_undefines(const struct patch_text *source, const char *macro) {
    for (size_t at = 0; at < source->tokens.length; at++)
        if (is_line_of(source, at, "undef") && patch_is(source, at + 2, macro))
            return true;
    return false;
}
