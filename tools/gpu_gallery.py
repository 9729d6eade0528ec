#!/usr/bin/env python3
"""Builds, checks, times and counts the gallery on the GPU of this machine, and compares.

For each program of the gallery: its output against the golden file of the tests, the time of each
kernel (--time), and the hardware's wavefront counters (ncu) against what bankrun counts for the
same run. A difference must be one of STATED, or the run fails. Then device/bankrun.cuh against its
expected report, and what it costs; and gallery/lib against a copy and cuBLAS.
Writes bench/results/DATE-GPU.md. Needs nvcc, ncu and a GPU; without one it says so and ends with 0.

    tools/gpu_gallery.py [--build DIR]          bankrun counts on this machine
    tools/gpu_gallery.py --predict DIR          only saves bankrun's profiles: no GPU needed
    tools/gpu_gallery.py --profiles DIR         uses those: no bankrun needed
"""

import argparse
import csv
import datetime
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from harness.tables import kernel_name  # noqa: E402

# Counters of large launches rise by waits that have nothing to do with addresses.
SMALL = {"transpose": ["512", "512"], "scan2d": ["256", "256"]}
OPS = OrderedDict((("ld", ("load", "matrix_load")), ("st", ("store", "matrix_store")),
                   ("atom", ("atomic",))))
COUNTER = "l1tex__data_pipe_lsu_wavefronts_mem_shared"
# What no operation has a counter for are asynchronous copies; `misc` are shuffles and barriers.
METRICS = [f"{COUNTER}.sum"] + [f"{COUNTER}_op_{op}.sum" for op in (*OPS, "misc")]
# The data pipe's counter also counts waits; that by instruction is computed from addresses.
BY_INSTRUCTION = {op: [f"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{name}.sum"
                       for name in names]
                  for op, names in (("ld", ("ld", "ldsm")), ("st", ("st", "stsm")),
                                    ("atom", ("atom",)))}
EACH = [metric for metrics in BY_INSTRUCTION.values() for metric in metrics]
WAITS = "the counter by instruction says as predicted; the pipe's counts waits, too"
COPY = "copy"
# Differences that are known: program, pattern of the kernel, operation, the largest share of the
# prediction that they may be, and why.
STATED = (
    ("pipeline", r"sum_rows<(?!ByWords)", COPY, 1,
     "`cp.async.cg` of 16 bytes goes past the counters: bankrun gives a lower bound, marked `~`"),
    ("bitonic", r"bitonic<Plain>", "ld", 0.02, "joined into one of 64 bits by ptxas: `--as compiled` counts 2,560"),
    ("bitonic", r"bitonic<Plain>", "st", 0.02, "joined into one of 64 bits by ptxas: `--as compiled` counts 2,560"),
    ("scan2d_fast", r"scan_tiles", COPY, 0.5,
     "`cp.async.ca` takes less where its line is in the cache already: marked `~`"),
)
TIME = re.compile(r"^(.+?)\s+PASS.*?([\d.]+) us")
LIBRARY = re.compile(r"^(.+?)  +(\S.*?)  +([\d.]+) us +(\d+) GB/s +([\d.]+) %  (PASS|FAIL)$")
SHAPES = re.compile(r"^(\d+) shapes of (\d+) B: (PASS|FAIL)$")


class Trouble(Exception):
    """A program cannot be measured; the others can."""


def sources():
    return sorted((ROOT / "gallery").glob("*.cu"))


def execute(command, **options):
    return subprocess.run([str(each) for each in command], capture_output=True, text=True,
                          check=False, cwd=ROOT, **options)


