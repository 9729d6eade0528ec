#include "check/race/shared_words.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { ALL_BYTES = 15 };

bool shared_conflicts(enum shared_class a, enum shared_class b) {
    static const uint8_t with[] = {
        [SHARED_READ] = 1 << SHARED_WRITE | 1 << SHARED_STRONG_WRITE | 1 << SHARED_ATOMIC,
        [SHARED_STRONG_READ] = 1 << SHARED_WRITE,
        [SHARED_WRITE] = 31,
        [SHARED_STRONG_WRITE] = 1 << SHARED_READ | 1 << SHARED_WRITE,
        [SHARED_ATOMIC] = 1 << SHARED_READ | 1 << SHARED_WRITE,
    };
    return with[a] >> b & 1;
}

// Whether what conflicts with `old` conflicts with `new`, too: if that is ordered behind it, the
// old one need not be remembered.
static bool stands_for(enum shared_class new, enum shared_class old) {
    for (enum shared_class c = SHARED_READ; c <= SHARED_ATOMIC; c++)
        if (shared_conflicts(old, c) && !shared_conflicts(new, c))
            return false;
    return true;
}

// ---- All words ----------------------------------------------------------------------------

void shared_words_init(struct shared_words *words, uint32_t bytes) {
    *words = (struct shared_words){.count = (bytes + 3) / 4};
    uint32_t **const arrays[] = {
        &words->write_stamp, &words->write_thread, &words->write_value, &words->write_instruction,
        &words->read_stamp,  &words->read_warps,   &words->read_lanes};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = base_alloc(((size_t)words->count + 1) * sizeof **arrays[i]);
}

void shared_words_free(struct shared_words *words) {
    uint32_t *const arrays[] = {words->write_stamp,       words->write_thread, words->write_value,
                                words->write_instruction, words->read_stamp,   words->read_warps,
                                words->read_lanes};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    for (size_t i = 0; i < words->groups.length; i++)
        free(words->groups.data[i].list);
    vec_free(&words->groups);
    vec_free(&words->unused);
}

void shared_words_clear(struct shared_words *words) {
    if (!words->has_stamps_left)
        return;
    memset(words->write_stamp, 0, words->count * sizeof *words->write_stamp);
    memset(words->read_stamp, 0, words->count * sizeof *words->read_stamp);
    words->unused.length = 0;
    for (size_t i = 0; i < words->groups.length; i++)
        vec_push(&words->unused, (uint32_t)i);
    words->has_stamps_left = false;
}

void shared_begin(struct shared_visit *v) {
    const struct clock *c = v->clock;
    v->floor = c->base;
    v->warp_floor = c->base;
    v->warp_bit = 0;
    v->is_regular = false;
    if (!v->is_own || v->extra)
        return;
    const uint32_t w = v->thread / WARP_LANES;
    v->floor = clock_block_floor(c, v->rank);
    v->warp_floor = c->warps[w].base > v->floor ? c->warps[w].base : v->floor;
    v->warp_bit = 1u << w % c->block_warps;
    v->is_regular = !c->block[v->rank].is_irregular;
}

// ---- Groups -------------------------------------------------------------------------------

bool shared_lane_knows(const struct shared_visit *v, unsigned lane, uint32_t thread, uint32_t lanes,
                       uint32_t stamp) {
    const uint32_t own = v->thread + (v->extra ? v->sender : lane);
    if (stamp <= v->clock->base)
        return true;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        const uint32_t other = thread + (uint32_t)__builtin_ctz(rest);
        if (!clock_knows(v->clock, own, other, stamp))
            return false;
    }
    return true;
}

static bool lanes_know(const struct shared_visit *v, uint32_t mine, const struct shared_group *g) {
    if (g->is_pending)
        return false;
    if (g->stamp <= v->floor && g->thread == SHARED_SEVERAL)
        return true;
    if (g->thread == SHARED_SEVERAL)
        return false;
    for (uint32_t rest = mine; rest; rest &= rest - 1)
        if (!shared_lane_knows(v, (unsigned)__builtin_ctz(rest), g->thread, g->lanes, g->stamp))
            return false;
    return true;
}

