#include "report/notes.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "report/build.h"
#include "report/page.h"

struct notes_builder {
    struct arena *arena;
    const struct profile *profile;
    const struct report_options *options;
    VEC(struct report_note) list;
    struct map known; // findings that were said of a launch before
};

const char *report_note_file(const struct report_options *options, const char *file) {
    const struct view_builder builder = {.source_root = options ? options->source_root : NULL};
    return file ? view_place_of(&builder, file, 1).file : NULL;
}

static void add(struct notes_builder *builder, struct report_note note) {
    note.file = report_note_file(builder->options, note.file);
    vec_push(&builder->list, note);
}

// ---- Lines --------------------------------------------------------------------------------------

static const char *numbers_of(struct notes_builder *builder, const struct report_row *row,
                              const char *unit) {
    char units[REPORT_NUMBER], ideal[REPORT_NUMBER], excess[REPORT_NUMBER];
    return arena_printf(
        builder->arena, "%s: %s%s %s where %s would do, %s of them excess", row->accesses,
        row->is_estimate ? "about " : "", report_number(units, row->counts.units), unit,
        report_number(ideal, row->counts.ideal), report_number(excess, report_row_excess(row)));
}

// What is known of it behind the numbers, from the access that is worst.
static const char *with_reasons(struct notes_builder *builder, const struct report_row *row,
                                const char *numbers) {
    struct strbuf text = {0};
    strbuf_puts(&text, numbers);
    if (row->worst->why)
        strbuf_printf(&text, "; %s", row->worst->why);
    if (row->worst->help)
        strbuf_printf(&text, ".\n%s", row->worst->help);
    const char *kept = arena_strndup(builder->arena, strbuf_string(&text), text.length);
    strbuf_free(&text);
    return kept;
}

static struct report_note note_of_row(const struct report_row *row) {
    return (struct report_note){.level = NOTE_HINT,
                                .kernel = row->kernel,
                                .file = row->file,
                                .line = row->line,
                                .column = row->worst->column,
                                .text = row->text,
                                .row = row};
}

static void add_conflict(struct notes_builder *builder, const struct report_row *row,
                         const struct report_kernel *kernel) {
    const uint64_t excess = report_row_excess(row);
    struct report_note note = note_of_row(row);
    note.kind = NOTE_CONFLICT;
    if (view_excess_style(excess, kernel->sums[SITE_SHARED].units) == STYLE_BAD)
        note.level = NOTE_WARNING;
    note.rule = "bank-conflict";
    note.title = row->degree > 1 ? arena_printf(builder->arena, "%u-way bank conflict", row->degree)
                                 : "bank conflict";
    note.message = with_reasons(builder, row, numbers_of(builder, row, "wavefronts"));
    note.suppressed = row->is_accepted ? row->worst->suppressed : NULL;
    add(builder, note);
}

static void add_sectors(struct notes_builder *builder, const struct report_row *row) {
    struct report_note note = note_of_row(row);
    note.kind = NOTE_SECTORS;
    note.rule = "uncoalesced-access";
    note.title = "sectors in vain";
    note.message = with_reasons(builder, row, numbers_of(builder, row, "sectors"));
    add(builder, note);
}

static void add_rows(struct notes_builder *builder, const struct report_rows *rows,
                     enum site_space space) {
    for (size_t k = 0; k < rows->kernel_count; k++)
        for (size_t i = rows->begins[k]; i < rows->begins[k + 1]; i++) {
            const struct report_row *row = &rows->data[i];
            if (row->space != space || !report_row_excess(row))
                continue;
            if (space == SITE_SHARED)
                add_conflict(builder, row, &rows->kernels[k]);
            else if (row->worst->help)
                add_sectors(builder, row);
        }
}

// ---- Findings -----------------------------------------------------------------------------------

static const char *message_of(struct notes_builder *builder,
                              const struct profile_finding *finding) {
    struct strbuf text = {0};
    strbuf_puts(&text, finding->message);
    for (size_t i = 0; i < finding->place_count; i++) {
        const struct profile_place *place = &finding->places[i];
        if (place->file && place->line)
            strbuf_printf(&text, "%s %s at %s:%u", i ? "," : ":", place->role ? place->role : "",
                          report_note_file(builder->options, place->file), place->line);
    }
    if (finding->help)
        strbuf_printf(&text, ".\n%s", finding->help);
    const char *kept = arena_strndup(builder->arena, strbuf_string(&text), text.length);
    strbuf_free(&text);
    return kept;
}