def gpu_name():
    if not shutil.which("nvidia-smi"):
        return None
    process = execute(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"])
    lines = process.stdout.strip().splitlines()
    return lines[0] if process.returncode == 0 and lines else None


def each_launch(saved):
    """What is compared of each launch, in their order; a profile keeps those that repeat once."""
    launches = {}
    for launch in saved["launches"]:
        sites = [{"op": site["op"], "wavefronts": site["wavefronts"]} for site in launch["sites"]
                 if site["space"] == "shared"]
        for run in launch["repeated"]:
            for i in range(run["count"]):
                launches[run["first"] + i * run["step"]] = {"kernel": launch["kernel"],
                                                            "sites": sites}
    return [launches[index] for index in sorted(launches)]


def predict(bankrun, folder):
    folder.mkdir(parents=True, exist_ok=True)

    def profile(source):
        out = folder / (source.stem + ".json")
        process = execute([bankrun, "-q", "--format", "json", "-o", out, source.relative_to(ROOT)]
                          + SMALL.get(source.stem, []))
        if process.returncode:
            raise SystemExit(f"{source.name}: {process.stdout}{process.stderr}")
        saved = json.loads(out.read_text())
        out.write_text(json.dumps(each_launch(saved)))

    with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
        list(pool.map(profile, sources()))


def build(source, folder, flags=()):
    program = folder / source.stem
    process = execute(["nvcc", "-std=c++17", "-O3", "-arch=native", "-o", program, source, *flags])
    return None if process.returncode == 0 else process.stdout + process.stderr


def check_output(source, folder):
    golden = ROOT / "tests" / "programs" / "gallery" / (source.stem + ".out")
    process = execute([folder / source.stem], timeout=120)
    return process.returncode == 0 and process.stdout == golden.read_text()


def counters(source, folder):
    """[{metric: value}] of each launch."""
    process = execute(["ncu", "--csv", "--page", "raw", "--clock-control", "none", "--metrics",
                       ",".join(METRICS + EACH), folder / source.stem] + SMALL.get(source.stem, []),
                      timeout=300)
    start = process.stdout.find('"ID"')
    if start < 0:
        raise Trouble(f"ncu on {source.name}: {process.stdout[-500:]}{process.stderr[-500:]}")
    rows = list(csv.DictReader(io.StringIO(process.stdout[start:])))[1:]  # a row of units
    return [{m: int(float(row[m].replace(",", ""))) for m in METRICS + EACH} for row in rows]


def reason_of(program, kernel, op, expected, measured, each):
    if expected == each:
        return WAITS
    return next((why for where, pattern, what, most, why in STATED
                 if where == program and what == op and re.match(pattern, kernel)
                 and abs(measured - expected) <= most * expected), None)


def predicted(launch, names):
    return sum(site["wavefronts"] for site in launch["sites"] if site["op"] in names)


def compare(source, folder, profiles):
    """Rows (kernel, op, predicted, measured, reason) summed over the launches of a kernel."""
    launches = json.loads((profiles / (source.stem + ".json")).read_text())
    measured = counters(source, folder)
    if len(launches) != len(measured):
        raise Trouble(f"{source.name}: {len(launches)} launches, ncu saw {len(measured)}")
    sums = OrderedDict()
    for launch, counted in zip(launches, measured):
        kernel = kernel_name(launch["kernel"])
        for op, names in OPS.items():
            row = sums.setdefault((kernel, op), [0, 0, 0])
            row[0] += predicted(launch, names)
            row[1] += counted[f"{COUNTER}_op_{op}.sum"]
            row[2] += sum(counted[metric] for metric in BY_INSTRUCTION[op])
        if any(site["op"] == "async_copy" for site in launch["sites"]):
            row = sums.setdefault((kernel, COPY), [0, 0, None])
            row[0] += predicted(launch, ("async_copy",))
            row[1] += counted[METRICS[0]] - sum(counted[metric] for metric in METRICS[1:])
    return [(kernel, op, *row[:2], None if row[0] == row[1] else
             reason_of(source.stem, kernel, op, *row))
            for (kernel, op), row in sums.items() if row[0] or row[1]]


def times(source, folder):
    process = execute([folder / source.stem, "--time"], timeout=300)
    found = [TIME.match(line) for line in process.stdout.splitlines()]
    return [(m[1], float(m[2])) for m in found if m], process.returncode == 0


def device_check(folder):
    """Whether bankrun.cuh reports on this GPU what it reports in the tests, and its overhead."""
    source, golden = ROOT / "tests/device/check.cu", ROOT / "tests/device/check.report"
    failure = build(Path("tests/device/check.cu"), folder, ["-Idevice", "-DBANKRUN"])
    if failure:
        return failure
    process = execute([folder / source.stem], timeout=60)
    report = "".join(line + "\n" for line in process.stderr.splitlines()
                     if line.startswith("bankrun:  "))
    if process.returncode == 0 and report == golden.read_text():
        return None
    return f"status {process.returncode}\n{process.stdout}{process.stderr}"


def checking_cost(folder):
    """[(kernel, us without, us with the checks)] of bench/check.cu, and what went wrong."""
    found = []
    for flags in ([], ["-DBANKRUN"]):
        failure = build(Path("bench/check.cu"), folder, ["-Idevice", *flags])
        if failure:
            return [], failure
        rows, passed = times(Path("bench/check.cu"), folder)
        if not passed or not rows:
            return [], "bench/check.cu fails " + " ".join(flags)
        found.append(rows)
    return [(name, us, dict(found[1])[name]) for name, us in found[0]], None


def library(folder):
    """Rows of what was timed, (shapes, size) that were checked, and what went wrong."""
    failure = build(Path("bench/fast.cu"), folder, ["-lcublas"])
    if failure:
        return [], [], failure
    rows, shapes, wrong = [], [], ""
    for options in ([], ["--rotate"]):
        process = execute([folder / "fast", *options], timeout=200)
        note = " (four pairs of buffers)" if options else ""
        found = [LIBRARY.match(line) for line in process.stdout.splitlines()]
        rows += [(m[1] + note, *m.groups()[1:]) for m in found if m]
        shapes += [m.groups() for m in map(SHAPES.match, process.stdout.splitlines()) if m]
        if process.returncode:
            wrong += f"fast {' '.join(options)}: status {process.returncode}\n{process.stderr}"
    return rows, shapes, wrong


CLAIMS = (
    ("4000 x 4000 transpose, `[32][32]` to `[32][33]`", "transpose", "tile[32][32]",
     "tile[32][33]", "5 to 15 % faster"),
    ("2D scan of 64-bit sums, one padding column", "scan2d", "tile[32][32]", "tile[32][33]",
     "1.4 times"),
    ("a stride of 32 words, degree 32, to one of 33", "strides", "stride 32", "stride 33",
     "32 times"),
    ("a stride of 2 words, degree 2, to one of 1", "strides", "stride 2", "stride 1", "2 times"),
    ("`matrix[tid][0]` of `float[32][32]`, padded", "access", "column", "column, padded",
     "is free already"),
    ("`char[tid]` to `char[4 * tid]`", "subword", "char", "char, padded to words", "4 times"),
    ("reduction, interleaved to sequential", "reduction", "interleaved", "sequential", "2 times"),
    ("matrix product, transposed tile to padded", "matmul", "transposed", "padded", "32 times"),
    ("... padded to swizzled", "matmul", "padded", "swizzled", "-"),
    ("rows that arrive by asynchronous copies, padded", "pipeline", "dense", "padded", "8 times"),
    ("prefix sum with offsets", "prefix", "dense", "offset", "16 times"),
    ("bitonic sort, reflected rows", "bitonic", "plain", "reflected", "2 times"),
    ("`ldmatrix` from padded tiles", "matrix_loads", "plain", "padded", "8 times"),
    ("histogram, a leader first", "histogram", "naive", "aggregated", "-"),
)


def table(lines, heads, rows):
    lines += ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows] + [""]


