// Which edits are tried on which array, and in which order.
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/repair.h"
#include "patch/launches.h"

typedef unsigned long long number;

// ---- What to mend ---------------------------------------------------------------------------

// An array of a kernel that conflicts, and the launch in which it does the most.
struct target {
    const char *kernel, *array;
    const struct profile_cure *cure;
    const struct profile_launch *launch; // whose it is
    uint64_t excess;                     // of all launches
};
typedef VEC(struct target) target_list;

static struct target *target_of(target_list *targets, const char *kernel, const char *array) {
    for (size_t i = 0; i < targets->length; i++)
        if (!strcmp(targets->data[i].kernel, kernel) && !strcmp(targets->data[i].array, array))
            return &targets->data[i];
    vec_push(targets, (struct target){.kernel = kernel, .array = array});
    return &targets->data[targets->length - 1];
}

static uint64_t excess_of(const struct profile_cure *cure) {
    return cure->wavefronts - cure->ideal;
}

static int by_excess(const void *a, const void *b) {
    const struct target *x = a, *y = b;
    if (x->excess != y->excess)
        return x->excess > y->excess ? -1 : 1;
    const int kernels = strcmp(x->kernel, y->kernel);
    return kernels ? kernels : strcmp(x->array, y->array);
}

static void find_targets(const struct profile *profile, target_list *targets) {
    repair_counts counts = {0};
    repair_count_arrays(profile, &counts);
    for (size_t l = 0; l < profile->launch_count; l++)
        for (size_t c = 0; c < profile->launches[l].cure_count; c++) {
            const struct profile_launch *launch = &profile->launches[l];
            const struct profile_cure *cure = &launch->cures[c];
            struct target *target = target_of(targets, launch->kernel, cure->array);
            if (!target->cure || excess_of(cure) > excess_of(target->cure)) {
                target->cure = cure;
                target->launch = launch;
            }
        }
    for (size_t i = 0; i < targets->length; i++) {
        struct target *target = &targets->data[i];
        const struct repair_count *count =
            repair_find_count(&counts, target->kernel, target->array);
        target->excess = count ? count->wavefronts - count->ideal : 0;
    }
    if (targets->length)
        qsort(targets->data, targets->length, sizeof *targets->data, by_excess);
    vec_free(&counts);
}

// ---- Where it is declared -------------------------------------------------------------------

static uint32_t line_of(const struct patch_text *source, size_t token) {
    return token < source->tokens.length ? source->tokens.data[token].line : UINT32_MAX;
}

// Whether the line is in the scope of the declaration; what is declared for all of a file has more
// scope in those that include it, as far as `reaches_out`.
static bool is_in_scope(const struct repair *repair, const struct patch_array *array,
                        const struct profile_cure_line *line, bool reaches_out) {
    const struct repair_file *file = line->file ? repair_find_file(repair, line->file) : NULL;
    const struct repair_file *own = &repair->files.data[array->text];
    if (reaches_out)
        return file && file != own && array->is_at_file_scope;
    return file == own && line->line >= array->line &&
           line->line <= line_of(&own->source, array->scope_end);
}

// The declaration of that name whose scope has the lines that access it. SIZE_MAX: none has.
static size_t find_array(const struct repair *repair, const struct profile_cure *cure) {
    for (int reaches_out = 0; reaches_out < 2; reaches_out++)
        for (size_t n = 0; n < repair->arrays.length; n++)
            for (size_t i = 0; i < cure->line_count; i++)
                if (!strcmp(repair->arrays.data[n].name, cure->array) &&
                    is_in_scope(repair, &repair->arrays.data[n], &cure->lines[i], reaches_out))
                    return n;
    return SIZE_MAX;
}

// Why there is none, by the first line whose file is known.
static void explain_place(const struct repair *repair, const struct profile_cure *cure,
                          struct repair_place *place) {
    place->why = "no declaration of it as an array was found in this file";
    for (size_t i = 0; i < cure->line_count && !place->file; i++) {
        const char *compiled = cure->lines[i].file;
        const struct repair_file *file = compiled ? repair_find_file(repair, compiled) : NULL;
        place->file = base_strdup(file ? file->name : compiled);
        place->line = cure->lines[i].line;
        if (compiled && !file)
            place->why = "this file is included in another way than with quotes from beside it";
        else if (file && file->foreign)
            place->why = file->foreign;
    }
}

