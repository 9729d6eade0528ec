// The saved profile, written. docs/profile.md describes the schema.
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "profile/json.h"
#include "profile/json_cost.h"
#include "profile/json_cures.h"
#include "profile/json_failures.h"
#include "profile/json_findings.h"
#include "profile/json_make.h"

// ---- Sites --------------------------------------------------------------------------------------

static void set_counts(json_t *object, enum site_space space, const struct profile_counts *counts) {
    set(object, "requests", number(counts->requests));
    set(object, profile_units_key(space), number(counts->units));
    set(object, profile_ideal_key(space), number(counts->ideal));
}

static json_t *frames_of(const struct profile_site *site) {
    json_t *array = json_array();
    for (uint32_t i = 0; i < site->inlined_count; i++) {
        json_t *frame = json_object();
        set(frame, "file", text(site->inlined_at[i].file));
        set(frame, "line", number(site->inlined_at[i].line));
        set(frame, "function", text(site->inlined_at[i].function));
        append(array, frame);
    }
    return array;
}

static json_t *degrees_of(const struct profile_site *site) {
    json_t *object = json_object();
    for (int degree = 0; degree <= PROFILE_MAX_DEGREE; degree++) {
        char key[16];
        snprintf(key, sizeof key, "%d", degree);
        if (site->degrees[degree] > 0)
            set(object, key, number(site->degrees[degree]));
    }
    return object;
}

static json_t *worst_of(const struct profile_site *site) {
    if (site->worst_degree == 0)
        return json_null();
    json_t *worst = json_object(), *offsets = json_array();
    for (int lane = 0; lane < WARP_LANES; lane++)
        append(offsets,
               site->worst_mask >> lane & 1 ? number(site->worst_offsets[lane]) : json_null());
    set(worst, "block", triple(site->worst_block));
    set(worst, "warp", number(site->worst_warp));
    set(worst, "mask", number(site->worst_mask));
    set(worst, "offsets", offsets);
    set(worst, "why", text(site->why));
    if (site->help)
        set(worst, "help", text(site->help));
    return worst;
}

static json_t *request_of(const struct profile_site *site) {
    if (!site->is_modelled)
        return json_null();
    const struct profile_request *request = &site->request;
    json_t *object = json_object();
    set(object, "access", text(bankrun_access_text(request->access)));
    set(object, "width", number(request->width));
    set(object, "matrices", number(request->matrices));
    set(object, "scanned", json_boolean(request->is_scanned));
    set(object, "source", json_boolean(request->is_copy));
    return object;
}

// {"bytes": 4, "extents": [32, 33]}
static json_t *elements_of(const struct profile_elements *elements) {
    json_t *object = json_object(), *extents = json_array();
    for (unsigned i = 0; i < elements->rank; i++)
        append(extents, number(elements->extents[i]));
    set(object, "bytes", number(elements->bytes));
    set(object, "extents", extents);
    return object;
}

static json_t *site_of(const struct profile_site *site) {
    json_t *object = json_object();
    set(object, "file", text(site->file));
    set(object, "line", number(site->line));
    set(object, "column", number(site->column));
    set(object, "function", text(site->function));
    set(object, "inlined_at", frames_of(site));
    set(object, "instruction", text(site->instruction));
    set(object, "op", text(profile_op_text[site->op]));
    set(object, "space", text(profile_space_text[site->space]));
    set(object, "width", number(site->width));
    set(object, "verdict", text(site->verdict));
    set(object, "proof", text(site->proof));
    if (site->fit) {
        set(object, "bounds", text(profile_fit_text[site->fit]));
        set(object, "bounds_proof", text(site->bounds));
    }
    set(object, "excess", number(profile_excess_of(&site->counts)));
    set_counts(object, site->space, &site->counts);
    if (site->space != SITE_SHARED) {
        if (site->is_estimate)
            set(object, "estimate", json_true());
        if (site->help)
            set(object, "help", text(site->help));
        profile_write_hints(object, &site->hints);
        return object;
    }
    set(object, "array", text(site->array));
    if (site->knows_array_offset)
        set(object, "array_offset", number(site->array_offset));
    if (site->elements.rank)
        set(object, "elements", elements_of(&site->elements));
    set(object, "request", request_of(site));
    set(object, "estimate", json_boolean(site->is_estimate));
    if (site->may_merge)
        set(object, "may_merge", json_true());
    if (site->moved_behind)
        set(object, "moved_behind", number(site->moved_behind));
    set(object, "worst_degree", number(site->worst_degree));
    set(object, "degrees", degrees_of(site));
    set(object, "worst", worst_of(site));
    profile_write_hints(object, &site->hints);
    if (site->suppressed)
        set(object, "suppressed", text(site->suppressed));
    if (site->cure)
        set(object, "cure", number(site->cure - 1));
    return object;
}