def write_counts(lines, counts):
    exact = sum(row[3] == row[4] for row in counts)
    stated = [row for row in counts if row[3] != row[4] and row[5]]
    others, waits = len(counts) - exact - len(stated), sum(row[5] == WAITS for row in stated)
    lines += ["## Wavefronts: predicted and measured", "",
              f"{exact} of {len(counts)} kernels and operations agree exactly, {waits} with "
              f"the counter by instruction alone, {len(stated) - waits} "
              f"differ for a stated reason, {others} for none. Sums over the launches of a kernel; "
              "`ld` with matrix loads, `copy` are asynchronous copies: what is left of all "
              "wavefronts of shared memory when those of the other operations, shuffles and "
              "barriers are taken off.", ""]
    if stated:
        table(lines, ("program", "kernel", "op", "predicted", "measured", "why"),
              [(p, f"`{k}`", op, f"{a:,}", f"{b:,}", why) for p, k, op, a, b, why in stated])
    table(lines, ("program", "kernel", "op", "predicted", "measured", "difference"),
          [(p, f"`{k}`", op, f"{a:,}", f"{b:,}",
            "exact" if a == b else f"{b - a:+,}, " + (
                "exact by instruction" if why == WAITS else "stated" if why else "**not stated**"))
           for p, k, op, a, b, why in counts])


def write_library(lines, results):
    lines += ["## gallery/lib against a copy and cuBLAS", "",
              "GB/s count bytes read and written; for scans 9 a pixel.", ""]
    table(lines, ("case", "", "us", "GB/s", "% of the copy"),
          [row[:5] for row in results["library"]])
    for count, size, verdict in results["shapes"]:
        lines += [f"Right on the GPU for {count} shapes of {size} B at places of all kinds."
                  if verdict == "PASS" else f"**Wrong** for shapes of {size} B.", ""]


