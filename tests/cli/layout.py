"""bankrun layout: what it finds is what bankrun explain counts of the text that it says to paste."""

import csv
import io
import json
import os
import random
import re
import subprocess
import sys

BANKRUN = os.environ.get("BANKRUN", "build/bankrun")
problems = []


def run(*words):
    return subprocess.run([BANKRUN, *words], capture_output=True, text=True, check=False)


def layouts(*words):
    process = run("layout", *words, "--format", "json")
    if process.returncode != 0:
        raise SystemExit(f"layout {' '.join(words)}: {process.stderr}")
    answer = json.loads(process.stdout)
    if answer["schema"] != "bankrun-layout/1":
        problems.append(f"schema {answer['schema']}")
    return answer["results"][0]["layouts"]


def explained(expression, shared, *words):
    """Wavefronts of all warps of the block."""
    process = run("explain", expression, "--shared", shared, "--format", "csv", *words)
    if process.returncode != 0:
        raise SystemExit(f"explain {expression} of {shared}: {process.stderr}")
    return sum(int(row["warps"]) * int(row["wavefronts"])
               for row in csv.DictReader(io.StringIO(process.stdout)))


def expect(is_so, text):
    if not is_so:
        problems.append(text)


# ---- What is found -----------------------------------------------------------------------------

# Accesses and options; the kinds of layouts that are found and their wavefronts, as it is first.
FOUND = [
    (["--store", "tile[ty][tx]", "--load", "tile[tx][ty]", "--shared", "float tile[32][32]",
      "--block", "32x32"],
     [("as_is", 1056), ("pad", 64, "float tile[32][33]"), ("swizzle", 64, "Swizzle<5, 0, 5>")]),
    # 16 bytes a lane: a pad of one word is no pad.
    (["t[tx][ty]", "t[ty][tx]", "--shared", "float4 t[8][8]", "--block", "8x8"],
     [("as_is", 72), ("pad", 16, "float4 t[8][9]"), ("swizzle", 16, "Swizzle<3, 0, 3>")]),
    # Rows of half precision for ldmatrix: eight of them without a conflict.
    (["--access", "ldmatrix.x4", "a[laneid % 16][8 * (laneid / 16)]", "--shared", "half a[16][64]"],
     [("as_is", 32), ("pad", 4, "half a[16][72]"), ("swizzle", 4, "Swizzle<3, 3, 3>")]),
    # Rows of 16: the swizzle that is free of conflicts shifts by two elements; padding by one is
    # the third best, since it takes fewer bytes.
    (["--load", "t[tx % 16][2 * ty + tx / 16]", "--store", "t[ty][tx]", "--shared",
      "float t[16][32]", "--block", "32x16"],
     [("as_is", 272), ("pad", 32, "float t[16][34]"), ("swizzle", 32, "Swizzle<4, 1, 4>"),
      ("pad", 48, "float t[16][33]")]),
    # No rows: the index is padded.
    (["s[2*tid]", "s[2*tid+1]", "--shared", "float s[512]", "--block", "256"],
     [("as_is", 32), ("pad", 16, "float s[528]"), ("swizzle", 16, "Swizzle<1, 0, 5>")]),
    # A loop counts with all its rounds.
    (["t[tid][k]", "--let", "k=0..7", "--shared", "float t[32][8]"],
     [("as_is", 64), ("pad", 8, "float t[32][9]"), ("swizzle", 8, "Swizzle<3, 0, 5>")]),
    # Nothing to cure, and nothing that a layout cures.
    (["s[tid]", "--shared", "float s[32]"], [("as_is", 1)]),
    (["s[0]", "--atomic", "--shared", "int s[32]"], [("as_is", 32)]),
    (["p[tid].y", "--shared", "struct P {float x, y, z, w;} p[32]"], [("as_is", 4)]),
    # An array without a size, and one of bytes.
    (["s[32 * tid]", "--shared", "extern float s[]"],
     [("as_is", 32), ("pad", 1, "float s[]"), ("swizzle", 1, "Swizzle<5, 0, 5>"), ("pad", 2),
      ("pad", 4), ("pad", 8), ("pad", 16)]),
    (["c[tx][ty]", "--shared", "unsigned char c[32][128]", "--block", "32x4"],
     [("as_is", 128), ("pad", 4, "unsigned char c[32][132]"), ("swizzle", 4, "Swizzle<5, 2, 5>"),
      ("pad", 8, "unsigned char c[32][130]"), ("pad", 16, "unsigned char c[32][129]")]),
]


def check_found():
    for words, wanted in FOUND:
        found = layouts(*words)
        name = " ".join(words)
        expect(len(found) == len(wanted), f"{name}: {len(found)} layouts instead of {len(wanted)}")
        for layout, (kind, wavefronts, *text) in zip(found, wanted):
            expect(layout["kind"] == kind and layout["wavefronts"] == wavefronts,
                   f"{name}: {layout['kind']} takes {layout['wavefronts']}, not {kind} {wavefronts}")
            said = layout["swizzle"] if kind == "swizzle" else layout["declaration"]
            expect(not text or said == text[0], f"{name}: '{said}' instead of {text}")


