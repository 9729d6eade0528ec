// finds: race unordered-operations 5
// A stream that does not block does not wait for the default stream, where cudaMemset runs, which
// does not wait for the device; one that blocks does.
__global__ void fill(int *a) {
    if (a[threadIdx.x] == 0)
        a[threadIdx.x] = 1;
}

int main() {
    int *a;
    cudaStream_t blocks, does_not;
    cudaMalloc(&a, 256 * sizeof(int));
    cudaStreamCreate(&blocks);
    cudaStreamCreateWithFlags(&does_not, cudaStreamNonBlocking);
    cudaMemset(a, 0, 256 * sizeof(int));
    fill<<<1, 256, 0, blocks>>>(a);
    cudaMemset(a, 0, 256 * sizeof(int));
    cudaDeviceSynchronize();
    cudaMemset(a, 0, 256 * sizeof(int));
    fill<<<1, 256, 0, does_not>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}
