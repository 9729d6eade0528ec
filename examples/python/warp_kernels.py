"""Warp: transposes, a softmax, a matrix product. Run it with: bankrun python warp_kernels.py

Its wheel on PyPI holds the CUDA runtime in a way that bankrun cannot replace; one that was built with
build_lib.py --use-dynamic-cuda runs."""

import numpy as np
import warp as wp

N = 128
TILE = wp.constant(32)

NAIVE = """
    __shared__ float tile[32][32];
    const int x = threadIdx.x % 32, y = threadIdx.x / 32, bx = blockIdx.x % 4, by = blockIdx.x / 4;
    tile[y][x] = source[(by * 32 + y) * 128 + bx * 32 + x];
    __syncthreads();
    target[(bx * 32 + y) * 128 + by * 32 + x] = tile[x][y];
"""
PADDED = NAIVE.replace("[32][32]", "[32][33]")


@wp.func_native(NAIVE)
def through_tile(source: wp.array(dtype=float), target: wp.array(dtype=float)):
    ...


@wp.func_native(PADDED)
def through_padded(source: wp.array(dtype=float), target: wp.array(dtype=float)):
    ...


@wp.kernel
def transpose(source: wp.array(dtype=float), target: wp.array(dtype=float)):
    through_tile(source, target)


@wp.kernel
def transpose_padded(source: wp.array(dtype=float), target: wp.array(dtype=float)):
    through_padded(source, target)


@wp.func
def power(x: float):
    return wp.exp(x)


@wp.kernel
def softmax(source: wp.array2d(dtype=float), target: wp.array2d(dtype=float)):
    """A block for each row."""
    i, j = wp.tid()
    row = wp.tile_load(source[i], shape=128)
    powers = wp.tile_map(power, row)  # of numbers from 0 to 1
    total = wp.tile_sum(powers)
    wp.tile_store(target[i], powers * (1.0 / total[0]))


@wp.kernel
def matmul(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
    i, j, thread = wp.tid()
    total = wp.tile_zeros(shape=(TILE, TILE), dtype=float)
    for k in range(4):
        left = wp.tile_load(a, shape=(TILE, TILE), offset=(i * TILE, k * TILE))
        right = wp.tile_load(b, shape=(TILE, TILE), offset=(k * TILE, j * TILE))
        wp.tile_matmul(left, right, total)
    wp.tile_store(c, total, offset=(i * TILE, j * TILE))


def run(kernel, dim, block, *arrays):
    """Of the last array what the kernel makes of it."""
    there = [wp.array(array, dtype=float, device="cuda") for array in arrays]
    wp.launch_tiled(kernel, dim=dim, inputs=there, block_dim=block, device="cuda")
    return there[-1].numpy()


def main():
    numbers = np.random.default_rng(1)
    a, b = (numbers.random((N, N), dtype=np.float32) for _ in range(2))
    empty = np.zeros_like(a)
    for kernel in (transpose, transpose_padded):
        assert (run(kernel, [16], 1024, a.ravel(), empty.ravel()).reshape(N, N) == a.T).all()
    powers = np.exp(a)
    assert np.allclose(run(softmax, [N], 64, a, empty), powers / powers.sum(axis=1, keepdims=True), rtol=1e-5)
    assert np.allclose(run(matmul, [4, 4], 64, a, b, empty), a @ b, rtol=1e-4)
    print("warp: all right")


if __name__ == "__main__":
    main()
