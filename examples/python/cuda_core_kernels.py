"""cuda.core and NVRTC (pip install 'cuda-core[cu13]' numpy): kernels of CUDA C++. Run it with: bankrun python cuda_core_kernels.py"""

import numpy as np
from cuda.bindings import driver
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

SOURCE = """
template <int WIDTH>
__global__ void transpose(const float *source, float *target, int n)
{
    __shared__ float tile[32][WIDTH];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = source[(blockIdx.y * 32 + y) * n + blockIdx.x * 32 + x];
    __syncthreads();
    target[(blockIdx.x * 32 + y) * n + blockIdx.y * 32 + x] = tile[x][y]; // 32-way
}

__global__ void softmax(const float *source, float *target, int n)
{
    __shared__ float row[128];
    int i = threadIdx.x;
    float value = source[blockIdx.x * n + i];
    row[i] = value;
    for (int step = 64; step; step /= 2) {
        __syncthreads();
        if (i < step)
            row[i] = fmaxf(row[i], row[i + step]);
    }
    __syncthreads();
    value = expf(value - row[0]);
    __syncthreads();
    row[i] = value;
    for (int step = 64; step; step /= 2) {
        __syncthreads();
        if (i < step)
            row[i] += row[i + step];
    }
    __syncthreads();
    target[blockIdx.x * n + i] = value / row[0];
}

__global__ void matmul(const float *a, const float *b, float *c, int n)
{
    __shared__ float left[32][32], right[32][32];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, column = blockIdx.x * 32 + x;
    float value = 0;
    for (int k = 0; k < n; k += 32) {
        left[y][x] = a[row * n + k + x];
        right[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < 32; i++)
            value += left[y][i] * right[i][x];
        __syncthreads();
    }
    c[row * n + column] = value;
}
"""
NAMES = ("transpose<32>", "transpose<33>", "softmax", "matmul")


def check(result):
    if result[0] != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(result[0])


class Kernels:
    def __init__(self):
        self.device = Device()
        self.device.set_current()
        self.stream = self.device.create_stream()
        program = Program(SOURCE, "c++", ProgramOptions(arch=f"sm_{self.device.arch}", name="kernels.cu"))
        self.module = program.compile("cubin", name_expressions=NAMES)

    def run(self, name, grid, block, *arrays):
        """Of the last array what the kernel makes of it."""
        there = [self.device.allocate(array.nbytes, stream=self.stream) for array in arrays]
        for buffer, array in zip(there, arrays):
            check(driver.cuMemcpyHtoD(int(buffer.handle), array.ctypes.data, array.nbytes))
        launch(self.stream, LaunchConfig(grid=grid, block=block), self.module.get_kernel(name), *there, np.int32(128))
        self.stream.sync()
        made = np.empty_like(arrays[-1])
        check(driver.cuMemcpyDtoH(made.ctypes.data, int(there[-1].handle), made.nbytes))
        return made


def main():
    kernels, numbers = Kernels(), np.random.default_rng(1)
    a, b = (numbers.random((128, 128), dtype=np.float32) for _ in range(2))
    empty, grid, block = np.zeros_like(a), (4, 4), (32, 32)
    for name in NAMES[:2]:
        assert (kernels.run(name, grid, block, a, empty) == a.T).all()
    powers = np.exp(a - a.max(axis=1, keepdims=True))
    assert np.allclose(kernels.run("softmax", 128, 128, a, empty), powers / powers.sum(axis=1, keepdims=True), rtol=1e-5)
    assert np.allclose(kernels.run("matmul", grid, block, a, b, empty), a @ b, rtol=1e-4)
    print("cuda.core: all right")


if __name__ == "__main__":
    main()
