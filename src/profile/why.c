// The worst request in words, for someone who sees bank conflicts for the first time: what the
// lanes access, by which rule they go there, and which of them meet.
#include <stdlib.h>
#include <string.h>

#include "profile/why.h"

enum { SHOWN = 4 }; // lanes, or places, before "..."

// "0, 8, 16 and 24", "0, 4, 8, ..."
static void put_numbers(struct strbuf *out, uint32_t set) {
    unsigned count = (unsigned)__builtin_popcount(set), n = 0;
    for (uint32_t rest = set; rest != 0; rest &= rest - 1, n++) {
        if (count > SHOWN && n == SHOWN - 1) {
            strbuf_puts(out, ", ...");
            return;
        }
        strbuf_puts(out, n == 0 ? "" : n + 1 == count ? " and " : ", ");
        strbuf_printf(out, "%d", __builtin_ctz(rest));
    }
}

// "lanes", "lanes 0-15", "lanes 1, 4 and 9"
static void put_lanes(struct strbuf *out, uint32_t lanes) {
    unsigned first = (unsigned)__builtin_ctz(lanes), count = (unsigned)__builtin_popcount(lanes);
    strbuf_puts(out, count == 1 ? "lane " : "lanes ");
    if (count == WARP_LANES)
        out->length--; // the space too: "lanes"
    else if (count > 2 && lanes >> first == (1u << count) - 1)
        strbuf_printf(out, "%u-%u", first, first + count - 1);
    else
        put_numbers(out, lanes);
}

static const char *verb_of(const struct bankrun_request *request, bool is_sum) {
    switch (request->access) {
    case BANKRUN_LOAD:
    case BANKRUN_GENERIC_LOAD:
        return "read";
    case BANKRUN_STORE:
    case BANKRUN_ASYNC_COPY:
        return "write";
    case BANKRUN_MATRIX_LOAD:
    case BANKRUN_MATRIX_STORE:
        return "give rows at";
    default:
        return is_sum ? "add to" : "update";
    }
}

// ---- Places and distances -----------------------------------------------------------------------

struct about { // what the words are about
    const struct bankrun_request *request;
    const char *verb;
    const struct profile_named *named; // NULL: an array that has elements is not known
    uint32_t base;                     // words are counted from there
};

static unsigned words_of(const struct bankrun_request *request) {
    return request->width > 4 ? request->width / 4 : 1;
}

static void put_place(struct strbuf *out, const struct about *about, unsigned lane, bool in_words) {
    const unsigned words = words_of(about->request);
    const uint32_t offset = about->request->offsets[lane] - about->base;
    if (about->named) {
        profile_put_element(out, about->named->array, &about->named->elements, offset);
        return;
    }
    strbuf_printf(out, "%u", in_words ? offset / 4 : offset);
    if (in_words && words > 1)
        strbuf_printf(out, "-%u", offset / 4 + words - 1);
}

// "words 0, 32, 64, ...", "words 0-1, 32-33", "bytes 0, 5, 10, ..."; "tile[0][0], tile[1][0],
// ...", "16 bytes at tile[0][0], ...".
static void put_places(struct strbuf *out, const struct about *about, uint32_t lanes,
                       bool in_words) {
    unsigned count = (unsigned)__builtin_popcount(lanes), n = 0;
    const unsigned width = about->request->width;
    const bool is_single = count == 1 && (words_of(about->request) == 1 || !in_words);
    if (!about->named)
        strbuf_printf(out, "%s%s ", in_words ? "word" : "byte", is_single ? "" : "s");
    else if (width != about->named->elements.bytes && !about->request->matrices)
        strbuf_printf(out, "%u byte%s at ", width, width == 1 ? "" : "s");
    for (; lanes != 0; lanes &= lanes - 1, n++) {
        if (count > SHOWN && n == SHOWN - 1) {
            strbuf_puts(out, ", ...");
            return;
        }
        strbuf_puts(out, n == 0 ? "" : n + 1 == count ? " and " : ", ");
        put_place(out, about, (unsigned)__builtin_ctz(lanes), in_words);
    }
}

