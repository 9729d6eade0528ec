"""CUDA programs as child processes: arguments, output, exit status, signals, compile errors."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BANKRUN = os.environ.get("BANKRUN", "build/bankrun")

PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
__global__ void touch(int *out) {
    __shared__ int tile[32][32];
    tile[threadIdx.x][0] = threadIdx.x;
    out[threadIdx.x] = tile[threadIdx.x][0] + FACTOR;
}
int main(int argc, char **argv) {
    int *out, first;
    cudaMalloc(&out, 32 * sizeof *out);
    touch<<<1, 32>>>(out);
    cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);
    printf("first %d, arguments", first);
    for (int i = 1; i < argc; i++)
        printf(" %s", argv[i]);
    printf("\n");
    fflush(stdout);
    if (argc > 1 && !strcmp(argv[1], "exit"))
        return atoi(argv[2]);
    if (argc > 1 && !strcmp(argv[1], "abort"))
        abort();
    if (argc > 1 && !strcmp(argv[1], "crash"))
        *(volatile int *)8 = 1;
    if (argc > 1 && !strcmp(argv[1], "copy")) // dies in a call of the runtime
        cudaMemcpy((void *)8, out, sizeof first, cudaMemcpyDeviceToHost);
    if (argc > 1 && !strcmp(argv[1], "leave"))
        _exit(0);
    if (argc > 1 && !strcmp(argv[1], "sleep"))
        sleep(60);
    return 0;
}
"""

problems = []


def run(*words, **environment):
    return subprocess.run([BANKRUN, *words], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, env={**os.environ, **environment})


def expect(done, status, stdout=None, stderr=None):
    command = " ".join(done.args)
    if done.returncode != status:
        problems.append(f"{command}: status {done.returncode} instead of {status}\n{done.stderr}")
    if stdout is not None and done.stdout != stdout:
        problems.append(f"{command}: stdout {done.stdout!r}")
    if stderr is not None and stderr not in done.stderr:
        problems.append(f"{command}: stderr lacks {stderr!r}:\n{done.stderr}")


def check_source(source):
    done = run("-DFACTOR=7", source, "--arch", "-o", "x")  # the program's, whatever they look like
    expect(done, 0, "first 7, arguments --arch -o x\n", "31")
    if source not in done.stderr:
        problems.append(f"the report does not name {source}:\n{done.stderr}")
    expect(run("--nvcc-flag=-DFACTOR=2", "--quiet", source), 0, "first 2, arguments\n", "")
    expect(run("-DFACTOR=1", "--arch", "sm_80", source, "exit", "9"), 9,
           "first 1, arguments exit 9\n", "excess")
    expect(run("-DFACTOR=1", "--fail-on", "excess", source), 3, None, "--fail-on allows 0")
    expect(run("-DFACTOR=1", "--fail-on", "excess", source, "exit", "4"), 4)
    expect(run(source), 2, "", "FACTOR")  # the compiler's own message
    expect(run("-DFACTOR=1", "--nvcc", "/no/nvcc", source), 2, "", "/no/nvcc")
    expect(run("-DFACTOR=1", "--launch", "k<<<1,1>>>()", source), 2, "",
           "no kernel 'k' in the module")


def check_executable(folder, source):
    app = os.path.join(folder, "app")
    nvcc = ["nvcc", "-DFACTOR=3", "-lineinfo", "-gencode", "arch=compute_80,code=compute_80", source]
    subprocess.run(nvcc + ["-cudart", "shared", "-o", app], check=True)
    expect(run(app, "a", "b c"), 0, "first 3, arguments a b c\n", "program.cu")
    expect(run("--launch", "k<<<1,1>>>()", app), 2, "", "is for .ptx and .cu files")
    expect(run("--dump", "out=-", app), 2, "", "--dump writes a buffer of --launch, which is not given")
    # A program that dies leaves its profile, and so does one that leaves by a side door.
    for how, number in (("abort", signal.SIGABRT), ("crash", signal.SIGSEGV),
                        ("copy", signal.SIGSEGV)):
        # A sanitizer in the library would take the signal for itself.
        options = os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0"
        done = run(app, how, ASAN_OPTIONS=options)
        expect(done, 128 + number, None, f"killed by signal {number:d}")
        if "32-way bank conflict" not in done.stderr:
            problems.append(f"{how}: no report\n{done.stderr}")
    expect(run(app, "leave"), 0, None, "32-way bank conflict")
    process = subprocess.Popen([BANKRUN, app, "sleep"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    process.stdout.readline()  # the kernel has run
    time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=60)
    if process.returncode != 128 + signal.SIGTERM or "excess" not in errors:
        problems.append(f"SIGTERM: status {process.returncode}\n{errors}")

    # The library is found in spite of an RPATH to another one.
    other = os.path.join(folder, "other")
    os.mkdir(other)
    with open(os.path.join(other, "libcudart.so.13"), "w", encoding="utf-8") as file:
        file.write("not a library")
    subprocess.run(nvcc + ["-cudart", "shared", "-o", app, "-Xlinker", "--disable-new-dtags",
                           "-Xlinker", "-rpath," + other], check=True)
    expect(run(app), 0, "first 3, arguments\n", "excess")

    # A static runtime is replaced; without symbols it cannot be.
    subprocess.run(nvcc + ["-cudart", "static", "-o", app], check=True)
    expect(run(app, "x"), 0, "first 3, arguments x\n", "program.cu")
    subprocess.run(["strip", app], check=True)
    expect(run(app), 2, "", "-cudart shared")
    with open(app, "rb") as file:
        data = file.read()
    with open(app, "wb") as file:
        file.write(data[:len(data) // 2])
    expect(run(app), 2, "", "truncated")


def main():
    if not shutil.which("nvcc"):
        print("nvcc is not there")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "program.cu")
        with open(source, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        check_source(source)
        check_executable(folder, source)
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
