// See element.h.
#include "profile/element.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/demangle.h"
#include "base/file.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "ir/ir.h"
#include "patch/extents.h"
#include "patch/functions.h"
#include "profile/recorder.h"

_Static_assert((int)PROFILE_MOST_RANK == (int)PATCH_MOST_RANK, "extents are copied");

void profile_put_element(struct strbuf *out, const char *array,
                         const struct profile_elements *elements, uint64_t place) {
    uint64_t index = place / elements->bytes, below = 1;
    strbuf_puts(out, array);
    for (unsigned i = 1; i < elements->rank; i++)
        below *= elements->extents[i];
    for (unsigned i = 0; i < elements->rank; i++) {
        strbuf_printf(out, "[%llu]", (unsigned long long)(index / below));
        index %= below;
        below = i + 1 < elements->rank ? below / elements->extents[i + 1] : below;
    }
    if (place % elements->bytes)
        strbuf_printf(out, "+%llu", (unsigned long long)(place % elements->bytes));
}

// ---- Sources that were read, for the life of the process --------------------------------------

enum { MOST_FILES = 64, MOST_BYTES = 1 << 20 };

struct declarations {
    char *path, *text;
    struct patch_text tokens;
    patch_arrays arrays; // none: it cannot be read, or has none
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct declarations sources[MOST_FILES];
static size_t source_count;

// NULL: there are too many.
static const struct declarations *read_source(const char *path) {
    size_t length;
    for (size_t i = 0; i < source_count; i++)
        if (!strcmp(sources[i].path, path))
            return &sources[i];
    if (source_count == MOST_FILES)
        return NULL;
    struct declarations *source = &sources[source_count++];
    *source = (struct declarations){.path = base_strdup(path)};
    if (file_read_regular(path, &source->text, &length) && length <= MOST_BYTES &&
        strstr(source->text, "__shared__")) {
        patch_tokenize(&source->tokens, source->text, length);
        patch_find_arrays(&source->tokens, &source->arrays);
    } else {
        free(source->text);
        source->text = NULL;
    }
    return source;
}

// ---- The declaration ----------------------------------------------------------------------------

struct search {
    const struct ir_variable *variable;
    char *array, *symbol; // "tile", "transpose(float*, int)::tile"
    uint64_t access_bytes;
    bool in_function;  // that has the variable
    bool is_ambiguous; // there are several, which disagree
    struct profile_elements found;
};

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

// Whether the symbol is one of the function that the array is declared in, if it is in any.
static bool is_of_function(const struct search *search, const struct declarations *source,
                           const struct patch_array *array) {
    const size_t at = patch_function_of(&source->tokens, array->at);
    if (at == source->tokens.tokens.length)
        return array->is_at_file_scope && !strchr(search->symbol, '(');
    const struct patch_token *token = &source->tokens.tokens.data[at];
    const size_t length = token->end - token->begin;
    for (const char *here = search->symbol; *here; here++)
        if (!strncmp(here, source->text + token->begin, length) &&
            (here == search->symbol || !is_word(here[-1])) &&
            (here[length] == '(' || here[length] == '<'))
            return true;
    return false;
}

static void look_at(struct search *search, const struct declarations *source,
                    const struct patch_array *array) {
    const struct ptx_variable *declared = search->variable->ptx;
    struct patch_shape shape;
    if (strcmp(array->name, search->array) != 0 ||
        (search->in_function && !is_of_function(search, source, array)) ||
        !patch_read_extents(&source->tokens, array, declared->is_unsized ? 0 : declared->bytes,
                            search->access_bytes, &shape))
        return;
    struct profile_elements here = {.rank = array->rank, .bytes = shape.element_bytes};
    memcpy(here.extents, shape.extents, array->rank * sizeof *here.extents);
    search->is_ambiguous |=
        search->found.rank && memcmp(&search->found, &here, sizeof search->found) != 0;
    search->found = here;
}

static bool is_new(const struct ir_function *function, uint32_t location) {
    for (uint32_t i = 0; i < location; i++)
        if (function->locations[i].file == function->locations[location].file)
            return false;
    return true;
}

static void look_in_files(struct search *search, const struct ir_function *function) {
    for (uint32_t i = 0; i < function->location_count; i++) {
        const char *path = ir_location_file(function, function->locations[i].file);
        const struct declarations *source = path && is_new(function, i) ? read_source(path) : NULL;
        for (size_t n = 0; source && n < source->arrays.length; n++)
            look_at(search, source, &source->arrays.data[n]);
    }
}

// Arrays of bytes are what nvcc makes of all of them.
static struct profile_elements declared_in_ptx(const struct ptx_variable *variable) {
    const unsigned bytes = ptx_type_bytes(variable->type);
    if (!variable->is_array || variable->is_unsized || bytes < 2)
        return (struct profile_elements){0};
    return (struct profile_elements){
        .rank = 1, .extents = {variable->elements}, .bytes = variable->bytes / variable->elements};
}

static struct profile_elements find(const struct ir_function *function,
                                    const struct ir_variable *variable, uint64_t access_bytes) {
    struct search search = {.variable = variable,
                            .array = profile_array_name(variable->name),
                            .symbol = base_demangle(variable->name),
                            .access_bytes = access_bytes,
                            .in_function = true};
    look_in_files(&search, function);
    if (!search.found.rank) {
        search.in_function = false;
        look_in_files(&search, function);
    }
    free(search.array);
    free(search.symbol);
    if (!search.found.rank || search.is_ambiguous)
        return declared_in_ptx(variable->ptx);
    return search.found;
}

// ---- What was found, for the life of the process ------------------------------------------------

static struct map answers; // by file, symbol and sizes

struct profile_elements profile_find_elements(const struct ir_function *function,
                                              const struct ir_variable *variable,
                                              uint64_t access_bytes) {
    const char *file =
        function->location_count ? ir_location_file(function, function->locations[0].file) : NULL;
    struct strbuf key = {0};
    strbuf_printf(&key, "%s %s %llu %llu", file ? file : "", variable->name,
                  (unsigned long long)variable->ptx->bytes, (unsigned long long)access_bytes);
    pthread_mutex_lock(&lock);
    struct profile_elements *known = map_get_string(&answers, key.data);
    if (!known) {
        known = base_alloc(sizeof *known);
        *known = find(function, variable, access_bytes);
        map_put(&answers, key.data, key.length, known);
        key = (struct strbuf){0}; // the map's from now on
    }
    const struct profile_elements answer = *known;
    pthread_mutex_unlock(&lock);
    strbuf_free(&key);
    return answer;
}
