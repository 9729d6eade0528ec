"""Ranks on two machines, as far as they can tell: network namespaces that a link of 10 ms joins.

The link is two TAP devices and a thread that carries frames from one to the other, each 10 ms late: the kernel's own
(netem) is not everywhere. Results are those of one process, and a rank that is killed there ends the run in time.
"""

import fcntl
import heapq
import json
import os
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

bankrun, build = os.environ["BANKRUN"], os.environ["BANKRUN_BUILD"]
SKIPPED, DELAY = 77, 0.010
NAME = f"bk{os.getpid() % 100000}"
HERE, THERE = NAME + "a", NAME + "b"
problems = []

SOURCE = r"""
#include <cstdio>
#include <cstdlib>
__global__ void rounds(unsigned *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = out[i];
    for (int r = 0; r < n; r++)
        v = v * 1664525u + 1013904223u;
    out[i] = v;
}
__global__ void add(unsigned *sum, const unsigned *out) { atomicAdd(sum, out[blockIdx.x * blockDim.x + threadIdx.x]); }
int main(int argc, char **argv) {
    const int n = 1 << 16, times = atoi(argv[1]), each = atoi(argv[2]);
    unsigned *out, *sum, host = 0;
    cudaMalloc(&out, n * 4);
    cudaMalloc(&sum, 4);
    cudaMemset(out, 0, n * 4);
    cudaMemset(sum, 0, 4);
    for (int t = 0; t < times; t++)
        rounds<<<n / 128, 128>>>(out, each);
    add<<<n / 128, 128>>>(sum, out);
    cudaMemcpy(&host, sum, 4, cudaMemcpyDeviceToHost);
    printf("%s %u\n", cudaGetErrorString(cudaGetLastError()), host);
}
"""

# What mpirun starts its daemon on the other machine with: AGENT HOST COMMAND...
AGENT = """#!/bin/sh
shift
exec ip netns exec {there} unshare --uts sh -c 'hostname {there}; exec sh -c "$*"' sh "$@"
"""


def shell(*words):
    subprocess.run(words, check=True, capture_output=True, text=True)


def tap(space, address):
    """A TAP device in the namespace, as a file of this process."""
    file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    device = space + "t"
    fcntl.ioctl(file, 0x400454CA, struct.pack("16sH22x", device.encode(), 0x0002 | 0x1000))  # IFF_TAP, IFF_NO_PI
    shell("ip", "link", "set", device, "netns", space)
    for words in (("addr", "add", address + "/24", "dev", device), ("link", "set", device, "up"), ("link", "set", "lo", "up")):
        shell("ip", "-n", space, *words)
    return file


def carry(files, ends):
    """Each frame leaves 10 ms after it came."""
    waiting, number = [], 0
    while not ends.is_set():
        rest = max(0.0, waiting[0][0] - time.monotonic()) if waiting else 0.2
        for file in select.select(files, [], [], rest)[0]:
            number += 1
            try:
                frame = os.read(file, 65536)
            except OSError:
                return  # its namespace is gone
            heapq.heappush(waiting, (time.monotonic() + DELAY, number, files[1 - files.index(file)], frame))
        while waiting and waiting[0][0] <= time.monotonic():
            _, _, file, frame = heapq.heappop(waiting)
            try:
                os.write(file, frame)
            except OSError:
                pass  # as any link that is full


def environment(**more):
    return dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", BANKRUN_RANKS_ALL="1", **more)


