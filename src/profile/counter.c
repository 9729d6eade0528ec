// Counting of one site's requests on one array. See counter.h.
#include "profile/counter.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/key.h"
#include "profile/recorder.h"

// Most sites have one pattern or two; few have more than a handful that come back.
enum { FEW_BITS = 2, MANY_BITS = 6, MANY_EVICTIONS = 32 };

// Looking for a pattern costs about what counting it costs. Where a large table misses more often
// than every fourth time, the next requests are counted without one; then it gets another chance.
enum { WINDOW = 512, UNREMEMBERED = 1 << 16 };

static struct pattern *create_patterns(unsigned bits) {
    return base_alloc_aligned(64, sizeof(struct pattern) << bits);
}

struct counter *counter_create(const struct counter_rule *rule) {
    struct counter *counter = base_alloc(sizeof *counter);
    counter->rule = rule;
    counter->pattern_bits = FEW_BITS;
    counter->patterns = create_patterns(FEW_BITS);
    counter->tally.keep = rule->keep;
    return counter;
}

void counter_free(struct counter *counter) {
    free(counter->patterns);
    free(counter);
}

// What was counted in a place of the tally belongs to the pattern behind it.
static void fold(struct counter *counter, struct access_place *place) {
    struct pattern *pattern = counter->tallied[place - counter->tally.places];
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

// The same for the last request.
static void fold_last(struct counter *counter) {
    if (counter->tally.mask)
        counter->last->repeats += counter->tally.repeats;
    counter->tally.repeats = 0;
}

void counter_flush(struct counter *counter) {
    fold_last(counter);
    for (int i = 0; i < TALLY_PLACES; i++)
        fold(counter, &counter->tally.places[i]);
    for (size_t i = 0; i < (size_t)1 << counter->pattern_bits; i++)
        flush_pattern(counter, &counter->patterns[i]);
}

static void grow(struct counter *counter) {
    counter_flush(counter);
    free(counter->patterns);
    counter->pattern_bits = MANY_BITS;
    counter->patterns = create_patterns(MANY_BITS);
    counter->last = NULL;
    counter->tally.mask = 0;
    memset(counter->tally.places, 0, sizeof counter->tally.places);
    memset(counter->tallied, 0, sizeof counter->tallied);
    counter->evictions = 0;
    counter->requests_then = counter->counts.requests;
}

// After a window of evictions from the large table: are patterns worth remembering?
static void judge(struct counter *counter) {
    counter_flush(counter);
    if (counter->counts.requests - counter->requests_then < 4 * WINDOW)
        counter->unremembered = UNREMEMBERED;
    counter->requests_then = counter->counts.requests;
    counter->evictions = 0;
}

static inline bool remembers(struct counter *counter) {
    if (counter->unremembered == 0)
        return true;
    if (--counter->unremembered == 0)
        counter->requests_then = counter->counts.requests;
    return false;
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
    struct access_place *place = access_place(&counter->tally, pattern->tag);
    struct pattern **tallied = &counter->tallied[place - counter->tally.places];
    if (*tallied != pattern)
        return;
    fold(counter, place);
    place->tag = 0;
    *tallied = NULL;
}

// Not the last one, nor its follower: asks the table, or counts the pattern and remembers it.
static struct pattern *look_up(struct counter *counter, const struct counter_key *key) {
    if (counter->evictions > MANY_EVICTIONS && counter->pattern_bits == FEW_BITS)
        grow(counter);
    struct pattern *found = &counter->patterns[key_hash(key) >> (32 - counter->pattern_bits)];
    if (key_equal(&found->key, key))
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
    else
        cost_of_global(counter->rule, found);
    counter->is_estimate |= found->is_estimate;
    return found;
}

static inline struct pattern *find(struct counter *counter, const struct counter_key *key) {
    struct pattern *last = counter->last;
    if (last) {
        if (key_equal(&last->key, key))
            return last;
        fold_last(counter);
        counter->tally.mask = 0;
        if (last->follower && key_equal(&last->follower->key, key))
            return counter->last = last->follower;
    }
    struct pattern *found = look_up(counter, key);
    if (counter->last) // else the table has just grown
        counter->last->follower = found;
    return counter->last = found;
}

// The same request again need not be told: `counter->last` is its pattern.
static inline void tally_last(struct counter *counter) {
    memcpy(counter->tally.lanes, counter->last->key.lanes, sizeof counter->tally.lanes);
    counter->tally.mask = counter->last->key.mask;
}

// ---- Events ---------------------------------------------------------------------------------

bool candidate_precedes(const struct candidate *a, const struct candidate *b) {
    if (a->degree != b->degree)
        return a->degree > b->degree;
    return a->linear != b->linear ? a->linear < b->linear : a->warp < b->warp;
}

static void keep_candidate(struct candidate *worst, uint32_t degree, uint64_t linear, uint32_t mask,
                           const struct access_event *event) {
    worst->degree = degree;
    worst->linear = linear;
    worst->warp = event->warp;
    worst->mask = mask;
    memcpy(worst->block, event->block, sizeof worst->block);
    for (int l = 0; l < WARP_LANES; l++)
        worst->offsets[l] = mask >> l & 1 ? event->offsets[l] : 0;
}

static inline void compare_with_worst(struct counter *counter, uint32_t degree, uint32_t mask,
                                      const struct access_event *event) {
    struct candidate *worst = &counter->worst;
    if (degree < worst->degree)
        return;
    const uint32_t *grid = counter->rule->grid, *block = event->block;
    uint64_t linear = block[0] + grid[0] * (block[1] + (uint64_t)grid[1] * block[2]);
    if (degree > worst->degree || linear < worst->linear ||
        (linear == worst->linear && event->warp < worst->warp)) {
        keep_candidate(worst, degree, linear, mask, event);
        counter->tally.since = linear * WARP_LANES + event->warp;
    }
}

// NULL: not known, or of another kind.
static inline struct pattern *find_tallied(struct counter *counter, uint32_t tag) {
    const struct access_place *place = access_place(&counter->tally, tag);
    return tag && place->tag == tag ? counter->tallied[place - counter->tally.places] : NULL;
}

static inline void remember(struct counter *counter, struct pattern *pattern, uint32_t tag) {
    if (!tag)
        return;
    struct access_place *place = access_place(&counter->tally, tag);
    fold(counter, place);
    place->tag = pattern->tag = tag;
    counter->tallied[place - counter->tally.places] = pattern;
}

static void count_alone(struct counter *counter, uint32_t mask, const struct access_event *event) {
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
                       const struct access_event *event) {
    const uint64_t units = (first % unit + event->bulk_bytes + unit - 1) / unit;
    counter->counts.requests += !event->bulk_continues;
    counter->counts.units += units;
    counter->counts.ideal += units;
}

void counter_shared(struct counter *counter, const struct access_event *event) {
    enum { LINE = 128 };
    counter->is_estimate |= event->is_assumed;
    if (event->bulk_bytes) {
        count_bulk(counter, event->offsets[0], LINE, event);
        counter->degrees[1] += !event->bulk_continues;
        compare_with_worst(counter, 1, event->mask, event);
        return;
    }
    const struct counter_rule *rule = counter->rule;
    uint32_t mask = rule->request.matrices ? rule->lanes : event->mask;
    if (!remembers(counter)) {
        count_alone(counter, mask, event);
        return;
    }
    uint32_t tag = access_tag(event->pattern, event->offsets[0], rule->keep);
    struct pattern *pattern = find_tallied(counter, tag);
    if (!pattern) {
        struct counter_key key;
        key_of_offsets(&key, mask, event->offsets, rule->keep);
        const struct pattern *before = counter->last;
        pattern = find(counter, &key);
        if (pattern == before && !counter->tally.mask && !rule->request.matrices)
            tally_last(counter);
        remember(counter, pattern, tag);
    }
    pattern->repeats++;
    compare_with_worst(counter, pattern->degree, mask, event);
}

void counter_copy(struct counter *counter, const struct access_event *event) {
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
    compare_with_worst(counter, degree, event->mask, event);
}

void counter_global(struct counter *counter, const struct access_event *event) {
    enum { SECTOR = 32 };
    if (event->bulk_bytes) {
        count_bulk(counter, event->addresses[0], SECTOR, event);
        return;
    }
    const struct counter_rule *rule = counter->rule;
    uint32_t tag = access_tag(event->pattern, event->addresses[0], rule->keep);
    struct pattern *tallied = find_tallied(counter, tag);
    if (tallied) {
        tallied->repeats++;
        return;
    }
    struct counter_key key;
    if (remembers(counter) && key_of_addresses(&key, event->mask, event->addresses, rule->keep)) {
        struct pattern *pattern = find(counter, &key);
        pattern->repeats++;
        remember(counter, pattern, tag);
        return;
    }
    uint32_t sectors, ideal;
    bankrun_sectors(event->mask, rule->request.width, event->addresses, &sectors, &ideal);
    counter->counts.requests++;
    counter->counts.units += sectors;
    counter->counts.ideal += ideal;
}
