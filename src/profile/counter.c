// Counting of one site's requests on one array. See counter.h.
#include "profile/counter.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "banks/warp.h"
#include "base/alloc.h"
#include "profile/key.h"
#include "profile/recorder.h"

// Most sites have one pattern or two; few have more than a handful that come back.
enum { FEW_BITS = 2, MANY_BITS = 6, MANY_EVICTIONS = 32 };

// Looking for a pattern costs more than counting it. Where a large table misses more often than
// every fourth time, the next requests are counted without one, and twice as many where that is so
// again; then it gets another chance.
enum { WINDOW = 64, UNREMEMBERED = 1 << 13, MOST_UNREMEMBERED = 1 << 16 };

static struct pattern *create_patterns(unsigned bits) {
    return base_alloc_aligned(64, sizeof(struct pattern) << bits);
}

// Requests that may become the worst one's place are told, and those of the first block.
static void tell_since(struct counter *counter) {
    const uint64_t worst =
        counter->worst.degree ? event_warp_number(counter->worst.linear, counter->worst.warp) : 0;
    const uint64_t asked = counter->is_asked ? 0 : event_warp_number(1, 0);
    counter->memo.since = worst > asked ? worst : asked;
}

static bool is_by_words(const struct counter_rule *rule) {
    const struct bankrun_request full = profile_bank_request(&rule->request, UINT32_MAX, NULL);
    return rule->space == SITE_SHARED && !rule->is_estimate &&
           bankrun_is_by_words(rule->arch, full.access, full.width);
}

struct counter *counter_create(const struct counter_rule *rule, bool asks) {
    struct counter *counter = base_alloc_aligned(64, sizeof *counter);
    counter->rule = rule;
    counter->pattern_bits = FEW_BITS;
    counter->patterns = create_patterns(FEW_BITS);
    counter->memo.keep = rule->keep;
    counter->is_asked = !asks;
    if (is_by_words(rule))
        counter->memo.by_degree.find = bankrun_most_words;
    tell_since(counter);
    return counter;
}

void counter_free(struct counter *counter) {
    vec_free(&counter->asked.requests);
    free(counter->scaled);
    free(counter->patterns);
    free(counter);
}

// What was counted in a place of the memo belongs to the pattern behind it.
static void fold(struct counter *counter, struct event_memo_place *place) {
    struct pattern *pattern = counter->in_memo[place - counter->memo.places];
    if (pattern)
        pattern->repeats += place->repeats;
    place->repeats = 0;
}

static void flush_pattern(struct counter *counter, struct pattern *pattern) {
    counter->counts.requests += pattern->repeats;
    counter->counts.units += pattern->repeats * pattern->units;
    counter->counts.ideal += pattern->repeats * pattern->ideal;
    counter->degrees[pattern->degree] += pattern->repeats;
    pattern->repeats = 0;
}

// The same for a shape.
static void fold_shape(struct counter *counter, unsigned s) {
    if (counter->in_shapes[s])
        counter->in_shapes[s]->repeats += counter->memo.shapes[s].repeats;
    counter->memo.shapes[s].repeats = 0;
}

static void forget_shape(struct counter *counter, unsigned s) {
    fold_shape(counter, s);
    counter->in_shapes[s] = NULL;
    counter->memo.shapes[s].shape.mask = 0;
    counter->memo.version++;
}

static void fold_once(struct counter *counter) {
    if (counter->in_once)
        counter->in_once->repeats += counter->memo.once.repeats;
    counter->memo.once.repeats = 0;
}

static void forget_once(struct counter *counter) {
    fold_once(counter);
    counter->in_once = NULL;
    counter->memo.once.is_known = false;
    counter->memo.version++;
}

static void fold_degrees(struct counter *counter) {
    for (uint32_t degree = 1; degree <= WARP_LANES; degree++) {
        const uint64_t repeats = counter->memo.by_degree.repeats[degree];
        counter->counts.requests += repeats;
        counter->counts.units += repeats * degree;
        counter->counts.ideal += repeats;
        counter->degrees[degree] += repeats;
        counter->memo.by_degree.repeats[degree] = 0;
    }
}

void counter_flush(struct counter *counter) {
    fold_degrees(counter);
    for (unsigned s = 0; s < EVENT_MEMO_SHAPES; s++)
        fold_shape(counter, s);
    fold_once(counter);
    for (int i = 0; i < EVENT_MEMO_PLACES; i++)
        fold(counter, &counter->memo.places[i]);
    for (size_t i = 0; i < (size_t)1 << counter->pattern_bits; i++)
        flush_pattern(counter, &counter->patterns[i]);
}

