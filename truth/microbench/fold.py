#!/usr/bin/env python3
"""Folds what run.sh printed to the form of the files in truth/: fold.py RESULTS.

Writes RESULTS/more_patterns.csv, async_copies.csv and bulk_and_wgmma.csv. What was not measured
stays blank.
"""
import csv
import io
import sys
from pathlib import Path

FILES = {"more_patterns": {"atomics": 4, "generic": 4, "generic_atomics": 4, "wide_loads": 4,
                           "async_copy": 4, "cluster": 4},
         "async_copies": {"async_banks": 1, "async_lines": 1, "async_tags": 1}}
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts"


def read_clocks(path):
    """Cycles by row of the patterns."""
    if not path.exists():
        return {}
    rows = [line.split(",") for line in path.read_text().splitlines()]
    return {int(row): float(cycles) for row, cycles in rows}


def read_launches(path):
    """Counters of each launch, in order."""
    text = path.read_text() if path.exists() else ""
    start = text.find('"ID"')
    rows = csv.DictReader(io.StringIO(text[start:])) if start >= 0 else []
    return [{key.removesuffix(".sum"): float(value.replace(",", ""))
             for key, value in row.items() if key.endswith(".sum") and value}
            for row in rows if row["ID"].isdigit()]


def read_counters(path):
    """By row of the patterns: the program printed the row of each launch."""
    text = path.read_text() if path.exists() else ""
    return dict(zip([int(line) for line in text.split("\n") if line.isdigit()],
                    read_launches(path)))


def wavefronts(instruction, counters, copies):
    """Of one instruction; what cleared the memory before were stores. None: nothing counts it."""
    def of(op):
        return counters.get(f"{WAVEFRONTS}_mem_shared{op}", 0)
    if instruction.startswith("cp.async.cg"):
        return None
    if instruction.startswith("cp.async"): # the kernel itself takes a few others
        return (of("") - of("_op_misc")) / copies
    if instruction.endswith("@other"):
        return None
    if instruction.startswith("shfl"): # a kernel without any takes one
        return (of("_op_misc") - 1) / copies
    if instruction.startswith("st"):
        return of("_op_st") / copies
    return (of("_op_ld") + of("_op_atom")) / copies


def number(value):
    return "" if value is None else f"{value:.6g}"


def fold_patterns(folder, name, families):
    with open(folder / f"{name}.csv", "w", encoding="ascii") as out:
        print("instruction,active_mask,byte_offsets,global_offsets,cycles_per_instruction,"
              "wavefronts", file=out)
        for family, copies in families.items():
            clocks = read_clocks(folder / f"{family}.clock")
            counters = read_counters(folder / f"{family}.ncu")
            patterns = folder / "patterns" / f"{family}.csv"
            if not patterns.exists():
                continue
            rows = csv.DictReader(patterns.open(encoding="ascii"))
            for n, row in enumerate(rows):
                instruction = row["instruction"]
                counted = wavefronts(instruction, counters[n], copies) if n in counters else None
                if n in clocks or counted is not None:
                    print(instruction, row["active_mask"], row["byte_offsets"],
                          row["global_offsets"], number(clocks.get(n)), number(counted), sep=",",
                          file=out)


def fold_others(folder):
    """Rows of wgmma and bulk copies name their own parameters; the last one is the clock."""
    counters = read_launches(folder / "wgmma.ncu")
    with open(folder / "bulk_and_wgmma.csv", "w", encoding="ascii") as out:
        print("instruction,operand_a_or_bytes,swizzle_or_shared_offset,"
              "leading_bytes_or_global_offset,stride_bytes,cycles,wavefronts", file=out)
        for family in ("wgmma", "bulk_copy"):
            path = folder / f"{family}.clock"
            rows = csv.reader(path.open(encoding="ascii")) if path.exists() else []
            for n, row in enumerate(rows):
                is_matrix = family == "wgmma"
                counted = (counters[n].get(f"{WAVEFRONTS}_mem_shared_op_gmma", 0) / 4
                           if is_matrix and n < len(counters) else None)
                print(*row[:4], row[4] if is_matrix else "", row[-1], number(counted), sep=",",
                      file=out)


def main():
    folder = Path(sys.argv[1])
    for name, families in FILES.items():
        fold_patterns(folder, name, families)
    fold_others(folder)


if __name__ == "__main__":
    main()
