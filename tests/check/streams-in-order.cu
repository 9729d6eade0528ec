// Events, the default stream, the host and other bytes: what orders two streams, or need not.
// finds: nothing
__global__ void produce(int *a) {
    a[threadIdx.x] = threadIdx.x;
}

__global__ void consume(const int *a, int *b) {
    b[threadIdx.x] = a[threadIdx.x] + 1;
}

__global__ void interleaved(char *a, int part) {
    a[2 * threadIdx.x + part] = part;
}

__global__ void count(int *counter) {
    atomicAdd(counter, 1);
}

int main() {
    int *a, *b, host[256];
    cudaStream_t first, second;
    cudaEvent_t made, used;
    cudaMalloc(&a, 256 * sizeof(int));
    cudaMalloc(&b, 256 * sizeof(int));
    cudaStreamCreate(&first);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEventCreate(&made);
    cudaEventCreate(&used);
    for (int i = 0; i < 3; i++) {
        cudaStreamWaitEvent(first, used, 0); // nothing yet the first time
        produce<<<1, 256, 0, first>>>(a);
        cudaEventRecord(made, first);
        cudaStreamWaitEvent(second, made, 0);
        consume<<<1, 256, 0, second>>>(a, b);
        cudaEventRecord(used, second);
    }
    cudaStreamSynchronize(second);
    produce<<<1, 256, 0, first>>>(b); // by the host
    cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost); // the default stream waits for it
    interleaved<<<1, 256, 0, first>>>((char *)a, 0);
    interleaved<<<1, 256, 0, second>>>((char *)a, 1);
    count<<<1, 256, 0, first>>>(b);
    count<<<1, 256, 0, second>>>(b);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
}