void counter_scale(struct counter *counter, uint64_t times) {
    counter_flush(counter);
    if (!counter->scaled)
        counter->scaled = base_alloc(sizeof *counter->scaled);
    struct counter_scaled *to = counter->scaled;
    const struct profile_counts *now = &counter->counts;
    to->counts.requests += times * (now->requests - to->then.requests);
    to->counts.units += times * (now->units - to->then.units);
    to->counts.ideal += times * (now->ideal - to->then.ideal);
    to->then = *now;
    for (int degree = 0; degree <= PROFILE_MAX_DEGREE; degree++) {
        to->degrees[degree] += times * (counter->degrees[degree] - to->degrees_then[degree]);
        to->degrees_then[degree] = counter->degrees[degree];
    }
}

static void grow(struct counter *counter) {
    counter_flush(counter);
    for (unsigned s = 0; s < EVENT_MEMO_SHAPES; s++)
        forget_shape(counter, s);
    forget_once(counter);
    free(counter->patterns);
    counter->pattern_bits = MANY_BITS;
    counter->patterns = create_patterns(MANY_BITS);
    counter->last = NULL;
    memset(counter->memo.places, 0, sizeof counter->memo.places);
    memset(counter->in_memo, 0, sizeof counter->in_memo);
    counter->evictions = 0;
    counter->requests_then = counter->counts.requests;
}

// After a window of evictions from the large table: are patterns worth remembering?
static void judge(struct counter *counter) {
    counter_flush(counter);
    if (counter->counts.requests - counter->requests_then >= 4 * WINDOW)
        counter->unremembered = 0;
    else if (counter->unremembered < MOST_UNREMEMBERED)
        counter->unremembered = counter->unremembered ? 2 * counter->unremembered : UNREMEMBERED;
    counter->memo.by_degree.left = counter->unremembered;
    counter->requests_then = counter->counts.requests;
    counter->evictions = 0;
}

static inline bool remembers(struct counter *counter) {
    if (counter->memo.by_degree.left == 0)
        return true;
    if (--counter->memo.by_degree.left == 0) {
        fold_degrees(counter);
        counter->requests_then = counter->counts.requests;
    }
    return false;
}

// ---- Requests to show -----------------------------------------------------------------------

bool candidate_precedes(const struct candidate *a, const struct candidate *b) {
    if (a->degree != b->degree)
        return a->degree > b->degree;
    return a->linear != b->linear ? a->linear < b->linear : a->warp < b->warp;
}

// ---- The cost of a new pattern --------------------------------------------------------------

static void cost_of_shared(const struct counter_rule *rule, uint32_t mask, const uint32_t *offsets,
                           struct pattern *pattern) {
    struct bankrun_request request = profile_bank_request(&rule->request, mask, offsets);
    struct bankrun_cost cost = {0};
    enum bankrun_status status = bankrun_count(rule->arch, &request, &cost);
    // Sites have widths that their access allows, and the simulator faults misaligned accesses.
    assert(status == BANKRUN_OK);
    (void)status;
    pattern->units = cost.wavefronts;
    pattern->ideal = cost.ideal;
    pattern->degree = cost.degree < PROFILE_MAX_DEGREE ? cost.degree : PROFILE_MAX_DEGREE;
    pattern->is_estimate =
        rule->is_estimate || cost.certainty == BANKRUN_UNKNOWN || cost.min != cost.max;
}

// Only what is in vain is worth showing. Most requests are known by their sectors not to be shown.
static bool may_show(const struct counter *counter, uint32_t sectors, uint32_t ideal) {
    return sectors != ideal && sectors >= counter->worst.degree;
}

static void show_global(struct counter *counter, const struct event_shape *shape,
                        uint32_t sectors) {
    struct candidate found = {.degree = sectors, .linear = key_hash(shape), .mask = shape->mask};
    if (!candidate_precedes(&found, &counter->worst))
        return;
    memcpy(found.offsets, shape->lanes, sizeof found.offsets);
    counter->worst = found;
}

static void cost_of_global(const struct counter_rule *rule, struct pattern *pattern) {
    uint64_t addresses[WARP_LANES];
    // Lanes may lie below the first active one; a distant origin keeps all of them positive.
    for (int l = 0; l < WARP_LANES; l++)
        addresses[l] = (1ull << 40) + (uint64_t)(int64_t)(int32_t)pattern->key.lanes[l];
    bankrun_sectors(pattern->key.mask, rule->request.width, addresses, &pattern->units,
                    &pattern->ideal);
}

// ---- Finding a pattern ----------------------------------------------------------------------

