// All pairs of accesses that may be a race: those of one barrier's interval, of different threads,
// one of which writes.
//
// Most addresses of a kernel differ by numbers: they are the same sum of numbers that are the same
// for all threads, plus one for each lane. Such accesses are sorted by the words that they touch.
// All others are held against each other one by one.
#include "prove/race.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = 4 };
static const uint64_t MOST_COMPARED = 1ull << 29; // pairs of lanes: more take too long
enum { COMPARED_PER_STEP = 128 };

struct item { // a lane touches a word
    uint64_t word;
    uint32_t entry;
    uint8_t lane, first, end; // bytes of the word
};

struct items {
    struct item *data;
    size_t length, capacity;
};

struct search {
    struct walker *walker;
    struct prove_races *result;
    struct race_entry *entries; // by node and phase
    size_t count;
    uint64_t compared, most_compared;
    struct items items, sorted; // the latter: room to sort them
    VEC(size_t) writes;         // of one word, among its items
    bool has_other_writes;      // of the node, that are not among the items
};

// ---- What was found -------------------------------------------------------------------------

static bool is_write(const struct race_access *access) {
    return access->class & RACE_WRITE;
}

// Barriers of a warp order its own lanes alone, those of the block all.
static bool is_compared(const struct race_entry *a, const struct race_entry *b) {
    return a->is_of_warp == (a->access->warp == b->access->warp);
}

static bool may_conflict(const struct race_access *a, const struct race_access *b) {
    return (is_write(a) || is_write(b)) && !(a->class & b->class & RACE_STRONG);
}

// What both write is the same number.
static int writes_alike(const struct walker *walker, const struct race_access *a, unsigned l,
                        const struct race_access *b, unsigned m) {
    if (!is_write(a) || !is_write(b) || !a->value || !b->value || a->width != b->width ||
        a->class & RACE_STRONG || b->class & RACE_STRONG)
        return -1;
    const unsigned bits = 8u * a->width;
    if (bits > 64 || a->value->bits < bits || b->value->bits < bits)
        return -1;
    if (form_is_concrete(a->value) && form_is_concrete(b->value))
        return ((a->value->base[l] ^ b->value->base[m]) & form_mask(bits)) == 0;
    const bool is_one = a->value == b->value && form_is_uniform(&walker->table, a->value) &&
                        race_is_common(walker, a->value);
    for (unsigned t = 0; is_one && t < a->value->count; t++)
        if (race_counts_rounds(walker, a->value->terms[t].symbol))
            return -1;
    return is_one ? 1 : -1;
}

static struct prove_race_side side_of(const struct race_access *access, unsigned lane) {
    return (struct prove_race_side){.function = access->code->function,
                                    .instruction = access->instruction,
                                    .thread = access->warp * FORM_LANES + lane,
                                    .is_write = is_write(access)};
}

static const char *words_of(const struct walker *walker, uint32_t symbol) {
    if (symbol == IR_NONE)
        return "they touch the same bytes where both come there";
    switch (form_symbol_of(&walker->table, symbol)->origin) {
    case ORIGIN_BLOCK:
        return "they may touch the same bytes: an index depends on the index of the block";
    case ORIGIN_GRID:
        return "they may touch the same bytes: an index depends on the size of the grid";
    case ORIGIN_PARAMETER:
        return "they may touch the same bytes: an index depends on a parameter of the kernel";
    case ORIGIN_LOAD:
        return "they may touch the same bytes: an index is loaded from memory";
    case ORIGIN_LOOP:
        return "they may touch the same bytes: an index changes from round to round of a loop";
    case ORIGIN_PATH:
        return "they may touch the same bytes: an index depends on which way the kernel goes";
    default:
        return "they may touch the same bytes: an index is computed in a way that is not followed";
    }
}

static void note(struct search *search, enum prove_freedom freedom, const struct race_access *a,
                 unsigned l, const struct race_access *b, unsigned m, const char *why,
                 uint32_t symbol) {
    struct prove_races *result = search->result;
    const struct races *races = search->walker->races;
    // The first one, and a sure one rather than any other.
    if (result->freedom == PROVE_RACE ||
        (result->freedom == PROVE_NOT_FREE && freedom != PROVE_RACE))
        return;
    const bool swaps = !is_write(a) && is_write(b);
    *result = (struct prove_races){.freedom = freedom, .has_shared = true, .why = why};
    result->sides[swaps] = side_of(a, l);
    result->sides[!swaps] = side_of(b, m);
    if (symbol != IR_NONE && !races->trouble) {
        const struct symbol *of = form_symbol_of(&search->walker->table, symbol);
        result->function = of->instruction == IR_NONE ? NULL : of->function;
        result->instruction = of->instruction;
    }
}

