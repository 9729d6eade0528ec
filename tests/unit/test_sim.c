// The simulator's core: divergence, forward progress, barriers, calls, faults, threads.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "sim/sim.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
#define ENTRY(registers)                                                                           \
    HEAD ".visible .entry k(.param .u64 out) { .reg .pred %p<8>; .reg .b32 %r<32>;\n"              \
         ".reg .b64 %d<16>; " registers "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x;\n"          \
         "mul.wide.u32 %d1, %r0, 4; add.u64 %d2, %d0, %d1;\n"

enum { WORDS = 4096 };

struct device {
    struct source source;
    struct ptx_module *ptx;
    struct ir_module *ir;
    struct diag_list diags;
    struct sim *sim;
    struct sim_module *module;
    uint32_t *out;
    struct sim_result result;
};

static void open_device(struct device *d, const char *text, struct sim_config config) {
    memset(d, 0, sizeof *d);
    d->source = (struct source){"test.ptx", text, strlen(text)};
    d->ptx = ptx_parse(&d->source, &d->diags);
    if (!d->diags.errors)
        d->ir = ir_build(d->ptx, &d->diags);
    if (d->diags.errors)
        diag_print(&d->diags, stderr, false);
    assert_int_equal(d->diags.errors, 0);
    d->sim = sim_create(&config);
    d->module = sim_module_load(d->sim, d->ir, NULL, &d->diags);
    assert_non_null(d->module);
    d->out = sim_alloc(d->sim, WORDS * 4, SIM_DEVICE);
    memset(d->out, 0, WORDS * 4);
}

static void launch(struct device *d, uint32_t grid, uint32_t block, bool cooperative) {
    struct sim_kernel *kernel = sim_module_kernel(d->module, "k", &d->diags);
    if (!kernel)
        diag_print(&d->diags, stderr, false);
    assert_non_null(kernel);
    void *parameters[1] = {d->out};
    struct sim_launch launch = {.grid = {grid, 1, 1},
                                .block = {block, 1, 1},
                                .parameters = parameters,
                                .is_cooperative = cooperative};
    sim_launch(kernel, &launch, &d->result);
}

static void run_with(struct device *d, const char *text, uint32_t grid, uint32_t block,
                     struct sim_config config) {
    open_device(d, text, config);
    launch(d, grid, block, false);
}

static void run(struct device *d, const char *text, uint32_t grid, uint32_t block) {
    run_with(d, text, grid, block, (struct sim_config){.arch = 90, .threads = 1});
    if (d->result.fault)
        fail_msg("%s", d->result.message);
}

static void close_device(struct device *d) {
    sim_result_free(&d->result);
    sim_module_unload(d->module, NULL);
    sim_destroy(d->sim);
    ir_free(d->ir);
    ptx_module_free(d->ptx);
    diag_free(&d->diags);
}

static void test_straight_line(void **state) {
    (void)state;
    struct device d;
    run(&d, ENTRY("") "mad.lo.s32 %r1, %r0, 3, 7; st.global.u32 [%d2], %r1; ret; }", 1, 40);
    for (uint32_t t = 0; t < 40; t++)
        assert_int_equal(d.out[t], 3 * t + 7);
    assert_int_equal(d.out[40], 0);
    assert_int_equal(d.result.blocks_run, 1);
    assert_int_equal(d.result.instructions, 2 * 7);
    assert_int_equal(d.result.thread_instructions, 40 * 7);
    close_device(&d);
}

static void test_divergence_reconverges(void **state) {
    (void)state;
    struct device d;
    // The lanes' votes tell who runs together on both sides and behind the branch.
    run(&d,
        ENTRY("") "and.b32 %r1, %r0, 1; setp.eq.s32 %p0, %r1, 0; @%p0 bra EVEN;\n"
                  "activemask.b32 %r2; bra MEET;\nEVEN: activemask.b32 %r2;\n"
                  "MEET: activemask.b32 %r3; st.global.u32 [%d2], %r2;\n"
                  "st.global.u32 [%d2+128], %r3; ret; }",
        1, 32);
    for (uint32_t t = 0; t < 32; t++) {
        assert_int_equal(d.out[t], t % 2 ? 0xaaaaaaaa : 0x55555555);
        assert_int_equal(d.out[32 + t], 0xffffffff);
    }
    close_device(&d);
}

