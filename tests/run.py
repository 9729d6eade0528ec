#!/usr/bin/env python3
"""Runs bankrun's tests against one build.

    tests/run.py                       all kinds, against build/
    tests/run.py ptx/add programs      kinds, or kind/part-of-a-name
    tests/run.py --rebase programs     writes the golden files anew

Kinds: unit, ptx, diag, limits, programs, check, prove, fix, cli, fuzz, readme, ranks; tests/harness has one
module for each and says what its files look like. The last line is `N passed, N failed, N skipped`.
"""

import argparse
import json
import multiprocessing
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import checks, fixes, programs, prove, ptx, ranks, readme, scripts  # noqa: E402
from harness.case import Context, Failure, Skip  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def find_nvcc(build):
    places = [shutil.which("nvcc"), "/usr/local/cuda/bin/nvcc", os.path.join(build, "nvcc")]
    return next((place for place in places if place and os.access(place, os.X_OK)), None)


def sanitizer_of(build):
    """Which sanitizer the build folder was set up with."""
    try:
        with open(os.path.join(build, "meson-info", "intro-buildoptions.json"),
                  encoding="utf-8") as file:
            for option in json.load(file):
                if option["name"] == "b_sanitize":
                    return option["value"].split(",")[0]
    except OSError:
        pass
    return "none"


