// cudaSetDevice brings the driver up: its functions need no cuInit after that.
// bankrun: -lcuda
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>

int main() {
    CUdevice device = -1;
    CUcontext context = nullptr;
    int major = 0;
    printf("before: %d\n", cuCtxGetDevice(&device));
    cudaSetDevice(0);
    CUresult result = cuCtxGetDevice(&device);
    printf("after: %d, device %d\n", result, device);
    result = cuCtxGetCurrent(&context);
    printf("context: %d, %s\n", result, context ? "there" : "none");
    cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    printf("compute capability %d\n", major);
    return 0;
}
