#!/usr/bin/env python3
"""Compares the shared-memory accesses in PTX with those in the machine code made from it.

Takes executables or .cubin files with PTX beside them (FILE.ptx), built with -lineinfo for one
architecture. For each kernel and each source line it lists the accesses of both and says what the
code generator has done: merged neighbours into a wider access, left some out, or copied code. It
counts instructions in the code, not how often they run: one access in the code of an unrolled loop
stands for several in PTX. Needs cuobjdump and nvdisasm.

    tools/compiled_accesses.py [--lines] [--csv OUT] [--jobs N] FILE...
"""

import argparse
import collections
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

LOC = re.compile(r"\.loc\s+(\d+) (\d+)")
FILE = re.compile(r'\.file\s+(\d+) "([^"]*)"')
ENTRY = re.compile(r"\.(entry|func)\s+(?:\([^)]*\)\s*)?([\w$]+)")
CALL = re.compile(r"\bcall(?:\.uni)?\b[^;]*")
PTX = re.compile(r"^(?:@!?%\w+\s+)?((?:ld|st|atom|red|ldmatrix|stmatrix|cp|wmma)\.[\w.:]+)\s")
SECTION = re.compile(r"^\.text\.(\S+):$")
LINE = re.compile(r'//## File "([^"]*)", line (\d+)')
SASS = re.compile(r"/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+\s+)?"
                  r"((?:LDS|STS|ATOMS|LDSM|STSM|LDGSTS|LD|ST|ATOM|CALL|REDAS|STAS)\b[\w.]*)")
TYPES = {"8": 1, "16": 2, "32": 4, "64": 8, "128": 16, "f16x2": 4, "bf16x2": 4}
Access = collections.namedtuple("Access", "op width")


def ptx_access(opcode):
    """Access of an instruction that may reach shared memory, or None."""
    parts = opcode.replace("::", ".").split(".")
    name = parts[0]
    if name == "wmma":
        return Access("wmma", 0) if parts[1] in ("load", "store") and "shared" in parts else None
    if name in ("ldmatrix", "stmatrix"):
        count = next((int(p[1:]) for p in parts if p in ("x1", "x2", "x4")), 1)
        return Access("matrix_load" if name == "ldmatrix" else "matrix_store", count)
    if name == "cp":
        return Access("copy", 0) if "async" in parts and "shared" in parts else None
    spaces = {"shared", "global", "local", "param", "const"} & set(parts)
    if spaces and "shared" not in spaces:
        return None
    kind = next((p for p in reversed(parts) if re.fullmatch(r"[bsuf]f?(8|16|32|64|128)|\w+x2", p)),
                "b32")
    width = TYPES.get(kind) or TYPES[re.sub(r"\D", "", kind)]
    width *= next((int(p[1]) for p in parts if p in ("v2", "v4", "v8")), 1)
    op = {"ld": "load", "st": "store"}.get(name, "atomic")
    return Access(op if spaces else "generic", width if op != "atomic" else 0)


def sass_access(opcode):
    parts = opcode.split(".")
    name = parts[0]
    if name in ("LD", "ST", "ATOM"):
        return Access("generic", 0)
    if name in ("LDSM", "STSM"):
        return Access("matrix_load" if name == "LDSM" else "matrix_store",
                      next((int(p) for p in parts[1:] if p in ("2", "4")), 1))
    if name == "LDGSTS":
        return Access("copy", 0)
    if name not in ("LDS", "STS"):
        return Access("atomic", 0)
    width = next((TYPES[p.lstrip("USB")] for p in parts[1:] if p.lstrip("USB") in TYPES), 4)
    return Access("load" if name == "LDS" else "store", width)


def read_ptx(text):
    """{kernel: {(file, line): Counter of accesses}}, functions that are called counted in."""
    files, bodies, calls, entries = {}, {}, collections.defaultdict(set), []
    name, line = None, ("", 0)
    for row in text.splitlines():
        row = row.strip()
        found = FILE.match(row)
        if found:
            files[found[1]] = found[2]
        elif (found := ENTRY.search(row)) and (row.startswith(".") or ".entry" in row):
            name = found[2]
            bodies.setdefault(name, collections.defaultdict(collections.Counter))
            if found[1] == "entry":
                entries.append(name)
        elif found := LOC.match(row):
            line = (found[1], int(found[2]))
        elif name and (found := PTX.match(row)):
            access = ptx_access(found[1])
            if access:
                bodies[name][line][access] += 1
        elif name and CALL.search(row):
            calls[name].update(re.findall(r"[\w$]+", row))
    return {entry: resolve(entry, bodies, calls, files) for entry in entries}


def resolve(entry, bodies, calls, files):
    todo, seen, lines = [entry], set(), collections.defaultdict(collections.Counter)
    while todo:
        name = todo.pop()
        if name in seen or name not in bodies:
            continue
        seen.add(name)
        todo += calls[name]
        for (file, line), counts in bodies[name].items():
            lines[os.path.normpath(files.get(file, "")), line].update(counts)
    return lines


def read_sass(text):
    kernels, lines, line = {}, None, ("", 0)
    for row in text.splitlines():
        if found := SECTION.match(row):
            lines = kernels.setdefault(found[1], collections.defaultdict(collections.Counter))
            line = ("", 0)
        elif found := LINE.search(row):
            line = (os.path.normpath(found[1]), int(found[2]))
        elif lines is not None and (found := SASS.search(row)) and found[1].split(".")[0] != "CALL":
            lines[line][sass_access(found[1])] += 1
    return kernels


