// Warps read, add and write without an atomic: what some add is lost, in some orders.
// bankrun: --check sync --schedule 1
// finds: schedule order-dependent 7 7
#include <cstdio>

__global__ void count(int *n) {
    *n = *n + 1;
}

int main() {
    int *n, result;
    cudaMalloc(&n, sizeof(int));
    cudaMemset(n, 0, sizeof(int));
    count<<<4, 64>>>(n);
    cudaMemcpy(&result, n, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", result);
    cudaFree(n);
}
