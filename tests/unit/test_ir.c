// The IR: control flow, post-dominators, slots, sites, shared layout, the validator.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "ir/ir.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"

struct fixture {
    struct source source;
    struct ptx_module *ptx;
    struct ir_module *ir;
    struct diag_list diags;
};

static void build(struct fixture *f, const char *text) {
    memset(f, 0, sizeof *f);
    f->source = (struct source){"test.ptx", text, strlen(text)};
    f->ptx = ptx_parse(&f->source, &f->diags);
    if (!f->diags.errors)
        f->ir = ir_build(f->ptx, &f->diags);
}

static void drop(struct fixture *f) {
    ir_free(f->ir);
    ptx_module_free(f->ptx);
    diag_free(&f->diags);
}

static struct ir_function *kernel(struct fixture *f, const char *name) {
    assert_non_null(f->ir);
    struct ir_function *function = ir_find_function(f->ir, name);
    assert_non_null(function);
    return function;
}

static void test_diamond(void **state) {
    (void)state;
    struct fixture f;
    build(&f, HEAD ".visible .entry k() { .reg .pred %p; .reg .b32 %r<4>;\n"
                   "mov.u32 %r0, %tid.x; setp.eq.s32 %p, %r0, 0; @%p bra A;\n"
                   "mov.u32 %r1, 1; bra B;\nA: mov.u32 %r1, 2;\nB: add.s32 %r2, %r1, 1; ret; }");
    struct ir_function *k = kernel(&f, "k");
    // entry, else, A, B, and the return behind the body
    assert_int_equal(k->block_count, 5);
    assert_int_equal(k->blocks[0].successor_count, 2);
    assert_int_equal(k->blocks[0].post_dominator, 3);
    assert_int_equal(k->blocks[1].post_dominator, 3);
    assert_int_equal(k->blocks[2].post_dominator, 3);
    assert_true(k->blocks[3].is_reconvergence);
    assert_false(k->blocks[1].is_reconvergence);
    drop(&f);
}

static void test_loop_with_two_exits(void **state) {
    (void)state;
    struct fixture f;
    build(&f, HEAD ".visible .entry k() { .reg .pred %p<3>; .reg .b32 %r<4>;\n"
                   "mov.u32 %r0, %tid.x;\nL: add.s32 %r0, %r0, 1; setp.gt.s32 %p0, %r0, 9;\n"
                   "@%p0 bra OUT; setp.gt.s32 %p1, %r0, 5; @%p1 bra L;\nOUT: ret; }");
    struct ir_function *k = kernel(&f, "k");
    assert_int_equal(k->blocks[1].successors[0], 3);
    assert_int_equal(k->blocks[1].post_dominator, 3);
    assert_int_equal(k->blocks[2].successors[0], 1);
    assert_int_equal(k->blocks[2].post_dominator, 3);
    drop(&f);
}

static void test_endless_loop_has_no_post_dominator(void **state) {
    (void)state;
    struct fixture f;
    build(&f, HEAD ".visible .entry k() { .reg .b32 %r<2>; mov.u32 %r0, 0;\n"
                   "L: add.s32 %r0, %r0, 1; bra L; }");
    struct ir_function *k = kernel(&f, "k");
    assert_int_equal(k->blocks[1].post_dominator, IR_NONE);
    drop(&f);
}

static void test_guarded_exit_becomes_a_branch(void **state) {
    (void)state;
    struct fixture f;
    build(&f, HEAD ".visible .entry k() { .reg .pred %p; .reg .b32 %r<2>; mov.u32 %r0, %tid.x;\n"
                   "setp.eq.s32 %p, %r0, 3; @%p exit; add.s32 %r1, %r0, 1; ret; }");
    struct ir_function *k = kernel(&f, "k");
    const struct ir_instruction *branch = &k->instructions[2];
    assert_int_equal(branch->ptx->isa, PTX_ISA_bra_any);
    assert_true(branch->guard_negated);
    assert_int_equal(k->instructions[3].ptx->isa, PTX_ISA_exit_any);
    assert_int_equal(k->instructions[3].guard, IR_NONE);
    assert_int_equal(k->blocks[branch->target].first, 4);
    drop(&f);
}

