// Words for what is wrong with a mnemonic.
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
    const char *text;
    size_t length;
    unsigned distance; // further away than this is no better
};

static void consider(struct suggestion *best, const char *wrong, size_t wrong_length,
                     const char *text, size_t length) {
    if (best->distance == 0)
        return;
    unsigned distance = ptx_edit_distance(wrong, wrong_length, text, length, best->distance - 1);
    if (distance < best->distance)
        *best = (struct suggestion){text, length, distance};
}

// One wrong letter in a short word, two in a longer one.
static struct suggestion nothing_yet(size_t length) {
    return (struct suggestion){NULL, 0, length < 2 ? 0 : length < 4 ? 2 : 3};
}

const char *ptx_isa_suggest_opcode(const char *text, size_t length) {
    struct suggestion best = nothing_yet(length);
    for (enum ptx_isa isa = PTX_ISA_NONE + 1; isa < PTX_ISA_COUNT; isa++) {
        const char *opcode = ptx_isa_row(isa)->opcode;
        consider(&best, text, length, opcode, strlen(opcode));
    }
    return best.text;
}

static void list_words(const struct ptx_isa_element *element, struct strbuf *message) {
    unsigned listed = 0;
    for (size_t at = 0; at < element->length;) {
        const char *bar = memchr(element->words + at, '|', element->length - at);
        size_t end = bar ? (size_t)(bar - element->words) : element->length;
        if (listed++ == WORDS_LISTED) {
            strbuf_puts(message, ", ...");
            return;
        }
        strbuf_printf(message, "%s.%.*s",
                      listed == 1 ? ""
                      : bar       ? ", "
                                  : " or ",
                      (int)(end - at), element->words + at);
        at = end + 1;
    }
}

// Is there a row that takes this word? Collects the nearest of the words that are taken.
static bool is_taken(const struct ptx_isa_index *index, enum ptx_isa first,
                     const struct ptx_word *word, struct suggestion *nearest) {
    for (unsigned isa = first; isa; isa = index->next[isa]) {
        struct ptx_isa_pattern pattern;
        ptx_isa_read_pattern(ptx_isa_row((enum ptx_isa)isa), &pattern);
        for (size_t i = 0; i < pattern.count; i++) {
            const struct ptx_isa_element *element = &pattern.elements[i];
            for (size_t at = 0; at < element->length;) {
                const char *bar = memchr(element->words + at, '|', element->length - at);
                size_t end = bar ? (size_t)(bar - element->words) : element->length;
                const char *text = element->words + at;
                if (end - at == word->length && memcmp(text, word->text, end - at) == 0)
                    return true;
                consider(nearest, word->text, word->length, text, end - at);
                at = end + 1;
            }
        }
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
        if (nearest.text)
            strbuf_printf(message, "; did you mean '.%.*s'?", (int)nearest.length, nearest.text);
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
