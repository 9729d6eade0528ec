// The C API, as a program sees it: linked with libbankrun.a alone.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bankrun/bankrun.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"

// columns(out, stride): lane n of each warp writes word n * stride and reads it back.
static const char text[] =
    HEAD ".global .align 4 .u32 answer = 42;\n"
         ".file 1 \"columns.cu\"\n"
         ".visible .entry _Z7columnsPji(.param .u64 out, .param .u32 stride) .maxntid 256 {\n"
         "  .reg .b32 %r<8>; .reg .b64 %d<4>;\n"
         "  .shared .align 4 .b8 tile[65536];\n"
         "  ld.param.u32 %r1, [stride]; mov.u32 %r2, %laneid; mov.u32 %r0, %tid.x;\n"
         "  mul.lo.u32 %r3, %r2, %r1; shl.b32 %r3, %r3, 2; mov.u32 %r4, tile;\n"
         "  add.u32 %r4, %r4, %r3;\n"
         "  .loc 1 7 5\n"
         "  st.shared.u32 [%r4], %r0;\n"
         "  .loc 1 8 12\n"
         "  ld.shared.u32 %r5, [%r4];\n"
         "  ld.param.u64 %d1, [out]; mov.u32 %r6, %ctaid.x; mov.u32 %r7, %ntid.x;\n"
         "  mad.lo.u32 %r6, %r6, %r7, %r0; mul.wide.u32 %d2, %r6, 4; add.u64 %d3, %d1, %d2;\n"
         "  .loc 1 8 3\n"
         "  st.global.u32 [%d3], %r5;\n"
         "  ret;\n"
         "}\n"
         ".visible .entry _Z4samev() { ret; }\n"
         ".visible .entry _Z4samei() { ret; }\n"
         ".visible .entry take(.param .f32 f, .param .align 8 .b8 s[24], .param .u64 out) {\n"
         "  .reg .b64 %d<3>; .reg .b32 %r;\n"
         "  ld.param.u64 %d0, [out]; ld.param.u64 %d1, [s+16]; ld.param.u32 %r, [f];\n"
         "  st.global.u64 [%d0], %d1; st.global.u32 [%d0+8], %r; ret;\n"
         "}\n"
         ".visible .entry together() {\n"
         "  .reg .b32 %r<2>; .reg .b64 %d; .reg .pred %p; .shared .align 8 .b64 mbar;\n"
         "  mov.u32 %r0, %tid.x; bar.sync 0; shfl.sync.idx.b32 %r1, %r0, 0, 31, 0xffffffff;\n"
         "  fence.acq_rel.gpu; setp.eq.u32 %p, %r0, 0;\n"
         "  @%p mbarrier.init.shared.b64 [mbar], 7; @%p mbarrier.arrive.shared.b64 %d, [mbar];\n"
         "  ret;\n"
         "}\n"
         ".visible .entry forever() { L: bra L; }\n"
         ".visible .entry never() { .reg .b32 %r; tcgen05.dealloc.cta_group::1.sync.aligned.b32 "
         "%r, 32; ret; }\n";

struct fixture {
    struct bankrun_device *device;
    struct bankrun_module *module;
    uint32_t *out;
    struct bankrun_argument arguments[2];
    struct bankrun_launch launch; // of columns, with stride 32: 32-way conflicts
    char *message;
};

static void open_fixture(struct fixture *f, const struct bankrun_config *config) {
    *f = (struct fixture){0};
    f->device = bankrun_open(config, &f->message);
    assert_non_null(f->device);
    if (bankrun_load(f->device, "columns.ptx", text, strlen(text), &f->module, &f->message))
        fail_msg("%s", f->message);
    f->out = bankrun_alloc(f->device, 16384 * sizeof *f->out);
    f->arguments[0] = bankrun_memory(f->out);
    f->arguments[1] = bankrun_s32(32);
    f->launch = (struct bankrun_launch){.kernel = "columns",
                                        .grid = {16},
                                        .block = {64},
                                        .arguments = f->arguments,
                                        .argument_count = 2};
}

static void close_fixture(struct fixture *f) {
    free(f->message);
    bankrun_close(f->device);
}

static void expect(struct fixture *f, enum bankrun_error wanted, const char *message) {
    free(f->message);
    f->message = (char *)"";
    enum bankrun_error error = bankrun_launch(f->module, &f->launch, NULL, &f->message);
    if (message)
        assert_string_equal(f->message, message);
    else
        assert_null(f->message);
    assert_int_equal(error, wanted);
    assert_int_equal(bankrun_launch(f->module, &f->launch, NULL, NULL), wanted);
}