static uint32_t slot_of(const struct ir_function *k, const char *name) {
    for (uint32_t r = 0; r < k->register_count; r++)
        if (strcmp(k->registers[r].name, name) == 0)
            return k->registers[r].slot;
    fail_msg("no register %s", name);
    return 0;
}

static void test_slots_are_shared_when_lives_do_not_overlap(void **state) {
    (void)state;
    struct fixture f;
    build(&f, HEAD ".visible .entry k(.param .u64 p) { .reg .b32 %r<8>; .reg .b64 %d<2>;\n"
                   "ld.param.u64 %d0, [p]; mov.u32 %r0, 1; add.s32 %r1, %r0, 1;\n"
                   "add.s32 %r2, %r1, 1; add.s32 %r3, %r2, %r1; st.global.u32 [%d0], %r3; ret; }");
    struct ir_function *k = kernel(&f, "k");
    assert_int_equal(k->slots[IR_CLASS_32], 2);
    assert_int_equal(k->slots[IR_CLASS_64], 1);
    assert_int_not_equal(slot_of(k, "%r1"), slot_of(k, "%r2"));
    drop(&f);
}

static void test_a_guarded_write_keeps_the_old_value_alive(void **state) {
    (void)state;
    struct fixture f;
    build(&f, HEAD ".visible .entry k(.param .u64 p) { .reg .pred %p; .reg .b32 %r<8>;\n"
                   ".reg .b64 %d; ld.param.u64 %d, [p]; mov.u32 %r0, 1; mov.u32 %r1, %tid.x;\n"
                   "setp.eq.s32 %p, %r1, 3; mov.u32 %r2, 9; @%p mov.u32 %r0, 5;\n"
                   "st.global.u32 [%d], %r2; st.global.u32 [%d], %r0; ret; }");
    struct ir_function *k = kernel(&f, "k");
    assert_int_not_equal(slot_of(k, "%r0"), slot_of(k, "%r2"));
    assert_int_not_equal(slot_of(k, "%r0"), slot_of(k, "%r1"));
    drop(&f);
}

static void test_results_of_one_instruction_share_nothing_with_its_sources(void **state) {
    (void)state;
    struct fixture f;
    build(&f, HEAD ".visible .entry k(.param .u64 p) { .reg .b16 %h<3>; .reg .b32 %r<3>;\n"
                   ".reg .b64 %d; ld.param.u64 %d, [p]; mov.u32 %r0, %tid.x;\n"
                   "mov.b32 {%h0, %h1}, %r0; st.global.u16 [%d], %h0; st.global.u16 [%d], %h1;\n"
                   "ret; }");
    struct ir_function *k = kernel(&f, "k");
    assert_int_not_equal(slot_of(k, "%h0"), slot_of(k, "%r0"));
    assert_int_not_equal(slot_of(k, "%h1"), slot_of(k, "%r0"));
    drop(&f);
}

// Lanes read what others hold: a result must not lie where the source does.
static void test_gathered_values_keep_their_place(void **state) {
    (void)state;
    static const char *const gathering[] = {
        "shfl.sync.idx.b32 %r1, %r0, 0, 31, -1;", "redux.sync.add.s32 %r1, %r0, -1;",
        "redux.sync.min.f32 %r1, %r0, -1;", "match.any.sync.b32 %r1, %r0, -1;",
        "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r0;"};
    for (size_t i = 0; i < sizeof gathering / sizeof *gathering; i++) {
        struct strbuf text = {0};
        struct fixture f;
        strbuf_printf(&text,
                      HEAD ".visible .entry k(.param .u64 p) { .reg .b32 %%r<2>; .reg .b64 %%d;\n"
                           "ld.param.u64 %%d, [p]; mov.u32 %%r0, %%tid.x; %s\n"
                           "st.global.u32 [%%d], %%r1; ret; }",
                      gathering[i]);
        build(&f, strbuf_string(&text));
        struct ir_function *k = kernel(&f, "k");
        assert_int_not_equal(slot_of(k, "%r0"), slot_of(k, "%r1"));
        drop(&f);
        strbuf_free(&text);
    }
}

