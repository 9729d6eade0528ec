// What would cure an array's conflicts: the layouts of src/fix, tried on all that the first block
// asks of it.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fix/rows.h"
#include "profile/cure_find.h"
#include "profile/declared.h"
#include "profile/hint_find.h"

enum { MOST_REQUESTS = 4096 };

struct array {
    const struct profile_recorder *recorder;
    const struct ir_variable *variable;
    uint64_t bytes;
    VEC(struct fix_request) requests; // site by site
    asked_sites sites;                // that make them
};

// One of the arrays that lie in it; mostly it is the whole.
struct part {
    const struct array *array;
    uint32_t number;
    struct array_part at;
    struct fix_array shape;
    VEC(struct fix_request) requests; // with offsets of their own, from the part's start
    bool has_one_element;             // that lanes update, for half of the excess
};

// ---- What is asked of it --------------------------------------------------------------------

static void add_requests(struct array *array, const struct counter *counter,
                         struct asked_site *site) {
    const struct profile_request *asked = &counter->rule->request;
    for (size_t i = 0; i < counter->asked.requests.length; i++) {
        const struct asked_request *request = &counter->asked.requests.data[i];
        vec_push(&array->requests, (struct fix_request){.banks = profile_bank_request(
                                                            asked, request->mask, request->offsets),
                                                        .count = request->count});
        for (uint32_t rest = request->mask; rest; rest &= rest - 1) {
            const uint64_t low = request->offsets[__builtin_ctz(rest)];
            site->low = low < site->low ? low : site->low;
            site->high = low + asked->width > site->high ? low + asked->width : site->high;
        }
    }
    site->is_whole &= counter->asked.total < ASKED_MOST;
}

// False: some access of it is of a kind that no other layout may be under.
static bool collect(struct array *array) {
    const struct profile_recorder *recorder = array->recorder;
    for (uint32_t s = 0; s < recorder->site_count; s++) {
        struct asked_site site = {.site = &recorder->sites[s],
                                  .number = s,
                                  .first = array->requests.length,
                                  .low = UINT64_MAX,
                                  .is_whole = true};
        for (unsigned w = 0; w < recorder->info.workers; w++) {
            const struct recorder_worker *worker = recorder->workers[w];
            const struct counter *counter = worker ? worker->counters[s][SITE_SHARED] : NULL;
            for (; counter; counter = counter->next) {
                if (counter->array != array->variable)
                    continue;
                if (counter->is_immobile || counter->rule->is_estimate)
                    return false;
                add_requests(array, counter, &site);
            }
        }
        site.count = array->requests.length - site.first;
        if (site.count)
            vec_push(&array->sites, site);
    }
    return array->requests.length > 0 && array->requests.length <= MOST_REQUESTS;
}

// ---- One part of it -------------------------------------------------------------------------

static void add_moved(struct part *part, const struct fix_request *request) {
    struct fix_request moved = *request;
    uint32_t *offsets = base_alloc(BANKRUN_LANES * sizeof *offsets);
    for (unsigned l = 0; l < BANKRUN_LANES; l++)
        if (request->banks.mask >> l & 1)
            offsets[l] = request->banks.offsets[l] - (uint32_t)part->at.first;
    moved.banks.offsets = offsets;
    vec_push(&part->requests, moved);
}

static void fill_part(struct part *part) {
    const struct array *array = part->array;
    unsigned least = BANKRUN_LANES;
    for (size_t s = 0; s < array->sites.length; s++) {
        const struct asked_site *site = &array->sites.data[s];
        for (size_t r = site->first; site->part == part->number && r < site->first + site->count;
             r++) {
            add_moved(part, &array->requests.data[r]);
            const unsigned width = array->requests.data[r].banks.width;
            least = width < least ? width : least;
        }
    }
    part->shape.bytes = part->at.end - part->at.first;
    part->shape.element_bytes = least;
}

// Where the source was looked at, rows are those that it declares.
static void add_declared_rows(const struct ir_variable *variable, struct fix_array *shape) {
    if (!profile_knows_rows())
        return;
    char *name = profile_array_name(variable->name);
    struct profile_rows rows;
    for (unsigned n = 0; profile_declared_rows(name, shape->bytes, n, &rows); n++)
        fix_add_rows(shape, (struct fix_rows){rows.row_bytes, rows.element_bytes, 0});
    shape->knows_rows = true;
    free(name);
}

