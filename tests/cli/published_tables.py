#!/usr/bin/env python3
"""Figures that others published, held against what bankrun counts.

Each program is compiled and run under bankrun, and checks its own result; the figures are taken
from the saved profile. BANKRUN names the binary (default: build/bankrun). Exit status: 0 when all
agree, 1 when one does not, 77 when there is no nvcc. Arguments choose tables by name; with --full
the larger settings run too (minutes). Under a sanitizer the large ones are left out.
"""

import csv
import functools
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BANKRUN = Path(os.environ.get("BANKRUN", ROOT / "build" / "bankrun")).resolve()
TIMEOUT_S = 600
IS_SLOW_BUILD = os.environ.get("BANKRUN_SANITIZER", "none") != "none"


def in_order(launches):
    """All launches one by one: those that counted the same are saved once."""
    all_of_them = {}
    for launch in launches:
        for run in launch["repeated"]:
            for n in range(run["count"]):
                all_of_them[run["first"] + n * run["step"]] = launch
    return [all_of_them[index] for index in sorted(all_of_them)]


class Profile:
    """A saved profile: its launches, and sums over the sites of one of them."""

    def __init__(self, saved):
        self.launches = in_order(saved["launches"])

    def launch(self, kernel):
        found = [each for each in self.launches if kernel in each["kernel"]]
        if len(found) != 1:
            names = [each["kernel"] for each in self.launches]
            raise SystemExit(f"expected one launch of {kernel}, got {names}")
        return found[0]

    @staticmethod
    def sums(launch, op=None):
        """Requests, wavefronts, ideal and excess of a launch's shared-memory sites."""
        sums = {"requests": 0, "wavefronts": 0, "ideal": 0, "excess": 0}
        for site in launch["sites"]:
            if site["space"] == "shared" and op in (None, site["op"]):
                for name in sums:
                    sums[name] += site[name]
        return sums


class Checker:
    def __init__(self):
        self.failures = 0

    def figure(self, name, expected, counted):
        agrees = expected == counted
        self.failures += not agrees
        word = "ok  " if agrees else "FAIL"
        note = "" if agrees else f", published: {expected:,}"
        print(f"{word} {name}: {counted:,}{note}")

    def near(self, name, low, high, counted):
        agrees = low <= counted <= high
        self.failures += not agrees
        print(f"{'ok  ' if agrees else 'FAIL'} {name}: {counted:.3f} ({low} to {high})")


