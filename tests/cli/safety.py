"""The report of a run beside its counts: whether accesses stay in their arrays, and whether threads race."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

BANKRUN = os.environ.get("BANKRUN", "build/bankrun")
problems = []

SOURCE = """__global__ void neat(float *out, const float *in) {
    __shared__ float tile[32][33];
    const int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[32 * y + x];
    __syncthreads();
    out[32 * y + x] = tile[x][y];
}
__global__ void too_far(int *out, int n) {
    __shared__ int first[64], second[64];
    const int t = threadIdx.x;
    second[t] = 1;
    first[t] = 2;
    __syncthreads();
    if (n > 3)
        out[t] = first[t + n];
    out[t] += second[t] + first[t + 1];
}
__global__ void maybe(int *out, const int *in) {
    __shared__ int first[64], second[64];
    const int t = threadIdx.x;
    second[t] = 1;
    first[t] = 2;
    __syncthreads();
    if (in[t])
        out[t] = second[t] + first[t + 1];
}
__global__ void racing(int *out) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = t;
    out[t] = s[63 - t];
}
__global__ void unknown(int *out, const int *index) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    out[t] = s[index[t]];
}
__global__ void by_size(int *out) {
    extern __shared__ int s[];
    const int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    out[t] = s[63 - t];
}
int main() {
    int *i;
    float *f;
    cudaMalloc(&i, 8192);
    cudaMalloc(&f, 8192);
    cudaMemset(i, 0, 8192);
    cudaMemset(f, 0, 8192);
    neat<<<1, dim3(32, 32)>>>(f + 1024, f);
    too_far<<<1, 64>>>(i, 2);
    cudaMemset(i + 100, 1, 256);
    maybe<<<1, 64>>>(i, i + 100);
    racing<<<1, 64>>>(i);
    cudaMemset(i, 0, 8192);
    unknown<<<1, 64>>>(i, i + 100);
    by_size<<<1, 64, 256>>>(i);
    by_size<<<1, 64, 512>>>(i);
    return cudaDeviceSynchronize();
}
"""

# Kernel: what the report says unless all is asked for, and what it says then.
PROBLEMS = {
    "neat": ([], ["stay in their arrays: 2 of 2 accesses are proved to, aligned", "free of races: proved of shared memory",
                  "bounds +stays in tile"]),
    "too_far": ([r"safe.cu:16: leaves first: thread 63 accesses bytes 256 to 259 of 256, which are in second"],
                ["3 of 4 accesses", "free of races: "]),
    "maybe": ([r"safe.cu:25: can leave first: thread 63, where it comes here, accesses bytes 256 to 259 of 256, which are in second"],
              ["3 of 4 accesses", "free of races: "]),
    "racing": ([r"a race in every block, for every input: thread 0 writes at safe.cu:30, thread 63 reads at safe.cu:31"],
               ["2 of 2 accesses"]),
    "unknown": ([], ["1 of 2 accesses", "bounds +not proved to stay in s: index loaded from memory", "free of races: "]),
    "by_size": ([], ["2 of 2 accesses", "free of races: "]),
}
VERDICTS = {"neat": (["proved", "proved"], "free"), "too_far": (["proved"] * 3 + ["violated"], "free"),
            "maybe": (["possible"] + ["proved"] * 3, "free"), "racing": (["proved"] * 2, "race"),
            "unknown": (["proved", "unknown"], "free"), "by_size": (["proved"] * 2, "free")}


def bankrun(*words):
    return subprocess.run([BANKRUN, *words], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)


def sections(text):
    """What is said of each kernel, by its name."""
    found = {}
    for part in re.split(r"^--- ", text, flags=re.MULTILINE)[1:]:
        found.setdefault(re.match(r"\w+", part).group(), part)
    return found


def found(pattern, text):
    """However the lines are broken."""
    return re.search(pattern.replace(" ", r"\s+"), text)


def check_text(profile):
    short, long = (sections(bankrun("report", *words, profile).stdout) for words in ((), ("--verbose",)))
    for kernel, (always, verbose) in PROBLEMS.items():
        for pattern in always:
            if not found(pattern, short[kernel]):
                problems.append(f"{kernel}: not found: {pattern}\n{short[kernel]}")
        for pattern in always + verbose:
            if not found(pattern, long[kernel]):
                problems.append(f"{kernel}, --verbose: not found: {pattern}\n{long[kernel]}")
        if not always and re.search("race|leave|bounds|stay", short[kernel]):
            problems.append(f"{kernel}: something is said of nothing wrong:\n{short[kernel]}")


def check_json(profile, folder):
    with open(profile, encoding="utf-8") as file:
        saved = json.load(file)
    for launch in saved["launches"]:
        kernel = launch["kernel"].split("(")[0]
        bounds = sorted(site["bounds"] for site in launch["sites"] if site["space"] == "shared")
        if (bounds, launch["races"]) != VERDICTS[kernel]:
            problems.append(f"{kernel}: {bounds}, {launch['races']}")
        if any("bounds" in site for site in launch["sites"] if site["space"] == "global"):
            problems.append(f"{kernel}: bounds of global memory")
    again = os.path.join(folder, "again.json")
    bankrun("report", "--format", "json", profile, "-o", again)
    with open(again, encoding="utf-8") as file:
        if json.load(file)["launches"] != saved["launches"]:
            problems.append("a profile that is read and saved again is another one")
    saved["launches"][0]["races"] = "perhaps"
    with open(again, "w", encoding="utf-8") as file:
        json.dump(saved, file)
    done = bankrun("report", again)
    if done.returncode != 2 or "races" not in done.stderr:
        problems.append(f"races: perhaps: status {done.returncode}: {done.stderr}")


def main():
    if not shutil.which("nvcc"):
        print("skipped: nvcc was not found")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        source, profile = os.path.join(folder, "safe.cu"), os.path.join(folder, "run.json")
        with open(source, "w", encoding="utf-8") as file:
            file.write(SOURCE)
        done = bankrun("run", "--as", "written", "--format", "json", "-o", profile, source)
        if done.returncode:
            problems.append(f"the program ended with {done.returncode}: {done.stderr}")
        else:
            check_text(profile)
            check_json(profile, folder)
    print("\n".join(problems), file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
