// What is refused: calls that a capture does not bear, captures that are not ended well, graphs
// that are no graphs.
#include <cstdio>
#include <cuda_runtime.h>
#include <thread>

static const char *error_of(cudaError_t error) {
    cudaGetLastError();
    return cudaGetErrorName(error);
}
#define OK(call)                                                                                   \
    do {                                                                                           \
        cudaError_t error_ = call;                                                                 \
        if (error_ != cudaSuccess)                                                                 \
            printf("line %d: %s: %s\n", __LINE__, #call, error_of(error_));                        \
    } while (0)

__global__ void add(int *p, int value) {
    *p += value;
}

__global__ void cluster_of_two(int *p) {
    *p = 1;
}

static void CUDART_CB host(void *data) {
    ++*(int *)data;
}

static int *p;
static cudaStream_t stream, other, free_stream;
static cudaEvent_t event, recorded;

static const char *status_of(cudaStream_t asked) {
    static const char *const names[] = {"none", "active", "invalidated"};
    cudaStreamCaptureStatus status;
    cudaError_t error = cudaStreamIsCapturing(asked, &status);
    return error == cudaSuccess ? names[status] : error_of(error);
}

// One call during a capture: its error, what it does to the capture, how the capture ends.
template <typename F>
static void during(const char *what, F call, cudaStream_t captured = stream,
                   cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    cudaGraph_t graph = NULL;
    OK(cudaStreamBeginCapture(captured, mode));
    add<<<1, 1, 0, captured>>>(p, 1);
    printf("%s: %s", what, error_of(call()));
    printf(", %s", status_of(captured));
    add<<<1, 1, 0, captured>>>(p, 1);
    printf(", launch %s", error_of(cudaGetLastError()));
    printf(", end %s", error_of(cudaStreamEndCapture(captured, &graph)));
    printf("%s\n", graph ? "" : ", no graph");
    if (graph)
        OK(cudaGraphDestroy(graph));
}

static void calls() {
    static int host_memory[4];
    int *q;
    void *pinned;
    int value;
    size_t left, total;
    during("cudaMalloc", [&] { return cudaMalloc(&q, 4); });
    during(
        "cudaMalloc, thread-local", [&] { return cudaMalloc(&q, 4); }, stream,
        cudaStreamCaptureModeThreadLocal);
    during(
        "cudaMalloc, relaxed", [&] { return cudaMalloc(&q, 4); }, stream,
        cudaStreamCaptureModeRelaxed);
    during(
        "cudaFree, relaxed", [&] { return cudaFree(q); }, stream, cudaStreamCaptureModeRelaxed);
    during("cudaFree of NULL", [&] { return cudaFree(NULL); });
    during("cudaMallocHost", [&] { return cudaMallocHost(&pinned, 64); });
    during("cudaMallocManaged", [&] { return cudaMallocManaged(&q, 64); });
    during("cudaMemcpy", [&] { return cudaMemcpy(host_memory, p, 4, cudaMemcpyDefault); });
    during(
        "cudaMemcpy, relaxed", [&] { return cudaMemcpy(host_memory, p, 4, cudaMemcpyDefault); },
        stream, cudaStreamCaptureModeRelaxed);
    during(
        "cudaMemcpy, non-blocking stream",
        [&] { return cudaMemcpy(host_memory, p, 4, cudaMemcpyDefault); }, free_stream);
    during(
        "cudaMemcpy, both", [&] { return cudaMemcpy(host_memory, p, 4, cudaMemcpyDefault); },
        free_stream, cudaStreamCaptureModeRelaxed);
    during("cudaMemset", [&] { return cudaMemset(p, 0, 4); });
    during(
        "cudaMemset, non-blocking stream", [&] { return cudaMemset(p, 0, 4); }, free_stream);
    during("cudaMemcpyAsync, legacy",
           [&] { return cudaMemcpyAsync(host_memory, p, 4, cudaMemcpyDefault, 0); });
    during("launch, legacy", [&] {
        add<<<1, 1>>>(p, 1);
        return cudaGetLastError();
    });
    during(
        "launch, legacy, non-blocking stream",
        [&] {
            add<<<1, 1>>>(p, 1);
            return cudaGetLastError();
        },
        free_stream);
    during(
        "launch, legacy, relaxed",
        [&] {
            add<<<1, 1>>>(p, 1);
            return cudaGetLastError();
        },
        stream, cudaStreamCaptureModeRelaxed);
    during("launch, another stream", [&] {
        add<<<1, 1, 0, other>>>(p, 1);
        return cudaGetLastError();
    });
    during("cudaDeviceSynchronize", [&] { return cudaDeviceSynchronize(); });
    during(
        "cudaDeviceSynchronize, relaxed", [&] { return cudaDeviceSynchronize(); }, stream,
        cudaStreamCaptureModeRelaxed);
    during("cudaStreamSynchronize", [&] { return cudaStreamSynchronize(stream); });
    during(
        "cudaStreamSynchronize, relaxed", [&] { return cudaStreamSynchronize(stream); }, stream,
        cudaStreamCaptureModeRelaxed);
    during("cudaStreamSynchronize, another", [&] { return cudaStreamSynchronize(other); });
    during("cudaStreamSynchronize, legacy", [&] { return cudaStreamSynchronize(0); });
    during("cudaStreamQuery", [&] { return cudaStreamQuery(stream); });
    during("cudaStreamQuery, another", [&] { return cudaStreamQuery(other); });
    during("cudaStreamQuery, legacy", [&] { return cudaStreamQuery(0); });
    during("cudaEventQuery, outside", [&] { return cudaEventQuery(recorded); });
    during("cudaEventSynchronize, outside", [&] { return cudaEventSynchronize(recorded); });
    during("cudaEventQuery, captured", [&] {
        OK(cudaEventRecord(event, stream));
        return cudaEventQuery(event);
    });
    during("cudaEventSynchronize, captured", [&] {
        OK(cudaEventRecord(event, stream));
        return cudaEventSynchronize(event);
    });
    during("cudaEventElapsedTime, captured", [&] {
        float time;
        OK(cudaEventRecord(event, stream));
        return cudaEventElapsedTime(&time, recorded, event);
    });
    during("cudaStreamWaitEvent, outside",
           [&] { return cudaStreamWaitEvent(stream, recorded, 0); });
    during("cudaStreamWaitEvent, legacy", [&] {
        OK(cudaEventRecord(event, stream));
        return cudaStreamWaitEvent(0, event, 0);
    });
    during("cudaEventRecord, legacy", [&] { return cudaEventRecord(event, 0); });
    during("cudaEventCreate", [&] {
        cudaEvent_t made;
        OK(cudaEventCreate(&made));
        return cudaEventDestroy(made);
    });
    during("cudaStreamCreate", [&] {
        cudaStream_t made;
        cudaError_t error = cudaStreamCreate(&made);
        OK(cudaStreamDestroy(made));
        return error;
    });
    during("cudaStreamBeginCapture again",
           [&] { return cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal); });
    during("cudaStreamBeginCapture of another", [&] {
        cudaGraph_t graph;
        cudaError_t error = cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal);
        OK(cudaStreamEndCapture(other, &graph));
        OK(cudaGraphDestroy(graph));
        return error;
    });
    during("cudaStreamIsCapturing, legacy", [&] {
        cudaStreamCaptureStatus status;
        return cudaStreamIsCapturing(0, &status);
    });
    during("cudaStreamGetCaptureInfo, legacy", [&] {
        cudaStreamCaptureStatus status;
        return cudaStreamGetCaptureInfo(0, &status);
    });
    during("cudaMemGetInfo", [&] { return cudaMemGetInfo(&left, &total); });
    during("cudaGetDevice", [&] { return cudaGetDevice(&value); });
    during("cudaFuncSetAttribute", [&] {
        return cudaFuncSetAttribute(add, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024);
    });
    during("cudaMallocAsync, legacy", [&] { return cudaMallocAsync(&q, 64, 0); });
    during("cudaFreeAsync", [&] { return cudaFreeAsync(p, stream); });
    during("bad launch", [&] {
        add<<<1, 2048, 0, stream>>>(p, 1);
        return cudaGetLastError();
    });
    during("bad copy", [&] { return cudaMemcpyAsync(p, NULL, 4, cudaMemcpyHostToDevice, stream); });
    cudaGraph_t graph;
    cudaGraphExec_t exec, made;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    during("graph launch, legacy", [&] { return cudaGraphLaunch(exec, 0); });
    during("graph instantiation", [&] { return cudaGraphInstantiate(&made, graph, 0); });
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    during("cudaStreamAddCallback", [&] {
        return cudaStreamAddCallback(
            stream, [](cudaStream_t, cudaError_t, void *) {}, NULL, 0);
    });
}

