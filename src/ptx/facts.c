#include "ptx/facts.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "ptx/isa_pattern.h"

const struct ptx_isa_row *ptx_isa_row(enum ptx_isa isa) {
    enum { // what isa.def writes in its columns
#define X(name) name = PTX_FACT_##name,
        PTX_FACTS(X)
#undef X
    };
    static const struct ptx_isa_row rows[PTX_ISA_COUNT] = {
        [PTX_ISA_NONE] = {.opcode = "", .form = "", .modifiers = "", .operands = "", .select = ""},
#define ISA(opcode, form, modifiers, operands, select, access, facts)                              \
    [PTX_ISA_##opcode##_##                                                                         \
        form] = {#opcode, #form, modifiers, operands, #select, PTX_ACCESS_##access, facts},
#include "ptx/isa.def"
#undef ISA
    };
    assert(isa < PTX_ISA_COUNT);
    return &rows[isa];
}

enum ptx_isa ptx_find_opcode(const char *text, size_t length) {
    for (enum ptx_isa isa = PTX_ISA_NONE + 1; isa < PTX_ISA_COUNT; isa++) {
        const char *opcode = ptx_isa_row(isa)->opcode;
        if (strlen(opcode) == length && memcmp(opcode, text, length) == 0)
            return isa;
    }
    return PTX_ISA_NONE;
}

// The patterns taken apart, once.
static struct row_rules {
    struct ptx_operand_rule rules[PTX_MAX_OPERANDS];
    uint8_t count;
    bool rest_is_free;
} row_rules[PTX_ISA_COUNT];

static void read_rules(void) {
    for (enum ptx_isa isa = PTX_ISA_NONE + 1; isa < PTX_ISA_COUNT; isa++) {
        struct ptx_form form = {.isa = isa};
        ptx_isa_read_operands(ptx_isa_row(isa), &form);
        memcpy(row_rules[isa].rules, form.rules, sizeof form.rules);
        row_rules[isa].count = form.rule_count;
        row_rules[isa].rest_is_free = form.rest_is_free;
    }
}

const struct ptx_operand_rule *ptx_operand_rule(enum ptx_isa isa, unsigned position) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static const struct ptx_operand_rule anything = {.letter = '*'};
    pthread_once(&once, read_rules);
    assert(isa < PTX_ISA_COUNT);
    const struct row_rules *row = &row_rules[isa];
    if (position < row->count)
        return &row->rules[position];
    return row->rest_is_free ? &anything : NULL;
}

// The product of two factors. Of 64 bits there is none: lane code refuses it by name.
static enum ptx_type widened(enum ptx_type type) {
    const bool is_signed = ptx_type_class(type) == PTX_CLASS_SIGNED;
    switch (ptx_type_bytes(type)) {
    case 2:
        return is_signed ? PTX_S32 : PTX_U32;
    case 4:
        return is_signed ? PTX_S64 : PTX_U64;
    default:
        return type;
    }
}

enum ptx_type ptx_operand_type(const struct ptx_instruction *instruction,
                               const struct ptx_operand_rule *rule) {
    const uint8_t *types = instruction->types;
    enum ptx_type last =
        instruction->type_count ? (enum ptx_type)types[instruction->type_count - 1] : PTX_B32;
    if (rule->letter == 'p' || rule->letter == 'q')
        return PTX_PRED;
    switch (rule->type) {
    case PTX_OPERAND_LAST_TYPE:
        return last;
    case PTX_OPERAND_FIRST_TYPE:
        return (enum ptx_type)types[0];
    case PTX_OPERAND_WIDE_TYPE:
        return ptx_modifier_of(instruction, PTX_GROUP_half) == PTX_MOD_wide ? widened(last) : last;
    default:
        return (enum ptx_type)rule->type;
    }
}
