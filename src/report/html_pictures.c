// Requests on their banks, for the page: which wavefront serves each lane, from which banks, and
// where lanes collide or share a word. All of it is the bank model's answer.
#include <stdlib.h>
#include <string.h>

#include "profile/json_make.h"
#include "report/html.h"

// Beyond so many bytes of them, pictures of lines with less excess are left out: a page of ten
// thousand accesses still opens at once.
enum { MOST_BYTES = 2 << 20, MOST_LAYOUTS = 3 };

// ---- Numbers of lanes --------------------------------------------------------------------------

static json_t *run_of(int64_t first, int64_t step, unsigned count) {
    json_t *run = json_array();
    append(run, json_integer(first));
    if (count > 1) {
        append(run, json_integer(step));
        append(run, number(count));
    }
    return run;
}

// As runs of equal distances: [first, distance, how many], or [the only one].
static json_t *runs_of(const int64_t *values, unsigned count) {
    json_t *array = json_array();
    for (unsigned i = 0, end; i < count; i = end) {
        const int64_t step = i + 1 < count ? values[i + 1] - values[i] : 0;
        for (end = i + 1; end < count && values[end] - values[end - 1] == step; end++) {
        }
        end = end - i < 3 ? i + 1 : end;
        append(array, run_of(values[i], step, end - i));
    }
    return array;
}

// ---- A picture ---------------------------------------------------------------------------------

static void set_cells(json_t *object, unsigned arch, const struct view_drawing *drawing) {
    json_t *banks = json_array(), *marks = json_array();
    int64_t bank[BANKRUN_LANES], mark[BANKRUN_LANES];
    for (unsigned word = 0; word < drawing->words; word++) {
        for (unsigned i = 0; i < drawing->active; i++) {
            const unsigned lane = drawing->lanes[i];
            bank[i] = bankrun_bank(arch, drawing->request->offsets[lane] + 4 * word);
            mark[i] = view_mark_of(arch, drawing, lane, word);
        }
        append(banks, runs_of(bank, drawing->active));
        append(marks, runs_of(mark, drawing->active));
    }
    set(object, "bank", banks);
    set(object, "mark", marks);
}

// Offsets in a picture are from there: many requests then have one picture.
static uint32_t first_offset(const struct view_drawing *drawing) {
    return drawing->request->offsets[drawing->lanes[0]];
}

static json_t *picture_of(unsigned arch, const struct view_drawing *drawing,
                          const struct bankrun_cost *cost) {
    int64_t row[BANKRUN_LANES], offset[BANKRUN_LANES], lanes[BANKRUN_LANES];
    json_t *object = json_object();
    for (unsigned i = 0; i < drawing->active; i++) {
        const unsigned lane = drawing->lanes[i];
        lanes[i] = lane;
        row[i] = drawing->row_of[lane];
        offset[i] = (int64_t)drawing->request->offsets[lane] - first_offset(drawing);
    }
    set(object, "banks", number(drawing->wavefronts.banks));
    set(object, "rows", number(drawing->wavefronts.count));
    set(object, "wavefronts", number(cost->wavefronts));
    set(object, "ideal", number(cost->ideal));
    set(object, "lane", runs_of(lanes, drawing->active));
    set(object, "offset", runs_of(offset, drawing->active));
    set(object, "row", runs_of(row, drawing->active));
    set_cells(object, arch, drawing);
    return object;
}

// The number of an equal picture that is there already.
static json_t *kept(struct html_data *data, json_t *picture) {
    char *words = json_dumps(picture, JSON_COMPACT | JSON_SORT_KEYS);
    if (!words)
        base_out_of_memory(0);
    uintptr_t known = (uintptr_t)map_get_string(&data->picture_numbers, words);
    if (known) {
        json_decref(picture);
    } else {
        const size_t length = strlen(words);
        const char *key = arena_strndup(data->builder.arena, words, length);
        append(data->pictures, picture);
        data->picture_bytes += length;
        known = json_array_size(data->pictures);
        map_put(&data->picture_numbers, key, length, (void *)known);
    }
    free(words);
    return number(known - 1);
}

static void set_picture(struct html_data *data, json_t *object, unsigned arch,
                        const struct bankrun_request *request) {
    struct view_drawing drawing;
    struct bankrun_cost cost;
    const bool is_drawn = data->picture_bytes < MOST_BYTES && view_draw(arch, request, &drawing) &&
                          bankrun_count(arch, request, &cost) == BANKRUN_OK;
    if (is_drawn)
        set(object, "offset", number(first_offset(&drawing)));
    set(object, "picture", is_drawn ? kept(data, picture_of(arch, &drawing, &cost)) : json_null());
}

