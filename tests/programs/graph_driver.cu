// Graphs by the driver API: capture, nodes, parameters, updates, conditional nodes, versions of the
// functions.
// bankrun: -lcuda
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

#define OK(call) check(call, #call, __LINE__)
static void check(CUresult result, const char *call, int line) {
    const char *name = NULL;
    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorName(result, &name);
    printf("line %d: %s: %s\n", line, call, name);
}
static const char *name_of(CUresult result) {
    const char *name = "?";
    cuGetErrorName(result, &name);
    return name;
}

static const char code[] = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 out, .param .u32 value) {
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [value];
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd2, %r2, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.u32 %r3, [%rd3];
    add.u32 %r3, %r3, %r1;
    st.global.u32 [%rd3], %r3;
    ret;
}
)";

enum { N = 64 };
static CUdeviceptr p, q;
static CUfunction add;
static CUcontext context;

static void CUDA_CB host(void *data) {
    ++*(int *)data;
}

static long sum(CUdeviceptr device) {
    int values[N];
    long total = 0;
    OK(cuMemcpyDtoH(values, device, sizeof values));
    for (int value : values)
        total += value;
    return total;
}

static void capture() {
    CUstream stream, side;
    CUevent fork, join;
    CUgraph graph, seen;
    CUgraphExec exec;
    CUstreamCaptureStatus status;
    cuuint64_t id;
    const CUgraphNode *dependencies;
    size_t count;
    unsigned value = 3;
    void *arguments[] = {&p, &value};
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&side, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING));
    OK(cuEventCreate(&join, CU_EVENT_DISABLE_TIMING));
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuMemsetD32Async(p, 5, N, stream));
    OK(cuLaunchKernel(add, 1, 1, 1, N, 1, 1, 0, stream, arguments, NULL));
    value = 4; // in one piece this time
    struct {
        CUdeviceptr at;
        unsigned value;
    } packed = {p, 10};
    size_t bytes = 12;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    OK(cuEventRecord(fork, stream));
    OK(cuStreamWaitEvent(side, fork, 0));
    OK(cuMemsetD2D16Async(q, 16, 0x0101, 8, 4, side));
    OK(cuLaunchKernel(add, 1, 1, 1, N, 1, 1, 0, stream, NULL, extra));
    OK(cuEventRecord(join, side));
    OK(cuStreamWaitEvent(stream, join, 0));
    OK(cuStreamGetCaptureInfo(stream, &status, &id, &seen, &dependencies, NULL, &count));
    printf("status %d, %zu dependencies\n", status, count);
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuGraphGetNodes(graph, NULL, &count));
    printf("%zu nodes, the same graph %d\n", count, seen == graph);
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuMemsetD8(q, 0, N * 4));
    for (int i = 0; i < 2; i++)
        OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    printf("p %ld, q %ld\n", sum(p), sum(q));
    printf("cuMemAlloc in a capture: ");
    CUdeviceptr unused;
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    printf("%s, ", name_of(cuMemAlloc(&unused, 64)));
    printf("%s\n", name_of(cuStreamEndCapture(stream, &graph)));
    OK(cuGraphExecDestroy(exec));
    OK(cuStreamDestroy(stream));
    OK(cuStreamDestroy(side));
}

