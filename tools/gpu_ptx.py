#!/usr/bin/env python3
"""Runs tests/ptx/*.ptx on a real GPU and holds the results against the same expectations.

Needs an NVIDIA driver (libcuda.so.1) and nothing else. Runs with `status:` (faults), files with
`gpu:` or for newer devices, and buffers filled by `rand` are left out. Prints one line for each
file and exits with 1 where one disagrees; 77 where there is no GPU.

    tools/gpu_ptx.py [--record FILE.json] [FILE.ptx ...]

--record writes down what was compared: date, device, driver, command, and of each file that
agrees a hash of its kernels and expectations (file_hash). docs/isa-coverage.md is made from
truth/h200_ptx_tests.json.
"""

import argparse
import ctypes
import datetime
import hashlib
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from harness.case import Failure  # noqa: E402
from harness.ptx import DIRECTIVE, FLOATS, compare, float_bits, mask, read_runs  # noqa: E402
from harness.ptx import type_bytes  # noqa: E402

LAUNCH = re.compile(r"\s*(?P<kernel>[\w$]+)\s*<<<(?P<config>.*?)>>>\s*\((?P<args>.*)\)\s*$")
BUFFER = re.compile(r"(?:(?P<name>[\w$]+)\s*:\s*)?(?P<type>bf16|[usfb]\d+)\s*\[(?P<count>\d+)\]"
                    r"(?:\s*=\s*(?P<init>.+))?$")
SCALAR = re.compile(r"(?:(?:[\w$]+\s*:\s*)?(?P<type>bf16|[usfb]\d+)\s*=\s*)?(?P<value>.+)$")
VARIABLES = re.compile(r"^\s*(\.visible\s+|\.weak\s+)?\.global\b", re.MULTILINE)
DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES


class Skip(Exception):
    pass


class Driver:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.path = self.loaded = None
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        name = ctypes.create_string_buffer(128)
        self.call("cuDeviceGetName", name, 128, device)
        self.name = name.value.decode()
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(major), 75, device)
        self.call("cuDeviceGetAttribute", ctypes.byref(minor), 76, device)
        self.capability = 10 * major.value + minor.value

    def call(self, function, *arguments):
        code = getattr(self.cuda, function)(*arguments)
        if code:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorName(code, ctypes.byref(text))
            raise Failure(f"{function}: {(text.value or b'?').decode()}")

    def module(self, path, text):
        """The module of a file; that of the last file is kept unless it has variables to change."""
        if path == self.path and not VARIABLES.search(text):
            return self.loaded
        if self.path:
            self.call("cuModuleUnload", self.loaded)
        self.path, self.loaded = None, ctypes.c_void_p()
        log = ctypes.create_string_buffer(4096)
        options = (ctypes.c_int * 2)(5, 6)  # CU_JIT_ERROR_LOG_BUFFER and its size
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), 4096)
        try:
            self.call("cuModuleLoadDataEx", ctypes.byref(self.loaded), text.encode() + b"\0", 2,
                      options, values)
        except Failure as failure:
            raise Failure(f"{failure}: {log.value.decode().strip()}") from None
        self.path = path
        return self.loaded


def split_arguments(text):
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text + ","):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return [p for p in parts if p]


def shape(text):
    numbers = [int(n) for n in re.findall(r"\d+", text)]
    return (numbers + [1, 1])[:3]


def number(text, kind):
    text = text.strip()
    if text.lower().startswith("0x"):
        return int(text, 16) & mask(kind)
    if kind in FLOATS:
        return float_bits(text, kind)
    return int(text) & mask(kind)


def initial(kind, count, init, folder):
    size = type_bytes(kind)
    if init is None or init == "zero":
        return bytes(size * count)
    if init.startswith("rand"):
        raise Skip("random input")
    if init.startswith("@"):
        return (folder / init[1:]).read_bytes()
    values = range(count) if init == "iota" else [init] * count
    if init.startswith("{"):
        listed = [v.strip() for v in init[1:-1].split(",")]
        values = listed + [0] * (count - len(listed))
    return b"".join(number(str(v), kind).to_bytes(size, "little") for v in values)


class Arguments:
    """Kernel arguments: buffers on the device, scalars by the size that the kernel declares."""

    def __init__(self, driver, text, sizes, folder):
        self.driver, self.buffers, self.values = driver, {}, []
        for i, part in enumerate(split_arguments(text)):
            buffer = BUFFER.match(part)
            if buffer:
                self.add_buffer(buffer, folder)
                continue
            scalar = SCALAR.match(part)
            size = sizes[i] if i < len(sizes) else 4
            kind = scalar["type"] or f"u{8 * size}"
            bits = number(scalar["value"], kind)
            self.values.append(ctypes.create_string_buffer(bits.to_bytes(size, "little"), size))

    def add_buffer(self, match, folder):
        kind, count = match["type"], int(match["count"])
        data = initial(kind, count, match["init"], folder)
        if not match["name"]:  # an array that is passed by value
            self.values.append(ctypes.create_string_buffer(data, len(data)))
            return
        pointer = ctypes.c_uint64()
        self.driver.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(len(data) or 1))
        self.driver.call("cuMemcpyHtoD_v2", pointer, data, ctypes.c_size_t(len(data)))
        self.buffers[match["name"]] = (kind, pointer, len(data))
        self.values.append(pointer)

    def read(self, name):
        kind, pointer, size = self.buffers[name]
        data = ctypes.create_string_buffer(size or 1)
        self.driver.call("cuMemcpyDtoH_v2", data, pointer, ctypes.c_size_t(size))
        return kind, data.raw[:size]

    def pointers(self):
        array = (ctypes.c_void_p * max(len(self.values), 1))()
        for i, value in enumerate(self.values):
            array[i] = ctypes.addressof(value)
        return array


