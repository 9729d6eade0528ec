// A function that is declared with a result and defined without one: the linker does not look, and
// the call runs. numba declares functions of C that return nothing so. Not so with arguments.
// bankrun: -lcuda
// stderr: call of store with other parameters than it declares
// gpu: no, a call with too few arguments is no error there
#include <cstdio>
#include <cstring>
#include <cuda.h>

#define HEAD ".version 7.0\n.target sm_50\n.address_size 64\n"

static const char callee[] = HEAD R"(
.visible .func store(.param .b64 to)
{
    .reg .u64 %rd<2>;
    ld.param.u64 %rd1, [to];
    st.u32 [%rd1], 42;
    ret;
}
)";

static const char caller[] = HEAD R"(
.extern .func (.param .b64 result) store(.param .b64 to);
.visible .entry result(.param .u64 out)
{
    .reg .u64 %rd<3>;
    .param .b64 to, back;
    ld.param.u64 %rd1, [out];
    st.param.b64 [to], %rd1;
    call.uni (back), store, (to);
    ld.param.b64 %rd2, [back];
    ret;
}
)";

static const char short_caller[] = HEAD R"(
.file 1 "short.txt"
.extern .func (.param .b64 result) store();
.visible .entry none(.param .u64 out)
{
    .param .b64 back;
    .loc 1 7 1
    call.uni (back), store, ();
    ret;
}
)";

static void run(const char *code, const char *kernel) {
    CUlinkState state;
    CUmodule module;
    CUfunction function;
    CUdeviceptr out;
    void *image, *arguments[] = {&out};
    size_t bytes;
    int value = 0;
    cuLinkCreate(0, NULL, NULL, &state);
    cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)code, strlen(code) + 1, "caller", 0, NULL, NULL);
    cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)callee, sizeof callee, "callee", 0, NULL, NULL);
    cuLinkComplete(state, &image, &bytes);
    cuModuleLoadData(&module, image);
    cuModuleGetFunction(&function, module, kernel);
    cuMemAlloc(&out, 4);
    cuMemsetD32(out, 0, 1);
    cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL);
    CUresult result = cuMemcpyDtoH(&value, out, 4);
    printf("%s: %d %d\n", kernel, result, value);
}

int main() {
    CUcontext context;
    cuInit(0);
    cuDevicePrimaryCtxRetain(&context, 0);
    cuCtxSetCurrent(context);
    run(caller, "result");
    run(short_caller, "none");
    return 0;
}