static void test_loops_with_unequal_trip_counts(void **state) {
    (void)state;
    struct device d;
    run(&d,
        ENTRY("") "mov.u32 %r1, 0; mov.u32 %r2, 0;\nL: add.u32 %r1, %r1, %r2;\n"
                  "add.u32 %r2, %r2, 1; setp.le.u32 %p0, %r2, %r0; @%p0 bra L;\n"
                  "activemask.b32 %r3; st.global.u32 [%d2], %r1; st.global.u32 [%d2+128], %r3;\n"
                  "ret; }",
        1, 32);
    for (uint32_t t = 0; t < 32; t++) {
        assert_int_equal(d.out[t], t * (t + 1) / 2);
        assert_int_equal(d.out[32 + t], 0xffffffff);
    }
    close_device(&d);
}

static void test_nested_divergence_with_exits(void **state) {
    (void)state;
    struct device d;
    run(&d,
        ENTRY("") "setp.lt.u32 %p0, %r0, 16; @!%p0 bra HIGH;\n"
                  "setp.lt.u32 %p1, %r0, 4; @%p1 exit;\n"
                  "setp.lt.u32 %p2, %r0, 8; @%p2 bra A; mov.u32 %r1, 2; bra B;\n"
                  "A: mov.u32 %r1, 1;\nB: activemask.b32 %r2; bra MEET;\n"
                  "HIGH: mov.u32 %r1, 3; activemask.b32 %r2;\n"
                  "MEET: activemask.b32 %r3; st.global.u32 [%d2], %r1;\n"
                  "st.global.u32 [%d2+128], %r2; st.global.u32 [%d2+256], %r3; ret; }",
        1, 32);
    for (uint32_t t = 0; t < 32; t++) {
        assert_int_equal(d.out[t], t < 4 ? 0 : t < 8 ? 1 : t < 16 ? 2 : 3);
        assert_int_equal(d.out[32 + t], t < 4 ? 0 : t < 16 ? 0x0000fff0 : 0xffff0000);
        assert_int_equal(d.out[64 + t], t < 4 ? 0 : 0xfffffff0);
    }
    close_device(&d);
}

// Each lane takes the lock in turn; the winner leaves the loop while the others spin.
static const char spin_lock[] =
    ENTRY("") "LOCK: atom.global.cas.b32 %r1, [%d0+4096], 0, 1; setp.ne.u32 %p0, %r1, 0;\n"
              "@%p0 bra LOCK;\nld.volatile.global.u32 %r2, [%d0+4100]; add.u32 %r2, %r2, 1;\n"
              "st.volatile.global.u32 [%d0+4100], %r2; membar.gl;\n"
              "atom.global.exch.b32 %r3, [%d0+4096], 0; ret; }";

static void test_spin_lock_between_lanes_ends(void **state) {
    (void)state;
    struct device d;
    run(&d, spin_lock, 1, 32);
    assert_int_equal(d.out[1025], 32);
    close_device(&d);
}

static void test_spin_lock_between_warps_and_blocks_ends(void **state) {
    (void)state;
    struct device d;
    run_with(&d, spin_lock, 5, 96, (struct sim_config){.arch = 90, .threads = 2});
    assert_int_equal(d.result.fault, SIM_OK);
    assert_int_equal(d.out[1025], 5 * 96);
    close_device(&d);
}

static void test_blocks_that_wait_for_later_blocks(void **state) {
    (void)state;
    struct device d;
    // Block 0 waits for a flag that block 3 sets.
    const char *text = HEAD
        ".visible .entry k(.param .u64 out) { .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %d;\n"
        "ld.param.u64 %d, [out]; mov.u32 %r0, %ctaid.x; setp.eq.u32 %p0, %r0, 3;\n"
        "@%p0 st.volatile.global.u32 [%d], 1; setp.ne.u32 %p1, %r0, 0; @%p1 ret;\n"
        "W: ld.volatile.global.u32 %r1, [%d]; setp.eq.u32 %p0, %r1, 0; @%p0 bra W;\n"
        "st.global.u32 [%d+4], 7; ret; }";
    run_with(&d, text, 4, 32, (struct sim_config){.arch = 90, .threads = 1});
    assert_int_equal(d.result.fault, SIM_OK);
    assert_int_equal(d.out[1], 7);
    close_device(&d);
}

