// See probe.h.
#include "patch/probe.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

#define MARK "// bankrun-shared "

void patch_ask(const struct patch_text *source, const patch_arrays *arrays, patch_edits *edits) {
    for (size_t n = 0; n < arrays->length; n++) {
        const struct patch_array *array = &arrays->data[n];
        struct strbuf numbers = {0}, values = {0}, element = {0};
        if (array->text != source->number || array->rank == 0)
            continue;
        strbuf_puts(&element, array->name);
        for (unsigned i = 0; i <= array->rank; i++) {
            if (i > 0 || !array->is_dynamic) {
                strbuf_printf(&numbers, " %%%u", i - array->is_dynamic);
                strbuf_printf(&values, "%s\"n\"((int)sizeof(%s))", values.length ? ", " : "",
                              element.data);
            } else {
                strbuf_puts(&numbers, " 0");
            }
            strbuf_puts(&element, "[0]");
        }
        const uint32_t at = source->tokens.data[array->statement_end].end;
        if (array->is_at_file_scope)
            patch_insert(edits, at, " __global__ void bankrun_asks_%zu() {", n);
        patch_insert(edits, at, " asm volatile(\"" MARK "%zu%s\" :: %s);", n, numbers.data,
                     strbuf_string(&values));
        if (array->is_at_file_scope)
            patch_insert(edits, at, " }");
        strbuf_free(&numbers);
        strbuf_free(&values);
        strbuf_free(&element);
    }
}

static void add_shape(patch_shapes *shapes, const struct patch_shape *shape) {
    for (size_t i = 0; i < shapes->length; i++)
        if (!memcmp(&shapes->data[i], shape, sizeof *shape))
            return;
    vec_push(shapes, *shape);
}

void patch_read_shapes(const char *ptx, const patch_arrays *arrays, size_t n,
                       patch_shapes *shapes) {
    const unsigned rank = arrays->data[n].rank;
    for (const char *at = ptx; (at = strstr(at, MARK));) {
        uint64_t bytes[PATCH_MOST_RANK + 1];
        char *next;
        at += strlen(MARK);
        if (strtoull(at, &next, 10) != n)
            continue;
        for (unsigned i = 0; i <= rank; i++)
            bytes[i] = strtoull(next, &next, 10);
        struct patch_shape shape = {.bytes = bytes[0], .element_bytes = bytes[rank]};
        for (unsigned i = 0; i < rank; i++)
            shape.extents[i] = bytes[i + 1] ? bytes[i] / bytes[i + 1] : 0;
        add_shape(shapes, &shape);
    }
}
