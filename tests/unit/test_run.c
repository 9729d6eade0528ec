// Runs of one launch: which are refused, and in which words; how they are recorded.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run/launch.h"
#include "run/limits.h"
#include "run/module.h"
#include "run/refused.h"
#include "run/trace.h"

static const char text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry _Z3onePf(.param .u32 a, .param .f64 b, .param .align 4 .b8 c[12]) {\n"
    "  .reg .b32 %r<3>; .reg .pred %p;\n"
    "  .shared .align 4 .b8 tile[2048];\n"
    "  .file 1 \"tile.cu\"\n"
    "  mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 6; mov.u32 %r2, tile; add.u32 %r1, %r1, %r2;\n"
    "  .loc 1 7 3\n"
    "  st.shared.u32 [%r1], %r0;\n"
    "  ld.param.u32 %r0, [a]; setp.eq.u32 %p, %r0, 0; @%p bra END; trap; END: ret;\n"
    "}\n"
    ".visible .entry two() .reqntid 32, 2 { ret; }\n"
    ".visible .entry _Z3twof() { ret; }\n"
    ".visible .entry _Z3twoi() .maxntid 64 { ret; }\n"
    ".visible .entry four() .reqnctapercluster 2 { ret; }\n"
    ".visible .entry five() .explicitcluster .maxclusterrank 4 { ret; }\n";

struct fixture {
    struct source source;
    struct diag_list diags;
    struct sim *sim;
    struct run_module module;
    struct run_limits limits;
};

static int set_up(void **state) {
    static struct fixture f;
    f = (struct fixture){.source = {"run.ptx", text, sizeof text - 1}, .limits = run_limits_of(90)};
    f.sim = sim_create(&(struct sim_config){.arch = 90, .threads = 2});
    assert_true(run_module_parse(&f.module, &f.source, &f.diags));
    assert_true(run_module_load(&f.module, f.sim, &f.diags));
    *state = &f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    run_module_free(&f->module);
    sim_destroy(f->sim);
    diag_free(&f->diags);
    return 0;
}

static struct sim_kernel *kernel_of(struct fixture *f, const char *name) {
    struct sim_kernel *kernel = sim_module_kernel(f->module.sim, name, &f->diags);
    assert_non_null(kernel);
    return kernel;
}

// All refusals of a launch, a line for each.
static void expect(struct fixture *f, const char *name, struct sim_launch launch,
                   const char *wanted) {
    struct sim_kernel *kernel = kernel_of(f, name);
    const struct ir_function *function = sim_kernel_function(kernel);
    struct run_refusal refusals[RUN_MOST_REFUSALS];
    struct strbuf out = {0};
    size_t count =
        run_check(&f->limits, &launch, function, sim_kernel_layout(kernel)->static_bytes, refusals);
    for (size_t i = 0; i < count; i++) {
        char *line = run_refusal_text(&refusals[i], &f->limits, function->name);
        strbuf_printf(&out, "%s%s", i ? "\n" : "", line);
        free(line);
    }
    assert_string_equal(strbuf_string(&out), wanted);
    strbuf_free(&out);
}

#define SHAPE(g, b) .grid = {g, 1, 1}, .block = {b, 1, 1}

static void test_shapes(void **state) {
    struct fixture *f = *state;
    expect(f, "_Z3onePf", (struct sim_launch){SHAPE(1, 1024)}, "");
    expect(f, "_Z3onePf", (struct sim_launch){SHAPE(1, 1025)},
           "a block has at most 1024 threads in x");
    expect(f, "_Z3onePf", (struct sim_launch){.grid = {0, 70000, 1}, .block = {1, 0, 65}},
           "a grid has at least 1 block in x\na block has at least 1 thread in y\n"
           "a grid has at most 65535 blocks in y\na block has at most 64 threads in z");
    expect(f, "_Z3onePf", (struct sim_launch){.grid = {1, 1, 1}, .block = {64, 32, 1}},
           "the block has 2048 threads; sm_90 takes at most 1024");
    expect(f, "_Z3onePf",
           (struct sim_launch){.grid = {1, 1, 1}, .block = {UINT32_MAX, UINT32_MAX, UINT32_MAX}},
           "a block has at most 1024 threads in x\na block has at most 1024 threads in y\n"
           "a block has at most 64 threads in z");
    expect(f, "two", (struct sim_launch){SHAPE(1, 64)},
           "the block has 64 threads in x; kernel 'two' requires 32\n"
           "the block has 1 threads in y; kernel 'two' requires 2");
    expect(f, "_Z3twoi", (struct sim_launch){SHAPE(1, 65)},
           "the block has 65 threads; kernel '_Z3twoi' is made for at most 64");
}

static void test_memory(void **state) {
    struct fixture *f = *state;
    struct sim_launch launch = {SHAPE(1, 32), .dynamic_shared_bytes = 232448 - 2048};
    expect(f, "_Z3onePf", launch, "");
    launch.dynamic_shared_bytes++;
    expect(f, "_Z3onePf", launch,
           "the block needs 232449 bytes of shared memory; sm_90 has 232448 for one block");
    launch.dynamic_shared_bytes = UINT32_MAX;
    expect(f, "_Z3onePf", launch,
           "the block needs 4294969343 bytes of shared memory; sm_90 has 232448 for one block");
    f->limits.dynamic_bytes = 49152;
    expect(f, "_Z3onePf", launch,
           "the launch asks for 4294967295 bytes of dynamic shared memory; kernel '_Z3onePf' may "
           "have 49152");
}

// ---- As the profile keeps them -----------------------------------------------------------------

// The last refused launch of the profile has this limit and this cure.
static void expect_cure(struct fixture *f, const char *name, struct sim_launch launch,
                        const char *limit, const char *cure) {
    struct sim_kernel *kernel = kernel_of(f, name);
    struct profile *profile = profile_create(90, NULL, 0);
    run_add_refused(profile, &(struct run_refused){
                                 .symbol = name,
                                 .kernel = sim_kernel_function(kernel),
                                 .limits = &f->limits,
                                 .launch = &launch,
                                 .dynamic_bytes = launch.dynamic_shared_bytes,
                                 .static_bytes = sim_kernel_layout(kernel)->static_bytes,
                                 .error = "cudaErrorInvalidValue",
                                 .text = "invalid argument",
                             });
    assert_int_equal(profile->refused_count, 1);
    const struct profile_refused *refused = &profile->refused[0];
    assert_true(refused->limit_count >= 1);
    assert_string_equal(refused->limits[0].limit, limit);
    if (cure)
        assert_string_equal(refused->limits[0].cure, cure);
    else
        assert_null(refused->limits[0].cure);
    profile_free(profile);
}

static void test_cures(void **state) {
    struct fixture *f = *state;
    f->limits.dynamic_bytes = 49152;
    expect_cure(f, "_Z3onePf", (struct sim_launch){SHAPE(1, 1025)}, "block_extent",
                "launch blocks of at most 1024 threads in x, and more of them");
    expect_cure(f, "_Z3onePf", (struct sim_launch){SHAPE(0, 32)}, "grid_extent",
                "the grid is empty: launch only where there is something to do");
    expect_cure(f, "_Z3onePf", (struct sim_launch){.grid = {1, 70000, 1}, .block = {1, 1, 1}},
                "grid_extent",
                "launch at most 65535 blocks in y, and let each of them do several parts of the "
                "work");
    expect_cure(f, "_Z3onePf", (struct sim_launch){.grid = {1, 1, 1}, .block = {64, 32, 1}},
                "block_threads", "launch blocks of at most 1024 threads, and more of them");
    expect_cure(f, "_Z3twoi", (struct sim_launch){SHAPE(1, 65)}, "kernel_threads",
                "write __launch_bounds__(65) at the kernel, or launch blocks of at most 64 "
                "threads");
    expect_cure(f, "_Z3onePf", (struct sim_launch){SHAPE(1, 32), .dynamic_shared_bytes = 230400},
                "dynamic_shared",
                "cudaFuncSetAttribute(one, cudaFuncAttributeMaxDynamicSharedMemorySize, 230400);");
    expect_cure(f, "_Z3onePf", (struct sim_launch){SHAPE(1, 32), .dynamic_shared_bytes = 230401},
                "dynamic_shared",
                "ask for at most 230400 bytes: sm_90 has 232448 for a block, and the kernel itself "
                "takes 2048");
    expect_cure(f, "four", (struct sim_launch){SHAPE(3, 32)}, "cluster_remainder",
                "launch a grid of 4 blocks in x");
    expect_cure(f, "four", (struct sim_launch){SHAPE(4, 32)}, "other", NULL);
    f->limits.cluster_blocks = 8;
    expect_cure(f, "_Z3onePf", (struct sim_launch){SHAPE(16, 32), .cluster = {16, 1, 1}},
                "cluster_blocks",
                "cudaFuncSetAttribute(one, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);");
    f->limits = run_limits_of(90);
}

static void test_clusters(void **state) {
    struct fixture *f = *state;
    expect(f, "four", (struct sim_launch){SHAPE(4, 32)}, "");
    expect(f, "four", (struct sim_launch){SHAPE(3, 32)},
           "the grid's 3 blocks in x are no multiple of the cluster's 2");
    expect(f, "four", (struct sim_launch){SHAPE(4, 32), .cluster = {4, 1, 1}},
           "the cluster has 4 blocks in x; kernel 'four' requires 2");
    expect(f, "five", (struct sim_launch){SHAPE(4, 32)}, "kernel 'five' requires a cluster");
    expect(f, "five", (struct sim_launch){SHAPE(8, 32), .cluster = {8, 1, 1}},
           "the cluster has 8 blocks; sm_90 takes at most 4");
    f->limits.cluster[0] = 2; // told by the host
    expect(f, "two", (struct sim_launch){.grid = {3, 1, 1}, .block = {32, 2, 1}},
           "the grid's 3 blocks in x are no multiple of the cluster's 2");
    f->limits.cluster_blocks = 0;
    expect(f, "four", (struct sim_launch){SHAPE(4, 32)}, "sm_90 has no clusters");
}

static void test_cooperative(void **state) {
    struct fixture *f = *state;
    expect(f, "_Z3onePf", (struct sim_launch){SHAPE(264, 1024), .is_cooperative = true}, "");
    expect(f, "_Z3onePf", (struct sim_launch){SHAPE(265, 1024), .is_cooperative = true},
           "a cooperative launch of 265 blocks; 132 multiprocessors of sm_90 hold 264 at a time");
}

static void test_old_chips(void **state) {
    struct fixture *f = *state;
    f->limits = run_limits_of(13);
    expect(f, "_Z3onePf", (struct sim_launch){SHAPE(1, 513)},
           "a block has at most 512 threads in x");
    expect(f, "_Z3onePf", (struct sim_launch){.grid = {65536, 1, 2}, .block = {1, 1, 1}},
           "a grid has at most 65535 blocks in x\na grid has at most 1 blocks in z");
}

static void test_kernels(void **state) {
    struct fixture *f = *state;
    size_t matches;
    const struct ptx_function *one = run_find_kernel(f->module.ptx, "one", &matches);
    assert_string_equal(one->name, "_Z3onePf");
    assert_ptr_equal(run_find_kernel(f->module.ptx, "_Z3onePf", &matches), one);
    assert_string_equal(run_find_kernel(f->module.ptx, "two", &matches)->name, "two");
    assert_null(run_find_kernel(f->module.ptx, "six", &matches));
    assert_int_equal(matches, 0);
    struct strbuf out = {0};
    run_describe_parameters(one, &out);
    assert_string_equal(strbuf_string(&out), "kernel '_Z3onePf' takes 3 arguments (u32, f64, "
                                             "a structure of 12 bytes)");
    strbuf_free(&out);
    const struct ir_function *function = sim_kernel_function(kernel_of(f, "_Z3onePf"));
    assert_int_equal(run_parameter_offset(function, 0), 0);
    assert_int_equal(run_parameter_offset(function, 1), 8);
    assert_int_equal(run_parameter_offset(function, 2), 16);
    assert_true(run_types_fit(PTX_S32, PTX_U32));
    assert_true(run_types_fit(PTX_B32, PTX_F32));
    assert_false(run_types_fit(PTX_S32, PTX_F32));
    assert_false(run_types_fit(PTX_U64, PTX_U32));
}

static void test_recording(void **state) {
    struct fixture *f = *state;
    uint32_t parameters[16] = {0};
    volatile sig_atomic_t stop = 0;
    struct profile *profile = profile_create(90, (char *[]){"test"}, 1);
    struct run_launch launch = {.kernel = kernel_of(f, "_Z3onePf"),
                                .sim = {SHAPE(4, 32), .parameters = parameters},
                                .profile = profile,
                                .arch = 90,
                                .stop = &stop};
    struct sim_result result;
    run_launch(&launch, &result);
    assert_int_equal(result.fault, SIM_OK);
    sim_result_free(&result);
    assert_int_equal(profile->launch_count, 1);
    // 32 lanes, 64 bytes apart: two banks.
    assert_int_equal(profile->launches[0].totals[SITE_SHARED][PROFILE_STORE].units, 4 * 16);
    assert_null(profile->launches[0].fault);

    parameters[0] = 1;
    run_launch(&launch, &result);
    assert_int_equal(result.fault, SIM_FAULT_TRAP);
    assert_int_equal(profile->launch_count, 2);
    assert_string_equal(profile->launches[1].fault, result.message);
    sim_result_free(&result);

    launch.profile = NULL;
    run_launch(&launch, &result);
    sim_result_free(&result);
    assert_int_equal(profile->launch_count, 2);
    profile_free(profile);
}

static void test_trace(void **state) {
    struct fixture *f = *state;
    struct run_trace trace;
    assert_false(run_trace_open(&trace, "tile.cu:7", "/no/such/folder"));
    assert_int_equal(errno, ENOENT);
    assert_false(run_trace_open(&trace, "tile.cu", NULL));
    assert_int_equal(errno, EINVAL);
    assert_true(run_trace_open(&trace, "tile.cu:7", "/dev/full"));
    uint32_t parameters[16] = {0};
    struct profile *profile = profile_create(90, (char *[]){"test"}, 1);
    struct run_launch launch = {.kernel = kernel_of(f, "_Z3onePf"),
                                .sim = {SHAPE(4, 32), .parameters = parameters},
                                .profile = profile,
                                .arch = 90,
                                .trace = trace.trace};
    struct sim_result result;
    run_launch(&launch, &result);
    sim_result_free(&result);
    assert_true(profile_trace_has_matched(trace.trace));
    assert_false(run_trace_close(&trace));
    profile_free(profile);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_shapes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cures, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_clusters, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cooperative, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_old_chips, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_kernels, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_recording, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_trace, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