static void find_places(struct repair *repair) {
    const struct profile *profile = repair->before.profile;
    for (size_t l = 0; l < profile->launch_count; l++)
        for (size_t c = 0; c < profile->launches[l].cure_count; c++) {
            const struct profile_cure *cure = &profile->launches[l].cures[c];
            struct repair_place place = {.kernel = base_strdup(profile->launches[l].kernel),
                                         .array = base_strdup(cure->array),
                                         .number = find_array(repair, cure)};
            if (place.number == SIZE_MAX)
                explain_place(repair, cure, &place);
            vec_push(&repair->places, place);
        }
}

static const struct repair_place *place_of(const struct repair *repair,
                                           const struct target *target) {
    static const struct repair_place none = {.number = SIZE_MAX,
                                             .why = "it had no conflicts before the edits"};
    for (size_t i = 0; i < repair->places.length; i++)
        if (!strcmp(repair->places.data[i].kernel, target->kernel) &&
            !strcmp(repair->places.data[i].array, target->array))
            return &repair->places.data[i];
    return &none;
}

static bool find_shape(const struct repair *repair, size_t n, const struct profile_cure *cure,
                       struct patch_shape *shape) {
    const patch_shapes *shapes = &repair->shapes[n];
    for (size_t i = 0; i < shapes->length; i++)
        if (shapes->data[i].bytes == cure->bytes || shapes->data[i].bytes == 0) {
            *shape = shapes->data[i];
            return true;
        }
    return false;
}

// ---- A layout as a change -------------------------------------------------------------------

static unsigned log2_of(uint64_t n) {
    return (unsigned)__builtin_ctzll(n);
}

// From elements as they are accessed to elements as they are declared. False: it has no meaning
// there.
static bool change_of(const struct profile_cure *cure, const struct profile_layout *layout,
                      uint64_t declared, struct patch_change *change) {
    const uint64_t row = (uint64_t)layout->row * cure->element_bytes,
                   pad = (uint64_t)layout->pad * cure->element_bytes;
    if (!declared || !cure->element_bytes)
        return false;
    if (layout->kind == PROFILE_PAD) {
        *change = (struct patch_change){layout->is_by_index ? PATCH_PAD_INDEX : PATCH_PAD_ROWS,
                                        row / declared,
                                        pad / declared,
                                        0,
                                        0,
                                        0};
        return row % declared == 0 && pad % declared == 0;
    }
    if ((declared & (declared - 1)) ||
        layout->base + log2_of(cure->element_bytes) < log2_of(declared))
        return false;
    const unsigned by = log2_of(cure->element_bytes), less = log2_of(declared);
    *change =
        (struct patch_change){.kind = layout->kind == PROFILE_MIRROR ? PATCH_MIRROR : PATCH_SWIZZLE,
                              .bits = layout->bits,
                              .base = layout->base + by - less,
                              .shift = layout->shift + by - less};
    return true;
}

static char *words_of(const struct patch_change *change) {
    struct strbuf out = {0};
    if (change->kind == PATCH_PAD_ROWS) {
        strbuf_printf(&out, "rows of %llu elements are padded to %llu", (number)change->row,
                      (number)(change->row + change->pad));
        return strbuf_take(&out);
    }
    strbuf_puts(&out, "element i moves to ");
    patch_put_index(&out, change, "i", "i");
    return strbuf_take(&out);
}

// ---- One try --------------------------------------------------------------------------------

static void refuse_at(struct repair_result *result, char *why, const char *file, uint32_t line) {
    if (result->why) // the first reason is the best layout's
        free(why);
    else {
        result->why = why;
        result->file = base_strdup(file);
        result->line = line;
    }
}

// At its declaration, if there is one.
static void refuse(const struct repair *repair, struct repair_result *result, char *why) {
    const struct patch_array *array = result->array;
    refuse_at(result, why, array ? repair->files.data[array->text].name : NULL,
              array ? array->line : 0);
}

