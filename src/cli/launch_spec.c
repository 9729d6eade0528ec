// Parses launch specifications.
#include "cli/launch_spec.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct parser {
    const struct source *source;
    struct arena *arena;
    struct diag_list *diags;
    const char *text; // the source's, NUL-terminated copy
    size_t at;
    bool has_failed; // only the first error is reported: the rest would follow from it
};

static void skip_blanks(struct parser *parser) {
    while (isspace((unsigned char)parser->text[parser->at]))
        parser->at++;
}

static struct source_range range_from(size_t begin, size_t end) {
    return (struct source_range){(uint32_t)begin, (uint32_t)end};
}

__attribute__((format(printf, 4, 5))) static bool fail(struct parser *parser, size_t begin,
                                                       size_t end, const char *format, ...) {
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (!parser->has_failed)
        diag_add(parser->diags, DIAG_ERROR, parser->source, range_from(begin, end), "%s", message);
    parser->has_failed = true;
    return false;
}

static bool accept(struct parser *parser, const char *token) {
    skip_blanks(parser);
    if (strncmp(parser->text + parser->at, token, strlen(token)))
        return false;
    parser->at += strlen(token);
    return true;
}

static bool expect(struct parser *parser, const char *token, const char *where) {
    return accept(parser, token) ||
           fail(parser, parser->at, parser->at + 1, "expected '%s' %s", token, where);
}

static bool parse_unsigned(struct parser *parser, uint64_t most, const char *what,
                           uint64_t *value) {
    skip_blanks(parser);
    size_t begin = parser->at;
    const char *start = parser->text + begin;
    if (!isdigit((unsigned char)*start))
        return fail(parser, begin, begin + 1, "expected %s", what);
    char *end;
    errno = 0;
    unsigned long long number = strtoull(start, &end, 10);
    parser->at += (size_t)(end - start);
    if (errno || number > most)
        return fail(parser, begin, parser->at, "%s is at most %llu", what,
                    (unsigned long long)most);
    *value = number;
    return true;
}

