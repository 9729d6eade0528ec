// What would cure an array's conflicts: the layouts of src/fix, tried on all that the first block
// asks of it.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "fix/rows.h"
#include "profile/declared.h"
#include "profile/recorder.h"

enum { MOST_REQUESTS = 4096, MOST_KEPT = 4096 };

typedef VEC(struct fix_request) request_list;

struct array {
    const struct profile_recorder *recorder;
    const struct ir_variable *variable;
    struct fix_array shape;
    request_list requests;
    VEC(const struct recorded_site *) sites; // that make them
};

// ---- What is asked of it --------------------------------------------------------------------

static void add_requests(struct array *array, const struct counter *counter) {
    const struct profile_request *asked = &counter->rule->request;
    for (size_t i = 0; i < counter->asked.requests.length; i++) {
        const struct asked_request *request = &counter->asked.requests.data[i];
        vec_push(&array->requests, (struct fix_request){.banks = profile_bank_request(
                                                            asked, request->mask, request->offsets),
                                                        .count = request->count});
    }
}

// False: some access of it is of a kind that no other layout may be under.
static bool collect(struct array *array) {
    const struct profile_recorder *recorder = array->recorder;
    for (uint32_t s = 0; s < recorder->site_count; s++) {
        const size_t before = array->requests.length;
        for (unsigned w = 0; w < recorder->info.workers; w++) {
            const struct recorder_worker *worker = recorder->workers[w];
            const struct counter *counter = worker ? worker->counters[s][SITE_SHARED] : NULL;
            for (; counter; counter = counter->next) {
                if (counter->array != array->variable)
                    continue;
                if (counter->is_immobile || counter->rule->is_estimate)
                    return false;
                add_requests(array, counter);
            }
        }
        if (array->requests.length > before)
            vec_push(&array->sites, &recorder->sites[s]);
    }
    return array->requests.length > 0 && array->requests.length <= MOST_REQUESTS;
}

// ---- Its shape ------------------------------------------------------------------------------

static void find_shape(struct array *array) {
    const struct ptx_variable *ptx = array->variable->ptx;
    unsigned least = BANKRUN_LANES;
    for (size_t r = 0; r < array->requests.length; r++)
        if (array->requests.data[r].banks.width < least)
            least = array->requests.data[r].banks.width;
    array->shape.bytes = ptx->is_unsized ? array->recorder->info.dynamic_shared_bytes : ptx->bytes;
    array->shape.element_bytes = least;
}

// Where the source was looked at, rows are those that it declares.
static void add_declared_rows(const struct array *array, struct fix_array *shape) {
    if (!profile_knows_rows())
        return;
    char *name = profile_array_name(array->variable->ptx->name);
    struct profile_rows rows;
    for (unsigned n = 0; profile_declared_rows(name, shape->bytes, n, &rows); n++)
        fix_add_rows(shape, (struct fix_rows){rows.row_bytes, rows.element_bytes, 0});
    shape->knows_rows = true;
    free(name);
}

// ---- What it may take -----------------------------------------------------------------------