static const struct profile_layout *same_layout(const struct profile_cure *cure,
                                                const struct profile_layout *layout) {
    for (size_t i = 0; i < cure->layout_count; i++) {
        const struct profile_layout *other = &cure->layouts[i];
        if (other->kind == layout->kind && other->is_by_index == layout->is_by_index &&
            other->row == layout->row && other->pad == layout->pad && other->bits == layout->bits &&
            other->base == layout->base && other->shift == layout->shift)
            return other;
    }
    return NULL;
}

static uint64_t requests_of(const struct profile_launch *launch, const char *array,
                            uint64_t *wavefronts) {
    uint64_t requests = 0;
    for (size_t s = 0; s < launch->site_count; s++) {
        const struct profile_site *site = &launch->sites[s];
        if (site->space == SITE_SHARED && site->array && !strcmp(site->array, array)) {
            requests += site->counts.requests;
            *wavefronts += site->counts.units;
        }
    }
    return requests;
}

// What all launches of the kernel take in the layout, if all their blocks do what the first one
// does. False: some do not.
static bool foretell(const struct profile *profile, const struct target *target,
                     const struct profile_layout *layout, uint64_t *wavefronts) {
    *wavefronts = 0;
    for (size_t l = 0; l < profile->launch_count; l++) {
        const struct profile_launch *launch = &profile->launches[l];
        const struct profile_cure *cure = NULL;
        uint64_t taken = 0;
        const uint64_t requests = requests_of(launch, target->array, &taken);
        if (strcmp(launch->kernel, target->kernel) != 0 || !requests)
            continue;
        for (size_t c = 0; c < launch->cure_count; c++)
            if (!strcmp(launch->cures[c].array, target->array))
                cure = &launch->cures[c];
        const struct profile_layout *same = cure ? same_layout(cure, layout) : NULL;
        if (!same || requests % cure->requests ||
            taken != requests / cure->requests * cure->wavefronts)
            return false;
        *wavefronts += requests / cure->requests * same->wavefronts * launch->repeats;
    }
    return true;
}

static bool is_proved_free(const struct profile *profile, const struct target *target) {
    for (size_t l = 0; l < profile->launch_count; l++) {
        const struct profile_launch *launch = &profile->launches[l];
        if (strcmp(launch->kernel, target->kernel) != 0)
            continue;
        for (size_t s = 0; s < launch->site_count; s++) {
            const struct profile_site *site = &launch->sites[s];
            if (site->space == SITE_SHARED && text_is_same(site->array, target->array) &&
                !profile_is_proved_free(site))
                return false;
        }
    }
    return true;
}

// Holds what was measured against what it was before. NULL: it is a cure. Caller frees.
static char *judge(struct repair *repair, const struct target *target,
                   const struct profile_layout *layout, struct repair_result *result) {
    repair_counts before = {0}, after = {0};
    struct strbuf why = {0};
    uint64_t foretold = 0;
    repair_count_arrays(repair->before.profile, &before);
    repair_count_arrays(repair->after.profile, &after);
    const struct repair_count *old = repair_find_count(&before, target->kernel, target->array),
                              *new = repair_find_count(&after, target->kernel, target->array);
    result->wavefronts[0] = old->wavefronts;
    result->wavefronts[1] = new ? new->wavefronts : 0;
    result->ideal = new ? new->ideal : old->ideal;
    const bool can = foretell(repair->before.profile, target, layout, &foretold);
    result->is_foretold = can && new &&new->wavefronts == foretold;
    result->is_proved = is_proved_free(repair->after.profile, target);
    repair_weigh(repair, result);
    if (!new || 2 * (old->wavefronts - new->wavefronts) < old->wavefronts - old->ideal ||
        new->wavefronts > old->wavefronts)
        strbuf_printf(&why, "%llu wavefronts become %llu when all blocks run",
                      (number)old->wavefronts, (number)result->wavefronts[1]);
    else if (can && new->requests == old->requests &&new->wavefronts != foretold)
        strbuf_printf(&why, "%llu wavefronts were foretold, and it takes %llu", (number)foretold,
                      (number) new->wavefronts);
    vec_free(&before);
    vec_free(&after);
    return why.length ? strbuf_take(&why) : NULL;
}

