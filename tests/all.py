#!/usr/bin/env python3
"""Everything that must hold before a change goes in: what `make test` runs.

Builds with gcc and runs all tests; builds with clang; runs the tests under the address and
undefined-behaviour sanitizers, and the threaded ones under the thread sanitizer; checks the format
of the sources and the table of rooms. The last line is `N passed, N failed, N skipped`, summed over
all of it; a build and a check count as one test each.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Files whose launches have several blocks: others run on one thread.
def files_with_blocks(kind):
    folder = os.path.join(ROOT, "tests", kind)
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if not name.endswith(".ptx"):
            continue
        with open(path, encoding="utf-8", errors="replace") as file:
            if re.search(r"^// launch:.*<<<(?!1,)", file.read(), re.MULTILINE):
                yield f"{kind}/{name}"


# Rounds under a sanitizer: meson's options and the tests that are run. The thread sanitizer looks at
# what has threads. Sanitizers give gcc false warnings, so that these are left to the other builds, as
# is lane code for more than the plain machine.
SANITIZED = ["-Dbuildtype=debug", "-Doptimization=1", "-Dlanes=plain", "-Dwerror=false"]
# Nothing of it is run: it looks for warnings, which do not depend on these.
# The tests hold all lane code that this machine executes; a build of the product has the widest alone.
GCC = ["-Dlanes=all"]
CLANG = ["-Doptimization=0", "-Dlanes=plain"]
# Tests of cli/ that a sanitizer need not look on at: of tools and pages that run nothing of what is compiled
# here, and comparisons of what other tests of the same round make the product do.
NOT_ASAN = [
    "cli/architecture", "cli/check_opcodes", "cli/diag_coverage", "cli/includes", "cli/isa_coverage", "cli/site",
    "cli/explorer_browser", "cli/html_browser", "cli/html_layouts", "cli/html_screens",  # pages: cli/html makes them
    "cli/ci_examples",      # steps around what cli/diff and cli/gates run
    "cli/cures",            # counts with and without layouts: programs, cli/layout and cli/fix search and count
    "cli/explain_command",  # degrees of reports: programs; of indices: cli/explain and fuzz/explain
    "cli/prove_checks",     # verdicts of the kernels that check runs; proofs: prove, fuzz/prove and fuzz/races
]
SANITIZERS = {
    "asan": (["-Db_sanitize=address,undefined"] + SANITIZED,
             ["unit", "ptx", "diag", "limits", "programs", "check", "prove", "cli", "fuzz",
              *("--without=" + name for name in NOT_ASAN)]),
    "tsan": (["-Db_sanitize=thread"] + SANITIZED,
             ["unit/test_base", "unit/test_sim", "unit/test_parameters", "unit/test_cudart", "unit/test_cuda_threads",
              "unit/test_fork", "unit/test_check", "unit/test_race", *files_with_blocks("ptx"),
              "limits", "cli/threads",
              # Those with several blocks, whose workers look at the same, and with several streams.
              "check/array_overrun", "check/graph-", "check/grid", "check/host-", "check/init_memory",
              "check/order", "check/race_counter_reset", "check/race_proxy", "check/streams",
              "check/sync_divergent",
              "programs/devices", "programs/graph_errors", "programs/host_threads",
              "programs/host_vanishes", "programs/stream_memops"]),
}


class Tally:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def step(self, name, is_fine, output=""):
        if is_fine:
            self.passed += 1
        else:
            self.failed += 1
            print(output)
        print(f"{'ok  ' if is_fine else 'FAIL'} {name}", flush=True)
        return is_fine

    def skip(self, name, why):
        self.skipped += 1
        print(f"skipped {name}: {why}", flush=True)


def run(command, **environment):
    process = subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return process.returncode == 0, process.stdout


def is_set_up(folder):
    """For the product alone, which needs no cmocka, a folder may have been set up without it."""
    try:
        with open(os.path.join(ROOT, folder, "build.ninja"), encoding="utf-8") as file:
            return "tests/unit/test_" in file.read()
    except OSError:
        return False


def build(tally, name, folder, options, **environment):
    """Sets a build folder up, once, and builds all there is. Warnings are errors."""
    again = ["--reconfigure"] * os.path.exists(os.path.join(ROOT, folder, "build.ninja"))
    set_up = ["configure"] if is_set_up(folder) else ["setup", *again]
    is_fine, output = run(["meson", *set_up, folder] + options, **environment)
    if not is_fine:
        return tally.step(f"{name}: configured", False, output)
    start = time.monotonic()
    is_fine, output = run(["ninja", "-C", folder, "all", "tests", "benches"])
    return tally.step(f"{name}: builds ({time.monotonic() - start:.0f} s)", is_fine, output)


def run_tests(tally, name, folder, cache, patterns=()):
    print(f"-- tests: {name}", flush=True)
    start = time.monotonic()
    command = [sys.executable, "tests/run.py", "--build", folder, "--cache", cache] + list(patterns)
    process = subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE)
    last = ""
    for line in process.stdout:
        print(line, end="", flush=True)
        last = line.strip()
    process.wait()
    print(f"   {time.monotonic() - start:.0f} s", flush=True)
    match = re.fullmatch(r"(\d+) passed, (\d+) failed, (\d+) skipped", last)
    if not match or (process.returncode != 0) != (int(match[2]) > 0):
        tally.step(f"tests: {name}: ran to the end", False, last)
        return
    tally.passed += int(match[1])
    tally.failed += int(match[2])
    tally.skipped += int(match[3])


# What runs kernels, once more by native code: they are compiled before their first launches.
NATIVE = ["ptx", "limits", "programs", "check"]


def run_native(tally, folder, cache):
    if not os.path.exists(os.path.join(ROOT, folder, "libbankrun-compile.so")):
        tally.skip("tests: native code", "there is no LLVM 14 to build its compiler with")
        return
    os.environ["BANKRUN_ENGINE"] = "compile"
    run_tests(tally, "native code", folder, cache, NATIVE)
    del os.environ["BANKRUN_ENGINE"]


class PythonPackages:
    """The packages of PyPI that the examples of examples/python are of: fetched beside the builds and the tests before them."""

    def __init__(self, folder):
        self.output = tempfile.TemporaryFile("w+", encoding="utf-8")
        self.process = subprocess.Popen(["nice", "tools/get-python-packages.sh", folder], cwd=ROOT, stdin=subprocess.DEVNULL,
                                        stdout=self.output, stderr=subprocess.STDOUT, start_new_session=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Nothing of it goes on behind the tests."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.output.close()

    def wait(self):
        """Whether the tests of examples can run, and what it says of lists that could not be had."""
        is_there = self.process.wait() == 0
        self.output.seek(0)
        return is_there, self.output.read()


def run_python_examples(tally, folder, cache, packages):
    """With the packages that they are of, as PyPI has them today."""
    name = "tests: examples of Python packages"
    start = time.monotonic()
    is_there, output = packages.wait()
    print(f"-- packages of Python: waited for {time.monotonic() - start:.0f} s", flush=True)
    print(output, end="")
    missing = re.findall(r"^get-python-packages: (.*)", output, re.MULTILINE)
    for why in missing or ["no reason"] * (not is_there):
        tally.skip(name, why)
    if is_there:
        os.environ["BANKRUN_PYTHON"] = os.path.join(ROOT, folder, "python-packages", "bin", "python")
        run_tests(tally, "examples of Python packages", folder, cache, ["cli/python_packages"])
        del os.environ["BANKRUN_PYTHON"]


def sources():
    for top in ("src", "include", "tests"):
        for folder, folders, names in os.walk(os.path.join(ROOT, top)):
            folders.sort()
            yield from (os.path.join(folder, n) for n in sorted(names) if n.endswith((".c", ".h")))


def check_sources(tally):
    is_fine, output = run([sys.executable, "tools/check_includes.py"])
    tally.step("includes keep to the table of rooms", is_fine, output)
    is_fine, output = run([sys.executable, "tools/check_opcodes.py"])
    tally.step("instructions are known by isa.def alone", is_fine, output)
    is_fine, output = run(["clang-format", "--dry-run", "--Werror"] + list(sources()))
    tally.step("sources are formatted", is_fine, output[-4000:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    options = parser.parse_args()
    start = time.monotonic()
    tally = Tally()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what it started ends with it
    # Where tools/get-nvcc.sh puts what it fetched.
    os.environ["PATH"] += os.pathsep + os.path.join(ROOT, options.build)
    cache = os.path.join(ROOT, options.build, "tests", "cache")
    with PythonPackages(options.build) as packages:
        check_sources(tally)
        if build(tally, "gcc", options.build, GCC):
            run_tests(tally, "gcc", options.build, cache)
            run_native(tally, options.build, cache)
            run_python_examples(tally, options.build, cache, packages)
    if shutil.which("clang"):
        build(tally, "clang", options.build + "-clang", CLANG, CC="clang")
    else:
        tally.skip("clang: builds", "clang is not there")
    for name, (flags, patterns) in SANITIZERS.items():
        folder = f"{options.build}-{name}"
        if build(tally, name, folder, flags):
            run_tests(tally, name, folder, cache, patterns)
    print(f"{time.monotonic() - start:.0f} s")
    print(f"{tally.passed} passed, {tally.failed} failed, {tally.skipped} skipped")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
