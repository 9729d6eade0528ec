// Children that a CUDA program makes by fork(), while other threads of it use CUDA, too. The codes
// were seen on an H200. A child that hangs is ended by its alarm.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cudart_program.h"

error cudaGetDevice(int *device);
error cuInit(unsigned flags);
error cuDeviceGetCount(int *count);
error cuMemAlloc_v2(unsigned long long *at, size_t bytes);

enum { PATIENCE_SECONDS = 120, ROUNDS = 8 };

// Runs until the host says so; the host sees that it runs.
static const char waits_text[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                                 ".visible .entry waits(.param .u64 p)\n{\n"
                                 ".reg .b32 %r; .reg .b64 %d; .reg .pred %q;\n"
                                 "ld.param.u64 %d, [p];\nst.volatile.global.u32 [%d], 1;\n"
                                 "L: ld.volatile.global.u32 %r, [%d+4];\n"
                                 "setp.eq.u32 %q, %r, 0;\n@%q bra L;\nret;\n}\n";
static const char waits;

// What threads of the parent own has no owner in a child: the leak sanitizer asks here.
static bool is_child;
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) {
    return is_child;
}

// AddressSanitizer before LLVM 17 leaves its allocator's locks in a child as another thread had
// them, and the child waits for ever: there, threads are between two calls when a child is made,
// and not at their start.
#ifdef __SANITIZE_ADDRESS__
static pthread_mutex_t calls = PTHREAD_MUTEX_INITIALIZER;

static void begin_calls(void) {
    pthread_mutex_lock(&calls);
}

static void end_calls(void) {
    pthread_mutex_unlock(&calls);
}
#else
static void begin_calls(void) {}
static void end_calls(void) {}
#endif

// Its first check that did not hold, as a line; 0: all of them did.
static int status_of(int (*child)(void)) {
    int status;
    fflush(NULL);
    begin_calls();
    pid_t process = fork();
    end_calls();
    assert_true(process >= 0);
    if (process == 0) {
        is_child = true;
        alarm(PATIENCE_SECONDS);
        exit(child()); // the destructors of the program and of the runtime run, too
    }
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return __LINE__;                                                                       \
    } while (0)

static int use_device(void) {
    uint32_t *p, value = 0;
    CHECK(cudaMalloc((void **)&p, 4) == cudaSuccess);
    CHECK(launch_store(p, 200, 3) == cudaSuccess);
    CHECK(cudaMemcpy(&value, p, 4, CUDA_DEVICE_TO_HOST) == cudaSuccess);
    CHECK(value == 200 + 3 * 5);
    CHECK(cudaFree(p) == cudaSuccess);
    return 0;
}

static int find_it_unusable(void) {
    const error none = cudaErrorInitializationError;
    void *p = NULL;
    int number = 0;
    unsigned long long at;
    CHECK(cudaMalloc(&p, 4) == none);
    CHECK(cudaFree(NULL) == none);
    CHECK(cudaDeviceSynchronize() == none);
    CHECK(cudaGetDevice(&number) == none);
    CHECK(cudaSetDevice(0) == cudaSuccess);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cudaGetDeviceCount(&number) == cudaSuccess && number == 1);
    CHECK(cudaRuntimeGetVersion(&number) == cudaSuccess);
    CHECK(launch_store(&at, 1, 2) == none);
    CHECK(cudaGetLastError() == none);
    CHECK(cuInit(0) == none);
    CHECK(cuDeviceGetCount(&number) == none);
    CHECK(cuMemAlloc_v2(&at, 4) == none);
    CHECK(!__cudaInitModule(module));
    static struct wrapper late;
    register_kernel(register_text(&late, ptx, 1), &missing, "store");
    __cudaUnregisterFatBinary(module);
    return 0;
}

static atomic_bool is_over;
static atomic_int begun; // threads

static void *register_modules(void *argument) {
    struct wrapper *wrapper = argument;
    begun++;
    while (!is_over) {
        begin_calls();
        void **handle = __cudaRegisterFatBinary(wrapper);
        register_kernel(handle, &no_image, "store");
        __cudaUnregisterFatBinary(handle);
        end_calls();
    }
    return NULL;
}

// A process that has not used CUDA yet: each child can, whatever another thread registers.
static void test_before_use(void **state) {
    (void)state;
    static struct wrapper wrapper;
    wrapper = (struct wrapper){0x466243b1, 1, container_of(ptx, 1), NULL};
    pthread_t thread;
    begun = 0;
    assert_int_equal(pthread_create(&thread, NULL, register_modules, &wrapper), 0);
    while (!begun)
        sched_yield();
    int failed = 0;
    for (int i = 0; i < ROUNDS && !failed; i++)
        failed = status_of(use_device);
    is_over = true;
    pthread_join(thread, NULL);
    assert_int_equal(failed, 0);
}

// What the kernel and the host say to each other races by intent: the thread sanitizer looks away.
__attribute__((no_sanitize("thread"))) static uint32_t peek(const uint32_t *word) {
    return *(const volatile uint32_t *)word;
}

__attribute__((no_sanitize("thread"))) static void poke(uint32_t *word, uint32_t value) {
    *(volatile uint32_t *)word = value;
}

static void *launch_waits(void *argument) {
    void *arguments[] = {&argument};
    cudaLaunchKernel(&waits, DIM(1, 1, 1), DIM(1, 1, 1), arguments, 0, NULL);
    return NULL;
}

// The lock is held by a launch that lasts until the children have ended.
static void test_beside_launch(void **state) {
    (void)state;
    static struct wrapper wrapper;
    register_kernel(register_text(&wrapper, waits_text, 1), &waits, "waits");
    uint32_t *words;
    OK(cudaMallocHost((void **)&words, 8));
    poke(&words[0], 0);
    poke(&words[1], 0);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, launch_waits, words), 0);
    while (!peek(&words[0]))
        sched_yield();
    int failed = 0;
    for (int i = 0; i < 3 && !failed; i++)
        failed = status_of(find_it_unusable);
    poke(&words[1], 1);
    pthread_join(thread, NULL);
    assert_int_equal(failed, 0);
    OK(cudaFreeHost(words));
}

static void *allocate(void *argument) {
    (void)argument;
    void *p;
    begun++;
    while (!is_over) {
        begin_calls();
        if (cudaMalloc(&p, 4096) == cudaSuccess)
            cudaFree(p);
        end_calls();
    }
    return NULL;
}

static void test_beside_calls(void **state) {
    (void)state;
    pthread_t threads[2];
    is_over = false;
    begun = 0;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, allocate, NULL), 0);
    while (begun < 2)
        sched_yield();
    int failed = 0;
    for (int i = 0; i < ROUNDS && !failed; i++)
        failed = status_of(find_it_unusable);
    is_over = true;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(failed, 0);
    assert_int_equal(use_device(), 0); // the parent goes on
}

int main(void) {
    unsetenv("BANKRUN_PROFILE");
#ifdef __SANITIZE_THREAD__ // it knows no threads that a child starts
    setenv("BANKRUN_THREADS", "1", 1);
#endif
    unsetenv("BANKRUN_ARCH");
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(test_before_use, set_up),
                                       cmocka_unit_test(test_beside_launch),
                                       cmocka_unit_test(test_beside_calls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
