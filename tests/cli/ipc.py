"""Memory of other processes: what goes wrong between them is said, and breaks nobody. What works is
in tests/programs/ipc.cu."""

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

BANKRUN = os.environ.get("BANKRUN", "build/bankrun")

# `app give [WHAT]` allocates, writes its handle to 1 and waits for its input to end.
# `app take [WHAT]` reads a handle from 0, opens it and works with it.
PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <fcntl.h>
#include <csignal>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
__global__ void fill(int *out, int value) { out[threadIdx.x] = value + threadIdx.x; }
__global__ void sum(int *out, const int *in) { atomicAdd(out, in[threadIdx.x]); }
__global__ void linger(volatile int *flag) {
    while (flag[40] == 45) // as it was filled
        ;
}
static int give(const char *what) {
    cudaIpcMemHandle_t handle;
    if (!strcmp(what, "second"))
        cudaSetDevice(1);
    int *data, *other, sum = 0, values[64];
    size_t bytes = !strcmp(what, "large") ? 64 << 20 : 256;
    cudaMalloc(&other, 100);
    cudaMalloc(&data, bytes);
    fill<<<1, 64>>>(data, 5);
    if (!strcmp(what, "limit")) {
        struct rlimit limit = {1000, 1000};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    cudaError_t error = cudaIpcGetMemHandle(&handle, data);
    if (!strcmp(what, "limit")) { // the same of memory that goes to others by descriptors
        CUmemAllocationProp properties = {};
        CUmemGenericAllocationHandle made;
        properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        fprintf(stderr, "cuMemCreate: %d\n", cuMemCreate(&made, 2 << 20, &properties, 0));
    }
    if (!strcmp(what, "closed")) {
        for (int i = 3; i < 100; i++)
            close(i);
        open("/dev/null", O_RDONLY);
        error = cudaIpcGetMemHandle(&handle, other);
    }
    if (error != cudaSuccess) { // what was there still is
        fprintf(stderr, "no handle: %s\n", cudaGetErrorName(error));
        cudaMemcpy(values, data, sizeof values, cudaMemcpyDeviceToHost);
        for (int i = 0; i < 64; i++)
            sum += values[i] != 5 + i;
        fprintf(stderr, "%d wrong\n", sum);
        return 3;
    }
    if (!strcmp(what, "private"))
        prctl(PR_SET_DUMPABLE, 0);
    if (!strcmp(what, "freed"))
        cudaFree(data);
    if (!strcmp(what, "reset"))
        cudaDeviceReset();
    if (write(1, &handle, sizeof handle) != sizeof handle)
        return 1;
    char end;
    if (!strcmp(what, "wait")) { // for another process's write, in a kernel
        linger<<<1, 1>>>(data);
        fprintf(stderr, "waited: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    }
    while (read(0, &end, 1) > 0)
        ;
    cudaMemcpy(values, data, sizeof values, cudaMemcpyDeviceToHost);
    fprintf(stderr, "giver: %d %d %s\n", values[0], values[63], cudaGetErrorName(cudaGetLastError()));
    return 0;
}
static int take(const char *what) {
    cudaIpcMemHandle_t handle;
    int *data, *again, *out, total = 0;
    if (read(0, &handle, sizeof handle) != sizeof handle)
        return 1;
    if (!strcmp(what, "bad"))
        memset(&handle, 7, sizeof handle);
    if (!strcmp(what, "torn"))
        ((char *)&handle)[8] ^= 1;
    if (!strcmp(what, "user") && setuid(65534))
        return 1;
    cudaError_t error = cudaIpcOpenMemHandle((void **)&data, handle, cudaIpcMemLazyEnablePeerAccess);
    if (error != cudaSuccess) {
        fprintf(stderr, "not opened: %s\n", cudaGetErrorName(error));
        return 4;
    }
    cudaPointerAttributes attributes;
    cudaPointerGetAttributes(&attributes, data);
    fprintf(stderr, "of device %d\n", attributes.device);
    cudaMalloc(&out, 4);
    cudaMemset(out, 0, 4);
    sum<<<1, 64>>>(out, data);
    cudaMemcpy(&total, out, 4, cudaMemcpyDeviceToHost);
    fprintf(stderr, "taker: %d\n", total);
    fill<<<1, 64>>>(data, 1000);
    cudaDeviceSynchronize();
    if (!strcmp(what, "killed"))
        raise(9);
    if (!strcmp(what, "twice")) {
        for (int i = 0; i < 2; i++)
            cudaIpcOpenMemHandle((void **)&again, handle, cudaIpcMemLazyEnablePeerAccess);
        for (int i = 0; i < 4; i++)
            fprintf(stderr, "close: %s\n", cudaGetErrorName(cudaIpcCloseMemHandle(data)));
        fill<<<1, 64>>>(data, 1);
        fprintf(stderr, "then: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    }
    if (!strcmp(what, "reset")) {
        cudaDeviceReset();
        fprintf(stderr, "close: %s\n", cudaGetErrorName(cudaIpcCloseMemHandle(data)));
        error = cudaIpcOpenMemHandle((void **)&data, handle, cudaIpcMemLazyEnablePeerAccess);
        fprintf(stderr, "again: %s\n", cudaGetErrorName(error));
    }
    return 0;
}
int main(int argc, char **argv) {
    const char *what = argc > 2 ? argv[2] : "";
    return argv[1][0] == 'g' ? give(what) : take(what);
}
"""

problems = []
app = ""


class Giver:
    def __init__(self, *options, what=""):
        self.process = subprocess.Popen([BANKRUN, "-q", *options, app, "give", what],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.handle = self.process.stdout.read(64) if what != "closed" else b""

    def end(self):
        try:
            _, errors = self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            _, errors = self.process.communicate()
        return self.process.returncode, errors.decode()


def expect(name, status, text, wanted_status, *words, never=()):
    lost = [word for word in words if word not in text] + [word for word in never if word in text]
    if status != wanted_status or lost:
        problems.append(f"{name}: status {status}, not as expected: {lost}\n{text}")


def take(handle, *options, what=""):
    done = subprocess.run([BANKRUN, "-q", *options, app, "take", what], input=handle,
                          capture_output=True, check=False, timeout=120)
    return done.returncode, done.stderr.decode()


def check_works():
    giver = Giver()
    expect("works", *take(giver.handle), 0, "taker: 2336")
    expect("twice", *take(giver.handle, what="twice"), 0, "taker: 66016",
           "close: cudaSuccess\n" * 3 + "close: cudaErrorInvalidValue",
           "inside an allocation of 256 bytes", "then: cudaErrorIllegalAddress")
    expect("reset of the taker", *take(giver.handle, what="reset"), 0,
           "close: cudaErrorInvalidValue", "again: cudaSuccess")
    expect("giver", *giver.end(), 0, "giver: 1000 1063 cudaSuccess")
    giver = Giver(what="large")
    expect("large", *take(giver.handle), 0, "taker: 2336")
    expect("large giver", *giver.end(), 0, "giver: 1000 1063 cudaSuccess")


def check_devices():
    giver = Giver("--devices", "2", what="second")
    expect("two devices", *take(giver.handle, "--devices", "2"), 0, "of device 1", "taker: 2336")
    expect("one device", *take(giver.handle), 4, "not opened: cudaErrorInvalidDevice",
           "the memory is of device 1, and this process has 1")
    expect("giver of two", *giver.end(), 0, "giver: 1000 1063 cudaSuccess")


def check_checked():
    """No false alarm: what others wrote is defined, ordered, and no leak."""
    giver = Giver("--check", "all", "--fail-on", "check")
    expect("checked", *take(giver.handle, "--check", "all", "--fail-on", "check"), 0, "taker: 2336",
           never=("error:",))
    expect("checked giver", *giver.end(), 0, "giver: 1000 1063", never=("error:",))


def check_waits():
    """A kernel that waits for another process is no endless loop."""
    giver = Giver(what="wait")
    time.sleep(3)
    expect("waits", *take(giver.handle), 0, "taker: 2336")
    expect("waiting giver", *giver.end(), 0, "waited: cudaSuccess")


def check_killed():
    giver = Giver()
    status, errors = take(giver.handle, what="killed")
    if "taker: 2336" not in errors or not status:
        problems.append(f"killed: status {status}\n{errors}")
    expect("killed child", *giver.end(), 0, "giver: 1000 1063 cudaSuccess")


def check_bad_handles():
    giver = Giver()
    expect("bad", *take(giver.handle, what="bad"), 4, "not opened: cudaErrorInvalidValue")
    expect("torn", *take(giver.handle, what="torn"), 4, "not opened: cudaErrorInvalidValue")
    expect("bad giver", *giver.end(), 0, "giver: 5 68")
    expect("ended", *take(giver.handle), 4, "not opened: cudaErrorInvalidResourceHandle",
           "which has ended, or is in another namespace of processes")
    for what, words in (("freed", "has freed since"), ("reset", "has freed since")):
        giver = Giver(what=what)
        expect(what, *take(giver.handle), 4, "not opened: cudaErrorInvalidValue", words)
        giver.end()
    giver = Giver()
    giver.process.kill() # bankrun, and what it started with it
    giver.end()
    expect("killed giver", *take(giver.handle), 4, "not opened: cudaError")


def check_unreadable():
    giver = Giver(what="private")
    words = ("not opened: cudaErrorOperatingSystem", "whose descriptors this process may not see")
    if os.getuid() == 0:
        expect("another user", *take(giver.handle, what="user"), 4, *words)
    else:
        expect("not dumpable", *take(giver.handle), 4, *words)
    giver.end()


def check_refused():
    for options, words in ((("--schedule", "1:2"), "with --schedule memory cannot be shared"),
                           (("--on-fault", "continue"), "with --on-fault continue memory cannot")):
        expect(options[0], *Giver(*options).end(), 3, words, "no handle: cudaErrorNotSupported",
               "0 wrong")
        giver = Giver()
        expect(options[0] + " taker", *take(giver.handle, *options), 4, words)
        giver.end()


def check_limits():
    words = ("no handle: cudaErrorMemoryAllocation", "0 wrong")
    expect("file size", *Giver(what="limit").end(), 3, "RLIMIT_FSIZE", "cuMemCreate: 2\n", *words)
    giver = Giver(what="closed")
    giver.process.stdin.close()
    giver.process.stdin = None
    expect("closed", *giver.end(), 3, "closed the descriptor", *words)


def main():
    global app
    if subprocess.run(["sh", "-c", "command -v nvcc"], capture_output=True, check=False).returncode:
        print("no nvcc")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        app = os.path.join(folder, "app")
        with open(app + ".cu", "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        subprocess.run(["nvcc", "-gencode", "arch=compute_90,code=compute_90", "-cudart", "shared",
                        "-o", app, app + ".cu", "-lcuda"], check=True)
        for check in (check_works, check_devices, check_checked, check_waits, check_killed, check_bad_handles,
                      check_unreadable, check_refused, check_limits):
            check()
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
