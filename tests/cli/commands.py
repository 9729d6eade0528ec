"""Commands that start CUDA programs: each process is simulated, one report is on all."""

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

BANKRUN = os.environ.get("BANKRUN", "build/bankrun")

KERNEL = r"""
#include <cstdio>
#include <csignal>
__global__ void %(name)s(int *out) {
    __shared__ int tile[32][32];
    tile[threadIdx.x][0] = threadIdx.x;
    out[threadIdx.x] = tile[31 - threadIdx.x][0];
}
static int first() {
    int *out, value = -1;
    cudaMalloc(&out, 32 * sizeof *out);
    %(name)s<<<1, 32>>>(out);
    if (cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost) != cudaSuccess)
        return -1;
    cudaFree(out);
    return value;
}
"""
PROGRAM = KERNEL + r"""
int main(int argc, char **argv) {
    printf("%(name)s %%d\n", first());
    fflush(stdout);
    if (argc > 1)
        raise(SIGKILL);
    return 0;
}
"""
LIBRARY = KERNEL + r"""
extern "C" int from_library() { return first(); }
"""
HOST = r"""
#include <stdio.h>
int from_library(void);
int main(void) {
    printf("library %d\n", from_library());
    return 0;
}
"""
LATE = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
    for (int i = 0; i < 2; i++) {
        int (*function)(void);
        void *library = dlopen("./libshared.so", RTLD_NOW);
        *(void **)&function = library ? dlsym(library, "from_library") : NULL;
        printf("late %d\n", function ? function() : -1);
        dlclose(library);
    }
    return 0;
}
"""
TWO = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        int (*function)(void);
        void *library = dlopen(argv[i], RTLD_NOW);
        *(void **)&function = library ? dlsym(library, "from_library") : NULL;
        printf("%d\n", function ? function() : -2);
    }
    return 0;
}
"""
HOST_ONLY = r"""
#include <cuda_runtime.h>
extern "C" int devices() {
    int count = -1;
    void *memory;
    return cudaGetDeviceCount(&count) || cudaMalloc(&memory, 64) ? -1 : count;
}
"""
PARENT = PROGRAM.replace("return 0;\n}", "return system(\"./plain\");\n}")
RUNTIME_COMPILED = r"""
#include <cstdio>
#include <vector>
#include <cuda.h>
#include <nvrtc.h>
static const char source[] =
    "extern \"C\" __global__ void made(int *out) {\n"
    "    __shared__ int tile[32][32];\n"
    "    tile[threadIdx.x][0] = threadIdx.x;\n"
    "    out[threadIdx.x] = tile[threadIdx.x][0] + 5;\n"
    "}\n";
int main() {
    nvrtcProgram program;
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUdeviceptr out;
    size_t bytes;
    int value = 0;
    const char *options[] = {"--gpu-architecture=sm_90"};
    nvrtcCreateProgram(&program, source, "made.cu", 0, NULL, NULL);
    nvrtcCompileProgram(program, 1, options);
    nvrtcGetCUBINSize(program, &bytes);
    std::vector<char> code(bytes);
    nvrtcGetCUBIN(program, code.data());
    cuInit(0);
    cuDevicePrimaryCtxRetain(&context, 0);
    cuCtxSetCurrent(context);
    int status = cuModuleLoadData(&module, code.data());
    if (status == 0)
        status = cuModuleGetFunction(&function, module, "made");
    cuMemAlloc(&out, 128);
    void *arguments[] = {&out};
    if (status == 0)
        status = cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL);
    cuMemcpyDtoH(&value, out, 4);
    printf("made %d %d\n", status, value);
    return status;
}
"""
CMAKE = """
cmake_minimum_required(VERSION 3.18)
project(demo LANGUAGES CXX CUDA)
add_executable(demo plain.cu)
enable_testing()
add_test(NAME demo COMMAND demo)
"""

problems = []


def run(*words, cwd):
    return subprocess.run([BANKRUN, *words], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, cwd=cwd)


def expect(done, status, stdout=None, *stderr):
    command = " ".join(done.args)
    if done.returncode != status:
        problems.append(f"{command}: status {done.returncode} instead of {status}\n{done.stderr}")
    if stdout is not None and done.stdout != stdout:
        problems.append(f"{command}: stdout {done.stdout!r}")
    for text in stderr:
        if text not in done.stderr:
            problems.append(f"{command}: stderr lacks {text!r}:\n{done.stderr}")


def write(folder, name, text, is_script=False):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    if is_script:
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)