static void test_barrier(void **state) {
    (void)state;
    struct device d;
    run(&d,
        ENTRY(".shared .align 4 .b8 s[1024]; ") "mov.u32 %r1, s; shl.b32 %r2, %r0, 2; add.u32 %r3, "
                                                "%r1, %r2; st.shared.u32 [%r3], %r0;\n"
                                                "bar.sync 0; mov.u32 %r4, 255; sub.u32 %r5, %r4, "
                                                "%r0; shl.b32 %r5, %r5, 2;\n"
                                                "add.u32 %r5, %r1, %r5; ld.shared.u32 %r6, [%r5]; "
                                                "st.global.u32 [%d2], %r6; ret; }",
        1, 256);
    for (uint32_t t = 0; t < 256; t++)
        assert_int_equal(d.out[t], 255 - t);
    assert_int_equal(d.result.barriers, 8); // a warp each
    close_device(&d);
}

static void test_barrier_without_the_threads_that_ended(void **state) {
    (void)state;
    struct device d;
    run(&d,
        ENTRY("") "setp.ge.u32 %p0, %r0, 50; @%p0 ret; bar.sync 0; st.global.u32 [%d2], 1; ret; }",
        1, 96);
    assert_int_equal(d.out[49], 1);
    assert_int_equal(d.out[50], 0);
    close_device(&d);
}

static void test_barrier_reductions(void **state) {
    (void)state;
    struct device d;
    run(&d,
        ENTRY("") "setp.lt.u32 %p0, %r0, 37; bar.red.popc.u32 %r1, 0, %p0;\n"
                  "bar.red.and.pred %p1, 0, %p0; selp.u32 %r2, 1, 0, %p1;\n"
                  "bar.red.or.pred %p2, 0, %p0; selp.u32 %r3, 1, 0, %p2;\n"
                  "shl.b32 %r2, %r2, 8; shl.b32 %r3, %r3, 16; or.b32 %r1, %r1, %r2;\n"
                  "or.b32 %r1, %r1, %r3; st.global.u32 [%d2], %r1; ret; }",
        1, 64);
    for (uint32_t t = 0; t < 64; t++)
        assert_int_equal(d.out[t], 0x10000 | 37);
    close_device(&d);
}

static void test_named_barriers_of_producers_and_consumers(void **state) {
    (void)state;
    struct device d;
    run(&d,
        ENTRY(".shared .align 4 .b8 s[4]; ") "mov.u32 %r1, s; setp.ge.u32 %p0, %r0, 32; @%p0 bra "
                                             "CONSUME;\n"
                                             "st.shared.u32 [%r1], 42; bar.arrive 1, 64; ret;\n"
                                             "CONSUME: bar.sync 1, 64; ld.shared.u32 %r2, [%r1]; "
                                             "st.global.u32 [%d2], %r2; ret; }",
        1, 64);
    for (uint32_t t = 32; t < 64; t++)
        assert_int_equal(d.out[t], 42);
    close_device(&d);
}

static void test_deadlock_names_who_waits(void **state) {
    (void)state;
    struct device d;
    run_with(&d,
             ENTRY("") "setp.ge.u32 %p0, %r0, 32; @%p0 bra OTHER;\nbar.sync 1, 96; ret;\n"
                       "OTHER: bar.sync 2, 96; ret; }",
             1, 96, (struct sim_config){.arch = 90, .threads = 1});
    assert_int_equal(d.result.fault, SIM_FAULT_DEADLOCK);
    assert_non_null(strstr(d.result.message, "32 threads wait at bar.sync (barrier 1)"));
    assert_non_null(strstr(d.result.message, "64 threads wait at bar.sync (barrier 2)"));
    close_device(&d);
}

static void test_instruction_limit(void **state) {
    (void)state;
    struct device d;
    run_with(&d, ENTRY("") "L: add.u32 %r1, %r1, 1; bra L; }", 1, 32,
             (struct sim_config){.arch = 90, .threads = 1, .max_instructions = 3000000});
    assert_int_equal(d.result.fault, SIM_FAULT_INSTRUCTION_LIMIT);
    close_device(&d);
}