static void push(struct shared_groups *groups, const struct shared_group *g) {
    if (groups->count == groups->capacity) {
        groups->capacity = groups->capacity ? 2 * groups->capacity : 4;
        groups->list = base_realloc(groups->list, groups->capacity * sizeof *groups->list);
    }
    groups->list[groups->count++] = *g;
    groups->is_mixed |= g->class != SHARED_ATOMIC;
}

static uint32_t new_groups(struct shared_words *words, uint32_t word) {
    uint32_t number = (uint32_t)words->groups.length;
    if (words->unused.length)
        number = words->unused.data[--words->unused.length];
    else
        vec_push(&words->groups, (struct shared_groups){0});
    words->groups.data[number].count = 0;
    words->groups.data[number].is_mixed = false;
    words->groups.data[number].word = word;
    return number;
}

static void push_writer(const struct shared_words *words, uint32_t word, uint32_t floor,
                        struct shared_groups *groups) {
    const uint32_t stamp = words->write_stamp[word], thread = words->write_thread[word];
    struct shared_group g = {.thread = thread,
                             .lanes = 1,
                             .stamp = stamp,
                             .instruction = words->write_instruction[word],
                             .value = words->write_value[word],
                             .class = SHARED_WRITE,
                             .bytes = ALL_BYTES,
                             .is_pending = stamp == SHARED_PENDING};
    if (stamp <= floor)
        return;
    if (stamp > CLOCK_END) // `value` is its time
        g.issue = g.stamp = g.value;
    if (stamp != SHARED_STRANGER) {
        g.lanes = 1u << thread % WARP_LANES;
        g.thread -= thread % WARP_LANES;
    }
    push(groups, &g);
}

static void push_readers(const struct shared_words *words, const struct clock *clock, uint32_t rank,
                         uint32_t word, uint32_t floor, struct shared_groups *groups) {
    const uint32_t stamp = words->read_stamp[word], warps = words->read_warps[word];
    struct shared_group g = {.thread = SHARED_SEVERAL,
                             .lanes = warps,
                             .stamp = stamp,
                             .instruction = EVENT_NONE,
                             .class = SHARED_READ,
                             .bytes = ALL_BYTES};
    if (stamp <= floor)
        return;
    if (stamp > CLOCK_END) {
        g.thread = warps;
        g.lanes = 1;
        g.issue = g.stamp = words->read_lanes[word];
        g.is_pending = stamp == SHARED_PENDING;
    } else if (!(warps & (warps - 1))) {
        g.thread = WARP_LANES * (rank * clock->block_warps + (uint32_t)__builtin_ctz(warps));
        g.lanes = words->read_lanes[word];
    }
    push(groups, &g);
}

static void push_or_join(struct shared_groups *groups, const struct shared_group *g) {
    for (uint32_t i = 0; i < groups->count; i++)
        if (groups->list[i].thread == g->thread && groups->list[i].stamp == g->stamp) {
            groups->list[i].lanes |= g->lanes;
            return;
        }
    push(groups, g);
}

// Where nothing but barriers order, several warps are known at once or not at all; else it matters
// who did what.
static void push_atomics(const struct shared_words *words, const struct shared_visit *v,
                         uint32_t word, struct shared_groups *groups) {
    const uint32_t warps = words->read_warps[word];
    struct shared_group g = {.thread = SHARED_SEVERAL,
                             .lanes = warps,
                             .stamp = words->write_value[word],
                             .instruction = words->write_instruction[word],
                             .class = SHARED_ATOMIC,
                             .bytes = ALL_BYTES};
    if (!(warps & (warps - 1))) {
        g.thread = WARP_LANES * (v->rank * v->clock->block_warps + (uint32_t)__builtin_ctz(warps));
        g.lanes = words->read_lanes[word];
    } else if (!v->is_regular && v->next_atomic) {
        for (size_t at = 0; v->next_atomic(v->context, v, word, &at, &g);)
            push_or_join(groups, &g);
        return;
    }
    push(groups, &g);
}

