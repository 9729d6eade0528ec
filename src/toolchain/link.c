#include "toolchain/link.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "toolchain/pieces.h"

// A variable that only the device runtime library defines.
static const char runtime_mark[] = "__CNPRT_VERSION_NUMBER__";

struct linker {
    struct strbuf header, files, variables, declarations, functions, others;
    struct map strong;   // names that some text defines, neither weak nor common
    struct map defined;  // names -> themselves, of all texts so far
    struct map declared; // functions
    struct map renamed;  // private names of the text at hand that an earlier one has too
    size_t text;         // number of the text at hand
    unsigned long file_base, file_last;
};

static bool has(const struct map *map, const char *name, size_t length) {
    return map_get(map, name, length) != NULL;
}

static void put(struct map *map, const struct piece *piece) {
    map_put(map, piece->name, piece->name_length, (void *)(uintptr_t)piece->name);
}

static bool starts_with(struct ptx_token token, const char *prefix) {
    return token.length >= strlen(prefix) && memcmp(token.text, prefix, strlen(prefix)) == 0;
}

// Names that compilers make up anew for each text: string literals, labels, line information.
static bool is_made_up(struct ptx_token token) {
    return *token.text == '$' || starts_with(token, "__unnamed_");
}

// Copies a piece with private names told apart and file numbers moved.
static void copy(struct linker *linker, const struct piece *piece, struct strbuf *out) {
    const char *at = piece->text, *end = piece->text + piece->length;
    bool is_file = false; // the next number is that of a file
    while (at < end) {
        const char *before = at;
        struct ptx_token token = toolchain_token(&at);
        strbuf_append(out, before, (size_t)(token.text - before));
        if (token.text >= end || !token.length)
            break;
        if (is_file && *token.text >= '0' && *token.text <= '9') {
            unsigned long number = strtoul(token.text, NULL, 10) + linker->file_base;
            if (number > linker->file_last)
                linker->file_last = number;
            strbuf_printf(out, "%lu", number);
        } else {
            strbuf_append(out, token.text, token.length);
            if (linker->text > 0 &&
                (is_made_up(token) || has(&linker->renamed, token.text, token.length)))
                strbuf_printf(out, "$m%zu", linker->text);
        }
        is_file = toolchain_token_is(token, ".file") || toolchain_token_is(token, ".loc") ||
                  toolchain_token_is(token, "inlined_at");
    }
    strbuf_puts(out, "\n");
}

static void find_private_names(struct linker *linker, const char *text) {
    struct piece piece;
    map_free(&linker->renamed);
    for (const char *at = text; toolchain_piece(&at, &piece);)
        if (piece.is_private && has(&linker->defined, piece.name, piece.name_length))
            put(&linker->renamed, &piece);
}

static bool is_definition(const struct piece *piece) {
    return piece->name && !piece->is_extern &&
           (piece->kind == PIECE_VARIABLE || piece->kind == PIECE_FUNCTION);
}

static void find_strong_names(struct linker *linker, const char *text) {
    struct piece piece;
    for (const char *at = text; toolchain_piece(&at, &piece);)
        if (is_definition(&piece) && !piece.is_weak && !piece.is_private)
            put(&linker->strong, &piece);
}

static bool gives_way(const struct linker *linker, const struct piece *piece) {
    return has(&linker->defined, piece->name, piece->name_length) ||
           (piece->is_weak && has(&linker->strong, piece->name, piece->name_length));
}

static void add_piece(struct linker *linker, const struct piece *piece) {
    switch (piece->kind) {
    case PIECE_HEADER:
        if (linker->text == 0)
            copy(linker, piece, &linker->header);
        return;
    case PIECE_FILE:
        copy(linker, piece, &linker->files);
        return;
    case PIECE_OTHER:
        copy(linker, piece, &linker->others);
        return;
    case PIECE_DECLARATION:
        if (!piece->name || has(&linker->declared, piece->name, piece->name_length))
            return;
        put(&linker->declared, piece);
        copy(linker, piece, &linker->declarations);
        return;
    case PIECE_VARIABLE:
    case PIECE_FUNCTION:
        break;
    }
    struct strbuf *out = piece->kind == PIECE_VARIABLE ? &linker->variables : &linker->functions;
    if (!piece->name || piece->is_extern) {
        copy(linker, piece, out);
    } else if (piece->is_private || !gives_way(linker, piece)) {
        copy(linker, piece, out);
        put(&linker->defined, piece);
    }
}

bool toolchain_is_device_runtime(const char *text) {
    return strstr(text, runtime_mark) != NULL;
}

char *toolchain_link_ptx(char *const *texts, size_t count) {
    struct linker linker = {0};
    for (size_t i = 0; i < count; i++)
        if (!toolchain_is_device_runtime(texts[i]))
            find_strong_names(&linker, texts[i]);
    for (size_t i = 0; i < count; i++) {
        if (toolchain_is_device_runtime(texts[i]))
            continue;
        find_private_names(&linker, texts[i]);
        struct piece piece;
        for (const char *at = texts[i]; toolchain_piece(&at, &piece);)
            add_piece(&linker, &piece);
        linker.text++;
        linker.file_base = linker.file_last;
    }
    struct strbuf *parts[] = {&linker.files, &linker.declarations, &linker.variables,
                              &linker.functions, &linker.others};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        strbuf_append(&linker.header, strbuf_string(parts[i]), parts[i]->length);
        strbuf_free(parts[i]);
    }
    map_free(&linker.strong);
    map_free(&linker.defined);
    map_free(&linker.declared);
    map_free(&linker.renamed);
    return strbuf_take(&linker.header);
}