static void test_devices(void **state) {
    (void)state;
    char *message = (char *)"";
    assert_string_equal(bankrun_version(), BANKRUN_VERSION);
    assert_null(bankrun_open(&(struct bankrun_config){.arch = 77}, &message));
    assert_string_equal(message, "there is no architecture 77");
    free(message);
    assert_null(
        bankrun_open(&(struct bankrun_config){.arch = 90 | BANKRUN_EIGHT_BYTE_BANKS}, &message));
    assert_string_equal(message, "there is no architecture 90 with banks of 8 bytes");
    free(message);
    assert_null(bankrun_open(&(struct bankrun_config){.threads = 1025}, &message));
    assert_string_equal(message, "1025 threads are more than 1024");
    free(message);
    struct bankrun_device *device = bankrun_open(NULL, &message);
    assert_null(message);
    assert_true(bankrun_threads(device) >= 1);
    bankrun_close(device);
    device = bankrun_open(&(struct bankrun_config){.threads = 3}, NULL);
    assert_int_equal(bankrun_threads(device), 3);
    bankrun_close(device);
    bankrun_close(NULL);
    for (int error = BANKRUN_SUCCESS; error <= BANKRUN_BAD_PROFILE; error++)
        assert_string_not_equal(bankrun_error_text((enum bankrun_error)error), "an unknown error");
    assert_string_equal(bankrun_error_text((enum bankrun_error)99), "an unknown error");
}

static void test_memory(void **state) {
    (void)state;
    struct bankrun_device *device =
        bankrun_open(&(struct bankrun_config){.memory_bytes = 1 << 20}, NULL);
    unsigned char *memory = bankrun_alloc(device, 1 << 19);
    for (size_t i = 0; i < 1 << 19; i++)
        assert_int_equal(memory[i], 0);
    memset(memory, 1, 1 << 19);
    assert_null(bankrun_alloc(device, 1 << 20));
    assert_false(bankrun_free(device, memory + 1));
    assert_true(bankrun_free(device, memory));
    assert_false(bankrun_free(device, memory));
    memory = bankrun_alloc(device, 1 << 19);
    assert_int_equal(memory[1000], 0);
    uint64_t own[8];
    assert_true(bankrun_register(device, own, sizeof own));
    assert_false(bankrun_register(device, own + 1, 8));
    assert_true(bankrun_unregister(device, own));
    assert_false(bankrun_unregister(device, own));
    bankrun_close(device);
}

static void test_modules(void **state) {
    (void)state;
    struct fixture f;
    open_fixture(&f, NULL);
    struct bankrun_kernel kernel;
    assert_true(bankrun_kernel(f.module, 0, &kernel));
    assert_string_equal(kernel.symbol, "_Z7columnsPji");
    assert_int_equal(kernel.parameters, 2);
    assert_int_equal(kernel.max_threads, 256);
    assert_true(bankrun_kernel(f.module, 3, &kernel));
    assert_string_equal(kernel.symbol, "take");
    assert_int_equal(kernel.max_threads, 1024);
    assert_false(bankrun_kernel(f.module, 7, &kernel));
    size_t bytes;
    uint32_t *answer = bankrun_variable(f.module, "answer", &bytes);
    assert_int_equal(*answer, 42);
    assert_int_equal(bytes, 4);
    assert_null(bankrun_variable(f.module, "question", NULL));
    assert_false(bankrun_free(f.device, answer));
    bankrun_unload(f.module);
    bankrun_unload(NULL);
    close_fixture(&f);
}

static void test_bad_ptx(void **state) {
    (void)state;
    char *message = NULL;
    struct bankrun_device *device = bankrun_open(NULL, NULL);
    struct bankrun_module *module;
    const char *wrong = HEAD ".visible .entry k() { .reg .b32 %r; add.u32 %r, %r; }\n";
    assert_int_equal(bankrun_load(device, "wrong.ptx", wrong, strlen(wrong), &module, &message),
                     BANKRUN_BAD_PTX);
    assert_null(module);
    assert_memory_equal(message, "wrong.ptx:4:", strlen("wrong.ptx:4:"));
    assert_non_null(strstr(message, ": error: "));
    assert_non_null(strstr(message, "^"));
    assert_int_not_equal(message[strlen(message) - 1], '\n');
    free(message);
    // A NUL does not end the text.
    static const char nul[] = HEAD "\0 nonsense";
    assert_int_equal(bankrun_load(device, "nul.ptx", nul, sizeof nul - 1, &module, NULL),
                     BANKRUN_BAD_PTX);
    assert_int_equal(bankrun_load_file(device, "/no/such.ptx", &module, &message),
                     BANKRUN_BAD_FILE);
    assert_string_equal(message, "/no/such.ptx: No such file or directory");
    free(message);
    const char *large = HEAD ".global .b8 all[68719476736];\n";
    assert_int_equal(bankrun_load(device, "large.ptx", large, strlen(large), &module, &message),
                     BANKRUN_NO_MEMORY);
    assert_non_null(message);
    free(message);
    bankrun_close(device);
}

static void test_kernels(void **state) {
    (void)state;
    struct fixture f;
    open_fixture(&f, NULL);
    f.launch.kernel = "column";
    expect(&f, BANKRUN_NO_KERNEL,
           "no kernel 'column' in the module; there are: _Z7columnsPji, _Z4samev, _Z4samei, take, "
           "together, forever, never");
    f.launch.kernel = "same";
    expect(&f, BANKRUN_NO_KERNEL,
           "several kernels are called 'same'; name one by its symbol; there are: _Z7columnsPji, "
           "_Z4samev, _Z4samei, take, together, forever, never");
    f.launch.kernel = NULL;
    expect(&f, BANKRUN_BAD_CALL, "the launch names no kernel");
    f.launch.kernel = "never";
    free(f.message);
    assert_int_equal(bankrun_launch(f.module, &f.launch, NULL, &f.message), BANKRUN_NOT_SIMULATED);
    assert_non_null(strstr(f.message, "tcgen05"));
    close_fixture(&f);
}