// A small limit holds to within a round of the loop, also where warps and lanes share it: by loops,
// by loops that poll, by calls, by barriers.
static void test_small_instruction_limit(void **state) {
    (void)state;
    static const char *const texts[] = {
        ENTRY("") "L: add.u32 %r1, %r1, 1; bra L; }",
        ENTRY("") "L: ld.volatile.global.u32 %r1, [%d2]; bra L; }",
        ENTRY("") "L: bar.sync 0; bra L; }",
        ENTRY("") "and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 0; @%p0 bra A;\n"
                  "L: add.u32 %r1, %r1, 1; bra L;\nA: add.u32 %r1, %r1, 1; bra A; }",
        ENTRY("") "and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 0;\n"
                  "L: @%p0 bra A; bar.warp.sync -1; bra L;\nA: bar.warp.sync -1; bra L; }",
    };
    enum { LIMIT = 5000, SLICE = 300 };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct device d;
        run_with(&d, texts[i], 1, 96,
                 (struct sim_config){.arch = 90, .threads = 1, .max_instructions = LIMIT});
        assert_int_equal(d.result.fault, SIM_FAULT_INSTRUCTION_LIMIT);
        assert_in_range(d.result.instructions, LIMIT, LIMIT + SLICE);
        close_device(&d);
    }
}

static void test_instruction_limit_of_short_blocks(void **state) {
    (void)state;
    struct device d;
    const char *text = ENTRY("") "st.global.u32 [%d2], %r0; ret; }";
    run_with(&d, text, 1000, 32,
             (struct sim_config){.arch = 90, .threads = 1, .max_instructions = 600});
    assert_int_equal(d.result.fault, SIM_FAULT_INSTRUCTION_LIMIT);
    assert_int_equal(d.result.blocks_run, 100);
    close_device(&d);
    run_with(&d, text, 100, 32,
             (struct sim_config){.arch = 90, .threads = 1, .max_instructions = 600});
    assert_int_equal(d.result.fault, SIM_OK);
    close_device(&d);
}

static void test_calls(void **state) {
    (void)state;
    struct device d;
    run(&d,
        HEAD ".func (.param .b32 r) square(.param .b32 a) { .reg .b32 %r<4>; .reg .pred %p;\n"
             "ld.param.u32 %r0, [a]; and.b32 %r1, %r0, 1; setp.eq.u32 %p, %r1, 1; @%p bra ODD;\n"
             "mul.lo.u32 %r2, %r0, %r0; st.param.b32 [r], %r2; ret;\n"
             "ODD: neg.s32 %r2, %r0; st.param.b32 [r], %r2; ret; }\n"
             ".visible .entry k(.param .u64 out) { .reg .b32 %r<8>; .reg .b64 %d<4>;\n"
             "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4;\n"
             "add.u64 %d2, %d0, %d1;\n{ .param .b32 x; st.param.b32 [x], %r0; .param .b32 y;\n"
             "call (y), square, (x); ld.param.b32 %r1, [y]; }\nactivemask.b32 %r2;\n"
             "st.global.u32 [%d2], %r1; st.global.u32 [%d2+128], %r2; ret; }",
        1, 32);
    for (uint32_t t = 0; t < 32; t++) {
        assert_int_equal(d.out[t], t % 2 ? -t : t * t);
        assert_int_equal(d.out[32 + t], 0xffffffff);
    }
    close_device(&d);
}

static const char factorial[] =
    HEAD ".func (.param .b32 r) f(.param .b32 a) { .reg .b32 %r<6>; .reg .pred %p;\n"
         "ld.param.u32 %r0, [a]; setp.le.u32 %p, %r0, 1; @%p bra ONE; sub.u32 %r1, %r0, 1;\n"
         "{ .param .b32 x; st.param.b32 [x], %r1; .param .b32 y; call (y), f, (x);\n"
         "ld.param.b32 %r2, [y]; }\nmul.lo.u32 %r3, %r2, %r0; st.param.b32 [r], %r3; ret;\n"
         "ONE: st.param.b32 [r], 1; ret; }\n"
         ".visible .entry k(.param .u64 out) { .reg .b32 %r<8>; .reg .b64 %d<4>;\n"
         "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4;\n"
         "add.u64 %d2, %d0, %d1; and.b32 %r0, %r0, 7;\n"
         "{ .param .b32 x; st.param.b32 [x], %r0; .param .b32 y; call (y), f, (x);\n"
         "ld.param.b32 %r1, [y]; }\nst.global.u32 [%d2], %r1; ret; }";

static void test_recursion(void **state) {
    (void)state;
    static const uint32_t expected[] = {1, 1, 2, 6, 24, 120, 720, 5040};
    struct device d;
    run(&d, factorial, 1, 32);
    for (uint32_t t = 0; t < 32; t++)
        assert_int_equal(d.out[t], expected[t % 8]);
    close_device(&d);
}

