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

REFUSED = r"""
#include <cstdio>
#include <cuda_runtime.h>
template <int N> __global__ void scale(float *out) {
    extern __shared__ float tile[];
    tile[threadIdx.x] = N;
    out[threadIdx.x] = tile[threadIdx.x];
}
__global__ void parent(float *out) { scale<4><<<1, 2000, 64>>>(out); }
int main(int argc, char **argv) {
    float *out;
    cudaMalloc(&out, 4096);
    scale<3><<<1, 32, 128>>>(out);
    scale<3><<<1, 1025, 128>>>(out);
    scale<3><<<0, 32, 128>>>(out);
    for (int i = 0; i < 3; i++)
        scale<3><<<1, 32, 200 * 1024>>>(out);
    if (argc > 1) { // a graph's node, and a kernel of a kernel
        cudaGraph_t graph;
        cudaGraphNode_t node;
        void *arguments[] = {&out};
        cudaKernelNodeParams params = {};
        params.gridDim = dim3(1);
        params.func = (void *)scale<3>;
        params.blockDim = dim3(1, 1, 65);
        params.kernelParams = arguments;
        cudaGraphCreate(&graph, 0);
        cudaGraphAddKernelNode(&node, graph, NULL, 0, &params);
        parent<<<1, 1>>>(out);
    }
    cudaDeviceSynchronize();
    return 0;
}
"""

DRIVER = r"""
#include <cuda.h>
static const char good[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".visible .entry fill() { .shared .b32 word; ret; }\n";
static const char bad[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .entry fill() { fill.me; }\n";
int main(int argc, char **argv) {
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction function;
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuDevicePrimaryCtxRetain(&context, device);
    cuCtxSetCurrent(context);
    cuModuleLoadData(&module, good);
    cuModuleGetFunction(&function, module, "fill");
    cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0);
    switch (argc > 1 ? argv[1][0] : 0) {
    case 'l':
        cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 100000, 0, 0, 0);
        break;
    case 'm':
        cuModuleLoadData(&module, bad);
        break;
    case 'f':
        cuModuleLoad(&module, "/nowhere/kernel.cubin");
        break;
    case 'u':
        cuGraphicsUnregisterResource(0);
        cuGraphicsUnregisterResource(0);
        break;
    case 'q': // questions
        cuModuleGetFunction(&function, module, "no_such_kernel");
        char luid[8];
        unsigned mask;
        cuDeviceGetLuid(luid, &mask, device);
        break;
    }
    return 0;
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


def compiled(folder, name, text, *flags):
    """An executable."""
    source, app = write(folder, name + ".cu", text), os.path.join(folder, name)
    subprocess.run(["nvcc", "-lineinfo", "-gencode", "arch=compute_90,code=compute_90", "-cudart",
                    "shared", "-o", app, source, *flags], check=True)
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
    check_gates("1 reason why", 4, app, "paused")  # outside of what the program lets count
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


def check_refused(folder):
    app = compiled(folder, "refused", REFUSED, "-rdc=true", "-lcudadevrt")
    check_gates("5 launches were refused", 4, app)
    profile, path = profile_of(folder, app)
    check_saved(path, 4)
    refused = profile["refused"]
    expect_equal("launches", len(profile["launches"]), 1)
    expect_equal("times", [one["repeats"] for one in refused], [1, 1, 3])
    expect_equal("limits", [one["reasons"][0]["limit"] for one in refused],
                 ["block_extent", "grid_extent", "dynamic_shared"])
    expect_equal("asked", [one["reasons"][0]["asked"] for one in refused], [1025, 0, 204800])
    cure = "cudaFuncSetAttribute(scale<3>, cudaFuncAttributeMaxDynamicSharedMemorySize, 204800);"
    expect_equal("cure", refused[2]["reasons"][0]["cure"], cure)
    expect(run(app), 0, "launch 1 of 1, 5 refused", "scale<3>(float*): after launch 1, 3 times",
           "grid 1, block 1,025, dynamic shared 128 bytes", "a block has at most 1024 threads in x",
           "the grid is empty", "cure: " + cure)
    done = run("--format", "csv", "-o", "-", app)
    rows = [line for line in done.stdout.splitlines() if "refused with" in line]
    if len(rows) != 3 or rows[2].split(",")[1] != "scale<3>(float*)":
        problems.append(f"CSV: {done.stdout}")
    profile, path = profile_of(folder, app, "more")
    refused = profile["refused"]
    expect_equal("more", [one["reasons"][0]["asked"] for one in refused],
                 [1025, 0, 204800, 65, 2000])
    expect_equal("parents", [one["parent"] for one in refused[3:]], [None, "parent(float*)"])


def check_driver(folder):
    app = compiled(folder, "driver", DRIVER, "-lcuda")
    cure = "cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000);"
    expect(run(app, "launch"), 0, cure)
    expect(run("--fail-on", "fault", app, "launch"), 4, "1 launch was refused")
    for word, kind, text in (("module", "module", "a module of the program was not loaded: "),
                             ("file", "module", "/nowhere/kernel.cubin: No such file"),
                             ("unsupported", "unsupported", "cuGraphicsUnregisterResource is not supported")):
        check_gates("1 reason why the profile is incomplete", 4, app, word)
        profile, path = profile_of(folder, app, word)
        check_saved(path, 4)
        gap = profile["incomplete"][0]
        expect_equal(word, (gap["kind"], gap["count"]), (kind, 2 if word[0] == "u" else 1))
        expect(run(app, word), 0, "not all of the program is in this report")
        if text not in gap["text"]:
            problems.append(f"{word}: {gap}")
    for words in ([app], [app, "question"]):
        check_gates("", 0, *words)


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
    expect_equal("fault", launch["fault"], "interrupted by signal 2 (SIGINT)")
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
    write(folder, "third.sh", "#!/bin/sh\n./clean\n./driver unsupported 2>log\nexit 0\n")
    expect(run("-q", "--fail-on", "excess", "./third.sh", cwd=folder), 4, "is incomplete")
    expect(run("./third.sh", cwd=folder), 0, "(2 times), in ./driver")
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
        check_refused(folder)
        check_driver(folder)
        check_cut(folder)
        check_clean(folder)
        check_followed(folder)
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
