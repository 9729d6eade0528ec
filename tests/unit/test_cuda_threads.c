// Eight threads that call the runtime and the driver API at once, in turn and on each other's
// handles: whatever face a call comes by, it works on one state with one lock. What the calls do is
// checked, too; the thread sanitizer (tests/all.py) looks for what is touched without the lock.
#include <pthread.h>
#include <stdatomic.h>

#include "cuda/graph/abi.h"
#include "cudart_program.h"

typedef unsigned long long pointer;

// ---- What cudart_program.h does not declare ----------------------------------------------------

error cudaSetDeviceFlags(unsigned flags);
error cudaGetDeviceFlags(unsigned *flags);
error cudaDeviceSetLimit(enum cuda_limit limit, size_t value);
error cudaStreamAddCallback(cuda_stream stream, cuda_stream_callback callback, void *data,
                            unsigned flags);
error cudaGraphCreate(cuda_graph *graph, unsigned flags);
error cudaGraphRetainUserObject(cuda_graph graph, cuda_user_object object, unsigned count,
                                unsigned flags);
error cudaGraphInstantiateWithFlags(cuda_exec *exec, cuda_graph graph, unsigned long long flags);
error cudaGraphExecDestroy(cuda_exec exec);
error cuInit(unsigned flags);
error cuCtxCreate_v2(void **context, unsigned flags, int device);
error cuCtxDestroy_v2(void *context);
error cuCtxGetCurrent(void **context);
error cuCtxGetDevice(int *device);
error cuCtxGetLimit(size_t *value, enum cuda_limit limit);
error cuDevicePrimaryCtxRetain(void **context, int device);
error cuDevicePrimaryCtxRelease_v2(int device);
error cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags);
error cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active);
error cuEventCreate(cuda_event *event, unsigned flags);
error cuEventRecord(cuda_event event, cuda_stream stream);
error cuGraphAddEmptyNode(cuda_node *node, cuda_graph graph, const cuda_node *before, size_t count);
error cuGraphAddHostNode(cuda_node *node, cuda_graph graph, const cuda_node *before, size_t count,
                         const struct cuda_host_node *given);
error cuGraphDestroy(cuda_graph graph);
error cuGraphLaunch(cuda_exec exec, cuda_stream stream);
error cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                     cuda_stream stream, void **parameters, void **extra);
error cuMemAlloc_v2(pointer *at, size_t bytes);
error cuMemFree_v2(pointer at);
error cuMemcpyDtoH_v2(void *to, pointer from, size_t bytes);
error cuModuleGetFunction(void **function, void *module, const char *name);
error cuModuleLoadData(void **module, const void *image);
error cuModuleUnload(void *module);
error cuPointerGetAttribute(void *out, int attribute, pointer at);
error cuStreamDestroy_v2(cuda_stream stream);
error cuStreamWaitValue32_v2(cuda_stream stream, pointer at, uint32_t value, unsigned flags);
error cuStreamWriteValue32_v2(cuda_stream stream, pointer at, uint32_t value, unsigned flags);
error cuUserObjectCreate(cuda_user_object *object, void *data, cuda_host_function destroy,
                         unsigned references, unsigned flags);

// ---- The threads ------------------------------------------------------------------------------

enum { THREADS = 8, ROUNDS = 12 };

static pointer words[THREADS]; // each thread waits for its own, its neighbour writes it
static atomic_uint called, destroyed;

struct worker {
    pthread_t thread;
    unsigned number;
    int failed; // the line of the first check that did not hold; 0: all of them did
};

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return __LINE__;                                                                       \
    } while (0)
#define TRY(call) CHECK((call) == cudaSuccess)

// Functions of the program may call either API: they run without the lock.
static void count_call(void *data) {
    int devices, device;
    if (cudaGetDeviceCount(&devices) == cudaSuccess && cuCtxGetDevice(&device) == cudaSuccess)
        atomic_fetch_add((atomic_uint *)data, 1);
}

static void count_callback(cuda_stream stream, error status, void *data) {
    (void)stream;
    if (status == cudaSuccess)
        count_call(data);
}

