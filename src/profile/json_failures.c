#include "profile/json_failures.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "profile/json.h"
#include "profile/json_make.h"
#include "profile/recorder.h"

static const char *const cut_names[PROFILE_CUTS] = {
    [PROFILE_WHOLE] = "",
    [PROFILE_CUT_SIGNAL] = "signal",
    [PROFILE_CUT_INSTRUCTIONS] = "instructions",
    [PROFILE_CUT_EXIT] = "exit",
    [PROFILE_CUT_DEATH] = "death",
    [PROFILE_CUT_CALLER] = "caller",
};

static const char *const gap_names[PROFILE_GAPS] = {
    [PROFILE_GAP_UNSUPPORTED] = "unsupported",
    [PROFILE_GAP_MODULE] = "module",
    [PROFILE_GAP_FAULT] = "fault",
    [PROFILE_GAP_LOST] = "lost",
    [PROFILE_GAP_LIBRARY] = "library",
    [PROFILE_GAP_UNSEEN] = "unseen",
};

// What a program asked for may be any number: none is larger than those of JSON.
static json_t *asked(uint64_t value) {
    return number(value < INT64_MAX ? value : INT64_MAX);
}

// ---- Faults ---------------------------------------------------------------------------------

// Numbers of JSON have 53 good bits, addresses 64.
static json_t *address_of(const struct profile_fault *fault) {
    char digits[24];
    snprintf(digits, sizeof digits, "0x%" PRIx64, fault->address);
    return fault->has_address ? text(digits) : json_null();
}

static json_t *fault_of(const struct profile_fault *fault) {
    json_t *object = json_object();
    set(object, "kind", text(fault->kind));
    set(object, "message", text(fault->message));
    set(object, "file", text(fault->file));
    set(object, "line", number(fault->line));
    set(object, "column", number(fault->column));
    set(object, "function", text(fault->function));
    set(object, "instruction", text(fault->instruction));
    set(object, "address", address_of(fault));
    if (!fault->has_thread)
        return object;
    set(object, "block", triple(fault->block));
    set(object, "thread", triple(fault->thread));
    set(object, "warp", number(fault->warp));
    set(object, "lane", number(fault->lane));
    return object;
}

static json_t *passed_of(const struct profile_passed *passed) {
    json_t *object = fault_of(&passed->first);
    set(object, "count", number(passed->count));
    return object;
}

static json_t *faults_of(const struct profile_launch *launch) {
    json_t *array = json_array();
    for (size_t i = 0; i < launch->fault_count; i++)
        append(array, fault_of(&launch->faults[i]));
    return array;
}

static json_t *let_pass_of(const struct profile_launch *launch) {
    json_t *array = json_array();
    for (size_t i = 0; i < launch->passed_count; i++)
        append(array, passed_of(&launch->passed[i]));
    return array;
}

static json_t *cut_of(const struct profile_launch *launch) {
    json_t *object = json_object();
    set(object, "by", text(cut_names[launch->cut]));
    set(object, "signal", launch->cut_signal ? number((uint64_t)launch->cut_signal) : json_null());
    return object;
}

void profile_write_faults(json_t *object, const struct profile_launch *launch) {
    if (launch->fault_count)
        set(object, "faults", faults_of(launch));
    if (launch->passed_count)
        set(object, "let_pass", let_pass_of(launch));
    if (launch->cut)
        set(object, "cut_short", cut_of(launch));
}

static void read_address(struct profile_reader *reader, const json_t *object,
                         struct profile_fault *fault) {
    char *digits = profile_read_text(reader, object, "address", true), *end = NULL;
    fault->has_address = digits != NULL;
    if (digits && digits[0] == '0' && digits[1] == 'x')
        fault->address = strtoull(digits, &end, 16);
    if (digits && (!end || *end))
        profile_fail(reader, "address: expected a hexadecimal number like \"0x7f00\"");
    free(digits);
}

static void read_fault(struct profile_reader *reader, const json_t *object,
                       struct profile_fault *fault) {
    fault->kind = profile_read_text(reader, object, "kind", false);
    fault->message = profile_read_text(reader, object, "message", false);
    fault->file = profile_read_text(reader, object, "file", true);
    fault->line = (uint32_t)profile_read_number(reader, object, "line", UINT32_MAX);
    fault->column = (uint32_t)profile_read_number(reader, object, "column", UINT32_MAX);
    fault->function = profile_read_text(reader, object, "function", true);
    fault->instruction = profile_read_text(reader, object, "instruction", true);
    read_address(reader, object, fault);
    fault->has_thread = json_object_get(object, "thread") != NULL;
    if (!fault->has_thread)
        return;
    profile_read_triple(reader, object, "block", fault->block);
    profile_read_triple(reader, object, "thread", fault->thread);
    fault->warp = (uint32_t)profile_read_number(reader, object, "warp", UINT32_MAX);
    fault->lane = (uint32_t)profile_read_number(reader, object, "lane", WARP_LANES - 1);
}