// ---- Launches -----------------------------------------------------------------------------------

static json_t *totals_of(const struct profile_launch *launch) {
    json_t *totals = json_object();
    for (int space = 0; space < SITE_SPACES; space++) {
        json_t *ops = json_object();
        for (int op = 0; op < PROFILE_OPS; op++) {
            if (!profile_has_total((enum site_space)space, (enum profile_op)op))
                continue;
            json_t *counts = json_object();
            set_counts(counts, (enum site_space)space, &launch->totals[space][op]);
            set(ops, profile_op_text[op], counts);
        }
        set(totals, profile_space_text[space], ops);
    }
    return totals;
}

static json_t *sample_of(const struct profile_launch *launch) {
    if (!launch->is_sample)
        return json_null();
    json_t *object = json_object();
    set(object, "wavefronts_error", json_real(launch->error[SITE_SHARED]));
    set(object, "sectors_error", json_real(launch->error[SITE_GLOBAL]));
    return object;
}

static json_t *blocks_of(const struct profile_launch *launch) {
    json_t *object = json_object();
    set(object, "proved", json_boolean(launch->blocks.is_proved));
    set(object, "instructions_estimate", json_boolean(launch->blocks.is_work_estimate));
    set(object, "sectors_estimate", json_boolean(launch->blocks.is_sectors_estimate));
    set(object, "partial_input", json_boolean(launch->blocks.has_partial_input));
    set(object, "reason", text(launch->whole_reason));
    return object;
}

static json_t *runs_of(const struct profile_launch *launch) {
    json_t *runs = json_array();
    for (size_t i = 0; i < launch->run_count; i++) {
        const struct profile_run *run = &launch->runs[i];
        json_t *object = json_object();
        set(object, "first", number(run->first));
        set(object, "count", number(run->count));
        set(object, "step", number(run->step));
        append(runs, object);
    }
    return runs;
}

// Without an architecture nothing is said of its time.
static json_t *launch_of(unsigned arch, const struct profile_launch *launch) {
    json_t *object = json_object(), *sites = json_array();
    set(object, "index", number(launch->index));
    set(object, "repeats", number(launch->repeats));
    set(object, "repeated", runs_of(launch));
    set(object, "kernel", text(launch->kernel));
    set(object, "symbol", text(launch->symbol));
    set(object, "grid", triple(launch->grid));
    set(object, "block", triple(launch->block));
    set(object, "shared_bytes", number(launch->shared_bytes));
    if (launch->bank_bytes == 8)
        set(object, "bank_bytes", number(launch->bank_bytes));
    if (launch->is_of_several)
        set(object, "device", number(launch->device));
    if (launch->thread)
        set(object, "thread", number(launch->thread));
    set(object, "blocks_run", number(launch->blocks_run));
    set(object, "instructions", number(launch->instructions));
    set(object, "thread_instructions", number(launch->thread_instructions));
    set(object, "barriers", number(launch->barriers));
    if (launch->may_differ)
        set(object, "may_differ", json_true());
    set(object, "fault", text(launch->fault));
    profile_write_faults(object, launch);
    profile_write_findings(object, &launch->findings);
    set(object, "sample", sample_of(launch));
    if (launch->freedom) {
        set(object, "races", text(profile_freedom_text[launch->freedom]));
        set(object, "races_proof", text(launch->races));
    }
    if (launch->blocks.is_asked)
        set(object, "every_block", blocks_of(launch));
    set(object, "totals", totals_of(launch));
    for (size_t i = 0; i < launch->site_count; i++)
        append(sites, site_of(&launch->sites[i]));
    set(object, "sites", sites);
    profile_write_cost(object, arch, launch);
    profile_write_cures(object, launch);
    return object;
}

