// How a layout is written in CUDA C.
#include <string.h>

#include "cli/explain.h"
#include "cli/layout.h"

typedef unsigned long long number;

// 5 for 32; -1: no power of two.
static int log2_of(uint64_t value) {
    return value && (value & (value - 1)) == 0 ? __builtin_ctzll(value) : -1;
}

const char *layout_access_text(const struct layout_access *access) {
    return access->asked.instruction ? access->asked.instruction
                                     : explain_access_text(access->asked.access);
}

// Elements or rows that the padding adds to this dimension, 0 being the outermost.
static uint64_t padding_of(const struct layout_question *question, const struct fix_layout *layout,
                           unsigned dimension) {
    const struct explain_shape *shape = &question->shape;
    if (layout->kind != FIX_PAD || dimension == 0)
        return 0;
    uint64_t inner = shape->element_bytes;
    for (unsigned d = shape->dimensions - 1; d > dimension; d--)
        inner *= shape->counts[d];
    return inner * shape->counts[dimension] == layout->pitch ? layout->pad / inner : 0;
}

void layout_declaration(const struct layout_question *question, const struct fix_layout *layout,
                        struct strbuf *out) {
    const struct explain_shape *shape = &question->shape;
    strbuf_printf(out, "%s %s", shape->type ? shape->type : "struct", question->array);
    for (unsigned d = 0; d < shape->dimensions; d++) {
        uint64_t count = shape->counts[d] + padding_of(question, layout, d);
        if (d == 0 && shape->bytes && shape->dimensions == 1)
            count = fix_bytes(layout, shape->bytes) / shape->element_bytes;
        if (d == 0 && !shape->bytes)
            strbuf_puts(out, "[]");
        else
            strbuf_printf(out, "[%llu]", (number)count);
    }
}

// "x", "(y >> 1)", "(y & 3)", "(y >> 1 & 3)" << 2: the bits of `from` that are XORed into an index.
static void put_bits(struct strbuf *out, const char *from, unsigned skipped, unsigned bits,
                     unsigned by, bool is_all) {
    const bool is_plain = skipped == 0 && is_all;
    strbuf_puts(out, by && !is_plain ? "((" : is_plain && !by ? "" : "(");
    strbuf_puts(out, from);
    if (skipped)
        strbuf_printf(out, " >> %u", skipped);
    if (!is_all)
        strbuf_printf(out, " & %llu", ((number)1 << bits) - 1);
    if (by)
        strbuf_printf(out, is_plain ? " << %u" : ") << %u", by);
    strbuf_puts(out, is_plain && !by ? "" : ")");
}

// "(y & 1) * 31", "(y >> 2 & 1) * 28": what every second run of `from` is mirrored by.
static void put_mirror(struct strbuf *out, const char *from, unsigned skipped, unsigned bits,
                       unsigned by) {
    strbuf_printf(out, "(%s", from);
    if (skipped)
        strbuf_printf(out, " >> %u", skipped);
    strbuf_printf(out, " & 1) * %llu", (((number)1 << bits) - 1) << by);
}

// Of two dimensions whose rows are a power of two long: bits of y go into x.
static bool put_rows(const struct layout_question *question, const struct fix_layout *layout,
                     unsigned element, struct strbuf *out) {
    const struct explain_shape *shape = &question->shape;
    const int row = shape->dimensions == 2 ? log2_of(shape->counts[1]) : -1;
    const unsigned shift = layout->shift - element, base = layout->base - element;
    if (row < 0 || shift < (unsigned)row || base + layout->bits > (unsigned)row)
        return false;
    const unsigned skipped = shift - (unsigned)row;
    const bool is_all = shape->counts[0] && shape->counts[0] <= (uint64_t)1
                                                                    << (skipped + layout->bits);
    strbuf_printf(out, "%s[y][x ^ ", question->array);
    if (layout->kind == FIX_MIRROR)
        put_mirror(out, "y", skipped, layout->bits, base);
    else
        put_bits(out, "y", skipped, layout->bits, base, is_all);
    strbuf_puts(out, "]");
    return true;
}

static void put_swizzled(const struct layout_question *question, const struct fix_layout *layout,
                         struct strbuf *out) {
    const unsigned element = (unsigned)log2_of(question->shape.element_bytes);
    if (put_rows(question, layout, element, out))
        return;
    if (question->shape.dimensions > 1)
        strbuf_printf(out, "((%s *)%s)[i ^ ", question->shape.type ? question->shape.type : "T",
                      question->array);
    else
        strbuf_printf(out, "%s[i ^ ", question->array);
    if (layout->kind == FIX_MIRROR)
        put_mirror(out, "i", layout->shift - element, layout->bits, layout->base - element);
    else
        put_bits(out, "i", layout->shift - element, layout->bits, layout->base - element, false);
    strbuf_puts(out, "]");
}

void layout_index(const struct layout_question *question, const struct fix_layout *layout,
                  struct strbuf *out) {
    const uint64_t element = question->shape.element_bytes;
    if (layout->kind == FIX_SWIZZLE || layout->kind == FIX_MIRROR) {
        put_swizzled(question, layout, out);
    } else if (layout->kind == FIX_PAD && question->shape.dimensions < 2) {
        strbuf_printf(out, "%s[i + i / %llu", question->array, (number)(layout->pitch / element));
        if (layout->pad > element)
            strbuf_printf(out, " * %llu", (number)(layout->pad / element));
        strbuf_puts(out, "]");
    }
}

void layout_swizzle(const struct layout_question *question, const struct fix_layout *layout,
                    struct strbuf *out) {
    const int element = log2_of(question->shape.element_bytes);
    if (layout->kind == FIX_SWIZZLE)
        strbuf_printf(out, "Swizzle<%u, %u, %u>", layout->bits, layout->base - (unsigned)element,
                      layout->shift - layout->base);
}