// ---- Words ----------------------------------------------------------------------------------

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

// By one digit of the word, those of the same digit as they stand. False: all have the same one.
static bool sort_by_digit(const struct item *items, size_t count, unsigned shift,
                          struct item *sorted) {
    size_t places[DIGITS + 1] = {0};
    for (size_t i = 0; i < count; i++)
        places[(items[i].word >> shift) % DIGITS + 1]++;
    if (places[(items[0].word >> shift) % DIGITS + 1] == count)
        return false;
    for (unsigned d = 1; d <= DIGITS; d++)
        places[d] += places[d - 1];
    for (size_t i = 0; i < count; i++)
        sorted[places[(items[i].word >> shift) % DIGITS]++] = items[i];
    return true;
}

// By the word; those of one word by entry and lane, as they were added.
static void sort_items(struct search *search) {
    const size_t count = search->items.length;
    vec_reserve(&search->sorted, count);
    for (unsigned shift = 0; count && shift < 32; shift += DIGIT_BITS) {
        if (!sort_by_digit(search->items.data, count, shift, search->sorted.data))
            continue;
        const struct items before = search->items;
        search->items = search->sorted;
        search->items.length = count;
        search->sorted = before;
    }
}

static void add_items(struct search *search, uint32_t entry) {
    const struct race_access *access = search->entries[entry].access;
    for (uint32_t rest = access->lanes; rest; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        const uint64_t first = (uint32_t)access->address->base[lane];
        for (uint64_t at = first / WORD * WORD; at < first + access->width; at += WORD) {
            const uint64_t end = first + access->width - at;
            const struct item item = {.word = at / WORD & (UINT32_MAX / WORD),
                                      .entry = entry,
                                      .lane = (uint8_t)lane,
                                      .first = (uint8_t)(at < first ? first - at : 0),
                                      .end = (uint8_t)(end < WORD ? end : WORD)};
            vec_push(&search->items, item);
        }
    }
}

static bool is_one_thread(const struct search *search, const struct item *a, const struct item *b) {
    return a->lane == b->lane &&
           search->entries[a->entry].access->warp == search->entries[b->entry].access->warp;
}

// Whether the thread itself writes the word: then it may read that.
static bool has_written(const struct search *search, const struct item *items, size_t count,
                        const struct item *reader) {
    for (size_t i = 0; i < count; i++)
        if (is_write(search->entries[items[i].entry].access) &&
            is_one_thread(search, &items[i], reader))
            return true;
    return false;
}

// Two threads touch a byte of the word.
static void meet(struct search *search, const struct item *items, size_t count,
                 const struct item *a, const struct item *b) {
    const struct walker *walker = search->walker;
    const struct race_access *x = search->entries[a->entry].access,
                             *y = search->entries[b->entry].access;
    const int alike = writes_alike(walker, x, a->lane, y, b->lane);
    const bool has_other_order =
        walker->races->has_other_order || (x->warp == y->warp && walker->races->has_warp_order);
    const char *why = "they touch the same bytes where both come there";
    bool is_sure = x->is_certain && y->is_certain;
    if (alike == 1)
        return;
    if (is_sure && has_other_order) {
        why = "they touch the same bytes, unless something other than a barrier orders the two";
        is_sure = false;
    } else if (is_sure && is_write(x) && is_write(y) && alike < 0 &&
               !((x->class | y->class) & RACE_STRONG)) {
        why = "they write the same bytes, it may be the same value";
        is_sure = false;
    } else if (is_sure && (((!is_write(x) || !is_write(y)) && search->has_other_writes) ||
                           (!is_write(x) && has_written(search, items, count, a)) ||
                           (!is_write(y) && has_written(search, items, count, b)))) {
        why = "one reads what the other writes, it may be what it wrote itself";
        is_sure = false;
    }
    note(search, is_sure ? PROVE_RACE : PROVE_NOT_FREE, x, a->lane, y, b->lane,
         is_sure ? NULL : why, IR_NONE);
}

