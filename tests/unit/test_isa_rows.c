// The rows of isa.def: well formed, and matched by the spellings of real PTX.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "ptx/facts.h"
#include "ptx/isa.h"
#include "ptx/isa_pattern.h"
#include "source_path.h"

static void test_rows_are_well_formed(void **state) {
    (void)state;
    struct arena *arena = arena_create();
    struct ptx_isa_index index;
    ptx_isa_index_init(&index, arena);
    for (enum ptx_isa isa = PTX_ISA_NONE + 1; isa < PTX_ISA_COUNT; isa++) {
        const struct ptx_isa_row *row = ptx_isa_row(isa);
        struct ptx_isa_pattern pattern;
        struct ptx_form form = {.isa = isa};
        ptx_isa_read_pattern(row, &pattern); // asserts that groups are known
        ptx_isa_read_operands(row, &form);
        if (pattern.takes_anything || form.takes_anything)
            assert_true(strcmp(row->select, "refuse") == 0 || pattern.count <= 2);
        for (size_t i = 0; i < form.rule_count; i++)
            assert_non_null(strchr("dDRUqsSVpimtLflxyz", form.rules[i].letter));
        for (size_t i = 0; i < pattern.count; i++) {
            const struct ptx_isa_element *element = &pattern.elements[i];
            for (size_t at = 0; at < element->length;) {
                const char *word = element->words + at;
                size_t length = strcspn(word, "|? ");
                if (length > element->length - at)
                    length = element->length - at;
                const struct map *map = element->is_type ? &index.types : &index.modifiers;
                if (!map_get(map, word, length))
                    fail_msg("%s_%s: unknown word '%.*s'", row->opcode, row->form, (int)length,
                             word);
                at += length + 1;
            }
        }
    }
    unsigned most = 0;
    for (enum ptx_isa isa = PTX_ISA_NONE + 1; isa < PTX_ISA_COUNT; isa++) {
        const char *opcode = ptx_isa_row(isa)->opcode;
        unsigned count = 0;
        for (unsigned row = ptx_isa_find_opcode(&index, opcode, strlen(opcode)); row;
             row = index.next[row])
            count++;
        most = count > most ? count : most;
    }
    assert_in_range(most, 1, PTX_MAX_ROWS_OF_OPCODE);
    ptx_isa_index_free(&index);
    arena_destroy(arena);
}

static bool has_letter(enum ptx_isa isa, const char *letters) {
    const struct ptx_operand_rule *rule;
    for (unsigned i = 0; i < PTX_MAX_OPERANDS && (rule = ptx_operand_rule(isa, i)); i++)
        if (strchr(letters, rule->letter))
            return true;
    return false;
}

static bool has_element(enum ptx_isa isa, enum ptx_group group) {
    struct ptx_isa_pattern pattern;
    ptx_isa_read_pattern(ptx_isa_row(isa), &pattern);
    for (size_t i = 0; i < pattern.count; i++)
        if (!pattern.elements[i].is_type && pattern.elements[i].group == group)
            return true;
    return false;
}

// What follows from one column holds in the others.
static void test_facts_agree(void **state) {
    (void)state;
    for (enum ptx_isa isa = PTX_ISA_NONE + 1; isa < PTX_ISA_COUNT; isa++) {
        const struct ptx_isa_row *row = ptx_isa_row(isa);
        const bool is_refused = row->facts & PTX_FACT_REFUSED;
        assert_true(is_refused == (strcmp(row->select, "refuse") == 0));
        if (is_refused)
            continue;
        if (row->access != PTX_ACCESS_NONE && !has_letter(isa, "mt"))
            fail_msg("%s_%s accesses memory, and has no address", row->opcode, row->form);
        // Lanes that go on together for it may look at each other, or why would they?
        if (has_element(isa, PTX_GROUP_sync) && has_letter(isa, "dq") && has_letter(isa, "sp") &&
            !has_letter(isa, "mtDSRUV") && !(row->facts & PTX_FACT_GATHERS))
            fail_msg("%s_%s is .sync and does not gather", row->opcode, row->form);
        if (row->facts & (PTX_FACT_PRODUCT | PTX_FACT_SUM))
            assert_string_equal(row->operands, "d,s,s");
        if (row->facts & PTX_FACT_NEGATES)
            assert_true(row->facts & (PTX_FACT_SUM | PTX_FACT_COPY));
        if (row->facts & PTX_FACT_SPLITS)
            assert_false(has_letter(isa, "dDqRUx"));
    }
}

