// See extents.h.
#include "patch/extents.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum {
    MOST_NESTING = 16,  // of names that stand for names
    MOST_TRIED = 65536, // numbers for a name that is not known
    MOST_KNOWN = 8,     // names whose numbers are kept
};

struct known {
    const char *word;
    size_t length;
    int64_t number;
};

struct reading {
    const struct patch_text *source;
    size_t before;    // constants behind this token are not the array's
    const char *free; // the first name that stands for no number; NULL: all do
    size_t free_length;
    int64_t free_number; // what it is taken for
    bool uses_free;
    bool is_bad; // more than that is not understood
    unsigned nesting;
    struct known known[MOST_KNOWN];
    unsigned known_count;
};

static const char *word_at(const struct reading *reading, size_t at, size_t *length) {
    const struct patch_token *token = &reading->source->tokens.data[at];
    *length = token->end - token->begin;
    return reading->source->text + token->begin;
}

static bool is_same_word(const struct reading *reading, size_t at, const char *word,
                         size_t length) {
    size_t here;
    const char *text = word_at(reading, at, &here);
    return here == length && !memcmp(text, word, length);
}

// ---- What a name stands for -----------------------------------------------------------------

// The statement or enumeration that token `at` is in declares constants.
static bool is_constant(const struct patch_text *source, size_t at) {
    static const char *const ends[] = {";", "{", "}", "(", NULL};
    static const char *const words[] = {"const", "constexpr", NULL};
    size_t start = at;
    for (; start > 0 && !patch_is_any(source, start - 1, ends); start--)
        if (patch_is_any(source, start - 1, words))
            return true;
    for (size_t back = 2; start >= back && back <= 5 && patch_is(source, start - 1, "{"); back++)
        if (patch_is(source, start - back, "enum"))
            return true;
    return false;
}

static size_t end_of_value(const struct patch_text *source, size_t at) {
    static const char *const ends[] = {";", ",", "}", NULL};
    for (; at < source->tokens.length && !patch_is_any(source, at, ends); at++)
        if (patch_is(source, at, "("))
            at = patch_closing(source, at);
    return at;
}

static size_t end_of_directive(const struct patch_text *source, size_t at) {
    const struct patch_token *tokens = source->tokens.data;
    while (at < source->tokens.length && tokens[at].is_directive && !patch_is(source, at, "#"))
        at++;
    return at;
}

// The tokens of its value, if all that defines the name gives it the same one.
static bool find_value(const struct reading *reading, const char *word, size_t length,
                       struct patch_range *value) {
    const struct patch_text *source = reading->source;
    bool is_found = false;
    for (size_t at = 2; at < reading->before; at++) {
        const struct patch_token *token = &source->tokens.data[at];
        struct patch_range here;
        if (token->kind != PATCH_NAME || !is_same_word(reading, at, word, length))
            continue;
        if (token->is_directive && patch_is(source, at - 1, "define"))
            here = (struct patch_range){at + 1, end_of_directive(source, at + 1)};
        else if (!token->is_directive && patch_is(source, at + 1, "=") && is_constant(source, at))
            here = (struct patch_range){at + 2, end_of_value(source, at + 2)};
        else
            continue;
        if (here.last == here.first || is_found)
            return false; // defined as nothing, or once more, as by #else
        *value = (struct patch_range){here.first, here.last - 1};
        is_found = true;
    }
    return is_found;
}

// ---- Expressions ----------------------------------------------------------------------------

static int64_t read_sum(struct reading *reading, size_t *at, size_t end, unsigned least);

static int64_t read_range(struct reading *reading, struct patch_range range) {
    size_t at = range.first;
    const int64_t value = read_sum(reading, &at, range.last + 1, 0);
    reading->is_bad |= at != range.last + 1;
    return value;
}

static int64_t read_free(struct reading *reading, const char *word, size_t length) {
    if (!reading->free) {
        reading->free = word;
        reading->free_length = length;
    }
    reading->is_bad |= length != reading->free_length || memcmp(word, reading->free, length) != 0;
    reading->uses_free = true;
    return reading->free_number;
}

// Kept, unless it is of the name that is not known.
static int64_t read_defined(struct reading *reading, const char *word, size_t length,
                            struct patch_range value) {
    const bool used_free = reading->uses_free;
    reading->uses_free = false;
    reading->is_bad |= ++reading->nesting > MOST_NESTING;
    const int64_t number = reading->is_bad ? 0 : read_range(reading, value);
    reading->nesting--;
    if (!reading->uses_free && !reading->is_bad && reading->known_count < MOST_KNOWN)
        reading->known[reading->known_count++] = (struct known){word, length, number};
    reading->uses_free |= used_free;
    return number;
}

