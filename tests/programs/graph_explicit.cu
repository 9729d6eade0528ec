// Graphs built node by node: every kind of node, its parameters, edges, queries, clones, memory,
// user objects, a drawing.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#define OK(call) check(call, #call, __LINE__)
static void check(cudaError_t error, const char *call, int line) {
    if (error != cudaSuccess)
        printf("line %d: %s: %s\n", line, call, cudaGetErrorName(error));
}

__global__ void add(int *p, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += value;
}

__global__ void twice(int *p, int n) {
    extern __shared__ int tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x * 2] = i < n ? p[i] : 0;
    __syncthreads();
    if (i < n)
        p[i] = 2 * tile[threadIdx.x * 2];
}

__device__ int symbol[8];

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

static cudaKernelNodeParams kernel(void *function, void **arguments, unsigned shared = 0) {
    cudaKernelNodeParams params = {};
    params.func = function;
    params.gridDim = dim3(N / 64);
    params.blockDim = dim3(64);
    params.sharedMemBytes = shared;
    params.kernelParams = arguments;
    return params;
}

static int index_of(const std::vector<cudaGraphNode_t> &list, cudaGraphNode_t node) {
    for (size_t i = 0; i < list.size(); i++)
        if (list[i] == node)
            return (int)i;
    return -1;
}

// The nodes in the order of their making, with their edges.
static void show(cudaGraph_t graph, const std::vector<cudaGraphNode_t> &nodes) {
    size_t count = 0, edges = 0;
    OK(cudaGraphGetNodes(graph, NULL, &count));
    OK(cudaGraphGetEdges(graph, NULL, NULL, NULL, &edges));
    std::vector<cudaGraphNode_t> from(edges), to(edges), list(count);
    std::vector<cudaGraphEdgeData> data(edges);
    OK(cudaGraphGetNodes(graph, list.data(), &count));
    OK(cudaGraphGetEdges(graph, from.data(), to.data(), data.data(), &edges));
    printf("%zu nodes:", count);
    for (cudaGraphNode_t node : list)
        printf(" %d", index_of(nodes, node));
    printf("; %zu edges:", edges);
    for (size_t i = 0; i < edges; i++)
        printf(" %d-%d%s", index_of(nodes, from[i]), index_of(nodes, to[i]),
               data[i].type || data[i].from_port || data[i].to_port ? "!" : "");
    printf("\n");
}