static void ends() {
    cudaGraph_t graph;
    printf("begin on the legacy stream: %s\n",
           error_of(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal)));
    printf("begin in mode 7: %s\n",
           error_of(cudaStreamBeginCapture(stream, (cudaStreamCaptureMode)7)));
    printf("end without begin: %s\n", error_of(cudaStreamEndCapture(stream, &graph)));
    printf("update without begin: %s\n",
           error_of(cudaStreamUpdateCaptureDependencies(stream, NULL, NULL, 0, 0)));
    during("unjoined", [&] {
        OK(cudaEventRecord(event, stream));
        OK(cudaStreamWaitEvent(other, event, 0));
        add<<<1, 1, 0, other>>>(p, 1);
        return cudaSuccess;
    });
    printf("the other stream: %s\n", status_of(other));
    during("forked without work", [&] {
        OK(cudaEventRecord(event, stream));
        return cudaStreamWaitEvent(other, event, 0);
    });
    during("end on the other", [&] {
        OK(cudaEventRecord(event, stream));
        OK(cudaStreamWaitEvent(other, event, 0));
        return cudaStreamEndCapture(other, &graph);
    });
    printf("the other stream: %s\n", status_of(other));
    during("end in another thread", [&] {
        cudaError_t error = cudaSuccess;
        std::thread([&] { error = cudaStreamEndCapture(stream, &graph); }).join();
        return error;
    });
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    std::thread([&] {
        printf("relaxed, in another thread: %s\n", error_of(cudaStreamEndCapture(stream, &graph)));
    }).join();
    during("merge of two captures", [&] {
        OK(cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal));
        OK(cudaEventRecord(event, other));
        cudaError_t error = cudaStreamWaitEvent(stream, event, 0);
        printf("%s ", status_of(other));
        printf("%s ", error_of(cudaStreamEndCapture(other, &graph)));
        return error;
    });
    // Threads.
    int *q = NULL;
    during("cudaMalloc in another thread, global", [&] {
        cudaError_t error = cudaSuccess;
        std::thread([&] { error = cudaMalloc(&q, 4); }).join();
        return error;
    });
    during(
        "cudaMalloc in another thread, thread-local",
        [&] {
            cudaError_t error = cudaSuccess;
            std::thread([&] { error = cudaMalloc(&q, 4); }).join();
            return error;
        },
        stream, cudaStreamCaptureModeThreadLocal);
    during("cudaMalloc in another thread that is thread-local", [&] {
        cudaError_t error = cudaSuccess;
        std::thread([&] {
            cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal;
            OK(cudaThreadExchangeStreamCaptureMode(&mode));
            error = cudaMalloc(&q, 4);
        }).join();
        return error;
    });
    during("cudaMalloc, exchanged", [&] {
        cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
        OK(cudaThreadExchangeStreamCaptureMode(&mode));
        cudaError_t error = cudaMalloc(&q, 4);
        OK(cudaThreadExchangeStreamCaptureMode(&mode));
        printf("%d ", mode);
        return error;
    });
    cudaStream_t gone;
    OK(cudaStreamCreate(&gone));
    OK(cudaStreamBeginCapture(gone, cudaStreamCaptureModeGlobal));
    printf("destroy a capturing stream: %s\n", error_of(cudaStreamDestroy(gone)));
    printf("the device after that: %s\n", error_of(cudaDeviceSynchronize()));
}

