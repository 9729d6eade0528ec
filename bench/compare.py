#!/usr/bin/env python3
"""Holds two builds of bankrun against each other: the kernels of kernels.h, run by turns.

    bench/compare.py BEFORE [--build AFTER] [--repeat N] [--kernels A,B] [--plain]

BEFORE and AFTER are build folders. A row gives user and system seconds of the whole process on one
thread, medians over the rounds, and the median of the rounds' ratios AFTER / BEFORE, which changes
of the machine's speed leave alone. Each round runs new copies of the libraries: where their pages
come to lie in memory is worth up to a tenth of a kernel's time, and a build keeps its luck for as
long as its files are in the page cache. The counts must be the same: a faster build that counts
otherwise is no faster build. Status 1: they differ.
"""

import argparse
import glob
import json
import math
import os
import shutil
import statistics
import sys
import tempfile

from run import KERNELS, ROOT, build_cuda, measure

# Larger than for the comparison with PoCL: a run should take some tenths of a second.
SIZES = {"matmul": 1024, "blocked": 1024, "transpose": 4096, "reduction": 1 << 24,
         "bitonic": 1 << 20, "histogram": 1 << 23, "stencil": 4096, "scan": 1 << 23,
         "mandelbrot": 1024, "mixing": 1 << 21, "nbody": 32768}


class Pair:
    def __init__(self, arguments, scratch):
        self.arguments, self.scratch = arguments, scratch
        self.program = os.path.join(scratch, "cuda")
        build_cuda(self.program)
        self.builds = {"before": os.path.abspath(arguments.before),
                       "after": os.path.abspath(arguments.build)}

    def profile(self, side):
        return "" if self.arguments.plain else os.path.join(self.scratch, side + ".json")

    def copy(self, side, turn):
        """A folder with new copies of a build's libraries; those of the round before are removed
        afterwards, so that the new ones do not come to lie where they lay."""
        folder = os.path.join(self.scratch, f"{side}-{turn % 2}")
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        for library in glob.glob(os.path.join(self.builds[side], "libcuda*.so.*")):
            if os.path.isfile(library):
                shutil.copy(library, folder)
        return folder

    def run(self, side, kernel, turn):
        env = dict(os.environ, LD_LIBRARY_PATH=self.copy(side, turn), BANKRUN_THREADS="1",
                   BANKRUN_PROFILE=self.profile(side))
        return measure([self.program, kernel, str(SIZES[kernel])], env)[0]

    def counts(self, side):
        """What was counted: the sums of each launch."""
        if self.arguments.plain:
            return None
        with open(self.profile(side), encoding="utf-8") as file:
            return [(l["kernel"], l["repeats"], l["instructions"], l["totals"])
                    for l in json.load(file)["launches"]]

    def row(self, kernel):
        times = {"before": [], "after": []}
        for turn in range(self.arguments.repeat + 1):  # the first round warms up
            for side in sorted(times, reverse=turn % 2 == 0):
                seconds = self.run(side, kernel, turn)
                if turn:
                    times[side].append(seconds)
        same = self.counts("before") == self.counts("after")
        ratios = [a / b for a, b in zip(times["after"], times["before"])]
        return times, statistics.median(ratios), same


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("before")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--kernels", default="")
    parser.add_argument("--plain", action="store_true", help="do not count")
    arguments = parser.parse_args()
    names = list(dict.fromkeys(k[0] for k in KERNELS))
    chosen = [n for n in names if not arguments.kernels or n in arguments.kernels.split(",")]
    print("| kernel | N | before, cpu s | after, cpu s | after : before |\n|---|--:|--:|--:|--:|")
    ratios, all_same = [], True
    with tempfile.TemporaryDirectory() as scratch:
        pair = Pair(arguments, scratch)
        for kernel in chosen:
            times, ratio, same = pair.row(kernel)
            ratios.append(ratio)
            all_same = all_same and same
            print(f"| {kernel} | {SIZES[kernel]} | {statistics.median(times['before']):.3f} | "
                  f"{statistics.median(times['after']):.3f} | {ratio:.3f}"
                  f"{'' if same else ' COUNTS DIFFER'} |", flush=True)
    mean = math.exp(statistics.mean(math.log(r) for r in ratios))
    print(f"\ngeometric mean {mean:.3f}, most {max(ratios):.3f}")
    return 0 if all_same else 1


if __name__ == "__main__":
    sys.exit(main())
