// cudaProfilerStart and cudaProfilerStop say which launches are counted.
// stderr: 3 launches outside of cudaProfilerStart and cudaProfilerStop: not in the report
#include <cstdio>
#include <cuda_profiler_api.h>

__global__ void before(int *p) {
    p[0]++;
}
__global__ void during(int *p) {
    __shared__ int tile[64];
    tile[threadIdx.x * 2] = p[0];
    p[threadIdx.x] = tile[threadIdx.x * 2] + 1;
}
__global__ void after(int *p) {
    p[0] += 10;
}

int main() {
    int *p, value;
    cudaMalloc(&p, 32 * sizeof *p);
    cudaMemset(p, 0, 32 * sizeof *p);
    before<<<1, 1>>>(p);
    before<<<1, 1>>>(p);
    printf("start: %s\n", cudaGetErrorName(cudaProfilerStart()));
    during<<<1, 32>>>(p);
    printf("stop: %s\n", cudaGetErrorName(cudaProfilerStop()));
    after<<<1, 1>>>(p);
    cudaProfilerStart();
    during<<<1, 32>>>(p);
    cudaProfilerStop();
    cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost);
    printf("all ran: %d\n", value);
    return 0;
}