static void read_cut(struct profile_reader *reader, const json_t *object,
                     struct profile_launch *launch) {
    enum { MOST_SIGNALS = 64 };
    const json_t *cut = profile_read_object(reader, object, "cut_short");
    size_t here = profile_enter(reader, "cut_short");
    launch->cut = (enum profile_cut)(
        1 + profile_read_name(reader, cut, "by", cut_names + 1, PROFILE_CUTS - 1));
    if (!json_is_null(json_object_get(cut, "signal")))
        launch->cut_signal = (int)profile_read_number(reader, cut, "signal", MOST_SIGNALS);
    profile_leave(reader, here);
}

// An array of objects that may be left out. Returns it, and room for its elements of `size` bytes.
static const json_t *read_list(struct profile_reader *reader, const json_t *object, const char *key,
                               size_t size, void **elements) {
    if (reader->failed || !json_object_get(object, key))
        return NULL;
    const json_t *array = profile_read_array(reader, object, key, 0);
    *elements = base_alloc((json_array_size(array) + 1) * size);
    return array;
}

static void read_passed(struct profile_reader *reader, const json_t *object,
                        struct profile_launch *launch) {
    void *room = NULL;
    const json_t *all = read_list(reader, object, "let_pass", sizeof *launch->passed, &room);
    launch->passed = room;
    for (size_t i = 0; i < json_array_size(all) && !reader->failed; i++) {
        size_t here = profile_enter(reader, "let_pass[%zu]", i);
        const json_t *one = profile_read_element(reader, all, i);
        struct profile_passed *passed = &launch->passed[launch->passed_count++];
        read_fault(reader, one, &passed->first);
        passed->count = profile_read_number(reader, one, "count", INT64_MAX);
        profile_leave(reader, here);
    }
}

void profile_read_faults(struct profile_reader *reader, const json_t *object,
                         struct profile_launch *launch) {
    void *room = NULL;
    const json_t *faults = read_list(reader, object, "faults", sizeof *launch->faults, &room);
    launch->faults = room;
    for (size_t i = 0; i < json_array_size(faults) && !reader->failed; i++) {
        size_t here = profile_enter(reader, "faults[%zu]", i);
        launch->fault_count++;
        read_fault(reader, profile_read_element(reader, faults, i), &launch->faults[i]);
        profile_leave(reader, here);
    }
    read_passed(reader, object, launch);
    if (json_object_get(object, "cut_short"))
        read_cut(reader, object, launch);
    if ((launch->fault_count || launch->cut) && !launch->fault)
        profile_fail(reader, "fault: is null, but the launch did not run to its end");
}

// ---- Launches that were refused -------------------------------------------------------------

static json_t *reasons_of(const struct profile_refused *refused) {
    json_t *array = json_array();
    for (size_t i = 0; i < refused->limit_count; i++) {
        const struct profile_broken_limit *limit = &refused->limits[i];
        json_t *object = json_object();
        set(object, "limit", text(limit->limit));
        set(object, "asked", asked(limit->asked));
        set(object, "most", asked(limit->most));
        set(object, "text", text(limit->text));
        set(object, "cure", text(limit->cure));
        append(array, object);
    }
    return array;
}

static json_t *refused_of(const struct profile_refused *refused) {
    json_t *object = json_object();
    set(object, "after", number(refused->after));
    set(object, "repeats", number(refused->repeats));
    if (refused->thread)
        set(object, "thread", number(refused->thread));
    set(object, "kernel", text(refused->kernel));
    set(object, "symbol", text(refused->symbol));
    set(object, "grid", triple(refused->grid));
    set(object, "block", triple(refused->block));
    set(object, "cluster", triple(refused->cluster));
    set(object, "dynamic_bytes", asked(refused->dynamic_bytes));
    set(object, "parent", text(refused->parent));
    set(object, "error", text(refused->error));
    set(object, "reasons", reasons_of(refused));
    return object;
}

char *profile_refused_to_json(const struct profile_refused *refused) {
    json_t *object = refused_of(refused);
    char *json = json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(object);
    if (!json)
        base_out_of_memory(0);
    return json;
}

