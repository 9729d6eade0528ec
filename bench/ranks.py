#!/usr/bin/env python3
"""How much ranks gain on one machine, and what more machines would gain.

    bench/ranks.py [--build build] [--ranks 1,2,4,8,16] [--threads 1] [--processors 2] [--together 4] [--scale 1.0]
                   [--only histogram,product:2048:128] [--program FILE]

Runs the programs of bench/ranks.cu (--only: some of them, of another size and so many times where that is said), each rank
with so many threads, and prints for each number of ranks the time of the run, the efficiency (the time of one rank, divided by
the time and the number of ranks), the seconds that all ranks ran blocks and those of them in which they waited for memory, and
the bytes that were moved. The profiles must be the same. Then the projection: from the work W of all ranks in seconds, the part
S of the run that is none of it (the program's own), and the bytes B that a rank got and sent, with the numbers of the run with
most ranks,

    time on N machines = S + W / (N * threads a machine / threads measured) + N * B / bandwidth

since rank 0 sends to all by one link. --program: a compiled bench/ranks.cu, where there is no nvcc. --processors: so many for
each rank, as the system counts them, as far as there are enough (two, where two share a core); 0: anywhere. --together: up to
so many ranks all programs run at once, each on processors of its own, far from each other's.
"""

import argparse
import concurrent.futures
import filecmp
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Each one to two minutes on one thread: how many of them, and how often.
SIZES = {"histogram": (1 << 27, 128), "sparse": (600000, 64), "product": (8192, 1), "blocked": (4096, 8), "sort": (40 << 20, 1)}
# Each rank on processors of its own, from one on.
BOUND = """rank=${OMPI_COMM_WORLD_LOCAL_RANK:-${MPI_LOCALRANKID:-0}} each=$1 first=$(($2 + rank * $1)); shift 2
exec taskset -c $first-$((first + each - 1)) "$@\""""
RANK = re.compile(r"^\s+rank (\d+)\s+(\d+) blocks\s+([\d.]+) s\s+([\d.]+) MB to it\s+([\d.]+) MB from it(?:\s+([\d.]+) s)?", re.M)


def choose(text):
    """name -> (how many, how often)."""
    chosen = {}
    for word in text.split(","):
        what, *numbers = word.split(":")
        if what not in SIZES or len(numbers) > 2:
            sys.exit(f"no such program: {word}")
        chosen[what] = tuple(int(numbers[i]) if i < len(numbers) else SIZES[what][i] for i in range(2))
    return chosen


def size_of(options, what):
    return max(64, int(options.chosen[what][0] * options.scale))


def rounds_of(options, what):
    return options.rounds or options.chosen[what][1]


def run(options, folder, what, ranks, first=0):
    profile = os.path.join(folder, f"{what}-{ranks}.json")
    start = [] if ranks == 1 else [options.mpirun, "--oversubscribe", "--bind-to", "none", "--quiet", "-n", str(ranks)]
    if options.processors and ranks * options.processors <= os.cpu_count():
        start += ["sh", "-c", BOUND, "sh", str(options.processors), str(first)]
    command = [*start, os.path.join(options.build, "bankrun"), "--as", "written", "--ranks", "--threads", str(options.threads),
               "--format", "json", "-o", profile, options.program, what, str(size_of(options, what)), str(rounds_of(options, what))]
    begun = time.monotonic()
    process = subprocess.run(command, capture_output=True, text=True, check=False,
                             env=dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1"))
    took = time.monotonic() - begun
    if process.returncode or "PASS" not in process.stdout:
        sys.exit(f"{' '.join(command)}: status {process.returncode}\n{process.stdout}{process.stderr}")
    rows = [tuple(float(word or 0) for word in row) for row in RANK.findall(process.stderr)]
    if options.verbose:
        print(process.stderr, flush=True)
    return profile, took, rows


def project(options, what, ranks, took, rows):
    if not rows:
        return
    work, moved = sum(row[2] for row in rows), max(row[3] + row[4] for row in rows) * 1e6
    rest = max(0.0, took - max(row[2] for row in rows))
    print(f"{what}, projection from {ranks} ranks: S = {rest:.2f} s, W = {work:.2f} s, B = {moved / 1e6:.1f} MB a rank, {options.gigabits} Gbit/s")
    for machines in 4, 16, 64:
        share = work / (machines * options.machine_threads / options.threads)
        moving = machines * moved / (options.gigabits * 1e9 / 8)
        print(f"    {machines:3} machines of {options.machine_threads} threads: {rest:.2f} + {share:.2f} + {moving:.2f} = "
              f"{rest + share + moving:.2f} s")


def row(options, what, ranks, first, result):
    took, rows = result[1], result[2]
    first_took, first_ranks = first[1], first[3]
    if not filecmp.cmp(first[0], result[0], shallow=False):
        sys.exit(f"{what}: the profile of {ranks} ranks is another one")
    moved, work, waited = sum(one[3] + one[4] for one in rows), sum(one[2] for one in rows), sum(one[5] for one in rows)
    print(f"{what:9} {size_of(options, what):9} {rounds_of(options, what):5} {ranks:5} {took:7.2f} s "
          f"{first_took * first_ranks / (took * ranks):10.2f} {work:7.1f} s {waited:7.1f} s {moved:7.1f} MB", flush=True)


def run_all(options, folder):
    programs, results, first = list(options.chosen), {}, {}
    print("program       size times ranks      time  efficiency      work    waited     moved", flush=True)
    for ranks in map(int, options.ranks.split(",")):
        is_together = ranks <= options.together
        apart = os.cpu_count() // len(programs) if is_together else 0
        if is_together and ranks * options.processors > apart:
            sys.exit(f"{len(programs)} programs on {ranks} ranks need more processors than there are")
        with concurrent.futures.ThreadPoolExecutor(len(programs) if is_together else 1) as pool:
            runs = {pool.submit(run, options, folder, what, ranks, at * apart): what for at, what in enumerate(programs)}
            for done in concurrent.futures.as_completed(runs):
                what = runs[done]
                results[what, ranks] = (*done.result(), ranks)
                first.setdefault(what, results[what, ranks])
                row(options, what, ranks, first[what], results[what, ranks])
    for what in programs:
        _, took, rows, ranks = max((result for (name, _), result in results.items() if name == what), key=lambda result: result[3])
        project(options, what, ranks, took, rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--ranks", default="1,2,4,8,16")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--processors", type=int, default=0)
    parser.add_argument("--together", type=int, default=0)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--verbose", action="store_true", help="what each rank did, too")
    parser.add_argument("--only", default=",".join(SIZES))
    parser.add_argument("--program")
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--gigabits", type=float, default=100)
    parser.add_argument("--machine-threads", type=int, default=64)
    options = parser.parse_args()
    options.chosen = choose(options.only)
    with tempfile.TemporaryDirectory() as folder:
        if not options.program:
            options.program = os.path.join(folder, "ranks")
            subprocess.run(["nvcc", "-O2", "-cudart", "shared", "-gencode", "arch=compute_90,code=compute_90", "-o",
                            options.program, os.path.join(ROOT, "bench", "ranks.cu")], check=True)
        run_all(options, folder)


if __name__ == "__main__":
    main()
