// Conditional nodes: if, else, while, switch, nested ones, and bodies that are captured.
#include <cstdio>
#include <cuda_runtime.h>

#define OK(call) check(call, #call, __LINE__)
static void check(cudaError_t error, const char *call, int line) {
    if (error != cudaSuccess)
        printf("line %d: %s: %s\n", line, call, cudaGetErrorName(error));
}

static const char *error_of(cudaError_t error) {
    cudaGetLastError();
    return cudaGetErrorName(error);
}

__global__ void decide(cudaGraphConditionalHandle handle, const int *p, int divisor) {
    cudaGraphSetConditional(handle, *p % divisor);
}

// Goes on until *p is `limit`.
__global__ void go_on(cudaGraphConditionalHandle handle, int *p, int limit) {
    if (threadIdx.x == 0) {
        ++*p;
        cudaGraphSetConditional(handle, *p < limit);
    }
}

__global__ void add(int *p, int value) {
    *p += value;
}

__global__ void store(int *p, int value) {
    *p = value;
}

static int *p, *q;

static int get(const int *device) {
    int value = -1;
    OK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

static cudaGraphNode_t kernel(cudaGraph_t graph, const cudaGraphNode_t *after, void *function,
                              void **arguments) {
    cudaGraphNode_t node;
    cudaKernelNodeParams params = {};
    params.func = function;
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = arguments;
    OK(cudaGraphAddKernelNode(&node, graph, after, after ? 1 : 0, &params));
    return node;
}

static cudaGraphNode_t conditional(cudaGraph_t graph, const cudaGraphNode_t *after,
                                   cudaGraphConditionalHandle handle,
                                   cudaGraphConditionalNodeType type, unsigned size,
                                   cudaGraph_t *bodies) {
    cudaGraphNode_t node;
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = size;
    OK(cudaGraphAddNode(&node, graph, after, NULL, after ? 1 : 0, &params));
    for (unsigned i = 0; i < size; i++)
        bodies[i] = params.conditional.phGraph_out[i];
    return node;
}

static void if_else() {
    cudaGraph_t graph, bodies[2];
    cudaGraphExec_t exec;
    cudaGraphConditionalHandle handle;
    int two = 2, hundred = 100, thousand = 1000;
    void *decide_arguments[] = {&handle, &p, &two};
    void *then_arguments[] = {&q, &hundred}, *else_arguments[] = {&q, &thousand};
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    cudaGraphNode_t node = kernel(graph, NULL, (void *)decide, decide_arguments);
    node = conditional(graph, &node, handle, cudaGraphCondTypeIf, 2, bodies);
    kernel(bodies[0], NULL, (void *)add, then_arguments);
    kernel(bodies[1], NULL, (void *)add, else_arguments);
    cudaGraphNodeType type;
    OK(cudaGraphNodeGetType(node, &type));
    printf("type %d\n", type);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 3; i < 6; i++) {
        store<<<1, 1>>>(p, i);
        store<<<1, 1>>>(q, 0);
        OK(cudaGraphLaunch(exec, 0));
        printf("if %d: %d\n", i, get(q));
    }
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
}

static void while_loop() {
    cudaGraph_t graph, body;
    cudaGraphExec_t exec;
    cudaGraphConditionalHandle handle;
    int limit = 10, three = 3, one = 1;
    void *loop_arguments[] = {&handle, &p, &limit};
    void *add_arguments[] = {&q, &three}, *end_arguments[] = {&q, &one};
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaGraphNode_t loop = conditional(graph, NULL, handle, cudaGraphCondTypeWhile, 1, &body);
    cudaGraphNode_t first = kernel(body, NULL, (void *)add, add_arguments);
    kernel(body, &first, (void *)go_on, loop_arguments);
    kernel(graph, &loop, (void *)add, end_arguments);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int start = 0; start < 12; start += 5) {
        store<<<1, 1>>>(p, start);
        store<<<1, 1>>>(q, 0);
        OK(cudaGraphLaunch(exec, 0));
        printf("while from %d: %d, p %d\n", start, get(q), get(p));
    }
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
}

static void switches() {
    cudaGraph_t graph, bodies[3];
    cudaGraphExec_t exec;
    cudaGraphConditionalHandle handle;
    int seven = 7, values[3] = {1, 10, 100};
    void *decide_arguments[] = {&handle, &p, &seven};
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    cudaGraphNode_t node = kernel(graph, NULL, (void *)decide, decide_arguments);
    conditional(graph, &node, handle, cudaGraphCondTypeSwitch, 3, bodies);
    for (int i = 0; i < 3; i++) {
        void *arguments[] = {&q, &values[i]};
        kernel(bodies[i], NULL, (void *)add, arguments);
    }
    OK(cudaGraphInstantiate(&exec, graph, 0));
    store<<<1, 1>>>(q, 0);
    for (int i = 0; i < 5; i++) {
        store<<<1, 1>>>(p, i);
        OK(cudaGraphLaunch(exec, 0));
        printf("switch %d: %d\n", i, get(q));
    }
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
}