// A pattern leaves the table.
static void forget(struct counter *counter, const struct pattern *pattern) {
    struct event_memo_place *place = event_memo_place(&counter->memo, pattern->tag);
    struct pattern **known = &counter->in_memo[place - counter->memo.places];
    for (unsigned s = 0; s < EVENT_MEMO_SHAPES; s++)
        if (counter->in_shapes[s] == pattern)
            forget_shape(counter, s);
    if (counter->in_once == pattern)
        forget_once(counter);
    if (*known != pattern)
        return;
    fold(counter, place);
    place->tag = 0;
    *known = NULL;
    counter->memo.version++;
}

// Not the last one, nor its follower: asks the table, or counts the pattern and remembers it.
static struct pattern *look_up(struct counter *counter, const struct event_shape *key) {
    if (counter->evictions > MANY_EVICTIONS && counter->pattern_bits == FEW_BITS)
        grow(counter);
    struct pattern *found = &counter->patterns[key_place(key, counter->pattern_bits)];
    if (event_shape_equal(&found->key, key))
        return found;
    if (found->key.mask != 0) {
        forget(counter, found);
        flush_pattern(counter, found);
        if (++counter->evictions > WINDOW)
            judge(counter);
    }
    *found = (struct pattern){.key = *key};
    if (counter->rule->space == SITE_SHARED)
        cost_of_shared(counter->rule, key->mask, key->lanes, found);
    else {
        cost_of_global(counter->rule, found);
        if (may_show(counter, found->units, found->ideal))
            show_global(counter, key, found->units);
    }
    counter->is_estimate |= found->is_estimate;
    return found;
}

static inline struct pattern *find(struct counter *counter, const struct event_shape *key) {
    struct pattern *last = counter->last;
    if (last) {
        if (event_shape_equal(&last->key, key))
            return last;
        if (last->follower && event_shape_equal(&last->follower->key, key))
            return counter->last = last->follower;
    }
    struct pattern *found = look_up(counter, key);
    if (counter->last) // else the table has just grown
        counter->last->follower = found;
    return counter->last = found;
}

// What is counted may be wider than what was written (compiled/stream.h), and then more lanes would
// take more.
static inline bool is_once(const struct counter *counter, const struct pattern *pattern) {
    enum { WORD = 4 };
    const uint32_t mask = pattern->key.mask;
    if (pattern->units != 1 || pattern->ideal != 1 || pattern->is_estimate)
        return false;
    return counter->rule->space == SITE_SHARED
               ? pattern->degree == 1 && counter->rule->request.width <= WORD
               : (mask & (mask - 1)) == 0;
}

// A request that comes a second time need not be told any more, nor one that stands for others.
static void remember_shape(struct counter *counter, struct pattern *pattern) {
    if (!counter->in_once && is_once(counter, pattern)) {
        counter->in_once = pattern;
        counter->memo.once.is_known = true;
        counter->memo.version++;
    }
    if (!pattern->repeats)
        return;
    for (unsigned s = 0; s < EVENT_MEMO_SHAPES; s++)
        if (counter->in_shapes[s] == pattern)
            return;
    const unsigned place = counter->next_shape++ % EVENT_MEMO_SHAPES;
    forget_shape(counter, place);
    counter->in_shapes[place] = pattern;
    counter->memo.shapes[place].shape = pattern->key;
}

// ---- Events ---------------------------------------------------------------------------------

static void keep_candidate(struct candidate *worst, uint32_t degree, uint64_t linear, uint32_t mask,
                           const struct event_access *event) {
    worst->degree = degree;
    worst->linear = linear;
    worst->warp = event->warp;
    worst->mask = mask;
    memcpy(worst->block, event->block, sizeof worst->block);
    for (int l = 0; l < WARP_LANES; l++)
        worst->offsets[l] = mask >> l & 1 ? event->offsets[l] : 0;
}

static inline void compare_with_worst(struct counter *counter, uint32_t degree, uint32_t mask,
                                      const struct event_access *event) {
    struct candidate *worst = &counter->worst;
    if (degree < worst->degree)
        return;
    const uint32_t *grid = counter->rule->grid, *block = event->block;
    uint64_t linear = block[0] + grid[0] * (block[1] + (uint64_t)grid[1] * block[2]);
    if (degree > worst->degree || linear < worst->linear ||
        (linear == worst->linear && event->warp < worst->warp)) {
        keep_candidate(worst, degree, linear, mask, event);
        counter->memo.by_degree.most = degree;
        tell_since(counter);
    }
}

// NULL: not known, or of another kind.
static inline struct pattern *find_known(struct counter *counter, uint32_t tag) {
    const struct event_memo_place *place = event_memo_place(&counter->memo, tag);
    return tag && place->tag == tag ? counter->in_memo[place - counter->memo.places] : NULL;
}

static inline void remember(struct counter *counter, struct pattern *pattern, uint32_t tag) {
    if (!tag)
        return;
    struct event_memo_place *place = event_memo_place(&counter->memo, tag);
    fold(counter, place);
    counter->memo.version += counter->in_memo[place - counter->memo.places] != pattern;
    place->tag = pattern->tag = tag;
    counter->in_memo[place - counter->memo.places] = pattern;
}

