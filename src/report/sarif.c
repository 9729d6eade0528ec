// What is to be said, as SARIF 2.1.0: for code scanning of forges, and for editors.
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "profile/json.h"
#include "profile/json_make.h"
#include "report/notes.h"
#include "report/sarif.h"
#include "report/uri.h"

struct sarif {
    const struct report_options *options;
    json_t *rules, *results, *problems;
    struct map numbers; // of rules: 1 + index
};

json_t *sarif_message(const char *words) {
    json_t *message = json_object();
    set(message, "text", text(words));
    return message;
}

// ---- Places -------------------------------------------------------------------------------------

json_t *sarif_artifact(const char *file) {
    json_t *artifact = json_object();
    struct strbuf uri = {0}, clean = {0};
    utf8_repair(&clean, file);
    if (*file == '/')
        strbuf_puts(&uri, "file://");
    report_put_uri(&uri, strbuf_string(&clean));
    set(artifact, "uri", text(strbuf_string(&uri)));
    if (*file != '/')
        set(artifact, "uriBaseId", text("%SRCROOT%"));
    strbuf_free(&uri);
    strbuf_free(&clean);
    return artifact;
}

static json_t *region_of(uint32_t line, uint32_t column, const char *words) {
    json_t *region = json_object();
    set(region, "startLine", number(line));
    if (column)
        set(region, "startColumn", number(column));
    if (words)
        set(region, "snippet", sarif_message(words));
    return region;
}

void sarif_set_place(json_t *location, const char *file, uint32_t line, uint32_t column,
                     const char *words) {
    if (!file || !line)
        return;
    json_t *physical = json_object();
    set(physical, "artifactLocation", sarif_artifact(file));
    set(physical, "region", region_of(line, column, words));
    set(location, "physicalLocation", physical);
}

static json_t *locations_of(const struct report_note *note) {
    json_t *locations = json_array(), *location = json_object();
    sarif_set_place(location, note->file, note->line, note->column, note->text);
    if (note->kernel) {
        json_t *names = json_array(), *name = json_object();
        set(name, "fullyQualifiedName", text(note->kernel));
        set(name, "kind", text("function"));
        append(names, name);
        set(location, "logicalLocations", names);
    }
    append(locations, location);
    return locations;
}

// The other sides of a finding.
static json_t *related_of(const struct sarif *sarif, const struct profile_finding *finding) {
    json_t *related = json_array();
    for (size_t i = 1; i < finding->place_count; i++) {
        const struct profile_place *place = &finding->places[i];
        json_t *location = json_object();
        if (!place->file || !place->line)
            continue;
        sarif_set_place(location, report_note_file(sarif->options, place->file), place->line,
                        place->column, NULL);
        set(location, "id", number(i));
        set(location, "message", sarif_message(place->role ? place->role : "the other side"));
        append(related, location);
    }
    return related;
}

// ---- Rules --------------------------------------------------------------------------------------

static const char *const levels[] = {
    [NOTE_ERROR] = "error", [NOTE_WARNING] = "warning", [NOTE_HINT] = "note"};

static const char *rule_text(const struct report_note *note) {
    switch (note->kind) {
    case NOTE_CONFLICT:
        return "Lanes of a warp meet in a bank of shared memory and are served one after the other";
    case NOTE_SECTORS:
        return "Lanes of a warp access places of global memory that lie apart";
    case NOTE_FINDING:
        return "A defect that the results of a run need not show";
    case NOTE_PROBLEM:
        break;
    }
    return "The program did not run to its end, or not all of it was seen";
}

static size_t rule_of(struct sarif *sarif, const struct report_note *note) {
    const size_t known = (size_t)(uintptr_t)map_get_string(&sarif->numbers, note->rule);
    if (known)
        return known - 1;
    const size_t index = json_array_size(sarif->rules);
    json_t *rule = json_object(), *level = json_object();
    set(rule, "id", text(note->rule));
    set(rule, "shortDescription", sarif_message(rule_text(note)));
    set(level, "level", text(levels[note->level]));
    set(rule, "defaultConfiguration", level);
    append(sarif->rules, rule);
    map_put(&sarif->numbers, note->rule, strlen(note->rule), (void *)(uintptr_t)(index + 1));
    return index;
}

