#!/usr/bin/env python3
"""Runs the same kernels on bankrun (counting and not), PoCL and Oclgrind, side by side.

    bench/run.py [--repeat N] [--threads N] [--kernels A,B] [--skip oclgrind] [--save]

Rounds go over all programs in turn, so that other load hits all of them alike. Times are of whole
processes: user + system time of all threads ("cpu") and elapsed time, medians of the rounds. PoCL's
kernel cache is warm after a round that does not count. --save writes bench/results/DATE-host.md.
"""

import argparse
import datetime
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

BENCH = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(BENCH)
# name, words or side; side for Oclgrind, which would take minutes for the whole (None: the same)
KERNELS = [("matmul", 256, 128), ("matmul", 1024, None), ("blocked", 512, 128),
           ("transpose", 2048, 256), ("reduction", 1 << 22, 1 << 16), ("bitonic", 1 << 20, 1 << 14),
           ("histogram", 1 << 22, 1 << 16), ("stencil", 2048, 256), ("scan", 1 << 21, 1 << 15),
           ("mandelbrot", 512, 64), ("mixing", 1 << 18, 1 << 13), ("nbody", 4096, 1024)]


def measure(command, env):
    """cpu seconds, elapsed seconds, KiB at most, output."""
    start = time.monotonic()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, env=env, stdout=out, stderr=subprocess.PIPE)
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        elapsed = time.monotonic() - start
        out.seek(0)
        text = out.read().decode().strip()
    if process.returncode:
        lines = errors.decode().strip().splitlines() or [""]
        raise Failed(f"{command[0]}: status {process.returncode}: {' '.join(lines)}")
    return usage.ru_utime + usage.ru_stime, elapsed, usage.ru_maxrss, text


class Failed(Exception):
    pass


def build_cuda(program, source="cuda.cu"):
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    subprocess.run([nvcc, "-cudart", "shared", "-lineinfo", "-nodlink", "-o", program,
                    "-gencode", "arch=compute_90,code=compute_90",
                    os.path.join(BENCH, source)], check=True)


class Bench:
    def __init__(self, arguments, scratch):
        self.arguments, self.scratch = arguments, scratch
        self.build = os.path.abspath(arguments.build)
        self.cuda, self.opencl = (os.path.join(scratch, n) for n in ("cuda", "opencl"))
        build_cuda(self.cuda)
        subprocess.run(["cc", "-O2", "-o", self.opencl, os.path.join(BENCH, "opencl.c"),
                        "-lOpenCL", "-lm"], check=True)

    def run(self, peer, kernel, size):
        env = dict(os.environ, POCL_MAX_PTHREAD_COUNT=str(self.arguments.threads))
        if peer in ("pocl", "oclgrind"):
            command = [self.opencl, kernel, str(size), BENCH]
            if peer == "oclgrind":
                command = ["oclgrind", "--num-threads", str(self.arguments.threads)] + command
            return measure(command, env)
        threads = self.arguments.threads * (2 if peer == "twice" else 1)
        env.update(LD_LIBRARY_PATH=self.build, BANKRUN_THREADS=str(threads),
                   BANKRUN_PROFILE="" if peer == "plain" else self.profile())
        return measure([self.cuda, kernel, str(size)], env)

    def profile(self):
        return os.path.join(self.scratch, "profile.json")

    def thread_instructions(self):
        with open(self.profile(), encoding="utf-8") as file:
            return sum(launch["repeats"] * launch["thread_instructions"]
                       for launch in json.load(file)["launches"])


def row_of(bench, kernel, size, small):
    peers = [p for p in ("counting", "plain", "twice", "pocl", "oclgrind")
             if p not in bench.arguments.skip.split(",")]
    sizes = {p: small if p == "oclgrind" else size for p in peers}
    peers = [p for p in peers if sizes[p]]
    results = {p: [] for p in peers}
    instructions = 0
    for turn in range(bench.arguments.repeat + 1):
        for peer in list(peers):
            try:
                result = bench.run(peer, kernel, sizes[peer])
            except Failed as failure:
                if peer in ("counting", "plain", "twice"):
                    raise
                print(f"{kernel}: {failure}", file=sys.stderr)
                peers.remove(peer)
                del results[peer]
                continue
            if peer == "counting":
                instructions = bench.thread_instructions()
            if turn:
                results[peer].append(result)
    sums = {results[p][0][3] for p in peers if sizes[p] == size}
    if len(sums) > 1:
        print(f"{kernel} {size}: checksums differ: {', '.join(sorted(sums))}", file=sys.stderr)

    def median(peer, index):
        return statistics.median(r[index] for r in results[peer]) if peer in results else None

    def cell(value, form="{:.3f}"):
        return "-" if value is None else form.format(value)

    cpu, plain, pocl = (median(p, 0) for p in ("counting", "plain", "pocl"))
    grind = median("oclgrind", 0)
    return [kernel, str(size), f"{instructions / 1e6:,.1f}", cell(cpu), cell(plain), cell(pocl),
            cell(instructions / cpu / 1e9 if cpu else None),
            cell(cpu / plain if cpu and plain else None, "{:.2f}"),
            cell(cpu / pocl if cpu and pocl else None, "{:.2f}"),
            f"{cell(grind)} ({small})" if grind else "-",
            cell(median("counting", 1)), cell(median("pocl", 1)),
            cell(median("counting", 1) / median("twice", 1) if "twice" in peers else None,
                 "{:.2f}"),
            cell(median("counting", 2) / 1024, "{:.0f}"),
            cell(median("pocl", 2) / 1024 if pocl else None, "{:.0f}")]


HEAD = ["kernel", "N", "M thread instructions", "counting, cpu s", "not counting, cpu s",
        "PoCL, cpu s", "G thread instructions / cpu s", "counting : not", "counting : PoCL",
        "Oclgrind, cpu s (N)", "counting, elapsed s", "PoCL, elapsed s",
        "one thread : two, elapsed", "counting, MiB",
        "PoCL, MiB"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--kernels", default="")
    parser.add_argument("--skip", default="", help="pocl,oclgrind,plain,twice")
    parser.add_argument("--save", action="store_true")
    arguments = parser.parse_args()
    chosen = [k for k in KERNELS if not arguments.kernels or k[0] in arguments.kernels.split(",")]
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(arguments, scratch)
        lines = ["| " + " | ".join(HEAD) + " |", "|---" * 2 + "|--:" * (len(HEAD) - 2) + "|"]
        print("\n".join(lines), flush=True)
        for kernel, size, small in chosen:
            lines.append("| " + " | ".join(row_of(bench, kernel, size, small)) + " |")
            print(lines[-1], flush=True)
    if arguments.save:
        save(arguments, lines)


def save(arguments, lines):
    commit = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], check=False,
                            capture_output=True, text=True).stdout.strip()
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((l.split(":")[1].strip() for l in file if l.startswith("model name")), "?")
    day = datetime.date.today().isoformat()
    path = os.path.join(BENCH, "results", f"{day}-{platform.node()}.md")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    load = os.getloadavg()
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"# {day}\n\n{model}, {os.cpu_count()} processors, load {load[0]:.1f} at the end, "
                   f"commit {commit}\n\n    bench/run.py {' '.join(sys.argv[1:])}\n\n"
                   + "\n".join(lines) + "\n")
    print(path)


if __name__ == "__main__":
    main()
