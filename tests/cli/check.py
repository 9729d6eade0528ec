"""bankrun check, --check, --fail-on check and --suppressions: statuses, and what is said."""

import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile

BANKRUN = os.environ["BANKRUN"]
BLOCK = re.compile(r"^```cuda\n(.*?)^```$", re.MULTILINE | re.DOTALL)
problems = []


def run(folder, *arguments):
    return subprocess.run([BANKRUN, *arguments], cwd=folder, capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)


def expect(folder, status, words, *arguments):
    process = run(folder, *arguments)
    text = process.stdout + process.stderr
    if process.returncode != status:
        problems.append(f"{' '.join(arguments)}: status {process.returncode}, not {status}\n{text}")
    for word in words:
        if not re.search(word, text):
            problems.append(f"{' '.join(arguments)}: does not say /{word}/\n{text}")


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def check_programs(folder):
    bad, good = "bad.cu", "good.cu"
    found = [r"copy-not-waited", r"bad\.cu:6:5", r"\n +\| \^\n", r"checked: .*1 finding\b"]
    expect(folder, 5, found, "check", "--check", "sync", bad)
    expect(folder, 0, ["nothing found"], "check", "--check", "sync", good)
    expect(folder, 0, found + ["no bank conflicts"], "--check", "sync", bad)
    expect(folder, 5, found, "--check", "sync", "--fail-on", "check", bad)
    expect(folder, 0, [], "--check", "sync", "--fail-on", "check", good)
    expect(folder, 0, [], "--fail-on", "check", bad)  # nobody looks
    expect(folder, 5, [r"copy-not-waited"], "check", "--check", "sync", "--", "sh", "-c",
           BANKRUN + " nvcc-flags >/dev/null; ./bad")


def check_saved(folder):
    expect(folder, 5, [], "check", "--check", "sync", "--format", "json", "-o", "bad.json", "bad.cu")
    with open(os.path.join(folder, "bad.json"), encoding="utf-8") as file:
        profile = json.load(file)
    finding = profile["launches"][0]["findings"][0]
    if profile["counted"] is not False or profile["checks"] != ["sync"]:
        problems.append("bad.json: does not say that it was checked and not counted")
    if finding["kind"] != "copy-not-waited" or finding["count"] != 64 or finding["places"][0]["line"] != 6:
        problems.append(f"bad.json: {finding}")
    expect(folder, 5, ["copy-not-waited"], "report", "--fail-on", "check", "bad.json")
    expect(folder, 0, ["copy-not-waited"], "report", "bad.json")
    expect(folder, 2, ["No space left"], "check", "--check", "sync", "-o", "/dev/full", "bad.cu")


def check_table(folder):
    """Findings are a second table behind an empty line, where something was checked."""
    for arguments in (("report", "--format", "csv", "bad.json"),
                      ("check", "--check", "sync", "--format", "csv", "-o", "-", "good.cu"),
                      ("--format", "csv", "-o", "-", "bad.cu")):
        process = run(folder, *arguments)
        tables = [list(csv.DictReader(io.StringIO(t))) for t in process.stdout.split("\n\n")]
        kinds = [(row["finding"], row["kind"], row["severity"], row["count"], row["line"], row["thread"],
                  row["launch"]) for row in tables[1]] if len(tables) == 2 else None
        expected = {"report": [("1", "copy-not-waited", "defect", "64", "6", "0,0,0", "1")],
                    "check": []}.get(arguments[0])
        if kinds != expected:
            problems.append(f"{' '.join(arguments)}: {kinds}\n{process.stdout}")


def check_suppressions(folder):
    reason = "the tile is never read"
    for where in ("bad.cu:6", "*.cu:*", "reverse", "rev*"):
        write(folder, "accepted", f"# comment\n\nsync copy-* {where} {reason}\n")
        expect(folder, 0, ["1 suppressed"], "check", "--check", "sync", "--suppressions", "accepted", "bad.cu")
        expect(folder, 0, [reason], "report", "--verbose", "--suppressions", "accepted", "bad.json")
    for where in ("bad.cu:7", "ad.cu:6", "other"):
        write(folder, "accepted", f"sync copy-* {where} {reason}\n")
        expect(folder, 5, [f"accepted:1: sync copy-\\* {where}: nothing is like it"], "report",
               "--fail-on", "check", "--suppressions", "accepted", "bad.json")
    for line, word in (("sync copy-* bad.cu:6", "expected CHECK KIND WHERE and a reason"),
                       ("sink copy-* bad.cu:6 why", "'sink' is no checker")):
        write(folder, "accepted", line + "\n")
        expect(folder, 2, [word], "check", "--suppressions", "accepted", "bad.cu")
    expect(folder, 2, ["No such file"], "check", "--suppressions", "nowhere", "bad.cu")
    write(folder, "accepted", f"sync copy-* bad.cu:6 {reason}\n")
    expect(folder, 0, [], "--suppressions", "accepted", "bad.cu")


def check_refusals(folder):
    expect(folder, 2, ["counts nothing, and --trace"], "check", "--trace", "bad.cu:6", "bad.cu")
    expect(folder, 2, ["counts nothing, and --fail-on excess"], "check", "--fail-on", "excess", "bad.cu")
    expect(folder, 2, ["leave --no-count out"], "--check", "sync", "--no-count", "bad.cu")
    expect(folder, 2, ["'sinc' is none of|'sinc' is neither"], "--check", "sync,sinc", "bad.cu")


