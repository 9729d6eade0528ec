#include "patch/edits.h"

#include <stdlib.h>

#include "base/strbuf.h"

static void add(patch_edits *edits, uint32_t begin, uint32_t end, const char *format,
                va_list arguments) {
    struct strbuf text = {0};
    strbuf_vprintf(&text, format, arguments);
    vec_push(edits, (struct patch_edit){begin, end, strbuf_take(&text)});
}

void patch_add(patch_edits *edits, uint32_t begin, uint32_t end, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add(edits, begin, end, format, arguments);
    va_end(arguments);
}

void patch_insert(patch_edits *edits, uint32_t at, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add(edits, at, at, format, arguments);
    va_end(arguments);
}

// By where they are; else as they were added, which their places in the list tell.
static int by_place(const void *a, const void *b) {
    const struct patch_edit *x = *(const struct patch_edit *const *)a,
                            *y = *(const struct patch_edit *const *)b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x < y ? -1 : x > y;
}

char *patch_apply(const char *text, size_t length, const patch_edits *edits) {
    struct strbuf out = {0};
    const struct patch_edit **order = base_alloc((edits->length + 1) * sizeof *order);
    size_t done = 0;
    for (size_t i = 0; i < edits->length; i++)
        order[i] = &edits->data[i];
    qsort(order, edits->length, sizeof *order, by_place);
    for (size_t i = 0; i < edits->length; i++) {
        strbuf_append(&out, text + done, order[i]->begin - done);
        strbuf_puts(&out, order[i]->text);
        done = order[i]->end;
    }
    strbuf_append(&out, text + done, length - done);
    free(order);
    return out.data ? strbuf_take(&out) : base_strdup("");
}

void patch_edits_free(patch_edits *edits) {
    for (size_t i = 0; i < edits->length; i++)
        free(edits->data[i].text);
    vec_free(edits);
}
