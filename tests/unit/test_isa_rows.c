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
        cmocka_unit_test(test_rows_are_well_formed),
        cmocka_unit_test(test_real_mnemonics_match),
        cmocka_unit_test(test_edit_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