static int compute(unsigned number, uint32_t round) {
    void *mine, *module, *function;
    pointer theirs;
    uint32_t value;
    uint8_t a = (uint8_t)number;
    TRY(cudaMalloc(&mine, 4));
    TRY(launch_store(mine, a, round));
    TRY(cuMemcpyDtoH_v2(&value, (uintptr_t)mine, 4));
    CHECK(value == number + 5 * round);
    TRY(cuMemAlloc_v2(&theirs, 4));
    TRY(cuModuleLoadData(&module, ptx));
    TRY(cuModuleGetFunction(&function, module, "store"));
    void *arguments[] = {&theirs, &a, &round};
    TRY(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    TRY(cudaMemcpy(&value, (void *)(uintptr_t)theirs, 4, CUDA_DEVICE_TO_HOST));
    CHECK(value == number + 5 * round);
    TRY(cuModuleUnload(module));
    TRY(cuMemFree_v2((uintptr_t)mine));
    TRY(cudaFree((void *)(uintptr_t)theirs));
    return 0;
}

// The driver's errors leave no trace in what the runtime tells, and each thread has its own.
static int make_errors(unsigned number) {
    unsigned type;
    CHECK(cuMemFree_v2(0xdead0) == cudaErrorInvalidValue);
    CHECK(cuPointerGetAttribute(&type, 2, number) == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaSuccess);
    if (number % 2 == 0)
        CHECK(cudaFree((void *)(uintptr_t)0xdead0) == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == (number % 2 == 0 ? cudaErrorInvalidValue : cudaSuccess));
    return 0;
}

static int queue(void) {
    cuda_stream stream;
    cuda_event event;
    TRY(cudaStreamCreate(&stream));
    TRY(cuEventCreate(&event, 0));
    TRY(cuEventRecord(event, stream));
    TRY(cudaStreamWaitEvent(stream, event, 0));
    TRY(cudaLaunchHostFunc(stream, count_call, &called));
    TRY(cudaStreamAddCallback(stream, count_callback, &called, 0));
    TRY(cudaEventDestroy(event));
    TRY(cuStreamDestroy_v2(stream));
    return 0;
}

static int build_graph(void) {
    cuda_graph graph;
    cuda_node node;
    cuda_exec exec;
    cuda_user_object object;
    enum { NO_SYNC = 1, MOVE = 1 };
    TRY(cudaGraphCreate(&graph, 0));
    TRY(cuUserObjectCreate(&object, &destroyed, count_call, 1, NO_SYNC));
    TRY(cudaGraphRetainUserObject(graph, object, 1, MOVE));
    TRY(cuGraphAddEmptyNode(&node, graph, NULL, 0));
    TRY(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    TRY(cuGraphLaunch(exec, NULL));
    TRY(cuGraphDestroy(graph));
    TRY(cudaGraphExecDestroy(exec));
    return 0;
}

static int set_device(unsigned number) {
    void *primary, *own, *current;
    unsigned flags;
    int active;
    size_t stack;
    TRY(cuDevicePrimaryCtxRetain(&primary, 0));
    TRY(cuCtxCreate_v2(&own, 0, 0));
    TRY(cuCtxGetCurrent(&current));
    CHECK(current == own);
    TRY(cuCtxDestroy_v2(own));
    TRY(cudaSetDevice(0));
    TRY(cuCtxGetCurrent(&current));
    CHECK(current == primary);
    TRY(number % 2 ? cudaSetDeviceFlags(1) : cuDevicePrimaryCtxSetFlags_v2(0, 1));
    TRY(cudaGetDeviceFlags(&flags));
    TRY(cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK(active && flags == 1);
    TRY(cudaDeviceSetLimit(CUDA_LIMIT_STACK, 2048));
    TRY(cuCtxGetLimit(&stack, CUDA_LIMIT_STACK));
    CHECK(stack == 2048);
    TRY(cuDevicePrimaryCtxRelease_v2(0));
    return 0;
}

// A call that waits lets the others in.
static int meet(unsigned number, uint32_t round) {
    TRY(cuStreamWriteValue32_v2(NULL, words[(number + 1) % THREADS], round + 1, 0));
    TRY(cuStreamWaitValue32_v2(NULL, words[number], round + 1, 0));
    return 0;
}

static int run(unsigned number) {
    TRY(cudaSetDevice(0));
    for (uint32_t round = 0; round < ROUNDS; round++) {
        int failed = compute(number, round);
        failed = failed ? failed : make_errors(number);
        failed = failed ? failed : queue();
        failed = failed ? failed : build_graph();
        failed = failed ? failed : set_device(number);
        failed = failed ? failed : meet(number, round);
        if (failed)
            return failed;
    }
    return 0;
}

static void *work(void *data) {
    struct worker *worker = data;
    worker->failed = run(worker->number);
    return NULL;
}

static void test_both_apis_at_once(void **state) {
    (void)state;
    struct worker workers[THREADS];
    OK(cuInit(0));
    OK(cudaSetDevice(0));
    for (unsigned i = 0; i < THREADS; i++)
        OK(cuMemAlloc_v2(&words[i], 4));
    for (unsigned i = 0; i < THREADS; i++)
        OK(cudaMemset((void *)(uintptr_t)words[i], 0, 4));
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.number = i};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(workers[i].failed, 0);
    assert_int_equal(called, 2 * THREADS * ROUNDS);
    assert_int_equal(destroyed, THREADS * ROUNDS);
}

// A function of the host in a graph runs without the lock, and may take the graph away.
static void destroy_graph(void *data) {
    assert_int_equal(cudaGraphExecDestroy(*(cuda_exec *)data), cudaSuccess);
}

static void test_destroyed_while_it_runs(void **state) {
    (void)state;
    cuda_graph graph;
    cuda_node nodes[2];
    cuda_exec exec;
    atomic_uint counted = 0;
    OK(cudaSetDevice(0));
    OK(cudaGraphCreate(&graph, 0));
    OK(cuGraphAddHostNode(&nodes[0], graph, NULL, 0,
                          &(struct cuda_host_node){destroy_graph, &exec}));
    OK(cuGraphAddHostNode(&nodes[1], graph, nodes, 1,
                          &(struct cuda_host_node){count_call, &counted}));
    OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphLaunch(exec, NULL));
    assert_int_equal(counted, 1);
    FAILS(cudaGraphExecDestroy(exec), cudaErrorInvalidValue);
    OK(cuGraphDestroy(graph));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(test_both_apis_at_once, set_up),
                                       cmocka_unit_test(test_destroyed_while_it_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