static void build() {
    cudaGraph_t graph, child, inside;
    cudaGraphNode_t node;
    std::vector<cudaGraphNode_t> n;
    int calls = 0, n_value = N, seven = 7, eight = 8, from_host[8], to_host[8] = {};
    for (int i = 0; i < 8; i++)
        from_host[i] = i + 1;
    void *add_seven[] = {&p, &n_value, &seven}, *add_eight[] = {&q, &n_value, &eight};
    void *double_p[] = {&p, &n_value};
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphCreate(&child, 0));
    cudaMemsetParams fill = {p, 0, 3, 4, N, 1};
    OK(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &fill));
    n.push_back(node); // 0
    cudaKernelNodeParams k = kernel((void *)add, add_seven);
    OK(cudaGraphAddKernelNode(&node, graph, &n[0], 1, &k));
    n.push_back(node); // 1
    seven = 1000;
    OK(cudaGraphAddMemcpyNode1D(&node, graph, &n[1], 1, q, p, N * sizeof *p,
                                cudaMemcpyDeviceToDevice));
    n.push_back(node); // 2
    k = kernel((void *)twice, double_p, 2 * 64 * sizeof(int));
    OK(cudaGraphAddKernelNode(&node, graph, &n[2], 1, &k));
    n.push_back(node); // 3
    OK(cudaGraphAddMemcpyNodeToSymbol(&node, graph, NULL, 0, symbol, from_host, sizeof from_host, 0,
                                      cudaMemcpyHostToDevice));
    n.push_back(node); // 4
    OK(cudaGraphAddMemcpyNodeFromSymbol(&node, graph, &n[4], 1, to_host, symbol, 4 * sizeof(int),
                                        4 * sizeof(int), cudaMemcpyDeviceToHost));
    n.push_back(node); // 5
    cudaHostNodeParams call = {host, &calls};
    cudaGraphNode_t both[] = {n[3], n[5]};
    OK(cudaGraphAddHostNode(&node, graph, both, 2, &call));
    n.push_back(node); // 6
    OK(cudaGraphAddEmptyNode(&node, graph, &n[6], 1));
    n.push_back(node); // 7
    // The child's nodes are copied; what is added to it later does not count.
    k = kernel((void *)add, add_eight);
    OK(cudaGraphAddKernelNode(&node, child, NULL, 0, &k));
    OK(cudaGraphAddChildGraphNode(&node, graph, &n[7], 1, child));
    n.push_back(node); // 8
    OK(cudaGraphAddEmptyNode(&node, child, NULL, 0));
    OK(cudaGraphChildGraphNodeGetGraph(n[8], &inside));
    size_t count;
    OK(cudaGraphGetNodes(inside, NULL, &count));
    printf("child: another graph %d, %zu node\n", inside != child, count);
    OK(cudaGraphDestroy(child));
    cudaEvent_t event, other;
    OK(cudaEventCreate(&event));
    OK(cudaEventCreate(&other));
    OK(cudaGraphAddEventRecordNode(&node, graph, &n[8], 1, event));
    n.push_back(node); // 9
    OK(cudaGraphAddEventWaitNode(&node, graph, &n[9], 1, event));
    n.push_back(node); // 10
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(q, 16 * sizeof(int), 16, 16);
    copy.dstPtr = make_cudaPitchedPtr(p, 16 * sizeof(int), 16, 16);
    copy.srcPos = make_cudaPos(4 * sizeof(int), 2, 0);
    copy.dstPos = make_cudaPos(0, 8, 0);
    copy.extent = make_cudaExtent(8 * sizeof(int), 4, 1);
    copy.kind = cudaMemcpyDeviceToDevice;
    OK(cudaGraphAddMemcpyNode(&node, graph, &n[10], 1, &copy));
    n.push_back(node); // 11
    show(graph, n);

    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaDeviceSynchronize());
    printf("p %ld", sum(p));
    printf(", q %ld, symbol %d %d, calls %d, event %s\n", sum(q), to_host[0], to_host[3], calls,
           cudaGetErrorName(cudaEventQuery(event)));

    // What the nodes tell.
    cudaKernelNodeParams k_out;
    cudaMemsetParams fill_out;
    cudaMemcpy3DParms copy_out;
    cudaHostNodeParams call_out;
    cudaEvent_t event_out;
    OK(cudaGraphKernelNodeGetParams(n[3], &k_out));
    printf("kernel: func %d, grid %u, block %u, shared %u, n %d, extra %d\n",
           k_out.func == (void *)twice, k_out.gridDim.x, k_out.blockDim.x, k_out.sharedMemBytes,
           *(int *)k_out.kernelParams[1], k_out.extra != NULL);
    OK(cudaGraphMemsetNodeGetParams(n[0], &fill_out));
    printf("memset: dst %d, value %u, size %u, width %zu, height %zu\n", fill_out.dst == p,
           fill_out.value, fill_out.elementSize, fill_out.width, fill_out.height);
    OK(cudaGraphMemcpyNodeGetParams(n[2], &copy_out));
    printf("memcpy 1D: %d %d, %zu x %zu x %zu, kind %d\n", copy_out.srcPtr.ptr == p,
           copy_out.dstPtr.ptr == q, copy_out.extent.width, copy_out.extent.height,
           copy_out.extent.depth, copy_out.kind);
    OK(cudaGraphMemcpyNodeGetParams(n[11], &copy_out));
    printf("memcpy 3D: %zu %zu, pitch %zu, %zu x %zu x %zu, kind %d\n", copy_out.srcPos.x,
           copy_out.srcPos.y, copy_out.srcPtr.pitch, copy_out.extent.width, copy_out.extent.height,
           copy_out.extent.depth, copy_out.kind);
    OK(cudaGraphHostNodeGetParams(n[6], &call_out));
    printf("host: %d %d\n", call_out.fn == host, call_out.userData == &calls);
    OK(cudaGraphEventRecordNodeGetEvent(n[9], &event_out));
    printf("record: %d", event_out == event);
    OK(cudaGraphEventWaitNodeGetEvent(n[10], &event_out));
    printf(", wait: %d\n", event_out == event);
    OK(cudaGraphEventRecordNodeSetEvent(n[9], other));
    OK(cudaGraphEventRecordNodeGetEvent(n[9], &event_out));
    printf("set: %d\n", event_out == other);

    // Neighbours.
    cudaGraphNode_t list[8];
    count = 8;
    OK(cudaGraphNodeGetDependencies(n[6], list, NULL, &count));
    printf("dependencies of 6: %zu:", count);
    for (size_t i = 0; i < count; i++)
        printf(" %d", index_of(n, list[i]));
    printf("; left over %s\n", list[7] ? "not cleared" : "cleared");
    count = 1;
    OK(cudaGraphNodeGetDependencies(n[6], list, NULL, &count));
    printf("asked for 1: %zu, %d\n", count, index_of(n, list[0]));
    OK(cudaGraphNodeGetDependentNodes(n[1], NULL, NULL, &count));
    printf("dependents of 1: %zu\n", count);
    count = 8;
    OK(cudaGraphGetRootNodes(graph, list, &count));
    printf("roots: %zu: %d %d\n", count, index_of(n, list[0]), index_of(n, list[1]));

    // A clone, and what happens to the nodes of the original there.
    cudaGraph_t clone;
    OK(cudaGraphClone(&clone, graph));
    std::vector<cudaGraphNode_t> c;
    for (cudaGraphNode_t old : n) {
        OK(cudaGraphNodeFindInClone(&node, old, clone));
        c.push_back(node);
    }
    show(clone, c);
    // Edges: 7 goes, 6 leads to 8; one more from 0 to 6, one goes.
    OK(cudaGraphDestroyNode(c[7]));
    printf("find the destroyed: %s\n",
           cudaGetErrorName(cudaGraphNodeFindInClone(&node, n[7], clone)));
    OK(cudaGraphAddDependencies(clone, &c[6], &c[8], NULL, 1));
    OK(cudaGraphAddDependencies(clone, &c[0], &c[6], NULL, 1));
    OK(cudaGraphRemoveDependencies(clone, &c[10], &c[11], NULL, 1));
    show(clone, c);
    OK(cudaGraphDestroy(clone));
    show(graph, n);

    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaEventDestroy(event));
    OK(cudaEventDestroy(other));
}