@functools.cache
def run(source, *arguments):
    """The profile of a program that ran and passed its own check."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "profile.json"
        command = [str(BANKRUN), "run", "--format", "json", "-o", str(out), str(ROOT / source)]
        done = subprocess.run(command + [str(each) for each in arguments], cwd=ROOT,
                              timeout=TIMEOUT_S, capture_output=True, text=True, check=False)
        if done.returncode != 0 or "FAIL" in done.stdout:
            print(done.stdout + done.stderr)
            raise SystemExit(f"{source} {arguments}: exit status {done.returncode}")
        return Profile(json.loads(out.read_text()))


def reduction(check, full):
    sizes = ((1024, 420), (2048, 840), (262144, 107520))
    for elements, published in sizes[:2] if IS_SLOW_BUILD else sizes:
        profile = run("tests/programs/reduction.cu", elements)
        excess = profile.sums(profile.launch("reduce_interleaved"))["excess"]
        check.figure(f"interleaved reduction of {elements:,} ints: excess", published, excess)
        check.figure("    a block of 256 threads", 105, excess // (elements // 256))
        excess = profile.sums(profile.launch("reduce_sequential"))["excess"]
        check.figure(f"sequential reduction of {elements:,} ints: excess", 0, excess)


def vector_add(check, full):
    profile = run("tests/programs/vector_add.cu")
    check.figure("vector add: excess", 0, profile.sums(profile.launch("add"))["excess"])


def matmul(check, full):
    published = {96: 26784, 320: 992000, 640: 7936000}  # that of 96 follows from the formula
    for n in (96,) if IS_SLOW_BUILD else (320, 640) if full else (320,):
        profile = run("tests/programs/matmul.cu", n)
        excess = profile.sums(profile.launch("transposed"))["excess"]
        check.figure(f"matrix product, N={n}, B's tile transposed: excess", published[n], excess)
        check.figure("    (N/32)^3 * 32 * 31", (n // 32) ** 3 * 32 * 31, excess)
        excess = profile.sums(profile.launch("plain"))["excess"]
        check.figure(f"matrix product, N={n}, plain tiles: excess", 0, excess)


def transpose(check, full):
    profile = run("gallery/transpose.cu", 512, 512)
    excess = profile.sums(profile.launch("transpose_tiled"))["excess"]
    check.figure("512 x 512 transpose, tile[32][32]: excess", 253952, excess)
    excess = profile.sums(profile.launch("transpose_padded"))["excess"]
    check.figure("512 x 512 transpose, tile[32][33]: excess", 0, excess)


def transpose_4000(check, full):
    if IS_SLOW_BUILD:
        return
    profile = run("gallery/transpose.cu")
    for kernel, published in (("transpose_tiled", 16000000), ("transpose_padded", 500000)):
        loads = profile.sums(profile.launch(kernel), "load")
        check.figure(f"4000 x 4000 {kernel}: load requests", 500000, loads["requests"])
        check.figure(f"4000 x 4000 {kernel}: load wavefronts", published, loads["wavefronts"])


def wide_loads(check, full):
    profile = run("tests/programs/wide_loads.cu")
    loads = profile.sums(profile.launch("one_column"), "load")
    requests = loads["requests"]
    check.figure("128-bit loads of one bank column: wavefronts a request", 32,
                 loads["wavefronts"] // requests)
    check.figure("    ideal", 4, loads["ideal"] // requests)
    check.figure("    of 8,844,480 requests, as published", 283023360,
                 loads["wavefronts"] * (8844480 // requests))
    loads = profile.sums(profile.launch("in_a_row"), "load")
    check.figure("128-bit loads in a row: wavefronts a request", 4,
                 loads["wavefronts"] // loads["requests"])
    check.figure("    of 8,844,480 requests, as published", 35377920,
                 loads["wavefronts"] * (8844480 // loads["requests"]))
    check.figure("    excess", 0, loads["excess"])


def column(check, full):
    profile = run("tests/programs/column.cu")
    for pitch, wavefronts in ((32, 32), (33, 1)):
        loads = profile.sums(profile.launch(f"<{pitch}>"), "load")
        check.figure(f"column of int tile[32][{pitch}]: requests", 1, loads["requests"])
        check.figure("    wavefronts", wavefronts, loads["wavefronts"])
        check.figure("    excess", wavefronts - 1, loads["excess"])


def strides(check, full):
    profile = run("tests/programs/strides.cu")
    check.figure("strides: launches", 33, len(profile.launches))
    for stride, launch in enumerate(profile.launches, 1):
        loads = profile.sums(launch, "load")
        check.figure(f"stride of {stride} words: wavefronts", math.gcd(stride, 32),
                     loads["wavefronts"])


def swizzle(check, full):
    profile = run("tests/programs/swizzle.cu")
    launch = profile.launch("transpose_swizzled")
    loads = profile.sums(launch, "load")
    check.figure("16 x 32 transpose, swizzle x ^ y: wavefronts a request", 2,
                 loads["wavefronts"] // loads["requests"])
    check.figure("    store excess", 0, profile.sums(launch, "store")["excess"])


def random_choice(thread, round_number):
    """The same hash as in random_words.cu."""
    value = thread * 64 + round_number
    value = (value ^ value >> 16) * 0x7feb352d & 0xffffffff
    value = (value ^ value >> 15) * 0x846ca68b & 0xffffffff
    return (value ^ value >> 16) % 8192


def random_words(check, full):
    profile = run("tests/programs/random_words.cu")
    loads = profile.sums(profile.launch("read_random"), "load")
    expected = 0
    for warp in range(32):
        for round_number in range(64):
            words = {random_choice(warp * 32 + lane, round_number) for lane in range(32)}
            expected += max(Counter(word % 32 for word in words).values())
    check.figure("32 random words, 2,048 requests: wavefronts", expected, loads["wavefronts"])
    check.near("    a request (others measured 3.45; 3.53 is to be expected)", 3.40, 3.60,
               loads["wavefronts"] / loads["requests"])


def hardware(check, full):
    """Counters of an H200 for whole programs: truth/h200_programs.csv.

    The column `compare` says which of them are free of noise and of what the machine code merges:
    all; stores (wavefronts) and sectors; or sectors alone.
    """
    with open(ROOT / "truth" / "h200_programs.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for program in dict.fromkeys((row["source"], row["arguments"]) for row in rows):
        if IS_SLOW_BUILD and (program[1] == "320" or program[0].startswith("gallery")):
            continue
        launches = run(program[0], *program[1].split()).launches
        for row in rows:
            if (row["source"], row["arguments"]) != program:
                continue
            launch = launches[int(row["launch"])]
            name = f"{Path(program[0]).stem} {program[1]}: {row['kernel']}"
            for op in ("load", "store"):
                counted = Profile.sums(launch, op)["wavefronts"]
                if row["compare"] == "all" or (row["compare"], op) == ("stores", "store"):
                    check.figure(f"H200, {name}: {op} wavefronts",
                                 int(row[f"{op}_wavefronts"]), counted)
                check.figure(f"H200, {name}: {op} sectors", int(row[f"{op}_sectors"]),
                             launch["totals"]["global"].get(op, {}).get("sectors", 0))


TABLES = [reduction, vector_add, matmul, transpose, transpose_4000, wide_loads, column, strides,
          swizzle, random_words, hardware]


def main():
    names = [each for each in sys.argv[1:] if each != "--full"]
    if unknown := set(names) - {each.__name__ for each in TABLES}:
        raise SystemExit(f"no such table: {', '.join(sorted(unknown))}")
    if not shutil.which("nvcc"):
        print("skipped: there is no nvcc here to compile the programs")
        return 77
    check = Checker()
    for table in TABLES:
        if not names or table.__name__ in names:
            table(check, "--full" in sys.argv)
    print(f"{check.failures} figures differ" if check.failures else "all figures agree")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