static void say_bytes(const struct repair *repair, const struct target *target,
                      const struct profile_layout *layout, struct repair_result *result) {
    const struct profile_launch *launch = target->launch;
    const struct bankrun_limits *limits = bankrun_limits_of(repair->options->arch);
    const unsigned threads = launch->block[0] * launch->block[1] * launch->block[2];
    result->bytes[0] = target->cure->bytes;
    result->bytes[1] = layout->bytes;
    for (int i = 0; i < 2; i++)
        result->resident[i] =
            limits ? bankrun_occupancy(
                         limits, threads, 0,
                         (unsigned)(launch->shared_bytes + result->bytes[i] - result->bytes[0]))
                   : 0;
}

static void drop_edits(struct repair_file *file, size_t good) {
    while (file->edits.length > good)
        free(file->edits.data[--file->edits.length].text);
}

// What a kernel declares must fit without being asked for: ptxas refuses more.
static bool is_too_large(const struct repair *repair, const struct target *target,
                         const struct profile_layout *layout) {
    const uint64_t most = repair->options->arch < 20 ? 16384 : 49152;
    const uint64_t now = target->launch->shared_bytes, more = layout->bytes - target->cure->bytes;
    return !target->cure->is_dynamic && more && now <= most && now + more > most;
}

// Why the change cannot be made; of dynamic memory, what it would be for who launches it.
static char *problem_of(const char *problem, const struct patch_array *array,
                        const struct patch_change *change) {
    struct strbuf out = {0};
    strbuf_puts(&out, problem);
    if (array->is_dynamic && patch_is_padding(change)) {
        char *words = words_of(change);
        strbuf_printf(&out, "; %s where each launch gives %llu / %llu of the bytes", words,
                      (number)(change->row + change->pad), (number)change->row);
        free(words);
    }
    return strbuf_take(&out);
}

// Padding of dynamic memory needs all launches of its kernels, which are edited in one file alone.
static const char *launched_elsewhere(const struct repair *repair, const struct patch_array *array,
                                      const struct patch_change *change) {
    if (!array->is_dynamic || !patch_is_padding(change))
        return NULL;
    for (size_t n = 0; n < repair->files.length; n++)
        if (n != array->text && patch_names_kernel(&repair->files.data[n].source,
                                                   &repair->files.data[array->text].source, array))
            return "another file than its own names its kernel";
    return NULL;
}

// The edits so far and those of the change. False: bankrun itself failed.
static bool try_change(struct repair *repair, const struct target *target,
                       const struct profile_layout *layout, const struct patch_shape *shape,
                       const struct patch_change *change, struct repair_result *result) {
    const struct patch_array *array = result->array;
    struct repair_file *file = &repair->files.data[array->text];
    const size_t good = file->edits.length;
    const char *problem = launched_elsewhere(repair, array, change);
    if (!problem)
        problem = patch_make(&file->source, array, shape, change, &file->edits);
    if (!problem && is_too_large(repair, target, layout)) {
        problem = "with the padding it takes more than a kernel may declare";
        drop_edits(file, good);
    }
    if (problem) {
        refuse(repair, result, problem_of(problem, array, change));
        return true;
    }
    const bool is_run = repair_measure(repair, REPAIR_EDITED, &repair->after);
    char *why = is_run ? repair_difference(repair, result) : NULL;
    if (is_run && !why)
        why = judge(repair, target, layout, result);
    if (is_run && !why) {
        result->outcome = REPAIR_FIXED;
        result->layout = *layout;
        result->done = words_of(change);
        result->first_edit = good;
        result->edit_count = file->edits.length - good;
        say_bytes(repair, target, layout, result);
    } else {
        drop_edits(file, good);
        if (why)
            refuse(repair, result, why);
        repair_run_free(&repair->after);
    }
    return is_run;
}

// ---- One array ------------------------------------------------------------------------------

// Fewest wavefronts first; of as many, what is wanted, and then what takes an index the least.
static bool is_before(const struct repair *repair, const struct profile_layout *a,
                      const struct profile_layout *b) {
    const bool a_pads = a->kind == PROFILE_PAD, b_pads = b->kind == PROFILE_PAD;
    if (a->wavefronts != b->wavefronts)
        return a->wavefronts < b->wavefronts;
    if (a_pads != b_pads && repair->options->prefers != CLI_ANY_LAYOUT)
        return a_pads == (repair->options->prefers == CLI_PAD);
    if (a->operations != b->operations)
        return a->operations < b->operations;
    return a->bytes < b->bytes;
}