def command(folder, ranks, profile, *arguments):
    start = []
    if ranks:
        start = ["ip", "netns", "exec", HERE, "unshare", "--uts", "sh", "-c", f'hostname {HERE}; exec "$@"', "sh", "env", "--ignore-signal=PIPE", "mpirun", "--quiet",
                 "--mca", "plm_rsh_agent", os.path.join(folder, "agent"), "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include",
                 "10.77.0.0/24", "--mca", "oob_tcp_if_include", "10.77.0.0/24", "--oversubscribe", "--bind-to", "none",
                 "--map-by", "node", "--host", f"10.77.0.1:{ranks},10.77.0.2:{ranks}", "-n", str(ranks)]
    return [*start, bankrun, "--ranks", "--format", "json", "-o", profile, os.path.join(folder, "far"), *arguments]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def compare(folder):
    seen = []
    for ranks in 0, 3:
        profile = os.path.join(folder, f"{ranks}.json")
        run = subprocess.run(command(folder, ranks, profile, "3", "50"), env=environment(), capture_output=True, text=True, timeout=120)
        if run.returncode:
            problems.append(f"{ranks} ranks: status {run.returncode}\n{run.stdout}{run.stderr}")
            return
        seen.append((run.stdout, read(profile), run.stderr))
    if seen[0][0] != seen[1][0] or seen[0][1] != seen[1][1]:
        problems.append(f"far ranks: another output or profile\n{seen[0][0]}{seen[1][0]}")
    if "Ranks: 4 launches were shared out" not in seen[1][2]:
        problems.append(f"far ranks: unexpected report\n{seen[1][2]}")


def processes_there():
    pids = subprocess.run(["ip", "netns", "pids", THERE], capture_output=True, text=True, check=False).stdout.split()
    found = []
    for pid in pids:
        try:
            with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
                if file.read().strip() == "bankrun":
                    found.append(int(pid))
        except OSError:
            pass
    return found


def lose(folder):
    """A far rank is stopped, so that nothing is heard of it any more: the run ends, and says which."""
    profile = os.path.join(folder, "lost.json")
    with subprocess.Popen(command(folder, 3, profile, "2000", "2000"), env=environment(BANKRUN_RANKS_PATIENCE="4"),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        deadline = time.monotonic() + 30
        while not processes_there() and time.monotonic() < deadline:
            time.sleep(0.1)
        time.sleep(3)
        victims = processes_there()
        for pid in victims:
            os.kill(pid, signal.SIGSTOP)
        begun = time.monotonic()
        try:
            text, _ = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            problems.append("a far rank is stopped, and the run hangs")
            process.kill()
            text = ""
        for pid in victims:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
    if not victims:
        problems.append(f"no rank began on the other machine\n{text}")
    elif text and ("was lost" not in text or process.returncode == 0):
        problems.append(f"a far rank is stopped, and is not named after {time.monotonic() - begun:.1f} s\n{text}")
    elif text and not json.loads(read(profile))["launches"]:
        problems.append("a far rank is stopped, and nothing that was counted is kept")


def why_not():
    if not shutil.which("mpirun") or not os.path.exists(os.path.join(build, "libbankrun-ranks.so")):
        return "mpirun or libbankrun-ranks.so is not there"
    if not os.environ.get("BANKRUN_TEST_NVCC") or os.environ.get("BANKRUN_SANITIZER", "none") != "none":
        return "nvcc is not there, or a sanitizer is"
    if os.geteuid() or not shutil.which("ip") or not shutil.which("unshare") or not os.access("/dev/net/tun", os.W_OK):
        return "network namespaces and TAP devices are root's, and need ip, unshare and /dev/net/tun"
    if subprocess.run(["ip", "netns", "add", HERE], capture_output=True, check=False).returncode:
        return "this system has no network namespaces"
    return None


def main():
    why = why_not()
    if why:
        print(why)
        return SKIPPED
    ends = threading.Event()
    try:
        shell("ip", "netns", "add", THERE)
        files = [tap(HERE, "10.77.0.1"), tap(THERE, "10.77.0.2")]
        threading.Thread(target=carry, args=(files, ends), daemon=True).start()
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "far.cu"), "w", encoding="utf-8") as file:
                file.write(SOURCE)
            with open(os.path.join(folder, "agent"), "w", encoding="utf-8") as file:
                file.write(AGENT.format(there=THERE))
            os.chmod(os.path.join(folder, "agent"), 0o755)
            subprocess.run([os.environ["BANKRUN_TEST_NVCC"], "-cudart", "shared", "-gencode", "arch=compute_90,code=compute_90",
                            "-o", os.path.join(folder, "far"), os.path.join(folder, "far.cu")], check=True)
            compare(folder)
            if not problems:
                lose(folder)
    finally:
        ends.set()
        for space in HERE, THERE:
            subprocess.run(["ip", "netns", "del", space], capture_output=True, check=False)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
