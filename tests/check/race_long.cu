// finds: nothing
// notes: race not-all-checked
// run: without
// finds: nothing
// A warp that goes on for long without a barrier of its block, and one that has one now and then:
// what lies further apart than the checker remembers was not compared.
__global__ void lonely(int *out) {
    __shared__ volatile int own[32];
    own[threadIdx.x] = 0;
    for (int i = 0; i < 10000; i++)
        own[threadIdx.x] += i;
    out[threadIdx.x] = own[threadIdx.x];
}

__global__ void sociable(int *out) {
    __shared__ volatile int own[32];
    own[threadIdx.x] = 0;
    for (int i = 0; i < 10000; i++) {
        own[threadIdx.x] += i;
        if (i % 1000 == 0)
            __syncthreads();
    }
    out[threadIdx.x] = own[threadIdx.x];
}

int main(int count, char **) {
    int *out;
    cudaMalloc(&out, 32 * sizeof(int));
    if (count == 1)
        lonely<<<1, 32>>>(out);
    sociable<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