// Sites come in the order in which fill_part() took them.
static void find_hints(struct part *part, struct profile_cures *cures) {
    const asked_sites *sites = &part->array->sites;
    const struct hint_array about = hint_look(part->requests.data, part->requests.length);
    uint64_t excess = 0, one_element = 0;
    size_t first = 0;
    for (size_t s = 0; s < sites->length; s++) {
        const struct asked_site *site = &sites->data[s];
        struct profile_site_hints found = {.site = site->number};
        if (site->part != part->number)
            continue;
        hint_find(part->array->recorder->info.arch, &part->requests.data[first], site->count,
                  &about, &found.hints);
        first += site->count;
        if (found.hints.excess)
            cures->hints[cures->hint_count++] = found;
        excess += found.hints.excess;
        one_element += found.hints.gains[PROFILE_HINT_ONE_ELEMENT];
    }
    part->has_one_element = one_element > 0 && 2 * one_element >= excess;
}

static void free_part(struct part *part) {
    for (size_t r = 0; r < part->requests.length; r++)
        free((void *)part->requests.data[r].banks.offsets);
    vec_free(&part->requests);
}

// ---- As data ----------------------------------------------------------------------------------

// What takes away less than half of the excess is no cure: it may suit these requests by chance.
enum { LEAST_GAIN = 50 };

static struct profile_layout layout_of(unsigned element, const struct fix_answer *answer) {
    const struct fix_layout *layout = &answer->layout;
    const unsigned bits = (unsigned)__builtin_ctz(element);
    struct profile_layout found = {.operations = answer->operations,
                                   .wavefronts = answer->total.wavefronts,
                                   .bytes = answer->bytes};
    if (layout->kind == FIX_SWIZZLE || layout->kind == FIX_MIRROR) {
        found.kind = layout->kind == FIX_MIRROR ? PROFILE_MIRROR : PROFILE_SWIZZLE;
        found.bits = layout->bits;
        found.base = layout->base - bits;
        found.shift = layout->shift - bits;
    } else {
        found.kind = PROFILE_PAD;
        found.is_by_index = answer->operations > 0;
        found.row = layout->pitch / element;
        found.pad = layout->pad / element;
    }
    return found;
}

static int by_wavefronts(const void *a, const void *b) {
    const struct profile_layout *x = a, *y = b;
    if (x->wavefronts != y->wavefronts)
        return x->wavefronts < y->wavefronts ? -1 : 1;
    return x->operations < y->operations ? -1 : x->operations > y->operations;
}

// What a declaration pads an index can pad, too.
static void add_by_index(struct profile_cure *cure) {
    const struct profile_layout *best = NULL;
    for (size_t i = 0; i < cure->layout_count && !best; i++)
        if (cure->layouts[i].kind == PROFILE_PAD)
            best = &cure->layouts[i];
    if (!best || best->is_by_index)
        return;
    struct profile_layout layout = *best;
    layout.is_by_index = true;
    layout.operations = FIX_PAD_OPERATIONS;
    cure->layouts[cure->layout_count++] = layout;
    qsort(cure->layouts, cure->layout_count, sizeof *cure->layouts, by_wavefronts);
}

static void add_layouts(const struct part *part, const fix_answers *answers,
                        struct profile_cure *cure) {
    cure->layouts = base_alloc((answers->length + 1) * sizeof *cure->layouts);
    for (size_t i = 1; i < answers->length; i++)
        cure->layouts[cure->layout_count++] =
            layout_of(part->shape.element_bytes, &answers->data[i]);
    add_by_index(cure);
}