static void look_at_word(struct search *search, const struct item *items, size_t count) {
    const struct race_entry *entries = search->entries;
    size_t writes = 0, behind = 0; // of the writes: how many are none of the later items
    search->writes.length = 0;
    for (size_t i = 0; i < count; i++)
        if (is_write(entries[items[i].entry].access))
            vec_push(&search->writes, i);
    writes = search->writes.length;
    for (size_t i = 0; i < count && behind < writes; i++) {
        const bool is_writer = search->writes.data[behind] == i;
        behind += is_writer;
        // What only reads is held against the writes alone.
        const size_t others = is_writer ? count - i - 1 : writes - behind;
        for (size_t n = 0; n < others; n++) {
            const size_t k = is_writer ? i + 1 + n : search->writes.data[behind + n];
            if (may_conflict(entries[items[i].entry].access, entries[items[k].entry].access) &&
                items[i].first < items[k].end && items[k].first < items[i].end &&
                is_compared(&entries[items[i].entry], &entries[items[k].entry]) &&
                !is_one_thread(search, &items[i], &items[k]))
                meet(search, items, count, &items[i], &items[k]);
        }
    }
    search->compared += count * writes;
}

static void look_at_words(struct search *search) {
    sort_items(search);
    const struct item *items = search->items.data;
    const size_t count = search->items.length;
    for (size_t first = 0, end; first < count && search->compared < search->most_compared;
         first = end) {
        for (end = first; end < count && items[end].word == items[first].word; end++)
            ;
        look_at_word(search, &items[first], end - first);
    }
    search->items.length = 0;
}

// ---- Entries --------------------------------------------------------------------------------

// The same for all lanes but for a number of each, of what is the same for all threads.
static bool is_plain(const struct walker *walker, const struct race_access *access) {
    const struct form *a = access->address;
    if (!a || a->bits < 32 || !race_is_common(walker, a))
        return false;
    for (unsigned t = 0; t < a->count; t++)
        if (!form_symbol_of(&walker->table, a->terms[t].symbol)->is_uniform ||
            !form_is_same(a->terms[t].by))
            return false;
    return true;
}

static int compare_numbers(uint64_t a, uint64_t b) {
    return a < b ? -1 : a > b;
}

// Of plain ones: they differ by numbers.
static int compare_terms(const struct form *a, const struct form *b) {
    int order = compare_numbers(a->count, b->count);
    for (unsigned t = 0; !order && t < a->count; t++) {
        order = compare_numbers(a->terms[t].symbol, b->terms[t].symbol);
        if (!order)
            order = compare_numbers(a->terms[t].by[0] & UINT32_MAX, b->terms[t].by[0] & UINT32_MAX);
    }
    return order;
}

// The same barriers were passed last.
static int compare_intervals(const struct race_entry *a, const struct race_entry *b) {
    int order = compare_numbers(a->is_of_warp, b->is_of_warp);
    if (!order)
        order = compare_numbers(a->node, b->node);
    return order ? order : compare_numbers(a->within, b->within);
}

static int by_phase(const void *left, const void *right) {
    const struct race_entry *a = left, *b = right;
    int order = compare_intervals(a, b);
    if (!order)
        order = compare_numbers(a->phase, b->phase);
    if (!order)
        order = compare_numbers(b->is_plain, a->is_plain);
    if (!order && a->is_plain)
        order = compare_terms(a->access->address, b->access->address);
    // As they were noted.
    return order ? order : compare_numbers((uintptr_t)a->access, (uintptr_t)b->access);
}

static bool is_one_group(const struct race_entry *a, const struct race_entry *b) {
    return a->is_plain && b->is_plain && a->phase == b->phase &&
           !compare_terms(a->access->address, b->access->address);
}

static void compare(struct search *search, const struct race_entry *a, const struct race_entry *b) {
    const struct race_access *x = a->access, *y = b->access;
    search->compared +=
        1 + (uint64_t)__builtin_popcount(x->lanes) * (uint64_t)__builtin_popcount(y->lanes);
    const struct race_meeting meeting = race_overlap(search->walker, a, b, x == y);
    search->compared += (uint64_t)meeting.trials * FORM_LANES * FORM_LANES;
    if (!meeting.may_meet ||
        writes_alike(search->walker, x, meeting.lanes[0], y, meeting.lanes[1]) == 1)
        return;
    const char *why =
        meeting.is_partial
            ? "they may touch the same bytes: an index is computed in a way that is not followed"
        : x->address && y->address ? words_of(search->walker, meeting.symbol)
                                   : "such accesses are not followed, they may touch any bytes";
    note(search, PROVE_NOT_FREE, x, meeting.lanes[0], y, meeting.lanes[1], why, meeting.symbol);
}