static void test_sites(void **state) {
    (void)state;
    struct fixture f;
    build(&f, HEAD
          ".const .u32 c = 3;\n"
          ".visible .entry k(.param .u64 p) { .reg .b32 %r<6>; .reg .b64 %d<3>; .reg .f32 %f<5>;\n"
          ".shared .align 16 .b8 tile[4096]; ld.param.u64 %d0, [p]; mov.u32 %r0, tile;\n"
          "ld.shared.v4.f32 {%f0, %f1, %f2, %f3}, [%r0]; st.global.f32 [%d0], %f0;\n"
          "atom.shared.add.u32 %r1, [%r0], 1; atom.shared.add.u32 %r1, [%r0], %r1;\n"
          "atom.shared.add.f32 %f4, [%r0], %f0; atom.shared.cas.b32 %r2, [%r0], %r1, %r2;\n"
          "mov.u32 %r3, 5; red.shared.add.u32 [%r0], %r3; ld.u32 %r4, [%d0];\n"
          "ld.const.u32 %r5, [c]; ld.volatile.shared.u32 %r5, [%r0]; ret; }\n");
    struct ir_function *k = kernel(&f, "k");
    assert_int_equal(k->site_count, 9); // all but the parameter and the constant
    assert_string_equal(k->sites[0].text, "ld.shared.v4.f32");
    assert_int_equal(k->sites[0].width, 16);
    assert_int_equal(k->sites[1].op, SITE_STORE);
    assert_int_equal(k->sites[2].atomic, SITE_ATOMIC_NATIVE_SUMMED);
    assert_int_equal(k->sites[3].atomic, SITE_ATOMIC_NATIVE_SCANNED);
    assert_int_equal(k->sites[4].atomic, SITE_ATOMIC_LOOP);
    assert_int_equal(k->sites[5].atomic, SITE_ATOMIC_CAS);
    assert_int_equal(k->sites[6].op, SITE_REDUCTION);
    assert_int_equal(k->sites[6].atomic, SITE_ATOMIC_NATIVE_SUMMED);
    assert_true(k->sites[7].is_generic && !k->sites[7].is_volatile);
    assert_true(k->sites[8].is_volatile);
    drop(&f);
}

static void test_atomics_of_a_warp(void **state) {
    (void)state;
    struct fixture f; // what ptxas of CUDA 13.0 made of such lines for 9.0
    build(&f,
          HEAD ".visible .entry k(.param .u32 n) { .reg .b32 %r<13>; .shared .align 4 .b8 w[64];\n"
               "mov.u32 %r0, w; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; add.u32 %r2, %r0, %r2;\n"
               "ld.param.u32 %r3, [n]; shl.b32 %r12, %r3, 2; add.u32 %r4, %r0, %r12;\n"
               "red.shared.or.b32 [%r0], %r1; atom.shared.max.s32 %r5, [%r4], %r1;\n"
               "atom.shared.max.s32 %r6, [%r4], %r1; atom.shared.add.u32 %r7, [w+4], %r1;\n"
               "atom.shared.add.u32 %r8, [w+4], %r3; red.shared.inc.u32 [%r0], %r1;\n"
               "red.shared.add.u32 [%r2], 1; red.shared.add.u32 [%r2], 5;\n"
               "atom.shared.add.u32 %r9, [%r2], 1; red.shared.add.u32 [%r2], %r1;\n"
               "add.u32 %r10, %r6, %r7; add.u32 %r11, %r8, %r9; ret; }\n");
    static const enum site_atomic expected[] = {
        SITE_ATOMIC_NATIVE_SUMMED,  // one address, no result
        SITE_ATOMIC_NATIVE_SUMMED,  // the address is a parameter's, nobody reads the result
        SITE_ATOMIC_NATIVE,         // its result is read
        SITE_ATOMIC_NATIVE_SCANNED, // an addition whose result is read
        SITE_ATOMIC_NATIVE_SUMMED,  // of one value
        SITE_ATOMIC_NATIVE,         // no sum of that kind
        SITE_ATOMIC_NATIVE_SUMMED,  // counts lanes
        SITE_ATOMIC_NATIVE,         SITE_ATOMIC_NATIVE, SITE_ATOMIC_NATIVE,
    };
    struct ir_function *k = kernel(&f, "k");
    assert_int_equal(k->site_count, sizeof expected / sizeof expected[0]);
    for (uint32_t s = 0; s < k->site_count; s++)
        assert_int_equal(k->sites[s].atomic, expected[s]);
    drop(&f);
}

