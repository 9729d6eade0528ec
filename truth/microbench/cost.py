#!/usr/bin/env python3
"""Puts what bankrun counts beside what an H200 took: truth/h200_cost.csv, on stdout.

Usage: cost.py COUNTS LIST TIMES GALLERY_COUNTS GALLERY_TIMES
  COUNTS           bankrun run --format json -o COUNTS cost.cu count
  LIST, TIMES      on the GPU: ./cost list, ./cost time
  GALLERY_COUNTS   a folder of PROGRAM.json: bankrun run --blocks 32 --format json gallery/PROGRAM.cu --time
                   (access, broadcast: --blocks 256)
  GALLERY_TIMES    on the GPU: for each program a line "== PROGRAM", then what `PROGRAM --time` prints
"""

import csv
import json
import os
import re
import sys

COLUMNS = ["set", "pair", "layout", "time_us", "blocks", "threads", "shared_bytes", "instructions",
           "barriers", "shared_requests", "shared_wavefronts", "shared_ideal", "global_requests", "global_loads",
           "sectors"]

# Of the gallery: program, names of two kernels in its output, and what tells their kernels' names.
SCAN = ["row_prefixes", "column_prefixes", "scan_line_above"]
GALLERY = [
    ("bitonic", "plain", "reflected", ["<Plain>"], ["<Reflected>"]),
    ("dynamic", "records", "arrays", ["<Records>"], ["<Arrays>"]),
    ("matmul", "transposed", "padded", ["<Transposed>"], ["<Padded>"]),
    ("matmul", "transposed", "swizzled", ["<Transposed>"], ["<Swizzled>"]),
    ("matrix_loads", "plain", "padded", ["<Plain>"], ["<Padded>"]),
    ("matrix_loads", "plain", "swizzled", ["<Plain>"], ["<Swizzled>"]),
    ("pipeline", "dense", "padded", ["<Dense>"], ["<Padded>"]),
    ("pipeline", "dense", "swizzled", ["<Dense>"], ["<Swizzled>"]),
    ("prefix", "dense", "offset", ["<Dense>"], ["<Offset>"]),
    ("reduction", "interleaved", "sequential", ["interleaved"], ["sequential"]),
    ("stencil", "8 x 32", "8 x 32, pitch 40", ["<8, 32, 10>"], ["<8, 32, 40>"]),
    ("transpose", "tile[32][32]", "tile[32][33]", ["_tiled"], ["_padded"]),
    ("scan2d", "tile[32][32]", "tile[32][33]", SCAN + ["tile_sums<32>", "tile_scan<32>"],
     SCAN + ["tile_sums<33>", "tile_scan<33>"]),
    ("access", "column", "row", ["<Column, 32>"], ["<Row, 32>"]),
    ("access", "counterdiagonal, padded", "counterdiagonal", ["<Counterdiagonal, 33>"],
     ["<Counterdiagonal, 32>"]),
    ("access", "diagonal, padded", "diagonal", ["<Diagonal, 33>"], ["<Diagonal, 32>"]),
    ("broadcast", "two of a bank", "one word", ["<TwoOfABank>"], ["<One>"]),
    ("broadcast", "pairs of a bank", "one word", ["<PairsOfABank>"], ["<One>"]),
    ("strides", "stride 2", "stride 3", ["stride<2>"], ["stride<3>"]),
    ("strides", "stride 8", "stride 9", ["stride<8>"], ["stride<9>"]),
    ("strides", "stride 16", "stride 17", ["stride<16>"], ["stride<17>"]),
    ("strides", "stride 32", "stride 33", ["stride<32>"], ["stride<33>"]),
    ("wide", "float4, every second", "float4", ["<float4, EverySecond>"], ["<float4, Neighbours>"]),
    ("wide", "float2, every second", "float2", ["<float2, EverySecond>"], ["<float2, Neighbours>"]),
]


def counts_of(launch):
    shared, world = (launch["totals"][space].values() for space in ("shared", "global"))
    return {
        "blocks": launch["grid"][0] * launch["grid"][1] * launch["grid"][2],
        "threads": launch["block"][0] * launch["block"][1] * launch["block"][2],
        "shared_bytes": launch["shared_bytes"],
        "instructions": launch["instructions"],
        "barriers": launch["barriers"],
        "shared_requests": sum(op["requests"] for op in shared),
        "shared_wavefronts": sum(op["wavefronts"] for op in shared),
        "shared_ideal": sum(op["ideal"] for op in shared),
        "global_requests": sum(op["requests"] for op in world),
        "global_loads": launch["totals"]["global"]["load"]["requests"],
        "sectors": sum(op["sectors"] for op in world),
    }


def launches_of(path):
    """The counts of all launches in their order; launches that are alike are kept once."""
    with open(path) as file:
        launches = json.load(file)["launches"]
    return {run["first"] + i * run["step"]: launch
            for launch in launches for run in launch["repeated"] for i in range(run["count"])}


def write(writer, which, pair, layout, time, launches):
    for i, launch in enumerate(launches): # a pipeline's time stands in its first row
        writer.writerow({"set": which, "pair": pair, "layout": layout,
                         "time_us": "" if i else time, **counts_of(launch)})


def write_pairs(writer, counts, listed, times):
    launches = launches_of(counts)
    ordered = [launches[i] for i in sorted(launches) if "scramble" not in launches[i]["kernel"]]
    with open(times) as file:
        rows = list(csv.DictReader(file))
    with open(listed) as file:
        assert [row["pair"] for row in rows] == [line.split("|")[0] for line in file]
    assert len(ordered) == 2 * len(rows)
    for i, row in enumerate(rows):
        which = "held-out" if i % 3 == 2 else "fitted"
        write(writer, which, row["pair"], "conflicts", row["conflicts_us"], ordered[2 * i:2 * i + 1])
        write(writer, which, row["pair"], "cured", row["cured_us"], ordered[2 * i + 1:2 * i + 2])


def times_of(path):
    times, program = {}, ""
    with open(path) as file:
        for line in file:
            if line.startswith("== "):
                program = line[3:].strip()
            found = re.match(r"(.+?)\s+PASS.*?([\d.]+) us", line)
            if found:
                times[program, found[1].strip()] = found[2]
    return times


def write_gallery(writer, folder, times):
    for program, before, after, *kernels in GALLERY:
        launches = launches_of(os.path.join(folder, program + ".json")).values()
        pair = f"{program}: {before} to {after}"
        for layout, name, needles in zip(("conflicts", "cured"), (before, after), kernels):
            picked = [next(launch for launch in launches if needle in launch["kernel"])
                      for needle in needles]
            write(writer, "gallery", pair, layout, times[program, name], picked)


def main():
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    counts, listed, times, folder, gallery_times = sys.argv[1:]
    writer = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    writer.writeheader()
    write_pairs(writer, counts, listed, times)
    write_gallery(writer, folder, times_of(gallery_times))


main()
