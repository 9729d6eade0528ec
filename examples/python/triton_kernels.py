"""Triton (pip install triton numpy): a transpose, a softmax, a matrix product. Run it with: bankrun python triton_kernels.py"""

import numpy as np
import triton
import triton.language as tl

from device_array import DeviceArray, start


@triton.jit
def transpose(source, target, n, TILE: tl.constexpr):
    y = tl.program_id(0) * TILE + tl.arange(0, TILE)
    x = tl.program_id(1) * TILE + tl.arange(0, TILE)
    tile = tl.load(source + y[:, None] * n + x[None, :])
    tl.store(target + x[:, None] * n + y[None, :], tl.trans(tile))


@triton.jit
def softmax(source, target, n, WIDTH: tl.constexpr):
    """A program for each row."""
    at = tl.program_id(0) * n + tl.arange(0, WIDTH)
    is_in_row = tl.arange(0, WIDTH) < n
    row = tl.load(source + at, mask=is_in_row, other=-float("inf"))
    powers = tl.exp(row - tl.max(row, axis=0))
    tl.store(target + at, powers / tl.sum(powers, axis=0), mask=is_in_row)


@triton.jit
def matmul(a, b, c, n, TILE: tl.constexpr):
    row = tl.program_id(0) * TILE + tl.arange(0, TILE)
    column = tl.program_id(1) * TILE + tl.arange(0, TILE)
    inner = tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), dtype=tl.float32)
    for k in range(0, n, TILE):
        left = tl.load(a + row[:, None] * n + (k + inner)[None, :])
        right = tl.load(b + (k + inner)[:, None] * n + column[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + row[:, None] * n + column[None, :], total)


def run(kernel, grid, arrays, n, **constants):
    """Of the last array what the kernel makes of it."""
    there = [DeviceArray(array) for array in arrays]
    kernel[grid](*there, n, **constants)
    return there[-1].to_host()


def main():
    start()
    numbers = np.random.default_rng(1)
    a, b = (numbers.random((128, 128), dtype=np.float32) for _ in range(2))
    empty, n = np.zeros_like(a), 128
    assert (run(transpose, (4, 4), [a, empty], n, TILE=32) == a.T).all()
    powers = np.exp(a - a.max(axis=1, keepdims=True))
    assert np.allclose(run(softmax, (n,), [a, empty], n, WIDTH=128), powers / powers.sum(axis=1, keepdims=True), rtol=1e-5)
    halves = [a.astype(np.float16), b.astype(np.float16)]
    made = run(matmul, (2, 2), [*halves, empty], n, TILE=64)
    assert np.allclose(made, halves[0].astype(np.float32) @ halves[1].astype(np.float32), rtol=1e-3)
    print("triton: all right")


if __name__ == "__main__":
    main()
