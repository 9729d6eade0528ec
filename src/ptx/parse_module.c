// A whole module: header, and what stands at its top level.
#include <string.h>

#include "ptx/parser.h"

enum { OLDEST_MAJOR = 3, NEWEST_MAJOR = 9, NEWEST_MINOR = 0, OLDEST_TARGET = 20 };

// Is this text at all, and could it be PTX? Says what it is otherwise.
static bool check_magic(struct ptx_parser *parser) {
    static const struct {
        const char *bytes;
        size_t length;
        const char *what;
    } magics[] = {
        {"\177ELF", 4, "an ELF file (an executable or a cubin)"},
        {"\x50\xed\x55\xba", 4, "a CUDA fat binary"},
        {"BC\xc0\xde", 4, "LLVM bitcode"},
        {"!<arch>\n", 8, "an archive of object files"},
        {"PK\003\004", 4, "a zip archive"},
        {"\037\x8b", 2, "a gzip file"},
        {"\x28\xb5\x2f\xfd", 4, "a zstd file"},
        {"\xff\xfe", 2, "UTF-16 text"},
    };
    const struct source *source = parser->source;
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (source->length >= magics[i].length &&
            memcmp(source->text, magics[i].bytes, magics[i].length) == 0)
            return ptx_error(parser, (struct source_range){0, 0}, "this is not PTX but %s",
                             magics[i].what);
    size_t length = source->length;
    while (length > 0 && source->text[length - 1] == '\0')
        length--;
    if (length && memchr(source->text, '\0', length))
        return ptx_error(parser, (struct source_range){0, 0}, "this is not PTX: it is binary");
    return true;
}

// Digits of `7.8`, which the lexer took for a floating-point number.
static bool parse_version(struct ptx_parser *parser) {
    struct source_range range = parser->token.range;
    const char *text = ptx_text(parser, range);
    unsigned part[2] = {0, 0}, index = 0, digits = 0;
    for (uint32_t i = 0; i < range.end - range.begin; i++) {
        if (text[i] == '.' && index == 0 && digits) {
            index++;
            digits = 0;
        } else if (text[i] >= '0' && text[i] <= '9' && digits < 4) {
            part[index] = part[index] * 10 + (unsigned)(text[i] - '0');
            digits++;
        } else {
            return ptx_expected(parser, "a version such as 8.0");
        }
    }
    if (index != 1 || digits == 0)
        return ptx_expected(parser, "a version such as 8.0");
    ptx_next(parser);
    parser->module->version_major = part[0];
    parser->module->version_minor = part[1];
    if (part[0] < OLDEST_MAJOR)
        return ptx_error(parser, range, "PTX %u.%u is too old: bankrun reads %d.0 to %d.%d",
                         part[0], part[1], OLDEST_MAJOR, NEWEST_MAJOR, NEWEST_MINOR);
    if (part[0] > NEWEST_MAJOR || (part[0] == NEWEST_MAJOR && part[1] > NEWEST_MINOR))
        diag_add(parser->diags, DIAG_WARNING, parser->source, range,
                 "PTX %u.%u is newer than what bankrun knows (%d.%d)", part[0], part[1],
                 NEWEST_MAJOR, NEWEST_MINOR);
    return true;
}

// `sm_90a` or `compute_90`
static bool parse_architecture(struct ptx_parser *parser) {
    static const char *const prefixes[] = {"sm_", "compute_"};
    struct source_range range = parser->token.range;
    const char *text = ptx_text(parser, range), *end = text + (range.end - range.begin);
    unsigned number = 0;
    if (parser->token.kind != PTX_TOKEN_NAME)
        return ptx_expected(parser, "an architecture such as sm_90");
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t length = strlen(prefixes[i]);
        if ((size_t)(end - text) > length && memcmp(text, prefixes[i], length) == 0)
            text += length;
    }
    for (; text < end && *text >= '0' && *text <= '9' && number < 1000; text++)
        number = number * 10 + (unsigned)(*text - '0');
    bool has_suffix = text + 1 == end && (*text == 'a' || *text == 'f');
    if (number < 10 || (text != end && !has_suffix))
        return ptx_expected(parser, "an architecture such as sm_90");
    if (number < OLDEST_TARGET) // their floats have no subnormals
        return ptx_error(parser, range,
                         "the architecture sm_%u is too old: bankrun reads PTX for "
                         "sm_%d and later",
                         number, OLDEST_TARGET);
    parser->module->target = number;
    parser->module->target_suffix = has_suffix ? *text : '\0';
    ptx_next(parser);
    return true;
}

static bool is_option(const struct ptx_parser *parser, const char *name) {
    const struct source_range range = parser->token.range;
    return range.end - range.begin == strlen(name) &&
           memcmp(ptx_text(parser, range), name, strlen(name)) == 0;
}

// `.target sm_90, texmode_unified, debug`
static bool parse_target(struct ptx_parser *parser) {
    parser->has_target = true;
    if (!parse_architecture(parser))
        return false;
    while (ptx_accept_punct(parser, ',')) {
        if (parser->token.kind != PTX_TOKEN_NAME)
            return ptx_expected(parser, "a target option");
        if (is_option(parser, "map_f64_to_f32"))
            return ptx_error(parser, parser->token.range,
                             "PTX whose doubles are to be floats ('map_f64_to_f32') is not "
                             "supported");
        parser->module->is_debug |= is_option(parser, "debug");
        ptx_next(parser); // texture modes change nothing here
    }
    return true;
}