static void put_distance(struct strbuf *out, int64_t bytes) {
    bool in_words = bytes % 4 == 0;
    long long value = (long long)(in_words ? bytes / 4 : bytes);
    strbuf_printf(out, "%lld %s%s", value, in_words ? "word" : "byte",
                  value == 1 || value == -1 ? "" : "s");
}

// ---- Where they meet ----------------------------------------------------------------------------

static uint32_t every(unsigned step, unsigned first, unsigned banks) {
    uint32_t set = 0;
    for (unsigned bank = first; bank < banks; bank += step)
        set |= 1u << bank;
    return set;
}

// "in every even bank", "in banks 0-7", "in 5 banks"
static void put_banks(struct strbuf *out, const struct why_phase *phase) {
    uint32_t set = phase->fullest;
    unsigned first = (unsigned)__builtin_ctz(set), count = (unsigned)__builtin_popcount(set);
    if (count == phase->banks)
        strbuf_puts(out, "in every bank");
    else if (count == 1)
        strbuf_printf(out, "in bank %u", first);
    else if (set == every(2, first, phase->banks))
        strbuf_printf(out, "in every %s bank", first ? "odd" : "even");
    else if (set >> first == (1u << count) - 1)
        strbuf_printf(out, "in banks %u-%u", first, first + count - 1);
    else if (set == every(4, first, phase->banks) || set == every(8, first, phase->banks))
        strbuf_printf(out, "in every %uth bank", phase->banks / count);
    else
        strbuf_printf(out, "in %u banks", count);
}

static unsigned distinct_lanes(const struct why_phase *phase) {
    uint32_t any = 0;
    for (unsigned bank = 0; bank < phase->banks; bank++)
        any |= phase->meeting[bank];
    return (unsigned)__builtin_popcount(any);
}

// "all in bank 0"; "lanes 0 and 16 meet in bank 0, 2 words in every even bank"
static void put_meeting(struct strbuf *out, const struct why_phase *phase) {
    if (distinct_lanes(phase) == phase->most) {
        strbuf_puts(out, "all ");
        put_banks(out, phase);
        return;
    }
    put_lanes(out, phase->meeting[phase->busiest]);
    strbuf_printf(out, " meet in bank %u", phase->busiest);
    if ((phase->fullest & (phase->fullest - 1)) == 0)
        return; // no other bank is as busy
    strbuf_printf(out, ", %u %s ", phase->most, phase->by_lane ? "lanes" : "words");
    put_banks(out, phase);
}

// ---- Shapes -------------------------------------------------------------------------------------

static void put_stride(struct strbuf *out, const struct about *about, const struct why_phase *phase,
                       const struct why_shape *shape) {
    put_lanes(out, phase->lanes);
    strbuf_printf(out, " %s ", about->verb);
    put_places(out, about, phase->lanes, shape->inner % 4 == 0);
    strbuf_puts(out, ": stride ");
    put_distance(out, shape->inner);
    strbuf_puts(out, ", ");
    put_meeting(out, phase);
}

static void put_groups(struct strbuf *out, const struct about *about, const struct why_phase *phase,
                       const struct why_shape *shape) {
    const struct bankrun_request *request = about->request;
    if (phase->lane_count < WARP_LANES) {
        put_lanes(out, phase->lanes);
        strbuf_puts(out, ": ");
    }
    strbuf_printf(out, "groups of %u lanes %s ", shape->group, about->verb);
    if (shape->inner == 0)
        strbuf_puts(out, request->width > 4 ? "the same words" : "the same word");
    else if (shape->inner == 4 && request->width <= 4)
        strbuf_puts(out, "neighbouring words");
    else if (shape->inner == (int64_t)request->width)
        strbuf_printf(out, "neighbouring %u-byte elements", request->width);
    else {
        strbuf_puts(out, "places ");
        put_distance(out, shape->inner);
        strbuf_puts(out, " apart");
    }
    strbuf_puts(out, ", ");
    put_distance(out, shape->outer);
    strbuf_puts(out, " from group to group: ");
    put_meeting(out, phase);
}

