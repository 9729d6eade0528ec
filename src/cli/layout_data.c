// The answers of bankrun layout for other programs: CSV and JSON (schema bankrun-layout/1).
#include <stdlib.h>

#include "cli/explain.h"
#include "cli/layout.h"
#include "profile/json_make.h"

static const char *const kinds[] = {
    [FIX_AS_IS] = "as_is", [FIX_PAD] = "pad", [FIX_SWIZZLE] = "swizzle", [FIX_MIRROR] = "mirror"};

typedef void write_words(const struct layout_question *, const struct fix_layout *,
                         struct strbuf *);

static void set_words(json_t *object, const char *key, write_words *write,
                      const struct layout_question *question, const struct fix_layout *layout) {
    struct strbuf words = {0};
    write(question, layout, &words);
    if (words.length)
        set(object, key, text(strbuf_string(&words)));
    strbuf_free(&words);
}

static void set_cost(json_t *object, const struct fix_cost *cost) {
    set(object, "requests", number(cost->requests));
    set(object, "wavefronts", number(cost->wavefronts));
    set(object, "ideal", number(cost->ideal));
    set(object, "degree", number(cost->degree));
}

static json_t *layout_of(const struct layout_question *question, const struct fix_answer *answer) {
    const struct fix_layout *layout = &answer->layout;
    json_t *object = json_object(), *accesses = json_array();
    set(object, "kind", json_string(kinds[layout->kind]));
    if (layout->kind == FIX_PAD) {
        set(object, "pitch", number(layout->pitch));
        set(object, "pad", number(layout->pad));
    } else if (layout->kind != FIX_AS_IS) {
        set(object, "bits", number(layout->bits));
        set(object, "base", number(layout->base));
        set(object, "shift", number(layout->shift));
    }
    set_words(object, "declaration", layout_declaration, question, layout);
    set_words(object, "index", layout_index, question, layout);
    set_words(object, "swizzle", layout_swizzle, question, layout);
    set(object, "bytes", number(answer->bytes));
    set(object, "operations", number(answer->operations));
    set_cost(object, &answer->total);
    for (size_t i = 0; i < question->accesses.length; i++) {
        json_t *access = json_object();
        set(access, "expression", text(question->accesses.data[i].expression));
        set(access, "access", text(layout_access_text(&question->accesses.data[i])));
        set_cost(access, &answer->sites[i]);
        append(accesses, access);
    }
    set(object, "accesses", accesses);
    return object;
}

void layout_write_json(const struct layout_question *question, struct strbuf *out) {
    json_t *root = json_object(), *block = json_array(), *results = json_array();
    for (int axis = 0; axis < 3; axis++)
        append(block, number(question->launch.block[axis]));
    for (size_t r = 0; r < question->results.length; r++) {
        const struct layout_result *result = &question->results.data[r];
        json_t *object = json_object(), *layouts = json_array();
        char arch[16];
        snprintf(arch, sizeof arch, "sm_%u", explain_plain_arch(result->arch));
        for (size_t i = 0; i < result->answers.length; i++)
            append(layouts, layout_of(question, &result->answers.data[i]));
        set(object, "arch", json_string(arch));
        set(object, "layouts", layouts);
        append(results, object);
    }
    set(root, "schema", json_string("bankrun-layout/1"));
    set(root, "array", text(question->array));
    set(root, "block", block);
    set(root, "results", results);
    profile_put_json(out, root, JSON_PRESERVE_ORDER);
}

void layout_write_csv(const struct layout_question *question, struct strbuf *out) {
    strbuf_puts(out, "arch,kind,pitch,pad,bits,base,shift,bytes,operations,requests,wavefronts,"
                     "ideal,degree\n");
    for (size_t r = 0; r < question->results.length; r++) {
        const struct layout_result *result = &question->results.data[r];
        for (size_t i = 0; i < result->answers.length; i++) {
            const struct fix_answer *answer = &result->answers.data[i];
            const struct fix_layout *layout = &answer->layout;
            strbuf_printf(out, "sm_%u,%s,%u,%u,%u,%u,%u,%llu,%u,%llu,%llu,%llu,%u\n",
                          explain_plain_arch(result->arch), kinds[layout->kind], layout->pitch,
                          layout->pad, layout->bits, layout->base, layout->shift,
                          (unsigned long long)answer->bytes, answer->operations,
                          (unsigned long long)answer->total.requests,
                          (unsigned long long)answer->total.wavefronts,
                          (unsigned long long)answer->total.ideal, answer->total.degree);
        }
    }
}