static void test_local_variables_of_calls(void **state) {
    (void)state;
    struct device d;
    // Caller and callee each keep a value in local memory, through an address in a register.
    run(&d,
        HEAD ".func (.param .b32 r) f(.param .b32 a) { .local .align 8 .b8 depot[8];\n"
             ".reg .b32 %r<6>; .reg .b64 %d<3>; ld.param.u32 %r0, [a]; mov.u64 %d0, depot;\n"
             "cvta.local.u64 %d1, %d0; st.u32 [%d1+4], %r0; ld.local.u32 %r1, [depot+4];\n"
             "add.u32 %r1, %r1, 1; st.param.b32 [r], %r1; ret; }\n"
             ".visible .entry k(.param .u64 out) { .local .align 8 .b8 depot[8];\n"
             ".reg .b32 %r<8>; .reg .b64 %d<6>; ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x;\n"
             "mul.wide.u32 %d1, %r0, 4; add.u64 %d2, %d0, %d1; mov.u64 %d3, depot;\n"
             "st.local.u32 [%d3+4], %r0; add.u32 %r3, %r0, 100;\n"
             "{ .param .b32 x; st.param.b32 [x], %r3; .param .b32 y; call (y), f, (x);\n"
             "ld.param.b32 %r1, [y]; }\nld.local.u32 %r2, [%d3+4]; st.global.u32 [%d2], %r1;\n"
             "st.global.u32 [%d2+128], %r2; ret; }",
        1, 32);
    for (uint32_t t = 0; t < 32; t++) {
        assert_int_equal(d.out[t], t + 101);
        assert_int_equal(d.out[32 + t], t);
    }
    close_device(&d);
}

static void test_endless_recursion_faults(void **state) {
    (void)state;
    struct device d;
    run_with(&d,
             HEAD ".func f() { call f; ret; }\n"
                  ".visible .entry k(.param .u64 out) { call f; ret; }",
             1, 32, (struct sim_config){.arch = 90, .threads = 1});
    assert_int_equal(d.result.fault, SIM_FAULT_STACK);
    close_device(&d);
}

static void test_indirect_calls(void **state) {
    (void)state;
    struct device d;
    run(&d,
        HEAD ".func (.param .b32 r) one(.param .b32 a) { .reg .b32 %r; ld.param.u32 %r, [a];\n"
             "add.u32 %r, %r, 1; st.param.b32 [r], %r; ret; }\n"
             ".func (.param .b32 r) ten(.param .b32 a) { .reg .b32 %r; ld.param.u32 %r, [a];\n"
             "add.u32 %r, %r, 10; st.param.b32 [r], %r; ret; }\n"
             ".visible .entry k(.param .u64 out) { .reg .b32 %r<8>; .reg .b64 %d<8>; .reg .pred "
             "%p;\n"
             "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4;\n"
             "add.u64 %d2, %d0, %d1; mov.u64 %d3, one; mov.u64 %d4, ten;\n"
             "and.b32 %r1, %r0, 1; setp.eq.u32 %p, %r1, 0; selp.b64 %d5, %d3, %d4, %p;\n"
             "{ .param .b32 x; st.param.b32 [x], %r0; .param .b32 y;\n"
             "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
             "call (y), %d5, (x), P; ld.param.b32 %r2, [y]; }\nactivemask.b32 %r3;\n"
             "st.global.u32 [%d2], %r2; st.global.u32 [%d2+128], %r3; ret; }",
        1, 32);
    for (uint32_t t = 0; t < 32; t++) {
        assert_int_equal(d.out[t], t % 2 ? t + 10 : t + 1);
        assert_int_equal(d.out[32 + t], 0xffffffff);
    }
    close_device(&d);
}

static void test_lanes_meet_at_shuffles(void **state) {
    (void)state;
    struct device d;
    // Both sides of the branch jump to one shuffle; no post-dominator brings them together first.
    run(&d,
        ENTRY("") "setp.lt.u32 %p0, %r0, 16; add.u32 %r1, %r0, 100; @%p0 bra LOW;\n"
                  "bar.warp.sync 0xffffffff; mov.u32 %r5, 2; bra MEET;\n"
                  "LOW: bar.warp.sync 0xffffffff; mov.u32 %r5, 1;\n"
                  "MEET: shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1; st.global.u32 [%d2], %r2; ret; }",
        1, 32);
    for (uint32_t t = 0; t < 32; t++)
        assert_int_equal(d.out[t], 100 + (t ^ 16));
    close_device(&d);
}

