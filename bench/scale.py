#!/usr/bin/env python3
"""How well bankrun uses processors: the bench kernels on 1, 2, 4... threads, both engines.

    bench/scale.py [--threads 1,2,4] [--engines interpret,auto] [--kernels A,B:SIZE] [--launches N] [--cache DIR] [--beside]

Each row is one kernel and engine. For each number of threads: user, system and elapsed seconds of
the whole process, milliseconds of allocations and copies, of the launch and of the copy back, and at
the end how many times as fast the launch and the whole are on the most threads as on the first. The
least of --repeat runs. --kernels: some of them, of another size where one is said. --cache: native
code is kept there, as bankrun keeps it from run to run. --beside: also what the machine gives programs that share
nothing, which is no more than a launch on as many threads can get: one process of one thread on each processor, all at
once, and how much of their speed together the launch on the most threads has.
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


def begin(command, env, processors=None):
    start = time.monotonic()
    pin = processors and (lambda: os.sched_setaffinity(0, processors))
    return start, subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=pin)


def end(start, process):
    """user seconds, system seconds, elapsed, [before the launches, launches, copy back] in ms."""
    errors = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    elapsed = time.monotonic() - start
    if process.returncode:
        sys.exit(f"{' '.join(process.args)}: status {process.returncode}: {errors}")
    phases = [float(word) for word in errors.strip().splitlines()[-1].split()]
    return usage.ru_utime, usage.ru_stime, elapsed, phases


def measure(command, env):
    return end(*begin(command, env))


def measure_beside(command, env, processors, profile):
    """Milliseconds of the launches of processes that run at once, one on each processor; the mean."""
    begun = [begin(command, dict(env, BANKRUN_THREADS="1", BANKRUN_PROFILE=f"{profile}.{processor}"), {processor})
             for processor in processors]
    return sum(end(*one)[3][1] for one in begun) / len(begun)


def best(runs):
    """The least of each figure."""
    return (*(min(run[i] for run in runs) for i in range(3)),
            [min(run[3][i] for run in runs) for i in range(3)])


def measure_all(command, env, threads, arguments):
    """The best of each number of threads, and of processes beside each other; all in turns."""
    rows, beside = [[] for _ in threads], []
    processors = sorted(os.sched_getaffinity(0))[:threads[-1]]
    if arguments.beside and len(processors) < threads[-1]:
        sys.exit(f"--beside: {threads[-1]} processes have only {len(processors)} processors")
    for _ in range(arguments.repeat):
        for count, row in zip(threads, rows):
            run = measure(command, dict(env, BANKRUN_THREADS=str(count)))
            run[3][1] /= arguments.launches
            row.append(run)
        if arguments.beside:
            beside.append(measure_beside(command, env, processors, env["BANKRUN_PROFILE"]) / arguments.launches)
    return [best(row) for row in rows], min(beside, default=0)


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
    parser.add_argument("--launches", type=int, default=1, help="as many times, and their time divided by it")
    parser.add_argument("--beside", action="store_true")
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
                env["BANKRUN_ENGINE"] = engine
                command = [program, kernel, str(size), str(arguments.launches)]
                rows, beside = measure_all(command, env, threads, arguments)
                cells = "  ".join(
                    f"{count}: {user:.2f}u {system:.2f}s {elapsed:.2f}e "
                    f"[{'/'.join(f'{phase:.0f}' for phase in phases)}]"
                    for count, (user, system, elapsed, phases) in zip(threads, rows))
                text = (f"{kernel:10} {engine:9} {cells}  launch x{rows[0][3][1] / rows[-1][3][1]:.1f} "
                        f"whole x{rows[0][2] / rows[-1][2]:.1f}")
                if beside:
                    text += f"  beside [{beside:.0f}] {beside / threads[-1] / rows[-1][3][1]:.2f}"
                print(text, flush=True)


if __name__ == "__main__":
    main()
