// The patterns of isa.def, taken apart.
#ifndef BANKRUN_PTX_ISA_PATTERN_H
#define BANKRUN_PTX_ISA_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "ptx/isa.h"

enum {
    PTX_MAX_ELEMENTS = 24, // of one modifier pattern; a test holds isa.def to this
    PTX_MAX_RANGED = 24,   // bytes of a word of a range, and one more
};

struct ptx_isa_element {
    bool is_type, is_optional;
    enum ptx_group group;
    const char *words; // "a|b{8-32/8}|c"
    size_t length;
};

// What stands between two bars of an element: a word, or the words of a range.
struct ptx_isa_choice {
    struct ptx_word head, tail; // of a word alone, the head is all
    unsigned first, last, step; // the numbers in between; all 0: there is none
};

struct ptx_isa_pattern {
    struct ptx_isa_element elements[PTX_MAX_ELEMENTS];
    size_t count;
    bool takes_anything; // `*`
    bool has_vector;     // the `vec` group
};

void ptx_isa_read_pattern(const struct ptx_isa_row *row, struct ptx_isa_pattern *pattern);
void ptx_isa_read_operands(const struct ptx_isa_row *row, struct ptx_form *form);

// The choice at *at, which begins with 0 and is moved on; false: there are no more.
bool ptx_isa_next_choice(const struct ptx_isa_element *element, size_t *at,
                         struct ptx_isa_choice *out);
bool ptx_isa_choice_takes(const struct ptx_isa_choice *choice, const struct ptx_word *word);

// The word with this number; `text` may hold it.
struct ptx_word ptx_isa_spell(const struct ptx_isa_choice *choice, unsigned number,
                              char text[PTX_MAX_RANGED]);

// The element that takes a word, -1 when none does. Types are taken in the order of the pattern.
int ptx_isa_accept(const struct ptx_isa_pattern *pattern, const bool *filled,
                   const struct ptx_word *word);

// The first element that has to be there and is not, -1 when all are.
int ptx_isa_missing(const struct ptx_isa_pattern *pattern, const bool *filled);

#endif
