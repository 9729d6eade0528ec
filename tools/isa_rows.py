"""The rows of src/ptx/isa.def, and which of them take a mnemonic, for the scripts beside this.

Run alone it prints the words of PTX as a dictionary for fuzzers.
"""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROW = re.compile(r'^(?:ISA|FLOW)\((\w+), (\w+), (.*), ("[^"]*"), (\w+), (\w+), (.*)\)$')
MACRO = re.compile(r'^#define (\w+) (".*")$')
RANGE = re.compile(r"(.*)\{(\d+)-(\d+)/(\d+)\}(.*)")


def words_of(choice):
    """The words of a range, "m64n{8-32/8}k16", or the word itself."""
    found = RANGE.fullmatch(choice)
    if not found:
        return [choice]
    head, first, last, step, tail = found.groups()
    return [f"{head}{number}{tail}" for number in range(int(first), int(last) + 1, int(step))]


class Element:
    """One element of a modifier pattern: see the head comment of isa.def."""

    def __init__(self, text):
        name, _, words = text.partition(":")
        self.is_optional = name.endswith("?")
        name = name.rstrip("?")
        self.is_type = name == "T"
        # A `::` belongs to a word: only the first colon of `op:sync_restrict::shared` separates.
        self.words = {word for choice in (words or name).split("|") for word in words_of(choice)}


class Row:
    def __init__(self, opcode, form, modifiers, operands, select):
        self.opcode, self.form, self.select = opcode, form, select
        self.modifiers, self.operands = modifiers, operands
        parts = modifiers.split()
        self.takes_anything = "*" in parts
        self.elements = [Element(part) for part in parts if part != "*"]
        self.is_refused = select == "refuse"

    def takes(self, words):
        """Whether the row's pattern accepts these words, as ptx_isa_match does."""
        filled = [False] * len(self.elements)
        for word in words:
            at = self.element_of(word, filled)
            if at is None and not self.takes_anything:
                return False
            if at is not None:
                filled[at] = True
        return all(f or e.is_optional for f, e in zip(filled, self.elements))

    def element_of(self, word, filled):
        is_type_due = True
        for i, element in enumerate(self.elements):
            if filled[i] or (element.is_type and not is_type_due):
                continue
            if word in element.words:
                return i
            if element.is_type and not element.is_optional:
                is_type_due = False
        return None


def text_of(expression, macros):
    """`"a " NAME " b" CALL("c")`: strings and names of macros, joined."""
    parts = re.findall(r'"([^"]*)"|(\w+)(?:\(("[^"]*")\))?', expression)
    out = ""
    for text, name, argument in parts:
        value, parameter = macros[name] if name else ("", None)
        known = {**macros, parameter: (argument, None)} if parameter else macros
        out += text_of(value, known) if name else text
    return out


def letters(operands):
    """An operand pattern without the types and widths of its elements: "d2,s:b32?" is "d2,s?"."""
    return re.sub(r"~|:\w+", "", operands)


def read_rows(root=ROOT):
    macros, rows = {}, []
    for line in (root / "src/ptx/isa.def").read_text(encoding="utf-8").splitlines():
        macro, row = MACRO.match(line), ROW.match(line)
        if macro:
            macros[macro[1]] = (macro[2], None)
        elif line.startswith("#define "):
            name, _, value = line[len("#define "):].partition(" ")
            name, _, parameter = name.rstrip(")").partition("(")
            macros[name] = (value, parameter or None)
        if row:
            rows.append(Row(row[1], row[2], text_of(row[3], macros), letters(row[4].strip('"')),
                            row[5]))
    return rows


def rows_for(rows, mnemonic):
    """The rows of a spelling: "ld.shared.v4.f32"."""
    opcode, *words = mnemonic.split(".")
    return [row for row in rows if row.opcode == opcode and row.takes(words)]


def dictionary():
    words = {".version 8.0", ".target sm_90", ".address_size 64", ".visible", ".entry", ".func",
             ".param", ".reg", ".local", ".callprototype", ".branchtargets", ".weak", ".common",
             ".extern", ".align", ".loc", ".file", ".pragma", ".maxntid", "%r<9>", "%tid.x"}
    for row in read_rows():
        words.add(row.opcode)
        words.update("." + word for element in row.elements for word in element.words)
    return sorted(words)


if __name__ == "__main__":
    for entry in dictionary():
        print(f'"{entry}"')
