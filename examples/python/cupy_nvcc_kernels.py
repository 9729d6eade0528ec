"""CuPy with nvcc in place of NVRTC (pip install 'cupy-cuda13x', and a CUDA toolkit). Run it with: bankrun python cupy_nvcc_kernels.py"""

import cupy as cp
import numpy as np

SOURCE = r"""
extern "C" __global__ void transpose(const float *source, float *target, int n)
{
    __shared__ float tile[32][WIDTH];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = source[(blockIdx.y * 32 + y) * n + blockIdx.x * 32 + x];
    __syncthreads();
    target[(blockIdx.x * 32 + y) * n + blockIdx.y * 32 + x] = tile[x][y]; // 32-way
}

extern "C" __global__ void softmax(const float *source, float *target, int n)
{
    float own[4], most = -INFINITY, sum = 0;
    const float *row = source + (blockIdx.x * blockDim.y + threadIdx.y) * n;
    for (int i = 0; i < 4; i++)
        most = fmaxf(most, own[i] = row[i * 32 + threadIdx.x]);
    for (int lane = 16; lane; lane /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, lane));
    for (int i = 0; i < 4; i++)
        sum += own[i] = expf(own[i] - most);
    for (int lane = 16; lane; lane /= 2)
        sum += __shfl_xor_sync(~0u, sum, lane);
    for (int i = 0; i < 4; i++)
        target[(blockIdx.x * blockDim.y + threadIdx.y) * n + i * 32 + threadIdx.x] = own[i] / sum;
}

extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n)
{
    __shared__ float tile_a[16][16], tile_b[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        tile_a[y][x] = a[row * n + k + x];
        tile_b[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += tile_a[y][i] * tile_b[i][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
"""


def main():
    numbers = np.random.default_rng(1)
    a, b = (numbers.random((128, 128), dtype=np.float32) for _ in range(2))
    there, other = cp.asarray(a), cp.asarray(b)
    made = cp.empty_like(there)
    for width in 32, 33:
        module = cp.RawModule(code=SOURCE, backend="nvcc", options=(f"-DWIDTH={width}",))
        module.get_function("transpose")((4, 4), (32, 32), (there, made, np.int32(128)))
        assert (made.get() == a.T).all()
    module.get_function("softmax")((32,), (32, 4), (there, made, np.int32(128)))
    powers = np.exp(a - a.max(axis=1, keepdims=True))
    assert np.allclose(made.get(), powers / powers.sum(axis=1, keepdims=True), rtol=1e-5)
    module.get_function("matmul")((8, 8), (16, 16), (there, other, made, np.int32(128)))
    assert np.allclose(made.get(), a @ b, rtol=1e-4)
    print("cupy_nvcc: all right")


if __name__ == "__main__":
    main()