def write_script(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(path, 0o755)


def preloaded(sanitizer, folder):
    """What comes first of all libraries, in LD_PRELOAD, where programs run under a sanitizer."""
    runtime = {"address": "libasan.so", "thread": "libtsan.so"}.get(sanitizer)
    if not runtime:
        return ""
    library = subprocess.run(["gcc", "-print-file-name=" + runtime], check=True,
                             capture_output=True, text=True).stdout.strip()
    if sanitizer != "thread":
        return library
    # Programs in which nothing is instrumented, as a shell, die of a thread sanitizer that nobody
    # has set up. A library does so.
    starter = os.path.join(folder, "tsan_start.so")
    subprocess.run(["gcc", "-x", "c", os.devnull, "-fsanitize=thread", "-shared", "-o", starter],
                   check=True)
    return f"{library} {starter}"


def make_path(context, cache):
    """A folder for PATH with `bankrun`, and with an nvcc that remembers what it made."""
    folder = os.path.join(context.scratch, "bin")
    os.makedirs(folder)
    os.makedirs(cache, exist_ok=True)
    # Programs are not instrumented, the runtime library that they load is.
    runtimes = preloaded(context.sanitizer, folder)
    preload = f'LD_PRELOAD="{runtimes}" ' if runtimes else ""
    if context.sanitizer == "thread":
        # Where a library audits the others, the C library sets threads' memory up before it has seen the preloaded ones.
        preload += "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=0x200000 "
    write_script(os.path.join(folder, "bankrun"),
                 f'{preload}exec {context.wrapper} "{os.path.join(context.build, "bankrun")}" "$@"\n')
    if context.nvcc:
        script = os.path.join(ROOT, "tests", "harness", "nvcc_cache.py")
        write_script(os.path.join(folder, "nvcc"),
                     "unset LD_PRELOAD\n"
                     f'BANKRUN_REAL_NVCC="{context.nvcc}" BANKRUN_NVCC_CACHE="{cache}" '
                     f'exec python3 "{script}" "$@"\n')
    context.bankrun = os.path.join(folder, "bankrun")
    context.search_path = folder + os.pathsep + os.environ.get("PATH", "")


KINDS = ("unit", "ptx", "diag", "limits", "programs", "check", "prove", "fix", "cli", "fuzz", "readme",
         "ranks")


def is_named(case, patterns):
    name = f"{case.kind}/{case.name}"
    return any(case.kind == p if p in KINDS else p in name for p in patterns)


def build_programs(context, cases):
    """The programs that the cases run are no part of the product: makes them. What ninja says goes to
    stdout; False: it failed."""
    programs = [case.program for case in cases if case.program]
    command = ["ninja", "-C", context.build, "--quiet"] + programs
    return not programs or subprocess.run(command, check=False).returncode == 0


def processor_seconds():
    """Of this process and of all below it that have ended and were waited for."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def judge(case):
    """Runs a case: how many passed, failed and were skipped, and what is to be said."""
    try:
        passed, skipped = case.run() or (1, 0)
        return passed, 0, skipped, None
    except Failure as failure:
        return 0, 1, 0, f"FAIL {case.kind}/{case.name}: {failure}"
    except Skip as skip:
        return 0, 0, 1, f"skipped {case.kind}/{case.name}: {skip}"
    except Exception as error:  # a broken test is a failed one
        return 0, 1, 0, f"FAIL {case.kind}/{case.name}: {type(error).__name__}: {error}"


CASES = []  # a process of the pool has them from this one


def run_case(number):
    """In a process that runs one case at a time, so that what it used is the case's."""
    start, used = time.monotonic(), processor_seconds()
    outcome = judge(CASES[number])
    return number, outcome, time.monotonic() - start, processor_seconds() - used


class Results:
    def __init__(self, is_verbose):
        self.counts = Counter()  # (kind, word)
        self.skips = []
        self.times = []  # (processor seconds, seconds, name)
        self.is_verbose = is_verbose

    def add(self, case, outcome, seconds, used):
        passed, failed, skipped, note = outcome
        for word, count in (("passed", passed), ("failed", failed), ("skipped", skipped)):
            self.counts[case.kind, word] += count
        self.times.append((used, seconds, f"{case.kind}/{case.name}"))
        if failed:
            print(note, flush=True)
        elif note:
            self.skips.append(note)
        elif self.is_verbose:
            print(f"ok   {case.kind}/{case.name} ({seconds:.2f} s, {used:.2f} s of a processor)",
                  flush=True)

    def total(self, word):
        return sum(count for (_, w), count in self.counts.items() if w == word)

    def durations(self, count):
        """The tests that used most of a processor, which says the same on a machine that is busy."""
        times = sorted(self.times, reverse=True)
        print(f"{sum(used for used, _, _ in times):8.1f} s of a processor, all {len(times)}; most of it:")
        for used, seconds, name in times[:count or None]:
            print(f"{used:8.2f} s  ({seconds:.2f} s in all)  {name}")

    def summary(self):
        for skip in sorted(self.skips):
            print(skip)
        for kind in sorted({k for k, _ in self.counts}):
            print("  {:9} {:5} passed {:3} failed {:3} skipped".format(
                kind, *(self.counts[kind, w] for w in ("passed", "failed", "skipped"))))
        print("{} passed, {} failed, {} skipped".format(
            *(self.total(w) for w in ("passed", "failed", "skipped"))))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("patterns", nargs="*", help="kinds, or parts of kind/name")
    parser.add_argument("--without", action="append", default=[], metavar="PATTERN", help="leave these out")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--cache", default=os.path.join(ROOT, "build", "tests", "cache"))
    parser.add_argument("--rebase", action="store_true", help="write golden files anew")
    parser.add_argument("--wrapper", default="", metavar="PROGRAM",
                        help="runs the build's programs, as qemu-aarch64-static")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("--durations", type=int, metavar="N",
                        help="show the N tests that take most time of a processor, 0: all of them")
    options = parser.parse_args()

    build = os.path.abspath(options.build)
    # In the background of a script it is ignored, and would be in all that tests start and interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="bankrun-tests-") as scratch:
        context = Context(ROOT, build, sanitizer_of(build), find_nvcc(build), options.rebase, scratch,
                          options.wrapper)
        make_path(context, os.path.abspath(options.cache))
        cases = []
        for module in (scripts, ptx, programs, checks, prove, fixes, readme, ranks):
            cases += module.collect(context)
        cases = [case for case in cases
                 if (not options.patterns or is_named(case, options.patterns))
                 and not is_named(case, options.without)]
        if not cases:
            print("no test matches")
            return 1
        if not build_programs(context, cases):
            print("a test does not build, or is not listed in its folder's meson.build")
            return 1
        results = Results(options.verbose)
        CASES.extend(cases)
        with ProcessPoolExecutor(options.jobs, multiprocessing.get_context("fork")) as pool:
            for future in as_completed(pool.submit(run_case, n) for n in range(len(cases))):
                number, *rest = future.result()
                results.add(cases[number], *rest)
    if options.durations is not None:
        results.durations(options.durations)
    results.summary()
    return 1 if results.total("failed") else 0


if __name__ == "__main__":
    sys.exit(main())
