// Where instructions come from: `.file`, `.loc`, and the names in `.section .debug_str`.
#include <assert.h>
#include <string.h>

#include "ptx/parser.h"

// What a `.loc` says; compared bytewise, so unused bytes are zero.
struct location_key {
    uint32_t file, line, column, inlined_at;
    uint64_t label; // the interned text's address; 0: not inlined
    int64_t addend;
};

static bool parse_number(struct ptx_parser *parser, const char *what, uint32_t *number) {
    uint64_t value;
    if (parser->token.kind != PTX_TOKEN_INTEGER)
        return ptx_expected(parser, what);
    if (parser->token.value > UINT32_MAX)
        return ptx_error(parser, parser->token.range, "%s does not fit 32 bits", what);
    value = parser->token.value;
    ptx_next(parser);
    *number = (uint32_t)value;
    return true;
}

static bool is_octal(const char *digits) {
    return digits[0] >= '0' && digits[0] <= '3' && digits[1] >= '0' && digits[1] <= '7' &&
           digits[2] >= '0' && digits[2] <= '7';
}

// Compilers write bytes that are no printable ASCII as \303, and a backslash before \ and ".
static const char *parse_path(struct ptx_parser *parser) {
    const char *text = ptx_intern_string(parser);
    const size_t length = strlen(text);
    char *path = memcpy(arena_alloc(parser->arena, length + 1), text, length + 1), *end = path;
    for (const char *at = text; *at;) {
        if (*at == '\\' && is_octal(at + 1) && memcmp(at + 1, "000", 3) != 0) {
            *end++ = (char)((at[1] - '0') << 6 | (at[2] - '0') << 3 | (at[3] - '0'));
            at += 4;
        } else {
            at += *at == '\\' && (at[1] == '\\' || at[1] == '"');
            *end++ = *at++;
        }
    }
    *end = '\0';
    return path;
}

// `.file 1 "path", timestamp, size`; clang may write the directory apart: `.file 1 "dir" "name"`.
bool ptx_parse_file(struct ptx_parser *parser) {
    struct ptx_file file;
    ptx_next(parser);
    if (!parse_number(parser, "the file's number", &file.number))
        return false;
    if (parser->token.kind != PTX_TOKEN_STRING)
        return ptx_expected(parser, "the file's path");
    file.path = parse_path(parser);
    ptx_next(parser);
    if (parser->token.kind == PTX_TOKEN_STRING) {
        const char *name = parse_path(parser);
        file.path = *name == '/' ? name : arena_printf(parser->arena, "%s/%s", file.path, name);
        ptx_next(parser);
    }
    while (ptx_accept_punct(parser, ',')) {
        if (parser->token.kind != PTX_TOKEN_INTEGER)
            return ptx_expected(parser, "a number");
        ptx_next(parser);
    }
    vec_push(&parser->files, file);
    return true;
}

static uint32_t find_or_add(struct ptx_parser *parser, const struct location_key *key) {
    uintptr_t known = (uintptr_t)map_get(&parser->location_map, (const char *)key, sizeof *key);
    if (known)
        return (uint32_t)known;
    uint32_t index = (uint32_t)parser->locations.length;
    struct ptx_location location = {key->file, key->line, key->column, key->inlined_at, NULL};
    vec_push(&parser->locations, location);
    struct location_key *kept = ARENA_NEW(parser->arena, struct location_key);
    *kept = *key;
    map_put(&parser->location_map, (const char *)kept, sizeof *kept, (void *)(uintptr_t)index);
    return index;
}

// A later `inlined_at` names a location by file, line and column only: the latest one counts.
static void remember_position(struct ptx_parser *parser, const struct location_key *key,
                              uint32_t index) {
    enum { POSITION_BYTES = 3 * sizeof(uint32_t) };
    char *kept = arena_strndup(parser->arena, (const char *)key, POSITION_BYTES);
    map_put(&parser->position_map, kept, POSITION_BYTES, (void *)(uintptr_t)index);
}

static uint32_t find_position(struct ptx_parser *parser, const uint32_t position[3]) {
    uintptr_t known =
        (uintptr_t)map_get(&parser->position_map, (const char *)position, 3 * sizeof *position);
    if (known)
        return (uint32_t)known;
    struct location_key key = {.file = position[0], .line = position[1], .column = position[2]};
    uint32_t index = find_or_add(parser, &key);
    remember_position(parser, &key, index);
    return index;
}

static bool expect_word(struct ptx_parser *parser, const char *word) {
    struct source_range range = parser->token.range;
    if (parser->token.kind != PTX_TOKEN_NAME || range.end - range.begin != strlen(word) ||
        memcmp(ptx_text(parser, range), word, strlen(word)) != 0)
        return ptx_expected(parser, word);
    ptx_next(parser);
    return true;
}

// `, function_name LABEL+4, inlined_at 1 20 3`
static bool parse_inlining(struct ptx_parser *parser, struct location_key *key,
                           struct ptx_pending_name *name) {
    uint64_t addend = 0;
    uint32_t position[3];
    ptx_next(parser);
    if (!expect_word(parser, "function_name"))
        return false;
    name->range = parser->token.range;
    if (parser->token.kind != PTX_TOKEN_NAME && parser->token.kind != PTX_TOKEN_DOT)
        return ptx_expected(parser, "a label of .debug_str");
    name->label = ptx_intern(parser, parser->token.range);
    ptx_next(parser);
    if (ptx_accept_punct(parser, '+') && !ptx_parse_integer(parser, "the offset", &addend))
        return false;
    name->addend = (int64_t)addend;
    if (!ptx_expect_punct(parser, ',') || !expect_word(parser, "inlined_at") ||
        !parse_number(parser, "the file's number", &position[0]) ||
        !parse_number(parser, "the line", &position[1]) ||
        !parse_number(parser, "the column", &position[2]))
        return false;
    key->label = (uint64_t)(uintptr_t)name->label;
    key->addend = name->addend;
    key->inlined_at = find_position(parser, position);
    return true;
}

