/* 1.x: 16 banks of 4 bytes; each half warp is a request of its own, and each word of a wide access
 * is one too. A step serves one broadcast word with all its lanes, and one lane in every other
 * bank. Which word is broadcast is not specified, so the cost is an interval; the likely value
 * is that of the word of the lowest lane left.
 * Source: CUDA C Programming Guide, compute capability 1.x (loads; *assumed* for stores). */
#include "model.h"

#include <string.h>

enum { BANKS = 16, HALF = 16 };

struct bank { /* lanes that want each word, the most wanted word first */
    uint8_t lanes[HALF];
    uint8_t words, total;
};

struct half {
    struct bank banks[BANKS];
};

static void sort_words(struct bank *bank) {
    for (unsigned i = 1; i < bank->words; i++)
        for (unsigned j = i; j > 0 && bank->lanes[j] > bank->lanes[j - 1]; j--) {
            uint8_t swap = bank->lanes[j];
            bank->lanes[j] = bank->lanes[j - 1];
            bank->lanes[j - 1] = swap;
        }
    while (bank->words > 0 && bank->lanes[bank->words - 1] == 0)
        bank->words--;
}

static void fill(struct half *half, const uint32_t words[HALF], uint32_t lanes) {
    memset(half, 0, sizeof *half);
    uint32_t seen[BANKS][HALF];
    for (; lanes != 0; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        struct bank *bank = &half->banks[words[lane] % BANKS];
        unsigned i = 0;
        while (i < bank->words && seen[words[lane] % BANKS][i] != words[lane])
            i++;
        if (i == bank->words)
            seen[words[lane] % BANKS][bank->words++] = words[lane];
        bank->lanes[i]++;
        bank->total++;
    }
    for (unsigned b = 0; b < BANKS; b++)
        if (half->banks[b].words > 1)
            sort_words(&half->banks[b]);
}

/* Broadcasts that a bank needs to be done in `steps`; HALF + 1: it cannot. */
static unsigned broadcasts_needed(const struct bank *bank, unsigned steps) {
    unsigned left = bank->total;
    for (unsigned k = 0; k <= bank->words; k++) {
        if (k <= steps && left <= steps - k)
            return k;
        if (k < bank->words)
            left -= bank->lanes[k];
    }
    return HALF + 1;
}

/* Best choices: banks only compete for the one broadcast of each step. */
static unsigned fewest_steps(const struct half *half) {
    unsigned steps = 1;
    for (unsigned b = 0; b < BANKS; b++) /* a step serves one word of a bank */
        steps = half->banks[b].words > steps ? half->banks[b].words : steps;
    for (;; steps++) {
        unsigned needed = 0;
        for (unsigned b = 0; b < BANKS; b++)
            if (half->banks[b].total > steps)
                needed += broadcasts_needed(&half->banks[b], steps);
        if (needed <= steps)
            return steps;
    }
}

static void drop(struct bank *bank, unsigned word, unsigned lanes) {
    bank->lanes[word] = (uint8_t)(bank->lanes[word] - lanes);
    bank->total = (uint8_t)(bank->total - lanes);
    sort_words(bank);
}

/* Worst choices: the least wanted word of some bank is broadcast, and other banks serve a lane of
 * their most wanted word. A bank with one lane left loses nothing by a broadcast. */
static unsigned most_steps(const struct half *half) {
    unsigned longest = 0, largest = 0;
    bool has_single = false;
    for (unsigned b = 0; b < BANKS; b++) {
        largest = half->banks[b].total > largest ? half->banks[b].total : largest;
        has_single |= half->banks[b].total == 1;
    }
    if (largest <= 1)
        return largest;
    for (unsigned chosen = 0; chosen < BANKS && longest < largest; chosen++) {
        const struct bank *from = &half->banks[chosen];
        if (from->total == 0 || (has_single && from->total != 1))
            continue;
        struct half next = *half;
        for (unsigned b = 0; b < BANKS; b++) {
            struct bank *bank = &next.banks[b];
            if (b == chosen)
                drop(bank, bank->words - 1u, bank->lanes[bank->words - 1]);
            else if (bank->total > 0)
                drop(bank, 0, 1);
        }
        unsigned steps = 1 + most_steps(&next);
        longest = steps > longest ? steps : longest;
        if (has_single)
            break;
    }
    return longest;
}

static unsigned likely_steps(const uint32_t words[HALF], uint32_t lanes) {
    unsigned steps = 0;
    for (; lanes != 0; steps++) {
        uint32_t broadcast = words[__builtin_ctz(lanes)];
        uint32_t busy = 1u << broadcast % BANKS, served = 0;
        for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
            unsigned lane = (unsigned)__builtin_ctz(rest);
            uint32_t bank = 1u << words[lane] % BANKS;
            if (words[lane] != broadcast && (busy & bank))
                continue;
            busy |= bank;
            served |= 1u << lane;
        }
        lanes &= ~served;
    }
    return steps;
}

static enum bankrun_certainty certainty(const struct bankrun_request *request) {
    switch (request->access) {
    case BANKRUN_LOAD:
    case BANKRUN_GENERIC_LOAD:
        return BANKRUN_DOCUMENTED;
    case BANKRUN_STORE:
        return BANKRUN_ASSUMED;
    default:
        return BANKRUN_UNKNOWN;
    }
}

void bankrun_count_family_1(const struct bankrun_request *request, struct bankrun_cost *cost) {
    uint32_t active = bankrun_active_lanes(request);
    unsigned words = request->width > 4 ? request->width / 4 : 1;
    *cost = (struct bankrun_cost){.certainty = certainty(request)};
    for (unsigned n = 0; n < 2 * words; n++) {
        uint32_t lanes = active >> n % 2 * HALF & 0xffffu, word[HALF];
        if (lanes == 0)
            continue;
        for (unsigned lane = 0; lane < HALF; lane++)
            word[lane] = request->offsets[n % 2 * HALF + lane] / 4 + n / 2;
        struct half half;
        fill(&half, word, lanes);
        unsigned likely = likely_steps(word, lanes);
        cost->phases++;
        cost->wavefronts += likely;
        cost->min += fewest_steps(&half);
        cost->max += most_steps(&half);
        cost->degree = likely > cost->degree ? likely : cost->degree;
    }
    cost->ideal = cost->phases;
    if (cost->certainty == BANKRUN_UNKNOWN) /* atomics: a locked load and a store each time? */
        cost->max = 2 * (uint32_t)__builtin_popcount(active) * words;
}

uint32_t bankrun_family_1_phase(const struct bankrun_request *request, unsigned n) {
    uint32_t active = bankrun_active_lanes(request);
    uint32_t halves[2] = {active & 0xffffu, active & 0xffff0000u};
    unsigned words = request->width > 4 ? request->width / 4 : 1;
    for (unsigned i = 0; i < 2 * words; i++)
        if (halves[i % 2] != 0 && n-- == 0)
            return halves[i % 2];
    return 0;
}
