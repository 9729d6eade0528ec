// What would cure an array's conflicts, in words.
#include "base/strbuf.h"
#include "profile/cure.h"

typedef unsigned long long number;

static void put_outcome(struct strbuf *out, const struct profile_cure *cure,
                        const struct profile_layout *layout) {
    if (layout->wavefronts == cure->ideal)
        strbuf_puts(out, ": no conflicts");
    else
        strbuf_printf(out, ": %llu wavefronts for %llu", (number)layout->wavefronts,
                      (number)cure->wavefronts);
    if (layout->bytes > cure->bytes)
        strbuf_printf(out, ", %llu bytes more", (number)(layout->bytes - cure->bytes));
}

void profile_put_layout(struct strbuf *out, const struct profile_layout *layout) {
    if (layout->kind == PROFILE_SWIZZLE) {
        strbuf_printf(out, "index it by i ^ (i >> %u & %llu)", layout->shift,
                      ((number)1 << layout->bits) - 1);
        if (layout->base)
            strbuf_printf(out, " << %u", layout->base);
    } else if (layout->kind == PROFILE_MIRROR) {
        strbuf_printf(out, "index it by i ^ (i >> %u & 1) * %llu", layout->shift,
                      (((number)1 << layout->bits) - 1) << layout->base);
    } else if (layout->is_by_index) {
        strbuf_printf(out, "index it by i + i / %u", layout->row);
        if (layout->pad > 1)
            strbuf_printf(out, " * %u", layout->pad);
    } else {
        strbuf_printf(out, "pad rows of %u elements to %u", layout->row, layout->row + layout->pad);
    }
}

static void put_none(struct strbuf *out) {
    strbuf_puts(out, "no row padding, XOR swizzle or mirroring takes away half of the conflicts");
}

// A padding by an index is of interest where it is better than the best by a declaration.
static bool is_shown(const struct profile_cure *cure, size_t n) {
    const struct profile_layout *layout = &cure->layouts[n];
    for (size_t i = 0; i < n; i++) {
        const struct profile_layout *better = &cure->layouts[i];
        if (better->kind == layout->kind &&
            (better->is_by_index == layout->is_by_index || layout->is_by_index))
            return false;
    }
    return true;
}

static void put_layouts(struct strbuf *out, const struct profile_cure *cure) {
    const char *before = "";
    for (int kind = 0; kind < PROFILE_LAYOUTS; kind++)
        for (size_t i = 0; i < cure->layout_count; i++) {
            if ((int)cure->layouts[i].kind != kind || !is_shown(cure, i))
                continue;
            strbuf_puts(out, before);
            profile_put_layout(out, &cure->layouts[i]);
            put_outcome(out, cure, &cure->layouts[i]);
            before = "\nor ";
        }
    if (cure->layouts[0].wavefronts > cure->ideal)
        strbuf_puts(out, "\nno such layout is free of conflicts");
}

static void put_name(struct strbuf *out, const struct profile_cure *cure) {
    const uint64_t first = cure->offset / cure->element_bytes;
    if (cure->is_part)
        strbuf_printf(out, "%s[%llu...%llu]", cure->array, (number)first,
                      (number)(first + cure->bytes / cure->element_bytes - 1));
    else
        strbuf_puts(out, "it");
}

char *profile_cure_text(const struct profile_cure *cure) {
    struct strbuf out = {0};
    if (cure->reason)
        put_none(&out);
    else
        put_layouts(&out, cure);
    strbuf_puts(&out, "\ntried on what block 0 asks of ");
    put_name(&out, cure);
    strbuf_printf(&out, " (%llu requests, elements of %u byte%s)", (number)cure->requests,
                  cure->element_bytes, cure->element_bytes > 1 ? "s" : "");
    if (cure->is_part)
        strbuf_printf(&out, ", an array of its own in %s: no access reaches across its ends",
                      cure->array);
    return strbuf_take(&out);
}