static void test_brx(void **state) {
    (void)state;
    struct device d;
    run(&d,
        ENTRY("") "and.b32 %r1, %r0, 3; T: .branchtargets A, B, C, D;\nbrx.idx %r1, T;\n"
                  "A: mov.u32 %r2, 10; bra E;\nB: mov.u32 %r2, 11; bra E;\n"
                  "C: mov.u32 %r2, 12; bra E;\nD: mov.u32 %r2, 13;\n"
                  "E: activemask.b32 %r3; st.global.u32 [%d2], %r2;\n"
                  "st.global.u32 [%d2+128], %r3; ret; }",
        1, 32);
    for (uint32_t t = 0; t < 32; t++) {
        assert_int_equal(d.out[t], 10 + t % 4);
        assert_int_equal(d.out[32 + t], 0xffffffff);
    }
    close_device(&d);
}

static void test_faults_name_the_first_block(void **state) {
    (void)state;
    struct device d;
    for (int threads = 1; threads <= 2; threads++) {
        run_with(&d,
                 HEAD ".visible .entry k(.param .u64 out) { .reg .pred %p; .reg .b32 %r<3>;\n"
                      ".reg .b64 %d; ld.param.u64 %d, [out]; mov.u32 %r0, %ctaid.x;\n"
                      "setp.lt.u32 %p, %r0, 5; @%p ret; st.global.u32 [%d+1048576], %r0; ret; }",
                 40, 32, (struct sim_config){.arch = 90, .threads = threads});
        assert_int_equal(d.result.fault, SIM_FAULT_ILLEGAL_ADDRESS);
        assert_int_equal(d.result.block[0], 5);
        assert_non_null(strstr(d.result.message, "block (5,0,0), thread (0,0,0)"));
        close_device(&d);
    }
}

static void test_cooperative_grid(void **state) {
    (void)state;
    struct device d;
    // All 200 blocks count themselves and wait until all have.
    const char *text = HEAD
        ".visible .entry k(.param .u64 out) { .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %d;\n"
        "ld.param.u64 %d, [out]; mov.u32 %r0, %tid.x; setp.ne.u32 %p0, %r0, 0;\n"
        "@%p0 bra DONE; atom.global.add.u32 %r1, [%d], 1;\n"
        "W: ld.acquire.gpu.global.u32 %r1, [%d]; setp.lt.u32 %p1, %r1, 200; @%p1 bra W;\n"
        "DONE: bar.sync 0; red.global.add.u32 [%d+4], 1; ret; }";
    for (int threads = 1; threads <= 2; threads++) {
        open_device(&d, text, (struct sim_config){.arch = 90, .threads = threads});
        launch(&d, 200, 64, true);
        assert_int_equal(d.result.fault, SIM_OK);
        assert_int_equal(d.out[1], 200 * 64);
        close_device(&d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_straight_line),
        cmocka_unit_test(test_divergence_reconverges),
        cmocka_unit_test(test_loops_with_unequal_trip_counts),
        cmocka_unit_test(test_nested_divergence_with_exits),
        cmocka_unit_test(test_spin_lock_between_lanes_ends),
        cmocka_unit_test(test_spin_lock_between_warps_and_blocks_ends),
        cmocka_unit_test(test_blocks_that_wait_for_later_blocks),
        cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_barrier_without_the_threads_that_ended),
        cmocka_unit_test(test_barrier_reductions),
        cmocka_unit_test(test_named_barriers_of_producers_and_consumers),
        cmocka_unit_test(test_deadlock_names_who_waits),
        cmocka_unit_test(test_instruction_limit),
        cmocka_unit_test(test_small_instruction_limit),
        cmocka_unit_test(test_instruction_limit_of_short_blocks),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_recursion),
        cmocka_unit_test(test_local_variables_of_calls),
        cmocka_unit_test(test_endless_recursion_faults),
        cmocka_unit_test(test_indirect_calls),
        cmocka_unit_test(test_lanes_meet_at_shuffles),
        cmocka_unit_test(test_brx),
        cmocka_unit_test(test_faults_name_the_first_block),
        cmocka_unit_test(test_cooperative_grid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