// The word's groups, made of the plain word if it was one. Valid until the next are made.
static struct shared_groups *groups_of(struct shared_words *words, const struct shared_visit *v,
                                       uint32_t word) {
    if (words->write_stamp[word] == SHARED_GROUPS)
        return &words->groups.data[words->write_value[word]];
    const uint32_t number = new_groups(words, word), base = v->clock->base;
    struct shared_groups *groups = &words->groups.data[number];
    if (words->write_stamp[word] == SHARED_ATOMICS) {
        push_atomics(words, v, word, groups);
    } else {
        push_writer(words, word, base, groups);
        push_readers(words, v->clock, v->rank, word, base, groups);
    }
    words->write_stamp[word] = words->read_stamp[word] = SHARED_GROUPS;
    words->write_thread[word] = UINT32_MAX;
    words->write_value[word] = number;
    words->has_stamps_left = true;
    return groups;
}

static bool is_plain_write(const struct shared_group *g) {
    return g->class == SHARED_WRITE && g->bytes == ALL_BYTES && g->thread != SHARED_SEVERAL &&
           !(g->lanes & (g->lanes - 1)) && !g->issue;
}

static bool is_plain_read(const struct shared_group *g) {
    return g->class == SHARED_READ && g->bytes == ALL_BYTES && !g->issue;
}

static bool is_of_block(const struct shared_visit *v, uint32_t thread) {
    return thread == SHARED_SEVERAL ||
           (thread < v->clock->threads && clock_rank(v->clock, thread / WARP_LANES) == v->rank);
}

// The word becomes plain again where it can.
static void simplify(struct shared_words *words, const struct shared_visit *v, uint32_t word) {
    const uint32_t number = words->write_value[word];
    const struct shared_groups *groups = &words->groups.data[number];
    const struct shared_group *read = NULL, *write = NULL;
    for (uint32_t i = 0; i < groups->count; i++) {
        const struct shared_group *g = &groups->list[i];
        if (!is_of_block(v, g->thread))
            return;
        if (!write && is_plain_write(g))
            write = g;
        else if (!read && is_plain_read(g))
            read = g;
        else
            return;
    }
    words->write_stamp[word] = write ? write->stamp : 0;
    words->read_stamp[word] = read ? read->stamp : 0;
    if (write) {
        words->write_thread[word] = write->thread + (uint32_t)__builtin_ctz(write->lanes);
        words->write_value[word] = write->value;
        words->write_instruction[word] = write->instruction;
    }
    if (read && read->thread == SHARED_SEVERAL) {
        words->read_warps[word] = read->lanes;
    } else if (read) {
        words->read_warps[word] = 1u << read->thread / WARP_LANES % v->clock->block_warps;
        words->read_lanes[word] = read->lanes;
    }
    vec_push(&words->unused, number);
}

static uint32_t group_thread(const struct shared_visit *v) {
    return v->extra ? v->extra : v->thread;
}

static bool is_same_event(const struct shared_visit *v, const struct shared_group *g) {
    return g->thread == group_thread(v) && g->stamp == v->stamp && g->class == (uint8_t)v->class &&
           g->is_pending == v->is_pending && g->issue == v->issue;
}

static void remember(struct shared_groups *groups, const struct shared_visit *v, uint8_t bytes,
                     uint32_t lanes, uint32_t value) {
    uint32_t left = 0;
    groups->is_mixed = false;
    for (uint32_t i = 0; i < groups->count; i++) {
        struct shared_group *g = &groups->list[i];
        const bool is_below = g->stamp <= v->floor && !g->is_pending && is_of_block(v, g->thread);
        if (!g->bytes || is_below ||
            (!(g->bytes & ~bytes) && !g->is_pending && lanes_know(v, lanes, g) &&
             stands_for(v->class, g->class)))
            continue;
        groups->is_mixed |= g->class != SHARED_ATOMIC;
        groups->list[left++] = *g;
    }
    groups->count = left;
    for (uint32_t i = 0; i < groups->count; i++) {
        struct shared_group *g = &groups->list[i];
        const bool is_write = v->class == SHARED_WRITE || v->class == SHARED_STRONG_WRITE;
        if (is_same_event(v, g) && g->bytes == bytes &&
            (!is_write || (g->value == value && g->instruction == v->instruction))) {
            g->lanes |= v->extra ? 1 : lanes;
            g->instruction = v->instruction;
            return;
        }
    }
    push(groups, &(struct shared_group){.thread = group_thread(v),
                                        .lanes = v->extra ? 1 : lanes,
                                        .stamp = v->stamp,
                                        .issue = v->issue,
                                        .instruction = v->instruction,
                                        .value = value,
                                        .class = v->class,
                                        .bytes = bytes,
                                        .is_pending = v->is_pending});
}

