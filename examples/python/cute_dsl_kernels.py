"""CuTe DSL (pip install nvidia-cutlass-dsl numpy): a transpose, without and with padding, a softmax, a matrix product.
Run it with: bankrun python cute_dsl_kernels.py"""

import cutlass
import numpy as np
from cutlass import cute
from cutlass.cute.runtime import make_ptr
from cutlass.memory import SmemAllocator

from device_array import DeviceArray, start

TILE = 32
WARP = 32


@cute.kernel
def transpose(source: cute.Tensor, target: cute.Tensor, pitch: cutlass.Constexpr):
    tx, ty, _ = cute.arch.thread_idx()
    bx, by, _ = cute.arch.block_idx()
    tile = SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout((TILE, TILE), stride=(pitch, 1)))
    for i in cutlass.range_constexpr(0, TILE, 8):
        tile[ty + i, tx] = source[by * TILE + ty + i, bx * TILE + tx]
    cute.arch.sync_threads()
    for i in cutlass.range_constexpr(0, TILE, 8):
        target[bx * TILE + ty + i, by * TILE + tx] = tile[tx, ty + i]  # 32-way where rows are 32 elements apart


@cute.kernel
def softmax(source: cute.Tensor, target: cute.Tensor, width: cutlass.Constexpr):
    """A block of one warp for each row, which is kept in shared memory."""
    lane, _, _ = cute.arch.thread_idx()
    row, _, _ = cute.arch.block_idx()
    powers = SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(width))
    highest = -cutlass.Float32.inf
    for i in cutlass.range_constexpr(0, width, WARP):
        highest = cute.arch.fmax(highest, source[row, i + lane])
    highest = cute.arch.warp_reduction(highest, cute.arch.fmax)
    total = cutlass.Float32(0)
    for i in cutlass.range_constexpr(0, width, WARP):
        powers[i + lane] = cute.math.exp(source[row, i + lane] - highest)
        total += powers[i + lane]
    total = cute.arch.warp_reduction(total, lambda x, y: x + y)
    for i in cutlass.range_constexpr(0, width, WARP):
        target[row, i + lane] = powers[i + lane] / total


@cute.kernel
def matmul(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, n: cutlass.Constexpr):
    tx, ty, _ = cute.arch.thread_idx()
    bx, by, _ = cute.arch.block_idx()
    memory = SmemAllocator()
    left = memory.allocate_tensor(cutlass.Float32, cute.make_layout((TILE, TILE), stride=(TILE, 1)))
    right = memory.allocate_tensor(cutlass.Float32, cute.make_layout((TILE, TILE), stride=(TILE, 1)))
    row, column = by * TILE + ty, bx * TILE + tx
    total = cutlass.Float32(0)
    for k in cutlass.range(0, n, TILE):
        left[ty, tx] = a[row, k + tx]
        right[ty, tx] = b[k + ty, column]
        cute.arch.sync_threads()
        for i in cutlass.range_constexpr(TILE):
            total += left[ty, i] * right[i, tx]
        cute.arch.sync_threads()
    c[row, column] = total


def square(pointer, n):
    return cute.make_tensor(pointer, cute.make_layout((n, n), stride=(n, 1)))


@cute.jit
def launch_transpose(source: cute.Pointer, target: cute.Pointer, n: cutlass.Constexpr, pitch: cutlass.Constexpr):
    transpose(square(source, n), square(target, n), pitch).launch(grid=(n // TILE, n // TILE, 1), block=(TILE, 8, 1))


@cute.jit
def launch_softmax(source: cute.Pointer, target: cute.Pointer, n: cutlass.Constexpr):
    softmax(square(source, n), square(target, n), n).launch(grid=(n, 1, 1), block=(WARP, 1, 1))


@cute.jit
def launch_matmul(a: cute.Pointer, b: cute.Pointer, c: cute.Pointer, n: cutlass.Constexpr):
    matmul(square(a, n), square(b, n), square(c, n), n).launch(grid=(n // TILE, n // TILE, 1), block=(TILE, TILE, 1))


def run(launch, arrays, *constants):
    """Of the last array what the kernel makes of it."""
    there = [DeviceArray(array) for array in arrays]
    launch(*(make_ptr(cutlass.Float32, array.data_ptr(), cute.AddressSpace.gmem, assumed_align=16) for array in there), *constants)
    return there[-1].to_host()


def main():
    start()
    numbers = np.random.default_rng(1)
    a, b = (numbers.random((128, 128), dtype=np.float32) for _ in range(2))
    empty, n = np.zeros_like(a), 128
    for pitch in (TILE, TILE + 1):
        assert (run(launch_transpose, [a, empty], n, pitch) == a.T).all()
    powers = np.exp(a - a.max(axis=1, keepdims=True))
    assert np.allclose(run(launch_softmax, [a, empty], n), powers / powers.sum(axis=1, keepdims=True), rtol=1e-5)
    assert np.allclose(run(launch_matmul, [a, b, empty], n), a @ b, rtol=1e-4)
    print("cute_dsl: all right")


if __name__ == "__main__":
    main()