# ---- What is said is what was counted -----------------------------------------------------------

def replaced(index, **names):
    return re.sub(r"\b[ixy]\b", lambda match: f"({names[match.group()]})", index)


def check_texts(seed):
    """Random accesses of two dimensions and of one: the pasted text counts as it was said to."""
    chance = random.Random(seed)
    element = chance.choice(["float", "double", "float4", "short"])
    rows, columns = chance.choice([8, 16, 32]), chance.choice([8, 16, 32, 64, 24])
    block = chance.choice(["32", "32x4", "16x16", "8x8", "64x2"])
    y = f"(threadIdx.x * {chance.choice([0, 1, 1, 2, 3])} + threadIdx.y) % {rows}"
    x = (f"(threadIdx.x / {chance.choice([1, 4, 8])} + threadIdx.y * {chance.choice([0, 1, 3])}) "
         f"% {columns}")
    kind = chance.choice(["--load", "--store"])
    if chance.randrange(3) == 0:
        shared, names = f"{element} s[{rows * columns}]", {"i": f"({y}) * {columns} + {x}"}
        expression = f"s[{names['i']}]"
    else:
        shared, names = f"{element} s[{rows}][{columns}]", {"y": y, "x": x}
        names["i"] = f"({y}) * {columns} + {x}"
        expression = f"s[{y}][{x}]"
    for layout in layouts(kind, expression, "--shared", shared, "--block", block):
        index = layout.get("index")
        if index and index.startswith("(("):  # a cast of the whole array
            flat = replaced(index[index.index("[") + 1:-1], **names)
            text, declared = f"*(({element} *)s + ({flat}))", shared
        else:
            text = replaced(index, **names) if index else expression
            declared = layout["declaration"]
        counted = explained(text, declared, kind, "--block", block)
        expect(counted == layout["wavefronts"],
               f"seed {seed}: {text} of {declared} takes {counted}, not {layout['wavefronts']}")


# ---- What is refused ----------------------------------------------------------------------------

REFUSED = [
    ([], "which accesses\\?"),
    (["s[tid]"], "which array\\?"),
    (["s[tid]", "--shared", "float s[16]"], "lane 16 accesses byte 64 of s, which has 64"),
    (["a[tid]", "b[tid]", "--shared", "float a[32]; float b[32]"], "one array at a time"),
    (["s[tid][k]", "--let", "k=0..1", "--shared", "float s[32][32+k]"], "sweep changes the array"),
    (["--store", "s[tid]", "s[0]", "--atomic", "--shared", "int s[32]"], "holds for none"),
    (["--access", "ldmatrix.x3", "s[0]", "--shared", "half s[64]"], "ldmatrix.x3"),
    (["--access", "ldmatrix.x4", "--if", "tid < 16", "s[8 * tid]", "--shared", "half s[256]"],
     "--if leaves some of them out"),
    (["--if", "tid > 64", "s[tid]", "--shared", "float s[32]"], "no lane of the block takes part"),
    (["s[tid", "--shared", "float s[32]"], "expected '\\]'"),
    (["s[tid]", "--shared", "float s[32]", "--arch", "sm_1"], "no (such )?(architecture|model)"),
    (["s[tid]", "--shared", "float s[32]", "--bank-mode", "8"], "only 3.x has it"),
]


def check_refused():
    for words, message in REFUSED:
        process = run("layout", *words)
        expect(process.returncode == 2, f"{words}: status {process.returncode}")
        expect(re.search(message, process.stderr), f"{words}: {process.stderr}")
        expect(not process.stdout, f"{words}: prints {process.stdout}")
    process = run("layout", "*(float4 *)&s[2 * tid]", "--shared", "float s[128]")
    expect(process.returncode == 1 and "cannot be accessed so" in process.stderr,
           f"misaligned: {process.returncode} {process.stderr}")


def check_formats():
    words = ["tile[tx][ty]", "--shared", "float tile[32][32]", "--block", "32x32"]
    rows = list(csv.DictReader(io.StringIO(run("layout", *words, "--format", "csv").stdout)))
    expect([row["kind"] for row in rows] == ["as_is", "pad", "swizzle"], f"csv: {rows}")
    expect(rows[1]["pitch"] == "128" and rows[1]["pad"] == "4", f"csv: {rows[1]}")
    text = run("layout", *words).stdout
    for line in ("__shared__ float tile[32][33];", "tile[y][x ^ y]  // Swizzle<5, 0, 5>"):
        expect(line in text, f"the text lacks {line}")
    everywhere = run("layout", *words, "--arch", "all").stdout
    expect("sm_30" in everywhere and "sm_90" in everywhere, "--arch all lacks architectures")
    # Banks of 8 bytes hold two rows' words side by side.
    expect("x ^ (y >> 1)" in everywhere, "3.x wants another swizzle")
    full = run("layout", *words, "-o", "/dev/full")
    expect(full.returncode == 2 and "/dev/full" in full.stderr, f"full disk: {full}")


check_found()
for number in range(120):
    check_texts(number)
check_refused()
check_formats()
print("\n".join(p for p in problems if p))
sys.exit(1 if problems else 0)
