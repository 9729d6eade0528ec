#include "check/notes.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

static uint64_t hash_of(const struct check_note *note) {
    uint64_t words[2 + PROFILE_PLACES] = {(uint64_t)(uintptr_t)note->kind, note->tag};
    for (unsigned i = 0; i < note->at_count; i++)
        words[2 + i] = note->at[i].instruction;
    return hash_bytes(words, sizeof words);
}

static bool is_same(const struct check_note *a, const struct check_note *b) {
    if (a->kind != b->kind || a->tag != b->tag || a->at_count != b->at_count)
        return false;
    for (unsigned i = 0; i < a->at_count; i++)
        if (a->at[i].instruction != b->at[i].instruction)
            return false;
    return true;
}

static int compare(uint64_t a, uint64_t b) {
    return a < b ? -1 : a > b;
}

// Which of two that are the same is kept.
static bool is_before(const struct check_note *a, const struct check_note *b) {
    int order = compare(b->reach, a->reach);
    for (unsigned i = 0; order == 0 && i < a->at_count; i++) {
        order = compare(a->at[i].block, b->at[i].block);
        order = order ? order : compare(a->at[i].thread, b->at[i].thread);
    }
    for (int i = 0; order == 0 && i < CHECK_DETAILS; i++)
        order = compare(a->details[i], b->details[i]);
    return order < 0;
}

static uint32_t *slot_of(const struct check_notes *notes, const struct check_note *note) {
    size_t at = hash_of(note) & (notes->slot_count - 1);
    while (notes->slots[at] && !is_same(&notes->list.data[notes->slots[at] - 1], note))
        at = (at + 1) & (notes->slot_count - 1);
    return &notes->slots[at];
}

static void grow(struct check_notes *notes) {
    enum { FIRST = 64 };
    notes->slot_count = notes->slot_count ? 2 * notes->slot_count : FIRST;
    free(notes->slots);
    notes->slots = base_alloc(notes->slot_count * sizeof *notes->slots);
    for (size_t i = 0; i < notes->list.length; i++)
        *slot_of(notes, &notes->list.data[i]) = (uint32_t)i + 1;
}

void check_note(struct check_notes *notes, const struct check_note *note) {
    if (2 * notes->list.length >= notes->slot_count)
        grow(notes);
    uint32_t *slot = slot_of(notes, note);
    if (!*slot) {
        vec_push(&notes->list, *note);
        *slot = (uint32_t)notes->list.length;
        return;
    }
    struct check_note *kept = &notes->list.data[*slot - 1];
    const uint64_t count = kept->count + note->count;
    if (is_before(note, kept))
        *kept = *note;
    kept->count = count;
}

void check_merge_notes(struct check_notes *notes, struct check_notes *from) {
    for (size_t i = 0; i < from->list.length; i++)
        check_note(notes, &from->list.data[i]);
    check_free_notes(from);
}

void check_free_notes(struct check_notes *notes) {
    vec_free(&notes->list);
    free(notes->slots);
    *notes = (struct check_notes){0};
}
