"""Programs that end, or whose children do, while a kernel of theirs is compiled: at any moment of it, as far as chance allows."""

import os
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(os.environ["BANKRUN_BUILD"])
DELAYS = range(0, 32, 2)  # milliseconds: LLVM is loaded and set up in 10 to 30
SEVERAL = 400  # sums in the loop: it takes LLVM a while

PROGRAM = r"""
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int cuInit(unsigned), cuDeviceGet(int *, int), cuDevicePrimaryCtxRetain(void **, int), cuCtxSetCurrent(void *);
int cuModuleLoadData(void **, const void *), cuModuleGetFunction(void **, void *, const char *);
int cuMemAlloc_v2(unsigned long long *, size_t);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);

static bool is_compiling(void) {
    bool found = false;
    DIR *threads = opendir("/proc/self/task");
    for (struct dirent *entry; threads && (entry = readdir(threads));) {
        char path[400], name[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE *file = fopen(path, "r");
        if (file && fgets(name, sizeof name, file))
            found |= !strcmp(name, "bankrun compile\n");
        if (file)
            fclose(file);
    }
    closedir(threads);
    return found;
}

// Not at once: what LLVM does first, it registers to be ended, under a lock of the C library's.
static int fails_in_children(void) {
    usleep(5000);
    for (int i = 0; i < 20; i++) {
        int status = 1;
        pid_t child = fork();
        if (child == 0) {
            alarm(60);
            exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
            fprintf(stderr, "child %d: status 0x%x\n", i, (unsigned)status);
            return 6;
        }
        usleep(2000);
    }
    return 0;
}

int main(int count, char **arguments) {
    static char ptx[1 << 20];
    int device, launches = 0;
    void *context, *module, *function;
    unsigned long long out;
    FILE *file = fopen(arguments[1], "r");
    if (!file || !fread(ptx, 1, sizeof ptx - 1, file))
        return 2;
    if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) || cuCtxSetCurrent(context) ||
        cuModuleLoadData(&module, ptx) || cuModuleGetFunction(&function, module, "sums") || cuMemAlloc_v2(&out, 4096))
        return 3;
    void *values[] = {&out};
    while (!is_compiling() && launches++ < 100000)
        if (cuLaunchKernel(function, 4, 1, 1, 64, 1, 1, 0, NULL, values, NULL))
            return 4;
    if (launches > 100000)
        return 5;
    if (!strcmp(arguments[2], "children"))
        return fails_in_children();
    usleep((unsigned)atoi(arguments[2]) * 1000);
    return count != 3;
}
"""

KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry sums(.param .u64 out)
{
    .reg .pred %p<2>;
    .reg .b32 %r<5>;
    .reg .b64 %rd<4>;
    .shared .align 4 .b8 tile[1024];
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, 0;
    mov.u32 %r3, 0;
again:
SUMS
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, 40;
    @%p1 bra again;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r3;
    ret;
}
"""


def run(program, ptx, how):
    environment = {**os.environ, "LD_LIBRARY_PATH": BUILD, "BANKRUN_ENGINE": "auto", "BANKRUN_CACHE": "", "BANKRUN_PROFILE": "",
                   "BANKRUN_THREADS": "1"}
    return subprocess.run([program, ptx, how], env=environment, capture_output=True, text=True, check=False, timeout=300)


def main():
    if os.environ.get("BANKRUN_SANITIZER", "none") != "none":
        print("a sanitizer's library is to be loaded first")
        return 77
    if not os.path.exists(os.path.join(BUILD, "libbankrun-compile.so")):
        print("this build has no libbankrun-compile.so")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        program, ptx = (os.path.join(folder, name) for name in ("program", "sums.ptx"))
        with open(ptx, "w", encoding="utf-8") as file:
            file.write(KERNEL.replace("SUMS", "\n".join(f"    xor.b32 %r4, %r3, %r1;\n    mad.lo.u32 %r3, %r4, {2 * n + 3}, %r2;"
                                                        for n in range(SEVERAL))))
        subprocess.run(["cc", "-x", "c", "-", "-o", program, "-L", BUILD, "-l:libcuda.so.1"], input=PROGRAM, text=True, check=True,
                       env={name: value for name, value in os.environ.items() if name != "LD_PRELOAD"})
        problems = []
        for how in [*map(str, DELAYS), "children"]:
            process = run(program, ptx, how)
            if process.returncode or process.stderr:
                problems.append(f"{how}: status {process.returncode}\n{process.stderr[-600:]}")
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
