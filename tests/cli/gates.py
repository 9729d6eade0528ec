"""--fail-on: nothing passes that did not run to its end, and nothing fails that did."""

import json
import os
import signal
import subprocess
import sys
import tempfile

BANKRUN = os.environ.get("BANKRUN", "build/bankrun")

FAULT = r"""
#include <cstdio>
#include <cstdlib>
#include <cuda_profiler_api.h>
__global__ void fill(int *out, int at) { out[at + threadIdx.x] = 1; }
int main(int argc, char **argv) {
    int *out;
    cudaMalloc(&out, 128);
    fill<<<1, 32>>>(out, 0);
    if (argc > 1)
        cudaProfilerStop();
    fill<<<2, 64>>>(out, 1 << 28);
    cudaDeviceSynchronize();
    return argc > 2 ? atoi(argv[2]) : 0;
}
"""

# A kernel without an end. Once it runs, the process gets the signal of the first argument.
SPIN = r"""
#include <csignal>
#include <cstdlib>
#include <pthread.h>
#include <unistd.h>
__global__ void spin(volatile int *flags) {
    flags[0] = 1;
    while (!flags[1])
        ;
}
static volatile int *flags;
static int number;
static void *end(void *) {
    while (!flags[0])
        usleep(1000);
    kill(getpid(), number);
    return NULL;
}
int main(int argc, char **argv) {
    pthread_t thread;
    number = argc > 1 ? atoi(argv[1]) : 0;
    cudaHostAlloc((void **)&flags, 8, cudaHostAllocDefault);
    flags[0] = flags[1] = 0;
    if (number)
        pthread_create(&thread, NULL, end, NULL);
    spin<<<1, 32>>>(flags);
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""

CLEAN = r"""
#include <cstdio>
__global__ void fill(int *out) { out[threadIdx.x] = 1; }
int main() {
    int *out, value, count;
    // What a careful program asks, and may be told "no".
    cudaDeviceGetAttribute(&value, (cudaDeviceAttr)12345, 0);
    cudaGetDeviceCount(&count);
    cudaSetDevice(count + 5);
    cudaDeviceCanAccessPeer(&value, 0, 1);
    cudaPeekAtLastError();
    cudaGetLastError();
    cudaStreamQuery(0);
    cudaMalloc(&out, (size_t)1 << 60);
    cudaGetLastError();
    cudaMalloc(&out, 128);
    fill<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
"""

problems = []


def run(*words, cwd=None):
    return subprocess.run([BANKRUN, *words], capture_output=True, text=True, check=False, cwd=cwd,
                          stdin=subprocess.DEVNULL)


def expect(done, status, *stderr):
    command = " ".join(done.args)
    if done.returncode != status:
        problems.append(f"{command}: status {done.returncode} instead of {status}\n{done.stderr}")
    for words in stderr:
        if words not in done.stderr:
            problems.append(f"{command}: stderr lacks {words!r}:\n{done.stderr}")


def expect_equal(what, found, wanted):
    if found != wanted:
        problems.append(f"{what}: {found!r} instead of {wanted!r}")


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    if text.startswith("#!"):
        os.chmod(path, 0o755)
    return path


def compiled(folder, name, text):
    """An executable."""
    source, app = write(folder, name + ".cu", text), os.path.join(folder, name)
    subprocess.run(["nvcc", "-lineinfo", "-gencode", "arch=compute_90,code=compute_90", "-cudart",
                    "shared", "-o", app, source], check=True)
    return app


def profile_of(folder, *words, status=0):
    """What the run left as JSON; each gate must say the same of it later."""
    path = os.path.join(folder, "saved.json")
    expect(run("--format", "json", "-o", path, *words), status)
    with open(path, encoding="utf-8") as file:
        return json.load(file), path


def check_gates(name, status, *words):
    """Every gate, on the run itself."""
    for gate in ("fault", "excess", "excess=1000", "excess=1000,fault"):
        expect(run("-q", "--fail-on", gate, *words), status, *([name] if status == 4 else []))
    expect(run("-q", *words), 0)


def check_saved(path, status):
    expect(run("report", path), 0)
    for gate in ("fault", "excess=1000"):
        expect(run("report", "--fail-on", gate, path), status)


def check_fault(folder):
    app = compiled(folder, "fault", FAULT)
    check_gates("1 launch ended in a fault", 4, app)
    expect(run("-q", "--fail-on", "fault", "--fail-on", "excess", app), 4)
    expect(run("-q", "--fail-on", "fault", app, "x", "7"), 7)  # the program's own status stays
    profile, path = profile_of(folder, app)
    check_saved(path, 4)
    expect_equal("launches", [launch["fault"] is None for launch in profile["launches"]],
                 [True, False])
    fault = profile["launches"][1]["faults"][0]
    expect_equal("kind", fault["kind"], "illegal_address")
    expect_equal("line", (os.path.basename(fault["file"]), fault["line"]), ("fault.cu", 5))
    expect_equal("function", fault["function"], "fill(int*, int)")
    expect_equal("instruction", fault["instruction"], "st.global.u32")
    expect_equal("block", fault["block"], [0, 0, 0])
    expect_equal("lane", (fault["thread"], fault["warp"], fault["lane"]), ([0, 0, 0], 0, 0))
    if fault["address"] not in fault["message"]:
        problems.append(f"another address: {fault}")


def check_cut(folder):
    app = compiled(folder, "spin", SPIN)
    limit = ("--max-instructions", "100000")
    expect(run("-q", "--fail-on", "fault", *limit, app), 1)  # the program saw it
    profile, path = profile_of(folder, *limit, app, status=1)
    check_saved(path, 4)
    launch = profile["launches"][0]
    expect_equal("limit", launch["cut_short"], {"by": "instructions", "signal": None})
    expect_equal("kind", launch["faults"][0]["kind"], "instruction_limit")
    script = write(folder, "cut.sh", "#!/bin/sh\n./spin 2\nexit 0\n")
    path = os.path.join(folder, "cut.json")
    expect(run("--format", "json", "-o", path, "--fail-on", "fault", script, cwd=folder), 4,
           "1 launch was cut short")
    with open(path, encoding="utf-8") as file:
        launch = json.load(file)["launches"][0]
    expect_equal("signal", launch["cut_short"], {"by": "signal", "signal": int(signal.SIGINT)})
    expect_equal("fault", launch["fault"], "cut short by signal 2 (SIGINT)")
    expect(run("report", path), 0)


def check_clean(folder):
    app = compiled(folder, "clean", CLEAN)
    check_gates("", 0, app)
    profile, path = profile_of(folder, app)
    check_saved(path, 0)
    for key in ("refused", "incomplete"):
        if key in profile:
            problems.append(f"{key} in a clean profile: {profile[key]}")


def check_followed(folder):
    write(folder, "both.sh", "#!/bin/sh\n./clean\n./fault >log 2>&1\n./clean\nexit 0\n")
    for gate in ("fault", "excess"):
        expect(run("-q", "--fail-on", gate, "./both.sh", cwd=folder), 4, "1 launch ended in a fault")
    write(folder, "clean.sh", "#!/bin/sh\n./clean\n./clean\n")
    expect(run("-q", "--fail-on", "excess,fault", "./clean.sh", cwd=folder), 0)
    write(folder, "killed.sh", "#!/bin/sh\n./clean\n./spin 9\nexit 0\n")
    expect(run("-q", "--fail-on", "fault", "./killed.sh", cwd=folder), 4)


def main():
    if subprocess.run(["sh", "-c", "command -v nvcc"], capture_output=True, check=False).returncode:
        print("no nvcc")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        check_fault(folder)
        check_cut(folder)
        check_clean(folder)
        check_followed(folder)
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