static bool is_unordered(const struct shared_visit *v, uint8_t bytes, uint32_t lanes,
                         const struct shared_group *g) {
    return g->bytes & bytes && shared_conflicts(v->class, g->class) && !lanes_know(v, lanes, g);
}

// Atomics do not conflict with each other: one more of the same warp changes little.
static bool join_atomics(struct shared_groups *groups, const struct shared_visit *v, uint8_t bytes,
                         uint32_t lanes) {
    if (groups->is_mixed || v->class != SHARED_ATOMIC || v->extra)
        return false;
    for (uint32_t i = 0; i < groups->count; i++) {
        struct shared_group *g = &groups->list[i];
        if (g->thread == v->thread && g->bytes == bytes && is_same_event(v, g)) {
            g->lanes |= lanes;
            g->instruction = v->instruction;
            return true;
        }
    }
    return false;
}

static void access_groups(struct shared_words *words, const struct shared_visit *v, uint32_t word,
                          uint8_t bytes, uint32_t lanes, uint32_t value) {
    struct shared_groups *groups = groups_of(words, v, word);
    bool others = false;
    if (join_atomics(groups, v, bytes, lanes))
        return;
    for (uint32_t i = 0; i < groups->count; i++) {
        const struct shared_group *g = &groups->list[i];
        if (!is_unordered(v, bytes, lanes, g))
            continue;
        if (g->is_pending)
            v->conflict(v->context, v, word, bytes, lanes, g);
        else
            others = true;
    }
    if (others && !v->conflict(v->context, v, word, bytes, lanes, NULL))
        for (uint32_t i = 0; i < groups->count; i++)
            if (groups->list[i].thread == SHARED_SEVERAL && groups->list[i].class == SHARED_READ)
                groups->list[i].bytes = 0;
    remember(groups, v, bytes, lanes, value);
    if (groups->count <= 2)
        simplify(words, v, word);
}

// ---- Plain words --------------------------------------------------------------------------

// Whether the warp's lanes know the word's writer.
static inline bool writer_known(const struct shared_words *words, const struct shared_visit *v,
                                uint32_t word, uint32_t lanes) {
    const uint32_t stamp = words->write_stamp[word];
    const uint32_t lane = words->write_thread[word] - v->thread;
    return stamp <= v->floor || (lane < WARP_LANES && stamp <= v->warp_floor) ||
           (lane < WARP_LANES && lanes == 1u << lane && stamp <= CLOCK_END);
}

static bool read_plain(struct shared_words *words, const struct shared_visit *v, uint32_t word,
                       uint32_t lanes) {
    const uint32_t stamp = words->read_stamp[word], warps = words->read_warps[word];
    const uint32_t old = words->read_lanes[word];
    uint32_t new_warps = v->warp_bit, new_lanes = lanes;
    if (!writer_known(words, v, word, lanes))
        return false;
    if (stamp > v->floor && warps == v->warp_bit && stamp <= CLOCK_END) {
        if (stamp == v->stamp)
            new_lanes |= old;
        else if (stamp > v->warp_floor && old & ~lanes)
            return false;
    } else if (stamp > v->floor) {
        if (!v->is_regular || stamp > CLOCK_END)
            return false;
        new_warps |= warps;
    }
    words->read_stamp[word] = v->stamp;
    words->read_warps[word] = new_warps;
    words->read_lanes[word] = new_lanes;
    return true;
}

static bool write_plain(struct shared_words *words, const struct shared_visit *v, uint32_t word,
                        uint32_t lanes, uint32_t value) {
    const uint32_t stamp = words->read_stamp[word];
    const bool readers_known =
        stamp <= v->floor || (words->read_warps[word] == v->warp_bit && stamp <= CLOCK_END &&
                              (stamp <= v->warp_floor || !(words->read_lanes[word] & ~lanes)));
    if (lanes & (lanes - 1) || !readers_known || !writer_known(words, v, word, lanes))
        return false;
    words->write_stamp[word] = v->is_pending ? SHARED_PENDING : v->stamp;
    words->has_stamps_left |= v->is_pending;
    words->write_thread[word] = v->thread + (uint32_t)__builtin_ctz(lanes);
    words->write_value[word] = v->is_pending ? v->issue : value;
    words->write_instruction[word] = v->instruction;
    return true;
}

