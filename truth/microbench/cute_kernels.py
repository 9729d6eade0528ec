"""Kernels of CuTe DSL, compiled for 9.0, with the functions that launch them, for cute_launch.c.

    bankrun --arch sm_90a python cute_kernels.py FOLDER

writes NAME.o, NAME.h and table.h. It wants a libcuda.so.1, as bankrun's."""

import sys
from pathlib import Path

import cutlass
from cutlass import cute
from cutlass.cute.nvgpu import LoadCacheMode, OperandMajorMode, cpasync, warp, warpgroup
from cutlass.cute.runtime import make_ptr
from cutlass.memory import SmemAllocator

F32, F16, I32 = cutlass.Float32, cutlass.Float16, cutlass.Int32
THREADS = 256


def rows(shape, pitch, swizzle=(0, 4, 3)):
    """A tile whose rows are `pitch` elements apart; a swizzle turns bits of the bytes' addresses."""
    return cute.make_composed_layout(cute.make_swizzle(*swizzle), 0, cute.make_layout(shape, stride=(pitch, 1)))


def allocate(memory, kind, layout):
    return memory.allocate_tensor(kind, layout.outer, 1024, swizzle=layout.inner)


def matrix(pointer, m, n):
    return cute.make_tensor(pointer, cute.make_layout((m, n), stride=(n, 1)))


# ---- Accesses of threads -------------------------------------------------------------------


@cute.kernel
def transpose(source: cute.Tensor, target: cute.Tensor, size: cutlass.Constexpr, pitch: cutlass.Constexpr, swizzle: cutlass.Constexpr):
    thread, _, _ = cute.arch.thread_idx()
    bx, by, _ = cute.arch.block_idx()
    tile = allocate(SmemAllocator(), source.element_type, rows((size, size), pitch, swizzle))
    x, y, step = thread % size, thread // size, THREADS // size
    for i in cutlass.range_constexpr(0, size, step):
        tile[y + i, x] = source[by * size + y + i, bx * size + x]
    cute.arch.sync_threads()
    for i in cutlass.range_constexpr(0, size, step):
        target[bx * size + y + i, by * size + x] = tile[x, y + i]


