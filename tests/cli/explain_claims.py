"""What lectures, answers and old guides say about bank conflicts, each shown to be true or false.

Prints a line for each claim, with what it really comes to; fails when that is another than what is
written here.
"""

import csv
import io
import os
import subprocess
import sys

BANKRUN = os.environ.get("BANKRUN", "build/bankrun")
FAILURES = []

# Microseconds of the gallery's programs on an H200 (--time, the median of three runs), without and
# with a padding column.
TRANSPOSE_US = (127.2, 73.5)
SCAN_US = (48.9, 38.1)


def explain(expression, shared, *options):
    """The requests of an expression, worst first, as rows of the CSV form; all numbers."""
    command = [BANKRUN, "explain", expression, "--shared", shared, "--format", "csv", *options]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    if process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: {process.stderr}")
    rows = list(csv.DictReader(io.StringIO(process.stdout)))
    for row in rows:
        for name in ("wavefronts", "ideal", "degree", "phases"):
            row[name] = int(row[name])
        row["outside"] = int(row["outside"], 16)
    return sorted(rows, key=lambda row: -row["wavefronts"])


def claim(text, is_true, finding, holds):
    print(f"{'true ' if is_true else 'false'}  {text}\n       {finding}")
    if not holds:
        FAILURES.append(text)


def pictures():
    """Claims about single expressions on today's devices."""
    diagonal = explain("sdata[tid][tid]", "float sdata[32][32]")[0]
    claim("sdata[tid][tid] of float[32][32] conflicts", False,
          f"stride 33: {diagonal['wavefronts']} wavefront", diagonal["wavefronts"] == 1)
    column = explain("matrix[tid][0]", "float matrix[32][32]")[0]
    claim("matrix[tid][0] of float[32][32] is free", False, f"{column['degree']}-way",
          column["degree"] == 32)
    padded = explain("matrix[tid][0]", "float matrix[32][33]")[0]
    claim("one column of padding makes it free", True, f"{padded['wavefronts']} wavefront",
          padded["wavefronts"] == 1)
    outside = explain("sdata[tid * 32]", "float sdata[128]")[0]
    claim("sdata[tid * 32] on float[128] is 4-way", False,
          f"{outside['degree']}-way, and lanes 4-31 are out of bounds",
          outside["degree"] == 32 and outside["outside"] == 0xfffffff0)
    inside = explain("sdata[tid * 32]", "float sdata[128]", "--if", "tid < 4")[0]
    claim("    (the four lanes that stay inside)", True, f"{inside['degree']}-way",
          inside["degree"] == 4)


def wide_types():
    """`float4 sdata[8]` is said to change the bank mapping. It changes the phases alone."""
    whole = explain("sdata[tid % 8]", "float4 sdata[8]")[0]
    member = explain("sdata[tid % 8].x", "float4 sdata[8]")[0]
    plain = explain("sdata[4 * (tid % 8)]", "float sdata[32]")[0]
    claim("float4 sdata[8] changes the bank mapping", False,
          "its members lie in the banks of a float[32]: "
          f".x takes {member['wavefronts']} wavefront, as float s[4 * i] does",
          member["wavefronts"] == plain["wavefronts"] == 1)
    claim("a 16-byte access goes by quarters of a warp", True,
          f"{whole['wavefronts']} wavefronts for 4 quarters, none of them a conflict",
          whole["wavefronts"] == whole["ideal"])
    stride = explain("sdata[tid].x", "float4 sdata[32]")[0]
    claim("    (and .x of float4 sdata[32] conflicts)", True, f"{stride['degree']}-way",
          stride["degree"] == 4)


