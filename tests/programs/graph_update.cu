// Graphs that were instantiated: new parameters for single nodes, nodes switched off, updates from
// another graph and why they fail.
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

__global__ void add(int *p, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += value;
}

__global__ void subtract(int *p, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] -= value;
}

static void CUDART_CB host(void *data) {
    ++*(int *)data;
}

enum { N = 256 };
static int *p, *q;
static int values[N];

static long sum(const int *device) {
    OK(cudaMemcpy(values, device, sizeof values, cudaMemcpyDeviceToHost));
    long total = 0;
    for (int value : values)
        total += value;
    return total;
}

static cudaKernelNodeParams kernel(void *function, void **arguments, int blocks = N / 64) {
    cudaKernelNodeParams params = {};
    params.func = function;
    params.gridDim = dim3(blocks);
    params.blockDim = dim3(64);
    params.kernelParams = arguments;
    return params;
}

static void single_nodes() {
    cudaGraph_t graph, child;
    cudaGraphNode_t fill, k, copy, call, inner, children, record;
    cudaGraphExec_t exec;
    cudaEvent_t event, other;
    int n = N, value = 1, ten = 10, calls[2] = {}, small[4] = {5, 5, 5, 5};
    void *arguments[] = {&p, &n, &value}, *others[] = {&q, &n, &ten};
    OK(cudaEventCreate(&event));
    OK(cudaEventCreate(&other));
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphCreate(&child, 0));
    cudaMemsetParams fill_params = {p, 0, 0, 4, N, 1};
    OK(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &fill_params));
    cudaKernelNodeParams k_params = kernel((void *)add, arguments);
    OK(cudaGraphAddKernelNode(&k, graph, &fill, 1, &k_params));
    OK(cudaGraphAddMemcpyNode1D(&copy, graph, &k, 1, q, p, N * sizeof *p,
                                cudaMemcpyDeviceToDevice));
    cudaHostNodeParams call_params = {host, &calls[0]};
    OK(cudaGraphAddHostNode(&call, graph, &copy, 1, &call_params));
    cudaKernelNodeParams inner_params = kernel((void *)add, others);
    OK(cudaGraphAddKernelNode(&inner, child, NULL, 0, &inner_params));
    OK(cudaGraphAddChildGraphNode(&children, graph, &call, 1, child));
    OK(cudaGraphAddEventRecordNode(&record, graph, &children, 1, event));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, 0));
    printf("first: q %ld", sum(q));
    printf(", calls %d %d\n", calls[0], calls[1]);

    value = 2;
    k_params = kernel((void *)subtract, arguments);
    OK(cudaGraphExecKernelNodeSetParams(exec, k, &k_params));
    fill_params.value = 100;
    OK(cudaGraphExecMemsetNodeSetParams(exec, fill, &fill_params));
    OK(cudaGraphExecMemcpyNodeSetParams1D(exec, copy, q, p, N / 2 * sizeof *p,
                                          cudaMemcpyDeviceToDevice));
    call_params.userData = &calls[1];
    OK(cudaGraphExecHostNodeSetParams(exec, call, &call_params));
    ten = 20;
    OK(cudaGraphKernelNodeSetParams(inner, &inner_params));
    OK(cudaGraphExecChildGraphNodeSetParams(exec, children, child));
    OK(cudaGraphExecEventRecordNodeSetEvent(exec, record, other));
    OK(cudaMemset(q, 0, N * sizeof *q));
    OK(cudaGraphLaunch(exec, 0));
    printf("set: q %ld", sum(q));
    printf(", calls %d %d, event %s\n", calls[0], calls[1], error_of(cudaEventSynchronize(other)));

    // What may not change.
    cudaMemcpy3DParms copy_params = {};
    copy_params.srcPtr = make_cudaPitchedPtr(small, sizeof small, 4, 1);
    copy_params.dstPtr = make_cudaPitchedPtr(q, sizeof small, 4, 1);
    copy_params.extent = make_cudaExtent(sizeof small, 1, 1);
    copy_params.kind = cudaMemcpyHostToDevice;
    printf("from the host: %s\n",
           error_of(cudaGraphExecMemcpyNodeSetParams(exec, copy, &copy_params)));
    printf("of a host node: %s\n",
           error_of(cudaGraphExecKernelNodeSetParams(exec, call, &k_params)));
    printf("of another graph: %s\n",
           error_of(cudaGraphExecKernelNodeSetParams(exec, inner, &k_params)));
    k_params.gridDim.x = 0;
    printf("an empty grid: %s\n", error_of(cudaGraphExecKernelNodeSetParams(exec, k, &k_params)));

    // Switched off.
    unsigned is_enabled = 7;
    OK(cudaGraphNodeGetEnabled(exec, k, &is_enabled));
    printf("enabled %u", is_enabled);
    OK(cudaGraphNodeSetEnabled(exec, k, 0));
    OK(cudaGraphNodeGetEnabled(exec, k, &is_enabled));
    OK(cudaGraphLaunch(exec, 0));
    printf(", then %u: p %ld\n", is_enabled, sum(p));
    OK(cudaGraphNodeSetEnabled(exec, k, 1));
    OK(cudaGraphNodeSetEnabled(exec, fill, 0));
    OK(cudaGraphLaunch(exec, 0));
    printf("the memset is off: p %ld\n", sum(p));
    printf("a host node: %s\n", error_of(cudaGraphNodeSetEnabled(exec, call, 0)));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphDestroy(child));
    OK(cudaEventDestroy(event));
    OK(cudaEventDestroy(other));
}