def compile_programs(folder):
    flags = subprocess.run([BANKRUN, "nvcc-flags"], capture_output=True, text=True,
                           check=True).stdout.split()
    if "-lineinfo" not in flags or "arch=compute_90,code=compute_90" not in flags:
        problems.append(f"nvcc-flags: {flags}")
    for name, text in (("plain", PROGRAM), ("other", PROGRAM), ("parent", PARENT),
                       ("shared", LIBRARY)):
        write(folder, name + ".cu", text % {"name": name})
    write(folder, "host.c", HOST)
    write(folder, "late.c", LATE)

    def nvcc(*words):
        subprocess.run(["nvcc", *words], check=True, cwd=folder)

    nvcc(*flags, "-o", "plain", "plain.cu")
    nvcc("-lineinfo", "-o", "other", "other.cu")  # static runtime
    nvcc("-lineinfo", "-o", "parent", "parent.cu")
    nvcc("-lineinfo", "-shared", "-Xcompiler", "-fPIC", "-o", "libshared.so", "shared.cu")
    subprocess.run(["gcc", "-o", "host", "host.c", "-L.", "-lshared", "-Wl,-rpath,$ORIGIN"],
                   check=True, cwd=folder)
    subprocess.run(["gcc", "-o", "late", "late.c", "-ldl"], check=True, cwd=folder)
    # The static runtime alone, as a module of Python has it.
    write(folder, "host_only.cpp", HOST_ONLY)
    nvcc("-shared", "-Xcompiler", "-fPIC", "-nodlink", "-o", "libhostonly.so", "host_only.cpp")
    # What cuBLAS is: a static runtime without symbols in a library that nobody can build anew.
    nvcc("-shared", "-Xcompiler", "-fPIC", "-o", "libcublas.so", "shared.cu")
    subprocess.run(["strip", "libcublas.so"], check=True, cwd=folder)
    shutil.copy(os.path.join(folder, "libcublas.so"), os.path.join(folder, "libcusolver.so"))
    write(folder, "two.c", TWO)
    subprocess.run(["gcc", "-o", "two", "two.c", "-ldl"], check=True, cwd=folder)
    subprocess.run(["gcc", "-o", "blas", "host.c", "-L.", "-lcublas", "-Wl,-rpath,$ORIGIN"],
                   check=True, cwd=folder)
    shutil.copy(os.path.join(folder, "other"), os.path.join(folder, "stripped"))
    subprocess.run(["strip", "stripped"], check=True, cwd=folder)


def check_commands(folder):
    write(folder, "Makefile", "check:\n\t@./plain\n\t@./other\n\t@./host\n\t@/bin/true\n")
    everything = "plain 31\nother 31\nlibrary 31\n"
    expect(run("make", "-s", "check", cwd=folder), 0, everything, "3 processes used CUDA",
           "./plain", "./other", "./host", "plain.cu:6", "other.cu:6", "shared.cu:6")
    done = run("run", "--format", "json", "--", "make", "-s", "check", cwd=folder)
    expect(done, 0, None, *everything.splitlines())  # the report has stdout for itself
    if len(json.loads(done.stdout)["processes"]) != 3:
        problems.append(f"stdout: {done.stdout}")
    done = run("run", "--format", "json", "-o", "all.json", "--", "make", "-s", "check", cwd=folder)
    expect(done, 0, everything)
    with open(os.path.join(folder, "all.json"), encoding="utf-8") as file:
        profile = json.load(file)
    names = [process["program"][0] for process in profile.get("processes", [])]
    if names != ["./plain", "./other", "./host"] or len(profile["launches"]) != 3:
        problems.append(f"processes {names}, {len(profile['launches'])} launches")
    expect(run("report", "all.json", cwd=folder), 0)
    expect(run("--fail-on", "excess", "-q", "make", "-s", "check", cwd=folder), 3, everything,
           "186 excess wavefronts")
    expect(run("--no-count", "make", "-s", "check", cwd=folder), 0, everything)
    write(folder, "tests.sh", "#!/bin/sh\n./plain >log 2>&1\nexit 7\n", True)
    expect(run("./tests.sh", cwd=folder), 7, "", "1 process used CUDA")
    expect(run("run", "--", "./tests.sh", "x", cwd=folder), 7, "", "1 process used CUDA")
    expect(run("./host", cwd=folder), 0, "library 31\n", "shared.cu:6")
    # Loaded late, and once more where it was unloaded.
    done = run("./late", cwd=folder)
    expect(done, 0, "late 31\nlate 31\n", "shared.cu:6")
    if "not simulated" in done.stderr or "is not in this report" in done.stderr:
        problems.append(f"a library that is loaded late is whole:\n{done.stderr}")
    write(folder, "host_only.py", "import ctypes\nprint(ctypes.CDLL('./libhostonly.so').devices())\n")
    expect(run("--devices", "3", sys.executable, "host_only.py", cwd=folder), 0, "3\n", "1 process used CUDA")
    done = run("./parent", cwd=folder)
    expect(done, 0, "parent 31\nplain 31\n", "parent.cu:6")
    if "plain.cu" in done.stderr:
        problems.append(f"a child was counted without --follow:\n{done.stderr}")
    expect(run("--follow", "./parent", cwd=folder), 0, "parent 31\nplain 31\n",
           "2 processes used CUDA", "plain.cu:6", "parent.cu:6")


