"""CuTe DSL by TMA, for Hopper (pip install nvidia-cutlass-dsl numpy): a transpose of tiles as they come, and swizzled; a matrix product by wgmma.
Run it with: bankrun --arch sm_90a python cute_dsl_tma_kernels.py"""

import cutlass
import numpy as np
from cutlass import cute
from cutlass.cute.nvgpu import OperandMajorMode, cpasync, warpgroup
from cutlass.cute.runtime import make_ptr
from cutlass.memory import SmemAllocator

from device_array import DeviceArray, start

TILE = 32
M, N, K = 64, 64, 64


def tile_layout(is_swizzled):
    """Rows of 128 bytes: side by side, or their pieces of 16 bytes as a swizzle of 128 bytes turns them."""
    rows = cute.make_layout((TILE, TILE), stride=(TILE, 1))
    return cute.make_composed_layout(cute.make_swizzle(3 if is_swizzled else 0, 4, 3), 0, rows)


def factor_layout(rows):
    """Of a factor's tile, as wgmma wants it: rows of K halves, swizzled."""
    atom = warpgroup.make_smem_layout_atom(warpgroup.SmemLayoutAtomKind.K_SW128, cutlass.Float16)
    return cute.tile_to_shape(atom, (rows, K), order=(0, 1))


def allocate(memory, kind, layout):
    return memory.allocate_tensor(kind, layout.outer, 1024, swizzle=layout.inner)


def part(load, tile, source):
    """What a copy takes, and where it puts it."""
    return cpasync.tma_partition(load, 0, cute.make_layout(1), cute.group_modes(tile, 0, 2), cute.group_modes(source, 0, 2))


def first_warp():
    return cute.arch.make_warp_uniform(cute.arch.warp_idx()) == 0


@cute.kernel
def transpose(load: cute.CopyAtom, source: cute.Tensor, target: cute.Tensor, is_swizzled: cutlass.Constexpr):
    tx, ty, _ = cute.arch.thread_idx()
    bx, by, _ = cute.arch.block_idx()
    memory = SmemAllocator()
    tile = allocate(memory, cutlass.Float32, tile_layout(is_swizzled))
    arrived = memory.allocate_array(cutlass.Int64, 1)
    to, given = part(load, tile, cute.local_tile(source, (TILE, TILE), (by, bx)))
    if first_warp():
        with cute.arch.elect_one():
            cute.arch.mbarrier_init(arrived, 1)
        cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    if first_warp():
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive_and_expect_tx(arrived, TILE * TILE * 4)
        cute.copy(load, given, to, tma_bar_ptr=arrived)
    cute.arch.mbarrier_wait(arrived, 0)
    for i in cutlass.range_constexpr(0, TILE, 8):
        target[bx * TILE + ty + i, by * TILE + tx] = tile[tx, ty + i]  # 32-way in tiles as they come, 4-way where they are swizzled


@cute.kernel
def matmul(load_a: cute.CopyAtom, a: cute.Tensor, load_b: cute.CopyAtom, b: cute.Tensor, c: cute.Tensor, mma: cute.TiledMma):
    """Products of rows of a with rows of b, by one warp group."""
    thread, _, _ = cute.arch.thread_idx()
    bx, by, _ = cute.arch.block_idx()
    memory = SmemAllocator()
    left = allocate(memory, cutlass.Float16, factor_layout(M))
    right = allocate(memory, cutlass.Float16, factor_layout(N))
    arrived = memory.allocate_array(cutlass.Int64, 1)
    to_left, given_a = part(load_a, left, cute.local_tile(a, (M, K), (by, None)))
    to_right, given_b = part(load_b, right, cute.local_tile(b, (N, K), (bx, None)))
    if first_warp():
        with cute.arch.elect_one():
            cute.arch.mbarrier_init(arrived, 1)
        cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    mine = mma.get_slice(0)
    factors_a = mma.make_fragment_A(mine.partition_A(left))
    factors_b = mma.make_fragment_B(mine.partition_B(right))
    results = mma.get_slice(thread).partition_C(cute.local_tile(c, (M, N), (by, bx)))
    total = cute.make_rmem_tensor(results.shape, cutlass.Float32)
    total.fill(0.0)
    mma.set(warpgroup.Field.ACCUMULATE, True)
    for k in cutlass.range(cute.size(given_a, mode=[1]), unroll=1):
        if first_warp():
            with cute.arch.elect_one():
                cute.arch.mbarrier_arrive_and_expect_tx(arrived, (M + N) * K * 2)
            cute.copy(load_a, given_a[(None, k)], to_left, tma_bar_ptr=arrived)
            cute.copy(load_b, given_b[(None, k)], to_right, tma_bar_ptr=arrived)
        cute.arch.mbarrier_wait(arrived, k % 2)
        warpgroup.fence()
        for i in cutlass.range(cute.size(factors_a, mode=[2]), unroll_full=True):
            cute.gemm(mma, total, factors_a[(None, None, i)], factors_b[(None, None, i)], total)
        warpgroup.commit_group()
        warpgroup.wait_group(0)
        cute.arch.sync_threads()  # all have read the tiles
    cute.autovec_copy(total, results)


def square(pointer, n):
    return cute.make_tensor(pointer, cute.make_layout((n, n), stride=(n, 1)))


def tiles_of(tensor, layout, rows, columns):
    return cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), tensor, layout, (rows, columns))


@cute.jit
def launch_transpose(source: cute.Pointer, target: cute.Pointer, n: cutlass.Constexpr, is_swizzled: cutlass.Constexpr):
    load, tensor = tiles_of(square(source, n), tile_layout(is_swizzled), TILE, TILE)
    transpose(load, tensor, square(target, n), is_swizzled).launch(grid=(n // TILE, n // TILE, 1), block=(TILE, 8, 1))


@cute.jit
def launch_matmul(a: cute.Pointer, b: cute.Pointer, c: cute.Pointer, n: cutlass.Constexpr):
    rows = OperandMajorMode.K
    mma = cute.make_tiled_mma(warpgroup.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (M, N, 16), warpgroup.OperandSource.SMEM, rows, rows))
    load_a, tensor_a = tiles_of(square(a, n), factor_layout(M), M, K)
    load_b, tensor_b = tiles_of(square(b, n), factor_layout(N), N, K)
    matmul(load_a, tensor_a, load_b, tensor_b, square(c, n), mma).launch(grid=(n // N, n // M, 1), block=(128, 1, 1))


def pointer(array):
    kind = {"float32": cutlass.Float32, "float16": cutlass.Float16}[array.to_host().dtype.name]
    return make_ptr(kind, array.data_ptr(), cute.AddressSpace.gmem, assumed_align=128)


def run(launch, arrays, *constants):
    """Of the last array what the kernel makes of it."""
    there = [DeviceArray(array) for array in arrays]
    launch(*(pointer(array) for array in there), *constants)
    return there[-1].to_host()


def main():
    start()
    numbers = np.random.default_rng(1)
    n = 128
    source, empty = numbers.random((n, n), dtype=np.float32), np.zeros((n, n), dtype=np.float32)
    for is_swizzled in (False, True):
        assert (run(launch_transpose, [source, empty], n, is_swizzled) == source.T).all()
    a, b = (numbers.random((n, n), dtype=np.float32).astype(np.float16) for _ in range(2))
    assert np.allclose(run(launch_matmul, [a, b, empty], n), a.astype(np.float32) @ b.astype(np.float32).T, rtol=1e-3)
    print("cute_dsl_tma: all right")


if __name__ == "__main__":
    main()
