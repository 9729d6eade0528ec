// Accesses of wmma.load and wmma.store: some after another, of lanes that are apart by lines of the
// matrix. See ir/fragment.h.
#include "prove/walk.h"

struct fragment {
    struct ir_wmma wmma;
    // Of the matrix in memory, the same for all lanes. A stride that is a number has as many bits
    // as an address.
    const struct form *base, *stride;
};

// False: nobody knows where the matrix is.
static bool find_matrix(const struct reader *reader, const struct form *base,
                        struct fragment *fragment) {
    struct form_table *table = &reader->walker->table;
    const struct ir_instruction *instruction =
        &reader->code->function->instructions[reader->instruction];
    if (!base || !ir_wmma_of(instruction, &fragment->wmma))
        return false;
    fragment->base = base;
    fragment->stride =
        instruction->operand_count > 2
            ? read_operand(reader, &instruction->operands[2])
            : form_constant(table, 64, (uint64_t)fragment->wmma.stride * fragment->wmma.together);
    const struct form *stride = fragment->stride;
    if (form_is_concrete(stride) && form_is_same(stride->base) && stride->bits >= 32)
        fragment->stride =
            form_constant(table, 64, (uint32_t)stride->base[0] / fragment->wmma.together);
    else if (fragment->wmma.together > 1)
        return false;
    return form_is_uniform(table, base) && form_is_uniform(table, fragment->stride);
}

// Of the n-th access: base + (line * stride + at) * bytes.
static const struct form *address_of(struct walker *walker, const struct fragment *fragment,
                                     unsigned n, unsigned *width) {
    struct form_table *table = &walker->table;
    struct ir_wmma_access access;
    uint64_t line[FORM_LANES], at[FORM_LANES];
    ir_wmma_access(&fragment->wmma, n, &access);
    *width = access.width;
    for (unsigned l = 0; l < FORM_LANES; l++) {
        line[l] = (uint64_t)access.line[l] * fragment->wmma.bytes;
        at[l] = (uint64_t)access.at[l] * fragment->wmma.bytes;
    }
    const struct form *lines = form_scale(table, fragment->stride, form_intern_lanes(table, line));
    const struct form *inside = lines ? form_add(table, lines, form_concrete(table, 64, at)) : NULL;
    return inside ? form_add(table, fragment->base, inside) : NULL;
}

unsigned walk_fragment(const struct reader *reader, const struct form *base,
                       struct fragment_access accesses[FRAGMENT_ACCESSES]) {
    struct fragment fragment;
    if (!find_matrix(reader, base, &fragment))
        return 0;
    const unsigned count = ir_wmma_access_count(&fragment.wmma);
    for (unsigned n = 0; n < count; n++) {
        accesses[n].address = address_of(reader->walker, &fragment, n, &accesses[n].width);
        if (!accesses[n].address)
            return 0;
    }
    return count;
}
