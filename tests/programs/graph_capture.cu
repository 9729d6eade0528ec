// Stream capture: what operations become, forks and joins, capture into a graph, dependencies that
// the program sets, replays.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#define OK(call) check(call, #call, __LINE__)
static void check(cudaError_t error, const char *call, int line) {
    if (error != cudaSuccess)
        printf("line %d: %s: %s\n", line, call, cudaGetErrorName(error));
}

static const char *const types[] = {"kernel", "memcpy", "memset", "host",       "graph",
                                    "empty",  "wait",   "record", "signal",     "sem-wait",
                                    "alloc",  "free",   "op",     "conditional"};

__global__ void add(int *p, int n, int value) {
    __shared__ int tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = value;
    __syncthreads();
    if (i < n)
        p[i] += tile[threadIdx.x];
}

__global__ void scale(int *p, int n, int factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] *= factor;
}

struct big {
    int values[20];
};

__global__ void from_struct(int *p, big b, char c, double d) {
    if (threadIdx.x < 20)
        p[threadIdx.x] = b.values[threadIdx.x] + c + (int)d;
}

__device__ int variable[4];

static void CUDART_CB host(void *data) {
    ++*(int *)data;
}

// Nodes by type, and how many edges.
static void show(const char *what, cudaGraph_t graph) {
    size_t nodes = 0, edges = 0, roots = 0;
    OK(cudaGraphGetNodes(graph, NULL, &nodes));
    OK(cudaGraphGetEdges(graph, NULL, NULL, NULL, &edges));
    OK(cudaGraphGetRootNodes(graph, NULL, &roots));
    std::vector<cudaGraphNode_t> list(nodes + 1);
    OK(cudaGraphGetNodes(graph, list.data(), &nodes));
    int counts[14] = {};
    for (size_t i = 0; i < nodes; i++) {
        cudaGraphNodeType type;
        OK(cudaGraphNodeGetType(list[i], &type));
        counts[type]++;
    }
    printf("%s: %zu nodes, %zu edges, %zu roots:", what, nodes, edges, roots);
    for (int i = 0; i < 14; i++)
        if (counts[i])
            printf(" %d %s", counts[i], types[i]);
    printf("\n");
}

static const char *status_of(cudaStream_t stream) {
    static const char *const names[] = {"none", "active", "invalidated"};
    cudaStreamCaptureStatus status;
    cudaError_t error = cudaStreamIsCapturing(stream, &status);
    cudaGetLastError();
    return error == cudaSuccess ? names[status] : cudaGetErrorName(error);
}

enum { N = 200 };
static int *p, *q, *pinned;
static int result[N];

static long sum(const int *device) {
    OK(cudaMemcpy(result, device, sizeof result, cudaMemcpyDeviceToHost));
    long total = 0;
    for (int value : result)
        total += value;
    return total;
}

static void replay() {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int calls = 0, value = 3;
    OK(cudaStreamCreate(&stream));
    printf("before: %s\n", status_of(stream));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    printf("during: %s\n", status_of(stream));
    OK(cudaMemsetAsync(p, 0, N * sizeof *p, stream));
    for (int i = 1; i <= 4; i++) {
        value = i;
        add<<<4, 64, 0, stream>>>(p, N, value);
    }
    value = 100; // the kernels got copies
    scale<<<4, 64, 0, stream>>>(p, N, 2);
    OK(cudaMemcpyAsync(pinned, p, N * sizeof *p, cudaMemcpyDeviceToHost, stream));
    OK(cudaLaunchHostFunc(stream, host, &calls));
    OK(cudaStreamEndCapture(stream, &graph));
    printf("after: %s, host functions called %d times\n", status_of(stream), calls);
    show("chain", graph);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphDestroy(graph));
    for (int i = 0; i < 3; i++) {
        OK(cudaGraphLaunch(exec, stream));
        add<<<4, 64, 0, stream>>>(p, N, 1000); // in stream order behind it
    }
    OK(cudaStreamSynchronize(stream));
    printf("p %ld", sum(p));
    printf(", pinned %d, host functions %d\n", pinned[N - 1], calls);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaStreamDestroy(stream));
}