static void build() {
    CUgraph graph, clone;
    CUgraphNode fill, k, copy, call, child, record, node, nodes[8];
    CUgraphExec exec;
    CUevent event;
    int calls = 0;
    unsigned value = 2;
    void *arguments[] = {&p, &value};
    OK(cuGraphCreate(&graph, 0));
    CUDA_MEMSET_NODE_PARAMS fill_params = {p, 0, 7, 4, N, 1};
    OK(cuGraphAddMemsetNode(&fill, graph, NULL, 0, &fill_params, context));
    CUDA_KERNEL_NODE_PARAMS params = {};
    params.func = add;
    params.gridDimX = params.gridDimY = params.gridDimZ = 1;
    params.blockDimX = N;
    params.blockDimY = params.blockDimZ = 1;
    params.kernelParams = arguments;
    OK(cuGraphAddKernelNode(&k, graph, &fill, 1, &params));
    CUDA_MEMCPY3D copy_params = {};
    copy_params.srcMemoryType = copy_params.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy_params.srcDevice = p;
    copy_params.dstDevice = q;
    copy_params.WidthInBytes = N * 4;
    copy_params.Height = copy_params.Depth = 1;
    OK(cuGraphAddMemcpyNode(&copy, graph, &k, 1, &copy_params, context));
    CUDA_HOST_NODE_PARAMS call_params = {host, &calls};
    OK(cuGraphAddHostNode(&call, graph, &copy, 1, &call_params));
    OK(cuGraphClone(&clone, graph));
    OK(cuGraphAddChildGraphNode(&child, graph, &call, 1, clone));
    OK(cuEventCreate(&event, 0));
    OK(cuGraphAddEventRecordNode(&record, graph, &child, 1, event));
    size_t count = 8, edges;
    OK(cuGraphGetNodes(graph, nodes, &count));
    OK(cuGraphGetEdges(graph, NULL, NULL, NULL, &edges));
    printf("%zu nodes, %zu edges, types", count, edges);
    for (size_t i = 0; i < count; i++) {
        CUgraphNodeType type;
        OK(cuGraphNodeGetType(nodes[i], &type));
        printf(" %d", type);
    }
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuGraphLaunch(exec, 0));
    OK(cuCtxSynchronize());
    printf(": q %ld, calls %d, event %s\n", sum(q), calls, name_of(cuEventQuery(event)));

    CUDA_KERNEL_NODE_PARAMS out = {};
    OK(cuGraphKernelNodeGetParams(k, &out));
    printf("kernel: func %d, block %u, value %u\n", out.func == add, out.blockDimX,
           *(unsigned *)out.kernelParams[1]);
    CUDA_MEMSET_NODE_PARAMS fill_out;
    OK(cuGraphMemsetNodeGetParams(fill, &fill_out));
    printf("memset: %d %u %u %zu %zu\n", fill_out.dst == p, fill_out.value, fill_out.elementSize,
           fill_out.width, fill_out.height);
    CUDA_MEMCPY3D copy_out;
    OK(cuGraphMemcpyNodeGetParams(copy, &copy_out));
    printf("memcpy: %d %d, types %d %d, %zu %zu %zu\n", copy_out.srcDevice == p,
           copy_out.dstDevice == q, copy_out.srcMemoryType, copy_out.dstMemoryType,
           copy_out.WidthInBytes, copy_out.Height, copy_out.Depth);
    value = 30;
    OK(cuGraphExecKernelNodeSetParams(exec, k, &params));
    fill_params.value = 1;
    OK(cuGraphExecMemsetNodeSetParams(exec, fill, &fill_params, context));
    OK(cuGraphNodeSetEnabled(exec, copy, 0));
    unsigned is_enabled;
    OK(cuGraphNodeGetEnabled(exec, copy, &is_enabled));
    OK(cuMemsetD8(q, 0, N * 4));
    OK(cuGraphLaunch(exec, 0));
    OK(cuCtxSynchronize());
    printf("enabled %u: q %ld, p %ld, calls %d\n", is_enabled, sum(q), sum(p), calls);
    OK(cuGraphKernelNodeSetParams(k, &params));
    CUgraphExecUpdateResultInfo info;
    OK(cuGraphExecUpdate(exec, graph, &info));
    printf("update: %d\n", info.result);
    OK(cuGraphAddEmptyNode(&node, graph, NULL, 0));
    printf("update: %s", name_of(cuGraphExecUpdate(exec, graph, &info)));
    printf(", %d\n", info.result);
    printf("a cycle: %s\n", name_of(cuGraphAddDependencies(graph, &record, &fill, NULL, 1)));
    printf("get params of a memset: %s\n", name_of(cuGraphKernelNodeGetParams(fill, &out)));
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
    OK(cuGraphDestroy(clone));
}