// A search must not take long beside what a program runs: some looks at requests are free, and so
// is one for so many instructions, which take a third of its time each.
enum { FREE_STEPS = 2000000, INSTRUCTIONS_A_STEP = 32 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t steps, instructions;

static bool may_search(uint64_t more) {
    pthread_mutex_lock(&lock);
    const bool may =
        profile_knows_rows() || steps + more <= FREE_STEPS + instructions / INSTRUCTIONS_A_STEP;
    steps += may ? more : 0;
    pthread_mutex_unlock(&lock);
    return may;
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
    if (layout->kind == FIX_SWIZZLE) {
        found.kind = PROFILE_SWIZZLE;
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

static void add_layouts(const struct array *array, const fix_answers *answers,
                        struct profile_cure *cure) {
    cure->layouts = base_alloc((answers->length + 1) * sizeof *cure->layouts);
    for (size_t i = 1; i < answers->length; i++)
        cure->layouts[cure->layout_count++] =
            layout_of(array->shape.element_bytes, &answers->data[i]);
    add_by_index(cure);
}

static bool has_atomic(const struct array *array) {
    for (size_t r = 0; r < array->requests.length; r++)
        if (fix_is_atomic(&array->requests.data[r]))
            return true;
    return false;
}

static int by_place(const void *a, const void *b) {
    const struct profile_cure_line *x = a, *y = b;
    const int order = x->file && y->file ? strcmp(x->file, y->file) : !x->file - !y->file;
    return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

static void add_lines(const struct array *array, struct profile_cure *cure) {
    cure->lines = base_alloc((array->sites.length + 1) * sizeof *cure->lines);
    for (size_t i = 0; i < array->sites.length; i++) {
        struct profile_site site = {0};
        profile_describe_site(array->sites.data[i], NULL, &site);
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

static void fill(const struct array *array, const fix_answers *answers, struct profile_cure *cure) {
    const struct fix_cost *as_is = &answers->data[0].total;
    *cure = (struct profile_cure){.array = profile_array_name(array->variable->name),
                                  .is_dynamic = array->variable->ptx->is_unsized,
                                  .bytes = array->shape.bytes,
                                  .element_bytes = array->shape.element_bytes,
                                  .requests = as_is->requests,
                                  .wavefronts = as_is->wavefronts,
                                  .ideal = as_is->ideal};
    add_layouts(array, answers, cure);
    add_lines(array, cure);
    if (cure->layout_count == 0)
        cure->reason = has_atomic(array) ? PROFILE_ONE_ELEMENT : PROFILE_NO_LAYOUT;
}

// False: there is nothing to cure, or no time for a search.
static bool search(const struct array *array, struct profile_cure *cure) {
    fix_answers answers = {0};
    struct fix_problem problem = {.arch = array->recorder->info.arch,
                                  .array = array->shape,
                                  .requests = array->requests.data,
                                  .request_count = array->requests.length,
                                  .site_count = 1,
                                  .least_gain = LEAST_GAIN};
    add_declared_rows(array, &problem.array);
    fix_find_rows(&problem);
    if (array->recorder->info.likeness && !may_search(fix_steps(&problem)))
        return false;
    const bool is_found = fix_search(&problem, &answers) &&
                          answers.data[0].total.wavefronts > answers.data[0].total.ideal;
    if (is_found)
        fill(array, &answers, cure);
    fix_answers_free(&answers);
    return is_found;
}

// ---- What is known already ------------------------------------------------------------------

// A search takes as long as a small launch, and to keep what one asks is no less: it is done for
// the first of launches that are alike.
static struct map kept; // struct key -> struct kept_cure

struct key {
    uint64_t likeness;
    const struct ir_variable *variable; // NULL: the launch itself, whose block 0 was asked
};

struct kept_cure {
    struct key key;
    bool is_found; // else there is nothing to cure
    struct profile_cure cure;
};

// Call with the lock. `found`: NULL: there is nothing to cure.
static void keep(struct key key, const struct profile_cure *found) {
    if (kept.count >= MOST_KEPT || map_get(&kept, (const char *)&key, sizeof key))
        return;
    struct kept_cure *cure = base_alloc(sizeof *cure);
    *cure = (struct kept_cure){.key = key, .is_found = found};
    if (found)
        cure->cure = profile_copy_cure(found);
    map_put(&kept, (const char *)&cure->key, sizeof cure->key, cure);
}

bool profile_asks(const struct profile_launch_info *info) {
    const struct key key = {info->likeness, NULL};
    pthread_mutex_lock(&lock);
    const bool is_known = info->likeness && (map_get(&kept, (const char *)&key, sizeof key) ||
                                             kept.count >= MOST_KEPT);
    pthread_mutex_unlock(&lock);
    return !is_known;
}

void profile_ran(uint64_t count) {
    pthread_mutex_lock(&lock);
    instructions += count;
    pthread_mutex_unlock(&lock);
}

void profile_asked(const struct profile_recorder *recorder) {
    pthread_mutex_lock(&lock);
    if (recorder->info.likeness && recorder->asks)
        keep((struct key){recorder->info.likeness, NULL}, NULL);
    pthread_mutex_unlock(&lock);
}

// What was found for a launch that is alike. False: nobody looked.
static bool recall(struct key key, bool *is_found, struct profile_cure *cure) {
    pthread_mutex_lock(&lock);
    const struct kept_cure *known = map_get(&kept, (const char *)&key, sizeof key);
    *is_found = known && known->is_found;
    if (*is_found)
        *cure = profile_copy_cure(&known->cure);
    pthread_mutex_unlock(&lock);
    return known;
}

bool profile_find_cure(const struct profile_recorder *recorder, const struct ir_variable *variable,
                       struct profile_cure *cure) {
    const struct key key = {recorder->info.likeness, variable};
    struct array array = {.recorder = recorder, .variable = variable};
    bool is_found = false;
    if (!variable || recall(key, &is_found, cure) || !recorder->asks)
        return is_found;
    if (!ir_has_async_products(recorder->info.kernel) && collect(&array)) {
        find_shape(&array);
        is_found = search(&array, cure);
    }
    vec_free(&array.requests);
    vec_free(&array.sites);
    pthread_mutex_lock(&lock);
    if (key.likeness)
        keep(key, is_found ? cure : NULL);
    pthread_mutex_unlock(&lock);
    return is_found;
}