def scan():
    """2D scan of 64-bit sums in 32x32 tiles: the column pass, without and with a padding column."""
    tight = explain("sums[tid][k]", "unsigned long long sums[32][32]", "--let", "k=0")[0]
    padded = explain("sums[tid][k]", "unsigned long long sums[32][33]", "--let", "k=0")[0]
    claim("the column pass of a 32x32 scan of 64-bit sums conflicts", True,
          f"{tight['wavefronts']} wavefronts, {tight['ideal']} would do",
          tight["wavefronts"] == 32 and tight["ideal"] == 2)
    claim("one padding column removes its conflicts", True, f"{padded['wavefronts']} wavefronts",
          padded["wavefronts"] == padded["ideal"] == 2)
    gain = SCAN_US[0] / SCAN_US[1]
    claim("the scan gets 1.4 times as fast by it", False,
          f"on an H200 {gain:.2f} times, with 16 times fewer wavefronts in that pass",
          1.2 < gain < 1.35 and tight["wavefronts"] // padded["wavefronts"] == 16)


def transposes():
    """The 4000 x 4000 transpose: what padding saves, and one that does not transpose."""
    column, row = (explain(e, "float tile[32][32]", "--block", "32x32")[0]
                   for e in ("tile[threadIdx.x][threadIdx.y]", "tile[threadIdx.y][threadIdx.x]"))
    padded = explain("tile[threadIdx.x][threadIdx.y]", "float tile[32][33]", "--block", "32x32")[0]
    before, after = (row["wavefronts"] + each["wavefronts"] for each in (column, padded))
    gain = TRANSPOSE_US[0] / TRANSPOSE_US[1]
    claim("[32][33] makes the 4000 x 4000 transpose 5 to 15 % faster", False,
          f"on an H200 it is {gain:.2f} times as fast; wavefronts a warp: {before} to {after}",
          (before, after) == (33, 2) and gain > 1.15)
    # tile[ty][tx] = in[y][x]; out[x][y] = tile[tx][ty]: both sides swapped, nothing moves in a tile.
    size = 64
    source = [[y * size + x for x in range(size)] for y in range(size)]
    out = [[None] * size for _ in range(size)]
    for by in range(0, size, 32):
        for bx in range(0, size, 32):
            tile = [[source[by + ty][bx + tx] for tx in range(32)] for ty in range(32)]
            for ty in range(32):
                for tx in range(32):
                    out[bx + tx][by + ty] = tile[tx][ty]
    right = sum(out[x][y] == source[y][x] for x in range(size) for y in range(size))
    lines = {(tx * size) * 4 // 32 for tx in range(32)}
    claim("out[x * width + y] = tile[threadIdx.x][threadIdx.y] transposes", False,
          f"inside a tile it does not: {right} of {size * size} are right, its diagonals", right == 128)
    claim("    (and its store to global memory is coalesced)", False,
          f"{len(lines)} sectors a request, 4 would do", len(lines) == 32)


def slower():
    """"Conflicts of degree N run N times slower: the access does, its kernel does not."""
    degrees = [explain("s[tid * k]", "int s[1024]", "--let", f"k={k}")[0] for k in (1, 2, 4, 8, 16, 32)]
    claim("a 32-bit access of degree N takes N times the wavefronts", True,
          ", ".join(f"{d['degree']}: {d['wavefronts']}" for d in degrees),
          all(d["degree"] == d["wavefronts"] for d in degrees))
    load = explain("*(float4*)&s[8 * tid]", "float s[1024]")[0]
    claim("    (and a 16-byte one N times its ideal)", True,
          f"degree {load['degree']}: {load['wavefronts']} wavefronts, ideal {load['ideal']}",
          (load["degree"], load["wavefronts"], load["ideal"]) == (2, 8, 4))
    times = TRANSPOSE_US[0] / TRANSPOSE_US[1]
    claim("a kernel with conflicts of degree N runs N times slower", False,
          f"a transpose of degree 32 takes {times:.2f} times as long: other work goes on meanwhile",
          times < 2)


def first_devices():
    """Compute capability 1.x: half warps of 16 lanes on 16 banks."""
    def half(expression, shared):
        return explain(expression, shared, "--arch", "sm_13", "--if", "tid < 16")[0]
    for expression, shared, degree in (
            ("s[tid]", "char s[32]", 4), ("s[4 * tid]", "char s[128]", 1),
            ("s[tid]", "short s[32]", 2), ("s[2 * tid]", "int s[64]", 2)):
        row = half(expression, shared)
        words = "free" if degree == 1 else f"{degree}-way"
        claim(f"1.x: {expression} of {shared.split()[0]} is {words}", True,
              f"{row['wavefronts']} wavefronts a half warp", row["wavefronts"] == degree)


def second_devices():
    """Compute capability 2.x: 32 banks."""
    rows = {s: explain("s[tid * k]", "int s[4096]", "--let", f"k={s}", "--arch", "sm_20")[0]
            for s in range(1, 65)}
    claim("2.x: int[tid * s] conflicts exactly for even s", True, "s = 1 to 64",
          all((row["wavefronts"] > 1) == (s % 2 == 0) for s, row in rows.items()))
    across = explain("s[tid % 16 + tid / 16 * 32]", "double s[64]", "--arch", "sm_20")[0]
    within = explain("s[tid % 2 * 16 + tid / 2]", "double s[64]", "--arch", "sm_20")[0]
    claim("2.x: 64-bit accesses conflict only within a half warp", True,
          f"the same banks in both halves: {across['wavefronts']} for 2 halves; "
          f"in one half: {within['wavefronts']}",
          across["wavefronts"] == 2 and within["wavefronts"] == 4)
    row = explain("s[tid]", "float4 s[32]", "--arch", "sm_20")[0]
    claim("2.x: 128-bit accesses are normally two-way", True,
          f"{row['min']} to {row['max']} wavefronts: two for each half warp, or one for each "
          "quarter", int(row["max"]) == 4)


def main():
    for part in (pictures, wide_types, scan, transposes, slower, first_devices, second_devices):
        part()
    for failure in FAILURES:
        print(f"not as written: {failure}")
    return 1 if FAILURES else 0


sys.exit(main())