def parameter_sizes(text, kernel):
    entry = re.search(r"\.entry\s+" + re.escape(kernel) + r"\s*\(([^)]*)\)", text)
    if not entry:
        return []
    return [int(bits) // 8 for bits in re.findall(r"\.param\s+(?:\.align\s+\d+\s+)?\.[busf](\d+)",
                                                  entry[1])]


def run_one(driver, path, text, run):
    match = LAUNCH.match(run.launch)
    if not match:
        raise Failure(f"cannot read the launch {run.launch}")
    config = split_arguments(match["config"])
    grid, block = shape(config[0]), shape(config[1])
    shared = int(config[2]) if len(config) > 2 else 0
    module, function = driver.module(path, text), ctypes.c_void_p()
    driver.call("cuModuleGetFunction", ctypes.byref(function), module, match["kernel"].encode())
    if shared > 48 << 10:
        driver.call("cuFuncSetAttribute", function, DYNAMIC_SHARED, shared)
    sizes = parameter_sizes(text, match["kernel"])
    arguments = Arguments(driver, match["args"], sizes, path.parent)
    driver.call("cuLaunchKernel", function, *grid, *block, shared, None, arguments.pointers(), None)
    driver.call("cuCtxSynchronize")
    for name, expected in run.expect.items():
        kind, data = arguments.read(name)
        compare(data, kind, expected, name)


def file_hash(path):
    """Of what a comparison is about: all but comments that hold no launch or expectation."""
    def counts(line):
        directive = DIRECTIVE.match(line)
        return directive[1] != "blocks" if directive else not line.lstrip().startswith("//")

    kept = [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if counts(line)]
    return hashlib.sha256("\n".join(kept).encode()).hexdigest()[:16]


def driver_version():
    try:
        text = Path("/proc/driver/nvidia/version").read_text(encoding="utf-8")
    except OSError:
        return "unknown"
    match = re.search(r"\s(\d+\.\d+(?:\.\d+)?)\s", text)
    return match[1] if match else "unknown"


def compare_run(driver, path, run):
    text = path.read_text(encoding="utf-8")
    target = re.search(r"^\s*\.target\s+sm_(\d+)", text, re.MULTILINE)
    if not run.launch or run.status or run.diags or not run.expect:
        raise Skip("no values are expected")
    if run.gpu:
        raise Skip(run.gpu)
    if target and int(target[1]) > driver.capability:
        raise Skip(f"for sm_{target[1]}")
    run_one(driver, path, text, run)


def compare_all(driver, paths):
    """Prints and counts; returns the counts and the files of which every run agrees."""
    counts, agreeing = {"agree": 0, "disagree": 0, "skipped": 0}, []
    for path in paths:
        verdicts = set()
        for run in read_runs(path):
            verdict, why = "agree", ""
            try:
                compare_run(driver, path, run)
            except Skip as skip:
                verdict, why = "skipped", str(skip)
            except (Failure, ValueError) as failure:
                verdict, why = "disagree", str(failure)
            counts[verdict] += 1
            verdicts.add(verdict)
            print(f"{verdict:9} {path.name}" + (f": {why}" if why else ""))
        if "agree" in verdicts and "disagree" not in verdicts:
            agreeing.append(path)
    return counts, agreeing


def record(driver, counts, agreeing, files):
    return {"command": " ".join(["tools/gpu_ptx.py", *map(str, files)]),
            "date": datetime.date.today().isoformat(),
            "device": driver.name, "driver": driver_version(), "runs": counts,
            "files": {path.name: file_hash(path) for path in agreeing}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", metavar="FILE.json", type=Path)
    parser.add_argument("files", nargs="*", type=Path)
    options = parser.parse_args()
    try:
        driver = Driver()
    except (OSError, Failure) as failure:
        print(f"no GPU: {failure}")
        return 77
    print(f"on {driver.name}")
    paths = options.files or sorted((ROOT / "tests" / "ptx").glob("*.ptx"))
    counts, agreeing = compare_all(driver, paths)
    print(", ".join(f"{n} {what}" for what, n in counts.items()))
    if options.record:
        text = json.dumps(record(driver, counts, agreeing, options.files), indent=1, sort_keys=True)
        options.record.write_text(text + "\n", encoding="utf-8")
    return 1 if counts["disagree"] else 0


if __name__ == "__main__":
    sys.exit(main())