static bool try_layouts(struct repair *repair, const struct target *target,
                        const struct patch_shape *shape, struct repair_result *result) {
    enum { MOST = 32, TRIES = 4 };
    const struct profile_cure *cure = target->cure;
    const struct profile_layout *order[MOST];
    size_t count = 0;
    for (size_t i = 0; i < cure->layout_count && count < MOST; i++) {
        size_t at = count++;
        for (; at > 0 && is_before(repair, &cure->layouts[i], order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = &cure->layouts[i];
    }
    for (size_t i = 0, tries = 0; i < count && tries < TRIES; i++) {
        struct patch_change change;
        const unsigned runs = repair->runs;
        if (!change_of(cure, order[i], shape->element_bytes, &change))
            continue;
        if (!try_change(repair, target, order[i], shape, &change, result))
            return false;
        if (result->outcome == REPAIR_FIXED)
            return true;
        tries += repair->runs > runs;
    }
    if (!result->why)
        refuse(repair, result,
               base_strdup("no layout that cures it can be written for its elements"));
    return true;
}

static bool is_done(const struct repair *repair, const struct patch_array *array) {
    for (size_t i = 0; i < repair->results.length; i++)
        if (repair->results.data[i].array == array &&
            repair->results.data[i].outcome == REPAIR_FIXED)
            return true;
    return false;
}

static const char *why_none(const struct profile_cure *cure) {
    return cure->reason == PROFILE_ONE_ELEMENT
               ? "no padding and no swizzle cures it: lanes that update one element wait for each "
                 "other wherever it lies"
               : "no padding and no swizzle takes away half of its conflicts";
}

static bool mend(struct repair *repair, const struct target *target) {
    struct repair_result result = {.kernel = base_strdup(target->kernel),
                                   .name = base_strdup(target->array)};
    const struct repair_place *place = place_of(repair, target);
    const size_t n = place->number;
    struct patch_shape shape;
    bool is_good = true;
    result.array = n == SIZE_MAX ? NULL : &repair->arrays.data[n];
    result.wavefronts[0] = result.wavefronts[1] = target->cure->wavefronts;
    if (target->cure->layout_count == 0)
        refuse(repair, &result, base_strdup(why_none(target->cure)));
    else if (!result.array)
        refuse_at(&result, base_strdup(place->why), place->file, place->line);
    else if (result.array->problem)
        refuse_at(&result, base_strdup(result.array->problem),
                  repair->files.data[result.array->problem_text].name, result.array->problem_line);
    else if (target->cure->is_part)
        refuse(repair, &result,
               base_strdup("it is one of several arrays in a block of dynamic memory"));
    else if (!find_shape(repair, n, target->cure, &shape))
        refuse(repair, &result,
               base_strdup("its size is not what the compiler says of the declaration"));
    else
        is_good = try_layouts(repair, target, &shape, &result);
    if (result.outcome == REPAIR_FIXED) {
        repair_run_free(&repair->before);
        repair->before = repair->after;
        repair->after = (struct repair_run){0};
    }
    vec_push(&repair->results, result);
    return is_good;
}

// A cure may change what is worth trying next, so that targets are found anew.
bool repair_all(struct repair *repair) {
    find_places(repair);
    for (bool is_new = true; is_new;) {
        target_list targets = {0};
        is_new = false;
        find_targets(repair->before.profile, &targets);
        for (size_t i = 0; i < targets.length && !is_new; i++) {
            const struct target *target = &targets.data[i];
            const size_t n = place_of(repair, target)->number;
            bool is_known = n != SIZE_MAX && is_done(repair, &repair->arrays.data[n]);
            for (size_t r = 0; r < repair->results.length; r++)
                is_known |= !strcmp(repair->results.data[r].kernel, target->kernel) &&
                            !strcmp(repair->results.data[r].name, target->array);
            if (target->excess == 0 || is_known)
                continue;
            is_new = true;
            if (!mend(repair, target)) {
                vec_free(&targets);
                return false;
            }
        }
        vec_free(&targets);
    }
    return true;
}
