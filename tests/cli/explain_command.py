"""The command that a report ends with shows its worst request: bankrun explain counts of it what the
program counted."""

import csv
import io
import json
import os
import subprocess
import sys
import tempfile

BANKRUN = os.environ.get("BANKRUN", "build/bankrun")
START = "To see the worst request, lane by lane: "
KERNEL = """
__global__ void kernel(int *out) {
    __shared__ ELEMENT s[2048];
    const int tid = threadIdx.x;
    for (int i = tid; i < 2048; i += 96)
        s[i] = ELEMENT();
    __syncthreads();
    if (CONDITION)
        BODY
    out[tid] += ((int *)s)[tid];
}
int main() {
    int *out;
    cudaMalloc(&out, 4096);
    kernel<<<2, 96>>>(out);
    return cudaDeviceSynchronize();
}
"""
# Element, who takes part, what it does, what the command must have.
CASES = [
    ("int", "true", "out[tid] = s[tid * 4];", "'s[laneid * 4]' --shared 'float s[2048]'"),
    ("int", "true", "s[tid % 4 + tid / 4 * 32] = 1;", "'s[laneid % 4 + laneid / 4 * 32]'"),
    ("double", "true", "s[640 - tid * 4] = 1;", "'s[-laneid * 4 + 640]' --shared 'double s[2048]' --store"),
    ("short", "true", "out[tid] = s[tid * 12 + 7];", "'s[laneid * 12 + 7]' --shared 'short s[2048]'"),
    ("double", "tid < 11", "out[tid] = s[tid * 16];", "'s[laneid * 16]' --if 'laneid < 11' --shared 'double s[2048]'"),
    ("int", "tid % 3 == 1", "out[tid] = s[tid * 16];", "'s[laneid * 16]' --if '0x92492492u >> laneid & 1'"),
    ("int", "tid % 2 == 1", "out[tid] = s[tid % 32 * 32 - 31];", "'s[laneid * 32 - 31]'"),
    ("int", "tid == 33 || tid == 37", "out[tid] = s[tid % 32 * 64];", "'s[laneid * 64]' --if '0x22u >> laneid & 1'"),
    ("int", "true", "out[tid] = s[tid * tid * 5 % 2048];", '--let "e[]=0,5,20,45,80,125,'),
    ("float4", "true", "out[tid] = s[tid * 2].w + s[tid * 2].x + s[tid * 2].y + s[tid * 2].z;",
     "'s[laneid * 2]' --shared 'float4 s[2048]'"),
    ("int", "true", "atomicExch(&s[tid % 32 * 32], 1);", None),  # no load or store
    ("int", "true", "out[tid] = s[tid];", None),
]
problems = []


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, check=False, **more)


def command_of(text):
    """The command, on one line or several; None: there is none."""
    if START not in text:
        return None
    return text.split(START)[1].split("\n\n")[0].rstrip("\n")


def worst_of(profile):
    with open(profile, encoding="utf-8") as file:
        launches = json.load(file)["launches"]
    sites = [s for l in launches for s in l["sites"] if s["space"] == "shared" and "atom" not in s["instruction"]]
    return max(sites, key=lambda s: s["wavefronts"] - s["ideal"])


def check(folder, number, case, *options):
    element, condition, body, expected = case
    source, profile = os.path.join(folder, f"case{number}.cu"), os.path.join(folder, "profile")
    with open(source, "w", encoding="utf-8") as file:
        file.write(KERNEL.replace("ELEMENT", element).replace("CONDITION", condition).replace("BODY", body))
    saved = run(BANKRUN, "run", *options, "--format", "json", "-o", profile, source)
    if saved.returncode:
        raise SystemExit(saved.stderr)
    command = command_of(run(BANKRUN, "report", profile).stdout)
    if not expected or not command:
        if expected or command:
            problems.append(f"case {number}: {command} in place of {expected}")
        return
    if expected not in command.replace("\\\n    ", ""):
        problems.append(f"case {number}: {command} has no {expected}")
    if any(len(line) > 100 for line in (START + command).split("\n")):
        problems.append(f"case {number}: a line of more than 100 columns: {command}")
    path = os.pathsep.join([os.path.dirname(os.path.abspath(BANKRUN)), os.environ["PATH"]])
    shown = run("sh", "-c", command + " --format csv", env=dict(os.environ, PATH=path))
    degrees = [int(row["degree"]) for row in csv.DictReader(io.StringIO(shown.stdout))]
    if degrees != [worst_of(profile)["worst_degree"]]:
        problems.append(f"case {number}: {command}: {degrees} {shown.stderr}; {worst_of(profile)}")


with tempfile.TemporaryDirectory() as scratch:
    for n, case_of in enumerate(CASES):
        check(scratch, n, case_of)
    check(scratch, 0, CASES[0], "--arch", "sm_75")
    check(scratch, 1, CASES[1], "--arch", "sm_35")
print("\n".join(problems) or f"{len(CASES) + 2} reports: the command shows the worst request")
sys.exit(bool(problems))
