// Graphs whose kernels belong to several devices: each runs where its module was loaded.
// bankrun: -lcuda --devices 2
// gpu: no, it wants two devices (two H100s printed the same: driver 580.159.04)
#include <cstdio>
#include <cuda.h>

static const char *name_of(CUresult result) {
    const char *name = "?";
    cuGetErrorName(result, &name);
    return name;
}
#define SHOW(call) printf("  %-58s %s\n", #call, name_of(call))

static const char code[] = R"(
.version 7.0
.target sm_50
.address_size 64
.file 1 "counting.txt"
.global .u32 counter;
.visible .entry count(.param .u64 out) {
    .reg .u64 %rd<2>;
    .reg .u32 %r<2>;
    ld.param.u64 %rd0, [out];
    atom.global.add.u32 %r0, [counter], 1;
    add.u32 %r0, %r0, 1;
    st.global.u32 [%rd0], %r0;
    ret;
}
.visible .entry other(.param .u64 out) {
    .reg .u64 %rd<2>;
    ld.param.u64 %rd0, [out];
    st.global.u32 [%rd0], 77;
    ret;
}
)";

static CUcontext context[2];
static CUfunction count[2], other[2];
static CUdeviceptr memory[2];

static CUDA_KERNEL_NODE_PARAMS launch_of(CUfunction function, void **parameters) {
    CUDA_KERNEL_NODE_PARAMS params = {};
    params.func = function;
    params.gridDimX = params.gridDimY = params.gridDimZ = 1;
    params.blockDimX = params.blockDimY = params.blockDimZ = 1;
    params.kernelParams = parameters;
    return params;
}

static void read() {
    for (int d = 0; d < 2; d++) {
        unsigned value = 0;
        cuCtxSetCurrent(context[d]);
        cuMemcpyDtoH(&value, memory[d], sizeof value);
        printf("  device %d has %u\n", d, value);
    }
    cuCtxSetCurrent(context[1]);
}

int main() {
    CUmodule module;
    cuInit(0);
    for (int d = 0; d < 2; d++) {
        cuDevicePrimaryCtxRetain(&context[d], d);
        cuCtxSetCurrent(context[d]);
        cuModuleLoadData(&module, code);
        cuModuleGetFunction(&count[d], module, "count");
        cuModuleGetFunction(&other[d], module, "other");
        cuMemAlloc(&memory[d], 64);
        cuMemsetD32(memory[d], 0, 16);
    }
    CUgraph graph;
    CUgraphExec exec;
    CUgraphNode nodes[4];
    CUdevice device;
    CUDA_KERNEL_NODE_PARAMS params;
    void *to[2][1] = {{&memory[0]}, {&memory[1]}};
    cuGraphCreate(&graph, 0);
    printf("the current context is device 1's\n");
    params = launch_of(count[0], to[0]);
    SHOW(cuGraphAddKernelNode(&nodes[0], graph, NULL, 0, &params));
    params = launch_of(count[1], to[1]);
    SHOW(cuGraphAddKernelNode(&nodes[1], graph, &nodes[0], 1, &params));
    SHOW(cuGraphAddKernelNode(&nodes[2], graph, &nodes[1], 1, &params));
    params = launch_of(count[0], to[0]);
    SHOW(cuGraphAddKernelNode(&nodes[3], graph, &nodes[2], 1, &params));
    SHOW(cuCtxGetDevice(&device));
    printf("  still device %d\n", device);
    SHOW(cuGraphInstantiate(&exec, graph, 0));
    SHOW(cuGraphLaunch(exec, NULL));
    SHOW(cuCtxSynchronize());
    read();
    printf("another kernel of the device\n");
    params = launch_of(other[0], to[0]);
    SHOW(cuGraphExecKernelNodeSetParams(exec, nodes[3], &params));
    SHOW(cuGraphLaunch(exec, NULL));
    read();
    printf("a kernel of another device: not in what was instantiated\n");
    params = launch_of(other[1], to[1]);
    SHOW(cuGraphExecKernelNodeSetParams(exec, nodes[3], &params));
    SHOW(cuGraphKernelNodeSetParams(nodes[3], &params));
    CUgraphExecUpdateResultInfo info = {};
    SHOW(cuGraphExecUpdate(exec, graph, &info));
    printf("  %s\n", info.result == CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE
                         ? "its function changed"
                         : "something else");
    SHOW(cuGraphExecDestroy(exec));
    SHOW(cuGraphInstantiate(&exec, graph, 0));
    SHOW(cuGraphLaunch(exec, NULL));
    read();
    printf("memory of a device that its kernel cannot reach\n");
    params = launch_of(count[0], to[1]);
    SHOW(cuGraphKernelNodeSetParams(nodes[0], &params));
    SHOW(cuGraphExecDestroy(exec));
    SHOW(cuGraphInstantiate(&exec, graph, 0));
    SHOW(cuGraphLaunch(exec, NULL));
    SHOW(cuCtxSynchronize()); // of the stream that the graph was launched into
    cuCtxSetCurrent(context[0]);
    SHOW(cuCtxSynchronize());
    return 0;
}
