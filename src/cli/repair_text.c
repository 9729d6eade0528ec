// What bankrun fix did, in words for stderr and as JSON (schema bankrun-fix/1).
#include <stdlib.h>
#include <string.h>

#include "cli/repair.h"
#include "profile/json_cures.h"
#include "profile/json_make.h"

typedef unsigned long long count;

static const char *name_of(const struct repair *repair, const struct patch_array *array) {
    return array ? repair->files.data[array->text].name : NULL;
}

static void put_worth(const struct repair_result *result, struct strbuf *out) {
    if (result->gain <= 0)
        return;
    strbuf_printf(out, "    estimate for the kernel on the %s: ", result->machine);
    if (result->is_felt)
        strbuf_printf(out, "%.2g times as fast\n", result->gain);
    else
        strbuf_puts(out, "hardly faster, other things take its time\n");
}

static void put_result(const struct repair *repair, const struct repair_result *result,
                       struct strbuf *out) {
    const bool is_fixed = result->outcome == REPAIR_FIXED;
    if (is_fixed)
        strbuf_printf(out, "%s:%u: ", name_of(repair, result->array), result->array->line);
    else if (result->file)
        strbuf_printf(out, "%s:%u: ", result->file, result->line);
    strbuf_printf(out, "%s of %s ", result->name, result->kernel);
    if (!is_fixed) {
        strbuf_printf(out, "is left as it is: %s\n", result->why);
        return;
    }
    strbuf_printf(out, "is mended: %s\n", result->done);
    strbuf_printf(out, "    wavefronts %llu -> %llu", (count)result->wavefronts[0],
                  (count)result->wavefronts[1]);
    if (result->wavefronts[1] == result->ideal)
        strbuf_puts(out, ", no conflicts");
    else
        strbuf_printf(out, ", at least %llu", (count)result->ideal);
    strbuf_puts(out, result->is_foretold ? ", as foretold" : "");
    strbuf_puts(out, result->is_proved ? ", proved for every block and input" : "");
    strbuf_printf(out, "; %llu bytes -> %llu", (count)result->bytes[0], (count)result->bytes[1]);
    if (result->resident[0] != result->resident[1])
        strbuf_printf(out, ", blocks on a multiprocessor %u -> %u", result->resident[0],
                      result->resident[1]);
    strbuf_puts(out, "\n");
    put_worth(result, out);
}

void repair_write_text(const struct repair *repair, struct strbuf *out) {
    size_t fixed = 0;
    for (size_t i = 0; i < repair->results.length; i++) {
        put_result(repair, &repair->results.data[i], out);
        fixed += repair->results.data[i].outcome == REPAIR_FIXED;
    }
    if (repair->results.length == 0)
        strbuf_printf(out, "%s: no array of shared memory has conflicts\n", repair->argv[0]);
    if (fixed)
        strbuf_printf(out,
                      "The same before and after: exit status, output, %llu bytes that were "
                      "copied back, other arrays%s.\n",
                      (count)repair->before.returned.bytes,
                      repair->options->no_checks ? "" : "; no new finding of bankrun check");
}

// ---- JSON -----------------------------------------------------------------------------------

static json_t *result_of(const struct repair *repair, const struct repair_result *result) {
    json_t *object = json_object();
    set(object, "array", text(result->name));
    set(object, "kernel", text(result->kernel));
    set(object, "file", text(name_of(repair, result->array)));
    set(object, "line", number(result->array ? result->array->line : 0));
    set(object, "outcome", json_string(result->outcome == REPAIR_FIXED ? "fixed" : "refused"));
    set(object, "wavefronts", number(result->wavefronts[0]));
    if (result->outcome == REPAIR_REFUSED) {
        set(object, "reason", text(result->why));
        set(object, "reason_file", text(result->file));
        set(object, "reason_line", number(result->line));
        return object;
    }
    set(object, "done", text(result->done));
    set(object, "layout", profile_write_layout(&result->layout));
    set(object, "wavefronts_after", number(result->wavefronts[1]));
    set(object, "ideal", number(result->ideal));
    set(object, "as_foretold", json_boolean(result->is_foretold));
    set(object, "is_proved", json_boolean(result->is_proved));
    set(object, "bytes", number(result->bytes[0]));
    set(object, "bytes_after", number(result->bytes[1]));
    if (result->gain > 0) {
        set(object, "gain", json_real(result->gain));
        set(object, "gain_on", text(result->machine));
    }
    set(object, "resident_blocks", number(result->resident[0]));
    set(object, "resident_blocks_after", number(result->resident[1]));
    return object;
}

static void append_edits(json_t *edits, const struct repair_file *file) {
    for (size_t i = 0; i < file->edits.length; i++) {
        json_t *edit = json_object();
        set(edit, "file", text(file->name));
        set(edit, "begin", number(file->edits.data[i].begin));
        set(edit, "end", number(file->edits.data[i].end));
        set(edit, "text", text(file->edits.data[i].text));
        append(edits, edit);
    }
}

void repair_write_json(const struct repair *repair, const char *diff, struct strbuf *out) {
    json_t *root = json_object(), *results = json_array(), *edits = json_array();
    for (size_t i = 0; i < repair->results.length; i++)
        append(results, result_of(repair, &repair->results.data[i]));
    for (size_t n = 0; n < repair->files.length; n++)
        append_edits(edits, &repair->files.data[n]);
    set(root, "schema", json_string("bankrun-fix/1"));
    set(root, "file", text(repair->argv[0]));
    set(root, "arrays", results);
    set(root, "edits", edits);
    set(root, "diff", text(diff));
    profile_put_json(out, root, JSON_PRESERVE_ORDER);
}
