// Types of CUDA C, with the sizes and alignments that they have on the device.
#include "explain/types.h"

#include <string.h>

#define INTEGER(text, size, no_sign)                                                               \
    { .kind = EXPLAIN_INTEGER, .name = text, .bytes = size, .align = size, .is_unsigned = no_sign }
#define OPAQUE(text, size)                                                                         \
    { .kind = EXPLAIN_OPAQUE, .name = text, .bytes = size, .align = size }

const struct explain_type explain_void = {.kind = EXPLAIN_VOID, .name = "void", .align = 1};
const struct explain_type explain_int = INTEGER("int", 4, false);
const struct explain_type explain_unsigned = INTEGER("unsigned int", 4, true);
const struct explain_type explain_long = INTEGER("long long", 8, false);
const struct explain_type explain_ulong = INTEGER("unsigned long long", 8, true);

static const struct explain_type float_type = OPAQUE("float", 4);
static const struct explain_type double_type = OPAQUE("double", 8);

static const struct explain_type scalars[] = {
    INTEGER("bool", 1, true),
    INTEGER("int8_t", 1, false),
    INTEGER("uint8_t", 1, true),
    INTEGER("int16_t", 2, false),
    INTEGER("uint16_t", 2, true),
    INTEGER("int32_t", 4, false),
    INTEGER("uint32_t", 4, true),
    INTEGER("int64_t", 8, false),
    INTEGER("uint64_t", 8, true),
    INTEGER("size_t", 8, true),
    INTEGER("ptrdiff_t", 8, false),
    INTEGER("uchar", 1, true),
    INTEGER("ushort", 2, true),
    INTEGER("uint", 4, true),
    INTEGER("ulong", 8, true),
    INTEGER("longlong", 8, false),
    INTEGER("ulonglong", 8, true),
    INTEGER("__int64", 8, false),
    OPAQUE("half", 2),
    OPAQUE("__half", 2),
    OPAQUE("bfloat16", 2),
    OPAQUE("__nv_bfloat16", 2),
    OPAQUE("nv_bfloat16", 2),
    OPAQUE("__nv_fp8_e4m3", 1),
    OPAQUE("__nv_fp8_e5m2", 1),
    OPAQUE("float", 4),
    OPAQUE("double", 8),
};

static const struct explain_type schar = INTEGER("signed char", 1, false);
static const struct explain_type plain_char = INTEGER("char", 1, false);
static const struct explain_type uchar = INTEGER("unsigned char", 1, true);
static const struct explain_type sshort = INTEGER("short", 2, false);
static const struct explain_type ushort_type = INTEGER("unsigned short", 2, true);
static const struct explain_type slong = INTEGER("long", 8, false);
static const struct explain_type ulong_type = INTEGER("unsigned long", 8, true);

// Vectors: "float" + "4". `most_align` is the alignment of those with 4 elements.
static const struct {
    const char *prefix;
    const struct explain_type *element;
    unsigned four_align;
} vectors[] = {
    {"char", &schar, 4},
    {"uchar", &uchar, 4},
    {"short", &sshort, 8},
    {"ushort", &ushort_type, 8},
    {"int", &explain_int, 16},
    {"uint", &explain_unsigned, 16},
    {"long", &slong, 16},
    {"ulong", &ulong_type, 16},
    {"longlong", &explain_long, 16},
    {"ulonglong", &explain_ulong, 16},
    {"float", &float_type, 16},
    {"double", &double_type, 16},
};

