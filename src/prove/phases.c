// Phases: the barrier that lanes passed last, and which loops of any round they have come through
// since. See race.h.
#include "prove/race.h"

#include <string.h>

#include "base/hash.h"

enum { MOST_WORDS = 64 };

// What a number stands for: the first word of its entry.
enum { TAG_CONTEXT = 1, TAG_NODE, TAG_PHASE, TAG_SET };

// ---- Interning ------------------------------------------------------------------------------

static const uint32_t *words_of(const struct races *races, uint32_t number, uint32_t *count) {
    *count = races->interned.entries.data[number].count;
    return races->interned.words.data + races->interned.entries.data[number].first;
}

static void grow_slots(struct race_intern *interned) {
    const uint32_t room = interned->slot_room ? 2 * interned->slot_room : 256;
    uint32_t *slots = base_alloc(room * sizeof *slots);
    for (uint32_t n = 0; n < interned->entries.length; n++) {
        const uint32_t *words = interned->words.data + interned->entries.data[n].first;
        uint64_t at =
            hash_bytes(words, interned->entries.data[n].count * sizeof *words) & (room - 1);
        while (slots[at])
            at = (at + 1) & (room - 1);
        slots[at] = n + 1;
    }
    free(interned->slots);
    interned->slots = slots;
    interned->slot_room = room;
}

static uint32_t intern(struct races *races, const uint32_t *words, uint32_t count) {
    struct race_intern *interned = &races->interned;
    if (2 * (interned->entries.length + 1) >= interned->slot_room)
        grow_slots(interned);
    const uint32_t mask = interned->slot_room - 1;
    uint64_t at = hash_bytes(words, count * sizeof *words) & mask;
    for (; interned->slots[at]; at = (at + 1) & mask) {
        uint32_t other_count;
        const uint32_t *other = words_of(races, interned->slots[at] - 1, &other_count);
        if (other_count == count && !memcmp(other, words, count * sizeof *words))
            return interned->slots[at] - 1;
    }
    const uint32_t first = (uint32_t)interned->words.length;
    for (uint32_t i = 0; i < count; i++)
        vec_push(&interned->words, words[i]);
    vec_push(&interned->entries, ((struct race_words){first, count}));
    interned->slots[at] = (uint32_t)interned->entries.length;
    return (uint32_t)interned->entries.length - 1;
}

void race_phases_free(struct races *races) {
    vec_free(&races->interned.words);
    vec_free(&races->interned.entries);
    free(races->interned.slots);
}

// ---- Phases ---------------------------------------------------------------------------------

// A phase's words: its tag, the node, then pairs of a loop's context and how far it has come there,
// by ascending contexts. Loops that are not there are in RACE_SAME.

uint32_t race_context(struct races *races, uint32_t code, uint32_t header, uint32_t round) {
    const uint32_t words[] = {TAG_CONTEXT, races->context, code, header, round};
    return intern(races, words, 5);
}

static uint32_t set_of_one(struct races *races, uint32_t phase) {
    const uint32_t words[] = {TAG_SET, phase};
    return intern(races, words, 2);
}

uint32_t race_pass_barrier(struct races *races, uint32_t warp, uint32_t code, uint32_t instruction,
                           uint32_t *node) {
    const uint32_t words[] = {TAG_NODE, races->context, code, instruction, warp};
    *node = intern(races, words, 5);
    const uint32_t phase[] = {TAG_PHASE, *node};
    return set_of_one(races, intern(races, phase, 2));
}

uint32_t race_begin_phase(struct races *races, uint32_t warp) {
    const uint32_t none[] = {TAG_CONTEXT};
    uint32_t node;
    races->context = intern(races, none, 1);
    return race_pass_barrier(races, warp, IR_NONE, IR_NONE, &node);
}

uint32_t race_node_of(const struct races *races, uint32_t phase) {
    uint32_t count;
    return words_of(races, phase, &count)[1];
}

enum race_relation race_relation_of(const struct races *races, uint32_t phase, uint32_t context) {
    uint32_t count;
    const uint32_t *words = words_of(races, phase, &count);
    for (uint32_t i = 2; i < count; i += 2)
        if (words[i] == context)
            return (enum race_relation)words[i + 1];
    return RACE_SAME;
}

static uint32_t with_relation(struct races *races, uint32_t phase, uint32_t context,
                              enum race_relation relation) {
    uint32_t count, words[MOST_WORDS + 2], at = 2;
    const uint32_t *old = words_of(races, phase, &count);
    memcpy(words, old, count * sizeof *words);
    while (at < count && words[at] < context)
        at += 2;
    if (at == count || words[at] != context) {
        if (count == MOST_WORDS) {
            races->trouble = "its loops are nested too deep";
            return phase;
        }
        memmove(&words[at + 2], &words[at], (count - at) * sizeof *words);
        count += 2;
    }
    words[at] = context;
    words[at + 1] = relation;
    return intern(races, words, count);
}

// ---- Sets -----------------------------------------------------------------------------------

const uint32_t *race_members(const struct races *races, uint32_t set, uint32_t *count) {
    const uint32_t *words = words_of(races, set, count);
    --*count;
    return words + 1;
}

// By ascending numbers.
static uint32_t add_member(struct races *races, uint32_t set, uint32_t phase) {
    uint32_t count, words[MOST_WORDS + 1], at = 1;
    const uint32_t *old = words_of(races, set, &count);
    memcpy(words, old, count * sizeof *words);
    while (at < count && words[at] < phase)
        at++;
    if (at < count && words[at] == phase)
        return set;
    if (count == MOST_WORDS) {
        races->trouble = "it may have passed too many barriers last";
        return set;
    }
    memmove(&words[at + 1], &words[at], (count - at) * sizeof *words);
    words[at] = phase;
    return intern(races, words, count + 1);
}

uint32_t race_unite(struct races *races, uint32_t a, uint32_t b) {
    uint32_t count;
    race_members(races, b, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t unused;
        a = add_member(races, a, race_members(races, b, &unused)[i]);
    }
    return a;
}

static uint32_t changed(struct races *races, uint32_t set, uint32_t context, bool is_entry,
                        bool *skips) {
    uint32_t count, result = IR_NONE;
    race_members(races, set, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t unused;
        uint32_t phase = race_members(races, set, &unused)[i];
        const enum race_relation before = race_relation_of(races, phase, context);
        if (is_entry)
            phase = with_relation(races, phase, context, RACE_FRESH);
        else if (before == RACE_SAME)
            phase = with_relation(races, phase, context, RACE_NEXT);
        else // a round without a barrier
            *skips = true;
        result = result == IR_NONE ? set_of_one(races, phase) : add_member(races, result, phase);
    }
    return result;
}

uint32_t race_enter_loop(struct races *races, uint32_t set, uint32_t context) {
    bool unused;
    return changed(races, set, context, true, &unused);
}

uint32_t race_next_round(struct races *races, uint32_t set, uint32_t context, bool *skips) {
    return changed(races, set, context, false, skips);
}
