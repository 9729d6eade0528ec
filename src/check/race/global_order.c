// See global_order.h.
#include "check/race/global_order.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/map.h"

struct release {
    uint32_t domain, thread;
    uint32_t previous;             // in the same bucket: index + 1
    struct knowledge *fenced;      // what is released for sure; may be NULL
    struct knowledge *now;         // and of this, what its own thread has fenced; may be NULL
    struct clock_foreign *foreign; // what came with it
    bool is_narrow;                // reaches the same domain alone
    bool is_all;                   // its thread had read all the releases before it
};

// The releases of a word, in the order in which they took effect.
struct word {
    uint64_t address;
    VEC(struct release) releases;
    uint32_t *buckets; // by domain: index + 1 of the last one
    uint32_t bucket_count;
    struct clock_foreign *all; // its releases so far, if anybody read them; may be too few
    uint64_t seen;             // by which question
    uint32_t seen_length;
};

// What was read: the word's first `length` releases; or two of these.
struct clock_foreign {
    struct word *word;
    uint32_t length;
    struct clock_foreign *a, *b; // where `word` is NULL
    uint64_t seen;
};

struct fence {
    uint32_t warp_index, mask, time;
};

struct domain {
    uint32_t number;
    VEC(struct fence) fences; // beyond the block, in the order of time
};

struct global_order {
    struct clock_foreign_rules rules;
    struct arena *arena; // words, foreign, domains
    struct map words, domains;
    VEC(struct word *) word_list;
    VEC(struct domain *) domain_list;
    VEC(struct clock_foreign *) near, far; // of a question
    uint64_t question;
};

// ---- What is known of others ---------------------------------------------------------------

static struct clock_foreign *make(struct global_order *order, struct clock_foreign foreign) {
    struct clock_foreign *made = arena_alloc(order->arena, sizeof *made);
    *made = foreign;
    return made;
}

static bool includes(const struct clock_foreign *a, const struct clock_foreign *b) {
    if (a == b)
        return true;
    if (a->word)
        return a->word == b->word && a->length >= b->length;
    return a->a == b || a->b == b;
}

// What was read last stands in `b`, before that in `a`'s: whoever waits reads a few words again and
// again.
enum { MOST_BEFORE = 8 };

// The releases of the word that are among it, as far as that is cheap to see.
static uint32_t known_of(const struct clock_foreign *foreign, const struct word *word) {
    for (unsigned i = 0; foreign && i < MOST_BEFORE; i++, foreign = foreign->a) {
        if (foreign->word)
            return foreign->word == word ? foreign->length : 0;
        if (foreign->b->word == word)
            return foreign->b->length;
    }
    return 0;
}

// The same without what was read of the word, where it is among the last. NULL: nothing is left.
static struct clock_foreign *without(struct global_order *order, struct clock_foreign *foreign,
                                     const struct word *word, unsigned most) {
    if (foreign->word)
        return foreign->word == word ? NULL : foreign;
    if (foreign->b->word == word)
        return foreign->a;
    struct clock_foreign *rest = most ? without(order, foreign->a, word, most - 1) : foreign->a;
    if (rest == foreign->a)
        return foreign;
    return rest ? make(order, (struct clock_foreign){.a = rest, .b = foreign->b}) : foreign->b;
}

static struct clock_foreign *join(void *context, struct clock_foreign *a, struct clock_foreign *b) {
    if (includes(a, b))
        return a;
    if (includes(b, a))
        return b;
    if (b->word && b->length == b->word->releases.length)
        a = without(context, a, b->word, MOST_BEFORE);
    return a ? make(context, (struct clock_foreign){.a = a, .b = b}) : b;
}

// They live as long as the launch.
static void keep(struct clock_foreign *foreign) {
    (void)foreign;
}

struct global_order *global_order_create(void) {
    struct global_order *order = base_alloc(sizeof *order);
    order->arena = arena_create();
    order->rules = (struct clock_foreign_rules){join, keep, keep, order};
    return order;
}

static void free_word(struct word *word) {
    for (size_t i = 0; i < word->releases.length; i++) {
        knowledge_drop(word->releases.data[i].fenced);
        knowledge_drop(word->releases.data[i].now);
    }
    vec_free(&word->releases);
    free(word->buckets);
}

