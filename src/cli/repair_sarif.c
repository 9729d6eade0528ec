// What bankrun fix did, as SARIF 2.1.0: a result for each array, with the edits that mended it, by
// lines and columns of the file as it was.
#include <stdlib.h>

#include "cli/repair.h"
#include "profile/json_make.h"
#include "report/sarif.h"

enum { MENDED, LEFT }; // numbers of the rules

static const char *const rule_ids[] = {"bank-conflict/mended", "bank-conflict/left"};

static json_t *rules_of(void) {
    static const char *const words[] = {
        [MENDED] = "Another layout of the array cures its bank conflicts, and changes nothing else",
        [LEFT] = "Bank conflicts of an array that no layout cured"};
    json_t *rules = json_array();
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        json_t *rule = json_object();
        set(rule, "id", text(rule_ids[i]));
        set(rule, "shortDescription", sarif_message(words[i]));
        append(rules, rule);
    }
    return rules;
}

// ---- Edits --------------------------------------------------------------------------------------

// Columns count code points, as columnKind says.
static void set_point(json_t *region, const char *line_key, const char *column_key,
                      const struct repair_file *file, uint32_t at) {
    uint32_t line = 1, column = 1;
    for (uint32_t i = 0; i < at; i++) {
        const bool is_end = file->text[i] == '\n';
        line += is_end;
        column = is_end ? 1 : column + (((unsigned char)file->text[i] & 0xc0) != 0x80);
    }
    set(region, line_key, number(line));
    set(region, column_key, number(column));
}

static json_t *replacement_of(const struct repair_file *file, const struct patch_edit *edit) {
    json_t *replacement = json_object(), *region = json_object();
    set_point(region, "startLine", "startColumn", file, edit->begin);
    set_point(region, "endLine", "endColumn", file, edit->end);
    set(replacement, "deletedRegion", region);
    set(replacement, "insertedContent", sarif_message(edit->text));
    return replacement;
}

static json_t *fixes_of(const struct repair_file *file, const struct repair_result *result) {
    json_t *fixes = json_array(), *fix = json_object(), *changes = json_array();
    json_t *change = json_object(), *replacements = json_array();
    for (size_t i = 0; i < result->edit_count; i++)
        append(replacements, replacement_of(file, &file->edits.data[result->first_edit + i]));
    set(change, "artifactLocation", sarif_artifact(file->name));
    set(change, "replacements", replacements);
    append(changes, change);
    set(fix, "description", sarif_message(result->done));
    set(fix, "artifactChanges", changes);
    append(fixes, fix);
    return fixes;
}

// ---- Results ------------------------------------------------------------------------------------

static char *words_of(const struct repair_result *result) {
    typedef unsigned long long count;
    struct strbuf words = {0};
    strbuf_printf(&words, "%s of %s ", result->name, result->kernel);
    if (result->outcome == REPAIR_FIXED)
        strbuf_printf(
            &words,
            "has bank conflicts: %llu wavefronts where %llu would do. Mended by this, and "
            "tried with what the results before mend: %s; then it takes %llu wavefronts",
            (count)result->wavefronts[0], (count)result->ideal, result->done,
            (count)result->wavefronts[1]);
    else
        strbuf_printf(&words, "is left as it is: %s", result->why);
    return strbuf_take(&words);
}

static json_t *result_of(const struct repair *repair, const struct repair_result *result) {
    const bool is_fixed = result->outcome == REPAIR_FIXED;
    const struct repair_file *file =
        result->array ? &repair->files.data[result->array->text] : NULL;
    json_t *object = json_object(), *locations = json_array(), *location = json_object();
    char *words = words_of(result);
    if (file)
        sarif_set_place(location, file->name, result->array->line, 0, NULL);
    else
        sarif_set_place(location, result->file, result->line, 0, NULL);
    append(locations, location);
    set(object, "ruleId", text(rule_ids[is_fixed ? MENDED : LEFT]));
    set(object, "ruleIndex", number(is_fixed ? MENDED : LEFT));
    set(object, "level", text(is_fixed ? "warning" : "note"));
    set(object, "message", sarif_message(words));
    set(object, "locations", locations);
    if (is_fixed)
        set(object, "fixes", fixes_of(file, result));
    free(words);
    return object;
}

void repair_write_sarif(const struct repair *repair, struct strbuf *out) {
    json_t *run = json_object(), *results = json_array();
    for (size_t i = 0; i < repair->results.length; i++)
        append(results, result_of(repair, &repair->results.data[i]));
    set(run, "columnKind", text("unicodeCodePoints"));
    set(run, "results", results);
    sarif_put(rules_of(), run, out);
}