static bool atomic_plain(struct shared_words *words, const struct shared_visit *v, uint32_t word,
                         uint32_t lanes) {
    const uint32_t last = words->write_value[word], old = words->read_lanes[word];
    uint32_t new_warps = v->warp_bit, new_lanes = lanes;
    if (words->write_stamp[word] != SHARED_ATOMICS) {
        if (words->write_stamp[word] > v->floor || words->read_stamp[word] > v->floor)
            return false;
        words->write_stamp[word] = words->read_stamp[word] = SHARED_ATOMICS;
        words->write_thread[word] = UINT32_MAX;
        words->has_stamps_left = true;
    } else if (last > v->floor && words->read_warps[word] != v->warp_bit) {
        if (!v->is_regular)
            return false;
        new_warps |= words->read_warps[word];
    } else if (last == v->stamp) {
        new_lanes |= old;
    } else if (last > v->warp_floor && old & ~lanes) {
        return false;
    }
    words->write_value[word] = v->stamp;
    words->write_instruction[word] = v->instruction;
    words->read_warps[word] = new_warps;
    words->read_lanes[word] = new_lanes;
    return true;
}

void shared_atomics(struct shared_words *words, const struct shared_visit *v, uint32_t lanes,
                    const uint32_t *offsets) {
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        const unsigned l = (unsigned)__builtin_ctz(rest);
        const uint32_t word = offsets[l] / 4;
        if (word < words->count && !atomic_plain(words, v, word, 1u << l))
            access_groups(words, v, word, ALL_BYTES, 1u << l, 0);
    }
}

// Atomics that all the visit's lanes know of are as good as none.
static void forget_atomics(struct shared_words *words, const struct shared_visit *v,
                           uint32_t word) {
    if (words->write_stamp[word] == SHARED_ATOMICS && words->write_value[word] <= v->floor)
        words->write_stamp[word] = words->read_stamp[word] = 0;
}

void shared_access_word(struct shared_words *words, const struct shared_visit *v, uint32_t word,
                        uint8_t bytes, uint32_t lanes, uint32_t value) {
    if (word >= words->count)
        return;
    forget_atomics(words, v, word);
    if (v->warp_bit && bytes == ALL_BYTES && !(v->is_pending && v->class == SHARED_READ)) {
        if (v->class == SHARED_READ && read_plain(words, v, word, lanes))
            return;
        if (v->class == SHARED_WRITE && write_plain(words, v, word, lanes, value))
            return;
        if (v->class == SHARED_ATOMIC && !v->is_pending && atomic_plain(words, v, word, lanes))
            return;
    }
    access_groups(words, v, word, bytes, lanes, value);
}

void shared_complete_word(struct shared_words *words, const struct shared_visit *v, uint32_t word,
                          unsigned lane) {
    if (word >= words->count)
        return;
    if (words->write_stamp[word] == SHARED_PENDING &&
        words->write_thread[word] == v->thread + lane && words->write_value[word] == v->issue) {
        words->write_stamp[word] = v->extra ? SHARED_STRANGER : v->stamp;
        words->write_value[word] = v->extra ? v->stamp : 0;
        words->write_thread[word] = v->extra ? v->extra : v->thread + lane;
        return;
    }
    if (words->write_stamp[word] != SHARED_GROUPS)
        return;
    struct shared_groups *groups = &words->groups.data[words->write_value[word]];
    for (uint32_t i = 0; i < groups->count; i++) {
        struct shared_group *g = &groups->list[i];
        if (!g->is_pending || g->thread != v->thread || g->lanes != 1u << lane ||
            g->issue != v->issue)
            continue;
        g->is_pending = false;
        g->stamp = v->stamp;
        g->issue = 0;
        g->thread = group_thread(v);
        g->lanes = v->extra ? 1 : g->lanes;
    }
}
