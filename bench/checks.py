#!/usr/bin/env python3
"""What each checker costs: the kernels of kernels.h counted, and checked without counting, by turns.

    bench/checks.py [--build BUILD] [--repeat N] [--kernels A,B] [--checks A,B] [--instructions]

Seconds are user and system time of the whole process on one thread, medians over the rounds; the
other columns are medians of the rounds' ratios to counting. `run` neither counts nor checks. Status
1: a checker finds something in a kernel, all of which are right.

--instructions: one round on smaller inputs, in instructions as valgrind's callgrind counts them:
the same on a machine that is busy. The column `off` then has how many of a counting run's
instructions are those of src/check. Valgrind knows no AVX-512: BUILD is one with -Dlanes=all.
"""

import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile

from run import KERNELS, ROOT, build_cuda, measure
from compare import SIZES

CHECKS = {"race": 1, "init": 2, "sync": 4, "memory": 8}  # bits of BANKRUN_CHECK


# Valgrind is some fifty times as slow.
SMALL = {"matmul": 256, "blocked": 256, "transpose": 1024, "reduction": 1 << 20,
         "bitonic": 1 << 17, "histogram": 1 << 20, "stencil": 1024, "scan": 1 << 20,
         "mandelbrot": 256, "mixing": 1 << 18, "nbody": 8192}


class Bench:
    def __init__(self, arguments, scratch):
        self.arguments = arguments
        self.sizes = SMALL if arguments.instructions else SIZES
        self.calls = os.path.join(scratch, "callgrind")
        self.off = 0  # instructions of src/check while the last kernel was counted
        self.program = os.path.join(scratch, "cuda")
        self.profile = os.path.join(scratch, "profile.json")
        build_cuda(self.program)

    def environment(self, mode):
        env = dict(os.environ, LD_LIBRARY_PATH=os.path.abspath(self.arguments.build),
                   BANKRUN_THREADS="1", BANKRUN_PROFILE="" if mode == "run" else self.profile)
        if mode in CHECKS or mode == "all":
            bits = sum(CHECKS.values()) if mode == "all" else CHECKS[mode]
            env.update(BANKRUN_COUNT="0", BANKRUN_CHECK=str(bits))
        return env

    def findings(self):
        with open(self.profile, encoding="utf-8") as file:
            profile = json.load(file)
        lists = [profile] + profile["launches"]
        return [f["kind"] for holder in lists for f in holder.get("findings", []) if not f["note"]]

    def cost(self, kernel, mode):
        """Seconds, or instructions."""
        command = [self.program, kernel, str(self.sizes[kernel])]
        if not self.arguments.instructions:
            return measure(command, self.environment(mode))[0]
        valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=" + self.calls]
        done = subprocess.run(valgrind + command, env=self.environment(mode), text=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        collected = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode or not collected:
            sys.exit(f"{kernel}: valgrind: status {done.returncode}\n{done.stderr}")
        return int(collected.group(1))

    def instructions_of_checks(self):
        """Of the last run under valgrind."""
        listing = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", self.calls],
                                 capture_output=True, text=True, check=True).stdout
        of_checks = re.findall(r"^ *([\d,]+) \([^)]*\) +\S*src/check/", listing, re.MULTILINE)
        return sum(int(number.replace(",", "")) for number in of_checks)

    def row(self, kernel, modes):
        """What counting costs, ratios of the others, kinds that were found."""
        times, found = {mode: [] for mode in modes}, set()
        is_counted = self.arguments.instructions
        for turn in range(1 if is_counted else self.arguments.repeat + 1):  # the first warms up
            for mode in modes:
                cost = self.cost(kernel, mode)
                if turn or is_counted:
                    times[mode].append(cost)
                if mode == "count" and is_counted:
                    self.off = self.instructions_of_checks()
                if mode in CHECKS or mode == "all":
                    found.update(self.findings())
        ratios = {mode: statistics.median(a / b for a, b in zip(times[mode], times["count"]))
                  for mode in modes if mode != "count"}
        return statistics.median(times["count"]), ratios, found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--kernels", default="")
    parser.add_argument("--checks", default=",".join(CHECKS) + ",all")
    parser.add_argument("--instructions", action="store_true")
    arguments = parser.parse_args()
    names = list(dict.fromkeys(k[0] for k in KERNELS))
    chosen = [n for n in names if not arguments.kernels or n in arguments.kernels.split(",")]
    modes = ["count", "run"] + arguments.checks.split(",")
    unit, off = ("M instructions", " off |") if arguments.instructions else ("cpu s", "")
    print(f"| kernel | N | counting, {unit} | " + " | ".join(modes[1:]) + " |" + off)
    print("|---|--:|--:|" + "--:|" * (len(modes[1:]) + bool(off)))
    all_ratios, has_findings = {mode: [] for mode in modes[1:]}, False
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(arguments, scratch)
        for kernel in chosen:
            cost, ratios, found = bench.row(kernel, modes)
            has_findings |= bool(found)
            for mode, ratio in ratios.items():
                all_ratios[mode].append(ratio)
            cells = " | ".join(f"{ratios[mode]:.2f}" for mode in modes[1:])
            cost, off = (cost / 1e6, f" {bench.off} |") if arguments.instructions else (cost, "")
            print(f"| {kernel} | {bench.sizes[kernel]} | {cost:.2f} | {cells} |" + off
                  + ("  finds " + ", ".join(sorted(found)) if found else ""), flush=True)
    means = [math.exp(statistics.mean(map(math.log, all_ratios[mode]))) for mode in modes[1:]]
    worst = [max(all_ratios[mode]) for mode in modes[1:]]
    print("| geometric mean | | | " + " | ".join(f"{m:.2f}" for m in means) + " |")
    print("| most | | | " + " | ".join(f"{m:.2f}" for m in worst) + " |")
    return 1 if has_findings else 0


if __name__ == "__main__":
    sys.exit(main())
