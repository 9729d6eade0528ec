// The driver API: contexts, modules from PTX text, launches, memory, linking, entry points, and one
// state with the runtime.
// bankrun: -lcuda
// stderr: unknown instruction 'nonsense'
// gpu: no, hands cuGraphicsUnregisterResource nothing, to see it refused
// stderr: cuGraphicsUnregisterResource is not supported: there is no graphics driver
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

#define OK(call) check(call, #call)
static void check(CUresult result, const char *call) {
    const char *name = NULL;
    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorName(result, &name);
    printf("%s: %s\n", call, name);
    exit(1);
}
static void show(const char *what, CUresult result) {
    const char *name = "?", *text = "?";
    cuGetErrorName(result, &name);
    cuGetErrorString(result, &text);
    printf("%s: %s, %s\n", what, name, text);
}

static const char scale[] = R"(
.version 7.0
.target sm_80
.address_size 64
.global .align 4 .u32 factor = 3;
.visible .entry scale(.param .u64 out, .param .u32 n) {
    .reg .pred %p<2>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<5>;
    .shared .align 4 .b8 tile[8192];
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p1, %r2, %r1;
    @%p1 bra END;
    mov.u32 %r5, tile;
    mad.lo.u32 %r5, %r2, 8, %r5;
    ld.global.u32 %r3, [factor];
    mul.lo.u32 %r4, %r2, %r3;
    st.shared.u32 [%r5], %r4;
    ld.shared.u32 %r4, [%r5];
    mul.wide.u32 %rd2, %r2, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r4;
END:
    ret;
}
)";
static const char caller[] = R"(
.version 7.0
.target sm_80
.address_size 64
.extern .func (.param .b32 result) seven();
.visible .entry store(.param .u64 out) {
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    {
        .param .b32 result;
        call.uni (result), seven, ();
        ld.param.b32 %r1, [result];
    }
    st.global.u32 [%rd1], %r1;
    ret;
}
)";
static const char callee[] = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .func (.param .b32 result) seven() {
    .reg .b32 %r<2>;
    mov.u32 %r1, 7;
    st.param.b32 [result], %r1;
    ret;
}
)";
static const char broken[] = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry broken() {
    nonsense;
}
)";

__global__ void add(int *p, int n) {
    p[threadIdx.x] += n;
}

static void launches(CUcontext context) {
    CUmodule module;
    CUfunction function;
    CUdeviceptr out, factor;
    int n = 32, values[32];
    size_t bytes;
    OK(cuModuleLoadData(&module, scale));
    OK(cuModuleGetFunction(&function, module, "scale"));
    OK(cuMemAlloc(&out, sizeof values));
    void *arguments[] = {&out, &n};
    OK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH(values, out, sizeof values));
    printf("scaled: %d %d\n", values[1], values[31]);

    OK(cuModuleGetGlobal(&factor, &bytes, module, "factor"));
    OK(cuMemsetD32(factor, 5, bytes / 4));
    struct {
        CUdeviceptr out;
        int n;
    } packed = {out, 16};
    size_t packed_bytes = sizeof packed.out + sizeof packed.n;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE,
                     &packed_bytes, CU_LAUNCH_PARAM_END};
    OK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra));
    OK(cuMemcpyDtoH(values, out, sizeof values));
    printf("in one piece: %d %d %d\n", values[1], values[15], values[31]);

    CUlaunchConfig config = {2, 1, 1, 32, 1, 1, 0, NULL, NULL, 0};
    OK(cuLaunchKernelEx(&config, function, arguments, NULL));
    OK(cuLaunchCooperativeKernel(function, 2, 1, 1, 32, 1, 1, 0, NULL, arguments));
    int attribute;
    OK(cuFuncGetAttribute(&attribute, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function));
    printf("shared memory: %d\n", attribute);
    int grid, block;
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, NULL, 0, 0));
    printf("best block: %d, grid %d\n", block, grid);

    show("no such kernel", cuModuleGetFunction(&function, module, "nothing"));
    show("too large", cuLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, NULL, arguments, NULL));
    show("no parameters", cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
    CUmodule other;
    char log[400] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *settings[] = {log, (void *)sizeof log};
    show("broken", cuModuleLoadDataEx(&other, broken, 2, options, settings));
    printf("the log names it: %d\n", strstr(log, "nonsense") != NULL);
    OK(cuModuleUnload(module));
    show("unloaded", cuModuleGetFunction(&function, module, "scale"));

    // The runtime's kernels and memory, in the same context.
    int *p = (int *)out;
    CUcontext current;
    add<<<1, 32>>>(p, 100);
    OK(cuMemcpyDtoH(values, out, sizeof values));
    OK(cuCtxGetCurrent(&current));
    printf("with the runtime: %d %d, same context: %d\n", values[1], values[31],
           current == context);
    cudaFunction_t handle;
    cudaGetFuncBySymbol(&handle, (const void *)add);
    int one = 1;
    void *more[] = {&p, &one};
    OK(cuLaunchKernel((CUfunction)handle, 1, 1, 1, 32, 1, 1, 0, NULL, more, NULL));
    OK(cuMemcpyDtoH(values, out, sizeof values));
    printf("the runtime's kernel: %d\n", values[31]);
    OK(cuMemFree(out));
    printf("the runtime heard of no error: %s\n", cudaGetErrorName(cudaGetLastError()));
}