// A while in a while; the inner body is captured.
static void nested() {
    cudaGraph_t graph, body, inner, same;
    cudaGraphExec_t exec;
    cudaStream_t stream;
    cudaGraphConditionalHandle outer_handle, inner_handle;
    int limit = 3, zero = 0;
    OK(cudaStreamCreate(&stream));
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphConditionalHandleCreate(&outer_handle, graph, 1, cudaGraphCondAssignDefault));
    conditional(graph, NULL, outer_handle, cudaGraphCondTypeWhile, 1, &body);
    OK(cudaGraphConditionalHandleCreate(&inner_handle, body, 1, cudaGraphCondAssignDefault));
    int *counter;
    OK(cudaMalloc(&counter, sizeof *counter));
    OK(cudaMemset(counter, 0, sizeof *counter));
    OK(cudaMemset(p, 0, sizeof *p));
    OK(cudaMemset(q, 0, sizeof *q));
    void *store_arguments[] = {&p, &zero}, *outer_arguments[] = {&outer_handle, &counter, &limit};
    cudaGraphNode_t node = kernel(body, NULL, (void *)store, store_arguments);
    node = conditional(body, &node, inner_handle, cudaGraphCondTypeWhile, 1, &inner);
    kernel(body, &node, (void *)go_on, outer_arguments);
    OK(cudaStreamBeginCaptureToGraph(stream, inner, NULL, NULL, 0, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, stream>>>(q, 1);
    go_on<<<1, 32, 0, stream>>>(inner_handle, p, 4);
    OK(cudaStreamEndCapture(stream, &same));
    printf("captured into the body %d\n", same == inner);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    // The inner default is assigned when the whole graph is launched, so later rounds begin with
    // what the round before left.
    printf("nested: q %d, rounds %d\n", get(q), get(counter));
    OK(cudaFree(counter));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(stream));
}

// Within a capture: the node is added by hand and the stream goes on behind it.
static void in_a_capture() {
    cudaStream_t stream;
    cudaGraph_t graph, body;
    cudaGraphExec_t exec;
    cudaGraphConditionalHandle handle;
    cudaStreamCaptureStatus status;
    const cudaGraphNode_t *dependencies;
    size_t count;
    OK(cudaStreamCreate(&stream));
    OK(cudaMemset(q, 0, sizeof *q));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cudaStreamGetCaptureInfo(stream, &status, NULL, &graph, NULL, NULL, NULL));
    OK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    decide<<<1, 1, 0, stream>>>(handle, p, 2);
    OK(cudaStreamGetCaptureInfo(stream, &status, NULL, &graph, &dependencies, NULL, &count));
    cudaGraphNode_t node = conditional(graph, dependencies, handle, cudaGraphCondTypeIf, 1, &body);
    OK(cudaStreamUpdateCaptureDependencies(stream, &node, NULL, 1,
                                           cudaStreamSetCaptureDependencies));
    add<<<1, 1, 0, stream>>>(q, 1);
    int value = 50;
    void *arguments[] = {&q, &value};
    kernel(body, NULL, (void *)add, arguments);
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++) {
        store<<<1, 1, 0, stream>>>(p, i);
        OK(cudaGraphLaunch(exec, stream));
        OK(cudaStreamSynchronize(stream));
        printf("captured if %d: %d\n", i, get(q));
    }
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(stream));
}

static void errors() {
    cudaGraph_t graph, body, other;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    cudaGraphConditionalHandle handle, unused;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphCreate(&other, 0));
    OK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = cudaGraphCondTypeWhile;
    params.conditional.size = 2;
    printf("while of two: %s\n", error_of(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params)));
    params.conditional.type = cudaGraphCondTypeIf;
    params.conditional.size = 0;
    printf("if of none: %s\n", error_of(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params)));
    params.conditional.size = 1;
    printf("in another graph: %s\n",
           error_of(cudaGraphAddNode(&node, other, NULL, NULL, 0, &params)));
    conditional(graph, NULL, handle, cudaGraphCondTypeIf, 1, &body);
    params.conditional.handle = handle;
    printf("the handle again: %s\n",
           error_of(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params)));
    OK(cudaGraphAddEmptyNode(&node, body, NULL, 0));
    printf("empty node in the body: %s\n", error_of(cudaGraphInstantiate(&exec, graph, 0)));
    OK(cudaGraphConditionalHandleCreate(&unused, graph, 0, 0));
    cudaGraphInstantiateParams how = {};
    printf("handle without node: %s", error_of(cudaGraphInstantiateWithParams(&exec, graph, &how)));
    printf(", result %d\n", how.result_out);
    printf("flags: %s\n", error_of(cudaGraphConditionalHandleCreate(&unused, graph, 0, 8)));
    OK(cudaGraphDestroy(other));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    conditional(graph, NULL, handle, cudaGraphCondTypeIf, 1, &body);
    static int value;
    cudaHostNodeParams call = {[](void *data) { ++*(int *)data; }, &value};
    cudaError_t error = cudaGraphAddHostNode(&node, body, NULL, 0, &call);
    printf("host node in the body: %s", error_of(error));
    printf(", %s\n", error_of(cudaGraphInstantiate(&exec, graph, 0)));
    OK(cudaGraphDestroy(graph));
}

int main() {
    OK(cudaMalloc(&p, sizeof *p));
    OK(cudaMalloc(&q, sizeof *q));
    if_else();
    while_loop();
    switches();
    nested();
    in_a_capture();
    errors();
    OK(cudaFree(p));
    OK(cudaFree(q));
    return 0;
}