static void test_shared_layout(void **state) {
    (void)state;
    struct fixture f;
    build(&f,
          HEAD ".extern .shared .align 16 .b8 dyn[];\n.shared .align 4 .b8 unused[64];\n"
               ".func helper() { .reg .b32 %r; .shared .align 8 .b8 inner[24]; mov.u32 %r, inner;\n"
               "st.shared.u32 [%r], 1; ret; }\n"
               ".visible .entry k() { .reg .b32 %r<3>; .shared .align 4 .b8 a[20];\n"
               ".shared .align 16 .b8 b[32]; mov.u32 %r0, b; mov.u32 %r1, a; mov.u32 %r2, dyn;\n"
               "call helper; ret; }");
    const struct ir_shared_layout *layout = ir_shared_layout(kernel(&f, "k"));
    assert_int_equal(layout->variable_count, 4);
    assert_int_equal(layout->static_bytes, 20 + 12 + 32 + 24);
    assert_int_equal(layout->dynamic_offset, 96);
    assert_string_equal(ir_shared_variable_at(layout, 0, 0)->name, "a"); // the kernel's own first
    assert_null(ir_shared_variable_at(layout, 20, 0));                   // padding
    assert_string_equal(ir_shared_variable_at(layout, 32, 0)->name, "b");
    assert_string_equal(ir_shared_variable_at(layout, 64, 0)->name, "inner");
    assert_null(ir_shared_variable_at(layout, 96, 0));
    assert_string_equal(ir_shared_variable_at(layout, 96, 4)->name, "dyn");
    drop(&f);
}

static void expect_error(const char *text, const char *message) {
    struct fixture f;
    build(&f, text);
    assert_null(f.ir);
    bool found = false;
    for (size_t i = 0; i < f.diags.count; i++)
        found |= strstr(f.diags.items[i].message, message) != NULL;
    if (!found)
        fail_msg("no error says '%s' (the first: %s)", message,
                 f.diags.count ? f.diags.items[0].message : "none");
    drop(&f);
}

static void test_errors(void **state) {
    (void)state;
    expect_error(HEAD ".visible .entry k() { bra NOWHERE; }", "'NOWHERE'");
    expect_error(HEAD ".visible .entry k() { .reg .b32 %r; add.s32 %r, %q, 1; ret; }", "'%q'");
    expect_error(HEAD ".visible .entry k() { .reg .b32 %r; .reg .b64 %d;\n"
                      "add.s32 %r, %d, 1; ret; }",
                 "does not fit");
    expect_error(HEAD ".visible .entry k() { .reg .b32 %r; @%r ret; }", "not a predicate");
}

static void test_refused(void **state) {
    (void)state;
    struct fixture f;
    build(&f, HEAD ".visible .entry k() { tcgen05.alloc.foo [1]; ret; }\n"
                   ".visible .entry fine() { ret; }");
    assert_non_null(ir_first_refused(kernel(&f, "k")));
    assert_null(ir_first_refused(kernel(&f, "fine")));
    drop(&f);
}

