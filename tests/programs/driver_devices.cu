// Several devices and contexts in the driver API, beside the runtime.
// bankrun: -lcuda --devices 2
// gpu: no, it wants two devices
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>

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

static int runtime_device() {
    int device = -1;
    cudaGetDevice(&device);
    return device;
}
static int context_device() {
    CUdevice device = -1;
    return cuCtxGetDevice(&device) == CUDA_SUCCESS ? device : -1;
}
static void where(const char *what) {
    printf("  %s: runtime %d, context %d\n", what, runtime_device(), context_device());
}

int main() {
    int count, can = -1;
    CUdevice device;
    CUcontext primary[2], own, top, popped;
    CUmodule module[2];
    CUfunction function[2];
    CUdeviceptr memory[2];
    CUstream stream;
    SHOW(cuInit(0));
    SHOW(cuDeviceGetCount(&count));
    SHOW(cuDeviceGet(&device, count));
    SHOW(cuDeviceGet(&device, -1));
    SHOW(cuDeviceCanAccessPeer(&can, 0, 1));
    printf("contexts\n");
    SHOW(cuDevicePrimaryCtxRetain(&primary[0], 0));
    SHOW(cuDevicePrimaryCtxRetain(&primary[1], 1));
    SHOW(cuDevicePrimaryCtxRetain(&own, count));
    printf("  the two are one: %d\n", primary[0] == primary[1]);
    SHOW(cuCtxSetCurrent(primary[1]));
    where("set");
    SHOW(cuCtxPushCurrent(primary[0]));
    where("pushed");
    SHOW(cuCtxPopCurrent(&popped));
    where("popped");
    cudaSetDevice(0);
    where("cudaSetDevice");
    SHOW(cuCtxGetCurrent(&top));
    printf("  it is the primary one: %d\n", top == primary[0]);
    printf("modules\n");
    for (int d = 0; d < 2; d++) {
        SHOW(cuCtxSetCurrent(primary[d]));
        SHOW(cuModuleLoadData(&module[d], code));
        SHOW(cuModuleGetFunction(&function[d], module[d], "count"));
        SHOW(cuMemAlloc(&memory[d], 64));
        unsigned got = 0;
        void *parameters[] = {&memory[d]};
        for (int i = 0; i <= d; i++)
            SHOW(cuLaunchKernel(function[d], 1, 1, 1, 1, 1, 1, 0, 0, parameters, NULL));
        SHOW(cuMemcpyDtoH(&got, memory[d], sizeof got));
        printf("  device %d counted to %u\n", d, got);
    }
    printf("between them\n");
    SHOW(cuCtxSetCurrent(primary[0]));
    SHOW(cuCtxEnablePeerAccess(primary[1], 0));
    SHOW(cuCtxEnablePeerAccess(primary[1], 0));
    SHOW(cuCtxEnablePeerAccess(primary[0], 0));
    SHOW(cuCtxEnablePeerAccess(NULL, 0));
    unsigned value = 0;
    void *parameters[] = {&memory[1]};
    SHOW(cuLaunchKernel(function[0], 1, 1, 1, 1, 1, 1, 0, 0, parameters, NULL));
    SHOW(cuCtxSynchronize());
    SHOW(cuMemcpyPeer(memory[0], primary[0], memory[1], primary[1], 4));
    SHOW(cuMemcpyDtoH(&value, memory[0], sizeof value));
    printf("  %u\n", value);
    SHOW(cuMemcpyPeer(memory[0], NULL, memory[1], primary[1], 4));
    SHOW(cuMemcpyPeerAsync(memory[0], primary[0], memory[1], primary[1], 4, 0));
    CUDA_MEMCPY3D_PEER copy = {};
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = memory[1];
    copy.srcContext = primary[1];
    copy.dstDevice = memory[0];
    copy.dstContext = primary[0];
    copy.WidthInBytes = 4;
    copy.Height = copy.Depth = 1;
    SHOW(cuMemcpy3DPeer(&copy));
    SHOW(cuCtxSynchronize());
    SHOW(cuCtxDisablePeerAccess(primary[1]));
    SHOW(cuCtxDisablePeerAccess(primary[1]));
    printf("what belongs to another\n");
    SHOW(cuCtxSetCurrent(primary[1]));
    SHOW(cuStreamCreate(&stream, 0));
    SHOW(cuCtxSetCurrent(primary[0]));
    SHOW(cuLaunchKernel(function[0], 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL));
    SHOW(cuLaunchKernel(function[1], 1, 1, 1, 1, 1, 1, 0, 0, parameters, NULL));
    SHOW(cuStreamSynchronize(stream));
    int ordinal = -1;
    SHOW(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, memory[1]));
    printf("  %d\n", ordinal);
    SHOW(cuStreamDestroy(stream));
    SHOW(cuMemFree(memory[1]));
    SHOW(cuMemFree(memory[0]));
    SHOW(cuDevicePrimaryCtxRelease(0));
    SHOW(cuDevicePrimaryCtxRelease(1));
    SHOW(cuDevicePrimaryCtxRelease(count));
    return 0;
}
