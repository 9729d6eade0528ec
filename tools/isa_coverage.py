#!/usr/bin/env python3
"""Writes docs/isa-coverage.md from src/ptx/isa.def and tests/ptx.

    tools/isa_coverage.py            writes the page
    tools/isa_coverage.py --check    exits with 1 where the page is not up to date
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "isa-coverage.md"
ROW = re.compile(r'^ISA\((\w+), (\w+), (.*), "([^"]*)", (\w+)\)$')
HEAD = """# Instructions

One line for each row of [`src/ptx/isa.def`](../src/ptx/isa.def). *Tested*: a kernel of `tests/ptx` holds the opcode, in this form or another;
`tools/gpu_ptx.py` runs those kernels on a GPU and holds the results against the same expectations. What is *refused* parses, and a
kernel that holds it is refused by name when it is launched. Written by `tools/isa_coverage.py`.

"""


def rows():
    for line in (ROOT / "src/ptx/isa.def").read_text(encoding="utf-8").splitlines():
        match = ROW.match(line)
        if match:
            yield match[1], match[2], match[5]


def tests_of():
    """The opcodes that files of tests/ptx use."""
    opcodes = set()
    for path in sorted((ROOT / "tests/ptx").glob("*.ptx")):
        text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
        opcodes.update(re.findall(r"(?:^|[;{}:\s])([a-z][a-z0-9]*)(?=[.\s;])", text))
    return opcodes


def page():
    tests, lines, supported, total = tests_of(), [], 0, 0
    for opcode, form, select in rows():
        is_refused = select == "refuse"
        total += 1
        supported += not is_refused
        tested = "yes" if opcode in tests and not is_refused else ""
        status = "refused" if is_refused else "supported"
        lines.append(f"| `{opcode}` | {form} | {status} | {tested} |")
    return (HEAD + f"{supported} of {total} rows are supported.\n\n"
            "| opcode | form | status | tested |\n|---|---|---|---|\n" + "\n".join(lines) + "\n")


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
