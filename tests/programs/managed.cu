// Memory that both sides use: managed, pinned, registered, from pools; and what pointers are.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

struct node {
    int value;
    node *next;
};

__global__ void sum_list(const node *list, int *out) {
    int sum = 0;
    for (; list; list = list->next)
        sum += list->value;
    *out = sum;
}

__global__ void increment(int *p, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        p[i]++;
}

static int sum(const int *p, int count) {
    int total = 0;
    for (int i = 0; i < count; i++)
        total += p[i];
    return total;
}

static void describe(const char *what, const void *pointer) {
    static const char *const types[] = {"unregistered", "host", "device", "managed"};
    cudaPointerAttributes a;
    cudaError_t error = cudaPointerGetAttributes(&a, pointer);
    printf("%-12s %s, %s, device %s, host %s\n", what, cudaGetErrorName(error), types[a.type],
           a.devicePointer == pointer ? "same" : "none", a.hostPointer == pointer ? "same" : "none");
}

int main() {
    const int count = 1000;
    node *list = NULL;
    int *out, *pinned, *device, *mapped;
    cudaMallocManaged(&out, sizeof *out);
    for (int i = 1; i <= 10; i++) { // host pointers inside, followed by the device
        node *link;
        cudaMallocManaged(&link, sizeof *link);
        link->value = i * i;
        link->next = list;
        list = link;
    }
    sum_list<<<1, 1>>>(list, out);
    printf("list: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("sum of the list %d\n", *out);

    cudaHostAlloc(&pinned, count * sizeof(int), cudaHostAllocMapped);
    for (int i = 0; i < count; i++)
        pinned[i] = i;
    cudaHostGetDevicePointer(&mapped, pinned, 0);
    increment<<<4, 256>>>(mapped, count);
    cudaDeviceSynchronize();
    printf("pinned %d\n", sum(pinned, count));

    // aligned, so that the sectors that its accesses touch do not depend on the heap
    int *own = (int *)aligned_alloc(256, (count * sizeof(int) + 255) / 256 * 256);
    for (int i = 0; i < count; i++)
        own[i] = 2 * i;
    printf("register %s\n", cudaGetErrorName(cudaHostRegister(own, count * sizeof(int), 0)));
    cudaHostGetDevicePointer(&mapped, own, 0);
    increment<<<4, 256>>>(mapped, count);
    cudaDeviceSynchronize();
    printf("registered %d\n", sum(own, count));
    printf("unregister %s\n", cudaGetErrorName(cudaHostUnregister(own)));
    printf("again %s\n", cudaGetErrorName(cudaHostUnregister(own)));

    cudaMallocAsync(&device, count * sizeof(int), 0);
    cudaMemcpyAsync(device, own, count * sizeof(int), cudaMemcpyHostToDevice, 0);
    increment<<<4, 256>>>(device, count);
    cudaMemcpyAsync(own, device, count * sizeof(int), cudaMemcpyDeviceToHost, 0);
    describe("pool", device);
    cudaFreeAsync(device, 0);
    cudaStreamSynchronize(0);
    printf("from a pool %d\n", sum(own, count));

    cudaMalloc(&device, 100);
    describe("device", device);
    describe("inside it", (char *)device + 99);
    describe("pinned", pinned);
    describe("managed", out);
    describe("malloc", own);
    cudaFree(device);
    cudaFreeHost(pinned);
    free(own);
}