static void generic() {
    cudaGraph_t graph;
    cudaGraphNode_t a, b, c;
    cudaGraphExec_t exec;
    int n = N, value = 5;
    void *arguments[] = {&p, &n, &value};
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeMemset;
    params.memset.dst = p;
    params.memset.value = 0x0102;
    params.memset.elementSize = 2;
    params.memset.width = 2 * N;
    params.memset.height = 1;
    OK(cudaGraphAddNode(&a, graph, NULL, NULL, 0, &params));
    params = {};
    params.type = cudaGraphNodeTypeKernel;
    params.kernel.func = (void *)add;
    params.kernel.gridDim = dim3(4);
    params.kernel.blockDim = dim3(64);
    params.kernel.kernelParams = arguments;
    OK(cudaGraphAddNode(&b, graph, &a, NULL, 1, &params));
    params = {};
    params.type = cudaGraphNodeTypeMemcpy;
    params.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(p, N * sizeof *p, N, 1);
    params.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(q, N * sizeof *p, N, 1);
    params.memcpy.copyParams.extent = make_cudaExtent(N * sizeof *p, 1, 1);
    params.memcpy.copyParams.kind = cudaMemcpyDefault;
    OK(cudaGraphAddNode(&c, graph, &b, NULL, 1, &params));
    OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, 0));
    printf("generic: q %ld\n", sum(q) - 256L * 0x01020102);
    // Others for the nodes of the graph, and of the executable one alone.
    value = 6;
    params = {};
    params.type = cudaGraphNodeTypeKernel;
    params.kernel.func = (void *)add;
    params.kernel.gridDim = dim3(4);
    params.kernel.blockDim = dim3(64);
    params.kernel.kernelParams = arguments;
    OK(cudaGraphNodeSetParams(b, &params));
    OK(cudaGraphLaunch(exec, 0));
    printf("the graph's node was set: q %ld\n", sum(q) - 256L * 0x01020102);
    OK(cudaGraphExecNodeSetParams(exec, b, &params));
    OK(cudaGraphLaunch(exec, 0));
    printf("the executable's, too: q %ld\n", sum(q) - 256L * 0x01020102);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
}

