#!/usr/bin/env python3
"""Writes docs/isa-coverage.md from src/ptx/isa.def, tests/ptx, and what truth/ has of instructions.

    tools/isa_coverage.py            writes the page
    tools/isa_coverage.py --check    exits with 1 where the page is not up to date
"""

import json
import re
import sys
from collections import Counter

import isa_truth
from gpu_ptx import file_hash
from isa_rows import ROOT, read_rows, rows_for

PAGE = ROOT / "docs" / "isa-coverage.md"
RECORD = ROOT / "truth" / "h200_ptx_tests.json"
# Forms of copies of tensors that were compared with an H200 byte by byte: tests/cli/tensor_maps.py and
# tests/cli/tensor_replace.sh.
MEASURED = {"cp": ("tensor_load", "tensor_load_im2col", "tensor_store", "tensor_reduce",
                   "tensor_prefetch", "tensor_prefetch_im2col"),
            "tensormap": ("replace", "replace_at", "publish")}
INSTRUCTION = re.compile(r"(?:^|[;{}:])\s*(?:@!?%?[\w$]+\s+)?([a-z][a-z0-9]*(?:\.[\w:]+)*)"
                         r"(?:\s+([^;]*))?;", re.MULTILINE)
HEAD = """# Instructions

One line for each row of [`src/ptx/isa.def`](../src/ptx/isa.def). *Tested*: how many files of `tests/ptx` hold an instruction of the row.
*Forms*: how many instructions of the row, each with other modifiers, types or parts of operands, have results of an H200 in `truth/isa`, to which
the tests hold the simulator bit for bit (`tools/truth_isa.py`). *Checked on hardware*: there are such forms, or one file of `tests/ptx` at
least ran on a GPU, and all its expectations held there (`tools/gpu_ptx.py --record`), or, for copies of tensors, the tests hold the simulator to
`truth/h200_tensor_maps.txt.gz` and to the output of `tests/cli/tensor_replace.cu` on an H200.
What is *refused* parses, and a kernel that holds it is refused by name when it is launched. Written by `tools/isa_coverage.py`.

"""


def operand_counts(row):
    """The least and the most operands; most is None for "any number"."""
    letters = [part for part in row.operands.split(",") if part]
    is_open = "*" in letters
    letters = [part for part in letters if part != "*"]
    optional = next((i for i, part in enumerate(letters) if part.endswith("?")), len(letters))
    return optional, None if is_open else len(letters)


def count_operands(text):
    depth, count = 0, 1 if text.strip() else 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        count += c == "," and depth == 0
    return count


def row_of(rows, mnemonic, operands):
    """The row that an instruction belongs to, or None."""
    count = count_operands(operands)
    for row in rows_for(rows, mnemonic):
        least, most = operand_counts(row)
        if not row.is_refused and least <= count and (most is None or count <= most):
            return row
    return None


def rows_of_file(rows, path):
    """The rows that a file's instructions belong to."""
    text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
    return {row_of(rows, *found) for found in INSTRUCTION.findall(text)} - {None}


def forms_of_rows(rows, files):
    """How many instructions of a row have results in truth/isa that the simulator gives, too."""
    different = isa_truth.differences()
    instructions = {form.text for file in files for form in file.forms} - different
    return Counter(row_of(rows, *text.split(" ", 1)) for text in instructions)


def read_record():
    return json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.is_file() else None


def page():
    rows, record, truth = read_rows(), read_record(), list(isa_truth.read_all().values())
    files = {row: 0 for row in rows}
    forms = forms_of_rows(rows, truth)
    checked = set(forms) - {None}
    checked |= {row for row in rows if row.form in MEASURED.get(row.opcode, ())}
    for path in sorted((ROOT / "tests/ptx").glob("*.ptx")):
        held = rows_of_file(rows, path)
        for row in held:
            files[row] += 1
        if record and record["files"].get(path.name) == file_hash(path):
            checked |= held
    lines, supported = [], 0
    for row in rows:
        supported += not row.is_refused
        status = ("refused" if row.is_refused else
                  "checked on hardware" if row in checked else "supported")
        lines.append(f"| `{row.opcode}` | {row.form} | {status} | {files[row] or ''} | "
                     f"{forms[row] or ''} |")
    figures = (f"{supported} of {len(rows)} rows are supported, {len(checked)} of them checked on "
               "hardware.")
    if record:
        figures += (f" Last checked on {record['date']}: {record['device']}, driver "
                    f"{record['driver']}, `{record['command']}`.")
    if truth:
        facts = truth[0].facts
        figures += (f" Results of {sum(forms.values())} forms, computed on {facts['date']}: "
                    f"{facts['device']}, driver {facts['driver']}, {facts['compiler']}.")
    columns = "| opcode | form | status | tested | forms |\n|---|---|---|---|---|\n"
    return (HEAD + figures + "\n\n" + columns + "\n".join(lines) + "\n")


def main():
    text = page()
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    print("docs/isa-coverage.md is not up to date: run tools/isa_coverage.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
