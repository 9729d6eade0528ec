#!/usr/bin/env python3
"""Holds bankrun's wavefronts, launch by launch, against the hardware's counters.

PROFILES has NAME.json of `bankrun --format json`, COUNTERS has NAME.csv of the same runs under

    ncu --csv --page raw --clock-control none --cache-control none --launch-count N --log-file
        NAME.csv --metrics l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,..._op_st.sum,
        ..._op_atom.sum,smsp__inst_executed_op_shared_ld.sum,..._op_shared_st.sum

Launches are matched by their order and the name of their kernel; of each the three sums over loads,
stores and atomics are compared; loads and atomics together where there are loops around a
compare-and-swap, whose loads bankrun counts as part of the atomic. Writes a table with one row for
a kernel of a program.

    tools/compare_counts.py [--csv OUT] [--launches] PROFILES COUNTERS
"""

import argparse
import csv
import io
import json
import re
import sys
from collections import OrderedDict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from harness.tables import kernel_name  # noqa: E402

OPS = OrderedDict((("ld", ("load", "matrix_load")), ("st", ("store", "matrix_store")),
                   ("atom", ("atomic",))))
COUNTER = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_%s.sum"
REQUESTS = "smsp__inst_executed_op_shared_%s.sum"
LOOP = re.compile(r"(atom|red)\.[\w.:]*(add\S*\.(f|bf)(16|32|64)"
                  r"|(min|max|and|or|xor)\S*64|add\.u64)")
BY_INSTRUCTION = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_%s.sum"


def predicted(path):
    """[(kernel, {op: (wavefronts, requests)}, has copies)] of all launches in their order."""
    launches = {}
    for launch in json.loads(path.read_text())["launches"]:
        sites = [s for s in launch["sites"] if s["space"] == "shared"]
        sums = {op: [sum(s["wavefronts"] for s in sites if s["op"] in names),
                     sum(s["requests"] for s in sites if s["op"] in names)]
                for op, names in OPS.items()}
        # Of a loop around a compare-and-swap, each round loads (1) and swaps (2, or 4 of 64 bits):
        # the figures are shared out so, what is compared is their sum.
        loops = any(LOOP.match(s["instruction"]) for s in sites)
        loads = sum(s["wavefronts"] for s in sites if LOOP.match(s["instruction"])) // 3
        sums["ld"][0] += loads
        sums["atom"][0] -= loads
        copies = any(s["op"] in ("async_copy", "bulk_copy") for s in launch["sites"])
        for run in launch["repeated"]:
            for i in range(run["count"]):
                launches[run["first"] + i * run["step"]] = (launch["kernel"], sums, copies,
                                                            tuple(launch["grid"] + launch["block"]),
                                                            loops)
    return [launches[index] for index in sorted(launches)]


def measured(path):
    """[(kernel, {op: (wavefronts, requests or None)})] of the launches that ncu counted."""
    text = path.read_text(errors="replace")
    start = text.find('"ID"')
    if start < 0:
        return []
    found = []
    for row in list(csv.DictReader(io.StringIO(text[start:])))[1:]:  # a row of units
        def number(name, row=row):
            text = row.get(name)
            return int(float(text.replace(",", ""))) if text and text != "nan" else None
        def wavefronts(op, number=number):
            more = {"ld": "ldsm", "st": "stsm"}.get(op)
            exact = number(BY_INSTRUCTION % op)
            if exact is None:
                return None
            return exact + (number(BY_INSTRUCTION % more) or 0 if more else 0)
        found.append((row["Kernel Name"],
                      {op: (number(COUNTER % op), wavefronts(op), number(REQUESTS % op))
                       for op in OPS},
                      tuple(int(n) for n in re.findall(r"\d+", row["Grid Size"] +
                                                       row["Block Size"]))))
    return found


def alike(one, other):
    short = []
    for name in (one, other):
        name = re.sub(r".*__Z\d+", "", name.removeprefix("void "))  # what nvcc calls static kernels
        short.append(re.split(r"[<(]", name)[0].split("::")[-1].strip())
    return short[0].startswith(short[1])


