// Addresses of parameters in 32 bits: many launches, from several threads, and no room.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/sim.h"

enum { LAUNCHES = 2000, LANES = 32, THREADS = 4, PARAMETERS = 24 };

// out[lane] = *(&pair + 4 * (lane & 1))
static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".visible .entry k(.param .align 8 .b8 pair[8], .param .u64 out) {\n"
                           ".reg .b32 %r<5>; .reg .b64 %d<6>;\n"
                           "ld.param.u64 %d0, [out]; mov.b32 %r0, pair; cvt.u64.u32 %d1, %r0;\n"
                           "cvta.param.u64 %d2, %d1; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 1;\n"
                           "mul.wide.u32 %d3, %r2, 4; add.u64 %d3, %d2, %d3; ld.u32 %r3, [%d3];\n"
                           "mul.wide.u32 %d4, %r1, 4; add.u64 %d4, %d0, %d4;\n"
                           "st.global.u32 [%d4], %r3; ret; }";

struct device {
    struct source source;
    struct diag_list diags;
    struct ptx_module *ptx;
    struct ir_module *ir;
    struct sim *sim;
    struct sim_module *module;
    struct sim_kernel *kernel;
    uint32_t *out;
};

static void open_device(struct device *d) {
    memset(d, 0, sizeof *d);
    d->source = (struct source){"test.ptx", text, strlen(text)};
    d->ptx = ptx_parse(&d->source, &d->diags);
    d->ir = ir_build(d->ptx, &d->diags);
    const struct sim_config config = {.arch = 90, .threads = 1};
    d->sim = sim_create(&config);
    d->module = sim_module_load(d->sim, d->ir, NULL, &d->diags);
    d->kernel = sim_module_kernel(d->module, "k", &d->diags);
    d->out = sim_alloc(d->sim, LANES * sizeof *d->out, SIM_DEVICE);
}

static void close_device(struct device *d) {
    sim_module_unload(d->module, NULL);
    sim_destroy(d->sim);
    ir_free(d->ir);
    ptx_module_free(d->ptx);
    diag_free(&d->diags);
}

static void launch(struct device *d, uint32_t number, struct sim_result *result) {
    const uint32_t pair[2] = {number, ~number};
    uint8_t parameters[PARAMETERS] = {0};
    memcpy(parameters, pair, sizeof pair);
    memcpy(parameters + sizeof pair, &d->out, sizeof d->out);
    const struct sim_launch launch = {
        .grid = {1, 1, 1}, .block = {LANES, 1, 1}, .parameters = parameters};
    sim_launch(d->kernel, &launch, result);
}

// Each thread has a device; the room is one. NULL: all launches were right.
static void *launch_often(void *context) {
    struct device *d = context;
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        struct sim_result result;
        launch(d, i, &result);
        if (result.fault != SIM_OK || d->out[0] != i || d->out[LANES - 1] != ~i)
            return d;
        sim_result_free(&result);
    }
    return NULL;
}

static void test_many_launches_of_several_threads(void **state) {
    (void)state;
    struct device devices[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        open_device(&devices[i]);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, launch_often, &devices[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        void *wrong = NULL;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
        close_device(&devices[i]);
    }
}

static void *occupy(uint64_t from, uint64_t bytes) {
    return mmap((void *)(uintptr_t)from, bytes, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
}

// All of it but for one place is taken: it is found, and given back.
static void test_little_room(void **state) {
    (void)state;
    const uint64_t from = 0x10000000, to = 0x7f000000, hole = 0x43210000, place = 0x10000;
    if (occupy(from, hole - from) == MAP_FAILED ||
        occupy(hole + place, to - hole - place) == MAP_FAILED)
        skip(); // something lies there already
    struct device d;
    open_device(&d);
    struct sim_result result;
    for (uint32_t i = 0; i < 4; i++) {
        launch(&d, i, &result);
        assert_int_equal(result.fault, SIM_OK);
        assert_int_equal(d.out[LANES - 1], ~i);
        sim_result_free(&result);
    }
    assert_ptr_equal(occupy(hole, place), (void *)(uintptr_t)hole);
    launch(&d, 1, &result);
    assert_int_equal(result.fault, SIM_FAULT_TRAP);
    assert_non_null(strstr(result.message, "k takes the address of a parameter in 32 bits"));
    assert_int_equal(d.out[LANES - 1], ~3u);
    sim_result_free(&result);
    munmap((void *)(uintptr_t)from, to - from);
    launch(&d, 7, &result);
    assert_int_equal(result.fault, SIM_OK);
    assert_int_equal(d.out[0], 7);
    sim_result_free(&result);
    close_device(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_launches_of_several_threads),
        cmocka_unit_test(test_little_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