static void test_arguments(void **state) {
    (void)state;
    struct fixture f;
    open_fixture(&f, NULL);
    f.launch.argument_count = 1;
    expect(&f, BANKRUN_BAD_ARGUMENTS,
           "kernel '_Z7columnsPji' takes 2 arguments (u64, u32), 1 given");
    f.launch.argument_count = 2;
    f.arguments[0] = bankrun_f64(1);
    f.arguments[1] = bankrun_f32(1);
    expect(&f, BANKRUN_BAD_ARGUMENTS,
           "argument 1 is f64, but parameter out of kernel '_Z7columnsPji' is u64\n"
           "argument 2 is f32, but parameter stride of kernel '_Z7columnsPji' is u32");
    f.arguments[1].kind = (enum bankrun_argument_kind)77;
    f.arguments[0] = bankrun_u64((uintptr_t)f.out);
    expect(&f, BANKRUN_BAD_ARGUMENTS,
           "argument 2 is of no known kind, but parameter stride of kernel '_Z7columnsPji' is u32");
    f.arguments[1] = bankrun_u32(1);
    expect(&f, BANKRUN_SUCCESS, NULL);

    uint64_t parts[3] = {1, 2, 0x0123456789abcdefu};
    struct bankrun_argument taken[] = {bankrun_f32(1.5f), bankrun_bytes(parts, 16),
                                       bankrun_s64((intptr_t)f.out)};
    f.launch = (struct bankrun_launch){
        .kernel = "take", .grid = {1}, .block = {1}, .arguments = taken, .argument_count = 3};
    expect(&f, BANKRUN_BAD_ARGUMENTS,
           "argument 2 is 16 bytes, but parameter s of kernel 'take' is a structure of 24 bytes");
    taken[1] = bankrun_bytes(parts, 24);
    expect(&f, BANKRUN_SUCCESS, NULL);
    assert_memory_equal(f.out, &parts[2], 8);
    assert_int_equal(f.out[2], 0x3fc00000);
    close_fixture(&f);
}

static void test_limits(void **state) {
    (void)state;
    struct fixture f;
    open_fixture(&f, NULL);
    f.launch.block[0] = 257;
    expect(&f, BANKRUN_REFUSED,
           "the block has 257 threads; kernel '_Z7columnsPji' is made for at most 256");
    f.launch.block[0] = 1025;
    expect(&f, BANKRUN_REFUSED, "a block has at most 1024 threads in x");
    f.launch.block[0] = 0;
    expect(&f, BANKRUN_REFUSED, "a block has at least 1 thread in x");
    f.launch.block[0] = 32;
    f.launch.shared_bytes = 200 * 1024;
    expect(&f, BANKRUN_REFUSED,
           "the block needs 270336 bytes of shared memory; sm_90 has 232448 for one block");
    f.launch.shared_bytes = 0;
    f.launch.cluster[0] = 3;
    expect(&f, BANKRUN_REFUSED, "the grid's 16 blocks in x are no multiple of the cluster's 3");
    f.launch.cluster[0] = 2;
    expect(&f, BANKRUN_SUCCESS, NULL);
    close_fixture(&f);
}

// What the device refuses is in the profile, with what cures it, and in its saved form.
static void test_refused(void **state) {
    (void)state;
    struct fixture f;
    open_fixture(&f, NULL);
    struct bankrun_profile *profile = bankrun_profile_create(90, "refused");
    f.launch.profile = profile;
    assert_int_equal(bankrun_launch(f.module, &f.launch, NULL, NULL), BANKRUN_SUCCESS);
    assert_false(bankrun_profile_has_failed(profile));
    f.launch.block[0] = 257;
    for (int i = 0; i < 2; i++)
        assert_int_equal(bankrun_launch(f.module, &f.launch, NULL, NULL), BANKRUN_REFUSED);
    assert_true(bankrun_profile_has_failed(profile));
    struct bankrun_refused_launch refused;
    struct bankrun_refusal_reason reason;
    assert_true(bankrun_profile_refused(profile, 0, &refused));
    assert_int_equal(refused.after, 1);
    assert_int_equal(refused.repeats, 2);
    assert_int_equal(refused.block[0], 257);
    assert_string_equal(refused.symbol, "_Z7columnsPji");
    assert_null(refused.error);
    assert_int_equal(refused.reasons, 1);
    assert_true(bankrun_profile_reason(profile, 0, 0, &reason));
    assert_string_equal(reason.limit, "kernel_threads");
    assert_int_equal(reason.asked, 257);
    assert_int_equal(reason.most, 256);
    assert_non_null(strstr(reason.cure, "__launch_bounds__(257)"));
    assert_false(bankrun_profile_reason(profile, 0, 1, &reason));
    assert_false(bankrun_profile_reason(profile, 1, 0, &reason));
    assert_false(bankrun_profile_refused(profile, 1, &refused));
    struct bankrun_gap gap;
    assert_false(bankrun_profile_gap(profile, 0, &gap));
    bankrun_profile_free(profile);
    close_fixture(&f);
}