void global_order_free(struct global_order *order) {
    if (!order)
        return;
    for (size_t i = 0; i < order->word_list.length; i++)
        free_word(order->word_list.data[i]);
    for (size_t i = 0; i < order->domain_list.length; i++)
        vec_free(&order->domain_list.data[i]->fences);
    vec_free(&order->word_list);
    vec_free(&order->domain_list);
    vec_free(&order->near);
    vec_free(&order->far);
    map_free(&order->words);
    map_free(&order->domains);
    arena_destroy(order->arena);
    free(order);
}

const struct clock_foreign_rules *global_order_rules(struct global_order *order) {
    return &order->rules;
}

// ---- Fences --------------------------------------------------------------------------------

static struct domain *find_domain(const struct global_order *order, uint32_t number) {
    return map_get(&order->domains, (const char *)&number, sizeof number);
}

static struct domain *domain_of(struct global_order *order, uint32_t number) {
    struct domain *domain = find_domain(order, number);
    if (domain)
        return domain;
    domain = arena_alloc(order->arena, sizeof *domain);
    *domain = (struct domain){.number = number};
    map_put(&order->domains, (const char *)&domain->number, sizeof domain->number, domain);
    vec_push(&order->domain_list, domain);
    return domain;
}

void global_order_fence(struct global_order *order, const struct clock *clock, uint32_t domain,
                        uint32_t warp_index, uint32_t mask, enum event_scope scope) {
    if (scope < EVENT_GPU)
        return;
    struct fence fence = {warp_index, mask, clock_stamp(clock, warp_index)};
    vec_push(&domain_of(order, domain)->fences, fence);
}

// Whether the thread fenced what it did at `time` before `until`.
static bool has_fenced(const struct global_order *order, uint32_t domain, uint32_t thread,
                       uint32_t time, uint32_t until) {
    const struct domain *fences = find_domain(order, domain);
    for (size_t i = fences ? fences->fences.length : 0; i-- > 0;) {
        const struct fence *fence = &fences->fences.data[i];
        if (fence->time < time)
            return false;
        if (fence->time <= until && fence->warp_index == thread / WARP_LANES &&
            fence->mask >> thread % WARP_LANES & 1)
            return true;
    }
    return false;
}

// ---- Words ---------------------------------------------------------------------------------

static struct word *find_word(const struct global_order *order, uint64_t address) {
    return map_get(&order->words, (const char *)&address, sizeof address);
}

static struct word *word_of(struct global_order *order, uint64_t address) {
    struct word *word = find_word(order, address);
    if (word)
        return word;
    word = arena_alloc(order->arena, sizeof *word);
    *word = (struct word){.address = address};
    map_put(&order->words, (const char *)&word->address, sizeof word->address, word);
    vec_push(&order->word_list, word);
    return word;
}

static void enter(struct word *word, uint32_t index) {
    struct release *release = &word->releases.data[index];
    uint32_t *bucket = &word->buckets[release->domain & (word->bucket_count - 1)];
    release->previous = *bucket;
    *bucket = index + 1;
}

static void add_release(struct word *word, struct release release) {
    vec_push(&word->releases, release);
    const uint32_t length = (uint32_t)word->releases.length;
    if (length <= word->bucket_count) {
        enter(word, length - 1);
        return;
    }
    free(word->buckets);
    word->bucket_count = word->bucket_count ? 2 * word->bucket_count : 4;
    word->buckets = base_alloc(word->bucket_count * sizeof *word->buckets);
    for (uint32_t i = 0; i < length; i++)
        enter(word, i);
}

static bool is_release(enum event_order order) {
    return order == EVENT_RELEASE || order == EVENT_ACQ_REL || order == EVENT_SC;
}

void global_order_release(struct global_order *order, const struct global_visit *v) {
    const bool is_narrow = v->order != EVENT_WEAK && v->scope < EVENT_GPU;
    struct release release = {.domain = v->domain, .thread = v->thread, .is_narrow = is_narrow};
    if (is_release(v->order))
        release.fenced = clock_release(v->clock, v->thread);
    else
        release.fenced =
            clock_release_fenced(v->clock, v->thread, is_narrow ? EVENT_CTA : EVENT_GPU);
    if (v->order == EVENT_WEAK && !release.fenced)
        return;
    if (!is_release(v->order) && !is_narrow && find_domain(order, v->domain))
        release.now = clock_release(v->clock, v->thread);
    if (!release.fenced && !release.now)
        return;
    struct word *word = word_of(order, v->address);
    release.foreign = clock_foreign(v->clock, v->thread);
    release.is_all = known_of(release.foreign, word) == word->releases.length;
    add_release(word, release);
}

