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

static void check_words_are_known(const struct ptx_isa_row *row,
                                  const struct ptx_isa_choice *choice, const struct map *map) {
    char text[PTX_MAX_RANGED];
    assert_true(choice->step ? choice->first < choice->last &&
                                   (choice->last - choice->first) % choice->step == 0
                             : choice->last == 0);
    unsigned number = choice->first;
    do {
        const struct ptx_word word = ptx_isa_spell(choice, number, text);
        if (!map_get(map, word.text, word.length))
            fail_msg("%s_%s: unknown word '%.*s'", row->opcode, row->form, (int)word.length,
                     word.text);
        assert_true(ptx_isa_choice_takes(choice, &word));
        number += choice->step;
    } while (choice->step && number <= choice->last);
}

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
            const struct map *map = element->is_type ? &index.types : &index.modifiers;
            struct ptx_isa_choice choice;
            for (size_t at = 0; ptx_isa_next_choice(element, &at, &choice);)
                check_words_are_known(row, &choice, map);
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

// Returns how many words stand behind the opcode.
static size_t split_mnemonic(const char *text, struct ptx_word words[PTX_MAX_MNEMONIC_WORDS]) {
    size_t count = 0;
    for (const char *dot = strchr(text, '.'); dot && *dot; dot += words[count++].length + 1)
        words[count] = (struct ptx_word){dot + 1, (uint32_t)strcspn(dot + 1, ".")};
    return count;
}

// The row that takes a spelling, with its types and modifiers.
static struct ptx_instruction read_mnemonic(const char *text) {
    struct arena *arena = arena_create();
    struct ptx_isa_index index;
    ptx_isa_index_init(&index, arena);
    struct ptx_word words[PTX_MAX_MNEMONIC_WORDS];
    const size_t count = split_mnemonic(text, words), opcode = strcspn(text, ".");
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
        const size_t count = split_mnemonic(line, words), opcode = strcspn(line, ".");
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

static bool takes(enum ptx_isa isa, const char *word) {
    const struct ptx_word as_word = {word, (uint32_t)strlen(word)};
    bool filled[PTX_MAX_ELEMENTS] = {false};
    struct ptx_isa_pattern pattern;
    ptx_isa_read_pattern(ptx_isa_row(isa), &pattern);
    return ptx_isa_accept(&pattern, filled, &as_word) >= 0;
}

// Both ends, what is just outside, between two steps, and spelled in another way.
static void test_ranges(void **state) {
    (void)state;
    static const char *const taken[] = {"m64n8k32",  "m64n16k32",  "m64n32k32",
                                        "m64n48k32", "m64n240k32", "m64n256k32"};
    static const char *const refused[] = {
        "m64n0k32",        "m64n7k32",   "m64n9k32",   "m64n12k32",  "m64n40k32",
        "m64n56k32",       "m64n257k32", "m64n264k32", "m64n272k32", "m64n4294967304k32",
        "m64nk32",         "m64n",       "m64n08k32",  "m64n8k3",    "m64n8k320",
        "m64n8k16",        "m32n8k32",   "m64n8 k32",  "m64n-8k32",  "m64n8-32k32",
        "m64n{8-32/8}k32", "m64n32",     "m64n8/8k32"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        assert_true(takes(PTX_ISA_wgmma_int, taken[i]));
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (takes(PTX_ISA_wgmma_int, refused[i]))
            fail_msg("wgmma_int takes .%s", refused[i]);
    assert_true(takes(PTX_ISA_wgmma_half, "m64n40k16")); // in steps of 8 all the way
    assert_true(takes(PTX_ISA_wgmma_float, "m64n248k8") && takes(PTX_ISA_wgmma_float, "m64n8k32"));
    assert_false(takes(PTX_ISA_wgmma_float, "m64n8k16"));
}

static void test_ranges_in_words(void **state) {
    (void)state;
    static const struct {
        const char *mnemonic;
        size_t blamed;
        const char *message;
    } table[] = {
        {"wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16", 3,
         "'wgmma' does not take '.m64n12k16'; did you mean '.m64n16k16'?"},
        {"wgmma.mma_async.sync.aligned.m64n264k16.f32.f16.f16", 3,
         "'wgmma' does not take '.m64n264k16'; did you mean '.m64n24k16'?"},
        {"wgmma.mma_async.sync.aligned.f32.f16.f16", 6,
         "'wgmma.mma_async.sync.aligned.f32.f16.f16' needs .m64n8k16 to .m64n256k16 in steps of 8"},
        {"wgmma.mma_async.sync.aligned.s32.s8.u8", 6,
         "'wgmma.mma_async.sync.aligned.s32.s8.u8' needs .m64n8k32 to .m64n32k32 in steps of 8 or "
         ".m64n48k32 to .m64n256k32 in steps of 16"},
    };
    struct arena *arena = arena_create();
    struct ptx_isa_index index;
    ptx_isa_index_init(&index, arena);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *text = table[i].mnemonic;
        struct ptx_word words[PTX_MAX_MNEMONIC_WORDS];
        struct strbuf message = {0};
        const size_t count = split_mnemonic(text, words);
        assert_int_equal(ptx_isa_explain(&index, PTX_ISA_wgmma_half, text, words, count, &message),
                         table[i].blamed);
        assert_string_equal(message.data, table[i].message);
        strbuf_free(&message);
    }
    ptx_isa_index_free(&index);
    arena_destroy(arena);
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
        cmocka_unit_test(test_rows_are_well_formed),
        cmocka_unit_test(test_facts_agree),
        cmocka_unit_test(test_operand_types),
        cmocka_unit_test(test_real_mnemonics_match),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_ranges_in_words),
        cmocka_unit_test(test_edit_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