def write_device(lines, results):
    lines += ["## device/bankrun.cuh", "",
              "Reports what the simulator counts for `tests/device/check.cu`: requests, "
              "wavefronts, ideal and degree of 13 places." if not results["device"] else
              "Disagrees:\n\n```\n" + results["device"] + "\n```", ""]
    if results["cost"]:
        lines += ["What checking costs (`bench/check.cu`, without and with `-DBANKRUN`):", ""]
        table(lines, ("kernel", "us", "us checked", "times"),
              [(name, f"{plain:.2f}", f"{checked:.2f}", f"{checked / plain:.0f}")
               for name, plain, checked in results["cost"]])


def write(gpu, results):
    day = datetime.date.today().isoformat()
    lines = [f"# The gallery on an {gpu.split(',')[0]}, {day}", "",
             f"By `make gpu`: {gpu}.", ""]
    write_counts(lines, results["counts"])
    lines += ["## Time of each kernel, with `--time`", ""]
    table(lines, ("program", "kernel", "us"),
          [(p, name, f"{us:.2f}") for p, found in results["times"].items() for name, us in found])
    lines += ["## Speed-ups, and what was claimed", ""]
    rows = []
    for what, program, before, after, claimed in CLAIMS:
        found = dict(results["times"].get(program, ()))
        if before in found and after in found:
            rows.append((what, claimed, f"{found[before] / found[after]:.2f} times"))
    table(lines, ("change", "claimed, or the degree that goes", "measured"), rows)
    write_library(lines, results)
    write_device(lines, results)
    kind = gpu.split(",")[0].removeprefix("NVIDIA ").replace(" ", "-")
    path = ROOT / "bench" / "results" / f"{day}-{kind}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines).rstrip() + "\n")
    print(f"wrote {path.relative_to(ROOT)}")


def measure(source, failure, profiles, folder, results):
    """Adds what one program shows to the results; whether all of it is right."""
    if failure:
        raise Trouble(f"{source.name} does not build:\n{failure}")
    right = check_output(source, folder)
    rows = compare(source, folder, profiles)
    results["times"][source.stem], passed = times(source, folder)
    results["counts"] += [(source.stem, *row) for row in rows]
    print(f"{source.stem:16} output {'right' if right and passed else 'WRONG'}, "
          f"{sum(r[2] == r[3] for r in rows)} of {len(rows)} counts agree"
          + "".join(f"\n    {k} {op}: predicted {a:,}, measured {b:,}: {why or 'NOT STATED'}"
                    for k, op, a, b, why in rows if a != b), flush=True)
    return right and passed and all(row[2] == row[3] or row[4] for row in rows)


def run(gpu, profiles, folder):
    print(gpu)
    with ThreadPoolExecutor(8) as pool:
        failures = list(pool.map(lambda s: build(s, folder), sources()))
    failed = 0
    results = {"counts": [], "times": OrderedDict()}
    for source, failure in zip(sources(), failures):
        try:
            failed += not measure(source, failure, profiles, folder, results)
        except (Trouble, subprocess.TimeoutExpired) as trouble:
            failed += 1
            print(f"{source.stem:16} {trouble}", flush=True)
    results["device"] = device_check(folder)
    results["cost"], failure = checking_cost(folder)
    print("device/bankrun.cuh " + (results["device"] or failure or "agrees; " + ", ".join(
        f"{name} {checked / plain:.0f} times" for name, plain, checked in results["cost"])),
        flush=True)
    results["library"], results["shapes"], wrong = library(folder)
    for row in results["library"]:
        print("{:42} {:16} {:>9} us {:>6} GB/s {:>6} % {}".format(*row))
    failed += bool(results["device"]) + bool(failure) + bool(wrong)
    failed += any(row[5] == "FAIL" for row in results["library"])
    failed += any(row[2] == "FAIL" for row in results["shapes"])
    print(wrong)
    write(gpu, results)
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--predict", type=Path)
    parser.add_argument("--profiles", type=Path)
    options = parser.parse_args()
    bankrun = options.build.resolve() / "bankrun"
    if options.predict:
        predict(bankrun, options.predict.resolve())
        return 0
    gpu = gpu_name()
    missing = [tool for tool in ("nvcc", "ncu") if not shutil.which(tool)]
    if gpu is None or missing:
        print(f"make gpu needs {'a GPU' if gpu is None else ' and '.join(missing)}: "
              "nothing was measured")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        profiles = options.profiles.resolve() if options.profiles else Path(folder) / "profiles"
        if not options.profiles:
            predict(bankrun, profiles)
        return run(gpu, profiles, Path(folder))


if __name__ == "__main__":
    sys.exit(main())
