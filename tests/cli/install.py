"""What `make install` puts somewhere runs from there, whatever the folder is called, and `make
uninstall` leaves nothing."""

import os
import shutil
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(os.environ.get("BANKRUN_BUILD", "build"))

PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
__global__ void column(int *out) {
    __shared__ int tile[32][32];
    tile[threadIdx.x][0] = threadIdx.x;
    out[threadIdx.x] = tile[31 - threadIdx.x][0];
}
int main(int argc, char **argv) {
    int *out, value = -1;
    cudaMalloc(&out, 32 * sizeof *out);
    column<<<1, 32>>>(out);
    cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost);
    printf("%s %d\n", argv[0], value);
    fflush(stdout);
    return argc > 1 ? system(argv[1]) : 0;
}
"""
problems = []


def make(*words):
    done = subprocess.run(["make", "-s", "-o", "all", "BUILD=" + BUILD, *words], check=False,
                          capture_output=True, text=True)
    if done.returncode:
        problems.append(f"make {' '.join(words)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def files_below(folder):
    return sorted(os.path.join(path, n) for path, _, names in os.walk(folder) for n in names)


def compile_programs(folder):
    """Programs of each kind: how they reach the runtime differs."""
    with open(os.path.join(folder, "app 1.cu"), "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    for name, flags in (("shared", ["-cudart", "shared"]), ("static", []),
                        ("told", ["-cudart", "shared", "-Xlinker", "--disable-new-dtags", "-Xlinker",
                                  "-rpath=" + folder])):
        subprocess.run(["nvcc", "-lineinfo", *flags, "-o", name, "app 1.cu"], check=True, cwd=folder)
    with open(os.path.join(folder, "all.sh"), "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n./shared && ./static && ./told\n")
    os.chmod(os.path.join(folder, "all.sh"), 0o755)


def check_runs(bankrun, folder, temporary):
    """Programs run as they would without bankrun, and are counted; nothing is left of it."""
    os.makedirs(temporary)
    everything = "./shared 31\n./static 31\n./told 31\n"
    for words, stdout, count in (
            (["./shared"], "./shared 31\n", 62), (["./static"], "./static 31\n", 62),
            (["./told"], "./told 31\n", 62), (["app 1.cu"], None, 62),
            (["--follow", "./static", "./shared"], "./static 31\n./shared 31\n", 124),
            (["./all.sh"], everything, 186), (["--", "sh", "-c", "./all.sh"], everything, 186)):
        done = subprocess.run([bankrun, "run", "--fail-on", "excess", *words], cwd=folder,
                              env={**os.environ, "TMPDIR": temporary}, capture_output=True, text=True,
                              check=False)
        excess = f"{count} excess wavefronts"
        if done.returncode != 3 or (stdout and done.stdout != stdout) or excess not in done.stderr or \
                "ld.so" in done.stderr:
            problems.append(f"{bankrun} {' '.join(words)}: status {done.returncode}, wanted {excess}\n"
                            f"{done.stdout}{done.stderr}")
    left = os.listdir(temporary)
    if left:
        problems.append(f"{bankrun} left {left}")


def check_default():
    """What plain `ninja`, and so `make`, builds: the product and nothing that tests it."""
    inputs = subprocess.run(["ninja", "-C", os.environ["BANKRUN_BUILD"], "-t", "inputs", "all"],
                            check=True, capture_output=True, text=True).stdout.split("\n")
    tests = [path for path in inputs if path.startswith(("tests/", "bench/"))]
    if tests:
        problems.append(f"make builds tests: {tests[:3]}")


def check_install(top):
    made = os.path.join(top, "x y")
    make("install", "DESTDIR=" + made)
    make("install", "DESTDIR=" + made)  # over what is there
    found = files_below(made)
    for name in ("bankrun", "libcuda.so.1", "libcudart.so.12", "libbankrun-inject.so", "banks.h",
                 "bankrun.h", "libbankrun.a", "bankrun.pc", "bankrun-banks.pc", "bankrun.1", "bankrun-run.1"):
        if not any(path.endswith("/" + name) for path in found):
            problems.append(f"{name} was not installed")
    if any("test_" in path or "bench" in path for path in found):
        problems.append(f"more than the product was installed: {found}")
    bankrun = next(path for path in found if path.endswith("/bin/bankrun"))
    if shutil.which("nvcc"):
        compile_programs(top)
        check_runs(bankrun, top, os.path.join(top, "t e m p"))
        other = os.path.join(top, "a:b;c $ORIGIN")
        shutil.copytree(made, other, symlinks=True)
        check_runs(bankrun.replace(made, other), top, os.path.join(top, "temp"))
    make("uninstall", "DESTDIR=" + made)
    if os.path.exists(made):
        problems.append(f"uninstall left {files_below(made) or 'folders'}")


def main():
    if os.environ.get("BANKRUN_SANITIZER", "none") != "none":
        print("a sanitizer's library is to be loaded first")
        return 77
    check_default()
    with tempfile.TemporaryDirectory() as top:
        check_install(top)
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