// What other threads of the domain released there, behind the first `known` releases.
static void acquire_own(struct word *word, const struct global_visit *v, uint32_t known) {
    if (!word->bucket_count)
        return;
    for (uint32_t i = word->buckets[v->domain & (word->bucket_count - 1)]; i > known;
         i = word->releases.data[i - 1].previous) {
        const struct release *release = &word->releases.data[i - 1];
        if (release->domain != v->domain)
            continue;
        if (release->thread != v->thread && release->fenced)
            clock_acquire(v->clock, v->thread, release->fenced);
        // Atomics of many threads on one word: each has what all before it released.
        if (release->is_all && (release->fenced || release->thread == v->thread))
            return;
    }
}

// One for all who read the same.
static struct clock_foreign *all_of(struct global_order *order, struct word *word) {
    const uint32_t length = (uint32_t)word->releases.length;
    if (!word->all || word->all->length != length)
        word->all = make(order, (struct clock_foreign){.word = word, .length = length});
    return word->all;
}

void global_order_acquire(struct global_order *order, const struct global_visit *v) {
    struct word *word = find_word(order, v->address);
    if (!word || !word->releases.length)
        return;
    const uint32_t known = known_of(clock_foreign(v->clock, v->thread), word);
    if (known == word->releases.length)
        return;
    acquire_own(word, v, known);
    if (v->scope < EVENT_GPU)
        return;
    struct knowledge *k = clock_foreign_knowledge(v->clock, all_of(order, word));
    clock_acquire(v->clock, v->thread, k);
    knowledge_drop(k);
}

bool global_order_is_flag(const struct global_order *order, uint64_t address,
                          const struct global_stamp *stamp) {
    const struct word *word = find_word(order, address & ~(uint64_t)(GLOBAL_WORD - 1));
    if (!word)
        word = find_word(order, address);
    for (uint32_t i = word && word->bucket_count
                          ? word->buckets[stamp->domain & (word->bucket_count - 1)]
                          : 0;
         i; i = word->releases.data[i - 1].previous)
        if (word->releases.data[i - 1].domain == stamp->domain &&
            word->releases.data[i - 1].thread == stamp->thread)
            return true;
    return false;
}

// ---- Questions -----------------------------------------------------------------------------

static bool tells_of(const struct global_order *order, const struct release *release,
                     const struct global_stamp *stamp) {
    if (release->domain != stamp->domain || release->is_narrow)
        return false;
    if (release->fenced && knowledge_of(release->fenced, stamp->thread) >= stamp->time)
        return true;
    const uint32_t known = release->now ? knowledge_of(release->now, stamp->thread) : 0;
    return known >= stamp->time &&
           has_fenced(order, stamp->domain, stamp->thread, stamp->time, known);
}

static bool word_tells_of(const struct global_order *order, const struct word *word,
                          uint32_t length, const struct global_stamp *stamp) {
    for (uint32_t i = word->buckets[stamp->domain & (word->bucket_count - 1)]; i;
         i = word->releases.data[i - 1].previous)
        if (i <= length && tells_of(order, &word->releases.data[i - 1], stamp))
            return true;
    return false;
}

// What came with releases that were not looked at for this question is looked at later.
static void look_further(struct global_order *order, struct word *word, uint32_t length) {
    uint32_t first = word->seen == order->question ? word->seen_length : 0;
    word->seen = order->question;
    word->seen_length = first > length ? first : length;
    for (uint32_t i = first; i < length; i++)
        if (word->releases.data[i].foreign && !word->releases.data[i].is_narrow)
            vec_push(&order->far, word->releases.data[i].foreign);
}

static struct clock_foreign *next_of(struct global_order *order) {
    if (order->near.length)
        return order->near.data[--order->near.length];
    return order->far.length ? order->far.data[--order->far.length] : NULL;
}

bool global_order_knows(struct global_order *order, const struct clock *clock, uint32_t thread,
                        const struct global_stamp *stamp) {
    struct clock_foreign *foreign = clock_foreign(clock, thread);
    order->near.length = order->far.length = 0;
    order->question++;
    for (; foreign; foreign = next_of(order)) {
        if (foreign->seen == order->question)
            continue;
        foreign->seen = order->question;
        if (foreign->word && word_tells_of(order, foreign->word, foreign->length, stamp))
            return true;
        if (foreign->word) {
            look_further(order, foreign->word, foreign->length);
        } else {
            vec_push(&order->near, foreign->a);
            vec_push(&order->near, foreign->b);
        }
    }
    return false;
}
