"""PyCUDA (pip install pycuda, a source package that wants a CUDA toolkit): own kernels, and some of its own. Run it with: bankrun python pycuda_kernels.py"""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.cumath
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule

SOURCE = r"""
__global__ void transpose(const float *source, float *target, int n)
{
    __shared__ float tile[32][WIDTH];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = source[(blockIdx.y * 32 + y) * n + blockIdx.x * 32 + x];
    __syncthreads();
    target[(blockIdx.x * 32 + y) * n + blockIdx.y * 32 + x] = tile[x][y]; // 32-way
}

__global__ void softmax(float *rows, int n)
{
    __shared__ float part[128];
    int t = threadIdx.x;
    float *own = rows + blockIdx.x * n + t;
    part[t] = *own;
    for (int half = 64; half; half /= 2) {
        __syncthreads();
        if (t < half)
            part[t] = fmaxf(part[t], part[t + half]);
    }
    __syncthreads();
    float power = expf(*own - part[0]);
    __syncthreads();
    part[t] = power;
    for (int half = 64; half; half /= 2) {
        __syncthreads();
        if (t < half)
            part[t] += part[t + half];
    }
    __syncthreads();
    *own = power / part[0];
}

__global__ void matmul(const float *a, const float *b, float *c, int n)
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
    made = np.empty_like(a)
    for width in 32, 33:
        transpose = SourceModule(SOURCE, options=[f"-DWIDTH={width}"]).get_function("transpose")
        transpose(cuda.In(a), cuda.Out(made), np.int32(128), block=(32, 32, 1), grid=(4, 4))
        assert (made == a.T).all()
    module = SourceModule(SOURCE, options=["-DWIDTH=33"])
    made[:] = a
    module.get_function("softmax")(cuda.InOut(made), np.int32(128), block=(128, 1, 1), grid=(128, 1))
    powers = np.exp(a - a.max(axis=1, keepdims=True))
    assert np.allclose(made, powers / powers.sum(axis=1, keepdims=True), rtol=1e-5)
    module.get_function("matmul")(cuda.In(a), cuda.In(b), cuda.Out(made), np.int32(128), block=(16, 16, 1), grid=(8, 8))
    assert np.allclose(made, a @ b, rtol=1e-4)
    there = gpuarray.to_gpu(a)  # PyCUDA's own kernels
    assert np.allclose((2 * there + there * there).get(), 2 * a + a * a)
    assert np.allclose(pycuda.cumath.exp(there).get(), np.exp(a), rtol=1e-5)
    assert np.isclose(gpuarray.sum(there).get(), a.sum(), rtol=1e-4)
    print("pycuda: all right")


if __name__ == "__main__":
    main()
