// Places of symbols and of memory operands, and windows of the generic address space.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <string.h>

#include "ir/address.h"

static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".global .b32 g[4];\n.extern .global .b32 elsewhere;\n"
                           ".func f(.param .b64 p, .param .b32 n) {\n"
                           "  .local .b32 l[4]; .reg .b64 %a; .reg .b32 %r;\n"
                           "  mov.u64 %a, l; mov.u64 %a, p; ld.param.u32 %r, [%a]; ret; }\n"
                           ".entry k(.param .u64 q, .param .u32 m) {\n"
                           "  .shared .b32 s[4], t[4]; .local .b32 l[4];\n"
                           "  .reg .b64 %a; .reg .b32 %r;\n"
                           "  mov.u32 %r, s; mov.u32 %r, t+4; mov.u64 %a, g; mov.u64 %a, l;\n"
                           "  mov.u64 %a, m;\n"
                           "  ld.shared.u32 %r, [t+8]; ld.u32 %r, [t+8]; ld.u32 %r, [l+4];\n"
                           "  ld.global.u32 %r, [%a+-4]; ld.shared::cluster.u32 %r, [%r+4];\n"
                           "  ld.global.u32 %r, [g+4]; ld.param.u32 %r, [m]; ld.u32 %r, [64];\n"
                           "  ret; }\n";

struct fixture {
    struct source source;
    struct ptx_module *ptx;
    struct ir_module *ir;
    struct diag_list diags;
    const struct ir_shared_layout *layout;
};

static int setup(void **state) {
    static struct fixture f;
    f.source = (struct source){"test.ptx", text, strlen(text)};
    f.ptx = ptx_parse(&f.source, &f.diags);
    f.ir = ir_build(f.ptx, &f.diags);
    assert_non_null(f.ir);
    f.layout = ir_shared_layout(ir_find_function(f.ir, "k"));
    *state = &f;
    return 0;
}

static int teardown(void **state) {
    struct fixture *f = *state;
    ir_free(f->ir);
    ptx_module_free(f->ptx);
    diag_free(&f->diags);
    return 0;
}

// Of the n-th instruction: the symbol that it moves, or the address that it loads from.
static struct ir_place place(const struct fixture *f, const char *name, uint32_t n) {
    const struct ir_function *function = ir_find_function(f->ir, name);
    const struct ir_instruction *instruction = &function->instructions[n];
    const struct ir_operand *operand = &instruction->operands[1];
    return operand->kind == IR_OPERAND_SYMBOL
               ? ir_symbol_place(function, f->layout, operand)
               : ir_access_place(function, f->layout, instruction, operand);
}

static void check(struct ir_place got, enum ptx_space space, enum ir_base base, uint64_t offset) {
    assert_int_equal(got.space, space);
    assert_int_equal(got.base, base);
    assert_int_equal(got.offset, offset);
}

static void test_symbols(void **state) {
    struct fixture *f = *state;
    check(place(f, "k", 0), PTX_SPACE_SHARED, IR_BASE_NONE, 0);
    check(place(f, "k", 1), PTX_SPACE_SHARED, IR_BASE_NONE, 20);
    check(place(f, "k", 2), PTX_SPACE_GLOBAL, IR_BASE_VARIABLE, 0);
    check(place(f, "k", 3), PTX_SPACE_LOCAL, IR_BASE_NONE, 0);
    check(place(f, "k", 4), PTX_SPACE_GENERIC, IR_BASE_PARAMETERS, 8);
    check(place(f, "f", 0), PTX_SPACE_LOCAL, IR_BASE_FRAME, 0);
    const struct ir_place copied = place(f, "f", 1);
    check(copied, PTX_SPACE_GENERIC, IR_BASE_FRAME, copied.offset);
    assert_true(ir_is_in_local_window(copied.offset));
}

static void test_accesses(void **state) {
    struct fixture *f = *state;
    check(place(f, "k", 5), PTX_SPACE_SHARED, IR_BASE_NONE, 24);
    check(place(f, "k", 6), PTX_SPACE_GENERIC, IR_BASE_NONE, IR_SHARED_WINDOW + 24);
    check(place(f, "k", 7), PTX_SPACE_LOCAL, IR_BASE_NONE, 4);
    check(place(f, "k", 8), PTX_SPACE_GLOBAL, IR_BASE_REGISTER, (uint64_t)-4);
    check(place(f, "k", 9), PTX_SPACE_GENERIC, IR_BASE_REGISTER, IR_SHARED_WINDOW + 4);
    check(place(f, "k", 10), PTX_SPACE_GLOBAL, IR_BASE_VARIABLE, 4);
    check(place(f, "k", 11), PTX_SPACE_PARAM, IR_BASE_NONE, 8);
    check(place(f, "k", 12), PTX_SPACE_GENERIC, IR_BASE_NONE, 64);
    // A function's parameters are copied to local memory, so their addresses are generic.
    check(place(f, "f", 2), PTX_SPACE_GENERIC, IR_BASE_REGISTER, 0);
}