BOTH_WAYS = """#include <cuda_runtime.h>

int main() {
    char *a, *b;
    cudaStream_t one, other;
    cudaMalloc(&a, 1000);
    cudaMalloc(&b, 1000);
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaMemset(a, 0, 1000);
    cudaMemset(b, 0, 1000);
    cudaDeviceSynchronize();
    cudaMemcpyAsync(a, b, 1000, cudaMemcpyDeviceToDevice, one);
    cudaMemcpyAsync(b, %s, 1000, cudaMemcpyDeviceToDevice, other);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
}
"""


def check_memory_words(folder):
    """What two operations share is told as bytes of the allocation where it begins, and no others."""
    write(folder, "both.cu", BOTH_WAYS % "a")
    expect(folder, 5, [r"bytes\s+from\s+0\s+on\s+of\s+allocation\s+1\s+\(1000\s+bytes\s+by\s+cudaMalloc\),"
                       r"\s+and\s+other\s+memory"], "check", "both.cu")
    write(folder, "one.cu", BOTH_WAYS % "b + 0")
    expect(folder, 5, [r"bytes\s+0\s+to\s+999\s+of\s+allocation\s+2\s+\(1000"], "check", "one.cu")


UNDEFINED = """__global__ void add(int *sums) {
    sums[threadIdx.x] += 1;
}

int main() {
    int *sums;
    cudaMalloc(&sums, 32 * sizeof(int));
    add<<<1, 32>>>(sums);
    cudaDeviceSynchronize();
    cudaFree(sums);
}
"""


RACE = """#include "put.cuh"
__global__ void put_it(float *out) {
    __shared__ float s[64];
    %s;
    out[threadIdx.x] = s[63 - threadIdx.x];
}
int main() { float *d; cudaMalloc(&d, 256); put_it<<<1, 64>>>(d); cudaDeviceSynchronize(); cudaFree(d); }
"""


# Lines of two files have nothing between them.
def check_help(folder):
    write(folder, "put.cuh", "__device__ inline void put(float *to, float value) { *to = value; }\n")
    write(folder, "inlined.cu", RACE % "put(&s[threadIdx.x], threadIdx.x)")
    write(folder, "plain.cu", RACE % "s[threadIdx.x] = threadIdx.x")
    expect(folder, 5, [r"help: a __syncthreads\(\) between the two\n"], "check", "inlined.cu")
    expect(folder, 5, [r"help: a __syncthreads\(\) between lines 4 and 5\n"], "check", "plain.cu")


def check_address_space(folder):
    """With too little of it nothing is known of global memory, which is said."""
    write(folder, "undefined.cu", UNDEFINED)
    expect(folder, 5, ["undefined-store"], "check", "--check", "init", "undefined.cu")
    if os.environ.get("BANKRUN_SANITIZER", "none") != "none":
        return  # its own tables need more
    limited = f"ulimit -v 40000000 && exec {BANKRUN} check --check init undefined.cu"
    process = subprocess.run(["sh", "-c", limited], cwd=folder, capture_output=True, text=True, check=False)
    if process.returncode or "not-all-checked" not in process.stdout + process.stderr:
        problems.append(f"{limited}: status {process.returncode}\n{process.stdout}{process.stderr}")


def check_pages():
    """Each kind that the sources name has a page, and each page stands in the table."""
    sources = subprocess.run(["grep", "-rhoE", r'kind = "[a-z-]+"', "src/check"], capture_output=True, text=True,
                             check=False).stdout
    kinds = set(re.findall(r'"([a-z-]+)"', sources))
    pages = {name[:-3] for name in os.listdir("docs/checks")} - {"README"}
    with open("docs/checks/README.md", encoding="utf-8") as file:
        table = file.read()
    listed = set(re.findall(r"\]\(([a-z-]+)\.md\)", table))
    notes = set(re.findall(r"^\| \w+ \| ([a-z-]+) \| a note: ", table, re.MULTILINE))
    if kinds - pages - notes or pages != listed:
        problems.append(f"kinds without a page: {sorted(kinds - pages - notes)}; pages that docs/checks/README.md does "
                        f"not list, or the other way round: {sorted(pages ^ listed)}")


def main():
    check_pages()
    with tempfile.TemporaryDirectory() as folder:
        with open("docs/checks/copy-not-waited.md", encoding="utf-8") as file:
            bad, good = BLOCK.findall(file.read())
        write(folder, "bad.cu", bad)
        write(folder, "good.cu", good)
        flags = run(folder, "nvcc-flags").stdout.split()
        subprocess.run(["nvcc", *flags, "-o", "bad", "bad.cu"], cwd=folder, check=True)
        check_programs(folder)
        check_saved(folder)
        check_table(folder)
        check_suppressions(folder)
        check_refusals(folder)
        check_memory_words(folder)
        check_address_space(folder)
        check_help(folder)
    print("\n".join(problems))
    return 1 if problems else 0


if not os.environ.get("BANKRUN_TEST_NVCC"):
    print("nvcc is not there")
    sys.exit(77)
sys.exit(main())