// All of one node.
static void look_at_node(struct search *search, size_t first, size_t end) {
    struct race_entry *entries = search->entries;
    bool has_warps = entries[first].is_of_warp;
    size_t writes = 0;
    for (size_t i = first; i < end; i++) {
        has_warps |= entries[i].access->warp != entries[first].access->warp;
        writes += is_write(entries[i].access);
    }
    if (!has_warps || !writes)
        return;
    for (size_t i = first, next; i < end; i = next) {
        size_t here = 0;
        for (next = i; next < end && is_one_group(&entries[i], &entries[next]); next++)
            here += is_write(entries[next].access);
        for (size_t n = i; here && n < next; n++)
            add_items(search, (uint32_t)n);
        search->has_other_writes = here != writes;
        look_at_words(search);
        next += next == i;
    }
    for (size_t i = first; i < end && search->compared < search->most_compared; i++)
        for (size_t k = i; k < end; k++)
            if (may_conflict(entries[i].access, entries[k].access) &&
                is_compared(&entries[i], &entries[k]) && !is_one_group(&entries[i], &entries[k]) &&
                search->result->freedom == PROVE_FREE)
                compare(search, &entries[i], &entries[k]);
}

struct entries {
    VEC(struct race_entry) list;
};

static void add_entry(const struct walker *walker, struct entries *entries,
                      const struct race_access *access, uint32_t phase, bool is_of_warp,
                      uint32_t within) {
    vec_push(&entries->list, (struct race_entry){.access = access,
                                                 .phase = phase,
                                                 .node = race_node_of(walker->races, phase),
                                                 .is_of_warp = is_of_warp,
                                                 .within = within,
                                                 .is_plain = is_plain(walker, access)});
}

static void add_entries(const struct walker *walker, struct entries *entries,
                        const struct race_access *access) {
    uint32_t count, warp_count;
    const uint32_t *phases = race_members(walker->races, access->phases, &count);
    const uint32_t *of_warp = race_members(walker->races, access->warp_phases, &warp_count);
    for (uint32_t p = 0; p < count; p++) {
        add_entry(walker, entries, access, phases[p], false, 0);
        for (uint32_t w = 0; w < warp_count; w++)
            add_entry(walker, entries, access, phases[p], true,
                      race_node_of(walker->races, of_warp[w]));
    }
}

static size_t list_entries(struct search *search) {
    struct races *races = search->walker->races;
    struct entries entries = {0};
    for (size_t i = 0; i < races->accesses.length; i++) {
        struct race_access *access = &races->accesses.data[i];
        if (access->address)
            access->address = form_spread(&search->walker->table, access->address, access->lanes);
        add_entries(search->walker, &entries, access);
    }
    if (entries.list.length)
        qsort(entries.list.data, entries.list.length, sizeof *entries.list.data, by_phase);
    search->entries = entries.list.data;
    return entries.list.length;
}

// Where the walk may not take long, comparing may not either.
static uint64_t most_compared(const struct prove_launch *launch) {
    const uint64_t most = launch->most_steps * COMPARED_PER_STEP;
    return launch->most_steps && most < MOST_COMPARED ? most : MOST_COMPARED;
}

void race_find_pairs(struct walker *walker, struct prove_races *result) {
    struct search search = {
        .walker = walker, .result = result, .most_compared = most_compared(walker->launch)};
    const size_t count = list_entries(&search);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first;
             end < count && !compare_intervals(&search.entries[end], &search.entries[first]); end++)
            ;
        look_at_node(&search, first, end);
    }
    if (search.compared >= search.most_compared && result->freedom == PROVE_FREE)
        race_give_up(walker->races, NULL, 0, "it takes too long to compare all accesses");
    vec_free(&search.items);
    vec_free(&search.sorted);
    vec_free(&search.writes);
    free(search.entries);
}