static void link() {
    CUlinkState state;
    CUmodule module;
    CUfunction function;
    CUdeviceptr out;
    void *image;
    size_t bytes;
    int value = 0;
    OK(cuLinkCreate(0, NULL, NULL, &state));
    OK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)caller, sizeof caller, "caller", 0, NULL,
                     NULL));
    OK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)callee, sizeof callee, "callee", 0, NULL,
                     NULL));
    OK(cuLinkComplete(state, &image, &bytes));
    OK(cuModuleLoadData(&module, image));
    OK(cuLinkDestroy(state));
    OK(cuModuleGetFunction(&function, module, "store"));
    OK(cuMemAlloc(&out, 4));
    void *arguments[] = {&out};
    OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    OK(cuMemcpyDtoH(&value, out, 4));
    printf("linked: %d\n", value);
    OK(cuMemFree(out));

    CUlibrary library;
    CUkernel kernel;
    CUkernel kernels[4];
    unsigned count;
    const char *name;
    OK(cuLibraryLoadData(&library, scale, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernelCount(&count, library));
    OK(cuLibraryEnumerateKernels(kernels, count, library));
    OK(cuLibraryGetKernel(&kernel, library, "scale"));
    OK(cuKernelGetName(&name, kernel));
    printf("library: %u kernel, %s, the same: %d\n", count, name, kernel == kernels[0]);
    OK(cuLibraryUnload(library));
}