def judge(before, after, elsewhere):
    """What became of the accesses of one op of one line. Of a line that has none in PTX the other
    lines tell how wide they were: the code generator may name another of several lines."""
    if before == after:
        return "same"
    widths = {a.width for a in before} or elsewhere
    wide = any(n > before.get(a, 0) and any(w < a.width for w in widths) and
               (a not in before or any(after.get(b, 0) < m for b, m in before.items()
                                       if b.width < a.width)) and
               (before or a.width > max(elsewhere, default=0)) for a, n in after.items())
    if wide:
        return "wider"
    if not after or not before:
        return "gone" if before else "new"
    sums = [sum(a.width * n for a, n in each.items()) for each in (before, after)]
    return "more" if sums[1] > sums[0] else "fewer" if sums[1] < sums[0] else "other"


def of_op(counts, op):
    return {a: n for a, n in counts.items() if a.op == op}


def compare(ptx, sass):
    """Rows (kernel, file, line, op, PTX, machine code, word) of the kernels that both have. Line 0
    is the whole kernel."""
    for kernel in sorted(ptx):
        if kernel not in sass:
            continue
        before, after = ptx[kernel], sass[kernel]
        places = [(Path(), 0)] + sorted(set(before) | set(after))
        sums = [sum(each.values(), collections.Counter()) for each in (before, after)]
        for place in places:
            pair = (before[place], after[place]) if place[1] else sums
            for op in sorted({a.op for each in pair for a in each} - {"generic"}):
                b, a = of_op(pair[0], op), of_op(pair[1], op)
                elsewhere = {x.width for x in of_op(sums[0], op)}
                yield kernel, *place, op, b, a, judge(b, a, elsewhere)


def capture(command, cwd=None):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=cwd,
                          errors="replace", check=False).stdout


def read_file(path):
    if path.suffix == ".cubin":
        return path.with_suffix(".ptx").read_text(), capture(["nvdisasm", "-g", "-c", path])
    with tempfile.TemporaryDirectory() as folder:
        capture(["cuobjdump", "-xelf", "all", path.resolve()], cwd=folder)
        cubins = sorted(Path(folder).glob("*.cubin"))
        sass = "\n".join(capture(["nvdisasm", "-g", "-c", cubin]) for cubin in cubins)
        capture(["cuobjdump", "-xptx", "all", path.resolve()], cwd=folder)
        parts = [ptx.read_text(errors="replace") for ptx in sorted(Path(folder).glob("*.ptx"))]
    return parts, sass


def study(path):
    """(file, number of kernels, rows)"""
    texts, sass = read_file(path)
    kernels = {}
    for text in [texts] if isinstance(texts, str) else texts:
        kernels.update(read_ptx(text))
    return path, kernels, list(compare(kernels, read_sass(sass)))


def shown(counts):
    return " ".join(f"{a.width or ''}x{n}" for a, n in sorted(counts.items())) or "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lines", action="store_true", help="print each line that differs")
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("files", nargs="+", type=Path)
    options = parser.parse_args()
    missing = [tool for tool in ("cuobjdump", "nvdisasm") if not shutil.which(tool)]
    if missing:
        raise SystemExit(f"needs {' and '.join(missing)} of the CUDA toolkit")
    rows = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for path, _, found in pool.map(study, options.files):
            rows += [(path, *row) for row in found]
    summarise(rows, options)
    return 0


def kernel_words(rows):
    """{(path, kernel): set of (op, word)}: a kernel as a whole tells what was copied, left out or
    only named otherwise, its lines what became wider."""
    kernels = collections.defaultdict(set)
    for path, kernel, _, line, op, _, _, word in rows:
        if line == 0 or word == "wider":
            kernels[path, kernel].add((op, word))
    return kernels


def summarise(rows, options):
    kernels = kernel_words(rows)
    print(f"{len({path for path, _ in kernels})} files, {len(kernels)} kernels with accesses to "
          "shared memory")
    for word in ("wider", "gone", "fewer", "new", "more", "other"):
        ops = collections.Counter(op for found in kernels.values() for op, w in found if w == word)
        some = sum(any(w == word for _, w in found) for found in kernels.values())
        print(f"{word:6} {some:5} kernels  "
              + ", ".join(f"{op} {n}" for op, n in sorted(ops.items())))
    same = sum(all(w == "same" for _, w in found) for found in kernels.values())
    print(f"same   {same:5} kernels")
    if options.lines:
        for path, kernel, file, line, op, before, after, word in rows:
            if word != "same":
                print(f"{path.name} {kernel[:40]} {Path(file).name}:{line} {op}: "
                      f"{shown(before)} -> {shown(after)}  {word}")
    if options.csv:
        with open(options.csv, "w", newline="", encoding="utf-8") as out:
            writer = csv.writer(out)
            writer.writerow("program kernel file line op ptx machine_code change".split())
            for path, kernel, file, line, op, before, after, word in rows:
                writer.writerow((path.name, kernel, Path(file).name, line, op, shown(before),
                                 shown(after), word))


if __name__ == "__main__":
    sys.exit(main())
