"""CuPy (pip install 'cupy-cuda13x[ctk]'): own kernels, and some of its own. Run it with: bankrun python cupy_kernels.py"""

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

extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n)
{
    __shared__ float left[16][16], right[16][16];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0;
    for (int t = 0; t < n; t += 16) {
        left[y][x] = a[row * n + t + x];
        right[y][x] = b[(t + y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += left[y][k] * right[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
"""


def main():
    numbers = np.random.default_rng(1)
    a = numbers.random((128, 128), dtype=np.float32)
    there = cp.asarray(a)
    for width in 32, 33:
        kernel = cp.RawKernel(SOURCE, "transpose", options=(f"-DWIDTH={width}",))
        made = cp.empty_like(there)
        kernel((4, 4), (32, 32), (there, made, np.int32(128)))
        assert (made.get() == a.T).all()
    b = numbers.random((128, 128), dtype=np.float32)
    product = cp.empty_like(there)
    cp.RawKernel(SOURCE, "matmul", options=("-DWIDTH=32",))((8, 8), (16, 16), (there, cp.asarray(b), product, np.int32(128)))
    assert np.allclose(product.get(), a @ b, rtol=1e-4)
    powers = cp.exp(there - there.max(axis=1, keepdims=True))  # CuPy's own kernels
    expected = np.exp(a - a.max(axis=1, keepdims=True))
    assert np.allclose((powers / powers.sum(axis=1, keepdims=True)).get(), expected / expected.sum(axis=1, keepdims=True), rtol=1e-5)
    print("cupy: all right")


if __name__ == "__main__":
    main()
