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

static void put_layout(struct strbuf *out, const struct profile_layout *layout) {
    if (layout->kind == PROFILE_SWIZZLE) {
        strbuf_printf(out, "index it by i ^ (i >> %u & %llu)", layout->shift,
                      ((number)1 << layout->bits) - 1);
        if (layout->base)
            strbuf_printf(out, " << %u", layout->base);
    } else if (layout->is_by_index) {
        strbuf_printf(out, "index it by i + i / %u", layout->row);
        if (layout->pad > 1)
            strbuf_printf(out, " * %u", layout->pad);
    } else {
        strbuf_printf(out, "pad rows of %u elements to %u", layout->row, layout->row + layout->pad);
    }
}

static void put_none(struct strbuf *out, const struct profile_cure *cure) {
    strbuf_puts(out, "no row padding and no XOR swizzle takes away half of the conflicts");
    if (cure->reason == PROFILE_ONE_ELEMENT)
        strbuf_puts(out,
                    "\nlanes that update one element wait for each other wherever it lies: add "
                    "up in registers or with shuffles first, or give each warp a copy");
}

// The best that is padded, or swizzled; NULL: none is a cure.
static const struct profile_layout *best_of(const struct profile_cure *cure,
                                            enum profile_layout_kind kind) {
    for (size_t i = 0; i < cure->layout_count; i++)
        if (cure->layouts[i].kind == kind)
            return &cure->layouts[i];
    return NULL;
}

static void put_layouts(struct strbuf *out, const struct profile_cure *cure) {
    const struct profile_layout *best[] = {best_of(cure, PROFILE_PAD),
                                           best_of(cure, PROFILE_SWIZZLE)};
    for (int i = 0; i < 2; i++) {
        if (!best[i])
            continue;
        strbuf_puts(out, i && best[0] ? "\nor " : "");
        put_layout(out, best[i]);
        put_outcome(out, cure, best[i]);
    }
}

char *profile_cure_text(const struct profile_cure *cure) {
    struct strbuf out = {0};
    if (cure->reason)
        put_none(&out, cure);
    else
        put_layouts(&out, cure);
    strbuf_printf(&out, "\ntried on what block 0 asks of it (%llu requests, elements of %u byte%s)",
                  (number)cure->requests, cure->element_bytes, cure->element_bytes > 1 ? "s" : "");
    return strbuf_take(&out);
}
