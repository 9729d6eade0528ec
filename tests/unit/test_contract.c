// Which sums of products become fused multiply-adds. What is expected was read off the machine code
// that ptxas makes of the same kernels; tests/ptx/contract_*.ptx hold the values.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "ir/ir.h"
#include "ptx/facts.h"

// "+" for each sum that stays, else a letter: s a * b + c, r c - a * b, l a * b - c, m -(a * b) -
// c, and the names of its product's factors.
static char *contracted(const char *target, const char *body) {
    struct strbuf text = {0}, out = {0};
    strbuf_printf(&text,
                  ".version 8.7\n.target %s\n.address_size 64\n.const .f32 table[2];\n"
                  ".visible .entry k(.param .f32 p) { .reg .f32 %%a, %%b, %%c, %%e, %%f<9>;\n"
                  ".reg .b32 %%h<9>; .reg .b64 %%w<9>; .reg .pred %%p; .reg .u32 %%r<5>;\n"
                  "%s\nst.global.f32 [0], %%a; ret; }",
                  target, body);
    struct source source = {"test.ptx", text.data, strlen(text.data)};
    struct diag_list diags = {0};
    struct ptx_module *ptx = ptx_parse(&source, &diags);
    struct ir_module *ir = diags.errors ? NULL : ir_build(ptx, &diags);
    assert_non_null(ir);
    const struct ir_function *k = ir_find_function(ir, "k");
    for (uint32_t i = 0; i < k->instruction_count; i++) {
        const struct ir_instruction *instruction = &k->instructions[i];
        const char *opcode = ptx_isa_row(instruction->ptx->isa)->opcode;
        if (strcmp(opcode, "add") != 0 && strcmp(opcode, "sub") != 0)
            continue;
        if (!instruction->is_contracted) {
            strbuf_puts(&out, "+ ");
            continue;
        }
        assert_int_equal(instruction->operand_count, 4);
        strbuf_printf(&out, "%c",
                      "srlm"[instruction->negates_product + 2 * instruction->negates_addend]);
        for (int o = 1; o <= 2; o++)
            strbuf_puts(&out, instruction->operands[o].kind == IR_OPERAND_REGISTER
                                  ? k->registers[instruction->operands[o].reg].name + 1
                                  : "#");
        strbuf_puts(&out, " ");
    }
    ir_free(ir);
    ptx_module_free(ptx);
    diag_free(&diags);
    strbuf_free(&text);
    return strbuf_take(&out);
}

static void expect(const char *body, const char *wanted) {
    char *found = contracted("sm_90", body);
    assert_string_equal(found, wanted);
    free(found);
}

static void test_signs(void **state) {
    (void)state;
    expect("mul.f32 %f0, %a, %b; add.f32 %f1, %c, %f0;", "sab ");
    expect("mul.f32 %f0, %a, %b; sub.f32 %f1, %c, %f0;", "rab ");
    expect("mul.f32 %f0, %a, %b; sub.f32 %f1, %f0, %c;", "lab ");
    expect("mul.f32 %f0, %a, %b; neg.f32 %f1, %f0; sub.f32 %f2, %f1, %c;", "mab ");
    expect("mul.f32 %f0, %a, %b; neg.f32 %f1, %f0; mov.f32 %f2, %f1; sub.f32 %f3, %c, %f2;",
           "sab ");
}

static void test_all_that_read_it_must_be_sums(void **state) {
    (void)state;
    expect("mul.f32 %f0, %a, %b; add.f32 %f1, %f0, %c; sub.f32 %f2, %c, %f0;", "sab rab ");
    expect("mul.f32 %f0, %a, %b; add.f32 %f1, %f0, %c; st.global.f32 [8], %f0;", "+ ");
    expect("mul.f32 %f0, %a, %b; add.f32 %f1, %f0, %c; mul.f32 %f2, %f0, %c;", "+ ");
    expect("mul.f32 %f0, %a, %b; add.f32 %f1, %f0, %c; fma.rn.f32 %f2, %a, %b, %f0;", "+ ");
    expect("mul.f32 %f0, %a, %b; add.f32 %f1, %f0, %c; neg.f32 %f2, %f0; abs.f32 %f3, %f2;", "+ ");
    expect("mul.f32 %f0, %a, %b; add.f32 %f1, %f0, %f0;", "+ ");
    expect("mul.f32 %f0, %a, %b; neg.f32 %f1, %f0; add.f32 %f2, %f1, %f0;", "+ ");
}

static void test_rounding_is_kept_where_it_is_written(void **state) {
    (void)state;
    expect("mul.rn.f32 %f0, %a, %b; add.f32 %f1, %f0, %c;", "+ ");
    expect("mul.f32 %f0, %a, %b; add.rn.f32 %f1, %f0, %c;", "+ ");
    expect("mul.sat.f32 %f0, %a, %b; add.f32 %f1, %f0, %c;", "+ ");
    expect("mul.f32 %f0, %a, %b; add.sat.f32 %f1, %f0, %c;", "sab ");
    expect("mul.ftz.f32 %f0, %a, %b; add.f32 %f1, %f0, %c;", "+ ");
    expect("mul.ftz.f32 %f0, %a, %b; add.ftz.f32 %f1, %f0, %c;", "sab ");
    expect("mul.f32 %f0, %a, %b; mov.b32 %r0, %f0; mov.b32 %f1, %r0; add.f32 %f2, %f1, %c;",
           "sab ");
}

