"""Taichi (pip install taichi): transposes, a softmax, a matrix product. Run it with: bankrun python taichi_kernels.py"""

import numpy as np
import taichi as ti

N = 128
TILE = 32
PADDED = 33
BLOCK = TILE * TILE  # of threads; block i has the iterations from i * BLOCK on
TILES = N // TILE

# Little memory, since all of it is one allocation; as many blocks as there are rows, so that none has two of them.
ti.init(arch=ti.cuda, device_memory_GB=0.1, log_level=ti.ERROR, saturating_grid_dim=128)

Matrix = ti.types.ndarray(dtype=ti.f32, ndim=2)


@ti.kernel
def transpose(source: Matrix, target: Matrix):
    ti.loop_config(block_dim=BLOCK)
    for i in range(N * N):
        tile = ti.simt.block.SharedArray((TILE, TILE), ti.f32)
        block, thread = i // BLOCK, i % BLOCK
        by, bx, y, x = block // TILES, block % TILES, thread // TILE, thread % TILE
        tile[y, x] = source[by * TILE + y, bx * TILE + x]
        ti.simt.block.sync()
        target[bx * TILE + y, by * TILE + x] = tile[x, y]  # 32-way


@ti.kernel
def transpose_padded(source: Matrix, target: Matrix):
    ti.loop_config(block_dim=BLOCK)
    for i in range(N * N):
        tile = ti.simt.block.SharedArray((TILE, PADDED), ti.f32)
        block, thread = i // BLOCK, i % BLOCK
        by, bx, y, x = block // TILES, block % TILES, thread // TILE, thread % TILE
        tile[y, x] = source[by * TILE + y, bx * TILE + x]
        ti.simt.block.sync()
        target[bx * TILE + y, by * TILE + x] = tile[x, y]


@ti.kernel
def softmax(source: Matrix, target: Matrix):
    """A block for each row of 128."""
    ti.loop_config(block_dim=N)
    for i in range(N * N):
        row = ti.simt.block.SharedArray((N,), ti.f32)
        y, x = i // N, i % N
        row[x] = source[y, x]
        for s in ti.static(range(6, -1, -1)):
            ti.simt.block.sync()
            if x < 1 << s:
                row[x] = ti.max(row[x], row[x + (1 << s)])
        ti.simt.block.sync()
        power = ti.exp(source[y, x] - row[0])
        ti.simt.block.sync()
        row[x] = power
        for s in ti.static(range(6, -1, -1)):
            ti.simt.block.sync()
            if x < 1 << s:
                row[x] = row[x] + row[x + (1 << s)]
        ti.simt.block.sync()
        target[y, x] = power / row[0]


@ti.kernel
def matmul(a: Matrix, b: Matrix, c: Matrix):
    ti.loop_config(block_dim=BLOCK)
    for i in range(N * N):
        left = ti.simt.block.SharedArray((TILE, TILE), ti.f32)
        right = ti.simt.block.SharedArray((TILE, TILE), ti.f32)
        block, thread = i // BLOCK, i % BLOCK
        by, bx, y, x = block // TILES, block % TILES, thread // TILE, thread % TILE
        total = 0.0
        for k in range(TILES):
            left[y, x] = a[by * TILE + y, k * TILE + x]
            right[y, x] = b[k * TILE + y, bx * TILE + x]
            ti.simt.block.sync()
            for j in range(TILE):
                total += left[y, j] * right[j, x]
            ti.simt.block.sync()
        c[by * TILE + y, bx * TILE + x] = total


def run(kernel, *arrays):
    """Of the last array what the kernel makes of it."""
    there = []
    for array in arrays:
        there.append(ti.ndarray(dtype=ti.f32, shape=(N, N)))
        there[-1].from_numpy(array)
    kernel(*there)
    return there[-1].to_numpy()


def main():
    numbers = np.random.default_rng(1)
    a, b = (numbers.random((N, N), dtype=np.float32) for _ in range(2))
    empty = np.zeros_like(a)
    assert (run(transpose, a, empty) == a.T).all()
    assert (run(transpose_padded, a, empty) == a.T).all()
    powers = np.exp(a - a.max(axis=1, keepdims=True))
    assert np.allclose(run(softmax, a, empty), powers / powers.sum(axis=1, keepdims=True), rtol=1e-5)
    assert np.allclose(run(matmul, a, b, empty), a @ b, rtol=1e-4)
    print("taichi: all right")


if __name__ == "__main__":
    main()