static void test_accesses_that_pass(void **state) {
    (void)state;
    struct fixture f;
    struct bankrun_result result;
    struct bankrun_passed passed;
    open_fixture(&f, &(struct bankrun_config){.lets_pass = true, .threads = 1});
    struct bankrun_profile *profile = bankrun_profile_create(90, "passed");
    f.arguments[0] = bankrun_memory(f.out + 16384 - 16); // the last 16 lanes lie beyond
    f.launch.profile = profile;
    f.launch.grid[0] = 1;
    f.launch.block[0] = 32;
    assert_int_equal(bankrun_launch(f.module, &f.launch, &result, &f.message), BANKRUN_SUCCESS);
    assert_int_equal(result.passed, 16);
    assert_true(bankrun_profile_passed(profile, 0, 0, &passed));
    assert_int_equal(passed.count, 16);
    assert_int_equal(passed.line, 8);
    assert_int_equal(passed.thread[0], 16);
    assert_string_equal(passed.instruction, "st.global.u32");
    assert_int_equal(passed.address, (uint64_t)(uintptr_t)(f.out + 16384));
    assert_false(bankrun_profile_passed(profile, 0, 1, &passed));
    assert_true(bankrun_profile_has_failed(profile));
    bankrun_profile_free(profile);
    close_fixture(&f);
}

// Two warps write the same words.
static void test_checks(void **state) {
    (void)state;
    struct fixture f;
    struct bankrun_finding finding;
    struct bankrun_recorded_launch launch;
    open_fixture(&f, NULL);
    struct bankrun_profile *profile = bankrun_profile_create(90, "checked");
    assert_false(bankrun_profile_check(profile, 1u << 20, true));
    assert_true(bankrun_profile_check(profile, BANKRUN_CHECK_RACE | BANKRUN_CHECK_SYNC, false));
    f.launch.profile = profile;
    f.launch.grid[0] = 1;
    for (unsigned warps = 1; warps <= 2; warps++) {
        f.launch.block[0] = 32 * warps;
        assert_int_equal(bankrun_launch(f.module, &f.launch, NULL, &f.message), BANKRUN_SUCCESS);
    }
    assert_true(bankrun_profile_launch(profile, 0, &launch));
    assert_int_equal(launch.findings, 0);
    assert_int_equal(launch.sites, 0);
    assert_false(bankrun_profile_finding(profile, 0, 0, &finding));
    assert_true(bankrun_profile_launch(profile, 1, &launch));
    assert_true(launch.findings > 0);
    assert_true(bankrun_profile_finding(profile, 1, 0, &finding));
    assert_string_equal(finding.check, "race");
    assert_string_equal(finding.kind, "write-write");
    assert_string_equal(finding.object, "tile[0]");
    assert_int_equal(finding.place_count, 2);
    assert_int_equal(finding.places[0].line, 7);
    assert_int_equal(finding.places[1].line, 7);
    assert_true(finding.places[1].has_thread);
    assert_non_null(finding.help);
    assert_false(bankrun_profile_finding(profile, 1, launch.findings, &finding));
    bankrun_profile_free(profile);
    close_fixture(&f);
}

// Lane 1 stores a word of its tile that nobody wrote.
static void test_undefined(void **state) {
    static const char hole[] =
        HEAD ".visible .entry hole(.param .u64 out) {\n"
             "  .reg .b64 %d<3>; .reg .b32 %r<4>; .reg .pred %p; .shared .b32 s[32];\n"
             "  ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 2;\n"
             "  mov.u32 %r2, s; add.u32 %r2, %r2, %r1; setp.ne.u32 %p, %r0, 1;\n"
             "  @%p st.shared.u32 [%r2], %r0; ld.shared.u32 %r3, [%r2];\n"
             "  cvt.u64.u32 %d1, %r1; add.u64 %d1, %d0, %d1; st.global.u32 [%d1], %r3; ret; }\n";
    (void)state;
    for (int tracks = 0; tracks <= 1; tracks++) {
        char *message = NULL;
        const struct bankrun_config config = {.tracks_undefined = tracks};
        struct bankrun_device *device = bankrun_open(&config, NULL);
        struct bankrun_module *module = NULL;
        assert_int_equal(bankrun_load(device, "hole.ptx", hole, strlen(hole), &module, &message),
                         BANKRUN_SUCCESS);
        struct bankrun_profile *profile = bankrun_profile_create(90, "hole");
        const struct bankrun_argument out = bankrun_memory(bankrun_alloc(device, 128));
        const struct bankrun_launch launch = {.kernel = "hole",
                                              .grid = {1},
                                              .block = {32},
                                              .arguments = &out,
                                              .argument_count = 1,
                                              .profile = profile};
        struct bankrun_finding finding;
        assert_true(bankrun_profile_check(profile, BANKRUN_CHECK_INIT, true));
        const enum bankrun_error error = bankrun_launch(module, &launch, NULL, &message);
        if (tracks) {
            assert_int_equal(error, BANKRUN_SUCCESS);
            assert_true(bankrun_profile_finding(profile, 0, 0, &finding));
            assert_string_equal(finding.kind, "undefined-store");
            assert_int_equal(finding.places[0].thread[0], 1);
        } else {
            assert_int_equal(error, BANKRUN_BAD_CALL);
            assert_non_null(strstr(message, "tracks_undefined"));
        }
        free(message);
        bankrun_profile_free(profile);
        bankrun_close(device);
    }
}