static int64_t read_name(struct reading *reading, size_t at) {
    struct patch_range value;
    size_t length;
    const char *word = word_at(reading, at, &length);
    for (unsigned i = 0; i < reading->known_count; i++)
        if (reading->known[i].length == length && !memcmp(reading->known[i].word, word, length))
            return reading->known[i].number;
    if (reading->free && reading->free_length == length && !memcmp(reading->free, word, length))
        return read_free(reading, word, length);
    if (find_value(reading, word, length, &value))
        return read_defined(reading, word, length, value);
    return read_free(reading, word, length);
}

// "Layout::PITCH": a name that is known to nobody here. `at`: behind its first word.
static int64_t read_qualified(struct reading *reading, size_t first, size_t *at, size_t end) {
    const struct patch_token *tokens = reading->source->tokens.data;
    while (*at + 1 < end && patch_is(reading->source, *at, "::") &&
           tokens[*at + 1].kind == PATCH_NAME)
        *at += 2;
    return read_free(reading, reading->source->text + tokens[first].begin,
                     tokens[*at - 1].end - tokens[first].begin);
}

static int64_t read_number(struct reading *reading, size_t at) {
    size_t length;
    const char *word = word_at(reading, at, &length);
    char *end, *text = base_strndup(word, length);
    const unsigned long long number = strtoull(text, &end, 0);
    reading->is_bad |= end[strspn(end, "uUlL")] != 0 || number > UINT32_MAX;
    free(text);
    return (int64_t)number;
}

static int64_t read_term(struct reading *reading, size_t *at, size_t end) {
    const struct patch_text *source = reading->source;
    if (*at < end && patch_is(source, *at, "(")) {
        const size_t close = patch_closing(source, *at), first = *at + 1;
        reading->is_bad |= close >= end || close == first;
        *at = close + 1;
        return reading->is_bad ? 0 : read_range(reading, (struct patch_range){first, close - 1});
    }
    const size_t here = (*at)++;
    if (here < end && source->tokens.data[here].kind == PATCH_NUMBER)
        return read_number(reading, here);
    if (here < end && patch_is(source, here + 1, "::"))
        return read_qualified(reading, here, at, end);
    if (here < end && source->tokens.data[here].kind == PATCH_NAME)
        return read_name(reading, here);
    reading->is_bad = true;
    return 0;
}

// Of operators with the same rank or a higher one than `least`.
static const struct {
    const char *mark;
    unsigned rank;
} operators[] = {{"<<", 1}, {">>", 1}, {"+", 2}, {"-", 2}, {"*", 3}, {"/", 3}, {"%", 3}};

static int64_t joined(struct reading *reading, const char *mark, int64_t a, int64_t b) {
    int64_t value = 0;
    switch (mark[0]) {
    case '<':
    case '>':
        reading->is_bad |= a < 0 || b < 0 || b > 31;
        return reading->is_bad ? 0 : mark[0] == '<' ? a << b : a >> b;
    case '+':
        reading->is_bad |= __builtin_add_overflow(a, b, &value);
        return value;
    case '-':
        reading->is_bad |= __builtin_sub_overflow(a, b, &value);
        return value;
    case '*':
        reading->is_bad |= __builtin_mul_overflow(a, b, &value);
        return value;
    default:
        reading->is_bad |= b <= 0;
        return reading->is_bad ? 0 : mark[0] == '/' ? a / b : a % b;
    }
}

// "<<" and ">>" are two marks to the tokens' reader where templates might end.
static size_t operator_at(const struct patch_text *source, size_t at, size_t end, size_t *length) {
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        const char *mark = operators[i].mark;
        const char one[] = {mark[0], 0};
        *length = 1;
        if (patch_is(source, at, mark))
            return i;
        *length = 2;
        if (mark[1] && at + 1 < end && patch_is(source, at, one) && patch_is(source, at + 1, one))
            return i;
    }
    return SIZE_MAX;
}

static int64_t read_sum(struct reading *reading, size_t *at, size_t end, unsigned least) {
    int64_t value = read_term(reading, at, end);
    while (*at < end && !reading->is_bad) {
        size_t length;
        const size_t found = operator_at(reading->source, *at, end, &length);
        if (found == SIZE_MAX || operators[found].rank <= least)
            break;
        *at += length;
        const int64_t next = read_sum(reading, at, end, operators[found].rank);
        value = joined(reading, operators[found].mark, value, next);
    }
    return value;
}

// ---- Elements -------------------------------------------------------------------------------

