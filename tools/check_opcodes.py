#!/usr/bin/env python3
"""Checks that no file of src but isa.def knows an instruction by its name.

What there is to know of an instruction stands in its row of src/ptx/isa.def and is asked for through
ptx/facts.h. So a string that is an opcode, a mnemonic ("ld.shared.u32") or a select function's name
is an error, unless ALLOWED says what else it is there. A line of ALLOWED that is not needed is one,
too. Usage: tools/check_opcodes.py [ROOT]. Exit status 1 when something is wrong.
"""

import re
import sys
from pathlib import Path

from isa_rows import ROOT, read_rows

# (file or folder below src, strings or None for all): they decide nothing about an instruction.
ALLOWED = [
    ("ptx/modifiers.def", None),  # words behind the opcode are spelled as some opcodes are
    ("ptx/operand_rules.c", {"or"}),  # a message
    ("calibrate", None),  # PTX that it writes, and names that it prints
    ("cli", {"min", "max"}),  # names in JSON
    ("explain/names.c", {"min", "max", "abs"}),  # functions of CUDA C
    ("ir/lower_call.c", {"ld.param", "st.param"}),  # mnemonics of instructions that it makes, for messages
    ("profile/json_failures.c", {"exit"}),  # what ended a launch, in JSON
    ("run/fault.c", {"trap"}),  # a kind of fault, in JSON
    ("sim/machine.h", {"fma"}),  # an ability of the processor
]

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|\'(?:[^\'\\]|\\.)*\'|"((?:[^"\\\n]|\\.)*)"', re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include.*$', re.MULTILINE)
MNEMONIC = re.compile(r"(\w+)(?:\.[\w:]+)*")


def strings_of(text):
    """The string literals of a C file with their lines; comments and #include are none."""
    text = INCLUDE.sub("", text)
    for match in TOKEN.finditer(text):
        if match[1] is not None:
            yield text.count("\n", 0, match.start()) + 1, match[1]


def allowances(path):
    """The entries of ALLOWED that speak of a file."""
    return [entry for entry in ALLOWED if path == entry[0] or path.startswith(entry[0] + "/")]


def check(root):
    rows = read_rows(root)
    names = {row.opcode for row in rows} | {row.select for row in rows}
    problems, needed = [], []
    for path in sorted((root / "src").rglob("*")):
        inside = path.relative_to(root / "src").as_posix()
        if path.suffix not in (".c", ".h", ".def") or inside == "ptx/isa.def":
            continue
        for line, text in strings_of(path.read_text(encoding="utf-8")):
            match = MNEMONIC.fullmatch(text)
            if not match or match[1] not in names:
                continue
            fitting = [e for e in allowances(inside) if e[1] is None or text in e[1]]
            needed += [(e[0], text) for e in fitting]
            if not fitting:
                problems.append(f'src/{inside}:{line}: "{text}" names an instruction: ask '
                                "ptx/facts.h instead, or say in tools/check_opcodes.py what it is")
    for where, texts in ALLOWED:
        for text in texts or ():
            if (where, text) not in needed:
                problems.append(f'tools/check_opcodes.py: src/{where} has no "{text}" any more')
        if texts is None and not any(where == known for known, _ in needed):
            problems.append(f"tools/check_opcodes.py: src/{where} names no instruction any more")
    return problems


def main():
    problems = check(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