static bool is_word(const char *text, size_t length, const char *word) {
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

static const struct explain_type *vector_of(struct arena *arena, const char *name, size_t length,
                                            const struct explain_type *element, unsigned count,
                                            uint64_t align) {
    static const char *const names[] = {"x", "y", "z", "w"};
    struct explain_member *members = ARENA_ARRAY(arena, struct explain_member, count);
    for (unsigned i = 0; i < count; i++)
        members[i] = (struct explain_member){names[i], element, i * element->bytes};
    struct explain_type *type = ARENA_NEW(arena, struct explain_type);
    *type = (struct explain_type){.kind = EXPLAIN_STRUCT,
                                  .name = arena_strndup(arena, name, length),
                                  .bytes = count * element->bytes,
                                  .align = align,
                                  .is_vector = true,
                                  .members = members,
                                  .member_count = count};
    return type;
}

const struct explain_type *explain_named_type(struct arena *arena, const char *name,
                                              size_t length) {
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (is_word(name, length, scalars[i].name))
            return &scalars[i];
    if (is_word(name, length, "void"))
        return &explain_void;
    if (is_word(name, length, "dim3"))
        return vector_of(arena, name, length, &explain_unsigned, 3, 4);
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) // half2, __half2, __nv_bfloat162
        if (scalars[i].kind == EXPLAIN_OPAQUE && scalars[i].bytes == 2 && length > 0 &&
            name[length - 1] == '2' && is_word(name, length - 1, scalars[i].name))
            return vector_of(arena, name, length, &scalars[i], 2, 4);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        size_t prefix = strlen(vectors[i].prefix);
        if (length != prefix + 1 || memcmp(name, vectors[i].prefix, prefix) != 0 ||
            name[prefix] < '1' || name[prefix] > '4')
            continue;
        unsigned count = (unsigned)(name[prefix] - '0');
        const struct explain_type *element = vectors[i].element;
        uint64_t align = count == 4   ? vectors[i].four_align
                         : count == 2 ? 2 * element->bytes
                                      : element->bytes;
        return vector_of(arena, name, length, element, count, align);
    }
    return NULL;
}

const struct explain_type *explain_scalar(const struct explain_words *words) {
    unsigned others = words->is_short + words->is_char + (words->is_long > 0);
    if (words->is_unsigned + words->is_signed > 1 || others > 1 || words->is_long > 2 ||
        words->is_int > 1 || (words->is_char && words->is_int))
        return NULL;
    bool no_sign = words->is_unsigned != 0;
    if (words->is_char)
        return no_sign ? &uchar : words->is_signed ? &schar : &plain_char;
    if (words->is_short)
        return no_sign ? &ushort_type : &sshort;
    if (words->is_long == 2)
        return no_sign ? &explain_ulong : &explain_long;
    if (words->is_long == 1)
        return no_sign ? &ulong_type : &slong;
    return no_sign ? &explain_unsigned : &explain_int;
}

const struct explain_type *explain_pointer(struct arena *arena,
                                           const struct explain_type *element) {
    struct explain_type *type = ARENA_NEW(arena, struct explain_type);
    *type = (struct explain_type){.kind = EXPLAIN_POINTER,
                                  .name = arena_printf(arena, "%s *", element->name),
                                  .bytes = 8,
                                  .align = 8,
                                  .element = element};
    return type;
}

const struct explain_type *explain_array(struct arena *arena, const struct explain_type *element,
                                         uint64_t count) {
    if (element->bytes && count > EXPLAIN_MAX_BYTES / element->bytes)
        return NULL;
    struct explain_type *type = ARENA_NEW(arena, struct explain_type);
    *type = (struct explain_type){.kind = EXPLAIN_ARRAY,
                                  .name = "array",
                                  .bytes = count * element->bytes,
                                  .align = element->align,
                                  .element = element,
                                  .count = count};
    return type;
}

const struct explain_type *explain_struct(struct arena *arena, struct explain_member *members,
                                          size_t count, uint64_t align, bool is_union) {
    struct explain_type *type = ARENA_NEW(arena, struct explain_type);
    *type = (struct explain_type){.kind = EXPLAIN_STRUCT,
                                  .name = is_union ? "union" : "struct",
                                  .align = align ? align : 1,
                                  .members = members,
                                  .member_count = count};
    uint64_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const struct explain_type *member = members[i].type;
        at = is_union ? 0 : (at + member->align - 1) & ~(member->align - 1);
        members[i].offset = at;
        at += member->bytes;
        if (at > EXPLAIN_MAX_BYTES)
            return NULL;
        type->bytes = at > type->bytes ? at : type->bytes;
        type->align = member->align > type->align ? member->align : type->align;
    }
    type->bytes = (type->bytes + type->align - 1) & ~(type->align - 1);
    return type;
}

const struct explain_member *explain_member(const struct explain_type *type, const char *name,
                                            size_t length) {
    for (size_t i = 0; type->kind == EXPLAIN_STRUCT && i < type->member_count; i++)
        if (is_word(name, length, type->members[i].name))
            return &type->members[i];
    return NULL;
}
