// Source lines of the page: what all launches do there, added up.
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "profile/json_make.h"
#include "report/html.h"

// ---- Found -----------------------------------------------------------------------------------

// The same for all accesses that are one line.
static const char *key_of(struct html_data *data, const struct view_line *line,
                          const struct view_launch *launch) {
    return line->at.line
               ? arena_printf(data->builder.arena, "%u %s", line->at.line, line->first->file)
               : arena_printf(data->builder.arena, "0 %s", launch->launch->symbol);
}

static struct html_line *line_for(struct html_data *data, const struct view_line *line,
                                  const struct view_launch *launch) {
    const char *key = key_of(data, line, launch);
    uintptr_t known = (uintptr_t)map_get_string(&data->line_numbers, key);
    if (!known) {
        struct html_line fresh = {.file = html_file_number(data, line->first->file, line->at.line),
                                  .line = line->at.line};
        vec_push(&data->lines, fresh);
        known = data->lines.length;
        map_put(&data->line_numbers, key, strlen(key), (void *)known);
    }
    return &data->lines.data[known - 1];
}

static void add_sum(struct html_line *line, size_t launch, const struct view_launch *alike,
                    const struct profile_site *site) {
    size_t at = 0;
    while (at < line->sums.length &&
           (line->sums.data[at].space != site->space ||
            !text_is_same(line->sums.data[at].kernel->symbol, alike->launch->symbol)))
        at++;
    if (at == line->sums.length)
        vec_push(&line->sums, (struct html_sum){alike->launch, site->space, 0, SIZE_MAX, {0}});
    struct html_sum *sum = &line->sums.data[at];
    sum->launches += sum->last == launch ? 0 : alike->count;
    sum->last = launch;
    profile_add_counts(&sum->counts, &site->counts, alike->count);
}

static void add_access(struct html_line *line, size_t launch, const struct view_launch *alike,
                       const struct view_site *shown) {
    const struct profile_site *site = shown->site;
    profile_add_counts(&line->counts[site->space], &site->counts, alike->count);
    add_sum(line, launch, alike, site);
    if (profile_excess_of(&site->counts) && site->worst_degree > line->degree)
        line->degree = site->worst_degree;
    line->is_observed |= site->space == SITE_SHARED && !profile_is_proved(site);
    vec_push(&line->accesses, (struct html_access){launch, shown});
}

static void add_lines(struct html_data *data, size_t launch, const struct view_lines *lines) {
    const struct view_launch *alike = &data->view->launches[launch];
    for (size_t i = 0; i < lines->count; i++) {
        const struct view_line *from = &lines->data[i];
        struct html_line *to = line_for(data, from, alike);
        for (size_t s = 0; s < from->count; s++)
            add_access(to, launch, alike, &from->sites[s]);
        if (from->first->space == SITE_SHARED && alike->count * from->excess > to->most) {
            to->most = alike->count * from->excess;
            to->most_launch = launch;
            to->gain = from->gain;
            to->is_worth = from->is_worth;
        }
    }
}

static int compare(uint64_t a, uint64_t b) { // more first
    return a > b ? -1 : a < b;
}

static int by_excess(const void *left, const void *right) {
    const struct html_line *a = left, *b = right;
    int order = 0;
    for (int space = 0; space < SITE_SPACES && !order; space++)
        order = compare(profile_excess_of(&a->counts[space]), profile_excess_of(&b->counts[space]));
    if (!order)
        order = a->file < b->file ? -1 : a->file > b->file;
    return order ? order : a->line < b->line ? -1 : a->line > b->line;
}

// Shared memory first, and then most excess; the order stays where these are the same.
static int by_worth(const void *left, const void *right) {
    const struct html_access *a = left, *b = right;
    const struct profile_site *x = a->site->site, *y = b->site->site;
    int order = (int)x->space - (int)y->space;
    if (!order)
        order = compare(profile_excess_of(&x->counts), profile_excess_of(&y->counts));
    if (!order)
        order = compare(b->launch, a->launch);
    return order ? order : a->site < b->site ? -1 : a->site > b->site;
}

// A page shows a hundred of a line at most, and is to stay small where lines and launches are many.
static void keep_worst(struct html_data *data) {
    enum { MOST_OF_LINE = 100, MOST_OF_PAGE = 14000 };
    size_t most = MOST_OF_LINE, all;
    do {
        all = 0;
        for (size_t i = 0; i < data->lines.length; i++) {
            const size_t length = data->lines.data[i].accesses.length;
            all += length < most ? length : most;
        }
    } while (all > MOST_OF_PAGE && most > 1 && (most = most * 4 / 5));
    for (size_t i = 0; i < data->lines.length; i++) {
        struct html_line *line = &data->lines.data[i];
        if (line->accesses.length <= most)
            continue;
        qsort(line->accesses.data, line->accesses.length, sizeof *line->accesses.data, by_worth);
        line->more = line->accesses.length - most;
        line->accesses.length = most;
    }
}

void html_find_lines(struct html_data *data) {
    for (size_t i = 0; i < data->view->count; i++) {
        const struct view_launch *launch = &data->view->launches[i];
        const struct view_lines efficient =
            view_lines_of(&data->builder, launch, SITE_GLOBAL, false);
        add_lines(data, i, &launch->conflicts);
        add_lines(data, i, &launch->clean);
        add_lines(data, i, &launch->wasteful);
        add_lines(data, i, &efficient);
    }
    if (data->lines.length > 0)
        qsort(data->lines.data, data->lines.length, sizeof *data->lines.data, by_excess);
    keep_worst(data);
}

