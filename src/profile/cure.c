// What would cure an array's conflicts: the layouts of src/fix, tried on all that the first block
// asks of it, in words.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/strbuf.h"
#include "fix/search.h"
#include "profile/recorder.h"

typedef unsigned long long number;

// Rows are looked for among the distances of lanes; few of them are rows, and hardly
// any are shorter.
enum { LEAST_ROW = 32, MOST_STRIDES = 64, MOST_ROWS = 6, MOST_REQUESTS = 4096, MOST_KEPT = 4096 };

typedef VEC(struct fix_request) request_list;

struct array {
    const struct profile_recorder *recorder;
    const struct ir_variable *variable;
    struct fix_array shape;
    request_list requests;
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
    for (uint32_t s = 0; s < recorder->site_count; s++)
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
    return array->requests.length > 0 && array->requests.length <= MOST_REQUESTS;
}

// ---- Its rows -------------------------------------------------------------------------------

struct stride {
    uint64_t bytes, weight;
};

static int by_weight(const void *a, const void *b) {
    const struct stride *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

static void add_stride(struct stride *strides, unsigned *count, uint64_t bytes, uint64_t weight) {
    for (unsigned i = 0; i < *count; i++)
        if (strides[i].bytes == bytes) {
            strides[i].weight += weight;
            return;
        }
    if (*count < MOST_STRIDES)
        strides[(*count)++] = (struct stride){bytes, weight};
}

// Between lanes that are 1, 2, 4, 8 and 16 apart: rows may begin with any of them.
static void add_strides(const struct array *array, const struct fix_request *request,
                        struct stride *strides, unsigned *count) {
    const struct fix_array *shape = &array->shape;
    const uint32_t *offsets = request->banks.offsets, mask = request->banks.mask;
    for (unsigned gap = 1; gap < BANKRUN_LANES; gap *= 2)
        for (unsigned l = 0; l + gap < BANKRUN_LANES; l += gap) {
            const uint32_t a = offsets[l], b = offsets[l + gap];
            const uint64_t bytes = a < b ? b - a : a - b;
            if ((mask >> l & 1) && (mask >> (l + gap) & 1) && bytes > request->banks.width &&
                bytes >= LEAST_ROW && bytes % shape->element_bytes == 0 &&
                2 * bytes <= shape->bytes)
                add_stride(strides, count, bytes, request->count);
        }
}

static void find_rows(struct array *array) {
    struct stride strides[MOST_STRIDES];
    unsigned count = 0;
    for (size_t r = 0; r < array->requests.length; r++)
        add_strides(array, &array->requests.data[r], strides, &count);
    qsort(strides, count, sizeof *strides, by_weight);
    for (unsigned i = 0; i < count && i < MOST_ROWS; i++)
        fix_add_rows(&array->shape,
                     (struct fix_rows){strides[i].bytes, array->shape.element_bytes, 0});
    fix_add_index_rows(&array->shape);
}

static void find_shape(struct array *array) {
    const struct ptx_variable *ptx = array->variable->ptx;
    unsigned least = BANKRUN_LANES;
    for (size_t r = 0; r < array->requests.length; r++)
        if (array->requests.data[r].banks.width < least)
            least = array->requests.data[r].banks.width;
    array->shape.bytes = ptx->is_unsized ? array->recorder->info.dynamic_shared_bytes : ptx->bytes;
    array->shape.element_bytes = least;
    find_rows(array);
}

// ---- What it may take -----------------------------------------------------------------------

// A search must not take long beside what a program runs: some looks at requests are free, and so
// is one for so many instructions, which take a third of its time each.
enum { FREE_STEPS = 2000000, INSTRUCTIONS_A_STEP = 32 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t steps, instructions;

static bool may_search(uint64_t more) {
    pthread_mutex_lock(&lock);
    const bool may = steps + more <= FREE_STEPS + instructions / INSTRUCTIONS_A_STEP;
    steps += may ? more : 0;
    pthread_mutex_unlock(&lock);
    return may;
}

// ---- In words -------------------------------------------------------------------------------

static void put_outcome(struct strbuf *out, const struct fix_answer *as_is,
                        const struct fix_answer *answer) {
    if (answer->total.wavefronts == answer->total.ideal)
        strbuf_puts(out, ": no conflicts");
    else
        strbuf_printf(out, ": %llu wavefronts for %llu", (number)answer->total.wavefronts,
                      (number)as_is->total.wavefronts);
    if (answer->bytes > as_is->bytes)
        strbuf_printf(out, ", %llu bytes more", (number)(answer->bytes - as_is->bytes));
}

static void put_layout(struct strbuf *out, unsigned element, const struct fix_answer *answer) {
    const struct fix_layout *layout = &answer->layout;
    const unsigned shift = (unsigned)__builtin_ctz(element);
    if (layout->kind == FIX_SWIZZLE) {
        strbuf_printf(out, "index it by i ^ (i >> %u & %llu)", layout->shift - shift,
                      ((number)1 << layout->bits) - 1);
        if (layout->base > shift)
            strbuf_printf(out, " << %u", layout->base - shift);
    } else if (answer->operations) {
        strbuf_printf(out, "index it by i + i / %u", layout->pitch / element);
        if (layout->pad > element)
            strbuf_printf(out, " * %u", layout->pad / element);
    } else {
        strbuf_printf(out, "pad rows of %u elements to %u", layout->pitch / element,
                      (layout->pitch + layout->pad) / element);
    }
}

// What takes away less than half of the excess is no cure: it may suit these requests by chance.
enum { LEAST_GAIN = 50 };

// The best that is padded, or swizzled; NULL: none is a cure.
static const struct fix_answer *best_of(const fix_answers *answers, enum fix_kind kind) {
    for (size_t i = 1; i < answers->length; i++)
        if (answers->data[i].layout.kind == kind)
            return &answers->data[i];
    return NULL;
}

static bool has_atomic(const struct array *array) {
    for (size_t r = 0; r < array->requests.length; r++)
        if (fix_is_atomic(&array->requests.data[r]))
            return true;
    return false;
}

static void put_none(struct strbuf *out, const struct array *array) {
    strbuf_puts(out, "no row padding and no XOR swizzle takes away half of the conflicts");
    if (has_atomic(array))
        strbuf_puts(out,
                    "\nlanes that update one element wait for each other wherever it lies: add "
                    "up in registers or with shuffles first, or give each warp a copy");
}

static void put_cures(struct strbuf *out, const struct array *array, const fix_answers *answers) {
    const struct fix_answer *as_is = &answers->data[0];
    const struct fix_answer *best[] = {best_of(answers, FIX_PAD), best_of(answers, FIX_SWIZZLE)};
    if (!best[0] && !best[1])
        put_none(out, array);
    for (int i = 0; i < 2; i++) {
        if (!best[i])
            continue;
        strbuf_puts(out, i && best[0] ? "\nor " : "");
        put_layout(out, array->shape.element_bytes, best[i]);
        put_outcome(out, as_is, best[i]);
    }
}

static char *describe(struct array *array) {
    struct strbuf out = {0};
    fix_answers answers = {0};
    const struct fix_problem problem = {.arch = array->recorder->info.arch,
                                        .array = array->shape,
                                        .requests = array->requests.data,
                                        .request_count = array->requests.length,
                                        .site_count = 1,
                                        .least_gain = LEAST_GAIN};
    if (array->recorder->info.likeness && !may_search(fix_steps(&problem)))
        return NULL;
    const bool has_cost = fix_search(&problem, &answers);
    if (has_cost && answers.data[0].total.wavefronts > answers.data[0].total.ideal) {
        put_cures(&out, array, &answers);
        strbuf_printf(&out,
                      "\ntried on what block 0 asks of it (%llu requests, elements of %u byte%s)",
                      (number)answers.data[0].total.requests, array->shape.element_bytes,
                      array->shape.element_bytes > 1 ? "s" : "");
    }
    char *text = out.length ? base_strdup(strbuf_string(&out)) : NULL;
    strbuf_free(&out);
    fix_answers_free(&answers);
    return text;
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
    char *text; // NULL: there is nothing to cure
};

// Call with the lock.
static void keep(struct key key, const char *text) {
    if (kept.count >= MOST_KEPT || map_get(&kept, (const char *)&key, sizeof key))
        return;
    struct kept_cure *cure = base_alloc(sizeof *cure);
    *cure = (struct kept_cure){key, base_strdup(text)};
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

char *profile_cure(const struct profile_recorder *recorder, const struct ir_variable *variable) {
    const struct key key = {recorder->info.likeness, variable};
    struct array array = {.recorder = recorder, .variable = variable};
    char *text = NULL;
    if (!variable)
        return NULL;
    pthread_mutex_lock(&lock);
    const struct kept_cure *known = map_get(&kept, (const char *)&key, sizeof key);
    if (known)
        text = base_strdup(known->text);
    pthread_mutex_unlock(&lock);
    if (known || !recorder->asks)
        return text;
    if (!ir_has_async_products(recorder->info.kernel) && collect(&array)) {
        find_shape(&array);
        text = describe(&array);
    }
    vec_free(&array.requests);
    pthread_mutex_lock(&lock);
    if (key.likeness)
        keep(key, text);
    pthread_mutex_unlock(&lock);
    return text;
}