@cute.jit
def launch_transpose(source: cute.Pointer, target: cute.Pointer, size: cutlass.Constexpr, pitch: cutlass.Constexpr, swizzle: cutlass.Constexpr):
    tiles = (128 // size, 128 // size, 1)
    transpose(matrix(source, 128, 128), matrix(target, 128, 128), size, pitch, swizzle).launch(grid=tiles, block=(THREADS, 1, 1))


@cute.kernel
def turn(source: cute.Tensor, target: cute.Tensor, wide: cutlass.Constexpr, pitch: cutlass.Constexpr, swizzle: cutlass.Constexpr):
    """Rows by vectors into a tile, columns of vectors out of it."""
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    tile = allocate(SmemAllocator(), source.element_type, rows((64, 64), pitch, swizzle))
    across = 64 // wide
    for i in cutlass.range_constexpr(0, 64 * across, THREADS):
        at = thread + i
        cute.autovec_copy(cute.local_tile(source, (1, wide), (block * 64 + at // across, at % across)),
                          cute.local_tile(tile, (1, wide), (at // across, at % across)))
    cute.arch.sync_threads()
    for i in cutlass.range_constexpr(0, 64 * across, THREADS):
        at = thread + i
        cute.autovec_copy(cute.local_tile(tile, (1, wide), (at % 64, at // 64)),
                          cute.local_tile(target, (1, wide), (block * 64 + at % 64, at // 64)))


@cute.jit
def launch_turn(source: cute.Pointer, target: cute.Pointer, wide: cutlass.Constexpr, pitch: cutlass.Constexpr, swizzle: cutlass.Constexpr):
    turn(matrix(source, 256, 64), matrix(target, 256, 64), wide, pitch, swizzle).launch(grid=(4, 1, 1), block=(THREADS, 1, 1))


@cute.kernel
def reduce(source: cute.Tensor, target: cute.Tensor, is_sequential: cutlass.Constexpr):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    sums = SmemAllocator().allocate_tensor(F32, cute.make_layout(THREADS))
    sums[thread] = source[block, thread]
    cute.arch.sync_threads()
    for i in cutlass.range_constexpr(8):
        step = THREADS >> (i + 1) if is_sequential else 1 << i
        at = thread if is_sequential else 2 * step * thread
        if thread < THREADS >> (i + 1):
            sums[at] = sums[at] + sums[at + step]
        cute.arch.sync_threads()
    if thread == 0:
        target[block] = sums[0]


@cute.jit
def launch_reduce(source: cute.Pointer, target: cute.Pointer, is_sequential: cutlass.Constexpr):
    reduce(matrix(source, 32, THREADS), cute.make_tensor(target, cute.make_layout(32)), is_sequential).launch(grid=(32, 1, 1), block=(THREADS, 1, 1))


@cute.kernel
def softmax(source: cute.Tensor, target: cute.Tensor, width: cutlass.Constexpr):
    """A block of one warp for each row, which is kept in shared memory."""
    lane, _, _ = cute.arch.thread_idx()
    row, _, _ = cute.arch.block_idx()
    powers = SmemAllocator().allocate_tensor(F32, cute.make_layout(width))
    highest = -F32.inf
    for i in cutlass.range_constexpr(0, width, 32):
        highest = cute.arch.fmax(highest, source[row, i + lane])
    highest = cute.arch.warp_reduction(highest, cute.arch.fmax)
    total = F32(0)
    for i in cutlass.range_constexpr(0, width, 32):
        powers[i + lane] = cute.math.exp(source[row, i + lane] - highest)
        total += powers[i + lane]
    total = cute.arch.warp_reduction(total, lambda x, y: x + y)
    for i in cutlass.range_constexpr(0, width, 32):
        target[row, i + lane] = powers[i + lane] / total


@cute.jit
def launch_softmax(source: cute.Pointer, target: cute.Pointer, width: cutlass.Constexpr):
    softmax(matrix(source, 32, width), matrix(target, 32, width), width).launch(grid=(32, 1, 1), block=(32, 1, 1))


@cute.kernel
def histogram(source: cute.Tensor, target: cute.Tensor, bins: cutlass.Constexpr):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    counts = SmemAllocator().allocate_tensor(I32, cute.make_layout(bins))
    if thread < bins:
        counts[thread] = 0
    cute.arch.sync_threads()
    for i in cutlass.range_constexpr(0, 1024, THREADS):
        cute.arch.atomic_add(counts.iterator + source[block, thread + i], I32(1))
    cute.arch.sync_threads()
    if thread < bins:
        target[block, thread] = counts[thread]


@cute.jit
def launch_histogram(source: cute.Pointer, target: cute.Pointer, bins: cutlass.Constexpr):
    histogram(matrix(source, 8, 1024), matrix(target, 8, bins), bins).launch(grid=(8, 1, 1), block=(THREADS, 1, 1))


@cute.kernel
def matmul(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, n: cutlass.Constexpr, size: cutlass.Constexpr, pitch: cutlass.Constexpr, is_turned: cutlass.Constexpr):
    """Where it is turned, b's tile is stored by columns."""
    x, y, _ = cute.arch.thread_idx()
    bx, by, _ = cute.arch.block_idx()
    memory = SmemAllocator()
    left, right = (allocate(memory, F32, rows((size, size), pitch)) for _ in range(2))
    total = F32(0)
    for k in cutlass.range(0, n, size, unroll=1):
        left[y, x] = a[by * size + y, k + x]
        if cutlass.const_expr(is_turned):
            right[x, y] = b[k + y, bx * size + x]
        else:
            right[y, x] = b[k + y, bx * size + x]
        cute.arch.sync_threads()
        for i in cutlass.range_constexpr(size):
            if cutlass.const_expr(is_turned):
                total += left[y, i] * right[x, i]
            else:
                total += left[y, i] * right[i, x]
        cute.arch.sync_threads()
    c[by * size + y, bx * size + x] = total


@cute.jit
def launch_matmul(a: cute.Pointer, b: cute.Pointer, c: cute.Pointer, size: cutlass.Constexpr, pitch: cutlass.Constexpr, is_turned: cutlass.Constexpr):
    matmul(matrix(a, 128, 128), matrix(b, 128, 128), matrix(c, 128, 128), 128, size, pitch, is_turned).launch(
        grid=(128 // size, 128 // size, 1), block=(size, size, 1))


# ---- Copies and matrices of warps -----------------------------------------------------------


@cute.kernel
def multiply(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, inner: cutlass.Constexpr, pitch: cutlass.Constexpr, swizzle: cutlass.Constexpr, is_async: cutlass.Constexpr):
    """Rows of a by rows of b: tiles of 64 x `inner` halves, read by ldmatrix of four warps."""
    thread, _, _ = cute.arch.thread_idx()
    bx, by, _ = cute.arch.block_idx()
    memory = SmemAllocator()
    left, right = (allocate(memory, F16, rows((64, inner), pitch, swizzle)) for _ in range(2))
    operation = cpasync.CopyG2SOp(cache_mode=LoadCacheMode.GLOBAL) if is_async else cute.nvgpu.CopyUniversalOp()
    across = inner // 8
    fill = cute.make_tiled_copy_tv(cute.make_copy_atom(operation, F16, num_bits_per_copy=128),
                                   cute.make_layout((128 // across, across), stride=(across, 1)), cute.make_layout((1, 8)))
    mine = fill.get_slice(thread)
    given_a, to_left = mine.partition_S(cute.local_tile(a, (64, inner), (by, None))), mine.partition_D(left)
    given_b, to_right = mine.partition_S(cute.local_tile(b, (64, inner), (bx, None))), mine.partition_D(right)
    mma = cute.make_tiled_mma(warp.MmaF16BF16Op(F16, F32, (16, 8, 16)), cute.make_layout((2, 2, 1)), permutation_mnk=(32, 32, 16))
    part = mma.get_slice(thread)
    factors_a, factors_b = mma.make_fragment_A(part.partition_A(left)), mma.make_fragment_B(part.partition_B(right))
    results = part.partition_C(cute.local_tile(c, (64, 64), (by, bx)))
    total = cute.make_rmem_tensor(results.shape, F32)
    total.fill(0.0)
    matrices = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 4), F16)
    read_a, read_b = cute.make_tiled_copy_A(matrices, mma), cute.make_tiled_copy_B(matrices, mma)
    from_left, into_a = read_a.get_slice(thread).partition_S(left), read_a.get_slice(thread).retile(factors_a)
    from_right, into_b = read_b.get_slice(thread).partition_S(right), read_b.get_slice(thread).retile(factors_b)
    for k in cutlass.range(cute.size(given_a, mode=[3]), unroll=1):
        cute.copy(fill, given_a[(None, None, None, k)], to_left)
        cute.copy(fill, given_b[(None, None, None, k)], to_right)
        cute.arch.cp_async_commit_group()
        cute.arch.cp_async_wait_group(0)
        cute.arch.sync_threads()
        for i in cutlass.range_constexpr(cute.size(factors_a, mode=[2])):
            cute.copy(read_a, from_left[(None, None, i)], into_a[(None, None, i)])
            cute.copy(read_b, from_right[(None, None, i)], into_b[(None, None, i)])
            cute.gemm(mma, total, factors_a[(None, None, i)], factors_b[(None, None, i)], total)
        cute.arch.sync_threads()
    cute.autovec_copy(total, results)


@cute.jit
def launch_multiply(a: cute.Pointer, b: cute.Pointer, c: cute.Pointer, inner: cutlass.Constexpr, pitch: cutlass.Constexpr, swizzle: cutlass.Constexpr,
                    is_async: cutlass.Constexpr):
    multiply(matrix(a, 128, 256), matrix(b, 128, 256), matrix(c, 128, 128), inner, pitch, swizzle, is_async).launch(grid=(2, 2, 1), block=(128, 1, 1))


# ---- TMA and wgmma --------------------------------------------------------------------------


def first_warp():
    return cute.arch.make_warp_uniform(cute.arch.warp_idx()) == 0


def part_of(load, tile, source):
    return cpasync.tma_partition(load, 0, cute.make_layout(1), cute.group_modes(tile, 0, 2), cute.group_modes(source, 0, 2))


@cute.jit
def start_barrier(barrier: cute.Pointer):
    if first_warp():
        with cute.arch.elect_one():
            cute.arch.mbarrier_init(barrier, 1)
        cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()


@cute.kernel
def transpose_described(load: cute.CopyAtom, source: cute.Tensor, target: cute.Tensor, width: cutlass.Constexpr, swizzle: cutlass.Constexpr):
    thread, _, _ = cute.arch.thread_idx()
    bx, by, _ = cute.arch.block_idx()
    memory = SmemAllocator()
    tile = allocate(memory, target.element_type, rows((32, width), width, swizzle))
    arrived = memory.allocate_array(cutlass.Int64, 1)
    to, given = part_of(load, tile, cute.local_tile(source, (32, width), (by, bx)))
    start_barrier(arrived)
    if first_warp():
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive_and_expect_tx(arrived, 32 * width * target.element_type.width // 8)
        cute.copy(load, given, to, tma_bar_ptr=arrived)
    cute.arch.mbarrier_wait(arrived, 0)
    for i in cutlass.range_constexpr(0, width, THREADS // 32):
        target[bx * width + thread // 32 + i, by * 32 + thread % 32] = tile[thread % 32, thread // 32 + i]


@cute.jit
def launch_transpose_described(source: cute.Pointer, target: cute.Pointer, width: cutlass.Constexpr, swizzle: cutlass.Constexpr):
    load, tensor = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), matrix(source, 128, 128), rows((32, width), width, swizzle), (32, width))
    transpose_described(load, tensor, matrix(target, 128, 128), width, swizzle).launch(grid=(128 // width, 4, 1), block=(THREADS, 1, 1))


def factor(size, inner, kind):
    atom = warpgroup.make_smem_layout_atom(getattr(warpgroup.SmemLayoutAtomKind, kind), F16)
    return cute.tile_to_shape(atom, (size, inner), order=(0, 1))


@cute.kernel
def multiply_described(load_a: cute.CopyAtom, a: cute.Tensor, load_b: cute.CopyAtom, b: cute.Tensor, c: cute.Tensor, mma: cute.TiledMma, n: cutlass.Constexpr,
                       inner: cutlass.Constexpr, kind: cutlass.Constexpr, pitch: cutlass.Constexpr):
    """Rows of a by rows of b. The results go through shared memory by stmatrix, unless the pitch is 0."""
    thread, _, _ = cute.arch.thread_idx()
    bx, by, _ = cute.arch.block_idx()
    memory = SmemAllocator()
    left, right = allocate(memory, F16, factor(64, inner, kind)), allocate(memory, F16, factor(n, inner, kind))
    arrived = memory.allocate_array(cutlass.Int64, 1)
    to_left, given_a = part_of(load_a, left, cute.local_tile(a, (64, inner), (by, None)))
    to_right, given_b = part_of(load_b, right, cute.local_tile(b, (n, inner), (bx, None)))
    start_barrier(arrived)
    whole = mma.get_slice(0)
    factors_a, factors_b = mma.make_fragment_A(whole.partition_A(left)), mma.make_fragment_B(whole.partition_B(right))
    place = cute.local_tile(c, (64, n), (by, bx))
    results = mma.get_slice(thread).partition_C(place)
    total = cute.make_rmem_tensor(results.shape, F32)
    total.fill(0.0)
    mma.set(warpgroup.Field.ACCUMULATE, True)
    for k in cutlass.range(cute.size(given_a, mode=[1]), unroll=1):
        if first_warp():
            with cute.arch.elect_one():
                cute.arch.mbarrier_arrive_and_expect_tx(arrived, (64 + n) * inner * 2)
            cute.copy(load_a, given_a[(None, k)], to_left, tma_bar_ptr=arrived)
            cute.copy(load_b, given_b[(None, k)], to_right, tma_bar_ptr=arrived)
        cute.arch.mbarrier_wait(arrived, k % 2)
        warpgroup.fence()
        for i in cutlass.range(cute.size(factors_a, mode=[2]), unroll_full=True):
            cute.gemm(mma, total, factors_a[(None, None, i)], factors_b[(None, None, i)], total)
        warpgroup.commit_group()
        warpgroup.wait_group(0)
        cute.arch.sync_threads()
    halves = cute.make_rmem_tensor_like(total, F16)
    halves.store(total.load().to(F16))
    if cutlass.const_expr(pitch == 0):
        cute.autovec_copy(halves, results)
    else:
        tile = allocate(memory, F16, rows((64, n), pitch))
        write = cute.make_tiled_copy_C(cute.make_copy_atom(warp.StMatrix8x8x16bOp(False, 4), F16), mma)
        cute.copy(write, write.get_slice(thread).retile(halves), write.get_slice(thread).partition_D(tile))
        cute.arch.sync_threads()
        across = n // 8
        for i in cutlass.range_constexpr(0, 64 * across, 128):
            at = thread + i
            cute.autovec_copy(cute.local_tile(tile, (1, 8), (at // across, at % across)), cute.local_tile(place, (1, 8), (at // across, at % across)))


@cute.jit
def launch_multiply_described(a: cute.Pointer, b: cute.Pointer, c: cute.Pointer, n: cutlass.Constexpr, inner: cutlass.Constexpr, kind: cutlass.Constexpr,
                              pitch: cutlass.Constexpr):
    by_rows = OperandMajorMode.K
    mma = cute.make_tiled_mma(warpgroup.MmaF16BF16Op(F16, F32, (64, n, 16), warpgroup.OperandSource.SMEM, by_rows, by_rows))
    load = cpasync.CopyBulkTensorTileG2SOp()
    load_a, tensor_a = cpasync.make_tiled_tma_atom(load, matrix(a, 128, 256), factor(64, inner, kind), (64, inner))
    load_b, tensor_b = cpasync.make_tiled_tma_atom(load, matrix(b, 128, 256), factor(n, inner, kind), (n, inner))
    multiply_described(load_a, tensor_a, load_b, tensor_b, matrix(c, 128, 128), mma, n, inner, kind, pitch).launch(grid=(128 // n, 2, 1), block=(128, 1, 1))


# ---- What is launched -----------------------------------------------------------------------

NONE = (0, 4, 3)


def kernels():
    """(name, function that launches, constants, buffers as type, count and what they hold)."""
    def buffers(kind, *counts, last=None):
        return [(kind, count, "numbers") for count in counts[:-1]] + [(last or kind, counts[-1], "zeros")]

    squares = 128 * 128
    for kind, size, pitch, swizzle in (("fp32", 32, 32, NONE), ("fp32", 32, 33, NONE), ("fp32", 32, 32, (5, 2, 5)), ("fp32", 16, 16, NONE), ("fp32", 16, 17, NONE),
                                       ("fp16", 32, 32, NONE), ("fp16", 32, 33, NONE), ("fp16", 32, 34, NONE), ("fp16", 64, 64, NONE), ("fp16", 64, 66, NONE)):
        yield f"transpose_{kind}_{size}_{pitch}" + "_swizzled" * (swizzle != NONE), launch_transpose, [size, pitch, swizzle], buffers(kind, squares, squares)
    for kind, wide, pitch, swizzle in (("fp32", 4, 64, NONE), ("fp32", 4, 68, NONE), ("fp32", 4, 64, (3, 4, 4)), ("fp32", 2, 64, NONE), ("fp32", 2, 66, NONE),
                                       ("fp16", 8, 64, NONE), ("fp16", 8, 72, NONE), ("fp16", 8, 64, (3, 4, 3))):
        yield f"turn_{kind}_{wide}_{pitch}" + "_swizzled" * (swizzle != NONE), launch_turn, [wide, pitch, swizzle], buffers(kind, squares, squares)
    for is_sequential in (False, True):
        yield f"reduce_{'sequential' if is_sequential else 'interleaved'}", launch_reduce, [is_sequential], buffers("fp32", 32 * THREADS, 32)
    yield "softmax_512", launch_softmax, [512], buffers("fp32", 32 * 512, 32 * 512)
    for bins in (32, 256):
        yield f"histogram_{bins}", launch_histogram, [bins], [("i32", 8192, f"below{bins}"), ("i32", 8 * bins, "zeros")]
    for size, pitch, is_turned in ((32, 32, False), (32, 32, True), (32, 33, True), (16, 16, False), (16, 16, True), (16, 17, True)):
        yield f"matmul_{size}_{pitch}" + "_turned" * is_turned, launch_matmul, [size, pitch, is_turned], buffers("fp32", squares, squares, squares)
    for inner, pitch, swizzle, is_async in ((32, 32, NONE, True), (32, 40, NONE, True), (32, 32, (2, 4, 3), True), (64, 64, NONE, True), (64, 72, NONE, True),
                                            (64, 64, (3, 4, 3), True), (64, 64, NONE, False), (64, 72, NONE, False), (64, 64, (3, 4, 3), False)):
        name = f"multiply_{inner}_{pitch}" + "_swizzled" * (swizzle != NONE) + "_async" * is_async
        yield name, launch_multiply, [inner, pitch, swizzle, is_async], buffers("fp16", 2 * squares, 2 * squares, squares, last="fp32")
    for kind, width, swizzle in (("fp32", 32, NONE), ("fp32", 32, (3, 4, 3)), ("fp16", 64, NONE), ("fp16", 64, (3, 4, 3)), ("fp16", 32, NONE), ("fp16", 32, (2, 4, 3))):
        yield f"transpose_described_{kind}_{width}" + "_swizzled" * (swizzle != NONE), launch_transpose_described, [width, swizzle], buffers(kind, squares, squares)
    for n, inner, kind, pitch in ((64, 64, "K_SW128", 0), (64, 32, "K_SW64", 0), (128, 64, "K_SW128", 0), (64, 64, "K_SW128", 64), (64, 64, "K_SW128", 72),
                                  (128, 64, "K_SW128", 136)):
        yield f"multiply_described_{n}_{inner}_{pitch}", launch_multiply_described, [n, inner, kind, pitch], buffers("fp16", 2 * squares, 2 * squares, squares)


KINDS = {"fp32": F32, "fp16": F16, "i32": I32}


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    lines, table = [], []
    for name, function, constants, buffers in kernels():
        pointers = [make_ptr(KINDS[kind], 4096, cute.AddressSpace.gmem, assumed_align=128) for kind, _, _ in buffers]
        made = cute.compile(function, *pointers, *constants)
        made.export_to_c(file_path=str(folder), file_name=name, function_prefix=name)
        takes = ", ".join(f"b[{i}]" for i in range(len(buffers)))
        lines += [f'#include "{name}.h"',
                  f"static int run_{name}(void **b) {{ {name}_Kernel_Module_t m; {name}_Kernel_Module_Load(&m); return cute_dsl_{name}_wrapper(&m, {takes}); }}"]
        table.append(f'    {{"{name}", run_{name}, {len(buffers)}, {{' + ", ".join(f'{{"{k}", {n}, "{f}"}}' for k, n, f in buffers) + "}},")
        print(name, flush=True)
    lines += ["static const struct launch launches[] = {", *table, "};"]
    (folder / "table.h").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