// ---- As data ---------------------------------------------------------------------------------

static json_t *degrees_of(const struct profile_site *site) {
    json_t *array = json_array();
    for (unsigned degree = 0; degree <= PROFILE_MAX_DEGREE; degree++) {
        if (!site->degrees[degree])
            continue;
        json_t *pair = json_array();
        append(pair, number(degree));
        append(pair, number(site->degrees[degree]));
        append(array, pair);
    }
    return array;
}

static json_t *frames_of(struct html_data *data, const struct view_site *site) {
    json_t *array = json_array();
    for (uint32_t i = 0; i < site->site->inlined_count; i++) {
        const struct view_frame *frame = &site->frames[i];
        json_t *object = json_array();
        append(object, html_text(data, frame->at.file));
        append(object, number(frame->at.line));
        append(object, html_text(data, frame->function));
        append(array, object);
    }
    return array;
}

static void set_text(struct html_data *data, json_t *object, const char *key, const char *words) {
    if (words)
        set(object, key, html_text(data, words));
}

static json_t *worst_of(const struct profile_site *site) {
    json_t *array = triple(site->worst_block);
    append(array, number(site->worst_warp));
    return array;
}

// [bytes of an element, extents...]
static json_t *elements_of(const struct profile_elements *elements) {
    json_t *array = json_array();
    append(array, number(elements->bytes));
    for (unsigned i = 0; i < elements->rank; i++)
        append(array, number(elements->extents[i]));
    return array;
}

static void set_shared(struct html_data *data, json_t *object, const struct html_access *access) {
    const struct profile_site *site = access->site->site;
    const struct view_launch *launch = &data->view->launches[access->launch];
    set(object, "degree", number(site->worst_degree));
    set(object, "degrees", degrees_of(site));
    set_text(data, object, "certainty",
             bankrun_certainty_text(profile_certainty(launch->arch, site)));
    if (site->worst_degree == 0)
        return;
    set(object, "worst", worst_of(site));
    if (site->knows_array_offset)
        set(object, "array_offset", number(site->array_offset));
    if (site->elements.rank)
        set(object, "elements", elements_of(&site->elements));
    const struct profile_cure *cure = site->cure ? &launch->launch->cures[site->cure - 1] : NULL;
    html_set_picture(data, object, launch->arch, site, cure);
    if (cure)
        set(object, "cured", html_cured(data, launch->arch, site, cure));
}

static json_t *access_of(struct html_data *data, const struct html_access *access) {
    const struct profile_site *site = access->site->site;
    json_t *object = json_object();
    set(object, "launch", number(data->launch_numbers[access->launch]));
    set(object, "access", html_text(data, access->site->access));
    if (site->space == SITE_GLOBAL)
        set(object, "global", json_true());
    set(object, "width", number(site->width));
    set(object, "counts", html_counts(&site->counts));
    set_text(data, object, "array", site->array);
    set_text(data, object, "verdict", site->verdict);
    set_text(data, object, "proof", site->proof);
    set_text(data, object, "bounds", site->bounds);
    set_text(data, object, "why", site->why);
    set_text(data, object, "help", site->help);
    set_text(data, object, "function", site->function);
    if (access->site->column)
        set(object, "column", number(access->site->column));
    if (site->is_estimate)
        set(object, "about", json_true());
    if (site->moved_behind)
        set(object, "behind", number(site->moved_behind));
    if (site->inlined_count)
        set(object, "inlined", frames_of(data, access->site));
    if (site->space == SITE_SHARED)
        set_shared(data, object, access);
    return object;
}

// [kernel, space, launches, counts] for each.
static json_t *sums_of(struct html_data *data, const struct html_line *line) {
    json_t *array = json_array();
    for (size_t i = 0; i < line->sums.length; i++) {
        const struct html_sum *sum = &line->sums.data[i];
        const struct profile_launch *kernel = sum->kernel;
        json_t *row = json_array();
        append(row, html_text(data, kernel->kernel ? kernel->kernel : kernel->symbol));
        append(row, number(sum->space));
        append(row, number(sum->launches));
        append(row, html_counts(&sum->counts));
        append(array, row);
    }
    return array;
}

json_t *html_lines(struct html_data *data) {
    json_t *array = json_array();
    for (size_t i = 0; i < data->lines.length; i++) {
        const struct html_line *line = &data->lines.data[i];
        json_t *object = json_object(), *accesses = json_array();
        set(object, "file", line->file == SIZE_MAX ? json_null() : number(line->file));
        set(object, "line", number(line->line));
        if (line->counts[SITE_SHARED].requests)
            set(object, "shared", html_counts(&line->counts[SITE_SHARED]));
        if (line->counts[SITE_GLOBAL].requests)
            set(object, "global", html_counts(&line->counts[SITE_GLOBAL]));
        if (line->gain > 0) {
            set(object, "gain", html_gain(line->gain));
            set(object, "worth", json_boolean(line->is_worth));
            set(object, "gain_launch", number(data->launch_numbers[line->most_launch]));
        }
        if (line->degree)
            set(object, "degree", number(line->degree));
        if (line->is_observed)
            set(object, "observed", json_true());
        if (line->more)
            set(object, "more", number(line->more));
        set(object, "sums", sums_of(data, line));
        for (size_t a = 0; a < line->accesses.length; a++)
            append(accesses, access_of(data, &line->accesses.data[a]));
        set(object, "accesses", accesses);
        append(array, object);
    }
    return array;
}