// N, NxM, NxMxK or (x, y, z).
static bool parse_shape(struct parser *parser, const char *what, uint32_t shape[3],
                        struct source_range *range) {
    bool is_tuple = accept(parser, "(");
    size_t begin = parser->at - is_tuple;
    shape[0] = shape[1] = shape[2] = 1;
    for (int i = 0; i < 3; i++) {
        skip_blanks(parser);
        size_t at = parser->at;
        uint64_t value = 0;
        if (!parse_unsigned(parser, UINT32_MAX, what, &value))
            return false;
        if (value == 0)
            return fail(parser, at, parser->at, "%s cannot be 0", what);
        shape[i] = (uint32_t)value;
        if (i == 2 || !accept(parser, is_tuple ? "," : "x"))
            break;
    }
    if (is_tuple && !expect(parser, ")", "behind the shape"))
        return false;
    *range = range_from(begin, parser->at);
    return true;
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

// An identifier, or the longest run of characters that a number can have.
static struct source_range parse_word(struct parser *parser) {
    skip_blanks(parser);
    size_t begin = parser->at;
    while (is_word(parser->text[parser->at]))
        parser->at++;
    return range_from(begin, parser->at);
}

static struct source_range parse_number_word(struct parser *parser) {
    skip_blanks(parser);
    size_t begin = parser->at;
    const char *text = parser->text;
    while (is_word(text[parser->at]) || text[parser->at] == '.' || text[parser->at] == '-' ||
           text[parser->at] == '+')
        parser->at++;
    return range_from(begin, parser->at);
}

static bool parse_value(struct parser *parser, enum ptx_type type, uint64_t *bits) {
    struct source_range word = parse_number_word(parser);
    if (word.begin == word.end)
        return fail(parser, word.begin, word.begin + 1, "expected a number");
    const char *text = parser->text + word.begin, *why;
    if (launch_number(text, word.end - word.begin, type, bits, &why))
        return true;
    return fail(parser, word.begin, word.end, "'%.*s' %s (%s)", (int)(word.end - word.begin), text,
                why, ptx_type_text(type));
}

static bool parse_list(struct parser *parser, struct launch_argument *argument) {
    VEC(uint64_t) values = {0};
    bool is_fine = true;
    do {
        uint64_t bits = 0;
        is_fine = parse_value(parser, argument->type, &bits);
        vec_push(&values, bits);
    } while (is_fine && accept(parser, ","));
    is_fine = is_fine && expect(parser, "}", "at the end of the list");
    argument->is_list = true;
    argument->value_count = values.length;
    argument->values = ARENA_ARRAY(parser->arena, uint64_t, values.length);
    memcpy(argument->values, values.data, values.length * sizeof *values.data);
    vec_free(&values);
    return is_fine;
}

// A path ends at a comma, a blank or the closing parenthesis, unless it stands in quotes.
static bool parse_path(struct parser *parser, struct launch_argument *argument) {
    size_t begin = parser->at;
    bool is_quoted = parser->text[begin] == '"';
    begin += is_quoted;
    size_t length = strcspn(parser->text + begin, is_quoted ? "\"" : ",) \t\n");
    if (length == 0)
        return fail(parser, begin, begin + 1, "expected a file behind '@'");
    parser->at = begin + length;
    if (is_quoted && !expect(parser, "\"", "behind the file"))
        return false;
    argument->path = arena_strndup(parser->arena, parser->text + begin, length);
    return true;
}

static bool parse_init(struct parser *parser, struct launch_argument *argument) {
    argument->init = LAUNCH_VALUES;
    if (argument->is_buffer) {
        if (accept(parser, "@")) {
            argument->init = LAUNCH_FILE;
            return parse_path(parser, argument);
        }
        if (accept(parser, "{"))
            return parse_list(parser, argument);
        size_t begin = parser->at;
        struct source_range word = parse_word(parser);
        size_t length = word.end - word.begin;
        const char *text = parser->text + word.begin;
        static const struct {
            const char *text;
            enum launch_init init;
        } inits[] = {{"zero", LAUNCH_ZERO}, {"iota", LAUNCH_IOTA}, {"rand", LAUNCH_RANDOM}};
        for (size_t i = 0; i < sizeof inits / sizeof *inits; i++) {
            if (strlen(inits[i].text) != length || memcmp(text, inits[i].text, length))
                continue;
            argument->init = inits[i].init;
            return argument->init != LAUNCH_RANDOM || !accept(parser, ":") ||
                   parse_unsigned(parser, UINT64_MAX, "the seed", &argument->seed);
        }
        if (isalpha((unsigned char)*text) && length != 3) // inf and nan are numbers
            return fail(parser, word.begin, word.end,
                        "'%.*s' is no initial value; there are zero, iota, rand:SEED, a number, "
                        "{...} and @FILE",
                        (int)length, text);
        parser->at = begin;
    }
    argument->value_count = 1;
    argument->values = ARENA_NEW(parser->arena, uint64_t);
    return parse_value(parser, argument->type, argument->values);
}

// [count], where the count may be a product.
static bool parse_extent(struct parser *parser, struct launch_argument *argument) {
    size_t begin = parser->at;
    argument->is_buffer = true;
    if (accept(parser, "]"))
        return true;
    argument->has_count = true;
    argument->count = 1;
    do {
        uint64_t factor = 0;
        if (!parse_unsigned(parser, UINT64_MAX, "a number of elements", &factor))
            return false;
        if (__builtin_mul_overflow(argument->count, factor, &argument->count) ||
            argument->count > (uint64_t)INT64_MAX / ptx_type_bytes(argument->type))
            return fail(parser, begin, parser->at, "the buffer is too large");
    } while (accept(parser, "*"));
    return expect(parser, "]", "behind the number of elements");
}

// The count of a buffer that a list gives, and whether a given count and a list agree.
static bool settle_count(struct parser *parser, struct launch_argument *argument) {
    size_t begin = argument->range.begin;
    if (!argument->has_count && argument->is_list)
        argument->count = argument->value_count;
    else if (!argument->has_count && argument->init != LAUNCH_FILE)
        return fail(parser, begin, parser->at,
                    "the buffer needs a number of elements, a list or a file");
    if (argument->is_list && argument->value_count > argument->count)
        return fail(parser, begin, parser->at, "the list has %zu values, the buffer %llu elements",
                    argument->value_count, (unsigned long long)argument->count);
    return true;
}

static bool parse_typed(struct parser *parser, struct launch_argument *argument) {
    struct source_range word = parse_word(parser);
    if (accept(parser, ":")) {
        argument->name =
            arena_strndup(parser->arena, parser->text + word.begin, word.end - word.begin);
        word = parse_word(parser);
    }
    size_t length = word.end - word.begin;
    argument->type = launch_type(parser->text + word.begin, length);
    if (!argument->type)
        return fail(parser, word.begin, word.end > word.begin ? word.end : word.begin + 1,
                    length ? "'%.*s' is no type; there are u8 to u64, s8 to s64, b8 to b64, f16, "
                             "bf16, f32 and f64"
                           : "expected a type%.*s",
                    (int)length, parser->text + word.begin);
    argument->count = 1;
    if (accept(parser, "[") && !parse_extent(parser, argument))
        return false;
    if (accept(parser, "="))
        return parse_init(parser, argument) &&
               (!argument->is_buffer || settle_count(parser, argument));
    if (!argument->is_buffer)
        return fail(parser, argument->range.begin, parser->at,
                    "a scalar needs a value: %s=VALUE; a buffer a size: %s[COUNT]",
                    ptx_type_text(argument->type), ptx_type_text(argument->type));
    return settle_count(parser, argument);
}

static bool parse_argument(struct parser *parser, struct launch_argument *argument) {
    skip_blanks(parser);
    size_t begin = parser->at;
    argument->range = range_from(begin, begin + 1);
    const char *text = parser->text + begin;
    bool is_number = isdigit((unsigned char)*text) || *text == '-' || *text == '+' ||
                     *text == '.' || (!strncmp(text, "inf", 3) && !is_word(text[3])) ||
                     (!strncmp(text, "nan", 3) && !is_word(text[3]));
    bool is_fine = true;
    if (is_number) {
        argument->value_range = parse_number_word(parser);
        argument->count = 1;
        argument->init = LAUNCH_VALUES;
    } else if (is_word(*text)) {
        is_fine = parse_typed(parser, argument);
    } else {
        is_fine = fail(parser, begin, begin + 1, "expected an argument");
    }
    argument->range.end = (uint32_t)(parser->at > begin ? parser->at : begin + 1);
    return is_fine;
}

static bool parse_arguments(struct parser *parser, struct launch_spec *spec) {
    VEC(struct launch_argument) arguments = {0};
    skip_blanks(parser);
    size_t begin = parser->at;
    bool is_fine = expect(parser, "(", "before the arguments");
    if (is_fine && !accept(parser, ")")) {
        do {
            struct launch_argument argument = {0};
            is_fine = parse_argument(parser, &argument);
            vec_push(&arguments, argument);
        } while (is_fine && accept(parser, ","));
        is_fine = is_fine && expect(parser, ")", "behind the arguments");
    }
    spec->arguments_range = range_from(begin, parser->at);
    spec->argument_count = arguments.length;
    spec->arguments = ARENA_ARRAY(parser->arena, struct launch_argument, arguments.length);
    if (arguments.length)
        memcpy(spec->arguments, arguments.data, arguments.length * sizeof *arguments.data);
    vec_free(&arguments);
    return is_fine;
}

static bool parse_kernel(struct parser *parser, struct launch_spec *spec) {
    skip_blanks(parser);
    size_t begin = parser->at;
    const char *shapes = strstr(parser->text + begin, "<<<");
    if (!shapes)
        return fail(parser, begin, strlen(parser->text),
                    "a launch is written kernel<<<grid, block>>>(arguments)");
    size_t end = (size_t)(shapes - parser->text);
    parser->at = end;
    while (end > begin && isspace((unsigned char)parser->text[end - 1]))
        end--;
    if (end == begin)
        return fail(parser, begin, begin + 3, "expected the kernel's name before '<<<'");
    spec->kernel = arena_strndup(parser->arena, parser->text + begin, end - begin);
    spec->kernel_range = range_from(begin, end);
    return accept(parser, "<<<");
}

bool launch_spec_parse(const struct source *source, struct arena *arena, struct launch_spec *spec,
                       struct diag_list *diags) {
    *spec = (struct launch_spec){0};
    struct parser parser = {.source = source,
                            .arena = arena,
                            .diags = diags,
                            .text = arena_strndup(arena, source->text, source->length)};
    if (!parse_kernel(&parser, spec) ||
        !parse_shape(&parser, "the grid's size", spec->grid, &spec->grid_range) ||
        !expect(&parser, ",", "and the block's size") ||
        !parse_shape(&parser, "the block's size", spec->block, &spec->block_range))
        return false;
    if (accept(&parser, ",")) {
        uint64_t bytes = 0;
        skip_blanks(&parser);
        size_t begin = parser.at;
        if (!parse_unsigned(&parser, UINT32_MAX, "the number of shared bytes", &bytes))
            return false;
        spec->shared_bytes = (uint32_t)bytes;
        spec->shared_range = range_from(begin, parser.at);
    }
    if (!expect(&parser, ">>>", "behind the launch's shape") || !parse_arguments(&parser, spec))
        return false;
    skip_blanks(&parser);
    if (parser.text[parser.at])
        return fail(&parser, parser.at, source->length, "nothing may follow the arguments");
    return true;
}
