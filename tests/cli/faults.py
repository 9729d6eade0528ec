"""Fault injection: the n-th allocation, write, fork ... of bankrun and of its runtime library fails.

Whatever fails, a run ends soon and says the truth: status 0 and the profile that an undisturbed run leaves, or
another status and a message. FAULTS=N tries N calls of each kind, FAULTS=all every one, which takes 10 minutes.
"""

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

BANKRUN = os.path.abspath(os.environ.get("BANKRUN", "build/bankrun"))
HERE = os.path.dirname(os.path.abspath(__file__))
# As in tests/shim/faults.c.
KINDS = ["allocate", "map", "open", "write", "read", "close", "rename", "truncate", "mode", "flush",
         "fork", "thread", "share", "inside"]
ORDER = struct.Struct("=iiq" + "q" * len(KINDS))
PATIENCE = 120
TRIES = 10 ** 9 if os.environ.get("FAULTS") == "all" else int(os.environ.get("FAULTS", "5"))

PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
__global__ void column(int *out, int factor) {
    __shared__ int tile[32][32];
    tile[threadIdx.x][0] = threadIdx.x * factor;
    out[threadIdx.x] = tile[31 - threadIdx.x][0];
}
static void check(cudaError_t error) {
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "app: %s\n", cudaGetErrorString(error));
    exit(1);
}
int main() {
    int *out, values[32];
    check(cudaMalloc(&out, sizeof values));
    for (int i = 0; i < 3; i++) {
        column<<<1 + i / 2, 32>>>(out, i);
        check(cudaGetLastError());
    }
    check(cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost));
    check(cudaFree(out));
    printf("%d\n", values[1]);
    return fflush(stdout) == 0 ? 0 : 1;
}
"""
KERNEL = """.version 7.0
.target sm_80
.address_size 64
.visible .entry column(.param .u64 out) {
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    .shared .align 4 .b8 tile[4096];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, tile;
    mad.lo.u32 %r2, %r1, 128, %r2;
    st.shared.u32 [%r2], %r1;
    ld.shared.u32 %r3, [%r2];
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    mad.wide.u32 %rd3, %r1, 4, %rd2;
    st.global.u32 [%rd3], %r3;
    ret;
}
"""

problems = []

NAMES = ("elements", "why")  # what the source calls what was accessed, and words that name it


def counts(saved, has_lines):
    """Of a saved profile what is not read out of sources: names of elements, and lines if that is said."""
    profile = json.loads(saved, object_hook=lambda row: {k: v for k, v in row.items() if k not in NAMES})
    if not has_lines:
        profile.pop("quotes", None)
    return profile


class Target:
    """A command, and the process of it in which calls fail."""

    def __init__(self, folder, process, *words):
        self.folder, self.process, self.words = folder, process, words
        self.saved = os.path.join(folder, "saved.json")
        self.path = os.path.join(folder, "order")
        self.best = None
        self.best = self.run(-1, 0, False)
        if self.best[0] != 0:
            raise SystemExit(f"{words}: {self.best}")

    def run(self, kind, at, goes_on):
        """Status, stdout, the saved report, stderr; and how many calls of each kind there were."""
        with open(self.path, "wb") as file:
            file.write(ORDER.pack(kind, goes_on, at, *[0] * len(KINDS)))
        if os.path.exists(self.saved):
            os.remove(self.saved)
        environment = {**os.environ, "LD_PRELOAD": os.path.join(self.folder, "faults.so"),
                       "FAULTS_ORDER": self.path, "FAULTS_PROCESS": self.process}
        try:
            done = subprocess.run([BANKRUN, *self.words], capture_output=True, text=True, check=False,
                                  stdin=subprocess.DEVNULL, cwd=self.folder, env=environment,
                                  timeout=PATIENCE, errors="replace")
            status, output, errors = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            status, output, errors = "a hang", "", ""
        saved = None
        if os.path.exists(self.saved):
            with open(self.saved, encoding="utf-8", errors="replace") as file:
                saved = file.read()
        with open(self.path, "rb") as file:
            self.made = ORDER.unpack(file.read())[3:]
        return status, output, saved, errors

    def check(self, kind, at, goes_on):
        status, output, saved, errors = self.run(kind, at, goes_on)
        if status == 0:
            # Where the source cannot be read, elements are words of the array; its lines may be missing if that is said.
            has_lines = "the profile lacks its lines" not in errors
            right = output == self.best[1] and bool(saved) and \
                counts(saved, has_lines) == counts(self.best[2], has_lines)
            why = "" if right else "status 0 with another output" if output != self.best[1] else \
                "status 0 with another profile" if saved else "status 0 and no profile"
        elif isinstance(status, str):
            why = status
        else:
            why = "" if errors.strip() else f"status {status} without a message"
            if (status < 0 or status > 128) and "out of memory" not in errors:
                why = f"a crash: status {status}"
        if why:
            problems.append(f"{' '.join(self.words)}: {KINDS[kind]} {at}{' and later' * goes_on} "
                            f"fails in {self.process}: {why}\n{errors[-1500:]}")

    def check_all(self):
        counts, tried = list(self.made), 0
        for kind, count in enumerate(counts):
            step = max(1, -(-count // TRIES))
            for at in range(1, count + 1, step):
                self.check(kind, at, False)
                tried += 1
            if count and kind != KINDS.index("close"):
                self.check(kind, (count + 1) // 2, True)
        print(f"{self.process} in {' '.join(self.words)}: "
              + ", ".join(f"{count} {kind}" for kind, count in zip(KINDS, counts) if count)
              + f"; {tried} tried")


def main():
    if not shutil.which("nvcc") or not shutil.which("cc"):
        print("nvcc or cc is not there")
        return 77
    with open(BANKRUN, "rb") as file:
        if b"__asan_init" in (text := file.read()) or b"__tsan_init" in text:
            print("a sanitizer's allocator takes the place of this one")
            return 77
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("app.cu", PROGRAM), ("column.ptx", KERNEL),
                           ("script.sh", "#!/bin/sh\n./app\n")):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        os.chmod(os.path.join(folder, "script.sh"), 0o755)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", os.path.join(folder, "faults.so"),
                        os.path.join(HERE, "..", "shim", "faults.c"), "-ldl"], check=True)
        subprocess.run(["nvcc", "-lineinfo", "-gencode", "arch=compute_90,code=compute_90",
                        "-cudart", "shared", "-o", "app", "app.cu"], check=True, cwd=folder)
        save = ["--threads", "1", "--format", "json", "-o", "saved.json"]
        launch = [*save, "column.ptx", "--launch", "column<<<3, 32>>>(out:u32[32])"]
        Target(folder, "app", *save, "./app").check_all()
        Target(folder, "app", "--threads", "3", *save[2:], "./script.sh").check_all()
        Target(folder, "app", *save, "--trace", "app.cu:7", "--trace-output", "trace.csv",
               "./app").check_all()
        Target(folder, "bankrun", *save, "./app").check_all()
        Target(folder, "bankrun", *save, "./script.sh").check_all()
        Target(folder, "bankrun", *launch).check_all()
        Target(folder, "bankrun", *launch, "--dump", "out=-").check_all()
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
