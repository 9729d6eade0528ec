"""Tensor descriptors of Triton (pip install triton numpy), which copy whole tiles: one that the kernel makes, one that the host makes.

Run it with: bankrun python triton_descriptor_kernels.py"""

import numpy as np
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from device_array import DeviceArray, start


@triton.jit
def transpose_made(source, target, rows, columns, TILE: tl.constexpr):
    """The kernel makes its tensor maps."""
    given = tl.make_tensor_descriptor(source, shape=[rows, columns], strides=[columns, 1], block_shape=[TILE, TILE])
    made = tl.make_tensor_descriptor(target, shape=[columns, rows], strides=[rows, 1], block_shape=[TILE, TILE])
    y, x = tl.program_id(0) * TILE, tl.program_id(1) * TILE
    made.store([x, y], tl.trans(given.load([y, x])))


@triton.jit
def transpose_given(given, made, TILE: tl.constexpr):
    """The host made them: they are parameters."""
    y, x = tl.program_id(0) * TILE, tl.program_id(1) * TILE
    made.store([x, y], tl.trans(given.load([y, x])))


@triton.jit
def matmul(a, b, c, inner, TILE: tl.constexpr):
    row, column = tl.program_id(0) * TILE, tl.program_id(1) * TILE
    total = tl.zeros((TILE, TILE), dtype=tl.float32)
    for k in range(0, inner, TILE):
        total = tl.dot(a.load([row, k]), b.load([k, column]), total)
    c.store([row, column], total)


def described(array, tile):
    """The array on the device, and a descriptor of it."""
    there = DeviceArray(array)
    there.dtype = array.dtype  # a descriptor wants its size
    return there, TensorDescriptor(there, list(array.shape), [array.shape[1], 1], [tile, tile])


def main():
    start()
    triton.set_allocator(lambda size, alignment, stream: DeviceArray(np.zeros(size // 4 + 1, dtype=np.int32)))
    numbers = np.random.default_rng(1)
    # 100 rows of 104: the last tiles are not whole. What is outside reads as zeros, and is not written.
    source = numbers.random((100, 104), dtype=np.float32)
    there, target = DeviceArray(source), DeviceArray(np.zeros((104, 100), dtype=np.float32))
    transpose_made[(4, 4)](there, target, 100, 104, TILE=32)
    assert (target.to_host() == source.T).all()

    _, given = described(source, 32)
    target, made = described(np.zeros((104, 100), dtype=np.float32), 32)
    transpose_given[(4, 4)](given, made, TILE=32)
    assert (target.to_host() == source.T).all()

    a, b = (numbers.random((128, 128), dtype=np.float32).astype(np.float16) for _ in range(2))
    target, product = described(np.zeros((128, 128), dtype=np.float32), 64)
    matmul[(2, 2)](described(a, 64)[1], described(b, 64)[1], product, 128, TILE=64)
    assert np.allclose(target.to_host(), a.astype(np.float32) @ b.astype(np.float32), rtol=1e-3)
    print("triton descriptors: all right")


if __name__ == "__main__":
    main()