static void graphs() {
    cudaGraph_t graph, second;
    cudaGraphNode_t a, b, c, node, both[2];
    cudaGraphExec_t exec;
    int n = 1;
    void *arguments[] = {&p, &n};
    cudaKernelNodeParams params = {};
    params.func = (void *)add;
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = arguments;
    printf("create with flags: %s\n", error_of(cudaGraphCreate(&graph, 1)));
    printf("create nowhere: %s\n", error_of(cudaGraphCreate(NULL, 0)));
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphCreate(&second, 0));
    OK(cudaGraphAddEmptyNode(&a, graph, NULL, 0));
    OK(cudaGraphAddEmptyNode(&b, graph, &a, 1));
    OK(cudaGraphAddEmptyNode(&c, second, NULL, 0));
    both[0] = both[1] = a;
    printf("a dependency twice: %s\n", error_of(cudaGraphAddEmptyNode(&node, graph, both, 2)));
    printf("of another graph: %s\n", error_of(cudaGraphAddEmptyNode(&node, graph, &c, 1)));
    printf("count without list: %s\n", error_of(cudaGraphAddEmptyNode(&node, graph, NULL, 1)));
    printf("no graph: %s\n", error_of(cudaGraphAddEmptyNode(&node, NULL, NULL, 0)));
    printf("the edge again: %s\n", error_of(cudaGraphAddDependencies(graph, &a, &b, NULL, 1)));
    printf("to itself: %s\n", error_of(cudaGraphAddDependencies(graph, &a, &a, NULL, 1)));
    printf("to another graph: %s\n", error_of(cudaGraphAddDependencies(graph, &a, &c, NULL, 1)));
    printf("no such edge: %s\n", error_of(cudaGraphRemoveDependencies(graph, &b, &a, NULL, 1)));
    printf("a cycle: %s\n", error_of(cudaGraphAddDependencies(graph, &b, &a, NULL, 1)));
    cudaGraphInstantiateParams how = {};
    printf("instantiate it: %s", error_of(cudaGraphInstantiateWithParams(&exec, graph, &how)));
    printf(", result %d, node %s\n", how.result_out, how.errNode_out ? "given" : "none");
    printf("instantiate: %s\n", error_of(cudaGraphInstantiate(&exec, graph, 0)));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphCreate(&graph, 0));
    printf("unknown flags: %s\n", error_of(cudaGraphInstantiate(&exec, graph, 1024)));
    printf("kernel without params: %s\n",
           error_of(cudaGraphAddKernelNode(&node, graph, NULL, 0, NULL)));
    params.kernelParams = NULL;
    printf("kernel without arguments: %s\n",
           error_of(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params)));
    params.kernelParams = arguments;
    params.func = NULL;
    printf("no kernel: %s\n", error_of(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params)));
    params.func = (void *)host;
    printf("not a kernel: %s\n", error_of(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params)));
    params.func = (void *)add;
    params.blockDim.x = 2048;
    printf("a block too large: %s\n",
           error_of(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params)));
    params.blockDim.x = 0;
    printf("no threads: %s\n", error_of(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params)));
    params.blockDim.x = 1;
    params.sharedMemBytes = 100 << 10;
    printf("too much shared memory: %s\n",
           error_of(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params)));
    cudaMemsetParams fill = {p, 0, 0, 3, 1, 1};
    printf("memset of 3 bytes: %s\n",
           error_of(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &fill)));
    fill.elementSize = 1;
    fill.value = 300;
    printf("memset of 300 in a byte: %s\n",
           error_of(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &fill)));
    fill.value = 0;
    fill.width = 0;
    printf("memset of nothing: %s\n",
           error_of(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &fill)));
    fill.width = 1;
    fill.dst = NULL;
    printf("memset of NULL: %s\n", error_of(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &fill)));
    static int on_host;
    fill.dst = &on_host;
    printf("memset of the host: %s\n",
           error_of(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &fill)));
    printf("copy of nothing: %s\n",
           error_of(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, p, &on_host, 0,
                                             cudaMemcpyHostToDevice)));
    printf("copy from NULL: %s\n", error_of(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, p, NULL,
                                                                     4, cudaMemcpyHostToDevice)));
    printf("copy of kind 9: %s\n", error_of(cudaGraphAddMemcpyNode1D(
                                       &node, graph, NULL, 0, p, &on_host, 4, (cudaMemcpyKind)9)));
    cudaHostNodeParams call = {NULL, NULL};
    printf("no function: %s\n", error_of(cudaGraphAddHostNode(&node, graph, NULL, 0, &call)));
    printf("no event: %s\n", error_of(cudaGraphAddEventRecordNode(&node, graph, NULL, 0, NULL)));
    printf("no child: %s\n", error_of(cudaGraphAddChildGraphNode(&node, graph, NULL, 0, NULL)));
    printf("free of plain memory: %s\n",
           error_of(cudaGraphAddMemFreeNode(&node, graph, NULL, 0, p)));
    cudaKernelNodeParams out;
    OK(cudaGraphAddEmptyNode(&a, graph, NULL, 0));
    printf("kernel params of an empty node: %s\n", error_of(cudaGraphKernelNodeGetParams(a, &out)));
    printf("memset params of an empty node: %s\n",
           error_of(cudaGraphMemsetNodeGetParams(a, &fill)));
    printf("find in no clone: %s\n", error_of(cudaGraphNodeFindInClone(&node, a, second)));
    printf("launch nothing: %s\n", error_of(cudaGraphLaunch(NULL, stream)));
    printf("destroy nothing: %s", error_of(cudaGraphDestroy(NULL)));
    printf(", %s\n", error_of(cudaGraphExecDestroy(NULL)));
    size_t count;
    printf("nodes of nothing: %s\n", error_of(cudaGraphGetNodes(NULL, NULL, &count)));
    printf("nodes without count: %s\n", error_of(cudaGraphGetNodes(graph, NULL, NULL)));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    printf("launch on the legacy stream: %s\n", error_of(cudaGraphLaunch(exec, 0)));
    printf("enable an empty node: %s\n", error_of(cudaGraphNodeSetEnabled(exec, a, 0)));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphDestroy(second));
}

int main() {
    OK(cudaMalloc(&p, sizeof *p));
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamCreate(&other));
    OK(cudaStreamCreateWithFlags(&free_stream, cudaStreamNonBlocking));
    OK(cudaEventCreate(&event));
    OK(cudaEventCreate(&recorded));
    OK(cudaEventRecord(recorded, other));
    OK(cudaDeviceSynchronize());
    calls();
    ends();
    graphs();
    return 0;
}