// ---- Results ------------------------------------------------------------------------------------

static json_t *figures_of(const struct report_row *row) {
    json_t *figures = json_object();
    set(figures, "accesses", text(row->accesses));
    set(figures, "requests", number(row->counts.requests));
    set(figures, profile_units_key(row->space), number(row->counts.units));
    set(figures, profile_ideal_key(row->space), number(row->counts.ideal));
    set(figures, "excess", number(report_row_excess(row)));
    if (row->space == SITE_SHARED)
        set(figures, "worst_degree", number(row->degree));
    return figures;
}

static json_t *suppressions_of(const char *reason) {
    json_t *list = json_array(), *one = json_object();
    set(one, "kind", text("external"));
    set(one, "justification", text(reason));
    append(list, one);
    return list;
}

static void add_result(struct sarif *sarif, const struct report_note *note) {
    json_t *result = json_object();
    set(result, "ruleId", text(note->rule));
    set(result, "ruleIndex", number(rule_of(sarif, note)));
    set(result, "level", text(levels[note->level]));
    json_t *message = json_object();
    struct strbuf words = {0};
    strbuf_printf(&words, "%s: %s", note->title, note->message);
    set(message, "text", text(strbuf_string(&words)));
    strbuf_free(&words);
    set(result, "message", message);
    set(result, "locations", locations_of(note));
    if (note->finding && note->finding->place_count > 1)
        set(result, "relatedLocations", related_of(sarif, note->finding));
    if (note->row)
        set(result, "properties", figures_of(note->row));
    if (note->suppressed)
        set(result, "suppressions", suppressions_of(note->suppressed));
    append(sarif->results, result);
}

// A fault of a kernel has a place in the source; what the profile lacks is told of the run.
static void add_note(struct sarif *sarif, const struct report_note *note) {
    if (note->kind != NOTE_PROBLEM || note->kernel) {
        add_result(sarif, note);
        return;
    }
    json_t *problem = json_object();
    set(problem, "level", text(levels[note->level]));
    set(problem, "message", sarif_message(note->message));
    append(sarif->problems, problem);
}

static json_t *invocation_of(const struct profile *profile, json_t *problems) {
    json_t *invocation = json_object(), *arguments = json_array();
    for (size_t i = 0; i < profile->program_count; i++)
        append(arguments, text(profile->program[i]));
    set(invocation, "arguments", arguments);
    set(invocation, "executionSuccessful", json_boolean(!profile_has_failed(profile)));
    set(invocation, "toolExecutionNotifications", problems);
    return invocation;
}

static json_t *run_of(const struct profile *profile, struct sarif *sarif) {
    json_t *run = json_object(), *invocations = json_array();
    append(invocations, invocation_of(profile, sarif->problems));
    set(run, "invocations", invocations);
    set(run, "results", sarif->results);
    return run;
}

void sarif_put(json_t *rules, json_t *run, struct strbuf *out) {
    json_t *root = json_object(), *runs = json_array();
    json_t *tool = json_object(), *driver = json_object();
    set(driver, "name", text("bankrun"));
    set(driver, "version", text(BANKRUN_VERSION));
    set(driver, "rules", rules);
    set(tool, "driver", driver);
    set(run, "tool", tool);
    append(runs, run);
    set(root, "$schema", text("https://json.schemastore.org/sarif-2.1.0.json"));
    set(root, "version", text("2.1.0"));
    set(root, "runs", runs);
    profile_put_json(out, root, JSON_SORT_KEYS | JSON_INDENT(1));
}

void report_sarif(const struct profile *profile, const struct report_options *options,
                  struct strbuf *out) {
    struct arena *arena = arena_create();
    const struct report_notes notes = report_notes_of(arena, profile, options);
    struct sarif sarif = {options, json_array(), json_array(), json_array(), {0}};
    for (size_t i = 0; i < notes.count; i++)
        add_note(&sarif, &notes.data[i]);
    sarif_put(sarif.rules, run_of(profile, &sarif), out);
    map_free(&sarif.numbers);
    arena_destroy(arena);
}
