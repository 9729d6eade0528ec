"""Kernels of Triton, compiled for 9.0 without a GPU, and a list of launches for ptx_launch.c.

    triton_kernels.py FOLDER        writes NAME.ptx, NAME.cubin and `launches`
"""

import sys
from pathlib import Path

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

TARGET = GPUTarget("cuda", 90, 32)


@triton.jit
def transpose(source, target, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    y = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    x = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    tile = tl.load(source + y[:, None] * n + x[None, :])
    tl.store(target + x[:, None] * n + y[None, :], tl.trans(tile))


@triton.jit
def matmul(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    row = tl.program_id(0) * M + tl.arange(0, M)
    column = tl.program_id(1) * N + tl.arange(0, N)
    inner = tl.arange(0, K)
    left = a + row[:, None] * k + inner[None, :]
    right = b + inner[:, None] * n + column[None, :]
    total = tl.zeros((M, N), dtype=tl.float32)
    for _ in range(0, k, K):
        total = tl.dot(tl.load(left), tl.load(right), total)
        left += K
        right += K * n
    tl.store(c + row[:, None] * n + column[None, :], total)


@triton.jit
def matmul_transposed(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """b is stored by columns."""
    row = tl.program_id(0) * M + tl.arange(0, M)
    column = tl.program_id(1) * N + tl.arange(0, N)
    inner = tl.arange(0, K)
    total = tl.zeros((M, N), dtype=tl.float32)
    for i in range(0, k, K):
        left = tl.load(a + row[:, None] * k + (i + inner)[None, :])
        right = tl.load(b + column[:, None] * k + (i + inner)[None, :])
        total = tl.dot(left, tl.trans(right), total)
    tl.store(c + row[:, None] * n + column[None, :], total.to(tl.float16))


@triton.jit
def matmul_described(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Tensor maps that the kernel makes."""
    left = tl.make_tensor_descriptor(a, shape=[m, k], strides=[k, 1], block_shape=[M, K])
    right = tl.make_tensor_descriptor(b, shape=[k, n], strides=[n, 1], block_shape=[K, N])
    result = tl.make_tensor_descriptor(c, shape=[m, n], strides=[n, 1], block_shape=[M, N])
    row, column = tl.program_id(0) * M, tl.program_id(1) * N
    total = tl.zeros((M, N), dtype=tl.float32)
    for i in range(0, k, K):
        total = tl.dot(left.load([row, i]), right.load([i, column]), total)
    result.store([row, column], total.to(tl.float16))


@triton.jit
def softmax(source, target, n, WIDTH: tl.constexpr):
    at = tl.program_id(0) * n + tl.arange(0, WIDTH)
    is_in_row = tl.arange(0, WIDTH) < n
    row = tl.load(source + at, mask=is_in_row, other=-float("inf"))
    powers = tl.exp(row - tl.max(row, axis=0))
    tl.store(target + at, powers / tl.sum(powers, axis=0), mask=is_in_row)


@triton.jit
def reduce(source, target, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr, AXIS: tl.constexpr):
    y = tl.arange(0, ROWS)
    x = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    sums = tl.sum(tl.load(source + y[:, None] * n + x[None, :]), axis=AXIS)
    if AXIS == 0:
        tl.store(target + x, sums)
    else:
        tl.store(target + tl.program_id(0) * ROWS + y, sums)


@triton.jit
def sort(source, target, WIDTH: tl.constexpr):
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    tl.store(target + at, tl.sort(tl.load(source + at)))


@triton.jit
def scan(source, target, ROWS: tl.constexpr, COLUMNS: tl.constexpr, AXIS: tl.constexpr):
    at = tl.program_id(0) * ROWS * COLUMNS + tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    tl.store(target + at, tl.cumsum(tl.load(source + at), AXIS))


@triton.jit
def layer_norm(source, weight, target, n, WIDTH: tl.constexpr):
    x = tl.arange(0, WIDTH)
    row = tl.load(source + tl.program_id(0) * n + x, mask=x < n, other=0.0)
    mean = tl.sum(row, axis=0) / n
    centered = tl.where(x < n, row - mean, 0.0)
    deviation = tl.sqrt(tl.sum(centered * centered, axis=0) / n + 1e-5)
    tl.store(target + tl.program_id(0) * n + x, centered / deviation * tl.load(weight + x, mask=x < n), mask=x < n)


@triton.jit
def histogram(source, target, WIDTH: tl.constexpr, BINS: tl.constexpr):
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    tl.store(target + tl.program_id(0) * BINS + tl.arange(0, BINS), tl.histogram(tl.load(source + at), BINS))


@triton.jit
def gather(source, index, target, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    tl.store(target + at, tl.gather(tl.load(source + at), tl.load(index + at), 0))


@triton.jit
def attention(q, k, v, o, length, scale, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    row = tl.program_id(0) * M + tl.arange(0, M)
    d = tl.arange(0, D)
    query = tl.load(q + row[:, None] * D + d[None, :])
    most = tl.full([M], -float("inf"), tl.float32)
    weight = tl.zeros([M], tl.float32)
    total = tl.zeros([M, D], tl.float32)
    for i in range(0, length, N):
        at = i + tl.arange(0, N)
        keys = tl.load(k + at[:, None] * D + d[None, :])
        scores = tl.dot(query, tl.trans(keys)) * scale
        now = tl.maximum(most, tl.max(scores, 1))
        p = tl.exp2(scores - now[:, None])
        shrink = tl.exp2(most - now)
        weight = weight * shrink + tl.sum(p, 1)
        values = tl.load(v + at[:, None] * D + d[None, :])
        total = tl.dot(p.to(tl.float16), values, total * shrink[:, None])
        most = now
    tl.store(o + row[:, None] * D + d[None, :], (total / weight[:, None]).to(tl.float16))


SIZES = {"fp32": 4, "fp16": 2, "i32": 4, "bf16": 2, "i8": 1, "fp8e4nv": 1}


def launches():
    """(name, function, arguments, constants, grid, warps, stages); an argument is a buffer or a number."""
    def buffer(kind, count, fill="numbers"):
        return (kind, count, fill)

    for kind in ("fp32", "fp16", "i8"):
        for rows, columns in ((32, 32), (64, 64), (128, 32), (32, 128)):
            n = 256
            yield (f"transpose_{kind}_{rows}x{columns}", transpose,
                   [buffer(kind, n * n), buffer(kind, n * n, "zeros"), n], {"ROWS": rows, "COLUMNS": columns},
                   (n // rows, n // columns), 4, 3)
    for kind in ("fp16", "bf16", "fp32"):
        for m, n, k, warps, stages in ((64, 64, 32, 4, 3), (128, 128, 64, 8, 3), (32, 64, 32, 4, 1), (16, 32, 32, 1, 2),
                                       (128, 64, 32, 4, 4)):
            size = 256
            yield (f"matmul_{kind}_{m}x{n}x{k}_{stages}", matmul,
                   [buffer(kind, size * size), buffer(kind, size * size), buffer("fp32", size * size, "zeros"),
                    size, size, size], {"M": m, "N": n, "K": k}, (size // m, size // n), warps, stages)
    for m, n, k, warps in ((64, 64, 64, 4), (128, 64, 32, 4), (32, 32, 32, 2)):
        size = 256
        yield (f"matmul_transposed_{m}x{n}x{k}", matmul_transposed,
               [buffer("fp16", size * size), buffer("fp16", size * size), buffer("fp16", size * size, "zeros"),
                size, size, size], {"M": m, "N": n, "K": k}, (size // m, size // n), warps, 3)
    for m, n, k, warps in ((64, 64, 64, 4), (128, 128, 64, 8), (64, 128, 32, 4)):
        size = 256
        yield (f"matmul_described_{m}x{n}x{k}", matmul_described,
               [buffer("fp16", size * size), buffer("fp16", size * size), buffer("fp16", size * size, "zeros"),
                size, size, size], {"M": m, "N": n, "K": k}, (size // m, size // n), warps, 3)
    for width, warps in ((256, 1), (1000, 4), (4096, 8), (8192, 16)):
        yield (f"softmax_{width}", softmax, [buffer("fp32", 16 * width), buffer("fp32", 16 * width, "zeros"), width],
               {"WIDTH": triton.next_power_of_2(width)}, (16,), warps, 3)
    for rows, columns, axis, warps in ((64, 64, 0, 4), (64, 64, 1, 4), (256, 32, 0, 8), (16, 1024, 1, 8), (128, 128, 0, 4)):
        yield (f"reduce_{rows}x{columns}_{axis}", reduce,
               [buffer("fp32", rows * 1024), buffer("fp32", 4096, "zeros"), 1024],
               {"ROWS": rows, "COLUMNS": columns, "AXIS": axis}, (1024 // columns,), warps, 3)
    for width, warps in ((128, 1), (256, 4), (1024, 4), (4096, 8)):
        yield (f"sort_{width}", sort, [buffer("i32", 4 * width, "random"), buffer("i32", 4 * width, "zeros")],
               {"WIDTH": width}, (4,), warps, 3)
    for rows, columns, axis, warps in ((1, 1024, 1, 4), (64, 64, 0, 4), (64, 64, 1, 8), (256, 16, 0, 8)):
        yield (f"scan_{rows}x{columns}_{axis}", scan,
               [buffer("fp32", 4 * rows * columns), buffer("fp32", 4 * rows * columns, "zeros")],
               {"ROWS": rows, "COLUMNS": columns, "AXIS": axis}, (4,), warps, 3)
    for width, warps in ((500, 2), (2048, 8)):
        yield (f"layer_norm_{width}", layer_norm,
               [buffer("fp32", 8 * width), buffer("fp32", width), buffer("fp32", 8 * width, "zeros"), width],
               {"WIDTH": triton.next_power_of_2(width)}, (8,), warps, 3)
    for width, bins, warps in ((1024, 64, 4), (2048, 256, 8)):
        yield (f"histogram_{width}_{bins}", histogram,
               [buffer("i32", 4 * width, f"below{bins}"), buffer("i32", 4 * bins, "zeros")],
               {"WIDTH": width, "BINS": bins}, (4,), warps, 3)
    for rows, columns, warps in ((32, 32, 4), (64, 16, 2)):
        yield (f"gather_{rows}x{columns}", gather,
               [buffer("fp32", rows * columns), buffer("i32", rows * columns, f"below{rows}"),
                buffer("fp32", rows * columns, "zeros")], {"ROWS": rows, "COLUMNS": columns}, (1,), warps, 3)
    for m, n, d, warps, stages in ((64, 64, 64, 4, 2), (128, 64, 64, 8, 3), (64, 32, 128, 4, 2), (16, 16, 32, 1, 2)):
        length = 256
        yield (f"attention_{m}x{n}x{d}", attention,
               [buffer("fp16", length * d), buffer("fp16", length * d), buffer("fp16", length * d),
                buffer("fp16", length * d, "zeros"), length, 0.125], {"M": m, "N": n, "D": d}, (length // m,), warps, stages)


def compile_one(name, function, arguments, constants, warps, stages):
    names = function.arg_names
    signature, attributes = {}, {}
    for i, (key, argument) in enumerate(zip(names, arguments)):
        signature[key] = "*" + argument[0] if isinstance(argument, tuple) else "i32" if isinstance(argument, int) else "fp32"
        if isinstance(argument, tuple) or (isinstance(argument, int) and argument % 16 == 0):
            attributes[(i,)] = [["tt.divisibility", 16]]
    signature.update((key, "constexpr") for key in constants)
    source = ASTSource(function, signature, constexprs=constants, attrs=attributes)
    return triton.compile(source, target=TARGET, options={"num_warps": warps, "num_stages": stages})


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for name, function, arguments, constants, grid, warps, stages in launches():
        made = compile_one(name, function, arguments, constants, warps, stages)
        meta = made.metadata
        (folder / f"{name}.ptx").write_text(made.asm["ptx"])
        (folder / f"{name}.cubin").write_bytes(made.asm["cubin"])
        grid = tuple(grid) + (1,) * (3 - len(grid))
        lines.append(f"kernel {name} {meta.name} {grid[0]} {grid[1]} {grid[2]} {32 * meta.num_warps} {meta.shared}")
        for argument in arguments:
            if isinstance(argument, tuple):
                lines.append(f"buffer {argument[0]} {argument[1]} {argument[2]}")
            else:
                lines.append(f"{'int' if isinstance(argument, int) else 'float'} {argument}")
        scratch = meta.global_scratch_size * grid[0] * grid[1] * grid[2]
        lines.append(f"buffer i8 {max(scratch, 128)} scratch")
        lines.append("buffer i8 128 scratch")
    (folder / "launches").write_text("\n".join(lines) + "\n")


main()
