// The context of a kernel's node in a graph: where the kernel is a library's, it runs there.
// bankrun: -lcuda --devices 2
// gpu: no, it wants two devices (two H100s do the same with cuGraphAddKernelNode: driver
// 580.159.04)
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
)";

static CUcontext context[2];
static CUdeviceptr memory[2];
static CUlibrary library;
static CUkernel kernel;

static CUDA_KERNEL_NODE_PARAMS launch_of(CUcontext where, void **parameters) {
    CUDA_KERNEL_NODE_PARAMS params = {};
    params.kern = kernel;
    params.ctx = where;
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

static const char *which(CUcontext asked) {
    return asked == context[0]   ? "device 0's"
           : asked == context[1] ? "device 1's"
           : asked               ? "another"
                                 : "none";
}

static void tell(const char *title, CUgraphNode node) {
    CUDA_KERNEL_NODE_PARAMS params = {};
    CUresult result = cuGraphKernelNodeGetParams(node, &params);
    printf("  %s: %s, function %s, kernel %s, context %s\n", title, name_of(result),
           params.func ? "there" : "none",
           params.kern == kernel ? "the same"
           : params.kern         ? "another"
                                 : "none",
           which(params.ctx));
}

int main() {
    cuInit(0);
    for (int d = 0; d < 2; d++) {
        cuDevicePrimaryCtxRetain(&context[d], d);
        cuCtxSetCurrent(context[d]);
        cuMemAlloc(&memory[d], 64);
        cuMemsetD32(memory[d], 0, 16);
    }
    cuLibraryLoadData(&library, code, NULL, NULL, 0, NULL, NULL, 0);
    cuLibraryGetKernel(&kernel, library, "count");
    CUgraph graph;
    CUgraphExec exec;
    CUgraphNode nodes[4];
    CUdevice device;
    CUDA_KERNEL_NODE_PARAMS params;
    void *to[2][1] = {{&memory[0]}, {&memory[1]}};
    cuGraphCreate(&graph, 0);
    printf("the current context is device 1's\n");
    params = launch_of(context[0], to[0]);
    SHOW(cuGraphAddKernelNode(&nodes[0], graph, NULL, 0, &params));
    params = launch_of(NULL, to[1]);
    SHOW(cuGraphAddKernelNode(&nodes[1], graph, &nodes[0], 1, &params));
    params = launch_of(context[1], to[1]);
    SHOW(cuGraphAddKernelNode(&nodes[2], graph, &nodes[1], 1, &params));
    CUgraphNodeParams all = {};
    all.type = CU_GRAPH_NODE_TYPE_KERNEL;
    all.kernel.kern = kernel;
    all.kernel.ctx = context[0];
    all.kernel.gridDimX = all.kernel.gridDimY = all.kernel.gridDimZ = 1;
    all.kernel.blockDimX = all.kernel.blockDimY = all.kernel.blockDimZ = 1;
    all.kernel.kernelParams = to[0];
    SHOW(cuGraphAddNode(&nodes[3], graph, &nodes[2], NULL, 1, &all));
    tell("context 0 was given", nodes[0]);
    tell("none was given", nodes[1]);
    tell("context 1 was given", nodes[2]);
    tell("context 0 was given", nodes[3]);
    SHOW(cuCtxGetDevice(&device));
    printf("  still device %d\n", device);
    SHOW(cuGraphInstantiate(&exec, graph, 0));
    SHOW(cuGraphLaunch(exec, NULL));
    SHOW(cuCtxSynchronize());
    read();
    printf("set to the other device: not in what was instantiated\n");
    params = launch_of(context[1], to[1]);
    SHOW(cuGraphExecKernelNodeSetParams(exec, nodes[3], &params));
    SHOW(cuGraphKernelNodeSetParams(nodes[3], &params));
    tell("context 1 was given", nodes[3]);
    SHOW(cuGraphExecDestroy(exec));
    SHOW(cuGraphInstantiate(&exec, graph, 0));
    SHOW(cuGraphLaunch(exec, NULL));
    SHOW(cuCtxSynchronize());
    read();
    return 0;
}
