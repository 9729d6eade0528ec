"""What docs/accuracy.md says of kernels of Triton and of CuTe DSL is what the tables of truth/ say."""

import csv
import sys

KINDS = ("loads", "stores", "atomics")
problems = []


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def agreeing(rows, way):
    return [row["kernel"] for row in rows if all(row[f"instruction_{kind}"] == row[f"{way}_{kind}"] for kind in KINDS)]


def want(text, said):
    if said not in text:
        problems.append(f"docs/accuracy.md does not say {said!r}")


with open("docs/accuracy.md", encoding="utf-8") as file:
    document = " ".join(file.read().split())

triton = read("truth/h100_triton.csv")
written, compiled = agreeing(triton, "written"), agreeing(triton, "compiled")
want(document, f"{len(triton)} kernels of Triton 3.9")
want(document, f"those of the counters by instruction in {len(written)} as written and in {len(compiled)} `--as compiled`")
sectors = [row for row in triton if row["gpu_global_store_sectors"] == row["bankrun_global_store_sectors"]]
want(document, f"the sectors of global stores in all {len(sectors)}")
for row in triton:
    if row["kernel"] not in compiled:
        name = "matmul_described_*" if row["kernel"].startswith("matmul_described_") else row["kernel"]
        want(document, f"`{name}`")

cute = read("truth/h100_cute.csv")
want(document, f"{len(cute)} kernels of CuTe DSL 4.8.1")
want(document, f"**{len(agreeing(cute, 'written'))} of {len(cute)}**, as written and `--as compiled`")
if agreeing(cute, "written") != agreeing(cute, "compiled"):
    problems.append("truth/h100_cute.csv: not the same kernels agree as written and as compiled")
for row in cute:
    if row["kernel"] not in agreeing(cute, "written"):
        want(document, f"`{row['kernel']}`")

print("\n".join(problems))
sys.exit(1 if problems else 0)
