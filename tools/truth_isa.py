#!/usr/bin/env python3
"""Asks a GPU what each instruction form computes, and writes it down under truth/isa.

    tools/truth_isa.py [--families NAME,...] [--jobs N] [--folder truth/isa]
    tools/truth_isa.py --without-gpu ...   results are zeros: what would run, and does it compile

Needs ptxas on PATH and an NVIDIA driver (libcuda.so.1), of compute capability 9.0. A kernel for
each form computes a table of operands, one row a thread (isa_forms.py, isa_operands.py); what ptxas
refuses is left out. tests/unit/test_isa_truth.c holds the simulator to the files; truth/README.md
says what is in them.
"""

import argparse
import ctypes
import datetime
import gzip
import sys
import tempfile
from collections import Counter
from pathlib import Path

import isa_compile
import isa_families
from gpu_ptx import Driver, driver_version
from isa_forms import HEAD
from isa_operands import offsets_of, table

ROOT = Path(__file__).resolve().parent.parent
FORMAT = "bankrun-isa-truth 1"
DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES


def table_of(form, known):
    """The bytes of a form's operands; known keeps those of earlier forms."""
    key = form.table_key()
    if key not in known:
        known[key] = form.table or table(form.kinds, form.rows)
    return known[key]


class Gpu:
    def __init__(self):
        self.driver = Driver()
        self.name = self.driver.name
        self.version = driver_version()
        self.buffers = {}

    def buffer(self, data):
        """Device memory that holds data, kept for the next form with the same table."""
        if id(data) not in self.buffers:
            pointer = ctypes.c_uint64()
            self.driver.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(len(data)))
            self.driver.call("cuMemcpyHtoD_v2", pointer, data, ctypes.c_size_t(len(data)))
            self.buffers[id(data)] = (pointer, data)
        return self.buffers[id(data)][0]

    def load(self, path):
        module = ctypes.c_void_p()
        self.driver.call("cuModuleLoad", ctypes.byref(module), str(path).encode())
        return module

    def run(self, module, name, form, data):
        call, function, out = self.driver.call, ctypes.c_void_p(), ctypes.c_uint64()
        size = form.rows * form.result_bytes()
        call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        if form.shared:
            call("cuFuncSetAttribute", function, DYNAMIC_SHARED, form.shared)
        call("cuMemAlloc_v2", ctypes.byref(out), ctypes.c_size_t(size))
        call("cuMemsetD8_v2", out, 0, ctypes.c_size_t(size))
        pointer = self.buffer(data)
        parameters = (ctypes.c_void_p * 2)(ctypes.addressof(pointer), ctypes.addressof(out))
        call("cuLaunchKernel", function, form.rows // form.block, 1, 1, form.block, 1, 1,
             form.shared, None, parameters, None)
        call("cuCtxSynchronize")
        result = ctypes.create_string_buffer(size)
        call("cuMemcpyDtoH_v2", result, out, ctypes.c_size_t(size))
        call("cuMemFree_v2", out)
        return result.raw


class NoGpu:
    name, version = "none", "none"

    def load(self, path):
        return path

    def run(self, module, name, form, data):
        return bytes(form.rows * form.result_bytes())


def file_bytes(family, forms, results, tables, facts):
    """The file of a family, before it is compressed."""
    lines = [FORMAT, f"family {family}"] + [f"{key} {value}" for key, value in facts.items()]
    keys = list(dict.fromkeys(form.table_key() for form in forms))
    for key in keys:
        form = next(f for f in forms if f.table_key() == key)
        lines.append(f"table {form.rows} {offsets_of(form.kinds)[1]} {','.join(form.kinds)}")
    lines += ["head"] + ["\t" + line for line in HEAD.splitlines()]
    for i, form in enumerate(forms):
        lines.append(f"form {keys.index(form.table_key())} {form.block} {form.shared} "
                     f"{form.result_bytes()} {','.join(form.results)} {form.compare} {form.text}")
        lines += ["\t" + line for line in form.kernel(f"k{i}").splitlines()]
    data = b"".join(tables[key] for key in keys) + b"".join(results)
    lines.append(f"data {len(data)}")
    return "\n".join(lines).encode() + b"\n" + data


def measure(gpu, family, forms, jobs, verbose):
    """The forms that ptxas took, the bytes that each gave, and the tables."""
    tables, took, results = {}, [], []
    with tempfile.TemporaryDirectory() as folder:
        modules, refused = isa_compile.compile_all(folder, forms, jobs)
        for path, held in modules:
            module = gpu.load(path)
            for i, form in enumerate(held):
                took.append(form)
                results.append(gpu.run(module, f"k{i}", form, table_of(form, tables)))
    rows = sum(form.rows for form in took)
    print(f"{family}: {len(took)} forms, {rows} rows; ptxas refuses {len(refused)}", flush=True)
    if verbose:
        for (what, opcode), n in Counter((w, t.split(".")[0]) for t, w in refused).items():
            print(f"    {n} {opcode}: {what}")
    return took, results, tables


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--families", default=",".join(isa_families.FAMILIES))
    parser.add_argument("--folder", default=ROOT / "truth" / "isa", type=Path)
    parser.add_argument("--jobs", default=2, type=int)
    parser.add_argument("--without-gpu", action="store_true")
    parser.add_argument("-v", "--verbose", action="store_true", help="say what ptxas refuses")
    options = parser.parse_args()
    gpu = NoGpu() if options.without_gpu else Gpu()
    facts = {"device": gpu.name, "date": datetime.date.today().isoformat(), "driver": gpu.version,
             "compiler": isa_compile.version(),
             "command": " ".join(["tools/truth_isa.py"] + sys.argv[1:])}
    options.folder.mkdir(parents=True, exist_ok=True)
    for family in options.families.split(","):
        forms = isa_families.FAMILIES[family]()
        took, results, tables = measure(gpu, family, forms, options.jobs, options.verbose)
        data = gzip.compress(file_bytes(family, took, results, tables, facts), 9, mtime=0)
        (options.folder / f"{family}.gz").write_bytes(data)
        print(f"    {len(data)} bytes", flush=True)


if __name__ == "__main__":
    main()
