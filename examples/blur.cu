// Each element becomes the mean of itself and its neighbours, 256 of them a block. The result is
// right here, and on a GPU almost always: one thing is missing. `bankrun check` says what.
#include <cstdio>
#include <vector>

__global__ void blur(const float *in, float *out, int n) {
    __shared__ float tile[258];
    const int t = threadIdx.x + 1, i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[t] = in[i];
    if (threadIdx.x == 0)
        tile[0] = i > 0 ? in[i - 1] : in[i];
    if (threadIdx.x == blockDim.x - 1)
        tile[t + 1] = i + 1 < n ? in[i + 1] : in[i];
    out[i] = (tile[t - 1] + tile[t] + tile[t + 1]) / 3;
}

int main() {
    const int n = 1 << 16;
    std::vector<float> data(n);
    for (int i = 0; i < n; i++)
        data[i] = i % 100;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, data.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    blur<<<n / 256, 256>>>(in, out, n);
    cudaMemcpy(data.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g %g %g\n", data[1], data[256], data[n - 2]);
    cudaFree(in);
    cudaFree(out);
}
