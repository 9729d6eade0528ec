// Attributes of streams are kept, copied, and change nothing that a kernel computes.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void twice(int *data, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        data[i] *= 2;
}

static int fails = 0;
static void check(bool good, const char *what) {
    printf("%-40s %s\n", what, good ? "ok" : "WRONG");
    fails += !good;
}

int main() {
    const int count = 1000;
    int *data;
    cudaMallocManaged(&data, count * sizeof *data);
    for (int i = 0; i < count; i++)
        data[i] = i;
    cudaStream_t stream, other;
    cudaStreamCreate(&stream);
    cudaStreamCreate(&other);

    cudaStreamAttrValue value = {};
    value.accessPolicyWindow.base_ptr = data;
    value.accessPolicyWindow.num_bytes = count * sizeof *data;
    value.accessPolicyWindow.hitRatio = 0.5f;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    check(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value) ==
              cudaSuccess, "set the window");
    cudaStreamAttrValue back = {};
    cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &back);
    check(back.accessPolicyWindow.base_ptr == data && back.accessPolicyWindow.hitRatio == 0.5f &&
              back.accessPolicyWindow.missProp == cudaAccessPropertyStreaming, "read it back");
    check(cudaStreamCopyAttributes(other, stream) == cudaSuccess, "copy to another stream");
    back = {};
    cudaStreamGetAttribute(other, cudaStreamAttributeAccessPolicyWindow, &back);
    check(back.accessPolicyWindow.num_bytes == count * sizeof *data, "read the copy");
    check(cudaStreamSetAttribute(stream, cudaLaunchAttributeIgnore, &value) ==
              cudaErrorInvalidValue, "no attribute of a stream");
    cudaGetLastError();

    twice<<<(count + 127) / 128, 128, 0, stream>>>(data, count);
    cudaStreamSynchronize(stream);
    bool good = true;
    for (int i = 0; i < count; i++)
        good = good && data[i] == 2 * i;
    check(good, "the kernel's result");
    check(cudaCtxResetPersistingL2Cache() == cudaSuccess, "reset the cache");
    cudaStreamDestroy(stream);
    return fails != 0;
}