static void memory() {
    CUdeviceptr rows, found;
    size_t pitch, bytes;
    unsigned short host[4][6], back[4][6] = {{0}};
    for (int i = 0; i < 24; i++)
        host[i / 6][i % 6] = i;
    OK(cuMemAllocPitch(&rows, &pitch, sizeof host[0], 4, 4));
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = host;
    copy.srcPitch = sizeof host[0];
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = rows;
    copy.dstPitch = pitch;
    copy.WidthInBytes = sizeof host[0];
    copy.Height = 4;
    OK(cuMemcpy2D(&copy));
    OK(cuMemsetD2D16(rows + pitch, pitch, 500, 2, 2));
    CUDA_MEMCPY2D home = {};
    home.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    home.srcDevice = rows;
    home.srcPitch = pitch;
    home.dstMemoryType = CU_MEMORYTYPE_HOST;
    home.dstHost = back;
    home.dstPitch = sizeof back[0];
    home.WidthInBytes = sizeof back[0];
    home.Height = 4;
    OK(cuMemcpy2D(&home));
    printf("rows: %d %d %d %d\n", back[0][5], back[1][1], back[2][2], back[3][0]);
    OK(cuMemGetAddressRange(&found, &bytes, rows + 100));
    printf("range: %d %zu\n", found == rows, bytes / pitch);
    unsigned type = 0;
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, rows));
    printf("type: %u\n", type);
    show("host pointer",
         cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)host));
    show("beyond the end", cuMemsetD8(rows, 0, bytes + 1));
    OK(cuMemFree(rows));
    show("twice", cuMemFree(rows));
    show("nothing", cuMemAlloc(&rows, 0));

    CUstream stream;
    CUevent start, stop;
    float milliseconds = -1;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&start, CU_EVENT_DEFAULT));
    OK(cuEventCreate(&stop, CU_EVENT_DEFAULT));
    OK(cuEventRecord(start, stream));
    OK(cuEventRecord(stop, stream));
    OK(cuStreamWaitEvent(stream, stop, 0));
    OK(cuEventSynchronize(stop));
    OK(cuEventElapsedTime(&milliseconds, start, stop));
    printf("time passes: %d\n", milliseconds >= 0);
    OK(cuLaunchHostFunc(
        stream, [](void *data) { printf("host: %s\n", (char *)data); }, (void *)"called"));
    OK(cuStreamDestroy(stream));
    show("gone", cuStreamSynchronize(stream));
}

static void entries() {
    void *function = NULL;
    CUdriverProcAddressQueryResult status;
    OK(cuGetProcAddress("cuMemAlloc", &function, 13000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
    printf("new: %d, %d\n", function == (void *)cuMemAlloc, (int)status);
    show("none", cuGetProcAddress("cuNothing", &function, 13000, 0, &status));
    printf("status %d\n", (int)status);
    show("before its time", cuGetProcAddress("cuEventElapsedTime", &function, 1000, 0, &status));
    printf("status %d\n", (int)status);
    cudaDriverEntryPointQueryResult result;
    cudaGetDriverEntryPointByVersion("cuLaunchKernel", &function, 12000, cudaEnableDefault,
                                     &result);
    printf("from the runtime: %d, %d\n", function == (void *)cuLaunchKernel, (int)result);
    show("graphics", cuGraphicsUnregisterResource(NULL));
    show("no such code", (CUresult)12345);
}

int main() {
    CUdevice device;
    CUcontext first, second, current;
    CUdeviceptr pointer;
    int version, flags, active;
    show("too early", cuDeviceGet(&device, 0));
    OK(cuInit(0));
    OK(cuDriverGetVersion(&version));
    OK(cuDeviceGet(&device, 0));
    show("no such device", cuDeviceGet(&device, 1000));
    printf("version at least 12: %d\n", version >= 12000);
    show("without context", cuMemAlloc(&pointer, 4));

    OK(cuCtxCreate(&first, NULL, 0, device));
    OK(cuCtxCreate(&second, NULL, CU_CTX_SCHED_SPIN, device));
    OK(cuCtxPopCurrent(&current));
    printf("popped: %d\n", current == second);
    OK(cuCtxGetCurrent(&current));
    printf("current: %d\n", current == first);
    OK(cuCtxDestroy(second));
    show("destroyed", cuCtxPushCurrent(second));
    OK(cuCtxDestroy(first));
    OK(cuCtxGetCurrent(&current));
    printf("none left: %d\n", current == NULL);

    OK(cuDevicePrimaryCtxRetain(&first, device));
    OK(cuCtxSetCurrent(first));
    OK(cuDevicePrimaryCtxGetState(device, (unsigned *)&flags, &active));
    printf("primary: %d\n", active);
    launches(first);
    link();
    memory();
    entries();
    OK(cuDevicePrimaryCtxRelease(device));
    return 0;
}
