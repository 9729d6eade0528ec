// Places of symbols and of memory operands, and windows of the generic address space.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

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
        cmocka_unit_test(test_tags),
    };
    return cmocka_run_group_tests_name("address", tests, setup, teardown);
}