static void test_which_of_two(void **state) {
    (void)state;
    expect("mul.f32 %f0, %a, %b; mul.f32 %f1, %c, %e; add.f32 %f2, %f1, %f0;", "sce ");
    // one that is read once first, and then the other is needed
    expect("mul.f32 %f0, %a, %b; mul.f32 %f1, %c, %e; add.f32 %f3, %f1, %a; add.f32 %f2, %f0, %f1;",
           "+ sab ");
    // the one that is read less
    expect("mul.f32 %f0, %a, %b; mul.f32 %f1, %c, %e; sub.f32 %f2, %a, %f0; sub.f32 %f3, %f0, %f1;"
           "sub.f32 %f5, %f1, %f0;",
           "rab rce lce ");
    // packed: no first pass
    expect("mul.f16x2 %h0, %r0, %r1; mul.f16x2 %h1, %r2, %r3; add.f16x2 %h3, %h1, %r0;"
           "add.f16x2 %h2, %h0, %h1;",
           "sr2r3 sr0r1 ");
}

static void test_stretches(void **state) {
    (void)state;
    const char *split[] = {"membar.cta;",
                           "@%p st.global.f32 [8], %c;",
                           "div.rn.f32 %f5, %a, %c;",
                           "div.s32 %r1, %r2, %r3;",
                           "@%p ret;",
                           "rem.u64 %w0, %w1, %w2;"};
    const char *join[] = {"bar.sync 0;",
                          "bra.uni L; L:",
                          "@%p mov.f32 %f5, %c;",
                          "div.u32 %r1, %r2, %r3;",
                          "rcp.approx.f32 %f5, %c;",
                          "atom.global.add.u32 %r1, [8], 1;"};
    for (size_t i = 0; i < sizeof split / sizeof split[0]; i++) {
        struct strbuf body = {0};
        strbuf_printf(&body, "mul.f32 %%f0, %%a, %%b; %s add.f32 %%f1, %%f0, %%c;", split[i]);
        expect(body.data, "+ ");
        strbuf_free(&body);
    }
    for (size_t i = 0; i < sizeof join / sizeof join[0]; i++) {
        struct strbuf body = {0};
        strbuf_printf(&body, "mul.f32 %%f0, %%a, %%b; %s add.f32 %%f1, %%f0, %%c;", join[i]);
        expect(body.data, "sab ");
        strbuf_free(&body);
    }
}

static void test_constant_factors_reach_further(void **state) {
    (void)state;
    const char *elsewhere = "@%p bra L; add.f32 %f1, %f0, %c; bra J; L: sub.f32 %f1, %c, %f0; J:";
    const struct {
        const char *product, *wanted;
    } cases[] = {
        {"mul.f32 %f0, %a, %b;", "+ + "},
        {"mul.f32 %f0, %a, 0f40400000;", "sa# ra# "},
        {"mov.f32 %e, 0f40400000; mul.f32 %f0, %e, %a;", "sea rea "},
        {"ld.param.f32 %e, [p]; mul.f32 %f0, %a, %e;", "sae rae "},
        {"ld.const.f32 %e, [table+4]; mul.f32 %f0, %a, %e;", "sae rae "},
        {"ld.global.f32 %e, [16]; mul.f32 %f0, %a, %e;", "+ + "},
        {"mov.f32 %e, 0f40400000; mul.f32 %f0, %a, %e; mov.f32 %e, %b;", "+ + "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct strbuf body = {0};
        strbuf_printf(&body, "ld.global.f32 %%a, [32]; %s %s", cases[i].product, elsewhere);
        expect(body.data, cases[i].wanted);
        strbuf_free(&body);
    }
}

static void test_factors_that_change_stay(void **state) {
    (void)state;
    expect("mul.f32 %f0, %a, %b; mov.f32 %b, %c; add.f32 %f1, %f0, %c;", "+ ");
    expect("mul.f32 %f0, %a, %b; add.f32 %f1, %f0, %c; mov.f32 %b, %c;", "sab ");
    expect("mul.f32 %f0, %a, %b; add.f32 %f1, %f0, %c; mul.f32 %f0, %a, %c;", "+ ");
}

static void test_debugging_contracts_nothing(void **state) {
    (void)state;
    char *found = contracted("sm_90, debug", "mul.f32 %f0, %a, %b; add.f32 %f1, %f0, %c;");
    assert_string_equal(found, "+ ");
    free(found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signs),
        cmocka_unit_test(test_all_that_read_it_must_be_sums),
        cmocka_unit_test(test_rounding_is_kept_where_it_is_written),
        cmocka_unit_test(test_which_of_two),
        cmocka_unit_test(test_stretches),
        cmocka_unit_test(test_constant_factors_reach_further),
        cmocka_unit_test(test_factors_that_change_stay),
        cmocka_unit_test(test_debugging_contracts_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
