"""What a report says would cure conflicts does: kernels are run as they are and with the layout that
`help` names, which must take the wavefronts that it says."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

BANKRUN = os.environ.get("BANKRUN", "build/bankrun")
problems = []

# PLACE is where an element of `s` lies.
KERNEL = """
#ifndef PLACE
#define PLACE(i) (i)
#endif
__global__ void kernel(ELEMENT *out) {
    __shared__ ELEMENT s[3 * COUNT];
    const int tid = threadIdx.x;
    (void)tid;
    #define S(i) s[PLACE((i))]
    BODY
}
int main() {
    ELEMENT *out;
    cudaMalloc(&out, 65536);
    kernel<<<3, THREADS>>>(out);
    return cudaDeviceSynchronize();
}
"""

# Name, element, elements, threads, body: what is said begins with the last words.
CASES = [
    ("column", "float", 1024, 128, """for (int k = 0; k < 8; k++) S((tid + k * 128) % COUNT) = k;
     __syncthreads(); out[tid] = S(tid % 32 * 32 + tid / 32);""",
     "pad rows of 32 elements to 33: no conflicts"),
    ("pairs", "float", 512, 256, """S(2 * tid) = tid; S(2 * tid + 1) = 0; __syncthreads();
     out[tid] = S(511 - 2 * tid);""", "pad rows of 32 elements to 33: no conflicts"),
    ("wide", "float4", 256, 64, """S(tid * 4) = make_float4(0, 1, 2, 3); __syncthreads();
     out[tid] = S(tid / 4 + tid % 4 * 16);""", "pad rows of 8 elements to 9: no conflicts"),
    ("diagonal", "double", 1024, 32, """for (int k = 0; k < 32; k++) S(k * 32 + tid) = k;
     __syncthreads(); for (int k = 0; k < 32; k++) out[k * 32 + tid] = S(tid * 32 + k);""",
     "pad rows of 32 elements to 33: no conflicts"),
    ("bytes", "unsigned char", 4096, 64, """for (int k = 0; k < 32; k++) S(k * 128 + tid * 2) = k;
     __syncthreads(); out[tid] = S(tid % 32 * 128 + tid / 32);""", "pad rows of 32 elements to 33: no conflicts"),
    ("free", "float", 1024, 128, "S(tid) = tid; __syncthreads(); out[tid] = S(tid ^ 7);", None),
    ("one word", "int", 1024, 128, """S(tid) = 0; __syncthreads(); atomicExch(&S(0), tid);
     __syncthreads(); out[tid] = S(tid);""", "no row padding and no XOR swizzle takes away half"),
]


def measure(folder, case, *flags):
    """Shared-memory wavefronts, ideal ones, and what is said of the lines."""
    _, element, count, threads, body, _ = case
    source = os.path.join(folder, "kernel.cu")
    profile = os.path.join(folder, "profile.json")
    with open(source, "w", encoding="utf-8") as file:
        file.write(KERNEL.replace("BODY", body))
    process = subprocess.run([BANKRUN, "--format", "json", "-o", profile, f"-DELEMENT={element}",
                              f"-DCOUNT={count}", f"-DTHREADS={threads}", *flags, source],
                             capture_output=True, text=True, check=False)
    if process.returncode != 0:
        raise SystemExit(f"{case[0]} {flags}: {process.stderr[:400]}")
    with open(profile, encoding="utf-8") as file:
        sites = [s for s in json.load(file)["launches"][0]["sites"] if s["space"] == "shared"]
    said = {s["worst"]["help"] for s in sites if s.get("worst") and "help" in s["worst"]}
    return (sum(s["wavefronts"] for s in sites), sum(s["ideal"] for s in sites), said)


def place_of(line):
    """The layout that a line of the help names, as a macro; None: it names none."""
    rows = re.match(r"(?:or )?pad rows of (\d+) elements to (\d+)", line)
    if rows:
        return f"((i) + (i) / {rows[1]} * {int(rows[2]) - int(rows[1])})"
    index = re.match(r"(?:or )?index it by ([^:]+):", line)
    return re.sub(r"\bi\b", "(i)", f"({index[1]})") if index else None


def check(folder, case):
    name, wanted = case[0], case[5]
    before, ideal, said = measure(folder, case)
    if wanted is None or len(said) != 1:
        if wanted is not None or said:
            problems.append(f"{name}: {len(said)} different texts of help: {said}")
        return
    text = said.pop()
    if not text.startswith(wanted):
        problems.append(f"{name}: help says '{text}', not '{wanted}'")
    for line in text.split("\n"):
        place = place_of(line)
        if not place:
            continue
        after, _, left = measure(folder, case, f"-DPLACE(i)={place}")
        counts = re.search(r"(\d+) wavefronts for (\d+)", line)
        foretold = ideal if "no conflicts" in line else before * int(counts[1]) // int(counts[2])
        if after != foretold or after >= before:
            problems.append(f"{name}: {line}: {after} wavefronts, not {foretold} (before {before})")
        if "no conflicts" in line and left:
            problems.append(f"{name}: help once more: {left}")


if not shutil.which("nvcc"):
    print("nvcc is not there")
    sys.exit(77)
with tempfile.TemporaryDirectory() as scratch:
    for each in CASES:
        check(scratch, each)
print("\n".join(problems))
sys.exit(1 if problems else 0)
