// A spelling such as "ld.shared.v4.f32" is compared with the patterns of isa.def once; all later
// instructions spelled alike take the result from a map.
#include "ptx/isa.h"

#include <assert.h>
#include <string.h>

#include "ptx/isa_pattern.h"

void ptx_isa_index_init(struct ptx_isa_index *index, struct arena *arena) {
    *index = (struct ptx_isa_index){.arena = arena};
    uint16_t last_of[PTX_ISA_COUNT] = {0}; // first row -> last row so far of the same opcode
    for (enum ptx_isa isa = PTX_ISA_NONE + 1; isa < PTX_ISA_COUNT; isa++) {
        const char *opcode = ptx_isa_row(isa)->opcode;
        enum ptx_isa first = ptx_isa_find_opcode(index, opcode, strlen(opcode));
        if (first == PTX_ISA_NONE) {
            map_put(&index->opcodes, opcode, strlen(opcode), (void *)(uintptr_t)isa);
            last_of[isa] = (uint16_t)isa;
        } else {
            index->next[last_of[first]] = (uint16_t)isa;
            last_of[first] = (uint16_t)isa;
        }
    }
    for (uintptr_t type = PTX_NO_TYPE + 1; type < PTX_TYPE_COUNT; type++) {
        const char *text = ptx_type_text((enum ptx_type)type);
        map_put(&index->types, text, strlen(text), (void *)type);
    }
    for (uintptr_t modifier = PTX_MOD_NONE + 1; modifier < PTX_MOD_COUNT; modifier++) {
        const char *text = ptx_modifier_text((enum ptx_modifier)modifier);
        map_put(&index->modifiers, text, strlen(text), (void *)modifier);
    }
}

void ptx_isa_index_free(struct ptx_isa_index *index) {
    map_free(&index->opcodes);
    map_free(&index->mnemonics);
    map_free(&index->types);
    map_free(&index->modifiers);
}

enum ptx_isa ptx_isa_find_opcode(const struct ptx_isa_index *index, const char *text,
                                 size_t length) {
    return (enum ptx_isa)(uintptr_t)map_get(&index->opcodes, text, length);
}

static unsigned vector_size(enum ptx_modifier modifier) {
    switch (modifier) {
    case PTX_MOD_x1:
        return 1;
    case PTX_MOD_v2:
    case PTX_MOD_x2:
        return 2;
    case PTX_MOD_v4:
    case PTX_MOD_x4:
        return 4;
    case PTX_MOD_v8:
        return 8;
    default:
        return 0;
    }
}

// Gives each word to the first element that takes it and has none yet.
static bool match_words(const struct ptx_isa_index *index, const struct ptx_isa_pattern *pattern,
                        const struct ptx_word *words, size_t count, struct ptx_form *form) {
    bool filled[PTX_MAX_ELEMENTS] = {false};
    for (size_t i = 0; i < count; i++) {
        int element = ptx_isa_accept(pattern, filled, &words[i]);
        enum ptx_type type =
            (enum ptx_type)(uintptr_t)map_get(&index->types, words[i].text, words[i].length);
        if (element < 0 && !pattern->takes_anything)
            return false;
        if (type && form->type_count < PTX_MAX_TYPES)
            form->types[form->type_count++] = (uint8_t)type;
        if (element < 0)
            continue;
        filled[element] = true;
        if (!pattern->elements[element].is_type)
            form->modifiers[pattern->elements[element].group] =
                (uint16_t)(uintptr_t)map_get(&index->modifiers, words[i].text, words[i].length);
    }
    return ptx_isa_missing(pattern, filled) < 0;
}

static bool match_row(const struct ptx_isa_index *index, enum ptx_isa isa,
                      const struct ptx_word *words, size_t count, struct ptx_form *form) {
    const struct ptx_isa_row *row = ptx_isa_row(isa);
    struct ptx_isa_pattern pattern;
    ptx_isa_read_pattern(row, &pattern);
    *form = (struct ptx_form){.isa = isa, .vector = PTX_VECTOR_UNCHECKED};
    if (!match_words(index, &pattern, words, count, form))
        return false;
    if (pattern.has_vector)
        form->vector = (uint8_t)vector_size((enum ptx_modifier)form->modifiers[PTX_GROUP_vec]);
    else if (form->modifiers[PTX_GROUP_count])
        form->vector = (uint8_t)vector_size((enum ptx_modifier)form->modifiers[PTX_GROUP_count]);
    ptx_isa_read_operands(row, form);
    return true;
}

const struct ptx_mnemonic *ptx_isa_match(struct ptx_isa_index *index, enum ptx_isa first,
                                         const char *mnemonic, size_t length,
                                         const struct ptx_word *words, size_t count) {
    assert(first != PTX_ISA_NONE && first < PTX_ISA_COUNT && count <= PTX_MAX_MNEMONIC_WORDS);
    struct ptx_form forms[PTX_MAX_ROWS_OF_OPCODE];
    size_t form_count = 0;
    for (unsigned isa = first; isa; isa = index->next[isa]) {
        assert(form_count < PTX_MAX_ROWS_OF_OPCODE);
        if (match_row(index, (enum ptx_isa)isa, words, count, &forms[form_count]))
            form_count++;
    }
    if (form_count == 0)
        return NULL;
    struct ptx_form *kept = ARENA_ARRAY(index->arena, struct ptx_form, form_count);
    memcpy(kept, forms, form_count * sizeof *forms);
    struct ptx_mnemonic *result = ARENA_NEW(index->arena, struct ptx_mnemonic);
    result->text = arena_strndup(index->arena, mnemonic, length);
    result->forms = kept;
    result->form_count = form_count;
    map_put(&index->mnemonics, result->text, length, result);
    return result;
}
