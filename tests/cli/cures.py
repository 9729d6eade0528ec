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
     out[tid] = S(511 - 2 * tid);""", "index it by i + i / 32: no conflicts"),
    ("wide", "float4", 256, 64, """S(tid * 4) = make_float4(0, 1, 2, 3); __syncthreads();
     out[tid] = S(tid / 4 + tid % 4 * 16);""", "index it by i + i / 8: no conflicts"),
    ("diagonal", "double", 1024, 32, """for (int k = 0; k < 32; k++) S(k * 32 + tid) = k;
     __syncthreads(); for (int k = 0; k < 32; k++) out[k * 32 + tid] = S(tid * 32 + k);""",
     "pad rows of 32 elements to 33: no conflicts"),
    ("bytes", "unsigned char", 4096, 64, """for (int k = 0; k < 32; k++) S(k * 128 + tid * 2) = k;
     __syncthreads(); out[tid] = S(tid % 32 * 128 + tid / 32);""", "pad rows of 128 elements to 132: no conflicts"),
    ("halves", "int", 272, 256, """S(tid / 16 * 17 + tid % 16) = tid; __syncthreads();
     out[tid] = S(tid % 16 * 17 + tid / 16);""", "pad rows of 17 elements to"),
    ("free", "float", 1024, 128, "S(tid) = tid; __syncthreads(); out[tid] = S(tid ^ 7);", None),
    ("one word", "int", 1024, 128, """S(tid) = 0; __syncthreads(); atomicExch(&S(0), tid);
     __syncthreads(); out[tid] = S(tid);""", "lanes that update one element wait for each other"),
]


def measure(folder, case, *flags):
    """Shared-memory wavefronts, ideal ones, what is said of the lines, and the cures."""
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
        launch = json.load(file)["launches"][0]
    sites = [s for s in launch["sites"] if s["space"] == "shared"]
    cures = launch.get("cures", [])
    said = {re.sub(r"(?s)(\ntried on [^\n]*).*", r"\1", s["worst"]["help"]) for s in sites if s.get("worst") and "help" in s["worst"]}
    return (sum(s["wavefronts"] for s in sites), sum(s["ideal"] for s in sites), said, cures)


def place_of(line):
    """The layout that a line of the help names, as a macro; None: it names none."""
    rows = re.match(r"(?:or )?pad rows of (\d+) elements to (\d+)", line)
    if rows:
        return f"((i) + (i) / {rows[1]} * {int(rows[2]) - int(rows[1])})"
    index = re.match(r"(?:or )?index it by ([^:]+):", line)
    return re.sub(r"\bi\b", "(i)", f"({index[1]})") if index else None


def place_of_data(layout):
    if layout["kind"] == "pad":
        return f"((i) + (i) / {layout['row']} * {layout['pad']})"
    ones = (1 << layout["bits"]) - 1
    return f"((i) ^ ((i) >> {layout['shift']} & {ones}) << {layout['base']})"


def check_data(folder, case, before, cures):
    """Each layout of the saved cures takes what it says; all blocks do the same as block 0."""
    name, element, count = case[:3]
    element_bytes = {"float4": 16, "double": 8, "unsigned char": 1}.get(element, 4)
    if len(cures) != (case[5] is not None):
        problems.append(f"{name}: {len(cures)} cures")
    for cure in cures:
        if (cure["array"], cure["bytes"], cure["element_bytes"]) != ("s", 3 * count * element_bytes, element_bytes):
            problems.append(f"{name}: {cure}")
        if 3 * cure["wavefronts"] != before or (cure["reason"] is None) != bool(cure["layouts"]):
            problems.append(f"{name}: {cure}")
        ways = [(layout["kind"], layout.get("by")) for layout in cure["layouts"]]
        if ("pad", "declaration") in ways and ("pad", "index") not in ways:
            problems.append(f"{name}: no padding by index: {ways}")
        order = [(layout["wavefronts"], layout["operations"]) for layout in cure["layouts"]]
        if order != sorted(order):
            problems.append(f"{name}: not the best first: {order}")
        for place in {place_of_data(layout): layout for layout in cure["layouts"][:4]}.items():
            after = measure(folder, case, f"-DPLACE(i)={place[0]}")[0]
            if after != 3 * place[1]["wavefronts"]:
                problems.append(f"{name}: {place}: {after} wavefronts")


def check(folder, case):
    name, wanted = case[0], case[5]
    before, ideal, said, cures = measure(folder, case)
    check_data(folder, case, before, cures)
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
        after, _, left, _ = measure(folder, case, f"-DPLACE(i)={place}")
        counts = re.search(r"(\d+) wavefronts for (\d+)", line)
        foretold = ideal if "no conflicts" in line else before * int(counts[1]) // int(counts[2])
        if after != foretold or after >= before:
            problems.append(f"{name}: {line}: {after} wavefronts, not {foretold} (before {before})")
        if "no conflicts" in line and left:
            problems.append(f"{name}: help once more: {left}")


# Two arrays that the kernel lays into one block itself, with conflicts in both.
DYNAMIC = """
extern __shared__ float memory[];
__global__ void kernel(float *out, int rows) {
    float *a = memory, *b = memory + rows * (32 + A);
    const int t = threadIdx.x;
    for (int r = 0; r < rows; r++)
        a[r * (32 + A) + t] = r + t;
    for (int r = 0; r < 8; r++)
        b[r * (16 + B) + t % 16] = t;
    __syncthreads();
    float sum = 0;
    for (int r = 0; r < 32; r++)
        sum += a[t * (32 + A) + r];
    for (int r = 0; r < 16; r++)
        sum += b[t % 8 * (16 + B) + r];
    out[t] = sum;
}
int main() {
    float *out;
    cudaMalloc(&out, 4096);
    kernel<<<2, 32, 32 * (32 + A) * 4 + 8 * (16 + B) * 4>>>(out, 32);
    return cudaDeviceSynchronize();
}
"""


def check_dynamic(folder, a, b):
    """Pads a and b of both arrays; returns the cures."""
    source, profile = os.path.join(folder, "dynamic.cu"), os.path.join(folder, "dynamic.json")
    with open(source, "w", encoding="utf-8") as file:
        file.write(DYNAMIC)
    subprocess.run([BANKRUN, "--format", "json", "-o", profile, f"-DA={a}", f"-DB={b}", source],
                   capture_output=True, check=True)
    with open(profile, encoding="utf-8") as file:
        return json.load(file)["launches"][0].get("cures", [])


def check_parts(folder):
    cures = check_dynamic(folder, 0, 0)
    found = [(c["part"], c["offset"], c["bytes"], c["layouts"][0]["row"]) for c in cures]
    if found != [(True, 0, 4096, 32), (True, 4096, 512, 16)]:
        problems.append(f"two arrays in one block: {found}")
        return
    pads = [cure["layouts"][0]["pad"] for cure in cures]
    if left := check_dynamic(folder, *pads):
        problems.append(f"two arrays in one block, padded by {pads}: {left}")
    if len(left := check_dynamic(folder, pads[0], 0)) != 1:
        problems.append(f"two arrays in one block, one of them padded: {left}")


if not shutil.which("nvcc"):
    print("nvcc is not there")
    sys.exit(77)
with tempfile.TemporaryDirectory() as scratch:
    for each in CASES:
        check(scratch, each)
    check_parts(scratch)
print("\n".join(problems))
sys.exit(1 if problems else 0)