// A memset, `kernels` kernels behind it, one of another function or value.
static cudaGraph_t make(int kernels, void *function, int value, bool in_a_row, int blocks = 4) {
    cudaStream_t stream;
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaStreamCreate(&stream));
    cudaGraphNode_t last, node;
    int n = N;
    cudaMemsetParams fill = {p, 0, 50, 4, N, 1};
    OK(cudaGraphAddMemsetNode(&last, graph, NULL, 0, &fill));
    for (int i = 0; i < kernels; i++) {
        void *arguments[] = {&p, &n, &value};
        cudaKernelNodeParams params = kernel(function, arguments, blocks);
        OK(cudaGraphAddKernelNode(&node, graph, &last, 1, &params));
        if (in_a_row)
            last = node;
    }
    OK(cudaStreamDestroy(stream));
    return graph;
}

static void update(const char *what, cudaGraphExec_t exec, cudaGraph_t graph) {
    cudaGraphExecUpdateResultInfo info = {};
    cudaError_t error = cudaGraphExecUpdate(exec, graph, &info);
    cudaGraphNodeType type = cudaGraphNodeTypeCount;
    if (info.errorNode)
        OK(cudaGraphNodeGetType(info.errorNode, &type));
    printf("%s: %s, result %d, node %s%d, from %s\n", what, error_of(error), info.result,
           info.errorNode ? "of type " : "none ", type, info.errorFromNode ? "a node" : "none");
    OK(cudaGraphLaunch(exec, 0));
    printf("    p %ld\n", sum(p));
    OK(cudaGraphDestroy(graph));
}

static void whole_graphs() {
    cudaGraph_t graph = make(3, (void *)add, 1, true), other;
    cudaGraphExec_t exec;
    cudaGraphNode_t node, nodes[8];
    size_t count = 8;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphDestroy(graph));
    update("other values", exec, make(3, (void *)add, 2, true));
    update("another function", exec, make(3, (void *)subtract, 2, true));
    update("another grid", exec, make(3, (void *)add, 1, true, 2));
    update("one node more", exec, make(4, (void *)add, 2, true));
    update("other edges", exec, make(3, (void *)add, 2, false));
    other = make(2, (void *)add, 1, true);
    OK(cudaGraphGetNodes(other, nodes, &count));
    OK(cudaGraphAddEmptyNode(&node, other, &nodes[2], 1));
    update("another type", exec, other);
    update("as at first", exec, make(3, (void *)add, 1, true));
    OK(cudaGraphExecDestroy(exec));

    // Captured, changed, captured again.
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    exec = NULL;
    OK(cudaMemset(p, 0, N * sizeof *p));
    for (int i = 0; i < 3; i++) {
        OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        add<<<4, 64, 0, stream>>>(p, N, i + 1);
        OK(cudaMemcpyAsync(q, p, N * sizeof *p, cudaMemcpyDeviceToDevice, stream));
        OK(cudaStreamEndCapture(stream, &graph));
        if (exec) {
            cudaGraphExecUpdateResultInfo info;
            printf("update: %s", error_of(cudaGraphExecUpdate(exec, graph, &info)));
            printf(", %d\n", info.result);
        } else {
            OK(cudaGraphInstantiate(&exec, graph, 0));
        }
        OK(cudaGraphDestroy(graph));
        OK(cudaGraphLaunch(exec, stream));
    }
    OK(cudaStreamSynchronize(stream));
    printf("q %ld\n", sum(q));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaStreamDestroy(stream));
}

int main() {
    OK(cudaMalloc(&p, N * sizeof *p));
    OK(cudaMalloc(&q, N * sizeof *q));
    single_nodes();
    whole_graphs();
    OK(cudaFree(p));
    OK(cudaFree(q));
    return 0;
}
