#!/usr/bin/env python3
"""What native code is worth, beside the interpreter and PoCL, on one thread.

    bench/native.py [--build FOLDER] [--repeat N] [--kernels A,B]

Prints two tables, whose figures are the least of N runs side by side: user seconds of whole processes at sizes
that take about a second, and milliseconds of user and system time for one launch alone (what more launches add).
Profiles of both engines are compared byte by byte.
"""

import argparse
import math
import os
import subprocess
import tempfile

from run import BENCH, ROOT, build_cuda

# name, N of whole processes, N and number of launches that are added
KERNELS = [("matmul", 2048, 1024, 2), ("blocked", 2048, 1024, 2), ("transpose", 8192, 4096, 10),
           ("reduction", 1 << 26, 1 << 24, 8), ("bitonic", 1 << 24, 1 << 22, 3), ("histogram", 1 << 25, 1 << 24, 16),
           ("stencil", 8192, 4096, 8), ("scan", 1 << 25, 1 << 24, 6), ("mandelbrot", 4096, 2048, 6),
           ("mixing", 1 << 23, 1 << 22, 8), ("nbody", 32768, 16384, 6)]
PEERS = ["interpret", "compile", "auto", "not counting", "PoCL"]


class Bench:
    def __init__(self, arguments, scratch):
        self.build, self.repeat, self.scratch = os.path.abspath(arguments.build), arguments.repeat, scratch
        self.cuda, self.opencl = (os.path.join(scratch, n) for n in ("cuda", "opencl"))
        build_cuda(self.cuda)
        subprocess.run(["cc", "-O2", "-o", self.opencl, os.path.join(BENCH, "opencl.c"), "-lOpenCL", "-lm"], check=True)

    def profile(self, peer):
        return os.path.join(self.scratch, peer + ".json")

    def run(self, peer, kernel, size, launches):
        env = dict(os.environ, POCL_MAX_PTHREAD_COUNT="1", BANKRUN_THREADS="1", LD_LIBRARY_PATH=self.build,
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

    def launch(self, peer, kernel, size, more):
        def least(launches):
            usages = [self.run(peer, kernel, size, launches) for _ in range(self.repeat)]
            return min(u.ru_utime + u.ru_stime for u in usages)

        return (least(1 + more) - least(1)) / more * 1000


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--kernels", default="")
    arguments = parser.parse_args()
    chosen = [k for k in KERNELS if not arguments.kernels or k[0] in arguments.kernels.split(",")]
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(arguments, scratch)
        print("| kernel | N | " + " | ".join(PEERS) + " | compile : PoCL |\n|---|" + "--:|" * 7, flush=True)
        rows = []
        for kernel, size, _, _ in chosen:
            rows.append(bench.whole(kernel, size))
            cells = [f"{rows[-1][p]:.2f}" for p in PEERS] + [f"{rows[-1]['compile'] / rows[-1]['PoCL']:.2f}"]
            print(f"| {kernel} | {size} | " + " | ".join(cells) + " |", flush=True)
        for peer in ("interpret", "not counting", "PoCL"):
            print(f"compile : {peer} {mean([r['compile'] / r[peer] for r in rows]):.2f}")
        print("\n| kernel | N | interpret | compile | PoCL | compile : PoCL |\n|---|" + "--:|" * 5, flush=True)
        ratios = []
        for kernel, _, size, more in chosen:
            row = [bench.launch(p, kernel, size, more) for p in ("interpret", "compile", "PoCL")]
            ratios.append(row[1] / row[2])
            print(f"| {kernel} | {size} | " + " | ".join(f"{t:.0f}" for t in row) + f" | {ratios[-1]:.2f} |", flush=True)
        print(f"compile : PoCL {mean(ratios):.2f}")


if __name__ == "__main__":
    main()