static void attributes() {
    cudaGraph_t graph;
    cudaGraphNode_t a, b;
    int n = N, value = 5;
    void *arguments[] = {&p, &n, &value};
    OK(cudaGraphCreate(&graph, 0));
    cudaKernelNodeParams k = kernel((void *)add, arguments);
    OK(cudaGraphAddKernelNode(&a, graph, NULL, 0, &k));
    OK(cudaGraphAddKernelNode(&b, graph, NULL, 0, &k));
    cudaLaunchAttributeValue attribute = {};
    OK(cudaGraphKernelNodeGetAttribute(a, cudaLaunchAttributeCooperative, &attribute));
    printf("cooperative %d", attribute.cooperative);
    attribute.cooperative = 1;
    OK(cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributeCooperative, &attribute));
    OK(cudaGraphKernelNodeCopyAttributes(b, a));
    attribute.cooperative = 0;
    OK(cudaGraphKernelNodeGetAttribute(b, cudaLaunchAttributeCooperative, &attribute));
    printf(", copied %d", attribute.cooperative);
    attribute.priority = -3;
    OK(cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributePriority, &attribute));
    attribute.priority = 9;
    OK(cudaGraphKernelNodeGetAttribute(a, cudaLaunchAttributePriority, &attribute));
    printf(", priority %d\n", attribute.priority);
    OK(cudaGraphDestroy(graph));
}

static void memory() {
    cudaGraph_t graph;
    cudaGraphNode_t allocation, use, copy, release;
    cudaGraphExec_t exec;
    int n = N, value = 5;
    OK(cudaDeviceGraphMemTrim(0));
    OK(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams params = {};
    params.bytesize = N * sizeof(int);
    params.poolProps.allocType = cudaMemAllocationTypePinned;
    params.poolProps.location.id = 0;
    params.poolProps.location.type = cudaMemLocationTypeDevice;
    OK(cudaGraphAddMemAllocNode(&allocation, graph, NULL, 0, &params));
    printf("address %s\n", params.dptr ? "known" : "missing");
    int *memory = (int *)params.dptr;
    cudaMemsetParams fill = {memory, 0, 1, 4, N, 1};
    cudaGraphNode_t filled;
    OK(cudaGraphAddMemsetNode(&filled, graph, &allocation, 1, &fill));
    void *arguments[] = {&memory, &n, &value};
    cudaKernelNodeParams k = kernel((void *)add, arguments);
    OK(cudaGraphAddKernelNode(&use, graph, &filled, 1, &k));
    OK(cudaGraphAddMemcpyNode1D(&copy, graph, &use, 1, p, memory, N * sizeof(int),
                                cudaMemcpyDeviceToDevice));
    OK(cudaGraphAddMemFreeNode(&release, graph, &copy, 1, memory));
    printf("free twice: %s\n",
           cudaGetErrorName(cudaGraphAddMemFreeNode(&use, graph, &release, 1, memory)));
    cudaGraph_t other, parent;
    OK(cudaGraphCreate(&parent, 0));
    printf("clone: %s\n", cudaGetErrorName(cudaGraphClone(&other, graph)));
    printf("destroy node: %s\n", cudaGetErrorName(cudaGraphDestroyNode(copy)));
    printf("as a child: %s\n",
           cudaGetErrorName(cudaGraphAddChildGraphNode(&use, parent, NULL, 0, graph)));
    OK(cudaGraphDestroy(parent));
    void *freed = NULL;
    cudaMemAllocNodeParams out = {};
    OK(cudaGraphMemFreeNodeGetParams(release, &freed));
    OK(cudaGraphMemAllocNodeGetParams(allocation, &out));
    printf("params: %d %d %zu %zu\n", freed == memory, out.dptr == memory, out.bytesize,
           out.accessDescCount);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    cudaGraphExec_t second;
    printf("a second time: %s\n", cudaGetErrorName(cudaGraphInstantiate(&second, graph, 0)));
    cudaGetLastError();
    for (int i = 0; i < 2; i++)
        OK(cudaGraphLaunch(exec, 0));
    OK(cudaDeviceSynchronize());
    printf("p %ld\n", sum(p));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));

    // An allocation that outlives its graph.
    OK(cudaGraphCreate(&graph, 0));
    params.bytesize = 4 << 20;
    OK(cudaGraphAddMemAllocNode(&allocation, graph, NULL, 0, &params));
    fill.dst = memory = (int *)params.dptr;
    fill.value = 11;
    OK(cudaGraphAddMemsetNode(&filled, graph, &allocation, 1, &fill));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, 0));
    printf("again, not freed: %s\n", cudaGetErrorName(cudaGraphLaunch(exec, 0)));
    cudaGetLastError();
    unsigned long long used = 0, reserved = 0, high = 0;
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &reserved));
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &high));
    printf("used %llu MiB, reserved %llu MiB, high %llu MiB\n", used >> 20, reserved >> 20,
           high >> 20);
    printf("sum %ld\n", sum(memory));
    OK(cudaFreeAsync(memory, 0));
    OK(cudaStreamSynchronize(0));
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &reserved));
    printf("freed: used %llu MiB, reserved %llu MiB\n", used >> 20, reserved >> 20);
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaFree(memory));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaDeviceGraphMemTrim(0));
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &reserved));
    printf("trimmed: reserved %llu MiB\n", reserved >> 20);
    high = 0;
    OK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &high));
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &high));
    printf("high %llu\n", high);
    // Freed by the next launch.
    OK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    unsigned long long flags = 0;
    OK(cudaGraphExecGetFlags(exec, &flags));
    for (int i = 0; i < 3; i++)
        OK(cudaGraphLaunch(exec, 0));
    OK(cudaDeviceSynchronize());
    printf("flags %llu, sum %ld\n", flags, sum(memory));
    OK(cudaFreeAsync(memory, 0));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
}