// What a kernel reads decides what it does, or only what it computes.
static void test_steering(void **state) {
    static const struct {
        const char *body;
        bool is_steered;
    } kernels[] = {
        // out[i] = in[i] + 1
        {"ld.global.u32 %r1, [%d0]; add.u32 %r1, %r1, 1; st.global.u32 [%d0+4], %r1;", false},
        // through shared memory
        {"ld.global.u32 %r1, [%d0]; st.shared.u32 [s], %r1; ld.shared.u32 %r2, [s];\n"
         "st.global.u32 [%d0+4], %r2;",
         false},
        // a branch by what a parameter says
        {"ld.param.u32 %r1, [n]; setp.eq.u32 %p, %r1, 0; @%p bra E; st.global.u32 [%d0], %r1;\n"
         "E:",
         false},
        // out[in[i]], and the same through shared memory
        {"ld.global.u32 %r1, [%d0]; cvt.u64.u32 %d1, %r1; add.u64 %d1, %d0, %d1;\n"
         "st.global.u32 [%d1], %r1;",
         true},
        {"ld.global.u32 %r1, [%d0]; st.shared.u32 [s], %r1; ld.shared.u32 %r2, [s];\n"
         "cvt.u64.u32 %d1, %r2; add.u64 %d1, %d0, %d1; st.global.u32 [%d1], %r1;",
         true},
        // memory that nobody writes meanwhile
        {"ld.global.nc.u32 %r1, [%d0]; cvt.u64.u32 %d1, %r1; add.u64 %d1, %d0, %d1;\n"
         "st.global.u32 [%d1], %r1;",
         false},
        // a branch, a guard, and in a loop what was read in the round before
        {"ld.global.u32 %r1, [%d0]; setp.eq.u32 %p, %r1, 0; @%p bra E; st.global.u32 [%d0], %r1;\n"
         "E:",
         true},
        {"ld.global.u32 %r1, [%d0]; setp.eq.u32 %p, %r1, 0; @%p st.global.u32 [%d0], %r1;", true},
        {"mov.u64 %d1, 0;\nL: add.u64 %d2, %d0, %d1; ld.global.u32 %r1, [%d2];\n"
         "cvt.u64.u32 %d1, %r1; st.global.u32 [%d0], 1; bra L;",
         true},
        // it writes nothing that others could read
        {"ld.global.u32 %r1, [%d0]; setp.eq.u32 %p, %r1, 0; @%p bra E; st.shared.u32 [s], 1;\nE:",
         false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        struct fixture f;
        struct strbuf text = {0};
        strbuf_printf(&text,
                      HEAD ".visible .entry k(.param .u64 a, .param .u32 n) {\n"
                           ".reg .pred %%p; .reg .b32 %%r<3>; .reg .b64 %%d<3>; .shared .b32 s;\n"
                           "ld.param.u64 %%d0, [a];\n%s ret; }",
                      kernels[i].body);
        build(&f, strbuf_string(&text));
        if (ir_is_steered(kernel(&f, "k")) != kernels[i].is_steered)
            fail_msg("kernel %zu: is%s steered", i, kernels[i].is_steered ? " not" : "");
        drop(&f);
        strbuf_free(&text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diamond),
        cmocka_unit_test(test_steering),
        cmocka_unit_test(test_loop_with_two_exits),
        cmocka_unit_test(test_endless_loop_has_no_post_dominator),
        cmocka_unit_test(test_guarded_exit_becomes_a_branch),
        cmocka_unit_test(test_slots_are_shared_when_lives_do_not_overlap),
        cmocka_unit_test(test_a_guarded_write_keeps_the_old_value_alive),
        cmocka_unit_test(test_results_of_one_instruction_share_nothing_with_its_sources),
        cmocka_unit_test(test_gathered_values_keep_their_place),
        cmocka_unit_test(test_sites),
        cmocka_unit_test(test_atomics_of_a_warp),
        cmocka_unit_test(test_shared_layout),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