// What the module is asked with the picture's lanes: [access, width, matrices, bytes of an element,
// where the array begins, its bytes or 0]. Without a cure the elements are what a lane accesses, or
// the halves of a matrix.
static void set_request(struct html_data *data, json_t *object, const struct profile_site *site,
                        const struct bankrun_request *request, const struct profile_cure *cure) {
    const uint64_t numbers[] = {
        request->access,
        request->width,
        request->matrices,
        cure                ? cure->element_bytes
        : request->matrices ? 2
                            : request->width,
        site->array_offset + (cure ? cure->offset : 0),
        cure ? cure->bytes : 0,
    };
    json_t *array = json_array();
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        append(array, number(numbers[i]));
    set(object, "request", array);
    data->has_sliders = true;
}

void html_set_picture(struct html_data *data, json_t *object, unsigned arch,
                      const struct profile_site *site, const struct profile_cure *cure) {
    const struct bankrun_request request =
        profile_bank_request(&site->request, site->worst_mask, site->worst_offsets);
    if (site->is_modelled)
        set_picture(data, object, arch, &request);
    else
        set(object, "picture", json_null());
    if (!json_is_null(json_object_get(object, "picture")) && site->knows_array_offset)
        set_request(data, object, site, &request, cure);
}

// ---- In other layouts --------------------------------------------------------------------------

static void set_in_layout(struct html_data *data, json_t *object, unsigned arch,
                          const struct profile_site *site, const struct profile_cure *cure,
                          const struct profile_layout *layout) {
    uint32_t offsets[BANKRUN_LANES] = {0};
    struct bankrun_request request =
        profile_bank_request(&site->request, site->worst_mask, offsets);
    const unsigned matrix_lanes = 8 * request.matrices;
    const uint32_t mask = matrix_lanes && matrix_lanes < BANKRUN_LANES ? (1u << matrix_lanes) - 1
                          : matrix_lanes                               ? UINT32_MAX
                                                                       : request.mask;
    if (!site->is_modelled || !site->knows_array_offset ||
        !profile_cured_offsets(cure, layout, site->array_offset, mask, request.width,
                               site->worst_offsets, offsets))
        set(object, "picture", json_null());
    else
        set_picture(data, object, arch, &request);
}

// [kind, row, pad, bits, base, shift], in elements, for the sliders.
static json_t *numbers_of(const struct profile_layout *layout) {
    json_t *array = json_array();
    append(array, text(profile_layout_text[layout->kind]));
    append(array, number(layout->row));
    append(array, number(layout->pad));
    append(array, number(layout->bits));
    append(array, number(layout->base));
    append(array, number(layout->shift));
    return array;
}

static json_t *layout_of(struct html_data *data, const struct profile_cure *cure,
                         const struct profile_layout *layout) {
    json_t *object = json_object();
    struct strbuf words = {0};
    profile_put_layout(&words, layout);
    set(object, "words", html_text(data, view_take(&data->builder, &words)));
    set(object, "layout", numbers_of(layout));
    set(object, "wavefronts", number(layout->wavefronts));
    set(object, "of", number(cure->wavefronts));
    set(object, "ideal", number(cure->ideal));
    set(object, "more_bytes",
        number(layout->bytes > cure->bytes ? layout->bytes - cure->bytes : 0));
    return object;
}

// The best of each kind, as reports name them: by declaration, by index, swizzled.
static bool is_shown(const struct profile_cure *cure, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (cure->layouts[i].kind == cure->layouts[n].kind &&
            cure->layouts[i].is_by_index == cure->layouts[n].is_by_index)
            return false;
    return true;
}

json_t *html_cured(struct html_data *data, unsigned arch, const struct profile_site *site,
                   const struct profile_cure *cure) {
    json_t *array = json_array();
    for (size_t i = 0; i < cure->layout_count && json_array_size(array) < MOST_LAYOUTS; i++) {
        if (!is_shown(cure, i))
            continue;
        json_t *object = layout_of(data, cure, &cure->layouts[i]);
        set_in_layout(data, object, arch, site, cure, &cure->layouts[i]);
        append(array, object);
    }
    return array;
}