static bool parse_address_size(struct ptx_parser *parser) {
    struct source_range range = parser->token.range;
    uint64_t size;
    parser->has_address_size = true;
    if (!ptx_parse_integer(parser, "the address size", &size))
        return false;
    range.end = parser->last_end;
    if (size != 64)
        return ptx_error(parser, range, "bankrun runs PTX with 64-bit addresses only");
    parser->module->address_size = 64;
    return true;
}

// `.alias f, g;`
static bool parse_alias(struct ptx_parser *parser) {
    struct ptx_pending_alias alias = {.range = parser->token.range};
    if (!ptx_expect_name(parser, "the alias", &alias.alias) || !ptx_expect_punct(parser, ',') ||
        !ptx_expect_name(parser, "a function", &alias.target) || !ptx_expect_punct(parser, ';'))
        return false;
    vec_push(&parser->aliases, alias);
    return true;
}

static void add_variable(struct ptx_parser *parser, const struct ptx_variable *variable) {
    vec_push(&parser->variables, *variable);
}

static bool parse_linkage(struct ptx_parser *parser, struct ptx_linkage *linkage) {
    if (ptx_accept_dot(parser, ".extern"))
        return linkage->is_extern = true;
    if (ptx_accept_dot(parser, ".visible"))
        return linkage->is_visible = true;
    if (ptx_accept_dot(parser, ".weak"))
        return linkage->is_weak = true;
    if (ptx_accept_dot(parser, ".common"))
        return linkage->is_common = true;
    return false;
}

// Directives that end with their line.
static bool parse_line_directive(struct ptx_parser *parser, bool *ok) {
    if (ptx_accept_dot(parser, ".version"))
        *ok = parse_version(parser);
    else if (ptx_accept_dot(parser, ".target"))
        *ok = parse_target(parser);
    else if (ptx_accept_dot(parser, ".address_size"))
        *ok = parse_address_size(parser);
    else if (ptx_at_dot(parser, ".file"))
        *ok = ptx_parse_file(parser);
    else if (ptx_at_dot(parser, ".loc"))
        *ok = ptx_parse_loc(parser);
    else
        return false;
    return true;
}

static bool parse_directive(struct ptx_parser *parser) {
    bool ok;
    if (parse_line_directive(parser, &ok)) {
        if (!ok)
            ptx_skip_line(parser);
        return true;
    }
    if (ptx_accept_dot(parser, ".alias"))
        return parse_alias(parser);
    if (ptx_at_dot(parser, ".section"))
        return ptx_parse_section(parser);
    if (ptx_at_dot(parser, ".pragma"))
        return ptx_parse_pragma(parser);
    struct ptx_linkage linkage = {0};
    while (parse_linkage(parser, &linkage)) {
    }
    if (ptx_at_dot(parser, ".entry") || ptx_at_dot(parser, ".func")) {
        ptx_parse_function(parser, linkage);
        return true;
    }
    if (ptx_at_space(parser) && !ptx_at_dot(parser, ".reg"))
        return ptx_parse_variables(parser, linkage, add_variable);
    return ptx_expected(parser, "a function or a variable");
}

static bool starts_item(const struct ptx_parser *parser) {
    static const char *const words[] = {".visible", ".extern", ".weak",  ".common", ".entry",
                                        ".func",    ".global", ".const", ".shared", ".section"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ptx_at_dot(parser, words[i]))
            return true;
    return false;
}

void ptx_skip_item(struct ptx_parser *parser) {
    while (parser->token.kind != PTX_TOKEN_END && !starts_item(parser)) {
        if (ptx_at_punct(parser, '{')) {
            ptx_skip_braces(parser);
            return;
        }
        if (ptx_accept_punct(parser, ';'))
            return;
        ptx_next(parser);
    }
}

static void parse_items(struct ptx_parser *parser) {
    while (parser->token.kind != PTX_TOKEN_END) {
        uint32_t begin = parser->token.range.begin;
        if (ptx_accept_punct(parser, ';') || parse_directive(parser))
            continue;
        if (parser->token.range.begin == begin)
            ptx_next(parser); // whatever it is, it was reported
        ptx_skip_item(parser);
    }
}

// PTX begins with its version; a text that does not is something else, and one error says so.
void ptx_parse_text(struct ptx_parser *parser) {
    if (!check_magic(parser))
        return;
    ptx_lexer_init(&parser->lexer, parser->source, parser->diags);
    struct diag_list *diags = parser->diags;
    struct diag_list quiet = {0}; // what comes first may be anything
    parser->lexer.diags = &quiet;
    ptx_next(parser);
    parser->lexer.diags = diags;
    diag_free(&quiet);
    if (!ptx_at_dot(parser, ".version")) {
        parser->lexer.is_cut_off = false;
        if (parser->token.kind == PTX_TOKEN_END)
            ptx_error(parser, (struct source_range){0, 0}, "this is not PTX: it is empty");
        else
            ptx_error(parser, parser->token.range,
                      "this is not PTX: it does not start with "
                      "'.version'");
        return;
    }
    struct source_range version = parser->token.range;
    size_t errors = diags->errors;
    parse_items(parser);
    if (diags->errors > errors)
        return;
    if (!parser->has_target)
        ptx_error(parser, version, "the '.target' of this PTX is missing");
    else if (!parser->has_address_size)
        ptx_error(parser, version,
                  "'.address_size 64' is missing: without it PTX has 32-bit addresses");
}