// The row that takes a spelling, with its types and modifiers.
static struct ptx_instruction read_mnemonic(const char *text) {
    struct arena *arena = arena_create();
    struct ptx_isa_index index;
    ptx_isa_index_init(&index, arena);
    struct ptx_word words[PTX_MAX_MNEMONIC_WORDS];
    size_t count = 0, opcode = strcspn(text, ".");
    for (const char *dot = text + opcode; *dot; dot += words[count - 1].length + 1) {
        words[count].text = dot + 1;
        words[count].length = (uint32_t)strcspn(dot + 1, ".");
        count++;
    }
    enum ptx_isa first = ptx_isa_find_opcode(&index, text, opcode);
    assert_int_equal(first, ptx_find_opcode(text, opcode));
    const struct ptx_mnemonic *found =
        ptx_isa_match(&index, first, text, strlen(text), words, count);
    assert_non_null(found);
    struct ptx_instruction result = {.isa = found->forms[0].isa,
                                     .type_count = found->forms[0].type_count};
    memcpy(result.types, found->forms[0].types, sizeof result.types);
    memcpy(result.modifiers, found->forms[0].modifiers, sizeof result.modifiers);
    ptx_isa_index_free(&index);
    arena_destroy(arena);
    return result;
}

static void test_operand_types(void **state) {
    (void)state;
    static const struct {
        const char *mnemonic;
        unsigned position;
        enum ptx_type type;
    } table[] = {
        {"add.u64", 2, PTX_U64},           {"shl.b64", 2, PTX_B32},
        {"bfi.b64", 2, PTX_B64},           {"bfi.b64", 4, PTX_B32},
        {"mad.wide.s32", 3, PTX_S64},      {"mad.wide.u16", 3, PTX_U32},
        {"mad.lo.s32", 3, PTX_S32},        {"mul.wide.u64", 0, PTX_U64},
        {"mul.wide.u32", 0, PTX_U64},      {"slct.f64.s32", 1, PTX_F64},
        {"slct.f64.s32", 3, PTX_S32},      {"setp.lt.and.f32", 3, PTX_PRED},
        {"setp.lt.f64", 0, PTX_PRED},      {"set.eq.u32.f64", 0, PTX_U32},
        {"set.eq.u32.f64", 1, PTX_F64},    {"match.any.sync.b64", 2, PTX_B32},
        {"popc.b64", 0, PTX_B32},          {"add.f32.bf16", 1, PTX_BF16},
        {"add.f32.bf16", 2, PTX_F32},      {"bar.red.and.pred", 1, PTX_B32},
        {"bar.red.and.pred", 2, PTX_PRED}, {"bar.sync", 0, PTX_B32},
        {"sust.b.1d.b64", 0, PTX_B32},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct ptx_instruction instruction = read_mnemonic(table[i].mnemonic);
        const struct ptx_operand_rule *rule = ptx_operand_rule(instruction.isa, table[i].position);
        assert_non_null(rule);
        if (ptx_operand_type(&instruction, rule) != table[i].type)
            fail_msg("operand %u of %s", table[i].position, table[i].mnemonic);
    }
    assert_null(ptx_operand_rule(PTX_ISA_add_int, 3));
    assert_true(ptx_operand_rule(PTX_ISA_ld_any, 0)->has_any_width);
    assert_int_equal(ptx_operand_rule(PTX_ISA_call_plain, 7)->letter, '*');
    assert_int_equal(ptx_find_opcode("ad", 2), PTX_ISA_NONE);
}

// Spellings met in real PTX, one a line.
static void test_real_mnemonics_match(void **state) {
    (void)state;
    char *path = source_path("tests/ptx/parse/mnemonics.txt"), *text;
    size_t length, lines = 0;
    assert_true(file_read(path, &text, &length));
    struct arena *arena = arena_create();
    struct ptx_isa_index index;
    ptx_isa_index_init(&index, arena);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        struct ptx_word words[PTX_MAX_MNEMONIC_WORDS];
        size_t count = 0, opcode = strcspn(line, ".");
        for (const char *dot = line + opcode; *dot; dot += words[count - 1].length + 1) {
            words[count].text = dot + 1;
            words[count].length = (uint32_t)strcspn(dot + 1, ".");
            count++;
        }
        enum ptx_isa first = ptx_isa_find_opcode(&index, line, opcode);
        if (!first || !ptx_isa_match(&index, first, line, strlen(line), words, count))
            fail_msg("no row takes %s", line);
    }
    assert_true(lines > 700);
    ptx_isa_index_free(&index);
    arena_destroy(arena);
    free(text);
    free(path);
}

static void test_edit_distance(void **state) {
    (void)state;
    assert_int_equal(ptx_edit_distance("add", 3, "add", 3, 3), 0);
    assert_int_equal(ptx_edit_distance("ad", 2, "add", 3, 3), 1);
    assert_int_equal(ptx_edit_distance("sbu", 3, "sub", 3, 3), 1); // swapped letters
    assert_int_equal(ptx_edit_distance("kitten", 6, "sitting", 7, 5), 3);
    assert_int_equal(ptx_edit_distance("kitten", 6, "sitting", 7, 2), 3);
    assert_int_equal(ptx_edit_distance("", 0, "abc", 3, 9), 3);
    assert_string_equal(ptx_isa_suggest_opcode("ldmatrx", 7), "ldmatrix");
    assert_null(ptx_isa_suggest_opcode("xyzzy", 5));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_well_formed), cmocka_unit_test(test_facts_agree),
        cmocka_unit_test(test_operand_types),        cmocka_unit_test(test_real_mnemonics_match),
        cmocka_unit_test(test_edit_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
