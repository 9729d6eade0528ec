"""bankrun report --against: a profile beside an export of Nsight Compute. Two are of an H200
(truth/h200_ncu_*.csv); the others are made here, of what the tool writes."""

import csv
import io
import json
import os
import subprocess
import sys
import tempfile

BANKRUN = os.environ["BANKRUN"]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEADING = ["ID", "Process ID", "Kernel Name", "Block Size", "Grid Size", "CC", "Metric Name",
           "Metric Unit", "Metric Value"]
PIPE = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_%s.sum"
SASS = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_%s.sum"
LAUNCH = ("(32, 32, 1)", "(8, 8, 1)", "9.0")

if not os.environ.get("BANKRUN_TEST_NVCC"):
    print("needs nvcc")
    sys.exit(77)


def check(holds, what):
    if not holds:
        sys.exit(what)


def bankrun(*arguments):
    result = subprocess.run([BANKRUN, *arguments], capture_output=True, text=True, check=False,
                            cwd=ROOT)
    return result.returncode, result.stdout, result.stderr


def export(folder, rows, heading=tuple(HEADING), before="==PROF== Connected\nhello, world\n"):
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(heading)
    writer.writerows(rows)
    path = os.path.join(folder, "ncu.csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + text.getvalue())
    return path


def rows_of(launch, kernel, **values):
    return [[launch, 7, kernel, *LAUNCH, name, "", f"{value:,}"]
            for name, value in values.items()]


def reasons(profile, path):
    """{(kernel, what): (here, there, reason)}"""
    status, out, err = bankrun("report", "--against", path, "--format", "json", profile)
    check(status == 0, f"{status} {err}")
    return {(k["kernel"].split("(")[0], s["what"].split(",")[0]):
            (s["bankrun"], s["gpu"], s["reason"])
            for k in json.loads(out)["kernels"] for s in k["sums"]}


with tempfile.TemporaryDirectory() as folder:
    saved = os.path.join(folder, "transpose.json")
    check(bankrun("--format", "json", "-o", saved, "gallery/transpose.cu", "256")[0] == 0, "run")
    truth = os.path.join(ROOT, "truth", "h200_ncu_transpose.csv")
    status, out, err = bankrun("report", "--against", truth, saved)
    check(status == 0 and out.endswith("12 of 12 sums agree.\n"), f"{status} {out} {err}")
    check("shared loads, wavefronts                           65,536       65,536" in out, out)

    other = os.path.join(folder, "reduction.json")
    check(bankrun("--format", "json", "-o", other, "gallery/reduction.cu")[0] == 0, "run")
    raw = os.path.join(ROOT, "truth", "h200_ncu_reduction_raw.csv")
    status, out, err = bankrun("report", "--against", raw, other)
    check(status == 0 and out.endswith("16 of 16 sums agree.\n"), f"{status} {out} {err}")

    # What differs, and why: of the tiled kernel 65,536 wavefronts of loads and 2,048 of stores.
    tiled, padded = "transpose_tiled(float *, const float *, int, int)", "void transpose_padded<3>(int)"
    for values, loads, stores in (
            ({PIPE % "ld": 65536, PIPE % "st": 2048}, "equal", "equal"),
            ({PIPE % "ld": 66000, PIPE % "st": 2047}, "may wait", "merged"),
            ({PIPE % "ld": 66000, SASS % "ld": 65536, PIPE % "st": 9000}, "waits", "unexplained"),
            ({PIPE % "ld": 0, PIPE % "st": 2048}, "merged", "equal")):
        found = reasons(saved, export(folder, rows_of(1, tiled, **values)))
        check(found["transpose_tiled", "shared loads"][2] == loads and
              found["transpose_tiled", "shared stores"][2] == stores, f"{values}: {found}")
        check(all(key[0] == "transpose_tiled" for key in found), f"only what is there: {found}")

    # Template arguments and "void" are written in several ways; launches that are not there are told.
    rows = rows_of(0, padded, **{PIPE % "ld": 2048}) + \
        rows_of(1, 'what "is" it<(int)3>(int)', **{PIPE % "ld": 1})
    path = export(folder, rows)
    check(reasons(saved, path)["transpose_padded", "shared loads"] == (2048, 2048, "equal"), "void")
    status, out, err = bankrun("report", "--against", path, saved)
    check(status == 0 and "1 launch of the GPU not in the profile, first: what" in out, out)
    status, out, err = bankrun("report", "--against", path, "--format", "csv", saved)
    check(list(csv.reader(io.StringIO(out)))[1][2:] == ["shared loads, wavefronts", "2048", "2048",
                                                        "equal"], out)

    # A column for each metric, and a spreadsheet's line ends.
    wide = HEADING[:6] + [PIPE % "ld"]
    path = export(folder, [[""] * 7, [0, 7, tiled, *LAUNCH, "65,536"]], wide)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text.replace("\n", "\r\n"))
    check(reasons(saved, path)["transpose_tiled", "shared loads"][2] == "equal", "wide")

    # Sectors of asynchronous copies are among those of global loads, as in the figures of --metrics.
    copies, sectors = os.path.join(folder, "pipeline.json"), "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
    check(bankrun("--format", "json", "-o", copies, "gallery/pipeline.cu")[0] == 0, "run")
    with open(copies, encoding="utf-8") as file:
        launch = json.load(file)["launches"][0]
    total = launch["totals"]["global"]
    count = sum(total[op]["sectors"] for op in ("load", "async_copy") if op in total)
    check(total["async_copy"]["sectors"] > 0, total)
    row = [1, 7, launch["kernel"], *(f"({', '.join(map(str, launch[key]))})" for key in ("block", "grid")),
           "9.0", sectors, "", str(count)]
    found = reasons(copies, export(folder, [row]))
    check([sum_[:2] for key, sum_ in found.items() if key[1] == "global loads"] == [(count, count)], found)

    # What is refused, and where it is.
    good = rows_of(0, tiled, **{PIPE % "ld": 1})
    for rows, heading, says in (
            (good, HEADING[:1] + HEADING[2:], "has not as many columns"),
            ([], HEADING, "there is no launch in it"),
            (good, ["A"] + HEADING[1:], "no row of headings that begins with ID"),
            ([good[0][:5] + ["9.x"] + good[0][6:]], HEADING, "line 4: the launch's number, its shape"),
            ([good[0][:3] + ["(32"] + good[0][4:]], HEADING, "line 4: the launch's number, its shape"),
            ([good[0][:8] + ["1.5"]], HEADING, "line 4: a counter is no whole number"),
            ([good[0][:8] + [str(1 << 65)]], HEADING, "line 4: a counter is no whole number"),
            ([good[0][:4]], HEADING, "line 4: it has not as many columns"),
            ([good[0][:5] + ["8.0"] + good[0][6:]], HEADING, "another architecture"),
            ([[0, 7, tiled, *LAUNCH, "1"]], HEADING[:6] + ["some__other.sum"], "no counter")):
        status, out, err = bankrun("report", "--against", export(folder, rows, heading), saved)
        check(status == 2 and says in err and not out, f"{says}: {status} {out} {err}")
    path = export(folder, good)
    for arguments, says in ((("--against", os.path.join(folder, "none.csv")), "No such file"),
                            (("--against", path, "--format", "html"), "text, json and csv"),
                            (("--against", path, "-o", "/dev/full"), "No space")):
        status, out, err = bankrun("report", *arguments, saved)
        check(status == 2 and says in err, f"{arguments}: {status} {out} {err}")