static void test_faults(void **state) {
    (void)state;
    struct fixture f;
    struct bankrun_result result;
    struct bankrun_recorded_launch launch;
    open_fixture(&f, NULL);
    struct bankrun_profile *profile = bankrun_profile_create(90, "faults");
    f.launch.profile = profile;
    f.arguments[0] = bankrun_memory(f.out + 16384 - 64); // of which block 1 writes past the end
    assert_int_equal(bankrun_launch(f.module, &f.launch, &result, &f.message), BANKRUN_FAULTED);
    assert_int_equal(result.fault, BANKRUN_ILLEGAL_ADDRESS);
    assert_int_equal(result.block[0], 1);
    assert_int_equal(result.thread[0], 0);
    assert_ptr_equal((void *)(uintptr_t)result.address, f.out + 16384);
    assert_string_equal(result.file, "columns.cu");
    assert_int_equal(result.line, 8);
    assert_non_null(strstr(f.message, "columns.cu:8"));
    assert_true(bankrun_profile_launch(profile, 0, &launch));
    assert_string_equal(launch.fault, f.message);
    // The device goes on.
    f.arguments[0] = bankrun_memory(f.out);
    expect(&f, BANKRUN_SUCCESS, NULL);
    assert_int_equal(f.out[70], 6);
    bankrun_profile_free(profile);
    close_fixture(&f);
}

static void interrupt(void *context, const struct bankrun_event *event) {
    (void)event;
    bankrun_interrupt(context);
}

static void *interrupt_soon(void *device) {
    usleep(20000);
    bankrun_interrupt(device);
    return NULL;
}

static void test_stopping(void **state) {
    (void)state;
    struct fixture f;
    struct bankrun_result result;
    open_fixture(&f, &(struct bankrun_config){.max_instructions = 100, .threads = 1});
    assert_int_equal(bankrun_launch(f.module, &f.launch, &result, NULL), BANKRUN_STOPPED);
    assert_int_equal(result.fault, BANKRUN_INSTRUCTION_LIMIT);
    close_fixture(&f);

    open_fixture(&f, &(struct bankrun_config){.threads = 1});
    struct bankrun_observer observer = {.context = f.device, .access = interrupt};
    f.launch.observers = &observer;
    f.launch.observer_count = 1;
    assert_int_equal(bankrun_launch(f.module, &f.launch, &result, &f.message), BANKRUN_STOPPED);
    assert_int_equal(result.fault, BANKRUN_INTERRUPTED);
    assert_true(result.blocks_run < 16);
    assert_non_null(f.message);
    f.launch.observer_count = 0;
    expect(&f, BANKRUN_SUCCESS, NULL);

    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, interrupt_soon, f.device), 0);
    f.launch = (struct bankrun_launch){.kernel = "forever", .grid = {1}, .block = {32}};
    assert_int_equal(bankrun_launch(f.module, &f.launch, &result, NULL), BANKRUN_STOPPED);
    pthread_join(thread, NULL);
    close_fixture(&f);
}

enum { WORKERS = 4 };

// What an observer heard: a sum for each thread.
struct heard {
    uint64_t requests[WORKERS], wavefronts[WORKERS], sectors[WORKERS], columns[WORKERS];
    const struct bankrun_site *sites[3];
};

static void hear(void *context, const struct bankrun_event *event) {
    struct heard *heard = context;
    struct bankrun_cost cost;
    assert_in_range(event->worker, 0, WORKERS - 1);
    assert_int_equal(event->order, BANKRUN_WEAK);
    assert_int_equal(event->completion, BANKRUN_AT_ONCE);
    assert_int_equal(event->site->width, 4);
    assert_int_equal(event->block_number, event->block[0]);
    assert_in_range(event->warp, 0, 1);
    assert_int_equal(event->width, 4);
    assert_int_equal(event->mask, UINT32_MAX);
    heard->requests[event->worker]++;
    heard->columns[event->worker] += event->site->column;
    int n = event->space == BANKRUN_GLOBAL ? 2 : event->site->line == 8;
    __atomic_store_n(&heard->sites[n], event->site, __ATOMIC_RELAXED);
    if (event->space == BANKRUN_GLOBAL) {
        uint32_t sectors, ideal;
        assert_null(event->request);
        assert_int_equal(event->intent, BANKRUN_WRITES);
        bankrun_sectors(event->mask, event->width, event->addresses, &sectors, &ideal);
        heard->sectors[event->worker] += sectors;
        return;
    }
    assert_int_equal(event->owner, event->block_number);
    assert_int_equal(event->intent, event->site->line == 7 ? BANKRUN_WRITES : BANKRUN_READS);
    assert_int_equal(bankrun_count(90, event->request, &cost), BANKRUN_OK);
    heard->wavefronts[event->worker] += cost.wavefronts;
}