static void generic() {
    CUgraph graph;
    CUgraphNode a, b, c, d;
    CUgraphExec exec;
    CUgraphNodeParams params = {};
    unsigned value = 9;
    void *arguments[] = {NULL, &value};
    OK(cuGraphCreate(&graph, 0));
    params.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
    params.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    params.alloc.bytesize = N * 4;
    OK(cuGraphAddNode(&a, graph, NULL, NULL, 0, &params));
    CUdeviceptr memory = params.alloc.dptr;
    arguments[0] = &memory;
    params = {};
    params.type = CU_GRAPH_NODE_TYPE_MEMSET;
    params.memset = {memory, 0, 1, 4, N, 1, context};
    OK(cuGraphAddNode(&b, graph, &a, NULL, 1, &params));
    params = {};
    params.type = CU_GRAPH_NODE_TYPE_KERNEL;
    params.kernel.func = add;
    params.kernel.gridDimX = params.kernel.gridDimY = params.kernel.gridDimZ = 1;
    params.kernel.blockDimX = N;
    params.kernel.blockDimY = params.kernel.blockDimZ = 1;
    params.kernel.kernelParams = arguments;
    params.kernel.ctx = context;
    OK(cuGraphAddNode(&c, graph, &b, NULL, 1, &params));
    params = {};
    params.type = CU_GRAPH_NODE_TYPE_MEMCPY;
    params.memcpy.copyParams.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    params.memcpy.copyParams.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    params.memcpy.copyParams.srcDevice = memory;
    params.memcpy.copyParams.dstDevice = q;
    params.memcpy.copyParams.WidthInBytes = N * 4;
    params.memcpy.copyParams.Height = params.memcpy.copyParams.Depth = 1;
    params.memcpy.copyCtx = context;
    OK(cuGraphAddNode(&d, graph, &c, NULL, 1, &params));
    CUgraphNode last;
    OK(cuGraphAddMemFreeNode(&last, graph, &d, 1, memory));
    CUDA_GRAPH_INSTANTIATE_PARAMS how = {};
    OK(cuGraphInstantiateWithParams(&exec, graph, &how));
    printf("instantiated: %d\n", how.result_out);
    OK(cuGraphLaunch(exec, 0));
    OK(cuCtxSynchronize());
    printf("generic: q %ld\n", sum(q));
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));

    // A condition that is true by default.
    CUgraphConditionalHandle handle;
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphConditionalHandleCreate(&handle, graph, context, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
    params = {};
    params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    params.conditional.handle = handle;
    params.conditional.type = CU_GRAPH_COND_TYPE_IF;
    params.conditional.size = 1;
    params.conditional.ctx = context;
    OK(cuGraphAddNode(&a, graph, NULL, NULL, 0, &params));
    CUDA_MEMSET_NODE_PARAMS fill = {q, 0, 77, 4, N, 1};
    OK(cuGraphAddMemsetNode(&b, params.conditional.phGraph_out[0], NULL, 0, &fill, context));
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuGraphLaunch(exec, 0));
    OK(cuCtxSynchronize());
    printf("if: q %ld\n", sum(q));
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
}

// The functions as programs that were built for other versions find them.
static void versions() {
    CUgraph graph;
    CUgraphNode a, b, from, to;
    size_t edges = 1, count = 1;
    CUdriverProcAddressQueryResult found;
    CUresult (*get_edges)(CUgraph, CUgraphNode *, CUgraphNode *, size_t *);
    CUresult (*get_dependencies)(CUgraphNode, CUgraphNode *, size_t *);
    CUresult (*add_edges)(CUgraph, const CUgraphNode *, const CUgraphNode *, size_t);
    OK(cuGetProcAddress("cuGraphGetEdges", (void **)&get_edges, 12000, 0, &found));
    OK(cuGetProcAddress("cuGraphNodeGetDependencies", (void **)&get_dependencies, 12000, 0,
                        &found));
    OK(cuGetProcAddress("cuGraphAddDependencies", (void **)&add_edges, 12000, 0, &found));
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphAddEmptyNode(&a, graph, NULL, 0));
    OK(cuGraphAddEmptyNode(&b, graph, NULL, 0));
    OK(add_edges(graph, &a, &b, 1));
    OK(get_edges(graph, &from, &to, &edges));
    printf("edges: %zu, %d %d\n", edges, from == a, to == b);
    OK(get_dependencies(b, &from, &count));
    printf("dependencies: %zu, %d\n", count, from == a);
    OK(cuGraphDestroy(graph));
}

int main() {
    CUdevice device;
    CUmodule module;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoadData(&module, code));
    OK(cuModuleGetFunction(&add, module, "add"));
    OK(cuMemAlloc(&p, N * 4));
    OK(cuMemAlloc(&q, N * 4));
    capture();
    build();
    generic();
    versions();
    OK(cuMemFree(p));
    OK(cuMemFree(q));
    return 0;
}
