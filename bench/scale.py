#!/usr/bin/env python3
"""How well bankrun uses processors: the bench kernels on 1, 2, 4... threads, both engines.

    bench/scale.py [--threads 1,2,4] [--engines interpret,auto] [--kernels A,B:SIZE] [--cache DIR]

Each row is one kernel and engine. For each number of threads: user, system and elapsed seconds of
the whole process, milliseconds of allocations and copies, of the launch and of the copy back, and at
the end how many times as fast the launch and the whole are on the most threads as on the first. The
least of --repeat runs. --kernels: some of them, of another size where one is said. --cache: native
code is kept there, as bankrun keeps it from run to run.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time

BENCH = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(BENCH)
KERNELS = [("matmul", 2048), ("blocked", 2048), ("transpose", 16384), ("reduction", 1 << 28),
           ("bitonic", 1 << 24), ("histogram", 1 << 28), ("stencil", 16384), ("scan", 1 << 27),
           ("mandelbrot", 8192), ("mixing", 1 << 25), ("nbody", 65536)]


def build_program(scratch):
    sys.path.insert(0, BENCH)
    import run  # the other one of this folder
    program = os.path.join(scratch, "phases")
    run.build_cuda(program, "phases.cu")
    return program


def measure(command, env):
    """user seconds, system seconds, elapsed, [before the launch, launch, copy back] in ms."""
    start = time.monotonic()
    process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    elapsed = time.monotonic() - start
    if process.returncode:
        sys.exit(f"{' '.join(command)}: status {process.returncode}: {errors}")
    phases = [float(word) for word in errors.strip().splitlines()[-1].split()]
    return usage.ru_utime, usage.ru_stime, elapsed, phases


def best(runs):
    """The least of each figure."""
    return (*(min(run[i] for run in runs) for i in range(3)),
            [min(run[3][i] for run in runs) for i in range(3)])


def chosen(text):
    names = dict(KERNELS)
    words = [word.partition(":") for word in text.split(",")]
    unknown = [name for name, _, _ in words if name not in names]
    if unknown:
        sys.exit(f"no such kernel: {', '.join(unknown)}")
    return [(name, int(size or names[name])) for name, _, size in words]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--program", help="bench/phases.cu as it was compiled elsewhere")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--engines", default="interpret,auto")
    parser.add_argument("--kernels", default="")
    parser.add_argument("--cache", default="")
    parser.add_argument("--repeat", type=int, default=1)
    arguments = parser.parse_args()
    threads = [int(word) for word in arguments.threads.split(",")]
    kernels = chosen(arguments.kernels) if arguments.kernels else KERNELS
    build = os.path.abspath(arguments.build)
    with tempfile.TemporaryDirectory() as scratch:
        program = arguments.program or build_program(scratch)
        env = dict(os.environ, BANKRUN_CACHE=arguments.cache,
                   BANKRUN_PROFILE=os.path.join(scratch, "profile.json"))
        env["LD_LIBRARY_PATH"] = ":".join(filter(None, [build, env.get("LD_LIBRARY_PATH")]))
        for kernel, size in kernels:
            for engine in arguments.engines.split(","):
                rows = []
                for count in threads:
                    env.update(BANKRUN_THREADS=str(count), BANKRUN_ENGINE=engine)
                    rows.append(best([measure([program, kernel, str(size)], env)
                                      for _ in range(arguments.repeat)]))
                cells = "  ".join(
                    f"{count}: {user:.2f}u {system:.2f}s {elapsed:.2f}e "
                    f"[{'/'.join(f'{phase:.0f}' for phase in phases)}]"
                    for count, (user, system, elapsed, phases) in zip(threads, rows))
                print(f"{kernel:10} {engine:9} {cells}  launch x{rows[0][3][1] / rows[-1][3][1]:.1f} "
                      f"whole x{rows[0][2] / rows[-1][2]:.1f}", flush=True)


if __name__ == "__main__":
    main()