static void CUDART_CB destroy(void *data) {
    ++*(int *)data;
}

static void user_objects() {
    static volatile int destroyed = 0;
    cudaUserObject_t object;
    cudaGraph_t graph, clone;
    cudaGraphExec_t exec;
    OK(cudaUserObjectCreate(&object, (void *)&destroyed, destroy, 2,
                            cudaUserObjectNoDestructorSync));
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    OK(cudaUserObjectRetain(object, 1));
    OK(cudaUserObjectRelease(object, 2));
    OK(cudaGraphClone(&clone, graph));
    OK(cudaGraphInstantiate(&exec, clone, 0));
    OK(cudaGraphDestroy(graph));
    printf("the clone keeps it: %d\n", destroyed);
    OK(cudaGraphDestroy(clone));
    printf("the executable keeps it: %d\n", destroyed);
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaDeviceSynchronize());
    OK(cudaGraphExecDestroy(exec));
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 1000000 && !destroyed; i++)
        cudaStreamQuery(0);
    printf("destroyed: %d\n", destroyed);
}

static void drawing() {
    cudaGraph_t graph;
    cudaGraphNode_t a, b;
    const char *path = "graph_explicit.dot";
    OK(cudaGraphCreate(&graph, 0));
    cudaMemsetParams fill = {p, 0, 3, 4, N, 1};
    OK(cudaGraphAddMemsetNode(&a, graph, NULL, 0, &fill));
    OK(cudaGraphAddEmptyNode(&b, graph, &a, 1));
    OK(cudaGraphDebugDotPrint(graph, path, cudaGraphDebugDotFlagsVerbose));
    FILE *file = fopen(path, "r");
    char line[1024];
    bool has_digraph = false, has_edge = false, has_memset = false;
    while (file && fgets(line, sizeof line, file)) {
        has_digraph |= strstr(line, "digraph") != NULL;
        has_edge |= strstr(line, "->") != NULL;
        has_memset |= strstr(line, "MEMSET") != NULL;
    }
    if (file)
        fclose(file);
    remove(path);
    printf("drawing: %d %d %d\n", has_digraph, has_edge, has_memset);
    OK(cudaGraphDestroy(graph));
}

int main() {
    OK(cudaMalloc(&p, N * sizeof *p));
    OK(cudaMalloc(&q, N * sizeof *q));
    build();
    generic();
    attributes();
    memory();
    user_objects();
    drawing();
    OK(cudaFree(p));
    OK(cudaFree(q));
    cudaGetLastError();
    return 0;
}
