"""Kind prove: what `bankrun prove` says, of kernels with expectations and of the gallery.

A line of tests/prove/NAME.cu that accesses shared memory ends in `// prove: WORDS`: what is said of
each access of the line; ` / ` stands between those that differ, and `| PART` behind them is a part of
what else is said. `// bounds: WORDS; WORDS` is what is said of where they lie. `// races: WORDS` behind a kernel is what is said of its
races: free, race with the two lines, or not proved and a part of why. `// bankrun:` lines give options. tests/prove/gallery/NAME.txt is all that is said
of gallery/NAME.cu.
"""

import csv
import io
import json
import os
import re
import shlex

from .case import Case, Failure, Skip, check_sanitizers, shown, tail, text_of
from .programs import check_golden

EXPECTATION = re.compile(r"// prove: (.*)$")
PLACE = re.compile(r"// bounds: (.*)$", re.MULTILINE)
KERNEL = re.compile(r"__global__ .*?(\w+)\(")
RACES = re.compile(r"^// races: (.*)$")
GALLERY = ("bitonic", "dynamic", "half_warps", "histogram", "matmul", "matrix_loads", "pipeline", "prefix",
           "reduction", "stencil", "subword", "transpose", "transpose_fast", "wide")


def prove(context, *words):
    if not context.nvcc:
        raise Skip("nvcc is not there")
    command = [context.bankrun, "prove", *words]
    process = context.execute(command, checks_leaks=True)
    check_sanitizers(process)
    if process.returncode:
        raise Failure(f"status {process.returncode}: {shown(command)}\n" + tail(process.stderr))
    return text_of(process.stdout)


def expectations(text):
    """{line: [(words, part of the detail)]}"""
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        match = EXPECTATION.search(line)
        if match:
            found[number] = [tuple(w.strip() for w in (one + "|").split("|")[:2])
                             for one in match[1].split(" / ")]
    return found


def compare_places(text, rows):
    """Of lines that say where their accesses lie, or of all if any line does."""
    wanted = {n: set(found[1].split(" / ")) for n, line in enumerate(text.splitlines(), 1)
              if (found := PLACE.search(line))}
    said = {}
    for row in rows:
        said.setdefault(int(row["line"] or 0), set()).add(f"{row['bounds']}; {row['alignment']}")
    return [f"line {line}: expected {sorted(wanted.get(line, []))}, but it says {sorted(said.get(line, []))}"
            for line in sorted(set(wanted) | set(said))
            if wanted and wanted.get(line) != said.get(line)]


def compare(wanted, rows):
    problems = []
    said = {}
    for row in rows:
        said.setdefault(int(row["line"] or 0), set()).add((row["words"], row["detail"]))
    for line in sorted(set(wanted) | set(said)):
        want, got = wanted.get(line, []), said.get(line, set())
        fits = {(w, d) for w, d in got if any(w == words and part in d for words, part in want)}
        missing = [words for words, part in want if not any(w == words and part in d for w, d in got)]
        if missing or fits != got:
            problems.append(f"line {line}: expected {want}, but it says {sorted(got)}")
    return problems


def races_of(text):
    """{kernel: words}"""
    found, kernel = {}, None
    for line in text.splitlines():
        match = KERNEL.search(line)
        kernel = match[1] if match else kernel
        match = RACES.match(line)
        if match:
            found[kernel] = match[1]
    return found


def words_of_races(races):
    lines = sorted(access["line"] for access in races.get("accesses", []))
    if races["verdict"] == "race":
        return f"race {lines[0]} {lines[1]}"
    return "free" if races["verdict"] == "free" else "not proved: " + races["reason"]


def compare_races(wanted, proofs):
    problems = []
    said = {}
    for proof in proofs:
        if "races" in proof:
            said.setdefault(proof["kernel"].split("(")[0], set()).add(words_of_races(proof["races"]))
    for kernel in sorted(set(wanted) | set(said)):
        want, got = wanted.get(kernel), said.get(kernel, set())
        head, _, part = (want or "").partition(": ")
        if not want or len(got) != 1 or not all(w.startswith(head) and part in w if part else w == want for w in got):
            problems.append(f"races of {kernel}: expected {want}, but it says {sorted(got)}")
    return problems


def run_cases(context, name):
    path = os.path.join("tests", "prove", name)
    with open(context.path(path), encoding="utf-8") as file:
        text = file.read()
    options = [w for line in re.findall(r"^// bankrun: (.*)$", text, re.MULTILINE) for w in shlex.split(line)]
    wanted, races = expectations(text), races_of(text)
    if not wanted and not races and not PLACE.search(text):
        raise Failure("expects nothing")
    rows = list(csv.DictReader(io.StringIO(prove(context, *options, "--format", "csv", path))))
    problems = (compare(wanted, rows) if wanted else []) + compare_places(text, rows)
    if races:
        proofs = json.loads(prove(context, *options, "--format", "json", path))["proofs"]
        problems += compare_races(races, proofs)
    if problems:
        raise Failure("\n".join(problems))


def run_gallery(context, name):
    text = prove(context, f"gallery/{name}.cu")
    check_golden(context, context.path("tests", "prove", "gallery", name + ".txt"), text)


def collect(context):
    cases = [Case("prove", name[:-3], lambda n=name: run_cases(context, n))
             for name in context.files("prove", ".cu")]
    return cases + [Case("prove", "gallery_" + name, lambda n=name: run_gallery(context, n))
                    for name in GALLERY]
