// Words for what is wrong with a mnemonic.
#include <stdio.h>
#include <string.h>

#include "ptx/isa.h"
#include "ptx/isa_pattern.h"

enum { LONGEST_COMPARED = 40, WORDS_LISTED = 8 };

unsigned ptx_edit_distance(const char *a, size_t a_length, const char *b, size_t b_length,
                           unsigned limit) {
    unsigned rows[3][LONGEST_COMPARED + 1];
    size_t difference = a_length > b_length ? a_length - b_length : b_length - a_length;
    if (a_length > LONGEST_COMPARED || b_length > LONGEST_COMPARED || difference > limit)
        return limit + 1;
    for (unsigned j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (unsigned i = 1; i <= a_length; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (unsigned j = 1; j <= b_length; j++) {
            unsigned best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < best)
                best = above[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            bool is_swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (is_swapped && two_above[j - 2] + 1 < best)
                best = two_above[j - 2] + 1;
            row[j] = best;
        }
    }
    unsigned distance = rows[a_length % 3][b_length];
    return distance > limit ? limit + 1 : distance;
}

struct suggestion {
    char text[LONGEST_COMPARED + 1]; // "": none
    unsigned distance;               // further away than this is no better
};

static bool consider(struct suggestion *best, const struct ptx_word *wrong, struct ptx_word word) {
    if (best->distance == 0)
        return false;
    unsigned distance =
        ptx_edit_distance(wrong->text, wrong->length, word.text, word.length, best->distance - 1);
    if (distance >= best->distance)
        return false;
    best->distance = distance;
    snprintf(best->text, sizeof best->text, "%.*s", (int)word.length, word.text);
    return true;
}

// One wrong letter in a short word, two in a longer one.
static struct suggestion nothing_yet(size_t length) {
    return (struct suggestion){"", length < 2 ? 0 : length < 4 ? 2 : 3};
}

const char *ptx_isa_suggest_opcode(const char *text, size_t length) {
    const struct ptx_word wrong = {text, (uint32_t)length};
    struct suggestion best = nothing_yet(length);
    const char *nearest = NULL;
    for (enum ptx_isa isa = PTX_ISA_NONE + 1; isa < PTX_ISA_COUNT; isa++) {
        const char *opcode = ptx_isa_row(isa)->opcode;
        if (consider(&best, &wrong, (struct ptx_word){opcode, (uint32_t)strlen(opcode)}))
            nearest = opcode;
    }
    return nearest;
}

// `.m64n8k16 to .m64n256k16 in steps of 8`
static void print_choice(const struct ptx_isa_choice *choice, struct strbuf *message) {
    char text[PTX_MAX_RANGED];
    struct ptx_word word = ptx_isa_spell(choice, choice->first, text);
    strbuf_printf(message, ".%.*s", (int)word.length, word.text);
    if (!choice->step)
        return;
    word = ptx_isa_spell(choice, choice->last, text);
    strbuf_printf(message, " to .%.*s in steps of %u", (int)word.length, word.text, choice->step);
}

static void list_words(const struct ptx_isa_element *element, struct strbuf *message) {
    struct ptx_isa_choice choice;
    unsigned listed = 0;
    for (size_t at = 0; ptx_isa_next_choice(element, &at, &choice);) {
        if (listed++ == WORDS_LISTED) {
            strbuf_puts(message, ", ...");
            return;
        }
        const bool is_last = at >= element->length;
        strbuf_puts(message, listed == 1 ? "" : is_last ? " or " : ", ");
        print_choice(&choice, message);
    }
}

static bool is_word_of(const struct ptx_isa_element *element, const struct ptx_word *word,
                       struct suggestion *nearest) {
    struct ptx_isa_choice choice;
    char text[PTX_MAX_RANGED];
    for (size_t at = 0; ptx_isa_next_choice(element, &at, &choice);) {
        if (ptx_isa_choice_takes(&choice, word))
            return true;
        unsigned number = choice.first;
        do {
            consider(nearest, word, ptx_isa_spell(&choice, number, text));
            number += choice.step;
        } while (choice.step && number <= choice.last);
    }
    return false;
}

// Is there a row that takes this word? Collects the nearest of the words that are taken.
static bool is_taken(const struct ptx_isa_index *index, enum ptx_isa first,
                     const struct ptx_word *word, struct suggestion *nearest) {
    for (unsigned isa = first; isa; isa = index->next[isa]) {
        struct ptx_isa_pattern pattern;
        ptx_isa_read_pattern(ptx_isa_row((enum ptx_isa)isa), &pattern);
        for (size_t i = 0; i < pattern.count; i++)
            if (is_word_of(&pattern.elements[i], word, nearest))
                return true;
    }
    return false;
}

struct attempt { // how far a row gets with the words
    size_t taken;
    size_t rejected; // first word that it does not take, or the number of words
    struct ptx_isa_pattern pattern;
    int missing;
};

static void attempt_row(enum ptx_isa isa, const struct ptx_word *words, size_t count,
                        struct attempt *attempt) {
    bool filled[PTX_MAX_ELEMENTS] = {false};
    attempt->taken = 0;
    attempt->rejected = count;
    ptx_isa_read_pattern(ptx_isa_row(isa), &attempt->pattern);
    for (size_t i = 0; i < count; i++) {
        int element = ptx_isa_accept(&attempt->pattern, filled, &words[i]);
        if (element >= 0) {
            filled[element] = true;
            attempt->taken++;
        } else if (attempt->rejected == count) {
            attempt->rejected = i;
        }
    }
    attempt->missing = ptx_isa_missing(&attempt->pattern, filled);
}

size_t ptx_isa_explain(const struct ptx_isa_index *index, enum ptx_isa first, const char *mnemonic,
                       const struct ptx_word *words, size_t count, struct strbuf *message) {
    const char *opcode = ptx_isa_row(first)->opcode;
    for (size_t i = 0; i < count; i++) {
        struct suggestion nearest = nothing_yet(words[i].length);
        if (is_taken(index, first, &words[i], &nearest))
            continue;
        strbuf_printf(message, "'%s' does not take '.%.*s'", opcode, (int)words[i].length,
                      words[i].text);
        if (*nearest.text)
            strbuf_printf(message, "; did you mean '.%s'?", nearest.text);
        return i;
    }
    struct attempt best = {0}, attempt;
    for (unsigned isa = first; isa; isa = index->next[isa]) {
        attempt_row((enum ptx_isa)isa, words, count, &attempt);
        if (isa == first || attempt.taken > best.taken)
            best = attempt;
    }
    if (best.rejected < count) {
        strbuf_printf(message, "'.%.*s' does not go with the rest of '%s'",
                      (int)words[best.rejected].length, words[best.rejected].text, mnemonic);
        return best.rejected;
    }
    strbuf_printf(message, "'%s' needs ", mnemonic);
    if (best.missing >= 0)
        list_words(&best.pattern.elements[best.missing], message);
    return count;
}
