// Graphs without kernels: the order in which nodes run, what is refused, copies, captures by
// several threads. Host functions write down that they were called.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuda/graph/abi.h"

typedef enum cuda_error error;

error cudaMalloc(void **pointer, size_t bytes);
error cudaFree(void *pointer);
error cudaStreamCreate(cuda_stream *stream);
error cudaStreamDestroy(cuda_stream stream);
error cudaStreamSynchronize(cuda_stream stream);
error cudaStreamWaitEvent(cuda_stream stream, cuda_event event, unsigned flags);
error cudaEventCreate(cuda_event *event);
error cudaEventDestroy(cuda_event event);
error cudaEventRecord(cuda_event event, cuda_stream stream);
error cudaLaunchHostFunc(cuda_stream stream, cuda_host_function function, void *data);
error cudaStreamBeginCapture(cuda_stream stream, enum cuda_capture_mode mode);
error cudaStreamEndCapture(cuda_stream stream, cuda_graph *graph);
error cudaStreamIsCapturing(cuda_stream stream, enum cuda_capture_status *status);
error cudaGraphCreate(cuda_graph *graph, unsigned flags);
error cudaGraphDestroy(cuda_graph graph);
error cudaGraphClone(cuda_graph *clone, cuda_graph graph);
error cudaGraphAddHostNode(cuda_node *node, cuda_graph graph, const cuda_node *before, size_t count,
                           const struct cuda_host_node *given);
error cudaGraphAddChildGraphNode(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                 size_t count, cuda_graph child);
error cudaGraphAddDependencies(cuda_graph graph, const cuda_node *from, const cuda_node *to,
                               const struct cuda_edge *data, size_t count);
error cudaGraphRemoveDependencies(cuda_graph graph, const cuda_node *from, const cuda_node *to,
                                  const struct cuda_edge *data, size_t count);
error cudaGraphDestroyNode(cuda_node node);
error cudaGraphGetNodes(cuda_graph graph, cuda_node *nodes, size_t *count);
error cudaGraphInstantiate(cuda_exec *exec, cuda_graph graph, unsigned long long flags);
error cudaGraphExecDestroy(cuda_exec exec);
error cudaGraphLaunch(cuda_exec exec, cuda_stream stream);
error cudaDeviceReset(void);

#define OK(call) assert_int_equal(call, cudaSuccess)
#define FAILS(call, code) assert_int_equal(call, code)

// ---- What was called --------------------------------------------------------------------------

static char called[64];
static char letters[] = "abcdefghijklmnopqrstuvwxyz";

static void call(void *data) {
    size_t length = strlen(called);
    assert_true(length + 1 < sizeof called);
    called[length] = *(char *)data;
}

static cuda_node add(cuda_graph graph, char letter) {
    cuda_node node;
    struct cuda_host_node params = {call, &letters[letter - 'a']};
    OK(cudaGraphAddHostNode(&node, graph, NULL, 0, &params));
    return node;
}

static void connect(cuda_graph graph, cuda_node from, cuda_node to) {
    OK(cudaGraphAddDependencies(graph, &from, &to, NULL, 1));
}

static void assert_runs(cuda_graph graph, const char *expected) {
    cuda_exec exec;
    memset(called, 0, sizeof called);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, NULL));
    assert_string_equal(called, expected);
    OK(cudaGraphExecDestroy(exec));
}

// ---- Tests ------------------------------------------------------------------------------------

// Of the nodes that may run, the one that was made first runs next.
static void test_order(void **state) {
    (void)state;
    cuda_graph graph;
    cuda_node n[6];
    OK(cudaGraphCreate(&graph, 0));
    for (int i = 0; i < 6; i++)
        n[i] = add(graph, (char)('a' + i));
    assert_runs(graph, "abcdef");
    connect(graph, n[5], n[0]); // f before a
    connect(graph, n[3], n[1]); // d before b
    connect(graph, n[0], n[3]); // a before d
    assert_runs(graph, "cefadb");
    OK(cudaGraphRemoveDependencies(graph, &n[5], &n[0], NULL, 1));
    assert_runs(graph, "acdbef");
    OK(cudaGraphDestroyNode(n[3])); // and both of its edges
    assert_runs(graph, "abcef");
    OK(cudaGraphDestroy(graph));
}

static void test_cycles(void **state) {
    (void)state;
    cuda_graph graph;
    cuda_exec exec;
    OK(cudaGraphCreate(&graph, 0));
    cuda_node a = add(graph, 'a'), b = add(graph, 'b'), c = add(graph, 'c');
    connect(graph, a, b);
    connect(graph, b, c);
    connect(graph, c, a);
    FAILS(cudaGraphInstantiate(&exec, graph, 0), cudaErrorInvalidValue);
    OK(cudaGraphRemoveDependencies(graph, &c, &a, NULL, 1));
    assert_runs(graph, "abc");
    OK(cudaGraphDestroy(graph));
}

