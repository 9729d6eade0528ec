"""Reads the files of truth/isa that tools/truth_isa.py writes."""

import gzip
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "truth" / "isa"


class Form:
    def __init__(self, line, table):
        _, _, block, shared, row_bytes, results, self.compare, self.text = line.split(" ", 7)
        self.block, self.shared, self.result_bytes = int(block), int(shared), int(row_bytes)
        self.table, self.results = table, results.split(",")
        self.data = b""

    def mnemonic(self):
        return self.text.split(" ")[0]


class Table:
    def __init__(self, line):
        _, rows, row_bytes, kinds = line.split(" ")
        self.rows, self.row_bytes, self.kinds = int(rows), int(row_bytes), kinds.split(",")
        self.data = b""


class File:
    """facts: device, date, driver, compiler, command; tables and forms with their bytes."""

    def __init__(self, path):
        raw = gzip.decompress(path.read_bytes())
        end = raw.index(b"\ndata ")
        lines = raw[:end].decode().split("\n")
        self.facts, self.tables, self.forms = {}, [], []
        for line in lines[1:]:
            word, _, rest = line.partition(" ")
            if word == "table":
                self.tables.append(Table(line))
            elif word == "form":
                self.forms.append(Form(line, self.tables[int(rest.split(" ")[0])]))
            elif word != "head" and not line.startswith("\t"):
                self.facts[word] = rest
        at = raw.index(b"\n", end + 1) + 1
        for table in self.tables:
            table.data = raw[at:at + table.rows * table.row_bytes]
            at += len(table.data)
        for form in self.forms:
            form.data = raw[at:at + form.table.rows * form.result_bytes]
            at += len(form.data)


def differences():
    """The forms that are known to differ from what the simulator gives."""
    path = FOLDER / "differences.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return {line for line in lines if line and not line.startswith("#")}


def read_all():
    return {path.stem: File(path) for path in sorted(FOLDER.glob("*.gz"))}
