// finds: nothing
// Small allocations, and a kernel that tells the host by a flag that it is done.
#include <cstdio>

__global__ void fill(int *a) {
    a[threadIdx.x] = 1;
}

__global__ void tell(volatile int *flag, int *data) {
    data[threadIdx.x] = 2;
    __threadfence_system();
    *flag = 1;
}

int main() {
    int *a, *b;
    volatile int *flag;
    cudaMallocManaged(&a, 32 * sizeof(int));
    cudaMallocManaged(&b, 32 * sizeof(int));
    cudaMallocHost((void **)&flag, sizeof(int));
    *flag = 0;
    b[3] = 1;
    fill<<<1, 32>>>(a);
    b[3]++; // of its neighbour
    tell<<<1, 32>>>(flag, b);
    while (!*flag)
        continue;
    printf("%d\n", a[0] + b[3]);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
    cudaFreeHost((void *)flag);
}
