#!/usr/bin/env python3
"""What native code is worth, beside the interpreter and PoCL.

    bench/native.py [--build FOLDER] [--repeat N] [--threads N] [--kernels A,B] [--launches]

Prints two tables, whose figures are the least of N runs, of which one of each peer follows the other: user seconds of
whole processes, and milliseconds of user time of one launch alone: what more launches add, as many as take PoCL a second
or more. (What a process is the first to touch takes the system 0.1 to 1 s more or less, from one run to the next.)
--launches: the second table alone. Profiles of both engines are compared byte by byte.
"""

import argparse
import math
import os
import subprocess
import tempfile

from run import BENCH, ROOT, build_cuda

# name, N of whole processes, N and number of launches that are added
KERNELS = [("matmul", 2048, 1024, 2), ("blocked", 2048, 1024, 2), ("transpose", 8192, 4096, 20),
           ("reduction", 1 << 26, 1 << 24, 12), ("bitonic", 1 << 24, 1 << 22, 6), ("histogram", 1 << 25, 1 << 24, 16),
           ("stencil", 8192, 4096, 36), ("scan", 1 << 25, 1 << 24, 10), ("mandelbrot", 4096, 2048, 3),
           ("mixing", 1 << 23, 1 << 22, 3), ("nbody", 32768, 16384, 8)]
PEERS = ["interpret", "compile", "auto", "not counting", "PoCL"]
LAUNCHED = ["interpret", "compile", "PoCL"]


class Bench:
    def __init__(self, arguments, scratch):
        self.build, self.repeat, self.scratch = os.path.abspath(arguments.build), arguments.repeat, scratch
        self.threads = str(arguments.threads)
        self.cuda, self.opencl = (os.path.join(scratch, n) for n in ("cuda", "opencl"))
        build_cuda(self.cuda)
        subprocess.run(["cc", "-O2", "-o", self.opencl, os.path.join(BENCH, "opencl.c"), "-lOpenCL", "-lm"], check=True)

    def profile(self, peer):
        return os.path.join(self.scratch, peer + ".json")

    def run(self, peer, kernel, size, launches):
        env = dict(os.environ, POCL_MAX_PTHREAD_COUNT=self.threads, BANKRUN_THREADS=self.threads, LD_LIBRARY_PATH=self.build,
                   BANKRUN_CACHE=os.path.join(self.scratch, "cache"))
        command = [self.cuda, kernel, str(size), str(launches)]
        if peer == "PoCL":
            command = [self.opencl, kernel, str(size), BENCH, str(launches)]
        env["BANKRUN_ENGINE"] = "compile" if peer == "not counting" else peer
        env["BANKRUN_PROFILE"] = "" if peer == "not counting" else self.profile(peer)
        with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if status:
            raise SystemExit(f"{' '.join(command)}: status {process.returncode}")
        return usage

    def whole(self, kernel, size):
        least = dict.fromkeys(PEERS, math.inf)
        for _ in range(self.repeat):
            for peer in PEERS:
                least[peer] = min(least[peer], self.run(peer, kernel, size, 1).ru_utime)
        with open(self.profile("interpret"), "rb") as one, open(self.profile("compile"), "rb") as other:
            if one.read() != other.read():
                raise SystemExit(f"{kernel}: the engines' profiles differ")
        return least

    def launch(self, kernel, size, more):
        """Milliseconds of one launch, by peer."""
        first, all_of_them = (dict.fromkeys(LAUNCHED, math.inf) for _ in range(2))
        for _ in range(self.repeat):
            for peer in LAUNCHED:
                for least, launches in (first, 1), (all_of_them, 1 + more):
                    usage = self.run(peer, kernel, size, launches)
                    least[peer] = min(least[peer], usage.ru_utime)
        return {peer: (all_of_them[peer] - first[peer]) / more * 1000 for peer in LAUNCHED}


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def print_wholes(bench, chosen):
    print("| kernel | N | " + " | ".join(PEERS) + " | compile : PoCL |\n|---|" + "--:|" * 7, flush=True)
    rows = []
    for kernel, size, _, _ in chosen:
        rows.append(bench.whole(kernel, size))
        cells = [f"{rows[-1][p]:.2f}" for p in PEERS] + [f"{rows[-1]['compile'] / rows[-1]['PoCL']:.2f}"]
        print(f"| {kernel} | {size} | " + " | ".join(cells) + " |", flush=True)
    for peer in ("interpret", "not counting", "PoCL"):
        print(f"compile : {peer} {mean([r['compile'] / r[peer] for r in rows]):.2f}")


def print_launches(bench, chosen):
    print("\n| kernel | N | " + " | ".join(LAUNCHED) + " | compile : PoCL |\n|---|" + "--:|" * 5, flush=True)
    ratios = []
    for kernel, _, size, more in chosen:
        row = bench.launch(kernel, size, more)
        ratios.append(row["compile"] / row["PoCL"])
        print(f"| {kernel} | {size} | " + " | ".join(f"{t:.0f}" for t in row.values()) + f" | {ratios[-1]:.2f} |", flush=True)
    print(f"compile : PoCL {mean(ratios):.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--kernels", default="")
    parser.add_argument("--launches", action="store_true")
    arguments = parser.parse_args()
    chosen = [k for k in KERNELS if not arguments.kernels or k[0] in arguments.kernels.split(",")]
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(arguments, scratch)
        if not arguments.launches:
            print_wholes(bench, chosen)
        print_launches(bench, chosen)


if __name__ == "__main__":
    main()