static json_t *texts_of(char *const *texts, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        append(array, text(texts[i]));
    return array;
}

static json_t *processes_of(const struct profile *profile) {
    json_t *array = json_array();
    for (size_t i = 0; i < profile->process_count; i++) {
        const struct profile_process *process = &profile->processes[i];
        json_t *object = json_object();
        set(object, "program", texts_of(process->program, process->program_count));
        set(object, "launches", number(process->launched));
        append(array, object);
    }
    return array;
}

static json_t *checks_of(const struct profile *profile) {
    json_t *array = json_array();
    for (enum profile_check check = 0; check < PROFILE_CHECKS; check++)
        if (profile->checks & profile_check_bit(check))
            append(array, text(profile_check_text[check]));
    return array;
}

static json_t *quotes_of(const struct profile *profile) {
    json_t *array = json_array();
    for (size_t i = 0; i < profile->quote_count; i++) {
        json_t *object = json_object();
        set(object, "file", text(profile->quotes[i].file));
        set(object, "line", number(profile->quotes[i].line));
        set(object, "text", text(profile->quotes[i].text));
        append(array, object);
    }
    return array;
}

static json_t *root_of(const struct profile *profile, size_t launch_count) {
    json_t *root = json_object(), *launches = json_array();
    char arch[16];
    snprintf(arch, sizeof arch, "sm_%u", profile->arch);
    set(root, "schema", text(PROFILE_SCHEMA));
    set(root, "bankrun", text(BANKRUN_VERSION));
    set(root, "arch", text(arch));
    set(root, "as", text(profile->is_as_compiled ? "compiled" : "written"));
    if (profile->compiled_by)
        set(root, "compiled_by", text(profile->compiled_by));
    if (profile->as_reason)
        set(root, "as_reason", text(profile->as_reason));
    if (profile->is_uncounted)
        set(root, "counted", json_false());
    if (profile->checks)
        set(root, "checks", checks_of(profile));
    if (profile->only)
        set(root, "only", text(profile->only));
    set(root, "program", texts_of(profile->program, profile->program_count));
    if (profile->process_count)
        set(root, "processes", processes_of(profile));
    for (size_t i = 0; i < launch_count; i++)
        append(launches, launch_of(profile->arch, &profile->launches[i]));
    set(root, "launches", launches);
    if (profile->quote_count)
        set(root, "quotes", quotes_of(profile));
    profile_write_failures(root, profile);
    profile_write_findings(root, &profile->findings);
    return root;
}

static int put(const char *bytes, size_t length, void *text) {
    strbuf_append(text, bytes, length);
    return 0;
}

// Piece by piece: json_dumps may leave out what it has no memory for and not say so.
char *profile_dump_json(json_t *value, size_t flags) {
    struct strbuf text = {0};
    if (json_dump_callback(value, put, &text, flags) != 0)
        base_out_of_memory(0);
    json_decref(value);
    return strbuf_take(&text);
}

void profile_put_json(struct strbuf *out, json_t *value, size_t flags) {
    char *json = profile_dump_json(value, flags);
    strbuf_printf(out, "%s\n", json);
    free(json);
}

char *profile_to_json(const struct profile *profile) {
    return profile_dump_json(root_of(profile, profile->launch_count),
                             JSON_SORT_KEYS | JSON_INDENT(1));
}

char *profile_head_to_json(const struct profile *profile) {
    return profile_dump_json(root_of(profile, 0), JSON_SORT_KEYS | JSON_COMPACT);
}

char *profile_launch_to_json(const struct profile_launch *launch) {
    return profile_dump_json(launch_of(0, launch), JSON_SORT_KEYS | JSON_COMPACT);
}