// Of the only access of a kernel: the array that its address is made of; "": none that is known.
static void check_origin(const char *body, const char *expected) {
    char whole[1024];
    snprintf(whole, sizeof whole,
             ".version 8.0\n.target sm_90\n.address_size 64\n.global .b32 g[4];\n"
             ".entry k(.param .u64 q, .param .u32 n) { .shared .b32 s[4], t[4];\n"
             ".reg .b64 %%a<9>; .reg .b32 %%r<9>; .reg .pred %%p;\n"
             "ld.param.u32 %%r0, [n]; setp.eq.u32 %%p, %%r0, 1; mov.u32 %%r1, s; mov.u32 %%r2, t;\n"
             "%s ret; }\n",
             body);
    struct fixture f = {.source = {"test.ptx", whole, strlen(whole)}};
    f.ptx = ptx_parse(&f.source, &f.diags);
    f.ir = ir_build(f.ptx, &f.diags);
    assert_non_null(f.ir);
    const struct ir_variable **origins = ir_shared_origins(ir_find_function(f.ir, "k"));
    assert_string_equal(origins[0] ? origins[0]->name : "", expected);
    free(origins);
    teardown((void *[]){&f});
}

static void test_origins(void **state) {
    (void)state;
    check_origin("ld.shared.u32 %r3, [t+64];", "t");
    check_origin("ld.shared.u32 %r3, [%r1+64];", "s");
    check_origin("shl.b32 %r3, %r0, 2; sub.u32 %r4, %r2, %r3; ld.shared.u32 %r5, [%r4];", "t");
    check_origin("mad.lo.u32 %r3, %r0, 12, %r2; st.shared.u32 [%r3], %r0;", "t");
    check_origin("cvt.u64.u32 %a1, %r1; cvta.shared.u64 %a2, %a1; mul.wide.s32 %a3, %r0, 4;\n"
                 "add.s64 %a4, %a3, %a2; ld.u32 %r3, [%a4];",
                 "s");
    check_origin("mov.u32 %r3, %r1; L: add.u32 %r3, %r3, 4; ld.shared.u32 %r4, [%r3];\n"
                 "@%p bra L;",
                 "s"); // made of itself
    check_origin("selp.u32 %r3, %r1, %r1, %p; ld.shared.u32 %r4, [%r3];", "s");
    check_origin("selp.u32 %r3, %r1, %r2, %p; ld.shared.u32 %r4, [%r3];", "");
    check_origin("mov.u32 %r3, %r1; @%p mov.u32 %r3, %r2; ld.shared.u32 %r4, [%r3];", "");
    check_origin("sub.u32 %r3, %r2, %r1; add.u32 %r4, %r1, %r3; ld.shared.u32 %r5, [%r4];", "");
    check_origin("and.b32 %r3, %r1, -16; ld.shared.u32 %r4, [%r3];", "");
    check_origin("shl.b32 %r3, %r1, 1; ld.shared.u32 %r4, [%r3];", "");
    check_origin("ld.shared.u32 %r4, [%r0];", ""); // a number that was handed over
    check_origin("ld.global.u32 %r4, [g];", "");
    check_origin("ld.param.u64 %a1, [q]; cp.async.ca.shared.global [%r2+4], [%a1], 4;", "t");
}

static void test_tags(void **state) {
    (void)state;
    const uint64_t own = ir_cluster_tag(2), other = ir_cluster_tag(1);
    const uint64_t generic = ir_generic_of_shared(0x40, own);
    assert_true(ir_is_in_shared_window(generic));
    assert_int_equal(generic, IR_SHARED_WINDOW + own + 0x40);
    assert_int_equal(ir_shared_of_generic(generic, own), 0x40);
    assert_int_equal(ir_shared_of_generic(generic, other), own + 0x40);
    assert_int_equal(ir_generic_of_shared(other + 0x40, own), IR_SHARED_WINDOW + other + 0x40);
    assert_int_equal(ir_generic_of_shared(0x40, 0), IR_SHARED_WINDOW + 0x40);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_accesses),
        cmocka_unit_test(test_origins),
        cmocka_unit_test(test_tags),
    };
    return cmocka_run_group_tests_name("address", tests, setup, teardown);
}
