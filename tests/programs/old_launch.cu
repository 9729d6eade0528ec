// The first way to launch with the driver API: block, shared memory and parameters set on the
// function.
// bankrun: -lcuda
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static const char *name_of(CUresult result) {
    const char *name = "?";
    cuGetErrorName(result, &name);
    return name;
}
#define SHOW(call) printf("  %-58s %s\n", #call, name_of(call))

__global__ void fill(float *out, int step, float value) {
    extern __shared__ float tile[];
    int i = blockIdx.y * gridDim.x + blockIdx.x;
    tile[threadIdx.x] = value + step * i;
    __syncthreads();
    out[i * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

int main() {
    CUfunction function;
    CUcontext context;
    float *out;
    cudaMallocManaged(&out, 4096);
    cudaGetFuncBySymbol(&function, (const void *)fill);
    SHOW(cuFuncSetBlockShape(function, 8, 1, 1));
    SHOW(cuFuncSetSharedSize(function, 8 * sizeof(float)));
    SHOW(cuParamSetv(function, 0, &out, sizeof out));
    SHOW(cuParamSeti(function, 8, 10));
    SHOW(cuParamSetf(function, 12, 0.5f));
    SHOW(cuParamSetSize(function, 16));
    SHOW(cuLaunchGrid(function, 2, 3));
    SHOW(cuCtxSynchronize());
    printf("  %g %g\n", out[0], out[5 * 8]);
    SHOW(cuParamSeti(function, 8, 100));
    SHOW(cuLaunchGridAsync(function, 2, 1, 0));
    SHOW(cuCtxSynchronize());
    printf("  %g %g\n", out[0], out[8]);
    SHOW(cuParamSetf(function, 12, 2));
    SHOW(cuLaunch(function));
    SHOW(cuCtxSynchronize());
    printf("  %g %g\n", out[0], out[8]);
    SHOW(cuFuncSetBlockShape(function, 0, 1, 1));
    SHOW(cuLaunchGrid(function, 0, 1));
    SHOW(cuCtxAttach(&context, 0));
    SHOW(cuCtxDetach(context));
    SHOW(cuCtxSynchronize());
    return 0;
}
