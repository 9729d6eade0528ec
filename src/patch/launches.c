// See launches.h.
#include "patch/launches.h"

#include <string.h>

#include "patch/functions.h"

// ---- Launches -------------------------------------------------------------------------------

// Three marks side by side.
static bool is_triple(const struct patch_text *source, size_t at, const char *mark) {
    const struct patch_token *tokens = source->tokens.data;
    return patch_is(source, at, mark) && patch_is(source, at + 1, mark) &&
           patch_is(source, at + 2, mark) && tokens[at].end == tokens[at + 1].begin &&
           tokens[at + 1].end == tokens[at + 2].begin;
}

// Behind <...>, if such template arguments stand here.
static size_t skip_arguments(const struct patch_text *source, size_t at) {
    size_t depth = 0;
    if (!patch_is(source, at, "<") || is_triple(source, at, "<"))
        return at;
    for (size_t i = at; i < source->tokens.length; i++) {
        if (patch_is(source, i, "(") || patch_is(source, i, "["))
            i = patch_closing(source, i);
        if (patch_is(source, i, ";") || patch_is(source, i, "{"))
            return at;
        depth += patch_is(source, i, "<");
        if (patch_is(source, i, ">") && --depth == 0)
            return i + 1;
    }
    return at;
}

// Adds the third of what stands from token `at` on up to >>>. False: it does not end.
static bool add_bytes(const struct patch_text *source, size_t at, patch_ranges *bytes) {
    size_t first = at;
    for (unsigned number = 1; at < source->tokens.length; at++) {
        const bool is_end = is_triple(source, at, ">");
        if (patch_is(source, at, "(") || patch_is(source, at, "[") || patch_is(source, at, "{"))
            at = patch_closing(source, at);
        else if (is_end || patch_is(source, at, ",")) {
            if (number == 3)
                vec_push(bytes, (struct patch_range){first, at - 1});
            if (is_end)
                return true;
            number++;
            first = at + 1;
        }
    }
    return false;
}

static const char *find_launches(const struct patch_text *source, const char *kernel,
                                 patch_ranges *bytes) {
    const size_t before = bytes->length;
    for (size_t at = 0; at < source->tokens.length; at++) {
        if (source->tokens.data[at].kind != PATCH_NAME || !patch_is(source, at, kernel))
            continue;
        const size_t next = skip_arguments(source, at + 1);
        if (source->tokens.data[at].is_directive)
            return "a macro names its kernel";
        if (is_triple(source, next, "<") && !add_bytes(source, next + 3, bytes))
            return "a launch of its kernel is not understood";
        if (!is_triple(source, next, "<") && !patch_is(source, next, "("))
            return "its kernel is named otherwise than to launch it";
    }
    return bytes->length > before ? NULL : "no launch that gives its bytes was found";
}

const char *patch_find_bytes(const struct patch_text *source, const struct patch_array *array,
                             patch_ranges *bytes) {
    VEC(char *) known = {0};
    const char *problem = NULL;
    for (size_t u = 0; u < array->uses.length && !problem; u++) {
        const size_t name = patch_function_of(source, array->uses.data[u].at);
        bool is_known = false;
        if (name == source->tokens.length) {
            problem = "which kernel it belongs to is not understood";
            break;
        }
        for (size_t i = 0; i < known.length; i++)
            is_known |= patch_is(source, name, known.data[i]);
        if (is_known)
            continue;
        const struct patch_token *token = &source->tokens.data[name];
        vec_push(&known, base_strndup(source->text + token->begin, token->end - token->begin));
        problem = find_launches(source, known.data[known.length - 1], bytes);
    }
    for (size_t i = 0; i < known.length; i++)
        free(known.data[i]);
    vec_free(&known);
    return problem;
}

static bool is_named(const struct patch_text *source, const char *name) {
    for (size_t at = 0; at < source->tokens.length; at++)
        if (source->tokens.data[at].kind == PATCH_NAME && patch_is(source, at, name))
            return true;
    return false;
}

bool patch_names_kernel(const struct patch_text *other, const struct patch_text *source,
                        const struct patch_array *array) {
    bool is_found = false;
    for (size_t u = 0; u < array->uses.length && !is_found; u++) {
        const size_t at = patch_function_of(source, array->uses.data[u].at);
        if (at == source->tokens.length)
            continue;
        const struct patch_token *token = &source->tokens.data[at];
        char *name = base_strndup(source->text + token->begin, token->end - token->begin);
        is_found = is_named(other, name);
        free(name);
    }
    return is_found;
}
