// What bankrun fix did, in words for stderr and as JSON (schema bankrun-fix/1).
#include <stdlib.h>
#include <string.h>

#include "cli/repair.h"
#include "profile/json_cures.h"
#include "profile/json_make.h"

typedef unsigned long long count;

static void put_result(const struct repair *repair, const struct repair_result *result,
                       struct strbuf *out) {
    const bool is_fixed = result->outcome == REPAIR_FIXED;
    const uint32_t line = is_fixed ? result->array->line : result->line;
    if (line)
        strbuf_printf(out, "%s:%u: ", repair->argv[0], line);
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

static json_t *result_of(const struct repair_result *result) {
    json_t *object = json_object();
    set(object, "array", text(result->name));
    set(object, "kernel", text(result->kernel));
    set(object, "line", number(result->array ? result->array->line : 0));
    set(object, "outcome", json_string(result->outcome == REPAIR_FIXED ? "fixed" : "refused"));
    set(object, "wavefronts", number(result->wavefronts[0]));
    if (result->outcome == REPAIR_REFUSED) {
        set(object, "reason", text(result->why));
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
    set(object, "resident_blocks", number(result->resident[0]));
    set(object, "resident_blocks_after", number(result->resident[1]));
    return object;
}

void repair_write_json(const struct repair *repair, const char *diff, struct strbuf *out) {
    json_t *root = json_object(), *results = json_array(), *edits = json_array();
    for (size_t i = 0; i < repair->results.length; i++)
        append(results, result_of(&repair->results.data[i]));
    for (size_t i = 0; i < repair->edits.length; i++) {
        json_t *edit = json_object();
        set(edit, "begin", number(repair->edits.data[i].begin));
        set(edit, "end", number(repair->edits.data[i].end));
        set(edit, "text", text(repair->edits.data[i].text));
        append(edits, edit);
    }
    set(root, "schema", json_string("bankrun-fix/1"));
    set(root, "file", text(repair->argv[0]));
    set(root, "arrays", results);
    set(root, "edits", edits);
    set(root, "diff", text(diff));
    char *json = json_dumps(root, JSON_PRESERVE_ORDER);
    strbuf_printf(out, "%s\n", json);
    free(json);
    json_decref(root);
}
