#!/usr/bin/env python3
"""What each checker costs: the kernels of kernels.h counted, and checked without counting, by turns.

    bench/checks.py [--build BUILD] [--repeat N] [--kernels A,B] [--checks A,B]

Seconds are user and system time of the whole process on one thread, medians over the rounds; the
other columns are medians of the rounds' ratios to counting. `run` neither counts nor checks. Status
1: a checker finds something in a kernel, all of which are right.
"""

import argparse
import json
import math
import os
import statistics
import sys
import tempfile

from run import KERNELS, ROOT, build_cuda, measure
from compare import SIZES

CHECKS = {"race": 1, "init": 2, "sync": 4, "memory": 8}  # bits of BANKRUN_CHECK


class Bench:
    def __init__(self, arguments, scratch):
        self.arguments = arguments
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

    def row(self, kernel, modes):
        """Seconds of counting, ratios of the others, kinds that were found."""
        times, found = {mode: [] for mode in modes}, set()
        for turn in range(self.arguments.repeat + 1):  # the first round warms up
            for mode in modes:
                seconds = measure([self.program, kernel, str(SIZES[kernel])],
                                  self.environment(mode))[0]
                if turn:
                    times[mode].append(seconds)
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
    arguments = parser.parse_args()
    names = list(dict.fromkeys(k[0] for k in KERNELS))
    chosen = [n for n in names if not arguments.kernels or n in arguments.kernels.split(",")]
    modes = ["count", "run"] + arguments.checks.split(",")
    print("| kernel | N | counting, cpu s | " + " | ".join(modes[1:]) + " |")
    print("|---|--:|--:|" + "--:|" * len(modes[1:]))
    all_ratios, has_findings = {mode: [] for mode in modes[1:]}, False
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(arguments, scratch)
        for kernel in chosen:
            seconds, ratios, found = bench.row(kernel, modes)
            has_findings |= bool(found)
            for mode, ratio in ratios.items():
                all_ratios[mode].append(ratio)
            cells = " | ".join(f"{ratios[mode]:.2f}" for mode in modes[1:])
            print(f"| {kernel} | {SIZES[kernel]} | {seconds:.2f} | {cells} |"
                  + ("  finds " + ", ".join(sorted(found)) if found else ""), flush=True)
    means = [math.exp(statistics.mean(map(math.log, all_ratios[mode]))) for mode in modes[1:]]
    worst = [max(all_ratios[mode]) for mode in modes[1:]]
    print("| geometric mean | | | " + " | ".join(f"{m:.2f}" for m in means) + " |")
    print("| most | | | " + " | ".join(f"{m:.2f}" for m in worst) + " |")
    return 1 if has_findings else 0


if __name__ == "__main__":
    sys.exit(main())