static void read_reasons(struct profile_reader *reader, const json_t *object,
                         struct profile_refused *refused) {
    const json_t *reasons = profile_read_array(reader, object, "reasons", 0);
    refused->limits = base_alloc((json_array_size(reasons) + 1) * sizeof *refused->limits);
    for (size_t i = 0; i < json_array_size(reasons) && !reader->failed; i++) {
        size_t here = profile_enter(reader, "reasons[%zu]", i);
        const json_t *reason = profile_read_element(reader, reasons, i);
        refused->limits[refused->limit_count++] = (struct profile_broken_limit){
            .limit = profile_read_text(reader, reason, "limit", false),
            .asked = profile_read_number(reader, reason, "asked", INT64_MAX),
            .most = profile_read_number(reader, reason, "most", INT64_MAX),
            .text = profile_read_text(reader, reason, "text", false),
            .cure = profile_read_text(reader, reason, "cure", true)};
        profile_leave(reader, here);
    }
}

static void read_one_refused(struct profile_reader *reader, const json_t *object,
                             struct profile_refused *refused) {
    refused->after = profile_read_number(reader, object, "after", INT64_MAX);
    refused->repeats = profile_read_number(reader, object, "repeats", INT64_MAX);
    if (json_object_get(object, "thread"))
        refused->thread = (uint32_t)profile_read_number(reader, object, "thread", UINT32_MAX);
    refused->kernel = profile_read_text(reader, object, "kernel", false);
    refused->symbol = profile_read_text(reader, object, "symbol", false);
    profile_read_triple(reader, object, "grid", refused->grid);
    profile_read_triple(reader, object, "block", refused->block);
    profile_read_triple(reader, object, "cluster", refused->cluster);
    refused->dynamic_bytes = profile_read_number(reader, object, "dynamic_bytes", INT64_MAX);
    refused->parent = profile_read_text(reader, object, "parent", true);
    refused->error = profile_read_text(reader, object, "error", true);
    read_reasons(reader, object, refused);
}

static void read_refused(struct profile_reader *reader, const json_t *root,
                         struct profile *profile) {
    void *room = NULL;
    const json_t *list = read_list(reader, root, "refused", sizeof *profile->refused, &room);
    profile->refused = room;
    for (size_t i = 0; i < json_array_size(list) && !reader->failed; i++) {
        size_t here = profile_enter(reader, "refused[%zu]", i);
        profile->refused_count++;
        read_one_refused(reader, profile_read_element(reader, list, i), &profile->refused[i]);
        profile_leave(reader, here);
    }
}

// ---- Gaps -----------------------------------------------------------------------------------

static json_t *gap_of(const struct profile_gap *gap) {
    json_t *object = json_object();
    set(object, "kind", text(gap_names[gap->kind]));
    set(object, "text", text(gap->text));
    set(object, "count", number(gap->count));
    if (gap->has_process)
        set(object, "process", number(gap->process));
    return object;
}

static void read_gaps(struct profile_reader *reader, const json_t *root, struct profile *profile) {
    void *room = NULL;
    const json_t *list = read_list(reader, root, "incomplete", sizeof *profile->gaps, &room);
    profile->gaps = room;
    for (size_t i = 0; i < json_array_size(list) && !reader->failed; i++) {
        size_t here = profile_enter(reader, "incomplete[%zu]", i);
        const json_t *object = profile_read_element(reader, list, i);
        struct profile_gap *gap = &profile->gaps[profile->gap_count++];
        gap->kind = (enum profile_gap_kind)profile_read_name(reader, object, "kind", gap_names,
                                                             PROFILE_GAPS);
        gap->text = profile_read_text(reader, object, "text", false);
        gap->count = profile_read_number(reader, object, "count", INT64_MAX);
        gap->has_process = json_object_get(object, "process") != NULL;
        if (gap->has_process)
            gap->process = profile_read_number(reader, object, "process", UINT32_MAX);
        if (gap->has_process && gap->process >= profile->process_count)
            profile_fail(reader, "process: there are %zu processes", profile->process_count);
        profile_leave(reader, here);
    }
}

static json_t *all_refused_of(const struct profile *profile) {
    json_t *array = json_array();
    for (size_t i = 0; i < profile->refused_count; i++)
        append(array, refused_of(&profile->refused[i]));
    return array;
}

static json_t *gaps_of(const struct profile *profile) {
    json_t *array = json_array();
    for (size_t i = 0; i < profile->gap_count; i++)
        append(array, gap_of(&profile->gaps[i]));
    return array;
}

void profile_write_failures(json_t *root, const struct profile *profile) {
    if (profile->refused_count)
        set(root, "refused", all_refused_of(profile));
    if (profile->gap_count)
        set(root, "incomplete", gaps_of(profile));
}

void profile_read_failures(struct profile_reader *reader, const json_t *root,
                           struct profile *profile) {
    read_refused(reader, root, profile);
    read_gaps(reader, root, profile);
}
