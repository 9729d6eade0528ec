"""numba-cuda (pip install 'numba-cuda[cu13]'): transposes, a softmax, a matrix product. Run it with: bankrun python numba_kernels.py"""

import math

import numpy as np
from numba import cuda, float32

TILE = 32
PADDED = 33


@cuda.jit
def transpose(source, target):
    tile = cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    tile[y, x] = source[cuda.blockIdx.y * TILE + y, cuda.blockIdx.x * TILE + x]
    cuda.syncthreads()
    target[cuda.blockIdx.x * TILE + y, cuda.blockIdx.y * TILE + x] = tile[x, y]  # 32-way


@cuda.jit
def transpose_padded(source, target):
    tile = cuda.shared.array((TILE, PADDED), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    tile[y, x] = source[cuda.blockIdx.y * TILE + y, cuda.blockIdx.x * TILE + x]
    cuda.syncthreads()
    target[cuda.blockIdx.x * TILE + y, cuda.blockIdx.y * TILE + x] = tile[x, y]


@cuda.jit
def softmax(source, target):
    """A block for each row of 128."""
    row = cuda.shared.array(128, float32)
    i = cuda.threadIdx.x
    value = source[cuda.blockIdx.x, i]
    row[i] = value
    step = 64
    while step:
        cuda.syncthreads()
        if i < step:
            row[i] = max(row[i], row[i + step])
        step //= 2
    cuda.syncthreads()
    value = math.exp(value - row[0])
    cuda.syncthreads()
    row[i] = value
    step = 64
    while step:
        cuda.syncthreads()
        if i < step:
            row[i] += row[i + step]
        step //= 2
    cuda.syncthreads()
    target[cuda.blockIdx.x, i] = value / row[0]


@cuda.jit
def matmul(a, b, c):
    left = cuda.shared.array((TILE, TILE), float32)
    right = cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    row, column = cuda.blockIdx.y * TILE + y, cuda.blockIdx.x * TILE + x
    value = float32(0)
    for k in range(0, a.shape[1], TILE):
        left[y, x] = a[row, k + x]
        right[y, x] = b[k + y, column]
        cuda.syncthreads()
        for i in range(TILE):
            value += left[y, i] * right[i, x]
        cuda.syncthreads()
    c[row, column] = value


def run(kernel, grid, block, *arrays):
    """Of the last array what the kernel makes of it."""
    there = [cuda.to_device(array) for array in arrays]
    kernel[grid, block](*there)
    return there[-1].copy_to_host()


def main():
    numbers = np.random.default_rng(1)
    a, b = (numbers.random((128, 128), dtype=np.float32) for _ in range(2))
    empty, grid, block = np.zeros_like(a), (4, 4), (TILE, TILE)
    assert (run(transpose, grid, block, a, empty) == a.T).all()
    assert (run(transpose_padded, grid, block, a, empty) == a.T).all()
    powers = np.exp(a - a.max(axis=1, keepdims=True))
    assert np.allclose(run(softmax, 128, 128, a, empty), powers / powers.sum(axis=1, keepdims=True), rtol=1e-5)
    assert np.allclose(run(matmul, grid, block, a, b, empty), a @ b, rtol=1e-4)
    print("numba: all right")


if __name__ == "__main__":
    main()
