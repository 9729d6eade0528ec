// The data of the page: launches, kernels, and the tables of what is said more than once.
#include <math.h>
#include <string.h>

#include "profile/json_make.h"
#include "report/html.h"

// ---- What is said more than once -------------------------------------------------------------

json_t *html_text(struct html_data *data, const char *words) {
    if (!words)
        return json_null();
    void *known = map_get_string(&data->text_numbers, words);
    if (!known) {
        append(data->texts, text(words));
        known = (void *)json_array_size(data->texts); // from 1 on: NULL is for none
        map_put(&data->text_numbers, words, strlen(words), known);
    }
    return number((uintptr_t)known - 1);
}

size_t html_file_number(struct html_data *data, const char *path, uint32_t line) {
    if (!path || line == 0)
        return SIZE_MAX;
    uintptr_t known = (uintptr_t)map_get_string(&data->file_numbers, path);
    if (!known) {
        vec_push(&data->files, (struct html_file){.path = path});
        known = data->files.length;
        map_put(&data->file_numbers, path, strlen(path), (void *)known);
    }
    vec_push(&data->files.data[known - 1].lines, line);
    return known - 1;
}

json_t *html_counts(const struct profile_counts *counts) {
    json_t *array = json_array();
    append(array, number(counts->requests));
    append(array, number(counts->units));
    append(array, number(counts->ideal));
    return array;
}

json_t *html_gain(double gain) {
    return isfinite(gain) ? json_real(gain) : json_null();
}

// ---- Sums ------------------------------------------------------------------------------------

static json_t *totals_of(const struct report_view *view) {
    static const char *const names[SITE_SPACES] = {
        [SITE_SHARED] = "shared", [SITE_GLOBAL] = "global"};
    json_t *object = json_object();
    for (int space = 0; space < SITE_SPACES; space++) {
        struct profile_counts sum = {0};
        for (size_t i = 0; i < view->count; i++)
            profile_add_counts(&sum, &view->launches[i].sums[space], view->launches[i].count);
        set(object, names[space], html_counts(&sum));
    }
    return object;
}

static json_t *kernels_of(struct html_data *data) {
    json_t *array = json_array();
    for (size_t i = 0; i < data->view->kernels.count; i++) {
        const struct view_row *row = &data->view->kernels.rows[i];
        json_t *object = json_object();
        set(object, "kernel", html_text(data, row->label));
        set(object, "launches", number(row->cells[0].value));
        set(object, "wavefronts", number(row->cells[1].value));
        set(object, "ideal", number(row->cells[2].value));
        append(array, object);
    }
    return array;
}

static json_t *program_of(const struct profile *profile) {
    json_t *array = json_array();
    for (size_t i = 0; i < profile->program_count; i++)
        append(array, text(profile->program[i]));
    return array;
}

static json_t *checks_of(const struct profile *profile) {
    json_t *array = json_array();
    for (enum profile_check check = 0; check < PROFILE_CHECKS; check++)
        if (profile->checks & profile_check_bit(check))
            append(array, text(profile_check_text[check]));
    return array;
}

// ---- All of it -------------------------------------------------------------------------------

static json_t *root_of(struct html_data *data) {
    const struct profile *profile = data->view->profile;
    json_t *root = json_object();
    char arch[16];
    snprintf(arch, sizeof arch, "sm_%u", profile->arch);
    html_find_lines(data);
    set(root, "schema", text("bankrun-page/1"));
    set(root, "bankrun", text(BANKRUN_VERSION));
    set(root, "arch", text(arch));
    set(root, "program", program_of(profile));
    char *accesses = report_accesses(
        profile, &(struct report_options){.source_root = data->builder.source_root});
    if (accesses)
        set(root, "accesses", text(accesses));
    free(accesses);
    set(root, "counted", json_boolean(!profile->is_uncounted));
    if (profile->only)
        set(root, "only", text(profile->only));
    set(root, "checks", checks_of(profile));
    set(root, "launched", number(profile->launched));
    set(root, "launches", html_launches(data));
    set(root, "different_launches", number(data->view->count));
    set(root, "totals", totals_of(data->view));
    set(root, "kernels", kernels_of(data));
    set(root, "lines", html_lines(data));
    set(root, "findings", html_findings(data));
    set(root, "problems", html_problems(data));
    set(root, "files", html_files(data));
    set(root, "texts", data->texts);
    set(root, "pictures", data->pictures);
    return root;
}

static void free_data(struct html_data *data) {
    for (size_t i = 0; i < data->files.length; i++)
        vec_free(&data->files.data[i].lines);
    for (size_t i = 0; i < data->lines.length; i++) {
        vec_free(&data->lines.data[i].accesses);
        vec_free(&data->lines.data[i].sums);
    }
    vec_free(&data->files);
    vec_free(&data->lines);
    map_free(&data->text_numbers);
    map_free(&data->picture_numbers);
    map_free(&data->file_numbers);
    map_free(&data->line_numbers);
    view_free_sources(&data->builder);
}

json_t *html_data_of(const struct report_view *view, const struct report_options *options,
                     bool *has_sliders) {
    struct html_data data = {
        .view = view,
        .builder = {.arena = view->arena, .source_root = options ? options->source_root : NULL},
        .texts = json_array(),
        .pictures = json_array(),
    };
    json_t *root = root_of(&data);
    *has_sliders = data.has_sliders;
    free_data(&data);
    return root;
}