// A child is a copy of the graph as it was; so are a clone and what is instantiated.
static void test_copies(void **state) {
    (void)state;
    cuda_graph graph, child, clone;
    cuda_node node;
    cuda_exec exec;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphCreate(&child, 0));
    cuda_node x = add(child, 'x'), y = add(child, 'y');
    connect(child, y, x);
    OK(cudaGraphAddChildGraphNode(&node, graph, NULL, 0, child));
    add(child, 'z');
    add(graph, 'a');
    OK(cudaGraphClone(&clone, graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    add(graph, 'b');
    assert_runs(graph, "yxab");
    assert_runs(clone, "yxa");
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphDestroy(child));
    FAILS(cudaGraphDestroy(graph), cudaErrorInvalidValue);
    memset(called, 0, sizeof called);
    OK(cudaGraphLaunch(exec, NULL));
    OK(cudaGraphLaunch(exec, NULL));
    assert_string_equal(called, "yxayxa");
    OK(cudaGraphExecDestroy(exec));
    FAILS(cudaGraphLaunch(exec, NULL), cudaErrorInvalidValue);
    OK(cudaGraphDestroy(clone));
}

static void test_captures(void **state) {
    (void)state;
    cuda_stream a, b;
    cuda_event fork, join;
    cuda_graph graph;
    memset(called, 0, sizeof called);
    OK(cudaStreamCreate(&a));
    OK(cudaStreamCreate(&b));
    OK(cudaEventCreate(&fork));
    OK(cudaEventCreate(&join));
    OK(cudaStreamBeginCapture(a, CUDA_CAPTURE_GLOBAL));
    OK(cudaLaunchHostFunc(a, call, &letters[0]));
    OK(cudaEventRecord(fork, a));
    OK(cudaStreamWaitEvent(b, fork, 0));
    OK(cudaLaunchHostFunc(a, call, &letters[1]));
    OK(cudaLaunchHostFunc(b, call, &letters[2]));
    OK(cudaEventRecord(join, b));
    OK(cudaStreamWaitEvent(a, join, 0));
    OK(cudaStreamDestroy(b)); // it has joined
    OK(cudaEventDestroy(fork));
    OK(cudaEventDestroy(join));
    OK(cudaLaunchHostFunc(a, call, &letters[3]));
    assert_string_equal(called, "");
    OK(cudaStreamEndCapture(a, &graph));
    assert_runs(graph, "abcd");
    OK(cudaGraphDestroy(graph));
    // A stream that goes with work that nobody waits for.
    OK(cudaStreamCreate(&b));
    OK(cudaEventCreate(&fork));
    OK(cudaStreamBeginCapture(a, CUDA_CAPTURE_GLOBAL));
    OK(cudaEventRecord(fork, a));
    OK(cudaStreamWaitEvent(b, fork, 0));
    OK(cudaLaunchHostFunc(b, call, &letters[2]));
    OK(cudaStreamDestroy(b));
    FAILS(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureUnjoined);
    assert_null(graph);
    OK(cudaEventDestroy(fork));
    OK(cudaStreamDestroy(a));
}

static void *allocate(void *result) {
    void *pointer = NULL;
    *(error *)result = cudaMalloc(&pointer, 16);
    if (pointer)
        cudaFree(pointer);
    return NULL;
}

static void test_threads(void **state) {
    (void)state;
    for (enum cuda_capture_mode mode = CUDA_CAPTURE_GLOBAL; mode <= CUDA_CAPTURE_RELAXED; mode++) {
        cuda_stream stream;
        cuda_graph graph;
        pthread_t thread;
        error other = cudaErrorUnknown, own;
        OK(cudaStreamCreate(&stream));
        OK(cudaStreamBeginCapture(stream, mode));
        pthread_create(&thread, NULL, allocate, &other);
        pthread_join(thread, NULL);
        FAILS(other, mode == CUDA_CAPTURE_GLOBAL ? cudaErrorStreamCaptureUnsupported : cudaSuccess);
        allocate(&own);
        FAILS(own, mode != CUDA_CAPTURE_RELAXED ? cudaErrorStreamCaptureUnsupported : cudaSuccess);
        FAILS(cudaStreamEndCapture(stream, &graph),
              mode != CUDA_CAPTURE_RELAXED ? cudaErrorStreamCaptureInvalidated : cudaSuccess);
        if (graph)
            OK(cudaGraphDestroy(graph));
        OK(cudaStreamDestroy(stream));
    }
}

// With the device go its graphs and captures.
static void test_reset(void **state) {
    (void)state;
    cuda_stream stream;
    cuda_graph graph;
    cuda_exec exec;
    size_t count;
    OK(cudaStreamCreate(&stream));
    OK(cudaGraphCreate(&graph, 0));
    add(graph, 'a');
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaStreamBeginCapture(stream, CUDA_CAPTURE_GLOBAL));
    OK(cudaLaunchHostFunc(stream, call, &letters[0]));
    OK(cudaDeviceReset());
    FAILS(cudaGraphGetNodes(graph, NULL, &count), cudaErrorInvalidValue);
    FAILS(cudaGraphLaunch(exec, NULL), cudaErrorInvalidValue);
    FAILS(cudaStreamEndCapture(stream, &graph), cudaErrorInvalidResourceHandle);
    void *pointer;
    OK(cudaMalloc(&pointer, 16));
    OK(cudaFree(pointer));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),   cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_copies),  cmocka_unit_test(test_captures),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