static void put_irregular(struct strbuf *out, const struct about *about,
                          const struct why_phase *phase) {
    uint32_t lanes = phase->meeting[phase->busiest];
    if (phase->by_lane && phase->words[phase->busiest] == 1) {
        const unsigned lane = (unsigned)__builtin_ctz(lanes);
        strbuf_printf(out, "%u lanes (", phase->most);
        put_numbers(out, lanes);
        strbuf_printf(out, ") %s ", about->verb);
        if (about->named)
            put_place(out, about, lane, true);
        else
            strbuf_printf(out, "word %u", (about->request->offsets[lane] - about->base) / 4);
        return;
    }
    strbuf_printf(out, "irregular: bank %u gets ", phase->busiest);
    if (phase->by_lane)
        strbuf_printf(out, "%u lanes on %u words (", phase->most, phase->words[phase->busiest]);
    else
        strbuf_printf(out, "%u words (", phase->most);
    put_lanes(out, lanes);
    strbuf_puts(out, ")");
}

static void put_same_word(struct strbuf *out, unsigned arch, const struct about *about,
                          const struct why_phase *phase) {
    const struct bankrun_request *request = about->request;
    uint32_t offset = request->offsets[__builtin_ctz(phase->lanes)];
    strbuf_printf(out, "%u lanes %s the same %s, ", phase->lane_count, about->verb,
                  request->width > 4 ? "words" : "word");
    put_places(out, about, phase->lanes & -phase->lanes, true);
    if (request->width <= 4)
        strbuf_printf(out, " (bank %u)", bankrun_bank(arch, offset));
}

static bool is_loop(const struct bankrun_request *request) {
    return request->access == BANKRUN_ATOMIC_LOOP || request->access == BANKRUN_ATOMIC_EARLY_LOOP ||
           request->access == BANKRUN_GENERIC_LOOP || request->access == BANKRUN_GENERIC_EARLY_LOOP;
}

// No bank is wanted twice, and yet there was an excess.
static void put_special(struct strbuf *out, unsigned arch, const struct bankrun_request *request,
                        const char *verb) {
    if (is_loop(request))
        strbuf_printf(out, "lanes of both half warps %s the same words", verb);
    else if (request->access == BANKRUN_ASYNC_COPY)
        strbuf_puts(out, "lanes read from the same bank of a cache line, or from lines that are "
                         "looked up one after the other");
    else if (bankrun_banks(arch) == 16)
        strbuf_printf(out,
                      "several lanes %s the same word, and this happens for more than one "
                      "word: only one word at a time is broadcast",
                      verb);
}

// Lanes before the array are none of it, nor is what they are asked about then.
static struct about about(const struct bankrun_request *request, const char *verb, uint32_t lanes,
                          const struct profile_named *named) {
    struct about about = {.request = request, .verb = verb};
    if (!named)
        return about;
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        if (request->offsets[__builtin_ctz(rest)] < named->offset)
            return about;
    about.named = named->elements.rank ? named : NULL;
    about.base = (uint32_t)named->offset;
    return about;
}

char *profile_why(unsigned arch, const struct bankrun_request *request, bool is_sum,
                  const struct profile_named *named) {
    struct strbuf out = {0};
    struct why_phase phase;
    const char *verb = verb_of(request, is_sum);
    if (bankrun_phase_lanes(arch, request, 0) == 0)
        return NULL;
    why_find_phase(arch, request, &phase);
    if (phase.most <= 1) {
        put_special(&out, arch, request, verb);
        return out.length > 0 ? strbuf_take(&out) : NULL;
    }
    struct why_shape shape = why_find_shape(phase.lanes, request->offsets);
    const struct about words = about(request, verb, phase.lanes, named);
    if (shape.kind == WHY_STRIDE && shape.inner == 0)
        put_same_word(&out, arch, &words, &phase);
    else if (shape.kind == WHY_STRIDE)
        put_stride(&out, &words, &phase, &shape);
    else if (shape.kind == WHY_GROUPS)
        put_groups(&out, &words, &phase, &shape);
    else
        put_irregular(&out, &words, &phase);
    if (is_loop(request))
        strbuf_puts(&out, "; each turn of the compare-and-swap loop lets one of them through");
    return strbuf_take(&out);
}