static unsigned bytes_of_word(const char *word, size_t length) {
    static const struct {
        const char *name;
        unsigned bytes;
    } types[] = {
        {"char", 1},           {"uchar", 1},        {"bool", 1},
        {"int8_t", 1},         {"uint8_t", 1},      {"short", 2},
        {"ushort", 2},         {"int16_t", 2},      {"uint16_t", 2},
        {"half", 2},           {"__half", 2},       {"__nv_bfloat16", 2},
        {"nv_bfloat16", 2},    {"int", 4},          {"uint", 4},
        {"unsigned", 4},       {"float", 4},        {"int32_t", 4},
        {"uint32_t", 4},       {"__half2", 4},      {"half2", 4},
        {"__nv_bfloat162", 4}, {"nv_bfloat162", 4}, {"long", 8},
        {"ulong", 8},          {"longlong", 8},     {"ulonglong", 8},
        {"double", 8},         {"int64_t", 8},      {"uint64_t", 8},
        {"size_t", 8},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == length && !memcmp(types[i].name, word, length))
            return types[i].bytes;
    return 0;
}

static unsigned bytes_of_type(const char *word, size_t length) {
    const unsigned bytes = bytes_of_word(word, length);
    if (bytes || length < 2 || word[length - 1] < '1' || word[length - 1] > '4')
        return bytes;
    return bytes_of_word(word, length - 1) * (unsigned)(word[length - 1] - '0'); // float4
}

// 0: another type than those that CUDA has. Of "unsigned char" the last word counts but for int.
static unsigned element_bytes(const struct reading *reading, const struct patch_array *array) {
    static const char *const beside[] = {"extern", "static", "__shared__", "volatile",
                                         "const",  "signed", "constexpr",  NULL};
    unsigned bytes = 0;
    for (size_t at = array->statement_begin; at < array->at; at++) {
        size_t length;
        const char *word = word_at(reading, at, &length);
        if (patch_is(reading->source, at, "("))
            at = patch_closing(reading->source, at);
        if (reading->source->tokens.data[at].kind != PATCH_NAME ||
            patch_is_any(reading->source, at, beside) || patch_is(reading->source, at + 1, "("))
            continue;
        const unsigned here = bytes_of_type(word, length);
        if (!here)
            return 0;
        if (!bytes || !patch_is(reading->source, at, "int"))
            bytes = here;
    }
    return bytes;
}

// ---- The array ------------------------------------------------------------------------------

// The number of its elements; 0: it is not known.
static uint64_t read_all(struct reading *reading, const struct patch_array *array,
                         struct patch_shape *shape) {
    uint64_t elements = 1;
    for (unsigned i = 0; i < array->rank; i++) {
        const struct patch_range range = array->extents[i];
        const bool is_empty = range.last < range.first || range.last == SIZE_MAX;
        if (is_empty && i == 0 && array->is_dynamic) {
            shape->extents[0] = 0;
            continue;
        }
        const int64_t extent = is_empty ? 0 : read_range(reading, range);
        if (reading->is_bad || extent <= 0 || extent > UINT32_MAX ||
            __builtin_mul_overflow(elements, (uint64_t)extent, &elements))
            return 0;
        shape->extents[i] = (uint64_t)extent;
    }
    return elements;
}

static bool try_numbers(struct reading *reading, const struct patch_array *array,
                        struct patch_shape *shape) {
    struct patch_shape fitting = {0};
    bool is_found = false;
    const uint64_t most = shape->bytes / shape->element_bytes;
    for (int64_t number = 1; number <= MOST_TRIED && (uint64_t)number <= most; number++) {
        reading->free_number = number;
        reading->is_bad = false;
        const uint64_t elements = read_all(reading, array, shape);
        if (!elements || elements * shape->element_bytes != shape->bytes)
            continue;
        if (is_found && memcmp(fitting.extents, shape->extents, sizeof fitting.extents) != 0)
            return false;
        fitting = *shape;
        is_found = true;
    }
    *shape = fitting;
    return is_found;
}

bool patch_read_extents(const struct patch_text *source, const struct patch_array *array,
                        uint64_t bytes, uint64_t access_bytes, struct patch_shape *shape) {
    struct reading reading = {.source = source, .before = array->at, .free_number = 1};
    *shape = (struct patch_shape){.bytes = bytes};
    if (array->rank == 0 || array->is_dynamic != (bytes == 0))
        return false;
    shape->element_bytes = element_bytes(&reading, array);
    const uint64_t elements = read_all(&reading, array, shape);
    if (!bytes)
        return elements && !reading.free && shape->element_bytes;
    if (reading.free && !shape->element_bytes && array->rank > 1)
        shape->element_bytes = access_bytes; // one number seldom fits two extents and a wrong size
    if (reading.free)
        return shape->element_bytes && try_numbers(&reading, array, shape);
    if (!elements || bytes % elements)
        return false;
    if (!shape->element_bytes) // a type of the program's own
        shape->element_bytes = bytes / elements;
    return shape->element_bytes * elements == bytes;
}