static uint64_t sum(const uint64_t values[WORKERS]) {
    uint64_t all = 0;
    for (int i = 0; i < WORKERS; i++)
        all += values[i];
    return all;
}

// Observers hear every request, also those that the profile's memo keeps from the recorder.
static void check_observers(unsigned threads) {
    struct fixture f;
    struct heard heard[2] = {0};
    struct bankrun_observer observers[] = {{.context = &heard[0], .access = hear},
                                           {.access = NULL},
                                           {.context = &heard[1], .access = hear}};
    struct bankrun_recorded_launch launch;
    open_fixture(&f, &(struct bankrun_config){.threads = threads});
    f.launch.observers = observers;
    f.launch.observer_count = 3;
    f.launch.profile = bankrun_profile_create(90, "observers");
    expect(&f, BANKRUN_SUCCESS, NULL); // launches twice
    assert_true(bankrun_profile_launch(f.launch.profile, 0, &launch));
    assert_int_equal(launch.repeats, 2);
    assert_int_equal(launch.shared.units, 16 * 2 * 2 * 32);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sum(heard[i].requests), 2 * 16 * 2 * 3);
        assert_int_equal(sum(heard[i].wavefronts), 2 * launch.shared.units);
        assert_int_equal(sum(heard[i].sectors), 2 * launch.global.units);
        assert_int_equal(sum(heard[i].columns), (5 + 12 + 3) * 2 * 16 * 2);
    }
    assert_string_equal(heard[0].sites[1]->instruction, "ld.shared.u32"); // still there
    assert_string_equal(heard[0].sites[1]->file, "columns.cu");
    assert_string_equal(heard[0].sites[1]->function, "columns(unsigned int*, int)");
    assert_ptr_equal(heard[0].sites[1], heard[1].sites[1]);
    bankrun_profile_free(f.launch.profile);
    close_fixture(&f);
}

static void test_observers(void **state) {
    (void)state;
    check_observers(1);
    check_observers(WORKERS);
}

struct orders {
    unsigned count[BANKRUN_GRID_WAIT + 1], uncounted;
};

static void hear_sync(void *context, const struct bankrun_sync *event) {
    struct orders *orders = context;
    orders->count[event->kind]++;
    assert_int_equal(event->worker, 0);
    assert_int_equal(event->block_number, event->block[0]);
    switch (event->kind) {
    case BANKRUN_BARRIER_SYNC:
        assert_string_equal(event->site->instruction, "bar.sync");
        assert_int_equal(event->mask, UINT32_MAX);
        break;
    case BANKRUN_WARP_EXCHANGE:
        assert_int_equal(event->members, UINT32_MAX);
        break;
    case BANKRUN_FENCE:
        assert_int_equal(event->order, BANKRUN_ACQ_REL);
        assert_int_equal(event->scope, BANKRUN_OF_DEVICE);
        break;
    case BANKRUN_MBARRIER_INIT:
        assert_int_equal(event->count, 7);
        assert_int_equal(event->owner, event->block_number);
        break;
    case BANKRUN_LANES_EXIT:
        assert_string_equal(event->site->instruction, "ret");
        break;
    case BANKRUN_BLOCK_BEGIN:
        assert_null(event->site);
        assert_int_equal(event->expected, 64);
        break;
    default:
        break;
    }
}

static void hear_uncounted(void *context, const struct bankrun_event *event) {
    struct orders *orders = context;
    assert_null(event->request);
    assert_int_equal(event->space, BANKRUN_SHARED);
    orders->uncounted++;
}

static void test_orders(void **state) {
    (void)state;
    struct fixture f;
    struct orders orders = {0};
    struct bankrun_observer observer = {
        .context = &orders, .access = hear_uncounted, .sync = hear_sync, .wants_uncounted = true};
    open_fixture(&f, &(struct bankrun_config){.threads = 1});
    f.launch = (struct bankrun_launch){.kernel = "together",
                                       .grid = {3},
                                       .block = {64},
                                       .observers = &observer,
                                       .observer_count = 1};
    assert_int_equal(bankrun_launch(f.module, &f.launch, NULL, NULL), BANKRUN_SUCCESS);
    assert_int_equal(orders.count[BANKRUN_BLOCK_BEGIN], 3);
    assert_int_equal(orders.count[BANKRUN_BARRIER_SYNC], 6);
    assert_int_equal(orders.count[BANKRUN_BARRIER_COMPLETE], 3);
    assert_int_equal(orders.count[BANKRUN_WARP_EXCHANGE], 6);
    assert_int_equal(orders.count[BANKRUN_FENCE], 6);
    assert_int_equal(orders.count[BANKRUN_MBARRIER_INIT], 3);
    assert_int_equal(orders.count[BANKRUN_MBARRIER_ARRIVE], 3);
    assert_int_equal(orders.count[BANKRUN_LANES_EXIT], 6);
    assert_int_equal(orders.count[BANKRUN_BLOCK_END], 3);
    assert_int_equal(orders.uncounted, 6);
    close_fixture(&f);
}

