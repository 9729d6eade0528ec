#!/usr/bin/env python3
"""Runs programs again and again on different numbers of threads, and compares what they print and
the bytes of their profiles.

Usage: tools/determinism.py [--bankrun PATH] [--runs N] [--threads 1,2,3] [--profiles-only] [PROGRAM...]

A PROGRAM is what bankrun takes, with arguments: "gallery/transpose.cu 500 300", "./app". Without any, 20 of
tests/programs and gallery are run. Host addresses change from run to run, and are left out of the comparison.
--profiles-only is for programs that print how long they took. Exit status 1: something differed.
"""

import argparse
import hashlib
import os
import re
import shlex
import subprocess
import sys
import tempfile

PROGRAMS = [
    "tests/programs/barrier.cu", "tests/programs/cluster.cu", "tests/programs/column.cu",
    "tests/programs/cooperative.cu", "--nvcc-flag -rdc=true tests/programs/device_launches.cu",
    "tests/programs/devices.cu", "tests/programs/graph_explicit.cu",
    "tests/programs/host_threads.cu", "tests/programs/im2col.cu", "tests/programs/litmus.cu",
    "tests/programs/managed.cu", "tests/programs/matmul.cu", "tests/programs/reduction.cu",
    "gallery/transpose.cu 500 300", "gallery/histogram.cu", "gallery/reduction.cu",
    "gallery/prefix.cu", "gallery/bitonic.cu", "gallery/matmul.cu", "gallery/dynamic.cu",
]
ADDRESS = re.compile(rb"0x[0-9a-f]{7,}")


def digest(data):
    return hashlib.sha256(ADDRESS.sub(b"0x", data)).hexdigest()[:12]


def run(options, program, threads, folder):
    """What one run left: status, output and profile, in short."""
    profile = os.path.join(folder, "profile.json")
    if os.path.exists(profile):
        os.unlink(profile)
    command = [options.bankrun, "--threads", str(threads), "--format", "json", "-o", profile]
    done = subprocess.run(command + shlex.split(program), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    saved = open(profile, "rb").read() if os.path.exists(profile) else b""
    output = b"" if options.profiles_only else done.stdout
    return done.returncode, digest(output), digest(saved) if saved else "none"


def check(options, program):
    """Prints a line for the program. True: all runs were the same."""
    seen = {}
    with tempfile.TemporaryDirectory() as folder:
        for threads in options.threads.split(","):
            for _ in range(options.runs):
                what = run(options, program, int(threads), folder)
                seen.setdefault(what, []).append(threads)
    first = next(iter(seen))
    if len(seen) == 1 and first[2] != "none":
        print(f"same    {program}: {len(seen[first])} runs, status {first[0]}", flush=True)
        return True
    print(f"differs {program}:", flush=True)
    for (status, output, profile), threads in seen.items():
        counts = ", ".join(f"{threads.count(t)} on {t}" for t in dict.fromkeys(threads))
        print(f"        status {status}, output {output}, profile {profile}: {counts}", flush=True)
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--bankrun", default="build/bankrun")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--threads", default="1,2,3")
    parser.add_argument("--profiles-only", action="store_true")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    options = parser.parse_args()
    programs = options.programs or PROGRAMS
    same = sum([check(options, program) for program in programs])
    print(f"{same} of {len(programs)} programs were the same in every run")
    return same != len(programs)


if __name__ == "__main__":
    sys.exit(main())