static void add_finding(struct notes_builder *builder, const char *kernel,
                        const struct profile_finding *finding) {
    static const struct profile_place nowhere;
    const struct profile_place *place = finding->place_count ? &finding->places[0] : &nowhere;
    const char *rule =
        arena_printf(builder->arena, "%s/%s", profile_check_text[finding->check], finding->kind);
    const char *message = message_of(builder, finding);
    const char *key =
        arena_printf(builder->arena, "%s\n%s\n%s", kernel ? kernel : "", rule, message);
    if (map_get_string(&builder->known, key))
        return;
    map_put(&builder->known, key, strlen(key), (void *)key);
    add(builder, (struct report_note){.kind = NOTE_FINDING,
                                      .level = finding->is_note ? NOTE_HINT : NOTE_ERROR,
                                      .rule = rule,
                                      .title = rule,
                                      .message = message,
                                      .kernel = kernel,
                                      .file = place->file,
                                      .line = place->line,
                                      .column = place->column,
                                      .suppressed = finding->suppressed,
                                      .finding = finding});
}

static const char *kernel_of(const struct profile_launch *launch) {
    return launch->kernel ? launch->kernel : launch->symbol;
}

static void add_findings(struct notes_builder *builder) {
    const struct profile *profile = builder->profile;
    for (size_t l = 0; l < profile->launch_count; l++)
        for (size_t f = 0; f < profile->launches[l].findings.count; f++)
            add_finding(builder, kernel_of(&profile->launches[l]),
                        &profile->launches[l].findings.list[f]);
    for (size_t f = 0; f < profile->findings.count; f++)
        add_finding(builder, NULL, &profile->findings.list[f]);
}

// ---- What went wrong ----------------------------------------------------------------------------

static void add_fault(struct notes_builder *builder, const char *kernel,
                      const struct profile_fault *fault, const char *title) {
    add(builder, (struct report_note){.kind = NOTE_PROBLEM,
                                      .rule = arena_printf(builder->arena, "fault/%s", fault->kind),
                                      .title = title,
                                      .message = fault->message ? fault->message : title,
                                      .kernel = kernel,
                                      .file = fault->file,
                                      .line = fault->line,
                                      .column = fault->column});
}

static void add_problem(struct notes_builder *builder, const char *kernel, const char *rule,
                        const char *title, const char *message) {
    add(builder, (struct report_note){.kind = NOTE_PROBLEM,
                                      .rule = rule,
                                      .title = title,
                                      .message = message,
                                      .kernel = kernel});
}

static void add_launch(struct notes_builder *builder, const struct profile_launch *launch) {
    for (size_t i = 0; i < launch->fault_count; i++)
        add_fault(builder, kernel_of(launch), &launch->faults[i], "the launch ended in a fault");
    for (size_t i = 0; i < launch->passed_count; i++)
        add_fault(builder, kernel_of(launch), &launch->passed[i].first,
                  "an access beyond its allocation");
    if (launch->fault && !launch->fault_count)
        add_problem(builder, kernel_of(launch), "launch/cut-short",
                    "the launch did not come to its end", launch->fault);
}

static void add_refused(struct notes_builder *builder, const struct profile_refused *refused) {
    struct strbuf text = {0};
    strbuf_printf(&text, "refused%s%s", refused->error ? " with " : "",
                  refused->error ? refused->error : "");
    for (size_t i = 0; i < refused->limit_count; i++)
        strbuf_printf(&text, "%s%s", i ? "; " : ": ", refused->limits[i].text);
    add_problem(builder, refused->kernel, "launch/refused", "the launch was refused",
                arena_strndup(builder->arena, strbuf_string(&text), text.length));
    strbuf_free(&text);
}

static void add_problems(struct notes_builder *builder) {
    const struct profile *profile = builder->profile;
    for (size_t i = 0; i < profile->launch_count; i++)
        add_launch(builder, &profile->launches[i]);
    for (size_t i = 0; i < profile->refused_count; i++)
        add_refused(builder, &profile->refused[i]);
    for (size_t i = 0; i < profile->gap_count; i++)
        if (profile->gaps[i].kind != PROFILE_GAP_LIBRARY) // which was asked for
            add_problem(builder, NULL, "profile/incomplete", "the profile is incomplete",
                        profile->gaps[i].text);
}

struct report_notes report_notes_of(struct arena *arena, const struct profile *profile,
                                    const struct report_options *options) {
    struct notes_builder builder = {.arena = arena, .profile = profile, .options = options};
    struct report_notes notes = {.rows = report_rows_of(arena, profile)};
    add_rows(&builder, &notes.rows, SITE_SHARED);
    add_rows(&builder, &notes.rows, SITE_GLOBAL);
    add_findings(&builder);
    add_problems(&builder);
    notes.count = builder.list.length;
    notes.data = ARENA_ARRAY(arena, struct report_note, notes.count + 1);
    if (notes.count)
        memcpy(notes.data, builder.list.data, notes.count * sizeof *notes.data);
    vec_free(&builder.list);
    map_free(&builder.known);
    return notes;
}