static void test_profiles(void **state) {
    (void)state;
    struct fixture f;
    struct bankrun_recorded_launch launch;
    struct bankrun_recorded_site site;
    open_fixture(&f, NULL);
    struct bankrun_profile *profile = f.launch.profile = bankrun_profile_create(90, "columns");
    assert_int_equal(bankrun_launch(f.module, &f.launch, NULL, NULL), BANKRUN_SUCCESS);
    assert_int_equal(bankrun_profile_excess(profile), 16 * 2 * 2 * 31);
    assert_true(bankrun_profile_launch(profile, 0, &launch));
    assert_false(bankrun_profile_launch(profile, 1, &launch));
    assert_string_equal(launch.kernel, "columns(unsigned int*, int)");
    assert_string_equal(launch.symbol, "_Z7columnsPji");
    assert_int_equal(launch.grid[0], 16);
    assert_int_equal(launch.grid[2], 1);
    assert_int_equal(launch.shared_bytes, 65536);
    assert_int_equal(launch.shared.requests, 64);
    assert_int_equal(launch.shared.ideal, 64);
    assert_int_equal(launch.global.units, 32 * 4);
    assert_int_equal(launch.sites, 3);
    assert_null(launch.fault);
    assert_true(bankrun_profile_site(profile, 0, 1, &site));
    assert_false(bankrun_profile_site(profile, 0, 3, &site));
    assert_false(bankrun_profile_site(profile, 1, 0, &site));
    assert_string_equal(site.array, "tile");
    assert_int_equal(site.line, 8);
    assert_int_equal(site.counts.units, 32 * 32);
    assert_string_equal(site.operation, "load");
    assert_int_equal(site.degrees[32], 32);
    assert_int_equal(site.inlined_count, 0);
    assert_int_equal(site.worst_degree, 32);
    assert_int_equal(site.worst_offsets[31], 31 * 128);
    assert_string_equal(site.why,
                        "lanes read words 0, 32, 64, ...: stride 32 words, all in bank 0");
    assert_non_null(strstr(site.help, "pad rows of 32 elements to 33"));
    assert_non_null(site.proof);
    bankrun_profile_free(profile);
    close_fixture(&f);
}

static char *print(const struct bankrun_profile *profile, enum bankrun_format format) {
    char *out = NULL;
    size_t length;
    FILE *file = open_memstream(&out, &length);
    struct bankrun_print_options options = {.width = 80};
    assert_int_equal(bankrun_profile_print(profile, format, &options, file, NULL), BANKRUN_SUCCESS);
    fclose(file);
    return out;
}

static void test_files(void **state) {
    (void)state;
    static const char *const parts[] = {[BANKRUN_TEXT] = "32-way bank conflict",
                                        [BANKRUN_METRICS] = "shared_efficiency",
                                        [BANKRUN_CSV] = "columns.cu,8,ld.shared.u32",
                                        [BANKRUN_JSON] = "\"bankrun-profile/1\""};
    struct fixture f;
    char path[] = "/tmp/bankrun_api_XXXXXX", *message;
    open_fixture(&f, NULL);
    struct bankrun_profile *profile = f.launch.profile = bankrun_profile_create(90, "files");
    assert_int_equal(bankrun_launch(f.module, &f.launch, NULL, NULL), BANKRUN_SUCCESS);
    close(mkstemp(path));
    assert_int_equal(bankrun_profile_save(profile, path, &message), BANKRUN_SUCCESS);
    assert_null(message);
    struct bankrun_profile *read = bankrun_profile_load(path, NULL);
    for (int format = BANKRUN_TEXT; format <= BANKRUN_JSON; format++) {
        char *wanted = print(profile, (enum bankrun_format)format);
        char *got = print(read, (enum bankrun_format)format);
        assert_string_equal(wanted, got);
        assert_non_null(strstr(got, parts[format]));
        free(wanted);
        free(got);
    }
    bankrun_profile_free(read);
    unlink(path);
    assert_null(bankrun_profile_load(path, &message));
    assert_non_null(strstr(message, "No such file"));
    free(message);
    if (access("/dev/full", W_OK) == 0) {
        FILE *full = fopen("/dev/full", "w");
        assert_int_equal(bankrun_profile_print(profile, BANKRUN_TEXT, NULL, full, &message),
                         BANKRUN_BAD_FILE);
        assert_string_equal(message, "No space left on device");
        free(message);
        fclose(full);
        assert_int_equal(bankrun_profile_save(profile, "/dev/full", &message), BANKRUN_BAD_FILE);
        assert_string_equal(message, "/dev/full: No space left on device");
        free(message);
    }
    bankrun_profile_free(profile);
    close_fixture(&f);
}

static void test_mixtures(void **state) {
    (void)state;
    struct fixture f;
    open_fixture(&f, &(struct bankrun_config){.arch = 80});
    assert_null(bankrun_profile_create(77, "none"));
    f.launch.profile = bankrun_profile_create(90, "other");
    expect(&f, BANKRUN_BAD_CALL, "the profile is of sm_90, the device is an sm_80");
    bankrun_profile_free(f.launch.profile);
    f.launch.profile = bankrun_profile_create(80, "mixed");
    expect(&f, BANKRUN_SUCCESS, NULL);
    bankrun_count_compiled(f.module, "");
    expect(&f, BANKRUN_BAD_CALL,
           "the profile's launches are counted by the PTX, this one by the machine code");
    bankrun_count_compiled(f.module, NULL);
    expect(&f, BANKRUN_SUCCESS, NULL);
    bankrun_profile_free(f.launch.profile);
    close_fixture(&f);
}