// `.loc 1 15 3`
bool ptx_parse_loc(struct ptx_parser *parser) {
    struct location_key key = {0};
    struct ptx_pending_name name = {0};
    ptx_next(parser);
    if (!parse_number(parser, "the file's number", &key.file) ||
        !parse_number(parser, "the line", &key.line) ||
        !parse_number(parser, "the column", &key.column))
        return false;
    if (ptx_at_punct(parser, ',') && !parse_inlining(parser, &key, &name))
        return false;
    size_t known = parser->locations.length;
    uint32_t index = find_or_add(parser, &key);
    if (index == known && name.label) {
        name.index = index;
        vec_push(&parser->pending_names, name);
    }
    remember_position(parser, &key, index);
    parser->location = index;
    return true;
}

void ptx_begin_locations(struct ptx_parser *parser) {
    map_free(&parser->location_map); // .loc outside of functions filled it
    map_free(&parser->position_map);
    parser->locations.length = 0;
    vec_push(&parser->locations, (struct ptx_location){0}); // index 0: unknown
    parser->location = 0;
    parser->first_pending = parser->pending_names.length;
}

void ptx_end_locations(struct ptx_parser *parser, struct ptx_function *function) {
    size_t size = parser->locations.length * sizeof *parser->locations.data;
    function->locations = memcpy(arena_alloc(parser->arena, size), parser->locations.data, size);
    function->location_count = parser->locations.length;
    for (size_t i = parser->first_pending; i < parser->pending_names.length; i++) {
        struct ptx_pending_name *name = &parser->pending_names.data[i];
        assert(name->index < function->location_count);
        name->location = &function->locations[name->index];
    }
    map_free(&parser->location_map);
    map_free(&parser->position_map);
}

// `.b8 95,90,49`, at the size of the directive
static bool parse_data(struct ptx_parser *parser) {
    unsigned bytes = ptx_at_dot(parser, ".b8")    ? 1
                     : ptx_at_dot(parser, ".b16") ? 2
                     : ptx_at_dot(parser, ".b32") ? 4
                     : ptx_at_dot(parser, ".b64") ? 8
                                                  : 0;
    if (!bytes)
        return ptx_expected(parser, ".b8, .b16, .b32 or .b64");
    ptx_next(parser);
    do {
        uint64_t value;
        if (!ptx_parse_integer(parser, "a number", &value))
            return false;
        for (unsigned i = 0; i < bytes; i++)
            vec_push(&parser->debug_strings, (char)(value >> 8 * i));
    } while (ptx_accept_punct(parser, ','));
    ptx_accept_punct(parser, ';');
    return true;
}

static bool parse_strings(struct ptx_parser *parser) {
    ptx_next(parser);
    while (!ptx_at_punct(parser, '}')) {
        if (parser->token.kind != PTX_TOKEN_NAME) {
            if (!parse_data(parser))
                return false;
            continue;
        }
        const char *label = ptx_intern(parser, parser->token.range);
        uintptr_t offset = parser->debug_strings.length;
        ptx_next(parser);
        if (!ptx_expect_punct(parser, ':'))
            return false;
        map_put(&parser->debug_labels, label, strlen(label), (void *)(offset + 1));
    }
    ptx_next(parser);
    return true;
}

// `.section .debug_str { ... }`; other sections are for debuggers and are passed over.
bool ptx_parse_section(struct ptx_parser *parser) {
    ptx_next(parser);
    if (parser->token.kind != PTX_TOKEN_DOT && parser->token.kind != PTX_TOKEN_NAME)
        return ptx_expected(parser, "the section's name");
    bool is_strings = ptx_at_dot(parser, ".debug_str");
    ptx_next(parser);
    if (!ptx_at_punct(parser, '{'))
        return ptx_expected(parser, "'{'");
    if (is_strings)
        return parse_strings(parser);
    ptx_skip_braces(parser);
    return true;
}

static const char *find_string(struct ptx_parser *parser, const struct ptx_pending_name *name) {
    uintptr_t found = (uintptr_t)map_get_string(&parser->debug_labels, name->label);
    uint64_t offset = strcmp(name->label, ".debug_str") == 0 ? 0 : found - 1;
    if (!found && offset)
        return NULL;
    offset += (uint64_t)name->addend;
    if (offset >= parser->debug_strings.length)
        return NULL;
    const char *text = parser->debug_strings.data + offset;
    return arena_strndup(parser->arena, text,
                         strnlen(text, parser->debug_strings.length - (size_t)offset));
}

// All sections are known: turns labels into names.
void ptx_resolve_names(struct ptx_parser *parser) {
    for (size_t i = 0; i < parser->pending_names.length; i++) {
        struct ptx_pending_name *name = &parser->pending_names.data[i];
        if (!name->location)
            continue; // the function was given up after an error
        name->location->inlined_into = find_string(parser, name);
        if (name->location->inlined_into)
            continue;
        diag_add(parser->diags, DIAG_WARNING, parser->source, name->range,
                 "no string '%s' in .debug_str: the inlined function stays unnamed", name->label);
        name->location->inlined_into = name->label;
    }
}