static int by_place(const void *a, const void *b) {
    const struct profile_cure_line *x = a, *y = b;
    const int order = x->file && y->file ? strcmp(x->file, y->file) : !x->file - !y->file;
    return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

static void add_lines(const struct part *part, struct profile_cure *cure) {
    const asked_sites *sites = &part->array->sites;
    cure->lines = base_alloc((sites->length + 1) * sizeof *cure->lines);
    for (size_t i = 0; i < sites->length; i++) {
        struct profile_site site = {0};
        if (sites->data[i].part != part->number)
            continue;
        profile_describe_site(sites->data[i].site, NULL, &site);
        cure->lines[cure->line_count++] =
            (struct profile_cure_line){base_strdup(site.file), site.line};
        profile_free_site(&site);
    }
    qsort(cure->lines, cure->line_count, sizeof *cure->lines, by_place);
    size_t kept = 0;
    for (size_t i = 0; i < cure->line_count; i++)
        if (kept > 0 && by_place(&cure->lines[kept - 1], &cure->lines[i]) == 0)
            free(cure->lines[i].file);
        else
            cure->lines[kept++] = cure->lines[i];
    cure->line_count = kept;
}

static void fill(const struct part *part, const fix_answers *answers, struct profile_cure *cure) {
    const struct fix_cost *as_is = &answers->data[0].total;
    const struct ir_variable *variable = part->array->variable;
    *cure = (struct profile_cure){.array = profile_array_name(variable->name),
                                  .is_dynamic = variable->ptx->is_unsized,
                                  .is_part = part->shape.bytes < part->array->bytes,
                                  .offset = part->at.first,
                                  .bytes = part->shape.bytes,
                                  .element_bytes = part->shape.element_bytes,
                                  .requests = as_is->requests,
                                  .wavefronts = as_is->wavefronts,
                                  .ideal = as_is->ideal};
    add_layouts(part, answers, cure);
    add_lines(part, cure);
    if (cure->layout_count == 0)
        cure->reason = part->has_one_element ? PROFILE_ONE_ELEMENT : PROFILE_NO_LAYOUT;
}

// False: there is nothing to cure, or no time for a search.
static bool search(const struct part *part, struct profile_cure *cure) {
    const struct profile_launch_info *info = &part->array->recorder->info;
    fix_answers answers = {0};
    struct fix_problem problem = {.arch = info->arch,
                                  .array = part->shape,
                                  .requests = part->requests.data,
                                  .request_count = part->requests.length,
                                  .site_count = 1,
                                  .least_gain = LEAST_GAIN};
    add_declared_rows(part->array->variable, &problem.array);
    fix_find_rows(&problem);
    if (info->likeness && !cure_may_search(fix_steps(&problem)))
        return false;
    const bool is_found = fix_search(&problem, &answers) &&
                          answers.data[0].total.wavefronts > answers.data[0].total.ideal;
    if (is_found)
        fill(part, &answers, cure);
    fix_answers_free(&answers);
    return is_found;
}

// ---- All of it ------------------------------------------------------------------------------

static void find_in(const struct array *array, uint32_t number, struct array_part at,
                    struct profile_cures *cures) {
    struct part part = {.array = array, .number = number, .at = at};
    struct profile_cure cure;
    fill_part(&part);
    find_hints(&part, cures);
    if (search(&part, &cure)) {
        cures->list = base_realloc(cures->list, (cures->count + 1) * sizeof *cures->list);
        cures->list[cures->count++] = cure;
        for (size_t s = 0; s < array->sites.length; s++)
            if (array->sites.data[s].part == number)
                cures->of_site[array->sites.data[s].number] = (uint32_t)cures->count;
    }
    free_part(&part);
}

static void find(struct array *array, struct profile_cures *cures) {
    array_parts parts = {0};
    cures->site_count = array->recorder->site_count;
    cures->of_site = base_alloc((cures->site_count + 1) * sizeof *cures->of_site);
    cures->hints = base_alloc((array->sites.length + 1) * sizeof *cures->hints);
    if (array->variable->ptx->is_unsized)
        cure_split(&array->sites, array->bytes, &parts);
    else
        vec_push(&parts, (struct array_part){0, array->bytes});
    for (uint32_t i = 0; i < parts.length; i++)
        find_in(array, i, parts.data[i], cures);
    // What block 0 does not do at a site is about the array nevertheless.
    for (uint32_t s = 0; parts.length == 1 && s < cures->site_count; s++)
        cures->of_site[s] = (uint32_t)cures->count;
    vec_free(&parts);
}

void profile_free_cures(struct profile_cures *cures) {
    free(cures->list);
    free(cures->of_site);
    free(cures->hints);
}

struct profile_cures profile_find_cures(const struct profile_recorder *recorder,
                                        const struct ir_variable *variable) {
    const struct cure_key key = {recorder->info.likeness, variable};
    struct profile_cures cures = {0};
    struct array array = {.recorder = recorder, .variable = variable};
    if (!variable || cure_recall(key, &cures) || !recorder->asks)
        return cures;
    array.bytes =
        variable->ptx->is_unsized ? recorder->info.dynamic_shared_bytes : variable->ptx->bytes;
    if (!ir_has_async_products(recorder->info.kernel) && collect(&array))
        find(&array, &cures);
    vec_free(&array.requests);
    vec_free(&array.sites);
    if (key.likeness)
        cure_keep(key, &cures);
    return cures;
}