static void fork_and_join() {
    cudaStream_t a, b, c;
    cudaEvent_t start, done_b, done_c;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    OK(cudaStreamCreate(&a));
    OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    OK(cudaStreamCreate(&c));
    OK(cudaEventCreate(&start));
    OK(cudaEventCreateWithFlags(&done_b, cudaEventDisableTiming));
    OK(cudaEventCreate(&done_c));
    OK(cudaMemset(p, 0, N * sizeof *p));
    OK(cudaMemset(q, 0, N * sizeof *q));
    OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal));
    add<<<4, 64, 0, a>>>(p, N, 1);
    OK(cudaEventRecord(start, a));
    OK(cudaStreamWaitEvent(b, start, 0));
    OK(cudaStreamWaitEvent(c, start, 0));
    printf("forked: %s %s %s\n", status_of(a), status_of(b), status_of(c));
    add<<<4, 64, 0, b>>>(p, N / 2, 10);
    add<<<4, 64, 0, c>>>(q, N, 5);
    scale<<<4, 64, 0, c>>>(q, N, 3);
    OK(cudaEventRecord(done_b, b));
    OK(cudaEventRecord(done_c, c));
    OK(cudaStreamWaitEvent(a, done_b, 0));
    OK(cudaStreamWaitEvent(a, done_c, 0));
    OK(cudaMemcpyAsync(q, p, N / 2 * sizeof *p, cudaMemcpyDeviceToDevice, a));
    OK(cudaStreamEndCapture(a, &graph));
    printf("joined: %s %s %s\n", status_of(a), status_of(b), status_of(c));
    show("diamond", graph);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, b));
    OK(cudaGraphLaunch(exec, b));
    OK(cudaStreamSynchronize(b));
    printf("p %ld, q %ld\n", sum(p), sum(q));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(a));
    OK(cudaStreamDestroy(b));
    OK(cudaStreamDestroy(c));
    OK(cudaEventDestroy(start));
    OK(cudaEventDestroy(done_b));
    OK(cudaEventDestroy(done_c));
}

static void all_kinds() {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaEvent_t event;
    int four[4] = {1, 2, 3, 4}, back[4] = {};
    big b;
    for (int i = 0; i < 20; i++)
        b.values[i] = i * i;
    OK(cudaStreamCreate(&stream));
    OK(cudaEventCreate(&event));
    OK(cudaMemset(q, 0, N * sizeof *q));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    from_struct<<<1, 32, 0, stream>>>(p, b, 'a', 2.5);
    memset(&b, 0, sizeof b);
    OK(cudaMemcpyToSymbolAsync(variable, four, sizeof four, 0, cudaMemcpyHostToDevice, stream));
    OK(cudaMemcpyFromSymbolAsync(back, variable, sizeof back, 0, cudaMemcpyDeviceToHost, stream));
    OK(cudaMemset2DAsync(p + 32, 16 * sizeof *p, 1, 8 * sizeof *p, 4, stream));
    OK(cudaMemcpy2DAsync(p + 100, 10 * sizeof *p, p + 32, 16 * sizeof *p, 8 * sizeof *p, 4,
                         cudaMemcpyDeviceToDevice, stream));
    OK(cudaEventRecordWithFlags(event, stream, cudaEventRecordExternal));
    OK(cudaStreamWaitEvent(stream, event, cudaEventWaitExternal));
    OK(cudaMemcpyAsync(q, p, 20 * sizeof *p, cudaMemcpyDefault, stream));
    int *unused; // relaxed: no error
    OK(cudaMalloc(&unused, 64));
    OK(cudaFree(unused));
    OK(cudaStreamEndCapture(stream, &graph));
    show("all kinds", graph);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaMemset(p, 0, N * sizeof *p));
    four[3] = 40; // read when the graph runs
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    printf("symbol %d %d, event %s, p %ld, q %ld\n", back[0], back[3],
           cudaGetErrorName(cudaEventQuery(event)), sum(p), sum(q));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaEventDestroy(event));
    OK(cudaStreamDestroy(stream));
}

