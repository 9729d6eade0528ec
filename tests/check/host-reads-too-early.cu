// finds: memory host-access
// The host reads what a copy writes, and writes what a copy reads.
#include <cstdio>

int main() {
    const int n = 4000; // the last page in part
    int *a, *from, *to;
    cudaStream_t stream;
    cudaMalloc(&a, n * sizeof(int));
    cudaMallocHost(&from, n * sizeof(int));
    cudaMallocHost(&to, n * sizeof(int));
    cudaStreamCreate(&stream);
    for (int i = 0; i < n; i++)
        from[i] = i;
    cudaMemcpyAsync(a, from, n * sizeof(int), cudaMemcpyHostToDevice, stream);
    cudaMemcpyAsync(to, a, n * sizeof(int), cudaMemcpyDeviceToHost, stream);
    printf("%d\n", from[7] + to[n - 1]); // reading what is read is fine
    from[0] = 1;
    cudaStreamSynchronize(stream);
    cudaFree(a);
    cudaFreeHost(from);
    cudaFreeHost(to);
}
