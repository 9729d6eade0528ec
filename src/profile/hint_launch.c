// Another number for a parameter. See hint_launch.h.
#include "profile/hint_launch.h"

#include <string.h>

enum { RESIDUES = 32, MOST_STRIDE = 1 << 20 }; // bytes of shared memory are fewer

static uint64_t number_at(const uint8_t *parameters, const struct profile_choice *choice) {
    uint64_t number = 0;
    for (unsigned i = 0; i < choice->bytes; i++)
        number |= (uint64_t)parameters[choice->offset + i] << 8 * i;
    return number;
}

// False: no formal parameter is there.
static bool name(const struct ir_function *kernel, uint64_t offset, struct profile_other *other) {
    for (uint32_t v = 0; v < kernel->variable_count; v++) {
        const struct ir_variable *variable = kernel->variables[v];
        other->number += variable->is_formal;
        other->byte = (unsigned)(offset - variable->offset);
        if (variable->is_formal && offset >= variable->offset &&
            offset - variable->offset < variable->ptx->bytes)
            return true;
    }
    return false;
}

// Rows that get shorter may overlap: only larger numbers are looked at.
static bool find_free(const struct profile_choice *choice, struct profile_other *other) {
    if (other->is == 0 || other->is > MOST_STRIDE || choice->degrees[other->is % RESIDUES] == 1)
        return false;
    for (other->free = other->is + 1; other->free < other->is + RESIDUES; other->free++)
        if (choice->degrees[other->free % RESIDUES] == 1)
            return true;
    return false;
}

bool hint_launch(const struct hint_launch *launch, const struct profile_choice *choice,
                 struct profile_other *other) {
    *other = (struct profile_other){0};
    if (choice->is_width) {
        other->is = launch->width;
        return find_free(choice, other);
    }
    if (!launch->parameters || !choice->bytes ||
        choice->offset + choice->bytes > launch->kernel->parameter_bytes)
        return false;
    other->is = number_at(launch->parameters, choice);
    return find_free(choice, other) && name(launch->kernel, choice->offset, other);
}