static void into_a_graph() {
    cudaStream_t stream;
    cudaGraph_t graph, same, seen;
    cudaGraphNode_t first, by_hand;
    cudaStreamCaptureStatus status;
    unsigned long long id = 0;
    const cudaGraphNode_t *dependencies;
    size_t count;
    OK(cudaStreamCreate(&stream));
    OK(cudaGraphCreate(&graph, 0));
    cudaMemsetParams fill = {p, 0, 1, 4, N, 1};
    OK(cudaGraphAddMemsetNode(&first, graph, NULL, 0, &fill));
    OK(cudaStreamBeginCaptureToGraph(stream, graph, &first, NULL, 1, cudaStreamCaptureModeGlobal));
    OK(cudaStreamGetCaptureInfo(stream, &status, &id, &seen, &dependencies, NULL, &count));
    printf("status %d, id %s, the same graph %d, %zu dependencies, the first %d\n", status,
           id ? "set" : "0", seen == graph, count, count && dependencies[0] == first);
    add<<<4, 64, 0, stream>>>(p, N, 4);
    OK(cudaStreamGetCaptureInfo(stream, &status, NULL, &seen, &dependencies, NULL, &count));
    printf("%zu dependencies, moved on %d\n", count, dependencies[0] != first);
    // A node that the program adds itself, and that what follows waits for.
    cudaMemsetParams other = {q, 0, 2, 4, N, 1};
    OK(cudaGraphAddMemsetNode(&by_hand, graph, dependencies, count, &other));
    OK(cudaStreamUpdateCaptureDependencies(stream, &by_hand, NULL, 1,
                                           cudaStreamSetCaptureDependencies));
    add<<<4, 64, 0, stream>>>(q, N, 8);
    OK(cudaStreamUpdateCaptureDependencies(stream, &first, NULL, 1,
                                           cudaStreamAddCaptureDependencies));
    OK(cudaStreamGetCaptureInfo(stream, &status, NULL, &seen, &dependencies, NULL, &count));
    printf("%zu dependencies\n", count);
    OK(cudaStreamEndCapture(stream, &same));
    printf("ends with the same graph: %d\n", same == graph);
    show("into a graph", graph);
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphUpload(exec, stream));
    OK(cudaGraphLaunch(exec, 0));
    printf("p %ld, q %ld\n", sum(p), sum(q));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(stream));
}

static void memory_in_streams() {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int *temporary = NULL;
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cudaMallocAsync(&temporary, N * sizeof(int), stream));
    OK(cudaMemsetAsync(temporary, 0, N * sizeof(int), stream));
    add<<<4, 64, 0, stream>>>(temporary, N, 9);
    OK(cudaMemcpyAsync(p, temporary, N * sizeof(int), cudaMemcpyDeviceToDevice, stream));
    OK(cudaFreeAsync(temporary, stream));
    OK(cudaStreamEndCapture(stream, &graph));
    show("memory", graph);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++)
        OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    printf("p %ld\n", sum(p));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(stream));
}

static void per_thread_stream() {
    cudaGraph_t graph;
    OK(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeGlobal));
    add<<<4, 64, 0, cudaStreamPerThread>>>(p, N, 9);
    OK(cudaStreamEndCapture(cudaStreamPerThread, &graph));
    show("per-thread stream", graph);
    OK(cudaGraphDestroy(graph));
}

int main() {
    OK(cudaMalloc(&p, N * sizeof *p));
    OK(cudaMalloc(&q, N * sizeof *q));
    OK(cudaMallocHost(&pinned, N * sizeof *pinned));
    replay();
    fork_and_join();
    all_kinds();
    into_a_graph();
    memory_in_streams();
    per_thread_stream();
    OK(cudaFree(p));
    OK(cudaFree(q));
    OK(cudaFreeHost(pinned));
    printf("last error: %s\n", cudaGetErrorName(cudaGetLastError()));
    return 0;
}