def agrees(op, ours, theirs, together):
    """Is it one of the two counters? Of loops: the sum of loads and atomics."""
    ops = ("ld", "atom") if together and op != "st" else (op,)
    here = sum(ours[o][0] for o in ops)
    return any(here == sum(theirs[o][which] or 0 for o in ops)
               for which in (0, 1) if theirs[op][which] is not None)


def compare(name, ours, theirs):
    """A dict for each launch and op."""
    for index, (launch, counted) in enumerate(zip(ours, theirs)):
        if not alike(launch[0], counted[0]):
            print(f"{name}: launch {index} is {launch[0][:60]} here, {counted[0][:60]} there")
            return
        if launch[3] != counted[2]:
            print(f"{name}: launch {index}, {kernel_name(launch[0])[:50]}: grid and block "
                  f"{launch[3]} here, {counted[2]} there")
            continue
        for op in OPS:
            here, (pipe, each, requests) = launch[1][op], counted[1][op]
            yield {"index": index, "kernel": kernel_name(launch[0]), "copies": launch[2], "op": op,
                   "bankrun": here[0], "pipe": pipe, "instructions": each,
                   "agrees": agrees(op, launch[1], counted[1], launch[4]),
                   "requests": (here[1], requests)}


def fold(rows):
    """One row for a kernel: launches, those that agree in all ops, sums of each op."""
    kernels = OrderedDict()
    for row in rows:
        one = kernels.setdefault(row["kernel"],
                                 {"launches": {}, "sums": OrderedDict(), "copies": False})
        one["copies"] |= row["copies"]
        one["launches"][row["index"]] = one["launches"].get(row["index"], True) and row["agrees"]
        if row["bankrun"] or row["pipe"]:
            sums = one["sums"].setdefault(row["op"], {"bankrun": 0, "pipe": 0, "instructions": 0})
            for which in sums:
                sums[which] += row[which] or 0
    return {kernel: one for kernel, one in kernels.items() if one["sums"]}


def shown(op, sums):
    return (f"{op} {sums['bankrun']:,} here, {sums['pipe']:,} in the pipe, "
            f"{sums['instructions']:,} by instruction")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--launches", action="store_true", help="print each launch that differs")
    parser.add_argument("profiles", type=Path)
    parser.add_argument("counters", type=Path)
    options = parser.parse_args()
    table, programs, launches, agreeing, copying = [], 0, 0, 0, 0
    for path in sorted(options.counters.glob("*.csv")):
        profile = options.profiles / (path.stem + ".json")
        if not profile.exists():
            continue
        rows = list(compare(path.stem, predicted(profile), measured(path)))
        kernels = fold(rows)
        programs += bool(kernels) and not any(one["copies"] for one in kernels.values())
        for kernel, one in kernels.items():
            count, agree = len(one["launches"]), sum(one["launches"].values())
            launches += 0 if one["copies"] else count
            agreeing += 0 if one["copies"] else agree
            copying += count if one["copies"] else 0
            table.append((path.stem, kernel, count, agree,
                          *(one["sums"].get(op, {}).get(which, 0) for op in OPS
                            for which in ("bankrun", "pipe", "instructions"))))
            if agree < count:
                print(f"{path.stem} {kernel[:60]}: {agree} of {count} launches; "
                      + "; ".join(shown(op, sums) for op, sums in one["sums"].items()
                                  if sums["bankrun"] not in (sums["pipe"], sums["instructions"])))
        for row in rows if options.launches else ():
            if not row["agrees"]:
                print(f"    {row['index']} {row['kernel'][:40]} {shown(row['op'], row)}, "
                      "requests {} here, {} there".format(*row["requests"]))
    print(f"{programs} programs without copies: {agreeing} of {launches} launches with shared "
          f"memory agree ({100 * agreeing / max(1, launches):.1f} %); {copying} have copies")
    if options.csv:
        with open(options.csv, "w", newline="", encoding="utf-8") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(["program", "kernel", "launches", "agree"]
                            + [f"{op}_{which}" for op in OPS
                               for which in ("bankrun", "pipe", "instructions")])
            writer.writerows(table)


if __name__ == "__main__":
    sys.exit(main())