static void test_bank_mode(void **state) {
    (void)state;
    const char *old = ".version 6.0\n.target sm_30\n.address_size 64\n.visible .entry k() {\n"
                      "  .reg .b32 %r<4>; .shared .align 4 .b8 s[1024];\n"
                      "  mov.u32 %r0, %tid.x; mul.lo.u32 %r1, %r0, 24; mov.u32 %r2, s;\n"
                      "  add.u32 %r1, %r1, %r2; st.shared.u32 [%r1], %r0; ret; }\n";
    for (int wide = 0; wide <= 1; wide++) {
        struct bankrun_module *module;
        struct bankrun_device *device = bankrun_open(
            &(struct bankrun_config){.arch = 35 | (wide ? BANKRUN_EIGHT_BYTE_BANKS : 0)}, NULL);
        struct bankrun_profile *profile = bankrun_profile_create(35, "modes");
        assert_int_equal(bankrun_load(device, "k.ptx", old, strlen(old), &module, NULL),
                         BANKRUN_SUCCESS);
        struct bankrun_launch launch = {
            .kernel = "k", .grid = {1}, .block = {32}, .profile = profile};
        assert_int_equal(bankrun_launch(module, &launch, NULL, NULL), BANKRUN_SUCCESS);
        assert_int_equal(bankrun_profile_excess(profile), wide ? 0 : 1);
        bankrun_profile_free(profile);
        bankrun_close(device);
    }
}

static void test_samples(void **state) {
    (void)state;
    struct fixture f;
    struct bankrun_recorded_launch launch;
    struct bankrun_result result;
    open_fixture(&f, &(struct bankrun_config){.sample_blocks = 4});
    f.launch.profile = bankrun_profile_create(90, "sample");
    assert_int_equal(bankrun_launch(f.module, &f.launch, &result, NULL), BANKRUN_SUCCESS);
    assert_int_equal(result.blocks_run, 4);
    assert_true(bankrun_profile_launch(f.launch.profile, 0, &launch));
    assert_true(launch.is_sample);
    assert_int_equal(launch.shared.units, 16 * 2 * 2 * 32);
    bankrun_profile_free(f.launch.profile);
    close_fixture(&f);
}

static void test_output(void **state) {
    (void)state;
    const char *hello =
        HEAD ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
             ".global .align 1 .b8 hello[7] = {104, 101, 108, 108, 111, 10, 0};\n"
             ".visible .entry k() { .reg .b64 %d; .reg .b32 %r; mov.u64 %d, hello;\n"
             "  cvta.global.u64 %d, %d;\n"
             "  { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %d;\n"
             "    st.param.b64 [a], 0; call (r), vprintf, (f, a); ld.param.b32 %r, [r]; } ret; }\n";
    char *out = NULL;
    size_t length;
    for (int is_heard = 0; is_heard <= 1; is_heard++) {
        FILE *file = is_heard ? open_memstream(&out, &length) : NULL;
        struct bankrun_module *module;
        struct bankrun_device *device =
            bankrun_open(&(struct bankrun_config){.output = file}, NULL);
        assert_int_equal(bankrun_load(device, "k.ptx", hello, strlen(hello), &module, NULL),
                         BANKRUN_SUCCESS);
        struct bankrun_launch launch = {.kernel = "k", .grid = {2}, .block = {1}};
        assert_int_equal(bankrun_launch(module, &launch, NULL, NULL), BANKRUN_SUCCESS);
        bankrun_close(device);
        if (file)
            fclose(file);
    }
    assert_string_equal(out, "hello\nhello\n");
    free(out);
}

static void *run_many(void *context) {
    struct fixture f;
    (void)context;
    open_fixture(&f, &(struct bankrun_config){.threads = 2});
    f.launch.profile = bankrun_profile_create(90, "many");
    for (int i = 0; i < 20; i++)
        bankrun_launch(f.module, &f.launch, NULL, NULL);
    uint64_t *excess = malloc(sizeof *excess);
    *excess = bankrun_profile_excess(f.launch.profile);
    bankrun_profile_free(f.launch.profile);
    close_fixture(&f);
    return excess;
}

// Devices know nothing of each other.
static void test_threads(void **state) {
    (void)state;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_many, NULL), 0);
    for (int i = 0; i < 4; i++) {
        void *excess;
        pthread_join(threads[i], &excess);
        assert_int_equal(*(uint64_t *)excess, 20 * 16 * 2 * 2 * 31);
        free(excess);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_modules),
        cmocka_unit_test(test_bad_ptx),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_accesses_that_pass),
        cmocka_unit_test(test_checks),
        cmocka_unit_test(test_undefined),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_stopping),
        cmocka_unit_test(test_observers),
        cmocka_unit_test(test_profiles),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_mixtures),
        cmocka_unit_test(test_bank_mode),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_output),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