def check_what_is_missed(folder):
    # stderr of the programs is lost: what bankrun itself says at the end has to do.
    write(folder, "stripped.sh", "#!/bin/sh\n./stripped >/dev/null 2>&1\n./plain >log 2>&1\nexit 0\n",
          True)
    expect(run("./stripped.sh", cwd=folder), 0, "", "not simulated:", "without symbols")
    expect(run("-q", "--fail-on", "excess=1000", "./stripped.sh", cwd=folder), 4, "",
           "not simulated:", "the profile is incomplete")
    expect(run("-q", "--fail-on", "fault", "./stripped.sh", cwd=folder), 4)
    done = run("./blas", cwd=folder)
    expect(done, 2, "library -1\n", "libcublas.so exists only as machine code")
    done = run("./two", "./libcublas.so", "./libcusolver.so", "./libcublas.so", cwd=folder)  # each is named, once
    expect(done, 2, "-1\n-1\n-1\n", "libcublas.so exists only as machine code, which bankrun does not run: calls of it "
           "fail (--libraries cpu computes them)\n", "libcusolver.so exists only as machine code, which bankrun does not run: "
           "calls of it fail\n")
    if "rebuild it" in done.stderr or "build it with" in done.stderr:
        problems.append(f"nobody can build cuBLAS anew:\n{done.stderr}")
    write(folder, "killed.sh", "#!/bin/sh\n./plain x >log 2>&1\nexit 0\n", True)
    expect(run("./killed.sh", cwd=folder), 0, "", "./plain was killed", "plain.cu:6")
    expect(run("--fail-on", "excess=1000", "./killed.sh", cwd=folder), 4, "", "incomplete")
    expect(run("/bin/true", cwd=folder), 2, "", "no process used CUDA")
    for form, reads in (("json", json.loads), ("sarif", json.loads), ("junit", ElementTree.fromstring)):
        nothing = run("--format", form, "/bin/true", cwd=folder)
        expect(nothing, 2, None, "no process used CUDA")
        reads(nothing.stdout)
    expect(run("--trace", "x.cu:1", "./killed.sh", cwd=folder), 2, "", "--trace looks at one program")
    expect(run("--follow", "plain.cu", cwd=folder), 2, "", "neither an executable nor a script")
    subprocess.run(["nvcc", "-gencode", "arch=compute_90,code=sm_90", "-cudart", "shared", "-o",
                    "code", "plain.cu"], check=True, cwd=folder)
    write(folder, "code.sh", "#!/bin/sh\n./code >log 2>&1\nexit 0\n", True)
    expect(run("./code.sh", cwd=folder), 0, "",
           "not simulated: the program holds machine code only")
    unseen = json.loads(run("--format", "json", "./code.sh", cwd=folder).stdout)
    if unseen["launches"] or "machine code only" not in str(unseen["incomplete"]):
        problems.append(f"of a program that cannot be seen: {unseen}")
    # A library that is loaded late by a program that was not linked with CUDA at all.
    write(folder, "late.py", "import ctypes\nctypes.CDLL('./libshared.so').from_library()\n")
    expect(run("python3", "late.py", cwd=folder), 0, None, "1 process used CUDA", "shared.cu:6")


def check_runtime_compilation(folder):
    library = os.path.join(os.path.dirname(os.path.dirname(shutil.which("nvcc"))), "lib")
    write(folder, "made.cpp", RUNTIME_COMPILED)
    build = subprocess.run(["nvcc", "-cudart", "none", "-o", "made", "made.cpp", "-lnvrtc", "-lcuda",
                            "-Xlinker", "-rpath=" + library], cwd=folder, check=False,
                           capture_output=True, text=True)
    if build.returncode:
        print("without NVRTC: " + build.stderr.strip())
        return
    done = run("./made", cwd=folder)
    if done.returncode == 127:  # the dynamic linker does not find it
        print("without NVRTC: " + done.stderr.strip())
        return
    expect(done, 0, "made 0 5\n", "made.cu:3")


def check_cmake(folder):
    if not shutil.which("cmake"):
        print("without cmake")
        return
    write(folder, "CMakeLists.txt", CMAKE)
    flags = subprocess.run([BANKRUN, "nvcc-flags"], capture_output=True, text=True,
                           check=True).stdout.strip()
    subprocess.run(["cmake", "-S", ".", "-B", "made-by-cmake", "-DCMAKE_CUDA_FLAGS=" + flags,
                    "-DCMAKE_CUDA_RUNTIME_LIBRARY=Shared", "-DCMAKE_CUDA_ARCHITECTURES=90",
                    "-DCMAKE_CUDA_COMPILER=" + shutil.which("nvcc")], check=True, cwd=folder,
                   stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "made-by-cmake"], check=True, cwd=folder,
                   stdout=subprocess.DEVNULL)
    expect(run("run", "--", "ctest", "--test-dir", "made-by-cmake", cwd=folder), 0, None,
           "1 process used CUDA", "plain.cu:6")


def main():
    if not shutil.which("nvcc"):
        print("nvcc is not there")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        compile_programs(folder)
        check_commands(folder)
        check_what_is_missed(folder)
        check_runtime_compilation(folder)
        check_cmake(folder)
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
