"""--blocks auto: one block of those that are proved to do the same. What is called exact is the same as in
a run of all blocks; what is not proved runs whole, and says why."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from random import Random

BANKRUN = os.environ.get("BANKRUN", "build/bankrun")

KERNEL = """.version 7.8
.target sm_90
.address_size 64
.global .align 4 .u32 ticket;
.visible .entry k(.param .u64 out, .param .u32 n)
{attribute}
{{
    .reg .pred %p<8>;
    .reg .b32 %r<32>;
    .reg .b64 %rd<8>;
    .shared .align 4 .b8 tile[8192];
    .shared .align 4 .b8 rest[128];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mad.lo.u32 %r4, %r2, %r3, %r1;
    ld.param.u32 %r5, [n];
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd1, %rd1;
    mov.u32 %r6, tile;
    mad.lo.u32 %r7, %r1, 128, %r6;
    and.b32 %r8, %r1, 31;
    mad.lo.u32 %r9, %r8, 128, %r6;
{body}
    ret;
}}
"""

COLUMN = "st.shared.u32 [%r9], %r1; ld.shared.u32 %r10, [%r9];"
GUARDED = "setp.ge.u32 %p1, %r4, %r5; @%p1 bra done; " + COLUMN + " done:"
CLUSTER = ".explicitcluster .reqnctapercluster 2"

# Name, body, grid, block, n; how many blocks are run, or why all of them are; what is an estimate.
CASES = [
    ("column", COLUMN, "1000", 64, 3, 1, ""),
    ("rows", COLUMN, "40, 5, 3", 64, 3, 1, ""),
    ("whole_grid", GUARDED, "1000", 64, 64000, 1, ""),
    ("border", GUARDED, "1000", 64, 63970, 2, ""),
    ("early_exit", GUARDED, "1000", 64, 12800, 13, ""),
    ("border_2d", "mov.u32 %r11, %ctaid.y; setp.lt.u32 %p1, %r4, %r5; setp.lt.u32 %p2, %r11, 6;"
     " and.pred %p1, %p1, %p2; @!%p1 bra done; " + COLUMN + " done:", "30, 7", 64, 1900, 4, ""),
    ("halo", "setp.eq.u32 %p1, %r2, 0; @%p1 bra done; setp.eq.u32 %p1, %r2, 99; @%p1 bra done; "
     + COLUMN + " done:", "100", 64, 0, 3, ""),
    ("stored_at_block", COLUMN + " mul.wide.u32 %rd2, %r4, 4; add.s64 %rd2, %rd1, %rd2;"
     " st.global.u32 [%rd2], %r10;", "16", 64, 0, 1, ""),
    # Blocks move by 4 bytes, and some requests touch one sector more.
    ("stored_askew", COLUMN + " add.u32 %r11, %r1, %r2; mul.wide.u32 %rd2, %r11, 4; add.s64 %rd2, %rd1, %rd2;"
     " st.global.u32 [%rd2], %r10;", "16", 64, 0, 1, "g"),
    ("stored_at_one_place", COLUMN + " mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;"
     " st.global.u32 [%rd2], %r10;", "16", 64, 0, 1, ""),
    # The index is the block's, but what a request costs is not.
    ("row_of_block", "and.b32 %r11, %r2, 31; shl.b32 %r11, %r11, 7; add.u32 %r11, %r11, %r6; shl.b32 %r12, %r8, 2;"
     " add.u32 %r11, %r11, %r12; ld.shared.u32 %r10, [%r11];", "100", 64, 0, 1, ""),
    ("stride_of_block", "and.b32 %r11, %r2, 31; mul.lo.u32 %r11, %r11, %r8; shl.b32 %r11, %r11, 2;"
     " add.u32 %r11, %r11, %r6; ld.shared.u32 %r10, [%r11];", "100000", 64, 0,
     "an address depends on the index of the block", ""),
    # One array in some blocks, another in others.
    ("two_arrays", "mov.u32 %r13, rest; setp.lt.u32 %p1, %r2, 50; selp.u32 %r11, %r6, %r13, %p1;"
     " shl.b32 %r12, %r8, 2; add.u32 %r11, %r11, %r12; ld.shared.u32 %r10, [%r11];", "100", 64, 0,
     4, ""),
    ("loop", "mov.u32 %r11, 0; again: " + COLUMN + " add.u32 %r11, %r11, 1;"
     " setp.lt.u32 %p1, %r11, %r5; @%p1 bra again;", "100", 64, 7, 1, ""),
    ("long_loop", "mov.u32 %r11, 0; again: " + COLUMN + " add.u32 %r11, %r11, 1;"
     " setp.lt.u32 %p1, %r11, %r5; @%p1 bra again;", "20", 64, 1000, 1, ""),
    ("loop_of_block", "mov.u32 %r11, 0; again: " + COLUMN + " add.u32 %r11, %r11, 1;"
     " setp.lt.u32 %p1, %r11, %r2; @%p1 bra again;", "200", 64, 0,
     "a condition depends on the index of the block", ""),
    # The loop goes round as often in every block, but behind it the count differs.
    ("count_of_block", "mov.u32 %r11, 0; mov.u32 %r12, 0; again: add.u32 %r12, %r12, %r2; add.u32 %r11, %r11, 1;"
     " setp.lt.u32 %p1, %r11, 999; @%p1 bra again; and.b32 %r12, %r12, 15; mov.u32 %r11, 0;"
     " more: " + COLUMN + " add.u32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, %r12; @%p1 bra more;",
     "200", 32, 0, "a condition depends on the index of the block", ""),
    ("loop_of_data", "ld.global.u32 %r12, [%rd1]; mov.u32 %r11, 0; again: " + COLUMN +
     " add.u32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, %r12; @%p1 bra again;", "20", 64, 0,
     "a condition depends on what memory holds", ""),
    ("index_of_data", "ld.global.u32 %r12, [%rd1]; and.b32 %r12, %r12, 31; mul.lo.u32 %r12, %r12, %r8; shl.b32 %r12, %r12, 2;"
     " add.u32 %r12, %r12, %r6; ld.shared.u32 %r10, [%r12];", "20", 64, 0,
     "an address depends on what memory holds", ""),
    ("ticket", "atom.global.add.u32 %r12, [ticket], 1; setp.lt.u32 %p1, %r12, 100; @%p1 " + COLUMN, "20", 64, 0,
     "a condition depends on what memory holds", ""),
    ("clock", "mov.u32 %r12, %clock; setp.lt.u32 %p1, %r12, 100; @%p1 " + COLUMN, "20", 64, 0,
     "a condition depends on something that is not followed", ""),
    # Who takes part hangs on data, but nothing of it is of shared memory.
    ("data_elsewhere", COLUMN + " ld.global.u32 %r12, [%rd1]; setp.eq.u32 %p1, %r12, 5; @%p1 bra done;"
     " st.global.u32 [%rd1], %r1; done: " + COLUMN, "20", 64, 0, 1, "gi"),
    # Lanes that have ended are missing from then on.
    ("ended_by_data", "ld.global.u32 %r12, [%rd1]; setp.eq.u32 %p1, %r12, %r1; @%p1 bra done; bra on; done: ret; on: "
     + COLUMN, "20", 64, 0, "a condition depends on what memory holds", ""),
    ("waiting", "again: ld.volatile.global.u32 %r12, [%rd1]; setp.ne.u32 %p1, %r12, %r12; @%p1 bra again; " + COLUMN,
     "20", 64, 0, "its blocks may wait for each other", ""),
    ("cluster", COLUMN, "20", 64, 0, "its blocks are in clusters", ""),
    ("one_block", COLUMN, "1", 64, 0, 1, ""),
]

problems = []


def launch(path, spec, *more):
    command = [BANKRUN, "run", "--format", "json", "-o", "-", *more]
    command += ["--launch", spec] if spec else []
    done = subprocess.run(command + [path], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)
    if done.returncode:
        problems.append(f"{command}: status {done.returncode}\n{done.stderr}")
        sys.exit("\n".join(problems))
    return json.loads(done.stdout)["launches"]


def rows(one, estimates):
    """What is counted at each site, but for what is proved of it, and for what is an estimate."""
    return [{key: value for key, value in site.items() if key not in ("verdict", "proof")}
            for site in one["sites"] if site["space"] == "shared" or not estimates]


def compare(name, whole, auto, blocks, wanted, estimates):
    every = auto["every_block"]
    if isinstance(wanted, str):
        if every["proved"] or auto["blocks_run"] != blocks or wanted not in (every["reason"] or ""):
            problems.append(f"{name}: wanted {wanted!r}, got {auto['blocks_run']} blocks, {every}")
    elif auto["blocks_run"] != wanted or every["proved"] != (wanted < blocks) or every["reason"]:
        problems.append(f"{name}: wanted {wanted} blocks, got {auto['blocks_run']}, {every}")
    if every["instructions_estimate"] != ("i" in estimates):
        problems.append(f"{name}: instructions: {every}")
    if every["sectors_estimate"] != ("g" in estimates):
        problems.append(f"{name}: sectors: {auto['sites']}")
    keys = ["shared"] + ([] if "g" in estimates else ["global"])
    if any(whole["totals"][key] != auto["totals"][key] for key in keys) or \
            rows(whole, "g" in estimates) != rows(auto, "g" in estimates):
        problems.append(f"{name}: other counts: {whole} {auto}")
    if "i" not in estimates and whole["instructions"] != auto["instructions"]:
        problems.append(f"{name}: {auto['instructions']} instructions of {whole['instructions']}")


def try_kernels(folder):
    for name, body, grid, block, n, wanted, estimates in CASES:
        path = os.path.join(folder, name + ".ptx")
        with open(path, "w", encoding="utf-8") as file:
            file.write(KERNEL.format(attribute=CLUSTER if name == "cluster" else "", body=body))
        dimensions = f"({grid})" if "," in grid else grid
        spec = f"k<<<{dimensions}, {block}>>>(out:u32[65536]=iota, {n})"
        blocks = 1
        for extent in grid.split(","):
            blocks *= int(extent)
        compare(name, launch(path, spec)[0], launch(path, spec, "--blocks", "auto")[0], blocks, wanted,
                estimates)


def random_kernel(random):
    """Reads global memory at places that are affine in the thread, the block and the round of a loop."""
    rounds, inner = random.choice((0, 3, 400)), random.random() < 0.3
    lines = ["mov.u32 %r11, 0; mov.u32 %r12, 0; mov.u32 %r13, 0; shl.b32 %r18, %r2, 2;"]
    step = random.choice(("4", "32", "128", "68"))
    address = [f"mul.lo.u32 %r14, %r1, {random.choice((4, 8, 32, 12))};",
               f"mad.lo.u32 %r14, %r2, {random.choice((0, 4, 32, 64, 96, 100, 512))}, %r14;",
               "add.u32 %r14, %r14, %r12; add.u32 %r14, %r14, %r13;" if random.random() < 0.5 else
               "xor.b32 %r14, %r14, %r12;" if random.random() < 0.3 else "add.u32 %r14, %r14, %r12;",
               "and.b32 %r14, %r14, 65532;" if random.random() < 0.2 else "",
               "cvt.u64.u32 %rd2, %r14; add.s64 %rd2, %rd1, %rd2;",
               random.choice(("ld", "st")) + ".global.u32 "]
    address[-1] += "%r15, [%rd2];" if address[-1].startswith("ld") else "[%rd2], %r1;"
    if not rounds:
        return " ".join(lines + address)
    leave = random.choice(("", "setp.gt.u32 %p2, %r11, 2; @%p2 bra leave;",
                           "setp.eq.u32 %p2, %r11, %r2; @%p2 bra leave;",
                           "ld.global.u32 %r16, [%rd1]; setp.eq.u32 %p2, %r11, %r16; @%p2 bra leave;"))
    twice = "mov.u32 %r17, 0; inner: add.u32 %r12, %r12, 4; add.u32 %r17, %r17, 1;" \
        " setp.lt.u32 %p3, %r17, " + random.choice(("2", "%r2", "350" if rounds == 3 else "5")) + "; @%p3 bra inner;" if inner else ""
    grow = random.choice((f"add.u32 %r12, %r12, {step};", "add.u32 %r12, %r12, %r18;",
                          f"setp.lt.u32 %p4, %r11, {random.choice(('%r1', '%r2', '2'))}; @%p4 add.u32 %r12, %r12, 32;"))
    return " ".join(lines + ["again:", leave] + address + [twice, grow, "add.u32 %r11, %r11, 1; add.u32 %r13, %r13, 32;"
                    f" setp.lt.u32 %p1, %r11, {rounds}; @%p1 bra again; leave:"])


def try_global(folder):
    """Sectors that are said to be exact."""
    exact = 0
    for seed in range(60):
        random = Random(seed)
        body = random_kernel(random)
        path = os.path.join(folder, f"global{seed}.ptx")
        with open(path, "w", encoding="utf-8") as file:
            file.write(KERNEL.format(attribute="", body=body))
        spec = f"k<<<{random.choice((2, 9, 30))}, {random.choice((32, 64, 48))}>>>(out:u32[100000]=iota, 3)"
        whole, auto = launch(path, spec)[0], launch(path, spec, "--blocks", "auto")[0]
        guessed = auto["every_block"]["sectors_estimate"]
        exact += auto["every_block"]["proved"] and not guessed
        if not guessed and rows(whole, False) != rows(auto, False):
            problems.append(f"seed {seed}: {body}: {whole} {auto}")
        if not auto["every_block"]["instructions_estimate"] and whole["instructions"] != auto["instructions"]:
            problems.append(f"seed {seed}: {body}: {whole['instructions']} {auto['instructions']}")
    if exact < 10:
        problems.append(f"global memory: only {exact} kernels were exact")
    print(exact, "kernels had exact sectors")


def try_huge(folder):
    path = os.path.join(folder, "column.ptx")
    one = launch(path, "k<<<1000000000, 64>>>(out:u32[64], 3)", "--blocks", "auto")[0]
    load = one["totals"]["shared"]["load"]
    if one["blocks_run"] != 1 or load != {"requests": 2 * 10**9, "wavefronts": 64 * 10**9, "ideal": 2 * 10**9}:
        problems.append(f"a billion blocks: {one}")


def try_words(folder):
    for name, n, pattern in (
            ("border", 63970, r"Proved for all blocks: 2 of 1,000 were run; shared-memory counts are exact\. "
             r"What other blocks\s+would have written is not there\."),
            ("loop_of_data", 0, r"All blocks were run: a condition depends on what memory holds\.")):
        path = os.path.join(folder, name + ".ptx")
        done = subprocess.run([BANKRUN, "run", path, "--blocks", "auto", "--launch",
                               f"k<<<1000, 64>>>(out:u32[65536]=iota, {n})"], capture_output=True, text=True,
                              check=False, stdin=subprocess.DEVNULL)
        if not re.search(pattern, done.stderr):
            problems.append(f"{name}: no {pattern}\n{done.stderr}")


PROGRAM = r"""
#include <cstdio>
__global__ void fill(int *rounds) {
    __shared__ int tile[32][32];
    tile[threadIdx.x][0] = 3;
    rounds[blockIdx.x * 32 + threadIdx.x] = tile[threadIdx.x][0];
}
__global__ void follow(const int *rounds, int *out) {
    __shared__ int tile[32][32];
    for (int i = 0; i < rounds[blockIdx.x * 32]; i++)
        tile[threadIdx.x][i] = i;
    out[threadIdx.x] = tile[threadIdx.x][0];
}
__global__ void pass(const int *rounds, int *out) {
    if (rounds[threadIdx.x] == 3)
        out[threadIdx.x] = 1;
}
int main() {
    int *rounds, *out;
    cudaMalloc(&rounds, 64 * 32 * sizeof *rounds);
    cudaMalloc(&out, 32 * sizeof *out);
    cudaMemset(rounds, 0, 64 * 32 * sizeof *rounds);
    follow<<<64, 32>>>(rounds, out);
    fill<<<64, 32>>>(rounds);
    follow<<<64, 32>>>(rounds, out);
    fill<<<64, 32>>>(rounds);
    follow<<<1, 32>>>(rounds, out);
    pass<<<1, 32>>>(rounds, out);
    return cudaDeviceSynchronize();
}
"""


def try_program(folder):
    """What earlier launches left out may be missing from what a later one reads."""
    path = os.path.join(folder, "chain.cu")
    with open(path, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    launches = launch(path, None, "--blocks", "auto")
    said = {first["first"]: (one["every_block"]["proved"], one["every_block"]["partial_input"])
            for one in launches for first in one["repeated"]}
    wanted = {0: (False, False), 1: (True, False), 2: (False, True), 4: (False, True), 5: (False, True)}
    if said != wanted:
        problems.append(f"chain: {said} instead of {wanted}")
    for one in launches:
        if not one["every_block"]["proved"] and one["kernel"].startswith("follow") and \
                one["every_block"]["reason"] != "a condition depends on what memory holds at line 10":
            problems.append(f"chain: {one['every_block']}")


with tempfile.TemporaryDirectory() as scratch:
    try_kernels(scratch)
    try_global(scratch)
    try_huge(scratch)
    try_words(scratch)
    if shutil.which("nvcc"):
        try_program(scratch)
sys.exit("\n".join(problems) if problems else 0)