static void count_alone(struct counter *counter, uint32_t mask, const struct event_access *event) {
    struct pattern pattern;
    cost_of_shared(counter->rule, mask, event->offsets, &pattern);
    counter->counts.requests++;
    counter->counts.units += pattern.units;
    counter->counts.ideal += pattern.ideal;
    counter->degrees[pattern.degree]++;
    counter->is_estimate |= pattern.is_estimate;
    compare_with_worst(counter, pattern.degree, mask, event);
}

// No rule is known: as many wavefronts, or sectors, as the bytes lie in, and none in excess.
static void count_bulk(struct counter *counter, uint64_t first, uint64_t unit,
                       const struct event_access *event) {
    const uint64_t units = (first % unit + event->bulk_bytes + unit - 1) / unit;
    counter->counts.requests += !event->bulk_continues;
    counter->counts.units += units;
    counter->counts.ideal += units;
}

// Keeps in mind what the first block asks for.
static void ask(struct counter *counter, uint32_t mask, const struct event_access *event) {
    if (counter->is_asked || event->block_number != 0)
        return;
    counter->is_asked =
        !asked_add(&counter->asked, mask, event->offsets, (uint32_t)counter->memo.first);
    if (counter->is_asked)
        tell_since(counter);
}

void counter_shared(struct counter *counter, const struct event_access *event) {
    enum { LINE = 128 };
    counter->is_immobile |= event->owner != event->block_number || event->bulk_bytes;
    // No rule is known: counted as if the own block's memory were accessed.
    counter->is_estimate |= event->owner != event->block_number || event->bulk_bytes;
    if (event->bulk_bytes) {
        count_bulk(counter, event->offsets[0], LINE, event);
        counter->degrees[1] += !event->bulk_continues;
        compare_with_worst(counter, 1, 1, event);
        return;
    }
    const struct counter_rule *rule = counter->rule;
    uint32_t mask = rule->request.matrices ? rule->lanes : event->mask;
    ask(counter, mask, event);
    if (!remembers(counter)) {
        count_alone(counter, mask, event);
        return;
    }
    uint32_t tag = event_memo_tag(event->pattern, event->offsets[0], rule->keep);
    struct pattern *pattern = find_known(counter, tag);
    if (!pattern) {
        struct event_shape key;
        event_shape_of_offsets(&key, mask, event->offsets, rule->keep);
        pattern = find(counter, &key);
        if (!tag && !rule->request.matrices)
            remember_shape(counter, pattern);
        remember(counter, pattern, tag);
    }
    pattern->repeats++;
    compare_with_worst(counter, pattern->degree, mask, event);
}

void counter_copy(struct counter *counter, const struct event_access *event) {
    struct bankrun_cost cost = {0};
    bool is_counted = profile_cost(counter->rule, event, &cost);
    assert(is_counted); // the simulator faults misaligned ones
    (void)is_counted;
    uint32_t degree = cost.degree < PROFILE_MAX_DEGREE ? cost.degree : PROFILE_MAX_DEGREE;
    counter->counts.requests++;
    counter->counts.units += cost.wavefronts;
    counter->counts.ideal += cost.ideal;
    counter->degrees[degree]++;
    counter->is_estimate |= cost.min != cost.max;
    ask(counter, event->mask, event);
    compare_with_worst(counter, degree, event->mask, event);
}

void counter_global(struct counter *counter, const struct event_access *event) {
    enum { SECTOR = 32 };
    if (event->bulk_bytes) {
        count_bulk(counter, event->addresses[0], SECTOR, event);
        return;
    }
    const struct counter_rule *rule = counter->rule;
    uint32_t tag = event_memo_tag(event->pattern, event->addresses[0], rule->keep);
    struct pattern *known = find_known(counter, tag);
    if (known) {
        known->repeats++;
        return;
    }
    struct event_shape key;
    if (remembers(counter) &&
        event_shape_of_addresses(&key, event->mask, event->addresses, rule->keep)) {
        struct pattern *pattern = find(counter, &key);
        if (!tag)
            remember_shape(counter, pattern);
        pattern->repeats++;
        remember(counter, pattern, tag);
        return;
    }
    uint32_t sectors, ideal;
    bankrun_sectors(event->mask, rule->request.width, event->addresses, &sectors, &ideal);
    if (may_show(counter, sectors, ideal) &&
        event_shape_of_addresses(&key, event->mask, event->addresses, rule->keep))
        show_global(counter, &key, sectors);
    counter->counts.requests++;
    counter->counts.units += sectors;
    counter->counts.ideal += ideal;
}
