// The patterns of isa.def, taken apart.
#ifndef BANKRUN_PTX_ISA_PATTERN_H
#define BANKRUN_PTX_ISA_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "ptx/isa.h"

enum { PTX_MAX_ELEMENTS = 24 }; // of one modifier pattern; a test holds isa.def to this

struct ptx_isa_element {
    bool is_type, is_optional;
    enum ptx_group group;
    const char *words; // "a|b|c"
    size_t length;
};

struct ptx_isa_pattern {
    struct ptx_isa_element elements[PTX_MAX_ELEMENTS];
    size_t count;
    bool takes_anything; // `*`
    bool has_vector;     // the `vec` group
};

void ptx_isa_read_pattern(const struct ptx_isa_row *row, struct ptx_isa_pattern *pattern);
void ptx_isa_read_operands(const struct ptx_isa_row *row, struct ptx_form *form);

// The element that takes a word, -1 when none does. Types are taken in the order of the pattern.
int ptx_isa_accept(const struct ptx_isa_pattern *pattern, const bool *filled,
                   const struct ptx_word *word);

// The first element that has to be there and is not, -1 when all are.
int ptx_isa_missing(const struct ptx_isa_pattern *pattern, const bool *filled);

#endif
