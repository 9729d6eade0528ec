// Transposes a tile, with rows of 32 floats or of 33, and checks it.
#include <cstdio>
#include <cstring>
#include <vector>

template <int COLUMNS> __global__ void turn(float *out, const float *in) {
    __shared__ float tile[32][COLUMNS];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

int main(int argc, char **argv) {
    std::vector<float> tile(1024);
    for (int i = 0; i < 1024; i++)
        tile[i] = i;
    float *in, *out;
    cudaMalloc(&in, 4096);
    cudaMalloc(&out, 4096);
    cudaMemcpy(in, tile.data(), 4096, cudaMemcpyHostToDevice);
    if (argc > 1 && std::strcmp(argv[1], "plain") == 0)
        turn<32><<<1, dim3(32, 32)>>>(out, in);
    else
        turn<33><<<1, dim3(32, 32)>>>(out, in);
    cudaMemcpy(tile.data(), out, 4096, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    for (int i = 0; i < 1024; i++)
        if (tile[i] != i % 32 * 32 + i / 32) {
            std::printf("element %d is %g\n", i, tile[i]);
            return 1;
        }
    return 0;
}
